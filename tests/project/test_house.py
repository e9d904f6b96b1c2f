"""The house: no circle, no climb, no paper's name in the framework, no formula twice, and functions that can be held.

What is left out of a rule is listed with its reason, and an entry of such a list that the rule no longer needs fails.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
PAPERS = re.compile(r"\b(glm|heavytail|publicdata)\b")
FOR_USERS = "a name kept for users"
EXAMPLE = "an example in a command's help"
NAMED = {
    "dpbench": FOR_USERS, "dpbench.glm": FOR_USERS, "dpbench.heavytail": FOR_USERS, "dpbench.publicdata": FOR_USERS,
    "dpbench.sklearn.estimators": "the estimators are of the papers' floor, under a name kept for users",
    "dpbench.sklearn.search": "the estimators are of the papers' floor, under a name kept for users",
    "dpbench.cli.errata": EXAMPLE, "dpbench.cli.options": EXAMPLE,
}  # fmt: skip
"""Modules outside the papers that name one, and why."""
TWICE = {
    "scores[i] + w0 * a0[i] + w1 * a1[i] + w2 * a2[i] + w3 * a3[i]":
        "a kernel's loop unrolled for one, two and four records, which is its speed",
}  # fmt: skip
MOST = 15
COMPLEX = {
    ("dpbench/papers/glm/algorithms/_erm_tiles.py", "add_pass"): "a kernel: branches on the loss, in one pass",
    ("dpbench/papers/glm/algorithms/_score_kernels.py", "add_clipped"): "a kernel: branches on the loss in one pass",
    ("dpbench/papers/heavytail/algorithms/_bound_kernels.py", "affine_bound"): "a kernel: cases of a bound",
    ("dpbench/papers/heavytail/algorithms/_exact_kernels.py", "exponent_sums"): "a kernel: carries of long integers",
    ("dpbench/papers/publicdata/hypotheses/_ball_kernels.py", "solve_secular"): "a kernel: safeguarded Newton",
    ("dpbench/papers/publicdata/hypotheses/_ball_kernels.py", "barrier_factor"): "a kernel: factorisation with tests",
    ("dpbench/cli/figures.py", "figures"): "the options of one command, checked one by one",
    ("dpbench/ledger/formula.py", "parse"): "one branch for each form of the grammar",
    ("dpbench/runs/workers.py", "run_in_workers"): "the states of a worker process in one loop, tried by 1,043 kills",
}
"""Functions with more than `MOST` ways through, as ruff counts them (C901)."""


@pytest.fixture
def studies(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    import studies.formulas
    import studies.house

    return studies


def same(found: Iterable[object], listed: Iterable[object]) -> None:
    """What is found is what is listed."""
    here, there = set(found), set(listed)
    assert not here - there, "new: " + ", ".join(map(str, here - there))
    assert not there - here, "mended, to be taken off: " + ", ".join(map(str, there - here))


def names(text: str) -> set[str]:
    """The papers that code names: in imports, names and texts, docstrings left out (there a paper is an example)."""
    tree = ast.parse(text)
    told = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            found.update(PAPERS.findall(node.value))
        elif isinstance(node, ast.ImportFrom):
            found.update(PAPERS.findall(" ".join([str(node.module), *(alias.name for alias in node.names)])))
        elif isinstance(node, (ast.Import, ast.Name)):
            found.update(PAPERS.findall(node.id if isinstance(node, ast.Name) else ast.unparse(node)))
    return found


def test_the_framework_names_no_paper(studies: ModuleType) -> None:
    texts = {m: text for m, text in studies.house.sources().items() if not m.startswith("dpbench.papers.")}
    assert len(texts) > 240
    same((module for module, text in texts.items() if names(text)), NAMED)


def test_a_papers_name_would_be_seen() -> None:
    for text in ("from dpbench.papers.glm import theory", "import dpbench.papers.heavytail", "x = 'glm.thm1.rate.n'",
                 "def f():\n    'told'\n    return 'publicdata'"):  # fmt: skip
        assert names(text), text
    assert not names('"""For example glm."""\ndef f():\n    """Of glm."""\n    return "GLM"')


def test_no_arrow_climbs(studies: ModuleType) -> None:
    graph = studies.house.arrows(studies.house.sources())
    pairs = studies.house.between(graph)
    assert len(pairs) > 60 and sum(map(len, pairs.values())) > 900
    assert studies.house.climbs(pairs) == []


def test_packages_go_in_no_circle(studies: ModuleType) -> None:
    pairs = studies.house.between(studies.house.arrows(studies.house.sources()))
    graph: dict[str, set[str]] = {name: set() for names in studies.house.FLOORS for name in names}
    for here, there in pairs:
        if studies.house.floor(there) <= studies.house.floor(here):
            graph[here].add(there)
    assert not studies.house.circles(graph)


def test_a_climb_and_a_circle_would_be_seen(studies: ModuleType) -> None:
    texts = {"dpbench.core.a": "from dpbench.runs import b", "dpbench.runs.b": "def f():\n    import dpbench.core.a"}
    graph = studies.house.arrows(texts)
    assert studies.house.climbs(studies.house.between(graph)) == ["dpbench.core.a -> dpbench.runs.b"]
    assert len(studies.house.circles(graph)) == 2
    with pytest.raises(LookupError, match="attic has no floor"):
        studies.house.floor("attic")


def test_a_claim_handed_to_verify_passes_few_files(studies: ModuleType) -> None:
    passed, upward = studies.house.way()
    assert {"dpbench.ledger.verify", "dpbench.ledger.core", "dpbench.ledger.harness"} <= set(passed)
    assert len(passed) <= 9
    assert upward == ["dpbench.runs.context -> dpbench.ledger.core"]  # it asks the claim to measure itself


def test_every_formula_stands_once(studies: ModuleType) -> None:
    texts = studies.formulas.sources()
    assert sum(1 for place, text in texts.items() for _ in studies.formulas.of_source(place, text)) > 220
    same((group[0].text for group in studies.formulas.twice(texts)), TWICE)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("s = math.sqrt(8.0 * g**2 * t * math.log(1.0 / d)) / (n * e)",
         "noise = np.sqrt(8 * steps * G ** 2 * log(1 / delta)) / (size * self.epsilon)"),
        ("s = 'sqrt(4*G^2*X^2*log(1/delta)/(lambda^2*n^2*epsilon^2))'",
         "x = 'sqrt(4*L^2*R^2*log(1/delta)/(lambda^2*n^2*epsilon^2))'"),
        ("y = a * b * h - (c + d * e) ** 0.5 / (f - g)", "z = -sqrt(u + v * w) / (x - y) + p * q * r"),
    ],
)  # fmt: skip
def test_a_copy_of_a_formula_would_be_seen(studies: ModuleType, first: str, second: str) -> None:
    """Renamed symbols, other functions of the same name, another order of operands."""
    found = studies.formulas.twice({"one.py": first, "two.py": second})
    assert [[one.place for one in group] for group in found] == [["one.py", "two.py"]]
    other = second.replace("8", "4").replace("^2*epsilon", "*epsilon").replace("p * q * r", "p * q / r")
    assert not studies.formulas.twice({"one.py": first, "two.py": other})


def complex_functions(places: list[str]) -> set[tuple[str, str]]:
    words = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "C901", "--output-format", "json",
             "--config", f"lint.mccabe.max-complexity={MOST}", *places]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode in (0, 1), done.stderr
    return {
        (Path(one["filename"]).relative_to(ROOT).as_posix() if Path(one["filename"]).is_relative_to(ROOT) else "",
         one["message"].split("`")[1])
        for one in json.loads(done.stdout)
    }  # fmt: skip


@pytest.mark.process
def test_every_function_can_be_held() -> None:
    same(complex_functions(["dpbench", "lowerbounds"]), COMPLEX)


@pytest.mark.process
def test_a_function_of_too_many_ways_would_be_seen(tmp_path: Path) -> None:
    ways = "\n".join(f"    if x == {k}:\n        x += 1" for k in range(MOST + 1))
    (tmp_path / "long.py").write_text(f"def many(x):\n{ways}\n    return x\n")
    assert complex_functions([str(tmp_path)]) == {("", "many")}


def test_the_page_has_the_numbers_of_its_command(studies: ModuleType) -> None:
    page = (ROOT / "docs" / "guide" / "house.md").read_text(encoding="utf-8")
    kept = json.loads((ROOT / "evidence" / "house.json").read_text(encoding="utf-8"))
    for row in studies.house.account_rows(kept) + studies.house.package_rows(kept):
        assert row in page, row
    said = f"{kept['files']} files, {kept['lines']:,} lines of Python in `dpbench` and `lowerbounds`"
    assert f"{said}, {kept['framework']:,}" in page
    assert f"Imports between packages: {sum(kept['arrows'].values()):,};" in page
    assert kept["circles"] == []
    assert f"{kept['loaded']} modules" in page and f"climbs: {len(kept['climbs'])}." in page
