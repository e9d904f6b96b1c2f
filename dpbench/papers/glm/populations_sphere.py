"""Populations whose features are uniform on a sphere: excess risks by rotational symmetry.

The risk depends on one inner product (or on two, for the logistic loss), whose law is known, so that a
one-dimensional quadrature is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from dpbench.core import validation
from dpbench.papers.glm.losses import Loss, resolve
from dpbench.papers.glm.populations import bounded_problem, check_radius
from dpbench.papers.glm.problem import GLMProblem

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


@dataclass(frozen=True, eq=False)
class LinearOnSphere:
    """x uniform on the sphere of radius ‖X‖ in R^d, d >= 2; y = ⟨w*, x⟩ + τU with U uniform on [−1, 1].

    Parameters
    ----------
    loss : Loss or str
        "squared", "half-squared", "absolute" or a Huber loss: by symmetry w* minimises each.
    weights : array_like, shape (d,)
        w*, of norm at most `radius`.
    noise : float
        τ >= 0 with ‖X‖‖w*‖ + τ <= y_bound (checked).
    x_bound, y_bound, radius : float
    """

    loss: Any
    weights: np.ndarray
    noise: float = 0.0
    x_bound: float = 1.0
    y_bound: float = 1.0
    radius: float = 1.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "loss", resolve(self.loss))
        put(self, "weights", validation.array("weights", self.weights, ndim=1, min_length=2))
        put(self, "noise", validation.real("noise", self.noise, at_least=0.0))
        for name in ("x_bound", "y_bound", "radius"):
            put(self, name, validation.real(name, getattr(self, name), above=0.0))
        if self.loss.sharper.residual_integral is None:
            raise validation.invalid("loss", "squared, half-squared, absolute or Huber", self.loss.name)
        check_radius(self.weights, self.radius)
        reach = self.x_bound * float(np.linalg.norm(self.weights)) + self.noise
        if reach > self.y_bound * (1.0 + 1e-12):
            raise validation.invalid("y_bound", f"at least x_bound * |w*| + noise = {reach:g}", self.y_bound)

    @property
    def minimiser(self) -> np.ndarray:
        """w*."""
        return self.weights

    def draw(self, n: int, rng: np.random.Generator) -> GLMProblem:
        """See `dpbench.rates.sweeps.Population`."""
        X = _on_sphere(n, self.weights.shape[0], self.x_bound, rng)
        y = X @ self.weights + self.noise * rng.uniform(-1.0, 1.0, n)
        return bounded_problem(self, X, y)

    def excess_risk(self, outputs: np.ndarray) -> np.ndarray:
        """E g(‖w − w*‖‖X‖u₁), u uniform on the unit sphere, in closed form: see `dpbench.rates.sweeps.Population`."""
        w = validation.array("outputs", outputs, ndim=2, width=self.weights.shape[0])
        d = self.weights.shape[0]
        reach = self.x_bound * np.linalg.norm(w - self.weights, axis=1)
        if self.loss.quadratic:
            return 0.5 * self.loss.smoothness * reach**2 / d
        kappa = self.loss.parameter
        kinks = np.array([abs(kappa - self.noise), kappa + self.noise])
        cuts = kinks / np.maximum(reach, 1e-300)[:, None]
        return _sphere_mean(lambda u: self._gain(reach[:, None] * u), d, cuts)

    def _gain(self, r: np.ndarray) -> np.ndarray:
        """g(r) = E φ(r − τU) − E φ(τU), from the second antiderivative of φ'."""
        if self.noise == 0.0:
            return self.loss.value(r, np.zeros(1))
        return self._smoothed(r) - self._smoothed(np.zeros(1))

    def _smoothed(self, r: np.ndarray) -> np.ndarray:
        t = self.noise
        return (self._antiderivative(r + t) - self._antiderivative(r - t)) / (2.0 * t)

    def _antiderivative(self, r: np.ndarray) -> np.ndarray:
        """∫₀^r φ(s, 0) ds."""
        integral: np.ndarray = self.loss.sharper.residual_integral(self.loss, r)
        return integral


