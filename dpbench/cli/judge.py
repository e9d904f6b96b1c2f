"""``dpbench judge``: theorems in TOML files, decided; what is refuted has a certificate that the checker accepted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from dpbench.cli.guard import UNEXPECTED, guarded
from dpbench.cli.options import (
    NUMBER,
    JsonOption,
    QuietOption,
    SeedOption,
    check_writable,
    is_stdout,
    say,
    write,
    write_json,
)


@guarded
def judge(
    files: Annotated[list[Path], typer.Argument(metavar="FILE.toml", help="theorems, one a file")],
    seconds: Annotated[float, typer.Option("--seconds", help="processor time for each theorem", **NUMBER)] = 10.0,
    certificates: Annotated[
        Path | None,
        typer.Option("--certificates", help="write accepted certificates here", metavar="DIR", show_default=False),
    ] = None,
    seed: SeedOption = 0,
    json_file: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Decide theorems by certificates that a checker accepts. Each is refuted at a point, proved over its whole
    region, vacuous, or neither.

    Exit 0: none refuted or vacuous; 1: one is; 2: a file that cannot be read.

    dpbench judge theorem.toml --certificates proofs
    """
    from dpbench.certificates.judge import decide
    from dpbench.certificates.judge_toml import read
    from dpbench.core.validation import InvalidInput

    check_writable("--json", json_file)
    theorems = [read(path) for path in files]  # a file that cannot be read is said before anything is decided
    twice = sorted({t.id for t in theorems if sum(other.id == t.id for other in theorems) > 1})
    if twice:
        raise InvalidInput(f"id must be another for each theorem, got {twice[0]!r} twice")
    results: list[dict[str, Any]] = []
    for theorem in theorems:
        judgement = decide(theorem, seconds=seconds, seed=seed)
        paths: list[str] = []
        for number, certificate in enumerate(judgement.certificates if certificates is not None else (), 1):
            assert certificates is not None
            certificates.mkdir(parents=True, exist_ok=True)
            path = certificates / f"{judgement.id}.{certificate['kind']}{'' if number == 1 else f'-{number}'}.json"
            write(path, json.dumps(certificate, indent=1, ensure_ascii=False))
            paths.append(str(path))
        results.append(judgement.to_dict(tuple(paths)))
        if not (quiet or is_stdout(json_file)):
            say(str(judgement))
    if json_file is not None:
        write_json(json_file, {"schema": 1, "theorems": results})
    if any(one["verdict"] in ("refuted", "vacuous") for one in results):
        raise typer.Exit(UNEXPECTED)
