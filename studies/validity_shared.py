"""Many audits at the cost of few: certifying parts that share a choosing part.

An audit's certifying runs are independent of those that chose its events. So, given the events, the audits of one
choosing part with fresh certifying runs each are independent, and each gives a false bound with probability at most
1 − confidence: the number of false bounds among all of them is at most binomial, as for audits that share nothing. What
is shared is the cost of the choice, and certifying runs are drawn and counted many audits at a time.

Whether a bound is false is decided by the certificates of the audit itself (`dpbench.auditing.split.certificates`); a
point of each certificate's region, computed for all audits at once, spares those that cannot be false.

The arrays of a choosing part are split by `audit_samples`' own rule. They hold the same choosing rows, and fresh ones
wherever that rule takes certifying rows from: were a row taken for both, it would be the same in all these audits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainccinv, betaincinv, ndtr

from dpbench.auditing.blocks import Runs
from dpbench.auditing.certified import exceeds
from dpbench.auditing.choose import Plan, choose
from dpbench.auditing.claimed import as_claim
from dpbench.auditing.events import Event
from dpbench.auditing.levels import Levels
from dpbench.auditing.samples import _split
from dpbench.auditing.sequential import FIRST, share
from dpbench.auditing.split import CHOOSE_SHARE, certificates
from dpbench.bounds import FLOOR, _cap, _weights, critical_value
from dpbench.core.sampling import stream

MODES = ("pair", "sequential", "claim", "arrays")
TOGETHER = 2**22  # outputs of a side that are held at once


@dataclass(frozen=True)
class Case:
    """A mechanism, its two data sets, the exact ε at δ, and how it is audited."""

    sampler: Any
    one: Any
    other: Any
    delta: float
    epsilon: float
    mode: str = "pair"


@dataclass(frozen=True)
class Places:
    """Of an array: where `audit_samples` takes its choosing rows from and where its certifying ones, and the former."""

    choose: np.ndarray
    certify: np.ndarray
    outputs: np.ndarray

    def certifying(self, arrays: np.ndarray) -> np.ndarray:
        """The certifying rows of each array, of shape (audits, rows), once all hold these choosing rows."""
        arrays[:, self.choose] = self.outputs
        return arrays[:, self.certify]


def false_of_many(case: Case, seed: int, confidence: float, trials: int, many: int, budget: int) -> int:
    """How many of `many` audits with the choosing parts of this seed are wrong.

    A sequential one is wrong if the bound of any of its rounds is, up to the round that spends `budget` runs a side.
    """
    levels = Levels(1.0 - confidence)
    if case.mode != "sequential":
        return int(_wrong(case, f"{seed}", trials, many, levels).sum())
    wrong, spent, number = np.zeros(many, dtype=bool), 0, 0
    while spent < budget:
        size = min(FIRST * 2**number, budget - spent)
        if budget - spent < 3 * size:
            size = budget - spent
        part = levels.part(f"round {number + 1}", share(number) * levels.total)
        wrong |= _wrong(case, f"{seed}-{number}", size, many, part)
        spent += size
        number += 1
    return int(wrong.sum())


def _wrong(case: Case, name: str, trials: int, many: int, levels: Levels) -> np.ndarray:
    """bool[many]: which audits of one choosing part and `many` certifying parts give a false bound."""
    runs = Runs(case.sampler, case.one, case.other, 0, "validity")
    rows = max(20, int(CHOOSE_SHARE * trials))
    certify = trials - rows
    _, first, second, _ = runs.collect(f"choose {name}", rows, 1)
    arrays = None
    if case.mode == "arrays":
        arrays = [Places(*_split(np.arange(trials), rows, 0, side), x) for side, x in enumerate((first, second))]
    held = as_claim({"mu": case.other - case.one}, None, case.delta) if case.mode == "claim" else None
    plan = choose(first, second, certify, case.delta, levels.total, False, held)
    tops = np.concatenate(
        [
            _counts(case, plan, name, start, min(start + max(TOGETHER // certify, 1), many), certify, arrays)
            for start in range(0, many, max(TOGETHER // certify, 1))
        ]
    )
    made = certificates(plan, tops[0], certify, Levels(levels.total))
    suspect = np.zeros(many, dtype=bool)
    for event, (_, one) in zip(plan.events, made, strict=True):
        column = tops[:, :, plan.column(event)]
        p, q = _corner(column if event.above else certify - column, event, certify, one.alpha)
        with np.errstate(divide="ignore", invalid="ignore"):
            bounds = np.log(np.maximum(p - case.delta, 0.0) / q) - case.epsilon
        suspect |= (bounds if held is None else held.excess(p, q)) > 0.0
    wrong = np.zeros(many, dtype=bool)
    for k in np.flatnonzero(suspect):
        found = [c for _, c in certificates(plan, tops[k], certify, Levels(levels.total))]
        wrong[k] = (
            any(exceeds(held, c) for c in found)
            if held is not None
            else any(c.region().epsilon(case.delta) > case.epsilon + 1e-12 for c in found)
        )
    return wrong


def _counts(
    case: Case, plan: Plan, name: str, start: int, stop: int, certify: int,
    arrays: list[Places] | None,
) -> np.ndarray:  # fmt: skip
    """int64[stop − start, 2, k]: counts of {score ≥ t} in the certifying runs of these audits, on the two sides."""
    made = []
    for side, data in enumerate((case.one, case.other)):
        rng = stream(0, "validity, certifying", name, side, start)
        drawn = certify if arrays is None else len(arrays[side].outputs) + certify
        outputs: Any = case.sampler(data, (stop - start) * drawn, rng)
        if arrays is not None:
            outputs = arrays[side].certifying(outputs.reshape(stop - start, drawn)).ravel()
        columns = []
        for score, thresholds in zip(plan.scores, plan.thresholds, strict=True):
            scores = np.asarray(score(outputs)).reshape(stop - start, certify)
            columns += [np.count_nonzero(scores >= t, axis=1) for t in thresholds]
        made.append(np.stack(columns, axis=1))
    return np.stack(made, axis=1).astype(np.int64)


def _corner(hits: np.ndarray, event: Event, certify: int, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """A point of the certificate's region for each row of int[many, 2]: no bound read from the region exceeds its."""
    x, y = hits.T[:: 1 if event.forward else -1].astype(np.float64)
    w1, w2 = _weights(event.angle)
    critical, cap = critical_value(event.angle, alpha), _cap(alpha)
    z1 = min(max(w1 * critical, -FLOOR), cap)
    z2 = min((critical - w1 * z1) / w2, cap)
    low = np.where(x > 0, betaincinv(np.maximum(x, 1.0), certify - x + 1.0, ndtr(-z1)), 0.0)
    high = np.where(y < certify, betainccinv(y + 1.0, np.maximum(certify - y, 1.0), ndtr(-z2)), 1.0)
    return low * (1.0 + 1e-9), high * (1.0 - 1e-9)
