"""`find_counterexample`: search a claim's space, round and shrink what is found, and hand it to the checker."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpbench.certificates.build import rational
from dpbench.certificates.search.accept import certificate, checker, report
from dpbench.certificates.search.audited import Audited
from dpbench.certificates.search.balls import VOID, balls_of
from dpbench.certificates.search.growth import STEPS, Growth
from dpbench.certificates.search.known import question_of
from dpbench.certificates.search.optimise import Trace, climb
from dpbench.certificates.search.question import Question
from dpbench.certificates.search.shrink import KEEP, rounded, shrunk
from dpbench.certificates.search.space import Integer, Real
from dpbench.core import validation
from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import LEVEL, plain
from dpbench.ledger.verify import select

EVALUATIONS = 20_000
THRESHOLD = 2e-3
"""A margin above it ends the search; the best point goes to the checker however small its margin is."""
NEAR, EDGE = 0.02, 0.002
"""Shares of a parameter's range: what is void around a phantom that balls cannot look at; the edge of the region."""


@dataclass(frozen=True)
class SearchResult:
    """What a search found, and what it looked at.

    Attributes
    ----------
    claim : str
    found : bool
        Whether the checker accepted a counterexample; of a mechanism, whether a fresh audit refuted the claim.
    margin : float
        log(left/right), for an asymptotic claim the least power of growth or less (`growth`), at `instance` or, without
        one, the largest that was met at an admissible point; -inf where none was met.
    instance : dict of str to str
        Exact values: of the shrunk counterexample, else of the nearest point.
    certificate : dict or None
        Accepted by the checker.
    refused : tuple of str
        What the checker said of candidates that it did not accept: these are not counted.
    region : dict of str to str
        What was searched.
    evaluations, admissible, first : int
        Points looked at, those that meet the conditions, and the number at the first violation (0: none).
    seconds : float
        Processor time of it all.
    cut : str
        "seconds" or "interrupted" where the budget of evaluations was not used up for that reason.
    ratio : float
        To the bound, at `instance`; of an asymptotic claim the constant that would be needed at the end of the path.
    asymptotic : bool
    phantoms : int
        Violations in floating point that the checker refused: their neighbours were looked at in ball arithmetic, and
        the search went on.
    edge : tuple of str
        Parameters at an end of their range at the nearest point: widen the region there.
    grows : str
        Of an asymptotic claim that was not refuted: up to where the ratio was seen to grow, if it was.
    audit : dict or None
        Of a mechanism: the final audit, on runs that the search has not seen.
    """

    claim: str
    found: bool
    margin: float
    instance: Mapping[str, str]
    certificate: Mapping[str, Any] | None
    refused: tuple[str, ...]
    region: Mapping[str, str]
    evaluations: int
    admissible: int
    first: int
    seconds: float
    seed: int
    cut: str = ""
    ratio: float = math.nan
    asymptotic: bool = False
    phantoms: int = 0
    edge: tuple[str, ...] = ()
    grows: str = ""
    audit: Mapping[str, Any] | None = field(default=None, repr=False)

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in self.instance.items())
        what = f"{self.evaluations} points ({self.admissible} admissible), {self.seconds:.1f} s, seed {self.seed}"
        end = {"": "", "seconds": "; the time ran out", "interrupted": "; interrupted"}[self.cut]
        if self.audit is not None:
            said = f"audit: {self.audit.get('verdict')}, epsilon_lower {self.audit.get('epsilon_lower'):.4g}"
            return f"{self.claim}: {'counterexample, ' if self.found else 'nothing found; '}{said} ({what})"
        scale = "constant needed" if self.asymptotic else "ratio to the bound"
        if self.found:
            return f"{self.claim}: counterexample, {scale} {self.ratio:.4g} at {values} ({what}{end})"
        near = f"nearest: {scale} {self.ratio:.4g} at {values}" if self.instance else "no admissible point was met"
        region = ", ".join(f"{name} {where}" for name, where in self.region.items())
        lost = f"; not accepted by the checker: {self.refused[0]}" if self.refused else ""
        void = f"; {self.phantoms} phantoms of rounding excluded" if self.phantoms else ""
        edge = f"; largest at the edge of {', '.join(self.edge)}: widen" if self.edge else ""
        grows = f"; {self.grows}" if self.grows else ""
        return f"{self.claim}: nothing found in {what}{end}; {near}{edge}{grows}; searched: {region}{void}{lost}"

    def to_dict(self) -> dict[str, Any]:
        """Plain types, strict JSON."""
        names = [n for n in self.__dataclass_fields__ if n not in ("certificate", "audit")]
        kept: dict[str, Any] = {n: getattr(self, n) for n in names}
        return {**plain(kept), "certificate": self.certificate, "audit": plain(self.audit)}


