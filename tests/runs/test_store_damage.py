"""Stores that are damaged, old, not whole, or on a file system that cannot be written."""

from __future__ import annotations

import hashlib
import json
import random
import shlex
import shutil
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.runs.context import RunContext
from dpbench.runs.encoding import Undecodable, decode, encode
from dpbench.runs.store import Store, stored_verdicts

VALUES = {number: encode(float(number)) for number in range(20)}


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A closed file with twenty blocks."""
    path = tmp_path / "runs.sqlite"
    made = Store(path)
    made.add(made.run("unit", 0, "code"), VALUES)
    made.close()
    return path


def test_a_damaged_block_is_computed_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with RunContext(level="quick", seed=0, workers=1, store=path) as context:
        first = context.map({"of": "squares"}, square, range(4))
    db = sqlite3.connect(path)
    db.execute("UPDATE block SET value = substr(value, 1, 4) || x'00' WHERE number = 2")
    db.commit()
    db.close()
    with RunContext(level="quick", seed=0, workers=1, store=path) as context:
        with pytest.warns(RuntimeWarning, match="block 2 of run 1 .* is computed again"):
            assert context.map({"of": "squares"}, square, range(4)) == first
        assert context.map({"of": "squares"}, square, range(4)) == first, "without a warning"


def test_a_block_moved_between_runs_or_numbers_is_refused(tmp_path: Path) -> None:
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


def packed(header: object, body: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<I", len(text)) + text + body


FORGED = {
    "a pointer": packed({"array": ["|O", [1]]}, bytes(8)),
    "a pointer in a scalar": packed({"scalar": ["|O", []]}, bytes(8)),
    "fields": packed({"array": [[["a", "|O"]], [1]]}, bytes(8)),
    "fields in a text": packed({"array": ["O,i4", [1]]}, bytes(12)),
    "a void": packed({"array": ["|V8", [1]]}, bytes(8)),
    "a date": packed({"array": ["<M8[s]", [1]]}, bytes(8)),
    "digits of another alphabet": packed({"array": ["<f٨", [1]]}, bytes(8)),
    "a negative length": packed({"array": ["<f8", [-1]]}, bytes(8)),
    "lengths whose product wraps": packed({"array": ["<f8", [2**32, 2**32]]}, bytes(8)),
    "a length that is no number": packed({"array": ["<f8", [True]]}, bytes(8)),
    "no bytes": packed({"array": ["<f8", [4]]}, bytes(8)),
    "bytes too many": packed({"array": ["<f8", [1]]}, bytes(9)),
    "many of nothing": packed({"array": ["<U0", [2**60]]}),
    "a scalar with a shape": packed({"scalar": ["<f8", [1]]}, bytes(8)),
    "a third truth value": packed({"array": ["|b1", [1]]}, b"\x02"),
    "no letter": packed({"array": ["<U1", [1]]}, b"\xff\xff\xff\x7f"),
    "a header beyond the end": struct.pack("<I", 2**31) + b"{}",
    "a float as text": packed(1.5),
    "not a number as text": packed(float("nan")),
    "another kind": packed({"module": ["os"]}),
    "two kinds": packed({"tuple": [], "dict": []}),
    "keys that are no texts": packed({"dict": [[1, 2]]}),
    "a float of three bytes": packed({"float": "000000"}),
    "deep lists": struct.pack("<I", 200_000) + b"[" * 100_000 + b"]" * 100_000,
    "deep tuples": struct.pack("<I", 60_000) + b'{"tuple":[' * 5_000 + b"]}" * 5_000,
    "nothing": b"",
}


@pytest.mark.parametrize("data", FORGED.values(), ids=FORGED)
def test_forged_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(Undecodable):
        decode(data)


def test_a_forged_block_with_a_right_checksum_is_computed_again(tmp_path: Path) -> None:
    """Whoever can write the file can make checksums too: the bytes of a pointer once ended the process."""
    path = tmp_path / "runs.sqlite"
    with RunContext(level="quick", seed=0, workers=1, store=path) as context:
        first = context.map({"of": "squares"}, square, range(2))
    db = sqlite3.connect(path)
    forged = FORGED["a pointer"]
    checksum = hashlib.blake2b(forged, digest_size=16, key=b"1/0").digest()
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


def test_decoding_holds_against_random_damage() -> None:
    """4,000 forged values: each is refused, or decoded into plain types and arrays of the listed kinds."""
    draw = random.Random(0)
    refused = 0
    for _ in range(4_000):
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
    assert 1_000 < refused < 4_000, "damage to the bytes of an array alone is another value"


def assert_plain(value: object) -> None:
    if isinstance(value, (list, tuple)):
        for part in value:
            assert_plain(part)
    elif isinstance(value, dict):
        assert all(isinstance(key, str) for key in value)
        assert_plain(list(value.values()))
    elif isinstance(value, (np.ndarray, np.generic)):
        assert value.dtype.kind in "biufcSU"
        str(value.tolist())
    else:
        assert value is None or isinstance(value, (bool, int, float, str))


def square(block: int) -> float:
    return float(block * block)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE meta SET value = '0'", "of schema 0"),
        ("DROP TABLE block", "without its table block"),
        ("DROP TABLE run", "without its table run"),
        ("DROP TABLE verdict", "without its table verdict"),
    ],
)
def test_a_store_that_is_not_whole(filled: Path, statement: str, words: str) -> None:
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


def of_schema_1(path: Path) -> None:
    """What a version before checksums of verdicts left."""
    store = Store(path)
    store.add(store.run("unit", 0, "code"), VALUES)
    store.record("glm.a.rate", "quick", 0, "c", "consistent", {"value": 0.5})
    store.close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = DELETE")
    db.execute("ALTER TABLE verdict DROP COLUMN checksum")
    db.execute("UPDATE meta SET value = '1'")
    db.commit()
    db.close()


def test_an_older_schema_is_read_as_it_is_and_brought_up_when_written(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    of_schema_1(path)
    before = path.read_bytes()
    (found,) = stored_verdicts(path)
    assert found.verdict == "consistent" and path.read_bytes() == before
    store = Store(path)
    assert store.verdicts() == [found] and len(store) == len(VALUES)
    store.record("glm.b.rate", "quick", 0, "c", "undecided", {})
    store.close()
    assert [v.claim for v in stored_verdicts(path)] == ["glm.a.rate", "glm.b.rate"]
    db = sqlite3.connect(path)
    assert db.execute("SELECT value FROM meta").fetchone() == ("2",)
    db.close()


CHANGES = ("verdict = 'refuted'", "claim = 'glm.b.rate'", "level = 'full'", "seed = '1'", "seed = 'x'", "code = 'd'",
           "evidence = '{}'", "evidence = '{'", "recorded = '2020'", "checksum = NULL", "verdict = x'00'")  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_verdict_that_was_changed_on_disk_is_left_out(tmp_path: Path, change: str) -> None:
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


READ_ONLY = """
mount --bind {folder} {folder} && mount -o remount,ro,bind {folder} || exit 77
touch {folder}/x 2>/dev/null && exit 78
exec {python} -c "from dpbench.runs.store import *; print(stored_verdicts('{folder}/runs.sqlite')[0].claim)"
"""


def in_a_read_only_folder(folder: Path) -> subprocess.CompletedProcess[str]:
    """`stored_verdicts` of the store there, in a name space of its own in which the folder cannot be written."""
    script = READ_ONLY.format(folder=shlex.quote(str(folder)), python=shlex.quote(sys.executable))
    try:
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True)
    except OSError:
        pytest.skip("no unshare here")
    if done.returncode in (1, 77) and "Traceback" not in done.stderr:
        pytest.skip(f"no read-only mount here: {done.stderr.strip()}")
    return done


@pytest.mark.process
@pytest.mark.parametrize("log", [False, True])
def test_a_read_only_file_system(tmp_path: Path, log: bool) -> None:
    """A store there is shown; one whose last commits stand in the log alone is refused, not shown without them."""
    path = tmp_path / "runs.sqlite"
    store = Store(path)
    store.record("glm.a.rate", "quick", 0, "c", "consistent", {})
    if log:
        shutil.copy(f"{path}-wal", tmp_path / "kept")
    store.close()
    if log:
        (tmp_path / "kept").rename(f"{path}-wal")
    done = in_a_read_only_folder(tmp_path)
    if log:
        assert done.returncode == 1 and "InvalidInput: store must be a file of dpbench that can be read" in done.stderr
    else:
        assert (done.returncode, done.stdout.strip()) == (0, "glm.a.rate"), done.stderr
