"""Formulas of a theorem: read once, then text, LaTeX and compiled numbers; `dpbench.certificates` adds balls.

The grammar is that of ``checker/README.md``: integers, names, ``+ - * / ^ ( )``, ``pi`` and the functions `FUNCTIONS`;
``^`` binds to the right and tighter than a sign. Decimals are read exactly, and written as the rationals they are, so
that what `write` gives is always a formula of the checker.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain, count
from typing import Any

import scipy

from dpbench.core import validation

Node = tuple[Any, ...]
"""``("num", q)``, ``("sym", name)``, or an operator or function with its parts; ``("neg", part)`` is a sign."""

FUNCTIONS = {
    "exp": 1, "log": 1, "sqrt": 1, "abs": 1, "erfc": 1, "integer_part": 1, "loggamma": 1, "min": 2, "max": 2,
    "betatail": 3, "gammatail": 2, "gaussian_delta": 2, "laplace_delta": 2, "sum": 4,
}  # fmt: skip
WRITTEN = {
    "floor": ("integer_part(x)", "x"), "ceil": ("-integer_part(-x)", "x"), "log2": ("log(x)/log(2)", "x"),
    "factorial": ("exp(loggamma(n + 1))", "n"),
    "binomial": ("exp(loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1))", "nk"),
}  # fmt: skip
"""Functions that are read as a formula in the others: what `write` gives has none of them."""
RELATIONS = ("<=", ">=", "<", ">", "=")
_BINDING = {**dict.fromkeys(RELATIONS, 0), "+": 1, "-": 1, "*": 2, "/": 2, "^": 4}  # a sign binds at 3
_TOKEN = re.compile(
    r"\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![A-Za-z0-9_.]))|([A-Za-z_][A-Za-z0-9_]*)|(<=|>=|[-+*/^(),<>=]))",
    re.ASCII,
)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?:/\d+)?", re.ASCII)
_DEEP, _LONG, _TEXT, _DIGITS = 60, 200, 4000, 400
"""Brackets in each other, operators in a row, characters, digits of a number."""
TERMS = 1_000_000
"""Of all sums of one evaluation."""
_GREEK_LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau phi chi psi omega "
    "Gamma Delta Theta Lambda Sigma Phi Psi Omega"
)
_GREEK = frozenset(_GREEK_LETTERS.split())


def number(value: Any) -> Fraction:
    """An exact number: an integer, a fraction, or a text such as "1/3", "0.05" or "1e-10".

    A float stands for the shortest decimal that reads as it: 0.1 is one tenth.
    """
    if isinstance(value, bool):
        raise validation.invalid("a number", 'finite, such as 2, "1/3" or "1e-10"', value)
    if isinstance(value, float) and math.isfinite(value):
        value = repr(value)
    if isinstance(value, (int, Fraction)):
        fraction = Fraction(value)
        if max(abs(fraction.numerator), fraction.denominator) >= 10**_DIGITS:
            raise validation.invalid("a number", f"of at most {_DIGITS} digits", value)
        return fraction
    text = str(value).strip()
    if len(text) > _DIGITS or not _NUMBER.fullmatch(text) or _large(text) or re.search(r"/0+$", text):
        raise validation.invalid("a number", 'finite, such as 2, "1/3" or "1e-10"', value)
    top, _, bottom = text.partition("/")
    return Fraction(top) / Fraction(bottom or 1)


def _large(text: str) -> bool:
    """Whether a decimal's exponent would make an integer of more digits than anybody means."""
    power = re.search(r"[eE][+-]?(\d+)", text)
    return power is not None and (len(power[1]) > 4 or int(power[1]) > 400)


