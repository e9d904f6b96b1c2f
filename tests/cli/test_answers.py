"""Texts of commands that run nothing are kept between runs, and never read where anything that they are of changed."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from patience import waits

from dpbench.cli import answers


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache folder of its own, and a process that has loaded no claims."""
    monkeypatch.setattr("dpbench.cli.answers.platformdirs.user_cache_dir", lambda name: str(tmp_path / "cache"))
    monkeypatch.delitem(sys.modules, "dpbench.ledger.registry", raising=False)
    return tmp_path


def test_a_text_is_made_once_a_request(alone: Path) -> None:
    made: list[str] = []
    for request in ("a", "b", "a", "b"):
        assert answers.answer("show", request, None, lambda r=request: made.append(r) or r.upper()) == request.upper()
    assert made == ["a", "b"]
    assert answers.answer("errata", "a", None, lambda: "another command's") == "another command's"


def test_it_is_made_again_where_the_store_changed(alone: Path) -> None:
    store = alone / "runs.sqlite"
    for wanted in ("none", "one", "grown", "log"):
        if wanted == "log":
            store.with_name("runs.sqlite-wal").write_text("x")
        elif wanted != "none":
            store.write_text(wanted)
        assert answers.answer("show", "a", store, lambda w=wanted: w) == wanted
        assert answers.answer("show", "a", store, lambda: "made again") == wanted


def test_it_is_made_again_where_a_file_or_what_is_installed_changed(
    alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, folder = alone / "site" / "dpbench", alone / "installed"
    (package / "cli").mkdir(parents=True)
    (package.parent / "evidence" / "certificates").mkdir(parents=True)
    folder.mkdir()
    monkeypatch.setattr(answers, "__file__", str(package / "cli" / "answers.py"))
    monkeypatch.setattr(sys, "path", [str(folder), str(alone / "not there")])
    changes = package / "page.html", package.parent / "evidence" / "certificates" / "a.json", folder / "x-1.dist-info"
    assert answers.answer("show", "a", None, lambda: "first") == "first"
    for change in changes:
        change.write_text("")
        assert answers.answer("show", "a", None, lambda c=change: c.name) == change.name
        assert answers.answer("show", "a", None, lambda: "made again") == change.name
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "page.pyc").write_text("")
    assert answers.answer("show", "a", None, lambda: "made again") == changes[-1].name


def test_a_text_made_while_files_change_is_not_kept(alone: Path) -> None:
    store = alone / "runs.sqlite"
    assert answers.answer("show", "a", store, lambda: store.write_text("x") and "old") == "old"
    assert answers.answer("show", "a", store, lambda: "new") == "new"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"key": 1}', "{\x00", '{"key": "KEY", "texts": 3}'])
def test_a_damaged_file_is_no_text(text: str, alone: Path) -> None:
    place = answers._place("show")
    place.parent.mkdir(parents=True)
    place.write_text(text.replace("KEY", answers.key(None)))
    assert answers.answer("show", "a", None, lambda: "made") == "made"
    assert answers.answer("show", "a", None, lambda: "again") == "made"


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(alone: Path) -> None:
    (alone / "cache").write_text("a file")
    assert [answers.answer("show", "a", None, lambda t=t: t) for t in ("one", "two")] == ["one", "two"]


def test_the_oldest_of_many_go(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_MOST", 3)
    for request in "abcd":
        answers.answer("show", request, None, lambda r=request: r)
    assert [answers.answer("show", request, None, lambda: "made") for request in "dcba"] == ["d", "c", "b", "made"]


def test_nothing_is_kept_beside_papers_of_others_or_loaded_claims(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = EntryPoint("svt", "svt.claims:paper", "dpbench.papers")
    monkeypatch.setattr(answers, "entry_points", lambda group: (theirs,))
    assert not answers.usable()
    monkeypatch.setattr(answers, "entry_points", lambda group: ())
    assert answers.usable()
    monkeypatch.setitem(sys.modules, "dpbench.ledger.registry", object())
    assert not answers.usable()
    assert [answers.answer("show", "a", None, lambda t=t: t) for t in ("one", "two")] == ["one", "two"]


@pytest.mark.process
def test_show_and_errata_say_the_same_from_what_is_kept_and_import_no_claims(tmp_path: Path) -> None:
    asked = ["list", "glm.thm5.*"], ["show", "glm.thm5.privacy.printed"], ["errata", "publicdata"]
    script = "import sys; from dpbench.cli import app; app(sys.argv[1:], standalone_mode=False); "
    script += "print('dpbench.ledger.registry' in sys.modules, file=sys.stderr)"
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
    for arguments in asked:
        with waits() as seconds:
            said = [
                subprocess.run([sys.executable, "-c", script, *arguments], env=environment, cwd=tmp_path, text=True,
                               capture_output=True, timeout=seconds, check=False) for _ in range(2)
            ]  # fmt: skip
        assert [one.stderr.split()[-1:] for one in said] == [["True"], ["False"]], said[0].stderr + said[1].stderr
        assert said[0].stdout == said[1].stdout and len(said[0].stdout) > 200
