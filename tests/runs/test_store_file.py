"""The file of a store: its layout, and damage, locks and full disks, each of them one clear message."""

import os
import re
import resource
import sqlite3
import threading
from pathlib import Path

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.runs import store as module
from dpbench.runs.encoding import encode
from dpbench.runs.store import Store, StoreError, stored_verdicts

VALUES = {number: encode(np.random.default_rng(number).standard_normal(500)) for number in range(60)}


@pytest.fixture
def filled(tmp_path):
    """A closed file with sixty blocks, several pages of it."""
    path = tmp_path / "runs.sqlite"
    made = Store(path)
    made.add(made.run("unit", 0, "code"), VALUES)
    made.close()
    return path


def test_a_file_is_made_with_its_folders_and_found_again(tmp_path):
    path = tmp_path / "new" / "deep" / "ü 100%?.sqlite"
    for n in range(2):
        store = Store(str(path))
        assert len(store) == n
        store.add(store.run("unit", 0, "code"), {n: encode(n)})
        store.close()
        store.close()
    assert sorted(p.name for p in path.parent.iterdir()) == [path.name]


def test_tables(filled):
    """The layout that other programs may read."""
    db = sqlite3.connect(filled)
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    names = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert names == {"meta", "run", "block", "verdict"}
    assert db.execute("SELECT * FROM meta").fetchall() == [("schema", "3")]
    db.close()


def refused(path, match):
    """It is InvalidInput, in one line that names the file, and the file stays as it was."""
    before = path.read_bytes() if path.is_file() else None
    for read_only in (False, True):
        with pytest.raises(InvalidInput, match=match) as caught:
            Store(path, read_only=read_only)
        assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    assert before is None or path.read_bytes() == before


@pytest.mark.parametrize("size", [50, 100, 4096, 5000, -5000])
def test_a_truncated_file(filled, size):
    os.truncate(filled, size % filled.stat().st_size)
    refused(
        filled,
        "store must be a file of dpbench that can be read and written, got .*(malformed|not a database)",
    )


@pytest.mark.parametrize("content", [b"garbage" * 1000, b"SQLite format 3\0" + b"\xff" * 5000, b"xy", b"{}\n"])
def test_not_a_database(tmp_path, content):
    path = tmp_path / "runs.sqlite"
    path.write_bytes(content)
    refused(path, "store must be a file of dpbench .*(not a database|malformed|disk I/O)")


def test_another_program_s_database(tmp_path):
    path = tmp_path / "theirs.sqlite"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE meta (key, value)")
    db.commit()
    db.close()
    refused(path, "another program's database")


@pytest.mark.parametrize(("schema", "which"), [(2, "an older"), (4, "a newer")])
def test_another_schema(filled, schema, which):
    db = sqlite3.connect(filled)
    db.execute("UPDATE meta SET value = ?", (str(schema),))
    db.commit()
    db.execute("PRAGMA journal_mode = DELETE")
    db.close()
    refused(filled, f"store must be of schema 3, got .* of schema {schema}, which {which} dpbench wrote; move it away")


def test_places_that_hold_no_file(tmp_path):
    refused(tmp_path, "store must be a file, got the folder")
    refused(Path("/dev/null"), "store must be a file, got the device")
    (tmp_path / "file").touch()
    with pytest.raises(
        InvalidInput, match=r"store must be a file that can be read and written, got .*: its folder is a file"
    ):
        Store(tmp_path / "file" / "runs.sqlite")
    with pytest.raises(InvalidInput, match=r"store must be a file that can be read and written, got .*too long"):
        Store(tmp_path / ("x" * 300))
    with pytest.raises(InvalidInput, match=r"store must be an existing file, got .*`dpbench verify` makes it"):
        stored_verdicts(tmp_path / "missing.sqlite")
    with pytest.raises(InvalidInput, match=r"store must hold a run of dpbench, got the empty file"):
        stored_verdicts(tmp_path / "file")
    assert not (tmp_path / "missing.sqlite").exists()
    for bad in (7, True, b"x", "a\0b", [tmp_path]):
        with pytest.raises(InvalidInput, match=r"store must be a path or None"):
            Store(bad)


def test_a_read_only_file(filled, monkeypatch):
    """Root may write any file, so the file is opened the way the system opens one that may only be read."""
    connect = sqlite3.connect

    def read_only(target, **options):
        return connect(f"{target}?mode=ro" if filled.name in str(target) else target, **options)

    monkeypatch.setattr(module.sqlite3, "connect", read_only)
    with pytest.raises(InvalidInput, match=r"got .*runs.sqlite: it is read-only; move it away, or choose another"):
        Store(filled)


