"""One digest of a module and, transitively, of the modules of ours that it imports.

It keys numba's cache (`dpbench.core.kernel`), which must see an edit of any callee, in whatever module: stricter than
the key of an entry of the ledger, which is of definitions (`dpbench.core.closure`). It reads sources as text: no
module is imported and numba is not needed.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

from dpbench.core import kept
from dpbench.core.sources import foreign_path, our_path, parsed, statements


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
