"""``dpbench audit MODULE:SAMPLER``: a lower bound on the privacy loss of a user's own mechanism."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from dpbench.cli.audit_inputs import SAMPLER, import_callable, read_claim, read_domain
from dpbench.cli.guard import UNEXPECTED, guarded, stoppable
from dpbench.cli.options import (
    NUMBER,
    WHOLE,
    JsonOption,
    QuietOption,
    SchedulerOption,
    SeedOption,
    WorkersOption,
    check_writable,
    chosen_workers,
    console,
    is_stdout,
    parts,
    write,
    write_json,
)
from dpbench.core.printable import printable

_FILE: dict[str, Any] = {"metavar": "FILE", "show_default": False}
_ARRAY = "(.npy, .csv or .parquet)"
_SETS, _CLAIM, _RUNS = "The two data sets", "The claim", "Runs"
_DRAWN, _SOUGHT = "Outputs that are drawn already", "What is looked at"


@guarded
def audit(
    sampler: Annotated[
        str | None,
        typer.Argument(
            metavar=f"[{SAMPLER}]",
            help="a callable (data, trials, rng) -> array, first axis trials; with --one-run (included, rng) -> "
            "scores; none for arrays",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option("--data", rich_help_panel=_SETS, help="data set: .npy, .npz, .csv, .parquet or .json", **_FILE),
    ] = None,
    neighbour: Annotated[
        str | None, typer.Option("--neighbour", rich_help_panel=_SETS, help="the neighbouring data set", **_FILE)
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            "--epsilon",
            rich_help_panel=_CLAIM,
            help="claimed; without it nothing is refuted",
            show_default=False,
            **NUMBER,
        ),
    ] = None,
    delta: Annotated[float, typer.Option("--delta", rich_help_panel=_CLAIM, help="claimed", **NUMBER)] = 0.0,
    claim: Annotated[
        str | None,
        typer.Option(
            "--claim",
            rich_help_panel=_CLAIM,
            help="in place of --epsilon: mu=1, rho=0.5, rho=0.5,delta=1e-6, or rdp=2:0.5,8:2",
            metavar="CLAIM",
            show_default=False,
        ),
    ] = None,
    relation: Annotated[
        str | None,
        typer.Option(
            "--relation",
            rich_help_panel=_SETS,
            help="of the two data sets: replace, add, remove or add_remove",
            metavar="RELATION",
            show_default=False,
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            rich_help_panel=_SOUGHT,
            help="a leaf of the outputs to leave out, such as id; may be repeated",
            metavar="PATH",
            show_default=False,
        ),
    ] = None,
    trials: Annotated[
        str, typer.Option("--trials", rich_help_panel=_RUNS, help="runs on each data set, or auto")
    ] = "1000000",
    confidence: Annotated[
        float, typer.Option("--confidence", rich_help_panel=_CLAIM, help="of the lower bound", **NUMBER)
    ] = 0.999,
    bits: Annotated[
        bool,
        typer.Option(
            "--bits",
            rich_help_panel=_SOUGHT,
            help="look at the last bits of floating-point outputs instead of their values",
        ),
    ] = False,
    each: Annotated[
        bool,
        typer.Option(
            "--each", rich_help_panel=_RUNS, help="the callable makes one result a call: (data, rng) or (data)"
        ),
    ] = False,
    search: Annotated[
        str | None,
        typer.Option(
            "--search",
            rich_help_panel=_SETS,
            help="find the two data sets: a .json file, or records=5,low=0,high=1,nan=true",
            metavar="DOMAIN",
            show_default=False,
        ),
    ] = None,
    one_run: Annotated[
        int | None,
        typer.Option("--one-run", rich_help_panel=_RUNS, help="canaries, all in one run", show_default=False, **WHOLE),
    ] = None,
    outputs: Annotated[
        str | None,
        typer.Option(
            "--outputs", rich_help_panel=_DRAWN, help=f"outputs on the data set, drawn already {_ARRAY}", **_FILE
        ),
    ] = None,
    neighbour_outputs: Annotated[
        str | None,
        typer.Option("--neighbour-outputs", rich_help_panel=_DRAWN, help=f"and on the neighbour {_ARRAY}", **_FILE),
    ] = None,
    included: Annotated[
        str | None,
        typer.Option(
            "--included", rich_help_panel=_DRAWN, help=f"which canaries were in the data of one run {_ARRAY}", **_FILE
        ),
    ] = None,
    scores: Annotated[
        str | None, typer.Option("--scores", rich_help_panel=_DRAWN, help=f"and their scores {_ARRAY}", **_FILE)
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(
            "--score",
            rich_help_panel=_SOUGHT,
            help="your own score of outputs",
            metavar="MODULE:SCORE",
            show_default=False,
        ),
    ] = None,
    assume: Annotated[
        str | None,
        typer.Option(
            "--assume", rich_help_panel=_SOUGHT, help="gaussian: bound mu too", metavar="LAW", show_default=False
        ),
    ] = None,
    curve: Annotated[
        str | None,
        typer.Option(
            "--curve",
            rich_help_panel=_SOUGHT,
            help="values of epsilon to bound delta at",
            metavar="E,E,...",
            show_default=False,
        ),
    ] = None,
    tradeoff: Annotated[
        Path | None,
        typer.Option(
            "--tradeoff",
            rich_help_panel=_SOUGHT,
            help="write the trade-off curve here: .csv, .pdf, .png or .svg",
            **_FILE,
        ),
    ] = None,
    max_seconds: Annotated[
        float | None,
        typer.Option(
            "--max-seconds",
            rich_help_panel=_RUNS,
            help="make fewer runs where the sampler is slow; with --search, end its proposals",
            show_default=False,
            **NUMBER,
        ),
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    json_file: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Bound the privacy loss of your own mechanism from below; exit 1 if the claim is refuted, or the audit blind.

    The module is looked for in the working directory first. A table of numbers is handed over as a float
    matrix without its header (missing ones as NaN), one with texts as a structured array with a field a column, an .npz
    file as a dict of its arrays. What was drawn already is audited from arrays:
    --outputs with --neighbour-outputs, or --included with --scores for one run with many canaries.

    dpbench audit mine:noisy_count --data a.npy --neighbour b.npy --epsilon 1
    """
    check_writable("--json", json_file)
    _check_tradeoff(tradeoff)
    epsilons = None if curve is None else parts("--curve", curve, float)

    from dpbench.core.validation import InvalidInput
    from dpbench.runs.progress import on_stderr

    mode = _mode(
        sampler,
        {
            "samples": {"--outputs": outputs, "--neighbour-outputs": neighbour_outputs},
            "scores": {"--included": included, "--scores": scores},
            "search": {"--search": search},
            "one run": {"--one-run": one_run},
            "pair": {"--data": data, "--neighbour": neighbour},
        },
    )
    common: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "confidence": confidence, "seed": seed}
    whole = None if claim is None else read_claim(claim)
    own = None if score is None else import_callable(score, "--score", "a callable (outputs) -> scores")
    _check_fits(
        mode,
        max_seconds=max_seconds,
        claim=claim,
        score=score,
        assume=assume,
        bits=bits or None,
        each=each or None,
        tradeoff=tradeoff,
        relation=relation,
        ignore=ignore or None,
    )
    known: dict[str, Any] = (
        {} if mode in ("one run", "scores") or bits else {"relation": relation, "ignore": tuple(ignore or ())}
    )
    progress = on_stderr(quiet)
    try:
        with chosen_workers(workers, scheduler) as computing, stoppable("an audit", computing) as executor:
            if mode == "samples":
                from dpbench.auditing.samples import audit_samples
                from dpbench.cli.audit_arrays import read_pair

                pair = read_pair(("--outputs", str(outputs)), ("--neighbour-outputs", str(neighbour_outputs)))
                result = audit_samples(pair[0], pair[1], claim=whole, score=own, **known, **common)
            elif mode == "scores":
                from dpbench.auditing.one_run import audit_one_run_scores
                from dpbench.cli.audit_arrays import read_array

                canaries = read_array("--included", str(included)), read_array("--scores", str(scores))
                result = audit_one_run_scores(*canaries, assume=assume, claim=whole, **common)
            else:
                form = "a callable (included, rng) -> scores" if mode == "one run" else None
                mechanism = import_callable(str(sampler), SAMPLER, *(() if form is None else (form,)))
                common |= {} if mode == "one run" else {"workers": executor, "progress": progress.blocks}
                result = _sampled(
                    mode, mechanism, common, data=data, neighbour=neighbour, domain=search, canaries=one_run, bits=bits,
                    each_call=each, max_seconds=max_seconds, trials=_trials(trials), assume=assume, claim=whole,
                    score=own, known=known,
                )  # fmt: skip
    except InvalidInput as error:
        _show_frames(error)
        raise
    finally:
        progress.close()
    bounds = None if epsilons is None else result.curve(epsilons).tolist()
    if tradeoff is not None:
        _write_tradeoff(tradeoff, result)
    if json_file is not None:
        more = {} if epsilons is None else {"curve": {"epsilon": epsilons, "delta": bounds}}
        write_json(json_file, {**result.to_dict(), **more})
    if not quiet:
        from dpbench.report.tables import print_audit

        print_audit(sampler or mode, result, console(stderr=is_stdout(json_file)), epsilons, bounds)
    raise typer.Exit(UNEXPECTED if result.verdict in ("refuted", "blind") else 0)


