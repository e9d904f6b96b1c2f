"""What a claim comes to: inequalities in the statement's symbols.

A claim of privacy of a known family is a few inequalities, by exact conversions: of two normal laws r scales apart
δ(ε) (Balle and Wang 2018), ρ = r²/2 and τ = α r²/2 (Bun and Steinke 2016, Mironov 2017), μ = r (Dong, Roth and Su
2019); of two Laplace laws δ(ε) and the Rényi divergence in closed form (Mironov 2017); of discrete laws their sums;
of the Gaussian mechanism on a Poisson sample δ(ε) by the best event, which is that of a Gaussian pair at another ε.
What is claimed for every ε, every order or every outcome brings a symbol of its own.

A claim of privacy speaks of laws, a budget and an order, and these have to be some: a scale above 0, weights of sum 1
that are not negative, ε >= 0, 0 <= δ < 1, an order above 1 (`required`). A search counts no other point; a proof has to
show them all.

Formulas are trees of `dpbench.ledger.formula`, whose numbers are fractions; the checker's have numbers of python-flint:
``check.parse(write(node))`` is the checker's tree.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any

import dpbench_check as check

from dpbench.certificates.regions import Comparison, Ends, Proof
from dpbench.core import validation
from dpbench.ledger import formula
from dpbench.ledger.formula import Node, parse, put, write
from dpbench.ledger.kinds import NOTIONS, Conclusion
from dpbench.ledger.statement import Calibrated, Integer, Real, Statement, Symbol

ZERO, ONE = ("num", Fraction(0)), ("num", Fraction(1))


@dataclass(frozen=True)
class Inequality:
    """left <= right, or left < right where `strict`."""

    left: Node
    right: Node
    strict: bool = False

    @property
    def comparison(self) -> Comparison:
        return "<" if self.strict else "<=", self.left, self.right


@dataclass(frozen=True)
class Piece:
    """One part of a claim: all of them hold, or the claim does not.

    Attributes
    ----------
    inequalities : tuple of Inequality
        What is to be proved, and of whose ratios the search takes the logarithm.
    kind, claim : str, dict
        Of the certificate of a counterexample; expressions are texts.
    shows : dict of str to Node
        What the certificate encloses.
    hidden : dict of str to Symbol
        Symbols over which the notion ranges.
    conditions : dict of str to (comparison, why)
        Beside those of the statement; one that begins with "open_" leaves out an end of a range, no more.
    derivation : tuple of str
    events : tuple of (Node, Node)
        Of discrete laws each outcome's chance, and what it may be.
    some : str
        Why it proves nothing, though what it refutes is false: it is of some events alone, or of no law for certain.
    """

    inequalities: tuple[Inequality, ...]
    kind: str
    claim: Mapping[str, Any] = field(default_factory=dict)
    shows: Mapping[str, Node] = field(default_factory=dict)
    hidden: Mapping[str, Symbol] = field(default_factory=dict)
    conditions: Mapping[str, tuple[Node, str]] = field(default_factory=dict)
    derivation: tuple[str, ...] = ()
    events: tuple[tuple[Node, Node], ...] = ()
    some: str = ""


def pieces(statement: Statement) -> list[Piece]:
    """The parts of a statement's claim.

    Raises
    ------
    InvalidInput
        Where nothing can be decided of the claim: rates, floors, stability, or a mixture against a notion without a
        closed form.
    """
    if not decidable(statement.claim):
        raise validation.invalid("the claim", f"one inequality, or one of {', '.join(PIECES)}", statement.claim.kind)
    return PIECES[statement.claim.kind](statement) if statement.claim.sides is None else [_inequality(statement)]


def decidable(claim: Conclusion) -> bool:
    """Whether there are inequalities that it comes to."""
    return claim.sides is not None or claim.kind in PIECES


def _t(text: str, **parts: Node) -> Node:
    """A formula with expressions in place of names."""
    return put(parse(text), parts)


def _plain(left: Node, right: Node, why: str, *, strict: bool = False, **fields: Any) -> Piece:
    """left <= right as an inequality of the checker."""
    claim = {"left": write(left), "relation": "<" if strict else "<=", "right": write(right)}
    return Piece(
        (Inequality(left, right, strict),), "inequality", claim, {"left": left, "right": right}, derivation=(why,),
        **fields,
    )  # fmt: skip


def _divergence(inside: Node, alpha: Node, bound: Node, why: str, **fields: Any) -> Piece:
    """log(inside)/(alpha - 1) <= bound, which is proved without the quotient: both sides of it are 0 at order 1."""
    less = ("-", alpha, ONE)
    piece = _plain(("/", ("log", inside), less), bound, why, **fields)
    return dataclasses.replace(piece, inequalities=(Inequality(("log", inside), ("*", less, bound)),))


def _free(statement: Statement, name: str) -> str:
    """A name that no symbol, definition or index of a sum has."""
    nodes = [*statement.claim_nodes.values(), *statement.definitions.values(), *(c for _, c, _ in statement.conditions)]
    inner = [check.indices(check.parse(write(node), node[0] in check.OPPOSITE)) for node in nodes]
    return formula.fresh(name, {*statement.symbols, *statement.where}.union(*inner))


def _against_order(statement: Statement) -> tuple[Node, Node, dict[str, Any]]:
    """Order and bound of a claim of Rényi divergences; what it is for every order > 1 brings a symbol of its own."""
    nodes = statement.claim_nodes
    if statement.claim.notion == "renyi":
        return nodes["alpha"], nodes["tau"], {}
    name = _free(statement, "alpha")
    above = {"open_order": ((">", ("sym", name), ONE), "an order")}
    fields = {"hidden": {name: Real("any order", 1, "inf")}, "conditions": above}
    return ("sym", name), ("*", nodes["rho"], ("sym", name)), fields


def _against_mu(statement: Statement) -> tuple[Node, Node, dict[str, Symbol]]:
    """Any ε, the δ that a claim of μ-GDP allows there, and the symbol of that ε.

    It says the same of both orders of a pair: one of them alone at every ε >= 0 would be less.
    """
    if statement.relation in ("add", "remove"):
        raise validation.invalid("relation", "replace or add_remove where mu is claimed", statement.relation)
    name = _free(statement, "epsilon")
    allowed = _t("gaussian_delta(m, e)", m=statement.claim_nodes["mu"], e=("sym", name))
    return ("sym", name), allowed, {name: Real("any epsilon", 0, "inf")}


GDP = "mu-GDP is delta(epsilon) <= that of two normal laws mu apart, at every epsilon >= 0."


# What a claim of privacy needs to speak of laws


def required(statement: Statement) -> dict[str, Comparison]:
    """Comparisons that hold wherever a claim of privacy says something: of its laws, its budget, its order."""
    nodes, notion = statement.claim_nodes, statement.claim.notion
    comparisons = LAWFUL.get(statement.claim.kind, lambda statement: {})(statement)
    if notion == "dp":
        comparisons |= {"epsilon": ("<=", ZERO, nodes["epsilon"]), "delta": ("<=", ZERO, nodes["delta"]),
                 "below_one": ("<", nodes["delta"], ONE)}  # fmt: skip
    if notion == "renyi":
        comparisons["order"] = ("<", ONE, nodes["alpha"])
    return {name: one for name, one in comparisons.items() if not _within(statement, one)}


def _scaled(statement: Statement) -> dict[str, Comparison]:
    nodes = statement.claim_nodes
    shift = _size(statement, nodes["shift"])
    comparisons: dict[str, Comparison] = {"scale": ("<", ZERO, nodes["scale"])}
    return comparisons | ({"shift": ("<=", ZERO, shift)} if shift[0] != "abs" else {})


def _sampled(statement: Statement) -> dict[str, Comparison]:
    rate = statement.claim_nodes["rate"]
    return {**_scaled(statement), "rate": ("<=", ZERO, rate), "rate_below": ("<=", rate, ONE)}


def _chances(statement: Statement) -> dict[str, Comparison]:
    comparisons: dict[str, Comparison] = {f"chance_{side}": ("<=", ZERO, statement.claim_nodes[side]) for side in "pq"}
    return comparisons | {f"chance_{side}_below": ("<=", statement.claim_nodes[side], ONE) for side in "pq"}


def _weights(statement: Statement) -> dict[str, Comparison]:
    laws = zip("pq", _laws(statement), strict=True)
    return {f"weight_{side}_{i}": ("<=", ZERO, weight) for side, law in laws for i, weight in enumerate(law)}


def lawful(statement: Statement) -> dict[str, tuple[Node, str]]:
    """The same as conditions of a search; of pairs the checker decides them by itself."""
    return {f"claimed_{name}": (one, "or nothing is claimed") for name, one in required(statement).items()}


def _within(statement: Statement, one: Comparison) -> bool:
    """Whether a comparison is one of numbers that holds, a hypothesis, or what a symbol's range says."""
    relation, left, right = one
    if left[0] == right[0] == "num":
        return bool(left[1] < right[1] or (relation == "<=" and left[1] == right[1]))
    turned = {"<=": ">=", "<": ">"}[relation], right, left
    if any(condition in (one, turned) for _, condition, _ in statement.conditions):
        return True
    if right[0] == "sym" and left[0] == "num" and right[1] in statement.ranges:
        low, _, opened, _ = statement.ranges[right[1]]
        return low is not None and (low > left[1] or (low == left[1] and (opened or relation == "<=")))
    if left[0] == "sym" and right[0] == "num" and left[1] in statement.ranges:
        _, high, _, opened = statement.ranges[left[1]]
        return high is not None and (high < right[1] or (high == right[1] and (opened or relation == "<=")))
    return False


