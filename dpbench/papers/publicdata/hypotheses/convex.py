"""Oracles of convex objectives of linear functions, over a ball and over mixtures: what `dpbench.convex` minimises."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpbench.convex.gap import Losses
from dpbench.core import validation
from dpbench.core.blas import one_blas_thread
from dpbench.papers.publicdata.objective import Objective, OnePrepared, continuous_loss, linear_rows

_SHARE = {"absolute": 0.5, "huber": 1.0 / 1.5}
"""ℓ in units of the losses of `dpbench.convex.gap`."""


@dataclass(frozen=True, eq=False)
class _CertifiedOracle(OnePrepared):
    """f = features·θ + offset at the points."""

    features: np.ndarray
    offset: np.ndarray

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        """A minimiser for each row of `linear`, shape (calls, width)."""
        return self.certified(objective, linear)[0]

    def certified(
        self, objective: Objective, linear: np.ndarray, tau: float = math.inf
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same, and a bound on the excess of each over the least value, shape (calls,).

        The bound is at most `tau` for any records: where floating point leaves more, exact arithmetic goes on. No
        `tau` of less than 1e-12 of the objective's size can be met.
        """
        with one_blas_thread():
            losses, slopes = self._losses(objective, linear)
            minimisers, gaps = self._minimised(losses, slopes, False)
            above = np.flatnonzero(~(gaps <= tau))
            if above.size:
                minimisers[above], gaps[above] = self._minimised(losses, slopes[above], True)
            return minimisers, gaps

    def _losses(self, objective: Objective, linear: np.ndarray) -> tuple[Losses, np.ndarray]:
        raise NotImplementedError

    def _minimised(self, losses: Losses, slopes: np.ndarray, slow: bool) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class BallOracle(_CertifiedOracle):
    """‖θ‖ ≤ radius."""

    radius: float

    def _losses(self, objective: Objective, linear: np.ndarray) -> tuple[Losses, np.ndarray]:
        return _losses(objective, linear, self.features, self.offset, self.radius)

    def _minimised(self, losses: Losses, slopes: np.ndarray, slow: bool) -> tuple[np.ndarray, np.ndarray]:
        return losses.minimise(slopes, slow)[:2]


@dataclass(frozen=True, eq=False)
class MixtureOracle(_CertifiedOracle):
    """θ in the simplex of k weights; the features of a point add up to 0.

    In k − 1 coordinates about θ = 1/k, over a ball that holds the simplex, with M·max(0, −θ_j) = (M/2)(|θ_j| − θ_j)
    added for each j: M is more than any two slopes of the objective differ by, so that no minimiser has θ_j < 0.
    """

    def _losses(self, objective: Objective, linear: np.ndarray) -> tuple[Losses, np.ndarray]:
        if objective.loss == "huber" and objective.weights.any():
            raise validation.invalid("loss", "absolute or squared for mixtures", objective.loss)
        return _losses(objective, linear, self.features, self.offset, 1.0)

    def _minimised(self, losses: Losses, slopes: np.ndarray, slow: bool) -> tuple[np.ndarray, np.ndarray]:
        return _over_simplex(losses, slopes, slow)


def _losses(
    objective: Objective, linear: np.ndarray, features: np.ndarray, offset: np.ndarray, radius: float
) -> tuple[Losses, np.ndarray]:
    """The objective in θ but for its linear part, and that for each row of `linear`."""
    rows = linear_rows(objective, linear, offset.shape[0])
    continuous_loss(objective)
    square, slope, kept = objective.quadratic, np.zeros(objective.size), objective.weights != 0.0
    if objective.loss == "squared":
        square, slope = square + 0.25 * objective.weights, -0.5 * objective.weights * objective.labels
        kept = np.zeros(objective.size, dtype=bool)
    if objective.weights.min() < 0.0 or square.min() < 0.0:
        raise validation.InvalidInput("weights and quadratic must be at least 0 here: only then is it a convex problem")
    k = features.shape[1]
    bend = 2.0 * features.T @ (square[:, np.newaxis] * features) if square.any() else np.zeros((k, k))
    whole = np.zeros((len(rows) + -len(rows) % 8, objective.size))  # the bits of a row must not depend on the others
    whole[: len(rows)] = rows
    slopes = (whole + slope + 2.0 * square * offset) @ features
    seen = features if kept.all() else np.ascontiguousarray(features[kept])
    counts = objective.weights[kept] * _SHARE.get(objective.loss, 0.0)
    losses = Losses(seen, (objective.labels - offset)[kept], counts, objective.loss == "huber", bend, radius)
    return losses, np.ascontiguousarray(slopes[: len(rows)])


def _over_simplex(losses: Losses, slopes: np.ndarray, slow: bool) -> tuple[np.ndarray, np.ndarray]:
    k = slopes.shape[1]
    middle = np.full(k, 1.0 / k)
    if k == 1:
        return np.ones((len(slopes), 1)), np.zeros(len(slopes))
    basis = np.ascontiguousarray(
        np.linalg.svd(middle[None])[2][1:].T
    )  # shape (k, k - 1): the directions that add up to 0
    steepest = losses.weights @ np.abs(losses.X).max(axis=1, initial=0.0) + np.abs(losses.bend).max()
    minimisers, gaps = np.empty(slopes.shape), np.empty(len(slopes))
    for row, slope in enumerate(slopes):
        half = 2.0 * float(steepest + np.abs(slope).max())
        inside = Losses(
            np.concatenate([losses.X @ basis, basis]), np.concatenate([losses.y, -middle]),
            np.concatenate([losses.weights, np.full(k, half)]), False, basis.T @ losses.bend @ basis, 1.0,
        )  # fmt: skip
        points, _, duals = inside.minimise(((slope + losses.bend @ middle) @ basis)[None], slow)
        theta = np.maximum(middle + basis @ points[0], 0.0)
        minimisers[row] = theta = theta / theta.sum()
        s, r = duals[0, : len(losses.y)], losses.X @ theta - losses.y
        gradient = losses.X.T @ (losses.weights * s) + losses.bend @ theta + slope
        gaps[row] = max(0.0, losses.weights @ (np.abs(r) - s * r) + gradient @ theta - gradient.min())
    return minimisers, gaps
