"""Plant each error of the list in a copy of the project, run the tests that must notice it, and count.

    python -m tests.mutations --json evidence/mutations.json

An error is noticed if a listed test fails, or takes ten times as long as without it. What a file of results holds of
an error whose source and tests have not changed since is kept, so that a run may be interrupted and taken up again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from .listed import MUTATIONS, SURVIVORS
from .mutation import Mutation

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 10.0
NOTICED = ("a test fails", "no test can be collected", "out of time")


def key(mutation: Mutation) -> str:
    """Of the error and of what its result depends on: the file, and the tests."""
    made = hashlib.sha256(repr(mutation).encode())
    for path in (mutation.path, *(f"tests/{test}.py" for test in mutation.tests)):
        made.update((ROOT / path).read_bytes())
    return made.hexdigest()[:16]


class Copy:
    """A copy of the project, in which one error at a time is planted."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        left_out = shutil.ignore_patterns(".git", "__pycache__", "figures", ".asv", "build", "*.sqlite")
        shutil.copytree(ROOT, self.root, ignore=left_out)
        paths = os.pathsep.join(str(self.root / part) for part in ("", "checker", "tests"))
        own = {"PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(folder / "numba"), "MPLBACKEND": "Agg"}
        self.environment = os.environ | own
        self.usual: dict[tuple[str, ...], float] = {}

    def run(self, tests: tuple[str, ...], limit: float) -> tuple[str, float]:
        """What the tests say, and how long they took."""
        files = [f"tests/{test}.py" for test in tests]
        options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-m", "not process and not evidence"]
        command = [sys.executable, "-m", "pytest", *options, *files]
        started = time.monotonic()
        try:
            done = subprocess.run(
                command, cwd=self.root, env=self.environment, capture_output=True, text=True, timeout=limit
            )
        except subprocess.TimeoutExpired:
            return "out of time", time.monotonic() - started
        said = {0: "survives", 1: "a test fails", 2: "no test can be collected"}.get(done.returncode)
        if said is None:
            raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return said, time.monotonic() - started

    def plant(self, mutation: Mutation) -> tuple[str, float]:
        """What the tests say of the error; they must pass without it."""
        if mutation.tests not in self.usual:
            said, took = self.run(mutation.tests, 3600.0)
            if said != "survives":
                raise RuntimeError(f"without any error: {said} ({', '.join(mutation.tests)})")
            self.usual[mutation.tests] = took
        with self.planted(mutation):
            return self.run(mutation.tests, PATIENCE * self.usual[mutation.tests] + 60.0)

    @contextmanager
    def planted(self, mutation: Mutation) -> Iterator[None]:
        """The copy with the error in it."""
        path = self.root / mutation.path
        text = path.read_text(encoding="utf-8")
        assert text.count(mutation.old) == 1, mutation.name
        path.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")


def run(chosen: list[Mutation], out: Path | None, workers: int) -> dict[str, Any]:
    """Results of the errors chosen, with those that `out` holds and that still stand."""
    known = json.loads(out.read_text(encoding="utf-8"))["results"] if out is not None and out.exists() else {}
    keys = {mutation.name: key(mutation) for mutation in MUTATIONS}
    results = {name: result for name, result in known.items() if keys.get(name) == result["key"]}
    left = [mutation for mutation in chosen if mutation.name not in results]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        copies: SimpleQueue[Copy] = SimpleQueue()
        for worker in range(workers):
            copies.put(Copy(Path(folder) / str(worker)))

        def one(mutation: Mutation) -> tuple[str, float]:
            copy = copies.get()
            try:
                return copy.plant(mutation)
            finally:
                copies.put(copy)

        for mutation, (said, took) in zip(left, pool.map(one, left), strict=True):
            results[mutation.name] = {"key": keys[mutation.name], "said": said, "seconds": round(took, 1)}
            print(f"{said:25}{took:6.0f} s  {mutation.name}", flush=True)
            if out is not None:
                write(out, results)
    return results


def write(out: Path, results: dict[str, Any]) -> None:
    """Put the results into the file, with their counts."""
    noticed = sum(result["said"] in NOTICED for result in results.values())
    document = {"command": "python -m tests.mutations --json evidence/mutations.json", "planted": len(results),
                "noticed": noticed, "results": dict(sorted(results.items()))}  # fmt: skip
    put(out, document)


def put(out: Path, document: dict[str, Any]) -> None:
    """Write a document, whole or not at all."""
    part = out.with_suffix(".part")
    part.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    part.replace(out)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="file of results, taken up where it exists")
    parser.add_argument("--only", default="", help="errors whose name holds this text")
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    chosen = [mutation for mutation in MUTATIONS if asked.only in mutation.name]
    results = run(chosen, asked.json, asked.workers)
    mine = {mutation.name: results[mutation.name]["said"] for mutation in chosen}
    missed = [name for name, said in mine.items() if said not in NOTICED]
    print(f"{len(mine) - len(missed)} of {len(mine)} planted errors noticed")
    for name in missed:
        print(f"survives: {name}: {SURVIVORS.get(name, 'not explained')}")
    return 0 if all(name in SURVIVORS for name in missed) else 1


if __name__ == "__main__":
    sys.exit(main())
