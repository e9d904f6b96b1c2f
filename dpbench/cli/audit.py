"""``dpbench audit`` and the commands beside it: lower bounds on the privacy loss of a user's own mechanism.

Each way to audit is a command of its own, which has the options that mean something there.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_type_hints

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
    write_json,
)
from dpbench.core.printable import printable

_ARRAY = "(.npy, .csv or .parquet)"

Sampler = Annotated[str, typer.Argument(metavar=SAMPLER, help="a callable (data, trials, rng) -> array of trials")]
Data = Annotated[str, typer.Option("--data", help="data set: .npy, .npz, .csv, .parquet, .json", metavar="FILE")]
Neighbour = Annotated[str, typer.Option("--neighbour", help="the neighbouring data set", metavar="FILE")]
Epsilon = Annotated[
    float | None, typer.Option("--epsilon", help="claimed; without it nothing is refuted", show_default=False, **NUMBER)
]
Delta = Annotated[float, typer.Option("--delta", help="claimed", **NUMBER)]
Claim = Annotated[
    str | None,
    typer.Option(
        "--claim", help="mu=1, rho=0.5, rho=0.5,delta=1e-6 or rdp=2:0.5,8:2", metavar="CLAIM", show_default=False
    ),
]
Confidence = Annotated[float, typer.Option("--confidence", help="of the lower bound", **NUMBER)]
Relation = Annotated[
    str | None,
    typer.Option("--relation", help="replace, add, remove or add_remove", metavar="RELATION", show_default=False),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", help="leave out this leaf of the outputs; repeatable", metavar="PATH", show_default=False),
]
Trials = Annotated[str, typer.Option("--trials", help="runs on each data set, or auto", metavar="RUNS")]
Each = Annotated[bool, typer.Option("--each", help="the callable makes one result a call: (data, rng) or (data)")]
Score = Annotated[
    str | None,
    typer.Option("--score", help="your own score of outputs", metavar="MODULE:SCORE", show_default=False),
]
Curve = Annotated[
    str | None,
    typer.Option("--curve", help="values of epsilon to bound delta at", metavar="E,E,...", show_default=False),
]

CLAIMED = {"epsilon": (Epsilon, None), "delta": (Delta, 0.0), "confidence": (Confidence, 0.999)}
UNIT = {"claim": (Claim, None)}
READ = {"relation": (Relation, None), "score": (Score, None), "ignore": (Ignore, None)}
SAMPLED = {"workers": (WorkersOption, None), "scheduler": (SchedulerOption, None)}
REPORTED = {
    "curve": (Curve, None),
    "seed": (SeedOption, 0),
    "json_file": (JsonOption, None),
    "quiet": (QuietOption, False),
}
"""Options that several commands share, each with its default."""


def command(*groups: dict[str, tuple[Any, Any]]) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Make a command of a function that returns a name and the audit to run, ready to be called.

    The command has the function's own arguments, the options of `groups` and those of `REPORTED`; its help page shows
    what is required first, then the claim. The function gets its own and, as `options`, those of `groups`, as the
    audits of Python take them.
    """

    def decorated(prepare: Callable[..., Any]) -> Callable[..., None]:
        @functools.wraps(prepare)
        def run(**given: Any) -> None:
            _run(prepare, **given)

        hints = get_type_hints(prepare, include_extras=True)
        own = [
            parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hints[name])
            for name, parameter in inspect.signature(prepare).parameters.items()
            if name != "options"
        ]
        required = [parameter for parameter in own if parameter.default is parameter.empty]
        optional = [parameter for parameter in own if parameter.default is not parameter.empty]
        parameters = [*required, *itertools.chain(*map(_parameters, groups)), *optional, *_parameters(REPORTED)]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return guarded(run)

    return decorated


def _parameters(options: dict[str, tuple[Any, Any]]) -> list[inspect.Parameter]:
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in options.items()
    ]


@command(CLAIMED, UNIT, READ, SAMPLED)
def audit(
    sampler: Sampler,
    data: Data,
    neighbour: Neighbour,
    trials: Trials = "1000000",
    each: Each = False,
    max_seconds: Annotated[
        float | None, typer.Option("--max-seconds", help="make fewer runs in more time", show_default=False, **NUMBER)
    ] = None,
    **options: Any,
) -> Any:
    """Bound your mechanism's privacy loss from below. Exit 1 if the claim is refuted, or the audit blind.

    dpbench audit mine:noisy_count --data a.npy --neighbour b.npy --epsilon 1
    """
    from dpbench.auditing.audit import audit as by_values

    pair = _mechanism(sampler, each), *_datasets(data, neighbour)
    return sampler, partial(by_values, *pair, trials=_trials(trials), max_seconds=max_seconds, **options)


@command(CLAIMED, SAMPLED)
def audit_bits(
    sampler: Sampler, data: Data, neighbour: Neighbour, trials: Trials = "1000000", each: Each = False, **options: Any
) -> Any:
    """Audit the last bits of outputs, not their values. Exit 1 if the claim is refuted.

    dpbench audit-bits mine:noisy_mean --data a.npy --neighbour b.npy --epsilon 1
    """
    from dpbench.auditing.bits import audit_bits as by_bits

    pair = _mechanism(sampler, each), *_datasets(data, neighbour)
    return sampler, partial(by_bits, *pair, trials=_trials(trials), **options)


