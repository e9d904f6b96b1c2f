"""Random and directed search for the small world with the least margin of an inequality."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.glm import losses
from dpbench.glm.claims.worlds import DataSets, Worlds, build
from dpbench.glm.losses import Loss
from dpbench.ledger.core import Context

ROUNDS = 6
SETTINGS = 2
"""Entries of θ beyond those of a world: what the inequality itself has as parameters."""

Margins = Callable[[Worlds, DataSets, np.ndarray, np.ndarray], np.ndarray]


def one_of_each_family() -> tuple[Loss, ...]:
    """One of each smooth non-negative family."""
    return (losses.squared(), losses.half_squared(), losses.logistic(), losses.huber(0.3), losses.capped_linear(0.5))


def search(context: Context, name: str, margins: Margins, shapes: tuple[tuple[int, ...], ...]) -> dict[str, list[Any]]:
    """Smallest margins for each shape (m, d, n, T) and loss: over random worlds, and by a search from the worst.

    ``margins(worlds, sets, settings, path)`` gives (right − left)/right for each world; `settings` has shape
    (I, `SETTINGS`), `path` shape (I, T − 1, d).
    """
    size = context.pick(quick=32, full=800)
    cases = [(shape, loss) for shape in shapes for loss in one_of_each_family()]
    found = context.map(
        {"what": f"smallest margins of {name}"},
        partial(search_case, margins, name, shapes, size, context.seed),
        range(len(cases)),
    )
    rows: dict[str, list[Any]] = {
        "loss": [loss.name for _, loss in cases],
        "parameter": [loss.parameter for _, loss in cases],
    }
    rows |= {key: [shape[k] for shape, _ in cases] for k, key in enumerate(("m", "d", "n", "T"))}
    return rows | {"random": [first for first, _ in found], "directed": [last for _, last in found]}


def worlds_tried(context: Context, shapes: tuple[tuple[int, ...], ...]) -> int:
    """How many worlds `search` evaluates."""
    return len(shapes) * len(one_of_each_family()) * context.pick(quick=32, full=800) * (1 + ROUNDS)


def search_case(
    margins: Margins, name: str, shapes: tuple[tuple[int, ...], ...], size: int, seed: int, block: int
) -> tuple[float, float]:
    """Smallest margin of one shape and loss: of the random worlds, and after the directed rounds."""
    m, d, n, steps = shapes[block // len(one_of_each_family())]
    loss = one_of_each_family()[block % len(one_of_each_family())]
    sets, rng = DataSets.all(m, n), stream(seed, name, m, d, n, steps, loss)
    theta = rng.normal(0.0, 2.0, (size, m * (d + 2) + 2 + SETTINGS))
    path = rng.standard_normal((size, steps - 1, d))
    smallest = []
    for turn in range(1 + ROUNDS):
        worlds = build(loss, theta[:, :-SETTINGS], m, d, n)
        found = margins(worlds, sets, theta[:, -SETTINGS:], path)
        smallest.append(float(found.min()))
        best = np.argsort(found)[: size // 8]
        theta, path = np.repeat(theta[best], 8, axis=0), np.repeat(path[best], 8, axis=0)
        moved = np.arange(len(theta)) % 8 > 0
        theta[moved] += rng.normal(0.0, 0.7**turn, theta.shape)[moved]
        path[moved] += rng.normal(0.0, 0.5 * 0.7**turn, path.shape)[moved]
    return smallest[0], min(smallest)
