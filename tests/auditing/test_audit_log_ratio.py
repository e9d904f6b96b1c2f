"""The auditor's smooth log-ratios: kernels against their slow twins."""

from __future__ import annotations

import numpy as np
import pytest
from naive import log_ratio as twin

from dpbench.auditing import _log_ratio_kernels as kernels

Rng = np.random.Generator


def counts(rng: Rng, cells: int, slope: float) -> tuple[np.ndarray, np.ndarray]:
    """Counts of two sides in cells whose log-ratio rises by `slope` in all."""
    total = rng.integers(20, 200, cells)
    first = rng.binomial(total, 1.0 / (1.0 + np.exp(-slope * np.linspace(-0.5, 0.5, cells))))
    return first.astype(float), (total - first).astype(float)


@pytest.mark.kernel
def test_invert_inverts_and_gives_nothing_to_a_repeated_column() -> None:
    rng = np.random.default_rng(1)
    for width in (1, 2, 7, 30):
        root = rng.normal(size=(width + 3, width))
        whole = root.T @ root
        made = np.empty((width, width))
        kernels.invert(whole.copy(), made)
        assert made == pytest.approx(np.linalg.inv(whole), rel=1e-8, abs=1e-10)
    twice = np.ones((2, 2))
    made = np.empty((2, 2))
    kernels.invert(twice, made)
    assert np.array_equal(made, [[1.0, 0.0], [0.0, 0.0]])


@pytest.mark.kernel
def test_newton_steps_are_the_twins() -> None:
    rng = np.random.default_rng(2)
    for width, steps in ((1, 1), (4, 3), (9, 16)):
        x = rng.normal(size=(50, width))
        hits, rest = counts(rng, 50, 1.0)
        penalty = rng.uniform(0.1, 10.0, width)
        beta, inverse = np.zeros(width), np.empty((width, width))
        kernels.newton_steps(x, hits, hits + rest, penalty, steps, beta, inverse)
        slow, slow_inverse = twin.newton(x, hits, hits + rest, np.zeros(width), penalty, steps)
        assert beta == pytest.approx(slow, rel=1e-9, abs=1e-12)
        assert inverse == pytest.approx(slow_inverse, rel=1e-9, abs=1e-12)


@pytest.mark.kernel
@pytest.mark.parametrize("sizes", [(12,), (60,), (60, 45, 9)])
def test_fit_evidence_is_the_twins(sizes: tuple[int, ...]) -> None:
    """Fits of one feature and of several of different widths; planted: a twin that keeps every column differs."""
    rng = np.random.default_rng(3)
    made = [counts(rng, n, 2.0) for n in sizes]
    designs = [np.column_stack([np.ones(n), np.linspace(-2.0, 2.0, n), np.tri(n)[:, 1:12] - 0.5]) for n in sizes]
    settings = (16, 10.0, (1e-2, 1e9), 1e-2)
    cells, widths = np.array(sizes), np.array([x.shape[1] for x in designs])
    shape = len(sizes), int(cells.max()), int(widths.max())
    x, hits, total = np.zeros(shape), np.zeros(shape[:2]), np.zeros(shape[:2])
    for j, ((first, second), design) in enumerate(zip(made, designs, strict=True)):
        x[j, : cells[j], : widths[j]] = design
        hits[j, : cells[j]], total[j, : cells[j]] = first, first + second
    live, beta = np.tile(np.arange(shape[2]), (shape[0], 1)), np.zeros((shape[0], shape[2]))
    covariance = np.zeros((shape[0], shape[2], shape[2]))
    rounds, start, ridge, gone = settings
    kernels.fit_evidence(x, hits, total, cells, rounds, start, *ridge, gone, widths, live, beta, covariance)
    for j, (kept, slow, spread) in enumerate(twin.evidence_fit(designs, made, *settings)):
        width = widths[j]
        assert live[j, :width].tolist() == kept.tolist()
        assert np.array_equal(x[j, : cells[j], :width], designs[j][:, kept])
        assert beta[j, :width] == pytest.approx(slow, rel=1e-6, abs=1e-9)
        assert covariance[j, :width, :width] == pytest.approx(spread, rel=1e-6, abs=1e-12)
    everything = twin.evidence_fit(designs, made, *settings[:3], -1.0)
    assert any(len(kept) > width for (kept, _, _), width in zip(everything, widths, strict=True))
