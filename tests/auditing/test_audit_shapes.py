"""Log-ratios of one mode: the fit against a slow search, and what audits gain by them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from dpbench import audit
from dpbench.auditing import choose as choosing
from dpbench.auditing.shapes import both_shapes, rising_falling

Rng = np.random.Generator


def log_likelihood(chances: np.ndarray, hits: np.ndarray, misses: np.ndarray) -> float:
    parts = [(hits, chances), (misses, 1.0 - chances)]
    return sum(float(n[n > 0] @ np.log(np.maximum(c[n > 0], 1e-300))) for n, c in parts)


def slow_monotone(hits: np.ndarray, misses: np.ndarray) -> float:
    """`slow` of chances that only rise."""
    return slow(hits, misses, rising=True)


def slow(hits: np.ndarray, misses: np.ndarray, rising: bool = False) -> float:
    """The largest log-likelihood of chances that rise and then fall.

    At the optimum the cells fall into runs of equal chance, each the run's own share: all partitions are tried.
    """
    size, best = len(hits), -math.inf
    for cuts in itertools.product([False, True], repeat=size - 1):
        run = np.concatenate([[0], np.cumsum(cuts)])
        shares = np.bincount(run, hits) / np.maximum(np.bincount(run, hits + misses), 1e-300)
        steps = np.sign(np.diff(shares))
        falls = np.flatnonzero(steps < 0)
        if not len(falls) or (not rising and (steps[falls[0] :] <= 0).all()):
            best = max(best, log_likelihood(shares[run], hits, misses))
    return best


def test_the_fit_is_the_most_likely_one_of_its_shape() -> None:
    """60 tables of up to 9 cells, of which all modes are tried; planted: the mode at either end."""
    rng = np.random.default_rng(1)
    gained = False
    for _ in range(60):
        size = int(rng.integers(2, 10))
        hits, misses = (rng.integers(0, 30, size=size).astype(float) for _ in range(2))
        fit, gain = rising_falling(hits, misses)
        steps = np.diff(fit)
        turn = int(np.argmax(fit))
        assert (steps[:turn] >= -1e-12).all() and (steps[turn:] <= 1e-12).all()
        reached = log_likelihood(fit, hits, misses)
        assert reached == pytest.approx(slow(hits, misses), abs=1e-6)
        ends = [slow_monotone(hits, misses), slow_monotone(hits[::-1], misses[::-1])]
        assert gain == pytest.approx(reached - max(ends), abs=1e-6)
        gained |= gain > 1.0
    assert gained


def test_a_peak_rises_and_falls_and_a_valley_falls_and_rises() -> None:
    """Atoms, infinities and NaN among the values; a peak rises and falls along the values, a valley falls and rises."""
    rng = np.random.default_rng(2)
    sides = [
        np.sort(np.concatenate([np.round(rng.normal(c, 1.0, 3_000), 1), [-np.inf, np.inf, np.nan]])) for c in (0, 1)
    ]
    for shape, sign in zip(both_shapes(*sides), (1.0, -1.0), strict=True):
        assert shape.peak == (sign > 0)
        steps = np.sign(np.diff(sign * shape.log_ratios))
        assert np.isfinite(shape.log_ratios).all()
        falls = np.flatnonzero(steps < 0)
        assert not len(falls) or (steps[falls[0] :] <= 0).all()


def heavy(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Student noise with two degrees of freedom: no half-line is its best event."""
    return d + rng.standard_t(2, trials)


def scaled(s: float, trials: int, rng: Rng) -> np.ndarray:
    return s * rng.standard_normal(trials)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sampler", "one", "other", "delta", "gain"), [(heavy, 0.0, 1.0, 0.0, 0.02), (scaled, 1.0, 1.2, 1e-3, 0.03)]
)
def test_audits_gain_by_intervals_and_pairs_of_tails(
    sampler: Any, one: float, other: float, delta: float, gain: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Means of 24 audits of 50,000 runs at 95%, with and without these shapes. Over 48 other seeds the first gained
    0.059, with a standard error of 0.007; six seeds are too few to see it."""

    def mean() -> float:
        asked = {"delta": delta, "trials": 50_000, "confidence": 0.95}
        return float(np.mean([audit(sampler, one, other, seed=s, **asked).epsilon_lower for s in range(24)]))  # type: ignore[arg-type]

    whole = mean()
    monkeypatch.setattr(choosing, "_shapes", lambda halves: [])
    assert whole > mean() + gain


def test_an_event_of_a_shape_is_told_as_intervals() -> None:
    found = audit(scaled, 1.0, 1.5, delta=1e-2, trials=100_000, confidence=0.95)
    assert found.event.startswith("output <= -") and " or output >= " in found.event