def test_a_block_that_was_changed_on_disk(filled):
    """Damage that SQLite cannot see: one bit of a value."""
    db = sqlite3.connect(filled)
    (value,) = db.execute("SELECT value FROM block WHERE number = 7").fetchone()
    db.execute("UPDATE block SET value = ? WHERE number = 7", (value[:-1] + bytes([value[-1] ^ 1]),))
    db.execute("UPDATE block SET value = 'text' WHERE number = 8")
    db.execute("UPDATE block SET number = 99 WHERE number = 9")
    db.commit()
    db.close()
    store = Store(filled)
    for number in (7, 8, 99):
        says = f"block {number} of run 1 in {re.escape(str(filled))} changed .*: it is computed again"
        with pytest.warns(RuntimeWarning, match=says):
            assert store.blocks(1, [number]) == {}
    store.add(1, {number: VALUES[number] for number in (7, 8, 9)})
    assert {number: encode(value) for number, value in store.blocks(1, VALUES).items()} == VALUES
    store.close()


def cut_the_end(data):
    del data[-700:]


def write_garbage(data):
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 3 * 4096] = b"\xa5" * (3 * 4096)


@pytest.mark.parametrize("damage", [cut_the_end, write_garbage])
def test_damage_inside(filled, damage):
    """What can still be read is read, the rest is one clear message."""
    data = bytearray(filled.read_bytes())
    damage(data)
    filled.write_bytes(data)
    store, seen, refusals = Store(filled), 0, 0
    for number in VALUES:
        try:
            assert encode(store.blocks(1, [number])[number]) == VALUES[number]
            seen += 1
        except (StoreError, RuntimeWarning) as error:  # a page that SQLite refuses, or a block that changed
            assert str(filled) in str(error) and "\n" not in str(error)
            refusals += 1
    assert seen and refusals
    store.close()


def test_locked_by_another_process(filled, monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 0.4)
    store = Store(filled)
    other = sqlite3.connect(filled, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"failed: another process has had it locked for 0.4 s; what it held is kept"):
        store.add(1, {100: encode(1)})
    with pytest.raises(InvalidInput, match=r"another process has had it locked for 0.4 s"):
        Store(filled)
    assert len(store.blocks(1, VALUES)) == 60, "readers need not wait"
    release = threading.Timer(0.2, other.execute, ("ROLLBACK",))
    monkeypatch.setattr(module, "_PATIENCE", 20.0)
    release.start()
    store.add(1, {100: encode(1)})
    assert len(store) == 61
    release.join()
    other.close()
    store.close()


def test_two_processes_may_share_a_store(tmp_path):
    """Two connections, each in its own thread, as two processes have them."""
    path = tmp_path / "runs.sqlite"

    def fill(start):
        store = Store(path)
        run = store.run("unit", 0, "code")
        for number in range(start, start + 150):
            store.add(run, {number: encode(number)})
        store.close()

    threads = [threading.Thread(target=fill, args=(start,)) for start in (0, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = Store(path)
    assert store.blocks(1, range(250)) == {n: n for n in range(250)}
    store.close()


def fill_until_it_fails(store, match):
    run = store.run("unit", 0, "code")
    with pytest.raises(StoreError, match=match) as caught:
        for number in range(10_000):
            store.add(run, {number: VALUES[number % 60]})
    assert "\n" not in str(caught.value)
    assert 0 < number < 9_999
    return number


def test_a_full_disk(tmp_path):
    path = tmp_path / "runs.sqlite"
    store = Store(path)
    store._db.execute("PRAGMA max_page_count = 60")
    stored = fill_until_it_fails(store, r"the store .*runs.sqlite failed: database or disk is full; what it held")
    store.close()
    store = Store(path)
    assert len(store) == stored
    assert all(encode(v) == VALUES[n % 60] for n, v in store.blocks(1, range(stored)).items())
    store.add(1, {stored: VALUES[0]})
    store.close()


def test_a_file_that_may_not_grow(tmp_path):
    """The system itself refuses the write, as it does over a quota."""
    path = tmp_path / "runs.sqlite"
    store = Store(path)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, before[1]))
    try:
        stored = fill_until_it_fails(store, r"the store .*runs.sqlite failed: (disk I/O error|database or disk is)")
        with pytest.raises(StoreError):
            store.add(1, {9_999: encode(np.zeros(100_000))})
        store.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    store = Store(path)
    assert len(store) == stored
    assert len(store.blocks(1, range(stored))) == stored
    store.close()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_lost_while_in_use(tmp_path, replaced):
    """SQLite would go on writing into a file without a name."""
    path = tmp_path / "runs.sqlite"
    store = Store(path)
    store.add(store.run("unit", 0, "code"), {0: encode(0)})
    for file in tmp_path.iterdir():
        file.rename(tmp_path.parent / f"{tmp_path.name}-{file.name}")
    if replaced:
        Store(path).close()
    with pytest.raises(StoreError, match=r"was removed or replaced while in use"):
        store.add(1, {1: encode(1)})
    store.close()