def find_counterexample(
    claim: str | Claim, *, seconds: float = 10.0, seed: int = 0, evaluations: int = EVALUATIONS, worst: bool = False
) -> SearchResult:
    """Search a claim's space for an instance that breaks it.

    Parameters
    ----------
    claim : str or Claim
        An id of the ledger, or a claim with ``space=``.
    seconds : float
        Processor time (of a mechanism, wall time) after which the search is cut short; shrinking and checking come
        on top.
    seed : int
    evaluations : int
        Points of the search. Where `seconds` does not cut it short, the result is the same bit for bit for one seed
        and one set of versions.
    worst : bool
        Go on after the first violation, for the largest ratio to the bound.

    Returns
    -------
    SearchResult
        Found only if the checker accepted the certificate. "Nothing found" says what was searched, and no more. After
        Ctrl-C it is of the best point so far.

    Raises
    ------
    InvalidInput
        For an unknown claim, a claim without a space, or a budget that cannot be used.
    MissingExtra
        Where the checker is not installed.
    """
    seconds = validation.real("seconds", seconds, above=0.0)
    seed = validation.integer("seed", seed, at_least=0)
    evaluations = validation.integer("evaluations", evaluations, at_least=1)
    one = claim if isinstance(claim, Claim) else _claim(claim)
    question = question_of(one)
    if isinstance(question, Audited):
        return _audited(one, question, seconds, seed)
    if not isinstance(question, Question):
        raise validation.invalid("space", "a question of dpbench.certificates.search", question)
    checker()
    began = time.process_time()
    hunt = _Hunt(one, question, worst)
    trace, exact, made, refused = hunt.run(evaluations, seconds, seed)
    margin, ratio = trace.margin, math.nan
    if exact is None and trace.best is not None:
        exact = _short(question, trace)
    if exact is not None:
        whole = dict(exact)
        margin = question.look(question.values(whole))[1]
        ratio = question.ratio(whole, margin)
    return SearchResult(
        one.id, made is not None, margin, {} if exact is None else {n: rational(v) for n, v in exact.items()}, made,
        refused, question.space.region, trace.evaluations, trace.admissible, trace.first,
        time.process_time() - began, seed, trace.cut, ratio, question.kind == "growth", hunt.phantoms,
        () if made is not None else _edge(question, trace), "" if made is not None else _grows(question, trace, exact),
    )  # fmt: skip


Found = tuple[dict[str, Fraction] | None, dict[str, Any] | None, tuple[str, ...]]