def sided(conditions: Iterable[Comparison]) -> list[Comparison]:
    """The same for a proof on a region: what is given there is no equality, which is two inequalities."""
    comparisons: list[Comparison] = []
    for relation, left, right in conditions:
        comparisons += [(each, left, right) for each in (("<=", ">=") if relation == "=" else (relation,))]
    return comparisons


def seen(statement: Statement, one: Comparison) -> bool:
    """Whether the checker sees a comparison on the whole region, as one cell."""
    ends = region(statement)
    sides = {name: pair for name, pair in ends.items() if pair[0] != pair[1]}
    if len(sides) < len(ends):  # a symbol with one value is no side; it is seen where the search ends
        return False
    given = sided(condition for _, condition, _ in statement.conditions)
    return Proof([one], sides, statement.definitions, given).tree(1).cuts is not None


def _size(statement: Statement, shift: Node) -> Node:
    """|shift|, written as the shift where that is seen to be 0 or more."""
    return shift if seen(statement, ("<=", ZERO, shift)) else ("abs", shift)


def _shift(statement: Statement) -> list[Piece]:
    nodes, claim = statement.claim_nodes, statement.claim
    shift = _size(statement, nodes["shift"])
    ratio: Node = ("/", shift, nodes["scale"])
    parts = {"family": claim.kind, "shift": write(shift), "scale": write(nodes["scale"])}
    gauss = claim.kind == "gaussian"
    law = "normal" if gauss else "Laplace"
    if claim.notion == "dp":
        epsilon, delta = nodes["epsilon"], nodes["delta"]
        shown = (f"{claim.kind}_delta", ratio, epsilon)
        left, right = (shown, delta) if gauss else (ratio, _laplace_room(epsilon, delta))
        why = f"The outputs are two {law} laws of that scale, that shift apart."
        below = {} if delta[0] == "num" else {"below_one": (("<", delta, ONE), "delta is a chance")}
        pair = {**parts, "epsilon": write(epsilon), "delta": write(delta)}
        one = Inequality(left, right)
        return [Piece((one,), "pair-shift", pair, {"delta": shown}, conditions=below, derivation=(why,))]
    if claim.notion == "gdp" and gauss:
        return [_plain(ratio, nodes["mu"], "Two normal laws r scales apart are mu-GDP exactly for mu = r or more.")]
    if claim.notion == "gdp":
        e, allowed, hidden = _against_mu(statement)
        return [_plain(_t("laplace_delta(r, e)", r=ratio, e=e), allowed, GDP, hidden=hidden)]
    alpha, bound, fields = _against_order(statement)
    if gauss:
        left = _t("alpha*r^2/2", alpha=alpha, r=ratio)
        if claim.notion == "zcdp":
            left, bound = _t("r^2/2", r=ratio), nodes["rho"]
        why = "The Renyi divergence of order alpha of two normal laws r scales apart is alpha r^2/2."
        return [_plain(left, bound, why)]
    inside = _t(LAPLACE, alpha=alpha, r=ratio)
    why = "The Renyi divergence of order alpha > 1 of two Laplace laws r scales apart, in closed form (Mironov 2017)."
    return [_divergence(inside, alpha, bound, why, **fields)]


