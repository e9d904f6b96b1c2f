"""How near the instances tried come to breaking an entry: the ratio to the bound, and the instance, from evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_PAIRS = (("guaranteed_delta", "target_delta"), ("chance", "allowed"), ("failures", "allowed"), ("excess", "proved"),
          ("excess", "bound"), ("measured", "ceiling"))  # fmt: skip
"""Columns whose quotient is a value over its bound, in the order in which they are looked for."""
_MARGINS = ("margin", "random", "extreme", "directed")
"""Columns of relative margins, of which the smallest counts."""
_BESIDE = {"standard error", "skewness", "ceiling", "over ceiling", "zero predictor", "floor printed", "floor exact",
           "floor tight", "closed form", "data sets", "ratio", "upper"}  # fmt: skip
_TOLD = 4  # columns of the instance that are told


@dataclass(frozen=True)
class Nearest:
    """The instance that comes nearest to breaking an entry.

    Attributes
    ----------
    ratio : float
        Value over bound there; 1 would be the bound itself.
    instance : dict
        The first columns of its row.
    """

    ratio: float
    instance: dict[str, Any]

    def __str__(self) -> str:
        told = ", ".join(f"{name} = {_text(value)}" for name, value in self.instance.items())
        return f"{self.ratio:.3g} ({told})" if told else f"{self.ratio:.3g}"


def nearest(evidence: Mapping[str, Any]) -> Nearest | None:
    """The row of an entry's evidence with the largest ratio of what is bounded to its bound.

    Parameters
    ----------
    evidence : mapping
        `Evidence.to_dict()`. Looked for are, in this order, the columns ``floor`` and ``error`` of a lower bound,
        ``left`` and ``right``, and `_PAIRS`, and columns of margins; without any the entry's smallest margin gives
        the ratio, without a row.

    Returns
    -------
    Nearest or None
        None where the evidence has neither such columns nor a margin.
    """
    tables = evidence.get("tables", {}).values()
    series, ratios, used = next(((t, *found) for t in tables if (found := _ratios(t))[0]), ({}, [], ()))
    if not ratios:
        margin = evidence.get("margin")
        return None if margin is None or not math.isfinite(float(margin)) else Nearest(1.0 - float(margin), {})
    place = max(range(len(ratios)), key=ratios.__getitem__)
    row = {name: column[place] for name, column in series.items() if name not in used and name not in _BESIDE}
    return Nearest(ratios[place], dict(list(row.items())[:_TOLD]))


def _ratios(series: Mapping[str, Sequence[Any]]) -> tuple[list[float], tuple[str, ...]]:
    if {"floor", "error"} <= set(series):
        return _quotients(series["floor"], series["error"]), ("floor", "error")
    if {"left", "right"} <= set(series):
        pairs = zip(series["left"], series["right"], strict=True)
        # as margins are: 1 - (right - left)/|right|, which for a negative right is not left/right
        found = [1.0 - (b - a) / abs(b) if b else math.nan for a, b in _numbers(pairs)]
        return ([] if any(map(math.isnan, found)) else found), ("left", "right", "margin")
    for value, bound in _PAIRS:
        if {value, bound} <= set(series):
            return _quotients(series[value], series[bound]), (value, bound)
    used = tuple(name for name in _MARGINS if name in series)
    if used and all(isinstance(x, (int, float)) for name in used for x in series[name]):
        rows = zip(*(series[name] for name in used), strict=True)
        return [1.0 - min(map(float, row)) for row in rows], used
    return [], ()


def _quotients(values: Sequence[Any], bounds: Sequence[Any]) -> list[float]:
    pairs = _numbers(zip(values, bounds, strict=True))
    return [value / bound if bound > 0.0 else 0.0 for value, bound in pairs]


def _numbers(pairs: Any) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in pairs]


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
