"""Samplers from functions by `each`, and outputs as the named columns of a layout. Thirty kinds are in `zoo`."""

from __future__ import annotations

import collections
import json
import math
import pickle
import random
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbench import InvalidInput, audit, audit_samples, each
from dpbench.auditing.audit import _chosen
from dpbench.auditing.outputs import RECURRING, SIDE, WIDEST, learn
from dpbench.cli.audit_arrays import read_pair

Point = collections.namedtuple("Point", "x y")


# each


def with_rng(count, rng):
    return count + rng.laplace()


def with_numpys_state(count):
    return count + np.random.laplace()  # noqa: NPY002


def with_pythons_state(count):
    return count + random.expovariate(1.0) - random.expovariate(1.0)


def sampled(function, trials=50, seed=0):
    return each(function)(3.0, trials, np.random.default_rng(seed))


@pytest.mark.parametrize("function", [with_rng, with_numpys_state, with_pythons_state])
def test_calls_are_seeded_independent_and_reproducible(function):
    first = sampled(function)
    assert first.shape == (50,) and len(np.unique(first)) == 50
    assert np.array_equal(first, sampled(function))
    assert not np.isin(first, sampled(function, seed=1)).any()
    result = audit(each(function), 0.0, 2.0, epsilon=1.0, trials=3_000)
    assert result.verdict == "refuted" and 1.0 < result.epsilon_lower < 2.0


def test_a_call_of_one_seed_does_not_depend_on_the_block_it_is_in():
    assert np.array_equal(sampled(with_rng, trials=10), sampled(with_rng, trials=50)[:10])


def test_global_generators_are_put_back():
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].copy()  # noqa: NPY002
    sampled(with_numpys_state)
    sampled(with_pythons_state)
    assert random.getstate() == before[0]
    assert np.array_equal(np.random.get_state()[1], before[1])  # noqa: NPY002


def test_no_seed_of_an_audit_stays_in_torch(monkeypatch):
    seeds = []
    torch = SimpleNamespace(manual_seed=seeds.append, seed=lambda: seeds.append("afresh"))
    monkeypatch.setitem(sys.modules, "torch", torch)
    sampled(with_numpys_state, trials=2)
    assert len(seeds) == 3 and seeds[-1] == "afresh"


def test_samplers_of_functions_pickle():
    again = pickle.loads(pickle.dumps(each(with_rng)))
    assert np.array_equal(sampled(with_rng), again(3.0, 50, np.random.default_rng(0)))


def test_defaults_and_keywords_of_functions():
    assert sampled(lambda data, scale=2.0: data * scale).tolist() == [6.0] * 50
    assert len(np.unique(sampled(lambda data, rng=None: data + rng.random()))) == 50
    assert sampled(lambda *args: float(len(args))).tolist() == [1.0] * 50
    assert each(max)([1.0, 2.0], 3, np.random.default_rng(0)).tolist() == [2.0] * 3  # which has no signature


@pytest.mark.parametrize("first", [1.0, None])
def test_lists_of_numbers_and_none_are_taken_whatever_comes_first(first):
    """As the sparse vector technique and propose-test-release return; log(0.8/0.2) = 1.39 of loss."""
    rng = np.random.default_rng(0)
    some, many = (
        [first, *(None if rng.random() < p else float(rng.laplace()) for _ in range(3_000))] for p in (0.2, 0.8)
    )
    found = audit_samples(some, many, epsilon=0.5)
    assert found.verdict == "refuted" and found.epsilon_lower > 1.0


def test_an_exception_is_an_output_where_it_is_asked_for():
    """Raised in 2% of the runs on the neighbour alone: δ = 0.02; the message of an audit that it ends says how."""

    def fails(d, rng):
        if rng.random() < 0.02 * d:
            raise RuntimeError("no candidate")
        return float(rng.laplace())

    with pytest.raises(
        InvalidInput, match=r'raised RuntimeError .*no candidate; .*each\(function, exceptions="output"\)'
    ):
        audit(each(fails), 0.0, 1.0, epsilon=1.0, trials=5_000)
    found = audit(each(fails, exceptions="output"), 0.0, 1.0, epsilon=1.0, delta=0.001, trials=5_000)
    assert found.verdict == "refuted" and found.curve([1.0])[0] < 0.025
    always = audit(each(fails, exceptions="output"), 50.0, 60.0, epsilon=1.0, trials=400)
    assert always.verdict == "not refuted"


