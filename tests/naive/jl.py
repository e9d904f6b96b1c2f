"""Algorithm 2 of the GLM paper, line by line, and the law of its output on a line; plain loops, one trial."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from naive.noisy_gd import average, noisy_gd


def random_map(kind: str, draws: np.ndarray) -> np.ndarray:
    """Φ, shape (k, d), from one draw an entry, shape (d, k): standard normals, or uniforms on [0, 1)."""
    d, k = draws.shape
    phi = np.zeros((k, d))
    for j in range(d):
        for i in range(k):
            u = draws[j, i]
            if kind == "gaussian":
                phi[i, j] = u / math.sqrt(k)
            elif kind == "rademacher":
                phi[i, j] = (1 if u < 1 / 2 else -1) / math.sqrt(k)
            elif u < 1 / 3:
                phi[i, j] = (1 if u < 1 / 6 else -1) * math.sqrt(3 / k)
    return phi


def projected(phi: np.ndarray, X: np.ndarray, bound: float = math.inf) -> np.ndarray:
    """Φx_i as rows, those longer than `bound` scaled down to it."""
    rows = []
    for x in X:
        image = [math.fsum(phi[i, j] * x[j] for j in range(len(x))) for i in range(len(phi))]
        length = math.sqrt(math.fsum(v * v for v in image))
        rows.append([v * min(1.0, bound / length) if length else v for v in image])
    return np.array(rows)


def jl_method(
    phi: np.ndarray,
    X: np.ndarray,
    y: np.ndarray,
    slope: Callable[[float, float], float],
    radius: float,
    step_size: float,
    xi: Sequence[np.ndarray],
    bound: float,
) -> np.ndarray:
    """Φᵀw̃; `radius` is B."""
    w = average(noisy_gd(projected(phi, X, bound), y, slope, 2 * radius, step_size, xi))
    return np.array([math.fsum(phi[i, j] * w[i] for i in range(len(w))) for j in range(phi.shape[1])])


def hockey_stick_on_a_line(k: int, mu: float, epsilon: float) -> float:
    """δ(ε) of ⟨u, Φᵀw̃⟩ under S and S': mixtures of N(±μr²/2, r²) over r² ~ χ²_k/k, integrated on a grid."""
    r = np.linspace(0.0, 8.0, 4001)[1:]
    density = r ** (k - 1) * np.exp(-k * r**2 / 2)
    density /= density.sum()
    s = np.linspace(-40.0, 40.0, 8001)
    p, q = np.zeros_like(s), np.zeros_like(s)
    for weight, length in zip(density, r, strict=True):
        for out, sign in ((p, 1), (q, -1)):
            out += weight * np.exp(-((s - sign * mu * length**2 / 2) ** 2) / (2 * length**2)) / length
    excess = np.maximum(p - math.exp(epsilon) * q, 0.0)
    return float(excess.sum() * (s[1] - s[0]) / math.sqrt(2 * math.pi))
