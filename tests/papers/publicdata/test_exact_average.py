"""Algorithm 2 in exact arithmetic: the law of its ω, and the stability of what is computed."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from dpbench.core.bits import Source
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms import exact_average


def test_the_normals_of_algorithm_2_are_normal_and_finer_than_single_draws() -> None:
    """Kolmogorov–Smirnov on 50,000 draws: null N(0, 1), level 1e-6; a scale off by 5% is caught (planted)."""
    xi = exact_average.normals(Source(np.random.default_rng(5)), (250, 200)).ravel()
    assert stats.kstest(xi, "norm").pvalue > 1e-6
    assert stats.kstest(1.05 * xi, "norm").pvalue < 1e-6
    steps = xi * 2.0**40
    assert np.mean(steps != np.rint(steps)) > 0.99


def test_stability_of_what_is_computed_is_above_the_ideal_one_and_by_little() -> None:
    """A minimiser that misses by γ: two thresholds of nearly one objective lie far apart, and ρ pays for it."""
    ideal = theory.averaged_stability(1000, 0.5, 0.3, 64, 0.005)
    gap = exact_average.oracle_gap(1000, 20, 0.5, 0.0)
    computed = exact_average.computed_stability(1000, 20, 0.5, 0.3, 64, 0.005, gap)
    assert ideal < computed < 1.1 * ideal
    assert exact_average.computed_stability(1000, 20, 0.5, 0.3, 64, 0.005, 1e-3) > 1.5 * ideal
    rng = np.random.default_rng(6)
    lost, m, eta, gap = 0.0, 2, 1.0, 1e-3  # F = {(1, 1), (-1, -1)} on Z: the worst within γ is the other one
    for xi in rng.standard_normal((20_000, m)):
        lost += 4.0 * (2.0 * eta / math.sqrt(m) * abs(xi.sum()) <= gap)
    assert lost / 20_000 <= 4.0 * math.sqrt(2.0 * math.sqrt(2.0 / math.pi) * gap * math.sqrt(m) / eta)
