"""Public names that are imported when first asked for (PEP 562), so that `import dpbench` loads no numba."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any


def load(package: str, homes: Mapping[str, str], name: str) -> Any:
    """The object `name`, imported from its home module and kept in the package's namespace."""
    if name not in homes:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(homes[name]), name)
    setattr(importlib.import_module(package), name, value)
    return value
