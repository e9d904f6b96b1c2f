"""Lemma 1 (Chaudhuri & Hsu): printed, exact and tight constant, and the γ that is never set."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

from dpbench.ledger.figure import Figure
from dpbench.ledger.measurement import LEVEL, Context, Evidence, column
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.floors import Case, power, private, run_floor
from lowerbounds.curves import best_distance, curve
from lowerbounds.two_points import chaudhuri_hsu, two_point_constant

DELTA = 1e-5
RECORDS = 200
PRIVACY = (0.1, 0.5, 1.0)
CURVE = 0.25
"""ε of the figure: its Δ from 1 to 16 span Δε from 0.25 to 4."""


_STATEMENT = (
    "For (epsilon, delta)-DP A and data sets S, S' that differ in Delta records, E|A(S) - tau| + E|A(S') - tau'| >= "
)
_CLIP = "Clipped to [tau, tau'] the two errors are |tau - tau'| times the error probabilities of a test. "


@paper.floor(
    "lemma1",
    source="Lemma 1",
    expected="not refuted",
    level=LEVEL,
    holds="glm.lemma1.floor.exact",
    arguments={"constants": "printed"},
    statement=_STATEMENT + "|tau - tau'|/4, for Delta <= log(5)/epsilon and delta <= (1 - exp(-epsilon))/16.",
    because=_CLIP + "The printed condition is Delta <= log(1/(2 gamma))/epsilon with gamma never set; log 5 is the "
    "largest Delta epsilon for which group privacy gives 1/4 at every admitted epsilon and delta. A note, no "
    "finding: an unset symbol claims nothing for every value of it.",
    quote=r"For all  $\tau \in \mathbb{R}$ , if  $\Delta \leq \frac{\log(1/2\gamma)}{\epsilon}$  and  "
    r"$\delta \leq \frac{1}{16}(1 - e^{-\epsilon})$ , then  $\mathbb{E}\left[|\mathcal{A}(S) - \tau| "
    r"+ |\mathcal{A}(S') - \tau'|\right] \geq \frac{1}{4}|\tau - \tau'|$ .",
    rows={
        "exact": {
            "source": "Lemma 1, all that group privacy gives",
            "arguments": {"constants": "exact"},
            "statement": _STATEMENT + "(2 - 2 delta_Delta)/(1 + exp(Delta epsilon)) |tau - tau'|.",
            "because": _CLIP + "Their sum is 1 - TV, and group privacy bounds TV by that of randomised response at "
            "Delta epsilon that leaks with probability delta_Delta = delta(exp(Delta epsilon) - 1)/(exp(epsilon) - 1).",
            "figure": Figure("attack_power", "attack_power"),
        },
        "tight": {
            "source": "Lemma 1, the largest constant",
            "arguments": {"constants": "tight"},
            "statement": _STATEMENT + "c |tau - tau'| with c = 1 - max_p(g^Delta(p) - p), g(p) = min(e^eps p + delta, "
            "1 - e^-eps(1 - p - delta), 1); about exp(-Delta epsilon/2) for small epsilon, delta.",
            "because": _CLIP + "A test's power grows by at most one g a record (Dong, Roth & Su 2019, Theorem 2.14), "
            "which is less than group privacy allows for Delta >= 2. Attained: answer 1 with probability g^i(p) at "
            "distance i from S.",
            "figure": Figure("floor_lemma1", "two_point", "an algorithm attains the tight lower bound"),
        },
    },
)
def floor(context: Context, constants: str) -> tuple[str, Evidence]:
    """Noisy GD, output perturbation and zero on pairs at the distance where Δ·c(Δ) is largest."""
    cases = [
        Case(
            chaudhuri_hsu,
            {"n": RECORDS, "epsilon": e, "delta": DELTA, "distance": best_distance(curve(e, DELTA, "exact"), RECORDS)},
            {"constants": constants},
            private(e, DELTA),
            {},
        )
        for e in PRIVACY
    ]
    verdict, evidence = run_floor(context, cases)
    if constants == "tight":
        return attained(verdict, evidence)
    if constants == "exact":
        columns, notes = power(context)
        evidence = replace(evidence, tables=evidence.tables | {"power": columns}, notes=(*evidence.notes, *notes))
    return verdict, evidence


def attained(verdict: str, evidence: Evidence) -> tuple[str, Evidence]:
    """Adds the mechanism that attains the tight constant, and the three constants over Δ."""
    rows = []
    for distance in range(1, 17):
        levels = response_levels(CURVE, DELTA, distance)
        rows.append(
            {
                "distance": distance,
                "exact": two_point_constant(CURVE, DELTA, distance),
                "tight": two_point_constant(CURVE, DELTA, distance, "tight"),
                "attained": 1.0 - levels[-1] + levels[0],
                "violation": violation(levels, CURVE, DELTA),
                "printed": 0.25 if distance * CURVE <= math.log(5.0) else float("nan"),
            }
        )
    worst = max(row["attained"] / row["tight"] for row in rows)
    broken = max(row["violation"] for row in rows)
    notes = (
        *evidence.notes,
        f"the mechanism that answers 1 with probability g^i(p) at distance i from S has error sum {worst:.9g} times "
        f"the tight floor or less, and breaks no ({CURVE:g}, {DELTA:g}) inequality between neighbours ({broken:.1g})",
    )
    return verdict, replace(evidence, tables=evidence.tables | {"curve": column(rows)}, notes=notes)


def response_levels(epsilon: float, delta: float, distance: int) -> list[float]:
    """P(answer 1) on data sets at distance 0, 1, …, Δ from S, for the p at which the two ends differ most."""
    privacy = curve(epsilon, delta)
    first, second = privacy.pair(distance)
    start = float(first[second > first].sum())  # the best test accepts where Q is likelier
    levels = [start]
    for _ in range(distance):
        levels.append(float(privacy.most(levels[-1], 1)))
    return levels


def violation(levels: list[float], epsilon: float, delta: float) -> float:
    """The largest excess over the (ε, δ) inequalities, both answers and both directions, between neighbours."""
    growth = math.exp(epsilon)
    excess = [
        a - growth * b - delta
        for low, high in pairwise(levels)
        for p, q in ((low, high), (high, low))
        for a, b in ((p, q), (1.0 - p, 1.0 - q))
    ]
    return max(excess)
