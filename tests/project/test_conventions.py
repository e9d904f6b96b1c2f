"""What people expect of a repository: releases with notes, citations, completion, workflows that run what CI runs."""

import runpy
import tomllib
from pathlib import Path

import pytest

import dpbench
from dpbench.cli.app import run
from dpbench.ledger.registry import all_papers
from dpbench.report import latex

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_a_release_has_notes_on_the_interface():
    notes = runpy.run_path(str(ROOT / ".ci/release_notes"))["notes"]
    version = dpbench.__version__
    assert PROJECT["version"] == version and f"version: {version}\n" in text("CITATION.cff")
    assert "### Interface" in notes(version, version, text("CHANGELOG.md"))
    for bad in (
        ("9.9", version, "## 9.9\n### Interface\n"),
        ("1.0", "1.0", "## 0.9\n"),
        ("1.0", "1.0", "## 1.0\n- x\n"),
    ):
        with pytest.raises(SystemExit, match="release_notes: "):
            notes(*bad)


def test_the_citation_names_every_paper():
    cited = text("CITATION.cff")
    assert f"  year: {latex.YEAR}\n" in cited
    assert (f'repository-code: "{latex.ADDRESS}"' in cited) == bool(latex.ADDRESS)
    for paper in all_papers():
        assert f'title: "{paper.title}"' in cited and paper.url in cited
        assert all(f"family-names: {author.split()[-1]}" in cited for author in paper.authors)


def test_the_shell_completes_ids(monkeypatch, capsys):
    monkeypatch.setenv("_DPBENCH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "dpbench show glm.thm5.pr")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert run() == 0
    assert capsys.readouterr().out.split() == ["glm.thm5.privacy"]