def parse(text: str, *, comparison: bool = False) -> Node:
    """The tree of an expression, or of a comparison.

    Raises
    ------
    InvalidInput
        With what could not be read, and where.
    """
    wanted = "a comparison such as x <= 1" if comparison else "an expression such as 2*x + 1"
    if not isinstance(text, str):
        raise validation.invalid("a formula", wanted, text)
    if len(text) > _TEXT:
        raise validation.invalid("a formula", f"of at most {_TEXT} characters", text)
    tokens: list[tuple[str, str]] = []
    place = 0
    while text[place:].strip():
        token = _TOKEN.match(text, place)
        if token and token[1] and len(token[1]) > _DIGITS:
            raise validation.invalid("a number of a formula", f"of at most {_DIGITS} digits", token[1])
        if token is None or (token[1] and _large(token[1])):
            raise validation.invalid("a formula", f"readable at character {place + 1}", text)
        kind = "num" if token[1] else "name" if token[2] else "sign"
        tokens.append((kind, token[0].strip()))
        place = token.end()
    tokens = [*tokens, ("end", "its end")][::-1]

    def refuse(at: str) -> validation.InvalidInput:
        return validation.invalid("a formula", f"{wanted}; it cannot be read at {at!r}", text)

    def level(least: int, deep: int) -> Node:
        if deep > _DEEP:
            raise validation.invalid("a formula", f"nested at most {_DEEP} deep", text)
        kind, said = tokens.pop()
        if kind == "num":
            node: Node = ("num", Fraction(said))
        elif kind == "name" and tokens[-1][1] == "(":
            node = call(said, deep)
        elif kind == "name":
            node = ("sym", said)
        elif said == "-":
            node = ("neg", level(3, deep + 1))
        elif said == "(":
            node = level(1, deep + 1)
            if tokens.pop()[1] != ")":
                raise validation.invalid("a formula", "closed by as many brackets as it opens", text)
        else:
            raise refuse(said)
        row = 0
        while _BINDING.get(tokens[-1][1], -1) >= least:
            operator, row = tokens.pop()[1], row + 1
            if row > _LONG:
                raise validation.invalid("a formula", f"of at most {_LONG} terms or factors in a row", text)
            node = (operator, node, level(_BINDING[operator] + (operator != "^"), deep + 1))
        return node

    def call(name: str, deep: int) -> Node:
        arguments: list[Node] = []
        while tokens[-1][1] == ("," if arguments else "("):
            tokens.pop()
            arguments.append(level(1, deep + 1))
        if tokens.pop()[1] != ")":
            raise validation.invalid("a formula", "closed by as many brackets as it opens", text)
        if len(arguments) == len(WRITTEN.get(name, ("", ""))[1]) > 0:
            return put(parse(WRITTEN[name][0]), dict(zip(WRITTEN[name][1], arguments, strict=True)))
        if name not in FUNCTIONS:
            hint = validation.did_you_mean(name, list(FUNCTIONS))
            raise validation.invalid(f"the function {name}", f"one of {', '.join(FUNCTIONS)}{hint}", text)
        if FUNCTIONS[name] != len(arguments) or (name == "sum" and arguments[0][0] != "sym"):
            form = "sum(index, first, last, term)" if name == "sum" else f"of {FUNCTIONS[name]} arguments"
            raise validation.invalid(f"the function {name}", form, text)
        return (name, *arguments)

    node = level(0 if comparison else 1, 0)
    if tokens[-1][0] != "end":
        raise refuse(tokens[-1][1])
    if (node[0] in RELATIONS) != comparison or any(part[0] in RELATIONS for part in _below(node)):
        raise validation.invalid("a formula", wanted, text)
    return node


def _below(node: Node) -> Iterable[Node]:
    for part in node[1:]:
        if isinstance(part, tuple):
            yield part
            yield from _below(part)


def names(node: Node) -> set[str]:
    """Free symbols, `pi` left out."""
    if node[0] == "sym":
        return {node[1]} - {"pi"}
    if node[0] == "sum":
        return names(node[2]) | names(node[3]) | (names(node[4]) - {node[1][1]})
    return set().union(*(names(part) for part in node[1:] if isinstance(part, tuple)))


def shadowed(node: Node, taken: Collection[str]) -> str:
    """The index of a sum that is a name taken, or that of a sum around it; empty where there is none."""
    if node[0] != "sum":
        parts = [part for part in node[1:] if isinstance(part, tuple)]
        return next((name for part in parts if (name := shadowed(part, taken))), "")
    index = str(node[1][1])
    if index in taken or index == "pi":
        return index
    return shadowed(node[2], taken) or shadowed(node[3], taken) or shadowed(node[4], {*taken, index})


def missed(relation: str, left: float, right: float) -> float:
    """0 where a comparison holds, else the relative distance, in (0, 1]."""
    apart = {"<": left - right, "<=": left - right, ">": right - left, ">=": right - left, "=": abs(left - right)}
    by = apart[relation]
    if by < 0.0 or (by == 0.0 and relation in ("<=", ">=", "=")):
        return 0.0
    scale = abs(left) + abs(right)
    return max(by / scale, 1e-9) if scale > 0.0 else 1e-9


def fresh(name: str, taken: Collection[str]) -> str:
    """`name`, or with a number behind it, so that it is none of those taken."""
    return next(one for one in chain([name], (f"{name}_{i}" for i in count(1))) if one not in taken)


def put(node: Node, values: Mapping[str, Node]) -> Node:
    """`node` with expressions in place of symbols; the index of a sum stands for itself."""
    if node[0] == "sym":
        return values.get(node[1], node)
    if node[0] == "sum":
        inside = {name: value for name, value in values.items() if name != node[1][1]}
        return ("sum", node[1], put(node[2], values), put(node[3], values), put(node[4], inside))
    return (node[0], *(put(part, values) if isinstance(part, tuple) else part for part in node[1:]))


