"""Theorems 1 and 2 of the heavy-tailed paper, rates: in n on the law hidden by truncation, in d on Student's t designs.

No law is known on which the excess falls more slowly in n than on `HiddenLaw`, and none where it grows faster with d
than on these designs: over d, noise-free responses attain the exponent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import sampled
from dpbench.ledger.measurement import Context, Rows
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.exponential import ExponentialMechanism
from dpbench.papers.heavytail.populations import HeavyTailedPopulation
from dpbench.papers.heavytail.tails import Tail
from dpbench.papers.heavytail.theorems import paper
from dpbench.papers.heavytail.theorems.hidden import HiddenLaw
from dpbench.papers.heavytail.theorems.sharp import exact_sweep
from dpbench.rates.sweeps import Point

EPSILON = 1.0
FAILURE = 0.05
_BLOCK = 4  # data sets
_MEAN = (
    "The mean bounds no quantile; median and 0.95-quantile stand in the series, and the entries n.quantile judge "
    "quantiles."
)
_HARD = (
    "Excess population risk, exact, of the mechanism with the corrected weight and iota on a law for each n whose rare "
    "records truncation hides, that of the entries reached: its bias is of the order of the bound with its logarithms, "
    "so that the exponent is attained. "
) + _MEAN
_UPPER = (
    "Mean excess population risk, exact by quadrature, of the mechanism with the corrected weight and iota on "
    "Student's t designs with 0.2 more degrees of freedom than theta; the moment bound is attained. Such laws are far "
    "from the bound: the entries reached say how near one can come. "
) + _MEAN
_ORDERS = {"": (1, 2.0), ".theta-175": (2, 1.75), ".theta-150": (2, 1.5), ".theta-125": (2, 1.25)}
"""Last part of an id: theorem and θ."""


def in_n(context: Context, theta: float, moment: str) -> Rows:
    """The slope in n at d = 2, on the law that the ι of each n hides."""
    grid = context.pick(quick=(250, 2500, 25_000), full=(1000, 3162, 10_000, 31_623))
    points, repeats = _hidden(grid, theta, moment), 96
    for point, part in zip(points, outputs(context, points, 32, repeats), strict=True):
        yield {"n": float(point.n)} | _row(part, theory_at(point.n, point.population))
    return f"d = 2, epsilon = {EPSILON:g}, net at zeta = 1/n; {repeats} outputs a data set, excess risk in closed form"


def in_d(context: Context, theta: float, moment: str, axes: bool) -> Rows:
    """The slope in d at a fixed n, y = ⟨x, w*⟩: noise in y would only add an error that averages out.

    Where the records lie on the axes the mean over the outputs is exact.
    """
    mechanism = ExponentialMechanism(EPSILON)
    n = context.pick(quick=20_000 if axes else 500, full=100_000 if axes else 2000)
    n *= 3 if theta < 2.0 else 1
    grid = context.pick(quick=(1, 4), full=(1, 2, 3, 4, 5))
    populations = [_population(theta, moment, d, noisy=False, axes=axes) for d in grid]
    if axes:
        count = context.pick(quick=8, full=16)
        samples = [exact_sweep(context, population, n, mechanism, count)[:, None] for population in populations]
        how = "each data set gives the exact mean over the mechanism's outputs"
    else:
        repeats = 160
        samples = outputs(context, [Point(population, n, mechanism) for population in populations], 24, repeats)
        how = f"{repeats} outputs a data set"
    for d, population, part in zip(grid, populations, samples, strict=True):
        yield {"d": float(d)} | _row(part, theory_at(n, population))
    return f"n = {n:,}, epsilon = {EPSILON:g}, net at zeta = 1/n; {how}"


def quantile(context: Context, theta: float) -> Rows:
    """The slope in n of the (1 − η)-quantile over data and mechanism, on the design of `in_n`."""
    grid, count, repeats = context.pick(quick=(250, 2500, 25_000), full=(1000, 4000, 16_000)), 32, 128
    points = _hidden(grid, theta, "norm")
    for point, part in zip(points, outputs(context, points, count, repeats), strict=True):
        yield {"n": float(point.n), "samples": quantile_values(part, FAILURE),
               "ceiling": theory_at(point.n, point.population)}  # fmt: skip
    return (
        f"what is measured is the {1.0 - FAILURE:g}-quantile over data and mechanism, in place of the mean",
        f"d = 2, epsilon = {EPSILON:g}, net at zeta = 1/n; {count} data sets with {repeats} outputs each; the interval "
        "is that of the quantile's linearisation, one number a data set",
    )


def _hidden(grid: Sequence[int], theta: float, moment: str) -> list[Point]:
    """The mechanism at each n, d = 2, on the law that its ι hides."""
    mechanism = ExponentialMechanism(EPSILON)
    return [Point(HiddenLaw(n, 2, EPSILON, FAILURE, theta, moment), n, mechanism) for n in grid]


def quantile_values(part: np.ndarray, failure: float) -> np.ndarray:
    """One number a row of `part`, shape (data sets, outputs): their mean is the (1 − η)-quantile q of all outputs.

    To first order the quantile of all outputs is the mean of q + (share of the row above q − η)/density(q); the
    density is that between the quantiles at 1 − 3η/2 and 1 − η/2.
    """
    low, q, high = np.quantile(part, 1.0 - failure * np.array([1.5, 1.0, 0.5]))
    shares = (part > q).mean(axis=1)
    return q + (shares - shares.mean()) * (high - low) / failure


def outputs(context: Context, points: list[Point], count: int, repeats: int) -> list[np.ndarray]:
    """Excess risks at each point, shape (data sets, outputs a data set)."""
    blocks = -(-count // _BLOCK)
    return [np.concatenate(sampled(context, _block, point, repeats, blocks=blocks))[:count] for point in points]


def _block(point: Point, repeats: int, seed: int, block: int) -> np.ndarray:
    rows = []
    for trial in range(block * _BLOCK, (block + 1) * _BLOCK):
        rng = stream(seed, "heavytail.rates", point.mechanism, point.population, point.n, trial)
        made = point.mechanism(point.population.draw(point.n, rng), repeats, rng)
        rows.append(point.population.excess_risk(made))
    return np.array(rows)


def _population(
    theta: float, moment: str, d: int, *, noisy: bool = True, axes: bool | None = None
) -> HeavyTailedPopulation:
    law = Tail("student", theta + 0.2)
    return HeavyTailedPopulation.unit(
        law, np.full(d, 0.5 / math.sqrt(d)), theta=theta, moment=moment, noise=law if noisy else None, noise_scale=0.2,
        directions="axes" if (moment == "coordinate" if axes is None else axes) else "sphere",
    )  # fmt: skip


def theory_at(n: int, population: HeavyTailedPopulation | HiddenLaw) -> float:
    """The theorem's bound for a population, constants 1."""
    return theory.rate(
        n, population.d, EPSILON, FAILURE, theta=population.theta, tau=1.0, moment=population.moment,
        diameter=2.0 * population.radius,
    )  # fmt: skip


