"""Size of the claims' code per entry, at a commit and in the working tree.

    python -m studies.claims_size              # now beside the commit before claims became declarations
    python -m studies.claims_size COMMIT       # now beside another commit

Counted are the modules of each paper's folder of claims. Of every module: physical lines; statements, docstrings left
out; and tokens of code, which are names, numbers and operators, so that neither a longer text nor a line packed fuller
changes them. Entries are those of the committed evidence. Modules that hold quotations and findings alone, which some
commits have, stand in a row of their own.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
COMMIT = "4b1d03d5422f6eb48bd073c75a1d966240ed6642"
"""The last one whose claims were functions, rows of tables and expected verdicts in three places."""
PAPERS = ("glm", "heavytail", "publicdata")
TEXTS = ("findings.py", "findings_utility.py", "quotations.py")
_FOLDERS = ("dpbench/claims/{}/", "dpbench/{}/claims/", "dpbench/papers/{}/claims/", "dpbench/papers/{}/theorems/")
_CODE = (tokenize.NAME, tokenize.NUMBER, tokenize.OP)


class Size(NamedTuple):
    """Of one module."""

    lines: int
    statements: int
    tokens: int


def together(parts: Iterable[Size]) -> Size:
    """Of several modules, or of none."""
    return Size(*(sum(column) for column in zip(Size(0, 0, 0), *parts, strict=True)))


def size(text: str) -> Size:
    """Physical lines, statements without docstrings, tokens of code."""
    nodes = list(ast.walk(ast.parse(text)))
    said = sum(
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for node in nodes
    )
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Size(
        len(text.splitlines()), sum(isinstance(node, ast.stmt) for node in nodes) - said,
        sum(token.type in _CODE for token in tokens),
    )  # fmt: skip


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LookupError(done.stderr.strip())
    return done.stdout


def tree(commit: str | None) -> tuple[list[str], Callable[[str], str]]:
    """Paths of the working tree, or of a commit, and the function that reads one."""
    if commit is not None:
        return _git("ls-tree", "-r", "--name-only", commit).split("\n"), lambda path: _git("show", f"{commit}:{path}")
    parts = (ROOT / "dpbench", ROOT / "evidence" / "ledger")
    paths = [path.relative_to(ROOT).as_posix() for part in parts for path in part.rglob("*.*")]
    return paths, lambda path: (ROOT / path).read_text(encoding="utf-8")


def entries(paths: Collection[str], read: Callable[[str], str]) -> Counter[str]:
    """How many entries of each paper the committed evidence has: a file each, or one file of all."""
    single, folder = "evidence/ledger.json", re.compile(r"evidence/ledger/([^/.]+)\.[^/]+\.json")
    if single in paths:
        return Counter(claim["id"].split(".")[0] for claim in json.loads(read(single))["claims"])
    return Counter(entry[1] for path in paths if (entry := folder.fullmatch(path)))


def sizes(commit: str | None = None) -> dict[str, tuple[int, Size, Size]]:
    """Of each paper: entries, size of the claims' code, size of the modules of texts."""
    paths, read = tree(commit)
    count, made = entries(paths, read), {}
    for paper in PAPERS:
        folders = tuple(folder.format(paper) for folder in _FOLDERS)
        parts: dict[bool, list[Size]] = {True: [], False: []}
        for path in paths:
            folder, _, name = path.rpartition("/")
            if f"{folder}/" in folders and name.endswith(".py"):
                parts[name in TEXTS].append(size(read(path)))
        made[paper] = count[paper], together(parts[False]), together(parts[True])
    return made


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 2 where the commit is not at hand."""
    parser = argparse.ArgumentParser(prog="python -m studies.claims_size", description=__doc__.splitlines()[0])
    parser.add_argument("commit", nargs="?", default=COMMIT, help="the commit to compare with (default %(default).8s)")
    commit = parser.parse_args(arguments).commit
    try:
        before, now = sizes(commit), sizes()
    except (LookupError, OSError) as missing:
        print(f"commit must be one of this repository's history, with git at hand: {missing}", file=sys.stderr)
        return 2
    line = "{:20}{:>9}{:>9}{:>12}{:>9}   {:>7}{:>12}{:>9}"
    print(line.format("", "entries", "lines", "statements", "tokens", "lines", "statements", "tokens"))
    print(line.format("", "", "", "", "", "", "per entry", ""))
    for paper in (*PAPERS, "all"):
        ratios = []
        for label, found in ((f"{commit[:7]}", before), ("now", now)):
            chosen = list(found.values()) if paper == "all" else [found[paper]]
            count = sum(one[0] for one in chosen)
            code = together(one[1] for one in chosen)
            texts = together(one[2] for one in chosen)
            each = [part / max(count, 1) for part in code]
            print(line.format(f"{paper}, {label}", count, *code, *(f"{part:.1f}" for part in each)))
            if texts.lines:
                print(line.format("  texts", "", *texts, "", "", ""))
            ratios.append(each)
        change = [f"{after / old - 1.0:+.0%}" if old else "-" for old, after in zip(*ratios, strict=True)]
        print(line.format("  change", "", "", "", "", *change))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
