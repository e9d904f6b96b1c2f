"""What a chosen event is to make large: a bound on ε, the curve at one ε, or μ, with its sensitivities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dpbench.auditing.chains import TINY

Errors = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
Value = Callable[[np.ndarray, np.ndarray], np.ndarray]


def moved(p: np.ndarray, step: np.ndarray | float) -> np.ndarray:
    """Frequencies moved by `step` standard errors; √p (or √(1 − p) above 1/2) is what has an even spread."""
    root, left = np.sqrt(p), np.sqrt(1.0 - p)
    rare = np.maximum(root + 0.5 * step * left, 0.0) ** 2
    common = 1.0 - np.maximum(left - 0.5 * step * root, 0.0) ** 2
    return np.minimum(np.maximum(np.where(p < 0.5, rare, common), TINY), 1.0)


@dataclass(frozen=True)
class Goal:
    """A function of p and q that grows with p and falls with q, and its sensitivities in standard errors.

    Attributes
    ----------
    value : callable
    errors : callable
        Standard errors of the value due to p and to q, times √rows.
    """

    value: Value
    errors: Errors

    def after(self, p: np.ndarray, q: np.ndarray, charge: float) -> np.ndarray:
        """The value after `charge` (in units of 1/√rows) standard errors against it, on the square-root
        scale."""
        first, second = self.errors(p, q)
        whole = np.hypot(first, second)
        return self.value(moved(p, -charge * first / whole), moved(q, charge * second / whole))


def epsilon_goal(delta: float) -> Goal:
    """log((p − δ)/q)."""

    def value(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return np.where(p > delta, np.log(np.maximum(p - delta, TINY) / q), -np.inf)

    def errors(p: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _deviation(p) / np.maximum(p - delta, TINY), _deviation(q) / q

    return Goal(value, errors)


def curve_goal(ratio: np.ndarray) -> Goal:
    """p − e^ε q, one row for each ratio e^ε of a column of them."""
    return Goal(lambda p, q: p - ratio * q, lambda p, q: (_deviation(p), ratio * _deviation(q)))


def mu_goal() -> Goal:
    """Φ⁻¹(p) − Φ⁻¹(q)."""

    def error(p: np.ndarray) -> np.ndarray:
        x = ndtri(np.clip(p, TINY, 1.0 - 1e-12))
        return _deviation(p) * np.sqrt(2.0 * np.pi) * np.exp(0.5 * x * x)

    def value(p: np.ndarray, q: np.ndarray) -> np.ndarray:
        return ndtri(np.clip(p, TINY, 1.0 - 1e-12)) - ndtri(np.clip(q, TINY, 1.0 - 1e-12))

    return Goal(value, lambda p, q: (error(p), error(q)))


def _deviation(p: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(p * (1.0 - p), 1e-18))
