"""Floors that hold for every algorithm, private or not: Theorems 16 and 17 and Corollary 5 of the GLM paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from lowerbounds import _kernels as kernels
from lowerbounds._rare_record import RareRecord, rare_bayes_risk, rare_record
from lowerbounds._sign_blocks import SignFamily
from lowerbounds._two_piece import best_two_piece, likely_counts
from lowerbounds.curves import Curve
from lowerbounds.instances import (
    RECORDS_DRAWN,
    HardFamily,
    Instance,
    Moments,
    basis_rows,
    choice,
    count,
    invalid,
    needed,
    positive,
    signs,
)

RATE_CONSTANT = {"16": 1.0 / 16.0, "17": 1.0 / 40.0}
"""The paper's Ω(·) has no constant; these are below every "exact" floor in the range that they are stated for."""


def corrected_nonprivate(
    n: int,
    d: int = 1,
    *,
    theorem: str = "cor5",
    x_bound: float = 1.0,
    y_bound: float = 1.0,
    radius: float = 1.0,
    smoothness: float = 1.0,
) -> float:
    """Theorem 16 and Corollary 5 with constants that hold for all n, d, H, ‖X‖, B, Y > 0.

    With h = √H·B‖X‖ and m = min(h, Y): (1/11)·min{mY/√n, m²} for "16", some one-dimensional H-smooth convex
    non-negative loss; (1/78)·min{Y², h², (h² + dY²)/n, hY/√n} for "cor5", the squared loss and ‖w*‖ ≤ B. The printed
    forms fail for small h, where the zero predictor has at most h²/2.

    Notes
    -----
    Proof for "16": `glm.thm16.floor.small-radius.corrected`. For "cor5", in units of Y with a = h/Y, from the families
    of `nonprivate`: a label of bias b raises E m², m the posterior mean of its sign, by E b²(1 − m²)²/(1 − b²m²) ≤
    b²E(1 − m²), so that after the labels of n records E(1 − m²) ≥ (1 − b²/d')ⁿ. With b² = min(1, a²/d', d'/(2n)) this
    is at least 1/2, and the Bayes risk of the cube at least b²/4. If d ≤ a√(2n), d' = d gives min(1, d/n)/8; if
    1 ≤ a√(2n) < d, d' = ⌊a√(2n)⌋ gives min(1, a/√n)/(8√2); else d' = 1 gives a²/4. What is left is a² > 8.75d ≥ 8.75:
    there n = 1 has 1/8, and for n ≥ 2 the rare record with q = min(1/n, 1/a²), γ² = ‖X‖²q/(2(1 − q)) ≤ (Y/B)² has
    w₁ = B/3, A₀ ≥ q‖X‖²/4, A₁ ≥ 3q‖X‖²/16, so that its Bayes risk is at least min(1, a²/n)/42.

    For ‖w*‖ = B, as Corollary 5 prints, and d ≥ 2 every constant below 1/156 holds. Use the families on d − 1 ≥ d/2
    coordinates; with a small chance a record is x = γe_d, y = ±Y with mean γw_d, w_d² the rest of B². As the chance
    and γ fall to 0, such records say nothing and cost nothing. At d = 1 the cube with features of norm bY/(√H·B), b =
    min(a, 1/√(2n)), has ‖w*‖ = B and floor min(h²/4, Y²/(8n)). No larger rate holds there: the sign test of
    `glm.cor5.floor.small-radius` has at most 6.87Y²/n.
    """
    n, d = count("n", n), count("d", d)
    choice("theorem", theorem, ("16", "cor5"))
    y_bound, smoothness = positive("y_bound", y_bound), positive("smoothness", smoothness)
    h = math.sqrt(smoothness) * positive("radius", radius) * positive("x_bound", x_bound)
    if theorem == "16":
        least = min(h, y_bound)
        return min(least * y_bound / math.sqrt(n), least**2) / 11.0
    return min(y_bound**2, h * h, (h * h + d * y_bound**2) / n, h * y_bound / math.sqrt(n)) / 78.0


