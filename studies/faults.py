"""``python -m studies.faults --json evidence/faults.json``: runs that are killed and starved keep their results.

Each round is a run of a few hundred small blocks on a store of its own: processes are killed by SIGKILL after a random
number of further blocks, and the run is started again, until it comes to its end. After each kill the file is checked
by SQLite, and every block that was stored before must be there, bit for bit; at the end the results must be those of an
uninterrupted run, and each block stored once. Kinds: ``parent`` (the process that maps, with two threads), ``pool``
(processes of `ProcessPoolExecutor`), ``lanes`` (worker processes of `verify`), ``dask`` (workers of a scheduler, two at
a time). Then rounds in which files cannot grow beyond a random size; with three runs at once on one store, one of which
is killed; with a time of day that jumps; and with two processor types (``OPENBLAS_CORETYPE``) on one store.

A file of results is taken up where it exists: counts are added until there are as many as asked for.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from dpbench.runs.environment import machine, versions
from studies import fault_runs as runs

SHARES = {"parent": 0.7, "pool": 0.08, "lanes": 0.04, "dask": 0.18}
"""Of all kills, by kind: a process of `verify` is a new interpreter, and a worker of Dask has to find its scheduler."""
BLOCKS, PAUSE = 600, 0.004
TYPES = ("Haswell", "SkylakeX")
PATIENCE = 600.0
Stored = dict[tuple[int, int], str]

SPAWN = get_context("forkserver")
SPAWN.set_forkserver_preload(["studies.fault_runs"])


def stored(path: Path) -> Stored:
    """Digest of each block in the file, by run and number; read by SQLite alone, after its check of the whole file."""
    if not path.exists():
        return {}
    db = sqlite3.connect(path, timeout=PATIENCE)
    try:
        if (said := db.execute("PRAGMA integrity_check").fetchall()) != [("ok",)]:
            raise AssertionError(f"{path} is not whole: {said}")
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'block'").fetchall():
            return {}
        rows = db.execute("SELECT run, number, value FROM block").fetchall()
    finally:
        db.close()
    return {(run, number): hashlib.sha256(value).hexdigest() for run, number, value in rows}


def counted(path: Path) -> int:
    """Blocks in the file."""
    with (
        contextlib.closing(sqlite3.connect(path, timeout=PATIENCE)) as db,
        contextlib.suppress(sqlite3.OperationalError),
    ):
        return int(db.execute("SELECT count(*) FROM block").fetchone()[0])
    return 0  # it has no tables yet


def kept(before: Stored, after: Stored) -> Stored:
    """`after`, which must hold all of `before`."""
    if lost := before.items() - after.items():
        raise AssertionError(f"{len(lost)} stored blocks are lost or changed: {sorted(lost)[:3]}")
    return after


@cache
def expected(kind: str) -> str:
    """The digest of an uninterrupted run of this kind."""
    values = [runs.block_of(0.0, block) for block in range(BLOCKS)]
    half = BLOCKS // 2
    return runs.digest(values) if kind != "lanes" else "".join(sorted(map(runs.digest, (values[:half], values[half:]))))


class Round:
    """Runs of one kind in a folder, one after another on one store, until one comes to its end."""

    def __init__(self, kind: str, number: int, folder: Path) -> None:
        self.kind, self.folder, self.store, self.out = kind, folder, folder / "runs.sqlite", folder / "out"
        self.moments = random.Random(f"{kind} {number}")
        self.before: Stored = {}

    def start(self, run: Any, *arguments: Any) -> Any:
        self.out.unlink(missing_ok=True)
        process = SPAWN.Process(target=runs.child, args=(self.out, run, *arguments, self.store, PAUSE, BLOCKS))
        process.start()
        return process

    def check(self) -> None:
        """After a kill."""
        self.before = kept(self.before, stored(self.store))

    def end(self, process: Any) -> bool:
        """Whether the run has come to its end, with the right results; otherwise it must have said why it stopped."""
        process.join(PATIENCE)
        code = process.exitcode
        if code not in (0, runs.GONE, -signal.SIGKILL):
            raise AssertionError(f"a run of kind {self.kind} ended with {code}")
        if code == 0:
            if (said := self.out.read_text(encoding="utf-8")) != expected(self.kind):
                raise AssertionError(f"a run of kind {self.kind} says {said}, not {expected(self.kind)}")
            if len(found := stored(self.store)) != BLOCKS or len({number for _, number in found}) != BLOCKS:
                raise AssertionError(f"{len(found)} blocks are stored, of {BLOCKS}")
        return code == 0


def children(parent: int) -> list[int]:
    """Processes that this one has started (Linux)."""
    with contextlib.suppress(OSError):
        return list(map(int, Path(f"/proc/{parent}/task/{parent}/children").read_text().split()))
    return []


def kills(this: Round, run: Any, *, workers: bool) -> int:
    """Kills until a run ends: of the process that maps, or of one of its worker processes."""
    count = 0
    while True:
        process, pids = this.start(run), []
        more = len(this.before) + this.moments.randrange(BLOCKS // 20)
        while process.is_alive() and (counted(this.store) < more or len(pids) < 1 + workers):
            process.join(0.01)
            pids = children(process.pid) if workers else [process.pid]
        if process.is_alive():
            with contextlib.suppress(ProcessLookupError):
                os.kill(this.moments.choice(pids), signal.SIGKILL)
                count += 1
        ended = this.end(process)
        this.check()
        if ended:
            return count


def dask_workers(this: Round) -> int:
    """Kills until a run ends: of one of two workers of a scheduler, in whose place another is put."""
    path = this.folder / "address"
    started = [SPAWN.Process(target=runs.dask_scheduler, args=(path,))]
    started[0].start()
    wait(path.exists)
    address, count = path.read_text(encoding="utf-8"), 0

    def worker() -> Any:
        started.append(SPAWN.Process(target=runs.dask_worker, args=(address, str(this.folder))))
        started[-1].start()
        return started[-1]

    try:
        alive = [worker(), worker()]
        while True:
            process = this.start(runs.on_dask, address)
            while process.is_alive():
                more = len(this.before) + this.moments.randrange(1, BLOCKS // 6)
                while process.is_alive() and counted(this.store) < more:
                    process.join(0.05)
                if process.is_alive():
                    alive.pop(this.moments.randrange(2)).kill()
                    count += 1
                    alive.append(worker())
                    this.check()
            if this.end(process):
                return count
    finally:
        for process in started:
            process.kill()
            process.join()


def wait(condition: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError("nothing happens")
        time.sleep(0.01)


def alone(this: Round, run: Any, *arguments: Any) -> int:
    """A run that meets its fault by itself, and comes to its end."""
    if not this.end(this.start(run, *arguments)):
        raise AssertionError(this.out.read_text(encoding="utf-8"))
    return 1


def three_at_once(this: Round) -> int:
    """Three runs on one store; one is killed; the others end with all results."""
    outs = [this.folder / f"out{number}" for number in range(3)]
    processes = [
        SPAWN.Process(target=runs.child, args=(out, runs.on_threads, this.store, PAUSE, BLOCKS)) for out in outs
    ]
    for process in processes:
        process.start()
    more = this.moments.randrange(BLOCKS // 2)
    wait(lambda: counted(this.store) >= more)
    processes[0].kill()
    for process, out in zip(processes[1:], outs[1:], strict=True):
        this.out = out
        if not this.end(process):
            raise AssertionError(out.read_text(encoding="utf-8"))
    return 1


def processor_types(folder: Path) -> dict[str, Any]:
    """Each type's results on one store are those on a store of its own, and none reads what another has stored."""

    def run(kind: str, store: Path) -> list[str]:
        completed = subprocess.run(
            [sys.executable, "-m", "studies.fault_runs", str(store), str(BLOCKS)],
            env={**os.environ, "OPENBLAS_CORETYPE": kind}, check=True, capture_output=True, text=True,
        )  # fmt: skip
        name, said = json.loads(completed.stdout)
        return [name, said]

    apart = {kind: run(kind, folder / f"{kind}.sqlite") for kind in TYPES}
    shared = folder / "shared.sqlite"
    together = [{kind: run(kind, shared) for kind in TYPES} for _ in range(2)]
    names = {name for name, _ in apart.values()}
    rows = len(stored(shared))
    if together != [apart, apart] or rows != BLOCKS * len(names):
        raise AssertionError(f"{rows} blocks of {names} in one store: {together}, apart {apart}")
    return {"types": sorted(names), "results": len({said for _, said in apart.values()}), "blocks": rows}


