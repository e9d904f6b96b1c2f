"""``python -m studies.arrays``: `audit_samples` beside jax-privacy and a classifier, on the same arrays.

Lower bounds on ε at 95%, means over seeds. jax-privacy (the extra `bench`): `epsilon_clopper_pearson` with its default
threshold strategy and with two splits; its `epsilon_from_gdp` is left out, since it supposes a Gaussian mechanism. Its
default divides the error probability by the number of corners of the convex hull of the ROC curve, which it takes from
the same outputs: for outputs of two values that is a union bound over thresholds known beforehand, and the whole sample
certifies; for others the number depends on the data, and no proof is given.

The classifier is in the manner of DP-Sniper (Bichsel, Steffen, Bogunovic & Vechev 2021), with boosted trees in place of
its classifiers: a third of the rows trains it, a third sets the threshold at which the other side has probability
0.01 and the direction, a third certifies by Clopper–Pearson intervals at half the level each.
``--json FILE`` keeps what is measured, law by law; what is not installed is left out, and said to be. ``--ours``
measures `audit_samples` alone, after a change of it, beside what FILE has of the others on as many seeds: the same
arrays.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from dpbench import audit_samples
from dpbench.bounds import lower, upper
from dpbench.core.sampling import stream
from dpbench.core.validation import MissingExtra, extra
from dpbench.privacy import gaussian
from studies.command import keep

CONFIDENCE = 0.95
SNIPED = 0.01  # DP-Sniper's probability of the event on the other side
TRAIN_ROWS = 100_000  # a side, at most

Rng = np.random.Generator


@dataclass(frozen=True)
class Law:
    """Two samplers, the rows of each, δ, and the exact ε."""

    first: Callable[[int, Rng], np.ndarray]
    second: Callable[[int, Rng], np.ndarray]
    rows: int
    delta: float
    epsilon: float


def laplace(shift: float, rows: int, rng: Rng) -> np.ndarray:
    return shift + rng.laplace(size=rows)


def normal(shift: float, rows: int, rng: Rng) -> np.ndarray:
    return shift + rng.standard_normal(rows)


def heavy(shift: float, rows: int, rng: Rng) -> np.ndarray:
    return shift + rng.standard_cauchy(rows)


def tails(share: float, rows: int, rng: Rng) -> np.ndarray:
    """Standard normal, but for a share far out on either side."""
    far = rng.random(rows) < share
    return np.where(far, rng.choice([-8.0, 8.0], rows), 0.0) + rng.standard_normal(rows)


def told(share: float, rows: int, rng: Rng) -> np.ndarray:
    """1 with this probability, else 0."""
    return (rng.random(rows) < share).astype(float)


def of(sampler: Callable[..., np.ndarray], one: float, other: float, rows: int, delta: float, epsilon: float) -> Law:
    return Law(partial(sampler, one), partial(sampler, other), rows, delta, epsilon)


MU = gaussian.mu(1.0, 1e-5)
HEAVY = float(np.log((3.0 + np.sqrt(5.0)) / (3.0 - np.sqrt(5.0)))) / 2.0
LAWS: dict[str, Law] = {
    "Laplace": of(laplace, 1.0, 0.0, 1_000_000, 0.0, 1.0),
    "Gaussian": of(normal, MU, 0.0, 1_000_000, 1e-5, 1.0),
    "two-sided tail": of(tails, 0.002, 0.0001, 1_000_000, 0.0, float(np.log(20.0))),
    "Cauchy": of(heavy, 1.0, 0.0, 1_000_000, 0.0, HEAVY),
    "rare event, 1e-4 against 0": of(told, 1e-4, 0.0, 300_000, 0.0, float("inf")),
    "1% against 0.1%, 3,000 rows": of(told, 0.01, 0.001, 3_000, 0.0, float(np.log(10.0))),
    "1% memorised, 2,000 rows": of(told, 0.01, 0.0, 2_000, 0.0, float("inf")),
    "Laplace, 2,000 rows": of(laplace, 1.0, 0.0, 2_000, 0.0, 1.0),
    "Laplace, 300 rows": of(laplace, 1.0, 0.0, 300, 0.0, 1.0),
}
"""The exact ε of the Cauchy pair is the logarithm of the largest ratio of densities one apart."""


def arrays(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The two sides' outputs, equally many."""
    law = LAWS[name]
    return law.first(law.rows, stream(seed, "arrays", name, 0)), law.second(law.rows, stream(seed, "arrays", name, 1))


