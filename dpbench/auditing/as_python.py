"""Objects as Python text that makes them again in another process: source where that says all, else pickled by value.

A function is written with what it speaks of (constants, modules, names imported from modules, helpers of its own file),
and only if that can all be written. What cannot is pickled by cloudpickle, which takes along what `__main__` and the
bodies of functions define; the modules that unpickling imports are noted.
"""

from __future__ import annotations

import ast
import base64
import builtins
import inspect
import io
import pickle
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

import numpy as np

FEW = 5_000  # numbers of an array that are written out
GIVEN = {"numpy", "scipy"}  # which the program asks for anyway
_PLAIN = (int, float, complex, str, bytes, bool, type(None))


class Unwritable(Exception):
    """There is no source that says all of it."""


class Writer:
    """Definitions for one program, each name bound to one object.

    Attributes
    ----------
    lines : list of str
        In the order in which they are to stand.
    needs : list of str
        What the program imports, beside Python's own library, NumPy and SciPy.
    """

    def __init__(self, bound: Mapping[str, Any], reserved: Iterable[str] = (), inline: str = "__main__") -> None:
        """`bound`: what the program binds already; `reserved`: names that it keeps for itself; `inline`: the package
        whose definitions are copied."""
        self.lines: list[str] = []
        self.needs: list[str] = []
        self.bound = dict(bound)
        self._reserved, self._inline = frozenset(reserved), inline

    def define(self, value: Any) -> str:
        """Write a function or class by its source, with all that it speaks of; its name."""
        name = str(value.__name__)
        self._bind(name, value)
        return name

    def value(self, value: Any) -> str:
        """An expression for data."""
        written = literal(value)
        return self.packed(value) if written is None else written

    def packed(self, value: Any) -> str:
        """An expression that unpickles it; raises what a user's object raises when it cannot be."""
        import cloudpickle

        made = cloudpickle.dumps(value)
        reader = _Reader(io.BytesIO(made))
        reader.load()
        self.needs += [name for name in sorted(reader.roots) if _foreign(name)]
        if "cloudpickle" in reader.roots:  # by value, as the instructions of this Python
            self.needs.append(f"Python {sys.version_info.major}.{sys.version_info.minor}")
        return f"pickle.loads(base64.b64decode({base64.b64encode(made).decode()!r}))"

    def callable(self, function: Any) -> list[str]:
        """Lines that bind `sampler`."""
        module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
        if _importable(function) and module != "__main__":
            self._need(str(module))
            return [f"from {module} import {str(name).split('.')[0]}", f"sampler = {name}"]
        kept = list(self.lines), list(self.needs), dict(self.bound)
        try:
            if not isinstance(function, FunctionType):
                raise Unwritable("no function")
            if function.__name__ == "<lambda>":
                return [f"sampler = {self._lambda(function)}"]
            return [f"sampler = {self.define(function)}"]
        except (Unwritable, ValueError):  # the second of a cell that is empty
            self.lines, self.needs, self.bound = kept
        try:
            return [f"sampler = {self.packed(function)}"]
        except Exception:  # what a user's object raises when it is pickled
            self.needs.append("the sampler, to be put where the program says so")
            said = name or type(function).__name__
            return ["def sampler(*given):", f"    raise SystemExit('put the sampler {said} here')"]

    def _need(self, module: str) -> None:
        if _foreign(module.split(".")[0]):
            self.needs.append(module)

    def _bind(self, name: str, value: Any) -> None:
        if name in self.bound:
            if self.bound[name] is not value:
                raise Unwritable(name)
            return
        if name in self._reserved or not name.isidentifier():
            raise Unwritable(name)
        self.bound[name] = value
        if inspect.ismodule(value):
            self._need(value.__name__)
            renamed = "" if name == value.__name__ else f" as {name}"
            self.lines.append(f"import {value.__name__}{renamed}")
            return
        written = literal(value)
        if written is not None:
            self.lines.append(f"{name} = {written}")
        elif self._copied(value):
            self._source(name, value)
        elif _importable(value) and "." not in value.__qualname__ and value.__module__ != "__main__":
            self._need(value.__module__)
            renamed = "" if name == value.__qualname__ else f" as {name}"
            self.lines.append(f"from {value.__module__} import {value.__qualname__}{renamed}")
        else:
            raise Unwritable(name)

    def _copied(self, value: Any) -> bool:
        """A function (of a user's: of `__main__` or of the body of another one) or class of ours whose source is
        copied."""
        module = str(getattr(value, "__module__", "") or "")
        ours = module.split(".")[0] == self._inline
        if isinstance(value, FunctionType):
            return ours or module == "__main__" or "<locals>" in value.__qualname__
        return isinstance(value, type) and ours and self._inline != "__main__"

    def _source(self, name: str, value: Any) -> None:
        node = next((n for n in _defined(value) if n.name == name and name == value.__name__), None)
        if node is None:
            raise Unwritable(name)
        if isinstance(node, ast.ClassDef):
            spoken = vars(sys.modules[value.__module__])
            names = {n.id for n in ast.walk(_bare(node)) if isinstance(n, ast.Name)}
            self._spoken({n: spoken[n] for n in sorted(names) if n in spoken})
        else:
            node.decorator_list = []  # it is the function that was decorated, not another one: see `_defined`
            self._of_function(node, value)
        self.lines.append(ast.unparse(_bare(node)))

    def _lambda(self, function: FunctionType) -> str:
        tree = _parsed(function)
        found = [] if tree is None else [n for n in ast.walk(tree) if isinstance(n, ast.Lambda)]
        if len(found) != 1:
            raise Unwritable("two functions on a line" if found else "no source")
        self._of_function(found[0], function)
        return ast.unparse(found[0])

    def _of_function(self, node: ast.FunctionDef | ast.Lambda, function: FunctionType) -> None:
        """Its defaults as values, and what it speaks of."""
        for place, value in enumerate(function.__defaults__ or ()):
            node.args.defaults[place] = _expression(value)
        for place, argument in enumerate(node.args.kwonlyargs):
            if argument.arg in (function.__kwdefaults__ or {}):
                node.args.kw_defaults[place] = _expression((function.__kwdefaults__ or {})[argument.arg])
        if any(isinstance(n, ast.Global | ast.Nonlocal) for n in ast.walk(node)):
            raise Unwritable("a global that it changes")
        inner = inspect.getclosurevars(function).nonlocals
        if "__class__" in function.__code__.co_freevars or len(inner) < len(function.__code__.co_freevars):
            raise Unwritable("a cell")
        for inside in ast.walk(node):
            for alias in inside.names if isinstance(inside, ast.Import) else ():
                self._need(alias.name)
            if isinstance(inside, ast.ImportFrom) and inside.module and not inside.level:
                self._need(inside.module)
        names = {n.id for n in ast.walk(_bare(node)) if isinstance(n, ast.Name)}  # an attribute is no global
        names &= set(_names(function.__code__))
        outer = {n: function.__globals__[n] for n in sorted(names) if n in function.__globals__ and n not in inner}
        absent = [n for n in names if n not in outer and n not in inner and not hasattr(builtins, n)]
        local = {n for code in _codes(function.__code__) for n in (*code.co_varnames, *code.co_cellvars)}
        if set(absent) - local:
            raise Unwritable(absent[0])
        self._spoken({**outer, **inner})

    def _spoken(self, names: dict[str, Any]) -> None:
        for name, value in names.items():
            self._bind(name, value)


