"""Normalised text of a statement: what decides what it computes, and nothing else.

Left out: positions, comments, docstrings, annotations (but those that make a field of a class: ClassVar, InitVar),
imports, what is raised (a run that raises has no evidence; the class of the error stays), warnings, `notes=` and the
decorators that declare a claim. A reference to a definition counts as that definition's name, however it was imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.core.definitions import Module, Name

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DECLARATIONS = ("privacy", "rate", "inequality", "floor", "stability", "variant", "finding")
_TEXTS = ("notes",)
_LEFT_OUT = frozenset(("type_comment", "ctx", "kind", "type_params"))
_NOTES_FROM = {"margins": 1, "profiles": 1, "growing": 1, "judge": 5}
"""Harnesses (`dpbench.ledger.harness`), with the position from which on their arguments are notes."""
Target = tuple[str, str | None]
"""A module, or a name of it."""


def bound_names(statement: ast.AST) -> set[str]:
    """Names that a statement binds in its own scope, imports left out."""
    return {name for name, target in _bindings(statement) if target is None}


def imported_names(statement: ast.Import | ast.ImportFrom, module: Module) -> Iterator[tuple[str, Target]]:
    """Each name that an import binds, with what it stands for."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            whole = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or whole, (whole, None)
    else:
        source = module.absolute(statement.module, statement.level)
        for alias in statement.names:
            yield alias.asname or alias.name, (source, alias.name)


