"""Numbers and expressions of a certificate, read by Python's own parser and evaluated by mpmath at 60 digits.

Numbers closer than 1e-30 of each other count as equal.
"""

from __future__ import annotations

import ast
import operator
import re
from functools import lru_cache
from typing import Any

import mpmath

mpmath.mp.dps = 60
EQUAL = mpmath.mpf(10) ** -30
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.Pow: operator.pow}  # fmt: skip
OPPOSITE = {"<=": ">", ">=": "<", "<": ">=", ">": "<="}


class Undefined(Exception):
    """No real value: a statement that rests on it is not true."""


def number(text: str) -> mpmath.mpf:
    top, _, bottom = text.partition("/")
    return mpmath.mpf(int(top)) / int(bottom or 1)


def compare(relation: str, a: Any, b: Any) -> bool:
    near = abs(a - b) <= EQUAL * max(abs(a), abs(b))
    return {"<=": a < b or near, ">=": a > b or near, "<": a < b and not near, ">": a > b and not near, "=": near}[
        relation
    ]


def gaussian_delta(mu: Any, epsilon: Any) -> Any:
    if not (mu >= 0 and epsilon >= 0):
        raise Undefined
    if mu == 0:
        return mpmath.mpf(0)
    if epsilon / mu - mu / 2 > 10**6:  # at most Phi(-10^6)
        return mpmath.mpf(0)
    with mpmath.workdps(200):  # the two terms nearly cancel for small mu
        return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def laplace_delta(shift: Any, epsilon: Any) -> Any:
    if not (shift >= 0 and epsilon >= 0):
        raise Undefined
    return max(mpmath.mpf(0), -mpmath.expm1((epsilon - shift) / 2))


@lru_cache(maxsize=4096)
def betatail(x: Any, a: Any, b: Any) -> Any:
    """To 35 digits: the front term times 2F1(a + b, 1; a + 1; x), of the tail that is the smaller one."""
    if not (0 <= x <= 1 and a > 0 and b > 0):
        raise Undefined
    if x * (a + b) > a:
        return 1 - betatail(1 - x, b, a)
    front = (
        mpmath.exp(a * mpmath.log(x) + b * mpmath.log1p(-x) - mpmath.log(a) - log_beta(a, b)) if x else mpmath.mpf(0)
    )
    one = 10**50  # terms and their sum in integers: a thousand times as fast
    term = total = one
    top, low, k = int((a + b) * x * one), int((a + 1) * one), 0
    step = int(x * one)
    while term > 10**12:
        term = term * (top + k * step) // (low + k * one)
        total += term
        k += 1
    return front * total / one


@lru_cache(maxsize=4096)
def gammatail(s: Any, x: Any) -> Any:
    if not (s > 0 and x >= 0):
        raise Undefined
    return mpmath.gammainc(s, x, regularized=True)


def loggamma(x: Any) -> Any:
    if x <= 0:
        raise Undefined
    return mpmath.loggamma(x)


def log_beta(a: Any, b: Any) -> Any:
    return mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)


FUNCTIONS = {
    "exp": mpmath.exp, "log": mpmath.log, "sqrt": mpmath.sqrt, "abs": abs, "erfc": mpmath.erfc, "min": min, "max": max,
    "betatail": betatail, "gammatail": gammatail, "integer_part": mpmath.floor, "loggamma": loggamma,
    "gaussian_delta": gaussian_delta, "laplace_delta": laplace_delta,
}  # fmt: skip
ARGUMENTS = {"exp": 1, "log": 1, "sqrt": 1, "abs": 1, "erfc": 1, "integer_part": 1, "min": 2, "max": 2, "loggamma": 1,
             "betatail": 3, "gammatail": 2, "gaussian_delta": 2, "laplace_delta": 2, "sum": 4}  # fmt: skip


class Reading:
    """The symbols of one instance, definitions evaluated as they are met."""

    def __init__(self, certificate: dict[str, Any], instance: dict[str, Any], **more: Any) -> None:
        self.values = {name: number(text) for name, text in instance["values"].items()} | more | {"pi": mpmath.pi}
        self.definitions = dict(certificate["definitions"])
        self.certificate, self.instance, self.more = certificate, instance, more

    def given(self, **more: Any) -> Reading:
        return Reading(self.certificate, self.instance, **{**self.more, **more})

    def __call__(self, text: str) -> Any:
        if not re.fullmatch(r"[ \t\n\rA-Za-z0-9_+\-*/^(),]*", text) or re.search(
            r"\*\s*\*|/\s*/|\b[0-9]+[A-Za-z_]", text
        ):
            raise Undefined
        tree = ast.parse(_python(text), mode="eval").body
        return self.real(self.walk(tree))

    def holds(self, text: str) -> bool:
        left, relation, right = re.split(r"(<=|>=|<|>|=)", text)
        return compare(relation, self(left), self(right))

    def real(self, value: Any) -> Any:
        if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value):
            raise Undefined
        return value

    def walk(self, node: ast.AST) -> Any:
        if isinstance(node, ast.Constant):
            return mpmath.mpf(node.value)
        if isinstance(node, ast.Name):
            name = node.id.removesuffix("_")
            if name not in self.values:
                self.values[name] = self(self.definitions[name])
            return self.values[name]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.walk(node.operand)
        if isinstance(node, ast.BinOp):
            a, b = self.walk(node.left), self.walk(node.right)
            if isinstance(node.op, ast.Div) and b == 0:
                raise Undefined
            if isinstance(node.op, ast.Pow) and ((a < 0 and b != int(b)) or (a == 0 and b <= 0)):
                raise Undefined
            return self.real(OPERATORS[type(node.op)](a, b))
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            raise Undefined
        name = node.func.id.removesuffix("_")
        if ARGUMENTS.get(name) != len(node.args):
            raise Undefined
        if name == "sum":
            variable = node.args[0]
            if not isinstance(variable, ast.Name):
                raise Undefined
            first, last = (self.walk(part) for part in node.args[1:3])
            if first != int(first) or last != int(last):
                raise Undefined
            index = variable.id.removesuffix("_")
            if index in self.values or index in self.definitions:
                raise Undefined  # one name for two things
            terms = (self.given(**{index: mpmath.mpf(i)}).walk(node.args[3]) for i in range(int(first), int(last) + 1))
            return sum(terms, mpmath.mpf(0))
        arguments = [self.walk(part) for part in node.args]
        if (name in ("log",) and arguments[0] <= 0) or (name == "sqrt" and arguments[0] < 0):
            raise Undefined
        return self.real(FUNCTIONS[name](*arguments))


def _python(text: str) -> str:
    """Names get a trailing _ (some are keywords), ^ becomes **; a sign binds as in Python."""
    return re.sub(r"([A-Za-z_][A-Za-z0-9_]*)", r"\1_", " ".join(text.split())).replace("^", "**").strip()