# layouts


def encode(outputs):
    """Outputs by the layout that they give, and its names. Of fewer than a hundred outputs all is kept."""
    layout = learn(outputs, least=RECURRING if len(outputs) >= 100 else 1)
    return layout.encode(outputs), [name for name, _ in layout.described]


def columns(outputs):
    """The columns of encoded outputs by their names."""
    encoded, names = encode(outputs)
    return dict(zip(names, encoded.reshape(len(encoded), -1).T.tolist(), strict=True))


def test_shapes():
    assert encode([1, 2.5, True])[0].tolist() == [1.0, 2.5, 1.0]
    assert columns([Point(1.0, 2.0)]) == {"output.x": [1.0], "output.y": [2.0]}
    assert encode(np.zeros((5, 4, 4)))[0].shape == (5, 16)
    assert encode(np.zeros((5, 64, 64, 3)))[0].shape == (5, 16 * 16 + 3)
    assert encode([10**400, -(10**400), 1])[0].tolist() == [math.inf, -math.inf, 1.0]


class Polars:
    """A data frame as polars has it; pyarrow calls the method `to_pylist`."""

    columns = ("n", "v", "s")

    def __init__(self, rows):
        self.kept = rows

    def to_dicts(self):
        return self.kept


class Arrow:
    columns, __init__, to_pylist = Polars.columns, Polars.__init__, Polars.to_dicts


FIELDS = [("n", int), ("v", float), ("s", "U1")]


def test_structured_arrays_and_frames_are_tables_of_runs():
    rng = np.random.default_rng(0)
    rows = [[(1, d + x, "x") for x in rng.laplace(size=500)] for d in (0, 3)]
    found = audit_samples(*[np.array(side, FIELDS) for side in rows], epsilon=0.5)
    assert found.verdict == "refuted" and "output['v']" in found.event
    for kind in (Polars, Arrow):
        frames = [kind([dict(zip("nvs", row, strict=True)) for row in side]) for side in rows]
        assert audit_samples(*frames, epsilon=0.5).family == found.family
        with pytest.raises(InvalidInput, match="outputs must be at least 100 rows, one a run, got '99 rows'"):
            audit_samples(kind(frames[0].kept[:99]), frames[1])


NESTED = {"n": 1.5, "of": ["a", None]}
RECORDS = [{"n": 1, "v": 0.5, "s": "x"}, {"n": 2, "v": 1.5, "s": "y"}]


@pytest.mark.parametrize(
    ("form", "same"),
    [
        ([[1, 2.5], (True, 4)], np.array([[1.0, 2.5], [1.0, 4.0]])),
        ([[1, 2.5], (True, 10**400)], np.array([[1.0, 2.5], [1.0, math.inf]])),
        (np.array(["a", "b"]), ["a", "b"]),
        (np.array([None, 2], dtype=object), [None, 2]),
        (np.array("a"), "a"),
        (np.array(7, dtype=object), 7),
        (np.array([(1, 0.5, "x"), (2, 1.5, "y")], FIELDS), RECORDS),
        (Polars(RECORDS), RECORDS),
        (Arrow(RECORDS), RECORDS),
        (json.dumps(NESTED), NESTED),
        (json.dumps(NESTED).encode(), NESTED),
        (collections.OrderedDict(n=np.float64(1.5), of=("a", None)), NESTED),
        ("-1.5", -1.5),
    ],
)
def test_forms_of_one_value_have_the_same_columns(form, same):
    for within in (lambda x: x, lambda x: {"it": x, "of": 1.0}):
        assert repr(columns([within(form)])) == repr(columns([within(same)]))


