"""What a block is of: the text and the code key that it is stored under.

The text holds the unit as the claim names it, the function, and every argument bound to it; the key covers the
definitions that the function and the types and functions among those arguments reach, the versions of the libraries
and the type of processor. So a stored block is used again only where computing it would give the same bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any

from dpbench.core import validation
from dpbench.core.closure import Closure, closure
from dpbench.core.definitions import edited
from dpbench.core.sampling import canonical
from dpbench.runs.environment import environment


@dataclass(frozen=True)
class UnitName:
    """What the blocks of a unit are stored under.

    Attributes
    ----------
    text : str
        The unit, the function and its arguments.
    code : str
        Key of the code, the versions and the type of processor.
    edited : tuple of str
        Files that have changed since this process loaded them: the code that runs has no key, and nothing is stored.
    """

    text: str
    code: str
    edited: tuple[str, ...]


def name_of(unit: dict[str, Any], function: Callable[[int], Any]) -> UnitName:
    """The name of ``function(block)`` as a part of `unit`.

    Raises
    ------
    InvalidInput
        If `function` is not a module-level function or a partial of one, has no source file, or is bound to
        something that no text names.
    """
    text = f"{canonical(unit)}|{_text(function)}"
    code = closure(function)
    used = sorted((code.distributions | environment()).items())
    made = "\n".join([code.key, *(f"{name}={what}" for name, what in used)])
    return UnitName(text, hashlib.sha256(made.encode()).hexdigest(), edited_files(code))


def edited_files(code: Closure) -> tuple[str, ...]:
    """The files among those of a closure that no longer hold what runs."""
    return tuple(map(str, edited({module for module, _ in code.names})))


def _text(value: Any) -> str:
    """Canonical text of a function or an argument."""
    if isinstance(value, partial):
        bound = [_text(v) for v in value.args]
        bound += [f"{k}={_text(v)}" for k, v in sorted(value.keywords.items())]
        return f"{_text(value.func)}({','.join(bound)})"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, FunctionType):
        if "<" in value.__qualname__:
            raise validation.invalid("function", "a module-level function or a partial of one", value)
        return value.__qualname__
    return canonical(value)
