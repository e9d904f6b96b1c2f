"""`wide_vectors`: what LLVM is asked, the same bits, and nothing without the JIT."""

import numba
import numpy as np
import pytest

from dpbench.core.vectors import ATTRIBUTE, map_scaled, wide_vectors

pytestmark = pytest.mark.kernel


def _narrow(x, y, out):
    for i in range(out.shape[0]):
        out[i] = out[i] + x[i] * y[i] + 0.1 * x[i]


def _wide(x, y, out):
    wide_vectors()
    for i in range(out.shape[0]):
        out[i] = out[i] + x[i] * y[i] + 0.1 * x[i]


def test_the_same_bits():
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
def test_llvm_is_asked():
    said = []
    for function in (_narrow, _wide):
        made = numba.njit("void(f8[::1], f8[::1], f8[::1])")(function)
        said.append(ATTRIBUTE in "".join(made.inspect_llvm().values()))
    assert said == [False, True]


@numba.njit
def _chain(x, y):
    p = 0.1 * x + y
    for _ in range(6):
        p = p * x + 0.5
    return 1.0 / (1.0 + p * p)


def _mapped(share, label, row):
    map_scaled(_chain, share, label, row)


@pytest.mark.parametrize("size", [0, 1, 3, 4, 7, 15, 16, 17, 31, 32, 33, 64, 100])
def test_a_mapped_row_has_the_bits_of_its_entries_one_by_one(size):
    rows = np.random.default_rng(size).standard_normal((3, size))
    want = np.array([[0.3 * _chain(x, -1.5) for x in row] for row in rows]).reshape(3, size)
    got = rows.copy()
    numba.njit("void(f8, f8, f8[::1])")(_mapped)(0.3, -1.5, got[1])
    assert np.array_equal(got[1], want[1]) and np.array_equal(got[[0, 2]], rows[[0, 2]])
    plain = rows.copy()
    _mapped(0.3, -1.5, plain[1])
    assert np.array_equal(plain[1], want[1])
