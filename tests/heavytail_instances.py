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


THETAS, IOTAS = (2.0, 1.75, 1.5, 1.25, 1.1), (0.25, 1.0, 0.3, 4.0)


def on_lattice(
    rng: np.random.Generator, n: int, low: np.ndarray, high: np.ndarray, spacing: float, iota: float, *,
    exact: bool = False, domain: str = "ball",
) -> HeavyTailedProblem:  # fmt: skip
    """Features with ties, in part huge; residuals of 0, and but for `exact` of ψ's joints, at points of the box."""
    shape = n, len(low)
    kinds = [
        rng.choice([0.0, 1.0, -1.0, 0.5, 2.0], shape),
        rng.uniform(-5.0, 5.0, shape),
        rng.uniform(-1e6, 1e6, shape),
    ]
    X = np.choose(rng.integers(0, 2 if exact else 3, shape), kinds)
    k = low if exact else rng.integers(low, high + 1, shape)
    joint = 0.0 if exact else rng.choice([0.0, 1.0 / iota, -1.0 / iota, 0.5 / iota, 1e3], n)
    y, theta = spacing * (X * k).sum(axis=1) + joint, float(rng.choice(THETAS))
    return HeavyTailedProblem(X, y, radius=1.0, theta=theta, domain=domain)
