"""What an audit asks of its data sets and of its number of runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpbench.core.validation import InvalidInput, invalid


def refuse_equal(dataset: Any, neighbour: Any) -> None:
    """Refuse two equal data sets: every mechanism has ε = 0 on them, so an audit would show nothing.

    Raises
    ------
    InvalidInput
    """
    if equal(dataset, neighbour):
        raise InvalidInput("neighbour must be a data set that differs from dataset, got two equal data sets")


def equal(one: Any, other: Any) -> bool:
    """Whether two data sets are seen to be equal: the same object, arrays with equal entries, equal values."""
    if one is other:
        return True
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return _arrays_equal(one, other)
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(equal(one[k], other[k]) for k in one)
    digest = getattr(one, "digest", None)
    if isinstance(digest, str):
        return bool(digest == getattr(other, "digest", None))
    try:
        return bool(np.all(one == other))
    except Exception:  # a type of the user's that cannot say
        return False


def _arrays_equal(one: Any, other: Any) -> bool:
    if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)) or one.shape != other.shape:
        return False
    if one.dtype != other.dtype:
        return False
    return bool(np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"))


def runs_a_side(trials: Any) -> int:
    """The number of runs, at least 100; 1e5 counts as the integer that it is.

    Raises
    ------
    InvalidInput
    """
    number = trials.item() if isinstance(trials, np.generic) else trials
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or number < 100:
        raise invalid("trials", 'an integer >= 100 or "auto"', trials)
    return number
