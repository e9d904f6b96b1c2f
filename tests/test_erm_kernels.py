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

from dpbench.glm import _erm_tiles, losses
from dpbench.glm._erm_tiles import ROWS, add_dense, add_gram, add_part, add_sparse, to_slopes

pytestmark = pytest.mark.kernel
each = pytest.mark.parametrize("name", SMOOTH)


def disagreement(dense: Callable[..., float], csr: Callable[..., float], name: str, n: int, d: int, seed: int) -> float:
    """Largest difference to the slow twin of what either kernel adds, over the sums of the sizes."""
    p = regression(SMOOTH[name], n=n, d=d, seed=seed)
    X = p.X * (np.random.default_rng(seed).random((n, d)) < 0.7)
    w, wide = np.zeros(d + -d % 4), d + -d % 4
    w[:d] = np.random.default_rng(seed + 1).standard_normal(d)
    scores, gradient, hessian, steepness = naive.sums(name, p.loss.parameter, X, p.y, w[:d])
    rows = sparse.csr_array(X)
    forms = ((dense, (X,)), (csr, (rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64))))
    worst = 0.0
    for run, stored in forms:
        for curved in (True, False):
            z, total, square = np.full(n, np.nan), np.ones(wide), np.ones((wide, wide))
            got = run(p.loss.code, p.loss.parameter, curved, *stored, p.y, w, z, total, square)
            want = hessian if curved else 0.0 * hessian
            lower = np.tril(square[:d, :d] - 1.0 - want)
            parts = (z - scores, total[:d] - 1.0 - gradient, lower, got - steepness)
            worst = max(worst, *(float(np.abs(part).max()) for part in parts))
            assert np.array_equal(total[d:], np.ones(wide - d)) and np.array_equal(w[d:], np.zeros(wide - d))
    return worst / n


@each
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (ROWS, 4), (ROWS + 1, 3), (2 * ROWS + 7, 6)], ids=str)
def test_a_pass_equals_its_definition(name: str, shape: tuple[int, int]) -> None:
    assert disagreement(add_dense, add_sparse, name, *shape, seed=shape[0]) < 1e-14


PLANTED = [
    ("dense", "add_dense", "s3 * r3[j]", "s2 * r3[j]"),
    ("dense", "add_dense", "slopes[k] = 0.0", "slopes[k] = slopes[k]"),
    ("dense", "add_dense", "steepness += abs(slopes[k])", "steepness += slopes[k]"),
    ("dense", "add_dense", "heavy[k] = curvatures[k] * plain[k]", "heavy[k] = plain[k]"),
    ("csr", "add_sparse", "range(low, entry + 1)", "range(low, entry)"),
    ("csr", "add_sparse", "labels[k] = y[start + k]", "labels[k] = y[k]"),
    ("csr", "add_sparse", "part[indices[entry]] += slope", "part[indices[entry]] += 1.001 * slope"),
]


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted[3])
def test_a_wrong_pass_is_caught(planted: tuple[str, str, str, str]) -> None:
    form, kernel, old, new = planted
    changed: Any = wrong(_erm_tiles, kernel, old, new)
    dense, csr = (changed, add_sparse) if form == "dense" else (add_dense, changed)
    found = max(disagreement(dense, csr, name, ROWS + 5, 3, seed=1) for name in ("huber", "logistic"))
    assert found > 1e-6


@each
def test_to_slopes_equals_the_definition(name: str) -> None:
    loss = SMOOTH[name]
    rng = np.random.default_rng(3)
    y = np.where(rng.random(ROWS) < 0.5, 1.0, -1.0)
    z = rng.standard_normal(ROWS) * 10.0 ** rng.uniform(-3, 2, ROWS)
    z[:4] = y[:4] + np.array([loss.parameter, -loss.parameter, 0.0, 2.0 * loss.parameter])
    found, bends = np.empty(ROWS), np.empty(ROWS)
    to_slopes(loss.code, loss.parameter, z, y, found, bends)
    for k in range(ROWS):
        arguments = (name, loss.parameter, float(z[k]), float(y[k]))
        assert found[k] == pytest.approx(float(naive_losses.derivative(*arguments)), rel=1e-14, abs=1e-16)
        want = naive_losses.curvature(*arguments)
        assert bends[k] == pytest.approx(want, rel=1e-11, abs=1e-16)
        assert losses.loss_curvature(loss.code, loss.parameter, z[k], y[k]) == pytest.approx(want, rel=1e-13, abs=1e-16)
    changed = wrong(_erm_tiles, "to_slopes", "abs(slopes[k]) * (1.0", "abs(slopes[k]) * (1.001")
    changed(loss.code, loss.parameter, z, y, found, np.empty(ROWS))
    other = np.empty(ROWS)
    changed(loss.code, loss.parameter, z, y, found, other)
    assert name != "logistic" or np.abs(other - bends).max() > 1e-4


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


def test_add_gram_equals_its_definition() -> None:
    rng = np.random.default_rng(5)
    A, B, start = rng.standard_normal((8, ROWS + 8)), rng.standard_normal((8, ROWS + 8)), rng.standard_normal((8, 8))
    want = start + naive.gram(A[:, :ROWS], B[:, :ROWS])
    at = np.tril(np.ones((8, 8), dtype=bool))
    got = []
    for run in (add_gram, wrong(_erm_tiles, "add_gram", "s23 += a2[k] * b3[k]", "s23 += a2[k] * b2[k]")):
        out = start.copy()
        run(A, B, out)
        got.append(np.abs(out - want)[at | at.T & (np.arange(8)[:, None] // 4 == np.arange(8) // 4)].max())
    assert got[0] < 1e-12 and got[1] > 1e-2
