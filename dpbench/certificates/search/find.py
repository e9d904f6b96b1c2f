"""`find_counterexample`: search a claim's statement, round and shrink what is found, and hand it to the checker."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpbench.certificates.build import Sentence, rational
from dpbench.certificates.judge_pieces import decidable, pieces
from dpbench.certificates.search.growth import STEPS, Growth
from dpbench.certificates.search.hunt import Hunt, question
from dpbench.certificates.search.optimise import Trace
from dpbench.certificates.search.question import Exact, Question
from dpbench.core import validation
from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import plain
from dpbench.ledger.registry import all_claims
from dpbench.ledger.verify import select

EVALUATIONS = 20_000


@dataclass(frozen=True)
class SearchResult:
    """What a search found, and what it looked at.

    Attributes
    ----------
    claim : str
    found : bool
        Whether the checker accepted a counterexample.
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
    evaluations, admissible : int
        Points looked at, and those that meet the conditions.
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
    grows : str
        Of an asymptotic claim that was not refuted: up to where the ratio was seen to grow, if it was.
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
    seconds: float
    seed: int
    cut: str = ""
    ratio: float = math.nan
    asymptotic: bool = False
    phantoms: int = 0
    grows: str = ""

    def __str__(self) -> str:
        values = ", ".join(f"{name} = {value}" for name, value in self.instance.items())
        what = f"{self.evaluations} points ({self.admissible} admissible), {self.seconds:.1f} s, seed {self.seed}"
        end = {"": "", "seconds": "; the time ran out", "interrupted": "; interrupted"}[self.cut]
        scale = "constant needed" if self.asymptotic else "ratio to the bound"
        if self.found:
            return f"{self.claim}: counterexample, {scale} {self.ratio:.4g} at {values} ({what}{end})"
        near = f"nearest: {scale} {self.ratio:.4g} at {values}" if self.instance else "no admissible point was met"
        region = ", ".join(f"{name} {where}" for name, where in self.region.items())
        lost = f"; not accepted by the checker: {self.refused[0]}" if self.refused else ""
        void = f"; {self.phantoms} phantoms of rounding excluded" if self.phantoms else ""
        grows = f"; {self.grows}" if self.grows else ""
        return f"{self.claim}: nothing found in {what}{end}; {near}{grows}; searched: {region}{void}{lost}"

    def to_dict(self) -> dict[str, Any]:
        """Plain types, strict JSON."""
        kept: dict[str, Any] = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name != "certificate"
        }
        return {**plain(kept), "certificate": self.certificate}


def find_counterexample(
    claim: str | Claim, *, seconds: float = 10.0, seed: int = 0, evaluations: int = EVALUATIONS, worst: bool = False
) -> SearchResult:
    """Search a claim's statement for an instance that breaks it.

    Parameters
    ----------
    claim : str or Claim
        An id of the ledger, or a claim, whose statement is one inequality, one claim of privacy or an order.
    seconds : float
        Processor time after which the search is cut short; shrinking and checking come on top.
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
        For an unknown claim, a claim without a statement to search, or a budget that cannot be used.
    """
    seconds = validation.real("seconds", seconds, above=0.0)
    seed = validation.integer("seed", seed, at_least=0)
    evaluations = validation.integer("evaluations", evaluations, at_least=1)
    one = claim if isinstance(claim, Claim) else _claim(claim)
    asked = question_of(one)
    began = time.process_time()
    hunt = Hunt(asked, Sentence(one.id, one.quote or one.statement, one.source))
    counterexample = hunt.run(evaluations=evaluations, seconds=seconds, seed=seed, worst=worst)
    trace = hunt.trace
    exact = counterexample.values if counterexample is not None else hunt.nearest
    margin, ratio = trace.margin, math.nan
    if exact is not None:
        margin = asked.look(exact)[1]
        ratio = asked.ratio(exact, margin)
    lost = counterexample is None
    return SearchResult(
        one.id, not lost, margin, {} if exact is None else {n: rational(v) for n, v in exact.items()},
        None if counterexample is None else counterexample.certificate, tuple(hunt.refused), asked.region,
        trace.evaluations, trace.admissible, time.process_time() - began, seed, trace.cut, ratio,
        isinstance(asked, Growth), len(hunt.void), _grows(asked, trace, exact) if lost else "",
    )  # fmt: skip


def questions() -> dict[str, Question]:
    """Claim id to what a search asks of it, for every claim that has something to search."""
    return {claim.id: asked for claim in all_claims() if (asked := _asked(claim)) is not None}


def question_of(claim: Claim) -> Question:
    """What a search asks of a claim.

    Raises
    ------
    InvalidInput
        If its statements have nothing to search.
    """
    asked = _asked(claim)
    if asked is None:
        raise validation.invalid("claim", "one with a statement to search (`dpbench hunt --list` names them)", claim.id)
    return asked


def _asked(claim: Claim) -> Question | None:
    """Of the first statement that is an order, or one inequality, and is not shown to hold by its certificate."""
    for one in claim.stated:
        if not (one.cells or one.computed) and decidable(one.claim) and len(parts := pieces(one)) == 1:
            return question(one, parts[0])
    return None


def _grows(asked: Question, trace: Trace, exact: Exact | None) -> str:
    if not isinstance(asked, Growth) or exact is None or trace.margin <= 0.0:
        return ""
    return f"the ratio grows up to t = 2^{int(exact[asked.first]) + STEPS}, and this is not shown for all t"


def _claim(name: Any) -> Claim:
    if not isinstance(name, str):
        raise validation.invalid("claim", "the id of a claim, or a Claim", name)
    chosen = [claim for claim in select([name]) if claim.id == name]
    if len(chosen) != 1:
        raise validation.invalid("claim", "the id of one claim", name)
    return chosen[0]
