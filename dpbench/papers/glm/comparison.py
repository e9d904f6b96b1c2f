"""Algorithms on one data set: empirical excess risk over the non-private fit, beside the zero predictor."""

from __future__ import annotations

import importlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.special import stdtrit

from dpbench.convex.solver import minimise
from dpbench.core import validation
from dpbench.core.sampling import sample
from dpbench.papers.glm.algorithms.centres import objective
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.algorithms.baselines import least_absolute_deviations
from dpbench.papers.heavytail.problem import HeavyTailedProblem

ALGORITHMS = {
    "boosting": ("dpbench.papers.glm.algorithms.boosting", "Boosting"),
    "grid-search": ("dpbench.papers.glm.algorithms.grid_search", "PrivateGridSearch"),
    "jl": ("dpbench.papers.glm.algorithms.jl", "JLMethod"),
    "noisy-gd": ("dpbench.papers.glm.algorithms.noisy_gd", "NoisyGD"),
    "output-perturbation": ("dpbench.papers.glm.algorithms.output_perturbation", "OutputPerturbation"),
}
HEAVY_TAILED = {
    "clipped-subgradient": ("dpbench.papers.heavytail.algorithms.baselines", "ClippedSubgradient"),
    "exponential": ("dpbench.papers.heavytail.algorithms.exponential", "ExponentialMechanism"),
    "nonprivate-truncated": ("dpbench.papers.heavytail.algorithms.baselines", "TruncatedEstimator"),
}
"""Algorithms for the absolute loss without bounds: ε-DP, but for the one whose name says that it is not private."""

BASES = {"boosting": "output-perturbation", "grid-search": "noisy-gd"}
"""What an algorithm over a base is run with here."""

_GAP = 1e-10  # asked of the fit, in units of the zero predictor's risk
_CORNER = 1e-5  # κ of the smoothing of a loss with a corner, in units of the bound on the labels


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
    """One algorithm at one ε: mean empirical excess risk and its t interval over the trials.

    `constant`: every trial had the same risk, so the algorithm answered one thing, whatever its noise.
    """

    algorithm: str
    epsilon: float
    delta: float
    trials: int
    excess: float
    low: float
    high: float
    seconds: float
    constant: bool = False

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def fit(problem: GLMProblem | HeavyTailedProblem) -> Fit:
    """The minimiser of the empirical risk over the ball of the problem's radius, with a certificate.

    By the solver of output perturbation, without a regulariser. A loss with a corner is smoothed, to at most κG²/2
    below it, which the certificate pays for; a linear one has its minimiser at the end of the ball. Heavy-tailed
    problems: linear programming.
    """
    if isinstance(problem, HeavyTailedProblem):
        return _least_absolute_deviations(problem)
    loss, zero = problem.loss, np.zeros(problem.d)
    if loss.smoothness == 0.0:
        slope = np.asarray(problem.X.T @ loss.derivative(problem.X @ zero, problem.y)).reshape(-1)
        w = -problem.radius * slope / (float(np.linalg.norm(slope)) or 1.0)
        return Fit(w, problem.empirical_risk(w), 0.0)
    kappa = 0.0 if math.isfinite(loss.smoothness) else _CORNER * problem.y_bound
    scale = kappa or 1.0
    minimum = minimise(objective(problem, 0.0, problem.radius, kappa), scale * _GAP * problem.empirical_risk(zero))
    lost = 0.5 * kappa * loss.lipschitz**2 if kappa else 0.0
    return Fit(minimum.w, problem.empirical_risk(minimum.w), minimum.distance / scale + lost)


def fit_any_radius(problem: GLMProblem | HeavyTailedProblem, best: Fit) -> tuple[Fit, float]:
    """The non-private fit in a ball that does not bind, or in the widest one tried, and its radius.

    The radius is doubled, from the problem's, until the minimiser lies inside, or the risk falls by less than
    before and less than a thousandth of `best` (classes that can be separated have no minimiser), at most forty times.

    Parameters
    ----------
    problem : GLMProblem or HeavyTailedProblem
    best : Fit
        `fit(problem)`.
    """
    radius, gained, little = problem.radius, 0.0, 1e-3 * abs(best.risk)
    for _ in range(40):
        if np.linalg.norm(best.w) < 0.999 * radius:
            break
        wider = fit(replace(problem, radius=2.0 * radius))
        before, gained = gained, best.risk - wider.risk
        best, radius = wider, 2.0 * radius
        if gained < min(before, little):
            break
    return best, radius


