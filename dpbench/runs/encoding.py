"""Values of blocks as bytes, by `numpy.save` without pickle, and back.

Numbers, text, arrays, and lists, tuples and dicts of them: JSON says how they lie in each other, and the arrays follow
it, bit for bit (an archive, ``.npz``, takes ten times as long). A NaN, whose bits JSON does not keep, is an array too.
"""

from __future__ import annotations

import io
import json
import math
from typing import Any

import numpy as np

from dpbench.core import validation

_KINDS = "biufcSU"  # of NumPy types whose bytes are their value


class Undecodable(ValueError):
    """Bytes that `encode` has not written."""


def encode(value: Any) -> bytes:
    """The bytes of a value, the same for the same value.

    Raises
    ------
    InvalidInput
        For anything but None, booleans, integers, floats, text, NumPy scalars and arrays of those, and lists,
        tuples and dicts (with text as keys) of them.
    """
    arrays: list[Any] = []
    text = json.dumps(_pack(value, arrays)).encode()
    file = io.BytesIO()
    for array in (np.frombuffer(text, np.uint8), *arrays):
        np.save(file, array, allow_pickle=False)
    return file.getvalue()


def decode(data: bytes) -> Any:
    """The value of `encode`'s bytes, of the same types; arrays are writable.

    Raises
    ------
    Undecodable
        If they are other bytes.
    """
    try:
        file = io.BytesIO(data)
        arrays = []
        while file.tell() < len(data):
            arrays.append(np.load(file, allow_pickle=False))
            if arrays[-1].dtype.kind not in _KINDS:
                raise Undecodable(f"an array of the type {arrays[-1].dtype}")
        return _unpack(json.loads(arrays[0].tobytes()), arrays)
    except Exception as error:  # a damaged header raises anything
        raise Undecodable(f"bytes that hold no value: {error}") from error


def _pack(value: Any, arrays: list[Any]) -> Any:
    kind = type(value)
    if kind is float and math.isnan(value):
        arrays.append(np.float64(value))
        return {"nan": len(arrays)}
    if value is None or kind in (bool, int, float, str):
        return value
    if kind in (list, tuple):
        return {kind.__name__: [_pack(part, arrays) for part in value]}
    if kind is dict and all(type(key) is str for key in value):
        return {"dict": {key: _pack(part, arrays) for key, part in value.items()}}
    if (kind is np.ndarray or isinstance(value, np.generic)) and value.dtype.kind in _KINDS:
        arrays.append(value)
        return {"array" if kind is np.ndarray else "scalar": len(arrays)}
    raise validation.invalid("the value of a block", "numbers, text, arrays, or lists and dicts of them", value)


def _unpack(packed: Any, arrays: list[Any]) -> Any:
    if not isinstance(packed, dict):
        return packed
    ((kind, content),) = packed.items()
    match kind:
        case "list" | "tuple":
            parts = [_unpack(part, arrays) for part in content]
            return parts if kind == "list" else tuple(parts)
        case "dict":
            return {key: _unpack(part, arrays) for key, part in content.items()}
        case "array" | "scalar":
            return arrays[content] if kind == "array" else arrays[content][()]
        case "nan":
            return float(arrays[content])
    raise Undecodable(f"a value of the kind {kind!r}")
