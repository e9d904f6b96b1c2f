"""Bounds on a loss at single points: inputs over all scales, corners, and a search from the worst."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import margins
from dpbench.ledger.measurement import Context, Evidence
from dpbench.papers.glm import losses
from dpbench.papers.glm.losses import Loss

_ROUNDS = 12
_STEP = 0.5  # of the first round of the directed search, in decades; halved each round

Sides = Callable[[Loss, np.ndarray, np.ndarray, np.ndarray, np.ndarray], tuple[Any, Any]]


def losses_over_scales() -> tuple[Loss, ...]:
    """Every smooth non-negative loss, those with a parameter over its scales."""
    kappas, ends = (0.01, 0.3, 1.0, 10.0), (0.01, 1.0, 30.0)
    return (
        losses.squared(),
        losses.half_squared(),
        losses.logistic(),
        *(losses.huber(kappa) for kappa in kappas),
        *(losses.capped_linear(end) for end in ends),
    )


def smallest_margins(context: Context, sides: Sides, lemma: str) -> dict[str, list[Any]]:
    """For each loss the smallest (right − left)/right over random points, corners, and a search from the worst."""
    size = context.pick(quick=4_000, full=40_000)
    rows: dict[str, list[Any]] = {name: [] for name in ("loss", "parameter", "random", "extreme", "directed")}
    for loss in losses_over_scales():
        rng = stream(context.seed, lemma, loss)
        logs = rng.uniform(-4.0, 4.0, (size, 3))
        inside = rng.random((size, 3))
        signs = rng.choice([-1.0, 1.0], size)
        cosine = rng.uniform(-1.0, 1.0, size)
        at_random = _margins(loss, sides, logs, inside, signs, cosine)
        corner = np.ones((size, 3))
        along = rng.choice([-1.0, 1.0], size)
        at_corner = _margins(loss, sides, logs, corner, signs, along)
        best, worst = logs[np.argsort(at_corner)[:64]], float(at_corner.min())
        for turn in range(_ROUNDS):
            moved = np.repeat(best, 24, axis=0)
            moved = np.clip(moved + rng.normal(0.0, _STEP * 0.5**turn, moved.shape), -6.0, 6.0)
            count = moved.shape[0]
            signs, along = rng.choice([-1.0, 1.0], (2, count))
            found = _margins(loss, sides, moved, np.ones((count, 3)), signs, along)
            best, worst = moved[np.argsort(found)[:64]], min(worst, float(found.min()))
        row = (loss.name, loss.parameter, float(at_random.min()), float(at_corner.min()), worst)
        for name, value in zip(rows, row, strict=True):
            rows[name].append(value)
    return rows


def over_inputs(context: Context, sides: Sides, lemma: str, *notes: str, add: str = "") -> Evidence:
    """Evidence of an inequality from `smallest_margins`; `add` continues the note on the value."""
    rows = smallest_margins(context, sides, lemma)
    tried = len(rows["loss"]) * (2 * context.pick(quick=4_000, full=40_000) + _ROUNDS * 64 * 24)
    first = f"value: the smallest relative margin (right - left)/right over all inputs tried{add}"
    return margins(rows, first, *notes, margin=least(rows), trials=tried)


def least(rows: dict[str, list[Any]]) -> float:
    """The least of the margins that `smallest_margins` gives."""
    return float(np.min([rows[kind] for kind in ("random", "extreme", "directed")]))


def point(
    loss: Loss, logs: np.ndarray, fractions: np.ndarray, signs: np.ndarray, cosine: np.ndarray
) -> tuple[Any, ...]:
    """‖X‖, ‖Y‖, B, and a record and weights inside them: ‖x‖, z = ‖w‖‖x‖cos, y as fractions of the bounds."""
    x_bound, y_bound, radius = 10.0**logs.T
    if loss.binary:
        y_bound = np.ones_like(y_bound)
        fractions = np.column_stack((fractions[:, 0], np.ones(len(fractions)), fractions[:, 2]))
    elif loss.parameter > 0.0:  # the scale where the loss bends is the interesting one
        y_bound = loss.parameter * y_bound
    x, y, w = x_bound * fractions[:, 0], signs * y_bound * fractions[:, 1], radius * fractions[:, 2]
    at_zero = np.sqrt(loss.value(np.zeros_like(y_bound), y_bound))
    return x_bound, at_zero, radius, x, w * x * cosine, y


def _margins(loss: Loss, sides: Sides, *where: np.ndarray) -> np.ndarray:
    left, right = sides(loss, *where)
    return 1.0 - left / right
