"""Privacy of noisy gradient descent: the pair whose outputs are Gaussian, and the certificates of both calibrations."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpbench.certificates.build import Draft, Number, Shown, as_computed, below
from dpbench.certificates.search.question import pair_shift
from dpbench.certificates.search.space import Integer, Real, Space
from dpbench.papers.glm import theory
from dpbench.privacy import gaussian

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


def descent(sigma: str, **fields: Any) -> Any:
    conditions = {**_ROOM, **fields.pop("conditions", {})}
    return pair_shift(
        DESCENT, "2/n*sqrt(T - 1)*average", "sigma", delta="delta + (1 + exp(epsilon))*kappa", derivation=_DESCENT,
        definitions={"sigma": sigma, **_AFTER}, conditions=conditions, **fields,
    )  # fmt: skip


PRINTED_SIGMA = "sqrt(8*G^2*T*log(1/delta)/(n^2*epsilon^2))"

PRINTED_DESCENT = descent(PRINTED_SIGMA, least="epsilon")

SYMBOLS = {
    "n": "number of records, and of steps T", "epsilon": "claimed", "delta": "claimed", "H": "smoothness",
    "end": "B, the end of the loss's linear part", "d": "dimension",
}  # fmt: skip


def _pair(n: int, epsilon: float, delta: float, end: float) -> float:
    """P(E) − e^ε Q(E) of the averages alone, before what the projection may cost."""
    y = math.sqrt(0.5 + end)
    gradient = theory.smooth_gradient_bound(1.0, 1.0, y, end)
    sigma = theory.noisy_gd_noise(gradient, n, n, epsilon, delta)
    distance = 2.0 / n * math.sqrt(n - 1.0) * math.sqrt(6.0 * n / (4.0 * (2.0 * n - 1.0)))
    return gaussian.delta(epsilon, distance / sigma)


def printed_certificate() -> Draft:
    """The capped-linear loss, whose gradients come near G/√2, and the average of the iterates alone."""
    n, end = 1001, Fraction(1, 1000)
    instances: list[tuple[dict[str, Number], dict[str, Shown]]] = []
    for epsilon, power in ((35, 2), (42, 3), (50, 5)):
        values: dict[str, Number] = {"half": n // 2, "epsilon": epsilon, "delta": Fraction(1, 10**power), "H": 1,
                                     "end": end, "d": 1}  # fmt: skip
        shown = _pair(n, float(epsilon), 10.0**-power, float(end))
        if shown > 10.0**-power:
            instances.append((values, {"delta": shown}))
    symbols = {**SYMBOLS, "half": "pairs of records that cancel"}
    del symbols["n"]
    return Draft(
        verdict="refuted",
        statement="The average of the iterates on a pair of data sets is beyond (epsilon, delta) for large epsilon.",
        symbols=symbols,
        definitions={
            "n": "2*half + 1",
            "T": "n",
            "Y": "sqrt(1/2 + end)",
            "G": "2*Y*sqrt(H) + 2*H*end",
            "sigma": PRINTED_DESCENT.all_definitions["sigma"],
            "eta": PRINTED_DESCENT.all_definitions["eta"],
            "room": "end - eta*(T - 1)/n",
            "reach": "room/(eta*sigma*sqrt(T - 1))",
            "kappa": "2*gammatail(d/2, reach^2/2)",
            "average": "sqrt(6*T/(4*(2*T - 1)))",
        },
        assumptions={
            "records": ("half >= 1", "the other records cancel in pairs"),
            "room": ("room > 0", "the drift alone stays in the ball"),
            "loss": ("H = 1", "the smoothness of the loss below"),
        },
        claim={"family": "gaussian", "shift": "2/n*sqrt(T - 1)*average", "scale": "sigma", "epsilon": "epsilon",
               "delta": "delta + (1 + exp(epsilon))*kappa"},
        instances=instances,
        derivation=[
            ("Loss with slope -y up to B in the direction of y, (|y| - (u - B))^2/2 beyond: convex, non-negative, "
             "1-smooth, at zero 1/2 + B = Y^2 for labels +-1; on the ball its gradients are -y x.", ["loss"]),
            ("Records (e, +1) and (e, -1) in turn, the last (e, +1) or (e, -1), X = 1: mean gradients -+e/n at every "
             "step.", ["records"]),
            ("Without projections the average of w_1..w_T is Gaussian; the distance of its means over its standard "
             "deviation is (2/n) sqrt(T - 1)/sigma times sqrt(6T/(4(2T - 1))).", []),
            ("A projection is ever active with probability at most kappa (Levy's inequality for the largest partial "
             "sum), which costs at most (1 + e^epsilon) kappa of delta.", ["room"]),
        ],
        theory={
            "G": lambda v: theory.smooth_gradient_bound(v["H"], 1.0, math.sqrt(0.5 + v["end"]), v["end"]),
            "sigma": lambda v: theory.noisy_gd_noise(
                theory.smooth_gradient_bound(v["H"], 1.0, math.sqrt(0.5 + v["end"]), v["end"]),
                int(2 * v["half"] + 1), int(2 * v["half"] + 1), v["epsilon"], v["delta"]),
        },
    )  # fmt: skip


def exact_certificate(projected: bool) -> Draft:
    """T − 1 Gaussian steps, each with shift D/n over σ: one Gaussian shift (D/n)√(T−1)/σ."""
    instances = []
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4), Fraction(16)):
        for power in (3, 6):
            delta = Fraction(1, 10**power)
            mu = below(gaussian.mu(float(epsilon), float(delta)))
            values = {"n": 11, "T": 11, "D": 2, "epsilon": epsilon, "delta": delta, "mu": mu}
            instances.append((values, {"delta": gaussian.delta(float(epsilon), float(mu))}))
    clipped = " over the ball of radius 2B and projected features cut to norm (1 + alpha) X" if projected else ""
    draft = Draft(
        verdict="proved",
        statement="With sigma = (D/n) sqrt(T - 1)/mu all iterates together are within (epsilon, delta).",
        symbols={"n": "number of records", "T": "iterates, of which T - 1 are noisy",
                 "D": f"largest distance of two records' gradients{clipped}", "epsilon": "claimed", "delta": "claimed",
                 "mu": "shift of the Gaussian profile, at most the largest that (epsilon, delta) allows"},
        definitions={"sigma": "D*sqrt(T - 1)/(n*mu)"},
        assumptions={"steps": ("T >= 2", "there is a noisy step"), "shift": ("mu > 0", "the noise is finite")},
        claim={"family": "gaussian", "shift": "D/n*sqrt(T - 1)", "scale": "sigma", "epsilon": "epsilon",
               "delta": "delta"},
        instances=instances,
        derivation=[
            ("Each step releases a mean gradient that one record moves by at most D/n, with Gaussian noise; T - 1 "
             "adaptive steps compose to one Gaussian shift (D/n) sqrt(T - 1)/sigma (Dong, Roth and Su 2019).",
             ["steps"]),
            ("The output is a function of the iterates. The profile falls with sigma, so a smaller mu is as good.",
             ["shift"]),
            *([("The map is drawn without the data and the cut bounds every projected feature, whatever the map.", [])]
              if projected else []),
        ],
    )  # fmt: skip
    return as_computed(draft, "sigma", "standard deviation of the noise, as it is computed", solved="mu")
