"""Floor, ceiling and measured risk over a grid, for any family and mechanism."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.sampling import stream
from dpbench.core.validation import invalid
from lowerbounds._toolkit import Floor
from lowerbounds.instances import HardFamily

Mechanism = Callable[[Any, int, np.random.Generator], Any]


def measured_risk(
    mechanism: Mechanism,
    floor: Floor | HardFamily,
    *,
    draws: int = 200,
    trials: int = 1,
    seed: int = 0,
    problem: Callable[[Any], Any] | None = None,
) -> tuple[float, float]:
    """The risk of a mechanism, in the mean over the members of a family, and its standard error.

    `Floor.value` and `HardFamily.mean_floor` are lower bounds on it.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(dataset, trials, rng) -> array (trials, ...)``.
    floor : Floor or HardFamily
    draws : int
        Members drawn from the prior, each with data of its own; or, where a `HardFamily` lists its members, runs of
        each.
    trials : int
        Runs on each data set.
    seed : int
    problem : callable, optional
        Makes what the mechanism takes from a data set.
    """
    if not isinstance(floor, (Floor, HardFamily)):
        raise invalid("floor", "a Floor of a builder or a HardFamily", floor)
    draws, trials = validation.integer("draws", draws, at_least=2), validation.integer("trials", trials, at_least=1)
    risks = np.empty(draws)
    for t in range(draws):
        rng = stream(seed, "frontier", floor.family.name if isinstance(floor, Floor) else floor.name, t)
        risks[t] = _one(mechanism, floor, trials, rng, problem)
    return float(risks.mean()), float(risks.std(ddof=1)) / math.sqrt(draws)


def _one(mechanism: Mechanism, floor: Floor | HardFamily, trials: int, rng: np.random.Generator, problem: Any) -> float:
    """The mean loss of `trials` runs, on one member's data; or the mean over all members."""
    members: Sequence[Any]
    if isinstance(floor, Floor):
        members, draw, loss = (floor.family.sample(rng),), floor.family.draw, floor.family.loss
    else:
        members, draw, loss = floor.enumerated or (floor.members(rng),), floor.instances, floor.excess
    total = 0.0
    for member in members:
        data = draw(member, rng)
        outputs = np.asarray(mechanism(data if problem is None else problem(data), trials, rng), dtype=np.float64)
        total += float(np.mean(loss(member, outputs.reshape(trials, -1))))
    return total / len(members)


def frontier(
    ax: Any,
    build: Callable[[float], Floor | HardFamily],
    grid: Sequence[float],
    mechanisms: Mapping[str, Callable[[float], Mechanism]],
    *,
    ceiling: Callable[[float], float] | None = None,
    axis: str = "n",
    draws: int = 200,
    trials: int = 1,
    seed: int = 0,
    problem: Callable[[Any], Any] | None = None,
) -> dict[str, list[float]]:
    """Draw what is possible: the floor, the measured risk of mechanisms with two standard errors, and a ceiling.

    Parameters
    ----------
    ax : matplotlib Axes
    build : callable
        ``build(x)``: the floor or the hard family at a point of the grid.
    grid : sequence of float
        Positive; both axes are logarithmic.
    mechanisms : mapping
        Name → ``make(x)``, the mechanism at a point of the grid.
    ceiling : callable, optional
        ``ceiling(x)``: an upper bound of a theorem on the risk on one data set.
    axis : str
        Label of the grid.
    draws, trials, seed, problem
        As in `measured_risk`.

    Returns
    -------
    dict
        The numbers drawn: the axis, "floor", "ceiling", and for each mechanism its risk and "NAME standard error". All
        are of one risk, in the mean over the members: of a `HardFamily` the floor is its `mean_floor`.
    """
    points = validation.array("grid", grid, ndim=1, min_length=1)
    if points.min() <= 0.0:
        raise invalid("grid", "positive numbers", grid)
    floors = [build(float(x)) for x in points]
    series: dict[str, list[float]] = {axis: points.tolist()}
    series["floor"] = [floor.value if isinstance(floor, Floor) else floor.mean_floor for floor in floors]
    for name, make in mechanisms.items():
        runs = [
            measured_risk(make(float(x)), floor, draws=draws, trials=trials, seed=seed, problem=problem)
            for x, floor in zip(points, floors, strict=True)
        ]
        series[name] = [mean for mean, _ in runs]
        series[f"{name} standard error"] = [error for _, error in runs]
        errors = 2.0 * np.array(series[f"{name} standard error"])
        ax.errorbar(points, series[name], yerr=errors, marker="o", markersize=3.5, linewidth=1.2, capsize=2, label=name)
    if ceiling is not None:
        series["ceiling"] = [float(ceiling(float(x))) for x in points]
        ax.plot(points, series["ceiling"], color="0.35", linestyle="--", linewidth=1.0, label="ceiling")
    ax.plot(points, series["floor"], color="black", linewidth=1.4, label="floor")
    drawn = [value for name, values in series.items() if name != axis and "error" not in name for value in values]
    ax.fill_between(points, series["floor"], 0.5 * min(v for v in drawn if v > 0.0), color="0.9", linewidth=0.0)
    ax.set(xscale="log", yscale="log", xlabel=axis, ylabel="risk")
    ax.legend(frameon=False, fontsize="small")
    return series
