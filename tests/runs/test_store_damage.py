"""Stores that are damaged, old, not whole, or on a file system that cannot be written."""

import hashlib
import io
import json
import random
import sqlite3

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.runs.context import RunContext
from dpbench.runs.encoding import Undecodable, decode, encode
from dpbench.runs.store import Store, intact, stored_verdicts, with_checksum

VALUES = {number: encode(float(number)) for number in range(20)}


@pytest.fixture
def filled(tmp_path):
    """A closed file with twenty blocks."""
    path = tmp_path / "runs.sqlite"
    made = Store(path)
    made.add(made.run("unit", 0, "code"), VALUES)
    made.close()
    return path


def test_a_block_moved_between_runs_or_numbers_is_refused(tmp_path):
    """Its bytes are whole and its checksum is that of these bytes, but of another place."""
    path = tmp_path / "runs.sqlite"
    store = Store(path)
    one, other = store.run("one", 0, "code"), store.run("other", 0, "code")
    store.add(one, {0: encode(1.0), 1: encode(2.0)})
    store.add(other, {0: encode(3.0)})
    store.close()
    db = sqlite3.connect(path)
    db.execute("UPDATE block SET (value, checksum) = (SELECT value, checksum FROM block WHERE run = ? AND number = 0) "
               "WHERE run = ?", (one, other))  # fmt: skip
    db.execute("UPDATE block SET (value, checksum) = (SELECT value, checksum FROM block WHERE run = ? AND number = 0) "
               "WHERE run = ? AND number = 1", (one, one))  # fmt: skip
    db.commit()
    db.close()
    store = Store(path)
    with pytest.warns(RuntimeWarning, match="block 0 of run 2 .* is computed again"):
        assert store.blocks(other, [0]) == {}
    with pytest.warns(RuntimeWarning, match="block 1 of run 1 .* is computed again"):
        assert store.blocks(one, [0, 1]) == {0: 1.0}
    store.close()


def test_a_damaged_block_in_memory_is_told_and_computed_again():
    store = Store()
    run = store.run("unit", 0, "code")
    store.add(run, {0: encode(1.0)})
    store._db.execute("UPDATE block SET value = x'00'")
    with pytest.warns(RuntimeWarning, match="block 0 of run 1 in the store in memory changed"):
        assert store.blocks(run, [0]) == {}
    store.close()


def packed(text, *arrays, pickled=False):
    file = io.BytesIO()
    for array in (np.frombuffer(text.encode(), np.uint8), *arrays):
        np.save(file, array, allow_pickle=pickled)
    return file.getvalue()


ONE = np.arange(3.0)
FORGED = {
    "objects": packed('{"array": 1}', np.array([print]), pickled=True),
    "dates": packed('{"array": 1}', np.array(["2020"], "datetime64[s]")),
    "no such array": packed('{"array": 2}', ONE),
    "an array cut short": packed('{"array": 1}', ONE)[:-1],
    "more than is said": packed('{"array": 1}', ONE) + b"x",
    "an array beyond all memory": packed('{"array": 1}', ONE).replace(b"(3,), }" + b" " * 12, b"(9999999999999,), }"),
    "no JSON": packed('{"array": 1', ONE),
    "another kind": packed('{"module": "os"}'),
    "two kinds": packed('{"tuple": [], "dict": {}}'),
    "deep lists": packed('{"list":[' * 50_000 + "]}" * 50_000),
    "a zip": b"PK\x03\x04" + bytes(100),
    "a pickle": b"\x80\x04N.",
    "nothing": b"",
}


@pytest.mark.parametrize("data", FORGED.values(), ids=FORGED)
def test_forged_bytes_are_refused(data):
    with pytest.raises(Undecodable):
        decode(data)


def test_a_forged_block_with_a_right_checksum_is_computed_again(tmp_path):
    """Whoever can write the file can make checksums too: the bytes of a pointer once ended the process."""
    path = tmp_path / "runs.sqlite"
    with RunContext(level="quick", seed=0, workers=1, store=path) as context:
        first = context.map({"of": "squares"}, square, range(2))
    db = sqlite3.connect(path)
    forged = FORGED["objects"]
    value, kept = db.execute("SELECT value, checksum FROM block WHERE number = 0").fetchone()
    right, checksum = (hashlib.blake2b(data, digest_size=16, key=b"1/0").digest() for data in (value, forged))
    assert right == kept
    assert db.execute("UPDATE block SET value = ?, checksum = ? WHERE number = 0", (forged, checksum)).rowcount == 1
    db.commit()
    db.close()
    again = pytest.warns(RuntimeWarning, match="block 0 of run 1 .* is computed again")
    with RunContext(level="quick", seed=0, workers=1, store=path) as context, again:
        assert context.map({"of": "squares"}, square, range(2)) == first


WHOLE = encode({
    "a": [1, 2.5, (None, True, "text")],
    "b": np.arange(6.0).reshape(2, 3),
    "c": np.array(["x", "yy"]),
    "d": np.array([True, False]),
    "e": np.complex64(1j),
})  # fmt: skip


