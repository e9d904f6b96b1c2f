"""Every run of a landing takes the part of its line, and twenty-four landings take every test."""

import subprocess

import pytest

from tools import landings

pytestmark = pytest.mark.meta


def commit(root, name, text):
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    for words in (["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", str(root), *words], check=True)
    return landings.git(root, "rev-parse", "HEAD").strip()


def test_every_run_of_a_landing_takes_the_part_of_its_line(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    commit(tmp_path, "dpbench/a.py", "1\n")
    commit(tmp_path, ".ci/landings", "# lines\n2026-01-01 22 9 0123456789abcdef\n")
    assert landings.main(["check"], tmp_path) == 1 and landings.base(tmp_path) == ""
    assert landings.main(["next"], tmp_path) == 0 and landings.part(tmp_path) == 23
    assert landings.main(["check"], tmp_path) == 1  # it was not run
    landings.main(["record", "1200"], tmp_path)
    commit(tmp_path, "dpbench/a.py", "2\n")
    assert landings.main(["check"], tmp_path) == 1 and landings.part(tmp_path) == 23  # changed after its run
    landings.main(["record", "1300"], tmp_path)
    assert len(landings.lines(tmp_path)) == 2
    first = commit(tmp_path, "evidence/a.json", "{}\n")
    assert landings.main(["check", first], tmp_path) == 0  # evidence needs no line
    commit(tmp_path, "dpbench/a.py", "3\n")
    landings.main(["record", "9"], tmp_path)
    assert landings.main(["check"], tmp_path) == 0
    assert landings.main(["check", first], tmp_path) == 1  # no line of its own
    landings.git(tmp_path, "checkout", "-q", first, "--", ".ci/landings")
    assert landings.main(["next"], tmp_path) == 0 and landings.part(tmp_path) == 0
    landings.main(["record", "9"], tmp_path)
    assert landings.main(["check", first], tmp_path) == 0 and landings.base(tmp_path) == first
    assert landings.main(["record", "soon"], tmp_path) == 2


def test_parts_are_all_tests_and_none_twice():
    names = [f"tests/a.py::test_{number}" for number in range(600)]
    parts = [{name for name in names if landings.chosen(name, f"{number}/24")} for number in range(24)]
    assert sum(map(len, parts)) == 600 and set().union(*parts) == {*names} and min(map(len, parts)) > 10


def test_entries_of_the_parts_are_all_entries(monkeypatch):
    monkeypatch.delenv("DPBENCH_PART", raising=False)
    whole = landings.entries(landings.ROOT)
    parts = []
    for number in range(24):
        monkeypatch.setenv("DPBENCH_PART", f"{number}/24")
        parts += landings.entries(landings.ROOT)
    assert sorted(parts) == whole and len(whole) > 100
