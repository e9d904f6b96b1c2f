"""``python -m studies.scale --json evidence/scale.json``: an audit and `verify` on two processes of Dask.

Measured: an audit of Laplace noise (ε = 1) on one and on two worker processes over TCP: seconds, those of the processor
of the workers and of this process, the peak memory of each, and the bytes that tasks and results move; the same result
on both; then an audit of three times as many runs. Then `verify` of one paper on the two processes with an empty
store, and again with a full one. Calculated from what the larger audit took more, in seconds of the processor: the
speed-up of two workers that have a core each, how many workers this process keeps busy, and the hours and bytes of 1e10
runs a side. Where the machine is shared, seconds by the clock say little; the load stands beside them. `--draws`,
`--paper` and `--level` set the sizes.

``python -m studies.scale --resume FILE --draws 1e10`` makes that audit alone, keeps what each block gave in FILE,
and goes on where it was stopped.

``python -m studies.scale --ledger`` runs ``dpbench verify --scheduler`` of the whole ledger on two workers at
`--level`,
interrupts it once a third of the entries are stored, goes on to its end, and compares it with ``evidence/ledger``.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

import dpbench
from dpbench.auditing.blocks import BLOCK
from dpbench.runs.environment import machine, versions
from studies.kept_blocks import KeptBlocks

TARGET = 10_000_000_000


def noisy(shift: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    """Laplace noise of scale 1 about `shift`."""
    return shift + rng.laplace(size=trials)


def used() -> tuple[float, int]:
    """Of this process: seconds of the processor, and the largest memory in bytes.

    On Linux a child inherits `ru_maxrss` from the process that it was forked from; VmHWM is its own.
    """
    said = resource.getrusage(resource.RUSAGE_SELF)
    peak, status = said.ru_maxrss * (1 if sys.platform == "darwin" else 1024), Path("/proc/self/status")
    if status.exists():
        peak = next(int(x.split()[1]) * 1024 for x in status.read_text().splitlines() if x.startswith("VmHWM"))
    return said.ru_utime + said.ru_stime, peak


def moved(executor: Any) -> dict[str, list[int]]:
    """Bytes of the tasks that an executor is given from now on, and of what they give back; filled as they are done."""
    from distributed.protocol.pickle import dumps

    counts: dict[str, list[int]] = {"task": [], "result": []}
    submit = executor.submit

    def counted(function: Any, /, *given: Any, **named: Any) -> Any:
        counts["task"].append(len(dumps((function, *(part for part in given if not callable(part))))))
        future = submit(function, *given, **named)
        future.add_done_callback(lambda done: counts["result"].append(len(dumps(done.result()))))
        return future

    executor.submit = counted
    return counts


def audited(workers: int, draws: int) -> dict[str, Any]:
    """One audit on so many processes."""
    from distributed import Client, LocalCluster

    from dpbench.runs.scheduler import scheduler

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        scheduler(cluster.scheduler_address) as executor,
        Client(cluster.scheduler_address, set_as_default=False) as client,
    ):
        dpbench.audit(noisy, 0.0, 1.0, trials=20 * BLOCK, workers=executor)  # compiled and imported
        before, own = sum(seconds for seconds, _ in client.run(used).values()), used()[0]
        counts, began = moved(executor), time.perf_counter()
        result = dpbench.audit(noisy, 0.0, 1.0, trials=draws, workers=executor)
        seconds = time.perf_counter() - began
        after = client.run(used).values()
    return {
        "workers": workers, "draws": draws, "seconds": seconds, "load": os.getloadavg()[0],
        "processor_seconds_of_workers": sum(spent for spent, _ in after) - before,
        "processor_seconds_here": used()[0] - own, "peak_bytes_of_a_worker": max(peak for _, peak in after),
        "peak_bytes_here": used()[1], "tasks": len(counts["task"]), "bytes_moved": sum(map(sum, counts.values())),
        "epsilon_lower": result.epsilon_lower,
    }  # fmt: skip


def verified(paper: str, level: str) -> dict[str, Any]:
    """`verify` of a paper on two processes: with an empty store, with a full one, and on threads."""
    from distributed import LocalCluster

    from dpbench.runs.scheduler import scheduler

    found: dict[str, Any] = {"paper": paper, "level": level}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        scheduler(cluster.scheduler_address) as executor,
    ):
        made = []
        for name in ("first", "resumed"):
            began = time.perf_counter()
            ledger = dpbench.verify(paper=paper, level=level, workers=executor, store=Path(folder) / "runs.sqlite")
            found[f"seconds_{name}"] = time.perf_counter() - began
            made.append(json.dumps([(one.claim.id, one.verdict, one.evidence.value) for one in ledger.entries]))
        ledger = dpbench.verify(paper=paper, level=level, workers=1)
        made.append(json.dumps([(one.claim.id, one.verdict, one.evidence.value) for one in ledger.entries]))
    found |= {"entries": len(ledger.entries), "peak_bytes_here": used()[1]}
    if len(set(made)) != 1:
        raise AssertionError("on Dask, resumed and on threads: not the same results")
    return found


def calculated(small: dict[str, Any], large: dict[str, Any]) -> dict[str, float]:
    """What follows for 1e10 runs from two audits: the choosing part is the same in both, what grows is the rest."""
    more = large["draws"] - small["draws"]
    busy, here, moved = (
        (large[name] - small[name]) / more
        for name in ("processor_seconds_of_workers", "processor_seconds_here", "bytes_moved")
    )
    fixed = max(0.0, small["processor_seconds_here"] - here * small["draws"])
    return {
        "processor_hours_of_workers_of_1e10": TARGET * busy / 3600.0,
        "processor_hours_here_of_1e10": (fixed + TARGET * here) / 3600.0,
        "speed_up_of_two": max(busy, here) / max(0.5 * busy, here),
        "workers_kept_busy": busy / here,
        "hours_of_1e10_on_two": (fixed + TARGET * max(0.5 * busy, here)) / 3600.0,
        "bytes_of_1e10": small["bytes_moved"] + moved * TARGET,
    }


def resumed(file: Path, draws: int) -> dict[str, Any]:
    """The audit alone on two processes, from what the file holds of it."""
    from distributed import LocalCluster

    from dpbench.runs.scheduler import scheduler

    def said(done: int, total: int) -> None:
        print(f"{done:,} of {total:,} certifying runs", file=sys.stderr, flush=True)

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        scheduler(cluster.scheduler_address) as executor,
        KeptBlocks(executor, file) as kept,
    ):
        result = dpbench.audit(noisy, 0.0, 1.0, trials=draws, workers=kept, progress=said)
        return {
            "draws": draws, "epsilon_lower": result.epsilon_lower, "blocks_computed": kept.computed,
            "blocks_found": kept.found, "peak_bytes_here": used()[1],
        }  # fmt: skip


def ledger(level: str, folder: Path) -> dict[str, Any]:
    """`verify` of the whole ledger on two workers: interrupted, run again, and compared with what is committed."""
    from distributed import LocalCluster

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs, and theirs, ignore it
    store, said = folder / "runs.sqlite", folder / "ledger.json"
    claims = len(list(Path("evidence/ledger").glob("*.json")))
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        line = [
            sys.executable, "-m", "dpbench.cli", "verify", "--level", level, "--scheduler", cluster.scheduler_address,
            "--store", str(store), "--json", str(said), "--quiet",
        ]  # fmt: skip
        began = time.perf_counter()
        first = subprocess.Popen(line)
        while first.poll() is None and stored(store) < claims // 3:
            time.sleep(0.5)
        first.send_signal(signal.SIGINT)
        code = first.wait()
        middle, kept = time.perf_counter(), stored(store)
        if kept >= claims:
            raise RuntimeError("the first run was not interrupted: it had ended, or ignores the signal")
        again = subprocess.run(line, check=False).returncode
        ended = time.perf_counter()
        full = subprocess.run(line, check=False).returncode
        last = time.perf_counter()
    same = subprocess.run([sys.executable, "-m", "dpbench.cli", "compare", "evidence/ledger", str(said)], check=False)
    entries = json.loads(said.read_text(encoding="utf-8"))["claims"]
    return {
        "level": level,
        "entries": len(entries),
        "exit_codes": [code, again, full],
        "verdicts_kept_at_the_interruption": kept,
        "seconds_first": middle - began,
        "seconds_again": ended - middle,
        "seconds_with_a_full_store": last - ended,
        "compared_with_evidence": same.returncode,
        "load": os.getloadavg()[0],
    }


def stored(store: Path) -> int:
    """Verdicts in a store; 0 where there is none yet."""
    if not store.exists():
        return 0
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=60.0)) as opened:
        try:
            return int(opened.execute("SELECT count(*) FROM verdict").fetchone()[0])
        except sqlite3.OperationalError:  # it is being made
            return 0


def main() -> int:
    """Measure, or make one audit, and print."""
    parser = argparse.ArgumentParser(prog="python -m studies.scale", description=__doc__.split("\n")[0])
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--draws", type=float, default=1e9, help="a side (default 1e9)")
    parser.add_argument("--paper", default="publicdata")
    parser.add_argument("--level", default="quick", choices=("quick", "full"))
    parser.add_argument("--audits", action="store_true", help="audits alone; what the JSON holds of `verify` is kept")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="one audit alone, its blocks kept in FILE")
    parser.add_argument("--ledger", action="store_true", help="the whole ledger alone, interrupted once")
    asked = parser.parse_args()
    if asked.ledger:
        with tempfile.TemporaryDirectory() as folder:
            document: dict[str, Any] = ledger(asked.level, Path(folder))
    elif asked.resume is not None:
        document = resumed(asked.resume, int(asked.draws))
    else:
        draws = int(asked.draws)
        one, two, more = (audited(workers, size) for workers, size in ((1, draws), (2, draws), (2, 3 * draws)))
        if one["epsilon_lower"] != two["epsilon_lower"]:
            raise AssertionError("one worker and two: not the same result")
        document = {"audits": [one, two, more], "calculated": calculated(two, more)}
        print(json.dumps(document, indent=1), file=sys.stderr, flush=True)
        kept = asked.json.read_text(encoding="utf-8") if asked.audits and asked.json and asked.json.exists() else "{}"
        document["verify"] = json.loads(kept).get("verify") if asked.audits else verified(asked.paper, asked.level)
    document |= {"machine": machine(), "versions": versions()}
    text = json.dumps(document, indent=1)
    if asked.json is not None:
        asked.json.write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
