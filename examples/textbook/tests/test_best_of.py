"""The best of k runs: its exact profile beside two others, and audits that refute the price of one run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr
from textbook.best_of import best_of, gaussian_best

import dpbench
from dpbench.privacy import gaussian

AUDIT = {"trials": 40_000, "confidence": 1.0 - 1e-6}


def noisy(mean: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return mean + rng.standard_normal(trials)


def response(bit: int, trials: int, rng: np.random.Generator) -> np.ndarray:
    """1-DP: the truth with probability e/(1 + e)."""
    return np.abs(bit - (rng.random(trials) > math.e / (1.0 + math.e)))


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 3.0])
def test_the_profile_lies_between_one_run_and_all_of_them(epsilon: float) -> None:
    assert gaussian_best(1.0, 1).delta(epsilon) == pytest.approx(gaussian.delta(epsilon, 1.0), rel=1e-9)
    assert gaussian.delta(epsilon, 1.0) < gaussian_best(1.0, 5).delta(epsilon) < gaussian.delta(epsilon, 5**0.5)


def test_the_profile_is_the_integral_of_the_densities() -> None:
    """δ = ∫ (p − e^ε q)₊ of the densities of the largest, the larger of both directions, by a Riemann sum."""
    x, runs, mu, epsilon = np.linspace(-9.0, 11.0, 400_001), 5, 1.0, 0.7
    p, q = (runs * np.exp(-0.5 * (x - m) ** 2) / math.sqrt(2 * math.pi) * ndtr(x - m) ** (runs - 1) for m in (mu, 0.0))
    expected = max(np.maximum(a - math.exp(epsilon) * b, 0.0).sum() * (x[1] - x[0]) for a, b in ((p, q), (q, p)))
    assert gaussian_best(mu, runs).delta(epsilon) == pytest.approx(float(expected), rel=1e-6)


def test_the_price_of_one_run_is_refuted_and_the_exact_one_is_not() -> None:
    """False alarms: 1e-6 each, at a fixed seed. Planted: the search is accounted as a single run."""
    assert dpbench.audit(best_of(noisy, 10), 1.0, 0.0, claim={"mu": 1.0}, **AUDIT).verdict == "refuted"
    assert dpbench.audit(best_of(noisy, 10), 1.0, 0.0, claim=gaussian_best(1.0, 10), **AUDIT).verdict == "not refuted"
    assert dpbench.audit(best_of(response, 3), 1, 0, epsilon=1.0, **AUDIT).verdict == "refuted"
    found = dpbench.audit(best_of(response, 3), 1, 0, epsilon=3.0, **AUDIT)
    assert found.verdict == "not refuted" and found.epsilon_lower > 2.7


def test_the_best_by_a_score_keeps_its_row() -> None:
    """Rows (x, −x) of which the second is the score: the smallest x of three, in place."""

    def rows(start: float, trials: int, rng: np.random.Generator) -> np.ndarray:
        x = start + np.arange(trials)
        return np.column_stack([x, -x])

    best = best_of(rows, 3, score=lambda outputs: outputs[:, 1])(5.0, 2, np.random.default_rng(0))
    assert best.tolist() == [[5.0, -5.0], [8.0, -8.0]]
