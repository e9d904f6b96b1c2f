"""Errors drawn at random in functions that decide: a comparison, a constant, an index, a dropped term.

    DPBENCH_REACHED=FOLDER pytest -p mutations.reached -m "not process and not evidence"
    python -m tests.mutations.operators FOLDER --json evidence/operators.json

Places are drawn with `SEED`, the same number of each kind, at most `MOST` in one function, before any test is chosen.
The tests that run the function of an error, as the plugin `reached` saw them, meet it: those of the default selection
first, the nearest before the others, until one fails; what survives them meets those marked `slow` or `meta`. A test
that never runs the function cannot notice, but for one that starts a process of its own, so that both rates are the
whole's rates from below. Survivors are read a second time: `EQUIVALENT` says which are no errors, and why.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .__main__ import NOTICED, ROOT, SLOWER, UNDECIDED, Copy, put
from .mutation import Mutation
from .reached import FILES, functions

SEED = 40
EACH = 36
"""Errors of each of the four kinds."""
MOST = 2
"""Errors of one kind or of several in one function."""
HANGS = 60.0
"""Seconds from which a test may be one that hangs."""
KINDS = ("comparison", "constant", "index", "dropped term")
STRICT: dict[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
TURNED: dict[type[ast.cmpop], str] = {
    ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip

_HOSTILE = "Another data set to be hostile with: any numbers of that size serve. No error."
EQUIVALENT: dict[str, str] = {
    "dpbench/auditing/tradeoff.py: _through: line 3: low > high becomes (low) >= (high)":
        "Where the two are equal both lines are the diagonal, and so is the value returned. No error.",
    "dpbench/auditing/flatten.py: Leaf.columns: line 10: 1.0 becomes (1.1)":
        "The code of a kind that was never seen: any number that is the place of none. No error.",
    "dpbench/testing/hostile.py: _hostile_features: line 4: 12 becomes (13)": _HOSTILE,
    "dpbench/testing/hostile.py: _hostile_features: line 12: 10.0 becomes (11.0)": _HOSTILE,
    "dpbench/testing/hostile.py: tells_apart_on_some: line 12: 1.0 becomes (1.1)": _HOSTILE,
    "dpbench/auditing/one_run_bounds.py: independent_delta: line 6: 50 becomes (51)":
        "One halving more of an interval that is down to rounding. No error.",
    "dpbench/auditing/one_run_bounds.py: joint_delta: line 9: 1.0 becomes (0.9)":
        "The p-value is linear in delta wherever it is not capped, so that any smaller unit has its slope. No error.",
    "dpbench/auditing/intervals.py: _falling_root: line 6: 0 becomes (-1)":
        "The first step of the search is another one; it ends at the same root, to its tolerance. No error.",
    "dpbench/auditing/results.py: AuditResult._regions: line 4: 128 becomes (127)":
        "A region is covered rigorously with any number of cells. No error.",
    "dpbench/privacy/exact_coins.py: exp_bounds: line 3: 1 becomes (0)":
        "The argument of the series is at most 1 in place of 1/2: it ends later, and its bounds hold. No error.",
    "dpbench/auditing/claimed.py: _of_mapping: line 7: 0 becomes -1": "There is one kind, first and last. No error.",
    "dpbench/auditing/choose.py: _finalists: line 6: 0 becomes 1": "Both sides have the same shape. No error.",
    "dpbench/privacy/integer_laplace.py: laplace_table: line 14: 2.0 becomes (1.8)":
        "Fewer proposals are accepted at sight, and more by exact arithmetic: the same law, slower. No error.",
}  # fmt: skip
"""By `Operator.name`: why an error that nothing noticed is none; it is tried once, and then no more."""


@dataclass(frozen=True)
class Operator(Mutation):
    """An error at one place: `old` is the text of the whole function, `changed` what differs in it."""

    kind: str
    function: str
    changed: str

    @property
    def name(self) -> str:
        return f"{self.path}: {self.function}: {self.changed}"


@dataclass(frozen=True)
class Place:
    """Where in a function an error of this kind can be planted, and the texts that can stand there."""

    kind: str
    start: int
    end: int
    texts: tuple[str, ...]


def place_of(kind: str, node: ast.expr, source: bytes, starts: list[int], *texts: str) -> Place:
    end_line, end_column = node.end_lineno or 0, node.end_col_offset or 0
    return Place(kind, starts[node.lineno - 1] + node.col_offset, starts[end_line - 1] + end_column, texts)


def nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """All nodes of the body that decide something: not the texts of messages, nor annotations."""
    left: list[ast.AST] = list(function.body)
    while left:
        node = left.pop()
        yield node
        for name, value in ast.iter_fields(node):
            if isinstance(node, (ast.Raise, ast.JoinedStr)) or name in ("annotation", "returns", "decorator_list"):
                continue
            left.extend(one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST))


def number(node: ast.AST) -> int | float | None:
    """The number that a node is, or None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def places(function: ast.FunctionDef, source: bytes) -> Iterator[Place]:
    """Every place of the function where one of the four kinds of error fits."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def text(node: ast.expr) -> str:
        one = place_of("", node, source, starts)
        return source[one.start : one.end].decode()

    of_an_index: set[ast.AST] = set()
    for node in nodes(function):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            sides = f"({text(node.left)})", f"({text(node.comparators[0])})"
            kind = type(node.ops[0])
            made = [f"{sides[0]} {table[kind]} {sides[1]}" for table in (STRICT, TURNED) if kind in table]
            yield place_of("comparison", node, source, starts, *made)
        elif isinstance(node, ast.Subscript):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            for part in parts:
                ends = [part.lower, part.upper] if isinstance(part, ast.Slice) else [part]
                for one in ends:
                    if one is not None and isinstance(value := number(one), int):
                        of_an_index.update(ast.walk(one))
                        yield place_of("index", one, source, starts, *(str(value + step) for step in (-1, 1)))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
            alone = [node.left, node.right] if isinstance(node.op, (ast.Add, ast.Mult)) else [node.left]
            if not any(isinstance(side, (ast.List, ast.JoinedStr)) for side in alone):
                yield place_of("dropped term", node, source, starts, *(f"({text(side)})" for side in alone))
        elif isinstance(node, ast.BoolOp):
            joiner = " and " if isinstance(node.op, ast.And) else " or "
            values = [f"({text(one)})" for one in node.values]
            fewer = [joiner.join(values[:dropped] + values[dropped + 1 :]) for dropped in range(len(values))]
            yield place_of("dropped term", node, source, starts, *(f"({one})" for one in fewer))
        elif isinstance(node, ast.Constant) and node not in of_an_index and (value := number(node)) is not None:
            near = (value - 1, value + 1) if isinstance(value, int) else (value * 1.1 or 0.1, value * 0.9 or -0.1)
            yield place_of("constant", node, source, starts, *(f"({one!r})" for one in near))


def drawn() -> list[Operator]:
    """The errors, the same for the same code; functions with a decorator of kernels are left to the list."""
    rng = random.Random(SEED)
    found: dict[str, list[tuple[str, str, str, Place]]] = {kind: [] for kind in KINDS}
    for path in FILES:
        whole = (ROOT / path).read_text(encoding="utf-8")
        for name, function in functions(ROOT / path):
            if any("kernel" in ast.dump(one) for one in function.decorator_list):
                continue
            lines = whole.splitlines(keepends=True)
            body = "".join(lines[function.lineno - 1 : function.end_lineno])
            moved = ast.parse(body if not body[0].isspace() else "if True:\n" + body)
            inner = next(node for node in ast.walk(moved) if isinstance(node, ast.FunctionDef))
            head = b"" if not body[0].isspace() else b"if True:\n"
            for one in places(inner, head + body.encode()):
                there = replace(one, start=one.start - len(head), end=one.end - len(head))
                found[one.kind].append((path, name, body, there))
    errors: list[Operator] = []
    for kind in KINDS:
        rng.shuffle(found[kind])
        taken = 0
        for path, name, body, one in found[kind]:
            new = rng.choice(one.texts)
            if taken == EACH or sum((error.path, error.function) == (path, name) for error in errors) == MOST:
                continue
            old = body.encode()
            made = (old[: one.start] + new.encode() + old[one.end :]).decode()
            was = old[one.start : one.end].decode()
            line = body.count("\n", 0, len(old[: one.start].decode())) + 1
            changed = f"line {line}: {' '.join(was.split())} becomes {' '.join(new.split())}"
            error = Operator(path, body, made, (), kind, name, changed)
            known = any(error.name == other.name for other in errors)  # another place of the same line
            if not known and (ROOT / path).read_text(encoding="utf-8").count(body) == 1:
                errors.append(error)
                taken += 1
    return errors


def joined(folder: Path) -> tuple[dict[str, Any], dict[str, dict[str, list[str]]]]:
    """What all processes of the plugin wrote: the tests, and by module and function those that ran it."""
    tests: dict[str, Any] = {}
    met: dict[str, dict[str, list[str]]] = {}
    for path in sorted(folder.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        tests |= document["tests"]
        for module, named in document["met"].items():
            for name, nodes in named.items():
                met.setdefault(module, {}).setdefault(name, []).extend(nodes)
    if not tests:
        raise SystemExit(f"FOLDER must hold what the plugin mutations.reached wrote, got no file in {folder}")
    return tests, met


def default_selection() -> set[str]:
    """The tests that `pytest` runs when nothing is said."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {line for line in said.splitlines() if "::" in line}


