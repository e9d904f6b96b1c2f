"""ERM oracles by enumeration: each class writes out all its labellings of the points in the order of its ties.

Costs are what the label +1 costs beyond −1; their sums are rounded once.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

INF = math.inf


def positive_cost(labels: Iterable[float], costs: Sequence[float]) -> float:
    """The total cost of the +1 labels."""
    return math.fsum(cost for cost, label in zip(costs, labels, strict=True) if label > 0)


def least(labellings: Iterable[tuple[tuple, tuple[int, ...]]], costs: Sequence[float]) -> tuple[tuple, float]:
    """The first function of the class with the smallest total cost of its +1 labels, and that total."""
    best: tuple[tuple, float] | None = None
    for name, labels in labellings:
        total = positive_cost(labels, costs)
        if best is None or total < best[1]:
            best = (name, total)
    assert best is not None
    return best


def sign(truth: bool) -> int:
    return 1 if truth else -1


def thresholds(points: Sequence[float]) -> list[tuple[tuple, tuple[int, ...]]]:
    cuts = [-INF, *sorted(set(points)), INF]
    return [((t,), tuple(sign(x >= t) for x in points)) for t in cuts]


def intervals(points: Sequence[float]) -> list[tuple[tuple, tuple[int, ...]]]:
    ends = sorted(set(points))
    pairs = [(INF, -INF), *((a, b) for a in ends for b in ends if a <= b)]
    return [((a, b), tuple(sign(a <= x <= b) for x in points)) for a, b in pairs]


def stumps(points: Sequence[Sequence[float]]) -> list[tuple[tuple, tuple[int, ...]]]:
    made = []
    for j in range(len(points[0])):
        column = [x[j] for x in points]
        for s in (1, -1):
            cuts = [-INF, *sorted(set(column)), INF]
            made += [((j, s, t), tuple(s if x >= t else -s for x in column)) for t in cuts]
    return made


def halfspaces(points: Sequence[Sequence[int]]) -> list[tuple[tuple, tuple[int, ...]]]:
    """All labellings by halfspaces, in any dimension: no Radon partition of a few of the points says otherwise.

    A dependence Σ λ_i (1, x_i) = 0 of points no fewer of which are dependent is unique. A halfspace parts two sets of
    points unless there is one that is positive on points of the one set alone and negative on points of the other.
    """
    partitions = []
    for size in range(2, len(points[0]) + 3):
        for chosen in itertools.combinations(range(len(points)), size):
            weights = dependence([(1, *points[i]) for i in chosen])
            if weights and all(weights):
                signs = [sum(1 << i for i, w in zip(chosen, weights, strict=True) if w * s > 0) for s in (1, -1)]
                partitions.append(signs)
    made = []
    for number in range(2 ** len(points)):
        others = ~number
        if not any((a & others or b & number) == 0 or (b & others or a & number) == 0 for a, b in partitions):
            made.append(((), tuple(sign(bool(number >> i & 1)) for i in range(len(points)))))
    return made


def dependence(rows: Sequence[Sequence[int]]) -> list[Fraction]:
    """λ ≠ 0 with Σ λ_i rows_i = 0 where it is unique but for a factor; none otherwise."""
    width, pivots = len(rows), []
    columns = [[Fraction(row[k]) for row in rows] for k in range(len(rows[0]))]
    for k in range(width):
        pivot = next((column for column in columns if column[k]), None)
        if pivot is None:
            continue
        columns.remove(pivot)
        pivot = [value / pivot[k] for value in pivot]
        columns = [[v - column[k] * p for v, p in zip(column, pivot, strict=True)] for column in columns]
        pivots = [(at, [v - row[k] * p for v, p in zip(row, pivot, strict=True)]) for at, row in pivots] + [(k, pivot)]
    free = [k for k in range(width) if k not in {at for at, _ in pivots}]
    if len(free) != 1:
        return []
    solved = {at: -row[free[0]] for at, row in pivots} | {free[0]: Fraction(1)}
    return [solved[k] for k in range(width)]


def parity_cube(points: Sequence[int], bits: int) -> list[tuple[tuple, tuple[int, ...]]]:
    """Groups 0, …, bits − 1, then `bits`, where all functions are 1, and the point of the parity."""
    made = []
    for v in itertools.product((-1, 1), repeat=bits):
        signs = [*v, 1, sign(v.count(-1) % 2 == 0)]
        made.append((v, tuple(signs[x] for x in points)))
    return made


def loss(name: str, f: float, y: float) -> float:
    """Losses scaled into [0, 1] for f and y in [−1, 1]; Huber's has threshold 1."""
    r = abs(f - y)
    if name == "zero-one":
        return 0.0 if f == y else 1.0
    if name == "absolute":
        return r / 2.0
    if name == "squared":
        return r**2 / 4.0
    return (r * r / 2.0 if r < 1.0 else r - 0.5) / 1.5


