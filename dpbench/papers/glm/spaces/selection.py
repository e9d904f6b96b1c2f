"""Algorithms 4 and 5: concentration of losses, penalties, the choice of a candidate, and boosting's privacy."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpbench.certificates.search.formula import Values
from dpbench.certificates.search.question import inequality, pair_event
from dpbench.certificates.search.space import Integer, Real, Space


def _count(size: str, side: int) -> tuple[Callable[[Values], float], str]:
    """z standard deviations from the mean of a binomial count of v[size] draws, in 0..v[size]."""

    def count(v: Values) -> float:
        n = v[size]
        return min(max(float(round(n * v["p"] + side * v["z"] * math.sqrt(n * v["p"] * (1.0 - v["p"])))), 1.0), n - 1.0)

    return count, "records with the label Y, at the event's end"


LABELS = Space(
    "the zero model on labels of two values, squared loss, any two values, chances and sizes",
    {
        "n": Integer("records", 4, 10**6),
        "Y": Real("bound on the labels", 1e-2, 1e3),
        "b": Real("the other label over Y", 0.0, 0.9),
        "p": Real("chance of a label Y", 1e-4, 0.9999),
        "z": Real("the event's end, in standard deviations", 0.0, 6.0),
        "gamma": Real("sub-Gaussian parameter", 1e-9, 1e3),
        "beta": Real("failure probability", 1e-8, 0.5),
    },
    derived={"k": _count("n", 1)},
    definitions={
        "H": "2",
        "loss": "b^2*Y^2 + p*(1 - b^2)*Y^2",
        "mean": "b^2*Y^2 + k/n*(1 - b^2)*Y^2",
        "T": "4*gamma*log(4/beta)*sqrt(H)/(Y*sqrt(n))",
    },
)
_TWO = (
    "w = 0 is sub-Gaussian with any gamma > 0, labels Y with chance p, else b Y: the mean loss is b^2 Y^2 + (1 - b^2) "
    "Y^2 Bin(n, p)/n; k or more labels Y break the first inequality, and betatail is the chance of that.",
)
_BEYOND = {"beyond": ("mean > (1 + T)*loss + U", "k labels Y break the first inequality")}

HALF = Space(
    "the zero model on labels of two values and S_2, squared loss",
    {
        "records": Integer("records of S_2, half of all", 4, 10**6),
        "Y": Real("bound on the labels", 1e-2, 1e3),
        "B": Real("radius", 1e-3, 1e3),
        "X": Real("bound on the features' norm", 1e-3, 1e3),
        "K": Integer("candidates", 1, 100),
        "p": Real("chance of a label Y", 1e-4, 0.9999),
        "z": Real("the event's end, in standard deviations", 0.0, 6.0),
        "beta": Real("failure probability", 1e-8, 0.5),
    },
    derived={"k": _count("records", -1)},
    definitions={"H": "2", "n": "2*records", "short": "p*Y^2 - k/records*Y^2"},
)
_SHORT = (
    "w = 0, labels Y with chance p, else 0: the mean loss over S_2 is Y^2 Bin/records and the risk p Y^2; k labels Y "
    "or fewer are beyond the penalty, and betatail is the chance of that.",
)
CANDIDATES = Space(
    "grid search over w_0 = 0 and two radii on a point mass that every other candidate fits, squared loss",
    {
        "n": Integer("records", 2, 10**12),
        "epsilon": Real("claimed", 1e-4, 10.0),
        "beta": Real("failure probability", 1e-6, 0.5),
        "X": Real("bound on the features' norm", 1e-2, 1e2),
        "Y": Real("bound on the labels", 1e-2, 1e2),
        "unit": Integer("sensitivity of a mean over n records, or 2 over n/2", 1, 2),
    },
    definitions={
        "H": "2",
        "K": "2",
        "Delta_1": "Y^2 + H*2^2*X^2",
        "Delta_2": "Y^2 + H*4^2*X^2",
        "gamma_1": "unit*Delta_1/n",
        "gamma_2": "unit*Delta_2/n",
        "t": "4*log(4*(K + 1)/beta)/epsilon",
        **{f"score_{j}": f"Delta_{j}*log(K/beta)/n + sqrt(4*Y^2*log(K/beta)/n)" for j in (1, 2)},
        "q_1": "score_1 + t*gamma_1",
        "q_2": "score_2 + t*gamma_2",
        "s_0": "max(0, max((Y^2 - q_1)/gamma_1, (Y^2 - q_2)/gamma_2))",
        "s_1": "max(0, max((q_1 - Y^2)/gamma_1, (q_1 - q_2)/(gamma_1 + gamma_2)))",
        "s_2": "max(0, max((q_2 - Y^2)/gamma_2, (q_2 - q_1)/(gamma_1 + gamma_2)))",
        "w_0": "exp(-epsilon*s_0/4)",
        "w_1": "exp(-epsilon*s_1/4)",
        "w_2": "exp(-epsilon*s_2/4)",
    },
    conditions={"fits": ("Y <= 2*X", "the candidate of radius 2 fits a label Y at the feature X")},
)
_CHOSEN = (
    "Every record is (X, Y), every candidate but w_0 = 0 fits it: the excess of w_0 is Y^2, and ERR is 0 at radius 2.",
    "The scores are Y^2 for w_0 and the printed penalties for the others; GenExpMech at epsilon/2, beta/4 weighs "
    "candidate i by exp(-(epsilon/4) max_j (q_i - q_j)/(gamma_i + gamma_j)), q the shifted scores.",
)
_FAIREST = {
    "beyond": ("Y^2 > score_1 + 8*Delta_1*log(4*(K + 1)/beta)/(n*epsilon)", "w_0 is beyond the bound of candidate 1"),
    "mean": ("unit <= 1", "the sensitivities Delta/n"),
}

BOOSTED = Space(
    "boosting a base that ignores the data, on a law of one record and a neighbour with any other",
    {
        "n": Integer("records", 2, 10**9),
        "m": Integer("models", 2, 200),
        "Y": Real("bound on the labels", 1e-2, 1e3),
        "Delta": Real("bound on the loss of the base's output", 1e-6, 1e6),
        "epsilon": Real("claimed", 1e-3, 20.0),
        "delta": Real("claimed", 1e-10, 0.1),
    },
    conditions={"chunks": ("n >= m + 1", "a record for each chunk")},
)
_TYPICAL = (
    "The base returns 0 or -Y e by a fair coin: (0, 0)-DP. All records are (0, 0), of loss 0, so the choice looks at "
    "no coin: the chosen model is 0 with chance 1/2.",
    "The last chunk, of n/(m + 1) records, has one record (e, -Y) instead: the loss Y^2 for 0 and 0 for -Y e. Model 0 "
    "is chosen only if all coins say 0, or one of m - 1 Laplace variables beats another by gap; two Laplace variables "
    "of scale 1 differ by g or more on one side with chance (1 + g/2) exp(-g)/2.",
)
_CHANCE = "min(1, 1/2^m + (m - 1)*exp(-gap)*(1 + gap/2)/2)"

QUESTIONS: dict[str, Any] = {
    "glm.lemma11.inequality": inequality(
        LABELS, "betatail(p, k, n - k + 1)", "beta", derivation=_TWO, conditions=_BEYOND,
        definitions={"U": "4*gamma*log(4/beta)*Y*sqrt(H)/sqrt(n) + Y*sqrt(log(2/beta))/sqrt(n)"},
    ),
    "glm.lemma11.inequality.corrected": inequality(
        LABELS, "betatail(p, k, n - k + 1)", "beta", derivation=_TWO, conditions=_BEYOND,
        definitions={"U": "4*gamma*log(4/beta)*Y*sqrt(H)/sqrt(n) + 2*Y^2*sqrt(log(2/beta)/n) + 2*Y^2*log(2/beta)/n"},
    ),
    "glm.thm7.inequality.penalty": inequality(
        HALF, "betatail(1 - p, records - k, k + 1)", "beta/(2*K)", derivation=_SHORT,
        definitions={
            "Delta": "Y^2 + H*B^2*X^2",
            "tau": "Delta*log(4*K/beta)/n + sqrt(4*Y^2*log(4*K/beta)/n)",
        },
        conditions={"beyond": ("short > tau", "k labels Y are beyond tau")},
    ),
    "glm.thm7.inequality.penalty.corrected": inequality(
        HALF, "betatail(1 - p, records - k, k + 1)", "beta/(4*K)", derivation=_SHORT,
        definitions={"tau": "sqrt(2*Y^2*Y^2*log(4*K/beta)/records)"},
        conditions={"beyond": ("short > tau", "k labels Y are beyond tau")},
    ),
    "glm.thm7.inequality.constants": inequality(
        CANDIDATES, "w_0/(w_0 + w_1 + w_2)", "beta", derivation=_CHOSEN,
        definitions={"bound": "sqrt(4*Y^2*log(4*K/beta)/n) + 5*Delta_1/(n*epsilon)"},
        conditions={"beyond": ("Y^2 > bound", "the excess of w_0 is beyond the bound")},
        witness=tuple(
            {"n": n, "epsilon": Fraction(1, part), "beta": Fraction(1, 10), "X": 1, "Y": 1, "unit": unit}
            for n, part in ((9_000, 100), (90_000, 1_000), (10**6, 10**4)) for unit in (1, 2)
        ),
    ),
    "glm.thm7.inequality.fairest": inequality(
        CANDIDATES, "w_0/(w_0 + w_1 + w_2)", "beta/4", derivation=_CHOSEN, conditions=_FAIREST
    ),
    "glm.thm13.privacy.typical-records": pair_event(
        BOOSTED, "1/2", _CHANCE, derivation=_TYPICAL, least="epsilon",
        definitions={"gap": "Y^2*(m + 1)/n/(4*(m + 1)*Delta/(n*epsilon))"},
        witness={"n": 4, "m": 3, "Y": 5, "Delta": 1, "epsilon": Fraction(49, 100), "delta": Fraction(1, 10)},
    ),
    "glm.thm13.privacy.exact": pair_event(
        BOOSTED, "1/2", _CHANCE, derivation=_TYPICAL,
        definitions={"gap": "Y^2*epsilon/(2*Delta)"},
        conditions={"losses": ("Delta >= 4*Y^2", "the loss of both models at any record of the data domain")},
    ),
}  # fmt: skip
