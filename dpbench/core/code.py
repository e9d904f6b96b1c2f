"""The code that a function rests on: normalised text, the definitions that can be reached, and two keys made of them.

**The closure** of a function (`closure`) is what the key of an entry of the ledger is of. A definition is what one name
of a module stands for: a function, a class with all its methods, an assignment (a registry with what is put into it).
The closure holds every definition that can be reached by names and by chains ``module.attribute``, resolved through
imports, those inside functions and those of lazy packages too. Modules of ours are followed, and modules of the user
that are not installed packages; for the standard library and installed packages the recorded versions stand. What is
reached in another way (``getattr`` with a computed name, say) is declared by hand, as ``depends=``. What a module
binds by ``exec``, by assigning into ``globals()`` or by computed attribute names is not seen. A local name that hides a
global one is told apart by Python's own rules of scope.

The key is of normalised syntax trees. Left out, because nothing that is computed depends on it: positions, comments,
docstrings, annotations (but those that make a field of a class: ClassVar, InitVar) and the form of imports: a reference
to a definition counts as that definition's name, however it was imported, so that it may move to another module.
Nothing is left out by the name of a function or of an argument. What is written for readers alone says so where it is
defined: `declaring` marks a class whose objects only declare (what their methods are given, as decorators or at the
level of a module, is no part of a key), `Prose` a field that only readers use.

**The digest** of a module (`code_digest`) is of its source and, transitively, of the modules of ours that it imports.
It keys numba's cache (`dpbench.core.kernel`), which must see an edit of any callee, in whatever module: stricter than
the closure. It reads sources as text: no module is imported and numba is not needed.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Annotated, Any, TypeAlias, TypeVar

from dpbench.core import kept, sources, validation
from dpbench.core.sources import foreign_path, our_path, parsed, statements

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
        The module of a dotted name (`module_of`).

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


_MODULES: dict[str, tuple[Path | None, sources.State | None, Module]] = {}


def module_of(name: str) -> Module:
    """The definitions of a module; one that is not ours is read again where its file has changed."""
    known = _MODULES.get(name)
    if known is not None and sources.is_ours(name):
        return known[2]  # of the files that the process started with: see `edited`
    path = None if sources.external(name) else sources.path_of(name)
    now = None if path is None else sources.state(path)
    if known is None or known[:2] != (path, now):
        known = _MODULES[name] = path, now, Module(name, path)
    return known[2]


class Module:
    """Top-level names of a module: those it binds, those it imports, those it loads lazily.

    Parameters
    ----------
    name : str
    path : Path or None
        None: nothing is known of it.
    """

    def __init__(self, name: str, path: Path | None) -> None:
        self.name = name
        self.package = name if path is not None and path.name == "__init__.py" else name.rpartition(".")[0]
        self.bindings: dict[str, list[ast.stmt]] = {}
        self.imports: dict[str, tuple[str, str | None]] = {}
        self._stars: list[str] = []
        self._effects: list[ast.stmt] = []
        self._definitions: dict[str, tuple[str, list[Name]]] = {}
        self._declares: dict[str, bool] = {}
        self._prose: dict[str, frozenset[str]] = {}
        self._homes: dict[str, str] = {}
        self._live = not sources.is_ours(name)
        self.distributions: frozenset[tuple[str, str]] = frozenset()
        if path is not None:
            tree = sources.parsed(path.read_bytes())
            self._read(tree)
            if self._live:
                self.distributions = self._distributions(tree)

    def binds(self, name: str) -> bool:
        """Whether the module itself defines this name."""
        return name in self.bindings

    def definition(self, name: str) -> tuple[str, list[Name]]:
        """Normalised text of the statements that bind a name, and the definitions that they refer to.

        Module-level constants of the user's own modules enter with the value they have now.
        """
        if name not in self._definitions:
            normaliser = Normaliser(self, module_of)
            statements = (*self.bindings[name], *self._effects)
            texts = [normaliser.text(s) for s in statements if not normaliser.declares(_called(s))]
            self._definitions[name] = "\n".join(texts), list(dict.fromkeys(normaliser.references))
        text, references = self._definitions[name]
        return (text + self._live_value(name) if self._live else text), references

    def declares(self, name: str) -> bool:
        """Whether a definition is a class marked as `declaring`, or an object made by one."""
        if name not in self._declares:
            self._declares[name] = False  # of what is made of itself
            found = [self._declared_by(statement) for statement in self._binding(name)]
            self._declares[name] = bool(found) and all(found)
        return self._declares[name]

    def prose(self, name: str) -> frozenset[str]:
        """Fields marked as `Prose` of a class, or of the class that made an object."""
        if name not in self._prose:
            self._prose[name] = frozenset()
            found = [self._prose_by(statement) for statement in self._binding(name)]
            self._prose[name] = frozenset.intersection(*found) if found else frozenset()
        return self._prose[name]

    def _binding(self, name: str) -> list[ast.stmt]:
        """The statements that bind a name, without calls on what it stands for."""
        return [statement for statement in self.bindings[name] if _called(statement) is None]

    def _declared_by(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.ClassDef):
            normaliser = Normaliser(self, module_of)
            return any(normaliser.marked(decorator, "declaring") for decorator in statement.decorator_list)
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        return value is not None and Normaliser(self, module_of).declares(value)

    def _prose_by(self, statement: ast.stmt) -> frozenset[str]:
        if isinstance(statement, ast.ClassDef):
            fields = [part for part in statement.body if isinstance(part, ast.AnnAssign)]
            marked = [part.target for part in fields if Normaliser(self, module_of).marked(part.annotation, "Prose")]
            return frozenset(target.id for target in marked if isinstance(target, ast.Name))
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        return frozenset() if value is None else Normaliser(self, module_of).prose(value)

    def resolve(self, name: str) -> list[Name]:
        """The definitions that a name of this module stands for; none for modules, builtins and unknown names."""
        return list(self._resolve(name, set()))

    def submodule(self, name: str) -> str | None:
        """The module that a name of this module stands for, if any."""
        if name in self.bindings:
            return None
        if name in self.imports:
            module, attribute = self.imports[name]
            if attribute is None:
                return module
            inner = f"{module}.{attribute}"
            return inner if not module_of(module).binds(attribute) and sources.path_of(inner) is not None else None
        inner = f"{self.name}.{name}"
        if self._homes.get(name) == inner or (self.package == self.name and sources.path_of(inner) is not None):
            return inner
        return None

    def absolute(self, module: str | None, level: int) -> str:
        """The name of the module that ``from <level dots><module> import`` means here."""
        if level == 0:
            return module or ""
        parts = self.package.split(".")
        base = ".".join(parts[: len(parts) - level + 1])
        return f"{base}.{module}" if module else base

    def _resolve(self, name: str, seen: set[Name]) -> Iterator[Name]:
        if (self.name, name) in seen:
            return
        seen.add((self.name, name))
        if name in self.bindings:
            yield self.name, name
        elif name in self.imports:
            module, attribute = self.imports[name]
            if attribute is not None:
                yield from module_of(module)._resolve(attribute, seen)
        elif name in self._homes and self._homes[name] != f"{self.name}.{name}":
            yield from module_of(self._homes[name])._resolve(name, seen)
        else:
            for module in self._stars:
                yield from module_of(module)._resolve(name, seen)

    def _read(self, tree: ast.Module) -> None:
        for statement in tree.body:
            self._add(statement)
        homes = self.bindings.get("_HOME")
        if homes and "__getattr__" in self.bindings and isinstance(homes[0], (ast.Assign, ast.AnnAssign)):
            value = homes[0].value
            if isinstance(value, ast.Dict):  # a lazy package: which module each public name comes from
                self._homes = dict(ast.literal_eval(value))

    def _distributions(self, tree: ast.Module) -> frozenset[tuple[str, str]]:
        """Name and version of each installed distribution that is imported anywhere in a module of a user's."""
        statements = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        modules = {target[0] for statement in statements for _, target in imported_names(statement, self)}
        foreign = [module for module in modules if not sources.is_ours(module) and sources.external(module)]
        return frozenset(one for module in foreign if (one := sources.distribution(module)) is not None)

    def _add(self, statement: ast.stmt) -> None:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            self._add_import(statement)
            return
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return  # a docstring
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.bindings.setdefault(statement.name, []).append(statement)
            return
        inner = [part for part in ast.walk(statement) if isinstance(part, ast.stmt)]
        for part in inner:
            if isinstance(part, (ast.Import, ast.ImportFrom)):
                self._add_import(part)
        names = bound_names(statement)
        names |= {name for name in map(_mutated, inner) if name in self.bindings}
        for name in names:
            self.bindings.setdefault(name, []).append(statement)
        if not names and not isinstance(statement, ast.If):  # an `if` of imports, or of the main program, binds nothing
            self._effects.append(statement)

    def _add_import(self, statement: ast.Import | ast.ImportFrom) -> None:
        for name, target in imported_names(statement, self):
            if name == "*":
                self._stars.append(target[0])
            else:
                self.imports[name] = target

    def _live_value(self, name: str) -> str:
        """Text of the value that a constant of a loaded module has now, or of the function put in another's place."""
        value = getattr(sys.modules.get(self.name), name, None)
        if isinstance(value, FunctionType):
            place = f"{value.__module__}.{value.__qualname__}"
            return "" if place == f"{self.name}.{name}" else f"\nnow {place}"
        if value is None or isinstance(value, type):
            return ""
        if is_dataclass(value) and (prose := self.prose(name)):
            value = {part.name: getattr(value, part.name) for part in fields(value) if part.name not in prose}
        from dpbench.core.sampling import canonical
        from dpbench.core.validation import InvalidInput

        try:
            return f"\nnow {canonical(value)}"
        except (InvalidInput, TypeError):
            return ""


