"""The ledger of the heavy-tailed paper: verdicts at level quick, planted errors, and figures from evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from declared import measured, of_paper

from dpbench.core.validation import InvalidInput
from dpbench.ledger.core import Claim
from dpbench.papers.heavytail.algorithms import exponential
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.algorithms.truncation import truncated_risk
from dpbench.papers.heavytail.drawings import boxes_opened
from dpbench.papers.heavytail.populations import HeavyTailedPopulation
from dpbench.papers.heavytail.tails import Tail
from dpbench.papers.heavytail.theorems import (
    equation19,
    equations3_15,
    lemma1,
    lemma2,
    lemmas3_6_9,
    lemmas4_5_7_8_10,
    sharp,
    theorems1_2_bound,
    theorems1_2_moment,
    theorems1_2_privacy,
    theorems1_2_rates,
)
from dpbench.report.drawings import DRAWINGS
from dpbench.runs.context import RunContext

CLAIMS = of_paper("heavytail")
SLOW = [c for c in CLAIMS if c.kind == "rate" or ".value" in c.id]
FAST = [c for c in CLAIMS if c not in SLOW]
BY_ID = {claim.id: claim for claim in CLAIMS}


@pytest.fixture
def context() -> Iterator[RunContext]:
    with RunContext(level="quick", seed=0, workers=1) as made:
        yield made


@pytest.mark.evidence
@pytest.mark.parametrize("claim", FAST, ids=lambda claim: claim.id)
def test_verdicts(claim: Claim, context: RunContext) -> None:
    verdict, evidence = context.run(claim)
    assert verdict == claim.expected
    assert evidence.notes and math.isfinite(evidence.value)


@pytest.mark.evidence
@pytest.mark.parametrize("claim", SLOW, ids=lambda claim: claim.id)
def test_slow_verdicts(claim: Claim, context: RunContext) -> None:
    assert context.run(claim)[0] == claim.expected


@pytest.mark.few(3)
@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.side == "tight"], ids=lambda claim: claim.id)
def test_sharp_slopes(claim: Claim, context: RunContext) -> None:
    """Within 0.05 of ±(θ−1)/θ with a half-width of at most 0.04, at level quick already."""
    verdict, evidence = context.run(claim)
    low, high = evidence.interval
    theta = claim.run.keywords["theta"]
    assert verdict == "consistent" and abs(abs(evidence.value) - (theta - 1.0) / theta) <= 0.05
    assert max(high - evidence.value, evidence.value - low) <= 0.04


def test_values_of_the_mean_excess(context: RunContext) -> None:
    """1 lies in the interval of the ratio for θ = 2; an excess a tenth too large is refuted."""
    evidence = context.run(BY_ID["heavytail.thm1.inequality.value"])[1]
    assert evidence.interval[0] < 1.0 < evidence.interval[1] and evidence.interval[1] < 1.03


def test_a_planted_excess_is_refuted(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = sharp.exact_sweep
    monkeypatch.setattr(sharp, "exact_sweep", lambda *arguments: 1.1 * honest(*arguments))
    assert measured(theorems1_2_rates.value, context, (2.0,))[0] == "refuted"


@pytest.mark.few(3)
@pytest.mark.parametrize(("theta", "domain"), [(2.0, "ball"), (1.25, "ball"), (1.5, "box")])
@pytest.mark.parametrize("sampler", ["enumerate", "tree"])
def test_exact_mean_excess_is_the_mechanism_s(theta: float, domain: str, sampler: str) -> None:
    """Against all probabilities of the net; against draws of the tree (z = 5.2: 2e-7 two-sided, fixed seed)."""
    population = HeavyTailedPopulation.unit(
        Tail("student", 3.0), np.array([0.2, 0.1]), theta=theta, directions="axes", domain=domain
    )
    problem = population.draw(2000, np.random.default_rng(0))
    mechanism = ExponentialMechanism(8.0, net_radius=0.01, sampler=sampler)
    exact = sharp.mean_excess(population, problem, mechanism)
    if sampler == "enumerate":
        points, logs = mechanism.log_probabilities(problem)
        assert exact == pytest.approx(float(np.exp(logs) @ population.excess_risk(points)), rel=1e-6)
        return
    drawn = population.excess_risk(mechanism(problem, 4000, np.random.default_rng(1)))
    error = float(drawn.std()) / math.sqrt(drawn.size)
    assert abs(drawn.mean() - exact) <= 5.2 * error < abs(drawn.mean() - 1.15 * exact)


def test_a_law_outside_the_ball_is_refused() -> None:
    population = HeavyTailedPopulation.unit(Tail("student", 3.0), np.array([0.6, 0.6]), directions="axes")
    problem = population.draw(50, np.random.default_rng(0))
    with pytest.raises(ArithmeticError, match="outside the ball"):
        sharp.mean_excess(population, problem, ExponentialMechanism(1.0))


@pytest.mark.parametrize("theta", [2.0, 1.5, 1.25])
def test_the_minimiser_is_one(theta: float) -> None:
    """No point of a fine grid is below it; a minimiser that forgets the kinks is above one."""
    for seed in range(5):
        problem = lemmas3_6_9.population(theta).draw(40, np.random.default_rng(seed))
        w, value = lemmas3_6_9.truncated_minimiser(problem, 0.7)
        grid = truncated_risk(problem, np.linspace(-1.0, 1.0, 4001)[:, None], 0.7)
        assert value <= grid.min() + 1e-12 and truncated_risk(problem, np.array([w]), 0.7) == pytest.approx(value)
        ends = truncated_risk(problem, np.array([[-1.0], [1.0]]), 0.7)
        assert value < ends.min()


def test_planted_errors_of_the_minimiser_are_refuted(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lemmas3_6_9, "_minima", _far_minima)
    assert measured(lemmas3_6_9.frequencies, context, 6, (2.0,))[0] == "refuted"
    assert measured(lemmas3_6_9.frequencies, context, 9, (1.5,))[0] == "refuted"
    monkeypatch.setattr(lemmas3_6_9, "_hidden_minima", _far_hidden_minima)
    assert measured(lemmas3_6_9.rate, context)[0] == "inconsistent"


def _far_hidden_minima(n: int, seed: int, block: int) -> np.ndarray:
    """Excesses of the rate's law that do not fall with n."""
    return _far_minima(2.0, n, seed, block)[:, 0]


