"""Which code a result rests on: sources found by the imports that they write down, their text, and keys made of it.

Three keys are made, and each says what an edit throws away:

- of committed evidence (`dpbench.ledger.declaration.Declaration.code`): the theorem's module, and what it imports of
  its paper and of `lowerbounds`. An edit of the framework leaves it: continuous integration runs the whole ledger for
  that;
- of a store (`framework` beside it): the same, and every file of the framework;
- of compiled kernels (`digest_of`): their module, and all that it imports of ours.

The text is without comments, docstrings and blank lines. Imports inside functions and under ``TYPE_CHECKING`` count, so
that a lazy package leads to what it loads. Of a user's package each module that is imported counts, and the version of
each installed distribution that it names. What is set at run time from outside (an attribute of a module that is
assigned to, a file that is read) is not seen: bind it to the function as an argument.

A key is worth something only if it is of the code that ran: `edited` names the files that were written after this
process began, and nothing is filed under a key where there are some.
"""

from __future__ import annotations

import hashlib
import re
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, lru_cache, partial
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

OURS = ("dpbench", "lowerbounds")
PAPERS = "dpbench.papers"
_BEGUN = time.time()  # `dpbench` imports this module first
_IMPORTED: dict[str, float] = {}
_TOKEN = re.compile(
    r"""(?P<string>[rRbBuUfF]{0,2}(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}"""
    r"""|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'))|\#[^\n]*""",
    re.DOTALL,
)
_BLANK = re.compile(r"[ \t\f]*\n(?:[ \t\f]*\n)*")
_ENDS = re.compile(r"[ \t]*(?:\#[^\n]*)?(?:\n|\Z)")
_IMPORT = re.compile(
    r"(?:^|[;:])[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n;]+)|import[ \t]+([^\n;]+))", re.M
)


@dataclass(frozen=True)
class Code:
    """What a function rests on, the framework left out.

    Attributes
    ----------
    key : str
        SHA-256 (hex).
    modules : dict of str to str
        Digest (8 hexadecimal digits) of the text of each module, and the version of each distribution, by name.
    """

    key: str
    modules: dict[str, str]


def code_of(*values: Any, module: str = "") -> Code:
    """The modules of functions and objects, and `module`, with what these import; nothing of the framework."""
    roots = {name for value in values for name in homes(value)} | ({module} if module else set())
    return _code(frozenset(name for name in roots if not is_framework(name)))


@cache
def _code(roots: frozenset[str]) -> Code:
    digests = {name: _sha(text(name))[:8] for name in sorted(reached_from(roots, is_framework))}
    for name in [name for name in digests if not is_ours(name)]:
        digests |= _versions(name)
    return Code(_sha("\n".join(f"{name} {digest}" for name, digest in sorted(digests.items()))), digests)


@cache
def framework() -> str:
    """SHA-256 (hex) of every file of ours but those of papers and of `lowerbounds`."""
    return _sha("\n".join(f"{name} {_sha(path.read_bytes())}" for name, path in _files().items() if is_framework(name)))


@cache
def everything() -> str:
    """SHA-256 (hex) of every file of ours."""
    return _sha("\n".join(f"{name} {_sha(path.read_bytes())}" for name, path in _files().items()))


@cache
def digest_of(module: str) -> str:
    """SHA-256 (hex) of the text of a module and of all that it imports of ours, the framework included."""
    return _sha("\n".join(f"{name} {_sha(text(name))}" for name in sorted(reached(module))))


@cache
def reached(module: str) -> frozenset[str]:
    """A module and all of ours that it leads to by imports; of a user's package, its modules too."""
    return reached_from(frozenset([module]))


def reached_from(roots: Iterable[str], beyond: Callable[[str], bool] = lambda name: False) -> frozenset[str]:
    """Modules and what they lead to; nothing that lies `beyond`, nor what is reached through it."""
    waiting = list(roots)
    tops = {name.partition(".")[0] for name in waiting}
    names: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names.add(name)
        waiting += [
            one for one in imports(name) if not beyond(one) and (one.partition(".")[0] in tops or followed(one))
        ]
    return frozenset(names)


def is_ours(module: str) -> bool:
    """Whether a dotted name lies in one of our packages."""
    return module.partition(".")[0] in OURS


def is_framework(module: str) -> bool:
    """Whether a module is of ours, and neither a paper's nor of `lowerbounds`."""
    return module.partition(".")[0] == "dpbench" and not f"{module}.".startswith(f"{PAPERS}.")


@cache
def followed(module: str) -> bool:
    """Whether a module's text counts: ours, or a user's that no distribution in ``site-packages`` or Python brings."""
    path = path_of(module)
    if path is None or is_ours(module):
        return path is not None
    installed = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    parts = {"site-packages", "dist-packages"}
    return not any(path.resolve().is_relative_to(folder) for folder in installed) and not parts & set(path.parts)


def path_of(module: str) -> Path | None:
    """Source file of a module, found without importing it; None where there is none."""
    return _our_path(module) if is_ours(module) else _foreign_path(module)


@cache
def _our_path(module: str) -> Path | None:
    top, *rest = module.split(".")
    for folder in _folders(top):
        place = Path(folder, *rest)
        for file in (place / "__init__.py", place.with_name(f"{place.name}.py")):
            if file.is_file():
                return file
    return None


def _foreign_path(module: str) -> Path | None:
    loaded = sys.modules.get(module)
    if loaded is not None:
        file = getattr(loaded, "__file__", None)
    else:  # its parent, if it has one, must be loaded
        parent = module.rpartition(".")[0]
        places = getattr(sys.modules.get(parent), "__path__", None) if parent else None
        if parent and places is None:
            return None
        spec = PathFinder.find_spec(module, None if places is None else list(places))
        file = spec.origin if spec is not None else None
    return Path(file) if file is not None and str(file).endswith(".py") else None


