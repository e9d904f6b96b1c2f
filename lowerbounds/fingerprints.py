"""The fingerprinting distributions of Theorems 6 and 11 and Corollary 4 of the GLM paper, and their membership test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import betaln

from dpbench.core import validation
from lowerbounds import _kernels as kernels
from lowerbounds.curves import Approximate, Claim, Curve, Privacy, of_claim
from lowerbounds.instances import (
    CONSTANTS,
    HardFamily,
    Instance,
    basis_rows,
    batch,
    choice,
    count,
    invalid,
    needed,
    positive,
)

PRINTED_BETA = 1.0 / 16.0
SMALL_BETA = 2.0**-10
"""β where it is free: the "exact" and "tight" floors grow as β falls, to their limit at β = 0."""


def fingerprinting(
    n: int,
    rank: int,
    epsilon: Privacy,
    delta: float = 0.0,
    *,
    p: float = 2.0,
    x_bound: float = 1.0,
    radius: float = 1.0,
    mass: float | None = None,
    active: int | None = None,
    beta: float | None = None,
    comparison: str = "minimiser",
    constants: str = "exact",
) -> HardFamily:
    """Distributions on a scaled basis whose medians a private algorithm cannot learn; absolute loss, G = 1.

    A record is x = ‖X‖e_j for each j ≤ d' with probability α/d', else x = 0; y = (B/d'^{1/p})⟨x, z⟩ with
    z_j ~ Bernoulli(μ_j), and μ_j ~ Beta(β, β) independently. All basis vectors have every ℓ_q norm ‖X‖, so that q,
    the norm in which the loss is ‖X‖-Lipschitz, is in no number; ‖w̃‖_p ≤ B. Theorem 6 is p = q = 2, Corollary 4 is
    ‖X‖ = 1 with the dimension for the rank.

    Parameters
    ----------
    n, rank : int
        Records, and the dimension of the space; d' ≤ rank (the paper adds vanishing orthogonal records to raise
        the rank from d').
    epsilon, delta : float
        The privacy that the floor is for; or a privacy curve in the place of ε (`lowerbounds.curve`).
    p : float
        At least 1; infinity is allowed.
    x_bound, radius : float
        ‖X‖ and B.
    mass, active, beta : optional
        α, d', β; default the maximisers of the floor (β = 2⁻¹⁰). "printed" has the paper's.
    comparison : {"minimiser", "means"}
        What the excess is over: the minimiser B/d'^{1/p}·1{μ_j > 1/2}, or the paper's w̃ = (B/d'^{1/p})μ, which is
        not the minimiser. A floor over w̃ is one over the minimiser.
    constants : {"exact", "printed", "tight"}
        "printed": B‖X‖d'^{(p−1)/p}/(1024nε) on the paper's instance, for rank ≤ 48nε, ε ≤ 1.2, δ ≤ ε; what is printed
        beyond that rank is false at p = 1 (`glm.thm11.floor.case2`). "exact": B‖X‖α/((1 + 2β)d'^{1/p})·[1/4 − 2β −
        nα(e^ε − 1 + δ)/(2d')]. "tight": see the notes.

    Returns
    -------
    HardFamily
        Members are μ, drawn from the prior; the floor is on the mean over μ, the data and the algorithm of the
        excess population risk.

    Raises
    ------
    ValueError
        For parameters outside these ranges, or where the floor asked for is not positive.

    Notes
    -----
    Proof of "tight". With v = d'^{1/p}w/B clipped to [0, 1] the risk is linear in each v_j,
    (α‖X‖B/d'^{1+1/p}) Σ_j (μ_j + v_j(1 − 2μ_j)), and the fingerprinting identity (integration by parts under the
    Beta density) is E[v_j(1 − 2μ_j)] = −(1/β) Σ_i E[v_j(z_i − μ_j)1{x_i on e_j}]. So nothing is lost up to here:
    the excess over w̃ is (α‖X‖B/d'^{1/p})·(1/(2(1 + 2β)) − C/(βd')) and over the minimiser the same with
    E|μ − 1/2| = 4^{−β}/(βB(β, β)) for 1/(2(1 + 2β)), C the sum of all correlations. Given x_i = ‖X‖e_j and μ_j,
    E[v_j(z_i − μ_j)] = μ_j(1 − μ_j)(E[v_j | z_i = 1] − E[v_j | z_i = 0]), and two neighbours differ by at most
    t = (e^ε − 1 + 2δ)/(e^ε + 1) in total variation; Eμ(1 − μ) = β/(2(1 + 2β)). Hence C/(βd') ≤ nαt/(2d'(1 + 2β)).
    The paper (and "exact") instead bounds |v − μ| below by (v − μ)², |y − ⟨w̃, x⟩| above by twice its mean, and t
    by e^ε − 1 + δ.
    """
    n, rank = count("n", n), count("rank", rank)
    claim = of_claim(epsilon, delta, choice("constants", constants, CONSTANTS))
    x_bound, radius = positive("x_bound", x_bound), positive("radius", radius)
    power = _inverse("p", p)
    choice("comparison", comparison, ("minimiser", "means"))
    if constants == "printed":
        if not epsilon <= 1.2 or not delta <= epsilon:
            raise invalid("epsilon", "at most 1.2, with delta <= epsilon, for the printed constant", (epsilon, delta))
        for name, value in {"mass": mass, "active": active, "beta": beta}.items():
            if value is not None:
                raise invalid(name, "the printed default", value)
        if rank > 48.0 * n * epsilon:
            raise invalid("rank", f"at most 48*n*epsilon = {48.0 * n * epsilon:g} for the printed constant", rank)
        shape, chosen = PRINTED_BETA, (rank, rank / (54.0 * n * epsilon))
    else:
        shape = SMALL_BETA if beta is None else positive("beta", beta)
        chosen = _best_choice(n, rank, claim, power, shape)
    size = chosen[0] if active is None else count("active", active)
    if size > rank:
        raise invalid("active", f"at most rank = {rank}", size)
    weight = chosen[1] if mass is None else positive("mass", mass)
    if weight > 1.0:
        raise invalid("mass", "at most 1", weight)
    scale = radius / size**power
    family = _Fingerprints(
        name="fingerprinting",
        source="Theorem 11",
        how="mean excess population risk over mu from the Beta prior and over the data",
        n=n,
        d=rank,
        # The largest Euclidean norm of a minimiser, all of whose d' coordinates are B/d'^{1/p}.
        bounds=(x_bound, scale * x_bound, scale * math.sqrt(size) * (1.0 + 1e-12)),
        claim=claim,
        parameters={"active": size, "mass": weight, "beta": shape, "scale": scale, "p": p},
        printed=radius * x_bound * rank ** (1.0 - power) / (1024.0 * n * epsilon) if constants == "printed" else None,
        active=size,
        mass=weight,
        beta=shape,
        scale=scale,
        over_means=comparison == "means",
    )
    if not family.floor > 0.0:
        raise invalid("n", "such that the floor is positive at this mass, active and beta", n)
    return family


def _inverse(name: str, value: float) -> float:
    """1/p of a norm's exponent."""
    infinite = isinstance(value, float) and value == math.inf
    return 0.0 if infinite else 1.0 / validation.real(name, value, at_least=1.0)


def _bracket(privacy: Curve, beta: float, constants: str, half: float) -> tuple[float, float]:
    """(a, k) of the floor B‖X‖α/((1 + 2β)d'^{1/p})·[a − nαk/d']; `half` is a for "tight"."""
    if isinstance(privacy, Approximate) and constants != "tight":
        # Beyond 700 the floor is below zero for certain.
        return 0.25 - 2.0 * beta, 0.5 * (math.expm1(min(privacy.epsilon, 700.0)) + privacy.delta)
    return half, 0.5 * (1.0 - privacy.overlap(1))


def _best_choice(n: int, rank: int, claim: Claim, power: float, beta: float) -> tuple[int, float]:
    """The d' and α with the largest floor.

    For given d' the best α is min(1, ad'/(2nk)). Up to α = 1 the floor grows like d'^{1−1/p}; beyond, with α = 1,
    it peaks at d' = (1 + p)nk/a.
    """
    a, k = _bracket(claim.curve, beta, claim.constants, 0.5)
    if a <= 0.0:
        raise invalid("beta", "below 1/8 for the exact constant", beta)
    peak = n * k * (1.0 + 1.0 / power) / a if power > 0.0 else math.inf
    near = {rank} if peak >= rank else {max(1, math.floor(peak)), math.floor(peak) + 1}

    def value(size: int) -> float:
        alpha = min(1.0, a * size / (2.0 * n * k))
        return alpha / size**power * (a - n * alpha * k / size)

    best = max(sorted(near), key=value)
    return best, min(1.0, a * best / (2.0 * n * k))


def mean_distance(beta: float) -> float:
    """E|μ − 1/2| for μ ~ Beta(β, β): 4^{−β}/(βB(β, β))."""
    return math.exp(-beta * math.log(4.0) - math.log(beta) - float(betaln(beta, beta)))


@dataclass(frozen=True, eq=False, kw_only=True)
class _Fingerprints(HardFamily):
    """`scale` is B/d'^{1/p}: the coordinates of the minimiser are 0 or this."""

    active: int
    mass: float
    beta: float
    scale: float
    over_means: bool

    loss: ClassVar[str] = "absolute"

    @cached_property
    def weight(self) -> float:
        return self.mass * self.bounds[0] / self.active

    @property
    def box(self) -> tuple[float, float]:
        return 0.0, self.scale

    @property
    def least(self) -> float:
        # The means have at most 2mu(1 - mu) - min(mu, 1 - mu) <= 1/8 more risk than the median in each coordinate.
        return -0.125 * self.weight * self.active * self.scale if self.over_means else 0.0

    def left(self, privacy: Curve | None) -> float:
        assert privacy is not None and self.claim is not None
        half = 0.5 if self.over_means else (1.0 + 2.0 * self.beta) * mean_distance(self.beta)
        a, k = _bracket(privacy, self.beta, self.claim.constants, half)
        gain = a - self.n * self.mass * k / self.active
        return self.mass * self.scale * self.bounds[0] / (1.0 + 2.0 * self.beta) * gain

    def members(self, rng: np.random.Generator) -> np.ndarray:
        return rng.beta(self.beta, self.beta, self.active)

    def largest(self, low: float, high: float) -> float:
        # The slope in each coordinate is at most 1 in absolute value, and the comparison point lies in the box.
        return self.weight * self.active * max(high, self.scale - low)

    def instances(self, member: np.ndarray, rng: np.random.Generator | None = None) -> Instance:
        means, x_bound = self._means(member), self.bounds[0]
        rng = needed(rng)
        uniforms, columns, bits = rng.random(self.n), rng.integers(0, self.active, self.n), np.empty(self.n)
        kernels.draw_fingerprints(rng, means, self.mass, uniforms, columns, bits)
        return self._instance(basis_rows(columns, x_bound, self.n, self.d), self.scale * x_bound * bits)

    def minimisers(self, member: np.ndarray) -> np.ndarray:
        means = self._means(member)
        w = np.zeros(self.d)
        w[: self.active] = self.scale * (means if self.over_means else means > 0.5)
        return w

    def excesses(self, members: Sequence[np.ndarray], outputs: np.ndarray) -> np.ndarray:
        stacked, means = batch(members, outputs, self.d), np.ascontiguousarray(members, dtype=np.float64)
        if means.ndim != 2 or means.shape[1] != self.active:
            self._means(members[0])
        out = np.empty(stacked.shape[:2])
        if kernels.absolute_excess(means, self.weight, self.scale, not self.over_means, stacked, out):
            for member in members:
                self._means(member)
        return out

    def _means(self, member: np.ndarray) -> np.ndarray:
        means = np.asarray(member, dtype=np.float64)
        if means.shape != (self.active,) or not np.all((means >= 0.0) & (means <= 1.0)):
            raise invalid("member", f"a vector of {self.active} numbers in [0, 1]", member)
        return means
