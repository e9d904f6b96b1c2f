"""`Paper`: a paper and its claims, each declared in one place, above the function that measures it.

>>> paper = Paper("svt", title="Sparse vector", authors=("A. Author",), year=2017)
>>> @paper.inequality(
...     "lemma1",
...     source="Lemma 1",
...     statement="1 - x <= exp(-x) for every real x.",
...     expected="not refuted",
...     because="The exponential is convex, and 1 - x is its tangent at 0.",
... )
... def tangent(run):
...     for x in (-2.0, 0.5, 2.0):
...         yield dict(x=x, left=1.0 - x, right=math.exp(-x))
>>> [claim.id for claim in paper.claims]
['svt.lemma1.inequality']

The function takes the run (`dpbench.ledger.measurement.Context`) and yields rows, or returns evidence; what rows and
evidence mean for each kind, and the rules from them to a verdict, are in `dpbench.ledger.harness`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, TypeVar, Unpack

from dpbench.core import validation
from dpbench.ledger.core import Claim
from dpbench.ledger.correction import Correction
from dpbench.ledger.figure import Figure
from dpbench.ledger.measurement import LEVEL
from dpbench.ledger.premises import STANDING
from dpbench.ledger.stated import Points, measured, rows_of
from dpbench.ledger.statement import Statement

if TYPE_CHECKING:
    from dpbench.rates.nuisances import Nuisance

Measurement = TypeVar("Measurement", bound=Callable[..., Any])
Declare = Callable[[Measurement], Measurement]


class Fields(TypedDict, total=False):
    """What may be said of any row; the attributes of a `Claim` explain themselves there.

    Attributes
    ----------
    arguments : dict
        Bound to the function by keyword, for a function that measures several rows.
    """

    arguments: Mapping[str, Any] | None
    quote: str
    weight: str | None
    hurt: str
    consequence: str
    holds: str
    rests_on: tuple[str, ...]
    formulas: Statement | tuple[Statement, ...]
    full_only: bool
    level: float
    origin: str
    proof: str
    draws: str
    errata: Correction | None
    figure: Figure | None
    no_certificate: str
    no_record: str
    frequencies: tuple[str, float | str, int] | None


class RateFields(Fields, total=False):
    """Of a rate: what is open beside the exponent, how finely it is measured, and the bare exponent."""

    nuisances: tuple[Nuisance, ...]
    resolution: float
    exponent: float | None


class RowChanges(RateFields, total=False):
    """What a further row of an entry says anew; the first row gives the rest, but for what is said of it alone.

    Attributes
    ----------
    measure : callable
        Another function than that of the first row.
    home : str
        The module of the entry, where the function is another module's: `dpbench.ledger.stated.rows_of`.
    kind, side : str
        If they are not those of the first row.
    points, equality
        Of a `statement` that is measured by its formulas alone, as `Paper.formula` has them.
    """

    measure: Callable[..., Any]
    home: str
    points: Points
    equality: str
    kind: str
    side: str
    source: str
    statement: str | Statement
    expected: str
    because: str


class _Declared(TypedDict):
    source: str
    statement: str | Statement
    expected: str
    because: str
    variant: NotRequired[str | None]
    row: NotRequired[str]
    rows: NotRequired[Mapping[str, RowChanges]]


class Declaration(Fields, _Declared):
    """What every decorator takes beside the name of the result.

    Attributes
    ----------
    source, quote : str
        Where the paper states it, and its words.
    statement : str
        What is claimed, as printed or as corrected: a text, or a `Statement` from which text, searched space and
        certificate follow.
    expected, because : str
        The verdict expected before anything is run, and its derivation.
    variant : str
        "printed", "corrected" or another word; the last part of the id.
    row : str
        What the row is called that is declared here, the first of its entry; default: whose statement it is.
    rows : dict of str to dict
        The other rows of the entry by name: what each says anew. A row that does not hold names the first row of the
        entry that does, unless it says another.
    """


class RateDeclaration(RateFields, _Declared):
    """The same of a rate."""


@dataclass(frozen=True, eq=False)
class Paper:
    """A paper with its claims.

    Parameters
    ----------
    name : str
        First part of every id.
    title, authors, year, url
        Of the paper.
    version : str
        Of what was read, for example "arXiv v2".
    witness : str
        How quotations were checked against a second text of the paper: that of every correction that names none.
    package : str
        The package whose modules declare the claims; imported when the claims are asked for. Empty: the claims are
        declared by the module that makes the paper.
    order : tuple of str
        Names of the modules that come first, in this order; the others follow by name.
    drawings : tuple of str
        Dotted names of the modules that draw stored evidence of this paper: the functions that its entries' figures
        name, and the lists `DRAWINGS` and `SUMMARIES` of figures that stand beside no entry's declaration.
    known : tuple of Claim
        The claims, where no module is to be imported for them (`dpbench.ledger.index`).
    """

    name: str
    title: str = ""
    authors: tuple[str, ...] = ()
    year: int = 0
    url: str = ""
    version: str = ""
    witness: str = ""
    package: str = ""
    order: tuple[str, ...] = ()
    drawings: tuple[str, ...] = ()
    known: tuple[Claim, ...] = ()
    _declared: dict[str, list[Claim]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise validation.invalid("name", "letters, digits and underscores, a letter first", self.name)

    def privacy(self, name: str, **fields: Unpack[Declaration]) -> Declare[Any]:
        """Declare "…is (ε, δ)-DP": the function yields guarantees, profiles of pairs and attacks."""
        return self._declare("privacy", name, **fields)

    def rate(self, name: str, *, side: str, **fields: Unpack[RateDeclaration]) -> Declare[Any]:
        """Declare the rate of an error: `side` "upper" or "tight"; `nuisances` are what it leaves open."""
        given: dict[str, Any] = {"level": LEVEL, **fields}
        return self._declare("rate", name, side=side, **given)

    def inequality(self, name: str, **fields: Unpack[Declaration]) -> Declare[Any]:
        """Declare left ≤ right: the function yields rows with ``left`` and ``right``."""
        return self._declare("inequality", name, **fields)

    def floor(self, name: str, **fields: Unpack[Declaration]) -> Declare[Any]:
        """Declare a lower bound: ``left`` is the floor and ``right`` an error."""
        return self._declare("floor", name, **fields)

    def stability(self, name: str, **fields: Unpack[Declaration]) -> Declare[Any]:
        """Declare a bound on stability: ``left`` the change, ``right`` its bound."""
        return self._declare("stability", name, **fields)

    def formula(
        self, name: str, statement: Statement, *, points: Points = (), equality: str = "", kind: str = "inequality",
        rows: Mapping[str, Mapping[str, Any]] | None = None, home: str = "", **fields: Any,
    ) -> None:  # fmt: skip
        """Declare what formulas say alone, an inequality or an order: no function types its sides again.

        Parameters
        ----------
        statement : Statement
            An inequality (``<=`` or ``>=``), tried at its witnesses and at `points`; or an order, whose ratio is
            evaluated at `points` along its variable.
        points : sequence of dict
            Values of its symbols, within its ranges and hypotheses.
        equality : str
            Why its sides are equal where they agree but for rounding.
        kind : str
            "inequality", "floor" or "stability".
        rows : dict
            The other rows; a `statement` of one may come with `points` and an `equality` of its own.
        home : str
            The module whose entry it is; default: that which calls.
        fields
            As of the decorators; `because` is by default the statement's steps in words.
        """
        home = home or sys._getframe(1).f_globals["__name__"]
        given: dict[str, Any] = {"because": _because(statement), "home": home, "rows": rows} | fields
        self._declare(kind, name, statement=statement, arguments=measured(statement, points, equality), **given)(
            rows_of
        )

    def slip(
        self, name: str, printed: Statement, *, corrected: Mapping[str, Any], source: str, points: Points,
        equality: str = "", expected: str = "not refuted", **fields: Any,
    ) -> None:  # fmt: skip
        """Declare a misprint: a formula that is refuted at its witness, and a row "corrected" at the same points.

        Parameters
        ----------
        corrected : dict
            What `Statement.replace` changes; its `steps` say why it holds.
        points : sequence of dict
            Beside the witness of what is printed.
        equality, expected : str
            Of the corrected row.
        """
        row = {
            "statement": printed.replace(**{"witness": None, **corrected}), "points": (*points, *printed.instances),
            "source": f"{source}, corrected", "equality": equality, "expected": expected,
        }  # fmt: skip
        given = {"weight": "misprint", "hurt": "letter", "home": sys._getframe(1).f_globals["__name__"]} | fields
        self.formula(name, printed, points=points, source=source, expected="refuted", rows={"corrected": row}, **given)

    def _declare(
        self, kind: str, name: str, *, source: str, statement: str | Statement, expected: str, because: str,
        variant: str | None = None, arguments: Mapping[str, Any] | None = None,
        rows: Mapping[str, RowChanges] | None = None, **fields: Any,
    ) -> Declare[Any]:  # fmt: skip
        """What the decorators of all kinds share: `name` is the result, "thm4" or "lemma2"; see `Declaration`."""
        made = ".".join(part for part in (self.name, name, kind, variant) if part)
        if isinstance(statement, Statement):
            fields["formal"], statement = statement, _said(statement)

        def declare(function: Measurement) -> Measurement:
            run = partial(function, **arguments) if arguments else function
            first = Claim(made, self.name, source, kind, statement, because, expected, run, **fields)
            others = [
                _varied(first, {"id": f"{made}.{row}", "entry": made, "row": row, "quote": "", **changes})
                for row, changes in (rows or {}).items()
            ]
            every = [first, *others]
            for claim in every:
                if claim.weight and not claim.holds:
                    holding = (other.id for other in every if other.expected in STANDING)
                    claim = replace(claim, holds=next(holding, ""))
                self._add(claim)
            return function

        return declare

    def variant(
        self, function: Callable[..., Any], variant: str, *, arguments: Mapping[str, Any] | None = None, **changes: Any
    ) -> None:
        """Declare another variant of the claim that `function` measures, as an entry of its own.

        Parameters
        ----------
        function : callable
            Declared above; its first claim of this paper gives every field that `changes` does not.
        variant : str
            Last part of the id: replaces that of the first claim.
        arguments : dict, optional
            Bound to the function instead of those of the first claim.
        changes
            Fields to set anew: usually statement, expected and because.
        """
        declared = self._declared.get(function.__module__, [])
        first = next((c for c in declared if _function(c.run) is function), None)
        if first is None:
            raise validation.invalid("function", "declared above its variants", function)
        prefix = first.id[: first.id.index(f".{first.kind}") + len(first.kind) + 1]
        self._add(_varied(first, {"id": f"{prefix}.{variant}", "arguments": arguments, **changes}))

    def _add(self, claim: Claim) -> None:
        if self.witness and claim.errata is not None and not claim.errata.witness:
            claim = replace(claim, errata=replace(claim.errata, witness=self.witness))
        module, function = claim.module, _function(claim.run)
        for declared in self._declared.values():
            for place, other in enumerate(declared):
                if other.id != claim.id:
                    continue
                known = _function(other.run)
                if (known.__module__, known.__qualname__) != (module, function.__qualname__):
                    raise validation.invalid("id", f"new, not that of a claim in {other.module}", claim.id)
                declared[place] = claim  # the module is imported again
                return
        self._declared.setdefault(module, []).append(claim)

    @property
    def modules(self) -> tuple[str, ...]:
        """Dotted names of the modules that declare claims; those of a package, imported or not."""
        return tuple(dict.fromkeys((*self._modules(), *self._declared)))

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim, module by module, in the order of declaration; imports the modules."""
        if self.known:
            return self.known
        modules = self._modules()
        for module in modules:
            importlib.import_module(module)
        order = {module: place for place, module in enumerate(modules)}
        found = sorted(self._declared.items(), key=lambda item: order.get(item[0], len(order)))
        return tuple(claim for _, declared in found for claim in declared)

    def _modules(self) -> list[str]:
        if not self.package:
            return []
        folder = importlib.import_module(self.package).__path__
        names = [module.name for module in pkgutil.iter_modules(folder)]
        unknown = [name for name in self.order if name not in names]
        if unknown:
            raise validation.invalid("order", f"names of modules in {self.package}", unknown[0])
        return [f"{self.package}.{name}" for name in (*self.order, *sorted(set(names) - set(self.order)))]