def bounds(name: str, seed: int, ours: bool = False) -> dict[str, float]:
    """Each auditor's bound on the same arrays, or `ours` alone."""
    law, (first, second) = LAWS[name], arrays(name, seed)
    by_auditor = {
        "dpbench": audit_samples(first, second, delta=law.delta, confidence=CONFIDENCE, seed=seed).epsilon_lower
    }
    if ours:
        return by_auditor
    by_auditor["classifier"] = sniped(first, second, law.delta, 1.0 - CONFIDENCE)
    try:
        auditing = extra("jax_privacy.auditing", "bench")
    except MissingExtra:
        return by_auditor
    peer = auditing.CanaryScoreAuditor(first, second)
    ways = {
        "default (Bonferroni)": auditing.Bonferroni(),
        "Split(0.5)": auditing.Split(0.5, seed=seed),
        "Split(0.1)": auditing.Split(0.1, seed=seed),
    }
    for way, strategy in ways.items():
        bound = peer.epsilon_clopper_pearson(1.0 - CONFIDENCE, law.delta, threshold_strategy=strategy)
        by_auditor[f"jax-privacy, {way}"] = float(bound)
    return by_auditor


def sniped(first: np.ndarray, second: np.ndarray, delta: float, alpha: float) -> float:
    """The bound of a classifier in the manner of DP-Sniper."""
    thirds = [np.array_split(side.reshape(len(side), -1), 3) for side in (first, second)]
    train = [third[0][:TRAIN_ROWS] for third in thirds]
    model = HistGradientBoostingClassifier(max_iter=40, early_stopping=False, random_state=0)
    model.fit(np.concatenate(train), np.repeat([1, 0], [len(x) for x in train]))
    second_third, last = ([model.decision_function(third[k]) for third in thirds] for k in (1, 2))
    best, event = -np.inf, (0, 1, 1.0, 0.0)
    for likely, sign in ((0, 1.0), (1, -1.0)):
        other = sign * second_third[1 - likely]
        threshold = float(np.sort(other)[-max(int(SNIPED * len(other)), 1)])
        p, q = float(np.mean(sign * second_third[likely] >= threshold)), float(np.mean(other >= threshold))
        promise = (p - delta) / max(q, 1.0 / len(other))
        if promise > best:
            best, event = promise, (likely, 1 - likely, sign, threshold)
    likely, rest, sign, threshold = event
    hits = [int(np.count_nonzero(sign * last[side] >= threshold)) for side in (likely, rest)]
    p = float(lower(hits[0], len(last[likely]), alpha / 2.0)) - delta
    q = float(upper(hits[1], len(last[rest]), alpha / 2.0))
    return float(np.log(p / q)) if p > q else 0.0


def measure(name: str, seeds: int, ours: bool = False) -> dict[str, Any]:
    """Means, their standard errors, and how many bounds exceed the truth, of each auditor (or of `ours` alone)."""
    bounds_by_seed = [bounds(name, seed, ours) for seed in range(seeds)]
    law = LAWS[name]
    rows = {}
    for auditor in bounds_by_seed[0]:
        values = np.array([f[auditor] for f in bounds_by_seed])
        error = float(values.std(ddof=1) / np.sqrt(seeds)) if seeds > 1 else None
        rows[auditor] = {"mean": float(values.mean()), "se": error, "above": int((values > law.epsilon).sum())}
    epsilon = law.epsilon if np.isfinite(law.epsilon) else None
    return {"rows": law.rows, "delta": law.delta, "epsilon": epsilon, "seeds": seeds, "auditors": rows}


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m studies.arrays", description=__doc__)
    parser.add_argument("--law", choices=list(LAWS), action="append", help="default: all")
    parser.add_argument("--seeds", type=int, default=50, help="how many (default 50)")
    parser.add_argument("--ours", action="store_true", help="audit_samples alone; the others stay as --json has them")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    for name in given.law or LAWS:
        laws: dict[str, Any] = {}
        if given.json is not None and given.json.exists():
            laws = json.loads(given.json.read_text(encoding="utf-8"))["laws"]
        before = laws.get(name, {})
        seeds = before.get("seeds", given.seeds) if given.ours else given.seeds
        row = measure(name, seeds, given.ours)
        if given.ours:
            row["auditors"] = {**before.get("auditors", {}), **row["auditors"]}
        print(json.dumps({name: row}), flush=True)
        if not any(auditor.startswith("jax") for auditor in row["auditors"]):
            print("jax-privacy is not installed: pip install 'dpbench-suite[bench]' for its columns")
        if given.json is not None:
            keep(given.json, {"laws": {name: row}}, "arrays.json")


if __name__ == "__main__":
    main()
