"""Which planted error turns which entry of the ledger: an entry that no error can turn is no evidence of anything.

    python -m tests.mutations.flips --json evidence/flips.json

Each error of `listed.MUTATIONS` is planted in a copy of the project; those entries that no error before it has turned,
and whose code it changes, are run at level quick (at full, where they have no quick level and took at most `LONGEST`
seconds). An entry is turned if its verdict is another than the one expected. A file of results is taken up where it
exists.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .__main__ import ROOT, Copy, put
from .listed import MUTATIONS

LONGEST = 30.0
PATIENCE = 600.0
PACKAGES = ("dpbench/privacy/", "dpbench/glm/", "dpbench/heavytail/", "dpbench/publicdata/", "lowerbounds/")

KEYS = """
import json
from dpbench.ledger.registry import all_claims
print(json.dumps({claim.id: claim.digest for claim in all_claims() if not claim.outside}))
"""
VERDICTS = """
import json, sys
import dpbench
made = {}
for name in json.load(sys.stdin):
    level = "full" if name.startswith("full ") else "quick"
    name = name.removeprefix("full ")
    try:
        for entry in dpbench.verify(name, level=level, workers=1).entries:
            if entry.claim.id == name:
                made[name] = [entry.verdict, entry.claim.expected]
    except Exception as error:
        made[name] = [f"fails: {type(error).__name__}", ""]
    print(json.dumps(made), flush=True)
"""


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
    from dpbench.ledger.registry import all_claims

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


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations.flips", description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True, help="file of results, taken up where it exists")
    out = parser.parse_args().json
    document = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {"turned": {}, "tried": []}
    names = levels()
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        before = asked(copy, KEYS)
        for mutation in MUTATIONS:
            if mutation.name in document["tried"] or not mutation.path.startswith(PACKAGES):
                continue
            waiting = [name for name in names if name not in document["turned"]]
            with copy.planted(mutation):
                after = asked(copy, KEYS) or {}
                chosen = [names[name] for name in waiting if after.get(name) != before[name]]
                verdicts = (asked(copy, VERDICTS, json.dumps(chosen)) if chosen else None) or {}
            turned = [name for name, (verdict, expected) in verdicts.items() if expected and verdict != expected]
            document["turned"] |= {name: {"verdict": verdicts[name][0], "error": mutation.name} for name in turned}
            document["tried"].append(mutation.name)
            document["waiting"] = sorted(set(before) - document["turned"].keys())
            counts = f"{len(turned):4} of {len(chosen):4} turned, {len(document['waiting'])} left"
            print(f"{counts}  {mutation.name}", flush=True)
            put(out, document)
    return 0


if __name__ == "__main__":
    sys.exit(main())
