"""`Profile`: what is known of a mechanism's privacy, as δ(ε) and ε(δ)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dpbench import validation
from dpbench.privacy import gaussian

KINDS = ("exact", "upper", "lower")
NEIGHBOURS = ("replace", "add-remove")


@dataclass(frozen=True)
class Profile:
    """A privacy profile.

    Attributes
    ----------
    kind : {"exact", "upper", "lower"}
        "upper" and "lower" bound the true δ(ε) at every ε; "exact" is it.
    why : str
        The argument, in words.
    neighbours : {"replace", "add-remove"}
    mu : float or None
        Distance of the two unit Gaussians, where the profile is Gaussian.
    """

    kind: str
    why: str
    delta_of: Callable[[float], float]
    epsilon_of: Callable[[float], float]
    neighbours: str = "replace"
    mu: float | None = None

    def __post_init__(self) -> None:
        validation.choice("kind", self.kind, KINDS)
        validation.choice("neighbours", self.neighbours, NEIGHBOURS)

    def delta(self, epsilon: float) -> float:
        """δ at this ε ≥ 0."""
        return self.delta_of(validation.real("epsilon", epsilon, at_least=0.0))

    def epsilon(self, delta: float) -> float:
        """The least ε ≥ 0 that holds with this δ; infinite where none does."""
        return self.epsilon_of(validation.delta(delta))


def gaussian_profile(mu: float, *, kind: str, why: str, neighbours: str = "replace") -> Profile:
    """The profile of a Gaussian shift of μ standard deviations; an "upper" one is rounded up."""
    up = 1.0 + gaussian.ROUNDING if kind == "upper" else 1.0
    return Profile(
        kind,
        why,
        lambda e: min(1.0, up * gaussian.delta(e, mu)),
        lambda d: up * gaussian.epsilon(d / up, mu),
        neighbours,
        mu,
    )


def no_privacy(why: str) -> Profile:
    """The profile that promises nothing: δ = 1 at every ε."""
    return Profile("upper", why, lambda e: 1.0, lambda d: math.inf)