def total(
    name: str,
    f: Sequence[float],
    labels: Sequence[float],
    weights: Sequence[float],
    linear: Sequence[float],
    quadratic: Sequence[float],
) -> float:
    """Σ weights·ℓ(f, labels) + linear·f + quadratic·f²."""
    terms = []
    for value, y, w, b, a in zip(f, labels, weights, linear, quadratic, strict=True):
        terms += [w * loss(name, value, y), b * value, a * value**2]
    return math.fsum(terms)


def first_least(totals: Sequence[float]) -> int:
    """The first number of the smallest total."""
    return min(range(len(totals)), key=lambda k: (totals[k], k))


def constant(
    name: str, labels: Sequence[float], weights: Sequence[float], slope: float, square: float
) -> tuple[float, float]:
    """The first minimiser c in [−1, 1] of Σ weights·ℓ(c, labels) + slope·c + square·c², and the least value.

    Between two breaks the function is a quadratic, known from three values; in rational numbers.
    """
    third = Fraction(2, 3)

    def exact(c: Fraction) -> Fraction:
        value = Fraction(slope) * c + Fraction(square) * c * c
        for y, w in zip(labels, weights, strict=True):
            r = abs(c - Fraction(y))
            huber = third * (r * r / 2 if r < 1 else r - Fraction(1, 2))
            value += Fraction(w) * {"absolute": r / 2, "squared": r * r / 4, "huber": huber}[name]
        return value

    breaks = {Fraction(-1), Fraction(1)}
    for y in labels:
        breaks |= {b for b in (Fraction(y), Fraction(y) - 1, Fraction(y) + 1) if -1 < b < 1}
    ends = sorted(breaks)
    candidates = set(ends)
    for low, high in itertools.pairwise(ends):
        half = (high - low) / 2
        left, middle, right = exact(low), exact(low + half), exact(high)
        bend = left - 2 * middle + right
        if bend > 0:
            vertex = low + half - half * (right - left) / (2 * bend)
            if low < vertex < high:
                candidates.add(vertex)
    best = min(candidates, key=lambda c: (exact(c), c))
    return float(best), float(exact(best))


def valley(f: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """A minimiser of a function that falls and then rises, by golden sections, and its value."""
    ratio = (math.sqrt(5.0) - 1.0) / 2.0
    left, right = high - ratio * (high - low), low + ratio * (high - low)
    at_left, at_right = f(left), f(right)
    for _ in range(60):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - ratio * (high - low)
            at_left = f(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + ratio * (high - low)
            at_right = f(right)
    return min([(at_left, left), (at_right, right)])[::-1]


def disk_least(f: Callable[[float, float], float], radius: float) -> float:
    """The least value of a convex function on a disk."""

    def column(x: float) -> float:
        half = math.sqrt(max(0.0, radius * radius - x * x))
        return valley(lambda y: f(x, y), -half, half)[1]

    return valley(column, -radius, radius)[1]


def triangle_least(f: Callable[[float, float, float], float]) -> float:
    """The least value of a convex function of three weights that add up to 1."""

    def column(p: float) -> float:
        return valley(lambda q: f(p, q, 1.0 - p - q), 0.0, 1.0 - p)[1]

    return valley(column, 0.0, 1.0)[1]


def trust_region_least(matrix: Sequence[Sequence[float]], slope: Sequence[float], radius: float) -> float:
    """The least ½⟨z, Az⟩ + ⟨b, z⟩ on a disk: around the circle, and at the critical point of a convex quadratic."""
    (a, b), (_, d) = matrix

    def value(x: float, y: float) -> float:
        return 0.5 * (a * x * x + 2.0 * b * x * y + d * y * y) + slope[0] * x + slope[1] * y

    def rim(angle: float) -> float:
        return value(radius * math.cos(angle), radius * math.sin(angle))

    step = 2.0 * math.pi / 360
    near = sorted(range(360), key=lambda i: rim(i * step))[:4]
    found = [valley(rim, (i - 1) * step, (i + 1) * step)[1] for i in near]
    determinant = a * d - b * b
    if a > 0.0 and determinant > 0.0:
        x, y = (b * slope[1] - d * slope[0]) / determinant, (b * slope[0] - a * slope[1]) / determinant
        if math.hypot(x, y) < radius:
            found.append(value(x, y))
    return min(found)
