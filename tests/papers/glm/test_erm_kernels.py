"""The passes of output perturbation's solver against their definition, and errors planted in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from naive import erm as naive
from naive import losses as naive_losses
from planted import wrong
from regressions import SMOOTH
from regressions import problem as regression
from scipy import sparse

from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms import _erm_tiles
from dpbench.papers.glm.algorithms._erm_tiles import ROWS, add_part, add_pass

pytestmark = pytest.mark.kernel
each = pytest.mark.parametrize("name", SMOOTH)


def disagreement(run: Callable[..., Any], name: str, n: int, d: int, seed: int) -> float:
    """Largest difference to the slow twin of what the kernel adds, over the sums of the sizes.

    Dense and in compressed rows, of three data sets in one call, the last of which has n records and the second is left
    out.
    """
    p = regression(SMOOTH[name], n=2 * n + 3, d=d, seed=seed)
    X = p.X * (np.random.default_rng(seed).random(p.X.shape) < 0.7)
    starts, chosen, wide = np.array([0, 3, n + 3, 2 * n + 3]), np.array([2, 0]), d + -d % 4
    w = np.zeros((3, wide))
    w[:, :d] = np.random.default_rng(seed + 1).standard_normal((3, d))
    none, indices = np.empty(0), np.empty(0, dtype=np.int64)
    rows = sparse.csr_array(X)
    forms = (
        (X, none, indices, indices),
        (np.empty((0, d)), rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)),
    )
    worst = 0.0
    for stored in forms:
        for curved in (True, False):
            z, totals = np.full(p.n, np.nan), np.ones((3, wide))
            squares, steepness = np.ones((3, wide, wide)), np.ones(3)
            spare = np.zeros((5, wide))  # the last two are scratch
            spare[:3] = totals
            fixed = (p.loss.code, p.loss.parameter, curved, *stored, p.y, starts, chosen, w)
            run(*fixed, z, spare, squares, steepness, np.full((5, ROWS), np.nan), np.zeros((wide, ROWS)))
            totals = spare[:3]
            for m in chosen:
                part = slice(starts[m], starts[m + 1])
                scores, gradient, hessian, steep = naive.sums(name, p.loss.parameter, X[part], p.y[part], w[m, :d])
                want = hessian if curved else 0.0 * hessian
                lower = np.tril(squares[m, :d, :d] - 1.0 - want)
                gaps = (z[part] - scores, totals[m, :d] - 1.0 - gradient, lower, steepness[m] - 1.0 - steep)
                worst = max(worst, *(float(np.nan_to_num(np.abs(gap), nan=np.inf).max()) for gap in gaps))
            assert np.array_equal(totals[:, d:], np.ones((3, wide - d))) and np.isnan(z[3 : n + 3]).all()
            assert (totals[1] == 1.0).all() and (squares[1] == 1.0).all() and steepness[1] == 1.0
    return worst / n


@each
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (ROWS, 4), (ROWS + 1, 3), (2 * ROWS + 7, 6)], ids=str)
def test_a_pass_equals_its_definition(name: str, shape: tuple[int, int]) -> None:
    assert disagreement(add_pass, name, *shape, seed=shape[0]) < 1e-14


PLANTED = [
    ("t += heavy[k] * two[k]", "t += heavy[k] * one[k]"),
    ("steep += abs(slopes[k])", "steep += slopes[k]"),
    ("heavy[k] = curvatures[k] * column[k]", "heavy[k] = column[k]"),
    ("row, slope = X[start + k], slopes[k]", "row, slope = X[start + k], slopes[0]"),
    ("columns[j, k] = row[j]", "columns[j, k] = row[0]"),
    ("range(low, entry + 1)", "range(low, entry)"),
    ("labels[k] = y[i]", "labels[k] = y[k]"),
    ("part[j] += slopes[k]", "part[j] += 1.001 * slopes[k]"),
    ("range(starts[m], end, ROWS)", "range(starts[0], end, ROWS)"),
    ("lost, gradient[m])", "lost, gradient[0])"),
    ("abs(slopes[k]) * (1.0", "abs(slopes[k]) * (1.001"),
]


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted[1])
def test_a_wrong_pass_is_caught(planted: tuple[str, str]) -> None:
    changed: Any = wrong(_erm_tiles, "add_pass", *planted)
    try:
        found = max(disagreement(changed, name, ROWS + 5, 5, seed=1) for name in ("huber", "logistic"))
    except AssertionError:
        return
    assert found > 1e-6


@each
def test_slopes_and_curvatures_at_corners_and_far_out_equal_the_definition(name: str) -> None:
    """One record a data set, x = 1: what is added is φ' and φ'' themselves."""
    loss, rng = SMOOTH[name], np.random.default_rng(3)
    y = np.where(rng.random(ROWS) < 0.5, 1.0, -1.0)
    z = rng.standard_normal(ROWS) * 10.0 ** rng.uniform(-3, 2, ROWS)
    z[:4] = y[:4] + np.array([loss.parameter, -loss.parameter, 0.0, 2.0 * loss.parameter])
    points, totals, squares = np.zeros((ROWS, 2)), np.zeros((ROWS + 2, 2)), np.zeros((ROWS, 2, 2))
    points[:, 0] = z
    none, indices, sets = np.empty(0), np.empty(0, dtype=np.int64), np.arange(ROWS + 1)
    add_pass(
        loss.code, loss.parameter, True, np.ones((ROWS, 1)), none, indices, indices, y, sets, sets[:-1], points,
        np.empty(ROWS), totals, squares, np.zeros(ROWS), np.zeros((5, ROWS)), np.zeros((2, ROWS)),
    )  # fmt: skip
    for k in range(ROWS):
        arguments = (name, loss.parameter, float(z[k]), float(y[k]))
        assert totals[k, 0] == pytest.approx(float(naive_losses.derivative(*arguments)), rel=1e-14, abs=1e-16)
        want = naive_losses.curvature(*arguments)
        assert squares[k, 0, 0] == pytest.approx(want, rel=1e-11, abs=1e-16)
        assert losses.loss_curvature(loss.code, loss.parameter, z[k], y[k]) == pytest.approx(want, rel=1e-13, abs=1e-16)


@each
def test_curvature_is_the_derivative_of_the_slope(name: str) -> None:
    """Away from corners, by central differences of the twin's slopes: ties the twin's two functions together."""
    loss, rng, h = SMOOTH[name], np.random.default_rng(4), 1e-6
    for z, y in zip(rng.uniform(-2, 2, 60), np.where(rng.random(60) < 0.5, 1.0, -1.0), strict=True):
        ends = [naive_losses.curvature(name, loss.parameter, float(z + s), float(y)) for s in (-h, h)]
        if name == "logistic" or ends[0] == ends[1]:
            low, high = (float(naive_losses.derivative(name, loss.parameter, z + s, y)) for s in (-h, h))
            assert (high - low) / (2.0 * h) == pytest.approx(ends[0], abs=1e-5)


def test_parts_are_added_without_growing_rounding() -> None:
    """10,000 parts of 0.1: within 2 roundings of 1,000; planted: without the compensation 400 times more."""
    off = []
    for run in (add_part, wrong(_erm_tiles, "add_part", "- lost[j]\n        whole", "\n        whole")):
        total, lost = np.zeros(2), np.zeros(2)
        for _ in range(10_000):
            part = np.array([0.1, -0.3])
            run(part, lost, total)
            assert not part.any()
        off.append(abs(total[0] - 1000.0))
    assert off[0] <= 2.0 * np.spacing(1000.0) and off[1] > 100.0 * np.spacing(1000.0)