def _sampled(mode: str, mechanism: Any, common: dict[str, Any], **given: Any) -> Any:
    """The audits that run a callable."""
    if mode == "one run":
        from dpbench.auditing.one_run import audit_one_run

        return audit_one_run(mechanism, given["canaries"], assume=given["assume"], claim=given["claim"], **common)
    if given["each_call"]:
        from dpbench.auditing.outputs import each

        mechanism = each(mechanism)
    extra = {"claim": given["claim"], "score": given["score"], "trials": given["trials"], **given["known"], **common}
    if mode == "search":
        from dpbench.auditing.search import find_neighbours

        return find_neighbours(mechanism, read_domain(given["domain"]), seconds=given["max_seconds"], **extra)
    from dpbench.cli.audit_arrays import read_dataset

    pair = read_dataset("--data", given["data"]), read_dataset("--neighbour", given["neighbour"])
    if given["bits"]:
        from dpbench.auditing.bits import audit_bits

        extra = {name: value for name, value in extra.items() if name not in ("claim", "score")}
        return audit_bits(mechanism, *pair, **extra)
    from dpbench.auditing.audit import audit as by_values

    return by_values(mechanism, *pair, assume=given["assume"], max_seconds=given["max_seconds"], **extra)


def _mode(sampler: str | None, ways: dict[str, dict[str, Any]]) -> str:
    """Which audit the options ask for, `ways` by its name; what stands alone or in the way is named."""
    from dpbench.core.validation import InvalidInput

    asked = [name for name, options in ways.items() if any(v is not None for v in options.values())]
    if len(asked) > 1:
        one, other = (next(o for o, v in ways[name].items() if v is not None) for name in asked[:2])
        raise InvalidInput(f"{other} must not stand beside {one}, got both")
    mode = asked[0] if asked else "pair"
    if sampler is None and mode in ("pair", "search", "one run"):
        raise typer.BadParameter("Missing argument.", param_hint=f"'{SAMPLER}'")
    if sampler is not None and mode in ("samples", "scores"):
        raise InvalidInput(f"{SAMPLER} must be left out beside {next(iter(ways[mode]))}, got {sampler!r}")
    for option, value in ways[mode].items():
        if value is None:
            raise typer.BadParameter("Missing option.", param_hint=f"'{option}'")
    return mode