class _Hunt:
    """Rounds of the search: a point that the checker refuses is void, and the rest of the budget is spent elsewhere."""

    def __init__(self, claim: Claim, question: Question, worst: bool) -> None:
        self.claim, self.question, self.worst = claim, question, worst
        self.balls, self.phantoms = balls_of(question), 0
        self.void: list[Any] = []

    def look(self, units: Any) -> tuple[float, float]:
        """(how far the conditions are missed, margin); in balls where floats violate, once a phantom was met."""
        space = self.question.space
        try:
            point = space.point(units)
            found = self.question.look(point)
            if self.void and found[0] == 0.0 and found[1] > 0.0:
                if self.balls is not None:
                    return self.balls.look({n: Fraction(point[n]) for n in space.parameters})
                if any(float(abs(units - other).max()) < NEAR for other in self.void):
                    return VOID
            return found
        except (ArithmeticError, ValueError):
            return VOID

    def run(self, evaluations: int, seconds: float, seed: int) -> tuple[Trace, *Found]:
        """The last round's trace with the counts of all of them, and what was accepted."""
        deadline, left, rounds, best = time.process_time() + seconds, evaluations, 0, Trace()
        refused: tuple[str, ...] = ()
        while True:
            trace = climb(
                self.look, len(self.question.space.parameters), evaluations=left,
                seconds=max(deadline - time.process_time(), 1e-3), seed=seed + 1_000_003 * rounds,
                threshold=THRESHOLD, worst=self.worst,
            )  # fmt: skip
            left -= trace.evaluations
            trace.first += best.evaluations if trace.first else 0
            trace.evaluations += best.evaluations
            trace.admissible += best.admissible
            rounds, best = rounds + 1, trace
            try:
                exact, made, why = self.accepted(trace)
            except KeyboardInterrupt:
                trace.cut, exact, made, why = "interrupted", None, None, ()
            refused = tuple(dict.fromkeys((*refused, *why)))
            violated = trace.margin > 0.0 and made is None
            if violated:
                self.phantoms += len([1 for margin, _ in trace.good if margin > 0.0])
                self.void += [units for margin, units in trace.good if margin > 0.0]
            if not violated or trace.cut or left <= 0:
                return trace, exact, made, refused

    def accepted(self, trace: Trace) -> Found:
        """The simplest instance whose certificate the checker accepts, from the best points of the search."""
        refused: list[str] = []
        space = self.question.space
        for rank, (margin, units) in enumerate(trace.good):
            if margin <= 0.0 and rank:
                break
            point = space.point(units)
            keep = 0.999 * margin if self.worst else min(KEEP, margin / 2.0)
            whole = {name: Fraction(point[name]) for name in space.parameters}
            tried = [whole] if space.allows(whole) else []
            if margin > 0.0 and (first := rounded(self.question, point, keep)) is not None:
                tried = [shrunk(self.question, first, keep), first, *tried]
            elif margin > 0.0:
                refused.append("the violation does not survive the rounding to rationals")
            for values in tried:
                try:
                    made = certificate(self.claim, self.question, dict(values), self.balls)
                except (ArithmeticError, ValueError, TypeError) as error:
                    refused.append(f"no certificate could be written: {error}")
                    continue
                said = report(made)
                if said["accepted"]:
                    return values, made, tuple(refused)
                if margin > 0.0:
                    refused.append(str(said["because"]))
        return None, None, tuple(dict.fromkeys(refused))


def _edge(question: Question, trace: Trace) -> tuple[str, ...]:
    """Parameters whose value at the nearest point is at an end of a range of reals or integers."""
    if trace.best is None:
        return ()
    ends = zip(question.space.parameters.items(), trace.best, strict=True)
    return tuple(
        name for (name, parameter), unit in ends
        if isinstance(parameter, (Real, Integer)) and not EDGE < float(unit) < 1.0 - EDGE
    )  # fmt: skip


def _grows(question: Question, trace: Trace, exact: Mapping[str, Fraction] | None) -> str:
    if not isinstance(question, Growth) or exact is None or trace.margin <= 0.0:
        return ""
    return f"the ratio grows up to t = 2^{int(exact['first']) + STEPS}, and this is not shown for all t"


def _claim(name: Any) -> Claim:
    if not isinstance(name, str):
        raise validation.invalid("claim", "the id of a claim, or a Claim", name)
    chosen = [claim for claim in select([name]) if claim.id == name]
    if len(chosen) != 1:
        raise validation.invalid("claim", "the id of one claim", name)
    return chosen[0]


def _short(question: Question, trace: Trace) -> dict[str, Fraction]:
    """The nearest point with few digits, where these keep its margin to a thousandth; else with all of them."""
    assert trace.best is not None
    point = question.space.point(trace.best)
    made = rounded(question, point, trace.margin - max(1e-3 * abs(trace.margin), 1e-9))
    return made or {name: Fraction(point[name]) for name in question.space.parameters}


def _audited(claim: Claim, question: Audited, seconds: float, seed: int) -> SearchResult:
    began = time.process_time()
    result = question.search(seconds=seconds, seed=seed, level=claim.level or LEVEL)
    margin = result.epsilon_lower - question.epsilon
    region = {"pairs of neighbours": str(question.domain)}
    return SearchResult(
        claim.id, result.verdict == "refuted", margin, {}, None, (), region, 0, 0, 0, time.process_time() - began, seed,
        audit=result.to_dict(),
    )  # fmt: skip
