"""What an audit returns, `AuditResult`; as a card of HTML; and a refutation as a report to hand over.

The report is a Python program that stands alone: it draws the certifying runs of both data sets again, by the seeds of
the audit, counts the event, and prints the exact bound. It asks for NumPy and SciPy, and for what the sampler asks for.
What cannot be written as Python (a sampler without a source, an event on columns that were learned) is pickled into it;
it then says what it asks for.
"""

from __future__ import annotations

import ast
import base64
import inspect
import math
import pickle
import sys
import textwrap
from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbench.auditing.cells import EdgeTable, GridTable
from dpbench.auditing.certified import Certified, Origin
from dpbench.auditing.dependence import Check
from dpbench.auditing.flatten import Layout
from dpbench.auditing.intervals import ANGLES, CAP_SHARE, FLOOR, Region, critical_value
from dpbench.auditing.levels import within
from dpbench.auditing.scores import Additive, Plain
from dpbench.auditing.shapes import Unimodal
from dpbench.core import validation
from dpbench.core.validation import invalid

if TYPE_CHECKING:
    from dpbench.auditing.guesses import Guessed
    from dpbench.auditing.tradeoff import AttackRisk


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
        The event behind `epsilon_lower`, in words, with its frequencies.
    verdict : {"refuted", "blind", "not refuted"} or None
        "refuted" iff the bound exceeds the claim; "blind" if most certifying runs have, in some leaf of their outputs
        that is known by identity alone, a value not seen before (`blind` says which and what to do); None without a
        claim.
    mu_lower : float or None
        Only under ``assume="gaussian"``: no μ-GDP guarantee below this holds (Dong, Roth & Su 2019). That
        much needs no assumption; reading it as an ε (`epsilon_gaussian`) does. The verdict never uses it.
    certified : Certified or None
        The counts behind the bound. None in one-run mode, whose bound is of another kind.
    family : tuple of Certified or of Guessed
        All events that were certified, or in one-run mode all guess sets, at levels that sum to at most
        1 − confidence: `epsilon_lower`, `curve` and `mu_lower` hold together at that confidence.
    seed : int
    pair : tuple or None
        The pair of data sets that a search found.
    assumptions : tuple of str
        What the bounds rest on beyond independent runs: empty for `audit`, the coins and more in one-run mode.
    checks : tuple of Check
        What was tested of the runs' independence, each kind with its p-value (see `dependence`); runs that fail are
        refused.
    excludes : str
        What the audit would have found, in words.
    claim : str
        The claim in words, where it is not `epsilon` at `delta`.
    columns : tuple of int
        The columns that drive a learned score, most telling first.
    examples : tuple of str
        Outputs in the event, from the choosing part.
    relation : {"replace", "add", "remove", "add_remove"} or None
        Of the two data sets, as it was given.
    detectable : float or None
        The smallest loss, in the claim's unit, at which this event would have refuted the claim with probability one
        half: its frequency on the side where it is rarer as observed, the other as that loss has it. None: no loss.
    bound, unit : float, str
        The lower bound in the unit of the claim: "epsilon", "mu", "rho", "Renyi divergence at order 8", ...
    claim_value : float or None
        A whole claim in that unit, where it is one number.
    blind : str
        Which leaves most runs give unseen values of, and what to do about it.
    ignored : tuple of str
        Leaves that were left out.
    selftest : str
        From which size on leaks planted in outputs of any kind, before they are encoded, are found.
    origin : Origin or None
        What `script` is made from; not compared, shown or stored.
    """

    epsilon_lower: float
    epsilon: float | None
    delta: float
    confidence: float
    trials: int
    event: str
    verdict: str | None
    mu_lower: float | None
    certified: Certified | None
    family: tuple[Certified | Guessed, ...]
    seed: int
    pair: tuple[Any, Any] | None = None
    assumptions: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    excludes: str = ""
    claim: str = ""
    columns: tuple[int, ...] = ()
    examples: tuple[str, ...] = ()
    relation: str | None = None
    detectable: float | None = None
    bound: float | None = None
    unit: str = "epsilon"
    claim_value: float | None = None
    blind: str = ""
    ignored: tuple[str, ...] = ()
    selftest: str = ""
    origin: Origin | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        # The last look at the levels, of every result however it was made: see `levels`.
        within(1.0 - self.confidence, (c.alpha for c in self.family))

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
            raise validation.invalid("epsilons", "values >= 0", float(wanted.min()))
        found = np.zeros_like(wanted)
        for certified in self.family:
            found = np.maximum(found, certified.delta(wanted))
        return found

    def tradeoff(self, false_positive_rates: Any) -> np.ndarray:
        """Upper bounds on the trade-off function f, valid simultaneously, at the audit's confidence.

        Some attack on one of the two directions misses at most this share, at each rate of false alarms: the claim
        "f-DP" is refuted for every f above the bound anywhere.

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
        from dpbench.auditing.tradeoff import upper_bound

        rates = validation.array("false_positive_rates", np.atleast_1d(false_positive_rates), ndim=1)
        if not ((rates >= 0.0) & (rates <= 1.0)).all():
            raise validation.invalid("false_positive_rates", "values in [0, 1]", false_positive_rates)
        return upper_bound(self._regions(), rates)

    def attack_risk(self, false_positive_rates: Any = (0.001, 0.01, 0.1), *, prior: float = 0.5) -> AttackRisk:
        """What some attacker reaches at least, by the trade-off curve; all of it holds together at the confidence.

        Parameters
        ----------
        false_positive_rates : float64[m]
            In [0, 1]: true-positive rates are given at these.
        prior : float
            Probability, before the attack, of the data set that is looked for.
        """
        from dpbench.auditing.tradeoff import attack_risk

        self.tradeoff(false_positive_rates)  # checks them
        return attack_risk(self._regions(), np.atleast_1d(false_positive_rates), validation.fraction("prior", prior))

    def _regions(self) -> list[Region]:
        if any(not isinstance(c, Certified) for c in self.family):
            raise validation.invalid("the result", "of an audit of two data sets", "a one-run audit")
        return [c.region(128) for c in self.family if isinstance(c, Certified)]

    @property
    def beside(self) -> dict[str, float]:
        """In one-run mode, the ε that published analyses give for the same guesses at the same levels."""
        found: dict[str, float] = {}
        for guessed in self.family if self.certified is None else ():
            for name, bound in guessed.published(self.delta).items():  # type: ignore[union-attr]
                found[name] = max(found.get(name, 0.0), bound)
        return found

    @property
    def epsilon_gaussian(self) -> float | None:
        """ε at `delta` of a Gaussian pair `mu_lower` apart: a bound only if the pair IS Gaussian."""
        if self.mu_lower is None:
            return None
        from dpbench.privacy import gaussian

        return gaussian.epsilon(self.delta, self.mu_lower)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON (without `pair`, which may be any objects)."""
        plain = asdict(replace(self, pair=None, origin=None))
        del plain["pair"], plain["origin"]
        return {**plain, "epsilon_gaussian": _finite(self.epsilon_gaussian), "beside": self.beside}

    def script(self) -> str:
        """A Python program that stands alone: it draws the pair again, counts the event, prints the exact interval.

        Raises
        ------
        InvalidInput
            There is no event of two data sets, or no sampler to draw it from.
        """
        return script(self)

    def certificate(self) -> dict[str, Any]:
        """The counts behind the bound, the claim and the levels, as plain numbers and strings (see `script`)."""
        return certificate(self)

    def _repr_html_(self) -> str:
        return card(self)

    @property
    def claimed(self) -> str:
        """The claim in words, with the relation it is made for."""
        said = self.claim or f"({self.epsilon:g}, {self.delta:g})-differential privacy"
        return said + ("" if self.relation is None else f" under {self.relation.replace('_', '/')}")

    @property
    def claimed_value(self) -> float | None:
        """The claim as one number in its unit, where it is one."""
        return self.epsilon if self.epsilon is not None else self.claim_value

    @property
    def convention(self) -> str:
        """Of a refuted ε: whether twice the claim is refuted too, which another relation cannot explain."""
        if self.verdict != "refuted" or self.epsilon is None or self.certified is None:
            return ""
        if self.epsilon_lower > 2.0 * self.epsilon:
            return "twice the claimed epsilon is refuted too: no convention of neighbours explains it, a bug"
        return (
            "twice the claimed epsilon is not refuted: a claim for records added or removed, read as one for records "
            "replaced, would look like this; check the convention before the code"
        )

    def __str__(self) -> str:
        said = self.claim if self.epsilon is None else f"{self.epsilon:g}"
        said += "" if self.relation is None else f" under {self.relation.replace('_', '/')}"
        claim = "" if self.verdict is None else f"; claim {said}: {self.verdict}"
        if self.verdict == "blind":
            claim += f" ({self.blind})"
        if self.claim and self.bound is not None:
            claim = f"; {self.unit} >= {self.bound:.4g}{claim}"
        if self.convention:
            claim += f" ({self.convention})"
        if self.ignored:
            claim += f"; left out: {', '.join(self.ignored)}"
        mu = "" if self.mu_lower is None else f"; assuming a Gaussian pair: mu >= {self.mu_lower:.4g}"
        rests = f"; if {' and '.join(self.assumptions)}" if self.assumptions else ""
        return (
            f"epsilon >= {self.epsilon_lower:.4g} at delta = {self.delta:g}, confidence {self.confidence:g}, "
            f"{self.trials} {'canaries' if self.assumptions else 'runs a side'} ({self.event}){claim}{mu}{rests}"
        )


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None


COLOURS = {"refuted": "#b3261e", "blind": "#8a6100", "not refuted": "#1b6e3c", None: "#444444"}
WIDTH, HEIGHT = 220, 160


def card(result: AuditResult) -> str:
    """HTML without scripts; the pictures are SVG within it."""
    colour = COLOURS[result.verdict]
    bound = result.epsilon_lower if result.bound is None else result.bound
    head = escape(result.verdict or "a bound, no claim")
    rows = [
        ("claim", result.claimed if result.verdict is not None else "none"),
        ("bound", f"{result.unit} ≥ {bound:.4g}, confidence {result.confidence:g}"),
        ("event", result.event),
        ("runs a side" if not result.assumptions else "canaries", f"{result.trials:,}"),
    ]
    if result.certified is not None:
        first, second = result.certified.hits
        rows.append(
            ("counts", f"{first:,} of {result.certified.both[0]:,} and {second:,} of {result.certified.both[1]:,}")
        )
    rows += [
        (name, text)
        for name, text in (
            ("blind", result.blind), ("left out", ", ".join(result.ignored)), ("reading", result.convention),
            ("would detect", result.excludes), ("test of itself", result.selftest),
            ("rests on", " and ".join(result.assumptions)),
        )
        if text
    ]  # fmt: skip
    table = "".join(
        f'<tr><th style="text-align:left;vertical-align:top;padding-right:1em">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(text)}</td></tr>'
        for name, text in rows
    )
    return (
        f'<div style="border:1px solid {colour};border-radius:6px;padding:0.8em;max-width:48em;font-family:sans-serif">'
        f'<strong style="color:{colour}">{head}</strong>{_bar(result, bound, colour)}'
        f"<table>{table}</table>{_tradeoff(result, colour)}</div>"
    )


def _bar(result: AuditResult, bound: float, colour: str) -> str:
    """The bound as a bar, the claim as a line across it."""
    claimed = result.claimed_value
    most = 1.1 * max(bound, claimed or 0.0, 1e-9)
    line = "" if claimed is None else (
        f'<line x1="{400 * claimed / most:.1f}" x2="{400 * claimed / most:.1f}" y1="0" y2="24" stroke="#000" '
        f'stroke-width="2"/><text x="{400 * claimed / most:.1f}" y="36" font-size="11" text-anchor="middle">claim '
        f"{claimed:g}</text>"
    )  # fmt: skip
    return (
        f'<div><svg role="img" width="420" height="40" viewBox="0 0 420 40"><title>{escape(result.unit)} at least '
        f'{bound:.4g}</title><rect x="0" y="4" width="{400 * bound / most:.1f}" height="16" fill="{colour}"/>{line}'
        "</svg></div>"
    )


def _tradeoff(result: AuditResult, colour: str) -> str:
    """The upper bound on the trade-off curve beside that of the claim, where it is (ε, δ)."""
    if not any(isinstance(one, Certified) for one in result.family):
        return ""
    rates = np.linspace(0.0, 1.0, 101)
    lines = [_path(rates, result.tradeoff(rates), colour, "")]
    if result.epsilon is not None:
        e = math.exp(min(result.epsilon, 700.0))
        claim = np.maximum(0.0, np.maximum(1.0 - result.delta - e * rates, (1.0 - result.delta - rates) / e))
        lines.append(_path(rates, claim, "#000", ' stroke-dasharray="4 3"'))
    return (
        f'<svg role="img" width="{WIDTH + 40}" height="{HEIGHT + 40}" viewBox="-30 -10 {WIDTH + 40} {HEIGHT + 40}">'
        "<title>False negatives of the best attack, at most, against false positives (dashed: what the claim allows)"
        f'</title><rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>{"".join(lines)}'
        f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT + 16}" font-size="11" text-anchor="middle">false-positive rate</text>'
        f'<text x="-8" y="{HEIGHT / 2:.0f}" font-size="11" text-anchor="middle" transform="rotate(-90 -8 '
        f'{HEIGHT / 2:.0f})">false-negative rate</text></svg>'
    )


def _path(x: np.ndarray, y: np.ndarray, colour: str, more: str) -> str:
    points = " ".join(f"{WIDTH * a:.1f},{HEIGHT * (1.0 - b):.1f}" for a, b in zip(x, y, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"{more}/>'


FEW = 5_000  # numbers of an array that are written out


def certificate(result: AuditResult) -> dict[str, Any]:
    """The claim, the pair's counts, the level of the event and of the whole audit, and the bound."""
    counts = _counts(result)
    likelier, other = ("dataset", "neighbour") if counts.forward else ("neighbour", "dataset")
    return {
        "schema": 1,
        "kind": "audit",
        "claim": result.claim or {"epsilon": result.epsilon, "delta": result.delta},
        "relation": result.relation,
        "event": result.event,
        "likelier": likelier,
        "counts": {likelier: counts.hits[0], other: counts.hits[1]},
        "runs": {likelier: counts.both[0], other: counts.both[1]},
        "level": counts.alpha,
        "angle": counts.angle,
        "confidence": result.confidence,
        "seed": result.seed,
        "epsilon_lower": result.epsilon_lower,
        "delta": result.delta,
        "bound": result.bound,
        "unit": result.unit,
        "verdict": result.verdict,
        "ignored": list(result.ignored),
        "checks": [{"what": check.what, "p_value": check.p_value} for check in result.checks],
    }


