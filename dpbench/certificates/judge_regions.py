"""Proofs over whole regions: left <= right on every point of a box, by branch and bound in ball arithmetic.

A cell is decided by the interval of right - left, by its mean-value form, or, where a derivative keeps its sign on the
cell, by the end at which right - left is least. Half-lines are cells with an infinite end, integers are relaxed to
intervals and split into single values at the end. What two formulas have in common cancels first (`cancels`): a bound
that is met on the whole region, such as randomised response at its own ε, is an identity.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from dpbench.certificates.judge_intervals import (
    BITS,
    INF,
    NOUGHT,
    Box,
    Dual,
    Interval,
    add,
    at,
    div,
    interval,
    log,
    mul,
    sub,
)
from dpbench.ledger.formula import Node, names

Cell = dict[str, Interval]
Ends = tuple[Fraction | None, Fraction | None]
NARROW = fmpq(1, 10**7)
"""Cells narrower than this, relative to where they are, are not split further."""


@dataclass(frozen=True)
class Inequality:
    """left <= right, or left < right where `strict`."""

    left: Node
    right: Node
    strict: bool = False


@dataclass
class Proof:
    """What branch and bound came to.

    Attributes
    ----------
    proved : bool
    cells : int
        Looked at.
    identities : int
        Inequalities in which both sides are one expression.
    left : list of cells
        Not decided, at most a few; `undecided` counts them.
    broken : dict or None
        A point of the region where an inequality is false for certain.
    """

    proved: bool = False
    cells: int = 0
    identities: int = 0
    undecided: int = 0
    left: list[dict[str, str]] = field(default_factory=list)
    broken: dict[str, Fraction] | None = None


def fraction(end: Any) -> Fraction:
    return Fraction(int(end.p), int(end.q))


def rational(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def prove(
    inequalities: Sequence[Inequality], region: Mapping[str, Ends], *,
    whole: frozenset[str] = frozenset(), definitions: Mapping[str, Node], conditions: Sequence[tuple[str, Node, Node]],
    seconds: float,
) -> Proof:  # fmt: skip
    """Whether all inequalities hold on a region (None: an infinite end) wherever the conditions do.

    Parameters
    ----------
    whole : frozenset of str
        Symbols that are integers.
    conditions : sequence of (relation, left, right)
        A cell in which one is false is left out.
    seconds : float
        Processor time.
    """
    proof = Proof()
    before = ctx.prec
    ctx.prec = BITS
    try:
        deadline = time.process_time() + seconds
        expanded = dict(definitions)
        positive = frozenset(n for n, (low, _) in region.items() if low is not None and low >= 0)
        left = list(inequalities)
        for number, one in enumerate(inequalities):
            if not one.strict and same(one.left, one.right, expanded, positive):
                proof.identities += 1
                left.remove(one)
                continue
            given = any(
                relation in ("<=", "<")
                and same(one.left, a, expanded, positive)
                and same(one.right, b, expanded, positive)
                for relation, a, b in map(_turned, conditions)
            )
            if given:
                proof.identities += 1
                left.remove(one)
                continue
            share = (deadline - time.process_time()) / (len(inequalities) - number)
            simple = simplified(one, expanded, region)
            forms = [_cancelled(one, region, expanded), *([simple] if simple is not None else [])][::-1]
            tried = []
            for form in forms:
                tried.append(Proof())
                end = time.process_time() + share / len(forms)
                _branch(form, region, whole, expanded, conditions, end, tried[-1])
                if tried[-1].broken is not None or not tried[-1].undecided:
                    break
            proof.cells += sum(part.cells for part in tried)
            proof.undecided += tried[-1].undecided
            proof.left += tried[-1].left
            proof.broken = tried[-1].broken
            if proof.broken is not None:
                return proof
        proof.proved = proof.undecided == 0
        return proof
    finally:
        ctx.prec = before


def _cancelled(one: Inequality, region: Mapping[str, Ends], definitions: Mapping[str, Node]) -> Inequality:
    """The inequality without the factors that both sides share and that are positive on the whole region."""
    sides = [_factors(side, definitions) for side in (one.left, one.right)]
    box = Box(_whole(region, set(region)), definitions)
    kept: list[list[tuple[Node, int]]] = [list(sides[0]), list(sides[1])]
    for factor in sides[0]:
        if factor in kept[0] and factor in kept[1] and _positive(factor[0], box):
            kept[0].remove(factor)
            kept[1].remove(factor)
    if len(kept[0]) == len(sides[0]):
        return one
    left, right = (_multiplied(factors) for factors in kept)
    return Inequality(left, right, one.strict)


def _factors(node: Node, definitions: Mapping[str, Node], sign: int = 1) -> list[tuple[Node, int]]:
    if node[0] == "sym" and node[1] in definitions and definitions[node[1]][0] in ("*", "/"):
        return _factors(definitions[node[1]], definitions, sign)
    if node[0] in ("*", "/"):
        second = sign if node[0] == "*" else -sign
        return _factors(node[1], definitions, sign) + _factors(node[2], definitions, second)
    return [(node, sign)]


def _positive(node: Node, box: Box) -> bool:
    return node[0] == "exp" or bool(box(node[1] if node[0] == "^" else node).value[0] > 0)


def _multiplied(factors: Sequence[tuple[Node, int]]) -> Node:
    made: Node = ("num", Fraction(1))
    for node, sign in factors:
        made = ("*" if sign > 0 else "/", made, node)
    return made


def _whole(region: Mapping[str, Ends], needed: set[str]) -> Cell:
    """The region as one cell."""
    made: Cell = {}
    for name, (low, high) in region.items():
        if name in needed:
            ends = (rational(low) if low is not None else -INF), (rational(high) if high is not None else INF)
            made[name] = at(low) if low == high and low is not None else interval(*ends)
    return made


def _turned(condition: tuple[str, Node, Node]) -> tuple[str, Node, Node]:
    relation, left, right = condition
    return ("<=" if relation == ">=" else "<", right, left) if relation in (">=", ">") else condition


def _branch(
    one: Inequality, region: Mapping[str, Ends], whole: frozenset[str],
    definitions: Mapping[str, Node], conditions: Sequence[tuple[str, Node, Node]], deadline: float, proof: Proof,
) -> None:  # fmt: skip
    needed = _leads_to([one.left, one.right, *(side for _, *sides in conditions for side in sides)], definitions)
    start = _whole(region, needed)
    queue: deque[tuple[Cell, int]] = deque([(start, 0)])
    while queue:
        if time.process_time() > deadline:
            break
        cell, depth = queue.popleft()
        proof.cells += 1
        box = Box(cell, definitions)
        if any(_false(box, *condition) for condition in conditions):
            continue
        told, reduced = _decided(one, cell, box, definitions, fixed(conditions, box))
        if told:
            continue
        if reduced is not None:
            queue.appendleft((reduced, depth))
            continue
        middle = {name: value if value.point else at(_cut(value, name in whole)) for name, value in cell.items()}
        if _broken(one, middle, definitions, conditions):
            proof.broken = {name: fraction(value[0]) for name, value in middle.items()}
            return
        pieces = _split(one, cell, box, whole) if depth < 200 else None
        if pieces is None:
            _note(proof, cell)
            continue
        queue.extend((piece, depth + 1) for piece in pieces)
    for cell, _ in queue:
        _note(proof, cell)


def _leads_to(nodes: Sequence[Node], definitions: Mapping[str, Node]) -> set[str]:
    found = set().union(*map(names, nodes))
    for name, node in reversed(list(definitions.items())):
        if name in found:
            found |= names(node)
    return found


def _note(proof: Proof, cell: Cell) -> None:
    proof.undecided += 1
    if len(proof.left) < 3:
        proof.left.append({n: f"[{_said(v[0])}, {_said(v[1])}]" for n, v in cell.items()})


def _said(end: Any) -> str:
    return f"{float(fraction(end)):.6g}" if isinstance(end, fmpq) else "inf" if end > 0 else "-inf"


def _false(box: Box, relation: str, left: Node, right: Node) -> bool:
    """Whether a condition is false on the whole cell."""
    gap = sub(box(right).value, box(left).value)
    if relation in ("<=", "<"):
        return bool(gap[1] < 0) or (relation == "<" and bool(gap[1] <= 0))
    if relation in (">=", ">"):
        return bool(gap[0] > 0) or (relation == ">" and bool(gap[0] >= 0))
    return bool(gap[0] > 0) or bool(gap[1] < 0)


def _true(box: Box, relation: str, left: Node, right: Node) -> bool:
    gap = sub(box(right).value, box(left).value)
    if relation == "=":
        return bool(gap[0] == 0) and bool(gap[1] == 0)
    if relation in ("<=", "<"):
        return bool(gap[0] > 0) or (relation == "<=" and bool(gap[0] >= 0))
    return bool(gap[1] < 0) or (relation == ">=" and bool(gap[1] <= 0))


def _least_gap(value: Interval, strict: bool) -> bool:
    return bool(value[0] > 0) or (not strict and bool(value[0] >= 0))


def _gap(one: Inequality, box: Box) -> list[Dual]:
    """right - left, and where both are positive the logarithm of their ratio: either decides."""
    left, right = box(one.left), box(one.right)
    keys = {*left.slopes, *right.slopes}
    plain = Dual(
        sub(right.value, left.value),
        {k: sub(right.slopes.get(k, NOUGHT), left.slopes.get(k, NOUGHT)) for k in keys},
    )
    made = [plain]
    if left.value[0] > 0 and right.value[0] > 0:
        slopes = {
            k: sub(div(right.slopes.get(k, NOUGHT), right.value), div(left.slopes.get(k, NOUGHT), left.value))
            for k in keys
        }
        made.append(Dual(sub(log(right.value), log(left.value)), slopes))
    return made


def fixed(conditions: Sequence[tuple[str, Node, Node]], box: Box) -> set[str]:
    """Symbols of the conditions that are not known to hold on the whole cell.

    No face is taken across them: where a condition is false on the face it need not be in the cell.
    """
    open_ = [condition for condition in conditions if not _true(box, *condition)]
    return _leads_to([side for _, *sides in open_ for side in sides], box.definitions)


def _decided(
    one: Inequality, cell: Cell, box: Box, definitions: Mapping[str, Node], kept: set[str]
) -> tuple[bool, Cell | None]:
    """Whether the cell is decided; else the face of it on which right - left is least, if a derivative tells."""
    gaps = _gap(one, box)
    if any(_least_gap(gap.value, one.strict) for gap in gaps):
        return True, None
    reduced = None
    for gap in gaps:
        face = _face(gap, cell, kept)
        if len(face) > len(reduced or {}):
            reduced = face
    if reduced:
        return False, {**cell, **reduced}
    free = [name for name, value in cell.items() if not value.point]
    if free and all(isinstance(end, fmpq) for name in free for end in cell[name]):
        centre = {name: value if value.point else at((value[0] + value[1]) / 2) for name, value in cell.items()}
        for gap, middle in zip(gaps, _gap(one, Box(centre, definitions)), strict=False):
            total = middle.value
            for name in free:
                total = add(total, mul(gap.slopes.get(name, NOUGHT), sub(cell[name], centre[name])))
            if _least_gap(total, one.strict):
                return True, None
    return False, None


def _face(gap: Dual, cell: Cell, kept: set[str]) -> Cell:
    """The ends of the sides along which right - left keeps its direction, where it is least; none of those `kept`."""
    face: Cell = {}
    for name, value in cell.items():
        if value.point or name in kept:
            continue
        slope = gap.slopes.get(name, NOUGHT)
        least = [*([value[0]] if slope[0] >= 0 else []), *([value[1]] if slope[1] <= 0 else [])]
        if finite := [end for end in least if isinstance(end, fmpq)]:
            face[name] = at(finite[0])
    return face


def tree(
    one: Inequality, region: Mapping[str, Ends], *, definitions: Mapping[str, Node],
    conditions: Sequence[tuple[str, Node, Node]], cells: int,
) -> list[str] | None:  # fmt: skip
    """How a region is cut into cells on each of which an inequality is seen: what a certificate of it lists.

    Each cell is decided as the checker does it: by the interval of right - left or of the logarithm of their ratio, or
    on a face. No cell is too many for a reader: the cuts follow from the formulas, whatever the machine.

    Parameters
    ----------
    cells : int
        How many may be looked at.

    Returns
    -------
    list of str or None
        In the order of a walk down the tree: "symbol value" where a cell is cut, before its lower and its upper part,
        and "" where it is not. None where the cells were not enough.
    """
    before = ctx.prec
    ctx.prec = BITS
    try:
        needed = _leads_to([one.left, one.right, *(side for _, *sides in conditions for side in sides)], definitions)
        left, made, looked = [_whole(region, needed)], list[str](), 0
        while left:
            cell = left.pop()
            looked += 1
            if looked > cells:
                return None
            if _seen(one, cell, definitions, conditions):
                made.append("")
                continue
            cut = _where(one, cell, definitions, conditions)
            if cut is None:
                return None
            name, pieces = cut
            made.append(f"{name} {fraction(pieces[0][1])}")
            left += [{**cell, name: piece} for piece in pieces[::-1]]
        return made
    finally:
        ctx.prec = before


def _where(
    one: Inequality, cell: Cell, definitions: Mapping[str, Node], conditions: Sequence[tuple[str, Node, Node]]
) -> tuple[str, list[Interval]] | None:
    """Across which side to cut, and its two parts: one along which right - left turns, if there is such a one."""
    box = Box(cell, definitions)
    kept = fixed(conditions, box)
    face: Cell = max((_face(gap, cell, kept) for gap in _gap(one, box)), key=len)
    for free in ({**cell, **face}, cell):
        pieces = _split(one, free, Box(free, definitions), frozenset())
        if pieces is not None:
            (name,) = [name for name in cell if pieces[0][name] is not free[name]]
            return name, [piece[name] for piece in pieces]
    return None


def _seen(
    one: Inequality, cell: Cell, definitions: Mapping[str, Node], conditions: Sequence[tuple[str, Node, Node]]
) -> bool:
    box = Box(cell, definitions)
    if any(_false(box, *condition) for condition in conditions):
        return True
    gaps, kept = _gap(one, box), fixed(conditions, box)
    if any(_least_gap(gap.value, one.strict) for gap in gaps):
        return True
    faces = [face for gap in gaps if (face := _face(gap, cell, kept))]
    open_ = [condition for condition in conditions if not _true(box, *condition)]
    return any(_seen(one, {**cell, **face}, definitions, open_) for face in faces)


def _broken(
    one: Inequality, point: Cell, definitions: Mapping[str, Node], conditions: Sequence[tuple[str, Node, Node]]
) -> bool:
    box = Box(point, definitions)
    gap = sub(box(one.right).value, box(one.left).value)
    false = bool(gap[1] < 0) or (one.strict and bool(gap[1] <= 0))
    return false and all(_true(box, *condition) for condition in conditions)


def gap_at(
    inequalities: Sequence[Inequality], point: Mapping[str, Fraction], definitions: Mapping[str, Node]
) -> tuple[int, float | None]:
    """At a point: 1 if all hold, -1 if one is false, 0 if balls leave it open; and the largest log(left/right)."""
    before = ctx.prec
    ctx.prec = 4 * BITS
    try:
        box = Box({name: at(value) for name, value in point.items()}, definitions)
        signs, margins = [], []
        for one in inequalities:
            left, right = box(one.left).value, box(one.right).value
            gap = sub(right, left)
            signs.append(1 if gap[0] > 0 or (gap[0] >= 0 and not one.strict) else -1 if gap[1] < 0 else 0)
            if left[0] > 0 and right[0] > 0:
                margins.append(float((arb(left[0]) / arb(right[0])).log().mid()))
        return min(signs), max(margins, default=None)
    finally:
        ctx.prec = before


def _cut(value: Interval, whole: bool) -> fmpq:
    """Where a side is cut: at the middle of its logarithm if it does not come near 0, else nearer to 0."""
    low, high = value
    bounded = isinstance(low, fmpq), isinstance(high, fmpq)
    if not all(bounded):
        cut = (
            max(2 * low, fmpq(1), low + 1)
            if bounded[0]
            else min(2 * high, fmpq(-1), high - 1)
            if bounded[1]
            else fmpq(0)
        )
    elif low > 0 and high > 4 * low:
        cut = _short((arb(low) * arb(high)).sqrt())
    elif high < 0 and low < 4 * high:
        cut = -_short((arb(low) * arb(high)).sqrt())
    elif low == 0 and high > fmpq(1, 10**9):
        cut = high / 16
    elif high == 0 and low < -fmpq(1, 10**9):
        cut = low / 16
    else:
        cut = (low + high) / 2
    return fmpq(cut.floor()) if whole else cut


def _short(value: Any) -> fmpq:
    """A rational with a few bits near a positive ball."""
    text = float(value.mid())
    made = Fraction(text).limit_denominator(10**4) if text > 1e-2 else Fraction(1, round(1 / text))
    return rational(made)


def _split(one: Inequality, cell: Cell, box: Box, whole: frozenset[str]) -> list[Cell] | None:
    """The cell in two, across the side that matters most; None where every side is too short."""
    gap = _gap(one, box)[-1]
    best, name = -1.0, ""
    for symbol, value in cell.items():
        if value.point:
            continue
        low, high = value
        bounded = isinstance(low, fmpq) and isinstance(high, fmpq)
        if not bounded:
            size = 1e6
        elif symbol in whole:
            size = 1e5 if high - low <= 1 else _size(gap, symbol, value)
        elif high - low <= NARROW * max(abs(low), abs(high), NARROW):
            continue
        else:
            size = _size(gap, symbol, value)
        if size > best:
            best, name = size, symbol
    if not name:
        return None
    value = cell[name]
    if name in whole:
        low, high = value
        if isinstance(low, fmpq) and isinstance(high, fmpq) and high - low <= 1:
            return [{**cell, name: at(end)} for end in (low, high)]
        cut = _cut(value, True)
        upper = cut + 1
        pieces = [interval(low, cut) if low != cut else at(cut), interval(upper, high) if upper != high else at(upper)]
        return [{**cell, name: piece} for piece in pieces]
    cut = _cut(value, False)
    return [{**cell, name: interval(value[0], cut)}, {**cell, name: interval(cut, value[1])}]


def _size(gap: Dual, name: str, value: Interval) -> float:
    """How much of the interval's width a symbol causes; without a bounded derivative, how wide its side is."""
    low, high = value
    spread = mul(gap.slopes.get(name, NOUGHT), sub(value, at((low + high) / 2)))
    width = spread[1] - spread[0] if all(isinstance(e, fmpq) or e.is_finite() for e in spread) else None
    wide = float(fraction((high - low) / max(abs(low), abs(high))))
    return wide if width is None else min(float(arb(width)), 1e3) * max(wide, 1e-3)


