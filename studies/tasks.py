"""``python -m studies.tasks SITE [--json FILE]``: five tasks of a new user, from the built pages alone.

Each begins at the landing page, follows links by the words that stand on them, copies what a page says to type, and
runs it. Counted are the clicks, and the seconds of what was typed; reading takes longer than either. What does not come
out as the page says is an error, with the page's name. SITE is the folder of `sphinx-build docs SITE` (extra `docs`).
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent


class Lost(Exception):
    """A page lacks what a visitor needs; the message names both."""


class _Page(HTMLParser):
    """Links of a page as (words, address), and its blocks of code."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[tuple[str, str]] = []
        self.blocks: list[str] = []
        self._address: str | None = None
        self._words, self._code, self._inside = "", "", False
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A link or a block begins."""
        if tag == "a":
            self._address, self._words = dict(attrs).get("href") or "", ""
        elif tag == "pre":
            self._inside, self._code = True, ""

    def handle_endtag(self, tag: str) -> None:
        """It ends."""
        if tag == "a" and self._address is not None:
            self.links.append((" ".join(self._words.split()), urldefrag(self._address).url))
            self._address = None
        elif tag == "pre":
            self.blocks.append(self._code)
            self._inside = False

    def handle_data(self, data: str) -> None:
        """Its text."""
        self._words += data
        if self._inside:
            self._code += data


class Visitor:
    """Somebody who has the pages and a shell.

    Parameters
    ----------
    site : Path
        The built pages.

    Attributes
    ----------
    clicks : int
        Links followed.
    seconds : float
        That what was typed took.
    """

    def __init__(self, site: Path) -> None:
        self.page = site / "index.html"
        self.clicks, self.seconds = 0, 0.0

    def click(self, words: str, to: str = "") -> None:
        """Follow the first link with these words (whose address has `to`), anywhere on the page."""
        for said, address in _Page(self.page).links:
            ours = address.endswith(".html") and "://" not in address and to in address
            if ours and words in said:
                self.page = (self.page.parent / address).resolve()
                self.clicks += 1
                return
        raise Lost(f"{self.page.name} has no link {words!r} {to}".rstrip())

    def copy(self, words: str) -> str:
        """The first block of code with these words, prompts left out."""
        for text in _Page(self.page).blocks:
            if words in text:
                return "\n".join(line.removeprefix("$ ") for line in text.splitlines()) + "\n"
        raise Lost(f"{self.page.name} has no code with {words!r}")

    def type(self, command: list[str], folder: Path, says: str, code: int = 0) -> None:
        """Run what was copied, which must end with `code` and say these words."""
        began = time.monotonic()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        self.seconds += time.monotonic() - began
        if done.returncode != code or says not in done.stdout + done.stderr:
            ended = f"{command} ended with {done.returncode}, without {says!r}: {done.stderr[-500:]}"
            raise Lost(f"{self.page.name}: {ended}")


def check_the_gravest(one: Visitor, folder: Path) -> None:
    """Find the gravest finding of the first paper, and check its certificate."""
    one.click("Results")
    one.click("Theorem 5")
    line = next(line for line in one.copy("dpbench_check.py").splitlines() if "dpbench_check.py" in line)
    one.type([sys.executable, *line.split()[1:]], ROOT, "accepted")


def audit_a_function(one: Visitor, folder: Path) -> None:
    """Audit a function that claims too much."""
    (folder / "mine.py").write_text(one.copy("def noisy_count"), encoding="utf-8")
    one.type([sys.executable, "mine.py"], folder, "refuted")


def enter_a_theorem(one: Visitor, folder: Path) -> None:
    """Write a theorem down and have it judged."""
    one.click("guide", to="judge")
    (folder / "gaussian.toml").write_text(one.copy("[claim.gaussian]"), encoding="utf-8")
    line = one.copy("dpbench judge gaussian.toml").splitlines()[0].split()
    one.type([sys.executable, "-m", "dpbench.cli", *line[1:]], folder, "refuted (certificate)", 1)


def cite_a_figure(one: Visitor, folder: Path) -> None:
    """Put a figure and the verdicts into a paper."""
    one.click("Figures and tables for a paper")
    for line in one.copy("dpbench figures delta_thm5").splitlines():
        words = [word.strip("'") for word in line.split()]
        one.type([sys.executable, "-m", "dpbench.cli", *words[1:]], folder, "")
    (folder / "paper.tex").write_text(one.copy(r"\documentclass{article}"), encoding="utf-8")
    if shutil.which("pdflatex"):
        one.type(["pdflatex", "-halt-on-error", "paper.tex"], folder, "Output written on paper.pdf")


def fit_without_a_leak(one: Visitor, folder: Path) -> None:
    """Fit a private classifier whose whole pipeline is private."""
    one.click("A private regression with scikit-learn")
    (folder / "safe.py").write_text(one.copy("BoundedScaler(["), encoding="utf-8")
    one.type([sys.executable, "safe.py"], folder, "'privateclassifier__radius'")


TASKS: tuple[Callable[[Visitor, Path], None], ...] = (
    check_the_gravest, audit_a_function, enter_a_theorem, cite_a_figure, fit_without_a_leak,
)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Do them all; 1 where somebody got lost."""
    parser = argparse.ArgumentParser(prog="python -m studies.tasks", description=__doc__.split("\n")[0])
    parser.add_argument("site", type=Path, metavar="SITE", help="folder of the built pages")
    parser.add_argument("--json", type=Path, metavar="FILE")
    asked = parser.parse_args(arguments)
    if not (asked.site / "index.html").is_file():
        parser.error(f"SITE must be a folder of built pages, got {str(asked.site)!r}")
    shown, rows = Table("task", "clicks", "seconds typed"), []
    for task in TASKS:
        one, said = Visitor(asked.site.resolve()), (task.__doc__ or "").rstrip(".")
        with tempfile.TemporaryDirectory() as folder:
            try:
                task(one, Path(folder))
            except Lost as lost:
                print(f"studies.tasks: {said}: {lost}", file=sys.stderr)
                return 1
        rows.append({"task": said, "clicks": one.clicks, "seconds": round(one.seconds, 1)})
        shown.add_row(said, str(one.clicks), f"{one.seconds:.1f}")
    Console().print(shown)
    if asked.json is not None:
        asked.json.write_text(json.dumps({"schema": 1, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