def _least_absolute_deviations(problem: HeavyTailedProblem) -> Fit:
    """The linear program's vertex; the signs of its residuals that are 0 make the subgradient of the certificate.

    Where that lies outside the ball: the minimum over the ball by `fit`'s other road, with the data's own extent for
    bounds, which privacy has no part in here.
    """
    w = least_absolute_deviations(problem)
    if problem.domain == "ball" and float(np.linalg.norm(w)) >= problem.radius * (1.0 - 1e-12):
        extent = float(np.linalg.norm(problem.X, axis=1).max()), float(np.abs(problem.y).max())
        return fit(
            GLMProblem(
                problem.X,
                problem.y,
                loss="absolute",
                x_bound=extent[0] * (1.0 + 1e-12),
                y_bound=extent[1],
                radius=problem.radius,
            )
        )
    r = problem.residuals(w)
    on = np.abs(r) <= 1e-9 * max(1.0, float(np.abs(problem.y).max()))
    pull = np.sign(r[~on]) @ problem.X[~on]
    signs = np.clip(np.linalg.lstsq(problem.X[on].T, -pull, rcond=None)[0], -1.0, 1.0)
    slope = -(pull + signs @ problem.X[on]) / problem.n
    if problem.domain == "box":
        gap = float(slope @ w) + problem.radius * float(np.abs(slope).sum())
    else:
        gap = float(slope @ w) + problem.radius * float(np.linalg.norm(slope))
    return Fit(w, problem.empirical_risk(w), max(0.0, gap))


def algorithms_for(problem: GLMProblem | HeavyTailedProblem) -> dict[str, tuple[str, str]]:
    """The algorithms that take a problem of this kind."""
    return HEAVY_TAILED if isinstance(problem, HeavyTailedProblem) else ALGORITHMS


def mechanism(algorithm: str, epsilon: float, delta: float) -> Any:
    """The named algorithm at (ε, δ) with its defaults, over the base in `BASES` where it takes one.

    Those of `HEAVY_TAILED` are ε-DP or not private at all: δ is not theirs.
    """
    if algorithm in HEAVY_TAILED:
        module, name = HEAVY_TAILED[algorithm]
        return getattr(importlib.import_module(module), name)(epsilon)
    module, name = ALGORITHMS[validation.choice("algorithm", algorithm, ALGORITHMS)]
    base = [mechanism(BASES[algorithm], epsilon, delta)] if algorithm in BASES else []
    return getattr(importlib.import_module(module), name)(*base, epsilon, delta)


def compare(
    problem: GLMProblem | HeavyTailedProblem,
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
    problem : GLMProblem or HeavyTailedProblem
        With the algorithms of `HEAVY_TAILED` for the latter, and δ = 0.
    best : Fit
        What the excess is measured from, see `fit`.
    algorithms : sequence of str
        Names in `algorithms_for(problem)`.
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
    known = algorithms_for(problem)
    for name in algorithms:
        validation.choice("algorithm", name, known)
    if known is HEAVY_TAILED and delta != 0.0:
        raise validation.invalid("delta", "0 for heavy-tailed data, whose algorithms are epsilon-DP", delta)
    runs = [(name, mechanism(name, e, delta), e) for name in algorithms for e in epsilons]
    if not runs:
        raise validation.invalid("epsilon", "a list with at least one number", list(epsilons))

    def risks(outputs: np.ndarray) -> np.ndarray:
        empirical = problem.empirical_risk(outputs)
        if tick is not None:
            tick(len(empirical))
        return empirical

    for name, algorithm, epsilon in runs:
        began = time.perf_counter()
        excess = sample(algorithm, problem, trials, seed=seed, workers=workers, statistic=risks) - best.risk
        centre, half = float(excess.mean()), half_width(excess, confidence)
        seconds = time.perf_counter() - began
        alike = bool(excess.min() == excess.max())
        yield Row(name, float(epsilon), float(delta), trials, centre, centre - half, centre + half, seconds, alike)


def half_width(values: np.ndarray, confidence: float) -> float:
    """Half the width of the t interval of the mean of independent values, shape (trials,)."""
    error = float(values.std(ddof=1)) / math.sqrt(len(values))
    return error * float(stdtrit(len(values) - 1, 0.5 + 0.5 * confidence))