@command(CLAIMED, UNIT, READ, SAMPLED)
def audit_search(
    sampler: Sampler,
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="a .json file, or records=5,low=0,high=1,nan=true")],
    trials: Annotated[int, typer.Option("--trials", help="runs on each data set", **WHOLE)] = 1_000_000,
    each: Each = False,
    seconds: Annotated[
        float | None, typer.Option("--max-seconds", help="end the proposals then", show_default=False, **NUMBER)
    ] = None,
    **options: Any,
) -> Any:
    """Search for two data sets that tell, and audit there. Exit 1 if the claim is refuted, or the audit blind.

    dpbench audit-search mine:noisy_count records=5,low=0,high=1 --epsilon 1
    """
    from dpbench.auditing.neighbours import find_neighbours

    mechanism = _mechanism(sampler, each)
    return sampler, partial(find_neighbours, mechanism, read_domain(domain), trials=trials, seconds=seconds, **options)


@command(CLAIMED, UNIT, READ)
def audit_arrays(
    outputs: Annotated[str, typer.Argument(metavar="OUTPUTS", help=f"outputs on the data set {_ARRAY}")],
    neighbour_outputs: Annotated[
        str, typer.Argument(metavar="NEIGHBOUR_OUTPUTS", help=f"and on the neighbour {_ARRAY}")
    ],
    **options: Any,
) -> Any:
    """Audit outputs that are drawn already. Each row is an independent run. Exit 1 if the claim is refuted.

    dpbench audit-arrays a_runs.npy b_runs.npy --epsilon 1
    """
    from dpbench.auditing.audit import audit_samples
    from dpbench.cli.audit_arrays import read_pair

    pair = read_pair(("OUTPUTS", outputs), ("NEIGHBOUR_OUTPUTS", neighbour_outputs))
    return "arrays", partial(audit_samples, *pair, **options)


@command(CLAIMED, UNIT)
def audit_one_run(
    run: Annotated[str, typer.Argument(metavar=SAMPLER, help="a callable (included, rng) -> scores of the canaries")],
    canaries: Annotated[int, typer.Option("--canaries", help="how many, each in the data by a fair coin", **WHOLE)],
    **options: Any,
) -> Any:
    """Audit one run of your training with many canaries. Exit 1 if the claim is refuted.

    dpbench audit-one-run mine:train --canaries 1000 --epsilon 1 --delta 1e-5
    """
    from dpbench.auditing.one_run import audit_one_run as by_canaries

    training = import_callable(run, SAMPLER, "a callable (included, rng) -> scores")
    return run, partial(by_canaries, training, canaries, **options)


@command(CLAIMED, UNIT)
def audit_scores(
    included: Annotated[str, typer.Argument(metavar="INCLUDED", help=f"which canaries were in the data {_ARRAY}")],
    scores: Annotated[str, typer.Argument(metavar="SCORES", help=f"the scores of all canaries {_ARRAY}")],
    **options: Any,
) -> Any:
    """Audit one run by the scores of its canaries. Exit 1 if the claim is refuted.

    dpbench audit-scores coins.npy scores.npy --epsilon 1 --delta 1e-5
    """
    from dpbench.auditing.one_run import audit_one_run_scores
    from dpbench.cli.audit_arrays import read_array

    arrays = read_array("INCLUDED", included), read_array("SCORES", scores)
    return "scores", partial(audit_one_run_scores, *arrays, **options)


def _mechanism(sampler: str, each: bool) -> Any:
    from dpbench.auditing.samplers import each as by_calls

    function = import_callable(sampler)
    return by_calls(function) if each else function


def _datasets(data: str, neighbour: str) -> tuple[Any, Any]:
    from dpbench.cli.audit_arrays import read_dataset

    return read_dataset("--data", data), read_dataset("--neighbour", neighbour)


def _as_taken(options: dict[str, Any]) -> dict[str, Any]:
    """Options as the audits of Python take them."""
    taken = dict(options)
    if options.get("claim") is not None:
        taken["claim"] = read_claim(options["claim"])
    if options.get("score") is not None:
        taken["score"] = import_callable(options["score"], "--score", "a callable (outputs) -> scores")
    if "ignore" in options:
        taken["ignore"] = tuple(options["ignore"] or ())
    return taken


def _epsilons(curve: str) -> list[float]:
    from dpbench.core.validation import real

    return [real("--curve", epsilon, at_least=0.0) for epsilon in parts("--curve", curve, float)]


def _run(
    prepare: Callable[..., Any],
    *,
    curve: str | None,
    json_file: Path | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Run an audit, write and print its result, and end with its code. Files are checked before the run."""
    check_writable("--json", json_file)
    epsilons = None if curve is None else _epsilons(curve)
    from dpbench.core.validation import InvalidInput
    from dpbench.runs.progress import on_stderr

    progress, sampled = on_stderr(quiet), "workers" in options
    workers, scheduler = options.pop("workers", 1), options.pop("scheduler", None)
    try:
        with chosen_workers(workers, scheduler) as computing, stoppable("an audit", computing) as executor:
            name, measure = prepare(**_as_taken(options))
            result = measure(**({"workers": executor, "progress": progress.blocks} if sampled else {}))
    except InvalidInput as error:
        _show_frames(error)
        raise
    finally:
        progress.close()
    bounds = None if epsilons is None else result.curve(epsilons).tolist()
    if json_file is not None:
        more = {} if epsilons is None else {"curve": {"epsilon": epsilons, "delta": bounds}}
        write_json(json_file, {"schema": 1, **result.to_dict(), **more})
    if not quiet:
        from dpbench.report.tables import print_audit

        print_audit(name, result, console(stderr=is_stdout(json_file)), epsilons, bounds)
    raise typer.Exit(UNEXPECTED if result.verdict in ("refuted", "blind") else 0)


def _show_frames(error: BaseException) -> None:
    """The frames of the user's own files, of what their code raised, on stderr."""
    from dpbench.cli.audit_inputs import own_frames

    frames = own_frames(error.__cause__)
    if frames:
        print(printable(f"In your own code:\n{frames}"), file=sys.stderr)


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
