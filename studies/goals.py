"""Seconds of the commands that have a goal: `verify` at level quick, `list`, and the import of the package.

    python -m studies.goals                    # caches of its own: from nothing first, then with what that left
    python -m studies.goals --warm             # the caches at hand, which must hold what is to be run
    python -m studies.goals --warm --only two  # one row
    python -m studies.goals --entries ID ID    # each by itself, no kernel compiled before; the goal is of the processor

Each command is a process of its own with a store of its own. "processor" is the time of the process and of its workers,
which other work on the machine disturbs less than the seconds on the clock; "entries" the sum of the entries' own
seconds. The goals are for two cores with nothing else running; a loop of Python, whose seconds are printed below the
table, tells a slow hour of the machine from a fast one.
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


ENTRY_GOAL = 2.0
LOOP = 20_000_000
NOTHING = Case("nothing", "verify, from nothing", _VERIFY, 40.0)
CASES = (
    Case("all", "verify", _VERIFY, 22.0),
    Case("two", "verify, heavytail and publicdata", (*_VERIFY, "--paper", "heavytail", "--paper", "publicdata"), 12.0),
    Case("glm", "verify, glm", (*_VERIFY, "--paper", "glm"), 24.0),
    Case("list", "list, the second time", ("-m", "dpbench.cli", "list"), 0.5),
    Case("import", "import dpbench", _IMPORT, 0.1),
)


class Seconds(NamedTuple):
    """What a command took, and its exit code."""

    clock: float
    processor: float
    entries: float | None
    code: int


def taken(case: Case, environment: dict[str, str], entries: bool = True) -> Seconds:
    """Run a command with a store of its own; `entries`: a `verify` also writes what its entries took."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        verifies = "verify" in case.arguments
        stored = ("--store", str(Path(folder) / "runs.sqlite")) if verifies else ()
        stored += ("--json", str(found)) if verifies and entries else ()
        before, start = _of_children(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, *case.arguments, *stored], stdout=subprocess.DEVNULL, env=environment, check=False
        )
        clock, processor = time.perf_counter() - start, _of_children() - before
        own = None
        if found.exists():
            claims = json.loads(found.read_text(encoding="utf-8"))["claims"]
            own = sum(claim["evidence"]["seconds"] for claim in claims)
    return Seconds(clock, processor, own, done.returncode)


def _loop(length: int) -> float:
    began, total = time.process_time(), 0
    for k in range(length):
        total += k
    return time.process_time() - began


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


def entries_alone(ids: Sequence[str]) -> int:
    """Measure and print the processor seconds of each entry by itself; 1 if one takes more than its goal.

    What its sources import and rest on is known from a run before, as after any other use of the package.
    """
    made = Table(
        "entry, by itself", "processor", "goal", "", title="Seconds of processor time, no kernel compiled before"
    )
    missed = False
    for name in ids:
        case = Case(name, name, (*_VERIFY, name), ENTRY_GOAL)
        with tempfile.TemporaryDirectory() as caches:
            first, found = (
                taken(case, {**os.environ, "NUMBA_CACHE_DIR": f"{caches}/kernels{k}", "XDG_CACHE_HOME": caches}, False)
                for k in range(2)
            )
        failed = first.code or found.code
        said = "failed" if failed else "met" if found.processor <= case.goal else "missed"
        missed |= said != "met"
        made.add_row(name, f"{found.processor:.2f}", f"{case.goal:g}", said)
    Console().print(made, soft_wrap=True)
    return int(missed)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m studies.goals", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--warm", action="store_true", help="with the caches at hand, and not from nothing")
    parser.add_argument("--only", action="append", choices=[case.name for case in CASES], help="may be given again")
    parser.add_argument("--entries", nargs="+", metavar="ID", help="these entries alone, each by itself")
    given = parser.parse_args(arguments)
    if given.entries:
        return entries_alone(given.entries)
    cases = [case for case in CASES if not given.only or case.name in given.only]
    with tempfile.TemporaryDirectory() as caches:
        own = {} if given.warm else {"NUMBA_CACHE_DIR": f"{caches}/kernels", "XDG_CACHE_HOME": caches}
        environment = {**os.environ, **own}
        rows = []
        for case in cases if given.warm else [NOTHING, *cases]:
            if case.name == "list":
                taken(case, environment)  # what the first one finds is kept
            rows.append((case, taken(case, environment)))
    Console().print(table(rows), soft_wrap=True)
    Console().print(f"{LOOP:,} additions of Python: {min(map(_loop, [LOOP] * 3)):.2f} s of processor time")
    return int(any(found.code or found.clock > case.goal for case, found in rows))


if __name__ == "__main__":
    sys.exit(main())
