"""What each landing ran: a line of .ci/landings; by their number the next one runs another twenty-fourth of the rest.

    python -m tools.landings part             # of this run: that of this code's line, or the number of lines modulo 24
    python -m tools.landings entries          # of the ledger those of the part in DPBENCH_PART; without it all
    python -m tools.landings append SECONDS   # a line for the code in the index: date, part, seconds, its digest
    python -m tools.landings check            # exit 1 if the code in the index has no line
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


def lines(root: Path) -> list[list[str]]:
    """The landings: date, part, seconds, digest."""
    path = root / ".ci/landings"
    rows = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [row.split() for row in rows if row.strip() and not row.startswith("#")]


def part(root: Path) -> int:
    """Which twenty-fourth a run is to take: the same code is run again with its own."""
    own = [row[1] for row in lines(root) if row[-1] == digest(root)]
    return int(own[-1]) if own else len(lines(root)) % 24


def append(root: Path, seconds: str) -> str:
    """Add the line of the code in the index; the same code twice is one landing."""
    made = f"{datetime.date.today()} {part(root)} {int(seconds)} {digest(root)}"
    if lines(root) and lines(root)[-1][-1] == digest(root):
        return " ".join(lines(root)[-1])
    with (root / ".ci/landings").open("a", encoding="utf-8") as file:
        file.write(made + "\n")
    return made


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
    if words == ["part"]:
        print(part(root))
    elif words == ["entries"]:
        print("\n".join(entries(root)))
    elif words == ["base"]:
        print(base(root))
    elif words == ["check"]:
        if digest(root) not in {row[-1] for row in lines(root)}:
            print("this code has no line in .ci/landings: .ci/run writes it, to be committed", file=sys.stderr)
            return 1
    elif len(words) == 2 and words[0] == "append" and words[1].isdigit():
        print(append(root, words[1]))
    else:
        print("usage: python -m tools.landings part | entries | append SECONDS | check | base", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
