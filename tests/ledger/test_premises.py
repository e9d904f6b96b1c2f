"""The rule of premises: "proved" falls with a premise that is refuted, not run or unknown, at any depth."""

from __future__ import annotations

import pytest

from dpbench.ledger.premises import fallen, held_to

RESTS = {"theorem": ("lemma", "other"), "corollary": ("theorem",), "lemma": (), "other": ()}
ALL: dict[str, str | None] = {
    "theorem": "proved", "corollary": "proved", "lemma": "not refuted", "other": "proved"
}  # fmt: skip


def proved(rests_on: dict[str, tuple[str, ...]], verdicts: dict[str, str | None]) -> set[str]:
    """The ids that may say "proved"."""
    down = fallen(rests_on, verdicts)
    return {name for name, verdict in verdicts.items() if verdict and held_to(name, verdict, down) == "proved"}


def test_all_stands() -> None:
    assert fallen(RESTS, ALL) == {}
    assert proved(RESTS, ALL) == {"theorem", "corollary", "other"}


@pytest.mark.parametrize(
    ("verdict", "why"),
    [("refuted", "refuted"), (None, "not run"), ("inconsistent", "inconsistent"), ("undecided", "undecided")],
)
def test_a_premise_that_does_not_stand_takes_down_what_rests_on_it(verdict: str | None, why: str) -> None:
    down = fallen(RESTS, {**ALL, "lemma": verdict})
    assert down == {"theorem": {"lemma": why}, "corollary": {"theorem": "rests on lemma"}}
    assert proved(RESTS, {**ALL, "lemma": verdict}) == {"other"}


def test_a_premise_without_a_verdict_or_an_entry() -> None:
    left = {name: verdict for name, verdict in ALL.items() if name != "lemma"}
    assert fallen(RESTS, left)["theorem"] == {"lemma": "not run"}
    assert fallen({"theorem": ("misspelt",)}, {"theorem": "proved"})["theorem"] == {"misspelt": "unknown"}


def test_a_circle_proves_nothing() -> None:
    rests: dict[str, tuple[str, ...]] = {"a": ("b",), "b": ("a",)}
    verdicts: dict[str, str | None] = {"a": "proved", "b": "proved"}
    assert proved(rests, verdicts) == set()
    assert proved({"a": ("a",)}, {"a": "proved"}) == set()


def test_an_entry_without_premises_keeps_its_verdict() -> None:
    assert proved({}, {"alone": "proved", "fallen": "refuted"}) == {"alone"}
