"""`Profile`: what is known of a mechanism's privacy, as δ(ε) and ε(δ); and the profiles with a closed form.

The formulas are in `gaussian`, `laplace`, `pure` and `discrete`; here they become guarantees: each says
what it is (exact, or a bound to one side), why it holds, and for which neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

from dpbench.core import validation
from dpbench.privacy import gaussian
from dpbench.privacy.discrete import UNDERFLOW, Pair
from dpbench.privacy.inversion import crossing

KINDS = ("exact", "upper", "lower")
NEIGHBOURS = ("replace", "add_remove")

Law = tuple[Any, ...]
"""What a profile is of, as plain numbers: a kind and its parameters, which `dpbench.ledger.second_route` reads."""

_UNIT = 2.0**-50  # relative error of a level or shift that is the quotient of a few numbers


@dataclass(frozen=True)
class Profile:
    """A privacy profile: δ(ε) = sup over neighbours and events S of P(S) − e^ε Q(S), both directions.

    Profiles made in this folder pickle; one made from a lambda does not.

    Attributes
    ----------
    kind : {"exact", "upper", "lower"}
        "upper" and "lower" bound the true δ(ε) at every ε, numerical error included; "exact" is it, to
        `error_of`.
    why : str
        The argument, in words.
    delta_of : callable
        δ at any ε ≥ 0, however large; it must not increase with ε.
    epsilon_of : callable, optional
        ε at any δ in [0, 1), with the meaning of `epsilon`; by default `delta_of` is inverted by bisection.
    neighbours : {"replace", "add_remove"}
        Two data sets are neighbours if they differ in the value of one record and have the same size
        ("replace"), or if one is the other without one of its records ("add_remove").
    mu : float or None
        Distance of the two unit Gaussians, where the profile is Gaussian (or, a lower one, is so less what
        `why` takes off).
    law : tuple or None
        What the profile is of, in plain numbers, for a second computation of δ that shares nothing with `delta_of`:
        ("gaussian", shift, noise), ("laplace", shift), ("pure", epsilon), ("approximate", epsilon, delta),
        ("discrete", log-probabilities, log-probabilities), ("lost", delta, law), ("least", laws), ("largest", laws).
    error_of : callable, optional
        A bound on the absolute error of `delta_of` at ε, of what `kind` does not allow for already. Default: a
        relative `gaussian.ROUNDING` of an exact profile.
    place_of : callable, optional
        "within", "beyond" or "undecided" for a claimed (ε, δ), where that is decided exactly.
    """

    kind: str
    why: str
    delta_of: Callable[[float], float] = field(repr=False)
    epsilon_of: Callable[[float], float] | None = field(default=None, repr=False)
    neighbours: str = "replace"
    mu: float | None = None
    law: Law | None = field(default=None, repr=False)
    error_of: Callable[[float], float] | None = field(default=None, repr=False)
    place_of: Callable[[Any, Any], str] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        validation.choice("kind", self.kind, KINDS)
        validation.choice("neighbours", self.neighbours, NEIGHBOURS)

    def place(self, epsilon: Any, delta: Any) -> str:
        """Where the profile lies, seen from a claimed (ε, δ): "within", "beyond" or "undecided".

        "beyond" says that δ(ε) is larger than `delta` (of an upper profile: that the bound is), "within" that it is
        not; "undecided" that the two are nearer to each other than the error of the computation. Of a lower profile
        "within" says only that it is not beyond.

        Where both are below 1e-300, δ(ε) may have underflowed, and `epsilon` of the claimed δ decides: a Gaussian
        profile is beyond every claim of δ = 0. Without `epsilon_of`, such a claim of an upper or exact profile is
        "undecided".

        Parameters
        ----------
        epsilon, delta : float, int, Fraction or str
            Numbers, or formulas of numbers such as ``"log(3)"``.
        """
        if self.place_of is not None:
            return self.place_of(epsilon, delta)
        level, claimed = as_float(epsilon), as_float(delta)
        value = self.delta(level)
        error = 0.0 if self.error_of is None else self.error_of(level)
        if self.kind == "exact" and self.error_of is None:
            error = gaussian.ROUNDING * value
        if value + (error if self.kind == "exact" else 0.0) <= claimed:
            if claimed >= UNDERFLOW or self.epsilon(claimed) <= level:
                return "within"
            return "beyond" if claimed == 0.0 and self.epsilon_of is not None else "undecided"
        if self.kind == "upper":
            error += 2.0 * gaussian.ROUNDING * value  # by which the bound was rounded up
        return "beyond" if value - error > claimed else "undecided"

    def delta(self, epsilon: float) -> float:
        """δ at this ε ≥ 0."""
        return self.delta_of(validation.real("epsilon", epsilon, at_least=0.0))

    def epsilon(self, delta: float) -> float:
        """The least ε ≥ 0 that goes with this δ in [0, 1), rounded to the safe side; infinite where none
        does.

        An "upper" or "exact" profile gives an ε at which it reaches δ; a "lower" one an ε that the mechanism
        needs at least. Without `epsilon_of`, an upper or exact profile answers infinity below δ = 1e-300,
        where `delta_of` may have underflowed.
        """
        delta = validation.delta(delta)
        if self.epsilon_of is not None:
            return self.epsilon_of(delta)
        exceeds, reached = crossing(lambda e: self.delta_of(e) <= delta)
        if self.kind == "lower":
            return math.inf if reached == math.inf else max(0.0, exceeds)
        return reached if delta >= UNDERFLOW else math.inf


def as_float(number: Any) -> float:
    """A number, or a formula of numbers, as a float."""
    if not isinstance(number, str):
        return float(number)
    from dpbench.privacy.exact_law import quantity

    return float(quantity("a number", number))


def gaussian_profile(mu: float, *, kind: str, why: str, neighbours: str = "replace") -> Profile:
    """The profile of a Gaussian shift of μ standard deviations."""
    mu = validation.real("mu", mu, at_least=0.0)
    return _rounded(
        kind, why, partial(gaussian.delta, mu=mu), partial(gaussian.epsilon, mu=mu), neighbours, mu,
        law=("gaussian", mu, 1.0),
    )  # fmt: skip


def laplace_profile(shift: float | Fraction, *, kind: str, why: str, neighbours: str = "replace") -> Profile:
    """The profile of one coordinate with Laplace noise whose centre moves by `shift` scales.

    A float is a number to a few rounding units, so that a claim within them of the shift is "undecided"
    (`Profile.place`). A `Fraction` is the shift itself: the claim of ε = `shift` is then decided.

    Several coordinates: `pure_profile` of the summed shifts, or `composition.compose` of the single ones.
    """
    from dpbench.privacy import laplace

    place_of = None
    if isinstance(shift, Fraction):
        from dpbench.privacy.exact_law import ExactLaplace

        exactly = ExactLaplace(shift)
        place_of, shift = exactly.place, float(exactly)
    shift = validation.real("shift", shift, at_least=0.0)
    return _rounded(
        kind, why, partial(laplace.delta, shift=shift), partial(laplace.epsilon, shift=shift), neighbours,
        law=("laplace", shift), error=partial(_near_its_end, end=shift), place_of=place_of,
    )  # fmt: skip


def pure_profile(epsilon: float, *, kind: str = "upper", why: str, neighbours: str = "replace") -> Profile:
    """What ε-DP alone implies: the profile of randomised response, "exact" for that mechanism only."""
    from dpbench.privacy import pure

    level = validation.real("epsilon", epsilon, at_least=0.0)
    return _rounded(
        kind, why, partial(pure.delta, level=level), partial(pure.epsilon, level=level), neighbours,
        law=("pure", level), error=partial(_near_its_end, end=level),
    )  # fmt: skip


def approximate_profile(epsilon: float, delta: float, *, why: str, neighbours: str = "replace") -> Profile:
    """What (ε, δ)-DP alone implies, at every other ε too: an upper profile with δ itself at ε."""
    from dpbench.privacy import pure

    level, failure = validation.real("epsilon", epsilon, at_least=0.0), validation.delta(delta)
    delta_of = partial(pure.delta, level=level, failure=failure)
    epsilon_of = partial(pure.epsilon, level=level, failure=failure)
    law = ("approximate", level, failure)
    return Profile("upper", why, partial(_raised, delta_of, floor=failure), epsilon_of, neighbours, law=law)


def discrete_profile(pair: Pair, *, kind: str = "exact", why: str, neighbours: str = "replace") -> Profile:
    """The profile of two finite distributions (`discrete.pair`, `discrete.pair_from_logs`)."""
    epsilon_of = partial(_epsilon_for_raised, pair.epsilon) if kind == "upper" else pair.epsilon
    place_of = None if pair.exactly is None else pair.exactly.place
    law = ("discrete", *pair.logs)
    return _rounded(kind, why, pair.delta, epsilon_of, neighbours, law=law, error=pair.error, place_of=place_of)


def no_privacy(why: str, neighbours: str = "replace", kind: str = "upper") -> Profile:
    """The profile that promises nothing: δ = 1 at every ε."""
    return Profile(kind, why, _one, _infinity, neighbours, law=("nothing",))


def shifted_gaussian(distance: float, noise: float, *, kind: str, why: str) -> Profile:
    """Two Gaussians of one standard deviation `noise` a coordinate, `distance` apart; either may be 0."""
    if distance == 0.0:
        return gaussian_profile(0.0, kind=kind, why="the output does not depend on the record")
    if noise == 0.0:
        return no_privacy("no noise is added", kind=kind)
    return replace(gaussian_profile(distance / noise, kind=kind, why=why), law=("gaussian", distance, noise))


def _rounded(
    kind: str,
    why: str,
    delta_of: Callable[[float], float],
    epsilon_of: Callable[[float], float],
    neighbours: str,
    mu: float | None = None,
    *,
    law: Law | None = None,
    error: Callable[[float], float] | None = None,
    place_of: Callable[[Any, Any], str] | None = None,
) -> Profile:
    """A profile from a formula whose ε is already rounded up: its δ moves to the side `kind` asks for."""
    if kind == "lower":
        return Profile(kind, why, partial(_lowered, delta_of), None, neighbours, mu, law, error, place_of)
    if kind == "upper":
        delta_of = partial(_raised, delta_of)
    elif error is not None:
        error = partial(_error, delta_of, error)
    return Profile(kind, why, delta_of, epsilon_of, neighbours, mu, law, error, place_of)


def _error(delta_of: Callable[[float], float], absolute: Callable[[float], float], epsilon: float) -> float:
    return gaussian.ROUNDING * delta_of(epsilon) + absolute(epsilon)


def _near_its_end(epsilon: float, end: float) -> float:
    """Error of a δ that falls to 0 at ε = `end`: of a few rounding units of `end`, and none well beyond it."""
    unit = _UNIT * (1.0 + end)
    return unit if epsilon < end + unit else 0.0


def _raised(delta_of: Callable[[float], float], epsilon: float, floor: float = 0.0) -> float:
    """δ rounded up, save where it is `floor`, which is known without error."""
    value = delta_of(epsilon)
    return floor if value == floor else min(1.0, value * (1.0 + gaussian.ROUNDING))


def _epsilon_for_raised(epsilon_of: Callable[[float], float], delta: float) -> float:
    return epsilon_of(delta / (1.0 + gaussian.ROUNDING))


def _lowered(delta_of: Callable[[float], float], epsilon: float) -> float:
    return delta_of(epsilon) * (1.0 - gaussian.ROUNDING)


def _one(epsilon: float) -> float:
    return 1.0


def _infinity(delta: float) -> float:
    return math.inf
