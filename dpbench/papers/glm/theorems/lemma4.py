"""Lemma 4: the generalisation gap from average stability, for algorithms of any kind."""

from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm.theorems import paper

paper.formula(
    "lemma4",
    Statement(
        about="For n >= n0 and any algorithm A, E[L(A(S); D) - L(A(S); S)] <= sqrt(H~)B/(sqrt(n)|Y|) E[L(A(S); S) - "
        "L(w*; S)] + (2 sqrt(H~ n)|Y|/B) eps_av-stab^2 + sqrt(H~)B|Y|/sqrt(n): {claim} for all a = "
        "sqrt(H~)B/(sqrt(n)|Y|) and v = s/(p + s), p^2 = a E L(A(S); S), s^2 = (H~/a) eps_av-stab^2.",
        symbols={
            "a": Real("sqrt(H~)B/(sqrt(n)|Y|), at most 1 for n >= n0", 0, 1),
            "v": Real("s/(p + s)", 0, 1),
        },
        claim=inequality("sqrt(2)*(1 - v)*v + a*v^2/2", "<=", "(1 - v)^2 + 2*v^2"),
        cells=100,
        steps=(
            "The gap is the mean over i of E[l(A(S_i); z_i) - l(A(S); z_i)], S_i with another record for z_i: at most "
            "E[sqrt(2H~ l(A(S); z_i)) |A(S_i) - A(S)|] + (H~/2) eps_av-stab^2 by smoothness and self-bounding, so "
            "sqrt(2H~ E L(A(S); S)) eps_av-stab + (H~/2) eps_av-stab^2 by Cauchy and Schwarz.",
            "On the right E L(w*; S) = L(w*) <= |Y|^2, whose multiple by a is the last term, and sqrt(H~ n)|Y|/B = "
            "H~/a; both sides are divided by (p + s)^2.",
        ),
    ),
    points=[{"a": a, "v": v} for a in (0.01, 1) for v in (0, 0.1, 0.5, 0.9, 1)],
    source="Lemma 4",
    expected="proved",
    quote=r"The generalization gap of algorithm  $\mathcal{A}$  is bounded as,",
)
