"""From what a claim's function gives to a verdict with its evidence: rows, margins, privacy profiles.

A function yields rows, each a dict whose keys are the columns that the evidence keeps:

- inequality, floor, stability: ``left`` and ``right``, of which left ≤ right is claimed;
- privacy: ``epsilon`` and ``delta``, claimed, with ``guarantee`` (a profile over all neighbours), ``pair`` (the profile
  of one admissible pair) or ``attack`` (a lower bound on ε at that δ, at the entry's level);
- rate: a point, see `dpbench.ledger.harness_rates`.

A generator may return notes, or a `summary` that says more. A function may also return `Evidence`, whose `margin` (of a
rate: whose interval beside its reference) decides, or (verdict, `Evidence`) where the verdict follows another rule.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbench.auditing import intervals
from dpbench.ledger.core import LEVEL, Context, Evidence, inequality_verdict, privacy_verdict, rate_verdict
from dpbench.privacy.profile import Profile

if TYPE_CHECKING:
    from dpbench.ledger.core import Claim

Row = dict[str, Any]
Rows = Generator[Row, None, Any]
"""What the function of a claim yields; the value it returns, if any, is its notes or a `Summary`."""
ROUNDING = 1e-12
"""A margin this near to zero is equality."""
_MARGIN = "value: the smallest relative margin (right - left)/|right| over the instances tried"


def conclude(claim: Claim, context: Context) -> tuple[str, Evidence]:
    """Run the claim's function and apply the verdict rule of its kind; the seed and the level are the ledger's.

    Raises
    ------
    RuntimeError
        If the function spends a larger error level than the claim states, or gives nothing a verdict follows from.
    """
    found = claim.run(context)
    verdict = None
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], Evidence):
        verdict, found = found
    elif not isinstance(found, Evidence):
        rows, told = exhaust(found)
        if not rows:
            raise RuntimeError(f"{claim.id} yields no row, so that nothing was tried")
        if claim.kind == "privacy":
            verdict, found = profiles(rows, *told.notes, **told.fields)
        elif claim.kind == "rate":
            from dpbench.ledger.harness_rates import slope_of

            found = slope_of(rows, *told.notes, **{"level": claim.level} | told.fields)
        else:
            found = margins(rows, *told.notes, **told.fields)
    if found.level > claim.level:
        raise RuntimeError(f"{claim.id} spends the error level {found.level:g}, beyond the {claim.level:g} it states")
    notes = found.notes
    if claim.exponent is not None:
        notes = (f"{notes[0]}; bare exponent {claim.exponent:+.4f}", *notes[1:])
    return verdict or _verdict(claim, found), replace(found, seed=context.seed, level=claim.level, notes=notes)


def _verdict(claim: Claim, evidence: Evidence) -> str:
    if claim.kind == "rate" and evidence.reference is not None:
        interval = evidence.interval or (evidence.value, evidence.value)
        return rate_verdict(interval, evidence.reference, claim.side, claim.tolerance)
    if claim.kind not in ("rate", "privacy") and evidence.margin is not None:
        return inequality_verdict(evidence.margin)
    raise RuntimeError(f"{claim.id} gives evidence that decides no verdict on a claim of kind {claim.kind}")


@dataclass(frozen=True)
class Summary:
    """What a generator says of its rows as a whole.

    Attributes
    ----------
    notes : tuple of str
    fields : dict
        Of `margins` or `profiles`: value, margin, trials, series.
    """

    notes: tuple[str, ...]
    fields: dict[str, Any]


def summary(*notes: str, **fields: Any) -> Summary:
    """Notes and further fields of the evidence, to be returned by a generator: ``return summary(note, value="share")``.
    """
    return Summary(notes, fields)


def exhaust(rows: Iterable[Row]) -> tuple[list[Row], Summary]:
    """The rows, and what a generator returns at its end."""
    made: list[Row] = []
    if not isinstance(rows, Generator):
        return list(rows), Summary((), {})
    while True:
        try:
            made.append(next(rows))
        except StopIteration as end:
            told = end.value or ()
            if isinstance(told, Summary):
                return made, told
            return made, Summary((told,) if isinstance(told, str) else tuple(told), {})


def sampled(context: Context, function: Callable[..., Any], *arguments: Any, blocks: int) -> list[Any]:
    """``function(*arguments, seed, block)`` of each block, kept in the store under the function and its arguments."""
    unit = {"what": function.__qualname__}
    return context.map(unit, partial(function, *arguments, context.seed), range(blocks))


def column(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Rows turned into named columns, as `Evidence.series` wants them."""
    return {name: [row[name] for row in rows] for name in rows[0]}


