"""A piece of a statement's claim as a search sees it: where its symbols range, its margin, an instance's certificate.

A margin is ``log(left/right)`` of the claimed ``left <= right`` (of laws where delta is 0, of the worst outcome):
positive is violated, and its exponential is the ratio to the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import dpbench_check as check
import numpy as np

from dpbench.certificates.build import Draft, rational, round_to
from dpbench.certificates.judge_pieces import Piece, lawful
from dpbench.core import validation
from dpbench.ledger import formula
from dpbench.ledger.formula import Node, missed, parse, write
from dpbench.ledger.statement import Calibrated, Statement

FAR = 500.0
"""Margins are cut to ±FAR, so that a logarithm of 0 is a number."""
WIDE = 10**6
"""A half-line is searched up to this, or to this times its end."""
BITS = 512
"""Of a ball in which a point is looked at again."""
Exact = dict[str, Fraction]
Values = Mapping[str, float]


@dataclass(frozen=True)
class Parameter:
    """Where a symbol ranges in a search: reals or integers from `low` to `high`, or a few `options`.

    Reals are drawn uniformly in their logarithm where `low` is above 0, else uniformly; integers uniformly in the
    logarithm of their distance from `low`.
    """

    meaning: str
    low: Fraction
    high: Fraction
    whole: bool = False
    options: tuple[Fraction, ...] = ()

    def at(self, u: float) -> float:
        """The value at a share `u` of the range."""
        if self.options:
            return float(self.options[min(int(u * len(self.options)), len(self.options) - 1)])
        low, high = self._ends
        if self.whole:
            return float(min(low - 1 + round((high - low + 1.5) ** u), high))
        return min(max(low * (high / low) ** u, low), high) if low > 0.0 else low + u * (high - low)

    @cached_property
    def _ends(self) -> tuple[int, int] | tuple[float, float]:
        return (int(self.low), int(self.high)) if self.whole else (float(self.low), float(self.high))

    def near(self, value: float, digits: int = 0) -> Fraction:
        """The nearest value of the range, of so many digits where it is a real; 0: of all."""
        if self.options:
            return min(self.options, key=lambda option: abs(float(option) - value))
        exact = round_to(value, digits, 0) if digits and not self.whole else Fraction(value)
        return min(max(Fraction(round(exact)) if self.whole else exact, self.low), self.high)

    def allows(self, value: Fraction) -> bool:
        if self.options:
            return value in self.options
        return self.low <= value <= self.high and (value.denominator == 1 or not self.whole)

    @property
    def region(self) -> str:
        if self.options:
            return "{" + ", ".join(map(str, self.options)) + "}"
        return f"{self.low}..{self.high}" if self.whole else f"[{float(self.low):g}, {float(self.high):g}]"


def chosen(meaning: str, options: Sequence[int | Fraction]) -> Parameter:
    """One of a few rationals."""
    values = tuple(map(Fraction, options))
    return Parameter(meaning, min(values), max(values), options=values)


@dataclass(frozen=True, eq=False)
class Question:
    """A piece of a statement's claim, on the ranges of the statement's symbols and of those of the piece."""

    statement: Statement
    piece: Piece

    def __post_init__(self) -> None:
        _ = self._program  # a formula that cannot be evaluated is refused here

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The symbols; half-lines are cut."""
        return ranges(self.statement, self.piece)

    @cached_property
    def conditions(self) -> dict[str, tuple[Node, str]]:
        """Hypotheses, as (comparison, why)."""
        return hypotheses(self.statement, self.piece)

    @cached_property
    def pairs(self) -> tuple[tuple[Node, Node], ...]:
        """(left, right), of each of which left <= right is claimed."""
        return tuple((one.left, one.right) for one in self.piece.inequalities)

    @property
    def symbols(self) -> tuple[str, ...]:
        """Those that formulas are evaluated at."""
        return tuple(self.parameters)

    def point(self, units: Sequence[float] | np.ndarray) -> dict[str, float]:
        """Values at a point of the unit cube, one coordinate for each parameter."""
        pairs = zip(self.parameters.items(), units, strict=True)
        return {name: parameter.at(float(u)) for (name, parameter), u in pairs}

    def near(self, point: Values, digits: int = 0) -> Exact:
        """The nearest instance, of so many digits."""
        return {name: parameter.near(point[name], digits) for name, parameter in self.parameters.items()}

    def allows(self, values: Mapping[str, Fraction]) -> bool:
        return all(parameter.allows(values[name]) for name, parameter in self.parameters.items())

    @property
    def region(self) -> dict[str, str]:
        return {name: parameter.region for name, parameter in self.parameters.items()}

    @property
    def least(self) -> str:
        """The symbol of epsilon, where it is one and a real: it is shown as small as it can be."""
        name = self.statement.claim.against.get("epsilon", "")
        parameter = self.parameters.get(name)
        return "" if parameter is None or parameter.whole or parameter.options else name

    def compiled(self, wanted: Sequence[Node]) -> Callable[[Values], tuple[float, ...]]:
        return formula.compiled(self.symbols, self.statement.definitions, wanted)

    @cached_property
    def _program(self) -> Callable[[Values], tuple[float, ...]]:
        sides = [side for (_, *both), _ in self.conditions.values() for side in both]
        return self.compiled([*sides, *(side for pair in self.pairs for side in pair)])

    def look(self, values: Mapping[str, float | Fraction]) -> tuple[float, float]:
        """(how far the conditions are missed, margin) at values of all symbols; (0, ...) is admissible.

        Where a formula is undefined the point counts as inadmissible, by 1 for each condition and 1 more.
        """
        worst = 1.0 + len(self.conditions), -FAR
        try:
            numbers = self._program({name: float(value) for name, value in values.items()})
            of = zip(self.conditions.values(), numbers[::2], numbers[1::2], strict=False)
            distance = sum(missed(condition[0], a, b) for (condition, _), a, b in of)
            if distance > 0.0:
                return distance, -FAR
            rest = numbers[2 * len(self.conditions) :]
            margin = max(
                (log_ratio(a, b) for a, b in zip(rest[::2], rest[1::2], strict=True) if a != 0.0 or b != 0.0),
                default=-FAR,
            )
        except (ArithmeticError, ValueError, TypeError):
            return worst
        if math.isnan(distance) or math.isnan(margin):
            return worst
        return 0.0, min(max(margin, -FAR), FAR)

    def balls(self, exact: Exact, nodes: Sequence[Node]) -> list[Any]:
        """Balls that hold formulas, by the checker's own evaluation; its `Refused` where it has none."""
        check.renew()
        values = {name: check.rational(rational(value)) for name, value in exact.items()}
        definitions = {name: _read(write(node)) for name, node in self.statement.definitions.items()}
        scope = check.Scope(values, definitions)
        with check.bits(BITS):
            return [check.arb(check.evaluate(_read(write(node)), scope)) for node in nodes]

    def surely(self, exact: Exact) -> tuple[float, float] | None:
        """(0, a lower bound of the margin) where balls show that the point is admissible, else None."""
        sides = [side for (_, *both), _ in self.conditions.values() for side in both]
        try:
            balls = self.balls(exact, [*sides, *(side for pair in self.pairs for side in pair)])
        except (check.Refused, ArithmeticError, ValueError, TypeError):
            return None
        for ((relation, *_), _), a, b in zip(self.conditions.values(), balls[::2], balls[1::2], strict=False):
            if not {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "=": a == b}[relation]:
                return None
        rest, margins = balls[2 * len(self.conditions) :], [-FAR]
        for a, b in zip(rest[::2], rest[1::2], strict=True):
            if not (a.is_finite() and b.is_finite()):
                return None
            if a > 0 and b > 0:
                margins.append(min(float((a / b).log().lower()), FAR))
            elif a > b:
                margins.append(FAR)
        return 0.0, max(margins)

    def ratio(self, exact: Exact, margin: float) -> float:
        """True over claimed at an instance: of a delta above 0 that is exceeded, else of the two sides."""
        if margin > 0.0 and "delta" in self.piece.claim:
            true, claimed = self.compiled([self.piece.shows["delta"], parse(self.piece.claim["delta"])])(
                {name: float(value) for name, value in exact.items()}
            )
            if claimed > 0.0:
                return true / claimed
        return math.exp(margin) if margin < FAR else math.inf

    def draft(self, exact: Exact) -> Draft:
        """The certificate of an instance, as it is handed to the checker: nothing of the search but the rationals."""
        claim, definitions = self._claimed(exact), self.statement.definitions
        wanted = [*map(parse, _expressions(claim)), *(condition for condition, _ in self.conditions.values())]
        reached = formula.reached(wanted, definitions)
        given = {name: (write(condition), why) for name, (condition, why) in self.conditions.items()}
        named = [name for name in self.parameters if name in reached]
        return Draft(
            verdict="refuted",
            statement=f"An admissible instance breaks the claim: {self.about}.",
            symbols={name: self.parameters[name].meaning for name in named},
            definitions={name: write(node) for name, node in definitions.items() if name in reached},
            assumptions=given,
            claim=claim,
            instances=[({name: exact[name] for name in named}, self._shows(exact))],
            derivation=[(text, list(given) if i == 0 else []) for i, text in enumerate(self.derivation)],
        )

    @property
    def about(self) -> str:
        return self.statement.text.rstrip(".")

    @property
    def derivation(self) -> tuple[str, ...]:
        return (*self.piece.derivation, *self.statement.steps)

    def _claimed(self, exact: Exact) -> Mapping[str, Any]:
        """Parts of the certificate's claim; of discrete laws the event is what the first law is too likely to give."""
        if not self.piece.events:
            return self.piece.claim
        numbers = self.compiled([side for pair in self.piece.events for side in pair])(
            {name: float(value) for name, value in exact.items()}
        )
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        return {**self.piece.claim, "event": [i for i, (p, bound) in enumerate(pairs) if p > bound]}

    def _shows(self, exact: Exact) -> dict[str, Any]:
        balls = self.balls(exact, list(self.piece.shows.values()))
        return {name: float(ball.mid()) for name, ball in zip(self.piece.shows, balls, strict=True)}

    def witnessed(self) -> Draft:
        """The certificate of the statement's witnesses: it does not hold at them."""
        drafts = [self.draft(dict(values)) for values in self.statement.instances]
        return replace(drafts[0], instances=[instance for draft in drafts for instance in draft.instances])


