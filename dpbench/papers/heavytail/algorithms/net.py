"""ζ-nets of balls and boxes: lattice points inside the domain, with a proof that they cover it.

The net of resolution m is {(R/m)·k : k an integer vector, ‖k‖ ≤ m}, ‖·‖ Euclidean for the ball and the
largest modulus for the box; membership is decided in integers. Rounding each coordinate of w towards 0 gives a
k with |k_j|·R/m ≤ |w_j|, hence a point of the domain, at a distance of at most √d·R/m. So m = ⌈R√d/ζ⌉ makes
a ζ-net, and the net is a subset of the domain, as Definition 4 asks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpbench.core import validation
from dpbench.papers.heavytail.problem import DOMAINS

_FINEST = 2**25  # m² and its sums over coordinates stay exact in 64 bits
_ROWS = 2**14
_COUNTED = 200  # steps up to which the points of a ball are counted


@dataclass(frozen=True)
class Net:
    """A ζ-net.

    Parameters
    ----------
    dimension : int
    radius : float
        R of the domain.
    domain : {"ball", "box"}
    net_radius : float
        ζ > 0.
    """

    dimension: int
    radius: float
    domain: str
    net_radius: float

    def __post_init__(self) -> None:
        validation.integer("dimension", self.dimension, at_least=1)
        validation.real("radius", self.radius, above=0.0)
        validation.choice("domain", self.domain, DOMAINS)
        validation.real("net_radius", self.net_radius, above=0.0)
        if self.radius * math.sqrt(self.dimension) / self.net_radius >= _FINEST:
            least = self.radius * math.sqrt(self.dimension) / _FINEST
            raise validation.invalid("net_radius", f"at least {least:.3g}", self.net_radius)

    @property
    def resolution(self) -> int:
        """m, the number of steps from the centre to the boundary along an axis."""
        steps = max(1, math.ceil(self.radius * math.sqrt(self.dimension) / self.net_radius * (1.0 - 1e-15)))
        return steps if self._reach(steps) <= self.net_radius else steps + 1

    def _reach(self, steps: int) -> float:
        return math.sqrt(self.dimension) * self.radius / steps

    @property
    def spacing(self) -> float:
        """R/m."""
        return self.radius / self.resolution

    @property
    def covering_radius(self) -> float:
        """√d·R/m, at most ζ: every point of the domain is that close to a net point."""
        return self._reach(self.resolution)

    def contains(self, k: np.ndarray) -> np.ndarray:
        """Whether integer vectors k, shape (..., d), belong to the net."""
        if self.domain == "box":
            return np.abs(k).max(axis=-1) <= self.resolution
        return (k * k).sum(axis=-1) <= self.resolution**2

    def log_size_bounds(self) -> tuple[float, float]:
        """Bounds on log N; equal where the points are counted (boxes, d = 1, m up to 200).

        In the ball the unit cubes about the k's lie in a ball of radius m + √d/2 and cover one of radius
        m − √d/2.
        """
        d, m = self.dimension, self.resolution
        if self.domain == "box" or d == 1:
            return (d * math.log(2 * m + 1),) * 2
        if m <= _COUNTED:
            return (math.log(self._count()),) * 2
        volume = 0.5 * d * math.log(math.pi) - math.lgamma(0.5 * d + 1.0)
        inner = m - 0.5 * math.sqrt(d)
        below = volume + d * math.log(inner) if inner > 0.0 else 0.0
        return max(0.0, below), volume + d * math.log(m + 0.5 * math.sqrt(d))

    def _count(self) -> float:
        """Points of the ball: the numbers of k with each ‖k‖², one coordinate after the other."""
        m, counts = self.resolution, np.ones(1)
        line = np.zeros(m * m + 1)
        line[np.arange(1, m + 1) ** 2] = 2.0
        line[0] = 1.0
        for _ in range(self.dimension):
            longer = np.zeros(m * m + 1)
            for k in range(m + 1):
                part = counts[: m * m + 1 - k * k]
                longer[k * k : k * k + part.size] += line[k * k] * part
            counts = longer
        return float(counts.sum())

    def integer_blocks(self, rows: int = _ROWS) -> Iterator[np.ndarray]:
        """All k of the net in lexicographic order, int64 blocks of shape (at most `rows`, d).

        Walks the (2m + 1)^d points of the cube about the net: for nets that can be enumerated.
        """
        d, side = self.dimension, 2 * self.resolution + 1
        total = side**d
        for start in range(0, total, rows):
            index = np.arange(start, min(start + rows, total))
            k = np.empty((index.size, d), dtype=np.int64)
            for j in reversed(range(d)):
                index, k[:, j] = np.divmod(index, side)
            k -= self.resolution
            inside = self.contains(k)
            if inside.any():
                yield np.ascontiguousarray(k[inside])

    def points(self) -> np.ndarray:
        """All net points, shape (N, d), in lexicographic order."""
        return np.concatenate(list(self.integer_blocks())) * self.spacing
