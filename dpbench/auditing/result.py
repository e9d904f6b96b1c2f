"""What an audit returns, `AuditResult`, with its event in words, and as a program to hand over as a report.

The program draws the certifying runs of both data sets again, by the seeds of the audit, counts the event, computes the
exact region for its two probabilities and the bound on ε. It asks for NumPy and SciPy, and for what the sampler asks
for; for dpbench where the claim is not (ε, δ), and where the event is not on numbers as they are.
"""

from __future__ import annotations

import base64
import math
import sys
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from dpbench.auditing.certify import Approximate, Certified, Claim, parameter, upper_bound
from dpbench.auditing.choose import Additive, Event, Own, Plain, Score, Trees, Values, identity
from dpbench.auditing.independence import Check
from dpbench.auditing.outputs import Layout
from dpbench.bounds import ANGLES, CAP_SHARE, FLOOR, Region, critical_value
from dpbench.core import validation
from dpbench.core.validation import invalid


@dataclass(frozen=True)
class Origin:
    """Where an event comes from: what was sampled (not where arrays were audited), in which part and in blocks of how
    many runs; and the claim that the event is compared with, if there is one."""

    runs: Any
    layout: Layout | None
    part: str = ""
    block: int = 0
    event: Event | None = None
    claim: Claim | None = None