_FRESH: dict[str, Any] = {
    "holds": "", "weight": None, "hurt": "", "consequence": "", "origin": "", "errata": None, "figure": None,
    "formulas": (), "no_certificate": "", "no_record": "", "frequencies": None, "entry": "", "row": "",
}  # fmt: skip
"""What is said of one claim alone: no other takes it over."""


def _varied(first: Claim, given: Mapping[str, Any]) -> Claim:
    """The claim with other fields, as declarations name them."""
    changes = dict(given)
    if changes.get("kind", first.kind) != first.kind:
        changes = {"side": "", "level": 0.0, "nuisances": (), "exponent": None} | changes
    arguments, function = changes.pop("arguments", None), changes.pop("measure", None)
    if "because" in changes:
        changes["derivation"] = changes.pop("because")
    if isinstance(said := changes.get("statement"), Statement):
        own = {part: changes.pop(part) for part in ("points", "equality") if part in changes}
        if own or (function is None and _function(first.run) is rows_of):
            function, arguments = rows_of, measured(said, **own)
            changes = {"derivation": _because(said), "home": first.module} | changes
        changes |= {"formal": said, "statement": _said(said)}
    elif said:
        changes["formal"] = None
    if arguments or function:
        function = function or _function(first.run)
        changes["run"] = partial(function, **arguments) if arguments else function
    return replace(first, **_FRESH | changes)


def _said(statement: Statement) -> str:
    return statement.sentence or statement.text


def _because(statement: Statement) -> str:
    return " ".join(step for step in statement.steps if isinstance(step, str))


def _function(run: Callable[..., Any]) -> Any:
    return run.func if isinstance(run, partial) else run
