"""Values of blocks as bytes and back, bit for bit, without pickle: numbers, text, arrays, and lists, tuples
and dicts of them.

A header in JSON describes the value; the bytes of its arrays follow. Floats travel as their eight bytes, so
that negative zeros, infinities and the payload of a NaN survive. Bytes that `encode` does not write are refused:
kinds of arrays are those of a list, and every length must be the one that the header gives.
"""

from __future__ import annotations

import json
import math
import re
import struct
from typing import Any

import numpy as np

from dpbench.core import validation

_KINDS = "biufcSU"  # of NumPy types whose bytes are their value
_DTYPE = re.compile(r"[<>|=](?:[biufc]\d{1,2}|[SU]\d{1,9})", re.ASCII)


class Undecodable(ValueError):
    """Bytes that `encode` has not written."""


def encode(value: Any) -> bytes:
    """The bytes of a value.

    Raises
    ------
    InvalidInput
        For anything but None, booleans, integers, floats, text, NumPy scalars and arrays of those, and lists,
        tuples and dicts (with text as keys) of them.
    """
    buffers: list[bytes] = []
    header = json.dumps(_pack(value, buffers), separators=(",", ":")).encode()
    return b"".join((struct.pack("<I", len(header)), header, *buffers))


def decode(data: bytes) -> Any:
    """The value of `encode`'s bytes, of the same types; arrays are C-ordered, writable copies.

    Raises
    ------
    Undecodable
        If they are other bytes.
    """
    try:
        (length,) = struct.unpack_from("<I", data)
        at = [4 + length]
        value = _unpack(json.loads(data[4 : 4 + length]), data, at)
    except (ValueError, TypeError, OverflowError, RecursionError, struct.error) as error:
        raise Undecodable(f"bytes that hold no value: {error}") from error
    if at[0] != len(data):
        raise Undecodable(f"{len(data)} bytes, where the header speaks of {at[0]}")
    return value


def _pack(value: Any, buffers: list[bytes]) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return {"float": struct.pack("<d", value).hex()}
    if kind is list:
        return [_pack(v, buffers) for v in value]
    if kind is tuple:
        return {"tuple": [_pack(v, buffers) for v in value]}
    if kind is dict and all(type(k) is str for k in value):
        return {"dict": [[k, _pack(v, buffers)] for k, v in value.items()]}
    if (kind is np.ndarray or isinstance(value, np.generic)) and value.dtype.kind in _KINDS:
        buffers.append(value.tobytes()[: value.nbytes])  # a scalar b"" has one byte more
        return {"array" if kind is np.ndarray else "scalar": [value.dtype.str, list(value.shape)]}
    raise validation.invalid("the value of a block", "numbers, text, arrays, or lists and dicts of them", value)


def _unpack(header: Any, data: bytes, at: list[int]) -> Any:
    """`at` is the position of the next array in `data`: headers and arrays stand in one order."""
    if isinstance(header, list):
        return [_unpack(v, data, at) for v in header]
    if not isinstance(header, dict):
        if isinstance(header, float):
            raise Undecodable("a float among the text of the header")
        return header
    ((kind, content),) = header.items()
    if kind == "float":
        return struct.unpack("<d", bytes.fromhex(content))[0]
    if kind not in ("tuple", "dict", "array", "scalar") or not isinstance(content, list):
        raise Undecodable(f"a value of the kind {kind!r}")
    if kind == "tuple":
        return tuple(_unpack(v, data, at) for v in content)
    if kind == "dict":
        pairs = [(key, _unpack(v, data, at)) for key, v in content]
        if not all(isinstance(key, str) for key, _ in pairs) or len(dict(pairs)) != len(pairs):
            raise Undecodable("keys of a dict that are no texts, or equal")
        return dict(pairs)
    name, shape = content
    return _array(kind, name, shape, data, at)


def _array(kind: str, name: Any, shape: Any, data: bytes, at: list[int]) -> Any:
    if not isinstance(name, str) or not _DTYPE.fullmatch(name):
        raise Undecodable(f"an array of the type {name!r}")
    whole = isinstance(shape, list) and all(type(length) is int and length >= 0 for length in shape)
    if not whole or (kind == "scalar" and shape):
        raise Undecodable(f"an array of the shape {shape!r}")
    dtype = np.dtype(name)
    start, at[0] = at[0], at[0] + dtype.itemsize * math.prod(shape)
    if at[0] > len(data) or (dtype.itemsize == 0 and math.prod(shape) > len(data)):
        raise Undecodable(f"an array that ends at {at[0]} of {len(data)} bytes")
    stored = np.frombuffer(data, np.uint8, at[0] - start, start)
    if dtype.kind == "b" and stored.size and stored.max() > 1:
        raise Undecodable("a truth value that is neither 0 nor 1")
    if dtype.kind == "U" and stored.size and stored.view(f"{name[0]}u4").max() > 0x10FFFF:
        raise Undecodable("a letter beyond the last one")
    array = np.ndarray(tuple(shape), dtype, data, start).copy()
    return array if kind == "array" else array[()]
