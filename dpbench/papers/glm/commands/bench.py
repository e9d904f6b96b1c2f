"""``dpbench bench``: algorithms on real data, against the non-private fit and the zero predictor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpbench.cli.guard import guarded, one_line, stoppable
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

if TYPE_CHECKING:
    from dpbench.papers.glm.problem import GLMProblem
    from dpbench.papers.heavytail.problem import HeavyTailedProblem

CONFIDENCE = 0.95


@guarded
def bench(
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="NAME|FILE",
            help="breast_cancer, digits, diabetes, fair, randhie, a CSV, or heavy-tailed: countymurders, airfare, "
            "401ksubs, meps",
        ),
    ] = None,
    target: Annotated[str | None, typer.Option("--target", help="CSV: column of labels", show_default=False)] = None,
    x_bound: Annotated[
        float | None,
        typer.Option("--x-bound", help="CSV: bound on the norm of a record's features", **NUMBER),
    ] = None,
    y_bound: Annotated[float | None, typer.Option("--y-bound", help="CSV: bound on a label's size", **NUMBER)] = None,
    on_excess: Annotated[
        str | None, typer.Option("--on-excess", help="CSV: error or clip, for records outside the bounds")
    ] = None,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            "--scale",
            metavar="COLUMN=LOW:HIGH|FILE",
            help="CSV: what a column can be, in place of the bounds; once a column, or a file of COLUMN,LOW,HIGH",
            show_default=False,
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            "--loss",
            help="squared, half-squared, absolute, huber, logistic, linear; default squared, or logistic for classes",
            show_default=False,
        ),
    ] = None,
    radius: Annotated[
        str | None,
        typer.Option(
            "--radius",
            help="of the domain, or several with commas; default 2, for a CSV 1",
            metavar="NUMBER[,NUMBER]...",
            show_default=False,
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm",
            metavar="NAMES",
            help="of noisy-gd, jl, output-perturbation, grid-search, boosting, with commas; heavy-tailed: "
            "exponential, clipped-subgradient, nonprivate-truncated; default all for the data",
            show_default=False,
        ),
    ] = None,
    epsilon: Annotated[str, typer.Option("--epsilon", help="numbers, separated by commas")] = "0.5,1,2",
    delta: Annotated[
        float | None, typer.Option("--delta", help="default 1e-5; heavy-tailed data take none", **NUMBER)
    ] = None,
    trials: Annotated[int, typer.Option("--trials", help="runs of each algorithm at each epsilon", **WHOLE)] = 64,
    seed: SeedOption = 0,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    json_file: JsonOption = None,
    figure: Annotated[
        Path | None, typer.Option("--figure", metavar="PREFIX", help="write PREFIX.pdf and PREFIX.png")
    ] = None,
    drawn_from: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="draw what --json wrote there; measure nothing")
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Compare algorithms on a data set by empirical risk.

    The interval is a t interval of the mean over the trials. Nothing is stored: bench always runs anew.

    dpbench bench --data diabetes --epsilon 1,10
    """
    if drawn_from is not None:
        _draw_only(drawn_from, figure, quiet)
        return
    from dpbench.core.validation import invalid

    if data is None:
        raise invalid("--data", "given", data)
    check_writable("--json", json_file)
    _check_images(figure)

    import numpy as np

    from dpbench.core.sampling import block_width
    from dpbench.papers.glm.commands.problem import problem_of, warnings_of
    from dpbench.papers.glm.comparison import compare, fit, fit_any_radius
    from dpbench.papers.heavytail import datasets as datasets_heavytail
    from dpbench.runs.progress import on_stderr

    given = {
        "target": target,
        "x_bound": x_bound,
        "y_bound": y_bound,
        "on_excess": on_excess,
        "scale": scale or [],
        "loss": loss,
    }
    radii = [None] if radius is None else parts("--radius", radius, float)
    problems = [problem_of(data, given, delta, value) for value in radii]
    if data in datasets_heavytail.SETS:
        defaults, delta = "exponential,clipped-subgradient,nonprivate-truncated", 0.0
    else:
        defaults, delta = "noisy-gd,jl,output-perturbation,grid-search,boosting", 1e-5 if delta is None else delta
    algorithms, epsilons = parts("algorithm", algorithm or defaults), parts("epsilon", epsilon, float)
    progress = on_stderr(quiet)
    runs = len(problems) * len(algorithms) * len(epsilons)
    done, total = 0, runs * -(-trials // block_width(problems[0][0]))

    def tick(_: int) -> None:
        nonlocal done
        done += 1
        progress.blocks(done, total)

    fits = [fit(problem) for problem, _ in problems]
    tables = []
    try:
        with chosen_workers(workers, scheduler) as computing, stoppable("bench", computing) as executor:
            for (problem, _), best in zip(problems, fits, strict=True):
                tables.append(
                    list(
                        compare(
                            problem,
                            best,
                            algorithms,
                            epsilons,
                            delta=delta,
                            trials=trials,
                            confidence=CONFIDENCE,
                            seed=seed,
                            workers=executor,
                            tick=tick,
                        )
                    )
                )
    finally:
        progress.close()
    free = fit_any_radius(*max(zip((problem for problem, _ in problems), fits, strict=True), key=lambda p: p[0].radius))
    documents = []
    for (problem, share), best, rows in zip(problems, fits, tables, strict=True):
        zero = problem.empirical_risk(np.zeros(problem.d)) - best.risk
        documents.append(_document(data, problem, best, zero, rows, seed))
        documents[-1] |= {
            "fit_any_radius": {"risk": free[0].risk, "gap": free[0].gap, "radius": free[1]},
            "share_outside_bounds": share,
            "warnings": warnings_of(data, share, rows, zero),
        }
    whole = documents[0] if len(documents) == 1 else {"schema": 1, "data": data, "grid": documents}
    if json_file is not None:
        write_json(json_file, whole)
    if figure is not None:
        from dpbench.papers.glm.drawings_bench import draw

        draw(whole, figure, None if is_stdout(json_file) else json_file)
    out = console(stderr=is_stdout(json_file))
    for document, best, rows in zip(documents, fits, tables, strict=True):
        for text in document["warnings"]:
            one_line(f"radius {document['radius']:g}: {text}")
        if not quiet:
            from dpbench.papers.glm.commands.tables import print_comparison

            out.print(
                f"{data}: n = {document['n']:,}, d = {document['d']}, {document['loss']} loss, "
                f"radius {document['radius']:g}"
            )
            print_comparison(rows, best, document["zero_excess"], CONFIDENCE, out)
            out.print(f"non-private fit in the widest ball tried: risk {free[0].risk:.4g} (radius {free[1]:g})")
    if not quiet and len(documents) > 1:
        from dpbench.papers.glm.commands.tables import print_radii

        print_radii(documents, out)


def _check_images(figure: Path | None) -> None:
    from dpbench.report.provenance import images

    for image in () if figure is None else images(figure):
        check_writable("--figure", image)


def _draw_only(file: Path, figure: Path | None, quiet: bool) -> None:
    """Figures of what an earlier run wrote."""
    from dpbench.core.validation import invalid
    from dpbench.papers.glm.drawings_bench import draw, read
    from dpbench.report.provenance import images

    if figure is None:
        raise invalid("--figure", "given beside --from", figure)
    _check_images(figure)
    for path in draw(read(file), figure, file):
        if not quiet:
            typer.echo("  ".join([str(images(path)[0]), images(path)[1].name]))


def _document(
    data: str, problem: GLMProblem | HeavyTailedProblem, best: Any, zero: float, rows: list[Any], seed: int
) -> dict[str, Any]:
    """What ``--json`` writes and the figure draws."""
    from dpbench.ledger.evidence import commit_now
    from dpbench.papers.glm.problem import GLMProblem
    from dpbench.runs.environment import machine, versions

    if isinstance(problem, GLMProblem):
        assumed = {"loss": problem.loss.name, "x_bound": problem.x_bound, "y_bound": problem.y_bound}
    else:
        assumed = {"loss": "absolute", "theta": problem.theta, "tau": problem.tau, "moment": problem.moment}
    return {
        "schema": 1,
        "data": data,
        "n": problem.n,
        "d": problem.d,
        **assumed,
        "radius": problem.radius,
        "digest": problem.digest,
        "fit": {"risk": best.risk, "gap": best.gap},
        "zero_excess": zero,
        "interval": f"{CONFIDENCE:.0%} t interval of the mean over the trials",
        "rows": [row.to_dict() for row in rows],
        "seed": seed,
        "commit": commit_now()[0],
        "versions": versions(),
        "machine": machine(),
    }
