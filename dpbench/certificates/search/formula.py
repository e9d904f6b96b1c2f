"""The checker's formulas in floating point: compiled once, evaluated thousands of times by the search.

The grammar is that of ``checker/README.md``. The search reads the formulas of a declared space, which are part of a
program; the checker reads files of anybody's, parses them itself, and shares nothing with this module.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from scipy import special

from dpbench.core import validation

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ALLOWED = re.compile(r"[\sA-Za-z0-9_+\-*/^(),]*", re.ASCII)
_FOREIGN = re.compile(r"\*\s*\*|/\s*/|\b[0-9]+[A-Za-z_]|\bpi\s*\(")
"""Python's own operators and numbers, which the checker does not have."""
_ARGUMENTS = {"exp": 1, "log": 1, "sqrt": 1, "abs": 1, "erfc": 1, "min": 2, "max": 2, "betatail": 3, "gammatail": 2,
              "gaussian_delta": 2, "laplace_delta": 2, "sum": 4}  # fmt: skip
_RELATION = re.compile(r"<=|>=|<|>|=")
_ROOT = math.sqrt(2.0)

Values = Mapping[str, float]


def gaussian_delta(shift: float, epsilon: float) -> float:
    """δ(ε) of two normal laws of scale 1, `shift` apart (Balle and Wang 2018, Theorem 8), without cancellation."""
    first = float(special.log_ndtr(shift / 2.0 - epsilon / shift))
    second = epsilon + float(special.log_ndtr(-shift / 2.0 - epsilon / shift))
    return -math.exp(first) * math.expm1(min(second - first, 0.0))


def laplace_delta(shift: float, epsilon: float) -> float:
    """δ(ε) of two Laplace laws of scale 1."""
    return -math.expm1(min((epsilon - shift) / 2.0, 0.0))


def _sum(first: float, last: float, term: Callable[[float], float]) -> float:
    return math.fsum(term(float(i)) for i in range(int(first), int(last) + 1))


_FUNCTIONS: dict[str, Any] = {
    "exp": math.exp, "log": math.log, "sqrt": math.sqrt, "abs": abs, "min": min, "max": max,
    "erfc": lambda x: 2.0 * float(special.ndtr(-x * _ROOT)),
    "betatail": lambda x, a, b: float(special.betainc(a, b, x)),
    "gammatail": lambda a, x: float(special.gammaincc(a, x)),
    "gaussian_delta": gaussian_delta, "laplace_delta": laplace_delta, "sum": _sum,
}  # fmt: skip


def names(text: str) -> set[str]:
    """Free symbols of an expression or a comparison, ``pi`` and running indices of sums left out."""
    found = set(_NAME.findall(text)) - _FUNCTIONS.keys() - {"pi"}
    return found - set(re.findall(r"sum\(\s*([A-Za-z_][A-Za-z0-9_]*)", text))


def used(wanted: Sequence[str], definitions: Mapping[str, str]) -> set[str]:
    """Symbols and definitions that the expressions lead to."""
    found = set().union(*map(names, wanted))
    for name, text in reversed(list(definitions.items())):
        if name in found:
            found |= names(text)
    return found


def comparison(text: str) -> tuple[str, str, str]:
    """Left side, relation and right side of a condition such as ``n >= 2``."""
    relations = _RELATION.findall(text)
    if len(relations) != 1:
        raise validation.invalid("a condition", "one comparison by <=, >=, <, > or =", text)
    left, right = text.split(relations[0])
    return left.strip(), relations[0], right.strip()


class _Calls(ast.NodeTransformer):
    """Integers as floats; the term of a sum as a function of its index."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.copy_location(ast.Constant(float(node.value)), node)  # type: ignore[arg-type]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "f_sum":
            index, first, last, term = node.args
            assert isinstance(index, ast.Name)
            one = ast.arguments(posonlyargs=[], args=[ast.arg(index.id)], kwonlyargs=[], kw_defaults=[], defaults=[])
            node.args = [first, last, ast.Lambda(one, term)]
        return node


def _tree(text: str) -> ast.expr:
    """The syntax tree, symbols ``s_name`` and functions ``f_name``, so that no name is one of Python's."""
    if not _ALLOWED.fullmatch(text) or _FOREIGN.search(text):
        raise validation.invalid("a formula", "integers, names and + - * / ^ ( ) only", text)
    named = _NAME.sub(lambda m: f"f_{m[0]}" if m[0] in _FUNCTIONS else f"s_{m[0]}", " ".join(text.split()))
    try:
        tree = ast.parse(named.replace("s_pi()", "s_pi").replace("^", "**").strip(), mode="eval")
    except SyntaxError as error:
        raise validation.invalid("a formula", "an expression of the checker's grammar", text) from error
    if not all(_known(node) for node in ast.walk(tree.body)):
        raise validation.invalid("a formula", "an expression of the checker's grammar", text)
    return _Calls().visit(tree.body)


def _known(node: ast.AST) -> bool:
    """Whether the node is of the checker's grammar: its operators, and functions of as many arguments."""
    if isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        index = name != "f_sum" or (bool(node.args) and isinstance(node.args[0], ast.Name))
        return _ARGUMENTS.get(name.removeprefix("f_")) == len(node.args) and index and not node.keywords
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    kinds = (ast.BinOp, ast.Name, ast.operator, ast.expr_context, ast.USub)
    return isinstance(node, kinds) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub))


def program(symbols: Sequence[str], definitions: Mapping[str, str], wanted: Sequence[str]) -> Callable[[Values], Any]:
    """A function from the values of `symbols` to the tuple of the `wanted` expressions.

    It raises ArithmeticError, TypeError or ValueError where an expression is undefined.
    """
    known = set(symbols)
    needed = used(wanted, definitions)
    body: list[ast.stmt] = []
    for name, text in definitions.items():
        missing = names(text) - known
        if missing or name in known:
            what = f"a new name in terms of earlier ones (unknown: {sorted(missing)})" if missing else "a new name"
            raise validation.invalid(f"the definition of {name}", what, text)
        known.add(name)
        if name in needed:
            body.append(ast.Assign([ast.Name(f"s_{name}", ast.Store())], _tree(text)))
    for text in wanted:
        if missing := names(text) - known:
            raise validation.invalid("a formula", f"in symbols that are declared (unknown: {sorted(missing)})", text)
    body.append(ast.Return(ast.Tuple([_tree(text) for text in wanted], ast.Load())))
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(f"s_{s}") for s in symbols], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    source = ast.parse("def made(): pass")
    made = source.body[0]
    assert isinstance(made, ast.FunctionDef)
    made.args, made.body = arguments, body
    scope: dict[str, Any] = {f"f_{name}": function for name, function in _FUNCTIONS.items()} | {"s_pi": math.pi}
    exec(compile(ast.fix_missing_locations(source), "<space>", "exec"), scope)  # built above from checked text
    function, order = scope["made"], tuple(symbols)
    return lambda values: function(*[values[name] for name in order])
