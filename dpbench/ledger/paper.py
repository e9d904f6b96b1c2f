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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NotRequired, Required, TypedDict, TypeVar, Unpack

from dpbench.core import validation
from dpbench.ledger.core import Claim
from dpbench.ledger.correction import Correction
from dpbench.ledger.figure import Figure
from dpbench.ledger.measurement import LEVEL
from dpbench.ledger.statement import Statement

if TYPE_CHECKING:
    from dpbench.rates.nuisances import Nuisance

Measurement = TypeVar("Measurement", bound=Callable[..., Any])
Declare = Callable[[Measurement], Measurement]


class Declaration(TypedDict):
    """What every decorator takes beside the name of the result; the other fields of a `Claim` explain themselves there.

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
    arguments : dict
        Bound to the function by keyword, for a function that measures several variants.
    """

    source: Required[str]
    statement: Required[str | Statement]
    expected: Required[str]
    because: Required[str]
    variant: NotRequired[str | None]
    arguments: NotRequired[Mapping[str, Any] | None]
    quote: NotRequired[str]
    weight: NotRequired[str | None]
    hurt: NotRequired[str]
    consequence: NotRequired[str]
    holds: NotRequired[str]
    rests_on: NotRequired[tuple[str, ...]]
    space: NotRequired[Any]
    full_only: NotRequired[bool]
    level: NotRequired[float]
    drift: NotRequired[float]
    origin: NotRequired[str]
    proof: NotRequired[str]
    draws: NotRequired[str]
    errata: NotRequired[Correction | None]
    figure: NotRequired[Figure | None]
    no_certificate: NotRequired[str]
    no_record: NotRequired[str]
    frequencies: NotRequired[tuple[str, float | str, int] | None]


class RateDeclaration(Declaration):
    """Of a rate: what is open beside the exponent, how finely it is measured, and the bare exponent."""

    nuisances: NotRequired[tuple[Nuisance, ...]]
    resolution: NotRequired[float]
    exponent: NotRequired[float | None]


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
    renamed : dict of str to str
        Entries that had another id once, to the one that they have: their old addresses lead to the page.
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
    renamed: Mapping[str, str] = field(default_factory=dict)
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

    def _declare(
        self, kind: str, name: str, *, source: str, statement: str | Statement, expected: str, because: str,
        variant: str | None = None, arguments: Mapping[str, Any] | None = None, **fields: Any,
    ) -> Declare[Any]:  # fmt: skip
        """What the decorators of all kinds share: `name` is the result, "thm4" or "lemma2"; see `Declaration`."""
        made = ".".join(part for part in (self.name, name, kind, variant) if part)
        if isinstance(statement, Statement):
            fields["formal"], statement = statement, _said(statement)

        def declare(function: Measurement) -> Measurement:
            run = partial(function, **arguments) if arguments else function
            self._add(Claim(made, self.name, source, kind, statement, because, expected, run, **fields))
            return function

        return declare

    def variant(
        self, function: Callable[..., Any], variant: str, *, arguments: Mapping[str, Any] | None = None, **changes: Any
    ) -> None:
        """Declare another variant of the claim that `function` measures.

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
        if "because" in changes:
            changes["derivation"] = changes.pop("because")
        if isinstance(changes.get("statement"), Statement):
            changes |= {"formal": changes["statement"], "statement": _said(changes["statement"])}
        elif "statement" in changes:
            changes["formal"] = None
        fresh = {
            "holds": "", "weight": None, "hurt": "", "consequence": "", "origin": "", "errata": None, "figure": None,
            "space": None, "no_certificate": "", "no_record": "", "frequencies": None,
        }  # of what the first says  # fmt: skip
        run = partial(function, **arguments) if arguments else first.run
        self._add(replace(first, **fresh | {"id": f"{prefix}.{variant}", "run": run} | changes))

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


def _said(statement: Statement) -> str:
    return statement.sentence or statement.text


def _function(run: Callable[..., Any]) -> Any:
    return run.func if isinstance(run, partial) else run
