"""`Statement`: a theorem as plain data in the paper's symbols, from which all that is said of it follows.

>>> classical = Statement(
...     about="Gaussian noise of standard deviation {sigma} is {claim}.",
...     symbols={"epsilon": Real("claimed", "1/100", 1), "delta": Real("claimed", "1e-10", "1/10")},
...     where={"sigma": "sqrt(2*log(1.25/delta))/epsilon"},
...     claim=gaussian(shift="1", scale="sigma"),
... )
>>> classical.sentence
'Gaussian noise of standard deviation sigma = sqrt(2*log((5/4)/delta))/epsilon is (epsilon, delta)-DP.'
>>> round(classical.number("sigma", epsilon=1.0, delta=1e-5), 4)
4.8448

`dpbench.certificates.judge` searches it for a counterexample, proves it over its region, and writes the certificate.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from dpbench.core import validation
from dpbench.ledger import formula
from dpbench.ledger.formula import Node
from dpbench.ledger.kinds import (  # noqa: F401  (what a Statement is made of is imported from here)
    Conclusion,
    compose,
    discrete,
    event,
    gaussian,
    inequality,
    laplace,
    loss,
    mixture,
    order,
    profile,
    rate,
)

RELATIONS = ("replace", "add", "remove", "add_remove")
_HOLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}", re.ASCII)
_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_INTERVAL = re.compile(r"\s*([\[(])\s*([^,\s]+)\s*,\s*([^,\s]+)\s*([\])])\s*")

ROUNDED = 1e-9
"""A hypothesis that is missed by less holds but for rounding."""
End = Fraction | None
"""An end of a range; None is infinite."""


def _end(value: Any, sign: int, name: str) -> End:
    if str(value).strip().lstrip("+").lower() in ("inf", "-inf", "infinity", "-infinity"):
        if (str(value).strip()[0] == "-") != (sign < 0):
            raise validation.invalid(name, "low to high", value)
        return None
    return formula.number(value)


@dataclass(frozen=True)
class Real:
    """A real symbol; its ends are read exactly ("1e-10", "1/3", 0.1 for one tenth), "inf" is none."""

    meaning: str
    low: Any
    high: Any
    whole = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", _end(self.low, -1, "the range of a symbol"))
        object.__setattr__(self, "high", _end(self.high, 1, "the range of a symbol"))
        if self.low is not None and self.high is not None and self.low > self.high:
            raise validation.invalid("the range of a symbol", "low to high", [str(self.low), str(self.high)])


@dataclass(frozen=True)
class Integer(Real):
    """An integer symbol."""

    whole = True

    def __post_init__(self) -> None:
        super().__post_init__()
        for end in (self.low, self.high):
            if end is not None and end.denominator != 1:
                raise validation.invalid("the range of an integer", "integers", str(end))


@dataclass(frozen=True)
class Calibrated:
    """The largest shift, in scales, that (ε, δ) allows: solved for, not given. Made by `calibrated`."""

    family: str
    epsilon: str
    delta: str
    whole = False

    @property
    def meaning(self) -> str:
        return f"largest {self.family} shift, in scales, within ({self.epsilon}, {self.delta})"


def calibrated(family: str, epsilon: str, delta: str) -> Calibrated:
    """A symbol for the exact calibration of Gaussian or Laplace noise to (ε, δ), both formulas."""
    validation.choice("family", family, ("gaussian", "laplace"))
    return Calibrated(family, epsilon, delta)


Symbol = Real | Integer | Calibrated


@dataclass(frozen=True)
class Statement:
    """A theorem: see the page on `dpbench judge` of the guide.

    Attributes
    ----------
    about : str
        One sentence with holes that formulas fill: ``{sigma}``, and ``{claim}`` for the notion.
    symbols : dict of str to Real, Integer or `calibrated`
    claim : Conclusion
        Made by `gaussian`, `laplace`, `discrete`, `event`, `mixture`, `compose`, `loss`, `profile`, `inequality`,
        `order` or `rate`.
    where : dict of str to formula
        The paper's definitions, in order.
    given : dict of str to (comparison, why)
        Hypotheses of the theorem and of the instance.
    relation : {"replace", "add", "remove", "add_remove"}
        Of a claim of privacy. "add" and "remove" hold the first law against the second alone, the others both ways.
    region : dict of str to text
        Where it is claimed, if that is less than the symbols' ranges: ``"(0, 1]"``, ``"[2, inf)"``.
    steps : sequence of str
        What leads from the paper's objects to the formulas: sentences.
    witness : dict of str to rational, or a sequence of them, optional
        Values at which it is shown; without them the search finds them. Of an order in x, a path x = x_0 t^s, t = 2^j
        from j = k on, with ``power_x`` for s and ``first`` for k among the values.
    cells : int
        Of a claim that is one inequality: how many cells a proof over the region may take, which then is its
        certificate; 0: none is made.
    computed : dict of str to str
        Of a guarantee: definitions that a mechanism computes (its noise, a weight) and what they are. In a certificate
        they are symbols, with the number that the formula gives at each witness, rounded to the safe side: with the
        formula in place, what it calibrates to cancels, and nothing would be said of the mechanism.

    Raises
    ------
    InvalidInput
        Where a formula cannot be read, or names what is not declared; the message says which.
    """

    about: str
    symbols: Mapping[str, Symbol]
    claim: Conclusion
    where: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    relation: str = "replace"
    region: Mapping[str, str] = field(default_factory=dict)
    steps: Sequence[str] = ()
    witness: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None
    cells: int = 0
    computed: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        validation.choice("relation", self.relation, RELATIONS)
        if validation.integer("cells", self.cells, at_least=0) and self.claim.sides is None:
            raise validation.invalid("cells", "0 but for a claim that is one inequality", self.cells)
        for name in self.computed:
            validation.choice("a computed number", name, tuple(self.where))
        if not self.symbols:
            raise validation.invalid("symbols", "one symbol or more", dict(self.symbols))
        for name in (*self.symbols, *self.where):
            if not _SYMBOL.fullmatch(name) or name in ("pi", "rest", *formula.FUNCTIONS):
                raise validation.invalid("the name of a symbol", "letters, digits and _, and none that is taken", name)
        formula.in_order(self.symbols, self.definitions)
        self._known("given", *(side for _, (_, *sides), _ in self.conditions for side in sides))
        self._known("claim", *self.claim_nodes.values())
        sides = [side for _, (_, *both), _ in self.conditions for side in both]
        known = {*self.symbols, *self.where}
        for node in (*self.definitions.values(), *sides, *self.claim_nodes.values()):
            if index := formula.shadowed(node, known):
                raise validation.invalid("the index of a sum", "a name of its own", index)
        _ = self.ranges
        given = [name for name, symbol in self.symbols.items() if not isinstance(symbol, Calibrated)]
        for values in () if self.claim.of.path else self.instances:
            wrong = [name for name in given if name not in values] or [n for n in values if n not in self.symbols]
            if wrong:
                raise validation.invalid("witness", f"values of {', '.join(given)}", f"{wrong[0]}: {dict(values)}")
        for name in _HOLE.findall(self.about):
            if name != "claim" and name not in self.symbols and name not in self.where:
                raise validation.invalid("a hole of the sentence", "{claim}, or a symbol or definition", f"{{{name}}}")

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: what follows from them is made again where it is unpickled."""
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}

    def _known(self, place: str, *nodes: Node) -> None:
        known = {*self.symbols, *self.where}
        for node in nodes:
            if missing := formula.names(node) - known:
                what = f"in terms of symbols and definitions (unknown: {', '.join(sorted(missing))})"
                raise validation.invalid(f"a formula of {place}", what, formula.write(node))

    def replace(self, **changes: Any) -> Statement:
        """The statement with other parts: `symbols`, `where` and `given` are merged by name (None takes one out)."""
        for name in ("symbols", "where", "given", "region"):
            if name in changes:
                merged = {**getattr(self, name), **changes[name]}
                changes[name] = {key: value for key, value in merged.items() if value is not None}
        if "where" in changes:
            changes["where"] = _sorted(changes["where"])
        return dataclasses.replace(self, **changes)

    @cached_property
    def definitions(self) -> dict[str, Node]:
        """Formulas of `where`."""
        return {name: _at(f"where.{name}", formula.parse, text) for name, text in self.where.items()}

    @cached_property
    def conditions(self) -> list[tuple[str, tuple[str, Node, Node], str]]:
        """(name, (relation, left, right), why) of `given`."""
        texts = []
        for name, entry in self.given.items():
            text, why = (entry, "hypothesis") if isinstance(entry, str) else (entry[0], entry[1])
            node = _at(f"given.{name}", lambda t: formula.parse(t, comparison=True), text)
            texts.append((name, (node[0], node[1], node[2]), why))
        return texts

    @cached_property
    def claim_nodes(self) -> dict[str, Node]:
        """Formulas of the claim, by part; the weights of a law are numbered, ``p.0``."""
        nodes: dict[str, Node] = {}
        kind, parts = self.claim.kind, self.claim.parts
        for name, part in parts.items():
            if name in self.claim.of.words:
                continue
            many = part if isinstance(part, tuple) else (part,)
            for number, text in enumerate(many):
                if text == "rest" and number and number == len(many) - 1:
                    continue
                key = f"{name}.{number}" if isinstance(part, tuple) else name
                nodes[key] = _at(f"claim.{kind}.{name}", formula.parse, text)
        for name, text in self.claim.against.items():
            nodes[name] = _at(f"claim.{kind}.{name}", formula.parse, text)
        return nodes

    @property
    def comparison(self) -> tuple[str, Node, Node]:
        """(relation, left, right) of a claim that is one inequality.

        Raises
        ------
        InvalidInput
            Where it is another.
        """
        if (sides := self.claim.sides) is None:
            raise validation.invalid("the claim", "one inequality", self.claim.kind)
        left, relation, right = sides
        return relation, formula.parse(left), formula.parse(right)

    @cached_property
    def ranges(self) -> dict[str, tuple[End, End, bool, bool]]:
        """(low, high, low is open, high is open) of each symbol that is given, within its region."""
        unknown = [name for name in self.region if isinstance(self.symbols.get(name, None), (type(None), Calibrated))]
        if unknown:
            raise validation.invalid("region", "of symbols with a range", unknown[0])
        ends: dict[str, tuple[End, End, bool, bool]] = {}
        for name, symbol in self.symbols.items():
            if isinstance(symbol, Calibrated):
                continue
            low, high, left, right = symbol.low, symbol.high, False, False
            if name in self.region:
                interval = _INTERVAL.fullmatch(self.region[name])
                if not interval:
                    raise validation.invalid(f"region.{name}", 'an interval such as "(0, 1]"', self.region[name])
                a, b = _end(interval[2], -1, f"region.{name}"), _end(interval[3], 1, f"region.{name}")
                if a is not None and (low is None or a >= low):
                    low, left = a, interval[1] == "("
                if b is not None and (high is None or b <= high):
                    high, right = b, interval[4] == ")"
            if low is not None and high is not None and low > high:
                raise validation.invalid(f"region.{name}", "within the symbol's range", self.region[name])
            ends[name] = (low, high, left, right)
        return ends

    @property
    def key(self) -> str:
        """All that is formal in it, as one text: what evidence of it depends on."""
        return repr((sorted(self.ranges.items()), self.definitions, self.conditions, self.relation,
                     self.claim, sorted(n for n, s in self.symbols.items() if s.whole),
                     sorted((n, s) for n, s in self.symbols.items() if isinstance(s, Calibrated))))  # fmt: skip

    # Numbers

    def compiled(self, *wanted: str) -> Callable[[Mapping[str, float]], tuple[float, ...]]:
        """A function from the values of the symbols to formulas in them, in floating point; compiled once."""
        if wanted not in self._programs:
            nodes = [formula.parse(text) for text in wanted]
            self._programs[wanted] = formula.compiled(tuple(self.symbols), self.definitions, nodes)
        return self._programs[wanted]

    @cached_property
    def _programs(self) -> dict[tuple[str, ...], Callable[[Mapping[str, float]], tuple[float, ...]]]:
        return {}

    def number(self, wanted: str, **values: float) -> float:
        """A formula at values of the symbols that it needs; calibrated ones are solved for."""
        node = formula.parse(wanted)
        needed = formula.reached([node], self.definitions)
        complete: dict[str, float] = {name: float("nan") for name in self.symbols} | dict(values)
        for name, symbol in self.symbols.items():
            if name in needed and name not in values:
                if not isinstance(symbol, Calibrated):
                    raise validation.invalid(name, "given: the formula needs it", None)
                complete[name] = solved(symbol, values)
        return float(self.compiled(wanted)(complete)[0])

    def excluded(self, values: Mapping[str, float]) -> str:
        """Which range or hypothesis values of the symbols miss, by more than rounding; empty if none."""
        missed = []
        for name, (low, high, _, _) in self.ranges.items():
            for relation, end in ((">=", low), ("<=", high)):
                if end is not None:
                    by = formula.missed(relation, values.get(name, math.nan), formula.nearest(end))
                    missed.append((f"{name} {relation} {end}", by))
        for _, condition, _ in self.conditions:
            left, right = (self.number(formula.write(side), **values) for side in condition[1:])
            missed.append((formula.write(condition), formula.missed(condition[0], left, right)))
        return next((text for text, by in missed if by > ROUNDED), "")

    @property
    def instances(self) -> list[dict[str, Fraction]]:
        """`witness`, exact."""
        given = self.witness if self.witness is not None else ()
        many = (given,) if isinstance(given, Mapping) else given
        return [{name: formula.number(value) for name, value in one.items()} for one in many]

    # Words

    @property
    def notion(self) -> str:
        """ "(epsilon, delta)-DP", "rho-zCDP", ...; empty where nothing is claimed of privacy."""
        return self.claim.privacy

    @property
    def sentence(self) -> str:
        """`about` with its holes filled."""
        return filled(self.about, self)

    @property
    def text(self) -> str:
        """What the formulas say, and nothing else."""
        parts = [f"For all {', '.join(self._ranged(n) for n in self.symbols)}"]
        if self.where:
            parts.append("with " + ", ".join(f"{n} = {formula.write(d)}" for n, d in self.definitions.items()))
        if self.given:
            parts.append("where " + " and ".join(formula.write(c) for _, c, _ in self.conditions))
        return f"{', '.join(parts)}: {self.claim.text(_RELATED[self.relation])}."

    def _ranged(self, name: str) -> str:
        symbol = self.symbols[name]
        if isinstance(symbol, Calibrated):
            return f"{name} = the {symbol.meaning}"
        return f"{'integers' if symbol.whole else 'real'} {name} in {self.interval(name)}"

    def interval(self, name: str) -> str:
        """ "(0, 1]": the range of a symbol that is given."""
        low, high, left, right = self.ranges[name]
        ends = f"{'(' if left or low is None else '['}{'-inf' if low is None else low}, "
        return f"{ends}{'inf' if high is None else high}{')' if right or high is None else ']'}"


