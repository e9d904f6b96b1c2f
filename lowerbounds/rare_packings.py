"""Laws with rare long records that no ε-DP algorithm tells apart: a floor on ℓ1 regression with heavy tails.

For v in a code of {−1, 1}^d, P_v has x = s·v, y = s√d with probability p and x = 0, y = 0 otherwise. On the unit ball
no residual is negative, so the risk is p·s(√d − ⟨v, w⟩), least, 0, at w = v/√d. If ⟨v, v'⟩ ≤ d/2 for any two of the
code, a w with an excess below p·s√d/8 under P_v has ‖w − v/√d‖ < 1/2, and the unit vectors v/√d are at least 1 apart:
these events A_v are disjoint. Data sets of P_v and P_v' with the same rare places differ in K ~ Bin(n, p) records, so

    1 ≥ Σ_v P_u(A_v) ≥ e^{−εk} Σ_v (P_v(A_v) − P(K > k)),

and on the average over the code the excess is at least p·s√d/8 with probability 1 − e^{εk}/M − P(K > k), M the size of
the code. (The argument of Barber & Duchi 2014 for means; Kamath, Liu & Zhang 2021 for moments of the coordinates.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import betaincinv

from dpbench.core import binomial, validation
from lowerbounds.instances import choice, count, positive

_MISSED = 0.25
"""P(K > k)."""


@dataclass(frozen=True)
class RarePacking:
    """The family and its floor.

    Attributes
    ----------
    chance, size : float
        p and s.
    log_members : float
        log M, of the Gilbert–Varshamov bound.
    shared : int
        k.
    excess : float
        p·s√d/8.
    probability : float
        Of an excess of at least that, on the average over the family.
    """

    chance: float
    size: float
    log_members: float
    shared: int
    excess: float
    probability: float

    @property
    def floor(self) -> float:
        """On the mean excess, averaged over the family."""
        return self.probability * self.excess


def rare_packing(n: int, d: int, epsilon: float, *, theta: float = 2.0, moment: str = "norm") -> RarePacking:
    """The largest p for k = ⌊log(M/2)/ε⌋ and P(K > k) = 1/4, with a θ-th moment of 1.

    Parameters
    ----------
    n, d : int
    epsilon : float
        Of pure privacy, replace-one.
    theta : float
        θ > 1.
    moment : {"norm", "coordinate"}
        E‖x‖₂^θ = 1 (and then E|y|^θ = 1), or E|x_j|^θ = 1 for each j.
    """
    n, d, epsilon = count("n", n), count("d", d), positive("epsilon", epsilon)
    choice("moment", moment, ("norm", "coordinate"))
    theta = validation.real("theta", theta, above=1.0)
    ball = sum(math.comb(d, i) for i in range(math.ceil(d / 4)))
    log_members = math.log(-(-(2**d) // ball))
    shared = min(n - 1, math.floor((log_members - math.log(2.0)) / epsilon + 1e-9))
    chance = float(betaincinv(shared + 1.0, float(n - shared), _MISSED))
    longest = chance ** (-1.0 / theta) * (1.0 if moment == "norm" else math.sqrt(d))  # s√d
    missed = binomial.above(shared, n, chance)
    probability = 1.0 - math.exp(epsilon * shared - log_members) - max(missed, _MISSED)
    return RarePacking(chance, longest / math.sqrt(d), log_members, shared, chance * longest / 8.0, probability)
