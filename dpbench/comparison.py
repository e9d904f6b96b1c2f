"""Algorithms on one data set: empirical excess risk over the non-private fit, beside the zero predictor."""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import stdtrit

from dpbench import validation
from dpbench.losses import ABSOLUTE, huber
from dpbench.problems import GLMProblem
from dpbench.sampling import sample

ALGORITHMS = {
    "boosting": ("dpbench.glm.boosting", "Boosting"),
    "grid-search": ("dpbench.glm.grid_search", "PrivateGridSearch"),
    "jl": ("dpbench.glm.jl", "JLMethod"),
    "noisy-gd": ("dpbench.glm.noisy_gd", "NoisyGD"),
    "output-perturbation": ("dpbench.glm.output_perturbation", "OutputPerturbation"),
}
BASES = {"boosting": "output-perturbation", "grid-search": "noisy-gd"}
"""What an algorithm over a base is run with here."""

_SMOOTHING = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5)  # κ of the Huber losses that lead to the absolute loss


@dataclass(frozen=True)
class Fit:
    """The non-private minimiser of the empirical risk over the ball.

    Attributes
    ----------
    w : ndarray, shape (d,)
    risk : float
        L̂(w).
    gap : float
        Proven bound on L̂(w) − min L̂, from ⟨∇L̂(w), w⟩ + B‖∇L̂(w)‖ (convexity).
    """

    w: np.ndarray
    risk: float
    gap: float


@dataclass(frozen=True)
class Row:
    """One algorithm at one ε: mean empirical excess risk and its t interval over the trials."""

    algorithm: str
    epsilon: float
    delta: float
    trials: int
    excess: float
    low: float
    high: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def fit(problem: GLMProblem) -> Fit:
    """The minimiser of the empirical risk over the ball of the problem's radius, with a certificate.

    Sequential quadratic programming in w/B. The absolute loss is followed through Huber losses H_κ/κ, which
    lie at most κ/2 below it; the certificate pays for the last of them.
    """
    w = np.zeros(problem.d)
    if problem.loss.code != ABSOLUTE:
        w, gap = _descend(problem, w)
        return Fit(w, problem.empirical_risk(w), gap)
    for kappa in _SMOOTHING:
        kappa *= problem.y_bound
        w, gap = _descend(replace(problem, loss=huber(kappa)), w)
        gap = gap / kappa + 0.5 * kappa
    return Fit(w, problem.empirical_risk(w), gap)


def _descend(problem: GLMProblem, start: np.ndarray) -> tuple[np.ndarray, float]:
    radius, X, y, loss = problem.radius, problem.X, problem.y, problem.loss

    def gradient(w: np.ndarray) -> np.ndarray:
        return np.asarray(X.T @ loss.derivative(X @ w, y)).reshape(-1) / problem.n

    zero = np.zeros(problem.d)
    scale = max(abs(problem.empirical_risk(zero)), radius * float(np.linalg.norm(gradient(zero)))) or 1.0
    found = minimize(
        lambda v: problem.empirical_risk(radius * v) / scale,
        start / radius,
        jac=lambda v: radius * gradient(radius * v) / scale,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda v: 1.0 - v @ v, "jac": lambda v: -2.0 * v},
        options={"maxiter": 500, "ftol": 1e-15},
    )
    w = radius * found.x / max(1.0, float(np.linalg.norm(found.x)))
    slope = gradient(w)
    return w, max(0.0, float(slope @ w) + radius * float(np.linalg.norm(slope)))


def mechanism(algorithm: str, epsilon: float, delta: float) -> Any:
    """The named algorithm at (ε, δ) with its defaults, over the base in `BASES` where it takes one."""
    module, name = ALGORITHMS[validation.choice("algorithm", algorithm, ALGORITHMS)]
    base = [mechanism(BASES[algorithm], epsilon, delta)] if algorithm in BASES else []
    return getattr(importlib.import_module(module), name)(*base, epsilon, delta)


def compare(
    problem: GLMProblem,
    best: Fit,
    algorithms: Sequence[str],
    epsilons: Sequence[float],
    *,
    delta: float = 1e-5,
    trials: int = 64,
    confidence: float = 0.95,
    seed: int = 0,
    workers: Any = 1,
    tick: Callable[[int], None] | None = None,
) -> Iterator[Row]:
    """Rows of the comparison, as they are finished: algorithms in order, each over all ε.

    Parameters
    ----------
    problem : GLMProblem
    best : Fit
        What the excess is measured from, see `fit`.
    algorithms : sequence of str
        Names in `ALGORITHMS`.
    epsilons : sequence of float
    delta, trials, seed, workers
        As for a mechanism's `sample`; at least 2 trials, for the interval.
    confidence : float
        Of the t interval of the mean over the trials, for one row at a time.
    tick : callable, optional
        Told the number of trials of each finished block.

    Raises
    ------
    InvalidInput
        For an unknown algorithm, no ε, ε or δ out of range, or fewer than 2 trials; before anything is run.
    """
    validation.integer("trials", trials, at_least=2)
    validation.fraction("confidence", confidence)
    runs = [(name, mechanism(name, e, delta), e) for name in algorithms for e in epsilons]
    if not runs:
        raise validation.invalid("epsilon", "a list with at least one number", list(epsilons))

    def risks(outputs: np.ndarray) -> np.ndarray:
        found = problem.empirical_risk(outputs)
        if tick is not None:
            tick(len(found))
        return found

    for name, made, epsilon in runs:
        began = time.perf_counter()
        excess = sample(made, problem, trials, seed=seed, workers=workers, statistic=risks) - best.risk
        centre, half = float(excess.mean()), half_width(excess, confidence)
        seconds = time.perf_counter() - began
        yield Row(name, float(epsilon), float(delta), trials, centre, centre - half, centre + half, seconds)


def half_width(values: np.ndarray, confidence: float) -> float:
    """Half the width of the t interval of the mean of independent values, shape (trials,)."""
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return error * float(stdtrit(len(values) - 1, 0.5 + 0.5 * confidence))
