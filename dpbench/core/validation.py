"""Checks at the border, in one message shape: which parameter, what it must be, what it was."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np


class InvalidInput(ValueError):
    """A parameter that cannot be used; the message names it, what it must be and what it was."""


class MissingExtra(ImportError):
    """A feature that needs an optional dependency which is not installed."""


def invalid(name: str, must_be: str, value: Any) -> InvalidInput:
    """The one shape of every message about a bad parameter."""
    return InvalidInput(f"{name} must be {must_be}, got {_short(value)}")


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    try:
        text = repr(value)
    except ValueError:  # an integer of more than sys.get_int_max_str_digits() digits
        return f"a number of {value.bit_length():,} bits" if isinstance(value, int) else f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _double(value: Any) -> float:
    """The nearest float64; infinity, which no caller takes, for an integer or a fraction beyond all of them."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


LEAST_SIZE, LARGEST_SIZE = 1e-50, 1e50
"""Magnitudes of what our formulas multiply (bounds, radii, noise): their products stay finite and above 0."""


def real(
    name: str, value: Any, *, above: float | None = None, at_least: float | None = None, size: bool = False
) -> float:
    """A finite real number, optionally bounded below; booleans are refused.

    With `size`, a magnitude other than 0 must also lie between `LEAST_SIZE` and `LARGEST_SIZE`.
    """
    must_be = "a finite number"
    if above is not None:
        must_be += f" > {above:g}"
    if at_least is not None:
        must_be += f" >= {at_least:g}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.floating, np.integer)):
        raise invalid(name, must_be, value)
    number = _double(value)
    if (
        not math.isfinite(number)
        or (above is not None and not number > above)
        or (at_least is not None and not number >= at_least)
    ):
        raise invalid(name, must_be, value)
    if size and number != 0.0 and not LEAST_SIZE <= abs(number) <= LARGEST_SIZE:
        raise invalid(name, f"{must_be}, of size {LEAST_SIZE:g} to {LARGEST_SIZE:g}", value)
    return number


def epsilon(value: Any, name: str = "epsilon") -> float:
    """A privacy parameter ε: a finite number > 0."""
    return real(name, value, above=0.0)


def delta(value: Any, name: str = "delta", *, positive: bool = False) -> float:
    """A privacy parameter δ in [0, 1), or in (0, 1) where the mechanism's noise has Gaussian tails."""
    must_be = "a number in (0, 1)" if positive else "a number in [0, 1)"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.floating, np.integer)):
        raise invalid(name, must_be, value)
    number = _double(value)
    if not (0.0 <= number < 1.0) or (positive and number == 0.0):
        raise invalid(name, must_be, value)
    return number


def fraction(name: str, value: Any, *, up_to_one: bool = False) -> float:
    """A number strictly between 0 and 1 (a confidence, a failure probability), or with `up_to_one` in (0, 1]."""
    number = real(name, value)
    if not 0.0 < number < 1.0 and not (up_to_one and number == 1.0):
        raise invalid(name, "a number in (0, 1]" if up_to_one else "a number strictly between 0 and 1", value)
    return number


LARGEST_INTEGER = 2**1023
"""Any integer up to it is a float64, as formulas need."""


def integer(name: str, value: Any, *, at_least: int, at_most: int = LARGEST_INTEGER) -> int:
    """An integer with a lower bound; 3.0 and True are refused, and so is what no formula could take."""
    must_be = f"an integer >= {at_least}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Integral, np.integer)) or value < at_least:
        raise invalid(name, must_be, value)
    if int(value) > at_most:
        limit = f"2^{at_most.bit_length() - 1}" if at_most & (at_most - 1) == 0 else f"{at_most:,}"
        raise invalid(name, f"{must_be} and <= {limit}", value)
    return int(value)


MANY = 20
"""Options up to which an error lists them."""


def choice(name: str, value: Any, options: Iterable[str]) -> str:
    """One of the named options, with the nearest one suggested otherwise; many options are counted, not listed."""
    known = list(options)
    if isinstance(value, str) and value in known:
        return value
    listed = ", ".join(known) if len(known) <= MANY else f"{len(known)} names"
    raise invalid(name, f"one of {listed}{did_you_mean(value, known)}", value)


def did_you_mean(value: Any, options: Iterable[str]) -> str:
    """' (did you mean X?)' for the nearest option, or nothing."""
    near = difflib.get_close_matches(_short(value), list(options), n=1, cutoff=0.5)
    return f" (did you mean {near[0]}?)" if near else ""


def native(name: str, value: Any, must_be: str) -> np.ndarray:
    """`value` as an array in the processor's byte order; masked entries, whose values mean nothing, are refused."""
    parts = value if isinstance(value, (list, tuple)) else (value,)
    if any(isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part) for part in parts):
        raise invalid(name, f"{must_be} without masked entries", value)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise invalid(name, must_be, value) from error
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def array(name: str, value: Any, *, ndim: int, min_length: int = 1, width: int | None = None) -> np.ndarray:
    """A finite float64 C-ordered array with `ndim` axes and at least `min_length` entries along the first."""
    shape = "a vector" if ndim == 1 else "a matrix" if ndim == 2 else f"an array with {ndim} axes"
    must_be = f"{shape} of finite numbers"
    values_read = native(name, value, must_be)
    if values_read.dtype.kind not in "fiub" or values_read.ndim != ndim:
        raise invalid(name, must_be, values_read if values_read.ndim != ndim else value)
    if values_read.shape[0] < min_length:
        raise invalid(name, f"{shape} with at least {min_length} rows", values_read)
    if width is not None and values_read.shape[-1] != width:
        raise invalid(name, f"{shape} whose last axis has length {width}", values_read)
    values_read = np.ascontiguousarray(values_read, dtype=np.float64)
    finite(name, values_read)
    return values_read


def finite(name: str, values: np.ndarray) -> None:
    """Refuse NaN and infinities, naming the first one."""
    good = np.isfinite(values)
    if not good.all():
        where = tuple(int(i) for i in np.argwhere(~good)[0])
        place = where[0] if len(where) == 1 else where
        raise InvalidInput(f"{name} must be finite everywhere, got {values[where]} at index {place}")


def extra(module: str, extra_name: str) -> Any:
    """Import an optional dependency, or say which extra brings it."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(
            f"{module.partition('.')[0]} is needed here and is not installed: pip install 'dpbench-suite[{extra_name}]'"
        ) from error