LAPLACE = "alpha/(2*alpha - 1)*exp((alpha - 1)*r) + (alpha - 1)/(2*alpha - 1)*exp(-alpha*r)"


def _laplace_room(epsilon: Node, delta: Node) -> Node:
    """The largest shift within (ε, δ): max(0, 1 - e^((ε - s)/2)) <= δ if and only if s <= ε - 2 log(1 - δ)."""
    return epsilon if delta == ZERO else _t("e - 2*log(1 - d)", e=epsilon, d=delta)


def _added(terms: Sequence[Node]) -> Node:
    total = terms[0]
    for term in terms[1:]:
        total = ("+", total, term)
    return total


def _laws(statement: Statement) -> tuple[list[Node], list[Node]]:
    """The listed weights of the two laws, "rest" written out."""
    laws = []
    for side in ("p", "q"):
        listed, nodes = statement.claim.parts[side], statement.claim_nodes
        law = [nodes[f"{side}.{i}"] for i in range(len(listed)) if f"{side}.{i}" in nodes]
        laws.append([*law, ("-", ONE, _added(law))] if listed[-1] == "rest" else law)
    return laws[0], laws[1]


def _discrete(statement: Statement) -> list[Piece]:
    claim = statement.claim
    p, q = _laws(statement)
    written, some = [_exact_law(claim.parts["p"]), _exact_law(claim.parts["q"])], ""
    for side, law, texts in zip("pq", (p, q), written, strict=True):
        if texts[-1] == "rest":
            continue
        if _identical(statement, _added(law), ONE):
            texts[-1] = "rest"  # what no ball decides: that the sum is exactly 1
        else:
            some = some or f"the weights of {side} are not seen to add up to 1 by the rules of fractions"
    both = statement.relation in ("replace", "add_remove")
    pieces = _law(statement, p, q, *written)
    pieces += _law(statement, q, p, *written[::-1]) if both else []
    return [dataclasses.replace(one, some=some) for one in pieces]


