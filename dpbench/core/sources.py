"""Where the source of a module is, and whether it is still the one that this process runs.

A key of code is worth something only if it is of the code that ran. The state of our files is therefore taken when
the process starts (`dpbench` imports this module first); where a file has changed since, `changed` names it, and
nothing that was computed is filed under a key of the new text.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any

OURS = ("dpbench", "lowerbounds")
_followed: set[str] = set()
State = tuple[int, int, int]


def is_ours(module: str) -> bool:
    """Whether a dotted name lies in one of our packages."""
    return module.partition(".")[0] in OURS


@cache
def our_path(module: str) -> Path | None:
    """File of a module of ours; None for another's, and for a name inside a module."""
    if not is_ours(module):
        return None
    top, *rest = module.split(".")
    for folder in _folders(top):
        place = Path(folder, *rest)
        for file in (place / "__init__.py", place.with_name(f"{place.name}.py")):
            if file.is_file():
                return file
    return None


def foreign_path(module: str) -> Path | None:
    """Source file of a module that is not of ours; None where it has none (built in, interactive, not found)."""
    loaded = sys.modules.get(module)
    if loaded is not None:
        file = getattr(loaded, "__file__", None)
    else:  # found without importing anything: its parent, if it has one, must be loaded
        parent, _, _ = module.rpartition(".")
        places = getattr(sys.modules.get(parent), "__path__", None) if parent else None
        if parent and places is None:
            return None
        spec = PathFinder.find_spec(module, None if places is None else list(places))
        file = spec.origin if spec is not None else None
    return Path(file) if file is not None and str(file).endswith(".py") else None


def path_of(module: str) -> Path | None:
    """File of any module, of ours or another's; None where it has none."""
    return our_path(module) if is_ours(module) else foreign_path(module)


def external(module: str) -> bool:
    """Whether a module is no text to follow: built in, of the standard library, or of an installed package not ours.

    The recorded version of an installed package stands for its text, in whatever folder it lies; not that of one that
    is installed to be edited, nor a file beside it that no distribution names.
    """
    if is_ours(module) or module.partition(".")[0] in _followed:
        return False
    return _external(module, module in sys.modules)


def follow(module: str) -> None:
    """Count the package of this module as text to follow, installed or not: that of a paper from outside, say."""
    _followed.add(module.partition(".")[0])


@cache
def _external(module: str, loaded: bool) -> bool:
    path = foreign_path(module)
    return path is None or _of_the_standard_library(module, path) or distribution(module) is not None


def _of_the_standard_library(module: str, path: Path) -> bool:
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return False
    folders = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")}
    inside = [path.resolve().relative_to(folder) for folder in folders if path.resolve().is_relative_to(folder)]
    return any(relative.parts[0] not in ("site-packages", "dist-packages") for relative in inside)


def distribution(module: str) -> tuple[str, str] | None:
    """Name and version of the installed distribution that a module not of ours belongs to; None where there is none.

    One that is installed to be edited (``pip install -e``) is none: its version says nothing of its text.
    """
    path = foreign_path(module)
    if path is None:
        return None
    steps = module.count(".") + (path.name == "__init__.py")
    folder = path.parents[min(steps, len(path.parents) - 1)]
    for one in _distributions(str(folder)).get(module.partition(".")[0], ()):
        if one.files is None or f"\n{path.relative_to(folder).as_posix()}," in one.files:
            return one.heading
    return None


@dataclass(frozen=True)
class _Distribution:
    """An installed distribution; `files` is its RECORD behind a line break, None where it has none."""

    metadata: Any
    files: str | None

    @property
    def heading(self) -> tuple[str, str]:
        """Its name and version: parsed for those that are asked for alone, most of what reading all of them takes."""
        return self.metadata.name, self.metadata.version


@cache
def _distributions(folder: str) -> dict[str, list[_Distribution]]:
    """The distributions whose metadata lie in a folder, by the names at its top that they hold."""
    from importlib.metadata import distributions  # takes longer to import than most processes need of this module

    found: dict[str, list[_Distribution]] = {}
    for one in distributions(path=[folder]):
        record = one.read_text("RECORD")
        place = Path(str(getattr(one, "_path", ""))).name
        if record is None and f"-{one.version}" not in place:
            continue  # what building leaves in a folder of sources
        if json.loads(one.read_text("direct_url.json") or "{}").get("dir_info", {}).get("editable"):
            continue
        if record is not None:
            files = {line.split(",", 1)[0].split("/", 1)[0] for line in record.splitlines()}
            tops = {name.removesuffix(".py") for name in files}
        else:  # of a system's own packages
            tops = set((one.read_text("top_level.txt") or one.name.lower().replace("-", "_")).split())
        for top in tops:
            found.setdefault(top, []).append(_Distribution(one, None if record is None else f"\n{record}"))
    return found


@lru_cache(maxsize=1024)
def parsed(source: bytes) -> ast.Module:
    """The syntax tree of a source, for everything that reads it; nobody changes it."""
    return ast.parse(source)


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every statement of a tree, at any depth, without a look into expressions."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, field, ())
            waiting += inner if isinstance(inner, list) else ()


def state(path: Path) -> State | None:
    """What changes when a file is written or replaced; None where it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def our_files() -> list[Path]:
    """Every file of ours that was there at the start."""
    return list(_AT_START)


def at_start(module: str) -> bool:
    """Whether a module is one of ours, of a file that was there at the start."""
    return our_path(module) in _AT_START


def changed(paths: Iterable[Path] | None = None) -> list[Path]:
    """Those of our files (or of the given paths among them) that were edited, replaced or removed since the start.

    Parameters
    ----------
    paths : iterable of Path, optional
        Default: every file of ours.
    """
    asked = _AT_START if paths is None else [p for p in map(Path, paths) if p in _AT_START]
    return sorted(p for p in asked if state(p) != _AT_START[p])


def _folders(top: str) -> list[str]:
    spec = find_spec(top)  # of a top package: looks for files and imports nothing
    return list((spec.submodule_search_locations if spec is not None else None) or ())


def _files(folder: str) -> dict[Path, State | None]:
    found: dict[Path, State | None] = {}
    for entry in os.scandir(folder):
        if entry.is_dir() and entry.name != "__pycache__":
            found |= _files(entry.path)
        elif entry.name.endswith(".py"):
            found[Path(entry.path)] = state(Path(entry.path))
    return found


_AT_START: dict[Path, State | None] = {}
for _top in OURS:
    for _folder in _folders(_top):
        _AT_START |= _files(_folder)
