"""Random errors: a comparison, a constant, an index or a dropped term, one in each of the functions drawn.

An error is a place in the text that `ast.unparse` gives of a function without its docstring. It is known by the lines
that it is in, so that it can be planted wherever these stand in a function of that name, at another commit too.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDERS = ("checker", "dpbench", "lowerbounds")
STRICT: dict[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
TURNED: dict[type[ast.cmpop], str] = {
    ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip


@dataclass(frozen=True)
class Error:
    """In the `number`-th place (from 0) where `lines` stand in a function, what is `old` at `column` becomes `new`."""

    path: str
    function: str
    lines: str
    number: int
    column: int
    old: str
    new: str

    @property
    def name(self) -> str:
        """What it is called in a table."""
        return f"{self.path}: {self.function}: {' '.join(self.old.split())} becomes {' '.join(self.new.split())}"


def files(root: Path, under: Iterable[str]) -> list[str]:
    """The modules there."""
    paths = [
        path for one in under for path in ([root / one] if one.endswith(".py") else sorted((root / one).rglob("*.py")))
    ]
    return [str(path.relative_to(root)) for path in paths]


def functions(text: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Each function of a module by its qualified name; what is inside a function belongs to the outermost one."""
    for node in ast.parse(text).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        yield from ((prefix + one.name, one) for one in inner if isinstance(one, ast.FunctionDef))


def text_of(function: ast.FunctionDef) -> str:
    """Its text without layout, comments and docstring."""
    bare = ast.FunctionDef(**{name: getattr(function, name) for name in ast.FunctionDef._fields})
    if ast.get_docstring(function) is not None:
        bare.body = function.body[1:] or [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(bare))


def error_at(path: str, function: str, text: str, start: int, end: int, new: str) -> Error:
    """The error that turns `text[start:end]` of a function's text into `new`."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    lines = text[first:] if last < 0 else text[first:last]
    number = places(text, lines).index(first)
    return Error(path, function, lines, number, start - first, text[start:end], new)


def places(text: str, lines: str) -> list[int]:
    """Where these whole lines begin in a text."""
    found, at = [], f"\n{text}\n".find(f"\n{lines}\n")
    while at >= 0:
        found.append(at)
        at = f"\n{text}\n".find(f"\n{lines}\n", at + 1)
    return found


def deciding(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """All nodes of the body but those of messages, annotations and decorators."""
    left: list[ast.AST] = list(function.body)
    while left:
        node = left.pop()
        yield node
        for name, value in ast.iter_fields(node):
            if isinstance(node, (ast.Raise, ast.JoinedStr)) or name in ("annotation", "returns", "decorator_list"):
                continue
            left.extend(one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST))


def number(node: ast.AST | None) -> int | float | None:
    """The number that a node is, or None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def changes(node: ast.AST) -> Iterator[tuple[Any, str]]:
    """What a node, or an index in it, can wrongly be."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = f"({ast.unparse(node.left)})", f"({ast.unparse(node.comparators[0])})"
        yield from ((node, f"{left} {table[type(node.ops[0])]} {right}") for table in (STRICT, TURNED)
                    if type(node.ops[0]) in table)  # fmt: skip
    elif isinstance(node, ast.Subscript):
        for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            for end in [part.lower, part.upper] if isinstance(part, ast.Slice) else [part]:
                if end is not None and isinstance(value := number(end), int):
                    yield from ((end, str(value + step)) for step in (-1, 1))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        sides = [node.left, node.right] if isinstance(node.op, (ast.Add, ast.Mult)) else [node.left]
        if not any(isinstance(side, (ast.List, ast.JoinedStr)) for side in sides):
            yield from ((node, f"({ast.unparse(side)})") for side in sides)
    elif isinstance(node, ast.BoolOp):
        joiner = " and " if isinstance(node.op, ast.And) else " or "
        values = [f"({ast.unparse(one)})" for one in node.values]
        for dropped in range(len(values)):
            yield node, f"({joiner.join(values[:dropped] + values[dropped + 1 :])})"
    elif isinstance(node, ast.Constant) and (value := number(node)) is not None:
        near = (value - 1, value + 1) if isinstance(value, int) else (value * 1.1 or 0.1, value * 0.9 or -0.1)
        yield from ((node, f"({one!r})") for one in near)


def errors_of(path: str, name: str, function: ast.FunctionDef) -> list[Error]:
    """Every error of the four kinds that fits the function."""
    text = text_of(function)
    data, starts = text.encode(), [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    parsed = ast.parse(text).body[0]
    assert isinstance(parsed, ast.FunctionDef)
    made = set()
    for node in deciding(parsed):
        for place, new in changes(node):
            start = starts[place.lineno - 1] + place.col_offset
            end = starts[place.end_lineno - 1] + place.end_col_offset
            made.add((len(data[:start].decode()), len(data[:end].decode()), new))
    return [error_at(path, name, text, start, end, new) for start, end, new in sorted(made)]


def draw(root: Path, seed: str, under: Iterable[str] = FOLDERS) -> Iterator[Error]:
    """Errors without end but that of the functions, each in another one.

    Functions are drawn with equal chances among those in which an error fits, and then the error in the function.
    Kernels are none of them: their reference implementations hold them.
    """
    rng = random.Random(seed)
    places = [(path, name, function) for path in files(root, under)
              for name, function in functions((root / path).read_text(encoding="utf-8"))
              if not kernel(function)]  # fmt: skip
    rng.shuffle(places)
    for path, name, function in places:
        fitting = errors_of(path, name, function)
        if fitting:
            yield rng.choice(fitting)


def found(text: str, error: Error) -> tuple[ast.FunctionDef, int] | None:
    """The function of an error in the text of a file, and where its lines begin in the function's text."""
    for name, function in functions(text) if error.function.rpartition(".")[2] in text else ():
        if name == error.function and len(at := places(text_of(function), error.lines)) > error.number:
            return function, at[error.number]
    return None


def planted(text: str, error: Error) -> str:
    """The text of the file with the error in it."""
    place = found(text, error)
    if place is None:
        raise LookupError(f"{error.name}: its lines do not stand there")
    function, start = place
    body, start = text_of(function), start + error.column
    body = body[:start] + error.new + body[start + len(error.old) :]
    return _with(text, function, ast.parse(body).body[0])


def kernel(function: ast.FunctionDef) -> bool:
    """Whether it is compiled as a whole."""
    return any("kernel" in ast.dump(one) for one in function.decorator_list)


def _with(text: str, function: ast.FunctionDef, new: Any) -> str:
    """The text with another function, of the same docstring, in the place of one."""
    if ast.get_docstring(function) is not None:
        new.body.insert(0, function.body[0])
    first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
    indent = " " * function.col_offset
    written = "".join(f"{indent}{line}\n" for line in ast.unparse(ast.fix_missing_locations(new)).splitlines())
    lines = text.splitlines(keepends=True)
    return "".join(lines[: first - 1]) + written + "".join(lines[function.end_lineno :])
