"""`Declaration`: what is said of a row of the ledger, the function that measures it, and the code that it rests on.

`dpbench.ledger.paper` declares claims; what the function is given and gives is in `dpbench.ledger.measurement`, and
what turns that into a verdict in `dpbench.ledger.harness`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from dpbench.core import validation
from dpbench.core.sampling import canonical
from dpbench.core.sources import Code, code_of, path_of
from dpbench.ledger.correction import Correction
from dpbench.ledger.figure import Figure
from dpbench.ledger.measurement import Run
from dpbench.ledger.statement import Statement
from dpbench.ledger.words import HURT, KINDS, ORIGINS, VERDICTS, WEIGHTS
from dpbench.rates.resolution import RESOLUTION

if TYPE_CHECKING:
    from dpbench.rates.nuisances import Nuisance


@dataclass(frozen=True)
class Declaration:
    """A row of an entry of the ledger; most entries have one (`dpbench.ledger.entry`).

    Attributes
    ----------
    id : str
        Of the first row of an entry ``<paper>.<result>.<kind>[.<variant>]``, the entry's; of another ``<entry>.<row>``.
    entry, row : str
        Id of the entry, and what the row is called there: its origin, if nothing is said of the first.
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
        travels to worker processes by its name. `dpbench.ledger.core.Claim.measure` turns what it gives into a verdict.
    side : {"", "upper", "tight"}
        Of a rate only.
    level : float
        Error level of the entry's sampling tests; 0 for entries that sample nothing: of another package they are not
        given the seed. A bound on the probability that sampling alone makes the verdict wrong where the test is exact
        (attacks, frequencies, empirical Bernstein); of a rate it is the nominal level of the slope's interval
        (`dpbench.rates.slopes`), approximate under skewness.
    holds : str
        Id of the entry that states what holds instead, or empty.
    origin : {"printed", "corrected", "folklore", "control"}
        Whose statement it is: the paper's as printed, what holds instead, a fact known from elsewhere, or a mutant of
        yours that must fail. Where the declaration does not say it: "printed" with a quotation, and where its id ends
        in its kind; else "corrected".
    proof : str
        Where the derivation is written out and can be read from scratch: a file beside the module, or an address.
    full_only : bool
        Whether the entry has no verdict at level quick.
    nuisances : tuple of Nuisance
        Of a rate only: what the claim leaves open beside the exponent, each with its range (`dpbench.rates.nuisances`).
        The slopes that they add on the entry's grid are all that the verdict allows.
    resolution : float
        Of a rate only: how finely it must be measured before it is consistent (`dpbench.rates.exclusion.rate_verdict`).
    quote : str
        The paper's words, exactly, with their caveats.
    weight : str or None
        Of what does not hold, what is wrong: the "statement"; the "range" (true in a stated range); a "constant" (the
        rate is right); a proof "step" (the conclusion stands or is open); a "hypothesis" (holds with an omitted usual
        assumption); a "misprint". None where the entry holds.
    hurt : str
        Of what does not hold, who is hurt (`HURT`): "use", "corner: " and the range, "proof" or "letter".
    consequence : str
        What it means, in plain words, with number and unit.
    rests_on : tuple of str
        Ids of the entries that a proof uses.
    formal : Statement or None
        The statement as formulas; `statement` is its sentence.
    formulas : Statement or tuple of Statement
        What is searched and certified of an entry whose statement is prose, or says less: a pair of neighbours, the
        mechanism's noise.
    errata : Correction or None
        What an errata page says beside these fields: place, change, caveats, the authors' reply.
    figure : Figure or None
        What is drawn of the evidence.
    home : str
        Dotted name of the module of an entry that formulas measure.
    no_certificate : str
        Why the entry, if it is decided, has no certificate, or, if it is sampled, no record of its counts.
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
    nuisances: tuple[Nuisance, ...] = ()
    resolution: float = RESOLUTION
    quote: str = ""
    weight: str | None = None
    hurt: str = ""
    consequence: str = ""
    rests_on: tuple[str, ...] = ()
    origin: str = ""
    proof: str = ""
    errata: Correction | None = None
    no_certificate: str = ""
    formal: Statement | None = field(default=None, hash=False)
    formulas: Statement | tuple[Statement, ...] = field(default=(), hash=False)
    figure: Figure | None = None
    entry: str = ""
    row: str = ""
    home: str = ""

    def __post_init__(self) -> None:
        validation.choice("kind", self.kind, KINDS)
        validation.choice("expected", self.expected, VERDICTS[self.kind])
        validation.choice("side", self.side, ("upper", "tight") if self.kind == "rate" else ("",))
        object.__setattr__(self, "entry", self.entry or self.id)
        if self.id not in (self.entry, f"{self.entry}.{self.row}") or "." in self.row:
            raise validation.invalid("row", "a word without a dot, the last of the id", f"{self.row} of {self.id}")
        kinds = self.id.split(".")[2:] if self.id == self.entry else [self.kind]
        if not self.id.startswith(f"{self.paper}.") or self.kind not in kinds:
            raise validation.invalid("id", "<paper>.<result>.<kind>[.<variant>]", self.id)
        if self.weight is not None:
            validation.choice("weight", self.weight, WEIGHTS)
        if self.hurt:
            who, _, where = self.hurt.partition(": ")
            validation.choice("hurt", who, HURT)
            if self.weight is None or (who == "corner") != bool(where.strip()):
                what = 'of an entry with a weight, with a range after "corner: " and only there'
                raise validation.invalid("hurt", what, self.hurt)
        validation.real("resolution", self.resolution, above=0.0)
        if self.nuisances and self.kind != "rate":
            raise validation.invalid("nuisances", "empty where the claim is no rate", self.nuisances)
        of_the_paper = self.quote or self.id.endswith(f".{self.kind}")
        object.__setattr__(self, "origin", self.origin or ("printed" if of_the_paper else "corrected"))
        validation.choice("origin", self.origin, ORIGINS)
        object.__setattr__(self, "row", self.row or self.origin)
        try:
            _bound(self.run)
        except validation.InvalidInput as error:
            raise validation.invalid(f"arguments of {self.id}", "numbers, texts, arrays", self.run) from error

    @property
    def module(self) -> str:
        """Dotted name of the module that declares the entry, if it says so, or else of the function."""
        if self.home:
            return self.home
        run = self.run.func if isinstance(self.run, partial) else self.run
        return run.__module__

    @property
    def stated(self) -> tuple[Statement, ...]:
        """The statements that are searched and certified."""
        formulas = (self.formulas,) if isinstance(self.formulas, Statement) else self.formulas
        return formulas if self.formal is None else (self.formal, *formulas)

    @property
    def in_formulas(self) -> str:
        """The statement in formulas, with every range and hypothesis; empty where it is prose."""
        return "" if self.formal is None else self.formal.text

    @property
    def over_region(self) -> str:
        """The formulas that a certificate over the region must state; empty where none is made of the statement."""
        return self.in_formulas if self.formal is not None and self.formal.cells else ""

    @property
    def outside(self) -> bool:
        """Whether the paper is another package's."""
        return path_of(f"dpbench.papers.{self.paper}.theorems") is None

    @property
    def code(self) -> Code:
        """The modules that the entry rests on: its theorem's, and what that imports of its paper and `lowerbounds`."""
        return code_of(self.run, *self.nuisances, module=self.home)

    @property
    def digest(self) -> str:
        """Key of that code and of what is bound to the function: evidence with another one is stale."""
        parts: tuple[Any, ...] = (self.code.key, self.kind, self.side, self.level, self.resolution, _bound(self.run))
        if self.nuisances:
            parts = (*parts, repr(self.nuisances))
        if self.formal is not None:
            parts = (*parts, self.formal.key)
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def _bound(run: Run) -> str:
    """All that is bound to a function but statements, which have a key of their own.

    Raises
    ------
    InvalidInput
        For a value that no text names, so that no key could tell it from another.
    """
    if not isinstance(run, partial):
        return ""
    values = [*enumerate(run.args), *sorted(run.keywords.items())]
    return repr([(name, _named(value)) for name, value in values if not isinstance(value, Statement)])


def _named(value: Any) -> Any:
    """A bound value with losses, mechanisms and functions by their names: their `repr` has addresses."""
    if isinstance(value, tuple):
        return tuple(_named(part) for part in value)
    if isinstance(value, partial):
        return _named(value.func), _bound(value)
    if isinstance(value, (bool, int, float, str, Fraction, type(None))):
        return value
    return getattr(value, "__qualname__", None) or canonical(value)
