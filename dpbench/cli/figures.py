"""``dpbench figures``: draw from the evidence in the store, run nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpbench.cli.guard import BAD_USE, guarded, one_line
from dpbench.cli.options import DEFAULT_STORE, QuietOption, StoreOption, check_writable

if TYPE_CHECKING:
    from dpbench.runs.store import StoredVerdict


@guarded
def figures(
    names: Annotated[list[str] | None, typer.Argument(metavar="[FIGURE]...", help="names; default all")] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="where to write")] = Path("figures"),
    store: StoreOption = DEFAULT_STORE,
    quiet: QuietOption = False,
) -> None:
    """Draw the figures (PDF and PNG) from stored evidence; exit 2 if a run is missing, and name it.

    Where the store holds several verdicts of an entry, those of the present code go before stale ones, full
    runs before quick ones, and newer before older.
    """
    from dpbench.report.drawings import DRAWINGS
    from dpbench.report.figures import save
    from dpbench.runs.store import stored_verdicts
    from dpbench.validation import choice, invalid

    for name in names or ():
        choice("FIGURE", name, [drawing.name for drawing in DRAWINGS])
    wanted = [drawing for drawing in DRAWINGS if not names or drawing.name in names]
    found = _best(stored_verdicts(store)) if store.exists() or store != DEFAULT_STORE else {}
    ready = [drawing for drawing in wanted if drawing.claim in found]
    if ready:
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise invalid("--out", f"a folder that can be written ({error.strerror})", str(out)) from error
    for drawing in ready:
        verdict, stale = found[drawing.claim]
        images = [out / f"{drawing.name}.{kind}" for kind in ("pdf", "png")]
        for image in images:
            check_writable("--out", image)
        save(drawing.draw(verdict.evidence), images)
        if stale:
            one_line(f"{drawing.name} is stale: the code has changed since; dpbench verify {drawing.claim}")
        if not quiet:
            typer.echo(f"{images[0]}  {images[1].name}")
    missing = [drawing.claim for drawing in wanted if drawing not in ready]
    if missing:
        at = "" if store == DEFAULT_STORE else f" --store {store}"
        one_line(f"no evidence in {store} for {', '.join(missing)}; run: dpbench verify {' '.join(missing)}{at}")
        raise typer.Exit(BAD_USE)


def _best(verdicts: list[StoredVerdict]) -> dict[str, tuple[StoredVerdict, bool]]:
    """For each claim the verdict to draw, and whether it is stale."""
    from dpbench.claims.ledger import all_claims

    digests = {claim.id: claim.digest for claim in all_claims()}
    ranked: dict[str, tuple[tuple[bool, bool], StoredVerdict]] = {}
    for verdict in verdicts:  # oldest first
        rank = (verdict.code == digests.get(verdict.claim), verdict.level == "full")
        if verdict.claim not in ranked or rank >= ranked[verdict.claim][0]:
            ranked[verdict.claim] = rank, verdict
    return {claim: (verdict, not rank[0]) for claim, (rank, verdict) in ranked.items()}
