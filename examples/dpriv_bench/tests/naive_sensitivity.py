"""The slow twin of `dpriv_bench.functions`: the same functions in NumPy floats, and the largest change on a grid.

It imports nothing of ours. Every data set on a grid is taken, and every replacement of every record.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np


def _pairs(x):
    return [(x[i], x[j]) for i in range(len(x)) for j in range(i + 1, len(x))]


FUNCTIONS: dict[int, Callable[[np.ndarray], float]] = {
    1: lambda x: x.sum(),
    2: lambda x: x.prod(),
    3: lambda x: x.max(),
    4: lambda x: x.min(),
    5: lambda x: x.mean(),
    6: lambda x: np.linalg.norm(x),
    7: lambda x: np.abs(np.diff(x)).sum(),
    8: lambda x: np.abs(x - x.mean()).sum(),
    9: lambda x: len(x) * x.var(),
    10: lambda x: ((x - 0.0) ** 2).sum(),
    11: lambda x: np.dot(x, x),
    12: lambda x: np.power(x, 3).sum(),
    13: lambda x: np.sqrt(x).sum(),
    14: lambda x: np.log1p(x).sum(),
    15: lambda x: np.exp(x).sum(),
    16: lambda x: np.sin(np.pi * x).sum(),
    17: lambda x: np.cos(np.pi * x).sum(),
    18: lambda x: np.arctan(x).sum(),
    19: lambda x: (x - x**2).sum(),
    20: lambda x: ((x - x**2) ** 2).sum(),
    21: lambda x: np.median(x),
    22: lambda x: np.quantile(x, 0.75) - np.quantile(x, 0.25),
    23: lambda x: np.count_nonzero(x > 0.5),
    24: lambda x: np.count_nonzero((x >= 0.5) & (x <= 1.0)),
    25: lambda x: np.dot(x[:-1], x[1:]),
    26: lambda x: sum(a * b for a, b in _pairs(x)),
    27: lambda x: x[: len(x) // 2 * 2 : 2].sum() - x[1 : len(x) // 2 * 2 : 2].sum(),
    28: lambda x: x.sum() ** 2,
    29: lambda x: np.dot(np.arange(1, len(x) + 1), x),
    30: lambda x: float(x.sum() > len(x) / 2),
    31: lambda x: np.count_nonzero(x > 0.7),
    32: lambda x: float(np.all(x > 0.5)),
    33: lambda x: float(len(x) > 1 and x[0] > x[1]),
    34: lambda x: np.count_nonzero(x > 0.5) % 2,
    35: lambda x: math.log(1 + np.dot(x, x)),
    36: lambda x: np.linalg.norm(x - np.roll(x, -1)),
    37: lambda x: np.dot(x, x) / (1 + x.sum()),
    38: lambda x: math.exp(-np.dot(x, x)),
    39: lambda x: (1 / (1 + x * x)).sum(),
    40: lambda x: (1 / (1 + np.exp(-x))).sum(),
    41: lambda x: np.dot(np.exp(x), x) / np.exp(x).sum(),
    42: lambda x: np.abs(x - 0.5).sum(),
    43: lambda x: (np.diff(x) ** 2).sum(),
    44: lambda x: x[np.random.default_rng(len(x)).permutation(len(x))].sum(),
    45: lambda x: 1 + np.count_nonzero(x < x[0]),
    46: lambda x: x[1::2].sum(),
    47: lambda x: (x / np.arange(1, len(x) + 1)).sum(),
    48: lambda x: -(x * np.log(x + 2)).sum(),
    49: lambda x: np.abs(x - np.arange(1, len(x) + 1) / len(x)).sum(),
}
"""With mu = 0, [a, b] = [1/2, 1], tau = 1/2, delta = 2, k = 1; a data set of one has no second record (33)."""


def largest_change(function: Callable[[np.ndarray], float], n: int, grid: np.ndarray) -> float:
    """The largest change when a record of a data set of n on the grid is replaced by another on the grid."""
    values = np.empty((len(grid),) * n)
    for place in itertools.product(range(len(grid)), repeat=n):
        values[place] = function(grid[list(place)])
    return max(float(np.max(values.max(axis=i) - values.min(axis=i))) for i in range(n))
