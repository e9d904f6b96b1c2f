"""Proofs over regions: how a region is cut into cells on each of which the checker sees what is claimed.

The arithmetic is the checker's own (`dpbench_check.Cell`), so that what is found here is what it accepts; here is only
the choice of the cuts, and of a witness: a point of the region at which what is given holds and all sides are defined.
"""

from __future__ import annotations

import math
import random
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Any

from dpbench.certificates.build import Draft, checker, rational
from dpbench.ledger import formula
from dpbench.ledger.formula import Node

Ends = tuple[Fraction | None, Fraction | None]
Sides = Mapping[str, Ends]
Comparison = tuple[str, Node, Node]
Point = dict[str, Fraction]
BITS = 128
"""As the checker has it on a region."""
NARROW = Fraction(1, 10**7)
"""Sides narrower than this, relative to where they are, are not cut."""
POINTS = 2000
"""Candidates for a witness."""


@dataclass
class Tree:
    """What became of a region.

    Attributes
    ----------
    cuts : list of str or None
        In the order of a walk down the tree: "symbol value" where a cell is cut, before its lower and its upper part,
        and "" where it is not. None where some cell is not decided.
    cells : int
        Looked at.
    left : dict of str to str
        The first cell that was not decided; empty if all were.
    why : str
        Why the search for cuts ended without them.
    """

    cuts: list[str] | None = None
    cells: int = 0
    left: dict[str, str] = field(default_factory=dict)
    why: str = ""


@dataclass
class _Cell:
    sides: dict[str, Ends]
    cut: str = ""
    parts: tuple[_Cell, ...] = ()


class Proof:
    """What is claimed on a region wherever what is given holds, in the checker's terms."""

    def __init__(
        self, claims: Sequence[Comparison], sides: Sides, definitions: Mapping[str, Node],
        given: Sequence[Comparison], fixed: Point | None = None,
    ) -> None:  # fmt: skip
        self.check = checker()
        self.claims, self.sides, self.given, self.fixed = claims, dict(sides), given, fixed or {}
        nodes = [side for comparison in (*claims, *given) for side in comparison[1:]]
        needed = formula.reached(nodes, definitions)
        self.definitions = {name: node for name, node in definitions.items() if name in needed}
        read = {name: self.check.parse(formula.write(node)) for name, node in self.definitions.items()}
        self.scope = self.check.Scope({n: self.check.rational(rational(v)) for n, v in self.fixed.items()}, read)
        self.moving = self.check.Moving(set(sides), read)
        self._given = [self._read(comparison) for comparison in given]
        self.check.renew()
        claimed = [self._read(comparison) for comparison in claims]
        self._forms = self.check.forms_of(claimed, self._texts(sides), self.scope)
        self._sides = [side for comparison in claimed for side in comparison[1:]]

    def _read(self, comparison: Comparison) -> Any:
        relation, left, right = comparison
        return self.check.parse(formula.write((relation, left, right)), True)

    def tree(
        self, cells: int, *, seconds: float = math.inf, look: Callable[[Point], bool] = lambda point: False
    ) -> Tree:
        """Cut the region, cell by cell in order of depth, until all are decided.

        The cuts follow from the formulas, whatever the machine, unless `seconds` of processor time end the search.

        Parameters
        ----------
        cells : int
            How many may be looked at.
        look : callable
            Of the middle of each cell that is not decided: True ends the search.
        """
        before, deadline = self.check.ctx.prec, time.process_time() + seconds
        whole, tree, spent = _Cell(self.sides), Tree(), 0
        queue = deque([whole])
        try:
            while queue:
                cell = queue.popleft()
                tree.cells += 1
                if tree.cells > cells or time.process_time() > deadline:
                    tree.why = "the cells" if tree.cells > cells else "the time"
                    tree.left, tree.why = _said(cell.sides), f"{tree.why} did not suffice"
                    return tree
                self.check.renew()
                self.check.ctx.prec = BITS
                box = self._box(cell.sides)
                undecided = next((forms for forms in self._forms if not box.seen(forms, self._given)), None)
                if undecided is None:
                    spent += self.check.spent()
                    if spent > self.check.OPERATIONS:
                        tree.left, tree.why = _said(cell.sides), "the checker has no room for so many cells"
                        return tree
                    continue
                if look({name: middle(*ends) for name, ends in cell.sides.items()}):
                    tree.left, tree.why = _said(cell.sides), "a point breaks it"
                    return tree
                cell.cut = self._where(undecided[-1][:3], cell.sides)
                if not cell.cut:
                    tree.left, tree.why = _said(cell.sides), "the bound is met there, or nearly so"
                    return tree
                name, _, value = cell.cut.partition(" ")
                low, high = cell.sides[name]
                ends = (low, Fraction(value)), (Fraction(value), high)
                cell.parts = tuple(_Cell({**cell.sides, name: pair}) for pair in ends)
                queue.extend(cell.parts)
        except self.check.Refused as error:
            tree.left, tree.why = _said(cell.sides), str(error)
            return tree
        finally:
            self.check.ctx.prec = before
        tree.cuts, walk = [], [whole]
        while walk:
            cell = walk.pop()
            tree.cuts.append(cell.cut)
            walk += cell.parts[::-1]
        return tree

    def witness(self, first: Iterable[Point] = (), whole: Collection[str] = ()) -> Point | None:
        """A point that the certificate can name: one of `first`, an inner point of the region, or of a few more at
        random, with integers for the symbols that are `whole`; None where there is none among them."""
        rng, before = random.Random(0), self.check.ctx.prec
        more = ({name: drawn(rng, *ends) for name, ends in self.sides.items()} for _ in range(POINTS))
        listed = ({name: point[name] for name in self.sides} for point in first)
        try:
            rounded = (
                {name: Fraction(math.floor(value)) if name in whole else value for name, value in point.items()}
                for point in chain(listed, [self.inner], more)
            )
            spent = 0
            for point in rounded:
                if self._admits(point):
                    return point
                spent += self.check.spent()
                if spent > self.check.OPERATIONS:
                    break
            return None
        finally:
            self.check.ctx.prec = before

    @property
    def inner(self) -> Point:
        """A point inside: a third of the way up, one from the end of a half-line."""
        point = {}
        for name, (low, high) in self.sides.items():
            if low is None:
                point[name] = Fraction(1) if high is None else high - 1
            else:
                point[name] = low + 1 if high is None else low + (high - low) / 3
        return point

    def _admits(self, point: Point) -> bool:
        check = self.check
        check.renew()
        scope = self.scope.changed(**{name: check.rational(rational(value)) for name, value in point.items()})
        try:
            return all(_within(point[n], *ends) for n, ends in self.sides.items()) and (
                all(check.decide(*comparison, scope) for comparison in self._given)
                and all(check.defined(side, scope) for side in self._sides)
            )
        except check.Refused:
            return False

    def draft(self, cuts: list[str], witness: Point, **parts: Any) -> Draft:
        """The certificate; `parts` are those of a draft that are not formulas."""
        given, claims = (
            [formula.write((relation, left, right)) for relation, left, right in comparisons]
            for comparisons in (self.given, self.claims)
        )
        at = {name: str(value) for name, value in witness.items()}
        claim = {"region": self._texts(self.sides), "cuts": cuts, "witness": at, "given": given, "claims": claims}
        texts = {name: formula.write(node) for name, node in self.definitions.items()}
        return Draft(verdict="proved", definitions=texts, claim=claim, instances=[(self.fixed, {})], **parts)

    @staticmethod
    def _texts(sides: Sides) -> dict[str, list[str]]:
        return {name: ["-inf" if low is None else str(low), "inf" if high is None else str(high)]
                for name, (low, high) in sides.items()}  # fmt: skip

    def _box(self, sides: Sides) -> Any:
        arb, exact = self.check.arb, {}
        for name, (low, high) in sides.items():
            exact[name] = (
                arb("-inf") if low is None else arb(self.check.rational(str(low))).lower(),
                arb("inf") if high is None else arb(self.check.rational(str(high))).upper(),
            )
        return self.check.Cell(exact, self.scope, self.moving)

    def _where(self, comparison: Any, sides: dict[str, Ends]) -> str:
        """Across which side to cut, and where: one along which right - left turns, if there is such a one."""
        less = comparison[1:] if comparison[0] in ("<=", "<") else comparison[:0:-1]
        faces, _ = self._box(sides).faces(*less, self._given)
        face: dict[str, Any] = max(faces, key=len, default={})
        free = {name: ends for name, ends in sides.items() if name not in face}
        for candidates in (free, sides):
            gaps = self._box(sides).gaps(*less)
            sized = {name: _size(gaps[-1][1].get(name) if gaps else None, *ends) for name, ends in candidates.items()}
            name = max(sized, key=lambda n: sized[n], default="")
            if name and sized[name] > 0.0:
                return f"{name} {middle(*sides[name])}"
        return ""