@dataclass(frozen=True, eq=False)
class LogisticOnSphere:
    """x uniform on the sphere of radius ‖X‖ in R^d, d >= 2; y = ±1, P(y = 1 | x) = 1/(1 + e^(−⟨w*, x⟩)).

    Parameters
    ----------
    weights : array_like, shape (d,)
        w*, of norm at most `radius`.
    x_bound, radius : float
    """

    weights: np.ndarray
    x_bound: float = 1.0
    radius: float = 1.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "weights", validation.array("weights", self.weights, ndim=1, min_length=2))
        for name in ("x_bound", "radius"):
            put(self, name, validation.real(name, getattr(self, name), above=0.0))
        check_radius(self.weights, self.radius)

    @property
    def loss(self) -> Loss:
        return resolve("logistic")

    @property
    def y_bound(self) -> float:
        return 1.0

    @property
    def minimiser(self) -> np.ndarray:
        """w*: the model is well specified."""
        return self.weights

    def draw(self, n: int, rng: np.random.Generator) -> GLMProblem:
        """See `dpbench.rates.sweeps.Population`."""
        X = _on_sphere(n, self.weights.shape[0], self.x_bound, rng)
        chance = 1.0 / (1.0 + np.exp(-(X @ self.weights)))
        return bounded_problem(self, X, np.where(rng.random(n) < chance, 1.0, -1.0))

    def excess_risk(self, outputs: np.ndarray) -> np.ndarray:
        """See `dpbench.rates.sweeps.Population`.

        E_y log(1 + e^(−yz)) = log(1 + e^z) − s(z*)z: the first term depends on ‖w‖ alone, and the second is
        ⟨w, ŵ*⟩·E[s(‖w*‖x₁)x₁] because x is rotation invariant.
        """
        w = validation.array("outputs", outputs, ndim=2, width=self.weights.shape[0])
        size = float(np.linalg.norm(self.weights))
        axis = self.weights / size if size > 0.0 else self.weights
        own = self.x_bound * np.array([size])
        pull = self.x_bound * _sphere_mean(
            lambda u: 0.5 * u * np.tanh(0.5 * own[:, None] * u), w.shape[1], np.ones((1, 1))
        )
        reach = self.x_bound * np.linalg.norm(w, axis=1)
        return self._level(reach, w.shape[1]) - self._level(own, w.shape[1]) - (w @ axis - size) * pull

    def _level(self, reach: np.ndarray, d: int) -> np.ndarray:
        """E log(2cosh(reach·u₁/2)), the even part of E log(1 + e^z); panels where the integrand turns."""
        half = 0.5 * reach[:, None]
        cuts = np.array([0.5, 2.0, 8.0]) / np.maximum(half, 1e-290)
        return _sphere_mean(lambda u: np.logaddexp(half * u, -half * u), d, cuts)


def _sphere_mean(g: Any, d: int, cuts: np.ndarray) -> np.ndarray:
    """E g(u₁) for even g and u uniform on the unit sphere of R^d: Gauss–Legendre panels in the angle.

    u₁ = sin θ has density proportional to cos^(d−2) θ. Row t of `cuts` holds the points in u where the
    integrand of trial t has a kink; panels end there. Beyond 12/√d the mass is below e^(−70).
    """
    last = min(0.5 * math.pi, 12.0 / math.sqrt(d))
    inner = np.sort(np.minimum(np.arcsin(np.minimum(cuts, 1.0)), last), axis=1)
    half = np.full((inner.shape[0], 1), 0.5 * last)
    edges = np.sort(np.concatenate((np.zeros_like(half), half, inner, 2.0 * half), axis=1), axis=1)
    log_total = math.log(2.0) + gammaln(0.5 * d) - gammaln(0.5 * (d - 1)) - 0.5 * math.log(math.pi)
    total = np.zeros(inner.shape[0])
    for low, high in zip(edges.T[:-1], edges.T[1:], strict=True):
        width = 0.5 * (high - low)
        theta = low[:, None] + width[:, None] * (1.0 + _NODES)
        with np.errstate(divide="ignore"):
            density = np.exp(log_total + (d - 2) * np.log(np.cos(theta))) if d > 2 else math.exp(log_total)
        total += width * ((g(np.sin(theta)) * density) @ _WEIGHTS)
    return total


def _on_sphere(n: int, d: int, radius: float, rng: np.random.Generator) -> np.ndarray:
    X = rng.standard_normal((n, d))
    return X * (radius * (1.0 - 1e-15) / np.linalg.norm(X, axis=1))[:, None]
