"""A second derivation of every row of weight statement or range; here those of heavy tails and of public data.

Formulas are written out here from the papers; nothing of the two families' code is used but the list of claims.
"""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr, ndtri
from scipy.stats import binom

from dpbench.papers.glm.theorems import paper as glm
from dpbench.papers.heavytail.theorems import paper as heavytail
from dpbench.papers.publicdata.theorems import paper as publicdata

SECOND = {
    "heavytail.thm1.inequality.large-epsilon": "test_nine_records_choose_the_wrong_sign",
    "heavytail.thm2.inequality.large-epsilon": "test_nine_records_choose_the_wrong_sign",
    "publicdata.thm6.rate": "test_the_average_of_two_functions_is_nearest_to_a_third",
    "publicdata.thm4.inequality": "test_privacy_and_accuracy_ask_for_different_m",
    "publicdata.thm6.inequality": "test_many_calls_answer_the_worst_function",
    "publicdata.thm4.inequality.one-class": "test_blocks_and_groups_of_the_one_class_by_simulation",
    "publicdata.thm4.inequality.confidence": "test_two_points_by_simulation",
    "publicdata.thm4.privacy.gaussian-drawn": "test_the_parity_given_drawn_points_by_simulation",
    "publicdata.thm7.inequality.powers-laplace": "test_tails_of_laplace_sums_by_the_saddlepoint",
    "publicdata.thm7.inequality.sample-size-laplace": "test_tails_of_laplace_sums_by_the_saddlepoint",
    "publicdata.thm10.inequality": "test_tails_of_laplace_sums_by_the_saddlepoint",
    "publicdata.thm4.privacy": "test_the_parity_of_the_cube",
    "publicdata.lemma3.privacy": "test_one_public_point",
    "publicdata.lemma9.privacy": "test_one_public_point",
    "publicdata.thm3.inequality": "test_records_that_privacy_asks_for",
    "publicdata.thm7.inequality": "test_records_that_privacy_asks_for",
    "glm.lemma5.stability": "test_lemma5_closed_forms_are_the_enumerated_expectations",
    "glm.thm1.privacy": "test_theorem_1_suffices_up_to_36_and_not_beyond",
    "glm.thm10.privacy": "test_theorem_10_far_out_by_quadrature",
    "glm.thm3.inequality.low-dimension.algorithm-3":
        "test_the_floor_for_every_lambda_is_below_the_infimum_and_above_a_cheaper_mechanism",
    "glm.thm7.inequality.constants": "test_theorem_7_has_the_unit_of_y_where_that_of_its_square_is_needed",
    "glm.thm4.floor.d1": "test_in_one_dimension_no_data_set_exceeds_the_ceiling_of_the_noisy_sign",
    "glm.cor3.inequality": "test_the_gap_of_a_rare_record_is_that_of_a_grid",
}  # fmt: skip
"""Row to the test that derives it by another route."""
CLAIMS = {claim.id: claim for each in (glm, heavytail, publicdata) for claim in each.claims}
DELTA = 1e-5
LOG = math.log(1.0 / DELTA)


def test_every_row_of_weight_statement_or_range_has_a_second_route():
    assert set(SECOND) == {name for name, claim in CLAIMS.items() if claim.weight in ("statement", "range")}
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert [test for test in SECOND.values() if f"def {test}(" not in tests] == []


def psi(x, theta):
    """(6) and (16) on x ≥ 0."""
    size = np.minimum(x, 1.0)
    return -np.log(1.0 - size + size**theta / theta)