def script(result: AuditResult) -> str:
    """See `AuditResult.script`."""
    counts = _counts(result)
    origin = result.origin
    if origin is None or origin.runs is None:
        raise invalid("the result", "of an audit that ran a sampler (audit, find_neighbours)", "one of given outputs")
    runs = origin.runs
    sampler: Any = runs.sampler
    needs: list[str] = []
    event = _event(origin, needs)
    pair = ("dataset", runs.dataset), ("neighbour", runs.neighbour)
    each = hasattr(sampler, "results") and hasattr(sampler, "function")
    drawn = _callable(sampler.function if each else sampler, needs)
    claim = result.claimed if result.verdict is not None else "none"
    call = _BLOCK if not each else _EACH if sampler.takes_rng else _EACH_GLOBAL
    rows = counts.both if counts.forward else counts.both[::-1]
    return _PROGRAM.format(
        title=f"Claim: {claim}. Verdict of the audit: {result.verdict}.",
        needs="" if not needs else f"\nIt asks for {', '.join(dict.fromkeys(needs))}, beside numpy and scipy.",
        event_words=result.event.replace("\\", "/").replace('"', "`"),
        sampler=drawn,
        sides="\n".join(f"{name} = {_value(x, needs)}" for name, x in pair),
        event=event,
        call=call,
        seed=result.seed,
        part=origin.part,
        rows=rows[0],
        block=origin.block,
        forward=counts.forward,
        delta=result.delta,
        alpha=repr(counts.alpha),
        critical=repr(critical_value(counts.angle, counts.alpha)),
        angle=repr(counts.angle / ANGLES * math.pi / 2),
        floor=FLOOR,
        share=CAP_SHARE,
        hits=counts.hits,
        claimed=repr(result.epsilon),
        confidence=result.confidence,
    )


