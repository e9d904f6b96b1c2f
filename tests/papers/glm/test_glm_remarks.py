"""Remarks, missing entries and Table 1's Lipschitz columns: second derivations, planted errors, the instances."""

import itertools
import math

import numpy as np
import pytest
from declared import measured
from scipy.integrate import quad
from scipy.stats import beta as beta_law
from scipy.stats import binom

from dpbench.papers.glm.theorems import (
    lemma7,
    table1,
    theorem3,
    theorem4,
    theorem13,
    theorems6_11,
)
from dpbench.privacy import gaussian
from dpbench.runs.context import RunContext
from lowerbounds import packing
from lowerbounds.nonprivate_floors import corrected_nonprivate


def lone_record_sensitivity(n, lam):
    """|w~ - w~'| of the data sets with (1, +1) or (1, -1) and n - 1 records (0, 0)."""
    return 4.0 / n / (2.0 / n + lam)


def test_the_floor_for_every_lambda_is_below_the_infimum_and_above_a_cheaper_mechanism():
    """Two routes: (2 n mu)^(-2/3) - 1/(4n) by algebra, the infimum on a grid; half of the noise would break it."""
    for n in (10**6, 10**10, 10**14):
        epsilon = n**-0.5
        floor, mu = theorem3.least_excess(n, epsilon, 1e-15), gaussian.mu(epsilon, 1e-15)
        infimum = min(max(p * ((lam / (2.0 * p + lam)) ** 2 + (lone_record_sensitivity(n, lam) / mu) ** 2)
                          for p in (1.0, *(min(1.0, c * lam) for c in np.linspace(0.3, 1.0, 15))))
                      for lam in np.geomspace(0.1, 100.0, 2_000) * (n * epsilon) ** (-2.0 / 3.0))  # fmt: skip
        assert floor <= infimum <= (1.2 if n == 10**6 else 1.01) * floor
        assert theorem3.least_excess(n, 2.0 * epsilon, 1e-15) < 0.7 * infimum


def test_the_statement_on_algorithm_3_has_the_floor_and_the_remark_of_the_code():
    for t, a, b in ((10.0, 3, 0), (1e3, 3, 0), (1e5, 3, 0), (1e3, 0, 2), (1e3, 1, 1)):
        n, epsilon, radius, at = t**6, t**-a, t**b, {"t": t, "a": a, "b": b}
        assert theorem3.REMARK.number("excess", **at) <= theorem3.least_excess(n, epsilon, n**-2.0, radius)
        assert theorem3.REMARK.number("remark", **at) == pytest.approx(
            theorem3.remark_rate(n, epsilon, n**-2.0, radius)
        )
    n = 10**8  # at r = n^(1/6) epsilon^(2/3) Theorem 3 implies the remark up to logarithms: the floor is below it
    for a in (0.0, 0.25):
        at = n, n**-a, n**-2.0, n ** (1.0 / 6.0 - 2.0 * a / 3.0)
        assert theorem3.least_excess(*at) < theorem3.remark_rate(*at)


def test_at_a_large_radius_algorithm_3_is_beyond_the_remark_at_epsilon_1():
    """The sensitivity and the two costs at λ from minimisers themselves; `test_papers_notes` has the instances."""
    n, r, mu = 10**6, 50.0, gaussian.mu(1.0, 1e-5)
    costs = []
    for lam in np.geomspace(1e-7, 1e4, 3_000):
        x, p = 0.5 * lam * r, min(1.0, 0.5 * lam * r**2)
        near, far = x / (x**2 + 0.5 * lam), ((n - 1) * x - 1.0) / ((n - 1) * x**2 + 1.0 + 0.5 * n * lam)
        moved = near - far if lam * r**2 <= 2.0 else 0.0
        assert near <= r and abs(far) <= r
        costs.append(max(p * (0.5 * lam / (p / r**2 + 0.5 * lam)) ** 2, (moved / mu) ** 2))
    assert theorem3.least_excess(n, 1.0, 1e-5, r) <= min(costs) < 2.0 * theorem3.least_excess(n, 1.0, 1e-5, r)


def test_the_reduction_draws_one_record_more_than_m_times_as_seldom_as_said():
    """Null: frequency = P(Bin(n, 1/n) > m); 5 standard deviations, 6e-7; an error of a quarter is seen."""
    family, m, missed = theorem4.resampled(2_000, 4, 0.1)
    assert missed == pytest.approx(sum(binom.pmf(k, 2_000, 1.0 / 2_000) for k in range(m + 1, 40)), rel=1e-9)
    rng, runs = np.random.default_rng(0), 400_000
    often = float(np.mean(rng.binomial(2_000, 1.0 / 2_000, runs) > m))
    error = 5.0 * math.sqrt(missed * (1.0 - missed) / runs)
    assert abs(often - missed) < error < 0.25 * missed
    assert missed <= (1.0 - math.exp(-m * 0.1)) / 16.0  # Lemma 1's condition on delta
    assert family.floor == packing(2_000, 4, 0.1 * m, missed, radius=0.5).floor