@dataclass(frozen=True)
class AuditResult:
    """What an audit found.

    Attributes
    ----------
    epsilon_lower : float
        Lower bound on the ε at `delta`, at least 0, at the stated confidence, with no assumption on the
        outputs.
    epsilon : float or None
        The claim.
    delta, confidence : float
    trials : int
        Runs a side, choosing and certifying together.
    event : str
        The event behind `bound`, in words, with its frequencies: that of `epsilon_lower`, or of a whole claim the event
        that exceeds it most (`epsilon_lower` is then over all events certified).
    verdict : {"refuted", "blind", "not refuted"} or None
        "refuted" iff the bound exceeds the claim; "blind" if most certifying runs have, in some leaf of their outputs
        of which only equality is compared, a value not seen before (`blind` says which and what to do); None without a
        claim.
    certified : Certified or None
        The counts of `event`. None in one-run mode, whose bound is of another kind.
    family : tuple of Certified or of Guessed
        All events that were certified, or in one-run mode all guess sets, at levels that sum to at most
        1 − confidence: `epsilon_lower` and `curve` hold together at that confidence.
    seed : int
    pair : tuple or None
        The pair of data sets that a search found.
    assumptions : tuple of str
        What the bounds rest on beyond independent runs: empty for `audit`, the coins and more in one-run mode.
    checks : tuple of Check
        What was tested of the runs' independence, each kind with its p-value (see `dependence`); runs that fail are
        refused.
    claim : str
        The claim in words, where it is not `epsilon` at `delta`.
    relation : {"replace", "add", "remove", "add_remove"} or None
        Of the two data sets, as it was given.
    detectable : float or None
        The smallest loss, in the claim's unit, at which this event would have refuted the claim with probability one
        half: its frequency on the side where it is rarer as observed, the other as that loss has it. None: no loss.
    bound, unit : float, str
        The lower bound in the unit of the claim: "epsilon", "mu", "rho", "Renyi divergence at order 8", ...
    blind : str
        Which leaves most runs give unseen values of, and what to do about it.
    ignored : tuple of str
        Leaves that were left out.
    origin : Origin or None
        The claim itself, and what `script` is made from; not compared, shown or stored.
    """

    epsilon_lower: float
    epsilon: float | None
    delta: float
    confidence: float
    trials: int
    event: str
    verdict: str | None
    certified: Certified | None
    family: tuple[Any, ...]
    seed: int
    pair: tuple[Any, Any] | None = None
    assumptions: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    claim: str = ""
    relation: str | None = None
    detectable: float | None = None
    bound: float | None = None
    unit: str = "epsilon"
    blind: str = ""
    ignored: tuple[str, ...] = ()
    origin: Origin | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        # What a result says holds together at its confidence if the levels of all its certificates sum to at most
        # 1 - confidence (the union bound); this is the one place that looks, however a result was made.
        spent = math.fsum(c.alpha for c in self.family)
        if spent > (1.0 - self.confidence) * (1.0 + 1e-9):
            raise RuntimeError(f"levels of an audit sum to {spent:g}, beyond 1 - {self.confidence:g}")

    def curve(self, epsilons: Any) -> np.ndarray:
        """Lower bounds on δ(ε), valid simultaneously for all ε ≥ 0 at the audit's confidence.

        Parameters
        ----------
        epsilons : float64[m]
            Values of ε ≥ 0, in any order.

        Returns
        -------
        float64[m]
            At least 0.
        """
        wanted = validation.array("epsilons", np.atleast_1d(epsilons), ndim=1)
        if (wanted < 0.0).any():
            raise invalid("epsilons", "values >= 0", float(wanted.min()))
        deltas = np.zeros_like(wanted)
        for certified in self.family:
            deltas = np.maximum(deltas, certified.delta(wanted))
        return deltas

    def tradeoff(self, false_positive_rates: Any) -> np.ndarray:
        """Upper bounds on the trade-off function f, valid simultaneously, at the audit's confidence.

        The claim "f-DP", of both directions and a convex f, is refuted where f is above the bound anywhere. Between
        events the bound is their chord, of the two directions together: no single attack need attain it there.

        Parameters
        ----------
        false_positive_rates : float64[m]
            In [0, 1].

        Returns
        -------
        float64[m]
            False-negative rates.

        Raises
        ------
        InvalidInput
            Of a one-run audit too: guesses bound δ(ε), and no single attack's two error rates.
        """
        rates = validation.array("false_positive_rates", np.atleast_1d(false_positive_rates), ndim=1)
        if not ((rates >= 0.0) & (rates <= 1.0)).all():
            raise invalid("false_positive_rates", "values in [0, 1]", false_positive_rates)
        return upper_bound(self._regions(), rates)

    def _regions(self) -> list[Region]:
        if any(not isinstance(c, Certified) for c in self.family):
            raise invalid("the result", "of an audit of two data sets", "a one-run audit")
        return [c.region(128) for c in self.family if isinstance(c, Certified)]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON (without `pair`, which may be any objects)."""
        plain = asdict(replace(self, pair=None, origin=None))
        del plain["pair"], plain["origin"]
        return plain

    def script(self) -> str:
        """A Python program that stands alone: it draws the pair again, counts the event, prints the exact interval.

        Raises
        ------
        InvalidInput
            There is no event of two data sets, or no sampler to draw it from.
        """
        return script(self)

    @property
    def claimed(self) -> str:
        """The claim in words, with the relation it is made for."""
        said = self.claim or f"({self.epsilon:g}, {self.delta:g})-differential privacy"
        return said + ("" if self.relation is None else f" under {self.relation.replace('_', '/')}")

    @property
    def claimed_value(self) -> float | None:
        """The claim as one number in its unit, where it is one."""
        return None if self.origin is None else parameter(self.origin.claim)

    @property
    def noise_caught(self) -> float | None:
        """How many times too little noise an event as frequent as this one would have shown with probability one half,
        of a claim that is one number; None: none that is known. A loss is taken to be in proportion to 1/noise (rho to
        its square)."""
        claimed = self.claimed_value
        if self.detectable is None or not claimed:
            return None
        times = self.detectable / claimed
        return math.sqrt(times) if self.unit == "rho" else times

    @property
    def outcome(self) -> str:
        """The verdict in one line: of a refuted claim by how much, else its `power`."""
        claimed = self.claimed_value
        if self.verdict is None:
            return "no claim"
        if self.verdict == "refuted":
            return f"refuted: {self.unit} >= {self.bound:.4g}{'' if claimed is None else f' > {claimed:g}'}"
        return f"{self.verdict}; {self.power}"

    @property
    def power(self) -> str:
        """The loss that an event of these frequencies would have shown with probability one half, in words.

        It is of this event on this pair alone: what neither of them shows may be any.
        """
        if self.detectable is None:
            what = "this event could not have refuted it in so few runs"
            return f"no power: {what if self.certified else 'so few canaries could not have refuted it'}"
        times = self.noise_caught
        if times is not None and times > POWERLESS:
            return "no power: would not have caught ten times too little noise"
        what = "an event as frequent as this one" if self.certified else "as many guesses of these canaries"
        return f"{what} would have shown {self.unit} {self.detectable:.3g}"

    @property
    def convention(self) -> str:
        """Of a refuted (ε, δ): whether (2ε, (1 + e^ε) δ) is refuted too, which it implies for two records.

        A record replaced is one removed and one added, so that this confusion cannot explain that (a claim for records
        replaced says nothing of data sets of two sizes). If it is not, the relation is to be checked, unless it is
        given as one that changes the number of records: then the claim was not read as one for records replaced.
        """
        if self.verdict != "refuted" or self.epsilon is None or self.certified is None:
            return ""
        delta = (1.0 + math.exp(self.epsilon)) * self.delta
        two = f"the claim for two records, epsilon {2.0 * self.epsilon:g} and delta {delta:g},"
        if self.curve(2.0 * self.epsilon)[0] > delta:
            return f"{two} is refuted too: that a record replaced is one removed and one added does not explain it"
        if self.relation not in (None, "replace"):
            return ""
        return (
            f"{two} is not refuted: a claim for records added or removed, read as one for records replaced, would look "
            "like this; check the convention before the code"
        )

    def __str__(self) -> str:
        said = self.claim if self.epsilon is None else f"{self.epsilon:g}"
        said += "" if self.relation is None else f" under {self.relation.replace('_', '/')}"
        claim = "" if self.verdict is None else f"; claim {said}: {self.outcome}"
        if self.verdict == "blind":
            claim += f" ({self.blind})"
        event, over = f" ({self.event})", ""
        if self.claim and self.bound is not None and self.certified is not None:  # the event is that of this bound
            unit = "the epsilon claimed" if self.unit == "epsilon" else self.unit
            event, over = f"; {unit} >= {self.bound:.4g}{event}", ", over all events certified"
        elif self.claim and self.bound is not None:
            claim = f"; {self.unit} >= {self.bound:.4g}{claim}"
        if self.convention:
            claim += f" ({self.convention})"
        if self.ignored:
            claim += f"; left out: {', '.join(self.ignored)}"
        rests = f"; if {' and '.join(self.assumptions)}" if self.assumptions else ""
        return (
            f"epsilon >= {self.epsilon_lower:.4g} at delta = {self.delta:g}, confidence {self.confidence:.12g}, "
            f"{self.trials} {'canaries' if self.assumptions else 'runs a side'}{over}{event}{claim}{rests}"
        )


POWERLESS = 10.0  # times too little noise: an audit that would not have caught that has no power


KEPT = 2_000  # outputs a side of the choosing part that words are made from
FEW = 6  # values, intervals or columns that are listed
EXAMPLES = 3
SHARE = 0.25  # of the most influential column's influence, for another to be named
WIDEST = 400  # columns whose influence is measured, the most telling by their means
SHUFFLED = 400  # outputs a side that influence is measured on,
MOVED = 20_000  # or fewer of wide outputs: this many by columns, but not below a quarter
LONGEST = 8  # numbers of an example that are shown


@dataclass(frozen=True)
class Seen:
    """What is kept of the choosing part: some outputs of each side, one output for each value of `Values`, and what
    the columns of outputs of any kind are called."""

    first: np.ndarray
    second: np.ndarray
    values: np.ndarray | None
    layout: Layout | None = None

    @classmethod
    def of(cls, score: Score, first: np.ndarray, second: np.ndarray, layout: Layout | None = None) -> Seen:
        values = None
        if isinstance(score, Values):
            pooled = np.concatenate([first, second])
            keys = identity(pooled)
            order = np.argsort(keys, kind="stable")
            values = pooled[order[np.searchsorted(keys[order], score.keys)]]
        return cls(first[:KEPT].copy(), second[:KEPT].copy(), values, layout)

    def called(self, column: int | None) -> str:
        """What a column is called, or the output that it is."""
        if self.layout is not None:
            return self.layout.described[column or 0][0]
        return "output" if column is None else f"column {column} of the output"

    def labels(self, column: int | None) -> tuple[str, ...] | None:
        """What the codes of a column stand for, if it holds codes."""
        return None if self.layout is None else self.layout.described[column or 0][1]

    def shown(self, output: Any) -> str:
        """An output, short, with labels for codes."""
        if self.layout is None:
            return shown(output)
        if np.ndim(output) == 0:
            return self._cell(0, output)
        items = [
            f"{name} = {self._cell(j, x)}"
            for j, ((name, _), x) in enumerate(zip(self.layout.described, output, strict=True))
            if not name.endswith("hardly seen before")
        ]
        return f"({', '.join(items[:LONGEST])}{', ...' if len(items) > LONGEST else ''})"

    def _cell(self, column: int, value: Any) -> str:
        labels = self.labels(column)
        if labels is None:
            return shown(value)
        return labels[int(value)] if 0 <= value < len(labels) else "another value"


def in_words(event: Event, certified: Certified, seen: Seen) -> str:
    """The event with its frequencies; and for a learned score the columns that drive it, and outputs in it."""
    score, instances = event.score, ""
    said = f"{getattr(score, 'words', 'score')} {'>=' if event.above else '<'} {event.threshold:.6g}"
    if isinstance(score, Plain) and seen.layout is not None:
        said = _of_column(score.column, event, seen)
    elif isinstance(score, Values):
        said = _set(score, event, seen) or said
    elif isinstance(score, Plain) and seen.first.dtype.kind == "b":
        said = f"{seen.called(score.column)} in {{{event.above}}}"
    elif isinstance(score, Plain):
        said += "" if event.above else _or_nan(seen, score.column)
    elif not isinstance(score, Own):
        side, away = (seen.first, seen.second) if event.forward else (seen.second, seen.first)
        if side.ndim == 1:
            name, labels = seen.called(None), seen.labels(None)
            if labels is not None:
                said = _coded(name, labels, _inside(score, event, np.arange(-1.0, len(labels))))
            else:
                said = _intervals(score, event, np.concatenate([side, away]), name) or said.replace("the output", name)
        else:
            columns = influential(score, event, side, away)
            if columns:
                named = _listed(columns) if seen.layout is None else " and ".join(map(seen.called, columns))
                said += f", driven by {named}"
            examples = [seen.shown(x) for x in side[_inside(score, event, side)][:EXAMPLES]]
            instances = f"; for example {', '.join(examples)}" if examples else ""
    p, q = certified.frequencies
    likely, other = ("dataset", "neighbour") if event.forward else ("neighbour", "dataset")
    return f"{said}: {p:.6g} of the runs on the {likely}, {q:.6g} on the {other}{instances}"


def _of_column(column: int | None, event: Event, seen: Seen) -> str:
    """An event of one named column: a half-line, or a set where it holds codes."""
    name, labels = seen.called(column), seen.labels(column)
    if labels is None:
        lowest = "" if event.above else _or_nan(seen, column)
        return f"{name} {'>=' if event.above else '<'} {event.threshold:.6g}{lowest}"
    return _coded(name, labels, (np.arange(-1.0, len(labels)) >= event.threshold) == event.above)


def _coded(name: str, labels: tuple[str, ...], inside: np.ndarray) -> str:
    """A set of values: `inside` has first what hardly recurs, whose code is -1, and then the labels."""
    listed = [label for label, held in zip(labels, inside[1:], strict=True) if held != inside[0]]
    return f"{name} {'not ' if inside[0] else ''}in {{{_few(listed)}}}"


def _few(labels: list[str]) -> str:
    return f"{', '.join(labels[:FEW])}{f' and {len(labels) - FEW} more' if len(labels) > FEW else ''}"


def _or_nan(seen: Seen, column: int | None) -> str:
    """NaN counts as the lowest number, and what an output lacks is NaN; said where some were seen."""
    if seen.first.dtype.kind != "f":
        return ""
    some = [side if side.ndim == 1 else side[:, column or 0] for side in (seen.first, seen.second)]
    said = " or not a number" if seen.layout is None else " or missing or not a number"
    return said if any(np.isnan(x).any() for x in some) else ""


def _inside(score: Score, event: Event, outputs: np.ndarray) -> np.ndarray:
    return (score(outputs) >= event.threshold) == event.above


def _set(score: Values, event: Event, seen: Seen) -> str:
    """``output in {...}``, where few values are in it or few are not."""
    if seen.values is None:
        return ""
    inside = (score.log_ratios >= event.threshold) == event.above
    others = (score.other >= event.threshold) == event.above
    if seen.values.dtype.kind == "b" and seen.values.ndim == 1:
        others = False  # there are none
    if others and score.covers and 0 < inside.sum() <= min(FEW, (~inside).sum()):
        return f"output in {{{', '.join(seen.shown(x) for x in seen.values[inside])}}} or a value not seen before"
    chosen = seen.values[~inside if others else inside]
    if not 0 < len(chosen) <= FEW:
        return ""
    return f"output {'not ' if others else ''}in {{{', '.join(seen.shown(x) for x in chosen)}}}"


def _intervals(score: Score, event: Event, outputs: np.ndarray, name: str = "output") -> str:
    """The event as a few intervals between outputs of the choosing part."""
    values = np.unique(outputs[~np.isnan(outputs)] if outputs.dtype.kind == "f" else outputs)
    inside = np.concatenate([[False], _inside(score, event, values), [False]]).astype(np.int8)
    starts, ends = (np.flatnonzero(np.diff(inside) == step) for step in (1, -1))
    if not 0 < len(starts) <= FEW // 2:
        return ""
    parts = []
    for start, end in zip(starts, ends, strict=True):
        low = "" if start == 0 else f">= {values[start]:.6g}"
        high = "" if end == len(values) else f"<= {values[end - 1]:.6g}"
        parts.append(f"{name} {' and '.join(x for x in (low, high) if x)}" if low or high else f"any {name}")
    return f"{' or '.join(parts)}, about (a learned log-ratio {'>=' if event.above else '<'} {event.threshold:.6g})"


def influential(score: Score, event: Event, side: np.ndarray, away: np.ndarray) -> tuple[int, ...]:
    """The columns whose exchange between outputs moves most of them in or out of the event, most first.

    Parameters
    ----------
    side, away : array, shape (rows, k)
        Outputs of the two sides.
    """
    some = min(SHUFFLED, max(MOVED // side.shape[1], SHUFFLED // 4))
    rows = np.concatenate([side[:some], away[:some]])
    columns = np.arange(rows.shape[1])
    if rows.shape[1] > WIDEST:
        means = [np.nan_to_num(np.asarray(x, dtype=np.float64)).mean(axis=0) for x in (side, away)]
        columns = np.sort(np.argsort(-np.abs(means[0] - means[1]), kind="stable")[:WIDEST])
    before = _inside(score, event, rows)
    # One order for all columns; a row takes the value of a row from anywhere in the two sides.
    order = np.random.default_rng(0).permutation(len(rows))
    moved = np.empty(len(columns))
    for place, column in enumerate(columns):
        changed = rows.copy()
        changed[:, column] = rows[order, column]
        moved[place] = np.mean(_inside(score, event, changed) != before)
        if isinstance(score, Trees) and place >= WIDEST // 4:
            moved[place + 1 :] = 0.0
            break
    if not moved.any():
        return ()
    best = np.argsort(-moved, kind="stable")[:FEW]
    return tuple(int(columns[k]) for k in best if moved[k] >= SHARE * moved.max())


def shown(output: Any) -> str:
    """An output, short."""
    if np.ndim(output) == 0:
        value = output.item() if isinstance(output, np.generic) else output
        return f"{value:.6g}" if isinstance(value, float) else repr(value)
    items = [shown(x) for x in output[:LONGEST]]
    return f"({', '.join(items)}{', ...' if len(output) > LONGEST else ''})"


def _listed(columns: tuple[int, ...]) -> str:
    if len(columns) == 1:
        return f"column {columns[0]}"
    return f"columns {', '.join(map(str, columns[:-1]))} and {columns[-1]}"


def script(result: Any) -> str:
    """The program of an `AuditResult`: see `AuditResult.script`."""
    counts, origin = result.certified, result.origin
    if counts is None:
        raise invalid("the result", "of an audit of two data sets", "a one-run audit")
    if origin is None or origin.runs is None:
        raise invalid("the result", "of an audit that ran a sampler (audit, find_neighbours)", "one of given outputs")
    runs = origin.runs
    sampler: Any = runs.sampler
    each = hasattr(sampler, "results") and hasattr(sampler, "function")
    needs: list[str] = []
    claimed = origin.claim is not None and result.verdict is not None
    if not claimed:
        end = 'print("claimed: nothing")'
    elif isinstance(origin.claim, Approximate):
        end = _VERDICT.format(words=result.claimed, claim=origin.claim.epsilon)
    else:
        end = _WHOLE.format(words=result.claimed, claim=_written(origin.claim, needs))
        needs.append("dpbench")
    rows = counts.both if counts.forward else counts.both[::-1]
    text = _PROGRAM.format(
        title=_quoted(f"Claim: {result.claimed if claimed else 'none'}. Verdict of the audit: {result.verdict}."),
        event_words=_quoted(result.event),
        needs="{needs}",
        sampler=_drawn(sampler.function if each else sampler, needs),
        dataset=_written(runs.dataset, needs),
        neighbour=_written(runs.neighbour, needs),
        event=_event(origin, needs),
        call=_BLOCK if not each else _EACH if sampler.takes_rng else _EACH_GLOBAL,
        seed=result.seed,
        part=origin.part,
        rows=rows[0],
        block=origin.block,
        forward=counts.forward,
        alpha=repr(counts.alpha),
        critical=repr(critical_value(counts.angle, counts.alpha)),
        angle=repr(counts.angle / ANGLES * math.pi / 2),
        floor=FLOOR,
        share=CAP_SHARE,
        hits=counts.hits,
        delta=origin.claim.delta if isinstance(origin.claim, Approximate) else result.delta,
        confidence=result.confidence,
        end=end,
    )
    asks = ", ".join(dict.fromkeys(needs))
    return text.replace("{needs}", f"\nIt asks for {asks}, beside numpy and scipy." if asks else "", 1)


def _quoted(text: str) -> str:
    """Within a text of three quotation marks, or of one."""
    return text.replace("\\", "/").replace('"', "`")


def _drawn(function: Any, needs: list[str]) -> str:
    """A line that binds `sampler`: imported by its name, else pickled by value."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    try:
        if module != "__main__" and "<" not in name and getattr(sys.modules.get(module or ""), name, None) is function:
            needs.append(str(module))
            return f"from {module} import {name} as sampler"
        return f"sampler = {_packed(function, needs)}"
    except Exception:  # what a user's object raises when it is pickled
        needs.append("the sampler, to be put where the program says so")
        said = name or type(function).__name__
        return f"def sampler(*given):\n    raise SystemExit('put the sampler {said} here')"