_read = lru_cache(maxsize=256)(check.parse)


def log_ratio(left: float, right: float) -> float:
    """log(left/right); beyond the reach of a logarithm, ±`FAR`; of two negative numbers, of the nearer to 0."""
    if left > 0.0 and right > 0.0:
        return math.log(left) - math.log(right)
    if left < 0.0 and right < 0.0:
        return math.log(-right) - math.log(-left)
    return math.nan if math.isnan(left) or math.isnan(right) else FAR if left > right else -FAR


def _expressions(claim: Mapping[str, Any]) -> list[str]:
    """The expressions among the parts of a claim."""
    expressions: list[str] = []
    for name, part in claim.items():
        if name in ("p", "q"):
            expressions += [text for text in part if text != "rest"]
        elif isinstance(part, str) and name not in ("relation", "family"):
            expressions.append(part)
    return expressions


def ranges(statement: Statement, piece: Piece) -> dict[str, Parameter]:
    """The statement's symbols, and those of the piece, with finite ranges."""
    parameters: dict[str, Parameter] = {}
    for name, symbol in {**statement.symbols, **piece.hidden}.items():
        if isinstance(symbol, Calibrated):
            parameters[name] = Parameter(symbol.meaning, Fraction(1, 1000), Fraction(30))
            continue
        low, high, _, _ = statement.ranges.get(name, (symbol.low, symbol.high, False, False))
        if any(end is not None and math.isinf(formula.nearest(end)) for end in (low, high)):
            raise validation.invalid(f"the range of {name}", "within the reach of floating point, or infinite", "more")
        low = low if low is not None else -max(Fraction(WIDE), abs(high or 0) * WIDE)
        high = high if high is not None else max(Fraction(WIDE), abs(low) * WIDE)
        parameters[name] = chosen(symbol.meaning, (low,)) if low == high else Parameter(
            symbol.meaning, low, high, symbol.whole)  # fmt: skip
    return parameters


def hypotheses(statement: Statement, piece: Piece) -> dict[str, tuple[Node, str]]:
    """What is given, what the piece needs beside, and open ends of ranges ("open_...")."""
    conditions: dict[str, tuple[Node, str]] = {name: (condition, why) for name, condition, why in statement.conditions}
    more = {**(lawful(statement) if piece.kind == "inequality" else {}), **piece.conditions}
    for name, symbol in statement.symbols.items():
        if isinstance(symbol, Calibrated):
            within = (f"{symbol.family}_delta", ("sym", name), parse(symbol.epsilon))
            more[f"calibrated_{name}"] = ("<=", within, parse(symbol.delta)), "within (epsilon, delta)"
            continue
        low, high, left, right = statement.ranges[name]
        opened = [f"{name} > {low}"] * left + [f"{name} < {high}"] * right
        for number, text in enumerate(opened):
            more[f"open_{name}_{number}"] = parse(text, comparison=True), "an open end"
    for name, condition in more.items():  # a hypothesis of that name is another
        conditions[formula.fresh(name, conditions)] = condition
    return conditions
