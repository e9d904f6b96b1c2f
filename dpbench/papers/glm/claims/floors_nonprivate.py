"""Theorems 16 and 17 and Corollary 5 of the GLM paper: floors for every algorithm, and where the statements fail."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

from dpbench.ledger.core import LEVEL, Context, Evidence
from dpbench.ledger.harness import Rows
from dpbench.papers.glm.claims import paper
from dpbench.papers.glm.claims.floors import Case, private, run_floor
from dpbench.papers.glm.noisy_gd import NoisyGD
from lowerbounds._nonprivate import RATE_CONSTANT, nonprivate

RECORDS = 200
CASES: dict[str, tuple[dict[str, Any], ...]] = {
    "16": ({"y_bound": 1.0, "radius": 1.0}, {"y_bound": 4.0, "radius": 8.0}),
    "17": ({"d": 4}, {"d": 16, "radius": 4.0}, {"d": 1, "radius": 10.0}),
    "cor5": ({"d": 4, "smoothness": 4.0}, {"d": 1, "radius": 10.0, "smoothness": 0.25}),
}


_SIXTEEN = "For every algorithm the mean excess risk over the two signs, M = min(Y, BX) >= 1, is at least "
_SEVENTEEN = "For every algorithm the mean excess risk over the family is at least "
_MIN = "min(Y^2, (B^2X^2 + dY^2)/n, BXY/sqrt(n))"
_NONE = "The paper has no constant; this one is below the exact floor over the range stated. "


@paper.floor(
    "thm16", source="Theorem 16", expected="not refuted", level=LEVEL, arguments={"theorem": "16", "constants": "rate"},
    statement=f"{_SIXTEEN}{RATE_CONSTANT['16']:g} M/sqrt(n).",
    because=_NONE + "Two signs of a label bias of order 1/sqrt(n).",
)
def floor(context: Context, theorem: str, constants: str) -> tuple[str, Evidence]:
    """The private algorithms, and gradient descent without noise, which is not private."""
    algorithms = private(1.0, 1e-5) | {"gradient descent": NoisyGD(1.0, 1e-5, noise_scale=0.0)}
    cases = [
        Case(nonprivate, {"n": RECORDS, "theorem": theorem, **more}, {"constants": constants}, algorithms, {})
        for more in CASES[theorem]
    ]
    return run_floor(context, cases, trials=4, quick=48 if theorem == "16" else 40)


paper.variant(
    floor, "exact", source="Theorem 16, the constant of its construction", expected="not refuted",
    arguments={"theorem": "16", "constants": "exact"},
    statement=_SIXTEEN + "e(0) (1 - TV(P_+^n, P_-^n)), e(0) the excess of the zero predictor.",
    because="By convexity the two excess risks of any predictor sum to at least 2e(0), and no test of n labels errs "
    "less often than 1 - TV in sum.",
)

paper.floor(
    "thm17", source="Theorem 17 (Shamir 2015)", expected="not refuted", level=LEVEL,
    arguments={"theorem": "17", "constants": "rate"},
    statement=f"{_SEVENTEEN}{RATE_CONSTANT['17']:g} {_MIN}, for BX >= Y.",
    because=_NONE + "Neither construction nor constant is in the paper: derived by Assouad's cube, and a pair with a "
        "rare record for the term B^2X^2/n.",
)(floor)

paper.floor(
    "thm17", variant="exact", source="Theorem 17, the Bayes risk of the construction", expected="not refuted",
    level=LEVEL, arguments={"theorem": "17", "constants": "exact"},
    statement=_SEVENTEEN + "its Bayes risk: (p/2)b^2Y^2 E[4 pi(1 - pi)] on the cube, (B - w_1)^2 A_0A_1/(2(A_0 + "
        "A_1)) on the rare pair.",
    because="Signs of the cube are independent given the data, so the posterior mean is the best predictor and its "
    "risk is a binomial sum; on the pair the posterior is known in closed form.",
)(floor)

paper.floor(
    "cor5", source="Corollary 5", expected="not refuted", level=LEVEL,
    arguments={"theorem": "cor5", "constants": "rate"},
    statement=f"{_SEVENTEEN}{RATE_CONSTANT['17']:g} {_MIN} with sqrt(H)X for X, for sqrt(H)BX >= Y.",
    because=_NONE + "Theorem 17 with features sqrt(H)x.",
)(floor)

paper.floor(
    "cor5", variant="exact", source="Corollary 5, the Bayes risk of the construction", expected="not refuted",
    level=LEVEL, arguments={"theorem": "cor5", "constants": "exact"},
    statement=_SEVENTEEN + "its Bayes risk, with sqrt(H)X for X.",
    because="Theorem 17 with features sqrt(H)x: (1/2)(sqrt(H) z - y)^2 is its loss there, so the Bayes risk is the "
    "same.",
)(floor)


@paper.floor(
    "cor5", variant="small-radius", source="Corollary 5, for every B", expected="refuted", holds="glm.cor5.floor",
    statement=f"The floor {RATE_CONSTANT['17']:g} {_MIN}, or with another constant, holds for every B.",
    because="The corollary's w* minimises over the whole space, so the zero predictor's excess is (H/2)E<w*, x>^2 <= "
    "H B^2X^2/2, which falls faster in B than BXY/sqrt(n). Shamir's theorem assumes B large against Y.",
)
def small_radius(context: Context) -> Rows:
    """The zero predictor, whose excess is (H/2)E⟨w*, x⟩² ≤ HB²X²/2 when w* minimises over the whole space."""
    for radius, n in product((1.0, 1e-2, 1e-4), (10, 1000)):
        claimed = RATE_CONSTANT["17"] * min(1.0, (radius**2 + 1.0) / n, radius / math.sqrt(n))
        yield {"radius": radius, "n": n, "left": claimed, "right": 0.5 * radius**2}
    return (
        f"value: the smallest (HB^2X^2/2 - {RATE_CONSTANT['17']:g} min(...))/(HB^2X^2/2), H = X = Y = d = 1",
        "the ratio of the two is B sqrt(n)/(2Y), below every constant as B falls",
    )
