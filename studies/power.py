"""``python -m studies.power``: how much of the true ε the auditor certifies, beside an oracle, at 95%.

The oracle (`tests.zoo.laws`) knows the exact law of the log-ratio and its best event, and certifies it with the
same intervals on as many runs as the audit certifies with. Figures are means over seeds with their standard
errors. ``--json FILE`` keeps them with seeds and settings, row by row: rows already in FILE that are not run
again stay.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dpbench import AuditResult, audit
from dpbench.privacy import gaussian
from studies.command import keep
from tests.zoo.laws import Law, oracle, product, shifted_laplace
from tests.zoo.registry import REGISTRY, Entry

Rng = np.random.Generator
CONFIDENCE = 0.95
FIRST_SEED = 0
"""Seeds start here. The auditor's constants were set on seeds from 1000 on."""

MU = gaussian.mu(1.0, 1e-5)
COUNTED = 100.0
"""Expected counts of the oracle's event from which its shortfall is a goal."""

SHORTFALL = 1.3


def laplace(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.laplace(size=trials)


def normal(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.standard_normal(trials)


def running_sums(d: float, trials: int, rng: Rng) -> np.ndarray:
    return np.cumsum(rng.laplace(scale=10.0, size=(trials, 10)) + d, axis=1)


def twenty(d: float, trials: int, rng: Rng) -> np.ndarray:
    return rng.laplace(scale=200.0, size=(trials, 20)) + d


VECTORS: dict[str, tuple[Callable[[float, int, Rng], np.ndarray], int, float, int, float]] = {
    "prefix sums, 1e6": (running_sums, 10, 10.0, 1_000_000, 0.92),
    "prefix sums, 1e7": (running_sums, 10, 10.0, 10_000_000, 0.92),
    "twenty coordinates, 1e7": (twenty, 20, 200.0, 10_000_000, 0.75),
}
"""Name: sampler, coordinates, Laplace scale, runs a side, share of the oracle that is a goal."""


def audits(
    sampler: Any, one: Any, other: Any, *, delta: float, trials: int, seeds: range, claim: Any = None
) -> tuple[list[AuditResult], float]:
    """One audit a seed, and their mean seconds of processor time."""
    started = time.process_time()
    results = [
        audit(sampler, one, other, delta=delta, trials=trials, confidence=CONFIDENCE, seed=s, claim=claim)
        for s in seeds
    ]
    return results, (time.process_time() - started) / len(seeds)


def summary(values: list[float]) -> dict[str, float]:
    """Mean and standard error."""
    return {"mean": float(np.mean(values)), "se": float(np.std(values, ddof=1) / math.sqrt(len(values)))}


def _row(values: list[float], seconds: float, trials: int, seeds: range) -> dict[str, Any]:
    return {**summary(values), "trials": trials, "seeds": [seeds.start, seeds.stop - 1], "seconds": seconds}


def scalars(count: int = 100) -> dict[str, dict[str, Any]]:
    """Laplace(1), Gaussian (1, 1e-5), and the latter read from μ, 1e6 runs a side, seeds from 0."""
    seeds = range(count)
    results, seconds = audits(laplace, 0.0, 1.0, delta=0.0, trials=1_000_000, seeds=seeds)
    documents = {"laplace": {"goal": 0.992, **_row([f.epsilon_lower for f in results], seconds, 1_000_000, seeds)}}
    results, seconds = audits(normal, 0.0, MU, delta=1e-5, trials=1_000_000, seeds=seeds)
    documents["gaussian"] = {"goal": 0.73, **_row([f.epsilon_lower for f in results], seconds, 1_000_000, seeds)}
    results, seconds = audits(normal, 0.0, MU, delta=1e-5, trials=1_000_000, seeds=seeds, claim={"mu": 0.0})
    read = [gaussian.epsilon(1e-5, f.bound or 0.0) for f in results]
    documents["gaussian, assumed"] = {"goal": 0.967, **_row(read, seconds, 1_000_000, seeds)}
    return documents


def _certifying(results: list[AuditResult]) -> int:
    certificate = results[0].certified
    assert certificate is not None
    return certificate.trials


def shortfall(entry: Entry, count: int) -> dict[str, Any]:
    """An entry of the zoo: mean of ε − bound beside the oracle's, 1e6 runs a side."""
    seeds = range(FIRST_SEED, FIRST_SEED + count)
    results, seconds = audits(
        entry.sampler, entry.dataset, entry.neighbour, delta=entry.delta, trials=1_000_000, seeds=seeds
    )
    row = _row([f.epsilon_lower for f in results], seconds, 1_000_000, seeds)
    assert entry.law is not None
    best = oracle(entry.law(), _certifying(results), entry.delta, 1.0 - CONFIDENCE)
    room = entry.loss - best.mean
    ratios = {"ratio": (entry.loss - row["mean"]) / room, "ratio_se": row["se"] / room}
    return {"epsilon": entry.loss, **row, "oracle": best.mean, "count": best.count, **ratios}


def law_of_vector(width: int, scale: float) -> Law:
    """The exact law of `width` Laplace coordinates of this scale, all moved by 1."""
    return product([shifted_laplace(1.0, scale)] * width, width / scale / 4000)


def vector(name: str, count: int) -> dict[str, Any]:
    """One of `VECTORS`: the mean bound as a share of the oracle's."""
    sampler, width, scale, trials, goal = VECTORS[name]
    seeds = range(FIRST_SEED, FIRST_SEED + count)
    results, seconds = audits(sampler, 0.0, 1.0, delta=0.0, trials=trials, seeds=seeds)
    row = _row([f.epsilon_lower for f in results], seconds, trials, seeds)
    best = oracle(law_of_vector(width, scale), _certifying(results), 0.0, 1.0 - CONFIDENCE)
    return {
        "goal": goal,
        **row,
        "oracle": best.mean,
        "share": row["mean"] / best.mean,
        "share_se": row["se"] / best.mean,
    }


def main() -> None:
    """Measure the parts asked for, print them, keep them."""
    parser = argparse.ArgumentParser(prog="python -m studies.power", description=__doc__)
    parser.add_argument("--part", choices=["scalars", "zoo", *VECTORS], action="append", help="default: all")
    parser.add_argument("--seeds", type=int, help="how many; default 100, and 50 for vectors")
    parser.add_argument("--entry", action="append", help="of the zoo, by name; default: all of finite ε")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    for part in given.part or ["scalars", "zoo", *VECTORS]:
        for document in measured(part, given.seeds, given.entry):
            print(json.dumps(document), flush=True)
            if given.json is not None:
                keep(given.json, document, "audit.json")


def measured(part: str, count: int | None, names: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """What a part is made of, row by row: every mechanism of finite ε is a row of the zoo."""
    if part == "scalars":
        yield {part: scalars(count or 100)}
    elif part == "zoo":
        stated = {name: e for name, e in REGISTRY.items() if e.claimed is not None and math.isfinite(e.loss)}
        yield from ({part: {n: shortfall(e, count or 100)}} for n, e in stated.items() if names is None or n in names)
    else:
        yield {"vectors": {part: vector(part, count or 50)}}


if __name__ == "__main__":
    main()
