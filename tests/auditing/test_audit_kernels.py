"""Kernels that place outputs and fit shapes to them, each against its slow twin, and a planted error of each."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from naive import log_ratio as twin
from planted import Checks, every_plant, see, wrong

from dpbench.auditing import _log_ratio_kernels as kernels

CELLS = 64
ODD = [math.nan, math.inf, -math.inf, 1e300, -1e300, 0.0, -0.0]


def columns() -> np.ndarray:
    """Rows of four, ties, zeros and what is not finite among them."""
    made = np.random.default_rng(4).normal(size=(120, 4))
    made[20:60] = np.round(made[20:60])
    for j in range(4):
        made[j * len(ODD) : (j + 1) * len(ODD), j] = ODD
    made[100] = math.nan
    return made


def check_grid_cell(kernel: Callable[..., int]) -> None:
    for low, scale in ((-1.0, 30.0), (0.5, 200.0)):
        for value in columns().ravel():
            assert kernel(value, low, scale, CELLS) == twin.cell(value, low, scale, CELLS)


def check_count_cells(kernel: Callable[..., None]) -> None:
    column = np.ascontiguousarray(columns()[:, 0])
    counts = np.ones(CELLS, dtype=np.int64)
    kernel(column, -1.0, 30.0, counts)
    want = np.bincount([twin.cell(v, -1.0, 30.0, CELLS) for v in column], minlength=CELLS)
    assert np.array_equal(counts, 1 + want)


def check_add_tables(kernel: Callable[..., None]) -> None:
    rows = columns()
    low, scale = np.array([-1.0, -2.0, -0.5, 0.0]), np.array([30.0, 15.0, 70.0, 1.0])
    log_ratios = np.random.default_rng(5).normal(size=(4, CELLS))
    total = np.ones(len(rows))
    kernel(rows, low, scale, log_ratios, total)
    cells = [[twin.cell(v, low[j], scale[j], CELLS) for v in rows[:, j]] for j in range(4)]
    assert total == pytest.approx(1.0 + sum(log_ratios[j, cells[j]] for j in range(4)), rel=1e-12)


def check_places(kernel: Callable[..., None]) -> None:
    """Any number of edges, values on them, NaN among both, and more values than one stretch."""
    rng = np.random.default_rng(6)
    for size in (0, 1, 2, 3, 7, 64, 129):
        edges = np.sort(np.round(rng.normal(size=size), 1))
        values = np.concatenate([edges, ODD, np.round(rng.normal(size=50), 1)])
        found = np.full(len(values), -1)
        kernel(values, edges, found)
        assert found.tolist() == [twin.place(v, edges.tolist()) for v in values]
        if size:
            edges[-1] = math.nan
            kernel(values, edges, found)
            whole = [twin.place(v, edges[:-1].tolist()) + math.isnan(v) for v in values]
            assert found.tolist() == whole
    values = rng.normal(size=kernels.STRETCH + 5)
    found, edges = np.full(len(values), -1), np.array([-0.5, 0.25])
    kernel(values, edges, found)
    assert found.tolist() == [twin.place(v, edges.tolist()) for v in values]


def check_rise_and_fall(kernel: Callable[..., float]) -> None:
    """Every mode of small tables, ties and empty cells among them."""
    rng = np.random.default_rng(8)
    for size in (1, 2, 3, 8, 12):
        hits, misses = (rng.integers(0, 6, size=size).astype(float) for _ in range(2))
        for mode in range(size + 1):
            chance = np.full(size, -1.0)
            found = kernel(hits, misses, mode, chance)
            slow, likelihood = twin.rise_and_fall(hits.tolist(), misses.tolist(), mode)
            assert chance == pytest.approx(slow, rel=1e-6, abs=1e-12)
            assert found == pytest.approx(likelihood, rel=1e-6, abs=1e-9)


CHECKS: Checks = {
    "grid_cell": (
        check_grid_cell,
        (("place >= cells - 1.0", "place >= cells + 1.0"), ("not place > 0.0", "place < 0.0")),
    ),
    "count_cells": (check_count_cells, (("+= 1", "+= 2"),)),
    "add_tables": (check_add_tables, (("low[j]", "low[0]"), ("range(width)", "range(1, width)"))),
    "places": (
        check_places,
        (
            ("edges[place[i] + half - 1] <=", "edges[place[i] + half - 1] <"),
            ("some[k] <=", "some[k] <"),
            ("place[i] + left]", "place[i] + left - 1]"),
            ("size if part[i] != part[i] else ", ""),
            ("start : start + STRETCH], found", ": STRETCH], found"),
        ),
    ),
    "rise_and_fall": (
        check_rise_and_fall,
        (
            ("level[pools - 2] >= level[pools - 1]", "level[pools - 2] < level[pools - 1]"),
            ("weight[pools - 2] = both", "weight[pools - 2] = 1.0"),
            ("size - 1 - k] = level[pool]", "mode + k] = level[pool]"),
            ("* misses[i]", "* hits[i]"),
        ),
    ),
}


@pytest.mark.kernel
@pytest.mark.parametrize("name", CHECKS)
def test_kernels_are_their_twins(name: str) -> None:
    CHECKS[name][0](getattr(kernels, name))


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "old", "new"), every_plant(CHECKS))
def test_a_planted_error_is_seen(name: str, old: str, new: str) -> None:
    see(CHECKS[name][0], wrong(kernels, name, old, new))
