"""The packing of Theorem 4 of the GLM paper: 2^{d'} data sets, one for each sign vector σ, on a scaled basis."""

from __future__ import annotations

import math

from lowerbounds._sign_blocks import Labels, SignBlocks, sizes
from lowerbounds.curves import Privacy
from lowerbounds.instances import CONSTANTS, HardFamily, count, invalid
from lowerbounds.two_points import check_printed_delta


def packing(
    n: int,
    d: int,
    epsilon: Privacy,
    delta: float = 0.0,
    *,
    x_bound: float = 1.0,
    y_bound: float = 1.0,
    radius: float = 1.0,
    distance: int | None = None,
    constants: str = "exact",
) -> HardFamily:
    """Data sets S_σ whose minimisers a private algorithm cannot tell apart, and the floor on its excess risk.

    In S_σ, m records have x = ‖X‖e_j for each of d' coordinates, the rest x = 0; (m + Δ)/2 of the m labels are
    +σ_jY and (m − Δ)/2 are −σ_jY. With b = Δ/m the squared loss has its minimiser at w_j = σ_j bY/‖X‖, of norm
    √d'·bY/‖X‖ ≤ B, and for every w

        F(w) − F(w^σ) = (m‖X‖²/n) Σ_j (w_j − σ_j bY/‖X‖)².

    S_σ and S_σ' with σ, σ' differing in one coordinate differ in Δ records.

    Parameters
    ----------
    n, d : int
        Records and dimension.
    epsilon, delta : float
        The privacy that the floor is for: ε ≥ 1/n, 0 ≤ δ < 1; or a privacy curve in the place of ε
        (`lowerbounds.curve`), whose ``scale`` then stands for ε in the sizes below.
    x_bound, y_bound, radius : float
        ‖X‖, Y, B with B ≤ (Y/‖X‖)·min(√d, √(nε)): beyond it b > 1 and the theorem's proof has a gap.
    distance : int, optional
        Δ; default max(1, ⌊1/ε⌋) as in the proof, which "printed" needs. The "exact" floor is largest near 1.54/ε.
    constants : {"exact", "printed", "tight"}
        "printed": (B‖X‖)^{4/3}Y^{2/3}p^{1/3}/(128(nε)^{2/3}) with the theorem's real p, for ε ≤ 1,
        δ ≤ (1 − e^{−ε})/16. "exact": (1 − δ_Δ)·p·b²Y²/cosh²(Δε/2) for the integers used. "tight": the same with
        all that (ε, δ) says of data sets Δ apart (`curves.Approximate`).

    Returns
    -------
    HardFamily
        Members are σ ∈ {±1}^{d'}, drawn uniformly; the floor is on the mean over σ of the mean excess risk. The
        zero predictor has p·b²Y² on every member (``parameters["zero_risk"]``).

    Raises
    ------
    ValueError
        For parameters outside these ranges, or too few records for one block.

    Notes
    -----
    Rounding: d' = ⌊(p‖X‖Bnε/Y)^{2/3}⌋ (d in low dimension), at least 1; Δ as above; m the least integer with the
    parity of Δ and b = Δ/m ≤ min(1, B‖X‖/(Y√d')); d' is lowered until d'm ≤ n. Then p = d'm/n.

    Proof of "exact". Fix all of σ but σ_j, uniform. The two data sets are Δ records apart, so by group privacy the
    output is a post-processing of: with probability δ_Δ, σ_j; else randomised response with odds e^{Δε}. On the
    latter the posterior mean of σ_j is at most tanh(Δε/2) in absolute value, so that the mean squared error of any
    estimate of σ_j is at least 1 − tanh²(Δε/2) = 1/cosh²(Δε/2). Summed over j with the display above this is the
    floor; nothing else is lost. "tight" replaces randomised response by the two laws that are easiest to distinguish.
    Source: Theorem 4, appendix A.7 (its (10) and (11) each lose a factor 2).
    """
    asked = sizes(n, d, (epsilon, delta, constants), (x_bound, y_bound, radius), allowed=CONSTANTS)
    n, d, claim, (x_bound, y_bound, radius) = asked
    strength, ratio = claim.strength, asked.ratio
    if constants == "printed":
        if epsilon > 1.0:
            raise invalid("epsilon", "at most 1 for the printed constant", epsilon)
        check_printed_delta(epsilon, delta)
        if distance is not None:
            raise invalid("distance", "the printed default", distance)
    most = math.sqrt(min(d, n * strength))
    if ratio > most * (1.0 + 1e-12):
        raise invalid(
            "radius",
            f"at most (y_bound/x_bound)*min(sqrt(d), sqrt(n*epsilon)) = {most * y_bound / x_bound:g} "
            "(beyond it the label bias b exceeds 1)",
            radius,
        )
    gap = max(1, math.floor(1.0 / strength + 1e-9)) if distance is None else count("distance", distance)
    fraction = min(1.0, d**1.5 / (ratio * n * strength))
    active = max(1, min(d, math.floor((fraction * ratio * n * strength) ** (2.0 / 3.0) * (1.0 + 1e-12))))
    block = _block(active, gap, ratio)
    while active > 1 and active * block > n:
        active -= 1
        block = _block(active, gap, ratio)
    if block > n:
        raise invalid("n", f"at least {block}, the records of one block", n)
    bias, used = gap / block, active * block / n
    target, zero_risk = bias * y_bound / x_bound, used * bias**2 * y_bound**2
    printed = ratio ** (4.0 / 3.0) * y_bound**2 * fraction ** (1.0 / 3.0) / (128.0 * (n * strength) ** (2.0 / 3.0))
    return SignBlocks(
        name="packing",
        source="Theorem 4",
        how="mean excess empirical risk over uniform sigma",
        n=n,
        d=d,
        bounds=asked.bounds,
        claim=claim,
        distance=gap,
        parameters={
            "active": active, "block": block, "distance": gap, "bias": bias, "fraction": used,
            "zero_risk": zero_risk, "target": target,
        },
        printed=printed if constants == "printed" else None,
        active=active,
        block=block,
        feature=x_bound,
        target=target,
        # Whatever σ is, the first (m − Δ)/2 labels are −Y and the last (m − Δ)/2 are +Y; the Δ between them are σ_jY.
        labels=Labels((block - gap) // 2, gap, -y_bound, y_bound, y_bound),
        zero_risk=zero_risk,
    )  # fmt: skip


def _block(active: int, distance: int, ratio: float) -> int:
    """m: the least integer with the parity of Δ for which b = Δ/m ≤ min(1, B‖X‖/(Y√d'))."""
    least = max(distance, math.ceil(distance * math.sqrt(active) / ratio * (1.0 - 1e-12)))
    return least + (least - distance) % 2
