"""What each landing ran: a line of .ci/landings, whose part of twenty-four of the rest every run of that landing takes.

    python -m tools.landings next             # begin a landing: a line with the next part, to be committed
    python -m tools.landings part             # of every run from then on, whatever code is landed in between
    python -m tools.landings entries          # of the ledger those of the part in DPBENCH_PART; without it all
    python -m tools.landings record SECONDS   # put date, seconds and digest of the code in the index into the line
    python -m tools.landings check [COMMIT]   # exit 1 if the line is of other code, or is that of COMMIT too
    python -m tools.landings base             # the commit of the last landing of other code than this

With `DPBENCH_PART`, 2/24 say, tests/conftest.py leaves out the tests of the others. The digest is of `CODE` alone,
so that evidence and documents may be refreshed after the run.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LANDINGS = ".ci/landings"
CODE = ("dpbench", "lowerbounds", "checker", "tests")


def git(root: Path, *words: str) -> str:
    """What git says."""
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout


def digest(root: Path, commit: str = "") -> str:
    """Of the code of a commit, or in the index."""
    listed = git(root, "ls-tree", "-r", commit, "--", *CODE) if commit else git(root, "ls-files", "-s", "--", *CODE)
    blobs = []
    for line in listed.splitlines():
        words, _, path = line.partition("\t")
        blobs.append(f"{next(word for word in words.split() if len(word) == 40)} {path}\n")
    return hashlib.sha256("".join(sorted(blobs)).encode()).hexdigest()[:16]


def lines(root: Path, commit: str = "") -> list[list[str]]:
    """The landings, here or of a commit: date, part, seconds, digest; the last two are "-" until a run ends well."""
    text = git(root, "show", f"{commit}:{LANDINGS}") if commit else (root / LANDINGS).read_text(encoding="utf-8")
    return [row.split() for row in text.splitlines() if row.strip() and not row.startswith("#")]


def part(root: Path) -> int:
    """The part that every run of the present landing takes."""
    return int(lines(root)[-1][1])


def put(root: Path, number: int, seconds: str, code: str) -> str:
    """Write the line of the present landing: a new one for another part."""
    path, line = root / LANDINGS, f"{datetime.date.today()} {number} {seconds} {code}"
    kept = path.read_text(encoding="utf-8").splitlines()
    if number == part(root):
        kept.pop()
    path.write_text("\n".join([*kept, line, ""]), encoding="utf-8")
    return line


def check(root: Path, landed: str = "") -> str:
    """What is wrong with the line of the present landing, or nothing."""
    if lines(root)[-1][-1] != digest(root):
        return f"this code has no line in {LANDINGS}: .ci/run writes it, to be committed"
    if landed and len(lines(root)) == len(lines(root, landed)) and digest(root, landed) != digest(root):
        return f"this landing has no line of its own in {LANDINGS}: python -m tools.landings next"
    return ""


def base(root: Path) -> str:
    """The newest commit with the code of a landing that is not the present code; empty if there is none."""
    landed = {row[-1] for row in lines(root)} - {digest(root)}
    newest = git(root, "log", "-n", "500", "--format=%H").split() if landed else []
    return next((commit for commit in newest if digest(root, commit) in landed), "")


def chosen(node: str, share: str) -> bool:
    """Whether a test or an entry is of this part, "2/24" say; everything is of the part ""."""
    number, _, parts = share.partition("/")
    return not share or int(hashlib.sha256(node.encode()).hexdigest(), 16) % int(parts) == int(number)


def leave_out(config: Any, items: list[Any], part: str) -> None:
    """Of collected tests those of the other parts."""
    config.hook.pytest_deselected(items=[item for item in items if not chosen(item.nodeid, part)])
    items[:] = [item for item in items if chosen(item.nodeid, part)]


def entries(root: Path) -> list[str]:
    """Entries of the ledger with evidence: those of the part in DPBENCH_PART, or all."""
    part = os.environ.get("DPBENCH_PART", "")
    named = sorted(path.stem for path in (root / "evidence/ledger").glob("*.json"))
    return [entry for entry in named if chosen(entry, part)]


def main(words: list[str], root: Path = ROOT) -> int:
    """Run as described above."""
    match words:
        case ["next"]:
            print(put(root, (part(root) + 1) % 24, "-", "-"))
        case ["part"]:
            print(part(root))
        case ["entries"]:
            print("\n".join(entries(root)))
        case ["base"]:
            print(base(root))
        case ["check", *landed] if len(landed) < 2:
            if wrong := check(root, *landed):
                print(wrong, file=sys.stderr)
                return 1
        case ["record", seconds] if seconds.isdigit():
            print(put(root, part(root), seconds, digest(root)))
        case _:
            print(
                "usage: python -m tools.landings next | part | entries | record SECONDS | check [COMMIT] | base",
                file=sys.stderr,
            )
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
