"""What is claimed on a space: its margin in floating point, and the certificate of an instance that breaks it.

A margin is ``log(left/right)`` of the claimed ``left <= right`` (for privacy: of the pair's δ(ε), or of an event's
P(E) - e^ε P'(E), against δ): positive is violated, and its exponential is the ratio to the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpbench.certificates.build import Draft, Number
from dpbench.certificates.search.formula import Values, comparison, program, used
from dpbench.certificates.search.space import Exact, Space
from dpbench.core import validation
from dpbench.ledger.formula import missed

FAR = 500.0
"""Margins are cut to ±FAR, so that a logarithm of 0 is a number."""


@dataclass(frozen=True, eq=False)
class Question:
    """A claim on a space.

    Attributes
    ----------
    space : Space
    kind : str
        Kind of the certificate: "inequality", "pair-shift", "pair-discrete".
    claim : dict
        Parts of the certificate's claim.
    sides : (str, str) or (str, str, str, str)
        Expressions of the left and the right side, of whose ratio the margin is the logarithm; of an event, its two
        chances, ε and δ.
    definitions, conditions
        Beside those of the space: the formulas of this statement.
    derivation : tuple of str
        What leads from the paper's objects to the formulas: what no program verifies.
    least : str
        Parameter that is made as small as it can be at the end; empty: none.
    margin : callable, optional
        Guides the search instead of `sides`. It decides nothing: the checker does.
    witness : dict or sequence of dict, optional
        Rational values of the space's symbols at which the claim fails: its certificate is that of these instances, and
        the checker decides them again.
    """

    space: Space
    kind: str
    claim: Mapping[str, Any]
    sides: tuple[str, ...]
    derivation: tuple[str, ...]
    definitions: Mapping[str, str] = field(default_factory=dict)
    conditions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    least: str = ""
    margin: Callable[[Values], float] | None = None
    witness: Mapping[str, Number] | Sequence[Mapping[str, Number]] = ()

    def __post_init__(self) -> None:
        if not self.derivation:
            raise validation.invalid("derivation", "one sentence or more", self.derivation)
        if self.least and self.least not in self.space.parameters:
            raise validation.invalid("least", "a parameter of the space, or empty", self.least)
        for values in self.witnesses:
            if set(values) != set(self.space.symbols):
                raise validation.invalid("witness", f"values of {', '.join(self.space.symbols)}", values)
        _ = self._program  # a formula that cannot be read is refused where it is declared

    @property
    def all_definitions(self) -> dict[str, str]:
        return {**self.space.definitions, **self.definitions}

    @property
    def all_conditions(self) -> dict[str, tuple[str, str]]:
        return {**self.space.conditions, **self.conditions}

    @cached_property
    def _conditions(self) -> list[tuple[str, str, str]]:
        return [comparison(formula) for formula, _ in self.all_conditions.values()]

    @cached_property
    def _program(self) -> Callable[[Values], Any]:
        wanted = [*(side for left, _, right in self._conditions for side in (left, right)), *self.sides]
        return program(self.space.symbols, self.all_definitions, wanted)

    def look(self, values: Values) -> tuple[float, float]:
        """(how far the conditions are missed, margin) at values of all symbols; (0, ...) is admissible.

        Where a formula is undefined the point counts as inadmissible, by 1 for each condition and 1 more.
        """
        try:
            numbers = self._program(values)
            distance = sum(
                missed(relation, numbers[2 * i], numbers[2 * i + 1])
                for i, (_, relation, _) in enumerate(self._conditions)
            )
            if distance > 0.0:
                return distance, -FAR
            found = self._margin(numbers[-len(self.sides) :]) if self.margin is None else float(self.margin(values))
        except (ArithmeticError, ValueError, TypeError):
            return 1.0 + len(self._conditions), -FAR
        if math.isnan(distance) or math.isnan(found):
            return 1.0 + len(self._conditions), -FAR
        return 0.0, min(max(found, -FAR), FAR)

    def _margin(self, sides: Sequence[float]) -> float:
        return log_ratio(*sides) if len(sides) == 2 else event_margin(*sides)

    def ratio(self, exact: Exact, margin: float) -> float:
        """Ratio to the bound at an instance whose margin is known."""
        return math.exp(margin) if margin < FAR else math.inf

    def values(self, exact: Exact) -> dict[str, float]:
        """Floats of an exact instance."""
        return {name: float(value) for name, value in exact.items()}

    @property
    def witnesses(self) -> tuple[dict[str, Fraction], ...]:
        """The instances of `witness`."""
        listed = (self.witness,) if isinstance(self.witness, Mapping) else self.witness
        return tuple({name: Fraction(value) for name, value in values.items()} for values in listed)

    def witnessed(self) -> Draft:
        """The certificate of all instances of `witness`."""
        drafts = [self.draft(exact) for exact in self.witnesses]
        return replace(drafts[0], instances=[one for draft in drafts for one in draft.instances])

    def draft(self, exact: Exact) -> Draft:
        """The certificate of an instance, as it is handed to the checker: nothing of the search but the rationals."""
        definitions, conditions, claim = self.all_definitions, self.all_conditions, self._claimed(exact)
        wanted = [*_expressions(claim), *(formula for formula, _ in conditions.values())]
        reached = used(wanted, definitions)
        return Draft(
            verdict="refuted",
            statement=f"An admissible instance breaks the claim: {self.space.about}.",
            symbols={name: self.space.meaning(name) for name in self.space.symbols if name in reached} | self.running,
            definitions={name: text for name, text in definitions.items() if name in reached},
            assumptions=conditions,
            claim=claim,
            instances=[({name: exact[name] for name in self.space.symbols if name in reached}, self._shows(exact))],
            derivation=[(text, list(conditions) if i == 0 else []) for i, text in enumerate(self.derivation)],
        )

    @property
    def running(self) -> dict[str, str]:
        """Symbols of the certificate that have no value in an instance."""
        return {}

    def _claimed(self, exact: Exact) -> Mapping[str, Any]:
        """Parts of the certificate's claim."""
        return self.claim

    def _shows(self, exact: Exact) -> dict[str, Any]:
        values = self.values(exact)
        if self.kind == "inequality":
            left, right = program(self.space.symbols, self.all_definitions, self.sides)(values)
            return {"left": left, "right": right}
        if self.kind == "pair-shift":
            return {"delta": program(self.space.symbols, self.all_definitions, self.sides)(values)[0]}
        p, q, epsilon, _ = program(self.space.symbols, self.all_definitions, self.sides)(values)
        return {"delta": p - math.exp(epsilon) * q}


