"""`check_mechanism` on a user's mechanism, on ours, and on planted faults: each is caught by the check made for it."""

import numpy as np
import pytest
from faulty_mechanisms import DRAWS, FAULTS, PAIR, AbortsOnTiesOfTiny, UserMean, records
from registry import heavy_problem

from dpbench.core import validation
from dpbench.core.sampling import block_width
from dpbench.papers.glm.algorithms.noisy_mean import NoisyMean
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.algorithms.baselines import ClippedSubgradient
from dpbench.testing import ContractBroken, check_mechanism, mechanism_checks
from dpbench.testing.hostile import hostile_pairs, tells_apart, tells_apart_on_some


class TestUserMechanism:
    @pytest.mark.parametrize("check", mechanism_checks(UserMean(1.0), PAIR[0], neighbour=PAIR[1]), ids=str)
    def test_contract(self, check):
        check()

    def test_all_checks_at_once(self):
        done = check_mechanism(
            UserMean(1.0), PAIR[0], neighbour=PAIR[1], feasible=lambda outputs: np.isfinite(outputs).all(axis=1)
        )
        assert len(done) == 13 and "feasible outputs" in done and "more budget, no more noise" in done


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_each_planted_fault_is_caught_by_its_check(fault):
    pair = records(-1.0), records(1.0)  # one of the faults changes its input
    checks = mechanism_checks(fault(1.0), pair[0], neighbour=pair[1], trials=8000)
    made_for_it = next(check for check in checks if check.name == FAULTS[fault])
    with pytest.raises(ContractBroken, match=rf"^{fault.__name__}: "):
        made_for_it()


def test_what_hypothesis_finds_is_shrunk():
    """The 40 fixed pairs miss the planted fault; the search names one record of one number."""
    m, pair = AbortsOnTiesOfTiny(1.0), records(-1.0)
    assert tells_apart(m, hostile_pairs(pair, 40)) == ""
    said = tells_apart_on_some(m, pair, 20)
    assert said.endswith("of rows [[5e-324]] repeated, the first then [0.0]") and "FloatingPointError" in said
    assert tells_apart_on_some(UserMean(1.0), pair, 20) == ""


def test_workers_that_share_state_and_outputs_that_are_not_feasible():
    class Shared(UserMean):
        def __call__(self, problem, trials, rng):
            return super().__call__(problem, trials, rng) + float(next(DRAWS))

    checks = {check.name: check for check in mechanism_checks(Shared(1.0), PAIR[0], feasible=lambda w: w[:, 0] < 0.0)}
    for name in ("one worker or two", "feasible outputs", "trials of a call"):
        with pytest.raises(ContractBroken):
            checks[name]()
    assert block_width(PAIR[0]) == 64


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: check_mechanism(UserMean, PAIR[0]), r"^mechanism must be an instance, callable"),
        (lambda: check_mechanism(UserMean(1.0), 3), r"^problem must be an object with a text `digest`"),
        (lambda: check_mechanism(UserMean(1.0), PAIR[0], neighbour=3), r"^neighbour must be an object"),
        (lambda: check_mechanism(UserMean(1.0), PAIR[0], trials=3), r"^trials must be an integer >= 100"),
    ],
)
def test_bad_calls(call, said):
    with pytest.raises(validation.InvalidInput, match=said):
        call()


# Ours


SIGNS = np.array([1.0, -1.0, 1.0, -1.0])
PROBLEM = GLMProblem(0.5 * SIGNS[:, None], SIGNS, loss="linear", x_bound=1.0, y_bound=1.0, radius=2.0)
MEAN = PROBLEM, PROBLEM.replace_record(0, np.ones(1), -1.0)
HEAVY = heavy_problem("ball")
OURS = {
    "noisy mean": (NoisyMean(1.0), MEAN),
    "noisy mean, Gaussian": (NoisyMean(1.0, 1e-3, "gaussian"), MEAN),
    "clipped subgradient": (ClippedSubgradient(1.0, steps=3), (HEAVY, HEAVY.replace_record(0, 1e3 * np.ones(2), -1e3))),
}
"""What is no mechanism of a paper: test_contracts.py has those, and test_contract_premises.py exact arithmetic."""


@pytest.mark.few(2)
@pytest.mark.parametrize("name", OURS)
def test_ours_keep_the_contract(name):
    mechanism, (problem, neighbour) = OURS[name]
    done = check_mechanism(mechanism, problem, neighbour=neighbour)
    assert {"release contents", "audit within the guarantee", "answers on hostile data"} <= set(done)
    assert "last bits within the guarantee" not in done