def _written(value: Any, needs: list[str]) -> str:
    """An expression for data."""
    return repr(value) if _plain(value) else _packed(value, needs)


def _plain(value: Any) -> bool:
    if type(value) in (list, tuple):
        return all(map(_plain, value))
    return type(value) in (int, str, bytes, bool, type(None)) or (type(value) is float and math.isfinite(value))


def _packed(value: Any, needs: list[str]) -> str:
    """An expression that unpickles it; raises what a user's object raises when it cannot be pickled."""
    import cloudpickle

    code = base64.b64encode(cloudpickle.dumps(value)).decode()
    needs.append(f"cloudpickle, Python {sys.version_info.major}.{sys.version_info.minor}")
    return f"pickle.loads(base64.b64decode({code!r}))"


def _event(origin: Origin, needs: list[str]) -> str:
    """A function ``in_event(outputs) -> bool[rows]``."""
    event = origin.event
    assert event is not None
    score: Any = event.score
    is_in = f"(score >= {event.threshold!r})" if event.above else f"(score < {event.threshold!r})"
    if origin.layout is None and type(score) is Plain:
        lines = f"    x = np.asarray(outputs, dtype=float).reshape(len(outputs), -1)[:, {score.column or 0}]\n"
        return f"def in_event(outputs):\n{lines}    score = np.where(np.isnan(x), -np.inf, x)\n    return {is_in}"
    if origin.layout is None and isinstance(score, Additive) and score.view is None:
        lines = "    x = np.asarray(outputs, dtype=float).reshape(len(outputs), -1)\n    score = np.zeros(len(x))\n"
        for j, (edges, values) in enumerate(zip(score.edges.tolist(), score.log_ratios.tolist(), strict=True)):
            cut = [edge for edge in edges if not math.isnan(edge)]
            lines += f"    edges, values = {cut}, np.array({values})\n"
            lines += f"    score = score + values[np.searchsorted(edges, x[:, {j}], side='right')]\n"
        return f"inf = math.inf\n\ndef in_event(outputs):\n{lines}    return {is_in}"
    needs.append("dpbench")
    lines = f"layout, score_of = {_packed((origin.layout, score), needs)}\n\n{_LEARNED}"
    return f"{lines}    return {is_in}"


