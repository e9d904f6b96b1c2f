"""The figures of ``dpbench bench``, from the document that its ``--json`` writes: algorithms on one data set over ε."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from dpbench.core.validation import InvalidInput, invalid
from dpbench.report.figures import DASHED, GREY, log_ticks, new_axes, power, styled
from dpbench.report.provenance import draw_file

MUST_BE = "a file that `dpbench bench --json` wrote"


def read(path: Path) -> dict[str, Any]:
    """The document in a file.

    Raises
    ------
    InvalidInput
        If the file is not what ``dpbench bench --json`` writes.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise invalid("--from", f"{MUST_BE} ({error.strerror})", str(path)) from error
    except ValueError as error:
        raise invalid("--from", f"{MUST_BE} (it is not JSON)", str(path)) from error
    if not isinstance(document, dict) or not document.keys() & {"rows", "grid"}:
        raise invalid("--from", MUST_BE, str(path))
    return document


def beside(prefix: Path, radius: float | None = None) -> Path:
    """A figure's path without its ending: PREFIX, of one of several radii PREFIX_radiusR."""
    return prefix if radius is None else prefix.with_name(f"{prefix.name}_radius{radius:g}")


def draw(document: Mapping[str, Any], prefix: Path, file: Path | None) -> list[Path]:
    """Draw every figure of a document, and say beside each what it was made from.

    Parameters
    ----------
    document : mapping
        What ``--json`` writes.
    prefix : Path
        Of the files.
    file : Path, optional
        That holds the document, for what is said beside the figures.

    Returns
    -------
    list of Path
        The figures, without their endings.

    Raises
    ------
    InvalidInput
        If the document lacks what the figures need.
    """
    paths = []
    source = f"--data {document.get('data')}" if file is None else f"--from {file.name}"
    command = f"dpbench bench {source} --figure {prefix.name}"
    try:
        several = document.get("grid", [document])
        for one in several:
            path = beside(prefix, one["radius"] if len(several) > 1 else None)
            draw_file(functools.partial(comparison, one), path, _said(one), one, command)
            paths.append(path)
    except InvalidInput:
        raise
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise invalid("--from", MUST_BE, f"one where {type(error).__name__}: {error}") from error
    return paths


def _said(document: Mapping[str, Any]) -> str:
    return (
        f"Empirical excess risk over ε on {Path(document['data']).stem} (n = {document['n']:,}, d = {document['d']}, "
        f"{document['loss']} loss, radius {document['radius']:g}), beside the zero predictor."
    )


_WORDS = {
    "exponential": "exponential mechanism",
    "nonprivate": "not private",
    "nonprivate-truncated": "not private (truncated)",
}
"""What the legend calls an algorithm, where its name does not say it."""


@styled
def comparison(document: Mapping[str, Any]) -> Figure:
    """Empirical excess risk of each algorithm over ε, beside the zero predictor: the document of `bench`."""
    rows, zero = document["rows"], document["zero_excess"]
    figure, axes = new_axes()
    axes.set(xscale="log", xlabel=r"$\varepsilon$", ylabel="empirical excess risk")
    names = list(dict.fromkeys(row["algorithm"] for row in rows))
    epsilons = sorted({row["epsilon"] for row in rows})
    for place, (name, marker) in enumerate(zip(names, "osD^v", strict=False)):
        mine = sorted((row for row in rows if row["algorithm"] == name), key=lambda row: row["epsilon"])
        centre, low = (np.array([row[key] for row in mine]) for key in ("excess", "low"))
        aside = 1.02 ** (place - (len(names) - 1) / 2)  # so that intervals do not hide each other
        where = [row["epsilon"] * aside for row in mine]
        label = _WORDS.get(name, name.replace("-", " "))
        axes.errorbar(where, centre, centre - low, marker=marker, capsize=2, elinewidth=0.9, label=label)
    axes.axhline(zero, color="black", ls=DASHED, lw=1.0, label="predict 0")
    if zero > 0.0 and min(row["low"] for row in rows) > 0.0:
        axes.set_yscale("log")
        log_ticks(axes.yaxis)
    else:
        axes.axhline(0.0, color=GREY, lw=0.6)
    axes.set_xticks(epsilons, [f"{e:g}" for e in epsilons])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(epsilons[0] / 1.15, epsilons[-1] * 1.15)
    data = Path(document["data"]).stem.replace("$", r"\$")
    axes.set_title(
        f"{data}: n = {document['n']:,}, d = {document['d']}, {document['loss']} loss\n"
        rf"$\delta$ = {power(rows[0]['delta'])}, mean of {rows[0]['trials']} runs, 95% t intervals",
        loc="left",
    )
    figure.legend(loc="outside lower center", ncols=2)
    return figure
