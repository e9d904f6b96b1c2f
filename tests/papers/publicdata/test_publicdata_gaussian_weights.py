"""Gaussian weights of RRSPM: the bound with the number of labellings, derived again without any code of ours."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM, patterns
from dpbench.papers.publicdata.hypotheses.line import Thresholds
from dpbench.papers.publicdata.hypotheses.sklearn import LinearEstimator
from dpbench.papers.publicdata.problem import PublicDataProblem
from lowerbounds import parity_cube


def tail(x: float) -> float:
    return 0.5 * math.erfc(x / math.sqrt(2.0))


def pair_delta(epsilon: float, mu: float) -> float:
    """δ(ε) of N(0, 1) against N(μ, 1): Balle & Wang 2018, Theorem 5."""
    return tail(epsilon / mu - 0.5 * mu) - math.exp(epsilon) * tail(epsilon / mu + 0.5 * mu)


def union_scale(m: int, epsilon: float, delta: float, patterns: float) -> float:
    """The s at which N times the profile of a pair 2√m/s apart is δ, by bisection."""
    low, high = 1e-3, 1e9
    for _ in range(200):
        middle = math.sqrt(low * high)
        within = patterns * pair_delta(epsilon, 2.0 * math.sqrt(m) / middle) <= delta
        low, high = (low, middle) if within else (middle, high)
    return high


def winners(labels: np.ndarray, gaps: np.ndarray, scale: float) -> np.ndarray:
    """P(row v of `labels` minimises gaps[v] + Σ ξ_i·1[v_i = 1]), ξ ~ N(0, s²) at two points, by a sum over a grid."""
    z = np.linspace(-8.0, 8.0, 321)
    mass = np.exp(-0.5 * z * z)
    mass /= mass.sum()
    one, two = np.meshgrid(scale * z, scale * z, indexing="ij")
    costs = np.stack([g + one * (v[0] > 0) + two * (v[1] > 0) for v, g in zip(labels, gaps, strict=True)])
    weight = np.outer(mass, mass).ravel()
    return np.bincount(costs.argmin(axis=0).ravel(), weights=weight, minlength=len(labels))


@pytest.mark.few(1)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_every_class_on_two_points_is_within_its_bound(epsilon: float) -> None:
    """All classes of at least two labellings, all pairs of scores a record can make, exact laws on a grid.

    Caught: a bound without the number N, at scales where the labellings are rare.
    """
    square = np.array(list(itertools.product((-1.0, 1.0), repeat=2)))
    tightest = 0.0
    for size in (2, 3, 4):
        for rows in itertools.combinations(range(4), size):
            labels = square[list(rows)]
            for scale in (1.5 / epsilon, 3.0 / epsilon):
                bound = size * pair_delta(epsilon, 2.0 * math.sqrt(2.0) / scale)
                for record in itertools.product((0.0, 1.0), repeat=size):
                    laws = [winners(labels, np.array(record) * sign + (np.arange(size) > 0) * 2.0, scale)
                            for sign in (1.0, -1.0)]  # fmt: skip
                    reached = np.maximum(laws[0] - math.exp(epsilon) * laws[1], 0.0).sum()
                    assert reached <= bound + 0.02  # the grid's own error
                    tightest = max(tightest, reached / bound)
    assert tightest > 0.02


def test_the_number_of_labellings_is_needed() -> None:
    """The parity cube at d = m = 4,096: without N the bound would promise less than its exact profile."""
    m = 4096
    cube = parity_cube(m)
    scale = union_scale(m, 1.0, 1e-5, 1.0)
    assert cube.least_scale("gaussian", 1.0, 1e-5) > 5.0 * scale
    assert union_scale(m, 1.0, 1e-5, 2.0**900) > 0.3 * m


@pytest.mark.parametrize(("m", "d"), [(100, 1), (10_000, 1), (100_000, 10)])
def test_the_scale_is_the_smaller_of_two(m: int, d: int) -> None:
    """Against the twin, and against the closed form: 0.133 m at (d = 1, m = 1e4), 0.096 m at (10, 1e5)."""
    log_patterns = d * math.log(math.e * m / d)
    got = theory.rrspm_gaussian_scale(m, 1.0, 1e-5, log_patterns)
    alone = theory.rrspm_gaussian_scale(m, 1.0, 1e-5)
    assert got == pytest.approx(min(alone, union_scale(m, 1.0, 1e-5, math.exp(log_patterns))), rel=1e-6)
    assert 1.5 * m < alone < 2.1 * m
    # Closed form, from p/p' <= exp(mu sqrt(2 log(1/p)) + mu^2/2) for every winner with p > delta/N.
    root = log_patterns + math.log(1e5)
    closed = math.sqrt(2.0 * m) * (math.sqrt(root) + math.sqrt(root + 1.0))
    assert got <= closed
    if m > 100:
        assert closed / m == pytest.approx({1: 0.133, 10: 0.096}[d], rel=0.06) and got > 0.8 * closed


def test_the_closed_form_holds_for_normal_tails() -> None:
    """hazard² ≤ 2 log(1/P) for the normal tail, whose integral is P(x > z) ≤ e^{μ√(2 log(1/P)) + μ²/2} P(x > z + μ)."""
    for z in np.linspace(-8.0, 30.0, 400):
        p = tail(float(z))
        hazard = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi) / p
        assert hazard**2 <= -2.0 * math.log(p)


def test_the_mechanism_takes_the_smaller_scale() -> None:
    points = np.linspace(0.0, 1.0, 2000)
    problem = PublicDataProblem(points[:50], np.ones(50), points, hypotheses=Thresholds(), loss="zero-one")
    mechanism = RRSPM(1.0, 1e-5, noise="gaussian")
    assert patterns(problem) == pytest.approx(math.log(2001))
    assert mechanism.scale(problem) == pytest.approx(union_scale(2000, 1.0, 1e-5, 2001.0), rel=1e-6)
    assert mechanism.scale(problem) < 0.25 * theory.rrspm_gaussian_scale(2000, 1.0, 1e-5)
    assert mechanism.guarantee(problem).delta(1.0) <= 1e-5
    assert mechanism.guarantee(problem).delta(1.0) > 0.99e-5
    weaker = RRSPM(1.0, 1e-5, noise="gaussian", noise_scale=0.9 * mechanism.scale(problem))
    assert weaker.guarantee(problem).delta(1.0) > 1e-5


def test_a_class_of_unknown_size_keeps_the_bound_for_all() -> None:
    from sklearn.linear_model import LogisticRegression

    points = np.random.default_rng(0).standard_normal((20, 2))
    problem = PublicDataProblem(
        points, np.ones(20), points, hypotheses=LinearEstimator(LogisticRegression(), 2), loss="zero-one"
    )
    assert patterns(problem) == math.inf
