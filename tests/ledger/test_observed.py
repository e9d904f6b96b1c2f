"""What an entry runs is in its key: checked with a profiler, and with an undeclared call that is planted."""

from importlib import import_module

import pytest
from observed import undeclared

from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import Evidence
from dpbench.ledger.registry import all_claims
from dpbench.runs.context import RunContext
from dpbench.runs.executors import Serial

SOME = (
    "glm.lemma2.inequality",
    "glm.thm5.privacy",
    "glm.lemma9.inequality",
    "glm.lemma5.stability.corrected",
    "heavytail.lemma5.inequality.theta-below-2",
    "publicdata.alg2.privacy.mean",
)
"""Of each paper, with and without kernels, samples and blocks; all entries under ``-m evidence``."""


def hidden(context):
    """Planted: reaches a module by a name that it computes."""
    import_module("dpbench.papers.glm." + "theory").lipschitz_jl_dimension(100, 1.0, 1e-5)
    return "not refuted", Evidence(value=1.0)


def missing(claim):
    with RunContext(level="quick", seed=0, workers=Serial()) as context:
        return undeclared(claim, context)


def test_a_planted_computed_name_is_caught():
    claim = Claim("toy.one.inequality", "toy", "", "inequality", "", "", "not refuted", hidden)
    assert "dpbench.papers.glm.theory" in missing(claim)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", SOME)
def test_some_entries_run_what_their_key_holds(name):
    (claim,) = [claim for claim in all_claims() if claim.id == name]
    assert missing(claim) == set()


@pytest.mark.evidence
def test_every_entry_runs_what_its_key_holds():
    found = {claim.id: missing(claim) for claim in all_claims() if not claim.full_only}
    assert {name: sorted(names) for name, names in found.items() if names} == {}