class _Reader(pickle.Unpickler):
    """Reads a pickle that was just made, and notes the modules that this imports."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.roots: set[str] = set()

    def find_class(self, module: str, name: str) -> Any:
        self.roots.add(module.split(".")[0])
        found = super().find_class(module, name)
        if module.startswith("cloudpickle") and name == "subimport":

            def imported(wanted: str) -> Any:
                self.roots.add(wanted.split(".")[0])
                return found(wanted)

            return imported
        return found


def literal(value: Any) -> str | None:
    """Numbers, texts, plain arrays, and lists, tuples, dicts and sets of such, written out; None: it is another kind.

    Subclasses are other kinds: their representation may be that of what they are made of.
    """
    if type(value) is np.ndarray and value.dtype.kind in "fiub" and value.dtype.itemsize <= 8:
        return array(value)
    if isinstance(value, np.bool_ | np.integer | np.float16 | np.float32 | np.float64):
        return repr(value) if np.isfinite(value) else None
    try:
        if _plain(value) and ast.literal_eval(repr(value)) == value:
            return repr(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    return None


def array(value: np.ndarray) -> str:
    """An array of numbers as an expression."""
    if value.size > FEW:
        packed = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return f"np.frombuffer(base64.b64decode({packed!r}), dtype={value.dtype.str!r}).reshape({value.shape}).copy()"
    shown = repr(value.tolist()).replace("nan", "math.nan").replace("inf", "math.inf")
    shaped = "" if value.size else f".reshape({value.shape})"
    return f"np.array({shown}, dtype={value.dtype.str!r}){shaped}"


def _plain(value: Any) -> bool:
    if type(value) in (list, tuple, set, frozenset):
        return all(map(_plain, value))
    if type(value) is dict:
        return all(_plain(k) and _plain(v) for k, v in value.items())
    return type(value) in _PLAIN


def _expression(value: Any) -> ast.expr:
    written = literal(value)
    if written is None:
        raise Unwritable("a default")
    return ast.parse(written, mode="eval").body


def _foreign(module: str) -> bool:
    return module not in sys.stdlib_module_names and module not in GIVEN and module != "__main__"


def _importable(value: Any) -> bool:
    """Whether another process finds it by its module and name."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not (isinstance(module, str) and isinstance(name, str)) or "<" in name:
        return False
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is value


def _defined(value: Any) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """The definitions in the lines of a function or class; none of what stands for a decorated function."""
    tree = None if hasattr(value, "__wrapped__") else _parsed(value)
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, ast.ClassDef if isinstance(value, type) else ast.FunctionDef):
            yield node


def _bare(node: Any) -> Any:
    """Without the annotations of parameters and results, which the program has no use for."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef):
            inner.returns = None
        if isinstance(inner, ast.FunctionDef | ast.Lambda):
            given = inner.args
            for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
                if argument is not None:
                    argument.annotation = None
    return node


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _names(code: CodeType) -> Iterator[str]:
    """What a function and those within it speak of."""
    for one in _codes(code):
        yield from (*one.co_names, *one.co_freevars)


def _parsed(function: Any) -> ast.AST | None:
    """The syntax tree of the lines that a function stands in, which may be a part of a statement."""
    try:
        text = textwrap.dedent(inspect.getsource(function)).strip()
    except (OSError, TypeError):
        return None
    for before, behind in (("", ""), ("(", ")"), ("{", "}"), ("f(", ")")):
        try:
            return ast.parse(f"{before}{text.rstrip(',') if not behind else text}{behind}")
        except SyntaxError:
            continue
    return None
