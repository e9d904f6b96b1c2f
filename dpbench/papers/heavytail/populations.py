"""Heavy-tailed populations for ℓ1 regression: known moments, known minimiser, known excess risk.

x = ±scale·A·U, U uniform on the unit sphere or on the unit vectors of the axes, A of a heavy-tailed law;
y = ⟨x, w*⟩ + e, e symmetric about 0 and independent of x, or 0. Without noise the excess at w = w* + v is E|⟨x, v⟩|:
scale·E A times E|⟨U, v⟩|. On the line with noise it is, as E|T − e| − E|e| = E∫₀^{|T|} P(|e| < s) ds for symmetric e,

    L(w) − L(w*) = ∫₀^∞ P(|⟨x, v⟩| > s)·P(|e| < s) ds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.papers.heavytail.problem import DOMAINS, MOMENTS, HeavyTailedProblem, order
from dpbench.papers.heavytail.tails import Tail

_LOGS = np.arange(-45.0, 60.0, 0.01)
"""log s of the quadrature over the line."""


@dataclass(frozen=True, eq=False)
class HeavyTailedPopulation:
    """A law of records with a finite θ-th moment.

    Parameters
    ----------
    tail : Tail
        The law of A.
    minimiser : array_like, shape (d,)
        w*, inside the domain.
    theta : float
        θ in (1, 2]; E A^θ must be finite.
    moment : {"norm", "coordinate"}
        Which moment the problems declare.
    directions : {"sphere", "axes"}
    scale : float
        For τ = 1 use `unit`.
    noise : Tail, optional
        The law of |e|/`noise_scale`. None: y = ⟨x, w*⟩.
    noise_scale : float
    radius : float
    domain : {"ball", "box"}
    """

    tail: Tail
    minimiser: Any
    theta: float = 2.0
    moment: str = "norm"
    directions: str = "sphere"
    scale: float = 1.0
    noise: Tail | None = None
    noise_scale: float = 1.0
    radius: float = 1.0
    domain: str = "ball"

    def __post_init__(self) -> None:
        object.__setattr__(self, "minimiser", validation.array("minimiser", self.minimiser, ndim=1))
        order("theta", self.theta)
        validation.choice("moment", self.moment, MOMENTS)
        validation.choice("directions", self.directions, ("sphere", "axes"))
        validation.choice("domain", self.domain, DOMAINS)
        for name in ("scale", "noise_scale", "radius"):
            validation.real(name, getattr(self, name), above=0.0)
        if not math.isfinite(self.tail.moment(self.theta)):
            raise validation.invalid("tail", f"a law with a finite moment of order {self.theta:g}", self.tail)
        w = self.minimiser
        size = float(np.linalg.norm(w) if self.domain == "ball" else np.abs(w).max())
        if size > self.radius:
            raise validation.invalid("radius", f"at least the size of the minimiser, {size:g}", self.radius)

    @classmethod
    def unit(cls, tail: Tail, minimiser: Any, **others: Any) -> HeavyTailedPopulation:
        """The population whose declared moment is τ = 1."""
        population = cls(tail, minimiser, **others)
        return replace(population, scale=population.scale / population.tau)

    @property
    def d(self) -> int:
        return int(self.minimiser.shape[0])

    @property
    def tau(self) -> float:
        """τ: (E‖x‖^θ)^{1/θ}, or (E|x_j|^θ)^{1/θ}, exactly."""
        share = 1.0
        if self.moment == "coordinate":
            share = 1.0 / self.d if self.directions == "axes" else _sphere_moment(self.d, self.theta)
        return self.scale * (share * self.tail.moment(self.theta)) ** (1.0 / self.theta)

    def draw(self, n: int, rng: np.random.Generator) -> HeavyTailedProblem:
        """A data set of n independent records."""
        size = self.scale * self.tail.draw(n, rng) * np.where(rng.random(n) < 0.5, 1.0, -1.0)
        X = np.zeros((n, self.d))
        if self.directions == "axes":
            X[np.arange(n), rng.integers(0, self.d, n)] = size
        else:
            X = rng.standard_normal((n, self.d))
            X *= (size / np.linalg.norm(X, axis=1))[:, None]
        y = X @ self.minimiser
        if self.noise is not None:
            y += self.noise_scale * self.noise.draw(n, rng) * np.where(rng.random(n) < 0.5, 1.0, -1.0)
        return HeavyTailedProblem(
            X, y, radius=self.radius, domain=self.domain, theta=self.theta, tau=self.tau, moment=self.moment
        )

    def excess_risk(self, outputs: Any) -> np.ndarray:
        """L(w) − L(w*) for each row w of `outputs`, shape (trials, d): shape (trials,).

        Raises
        ------
        InvalidInput
            Where there is noise and d > 1.
        """
        v = np.abs(validation.array("outputs", outputs, ndim=2, width=self.d) - self.minimiser)
        if self.noise is not None:
            if self.d > 1:
                raise validation.invalid("noise", "None where d > 1: the excess is not known there", self.noise)
            return np.array([self._on_line(float(size)) for size in v[:, 0]])
        slope = self.scale * self.tail.moment(1.0)
        if self.directions == "axes":
            return (slope * v).mean(axis=1)
        return slope * _sphere_moment(self.d, 1.0) * np.linalg.norm(v, axis=1)

    def _on_line(self, v: float) -> float:
        """The integral of the module, over log s by the trapezium rule."""
        if v == 0.0:
            return 0.0
        assert self.noise is not None
        s = self.scale * v * np.exp(_LOGS)
        within = 1.0 - self.noise.survival(s / self.noise_scale)
        return float(np.trapezoid(s * self.tail.survival(np.exp(_LOGS)) * within, _LOGS))


def _sphere_moment(dimension: int, theta: float) -> float:
    """E|U_1|^θ for U uniform on the unit sphere."""
    if dimension == 1:
        return 1.0
    logs = math.lgamma(0.5 * dimension) + math.lgamma(0.5 * (theta + 1.0))
    return math.exp(logs - math.lgamma(0.5 * (dimension + theta))) / math.sqrt(math.pi)