_PROGRAM = '''"""{title}

Event: {event_words}

This program draws both data sets again, counts the event, and prints the exact lower bound.{needs}
"""
import base64, hashlib, math, pickle, random

import numpy as np
from scipy.special import betaincinv, betainccinv, ndtr, ndtri

{sampler}
{sides}

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

def bound(hits, other_hits, rows={rows}):
    """A lower bound on epsilon at delta = {delta}: exact Clopper-Pearson limits, joined (each error {alpha})."""
    alpha, c, w1, w2 = {alpha}, {critical}, math.sin({angle}), math.cos({angle})
    cap = -ndtri({share} * alpha)
    edges = np.linspace(-{floor}, min((c + w2 * {floor}) / w1, cap), 257)
    low = betaincinv(hits, rows - hits + 1.0, ndtr(-edges[1:])) if hits else np.zeros(256)
    tail = ndtr(-np.minimum((c - w1 * edges[:-1]) / w2, cap))
    high = betainccinv(other_hits + 1.0, rows - other_hits, tail) if other_hits < rows else np.ones(256)
    if (low - {delta} <= high).any():
        return 0.0
    return float(np.log((low - {delta}) / high).min())

if __name__ == "__main__":
    counts = count("dataset", dataset), count("neighbour", neighbour)
    first, second = counts if {forward} else counts[::-1]
    print("runs in the event, of {rows}: dataset", counts[0], "neighbour", counts[1])
    print("in the audit, the likelier side first: {hits}")
    print("epsilon >=", bound(first, second), "at delta = {delta}, confidence {confidence}; claimed: {claimed}")
'''

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
        made.append(sampler(data))
    return made"""


def _counts(result: AuditResult) -> Certified:
    if result.certified is None:
        raise invalid("the result", "of an audit of two data sets", "a one-run audit")
    return result.certified


def _event(origin: Origin, needs: list[str]) -> str:
    """A function ``in_event(outputs) -> bool[rows]``."""
    score, event = origin.score, origin.event
    is_in = f"(score >= {event.threshold!r})" if event.above else f"(score < {event.threshold!r})"
    runs = origin.runs
    assert runs is not None
    before = ""
    names = _numbers(origin.layout, score)
    if runs.kinds:
        before = "    outputs = np.array([f'{outputs.dtype} {outputs.shape[1:]}'] * len(outputs))\n"
    if names is not None:
        lines = f"    score = np.array([{names} for output in outputs], dtype=float)\n"
        lines += "    score = np.where(np.isnan(score), -np.inf, score)\n"
        return f"def in_event(outputs):\n{lines}    return {is_in}"
    if origin.layout is None and type(score) is Plain and not runs.kinds:
        column = "outputs" if score.column is None else f"outputs[:, {score.column}]"
        lines = "    outputs = outputs[:, 0] if outputs.ndim == 2 and outputs.shape[1] == 1 else outputs\n"
        lines += (
            f"    score = np.asarray({column}, dtype=float)\n    score = np.where(np.isnan(score), -np.inf, score)\n"
        )
        return f"def in_event(outputs):\n{lines}    return {is_in}"
    table = _table(score)
    if origin.layout is None and table is not None:
        lines = "    x = np.asarray(outputs, dtype=float).reshape(len(outputs), -1)\n"
        return f"def in_event(outputs):\n{lines}{table}    return {is_in}"
    needs.append("dpbench (the event is on a learned score)")
    packed = _packed((origin.layout, score, runs.kinds))
    lines = f"layout, score_of, kinds = {packed}\n\ndef in_event(outputs):\n{before}"
    if origin.layout is not None:
        lines += "    outputs = layout.encode(list(outputs.tolist() if isinstance(outputs, np.ndarray) else outputs))\n"
    else:
        lines += "    outputs = outputs[:, 0] if outputs.ndim == 2 and outputs.shape[1] == 1 else outputs\n"
    return f"{lines}    score = score_of(outputs)\n    return {is_in}"


def _numbers(layout: Layout | None, score: Any) -> str | None:
    """The number that a plain score is of, as an expression of `output`; None where it is not one."""
    if layout is None or type(score) is not Plain:
        return None
    name = layout.names[score.column or 0]
    leaf = next((leaf for leaf in layout.leaves if leaf.name == name), None)
    if leaf is not None and leaf.kinds == ("number",) and "#length" not in leaf.path:
        try:
            ast.parse(name, mode="eval")
        except SyntaxError:
            return None
        return f"float({name})" if "(" not in name and " " not in name.replace("', '", "") else None
    return None


def _table(score: Any) -> str | None:
    """Lines that compute a sum of log-ratios over cells of the columns of x as `score`; None: it is another kind."""
    if isinstance(score, Unimodal):
        edges, values = score.edges, score.log_ratios
        return (
            f"    edges, values = {_literal(edges)}, {_literal(values)}\n"
            "    place = np.where(np.isnan(x[:, 0]), len(edges), np.searchsorted(edges, x[:, 0], side='right'))\n"
            "    score = values[place]\n"
        )
    if not isinstance(score, Additive) or score.view is not None:
        return None
    lines = "    score = np.zeros(len(x))\n"
    for j, table in enumerate(score.tables):
        if isinstance(table, EdgeTable):
            lines += f"    edges, values = {_literal(table.edges)}, {_literal(table.log_ratios)}\n"
            lines += f"    column = x[:, {j}]\n"
            lines += (
                "    place = np.where(np.isnan(column), len(edges), np.searchsorted(edges, column, side='right'))\n"
            )
        elif isinstance(table, GridTable):
            lines += f"    values = {_literal(table.log_ratios)}\n"
            lines += (
                f"    place = np.nan_to_num((x[:, {j}] - {float(table.low)!r}) * {float(table.scale)!r}, nan=-1.0)\n"
            )
            lines += (
                "    place = np.clip(np.floor(np.clip(place, -1.0, len(values))), 0, len(values) - 1).astype(int)\n"
            )
        lines += "    score = score + values[place]\n"
    return lines


def _literal(array: np.ndarray) -> str:
    if array.size > FEW:
        packed = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
        return f"np.frombuffer(base64.b64decode({packed!r}), dtype={array.dtype.str!r}).reshape({array.shape})"
    shown = repr(array.tolist()).replace("nan", "math.nan").replace("inf", "math.inf")
    return f"np.array({shown}, dtype={array.dtype.str!r})"


def _value(value: Any, needs: list[str]) -> str:
    """A data set as an expression."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return _literal(value)
    if isinstance(value, np.generic):
        value = value.item()
    try:
        if ast.literal_eval(repr(value)) == value:
            return repr(value)
    except (ValueError, SyntaxError, TypeError, MemoryError):
        pass
    module = type(value).__module__.split(".")[0]
    needs.append(f"{module} (the data are pickled)")
    return _packed(value)


