"""`judge`: from a theorem in a dozen lines to a verdict with its grade.

The claim becomes inequalities in the theorem's symbols (`judge_pieces`). A search looks for an instance that breaks
one, and counts it only where the checker accepts its certificate; else branch and bound in ball arithmetic tries to
prove all of them on the whole region (`judge_regions`). What neither decides is "not refuted", or "undecided" where
the claim meets its bound within the precision of the search.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpbench.certificates.build import Maker, assembled, rational, round_to
from dpbench.certificates.judge_pieces import Piece, growing, pieces, question, ratio_of, region
from dpbench.certificates.judge_toml import Theorem, read
from dpbench.certificates.search.accept import checker, report
from dpbench.certificates.search.optimise import climb
from dpbench.certificates.search.question import Question
from dpbench.certificates.search.shrink import rounded, shrunk
from dpbench.core import validation
from dpbench.ledger.formula import parse
from dpbench.ledger.statement import Statement, filled

EVALUATIONS = 6000
CLEAR, TIE = 2e-3, 1e-9
"""Margins: a violation that the search ends at; one that floating point cannot tell from a bound that is met."""


@dataclass(frozen=True)
class Judgement:
    """What was decided of a theorem.

    Attributes
    ----------
    id : str
    verdict : {"refuted", "proved", "not refuted", "undecided"}
        "refuted" only with a certificate that the checker accepted; "proved" on the whole region; "undecided" where the
        claim meets its bound within the precision of the search, and no proof tells on which side.
    grade : {"certificate", "exact", "tried"}
        The checker; ball arithmetic here, over the whole region; a search.
    counterexample : dict of str to str or None
        Rational values of the symbols, "p/q".
    ratio : float or None
        At the counterexample, else at the nearest instance: the true δ over the one claimed, or left over right.
    certificate : dict or None
        Accepted by the checker.
    searched : dict
        Region, points looked at, nearest instance, cells of the proof, what was left undecided, seconds.
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
    certificate: Mapping[str, Any] | None = field(repr=False)
    searched: Mapping[str, Any]
    text: str
    latex: str = field(repr=False)
    says: str = ""

    def to_dict(self, certificate: str | None = None) -> dict[str, Any]:
        """Plain types, strict JSON; `certificate` is the path it was written to."""
        keys = ("id", "verdict", "grade", "counterexample", "ratio")
        finite = self.ratio if self.ratio is not None and math.isfinite(self.ratio) else None
        return {**{key: getattr(self, key) for key in keys}, "ratio": finite, "certificate": certificate,
                "searched": dict(self.searched), "text": self.text, "latex": self.latex}  # fmt: skip

    def __str__(self) -> str:
        lines = [f"{self.id}: {self.verdict} ({self.grade})", f"  formulas: {self.text}"]
        if self.counterexample is not None:
            lines.append(f"  counterexample: {_listed(self.counterexample)}{_times(self.ratio)}")
        elif self.verdict != "proved":
            nearest = self.searched.get("nearest")
            if nearest:
                lines.append(f"  nearest: {_listed(nearest)}{_times(self.ratio)}")
            left = self.searched.get("undecided") or []
            lines += [f"  not decided: {_listed(cell, ' in ')}" for cell in left[:1]]
        if self.says:
            lines.append(f"  in the author's words (nothing is decided of them): {self.says}")
        return "\n".join(lines)


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
        Processor time for the proof; a counterexample takes about a second.
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


@dataclass
class _Looked:
    """What the search of one piece came to."""

    asked: Question
    piece: Piece | None
    margin: float = -math.inf
    evaluations: int = 0
    admissible: int = 0
    values: dict[str, Fraction] | None = None
    refused: str = ""


def decide(theorem: Theorem, *, seconds: float = 10.0, seed: int = 0) -> Judgement:
    """`judge` of a `Theorem`."""
    seconds = validation.real("seconds", seconds, above=0.0)
    seed = validation.integer("seed", seed, at_least=0)
    checker()
    began = time.process_time()
    statement = theorem.statement
    looked: list[_Looked] = []
    if statement.claim.kind == "order":
        one = _Looked(growing(statement), None)
        made = _search(theorem, one, seed, seconds)
        verdict, grade = ("not refuted", "tried") if made is None else ("refuted", "certificate")
        return _judgement(theorem, [one], verdict, grade, began, made=made)
    for piece in pieces(statement):
        one = _Looked(question(statement, piece), piece)
        looked.append(one)
        made = _search(theorem, one, seed, max(seconds / 2.0, 1.0))
        if made is not None:
            return _judgement(theorem, looked, "refuted", "certificate", began, made=made)
    proofs = []
    for place, one in enumerate(looked):
        share = (seconds - (time.process_time() - began)) / (len(looked) - place)
        proof = _prove(statement, one, 0.05 if _piece(one).some else max(share, 0.05))
        proofs.append(proof)
        if proof.broken is not None:
            complete = {n: proof.broken.get(n, _somewhere(one.asked, n)) for n in one.asked.space.parameters}
            made = _certified(theorem, one, complete, 0.0)
            if made is not None:
                return _judgement(theorem, [one], "refuted", "certificate", began, made=made, proofs=proofs)
    if all(proof.proved and not _piece(one).some for one, proof in zip(looked, proofs, strict=True)):
        return _judgement(theorem, looked, "proved", "exact", began, proofs=proofs)
    open_ = [one for one, proof in zip(looked, proofs, strict=True) if not proof.proved]
    met = any(_met(statement, one) for one in open_ if one.margin > -TIE)
    return _judgement(theorem, looked, "undecided" if met else "not refuted", "tried", began, proofs=proofs)


