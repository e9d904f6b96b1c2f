"""A search of one question: a point at which floating point breaks the claim counts where the checker accepts it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import dpbench_check as check
import numpy as np

from dpbench.certificates.build import Draft, Sentence, assembled, report
from dpbench.certificates.clock import Clock
from dpbench.certificates.judge_pieces import Piece
from dpbench.certificates.search.growth import Growth
from dpbench.certificates.search.optimise import Trace, climb
from dpbench.certificates.search.question import FAR, Exact, Question
from dpbench.certificates.search.shrink import KEEP, rounded, shrunk
from dpbench.ledger import formula
from dpbench.ledger.statement import Statement

CLEAR, TIE = 2e-3, 1e-9
"""Margins: a violation that the search ends at; one that floating point cannot tell from a bound that is met."""
NEAR = 0.02
"""Share of a parameter's range that is void around a phantom where balls show nothing."""
VOID = (2.0, -FAR)
REASONS = 10
"""Of the checker's against violations, as many are kept."""


def question(statement: Statement, piece: Piece) -> Question:
    """What a search asks of one piece."""
    return Growth(statement, piece) if piece.kind == "growth" else Question(statement, piece)


@dataclass(frozen=True)
class Counterexample:
    """An instance that the checker accepts."""

    question: Question
    values: Exact
    certificate: dict[str, Any]
    margin: float


@dataclass
class Hunt:
    """A search, and what it came to.

    Attributes
    ----------
    question, sentence : Question, Sentence
    trace : Trace
        Of the last round, with the counts of all.
    void : list of float64[k]
        Phantoms: violations in floating point that the checker refused. Near them points are looked at in balls, and
        the rest of the budget is spent elsewhere.
    refused : list of str
        What the checker said of violations.
    too_long : bool
        Whether a sum was too long to be evaluated.
    counterexample : Counterexample or None
    """

    question: Question
    sentence: Sentence
    trace: Trace = field(default_factory=Trace)
    void: list[np.ndarray] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    too_long: bool = False
    counterexample: Counterexample | None = None

    def run(self, *, evaluations: int, seconds: float, seed: int, worst: bool = False) -> Counterexample | None:
        """Search; half as much time again may be spent on shrinking what is found.

        Parameters
        ----------
        evaluations : int
            Points.
        seconds : float
            Processor time.
        worst : bool
            Go on after the first violation, for the largest margin.
        """
        clock, shrinking, rounds = Clock(seconds), Clock(1.5 * seconds), 0
        while True:
            before = self.trace
            self.trace = climb(
                self._look, len(self.question.parameters), evaluations=evaluations - before.evaluations, clock=clock,
                seed=seed + 1_000_003 * rounds, threshold=CLEAR, worst=worst,
            )  # fmt: skip
            self.trace.follows(before)
            rounds += 1
            try:
                self.counterexample = self._accepted(shrinking, worst)
            except KeyboardInterrupt:
                self.trace.cut = "interrupted"
            phantoms = [units for margin, units in self.trace.good if margin > 0.0]
            if self.counterexample is not None or not phantoms:
                return self.counterexample
            self.void += phantoms
            if self.trace.cut or self.trace.evaluations >= evaluations:
                return None

    def _look(self, units: np.ndarray) -> tuple[float, float]:
        """(how far the conditions are missed, margin); in balls where floats violate, once a phantom was met."""
        asked = self.question
        try:
            point = asked.point(units)
            missed, margin = asked.look(point)
            self.too_long |= formula.exhausted()
            if self.void and missed == 0.0 and margin > 0.0:
                if not isinstance(asked, Growth):
                    return asked.surely(asked.near(point)) or VOID
                if any(float(abs(units - phantom).max()) < NEAR for phantom in self.void):
                    return VOID
            return missed, margin
        except (ArithmeticError, ValueError):
            return VOID

    @property
    def nearest(self) -> Exact | None:
        """The point of the largest margin: with six digits, unless a hypothesis fails there."""
        if self.trace.best is None:
            return None
        point = self.question.point(self.trace.best)
        short = self.question.near(point, 6)
        return short if self.question.look(short)[0] == 0.0 else self.question.near(point)

    def _accepted(self, clock: Clock, worst: bool) -> Counterexample | None:
        """The simplest instance whose certificate the checker accepts, from the best points of the search."""
        strict = any(inequality.strict for inequality in self.question.piece.inequalities)
        for margin, units in self.trace.good:
            if margin < -(CLEAR if strict else TIE):
                break
            keep = 0.999 * margin if worst and margin > 0.0 else min(KEEP, margin / 2.0)
            for values in self._candidates(margin, self.question.point(units), keep, strict, clock):
                if (accepted := self.certified(values, quiet=margin <= 0.0)) is not None:
                    return accepted
                if clock.over:
                    return None
        return self._slowly() if isinstance(self.question, Growth) else None

    def _candidates(
        self, margin: float, point: Mapping[str, float], keep: float, strict: bool, clock: Clock
    ) -> Iterator[Exact]:
        """Short instances near a point that keep such a margin, the simplest first, and the point itself."""
        first = rounded(self.question, point, keep, clock) if margin >= -TIE else None
        if first is not None and keep > TIE:
            yield shrunk(self.question, first, keep, clock)
        if first is not None:
            yield first
        elif margin > 0.0:
            self._refuse("the violation does not survive the rounding to rationals")
        yield self.question.near(point)
        for digits in (1, 2, 3) if strict else ():
            yield self.question.near(point, digits)

    def _slowly(self) -> Counterexample | None:
        """Growth by a power of the logarithm, which no doubling shows: of the nearest path, and of one along the
        variable alone, the checker decides."""
        asked, nearest = self.question, self.nearest
        assert isinstance(asked, Growth)
        for values in (asked.plain(), *([nearest] if nearest else [])):
            if (accepted := self.certified(values, replace(asked, slow=True), quiet=True)) is not None:
                return accepted
        return None

    def certified(self, values: Exact, asked: Question | None = None, *, quiet: bool = False) -> Counterexample | None:
        """The instance with its certificate, where the checker accepts it; else, unless `quiet`, why not is kept."""
        asked = asked or self.question
        try:
            draft = _of_integers(asked.draft(values), asked)
            certificate = assembled(asked.piece.kind, draft, self.sentence)
            margin = asked.look(values)[1]
        except (check.Refused, ArithmeticError, ValueError, TypeError) as error:
            self._refuse("" if quiet else f"no certificate could be written: {error}")
            return None
        answer = report(certificate)
        if answer["accepted"]:
            return Counterexample(asked, values, certificate, margin)
        self._refuse("" if quiet else str(answer["because"]))
        return None

    def _refuse(self, why: str) -> None:
        if why and why not in self.refused and len(self.refused) < REASONS:
            self.refused.append(why)


def _of_integers(draft: Draft, asked: Question) -> Draft:
    """The certificate says which symbols are integers; of a path the integers are not looked at."""
    whole = [name for name, symbol in asked.statement.symbols.items() if symbol.whole and name in draft.symbols]
    if isinstance(asked, Growth) or not whole:
        return draft
    integers = {f"integer_{name}": (f"integer_part({name}) = {name}", "an integer") for name in whole}
    (words, needs), *rest = draft.derivation
    steps = [(words, [*needs, *integers]), *rest]
    return replace(draft, assumptions={**draft.assumptions, **integers}, derivation=steps)