def nonprivate(
    n: int,
    d: int = 1,
    *,
    theorem: str = "17",
    x_bound: float = 1.0,
    y_bound: float = 1.0,
    radius: float = 1.0,
    smoothness: float = 1.0,
    constants: str = "exact",
) -> HardFamily:
    """Distributions on which n records do not suffice, and the floor on the mean excess population risk.

    Parameters
    ----------
    n, d : int
        Records and dimension (theorem "16" has d = 1).
    theorem : {"16", "17", "cor5"}
        Which floor: see the notes.
    x_bound, y_bound, radius : float
        ‖X‖, the bound Y on labels, and B.
    smoothness : float
        H; 1 for Theorem 17, 2 for Theorem 16 (whose loss is fixed).
    constants : {"exact", "rate"}
        "exact": the floor of this very family. "rate": the theorem's expression with the constant of
        `RATE_CONSTANT`, as the paper prints none.

    Returns
    -------
    HardFamily

    Raises
    ------
    ValueError
        For parameters outside their range; for "16" if M = min(Y, B‖X‖) < 1, and for the rate of the others if
        √H·B‖X‖ < Y: the statements fail as these fall to 0 (zero has excess at most HB²‖X‖²/2, below any constant
        times √H·B‖X‖Y/√n).

    Notes
    -----
    Theorem 16. x = ‖X‖, y = σM with probability (1 + ρ)/2, else −σM, σ = ±1 uniform, M = min(Y, B‖X‖), and the
    two-piece loss r² for |r| ≤ 1/2, |r| − 1/4 beyond. Its instances double features and labels and use Huber's loss
    with κ = 1, which is then twice the two-piece loss; `excess` and the floor are in the two-piece loss. With e₊
    the excess risk for σ = +1 and e₋(w) = e₊(−w), convexity gives e₊(w) + e₋(w) ≥ 2e₊(0), so for uniform σ the
    mean excess is at least e₊(0)·(1 − TV(P₊ⁿ, P₋ⁿ)), a sum over the binomial number of positive labels; ρ maximises.

    Theorem 17 (the paper gives neither construction nor constant; derived here). Two families, the better one is
    returned. *Cube* (Assouad): x = ‖X‖e_j with probability p/d', y = ±Y with mean σ_jbY. The excess of w is
    (p‖X‖²/2d')Σ_j(w_j − σ_jbY/‖X‖)², the σ_j are independent given the data, so the Bayes risk is exactly
    (p/2)b²Y²·E[4π(1 − π)], π the posterior of σ_j = 1 given the K ~ Bin(n, p/d') labels on it. d' = d and p = 1
    give dY²/n, fewer coordinates BY‖X‖/√n. *Rare record*, for the term B²‖X‖²/n: x = γ, y = γB always, against the
    same with x = ‖X‖, y = 0 with probability q ≈ 1/n, which moves the minimiser from B to w₁ = (1 − q)γ²B/((1 −
    q)γ² + q‖X‖²). With weights A₀ = γ²/2 and A₁ = (1 − q)ⁿ((1 − q)γ² + q‖X‖²)/2 of the two quadratics, an
    algorithm that has not seen the rare record has at least (1/2)(B − w₁)²A₀A₁/(A₀ + A₁) on average over the two:
    the exact Bayes risk.

    Corollary 5. (1/2)(√H z − y)² is Theorem 17 with features √H x. Members have ‖w*‖ ≤ B, not all ‖w*‖ = B.
    """
    n, d = count("n", n), count("d", d)
    x_bound, y_bound, radius = positive("x_bound", x_bound), positive("y_bound", y_bound), positive("radius", radius)
    smoothness = positive("smoothness", smoothness)
    choice("theorem", theorem, ("16", "17", "cor5"))
    choice("constants", constants, ("exact", "rate"))
    if theorem == "16":
        pieces = best_two_piece(n, x_bound, min(y_bound, radius * x_bound))
        rate = RATE_CONSTANT["16"] * pieces.label / math.sqrt(n)
        return replace(pieces, printed=rate) if constants == "rate" else pieces
    if theorem == "17" and smoothness != 1.0:
        raise invalid("smoothness", "1 for theorem '17' (use 'cor5')", smoothness)
    size = x_bound * math.sqrt(smoothness)
    source = "Theorem 17" if theorem == "17" else "Corollary 5"
    cube, rare = _best_cube(n, d, size, y_bound, radius, source), _best_rare(n, d, size, y_bound, radius, source)
    larger: HardFamily = cube if cube.floor >= rare.floor else rare
    if constants == "exact":
        return larger
    if radius * size < y_bound:
        raise invalid("radius", "at least y_bound/(sqrt(smoothness)*x_bound) for the rate", radius)
    a = radius * size / (y_bound * math.sqrt(n))
    return replace(larger, printed=RATE_CONSTANT["17"] * y_bound**2 * min(1.0, a * a + d / n, a))


