"""Members of a hard family in one call and one at a time: the work that is timed, and a check of its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from dpbench.core.sampling import stream
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.attacks.members import errors_on
from dpbench.papers.glm.peers.workload import WrongAnswer
from dpbench.papers.glm.problem import GLMProblem
from lowerbounds import HardFamily, chaudhuri_hsu, nonprivate, packing
from lowerbounds.instances import RECORDS_DRAWN

EPSILON, DELTA = 0.5, 1e-6


MECHANISM = NoisyGD(EPSILON, DELTA, steps=100)


BUILD: dict[str, Callable[[int], HardFamily]] = {
    "packing": lambda n: packing(n, 20, EPSILON, DELTA),
    "chaudhuri_hsu": lambda n: chaudhuri_hsu(n, EPSILON, DELTA),
    "nonprivate": lambda n: nonprivate(n, 20),
}


def numpy_records(family: HardFamily, member: Any, rng: np.random.Generator) -> tuple[sparse.csr_array, np.ndarray]:
    """Features and labels of the constructions in NumPy, for x_bound = y_bound = 1."""
    p = {name: int(value) for name, value in family.parameters.items() if name in ("active", "block", "distance")}
    if family.name == "cube":
        columns = rng.integers(0, p["active"], family.n)
        y = np.where(rng.random(family.n) < 0.5 * (1.0 + family.parameters["bias"] * member[columns]), 1.0, -1.0)
    else:
        if family.name == "two-point":
            active, block, sigma = 1, int(family.parameters["records"]), np.array([1.0 - 2.0 * member])
        else:
            active, block, sigma = p["active"], p["block"], member
        same, used = (block - p["distance"]) // 2, active * block
        columns, y = np.full(family.n, -1), np.zeros(family.n)
        columns[:used].reshape(active, block)[:] = np.arange(active)[:, None]
        labels = np.ones((active, block))
        labels[:, :same] = -1.0
        labels[:, same : same + p["distance"]] = sigma[:, None]
        y[:used] = labels.reshape(-1)
    kept = columns[columns >= 0].astype(np.int32)
    starts = np.zeros(family.n + 1, dtype=np.int32)
    np.cumsum(columns >= 0, out=starts[1:])
    return sparse.csr_array((np.ones(kept.size), kept, starts), shape=(family.n, family.d)), y


def one_at_a_time(family: HardFamily, count: int, mechanism: NoisyGD = MECHANISM) -> np.ndarray:
    """The excess of one run on each of `count` members: records, a checked problem, a run, a score."""
    weight = family.floor if family.name == "two-point" else 1.0
    found = np.empty(count)
    for draw in range(count):
        rng = stream(0, "accuracy", family.name, draw)
        member = family.members(rng)
        X, y = numpy_records(family, member, rng)
        loss, radius = ("half-squared", 1.0) if family.name == "cube" else ("squared", family.parameters["target"])
        radius = 1.0 if family.name == "packing" else radius
        problem = GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=radius)
        gaps = mechanism(problem, 1, rng)[0] - family.minimisers(member)
        if family.name == "two-point":
            found[draw] = abs(gaps[0])
        else:
            weight = (0.5 if family.name == "cube" else family.parameters["fraction"]) / family.parameters["active"]
            found[draw] = weight * float((gaps**2).sum())
    return found


def in_one_call(family: HardFamily, count: int, trials: int = 1, mechanism: NoisyGD = MECHANISM) -> np.ndarray:
    """Numbers of the same law from the harness, shape (count, trials)."""
    rngs = [stream(0, "accuracy", family.name, draw) for draw in range(count)]
    members = [family.members(rng) for rng in rngs]
    return errors_on(mechanism, family, members, trials, rngs)[..., 0]


def check(family: HardFamily) -> None:
    """Single runs without noise, and first runs of two, are the same numbers both ways."""
    if family.n > RECORDS_DRAWN and family.name == "cube":
        return  # counts are drawn in the place of records: the law is the same, the numbers are not
    quiet = replace(MECHANISM, noise_scale=0.0)
    for trials, mechanism in ((1, quiet), (2, MECHANISM)):
        found, want = in_one_call(family, 3, trials, mechanism)[:, 0], one_at_a_time(family, 3, mechanism)
        if not np.allclose(found, want, rtol=1e-9, atol=1e-15):
            raise WrongAnswer(f"{family.name}: {found} in one call, {want} one at a time")
