"""From nothing to a refuted audit in pytest, to a first claim, to a figure in LaTeX: the seconds of each step.

``python -m studies.walk [--install]`` works in a temporary folder with this environment; with ``--install`` it first
makes a virtual environment and installs the checkout and pytest into it, as a newcomer does. Where ``pdflatex`` is
installed, the table and a figure are compiled into a page.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEST = """
def noisy_count(count, trials, rng):
    return count + rng.laplace(scale=0.5, size=trials)


def test_mine(dp_audit):
    dp_audit(noisy_count, 100.0, 101.0, epsilon=1.0, trials=200_000)
"""
PAPER = r"""\documentclass{article}\usepackage{graphicx}\begin{document}
\input{ledger.tex}\includegraphics{FIGURE}\end{document}
"""


def steps(python: str, folder: Path) -> Iterator[tuple[str, float]]:
    """Run each step, and yield what it was and its seconds.

    Raises
    ------
    RuntimeError
        If a step does not come out as it should.
    """
    (folder / "test_mine.py").write_text(TEST, encoding="utf-8")
    plugin = [] if python != sys.executable else ["-p", "dpbench.pytest_plugin"] * (not _plugin())
    yield (
        "a refuted audit in pytest",
        _run([python, "-m", "pytest", "-q", *plugin, "test_mine.py"], folder, 1, "refuted"),
    )
    dpbench = [python, "-m", "dpbench.cli"]
    yield "a paper of one's own", _run([*dpbench, "new-paper", "mytheorem"], folder, 0, "")
    where = folder / "mytheorem"
    yield "its first verdicts", _run([*dpbench, "verify", "--claims", "mytheorem"], where, 0, "all as expected")
    figures = [*dpbench, "figures", "--claims", "mytheorem", "--format", "pdf", "--width", "3.25", "--font", "serif"]
    yield "figures for a column of a paper", _run(figures, where, 0, ".pdf")
    report = [*dpbench, "report", "--claims", "mytheorem", "--latex", "ledger.tex", "--citation", "references.bib"]
    yield "a LaTeX table", _run(report, where, 0, "report.html")
    drawn = sorted((where / "figures").glob("*.pdf"))
    (where / "paper.tex").write_text(PAPER.replace("FIGURE", f"figures/{drawn[0].name}"), encoding="utf-8")
    if shutil.which("pdflatex"):
        latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
        yield "both in a page of LaTeX", _run(latex, where, 0, "Output written on paper.pdf (1 page")


def _run(command: list[str], folder: Path, code: int, word: str) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | {"COLUMNS": "120"})
    said = done.stdout + done.stderr
    if done.returncode != code or word not in said:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}\n{said[-2000:]}")
    return time.perf_counter() - began


def _plugin() -> bool:
    from importlib.metadata import entry_points

    return any(point.value == "dpbench.pytest_plugin" for point in entry_points(group="pytest11"))


def main(arguments: list[str] | None = None) -> int:
    """Print the seconds of each step and their sum; 1 if a step fails."""
    parser = argparse.ArgumentParser(prog="python -m studies.walk", description=__doc__.splitlines()[0])
    parser.add_argument("--install", action="store_true", help="into a new virtual environment first")
    asked = parser.parse_args(arguments)
    total = 0.0
    with tempfile.TemporaryDirectory() as work:
        folder, python = Path(work), sys.executable
        try:
            if asked.install:
                began = time.perf_counter()
                subprocess.run([sys.executable, "-m", "venv", "venv"], cwd=folder, check=True)
                python = str(folder / "venv/bin/python")
                subprocess.run([python, "-m", "pip", "install", "-q", str(ROOT), "pytest"], cwd=folder, check=True)
                total = time.perf_counter() - began
                print(f"{total:7.1f} s  install")
            for name, seconds in steps(python, folder):
                total += seconds
                print(f"{seconds:7.1f} s  {name}", flush=True)
        except (RuntimeError, subprocess.CalledProcessError) as error:
            print(f"studies.walk: {error}", file=sys.stderr)
            return 1
    print(f"{total:7.1f} s  in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
