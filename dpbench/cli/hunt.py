"""``dpbench hunt``: search claims for counterexamples; what is found counts only where the checker accepts it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from dpbench.cli.guard import INTERRUPTED, UNEXPECTED, guarded
from dpbench.cli.options import (
    NUMBER,
    WHOLE,
    JsonOption,
    QuietOption,
    SeedOption,
    SourcesOption,
    check_writable,
    is_stdout,
    say,
    use_sources,
    write_json,
)


@guarded
def hunt(
    claims: Annotated[list[str] | None, typer.Argument(metavar="CLAIM", help="ids or globs")] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="processor time of a claim's search", **NUMBER)] = 10.0,
    evaluations: Annotated[
        int, typer.Option("--evaluations", help="points of a claim's search: reproducible bit for bit", **WHOLE)
    ] = 20_000,
    worst: Annotated[
        bool, typer.Option("--worst", help="go on for the largest ratio to the bound; no CLAIM: all that hold")
    ] = False,
    listed: Annotated[
        bool, typer.Option("--list", help="name the claims that have a statement to search, search nothing")
    ] = False,
    certificates: Annotated[
        Path | None,
        typer.Option("--certificates", help="write accepted certificates here", metavar="FOLDER", show_default=False),
    ] = None,
    seed: SeedOption = 0,
    sources: SourcesOption = None,
    json_file: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Search claims for counterexamples. Exit 1 if one is accepted for an entry that is expected to hold.

    dpbench hunt 'glm.lemma*' --seconds 5
    """
    from dpbench.certificates.search.find import find_counterexample, question_of, questions
    from dpbench.core.validation import InvalidInput
    from dpbench.ledger.measurement import plain
    from dpbench.ledger.verify import select

    use_sources(sources)
    known = questions()
    if listed:
        for claim in select(claims or None):
            if claim.id in known:
                say(claim.id)
        return
    if not (claims or worst):
        raise InvalidInput(
            "CLAIM must be given (`dpbench hunt --list` names the claims that have a statement to search)"
        )
    check_writable("--json", json_file)
    chosen = select(claims) if claims else [c for c in select(None) if c.expected != "refuted"]
    for claim in chosen if claims and not any("*" in name for name in claims) else ():
        question_of(claim)  # one that is named must have a statement to search
    if not (mine := [claim for claim in chosen if claim.id in known]):
        question_of(chosen[0])
    results: list[dict[str, Any]] = []
    unexpected = interrupted = False
    for claim in mine:
        result = find_counterexample(claim, seconds=seconds, seed=seed, evaluations=evaluations, worst=worst)
        results.append(result.to_dict())
        unexpected |= result.found and claim.expected != "refuted"
        if not (quiet or is_stdout(json_file)):
            say(str(result))
        if certificates is not None and result.certificate is not None:
            certificates.mkdir(parents=True, exist_ok=True)
            text = json.dumps(result.certificate, indent=1, ensure_ascii=False)
            (certificates / f"{claim.id}.{result.certificate['kind']}.json").write_text(text + "\n", encoding="utf-8")
        if interrupted := result.cut == "interrupted":
            break
    if json_file is not None:
        write_json(json_file, {"schema": 1, "results": plain(results)})
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if unexpected:
        raise typer.Exit(UNEXPECTED)
