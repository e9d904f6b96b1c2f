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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, TypeVar

from dpbench.core import validation
from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import LEVEL
from dpbench.ledger.premises import STANDING
from dpbench.ledger.stated import Points, measured, rows_of
from dpbench.ledger.statement import Statement

Measurement = TypeVar("Measurement", bound=Callable[..., Any])
Declare = Callable[[Measurement], Measurement]
Changes = Mapping[str, Any]
"""What a further row says anew."""
_OF_ROWS = ("because", "arguments", "measure", "points", "equality", "evaluated")
_DECLARED = ("because", "arguments", "variant", "rows")


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

    def privacy(self, name: str, **fields: Any) -> Declare[Any]:
        """Declare "…is (ε, δ)-DP": the function yields guarantees, profiles of pairs and attacks.

        Parameters
        ----------
        name : str
            Of the result: "thm4", "lemma2".
        fields
            Of every decorator those of `dpbench.ledger.declaration.Declaration`, of which source, statement and
            expected are needed (the statement is a text, or a `Statement` from which text, space and certificate
            follow), and:

            because : str
                The derivation of the expected verdict.
            variant : str
                "printed", "corrected" or another word: the last part of the id.
            arguments : dict
                Bound to the function by keyword, for a function that measures several rows.
            rows : dict of str to dict
                The other rows of the entry by name: what each says anew. The first row gives the rest, but for what is
                said of it alone. `measure` is another function than that of the first row; `points` and `equality` are
                of a `Statement` that is measured by its formulas alone, as `formula` has them; `evaluated` is another
                Statement that is measured in its place. A row that does not hold names the first row of the entry that
                does, unless it says another.

        Raises
        ------
        InvalidInput
            For a field that there is not, or one that contradicts another.
        """
        return self._declare("privacy", name, **fields)

    def rate(self, name: str, *, side: str, **fields: Any) -> Declare[Any]:
        """Declare the rate of an error: `side` "upper" or "tight"; `nuisances` are what it leaves open."""
        return self._declare("rate", name, side=side, **{"level": LEVEL, **fields})

    def inequality(self, name: str, **fields: Any) -> Declare[Any]:
        """Declare left ≤ right: the function yields rows with ``left`` and ``right``."""
        return self._declare("inequality", name, **fields)

    def floor(self, name: str, **fields: Any) -> Declare[Any]:
        """Declare a lower bound: ``left`` is the floor and ``right`` an error."""
        return self._declare("floor", name, **fields)

    def stability(self, name: str, **fields: Any) -> Declare[Any]:
        """Declare a bound on stability: ``left`` the change, ``right`` its bound."""
        return self._declare("stability", name, **fields)

    def formula(
        self, name: str, statement: Statement, *, points: Points = (), equality: str = "", kind: str = "inequality",
        rows: Mapping[str, Changes] | None = None, home: str = "", **fields: Any,
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
        equality: str = "", **fields: Any,
    ) -> None:  # fmt: skip
        """Declare a misprint: a formula that is refuted at its witness, and a row "corrected" at the same points.

        Parameters
        ----------
        corrected : dict
            What `Statement.replace` changes; its `steps` say why it holds.
        points : sequence of dict
            Beside the witness of what is printed.
        equality : str
            Of the corrected row.
        """
        row = {
            "statement": printed.replace(**{"witness": None, **corrected}), "points": (*points, *printed.instances),
            "source": f"{source}, corrected", "equality": equality, "expected": "not refuted",
        }  # fmt: skip
        given = {"weight": "misprint", "hurt": "letter", "home": sys._getframe(1).f_globals["__name__"]} | fields
        self.formula(name, printed, points=points, source=source, expected="refuted", rows={"corrected": row}, **given)

    def _declare(
        self, kind: str, name: str, *, source: str, statement: str | Statement, expected: str, because: str,
        variant: str | None = None, arguments: Changes | None = None, rows: Mapping[str, Changes] | None = None,
        **fields: Any,
    ) -> Declare[Any]:  # fmt: skip
        """What the decorators of all kinds share."""
        identifier = ".".join(part for part in (self.name, name, kind, variant) if part)
        _known(fields, _DECLARED)
        if isinstance(statement, Statement):
            fields["formal"], statement = statement, _said(statement)

        def declare(function: Measurement) -> Measurement:
            run = partial(function, **arguments) if arguments else function
            first = Claim(identifier, self.name, source, kind, statement, because, expected, run, **fields)
            others = [
                _varied(first, {"id": f"{identifier}.{row}", "entry": identifier, "row": row, "quote": "", **changes})
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
    def claims(self) -> tuple[Claim, ...]:
        """Every claim, module by module, in the order of declaration; imports the modules."""
        if self.known:
            return self.known
        modules = self._modules()
        for module in modules:
            importlib.import_module(module)
        order = {module: place for place, module in enumerate(modules)}
        ordered = sorted(self._declared.items(), key=lambda item: order.get(item[0], len(order)))
        return tuple(claim for _, declared in ordered for claim in declared)

    def _modules(self) -> list[str]:
        if not self.package:
            return []
        folder = importlib.import_module(self.package).__path__
        names = [module.name for module in pkgutil.iter_modules(folder)]
        unknown = [name for name in self.order if name not in names]
        if unknown:
            raise validation.invalid("order", f"names of modules in {self.package}", unknown[0])
        return [f"{self.package}.{name}" for name in (*self.order, *sorted(set(names) - set(self.order)))]


_FIELDS: dict[str, Any] = {one.name: one for one in fields(Claim)}
_ALONE = (
    "holds", "weight", "hurt", "consequence", "origin", "errata", "figure", "formulas", "no_certificate", "entry",
    "row",
)  # fmt: skip
"""What is said of one row alone: no other takes it over."""
_OF_KIND = ("side", "level", "nuisances")


def _known(names: Iterable[str], more: Sequence[str]) -> None:
    for name in names:
        validation.choice("a field of a declaration", name, (*_FIELDS, *more))


def _varied(first: Claim, given: Changes) -> Claim:
    """A further row, by what it says anew."""
    _known(given, _OF_ROWS)
    changes = dict(given)
    fresh = _ALONE if changes.get("kind", first.kind) == first.kind else (*_ALONE, *_OF_KIND)
    arguments, function, evaluated = (changes.pop(name, None) for name in ("arguments", "measure", "evaluated"))
    points = {part: changes.pop(part) for part in ("points", "equality") if part in changes}
    if "because" in changes:
        changes["derivation"] = changes.pop("because")
    if isinstance(said := changes.get("statement"), Statement):
        if points or (function is None and arguments is None and _function(first.run) is rows_of):
            function, arguments = rows_of, measured(evaluated or said, **points)
            changes = {"derivation": _because(said), "home": first.module} | changes
        changes |= {"formal": said, "statement": _said(said)}
    elif said:
        changes["formal"] = None
    if arguments or function:
        function = function or _function(first.run)
        changes["run"] = partial(function, **arguments) if arguments else function
    return replace(first, **{name: _FIELDS[name].default for name in fresh} | changes)


def _said(statement: Statement) -> str:
    return statement.sentence or statement.text


def _because(statement: Statement) -> str:
    return " ".join(statement.steps)


def _function(run: Callable[..., Any]) -> Any:
    return run.func if isinstance(run, partial) else run
