"""What right guesses rule out: p-values against linear programmes over mechanisms, laws by enumeration, inverses."""

import functools
import math

import numpy as np
import pytest
from naive import one_run as slow
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.special import betainc, ndtr
from scipy.stats import beta, binom, nbinom, norm

from dpbench import bounds

# (ε, δ), any dependence

SMALL = [
    (2, 2, 2, 1.0, 0.05), (2, 1, 1, 0.5, 0.1), (3, 3, 3, 1.0, 0.05), (3, 3, 2, 0.7, 0.02), (3, 2, 2, 1.5, 0.01),
    (3, 1, 1, 1.0, 0.001), (3, 3, 3, 0.0, 0.01), (4, 4, 4, 0.5, 0.01), (4, 3, 3, 2.0, 1e-3), (3, 3, 3, 1.0, 0.0),
]  # fmt: skip


@pytest.mark.parametrize("case", SMALL)
def test_joint_is_the_optimum_over_all_mechanisms(case):
    """Nothing but the definition of (ε, δ) goes into the linear program; the formula is its optimum."""
    assert bounds.one_run_p_value(*case) == pytest.approx(slow.best_mechanism(*case), rel=1e-6)


LARGE = [
    (20, 20, 17, 1.0, 1e-3), (40, 10, 9, 1.0, 1e-3), (50, 50, 42, 1.0, 1e-2), (50, 50, 45, 1.0, 1e-4),
    (60, 20, 18, 0.5, 1e-3), (30, 30, 30, 3.0, 1e-2), (80, 40, 30, 0.2, 1e-4),
]  # fmt: skip


@pytest.mark.parametrize("case", LARGE)
def test_joint_is_the_optimum_and_the_published_bound_is_above_it(case):
    *counts, epsilon, delta = case
    best, _ = slow.best_symmetric(*counts, [(epsilon, delta)])
    assert bounds.one_run_p_value(*case) == pytest.approx(best, rel=1e-4, abs=1e-9)
    assert bounds.one_run_p_value_published(*case) > bounds.one_run_p_value(*case)


def test_wrong_delta_terms_fall_below_the_optimum():
    """Planted: no δ, δ once for all canaries, δ for the guessed alone. The smallest error is 0.3% of p."""
    m, r, v, epsilon, delta = 40, 10, 9, 1.0, 1e-3
    best, _ = slow.best_symmetric(m, r, v, [(epsilon, delta)])
    for wrong in (0.0, delta / m, delta * r / m):
        assert bounds.one_run_p_value(m, r, v, epsilon, wrong) < best * (1.0 - 3e-3)
    assert bounds.one_run_p_value(m, r, v, epsilon, delta) >= best * (1.0 - 1e-6)


def test_published_is_the_theorems_formula():
    m, r, v, rate, delta = 30, 12, 9, 0.6, 1e-3
    mass = [math.comb(r, k) * rate**k * (1 - rate) ** (r - k) for k in range(r + 1)]
    worst = max(sum(mass[v - i : v]) / i for i in range(1, v + 1))
    expected = sum(mass[v:]) + 2 * m * delta * worst
    assert bounds.one_run_p_value_published(m, r, v, math.log(rate / (1 - rate)), delta) == pytest.approx(
        expected, rel=1e-12
    )


def test_without_delta_all_three_are_the_exact_binomial_tail():
    for right in range(11):
        exact = sum(math.comb(10, k) * 0.75**k * 0.25 ** (10 - k) for k in range(right, 11))
        for p_value in (
            bounds.one_run_p_value,
            bounds.one_run_p_value_published,
            functools.partial(bounds.one_run_p_value, independent=True),
        ):
            assert p_value(40, 10, right, math.log(3.0), 0.0) == pytest.approx(exact, rel=1e-12)


def test_extremes_are_finite_and_ordered():
    for m, r, v, epsilon in ((10**5, 10**5, 10**5, 0.0), (10**5, 5000, 5000, 0.1), (10**4, 10**4, 10, 1.0)):
        p = bounds.one_run_p_value(m, r, v, epsilon, 1e-5)
        assert 0.0 < p <= 1.0
    # All right, far beyond what the noise allows: δ is all that is left, once for the run (all coins given away).
    assert bounds.one_run_p_value(10**4, 10**4, 10**4, 0.0, 1e-5) == pytest.approx(1e-5, rel=1e-3)


