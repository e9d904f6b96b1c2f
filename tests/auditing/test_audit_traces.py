"""What the tests of independence keep of rows, against slow twins."""

from __future__ import annotations

import math

import numpy as np
from naive import traces as twin

from dpbench.auditing.choose import identity
from dpbench.auditing.independence import GROUPS, halves


def test_keys_of_rows_are_the_twins() -> None:
    """Floats with every kind of NaN and both zeros, and whole numbers of both signs."""
    odd = np.array([math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -1.5, 1e300])
    payload = np.array([0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF], dtype=np.uint64).view(np.float64)
    pool = np.concatenate([odd, payload])
    floats = np.random.default_rng(1).choice(pool, size=(60, 3))
    whole = np.random.default_rng(2).integers(-(2**62), 2**62, size=(60, 3))
    for rows in (floats, whole):
        assert identity(rows).tolist() == [twin.key(row) for row in rows.tolist()]


def test_tables_of_halves_are_the_twins() -> None:
    """Bits in runs, so that large halves are high; a width that no group divides; ties with the share."""
    rng = np.random.default_rng(3)
    runs = np.repeat(rng.random((3, 400)) < 0.5, 8, axis=1) ^ (rng.random((3, 3200)) < 0.2)
    bits, shares = np.ascontiguousarray(runs[:, :3144]), np.array([0.5, 0.375, 0.9])
    found = halves(np.packbits(bits, axis=1), shares)
    want = [[twin.halves(b.tolist(), s, g) for g in GROUPS] for b, s in zip(bits, shares, strict=True)]
    assert found.tolist() == np.array(want).tolist()
    assert (found[..., 0] > 0).any(axis=0).all() and (found[0] != found[1]).any()
