"""Keys of code: the text of a source, what it imports, and which entries an edit makes stale."""

import ast
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dpbench.core import sources
from dpbench.ledger.registry import all_claims

ROOT = Path(__file__).resolve().parents[2]
FILES = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for top in (*sources.OURS, "tests", "studies")
         for path in sorted((ROOT / top).rglob("*.py"))}  # fmt: skip

# ---------------------------------------------------------------------------------------------- text


class Bare(ast.NodeTransformer):
    """Without docstrings, and other texts that are statements."""

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            node.value = ast.Constant("")
        return node


def meaning(source):
    return ast.dump(Bare().visit(ast.parse(source)))


@pytest.mark.few(1)
@pytest.mark.parametrize("part", range(10))
def test_the_text_means_what_the_source_does(part):
    """Oracle: Python's parser, on a tenth of the sources here. What is lost changes no tree; comments are lost."""
    assert len(FILES) > 600
    for name, path in [*FILES.items()][part::10]:
        source = path.read_text(encoding="utf-8")
        assert meaning(sources.plain(source)) == meaning(source), name


SAME = [
    ("x = 1  # one", "x = 1 # another"),
    ("# a comment\n\n\nx = 1\n", "x = 1"),
    ('def f():\n    """Say."""\n    return 1', "def f():\n    r'''Other\n\n    words (.'''\n\n    return 1\n"),
    ('"""Module."""\nx = "# no comment"\n', '"""Other."""\n\nx = "# no comment"  # a comment\n'),
    ('class A:\n    x = 1\n    """Of x."""\n', 'class A:\n    x = 1\n    "Of x: ["  # and more\n'),
]
OTHER = [
    ('x = "# one"', 'x = "# two"'),
    ('x = """\n\na"""', 'x = """\na"""'),
    ('x = f(\n    "one"\n)', 'x = f(\n    "two"\n)'),
    ('x = \\\n"one"', 'x = \\\n"two"'),
    ('x = ["[",\n"""one"""\n]', 'x = ["[",\n"""two"""\n]'),
    ("def f():\n    return 1\nx = 2", "def f():\n    return 1\n    x = 2"),
    ("x = '\\'# a'", "x = '\\'# b'"),
]


@pytest.mark.parametrize(("first", "second"), SAME + OTHER)
def test_what_the_text_leaves_out(first, second):
    assert (sources.plain(first) == sources.plain(second)) is ((first, second) in SAME)
    assert all(meaning(sources.plain(text)) == meaning(text) for text in (first, second))


def named(path, module):
    """What a file imports, by Python's parser."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parts, *([node.module] if node.module else [])])
            inner = {f"{base}.{alias.name}" for alias in node.names}
            modules = {name for name in inner if sources.path_of(name) is not None}
            found |= modules if modules == inner else modules | {base}
    return found


@pytest.mark.few(1)
@pytest.mark.parametrize("part", range(3))
def test_every_import_is_seen(part):
    """Oracle: Python's parser. Inside functions, of several lines, relative and under TYPE_CHECKING too."""
    for name, path in [*sources._files().items()][part::3]:
        assert named(path, name) <= set(sources.imports(name)), name


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A user's package, which is not installed."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "deep.py").write_text("VALUE = 1.0\n")
    (folder / "near.py").write_text("def double(x):\n    from . import deep; return 2 * x * deep.VALUE\n")
    (folder / "top.py").write_text(
        "import json\nimport yaml_of_nobody as yaml\nfrom dpbench.papers.glm import theory\nimport numpy as np\n"
        "from .near import (\n    double,  # twice\n)\n\ndef measure(block):\n    return np.float64(double(block))\n"
    )
    (tmp_path / "yaml_of_nobody.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    sources.importing("theirs")
    sources.importing("yaml_of_nobody")
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] in ("theirs", "yaml_of_nobody")]:
        del sys.modules[name]
    for kept in (sources._code, sources.followed, sources.reached):
        kept.cache_clear()


def test_a_users_modules_count_by_their_text_and_libraries_by_their_version(package):
    measure = importlib.import_module("theirs.top").measure
    first = sources.code_of(measure)
    assert {"theirs.top", "theirs.near", "theirs.deep", "yaml_of_nobody", "numpy"} <= first.modules.keys()
    assert first.modules["numpy"] == importlib.import_module("numpy").__version__
    assert "dpbench.papers.glm.theory" in first.modules and "json" not in first.modules
    assert not any(sources.is_framework(name) for name in first.modules)
    assert not sources.edited(first.modules)
    time.sleep(0.02)
    (package / "deep.py").write_text("VALUE = 3.0\n")
    assert sources.edited(first.modules) == (str(package / "deep.py"),)
    sources._code.cache_clear()
    second = sources.code_of(measure)
    assert {name for name, _ in first.modules.items() ^ second.modules.items()} == {"theirs.deep"}
    assert first.key != second.key


