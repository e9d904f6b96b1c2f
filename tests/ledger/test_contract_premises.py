"""Contract of premises and of neighbouring relations, and of totality on hostile data for exact mechanisms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbench.core import validation
from dpbench.ledger.evidence import unsupported
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem, glm_problem
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.privacy.profile import pure_profile
from dpbench.testing import ContractBroken, check_mechanism
from dpbench.testing.hostile import misstated, tells_apart

PROBLEM = GLMProblem(np.ones((4, 1)), [1.0, -1.0, 1.0, -1.0], loss="linear", x_bound=1.0, y_bound=1.0, radius=1.0)
ONE = OutputPerturbation(1.0, 1e-3, arithmetic="exact")
EXACT = {
    "output perturbation": ONE,
    "boosting": Boosting(ONE, 1.0, 1e-3, models=1, arithmetic="exact"),
}


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    y=st.lists(st.sampled_from([0.0, 5e-324, -1e100, 1e100, 1.0, -3.0]), min_size=2, max_size=8),
    scale=st.sampled_from([1e-100, 1.0, 1e50]),
)
def test_the_exponential_mechanism_in_integers_answers_on_hostile_data(y, scale):
    x = scale * np.linspace(-1.0, 1.0, len(y))[:, None]
    pair = [HeavyTailedProblem(x, labels, radius=1.0) for labels in (y, [*y[:-1], 7.0])]
    m = ExponentialMechanism(1.0, net_radius=0.2, arithmetic="exact")
    assert tells_apart(m, [(pair[0], pair[1])]) == ""


@dataclass(frozen=True)
class Coin:
    """Ignores the data; its guarantee can be made to say wrong things."""

    fault: str = ""

    def guarantee(self, problem, *, neighbours="replace"):
        epsilon = 1.0 if self.fault == "another" and neighbours == "replace" else 0.0
        relation = "replace" if self.fault == "relation" else neighbours
        return pure_profile(epsilon, why="no data are looked at", neighbours=relation)

    def __call__(self, problem, trials, rng):
        if self.fault == "abort" and problem.y[0] > 0.0:
            raise OverflowError("the data")
        if self.fault == "nan" and problem.y[0] > 0.0:
            return np.full((trials, 1), np.nan)
        return rng.integers(0, 2, (trials, 1)).astype(float)


def test_planted_faults_are_found():
    other = PROBLEM.replace_record(0, np.ones(1), -1.0)
    assert tells_apart(Coin(), [(PROBLEM, other)]) == "" and misstated(Coin(), PROBLEM) == ""
    assert "ends in OverflowError: the data" in tells_apart(Coin("abort"), [(PROBLEM, other)])
    assert "apart: 'nan' against 'an answer'" in tells_apart(Coin("nan"), [(PROBLEM, other)])
    assert "gives a profile for 'replace'" in misstated(Coin("relation"), PROBLEM)
    with pytest.raises(ContractBroken, match="gives a profile for 'replace'"):
        check_mechanism(_Named("relation"), PROBLEM, hostile=())


@dataclass(frozen=True)
class _Named(Coin):
    """Refuses what is no problem and no number of trials, so that the earlier checks pass."""

    def __call__(self, problem, trials, rng):
        glm_problem(problem)
        return super().__call__(problem, validation.integer("trials", trials, at_least=1), rng)


def test_premises_must_be_supported_by_the_committed_evidence():
    found = {"a": {"verdict": "proved"}, "b": {"verdict": "refuted"}}
    assert unsupported(["a"], found) == ""
    assert unsupported(["a", "b", "c"], found) == "b: refuted, c: no evidence"
    good, bad = "publicdata.lemma18.inequality", "glm.thm5.privacy"
    assert "premises and neighbours" in check_mechanism(_Named(), PROBLEM, hostile=(), rests_on=[good])
    with pytest.raises(ContractBroken, match=r"rests on what does not stand: glm\.thm5\.privacy: refuted"):
        check_mechanism(_Named(), PROBLEM, hostile=(), rests_on=[good, bad])


@pytest.mark.parametrize("name", ["output perturbation", pytest.param("boosting", marks=pytest.mark.slow)])
def test_exact_mechanisms_keep_the_contract(name):
    done = check_mechanism(EXACT[name], PROBLEM, neighbour=PROBLEM.replace_record(3, np.ones(1), 1.0), trials=200)
    assert {"premises and neighbours", "last bits within the guarantee", "answers on hostile data"} <= set(done)
