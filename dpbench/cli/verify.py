"""``dpbench verify``: run entries of the ledger and say what was found."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from dpbench.cli.guard import BAD_USE, UNEXPECTED, guarded, one_line
from dpbench.cli.options import (
    DEFAULT_STORE,
    NUMBER,
    ClaimsArgument,
    JsonOption,
    KindOption,
    PaperOption,
    ProcessesOption,
    QuietOption,
    SchedulerOption,
    SeedOption,
    SourcesOption,
    StoreOption,
    check_writable,
    chosen_workers,
    console,
    is_stdout,
    say,
    use_sources,
    write_json,
)


@guarded
def verify(
    claims: ClaimsArgument = None,
    paper: PaperOption = None,
    kind: KindOption = None,
    sources: SourcesOption = None,
    level: Annotated[str, typer.Option("--level", help="quick or full")] = "quick",
    store: StoreOption = DEFAULT_STORE,
    seed: SeedOption = 0,
    workers: ProcessesOption = None,
    scheduler: SchedulerOption = None,
    json_file: JsonOption = None,
    certificates: Annotated[
        Path | None,
        typer.Option("--certificates", help="write the certificates of these entries here", metavar="FOLDER"),
    ] = None,
    max_seconds: Annotated[
        float | None,
        typer.Option(
            "--max-seconds",
            help="what an entry may take; default 600 (full: 14400), ours unlimited",
            show_default=False,
            **NUMBER,
        ),
    ] = None,
    recompute: Annotated[
        bool,
        typer.Option("--recompute", help="run again what the store has a verdict of, by the same code and versions"),
    ] = False,
    every: Annotated[bool, typer.Option("--verbose", "-v", help="a row for each entry, of many too")] = False,
    quiet: QuietOption = False,
) -> None:
    """Run entries of the ledger. Exit 1 if a verdict is not the expected one.

    Finished work is kept in the store: after Ctrl-C, a kill or a full disk, run the same command again. A verdict found
    by the same code, versions, processor, level and seed is read from it.

    dpbench verify 'glm.*.privacy*' --json ledger.json
    """
    from dpbench.runs.executors import cores

    check_writable("--json", json_file)
    use_sources(sources)

    processes: int | None = 1 if scheduler is not None else max(1, workers or cores())
    if claims and workers is None and scheduler is None and level == "quick":
        from dpbench.ledger.verify import select

        if not any(claim.outside for claim in select(claims, paper=paper or None, kind=kind)):
            processes = None  # one a core where there are many entries: a process for few takes longer to start
    with ExitStack() as closing:
        if not (processes in (None, 1) or claims or kind or sources or (store.exists() and not recompute)):
            from dpbench.runs.workers import started

            closing.enter_context(started(processes, _of_papers(paper)))
        computing = closing.enter_context(chosen_workers(workers, scheduler))
        from dpbench.ledger.verify import verify as run
        from dpbench.runs.progress import on_stderr

        ledger = run(
            claims or None,
            paper=paper or None,
            kind=kind,
            level=level,
            seed=seed,
            workers=computing,
            processes=processes,
            store=store,
            progress=on_stderr(quiet),
            recompute=recompute,
            max_seconds=max_seconds,
        )
    if json_file is not None:
        from dpbench.certificates.shown import links

        document = ledger.to_dict()
        document["claims"] = [item | links(item["id"]) for item in document["claims"]]
        write_json(json_file, document)
    if certificates is not None:
        _write_certificates(certificates, {entry.claim.id for entry in ledger.entries}, quiet)
    if ledger.reused:  # said under --quiet, too: such a verdict is the word of whoever wrote the store
        one_line(
            f"{ledger.reused} of {len(ledger.entries)} verdicts are of an earlier run, read from {store} "
            "(same code, versions, processor, level and seed; --recompute finds them again)"
        )
    if not quiet:
        from dpbench.report.tables import print_ledger

        print_ledger(ledger, console(stderr=is_stdout(json_file)), every=every)
    if not ledger.entries:
        one_line("nothing was run: " + "; ".join(f"{item['id']} is {item['reason']}" for item in ledger.not_run))
        raise typer.Exit(BAD_USE)
    raise typer.Exit(0 if ledger.as_expected else UNEXPECTED)


def _of_papers(wanted: list[str] | None) -> list[str]:
    """The claims of our papers, as workers are told them: found by their place, so that none is imported."""
    places = Path(__file__).parents[1].glob("papers/*/theorems/__init__.py")
    names = sorted(place.parent.parent.name for place in places)
    return [f"dpbench.papers.{name}.theorems:paper.claims" for name in names if not wanted or name in wanted]


def _write_certificates(folder: Path, claims: set[str], quiet: bool) -> None:
    from dpbench.certificates import write as write_certificates

    written = write_certificates(folder, claims)
    if not quiet:
        say(f"{len(written)} certificates in {folder}; check: `python -m dpbench_check {folder}/*.json`")