@pytest.mark.parametrize("theta", [2.0, 1.5])
@pytest.mark.parametrize("printed", [True, False])
def test_nine_records_choose_the_wrong_sign(theta, printed):
    """x = 1, y = ±1 with chances 0.55 and 0.45, n = 9, W = [−1, 1], ζ = 1e-4, ε = 1e13, both readings of ι and weight.

    L(w) − L(1) = 0.1(1 − w). A hundred times the bound without sampling terms is below 0.2, and the output is at the
    end of the empirical majority, wrong with chance P(Bin(9, 0.55) ≤ 4) = 0.379, above the 4η and 5η allowed.
    """
    n, zeta, epsilon, eta = 9, 1e-4, 1e13, 0.05
    iota = (math.log(n) * math.log(1.0 / eta) / (n * epsilon)) ** (1.0 / theta) / (1.0 if printed else 2.0)
    w = np.linspace(-1.0, 1.0, 20_001)
    spread = 0.55 * 2.0**theta
    private = 8.0 * math.log(theta) * math.log(w.size / eta) / (n * iota * epsilon)
    bound = 3.0 * zeta + 2.0 * (2.0 * iota) ** (theta - 1.0) / theta * (1.25 * spread + zeta**theta) + private
    missed = 0.0
    for ones in range(n + 1):
        score = ones * psi(iota * (1.0 - w), theta) + (n - ones) * psi(iota * (1.0 + w), theta)
        logs = -epsilon / math.log(theta) * score * (1.0 if printed else 0.5)
        mass = np.exp(logs - logs.max())
        missed += float(binom.pmf(ones, n, 0.55) * mass[0.1 * (1.0 - w) > 100.0 * bound].sum() / mass.sum())
    assert missed == pytest.approx(float(binom.cdf(4, n, 0.55)), abs=1e-3) and missed > 5.0 * eta


def test_the_printed_iota_hides_rare_records():
    """θ = 3/2, d = 1, ε = 1: x = y = M = 4/ι with chance p, else x = pM/2 and y = 0; by sums over w, not by bounds.

    Given K rare records the density is ∝ exp(−c(Kψ(4|1 − w|) + (n − K)ψ(ιa|w|))), c = ε/(2 log θ) or ε/log θ.
    The share of (19), with Δ = 2 in it, is what the errata page says, and grows.
    """
    theta, eta = 1.5, 0.05
    side = np.geomspace(1e-30, 1.0, 40_001)
    w = np.concatenate([-side[::-1], [0.0], side])
    width = np.gradient(w)
    shares = []
    for n in (1e6, 1e12, 1e24):
        ratio = math.log(n) * math.log(1.0 / eta) / n
        iota = ratio ** ((theta - 1.0) / theta)  # as printed
        size = 4.0 / iota
        chance = 0.99 * size**-theta
        common = 0.5 * chance * size
        assert chance * size**theta + (1.0 - chance) * common**theta <= 1.0  # E|x|^θ, and E|y|^θ with it
        excess = chance * size * (1.0 - w) + (1.0 - chance) * common * (np.abs(w) - 1.0)
        for weight in (0.5 / math.log(theta), 1.0 / math.log(theta)):
            for away in (-6.0, 6.0):
                rare = n * chance + away * math.sqrt(n * chance)
                score = rare * psi(4.0 * np.abs(1.0 - w), theta) + (n - rare) * psi(iota * common * np.abs(w), theta)
                logs = np.log(width) - weight * score
                mass = np.exp(logs - logs.max())
                mass /= mass.sum()
                assert mass[np.abs(w) <= 0.1].sum() > 0.999
        least = float(excess[np.abs(w) <= 0.1].min())
        shares.append(least / (2.0 * ratio ** ((theta - 1.0) / theta)))
    assert shares[0] == pytest.approx(0.6, abs=0.1) and shares[1] == pytest.approx(5.4, rel=0.1), shares
    assert shares[2] == pytest.approx(480.0, rel=0.1)
    consequence = CLAIMS["heavytail.thm2.inequality.assumption4-truncation"].consequence
    assert "0.6 at n = 1e6, 5.4 at 1e12 and 480 at 1e24" in consequence