# What cancels: expressions as sums of products of atoms, with rational coefficients and exponents.
Monomial = tuple[tuple[str, Fraction], ...]
Terms = dict[Monomial, Fraction]
TERMS = 400


class _Large(Exception):
    """An expression of too many terms."""


def same(left: Node, right: Node, definitions: Mapping[str, Node], positive: frozenset[str]) -> bool:
    """Whether two expressions are one by the rules of fractions, powers and exponentials, where both are defined."""
    try:
        made = _Normal(definitions, positive)
        (a, b), (c, d) = made(left), made(right)
        return not _summed(_product(a, d), _scaled(_product(c, b), Fraction(-1)))
    except (_Large, ArithmeticError, OverflowError):
        return False


SHORT = 16
"""Terms of a difference that is taken in place of the two sides."""


def simplified(one: Inequality, definitions: Mapping[str, Node], region: Mapping[str, Ends]) -> Inequality | None:
    """The inequality without fractions, equal terms and common factors, where what it is multiplied by is positive."""
    signed = frozenset(n for n, (low, _) in region.items() if low is not None and low >= 0)
    above = {n for n, (low, _) in region.items() if low is not None and low > 0}
    try:
        made = _Normal(definitions, signed)
        (a, b), (c, d) = made(one.left), made(one.right)
        if not all(_surely(terms, above) for terms in (b, d)):
            return None
        gap = _summed(_product(c, b), _scaled(_product(a, d), Fraction(-1)))
        if not 0 < len(gap) <= SHORT:
            return None
        shared = {}
        for atom in {name for monomial in gap for name, _ in monomial}:
            powers = [dict(monomial).get(atom, Fraction(0)) for monomial in gap]
            if (atom in above or atom.startswith("exp:")) and min(powers):
                shared[atom] = -min(powers)
        gap = _product(gap, {tuple(sorted(shared.items())): Fraction(1)})
        if not shared and b == d == _ONE and len(gap) == len(a) + len(c):
            return None  # nothing cancelled
        less = {m: -v for m, v in gap.items() if v < 0}
        more = {m: v for m, v in gap.items() if v > 0}
        return Inequality(made.node(less), made.node(more), one.strict)
    except (_Large, ArithmeticError, OverflowError, KeyError):
        return None


