"""The weights of the exponential mechanism in integers: exponents E = Σ_i of each record's ψ in whole steps.

A record's part at a net point is ψ(ι|r|) in steps of 2^−k, rounded, and clamped to 0, …, L = ⌈log θ·2^k⌉ in integers
(L where ι|r| ≥ 1 or NaN), a function of the record and the point alone, wherever it stands among the others
(`_exact_kernels`). Integers add up exactly, so that replacing a record moves E by at most L, and one record more raises
it by 0 to L. Points have probabilities ∝ exp(−E/t), t = ⌈L/(share·ε)⌉: 2·L/t ≤ 2·share·ε under replace-one, L/t under
add/remove, whatever floating point made of ψ.

Under add/remove a power v^θ of another θ than a multiple of 1/4 is left to a library, which may take vectors of four
and the rest one by one: no guarantee is given there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dpbench.core import validation
from dpbench.papers.heavytail.algorithms._exact_kernels import exponent_sums
from dpbench.papers.heavytail.algorithms.truncation import columns, psi, quarters
from dpbench.papers.heavytail.problem import HeavyTailedProblem

_BITS = 20
_WORK_PER_CALL = 2e7  # records times points between two returns to Python: a fraction of a second


class Steps(NamedTuple):
    """Steps of one unit of ψ, the most that a record may count, and t."""

    inverse: float
    largest: int
    scale: int


def steps(theta: float, share: float) -> Steps:
    """For weights exp(−share·Σψ/log θ); `share` is c·log θ."""
    bits = _BITS + max(0, math.ceil(math.log2(max(share, 1.0))))
    largest = math.ceil(psi(1.0, theta) * 2.0**bits * (1.0 + 1e-12))
    return Steps(2.0**bits, largest, math.ceil(largest / share * (1.0 + 1e-12)))


def integer_exponents(grid: Steps, problem: HeavyTailedProblem, points: np.ndarray, iota: float) -> np.ndarray:
    """E at each net point, shape (points,), less its least value, which changes no probability."""
    if not problem.n * grid.largest < 2**62:
        raise validation.invalid("epsilon", "smaller for so many records where arithmetic is 'exact'", problem.n)
    x, theta, sums = columns(problem), problem.theta, np.empty(len(points), dtype=np.int64)
    rows = max(1, int(_WORK_PER_CALL / (problem.n * (8 + problem.d))))
    for start in range(0, len(points), rows):
        part = slice(start, start + rows)
        exponent_sums(
            x, problem.y, np.ascontiguousarray(points[part]), iota, theta, quarters(theta), grid.inverse, grid.largest,
            sums[part],
        )  # fmt: skip
    return sums - sums.min()
