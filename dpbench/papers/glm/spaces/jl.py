"""Privacy of the JL method as printed, averaged over how the random map stretches the one direction that counts."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from dpbench.certificates.search.formula import Values
from dpbench.certificates.search.mixture import mixture
from dpbench.certificates.search.space import Integer, Real, Space
from dpbench.papers.glm.spaces.privacy import CLAIMED, PRINTED

DEVIATIONS = (-3.0, *np.linspace(-2.0, 2.0, 21), 2.3, 2.6, 3.0, 3.5, 4.2, 5.0, 6.0, 7.0, 10.0, 14.0, 20.0)


@lru_cache(maxsize=256)
def stretches(k: int) -> tuple[float, ...]:
    """Edges in |Φu| of a unit vector, |Φu|² chi-squared over k: near its quantiles (Wilson and Hilferty)."""
    roots = [max(1.0 - 2.0 / (9.0 * k) + z * math.sqrt(2.0 / (9.0 * k)), 0.05) for z in DEVIATIONS]
    return tuple(sorted({round(root**1.5, 7) for root in roots}))


def _edges(values: Values) -> tuple[float, ...]:
    return stretches(int(values["k"]))


def _longest(values: Values) -> float:
    return _edges(values)[-1]


_SELDOM = "2*gammatail(k/2, reach^2/2) + gammatail(k/2, k*longest^2/2)"
LIPSCHITZ = Space(
    "the JL method on a linear loss, all records but one cancelling in pairs",
    {
        **CLAIMED,
        "half": Integer("pairs of records that cancel", 1, 100),
        "B": Real("radius", 1e-2, 1e2),
    },
    derived={
        "k": (lambda v: math.ceil(math.log(2.0 * (2.0 * v["half"] + 1.0) / v["delta"]) * (2.0 * v["half"] + 1.0)
                                  * v["epsilon"]), "projected dimension"),
        "longest": (_longest, "last edge of the partition"),
    },
    definitions={
        "n": "2*half + 1",
        "T": "n^2",
        "sigma": "sqrt(8*T*log(2/delta)/(n^2*epsilon^2))",
        "eta": "B/((1 + sqrt(k*log(2/delta))/(n*epsilon))*T^(3/4))",
        "average": "sqrt(6*T/(4*(2*T - 1)))",
        "mu": "2/n*sqrt(T - 1)/sigma*average",
        "room": "2*B - eta*(T - 1)/n*longest",
        "reach": "room/(eta*sigma*sqrt(T - 1))",
        "kappa": _SELDOM,
    },
    conditions={
        "k": ("k >= log(2*n/delta)*n*epsilon", "the printed dimension, its constant 1"),
        "k_least": ("k < log(2*n/delta)*n*epsilon + 1", "rounded up"),
        "room": ("room > 0", "the drift alone stays in the ball of radius 2B"),
    },
)  # fmt: skip
SMOOTH = Space(
    "the JL method on the capped linear loss, all records but one cancelling in pairs",
    {
        **CLAIMED,
        "half": Integer("pairs of records that cancel", 1, 1000),
        "d": Integer("dimension", 1, 1000),
        "B": Real("radius", 1e-6, 1.0),
        "far": Real("end of the loss's linear part over B", 2.0, 100.0),
    },
    derived={
        "k": (lambda v: max(1, math.ceil(_printed_dimension(v))), "projected dimension"),
        "longest": (_longest, "last edge of the partition"),
    },
    definitions={
        "n": "2*half + 1",
        "T": "n",
        "Y": "sqrt(1/2 + far*B)",
        "G": "2*Y + 2*B",
        "sigma": PRINTED,
        "printed": "(B*log(2*n/delta)*n*epsilon/(Y + B))^(2/3)",
        "eta": "min(B/(sqrt(T)*max(Y, sigma*sqrt(d))), 1/4)",
        "average": "sqrt(6*T/(4*(2*T - 1)))",
        "mu": "2/n*sqrt(T - 1)/sigma*average",
        "room": "2*B - eta*(T - 1)/n*longest",
        "reach": "room/(eta*sigma*sqrt(T - 1))",
        "kappa": _SELDOM,
    },
    conditions={
        "k": ("k >= printed", "the printed dimension, its constant 1"),
        "k_least": ("k < printed + 1", "rounded up"),
        "room": ("room > 0", "the drift alone stays in the ball of radius 2B"),
        "linear": ("far >= 2*longest", "the loss is linear on the ball, at every stretch up to the last edge"),
    },
)


def _printed_dimension(v: Values) -> float:
    n, y = 2.0 * v["half"] + 1.0, math.sqrt(0.5 + v["far"] * v["B"])
    return float((v["B"] * math.log(2.0 * n / v["delta"]) * n * v["epsilon"] / (y + v["B"])) ** (2.0 / 3.0))


_PAIR = (
    "Slope -y along Phi x on the whole ball; records (u, +1) and (u, -1) in turn, the last (u, +1) or (u, -1), G = X = "
    "1: mean gradients -+Phi u/n at every step.",
    "For each map the averaged output differs by a Gaussian shift mu r along Phi u, r = |Phi u|, with one event best "
    "for all r: the profile is E delta(epsilon; mu r), r^2 chi-squared over k for the normal map. It grows with r.",
    "A projection is ever active with probability at most 2 P(chi^2_k > reach^2), for r up to the last edge; this and "
    "longer r cost at most (1 + e^epsilon) kappa.",
)


def _question(space: Space, **fields: Any) -> Any:
    return mixture(
        space, "gaussian_delta(mu*r, epsilon)", "gammatail(k/2, k*r^2/2)", variable="r", partition=_edges,
        delta="delta + (1 + exp(epsilon))*kappa", derivation=_PAIR, **fields,
    )  # fmt: skip


QUESTIONS: dict[str, Any] = {
    "glm.thm10.privacy.printed": _question(LIPSCHITZ),
    "glm.thm10.privacy.moderate": _question(
        LIPSCHITZ, conditions={
            "sizes": ("half >= 5", "n = 11 is the smallest size of the entry"), "most": ("epsilon <= 4", "its range"),
            "least": ("epsilon >= 1", "its range"), "delta": ("delta <= 1/100", "its range"),
        }
    ),
    "glm.thm2.privacy.printed": _question(SMOOTH),
    "glm.thm2.privacy.moderate": _question(
        SMOOTH, conditions={
            "wide": ("k >= log(2*n/delta)", "the dimension that the proof needs"),
            "most": ("epsilon <= 8", "the range of the entry"), "least": ("epsilon >= 1", "the range of the entry"),
        }
    ),
}  # fmt: skip
