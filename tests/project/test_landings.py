"""Each landing has its line, runs the part that follows from it, and in twelve landings every test is run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.meta


def commit(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    for words in (["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", str(root), *words], check=True)


def test_a_landing_without_its_line_fails_and_evidence_needs_none(tmp_path: Path) -> None:
    from tools import landings

    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".ci").mkdir()
    commit(tmp_path, "dpbench/a.py", "1\n")
    assert landings.main(["check"], tmp_path) == 1 and landings.base(tmp_path) == ""
    first = landings.git(tmp_path, "rev-parse", "HEAD").strip()
    assert landings.main(["append", "1200"], tmp_path) == 0
    commit(tmp_path, "evidence/a.json", "{}\n")
    assert landings.main(["check"], tmp_path) == 0 and landings.part(tmp_path) == 0
    landings.append(tmp_path, "1300")
    assert len(landings.lines(tmp_path)) == 1, "the same code is one landing"
    for number in range(2, 8):
        commit(tmp_path, "dpbench/a.py", f"{number}\n")
        assert landings.main(["check"], tmp_path) == 1
        assert landings.append(tmp_path, "9").split()[1] == str((number - 1) % 24)
        if number == 2:
            assert landings.git(tmp_path, "merge-base", first, landings.base(tmp_path)).strip() == first
    assert landings.main(["append", "soon"], tmp_path) == 2


def test_parts_are_all_tests_and_none_twice() -> None:
    from tools import landings

    names = [f"tests/a.py::test_{number}" for number in range(600)]
    parts = [{name for name in names if landings.chosen(name, f"{number}/24")} for number in range(24)]
    assert sum(map(len, parts)) == 600 and set().union(*parts) == {*names} and min(map(len, parts)) > 10


def test_entries_of_the_parts_are_all_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    from tools import landings

    monkeypatch.delenv("DPBENCH_PART", raising=False)
    whole = landings.entries(landings.ROOT)
    parts = []
    for number in range(24):
        monkeypatch.setenv("DPBENCH_PART", f"{number}/24")
        parts += landings.entries(landings.ROOT)
    assert sorted(parts) == whole and len(whole) > 100
