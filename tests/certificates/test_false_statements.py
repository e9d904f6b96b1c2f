"""False statements of every kind, false by construction and mostly within a percent of true: nobody accepts one.

``python -m pytest -n 0 -s -m evidence tests/certificates/test_false_statements.py`` tries 100,000, with the counts.
"""

import random
from collections import Counter

import dpbench_check
import pytest
from false_statements import KINDS
from naive.certificates import true
from whole_certificates import report

from dpbench.certificates.build import seal

MANY = 100_000
LOGIC = (
    "the claimed inequality is broken", "it exceeds the delta claimed", "enclosure of", "the sum of the weights",
    "the guarantee is within the claim", "the calibrated number is not", "the sum over the cells is not",
    "undecided, or undefined", "growth like", "the cell",
    "not seen on the cell",
)  # fmt: skip
"""Of what a false statement may be refused: of what it says, not of its form."""


def checked(made):
    """What the checker says, symbols that move nothing being listed as such."""
    answer = report(made)
    if not answer.get("vacuous"):
        return answer
    listed = made | {"inert": dict.fromkeys(answer["vacuous"], "both sides move alike")}
    return report(listed | {"digest": seal(listed)})


def tried(kind, count):
    """Of so many false statements: those that each reader accepts, and what the checker refuses them for."""
    rng, found = random.Random(f"false {kind}"), Counter({"checker": 0, "second": 0})
    for _ in range(count):
        made = KINDS[kind](rng, True)
        answer = checked(made)
        found["checker"] += answer["accepted"]
        found["second"] += true(made)
        found[next((why for why in LOGIC if answer["because"].startswith(why)), f"form: {answer['because']}")] += 1
    return found


def test_every_kind_has_false_statements():
    assert set(KINDS) == set(dpbench_check.KINDS)


def none_is_accepted(kind, count):
    found = tried(kind, count)
    assert found["checker"] == found["second"] == 0
    assert not [why for why in found if why.startswith("form")]
    print(kind, count, dict(found))


@pytest.mark.few(4)
@pytest.mark.parametrize("kind", KINDS)
def test_no_false_statement_is_accepted(kind):
    none_is_accepted(kind, 60)


@pytest.mark.evidence
@pytest.mark.parametrize("kind", KINDS)
def test_none_of_a_hundred_thousand_is(kind):
    none_is_accepted(kind, -(-MANY // len(KINDS)))


@pytest.mark.few(4)
@pytest.mark.parametrize("kind", KINDS)
def test_the_true_twins_are_accepted(kind):
    """The same constructions with the margin on the other side: what refuses the false ones is their falsehood."""
    rng = random.Random(f"true {kind}")
    twins = [KINDS[kind](rng, False) for _ in range(40)]
    assert sum(checked(made)["accepted"] for made in twins) >= 28
    assert sum(true(made) for made in twins) >= 28
