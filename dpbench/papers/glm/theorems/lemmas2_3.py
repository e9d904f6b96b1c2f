"""Lemmas 2 and 3: gradient and loss over the ball."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbench.certificates import search
from dpbench.ledger.measurement import Context, Evidence
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm import theory
from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.loss_inputs import ONE, RECORD, over_inputs, point


def gradient_sides(
    loss: Loss, logs: np.ndarray, fractions: np.ndarray, signs: np.ndarray, cosine: np.ndarray
) -> tuple[Any, Any]:
    """‖∇ℓ(w; (x, y))‖ and G of Lemma 2 at (log₁₀ X, log₁₀ y_bound, log₁₀ B) and the point inside."""
    x_bound, size, radius, x, z, y = point(loss, logs, fractions, signs, cosine)
    left = np.abs(loss.derivative(z, y)) * x
    return left, theory.smooth_gradient_bound(loss.smoothness, x_bound, size, radius)


def loss_sides(
    loss: Loss, logs: np.ndarray, fractions: np.ndarray, signs: np.ndarray, cosine: np.ndarray
) -> tuple[Any, Any]:
    """ℓ(w; (x, y)) and 3(‖Y‖² + HB²‖X‖²) of Lemma 3, with the arguments of `gradient_sides`."""
    x_bound, size, radius, _, z, y = point(loss, logs, fractions, signs, cosine)
    return loss.value(z, y), theory.smooth_loss_bound(loss.smoothness, x_bound, size, radius)


GRADIENT = Statement(
    about="|grad l(w; (x, y))| <= 2|Y| sqrt(H) |X| + 2 H B |X|^2 for every H-smooth non-negative GLM, |w| <= B and "
    "admissible record: {claim} for all a = sqrt(H)|X||Y| and b = H B |X|^2.",
    symbols={"a": Real("sqrt(H)|X||Y|", 0, "inf"), "b": Real("H B |X|^2", 0, "inf")},
    claim=inequality("sqrt(2)*a + b", "<=", "2*a + 2*b"), cells=10,
    steps=(
        "The gradient is phi'(z)x with z = <w, x>, |z| <= B|X|; 0 <= phi(-phi'(0)/H) <= phi(0) - phi'(0)^2/(2H) gives "
        "|phi'(0)| <= sqrt(2H phi(0)) <= sqrt(2H)|Y|, and |phi'(z)| <= |phi'(0)| + H|z|.",
    ),
)  # fmt: skip
LOSS = Statement(
    about="l(w; (x, y)) <= 3(|Y|^2 + H B^2 |X|^2) for every H-smooth non-negative GLM, |w| <= B and admissible record: "
    "{claim} for all shares t of sqrt(H/2)B|X| in |Y| + sqrt(H/2)B|X|.",
    symbols={"t": Real("share of sqrt(H/2)B|X| in |Y| + sqrt(H/2)B|X|", 0, 1)},
    claim=inequality("1", "<=", "3*((1 - t)^2 + 2*t^2)"), cells=20,
    steps=(
        "The root of phi is sqrt(H/2)-Lipschitz, as phi'^2 <= 2H phi: phi(z) <= (|Y| + sqrt(H/2)B|X|)^2.",
        "Both sides are homogeneous of degree 2 in |Y| and sqrt(H/2)B|X|: their sum is taken as 1.",
    ),
)  # fmt: skip


@paper.inequality(
    "lemma2",
    source="Lemma 2",
    expected="proved",
    statement=GRADIENT,
    because="The gradient is phi'(z)x, so its norm depends on |x|, z = <w, x> and y alone. Self-bounding gives "
    "|phi'(0)| <= sqrt(2H phi(0)) (the paper's Fact 1 has 4 for 2) and smoothness adds H|z|.",
    quote=r"for any  $w \in \mathcal{B}_B$  and  $(x, y) \in (\mathcal{X} \times \mathcal{Y})$  we have  "
    r"$\|\nabla \ell(w, (x, y))\| \le 2\|\mathcal{Y}\|\sqrt{H}\|\mathcal{X}\| + 2HB\|\mathcal{X}\|^2$ .",
    space=search.inequality(RECORD, "2*abs(residual)*X", "2*Y*sqrt(H)*X + 2*H*B*X^2", derivation=ONE),
)
def lemma2(context: Context) -> Evidence:
    """The gradient bound."""
    note = "the sharp form |phi'(0)| <= sqrt(2H phi(0)) leaves a margin of 1 - 1/sqrt(2) = 0.2929 at least"
    return over_inputs(context, gradient_sides, "lemma2", note)


@paper.inequality(
    "lemma3",
    source="Lemma 3",
    expected="proved",
    statement=LOSS,
    because="sqrt(phi(z)) <= sqrt(phi(0)) + sqrt(H/2)|z|, so the loss is at most (|Y| + sqrt(H/2)B|X|)^2.",
    quote=r"For any  $w \in \mathcal{B}_B$  and any  $(x,y) \in (\mathcal{X} \times \mathcal{Y})$  it holds "
    r"that  $\ell(w;(x,y)) \leq 3(\|\mathcal{Y}\|^2 + HB^2\|\mathcal{X}\|^2)$ .",
    space=search.inequality(RECORD, "loss", "3*(Y^2 + H*B^2*X^2)", derivation=ONE),
)
def lemma3(context: Context) -> Evidence:
    """The loss bound."""
    note = "the loss on the ball is at most (Y + sqrt(H/2)B X)^2 <= 3(Y^2 + H B^2 X^2)/2: a margin of 1/2 at least"
    return over_inputs(context, loss_sides, "lemma3", note)