def _expressions(claim: Mapping[str, Any]) -> list[str]:
    """The expressions among the parts of a claim."""
    found: list[str] = []
    for name, part in claim.items():
        if name in ("p", "q"):
            found += [text for text in part if text != "rest"]
        elif isinstance(part, str) and name not in ("relation", "family", "variable"):
            found.append(part)
    return found


def log_ratio(left: float, right: float) -> float:
    """log(left/right); beyond the reach of a logarithm, ±`FAR`; of two negative numbers, of the nearer to 0."""
    if left > 0.0 and right > 0.0:
        return math.log(left) - math.log(right)
    if left < 0.0 and right < 0.0:
        return math.log(-right) - math.log(-left)
    return math.nan if math.isnan(left) or math.isnan(right) else FAR if left > right else -FAR


def event_margin(p: float, q: float, epsilon: float, delta: float) -> float:
    """Beyond the claim: log of (p - e^ε q)/δ, the true δ over the claimed one; within it, log of p/(e^ε q + δ)."""
    least = math.exp(epsilon) * q
    if delta > 0.0 and p - least > delta:
        return math.log((p - least) / delta)
    return log_ratio(p, least + delta)


def inequality(
    space: Space, left: str, right: str, *, relation: str = "<=", derivation: Sequence[str], **fields: Any
) -> Question:
    """``left <= right`` (or ``>=``) is claimed."""
    validation.choice("relation", relation, ("<=", ">="))
    claim = {"left": left, "relation": relation, "right": right}
    sides = (left, right) if relation == "<=" else (right, left)
    made = Question(space, "inequality", claim, sides, tuple(derivation), **fields)
    return made if relation == "<=" else _Turned(space, "inequality", claim, sides, tuple(derivation), **fields)


class _Turned(Question):
    """``left >= right``: the certificate lists the sides as they are claimed."""

    def _shows(self, exact: Exact) -> dict[str, Any]:
        shown = super()._shows(exact)
        return {"left": shown["right"], "right": shown["left"]}


def pair_shift(
    space: Space, shift: str, scale: str, *, epsilon: str = "epsilon", delta: str = "delta", family: str = "gaussian",
    derivation: Sequence[str], **fields: Any,
) -> Question:  # fmt: skip
    """Two Gaussian or Laplace laws `shift` apart are claimed to be within (ε, δ)."""
    validation.choice("family", family, ("gaussian", "laplace"))
    claim = {"family": family, "shift": shift, "scale": scale, "epsilon": epsilon, "delta": delta}
    sides = (f"{family}_delta(({shift})/({scale}), {epsilon})", delta)
    return Question(space, "pair-shift", claim, sides, tuple(derivation), **fields)


def pair_event(
    space: Space, p: str, q: str, *, epsilon: str = "epsilon", delta: str = "delta", derivation: Sequence[str],
    **fields: Any,
) -> Question:  # fmt: skip
    """An event of chance `p` on one data set and `q` on its neighbour: p <= e^ε q + δ is claimed."""
    claim = {"p": [p, "rest"], "q": [q, "rest"], "event": [0], "normalise": False, "epsilon": epsilon, "delta": delta}
    return Question(space, "pair-discrete", claim, (p, q, epsilon, delta), tuple(derivation), **fields)


def simple(value: Fraction) -> tuple[int, float]:
    """How long a rational is to write, then how far its logarithm is from 0: shorter first."""
    return len(str(abs(value.numerator))) + len(str(value.denominator)) * (value.denominator > 1), abs(
        math.log(abs(value)) if value else 0.0
    )