KILLED = {
    "parent": lambda this: kills(this, runs.on_threads, workers=False),
    "pool": lambda this: kills(this, runs.on_a_pool, workers=True),
    "lanes": lambda this: kills(this, runs.in_lanes, workers=True),
    "dask": dask_workers,
}
OTHERS = {
    "disk full": lambda this: alone(this, runs.on_a_full_disk, this.moments.randrange(2**32)),
    "three at once": three_at_once,
    "clock": lambda this: alone(this, runs.with_a_jumping_clock),
}


def rounds(killed: int, others: int, kinds: Iterable[str], counts: dict[str, dict[str, int]]) -> Iterator[None]:
    """Rounds of these kinds, until there are as many faults as asked for; `counts` grows by each."""
    wanted = {kind: round(killed * share) for kind, share in SHARES.items()} | dict.fromkeys(OTHERS, others)
    while left := [kind for kind in kinds if counts.get(kind, {}).get("faults", 0) < wanted[kind]]:
        for kind in left:
            count = counts.setdefault(kind, {"rounds": 0, "faults": 0})
            with tempfile.TemporaryDirectory() as folder:
                this = Round(kind, count["rounds"], Path(folder))
                count["faults"] += (KILLED | OTHERS)[kind](this)
            count["rounds"] += 1
            yield


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m studies.faults", description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, required=True, help="file of results")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--others", type=int, default=40, help="rounds of each other fault")
    parser.add_argument("--kinds", nargs="+", choices=KILLED | OTHERS, default=[*KILLED, *OTHERS], help="default: all")
    parser.add_argument("--minutes", type=float, default=600.0, help="stop after so many; run again to go on")
    asked = parser.parse_args()
    document = json.loads(asked.json.read_text(encoding="utf-8")) if asked.json.exists() else {"counts": {}}
    document |= {"machine": machine(), "versions": versions(), "blocks of a round": BLOCKS}
    until = time.monotonic() + 60.0 * asked.minutes
    if "processor types" not in document:
        with tempfile.TemporaryDirectory() as folder:
            document["processor types"] = processor_types(Path(folder))
    for _ in rounds(asked.kills, asked.others, asked.kinds, document["counts"]):
        asked.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        if time.monotonic() > until:
            break
    print(json.dumps(document["counts"], indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
