"""``dpbench strengthened``: the theorems that go beyond the public-data paper, with proofs."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from dpbench.cli.guard import UsageError, guarded
from dpbench.cli.options import check_writable, say

NAME = "strengthened"


@guarded
def strengthened(
    pdf: Annotated[
        Path | None, typer.Option("--pdf", metavar="FILE", help="write a PDF here, by pdflatex, and print nothing")
    ] = None,
) -> None:
    """Print theorems beyond the public-data paper. In LaTeX, with proofs.

    dpbench strengthened --pdf strengthened.pdf
    """
    from dpbench.report.errata import paper_named
    from dpbench.report.note import body

    check_writable("--pdf", pdf)
    text = body(paper_named("publicdata"), f"{NAME}.tex")
    if pdf is None:
        say(text, nl=False)
        return
    if shutil.which("pdflatex") is None:
        raise UsageError("--pdf must find pdflatex, of a LaTeX installation, got none: leave it out for the source")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{NAME}.tex").write_text(text, encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{NAME}.tex"]
        for _ in range(2):  # the second sets the references
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
            if run.returncode:
                lost = next((line for line in run.stdout.splitlines() if line.startswith("!")), "no reason")
                raise UsageError(f"--pdf must have lmodern and the AMS packages beside pdflatex, got: {lost}")
        shutil.copyfile(Path(folder) / f"{NAME}.pdf", pdf)
