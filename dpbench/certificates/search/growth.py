"""Claims with a hidden constant: the search looks for a path along which no constant lasts.

On a path t = 2^j, ..., 2^(j + steps) the variable x is x_0 t^s with a small integer s, below 0 where x falls; the other
symbols stay as they are, so that what is refuted is false whatever constants may depend on. The margin is the smaller
of two: the least growth of left/right at a doubling, in powers of t, less `LEAST_POWER`; and the logarithm of the last
ratio over `CONSTANT`, in units of the path's length. Where it is positive the ratio grows at every doubling, and
reaches `CONSTANT` or more: that guides the search, and refutes nothing. The checker's kind "growth" has to prove it for
all t from the end of the path on; else the result says up to where the ratio grows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from dpbench.certificates.build import Draft, near
from dpbench.certificates.search.question import FAR, Exact, Parameter, Question, chosen, ranges
from dpbench.ledger import formula
from dpbench.ledger.formula import Node, fresh, names, parse, write

LEAST_POWER = 0.02
CONSTANT = 100.0
"""What the constant of O(.) may be, at most: the ratio has to be beyond it at the end of the path."""
POWERS, WHOLE_POWERS, FALLING = (1, 2), (1, 2, 4, 8), (-1, -2)
STEPS = 8
"""Doublings of a path."""


@dataclass(frozen=True, eq=False)
class Growth(Question):
    """quantity = O(to), of a statement's order; a path of its witness is shown as it is given.

    Attributes
    ----------
    slow : bool
        Whether the certificate is of growth by a power of log(t), which no doubling shows.
    """

    slow: bool = False

    @property
    def pairs(self) -> tuple[tuple[Node, Node], ...]:
        """The quantity, and its order."""
        return ((self.statement.claim_nodes["quantity"], self.statement.claim_nodes["to"]),)

    @property
    def variable(self) -> str:
        return str(self.statement.claim.parts["in"])

    @cached_property
    def power(self) -> str:
        """The parameter that is the power of t in the variable."""
        return self._beside(f"power_{self.variable}")

    @cached_property
    def first(self) -> str:
        """The parameter j: a path begins at t = 2^j."""
        return self._beside("first")

    def _beside(self, name: str) -> str:
        return fresh(name, {*self.statement.symbols, *self.statement.where})

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The symbols, the power of t in the variable, and the first doubling of the path."""
        given = ranges(self.statement, self.piece)
        powers = WHOLE_POWERS if given[self.variable].whole else POWERS
        if "moves" in self.statement.claim.parts:
            powers = FALLING
        return {
            **given,
            self.power: chosen(f"power of t in {self.variable}", powers),
            self.first: Parameter("the path begins at t = 2^first", Fraction(0), Fraction(56), whole=True),
        }

    @property
    def symbols(self) -> tuple[str, ...]:
        return tuple(self.statement.symbols)

    def _along(self, values: Mapping[str, float | Fraction]) -> list[tuple[float, ...]]:
        """Conditions' sides and the two sides of the claim at each t of the path."""
        start, first = {name: float(values[name]) for name in self.symbols}, int(values[self.first])
        at = (2.0 ** (j * float(values[self.power])) for j in range(first, first + STEPS + 1))
        return [self._program({**start, self.variable: start[self.variable] * by}) for by in at]

    def look(self, values: Mapping[str, float | Fraction]) -> tuple[float, float]:
        """(how far the conditions are missed along the path, margin)."""
        worst = 1.0 + len(self.conditions), -FAR
        try:
            points = self._along(values)
            missed = 0.0
            for i, (condition, _) in enumerate(self.conditions.values()):
                sides = [point[2 * i : 2 * i + 2] for point in points]
                moves = sides[0] != sides[-1]  # then it is a factor: strict
                relation = condition[0].rstrip("=") if moves else condition[0]
                missed += sum(formula.missed(relation or "=", left, right) for left, right in sides)
            if missed != 0.0:
                return (missed, -FAR) if missed > 0.0 else worst
            logs = [math.log(point[-2]) - math.log(point[-1]) for point in points]
        except (ArithmeticError, ValueError, TypeError):
            return worst
        growth = min(b - a for a, b in pairwise(logs)) / math.log(2.0) - LEAST_POWER
        growth = min(growth, (logs[-1] - math.log(CONSTANT)) / (STEPS * math.log(2.0)))
        return (0.0, growth) if math.isfinite(growth) else worst

    def surely(self, exact: Exact) -> None:
        """Balls at a point show nothing of a path."""

    def ratio(self, exact: Exact, margin: float) -> float:
        """Ratio of the two sides at the end of the path: the constant that would be needed there."""
        last = self._along(exact)[-1]
        return float(last[-2] / last[-1])

    def plain(self) -> Exact:
        """A path in the middle of the ranges, along the variable itself."""
        middle = self.near(self.point([0.5] * len(self.parameters)), 6)
        return {**middle, self.power: self.parameters[self.power].options[0], self.first: Fraction(12)}

    def draft(self, exact: Exact) -> Draft:
        """The certificate of kind "growth": what moves with t among the conditions has to hold for all t."""
        ((left, right),) = self.pairs
        power, begins = int(exact[self.power]), int(exact[self.first])
        written = {*self.symbols, *self.statement.where}
        t, start = fresh("t", written), fresh(f"{self.variable}_0", written)
        along = {self.variable: f"{start}*{t}^({power})"}
        definitions = {**{name: parse(text) for name, text in along.items()}, **self.statement.definitions}
        moving = {t}
        for name, node in definitions.items():
            moving |= {name} if names(node) & moving else set()
        logs = [math.log(point[-2]) - math.log(point[-1]) for point in self._along(exact)]
        doublings = [math.log(1.0 + 1.0 / max(j, 1)) if self.slow else math.log(2.0)
                     for j in range(begins, begins + STEPS)]  # fmt: skip
        grown = near(0.9 * min((b - a) / by for (a, b), by in zip(pairwise(logs), doublings, strict=True)), 2)
        fixed = {k: (write(node), why) for k, (node, why) in self.conditions.items() if not names(node) & moving}
        holds = [write(node) for name, (node, _) in self.conditions.items() if name not in fixed]
        reached = formula.reached([left, right, *(node for node, _ in self.conditions.values())], definitions)
        renamed = {name: start if name in along else name for name in self.symbols}
        shown = {name: new for name, new in renamed.items() if new in reached}
        about = {new: self.parameters[name].meaning + (f" at {t} = 1" if new != name else "")
                 for name, new in shown.items()}  # fmt: skip
        return Draft(
            verdict="refuted",
            statement=f"The ratio of the two sides grows without bound: {self.about}.",
            symbols={**about, t: "what grows"},
            definitions={name: along.get(name) or write(node) for name, node in definitions.items() if name in reached},
            assumptions=fixed,
            claim={"variable": t, "from": max(begins + STEPS, 2), "quantity": f"({write(left)})/({write(right)})",
                   "power": "0" if self.slow else str(grown), "log_power": str(grown) if self.slow else "0",
                   "holds": holds},
            instances=[({new: exact[name] for name, new in shown.items()}, {"quantity": math.exp(logs[-1])})],
            derivation=[(text, list(fixed) if i == 0 else []) for i, text in enumerate(self.derivation)],
        )  # fmt: skip
