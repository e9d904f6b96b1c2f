"""Contract of premises and of neighbouring relations; mechanisms in exact arithmetic keep the whole contract."""

from __future__ import annotations

import numpy as np
import pytest
from faulty_mechanisms import PAIR, UserMean

from dpbench.ledger.evidence import unsupported
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.testing import ContractBroken, check_mechanism

PROBLEM = GLMProblem(np.ones((4, 1)), [1.0, -1.0, 1.0, -1.0], loss="linear", x_bound=1.0, y_bound=1.0, radius=1.0)
ONE = OutputPerturbation(1.0, 1e-3, arithmetic="exact")
EXACT = {
    "output perturbation": ONE,
    "boosting": Boosting(ONE, 1.0, 1e-3, models=1, arithmetic="exact"),
}


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
