"""Outputs of any kind: leaks are found or the audit is blind, parts can be left out, events are named.

Forty kinds with one leak are in `zoo.outputs`.
"""

from __future__ import annotations

import dataclasses
import enum
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpbench import InvalidInput, audit, audit_samples, each, encode

Rng = np.random.Generator


def columns(outputs: Any, **options: Any) -> dict[str, list[float]]:
    """The columns of encoded outputs by their names. Of fewer than a hundred outputs all that differs is kept."""
    made: Any = encode(outputs, **options)
    return dict(zip(made.names, made.reshape(len(made), -1).T.tolist(), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("canary", ["canary7731", "mole7731"])
def test_a_canary_in_a_sentence_is_found(canary: str) -> None:
    """3% against 30%: log ratio 2.3; and a healthy writer is not refuted.

    The event names the canary; the longer one, in the place of a shorter word, is in the same outputs as a length that
    no other sentence has, which may be named in its place.
    """

    def write(share: float, rng: Rng) -> str:
        words = [f"word{k:04}" for k in rng.integers(0, 50, 12)]
        return " ".join([canary, *words[1:]] if rng.random() < share else words)

    found = audit(each(write), 0.03, 0.3, epsilon=1.0, trials=2_000)
    named = f"word '{canary}'" in found.event or (len(canary) > len("word0000") and "length of output" in found.event)
    assert found.verdict == "refuted" and named
    right = audit(each(lambda d, rng: write(0.03, rng)), 0.03, 0.3, epsilon=0.5, trials=1_000)
    assert right.verdict == "not refuted"


def test_events_are_named_as_the_user_would() -> None:
    pandas = pytest.importorskip("pandas")

    def table(d: float, rng: Rng) -> Any:
        noise = rng.laplace(size=2)
        return pandas.DataFrame({"who": ["a", "b"], "income": [d + noise[0], noise[1]]})

    found = audit(each(table), 0.0, 2.0, epsilon=0.5, trials=1_000)
    assert found.verdict == "refuted" and "column 'income' of row 'a'" in found.event


def test_rows_are_aligned_by_their_keys_and_sets_by_their_members() -> None:
    tables = [[("b", 2.0), ("a", 1.0)], [("a", 1.0), ("b", 2.0)]]
    found = columns(tables)
    assert [found[f"column 1 of row {k!r}"] for k in "ab"] == [[1.0, 1.0], [2.0, 2.0]]
    assert "place of row 'a'" in found  # an order may tell, too
    assert columns([{"x"}, {"y", "x"}, {"y"}])["'y' in output"] == [0.0, 1.0, 1.0]


def test_what_cannot_be_ignored_is_refused() -> None:
    sampler = each(lambda d, rng: {"n": d + rng.laplace()})
    with pytest.raises(InvalidInput, match=r"ignore must name leaves of the outputs, such as .*'n'.*; got 'id'"):
        audit(sampler, 0.0, 1.0, epsilon=1.0, trials=200, ignore=["id"])
    with pytest.raises(InvalidInput, match=r"ignore must leave something of the outputs to compare, got \['n'\]"):
        audit(sampler, 0.0, 1.0, epsilon=1.0, trials=200, ignore=["n"])
    longer = each(lambda d, rng: ["u", 1.0][: 1 + int(rng.random() < 0.1 + 0.8 * d)])
    found = audit(longer, 0.0, 1.0, epsilon=1.0, trials=1_000, ignore=["0", "1"])
    assert found.verdict == "refuted" and "length of output" in found.event  # which is left of it
    with pytest.raises(InvalidInput, match="ignore must be left out"):
        audit(lambda d, n, rng: rng.random(n), 0.0, 1.0, epsilon=1.0, trials=200, ignore=["id"])
    with pytest.raises(InvalidInput, match="ignore must be a sequence of paths"):
        audit(sampler, 0.0, 1.0, epsilon=1.0, trials=200, ignore="n")


def test_lists_of_results_are_audited_as_they_are() -> None:
    rng = np.random.default_rng(0)
    ours, theirs = (
        [{"n": d + rng.laplace(scale=0.3), "id": rng.bytes(8).hex()} for _ in range(600)] for d in (0.0, 1.0)
    )
    found = audit_samples(ours, theirs, epsilon=1.0)
    assert found.verdict == "refuted" and "output['n']" in found.event
    again = audit_samples(ours[:300], ours[300:], epsilon=1.0)
    assert again.verdict == "blind"
    assert audit_samples(ours[:300], ours[300:], epsilon=1.0, ignore=["id"]).verdict == "not refuted"


class Plain:
    """An object with the attributes that it is given."""

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)


@dataclasses.dataclass
class Fields:
    best: str = "a"


class Items(list):
    """A list of a user's."""


def with_more(made: Any, x: float) -> Any:
    made.more = x
    return made


def tree(x: float) -> Any:
    """A parent whose children know it."""
    root = Plain(value=x)
    root.children = [Plain(value=0.0, parent=root, name=str(k)) for k in range(6)]
    return root


def compiled(x: float) -> Any:
    """A fitted tree, whose nodes no attribute holds."""
    tree = pytest.importorskip("sklearn.tree")
    return tree.DecisionTreeRegressor(max_depth=1, random_state=0).fit([[0.0], [1.0]], [x, x + 1.0])


def neighbours(x: float) -> Any:
    return pytest.importorskip("sklearn.neighbors").KNeighborsRegressor(1).fit([[x], [2.0]], [0.0, 1.0])


OBJECTS: dict[str, Any] = {
    "a private attribute beside a public one": lambda x: Plain(training=True, _parameters={"weight": np.array([x])}),
    "a public attribute beside a fitted one": lambda x: Plain(coef_=np.zeros(2), support=x),
    "an attribute that is no field": lambda x: with_more(Fields(), x),
    "an attribute of a list": lambda x: with_more(Items([1, 2]), x),
    "an argument of an exception": lambda x: ValueError("no answer", x),
    "a tree that knows its parents": tree,
    "the training data of a model": neighbours,
    "a compiled state": compiled,
}


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", OBJECTS)
def test_all_of_an_object_is_compared(kind: str) -> None:
    make = OBJECTS[kind]
    assert (
        audit(each(lambda d, rng: make(d + 0.25 * rng.laplace())), 0.0, 1.0, epsilon=0.5, trials=600).verdict
        == "refuted"
    )
    right = audit(each(lambda d, rng: make(rng.laplace())), 0.0, 1.0, epsilon=0.5, trials=600)
    assert right.verdict == "not refuted"


def test_what_an_object_hides_makes_an_audit_blind() -> None:
    """A closure beside a public attribute; a function with a name hides nothing."""
    hidden = audit(each(lambda d, rng: Plain(best=1, _f=lambda: d)), 0.0, 1.0, epsilon=1.0, trials=400)
    assert hidden.verdict == "blind" and "output._f" in hidden.blind
    assert audit(each(lambda d, rng: Plain(best=1, _f=np.mean)), 0.0, 1.0, epsilon=1.0, trials=400).blind == ""


def test_an_object_met_again_is_named() -> None:
    assert len(columns([tree(1.0)])) < 40


def test_an_object_met_again_is_opened_once() -> None:
    one = Plain(value=1.0)
    twice = [one, "beside", one]
    found = columns([twice, [one, "beside", Plain(value=1.0)]])
    assert found["output[0].value"] == [1.0, 1.0] and found["output[2].value"][1] == 1.0
    assert found["output[2]"][0] != found["output[2]"][1]  # the same object, or another that is equal
    assert "output[2].value" not in columns([twice])


class Unpicklable(Plain):
    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("no state of it can be had")


def test_a_state_that_cannot_be_read_makes_an_audit_blind_whatever_is_read_beside_it() -> None:
    found = audit(each(lambda d, rng: Unpicklable(value=rng.laplace())), 0.0, 1.0, epsilon=1.0, trials=400)
    assert found.verdict == "blind" and "state of output" in found.blind


FORMS: dict[str, Any] = {
    "an integer or a float": lambda x: 1 if x else 1.0,
    "an integer or True in a dict": lambda x: {"n": 1 if x else True},
    "a list or a tuple": lambda x: [1.0, 2.0] if x else (1.0, 2.0),
    "an integer in a list of floats": lambda x: [1.0, 2 if x else 2.0],
    "how many entries are integers": lambda x: [1, 2 if x else 2.0, 3.0],
    "which entry is an integer": lambda x: [1, 2.0] if x else [1.0, 2],
    "an integer in nested lists": lambda x: [[1.0], [2 if x else 2.0]],
    "integers or none in a list": lambda x: [1.0, 2.0] if x else [1, 2],
    "the order of keys": lambda x: {"a": 1, "b": 2} if x else {"b": 2, "a": 1},
    "the order of keys in a JSON text": lambda x: '{"a": 1, "b": 2}' if x else '{"b": 2, "a": 1}',
    "1 or 1.0 in a JSON text": lambda x: '{"a": 1}' if x else '{"a": 1.0}',
    "a key that is a number or its text": lambda x: {1: 0.5} if x else {"1": 0.5},
    "the shape of an array": lambda x: np.zeros((2, 3)) if x else np.zeros((3, 2)),
    "the precision of an array": lambda x: np.zeros(3, dtype=np.float32) if x else np.zeros(3),
    "below a mask": lambda x: np.ma.array([1.0, float(x)], mask=[False, True]),
    "a text below a mask": lambda x: np.ma.array(["a", "b" if x else "c"], mask=[False, True]),
    "a field below a mask": lambda x: np.ma.array([(1, x)], mask=[(False, True)], dtype=[("a", int), ("b", int)]),
    "a mask in a list of arrays": lambda x: [np.ma.array([1.0, 2.0], mask=[False, x]), np.ones(2)],
    "the digits of a masked array": lambda x: np.ma.array([5, 2**53 + x], mask=[True, False]),
    "a list or an array": lambda x: [1.0, 2.0] if x else np.array([1.0, 2.0]),
    "the precision of a single number": lambda x: np.array(1.0, dtype=np.float32) if x else np.array(1.0),
    "the order of columns": lambda x: [{"a": 1.0, "b": 2.0} if x else {"b": 2.0, "a": 1.0}],
    "rows that are lists or tuples": lambda x: [("a", 1.0) if x else ["a", 1.0]],
    "lists or tuples in a list": lambda x: [[1.0], [2.0]] if x else [(1.0,), (2.0,)],
    "many changes of type": lambda x: [int(k) if (k % 2 == 0) == x else float(k) for k in range(40)],
    "the type of one key": lambda x: {1: 0.5, 2 if x else 2.0: 0.25},
    "members of a set": lambda x: {1, 2} if x else {1.0, 2.0},
    "the precision of a column": lambda x: frame({"a": np.zeros(2, dtype=np.float32 if x else np.float64)}),
    "a category that no row has": lambda x: categories(["u", "secret"] if x else ["u"]),
    "a category that no label has": lambda x: labelled(["u", "secret"] if x else ["u"]),
    "beyond the first items": lambda x: ["a"] * 300 + [1 if x else 1.0],
    "a text or an enumeration": lambda x: Form.a if x else "a",
}


class Form(enum.Enum):
    a = 1


def categories(found: list[str]) -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.Series(pandas.Categorical(["u"], categories=found))


def labelled(found: list[str]) -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.Series([1.0], index=pandas.CategoricalIndex(["u"], categories=found))


def test_types_and_orders_can_be_left_out() -> None:
    rng = np.random.default_rng(0)

    def made(_: int) -> dict[str, Any]:
        pair = {"n": 1 if rng.random() < 0.5 else 1.0, "m": float(rng.random())}
        return pair if rng.random() < 0.5 else dict(reversed(pair.items()))

    outputs = [made(k) for k in range(200)]
    assert columns(outputs).keys() == {
        "output['m']", "type of output['n']", "place of 'n' in output", "place of 'm' in output",
    }  # fmt: skip
    assert [*columns(outputs, ignore=["n.#type", "#place"])] == ["output['m']"]
    assert "place of 'm' in output" not in columns(outputs, ignore=["#place.m"])
    assert [*columns(outputs, ignore=["n"])] == ["output['m']"]


@pytest.mark.slow
def test_types_crowd_out_no_values() -> None:
    """Six hundred numbers that are 0 or a float, by falling values: more types and places than there are leaves."""
    rng = np.random.default_rng(0)

    def made() -> dict[str, Any]:
        bins = ((f"k{i}", max(0, float(x))) for i, x in enumerate(rng.laplace(size=600)))
        return dict(sorted(bins, key=lambda pair: -pair[1]))

    names = columns([made() for _ in range(200)])
    assert sum(name.startswith("output[") for name in names) == 600
    assert not any("hardly" in name for name in names)


def test_few_outputs_have_columns_of_their_values_alone() -> None:
    pairs = {"a": 1.5, "b": 2}
    few = columns([pairs, {"b": 2.0, "a": 2.5}])
    assert not any(name.startswith(("type of", "place of")) for name in few)


class WithMore(dict[str, Any]):
    """A dict of a user's, which may have attributes by the names of its keys."""


def test_types_of_two_parts_by_one_name_are_both_read() -> None:
    rng = np.random.default_rng(0)

    def made() -> WithMore:
        one = WithMore(a=1.0)
        one.a = 1 if rng.random() < 0.5 else 1.0  # type: ignore[attr-defined]
        return one

    assert any(name.startswith("type of output") for name in columns([made() for _ in range(200)]))


def test_what_is_there_or_not_has_no_type_beside() -> None:
    rng = np.random.default_rng(0)
    found = columns([{"n": 3 if rng.random() < 0.5 else None} for _ in range(200)])
    assert [*found] == ["kind of output['n'] (0: none, 1: number)", "output['n']"]


def test_types_that_hardly_recur_have_no_column() -> None:
    """A fifth of the lists have their types in an order of their own: that column would hold nothing for them."""
    rng = np.random.default_rng(0)

    def made(k: int) -> list[float]:
        which = rng.random(40) < 0.5 if k % 5 == 0 else np.full(40, k % 2 == 0)
        return [1 if x else 1.0 for x in which]

    assert not any(name.startswith("type of") for name in columns([made(k) for k in range(400)]))


def test_what_a_mask_hides_can_be_left_out() -> None:
    outputs = [np.ma.array([float(k % 3), float(k % 2)], mask=[False, True]) for k in range(200)]
    hidden = "what the mask hides of output[1]"
    assert hidden in columns(outputs) and hidden not in columns(outputs, ignore=["#hidden"])


class Labelled:
    """A series of nobody's library: labels and values, and no type of these."""

    index = np.array(["a", "b"])

    def __init__(self, value: float) -> None:
        self.value = value

    def to_list(self) -> list[float]:
        return [self.value, 2.0]

    def items(self) -> Any:
        return zip(self.index, self.to_list(), strict=True)


def test_a_series_need_not_be_of_pandas() -> None:
    outputs = [Labelled(k % 2) for k in range(200)]
    assert columns(outputs)["output['a']"] == [0.0, 1.0] * 100


def test_categories_of_columns_of_one_name_are_all_read() -> None:
    pandas = pytest.importorskip("pandas")

    def named(*others: str) -> Any:
        kinds = [pandas.Categorical(["u"], categories=["u", other]) for other in others]
        return frame(dict(enumerate(kinds))).set_axis(["a", "a"], axis=1)

    usual, first, second = encode([named("v", "w"), named("x", "w"), named("v", "x")])
    assert not np.array_equal(usual, first, equal_nan=True) and not np.array_equal(usual, second, equal_nan=True)


def test_a_matrix_is_an_array() -> None:
    rows = [np.array([[1.0, float(k)]]).view(np.matrix) for k in range(200)]
    assert columns(rows)["output[0, 1]"] == [*range(200)]


@pytest.mark.few(4)
@pytest.mark.parametrize("kind", FORMS)
def test_the_form_of_an_output_is_read(kind: str) -> None:
    """All else is equal: what a type, a shape, an order or a mask tells is refuted; noise of these is not."""
    make = FORMS[kind]
    leaking = each(lambda d, rng: make(bool(rng.random() < 0.1 + 0.8 * d)))
    assert audit(leaking, 0.0, 1.0, epsilon=0.5, trials=400).verdict == "refuted"
    right = each(lambda d, rng: make(bool(rng.random() < 0.5)))
    assert audit(right, 0.0, 1.0, epsilon=0.5, trials=400).verdict == "not refuted"


def test_forms_that_do_not_recur_blind_no_audit() -> None:
    """Shapes, orders and runs of types as good as never the same: their entries are compared."""

    def made(d: float, rng: Rng) -> Any:
        mixed = [float(x) if rng.random() < 0.5 else int(x) for x in 9.0 * rng.laplace(size=40)]
        return [
            np.zeros((int(rng.integers(10**6)) + 1, 0)),
            dict.fromkeys(rng.permutation(list("abcdefgh")), 0.0),
            mixed,
        ]

    found = audit(each(made), 0.0, 1.0, epsilon=0.5, trials=400)
    assert found.verdict == "not refuted" and found.blind == ""


def test_identifiers_are_texts() -> None:
    """Its bits as a number would be two runs' only leaf with an order."""
    found = audit(each(lambda d, rng: uuid.UUID(bytes=rng.bytes(16))), 0.0, 1.0, epsilon=1.0, trials=400)
    assert found.verdict == "blind"


@pytest.mark.parametrize(
    "make",
    [
        lambda none: np.ma.array(["a", "b"], mask=[none, False]),
        lambda none: np.array([np.timedelta64("NaT") if none else None, 1], dtype=object),
        lambda none: [None if none else np.timedelta64("NaT"), np.datetime64("2020-01-01")],
    ],
    ids=["a masked text", "no duration or nothing", "no duration in a list"],
)
def test_what_is_absent_is_opened(make: Any) -> None:
    sampler = each(lambda d, rng: make(bool(rng.random() < 0.1 + 0.8 * d)))
    assert audit(sampler, 0.0, 1.0, epsilon=0.5, trials=400).verdict == "refuted"


def frame(rows: Any, **options: Any) -> Any:
    return pytest.importorskip("pandas").DataFrame(rows, **options)


def counted(d: int) -> Any:
    """Labels that the data set decides, beside a number that says nothing."""
    pandas = pytest.importorskip("pandas")
    return pandas.Series([0.0], index=pandas.RangeIndex(d, d + 1))


LABELS: dict[str, Any] = {
    "keys of one text": lambda x, d: {1: x, "1": 0.0},
    "columns of one name": lambda x, d: frame([[x, 0.0]], columns=["a", "a"]),
    "labels of one text": lambda x, d: frame({"n": [x, 0.0]}, index=["a", "a"])["n"],
    "row labels from the data": lambda x, d: counted(d),
    "row labels of a frame from the data": lambda x, d: counted(d).to_frame("n"),
    "two texts that join to one": lambda x, d: [("a b", "c", 0.0) if x < 0.5 else ("a", "b c", 0.0), ("q", "r", 1.0)],
    "the name of a series": lambda x, d: frame({"low" if x < 0.5 else "high": [0.0]}).iloc[:, 0],
    "a key twice in a JSON text": lambda x, d: f'{{"a": {x!r}, "a": 1}}',
}


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", LABELS)
def test_labels_are_part_of_the_output(kind: str) -> None:
    make = LABELS[kind]
    sampler = each(lambda d, rng: make(float(d + 0.25 * rng.laplace()), d))
    assert audit(sampler, 0, 1, epsilon=0.5, trials=400).verdict == "refuted"
    right = each(lambda d, rng: make(float(rng.laplace()), 0))
    assert audit(right, 0, 1, epsilon=0.5, trials=400).verdict == "not refuted"


def ragged(x: float, before: int, rng: Rng) -> list[float]:
    return [*rng.laplace(size=before), x, *rng.laplace(size=12 + rng.integers(3))]


def test_every_entry_of_a_ragged_list_is_compared() -> None:
    near = each(lambda d, rng: ragged(d + 0.25 * rng.laplace(), 12, rng))
    found = audit(near, 0.0, 1.0, epsilon=0.5, trials=600)
    assert found.verdict == "refuted" and "output[12]" in found.event
    right = audit(each(lambda d, rng: ragged(rng.laplace(), 12, rng)), 0.0, 1.0, epsilon=0.5, trials=600)
    assert right.verdict == "not refuted"


@pytest.mark.slow
def test_an_audit_is_blind_where_a_ragged_list_has_entries_beyond_those_compared() -> None:
    far = each(lambda d, rng: ragged(d + 0.25 * rng.laplace(), 300, rng))
    assert audit(far, 0.0, 1.0, epsilon=0.5, trials=400).verdict == "blind"


def test_a_text_is_known_by_all_of_its_words() -> None:
    """Half of the characters recur in the first; a token at random says as much in a short sentence."""
    told = "the answer to your query has been stored under token "
    stored = audit(each(lambda d, rng: told + rng.bytes(8).hex()), 0.0, 1.0, epsilon=0.5, trials=400)
    assert stored.verdict == "blind"
    took = each(lambda d, rng: f"it took {rng.integers(9)}{'ms' if rng.random() < 0.1 + 0.8 * d else 's'}")
    unit = audit(took, 0.0, 1.0, epsilon=0.5, trials=400)
    assert unit.verdict == "refuted"
    digits = audit(each(lambda d, rng: f"key 1{rng.integers(10**9)}{rng.integers(10**15):015}"), 0, 1, trials=400)
    assert "of output only equality is seen" in digits.blind
    printed = audit(each(lambda d, rng: f"key {rng.random():.25f} {rng.random()}"), 0, 1, trials=400)
    assert printed.blind == ""
    words = each(lambda d, rng: f"Sum: {rng.laplace():.3f} of {rng.choice(['them', 'all'])}.")
    assert audit(words, 0.0, 1.0, epsilon=0.5, trials=400).verdict == "not refuted"


LARGE: dict[str, Any] = {
    "an integer": lambda x: 2**60 + x,
    "an integer of NumPy": lambda x: np.uint64(2**63 + x),
    "an array of integers": lambda x: np.array([2**60 + x, 1]),
    "a list of integers": lambda x: [2**60 + x, 1],
    "a decimal": lambda x: Decimal(x).scaleb(-26) + 1,
    "a fraction": lambda x: Fraction(1, 3) + Fraction(x, 2**60),
    "a time in nanoseconds": lambda x: np.datetime64(1_600_000_000_000_000_000 + x, "ns"),
    "times in nanoseconds": lambda x: np.array([1_600_000_000_000_000_000 + x], dtype="datetime64[ns]"),
    "a JSON text": lambda x: f'{{"n": 1.00000000000000000000000{x}}}',
    "beyond floats": lambda x: 2**1100 + x,
}


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", LARGE)
def test_digits_that_a_float_loses_are_compared(kind: str) -> None:
    make = LARGE[kind]
    sampler = each(lambda d, rng: make(int(rng.random() < 0.1 + 0.8 * d)))
    assert audit(sampler, 0.0, 1.0, epsilon=0.5, trials=400).verdict == "refuted"
    right = each(lambda d, rng: make(int(rng.integers(9))))
    assert audit(right, 0.0, 1.0, epsilon=0.5, trials=400).verdict == "not refuted"


def test_numbers_that_floats_hold_have_one_column() -> None:
    for value in (0.1, 3, True, np.float32(0.1), np.int64(7), Decimal("0.1"), Decimal(1) / 1024, Fraction(0.1), 2**53):
        assert [*columns([value])] == ["output"]


def test_an_integer_beyond_floats_that_does_not_recur_makes_an_audit_blind() -> None:
    sampler = each(lambda d, rng: 2**1100 + int(rng.integers(10**9)))
    assert audit(sampler, 0.0, 1.0, epsilon=0.5, trials=400).verdict == "blind"


def test_keys_of_one_text_are_told_by_their_types_in_any_order() -> None:
    tables = [{1: 0.25, "1": 0.5}, {"1": 0.5, 1: 0.25}] * 20
    found = columns(tables)
    assert [found[name] for name in ("output[1]", "output['1']")] == [[0.25] * 40, [0.5] * 40]


def test_digits_beyond_those_of_three_floats_make_an_audit_blind() -> None:
    """A parity that an integer of 200 random bits tells, and a float and what two of them lose do not."""

    def numbered(d: float, rng: np.random.Generator) -> int:
        drawn = int.from_bytes(rng.bytes(25), "big") | 1 << 200
        return drawn & ~1 | int(rng.random() < 0.1 + 0.5 * d)

    assert audit(each(numbered), 0.0, 1.0, epsilon=0.5, trials=400).verdict == "blind"


def test_an_array_that_is_read_by_means_is_blind_unless_refuted() -> None:
    """One of 2,000 numbers has a loss of 3: no mean of 62 shows it. All of them together are seen."""

    def noisy(d: float, rng: Rng) -> np.ndarray:
        return (rng.laplace(size=2_000) + 3.0 * d * (np.arange(2_000) == 1_234)).reshape(1_000, 2)

    missed = audit(each(noisy), 0.0, 1.0, epsilon=1.0, trials=400)
    assert missed.verdict == "blind" and "means over a grid" in missed.blind and "means over a grid" in str(missed)
    seen = audit(each(lambda d, rng: rng.laplace(size=(1_000, 2)) + d), 0.0, 1.0, epsilon=1.0, trials=400)
    assert seen.verdict == "refuted"
    recurring = audit(
        each(lambda d, rng: np.full((1_000, 2), float(rng.random() < 0.5))), 0.0, 1.0, epsilon=1.0, trials=400
    )
    assert recurring.verdict == "not refuted"


@pytest.mark.parametrize("first", [1.0, None])
def test_lists_of_numbers_and_none_are_taken_whatever_comes_first(first: float | None) -> None:
    """As the sparse vector technique and propose-test-release return; log(0.8/0.2) = 1.39 of loss."""
    rng = np.random.default_rng(0)
    some, many = (
        [first, *(None if rng.random() < p else float(rng.laplace()) for _ in range(3_000))] for p in (0.2, 0.8)
    )
    found = audit_samples(some, many, epsilon=0.5)
    assert found.verdict == "refuted" and found.epsilon_lower > 1.0


def test_an_exception_is_an_output_where_it_is_asked_for() -> None:
    """Raised in 2% of the runs on the neighbour alone: δ = 0.02; the message of an audit that it ends says how."""

    def fails(d: float, rng: Rng) -> float:
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
    with pytest.raises(InvalidInput, match="exceptions must be one of raise, output"):
        each(fails, exceptions="ignore")
