"""What an entry runs is in its closure: checked with a profiler, and with an undeclared call that is planted."""

from __future__ import annotations

import pytest
from observed import undeclared

from dpbench.core.code import Name
from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import Context, Evidence
from dpbench.ledger.registry import all_claims
from dpbench.papers.glm import theory
from dpbench.runs.context import RunContext
from dpbench.runs.executors import Serial

SOME = (
    "glm.lemma2.inequality",
    "glm.thm5.privacy.printed",
    "glm.lemma9.inequality",
    "glm.lemma6.inequality",
    "heavytail.lemma8.inequality",
    "publicdata.alg2.privacy.mean",
)
"""Of each paper, with and without kernels, samples and blocks; all entries under ``-m evidence``."""


def hidden(context: Context) -> tuple[str, Evidence]:
    """Planted: reaches a definition by a name that it computes."""
    getattr(theory, "lipschitz_jl_" + "dimension")(100, 1.0, 1e-5)
    return "not refuted", Evidence(value=1.0)


def planted(*depends: str) -> Claim:
    return Claim("toy.one.inequality", "toy", "", "inequality", "", "", "not refuted", hidden, depends=depends)


def missing(claim: Claim) -> set[Name]:
    with RunContext(level="quick", seed=0, workers=Serial()) as context:
        return undeclared(claim, context)


def test_a_planted_computed_name_is_caught() -> None:
    found = missing(planted())
    assert ("dpbench.papers.glm.theory", "lipschitz_jl_dimension") in found
    declared = planted(*(f"{module}:{name}" for module, name in found))
    assert missing(declared) == set()


@pytest.mark.few(2)
@pytest.mark.parametrize("name", SOME)
def test_some_entries_run_what_their_closure_holds(name: str) -> None:
    (claim,) = [claim for claim in all_claims() if claim.id == name]
    assert missing(claim) == set()


def test_a_key_holds_the_nuisances_of_a_rate_and_the_rule_for_rows() -> None:
    ours = [claim for claim in all_claims() if claim.nuisances]
    held = {(type(one).__module__, type(one).__name__) for claim in ours for one in claim.nuisances}
    assert len(held) >= 4 and all(
        (type(one).__module__, type(one).__name__) in claim.closure.names for claim in ours for one in claim.nuisances
    )
    compared = [claim for claim in all_claims() if claim.kind in ("inequality", "floor", "stability")]
    assert compared and all(("dpbench.ledger.harness", "_compared") in claim.closure.names for claim in compared)


@pytest.mark.evidence
def test_every_entry_runs_what_its_closure_holds() -> None:
    found = {claim.id: missing(claim) for claim in all_claims() if not claim.full_only}
    assert {name: sorted(names) for name, names in found.items() if names} == {}
