"""What an audit asks of its data sets and of its number of runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dpbench.core import validation
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


RELATIONS = ("replace", "add", "remove", "add_remove")
"""How the neighbour comes from the data set: a record is replaced, added, removed, or added or removed."""


def check_relation(dataset: Any, neighbour: Any, relation: Any) -> str | None:
    """The relation, refused where the sizes of the two data sets contradict it.

    Sizes are compared of lists, tuples and arrays alone. Where they are equal nothing is said against a record added or
    removed: the data may be counts.

    Raises
    ------
    InvalidInput
    """
    if relation is None:
        return None
    validation.choice("relation", relation, list(RELATIONS))
    if any(not isinstance(x, (list, tuple, np.ndarray)) or np.ndim(x) == 0 for x in (dataset, neighbour)):
        return str(relation)
    more = len(neighbour) - len(dataset)
    fits = {"replace": more == 0, "add": more in (0, 1), "remove": more in (0, -1), "add_remove": abs(more) <= 1}
    if not fits[relation]:
        raise InvalidInput(
            f"relation must be that of dataset and neighbour, got {relation!r} and {len(dataset)} and {len(neighbour)} "
            "records"
        )
    return str(relation)


MOST_RUNS = 10**12
"""Runs a side, at most: more would take years of the fastest sampler."""


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
    if number > MOST_RUNS:
        raise invalid("trials", f"at most {MOST_RUNS:,}", f"{float(number):.3g}" if number < 10**300 else trials)
    return number