def test_rows_are_aligned_by_their_keys_where_these_recur():
    pandas = pytest.importorskip("pandas")
    two = [[("b", 2.0), ("a", 1.0)], [("a", 1.0), ("b", 2.0)]]
    frames = [pandas.DataFrame({"n": [n for _, n in rows]}, index=[k for k, _ in rows]) for rows in two]
    for tables, column in ((two, "output[1]"), (frames, "output['n']")):
        found = columns(tables)
        assert [found[f"{column} of row {k!r}"] for k in "ab"] == [[1.0, 1.0], [2.0, 2.0]]
        assert found["place of output of row 'a'"] == [1.0, 0.0]  # an order may tell, too
    for index in (range(2), range(5, 7), range(0, 4, 2)):
        found = columns([pandas.DataFrame({"n": [1.0, 2.0]}, index=index)])
        assert [found[f"output['n'] of row {k}"] for k in index] == [[1.0], [2.0]]
    unaligned = columns([[("a", 1.0), ("a", 2.0)], [("a", 3.0), ("b", 4.0)]])
    assert unaligned["output[1] of row 0"] == [1.0, 3.0]


def test_what_recurs_in_lists_and_rows_is_counted():
    """Whatever the order: counts of a list's values, of equal rows, and of the values of each column."""
    rng = np.random.default_rng(0)
    lists = [[*rng.permutation([*"aab", "abcd"[k % 4]])][k % 5 :] for k in range(200)]
    made = columns([list(map(str, one)) for one in lists])
    for value in "abcd":
        assert made[f"count of {value!r} in entries of output"] == [float(one.count(value)) for one in lists]
    rows = [[{"c": "xy"[k % 2], "n": int(k // 2)} for k in rng.integers(4, size=size % 7)] for size in range(200)]
    made = columns(rows)
    assert made["count of 'x' in entries of output['c']"] == [float(sum(r["c"] == "x" for r in one)) for one in rows]
    assert made["count of ('x', 1) in rows of output"] == [float(one.count({"c": "x", "n": 1})) for one in rows]
    small = columns([rng.integers(3, size=8) for _ in range(200)])
    assert any(name.startswith("count of 2") for name in small)
    assert not any("count" in name for name in columns([rng.random(8) for _ in range(200)]))


def test_words_longer_than_forty_characters_are_cut():
    """With their quotes; a word of forty is whole."""
    words = ["x" * 38, "y" * 39]
    (said,) = (codes for _, codes in learn(words * 60).described if codes)
    assert sorted(said) == ["'" + "x" * 38 + "'", "'" + "y" * 36 + "..."]


def test_a_value_is_known_from_the_fifth_time_on_and_an_array_kept_up_to_its_widest():
    (said,) = (codes for _, codes in learn([*"a" * 60, *"b" * 5, *"c" * 4, *"d" * 60]).described if codes)
    assert sorted(said) == ["'a'", "'b'", "'d'"]
    assert encode(np.zeros((5, 32, 32)))[0].shape == (5, WIDEST)
    assert encode(np.zeros((5, 33, 32)))[0].shape == (5, SIDE**2 + 3)  # means over a grid, the least and the largest


@pytest.mark.parametrize("item", [lambda k: ("a", None)[k % 2], lambda k: {"n": k % 3}], ids=["list", "rows"])
def test_what_comes_after_the_places_that_are_kept_is_read_as_one(item):
    """Of lists and rows that differ in the last of 257 items alone, what recurs has a code; of 256 there is no rest."""
    for count in (256, 257):
        most = [[item(k) for k in range(count)] for _ in range(2)]
        most[1][-1] = item(count)
        rests = {name: codes for name, codes in columns(most).items() if name.startswith("what comes after")}
        assert [*rests.values()][:1] == ([[0.0, 1.0]] if count == 257 else [])


def test_an_output_that_holds_itself_is_refused():
    itself = ["a"]
    itself.append(itself)
    with pytest.raises(InvalidInput, match="nested less deeply"):
        encode([itself])


def test_means_of_large_images_are_over_cells():
    image = np.zeros((1, 64, 64))
    image[0, :4, :4] = 8.0
    made = columns(image)
    assert made["mean of cell 0, 0 of output"] == [8.0] and made["largest of output"] == [8.0]
    assert sum(value for name, (value,) in made.items() if "cell" in name) == 8.0


def test_what_cannot_be_ignored_is_refused():
    sampler = each(lambda d, rng: {"n": d + rng.laplace()})
    with pytest.raises(InvalidInput, match=r"ignore must name leaves of the outputs, such as .*'n'.*; got 'id'"):
        audit(sampler, 0.0, 1.0, epsilon=1.0, trials=200, ignore=["id"])
    with pytest.raises(InvalidInput, match=r"ignore must leave something of the outputs to compare, got \['n'\]"):
        audit(sampler, 0.0, 1.0, epsilon=1.0, trials=200, ignore=["n"])
    longer = each(lambda d, rng: ["u", 1.0][: 1 + int(rng.random() < 0.1 + 0.8 * d)])
    found = audit(longer, 0.0, 1.0, epsilon=1.0, trials=1_000, ignore=["0", "1"])
    assert found.verdict == "refuted" and "length of output" in found.event  # which is left of it
    rows = each(lambda d, rng: [{"id": rng.bytes(8).hex(), "n": d + rng.laplace()} for _ in range(2)])
    found = audit(rows, 0.0, 2.0, epsilon=1.0, trials=500, ignore=["id"])  # of every row
    assert found.verdict == "refuted" and "; left out: id" in str(found)
    numbers = np.random.default_rng(0).laplace(size=(2, 200))
    with pytest.raises(InvalidInput, match="ignore must be left out beside arrays of numbers"):
        audit_samples(*numbers, ignore=["id"])
    with pytest.raises(InvalidInput, match="ignore must be a sequence of paths"):
        audit(sampler, 0.0, 1.0, epsilon=1.0, trials=200, ignore="n")


def test_lists_of_results_are_audited_as_they_are():
    rng = np.random.default_rng(0)
    ours, theirs = (
        [{"n": d + rng.laplace(scale=0.3), "id": rng.bytes(8).hex()} for _ in range(600)] for d in (0.0, 1.0)
    )
    found = audit_samples(ours, theirs, epsilon=1.0)
    assert found.verdict == "refuted" and "output['n']" in found.event
    assert audit_samples(ours[:300], ours[300:], epsilon=1.0).verdict == "blind"
    apart = audit_samples([{"a": one["n"]} for one in ours], [{"b": one["n"]} for one in theirs])
    assert {"output['a']", "output['b']"} <= {name for name, _ in apart.origin.layout.described}
    assert audit_samples(ours[:300], ours[300:], epsilon=1.0, ignore=["id"]).verdict == "not refuted"


@pytest.mark.parametrize("kind", ["outputs", "files"])
def test_the_event_depends_on_the_choosing_rows_alone(kind, tmp_path):
    """So no choice is biased by what certifies it. Words recur a few times each, in an order that differs by side.

    Planted in the other direction: other choosing rows give another event.
    """
    rng = np.random.default_rng(0)
    rows, choose = 2_000, 400
    words = rng.integers(800, size=(2, rows))
    masks = [_chosen(rows, choose, 0, side) for side in (0, 1)]
    swapped, replaced, changed = words.copy(), words.copy(), words.copy()
    swapped[0, ~masks[0]], swapped[1, ~masks[1]] = words[1, ~masks[1]], words[0, ~masks[0]]
    for side, mask in enumerate(masks):
        replaced[side, ~mask] = rng.integers(500, 1_500, size=rows - choose)
        changed[side, mask] = rng.integers(800, size=choose)

    def event(numbers):
        pair = [[{"word": f"w{k}", "flag": 1} for k in side] for side in numbers]
        if kind == "files":
            for name, side in zip("ab", pair, strict=True):
                lines = [f"{row['word']},{row['flag']}" for row in side]
                (tmp_path / f"{name}.csv").write_text("\n".join(["word,flag", *lines]))
            pair = read_pair(*[("--outputs", str(tmp_path / f"{name}.csv")) for name in "ab"])
        origin = audit_samples(*pair, epsilon=0.1).origin
        every = [{"word": f"w{k}", "flag": 1} for k in range(1_500)]
        return origin.event.of(origin.event.score(origin.layout.encode(every))).tolist()

    assert event(words) == event(swapped) == event(replaced) != event(changed)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(-1e6, 1e6) | st.text("abé'", max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(JSON, min_size=1, max_size=6), st.randoms())
def test_a_row_depends_on_its_output_and_the_names_of_columns_alone(outputs, order):
    """So encoding is post-processing: no order and no other output changes a row."""
    places = [*range(len(outputs))] * 2
    order.shuffle(places)
    whole, names = encode([None, *(outputs[place] for place in places)])
    rows = whole.reshape(len(whole), -1)[1:]
    assert rows.shape[1] == len(names)
    first = dict(zip(places[::-1], rows[::-1], strict=True))
    assert all(np.array_equal(first[place], row, equal_nan=True) for place, row in zip(places, rows, strict=True))


OF_ARRAYS = {"size": np.size, "sum": np.sum, "least": np.min, "largest": np.max, "length": len}


def read(name, output):
    """The number or text that a column's name is in Python; None where it is another, or of several numbers."""
    *what, path = name.split(" of ")
    if not path.startswith("output") or "kind" in name or what not in ([], *([word] for word in OF_ARRAYS)):
        return None
    try:
        value = eval(path, {"output": output})
        if "[-" in path and not {*map(type, eval(path[: path.rindex("[")], {"output": output}))} <= {bool, int, float}:
            return None  # from the end are named the entries of lists of numbers
        value = OF_ARRAYS[what[0]](value) if what else value
    except (LookupError, TypeError, ValueError):
        return None
    return repr(value) if isinstance(value, str) else float(value) if isinstance(value, bool | int | float) else None


@settings(max_examples=60, deadline=None)
@given(st.lists(JSON, min_size=1, max_size=4))
def test_a_column_holds_what_its_name_reads_in_python(outputs):
    """Numbers, codes of texts, lengths, and size, sum and ends of lists of numbers."""
    layout = learn(outputs, least=1)
    for output, row in zip(outputs, layout.encode(outputs).reshape(len(outputs), -1).tolist(), strict=True):
        held = {name: [] for name, _ in layout.described}
        for (name, codes), value in zip(layout.described, row, strict=True):
            held[name] += [] if math.isnan(value) else [codes[int(value)] if codes else value]
        for name, values in held.items():
            expected = read(name, output)
            if expected is not None:
                text = isinstance(expected, str)  # whose letters have no columns
                assert all(value == (expected if text else pytest.approx(expected, abs=1e-9)) for value in values)
                assert values or text or " of " in name, (name, output)


def test_an_output_that_does_not_fit_has_columns_that_say_so():
    known = [{"a": 1.0}] * 50 + [{"a": 2.0, "b": "x"}] * 50
    encoded, names = encode([*known, {"a": 1.0, "c": 5}, "text"])
    fits, (more, other) = encoded[0], encoded[-2:]
    assert not np.array_equal(fits, more, equal_nan=True)
    assert np.isnan(other[names.index("output['a']")])
    arrays = np.random.default_rng(0).random((100, 2, 3))
    fits, turned = learn([*arrays]).encode([arrays[0], arrays[0].T])
    assert fits[:6].tolist() == arrays[0].ravel().tolist() and np.isnan(turned[:6]).all()


def test_results_of_several_shapes_are_refused_outside_an_audit():
    sampler = each(lambda size, rng: [0.0] * rng.integers(1, size))
    with pytest.raises(InvalidInput, match="one shape"):
        sampler(9, 50, np.random.default_rng(1))
