"""Gradients in integers, for noisy gradient descent: record by record, and from sums over the records."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from naive import integer_noise as naive
from scipy import sparse, stats

from dpbench.papers.glm.algorithms import exact_gd
from dpbench.papers.glm.algorithms._exact_gd_kernels import integer_gradients
from dpbench.papers.glm.algorithms.exact_gd import bounded_rows, integers
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.problem import GLMProblem

DELTA = 0.01
HOSTILE = ([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [np.nan, 1.0, 0.0], [np.inf, 0.0, 0.0], [1e200, 1e200, 1.0],
           [1e9, 0.0, 0.0], [5e-324, 0.0, 0.0])  # fmt: skip


@pytest.mark.kernel
@pytest.mark.parametrize("n", [1, 40, 64, 131])
def test_integer_gradients_against_the_slow_twin(n: int) -> None:
    """Data in multiples of 1/64, on which predictions are exact; slopes beyond the limit, and remainders of tiles."""
    rng = np.random.default_rng(7)
    X, y, w = (rng.integers(-64, 65, shape) / 64.0 for shape in ((n, 3), n, (3, 5)))
    largest = np.where(rng.random(n) < 0.3, 300.7, 1e6)

    def run(code: int) -> list[list[int]]:
        sums = np.zeros((3, 5))
        integer_gradients(code, 0.0, X, y, w, 1000.5, largest, np.empty((64, 5)), sums)
        assert np.array_equal(sums, np.rint(sums))
        return sums.astype(np.int64).T.tolist()

    def twin(slope: Callable[[float, float], float], most: list[float]) -> list[list[int]]:
        rows = [w[:, k].tolist() for k in range(5)]
        return [naive.slow_gradients(slope, X.tolist(), y.tolist(), row, 1000.5, most) for row in rows]

    assert run(0) == twin(lambda z, label: 2.0 * (z - label), largest.tolist())
    assert run(1) == twin(lambda z, label: z - label, largest.tolist())
    assert run(0) != twin(lambda z, label: 2.01 * (z - label), largest.tolist())
    assert n == 1 or run(0) != twin(lambda z, label: 2.0 * (z - label), [1e6] * n)


@pytest.mark.parametrize("loss", ["squared", "logistic", "absolute", "linear"])
def test_one_record_moves_the_sum_by_no_more_than_its_limit(loss: str) -> None:
    """Also one whose features floating point cannot be trusted with: NaN, infinities, sizes beyond the bound."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((20, 3))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    p = GLMProblem(X, np.where(rng.random(20) < 0.5, 1.0, -1.0), loss=loss, x_bound=1.0, y_bound=1.0, radius=2.0)
    made = integers(p, NoisyGD(1.0, DELTA, steps=5, arithmetic="exact").sigma(p))
    sums = []
    for row in HOSTILE:
        features, out = X.copy(), np.zeros((3, 2))
        features[0] = row
        w = np.array([[1.0, 0.0], [0.5, 0.0], [-0.5, -2.0]])
        rows, largest = bounded_rows(features, made)
        integer_gradients(
            p.loss.code, p.loss.parameter, rows, p.y, w, 1.0 / made.grid.spacing, largest, np.empty((64, 2)), out
        )
        sums.append(out)
    for a in sums:
        for b in sums:
            assert np.linalg.norm(a - b, axis=0).max() <= 2.0 * made.limit
    assert max(np.linalg.norm(a - b, axis=0).max() for a in sums for b in sums) > 0.5 * made.limit


def squared(n: int, d: int, loss: str = "squared", seed: int = 3) -> GLMProblem:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    return GLMProblem(X, rng.uniform(-1.0, 1.0, n), loss=loss, x_bound=1.0, y_bound=1.0, radius=2.0)


def slow_sum(p: GLMProblem, w: np.ndarray) -> list[Fraction]:
    """The sum of the gradients at w, of the records one after the other, in rational arithmetic."""
    total = [Fraction(0)] * p.d
    for x, label in zip(p.X.tolist(), p.y.tolist(), strict=True):
        z = sum((Fraction(a) * Fraction(b) for a, b in zip(x, w.tolist(), strict=True)), Fraction(0))
        slope = {"squared": 2 * (z - Fraction(label)), "half-squared": z - Fraction(label), "linear": -Fraction(label)}
        total = [t + slope[p.loss.name] * Fraction(a) for t, a in zip(total, x, strict=True)]
    return total


