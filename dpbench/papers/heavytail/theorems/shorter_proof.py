"""Theorems 1 and 2 of the heavy-tailed paper: what (24) to (26) give, and Theorem H, by a shorter proof.

Theorem H. θ in (1, 2], ψ of (6) or (16), a ζ-net of W with N points, S = sup_W E|y − <x, w>|^θ, τ ≥ E‖x‖; w̃ drawn
from the net with weights exp(−λnιL̂_ι(w)). For all ι, λ > 0 and η < 1/3, with probability at least 1 − 3η,

    L(w̃) − inf_W L ≤ ζτ + (2ι^{θ−1}/θ)S + (log(N/η) + log(1/η))/(nι) + log(N/η)/(λnι).

Proof. By (15) E exp(∓Σψ(ι|r_i|)) ≤ exp(n(∓ιL(w) + ι^θS/θ)) at a fixed w. Markov's inequality gives, each with
probability 1 − η: (i) for all net points, L(w) ≤ L̂(w) + ι^{θ−1}S/θ + log(N/η)/(nι); (ii) at the one net point w° with
L(w°) ≤ inf L + ζτ (L is E‖x‖-Lipschitz), L̂(w°) ≤ L(w°) + ι^{θ−1}S/θ + log(1/η)/(nι); (iii) L̂(w̃) ≤ min L̂ +
log(N/η)/(λnι), as each worse point has a probability of at most η/N. Chain (i), (iii), min L̂ ≤ L̂(w°), (ii). Lemmas
6, 9 and 10, hence (39), are not used.

nιL̂ moves by at most log θ when a record is replaced: λ = ε/(2 log θ) is ε-DP. With the paper's 4 log θ in the last
term the sampling terms fit into the 8 log θ of (26) for ε ≤ 2 log θ.
"""

from __future__ import annotations

from dpbench.ledger.correction import Correction
from dpbench.ledger.measurement import Context, Rows
from dpbench.papers.heavytail.theorems import paper


@paper.inequality(
    "thm2",
    variant="steps",
    source="Proof of Theorem 2, equations 24 to 26",
    expected="refuted",
    weight="step",
    holds="heavytail.thm2.inequality.quantile",
    quote=r"+\frac{2(2\iota)^{\theta-1}\zeta^{\theta}}{\theta}\tau^{\theta}+\frac{2}{n\iota}\log\frac{N(\mathcal{W},"
    r"\zeta)}{\eta}",
    consequence="The steps give (3 + 2^(theta-1))/theta on iota^(theta-1) sup E|r|^theta where (26) has 2^theta/theta: "
    "4.41 for 2.83 times 1/theta at theta = 1.5. The bound with the smaller constant holds by a shorter proof.",
    errata=Correction(
        place="Proof of Theorem 2, (24) and (26)",
        line=277,
        witness="one conversion of the paper was read; it prints formulas twice, once from their LaTeX, and both agree",
        effect=0,
        change="in (24) for ((2 iota)^(theta-1)/theta) sup E|r|^theta read ((2 iota)^(theta-1) + iota^(theta-1))/theta "
        "sup E|r|^theta; or compare with the net point nearest to w*, which needs neither",
    ),
    statement="The factor of iota^(theta-1) sup E|y - <x,w>|^theta that Lemma 7, (24) = Lemma 9 + (25) and (23) add up "
    "to is at most the 2^theta/theta of (26).",
    because="Lemma 9 has (2 iota)^(theta-1)/theta, (25) iota^(theta-1)/theta, which (24) drops; Lemmas 7 and 8 add 2 "
    "iota^(theta-1)/theta: (3 + 2^(theta-1))/theta in all.",
)
def steps(context: Context) -> Rows:
    """(3 + 2^{θ−1})/θ against 2^θ/θ."""
    for theta in (1.1, 1.25, 1.5, 1.75, 2.0):
        yield {"theta": theta, "left": (3.0 + 2.0 ** (theta - 1.0)) / theta, "right": 2.0**theta / theta}