@pytest.mark.parametrize("shape", [1.0 / 16.0, 0.5, 3.0])
def test_equation_20_by_quadrature_over_mu(shape):
    """The beta-binomial sums again, as integrals over μ of binomial sums; and the square that (20) leaves out."""
    n, rng = 3, np.random.default_rng(1)
    v = rng.random(n + 1)

    def given(mu):
        chance = binom.pmf(np.arange(n + 1), n, mu)
        return float(chance @ (v - mu) ** 2), float(chance @ (v * (np.arange(n + 1) - n * mu)))

    def mean(part):  # μ = t^(1/shape)-like ends are tamed by the substitution through the law's quantile
        return quad(lambda u: given(float(beta_law.ppf(u, shape, shape)))[part], 0.0, 1.0, limit=400)[0]

    error, correlation = theorems6_11.moments(v, shape)
    assert error == pytest.approx(mean(0), rel=1e-5) and correlation == pytest.approx(mean(1), rel=1e-4, abs=1e-7)
    left = 1.0 / (4.0 * (1.0 + 2.0 * shape)) - correlation / shape
    whole = math.lgamma(2 * shape) - 2 * math.lgamma(shape) - math.lgamma(n + 2 * shape)
    weights = [
        math.comb(n, k) * math.exp(math.lgamma(k + shape) + math.lgamma(n - k + shape) + whole) for k in range(n + 1)
    ]
    assert error - left == pytest.approx(sum(w * (x - 0.5) ** 2 for w, x in zip(weights, v, strict=True)), rel=1e-9)


def test_the_majority_is_the_best_rule_and_its_risk_a_sum_over_labels():
    """Every deterministic rule on n = 3 labels, by enumeration: none has a smaller mean excess over both signs."""
    n, rho = 3, 0.4
    labels = list(itertools.product((-1, 1), repeat=n))
    chance = [math.prod(0.5 * (1.0 + rho * y) for y in some) for some in labels]
    flipped = [math.prod(0.5 * (1.0 - rho * y) for y in some) for some in labels]
    risks = [
        0.5 * sum(p * rho * (1.0 - w) + q * rho * (1.0 + w) for p, q, w in zip(chance, flipped, rule, strict=True))
        for rule in itertools.product((-1.0, 0.0, 1.0), repeat=len(labels))
    ]
    assert min(risks) == pytest.approx(table1.majority_risk(n, rho))


def test_a_constant_that_grows_along_one_axis_refutes_a_lemma(context):
    """Planted: the needed constant multiplied by ten a step along ε; and a bound that is only scaled stays."""
    _, evidence = measured(lemma7.lemma7_corrected, context)
    assert evidence.margin is not None and evidence.margin > 0.0
    rows = [dict(zip(evidence.rows, values, strict=True)) for values in zip(*evidence.rows.values(), strict=True)]
    assert all(row["constant at least"] == max(lemma7._LEAST, row["at least"] / row["bound"]) for row in rows)
    scaled = [row | {k: 40.0 * row[k] for k in ("constant", "constant at least")} for row in rows]
    assert lemma7._held(scaled, 1, "").margin > 0.0
    grown = []
    for row in rows:
        place = sum(other["axis"] == row["axis"] for other in grown)
        factor = 10.0**place if row["axis"] == "1/epsilon" else 1.0
        grown.append(row | {k: factor * row[k] for k in ("constant", "constant at least")})
    assert lemma7._held(grown, 1, "").margin < 0.0


@pytest.mark.parametrize(
    ("bound", "shrink"),
    [(theorem13.whole_bound_corrected, 0.01), (theorem13.perturbed_bound, 0.003)],
)
def test_theorem_13s_bounds_shrunk_are_refuted(bound, shrink, monkeypatch):
    monkeypatch.setattr(theorem13, "SIZES", (20_000,))
    with RunContext(level="quick", seed=0, workers=1) as context:
        assert measured(bound, context)[0] == "not refuted"
        assert measured(bound, context, shrink)[0] == "refuted"


SLOPE = math.sqrt(3.0) - 1.0


def two_slopes(m, smoothness, rho, z):
    """The risk of the prediction z where ψ(z) is met with probability (1 + ρ)/2 and ψ(−z) otherwise, X = Y = 1."""
    slope = SLOPE * math.sqrt(smoothness)
    corner = m / math.sqrt(smoothness) - 2.0 * rho * slope / ((1.0 + rho) * smoothness)
    risk = 0.0
    for share, at in ((0.5 * (1.0 + rho), z), (0.5 * (1.0 - rho), -z)):
        left = max(0.0, slope - smoothness * max(0.0, at - corner))
        risk += share * (left**2 / (2.0 * smoothness) + slope * max(0.0, corner - at))
    return risk


@pytest.mark.parametrize("n", [1, 7, 100, 10_001])
@pytest.mark.parametrize("m", [1e-4, 1e-2, 0.3, 1.0])
@pytest.mark.parametrize("smoothness", [0.5, 50.0])
def test_corrected_theorem_16_is_below_its_construction_wherever_one_predicts(n, m, smoothness):
    """Total variation of n signs by both tails; no prediction serves both signs better than zero."""
    rho = min(0.5 / math.sqrt(n), m / (2.0 * SLOPE))
    best = m / math.sqrt(smoothness)
    least = two_slopes(m, smoothness, rho, best)
    zero = two_slopes(m, smoothness, rho, 0.0) - least
    law = [binom(n, 0.5 * (1.0 + sign * rho)) for sign in (1, -1)]
    kept = zero * (1.0 - float(law[0].sf(n // 2) - law[1].sf(n // 2)))
    stated = corrected_nonprivate(n, theorem="16", radius=best, smoothness=smoothness)
    assert stated <= kept < 3.0 * stated
    assert two_slopes(m, smoothness, rho, 0.0) <= 1.0  # the loss at zero is at most Y^2
    for z in np.linspace(-2.0, 2.0, 101):
        risks = [two_slopes(m, smoothness, rho, s * float(z) * best) - least for s in (1.0, -1.0)]
        assert min(risks) >= -1e-12 and sum(risks) >= 2.0 * zero * (1.0 - 1e-9)
