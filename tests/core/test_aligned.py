"""Arrays that begin at a cache line."""

import numpy as np
import pytest

from dpbench.core import aligned


@pytest.mark.parametrize("shape", [(1,), (7,), (8,), (3, 8), (2, 3, 5), (0, 4), (1000, 8)])
def test_zeros_begin_at_a_cache_line(shape):
    """Twenty of each: an ordinary allocation of these sizes begins at one in four."""
    kept = [aligned.zeros(*shape) for _ in range(20)]
    for made in kept:
        assert made.shape == shape and made.dtype == np.float64 and made.flags.c_contiguous and made.flags.writeable
        assert made.ctypes.data % 64 == 0 or made.size == 0
        assert not made.any()
    ordinary = [np.zeros(11) for _ in range(200)]
    assert any(made.ctypes.data % 64 for made in ordinary)