def write(node: Node) -> str:
    """The expression in the checker's grammar, with no more brackets than it needs."""
    return _written(node, 0)


def _written(node: Node, least: int) -> str:
    kind = node[0]
    if kind == "num":
        value = Fraction(node[1])
        if value.denominator == 1 and value >= 0:
            return str(value)
        return f"({value})"
    if kind == "sym":
        return str(node[1])
    if kind == "neg":
        text = f"-{_written(node[1], 3)}"
        return f"({text})" if least > 1 else text
    if kind in _BINDING:
        binds = _BINDING[kind]
        space = " " if binds <= 1 else ""
        left = _written(node[1], binds + (kind == "^"))
        text = f"{left}{space}{kind}{space}{_written(node[2], binds + (kind != '^'))}"
        return f"({text})" if binds < least else text
    return f"{kind}({', '.join(map(write, node[1:]))})"


def exact(text: str) -> str:
    """A formula in the checker's grammar: decimals become rationals."""
    return write(parse(text))


def latex(node: Node) -> str:
    """The expression for mathematics mode."""
    return _latex(node, 0)


def latex_name(name: str) -> str:
    """A symbol: Greek letters as commands, one letter as it is, what follows an underscore as an index."""
    head, _, index = name.partition("_")
    shown = f"\\{head}" if head in _GREEK else head if len(head) == 1 else rf"\mathrm{{{head}}}"
    if not index:
        return shown
    inside = index.replace("_", r"\_")
    if len(inside) > 1 and not inside.isdigit():
        inside = rf"\mathrm{{{inside}}}"
    return f"{shown}_{{{inside}}}"


def _latex(node: Node, least: int) -> str:
    kind, *parts = node
    if kind == "num":
        value = Fraction(parts[0])
        return str(value) if value.denominator == 1 else rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
    if kind == "sym":
        return latex_name(parts[0])
    if kind == "neg":
        text = f"-{_latex(parts[0], 3)}"
        return rf"\left({text}\right)" if least > 1 else text
    if kind == "/":
        return rf"\frac{{{latex(parts[0])}}}{{{latex(parts[1])}}}"
    if kind == "^":
        text = rf"{_latex(parts[0], 5)}^{{{latex(parts[1])}}}"
        return rf"\left({text}\right)" if least > 4 else text
    if kind in _BINDING:
        sign = {"*": r"\,", "<=": r"\le", ">=": r"\ge"}.get(kind, kind)
        if kind == "*" and _digits_first(parts[1]):
            sign = r"\cdot"
        binds = _BINDING[kind]
        text = f"{_latex(parts[0], binds)} {sign} {_latex(parts[1], binds + 1)}"
        return rf"\left({text}\right)" if binds < least else text
    return _latex_call(kind, parts)


def _digits_first(node: Node) -> bool:
    while node[0] in ("*", "/", "^"):
        node = node[1]
    return node[0] == "num"


def _latex_call(kind: str, parts: Sequence[Node]) -> str:
    while kind in ("min", "max") and parts[-1][0] == kind:  # a nested minimum is one of several
        parts = [*parts[:-1], *parts[-1][1:]]
    inside = ", ".join(map(latex, parts))
    if kind == "sqrt":
        return rf"\sqrt{{{inside}}}"
    if kind in ("abs", "integer_part"):
        left, right = ("|", "|") if kind == "abs" else (r"\lfloor ", r"\rfloor ")
        return rf"\left{left}{inside}\right{right}"
    if kind == "sum":
        index, first, last, _ = map(latex, parts)
        return rf"\sum_{{{index}={first}}}^{{{last}}} {_latex(parts[3], 2)}"
    named = {
        "betatail": r"\mathrm{I}", "gammatail": r"\mathrm{Q}", "loggamma": r"\log\Gamma", "erfc": r"\mathrm{erfc}",
        "gaussian_delta": r"\delta_{\mathrm{Gauss}}", "laplace_delta": r"\delta_{\mathrm{Laplace}}",
    }  # fmt: skip
    return rf"{named.get(kind, chr(92) + kind)}\left({inside}\right)"


def reached(wanted: Iterable[Node], definitions: Mapping[str, Node]) -> set[str]:
    """Symbols and definitions that the expressions lead to."""
    symbols = set().union(*map(names, wanted))
    for name, node in reversed(list(definitions.items())):
        if name in symbols:
            symbols |= names(node)
    return symbols


def in_order(symbols: Iterable[str], definitions: Mapping[str, Node]) -> None:
    """Definitions name what stands before them, and are new names; else `InvalidInput`."""
    known = set(symbols)
    for name, node in definitions.items():
        missing = names(node) - known
        if name in known or name in ("pi", "rest", *FUNCTIONS):
            raise validation.invalid(f"the definition of {name}", "a new name", write(node))
        if missing:
            what = f"in terms of symbols and earlier definitions (unknown: {', '.join(sorted(missing))})"
            raise validation.invalid(f"the definition of {name}", what, write(node))
        known.add(name)


