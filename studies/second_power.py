"""``python -m studies.second_power``: the auditor on the registry of `tests.zoo`, beside the oracle, at 95%.

Means over seeds of the mechanisms in `tests.zoo.second`. ``--json FILE`` keeps the rows under "second zoo".
``--zoo third`` takes those in `tests.zoo.third`, kept under "third zoo".
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from studies.command import keep
from studies.power import CONFIDENCE, audits, summary
from tests.zoo.laws import epsilon, oracle
from tests.zoo.registry import REGISTRY, Entry

TRIALS = 200_000
FIRST_SEED = 0


def among(module: str) -> dict[str, Entry]:
    """The mechanisms that are in this module of `tests.zoo`."""
    homes = ((name, getattr(entry.sampler, "func", entry.sampler).__module__) for name, entry in REGISTRY.items())
    return {name: REGISTRY[name] for name, home in homes if home == f"tests.zoo.{module}"}


ZOOS = {"second": among("second"), "third": among("third")}


def measured(entry: Entry, seeds: range, trials: int) -> dict[str, Any]:
    """Mean bound, exact ε, the oracle's mean, shortfall over the oracle's, and share of the oracle's."""
    results, seconds = audits(
        entry.sampler, entry.dataset, entry.neighbour, delta=entry.delta, trials=trials, seeds=seeds
    )
    row = summary([f.epsilon_lower for f in results])
    assert entry.law is not None
    known = entry.law()
    true = epsilon(known, entry.delta)
    certificate = results[0].certified
    assert certificate is not None
    best = oracle(known, certificate.trials, entry.delta, 1.0 - CONFIDENCE)
    return {
        **row, "epsilon": true, "oracle": best.mean, "count": best.count,
        "ratio": (true - row["mean"]) / (true - best.mean), "share": row["mean"] / best.mean if best.mean else math.nan,
        "above": sum(f.epsilon_lower > true for f in results), "delta": entry.delta, "trials": trials,
        "seeds": [seeds.start, seeds.stop - 1], "seconds": seconds,
    }  # fmt: skip


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m studies.second_power", description=__doc__)
    parser.add_argument("--zoo", choices=list(ZOOS), default="second", help="default: second")
    parser.add_argument("--entry", action="append", help="of the zoo, by name; default: all")
    parser.add_argument("--seeds", type=int, default=50, help="how many (default 50)")
    parser.add_argument("--trials", type=int, default=TRIALS, help=f"runs a side (default {TRIALS})")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    zoo = ZOOS[given.zoo]
    if unknown := sorted(set(given.entry or ()) - set(zoo)):
        parser.error(f"--entry: {', '.join(unknown)}: must be among {', '.join(zoo)}")
    for name in given.entry or zoo:
        row = measured(zoo[name], range(FIRST_SEED, FIRST_SEED + given.seeds), given.trials)
        print(json.dumps({name: row}), flush=True)
        if given.json is not None:
            keep(given.json, {f"{given.zoo} zoo": {name: row}}, "second_zoo.json")


if __name__ == "__main__":
    main()
