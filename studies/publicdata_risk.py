"""``python -m studies.publicdata_risk``: excess risk of Algorithms 2 to 5 over n, σ, m and ε, beside plain ERM.

One learning problem for all: thresholds under |f − y|/2, y = 1 with probability 1/2 + 0.4q, q from −1 to 1 along ν.
ν is μ on the share σ of [0, 1] around the boundary, so the task is the same for every σ and only the public points
miss it. Algorithm 3 needs a convex class and has the monotone functions, which are mixtures of thresholds with the same
least risk; Algorithm 5 needs an identification set and has the cells of the population, whatever σ and m are.

All runs are private, by the exact calibration. At `BASE` η, m and J are chosen by trial on the population, not with
the theorems' constants: what those ask for is a table of the command (Algorithm 2: 1.8e13 records and 3.6e8 oracle
calls at α = 0.1 and σ = 1). From there they follow α over n as the theorems say; over σ, m and ε all else is fixed.

Means over data sets, 8 outputs on each, with 95% t intervals over the data sets, which are independent of one another
also between points and algorithms (a point that several axes share is measured once). Some ten minutes on one core;
finished data sets are kept in `.dpbench/runs.sqlite`, and the same command goes on from there.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from scipy.stats import t as student

from dpbench.cli.options import DEFAULT_STORE
from dpbench.papers.publicdata import theory_settings
from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.algorithms.rspm import RSPM
from dpbench.papers.publicdata.drawings_risk import risk_of_rspm, risks
from dpbench.papers.publicdata.losses import LIPSCHITZ
from dpbench.papers.publicdata.theorems.sweeps import BETA, DELTA, EPSILON, Drawn, EmpiricalRiskMinimizer
from dpbench.rates.slopes import slope, theory_slope
from dpbench.rates.sweeps import Point, sweep
from dpbench.runs.context import RunContext
from dpbench.runs.progress import on_stderr
from studies.cells import HALVINGS, OnCells, population
from studies.command import Measured, command

OUTPUTS, LEVEL, LATE = 8, 0.05, 10_000
BASE = {"n": 100_000, "sigma": 1.0, "m": 64, "epsilon": EPSILON}
GRIDS: dict[str, tuple[float, ...]] = {
    "n": (1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000),
    "sigma": tuple(0.5**k for k in range(HALVINGS + 1)),
    "m": (8, 16, 32, 64, 128, 256),
    "epsilon": (0.1, 0.3, 1.0, 3.0, 10.0),
}
CALLS = 4000
"""J at the base."""

POWERS = {"Algorithm 2": 14.0, "Algorithm 3": 5.0, "Algorithm 4": 5.0}
"""k of α = n^{−1/k}: (129), (131), (20)."""

DATA_SETS = {"Algorithm 2": 24, "Algorithm 3": 48, "Algorithm 4": 48, "Algorithm 5": 48, "ERM": 48}


def setting(name: str, axis: str, x: float) -> Point:
    """An algorithm at one point of one axis, at `BASE` on the others."""
    at = {**BASE, axis: x}
    n, sigma, m, epsilon = int(at["n"]), float(at["sigma"]), int(at["m"]), float(at["epsilon"])
    alpha = (n / BASE["n"]) ** (-1.0 / POWERS[name]) if name in POWERS else 1.0  # over that at the base
    m = math.ceil(m * alpha**-2.0)
    made = population(sigma)
    if name == "Algorithm 2":
        mechanism: Any = AveragedPerturbation(
            epsilon, DELTA, calls=math.ceil(CALLS * alpha**-8.0), perturbation=0.1 * alpha
        )
    elif name == "Algorithm 3":
        made = population(sigma, "hull")
        mechanism = RegularizedPerturbation(epsilon, DELTA, regularization=0.02 * alpha)
    elif name == "Algorithm 4":
        mechanism = RRSPM(epsilon)
    elif name == "Algorithm 5":
        made = population(sigma, "table")
        mechanism = OnCells(RSPM(epsilon), len(made.points))
    else:
        mechanism = EmpiricalRiskMinimizer()
    return Point(Drawn(made, m), n, mechanism)


def constant() -> float:
    """Excess risk of the better of the two constant predictors: the same for every σ."""
    return float(population(1.0).excess_risk([[-math.inf], [math.inf]]).min())


def bound(n: float) -> float:
    """Algorithm 5, save with probability 2β: Lemma 23 for m cells, twice Hoeffding's deviation over m + 1 functions.

    Above 1 for n below about 4e5, where it says nothing.
    """
    m = len(population(1.0).points)
    noise = 4.0 * m**2 * math.log(m / BETA) / (EPSILON * n)
    return noise + 2.0 * math.sqrt(math.log(2.0 * (m + 1) / BETA) / (2.0 * n))


def proven(name: str, sizes: tuple[float, ...]) -> list[float] | None:
    """What is proven over n, up to a constant: α, or for Algorithm 5 `bound`; None for ERM."""
    if name == "Algorithm 5":
        return [bound(n) for n in sizes]
    return [n ** (-1.0 / POWERS[name]) for n in sizes] if name in POWERS else None


def row(name: str, axis: str, x: float, excesses: np.ndarray) -> dict[str, Any]:
    """One point: its setting, the mean over data sets and its interval."""
    at = setting(name, axis, x)
    mean, error = float(excesses.mean()), float(excesses.std(ddof=1)) / math.sqrt(excesses.size)
    reach = float(student.isf(0.5 * LEVEL, excesses.size - 1)) * error
    mechanism = at.mechanism
    return {
        "algorithm": name, "axis": axis, "x": x, "n": at.n, "m": at.population.m,
        "sigma": at.population.population.smoothness,
        "epsilon": {**BASE, axis: x}["epsilon"],
        "calls": getattr(mechanism, "calls", None),
        "eta": getattr(mechanism, "perturbation", getattr(mechanism, "regularization", None)),
        "data sets": excesses.size, "mean": mean, "error": error, "low": mean - reach, "high": mean + reach,
    }  # fmt: skip


def fitted(name: str, sizes: tuple[float, ...], samples: list[np.ndarray]) -> dict[str, Any]:
    """Slopes over all n and over those from `LATE` on, with intervals, beside that of what is proven.

    None where a mean is 0, or where there are fewer than two n.
    """
    theory = proven(name, sizes)
    fits = []
    for least in (0, LATE):
        part = [(n, sample) for n, sample in zip(sizes, samples, strict=True) if n >= least]
        known = len(part) > 1 and all(sample.mean() > 0.0 for _, sample in part)
        fit = slope(*map(list, zip(*part, strict=True)), level=LEVEL) if known else None
        fits.append({"value": fit and fit.value, "interval": fit and list(fit.interval)})
    return {
        "algorithm": name,
        **fits[0],
        "late": fits[1],
        "theory": theory,
        "proven": None if theory is None else theory_slope(sizes, theory),
    }


def prescribed(alpha: float = 0.1) -> Iterator[dict[str, Any]]:
    """n, m and J that the theorems ask for to reach α, every constant and logarithm that they leave open taken as 1."""
    lipschitz = LIPSCHITZ["absolute"]
    for sigma in (1.0, 1.0 / 16.0):
        at = (EPSILON, DELTA, alpha, BETA, 1.0, sigma, lipschitz)
        found: tuple[tuple[str, Any], ...] = (
            ("Algorithm 2", theory_settings.theorem6(*at)),
            ("Algorithm 3", theory_settings.theorem7(*at)),
            ("Algorithm 4", theory_settings.theorem10(EPSILON, alpha, BETA, 1.0, sigma)),
        )
        for name, made in found:
            calls = getattr(made, "calls", None)
            yield {"algorithm": name, "alpha": alpha, "sigma": sigma, "n": made.n, "m": made.m, "calls": calls}


def document(
    grids: Mapping[str, tuple[float, ...]] = GRIDS, sets: Mapping[str, int] = DATA_SETS, *, store: Path | None = None
) -> dict[str, Any]:
    """Every algorithm at every point of every axis; data sets that `store` holds are not run again."""
    progress = on_stderr()
    asked = [(name, axis, x) for axis, grid in grids.items() for x in grid for name in sets]
    kept: dict[tuple[Any, ...], np.ndarray] = {}
    rows: list[dict[str, Any]] = []
    slopes: list[dict[str, Any]] = []
    try:
        with RunContext(level="full", seed=0, workers=1, store=store) as context:
            for name, axis, x in asked:
                progress.blocks(len(rows), len(asked))
                made = setting(name, axis, x)
                key = name, made
                if key not in kept:
                    (kept[key],) = sweep([made], sets[name], repeats=OUTPUTS, map_blocks=context.map)
                rows.append(row(name, axis, x, kept[key]))
    finally:
        progress.close()
    for name in sets:
        samples = [kept[name, setting(name, "n", x)] for x in grids["n"]]
        slopes.append(fitted(name, grids["n"], samples))
    return {
        "base": {**BASE, "delta": DELTA}, "outputs": OUTPUTS, "level": LEVEL, "late": LATE,
        "constant predictor": constant(),
        "rows": rows, "slopes": slopes, "prescribed": list(prescribed()),
        "cells": len(population(1.0).points),
    }  # fmt: skip


def tables(document: Mapping[str, Any]) -> Iterator[Table]:
    """Means with their intervals, slopes over n, and what the theorems ask for."""
    names = list(dict.fromkeys(row["algorithm"] for row in document["rows"]))
    title = f"excess risk; a constant predictor has {document['constant predictor']:.4g}"
    means = Table("axis", "at", *names, title=title)
    for axis, x in dict.fromkeys((row["axis"], row["x"]) for row in document["rows"]):
        here = {row["algorithm"]: row for row in document["rows"] if (row["axis"], row["x"]) == (axis, x)}
        cells = (f"{r['mean']:.3g} [{r['low']:.3g}, {r['high']:.3g}]" for r in (here[name] for name in names))
        means.add_row(axis, f"{x:.4g}", *cells)
    rates = Table("algorithm", "slope over n", f"from n = {document['late']:,}", "proven")
    for item in document["slopes"]:
        said = (
            "" if fit["value"] is None else "{:.3f} [{:.3f}, {:.3f}]".format(fit["value"], *fit["interval"])
            for fit in (item, item["late"])
        )  # fmt: skip
        rates.add_row(item["algorithm"], *said, "" if item["proven"] is None else f"{item['proven']:.3f}")
    asked = Table("algorithm", "alpha", "sigma", "n", "m", "J", title="what the theorems ask for, constants 1")
    for item in document["prescribed"]:
        calls = "" if item["calls"] is None else f"{item['calls']:.2g}"
        sizes = f"{item['n']:.2g}", f"{item['m']:.2g}", calls
        asked.add_row(item["algorithm"], f"{item['alpha']:g}", f"{item['sigma']:g}", *sizes)
    yield from (means, rates, asked)


def measured() -> Measured:
    """The document with its tables; nothing is promised."""
    rows = document(store=DEFAULT_STORE)
    return rows, tables(rows), True


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    slopes = "Slopes are over all n shown; at small n they may be slower than what is proven."
    drawings = {
        "_all": (
            risks,
            f"Excess risk of Algorithms 2 to 5 with public data over n, σ, m and ε, and of ERM. {slopes}",
        ),
        "_alg5": (risk_of_rspm, f"Excess risk of Algorithm 5 with public data, and of ERM. {slopes}"),
    }
    return command("studies.publicdata_risk", __doc__, arguments, measured, drawings, "publicdata",
                   evidence="publicdata_risk.json")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
