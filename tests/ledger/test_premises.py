"""The rule of premises: "proved" falls with a premise that is refuted, not run or unknown, at any depth."""

import pytest

from dpbench.ledger.premises import fallen, held_to

RESTS = {"theorem": ("lemma", "other"), "corollary": ("theorem",), "lemma": (), "other": ()}
ALL = {
    "theorem": "proved", "corollary": "proved", "lemma": "not refuted", "other": "proved"
}  # fmt: skip


def proved(rests_on, verdicts):
    """The ids that may say "proved"."""
    down = fallen(rests_on, verdicts)
    return {name for name, verdict in verdicts.items() if verdict and held_to(name, verdict, down) == "proved"}


def test_all_stands():
    assert fallen(RESTS, ALL) == {}
    assert proved(RESTS, ALL) == {"theorem", "corollary", "other"}


@pytest.mark.parametrize(
    ("verdict", "why"),
    [("refuted", "refuted"), (None, "not run"), ("inconsistent", "inconsistent"), ("undecided", "undecided")],
)
def test_a_premise_that_does_not_stand_takes_down_what_rests_on_it(verdict, why):
    down = fallen(RESTS, {**ALL, "lemma": verdict})
    assert down == {"theorem": {"lemma": why}, "corollary": {"theorem": "rests on lemma"}}
    assert proved(RESTS, {**ALL, "lemma": verdict}) == {"other"}


def test_a_premise_without_a_verdict_or_an_entry():
    left = {name: verdict for name, verdict in ALL.items() if name != "lemma"}
    assert fallen(RESTS, left)["theorem"] == {"lemma": "not run"}
    assert fallen({"theorem": ("misspelt",)}, {"theorem": "proved"})["theorem"] == {"misspelt": "unknown"}


def test_a_circle_proves_nothing():
    rests = {"a": ("b",), "b": ("a",)}
    verdicts = {"a": "proved", "b": "proved"}
    assert proved(rests, verdicts) == set()
    assert proved({"a": ("a",)}, {"a": "proved"}) == set()
