"""`Claim`, `Evidence`, `Context`, and the rules that turn evidence into a verdict.

A claim is a statement of a paper with a function of a context that measures it (`dpbench.ledger.paper` declares both
in one place). Everything a figure or a report needs is in the evidence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from typing import Any, Protocol

from dpbench.core import validation
from dpbench.core.closure import Closure, closure
from dpbench.core.sampling import canonical
from dpbench.core.sources import our_path
from dpbench.ledger.correction import Correction
from dpbench.ledger.statement import Statement
from dpbench.ledger.words import FAILED, KINDS, ORIGINS, UNDECIDED, VERDICTS, WEIGHTS
from dpbench.privacy.profile import Profile

LEVEL = 1e-6
"""Error level of an entry's sampling tests, unless the entry states another."""


@dataclass(frozen=True)
class Evidence:
    """What was measured.

    Attributes
    ----------
    value : float
        The number the verdict rests on, named in `notes`.
    interval : (float, float) or None
        Confidence interval of `value`; None where it is exact.
    margin : float or None
        Of an inequality, floor or stability entry: the smallest relative margin (right - left)/|right| over the
        instances tried, with sampling errors allowed for. Below 0 the entry is refuted.
    reference : float or None
        Of a rate: the slope expected, that of the theory's full formula on the same grid.
    level : float
        Error level spent by sampling: 0 where nothing was sampled.
    trials, seed : int
    seconds : float
        Wall time of the entry; the only field that differs between two equal runs.
    series : dict of str to list
        Columns for figures and tables.
    notes : tuple of str
        The argument, in words.
    decided : {"", "certificate", "exact", "sampled", "tried"}
        How the verdict was decided (`dpbench.ledger.grades`); empty where it follows from the kind and the level.
    link : {"", "none", "facts", "derivation", "assumed"}
        What leads from the paper's objects to what was decided; empty where it follows from the entry.
    undecided : int
        Rows nearer to equality than the error of the computation.
    """

    value: float
    interval: tuple[float, float] | None = None
    level: float = 0.0
    trials: int = 0
    seed: int = 0
    seconds: float = 0.0
    series: dict[str, list[Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    margin: float | None = None
    reference: float | None = None
    decided: str = ""
    link: str = ""
    undecided: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain types only; infinities and NaN become text, so that the JSON is strict."""
        return plain(asdict(self))

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Evidence:
        """What `to_dict` gave, with numbers in the place of the text of infinities and NaN outside `series`."""
        given = {name: stored[name] for name in (part.name for part in fields(cls)) if name in stored}
        for name in ("value", "level", "seconds", "margin", "reference"):
            if given.get(name) is not None:
                given[name] = float(given[name])
        if given.get("interval") is not None:
            given["interval"] = tuple(float(end) for end in given["interval"])
        return cls(**given | {"notes": tuple(given.get("notes", ()))})


class Context(Protocol):
    """What a claim may use while it runs."""

    level: str
    seed: int
    workers: Any

    def map(self, unit: dict[str, Any], function: Callable[[int], Any], blocks: Iterable[int]) -> list[Any]:
        """`[function(b) for b in blocks]`, each block memoised in the store under (unit, seed, code digest, b).

        `unit` names what the blocks are of: everything that `function` depends on. `function` must be a
        module-level function or a partial of one, and return arrays, numbers, or dicts and lists of them.
        """
        ...

    def pick(self, *, quick: Any, full: Any) -> Any:
        """The size that belongs to the level of the run."""
        ...


Run = Callable[[Context], Any]
"""A measurement: it yields rows, or returns `Evidence` or (verdict, `Evidence`); see `dpbench.ledger.harness`."""


_RULES = ("dpbench.ledger.harness:exhaust", "dpbench.ledger.harness:_verdict")
_MARGINS = "dpbench.ledger.harness:margins"
_HARNESS = {"privacy": "dpbench.ledger.harness:profiles", "rate": "dpbench.ledger.harness_rates:slope_of"}


@dataclass(frozen=True)
class Claim:
    """An entry of the ledger.

    Attributes
    ----------
    id : str
        ``<paper>.<result>.<kind>[.<variant>]``.
    paper, source : str
        "glm", and for example "Theorem 1, equation (4)".
    kind : str
        One of `KINDS`.
    statement : str
        What is claimed, as printed or as corrected.
    derivation : str
        How a program can check it, and what is known to be wrong or loose.
    expected : str
        The verdict committed from the derivation before the entry was run.
    run : callable
        The function of the context that measures it: module-level, or a partial of such a function, so that it
        travels to worker processes by its name. `measure` turns what it gives into a verdict.
    side : {"", "upper", "tight"}
        Of a rate only.
    level : float
        Error level of the entry's sampling tests; 0 for entries that sample nothing. A bound on the probability that
        sampling alone makes the verdict wrong where the test is exact (attacks, frequencies, empirical Bernstein); of
        a rate it is the nominal level of the slope's interval (`dpbench.rates.slopes`), approximate under skewness.
    holds : str
        Id of the entry that states what holds instead, or empty.
    origin : {"printed", "corrected", "folklore", "control"}
        Whose statement it is: the paper's as printed, what holds instead, a fact known from elsewhere, or a mutant of
        yours that must fail. Empty at declaration: see `default_origin`.
    proof : str
        Where the derivation is written out and can be read from scratch: a file beside the module, or an address.
    draws : {"", "instances"}
        "instances": the seed chooses the instances, and what is yielded of each is exact.
    full_only : bool
        Whether the entry has no verdict at level quick.
    tolerance : float
        Of a rate only: how far the slope may be from the expected one.
    exponent : float or None
        Of a rate only: the bare exponent, logarithms left out.
    quote : str
        The paper's words, exactly, with their caveats.
    weight : str or None
        Of what does not hold, what is wrong: the "statement"; the "range" (true in a stated range); a "constant" (the
        rate is right); a proof "step" (the conclusion stands or is open); a "hypothesis" (holds with an omitted usual
        assumption); a "misprint". None where the entry holds.
    consequence : str
        What it means, in plain words, with number and unit.
    rests_on : tuple of str
        Ids of the entries that a proof uses.
    depends : tuple of str
        ``"module:name"`` of definitions that the measurement uses and that no name in its code leads to.
    formal : Statement or None
        The statement as formulas; `statement` is its sentence.
    drift : float
        Relative difference that value and columns may show between two types of processor at one seed, where last bits
        flip decisions of a sampler; 0: what `dpbench.ledger.compare` allows every entry.
    space : object
        Where a search for counterexamples may look.
    certificate : callable or None
        Makes the numbers that the checker verifies alone, from the context.
    errata : Correction or None
        What an errata page says beside these fields: place, change, caveats, the authors' reply.
    """

    id: str
    paper: str
    source: str
    kind: str
    statement: str
    derivation: str
    expected: str
    run: Run
    side: str = ""
    level: float = 0.0
    holds: str = ""
    full_only: bool = False
    tolerance: float = 0.1
    exponent: float | None = None
    quote: str = ""
    weight: str | None = None
    consequence: str = ""
    rests_on: tuple[str, ...] = ()
    depends: tuple[str, ...] = ()
    space: Any = None
    certificate: Callable[[Context], Any] | None = None
    drift: float = 0.0
    origin: str = ""
    proof: str = ""
    draws: str = ""
    errata: Correction | None = None
    formal: Statement | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        validation.choice("kind", self.kind, KINDS)
        validation.choice("expected", self.expected, VERDICTS[self.kind])
        validation.choice("side", self.side, ("upper", "tight") if self.kind == "rate" else ("",))
        if not self.id.startswith(f"{self.paper}.") or self.kind not in self.id.split("."):
            raise validation.invalid("id", "<paper>.<result>.<kind>[.<variant>]", self.id)
        if self.weight is not None:
            validation.choice("weight", self.weight, WEIGHTS)
        validation.choice("draws", self.draws, ("", "instances"))
        object.__setattr__(self, "origin", self.origin or default_origin(self))
        validation.choice("origin", self.origin, ORIGINS)

    def measure(self, context: Context) -> tuple[str, Evidence]:
        """The verdict and the evidence, with the seed and the error level that were in force."""
        from dpbench.ledger.harness import conclude  # which is written in terms of this module

        return conclude(self, context)

    @property
    def module(self) -> str:
        """Dotted name of the module that measures the entry."""
        run = self.run.func if isinstance(self.run, partial) else self.run
        return run.__module__

    @property
    def outside(self) -> bool:
        """Whether the paper is another package's."""
        return our_path(f"dpbench.papers.{self.paper}.claims") is None

    @property
    def closure(self) -> Closure:
        """The definitions that the entry rests on: its function's, and those of the rule from rows to a verdict."""
        return closure(self.run, depends=(*self.depends, *_RULES, _HARNESS.get(self.kind, _MARGINS)))

    @property
    def digest(self) -> str:
        """Key of the code that the entry rests on: evidence with another one is stale."""
        parts: tuple[Any, ...] = (
            self.closure.key, self.kind, self.side, self.level, self.tolerance, _bound(self.run)
        )  # fmt: skip
        if self.formal is not None:
            parts = (*parts, self.formal.key)
        return hashlib.sha256(repr(parts).encode()).hexdigest()


_OURS = frozenset({"corrected", "exact", "tight", "moderate", "proved"})
"""Words of a variant that says something else than the paper."""


def default_origin(claim: Claim) -> str:
    """Whose statement an entry is whose declaration does not say.

    "printed" where the variant says so, where it does not hold, and where it has a quotation or no variant; "corrected"
    where the variant says that, or names one without a quotation; "control" where the variant says that.
    """
    variant = claim.id.split(f".{claim.kind}", 1)[1].replace("-", ".").split(".")
    if "control" in variant:
        return "control"
    if "printed" in variant or claim.expected in FAILED:
        return "printed"
    if _OURS.intersection(variant) or (not claim.quote and variant != [""]):
        return "corrected"
    return "printed"


def _bound(run: Run) -> str:
    """Numbers and texts that are bound to a function."""
    if not isinstance(run, partial):
        return ""
    values = [*enumerate(run.args), *sorted(run.keywords.items())]
    return repr([(name, _named(value)) for name, value in values if isinstance(value, (bool, int, float, str, tuple))])


def _named(value: Any) -> Any:
    """A bound value with losses, mechanisms and functions by their names: their `repr` has addresses."""
    if isinstance(value, tuple):
        return tuple(_named(part) for part in value)
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    return getattr(value, "__qualname__", None) or canonical(value)


def privacy_verdict(
    targets: Sequence[tuple[Any, Any]],
    *,
    guarantees: Sequence[Profile] = (),
    pairs: Sequence[Profile] = (),
) -> str:
    """Verdict of "every pair is (ε, δ)-DP for each listed (ε, δ)", from profiles aligned with `targets`.

    ``guarantees[i]`` (exact or upper, over all neighbours) belongs to ``targets[i]``, and so does ``pairs[i]``
    (exact or lower, of one admissible pair). "refuted" iff one pair lies beyond its target; "proved" iff there are
    guarantees and all lie within theirs; "undecided" iff neither, and a profile and its target are nearer to each
    other than the error of the computation, in some row and beyond it in none; else "not refuted".
    """
    places = [
        pair.place(epsilon, delta) if pair.kind in ("exact", "lower") else "within"
        for (epsilon, delta), pair in zip(targets, pairs, strict=bool(pairs))
    ]
    if "beyond" in places:
        return "refuted"
    held = [
        g.place(epsilon, delta) if g.kind in ("exact", "upper") else "beyond"
        for (epsilon, delta), g in zip(targets, guarantees, strict=bool(guarantees))
    ]
    if held and set(held) == {"within"}:
        return "proved"  # a pair at a tie is one of those that the guarantee covers
    return UNDECIDED if UNDECIDED in (*places, *held) and "beyond" not in held else "not refuted"


def inequality_verdict(smallest_margin: float, undecided: int = 0) -> str:
    """Verdict of "left ≤ right" from the smallest relative margin (right − left)/right over the instances tried.

    `undecided` counts rows whose two sides are nearer to each other than their error: with one, and none beyond, the
    verdict is "undecided". A margin that is not a number (0/0) is no evidence: it raises.
    """
    if not smallest_margin == smallest_margin:
        raise ArithmeticError("the smallest margin is not a number")
    return "refuted" if smallest_margin < 0.0 else UNDECIDED if undecided else "not refuted"


def rate_verdict(interval: tuple[float, float], expected: float, side: str, tolerance: float = 0.1) -> str:
    """Verdict of a log-log slope against the expected one.

    ``upper``: consistent if the whole interval is at most `tolerance` slower (larger) than expected, inconsistent
    if all of it is slower by more. ``tight``: consistent if the whole interval lies within ±`tolerance`,
    inconsistent if wholly outside. Else undecided.
    """
    low, high = interval
    if high <= expected + tolerance and (side == "upper" or low >= expected - tolerance):
        return "consistent"
    if low > expected + tolerance or (side == "tight" and high < expected - tolerance):
        return "inconsistent"
    return "undecided"


def plain(value: Any) -> Any:
    """A value of strict JSON: NumPy scalars and arrays unpacked, non-finite numbers as text."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    return value
