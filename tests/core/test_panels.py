"""Products by blocks in registers: the bits of sums in order, for any shape and layout."""

import naive.noisy_gd as naive
import numba
import numpy as np
import pytest

from dpbench.core.panels import BLOCK_ROWS, COLUMNS, DEPTH
from dpbench.papers.glm.algorithms._noisy_gd_kernels import add_product

pytestmark = pytest.mark.kernel


@numba.njit(fastmath={"contract"})
def _fused(a, b, c):
    return c + a * b


FUSED = float(_fused(1.0 + 2.0**-30, 1.0 - 2.0**-30, -1.0)) != 0.0
"""Whether this processor rounds a product and a sum once; in plain Python it does not."""
SHAPES = [
    (rows, inner, width)
    for rows in (0, 1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 2 * BLOCK_ROWS + 3)
    for inner, width in ((0, COLUMNS), (1, 1), (3, COLUMNS - 1), (5, COLUMNS), (7, COLUMNS + 1), (9, 2 * COLUMNS + 3))
]


@pytest.mark.parametrize("order", ["C", "F", "strided"])
def test_each_entry_is_a_sum_in_order(order):
    """To the last bit; also beyond `DEPTH`, where a block is left and taken up again. Nothing else is touched."""
    rng = np.random.default_rng(11)
    for rows, inner, width in (*SHAPES, (7, DEPTH + 1, 9), (6, 2 * DEPTH + 3, 8)):
        A, B = rng.standard_normal((rows, inner)), rng.standard_normal((inner, width))
        out = rng.standard_normal((rows, width))
        given = {"C": A, "F": np.asfortranarray(A), "strided": np.repeat(A, 2, axis=1)[:, ::2]}[order]
        framed = np.full((rows + 2, width), 7.0)
        framed[1:-1] = out
        add_product(given, B, framed[1:-1])
        want = naive.summed_in_order(A, B, out, FUSED)
        if numba.config.DISABLE_JIT:
            assert np.allclose(framed[1:-1], want, rtol=1e-12, atol=1e-13)
        else:
            assert np.array_equal(framed[1:-1], want), (rows, inner, width)
        assert (framed[0] == 7.0).all() and (framed[-1] == 7.0).all()


def test_a_sum_in_another_order_would_be_seen():
    rng = np.random.default_rng(12)
    A, B, out = rng.standard_normal((6, 40)), rng.standard_normal((40, 8)), np.zeros((6, 8))
    want = naive.summed_in_order(A, B, out, FUSED)
    turned = naive.summed_in_order(A[:, ::-1], B[::-1], out, FUSED)
    assert not np.array_equal(want, turned) and np.allclose(want, turned, rtol=1e-12, atol=1e-12)
