"""The store: every bit comes back, and nothing stored is changed."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dpbench.core.validation import InvalidInput
from dpbench.runs.encoding import decode, encode
from dpbench.runs.store import Store, stored_verdicts


@pytest.fixture(params=["memory", "file"])
def store(request, tmp_path):
    made = Store(tmp_path / "runs.sqlite" if request.param == "file" else None)
    yield made
    made.close()


dtypes = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(),
    hnp.unsigned_integer_dtypes(),
    hnp.floating_dtypes(),
    hnp.complex_number_dtypes(),
    hnp.byte_string_dtypes(),
    hnp.unicode_string_dtypes(),
)
leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, min_side=0)),
    dtypes.flatmap(lambda dtype: hnp.arrays(dtype, ()).map(lambda a: a[()])),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=5), inner, max_size=4),
    ),
    max_leaves=12,
)


def same(a, b):
    """Equal in type and in every bit, written without the code under test."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (np.ndarray, np.generic)):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    return bool(a == b)


@settings(max_examples=120, deadline=None)
@given(values)
def test_every_bit_comes_back(value):
    assert same(decode(encode(value)), value)


@pytest.mark.parametrize(
    "value", [object(), {1: 2}, {1.0}, b"bytes", np.array([object()]), np.ma.array([1.0]), 1j, [print]]
)
def test_what_cannot_be_stored(value):
    with pytest.raises(InvalidInput, match=r"the value of a block must be numbers, text, arrays, or lists and dicts"):
        encode(value)


def test_blocks_come_back_by_run_and_number(store):
    a, b = store.run("unit", 0, "code"), store.run("unit", 2**200, "code")
    assert a != b and a == store.run("unit", 0, "code")
    assert b != store.run("unit", 2**200, "other code")
    store.add(a, {1: encode(1.5), 2: encode("two")})
    store.add(b, {1: encode([])})
    store.add(a, {})
    assert store.blocks(a, [2, 1, 7, 1]) == {1: 1.5, 2: "two"}
    assert store.blocks(b, range(3)) == {1: []}
    assert len(store) == 3


def test_a_stored_block_is_never_changed(store):
    run = store.run("unit", 0, "code")
    store.add(run, {0: encode(1)})
    store.add(run, {0: encode(2), 1: encode(3)})
    assert store.blocks(run, [0, 1]) == {0: 1, 1: 3}


def test_verdicts(store):
    evidence = {"value": "inf", "tables": {"rows": {"n": [1, 2]}}, "interval": [0.1, 0.30000000000000004]}
    store.record("glm.a.rate", "quick", 2**70, "c1", "undecided", {})
    store.record("glm.a.rate", "quick", 2**70, "c1", "consistent", evidence)
    store.record("glm.b.floor", "full", 0, "c1", "refuted", {})
    store.record("glm.a.rate", "quick", 2**70, "c2", "inconsistent", evidence)
    assert [(v.claim, v.code, v.verdict) for v in store.verdicts()] == [
        ("glm.a.rate", "c1", "consistent"),
        ("glm.b.floor", "c1", "refuted"),
        ("glm.a.rate", "c2", "inconsistent"),
    ]
    assert store.verdicts()[0].evidence == evidence and store.verdicts()[0].seed == 2**70
    with pytest.raises(ValueError, match="Out of range"):
        store.record("glm.a.rate", "quick", 0, "c1", "consistent", {"value": math.nan})
    if store.path:
        newest = stored_verdicts(store.path)
        assert [(v.claim, v.verdict) for v in newest] == [
            ("glm.b.floor", "refuted"),
            ("glm.a.rate", "inconsistent"),
        ]