@pytest.mark.parametrize("right", [17, 19])
def test_the_bound_is_wrong_as_often_as_the_level_at_most_exactly(right):
    """No sampling: the worst mechanisms' own laws of V, from the linear program, for every v it may be made for.

    Planted: a bound that forgets δ is wrong more often than its level, for a level at which it is made at all.
    """
    m = r = 20
    epsilon, delta = 1.0, 0.01
    laws = [slow.best_symmetric(m, r, v, [(epsilon, delta)])[1] for v in range(12, r + 1)]

    def most_wrong(level, used):
        found = [bounds.one_run_epsilon(m, r, v, used, level) > epsilon for v in range(r + 1)]
        assert any(found)
        return max(float(law[found].sum()) for law in laws) / level

    level = bounds.one_run_p_value(m, r, right, epsilon, delta) * (1.0 + 1e-4)
    assert 0.99 < most_wrong(level, delta) <= 1.0
    level = bounds.one_run_p_value(m, r, right, epsilon, 0.0) * (1.0 + 1e-4)
    assert most_wrong(level, 0.0) > 1.04


@pytest.mark.parametrize("wrong", [0, 3])
def test_a_run_is_wrong_as_often_as_its_level_at_most_exactly(wrong):
    """Randomised response at ε = 1, 400 coins: the law of the run's length is negative binomial, no sampling.

    Planted: a length read as if one more guess had been right.
    """
    rate, level = 1.0 / (1.0 + math.e), 0.01
    lengths = np.arange(wrong, 401)
    mass = nbinom.pmf(lengths - wrong, wrong + 1, rate)  # right guesses before the (wrong + 1)th wrong one
    mass[-1] += 1.0 - mass.sum()

    def failing(extra):
        out = [
            bounds.one_run_epsilon(400, int(r), int(min(r - wrong + extra, r)), 0.0, level) > 1.0 if r else False
            for r in lengths
        ]
        return float(mass[out].sum())

    assert 0.2 * level < failing(0) <= level
    if wrong:
        assert failing(1) > level


def test_deltas_invert_the_p_values():
    for m, r, v, epsilon, alpha in ((100, 100, 80, 0.5, 1e-3), (1000, 60, 60, 1.0, 1e-3), (400, 40, 40, 2.0, 0.01)):
        for independent in (False, True):
            delta = bounds.one_run_delta(m, r, v, epsilon, alpha, independent)
            assert 0.0 < delta < 1.0
            assert bounds.one_run_p_value(m, r, v, epsilon, delta, independent) == pytest.approx(alpha, rel=1e-6)
    for independent in (False, True):
        assert bounds.one_run_delta(100, 100, 55, 2.0, 1e-3, independent) == 0.0
    assert bounds.one_run_delta(100, 50, 0, 1.0, 0.1) == 0.0


# Independent canaries, and Gaussian curves


def test_independent_is_the_enumerated_law():
    for case in [(4, 4, 3, 1.0, 0.1), (5, 3, 3, 0.5, 0.05), (6, 2, 1, 2.0, 0.3), (5, 5, 5, 0.0, 0.01)]:
        assert bounds.one_run_p_value(*case, independent=True) == pytest.approx(slow.given_away(*case), rel=1e-9)
        assert bounds.one_run_p_value(*case, independent=True) <= bounds.one_run_p_value(*case) + 1e-12


def best_guesses(canaries, guesses, right, mu):
    """P(V >= v): given t, the largest |x| left out, with the density of an order statistic, guesses are binomial."""

    def weighted(t):
        beyond, other = ndtr(0.5 * mu - t), ndtr(-0.5 * mu - t)
        density = norm.pdf(t - 0.5 * mu) + norm.pdf(t + 0.5 * mu)
        order = beta.pdf(1.0 - beyond - other, canaries - guesses, guesses + 1)
        return order * density * binom.sf(right - 1, guesses, beyond / (beyond + other))

    middle = norm.isf(0.5 * guesses / canaries) + 0.5 * mu
    return quad(weighted, 0.0, 12.0 + mu, points=[middle], epsabs=0.0, epsrel=1e-10, limit=400)[0]


