"""The membership test on many targets: in one call of the harness, and as former code had it, one target at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.papers.glm import problem
from dpbench.papers.glm.algorithms import _erm_centres, output_perturbation
from dpbench.papers.glm.attacks import membership
from dpbench.papers.glm.peers.pairs import Work, ratio
from dpbench.papers.glm.peers.workload import WrongAnswer
from lowerbounds import fingerprints, membership_inference
from studies.before import former

SIZES = ((1000, 64), (100_000, 8))
"""Records, and targets."""


def membership_rows(pairs: int = 15) -> Iterator[dict[str, Any]]:
    """Draw the targets, make and check both data sets of each, and take on either side as many scores as targets."""
    inside = ("attacks.membership", "problem", "algorithms.output_perturbation")
    names = tuple(f"dpbench.papers.glm.{name}" for name in inside)
    old_kept = former("dpbench.papers.glm.algorithms.output_perturbation")._centres
    ours = (fingerprints, membership_inference, membership, problem, output_perturbation)
    theirs = (former("lowerbounds.fingerprints"), former("lowerbounds.membership_inference"), *map(former, names))
    for n, count in SIZES:
        new = partial(scores, ours, _erm_centres.centres, n, count)
        before = partial(scores, theirs, old_kept, n, count)
        apart = np.abs(new() - before()).max()
        if apart > 1e-4:  # the same draws and noise: only the centres differ, each within 1e-5 of D/(λn) of its own
            raise WrongAnswer(f"n = {n}: scores differ by {apart:.2g}")
        yield {
            "family": "fingerprinting, membership", "n": n, "batch": count, "single": count, "promised": None,
            **asdict(ratio(Work(new, count), Work(before, count), pairs)), "d": 20,
        }  # fmt: skip


def scores(modules: tuple[ModuleType, ...], kept: dict[Any, Any], n: int, count: int) -> np.ndarray:
    """Scores of `count` runs a side of output perturbation on `count` targets, shape (2, count)."""
    families, targets, attack, problems, mechanisms = modules
    kept.clear()
    family = families.fingerprinting(n, 20, 0.1, 1e-5, active=20, mass=min(1.0, 60.0 / n), beta=0.5, constants="tight")
    made = tuple(targets.membership(family, stream(0, "membership", k)) for k in range(count))
    wrap = problems.GLMProblem.from_instance
    sampler = attack.MembershipSampler(
        mechanisms.OutputPerturbation(1.0, 1e-5), made, tuple((wrap(t.present), wrap(t.absent)) for t in made)
    )
    return np.array([sampler(side, count, np.random.default_rng(1)) for side in ("present", "absent")])