def margins(
    rows: Sequence[Row] | Mapping[str, list[Any]],
    *notes: str,
    value: float | str | None = None,
    margin: float | None = None,
    sides: tuple[str, str] = ("left", "right"),
    rounding: float = ROUNDING,
    trials: int = 0,
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
    margin : float, optional
        The smallest relative margin, where it does not follow from the two sides.
    sides : (str, str)
        Columns with the left and the right side.
    rounding : float
        A margin this near to zero is equality.
    trials : int
    """
    series = dict(rows) if isinstance(rows, Mapping) else column(rows)
    if margin is None:
        pairs = zip(*(series[side] for side in sides), strict=True)
        series["margin"] = [(right - left) / abs(right) for left, right in pairs]
        margin = float(np.min(series["margin"]))  # not a number where any is not
    margin = 0.0 if abs(margin) < rounding else margin
    if not (notes and notes[0].startswith("value")):
        notes = (_MARGIN, *notes)
    if isinstance(value, str):
        value = float(np.max(series[value]))
    return Evidence(margin if value is None else value, trials=trials, series=series, notes=notes, margin=margin)


def missed(found: np.ndarray, bounds: Any, beta: float, cases: int, **columns: Any) -> Row:
    """The row of a bound that may fail with probability `beta`: independent trials `found` against `bounds`.

    ``left`` is the lower confidence bound on the frequency of found > bounds, at the share of one of `cases` rows in
    `LEVEL`, and ``right`` is β; ``runs``, ``hits`` and ``allowed`` are what a certificate is made of (no runs: a row
    that is exact).
    """
    hits = int((found > bounds).sum())
    low = float(intervals.lower(hits, found.size, LEVEL / cases))
    counts = {"runs": found.size, "hits": hits, "allowed": beta}
    return columns | {"frequency": hits / found.size, "left": low, "right": beta} | counts


GROWTH = 3.0
"""A bound without its constant is refuted where every step of a table multiplies the constant it needs by this."""


def growing(rows: Sequence[Row], *notes: str, trials: int = 0) -> Evidence:
    """Evidence against "there is a constant": the ``constant`` that each row needs, along the first column.

    The margin is that of the step which grows least: below 0 where every row needs more than `GROWTH` times the
    constant of the row before. The value is the exponent of that growth along the first column.
    """
    needed = np.array([row["constant"] for row in rows])
    axis = np.array([float(next(iter(row.values()))) for row in rows])
    growth = float(np.polyfit(np.abs(np.log(axis / axis[0])), np.log(needed), 1)[0])
    margin = float(max(1.0 - needed[1:] / (GROWTH * needed[:-1])))
    return margins(rows, *notes, value=growth, margin=margin, trials=trials)


def vanishing(rows: Sequence[Row], *notes: str) -> Evidence:
    """Evidence against "there is a constant": the ``ratio`` of what is attained to what is claimed, row after row.

    Below 0, and refuted, where every row has less than half of the ratio before. The value is the last ratio.
    """
    ratios = [row["ratio"] for row in rows]
    margin = max(2.0 * after / before - 1.0 for before, after in pairwise(ratios))
    return margins(rows, *notes, value=ratios[-1], margin=margin)


def profiles(
    rows: Iterable[Row | tuple[float, float, Profile]], *notes: str, value: float | str | None = None, trials: int = 0,
    series: dict[str, list[Any]] | None = None, broken: bool = False,
) -> tuple[str, Evidence]:  # fmt: skip
    """Verdict and evidence of "(ε, δ)-DP at each (ε, δ) listed".

    Parameters
    ----------
    rows : iterable of dict
        As the module says. A bare tuple (ε, δ, profile) is a guarantee if the profile is an upper bound, else the
        profile of a pair: an exact profile proves only where the row says that it is a ``guarantee``.
    notes : str
        The first says what `value` is, and begins with "value".
    value : float or str, optional
        Or the column whose largest entry it is. Default: the largest true δ of a pair over the claimed one; without
        pairs, that of the guarantees.
    trials : int
    series : dict, optional
        Further columns.
    broken : bool
        Whether something else that was tried lies beyond the claim: "refuted".

    Returns
    -------
    verdict, evidence
        "refuted" if a pair or an attack lies beyond its (ε, δ), "proved" if there are guarantees and all lie within,
        else "not refuted".
    """
    named = [row if isinstance(row, dict) else _named(*row) for row in rows]
    table: list[Row] = []
    pairs: list[tuple[tuple[float, float], Profile]] = []
    guarantees: list[tuple[tuple[float, float], Profile]] = []
    attacks: list[tuple[tuple[float, float], float]] = []
    for row in named:
        target = row["epsilon"], row["delta"]
        kept = {k: v for k, v in row.items() if k not in ("epsilon", "delta", "guarantee", "pair", "attack")}
        if "attack" in row:
            attacks.append((target, row["attack"]))
            continue
        kind = "pair" if "pair" in row else "guarantee"
        profile = row[kind]
        (pairs if kind == "pair" else guarantees).append((target, profile))
        reached = "true_delta" if kind == "pair" else "guaranteed_delta"
        kept |= {"target_epsilon": target[0], "target_delta": target[1], reached: profile.delta(target[0])}
        table.append(kept)
    verdict = privacy_verdict([t for t, _ in pairs], pairs=[p for _, p in pairs])
    if verdict != "refuted":
        verdict = privacy_verdict([t for t, _ in guarantees], guarantees=[g for _, g in guarantees])
    if broken:
        verdict = "refuted"
    if any(bound > epsilon for (epsilon, _), bound in attacks):
        verdict = "refuted"
    columns = {name: [row[name] for row in table if name in row] for row in table for name in row}
    if attacks:
        columns["attack_epsilon_lower"] = [bound for _, bound in attacks]
    headline = float(max(columns[value])) if isinstance(value, str) else value
    if headline is None:
        ratios = [
            profile.delta(epsilon) / delta if delta else profile.epsilon(0.0) / epsilon
            for (epsilon, delta), profile in pairs or guarantees
        ]
        headline = max(ratios, default=max((bound / epsilon for (epsilon, _), bound in attacks), default=0.0))
        what = "true delta of a pair" if pairs else "guaranteed delta" if guarantees else "lower bound on epsilon"
        notes = (f"value: the largest ratio of a {what} to the claimed one", *notes)
    return verdict, Evidence(headline, trials=trials, series=columns | (series or {}), notes=notes)


def _named(epsilon: float, delta: float, profile: Profile) -> Row:
    return {"epsilon": epsilon, "delta": delta, "guarantee" if profile.kind == "upper" else "pair": profile}
