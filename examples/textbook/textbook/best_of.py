"""The best of k runs: what a search costs that releases its best run and throws the others away.

*A fixed number of runs.* The best of k is a function of all k, so k runs of an ε-DP mechanism are kε-DP in all. Nothing
less holds: where one outcome is the worst and has probabilities x and xe^{−ε} on two data sets, "the best is that one"
has x^k and (xe^{−ε})^k.

*Where the number that is released is the score*, with distribution functions F and G and f/g rising: F/G rises as well,
since F(t)/G(t) is a mean of f/g below t, and so does the ratio kfF^{k−1}/(kgG^{k−1}) of the densities of the best. The
best events are half-lines, and (`gaussian_best`)

    δ(ε) = max over t of  1 − F(t)^k − e^ε (1 − G(t)^k)  and  G(t)^k − e^ε F(t)^k.

*A geometric number of runs*, P(K = j) = γ(1 − γ)^{j−1}, is 3ε-DP for any γ (Liu and Talwar 2019; Papernot and Steinke
2022). An outcome of mass v with mass u above it is the best with probability γv/((γ + (1 − γ)(u + v))(γ + (1 − γ)u)),
where v, u + v and u change by a factor of at most e^ε each.

`known` states the three, each with a control.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr

from dpbench.privacy.profile import Profile


@dataclass(frozen=True)
class best_of:
    """A sampler of the best of `runs` independent runs of `sampler`, for `dpbench.audit`.

    Attributes
    ----------
    sampler : callable
        ``sampler(dataset, trials, rng)``: an array, a row for each run.
    runs : int
        k ≥ 1.
    score : callable, optional
        From the array to a number for each row, of which the largest is best. Default: the numbers themselves.
    """

    sampler: Callable[[Any, int, np.random.Generator], np.ndarray]
    runs: int
    score: Callable[[np.ndarray], np.ndarray] | None = None

    def __call__(self, dataset: Any, trials: int, rng: np.random.Generator) -> np.ndarray:
        outputs = np.asarray(self.sampler(dataset, trials * self.runs, rng))
        scores = outputs if self.score is None else self.score(outputs)
        best = np.argmax(np.reshape(scores, (trials, self.runs)), axis=1)
        return outputs[np.arange(trials) * self.runs + best]


def gaussian_best(mu: float, runs: int) -> Profile:
    """The exact profile of the largest of k numbers with unit Gaussian noise, which a record moves by μ."""
    why = "the largest of several Gaussians: half-lines are the best events"
    return Profile("exact", why, partial(_delta, mu=mu, runs=runs), error_of=partial(_error, runs=runs))


def _delta(epsilon: float, mu: float, runs: int) -> float:
    def above(t: float) -> float:
        return math.exp(epsilon) * math.expm1(runs * log_ndtr(t)) - math.expm1(runs * log_ndtr(t - mu))

    def below(t: float) -> float:
        return math.exp(runs * log_ndtr(t)) - math.exp(epsilon + runs * log_ndtr(t - mu))

    largest = 0.0
    for excess in (above, below):
        grid = np.linspace(-10.0, 10.0 + mu, 401)
        start = grid[int(np.argmax([excess(t) for t in grid]))]
        near = (start - 0.1, start + 0.1)
        found = minimize_scalar(lambda t, excess=excess: -excess(t), bounds=near, options={"xatol": 1e-10})
        largest = max(largest, excess(start), -float(found.fun))
    return largest


def _error(epsilon: float, runs: int) -> float:
    """A few rounding units of both terms."""
    return 1e-14 * runs * (1.0 + math.exp(epsilon))
