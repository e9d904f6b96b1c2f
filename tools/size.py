"""Size of the project by package: files, lines, code tokens, and words of long strings.

    python -m tools.size [ROOT] [--json FILE] [--base FILE]

Tokens leave out comments, docstrings and layout, so that they do not change with the formatter; Python 3.11 (later
versions split f-strings). A string of more than three words counts its words in the last column, and so do .toml, .j2
and .tex files: code that is kept as text is not saved.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import subprocess
import sys
import tokenize
from collections import defaultdict
from pathlib import Path

LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
TEXTS = (".toml", ".j2", ".tex")


def docstrings(tree: ast.Module) -> set[tuple[int, int]]:
    """Where docstrings start."""
    places = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            for statement in node.body[:1]:
                if (
                    isinstance(statement, ast.Expr)
                    and isinstance(statement.value, ast.Constant)
                    and isinstance(statement.value.value, str)
                ):
                    places.add((statement.lineno, statement.col_offset))
    return places


def measure(path: Path) -> tuple[int, int, int]:
    """Lines, code tokens, words."""
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.count("\n")
    if path.suffix in TEXTS:
        return lines, 0, len(text.split())
    left_out, tokens, words = docstrings(ast.parse(text)), 0, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in LAYOUT or token.start in left_out:
            continue
        tokens += 1
        if token.type == tokenize.STRING and len(token.string.split()) > 3:
            words += len(token.string.split())
    return lines, tokens, words


def package(name: str) -> str:
    parts = name.split("/")
    if parts[0] == "dpbench" and len(parts) > 2:
        return "/".join(parts[:3]) if parts[1] == "papers" and len(parts) > 3 else "/".join(parts[:2])
    return parts[0] if len(parts) > 1 else "(top)"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", default=".")
    parser.add_argument("--json")
    parser.add_argument("--base")
    options = parser.parse_args()
    root = Path(options.root)
    listed = subprocess.run(["git", "-C", str(root), "ls-files"], capture_output=True, text=True, check=True).stdout
    packages: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for name in listed.split("\n"):
        if name.endswith((".py", *TEXTS)) and (root / name).is_file():
            try:
                sizes = measure(root / name)
            except (SyntaxError, tokenize.TokenError) as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
            row = packages[package(name)]
            row[0] += 1
            for place, value in enumerate(sizes):
                row[place + 1] += value
    packages = dict(sorted(packages.items(), key=lambda item: -item[1][2]))
    groups = {
        "repository": list(packages),
        "product": [k for k in packages if k.split("/")[0] in ("dpbench", "lowerbounds", "checker")],
        "framework": [k for k in packages if k.startswith("dpbench/") and not k.startswith("dpbench/papers")]
        + ["checker"],
        "papers": [k for k in packages if k.startswith("dpbench/papers")],
    }
    sums = {g: [sum(packages[k][i] for k in keys if k in packages) for i in range(4)] for g, keys in groups.items()}
    base = json.loads(Path(options.base).read_text()) if options.base else {}
    heads = "  tokens, words to base" if base else ""
    print(f"{'':28}{'files':>7}{'lines':>9}{'tokens':>10}{'words':>9}{heads}")
    for name, row in [*sums.items(), ("", []), *packages.items()]:
        if not row:
            print()
            continue
        then = base.get(name)
        ratio = f"{row[2] / max(then[2], 1):13.2f}{row[3] / max(then[3], 1):9.2f}" if then else ""
        print(f"{name:28}{row[0]:7}{row[1]:9}{row[2]:10}{row[3]:9}{ratio}")
    if options.json:
        Path(options.json).write_text(json.dumps(sums | packages, indent=0, sort_keys=True))


if __name__ == "__main__":
    main()
