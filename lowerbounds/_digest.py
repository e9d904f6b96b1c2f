"""One digest of a module and, transitively, of the modules of ours that it imports.

The same digest keys numba's cache (`_kernel`), the stored blocks of a run and the committed evidence, so an edit
of any function that a result could depend on is seen everywhere. It reads sources as text: no module is imported
and numba is not needed.
"""

from __future__ import annotations

import ast
import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

OURS = ("dpbench", "lowerbounds")


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
    seen: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        source, imports = _source_and_imports(name)
        seen[name] = source
        waiting.extend(imports)
    digest = hashlib.sha256()
    for name in sorted(seen):
        digest.update(f"{name}\0{len(seen[name])}\0".encode())
        digest.update(seen[name])
    return digest.hexdigest()


@lru_cache(maxsize=None)
def _source_and_imports(module: str) -> tuple[bytes, tuple[str, ...]]:
    path = _path_of(module)
    if path is None:
        return b"", ()
    source = path.read_bytes()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node.module, node.level, package)
            parts = [f"{base}.{alias.name}" for alias in node.names]
            found.update(parts)
            if any(_path_of(part) is None for part in parts):  # a name that the module itself defines
                found.add(base)
    ours = {name for name in found if _path_of(name) is not None}
    return source, tuple(sorted(ours))


def _absolute(module: str | None, level: int, package: str) -> str:
    if level == 0:
        return module or ""
    parts = package.split(".")
    base = ".".join(parts[: len(parts) - level + 1])
    return f"{base}.{module}" if module else base


@lru_cache(maxsize=None)
def _path_of(module: str) -> Path | None:
    """File of a module of ours; None for another's, and for a name that is not a module."""
    if module.partition(".")[0] not in OURS:
        return None
    try:
        spec = find_spec(module)
    except (ModuleNotFoundError, ValueError):  # `dpbench.losses.Loss` is a name, not a module
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    return Path(spec.origin)