def _identical(statement: Statement, left: Node, right: Node) -> bool:
    check.renew()
    definitions = {name: check.parse(write(node)) for name, node in statement.definitions.items()}
    known = check.Fractions(definitions)
    forms = check.simpler("<=", check.parse(write(left)), check.parse(write(right)), known)
    return [form[1:3] for form in forms] == [(check.ZERO, check.ZERO)]


def _exact_law(texts: Sequence[str]) -> list[str]:
    return ["rest" if text == "rest" else formula.exact(text) for text in texts]


def _law(
    statement: Statement, p: list[Node], q: list[Node], p_texts: Sequence[str], q_texts: Sequence[str]
) -> list[Piece]:
    """The first law against the second."""
    claim, nodes = statement.claim, statement.claim_nodes
    notion = claim.notion
    if notion == "dp":
        e, delta = nodes["epsilon"], nodes["delta"]
        bounds = [("*", ("exp", e), weight) for weight in q]
        parts = {"p": list(p_texts), "q": list(q_texts), "epsilon": write(e), "delta": write(delta)}
        over = _added([("max", ZERO, ("-", a, b)) for a, b in zip(p, bounds, strict=True)])
        if delta == ZERO:
            inequalities = tuple(Inequality(a, b) for a, b in zip(p, bounds, strict=True))
        else:
            inequalities = (Inequality(over, delta),)
        why = "The outcomes have these chances on the two data sets."
        return [Piece(inequalities, "pair-discrete", parts, {"delta": over}, derivation=(why,),
                      events=tuple(zip(p, bounds, strict=True)))]  # fmt: skip
    if notion == "gdp":
        e, allowed, hidden = _against_mu(statement)
        over = _added([("max", ZERO, ("-", a, ("*", ("exp", e), b))) for a, b in zip(p, q, strict=True)])
        return [_plain(over, allowed, GDP, hidden=hidden)]
    alpha, bound, fields = _against_order(statement)
    terms = [_t("a^alpha*b^(1 - alpha)", a=a, b=b, alpha=alpha)
             for a, b in zip(p, q, strict=True) if a != ZERO]  # fmt: skip
    why = "The Renyi divergence of order alpha > 1 of two discrete laws is this sum."
    return [_divergence(_added(terms), alpha, bound, why, **fields)]


