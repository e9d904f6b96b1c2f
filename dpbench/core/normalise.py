"""Normalised text of a statement: what decides what it computes.

Left out, because nothing that is computed depends on it: positions, comments, docstrings, annotations (but those that
make a field of a class: ClassVar, InitVar) and the form of imports: a reference to a definition counts as that
definition's name, however it was imported. Nothing is left out by the name of a function or of an argument. What is
written for readers alone says so where it is defined: `declaring` marks a class whose objects only declare (what their
methods are given, as decorators or at the level of a module, is no part of a key), `Prose` a field that only readers
use. Both are found by what the module's imports resolve to.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from typing import Annotated, Any, Protocol, TypeAlias, TypeVar

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LEFT_OUT = frozenset(("type_comment", "ctx", "kind", "type_params"))
Prose: TypeAlias = Annotated[str, "for readers: no part of a key of code"]
"""Annotation of a field that no computation reads: given to the class, or to a method of its objects, under this name,
it is no part of a key."""
Kind = TypeVar("Kind", bound=type)
Name = tuple[str, str]
"""Module and name of a definition."""
Target = tuple[str, str | None]
"""A module, or a name of it."""


class Module(Protocol):
    """What a `Normaliser` asks of a module (`dpbench.core.definitions.Module`)."""

    def absolute(self, source: str | None, level: int) -> str:
        """The dotted name that an import names."""
        ...

    def resolve(self, name: str) -> list[Name]:
        """The definitions that a name stands for."""
        ...

    def submodule(self, name: str) -> str | None:
        """The module that a name stands for."""
        ...

    def declares(self, name: str) -> bool:
        """Whether a definition only declares."""
        ...

    def prose(self, name: str) -> frozenset[str]:
        """Fields that no computation reads."""
        ...


def declaring(kind: Kind) -> Kind:
    """Mark a class whose objects only declare: no function computes otherwise for what their methods were given."""
    return kind


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
    module_of : callable
        The module of a dotted name (`dpbench.core.definitions.module_of`).

    Attributes
    ----------
    references : list of Name
        The definitions that the statements name.
    """

    def __init__(self, module: Module, module_of: Callable[[str], Module]) -> None:
        self._module_of = module_of
        self.references: list[Name] = []
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
        return "" if isinstance(node.value, ast.Constant) else self._plain(node)

    def _annassign(self, node: ast.AnnAssign) -> str:
        kind = next((_last(n) for n in ast.walk(node.annotation) if _last(n) in ("ClassVar", "InitVar")), "")
        return f"{self.text(node.target)}:{kind}={self.text(node.value)}"

    def _arg(self, node: ast.arg) -> str:
        return node.arg

    def _call(self, node: ast.Call) -> str:
        prose = self.prose(node) if any(keyword.arg for keyword in node.keywords) else frozenset()
        keywords = [keyword for keyword in node.keywords if keyword.arg not in prose]
        return f"Call({self.text(node.func)},{self.text(node.args)},{self.text(keywords)})"

    def declares(self, node: ast.expr | None) -> bool:
        """Whether an expression is a call on an object of a `declaring` class, through further calls perhaps."""
        made_by = self._made_by(node)
        return bool(made_by) and all(self._module_of(module).declares(name) for module, name in made_by)

    def prose(self, node: ast.expr) -> frozenset[str]:
        """The fields marked as `Prose` of the class at the root of an expression."""
        made_by = self._made_by(node)
        fields = [self._module_of(module).prose(name) for module, name in made_by]
        return frozenset.intersection(*fields) if fields else frozenset()

    def _made_by(self, node: ast.expr | None) -> list[Name]:
        """The definition at the root of a chain of calls and attributes; none of another expression."""
        chain: list[str] = []
        while isinstance(node, (ast.Call, ast.Attribute)):
            if isinstance(node, ast.Attribute):
                chain.append(node.attr)
            node = node.func if isinstance(node, ast.Call) else node.value
        if not isinstance(node, ast.Name):
            return []
        found, module = self._meaning(node.id)
        while not found and module is not None and chain:
            name = chain.pop()
            found, module = self._module_of(module).resolve(name), self._module_of(module).submodule(name)
        return found

    def marked(self, node: ast.expr, mark: str) -> bool:
        """Whether an annotation or a decorator is one of the marks of this module, or has it among its parts."""
        names = (self._made_by(part) for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute)))
        return any((__name__, mark) in found for found in names)

    # -- scopes

    def _functiondef(self, node: ast.FunctionDef) -> str:
        decorators = [d for d in node.decorator_list if not self.declares(d)]
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
            inside = self._module_of(module)
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
                found = self._module_of(source).resolve(attribute)
                return found, None if found else self._module_of(source).submodule(attribute)
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


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
