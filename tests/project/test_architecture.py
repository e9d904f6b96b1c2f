"""The folders are the architecture: imports point one way, and a few habits are held by test."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted([*(ROOT / "dpbench").rglob("*.py"), *(ROOT / "lowerbounds").rglob("*.py")])

# A module may import from its own level only within one group, and from any lower level. The theorems of a paper (its
# claims, with their certificates and the spaces that are searched) and its drawings live in its folder, but stand above
# the ledger and the report that they are written in.
LEVELS = (
    ("core",),
    ("lowerbounds",),
    ("privacy",),
    ("runs",),
    ("glm", "heavytail", "publicdata", "auditing", "rates"),
    ("attacks", "datasets"),  # lower bounds under audit; data sets of public data are made from those of GLMs
    ("ledger",),
    ("claims", "certificates", "peers", "testing", "libraries"),
    ("report", "drawings", "cli", "commands", "pytest_plugin", "sklearn"),
)
FAMILIES = LEVELS[4]
PAPERS = ("glm", "heavytail", "publicdata")


def group(module: str) -> str:
    """The part of `dpbench` that a module belongs to (`dpbench` itself: ""), `lowerbounds`, "claims" or "drawings"."""
    first, _, rest = module.partition(".")
    if first == "lowerbounds":
        return first
    part, _, inner = rest.partition(".")
    if part == "papers":
        part, _, inner = inner.partition(".")
    if part in PAPERS:
        if not inner and not module.startswith("dpbench.papers."):
            return ""  # the names kept for users
        if inner.startswith("peers"):
            return "peers"
        if inner.split(".")[0] in ("theorems", "spaces", "certificates"):
            return "claims"
        if inner.startswith(("drawings", "table1", "pages")):
            return "drawings"
        if inner.split(".")[0] == "commands":
            return "commands"
        if inner.startswith(("attacks", "datasets")):
            return inner.partition(".")[0]
    return part


def level(name: str) -> int:
    for number, members in enumerate(LEVELS):
        if name in members:
            return number
    raise AssertionError(f"{name} has no level: name it in LEVELS")


def imports(path: Path) -> set[str]:
    """Modules of ours that a file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            if node.module in ("dpbench", "lowerbounds"):
                found.update(f"{node.module}.{alias.name}" for alias in node.names)
            else:
                found.add(str(node.module))
    return {name for name in found if name.partition(".")[0] in ("dpbench", "lowerbounds")}


def violations(module: str, imported: set[str]) -> list[str]:
    """Imports of `module` that point the wrong way."""
    here = group(module)
    wrong = []
    for name in sorted(imported):
        there = group(name)
        if there in ("__version__", here):
            continue
        if there == "" or level(there) > level(here) or (level(there) == level(here) and here in FAMILIES):
            wrong.append(f"{module} imports {name}")
    return wrong


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_imports_point_one_way() -> None:
    wrong = []
    for path in SOURCES:
        module = name_of(path)
        if group(module) == "":  # the lazy table of public names
            continue
        wrong += violations(module, imports(path))
    assert not wrong, "\n".join(wrong)


def test_a_wrong_import_would_be_seen() -> None:
    assert violations("dpbench.papers.glm.algorithms.noisy_gd", {"dpbench.auditing.audit"})
    assert violations("dpbench.core.validation", {"dpbench.papers.glm.theory"})
    assert violations("lowerbounds._packing", {"dpbench.papers.glm.losses"})
    assert violations("dpbench.papers.glm.algorithms.noisy_gd", {"dpbench.papers.glm.theorems.pairs"})
    assert violations("dpbench.runs.store", {"dpbench.ledger.core"})
    assert not violations("dpbench.ledger.verify", {"dpbench.runs.context", "dpbench.core.validation"})


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`studies.house`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from studies import house as module

    return module


def test_no_module_imports_itself_by_a_detour(house: Any) -> None:
    named = {name_of(path): path.read_text(encoding="utf-8") for path in SOURCES}
    graph = house.arrows(
        {module: text for module, text in named.items() if group(module) != ""}
    )  # but the names for users
    assert len(graph) > 300 and sum(map(len, graph.values())) > 1000
    assert not house.circles(graph), "\n".join(house.circles(graph))


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
                    assert whole in modules or alias.name == "__version__", f"{path.name} imports {whole}"


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


def test_the_package_has_at_most_nineteen_entries() -> None:
    entries = {path.name for path in (ROOT / "dpbench").iterdir()} - {"__pycache__", "_evidence"}
    assert len(entries) <= 19, sorted(entries)


CLAIMS = sorted(ROOT.glob("dpbench/papers/*/theorems/*.py"))


@pytest.mark.parametrize("path", CLAIMS, ids=lambda p: f"{p.parts[-3]}.{p.stem}")
def test_no_margin_passes_over_what_is_not_a_number(path: Path) -> None:
    """Python's min and max pass over a NaN that does not come first, NumPy's do not: least margins are NumPy's."""
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(worst|smallest|least) = (min|max)\(\1, |\bmargin ?= ?(min|max)\(", text)
