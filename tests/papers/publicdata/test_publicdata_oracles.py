"""ERM oracles of classes with values ±1 against enumeration, in exact arithmetic, ties included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from naive import oracles
from planted import wrong

from dpbench.papers.publicdata import _finite_kernels, _line_kernels, _plane_kernels
from dpbench.papers.publicdata.hypotheses_cube import ParityCube
from dpbench.papers.publicdata.hypotheses_finite import FiniteClass
from dpbench.papers.publicdata.hypotheses_line import Intervals, Stumps, Thresholds
from dpbench.papers.publicdata.hypotheses_plane import GRID, Halfspaces
from dpbench.papers.publicdata.objective import Objective

pytestmark = pytest.mark.kernel

INSTANCES = 300 if numba.config.DISABLE_JIT else 2000


def line(rng: np.random.Generator, n: int) -> Any:
    return rng.integers(-3, 4, n).astype(float)


def space(rng: np.random.Generator, n: int) -> Any:
    return rng.integers(-2, 3, (n, 3)).astype(float)


def plane(rng: np.random.Generator, n: int) -> Any:
    return rng.integers(-2, 3, (n, 2)) / GRID


def general(rng: np.random.Generator, n: int) -> Any:
    return rng.uniform(-1.0, 1.0, (n, 2))


def numbers(rng: np.random.Generator, n: int) -> Any:
    return rng.integers(0, 6, n).astype(float)


SIGNS = np.where(np.random.default_rng(7).random((9, 6)) < 0.5, -1.0, 1.0)


def grid_points(points: np.ndarray) -> list[tuple[int, int]]:
    return [(round(x * GRID), round(y * GRID)) for x, y in points.tolist()]


CLASSES: dict[str, tuple[Any, Callable[..., Any], Callable[..., Any]]] = {
    "thresholds": (Thresholds(), line, lambda x: oracles.thresholds(x.tolist())),
    "intervals": (Intervals(), line, lambda x: oracles.intervals(x.tolist())),
    "stumps": (Stumps(3), space, lambda x: oracles.stumps(x.tolist())),
    "halfspaces": (Halfspaces(), plane, lambda x: oracles.halfspaces(grid_points(x))),
    "halfspaces-general": (Halfspaces(), general, lambda x: oracles.halfspaces(grid_points(x))),
    "cube": (ParityCube(4), numbers, lambda x: oracles.parity_cube([int(i) for i in x], 4)),
    "finite": (FiniteClass(SIGNS), numbers, lambda x: [((k,), tuple(f[x.astype(int)])) for k, f in enumerate(SIGNS)]),
}
NAMED_TIES = ("thresholds", "intervals", "stumps", "finite")


def instances(name: str, count: int) -> Any:
    """Points with repetitions and costs of either sign: integers (many ties, exact sums), or real numbers."""
    rng = np.random.default_rng([*name.encode()])
    for number in range(count):
        n = int(rng.integers(1, 8))
        points = CLASSES[name][1](rng, n)
        costs = rng.integers(-3, 4, n).astype(float) if number % 2 else rng.normal(size=n)
        yield points, costs


def disagreement(name: str, hypotheses: Any, count: int) -> str:
    """The first instance on which the oracle is not the enumeration's minimiser, or ''."""
    for points, costs in instances(name, count):
        row = hypotheses.erm(points, Objective(np.zeros(len(costs)), 0.0, costs / 2.0))
        best, least = oracles.least(CLASSES[name][2](points), costs)
        labels = hypotheses.predict(row[np.newaxis], points)[0]
        reached = oracles.positive_cost(labels, costs)
        if reached - least > 1e-14:
            return f"{points}, {costs}: {reached} at {row}, the least is {least}"
        if name in NAMED_TIES and (costs == np.rint(costs)).all() and tuple(row) != best:
            return f"{points}, {costs}: {row}, the first in a tie is {best}"
    return ""


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.few(3)
def test_oracles_agree_with_enumeration(name: str) -> None:
    assert not disagreement(name, CLASSES[name][0], INSTANCES)


PLANTED = [
    ("thresholds", _line_kernels, "scan_thresholds", "ends[k] and ", ""),
    ("thresholds", _line_kernels, "scan_thresholds", "below > best", "below >= best"),
    ("intervals", _line_kernels, "scan_intervals", "if before > top", "if before < top"),
    ("intervals", _line_kernels, "scan_intervals", "before - top < best", "before - top <= best"),
    ("stumps", _line_kernels, "scan_stumps", "if lowest < best", "if lowest < best - 1.0"),
    ("stumps", _line_kernels, "scan_stumps", "total - highest < best", "total - highest <= best"),
    ("cube", _finite_kernels, "choose_signs", "> abs(", ">= -abs("),
    ("cube", _finite_kernels, "choose_signs", "parity *= out[c, g]", "parity = out[c, g]"),
    ("cube", _finite_kernels, "choose_signs", "cheapest = g", "cheapest = 0"),
    ("finite", _finite_kernels, "scan_table", "totals[k] < totals[best]", "totals[k] <= totals[best]"),
    ("finite", _finite_kernels, "sum_cells", "+= values", "= values"),
    ("halfspaces", _plane_kernels, "turn_lines", "k + 1 < others and", "k + 1 < 0 and"),
    ("halfspaces-general", _plane_kernels, "turn_lines", "if own + left < best[c]", "if left < best[c]"),
    ("halfspaces-general", _plane_kernels, "line_angles", "1.0 - dx / (dy - dx)", "dx / (dy - dx)"),
]


@pytest.mark.parametrize(("name", "module", "kernel", "old", "new"), PLANTED)
def test_planted_errors_are_caught(
    monkeypatch: pytest.MonkeyPatch, name: str, module: Any, kernel: str, old: str, new: str
) -> None:
    monkeypatch.setattr(module, kernel, wrong(module, kernel, old, new))
    assert disagreement(name, CLASSES[name][0], 300)