def _callable(function: Any, needs: list[str]) -> str:
    """Lines that bind `sampler`."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if module and name and "<" not in name and module != "__main__":
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is function:
            needs.append(f"the module {module}")
            return f"from {module} import {name.split('.')[0]}\nsampler = {name}"
    source = _source(function)
    if source is not None:
        return source
    try:
        packed = _packed(function)
    except Exception:  # what a user's object raises when it is pickled
        needs.append("the sampler, to be put where the program says so")
        return f"def sampler(*given):\n    raise SystemExit('put the sampler {name or type(function).__name__} here')"
    needs.append(f"{type(function).__module__.split('.')[0]} (the sampler is pickled)")
    return f"sampler = {packed}"


def _source(function: Any) -> str | None:
    """A function or a lambda by its source, with the constants and modules that it speaks of; None: there is none."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    tree = _parsed(function)
    if tree is None:
        return None
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda if function.__name__ == "<lambda>" else ast.FunctionDef)
    ]
    if function.__name__ != "<lambda>":
        found = [node for node in found if getattr(node, "name", "") == function.__name__]
    if len(found) != 1:
        return None
    inner = inspect.getclosurevars(function)
    lines = []
    spoken = {node.id for node in ast.walk(found[0]) if isinstance(node, ast.Name)}  # an attribute is no global
    for name, value in {**inner.globals, **inner.nonlocals}.items():
        if name not in spoken:
            continue
        if inspect.ismodule(value):
            lines.append(f"import {value.__name__} as {name}")
            continue
        try:
            if not (isinstance(value, np.ndarray) or ast.literal_eval(repr(value)) == value):
                return None
        except (ValueError, SyntaxError, TypeError):
            return None
        lines.append(f"{name} = {_value(value, [])}")
    node = found[0]
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        node.returns = None
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            argument.annotation = None
        lines += [ast.unparse(node), f"sampler = {function.__name__}"]
    else:
        lines.append(f"sampler = {ast.unparse(node)}")
    return "\n".join(lines)


def _parsed(function: Any) -> ast.AST | None:
    """The syntax tree of the lines that a function stands in, which may be a part of a statement."""
    try:
        text = textwrap.dedent(inspect.getsource(function)).strip()
    except (OSError, TypeError):
        return None
    for before, behind in (("", ""), ("(", ")"), ("{", "}"), ("f(", ")")):
        try:
            return ast.parse(f"{before}{text.rstrip(',') if not behind else text}{behind}")
        except SyntaxError:
            continue
    return None


def _packed(value: Any) -> str:
    return f"pickle.loads(base64.b64decode({base64.b64encode(pickle.dumps(value)).decode()!r}))"
