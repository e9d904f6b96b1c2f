"""What the tests of independence keep of rows, against slow twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from naive import traces as twin

from dpbench.auditing.choose import identity
from dpbench.auditing.independence import dispersion, neighbours
from dpbench.core import sampling


def test_keys_of_rows_are_the_twins() -> None:
    """Floats with every kind of NaN and both zeros, and whole numbers of both signs."""
    odd = np.array([math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -1.5, 1e300])
    payload = np.array([0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF], dtype=np.uint64).view(np.float64)
    pool = np.concatenate([odd, payload])
    floats = np.random.default_rng(1).choice(pool, size=(60, 3))
    whole = np.random.default_rng(2).integers(-(2**62), 2**62, size=(60, 3))
    for rows in (floats, whole):
        assert identity(rows).tolist() == [twin.key(row) for row in rows.tolist()]


def test_tables_of_neighbouring_rows_are_the_twins() -> None:
    """Bits in runs; a width that no byte divides."""
    rng = np.random.default_rng(3)
    runs = np.repeat(rng.random((3, 400)) < 0.5, 8, axis=1) ^ (rng.random((3, 3200)) < 0.2)
    found = neighbours(np.packbits(runs[:, :3144], axis=1))
    assert found.tolist() == [list(twin.neighbours(bits.tolist())) for bits in runs[:, :3144]]
    assert (found[:, 0] > 0).all() and (found[0] != found[1]).any()


def test_p_values_of_counts_over_calls_are_the_twins() -> None:
    """Calls of several sizes, and bits from never to always set."""
    rng = np.random.default_rng(4)
    sizes = rng.integers(1, 60, size=20)
    hits = rng.binomial(sizes, np.array([[0.0], [0.003], [0.2], [0.5], [0.97], [1.0]]))
    uniforms = sampling.stream("dispersion", sizes.tolist()).random(20)
    want = [twin.dispersion(some, sizes.tolist(), uniforms) for some in hits.tolist()]
    assert dispersion(hits, sizes) == pytest.approx(want)