def text(module: str) -> str:
    """What the source of a module says; empty where it has none."""
    path = path_of(module)
    return "" if path is None else _text(path, _written(path))


@cache
def _text(path: Path, written: float) -> str:
    return plain(path.read_text(encoding="utf-8"))


def plain(source: str) -> str:
    """A source without comments and blank lines, and with ``""`` in the place of docstrings."""
    pieces: list[str] = []
    outside: list[str] = []  # of strings, since the last piece
    seen: list[str] = []  # the same, since brackets were last counted
    at = depth = 0
    for token in _TOKEN.finditer(source):
        outside.append(source[at : token.start()])
        seen.append(outside[-1])
        at = token.end()
        if token["string"] is None:
            continue
        if _ENDS.match(source, at) and _begins(source, token.start()):
            depth += sum(map("".join(seen).count, "([{")) - sum(map("".join(seen).count, ")]}"))
            seen = []
            if depth == 0:
                outside.append('""')
                continue
        pieces += [_BLANK.sub("\n", "".join(outside)), token[0]]
        outside = []
    outside.append(source[at:])
    return "".join([*pieces, _BLANK.sub("\n", "".join(outside))]).strip()


def _begins(source: str, at: int) -> bool:
    """Whether a statement begins here."""
    line = source.rfind("\n", 0, at) + 1
    return not source[line:at].strip() and not source[:line].endswith("\\\n")


def imports(module: str) -> tuple[str, ...]:
    """The modules that a source names in its imports."""
    path = path_of(module)
    return () if path is None else _imports(module, path, _written(path))


@cache
def _imports(module: str, path: Path, written: float) -> tuple[str, ...]:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    targets: list[str] = []
    for dots, base, names, whole in _IMPORT.findall(text(module).replace("\\\n", " ")):
        listed = [name.split()[0] for name in (names or whole).strip("() \n").split(",") if name.strip()]
        if whole:
            targets += listed
            continue
        if dots:
            parts = package.split(".")
            base = ".".join([*parts[: len(parts) - len(dots) + 1], *([base] if base else [])])
        inner = [f"{base}.{name}" for name in listed]
        modules = [name for name in inner if path_of(name) is not None]
        targets += modules if len(modules) == len(inner) else [*modules, base]
    return tuple(dict.fromkeys(targets))


def _versions(module: str) -> dict[str, str]:
    """Version of each installed distribution that a user's module imports; Python's own are none."""
    from importlib import metadata

    tops = {name.partition(".")[0] for name in imports(module) if not is_ours(name) and not followed(name)}
    names = {name for top in tops - sys.stdlib_module_names for name in _distributions().get(top, ())}
    return {name: metadata.version(name) for name in names}


@cache
def _distributions() -> dict[str, list[str]]:
    from importlib import metadata

    return dict(metadata.packages_distributions())


def homes(value: Any) -> Iterator[str]:
    """Modules of a function or an object, and of all that is bound to it.

    Raises
    ------
    InvalidInput
        For a function whose module has no source file.
    """
    value = getattr(value, "py_func", value)
    if isinstance(value, partial):
        yield from homes([value.func, *value.args, *value.keywords.values()])
    elif isinstance(value, MethodType):
        yield from homes(value.__self__)
    elif isinstance(value, (dict, list, tuple, set, frozenset)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from homes(part)
    elif not isinstance(value, ModuleType):
        home = value if isinstance(value, (FunctionType, type)) else type(value)
        if isinstance(value, FunctionType) and path_of(home.__module__) is None:
            from dpbench.core.validation import invalid

            raise invalid("function", "from a module with a source file", home.__module__)
        if followed(home.__module__):
            yield home.__module__
        if is_dataclass(value) and not isinstance(value, type):
            yield from homes([getattr(value, field.name) for field in fields(value) if field.init])


def importing(module: str) -> None:
    """Note that a user's module, or another of its package, is loaded now and not when the process began.

    One that is loaded already keeps its time.
    """
    if module not in sys.modules:
        _IMPORTED[module.partition(".")[0]] = time.time()


def edited(modules: Iterable[str] = ()) -> tuple[str, ...]:
    """Files of ours, and of these modules of a user, that were written or removed after the process loaded them."""
    theirs = {name: path for name in modules if not is_ours(name) and (path := path_of(name)) is not None}
    changed = {
        str(path) for name, path in theirs.items() if _written(path) > _IMPORTED.get(name.partition(".")[0], _BEGUN)
    }
    return tuple(sorted({*changed, *_edited(int(time.monotonic()))}))


@lru_cache(maxsize=1)
def _edited(second: int) -> tuple[str, ...]:
    """Those of ours; looked at once a second."""
    return tuple(str(path) for path in _files().values() if _written(path) > _BEGUN)


def _written(path: Path) -> float:
    """When a file was last written or put in its place; infinity where it is gone."""
    try:
        status = path.stat()
    except OSError:
        return float("inf")
    return max(status.st_mtime, status.st_ctime)


@cache
def _files() -> dict[str, Path]:
    """Every file of ours, by module."""
    files: dict[str, Path] = {}
    for top in OURS:
        for folder in map(Path, _folders(top)):
            for path in folder.rglob("*.py"):
                parts = (top, *path.relative_to(folder).with_suffix("").parts)
                files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return dict(sorted(files.items()))


@cache
def _folders(top: str) -> tuple[str, ...]:
    spec = find_spec(top)  # of a top package: looks for files and imports nothing
    return tuple((spec.submodule_search_locations if spec is not None else None) or ())


def _sha(part: str | bytes) -> str:
    return hashlib.sha256(part.encode() if isinstance(part, str) else part).hexdigest()
