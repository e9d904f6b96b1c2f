"""A question's margin in ball arithmetic, for points where floating point met a violation that is none.

Where a difference cancels, floats show a violation that the checker does not: a phantom. Its neighbours are looked at
with the checker's own evaluation, at `BITS`, so that they do not draw the search; what is undefined there is void.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpbench.certificates.build import checker
from dpbench.certificates.search.formula import comparison
from dpbench.certificates.search.question import FAR, Question
from dpbench.certificates.search.space import Exact

BITS = 256
VOID = (2.0, -FAR)
"""Of a point that is undefined, or not decided at `BITS`."""


class Balls:
    """The formulas of a question of kind "inequality", "pair-shift" or "pair-discrete", parsed by the checker."""

    def __init__(self, question: Question) -> None:
        self.check, self.question = checker(), question
        self.definitions = {name: self.check.parse(text) for name, text in question.all_definitions.items()}
        self.conditions = [comparison(formula) for formula, _ in question.all_conditions.values()]
        self.sides = [self.check.parse(side) for side in question.sides]

    def _scope(self, exact: Mapping[str, Fraction]) -> Any:
        values = {name: self.check.fmpq(value.numerator, value.denominator) for name, value in exact.items()}
        self.check.renew()
        self.check.ctx.prec = BITS
        return self.check.Scope(values, self.definitions)

    def look(self, exact: Exact) -> tuple[float, float]:
        """(0, a lower bound of the margin) at an admissible point, else `VOID`."""
        before = self.check.ctx.prec
        try:
            return self._look(self._scope(exact))
        except (self.check.Refused, ArithmeticError, ValueError, TypeError):
            return VOID
        finally:
            self.check.ctx.prec = before

    def _look(self, scope: Any) -> tuple[float, float]:
        parse, evaluate, arb = self.check.parse, self.check.evaluate, self.check.arb
        for left, relation, right in self.conditions:
            a, b = evaluate(parse(left), scope), evaluate(parse(right), scope)
            held = {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "=": a == b}[relation]
            if not held:
                return VOID
        parts = [arb(evaluate(side, scope)) for side in self.sides]
        if len(parts) == 4:  # P(E) <= e^epsilon Q(E) + delta
            p, q, epsilon, delta = parts
            parts = [p, epsilon.exp() * q + delta]
        left, right = parts
        if not (left.is_finite() and right.is_finite()):
            return VOID
        if left > 0 and right > 0:
            return 0.0, min(max(float((left / right).log().lower()), -FAR), FAR)
        return 0.0, FAR if left > right else -FAR

    def shows(self, exact: Exact) -> dict[str, float] | None:
        """What the certificate shows, exact to a float; None where it is undefined."""
        before = self.check.ctx.prec
        try:
            scope = self._scope(exact)
            parts = [self.check.arb(self.check.evaluate(side, scope)) for side in self.sides]
            if len(parts) == 4:
                parts = [parts[0] - parts[2].exp() * parts[1]]
            if not all(part.is_finite() for part in parts):
                return None
            floats = [float(part.mid()) for part in parts]
        except (self.check.Refused, ArithmeticError, ValueError, TypeError):
            return None
        finally:
            self.check.ctx.prec = before
        if self.question.kind != "inequality":
            return {"delta": floats[0]}
        turned = self.question.claim["relation"] == ">="
        return dict(zip(("right", "left") if turned else ("left", "right"), floats, strict=True))


def balls_of(question: Question) -> Balls | None:
    """Of the kinds that have the two sides, or the four parts of an event; None for the others."""
    plain = question.kind in ("inequality", "pair-shift", "pair-discrete") and question.margin is None
    return Balls(question) if plain else None
