"""Coordinates of a net's lattice along which the risk curves nearly independently: they steer the tree sampler.

Gram–Schmidt on the features, the largest first, weighted as the kinks of the risk lie about its minimiser: each
feature has its regression on those before it taken away. On the lattice the same elimination is a shear by rounded
multiples (`_lattice_kernels`), which maps the lattice onto itself: the law of the sampler stays that of the net.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpbench.papers.heavytail.algorithms.net import Net
from dpbench.papers.heavytail.problem import HeavyTailedProblem

WORTH = 0.2
"""Least log-volume that the shear must save, for the features to be sheared at all."""

NOISE = 1e-6
"""Mean residual, relative to the mean response, below which residuals are rounding errors and carry no weights."""

_STEPS = 15
_PART = 20_000
_TINY = 1e-80


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Lattice coordinates t of the points k of a net: k[order] = lift(t, shear).

    Attributes
    ----------
    order : ndarray of int, shape (d,)
        The axis that takes each place.
    shear : ndarray, shape (d, d)
        M, strictly upper triangular, entries in [−1, 1].
    """

    order: np.ndarray
    shear: np.ndarray

    def limits(self, net: Net) -> np.ndarray:
        """T, shape (d,): |t_j| ≤ T_j for every point of the net."""
        m, rows = net.resolution, self.shear
        length = np.sqrt(1.0 + (rows**2).sum(axis=1)) if net.domain == "ball" else 1.0 + np.abs(rows).sum(axis=1)
        return np.where(rows.any(axis=1), np.ceil(m * length) + 1.0, m).astype(np.int64)

    def features(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x' and a bound on the sizes of what it was computed from, shape (d, n): ⟨x, k⟩ = Σ_j x'_j·(t_j + e_j)."""
        ordered = np.ascontiguousarray(columns[self.order])
        sizes = np.abs(ordered)
        for j in range(len(ordered)):
            ordered[j + 1 :] += self.shear[j, j + 1 :, None] * ordered[j]
            sizes[j + 1 :] += np.abs(self.shear[j, j + 1 :, None]) * sizes[j]
        return ordered, sizes

    def real(self, w: np.ndarray) -> np.ndarray:
        """The coordinates, without rounding, of a point w, shape (d,)."""
        ordered = w[self.order]
        return ordered - self.shear @ ordered


def decorrelated(gram: np.ndarray) -> Coordinates:
    """The coordinates that a curvature calls for, shape (d, d); the lattice's own axes where it is nearly diagonal."""
    d = len(gram)
    left, order, shear = gram.astype(float).copy(), np.arange(d), np.zeros((d, d))
    first = np.maximum(np.diag(gram), 1e-300)
    gained = 0.0
    for j in range(d):
        pivot = j + int(np.argmax(np.diag(left)[j:]))
        for table in (left, left.T, shear.T):
            table[[j, pivot]] = table[[pivot, j]]
        order[[j, pivot]] = order[[pivot, j]]
        scale = left[j, j]
        if scale > 1e-12 * first[order[j]]:
            ratios = np.clip(-left[j, j + 1 :] / scale, -1.0, 1.0)
            shear[j, j + 1 :] = ratios
            left[j + 1 :, j + 1 :] -= np.outer(left[j + 1 :, j], left[j, j + 1 :]) / scale
        gained += math.log(first[order[j]] / max(scale, 1e-12 * first[order[j]]))
    return Coordinates(order, shear) if gained > WORTH else Coordinates(np.arange(d), np.zeros((d, d)))


def minimiser(problem: HeavyTailedProblem, radius: float, iota: float) -> tuple[np.ndarray, np.ndarray]:
    """A point near the least-absolute-deviations fit in the domain, and how the risk curves about it.

    They steer, and carry no guarantee. Iteratively reweighted least squares with weights 1/max(|r_i|, a thousandth
    of their mean): on a part of the records first, on all of them last. The curvature is the second moment of the
    records that ι does not truncate, weighted by how likely their kink is to pass near the fit.
    """
    w = np.zeros(problem.d)
    stride = -(-problem.n // _PART)
    for step in range(_STEPS):
        every = stride if step < _STEPS - 3 else 1
        X, y = problem.X[::every], problem.y[::every]
        r = np.abs(y - X @ w)
        mean = float(r.mean())
        if mean > _TINY:
            scale = 1.0 / np.maximum(r, 1e-3 * mean + 1e-300)
        else:  # residuals of no size: weights in units of their mean, which do not overflow
            scale = 1.0 / np.maximum(r / mean, 1e-3) if mean > 0.0 else np.ones_like(r)
        weighted = X * scale[:, None]
        gram = weighted.T @ X
        gram[np.diag_indices_from(gram)] += 1e-12 * np.trace(gram) + 1e-300
        w = np.linalg.solve(gram, weighted.T @ y)
        size = np.linalg.norm(w) if problem.domain == "ball" else np.abs(w).max()
        w *= min(1.0, radius / size) if size > 0.0 else 1.0
    r = np.abs(problem.y - problem.X @ w)
    near = iota * r < 1.0
    if not near.any():
        return w, np.eye(problem.d)
    X, r = problem.X[near], r[near]
    typical = max(r.mean(), NOISE * np.abs(problem.y[near]).mean())
    lengths = np.linalg.norm(X, axis=1)
    # in units of their typical sizes: records of any scale neither overflow nor vanish
    far, long = r / (typical or 1.0), lengths / (np.median(lengths) or lengths.max() or 1.0)
    unit = X / (lengths.max() or 1.0)
    return w, (unit / ((far + 0.05) * np.maximum(long, 1.0))[:, None]).T @ unit