def _called(statement: ast.stmt) -> ast.Call | None:
    """The call that a statement consists of, if it is one."""
    inner = statement.value if isinstance(statement, ast.Expr) else None
    return inner if isinstance(inner, ast.Call) else None


def _mutated(statement: ast.stmt) -> str | None:
    """The name whose object a statement like ``registry.append(...)`` or ``table[key] = ...`` changes."""
    node: Any = None
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        node = statement.value.func
    elif isinstance(statement, (ast.Assign, ast.AugAssign, ast.Delete)):
        targets = [statement.target] if isinstance(statement, ast.AugAssign) else statement.targets
        node = targets[0]
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def edited(names: Iterable[str]) -> list[Path]:
    """Files of those modules among `names` that no longer hold the code that this process runs."""
    ours = [path for name in names if sources.is_ours(name) and (path := sources.our_path(name)) is not None]
    theirs = [name for name in names if not sources.is_ours(name)]
    return sorted({*sources.changed(ours), *(path for name in theirs if (path := _rewritten(name)) is not None)})


def _rewritten(name: str) -> Path | None:
    """The file of a loaded module, where its functions are not those of the file; None where they are."""
    module, path = sys.modules.get(name), sources.foreign_path(name)
    loader = getattr(getattr(module, "__spec__", None), "loader", None)
    if path is None or type(loader) is not SourceFileLoader:  # what another loader makes of a file cannot be told
        return None
    try:
        written = {code.co_qualname: _content(code) for code in _codes(compile(path.read_bytes(), str(path), "exec"))}
    except (OSError, SyntaxError):
        return path
    for value in vars(module).values():
        for function in vars(value).values() if isinstance(value, type) else (value,):
            if isinstance(function, FunctionType) and function.__module__ == name:
                code = function.__code__
                if code.co_filename == str(path) and written.get(code.co_qualname) != _content(code):
                    return path
    return None


