"""Size of what chooses the auditor's event: files, lines and constants, at a commit and in the working tree.

    python -m studies.auditor_size [--since COMMIT]

Choosing is the module `dpbench.auditing.choose` and what it imports of its package, directly or through others, but for
`APART`: what draws outputs, flattens and watches them, and what claims and certifies. Constants are numbers, alone or
in a tuple, that a module or a class gives a name in capital letters.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOME = "dpbench/auditing"
BEFORE = "ac1625b5"
"""The commit before the auditor was made simpler."""
APART = frozenset(
    [
        "blocks",
        "certified",
        "claimed",
        "dependence",
        "flatten",
        "goals",
        "guesses",
        "intervals",
        "levels",
        "one_run_bounds",
        "results",
        "traces",
        "_trace_kernels",
        "tradeoff",
    ]
)


def _numeric(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and all(map(_numeric, value.elts))
    if isinstance(value, ast.UnaryOp):
        return _numeric(value.operand)
    if isinstance(value, ast.BinOp):
        return _numeric(value.left) and _numeric(value.right)
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def constants(text: str) -> list[str]:
    """Names in capital letters that a module, or a class of it, gives to numbers.

    Parameters
    ----------
    text : str
        The module's source.
    """
    tree = ast.parse(text)
    found = []
    for node in [*tree.body, *(inner for one in tree.body if isinstance(one, ast.ClassDef) for inner in one.body)]:
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        names = [name.id for name in targets if isinstance(name, ast.Name)]
        if _numeric(getattr(node, "value", None)):
            found += [name for name in names if name.strip("_").isupper()]
    return found


def _imported(text: str) -> set[str]:
    """Modules of the auditor that a text imports, in functions too."""
    home = HOME.replace("/", ".")
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module == home:
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"{home}."):
            found.add(node.module.removeprefix(f"{home}."))
    return found


def reached(first: str, sources: dict[str, str]) -> set[str]:
    """A module and those that it imports, directly or through others; what lies apart is not followed."""
    found: set[str] = set()
    left = [first]
    while left:
        name = left.pop()
        if name not in found | APART:
            found.add(name)
            left += [other for other in _imported(sources[name]) if other in sources]
    return found


def sizes(sources: dict[str, str]) -> dict[str, tuple[int, int, int]]:
    """Files, lines and constants of what chooses, and of the whole package.

    Parameters
    ----------
    sources : dict of str to str
        Text of each module, by its name.
    """
    chosen = reached("choose", sources)
    return {
        what: (
            len(names), sum(len(sources[name].splitlines()) for name in names),
            sum(len(constants(sources[name])) for name in names),
        )
        for what, names in (("choosing", chosen), ("the auditor", set(sources)))
    }  # fmt: skip


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def _sources(paths: list[str], read: Callable[[str], str]) -> dict[str, str]:
    return {Path(path).stem: read(path) for path in paths if path.endswith(".py")}


def at(commit: str) -> dict[str, str]:
    """The modules of the auditor at a commit."""
    paths = _git("ls-tree", "-r", "--name-only", commit, HOME).splitlines()
    return _sources(paths, lambda path: _git("show", f"{commit}:{path}"))


def now() -> dict[str, str]:
    """The modules of the auditor in the working tree."""
    paths = sorted(str(path.relative_to(ROOT)) for path in (ROOT / HOME).glob("*.py"))
    return _sources(paths, lambda path: (ROOT / path).read_text(encoding="utf-8"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Size of what chooses the auditor's event.")
    parser.add_argument("--since", default=BEFORE, metavar="COMMIT")
    since = parser.parse_args().since
    before, after = sizes(at(since)), sizes(now())
    print(f"{'':14}{'at ' + since[:8]:>40}{'now':>40}")
    for what in before:
        shown = [
            f"{files} files, {lines:,} lines, {named} constants" for files, lines, named in (before[what], after[what])
        ]
        print(f"{what:14}" + "".join(f"{text:>40}" for text in shown))


if __name__ == "__main__":
    main()
