"""Means over seeds for the whole registry, and two commits compared.

    cd tests
    python -m zoo measure [--seeds 20] [--times 1] [--entry NAME ...] [--oracle] --json new.json
    PYTHONPATH=/path/to/another/checkout:. python -m zoo measure --json old.json
    python -m zoo compare old.json new.json
    python -m zoo adaptive [--seeds 5] [--runs 20000]

`measure` keeps the bound of each seed and the processor seconds; rows that are there and not measured again stay.
`--times 10` makes ten times the runs. `--oracle` adds what an auditor that knows the law certifies. `adaptive` prints
shares of the bound by the exact log-ratio, where one quantity decides which others matter.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from .adaptive import ADAPTIVE, shares
from .laws import oracle
from .registry import CONFIDENCE, REGISTRY, Entry


def measured(entry: Entry, seeds: range, times: int, with_oracle: bool) -> dict[str, Any]:
    runs = times * entry.runs
    started = time.process_time()
    bounds = [entry.bound(seed, runs) for seed in seeds]
    seconds = (time.process_time() - started) / len(bounds)
    made: dict[str, Any] = {"runs": runs, "bounds": bounds, "seconds": seconds, "kind": entry.kind}
    if with_oracle and entry.law is not None:
        made["oracle"] = oracle(entry.law(), int(0.8 * runs), entry.delta, 1.0 - CONFIDENCE).mean
    return made


def measure(given: argparse.Namespace) -> None:
    kept = json.loads(given.json.read_text(encoding="utf-8")) if given.json.exists() else {}
    for name in given.entry or REGISTRY:
        entry = REGISTRY[name]
        row = measured(entry, range(given.first, given.first + given.seeds), given.times, given.oracle)
        kept[name] = row
        mean, share = float(np.mean(row["bounds"])), float(np.mean(row["bounds"])) / entry.loss
        print(f"{name:42s} {mean:7.4f} of {entry.loss:7.4f}: {share:.3f}  {row['seconds']:6.2f} s", flush=True)
        given.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def compare(given: argparse.Namespace) -> None:
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (given.old, given.new))
    ratios: dict[str, list[float]] = {}
    for name in [name for name in old if name in new]:
        means = [float(np.mean(rows[name]["bounds"])) for rows in (old, new)]
        ratio = means[1] / means[0] if means[0] > 0.0 else float("nan")
        cost = new[name]["seconds"] / old[name]["seconds"]
        print(f"{name:42s} {means[0]:7.4f} -> {means[1]:7.4f}  {ratio:6.3f}  time {cost:5.2f}")
        for kind in ("all", new[name]["kind"]):
            ratios.setdefault(kind, []).append(ratio)
    for kind, found in ratios.items():
        kept = [x for x in found if x == x]
        print(f"{kind}: {len(kept)} mechanisms, mean {np.mean(kept):.3f}, median {np.median(kept):.3f}, least "
              f"{min(kept):.3f}, below 0.9: {sum(x < 0.9 for x in kept)}")  # fmt: skip
    cost = sum(new[n]["seconds"] for n in new if n in old) / sum(old[n]["seconds"] for n in old if n in new)
    print(f"processor time {cost:.2f}")


def adaptive(given: argparse.Namespace) -> None:
    for name in ADAPTIVE:
        learned, lined = shares(name, given.runs, given.seeds)
        print(f"{name:32s} as learned {learned:.2f}, a line for each quarter as score {lined:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m zoo", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    ask = commands.add_parser("measure")
    ask.add_argument("--seeds", type=int, default=20)
    ask.add_argument("--first", type=int, default=0)
    ask.add_argument("--times", type=int, default=1)
    ask.add_argument("--oracle", action="store_true")
    ask.add_argument("--entry", action="append", choices=list(REGISTRY))
    ask.add_argument("--json", type=Path, required=True)
    ask.set_defaults(run=measure)
    ask = commands.add_parser("compare")
    ask.add_argument("old", type=Path)
    ask.add_argument("new", type=Path)
    ask.set_defaults(run=compare)
    ask = commands.add_parser("adaptive")
    ask.add_argument("--seeds", type=int, default=5)
    ask.add_argument("--runs", type=int, default=20_000)
    ask.set_defaults(run=adaptive)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
