"""``python -m studies.validity``: how often the auditor's bound exceeds the truth, on correct mechanisms.

Each case is a mechanism at its exact ε. A count of false bounds is tested against the nominal rate by a binomial test
that alarms falsely with probability at most 1e-6. ``--json FILE`` keeps the counts under "validity", case by case, and
``--add`` adds to those that are there, from the first seed on that has not been counted.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta, binom

from dpbench import AuditResult, audit, audit_one_run_scores, audit_samples
from dpbench.core.sampling import stream
from dpbench.privacy import gaussian
from studies.command import keep
from studies.power import laplace, normal

Rng = np.random.Generator
ALARM = 1e-6
MU = gaussian.mu(1.0, 0.01)
TRIALS = 2_000
"""Runs a side of an audit, or canaries."""

CONFIDENCES = (0.95, 0.999)

BUDGET = 20_000
"""Runs a side of a sequential audit: two rounds."""


@dataclass(frozen=True)
class Case:
    """A mechanism, its two data sets, the exact ε at δ, and how it is audited."""

    sampler: Any
    one: Any
    other: Any
    delta: float
    epsilon: float
    mode: str = "pair"


def response(d: bool, trials: int, rng: Rng) -> np.ndarray:
    return np.array(["no", "yes"])[(d ^ (rng.random(trials) < 1.0 / (1.0 + math.e))).astype(int)]


def clipped(d: float, trials: int, rng: Rng) -> np.ndarray:
    """Atoms at 0 and 1 of e-fold ratio, and a continuous part."""
    return np.clip(d + rng.laplace(size=trials), 0.0, 1.0)


def pair(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.laplace(scale=2.0, size=(trials, 2))


def same(d: float, trials: int, rng: Rng) -> np.ndarray:
    return rng.laplace(size=trials)


def canaries(included: np.ndarray, count: int, rng: Rng) -> np.ndarray:
    """Scores of orthogonal canaries of length 1 in a sum with noise of deviation 1: each is 1-GDP."""
    return included + rng.standard_normal(count)


CASES = {
    "laplace": Case(laplace, 0.0, 1.0, 0.0, 1.0),
    "gaussian": Case(normal, 0.0, MU, 0.01, 1.0),
    "response": Case(response, False, True, 0.0, 1.0),
    "atoms": Case(clipped, 0.0, 1.0, 0.0, 1.0),
    "vector": Case(pair, 0.0, 1.0, 0.0, 1.0),
    "laplace, delta": Case(laplace, 0.0, 1.0, 0.1, 1.0 + 2.0 * math.log(0.9)),  # δ(ε) = 1 − e^{(ε−1)/2}
    "identical": Case(same, 0.0, 1.0, 0.0, 0.0),
    "sequential": Case(laplace, 0.0, 1.0, 0.0, 1.0, "sequential"),
    "arrays": Case(laplace, 0.0, 1.0, 0.0, 1.0, "arrays"),
    "claim": Case(normal, 0.0, 1.0, 0.0, math.inf, "claim"),
    "one run": Case(canaries, 0.0, 1.0, 1e-5, gaussian.epsilon(1e-5, 1.0), "one run"),
}


def false_bounds(name: str, audits: range, confidence: float, trials: int) -> int:
    """How many of the audits with these seeds give a bound above the exact ε, or refute a true claim."""
    case = CASES[name]
    results = (audited(case, seed, confidence, trials) for seed in audits)
    return sum(f.epsilon_lower > case.epsilon + 1e-12 or f.verdict == "refuted" for f in results)


def audited(case: Case, seed: int, confidence: float, trials: int) -> AuditResult:
    """One audit; claims, where there are any, are exactly true."""
    common: dict[str, Any] = {"delta": case.delta, "confidence": confidence, "seed": seed}
    pair = case.sampler, case.one, case.other
    if case.mode == "sequential":  # the gap is never reached: it stops when it is wrong
        return audit(*pair, trials="auto", epsilon=case.epsilon, gap=1e-9, budget=BUDGET, **common)
    if case.mode == "claim":
        return audit(*pair, trials=trials, claim={"mu": case.other - case.one}, **common)
    rng = stream(seed, "validity", case.mode)
    if case.mode == "arrays":
        return audit_samples(*(case.sampler(d, trials, rng) for d in (case.one, case.other)), **common)
    if case.mode == "one run":
        included = rng.random(trials) < 0.5
        return audit_one_run_scores(included, case.sampler(included, trials, rng), **common)
    return audit(*pair, trials=trials, **common)


def too_often(wrong: int, audits: int, rate: float) -> bool:
    """The binomial test: `wrong` false bounds of `audits` are beyond chance at this rate."""
    return bool(binom.sf(wrong - 1, audits, rate) < ALARM)


def measure(name: str, audits: int, confidence: float, first: int = 0, before: int = 0) -> dict[str, Any]:
    """Counts of one case, with the upper 95% limit of the rate.

    Parameters
    ----------
    name : str
    audits : int
    confidence : float
    first, before : int
        The first seed, and the false bounds that earlier seeds gave.
    """
    started, case = time.process_time(), CASES[name]
    seeds = range(first, first + audits)
    wrong = before + false_bounds(name, seeds, confidence, TRIALS)
    made = seeds.stop
    return {
        "audits": made,
        "trials": BUDGET if case.mode == "sequential" else TRIALS,
        "nominal": round(1.0 - confidence, 12),
        "wrong": wrong,
        "rate": wrong / made,
        "rate_at_most": float(beta.ppf(0.95, wrong + 1, made - wrong)) if wrong < made else 1.0,
        "too_often": too_often(wrong, made, 1.0 - confidence),
        "seconds_an_audit": (time.process_time() - started) / len(seeds),
    }


def main() -> None:
    """Count, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m studies.validity", description=__doc__)
    parser.add_argument("--case", choices=list(CASES), action="append", help="default: all")
    parser.add_argument("--confidence", type=float, choices=CONFIDENCES, default=0.95)
    parser.add_argument("--audits", type=int, default=2_500, help="audits a case (default 2,500)")
    parser.add_argument("--add", action="store_true", help="go on where the counts in --json end")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    for name in given.case or CASES:
        key = f"{name}, {given.confidence:g}"
        kept = json.loads(given.json.read_text(encoding="utf-8")) if given.json and given.json.exists() else {}
        old = kept.get("validity", {}).get(key, {}) if given.add else {}
        row = measure(name, given.audits, given.confidence, old.get("audits", 0), old.get("wrong", 0))
        print(json.dumps({key: row}), flush=True)
        if given.json is not None:
            keep(given.json, {"validity": {key: row}}, "audit.json")


if __name__ == "__main__":
    main()
