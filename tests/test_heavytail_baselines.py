"""Baselines of the heavy-tailed family, and its real data."""

from __future__ import annotations

import numpy as np
import pytest

from dpbench import datasets_heavytail
from dpbench.heavytail.baselines import ClippedSubgradient, least_absolute_deviations, truncated_estimator
from dpbench.heavytail.truncation import truncated_risk
from dpbench.problems_heavytail import HeavyTailedProblem
from dpbench.validation import InvalidInput


def problem(n: int = 200) -> HeavyTailedProblem:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, 3))
    return HeavyTailedProblem(X, X @ (0.3, -0.2, 0.1) + 0.1 * rng.standard_t(1.5, n), radius=1.0)


def test_least_absolute_deviations_is_optimal() -> None:
    """0 is a subgradient: |Σ_{r≠0} sign(r)x_i| is at most Σ_{r=0} |x_i|, coordinate by coordinate."""
    p = problem()
    w = least_absolute_deviations(p)
    r = p.residuals(w)
    on = np.abs(r) < 1e-9
    assert on.sum() >= p.d
    assert np.all(np.abs(np.sign(r[~on]) @ p.X[~on]) <= np.abs(p.X[on]).sum(axis=0) + 1e-9)
    assert all(p.empirical_risk(w) <= p.empirical_risk(w + 1e-3 * e) for e in (*np.eye(3), *-np.eye(3)))


def test_truncated_estimator_improves_on_its_start() -> None:
    p = problem()
    start, w = least_absolute_deviations(p), truncated_estimator(p, 3.0)
    assert truncated_risk(p, w, 3.0) <= truncated_risk(p, start, 3.0)
    assert np.linalg.norm(w - (0.3, -0.2, 0.1)) < 0.1


def test_clipped_subgradient_learns_and_hides_a_record() -> None:
    p = problem(5000)
    w = ClippedSubgradient(8.0, clip=1.5).sample(p, 16)
    assert p.empirical_risk(w).mean() < 0.9 * p.empirical_risk(np.zeros(3))
    # The mean subgradient of a step moves by at most 2C/n, which the noise is scaled to.
    q = p.replace_record(0, 1e9 * np.ones(3), -1e9)
    clip = 1.5
    means = []
    for data in (p, q):
        shrink = np.minimum(1.0, clip / np.linalg.norm(data.X, axis=1))
        means.append(np.sign(data.y) @ (data.X * shrink[:, None]) / data.n)
    assert np.linalg.norm(means[0] - means[1]) <= 2.0 * clip / p.n * (1.0 + 1e-12)
    assert ClippedSubgradient(0.7).guarantee(p).epsilon(0.0) == 0.7
    with pytest.raises(InvalidInput, match=r"^steps must be"):
        ClippedSubgradient(1.0, steps=0)


@pytest.mark.parametrize(("name", "n"), [("401ksubs", 9275), ("meps", 10_089)])
def test_real_sets_load(name: str, n: int) -> None:
    p = datasets_heavytail.load(name)
    assert (p.n, p.d) == (n, 4) and p.theta == 1.5
    top = np.sort(np.abs(p.y))[-n // 20 :]
    hill = 1.0 / np.mean(np.log(top / top[0]))
    assert 1.2 < hill < 4.0  # heavy tails: few moments of the response are finite
    with pytest.raises(InvalidInput, match=r"^name must be one of"):
        datasets_heavytail.load("meps2")
