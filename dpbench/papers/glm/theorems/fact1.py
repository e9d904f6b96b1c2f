"""Fact 1: the gradient of a smooth non-negative function is bounded by the root of its value."""

from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm.theorems import paper

paper.formula(
    "fact1",
    Statement(
        about="|grad f(u)| <= sqrt(4 H~ f(u)) for every H~-smooth non-negative f: {claim} for all s = sqrt(H~ f(u)).",
        symbols={"s": Real("sqrt(H~ f(u))", 0, "inf")},
        claim=inequality("sqrt(2)*s", "<=", "2*s"),
        cells=10,
        steps=(
            "0 <= f(u - grad f(u)/H~) <= f(u) - |grad f(u)|^2/(2H~), so |grad f(u)| <= sqrt(2 H~ f(u)): 2 will do for "
            "the 4, and a parabola attains it.",
        ),
    ),
    points=[{"s": s} for s in (0.001, 1, 1000)],
    source="Fact 1",
    expected="proved",
    quote=r"For a  $\widetilde{H}$ -smooth non-negative function f, and for any  $u \in \text{dom}(f)$ , we "
    r"have  $\|\nabla f(u)\| \leq \sqrt{4\widetilde{H}f(u)}$ .",
)
