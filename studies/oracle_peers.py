"""ERM oracles beside NumPy's brute force, scikit-learn's tree and SciPy's solver: what `mechanism_peers` times."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.tree import DecisionTreeClassifier

from dpbench.papers.glm.peers.pairs import Work
from dpbench.papers.glm.peers.workload import WrongAnswer
from dpbench.papers.publicdata.objective import Objective
from dpbench.publicdata import Halfspaces, Intervals, LinearBall, Stumps, Thresholds
from studies.work_publicdata import least_halfplane, least_interval, least_stump, least_threshold

Least = Callable[[np.ndarray, np.ndarray], float]
BINARY: tuple[tuple[str, Any, int, int, Least, str], ...] = (
    ("thresholds", Thresholds(), 1, 100_000, least_threshold, "NumPy, sort and scan"),
    ("intervals", Intervals(), 1, 100_000, least_interval, "NumPy, sort and scan"),
    ("stumps, 4 features", Stumps(4), 4, 100_000, least_stump, "NumPy, sort and scan"),
    ("halfspaces in the plane", Halfspaces(), 2, 300, least_halfplane, "NumPy, all lines through two points"),
)


def binary_objective(dimension: int, size: int) -> tuple[np.ndarray, Objective]:
    """Points, and signed weights on fair labels."""
    rng = np.random.default_rng(0)
    points = rng.uniform(-1.0, 1.0, (size, dimension) if dimension > 1 else size)
    return points, Objective(np.where(rng.random(size) < 0.5, -1.0, 1.0), rng.normal(size=size))


def reached(hypotheses: Any, points: np.ndarray, objective: Objective) -> float:
    """The cost of the oracle's answer."""
    f = hypotheses.predict(hypotheses.erm(points, objective)[np.newaxis], points)[0]
    return float(objective.costs()[f > 0.0].sum())


def from_labels(solver: Callable[..., Any], points: np.ndarray, objective: Objective) -> Any:
    """A peer on what the oracle is given: for the zero-one loss a point costs −weight·label."""
    return solver(points, -objective.weights * objective.labels)


def grown(points: np.ndarray, costs: np.ndarray) -> DecisionTreeClassifier:
    """scikit-learn's stump for the same weights: the tree of depth 1, chosen by the Gini impurity."""
    return DecisionTreeClassifier(max_depth=1).fit(points, costs < 0.0, sample_weight=np.abs(costs))


def oracle_pairs() -> Iterator[tuple[str, str, str, Work, Work]]:
    """One call on points that nothing was prepared for."""
    for name, hypotheses, dimension, size, least, how in BINARY:
        points, objective = binary_objective(dimension, size)
        costs = objective.costs()
        apart = abs(reached(hypotheses, points, objective) - least(points, costs))
        if apart > 1e-9 * size:
            raise WrongAnswer(f"{name}: the least cost is missed by {apart:.2g}")
        title = f"oracle, {name}, {size:,} points"
        ours = Work(partial(hypotheses.erm, points, objective), 1)
        peer = partial(from_labels, least, points, objective)
        yield title, how, f"one value: {apart:.0e} apart", ours, Work(peer, 1)
        if isinstance(hypotheses, Stumps):
            best, tree = reached(hypotheses, points, objective), grown(points, costs)
            share = float(costs[tree.predict(points)].sum()) / best
            said = f"another criterion: {share:.0%} of what the oracle takes off the cost"
            peer = partial(from_labels, grown, points, objective)
            yield title, "scikit-learn's tree of depth 1", said, ours, Work(peer, 1)
    for loss in ("squared", "huber"):
        yield linear_pair(loss)


def linear_problem(loss: str, size: int = 10_000) -> tuple[np.ndarray, Objective]:
    """Points on the sphere in 10 dimensions, labels of a linear function with noise; the ball binds."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(size, 10))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = np.clip(x @ rng.normal(size=10) + 0.3 * rng.normal(size=size), -1.0, 1.0)
    return x, Objective(y, 1.0 / size, loss=loss)


def slsqp(x: np.ndarray, y: np.ndarray, loss: str) -> np.ndarray:
    """SciPy's SLSQP on the mean loss over the unit ball, with its gradient."""

    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        r = x @ w - y
        if loss == "squared":
            return float(r @ r) / (4.0 * len(y)), x.T @ r / (2.0 * len(y))
        near = np.abs(r) <= 1.0
        terms = np.where(near, 0.5 * r * r, np.abs(r) - 0.5) / 1.5
        return float(terms.mean()), x.T @ np.where(near, r, np.sign(r)) / (1.5 * len(y))

    ball = {"type": "ineq", "fun": lambda w: 1.0 - w @ w, "jac": lambda w: -2.0 * w}
    found = minimize(
        value, np.zeros(x.shape[1]), jac=True, method="SLSQP", constraints=ball, options={"ftol": 1e-13, "maxiter": 500}
    )
    return np.asarray(found.x / max(1.0, float(np.linalg.norm(found.x))))


def linear_pair(loss: str) -> tuple[str, str, str, Work, Work]:
    """The certified minimiser over the ball, and SLSQP's."""
    x, objective = linear_problem(loss)
    hypotheses = LinearBall(10)

    def run() -> Any:
        return hypotheses.prepare(x).certified(objective, objective.linear[np.newaxis])

    rows, gaps = run()
    peer = partial(slsqp, x, objective.labels, loss)
    values = objective.value(hypotheses.predict(np.stack([rows[0], peer()]), x))
    above = float(values[1] - values[0])
    if not -1e-12 - gaps[0] <= above < 1e-9:
        raise WrongAnswer(f"linear, {loss}: SLSQP's value is {above:.2g} above the certified one")
    said = f"certified gap {float(gaps[0]):.0e}; SLSQP's value {above:.0e} above, without a certificate"
    name = f"oracle, linear on the ball, {loss}, 10,000 points, d = 10"
    return name, "SciPy, SLSQP", said, Work(run, 1), Work(peer, 1)
