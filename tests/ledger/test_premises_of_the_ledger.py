"""Premises in the ledger: who rests on what, what `verify` makes of it, and mistakes that the premises see."""

import math

import pytest
from made_up import claim

import dpbench
from dpbench.ledger import registry
from dpbench.ledger import verify as running
from dpbench.papers.glm.theorems import premises
from dpbench.privacy import gaussian
from dpbench.runs.context import RunContext

LEMMA = "glm.lemma0.inequality"
ROOTS = {
    "glm.thm12.privacy.exact",
    "publicdata.lemma9.privacy.gaussian-large-m",
    "publicdata.lemma9.privacy.gaussian-exact",
    "publicdata.lemma9.privacy.laplace-exact",
    "publicdata.lemma9.privacy.laplace",
}
"""Proved from the law of the mechanism alone: two shifted Gaussian or Laplace vectors, or all probabilities."""


def test_every_proof_names_premises_that_are_entries_and_run_at_every_level():
    known = {one.id: one for one in registry.all_claims()}
    proved = {one.id for one in known.values() if one.expected == "proved"}
    assert {name for name in proved if known[name].kind == "privacy" and not known[name].rests_on} == ROOTS
    bare = {name for name in proved - ROOTS if not known[name].rests_on}
    written = {name for name in bare if (formal := known[name].formal) is not None and formal.cells and formal.steps}
    assert bare - written == {"publicdata.lemma8.inequality.gaussian-corrected"}  # its steps are its certificate's
    used = {premise for one in known.values() for premise in one.rests_on}
    assert len(used) >= 15 and used <= known.keys()
    for one in known.values():
        late = [premise for premise in one.rests_on if known[premise].full_only]
        assert not late or (one.full_only and one.id not in proved), (one.id, late)


def _ledger(monkeypatch, lemma, **more):
    made = (
        claim(LEMMA, lemma, **more),
        claim("glm.thm0.privacy", "proved", kind="privacy", expected="proved", rests_on=(LEMMA,)),
        claim("glm.cor0.privacy", "proved", kind="privacy", expected="proved", rests_on=("glm.thm0.privacy",)),
    )
    monkeypatch.setattr(running, "all_claims", lambda papers=None: made)
    return dpbench.verify("glm.cor0.privacy")


def test_premises_run_with_what_rests_on_them_and_stay_out_of_the_entries(monkeypatch):
    ledger = _ledger(monkeypatch, "not refuted")
    assert [(entry.claim.id, entry.verdict) for entry in ledger.entries] == [("glm.cor0.privacy", "proved")]
    assert ledger.as_expected
    (item,) = ledger.to_dict()["claims"]
    assert item["rests_on"] == ["glm.thm0.privacy"] and item["premises"] == {"glm.thm0.privacy": "stands"}


@pytest.mark.parametrize(("lemma", "more"), [("refuted", {}), ("not refuted", {"full_only": True})])
def test_proved_falls_with_a_lemma_two_steps_below(monkeypatch, lemma, more):
    ledger = _ledger(monkeypatch, lemma, **more)
    (item,) = ledger.to_dict()["claims"]
    assert item["verdict"] == "not refuted" and not ledger.as_expected
    assert item["premises"] == {"glm.thm0.privacy": f"rests on {LEMMA}"}


MISTAKES = [
    (premises.composition, "all_iterates_profile", lambda old: lambda mu, steps, n, s: old(mu, steps - 1, n, s)),
    (premises.gradients, "gradient_gap", lambda old: lambda *a: 0.99 * old(*a)),
    (premises.clipped_losses, "scoring.loss_width", lambda old: lambda *a: 0.5 * old(*a)),
    (premises.minimisers, "OutputPerturbation.sensitivity", lambda old: lambda *a: 0.5 * old(*a)),
    (premises.noisy_max, "selection.noisy_max_scale", lambda old: lambda *a: 0.5 * old(*a)),
]


@pytest.mark.parametrize(("function", "name", "spoil"), MISTAKES, ids=[name for _, name, _ in MISTAKES])
@pytest.mark.few(2)
def test_a_mistake_shared_by_noise_and_guarantee_is_seen(monkeypatch, function, name, spoil):
    def least():
        rows = list(function(RunContext(level="quick", seed=0)))
        return float(min((row["right"] - row["left"]) / max(row["left"], row["right"]) for row in rows))

    assert least() >= 0.0
    *inside, last = name.split(".")
    owner = getattr(premises, inside[0]) if inside else premises
    monkeypatch.setattr(owner, last, spoil(getattr(owner, last)))
    assert least() < -1e-3


@pytest.mark.parametrize(("mu", "before"), [(0.5, 0), (0.5, 3), (1.3, 8)])
def test_the_composed_loss_is_that_of_one_longer_step(mu, before):
    """The entry holds a profile to it from above: a smaller one would refute nothing."""
    for epsilon in (0.1, 1.0, 3.0):
        exact = gaussian.delta(epsilon, mu * math.sqrt(before + 1.0))
        assert premises._composed(epsilon, mu, before) == pytest.approx(exact, rel=1e-6)
