"""Tests of kernels with the JIT off or with bounds checks: of kernels that changed all, of the others a sample.

    python .ci/kernel_passes.py            # in the environment at hand (NUMBA_DISABLE_JIT, NUMBA_BOUNDSCHECK)
    python .ci/kernel_passes.py --all      # all of them
    python .ci/kernel_passes.py --record   # in both environments; writes .ci/kernel_passes.json if they pass

A file of tests is as it was if its own text, what it imports of the tests, every kernel (with all that it calls) of the
modules that its imports reach, the modules there that import kernels, `ALWAYS`, and the versions of Python and of
`LIBRARIES` are what the record has. Of such a file one test in `EVERY` is run, drawn by the commit at hand, so that
others are with each commit.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / ".ci/kernel_passes.json"
EVERY = 8
ALWAYS = ("tests/conftest.py", "pyproject.toml", "dpbench/core/vectors.py", "dpbench/core/panels.py")
"""Files that are part of every digest. The last two register overloads and intrinsics, which numba finds by their
decorators: no reference in a kernel leads to them."""
LIBRARIES = ("numba", "llvmlite", "numpy", "scipy")
MARKED = "kernel and not process and not evidence"
CHANGED, DRAWN_BY = "DPBENCH_CHANGED_TESTS", "DPBENCH_TESTS_DRAWN_BY"
PASSES = {"NUMBA_DISABLE_JIT": "numba-off", "NUMBA_BOUNDSCHECK": "numba-bounds"}
"""What sets an environment, and the folder of its kernels."""


def files() -> list[Path]:
    """Test files that name the mark: collecting the others, to leave them out, takes as long."""
    return sorted(path for path in (ROOT / "tests").rglob("test_*.py") if "mark.kernel" in path.read_text("utf-8"))


@cache
def syntax(text: str | bytes) -> str:
    """A digest of what a file says, comments left out."""
    return hashlib.sha256(ast.dump(ast.parse(text)).encode()).hexdigest()


@cache
def imports(text: str | bytes) -> frozenset[str]:
    """Modules and names that a file imports, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update([node.module, *(f"{node.module}.{alias.name}" for alias in node.names)])
    return frozenset(found)


def digests() -> dict[str, str]:
    """Of each of the files: what its tests rest on."""
    from dpbench.core import sources as code

    homes = [
        p
        for name in ("dpbench", "lowerbounds")
        for p in (ROOT / name).rglob("*.py")
        if "@kernel(" in p.read_text("utf-8")
    ]
    modules = {".".join(p.relative_to(ROOT).with_suffix("").parts) for p in homes}
    versions = [platform.python_version(), *(import_module(name).__version__ for name in LIBRARIES)]
    versions += [(ROOT / name).read_text("utf-8") for name in ALWAYS]
    helpers = {
        p.relative_to(ROOT / "tests").with_suffix("").as_posix().replace("/", "."): p
        for p in (ROOT / "tests").rglob("*.py")
    }

    def rests_on(path: Path, seen: set[Path]) -> set[str]:
        seen.add(path)
        named = set(imports(path.read_text("utf-8")))
        for name in named & helpers.keys():
            if helpers[name] not in seen:
                named |= rests_on(helpers[name], seen)
        return named

    def calls_kernels(name: str) -> bool:
        return any(one in modules for one in code.imports(name))

    made = {}
    for path in files():
        seen: set[Path] = set()
        ours = [name for name in rests_on(path, seen) if name.startswith(("dpbench", "lowerbounds"))]
        reached = sorted(frozenset().union(*map(code.reached, ours)))
        parts = [*versions, *(syntax(p.read_text("utf-8")) for p in sorted(seen))]
        parts += [code.digest_of(name) for name in reached if name in modules]
        parts += [code.text(name) for name in reached if name not in modules and calls_kernels(name)]
        made[str(path.relative_to(ROOT))] = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return made


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Of files that are as they were a sample."""
    changed, by = set(json.loads(os.environ[CHANGED])), os.environ[DRAWN_BY]
    kept, left = [], []
    for item in items:
        drawn = int(hashlib.sha256(f"{by} {item.nodeid}".encode()).hexdigest(), 16) % EVERY == 0
        (kept if drawn or str(item.path.relative_to(ROOT)) in changed else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


def run(changed: list[str], more: dict[str, str]) -> int:
    """The tests in an environment; the exit code of pytest."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    paths = os.pathsep.join([str(ROOT / ".ci"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, **more, "PYTHONPATH": paths, CHANGED: json.dumps(changed), DRAWN_BY: head}
    line = [sys.executable, "-P", "-m", "pytest", "-q", "-n0", "-p", "kernel_passes", "-m", MARKED]
    line += map(str, files())
    return subprocess.run(line, cwd=ROOT, env=environment).returncode


def main() -> int:
    """Run what is asked for."""
    plain = {name: value for name, value in os.environ.items() if name not in PASSES}  # digests are of compiled kernels
    asked = subprocess.run([sys.executable, __file__, "--digests"], env=plain, stdout=subprocess.PIPE, text=True)
    if asked.returncode:
        return asked.returncode  # it has said why
    now = json.loads(asked.stdout)
    passed = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() and "--all" not in sys.argv else {}
    changed = [name for name, digest in now.items() if passed.get(name) != digest]
    if "--record" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            for name, kernels in PASSES.items():
                if run(changed, {name: "1", "NUMBA_CACHE_DIR": f"{folder}/{kernels}"}):
                    return 1
        RECORD.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    said = f"{len(changed)} of {len(now)} files rest on kernels or tests that changed, and are run whole"
    print(f"{said}; of the tests of the others one in {EVERY}", flush=True)
    return run(changed, {})


if __name__ == "__main__":
    if "--digests" in sys.argv:
        print(json.dumps(digests()))
        sys.exit(0)
    sys.exit(main())
