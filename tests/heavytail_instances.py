"""Small instances for the tests of the heavy-tailed family's kernels."""

from __future__ import annotations

import numpy as np

from dpbench.papers.heavytail.problem import HeavyTailedProblem


def quarters(theta: float) -> int:
    return {2.0: 8, 1.75: 7, 1.5: 6, 1.25: 5}.get(theta, 0)


def heavy_tailed(d: int, *, n: int = 60, theta: float = 2.0, exact: float = 0.5, seed: int = 2) -> HeavyTailedProblem:
    """Student's t with 1.5 degrees of freedom; a share `exact` of the responses fits a lattice point."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(1.5, (n, d))
    noise = np.where(rng.random(n) < exact, 0.0, rng.standard_t(1.5, n))
    return HeavyTailedProblem(X, X @ np.full(d, 0.25) + noise, radius=1.0, theta=theta)