def test_a_file_of_ours_that_was_written_since_is_named(monkeypatch, tmp_path):
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text("")
    monkeypatch.setattr(sources, "_BEGUN", old.stat().st_ctime + 0.01)
    monkeypatch.setattr(sources, "_files", lambda: {"dpbench.old": old, "dpbench.new": new})
    time.sleep(0.02)
    new.write_text("")
    sources._edited.cache_clear()
    assert sources.edited() == (str(new),)
    new.unlink()
    sources._edited.cache_clear()
    assert sources.edited() == (str(new),)
    sources._edited.cache_clear()


# ---------------------------------------------------------------------------------------------- entries


def test_no_file_makes_all_evidence_stale():
    """No module of a paper or of `lowerbounds` is in every key, and none of the framework is in any."""
    claims = all_claims()
    reach = {}
    for claim in claims:
        assert claim.module in claim.code.modules
        for name in claim.code.modules:
            assert sources.is_ours(name) and not sources.is_framework(name), (claim.id, name)
            paper = name.removeprefix(f"{sources.PAPERS}.").partition(".")[0]
            assert paper in (claim.paper, "lowerbounds"), (claim.id, name)
            reach[name] = reach.get(name, 0) + 1
    assert max(reach.values()) < 0.7 * len(claims), max(reach, key=reach.__getitem__)


COMPUTED = re.compile(r"\b(?:import_module|__import__|exec|eval|all_claims|by_id)\(")


def test_what_an_entry_runs_is_found_by_its_imports():
    """No module in a key reaches another by a name that it computes, or through the registry of claims."""
    files = sources._files()
    keyed = set().union(*(claim.code.modules for claim in all_claims())) & files.keys()
    texts = {name: files[name].read_text(encoding="utf-8") for name in keyed}
    assert len(texts) > 150 and [name for name, text in texts.items() if COMPUTED.search(text)] == []
    assert COMPUTED.search('import_module("dpbench.papers.glm." + "theory").nothing()')


SCRIPT = """
import json
from dpbench.core import sources
from dpbench.ledger.registry import all_claims
print(json.dumps([sources.framework(), {claim.id: claim.digest for claim in all_claims()}]))
"""


@pytest.fixture
def copy(tmp_path):
    for top in sources.OURS:
        shutil.copytree(ROOT / top, tmp_path / top, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def keys(copy):
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    line = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(line, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    framework, found = json.loads(done.stdout)
    return framework, found


def reaching(module):
    return {claim.id for claim in all_claims() if module in claim.code.modules}


@pytest.mark.meta
@pytest.mark.process
@pytest.mark.parametrize(
    ("file", "old", "new", "stale"),
    [
        ("dpbench/papers/glm/theory.py", "import math\n", "import math\n\n# a comment\n\n", set()),
        ("dpbench/papers/glm/theory.py", "return ", "return 1.0 * ", {"dpbench.papers.glm.theory"}),
        ("dpbench/papers/heavytail/theory.py", "return ", "return 1.0 * ", {"dpbench.papers.heavytail.theory"}),
        ("lowerbounds/packings.py", "def packing(", "EDITED = True\n\n\ndef packing(", {"lowerbounds.packings"}),
        ("dpbench/core/sampling.py", '"a part of a seed"', '"a piece of a seed"', set()),
    ],
)
def test_an_edit_makes_stale_what_imports_it(copy, file, old, new, stale):
    before = {claim.id: claim.digest for claim in all_claims()}
    path = copy / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    framework, now = keys(copy)
    expected = set().union(*map(reaching, stale))
    assert {name for name, key in now.items() if key != before[name]} == expected
    assert bool(expected) == bool(stale) and len({name.partition(".")[0] for name in expected}) < 3
    assert (framework != sources.framework()) is file.startswith("dpbench/core")  # what a store's keys have beside


def test_the_arguments_of_a_function_are_part_of_its_code():
    from functools import partial

    from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
    from dpbench.privacy.gaussian import delta

    assert not sources.code_of(delta).modules
    bound = sources.code_of(partial(delta, [{"m": NoisyGD}]))
    assert "dpbench.papers.glm.algorithms.noisy_gd" in bound.modules
