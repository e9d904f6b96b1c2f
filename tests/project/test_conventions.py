"""What people expect of a repository: releases with notes, citations, completion, workflows that run what CI runs."""

import importlib.util
import json
import re
import runpy
import shutil
import tomllib
from pathlib import Path

import few_cases
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


def test_workflows_run_what_ci_runs_and_hooks_name_its_tools():
    assert re.search(r"^ +- run: \.ci/run$", text(".github/workflows/ci.yml"), re.M)
    assert ".ci/release_notes" in text(".github/workflows/release.yml")
    hooks = re.findall(r"entry: (\w+)", text(".pre-commit-config.yaml"))
    ci = text(".ci/run")
    assert hooks and all(hook in ci for hook in hooks)


def test_asv_builds_with_every_dependency():
    named = {re.match(r"[\w-]+", one)[0] for one in PROJECT["dependencies"]}
    assert named <= set(json.loads(text("asv.conf.json"))["matrix"]["req"])


def test_the_shell_completes_ids(monkeypatch, capsys):
    monkeypatch.setenv("_DPBENCH_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "dpbench show glm.thm5.pr")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert run() == 0
    assert capsys.readouterr().out.split() == ["glm.thm5.privacy"]


def test_another_copy_is_refused(tmp_path):
    """The same files are this checkout's code, wherever they lie; one that differs or is missing is not."""
    spec = importlib.util.spec_from_file_location("our_conftest", ROOT / "tests" / "conftest.py")
    assert spec is not None and spec.loader is not None
    conftest = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(conftest)
    for name in ("dpbench", "lowerbounds"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.json"))
    conftest.refuse_another_copy(tmp_path)
    (tmp_path / "dpbench" / "glm.py").write_text("")
    with pytest.raises(pytest.UsageError, match=r"dpbench/glm\.py \(1 files\) differs"):
        conftest.refuse_another_copy(tmp_path)


def test_the_cases_left_out_are_slow_and_no_other_test_is(request):
    def item(name, few):
        made = pytest.Function.from_parent(request.node.parent, name=name, callobj=lambda: None)
        if few:
            made.add_marker(pytest.mark.few(2))
        return made

    items = [*(item(f"many[{k}]", True) for k in range(5)), item("one[a]", True), item("plain[b]", False)]
    few_cases.mark(items)
    assert [bool(one.get_closest_marker("slow")) for one in items] == [False, True, False, True, True, False, False]
