"""``dpbench bench --peers``: the suite beside JAX, NumPy, jax-privacy and diffprivlib, in one run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from dpbench.cli.guard import UNEXPECTED
from dpbench.cli.options import check_writable, console, is_stdout, write_json

PARTS = ("speed", "auditors", "held-out")
EPSILONS, TRIALS = (0.5, 1.0, 2.0, 4.0), 20


def bench_peers(parts: list[str], python: str | None, json_file: Path | None, figure: Path | None, quiet: bool) -> None:
    """Measure the parts asked for, print their tables, write JSON and figures; exit 1 if a promise is missed.

    The process is held to one core.
    """
    from dpbench.core import validation
    from dpbench.runs.environment import machine, versions

    for part in parts:
        validation.choice("--peer-parts", part, PARTS)
    check_writable("--json", json_file)
    from dpbench.ledger.evidence import commit_now
    from dpbench.papers.glm import drawings_peers as shown
    from dpbench.papers.glm.drawings_bench import beside, draw
    from dpbench.report.provenance import images

    if figure is not None:
        for image in (image for part in shown.FIGURES for image in images(beside(figure, part=part))):
            check_writable("--figure", image)
    document: dict[str, Any] = {"schema": 1, "commit": commit_now()[0], "machine": machine(), "versions": versions()}
    document["parts"] = {}
    for part, make in _makers(python).items():
        if part in parts:
            rows = document["parts"][part] = []
            for row in make():
                rows.append(row)
                if not quiet:
                    print(shown.line(part, row), file=sys.stderr, flush=True)
    if json_file is not None:
        write_json(json_file, document)
    if figure is not None:
        draw(document, figure, None if is_stdout(json_file) else json_file)
    if not quiet:
        shown.print_peers(document, console(stderr=is_stdout(json_file)))
    missed = [r for r in document["parts"].get("speed", ()) if r["promised"] and r["median"] < r["promised"]]
    raise typer.Exit(UNEXPECTED if missed else 0)


def _makers(python: str | None) -> dict[str, Callable[[], Iterator[dict[str, Any]]]]:
    """What makes the rows of each part; the one that needs one core and JAX first."""

    def speed() -> Iterator[dict[str, Any]]:
        from dpbench.papers.glm.peers.speed import one_core, rows

        one_core()
        yield from rows()

    def auditors() -> Iterator[dict[str, Any]]:
        from dpbench.papers.glm.peers.auditors import measure

        for row in measure(("dpbench", "jax-privacy"), 12, 300):
            yield asdict(row)

    def held_out() -> Iterator[dict[str, Any]]:
        from dpbench.papers.glm.peers.held_out import compare

        for row in compare(EPSILONS, TRIALS, python=python):
            yield row.to_dict()

    return {"speed": speed, "auditors": auditors, "held-out": held_out}
