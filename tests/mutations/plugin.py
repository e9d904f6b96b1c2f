"""What a process of tests needs: a module with another text, and only the tests asked for, in their order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

import pytest


def plant(path: Path, text: str) -> None:
    """From now on import the module of this path from another text; the file stays, and so do compiled kernels."""
    other, own = os.path.realpath(path), SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        if os.path.realpath(self.path) == other:
            return compile(text, self.path, "exec", dont_inherit=True)
        return own(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]


class Chosen:
    """Leave out all other tests, and run these in their order, each in `cases` of its cases, spread over the list.

    A test that an error has removed is no mistake.
    """

    def __init__(self, tests: Sequence[str], cases: int) -> None:
        self.places = {test: place for place, test in enumerate(tests)}
        self.cases = cases

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        cases: dict[str, list[pytest.Item]] = {}
        for item in items:
            name = item.nodeid if item.nodeid in self.places else item.nodeid.partition("[")[0]
            cases.setdefault(name, []).append(item)
        items[:] = [item for name in sorted(cases.keys() & self.places.keys(), key=self.places.__getitem__)
                    for item in cases[name][:: -(-len(cases[name]) // self.cases)]]  # fmt: skip
