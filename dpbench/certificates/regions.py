"""Proofs over regions: how a region is cut into cells on each of which the checker sees what is claimed.

The arithmetic is the checker's own (`dpbench_check.Cell`), so that what is found here is what it accepts; here is only
the choice of the cuts, and of a witness: a point of the region at which what is given holds and all sides are defined.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, islice, product
from typing import Any

import dpbench_check as check

from dpbench.certificates.build import Draft, rational
from dpbench.certificates.clock import Clock
from dpbench.ledger import formula
from dpbench.ledger.formula import Node

Ends = tuple[Fraction | None, Fraction | None]
Sides = Mapping[str, Ends]
Comparison = tuple[str, Node, Node]
Point = dict[str, Fraction]
# As the checker has it on a region.
BITS = 128
# Sides narrower than this, relative to where they are, are not cut.
NARROW = Fraction(1, 10**7)
# Candidates for a witness.
POINTS = 2000
# Derivatives one below the other; cells of a part of such a proof, and of all of a search; points that tell a sign.
DEPTH, FEW, EFFORT, SAMPLES = 8, 40, 100, 12
# Corners of a region that are looked at first.
CORNERS = 32
# Operations of the checker a second, as it counts them: where less time is left, a step has fewer.
RATE = 250_000
LATE = "the time did not suffice"


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
class _Node:
    """A task, what is done to it, and what that leaves."""

    task: Any
    depth: int = 0
    step: str = ""
    parts: tuple[_Node, ...] = ()

    def steps(self) -> list[str]:
        steps, walk = [], [self]
        while walk:
            node = walk.pop()
            steps.append(node.step)
            walk += node.parts[::-1]
        return steps


class Proof:
    """What is claimed on a region wherever what is given holds, in the checker's terms."""

    def __init__(
        self, claims: Sequence[Comparison], sides: Sides, definitions: Mapping[str, Node],
        given: Sequence[Comparison], fixed: Point | None = None,
    ) -> None:  # fmt: skip
        self.claims, self.sides, self.given, self.fixed = claims, dict(sides), given, fixed or {}
        nodes = [side for comparison in (*claims, *given) for side in comparison[1:]]
        needed = formula.reached(nodes, definitions)
        self.definitions = {name: node for name, node in definitions.items() if name in needed}
        read = {name: check.parse(formula.write(node)) for name, node in self.definitions.items()}
        self.scope = check.Scope({n: check.rational(rational(v)) for n, v in self.fixed.items()}, read)
        self._given = [self._read(comparison) for comparison in given]
        check.renew()
        self._claimed = [self._read(comparison) for comparison in claims]
        self._sides = [side for comparison in self._claimed for side in comparison[1:]]
        self._short: dict[Any, Fraction] = {}
        self.effort, self.clock, self.reserved = EFFORT, Clock(), 0
        whole = {name: self._ends(*ends) for name, ends in sides.items()}
        self.tasks = check.Tasks(self.scope, whole)
        self._whole = whole, [self.tasks.goal(one, one[1:]) for one in self._claimed], self._given

    def _read(self, comparison: Comparison) -> Any:
        relation, left, right = comparison
        return check.parse(formula.write((relation, left, right)), True)

    def tree(
        self, cells: int, *, clock: Clock | None = None, look: Callable[[Point], bool] = lambda point: False
    ) -> Tree:
        """Cut the region, cell by cell in order of depth, until all are decided.

        The cuts follow from the formulas, whatever the machine, unless the `clock` ends the search.

        Parameters
        ----------
        cells : int
            How many may be looked at.
        look : callable
            Of the middle of each cell that is not decided: True ends the search.
        """
        self.clock, self.effort = clock or Clock(), EFFORT
        try:
            with check.bits(BITS):
                return self._explored(_Node(self._whole), cells, look)
        except check.Refused as error:
            return Tree(left=_said(self._whole[0]), why=LATE if self._late else str(error))

    def false_at_a_corner(self) -> bool:
        """Whether `false_at` is so of a corner of the region."""
        check.renew()
        ends = [[end for end in pair if end is not None] for pair in self.sides.values()]
        return any(self.false_at(dict(zip(self.sides, one, strict=True))) for one in islice(product(*ends), CORNERS))

    def false_at(self, point: Point) -> bool:
        """Whether at a point what is given holds and a claim does not, both for certain."""
        with check.bits(BITS), suppress(check.Refused):
            box = self.tasks.cell({name: self._ends(value, value) for name, value in point.items()})
            given = all(box.false(check.OPPOSITE[relation], *sides) for relation, *sides in self._given)
            false = given and any(box.false(*one) for one in self._claimed)
            return false and not (box.touched or box.undefined or box.unknown)
        return False

    def _renew(self) -> None:
        """The checker's budget for a step, less what cannot be done in the time that is left."""
        room, operations = self.clock.left * RATE, check.OPERATIONS
        self.reserved = operations - int(room) if room < operations else 0
        check.renew()
        check.spend(self.reserved)

    @property
    def _late(self) -> bool:
        """Whether a step was ended for want of time."""
        return self.reserved > 0 and check.spent() > check.OPERATIONS

    def _explored(self, whole: _Node, cells: int, look: Callable[[Point], bool] = lambda point: False) -> Tree:
        tree, spent, queue = Tree(), 0, deque([whole])
        while queue and not tree.why:
            node = queue.popleft()
            cell, tree.cells = node.task[0], tree.cells + 1
            self.effort -= 1
            self._renew()
            unseen = self.tasks.unseen(node.task)
            spent += check.spent() - self.reserved if not unseen else 0
            if tree.cells > cells or self.clock.over:
                tree.why = "the cells did not suffice" if tree.cells > cells else LATE
            elif spent > check.OPERATIONS:
                tree.why = "the checker has no room for so many cells"
            elif not unseen:
                continue
            elif look({name: middle(*map(self._exact, ends)) for name, ends in cell.items()}):
                tree.why = "a point breaks it"
            elif self._sloped(node, unseen[0]):
                continue
            elif self._cut(node, unseen[0]):
                queue.extend(node.parts)
            else:
                tree.why = "the bound is met there, or nearly so"
            tree.left = _said(cell) if tree.why else {}
        tree.cuts = None if tree.why else whole.steps()
        return tree

    def _cut(self, node: _Node, goal: Any) -> bool:
        """Cut the cell of a node, where it can be cut."""
        self._renew()
        node.step = self._where(goal[1][-1][:3], node.task)
        parts = self.tasks.after(node.task, node.step) if node.step else ()
        node.parts = tuple(_Node(task, node.depth) for task in parts)
        return bool(node.step)

    def _sloped(self, node: _Node, goal: Any) -> bool:
        """Whether a derivative, and few steps below it, show the task; the node holds them then."""
        for step in self._promising(node.task, goal, node.depth) if node.depth < DEPTH and self.effort > 0 else ():
            if self.clock.over:
                return False
            self._renew()
            try:
                parts = tuple(_Node(task, node.depth + 1) for task in self.tasks.after(node.task, step))
                if all(self._explored(part, min(FEW, self.effort)).cuts is not None for part in parts):
                    node.step, node.parts = step, parts
                    return True
            except check.Refused:
                continue
        return False

    def _promising(self, task: Any, goal: Any, depth: int) -> list[str]:
        """Steps by a symbol along which right - left rises, or falls, at all of a few points; of a claim as it stands
        those to a face at which the bound is met, or nearly so."""
        cell, rng = task[0], random.Random(0)
        points = [{name: drawn(rng, *map(self._exact, ends)) for name, ends in cell.items()} for _ in range(SAMPLES)]
        relation, *sides = goal[1][-1][:3]
        less = sides if relation in ("<=", "<") else sides[::-1]
        steps = []
        for name in cell:
            moving = check.Moving({name}, self.scope.definitions)
            self._renew()
            with suppress(check.Refused):
                ways = [
                    (sign, way) for sign, way, end in zip((1, -1), ("rises", "falls"), cell[name], strict=True)
                    if end.is_finite() and (depth > 0 or self._met(less, points, {name: self._exact(end)}))
                ]  # fmt: skip
                if not ways:
                    continue
                slopes = [check.derivative(side, name, moving, self.scope.definitions) for side in less]
                form = self.tasks.goal(("<=", *slopes))[1][-1]
                signs: set[int] = set()
                for point in points:
                    signs.add(self._sign(form, point))
                    if signs >= {1, -1}:
                        break
                size = sum(len(check.show(side)) for side in form[1:3])
                steps += [(size, f"{name} {way}") for sign, way in ways if sign in signs and -sign not in signs]
        return [step for _, step in sorted(steps)]

    def _met(self, sides: Sequence[Any], points: Sequence[Point], end: Mapping[str, Fraction | None]) -> bool:
        """Whether two sides are equal, or nearly so, at the end of a symbol and some of the points."""
        at_end = dict.fromkeys(tuple({**point, **end}.items()) for point in points)
        values = (self._values(sides, dict(point)) for point in at_end)
        return any(not abs(b - a) > (abs(a) + abs(b)) / 10**4 for a, b in values)

    def _values(self, nodes: Sequence[Any], point: Mapping[str, Fraction | None]) -> list[Any]:
        scope = self.scope.changed(**{name: check.rational(str(value)) for name, value in point.items()})
        return [check.arb(check.evaluate(node, scope)) for node in nodes]

    def _sign(self, form: Any, point: Mapping[str, Fraction]) -> int:
        """Of right - left, over the denominator that the form comes with; 0 where it is not known."""
        left, right, *below = self._values([*form[1:3], *(form[3][2:3] if form[3] else ())], point)
        gap = math.prod(below, start=right - left)
        return (gap > 0) - (gap < 0)

    def witness(self, first: Iterable[Point] = (), whole: Collection[str] = ()) -> Point | None:
        """A point that the certificate can name: one of `first`, an inner point of the region, or of a few more at
        random, with integers for the symbols that are `whole`; None where there is none among them."""
        rng, spent = random.Random(0), 0
        more = ({name: drawn(rng, *ends) for name, ends in self.sides.items()} for _ in range(POINTS))
        listed = ({name: point[name] for name in self.sides} for point in first)
        for point in chain(listed, [self.inner], more):
            rounded = {name: Fraction(math.floor(value)) if name in whole else value for name, value in point.items()}
            if self._admits(rounded):
                return rounded
            spent += check.spent()
            if spent > check.OPERATIONS:
                break
        return None

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

    def _ends(self, low: Fraction | None, high: Fraction | None) -> tuple[Any, Any]:
        """The checker's side: exact ends that hold those of the region."""
        arb, exact = check.arb, check.rational
        sides = (arb("-inf") if low is None else arb(exact(str(low))).lower(),
                 arb("inf") if high is None else arb(exact(str(high))).upper())  # fmt: skip
        self._short |= {
            end.man_exp(): value for end, value in zip(sides, (low, high), strict=True) if value is not None
        }
        return sides

    def _exact(self, end: Any) -> Fraction | None:
        """An end of a cell, as it stands in the region or the cuts where it does; None where it is infinite."""
        if not end.is_finite():
            return None
        mantissa, exponent = end.man_exp()
        return self._short.get((mantissa, exponent), Fraction(int(mantissa)) * Fraction(2) ** int(exponent))

    def _where(self, comparison: Any, task: Any) -> str:
        """Across which side to cut, and where: one along which right - left turns, if there is such a one."""
        cell, _, given = task
        less = comparison[1:] if comparison[0] in ("<=", "<") else comparison[:0:-1]
        box = check.Cell(cell, self.scope, self.tasks.moving)
        gaps = box.gaps(*less)
        faces, _ = box.faces(gaps, given)
        face: dict[str, Any] = max(faces, key=len, default={})
        sides = {name: (self._exact(low), self._exact(high)) for name, (low, high) in cell.items()}
        for candidates in ({name: ends for name, ends in sides.items() if name not in face}, sides):
            sized = {name: _size(gaps[-1][1].get(name) if gaps else None, *ends) for name, ends in candidates.items()}
            name = max(sized, key=lambda n: sized[n], default="")
            if name and sized[name] > 0.0:
                at = middle(*sides[name])
                self._ends(at, at)
                return f"{name} {at}"
        return ""


def _within(value: Fraction, low: Fraction | None, high: Fraction | None) -> bool:
    return (low is None or low <= value) and (high is None or value <= high)


def _said(cell: Mapping[str, Any]) -> dict[str, str]:
    return {name: f"[{float(low):.6g}, {float(high):.6g}]" for name, (low, high) in cell.items()}


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
