"""The JL method, RRSPM on lines and stumps and the exponential mechanism, as one writes them in NumPy: peers' code.

Nothing of the package is used here; constants (dimension, noise, step size, scale, ι) are the caller's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Slope = Callable[[np.ndarray, np.ndarray], np.ndarray]


def jl_trial(
    X: Any,
    y: np.ndarray,
    slope: Slope,
    phi: np.ndarray,
    *,
    clip: float,
    radius: float,
    eta: float,
    steps: int,
    noise: Callable[[], np.ndarray],
) -> np.ndarray:
    """Algorithm 2 of the GLM paper with Φ = `phi`, shape (k, d): one output, shape (d,).

    Projected records are clipped to norm `clip`; the descent is on the ball of radius 2·`radius`, from 0, over the
    average of its iterates; `noise` gives the noise of a step, shape (k,).
    """
    Z = np.asarray(X @ phi.T)
    Z *= np.minimum(1.0, clip / np.maximum(np.linalg.norm(Z, axis=1), 1e-300))[:, np.newaxis]
    w, total = np.zeros(len(phi)), np.zeros(len(phi))
    for _ in range(steps - 1):
        w = w - eta * (Z.T @ slope(Z @ w, y) / len(y) + noise())
        norm = np.linalg.norm(w)
        if norm > 2.0 * radius:
            w *= 2.0 * radius / norm
        total += w
    return phi.T @ (total / steps)


def rrspm_thresholds(
    x: np.ndarray, y: np.ndarray, public: np.ndarray, scale: float, trials: int, rng: np.random.Generator
) -> np.ndarray:
    """Algorithm 4 of the public-data paper on thresholds with Laplace weights, shape (trials, 1).

    The points are sorted once. f_t is 1 from t on; the output is the least of −∞, the public points and ∞ that says
    of the public points what the minimiser says.
    """
    weights = rng.laplace(0.0, scale, (trials, len(public)))
    coins = 2.0 * rng.integers(0, 2, (trials, len(public))) - 1.0
    points = np.concatenate([x, public])
    order, ordered_public = np.argsort(points), np.sort(public)
    costs = np.concatenate([-y, np.empty(len(public))])
    out = np.empty((trials, 1))
    for row in range(trials):
        costs[len(y) :] = -weights[row] * coins[row]
        below = np.concatenate([[0.0], np.cumsum(costs[order])])  # of the points that f_t calls −1
        first = int(np.argmax(below))
        cut = points[order[first]] if first < len(points) else math.inf
        place = int(np.searchsorted(ordered_public, cut))
        out[row] = -math.inf if place == 0 else (ordered_public[place] if place < len(public) else math.inf)
    return out


def rrspm_stumps(
    x: np.ndarray, y: np.ndarray, public: np.ndarray, scale: float, trials: int, rng: np.random.Generator
) -> np.ndarray:
    """The same on stumps: outputs (j, s, t), shape (trials, 3), the first that says of the public points as much.

    Each feature is sorted once. f_{j,s,t} is s from t on along feature j, −s below.
    """
    weights = rng.laplace(0.0, scale, (trials, len(public)))
    coins = 2.0 * rng.integers(0, 2, (trials, len(public))) - 1.0
    points = np.concatenate([x, public])
    orders = [np.argsort(column) for column in points.T]
    costs = np.concatenate([-y, np.empty(len(public))])
    out = np.empty((trials, 3))
    for row in range(trials):
        costs[len(y) :] = -weights[row] * coins[row]
        total, best = costs.sum(), math.inf
        for j, order in enumerate(orders):
            below = np.concatenate([[0.0], np.cumsum(costs[order])])
            for s, place in ((1.0, int(np.argmax(below))), (-1.0, int(np.argmin(below)))):
                value = total - below[place] if s > 0.0 else below[place]
                if value < best:
                    cut = points[order[place], j] if place < len(points) else math.inf
                    best, labels = value, np.where(public[:, j] >= cut, s, -s)
        out[row] = _first_stump(public, labels)
    return out


def _first_stump(public: np.ndarray, labels: np.ndarray) -> tuple[float, float, float]:
    if (labels == labels[0]).all():
        return 0.0, 1.0, -math.inf if labels[0] > 0.0 else math.inf
    for j, column in enumerate(public.T):
        for s in (1.0, -1.0):
            cut = column[labels == s].min()
            if column[labels != s].max() < cut:
                return float(j), s, float(cut)
    raise ValueError("no stump has these labels")


def psi(x: np.ndarray, theta: float) -> np.ndarray:
    """Equations 6 and 16 of the heavy-tailed paper for x ≥ 0."""
    capped = np.minimum(x, 1.0)
    return -np.log1p(capped**theta / theta - capped)


def log_weights(
    X: np.ndarray, y: np.ndarray, points: np.ndarray, iota: float, theta: float, weight: float
) -> np.ndarray:
    """−`weight`·Σ_i ψ(ι|y_i − ⟨x_i, w⟩|) at the rows w of `points`, a few of them at a time."""
    few = max(1, 100_000 // len(y))
    parts = [points[at : at + few] for at in range(0, len(points), few)]
    return np.concatenate([-weight * psi(iota * np.abs(y - part @ X.T), theta).sum(axis=1) for part in parts])


def enumerated(logs: np.ndarray, trials: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers of net points, drawn with probabilities ∝ exp(`logs`)."""
    p = np.exp(logs - logs.max())
    return rng.choice(len(p), trials, p=p / p.sum())


