"""``python -m studies.dependence``: dependent runs are refused, independent ones are not; how often, of many audits.

What an audit does to its outputs before it chooses or certifies anything: the outputs of its choosing part and of its
certifying part are drawn in the same blocks from the same streams, and the same tests look at the same bits of them (an
event of the audit's choice adds one bit a row; {first column at least its median} stands for it here). Nothing else of
the audit is run, so that many thousands are affordable. Correct mechanisms must not be refused: that the level of 1e-9
holds is shown by an exact argument (`dpbench.auditing.independence`), the count here only agrees with it.
``--json FILE`` keeps the counts.
"""

from __future__ import annotations

import argparse
import functools
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dpbench.auditing.audit import CERTIFY_CALLS, CHOOSE_SHARE, Runs, block_rows
from dpbench.auditing.independence import DependentOutputs, Watch, probe_of
from studies.command import keep
from tests.zoo.dependent import CORRECT, PLANTED

TRIALS = 2_000  # one block a part and side
"""Runs a side of an audit."""


def first_column(outputs: np.ndarray) -> np.ndarray:
    return outputs if outputs.ndim == 1 else outputs[:, 0]


def refused(sampler: Callable[..., Any], seed: int) -> bool:
    """Whether an audit of this sampler with this seed ends because its runs are dependent."""
    runs, watch = Runs(sampler, 0.0, 1.0, seed, "planted"), Watch("sampler planted")
    rows = int(CHOOSE_SHARE * TRIALS)
    sides = runs.collect("choose", rows, 1)[1:3]
    probe = probe_of(*sides)
    try:
        for side, outputs in enumerate(sides):
            watch.add_all("choose", side, probe, outputs, block_rows(rows))
        watch.examine()
        mark = np.sort(np.concatenate([first_column(side) for side in sides]))[rows]
        size = block_rows(TRIALS - rows, CERTIFY_CALLS)
        outputs = [
            np.concatenate([runs.draw("certify", side, block, size) for block in range((TRIALS - rows) // size)])
            for side in (0, 1)
        ]
        for side in (0, 1):
            watch.add_all("certify", side, probe, outputs[side], size, lambda block: first_column(block) >= mark)
        watch.examine()
    except DependentOutputs:
        return True
    return False


def counted(sampler_of: Callable[[int], Callable[..., Any]], seeds: range) -> dict[str, Any]:
    """How many audits there were, how many were refused, and what one costs."""
    started = time.process_time()
    wrong = sum(refused(sampler_of(seed), seed) for seed in seeds)
    seconds = (time.process_time() - started) / len(seeds)
    return {"audits": len(seeds), "refused": wrong, "trials": TRIALS, "seconds_an_audit": seconds}


def _same(sampler: Callable[..., Any], seed: int) -> Callable[..., Any]:
    """A correct sampler has no seed of its own."""
    return sampler


def main() -> None:
    """Count, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m studies.dependence", description=__doc__)
    parser.add_argument("--planted", type=int, default=1_000, help="audits of each planted kind (default 1,000)")
    parser.add_argument("--correct", type=int, default=20_000, help="audits of each correct sampler (default 20,000)")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    cases = [("planted", name, make, given.planted) for name, (make, _) in PLANTED.items()]
    cases += [("correct", name, functools.partial(_same, sampler), given.correct) for name, sampler in CORRECT.items()]
    for kind, name, make, audits in cases:
        row = {"kind": kind, **counted(make, range(audits))}
        print(json.dumps({name: row}), flush=True)
        if given.json is not None:
            keep(given.json, {"dependence": {name: row}}, "audit.json")


if __name__ == "__main__":
    main()
