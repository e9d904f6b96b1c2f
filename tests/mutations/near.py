"""Which tests are near a function: a way from it to the function's users, to theirs, and so on to a test, by name."""

from __future__ import annotations

import ast
import heapq
import math
import re
from collections.abc import Iterator
from pathlib import Path

from .draw import FOLDERS, Error, files

Node = tuple[str, str]
"""File and name of a function, a method or a value of a module."""

LEFT_OUT = ("evidence", "slow", "meta")
"""Marks of tests that meet no error."""
SAME_WORD, SAME_FOLDER = 6.0, 7.0
"""How far a test is whose file shares a word with the name of the module, or lies in a folder of the same name."""


class Users:
    """Who names whom, in the product and in the tests."""

    def __init__(self, root: Path) -> None:
        self.of: dict[str, list[tuple[Node, float]]] = {}
        """By name the nodes that name it, and how far they are: in words of a text by one more."""
        self.called: dict[str, int] = {}
        """How many functions have a name."""
        self.tests: dict[Node, set[str]] = {}
        """What each test names, but for the tests with a mark of `LEFT_OUT`, their own or their file's."""
        self.words: dict[str, set[str]] = {}
        """By file all that it names."""
        self.defined: dict[str, set[str]] = {}
        """By file its classes, functions, methods and values."""
        for path in files(root, [*FOLDERS, "tests"]):
            text = (root / path).read_text(encoding="utf-8")
            module = ast.parse(text)
            met = Path(path).name.startswith("test_") and not left_out(module)
            for name, tree in nodes(module):
                node, last = (path, name), name.rpartition(".")[2]
                self.called[last] = self.called.get(last, 0) + 1
                if met and last.startswith("test_") and not left_out(tree):
                    self.tests[node] = {*named(tree)}
                for word, far in named(tree).items():
                    self.of.setdefault(word, []).append((node, far))
            self.words[path] = set(re.findall(r"\w+", text))
            self.defined[path] = {part for name, _ in nodes(module) for part in name.split(".")}

    def farther(self, name: str, node: Node, user: Node) -> float:
        """How much longer a step is to another file, which may mean something else by the name."""
        if user[0] == node[0]:
            return 0.0
        path = Path(node[0])
        module = path.parent.name if path.stem == "__init__" else path.stem
        return math.log2(self.called.get(name, 1)) + 3.0 * (module not in self.words[user[0]])

    def nearest(self, error: Error, count: int) -> list[str]:
        """The tests that are fewest steps away; a step by a name that many have is a long one.

        Of tests that are equally far those come first that lie in folders of the same names, then those that name
        most of what the error's module defines.
        """
        first = (error.path, error.function)
        ways, seen = [(0.0, (0, 0), first)], {first: 0.0}
        near: list[str] = []
        words = {*Path(error.path).stem.split("_")}
        for test in self.tests:  # pytest, tables and the command line call functions that nobody names
            shared = not words.isdisjoint(Path(test[0]).stem.split("_"))
            order = self.order(test, error)
            if shared or order[0]:
                seen[test] = SAME_WORD if shared else SAME_FOLDER
                heapq.heappush(ways, (seen[test], order, test))
        while ways and len(near) < count:
            way, _, node = heapq.heappop(ways)
            if way > seen[node]:
                continue
            if node in self.tests:
                near.append("::".join(node))
            *of, last = node[1].split(".")
            steps = [(last, 1.0)] if not last.startswith("__") else []
            steps += [(of[0], 1.0 if last.startswith("__") else 2.0)] if of else []
            for name, length in steps:
                for user, far in self.of.get(name, ()):
                    total = way + length + far + self.farther(name, node, user)
                    if total < seen.get(user, math.inf):
                        seen[user] = total
                        heapq.heappush(ways, (total, self.order(user, error), user))
        return near

    def order(self, node: Node, error: Error) -> tuple[int, int]:
        """Smaller for more folders of the same name, then for more definitions of the module in a test and its file."""
        folders = {*Path(error.path).parts[:-1]} & {*Path(node[0]).parts}
        defined = self.defined[error.path]
        return -len(folders), -len(defined & self.tests.get(node, set())) - len(defined & self.words[node[0]])


def left_out(node: ast.AST) -> bool:
    """Whether a test, or each test of a module, has a mark of `LEFT_OUT`; those of single cases do not count."""
    if isinstance(node, ast.Module):
        marks: list[ast.expr] = []
        for statement in node.body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "pytestmark":
                marks += statement.value.elts if isinstance(statement.value, ast.List) else [statement.value]
    else:
        marks = getattr(node, "decorator_list", [])
    return any(ast.unparse(mark) in {f"pytest.mark.{name}" for name in LEFT_OUT} for mark in marks)


def nodes(module: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Functions, methods and values of a module, by name."""
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{one.name}", one) for one in node.body if isinstance(one, ast.FunctionDef))
        elif isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((target.id, node) for target in targets if isinstance(target, ast.Name))


def named(tree: ast.AST) -> dict[str, float]:
    """What a node names: 0 for names, attributes and arguments (fixtures), 1 for words of its texts (commands)."""
    texts = " ".join(
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    words = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", texts.replace("-", "_")), 1.0)
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg"):
            if isinstance(name := getattr(node, field, None), str):
                words[name] = 0.0
    return words
