"""The folders are the architecture: imports point one way, and a few habits are held by test."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*(ROOT / "dpbench").rglob("*.py"), *(ROOT / "lowerbounds").rglob("*.py")])


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`studies.house`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from studies import house as module

    return module


def test_no_module_imports_itself_by_a_detour(house: Any) -> None:
    graph = house.arrows(house.sources())
    assert len(graph) > 300 and sum(map(len, graph.values())) > 1000
    assert not house.circles(graph), "\n".join(house.circles(graph))


INSIDE = ("hypotheses", "algorithms", "theorems", "peers", "commands")
"""Folders of a paper: each imports from those before it alone, and from what stands beside them."""


def backwards(graph: Mapping[str, set[str]]) -> list[str]:
    """Imports from a folder of a paper to a later one, and to its drawings from anything but its commands."""
    found = []
    for here, imported in graph.items():
        for there in imported:
            one, other = here.split("."), there.split(".")
            if one[:2] != ["dpbench", "papers"] or one[:3] != other[:3] or len(one) < 4 or len(other) < 4:
                continue
            if one[3] in INSIDE and other[3] in INSIDE and INSIDE.index(one[3]) < INSIDE.index(other[3]):
                found.append(f"{here} imports {there}")
            if one[3] in INSIDE[:-1] and other[3].startswith("drawings"):
                found.append(f"{here} imports {there}")
    return found


def test_inside_a_paper_imports_point_one_way(house: Any) -> None:
    assert not backwards(house.arrows(house.sources()))


def test_a_wrong_import_inside_a_paper_would_be_seen() -> None:
    here = "dpbench.papers.glm.algorithms.noisy_gd"
    assert backwards({here: {"dpbench.papers.glm.theorems.pairs"}})
    assert backwards({here: {"dpbench.papers.glm.drawings_risk"}})
    assert not backwards({"dpbench.papers.glm.theorems.pairs": {here}, here: {"dpbench.papers.glm.losses"}})


def test_a_circle_would_be_seen(house: Any) -> None:
    graph = house.arrows(
        {
            "dpbench.a": "from dpbench import b",
            "dpbench.b": "def f():\n    import dpbench.c",
            "dpbench.c": "from dpbench.a import x",
            "dpbench.d": "if TYPE_CHECKING:\n    from dpbench.e import y",
            "dpbench.e": "from dpbench.d import z",
            "dpbench.f": "from dpbench.a import x",
        }
    )
    assert [way.split(" <- ")[0] for way in house.circles(graph)] == [f"dpbench.{name}" for name in "abcde"]
    assert house.circles(graph)[0] == "dpbench.a <- dpbench.c <- dpbench.b <- dpbench.a"


def test_no_package_is_imported_through_its_lazy_names() -> None:
    """A digest follows imports to the module that defines a name; a lazy package would hide it."""
    lazy = [p for p in SOURCES if p.name == "__init__.py" and "def __getattr__" in p.read_text(encoding="utf-8")]
    packages = {name_of(p) for p in lazy}
    assert {"dpbench", "dpbench.papers.glm", "lowerbounds"} <= packages
    modules = {name_of(p) for p in SOURCES}
    for path in SOURCES:
        if path.name == "__init__.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module in packages:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    assert whole in modules, f"{path.name} imports {whole}"


def test_no_file_is_a_drawer_of_odds_and_ends() -> None:
    assert not [name_of(p) for p in SOURCES if p.name in ("utils.py", "helpers.py", "misc.py")]


def test_only_the_decorator_says_njit() -> None:
    said = [name_of(p) for p in SOURCES if "njit(" in p.read_text(encoding="utf-8")]
    assert said == ["dpbench.core.kernel"]


@pytest.mark.process
@pytest.mark.parametrize("module", ["dpbench", "dpbench.pytest_plugin"])
def test_import_loads_nothing_heavy(module: str) -> None:
    code = (
        f"import sys, {module}; "
        "print([m for m in ('numba', 'scipy', 'sklearn', 'matplotlib', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.process
def test_an_audit_loads_neither_optimisers_nor_learners() -> None:
    """They cost a quarter of the time to a first result. Planted: numba, which it does load."""
    code = (
        "import sys, dpbench; dpbench.audit(lambda d, n, rng: d + rng.laplace(size=n), 0.0, 1.0, trials=1_000); "
        "print([m for m in ('scipy.optimize', 'scipy.stats', 'sklearn', 'matplotlib', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['numba']"


def test_the_package_has_at_most_twenty_entries() -> None:
    entries = {path.name for path in (ROOT / "dpbench").iterdir()} - {"__pycache__", "_evidence"}
    assert len(entries) <= 20, sorted(entries)


CLAIMS = sorted(ROOT.glob("dpbench/papers/*/theorems/*.py"))


@pytest.mark.parametrize("path", CLAIMS, ids=lambda p: f"{p.parts[-3]}.{p.stem}")
def test_no_margin_passes_over_what_is_not_a_number(path: Path) -> None:
    """Python's min and max pass over a NaN that does not come first, NumPy's do not: least margins are NumPy's."""
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(worst|smallest|least) = (min|max)\(\1, |\bmargin ?= ?(min|max)\(", text)
