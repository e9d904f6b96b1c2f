"""Public names that are imported when first asked for (PEP 562), so that `import dpbench` loads no numba."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any


def load(package: str, homes: Mapping[str, str], name: str) -> Any:
    """The object `name` of its home module, or the module of that name itself; kept in the package's namespace."""
    if name not in homes:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    home = importlib.import_module(homes[name])
    value = getattr(home, name, home) if homes[name].endswith(f".{name}") else getattr(home, name)
    setattr(importlib.import_module(package), name, value)
    return value
