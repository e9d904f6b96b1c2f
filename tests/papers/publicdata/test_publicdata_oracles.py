"""ERM oracles of classes with values ±1 against enumeration, in exact arithmetic, ties included."""

import numba
import numpy as np
import pytest
from naive import oracles
from planted import wrong

from dpbench.papers.publicdata.hypotheses import _finite_kernels, _halfspace_kernels, _line_kernels
from dpbench.papers.publicdata.hypotheses.cube import ParityCube
from dpbench.papers.publicdata.hypotheses.finite import FiniteClass
from dpbench.papers.publicdata.hypotheses.halfspaces import GRID, Halfspaces
from dpbench.papers.publicdata.hypotheses.line import Intervals, Stumps, Thresholds, _shortened
from dpbench.papers.publicdata.objective import Objective, erm_last, prepare

pytestmark = pytest.mark.kernel

INSTANCES = 300 if numba.config.DISABLE_JIT else 1000


def line(rng, n):
    return rng.integers(-3, 4, n).astype(float)


def space(rng, n):
    return rng.integers(-2, 3, (n, 3)).astype(float)


def halfspaces(dimension, spread):
    """The class on points of a small grid, where many lie on one line or plane, or in general position."""

    def points(rng, n):
        shape = (n, dimension)
        return rng.integers(-spread, spread + 1, shape) / GRID[dimension] if spread else rng.uniform(-1.0, 1.0, shape)

    def labellings(x):
        return oracles.halfspaces([[round(v * GRID[dimension]) for v in row] for row in x.tolist()])

    return Halfspaces(dimension=dimension), points, labellings


def numbers(rng, n):
    return rng.integers(0, 6, n).astype(float)


SIGNS = np.where(np.random.default_rng(7).random((9, 6)) < 0.5, -1.0, 1.0)


CLASSES = {
    "thresholds": (Thresholds(), line, lambda x: oracles.thresholds(x.tolist())),
    "intervals": (Intervals(), line, lambda x: oracles.intervals(x.tolist())),
    "stumps": (Stumps(3), space, lambda x: oracles.stumps(x.tolist())),
    "plane": halfspaces(2, 2),
    "plane-general": halfspaces(2, 0),
    "space": halfspaces(3, 1),
    "space-general": halfspaces(3, 0),
    "cube": (ParityCube(4), numbers, lambda x: oracles.parity_cube([int(i) for i in x], 4)),
    "finite": (FiniteClass(SIGNS), numbers, lambda x: [((k,), tuple(f[x.astype(int)])) for k, f in enumerate(SIGNS)]),
}
LINES = ("thresholds", "intervals", "stumps")
NAMED_TIES = ("thresholds", "intervals", "stumps", "finite")
SLOW = ("plane", "plane-general", "space", "space-general")  # exact elimination for each few points


def instances(name, count, largest=8):
    """Points with repetitions and costs of either sign: integers (many ties, exact sums), or real numbers."""
    rng = np.random.default_rng([*name.encode()])
    for number in range(count):
        n = int(rng.integers(1, largest))
        points = CLASSES[name][1](rng, n)
        costs = rng.integers(-3, 4, n).astype(float) if number % 2 else rng.normal(size=n)
        yield points, costs


def whole(hypotheses, points, costs):
    """One call."""
    return np.asarray(hypotheses.erm(points, Objective(np.zeros(len(costs)), 0.0, costs / 2.0)))


def last(hypotheses, points, costs):
    """The last sixth of the points, at least one, as what changes from call to call; a row of others beside it."""
    first = len(costs) - 1 - len(costs) // 6
    objective = Objective(-np.ones(len(costs)), np.append(costs[:first], np.zeros(len(costs) - first)))
    linear = np.stack([np.ones(len(costs) - first), costs[first:] / 2.0])
    return np.asarray(erm_last(prepare(hypotheses, points), objective, linear)[1])


def disagreement(name, hypotheses, count, call=whole):
    """The first instance on which the oracle is not the enumeration's minimiser, or ''."""
    for points, costs in instances(name, count, 16 if call is last and name in LINES else 8):
        row = call(hypotheses, points, costs)
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
def test_oracles_agree_with_enumeration(name):
    assert not disagreement(name, CLASSES[name][0], INSTANCES // (20 if name in SLOW else 2))


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.few(3)
def test_calls_that_differ_in_the_last_points(name):
    assert not disagreement(name, CLASSES[name][0], INSTANCES // (40 if name in SLOW else 4), last)


@pytest.mark.parametrize("name", LINES)
def test_shorter_lines_are_short_and_lose_no_boundary(name):
    """200 points, 4 of which change: the same row as of one call, to the bit, of lines of at most 29 entries."""
    rng, hypotheses = np.random.default_rng(9), CLASSES[name][0]
    lengths = []
    for number in range(50 if numba.config.DISABLE_JIT else 150):
        points = rng.integers(-99, 99, (200, 3) if name == "stumps" else 200) + 0.5 * (number % 3)
        costs = rng.integers(-3, 4, 200).astype(float)
        objective = Objective(-np.ones(200), np.append(costs[:196], np.zeros(4)))
        oracle = hypotheses.prepare(points)
        rows = oracle.erm_last(objective, costs[np.newaxis, 196:] / 2.0)
        assert (rows[0] == whole(hypotheses, points, costs)).all()
        line, *_ = _shortened(oracle.order, oracle.ends, objective.fixed_costs, 196)
        lengths.append(line[0].shape[-1])
    assert 10 < max(lengths) <= 29


PLANTED = [
    ("thresholds", _line_kernels, "scan_thresholds", "below > best", "below >= best"),
    ("intervals", _line_kernels, "scan_intervals", "before - top < best", "before - top <= best"),
    ("stumps", _line_kernels, "scan_stumps", "total - highest < best", "total - highest <= best"),
    ("thresholds", _line_kernels, "shorten", "written + 1, 0.0, False", "written + 1, waiting, False"),
    ("stumps", _line_kernels, "shorten", "bottom, place_bottom = below, at", "bottom = below"),
    ("cube", _finite_kernels, "choose_signs", "parity *= out[c, g]", "parity = out[c, g]"),
    ("plane-general", _halfspace_kernels, "turn", "own[c, row] + min(", "min("),
    ("space-general", _halfspace_kernels, "turn", "0 if left <= both - left else 1", "0"),
    ("space", _halfspace_kernels, "axis_ends", "-height) >= 0.0", "-height) > 0.0"),
    ("space-general", _halfspace_kernels, "axis_ends", "range(4)", "range(0, 4, 2)"),
]


@pytest.mark.parametrize(("name", "module", "kernel", "old", "new"), PLANTED)
def test_planted_errors_are_caught(monkeypatch, name, module, kernel, old, new):
    monkeypatch.setattr(module, kernel, wrong(module, kernel, old, new))
    few, call = (2000, last) if kernel == "shorten" else (300, whole)
    assert disagreement(name, CLASSES[name][0], few, call)