def _event(statement: Statement) -> list[Piece]:
    nodes = statement.claim_nodes
    p, q, e, delta = (nodes[name] for name in ("p", "q", "epsilon", "delta"))
    bound: Node = ("*", ("exp", e), q)
    right: Node = bound if delta == ZERO else ("+", bound, delta)
    claim = {"p": [write(p), "rest"], "q": [write(q), "rest"], "event": [0], "epsilon": write(e), "delta": write(delta)}
    shown = {"delta": ("-", p, ("*", ("exp", e), q))}
    why = "The event has these chances on the two data sets."
    return [Piece((Inequality(p, right),), "pair-discrete", claim, shown, derivation=(why,))]


def _mixture(statement: Statement) -> list[Piece]:
    """Poisson sampling, a record removed and added apart."""
    claim, nodes = statement.claim, statement.claim_nodes
    if statement.relation == "replace":
        raise validation.invalid("relation", "add, remove or add_remove for a Poisson sample", "replace")
    rate, ratio = nodes["rate"], ("/", _size(statement, nodes["shift"]), nodes["scale"])
    if claim.notion == "renyi":
        alpha = nodes["alpha"]
        whole = alpha[0] == "num" and alpha[1].denominator == 1
        whole = whole or (alpha[0] == "sym" and isinstance(statement.symbols.get(alpha[1]), Integer))
        if not whole or statement.relation == "add":
            raise validation.invalid("alpha", "an integer order, of relation remove or add_remove", write(alpha))
        inside = _t(SAMPLED.format(k=_free(statement, "k")), alpha=alpha, w=rate, r=ratio)
        why = ("The Renyi divergence of integer order of the sampled Gaussian, a record removed; added, no larger "
               "(Mironov, Talwar and Zhang 2019).")  # fmt: skip
        return [_divergence(inside, alpha, nodes["tau"], why)]
    if claim.notion == "zcdp":
        raise validation.invalid("a sampled Gaussian", "held against epsilon and delta, alpha and tau, or mu", "rho")
    if claim.notion == "gdp":
        e, delta, hidden = _against_mu(statement)
    else:
        e, delta, hidden = nodes["epsilon"], nodes["delta"], {}
    parts = {"w": rate, "r": ratio, "e": e}
    pieces = []
    if statement.relation in ("remove", "add_remove"):
        left = _t("w*gaussian_delta(r, log(1 + (exp(e) - 1)/w))", **parts)
        why = ("With the record the output is a mixture, without it a normal law: the best event is that of "
               "two normal laws at log(1 + (e^epsilon - 1)/rate).")  # fmt: skip
        pieces.append(_plain(left, delta, why, hidden=hidden))
    if statement.relation in ("add", "add_remove"):
        left = _t("(1 - exp(e)*(1 - w))*gaussian_delta(r, log(exp(e)*w/(1 - exp(e)*(1 - w))))", **parts)
        room: Node = ("<", _t("exp(e)*(1 - w)", **parts), ONE)
        why = ("Without the record the output is a normal law, with it a mixture; if e^epsilon (1 - rate) >= 1, delta "
               "is 0, else the best event is a half-line.")  # fmt: skip
        pieces.append(_plain(left, delta, why, hidden=hidden, conditions={"room": (room, "delta is above 0")}))
    return pieces


