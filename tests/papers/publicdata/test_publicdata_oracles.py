"""ERM oracles of all classes but the convex ones against enumeration, in exact arithmetic, ties included."""

import math

import numba
import numpy as np
import pytest
from naive import oracles
from planted import wrong

from dpbench.papers.publicdata.complexity import log_patterns
from dpbench.papers.publicdata.hypotheses import _finite_kernels, _halfspace_kernels, _line_kernels
from dpbench.papers.publicdata.hypotheses.constants import Constants
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


@pytest.mark.parametrize("name", CLASSES)
def test_no_more_labellings_than_are_counted(name):
    """What Gaussian weights and complexities count; some three points in general position have as many."""
    hypotheses, _, labellings = CLASSES[name]
    shares = [
        (
            len(points),
            len({labels for _, labels in labellings(points)}) / math.exp(log_patterns(hypotheses, len(points))),
        )
        for points, _ in instances(name, 10 if name in SLOW else 40)
    ]
    assert max(share for _, share in shares) <= 1.0 + 1e-9
    if name in ("thresholds", "intervals", "plane-general", "space-general"):
        assert max(share for count, share in shares if count == 3) == pytest.approx(1.0)


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


TABLE = np.random.default_rng(3).integers(-2, 3, (8, 5)) / 2.0


def objectives(loss, count):
    """Weights, slopes and squares of either sign: halves and integers (exact sums, ties), or real numbers."""
    rng = np.random.default_rng([*loss.encode()])
    for number in range(count):
        n = int(rng.integers(1, 8))
        if number % 2:
            parts = [rng.integers(-2, 3, n) / 2.0, *rng.integers(-3, 4, (3, n)).astype(float)]
        else:
            parts = [rng.uniform(-1.0, 1.0, n), *rng.normal(size=(3, n))]
        if number % 3 == 0:
            parts[1:] = [np.abs(parts[1]), parts[2], np.abs(parts[3])]
        yield rng, Objective(*parts, loss)


def finite_disagreement(loss, count):
    for rng, objective in objectives(loss, count):
        points = rng.integers(0, TABLE.shape[1], objective.size)
        (k,) = FiniteClass(TABLE).erm(points, objective)
        parts = (objective.labels, objective.weights, objective.linear, objective.quadratic)
        totals = [oracles.total(loss, row[points], *parts) for row in TABLE]
        first = oracles.first_least(totals)
        exact = loss in ("zero-one", "absolute") and (objective.weights == np.rint(objective.weights)).all()
        if totals[int(k)] > totals[first] + 1e-13 or (exact and k != first):
            return f"{points}, {objective}: {k}, the first is {first} of {totals}"
    return ""


def constant_disagreement(loss, count):
    for rng, objective in objectives(loss, count):
        at_z = rng.random(objective.size) < 0.2
        (c,) = Constants(anchored=True).erm(at_z.astype(float), objective)
        free = ~at_z
        slope, square = float(objective.linear[free].sum()), float(objective.quadratic[free].sum())
        y, w = objective.labels[free].tolist(), objective.weights[free].tolist()
        first, least = oracles.constant(loss, y, w, slope, square)
        rest = (np.zeros(len(y)), np.zeros(len(y)))
        reached = oracles.total(loss, [c] * len(y), y, w, *rest) + slope * c + square * c * c
        exact = loss in ("absolute", "squared") and (objective.weights == np.rint(objective.weights)).all()
        if reached > least + 1e-12 or (exact and abs(c - first) > 1e-12):
            return f"{objective}, {at_z}: {reached} at {c}, the least is {least} at {first}"
    return ""


@pytest.mark.parametrize("loss", ["zero-one", "absolute", "squared", "huber"])
def test_finite_classes_agree_with_enumeration(loss):
    assert not finite_disagreement(loss, INSTANCES // 8)


@pytest.mark.few(1)
@pytest.mark.parametrize("loss", ["absolute", "squared", "huber"])
def test_constants_agree_with_rational_arithmetic(loss):
    assert not constant_disagreement(loss, INSTANCES // 8)


@pytest.mark.parametrize(
    ("kernel", "old", "new", "disagreement"),
    [
        ("scan_table", "< totals[best]", "<= totals[best]", finite_disagreement),
        ("sum_cells", "out[c, cells[i]] +=", "out[c, cells[i]] =", finite_disagreement),
        ("scan_pieces", "if value < best", "if value <= best", constant_disagreement),
    ],
)
def test_planted_errors_of_real_values_are_caught(monkeypatch, kernel, old, new, disagreement):
    monkeypatch.setattr(_finite_kernels, kernel, wrong(_finite_kernels, kernel, old, new))
    assert disagreement("absolute", 60)
