"""Claims named on a command line: a module, a file or a folder, read as if its package were installed.

A file is imported by its name, with its folder in front of `sys.path` (that of the outermost package, where it lies in
one), as Python does with a script: so its functions have a dotted name, by which worker processes find them.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from dpbench.core import sources as code
from dpbench.core.validation import InvalidInput, invalid
from dpbench.ledger.paper import Paper

PATTERN = "claims_*.py"
"""Names of the files of a folder that hold claims."""


def files(place: Path) -> list[Path]:
    """The files with claims of a folder that is no package, in order of name.

    Raises
    ------
    InvalidInput
        If there are none.
    """
    paths = sorted(place.glob(PATTERN))
    if not paths:
        raise invalid("sources", f"a folder with files {PATTERN}, or a package", str(place))
    return paths


def expanded(names: Sequence[str]) -> tuple[str, ...]:
    """Each name as a module, a package's folder or a file; a folder that is no package becomes its files.

    Raises
    ------
    InvalidInput
        For a path that is not there, or a folder without claims.
    """
    paths: list[str] = []
    for name in names:
        place = Path(name)
        is_path = place.suffix == ".py" or "/" in name or place.exists()
        if is_path and not place.exists():
            raise invalid("sources", "an existing file or folder, or a module", name)
        if place.is_dir() and not (place / "__init__.py").exists():
            paths += [str(path) for path in files(place)]
        else:
            paths.append(name)
    return tuple(dict.fromkeys(paths))


def imported(name: str) -> ModuleType:
    """The module that an item of `expanded` names.

    Raises
    ------
    InvalidInput
        If another module has the name already.
    """
    place = Path(name)
    if not (place.suffix == ".py" or place.is_dir()):
        _in_front(Path.cwd())
        code.importing(name)
        return importlib.import_module(name)
    place = place.resolve()
    top, parts = place.parent, [place.stem]
    while (top / "__init__.py").exists():
        parts.insert(0, top.name)
        top = top.parent
    dotted = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    _in_front(top)
    importlib.invalidate_caches()
    code.importing(dotted)
    module = importlib.import_module(dotted)
    there = Path(getattr(module, "__file__", None) or "").resolve()
    if there not in (place, place / "__init__.py"):
        raise InvalidInput(f"{name} must have a name of its own, got {dotted}, which is {there}")
    return module


def papers(name: str) -> list[Paper]:
    """The papers that a source binds.

    Raises
    ------
    InvalidInput
        If it binds none, or one of this package, which takes no claims from outside.
    """
    module = imported(name)
    bound = list(_bound(module))
    if not bound:
        raise invalid(name, "a module that binds a dpbench.ledger.Paper", module.__name__)
    for paper in bound:
        if is_own(paper.name):
            raise InvalidInput(f"the paper of {name} must have a name of its own, got {paper.name!r}, one of dpbench's")
    return bound


def is_own(paper: str) -> bool:
    """Whether a paper of this name is a folder of this package."""
    return code.path_of(f"dpbench.papers.{paper}.theorems") is not None


def _bound(module: ModuleType) -> Iterator[Paper]:
    seen: set[int] = set()
    for value in vars(module).values():
        if isinstance(value, Paper) and id(value) not in seen:
            seen.add(id(value))
            yield value


def _in_front(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
