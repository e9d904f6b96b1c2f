"""Kinds of claims of a `Statement`: what each is made of, in Python and in a TOML file, and how it says itself.

An object of each class makes claims of its kind: ``inequality("x", "<=", "y")``. A new kind is a class here, named in
`KINDS`. Where its claim is one inequality, its method `sides` is all that search, proof, certificate and measurement
need; where it is several, they are its function in `dpbench.certificates.judge_pieces.PIECES`. The kind of an entry
("privacy", "rate", ...) is another thing (`dpbench.ledger.words.KINDS`), and so is that of a certificate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from dpbench.core import validation

NOTIONS: dict[str, tuple[str, ...]] = {
    "dp": ("epsilon", "delta"), "zcdp": ("rho",), "renyi": ("alpha", "tau"), "gdp": ("mu",),
}  # fmt: skip
SIGNS = ("<=", ">=", "<", ">")
Parts = Mapping[str, Any]


@dataclass(frozen=True)
class Conclusion:
    """What a theorem claims: a kind, its formulas, and of privacy what they are held against."""

    kind: str
    parts: Parts
    against: Mapping[str, str] = field(default_factory=dict)

    @property
    def of(self) -> Kind:
        """The object of its kind."""
        return KINDS[self.kind]

    @property
    def notion(self) -> str:
        """ "dp", "zcdp", "renyi" or "gdp"; empty where nothing is claimed of privacy."""
        return next((name for name, keys in NOTIONS.items() if set(self.against) == set(keys)), "")

    @property
    def privacy(self) -> str:
        """ "(epsilon, delta)-DP", "rho-zCDP", ...; empty where nothing is claimed of privacy."""
        given = self.against
        pure = given.get("delta") == "0"
        return {
            "dp": f"{given.get('epsilon')}-DP" if pure else f"({given.get('epsilon')}, {given.get('delta')})-DP",
            "zcdp": f"{given.get('rho')}-zCDP",
            "renyi": f"({given.get('alpha')}, {given.get('tau')})-Renyi DP",
            "gdp": f"{given.get('mu')}-GDP",
        }.get(self.notion, "")

    @property
    def sides(self) -> tuple[str, str, str] | None:
        """(left, relation, right) where the claim is one inequality."""
        return self.of.sides(self.parts)

    def text(self, how: str = "") -> str:
        """What is claimed, under a relation of neighbours in words."""
        parts = {name: ", ".join(part) if isinstance(part, tuple) else part for name, part in self.parts.items()}
        return self.of.sentence(self.parts).format(**parts, privacy=self.privacy, how=how or self.of.replaced)


class Kind:
    """A kind of claim.

    Attributes
    ----------
    needed, beside : tuple of str
        Keys of its table in a file; those that may be left out.
    lists, words : tuple of str
        Those that hold lists of formulas; those that hold no formula, but a relation or the name of a symbol.
    spelt : dict of str to str
        Keys that are another word in Python.
    path : bool
        Whether it speaks of a variable that grows; its witness is a path then.
    says : str
        What is claimed, with holes for its parts, the notion of privacy and the relation of neighbours.
    replaced : str
        That relation in words, where a record is replaced.
    """

    needed: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    spelt: ClassVar[Mapping[str, str]] = {}
    path = False
    says = replaced = ""

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, table: Parts) -> Conclusion:
        """The claim of a table with the right keys."""
        return cast(Any, self)(**{self.spelt.get(name, name): part for name, part in table.items()})

    def sentence(self, parts: Parts) -> str:
        """`says` of a claim with these parts."""
        return self.says

    def sides(self, parts: Parts) -> tuple[str, str, str] | None:
        """(left, relation, right), formulas and one of `SIGNS`, where a claim with these parts is one inequality."""
        return None


class _Private(Kind):
    beside = tuple(name for names in NOTIONS.values() for name in names)

    def _claim(self, against: Parts, **parts: Any) -> Conclusion:
        given = {name: str(text) for name, text in against.items() if text is not None}
        if not given:
            given = {"epsilon": "epsilon", "delta": "delta"}
        elif set(given) == {"epsilon"}:
            given["delta"] = "0"
        conclusion = Conclusion(self.name, parts, given)
        if not conclusion.notion:
            raise validation.invalid(
                "what the claim is held against", "epsilon (and delta), or rho, or alpha and tau, or mu", sorted(given)
            )
        return conclusion


class Shift(_Private):
    """Two normal, or two Laplace, laws of one scale whose means are `shift` apart are within the notion."""

    needed = ("shift", "scale")

    def __call__(self, *, shift: str, scale: str, **against: Any) -> Conclusion:
        return self._claim(against, shift=str(shift), scale=str(scale))

    def sentence(self, parts: Parts) -> str:
        return f"two {self.name.capitalize()} laws of scale {{scale}}, {{shift}} apart, are within {{privacy}}{{how}}"


class Discrete(_Private):
    """Two laws on finitely many outcomes, as lists of weights, of which the last may be "rest"."""

    needed = ("p", "q")
    lists = ("p", "q")
    says = "the laws ({p}) and ({q}) are within {privacy}{how}"

    def __call__(self, *, p: Any, q: Any, **against: Any) -> Conclusion:
        laws = {}
        for name, law in (("p", p), ("q", q)):
            if isinstance(law, str) or not isinstance(law, Sequence) or len(law) < 2:
                raise validation.invalid(name, 'a list of two formulas or more, the last may be "rest"', law)
            laws[name] = tuple(str(weight) for weight in law)
        if len(laws["p"]) != len(laws["q"]):
            raise validation.invalid("q", f"of as many outcomes as p ({len(laws['p'])})", list(laws["q"]))
        return self._claim(against, **laws)


class Event(_Private):
    """An event of chance `p` on one data set and `q` on its neighbour, in this order: p <= e^epsilon q + delta."""

    needed, beside = ("p", "q"), NOTIONS["dp"]
    says = "an event of chance {p} against {q} is within {privacy}"

    def __call__(self, *, p: str, q: str, epsilon: Any = None, delta: Any = None) -> Conclusion:
        return self._claim({"epsilon": epsilon, "delta": delta}, p=str(p), q=str(q))


class Bounded(_Private):
    """What is known of a mechanism in closed form is within the notion: `loss`, the largest log-ratio of two
    neighbouring laws (with no delta); `profile`, a bound on delta(epsilon). A certificate shows it at the witnesses; a
    file has no such claim, for the bound itself is left to the steps."""

    def __call__(self, *, bound: str, **against: Any) -> Conclusion:
        return self._claim(against, bound=str(bound))

    says = "the {bound} of neighbouring laws is within {privacy}{how}"


class Mixture(_Private):
    """The Gaussian mechanism on a Poisson sample: a record is there with chance `rate`, and then moves the mean."""

    needed = ("rate", "shift", "scale")
    says = (
        "Gaussian noise of scale {scale} on a Poisson sample of rate {rate}, in which a record moves the mean by "
        "{shift}, is {privacy}{how}"
    )

    def __call__(self, *, rate: str, shift: str, scale: str, **against: Any) -> Conclusion:
        return self._claim(against, rate=str(rate), shift=str(shift), scale=str(scale))


class Compose(_Private):
    """What is composed of steps that are each within a notion, whatever they are, is within another notion.

    Steps may be chosen adaptively, and anything is computed of their outputs. ``times`` says how often each step is
    taken, ``group`` how many records two data sets differ in, ``order`` at which order zCDP becomes (ε, δ)-DP.

    >>> compose({"rho": "1/(2*s^2)"}, times="T", rho="T/(2*s^2)").text()
    'the adaptive composition of T times 1/(2*s^2)-zCDP is within T/(2*s^2)-zCDP, a record replaced, in steps and whole'
    """

    needed, beside = ("piece",), (*_Private.beside, "times", "group", "order")
    lists, words = ("piece", "times"), ("each",)
    replaced = ", a record replaced"

    def __call__(self, piece: Any, *, times: Any = (), group: str = "1", order: str = "", **against: Any) -> Conclusion:
        steps = [self._claim(one) for one in ([piece] if isinstance(piece, Mapping) else piece)]
        often = (times,) if isinstance(times, (str, int)) else tuple(times) or ("1",) * len(steps)
        notions = {step.notion for step in steps}
        if len(notions) != 1:
            raise validation.invalid("piece", "one piece or more, all within one notion", sorted(notions))
        if len(often) != len(steps):
            raise validation.invalid("times", f"one number for each of {len(steps)} pieces", list(often))
        parts = {"each": notions.pop(), "steps": tuple(text for step in steps for text in step.against.values()),
                 "times": tuple(map(str, often)), "group": str(group)}  # fmt: skip
        return self._claim(against, **parts, **({"order": str(order)} if order else {}))

    def sentence(self, parts: Parts) -> str:
        keys = NOTIONS[parts["each"]]
        steps = zip(*[iter(parts["steps"])] * len(keys), strict=True)
        phrases = [f"{often} times {Conclusion('', {}, dict(zip(keys, step, strict=True))).privacy}"
                for often, step in zip(parts["times"], steps, strict=True)]  # fmt: skip
        group = "" if parts["group"] == "1" else f", for groups of {parts['group']},"
        said = f"the adaptive composition of {' and '.join(phrases)}{group} is within {{privacy}}"
        return f"{said}{{how}}, in steps and whole"


class Inequality(Kind):
    """left <= right, or with >=, < or >."""

    needed = ("left", "relation", "right")
    words = ("relation",)
    says = "{left} {relation} {right}"

    def __call__(self, left: str, relation: str, right: str) -> Conclusion:
        validation.choice("relation", relation, SIGNS)
        return Conclusion(self.name, {"left": str(left), "relation": relation, "right": str(right)})

    def sides(self, parts: Parts) -> tuple[str, str, str]:
        return parts["left"], parts["relation"], parts["right"]


class Order(Kind):
    """quantity = O(to) as `variable` grows, or falls to 0; the constant may depend on the other symbols."""

    needed, beside = ("quantity", "in"), ("to", "moves")
    words = ("in", "moves")
    spelt: ClassVar = {"in": "variable"}
    path = True
    says = "{quantity} = O({to}) as {in} "

    def __call__(self, quantity: str, *, to: str = "1", variable: str, moves: str = "grows") -> Conclusion:
        parts = {"quantity": str(quantity), "to": str(to), "in": variable}
        falls = validation.choice("moves", moves, ("grows", "falls")) == "falls"
        return Conclusion(self.name, parts | ({"moves": moves} if falls else {}))

    def sentence(self, parts: Parts) -> str:
        return self.says + ("falls to 0" if "moves" in parts else "grows")


class Rate(Kind):
    """An error bound as a formula, whose slope in the logarithm of `variable` is measured: a ceiling or a floor."""

    words = ("in", "side")
    says = "the error's {side} bound is {bound}, as {in} grows"

    def __call__(self, bound: str, *, variable: str, side: str = "upper") -> Conclusion:
        validation.choice("side", side, ("upper", "lower", "tight"))
        return Conclusion(self.name, {"bound": str(bound), "in": variable, "side": side})


gaussian, laplace, discrete, event = Shift("gaussian"), Shift("laplace"), Discrete("discrete"), Event("event")
mixture, inequality, order, rate = Mixture("mixture"), Inequality("inequality"), Order("order"), Rate("rate")
compose = Compose("compose")
loss, profile = Bounded("loss"), Bounded("profile")
KINDS: dict[str, Kind] = {
    one.name: one
    for one in (gaussian, laplace, discrete, event, mixture, compose, inequality, order, rate, loss, profile)
}
