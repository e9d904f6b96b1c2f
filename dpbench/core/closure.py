"""The code that a function rests on: the definitions it can reach, and a key made of them.

A definition is what one name of a module stands for: a function, a class with all its methods, an assignment (a
registry with what is put into it). The closure of a function holds every definition that can be reached from it by
names and by chains ``module.attribute``, resolved through imports, those inside functions and those of lazy packages
too. Modules of ours are followed, and modules of the user that are not installed packages; for the standard library
and installed packages the recorded versions stand. What is reached in another way (``getattr`` with a computed name,
say) is declared by hand, as ``depends=``.

The key is of normalised syntax trees: comments, positions, docstrings and annotations are no part of it, and a
reference counts as the name of what it refers to, so that a definition may move to another module.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, partial
from types import FunctionType, MethodType, ModuleType
from typing import Any

from dpbench.core import kept, sources, validation
from dpbench.core.definitions import Name, module_of

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
