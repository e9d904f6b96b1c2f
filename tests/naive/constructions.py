"""Slow twins of the constructions' kernels: NumPy on whole arrays of records, one member at a time."""

from __future__ import annotations

import numpy as np


def csr(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices and row starts of rows with one entry at columns[i], or none where it is negative."""
    return columns[columns >= 0], np.concatenate([[0], np.cumsum(columns >= 0)])


def block_labels(
    sigma: np.ndarray, block: int, same: int, changed: int, low: float, middle: float, high: float, n: int
) -> np.ndarray:
    """Blocks of labels, one a coordinate, then zeros."""
    labels = np.full((sigma.size, block), high)
    labels[:, :same] = low
    labels[:, same : same + changed] = (sigma * middle)[:, None]
    return np.concatenate([labels.reshape(-1), np.zeros(n - labels.size)])


def moments(columns: np.ndarray, values: np.ndarray, y: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray, float]:
    """diag XᵀX/n, Xᵀy/n and yᵀy/n of rows values[i]·e_{columns[i]} (zero where columns[i] < 0)."""
    X = np.zeros((y.size, d))
    filled = columns >= 0
    X[filled, columns[filled]] = values[filled]
    return np.diag(X.T @ X) / y.size, X.T @ y / y.size, float(y @ y) / y.size


def cube(rng: np.random.Generator, sigma: np.ndarray, bias: float, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns, labels ±1, and how many labels 1 and −1 lie on each coordinate."""
    columns = rng.integers(0, sigma.size, n)
    labels = np.where(rng.random(n) < 0.5 * (1.0 + bias * sigma[columns]), 1.0, -1.0)
    counts = [[np.sum((columns == j) & (labels == sign)) for sign in (1.0, -1.0)] for j in range(sigma.size)]
    return columns, labels, np.array(counts)


def fingerprints(rng: np.random.Generator, means: np.ndarray, mass: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns (−1 for a zero record) and bits."""
    on = rng.random(n) < mass
    columns = np.where(on, rng.integers(0, means.size, n), -1)
    bits = rng.random(n) < means[np.maximum(columns, 0)]
    return columns, np.where(on & bits, 1.0, 0.0)


def hits(rng: np.random.Generator, chance: float, n: int) -> tuple[np.ndarray, int]:
    """Bernoulli variables and their sum."""
    made = rng.random(n) < chance
    return made.astype(float), int(made.sum())


def distances(power: int, weights: np.ndarray, centre: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """Σ_j weights_j·|w_j − centre_j|^power for each row of `outputs`."""
    return (np.abs(outputs[:, : centre.size] - centre) ** power) @ weights


def absolute_excess(
    means: np.ndarray, weight: float, scale: float, point: np.ndarray, outputs: np.ndarray
) -> np.ndarray:
    """Σ_j weight·E|scale·z_j − w_j|, z_j ~ Bernoulli(means_j), less the same at `point`."""

    def risk(w: np.ndarray) -> np.ndarray:
        return weight * (np.abs(scale - w) @ means + np.abs(w) @ (1.0 - means))

    return risk(outputs[:, : means.size]) - risk(point)


def two_piece_excess(
    sign: float, bias: float, label: float, x_bound: float, least: float, outputs: np.ndarray
) -> np.ndarray:
    """Mean over labels ±label, of mean bias·label, of r² (up to 1/2) or |r| − 1/4 (beyond), less `least`."""

    def piece(r: np.ndarray) -> np.ndarray:
        return np.where(np.abs(r) <= 0.5, r * r, np.abs(r) - 0.25)

    z = sign * x_bound * outputs[:, 0]
    return 0.5 * (1.0 + bias) * piece(z - label) + 0.5 * (1.0 - bias) * piece(z + label) - least
