"""A pytest plugin: which functions each test runs, so that an error meets all tests that could notice it.

    DPBENCH_REACHED=FOLDER pytest -p mutations.reached -m "not process and not evidence"

Each process writes a file into the folder: the tests it ran, with their seconds and whether they are of the default
selection, and by module and function of `FILES` the tests in whose set-up, call or tear-down the function was met.
What a test takes from a cache counts for the test that filled it; what a compiled kernel calls is not seen.
"""

from __future__ import annotations

import ast
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FOLDER = "DPBENCH_REACHED"
ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("checker", *(f"dpbench/{name}" for name in ("auditing", "core", "ledger", "privacy", "rates", "runs")))
FILES = tuple(str(path.relative_to(ROOT)) for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.py")))
"""Modules that decide: bounds and levels, digests and stores, exact laws, verdicts, and the checker."""
LONG = ("slow", "meta")


def functions(path: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Each function of a module by its qualified name; what is inside a function belongs to the outermost one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef):
                    yield f"{node.name}.{inner.name}", inner


class Reached:
    """The hooks of one process."""

    def __init__(self, folder: Path, worker: str) -> None:
        from coverage import Coverage

        self.out = folder / f"{worker}.json"
        self.tests: dict[str, Any] = {}
        self.coverage = Coverage(data_file=None, config_file=False, include=[str(ROOT / path) for path in FILES])
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.coverage.switch_context(item.nodeid)
        started = time.process_time()
        try:
            return (yield)
        finally:
            took = time.process_time() - started
            chosen = not any(item.get_closest_marker(mark) for mark in LONG)
            self.tests[item.nodeid] = {"default": chosen, "seconds": round(took, 3)}
            self.coverage.switch_context("")

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        data = self.coverage.get_data()
        met: dict[str, dict[str, list[str]]] = {}
        for path in FILES:
            lines = data.contexts_by_lineno(str(ROOT / path))
            met[path] = {name: sorted({test for line in range(node.body[0].lineno, (node.end_lineno or 0) + 1)
                                       for test in lines.get(line, ())} - {""})
                         for name, node in functions(ROOT / path)}  # fmt: skip
        self.out.write_text(json.dumps({"tests": self.tests, "met": met}) + "\n", encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    if FOLDER in os.environ and (hasattr(config, "workerinput") or not config.getoption("numprocesses", None)):
        worker = getattr(config, "workerinput", {}).get("workerid", "alone")
        config.pluginmanager.register(Reached(Path(os.environ[FOLDER]), worker), "functions reached")
