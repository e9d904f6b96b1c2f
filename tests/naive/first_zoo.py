"""Exact ε of the zoo's pairs by slow roads: mpmath quadrature over noise, enumeration of outputs, closed
tails."""

from __future__ import annotations

import itertools
import math

import mpmath


def laplace_density(x: mpmath.mpf, scale: float) -> mpmath.mpf:
    return mpmath.exp(-abs(x) / scale) / (2 * scale)


def laplace_below(x: mpmath.mpf, scale: float) -> mpmath.mpf:
    """P(Lap(scale) < x); scale 0 is the constant 0."""
    if scale == 0:
        return mpmath.mpf(1 if x > 0 else 0)
    return mpmath.exp(x / scale) / 2 if x < 0 else 1 - mpmath.exp(-x / scale) / 2


def shift_epsilon(shifts: list[float], scale: float) -> float:
    """Independent Laplace coordinates: the supremum of the log-density ratio, on a grid that has the
    kinks."""
    total = 0.0
    for shift in shifts:
        points = [k * abs(shift) / 4.0 for k in range(-40, 41)]
        total += max(abs(abs(x - shift) - abs(x)) / scale for x in points)
    return total


def gaussian_epsilon(mu: float, delta: float) -> float:
    """ε with Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2) = δ, by bisection with 30 digits."""
    with mpmath.workdps(30):

        def excess(e: mpmath.mpf) -> mpmath.mpf:
            return mpmath.ncdf(-e / mu + mu / 2) - mpmath.exp(e) * mpmath.ncdf(-e / mu - mu / 2) - delta

        low, high = mpmath.mpf(0), mpmath.mpf(50)
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if excess(middle) > 0 else (low, middle)
        return float(high)


def geometric_epsilon(rate: float) -> float:
    """Two-sided geometric noise, inputs 0 and 1: the largest ratio of masses over −60..60, by convolution."""

    def mass(k: int) -> float:
        return math.fsum(
            (1 - math.exp(-rate)) ** 2 * math.exp(-rate * (i - 1)) * math.exp(-rate * (i - k - 1))
            for i in range(max(1, k + 1), max(1, k + 1) + 400)
        )

    return max(abs(math.log(mass(k) / mass(k - 1))) for k in range(-60, 61))


def flipped_bits_epsilon(one: tuple[float, ...], other: tuple[float, ...], flip: float) -> float:
    """Independent bit flips: all outputs enumerated."""

    def mass(truth: tuple[float, ...], seen: tuple[int, ...]) -> float:
        return math.prod(flip if bool(t) != bool(s) else 1.0 - flip for t, s in zip(truth, seen, strict=True))

    outputs = itertools.product((0, 1), repeat=len(one))
    return max(abs(math.log(mass(one, s) / mass(other, s))) for s in outputs)


def noisy_max_table(answers: tuple[float, ...], scale: float) -> dict[int, float]:
    """P(index i has the largest noisy answer), by quadrature over its value."""
    kinks = sorted({-60.0, 60.0, *map(float, answers)})
    table = {}
    for i, centre in enumerate(answers):

        def integrand(x: mpmath.mpf, i: int = i, centre: float = centre) -> mpmath.mpf:
            others = (laplace_below(x - a, scale) for j, a in enumerate(answers) if j != i)
            return laplace_density(x - centre, scale) * mpmath.fprod(others)

        table[i] = float(mpmath.quad(integrand, kinks))
    return table


def sparse_vector_table(
    answers: tuple[float, ...], bar_scale: float, answer_scale: float, allowed: int | None
) -> dict[tuple[int, ...], float]:
    """P(each output), by quadrature over the threshold's noise; outputs as 1, 0 and −1."""
    kinks = sorted({-120.0, -30.0, 30.0, 120.0, 0.0, *map(float, answers)})
    table = {}
    for seen in _sparse_outputs(len(answers), allowed):

        def integrand(z: mpmath.mpf, seen: tuple[int, ...] = seen) -> mpmath.mpf:
            product = laplace_density(z, bar_scale)
            for a, s in zip(answers, seen, strict=True):
                if s >= 0:
                    below = laplace_below(z - a, answer_scale)
                    product *= (1 - below) if s else below
            return product

        table[seen] = float(mpmath.quad(integrand, kinks))
    return table


def _sparse_outputs(width: int, allowed: int | None) -> set[tuple[int, ...]]:
    found = set()
    for bits in itertools.product((0, 1), repeat=width):
        row, count = [], 0
        for b in bits:
            if allowed is not None and count >= allowed:
                row.append(-1)
            else:
                row.append(b)
                count += b
        found.add(tuple(row))
    return found


def table_epsilon(one: dict, other: dict) -> float:
    """The largest log-ratio of two tables of probabilities; infinite where one has a zero alone."""
    worst = 0.0
    for key in one:
        p, q = one[key], other[key]
        if p < 1e-14 and q < 1e-14:
            continue
        if p < 1e-14 or q < 1e-14:
            return math.inf
        worst = max(worst, abs(math.log(p / q)))
    return worst


def noisy_max_value_epsilon(width: int, shift: float, scale: float) -> float:
    """Max of `width` Laplace values against the same shifted: log-ratio of densities far in the lower
    tail."""

    def log_density(x: float) -> mpmath.mpf:
        below = laplace_below(mpmath.mpf(x), scale)
        return mpmath.log(width) + (width - 1) * mpmath.log(below) + mpmath.log(laplace_density(mpmath.mpf(x), scale))

    points = [k / 8.0 for k in range(-400, 401)]
    return max(float(abs(log_density(x) - log_density(x - shift))) for x in points)
