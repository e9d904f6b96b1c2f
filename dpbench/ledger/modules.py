"""Which modules of a paper may declare an entry, as their sources show: so that one entry imports few of them.

A source is not run: what stands in a decorator or a call as text is an id, and what is computed there (in a loop, in a
formatted text) may be anything. A module named here is therefore a place to look, and who imports the modules must see
whether the entry is declared in them; where it is not, the whole paper is imported (`dpbench.ledger.paper.Paper`).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from glob import escape

from dpbench.core import kept, sources
from dpbench.ledger.words import KINDS

_ANYTHING = "*"


def modules_of(names: Collection[str], modules: Sequence[str]) -> tuple[str, ...] | None:
    """The modules that may declare these entries.

    Parameters
    ----------
    names : collection of str
        Ids without the paper's name.
    modules : sequence of str
        Dotted names of the paper's modules.

    Returns
    -------
    tuple of str or None
        In the order of `modules`; None where no source shows one of the entries.
    """
    declared = {module: patterns(module) for module in modules}
    wanted: set[str] = set()
    for name in names:
        literal = [module for module, found in declared.items() if escape(name) in found]
        possible = literal or [m for m, found in declared.items() if any(fnmatchcase(name, one) for one in found)]
        if not possible:
            return None
        wanted.update(possible)
    return tuple(module for module in modules if module in wanted)


def patterns(module: str) -> tuple[str, ...]:
    """The entries that a module declares, without the paper's name: globs, with a star for what is computed."""
    known = kept.listed("declares", module)
    if known is not None:
        return known
    found = _read(module)
    kept.keep_list("declares", module, found)
    return found


@cache
def _read(module: str) -> tuple[str, ...]:
    path = sources.path_of(module)
    tree = ast.Module([], []) if path is None else sources.parsed(path.read_bytes())
    return tuple(dict.fromkeys(_declared(tree)))


def _declared(tree: ast.Module) -> Iterator[str]:
    """The pattern of each call of a decorator of `Paper`, and of `Paper.variant` on a function declared above."""
    heads: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            heads[node.name] = [head for call in node.decorator_list if (head := _head(call))]
    for node in ast.walk(tree):
        if (head := _head(node)) is not None:
            yield head + _tail(node)
        elif _method(node) == "variant":
            function = _argument(node, 0, "function")
            known = heads.get(function.id, []) if isinstance(function, ast.Name) else []
            for one in known or [_ANYTHING]:
                yield one + _tail(node, 1)


def _method(node: ast.AST) -> str:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def _head(node: ast.AST) -> str | None:
    """Name and kind, where a node is the call of a decorator: it names the source, as `math.floor` does not."""
    kind = _method(node)
    if kind not in KINDS or not (isinstance(node, ast.Call) and {k.arg for k in node.keywords} & {"source", None}):
        return None
    return f"{_text(_argument(node, 0, 'name'))}.{kind}"


def _tail(node: ast.AST, place: int | None = None) -> str:
    """The variant with its dot, or what stands for any."""
    variant = _argument(node, place, "variant")
    if variant is None:
        spread = isinstance(node, ast.Call) and any(keyword.arg is None for keyword in node.keywords)
        return _ANYTHING if spread else ""
    return f".{_text(variant)}" if isinstance(variant, (ast.Constant, ast.JoinedStr)) else _ANYTHING


def _argument(node: ast.AST, place: int | None, name: str) -> ast.expr | None:
    assert isinstance(node, ast.Call)
    if place is not None and len(node.args) > place:
        return node.args[place]
    return next((keyword.value for keyword in node.keywords if keyword.arg == name), None)


def _text(node: ast.expr | None) -> str:
    """The text that an expression is, as a glob."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return escape(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) for part in node.values)
    return _ANYTHING