_RELATED = {
    "replace": "",
    "add": ", a record added",
    "remove": ", a record removed",
    "add_remove": ", a record added or removed",
}


def grid(**values: Sequence[Any]) -> tuple[dict[str, Any], ...]:
    """Every combination of the values listed of each symbol: for a witness.

    >>> grid(m=(1, 16), epsilon=("1/10",))
    ({'m': 1, 'epsilon': '1/10'}, {'m': 16, 'epsilon': '1/10'})
    """
    return tuple(dict(zip(values, chosen, strict=True)) for chosen in product(*values.values()))


def filled(text: str, statement: Statement) -> str:
    """A sentence with its holes filled by the statement's formulas."""

    def put(match: re.Match[str]) -> str:
        name = match[1]
        if name == "claim":
            return statement.notion or statement.claim.text()
        if name in statement.definitions:
            return f"{name} = {formula.write(statement.definitions[name])}"
        return name if name in statement.symbols else match[0]

    return _HOLE.sub(put, text)


def _at(place: str, read: Callable[[str], Node], text: Any) -> Node:
    """A formula, its place in front of what is wrong with it."""
    try:
        return read(text)
    except validation.InvalidInput as error:
        raise validation.InvalidInput(f"{place}: {error}") from None


def _sorted(where: Mapping[str, str]) -> dict[str, str]:
    """Definitions in an order in which each stands behind what it needs; the given order otherwise."""
    left, ordered = dict(where), {}
    needs = {name: formula.names(_at(f"where.{name}", formula.parse, text)) - {name} for name, text in where.items()}
    while left:
        ready = [name for name in left if not needs[name] & left.keys()]
        if not ready:
            raise validation.invalid("where", "without a circle", sorted(left))
        ordered[ready[0]] = left.pop(ready[0])
    return ordered


def solved(symbol: Calibrated, values: Mapping[str, float]) -> float:
    """The calibration at values of what it depends on."""
    nodes = [formula.parse(symbol.epsilon), formula.parse(symbol.delta)]
    symbols = sorted(set().union(*map(formula.names, nodes)))
    epsilon, delta = formula.compiled(symbols, {}, nodes)(values)
    if symbol.family == "gaussian":
        from dpbench.privacy import gaussian as profile

        return profile.mu(epsilon, delta)
    import math

    return epsilon - 2.0 * math.log1p(-delta)
