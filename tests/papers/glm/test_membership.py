"""The membership test on many targets in one call: the numbers of one target at a time, by the proof's formula."""

import inspect
import textwrap
from functools import cache

import numpy as np
import pytest
from naive.lowerbounds import membership_score

from dpbench.core.sampling import stream
from dpbench.papers.glm.algorithms import centres as solved
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.attacks import membership as attack
from dpbench.papers.glm.attacks.membership import MembershipSampler
from dpbench.papers.glm.problem import GLMProblem
from lowerbounds import fingerprinting, membership

FAMILY = fingerprinting(40, 6, 0.2, active=4, mass=0.5, beta=0.5, constants="tight")
SIDES = ("present", "absent")


@cache  # not when the file is read: their records are drawn by compiled kernels
def targets():
    return tuple(membership(FAMILY, stream(0, "membership", k)) for k in range(5))


@cache
def problems():
    return tuple((GLMProblem.from_instance(t.present), GLMProblem.from_instance(t.absent)) for t in targets())


def one_at_a_time(mechanism, side, trials, rng):
    """Runs and scores target by target, from the same Generator; a score by the twin."""
    chosen, scores = rng.integers(0, len(targets()), trials), np.empty(trials)
    for place, target in enumerate(targets()):
        mine = np.flatnonzero(chosen == place)
        if mine.size:
            made = mechanism(problems()[place][SIDES.index(side)], mine.size, rng)
            fixed = (target.column, target.bit, target.mean, target.scale)
            scores[mine] = [membership_score(list(output), *fixed) for output in made]
    return scores


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("trials", [1, 3, 80])
def test_all_targets_in_one_call_get_what_each_gets_alone(side, trials):
    """NoisyGD to the bit; output perturbation as far as its centres may differ, twice the solver's tolerance."""
    tau = OutputPerturbation(0.5, 1e-6).tau(problems()[0][0])
    for mechanism, centres in ((NoisyGD(0.5, 1e-6, steps=9), 0.0), (OutputPerturbation(0.5, 1e-6), 2.0)):
        found = MembershipSampler(mechanism, targets(), problems())(side, trials, np.random.default_rng(3))
        solved.centres.clear()
        want = one_at_a_time(mechanism, side, trials, np.random.default_rng(3))
        assert np.abs(found - want).max() <= centres * tau / targets()[0].scale + 1e-15


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("scores[order] = ", "scores[:] = "),
        ('side == "present"', 'side == "absent"'),
        ("chosen[order], outputs", "chosen, outputs"),
    ],
)  # fmt: skip
def test_a_wrong_batch_is_caught(old, new):
    source = textwrap.dedent(inspect.getsource(MembershipSampler.__call__))
    assert old in source
    scope = dict(vars(attack))
    exec(source.replace(old, new), scope)
    mechanism = NoisyGD(0.5, 1e-6, steps=9)
    found = scope["__call__"](
        MembershipSampler(mechanism, targets(), problems()), "present", 80, np.random.default_rng(3)
    )
    assert np.abs(found - one_at_a_time(mechanism, "present", 80, np.random.default_rng(3))).max() > 1e-3