def chain(
    log_weight: Callable[[np.ndarray], float],
    inside: Callable[[np.ndarray], bool],
    start: np.ndarray,
    root: np.ndarray,
    steps: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Metropolis' random walk on integer vectors: `steps` states after `start`, shape (steps, d).

    Proposals are the state plus `root` times standard normals, rounded (symmetric); what is not `inside` is refused.
    """
    states, now, height = np.empty((steps, len(start))), start, log_weight(start)
    jumps, chances = np.rint(rng.standard_normal((steps, len(start))) @ root.T), np.log(rng.random(steps))
    for step in range(steps):
        tried = now + jumps[step]
        if inside(tried):
            found = log_weight(tried)
            if chances[step] < found - height:
                now, height = tried, found
        states[step] = now
    return states


def transitions(logs: np.ndarray, apart: np.ndarray, jump: np.ndarray) -> np.ndarray:
    """The transition matrix of `chain` on a net on a line, whose point i has log-weight `logs[i]`.

    Parameters
    ----------
    apart : int64[N, N]
        Steps of the lattice between two points, at most len(jump) − 1.
    jump : float64[K]
        Probability of a proposal that far to one side.
    """
    moves = jump[apart] * np.exp(np.minimum(0.0, logs[np.newaxis] - logs[:, np.newaxis]))
    np.fill_diagonal(moves, 0.0)
    np.fill_diagonal(moves, 1.0 - moves.sum(axis=1))
    return moves


def steps_to(law: np.ndarray, moves: np.ndarray, start: int, distance: float) -> int:
    """Steps after which the chain's state is within this total variation distance of `law`; that never grows."""
    states, count = np.zeros(len(law)), 0
    states[start] = 1.0
    while 0.5 * np.abs(states - law).sum() > distance:
        states, count = states @ moves, count + 1
    return count


def autocorrelation_time(series: np.ndarray) -> float:
    """Σ of the autocorrelations over all lags, the largest of the columns' (Sokal's window: 5 times the sum)."""
    found = 1.0
    for column in series.T:
        centred = column - column.mean()
        power = np.abs(np.fft.rfft(centred, 2 * len(centred))) ** 2
        correlation = np.fft.irfft(power)[: len(centred)]
        times = 2.0 * np.cumsum(correlation / correlation[0]) - 1.0
        windows = np.arange(len(times)) >= 5.0 * times
        found = max(found, float(times[np.argmax(windows)] if windows.any() else times[-1]))
    return found
