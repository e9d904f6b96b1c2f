"""ERM oracles of the public-data family to time: a sort of the points and one call, each with a check of its answer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.cases import Case, WrongAnswer
from dpbench.papers.publicdata.hypotheses.cube import ParityCube
from dpbench.papers.publicdata.hypotheses.line import Intervals, Stumps, Thresholds
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.hypotheses.plane import Halfspaces
from dpbench.papers.publicdata.objective import Objective

SIZE, PLANE = 1_000_000, 2000


def binary(hypotheses: Any, dimension: int, size: int, least: Callable[[np.ndarray, np.ndarray], float]) -> Case:
    """Zero-one loss with signed weights; checked on 300 points; quality: the value found a point."""

    def made(n: int) -> tuple[np.ndarray, Objective]:
        rng = np.random.default_rng(0)
        points = rng.uniform(-1.0, 1.0, (n, dimension) if dimension > 1 else n)
        return points, Objective(np.where(rng.random(n) < 0.5, -1.0, 1.0), rng.normal(size=n))

    def check() -> None:
        points, objective = made(300)
        f = hypotheses.predict(hypotheses.erm(points, objective)[np.newaxis], points)[0]
        reached, wanted = float(objective.costs()[f > 0.0].sum()), least(points, objective.costs())
        if abs(reached - wanted) > 1e-9:
            raise WrongAnswer(f"{reached} where the least cost is {wanted}")

    points, objective = made(size)
    value = lambda row: float(objective.value(hypotheses.predict(row[np.newaxis], points))[0]) / size  # noqa: E731
    return Case(run=lambda: hypotheses.erm(points, objective), trials=1, check=check, quality=value)


def least_threshold(points: np.ndarray, costs: np.ndarray) -> float:
    """The cheapest upper part of the points, by NumPy."""
    return float(costs.sum() - np.append(0.0, np.cumsum(costs[np.argsort(points)])).max())


def least_interval(points: np.ndarray, costs: np.ndarray) -> float:
    """The cheapest run of the sorted points, or none."""
    sums = np.append(0.0, np.cumsum(costs[np.argsort(points)]))
    return float((sums - np.maximum.accumulate(sums)).min())


def least_stump(points: np.ndarray, costs: np.ndarray) -> float:
    """The cheapest upper or lower part along each feature."""
    return min(least_threshold(sign * column, costs) for column in points.T for sign in (1.0, -1.0))


def least_halfplane(points: np.ndarray, costs: np.ndarray) -> float:
    """The cheapest side of the lines through all pairs of points, with any of the two."""
    best = min(0.0, float(costs.sum()))
    for p in range(len(points)):
        steps = points - points[p]
        side = steps[:, :1] * steps[:, 1] - steps[:, 1:] * steps[:, 0] > 1e-12
        for sums in (side @ costs, side.T @ costs):
            sums = np.delete(sums, p)
            extra = np.delete(costs, p)
            best = min(best, float((sums + np.minimum(0.0, costs[p]) + np.minimum(0.0, extra)).min()))
    return best


def linear(loss: str) -> Case:
    """10,000 points in 10 dimensions; quality: the certified gap."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(10_000, 10))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = np.clip(x @ rng.normal(size=10) + 0.3 * rng.normal(size=len(x)), -1.0, 1.0)
    objective, hypotheses = Objective(y, 1.0 / len(x), loss=loss), LinearBall(10)

    def run() -> Any:
        return hypotheses.prepare(x).certified(objective, objective.linear[np.newaxis])

    def check() -> None:
        rows, gaps = run()
        others = rows + np.random.default_rng(2).normal(scale=1e-3, size=(500, 10))
        others /= np.maximum(1.0, np.linalg.norm(others, axis=1, keepdims=True))
        best = objective.value(hypotheses.predict(rows, x))[0]
        if gaps[0] > 1e-10 or objective.value(hypotheses.predict(others, x)).min() < best - gaps[0] - 1e-14:
            raise WrongAnswer(f"certificate {gaps[0]:.2g}")

    return Case(run=run, trials=1, check=check, quality=lambda answer: float(answer[1][0]))


def cube() -> Case:
    """d = m = 4096, 64 calls; quality: the share of outputs with parity 1."""
    d = 4096
    points = np.arange(d + 2)
    linear = np.random.default_rng(3).normal(size=(64, d + 2))
    objective, hypotheses = Objective(np.zeros(d + 2), 0.0), ParityCube(d)

    def check() -> None:
        small = ParityCube(6)
        costs = linear[:, :8]
        rows = small.prepare(np.arange(8)).erm_many(Objective(np.zeros(8), 0.0), costs / 2.0)
        corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T
        totals = costs @ (small.predict(corners, np.arange(8)) > 0.0).T
        reached = (costs * (small.predict(rows, np.arange(8)) > 0.0)).sum(axis=1)
        if np.abs(reached - totals.min(axis=1)).max() > 1e-12:
            raise WrongAnswer("not the cheapest corner")

    return Case(
        run=lambda: hypotheses.prepare(points).erm_many(objective, linear),
        trials=64,
        check=check,
        quality=lambda rows: float((rows.prod(axis=1) > 0.0).mean()),
    )


CASES: dict[str, Callable[[], Case]] = {
    "oracle-thresholds": partial(binary, Thresholds(), 1, SIZE, least_threshold),
    "oracle-intervals": partial(binary, Intervals(), 1, SIZE, least_interval),
    "oracle-stumps": partial(binary, Stumps(4), 4, SIZE, least_stump),
    "oracle-halfspaces": partial(binary, Halfspaces(), 2, PLANE, least_halfplane),
    "oracle-linear-squared": partial(linear, "squared"),
    "oracle-linear-absolute": partial(linear, "absolute"),
    "oracle-linear-huber": partial(linear, "huber"),
    "oracle-parity-cube": cube,
}
