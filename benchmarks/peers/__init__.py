"""The suite compared with JAX, NumPy, jax-privacy and diffprivlib, in one run on one core.

    python -m benchmarks.peers [--parts speed auditors held-out] [--python FILE] [--json FILE] [--figure PREFIX]

`--python` is the interpreter of an environment with diffprivlib. With `--figure` nothing is measured: figures are drawn
of what `--json FILE` holds. Exit 1 if a promised ratio is missed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from dpbench.ledger.evidence import commit_now
from dpbench.runs.environment import machine, versions

PARTS = ("speed", "auditors", "held-out")
EPSILONS, TRIALS = (0.5, 1.0, 2.0, 4.0), 20


def main(arguments: list[str] | None = None) -> int:
    """Measure the parts asked for, print their tables and write JSON, or draw what was written."""
    from benchmarks.peers import drawings as shown
    from studies.command import draw_measured, options

    parser = options("benchmarks.peers", __doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--python", metavar="FILE", help="interpreter of an environment with diffprivlib")
    given = parser.parse_args(arguments)
    if given.figure is not None:
        draw_measured(parser, given, shown.figures)
        return 0
    if given.json is not None and not given.json.absolute().parent.is_dir():
        parser.error(f"--json must be a file in a folder that exists, got {given.json}")
    rows: dict[str, list[dict[str, Any]]] = {}
    for part, make in _makers(given.python).items():
        for row in make() if part in given.parts else ():
            rows.setdefault(part, []).append(row)
            print(shown.line(part, row), file=sys.stderr, flush=True)
    document = {"schema": 1, "commit": commit_now()[0], "machine": machine(), "versions": versions(), "parts": rows}
    if given.json is not None:
        given.json.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    shown.print_peers(document)
    return int(any(row["promised"] and row["median"] < row["promised"] for row in rows.get("speed", ())))


def _makers(python: str | None) -> dict[str, Callable[[], Iterator[dict[str, Any]]]]:
    """What makes the rows of each part; the one that needs one core and JAX first."""

    def speed() -> Iterator[dict[str, Any]]:
        from benchmarks.peers.speed import one_core, rows

        one_core()
        yield from rows()

    def auditors() -> Iterator[dict[str, Any]]:
        from benchmarks.peers.auditors import measure

        for row in measure(("dpbench", "jax-privacy"), 12, 300):
            yield asdict(row)

    def held_out() -> Iterator[dict[str, Any]]:
        from benchmarks.peers.held_out import compare

        for row in compare(EPSILONS, TRIALS, python=python):
            yield row.to_dict()

    return {"speed": speed, "auditors": auditors, "held-out": held_out}
