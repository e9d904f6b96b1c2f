"""Oracles of classes with values between −1 and 1: finite classes and constants, against exact enumeration."""

import numba
import numpy as np
import pytest
from naive import oracles
from planted import wrong

from dpbench.papers.publicdata.hypotheses import _finite_kernels
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.hypotheses.finite import FiniteClass
from dpbench.papers.publicdata.objective import Objective

pytestmark = pytest.mark.kernel

INSTANCES = 60 if numba.config.DISABLE_JIT else 120
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
    assert not finite_disagreement(loss, INSTANCES)


@pytest.mark.few(1)
@pytest.mark.parametrize("loss", ["absolute", "squared", "huber"])
def test_constants_agree_with_rational_arithmetic(loss):
    assert not constant_disagreement(loss, INSTANCES)


@pytest.mark.parametrize(
    ("kernel", "old", "new", "disagreement"),
    [
        ("scan_table", "< totals[best]", "<= totals[best]", finite_disagreement),
        ("sum_cells", "out[c, cells[i]] +=", "out[c, cells[i]] =", finite_disagreement),
        ("scan_pieces", "if value < best", "if value <= best", constant_disagreement),
    ],
)
def test_planted_errors_are_caught(monkeypatch, kernel, old, new, disagreement):
    monkeypatch.setattr(_finite_kernels, kernel, wrong(_finite_kernels, kernel, old, new))
    assert disagreement("absolute", 60)


def test_a_flat_objective_gives_the_smallest_constant():
    """Balanced labels ±1 and the absolute loss: every constant is a minimiser."""
    assert Constants().erm(np.zeros(2), Objective([-1.0, 1.0], loss="absolute")) == -1.0
