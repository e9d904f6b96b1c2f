"""Lemmas 2 and 3: gradient and loss over the ball; a test has them of every loss of the project."""

from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm.theorems import paper

paper.formula(
    "lemma2",
    Statement(
        about="|grad l(w; (x, y))| <= 2|Y| sqrt(H) |X| + 2 H B |X|^2 for every H-smooth non-negative GLM, |w| <= B and "
        "admissible record: {claim} for all a = sqrt(H)|X||Y| and b = H B |X|^2.",
        symbols={"a": Real("sqrt(H)|X||Y|", 0, "inf"), "b": Real("H B |X|^2", 0, "inf")},
        claim=inequality("sqrt(2)*a + b", "<=", "2*a + 2*b"), cells=10,
        steps=(
            "The gradient is phi'(z)x with z = <w, x>, |z| <= B|X|; 0 <= phi(-phi'(0)/H) <= phi(0) - phi'(0)^2/(2H) "
            "gives |phi'(0)| <= sqrt(2H phi(0)) <= sqrt(2H)|Y|, and |phi'(z)| <= |phi'(0)| + H|z|.",
        ),
    ),
    points=[{"a": a, "b": b} for a in (0.01, 1, 100) for b in (0, 0.01, 1, 100)],
    source="Lemma 2",
    expected="proved",
    quote=r"for any  $w \in \mathcal{B}_B$  and  $(x, y) \in (\mathcal{X} \times \mathcal{Y})$  we have  "
    r"$\|\nabla \ell(w, (x, y))\| \le 2\|\mathcal{Y}\|\sqrt{H}\|\mathcal{X}\| + 2HB\|\mathcal{X}\|^2$ .",
)  # fmt: skip
paper.formula(
    "lemma3",
    Statement(
        about="l(w; (x, y)) <= 3(|Y|^2 + H B^2 |X|^2) for every H-smooth non-negative GLM, |w| <= B and admissible "
        "record: {claim} for all shares t of sqrt(H/2)B|X| in |Y| + sqrt(H/2)B|X|.",
        symbols={"t": Real("share of sqrt(H/2)B|X| in |Y| + sqrt(H/2)B|X|", 0, 1)},
        claim=inequality("1", "<=", "3*((1 - t)^2 + 2*t^2)"), cells=20,
        steps=(
            "The root of phi is sqrt(H/2)-Lipschitz, as phi'^2 <= 2H phi: phi(z) <= (|Y| + sqrt(H/2)B|X|)^2.",
            "Both sides are homogeneous of degree 2 in |Y| and sqrt(H/2)B|X|: their sum is taken as 1.",
        ),
    ),
    points=[{"t": t} for t in (0, 0.1, "1/3", 0.6, 1)],
    source="Lemma 3",
    expected="proved",
    quote=r"For any  $w \in \mathcal{B}_B$  and any  $(x,y) \in (\mathcal{X} \times \mathcal{Y})$  it holds "
    r"that  $\ell(w;(x,y)) \leq 3(\|\mathcal{Y}\|^2 + HB^2\|\mathcal{X}\|^2)$ .",
)  # fmt: skip
