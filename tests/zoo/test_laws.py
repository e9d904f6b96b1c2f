"""The exact losses and laws of the registry: from laws, from densities of outputs, and the oracle on them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from zoo import laws
from zoo.registry import REGISTRY

WITH_LAW = {name: entry for name, entry in REGISTRY.items() if entry.law is not None}


@pytest.mark.few(30)
@pytest.mark.parametrize("name", WITH_LAW)
def test_the_exact_loss_is_that_of_the_law(name: str) -> None:
    """Masses are 1; the loss at δ is the table's; a thousandth beyond it the hockey-stick divergence is δ or less."""
    entry = REGISTRY[name]
    assert entry.law is not None
    known = entry.law()
    assert known.first.sum() == pytest.approx(1.0, abs=1e-9)
    assert known.second.sum() == pytest.approx(1.0, abs=1e-9)
    assert entry.loss == pytest.approx(laws.epsilon(known, entry.delta), rel=1e-3)
    beyond = math.exp(entry.loss * 1.001)
    ways = ((known.first, known.second), (known.second, known.first))
    left = max(float(np.maximum(p - beyond * q, 0.0).sum()) for p, q in ways)
    assert left <= entry.delta + 1e-5 and 0.3 < entry.loss < 12.0


# Log-ratios of outputs, from densities written down again. Of the mechanisms of whose loss an audit certifies less than
# 0.85: of the others a bound above the loss, or too far below it, would show a sampler that is not of its law.

ROWS = 40_000
SLACK = 0.003
"""A cell of log-ratio is at most this wide, and a few of a product's."""
LEVEL = 1e-6


def _extremes(x: np.ndarray, d: float) -> np.ndarray:
    f = stats.logistic(d)
    return f.logpdf(x).sum(axis=1) + 3.0 * np.log(f.cdf(x[:, 1]) - f.cdf(x[:, 0]))


def _chain(x: np.ndarray, stays: float) -> np.ndarray:
    same = (x[:, 1:] == x[:, :-1]).sum(axis=1)
    return same * math.log(stays) + (7 - same) * math.log1p(-stays)


DENSITIES: dict[str, tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]] = {
    "planar laplace": (
        lambda x: -0.7 * np.linalg.norm(x, axis=1),
        lambda x: -0.7 * np.linalg.norm(x - np.array([1.2, 1.6]), axis=1),
    ),
    "gumbel": (stats.gumbel_r(0.0).logpdf, stats.gumbel_r(0.7).logpdf),
    "normal of another scale and place": (stats.norm(0.0, 1.0).logpdf, stats.norm(0.5, 1.3).logpdf),
    "discrete gaussian": (lambda x: -0.125 * x**2.0, lambda x: -0.125 * (x - 1.0) ** 2),
    "poisson count": (stats.poisson(10.0).logpmf, stats.poisson(12.0).logpmf),
    "least and largest of five": (lambda x: _extremes(x, 0.0), lambda x: _extremes(x, 0.4)),
    "chain of responses": (lambda x: _chain(x, 0.6), lambda x: _chain(x, 0.75)),
}
"""Logarithms of the densities of either side, up to what both share."""


def _steps(x: np.ndarray, rate: float) -> np.ndarray:
    parts = (1.0 - rate) * stats.norm(0.0, 0.6).pdf(x) + rate * stats.norm(1.0, 0.6).pdf(x)
    return np.log(parts).reshape(len(x), -1).sum(axis=1)


DENSITIES["three sampled steps"] = (lambda x: _steps(x, 0.05), lambda x: _steps(x, 0.0))


def farthest(name: str, spread: float = 1.0) -> float:
    """How far shares of log-ratios at least a level lie outside of the law's, over all levels and both sides.

    `spread` plants an error: the law's levels are multiplied by it.
    """
    entry = REGISTRY[name]
    assert entry.law is not None
    known = entry.law()
    held = known.first + known.second > 0.0  # a product's lattice has empty cells
    with np.errstate(divide="ignore"):
        levels = spread * (np.log(known.first[held]) - np.log(known.second[held]))
    one, other = DENSITIES[name]
    worst = 0.0
    for side, dataset, masses in ((0, entry.dataset, known.first), (1, entry.neighbour, known.second)):
        x = entry.sampler(dataset, ROWS, np.random.default_rng([17, side]))
        seen = np.sort(one(x) - other(x))
        above = np.cumsum(masses[held])  # levels decrease
        shares = [1.0 - np.searchsorted(seen, levels + move, side="left") / ROWS for move in (SLACK, -SLACK)]
        worst = max(worst, float((shares[0] - above).max()), float((above - shares[1]).max()))
    return worst


@pytest.mark.few(6)
@pytest.mark.parametrize("name", DENSITIES)
def test_every_law_is_of_its_sampler(name: str) -> None:
    """Dvoretzky, Kiefer and Wolfowitz at 1e-6 over all of these, sides and directions: shares within 0.015.

    Planted: levels a tenth too large, as of an ε a tenth too large.
    """
    band = math.sqrt(math.log(4 * len(DENSITIES) / LEVEL) / (2 * ROWS))
    assert farthest(name) <= band < farthest(name, 1.1)


# The oracle


def test_no_event_on_the_log_ratio_beats_the_oracles() -> None:
    """Three coordinates of RAPPOR: all half-lines of the log-ratio, by hand. Planted: one that is worse."""
    known = laws.flipped_bits((1, 0, 0), (0, 1, 1), 0.25)
    best = laws.oracle(known, 20_000, 0.0, 0.05)
    by_hand = [
        laws.mean_certificate(float(p), float(q), 20_000, 0.0, 0.05)
        for p, q in zip(np.cumsum(known.first)[:-1], np.cumsum(known.second)[:-1], strict=True)
    ]
    assert best.mean == pytest.approx(max(by_hand), rel=1e-12)
    assert min(by_hand) < best.mean - 0.1
