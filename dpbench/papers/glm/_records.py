"""Features of a data set, dense or in compressed sparse rows: checked, made read-only, measured and hashed."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from dpbench.core import validation


def add_to(digest: Any, *parts: np.ndarray) -> None:
    """Their types and bytes, into a hash; without a copy where they are contiguous."""
    for part in parts:
        digest.update(str(part.dtype).encode())
        digest.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8))


def row_norms(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Norms of the rows in two factors: a power of 2 near a row's largest entry, and the norm in units of it.

    So no square underflows or overflows.
    """
    size = abs(X)
    largest = np.asarray(size.max(axis=1).todense() if sparse.issparse(X) else size.max(axis=1)).reshape(-1)
    scale = np.ldexp(1.0, np.clip(np.frexp(largest)[1], -1000, 1000))
    if sparse.issparse(X):
        size.data = (size.data / np.repeat(scale, np.diff(size.indptr))) ** 2
        squares = np.asarray(size.sum(axis=1)).reshape(-1)
    else:
        size /= scale[:, None]
        squares = np.einsum("ij,ij->i", size, size)
    return scale, np.sqrt(squares)


def features_of(X: Any) -> Any:
    if not sparse.issparse(X):
        features = validation.array("X", X, ndim=2)
        if features.shape[1] < 1:
            raise validation.invalid("X", "a matrix with at least 1 column", features)
        return features
    if X.ndim != 2 or X.shape[0] < 1 or X.shape[1] < 1:
        raise validation.invalid("X", "a matrix with at least 1 row and 1 column", f"shape {X.shape}")
    if X.dtype.kind not in "fiub":
        raise validation.invalid("X", "a matrix of finite numbers", f"dtype {X.dtype}")
    features = sparse.csr_array(X, dtype=np.float64, copy=True)
    features.sum_duplicates()
    validation.finite("X.data", features.data)
    return features


def frozen(values: Any) -> Any:
    """A private, read-only version, so that no mechanism can change its input."""
    if sparse.issparse(values):
        for part in (values.data, values.indices, values.indptr):
            part.flags.writeable = False
        return values
    copy = values.copy() if values.flags.writeable or values.base is not None else values
    copy.flags.writeable = False
    return copy
