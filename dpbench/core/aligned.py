"""Arrays that begin at a cache line: a vector of eight doubles then meets one line and not two."""

from __future__ import annotations

import math

import numpy as np

LINE = 64
"""Bytes of a cache line."""


def zeros(*shape: int) -> np.ndarray:
    """Zeros, float64, C-contiguous, whose first entry begins a cache line.

    Where an ordinary allocation falls is chance, and a kernel over rows of eight numbers is slower or faster by it for
    as long as the process lives.
    """
    size = math.prod(shape)
    whole = np.zeros(size + LINE // 8)
    first = -whole.ctypes.data % LINE // 8
    return whole[first : first + size].reshape(shape)
