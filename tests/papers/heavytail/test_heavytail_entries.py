"""The ledger of the heavy-tailed paper: verdicts at level quick, an error planted beneath each, and figures."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from declared import of_paper

from dpbench.core.validation import InvalidInput
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms import exponential
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.drawings import boxes_opened
from dpbench.papers.heavytail.theorems import lemmas3_10, sharp, theorems1_2
from dpbench.report.drawings import DRAWINGS
from dpbench.runs.context import RunContext
from lowerbounds import RarePacking

BY_ID = {claim.id.removeprefix("heavytail."): claim for claim in of_paper("heavytail")}
Honest = Callable[..., Any]


@pytest.fixture
def context():
    with RunContext(level="quick", seed=0, workers=1) as made:
        yield made


@pytest.mark.evidence
@pytest.mark.parametrize("claim", BY_ID.values(), ids=lambda claim: claim.id)
def test_verdicts(claim, context):
    verdict, evidence = context.run(claim)
    assert verdict == claim.expected
    assert evidence.notes and math.isfinite(evidence.value)


def times(factor):
    """What is measured, so many times."""
    return lambda honest: lambda *given, **named: factor * honest(*given, **named)


def always(value):
    return lambda honest: value


def mathematics(**changes):
    return always(SimpleNamespace(**{**vars(math), **changes}))


def far_minima(honest):
    """Excesses that do not fall with n, beyond the bounds of the lemmas in a third of the data sets."""

    def minima(*setting):
        rng = np.random.default_rng((setting[-3], setting[-1]))
        found = np.where(rng.random((50, 1)) < 1.0 / 3.0, 9.0, 8.0 * rng.random((50, 1)) + 1.0) * np.ones(2)
        return found[:, 0] if len(setting) == 3 else found

    minima.__module__, minima.__qualname__ = __name__, "planted"
    return minima


def falling(power, spread):
    """Outputs of a law whose excess falls with this power of n, which is too slow."""

    def planted(context, points, *others):
        rng = np.random.default_rng(1)
        return [point.n**power * rng.gamma(1.0 / spread, spread, (64, 64)) for point in points]

    return lambda honest: planted


def grown(of):
    return lambda honest: lambda n, d, epsilon, *given, **sizes: of(n, d) * honest(n, d, epsilon, *given, **sizes)


def forgetful(self, problem):
    """ι at ε = 1 and η = 0.05 whatever is asked: slopes −1 and +1 for −1/2 and +1/2."""
    return theory.truncation(problem.n, problem.d, 1.0, 0.05, theta=problem.theta, tau=problem.tau,
                             moment=problem.moment, diameter=problem.diameter)  # fmt: skip


SLOWER, WIDER = grown(lambda n, d: n**0.1), grown(lambda n, d: math.sqrt(d))
CEILINGS = "thm1.inequality.reached", "remark1.floor.assumption1"
SHORTER = [f"thm{theorem}.inequality.y-moment.corrected" for theorem in (1, 2)]
PLANTS = [
    ("lemma2.inequality", theory, "covering_bound", always(lambda d, size, zeta: d * math.log(2.5 * size / zeta))),
    ("lemma3.rate.n", lemmas3_10, "_hidden_minima", far_minima),
    ("lemma5.inequality", lemmas3_10, "sums_at", times(30.0)),
    ("lemma5.inequality.theta-below-2", lemmas3_10, "sums_at", times(30.0)),
    ("lemma6.inequality", lemmas3_10, "_minima", far_minima),
    ("lemma6.inequality.theta-below-2", lemmas3_10, "_minima", far_minima),
    ("lemma10.inequality.eq39-corrected", lemmas3_10, "math", mathematics(log1p=lambda u: u + 1e-6)),
    ("lemma10.inequality.last-display", lemmas3_10, "unit_iota", always(lambda n, d, theta: 0.5 * n)),
    ("thm1.privacy.exact", exponential, "SHARES", always({"exact": 0.55, "printed": 1.0})),
    ("thm1.privacy.add-remove", exponential, "SHARES", always({"exact": 0.5, "printed": 1.1})),
    ("thm1.inequality.value", sharp, "exact_sweep", times(1.1)),
    ("thm1.inequality.quantile", theory, "utility_bound", times(0.01)),
    ("thm1.rate", theorems1_2, "outputs", falling(-0.2, 0.02)),
    ("thm1.rate.n-quantile", theorems1_2, "outputs", falling(-0.1, 0.5)),
    ("thm1.rate.epsilon", ExponentialMechanism, "iota", always(forgetful)),
    ("thm1.rate.eta", ExponentialMechanism, "iota", always(forgetful)),
    ("remark1.floor", RarePacking, "floor", always(property(lambda self: 100.0 * self.excess))),
    *((row, theory, "shorter_bound", times(0.005)) for row in SHORTER),
    *((row, theory, "rate", planted) for row in CEILINGS for planted in (SLOWER, WIDER)),
]  # fmt: skip


@pytest.mark.parametrize(("row", "owner", "name", "plant"), PLANTS, ids=[plant[0] for plant in PLANTS])
def test_an_error_planted_beneath_a_row_changes_its_verdict(
    row, owner, name, plant, context,
    monkeypatch,
):  # fmt: skip
    """A row that holds is refuted; what is refuted for its misprint holds with ι so large that it happens to."""
    claim = BY_ID[row]
    monkeypatch.setattr(owner, name, plant(getattr(owner, name)))
    wrong = {"rate": "inconsistent"}.get(claim.kind, "refuted")
    assert claim.measure(context)[0] == (wrong if claim.expected != "refuted" else "not refuted")


@pytest.mark.few(3)
@pytest.mark.parametrize("claim", [c for c in BY_ID.values() if c.side == "tight"], ids=lambda claim: claim.id)
def test_sharp_slopes(claim, context):
    """Within 0.05 of ±(θ−1)/θ with a half-width of at most 0.04, at level quick already."""
    verdict, evidence = context.run(claim)
    low, high = evidence.interval
    theta = claim.run.keywords["theta"]
    assert verdict == "consistent" and abs(abs(evidence.value) - (theta - 1.0) / theta) <= 0.05
    assert max(high - evidence.value, evidence.value - low) <= 0.04


def test_values_of_the_mean_excess(context):
    evidence = context.run(BY_ID["thm1.inequality.value"])[1]
    assert evidence.interval[0] < 1.0 < evidence.interval[1] < 1.03


def test_printed_losses_and_audit(context):
    evidence = context.run(BY_ID["thm1.privacy"])[1]
    losses = dict(zip(evidence.column("lean"), evidence.column("loss_printed"), strict=True))
    assert losses[4.0] >= 1.7 and evidence.value <= 2.0
    assert max(evidence.column("loss_exact")) <= 1.0


@pytest.mark.parametrize(
    "drawing", [d for d in DRAWINGS if d.claim.removeprefix("heavytail.") in BY_ID], ids=lambda drawing: drawing.name
)
def test_figures_are_drawn_from_evidence(drawing):
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


def test_boxes_opened_are_drawn():
    rows = [{"d": d, "n": n, "theta": 2.0, "boxes": 10.0 * d} for d, n in ((1, 10_000), (2, 10_000), (3, 10_000))]
    rows += [{"d": 3, "n": n, "theta": 2.0, "boxes": n / 10.0} for n in (1000, 100_000)]
    rows = [{**row, "data": "student", "boxes_median": row["boxes"], "boxes_least": 1.0, "boxes": 1e6} for row in rows]
    others = [{"d": 3, "n": 10_000, "theta": theta, "boxes": 1.0, "data": data} for theta, data in
              ((1.5, "student"), (2.0, "collinear"))]  # fmt: skip
    figure = boxes_opened({"rows": [*rows, *others]})
    by_d, by_n = (axes.get_lines()[0].get_xydata().tolist() for axes in figure.axes)
    assert by_d == [[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]
    assert by_n == [[1e3, 100.0], [1e4, 30.0], [1e5, 1e4]]


def test_bounds_of_the_minimiser_are_those_that_are_printed(context):
    """No data set comes near the bounds, so that a frequency would hide an error in them: both are written out."""
    n = 200
    for row, power in (("lemma6.inequality", 2.0), ("lemma6.inequality.theta-below-2", 1.25)):
        evidence = context.run(BY_ID[row])[1]
        iota = 0.5 * (math.log(n) * math.log(20.0) / n) ** (1.0 / power)
        spread, entropy = 1.5**power, math.log(20.0 * (2 * n + 1)) / (n * iota)
        rest = 1.5 * iota * spread + iota / n**2 if power == 2.0 else (2.0 * iota) ** 0.25 / 1.25 * (spread + n**-1.25)
        bound = dict(zip(evidence.column("theta"), evidence.column("right"), strict=True))[power]
        assert bound == pytest.approx(2.0 / n + rest + entropy, rel=1e-9)
