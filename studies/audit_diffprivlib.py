"""``python -m studies.audit_diffprivlib --peer-python PYTHON``: audits of diffprivlib's mechanisms.

PYTHON is the interpreter of an environment with diffprivlib 0.6.6 and the older scikit-learn that it needs; there
`diffprivlib_draws.py` draws from each mechanism on a pair of neighbours. Here the answers are audited at their claim by
`dpbench.audit_samples`, and once more by features of their last bits (`audit_bits`), which floating-point noise gives
away. ``--json FILE`` keeps the rows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dpbench import audit_samples
from dpbench.auditing.bits import bit_features

CONFIDENCE = 1.0 - 1e-6
TRIALS = 100_000
_WORKER = Path(__file__).with_name("diffprivlib_draws.py")


def drawn(python: str, trials: int, seed: int) -> dict[str, Any]:
    """What `diffprivlib_draws.py` writes under this interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "draws.npz")
        subprocess.run([python, str(_WORKER), str(place), str(trials), str(seed)], check=True)
        with np.load(place) as found:
            return dict(found)


def rows(draws: Mapping[str, Any], seed: int) -> list[dict[str, Any]]:
    """One row a mechanism: its claim, and the bounds from the answers and from their last bits."""
    made = []
    for name in (key.removesuffix("/claim") for key in draws if key.endswith("/claim")):
        epsilon, delta = (float(x) for x in draws[f"{name}/claim"])
        sides = [np.asarray(draws[f"{name}/{side}"]) for side in (0, 1)]
        asked: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "confidence": CONFIDENCE, "seed": seed}
        values = audit_samples(*sides, **asked)
        bits = audit_samples(*(bit_features(side) for side in sides), **asked)
        made.append({
            "mechanism": name, "epsilon": epsilon, "delta": delta, "trials": len(sides[0]),
            "epsilon_lower": values.epsilon_lower, "verdict": values.verdict, "event": values.event,
            "bits_lower": bits.epsilon_lower, "bits_verdict": bits.verdict,
        })  # fmt: skip
    return made


def main() -> None:
    """Draw, audit, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m studies.audit_diffprivlib", description=__doc__)
    parser.add_argument("--peer-python", required=True, help="interpreter of an environment with diffprivlib")
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"answers on each side (default {TRIALS})")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    draws = drawn(given.peer_python, given.trials, given.seed)
    found = rows(draws, given.seed)
    for row in found:
        print(json.dumps(row))
    if given.json is not None:
        kept = {"version": str(draws["version"]), "confidence": CONFIDENCE, "seed": given.seed, "rows": found}
        given.json.write_text(json.dumps(kept, indent=1, allow_nan=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