def _within(value: Fraction, low: Fraction | None, high: Fraction | None) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


def _said(sides: Sides) -> dict[str, str]:
    return {
        name: f"[{'-inf' if a is None else f'{float(a):.6g}'}, {'inf' if b is None else f'{float(b):.6g}'}]"
        for name, (a, b) in sides.items()
    }


def _size(slope: Any, low: Fraction | None, high: Fraction | None) -> float:
    """How much of the interval's width a side causes; without a bounded slope, how wide it is; 0: it is not cut."""
    if low is None or high is None:
        return 1e6
    if high - low <= NARROW * max(abs(low), abs(high), NARROW):
        return 0.0
    wide = float((high - low) / max(abs(low), abs(high)))
    if slope is None or not all(end.is_finite() for end in slope):
        return wide
    spread = max(abs(float(end.mid())) for end in slope) * float(high - low)
    return min(spread, 1e3) * max(wide, 1e-3)


def middle(low: Fraction | None, high: Fraction | None) -> Fraction:
    """Where a side is cut: at the middle of its logarithm if it does not come near 0, else nearer to 0."""
    if low is None or high is None:
        if low is not None:
            return max(2 * low, Fraction(1), low + 1)
        return Fraction(0) if high is None else min(2 * high, Fraction(-1), high - 1)
    tiny = Fraction(1, 10**9)
    if low > 0 and high > 4 * low:
        return _short(math.sqrt(low * high))
    if high < 0 and low < 4 * high:
        return -_short(math.sqrt(low * high))
    if low == 0 and high > tiny:
        return high / 16
    return low / 16 if high == 0 and low < -tiny else (low + high) / 2


def _short(value: float) -> Fraction:
    """A rational with a few digits near a positive number."""
    return Fraction(value).limit_denominator(10**4) if value > 1e-2 else Fraction(1, round(1.0 / value))


def drawn(rng: random.Random, low: Fraction | None, high: Fraction | None) -> Fraction:
    """A point of a side, its ends among them."""
    share = rng.choice((Fraction(0), Fraction(1), Fraction(rng.randint(0, 1000), 1000)))
    if low is not None and high is not None:
        return low + (high - low) * share
    far = share * 10 ** rng.randint(0, 4)
    return rng.choice((1, -1)) * far if low is high else low + far if low is not None else (high or 0) - far
