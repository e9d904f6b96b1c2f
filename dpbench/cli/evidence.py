"""``dpbench evidence status|refresh`` and ``dpbench compare``: the committed evidence, and two ledgers side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpbench.cli.guard import UNEXPECTED, guarded
from dpbench.cli.options import (
    DEFAULT_STORE,
    ClaimsArgument,
    JsonOption,
    PaperOption,
    ProcessesOption,
    QuietOption,
    SourcesOption,
    StoreOption,
    check_writable,
    console,
    is_stdout,
    use_sources,
    write_json,
)

if TYPE_CHECKING:
    from dpbench.ledger.core import Claim

FolderOption = Annotated[
    Path | None, typer.Option("--evidence", help="folder of evidence", metavar="FOLDER", show_default=False)
]

app = typer.Typer(
    help="Say how the committed evidence stands, or run it again.",
    no_args_is_help=False,
    add_completion=False,
    rich_markup_mode=None,
)


@app.command()
@guarded
def status(
    claims: ClaimsArgument = None,
    paper: PaperOption = None,
    sources: SourcesOption = None,
    evidence: FolderOption = None,
    json_file: JsonOption = None,
) -> None:
    """Say which evidence is of other code. It names the modules, runs nothing, and exits with 0.

    dpbench evidence status --paper glm
    """
    from dpbench.ledger.evidence import SCHEMA, committed
    from dpbench.ledger.evidence import status as status_of
    from dpbench.report.tables import print_status

    check_writable("--json", json_file)
    use_sources(sources)
    rows = status_of(_chosen(claims, paper, evidence), committed(evidence))
    counts = {kind: sum(row.code == kind for row in rows) for kind in ("current", "stale")}
    if json_file is not None:
        write_json(json_file, {"schema": SCHEMA, "counts": counts, "entries": [row.to_dict() for row in rows]})
    print_status(rows, counts, console(stderr=is_stdout(json_file)))


def _chosen(claims: list[str] | None, paper: list[str] | None, evidence: Path | None) -> tuple[Claim, ...]:
    """The entries asked for; those of other packages only where their folder is given: ours is no place for them."""
    from dpbench.core.validation import invalid
    from dpbench.ledger.registry import named
    from dpbench.ledger.verify import select

    chosen = select(claims or None, paper=paper or None)
    theirs = [claim.id for claim in chosen if claim.outside]
    if evidence is None and theirs and (claims or paper or named()):
        raise invalid("--evidence", f"a folder for claims of other packages ({theirs[0]}, say)", None)
    return tuple(claim for claim in chosen if evidence is not None or not claim.outside)


@app.command()
@guarded
def refresh(
    claims: ClaimsArgument = None,
    paper: PaperOption = None,
    sources: SourcesOption = None,
    evidence: FolderOption = None,
    store: StoreOption = DEFAULT_STORE,
    workers: ProcessesOption = None,
    json_file: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Run stale or missing evidence at full level and write it. Entries that are named are run in any case. Exit 1 on
    an unexpected verdict.

    dpbench evidence refresh 'glm.thm5.*'

    Nothing else writes evidence. Finished work is kept in the store: run the same command again to resume.
    """
    from dpbench.core.validation import InvalidInput
    from dpbench.ledger import evidence as files
    from dpbench.ledger import index
    from dpbench.ledger.compare import compare
    from dpbench.ledger.registry import own_papers
    from dpbench.ledger.verify import all_claims
    from dpbench.ledger.verify import verify as run
    from dpbench.report.tables import print_differences
    from dpbench.runs.executors import cores
    from dpbench.runs.progress import on_stderr
    from dpbench.runs.store import stored_verdicts

    check_writable("--json", json_file)
    use_sources(sources)
    place = evidence or files.checkout() / "evidence" / "ledger"
    if not place.is_dir():
        raise InvalidInput(f"--evidence must be an existing folder (here is no checkout with one), got {place}")
    old = files.committed(place)
    chosen = _chosen(claims, paper, evidence)
    if not claims:
        stale = {row.id for row in files.status(chosen, old) if row.code != "current"}
        chosen = tuple(claim for claim in chosen if claim.id in stale)
    document: dict[str, Any] = {"schema": files.SCHEMA, "refreshed": [], "not_run": [], "unexpected": []}
    out = console(stderr=is_stdout(json_file))
    if chosen:
        left = files.finished(chosen, stored_verdicts(store)) if store.exists() and not claims else {}
        done = [(claim, left[claim.id]) for claim in chosen if claim.id in left]
        new = {claim.id: files.document_of(claim, one.verdict, one.evidence, "full", 0) for claim, one in done}
        rest = [claim.id for claim in chosen if claim.id not in left]
        if rest:
            workers = max(1, workers or cores())
            ledger = run(
                rest, level="full", store=store, processes=workers, progress=on_stderr(quiet), recompute=bool(claims)
            )
            for entry in ledger.entries:
                found = entry.evidence.to_dict()
                new[entry.claim.id] = files.document_of(entry.claim, entry.verdict, found, "full", 0)
            document["not_run"] = [dict(item) for item in ledger.not_run]
        files.write(new.values(), place, all_claims())
        expected = {claim.id: claim.expected for claim in all_claims()}
        document["refreshed"] = list(new)
        document["unexpected"] = [name for name, one in new.items() if one["verdict"] != expected[name]]
        if not quiet:
            print_differences(compare({i: old[i] for i in new if i in old}, new, all_claims()), out, every=True)
        for name in document["unexpected"]:
            out.print(f"unexpected: {name}: {new[name]['verdict']}, expected {expected[name]}")
        for item in document["not_run"]:
            out.print(f"not run: {item['id']}: {item['reason']}")
    known = all_claims()
    for gone in sorted(old.keys() - {claim.id for claim in known}):
        entry = old[gone]["entry"]
        if gone.partition(".")[0] not in {claim.paper for claim in known}:
            continue  # of a paper that could not be loaded
        if any(claim.entry == entry for claim in known):
            files.write([old[entry]] if entry not in document["refreshed"] else [], place, known)
        else:
            (place / f"{entry}.json").unlink(missing_ok=True)
        out.print(f"removed: {gone} is no row of the ledger any more")
    if not chosen:
        out.print("no evidence is stale or missing")
    if evidence is None:
        index.file().write_text(index.text(own_papers()), encoding="utf-8")
    if json_file is not None:
        write_json(json_file, document)
    raise typer.Exit(UNEXPECTED if document["unexpected"] or document["not_run"] else 0)


@guarded
def compare(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="folder of evidence, or a file of verify --json")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="the same")],
    json_file: JsonOption = None,
    every: Annotated[bool, typer.Option("--all", help="show entries that are the same, too")] = False,
) -> None:
    """Show two ledgers side by side. Exit 1 on another verdict, lost evidence, or numbers that moved too far.

    dpbench compare old.json new.json
    """
    from dataclasses import asdict

    from dpbench.ledger.compare import compare as differences
    from dpbench.ledger.compare import passes, read
    from dpbench.ledger.measurement import plain
    from dpbench.ledger.verify import all_claims
    from dpbench.report.tables import print_differences

    check_writable("--json", json_file)
    rows = differences(read(old), read(new), all_claims())
    if json_file is not None:
        write_json(json_file, {"schema": 1, "passes": passes(rows), "entries": [plain(asdict(row)) for row in rows]})
    print_differences(rows, console(stderr=is_stdout(json_file)), every=every)
    raise typer.Exit(0 if passes(rows) else UNEXPECTED)
