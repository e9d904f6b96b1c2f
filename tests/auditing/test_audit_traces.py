"""Kernels of the tests of independence, each against its slow twin, and planted errors of each."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from naive import traces as twin
from planted import Checks, every_plant, see, wrong

from dpbench.auditing import _trace_kernels as kernels
from dpbench.auditing.choose import identity

GROUPS = (1, 8, 64, 512)
"""Rows in the two halves of a group: 1, then multiples of 8."""


def check_ones(kernel: Callable[..., int]) -> None:
    assert [kernel(byte) for byte in range(256)] == [twin.set_bits(byte) for byte in range(256)]


def test_keys_of_rows_are_the_twins() -> None:
    """Floats with every kind of NaN and both zeros, and whole numbers of both signs."""
    odd = np.array([math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -1.5, 1e300])
    payload = np.array([0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF], dtype=np.uint64).view(np.float64)
    pool = np.concatenate([odd, payload])
    floats = np.random.default_rng(1).choice(pool, size=(60, 3))
    whole = np.random.default_rng(2).integers(-(2**62), 2**62, size=(60, 3))
    for rows in (floats, whole):
        assert identity(rows).tolist() == [twin.key(row) for row in rows.tolist()]


def check_pair_halves(kernel: Callable[..., None]) -> None:
    """Bits in runs, so that large halves are high; a width that no group divides; ties with the share."""
    rng = np.random.default_rng(3)
    runs = np.repeat(rng.random((3, 400)) < 0.5, 8, axis=1) ^ (rng.random((3, 3200)) < 0.2)
    bits, shares = np.ascontiguousarray(runs[:, :3144]), np.array([0.5, 0.375, 0.9])
    found = np.full((3, len(GROUPS), 4), -1)
    kernel(np.packbits(bits, axis=1), shares, np.array(GROUPS), found)
    want = [[twin.halves(b.tolist(), s, g) for g in GROUPS] for b, s in zip(bits, shares, strict=True)]
    assert found.tolist() == np.array(want).tolist()
    assert (found[..., 0] > 0).any(axis=0).all() and (found[0] != found[1]).any()


CHECKS: Checks = {
    "ones": (check_ones, (("0x33) + ", "0x33) | "), ("bits >> 4", "bits >> 3"))),
    "pair_halves": (
        check_pair_halves,
        (
            ("left > bar and", "left >= bar and"),
            ("right > bar)\n            found", "left > bar)\n            found"),
            ("start + half + i", "start + i"),
            ("sizes[k] * shares[j]", "sizes[k] * shares[0]"),
            ("width // (2 * half)", "width // half - 1"),
            ("(row >> 1) & 0x55", "row & 0xAA"),
            ("first += ones(one)", "first += ones(other)"),
        ),
    ),
}


@pytest.mark.kernel
@pytest.mark.parametrize("name", CHECKS)
def test_kernels_are_their_twins(name: str) -> None:
    CHECKS[name][0](getattr(kernels, name))


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "old", "new"), every_plant(CHECKS))
def test_a_planted_error_is_seen(name: str, old: str, new: str) -> None:
    see(CHECKS[name][0], wrong(kernels, name, old, new))
