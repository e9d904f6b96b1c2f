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
from itertools import chain
from pathlib import Path
from typing import Any

import dpbench_check as check

from dpbench.certificates.build import Sentence, assembled, rational, report
from dpbench.certificates.clock import Clock
from dpbench.certificates.judge_pieces import (
    ONE,
    ZERO,
    Piece,
    composed,
    composition,
    lawful,
    pieces,
    region,
    required,
    rules,
    sided,
)
from dpbench.certificates.judge_toml import Theorem, read
from dpbench.certificates.regions import Comparison, Ends, Point, Proof, drawn
from dpbench.certificates.search.hunt import TIE, Counterexample, Hunt, question
from dpbench.certificates.search.question import hypotheses
from dpbench.core import validation
from dpbench.core.printable import printable
from dpbench.ledger import formula
from dpbench.ledger.formula import write
from dpbench.ledger.statement import Statement, filled

EVALUATIONS = 6000
THIN = 1e-3
"""Hypotheses that are missed by less at the nearest point may hold on a set too thin for a search."""
CELLS = 20_000
BUDGET_CELLS = 300
"""For a comparison that every composition needs, such as 1 < alpha."""


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
    text : str
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
    says: str = ""

    def to_dict(self, certificates: tuple[str, ...] = ()) -> dict[str, Any]:
        """Plain types, strict JSON; `certificates` are the paths that they were written to."""
        keys = ("id", "verdict", "grade", "counterexample", "ratio")
        finite = self.ratio if self.ratio is not None and math.isfinite(self.ratio) else None
        return {**{key: getattr(self, key) for key in keys}, "ratio": finite, "certificates": list(certificates),
                "searched": dict(self.searched), "text": self.text}  # fmt: skip

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
    """
    return decide(read(theorem), seconds=seconds, seed=seed)


VACUOUS = "no point was met at which the hypotheses hold and the claim says something"
BEYOND = "its values are beyond floating point"
THIN_SET = "points nearly meet the hypotheses, none does: state them by fewer symbols"


@dataclass
class _Proofs:
    """What became of the attempt to prove all pieces on the whole region."""

    certificates: list[dict[str, Any]] = field(default_factory=list)
    cells: int = 0
    left: dict[str, str] = field(default_factory=dict)
    why: list[str] = field(default_factory=list)
    counterexample: Counterexample | None = None
    partly: bool = False


def decide(theorem: Theorem, *, seconds: float = 10.0, seed: int = 0) -> Judgement:
    """`judge` of a `Theorem`."""
    seconds = validation.real("seconds", seconds, above=0.0)
    seed = validation.integer("seed", seed, at_least=0)
    began, clock, half = time.process_time(), Clock(seconds), Clock(seconds / 2.0)
    statement = theorem.statement
    if statement.claim.of.path:
        _endless(statement)
    hunts = [Hunt(question(statement, _of_laws(statement, piece)), _sentence(theorem)) for piece in pieces(statement)]
    for place, hunt in enumerate(hunts):
        share = half.left / (len(hunts) - place)
        counterexample = hunt.run(evaluations=EVALUATIONS, seconds=max(share, 0.02), seed=seed)
        if hunt.trace.cut == "interrupted":
            raise KeyboardInterrupt
        if counterexample is not None:
            return _judgement(theorem, hunts[: place + 1], "refuted", began, counterexample=counterexample)
    if why := _nowhere(statement, hunts, clock):
        return _judgement(theorem, hunts, "vacuous" if why == VACUOUS else "undecided", began, why=[why])
    if statement.claim.of.path:
        return _judgement(theorem, hunts, "not refuted", began)
    proofs = _prove(theorem, hunts, clock)
    if proofs.counterexample is not None:
        return _judgement(theorem, hunts, "refuted", began, proofs=proofs, counterexample=proofs.counterexample)
    if proofs.certificates and not proofs.why:
        return _judgement(theorem, hunts, "proved", began, proofs=proofs)
    if proofs.partly:
        return _judgement(theorem, hunts, "undecided", began, proofs=proofs)
    met = any(not _in_balls(hunt)[0] for hunt in hunts if hunt.trace.margin > -TIE)
    lawless = any(hunt.question.piece.some for hunt in hunts)
    return _judgement(theorem, hunts, "undecided" if met or lawless else "not refuted", began, proofs=proofs)


def _endless(statement: Statement) -> None:
    """Refuse an order whose variable cannot go on in its range: at its end any quantity is bounded."""
    parts = statement.claim.parts
    low, high, _, _ = statement.ranges[validation.choice("claim.order.in", parts["in"], statement.ranges)]
    if "moves" in parts:
        goes_on, ends = low == 0, "from 0"
    else:
        goes_on, ends = high is None and low is not None and low >= 0, "to inf"
    if not goes_on:
        raise validation.invalid("claim.order.in", f"a symbol >= 0, {ends}", parts["in"])


def _of_laws(statement: Statement, piece: Piece) -> Piece:
    """The piece with what the claim needs to speak of laws: a search counts no other point."""
    if piece.kind in ("inequality", "growth"):
        return piece
    return replace(piece, conditions=lawful(statement) | dict(piece.conditions))


def _sentence(theorem: Theorem) -> Sentence:
    words = filled(theorem.says, theorem.statement) or theorem.statement.sentence or theorem.statement.text
    return Sentence(theorem.id, words, theorem.source or "the theorem's file")


def _in_balls(hunt: Hunt) -> tuple[bool, float | None]:
    """Whether all inequalities are seen to hold at the nearest point, and the largest ratio of left to right."""
    nearest, held, ratios = hunt.nearest, True, []
    inequalities = hunt.question.piece.inequalities
    if nearest is None:
        return False, None
    try:
        balls = hunt.question.balls(nearest, [side for each in inequalities for side in each.comparison[1:]])
    except check.Refused:
        return False, None
    for inequality, left, right in zip(inequalities, balls[::2], balls[1::2], strict=True):
        held &= bool(left < right or (left <= right and not inequality.strict))
        if left > 0 and right > 0:
            ratios.append(float((left / right).mid()))
    return held, max(ratios, default=None)


def _nowhere(statement: Statement, hunts: list[Hunt], clock: Clock) -> str:
    """Why no admissible point was met by any search, where none was; empty if there is one after all."""
    if any(hunt.trace.admissible for hunt in hunts):
        return ""
    if any(hunt.too_long for hunt in hunts):
        return f"its sums are too long to be evaluated: more than {formula.TERMS:,} terms"
    for name, (low, high, left, right) in statement.ranges.items():
        if name in _whole(statement) and low is not None and high is not None and low + left > high - right:
            return VACUOUS
    for piece in [hunt.question.piece for hunt in hunts]:
        claims = [inequality.comparison for inequality in piece.inequalities]
        if "room" in piece.conditions:  # without it delta is 0, which says something too
            piece, claims = replace(piece, conditions={}), []
        given = _given(statement, piece, strict=True)
        if piece.kind == "growth":
            claims = [("<=", node, node) for node in statement.claim_nodes.values()]
        given += list(required(statement).values())
        sides, fixed = _sides(statement, piece)
        if Proof(claims, sides, statement.definitions, given, fixed).witness(whole=_whole(statement)) is not None:
            return ""
        nothing = Proof([("<", ONE, ZERO)], sides, statement.definitions, given, fixed)
        if nothing.tree(200, clock=clock).cuts is not None:
            return VACUOUS  # what is given is false on every cell
        if _beyond(statement, claims, sides, fixed):
            return BEYOND
    return THIN_SET if min(hunt.trace.missed for hunt in hunts) < THIN else VACUOUS


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
    ends = region(statement, piece.hidden)
    fixed = {name: low for name, (low, high) in ends.items() if low is not None and low == high}
    return {name: pair for name, pair in ends.items() if name not in fixed}, fixed


def _given(statement: Statement, piece: Piece, *, strict: bool) -> list[Comparison]:
    """Hypotheses of a piece; where `strict` also that open ends are left out."""
    every = hypotheses(statement, replace(piece, kind="")).items()
    kept = ((one[0], one[1], one[2]) for name, (one, _) in every
            if not name.startswith("whole_") and (strict or not name.startswith("open_")))  # fmt: skip
    return sided(kept)


def _hypotheses(statement: Statement, piece: Piece) -> list[list[Comparison]]:
    """What is given in a first attempt at a proof, and in a second one, where open ends are left out."""
    listed = [_given(statement, piece, strict=strict) for strict in (False, True)]
    return listed if listed[0] != listed[1] else listed[:1]


def _prove(theorem: Theorem, hunts: list[Hunt], clock: Clock) -> _Proofs:
    """Certificates of all pieces, those of the same hypotheses in one, on whole regions.

    Open ends of ranges are proved too where that can be: a face is taken across them then.
    """
    proofs, statement = _Proofs(), theorem.statement
    proofs.why = list(dict.fromkeys(hunt.question.piece.some for hunt in hunts if hunt.question.piece.some))
    if proofs.why:
        return proofs
    laws = list(required(statement).values())
    if statement.claim.kind == "compose":
        return _composed(theorem, hunts, clock)
    groups: dict[str, tuple[Piece, list[Hunt]]] = {}
    for hunt in hunts:
        piece = hunt.question.piece
        groups.setdefault(repr((sorted(piece.hidden), sorted(piece.conditions.items()))), (piece, []))[1].append(hunt)
    if laws and all("room" in piece.conditions for piece, _ in groups.values()):  # they are laws elsewhere too
        groups["laws"] = Piece((), "inequality", derivation=("The claim speaks of laws.",)), []
    for place, (piece, group) in enumerate(groups.values()):
        inequalities = [one.comparison for hunt in group for one in hunt.question.piece.inequalities]
        claims = list(dict.fromkeys([*inequalities, *laws]))
        share = max(clock.left / (len(groups) - place), 0.05)
        attempts = [(given, claims) for given in _hypotheses(statement, piece)]
        if not _shown(theorem, piece, attempts, group, share, proofs):
            return proofs
    return proofs


def _composed(theorem: Theorem, hunts: list[Hunt], clock: Clock) -> _Proofs:
    """The certificate of a composition, by the first of the checker's rules whose inequalities are seen."""
    proofs, statement, piece = _Proofs(), theorem.statement, Piece((), "", derivation=())
    listed, reasons = rules(statement), list[str]()
    given, (sides, fixed) = _given(statement, piece, strict=True), _sides(statement, piece)
    for needed in composed(statement, listed[0], given)[0]:
        if Proof([needed], sides, statement.definitions, given, fixed).tree(BUDGET_CELLS, clock=clock).cuts is None:
            proofs.why = [f"every composition needs {write(needed)}, which is not seen"]
            return proofs
    for place, rule in enumerate(listed):
        share = max(clock.left / (len(listed) - place), 0.5)
        try:
            attempts = [(given, list(dict.fromkeys(chain(*composed(statement, rule, given)))))
                        for given in _hypotheses(statement, piece)]  # fmt: skip
        except check.Refused as error:
            reasons.append(f"{rule}: {error}")
            continue
        if _shown(theorem, piece, attempts, hunts, share, proofs, composition(statement, rule)):
            return proofs
        if proofs.counterexample is not None or proofs.partly:
            return proofs
        reasons += [f"{rule}: {why}" for why in proofs.why]
    proofs.why = reasons
    return proofs


