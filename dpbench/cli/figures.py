"""``dpbench figures``: draw from the evidence in the store, run nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpbench.cli.guard import BAD_USE, guarded, one_line
from dpbench.cli.options import (
    DEFAULT_STORE,
    NUMBER,
    PaperOption,
    QuietOption,
    SourcesOption,
    StoreOption,
    check_writable,
    figure_names,
    given_store,
    parts,
    say,
    use_sources,
)

if TYPE_CHECKING:
    from dpbench.report.figures import Drawing, Summary

FEW = 6  # entries that are named one by one


@guarded
def figures(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="FIGURE", help="names; default all", autocompletion=figure_names)
    ] = None,
    paper: PaperOption = None,
    sources: SourcesOption = None,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="where to write")] = Path("figures"),
    store: StoreOption = DEFAULT_STORE,
    formats: Annotated[str, typer.Option("--format", metavar="LIST", help="of pdf, png, svg, eps")] = "pdf,png",
    width: Annotated[
        float | None, typer.Option("--width", help="inches; default of each figure", show_default=False, **NUMBER)
    ] = None,
    column: Annotated[
        str | None,
        typer.Option("--column", help="in place of --width: neurips, icml, ...", metavar="CLASS", show_default=False),
    ] = None,
    font: Annotated[
        str | None, typer.Option("--font", metavar="FAMILY", help="serif, or an installed font", show_default=False)
    ] = None,
    font_size: Annotated[
        float | None, typer.Option("--font-size", help="points, of all text", show_default=False, **NUMBER)
    ] = None,
    height: Annotated[
        float | None, typer.Option("--height", help="inches; default as the width", show_default=False, **NUMBER)
    ] = None,
    style: Annotated[
        str | None, typer.Option("--style", metavar="NAME", help="of matplotlib, or a file", show_default=False)
    ] = None,
    title: Annotated[bool, typer.Option("--title/--no-title", help="titles in the figure")] = True,
    listed: Annotated[bool, typer.Option("--list", help="name the figures, draw nothing")] = False,
    quiet: QuietOption = False,
) -> None:
    """Draw the figures from committed and stored evidence. Exit 2 if a run is missing, and name it.

    dpbench figures delta_thm5 --column icml --font serif

    Beside each is a caption for LaTeX, and what it was made from as JSON; the metadata of PDF and PNG say so too.
    Figures are made for a column or the page at 8 points; at another size, look whether the text has room.

    Where there are several verdicts of an entry, those of the present code go before stale ones, full runs before
    quick ones, and newer before older. Figures of other packages' papers are drawn where they have evidence, and asked
    for by --paper, --claims or their names.
    """
    from dpbench.core.validation import InvalidInput, choice, invalid, real
    from dpbench.ledger.registry import all_papers, named, outside_claims
    from dpbench.report.drawings import DRAWINGS, SUMMARIES, of_many, of_one
    from dpbench.report.figures import FORMATS, look, resize, save, settle, untitled
    from dpbench.report.provenance import about, write
    from dpbench.report.stored import best, known

    kinds = [choice("--format", kind, FORMATS) for kind in parts("--format", formats)]
    looks = {"width": width, "column": column, "font": font, "font-size": font_size, "height": height, "style": style}
    options = [f"--{option} {value}" for option, value in looks.items() if value is not None]
    options += [f"--format {formats}"] * (formats != "pdf,png") + ["--no-title"] * (not title)
    if column is not None:
        from dpbench.report.plot import COLUMNS

        if width is not None:
            raise InvalidInput(f"--column must not be given with --width, got {column!r} and {width}")
        width = COLUMNS[choice("--column", column, COLUMNS)]
    if width is not None:
        real("width", width, above=0.0)
    if height is not None:
        real("height", height, above=0.0)
    use_sources(sources)
    every: tuple[Drawing | Summary, ...] = (*of_one(), *of_many())
    for name in names or ():
        choice("FIGURE", name, [drawing.name for drawing in every])
    for name in paper or ():
        choice("paper", name, [one.name for one in all_papers()])
    if paper:
        every = tuple(d for d in every if all(claim.partition(".")[0] in paper for claim in d.claims))
    wanted = [drawing for drawing in every if not names or drawing.name in names]
    if listed:
        for drawing in wanted:
            say(f"{drawing.name}: {drawing.said}")
        return
    ids = {name for drawing in wanted for name in drawing.claims}
    results = best(known(given_store(store), ids=ids), ids)
    if not names and not paper and named() is None:
        wanted = [d for d in wanted if d in DRAWINGS or d in SUMMARIES or all(name in results for name in d.claims)]
    ready = [drawing for drawing in wanted if all(name in results for name in drawing.claims)]
    if ready:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise invalid("--out", f"a folder that can be written ({error.strerror})", str(out)) from error
    outside, lost = {claim.id for claim in outside_claims()}, False
    for drawing in ready:
        images = [out / f"{drawing.name}.{kind}" for kind in kinds]
        for image in images:
            check_writable("--out", image)
        mine = {name: results[name] for name in drawing.claims}
        made_from = about(drawing.name, mine, options)
        with look(font, font_size, style, width):
            try:
                figure = drawing.figure(mine)
                if not title:
                    untitled(figure)
                if width is not None or height is not None:
                    resize(figure, width, height)
                settle(figure)
                save(figure, images, about=made_from)
            except InvalidInput:
                raise
            except Exception as error:
                if not outside.intersection(drawing.claims):
                    raise
                one_line(f"{drawing.name} is left out: {type(error).__name__}: {error}")
                lost = True
                continue
        write(out / drawing.name, drawing.said, made_from, mine)
        stale = [name for name in drawing.claims if results[name].stale]
        if stale:
            one_line(f"{drawing.name} is stale: the code has changed since; {_command(stale)}")
        if not quiet:
            say("  ".join([str(images[0]), *(image.name for image in images[1:])]))
    missing = {d.name: [name for name in d.claims if name not in results] for d in wanted if d not in ready}
    if missing:
        at = "" if store == DEFAULT_STORE else f" --store {store}"
        at += "".join(f" --claims {source}" for source in sources or ())
        one_line(f"no evidence in {store} for {_grouped(missing)}; run: {_command(_flat(missing))}{at}")
    if missing or lost:
        raise typer.Exit(BAD_USE)


def _flat(missing: dict[str, list[str]]) -> list[str]:
    return list(dict.fromkeys(name for names in missing.values() for name in names))


def _grouped(missing: dict[str, list[str]]) -> str:
    """The entries that figures lack: by name where they are few, else their number of each paper and figure."""
    names = _flat(missing)
    if len(names) <= FEW:
        return ", ".join(names)
    papers = Counter(name.partition(".")[0] for name in names)
    of_papers = ", ".join(f"{paper} {count}" for paper, count in papers.items())
    of_figures = ", ".join(f"{figure} {len(lacked)}" for figure, lacked in missing.items())
    return f"{len(names)} entries ({of_papers}), of figures: {of_figures}"


def _command(names: list[str]) -> str:
    """The command that runs these entries; at level full where one of them has no verdict at quick."""
    from dpbench.ledger.verify import all_claims

    full = any(claim.full_only for claim in all_claims() if claim.id in names)
    papers = sorted({name.partition(".")[0] for name in names})
    chosen = " ".join(names) if len(names) <= FEW else f"--paper {papers[0]}" if len(papers) == 1 else ""
    return f"dpbench verify {chosen}".rstrip() + (" --level full" if full else "")