def _check_fits(mode: str, **given: Any) -> None:
    """Refuse an option that the audit at hand does not look at."""
    from dpbench.core.validation import InvalidInput

    takes = {
        "pair": {"claim", "score", "assume", "bits", "each", "tradeoff", "max_seconds", "relation", "ignore"},
        "search": {"claim", "score", "each", "tradeoff", "max_seconds", "relation", "ignore"},
        "samples": {"claim", "score", "tradeoff", "relation", "ignore"},
        "one run": {"assume", "claim"},
        "scores": {"assume", "claim"},
    }[mode]
    for name, value in given.items():
        if value is not None and name not in takes:
            raise InvalidInput(f"--{name.replace('_', '-')} must be left out of an audit by {mode}, got {value}")
    if given["bits"]:
        for name in ("claim", "score", "assume", "max_seconds", "relation", "ignore"):
            if given[name] is not None:
                raise InvalidInput(f"--{name.replace('_', '-')} must be left out beside --bits, got {given[name]}")


def _show_frames(error: BaseException) -> None:
    """The frames of the user's own files, of what their code raised, on stderr."""
    from dpbench.cli.audit_inputs import own_frames

    frames = own_frames(error.__cause__)
    if frames:
        print(printable(f"In your own code:\n{frames}"), file=sys.stderr)


def _check_tradeoff(path: Path | None) -> None:
    from dpbench.core.validation import invalid

    if path is not None and path.suffix.lower() not in (".csv", ".pdf", ".png", ".svg"):
        raise invalid("--tradeoff", "a file that ends in .csv, .pdf, .png or .svg", str(path))
    check_writable("--tradeoff", path)


def _write_tradeoff(path: Path, result: Any) -> None:
    from dpbench.report.figures import save, save_svg
    from dpbench.report.tradeoff import tradeoff, tradeoff_table

    if path.suffix.lower() == ".csv":
        write(path, tradeoff_table(result))
    elif path.suffix.lower() == ".svg":
        with open(path, "wb") as file:
            save_svg(tradeoff(result), file)
    else:
        save(tradeoff(result), [path])


def _trials(text: str) -> int | str:
    from dpbench.core.validation import invalid

    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)  # 1e6
    except ValueError:
        number = math.nan
    if not number.is_integer():
        raise invalid("trials", "an integer or auto", text)
    return int(number)
