"""From what a claim's function gives to a verdict with its evidence: rows, margins, privacy profiles.

A function yields rows, each a dict whose keys are the columns that the evidence keeps:

- inequality, floor, stability: ``left`` and ``right``, of which left ≤ right is claimed; rationals and formulas are
  compared exactly, and a side that is the mean of draws is `Samples` of them (`dpbench.ledger.samples`);
- privacy: ``epsilon`` and ``delta``, claimed, with ``guarantee`` (a profile over all neighbours), ``pair`` (the profile
  of one admissible pair) or ``attack`` (a lower bound on ε at that δ, at the entry's level: of `attack_bounds`, or an
  `AuditResult`);
- rate: a point, see `dpbench.ledger.harness_rates`.

A generator may return notes, or a `summary` that says more. A function may also return `Evidence`, whose `margin` (of a
rate: whose interval beside its reference) decides, or (verdict, `Evidence`) where the verdict follows another rule.

An entry of another package without a level is not given the seed: a number that was drawn is written as `Samples`, an
attack, or evidence with a level.

Two sides nearer to each other than their error decide nothing: the verdict is "undecided" where another row does not
break the claim. Where no row does and a committed certificate shows the inequality on a whole region, it is "proved":
the rows are a second route then. Without a row an entry is "vacuous".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dpbench.bounds import lower as clopper_pearson
from dpbench.core import validation
from dpbench.core.sources import homes, reached_from
from dpbench.ledger.attacks import Bound, bound_of
from dpbench.ledger.grades import PROVING, basis, decided_by_certificate, missing
from dpbench.ledger.measurement import (
    LEVEL,
    Context,
    Evidence,
    Row,
    Table,
    column,
    having,
    inequality_verdict,
    privacy_verdict,
)
from dpbench.ledger.words import ATTACKS, GUARANTEES, PAIRS, ROWS, UNDECIDED, VACUOUS
from dpbench.privacy.profile import Profile, as_float

if TYPE_CHECKING:
    from dpbench.ledger.declaration import Declaration

ROUNDING = 1e-12
"""A margin this near to zero is not decided in floats."""
_MARGIN = "value: the smallest relative margin (right - left)/|right| over the instances tried"


def conclude(claim: Declaration, context: Context) -> tuple[str, Evidence]:
    """Run the claim's function and apply the verdict rule of its kind; the seed and the level are the ledger's.

    Raises
    ------
    RuntimeError
        If the function spends a larger error level than the claim states, or gives nothing a verdict follows from.
    InvalidInput
        If an entry of another package draws without a level, or has one that nothing uses.
    """
    exact = claim.outside and not claim.level
    evidence = claim.run(cast(Context, _Undrawn(claim, context)) if exact else context)
    verdict = None
    if isinstance(evidence, tuple) and len(evidence) == 2 and isinstance(evidence[1], Evidence):
        verdict, evidence = evidence
    elif not isinstance(evidence, Evidence):
        rows, summary = exhaust(evidence)
        if not rows:
            note = "no row: no instance that was looked at meets the hypotheses"
            return VACUOUS, Evidence(math.nan, seed=context.seed, notes=(note,), decided="tried", link="none")
        if claim.kind == "privacy":
            verdict, evidence = profiles(rows, *summary.notes, **summary.fields)
        elif claim.kind == "rate":
            from dpbench.ledger.harness_rates import slope_of

            evidence = slope_of(rows, *summary.notes, **{"level": claim.level} | summary.fields)
        else:
            evidence = _compared(rows, summary, claim.level)
    if evidence.level > claim.level * (1.0 + 1e-9) + 1e-15:  # a level that is 1 - confidence is rounded
        raise RuntimeError(
            f"{claim.id} spends the error level {evidence.level:g}, beyond the {claim.level:g} it states"
        )
    if claim.outside and claim.level and claim.kind != "rate" and not evidence.level:
        raise validation.invalid(f"level of {claim.id}", f"0 where rows are bare numbers: {DRAWN}", claim.level)
    if claim.kind == "rate" and evidence.reference is not None:
        from dpbench.ledger.harness_rates import rated

        verdict, evidence = rated(claim, evidence, verdict)
    verdict = verdict or _verdict(claim, evidence)
    if (certain := decided_by_certificate(claim, verdict)) != verdict:
        verdict, evidence = certain, replace(evidence, decided="", link="")
    if verdict == "not refuted" and (how := missing(claim)):
        evidence = replace(evidence, notes=(*evidence.notes, how))
    return _graded(claim, verdict, replace(evidence, seed=context.seed, level=claim.level))


def _compared(rows: list[Row], summary: Summary, level: float) -> Evidence:
    """Evidence of rows with two sides."""
    from dpbench.ledger import samples

    if not samples.sampled(rows):
        return margins(rows, *summary.notes, **summary.fields)
    validation.real("the level of an entry with Samples", level, above=0.0)
    rows, note, drawn = samples.bounded(rows, level)
    given: dict[str, Any] = {"trials": drawn, "level": level, "decided": "sampled", "link": "none"}
    return margins(rows, *(summary.notes or (_MARGIN,)), note, **given | summary.fields)


DRAWN = "what is drawn goes into a side as Samples, into attack, or into Evidence with a level"


class _Undrawn:
    """The context of an entry that states no level: it draws nothing."""

    def __init__(self, claim: Declaration, context: Context) -> None:
        self._id, self._context = claim.id, context

    @property
    def seed(self) -> int:
        raise validation.invalid(f"level of {self._id}", f"above 0 where the seed is read: {DRAWN}", 0.0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


def _graded(claim: Declaration, verdict: str, evidence: Evidence) -> tuple[str, Evidence]:
    """The verdict and evidence with what they rest on; what rests on somebody's word alone does not say "proved"."""
    rests = basis(claim, verdict, evidence)
    evidence = replace(evidence, decided=rests.decided, link=rests.link)
    if verdict == "proved" and rests.grade not in PROVING:
        return "not refuted", replace(evidence, notes=(*evidence.notes, ASSUMED))
    return verdict, evidence