def _shown(
    theorem: Theorem, piece: Piece, attempts: list[tuple[list[Comparison], list[Comparison]]], group: list[Hunt],
    seconds: float, proofs: _Proofs, composition: Mapping[str, Any] | None = None,
) -> bool:  # fmt: skip
    """Whether the checker accepts a certificate of the claims on the region; if not, why is in `proofs`.

    An attempt is what is given, and the claims; of a `composition` its parts, for which the claims suffice.
    """
    statement = theorem.statement
    sides, fixed = _sides(statement, piece)
    for number, (given, claims) in enumerate(attempts):
        proof = Proof(claims, sides, statement.definitions, given, fixed)
        if number + 1 < len(attempts) and proof.false_at_a_corner():
            continue  # an end that the next attempt leaves out
        look = partial(_breaks, group, proofs, None if composition is None else proof)
        tree = proof.tree(CELLS, clock=Clock(seconds / (len(attempts) - number)), look=look)
        proofs.cells += tree.cells
        if proofs.counterexample is not None:
            return False
        if tree.cuts is None:
            if not proofs.partly:
                proofs.left, proofs.why = tree.left, [f"no proof over the region: {tree.why}"]
            continue
        witness = proof.witness([hunt.nearest for hunt in group if hunt.nearest is not None], _whole(statement))
        if witness is None:
            proofs.why = ["no point was met at which all is seen to be defined"]
            continue
        symbols = {**statement.symbols, **piece.hidden}
        draft = proof.draft(
            tree.cuts, witness, statement=statement.text,
            derivation=[(step, []) for step in (*piece.derivation, *statement.steps)],
            symbols={name: symbol.meaning for name, symbol in symbols.items()},
        )  # fmt: skip
        if composition is not None:
            parts = {name: part for name, part in draft.claim.items() if name != "claims"}
            draft = replace(draft, claim={**parts, **composition})
        certificate = assembled("region" if composition is None else "composition", draft, _sentence(theorem))
        summary = report(certificate)
        proofs.partly = check.WHEREVER in summary.get("line", "")
        if summary["accepted"] and not proofs.partly:
            proofs.certificates.append(certificate)
            proofs.left, proofs.why = {}, []
            return True
        proofs.why = [f"leave out where a side is undefined: the checker {summary['line']}"
                      if proofs.partly else f"the checker does not accept the proof: {summary['because']}"]  # fmt: skip
    return False