SAMPLED = (
    "(1 - w)^alpha + sum({k}, 1, alpha - 1, (betatail(w, {k}, alpha - {k} + 1) - betatail(w, {k} + 1, alpha - {k}))"
    "*exp(({k}^2 - {k})*r^2/2)) + w^alpha*exp((alpha^2 - alpha)*r^2/2)"
)


def composed(statement: Statement, rule: str, hypotheses: Iterable[Comparison] = ()) -> tuple[list[Comparison], ...]:
    """What the checker asks of every composition and is not a hypothesis, and what its rule needs.

    Raises
    ------
    dpbench_check.Refused
        Where the rule does not fit the claim.
    """
    said = composition(statement, rule)
    read = {name: [check.parse(text) for text in said[name]] for name in ("steps", "times", "against")}
    check.renew()
    given = [check.parse(write(condition), True) for condition in hypotheses]
    parts = check.composed({**said, **read, "group": check.parse(said["group"]), "given": given})
    comparisons = [[parse(check.show(one), comparison=True) for one in part] for part in parts]
    return tuple([(one[0], one[1], one[2]) for one in part] for part in comparisons)


def composition(statement: Statement, rule: str) -> dict[str, Any]:
    """Parts of the certificate, but for the region."""
    nodes = statement.claim_nodes
    parts = {name: [write(n) for key, n in nodes.items() if key.startswith(f"{name}.")] for name in ("steps", "times")}
    against = [write(nodes[name]) for name in check.COMPOSITIONS[rule][1].split() if name in nodes]
    integers = [name for name, symbol in statement.symbols.items() if symbol.whole]
    return {"rule": rule, **parts, "group": write(nodes["group"]), "against": against, "integers": integers,
            "neighbours": statement.relation}  # fmt: skip


def rules(statement: Statement) -> list[str]:
    """Those from the notion of the steps to that of the claim."""
    keys = [" ".join(NOTIONS[notion]) for notion in (statement.claim.parts["each"], statement.claim.notion)]
    keys[1] += " order" if "order" in statement.claim_nodes else ""
    return [rule for rule, (each, whole, *_) in check.COMPOSITIONS.items() if [each, whole] == keys]


