"""The log-ratio on a plane: right where it is a function of both numbers together, and of use to an audit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dpbench import audit
from dpbench.auditing import scores
from dpbench.auditing.log_ratio import KNOTS, _pieces, ramps
from dpbench.auditing.planar import Planar, planar
from dpbench.auditing.views import Aimed, linear_views

Rng = np.random.Generator


def spherical(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Noise of density e^{−‖x‖} in three dimensions, moved by d along (0.6, 0, 0.8)."""
    way = rng.standard_normal((trials, 3))
    return d * np.array([0.6, 0.0, 0.8]) + way / np.linalg.norm(way, axis=1)[:, None] * rng.gamma(3.0, size=(trials, 1))


def log_ratio(x: np.ndarray) -> np.ndarray:
    return np.linalg.norm(x - np.array([0.6, 0.0, 0.8]), axis=1) - np.linalg.norm(x, axis=1)


def learned(first: np.ndarray, second: np.ndarray) -> Planar:
    (view,) = [v for v in linear_views(first, second) if isinstance(v, Aimed)]
    return planar(view, view(first), view(second))


def test_it_is_near_the_log_ratio_of_spherical_noise() -> None:
    """Learned from 100,000 outputs a side, its error on others is below 0.1 on average, of a log-ratio in [−1, 1].

    Planted: the length of the rest, exchanged between the outputs that it is learned from, tells nothing.
    """
    rng = np.random.default_rng(0)
    first, second = (spherical(d, 100_000, rng) for d in (0.0, 1.0))
    fresh = spherical(0.0, 20_000, rng)
    score = learned(first, second)
    assert np.mean(np.abs(score(fresh) - log_ratio(fresh))) < 0.1
    columns = [score.view(side) for side in (first, second)]
    for side in columns:
        side[:, 1] = rng.permutation(side[:, 1])
    spoiled = planar(score.view, *columns)
    assert np.mean(np.abs(spoiled(fresh) - log_ratio(fresh))) > 0.1
    assert np.array_equal(score.relearned(first, second).log_ratios, score.log_ratios)


@pytest.mark.slow
def test_audits_of_spherical_noise_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Means of six audits of 100,000 runs at 95%, exact ε = 1. Planted: no such score."""

    def mean() -> float:
        asked: dict[str, Any] = {"trials": 100_000, "confidence": 0.95}
        return float(np.mean([audit(spherical, 0.0, 1.0, seed=s, **asked).epsilon_lower for s in range(6)]))

    usual = mean()
    monkeypatch.setattr(scores, "FEW", 0)
    assert 1.0 > usual > mean() + 0.005


def test_columns_of_few_values_and_infinities_have_cells() -> None:
    """What is not finite counts as the centre (`Linear`); a column of one value has two cells of one log-ratio each."""
    rng = np.random.default_rng(1)
    first, second = (np.column_stack([rng.standard_normal(5_000) + d, np.ones(5_000)]) for d in (0.0, 1.0))
    score = learned(first, second)
    odd = np.array([[np.nan, 1.0], [np.inf, 1.0], [-np.inf, -np.inf]])
    assert np.isfinite(score(odd)).all() and np.isfinite(score.log_ratios).all()


def test_ramps_are_those_of_single_columns() -> None:
    weights = np.random.default_rng(2).integers(1, 50, 96).astype(float)
    assert np.array_equal(ramps(weights, KNOTS), _pieces(weights))
    made = ramps(weights, np.array([-1.0, 0.0, 1.0]))
    assert made.shape == (96, 4) and (made[:, 0] == 1.0).all()
    assert np.allclose(made[:, 2:].sum(axis=1), np.clip(made[:, 1], -1.0, 1.0) + 1.0)