def test_the_average_of_two_functions_is_nearest_to_a_third():
    """Values on (a, b, c, z*), weights (1, 1, 1, 6)/9: g1 = (−1, −1, 1, 1), g2 = (1, 1, 1, 1), h = (0, 0, 0, 1).

    y = (1, −1, 1), so g1 and g2 err on one of three, h by half everywhere: 1/6 more. By plain simulation at n = 1e4 and
    1e8: counts, J = 1000 perturbed calls (fewer than (128) asks for), noise γ of (127) on the public points.
    """
    table = np.array([[-1.0, -1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
    risks = 0.5 * np.abs(table[:, :3] - [1.0, -1.0, 1.0]).mean(axis=1)
    assert risks - risks.min() == pytest.approx([0.0, 0.0, 1.0 / 6.0])
    rng = np.random.default_rng(1)
    weights, sigma, lipschitz, log = np.array([1.0, 1.0, 1.0, 6.0]) / 9.0, 1.0 / 3.0, 0.5, math.log(20.0)
    for n in (10**4, 10**8):
        alpha = n ** (-1.0 / 14.0)
        m = math.ceil(8.0 * log * lipschitz**2 / (sigma * alpha) ** 2)
        gamma, chosen = sigma * alpha / (lipschitz * math.sqrt(log)), []
        for _ in range(200):
            counts = np.maximum(rng.multinomial(m, weights), 1)
            shares = rng.multinomial(n, [1.0 / 3.0] * 3) / n
            loss = 0.5 * np.abs(table[:, :3] - [1.0, -1.0, 1.0]) @ shares
            process = rng.standard_normal((1000, 4)) * np.sqrt(counts / m) @ table.T  # Σ ξ_i f(Z_i)/√m
            average = table[(loss + alpha * process).argmin(axis=1)].mean(axis=0)
            noisy = average + gamma * rng.standard_normal(4) / np.sqrt(counts)
            chosen.append(int((counts * (noisy - table) ** 2).sum(axis=1).argmin()))
        assert float(np.mean(risks[chosen] - risks[0])) == pytest.approx(1.0 / 6.0, abs=0.01), n


def test_the_parity_of_the_cube():
    """All sign vectors of d bits; the parity costs 0, or 2, whose neighbour it is. By enumeration of the 2^d functions.

    The parity that is charged stays with chance 1/2 before, and P(min|ξ| > 2)/2 after. So ε = −d log P(|ξ| > 2) but for
    δ, at a standard deviation of 2√(2m log(1.25/δ)), C = 2.86: 10.6 at d = m = 4096, and 0.165 at m = d².
    """
    rng = np.random.default_rng(2)
    functions = np.array(list(itertools.product((0.0, 1.0), repeat=6)))
    odd = functions.sum(axis=1) % 2.0
    noise = 9.0 * rng.standard_normal((40_000, 6))
    for charge in (0.0, 2.0):
        kept = odd[(noise @ functions.T + charge * odd).argmin(axis=1)].mean()
        expected = 0.5 * (1.0 if charge == 0.0 else float(2.0 * ndtr(-2.0 / 9.0)) ** 6)
        assert kept == pytest.approx(expected, abs=0.013)  # 5 standard deviations; charge 1 for 2 is off by 0.1

    def epsilon(d, m):
        left = d * (math.log(2.0) + float(log_ndtr(-1.0 / math.sqrt(2.0 * m * math.log(1.25 / DELTA)))))
        return math.log1p(-2.0 * DELTA) - left

    consequence = CLAIMS["publicdata.thm4.privacy"].consequence
    assert f"is {epsilon(4096, 4096):.1f}." in consequence and f"reaches {epsilon(4096, 4096**2):.3f}" in consequence


def test_privacy_and_accuracy_ask_for_different_m():
    """Closed forms for both: m ≥ (8/π)d²/(C²L), and m ≤ 8αεn/(C√(dL)); flips of a group by plain simulation."""
    rng = np.random.default_rng(3)
    group, scale, gap = 5, 3.0, 7.0
    flips = (scale * rng.standard_normal((100_000, group)).sum(axis=1) > gap).mean()
    assert flips == pytest.approx(float(ndtr(-gap / (scale * math.sqrt(group)))), abs=0.008)
    assert 8.0 * float(ndtr(-1.0)) == pytest.approx(1.27, abs=0.005)
    d, alpha, epsilon, beta, constant = 1e16, 0.125, 0.125, 0.05, 2.86
    n = d**2 / (epsilon * alpha**4) * math.sqrt(LOG) * math.log(1.0 / beta) * math.log(d) ** 3
    accurate = 8.0 * alpha * epsilon * n / (constant * math.sqrt(d * LOG))

    def broken(scale):  # 1/2 against exp(−d√(8/π)/s)/2, s large
        return 0.5 - 0.5 * math.exp(epsilon - d * math.sqrt(8.0 / math.pi) / scale) - DELTA

    safe = brentq(broken, 1e-2 * d / epsilon, 1e2 * d / epsilon)
    private = (safe * epsilon / constant) ** 2 / LOG
    assert private == pytest.approx(8.0 / math.pi * d**2 / (constant**2 * LOG), rel=1e-3)
    form = math.sqrt(d) * alpha**3 / (math.pi * constant * LOG * math.log(1.0 / beta) * math.log(d) ** 3)
    assert private / accurate == pytest.approx(form, rel=1e-3)
    claim = CLAIMS["publicdata.thm4.inequality"]
    assert "sqrt(d) exceeds a constant times C log(1/delta) log(1/beta)/alpha^3" in claim.consequence


def cut_delta(low, high, scale, epsilon):
    """max over half-lines of P − e^ε Q for N(low, s²) and N(high, s²) cut to [−1, 1], on a grid of ends."""
    ends = np.linspace(-1.0, 1.0, 4001)
    up = ndtr((high - ends) / scale) - math.exp(epsilon) * ndtr((low - ends) / scale)
    down = ndtr((ends - low) / scale) - math.exp(epsilon) * ndtr((ends - high) / scale)
    return float(max(up.max(), down.max()))


def test_one_public_point():
    """Constants in [−1, 1], m = 1: (87) at γ = 1, ρ = 0.1, by the event {−1}; (14) at ε = 1 over 100 ρ's."""
    exponent = 0.5 * (1.0 + math.sqrt(LOG)) * 0.1
    ratio = (float(ndtr(-1.9)) - math.exp(exponent) * float(ndtr(-2.0))) / DELTA
    assert cut_delta(0.9, 1.0, 1.0, exponent) / DELTA == pytest.approx(ratio, rel=1e-6)
    assert f"is {ratio:.0f} times" in CLAIMS["publicdata.lemma9.privacy"].consequence
    largest = 0.0
    for rho in np.linspace(0.005, 2.0, 100).tolist():
        gamma = 0.25 * (rho * math.sqrt(LOG) + math.sqrt(rho**2 * LOG + 8.0 * rho))  # 2γ² = ρ(1 + γ√L)
        largest = max(largest, cut_delta(1.0 - rho, 1.0, gamma, 1.0) / DELTA)
    assert largest == pytest.approx(245.0, rel=0.01)  # no ρ of the grid is 0.36
    assert "is 245 times" in CLAIMS["publicdata.lemma3.privacy"].consequence


def spread_needed(epsilon, delta):
    """The s at which 1/2 = P(1 + sN ≥ 1) ≤ e^ε P(−1 + sN ≥ 1) + δ: the event {1} alone, so a lower bound on s."""
    return -2.0 / float(ndtri((0.5 - delta) * math.exp(-epsilon)))


def test_records_that_privacy_asks_for():
    """One record moves f̄ from −φ to φ, s = 2γ√(ηn/m): (131) and (9) by the event {f̂ = φ} alone, α = 1/8, β = 0.05."""
    alpha, lipschitz, log = 0.125, 0.5, math.log(20.0)
    m = math.ceil(log * lipschitz**2 / alpha**2)
    gamma, eta = alpha / (lipschitz * math.sqrt(log)), alpha
    needed = (0.5 * spread_needed(0.01, 1e-7) / gamma) ** 2 * m / eta
    said = 100.0 * max(lipschitz**5 * log**2 / alpha**5, lipschitz**4 * (log**3 * math.log(1e7)) ** 0.5 / alpha**4)
    assert 112.0 < needed / said < 130.0  # by exact normals, where the entry has a lower bound
    assert "at least 112 times" in CLAIMS["publicdata.thm7.inequality"].consequence
    largest = 2.0 * alpha / float(ndtri(0.95))  # of γ/√m, that constants with labels 1 are within α of their best
    over = []
    for epsilon in (0.01, 0.001, 0.0001):
        least = (0.5 * spread_needed(epsilon, 1e-5 * epsilon) / largest) ** 2 / (2.0 * alpha)
        over.append(least * epsilon * alpha**5)
    assert over[0] < 1.0 < over[1] and over[2] == pytest.approx(10.0 * over[1], rel=0.01)
    assert "at and below epsilon = 0.001" in CLAIMS["publicdata.thm3.inequality"].consequence
