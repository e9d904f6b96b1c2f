"""Privacy of noisy gradient descent, on losses that make its outputs Gaussian."""

from __future__ import annotations

from typing import Any

from dpbench.certificates.search.question import pair_shift
from dpbench.certificates.search.space import Integer, Real, Space

CLAIMED = {"epsilon": Real("claimed", 1e-2, 100.0), "delta": Real("claimed", 1e-10, 0.1)}
MU = {"mu": Real("Gaussian shift that (epsilon, delta) allows", 1e-3, 30.0)}
CALIBRATED = {"calibrated": ("gaussian_delta(mu, epsilon) <= delta", "mu is within (epsilon, delta)")}

DESCENT = Space(
    "noisy gradient descent on the capped linear loss, all records but one cancelling in pairs",
    {
        **CLAIMED,
        **MU,
        "end": Real("B, the end of the loss's linear part", 1e-5, 1e2),
        "d": Integer("dimension", 1, 1000),
        "half": Integer("pairs of records that cancel", 1, 10**4),
    },
    definitions={
        "H": "1",
        "n": "2*half + 1",
        "T": "n",
        "Y": "sqrt(1/2 + end)",
        "G": "2*Y*sqrt(H) + 2*H*end",
    },
)
_AFTER = {
    "eta": "min(end/(sqrt(T)*max(sqrt(H)*Y, sigma*sqrt(d))), 1/(4*H))",
    "room": "end - eta*(T - 1)/n",
    "reach": "room/(eta*sigma*sqrt(T - 1))",
    "kappa": "2*gammatail(d/2, reach^2/2)",
    "average": "sqrt(6*T/(4*(2*T - 1)))",
}
_ROOM = {"room": ("room > 0", "without noise the ball is not met")}
_DESCENT = (
    "Loss with slope -y up to B in the direction of y, (|y| - (u - B))^2/2 beyond: convex, non-negative, 1-smooth, at "
    "zero 1/2 + B = Y^2 for labels +-1; on the ball its gradients are -y x. Records (e, +1) and (e, -1) in turn, the "
    "last (e, +1) or (e, -1), X = 1: mean gradients -+e/n at every step.",
    "Without projections the average of w_1..w_T is Gaussian; the distance of its means over its standard deviation is "
    "(2/n) sqrt(T - 1)/sigma times sqrt(6T/(4(2T - 1))). A projection is ever active with probability at most kappa "
    "(Levy's inequality for the largest partial sum), which costs at most (1 + e^epsilon) kappa of delta.",
)


def _descent(sigma: str, **fields: Any) -> Any:
    conditions = {**_ROOM, **fields.pop("conditions", {})}
    return pair_shift(
        DESCENT, "2/n*sqrt(T - 1)*average", "sigma", delta="delta + (1 + exp(epsilon))*kappa", derivation=_DESCENT,
        definitions={"sigma": sigma, **_AFTER}, conditions=conditions, **fields,
    )  # fmt: skip


PRINTED = "sqrt(8*G^2*T*log(1/delta)/(n^2*epsilon^2))"

QUESTIONS: dict[str, Any] = {
    "glm.thm1.privacy.printed": _descent(PRINTED, least="epsilon"),
    "glm.cor2.privacy.printed": _descent(PRINTED, least="epsilon"),
    "glm.thm1.privacy.exact": _descent("2/n*sqrt(T - 1)/mu", conditions=CALIBRATED),
}  # fmt: skip
