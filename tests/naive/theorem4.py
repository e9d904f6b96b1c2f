"""Slow twins for Theorem 4 of the GLM paper: records in loops, a linear programme, importing nothing of the project."""

from __future__ import annotations

import math

import numpy as np

Record = tuple[list[float], float]


def norm_packing_records(
    n: int, d: int, active: int, block: int, differing: int, sigma: list[int], x: float, y: float, radius: float
) -> list[Record]:
    """S_σ: the feature is scaled so that the minimiser, σ_j·differing·y/(block·feature), is σ_j·radius/√active."""
    feature = math.sqrt(active) * differing * y / (block * radius)
    label = y
    if feature > x * (1.0 + 1e-9):  # too few records for labels of size y: smaller labels, full features
        feature, label = x, radius * x * block / differing
    records: list[Record] = []
    for j in range(active):
        for i in range(block):
            point = [0.0] * d
            point[j] = min(feature, x)
            records.append((point, sigma[j] * label if i < differing else 0.0))
    return records + [([0.0] * d, 0.0)] * (n - len(records))


def large_radius_records(
    n: int, d: int, block: int, pulled: int, member: int, x: float, y: float, radius: float
) -> list[Record]:
    """Member 0: `block` records ((y/B)e_1, y). Member 1 has `pulled` long ones with label 0 and one along e_2 more."""
    first = y / radius
    records: list[Record] = [([first, *[0.0] * (d - 1)], y)] * block
    if member == 1:
        records += [([first * math.sqrt(block / pulled), *[0.0] * (d - 1)], 0.0)] * pulled
        c = min(x, 2.0 * y / (math.sqrt(3.0) * radius))
        records.append(([0.0, c, *[0.0] * (d - 2)], math.sqrt(3.0) / 2.0 * c * radius))
    return records + [([0.0] * d, 0.0)] * (n - len(records))


def minimiser(records: list[Record]) -> np.ndarray:
    """The least-squares solution of least norm, by the pseudo-inverse."""
    features = np.array([point for point, _ in records])
    return np.linalg.pinv(features) @ np.array([label for _, label in records])


def halved_gains(xs: list[float], ys: list[float], radius: float, y_bound: float) -> list[float]:
    """Half of what the clipped gain over zero at B exceeds that at −B by, record by record."""
    halves = []
    for x, y in zip(xs, ys, strict=True):
        gains = [max(y * y - (side * radius * x - y) ** 2, -y_bound * y_bound) for side in (1.0, -1.0)]
        halves.append((gains[0] - gains[1]) / 2.0)
    return halves


def sign_release_excess(xs: list[float], ys: list[float], radius: float, y_bound: float, epsilon: float) -> float:
    """Exact mean excess of "release ±B by the noisy sign of half the difference of clipped gains", in one dimension."""
    n = len(xs)
    mean, scale = sum(halved_gains(xs, ys, radius, y_bound)) / n, 2.0 * y_bound * y_bound / (n * epsilon)
    low = 0.5 * math.exp(-abs(mean) / scale)
    chance_of_minus = low if mean > 0 else 1.0 - low  # P(mean + Laplace < 0)
    risks = {s: sum((s * radius * x - y) ** 2 for x, y in zip(xs, ys, strict=True)) / n for s in (1.0, -1.0)}
    least = min(risks.values())
    return chance_of_minus * risks[-1.0] + (1.0 - chance_of_minus) * risks[1.0] - least
