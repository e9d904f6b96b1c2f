"""Populations for public-data learning: laws on finitely many points, with exact risk and exact best-in-class risk.

The private marginal ν is σ-smooth against the public μ. On a finite support both risks are sums, for every class
and loss: no quadrature error, and equal records of a large data set cost an oracle nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.papers.publicdata.algorithms.anchored import anchored_class, marked
from dpbench.papers.publicdata.losses import loss_value
from dpbench.papers.publicdata.objective import Objective
from dpbench.papers.publicdata.problem import PublicDataProblem, output_rows, share

_ENTRIES = 2**21  # losses held at once when a risk is taken
_SUM = 1e-9


@dataclass(frozen=True, eq=False)
class FinitePopulation:
    """x is points_k with probability private_k, and then y is labels_kl with probability law_kl; Z ~ public.

    Parameters
    ----------
    points : array_like, shape (K, d) or (K,)
        In the shape that the class asks for.
    public, private : array_like, shape (K,)
        μ and ν. ν may have no mass where μ has none.
    labels, law : array_like, shape (K, L)
        Labels in [−1, 1] and their probabilities at each point; rows of `law` sum to 1.
    hypotheses : object
        The class; its oracle finds the best-in-class risk.
    loss : str

    Attributes
    ----------
    smoothness : float
        σ, exactly: the least μ_k/ν_k, at most 1.
    """

    points: Any
    public: Any
    private: Any
    labels: Any
    law: Any
    hypotheses: Any
    loss: str

    def __post_init__(self) -> None:
        put = object.__setattr__
        points = validation.array("points", self.points, ndim=1 if np.ndim(self.points) == 1 else 2)
        size = points.shape[0]
        put(self, "points", points)
        for name in ("public", "private"):
            put(self, name, _masses(name, validation.array(name, getattr(self, name), ndim=1), (size,)))
        labels = validation.array("labels", self.labels, ndim=2)
        put(self, "labels", labels)
        put(self, "law", _masses("law", validation.array("law", self.law, ndim=2), (size, labels.shape[1])))
        if labels.shape[0] != size:
            raise validation.invalid("labels", f"a matrix with {size} rows, one a point", labels)
        if (self.public[self.private > 0.0] <= 0.0).any():
            raise validation.invalid("public", "above 0 wherever private is", self.public)
        every = np.repeat(points, labels.shape[1], axis=0)
        PublicDataProblem(  # refuses what no data set could have
            every, labels.reshape(-1), points, hypotheses=self.hypotheses, loss=self.loss, smoothness=self.smoothness
        )

    @cached_property
    def smoothness(self) -> float:
        met = self.private > 0.0
        return min(1.0, float((self.public[met] / self.private[met]).min()))

    def draw(self, n: int, m: int, rng: np.random.Generator) -> PublicDataProblem:
        """n independent private records and m independent public points."""
        n, m = validation.integer("n", n, at_least=1), validation.integer("m", m, at_least=1)
        places = _draw(self.private, rng.random(n))
        cumulative = np.cumsum(self.law, axis=1)
        which = (rng.random(n)[:, None] >= cumulative[places][:, :-1]).sum(axis=1)
        seen = _draw(self.public, rng.random(m))
        return PublicDataProblem(
            self.points[places],
            self.labels[places, which],
            self.points[seen],
            hypotheses=self.hypotheses,
            loss=self.loss,
            smoothness=self.smoothness,
        )

    def risk(self, outputs: Any) -> np.ndarray:
        """L(f) = E ℓ(f(x), y) for each row of `outputs`, shape (trials, width): shape (trials,)."""
        rows = output_rows(outputs)
        met = self.private > 0.0
        points, labels = self.points[met], self.labels[met]
        weights = self.private[met, None] * self.law[met]
        step = max(1, _ENTRIES // weights.size)
        parts = []
        for at in range(0, rows.shape[0], step):
            f = self.hypotheses.predict(rows[at : at + step], points)
            parts.append(np.einsum("tkl,kl->t", loss_value(self.loss, f[:, :, None], labels), weights))
        return np.concatenate(parts)

    @cached_property
    def best(self) -> np.ndarray:
        """A best function of the class, shape (width,): one oracle call."""
        met = self.private > 0.0
        width = self.labels.shape[1]
        weights = (self.private[met, None] * self.law[met]).reshape(-1)
        objective = Objective(self.labels[met].reshape(-1), weights, 0.0, 0.0, self.loss)
        return np.asarray(self.hypotheses.erm(np.repeat(self.points[met], width, axis=0), objective))

    @cached_property
    def best_risk(self) -> float:
        """inf of L over the class."""
        return float(self.risk(self.best[None, :])[0])

    def excess_risk(self, outputs: Any) -> np.ndarray:
        """L(f) − inf L for each row of `outputs`, shape (trials, width): shape (trials,)."""
        return self.risk(outputs) - self.best_risk


def anchored(population: FinitePopulation) -> FinitePopulation:
    """The population for μ̃ = (μ + 2δ_{z*})/3 (after Theorem 2): σ falls by a factor of 3, ν does not meet z*."""
    p = population
    return FinitePopulation(
        marked(p.points, 1),
        np.append(p.public / 3.0, 2.0 / 3.0),
        np.append(p.private, 0.0),
        np.concatenate([p.labels, p.labels[:1]]),
        np.concatenate([p.law, p.law[:1]]),
        anchored_class(p.hypotheses),
        p.loss,
    )


def line(
    hypotheses: Any,
    smoothness: float = 1.0,
    *,
    target: tuple[float, float] = (0.5, math.inf),
    noise: float = 0.0,
    cells: int = 4096,
    loss: str = "zero-one",
) -> FinitePopulation:
    """Thresholds, intervals and stumps: μ uniform on the midpoints of `cells` cells of [0, 1].

    ν is uniform on the round(σ·cells) of them that are nearest to the target's lower end. y = 1 on the target
    [a, b] and −1 off it, flipped with probability `noise` < 1/2: realisable where `noise` is 0 and the class has
    the target; a target that it lacks (an interval for thresholds) is agnostic without noise too.
    """
    sigma, noise = share("smoothness", smoothness), _noise(noise)
    cells = validation.integer("cells", cells, at_least=1)
    x = (np.arange(cells) + 0.5) / cells
    private = _nearest(np.abs(x - target[0]), sigma)
    positive = np.where((x >= target[0]) & (x <= target[1]), 1.0 - noise, noise)
    points = x[:, None] if hasattr(hypotheses, "dimension") else x
    return FinitePopulation(points, np.full(cells, 1.0 / cells), private, *_signs(positive), hypotheses, loss)


def plane(
    hypotheses: Any, smoothness: float = 1.0, *, angle: float = 0.4, noise: float = 0.0, side: int = 41
) -> FinitePopulation:
    """Halfspaces: μ uniform on the points of a side × side grid that lie in the unit disc.

    The target is {⟨u, x⟩ ≥ 0}, u at `angle` radians; ν is uniform on the share σ of the points nearest to its
    boundary, labels flipped with probability `noise`.
    """
    sigma, noise = share("smoothness", smoothness), _noise(noise)
    axis = np.linspace(-1.0, 1.0, validation.integer("side", side, at_least=2))
    grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    points = np.ascontiguousarray(grid[(grid**2).sum(axis=1) <= 1.0])
    along = points @ (math.cos(angle), math.sin(angle))
    positive = np.where(along >= 0.0, 1.0 - noise, noise)
    public = np.full(len(points), 1.0 / len(points))
    return FinitePopulation(points, public, _nearest(np.abs(along), sigma), *_signs(positive), hypotheses, "zero-one")


def constants(hypotheses: Any, mean: float, loss: str = "absolute") -> FinitePopulation:
    """A class of constants: one point, y = ±1 with mean `mean`."""
    mean = validation.real("mean", mean)
    if abs(mean) > 1.0:
        raise validation.invalid("mean", "in [-1, 1]", mean)
    return FinitePopulation([0.0], [1.0], [1.0], *_signs(np.array([0.5 * (1.0 + mean)])), hypotheses, loss)


def labelled(hypotheses: Any, positive: np.ndarray) -> FinitePopulation:
    """Uniform marginals on the points 0, 1, …, and the label 1 with these probabilities; the zero-one loss."""
    size, mass = positive.size, np.full(positive.size, 1.0 / positive.size)
    signs = np.tile([1.0, -1.0], (size, 1))
    law = np.column_stack([positive, 1.0 - positive])
    return FinitePopulation(np.arange(size), mass, mass, signs, law, hypotheses, "zero-one")


def circle(
    hypotheses: Any,
    smoothness: float = 1.0,
    *,
    coefficients: tuple[float, float] = (0.5, 0.3),
    noise: bool = True,
    cells: int = 512,
    loss: str = "squared",
) -> FinitePopulation:
    """Linear functions on the plane: μ uniform on `cells` points of the unit circle, ν on an arc about (1, 0).

    The arc holds the share σ of the points. With `noise` y is ±1 of mean ⟨w, x⟩ (agnostic), else y = ⟨w, x⟩
    (realisable).
    """
    sigma = share("smoothness", smoothness)
    angles = 2.0 * math.pi * np.arange(validation.integer("cells", cells, at_least=1)) / cells
    points = np.column_stack([np.cos(angles), np.sin(angles)])
    mean = points @ np.asarray(coefficients, dtype=float)
    if np.abs(mean).max() > 1.0:
        raise validation.invalid("coefficients", "of norm at most 1", coefficients)
    labels, law = _signs(0.5 * (1.0 + mean)) if noise else (mean[:, None], np.ones((cells, 1)))
    public = np.full(cells, 1.0 / cells)
    return FinitePopulation(points, public, _nearest(1.0 - points[:, 0], sigma), labels, law, hypotheses, loss)


def _signs(positive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels (1, −1) and their law, where 1 has these probabilities."""
    return np.tile([1.0, -1.0], (positive.size, 1)), np.column_stack([positive, 1.0 - positive])


def _nearest(distance: np.ndarray, sigma: float) -> np.ndarray:
    """The uniform law on the share σ (at least one) of the points with the least distance."""
    count = max(1, round(sigma * distance.size))
    masses = np.zeros(distance.size)
    masses[np.argsort(distance, kind="stable")[:count]] = 1.0 / count
    return masses


def _noise(value: Any) -> float:
    number = validation.real("noise", value, at_least=0.0)
    if number >= 0.5:
        raise validation.invalid("noise", "a number in [0, 1/2)", value)
    return number


def _draw(masses: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Places with these masses, never one of mass 0."""
    met = np.flatnonzero(masses)
    cumulative = np.cumsum(masses[met])
    positions = np.searchsorted(cumulative / cumulative[-1], uniform, side="right")
    return met[np.minimum(positions, met.size - 1)]


def _masses(name: str, values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    if values.shape != shape:
        raise validation.invalid(name, f"an array of shape {shape}", values)
    if values.min() < 0.0 or np.abs(values.sum(axis=-1) - 1.0).max() > _SUM:
        raise validation.invalid(name, "made of probabilities that sum to 1", values)
    return values
