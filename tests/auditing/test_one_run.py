"""One-run audits: p-values against linear programs over mechanisms, validity, power, and bad input."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from naive import one_run as slow
from scipy.special import betainc
from scipy.stats import binom, norm

from dpbench import InvalidInput, audit_one_run
from dpbench.auditing import guesses, one_run
from dpbench.auditing import one_run_bounds as bounds

Rng = np.random.Generator


def response(included: np.ndarray, rng: Rng) -> np.ndarray:
    """Randomised response at ε = 1."""
    return included ^ (rng.random(len(included)) < 1.0 / (1.0 + math.e))


# (ε, δ), any dependence

SMALL = [
    (2, 2, 2, 1.0, 0.05), (2, 1, 1, 0.5, 0.1), (3, 3, 3, 1.0, 0.05), (3, 3, 2, 0.7, 0.02), (3, 2, 2, 1.5, 0.01),
    (3, 1, 1, 1.0, 0.001), (3, 3, 3, 0.0, 0.01), (4, 4, 4, 0.5, 0.01), (4, 3, 3, 2.0, 1e-3), (3, 3, 3, 1.0, 0.0),
]  # fmt: skip


@pytest.mark.parametrize("case", SMALL)
def test_joint_is_the_optimum_over_all_mechanisms(case: tuple) -> None:
    """Nothing but the definition of (ε, δ) goes into the linear program; the formula is its optimum."""
    assert bounds.joint(*case) == pytest.approx(slow.best_mechanism(*case), rel=1e-6)


LARGE = [
    (20, 20, 17, 1.0, 1e-3), (40, 10, 9, 1.0, 1e-3), (50, 50, 42, 1.0, 1e-2), (50, 50, 45, 1.0, 1e-4),
    (60, 20, 18, 0.5, 1e-3), (30, 30, 30, 3.0, 1e-2), (80, 40, 30, 0.2, 1e-4),
]  # fmt: skip


@pytest.mark.parametrize("case", LARGE)
def test_joint_is_the_optimum_and_the_published_bound_is_above_it(case: tuple) -> None:
    *counts, epsilon, delta = case
    best, _ = slow.best_symmetric(*counts, [(epsilon, delta)])
    assert bounds.joint(*case) == pytest.approx(best, rel=1e-4, abs=1e-9)
    assert bounds.published(*case) > bounds.joint(*case)


def test_the_two_linear_programs_agree() -> None:
    for m, r, v, epsilon, delta in SMALL[:6]:
        best, _ = slow.best_symmetric(m, r, v, [(epsilon, delta)])
        assert best == pytest.approx(slow.best_mechanism(m, r, v, epsilon, delta), rel=1e-6)


def test_wrong_delta_terms_fall_below_the_optimum() -> None:
    """Planted: no δ, δ once for all canaries, δ for the guessed alone. The smallest error is 0.3% of p."""
    m, r, v, epsilon, delta = 40, 10, 9, 1.0, 1e-3
    best, _ = slow.best_symmetric(m, r, v, [(epsilon, delta)])
    for wrong in (0.0, delta / m, delta * r / m):
        assert bounds.joint(m, r, v, epsilon, wrong) < best * (1.0 - 3e-3)
    assert bounds.joint(m, r, v, epsilon, delta) >= best * (1.0 - 1e-6)


def test_published_is_the_theorems_formula() -> None:
    m, r, v, rate, delta = 30, 12, 9, 0.6, 1e-3
    mass = [math.comb(r, k) * rate**k * (1 - rate) ** (r - k) for k in range(r + 1)]
    worst = max(sum(mass[v - i : v]) / i for i in range(1, v + 1))
    expected = sum(mass[v:]) + 2 * m * delta * worst
    assert bounds.published(m, r, v, math.log(rate / (1 - rate)), delta) == pytest.approx(expected, rel=1e-12)


def test_without_delta_all_three_are_the_exact_binomial_tail() -> None:
    for right in range(11):
        exact = sum(math.comb(10, k) * 0.75**k * 0.25 ** (10 - k) for k in range(right, 11))
        for p_value in (bounds.joint, bounds.published, bounds.independent):
            assert p_value(40, 10, right, math.log(3.0), 0.0) == pytest.approx(exact, rel=1e-12)


def test_extremes_are_finite_and_ordered() -> None:
    for m, r, v, epsilon in ((10**5, 10**5, 10**5, 0.0), (10**5, 5000, 5000, 0.1), (10**4, 10**4, 10, 1.0)):
        p = bounds.joint(m, r, v, epsilon, 1e-5)
        assert 0.0 < p <= 1.0
    # All right, far beyond what the noise allows: δ is all that is left, once for the run (all coins given away).
    assert bounds.joint(10**4, 10**4, 10**4, 0.0, 1e-5) == pytest.approx(1e-5, rel=1e-3)


@pytest.mark.parametrize("right", [17, 19])
def test_the_bound_is_wrong_as_often_as_the_level_at_most_exactly(right: int) -> None:
    """No sampling: the worst mechanisms' own laws of V, from the linear program, for every v it may be made for.

    Planted: a bound that forgets δ is wrong more often than its level, for a level at which it is made at all.
    """
    m = r = 20
    epsilon, delta = 1.0, 0.01
    laws = [slow.best_symmetric(m, r, v, [(epsilon, delta)])[1] for v in range(12, r + 1)]

    def most_wrong(level: float, used: float) -> float:
        found = [guesses.epsilon_from_guesses(m, r, v, used, level) > epsilon for v in range(r + 1)]
        assert any(found)
        return max(float(law[found].sum()) for law in laws) / level

    level = bounds.joint(m, r, right, epsilon, delta) * (1.0 + 1e-4)
    assert 0.99 < most_wrong(level, delta) <= 1.0
    level = bounds.joint(m, r, right, epsilon, 0.0) * (1.0 + 1e-4)
    assert most_wrong(level, 0.0) > 1.04


def _false_bounds(audits: int) -> tuple[int, int]:
    """Wrong ones of `audits` at 95% on randomised response; and with the level spent whole on each size."""
    bound = functools.lru_cache(None)(guesses.epsilon_from_guesses)
    wrong = greedy = 0
    for seed in range(audits):
        found = audit_one_run(response, 256, confidence=0.95, seed=seed)
        wrong += found.epsilon_lower > 1.0
        flips = np.random.default_rng(seed).random(256) < math.e / (1.0 + math.e)
        greedy += max(bound(256, r, int(flips[:r].sum()), 0.0, 0.05) for r in (256, 64, 16)) > 1.0
    return wrong, greedy


@pytest.mark.slow
def test_false_bounds_are_within_the_level() -> None:
    """Null: at most 5% of 1,500 audits exceed the true ε; rejected at 1e-6, that is, beyond 118 (7.9%).

    Planted: the level spent whole on each of three numbers of guesses.
    """
    most = binom.isf(1e-6, 1500, 0.05)
    wrong, greedy = _false_bounds(1500)
    assert wrong <= most < greedy


@pytest.mark.evidence
def test_false_bounds_are_within_the_level_20_000_audits() -> None:
    most = binom.isf(1e-6, 20_000, 0.05)
    wrong, greedy = _false_bounds(20_000)
    assert wrong <= most < greedy


# Independent canaries, and Gaussian curves


def test_independent_is_the_enumerated_law() -> None:
    for case in [(4, 4, 3, 1.0, 0.1), (5, 3, 3, 0.5, 0.05), (6, 2, 1, 2.0, 0.3), (5, 5, 5, 0.0, 0.01)]:
        assert bounds.independent(*case) == pytest.approx(slow.given_away(*case), rel=1e-9)
        assert bounds.independent(*case) <= bounds.joint(*case) + 1e-12


def right_guesses(answers: np.ndarray, guesses: int) -> np.ndarray:
    """V of the `guesses` most confident, for signed answers (trials, m) that are right where positive."""
    chosen = np.argpartition(-np.abs(answers), guesses - 1, axis=1)[:, :guesses]
    return (np.take_along_axis(answers, chosen, axis=1) > 0.0).sum(axis=1)


@pytest.mark.slow
def test_order_statistics_against_simulation() -> None:
    """200,000 runs of the best guesser; Clopper-Pearson at 1e-6 each, and the upper sum loses under 2%.

    Planted: guesses counted as if they were not the most confident ones.
    """
    rng = np.random.default_rng(5)
    for m, r, mu, quantile in ((60, 20, 1.0, 0.9), (100, 10, 0.7, 0.95), (40, 30, 2.0, 0.98)):
        found = right_guesses(0.5 * mu + rng.standard_normal((200_000, m)), r)
        v = int(np.quantile(found, quantile))
        hits = int((found >= v).sum())
        p = bounds.gaussian_independent(m, r, v, mu)
        assert binom.sf(hits - 1, 200_000, p) > 1e-6
        assert binom.cdf(hits, 200_000, p / 1.02) > 1e-6
        assert binom.sf(hits - 1, 200_000, betainc(v, r - v + 1, norm.cdf(0.5 * mu))) < 1e-6


def test_all_guessed_is_the_binomial_of_the_gaussian_error() -> None:
    for v in (20, 28, 40):
        exact = binom.sf(v - 1, 40, norm.cdf(0.5))
        assert bounds.gaussian_independent(40, 40, v, 1.0) == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("mu", [0.5, 1.0, 2.0])
def test_the_recursion_holds_for_canaries_that_share_their_noise(mu: float) -> None:
    """A μ-GDP mechanism with one public size for all answers: its exact tail is never ruled out.

    Planted: the bound for independent canaries rules it out with ease, hence the option's warning.
    """
    m = 100
    for v in (70, 80, 90, 97):
        tail = slow.shared_size_tail(m, v, mu)
        assert not bounds.gaussian_joint_rules_out(m, m, v, np.array([mu]), tail)[0]
        if tail > 1e-3 and v > 100 * norm.cdf(0.5 * mu) + 8:
            assert bounds.gaussian_independent(m, m, v, mu) < 0.2 * tail


def test_the_recursion_is_near_the_optimum() -> None:
    """The level at which μ = 1 is ruled out, over the linear program with 15 points of the curve: below 1.35."""
    curve = [(t, norm.cdf(-t + 0.5) - math.exp(t) * norm.cdf(-t - 0.5)) for t in np.linspace(0.0, 5.0, 15)]
    for m, r, v in ((60, 60, 50), (60, 20, 19)):
        best, _ = slow.best_symmetric(m, r, v, curve)
        levels = np.linspace(0.5, 2.0, 61) * best
        out = [bool(bounds.gaussian_joint_rules_out(m, r, v, np.array([1.0]), a)[0]) for a in levels]
        assert not out[0] and out[-1]
        assert 0.95 < levels[out.index(True)] / best < 1.35


@pytest.mark.slow
def test_mu_is_valid_on_a_gaussian_sum_and_not_where_its_assumption_fails() -> None:
    """Null: of 4,000 runs at 95%, at most 5% exceed the true μ; rejected at 1e-6, that is, beyond 270 (6.8%).

    Planted: answers of one shared size, with `independent` claimed.
    """
    rng = np.random.default_rng(7)
    m, mu, most = 200, 1.0, binom.isf(1e-6, 4000, 0.05)
    above = functools.lru_cache(None)(lambda r, v, ind: guesses.mu_from_guesses(m, r, v, 0.05, ind) > mu)
    answers = 0.5 * mu + rng.standard_normal((4000, m))
    for r in (200, 50):
        found = right_guesses(answers, r)
        assert sum(above(r, int(v), False) for v in found) <= most
        assert 40 < sum(above(r, int(v), True) for v in found) <= most
    size = np.abs(0.5 * mu**2 + mu * rng.standard_normal((4000, 1)))
    shared = (rng.random((4000, m)) < 1.0 / (1.0 + np.exp(-size))).sum(axis=1)
    assert sum(above(m, int(v), False) for v in shared) <= most < sum(above(m, int(v), True) for v in shared)


def test_power_on_a_gaussian_sum() -> None:
    """1,000 orthogonal canaries, noise 1, δ = 1e-5, true μ = 1 and ε = 4.38, 95%: means over 10 runs."""
    rng = np.random.default_rng(3)
    found = right_guesses(0.5 + rng.standard_normal((10, 1000)), 250)
    epsilon = np.mean([guesses.epsilon_from_guesses(1000, 250, int(v), 1e-5, 0.05) for v in found])
    mu_any = np.mean([guesses.mu_from_guesses(1000, 250, int(v), 0.05) for v in found])
    mu_independent = np.mean([guesses.mu_from_guesses(1000, 250, int(v), 0.05, True) for v in found])
    assert 1.2 < epsilon < 1.6
    assert 0.48 < mu_any < 0.65 and 0.75 < mu_independent < 0.95


# The whole audit


def test_one_run_is_near_on_randomised_response() -> None:
    found = [audit_one_run(response, 400, confidence=0.9, seed=s, guesses=400).epsilon_lower for s in range(100)]
    assert 0.75 < np.mean(found) < 1.0


def test_one_run_refutes_and_says_so() -> None:
    found = audit_one_run(lambda inc, r: 3.0 * inc + r.laplace(size=len(inc)), 2_000, epsilon=1.0, delta=1e-6)
    assert found.verdict == "refuted" and found.trials == 2_000
    assert "guesses at 2000 canaries are right, in one run" in found.event
    assert found.certified is None and 0.0 < found.curve([1.0])[0] < found.curve([0.0])[0]


def test_assumptions_are_in_the_result() -> None:
    def sum_with_noise(included: np.ndarray, rng: Rng) -> np.ndarray:
        return included + rng.standard_normal(len(included))

    plain = audit_one_run(sum_with_noise, 500, epsilon=4.0, delta=1e-5, assume="gaussian")
    trusting = audit_one_run(sum_with_noise, 500, epsilon=4.0, delta=1e-5, assume="gaussian", independent=True)
    assert plain.assumptions == (one_run.COINS,)
    assert trusting.assumptions == (one_run.COINS, one_run.INDEPENDENT)
    assert plain.mu_lower is not None and trusting.mu_lower is not None
    assert 0.0 < plain.mu_lower < trusting.mu_lower < 1.2
    assert "500 canaries" in str(plain) and one_run.INDEPENDENT in str(trusting)
    assert trusting.to_dict()["assumptions"] == trusting.assumptions
    assert plain.verdict == "not refuted"  # epsilon_gaussian is no reason to refute
    assert audit_one_run(sum_with_noise, 500).mu_lower is None


def test_ties_say_nothing() -> None:
    """Constant scores in the order of the coins: broken by position they would give the coins away."""
    assert audit_one_run(lambda inc, r: np.zeros(len(inc)), 2_000, confidence=1 - 1e-6).epsilon_lower == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"canaries": 5}, "canaries must be an integer >= 10"),
        ({"guesses": 3}, "guesses must be even numbers from 2 to the 20 canaries"),
        ({"guesses": 22}, "guesses must be even numbers"),
        ({"guesses": []}, "guesses must be even numbers"),
        ({"guesses": "all"}, "guesses must be an integer"),
        ({"run": 3}, "run must be callable"),
        ({"run": lambda inc, r: np.zeros(3)}, r"must be numbers of shape \(20,\)"),
        ({"run": lambda inc, r: [[1.0], [2.0, 3.0]]}, r"must be numbers of shape \(20,\)"),
        ({"run": lambda inc, r: ["a"] * 20}, r"must be numbers of shape \(20,\)"),
        ({"run": lambda inc, r: 1 / 0}, "run raised ZeroDivisionError"),
        ({"assume": "laplace"}, "assume must be one of gaussian"),
        ({"independent": "yes"}, "independent must be True or False"),
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"delta": 1.0}, "delta must be"),
        ({"confidence": 1.0}, "confidence must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_one_run_refuses_bad_input(options: dict, message: str) -> None:
    given = {"run": response, "canaries": 20, **options}
    with pytest.raises(InvalidInput, match=message):
        audit_one_run(given.pop("run"), given.pop("canaries"), **given)
