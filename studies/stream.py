"""``python -m studies.stream``: one audit of very many runs of a fast sampler, with its seconds and its memory.

Memory is the largest resident set of the process, in MB, after a small audit, after the large one (outputs are
counted block by block and not kept), and after one of vectors. ``--json FILE`` keeps the row under "stream".
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path
from typing import Any

from dpbench import audit
from studies.power import CONFIDENCE, keep, laplace, twenty

SMALL = 10_000_000
"""Runs a side of the audit before, enough for the largest choosing part and a full queue of blocks."""


def peak() -> float:
    """Largest resident set so far, in MB (Linux counts in kB)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def measure(trials: int) -> dict[str, Any]:
    """Audit Laplace(1) with `trials` runs a side, after a smaller audit and before one of vectors."""
    audit(laplace, 0.0, 1.0, confidence=CONFIDENCE, trials=min(SMALL, trials))
    before, started, busy = peak(), time.perf_counter(), time.process_time()
    found = audit(laplace, 0.0, 1.0, confidence=CONFIDENCE, trials=trials)
    row = {
        "trials": trials,
        "samples": 2 * trials,
        "epsilon": 1.0,
        "epsilon_lower": found.epsilon_lower,
        "seconds": time.perf_counter() - started,
        "processor_seconds": time.process_time() - busy,
        "peak_mb_small": before,
        "peak_mb": peak(),
    }
    audit(twenty, 0.0, 1.0, confidence=CONFIDENCE, trials=min(SMALL, trials))
    return {**row, "peak_mb_twenty": peak()}


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m studies.stream", description=__doc__)
    parser.add_argument("--trials", type=int, default=500_000_000, help="runs a side (default 500,000,000)")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    row = measure(given.trials)
    print(json.dumps(row))
    if given.json is not None:
        keep(given.json, {"stream": row})


if __name__ == "__main__":
    main()
