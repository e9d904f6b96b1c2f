"""The definitions of a module, as normalised text with what they refer to: what `dpbench.core.closure` walks over.

Written for code in the usual style: what a module binds by ``exec``, by assigning into ``globals()`` or by computed
attribute names is not seen. A local name that hides a global one is told apart by Python's own rules of scope.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from dpbench.core import sources
from dpbench.core.normalise import Name, Normaliser, bound_names, imported_names

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
