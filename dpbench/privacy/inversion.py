"""Inverting a monotone function of a non-negative double to the last bit, by bisection over the doubles."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

LARGEST = 2.0**1000
"""Where the search gives up: `holds` is never asked beyond it."""


def crossing(holds: Callable[[float], bool]) -> tuple[float, float]:
    """Two neighbouring doubles a < b with `holds(a)` false and `holds(b)` true.

    For a `holds` that changes once, from false to true, b is the least double that holds and a the largest
    that does not. Bisection runs over the bit patterns, so at most 64 calls reach full precision at any
    scale; and both answers were really asked, so that rounding inside `holds` cannot put one on the wrong
    side.

    Parameters
    ----------
    holds : callable
        Asked at doubles in [0, `LARGEST`].

    Returns
    -------
    tuple of float
        (−inf, 0.0) where it holds at 0; (`LARGEST`, inf) where it holds nowhere.
    """
    if holds(0.0):
        return -math.inf, 0.0
    low, high = 0.0, 1.0
    while not holds(high):
        if high >= LARGEST:
            return high, math.inf
        low, high = high, min(high * high * 2.0, LARGEST)
    left, right = _index(low), _index(high)
    while right - left > 1:
        middle = (left + right) // 2
        if holds(_double(middle)):
            right = middle
        else:
            left = middle
    return _double(left), _double(right)


def _index(x: float) -> int:
    """The rank of a non-negative double among all of them."""
    return int.from_bytes(struct.pack(">d", x), "big")


def _double(index: int) -> float:
    return float(struct.unpack(">d", index.to_bytes(8, "big"))[0])
