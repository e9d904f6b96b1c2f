"""Gaussian weights of RRSPM: the bound with the number of labellings, derived again without any code of ours."""

import math

import numpy as np
import pytest
from naive.lowerbounds import gaussian_delta

from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM, patterns
from dpbench.papers.publicdata.hypotheses.line import Thresholds
from dpbench.papers.publicdata.hypotheses.sklearn import LinearEstimator
from dpbench.papers.publicdata.problem import PublicDataProblem


def union_scale(m, epsilon, delta, patterns):
    """The s at which N times the profile of a pair 2√m/s apart is δ, by bisection."""
    low, high = 1e-3, 1e9
    for _ in range(200):
        middle = math.sqrt(low * high)
        within = patterns * gaussian_delta(epsilon, 2.0 * math.sqrt(m) / middle) <= delta
        low, high = (low, middle) if within else (middle, high)
    return high


@pytest.mark.parametrize(("m", "d"), [(100, 1), (10_000, 1), (100_000, 10)])
def test_the_scale_is_the_smaller_of_two(m, d):
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


def test_the_mechanism_takes_the_smaller_scale():
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


def test_a_class_of_unknown_size_keeps_the_bound_for_all():
    from sklearn.linear_model import LogisticRegression

    points = np.random.default_rng(0).standard_normal((20, 2))
    problem = PublicDataProblem(
        points, np.ones(20), points, hypotheses=LinearEstimator(LogisticRegression(), 2), loss="zero-one"
    )
    assert patterns(problem) == math.inf
