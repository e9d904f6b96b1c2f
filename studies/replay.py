"""How many entries of the ledger each commit of the history would have made stale, by two keys of code.

``python -m studies.replay --commits 60 [--until REV]`` checks out one commit after another, computes for each entry
of its ledger the digest of all bytes of the modules reachable by import (the key that evidence once had, and numba's
cache still has) and the key of the definitions reachable from the entry's function, and counts the entries whose key
differs from the one at the commit before. Nothing of the ledger is run. A commit whose ledger cannot be loaded is named
and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEYS = ("bytes of modules", "definitions")
PARTS = ("sources", "normalise", "definitions", "closure", "digest")
LOADER = """
import importlib, json, sys
try:
    from dpbench.ledger.verify import all_claims
except ImportError:
    from dpbench.claims.ledger import all_claims
from dpbench.replayed.closure import closure
from dpbench.replayed.digest import code_digest
run = lambda claim: claim.run.func if hasattr(claim.run, "func") else claim.run
print(json.dumps({c.id: [code_digest(run(c).__module__), closure(c.run).key] for c in all_claims()}))
"""


def keys_at(checkout: Path) -> dict[str, list[str]]:
    """Both keys of each entry of the ledger in a checkout, computed by the code of this one."""
    place = checkout / "dpbench" / "replayed"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    (place / "__init__.py").write_text("")
    old = not (checkout / "dpbench" / "core").is_dir()
    for name in PARTS:
        text = (ROOT / "dpbench" / "core" / f"{name}.py").read_text(encoding="utf-8")
        text = text.replace("import sources, validation", "import sources\nfrom dpbench.core import validation")
        for part in PARTS:
            text = text.replace(f"dpbench.core.{part}", f"dpbench.replayed.{part}")
        text = text.replace("from dpbench.core import sources", "from dpbench.replayed import sources")
        if old:
            text = text.replace("from dpbench.core", "from dpbench")
        (place / f"{name}.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LOADER], cwd=checkout, env=_environment(checkout), capture_output=True, text=True
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no output")
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def _environment(checkout: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}


def main(arguments: list[str] | None = None) -> None:
    """Print a line a commit and the sums."""
    parser = argparse.ArgumentParser(prog="python -m studies.replay", description=__doc__)
    parser.add_argument("--commits", type=int, default=60, help="how many, without merges")
    parser.add_argument("--until", default="HEAD", metavar="REV", help="the last one")
    given = parser.parse_args(arguments)
    listed = ["git", "-C", str(ROOT), "log", "--no-merges", "--format=%h", f"-{given.commits + 1}", given.until]
    commits = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()[::-1]
    sums, before = [0, 0], None
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder, "checkout")
        subprocess.run(["git", "clone", "-q", "--shared", str(ROOT), str(checkout)], check=True)
        for commit in commits:
            subprocess.run(["git", "-C", str(checkout), "checkout", "-q", "-f", commit], check=True)
            try:
                now = keys_at(checkout)
            except RuntimeError as error:
                print(f"{commit}  left out: {error}", flush=True)
                continue
            if before is not None:
                both = now.keys() & before.keys()
                stale = [sum(now[name][k] != before[name][k] for name in both) for k in (0, 1)]
                sums = [a + b for a, b in zip(sums, stale, strict=True)]
                print(f"{commit}  {stale[0]:4d} {stale[1]:4d}  of {len(both)}", flush=True)
            before = now
    print(f"in sum: {sums[0]} by {KEYS[0]}, {sums[1]} by {KEYS[1]}")


if __name__ == "__main__":
    main()
