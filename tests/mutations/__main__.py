"""Plant each error of the list in a copy of the project, run the tests that must notice it, and count.

    python -m tests.mutations --json evidence/mutations.json

The tests nearest to the error run first, and the first that fails ends the run. An error is noticed if a test fails
that passes without it, or takes ten times as long as without it. Where `--limit` seconds of processor time pass
otherwise, the error is undecided. What a file of results holds of an error is kept while the file that holds it and the
test that noticed it (or all its tests, if none did) have not changed, so that a run may be interrupted and taken up
again; errors are taken in an order drawn once, so that a part of them is a sample.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import mpmath  # noqa: F401
import numba
import numpy  # noqa: F401  loaded once, for all processes that run tests
import pytest
import scipy.optimize
import scipy.sparse
import scipy.stats  # noqa: F401
import sklearn.linear_model  # noqa: F401
import typer  # noqa: F401

from .listed import MUTATIONS, SURVIVORS
from .mutation import Mutation, places
from .nearest import ASKED, enclosing

ROOT = Path(__file__).resolve().parents[2]
SLOWER = 10.0
AT_ONCE = 5
"""Errors tried before the tests that noticed them are run together, without any error."""
PATIENCE = 20.0
"""Seconds for each second of processor time, after which a process is taken to wait for ever."""
NOTICED = ("a test fails", "no test can be collected", "out of time")
UNDECIDED = "undecided"
Said = tuple[str, float, str]
ENDS = {0: "survives", 1: "a test fails", 2: "no test can be collected", 4: "no test can be collected"}
"""What the exit codes of pytest say: 4 is an error while `conftest.py` is loaded."""


def key(mutation: Mutation, by: str = "", root: Path = ROOT) -> str:
    """Of the error and of what its result depends on: the file, and the test that noticed it, or else all its tests."""
    made = hashlib.sha256(repr(mutation).encode())
    path, _, test = by.partition("::")
    tests = [path] if test else [file_of(one) for one in mutation.tests]
    for one in (mutation.path, *tests):
        tree = ast.parse((root / one).read_text(encoding="utf-8"))
        if one == path and test:
            name = test.partition("[")[0].partition("::")[0]
            tree.body = [node for node in tree.body if getattr(node, "name", name) == name or not is_test(node)]
        made.update(ast.dump(tree).encode())
    return made.hexdigest()[:16]


@cache
def file_of(test: str) -> str:
    """The path of the test file of this name, of which there is one."""
    (found,) = (ROOT / "tests").rglob(f"{test}.py")
    return str(found.relative_to(ROOT))


def is_test(node: ast.stmt) -> bool:
    """Whether pytest would run this statement of a module."""
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test_")


class Copy:
    """A copy of the project, in which one error at a time is planted."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        shutil.rmtree(self.root, ignore_errors=True)
        left_out = shutil.ignore_patterns(".git", "__pycache__", "figures", ".asv", "build", "*.sqlite")
        shutil.copytree(ROOT, self.root, ignore=left_out)
        self.log, self.order, self.said = folder / "log", folder / "order.json", folder / "said"
        self.paths = [str(self.root / part) for part in ("", "checker", "tests")]
        own = {"PYTHONPATH": os.pathsep.join(self.paths), "NUMBA_CACHE_DIR": str(folder / "numba"),
               "MPLBACKEND": "Agg", ASKED: str(self.order)}  # fmt: skip
        self.environment = os.environ | own
        self.seconds: dict[str, float] = {}
        self.clean: dict[str, float] = {}
        self.unusable: list[str] = []
        self.ended = 0.0

    def run(self, asked: list[str], names: list[str], limit: float, options: tuple[str, ...] = ("-x",)) -> Said:
        """What the tests say, how much processor time they took, and which was the last."""
        self.log.write_text("", encoding="utf-8")
        order = {"names": names, "seconds": self.seconds, "log": str(self.log)}
        self.order.write_text(json.dumps(order), encoding="utf-8")
        started = time.monotonic()
        process = os.fork()
        if process == 0:
            self._tests(asked, limit, options)
        while (ended := os.wait4(process, os.WNOHANG))[0] == 0:
            if time.monotonic() - started > PATIENCE * limit:  # it waits for something
                os.killpg(process, signal.SIGKILL)
            time.sleep(0.05)
        self.ended = time.time()
        code, took = os.waitstatus_to_exitcode(ended[1]), ended[2].ru_utime + ended[2].ru_stime
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return "out of time", took, self.last()
        if code not in ENDS:
            raise RuntimeError(f"pytest ended with {code}:\n{self.said.read_text(encoding='utf-8')[-4000:]}")
        return ENDS[code], took, self.last()

    def _tests(self, asked: list[str], limit: float, options: tuple[str, ...]) -> NoReturn:
        """In a process of its own, which has loaded the libraries alone: run tests of the copy, and end."""
        code = 3
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 1))
            said = os.open(self.said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(said, 1), os.dup2(said, 2)
            os.chdir(self.root)
            os.environ.update(self.environment)
            numba.config.reload_config()
            sys.path[:] = [*self.paths, *(path for path in sys.path if Path(path) not in (Path(), ROOT))]
            for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "dpbench")]:
                del sys.modules[name]
            asked = [*asked, *(f"--deselect={node}" for node in self.unusable)]
            always = ["-q", "-n", "0", "-p", "no:cacheprovider", "-p", "mutations.nearest"]
            code = int(pytest.main([*always, *options, "-m", "not process and not evidence", *asked]))
            sys.stdout.flush()
        finally:
            os._exit(code)

    def last(self) -> str:
        """The last test that began; how long each took is kept."""
        node = ""
        for said, name, value in map(json.loads, self.log.read_text(encoding="utf-8").splitlines()):
            if said == "start":
                node = name
            else:
                self.seconds[name] = max(value, self.seconds.get(name, 0.0))
        return node

    def waited(self) -> float:
        """Seconds that the last test had been running when the tests ended."""
        lines = map(json.loads, self.log.read_text(encoding="utf-8").splitlines())
        return self.ended - next((value for said, _, value in reversed([*lines]) if said == "start"), self.ended)

    def plant(self, mutation: Mutation, limit: float) -> dict[str, Any]:
        """What the tests say of the error."""
        path = self.root / mutation.path
        text = path.read_text(encoding="utf-8")
        names = [*enclosing(text, places(text, mutation.old)[0][0]), path.stem.removeprefix("_")]
        files = [file_of(test) for test in mutation.tests]
        with self.planted(mutation):
            said, took, node = self.run(files, names, limit)
        if said == "out of time" and took < SLOWER * self.run([node], [], limit)[1]:
            said = UNDECIDED
        if not node and self.run([*files, "--collect-only"], [], limit)[0] != "survives":
            raise RuntimeError(f"without any error, no test can be collected: {' '.join(files)}")
        return {"said": said, "seconds": round(took, 1), "by": node, "limit": limit}

    def spoiled(self, results: dict[str, Any], limit: float) -> list[str]:
        """Those of the results whose test fails without any error too, and so has noticed nothing."""
        nodes = {result["by"] for result in results.values()} - {""}
        if nodes and self.run([*nodes], [], limit * len(nodes), options=())[0] not in ("survives", "a test fails"):
            raise RuntimeError(f"without any error, these tests cannot be run: {' '.join(nodes)}")
        lines = [json.loads(line) for line in self.log.read_text(encoding="utf-8").splitlines()]
        said = {what: {node for one, node, _ in lines if one == what} for what in ("ran", "failed")}
        self.unusable += sorted(nodes - (said["ran"] - said["failed"]))
        return [name for name, result in results.items() if result["by"] in self.unusable]

    @contextmanager
    def planted(self, mutation: Mutation) -> Iterator[None]:
        """The copy with the error in it."""
        path = self.root / mutation.path
        text = path.read_text(encoding="utf-8")
        path.write_text(mutation.put(text), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")


def stands(mutation: Mutation, known: dict[str, Any]) -> bool:
    """Whether there is a result of this error that nothing has outdated."""
    result = known.get(mutation.name)
    if result is None:
        return False
    try:
        return bool(result["key"] == key(mutation, result["by"] * (result["said"] in NOTICED)))
    except FileNotFoundError:  # the test has gone
        return False


def run(chosen: list[Mutation], out: Path | None, limit: float, folder: Path) -> dict[str, Any]:
    """Results of the errors chosen, with those that `out` holds and that still stand."""
    known = json.loads(out.read_text(encoding="utf-8"))["results"] if out is not None and out.exists() else {}
    kept = {mutation.name: known[mutation.name] for mutation in MUTATIONS if stands(mutation, known)}
    results = {name: one for name, one in kept.items() if one["said"] != UNDECIDED or one["limit"] >= limit}
    drawn = [mutation for mutation in random.Random(0).sample(MUTATIONS, len(MUTATIONS)) if mutation in chosen]
    copy = Copy(folder)
    while left := [mutation for mutation in drawn if mutation.name not in results][:AT_ONCE]:
        made: dict[str, Any] = {}
        for mutation in left:
            made[mutation.name] = copy.plant(mutation, limit)
            said, took = made[mutation.name]["said"], made[mutation.name]["seconds"]
            print(f"{said:25}{took:6.0f} s  {mutation.name}", flush=True)
        wrong = copy.spoiled({name: one for name, one in made.items() if one["said"] in NOTICED}, limit)
        for mutation in left:
            if mutation.name in wrong:
                continue
            result, before = made[mutation.name], known.get(mutation.name, {})
            if "survives" in (before.get("said"), before.get("first")):
                result["first"] = "survives"  # a test was added since
            held = key(mutation, result["by"] * (result["said"] in NOTICED), copy.root)  # as they were when it began
            results[mutation.name] = {"key": held, **result}
        if out is not None:
            write(out, results)
    return results


def write(out: Path, results: dict[str, Any]) -> None:
    """Put the results into the file, with their counts."""
    said = [result["said"] for result in results.values()]
    document = {"command": "python -m tests.mutations --json evidence/mutations.json", "listed": len(MUTATIONS),
                "planted": len(results), "noticed": sum(one in NOTICED for one in said),
                "undecided": said.count(UNDECIDED), "results": dict(sorted(results.items()))}  # fmt: skip
    put(out, document)


def put(out: Path, document: dict[str, Any]) -> None:
    """Write a document, whole or not at all."""
    part = out.with_suffix(".part")
    part.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    part.replace(out)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="file of results, taken up where it exists")
    parser.add_argument("--only", default="", help="errors whose name holds this text")
    parser.add_argument("--limit", type=float, default=100.0, help="processor seconds for one error (default 100)")
    parser.add_argument("--folder", type=Path, help="where copies and compiled kernels are kept for the next run")
    asked = parser.parse_args()
    chosen = [mutation for mutation in MUTATIONS if asked.only in mutation.name]
    with tempfile.TemporaryDirectory() as temporary:
        results = run(chosen, asked.json, asked.limit, asked.folder or Path(temporary))
    mine = {mutation.name: results[mutation.name]["said"] for mutation in chosen}
    missed = [name for name, said in mine.items() if said not in NOTICED]
    print(f"{len(mine) - len(missed)} of {len(mine)} planted errors noticed")
    for name in missed:
        print(f"{mine[name]}: {name}: {SURVIVORS.get(name, 'not explained')}")
    return 0 if all(name in SURVIVORS for name in missed) else 1


if __name__ == "__main__":
    sys.exit(main())