def _breaks(group: list[Hunt], proofs: _Proofs, rule: Proof | None, point: Point) -> bool:
    """Whether a claim of the group is false at a point, by a certificate; or what a rule needs, which refutes nothing
    but that rule."""
    for hunt in group:
        parameters = hunt.question.parameters
        values = {name: Fraction(math.floor(point[name])) if parameter.whole else point[name]
                  for name, parameter in parameters.items() if name in point}  # fmt: skip
        values |= {name: Fraction(p.at(0.5)) for name, p in parameters.items() if name not in point}
        if not hunt.question.allows(values):
            continue
        missed, margin = hunt.question.look(values)
        if missed == 0.0 and margin > TIE:
            proofs.counterexample = hunt.certified(values)
    return proofs.counterexample is not None or bool(rule and rule.false_at(point))


def _judgement(
    theorem: Theorem, hunts: list[Hunt], verdict: str, began: float, *,
    counterexample: Counterexample | None = None, proofs: _Proofs | None = None, why: list[str] | None = None,
) -> Judgement:  # fmt: skip
    near = max(hunts, key=lambda hunt: hunt.trace.margin)
    nearest, proofs = near.nearest, proofs or _Proofs()
    searched: dict[str, Any] = {
        "region": {name: where for hunt in hunts for name, where in hunt.question.region.items()},
        "evaluations": sum(hunt.trace.evaluations for hunt in hunts),
        "admissible": sum(hunt.trace.admissible for hunt in hunts),
        "nearest": None if nearest is None or verdict == "refuted" else
        {name: rational(value) for name, value in nearest.items()},
        "cells": proofs.cells, "undecided": proofs.left, "why": why or proofs.why,
        "refused": sorted({why for hunt in hunts for why in hunt.refused}),
        "seconds": round(time.process_time() - began, 3),
    }  # fmt: skip
    ratio: float | None = None
    values = None
    certificates = tuple(proofs.certificates if verdict == "proved" else ())
    if counterexample is not None:
        values = {name: rational(value) for name, value in counterexample.values.items()}
        certificates = (counterexample.certificate,)
        ratio = counterexample.question.ratio(counterexample.values, counterexample.margin)
    elif nearest is not None:
        growth = near.question.piece.kind == "growth"
        ratio = near.question.ratio(nearest, near.trace.margin) if growth else _in_balls(near)[1]
    return Judgement(
        theorem.id, verdict, "certificate" if certificates else "tried", values, ratio, certificates, searched,
        theorem.statement.text, filled(theorem.says, theorem.statement),
    )  # fmt: skip