def _bindings(node: ast.AST) -> Iterator[tuple[str, ast.Import | ast.ImportFrom | None]]:
    """Names bound by a node in its own scope, in order; with the import that does it, or None."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                yield node.id, None
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, None
        elif isinstance(node, (ast.Lambda, *_COMPREHENSIONS)):
            for part in ast.walk(node):  # a walrus binds outside the comprehension
                if isinstance(part, ast.NamedExpr):
                    yield part.target.id, None
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], node
        else:
            if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
                yield node.name, None
            elif isinstance(node, ast.MatchMapping) and node.rest:
                yield node.rest, None
            waiting += reversed(list(ast.iter_child_nodes(node)))


class Normaliser:
    """Texts of the statements of one module.

    Parameters
    ----------
    module : Module
        Resolves names.

    Attributes
    ----------
    references : list of Name
        The definitions that the statements name.
    mentions : list of Name
        Those that only messages and notes name.
    """

    def __init__(self, module: Module) -> None:
        self.references: list[Name] = []
        self.mentions: list[Name] = []
        self._module = module
        self._scopes: list[dict[str, Target | None]] = []

    def text(self, node: Any) -> str:
        """The normalised text of a node, of a list of nodes, or of a constant."""
        if isinstance(node, list):
            return "[" + ",".join(filter(None, map(self.text, node))) + "]"
        if not isinstance(node, ast.AST):
            return repr(node)
        special = _special(type(node).__name__)
        if special is not None:
            return str(getattr(self, special)(node))
        if isinstance(node, _COMPREHENSIONS):
            return self._comprehension(node)
        return self._plain(node)

    def _plain(self, node: ast.AST) -> str:
        fields = [field for field in node._fields if field not in _LEFT_OUT and hasattr(node, field)]
        parts = [self.text(getattr(node, field)) for field in fields]
        return f"{type(node).__name__}({','.join(parts)})"

    # -- what is left out

    def _import(self, node: ast.AST) -> str:
        return ""

    _importfrom = _import

    def _expr(self, node: ast.Expr) -> str:
        if isinstance(node.value, ast.Constant):
            return ""
        if isinstance(node.value, ast.Call) and _last(node.value.func) == "warn":
            self._mention(node.value)
            return "warn"
        return self._plain(node)

    def _mention(self, node: Any) -> None:
        referred, self.references = self.references, self.mentions
        try:
            self.text(node)
        finally:
            self.references = referred

    def _raise(self, node: ast.Raise) -> str:
        self._mention(node.exc)
        made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return f"raise {'' if made is None else _last(made)}"

    def _assert(self, node: ast.Assert) -> str:
        self._mention(node.msg)
        return f"assert {self.text(node.test)}"

    def _annassign(self, node: ast.AnnAssign) -> str:
        kind = next((_last(n) for n in ast.walk(node.annotation) if _last(n) in ("ClassVar", "InitVar")), "")
        return f"{self.text(node.target)}:{kind}={self.text(node.value)}"

    def _arg(self, node: ast.arg) -> str:
        return node.arg

    def _call(self, node: ast.Call) -> str:
        keywords = [keyword for keyword in node.keywords if keyword.arg not in _TEXTS]
        first = _NOTES_FROM.get(_last(node.func), len(node.args))
        texts = [a for place, a in enumerate(node.args) if place >= first and _is_text(a)]
        arguments = [a for a in node.args if a not in texts]
        self._mention([*texts, *(keyword for keyword in node.keywords if keyword.arg in _TEXTS)])
        return f"Call({self.text(node.func)},{self.text(arguments)},{self.text(keywords)})"

    # -- scopes

    def _functiondef(self, node: ast.FunctionDef) -> str:
        decorators = [d for d in node.decorator_list if not declares(d)]
        head = f"{node.name}{self.text(decorators)}{self._defaults(node.args)}"
        return f"{type(node).__name__}({head}{self._body(node)})"

    _asyncfunctiondef = _functiondef

    def _lambda(self, node: ast.Lambda) -> str:
        return f"Lambda({self._defaults(node.args)}{self._body(node)})"

    def _defaults(self, arguments: ast.arguments) -> str:
        return self.text([*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)])

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> str:
        a = node.args
        arguments = [*a.posonlyargs, *a.args, *a.kwonlyargs, *(x for x in (a.vararg, a.kwarg) if x is not None)]
        kinds = (len(a.posonlyargs), len(a.args), len(a.kwonlyargs), a.vararg is not None, a.kwarg is not None)
        body = node.body if isinstance(node.body, list) else [node.body]
        scope: dict[str, Target | None] = {x.arg: None for x in arguments}
        scope |= self._bound(body)
        for statement in body:
            for part in ast.walk(statement):
                if isinstance(part, (ast.Global, ast.Nonlocal)):
                    for name in part.names:
                        scope.pop(name, None)
        self._scopes.append(scope)
        try:
            return f"{kinds}{[x.arg for x in arguments]}{self.text(body)}"
        finally:
            self._scopes.pop()

    def _classdef(self, node: ast.ClassDef) -> str:
        head = f"{node.name}{self.text(node.decorator_list)}{self.text(node.bases)}{self.text(node.keywords)}"
        methods = [s for s in node.body if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]
        others = [s for s in node.body if s not in methods]
        # a name that the class binds may be a global one before it does (``sample = sample``): it hides nothing
        return f"ClassDef({head}{self.text(others)}{self.text(methods)})"

    def _comprehension(self, node: Any) -> str:
        if isinstance(node, ast.comprehension):
            return self._plain(node)
        scope: dict[str, Target | None] = {}
        for generator in node.generators:
            scope |= dict.fromkeys(bound_names(generator.target), None)
        self._scopes.append(scope)
        try:
            return self._plain(node)
        finally:
            self._scopes.pop()

    def _bound(self, body: list[Any]) -> dict[str, Target | None]:
        scope: dict[str, Target | None] = {}
        for statement in body:
            for name, imported in _bindings(statement):
                if imported is None:
                    scope[name] = None
                else:
                    scope |= dict(imported_names(imported, self._module))
        return scope

    # -- references

    def _name(self, node: ast.Name) -> str:
        found, module = self._meaning(node.id)
        return self._referred(found) or (f"module {module.rpartition('.')[2]}" if module else node.id)

    def _attribute(self, node: ast.Attribute) -> str:
        chain: list[str] = [node.attr]
        root: ast.expr = node.value
        while isinstance(root, ast.Attribute):
            chain.append(root.attr)
            root = root.value
        if not isinstance(root, ast.Name):
            return f"Attribute({self.text(node.value)},{node.attr})"
        found, module = self._meaning(root.id)
        text = self._referred(found) or root.id
        while chain and module is not None:
            name = chain.pop()
            inside = _module(module)
            found, text = inside.resolve(name), name
            text = self._referred(found) or name
            module = None if found else inside.submodule(name)
        return ".".join([text, *reversed(chain)])

    def _meaning(self, name: str) -> tuple[list[Name], str | None]:
        """The definitions, or the module, that a name stands for here; neither for a local one."""
        for scope in reversed(self._scopes):
            if name in scope:
                target = scope[name]
                if target is None:
                    return [], None
                source, attribute = target
                if attribute is None:
                    return [], source
                found = _module(source).resolve(attribute)
                return found, None if found else _module(source).submodule(attribute)
        found = self._module.resolve(name)
        return found, None if found else self._module.submodule(name)

    def _referred(self, found: list[Name]) -> str:
        self.references += found
        return f"->{found[0][1]}" if found else ""


@cache
def _special(kind: str) -> str | None:
    """Name of the method for a kind of node, where it has one."""
    name = f"_{kind.lower()}"
    return name if hasattr(Normaliser, name) else None


def _module(name: str) -> Module:
    from dpbench.core.definitions import module_of

    return module_of(name)


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def declares(node: ast.expr) -> bool:
    """Whether a decorator or a call declares a claim: its texts are no part of what is computed."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Call):
        return declares(node.func)  # paper.floor(...)(function)
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _DECLARATIONS
