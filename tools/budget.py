"""No package grows: its code tokens and words (`tools.size`) stay within the numbers of .ci/size.toml.

    python -m tools.budget            # exit 1, and a line for each package above its numbers
    python -m tools.budget --lower    # after a landing: each number becomes min(old, now + 3%)

A correctness fix may exceed a number by 1%, with its reason under [reason]. What moves to another package takes its
numbers along, by hand; a new package gets them from `--lower`. The sum over the repository falls all the same. `APART`
is counted, and has no limit.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GROUPS = {"repository", "product", "framework", "papers"}
"""Sums in the rows of `tools.size`."""
APART = ("checker", "libraries")
"""The checker may grow where its rules grow; the audits of other people's libraries are another distribution."""
WHOLE = "the repository"
UNITS = ("code tokens", "words")
HEAD = "# Code tokens and words of each package, which CI keeps: see tools/budget.py.\n"
Sizes = dict[str, tuple[int, int]]


def sizes(root: Path) -> Sizes:
    """Code tokens and words of each package, and of all but `APART` together."""
    if sys.version_info[:2] != (3, 11):
        raise SystemExit(f"budget: tokens are counted on Python 3.11, got {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.json"
        command = [sys.executable, "-m", "tools.size", str(root), "--json", str(rows)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        counted = json.loads(rows.read_text(encoding="utf-8"))
    packages = {name: (row[2], row[3]) for name, row in counted.items() if name not in GROUPS and name not in APART}
    return packages | {WHOLE: (sum(row[0] for row in packages.values()), sum(row[1] for row in packages.values()))}


def exceeded(now: Sizes, budget: Sizes, reasons: dict[str, str]) -> list[str]:
    """A line for each package above its numbers."""
    lines = []
    for name, values in now.items():
        if name not in budget:
            lines.append(f"{name} has no budget: python -m tools.budget --lower")
            continue
        share = 1.01 if reasons.get(name, "").strip() else 1.0
        for unit, value, most in zip(UNITS, values, budget[name], strict=True):
            if value > share * most:
                lines.append(f"{name} has {value} {unit}, its budget is {most} ({value / max(most, 1) - 1.0:+.1%})")
    return lines


def lowered(now: Sizes, budget: Sizes) -> Sizes:
    """Each number as min(old, now + 3%); packages that are gone have none."""
    most = {name: (tokens * 103 // 100, words * 103 // 100) for name, (tokens, words) in now.items()}
    old = most | budget
    return {name: (min(old[name][0], most[name][0]), min(old[name][1], most[name][1])) for name in now}


def read(path: Path) -> tuple[Sizes, dict[str, str]]:
    """The numbers, and the reasons."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: tuple(row) for name, row in document["budget"].items()}, document.get("reason", {})


def write(path: Path, budget: Sizes) -> None:
    """Write the numbers; what they were raised for is settled, so that no reason is kept."""
    rows = (f'"{name}" = [{tokens}, {words}]' for name, (tokens, words) in sorted(budget.items()))
    path.write_text(HEAD + "\n[budget]\n" + "\n".join(rows) + "\n", encoding="utf-8")


def main(words: list[str], root: Path = ROOT) -> int:
    """Run as described above."""
    path = root / ".ci/size.toml"
    budget, reasons = read(path)
    now = sizes(root)
    if words == ["--lower"]:
        write(path, lowered(now, budget))
        return 0
    if words:
        print("usage: python -m tools.budget [--lower]", file=sys.stderr)
        return 2
    lines = exceeded(now, budget, reasons)
    print("\n".join(lines) or f"{len(now) - 1} packages are within their budgets, {now[WHOLE][0]} code tokens in all")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
