"""`each` and `encode`: one call and one result made a sampler, and outputs of any kind made an array."""

from __future__ import annotations

import collections
import dataclasses
import math
import pickle
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbench import InvalidInput, audit, audit_samples, each, encode

Rng = np.random.Generator
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Answer:
    best: str
    count: float


# each


def with_rng(count: float, rng: Rng) -> float:
    return count + rng.laplace()


def with_numpys_state(count: float) -> float:
    return count + np.random.laplace()  # noqa: NPY002


def with_pythons_state(count: float) -> float:
    return count + random.expovariate(1.0) - random.expovariate(1.0)


def sampled(function: object, trials: int = 50, seed: int = 0, **options: object) -> np.ndarray:
    return each(function, **options)(3.0, trials, np.random.default_rng(seed))  # type: ignore[arg-type]


@pytest.mark.parametrize("function", [with_rng, with_numpys_state, with_pythons_state])
def test_calls_are_seeded_independent_and_reproducible(function: object) -> None:
    first = sampled(function)
    assert first.shape == (50,) and len(np.unique(first)) == 50
    assert np.array_equal(first, sampled(function))
    assert not np.isin(first, sampled(function, seed=1)).any()
    result = audit(each(function), 0.0, 2.0, epsilon=1.0, trials=3_000)  # type: ignore[arg-type]
    assert result.verdict == "refuted" and 1.0 < result.epsilon_lower < 2.0


def test_a_call_of_one_seed_does_not_depend_on_the_block_it_is_in() -> None:
    assert np.array_equal(sampled(with_rng, trials=10), sampled(with_rng, trials=50)[:10])


def test_global_generators_are_put_back() -> None:
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    sampled(with_numpys_state)
    sampled(with_pythons_state)
    assert random.getstate() == before[0]
    assert np.array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002


def test_a_function_that_seeds_itself_gives_one_output() -> None:
    """Planted: a seed inside, so that the seeds from outside change nothing."""

    def stuck(count: float) -> float:
        return count + np.random.default_rng(0).laplace()

    assert len(np.unique(sampled(stuck))) == 1


@pytest.mark.process
def test_processes_give_the_same_bits_and_tell_their_progress() -> None:
    told: list[tuple[int, int]] = []
    found = sampled(with_rng, processes=2, progress=lambda done, total: told.append((done, total)))
    assert np.array_equal(found, sampled(with_rng))
    assert told[-1] == (50, 50) and len(told) > 2
    assert np.array_equal(
        sampled(with_rng), pickle.loads(pickle.dumps(each(with_rng)))(3.0, 50, np.random.default_rng(0))
    )


def test_defaults_and_keywords_of_functions() -> None:
    assert sampled(lambda data, scale=2.0: data * scale).tolist() == [6.0] * 50
    assert len(np.unique(sampled(lambda data, rng=None: data + rng.random()))) == 50
    assert sampled(lambda *args: float(len(args))).tolist() == [1.0] * 50


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (3, "function must be callable as function"),
        (lambda: 1, "function must be callable as function"),
        (lambda data, trials, rng: 1, "got a sampler .* hand it to audit as is"),
        (lambda a, b, c, d: 1, "function must be callable as function"),
        (lambda data, *, key: 1, "function must be callable as function"),
    ],
)
def test_what_is_no_function_of_one_call_is_refused(function: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        each(function)  # type: ignore[arg-type]


def test_bad_settings_are_refused() -> None:
    with pytest.raises(InvalidInput, match="processes must be an integer >= 1"):
        each(with_rng, processes=0)
    with pytest.raises(InvalidInput, match="progress must be callable"):
        each(with_rng, progress=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "sampler",
    [
        lambda d: 1.0,
        lambda d, trials: np.zeros(trials),
        lambda d, trials, rng: 1.0,
    ],
)
def test_audit_proposes_each(sampler: object) -> None:
    with pytest.raises(InvalidInput, match=r"dpbench.each\(function\)"):
        audit(sampler, 0.0, 1.0, trials=200)  # type: ignore[arg-type]


@pytest.mark.parametrize("output", [{"a": 1}, None, object(), np.zeros((4, 4))])
def test_audit_proposes_encode(output: object) -> None:
    with pytest.raises(InvalidInput, match=r"dpbench\.encode"):
        audit(lambda d, trials, rng: [output] * trials, 0.0, 1.0, trials=200)


def test_a_lone_run_does_not_speak_of_one_trial_asked_for() -> None:
    with pytest.raises(InvalidInput, match=r"one row for each of the trials asked for \(here 1\)"):
        audit(lambda d, trials, rng: np.zeros(7), 0.0, 1.0, trials=200)


LEAKS = {
    "dicts": lambda d, rng: {"count": rng.laplace(), "flag": bool(rng.random() < 0.1 + 0.8 * d)},
    "records": lambda d, rng: Point(rng.laplace(), rng.laplace() + 4.0 * d),
    "data classes": lambda d, rng: Answer("a" if rng.random() < 0.1 + 0.8 * d else "b", 1.0),
    "texts": lambda d, rng: "yes" if rng.random() < 0.1 + 0.8 * d else "no",
    "ragged lists": lambda d, rng: [1.0] * int(rng.integers(1, 4) + 2 * d),
    "sets": lambda d, rng: {"a", "b"} if rng.random() < 0.1 + 0.8 * d else {"a"},
    "images": lambda d, rng: rng.random((8, 8)) + d,
    "none or a number": lambda d, rng: None if rng.random() < 0.9 * d else 1.0,
    "a missing field": lambda d, rng: {"a": 1.0} if rng.random() < 0.1 + 0.8 * d else {"a": 1.0, "b": 2.0},
    "another type": lambda d, rng: [1, 2] if rng.random() < 0.1 + 0.8 * d else "text",
}


@pytest.mark.parametrize("kind", LEAKS)
@pytest.mark.few(2)
def test_leaks_are_found_in_outputs_of_every_kind(kind: str) -> None:
    assert audit(each(LEAKS[kind]), 0, 1, epsilon=1.0, trials=1_500).verdict == "refuted"
    right = audit(each(lambda d, rng: LEAKS[kind](0, rng)), 0, 1, epsilon=0.05, trials=1_500)
    assert right.verdict == "not refuted"


# encode


def test_shapes() -> None:
    assert encode([1, 2.5, True]).tolist() == [1.0, 2.5, 1.0]
    assert encode([[1, 2], [3, 4]]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert encode(["a", "bc"]).dtype.kind == "U"
    assert encode([{"b": 1, "a": [2.0, 3.0]}])[0].tolist() == [2.0, 1.0, 2.0, 3.0]
    assert encode([Point(1.0, 2.0), Point(3.0, 4.0)]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert encode(np.zeros((5, 4, 4))).shape == (5, 16)
    assert encode(np.zeros((5, 64, 64, 3))).shape == (5, 16 * 16 + 3)
    table = np.array([(1, 2.5, "x"), (2, 3.5, "y")], dtype=[("n", int), ("v", float), ("s", "U1")])
    made = encode(table)
    assert made.names[:3] == ["length of output", "output['n']", "output['v']"]  # type: ignore[attr-defined]
    assert made[:, 1:3].tolist() == [[1.0, 2.5], [2.0, 3.5]]
    whole = np.arange(6.0).reshape(3, 2)
    assert encode(whole) is whole


def test_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"n": [1.0, 2.0], "s": ["a", "b"]})
    made = encode(frame)
    assert made.names[1] == "output['n']" and made[:, 1].tolist() == [1.0, 2.0]  # type: ignore[attr-defined]


def test_means_of_large_images_are_over_cells() -> None:
    image = np.zeros((1, 64, 64))
    image[0, :4, :4] = 8.0
    made = encode(image)[0]
    assert made[0] == 8.0 and (made[1:256] == 0.0).all()
    image[0, 63, 63] = 1e-9
    assert encode(image)[0, -1] == made[-1] == 8.0  # the largest


def test_equal_outputs_have_equal_rows_and_others_do_not() -> None:
    one = encode([{1, 2, 3}, {3, 2, 1}, {1, 2, 4}])
    assert np.array_equal(one[0], one[1]) and not np.array_equal(one[0], one[2])
    lists = encode([[1, "a"], [1, "a"], ["a", 1], [1]])
    assert np.array_equal(lists[0], lists[1], equal_nan=True)
    assert not np.array_equal(lists[0], lists[2], equal_nan=True)
    assert not np.array_equal(lists[0], lists[3], equal_nan=True)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(-1e6, 1e6) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(JSON, min_size=1, max_size=6), st.randoms())