_PROGRAM = '''"""{title}

Event: {event_words}

This program draws both data sets again, counts the event, and prints the exact lower bound.{needs}
"""
from __future__ import annotations

import base64, hashlib, math, pickle, random, sys

import numpy as np
from scipy.special import betaincinv, betainccinv, ndtr, ndtri

{sampler}
dataset = {dataset}
neighbour = {neighbour}

{event}

def generator(side, block):
    """The stream of one block of the audit."""
    digest = hashlib.sha256("[{seed},{{!r}},{{!r}},{{}}]".format(side, {part!r}, block).encode()).digest()
    return np.random.Generator(np.random.PCG64DXSM(int.from_bytes(digest, "big")))

{call}

def count(side, data, rows={rows}, block_rows={block}):
    """Runs on one data set in the event."""
    hits = 0
    for block in range(-(-rows // block_rows)):
        size = min(block_rows, rows - block * block_rows)
        hits += int(np.count_nonzero(in_event(outputs_of(data, size, generator(side, block)))))
    return hits

def region(hits, other_hits, rows={rows}):
    """Exact Clopper-Pearson limits, joined (error {alpha}): for some k, p >= low[k] and q <= high[k]."""
    alpha, c, w1, w2 = {alpha}, {critical}, math.sin({angle}), math.cos({angle})
    cap = -ndtri({share} * alpha)
    edges = np.linspace(-{floor}, min((c + w2 * {floor}) / w1, cap), 257)
    low = betaincinv(hits, rows - hits + 1.0, ndtr(-edges[1:])) if hits else np.zeros(256)
    tail = ndtr(-np.minimum((c - w1 * edges[:-1]) / w2, cap))
    high = betainccinv(other_hits + 1.0, rows - other_hits, tail) if other_hits < rows else np.ones(256)
    return low * (1.0 - 1e-11), np.minimum(high * (1.0 + 1e-11), 1.0)  # beyond their rounding

if __name__ == "__main__":
    counts = count("dataset", dataset), count("neighbour", neighbour)
    first, second = counts if {forward} else counts[::-1]
    print("runs in the event, of {rows}: dataset", counts[0], "neighbour", counts[1])
    print("in the audit, the likelier side first: {hits}")
    low, high = region(first, second)
    bound = float(np.log(np.maximum((low - {delta}) / high, 1.0)).min())
    print("epsilon >=", bound, "at delta = {delta}, confidence {confidence}")
    {end}
'''
_VERDICT = """print("claimed:", {words!r})
    print("refuted" if bound > {claim!r} else "not refuted")"""

