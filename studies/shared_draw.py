"""A correct mechanism whose runs share a draw: ``python -m studies.shared_draw [--audits N] [--json FILE]``.

Laplace noise for the claim ε = 1, plus a normal offset drawn once a call, which breaks the assumption of independent
runs. An audit must refuse the outputs or not refute the claim. A false refutation of independent runs has probability
0.001 at most at the confidence used.
"""

from __future__ import annotations

import argparse
import json

import numpy as np

import dpbench

SIZES = (1_000, 4_000, 20_000, 100_000)
OFFSETS = (0.1, 0.5, 2.0)


def audits(trials: int, offset: float, count: int, seed: int = 1000) -> dict[str, float]:
    """How many of `count` audits refuted, refused, and did neither."""

    def shared(d: float, rows: int, rng: np.random.Generator) -> np.ndarray:
        return d + rng.normal(0.0, offset) + rng.laplace(size=rows)

    found = {"refuted": 0, "refused": 0, "not refuted": 0}
    for k in range(count):
        try:
            verdict = str(dpbench.audit(shared, 0.0, 1.0, epsilon=1.0, trials=trials, seed=seed + k).verdict)
        except dpbench.DependentOutputs:
            verdict = "refused"
        found[verdict] += 1
    return {"runs": trials, "offset": offset, "audits": count, **found}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--audits", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--json", default=None)
    given = parser.parse_args(arguments)
    rows = []
    for trials in given.sizes:
        for offset in OFFSETS:
            rows.append(audits(trials, offset, given.audits))
            print(rows[-1], flush=True)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"schema": 1, "rows": rows}, file, indent=1)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
