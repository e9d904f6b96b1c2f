"""Errors planted in kernels, for tests that must see them."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np
import pytest


def wrong(module: ModuleType, kernel: str, old: str, new: str) -> Callable[..., Any]:
    """A module's function, or the Python function of its kernel, with one expression changed; it calls no kernel."""
    function = getattr(module, kernel)
    source = textwrap.dedent(inspect.getsource(getattr(function, "py_func", function)))
    body = source[source.index("def ") :]
    assert old in body, f"{kernel} has no {old!r}"
    scope = {name: getattr(value, "py_func", value) for name, value in vars(module).items()}
    exec(body.replace(old, new), scope)
    return scope[kernel]


Checks = Mapping[str, tuple[Callable[[Any], None], tuple[tuple[str, str], ...]]]
"""Kernel: its comparison with the twin, and expressions with what is planted for them."""


def see(check: Callable[[Any], None], broken: Callable[..., Any]) -> None:
    """The comparison with the twin must fail on a broken kernel."""
    with pytest.raises((AssertionError, IndexError, OverflowError, ValueError)):
        check(broken)


def after(kernel: Callable[..., Any], change: Callable[[tuple[Any, ...]], None]) -> Callable[..., Any]:
    """The kernel, with its arrays changed once it is done."""

    def planted(*arguments: Any) -> Any:
        result = kernel(*arguments)
        change(arguments)
        return result

    return planted


def scaled(position: int, factor: float) -> Callable[[tuple[Any, ...]], None]:
    return lambda arguments: np.multiply(arguments[position], factor, out=arguments[position])