@pytest.mark.parametrize("loss", ["squared", "half-squared", "linear"])
def test_sums_give_the_gradients_within_the_stated_error(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against rational arithmetic: within half a step for the rounding, and E. Planted: H off by 1e-6, no labels."""
    p, w = squared(70, 4, loss), np.random.default_rng(5).uniform(-1.0, 1.0, (4, 3))
    made = integers(p, NoisyGD(1.0, DELTA, steps=50, arithmetic="exact").sigma(p))
    assert exact_gd.sums_serve(p, made) and exact_gd.summing_error(p) < 1e-3 * made.grid.spacing

    def furthest() -> float:
        found, spacing = exact_gd._gradients(p, made, 3)(w), Fraction(made.grid.spacing)
        apart = [
            abs(int(found[j, k]) - total / spacing) for k in range(3) for j, total in enumerate(slow_sum(p, w[:, k]))
        ]
        return float(max(apart))

    assert 0.2 < furthest() <= 0.5 + exact_gd.summing_error(p) / made.grid.spacing
    second, cross = exact_gd._sums(p)
    for planted in ((second * (1.0 + 1e-6), cross * (1.0 + 1e-6)), (second, 0.0 * cross)):
        monkeypatch.setattr(exact_gd, "_sums", lambda problem, planted=planted: planted)
        assert furthest() > 10.0


def test_one_record_moves_the_sums_by_no_more_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records that are no numbers, or far beyond the bound: held. Planted: not held."""
    p = squared(20, 3)
    made = integers(p, NoisyGD(1.0, DELTA, steps=5, arithmetic="exact").sigma(p))
    w = np.array([[1.0, 0.0], [0.5, 0.0], [-0.5, -2.0]])

    def moved() -> float:
        computed = []
        for row in HOSTILE:
            for label in (1.0, -1.0, np.nan, 1e30):
                X, y = p.X.copy(), p.y.copy()
                X[0], y[0] = row, label
                given: Any = SimpleNamespace(X=X, y=y, n=20, d=3, x_bound=1.0, y_bound=1.0, loss=p.loss, sparse=False)
                second, cross = exact_gd._sums.__wrapped__(given)
                computed.append(np.rint((second @ w - cross[:, None]) / made.grid.spacing))
        return max(float(np.linalg.norm(a - b, axis=0).max()) for a in computed for b in computed)

    assert 0.5 * made.limit < moved() <= 2.0 * made.limit
    monkeypatch.setattr(exact_gd, "held", lambda problem: (np.nan_to_num(problem.X), np.nan_to_num(problem.y)))
    with np.errstate(over="ignore", invalid="ignore"):
        assert not moved() <= 2.0 * made.limit


def test_bounds_n_and_noise_decide_between_sums_and_records() -> None:
    p = squared(30, 2)
    fine = [integers(p, sigma) for sigma in (1e-5, 1.0)]
    assert [exact_gd.sums_serve(p, made) for made in fine] == [False, True]
    assert not exact_gd.sums_serve(squared(30, 2, "huber"), fine[1])
    for made in fine:
        w = np.array([[0.5, -1.0], [0.25, 0.0]])
        by_sums, by_records = (chosen(w) for chosen in (exact_gd._gradients(p, made, 2), _records_only(p, made)))
        assert np.abs(by_sums - by_records).max() <= 0.5 * p.n + 1.0  # a rounding a record


def _records_only(p: GLMProblem, made: exact_gd.Integers) -> Callable[[np.ndarray], np.ndarray]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_gd, "sums_serve", lambda problem, made: False)
        return exact_gd._gradients(p, made, 2)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_the_law_with_squared_loss_is_that_of_floating_point(as_sparse: bool) -> None:
    """First coordinates of 2,000 outputs: Kolmogorov–Smirnov at 1e-6; twice the noise is caught (planted)."""
    p = squared(60, 3)
    if as_sparse:
        p = GLMProblem(sparse.csr_array(p.X), p.y, loss="squared", x_bound=1.0, y_bound=1.0, radius=2.0)
    noise = 0.7
    m = NoisyGD(1.0, DELTA, steps=6, step_size=0.4, noise_scale=noise, arithmetic="exact")
    plain, twice = (NoisyGD(1.0, DELTA, steps=6, step_size=0.4, noise_scale=k * noise) for k in (1.0, 2.0))
    exact = m.sample(p, 2_000, seed=1)[:, 0]
    assert stats.ks_2samp(exact, plain.sample(p, 2_000, seed=1)[:, 0]).pvalue > 1e-6
    assert stats.ks_2samp(exact, twice.sample(p, 2_000, seed=1)[:, 0]).pvalue < 1e-6
