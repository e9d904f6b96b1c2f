"""Every row of the three papers reaches its expected verdict at level quick, with notes and a value."""

import inspect
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from declared import found

from dpbench.ledger.compare import compare
from dpbench.ledger.evidence import committed
from dpbench.ledger.registry import all_claims
from dpbench.ledger.stated import rows_of
from dpbench.rates.exclusion import rate_verdict

EVIDENCE = Path(__file__).resolve().parents[2] / "evidence" / "ledger"
CLAIMS = [claim for claim in all_claims() if not claim.full_only]


def of_formulas(claim):
    return getattr(claim.run, "func", None) is rows_of


def same_at_both_levels(claim):
    """Whether what is measured asks nothing of its run."""
    return inspect.getsource(getattr(claim.run, "func", claim.run)).count("context") == 1


def assert_committed(claims):
    """Values are those of the committed evidence: one that changes is measured again, with a reason in the commit."""
    measured = {}
    for claim in claims:
        verdict, evidence = found(claim.id)
        measured[claim.id] = {"verdict": verdict, "level": "full", "seed": 0, "evidence": evidence.to_dict()}
    same = {one.id for one in compare(committed(EVIDENCE, measured), measured, claims) if one.kind == "same"}
    assert measured.keys() - same == set()


def as_expected(claim):
    verdict, evidence = found(claim.id)
    if claim.kind == "rate" and claim.expected == "consistent" and claim.paper != "glm":
        assert_power(claim, evidence)
    assert verdict == claim.expected
    assert evidence.level <= claim.level and evidence.notes and not math.isnan(evidence.value)
    assert claim.holds or verdict not in ("refuted", "inconsistent"), "what holds in its place"


def assert_power(claim, evidence):
    """An exponent that is off by what the entry says that it would see is rejected, and by less it is not.

    A law that is slower by a power moves the slope by that power and keeps the width of its interval. The power is
    printed with two digits.
    """
    stated = re.search(r"would see (\d+\.\d+)", evidence.notes[0])
    assert stated, f"{claim.id} does not say what it would see"
    for error, rejected in ((float(stated[1]) + 0.006, True), (float(stated[1]) - 0.006, False)):
        planted = tuple(end + error for end in evidence.interval)
        verdict = rate_verdict(planted, evidence.reference, claim.side, evidence.allowance, claim.resolution)
        if rejected or claim.side == "upper":  # what a tight claim would see is the worse of its two sides
            assert (verdict == "inconsistent") is rejected, (error, verdict)


@pytest.mark.parametrize("claim", [c for c in CLAIMS if not c.level and not of_formulas(c)], ids=lambda claim: claim.id)
def test_a_row_without_sampling_reaches_its_verdict(claim):
    as_expected(claim)
    if same_at_both_levels(claim):
        assert_committed([claim])


@pytest.mark.parametrize("paper", ["glm", "heavytail", "publicdata"])
def test_rows_of_formulas_reach_their_verdicts_with_the_values_that_are_committed(paper):
    claims = [claim for claim in CLAIMS if claim.paper == paper and of_formulas(claim)]
    for claim in claims:
        as_expected(claim)
    assert len(claims) >= 9 and all(map(same_at_both_levels, claims))
    assert_committed(claims)


@pytest.mark.few(58)
@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.level], ids=lambda claim: claim.id)
def test_a_row_of_samples_reaches_its_verdict(claim):
    as_expected(claim)


def test_another_verdict_is_seen():
    """Planted: a refuted row that is expected to hold."""
    refuted = next(claim for claim in CLAIMS if claim.id == "glm.lemma9.inequality")
    with pytest.raises(AssertionError):
        as_expected(replace(refuted, expected="not refuted"))