def compiled(
    symbols: Sequence[str], definitions: Mapping[str, Node], wanted: Sequence[Node]
) -> Callable[[Mapping[str, float]], tuple[float, ...]]:
    """A function from the values of `symbols` to the `wanted` expressions, in floating point.

    It raises ArithmeticError, TypeError or ValueError where an expression is undefined.
    """
    in_order(symbols, definitions)
    known = {*symbols, *definitions}
    for node in wanted:
        if missing := names(node) - known:
            raise validation.invalid(
                "a formula", f"in symbols that are declared (unknown: {', '.join(sorted(missing))})", write(node)
            )
    needed = reached(wanted, definitions)
    lines = [f" s_{name} = {_python(node)}" for name, node in definitions.items() if name in needed]
    arguments = ", ".join(f"s_{name}" for name in symbols)
    returned = "".join(f"{_python(node)}, " for node in wanted)
    source = "\n".join([f"def made({arguments}):", *lines, f" return ({returned})"])
    scope: dict[str, Any] = {f"f_{name}": function for name, function in _NUMERIC.items()} | {"s_pi": math.pi}
    exec(compile(source, "<formulas>", "exec"), scope)  # built from parsed trees: numbers, s_ and f_ names alone
    function, order = scope["made"], tuple(symbols)

    def run(values: Mapping[str, float]) -> tuple[float, ...]:
        _spent[0] = 0
        values_of: tuple[float, ...] = function(*[values[name] for name in order])
        return values_of

    return run


def _python(node: Node) -> str:
    kind, *parts = node
    if kind == "num":
        return f"({nearest(parts[0])!r})".replace("inf", "1e999")
    if kind == "sym":
        return f"s_{parts[0]}"
    if kind == "neg":
        return f"(-{_python(parts[0])})"
    if kind == "sum":
        return f"f_sum({_python(parts[1])}, {_python(parts[2])}, lambda s_{parts[0][1]}: {_python(parts[3])})"
    if kind == "^":
        return f"f_power({_python(parts[0])}, {_python(parts[1])})"
    if kind in _BINDING:
        return f"({_python(parts[0])} {kind} {_python(parts[1])})"
    return f"f_{kind}({', '.join(map(_python, parts))})"


def nearest(value: Fraction) -> float:
    """The nearest one, infinite beyond all of them."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


class TooLong(ArithmeticError):
    """Sums of more terms than one evaluation may take."""


_spent = [0]


def exhausted() -> bool:
    """Whether the last evaluation ended at a sum that was too long."""
    return _spent[0] > TERMS


def _sum(first: float, last: float, term: Callable[[float], float]) -> float:
    _spent[0] += max(0, int(last - first))
    if _spent[0] > TERMS:
        raise TooLong(f"sums of more than {TERMS} terms")
    return math.fsum(term(float(i)) for i in range(math.ceil(first), math.floor(last) + 1))


def _power(base: float, exponent: float) -> float:
    value = base**exponent
    if isinstance(value, complex):
        raise ValueError("a power of a negative number with a fraction for exponent")
    return value


def gaussian_delta(shift: float, epsilon: float) -> float:
    """δ(ε) of two normal laws of scale 1, `shift` apart: `dpbench.privacy.gaussian`, faster and less exact."""
    if shift == 0.0:
        return 0.0
    first = float(scipy.special.log_ndtr(shift / 2.0 - epsilon / shift))
    second = epsilon + float(scipy.special.log_ndtr(-shift / 2.0 - epsilon / shift))
    return -math.exp(first) * math.expm1(min(second - first, 0.0))


def laplace_delta(shift: float, epsilon: float) -> float:
    """δ(ε) of two Laplace laws of scale 1."""
    return -math.expm1(min((epsilon - shift) / 2.0, 0.0))


_NUMERIC: dict[str, Callable[..., float]] = {
    "exp": math.exp, "log": math.log, "sqrt": math.sqrt, "abs": abs, "min": min, "max": max,
    "integer_part": lambda x: float(math.floor(x)),
    "loggamma": lambda x: math.lgamma(x) if x > 0.0 else math.nan,
    "erfc": lambda x: 2.0 * float(scipy.special.ndtr(-x * math.sqrt(2.0))),
    "betatail": lambda x, a, b: float(scipy.special.betainc(a, b, x)),
    "gammatail": lambda a, x: float(scipy.special.gammaincc(a, x)),
    "gaussian_delta": gaussian_delta, "laplace_delta": laplace_delta, "sum": _sum,
    "power": _power,
}  # fmt: skip
