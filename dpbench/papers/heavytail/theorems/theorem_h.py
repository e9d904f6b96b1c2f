"""Theorem H: what holds of Theorems 1 and 2 for every ι and ε, by a shorter proof.

θ in (1, 2], ψ of (6) or (16), a ζ-net of W with N points, S = sup_W E|y − <x, w>|^θ, τ ≥ E‖x‖; w̃ drawn from the net
with weights exp(−λnιL̂_ι(w)). For all ι, λ > 0 and η < 1/3, with probability at least 1 − 3η,

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

FAILURES = 3.0
"""`theory.shorter_bound` holds with probability 1 − 3η."""
KEPT = "what holds by a shorter proof (Theorem H)"
SHORTER = (
    "With probability 1 - 3 eta, for all iota and epsilon, the excess is at most zeta tau + (2 "
    "iota^(theta-1)/theta) sup E|y - <x,w>|^theta + (log(N/eta) + log(1/eta))/(n iota) + 2 log(theta) "
    "log(N/eta)/(n iota epsilon)"
)
FAR = (
    "left: the exact quantile, over data and mechanism, that the bound is of; no law tried comes near it, those of the "
    "entries quantile neither"
)