ASSUMED = (
    "every guarantee lies within the claim, but nothing shows that it holds: say in `proof` where its derivation is "
    "written out"
)


def _verdict(claim: Declaration, evidence: Evidence) -> str:
    if claim.kind not in ("rate", "privacy") and evidence.margin is not None:
        return inequality_verdict(evidence.margin, evidence.undecided)
    raise RuntimeError(f"{claim.id} gives evidence that decides no verdict on a claim of kind {claim.kind}")


@dataclass(frozen=True)
class Summary:
    """What a generator says of its rows as a whole.

    Attributes
    ----------
    notes : tuple of str
    fields : dict
        Of `margins` or `profiles`: value, margin, trials, tables.
    """

    notes: tuple[str, ...]
    fields: dict[str, Any]


def summary(*notes: str, **fields: Any) -> Summary:
    """Notes and further fields of the evidence, for a generator to return: ``return summary(note, value="share")``."""
    return Summary(notes, fields)


def exhaust(rows: Iterable[Row]) -> tuple[list[Row], Summary]:
    """The rows, and what a generator returns at its end."""
    measured: list[Row] = []
    if not isinstance(rows, Generator):
        return list(rows), Summary((), {})
    while True:
        try:
            measured.append(next(rows))
        except StopIteration as end:
            summary = end.value or ()
            if isinstance(summary, Summary):
                return measured, summary
            return measured, Summary((summary,) if isinstance(summary, str) else tuple(summary), {})


def sampled(context: Context, function: Callable[..., Any], *arguments: Any, blocks: int) -> list[Any]:
    """``function(*arguments, seed, block)`` of each block, kept in the store under the function and its arguments."""
    unit = {"what": function.__qualname__}
    return context.map(unit, partial(function, *arguments, context.seed), range(blocks))


def margins(
    rows: Sequence[Row] | Mapping[str, list[Any]],
    *notes: str,
    value: float | str | None = None,
    tables: Mapping[str, Table] | None = None,
    margin: float | None = None,
    sides: tuple[str, str] = ("left", "right"),
    rounding: float = ROUNDING,
    trials: int = 0,
    level: float = 0.0,
    equality: str = "",
    decided: str = "",
    link: str = "",
) -> Evidence:
    """Evidence of left ≤ right.

    Parameters
    ----------
    rows : sequence of dict, or dict of columns
        Without `margin` they get a column ``margin`` from their `sides`.
    notes : str
        The first says what `value` is, and begins with "value".
    value : float or str, optional
        Or the column whose largest entry it is. Default: the smallest margin.
    tables : dict, optional
        Further tables.
    margin : float, optional
        The smallest relative margin, where it does not follow from the two sides.
    sides : (str, str)
        Columns with the left and the right side.
    rounding : float
        Error of a margin: one below 0 by less decides nothing.
    trials : int
    level : float
        Error level that was spent.
    equality : str
        Why two sides that agree but for rounding are equal, where they are: such rows hold then.
    decided, link : str
        See `Evidence`.
    """
    series = dict(rows) if isinstance(rows, Mapping) else column(rows)
    if margin is None:
        differences = [_margin(left, right, rounding) for left, right in zip(*(series[s] for s in sides), strict=True)]
        series |= {side: [as_float(part) for part in series[side]] for side in sides}
        series["margin"] = [one for one, _ in differences]
        margin = float(np.min(series["margin"]))  # not a number where any is not
        near = sum(tie for _, tie in differences)
    else:
        near = int(-rounding < margin < 0.0)
    margin = 0.0 if abs(margin) < rounding else margin
    if equality:
        near, notes = 0, (*notes, f"sides that agree but for rounding are equal: {equality}")
    if not (notes and notes[0].startswith("value")):
        notes = (_MARGIN, *notes)
    if isinstance(value, str):
        value = float(np.max(series[value]))
    return Evidence(
        margin if value is None else value, trials=trials, level=level, tables={ROWS: series, **(tables or {})},
        notes=notes, margin=margin, undecided=near, decided=decided, link=link,
    )  # fmt: skip


