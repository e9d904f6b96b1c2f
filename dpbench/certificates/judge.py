"""`judge`: from a theorem in a dozen lines to a verdict with its grade.

The claim becomes inequalities in the theorem's symbols (`judge_pieces`). A search looks for an instance that breaks
one; else the region is cut into cells on each of which the checker sees all of them, and what the claim needs to speak
of laws (`regions`). "refuted" and "proved" are said only beside certificates that the checker accepted. Where no point
meets the hypotheses the claim is "vacuous"; all else is "not refuted", or "undecided" with what is missing.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from dpbench.certificates.build import Draft, Maker, assembled, rational, round_to
from dpbench.certificates.judge_pieces import (
    ONE,
    ZERO,
    Piece,
    growing,
    lawful,
    pieces,
    question,
    ratio_of,
    region,
    required,
    searched,
)
from dpbench.certificates.judge_toml import Theorem, read
from dpbench.certificates.regions import Comparison, Ends, Point, Proof, drawn
from dpbench.certificates.search.accept import checker, report
from dpbench.certificates.search.growth import Growth, beside
from dpbench.certificates.search.optimise import climb
from dpbench.certificates.search.question import Question
from dpbench.certificates.search.shrink import rounded, shrunk
from dpbench.core import validation
from dpbench.core.printable import printable
from dpbench.ledger import formula
from dpbench.ledger.formula import parse
from dpbench.ledger.statement import Statement, filled

EVALUATIONS = 6000
CLEAR, TIE = 2e-3, 1e-9
"""Margins: a violation that the search ends at; one that floating point cannot tell from a bound that is met."""
THIN = 1e-3
"""Hypotheses that are missed by less at the nearest point may hold on a set too thin for a search."""
CELLS = 20_000
BITS = 512


@dataclass(frozen=True)
class Judgement:
    """What was decided of a theorem.

    Attributes
    ----------
    id : str
    verdict : {"refuted", "proved", "vacuous", "undecided", "not refuted"}
        "refuted" and "proved" only with certificates that the checker accepted; "vacuous" where the search met no point
        at which the hypotheses hold and the claim says something; "undecided" where the claim meets its bound within
        the precision of the search, or is not shown to be of laws.
    grade : {"certificate", "tried"}
        The checker; a search.
    counterexample : dict of str to str or None
        Rational values of the symbols, "p/q".
    ratio : float or None
        At the counterexample, else at the nearest instance, in balls: the true δ over the one claimed, or left over
        right.
    certificates : tuple of dict
        Accepted by the checker: of the counterexample, or of the whole region.
    searched : dict
        Region, points looked at, nearest instance, cells of the proof, what was left undecided and why, seconds.
    text, latex : str
        What the formulas say: the verdict is of that sentence.
    says : str
        The author's words, their holes filled. Nothing is decided of them.
    """

    id: str
    verdict: str
    grade: str
    counterexample: Mapping[str, str] | None
    ratio: float | None
    certificates: tuple[Mapping[str, Any], ...] = field(repr=False)
    searched: Mapping[str, Any]
    text: str
    latex: str = field(repr=False)
    says: str = ""

    def to_dict(self, certificates: tuple[str, ...] = ()) -> dict[str, Any]:
        """Plain types, strict JSON; `certificates` are the paths that they were written to."""
        keys = ("id", "verdict", "grade", "counterexample", "ratio")
        finite = self.ratio if self.ratio is not None and math.isfinite(self.ratio) else None
        return {**{key: getattr(self, key) for key in keys}, "ratio": finite, "certificates": list(certificates),
                "searched": dict(self.searched), "text": self.text, "latex": self.latex}  # fmt: skip

    def __str__(self) -> str:
        lines = [f"{self.id}: {self.verdict} ({self.grade})", f"  formulas: {self.text}"]
        if self.counterexample is not None:
            lines.append(f"  counterexample: {_listed(self.counterexample)}{_times(self.ratio)}")
        elif self.verdict != "proved":
            nearest = self.searched.get("nearest")
            if nearest:
                lines.append(f"  nearest: {_listed(nearest)}{_times(self.ratio)}")
            left = self.searched.get("undecided") or {}
            lines += [f"  {why}" for why in self.searched.get("why", ())]
            lines += [f"  not decided: {_listed(left, ' in ')}"] if left else []
        if self.says:
            lines.append(f"  in the author's words (nothing is decided of them): {self.says}")
        return printable("\n".join(lines))


def _listed(values: Mapping[str, str], sign: str = " = ") -> str:
    return ", ".join(f"{name}{sign}{value}" for name, value in values.items())


def _times(ratio: float | None) -> str:
    return "" if ratio is None or not math.isfinite(ratio) else f" (ratio to the bound {ratio:.9g})"


def judge(theorem: str | Path | Mapping[str, Any], *, seconds: float = 10.0, seed: int = 0) -> Judgement:
    """Decide a theorem.

    Parameters
    ----------
    theorem : path or mapping
        A TOML file, or what one holds (see the guide, "Judge a theorem").
    seconds : float
        Processor time: half of it for the search, the rest for the proof. What the checker reads comes on top.
    seed : int
        Of the search.

    Returns
    -------
    Judgement

    Raises
    ------
    InvalidInput
        For a theorem that cannot be read; the message names the place.
    MissingExtra
        Where the checker is not installed.
    """
    return decide(read(theorem), seconds=seconds, seed=seed)


VACUOUS = "no point was met at which the hypotheses hold and the claim says something"
BEYOND = "its values are beyond the reach of floating point"
THIN_SET = "no point was met at which the hypotheses hold, though some nearly meet them: state them by fewer symbols"


@dataclass
class _Search:
    """What the search of one piece came to."""

    asked: Question
    piece: Piece | None
    margin: float = -math.inf
    evaluations: int = 0
    admissible: int = 0
    missed: float = math.inf
    too_long: bool = False
    values: Point | None = None
    refused: str = ""


@dataclass(frozen=True)
class _Counterexample:
    """An instance that the checker accepts."""

    search: _Search
    values: Point
    certificate: dict[str, Any]
    margin: float


@dataclass
class _Proofs:
    """What became of the attempt to prove all pieces on the whole region."""

    certificates: list[dict[str, Any]] = field(default_factory=list)
    cells: int = 0
    left: dict[str, str] = field(default_factory=dict)
    why: list[str] = field(default_factory=list)
    found: _Counterexample | None = None


def decide(theorem: Theorem, *, seconds: float = 10.0, seed: int = 0) -> Judgement:
    """`judge` of a `Theorem`."""
    seconds = validation.real("seconds", seconds, above=0.0)
    seed = validation.integer("seed", seed, at_least=0)
    checker()
    began = time.process_time()
    statement = theorem.statement
    if statement.claim.of.path:
        searches = [_Search(growing(statement), None)]
    else:
        searches = [_Search(question(statement, _of_laws(statement, piece)), piece) for piece in pieces(statement)]
    for place, search in enumerate(searches):
        share = (seconds / 2.0 - (time.process_time() - began)) / (len(searches) - place)
        found = _search(theorem, search, seed, max(share, 0.02))
        if found is not None:
            return _judgement(theorem, searches[: place + 1], "refuted", began, found=found)
    if why := _nowhere(statement, searches):
        return _judgement(theorem, searches, "vacuous" if why == VACUOUS else "undecided", began, why=[why])
    if statement.claim.of.path:
        return _judgement(theorem, searches, "not refuted", began)
    proofs = _prove(theorem, searches, began + seconds)
    if proofs.found is not None:
        return _judgement(theorem, [proofs.found.search], "refuted", began, proofs=proofs, found=proofs.found)
    if not proofs.why:
        return _judgement(theorem, searches, "proved", began, proofs=proofs)
    met = any(_in_balls(search)[0] <= 0 for search in searches if search.margin > -TIE)
    lawless = any(_piece(search).some for search in searches)
    return _judgement(theorem, searches, "undecided" if met or lawless else "not refuted", began, proofs=proofs)


def _of_laws(statement: Statement, piece: Piece) -> Piece:
    """The piece with what the claim needs to speak of laws: a search counts no other point."""
    return (
        piece if piece.kind == "inequality" else replace(piece, conditions=lawful(statement) | dict(piece.conditions))
    )


def _piece(search: _Search) -> Piece:
    assert search.piece is not None  # an order of growth alone has none, and is searched only
    return search.piece


# The search


def _search(theorem: Theorem, search: _Search, seed: int, seconds: float) -> _Counterexample | None:
    """An instance that the checker accepts."""
    asked, names = search.asked, tuple(search.asked.space.parameters)

    def look(units: Any) -> tuple[float, float]:
        try:
            return asked.look(asked.space.point(units))
        except (ArithmeticError, ValueError):
            return 2.0, -math.inf
        finally:
            search.too_long |= formula.exhausted()

    trace = climb(look, len(names), evaluations=EVALUATIONS, seconds=seconds, seed=seed, threshold=CLEAR, worst=False)
    search.margin, search.evaluations, search.admissible = trace.margin, trace.evaluations, trace.admissible
    search.missed = trace.missed
    if trace.cut == "interrupted":
        raise KeyboardInterrupt
    for margin, units in trace.good:
        point = asked.space.point(units)
        if search.values is None:
            search.values = _shown(asked, point)
        if margin < -TIE:
            break
        keep = min(1e-3, margin / 2.0)
        first = rounded(asked, point, keep)
        if first is None:
            continue
        found = _certified(theorem, search, first, keep)
        if found is not None:
            return found
    if isinstance(asked, Growth):
        return _slowly(theorem, search)
    if any(inequality.strict for inequality in _piece(search).inequalities) and search.margin > -CLEAR:
        for units in (units for _, units in trace.good):
            for digits in (1, 2, 3):
                found = _certified(theorem, search, _short(asked, asked.space.point(units), digits), 0.0)
                if found is not None:
                    return found
    return None


def _certified(
    theorem: Theorem, search: _Search, first: Point, keep: float, *, slow: bool = False
) -> _Counterexample | None:
    """The instance, shrunk where it can be, with the certificate that the checker accepts."""
    asked = search.asked
    tried = (shrunk(asked, first, keep), first) if keep > TIE else (first,)
    for values in tried:
        try:
            exact = dict(values)
            if isinstance(asked, Growth):
                draft = asked.draft(exact, slow)
            else:
                draft = _of_integers(asked.draft(exact), theorem.statement)
            certificate = _assembled(theorem, asked.kind, draft)
            margin = asked.look(asked.values(exact))[1]
        except (ArithmeticError, ValueError, TypeError) as error:
            search.refused = f"no certificate could be written: {error}"
            continue
        said = report(certificate)
        if said["accepted"]:
            return _Counterexample(search, values, certificate, margin)
        search.refused = str(said["because"])
    return None


def _assembled(theorem: Theorem, kind: str, draft: Draft) -> dict[str, Any]:
    words = theorem.says or theorem.statement.sentence or theorem.statement.text
    return assembled(Maker(theorem.id, kind, lambda: draft), words, theorem.source or "the theorem's file")


def _of_integers(draft: Draft, statement: Statement) -> Draft:
    """The certificate says which symbols are integers."""
    whole = [name for name, symbol in statement.symbols.items() if symbol.whole and name in draft.symbols]
    said = {f"integer_{name}": (f"integer_part({name}) = {name}", "an integer") for name in whole}
    (words, needs), *rest = ((step[0], step[1]) for step in draft.derivation)
    return replace(draft, assumptions={**draft.assumptions, **said}, derivation=[(words, [*needs, *said]), *rest])


def _slowly(theorem: Theorem, search: _Search) -> _Counterexample | None:
    """Growth by a power of the logarithm, which no doubling shows: of the nearest path, and of one along the variable
    alone, the checker decides."""
    asked = search.asked
    assert isinstance(asked, Growth)
    centre = _short(asked, asked.space.point([0.5] * len(asked.space.parameters)))
    (power,) = (beside(asked.ground, f"power_{name}") for name in asked.scalable)
    plain = {**centre, power: Fraction(1), beside(asked.ground, "first"): Fraction(12)}
    for values in (plain, *([search.values] if search.values else [])):
        found = _certified(theorem, search, values, 0.0, slow=True)
        if found is not None:
            return found
    return None


def _short(asked: Question, point: Mapping[str, float], digits: int = 6) -> Point:
    """The nearest point, as it is shown."""
    short = {}
    for name, parameter in asked.space.parameters.items():
        value = Fraction(round(point[name])) if parameter.whole else round_to(point[name], digits, 0)
        short[name] = value if parameter.allows(value) else Fraction(point[name])
    return short


def _shown(asked: Question, point: Mapping[str, float]) -> Point:
    """The nearest point with six digits, unless a hypothesis fails there."""
    short = _short(asked, point)
    if asked.look(asked.values(short))[0] == 0.0:
        return short
    return {name: Fraction(point[name]) for name in asked.space.parameters}


def _in_balls(search: _Search) -> tuple[int, float | None]:
    """At the nearest point: 1 if all inequalities hold, -1 if one is false, 0 if balls leave it open; and the largest
    ratio of left to right."""
    if search.values is None:
        return 0, None
    check, signs, ratios = checker(), [1], []
    before = check.ctx.prec
    try:
        check.renew()
        check.ctx.prec = BITS
        values = {name: check.rational(rational(value)) for name, value in search.values.items()}
        definitions = search.asked.space.definitions
        scope = check.Scope(values, {name: check.parse(text) for name, text in definitions.items()})
        for inequality in _piece(search).inequalities:
            left, right = (check.arb(check.evaluate(check.parse(formula.write(side)), scope))
                           for side in (inequality.left, inequality.right))  # fmt: skip
            held = left < right or (left <= right and not inequality.strict)
            signs.append(1 if held else -1 if left > right or left >= right else 0)
            if left > 0 and right > 0:
                ratios.append(float((left / right).mid()))
    except check.Refused:
        return 0, None
    finally:
        check.ctx.prec = before
    return min(signs), max(ratios, default=None)


def _nowhere(statement: Statement, searches: list[_Search]) -> str:
    """Why no admissible point was met by any search, where none was; empty if there is one after all."""
    if any(search.admissible for search in searches):
        return ""
    if any(search.too_long for search in searches):
        return f"its sums are too long to be evaluated: more than {formula.TERMS:,} terms"
    every = [Piece((), "inequality", {}, ("", ""), {}) if search.piece is None else search.piece for search in searches]
    for name, (low, high, left, right) in statement.ranges.items():
        if name in _whole(statement) and low is not None and high is not None and low + left > high - right:
            return VACUOUS
    for piece in every:
        claims = [inequality.comparison for inequality in piece.inequalities]
        if "room" in piece.conditions:  # without it delta is 0, which says something too
            piece, claims = replace(piece, conditions={}), []
        given = _given(statement, piece, strict=True)
        if piece.kind == "inequality" and not piece.inequalities:
            claims = [("<=", node, node) for node in statement.claim_nodes.values()]
        given += list(required(statement).values())
        sides, fixed = _sides(statement, piece)
        if Proof(claims, sides, statement.definitions, given, fixed).witness(whole=_whole(statement)) is not None:
            return ""
        if Proof([("<", ONE, ZERO)], sides, statement.definitions, given, fixed).tree(200).cuts is not None:
            return VACUOUS  # what is given is false on every cell
        if _beyond(statement, claims, sides, fixed):
            return BEYOND
    return THIN_SET if min(search.missed for search in searches) < THIN else VACUOUS


def _beyond(statement: Statement, claims: list[Comparison], sides: Mapping[str, Ends], fixed: Point) -> bool:
    """Whether the claim has values that floating point cannot hold, at some of a few points."""
    rng = random.Random(0)
    run = formula.compiled(
        (*sides, *fixed), statement.definitions, [side for comparison in claims for side in comparison[1:]]
    )
    for _ in range(20):
        point = {name: drawn(rng, *ends) for name, ends in sides.items()} | fixed
        try:
            if not all(map(math.isfinite, run({name: formula.nearest(value) for name, value in point.items()}))):
                return True
        except OverflowError:
            return True
        except (ArithmeticError, ValueError, TypeError):
            continue
    return False


# The proof


def _whole(statement: Statement) -> set[str]:
    return {name for name, symbol in statement.symbols.items() if symbol.whole}


def _sides(statement: Statement, piece: Piece) -> tuple[dict[str, Any], Point]:
    """Ranges of the symbols, and values of those that have one."""
    ends = region(statement, piece)
    fixed = {name: low for name, (low, high) in ends.items() if low is not None and low == high}
    return {name: pair for name, pair in ends.items() if name not in fixed}, fixed


def _given(statement: Statement, piece: Piece, *, strict: bool) -> list[Comparison]:
    """Hypotheses of a piece; where `strict` also that open ends are left out."""
    texts = {name: text for name, (text, _) in searched(statement, replace(piece, kind="")).conditions.items()}
    read = [parse(text, comparison=True) for name, text in texts.items() if strict or not name.startswith("open_")]
    return [(node[0], node[1], node[2]) for node in read]


def _prove(theorem: Theorem, searches: list[_Search], deadline: float) -> _Proofs:
    """Certificates of all pieces, those of the same hypotheses in one, on whole regions.

    Open ends of ranges are proved too where that can be: a face is taken across them then.
    """
    proofs, statement = _Proofs(), theorem.statement
    proofs.why = list(dict.fromkeys(_piece(search).some for search in searches if _piece(search).some))
    if proofs.why:
        return proofs
    laws = list(required(statement).values())
    groups: dict[str, tuple[Piece, list[_Search]]] = {}
    for search in searches:
        piece = _piece(search)
        groups.setdefault(repr((sorted(piece.hidden), sorted(piece.conditions.items()))), (piece, []))[1].append(search)
    if laws and all("room" in piece.conditions for piece, _ in groups.values()):  # they are laws elsewhere too
        groups["laws"] = Piece((), "inequality", {}, ("", ""), {}, derivation=("The claim speaks of laws.",)), []
    for place, (piece, group) in enumerate(groups.values()):
        inequalities = [inequality.comparison for search in group for inequality in _piece(search).inequalities]
        claims = list(dict.fromkeys([*inequalities, *laws]))
        sides, fixed = _sides(statement, piece)
        attempts = [_given(statement, piece, strict=False)]
        attempts += [given] if (given := _given(statement, piece, strict=True)) != attempts[0] else []
        share = max((deadline - time.process_time()) / (len(groups) - place), 0.05)
        for number, given in enumerate(attempts):
            proof = Proof(claims, sides, statement.definitions, given, fixed)
            look = partial(_breaks, theorem, group, proofs)
            tree = proof.tree(CELLS, seconds=share / (len(attempts) - number), look=look)
            proofs.cells += tree.cells
            if proofs.found is not None:
                return proofs
            if tree.cuts is not None:
                break
        if tree.cuts is None:
            proofs.left, proofs.why = tree.left, [f"no proof over the region: {tree.why}"]
            return proofs
        witness = proof.witness([search.values for search in group if search.values is not None], _whole(statement))
        if witness is None:
            proofs.why = ["no proof over the region: no point was met at which the checker sees that all is defined"]
            return proofs
        symbols = {**statement.symbols, **piece.hidden}
        steps = [*piece.derivation, *(step for step in statement.steps if isinstance(step, str))]
        certificate = _assembled(theorem, "region", proof.draft(
            tree.cuts, witness, statement=statement.text, derivation=[(step, []) for step in steps],
            symbols={name: symbol.meaning for name, symbol in symbols.items()},
        ))  # fmt: skip
        said = report(certificate)
        if not said["accepted"]:
            proofs.why = [f"the checker does not accept the proof: {said['because']}"]
            return proofs
        proofs.certificates.append(certificate)
    return proofs


def _breaks(theorem: Theorem, group: list[_Search], proofs: _Proofs, point: Point) -> bool:
    """Whether a claim of the group is false at a point, by a certificate."""
    for search in group:
        parameters = search.asked.space.parameters
        values = {name: Fraction(math.floor(point[name])) if parameter.whole else point[name]
                  for name, parameter in parameters.items() if name in point}  # fmt: skip
        values |= {name: Fraction(p.at(0.5)) for name, p in parameters.items() if name not in point}
        if not search.asked.space.allows(values):
            continue
        missed, margin = search.asked.look(search.asked.values(dict(values)))
        if missed == 0.0 and margin > TIE:
            proofs.found = _certified(theorem, search, values, 0.0)
    return proofs.found is not None


def _judgement(
    theorem: Theorem, searches: list[_Search], verdict: str, began: float, *,
    found: _Counterexample | None = None, proofs: _Proofs | None = None, why: list[str] | None = None,
) -> Judgement:  # fmt: skip
    near = max(searches, key=lambda search: search.margin)
    proofs = proofs or _Proofs()
    searched: dict[str, Any] = {
        "region": {name: where for search in searches for name, where in search.asked.space.region.items()},
        "evaluations": sum(search.evaluations for search in searches),
        "admissible": sum(search.admissible for search in searches),
        "nearest": None if near.values is None or verdict == "refuted" else
        {name: rational(value) for name, value in near.values.items()},
        "cells": proofs.cells, "undecided": proofs.left, "why": why or proofs.why,
        "refused": sorted({search.refused for search in searches if search.refused}),
        "seconds": round(time.process_time() - began, 3),
    }  # fmt: skip
    ratio: float | None = None
    counterexample = None
    certificates = tuple(proofs.certificates if verdict == "proved" else ())
    if found is not None:
        counterexample, certificates = {n: rational(v) for n, v in found.values.items()}, (found.certificate,)
        ratio = ratio_of(found.search.asked, found.values, found.margin)
    elif near.values is not None and near.piece is None:
        ratio = near.asked.ratio(near.values, near.margin)
    elif near.values is not None:
        ratio = _in_balls(near)[1]
    return Judgement(
        theorem.id, verdict, "certificate" if certificates else "tried", counterexample, ratio, certificates, searched,
        theorem.statement.text, theorem.statement.latex, filled(theorem.says, theorem.statement),
    )  # fmt: skip