def _far_minima(theta: float, n: int, seed: int, block: int) -> np.ndarray:
    """Excesses that do not fall with n, beyond the bounds of the lemmas in a third of the data sets."""
    rng = np.random.default_rng((n, block))
    return np.where(rng.random((50, 1)) < 1.0 / 3.0, 9.0, 8.0 * rng.random((50, 1)) + 1.0) * np.ones(2)


def test_planted_errors_of_the_misprints(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corrected statement is refuted where its own correction is taken back or its constant is too small."""
    with monkeypatch.context() as plant:
        plant.setattr(lemmas4_5_7_8_10, "line_iota", lambda n, theta: 0.5 * n)
        verdict, _ = measured(lemmas4_5_7_8_10.last_display, context)  # iota so large that it happens to hold
        assert verdict == "not refuted"
    with monkeypatch.context() as plant:
        plant.setattr(lemmas4_5_7_8_10.math, "log1p", lambda u: u + 1e-6)
        assert measured(lemmas4_5_7_8_10.chernoff_step, context, kept=True)[0] == "refuted"


def test_printed_losses_and_audit(context: RunContext) -> None:
    evidence = context.run(BY_ID["heavytail.thm1.privacy"])[1]
    losses = dict(zip(evidence.column("lean"), evidence.column("loss_printed"), strict=True))
    assert losses[4.0] >= 1.7 and evidence.value <= 2.0
    assert evidence.column("attack_epsilon_lower")[0] > 1.0
    assert max(evidence.column("loss_exact")) <= 1.0


def test_a_weight_too_large_is_refuted(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(exponential.SHARES, "exact", 0.55)
    assert measured(theorems1_2_privacy.exact, context, 1)[0] == "refuted"
    monkeypatch.setitem(exponential.SHARES, "printed", 1.1)
    assert measured(theorems1_2_privacy.add_remove, context, 1)[0] == "refuted"


def test_planted_errors_of_the_lemmas_are_refuted(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as plant:  # a ψ half as steep again breaks (3)
        plant.setattr(equations3_15, "psi", lambda x, theta: 1.5 * exponential.psi(x, theta))
        assert measured(equations3_15.sandwich, context, (2.0,))[0] == "refuted"
    with monkeypatch.context() as plant:  # a risk three times too large leaves the uniform band
        honest = lemmas4_5_7_8_10.sums_at
        plant.setattr(lemmas4_5_7_8_10, "sums_at", lambda *arguments: 30.0 * honest(*arguments))
        assert (lemmas4_5_7_8_10.excesses(2.0, 0, 0)[:, 1] > 0.0).all()
    with monkeypatch.context() as plant:  # 2.5 for 3 in the bound: a net of 3 points an axis is beyond it
        plant.setattr(lemma2.theory, "covering_bound", lambda d, size, zeta: d * math.log(2.5 * size / zeta))
        assert measured(lemma2.covering, context)[0] == "refuted"
    with monkeypatch.context() as plant:  # without the ln|R| the utility lemma fails for many candidates
        plant.setattr(lemma1.math, "log", lambda x: 0.0)
        assert measured(lemma1.utility, context)[0] == "refuted"


def test_planted_errors_of_the_bounds_are_refuted(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = theorems1_2_bound.theory.shorter_bound
    monkeypatch.setattr(theorems1_2_bound.theory, "shorter_bound", lambda *a, **k: 0.005 * honest(*a, **k))
    for theta in (2.0, 1.5):
        assert measured(theorems1_2_moment.y_moment_corrected, context, theta)[0] == "refuted"
        assert measured(theorems1_2_bound.large_epsilon_corrected, context, theta)[0] == "refuted"
    monkeypatch.setattr(theorems1_2_bound.theory, "balance", lambda *a, **k: 1e9)
    assert measured(equation19.assumption4, context)[0] == "refuted"


def test_a_planted_slope_is_inconsistent(context: RunContext, monkeypatch: pytest.MonkeyPatch) -> None:
    """Excesses that fall half as fast as they should, with the spread of the true ones."""

    def slower(context: Any, points: list[Any], *others: Any) -> list[np.ndarray]:
        rng = np.random.default_rng(1)
        return [point.n**-0.2 * rng.gamma(50.0, 0.02, (64, 1)) for point in points]

    monkeypatch.setattr(theorems1_2_rates, "outputs", slower)
    assert measured(theorems1_2_rates.in_n, context, 2.0, "norm")[0] == "inconsistent"


@pytest.mark.parametrize("drawing", [d for d in DRAWINGS if d.claim in BY_ID], ids=lambda drawing: drawing.name)
def test_figures_are_drawn_from_evidence(drawing: Any) -> None:
    assert drawing.claim in BY_ID
    n = [1e3, 1e4, 1e5]
    falling = [1.0, 0.3, 0.1]
    series = {
        "n": n, "excess_risk": falling, "standard error": [0.1, 0.03, 0.01], "excess_risk_median": falling,
        "excess_risk_quantile": [3.0, 0.9, 0.3],
        "theory": falling, "lean": [1.0, 2.0, 3.0], "epsilon_claimed": [1.0] * 3, "loss_printed": [1.0, 1.4, 1.7],
        "loss_exact": [0.5, 0.6, 0.7],
    }  # fmt: skip
    evidence = {"value": -0.5, "interval": None, "tables": {"rows": series}}
    figure = drawing.draw(evidence)
    drawn = {line.get_label() for axes in figure.axes for line in axes.get_lines()}
    assert len(drawn) >= 3
    with pytest.raises(InvalidInput, match="evidence must be of this version"):
        drawing.draw({**evidence, "tables": {}})


def test_boxes_opened_are_drawn() -> None:
    rows = [{"d": d, "n": n, "theta": 2.0, "boxes": 10.0 * d} for d, n in ((1, 10_000), (2, 10_000), (3, 10_000))]
    rows += [{"d": 3, "n": n, "theta": 2.0, "boxes": n / 10.0} for n in (1000, 100_000)]
    rows = [{**row, "data": "student", "boxes_median": row["boxes"], "boxes_least": 1.0, "boxes": 1e6} for row in rows]
    others = [{"d": 3, "n": 10_000, "theta": theta, "boxes": 1.0, "data": data} for theta, data in
              ((1.5, "student"), (2.0, "collinear"))]  # fmt: skip
    figure = boxes_opened({"rows": [*rows, *others]})
    by_d, by_n = (axes.get_lines()[0].get_xydata().tolist() for axes in figure.axes)
    assert by_d == [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]
    assert by_n == [[1e3, 100.0], [1e4, 30.0], [1e5, 1e4]]
