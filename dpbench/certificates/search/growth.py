"""Claims with a hidden constant: the search looks for a path along which no constant lasts.

On a path t = 2^j, ..., 2^(j + steps) every scalable parameter x is x_0 t^s with a small integer s. The margin is the
smaller of two: the least growth of left/right at a doubling, in powers of t, less `LEAST_POWER`; and the logarithm of
the last ratio over `CONSTANT`, in units of the path's length. Where it is positive the ratio grows at every doubling,
and reaches `CONSTANT` or more: that guides the search, and refutes nothing. The checker's kind "growth" has to prove it
for all t from the end of the path on; else the result says up to where the ratio grows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from dpbench.certificates.build import Draft, near
from dpbench.certificates.search.formula import Values, comparison, names, program, used
from dpbench.certificates.search.question import FAR, Question
from dpbench.certificates.search.space import Choice, Exact, Integer, Parameter, Space
from dpbench.core import validation
from dpbench.ledger.formula import fresh

LEAST_POWER = 0.02
CONSTANT = 100.0
"""What the constant of O(.) may be, at most: the ratio has to be beyond it at the end of the path."""
POWERS, WHOLE_POWERS = (0, 1, -1, 2, -2), (0, 1, 2, 4, 8)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
STEPS = 8
"""Doublings of a path."""


def paths(space: Space, scalable: Sequence[str]) -> Space:
    """The same space with a power of t for each scalable parameter, and the first doubling of the path."""
    given: dict[str, Parameter] = dict(space.parameters)
    for name in scalable:
        if name not in space.parameters:
            raise validation.invalid("scalable", "parameters of the space", name)
        powers = WHOLE_POWERS if given[name].whole else POWERS
        given[beside(space, f"power_{name}")] = Choice(f"power of t in {name}", powers)
    given[beside(space, "first")] = Integer("the path begins at t = 2^first", 0, 56)
    return Space(space.about, given)


def beside(space: Space, name: str) -> str:
    """A name that no symbol or definition of the space has."""
    return fresh(name, {*space.symbols, *space.definitions})


@dataclass(frozen=True, eq=False)
class Growth(Question):
    """left <= O(right) is claimed on `ground`; made by `order`."""

    ground: Space = field(kw_only=True)
    scalable: tuple[str, ...] = field(kw_only=True)

    @cached_property
    def _program(self) -> Any:
        conditions = [comparison(formula) for formula, _ in self.all_conditions.values()]
        wanted = [*(side for left, _, right in conditions for side in (left, right)), *self.sides]
        return program(self.ground.symbols, self.all_definitions, wanted)

    @property
    def all_definitions(self) -> dict[str, str]:
        return {**self.ground.definitions, **self.definitions}

    @property
    def all_conditions(self) -> dict[str, tuple[str, str]]:
        return {**self.ground.conditions, **self.conditions}

    def _along(self, values: Values) -> list[tuple[float, ...]]:
        """Conditions' sides and the two sides of the claim at each t of the path."""
        made, first = [], int(values[beside(self.ground, "first")])
        for j in range(first, first + STEPS + 1):
            here = {name: values[name] for name in self.ground.symbols}
            for name in self.scalable:
                here[name] = values[name] * 2.0 ** (j * values[beside(self.ground, f"power_{name}")])
            made.append(self._program(here))
        return made

    def look(self, values: Values) -> tuple[float, float]:
        """(how far the conditions are missed along the path, margin)."""
        worst = 1.0 + len(self.all_conditions), -FAR
        try:
            points = self._along(values)
            missed = 0.0
            for i, (formula, _) in enumerate(self.all_conditions.values()):
                relation = comparison(formula)[1]
                moves = points[0][2 * i : 2 * i + 2] != points[-1][2 * i : 2 * i + 2]  # then it is a factor: strict
                for point in points:
                    left, right = point[2 * i], point[2 * i + 1]
                    by = left - right if relation in ("<", "<=") else right - left
                    scale = abs(left) + abs(right)
                    if not (by < 0.0 or (by == 0.0 and relation in ("<=", ">=") and not moves)):
                        missed += max(by / scale, 1e-9) if scale > 0.0 else 1.0
            if missed != 0.0:
                return (missed, -FAR) if missed > 0.0 else worst
            logs = [math.log(point[-2]) - math.log(point[-1]) for point in points]
        except (ArithmeticError, ValueError, TypeError):
            return worst
        growth = min(b - a for a, b in pairwise(logs)) / math.log(2.0) - LEAST_POWER
        growth = min(growth, (logs[-1] - math.log(CONSTANT)) / (STEPS * math.log(2.0)))
        return (0.0, growth) if math.isfinite(growth) else worst

    def ratio(self, exact: Exact, margin: float) -> float:
        """Ratio of the two sides at the end of the path: the constant that would be needed there."""
        last = self._along(self.values(exact))[-1]
        return float(last[-2] / last[-1])

    def draft(self, exact: Exact, slow: bool = False) -> Draft:
        """The certificate of kind "growth": what moves with t among the conditions has to hold for all t.

        Of what grows slowly the power is one of log(t).
        """
        values = self.values(exact)
        given = {name: int(exact[beside(self.ground, f"power_{name}")]) for name in self.scalable}
        powers = {name: power for name, power in given.items() if power}
        written = {*self.ground.symbols, *_NAME.findall(" ".join([*self.sides, *self.all_definitions.values()]))}
        t = fresh("t", {*written, *self.all_definitions})
        starts = {name: fresh(f"{name}_0", {*written, *self.all_definitions}) for name in powers}
        moved = {name: f"{starts[name]}*{t}^({power})" for name, power in powers.items()}
        definitions = {**moved, **self.all_definitions}
        points = self._along(values)
        logs = [math.log(point[-2]) - math.log(point[-1]) for point in points]
        begins = int(exact[beside(self.ground, "first")])
        first, moving = begins + STEPS, _moving(definitions, t)
        doublings = [math.log(1.0 + 1.0 / max(j, 1)) if slow else math.log(2.0) for j in range(begins, first)]
        power = near(0.9 * min((b - a) / by for (a, b), by in zip(pairwise(logs), doublings, strict=True)), 2)
        fixed = {k: v for k, v in self.all_conditions.items() if not names(v[0]) & moving}
        holds = [formula for name, (formula, _) in self.all_conditions.items() if name not in fixed]
        quantity = f"({self.sides[0]})/({self.sides[1]})"
        about = {name: self.space.meaning(name) for name in self.ground.symbols}
        symbols = {starts.get(n, n): what + (f" at {t} = 1" if n in powers else "") for n, what in about.items()}
        reached = used([quantity, *holds, *(formula for formula, _ in fixed.values())], definitions)
        held = {name: what for name, what in symbols.items() if name in reached}
        return Draft(
            verdict="refuted",
            statement=f"The ratio of the two sides grows without bound: {self.space.about}.",
            symbols={**held, t: "what grows"},
            definitions={name: text for name, text in definitions.items() if name in reached},
            assumptions=fixed,
            claim={"variable": t, "from": max(first, 2), "quantity": quantity, "power": "0" if slow else str(power),
                   "log_power": str(power) if slow else "0", "holds": holds},
            instances=[({starts.get(n, n): exact[n] for n in about if starts.get(n, n) in held},
                        {"quantity": math.exp(logs[-1])})],
            derivation=[(text, list(fixed) if i == 0 else []) for i, text in enumerate(self.derivation)],
        )  # fmt: skip


def _moving(definitions: Mapping[str, str], t: str) -> set[str]:
    found = {t}
    for name, text in definitions.items():
        if names(text) & found:
            found.add(name)
    return found


def order(
    ground: Space, left: str, right: str, *, scalable: Sequence[str], derivation: Sequence[str], **fields: Any
) -> Growth:
    """``left <= O(right)`` is claimed, for all values of the scalable parameters."""
    space = paths(ground, scalable)
    return Growth(
        space, "growth", {}, (left, right), tuple(derivation), ground=ground, scalable=tuple(scalable), **fields
    )