def _surely(terms: Terms, above: set[str]) -> bool:
    """Whether a sum is positive term by term."""
    return all(
        value > 0 and all(name in above or name.startswith("exp:") for name, _ in monomial)
        for monomial, value in terms.items()
    )


def _summed(x: Terms, y: Terms) -> Terms:
    made = dict(x)
    for monomial, value in y.items():
        made[monomial] = made.get(monomial, Fraction(0)) + value
    return {m: v for m, v in made.items() if v}


def _scaled(x: Terms, by: Fraction) -> Terms:
    return {m: v * by for m, v in x.items()} if by else {}


def _joined(a: Monomial, b: Monomial) -> Monomial:
    powers = dict(a)
    for atom, power in b:
        powers[atom] = powers.get(atom, Fraction(0)) + power
    return tuple(sorted((atom, power) for atom, power in powers.items() if power))


def _product(x: Terms, y: Terms) -> Terms:
    if len(x) * len(y) > TERMS**2:
        raise _Large
    made: Terms = {}
    for a, v in x.items():
        for b, w in y.items():
            key = _joined(a, b)
            made[key] = made.get(key, Fraction(0)) + v * w
    made = {m: v for m, v in made.items() if v}
    if len(made) > TERMS:
        raise _Large
    return made


_ONE: Terms = {(): Fraction(1)}


