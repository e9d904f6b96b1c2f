"""Huber's loss over a ball by Newton's method on its quadratic pieces: the minimiser itself, not the end of a limit.

g(θ) = Σ counts_i·h(r_i) + ½θᵀAθ + ⟨b, θ⟩ with r = Mθ + e is a quadratic wherever no |r_i| passes 1 (h is r²/2 up to 1
and |r| − 1/2 beyond). A step goes to the minimiser over the ball of the quadratic that g is at θ, by the secular
equation, or as far in that direction as g falls. Where a whole step ends in the same quadratic, that is the minimiser
of g: usually after a few steps, in the place of the hundred that a barrier takes.
"""

from __future__ import annotations

import numpy as np

from dpbench.papers.publicdata.hypotheses._ball_kernels import solve_secular

_STEPS = 40
_HALVINGS = 12
_FEW = 4  # records for each one that changed, from which on the change is what is added up
_FLAT = 1e-3  # of the slope at the start: a step ends where the slope along it is at most this
_DISTINCT = 1e-9  # relative curvature, or slope, below which the minimiser might not be the only one


def newton_on_pieces(
    features: np.ndarray,
    shift: np.ndarray,
    counts: np.ndarray,
    bend: np.ndarray,
    slope: np.ndarray,
    radius: float,
    enough: float,
) -> np.ndarray | None:
    """θ, shape (k,), the minimiser; None where the steps do not end at one, or there may be others.

    Parameters
    ----------
    features, shift, counts : ndarray, shape (N, k), (N,), (N,)
        M, e and the counts.
    bend, slope : ndarray, shape (k, k), (k,)
        A, positive semidefinite, and b.
    radius : float
        Of the ball.
    enough : float
        A bound on the gap ⟨∇g, θ⟩ + radius·‖∇g‖, which is at least g(θ) less the least value.
    """
    theta, r, curved = np.zeros(len(slope)), shift, np.zeros(len(counts), dtype=bool)
    hessian, bends, settled = bend, slope, False
    z, multiplier = np.empty((1, len(slope))), np.empty(1)
    for _ in range(_STEPS):
        gradient = (counts * np.clip(r, -1.0, 1.0)) @ features + bend @ theta + slope
        before, curved = curved, np.abs(r) < 1.0
        changed = curved != before
        if settled and not changed.any():
            steepest = float(np.linalg.norm(gradient))
            distinct = max(radius * bends[0], steepest) > _DISTINCT * (radius * bends[-1] + steepest)
            return theta if distinct and gradient @ theta + radius * steepest <= enough else None
        hessian = _curvature(features, counts, bend, hessian, curved, changed)
        bends, axes = np.linalg.eigh(hessian)
        solve_secular(bends, (gradient @ axes - bends * (theta @ axes))[np.newaxis], radius, z, multiplier)
        step = axes @ z[0] - theta
        length = _length(r, features @ step, counts, float(step @ bend @ step), float(gradient @ step))
        theta, settled = theta + length * step, length == 1.0
        r = features @ theta + shift
    return None


def _curvature(
    features: np.ndarray,
    counts: np.ndarray,
    bend: np.ndarray,
    before: np.ndarray,
    curved: np.ndarray,
    changed: np.ndarray,
) -> np.ndarray:
    """Second derivative of the quadratic in which the records `curved` are: of another one, or from nothing."""
    if _FEW * np.count_nonzero(changed) < len(changed):
        rows = features[changed]
        return before + (rows.T * np.where(curved, counts, -counts)[changed]) @ rows
    if curved.all():
        return (features.T * counts) @ features + bend
    rows = features[curved]
    return (rows.T * counts[curved]) @ rows + bend


def _length(r: np.ndarray, moved: np.ndarray, counts: np.ndarray, bent: float, at_start: float) -> float:
    """1, or how far g falls along a step, along which r moves by `moved`: where its slope is 0, nearly."""

    weights = counts * moved
    level = at_start - weights @ np.clip(r, -1.0, 1.0)

    def slope(t: float) -> float:
        return float(weights @ np.clip(r + t * moved, -1.0, 1.0)) + t * bent + level

    if slope(1.0) <= _FLAT * abs(at_start):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope(middle) <= 0.0 else (low, middle)
    return low if low > 0.0 else high
