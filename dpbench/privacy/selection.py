"""Private selection of one of N candidates with a small score: two mechanisms, their probabilities and profiles.

*Generalised exponential mechanism* (Raskhodnikova & Smith 2015): candidate i has a
score q_i that a neighbouring data set moves by at most γ_i. With t = 2 log(N/β)/ε,

    s_i = max_j ((q_i + tγ_i) − (q_j + tγ_j))/(γ_i + γ_j) ≥ 0        (j = i counts as 0),

and i is chosen with probability proportional to exp(−εs_i/2). One record moves every s_i by at most 1, whatever
the scale of its score, so the choice is ε-DP; and with probability at least 1 − β the chosen score is at most
min_j (q_j + 4γ_j log(N/β)/ε), since some s_j is 0.

*Report noisy max* (Dwork & Roth 2014, Claim 3.9): the least of q_i + Laplace(b). If one record moves every score
by at most Δ, in any direction, the choice is (2Δ/b)-DP.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import logsumexp

from dpbench.core import validation
from dpbench.privacy._selection_kernels import selection_logs
from dpbench.privacy.discrete import pair_from_logs
from dpbench.privacy.profile import Profile, discrete_profile, no_privacy, pure_profile

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_PANEL = 2.0  # length, in scales of the noise, on which 20 nodes integrate to the last bits
_FARTHEST = 1e4  # scales between two scores
_TAIL = 45.0  # scales beyond the last kink: e^{−45} of what is inside


def generalized_exponential(scores: Any, sensitivities: Any, epsilon: float, beta: float) -> np.ndarray:
    """Log-probabilities of the generalised exponential mechanism; small scores are good.

    Parameters
    ----------
    scores : array_like, shape (..., N)
        q_i, for any number of independent runs.
    sensitivities : array_like, shape (N,)
        γ_i ≥ 0, at most one of them 0.
    epsilon, beta : float
        ε > 0 and the confidence β in (0, 1).

    Returns
    -------
    ndarray, shape (..., N)

    Raises
    ------
    InvalidInput
        For two sensitivities of 0, negative ones, or lengths that differ.
    """
    epsilon, beta = validation.epsilon(epsilon), validation.fraction("beta", beta)
    gammas = validation.array("sensitivities", sensitivities, ndim=1)
    if gammas.min() < 0.0 or np.count_nonzero(gammas == 0.0) > 1:
        raise validation.invalid("sensitivities", "numbers >= 0 of which at most one is 0", gammas.tolist())
    q = validation.array("scores", scores, ndim=max(1, np.ndim(scores)), width=gammas.size)
    shifted = np.ascontiguousarray(q + 2.0 * math.log(gammas.size / beta) / epsilon * gammas)
    logs = np.empty_like(shifted)
    selection_logs(shifted.reshape(-1, gammas.size), gammas, epsilon, logs.reshape(-1, gammas.size))
    return logs


def generalized_exponential_guarantee(epsilon: float, excess: float = 1.0) -> Profile:
    """Upper profile where one record moves q_i by at most `excess`·γ_i for every i: excess·ε, pure.

    `excess` = 1 is Theorem 12; another number says that the sensitivities in use are too small or too large.
    """
    excess = validation.real("excess", excess, at_least=0.0)
    why = "exponential mechanism over scores that one record moves by at most 1"
    return pure_profile(validation.epsilon(epsilon) * excess, why=why)


def generalized_exponential_pair(
    scores: Any, neighbour_scores: Any, sensitivities: Any, epsilon: float, beta: float
) -> Profile:
    """The exact profile of two score vectors, shape (N,) each, from the N probabilities of either."""
    logs = [generalized_exponential(q, sensitivities, epsilon, beta) for q in (scores, neighbour_scores)]
    return discrete_profile(pair_from_logs(*logs), why="probabilities of the generalised exponential mechanism")


def draw(log_probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One index for each row of `log_probabilities`, shape (trials, N), by the largest of log p + Gumbel noise."""
    return np.asarray(np.argmax(log_probabilities + rng.gumbel(size=log_probabilities.shape), axis=-1))


def report_noisy_max(scores: np.ndarray, scale: float, rng: np.random.Generator) -> np.ndarray:
    """The index of the least score + Laplace(`scale`) in each row of `scores`, shape (trials, N).

    NumPy's: nearly all of the time is the noise, and a kernel is slower.
    """
    return np.asarray(np.argmin(scores + scale * rng.laplace(size=scores.shape), axis=-1))


def noisy_max_scale(sensitivity: float, epsilon: float) -> float:
    """The scale b = 2Δ/ε that makes report noisy max ε-DP for scores of sensitivity Δ."""
    return 2.0 * validation.real("sensitivity", sensitivity, at_least=0.0) / validation.epsilon(epsilon)


def noisy_max_guarantee(sensitivity: float, scale: float) -> Profile:
    """Upper profile of report noisy max where one record moves every score by at most Δ: 2Δ/b, pure."""
    sensitivity = validation.real("sensitivity", sensitivity, at_least=0.0)
    scale = validation.real("scale", scale, at_least=0.0)
    why = "report noisy max: a record that moves the noise of one candidate by 2 Delta brings its choice back"
    if sensitivity == 0.0:
        return pure_profile(0.0, why="the scores do not depend on the record")
    if scale == 0.0:
        return no_privacy("report noisy max without noise")
    return pure_profile(2.0 * sensitivity / scale, why=why)


def noisy_max(scores: Any, scale: float) -> np.ndarray:
    """Log-probabilities of report noisy max, shape (N,), for scores of shape (N,) and b > 0.

    P(i) = ∫ f(x) Π_{j ≠ i} P(q_j + Laplace(b) > q_i + x) dx, by Gauss–Legendre panels between the kinks of the
    integrand, all terms positive and in logs; relative error below 1e-10.

    Raises
    ------
    InvalidInput
        For scores more than 10,000 scales apart: nothing is left there but underflow.
    """
    q = validation.array("scores", scores, ndim=1) / validation.real("scale", scale, above=0.0)
    if np.ptp(q) > _FARTHEST:
        raise validation.invalid("scale", f"at least {np.ptp(q) * scale / _FARTHEST:g} for these scores", scale)
    edges = np.concatenate((q, [q.min() - _TAIL, q.max() + _TAIL]))
    steps = np.arange(edges.min(), edges.max() + _PANEL, _PANEL)
    edges = np.unique(np.concatenate((edges, steps[steps < edges.max()])))
    half = 0.5 * np.diff(edges)[:, None]
    x = (edges[:-1, None] + half + half * _NODES).ravel()
    log_weights = np.log((half * _WEIGHTS).ravel())
    apart = x - q[:, None]  # what the noise of candidate i is at the noisy score x
    with np.errstate(divide="ignore"):
        log_above = np.where(apart > 0.0, -math.log(2.0) - apart, np.log1p(-0.5 * np.exp(np.minimum(apart, 0.0))))
    log_density = -np.abs(apart) - math.log(2.0)
    logs = logsumexp(log_density + log_above.sum(axis=0) - log_above + log_weights, axis=1)
    return np.asarray(logs - logsumexp(logs))
