"""Slow twins of the floors that entries prove: regimes by case, from the paper and the docstrings; nothing of ours."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaln
from scipy.stats import binom

Law = list[tuple[float, float]]


def sixteen(n: int, h: float, y: float) -> float:
    """Theorem 16 corrected, h = √H·B‖X‖: mY/√n up to m = Y/√n, where zero's m² takes over; 1/11 of it."""
    m = y if h > y else h
    z = m * math.sqrt(n) / y
    return m * y / math.sqrt(n) * (z if z < 1.0 else 1.0) / 11.0


def fifth(n: int, d: int, h: float, y: float) -> float:
    """Corollary 5 corrected, in units of Y²; 1/78 of the smallest term."""
    a = h / y
    return y * y * sorted((1.0, a * a, (a * a + d) / n, a / math.sqrt(n)))[0] / 78.0


def fourth_printed(size: float, d: int, r: float) -> float:
    """Theorem 4 over Y², size = nε: √d·r/N where r exceeds d^{3/2}/N, the power 4/3 below; at most 1."""
    value = math.sqrt(d) * r / size if r * size > d**1.5 else (r * r / size) ** (2.0 / 3.0)
    return 1.0 if value > 1.0 else value


def fourth_corrected(size: float, d: int, r: float) -> float:
    """What replaces it, N ≥ 1: below r = 1/N nobody loses more than r², in one dimension no more than 1/N."""
    if r * size < 1.0:
        return r * r
    if d == 1:
        return (r if r < 1.0 else 1.0) / size
    value = math.sqrt(d) * r / size if r * size > d**1.5 else (r * r / size) ** (2.0 / 3.0)
    if r >= 1.0 and r * r / size > value:
        value = r * r / size
    if r < 1.0 and r * r < value:
        value = r * r
    return 1.0 if value > 1.0 else value


def group(epsilon: float, delta: float, distance: int) -> Law:
    """(P, Q) of each outcome that group privacy leaves: a leak on either side, and randomised response at Δε."""
    leak = sum(delta * math.exp(i * epsilon) for i in range(distance))
    leak = 1.0 if leak > 1.0 else leak
    high = (1.0 - leak) / (1.0 + math.exp(-distance * epsilon))
    return [(leak, 0.0), (0.0, leak), (high, 1.0 - leak - high), (1.0 - leak - high, high)]


def sign_left(law: Law) -> float:
    """E[4π(1 − π)] of a fair coin that chose P or Q."""
    return sum(2.0 * p * q / (p + q) for p, q in law if p + q > 0.0)


def least_of_two(law: Law, grid: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """The least Σ over outcomes of p·first(w) + q·second(w), each outcome with its best w of the grid."""
    return float(sum((p * first + q * second).min() for p, q in law))


def two_piece_floor(n: int, label: float, bias: float) -> float:
    """Excess of zero for σ = 1, by a search over z, times 1 − TV of the number of positive labels, term by term."""

    def loss(r: np.ndarray) -> np.ndarray:
        return np.where(np.abs(r) <= 0.5, r * r, np.abs(r) - 0.25)

    z = np.append(np.linspace(label - 1.0, label, 400_001), 0.0)
    risk = 0.5 * (1.0 + bias) * loss(z - label) + 0.5 * (1.0 - bias) * loss(z + label)
    shared = 0.0
    for k in range(n + 1):
        up, down = (math.comb(n, k) * (0.5 + 0.5 * s * bias) ** k * (0.5 - 0.5 * s * bias) ** (n - k) for s in (1, -1))
        shared += up if up < down else down
    return float(risk[-1] - risk.min()) * shared


def cube_floor(n: int, active: int, bias: float, y: float) -> float:
    """(b²Y²/2)·E[4π(1 − π)], by the number of labels on a coordinate and of positive ones among them."""
    total = 0.0
    for k in range(n + 1):
        here = math.comb(n, k) * active**-k * (1.0 - 1.0 / active) ** (n - k)
        for j in range(k + 1):
            up, down = (
                math.comb(k, j) * (0.5 + 0.5 * s * bias) ** j * (0.5 - 0.5 * s * bias) ** (k - j) for s in (1, -1)
            )
            total += here * (2.0 * up * down / (up + down) if up + down > 0.0 else 0.0)
    return 0.5 * bias**2 * y**2 * total


def fingerprint_exact(
    n: int, active: int, mass: float, beta: float, epsilon: float, delta: float, power: float, size: float
) -> float:
    """Theorem 11 with its constants kept, `size` = B‖X‖ and `power` = 1/p."""
    inner = 0.25 - 2.0 * beta - n * mass * (math.exp(epsilon) - 1.0 + delta) / (2.0 * active)
    return size * mass / ((1.0 + 2.0 * beta) * active**power) * inner


def fingerprint_tight(
    n: int, active: int, mass: float, beta: float, epsilon: float, delta: float, power: float, size: float
) -> float:
    """The notes of `fingerprinting`: over the minimiser, E|μ − 1/2| less the correlations that privacy allows."""
    apart = (math.exp(epsilon) - 1.0 + 2.0 * delta) / (math.exp(epsilon) + 1.0)
    spread = 4.0**-beta / (beta * math.exp(betaln(beta, beta)))
    return size * mass / active**power * (spread - n * mass * apart / (2.0 * active * (1.0 + 2.0 * beta)))


def fingerprint_printed(n: int, rank: int, epsilon: float, power: float, size: float) -> float:
    """Theorem 11 as printed, low rank."""
    return size * rank ** (1.0 - power) / (1024.0 * n * epsilon)


def rare_floor(n: int, d: int, epsilon: float, theta: float, coordinates: bool) -> float:
    """The packing of rare records: a code by Gilbert and Varshamov, the p with P(K > k) = 1/4 by bisection."""
    words = 2**d // sum(math.comb(d, i) for i in range(d) if 4 * i < d)
    words += 2**d % sum(math.comb(d, i) for i in range(d) if 4 * i < d) > 0
    k = 0
    while k < n - 1 and math.exp((k + 1) * epsilon) <= 0.5 * words * (1.0 + 1e-9):
        k += 1
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if binom.sf(k, n, middle) < 0.25 else (low, middle)
    longest = low ** (-1.0 / theta) * (math.sqrt(d) if coordinates else 1.0)
    return (0.75 - math.exp(k * epsilon) / words) * low * longest / 8.0
