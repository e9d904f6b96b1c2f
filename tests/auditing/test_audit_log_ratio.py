"""The auditor's smooth log-ratios: kernels against their slow twins, and what the fits are good for."""

from __future__ import annotations

import numpy as np
import pytest
from naive import log_ratio as twin

from dpbench.auditing import _log_ratio_kernels as kernels
from dpbench.auditing import chains, log_ratio
from dpbench.auditing.cells import GRID, EdgeTable, GridTable, fit_tables, sum_tables
from dpbench.auditing.scores import Additive

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
    found = log_ratio.smooth_log_ratios(made)
    designs = [log_ratio._pieces(a + b) for a, b in made]
    settings = (log_ratio._ROUNDS, log_ratio._START, log_ratio._RIDGE, log_ratio._GONE)
    for fit, x, (kept, beta, covariance) in zip(
        found, designs, twin.evidence_fit(designs, made, *settings), strict=True
    ):
        assert np.array_equal(fit.pieces, x[:, kept])
        assert fit.covariance == pytest.approx(covariance, rel=1e-6, abs=1e-12)
        assert fit.log_ratio == pytest.approx(x[:, kept] @ beta, rel=1e-6, abs=1e-9)
    everything = twin.evidence_fit(designs, made, *settings[:3], -1.0)
    assert any(len(kept) > fit.pieces.shape[1] for fit, (kept, _, _) in zip(found, everything, strict=True))
    assert kernels.fit_evidence.name.endswith("fit_evidence")


def test_tables_of_both_kinds_are_summed() -> None:
    grid = GridTable(0.0, float(GRID), np.arange(float(GRID)), np.zeros(GRID))
    edges = EdgeTable(np.array([0.5]), np.array([10_000.0, 20_000.0]), np.zeros(2))
    total = np.zeros(2)
    sum_tables((grid, edges), np.array([[0.25, 0.0], [0.75, 1.0]]), total)
    assert total.tolist() == [GRID / 4 + 10_000.0, 3 * GRID / 4 + 20_000.0]


def test_a_scores_stated_errors_are_about_its_errors() -> None:
    """Eight columns of Laplace noise of scale 10 moved by 1, 50,000 a side: the mean square error is within a factor 3
    of the stated, and where the stated ones are largest the errors are, too."""
    rng = np.random.default_rng(5)
    first, second = rng.laplace(scale=10.0, size=(50_000, 8)), rng.laplace(scale=10.0, size=(50_000, 8)) + 1.0
    score = Additive(None, fit_tables(first, second), "")
    x = rng.laplace(scale=10.0, size=(20_000, 8))
    truth = ((np.abs(x - 1.0) - np.abs(x)) / 10.0).sum(axis=1)
    made, stated = score(x), score.errors(score.columns(x))
    off = (made - truth) ** 2
    assert 1.0 / 9.0 < off.mean() / (stated**2).mean() < 9.0
    doubtful = stated > np.quantile(stated, 0.99)
    assert off[doubtful].mean() > 1.5 * off[~doubtful].mean()


def test_a_right_guess_is_followed_into_the_tail_and_a_wrong_one_is_not() -> None:
    """Tails of a dozen counts. A right guess stays a line in at least 30 of 40 draws (here 97% do: fewer than 31 has
    probability below 1e-6), which errs less than the free fit; a guess of the wrong shape never does."""
    rng, lines, better = np.random.default_rng(6), 0, 0
    guess = np.linspace(-1.0, 1.0, 81)
    total = np.round(4_000 * np.exp(-8.0 * guess**2)) + 12.0
    for _ in range(40):
        first = rng.binomial(total.astype(int), 1.0 / (1.0 + np.exp(-guess))).astype(float)
        line, trusted = log_ratio.calibrated(first, total - first, guess)
        assert trusted == (line.pieces.shape[1] == 2)
        (free,) = log_ratio.smooth_log_ratios([(first, total - first)])
        lines += trusted
        better += np.abs(line.log_ratio - guess).max() < np.abs(free.log_ratio - guess).max()
        assert not log_ratio.calibrated(first, total - first, guess**2)[1]
    assert lines >= 30 and better >= 30


def test_noise_around_a_saturated_log_ratio_is_drawn_together_and_normal_guesses_are_scaled() -> None:
    """400 cells of equal mass, errors of 0.02 and a kernel of two of them. Errors around one truth shrink by 1/5 at the
    least; guesses spread five times as wide as the kernel keep their order, and their slope to within 10%."""
    error, rng = 0.02, np.random.default_rng(8)
    noisy = np.sort(1.0 + error * rng.standard_normal(400))
    drawn = chains.shrunk(noisy, np.ones(400), np.full(400, 2.0 * error))
    assert np.abs(drawn - 1.0).max() < 0.3 * np.abs(noisy - 1.0).max()
    spread = np.sort(0.2 * rng.standard_normal(400))
    kept = chains.shrunk(spread, np.ones(400), np.full(400, 2.0 * error))
    assert (np.diff(kept) >= 0.0).all()
    assert 0.9 < np.polyfit(spread, kept, 1)[0] < 1.0
    assert np.array_equal(chains.shrunk(spread, np.ones(400), np.zeros(400)), spread)
    sure = np.where(np.arange(400) < 200, 0.0, 2.0 * error)
    assert np.array_equal(chains.shrunk(spread, np.ones(400), sure)[:200], spread[:200])  # each its own width
    assert np.isfinite(chains.shrunk(spread, np.zeros(400), np.full(400, error))).all()


def test_many_features_are_fitted_with_all_knots_where_fewer_do_not_fit() -> None:
    """Of 80 features one has a spike two cells wide: nothing leaks into the cells beside it; planted: fewer knots for
    good. Of features that are alike on both sides fewer knots do."""
    rng = np.random.default_rng(8)
    flat = [(rng.poisson(200.0, 48).astype(float), rng.poisson(200.0, 48).astype(float)) for _ in range(80)]
    assert not log_ratio._misfit(flat, log_ratio.smooth_log_ratios(flat))
    assert all(np.abs(fit.log_ratio).max() < 0.2 for fit in log_ratio.smooth_log_ratios(flat))
    rate = np.full(48, 200.0)
    rate[23:25] = 2000.0
    spiked = [(rng.poisson(rate).astype(float), flat[0][1]), *flat[1:]]
    fine, coarse = log_ratio.smooth_log_ratios(spiked), log_ratio._fitted(spiked, log_ratio.KNOTS[::2])
    beside = [np.abs(np.delete(fits[0].log_ratio, [23, 24])).max() for fits in (fine, coarse)]
    assert fine[0].log_ratio[23:25].min() > 2.0 and beside[0] < 0.3 and not log_ratio._misfit(spiked, fine)
    assert beside[1] > 0.6 and log_ratio._misfit(spiked, coarse)
