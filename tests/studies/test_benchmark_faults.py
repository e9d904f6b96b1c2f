"""What `studies.faults` asserts after each fault notices a loss, a change, and a wrong result."""

from __future__ import annotations

import sqlite3
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytestmark = [
    pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed (extra cluster)"),
    pytest.mark.meta,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of distributed's own imports
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture
def faults() -> Any:
    from studies import faults

    return faults


@pytest.fixture
def ended(faults: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A round of eight blocks whose run is done, all stored."""
    monkeypatch.setattr(faults, "BLOCKS", 8)
    faults.expected.cache_clear()
    made = faults.Round("parent", 0, tmp_path)
    made.out.write_text(faults.runs.on_threads(made.store, 0.0, 8))
    yield made
    faults.expected.cache_clear()


def exited(code: int) -> Any:
    return SimpleNamespace(join=lambda patience: None, exitcode=code)


def change(path: Path, statement: str) -> None:
    db = sqlite3.connect(path)
    db.execute(statement)
    db.commit()
    db.close()


def test_a_sound_end(faults: Any, ended: Any) -> None:
    assert ended.end(exited(0)) and not ended.end(exited(faults.runs.GONE))
    ended.check()
    assert len(ended.before) == 8
    ended.check()


@pytest.mark.parametrize("statement", ["DELETE FROM block", "UPDATE block SET value = x'00'"])
def test_a_block_lost_or_changed(ended: Any, statement: str) -> None:
    ended.check()
    change(ended.store, f"{statement} WHERE number = 3")
    with pytest.raises(AssertionError, match="1 stored blocks are lost or changed"):
        ended.check()


def test_a_wrong_result_a_block_too_many_and_a_crash(ended: Any) -> None:
    right = ended.out.read_text()
    ended.out.write_text(right[::-1])
    with pytest.raises(AssertionError, match="says"):
        ended.end(exited(0))
    ended.out.write_text(right)
    change(ended.store, "INSERT INTO block SELECT run + 1, number, value, checksum FROM block WHERE number = 3")
    with pytest.raises(AssertionError, match="9 blocks are stored, of 8"):
        ended.end(exited(0))
    with pytest.raises(AssertionError, match="ended with 1"):
        ended.end(exited(1))


def test_a_file_that_is_not_whole(faults: Any, ended: Any) -> None:
    """Its first page of a table, where SQLite looks for records, overwritten."""
    text = bytearray(ended.store.read_bytes())
    text[4096 : 2 * 4096] = bytes(4096)
    ended.store.write_bytes(text)
    with pytest.raises((AssertionError, sqlite3.DatabaseError), match=r"not whole|malformed"):
        faults.stored(ended.store)