def _row(part: np.ndarray, ceiling: float) -> dict[str, Any]:
    """What a grid point gives: the data sets' means, and the columns that figures name."""
    return {
        "samples": part.mean(axis=1), "ceiling": ceiling, "theory": ceiling, "excess_risk": float(part.mean()),
        "excess_risk_median": float(np.median(part)), "excess_risk_quantile": float(np.quantile(part, 1.0 - FAILURE)),
    }  # fmt: skip


def _designs() -> Iterator[tuple[int, float, str, str, str, str]]:
    """Theorem, θ, moment, assumption and last part of the id, and the bound in words, of each upper rate."""
    for (last, (theorem, theta)), moment in product(_ORDERS.items(), ("norm", "coordinate")):
        assumption = 2 * theorem - (moment == "norm")
        bound = "(d/(n epsilon))^({0})" if moment == "norm" else "d/(n epsilon)^({0})"
        under = f"Assumption {assumption}" + (f" with theta = {theta:g}" if theorem == 2 else "")
        power = "1/2" if theorem == 1 else "(theta-1)/theta"
        yield theorem, theta, moment, f"assumption{assumption}{last}", under, bound.format(power)


for theorem, theta, moment, name, under, bound in _designs():
    says: dict[str, Any] = {"source": f"Theorem {theorem}", "expected": "consistent", "side": "upper"}
    says["because"] = _HARD
    paper.rate(
        f"thm{theorem}", variant=f"n.{name}", arguments={"theta": theta, "moment": moment},
        statement=f"Under {under} the excess risk is O~({bound}): slope in n.", **says,
    )(in_n)
    if theta in (2.0, 1.5):
        paper.rate(
            f"thm{theorem}", variant=f"d.{name}",
            arguments={"theta": theta, "moment": moment, "axes": (theta, moment) != (2.0, "norm")},
            statement=f"Under {under} the excess risk is O~({bound}): slope in d.", **says | {"because": _UPPER},
        )(in_d)
    if moment == "norm" and theta in (2.0, 1.5):
        last = name.removeprefix(f"assumption{2 * theorem - 1}")
        paper.rate(
            f"thm{theorem}", variant=f"n.quantile{last}", arguments={"theta": theta},
            statement=f"Under {under}, with probability 1 - eta, the excess risk is O~({bound}): slope in n of the "
            "(1 - eta)-quantile.", **says,
        )(quantile)  # fmt: skip
