"""The ledger of the heavy-tailed paper: verdicts at level quick, an error planted beneath each, and figures."""

import math
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from declared import of_paper

from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.algorithms import exponential
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.tails import Tail
from dpbench.papers.heavytail.theorems import lemmas3_10, sharp, theorems1_2
from lowerbounds import RarePacking

BY_ID = {claim.id.removeprefix("heavytail."): claim for claim in of_paper("heavytail")}
Honest = Callable[..., Any]


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


def test_the_row_of_the_bound_that_remark_1_names_says_so():
    """The remark's own words name it: "for the upper bound in (8)"."""
    main = BY_ID["remark1.floor"]
    (equation,) = re.findall(r"upper bound in \((\d+)\)", main.quote)
    rows = {claim.source for claim in BY_ID.values() if claim.entry == main.id} - {main.source}
    assert {source for source in rows if "Remark 1" in source} == {f"Theorem 1, equation {equation}, Remark 1"}


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


@pytest.mark.parametrize("theta", [2.0, 1.25])
def test_bounds_of_the_deviations_are_those_that_are_printed(theta, monkeypatch):
    """Lemma 5 and (25): where the score is 0 at every point, what is left of each is the risk and the bound."""
    monkeypatch.setattr(lemmas3_10, "sums_at", lambda x, y, w, *given: np.zeros(len(w)))
    n, tail = lemmas3_10.RECORDS, Tail("student", theta + 0.1)
    above, below, shifted = lemmas3_10.excesses(theta, 0, 0)[0]
    risk = 1.5 * tail.moment(1.0) / tail.moment(theta) ** (1.0 / theta)
    iota = 0.5 * (math.log(n) * math.log(20.0) / n) ** (1.0 / theta)
    spread, entropy = 1.5**theta, math.log(20.0 * (2 * n + 1)) / (n * iota)
    bound = iota ** (theta - 1.0) / theta * spread + entropy
    assert (above, below) == pytest.approx((risk - bound, -bound), rel=1e-9)
    wider = (2.0 * iota) ** (theta - 1.0) / theta * (spread + n**-theta)
    assert shifted == pytest.approx(risk - 1.0 / n - wider - entropy, rel=1e-9)
