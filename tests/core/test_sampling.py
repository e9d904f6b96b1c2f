"""Seeds, blocks and executors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, make_dataclass, replace
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry import problem

from dpbench.core.sampling import block_width, canonical, map_blocks, release, sample, stream
from dpbench.core.validation import InvalidInput
from dpbench.papers.glm import losses
from dpbench.papers.glm.problem import GLMProblem


def test_streams_are_functions_of_their_names():
    assert stream(1, "a").random() == stream(1, "a").random()
    seen = {stream(*names).random() for names in [(1, "a"), ("1", "a"), (1, "b"), (1.0, "a"), ("1a",), (1, "a", None)]}
    assert len(seen) == 6


names = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(names, names)
def test_canonical_is_injective_up_to_equality(a, b):
    if canonical(a) == canonical(b):
        assert a == b
    assert canonical(a) == canonical(a)


@pytest.mark.parametrize("value", [object(), np.array([object()])])
def test_canonical_refuses_what_it_cannot_name(value):
    with pytest.raises(InvalidInput, match="a part of a seed must be"):
        canonical(value)


@pytest.mark.parametrize(("dimension", "width"), [(1, 64), (256, 64), (512, 64), (4096, 32), (16384, 8), (10**6, 8)])
def test_block_width_depends_on_the_dimension_alone(dimension, width):
    class Shape:
        d = dimension

    assert block_width(Shape()) == width


def test_map_blocks_keeps_order_and_raises():
    assert map_blocks(lambda b: b * b, range(20), 3) == [b * b for b in range(20)]

    def fails(block):
        if block == 5:
            raise RuntimeError("block 5")
        return block

    with pytest.raises(RuntimeError, match="block 5"):
        map_blocks(fails, range(20), 2)
    with pytest.raises(InvalidInput, match=r"^workers must be an integer >= 1, got 0"):
        map_blocks(fails, range(2), 0)


class Plain:
    """No dataclass, no stable name: one method is enough."""

    def __init__(self, scale=1.0):
        self.scale = scale

    def __call__(self, problem, trials, rng):
        return rng.random((trials, 2))


class Named(Plain):
    stable_name = "a name that outlives the class's"


class Slotted:
    __slots__ = ()

    def __call__(self, problem, trials, rng):
        return rng.random((trials, 2))


def uniform(problem, trials, rng):
    return rng.random((trials, 2))


@pytest.mark.parametrize("mechanism", [Plain(), Plain(object()), Plain({1: 2, "a": 3}), Named(), Slotted(), uniform])
def test_any_callable_is_sampled_and_released(mechanism):
    p = problem("squared")
    whole = sample(mechanism, p, 200, seed=1)
    assert whole.shape == (200, 2) and len(np.unique(whole)) == 400, "blocks share no draw"
    assert np.array_equal(whole, sample(mechanism, p, 200, seed=1, workers=3))
    with ThreadPoolExecutor(2) as pool:
        assert np.array_equal(whole, sample(mechanism, p, 200, seed=1, workers=pool))
    assert np.array_equal(whole[:65], sample(mechanism, p, 65, seed=1))
    assert np.array_equal(whole.sum(axis=1), sample(mechanism, p, 200, seed=1, statistic=lambda o: o.sum(axis=1)))
    made = release(mechanism, p, seed=1)
    assert made.output.shape == (2,) and np.array_equal(made.output, release(mechanism, p, seed=1).output)
    assert "guarantee" not in made.info


def test_the_attributes_of_a_plain_mechanism_are_part_of_its_seed():
    p = problem("squared")
    first, same, other, named = (sample(m, p, 8) for m in (Plain(1.0), Plain(1.0), Plain(2.0), Named(1.0)))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other) and not np.array_equal(first, named)
    # What cannot be named is left to the stable name, which a class can fix.
    assert np.array_equal(sample(Plain(object()), p, 8), sample(Plain(len), p, 8))


@pytest.mark.parametrize(
    "returned",
    [None, 3.0, np.zeros((63, 2)), np.zeros((65, 2)), np.zeros(64), np.zeros((64, 2, 2)), np.full((64, 1), "a"),
     [[1.0], [1.0, 2.0]], np.zeros((64, 2), dtype=object)],
    ids=["None", "number", "too few", "too many", "vector", "three axes", "text", "ragged", "objects"],
)  # fmt: skip
def test_outputs_that_are_no_rows_are_refused(returned):
    def broken(problem, trials, rng):
        return returned

    for call in (lambda: sample(broken, problem("squared"), 100), lambda: release(broken, problem("squared"))):
        with pytest.raises(InvalidInput, match=r"^the array that mechanism broken returns must be "):
            call()


@pytest.mark.parametrize("returned", [None, 3.0, np.zeros(63), np.zeros((2, 64)), [[1.0], [1.0, 2.0]]])
def test_a_statistic_without_a_row_a_trial_is_refused(returned):
    with pytest.raises(InvalidInput, match=r"^the array that statistic returns must be one whose first axis is the 64"):
        sample(uniform, problem("squared"), 100, statistic=lambda _: returned)


def test_rows_of_different_widths_are_refused():
    def growing(problem, trials, rng):
        widths.append(len(widths) + 1)
        return np.zeros((trials, widths[-1]))

    widths = []
    with pytest.raises(InvalidInput, match=r"^the rows that mechanism growing returns must be of one shape"):
        sample(growing, problem("squared"), 100)


@pytest.mark.parametrize(
    ("named", "arguments"),
    [
        ("mechanism", {"mechanism": 3}), ("mechanism", {"mechanism": None}), ("mechanism", {"mechanism": Plain}),
        ("problem", {"problem": "x"}), ("problem", {"problem": None}), ("problem", {"problem": np.zeros((3, 2))}),
        ("statistic", {"statistic": 3}), ("statistic", {"statistic": "mean"}),
    ],
)  # fmt: skip
def test_what_is_sampled_is_checked(named, arguments):
    whole = {"mechanism": uniform, "problem": problem("squared"), "trials": 10, **arguments}
    with pytest.raises(InvalidInput, match=rf"^{named} must be "):
        sample(**whole)
    if named != "statistic":
        with pytest.raises(InvalidInput, match=rf"^{named} must be "):
            release(whole["mechanism"], whole["problem"])


def test_a_new_field_with_a_default_changes_no_seed():
    before = make_dataclass("Toy", [("scale", float), ("steps", int, 3)], frozen=True)
    after = make_dataclass("Toy", [("scale", float), ("steps", int, 3), ("arithmetic", str, "float")], frozen=True)
    assert canonical(before(2.0)) == canonical(after(2.0)) == canonical(after(2.0, 3, "float"))
    assert canonical(after(2.0, 3, "exact")) != canonical(after(2.0))
    assert canonical(after(2.0, 4)) != canonical(after(2.0))
    assert canonical(after(2.0, 3.0)) != canonical(after(2.0)), "a value of another type is not the default"
    more = [("table", list, field(default_factory=lambda: [1])), ("met", int, field(init=False))]
    longer = make_dataclass("Toy", [("scale", float), ("steps", int, 3), *more])
    plain, changed = longer(2.0), longer(2.0, table=[2])
    plain.met, changed.met = 5, 5
    assert canonical(plain) == canonical(before(2.0)), "what no call gives is no part of the name"
    assert canonical(changed) != canonical(plain)


def test_a_loss_is_named_by_name_and_parameter():
    one, other = losses.huber(2.0), replace(losses.huber(2.0), smoothness=7.0)
    assert canonical(one) == canonical(other) != canonical(losses.huber(2.5))
    rows = np.eye(2), np.ones(2)
    bounds = {"x_bound": 1.0, "y_bound": 1.0, "radius": 1.0}
    assert GLMProblem(*rows, loss=one, **bounds).digest == GLMProblem(*rows, loss=other, **bounds).digest
    assert GLMProblem(*rows, loss=one, **bounds).digest != GLMProblem(*rows, loss=losses.huber(2.5), **bounds).digest


class Remembering:
    """Keeps something by the way; the same seed must give the same bits the second time."""

    def __init__(self, scale):
        self.scale = scale

    @cached_property
    def table(self):
        return [self.scale]

    def __call__(self, problem, trials, rng):
        self._last = self.table
        return rng.normal(0.0, self.table[0], (trials, 1))


def test_what_a_mechanism_remembers_is_no_part_of_its_seed():
    mechanism, p = Remembering(2.0), problem("squared")
    assert np.array_equal(sample(mechanism, p, 8, seed=1), sample(mechanism, p, 8, seed=1))
    assert not np.array_equal(sample(mechanism, p, 8, seed=1), sample(Remembering(3.0), p, 8, seed=1))
