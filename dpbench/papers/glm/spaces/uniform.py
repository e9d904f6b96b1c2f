"""Uniform convergence: Theorem 9 on a loss that is linear, from 0 up or not."""

from __future__ import annotations

from typing import Any

from dpbench.certificates.search.growth import order
from dpbench.certificates.search.question import inequality
from dpbench.certificates.search.space import Integer, Real, Space

LINEAR = Space(
    "the linear loss a - y <w, x> (H = 0), fair labels, x = 1, the model at the end of the ball that fits them",
    {
        "root": Integer("half the root of the number of records", 1, 1000),
        "c": Integer("the event's end, in standard deviations", 1, 5),
        "a": Real("loss at zero over B", -1.0, 2.0),
        "B": Real("radius", 1e-2, 1e2),
        "beta": Real("failure probability", 1e-6, 0.5),
    },
    definitions={
        "n": "4*root^2",
        "k": "2*root^2 + root*c",
        "chance": "2*betatail(1/2, k, n - k + 1)",
        "deviation": "(2*k - n)/n*B",
        "empirical": "max(0, a*B - deviation)",
        "R": "abs(a)*B + B",
        "bound": "sqrt(empirical*R*log(1/beta)/n) + R*log(1/beta)/n",
    },
    conditions={
        "some": ("k <= n", "a count"),
        "likely": ("chance > beta", "k ones, or k minus ones, or more, with more than the failure probability"),
    },
)
_LINEAR = (
    "Labels y = 1 or -1, L(w) = a B for every w; at w = B sign(mean label) the empirical risk is a B - B |mean label|, "
    "so the difference is at least the deviation with probability chance. H = 0: the terms with H vanish. R bounds the "
    "loss; the root of a negative empirical risk is read as 0.",
)

QUESTIONS: dict[str, Any] = {
    "glm.thm9.inequality": order(LINEAR, "deviation", "bound", scalable=("root", "B"), derivation=_LINEAR),
    "glm.thm9.inequality.corrected": inequality(
        LINEAR, "deviation", "bound", derivation=_LINEAR,
        conditions={"loss": ("a >= 1", "a non-negative loss")},
    ),
}  # fmt: skip
