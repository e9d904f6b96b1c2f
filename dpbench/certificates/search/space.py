"""`Space`: the hypotheses of a theorem as parameters, conditions and definitions, for a search to range over.

A space says nothing of what is claimed: the printed and the corrected statement are two questions on one space.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from dpbench.core import validation

Exact = dict[str, Fraction]


@dataclass(frozen=True)
class Real:
    """A real number from `low` to `high`: uniform in its logarithm where `low` is above 0, else uniform."""

    meaning: str
    low: float
    high: float
    whole = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise validation.invalid("the range of a parameter", "finite, low below high", (self.low, self.high))

    def at(self, u: float) -> float:
        """The value at a share `u` of the range."""
        if self.low > 0.0:
            return min(max(self.low * (self.high / self.low) ** u, self.low), self.high)
        return self.low + u * (self.high - self.low)

    @property
    def least(self) -> Fraction:
        """The lower end as it is written, 1/1000 for 1e-3."""
        return Fraction(repr(float(self.low)))

    @property
    def most(self) -> Fraction:
        return Fraction(repr(float(self.high)))

    def allows(self, value: Fraction) -> bool:
        return self.least <= value <= self.most

    @property
    def region(self) -> str:
        return f"[{self.low:g}, {self.high:g}]"


@dataclass(frozen=True)
class Integer:
    """An integer from `low` to `high`, uniform in the logarithm of its distance from `low`."""

    meaning: str
    low: int
    high: int
    whole = True

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise validation.invalid("the range of a parameter", "integers, low below high", (self.low, self.high))

    def at(self, u: float) -> float:
        return float(min(self.low - 1 + round((self.high - self.low + 1.5) ** u), self.high))

    def allows(self, value: Fraction) -> bool:
        return value.denominator == 1 and self.low <= value <= self.high

    @property
    def region(self) -> str:
        return f"{self.low}..{self.high}"


@dataclass(frozen=True)
class Choice:
    """One of a few rationals, such as the smoothness of a loss that is given."""

    meaning: str
    options: tuple[int | Fraction, ...]
    whole = False

    def __post_init__(self) -> None:
        if not self.options:
            raise validation.invalid("options", "one value or more", self.options)

    def at(self, u: float) -> float:
        return float(self.options[min(int(u * len(self.options)), len(self.options) - 1)])

    def allows(self, value: Fraction) -> bool:
        return value in self.options

    @property
    def region(self) -> str:
        return "{" + ", ".join(map(str, self.options)) + "}"


Parameter = Real | Integer | Choice


def vector(name: str, length: int, low: float, high: float, meaning: str) -> dict[str, Parameter]:
    """Parameters ``name_1``, ..., ``name_length``, each a real from `low` to `high`."""
    return {f"{name}_{i}": Real(f"{meaning}, entry {i}", low, high) for i in range(1, length + 1)}


@dataclass(frozen=True, eq=False)
class Space:
    """The hypotheses of a theorem.

    Attributes
    ----------
    about : str
        What is ranged over, in words.
    parameters : dict of str to parameter
        Sizes, constants, the data or the law, the event.
    definitions : dict of str to str
        What the two statements share, in order.
    conditions : dict of str to (formula, why)
        The hypotheses that are not ranges; the checker decides each.
    """

    about: str
    parameters: Mapping[str, Parameter]
    definitions: Mapping[str, str] = field(default_factory=dict)
    conditions: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.parameters:
            raise validation.invalid("parameters", "one parameter or more", self.parameters)
        if twice := set(self.parameters) & set(self.definitions):
            raise validation.invalid("a definition", "new, no parameter", sorted(twice)[0])

    @property
    def symbols(self) -> tuple[str, ...]:
        return tuple(self.parameters)

    def point(self, units: Sequence[float] | np.ndarray) -> dict[str, float]:
        """Values of all symbols at a point of the unit cube, one coordinate for each parameter."""
        pairs = zip(self.parameters.items(), units, strict=True)
        return {name: parameter.at(float(u)) for (name, parameter), u in pairs}

    def allows(self, values: Mapping[str, Fraction]) -> bool:
        return all(parameter.allows(values[name]) for name, parameter in self.parameters.items())

    def meaning(self, name: str) -> str:
        return self.parameters[name].meaning

    @property
    def region(self) -> dict[str, str]:
        return {name: parameter.region for name, parameter in self.parameters.items()}
