"""Fact 1: the gradient of a smooth non-negative function is bounded by the root of its value."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbench.certificates import search
from dpbench.ledger.measurement import Context, Evidence
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.loss_inputs import ONE, RECORD, over_inputs, point


def fact1_sides(
    loss: Loss, logs: np.ndarray, fractions: np.ndarray, signs: np.ndarray, cosine: np.ndarray
) -> tuple[Any, Any]:
    """‖∇ℓ(w)‖ and √(4H̃ℓ(w)), with the arguments of `lemmas.gradient_sides`; 0 and 1 where the loss is 0 by rounding."""
    _, _, _, x, z, y = point(loss, logs, fractions, signs, cosine)
    left, square = np.abs(loss.derivative(z, y)) * x, 4.0 * loss.smoothness * x**2 * loss.value(z, y)
    there = square > 1e-200
    return np.where(there, left, 0.0), np.sqrt(np.where(there, square, 1.0))


FACT = Statement(
    about="|grad f(u)| <= sqrt(4 H~ f(u)) for every H~-smooth non-negative f: {claim} for all s = sqrt(H~ f(u)).",
    symbols={"s": Real("sqrt(H~ f(u))", 0, "inf")},
    claim=inequality("sqrt(2)*s", "<=", "2*s"),
    cells=10,
    steps=("0 <= f(u - grad f(u)/H~) <= f(u) - |grad f(u)|^2/(2H~), so |grad f(u)| <= sqrt(2 H~ f(u)).",),
)


@paper.inequality(
    "fact1",
    source="Fact 1",
    expected="proved",
    statement=FACT,
    because="0 <= f(u - grad f(u)/H~) <= f(u) - |grad f(u)|^2/(2H~): 2 will do for the 4, and a parabola attains it.",
    quote=r"For a  $\widetilde{H}$ -smooth non-negative function f, and for any  $u \in \text{dom}(f)$ , we "
    r"have  $\|\nabla f(u)\| \leq \sqrt{4\widetilde{H}f(u)}$ .",
    space=search.inequality(RECORD, "2*abs(residual)", "sqrt(4*H*loss)", derivation=ONE),
)
def fact1(context: Context) -> Evidence:
    """Self-bounding, at random points, corners, and by a search."""
    note = "; the sharp constant is 2, so that 1 - 1/sqrt(2) = 0.2929 is the least there can be"
    return over_inputs(context, fact1_sides, "fact1", add=f"{note}, and squared losses have it everywhere")
