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
    """Leave out all other cases, and run these in their order.

    A case that an error has removed is no mistake.
    """

    def __init__(self, cases: Sequence[str]) -> None:
        self.places = {case: place for place, case in enumerate(cases)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if item.nodeid in self.places]
        items[:] = sorted(chosen, key=lambda item: self.places[item.nodeid])
