"""The folders are the architecture: imports point one way, the framework names no paper, a few habits are held."""

import ast
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]
LAYERS = (
    ("core",),
    ("lowerbounds",),
    ("bounds", "convex", "privacy", "rates", "runs", "scores"),
    ("auditing",),
    ("ledger",),
    ("certificates",),
    ("report",),
    ("cli", "pytest_plugin", "testing"),
    ("papers", "sklearn", "names"),
)
"""From the ground up. The estimators of `dpbench.sklearn` and the names for users are of the papers' layer."""
INSIDE = ("hypotheses", "algorithms", "theorems", "commands")
"""Folders of a paper: each imports from those before it alone, and from what stands beside them."""
DRAWINGS = r"dpbench\.papers\.\w+\.drawings"
PAPERS = re.compile(r"\b(glm|heavytail|publicdata)\b")
NAMED = {
    "dpbench", "dpbench.glm", "dpbench.heavytail", "dpbench.publicdata",  # names kept for users
    "dpbench.sklearn.estimators", "dpbench.sklearn.search",  # of the papers' layer, under a name kept for users
 "dpbench.cli.options",  # an example in a command's help
}  # fmt: skip
"""Modules outside the papers that name one."""


def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {name_of(path): path.read_text(encoding="utf-8")
           for top in ("dpbench", "lowerbounds") for path in sorted((ROOT / top).rglob("*.py"))}  # fmt: skip


def imports(sources):
    """From every module to those of ours that it imports: inside functions and for annotations too."""
    found = {}
    for module, text in sources.items():
        found[module] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                found[module].update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                found[module].update(names & sources.keys() or {str(node.module)})
        found[module] &= sources.keys() - {module}
    return found


def package(module):
    first, *rest = module.split(".")
    users = len(rest) < 2 and (not rest or rest[0] in ("glm", "heavytail", "publicdata"))
    return first if first == "lowerbounds" else "names" if users else rest[0]


def layer(module):
    return next(number for number, names in enumerate(LAYERS) if package(module) in names)


def inside(module):
    """The place of a module's folder in `INSIDE`, or None outside."""
    parts = module.split(".")
    return INSIDE.index(parts[3]) if len(parts) > 3 and parts[1] == "papers" and parts[3] in INSIDE else None


def violations(sources):
    """Imports of a higher layer, of a later folder of a paper, of its drawings before its commands; and cycles."""
    graph, found = imports(sources), []
    for here, imported in graph.items():
        for there in imported:
            mine, theirs = inside(here), inside(there)
            later = mine is not None and theirs is not None and theirs > mine
            drawn = mine is not None and mine < INSIDE.index("commands") and re.match(DRAWINGS, there)
            if layer(there) > layer(here) or later or drawn:
                found.append(f"{here} imports {there}")
    for pieces in (graph, _between_packages(graph)):
        try:
            TopologicalSorter(pieces).prepare()
        except CycleError as error:
            found.append(" <- ".join(error.args[1]))
    return found


def _between_packages(graph):
    made = {}
    for here, imported in graph.items():
        made.setdefault(package(here), set()).update({package(there) for there in imported} - {package(here), "names"})
    return made


def test_imports_point_one_way():
    assert len(SOURCES) > 300 and violations(SOURCES) == []


@pytest.mark.parametrize(
    "texts",
    [
        {"dpbench.core.a": "from dpbench.runs import b", "dpbench.runs.b": ""},
        {"dpbench.core.a": "def f():\n    import dpbench.core.b", "dpbench.core.b": "from dpbench.core.a import x"},
        {"dpbench.runs.a": "from dpbench.privacy import b", "dpbench.privacy.b": "",
         "dpbench.privacy.c": "if TYPE_CHECKING:\n    from dpbench.runs import d", "dpbench.runs.d": ""},
        {"dpbench.papers.p.algorithms.a": "from dpbench.papers.p.theorems import b", "dpbench.papers.p.theorems.b": ""},
        {"dpbench.papers.p.theorems.a": "from dpbench.papers.p import drawings_x", "dpbench.papers.p.drawings_x": ""},
    ],
)  # fmt: skip
def test_a_violation_would_be_seen(texts):
    assert len(violations(texts)) == 1


def named(text):
    """The papers that code names, docstrings left out (there a paper is an example)."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            node.body[0] = ast.Pass()
    return set(PAPERS.findall(ast.unparse(tree)))


def test_the_framework_names_no_paper():
    assert named("x = 'glm.thm1.rate'") and not named('def f():\n    """Of glm."""')
    framework = {name: text for name, text in SOURCES.items() if not name.startswith("dpbench.papers.")}
    assert {name for name, text in framework.items() if named(text)} == NAMED


def test_no_package_is_imported_through_its_lazy_names():
    """A digest follows imports to the module that defines a name; a lazy package would hide it."""
    lazy = {name for name, text in SOURCES.items() if "def __getattr__" in text and f"{name}." in " ".join(SOURCES)}
    assert {"dpbench", "dpbench.papers.glm", "lowerbounds"} <= lazy
    for module, text in SOURCES.items():
        if not (ROOT / module.replace(".", "/")).is_dir():
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ImportFrom) and node.module in lazy:
                    assert {f"{node.module}.{alias.name}" for alias in node.names} <= SOURCES.keys(), module


def test_only_the_decorator_says_njit():
    assert [name for name, text in SOURCES.items() if "njit(" in text] == ["dpbench.core.kernel"]


@pytest.mark.process
@pytest.mark.parametrize("module", ["dpbench", "dpbench.pytest_plugin"])
def test_import_loads_nothing_heavy(module):
    code = (
        f"import sys, {module}; "
        "print([m for m in ('numba', 'scipy', 'sklearn', 'matplotlib', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.process
def test_an_audit_loads_no_compiler_optimiser_or_learner():
    """They would cost much of the time to a first result. Planted: numpy, which it does load."""
    code = (
        "import sys, dpbench; dpbench.audit(lambda d, n, rng: d + rng.laplace(size=n), 0.0, 1.0, trials=1_000); "
        "heavy = 'scipy.optimize', 'scipy.stats', 'sklearn', 'matplotlib', 'numba', 'numpy'; "
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['numpy']"
