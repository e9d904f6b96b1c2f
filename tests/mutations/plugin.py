"""A pytest plugin with two uses: which tests run the functions of errors, and only the tests asked for, in their order.

In a marked copy (`marked`) each function of an error calls `met`, which notes the test at hand, in processes that it
starts too where they find this module; with `DPBENCH_REACHED`, a folder, these notes and the seconds of the tests are
kept there. What a test takes from a cache counts for the test that filled it. With `DPBENCH_CHOSEN`, a file of names in
a list, other tests are left out; a name that an error has removed is no mistake.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REACHED, CHOSEN = "DPBENCH_REACHED", "DPBENCH_CHOSEN"
_NOTED: set[tuple[str, str]] = set()


def met(name: str) -> None:
    """Note the function's name once for the test that pytest names in the environment, of this or a parent process."""
    test, folder = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0], os.environ.get(REACHED)
    if folder and test and (test, name) not in _NOTED:
        _NOTED.add((test, name))
        note(Path(folder), "met", name, test)


def note(folder: Path, kind: str, *row: object) -> None:
    """A line in the file of this process."""
    with (folder / f"{kind}-{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """Keep how long the test took."""
    started = time.process_time()
    try:
        return (yield)
    finally:
        if REACHED in os.environ:
            note(Path(os.environ[REACHED]), "seconds", item.nodeid, round(time.process_time() - started, 3))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out and order."""
    if CHOSEN in os.environ:
        names = json.loads(Path(os.environ[CHOSEN]).read_text(encoding="utf-8"))
        places = {name: place for place, name in enumerate(names)}
        items[:] = sorted((item for item in items if item.nodeid in places), key=lambda item: places[item.nodeid])
