"""Heavy-tailed populations for ℓ1 regression: known moments, known minimiser, excess risk by quadrature.

x = ±scale·A·U, U uniform on the unit sphere or on the unit vectors of the axes, A of a heavy-tailed law;
y = ⟨x, w*⟩ + e, e symmetric about 0 and independent of x, or 0. With v = w − w*, as E|T − e| − E|e| =
E∫₀^{|T|} P(|e| < s) ds for symmetric e,

    L(w) − L(w*) = ∫₀^∞ P(|⟨x, v⟩| > s)·P(|e| < s) ds = E|⟨x, v⟩| − ∫₀^∞ P(|⟨x, v⟩| > s)·P(|e| ≥ s) ds.

On the axes it is a sum over the coordinates, each drawn with probability 1/d; on the sphere it is a function of
‖v‖ alone. Either is h(ρ), tabulated once for each population and interpolated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbench.core import validation
from dpbench.papers.heavytail.problem import DOMAINS, MOMENTS, HeavyTailedProblem, order
from dpbench.papers.heavytail.tails import Tail

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

_STEP = 0.0025  # of the quadrature in log s: a kink of a survival function costs 1e-6
_FIRST, _LAST = -18_000, 24_000  # steps: log s from -45 to 60
_EVERY, _LOW, _HIGH = 40, -8_000, 4_800  # steps: log ρ/noise scale of the table from -20 to 12 by 0.1
_RATIOS = _STEP * np.arange(_LOW, _HIGH + 1, _EVERY)


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
        The law of |e|/`noise_scale`, one with a density at 0: Student's, stable or contaminated. None:
        y = ⟨x, w*⟩.
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
        if self.noise is not None and self.noise.name in ("pareto", "lognormal"):
            raise validation.invalid("noise", "a law with a density at 0", self.noise)
        w = self.minimiser
        size = float(np.linalg.norm(w) if self.domain == "ball" else np.abs(w).max())
        if size > self.radius:
            raise validation.invalid("radius", f"at least the size of the minimiser, {size:g}", self.radius)

    @classmethod
    def unit(cls, tail: Tail, minimiser: Any, **others: Any) -> HeavyTailedPopulation:
        """The population whose declared moment is τ = 1."""
        made = cls(tail, minimiser, **others)
        return replace(made, scale=made.scale / made.tau)

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
        """L(w) − L(w*) for each row w of `outputs`, shape (trials, d): shape (trials,)."""
        v = np.abs(validation.array("outputs", outputs, ndim=2, width=self.d) - self.minimiser)
        if self.directions == "axes":
            return self._along(v).mean(axis=1)
        return self._along(np.linalg.norm(v, axis=1))

    def _along(self, rho: np.ndarray) -> np.ndarray:
        """h(ρ): the excess along one axis where a record lies on it, or over the sphere at distance ρ."""
        share = _sphere_moment(self.d, 1.0) if self.directions == "sphere" else 1.0
        slope = self.scale * self.tail.moment(1.0) * share
        if self.noise is None:
            return slope * rho
        made = np.zeros_like(rho)
        on = rho > 0.0
        place = np.log(rho[on] * self.scale / self.noise_scale)
        if place.size and place.max() > _RATIOS[-1]:
            raise validation.invalid("outputs", "within e^12 noise scales of the minimiser", float(rho.max()))
        # Far below the noise the excess is quadratic; the table starts where that has long set in.
        low = np.maximum(place, _RATIOS[0])
        made[on] = self.noise_scale * np.exp(self._table(low) + 2.0 * (place - low))
        return made

    @cached_property
    def _table(self) -> CubicSpline:
        from scipy.interpolate import CubicSpline

        dimension = self.d if self.directions == "sphere" else 1
        assert self.noise is not None
        return CubicSpline(_RATIOS, np.log(_unit_excess(self.tail, self.noise, dimension)))


@lru_cache(maxsize=32)
def _unit_excess(tail: Tail, noise: Tail, dimension: int) -> np.ndarray:
    """h at scale 1, noise scale 1 and log ρ = `_RATIOS`.

    In z = log s the integral is a correlation of P(log A > z − log ρ) with s·P(|e| < s): the grid of log ρ is a
    part of the grid of z, so both survivals are computed once.
    """
    from scipy.interpolate import CubicSpline

    s = np.exp(_STEP * np.arange(_FIRST, _LAST))
    above = tail.survival(np.exp(_STEP * np.arange(_FIRST - _HIGH, _LAST - _LOW)))
    beyond = noise.survival(s)
    below = s * (1.0 - beyond)
    small = s < 1e-5  # 1 − P(|e| ≥ s) cancels there: it is 2f(0)s
    below[small] = below[~small][0] * (s[small] / s[~small][0]) ** 2
    found = np.empty(_RATIOS.size)
    for i, shift in enumerate(range(_LOW, _HIGH + 1, _EVERY)):
        at = above[_HIGH - shift : _HIGH - shift + s.size]
        if _RATIOS[i] < 5.0:
            found[i] = _STEP * float(at @ below)
        else:
            found[i] = math.exp(_RATIOS[i]) * tail.moment(1.0) - _STEP * float(at @ (s * beyond))
    if dimension == 1:
        return found
    spline = CubicSpline(_RATIOS, np.log(found))
    nodes, weights = np.polynomial.legendre.leggauss(200)
    angle = 0.25 * math.pi * (1.0 + nodes)
    density = weights * np.cos(angle) ** (dimension - 2)
    total = np.zeros(_RATIOS.size)
    for phi, weight in zip(angle, density / density.sum(), strict=True):
        place = _RATIOS + math.log(math.sin(phi))
        low = np.maximum(place, _RATIOS[0])
        total += weight * np.exp(spline(low) + 2.0 * (place - low))
    return total


def _sphere_moment(dimension: int, theta: float) -> float:
    """E|U_1|^θ for U uniform on the unit sphere."""
    if dimension == 1:
        return 1.0
    logs = math.lgamma(0.5 * dimension) + math.lgamma(0.5 * (theta + 1.0))
    return math.exp(logs - math.lgamma(0.5 * (dimension + theta))) / math.sqrt(math.pi)
