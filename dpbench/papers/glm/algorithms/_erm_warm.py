"""A start for Newton's method that few of the records give; where it is wrong, only time is lost.

The first records alone find the minimiser up to a statistical error. For Huber's loss with a small κ (the smoothing of
the absolute loss) κ falls in stages; a record whose residual is far beyond κ has a slope of ±κ wherever the search goes
next, so that its part of the gradient is added up once and the record is left out of the passes that follow. What is
found is the start of a search over all records, which alone makes the certificate.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from dpbench.papers.glm.algorithms._erm_newton import newton
from dpbench.papers.glm.algorithms._erm_passes import Records
from dpbench.papers.glm.losses import Loss

_FALL = 0.1  # κ's factor from one stage of Huber's loss to the next
_STAGES = 20
FEW = 4096  # records from which a start is worth having, and a data set a search of its own
_SHARE = 16  # of the records, one in so many finds a start
_ROWS_A_COORDINATE = 16
_ACCURACY = 6  # so many times d·(max |y|/κ)² records predict well within κ of what all do
_REACH = 6.0  # residuals of so many κ may come to matter
_STEPS = 30


def stages(loss: Loss, y_bound: float) -> list[tuple[Loss, float]]:
    """Huber's losses with κ falling from about max |y| to above the loss's own, and κ over that; none for others."""
    if loss.smoothing is None or loss.parameter <= 0.0:
        return []
    top = y_bound / loss.parameter
    count = 0 if top <= 1.0 else min(_STAGES, math.ceil(math.log10(top)))
    factors = [_FALL**-stage for stage in range(count, 0, -1)]
    return [(loss.smoothing(factor * loss.parameter), factor) for factor in factors]


def warm_start(data: Records, loss: Loss, lam: float, radius: float, target: float) -> np.ndarray | None:
    """A point near the minimiser, from few records at a time; None where the records or their savings are few."""
    n, d = data.X.shape
    least = max(FEW // _SHARE, _ROWS_A_COORDINATE * d)
    if n < _SHARE * least or loss.quadratic:
        return None
    w = np.zeros(d)
    falling = stages(loss, data.y_bound)
    if len(falling) < 2:
        return newton(_first(data, max(least, n // _SHARE)), loss, lam, radius, target, w, _STEPS).w
    live = data
    for wide, factor in [*falling, (loss, 1.0)]:
        kappa = wide.parameter
        rows = max(least, math.ceil(_ACCURACY * d * (data.y_bound / kappa) ** 2))
        part = live = _first(data, rows) if rows < n // 2 else _live(data if live.n < n else live, w, kappa)
        coarse = max(target, 1e-2 * kappa / data.x_bound)
        w = newton(part, wide, factor * lam, radius, coarse, w, _STEPS).w
    return w


def _first(data: Records, rows: int) -> Records:
    return replace(data, X=data.X[:rows], y=data.y[:rows], n=rows)


def _live(data: Records, w: np.ndarray, kappa: float) -> Records:
    """The records with a residual of few κ; of the others the sum of sign(r_i)·x_i. All, if those are most."""
    residuals = data.X @ w - data.y
    near = np.flatnonzero(np.abs(residuals) <= _REACH * kappa)
    if near.size > data.y.size // 2:
        return data
    signs = np.sign(residuals)
    signs[near] = 0.0
    far = data.X.T @ signs / data.n
    return replace(data, X=data.X[near], y=data.y[near], far=far if data.far is None else far + data.far)
