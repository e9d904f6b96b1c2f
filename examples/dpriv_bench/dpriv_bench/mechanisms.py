"""The six mechanisms of DPriv-Bench: of a sensitivity D and a printed scale t, what holds and what breaks the claim.

Additive noise (Laplace of scale t, normal of variance t): the worst pair is one whose values are D apart, so the claim
holds if and only if D/t <= epsilon, D^2/t <= beta^2 (Gaussian DP; Dong, Roth and Su 2022, Theorem 1), D^2/(2 t) <= rho
(zCDP; Bun and Steinke 2016, Proposition 1.6).

Selection (the largest of d scores with noise of its own added to each): given the noise of the other columns, column
j wins if and only if its own noise exceeds a threshold. A replaced row moves each score by at most D, the threshold
therefore by at most 2 D. Where the hazard rate of the noise, density(z)/P(Z > z), is at most r everywhere, P(Z > z)
falls by a factor of at most exp(2 D r) as z rises by 2 D: the mechanism is 2 D r-DP. Gumbel noise of scale t has hazard
rates below 1/t (`GUMBEL_HAZARD` with y = exp(-z/t)), Laplace noise of scale t at most 1/t, exponential noise of rate t
exactly t or 0. Nothing smaller than 2 D r will do: columns change independently of each other, and a replacement goes
both ways, so that one column may fall by D while all others rise by D. The laws of that pair, for scores that are equal
but for this, are given here for d = 2 and d = 3 columns; h = D r.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dpbench.ledger.statement import Conclusion, Integer, Real, Statement, event, gaussian, inequality, laplace

MOST_RECORDS = 1000
"""In the search for a counterexample; a proof takes every n."""
GUMBEL_HAZARD = Statement("", {"y": Real("exp(-z/t)", 0, "inf")}, inequality("y", "<=", "exp(y) - 1"))


@dataclass(frozen=True)
class Mechanism:
    """What is claimed of a mechanism.

    Attributes
    ----------
    parameter : str
        Of the claim: epsilon, beta or rho.
    holds : (str, str)
        The sides of an inequality in D and t that is equivalent to the claim for every n (selection: for every d).
    breaks : callable
        From D and t to a claim about one pair that a counterexample of the checker refutes.
    columns : int
        Of the pair of matrices; 1 for additive noise, whose pair is one of data sets.
    """

    parameter: str
    holds: tuple[str, str]
    breaks: Callable[[str, str], Conclusion]
    columns: int = 1

    def claim(self, sensitivity: str, scale: str, free: Mapping[str, tuple[Any, Any]], least: int) -> Statement:
        """Proved if and only if the mechanism is as private as claimed, for every n >= `least`."""
        left, right = (_put(side, sensitivity, scale) for side in self.holds)
        symbols = self._symbols(f"{left} {right}", free, least, "inf")
        return Statement("", symbols, inequality(left, "<=", right), region={self.parameter: "(0, inf)"})

    def positive(self, scale: str, free: Mapping[str, tuple[Any, Any]], least: int) -> Statement:
        """The scale is one: it is nowhere negative."""
        return Statement("", self._symbols(scale, free, least, MOST_RECORDS), inequality("0", "<=", scale))

    def pair(self, sensitivity: str, scale: str, free: Mapping[str, tuple[Any, Any]], least: int) -> Statement:
        """What the claim says of neighbours whose values are `sensitivity` apart (of columns, one down, others up)."""
        made = self.breaks(f"({sensitivity})", f"({scale})")
        return Statement("", self._symbols(f"{sensitivity} {scale}", free, least, MOST_RECORDS), made)

    def _symbols(self, text: str, free: Mapping[str, tuple[Any, Any]], least: int, most: Any) -> dict[str, Real]:
        searched = most != "inf"
        ends = ("1/100", 100) if searched else (0, "inf")
        made = {self.parameter: Real("claimed", *ends)}
        made |= {
            name: Real("a parameter", *((low + 1, low + 9) if searched else (low, high)))
            for name, (low, high) in free.items()
        }
        return made | ({"n": Integer("records", least, most)} if _uses_n(text) else {})


def _uses_n(text: str) -> bool:
    return re.search(r"\bn\b", text) is not None


def _put(side: str, sensitivity: str, scale: str) -> str:
    return re.sub(r"\b[Dt]\b", lambda found: f"({sensitivity})" if found[0] == "D" else f"({scale})", side)


def gumbel_three(h: str) -> tuple[str, str]:
    """The chance that the first of three columns wins, its score h above, then h below the others' (Gumbel noise)."""
    return f"exp({h})/(exp({h}) + 2)", f"1/(1 + 2*exp({h}))"


def laplace_three(h: str) -> tuple[str, str]:
    """As `gumbel_three`, for Laplace noise: its density times the square of its distribution function, integrated."""
    above = (f"exp({h})*(1 - (1 - exp(-{h})/2)^3)/3 + exp(-{h})/2*(exp({h}) - 1 - {h} + (1 - exp(-{h}))/4)"
             f" + exp(-{h})/24")  # fmt: skip
    below = f"exp(-2*{h})/24 + exp(-2*{h})/8*(exp({h}) - 1) + 7*exp(-{h})/24"
    return above, below


def exponential_two(h: str) -> tuple[str, str]:
    """As `gumbel_three`, for exponential noise and two columns."""
    return f"1 - exp(-{h})/2", f"exp(-{h})/2"


def _selection(laws: Callable[[str], tuple[str, str]], rate: str) -> Callable[[str, str], Conclusion]:
    def breaks(sensitivity: str, scale: str) -> Conclusion:
        above, below = laws(f"({_put(rate, sensitivity, scale)})")
        return event(p=above, q=below, epsilon="epsilon")

    return breaks


MECHANISMS: dict[str, Mechanism] = {
    "laplace_mechanism": Mechanism(
        "epsilon", ("D/t", "epsilon"), lambda d, t: laplace(shift=d, scale=t, epsilon="epsilon")),
    "gaussian_mechanism_GDP": Mechanism(
        "beta", ("D^2/t", "beta^2"), lambda d, t: gaussian(shift=d, scale=f"sqrt({t})", mu="beta")),
    "gaussian_mechanism_zCDP": Mechanism(
        "rho", ("D^2/(2*t)", "rho"), lambda d, t: gaussian(shift=d, scale=f"sqrt({t})", rho="rho")),
    "selection_mechanism_expoMech_pureDP": Mechanism(
        "epsilon", ("2*D/t", "epsilon"), _selection(gumbel_three, "D/t"), 3),
    "selection_mechanism_LaplaceRNM_pureDP": Mechanism(
        "epsilon", ("2*D/t", "epsilon"), _selection(laplace_three, "D/t"), 3),
    "selection_mechanism_PF_pureDP": Mechanism(
        "epsilon", ("2*D*t", "epsilon"), _selection(exponential_two, "D*t"), 2),
}  # fmt: skip
DEVIATION = {
    "gaussian_mechanism_GDP": Mechanism(
        "beta", ("D/t", "beta"), lambda d, t: gaussian(shift=d, scale=t, mu="beta")),
    "gaussian_mechanism_zCDP": Mechanism(
        "rho", ("D^2/(2*(t)^2)", "rho"), lambda d, t: gaussian(shift=d, scale=t, rho="rho")),
}  # fmt: skip
"""With the second argument of the normal law read as its standard deviation."""
