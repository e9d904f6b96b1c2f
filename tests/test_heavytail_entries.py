"""The ledger of the heavy-tailed paper: verdicts at level quick, planted errors, and figures from evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from dpbench.claims.core import Claim
from dpbench.claims.heavytail import lemmas, privacy, rates, utility
from dpbench.claims.heavytail.entries import CLAIMS
from dpbench.claims.heavytail.expected import EXPECTED
from dpbench.heavytail import exponential
from dpbench.report.drawings import DRAWINGS
from dpbench.report.figures_heavytail import DRAWINGS as OURS
from dpbench.runs.context import RunContext
from dpbench.validation import InvalidInput

SLOW = [c for c in CLAIMS if c.kind == "rate" or c.id.endswith(".value")]
FAST = [c for c in CLAIMS if c not in SLOW]
BY_ID = {claim.id: claim for claim in CLAIMS}


@pytest.fixture
def context() -> Iterator[RunContext]:
    with RunContext(level="quick", seed=0, workers=1) as made:
        yield made


def test_every_expected_verdict_has_its_entry() -> None:
    assert [claim.id for claim in CLAIMS] and set(BY_ID) == set(EXPECTED)


@pytest.mark.parametrize("claim", FAST, ids=lambda claim: claim.id)
def test_verdicts(claim: Claim, context: RunContext) -> None:
    verdict, evidence = context.run(claim)
    assert verdict == claim.expected
    assert evidence.notes and math.isfinite(evidence.value)


@pytest.mark.evidence
@pytest.mark.parametrize("claim", SLOW, ids=lambda claim: claim.id)
def test_slow_verdicts(claim: Claim, context: RunContext) -> None:
    assert context.run(claim)[0] == claim.expected


def test_one_rate_reaches_its_verdict(context: RunContext) -> None:
    """The sharp slope within 0.05 of −1/2 with a half-width of at most 0.04, as the evidence says it."""
    verdict, evidence = context.run(BY_ID["heavytail.thm1.rate.n.sharp"])
    assert verdict == "consistent"
    low, high = evidence.interval
    assert abs(evidence.value + 0.5) <= 0.05 and max(high - evidence.value, evidence.value - low) <= 0.04


def test_printed_losses_and_audit(context: RunContext) -> None:
    evidence = context.run(BY_ID["heavytail.thm1.privacy.printed"])[1]
    losses = dict(zip(evidence.series["lean"], evidence.series["loss_printed"], strict=True))
    assert losses[4.0] >= 1.7 and evidence.value <= 2.0
    assert "(refuted)" in evidence.notes[1]
    assert max(evidence.series["loss_exact"]) <= 1.0


def test_a_weight_too_large_is_refuted(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(exponential.SHARES, "exact", 0.55)
    assert privacy.exact(1, context)[0] == "refuted"
    monkeypatch.setitem(exponential.SHARES, "printed", 1.1)
    assert privacy.add_remove(1, context)[0] == "refuted"


def test_planted_errors_of_the_lemmas_are_refuted(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as plant:  # a ψ half as steep again breaks (3)
        plant.setattr(lemmas, "psi", lambda x, theta: 1.5 * exponential.psi(x, theta))
        assert lemmas.sandwich((2.0,), context)[0] == "refuted"
    with monkeypatch.context() as plant:  # a risk three times too large leaves the uniform band
        honest = lemmas.sums_at
        plant.setattr(lemmas, "sums_at", lambda *arguments: 30.0 * honest(*arguments))
        assert (lemmas.excesses("upper", 2.0, 0, 0) > 0.0).all()
    with monkeypatch.context() as plant:  # 2.5 for 3 in the bound: a net of 3 points an axis is beyond it
        plant.setattr(lemmas.theory, "covering_bound", lambda d, size, zeta: d * math.log(2.5 * size / zeta))
        assert lemmas.covering(context)[0] == "refuted"
    with monkeypatch.context() as plant:  # without the ln|R| the utility lemma fails for many candidates
        plant.setattr(lemmas.math, "log", lambda x: 0.0)
        assert lemmas.utility(context)[0] == "refuted"


def test_planted_errors_of_the_bounds_are_refuted(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = utility.theory.utility_bound
    monkeypatch.setattr(utility.theory, "utility_bound", lambda *a, **k: 1e-6 * honest(*a, **k))
    assert utility.y_moment_corrected(context)[0] == "refuted"
    assert utility.large_epsilon(2.0, True, context)[0] == "refuted"
    monkeypatch.setattr(utility.theory, "balance", lambda *a, **k: 1e9)
    assert utility.assumption4(False, context)[0] == "refuted"


def test_a_planted_slope_is_inconsistent(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """Excesses that fall half as fast as they should, with the spread of the true ones."""

    def slower(points: list[Any], trials: int, **others: Any) -> list[np.ndarray]:
        rng = np.random.default_rng(1)
        return [point.n**-0.2 * rng.gamma(50.0, 0.02, 64) for point in points]

    monkeypatch.setattr(rates, "sweep", slower)
    assert rates.sharp(2.0, context)[0] == "inconsistent"
    assert rates.in_n(2.0, "norm", context)[0] == "inconsistent"


@pytest.mark.parametrize("drawing", OURS, ids=lambda drawing: drawing.name)
def test_figures_are_drawn_from_evidence(drawing: Any) -> None:
    assert drawing in DRAWINGS and drawing.claim in BY_ID
    n = [1e3, 1e4, 1e5]
    falling = [1.0, 0.3, 0.1]
    series = {
        "n": n, "excess_risk": falling, "excess_risk_median": falling, "excess_risk_quantile": [3.0, 0.9, 0.3],
        "theory": falling, "lean": [1.0, 2.0, 3.0], "epsilon_claimed": [1.0] * 3, "loss_printed": [1.0, 1.4, 1.7],
        "loss_exact": [0.5, 0.6, 0.7],
    }  # fmt: skip
    evidence = {"value": -0.5, "interval": None, "series": series}
    figure = drawing.draw(evidence)
    drawn = {line.get_label() for axes in figure.axes for line in axes.get_lines()}
    assert len(drawn) >= 3
    with pytest.raises(InvalidInput, match="evidence must be of this version"):
        drawing.draw({**evidence, "series": {}})
