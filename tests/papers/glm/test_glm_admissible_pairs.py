"""Refuted privacy rows of the GLM paper: the pairs that decide each verdict, as the entry made them, one by one.

`test_glm_admissible` lists the assumptions of other refuted rows. Here nothing is written down: the entry is run, and
each profile that its verdict rests on is traced to its mechanism and its two data sets.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from glm_instances import LIPSCHITZ, SMOOTH

from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD, printed_gradient_bound
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems import paper, theorem1, theorem2, theorem3, theorem5, theorem10
from dpbench.papers.glm.theorems.pairs import cancelling_pair
from dpbench.runs.context import RunContext

OWN = {"epsilon", "delta", "calibration", "theorem"}
"""Fields of a mechanism that a theorem sets: all others are to have their defaults, which are the printed values."""


class Used(NamedTuple):
    """What one deciding profile is of."""

    mechanism: Any
    problem: GLMProblem
    neighbour: GLMProblem
    beyond: bool


@contextmanager
def traced():
    """The deciding profiles of what is run inside: those that the rows hold, each with what it was made from."""
    made = {}
    used = []
    with pytest.MonkeyPatch.context() as patch:
        for kind in (NoisyGD, JLMethod, OutputPerturbation):
            patch.setattr(kind, "pair_profile", keeping(kind.pair_profile, made))
        for module in (theorem1, theorem2, theorem3, theorem5, theorem10):
            patch.setattr(module, "profiles", reading(module.profiles, made, used))
        yield used


def keeping(pair_profile, made):
    def kept(self, problem, neighbour, **more):
        profile = pair_profile(self, problem, neighbour, **more)
        made[id(profile)] = profile, self, problem, neighbour
        return profile

    return kept


def reading(profiles, made, used):
    def read(rows, *notes, **more):
        rows = list(rows)
        for row in rows:
            named = row if isinstance(row, dict) else {"epsilon": row[0], "delta": row[1], "pair": row[2]}
            if "pair" in named:
                profile, mechanism, problem, neighbour = made[id(named["pair"])]
                used.append(Used(mechanism, problem, neighbour, profile.delta(named["epsilon"]) > named["delta"]))
        return profiles(rows, *notes, **more)

    return read


def run(claim):
    with traced() as used, RunContext(level="quick", seed=0, workers=1) as context:
        return claim.measure(context)[0], used


def faults(used):
    """What a pair or its mechanism does that the theorem does not allow."""
    mechanism, p, q = used.mechanism, used.problem, used.neighbour
    (x, z), found = (np.asarray(part.X) for part in (p, q)), []
    if p.n != q.n or ((x != z).any(axis=1) | (p.y != q.y)).sum() != 1:
        found.append("not one record replaced")
    for part, features in ((p, x), (q, z)):
        if np.linalg.norm(features, axis=1).max() > p.x_bound * (1 + 1e-12) or np.abs(part.y).max() > p.y_bound:
            found.append("a record beyond its bounds")
        if (part.loss, part.radius, part.x_bound, part.y_bound) != (p.loss, p.radius, p.x_bound, p.y_bound):
            found.append("another problem")
    if not (mechanism.epsilon > 0.0 and 0.0 < mechanism.delta < 1.0 and mechanism.calibration == "printed"):
        found.append("no printed calibration")
    plain = replace(mechanism, **{name: field.default for name, field in mechanism.__dataclass_fields__.items()
                                  if name not in OWN})  # fmt: skip
    if plain != mechanism:
        found.append("a parameter that is not the printed one")
    return found


def convex(loss, reach):
    z = np.linspace(-reach, reach, 2_001)
    return all((np.diff(loss.derivative(z, np.full_like(z, label))) >= -1e-12).all() for label in (-1.0, 1.0))


@pytest.mark.parametrize("name", sorted(SMOOTH | LIPSCHITZ))
def test_every_pair_that_decides_is_admissible_and_run_as_printed(name):
    claim = next(claim for claim in paper.claims if claim.id == name)
    verdict, used = run(claim)
    assert verdict == "refuted" and used and any(one.beyond for one in used)
    for one in used:
        assert faults(one) == []
        p = one.problem
        reach = 4.0 * p.x_bound * p.radius + 1.0  # beyond where any iterate can be
        assert convex(p.loss, reach)
        z = np.linspace(-reach, reach, 2_001)
        for label in np.unique(p.y):
            y = np.full_like(z, label)
            value, slope = p.loss.value(z, y), p.loss.derivative(z, y)
            if name in LIPSCHITZ:
                assert np.abs(slope).max() <= 1.0 + 1e-12  # G = 1, which the noise is for
                continue
            at_zero = float(p.loss.value(np.zeros(1), np.full(1, label))[0])
            assert value.min() >= 0.0
            gradient = 2.0 * np.sqrt(at_zero * p.loss.smoothness) * p.x_bound
            gradient += 2.0 * p.loss.smoothness * p.radius * p.x_bound**2
            assert gradient <= printed_gradient_bound(p) * (1 + 1e-9)  # Y^2 of the noise is no less than the loss at 0
            assert np.diff(slope).max() <= p.loss.smoothness * np.diff(z).max() * (1 + 1e-9) + 1e-12
            assert p.n >= p.loss.smoothness * (p.radius * p.x_bound) ** 2 / at_zero  # n_0


def test_faults_are_seen():
    p, q = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=1.0)
    good = Used(NoisyGD(1.0, 1e-5, calibration="printed"), p, q, True)
    assert faults(good) == []
    assert faults(good._replace(neighbour=q.replace_record(0, np.array([-1.0]), 1.0))) == ["not one record replaced"]
    assert faults(good._replace(mechanism=NoisyGD(1.0, 1e-5))) == ["no printed calibration"]
    stepped = NoisyGD(1.0, 1e-5, calibration="printed", step_size=0.1)
    assert faults(good._replace(mechanism=stepped)) == ["a parameter that is not the printed one"]
    other, _ = cancelling_pair("linear", 11, x_bound=1.0, y_bound=1.0, radius=2.0)
    assert "another problem" in faults(good._replace(neighbour=other))