def _margin(left: Any, right: Any, rounding: float) -> tuple[float, bool]:
    """(right − left)/|right|, or right − left where right is 0, and whether that is a tie which floats do not decide.

    Rationals and formulas decide theirs, but for those that ball arithmetic cannot tell from 0.
    """
    if not any(isinstance(side, (str, Fraction)) for side in (left, right)):
        margin = float((right - left) / (abs(right) or 1.0))
        return margin, -rounding < margin < 0.0
    from dpbench.privacy.exact_law import quantity

    difference = quantity("right - left", "right - left", {"left": left, "right": right})
    sign = difference.sign()
    margin = float(difference) / (abs(as_float(right)) or 1.0)
    return (0.0 if sign in (0, None) else float(np.copysign(max(abs(margin), rounding), margin))), sign is None


def missed(values: np.ndarray, bounds: Any, beta: float, cases: int, **columns: Any) -> Row:
    """The row of a bound that may fail with probability `beta`: independent trials `found` against `bounds`.

    ``left`` is the lower confidence bound on the frequency of found > bounds, at the share of one of `cases` rows in
    `LEVEL`, and ``right`` is β; ``runs``, ``hits`` and ``allowed`` are what a certificate is made of (no runs: a row
    that is exact).
    """
    hits = int((values > bounds).sum())
    low = float(clopper_pearson(hits, values.size, LEVEL / cases))
    counts = {"runs": values.size, "hits": hits, "allowed": beta}
    return columns | {"frequency": hits / values.size, "left": low, "right": beta} | counts


GROWTH = 3.0
"""A bound without its constant is refuted where every step of a table multiplies the constant it needs by this."""


def growing(rows: Sequence[Row], *notes: str) -> Evidence:
    """Evidence against "there is a constant": the ``constant`` that each row needs, along the first column.

    The margin is that of the step which grows least: below 0 where every row needs more than `GROWTH` times the
    constant of the row before. The value is the exponent of that growth along the first column.
    """
    needed = np.array([row["constant"] for row in rows])
    axis = np.array([float(next(iter(row.values()))) for row in rows])
    growth = float(np.polyfit(np.abs(np.log(axis / axis[0])), np.log(needed), 1)[0])
    margin = float(max(1.0 - needed[1:] / (GROWTH * needed[:-1])))
    return margins(rows, *notes, value=growth, margin=margin, decided="tried", link="derivation")


def vanishing(rows: Sequence[Row], *notes: str) -> Evidence:
    """Evidence against "there is a constant": the ``ratio`` of what is attained to what is claimed, row after row.

    Below 0, and refuted, where every row has less than half of the ratio before. The value is the last ratio.
    """
    ratios = [row["ratio"] for row in rows]
    margin = max(2.0 * after / before - 1.0 for before, after in pairwise(ratios))
    return margins(rows, *notes, value=ratios[-1], margin=margin, decided="tried", link="derivation")