def _met(statement: Statement, one: _Looked) -> bool:
    """Whether balls, too, leave open on which side of the bound the nearest point lies; else its margin is theirs."""
    from dpbench.certificates.judge_regions import gap_at

    if one.values is None:
        return False
    exact = one.asked.space.exact(one.values)
    gap, margin = gap_at(_piece(one).inequalities, exact, statement.definitions)
    if gap > 0 and margin is not None:
        one.margin = margin
    return not gap > 0


def _piece(one: _Looked) -> Piece:
    assert one.piece is not None  # an order of growth alone has none, and is searched only
    return one.piece


def _somewhere(asked: Question, name: str) -> Fraction:
    return Fraction(asked.space.parameters[name].at(0.5))


def _search(
    theorem: Theorem, one: _Looked, seed: int, seconds: float
) -> tuple[dict[str, Fraction], dict[str, Any], float] | None:
    """An instance that the checker accepts: (values, certificate, margin)."""
    asked, names = one.asked, tuple(one.asked.space.parameters)

    def look(units: Any) -> tuple[float, float]:
        try:
            return asked.look(asked.space.point(units))
        except (ArithmeticError, ValueError):
            return 2.0, -math.inf

    trace = climb(look, len(names), evaluations=EVALUATIONS, seconds=seconds, seed=seed, threshold=CLEAR, worst=False)
    one.margin, one.evaluations, one.admissible = trace.margin, trace.evaluations, trace.admissible
    if trace.cut == "interrupted":
        raise KeyboardInterrupt
    for margin, units in trace.good:
        point = asked.space.point(units)
        if one.values is None:
            one.values = _short(asked, point)
        if margin < -TIE:
            break
        keep = min(1e-3, margin / 2.0)
        first = rounded(asked, point, keep)
        if first is None:
            continue
        made = _certified(theorem, one, first, keep)
        if made is not None:
            return made
    return None


def _certified(
    theorem: Theorem, one: _Looked, first: dict[str, Fraction], keep: float
) -> tuple[dict[str, Fraction], dict[str, Any], float] | None:
    """The instance, shrunk where it can be, with the certificate that the checker accepts."""
    asked = one.asked
    tried = (shrunk(asked, first, keep), first) if keep > TIE else (first,)
    for values in tried:
        try:
            exact = asked.space.exact(values)
            maker = Maker(theorem.id, asked.kind, lambda exact=exact: asked.draft(exact))  # type: ignore[misc]
            words = theorem.says or theorem.statement.sentence or theorem.statement.text
            made = assembled(maker, words, theorem.source or "the theorem's file")
        except (ArithmeticError, ValueError, TypeError) as error:
            one.refused = f"no certificate could be written: {error}"
            continue
        said = report(made)
        if said["accepted"]:
            return values, made, asked.look(asked.values(exact))[1]
        one.refused = str(said["because"])
    return None


def _short(asked: Question, point: Mapping[str, float]) -> dict[str, Fraction]:
    """The nearest point, as it is shown."""
    made = {}
    for name, parameter in asked.space.parameters.items():
        value = Fraction(round(point[name])) if parameter.whole else round_to(point[name], 6, 0)
        made[name] = value if parameter.allows(value) else Fraction(point[name])
    return made


def _prove(statement: Statement, one: _Looked, seconds: float) -> Any:
    from dpbench.certificates.judge_regions import prove

    symbols = {**statement.symbols, **_piece(one).hidden}
    conditions = [parse(text, comparison=True) for text, _ in one.asked.all_conditions.values()]
    return prove(
        _piece(one).inequalities, region(statement, _piece(one)), definitions=statement.definitions,
        whole=frozenset(name for name, symbol in symbols.items() if symbol.whole),
        conditions=[(c[0], c[1], c[2]) for c in conditions], seconds=seconds,
    )  # fmt: skip


def _judgement(
    theorem: Theorem, looked: list[_Looked], verdict: str, grade: str, began: float, *,
    made: tuple[dict[str, Fraction], dict[str, Any], float] | None = None, proofs: list[Any] | None = None,
) -> Judgement:  # fmt: skip
    near = max(looked, key=lambda one: one.margin)
    searched: dict[str, Any] = {
        "region": {name: where for one in looked for name, where in one.asked.space.region.items()},
        "evaluations": sum(one.evaluations for one in looked), "admissible": sum(one.admissible for one in looked),
        "nearest": None if near.values is None or verdict == "refuted" else
        {name: rational(value) for name, value in near.values.items()},
        "cells": sum(proof.cells for proof in proofs or ()), "identities": sum(p.identities for p in proofs or ()),
        "undecided": [cell for proof in proofs or () for cell in proof.left],
        "undecided_cells": sum(proof.undecided for proof in proofs or ()),
        "refused": sorted({one.refused for one in looked if one.refused}),
        "seconds": round(time.process_time() - began, 3),
    }  # fmt: skip
    ratio: float | None = None
    counterexample = None
    if made is not None:
        values, _, margin = made
        counterexample = {name: rational(value) for name, value in values.items()}
        ratio = ratio_of(looked[-1].asked, looked[-1].asked.space.exact(values), margin)
    elif near.values is not None and math.isfinite(near.margin):
        ratio = near.asked.ratio(near.asked.space.exact(near.values), near.margin)
    return Judgement(
        theorem.id, verdict, grade, counterexample, ratio, made[1] if made else None, searched,
        theorem.statement.text, theorem.statement.latex, filled(theorem.says, theorem.statement),
    )  # fmt: skip
