"""Equations 3 and 15: the truncation ψ of (6) and of (16) lies between two logarithms."""

from __future__ import annotations

from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.heavytail.theorems import ORDERS, paper

_BETWEEN = (
    "psi(x) = -log(1 - x + u) on [0, 1], u = x^theta/theta: the lower bound is an equality there, and the upper one is "
    "(1 - x + u)(1 + x + u) = (1 + u)^2 - x^2 >= 1, that is u(2 + u) >= x^2.",
    "Beyond 1: psi is log(theta), the upper bound grows from log(2 + 1/theta), and 1 - x + x^theta/theta is least, "
    "1/theta, at 1. psi is odd.",
)
EQUATION_15 = Statement(
    about="-log(1 - x + |x|^theta/theta) <= psi(x) <= log(1 + x + |x|^theta/theta) for psi of (16), 1 < theta < 2: "
    "{claim} for all 0 < x <= 1, which is the upper bound there.",
    symbols={"x": Real("argument", 0, 1), "theta": Real("order of the moment", 1, 2)},
    claim=inequality("1", "<=", "x^(theta - 2)/theta*(2 + x^theta/theta)"), cells=100, steps=_BETWEEN,
)  # fmt: skip
EQUATION_3 = Statement(
    about="-log(1 - x + x^2/2) <= psi(x) <= log(1 + x + x^2/2) for psi of (6): {claim} for all 0 < x <= 1, which is "
    "the upper bound there.",
    symbols={"x": Real("argument", 0, 1)},
    claim=inequality("1", "<=", "(1/2)*(2 + x^2/2)"),
    cells=100,
    steps=_BETWEEN,
)


paper.formula(
    "eq3",
    EQUATION_3,
    points=[{"x": x} for x in ("1/10", "1/2", 1)],
    source="Equation 3",
    expected="proved",
    quote=r"$-\log(1-x+\frac{x^{2}}{2})\leq\psi(x)\leq\log(1+x+\frac{x^{2}}{2})$",
    because="The lower bound is psi itself on [0, 1]; (1 + x^2/2)^2 - x^2 = 1 + x^4/4 >= 1 gives the upper one, and "
    "oddness the other side.",
    rows={
        "theta-below-2": {
            "statement": EQUATION_15,
            "points": [{"x": x, "theta": theta} for x in ("1/10", "1/2", 1) for theta in ORDERS[2]],
            "source": "Equation 15",
            "quote": r"$-\log(1-x+\frac{|x|^{\theta}}{\theta})\leq\psi(x)\leq\log(1+x+\frac{|x|^{\theta}}{\theta})$",
            "because": "2 x^theta/theta >= x^2 on [0, 1]; 1 - x + x^theta/theta is least, 1/theta, at 1, so that "
            "log(theta) is above its lower bound beyond.",
        }
    },
)