def test_a_row_depends_on_its_output_and_the_names_of_columns_alone(outputs: list, order: random.Random) -> None:
    """So encoding is post-processing: no order and no other output changes a row."""
    places = [*range(len(outputs))] * 2
    order.shuffle(places)
    whole: Any = encode([None, *(outputs[place] for place in places)])
    rows = whole.reshape(len(whole), -1)[1:]
    assert rows.shape[1] == len(whole.names)
    first = dict(zip(places[::-1], rows[::-1], strict=True))
    assert all(np.array_equal(first[place], row, equal_nan=True) for place, row in zip(places, rows, strict=True))


def test_an_output_that_does_not_fit_has_columns_that_say_so() -> None:
    known = [{"a": 1.0}] * 50 + [{"a": 2.0, "b": "x"}] * 50
    made: Any = encode([*known, {"a": 1.0, "c": 5}, "text"])
    fits, (more, other) = made[0], made[-2:]
    assert not np.array_equal(fits, more, equal_nan=True)
    assert np.isnan(other[made.names.index("output['a']")])


@pytest.mark.parametrize("outputs", ["abc", 3.0, {"a": 1}, [], np.zeros(0), np.float64(1.0), None])
def test_what_holds_no_outputs_is_refused(outputs: object) -> None:
    with pytest.raises(InvalidInput, match="outputs must be"):
        encode(outputs)


def test_numbers_beyond_doubles_masked_entries_and_dates() -> None:
    assert encode([10**400, -(10**400), 1])[:, 0].tolist() == [math.inf, -math.inf, 1.0]
    masked = encode([np.ma.masked_array([1.0, 2.0], [True, False]), np.array([1.0, 2.0])])
    assert np.array_equal(masked[:, -2:], [[np.nan, 2.0], [1.0, 2.0]], equal_nan=True)
    assert masked.names[1] == "what the mask hides of output[0]"  # type: ignore[attr-defined]
    days = encode([np.datetime64("2020-01-01"), np.datetime64("2020-01-02"), np.datetime64("2020-01-01")])
    assert days[0] == days[2] != days[1]


def test_an_object_that_cannot_be_looked_into_makes_an_audit_blind() -> None:
    """Planted: a leak behind an object that shows nothing but its address."""
    found = audit(each(lambda d, rng: lambda: d + rng.random()), 0.0, 1.0, epsilon=1.0, trials=400)
    assert found.verdict == "blind" and "of output only equality is seen" in str(found)


def test_encoded_together_and_audited() -> None:
    rng = np.random.default_rng(0)
    ours, theirs = ([LEAKS["dicts"](d, rng) for _ in range(1_000)] for d in (0, 1))
    both = encode([*ours, *theirs])
    assert audit_samples(both[:1_000], both[1_000:], epsilon=1.0).verdict == "refuted"