def _best_cube(n: int, d: int, x_bound: float, y_bound: float, radius: float, source: str) -> _Cube:
    """The cube with the largest Bayes risk over a grid of d' and b."""
    ratio = radius * x_bound / y_bound
    grid = [
        (int(active), min(1.0, ratio / math.sqrt(active), factor * math.sqrt(active / n)))
        for active in np.unique(np.geomspace(1, d, 24).round())
        for factor in (0.7, 1.0, 1.4, 2.0)
    ]
    active, bias = max(grid, key=lambda pair: _cube_risk(n, pair[0], pair[1], y_bound, bins=2))
    target = bias * y_bound / x_bound
    return _Cube(
        name="cube",
        source=source,
        how="mean excess population risk over uniform sigma and over the data",
        n=n,
        d=d,
        bounds=(x_bound, y_bound, radius),
        parameters={"active": active, "bias": bias, "target": target},
        active=active,
        bias=bias,
        target=target,
    )


def _best_rare(n: int, d: int, x_bound: float, y_bound: float, radius: float, source: str) -> RareRecord:
    """The rare-record pair with the largest Bayes risk, on a grid of q and γ."""
    largest = min(x_bound, y_bound / radius)
    grid = [
        (min(0.5, q / n), largest * float(g)) for q in (0.5, 1.0, 1.5, 2.0, 3.0) for g in np.geomspace(1e-4, 1.0, 97)
    ]
    chance, feature = max(grid, key=lambda pair: rare_bayes_risk(n, pair[0], pair[1], x_bound, radius))
    return rare_record(n, d, chance, feature, x_bound, radius, source)


def _cube_risk(n: int, active: int, bias: float, y_bound: float, bins: int = 64) -> float:
    """(b²Y²/2)·E over K ~ Bin(n, 1/d') of the posterior variance of a sign after K labels of bias b.

    Rounded down: the variance falls as K grows, so each of `bins` ranges of K counts with its largest K.
    """
    from scipy.stats import binom

    low, high = binom.ppf((1e-12, 1.0 - 1e-12), n, 1.0 / active)
    ends = np.unique(np.linspace(low, high, min(int(high - low) + 1, bins)).round())
    chance = np.diff(binom.cdf(ends, n, 1.0 / active), prepend=0.0)
    mean = sum(c * sign_variance(int(k), bias) for k, c in zip(ends, chance, strict=True))
    return 0.5 * bias**2 * y_bound**2 * float(mean)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Cube(SignFamily):
    bias: float

    loss: ClassVar[str] = "half-squared"

    @property
    def weight(self) -> float:
        return 0.5 * self.bounds[0] ** 2 / self.active

    def left(self, privacy: Curve | None = None) -> float:
        return _cube_risk(self.n, self.active, self.bias, self.bounds[1])

    def largest(self, low: float, high: float) -> float:
        return 0.5 * self.bounds[0] ** 2 * (max(high, -low) + self.target) ** 2

    def instances(self, member: np.ndarray, rng: np.random.Generator | None = None) -> Instance:
        columns, labels, _ = self._drawn(member, needed(rng))
        return self._instance(basis_rows(columns, self.bounds[0], self.n, self.d), self.bounds[1] * labels)

    def _drawn(self, member: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Columns and signs of the records, and how many of either sign lie on each coordinate."""
        columns, labels = rng.integers(0, self.active, self.n), np.empty(self.n)
        counts = np.empty((self.active, 2), dtype=np.int64)
        kernels.draw_cube(rng, signs(member, self.active), self.bias, columns, labels, counts)
        return columns, labels, counts

    def _counts(self, member: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if self.n <= RECORDS_DRAWN:
            return self._drawn(member, rng)[2]
        here = rng.multinomial(self.n, np.full(self.active, 1.0 / self.active))
        up = rng.binomial(here, 0.5 * (1.0 + self.bias * signs(member, self.active)))
        return np.stack([up, here - up], axis=1)

    def moments(self, members: Sequence[np.ndarray], rngs: Sequence[np.random.Generator] = ()) -> Moments:
        x_bound, y_bound, _ = self.bounds
        second, cross = np.zeros((2, len(members), self.d))
        for k, (member, rng) in enumerate(zip(members, rngs, strict=True)):
            counts = self._counts(member, rng)
            second[k, : self.active] = counts.sum(axis=1) * (x_bound**2 / self.n)
            cross[k, : self.active] = (counts[:, 0] - counts[:, 1]) * (x_bound * y_bound / self.n)
        return self._moments(second, cross, np.full(len(members), y_bound**2))


def sign_variance(trials: int, bias: float) -> float:
    """E[4π(1 − π)] of a uniform sign σ after `trials` labels ±1 with mean σ·bias: the Bayes risk of its mean.

    Counts more than 9 standard deviations out are left away, which rounds down.
    """
    from scipy.stats import binom

    hits = likely_counts(trials, bias)
    up = binom.pmf(hits, trials, 0.5 * (1.0 + bias))
    down = binom.pmf(hits, trials, 0.5 * (1.0 - bias))
    total = up + down
    return float((2.0 * up * down / np.where(total > 0.0, total, 1.0)).sum())
