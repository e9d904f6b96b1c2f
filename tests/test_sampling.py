"""Seeds, blocks and executors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry import problem

from dpbench.sampling import block_width, canonical, map_blocks, sample, stream
from dpbench.validation import InvalidInput


@dataclass(frozen=True)
class Uniform:
    """A mechanism of a user's: no guarantee, no stable name."""

    width: int = 2

    def __call__(self, problem: object, trials: int, rng: np.random.Generator) -> np.ndarray:
        return rng.random((trials, self.width))


def test_streams_are_functions_of_their_names() -> None:
    assert stream(1, "a").random() == stream(1, "a").random()
    seen = {stream(*names).random() for names in [(1, "a"), ("1", "a"), (1, "b"), (1.0, "a"), ("1a",), (1, "a", None)]}
    assert len(seen) == 6


names = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(names, names)
def test_canonical_is_injective_up_to_equality(a: object, b: object) -> None:
    if canonical(a) == canonical(b):
        assert a == b
    assert canonical(a) == canonical(a)


def test_canonical_refuses_what_it_cannot_name() -> None:
    with pytest.raises(InvalidInput, match="a part of a seed must be"):
        canonical(object())


@pytest.mark.parametrize(("dimension", "width"), [(1, 64), (256, 64), (512, 64), (4096, 32), (16384, 8), (10**6, 8)])
def test_block_width_depends_on_the_dimension_alone(dimension: int, width: int) -> None:
    class Shape:
        d = dimension

    assert block_width(Shape()) == width


def test_a_user_mechanism_is_sampled_like_ours() -> None:
    p = problem("squared")
    whole = sample(Uniform(), p, 200, seed=1)
    assert whole.shape == (200, 2)
    assert np.array_equal(whole[:65], sample(Uniform(), p, 65, seed=1))
    assert np.array_equal(whole, sample(Uniform(), p, 200, seed=1, workers=3))
    with ThreadPoolExecutor(2) as pool:
        assert np.array_equal(whole, sample(Uniform(), p, 200, seed=1, workers=pool))
    assert not np.array_equal(whole, sample(Uniform(3), p, 200, seed=1)[:, :2])
    assert np.array_equal(whole.sum(axis=1), sample(Uniform(), p, 200, seed=1, statistic=lambda o: o.sum(axis=1)))


def test_blocks_share_no_draw() -> None:
    draws = sample(Uniform(1), problem("squared"), 64 * 50)
    assert len(np.unique(draws)) == draws.size


def test_map_blocks_keeps_order_and_raises() -> None:
    assert map_blocks(lambda b: b * b, range(20), 3) == [b * b for b in range(20)]

    def fails(block: int) -> int:
        if block == 5:
            raise RuntimeError("block 5")
        return block

    with pytest.raises(RuntimeError, match="block 5"):
        map_blocks(fails, range(20), 2)
    with pytest.raises(InvalidInput, match=r"^workers must be an integer >= 1, got 0"):
        map_blocks(fails, range(2), 0)
