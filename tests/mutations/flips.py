"""Which planted error turns which entry of the ledger: an entry that no error can turn is no evidence of anything.

    python -m tests.mutations.flips --json evidence/flips.json

Each error of `planted_in_the_ledger.PLANTS` is planted in a copy of the project, and the entries it is held against
are run, at level quick (at full, where they have no quick level and took `LONGEST` seconds at most). An entry is turned
if its verdict is not the one expected. Errors near to what an entry measures come first; those in the rules that all
entries share are tried on the entries that no other has turned, and with `--left` all errors are: what else such an
error turns, the table does not say. What a file of results holds of an error is kept while the error and the entries it
is held against are the same; a run without `--left` tries again what was tried on entries left alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from dpbench.ledger.registry import all_claims

from .__main__ import ROOT, Copy, put
from .mutation import Mutation
from .planted_in_the_ledger import CANNOT, FAR, NEAR, PLANTS

LONGEST = 100.0
PATIENCE = 1500.0
"""Seconds for the entries of one error: what it does not reach then has not been tried with it."""
EACH = 300.0

VERDICTS = """
import json, sys
import dpbench
made = {}
for name in json.load(sys.stdin):
    level = "full" if name.startswith("full ") else "quick"
    name = name.removeprefix("full ")
    try:
        ledger = dpbench.verify(name, level=level, workers=1, max_seconds=EACH)
        made[name] = next((["", one["reason"]] for one in ledger.not_run if one["id"] == name), None)
        for entry in ledger.entries:
            if entry.claim.id == name:
                made[name] = [entry.verdict, entry.claim.expected]
    except Exception as error:
        made[name] = ["", f"{type(error).__name__}: {error}"]
    print(json.dumps(made), flush=True)
""".replace("EACH", str(EACH))


def asked(copy: Copy, script: str, given: str = "") -> Any:
    """What the last line says that a script prints in the copy; None if it says nothing in time."""
    command = [sys.executable, "-W", "ignore", "-c", script]
    try:
        done = subprocess.run(
            command, cwd=copy.root, env=copy.environment, input=given, capture_output=True, text=True, timeout=PATIENCE
        )
        lines = done.stdout.splitlines()
    except subprocess.TimeoutExpired as late:
        lines = (late.stdout or b"").decode().splitlines()
    return json.loads(lines[-1]) if lines else None


def levels() -> dict[str, str]:
    """Each entry's name for `VERDICTS`, with its level; those that are too long are left out."""
    made = {}
    for claim in all_claims():
        if not claim.full_only:
            made[claim.id] = claim.id
        elif seconds(claim.id) <= LONGEST:
            made[claim.id] = f"full {claim.id}"
    return made


def seconds(name: str) -> float:
    """Of its committed evidence; more than `LONGEST` where there is none."""
    path = ROOT / "evidence" / "ledger" / f"{name}.json"
    document = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"evidence": {}}
    return float(document["evidence"].get("seconds", 2.0 * LONGEST))


def asked_of(mutation: Mutation, names: dict[str, str]) -> list[str]:
    """The entries among these that an error is held against, as `VERDICTS` takes them."""
    return [names[name] for name in names if any(fnmatchcase(name, pattern) for pattern in mutation.tests)]


def to_try(
    mutation: Mutation, before: dict[str, Any] | None, left: bool, names: dict[str, str], turned: set[str]
) -> dict[str, str]:
    """The entries that an error with this result is still to be tried on; `turned` are those that any has turned."""
    if before and not (left or before.get("left alone")):
        return {}
    still = {name: asked for name, asked in names.items() if name not in turned}
    if before and left:  # where the time did not suffice, and what has come since
        return {name: asked for name, asked in still.items() if name not in before["as expected"]}
    return still if left or mutation in FAR else names


def joined(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The result of an error with that of a second run, on what the first did not reach."""
    turned = dict(sorted((before["turned"] | after["turned"]).items()))
    expected = sorted({*before["as expected"], *after["as expected"]})
    return before | {"turned": turned, "as expected": expected,
                     "not run": sorted({*before["not run"]} - turned.keys() - {*expected})}  # fmt: skip


def tried(copy: Copy, mutation: Mutation, names: dict[str, str]) -> dict[str, Any]:
    """What the entries say with the error planted: turned, as expected, or not run."""
    chosen = asked_of(mutation, names)
    with copy.planted(mutation):
        verdicts = (asked(copy, VERDICTS, json.dumps(chosen)) if chosen else None) or {}
    run = {name: one for name, one in verdicts.items() if one and one[0]}
    return {
        "error": {"path": mutation.path, "old": mutation.old, "new": mutation.new},
        "asked": list(mutation.tests),
        "turned": {name: verdict for name, (verdict, expected) in sorted(run.items()) if verdict != expected},
        "as expected": sorted(name for name, (verdict, expected) in run.items() if verdict == expected),
        "not run": sorted({name.removeprefix("full ") for name in chosen} - run.keys()),
    }


def same(result: dict[str, Any], mutation: Mutation) -> bool:
    """Whether a result is of this error and these entries."""
    error = {"path": mutation.path, "old": mutation.old, "new": mutation.new}
    return result["error"] == error and result["asked"] == list(mutation.tests)


def write(out: Path, results: list[dict[str, Any]], every: list[str]) -> int:
    """Put the table into the file; how many entries are left."""
    turned = {name for result in results for name in result["turned"]}
    left = sorted(set(every) - turned - CANNOT.keys())
    document = {"command": "python -m tests.mutations.flips --json evidence/flips.json", "entries": len(every),
                "turned": len(turned), "cannot": len(CANNOT), "left": left, "errors": results}  # fmt: skip
    put(out, document)
    return len(left)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations.flips", description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True, help="file of results, taken up where it exists")
    parser.add_argument("--folder", type=Path, help="where copies and compiled kernels are kept for the next run")
    parser.add_argument("--only", default="", help="errors in files whose path holds this text")
    parser.add_argument("--left", action="store_true", help="try errors on the entries alone that no other has turned")
    given = parser.parse_args()
    out = given.json
    known: list[dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))["errors"] if out.exists() else []
    names, every = levels(), [claim.id for claim in all_claims()]
    results = [next((one for one in known if same(one, mutation)), None) for mutation in PLANTS]
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(given.folder or Path(folder))
        for place, mutation in enumerate(PLANTS):
            before, turned = results[place], {name for one in results if one for name in one["turned"]}
            entries = to_try(mutation, before, given.left, names, turned)
            if given.only not in mutation.path or not asked_of(mutation, entries):
                continue
            made = tried(copy, mutation, entries)
            if before and given.left:
                made = joined(before, made)
            elif given.left and mutation in NEAR:
                made["left alone"] = True
            results[place] = made
            left = write(out, [one for one in results if one], every)
            print(f"{len(made['turned']):4} turned, {left} left  {mutation.name}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