def told_apart(names: list[str], chosen: set[str]) -> dict[str, list[str]]:
    """The tests of a function by the selection that they are of."""
    return {"default": sorted({*names} & chosen), "long": sorted({*names} - chosen)}


def key(error: Operator, nodes: dict[str, list[str]]) -> str:
    return hashlib.sha256(repr((error, nodes)).encode()).hexdigest()[:16]


def stands(error: Operator, nodes: dict[str, list[str]], results: dict[str, Any]) -> bool:
    """Whether there is a result of this error, with these tests."""
    return bool(results.get(error.name, {}).get("key") == key(error, nodes))


def tried(
    copy: Copy, error: Operator, nodes: dict[str, list[str]], limit: float, seconds: dict[str, float]
) -> dict[str, Any]:
    """What the tests of the default selection say of an error, and where they say nothing the long ones.

    A test hangs that has not ended after `HANGS` seconds and `SLOWER` times what it takes without the error.
    """
    made: dict[str, Any] = {"kind": error.kind, "said": "survives", "by": "", "selection": "", "seconds": 0.0}
    made["tests"] = {selection: len(names) for selection, names in nodes.items()}
    name = error.function.split(".")
    for selection in ("default", "long"):
        if not nodes[selection]:
            continue
        with copy.planted(error):
            said, took, by = copy.run(nodes[selection], [*reversed(name), Path(error.path).stem], limit)
        made["seconds"] = round(made["seconds"] + took, 1)
        if said != "survives":
            if said == "out of time" and copy.waited() < max(HANGS, SLOWER * seconds.get(by, math.inf)):
                said = UNDECIDED
            return made | {"said": said, "by": by, "selection": selection}
    return made


