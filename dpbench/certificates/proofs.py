"""Certificates of what holds: an inequality on its whole region, by cuts; a guarantee at the witnesses."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpbench.certificates.build import Draft, above, below
from dpbench.certificates.judge_pieces import region, sided
from dpbench.certificates.regions import Proof
from dpbench.core import validation
from dpbench.ledger import formula
from dpbench.ledger.formula import parse, write
from dpbench.ledger.statement import Calibrated, Statement, solved


def regional(statement: Statement) -> Proof:
    """What the statement claims on its region."""
    given = sided(condition for _, condition, _ in statement.conditions)
    return Proof([statement.comparison], region(statement), statement.definitions, given)


def proof(statement: Statement) -> Draft:
    """The certificate of a statement whose claim is an inequality, for all values of its symbols.

    Raises
    ------
    InvalidInput
        Where the cells that the statement allows do not show it, or no point of the region is found at which it says
        something.
    """
    one = regional(statement)
    tree = one.tree(statement.cells)
    if tree.cuts is None:
        raise validation.invalid("cells", "enough for a proof over the region", statement.cells)
    witness = one.witness()
    if witness is None:
        raise validation.invalid("a region", "one with a point at which the hypotheses hold", statement.text)
    return one.draft(
        tree.cuts, witness, statement=statement.text,
        symbols={name: symbol.meaning for name, symbol in statement.symbols.items()},
        derivation=[(step, []) for step in statement.steps],
    )  # fmt: skip


LEAST = 1e-3
"""A calibrated number that is smaller, or larger, by this share breaks the claim: as the checker has it."""


def guarantee(statement: Statement) -> Draft:
    """The certificate that a claim of privacy holds at the witnesses of its statement.

    Of a symbol that is solved for, a number of six digits just below is used. A number of `Statement.computed` is a
    symbol with the value that its formula gives, rounded to where more is kept. The checker brackets the last of them
    on both sides where it is calibrated: where it is made of a symbol that is solved for, or where a thousandth more or
    less of it breaks the claim at every witness. Two assumptions hold the others to their formulas, to a millionth.
    """
    claim, notion = _bounded(statement), statement.claim.notion
    if notion != "dp" or not statement.instances:
        raise validation.invalid("a guarantee", "of epsilon and delta, with a witness", statement.text)
    if claim["family"] == "laplace" and claim["delta"] == "0":
        claim["family"] = "pure"
    of, within = ("loss", claim["epsilon"]) if claim["family"] == "pure" else ("delta", claim["delta"])
    ratio = f"({claim['shift']})/({claim['scale']})"
    shows = f"{claim['family']}_delta({ratio}, {claim['epsilon']})" if claim["family"] in ("gaussian", "laplace") else (
        ratio)  # fmt: skip
    given = {name: (write(condition), why) for name, condition, why in statement.conditions}
    wanted = [*(part for name, part in claim.items() if name != "family"), *(text for text, _ in given.values())]
    numbers, tight = [_numbers(statement, values, shows) for values in statement.instances], ""
    for name in statement.computed:
        free = formula.reached([parse(statement.where[name])], statement.definitions)
        if any(isinstance(statement.symbols.get(symbol), Calibrated) for symbol in free):
            tight = name
    last = list(statement.computed)[-1:]
    if not tight and last and all(_breaks(statement, values, last[0], shows, within) for values in numbers):
        tight = last[0]
    steps = [(text, list(given) if place == 0 else []) for place, text in enumerate(statement.steps)]
    for name, what in statement.computed.items():
        if name != tight:
            text = f"({write(statement.definitions[name])})"
            ends = {f"{name}_low": f"{name} >= (1 - 1/10^6)*{text}", f"{name}_high": f"{name} <= (1 + 1/10^6)*{text}"}
            given |= {end: (bound, "the formula") for end, bound in ends.items()}
            wanted += ends.values()
            steps.append((f"{name}, {what}, is what its formula gives, to a millionth.", list(ends)))
    kept = {name: write(node) for name, node in statement.definitions.items() if name not in statement.computed}
    needed = formula.reached([_read(text) for text in wanted], {name: parse(text) for name, text in kept.items()})
    meanings = {name: symbol.meaning for name, symbol in statement.symbols.items()}
    meanings |= {name: f"{what}, as it is computed" for name, what in statement.computed.items()}
    symbols = {name: what for name, what in meanings.items() if name in needed}
    return Draft(
        verdict="proved",
        statement=statement.sentence or statement.text,
        symbols=symbols,
        claim={**claim, "calibrated": tight},
        instances=[
            ({name: values[name] for name in symbols}, {of: _value(statement, values, shows)}) for values in numbers
        ],
        derivation=steps,
        definitions={name: text for name, text in kept.items() if name in needed},
        assumptions=given,
    )


def _bounded(statement: Statement) -> dict[str, str]:
    """Parts of the certificate's claim: a shift and a scale, or a bound and 1."""
    kind, nodes = statement.claim.kind, statement.claim_nodes
    families = {"gaussian": "gaussian", "laplace": "laplace", "loss": "pure", "profile": "bound"}
    family = families[validation.choice("the claim of a guarantee", kind, tuple(families))]
    names = ("bound", None) if "bound" in nodes else ("shift", "scale")
    shift, scale = ("1" if name is None else write(nodes[name]) for name in names)
    return {"family": family, "shift": shift, "scale": scale, "epsilon": write(nodes["epsilon"]),
            "delta": write(nodes["delta"])}  # fmt: skip


def _numbers(statement: Statement, given: Mapping[str, Fraction], shows: str) -> dict[str, Fraction]:
    """Values of all symbols and of the computed numbers, rational."""
    values = dict(given)
    for name, symbol in statement.symbols.items():
        if isinstance(symbol, Calibrated):
            values[name] = below(solved(symbol, {key: float(value) for key, value in values.items()}))
    for name in statement.computed:
        number = _value(statement, values, name)
        short = Fraction(number).limit_denominator(1000)
        if float(short) == number and short.numerator < 10**6:
            values[name] = short
        else:
            sides = [{**values, name: rounded(number, 7)} for rounded in (above, below)]
            values = min(sides, key=lambda side: _value(statement, side, shows))
    return values


def _breaks(statement: Statement, values: Mapping[str, Fraction], name: str, shows: str, within: str) -> bool:
    """Whether a thousandth more of a number breaks the claim, or a thousandth less does, but not both."""
    sides = [{**values, name: values[name] * Fraction(1 + by)} for by in (-LEAST, LEAST)]
    return sum(_value(statement, side, shows) > _value(statement, side, within) for side in sides) == 1


def _value(statement: Statement, values: Mapping[str, Fraction], text: str) -> float:
    """A formula at values of symbols, and of definitions where these have one."""
    definitions = {name: node for name, node in statement.definitions.items() if name not in values}
    floats = {name: float(value) for name, value in values.items()}
    (number,) = formula.compiled(tuple(floats), definitions, [parse(text)])(floats)
    return float(number)


def _read(text: str) -> Any:
    return parse(text, comparison=any(relation in text for relation in formula.RELATIONS))