_WHOLE = """from dpbench.bounds import Region
    claim = {claim}
    print("{{1}} >= {{0}}".format(*claim.read(Region(low, high))))
    print("claimed:", {words!r})
    print("refuted" if claim.excess(low, high).min() > 0.0 else "not refuted")"""

_BLOCK = """def outputs_of(data, rows, rng):
    return np.asarray(sampler(data, rows, rng))"""
_EACH = """def outputs_of(data, rows, rng):
    seeds = rng.integers(0, 2**63, size=rows)
    return [sampler(data, np.random.Generator(np.random.PCG64DXSM(int(seed)))) for seed in seeds]"""
_EACH_GLOBAL = """def outputs_of(data, rows, rng):
    made = []
    for seed in rng.integers(0, 2**63, size=rows):
        random.seed(int(seed))
        np.random.seed(int(seed) & 0xFFFFFFFF)
        if "torch" in sys.modules:
            sys.modules["torch"].manual_seed(int(seed))
        made.append(sampler(data))
    return made

sampler(dataset)  # what it imports while it runs is there before the first seed"""

_LEARNED = """def in_event(outputs):
    if layout is not None:
        outputs = layout.encode(list(outputs.tolist() if isinstance(outputs, np.ndarray) else outputs))
    elif isinstance(outputs, np.ndarray) and outputs.ndim == 2 and outputs.shape[1] == 1:
        outputs = outputs[:, 0]
    score = score_of(outputs)
"""
