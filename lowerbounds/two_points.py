"""The two-point inequality of Chaudhuri & Hsu (Lemma 1 of the GLM paper) and a pair of data sets for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lowerbounds._sign_blocks import Labels, SignBlocks
from lowerbounds.curves import Curve, Privacy, best_distance, of_claim
from lowerbounds.instances import (
    CONSTANTS,
    HardFamily,
    Instance,
    Moments,
    PairOfData,
    bit,
    choice,
    count,
    invalid,
    positive,
    probability,
    sign_distances,
)


def two_point_constant(epsilon: Privacy, delta: float, distance: int, constants: str = "exact") -> float:
    """c with E|A(S) − τ| + E|A(S') − τ'| ≥ c·|τ − τ'| for S, S' that differ in `distance` records.

    Clipped to [τ, τ'] both errors shrink; they are then the error probabilities of a randomised test times
    |τ − τ'|, and their sum is at least 1 − TV. So c is the least overlap 1 − TV that privacy allows.

    Parameters
    ----------
    epsilon, delta : float
        Or, in the place of ε, a privacy curve (`lowerbounds.curve`), for which "exact" and "tight" are one.
    distance : int
        Δ ≥ 1.
    constants : {"exact", "tight", "printed"}
        "exact": (2 − 2δ_Δ)/(1 + e^{Δε}), all that group privacy gives, attained for Δ = 1 by randomised response.
        "tight": the largest c for which the inequality is true, from the composed curve; equal to "exact"
        for Δ = 1, larger beyond: about e^{−Δε/2} for δ = 0 and even Δ, attained by an explicit mechanism. "printed":
        1/4, for δ ≤ (1 − e^{−ε})/16 and Δε ≤ log 5; the paper's condition Δ ≤ log(1/(2γ))/ε never sets γ, and
        log 5 is the largest value for which "exact" gives 1/4 at every ε and every admitted δ.
    """
    distance = count("distance", distance)
    claimed = of_claim(epsilon, delta, choice("constants", constants, CONSTANTS)).curve
    if constants == "printed":
        epsilon, delta = positive("epsilon", epsilon), probability("delta", delta)
        check_printed_delta(epsilon, delta)
        if distance * epsilon > math.log(5.0) * (1.0 + 1e-12):
            raise invalid("distance", f"at most log(5)/epsilon = {math.log(5.0) / epsilon:g}", distance)
        return 0.25
    return claimed.overlap(distance)


def check_printed_delta(epsilon: float, delta: float) -> None:
    """Refuse a δ above the (1 − e^{−ε})/16 of Lemma 1 and Theorem 4."""
    most = -math.expm1(-epsilon) / 16.0
    if delta > most:
        raise invalid("delta", f"at most (1 - exp(-epsilon))/16 = {most:g} for the printed constant", delta)


def chaudhuri_hsu(
    n: int,
    epsilon: Privacy,
    delta: float = 0.0,
    *,
    distance: int | None = None,
    x_bound: float = 1.0,
    y_bound: float = 1.0,
    constants: str = "exact",
) -> HardFamily:
    """Two data sets in one dimension that differ in Δ labels, and the floor on estimating their minimisers.

    Every record has x = ‖X‖ (one has x = 0 where n − Δ is odd); (n ± Δ)/2 labels are +Y in S and −Y in S', the
    others the opposite. The squared loss has its minimiser at the label mean over ‖X‖: τ = ΔY/(n₁‖X‖) for S and
    −τ for S', n₁ the records with x ≠ 0.

    Parameters
    ----------
    n : int
        Records.
    epsilon, delta : float
        The privacy that the floor is for: ε > 0, 0 ≤ δ < 1; or a privacy curve in the place of ε
        (`lowerbounds.curve`).
    distance : int, optional
        Δ, the records that differ; default the one with the largest floor.
    x_bound, y_bound : float
        ‖X‖ and Y.
    constants : {"exact", "tight", "printed"}
        See `two_point_constant`.

    Returns
    -------
    HardFamily
        Members 0 and 1. `excess` is |w − τ|, the floor c·|τ − τ'| is on its sum over both members.

    Raises
    ------
    ValueError
        For parameters outside their range, Δ > n, or a Δ or δ at which the constant is not proved.

    Notes
    -----
    Source: Lemma 1, from Chaudhuri & Hsu 2012.
    """
    n = count("n", n)
    claim = of_claim(epsilon, delta, choice("constants", constants, CONSTANTS))
    x_bound, y_bound = positive("x_bound", x_bound), positive("y_bound", y_bound)
    if distance is not None:
        gap = count("distance", distance)
    elif constants == "printed":
        gap = max(1, min(n, int(math.log(5.0) / epsilon)))
    else:
        gap = best_distance(claim.curve, n)
    if gap > n:
        raise invalid("distance", f"at most n = {n}", gap)
    records = n - (n - gap) % 2
    target = gap * y_bound / (records * x_bound)
    return _TwoPoints(
        name="two-point",
        source="Lemma 1 (Chaudhuri & Hsu 2012)",
        how="sum of the two mean absolute errors, one on either data set",
        n=n,
        d=1,
        bounds=(x_bound, y_bound, target),
        claim=claim,
        distance=gap,
        parameters={"distance": gap, "records": records, "target": target},
        printed=2.0 * target * two_point_constant(epsilon, delta, gap, "printed") if constants == "printed" else None,
        active=1,
        block=records,
        feature=x_bound,
        target=target,
        # The first n₁ − (n₁ + Δ)/2 labels agree, the next Δ differ, the rest agree.
        labels=Labels((records - gap) // 2, gap, -y_bound, y_bound, y_bound),
        zero_risk=target,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _TwoPoints(PairOfData, SignBlocks):
    """One block, σ = 1 for member 0 and −1 for member 1, under the absolute error of the estimate."""

    def left(self, privacy: Curve | None) -> float:
        assert privacy is not None
        return 2.0 * self.target * privacy.overlap(self.distance)

    def largest(self, low: float, high: float) -> float:
        return max(high, -low) + self.target

    def instances(self, member: Any, rng: np.random.Generator | None = None) -> Instance:
        return super().instances(_signs([member])[0])

    def moments(self, members: Any, rngs: Sequence[np.random.Generator] = ()) -> Moments:
        return super().moments(_signs(members))

    def minimisers(self, member: Any) -> np.ndarray:
        return super().minimisers(_signs([member])[0])

    def excesses(self, members: Sequence[Any], outputs: np.ndarray) -> np.ndarray:
        return sign_distances(1, 1.0, self.target, _signs(members), 1, outputs, 1)


def _signs(members: Sequence[Any]) -> np.ndarray:
    """1 for member 0 and −1 for member 1, shape (members, 1)."""
    return np.array([[1.0 - 2.0 * bit(member)] for member in members])
