"""Pages of the documentation made from what is there: the gallery, the report, notebooks."""

from __future__ import annotations

import functools
import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpbench.ledger.core import Claim
from dpbench.ledger.registry import all_papers
from dpbench.ledger.verify import all_claims
from dpbench.report import page, stored
from dpbench.report.drawings import DRAWINGS, SUMMARIES
from dpbench.report.figures import Drawing, Summary
from dpbench.report.latex import bibtex
from dpbench.report.mathematics import in_markdown
from tools.pages.claim_pages import addresses

_ONE_COLUMN = 1200  # pixels: a figure that is wider has panels side by side


def gallery(figures: Path, folder: str) -> str:
    """Every figure with a caption: what is drawn, what its entry states, and the entry.

    Parameters
    ----------
    figures : Path
        Where the PNG files are.
    folder : str
        The same, seen from the page.
    """
    known = {claim.id: claim for claim in all_claims()}
    drawn = (
        "Each is drawn from stored evidence, as PDF, PNG or SVG: `dpbench figures NAME`. A paper that shows one cites"
    )
    parts = ["# Figures", f"{drawn} its claim, by the link below it, and this software:", f"```bibtex\n{bibtex([])}```"]
    every: tuple[Drawing | Summary, ...] = (*DRAWINGS, *SUMMARIES)
    for paper in all_papers():
        of_paper = [drawing for drawing in every if known[drawing.claims[0]].paper == paper.name]
        parts += [f"## {in_markdown(paper.title or paper.name)}"] * bool(of_paper)
        for drawing in of_paper:
            first = known[drawing.claims[0]]
            heading = in_markdown(first.source[:1].upper() + first.source[1:])
            shown = _image(figures, folder, drawing.name, f"{drawing.name}: {first.source}")
            caption = _caption(drawing.draw, first, len(drawing.claims) - 1, drawing.name)
            parts += [f"### {heading}", shown, caption, _files(folder, drawing.name)]
    parts += ["## Drawn from other records", "`figures/README.md` has the command of each."]
    for name, document in drawn_from_records(figures).items():
        said = f"{in_markdown(document['said'])} (`{document['command']}`)"
        parts += [f"### {name}", _image(figures, folder, name, name), said, _files(folder, name)]
    return "\n\n".join(parts) + "\n"


def drawn_from_records(figures: Path) -> dict[str, dict[str, str]]:
    """What is said of the figures that are drawn from files of numbers, not from entries, by name."""
    documents = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(figures.glob("*.json"))}
    return {name: document for name, document in documents.items() if "said" in document}


def _image(figures: Path, folder: str, name: str, said: str) -> str:
    with (figures / f"{name}.png").open("rb") as file:
        width = int.from_bytes(file.read(20)[16:20], "big")  # of the header that every PNG begins with
    shown = f"![{in_markdown(said)}]({folder}/{name}.png)"
    return f'<div class="wide">\n\n{shown}\n\n</div>' if width > _ONE_COLUMN else shown


def _files(folder: str, name: str) -> str:
    kinds = {"PDF": "pdf", "LaTeX caption": "tex", "source": "json"}
    return ", ".join(f"{{download}}`{what} <{folder}/{name}.{kind}>`" for what, kind in kinds.items())


def _caption(draw: Callable[..., Any], claim: Claim, more: int, name: str) -> str:
    while isinstance(draw, functools.partial):
        draw = draw.func
    drawn = re.sub(r"Columns.*?(?=\. [A-Z]|\.$|$)\.?", "", " ".join((draw.__doc__ or "").split())).strip()
    others = f" and {more} more" if more else ""
    page = f'<a href="../results/claims/{addresses()[claim.id]}"><code>{claim.id}</code></a>{others}'
    return f"{in_markdown(drawn)} *The claim:* {in_markdown(claim.statement)} ({page}; `dpbench figures {name}`)"


def write(folder: Path, figures: str, examples: Path, texts: Mapping[str, str]) -> None:
    """Write the pages, the report of the committed evidence, and copies of the notebooks, which the build executes.

    Parameters
    ----------
    folder : Path
        Made where it does not exist.
    figures : str
        The PNG files of the figures, seen from `folder`.
    examples : Path
        The folder of the notebooks.
    texts : mapping of str to str
        Pages made elsewhere, by the names of their files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    report = page.page(all_claims(), stored.best(stored.known(None)))
    pages = {"gallery.md": gallery(folder / figures, figures), "report.html": report}
    for name, text in (pages | dict(texts)).items():
        (folder / name).write_text(text, encoding="utf-8")
    for notebook in _notebooks(examples):
        shutil.copy(notebook, folder / notebook.name)


def _notebooks(examples: Path) -> Sequence[Path]:
    return sorted(examples.glob("*.ipynb"))
