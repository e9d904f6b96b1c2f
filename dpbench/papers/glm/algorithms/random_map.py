"""The random maps Φ (k × d) of the JL method, drawn a chunk of columns at a time and never held for large d.

A chunk has its own stream, named by the map's key and the chunk's number, so that it can be drawn twice: once to
project the data, once to lift the output. Entries are independent, of mean 0 and variance 1/k: normal; ±1/√k; or
±√(3/k) with probability 1/6 each and else 0 (Achlioptas 2003).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import types
from scipy import sparse

from dpbench.core.kernel import arr, f8, i8, kernel, rng_t
from dpbench.core.sampling import stream

MAPS = ("gaussian", "rademacher", "sparse")
GAUSSIAN, RADEMACHER, SPARSE = range(3)

_CHUNK = 2**16  # entries drawn at a time: half a megabyte, and a fraction of a millisecond
_KEPT = 2**20  # a map with at most this many entries is drawn once


@kernel(types.void(i8, f8, rng_t, arr(f8, 2, True)))
def fill_map(kind, scale, rng, out):
    """Draw the entries of `out` row by row; `scale` is the modulus of one that is not 0 (its deviation if normal)."""
    for j in range(out.shape[0]):
        for i in range(out.shape[1]):
            if kind == GAUSSIAN:
                out[j, i] = scale * rng.standard_normal()
            elif kind == RADEMACHER:
                out[j, i] = scale if rng.random() < 0.5 else -scale
            else:
                u = 6.0 * rng.random()
                out[j, i] = scale if u < 1.0 else (-scale if u < 2.0 else 0.0)


@kernel(types.void(arr(f8, 1), arr(i8, 1), arr(i8, 1), arr(f8, 2), arr(f8, 2, True)))
def add_columns(data, indices, indptr, rows, out):
    """out += AR for A in compressed sparse columns (`indptr` may be a part of its own) and the rows of R."""
    for j in range(rows.shape[0]):
        for entry in range(indptr[j], indptr[j + 1]):
            x, to = data[entry], out[indices[entry]]
            for i in range(rows.shape[1]):
                to[i] += x * rows[j, i]


class Columns(NamedTuple):
    """A matrix in compressed sparse columns, with the index type of the kernels."""

    rows: int
    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray


class RandomMap:
    """One draw of Φ.

    Parameters
    ----------
    kind : str
        One of `MAPS`.
    k, d : int
        Φ has shape (k, d).
    rng : Generator
        Gives the key of the streams, 256 bits; nothing else is taken from it.
    """

    def __init__(self, kind: str, k: int, d: int, rng: np.random.Generator) -> None:
        self.code, self.k, self.d = MAPS.index(kind), k, d
        self.columns = max(1, _CHUNK // k)
        self._scale = math.sqrt((3.0 if self.code == SPARSE else 1.0) / k)
        self._key = rng.bytes(32).hex()
        self._space = np.empty((min(self.columns, d), k))
        self._kept: dict[int, np.ndarray] | None = {} if k * d <= _KEPT else None

    def starts(self) -> range:
        """The first columns of the chunks."""
        return range(0, self.d, self.columns)

    def chunk(self, start: int) -> np.ndarray:
        """Columns `start`, `start` + 1, … of Φ as the rows of an array, valid until the next call."""
        if self._kept is not None and start in self._kept:
            return self._kept[start]
        count = min(self.columns, self.d - start)
        rows = self._space[:count] if self._kept is None else np.empty((count, self.k))
        fill_map(self.code, self._scale, stream("columns of a random map", self._key, start), rows)
        if self._kept is not None:
            self._kept[start] = rows
        return rows

    def project(self, X: Any) -> np.ndarray:
        """(Φx_i) as rows, shape (n, k), for what `by_columns` made of X; a chunk that X never meets is not drawn."""
        out = np.zeros((X.rows if isinstance(X, Columns) else X.shape[0], self.k))
        for start in self.starts():
            end = min(start + self.columns, self.d)
            if not isinstance(X, Columns):
                out += X[:, start:end] @ self.chunk(start)
            elif X.indptr[start] < X.indptr[end]:
                add_columns(X.data, X.indices, X.indptr[start : end + 1], self.chunk(start), out)
        return out

    def lift(self, w: np.ndarray) -> np.ndarray:
        """Φᵀw for w of shape (k,): shape (d,)."""
        out = np.empty(self.d)
        for start in self.starts():
            out[start : start + self.columns] = self.chunk(start) @ w
        return out


def by_columns(X: Any) -> Any:
    """What `RandomMap.project` takes: dense X as it is, sparse X as `Columns`."""
    if not sparse.issparse(X):
        return X
    columns = sparse.csc_array(X)
    return Columns(X.shape[0], columns.data, columns.indices.astype(np.int64), columns.indptr.astype(np.int64))
