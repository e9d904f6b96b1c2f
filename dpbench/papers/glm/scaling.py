"""Tables whose columns each have declared bounds: scaled to ‖x‖ ≤ 1, |y| ≤ 1, whatever their units are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from dpbench.core import validation
from dpbench.core.csv_table import read_table
from dpbench.papers.glm.losses import Loss, resolve
from dpbench.papers.glm.problem import GLMProblem

Bounds = tuple[float, float]


def from_csv_scaled(
    path: str | Path,
    target: str,
    scale: Mapping[str, Bounds],
    loss: Loss | str = "squared",
    radius: float = 1.0,
) -> tuple[GLMProblem, float]:
    """A CSV file as a problem, every column scaled by bounds of its own.

    A column with bounds [low, high] becomes u = (2v − low − high)/(high − low), cut to [−1, 1]; a constant comes first,
    and x = (1, u_1, …, u_k)/√(k + 1), so that ‖x‖ ≤ 1. A label that is a number is scaled likewise, so that |y| ≤ 1.

    Parameters
    ----------
    path, target, loss, radius
        As in `dpbench.papers.glm.datasets.from_csv`.
    scale : mapping of str to (low, high)
        Of every feature, and of the target where the loss takes numbers. Promises about what a record can be, made
        before the records are seen: do not compute them from the file.

    Returns
    -------
    problem : GLMProblem
    share : float
        Of the records that lie outside the bounds in some column, and were cut.

    Raises
    ------
    InvalidInput
        For a file that cannot be read, a missing target, a column without bounds or bounds without a column.
    """
    chosen = resolve(loss)
    header, values = read_table(path)
    validation.choice("target", target, header)
    features = [name for name in header if name != target]
    needed = features if chosen.binary else header
    for name in needed:
        if name not in scale:
            raise validation.invalid("scale", f"bounds for each of {', '.join(needed)}", f"none for {name}")
    for name, (low, high) in scale.items():
        validation.choice("a column of scale", name, needed)
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise validation.invalid(f"scale of {name}", "two numbers, the lower one first", (low, high))
    labels = values[:, header.index(target)]
    u = _scaled(values[:, [header.index(name) for name in features]], [scale[name] for name in features])
    outside = (np.abs(u) > 1.0).any(axis=1)
    if chosen.binary:
        labels = np.where(labels == 0.0, -1.0, labels)
    else:
        labels = _scaled(labels[:, None], [scale[target]])[:, 0]
        outside |= np.abs(labels) > 1.0
    x = np.column_stack([np.ones(len(u)), np.clip(u, -1.0, 1.0)]) / math.sqrt(1 + len(features))
    y = labels if chosen.binary else np.clip(labels, -1.0, 1.0)
    problem = GLMProblem(x, y, loss=chosen, x_bound=1.0, y_bound=1.0, radius=radius, on_excess="clip")
    return problem, float(outside.mean())


def share_outside(path: str | Path, target: str, x_bound: float, y_bound: float, loss: Loss | str = "squared") -> float:
    """The share of a file's records with ‖x‖ > x_bound or, where the loss takes numbers, |y| > y_bound."""
    header, values = read_table(path)
    place = header.index(target)
    outside = np.linalg.norm(np.delete(values, place, axis=1), axis=1) > x_bound
    if not resolve(loss).binary:
        outside |= np.abs(values[:, place]) > y_bound
    return float(outside.mean())


def _scaled(values: np.ndarray, bounds: list[Bounds]) -> np.ndarray:
    low, high = np.array(bounds, dtype=float).T
    return np.asarray((2.0 * values - low - high) / (high - low))
