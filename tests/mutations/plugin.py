"""What a process of tests needs: a module with another text, and only the tests asked for, in their order."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

IMPORTED = """
import os
from importlib.machinery import SourceFileLoader

own = SourceFileLoader.get_code

def get_code(self, fullname):
    if os.path.realpath(self.path) == {path!r}:
        return compile({text!r}, self.path, "exec", dont_inherit=True)
    return own(self, fullname)

SourceFileLoader.get_code = get_code
"""


def plant(path: Path, text: str, folder: Path) -> None:
    """From now on import the module of this path from another text, in the processes that this one starts too.

    The file stays, and so do compiled kernels. `folder`, of its own, gets what these processes run when they begin.
    """
    folder.mkdir(exist_ok=True)
    program = IMPORTED.format(path=os.path.realpath(path), text=text)
    (folder / "sitecustomize.py").write_text(program, encoding="utf-8")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    exec(program, {})


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