def _compose(statement: Statement) -> list[Piece]:
    """Steps that attain their bounds, as what is searched: the proof is by the rules of the checker."""
    if statement.relation not in ("replace", "add_remove"):
        raise validation.invalid("relation", "replace or add_remove for a composition", statement.relation)
    if not rules(statement):
        raise validation.invalid("a composition", f"of a notion that gives {statement.notion}, by a rule of the "
                                 "checker's README", statement.claim.parts["each"])  # fmt: skip
    try:
        _budgeted(statement)
    except check.Refused as error:
        raise validation.invalid("a composition", "one that the checker has a rule for", str(error)) from None
    each, nodes, group = statement.claim.parts["each"], statement.claim_nodes, statement.claim_nodes["group"]
    keys = NOTIONS[each]
    listed = [nodes[f"steps.{i}"] for i in range(len(statement.claim.parts["steps"]))]
    steps = [(nodes[f"times.{i}"], dict(zip(keys, listed[i * len(keys) :], strict=False)))
             for i in range(len(listed) // len(keys))]  # fmt: skip
    for name, count in [*(("times", times) for times, _ in steps), ("group", group)]:
        _counted(statement, f"claim.compose.{name}", count)
    if each == "dp":
        pieces = _responses(statement, steps, group)
    else:
        form = {"gdp": "T*mu^2", "zcdp": "2*T*rho", "renyi": "2*T*tau/alpha"}[each]
        squares = [_t(form, T=times, **step) for times, step in steps]
        shift: Node = ("sqrt", _added(squares))
        if len(steps) == 1 and each == "gdp":
            shift = _t("sqrt(T)*mu", T=steps[0][0], **steps[0][1])
        shift = shift if group == ONE else ("*", group, shift)
        pair = Conclusion("gaussian", {"shift": write(shift), "scale": "1"}, statement.claim.against)
        pieces = _shift(dataclasses.replace(statement, claim=pair))
    return [dataclasses.replace(one, derivation=(ATTAINED[each], *one.derivation)) for one in pieces]


def _counted(statement: Statement, place: str, count: Node) -> None:
    """Refuse times, or a group, that are not made of whole numbers, or not at least 1."""
    lows = {name: region(statement)[name][0] for name, symbol in statement.symbols.items() if symbol.whole}
    natural = {name for name, low in lows.items() if low is not None and low >= 0}
    definitions = {name: check.parse(write(node)) for name, node in statement.definitions.items()}
    if not check.whole_number(check.parse(write(count)), set(lows), natural, definitions):
        raise validation.invalid(place, "a whole number, of integers, floor(..), ceil(..)", write(count))
    least = count[1] if count[0] == "num" else lows.get(count[1]) if count[0] == "sym" else None
    if least is not None and least < 1:
        raise validation.invalid(place, "at least 1 on the whole region", write(count))


ATTAINED = {
    "dp": "A step may be a randomised response, or fail openly with chance delta, whatever the records.",
    **dict.fromkeys(("gdp", "zcdp", "renyi"), "A step may be Gaussian noise that attains its bound: k records move the "
                    "mean k times as far, and T steps are one whose shift is sqrt(T) times as large."),
}  # fmt: skip


def _responses(statement: Statement, steps: list[tuple[Node, dict[str, Node]]], group: Node) -> list[Piece]:
    """Steps that are (ε, δ)-DP and no better: an event that each of them makes likely."""
    notion, against = statement.claim.notion, statement.claim.against

    def event(p: Node, q: Node, **more: Any) -> Piece:
        pair = Conclusion("event", {"p": write(p), "q": write(q)}, against)
        symbols = {**statement.symbols, **more.get("hidden", {})}
        (one,) = _event(dataclasses.replace(statement, claim=pair, symbols=symbols))
        return dataclasses.replace(one, **more)

    def over(form: str) -> Node:
        terms = (_t(form, T=times, k=group, **step) for times, step in steps)
        return reduce(lambda total, term: ("*", total, term), terms)

    if notion != "dp":
        alpha, bound, fields = _against_order(statement)
        alone = "log(exp(A*epsilon - log(1 + exp(epsilon))) + exp((1 - A)*epsilon - log(1 + exp(epsilon))))"
        form = f"T*{alone}" if group == ONE else f"T*log({LAPLACE})".replace("alpha", "A").replace("*r", "*k*epsilon")
        total = _added([_t(form, A=alpha, k=group, T=times, epsilon=step["epsilon"]) for times, step in steps])
        why = "The Renyi divergence of order alpha > 1 of steps adds up; of Laplace noise or a response it is known."
        return [_plain(("/", total, ("-", alpha, ONE)), bound, why, **fields)]
    if group != ONE:
        small = event(over("(exp(-k*epsilon)/2)^T"), over("(exp(-2*k*epsilon)/2)^T"))
        grown = "delta*(exp({n}*epsilon) - 1)/(exp(epsilon) - 1)"
        last = {f"room_{i}": (("<=", _t(grown.format(n="(k - 1)"), k=group, **one),
                               _t("(1 - delta)/(1 + exp(epsilon))", **one)), "the event's chance may grow so")
                for i, (_, one) in enumerate(steps)}  # fmt: skip
        return [small, event(("-", ONE, over(f"(1 - {grown.format(n='k')})^T")), ZERO, conditions=last)]
    failed, right = over("(1 - delta)^T"), over("(1/(1 + exp(-epsilon)))^T")
    pieces = [event(_t("1 - f*(1 - r)", f=failed, r=right), ("*", failed, over("(1/(1 + exp(epsilon)))^T")))]
    if len(steps) == 1 and steps[0][0] != ONE:
        name = _free(statement, "j")
        parts = {"T": steps[0][0], "j": ("sym", name), "f": failed, "e": steps[0][1]["epsilon"]}
        tail = "betatail(1/(1 + exp({s}e)), j, T - j + 1)"
        p, q = _t(f"1 - f*(1 - {tail.format(s='-')})", **parts), _t(f"f*{tail.format(s='')}", **parts)
        within = {"answers": (("<=", parts["j"], parts["T"]), "j or more of T answers")}
        pieces.append(event(p, q, hidden={name: Integer("how many answers", 1, "inf")}, conditions=within))
    return pieces


def _budgeted(statement: Statement) -> dict[str, Comparison]:
    """What the checker asks of every composition, whatever the rule."""
    given = [(one[0], one[1], one[2]) for _, one, _ in statement.conditions]
    return {f"composed_{i}": one for i, one in enumerate(composed(statement, rules(statement)[0], given)[0])}


def _inequality(statement: Statement) -> Piece:
    relation, left, right = statement.comparison
    less, more = (left, right) if relation in ("<=", "<") else (right, left)
    claim = {"left": write(left), "relation": relation, "right": write(right)}
    return Piece((Inequality(less, more, relation in ("<", ">")),), "inequality", claim,
                 {"left": left, "right": right}, derivation=("The inequality as it is claimed.",))  # fmt: skip


def _order(statement: Statement) -> list[Piece]:
    """quantity = O(to): a path of the variable is looked for along which no constant lasts."""
    variable, falls = statement.claim.parts["in"], "moves" in statement.claim.parts
    symbol = statement.symbols.get(variable)
    if symbol is None or isinstance(symbol, Calibrated) or (falls and symbol.whole):
        raise validation.invalid("claim.order.in", f"a {'real ' if falls else ''}symbol with a range", variable)
    why = () if statement.steps else ("The quantity and its claimed order are the formulas as they are typed.",)
    return [Piece((), "growth", derivation=why)]


# Of each kind of claim its parts, and of a claim of privacy what its laws need, to be laws.
PIECES: dict[str, Callable[[Statement], list[Piece]]] = {
    "gaussian": _shift, "laplace": _shift, "discrete": _discrete, "event": _event, "mixture": _mixture,
    "compose": _compose, "order": _order,
}  # fmt: skip
LAWFUL: dict[str, Callable[[Statement], dict[str, Comparison]]] = {
    "gaussian": _scaled, "laplace": _scaled, "discrete": _weights, "event": _chances, "mixture": _sampled,
    "compose": _budgeted,
}  # fmt: skip


def region(statement: Statement, hidden: Mapping[str, Symbol] | None = None) -> dict[str, Ends]:
    """Exact ends of every symbol, for a proof; a calibrated one ranges over all that its hypothesis allows."""
    ranges: dict[str, Ends] = {}
    for name, symbol in {**statement.symbols, **(hidden or {})}.items():
        if isinstance(symbol, Calibrated):
            ranges[name] = (Fraction(0), None)
        elif name in statement.ranges:
            ranges[name] = statement.ranges[name][:2]
        else:
            ranges[name] = (symbol.low, symbol.high)
    return ranges
