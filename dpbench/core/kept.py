"""What follows from our sources alone, kept between processes: what each module imports, what each closure holds.

To parse every source and to walk over its definitions takes seconds in every process; to read what came of it does not.
It is kept in one file of the user's cache folder, under one digest of the bytes of every source of ours and the version
of Python, so that an edit of any of them begins anew. Nothing is read or kept where a source has changed since the
process started, nor of what is not one of ours.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs

from dpbench.core import sources

Definitions = dict[str, str]
"""Digest of each definition, by ``module:name``."""


class _Kept:
    """The file, as this process found it, and what this process adds."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.new_imports: dict[str, list[str]] = {}
        self.new_closures: dict[str, tuple[str, Definitions]] = {}
        self.read()

    def read(self) -> None:
        """What the file holds under the key; nothing where that cannot be read, or is damaged."""
        document: dict[str, Any] = {"imports": {}, "definitions": [], "closures": {}}
        with suppress(OSError, ValueError):
            head, body = _place().read_bytes().split(b"\n", 1)
            if head == _head(self.key, body):
                document = json.loads(body)
        self.imports: dict[str, list[str]] = document["imports"]
        self.definitions: list[tuple[str, str]] = [(name, digest) for name, digest in document["definitions"]]
        self.closures: dict[str, tuple[str, list[int]]] = document["closures"]

    def closure(self, starts: str) -> tuple[str, Definitions] | None:
        if starts not in self.closures:
            return self.new_closures.get(starts)
        key, places = self.closures[starts]
        return key, dict(self.definitions[place] for place in places)

    def write(self) -> None:
        """Add what is new to what the file holds now."""
        self.read()  # another process may have written since
        place = {name: at for at, (name, _) in enumerate(self.definitions)}
        for starts, (key, found) in self.new_closures.items():
            for name, digest in found.items():
                if name not in place:
                    place[name] = len(self.definitions)
                    self.definitions.append((name, digest))
            self.closures[starts] = key, [place[name] for name in found]
        self.imports |= self.new_imports
        names = ("imports", "definitions", "closures")
        body = json.dumps({name: getattr(self, name) for name in names}, separators=(",", ":")).encode()
        part = _place().with_name(f".{_place().name}.{os.getpid()}")
        with suppress(OSError):
            part.parent.mkdir(parents=True, exist_ok=True)
            try:
                part.write_bytes(_head(self.key, body) + b"\n" + body)
                part.replace(_place())
            finally:
                part.unlink(missing_ok=True)
        self.new_imports, self.new_closures = {}, {}


def imports(module: str) -> tuple[str, ...] | None:
    """The modules of ours that a module of ours imports, as kept; None where it is not known."""
    kept = _of(module)
    found = None if kept is None else kept.imports.get(module, kept.new_imports.get(module))
    return None if found is None else tuple(found)


def keep_imports(module: str, found: Iterable[str]) -> None:
    """Keep what `imports` is to find."""
    if (kept := _of(module)) is not None:
        kept.new_imports[module] = list(found)


def listed(what: str, module: str) -> tuple[str, ...] | None:
    """What a module of ours says of one thing, as kept beside what it imports; None where it is not known."""
    kept = _of(module)
    key = f"{what} {module}"
    found = None if kept is None else kept.imports.get(key, kept.new_imports.get(key))
    return None if found is None else tuple(found)


def keep_list(what: str, module: str, found: Iterable[str]) -> None:
    """Keep what `listed` is to find."""
    if (kept := _of(module)) is not None:
        kept.new_imports[f"{what} {module}"] = list(found)


def closure(starts: Iterable[tuple[str, str]]) -> tuple[str, Definitions] | None:
    """Key and definitions of the closure of these names, as kept; None where it is not known."""
    names = sorted(starts)
    kept = _of(*(module for module, _ in names))
    return None if kept is None else kept.closure(_joined(names))


def keep_closure(starts: Iterable[tuple[str, str]], key: str, definitions: Definitions) -> None:
    """Keep what `closure` is to find."""
    names = sorted(starts)
    if (kept := _of(*(module for module, _ in names))) is not None:
        kept.new_closures[_joined(names)] = key, definitions


def write() -> None:
    """Add what this process found to the file, where it can be written; of two that do so at once, one may lose it."""
    kept = _opened()
    if kept is not None and (kept.new_imports or kept.new_closures) and not sources.changed():
        kept.write()


def _joined(names: Iterable[tuple[str, str]]) -> str:
    return " ".join(f"{module}:{name}" for module, name in names)


def _of(*modules: str) -> _Kept | None:
    """What is kept, where all of these are modules that were ours at the start."""
    return _opened() if all(sources.at_start(module) for module in modules) else None


@cache
def _opened() -> _Kept | None:
    if sources.changed():
        return None
    files = sorted(sources.our_files())
    digest = hashlib.sha256(repr(sys.version_info).encode())
    try:
        top = os.path.commonpath(files)
        for path in files:
            source = path.read_bytes()
            digest.update(f"{path.relative_to(top)}\0{len(source)}\0".encode())
            digest.update(source)
    except (OSError, ValueError):
        return None
    return _Kept(digest.hexdigest())


def _head(key: str, body: bytes) -> bytes:
    return f"{key} {hashlib.sha256(body).hexdigest()}".encode()


def _place() -> Path:
    return Path(platformdirs.user_cache_dir("dpbench")) / "closures.json"
