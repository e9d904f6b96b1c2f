"""A pytest plugin: the tests nearest to an error run first, and each says when it begins and how long it took.

A test is near that names what the error is in: the function, the class, the module. A name that few tests have says
more than one that all have. What is known to be slow comes last.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import time
from collections import Counter
from pathlib import Path

import pytest

ASKED = "DPBENCH_TESTS_IN_ORDER"
"""The environment variable that names the file of `Order`: {"names": [..], "seconds": {node: s}, "log": path}."""
SLOW = 15.0


def enclosing(text: str, at: int) -> list[str]:
    """The names of the functions and classes around the character at `at`, from the innermost."""
    line = text.count("\n", 0, at) + 1
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    around = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)
              and node.lineno <= line <= (node.end_lineno or node.lineno)]  # fmt: skip
    return [node.name for node in sorted(around, key=lambda node: -node.lineno)]


def ordered(sources: dict[str, str], names: list[str], seconds: dict[str, float]) -> list[str]:
    """Nodes of the tests, whose texts are `sources`, in the order in which they run."""
    texts = set(sources.values())
    shared = Counter({name: sum(name in text for text in texts) for name in names})

    def place(node: str) -> tuple[bool, float, float]:
        score = sum(1.0 / shared[name] for name in names if name in sources[node])
        took = seconds.get(node, 1.0)
        return took > SLOW, -score, took

    return sorted(sources, key=place)


class Order:
    """The hooks, with what was asked for."""

    def __init__(self, asked: Path) -> None:
        given = json.loads(asked.read_text(encoding="utf-8"))
        self.names, self.seconds, self.log = given["names"], given["seconds"], Path(given["log"])

    def note(self, *said: object) -> None:
        with self.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(said) + "\n")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        sources = {item.nodeid: inspect.getsource(getattr(item, "function", type(item))) for item in items}
        places = {node: place for place, node in enumerate(ordered(sources, self.names, self.seconds))}
        items.sort(key=lambda item: places[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.note("start", nodeid, time.time())

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.note("failed" if report.failed else "ran", report.nodeid, report.duration)


def pytest_configure(config: pytest.Config) -> None:
    if ASKED in os.environ:
        config.pluginmanager.register(Order(Path(os.environ[ASKED])), "tests in order")
