"""An audit's test of itself: a leak planted in outputs of any kind, before they are encoded, must be found.

In half of some outputs of one data set a leaf is changed: numbers are shifted, texts and bytes grow. The audit's own
choice of an event, on columns by the layout of the audit, must then give a bound above 0. If it does not at the least
size, the size from which it does is said. Nothing here affects a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpbench.auditing.choose import choose
from dpbench.auditing.flatten import MISSING, Flat, Layout, Leaf
from dpbench.auditing.intervals import joint_region

LEAVES = 3  # that leaks are planted in, at most: of different kinds before more of one kind
SHIFTS = (1.0, 2.0, 4.0, 8.0, 16.0)  # of numbers, in interquartile ranges
SHARES = (0.25, 0.5, 1.0)  # of texts and bytes that grow
LEVEL = 0.05


def self_test(layout: Layout, outputs: Sequence[Any]) -> str:
    """What a leak planted in each of a few leaves has to be to be found, in words.

    Parameters
    ----------
    layout : Layout
    outputs : sequence
        Results of one side, before they were encoded.
    """
    flat = layout.flat(outputs)
    made = layout.of_flat(flat)
    if len(made) > 1 and bool(((made == made[:1]) | (np.isnan(made) & np.isnan(made[:1]))).all()):
        return "in all outputs of the data set that were looked at, what was read of them is the same"
    told = []
    for leaf in _some(layout.leaves):
        text = bool({"text", "bytes"} & set(leaf.kinds))
        size = next((s for s in (SHARES if text else SHIFTS) if _found(layout, flat, leaf, s)), None)
        if text:
            what = "not found" if size is None else f"found from {size:.0%} of the runs on"
            told.append(f"a word planted in {leaf.name} is {what}")
        else:
            what = "not found" if size is None else f"found from {size:g} interquartile ranges on"
            told.append(f"a shift planted in {leaf.name} is {what}")
    return "; ".join(told)


def _some(leaves: Sequence[Leaf]) -> list[Leaf]:
    """A few leaves that hold numbers, texts or bytes, of as many kinds as there are."""
    able = [leaf for leaf in leaves if {"number", "array", "text", "bytes"} & set(leaf.kinds) and not leaf.counted]
    able = [leaf for leaf in able if not any(step.startswith("#") for step in leaf.path)]
    first = {leaf.kinds: leaf for leaf in reversed(able)}
    return sorted(first.values(), key=able.index)[:LEAVES]


def _found(layout: Layout, flat: Sequence[Flat], leaf: Leaf, size: float) -> bool:
    half = len(flat) // 2
    if half < 10:
        return False
    values = [f.leaves.get(leaf.path, MISSING) for f in flat]
    rng = np.random.default_rng(0)
    step = size * _spread(values)
    planted = [
        Flat({**f.leaves, leaf.path: _changed(v, step, rng.random() < size)}, f.names, f.keys)
        if v is not MISSING
        else f
        for f, v in zip(flat[:half], values[:half], strict=True)
    ]
    one, other = (layout.of_flat(side) for side in (planted, flat[half : 2 * half]))
    both = np.concatenate([one, other])  # a column that the leak alone changes is not among those kept
    moves = ~((both == both[:1]) | (np.isnan(both) & np.isnan(both[:1]))).all(axis=0)
    if not moves.any():
        return False
    one, other = (side[:, moves][:, 0] if moves.sum() == 1 else side[:, moves] for side in (one, other))
    cut = max(5, 2 * half // 5)
    plan = choose(one[:cut], other[:cut], half - cut, 0.0, LEVEL, False)
    event = plan.main
    hits = [int(np.count_nonzero((plan.score(x[cut:]) >= event.threshold) == event.above)) for x in (one, other)]
    first, second = hits if event.forward else hits[::-1]
    return joint_region((first, second), (half - cut, half - cut), LEVEL, event.angle, 64).epsilon(0.0) > 0.0


def _spread(values: Sequence[Any]) -> float:
    numbers = [x for v in values for x in (np.ravel(v) if isinstance(v, np.ndarray) else [v]) if isinstance(x, float)]
    finite = np.array([x for x in numbers if np.isfinite(x)])
    spread = float(np.subtract(*np.percentile(finite, [75, 25]))) if len(finite) else 0.0
    return spread if spread > 0.0 else 1.0


def _changed(value: Any, step: float, grows: bool) -> Any:
    if isinstance(value, float | np.ndarray):
        return value + step
    if isinstance(value, str):
        return f"{value} planted" if grows else value
    if isinstance(value, bytes):
        return value + b"\x00\x01" if grows else value
    return value