def write(out: Path, errors: list[Operator], results: dict[str, Any], commit: str) -> None:
    """The results with their counts; an error that is none is not counted.

    `first` is what the tests said of an error the first time it was tried, before any was written because of it.
    """
    results = {name: results[name] for name in (error.name for error in errors) if name in results}
    real = {name: one for name, one in results.items() if name not in EQUIVALENT}
    noticed = [one for one in real.values() if one["said"] in NOTICED]
    document = {"command": "python -m tests.mutations.operators FOLDER --json evidence/operators.json", "seed": SEED,
                "commit": commit, "drawn": len(errors), "tried": len(results), "equivalent": len(results) - len(real),
                "errors": len(real), "noticed at first": sum(one["first"] in NOTICED for one in real.values()),
                "noticed": len(noticed),
                "noticed by the default selection": sum(one["selection"] == "default" for one in noticed),
                "undecided": sum(one["said"] == UNDECIDED for one in real.values()),
                "survivors": sorted(name for name, one in real.items() if one["said"] == "survives"),
                "results": dict(sorted(results.items()))}  # fmt: skip
    put(out, document)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations.operators", description=__doc__.splitlines()[0])
    parser.add_argument("reached", type=Path, metavar="FOLDER", help="what the plugin mutations.reached wrote")
    parser.add_argument("--json", type=Path, required=True, help="file of results, taken up where it exists")
    parser.add_argument("--limit", type=float, default=150.0, help="processor seconds for one error and selection")
    parser.add_argument("--folder", type=Path, help="where copies and compiled kernels are kept for the next run")
    asked = parser.parse_args()
    tests, met = joined(asked.reached)
    errors = drawn()
    results = json.loads(asked.json.read_text(encoding="utf-8"))["results"] if asked.json.exists() else {}
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as temporary:
        copy = Copy(asked.folder or Path(temporary))
        seconds = {name: one["seconds"] for name, one in tests.items()}
        copy.seconds = dict(seconds)
        chosen = default_selection()
        nodes = {error.name: told_apart(met.get(error.path, {}).get(error.function, []), chosen) for error in errors}
        while left := [one for one in errors if not stands(one, nodes[one.name], results)]:
            for error in left:
                first = results.get(error.name, {}).get("first")
                if first and error.name in EQUIVALENT:
                    said = {"kind": error.kind, "said": "no error", "by": "", "selection": "", "seconds": 0.0}
                else:
                    said = tried(copy, error, nodes[error.name], asked.limit, seconds)
                one = {"key": key(error, nodes[error.name]), "first": first or said["said"], **said}
                results[error.name] = one
                print(f"{one['said']:18}{one['selection']:9}{one['seconds']:6.0f} s  {error.name}", flush=True)
                write(asked.json, errors, results, commit)
            noticed = {one.name: results[one.name] for one in left if results[one.name]["said"] in NOTICED}
            for name in copy.spoiled(noticed, asked.limit):
                del results[name]
    return 0


if __name__ == "__main__":
    sys.exit(main())