class _Normal:
    """Expressions as fractions of sums."""

    def __init__(self, definitions: Mapping[str, Node], positive: frozenset[str]) -> None:
        self.definitions, self.positive = definitions, positive
        self.known: dict[str, tuple[Terms, Terms]] = {}
        self.nodes: dict[str, Node] = {}
        self.inside: dict[str, Terms] = {}
        """Of an atom that is a logarithm or an exponential: what it is of."""

    def __call__(self, node: Node) -> tuple[Terms, Terms]:
        kind, *parts = node
        if kind == "num":
            return ({(): Fraction(parts[0])} if parts[0] else {}), _ONE
        if kind == "sym":
            return self._symbol(parts[0])
        if kind in ("+", "-"):
            (a, b), (c, d) = self(parts[0]), self(parts[1])
            c = _scaled(c, Fraction(-1)) if kind == "-" else c
            return (_summed(a, c), b) if b == d else (_summed(_product(a, d), _product(c, b)), _product(b, d))
        if kind == "neg":
            a, b = self(parts[0])
            return _scaled(a, Fraction(-1)), b
        if kind == "*":
            (a, b), (c, d) = self(parts[0]), self(parts[1])
            return _product(a, c), _product(b, d)
        if kind == "/":
            (a, b), (c, d) = self(parts[0]), self(parts[1])
            return _reduced(_product(a, d), _product(b, c))
        if kind == "^" or kind == "sqrt":
            return self._power(parts[0], parts[1] if kind == "^" else ("num", Fraction(1, 2)))
        if kind == "exp":
            return self._exp(self(parts[0]))
        if kind == "log":
            return self._log(self(parts[0]))
        return self._atom(f"{kind}({', '.join(self._key(self(part)) for part in parts)})", node)

    def node(self, terms: Terms) -> Node:
        """The expression of a sum of products."""
        total: Node | None = None
        for monomial, value in terms.items():
            term: Node = ("num", value)
            for name, power in monomial:
                factor = self.nodes[name]
                factor = factor if power == 1 else ("^", factor, ("num", power))
                if name.startswith("exp:"):
                    inner = self.nodes[name][1]
                    factor = ("exp", inner if power == 1 else ("*", ("num", power), inner))
                term = factor if term == ("num", Fraction(1)) else ("*", term, factor)
            total = term if total is None else ("+", total, term)
        return ("num", Fraction(0)) if total is None else total

    def _symbol(self, name: str) -> tuple[Terms, Terms]:
        if name not in self.definitions:
            return self._atom(name, ("sym", name))
        if name not in self.known:
            self.known[name] = self(self.definitions[name])
        return self.known[name]

    def _atom(self, name: str, node: Node) -> tuple[Terms, Terms]:
        self.nodes[name] = node
        return {((name, Fraction(1)),): Fraction(1)}, _ONE

    def _key(self, value: tuple[Terms, Terms]) -> str:
        top, bottom = _reduced(*value)
        return f"{sorted(top.items())}/{sorted(bottom.items())}"

    def _power(self, base: Node, power: Node) -> tuple[Terms, Terms]:
        exponent = self(power)
        constant = exponent[0].get((), Fraction(0)) if set(exponent[0]) <= {()} and exponent[1] == _ONE else None
        a, b = self(base)
        if constant is not None and constant.denominator == 1 and abs(constant) <= 12:
            made = _ONE, _ONE
            for _ in range(abs(int(constant))):
                made = _product(made[0], a), _product(made[1], b)
            return made if constant >= 0 else (made[1], made[0])
        a, b = _reduced(a, b)
        if constant is not None and len(a) == 1 and b == _ONE:
            ((monomial, value),) = a.items()
            root = _root(value, constant)
            if root is not None and all(n in self.positive or n.startswith("exp:") for n, _ in monomial):
                return {tuple(sorted((n, p * constant) for n, p in monomial)): root}, _ONE
        if constant is not None:
            name = f"({self._key((a, b))})"
            self.nodes[name] = base
            return {((name, constant),): Fraction(1)}, _ONE
        return self._exp((_product(exponent[0], self._log((a, b))[0]), exponent[1]))

    def _exp(self, value: tuple[Terms, Terms]) -> tuple[Terms, Terms]:
        """exp of a sum is a product; exp(c log x) is a power of x."""
        top, bottom = _reduced(*value)
        if bottom != _ONE:
            return self._atom(f"exp:{self._key((top, bottom))}", ("exp", ("/", self.node(top), self.node(bottom))))
        above, below = _ONE, _ONE
        for monomial, coefficient in top.items():
            name = monomial[0][0] if len(monomial) == 1 and monomial[0][1] == 1 else ""
            if name.startswith("log:") and coefficient.denominator == 1 and abs(coefficient) <= 12:
                for _ in range(abs(int(coefficient))):
                    above = _product(above, self.inside[name]) if coefficient > 0 else above
                    below = _product(below, self.inside[name]) if coefficient < 0 else below
            else:
                self.inside[f"exp:{monomial}"] = {monomial: Fraction(1)}
                self.nodes[f"exp:{monomial}"] = ("exp", self.node({monomial: Fraction(1)}))
                above = _product(above, {((f"exp:{monomial}", coefficient),): Fraction(1)})
        return _reduced(above, below)

    def _log(self, value: tuple[Terms, Terms]) -> tuple[Terms, Terms]:
        """log of a power of one thing is a multiple of its logarithm; log of an exponential is what it is of."""
        top, bottom = _reduced(*value)
        if bottom == _ONE and len(top) == 1:
            ((monomial, coefficient),) = top.items()
            if coefficient == 1 and len(monomial) == 1:
                ((name, power),) = monomial
                if name.startswith("exp:") and name in self.inside:
                    return _scaled(self.inside[name], power), _ONE
                if name in self.positive or power == -1:
                    self.inside[f"log:{name}"] = {((name, Fraction(1)),): Fraction(1)}
                    self.nodes[f"log:{name}"] = ("log", self.nodes[name])
                    return {((f"log:{name}", Fraction(1)),): power}, _ONE
            if not monomial and coefficient < 1:
                self.inside[f"log:{1 / coefficient}"] = {(): 1 / coefficient}
                self.nodes[f"log:{1 / coefficient}"] = ("log", ("num", 1 / coefficient))
                return {((f"log:{1 / coefficient}", Fraction(1)),): Fraction(-1)}, _ONE
        name = f"log:{self._key((top, bottom))}"
        node: Node = ("log", ("/", self.node(top), self.node(bottom)))
        if bottom == _ONE:
            self.inside[name] = top
            return self._atom(name, ("log", self.node(top)))
        return self._atom(f"log of {self._key((top, bottom))}", node)


def _root(value: Fraction, power: Fraction) -> Fraction | None:
    if value == 1:
        return Fraction(1)
    if power == Fraction(1, 2) and value > 0:
        from math import isqrt

        p, q = isqrt(value.numerator), isqrt(value.denominator)
        return Fraction(p, q) if p * p == value.numerator and q * q == value.denominator else None
    return None


def _reduced(top: Terms, bottom: Terms) -> tuple[Terms, Terms]:
    """A denominator of one term is divided by; equal sums cancel."""
    if not bottom:
        raise ZeroDivisionError
    if len(bottom) == 1:
        ((monomial, value),) = bottom.items()
        under = tuple((n, -p) for n, p in monomial)
        return {_joined(m, under): v / value for m, v in top.items()}, _ONE
    if top == bottom:
        return _ONE, _ONE
    return top, bottom
