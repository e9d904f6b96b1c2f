"""Slow twins of the auditor's fits: dense algebra, one column at a time."""

from __future__ import annotations

import bisect
import math

import numpy as np


def newton(
    x: np.ndarray, hits: np.ndarray, total: np.ndarray, beta: np.ndarray, penalty: np.ndarray, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Newton steps of ridge-penalised logistic regression, none above 4; coefficients and inverse Hessian."""
    inverse = np.empty((0, 0))
    for _ in range(steps):
        chance = 1.0 / (1.0 + np.exp(-(x @ beta)))
        hessian = x.T @ np.diag(total * chance * (1.0 - chance)) @ x + np.diag(penalty)
        inverse = np.linalg.inv(hessian)
        step = inverse @ (x.T @ (hits - total * chance) - penalty * beta)
        beta = beta + step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-300))
    return beta, inverse


def evidence_fit(
    designs: list[np.ndarray],
    counts: list[tuple[np.ndarray, np.ndarray]],
    rounds: int,
    start: float,
    ridge: tuple[float, float],
    gone: float,
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """MacKay's fixed point with ridge weights shared by the features: (kept columns, coefficients, covariance)."""
    width = max(x.shape[1] for x in designs)
    live = [list(range(x.shape[1])) for x in designs]
    shared, own = np.full(width, start), [1.0] * len(designs)
    beta = [np.zeros(x.shape[1]) for x in designs]
    spread = [np.empty((0, 0))] * len(designs)
    for round_ in range(rounds):
        used, size = np.full(width, 1e-3), np.full(width, 1e-12)
        for j, (x, (first, second)) in enumerate(zip(designs, counts, strict=True)):
            penalty = np.clip(own[j] * shared[live[j]], *ridge)
            penalty[0] = 1e-6
            beta[j], spread[j] = newton(x[:, live[j]], first, first + second, beta[j], penalty, 1 if round_ else 3)
            gained = np.clip(1.0 - penalty * np.diag(spread[j]), 0.0, 1.0)
            squares = beta[j] ** 2
            used[live[j]] += gained
            size[live[j]] += own[j] * squares
            if len(designs) > 1:
                own[j] = (gained[1:].sum() + 1e-3) / ((shared[live[j]] * squares)[1:].sum() + 1e-12)
            if round_ < rounds - 1:
                kept = [a == 0 or gained[a] > gone for a in range(len(live[j]))]
                live[j] = [column for column, keeps in zip(live[j], kept, strict=True) if keeps]
                beta[j] = beta[j][kept]
        own = [min(max(o, 1e-9), 1e9) for o in own]
        middle = math.exp(sum(math.log(o) for o in own) / len(own))
        own = [o / middle for o in own]
        shared = np.clip(used / size, *ridge)
    return [(np.array(k), b, s) for k, b, s in zip(live, beta, spread, strict=True)]


def cell(value: float, low: float, scale: float, cells: int) -> int:
    """The cell of a uniform grid with unbounded ends; NaN in the first."""
    place = (value - low) * scale
    return 0 if math.isnan(place) or place < 0.0 else int(min(place, cells - 1.0))


def place(value: float, edges: list[float]) -> int:
    """How many edges are at most the value; NaN is above all of them."""
    return len(edges) if math.isnan(value) else bisect.bisect_right(edges, value)


def rising(hits: list[float], misses: list[float]) -> list[float]:
    """Isotonic regression of the shares by its max-min formula (Barlow et al. 1972), every pair of ends tried."""

    def share(start: int, stop: int) -> float:
        pairs = zip(hits[start:stop], misses[start:stop], strict=True)
        weights = [(h, h + m) if h + m > 0.0 else (0.5e-9, 1e-9) for h, m in pairs]
        return sum(h for h, _ in weights) / sum(n for _, n in weights)

    size = len(hits)
    return [max(min(share(j, k) for k in range(i + 1, size + 1)) for j in range(i + 1)) for i in range(size)]


def rise_and_fall(hits: list[float], misses: list[float], mode: int) -> tuple[list[float], float]:
    """Chances that rise before the mode and fall from it on, and their log-likelihood."""
    fall = rising(hits[mode:][::-1], misses[mode:][::-1])[::-1]
    chance = rising(hits[:mode], misses[:mode]) + fall
    parts = [(n, c) for h, m, x in zip(hits, misses, chance, strict=True) for n, c in ((h, x), (m, 1.0 - x))]
    return chance, sum(n * math.log(c) for n, c in parts if n > 0.0)