def test_decoding_holds_against_random_damage():
    """2,000 forged values: each is refused, or decoded into plain types and arrays of the listed kinds."""
    draw = random.Random(0)
    refused = 0
    for _ in range(2_000):
        data = bytearray(WHOLE)
        for _ in range(draw.choice((1, 1, 2, 5))):
            place, way = draw.randrange(len(data)), draw.randrange(4)
            if way == 0:
                data[place] = draw.randrange(256)
            elif way == 1:
                data[place : place + draw.randrange(9)] = bytes(draw.randrange(256) for _ in range(draw.randrange(9)))
            elif way == 2:
                data[place : place + 1] = draw.choice((b"O", b"V", b"9", b"-", b"]", b"}", b'"', b"<", b"M", b"0"))
            else:
                del data[place:]
                data += b"\x00" * 4
        try:
            assert_plain(decode(bytes(data)))
        except Undecodable:
            refused += 1
    assert 500 < refused < 2_000, "damage to the bytes of an array alone is another value"


def assert_plain(value):
    if isinstance(value, (list, tuple)):
        for part in value:
            assert_plain(part)
    elif isinstance(value, dict):
        assert all(isinstance(key, str) for key in value)
        assert_plain(list(value.values()))
    elif isinstance(value, (np.ndarray, np.generic)):
        assert value.dtype.kind in "biufcSU"
        assert value.dtype.kind == "U" or str(value.tolist())  # letters beyond the last one are left in
    else:
        assert value is None or isinstance(value, (bool, int, float, str))


def square(block):
    return float(block * block)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DROP TABLE block", "without its table block"),
        ("DROP TABLE run", "without its table run"),
        ("DROP TABLE verdict", "without its table verdict"),
    ],
)
def test_a_store_that_is_not_whole(filled, statement, words):
    db = sqlite3.connect(filled)
    db.execute("PRAGMA journal_mode = DELETE")
    db.execute(statement)
    db.commit()
    db.close()
    before = filled.read_bytes()
    for read_only in (False, True):
        with pytest.raises(InvalidInput, match=f"store must be a whole file of dpbench, got .* {words}; move it away"):
            Store(filled, read_only=read_only)
    assert filled.read_bytes() == before


CHANGES = ("verdict = 'refuted'", "claim = 'glm.b.rate'", "level = 'full'", "seed = '1'", "seed = 'x'", "code = 'd'",
           "evidence = '{}'", "evidence = '{'", "recorded = '2020'", "checksum = NULL", "verdict = x'00'")  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_verdict_that_was_changed_on_disk_is_left_out(tmp_path, change):
    path = tmp_path / "runs.sqlite"
    store = Store(path)
    for claim in ("glm.a.rate", "glm.c.rate"):
        store.record(claim, "quick", 0, "c", "consistent", {"value": 0.5})
    store.close()
    db = sqlite3.connect(path)
    db.execute(f"UPDATE verdict SET {change} WHERE claim = 'glm.a.rate'")
    db.commit()
    db.close()
    with pytest.warns(RuntimeWarning, match=r"a verdict of glm\.[ab]\.rate in .*sqlite changed after it was stored"):
        assert [v.claim for v in stored_verdicts(path)] == ["glm.c.rate"]
    store = Store(path)
    assert [v.claim for v in store.verdicts(quiet=True)] == ["glm.c.rate"]  # a warning would be an error here
    store.close()


def test_a_changed_verdict_in_memory_is_left_out_too():
    store = Store()
    store.record("glm.a.rate", "quick", 0, "c", "consistent", {"value": 0.5})
    (kept,) = store.verdicts()
    row = kept.claim, kept.level, str(kept.seed), kept.code, kept.verdict, json.dumps(kept.evidence), kept.recorded
    assert [*intact([with_checksum(row)], "it")] == [kept] and not [*intact([(*row, b"")], None)]
    store._db.execute("UPDATE verdict SET verdict = 'refuted'")
    with pytest.warns(RuntimeWarning, match=r"glm\.a\.rate in the store in memory changed .*`dpbench verify glm\.a"):
        assert store.verdicts() == []
    store.close()


@pytest.mark.parametrize("log", [None, b"", b"commits"])
def test_a_store_beside_which_no_log_can_be_opened(filled, log):
    """It is shown where no commits can stand in a log, none or an empty one; else it is refused, not shown without."""
    filled.with_name("runs.sqlite-shm").symlink_to("nowhere")  # SQLite follows no link: it can open no log
    if log is not None:
        filled.with_name("runs.sqlite-wal").write_bytes(log)
    if log:
        with pytest.raises(InvalidInput, match="store must be a file of dpbench that can be read and written"):
            Store(filled, read_only=True)
    else:
        store = Store(filled, read_only=True)
        assert len(store) == len(VALUES)
        store.close()
    with pytest.raises(InvalidInput, match="store must be a file of dpbench that can be read and written"):
        Store(filled)
