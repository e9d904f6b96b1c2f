"""`wide_vectors`: what LLVM is asked, the same bits, and nothing without the JIT."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from dpbench.core.vectors import ATTRIBUTE, wide_vectors

pytestmark = pytest.mark.kernel


def _narrow(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for i in range(out.shape[0]):
        out[i] = out[i] + x[i] * y[i] + 0.1 * x[i]


def _wide(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    wide_vectors()
    for i in range(out.shape[0]):
        out[i] = out[i] + x[i] * y[i] + 0.1 * x[i]


def test_the_same_bits() -> None:
    """Products and sums of 999 numbers, contracted; also as plain Python, where the call does nothing."""
    rng = np.random.default_rng(0)
    x, y, start = rng.standard_normal((3, 999))
    found = []
    for function in (_narrow, _wide):
        out = start.copy()
        numba.njit(fastmath={"contract"})(function)(x, y, out)
        found.append(out)
    assert np.array_equal(*found) and np.allclose(found[0], start + x * y + 0.1 * x)
    out = start.copy()
    _wide(x, y, out)
    assert np.allclose(out, found[1], rtol=1e-14)


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="there is no code without the JIT")
def test_llvm_is_asked() -> None:
    said = []
    for function in (_narrow, _wide):
        made = numba.njit("void(f8[::1], f8[::1], f8[::1])")(function)
        said.append(ATTRIBUTE in "".join(made.inspect_llvm().values()))
    assert said == [False, True]
