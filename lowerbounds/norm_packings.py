"""Theorem 4 of the GLM paper again: data sets whose minimisers have norm exactly B, for every B and every d ≥ 1."""

from __future__ import annotations

import math

from lowerbounds._sign_blocks import Labels, SignBlocks, sizes
from lowerbounds.curves import Privacy
from lowerbounds.instances import HardFamily


def norm_packing(
    n: int,
    d: int,
    epsilon: Privacy,
    delta: float = 0.0,
    *,
    x_bound: float = 1.0,
    y_bound: float = 1.0,
    radius: float = 1.0,
    constants: str = "exact",
) -> HardFamily:
    """Data sets S_σ with minimisers of norm exactly B that a private algorithm cannot tell apart.

    With r = B‖X‖/Y, N = nε and k = ⌊1/ε⌋, m records of S_σ have x = s‖X‖e_j for each of d' coordinates; k of them
    have the label σ_j·t·Y, the other m − k the label 0; all remaining records are zero. The minimiser is
    w_j = σ_jB/√d', and for every w

        F(w) − F(w^σ) = (m s²‖X‖²/n) Σ_j (w_j − σ_jB/√d')².

    Parameters
    ----------
    n, d : int
        Records and dimension; d = 1 is allowed.
    epsilon, delta : float
        The privacy that the floor is for: 1/n ≤ ε ≤ 1, 0 ≤ δ < 1; or a privacy curve in the place of ε
        (`lowerbounds.curve`), whose ``scale`` then stands for ε in the sizes below.
    x_bound, y_bound, radius : float
        ‖X‖, Y, B, all > 0 and otherwise free.
    constants : {"exact", "tight"}
        What privacy says of data sets k records apart: group privacy, or all of it (`curves.Approximate`).

    Returns
    -------
    HardFamily
        Members σ ∈ {±1}^{d'}, uniform; the floor is on the mean over σ of the mean excess empirical risk.

    Raises
    ------
    ValueError
        For parameters outside these ranges.

    Notes
    -----
    Integers. r ≥ 1/N: d' = max(1, ⌊min(d, (rN/2)^{2/3}, N/2)⌋), m = max(k, ⌈√d'k/r⌉), s = √d'k/(mr) ≤ 1, t = 1.
    Then d'm ≤ n: for d' = 1 as k ≤ 1/ε ≤ n and k/r ≤ n; else as d'k ≤ N/(2ε) and
    d'(√d'k/r + 1) ≤ n/2 + N/2 ≤ n. r < 1/N: d' = 1, m = n, s = 1, k = min(n, ⌈1/ε⌉), t = rn/k ≤ 1.

    Floor. As for `packing`: (1 − δ_k)/cosh²(kε/2) times the excess d'k²Y²/(mn) of the zero predictor
    (B²‖X‖² for r < 1/N).

    Constant. kε ∈ (1/2, 1] and δ ≤ (1 − e^{−ε})/16 give (1 − δ_k)/cosh²(kε/2) ≥ 0.702. As m ≤ max(k, 2√d'k/r), the
    zero predictor has at least Y²/(2N)·min(d', r√d'/2). For r ≤ min(√d, √N), d' ≥ r²/4 makes the second the
    smaller one, and d' ≥ ½min(d, (rN/2)^{2/3}, N/2) makes it at least (Y²/16)·min(√d·r/N, r^{4/3}/N^{2/3}).
    Source: Theorem 4, appendix A.7, with labels 0 in place of pairs ±Y, so that nothing is rounded.
    """
    asked = sizes(n, d, (epsilon, delta, constants), (x_bound, y_bound, radius))
    n, d, claim, (x_bound, y_bound, radius) = asked
    strength, ratio = claim.strength, asked.ratio
    size = n * strength
    if ratio * size >= 1.0:
        gap = math.floor(1.0 / strength + 1e-9)
        active = max(1, math.floor(min(d, (ratio * size / 2.0) ** (2.0 / 3.0), size / 2.0)))
        block = max(gap, math.ceil(math.sqrt(active) * gap / ratio * (1.0 - 1e-12)))
        block = min(block, n // active)
        shrink, label = min(1.0, math.sqrt(active) * gap / (block * ratio)), y_bound
    else:
        gap, active, block, shrink = min(n, math.ceil(1.0 / strength - 1e-9)), 1, n, 1.0
        label = ratio * n / gap * y_bound
    feature, target = shrink * x_bound, radius / math.sqrt(active)
    zero_risk = block * feature**2 / n * radius**2
    return SignBlocks(
        name="norm packing",
        source="Theorem 4, minimisers of norm exactly B",
        how="mean excess empirical risk over uniform sigma",
        n=n,
        d=d,
        bounds=asked.bounds,
        claim=claim,
        distance=gap,
        parameters={"active": active, "block": block, "distance": gap, "zero_risk": zero_risk,
                    "target": target, "ratio": ratio},
        active=active,
        block=block,
        feature=feature,
        target=target,
        labels=Labels(0, gap, 0.0, label, 0.0),
        zero_risk=zero_risk,
    )  # fmt: skip
