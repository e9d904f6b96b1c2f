"""The problems of ``dpbench bench``: a named set with its declared bounds, or a file with the user's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.papers.glm.problem import GLMProblem
    from dpbench.papers.heavytail.problem import HeavyTailedProblem


def problem_of(data: str, given: dict[str, Any], delta: float | None, radius: float | None) -> tuple[Any, float]:
    """The problem, and the share of its records that lie outside the bounds declared for a file.

    `given` has what the user said of each option of a file: target, x_bound, y_bound, on_excess, scale, loss.
    """
    from dpbench.papers.heavytail import datasets as datasets_heavytail

    if data in datasets_heavytail.SETS:
        return _heavy_tailed(data, {**given, "delta": delta}, radius), 0.0
    return _table(data, given, radius)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def _table(data: str, given: dict[str, Any], radius: float | None) -> tuple[GLMProblem, float]:
    """A named set, or a file."""
    from dpbench.core.validation import did_you_mean, invalid
    from dpbench.papers.glm import datasets, scaling
    from dpbench.papers.heavytail import datasets as datasets_heavytail

    named, loss = data in datasets.SETS, given["loss"]
    if not named and not Path(data).suffix and not Path(data).exists():
        known = [*datasets.SETS, *datasets_heavytail.SETS]
        raise invalid("--data", f"a CSV file or one of {', '.join(known)}{did_you_mean(data, known)}", data)
    if named:
        for name, value in given.items():
            if name != "loss" and value:
                raise invalid(_option(name), f"left out for {data}, whose bounds are declared", value)
        return datasets.load(data, loss=loss, radius=2.0 if radius is None else radius), 0.0
    target, loss, size = given["target"], loss or "squared", 1.0 if radius is None else radius
    must_be = "given for a CSV file: bounds are declared, never computed from the records"
    if target is None:
        raise invalid("--target", must_be, target)
    if given["scale"]:
        for name in ("x_bound", "y_bound", "on_excess"):
            if given[name] is not None:
                raise invalid(_option(name), "left out beside --scale, which bounds each column", given[name])
        return scaling.from_csv_scaled(data, target, columns(given["scale"]), loss, size)
    for name in ("x_bound", "y_bound"):
        if given[name] is None:
            raise invalid(_option(name), f"{must_be} (or --scale for each column)", given[name])
    bounds = given["x_bound"], given["y_bound"]
    on_excess = given["on_excess"] or "error"
    problem = datasets.from_csv(data, target, *bounds, loss, size, on_excess=on_excess)
    return problem, scaling.share_outside(data, target, *bounds, loss) if on_excess == "clip" else 0.0


def columns(given: list[str]) -> dict[str, tuple[float, float]]:
    """Bounds of columns from COLUMN=LOW:HIGH, or from files with a line COLUMN,LOW,HIGH for each column."""
    from dpbench.core.validation import invalid

    positions = {}
    for text in given:
        name, sign, ends = text.rpartition("=")
        try:
            lines = [(name, *ends.split(":"))] if sign else _lines(Path(text))
            positions.update({column: (float(low), float(high)) for column, low, high in lines})
        except (ValueError, OSError) as error:
            must_be = f"COLUMN=LOW:HIGH, or a file with lines COLUMN,LOW,HIGH ({error})"
            raise invalid("--scale", must_be, text) from None
    return positions


def _lines(path: Path) -> list[tuple[str, ...]]:
    import csv

    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = [tuple(cell.strip() for cell in row) for row in csv.reader(file) if row]
    return rows[1:] if rows and rows[0] == ("column", "low", "high") else rows


def _heavy_tailed(data: str, given: dict[str, Any], radius: float | None) -> HeavyTailedProblem:
    """A named heavy-tailed set: absolute loss, no bounds, no δ."""
    from dpbench.core.validation import invalid
    from dpbench.papers.heavytail import datasets as datasets_heavytail

    for name, value in given.items():
        if value is not None and value != []:
            raise invalid(_option(name), f"left out for {data}: absolute loss, no bounds, epsilon-DP", value)
    return datasets_heavytail.load(data, radius=2.0 if radius is None else radius)


def warnings_of(data: str, share: float, rows: list[Any], zero: float) -> list[str]:
    """What makes a comparison say less than it seems to: records cut by the bounds, answers that never change.

    `zero` is the excess risk of the zero predictor.
    """
    said = []
    if share > 0.5:
        said.append(
            f"{share:.0%} of the records of {data} lie outside the bounds and are cut: the excess risks are those of "
            "the cut data; declare the bounds that the columns have (--scale COLUMN=LOW:HIGH)"
        )
    same: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.constant:
            answer = "that of the zero predictor" if abs(row.excess - zero) <= 1e-12 * abs(zero) else "not zero's"
            same.setdefault((row.algorithm, answer), []).append(f"{row.epsilon:g}")
    for (name, answer), epsilons in same.items():
        said.append(f"{name} has one risk in all trials at epsilon {', '.join(epsilons)}, {answer}")
    return said
