"""Contract of premises and of neighbouring relations, and of totality on hostile data for exact mechanisms."""

from __future__ import annotations

import numpy as np
import pytest
from faulty_mechanisms import PAIR, UserMean
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbench.ledger.evidence import unsupported
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.testing import ContractBroken, check_mechanism
from dpbench.testing.hostile import tells_apart

PROBLEM = GLMProblem(np.ones((4, 1)), [1.0, -1.0, 1.0, -1.0], loss="linear", x_bound=1.0, y_bound=1.0, radius=1.0)
ONE = OutputPerturbation(1.0, 1e-3, arithmetic="exact")
EXACT = {
    "output perturbation": ONE,
    "boosting": Boosting(ONE, 1.0, 1e-3, models=1, arithmetic="exact"),
}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    y=st.lists(st.sampled_from([0.0, 5e-324, -1e100, 1e100, 1.0, -3.0]), min_size=2, max_size=8),
    scale=st.sampled_from([1e-100, 1.0, 1e50]),
)
def test_the_exponential_mechanism_in_integers_answers_on_hostile_data(y, scale):
    x = scale * np.linspace(-1.0, 1.0, len(y))[:, None]
    pair = [HeavyTailedProblem(x, labels, radius=1.0) for labels in (y, [*y[:-1], 7.0])]
    m = ExponentialMechanism(1.0, net_radius=0.2, arithmetic="exact")
    assert tells_apart(m, [(pair[0], pair[1])]) == ""


def test_premises_must_be_supported_by_the_committed_evidence():
    evidence = {"a": {"verdict": "proved"}, "b": {"verdict": "refuted"}}
    assert unsupported(["a"], evidence) == ""
    assert unsupported(["a", "b", "c"], evidence) == "b: refuted, c: no evidence"
    good, bad = "publicdata.lemma18.inequality", "glm.thm5.privacy"
    assert "premises and neighbours" in check_mechanism(UserMean(1.0), PAIR[0], hostile=(), rests_on=[good])
    with pytest.raises(ContractBroken, match=r"rests on what does not stand: glm\.thm5\.privacy: refuted"):
        check_mechanism(UserMean(1.0), PAIR[0], hostile=(), rests_on=[good, bad])


@pytest.mark.parametrize("name", ["output perturbation", pytest.param("boosting", marks=pytest.mark.slow)])
def test_exact_mechanisms_keep_the_contract(name):
    done = check_mechanism(EXACT[name], PROBLEM, neighbour=PROBLEM.replace_record(3, np.ones(1), 1.0), trials=100)
    assert {"premises and neighbours", "last bits within the guarantee", "answers on hostile data"} <= set(done)
