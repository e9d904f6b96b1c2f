"""Seconds of the commands that have a goal: `verify` at level quick, `list`, and the import of the package.

    python -m studies.goals                    # caches of its own: from nothing first, then with what that left
    python -m studies.goals --warm             # the caches at hand, which must hold what is to be run
    python -m studies.goals --warm --only two  # one row

Each command is a process of its own with a store of its own. "processor" is the time of the process and of its workers,
which other work on the machine disturbs less than the seconds on the clock; "entries" the sum of the entries' own
seconds. The goals are for two cores with nothing else running.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

_IMPORT = ("-c", "import dpbench")
_VERIFY = ("-m", "dpbench.cli", "verify", "--quiet")


class Case(NamedTuple):
    """A command's arguments to Python, what it is called, and its goal in seconds."""

    name: str
    said: str
    arguments: tuple[str, ...]
    goal: float


NOTHING = Case("nothing", "verify, from nothing", _VERIFY, 45.0)
CASES = (
    Case("all", "verify", _VERIFY, 30.0),
    Case("two", "verify, heavytail and publicdata", (*_VERIFY, "--paper", "heavytail", "--paper", "publicdata"), 12.0),
    Case("glm", "verify, glm", (*_VERIFY, "--paper", "glm"), 24.0),
    Case("list", "list", ("-m", "dpbench.cli", "list"), 0.5),
    Case("import", "import dpbench", _IMPORT, 0.1),
)


class Seconds(NamedTuple):
    """What a command took, and its exit code."""

    clock: float
    processor: float
    entries: float | None
    code: int


def taken(case: Case, environment: dict[str, str]) -> Seconds:
    """Run a command with a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        verifies = "verify" in case.arguments
        stored = ("--store", str(Path(folder) / "runs.sqlite"), "--json", str(found)) if verifies else ()
        before, start = _of_children(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, *case.arguments, *stored], stdout=subprocess.DEVNULL, env=environment, check=False
        )
        clock, processor = time.perf_counter() - start, _of_children() - before
        entries = None
        if verifies and found.exists():
            claims = json.loads(found.read_text(encoding="utf-8"))["claims"]
            entries = sum(claim["evidence"]["seconds"] for claim in claims)
    return Seconds(clock, processor, entries, done.returncode)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(rows: Sequence[tuple[Case, Seconds]]) -> Table:
    """The rows beside their goals."""
    made = Table("command", "seconds", "processor", "entries", "goal", "", title="Seconds of commands")
    for case, found in rows:
        met = "failed" if found.code else "met" if found.clock <= case.goal else "missed"
        entries = "" if found.entries is None else f"{found.entries:.1f}"
        made.add_row(case.said, f"{found.clock:.2f}", f"{found.processor:.2f}", entries, f"{case.goal:g}", met)
    return made


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m studies.goals", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--warm", action="store_true", help="with the caches at hand, and not from nothing")
    parser.add_argument("--only", action="append", choices=[case.name for case in CASES], help="may be given again")
    given = parser.parse_args(arguments)
    cases = [case for case in CASES if not given.only or case.name in given.only]
    with tempfile.TemporaryDirectory() as caches:
        own = {} if given.warm else {"NUMBA_CACHE_DIR": f"{caches}/kernels", "XDG_CACHE_HOME": caches}
        environment = {**os.environ, **own}
        rows = [(case, taken(case, environment)) for case in (cases if given.warm else [NOTHING, *cases])]
    Console().print(table(rows), soft_wrap=True)
    return int(any(found.code or found.clock > case.goal for case, found in rows))


if __name__ == "__main__":
    sys.exit(main())
