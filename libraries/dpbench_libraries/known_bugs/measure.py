"""How many runs each auditor needs to refute a broken version, and whether one refutes the mended version.

Runs a side double from `FIRST` up to a case's most; each rung has a seed of its own and all auditors see its runs. The
level is divided by the number of rungs, so that an auditor refutes a true claim on any of them with probability at most
`ALPHA`. The mended version is audited once, at the most runs, at the whole level. Seconds are of the processor, of this
process and those it started, for the rung that refuted: its draws, and the auditor.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from dpbench.auditing.bits import bit_features
from dpbench.auditing.independence import DependentOutputs
from dpbench.core.sampling import stream
from dpbench_libraries.environment import EnvironmentFailed
from dpbench_libraries.graybox import audit_graybox
from dpbench_libraries.known_bugs.auditors import Refutes
from dpbench_libraries.known_bugs.cases import Case
from dpbench_libraries.known_bugs.releases import drawn, prepare

ALPHA = 1e-6
FIRST = 500
UNRECORDED = "a release draws its noise from generators of its own, which are not recorded"

Say = Callable[[str], None]


def ladder(most: int) -> list[int]:
    """Runs a side: doubled while they are at most `most`."""
    sizes = [FIRST]
    while 2 * sizes[-1] <= most:
        sizes.append(2 * sizes[-1])
    return sizes


def outputs(case: Case, version: str, runs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of numbers from each data set, as all auditors see them."""
    if case.released:
        first, second = drawn(case, version, runs, seed)
    else:
        call = case.broken if version == "broken" else case.mended
        assert call is not None
        first, second = (
            np.array(
                [call(data, rng) for rng in [stream(seed, "known bugs", case.name, version, side)] for _ in range(runs)]
            )
            for side, data in enumerate(case.pair)
        )
    if case.bits:
        return bit_features(first.ravel()), bit_features(second.ravel())
    return first, second


def measure(case: Case, auditors: dict[str, Refutes], most: int, seed: int, say: Say) -> dict[str, Any]:
    """The row of a case; with "why" alone where it cannot be drawn here."""
    rungs = ladder(min(most, case.most))
    rows: dict[str, Any] = {}
    try:
        prepare(case)
        for k, runs in enumerate(rungs):
            waiting = [name for name in auditors if name not in rows]
            if not waiting:
                break
            say(f"{case.name}: {runs} runs a side, for {', '.join(waiting)}")
            began = spent()
            pair = outputs(case, "broken", runs, seed + k)
            drawing = spent() - began
            for name in waiting:
                began = spent()
                if refuted(auditors[name], pair, case, ALPHA / len(rungs), seed):
                    rows[name] = {"runs": runs, "seconds": round(drawing + spent() - began, 3)}
        say(f"{case.name}: {rungs[-1]} runs a side of the mended version")
        pair = outputs(case, "mended", rungs[-1], seed + len(rungs))
        mended = {name: refuted(one, pair, case, ALPHA, seed) for name, one in auditors.items()}
    except EnvironmentFailed as error:
        return {"why": str(error)}
    return {
        "rungs": rungs, "found": {name: rows.get(name) for name in auditors}, "mended_refuted": mended,
        "gray": {version: gray(case, version, seed) for version in ("broken", "mended")},
    }  # fmt: skip


def refuted(auditor: Refutes, pair: tuple[np.ndarray, np.ndarray], case: Case, alpha: float, seed: int) -> bool:
    """Whether it refutes; outputs that it refuses do not."""
    try:
        return bool(auditor(*pair, case.epsilon, case.delta, alpha, seed))
    except DependentOutputs:
        return False


def gray(case: Case, version: str, seed: int) -> dict[str, Any]:
    """What the recorded runs imply; a release draws its noise where nothing is recorded."""
    began = spent()
    call = case.broken if version == "broken" else case.mended
    if call is None:
        document = {"verdict": "undecided", "epsilon_lower": None, "runs": 0, "reason": UNRECORDED, "control_flow": ""}
    else:
        document = audit_graybox(call, *case.pair, epsilon=case.epsilon, delta=case.delta, seed=seed).to_dict()
    kept = {key: document[key] for key in ("verdict", "epsilon_lower", "runs", "reason", "control_flow")}
    return {**kept, "seconds": round(spent() - began, 3)}


def spent() -> float:
    """Seconds of the processor, of this process and of those it started and waited for."""
    return sum(os.times()[:4])


def alarms(row: dict[str, Any]) -> int:
    """How many auditors, the gray box among them, refuted the mended version."""
    return sum(row["mended_refuted"].values()) + (row["gray"]["mended"]["verdict"] == "refuted")
