"""Mutations of a certificate: every number, operator, function, comparison and part, one at a time."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpbench.certificates.build import seal

OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "^": "*"}
SWAPS = {"exp": "log", "log": "exp", "sqrt": "exp", "erfc": "exp", "min": "max", "max": "min", "abs": "exp"}
RELATIONS = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "<"}
WAYS = {"rises": "falls", "falls": "rises"}
EXPRESSIONS = {"p", "q", "epsilon", "delta", "shift", "scale", "left", "right", "profile", "tail", "quantity", "power",
               "log_power"}  # fmt: skip


def of_expression(text: str) -> Iterator[tuple[str, str]]:
    """(what, mutated text): each integer one more, each operator and function another, each comparison turned."""
    for match in re.finditer(r"<=|>=|[-+*/^<>=]|\d+|[A-Za-z_][A-Za-z0-9_]*", text):
        token, here = match.group(), slice(*match.span())
        if token.isdigit():
            changed, what = str(int(token) + 1), "number"
        elif token in RELATIONS:
            changed, what = RELATIONS[token], "comparison"
        elif token in OPERATORS:
            changed, what = OPERATORS[token], "operator"
            if token == "-" and not text[: match.start()].strip(" ("):
                changed = ""
        elif token in SWAPS and text[match.end() : match.end() + 1] == "(":
            changed, what = SWAPS[token], "operator"
        else:
            continue
        yield what, text[: here.start] + changed + text[here.stop :]


def of_number(text: str) -> Iterator[str]:
    """A rational a tenth larger and a tenth smaller, or moved by one where it is an integer."""
    value = Fraction(text)
    step = Fraction(1) if value.denominator == 1 else abs(value) / 10
    yield str(value + step)
    yield str(value - step)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    else:
        yield path, value


def changed(certificate: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy with another leaf (or, for None, without it), sealed anew: the digest must not be what refuses it."""
    made = copy.deepcopy(certificate)
    place: Any = made
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    made["digest"] = seal(made)
    return made


def mutations(certificate: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(sort, where, mutated certificate): number, operator, comparison, assumption or form."""
    for path, leaf in leaves(certificate):
        where = "/".join(map(str, path))
        top, part = path[0], path[1] if len(path) > 1 else None
        expression = (
            (top == "claim" and part in EXPRESSIONS)
            or (top == "definitions" and path[-1] == 1)
            or (top == "assumptions" and path[-1] == "formula")
        )
        if expression and leaf != "rest":
            for sort, text in of_expression(leaf):
                yield sort, f"{where}: {leaf} -> {text}", changed(certificate, path, text)
        elif top == "instances" or (top == "claim" and part in ("points", "partition", "witness")):
            for text in of_number(leaf):
                yield "number", f"{where}: {leaf} -> {text}", changed(certificate, path, text)
        elif top == "claim" and part == "region":
            for text in of_number(leaf) if "inf" not in leaf else ("0",):
                yield "number", f"{where}: {leaf} -> {text}", changed(certificate, path, text)
        elif top == "claim" and part == "cuts":
            name, _, at = leaf.partition(" ")
            others = [WAYS[at]] if at in WAYS else of_number(at) if leaf else []
            for text in ("", *(f"{name} {other}" for other in others)) if leaf else ():
                yield "form", f"{where}: {leaf} -> {text}", changed(certificate, path, text)
        elif top == "claim" and part == "relation":
            yield "comparison", where, changed(certificate, path, RELATIONS[leaf])
        elif top == "claim" and part == "from":
            yield "number", where, changed(certificate, path, leaf + 1)
        elif top == "claim" and part in ("holds", "given", "claims"):
            for sort, text in of_expression(leaf):
                yield sort, f"{where}: {leaf} -> {text}", changed(certificate, path, text)
        elif top == "claim" and part == "event":
            yield "form", where, changed(certificate, path, leaf + 1)
        elif path == ("verdict",):
            other = {"refuted": "proved", "proved": "refuted", "consistent": "inconsistent"}.get(leaf, "consistent")
            yield "comparison", where, changed(certificate, path, other)
    for index, entry in enumerate(certificate["assumptions"]):
        yield "assumption", entry["formula"], changed(certificate, ("assumptions", index), None)
    for index in range(len(certificate["definitions"])):
        yield "form", f"definition {index}", changed(certificate, ("definitions", index), None)
