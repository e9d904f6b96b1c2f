"""One thread of BLAS inside a run, and one of OpenMP in the calls that use it.

Two of BLAS under two workers are slower and change bits (measured); a team of OpenMP does not survive a fork.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

_lock = threading.Lock()
_depth = 0
_limiter: Any = None


@lru_cache(maxsize=1)
def _controller() -> Any:
    import scipy.linalg.cython_blas  # noqa: F401  (numba's np.dot loads this copy of BLAS lazily; limit it too)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@lru_cache(maxsize=1)
def _openmp() -> Any:
    import sklearn.ensemble  # noqa: F401  (its import loads the library)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="openmp")


@contextmanager
def one_openmp_thread() -> Iterator[None]:
    """Hold OpenMP to one thread for a call of scikit-learn; it keeps a number for each thread that calls."""
    with _openmp().limit(limits=1):
        yield


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold every BLAS of the process to one thread; nested and concurrent uses are counted."""
    global _depth, _limiter
    with _lock:
        if _depth == 0:
            _limiter = _controller().limit(limits=1, user_api="blas")
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                _limiter.restore_original_limits()