@pytest.mark.few(8)
@pytest.mark.parametrize(("m", "r"), [(2, 1), (6, 5), (60, 20), (100, 10), (40, 30), (5_000, 200)])
@pytest.mark.parametrize("mu", [0.02, 0.7, 2.0, 6.0])
def test_the_most_confident_guesses_have_the_law_of_order_statistics(m, r, mu):
    """From above, to 2%. Planted: guesses counted as if they were not the most confident ones."""
    for v in {1, r // 2 + 1, r - r // 10, r}:
        exact = best_guesses(m, r, v, mu)
        found = bounds.one_run_p_value_gaussian(m, r, v, mu)
        assert exact * (1.0 - 1e-8) <= found <= 1.02 * exact + 3e-9
        if 0.02 < exact < 0.5 and mu >= 0.7:
            assert betainc(v, r - v + 1, norm.cdf(0.5 * mu)) < 0.99 * exact
    assert bounds.one_run_p_value_gaussian(m, r, 0, mu) == 1.0


def test_all_guessed_is_the_binomial_of_the_gaussian_error():
    for v in (20, 28, 40):
        exact = binom.sf(v - 1, 40, norm.cdf(0.5))
        assert bounds.one_run_p_value_gaussian(40, 40, v, 1.0) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
def test_the_recursion_holds_for_canaries_that_share_their_noise(mu):
    """A μ-GDP mechanism with one public size for all answers: its exact tail is never ruled out.

    Planted: the bound for independent canaries rules it out with ease, hence the option's warning.
    """
    m = 100
    for v in (70, 80, 90, 97):
        tail = slow.shared_size_tail(m, v, mu)
        assert not bounds.one_run_rules_out_gaussian(m, m, v, np.array([mu]), tail)[0]
        if tail > 1e-3 and v > 100 * norm.cdf(0.5 * mu) + 8:
            assert bounds.one_run_p_value_gaussian(m, m, v, mu) < 0.2 * tail


def most_right(canaries, guesses, right, mu):
    """The largest P(V >= v) that the inequalities of arXiv 2410.22235 allow under μ-GDP, by a linear programme.

    Unknown are p_k = P(V = k). With A_j = Σ_{k>j} (k/m) p_k and B_j = Σ_{k≥j} ((r − k)/m) p_k they say B_j ≥
    Φ(Φ⁻¹(A_j) − μ) for j < v, a convex curve: 600 tangents.
    """
    m, r = canaries, guesses
    k = np.arange(r + 1)
    z = np.linspace(-6.0, 6.0, 600)
    slope, height = np.exp(mu * z - 0.5 * mu * mu), ndtr(z - mu)
    rows, limits = [], []
    for j in range(right):
        a, b = np.where(k > j, k / m, 0.0), np.where(k >= j, (r - k) / m, 0.0)
        rows.append(slope[:, None] * a - b)
        limits.append(slope * ndtr(z) - height)
    found = linprog(
        -(k >= right).astype(float), A_ub=np.concatenate(rows), b_ub=np.concatenate(limits),
        A_eq=np.ones((1, r + 1)), b_eq=[1.0], bounds=(0.0, 1.0), method="highs",
    )  # fmt: skip
    return float(-found.fun)


def least_ruled_out(rules_out, canaries, guesses, right, mu):
    """The level above which μ is ruled out."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        out = bool(rules_out(canaries, guesses, right, np.array([mu]), middle)[0])
        low, high = (low, middle) if out else (middle, high)
    return high


def test_the_mu_recursion_equals_a_linear_programme():
    """To 1e-3, on small cases. Planted: one guess more or less, which is off by 1% at least."""
    usual = bounds.one_run_rules_out_gaussian
    for m, r, v, mu in ((6, 6, 5, 0.5), (8, 6, 6, 1.0), (10, 4, 4, 0.7), (12, 10, 9, 0.4)):
        best = most_right(m, r, v, mu)
        assert best < 0.99
        assert least_ruled_out(usual, m, r, v, mu) == pytest.approx(best, rel=1e-3), (m, r, v, mu)
        for planted in (
            lambda m, r, v, mus, level: usual(m, r, v - 1, mus, level),
            lambda m, r, v, mus, level: usual(m + 1, r + 1, v + 1, mus, level),
        ):
            assert abs(least_ruled_out(planted, m, r, v, mu) / best - 1.0) > 0.01


@pytest.mark.parametrize(
    ("m", "r", "v", "mu"), [(1000, 100, 100, 0.1), (1000, 100, 100, 0.5), (1000, 100, 95, 0.3), (60, 50, 50, 0.2)]
)
def test_small_p_values_of_the_most_confident_guesses(m, r, v, mu):
    """From above, to 2%, down to 1e-26: no end of the grid is added as a constant."""
    exact = best_guesses(m, r, v, mu)
    assert exact < 1e-12
    assert exact * (1.0 - 1e-8) <= bounds.one_run_p_value_gaussian(m, r, v, mu) <= 1.02 * exact


def test_a_gaussian_one_run_audit_sees_at_any_confidence():
    assert bounds.one_run_p_value_gaussian(1000, 100, 100, 0.0) == pytest.approx(2.0**-100, rel=1e-9)
    levels = [1e-6, 1e-8, 1e-10, 1e-20]
    mus = [bounds.one_run_mu(1000, 100, 100, alpha, True) for alpha in levels]
    assert 0.1 < mus[3] < mus[2] < mus[1] < mus[0]
    for alpha, mu in zip(levels, mus, strict=True):
        assert 0.98 * alpha <= bounds.one_run_p_value_gaussian(1000, 100, 100, mu) <= alpha
    assert bounds.one_run_p_value_gaussian(10**4, 1000, 1000, 0.0) == pytest.approx(0.0, abs=1e-125)
