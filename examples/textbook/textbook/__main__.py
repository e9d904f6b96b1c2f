"""``python -m textbook [ID ...]``: decide each result and its control.

Exit 1 if a true result is refuted, or a control is not.
"""

from __future__ import annotations

import json
import sys
import time
from fnmatch import fnmatch
from pathlib import Path

from dpbench.certificates.judge import decide
from textbook import RESULTS


def main(arguments: list[str]) -> int:
    """Print one line a result, and the counts; ``--json FILE`` and ``--seconds S`` as `dpbench judge` has them."""
    options = (
        dict(zip(arguments[::2], arguments[1::2], strict=False)) if arguments[:1] and arguments[0][:2] == "--" else {}
    )
    seconds = float(options.get("--seconds", 3.0))
    wanted = [] if options else arguments
    rows = []
    for one in RESULTS:
        if wanted and not any(fnmatch(one.id, pattern) for pattern in wanted):
            continue
        began = time.process_time()
        true = decide(one.theorem, seconds=seconds)
        control = decide(one.must_fail, seconds=seconds)
        spent = time.process_time() - began
        rows.append({"id": one.id, "topic": one.topic, "source": one.source, "verdict": true.verdict,
                     "grade": true.grade, "control": control.verdict, "control_ratio": control.ratio,
                     "seconds": round(spent, 2)})  # fmt: skip
        print(f"{one.id:26} {true.verdict:13} {true.grade:12} control {control.verdict:13} {spent:6.2f} s", flush=True)
    fallen = [row["id"] for row in rows if row["verdict"] == "refuted"]
    standing = [row["id"] for row in rows if row["control"] != "refuted"]
    proved = sum(row["verdict"] == "proved" for row in rows)
    neither, spent = len(rows) - proved - len(fallen), sum(row["seconds"] for row in rows)
    print(f"{len(rows)} results: {proved} proved, {neither} not refuted, {len(fallen)} refuted")
    print(f"{len(rows) - len(standing)} of {len(rows)} controls refuted; {spent:.1f} s of processor time")
    if "--json" in options:
        Path(options["--json"]).write_text(json.dumps({"schema": 1, "results": rows}, indent=1) + "\n")
    for name in (*fallen, *standing):
        print(f"not as it must be: {name}", file=sys.stderr)
    return int(bool(fallen or standing or not rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
