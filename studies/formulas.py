"""Formulas that stand twice: arithmetic of the source and of statements, compared as normalised syntax trees.

``python -m studies.formulas`` lists them. Two formulas are the same where their trees are, after this:

- ``math.``, ``np.`` and ``scipy.special.`` before a function's name, ``float(...)`` and parentheses do not count;
  ``x ** 0.5`` is sqrt(x), ``2`` is 2.0, and a formula in text reads ``^`` as a power;
- operands of sums and products are in one order; a subtraction adds the negative, a division multiplies the inverse;
- names are counted in the order in which they come, so renamed symbols do not hide a copy.

A formula is the largest such expression with at least `LEAST` operations and `SYMBOLS` different symbols.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEAST, SYMBOLS = 8, 3
FUNCTIONS = {
    "sqrt", "exp", "log", "log1p", "expm1", "log2", "erfc", "erf", "pow", "abs", "min", "max", "minimum", "maximum",
    "sum", "ceil", "floor", "gammatail", "betatail", "gaussian_delta", "laplace_delta", "ndtr", "gammaln", "sin", "cos",
}  # fmt: skip
"""Functions that are part of a formula; any other call is a symbol of it."""
_SAME = {"minimum": "min", "maximum": "max"}
_TEXT = re.compile(r"[-+*/^() \w.,<>=]+")
Node = tuple[object, ...]


@dataclass(frozen=True)
class Formula:
    """Where a formula stands, and its tree; `text` is as it is written there."""

    place: str
    line: int
    text: str
    tree: str
    said: bool
    """In a text (of a statement, a space, a certificate) instead of code."""


def of_source(place: str, source: str) -> Iterator[Formula]:
    """The formulas of a module, in code and in texts."""
    yield from _within(ast.parse(source), place, None)


def _within(node: ast.AST, place: str, line: int | None) -> Iterator[Formula]:
    if isinstance(node, ast.expr):
        read = _read(node)
        if read is not None and _operations(read) >= LEAST:
            tree = canonical(read)
            if tree is not None:
                yield Formula(place, line or node.lineno, ast.unparse(node), tree, line is not None)
            return
        if line is None and isinstance(node, ast.Constant) and isinstance(node.value, str):
            inner = parsed(node.value)
            if inner is not None:
                yield from _within(inner, place, node.lineno)
            return
    for child in ast.iter_child_nodes(node):
        yield from _within(child, place, line)


def parsed(text: str) -> ast.expr | None:
    """A formula in text as an expression of Python; None where it is none."""
    if not _TEXT.fullmatch(text) or sum(text.count(sign) for sign in "+-*/^") < 2:
        return None
    try:
        return ast.parse(text.replace("^", "**").replace("lambda", "lambda_"), mode="eval").body
    except SyntaxError:
        return None


def _read(node: ast.expr) -> Node | None:
    """The tree of an expression: sums and products of many operands, functions, numbers and symbols."""
    if isinstance(node, ast.Constant):
        return ("number", float(node.value)) if isinstance(node.value, (int, float)) else None
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return ("symbol", ast.unparse(node))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        inner = _read(node.operand)
        return inner if inner is None or isinstance(node.op, ast.UAdd) else _negative(inner)
    if isinstance(node, ast.BinOp):
        return _binary(node)
    if isinstance(node, ast.Call) and not node.keywords:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "float" and len(node.args) == 1:
            return _read(node.args[0])
        if name in FUNCTIONS:
            read = [_read(one) for one in node.args]
            return None if any(one is None for one in read) else ("call", _SAME.get(name, name), *read)
        return ("symbol", ast.unparse(node))
    return None


def _binary(node: ast.BinOp) -> Node | None:
    left, right = _read(node.left), _read(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.op, ast.Add):
        return _flat("+", [left, right])
    if isinstance(node.op, ast.Sub):
        return _flat("+", [left, _negative(right)])
    if isinstance(node.op, ast.Mult):
        return _product([left, right])
    if isinstance(node.op, ast.Div):
        sign = right[0] == "neg"
        made = _product([left, ("inverse", right[1] if sign else right)])
        return _negative(made) if sign else made
    if isinstance(node.op, ast.Pow):
        return ("call", "sqrt", left) if right == ("number", 0.5) else ("power", left, right)
    return None


def _negative(tree: Node) -> Node:
    if tree[0] == "number":
        return ("number", -float(str(tree[1])))
    return tree[1] if tree[0] == "neg" else ("neg", tree)  # type: ignore[return-value]


def _product(operands: list[Node]) -> Node:
    """The product, with one sign in front of it."""
    bare = [one[1] if one[0] == "neg" else one for one in operands]
    made = _flat("*", bare)  # type: ignore[arg-type]
    return _negative(made) if sum(one[0] == "neg" for one in operands) % 2 else made


def _flat(sign: str, operands: list[Node]) -> Node:
    found: list[Node] = []
    for one in operands:
        found += one[1:] if one[0] == sign else [one]  # type: ignore[arg-type]
    return (sign, *found)


def _operations(tree: Node) -> int:
    inner = [one for one in tree[1:] if isinstance(one, tuple)]
    mine = len(inner) - 1 if tree[0] in ("+", "*") else 1 if tree[0] in ("call", "power") else 0
    return mine + sum(map(_operations, inner))


def canonical(tree: Node) -> str | None:
    """The tree as text, its symbols by number; None with fewer than `SYMBOLS` of them."""
    names: dict[object, int] = {}

    def shape(node: Node) -> str:
        if node[0] == "symbol":
            return "s"
        inner = [shape(one) if isinstance(one, tuple) else repr(one) for one in node[1:]]
        return f"({node[0]} {' '.join(sorted(inner) if node[0] in ('+', '*') else inner)})"

    def number(node: Node) -> str:
        if node[0] == "symbol":
            return f"s{names.setdefault(node[1], len(names))}"
        rest = list(node[1:])
        if node[0] in ("+", "*"):
            rest.sort(key=lambda one: shape(one))  # type: ignore[arg-type]
        return f"({node[0]} {' '.join(number(one) if isinstance(one, tuple) else repr(one) for one in rest)})"

    made = number(tree)
    return made if len(names) >= SYMBOLS else None


def twice(sources: Mapping[str, str]) -> list[list[Formula]]:
    """The formulas that stand more than once, the longest first: in code, or in texts; one of each is no copy."""
    groups: dict[tuple[str, bool], list[Formula]] = {}
    for place, source in sources.items():
        for one in of_source(place, source):
            groups.setdefault((one.tree, one.said), []).append(one)
    return sorted((group for group in groups.values() if len(group) > 1), key=lambda g: -len(g[0].tree))


def sources() -> dict[str, str]:
    """The packages' files by their path."""
    paths = [path for top in ("dpbench", "lowerbounds") for path in sorted((ROOT / top).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def main() -> int:
    found = twice(sources())
    for group in found:
        print(f"{len(group)} times: {group[0].text}")
        for one in group:
            print(f"    {one.place}:{one.line}")
    print(f"{len(found)} formulas stand more than once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