def _codes(code: CodeType) -> Iterator[CodeType]:
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield part
            yield from _codes(part)


def _content(code: CodeType) -> tuple[Any, ...]:
    inner = tuple(_content(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts)
    return code.co_code, code.co_names, code.co_varnames, inner


_ROUNDS = 3  # how far the names of a definition's neighbours enter its own digest


@dataclass(frozen=True)
class Closure:
    """What a function rests on.

    Attributes
    ----------
    key : str
        SHA-256 (hex) of all definitions and of how they refer to each other.
    definitions : dict of str to str
        Digest (8 hexadecimal digits) of each definition's own text, by ``module:name``.
    names : frozenset of (str, str)
        Module and name of each definition.
    distributions : dict of str to str
        Version of each installed distribution that modules of a user's own import, by its name.
    """

    key: str
    definitions: dict[str, str]
    names: frozenset[Name]
    distributions: dict[str, str] = field(default_factory=dict)

    def differences(self, other: dict[str, str]) -> list[str]:
        """Names of the definitions that `other`, the `definitions` of another closure, has otherwise or not at all.

        A definition that only moved to another module is no difference.
        """
        mine, theirs = _unplaced(self.definitions), _unplaced(other)
        return sorted({name for name, _ in mine ^ theirs})


def closure(*roots: Any, depends: Iterable[str] = ()) -> Closure:
    """The definitions reachable from functions, classes and instances.

    Parameters
    ----------
    *roots : functions, classes, partials, or instances of dataclasses and containers with such among their parts
    depends : iterable of str
        ``"module:name"`` of what is reached in a way that names do not show.

    Raises
    ------
    InvalidInput
        If a root has no source file, or `depends` names nothing.
    """
    named: set[Name] = set()
    for root in roots:
        _add_roots(root, named)
    declared = frozenset(_parts(text) for text in depends)
    ours = all(sources.at_start(module) for module, _ in named | declared)
    return (_closure_of_ours if ours else _closure_from)(frozenset(named), declared)


@cache
def _closure_of_ours(named: frozenset[Name], declared: frozenset[Name]) -> Closure:
    """Ours refers to nothing but ours, and stays what it was at the start."""
    known = kept.closure(named | declared)
    if known is not None:
        key, definitions = known
        return Closure(key, definitions, frozenset(map(_parts, definitions)))
    found = _closure_from(named, declared)
    kept.keep_closure(named | declared, found.key, found.definitions)
    return found


def _closure_from(named: frozenset[Name], declared: frozenset[Name]) -> Closure:
    for module, name in named:
        if sources.path_of(module) is None:
            raise validation.invalid("function", "from a module with a source file", module)
        if not module_of(module).binds(name):
            raise validation.invalid("function", "a definition at the level of its module", f"{module}.{name}")
    starts = set(named)
    for module, name in declared:
        if not name or sources.path_of(module) is None or not module_of(module).resolve(name):
            raise validation.invalid("depends", "names of definitions, as module:name", f"{module}:{name}")
        starts.update(module_of(module).resolve(name))
    return _closure_of(frozenset(starts))


def _parts(label: str) -> Name:
    module, _, name = label.partition(":")
    return module, name


def _closure_of(starts: frozenset[Name]) -> Closure:
    own: dict[Name, str] = {}
    edges: dict[Name, list[Name]] = {}
    waiting = list(starts)
    while waiting:
        at = waiting.pop()
        if at in own:
            continue
        text, references = module_of(at[0]).definition(at[1])
        own[at] = hashlib.sha256(text.encode()).hexdigest()
        edges[at] = references
        waiting += edges[at]
    linked = own
    for _ in range(_ROUNDS):
        linked = {at: _sha([linked[at], *(linked[to] for to in edges[at])]) for at in own}
    return Closure(
        key=_sha(sorted(linked.values())),
        definitions={f"{module}:{name}": own[module, name][:8] for module, name in sorted(own)},
        names=frozenset(own),
        distributions=dict(sorted(set().union(*(module_of(module).distributions for module, _ in own)))),
    )


def _add_roots(value: Any, found: set[Name], primary: bool = True) -> None:
    """Add the definitions that `value` is made of; `primary`: it is the function itself, not bound to it."""
    value = getattr(value, "py_func", value)
    if isinstance(value, partial):
        _add_roots(value.func, found, primary)
        _add_roots([*value.args, *value.keywords.values()], found, False)
    elif isinstance(value, MethodType):
        _add_roots(value.__self__, found, primary)
    elif isinstance(value, (FunctionType, type)):
        if primary:
            sources.follow(value.__module__)
        if not sources.external(value.__module__):
            found.add(_definition(value))
    elif isinstance(value, dict):
        _add_roots(list(value.values()), found, False)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            _add_roots(part, found, False)
    elif not isinstance(value, ModuleType) and not sources.external(type(value).__module__):
        found.add(_definition(type(value)))
        if is_dataclass(value):
            _add_roots([getattr(value, field.name) for field in fields(value) if field.init], found, False)


def _definition(value: Any) -> Name:
    return value.__module__, value.__qualname__.partition(".")[0]


def _unplaced(definitions: dict[str, str]) -> set[tuple[str, str]]:
    return {(label.partition(":")[2], digest) for label, digest in definitions.items()}


def _sha(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def code_digest(module: str) -> str:
    """SHA-256 (hex) of `module` and of all modules of ours reachable from it by imports.

    Parameters
    ----------
    module : str
        Dotted name of a module, of ours or a user's own.

    Notes
    -----
    Imports inside functions and under ``TYPE_CHECKING`` count: a lazy import is still a dependency.
    """
    digest = hashlib.sha256()
    for name, source in sorted(reachable_sources(module).items()):
        digest.update(f"{name}\0{len(source)}\0".encode())
        digest.update(source)
    return digest.hexdigest()


def reachable_sources(module: str) -> dict[str, bytes]:
    """Sources of `module` and of all modules of ours reachable from it by imports, by name."""
    seen: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        path = our_path(name) or (foreign_path(name) if name == module else None)
        seen[name], imports = _source_and_imports(name, path)
        waiting.extend(imports)
    return seen


@cache
def _source_and_imports(module: str, path: Path | None) -> tuple[bytes, tuple[str, ...]]:
    if path is None:
        return b"", ()
    source = path.read_bytes()
    known = kept.imports(module)
    if known is not None:
        return source, known
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in statements(parsed(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node.module, node.level, package)
            parts = [f"{base}.{alias.name}" for alias in node.names]
            found.update(parts)
            if any(our_path(part) is None for part in parts):  # a name that the module itself defines
                found.add(base)
    ours = tuple(sorted(name for name in found if our_path(name) is not None))
    kept.keep_imports(module, ours)
    return source, ours


def _absolute(module: str | None, level: int, package: str) -> str:
    if level == 0:
        return module or ""
    parts = package.split(".")
    base = ".".join(parts[: len(parts) - level + 1])
    return f"{base}.{module}" if module else base