def profiles(
    rows: Iterable[Row],
    *notes: str,
    value: float | str | None = None,
    trials: int = 0,
    tables: Mapping[str, Table] | None = None,
    broken: bool = False,
) -> tuple[str, Evidence]:
    """Verdict and evidence of "(ε, δ)-DP at each (ε, δ) listed".

    Parameters
    ----------
    rows : iterable of dict
        As the module says: an exact profile proves only where the row says that it is a ``guarantee``.
    notes : str
        The first says what `value` is, and begins with "value".
    value : float or str, optional
        Or the column whose largest entry it is. Default: the largest true δ of a pair over the claimed one; without
        pairs, that of the guarantees.
    trials : int
    tables : dict, optional
        Further tables.
    broken : bool
        Whether something else that was tried lies beyond the claim: "refuted".

    Returns
    -------
    verdict, evidence
        "refuted" if a pair or an attack lies beyond its (ε, δ), "proved" if there are guarantees and all lie within,
        else "not refuted".

    Raises
    ------
    InvalidInput
        For a row without an ε > 0, a δ in [0, 1), or something to hold against them.
    """
    listed: dict[str, list[Row]] = {GUARANTEES: [], PAIRS: [], ATTACKS: []}
    judged: dict[str, list[tuple[tuple[Any, Any], Any]]] = {GUARANTEES: [], PAIRS: []}
    attacks: list[tuple[Bound, float]] = []  # each with the claimed epsilon
    for row in rows:
        if not {"epsilon", "delta"} <= row.keys():
            raise validation.invalid("a row of a privacy claim", "with the epsilon and delta that are claimed", row)
        target = row["epsilon"], row["delta"]
        epsilon, delta = validation.epsilon(as_float(target[0])), validation.delta(as_float(target[1]))
        kind = next((name for name in ("attack", "pair") if name in row), "guarantee")
        if kind == "attack":
            bound = bound_of(row["attack"], delta)
            attacks.append((bound, epsilon))
            reached = {"attack_epsilon_lower": float(bound), **bound.counts}
        elif isinstance(row.get(kind), Profile):
            judged[f"{kind}s"].append((target, row[kind]))
            reached = {"true_delta" if kind == "pair" else "guaranteed_delta": row[kind].delta(epsilon)}
        else:
            raise validation.invalid(
                "a row of a privacy claim", "with a Profile as guarantee or pair, or an attack", row
            )
        kept = {k: v for k, v in row.items() if k not in ("epsilon", "delta", "guarantee", "pair", "attack")}
        listed[f"{kind}s"].append(kept | {"target_epsilon": epsilon, "target_delta": delta} | reached)
    pairs, guarantees = judged[PAIRS], judged[GUARANTEES]
    columns = {name: column(part) for name, part in listed.items() if part} | dict(tables or {})
    verdict, decided, undecided = _private(pairs, guarantees)
    if verdict == "proved":
        wrong = [_second(profile, *map(as_float, target)) for target, profile in guarantees]
        if any(wrong):
            verdict = "not refuted"
            notes = (*notes, f"not proved, at {sum(map(bool, wrong))} rows: {next(filter(None, wrong))}")
        else:
            notes = (*notes, SECOND)
    link = ""
    if broken and verdict != "refuted":
        verdict, decided = "refuted", "exact"
    if verdict != "refuted" and any(bound > epsilon for bound, epsilon in attacks):
        verdict, decided, link = "refuted", "sampled", "none"
    elif verdict == "not refuted" and attacks and not guarantees:
        decided, link = "sampled", "none"
    headline = float(max(having(columns, value)[value])) if isinstance(value, str) else value
    if headline is None:
        ratios = [_ratio(profile, *map(as_float, target)) for target, profile in pairs or guarantees]
        ratios = ratios or [bound / epsilon for bound, epsilon in attacks]
        what = "true delta of a pair" if pairs else "guaranteed delta" if guarantees else "lower bound on epsilon"
        headline, notes = max(ratios, default=0.0), (f"value: the largest ratio of a {what} to the claimed one", *notes)
    if undecided:
        notes = (*notes, f"{undecided} rows are nearer to the claimed delta than the error of the computation")
    return verdict, Evidence(
        headline, level=sum(bound.level for bound, _ in attacks), trials=trials, tables=columns, notes=notes,
        decided=decided, link=link, undecided=undecided,
    )  # fmt: skip


Judged = tuple[tuple[Any, Any], Profile]


def _private(pairs: Sequence[Judged], guarantees: Sequence[Judged]) -> tuple[str, str, int]:
    """Verdict of the profiles, how it was decided, and the rows that are undecided."""
    near = sum(profile.place(*target) == UNDECIDED for target, profile in (*pairs, *guarantees))
    verdict = privacy_verdict([t for t, _ in pairs], pairs=[p for _, p in pairs])
    if verdict == "refuted":
        return verdict, "exact", near
    if guarantees:
        held = privacy_verdict([t for t, _ in guarantees], guarantees=[g for _, g in guarantees])
        verdict = held if held == "proved" or verdict != UNDECIDED else verdict
    return verdict, "tried" if verdict == "not refuted" else "exact", near


SECOND = "every delta agrees with a second computation in ball arithmetic, from shift and noise alone"


def _second(profile: Profile, epsilon: float, delta: float) -> str:
    """What a second route to δ, which nothing of the guarantee imports, finds wrong with it."""
    from dpbench.ledger import second_route

    second = second_route.__name__
    if second in reached_from(
        homes(profile.delta_of), lambda name: name.startswith("dpbench.ledger.") and name != second
    ):
        return "the two routes to delta meet"
    return second_route.differs(profile.law, epsilon, delta, profile.delta(epsilon))


def _ratio(profile: Profile, epsilon: float, delta: float) -> float:
    return profile.delta(epsilon) / delta if delta else profile.epsilon(0.0) / epsilon
