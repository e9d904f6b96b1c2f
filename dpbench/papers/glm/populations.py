"""Populations with a known minimiser and an exact excess risk, which obey the bounds they declare.

A record meets one coordinate only, so that the risk is a sum of one-dimensional functions: the shape of every hard
family. Nothing is ever estimated on a test set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from dpbench.core import validation
from dpbench.papers.glm.losses import Loss, resolve
from dpbench.papers.glm.problem import GLMProblem

_HALVINGS = 200  # of an interval: more than the digits of a float
_DENSE_ENTRIES = 2**20  # above this many entries the one-hot features of `ScaledBasis` are handed out as CSR


@dataclass(frozen=True, eq=False)
class ScaledBasis:
    """x = ‖X‖e_j with probability p_j, else 0; y = ±`y_bound`, P(y = +`y_bound` | j) = (1 + b_j)/2.

    Parameters
    ----------
    loss : Loss or str
        Any but "linear", whose risk has no minimiser; the logistic loss asks for y_bound = 1 and |b_j| < 1.
    masses : array_like, shape (d,)
        p_j >= 0, with sum at most 1.
    biases : array_like, shape (d,)
        b_j in [−1, 1].
    x_bound, y_bound, radius : float
        ‖X‖, the label bound, and B >= ‖w*‖ (checked).
    """

    loss: Any
    masses: np.ndarray
    biases: np.ndarray
    x_bound: float = 1.0
    y_bound: float = 1.0
    radius: float = 1.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "loss", resolve(self.loss))
        put(self, "masses", validation.array("masses", self.masses, ndim=1))
        put(self, "biases", validation.array("biases", self.biases, ndim=1, width=self.masses.shape[0]))
        for name in ("x_bound", "y_bound", "radius"):
            put(self, name, validation.real(name, getattr(self, name), above=0.0, size=True))
        if self.masses.min() < 0.0 or self.masses.sum() > 1.0 + 1e-12:
            raise validation.invalid("masses", "numbers >= 0 with sum at most 1", self.masses)
        if np.abs(self.biases).max() > 1.0:
            raise validation.invalid("biases", "numbers in [-1, 1]", self.biases)
        if not self.loss.nonnegative:
            raise validation.invalid("loss", "a loss that is bounded below", self.loss.name)
        if self.loss.binary and (self.y_bound != 1.0 or np.abs(self.biases).max() == 1.0):
            raise validation.invalid("biases", f"in (-1, 1), and y_bound 1, for {self.loss.name}", self.biases)
        size = float(np.linalg.norm(self.minimiser))
        if size > self.radius * (1.0 + 1e-12):
            raise validation.invalid("radius", f"at least the norm of the minimiser, {size:g}", self.radius)

    @classmethod
    def even(
        cls,
        loss: Loss | str,
        dimension: int,
        active: int,
        fraction: float,
        *,
        radius: float = 1.0,
        x_bound: float = 1.0,
        y_bound: float = 1.0,
    ) -> ScaledBasis:
        """The hard shape of Theorem 4: `active` coordinates share the mass `fraction`, w*_j = B/√d' on each.

        For a quadratic loss, where w*_j = b‖Y‖/‖X‖, so that b = B‖X‖/(√d'·y_bound) must be at most 1.
        """
        dimension = validation.integer("dimension", dimension, at_least=1)
        active = validation.integer("active", active, at_least=1)
        fraction = validation.real("fraction", fraction, at_least=0.0)
        radius, x_bound, y_bound = (
            validation.real(name, value, above=0.0, size=True)
            for name, value in (("radius", radius), ("x_bound", x_bound), ("y_bound", y_bound))
        )
        if active > dimension:
            raise validation.invalid("active", f"at most the dimension {dimension}", active)
        bias = radius * x_bound / (math.sqrt(active) * y_bound)
        if not bias <= 1.0 + 1e-12 or not resolve(loss).quadratic:
            limit = "at most sqrt(active) * y_bound / x_bound (quadratic loss)"
            raise validation.invalid("radius", limit, radius)
        on = np.arange(dimension) < active
        masses, biases = np.where(on, fraction / active, 0.0), np.where(on, min(bias, 1.0), 0.0)
        return cls(loss, masses, biases, x_bound, y_bound, radius * (1.0 + 1e-12))

    @property
    def minimiser(self) -> np.ndarray:
        """w*_j = z*_j/‖X‖ with z*_j the minimiser of least modulus of the risk along coordinate j."""
        size, known = np.abs(self.biases), self.loss.sharper.basis_minimiser
        z = self._bisected(size) if known is None else known(self.loss, size, self.y_bound)
        return np.where((size > 0.0) & (self.masses > 0.0), np.sign(self.biases) * z / self.x_bound, 0.0)

    def _bisected(self, bias: np.ndarray) -> np.ndarray:
        """The least z ≥ 0 at which the risk along a coordinate of this bias does not fall any more, for any loss."""
        y, up = np.full_like(bias, self.y_bound), 0.5 * (1.0 + bias)

        def falls(z: np.ndarray) -> np.ndarray:
            return up * self.loss.derivative(z, y) + (1.0 - up) * self.loss.derivative(z, -y) < 0.0

        high = np.ones_like(bias)
        while (rising := falls(high)).any():
            if high.max() > validation.LARGEST_SIZE:
                raise validation.invalid("loss", "one whose risk has a minimiser", self.loss.name)
            high = np.where(rising, 2.0 * high, high)
        low = np.zeros_like(bias)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = np.where(falls(middle), middle, low), np.where(falls(middle), high, middle)
        return np.where(falls(np.zeros_like(bias)), high, 0.0)

    def draw(self, n: int, rng: np.random.Generator) -> GLMProblem:
        """See `dpbench.rates.sweeps.Population`."""
        d = self.masses.shape[0]
        edges = np.cumsum(self.masses)
        which = np.searchsorted(edges, rng.random(n), side="right")  # d: the zero vector
        bias = np.append(self.biases, 0.0)[which]
        y = np.where(rng.random(n) < 0.5 * (1.0 + bias), self.y_bound, -self.y_bound)
        on = which < d
        if n * d > _DENSE_ENTRIES:
            start = np.concatenate(([0], np.cumsum(on)))
            X: Any = sparse.csr_array((np.full(start[-1], self.x_bound), which[on], start), shape=(n, d))
        else:
            X = np.zeros((n, d))
            X[on, which[on]] = self.x_bound
        x_bound, y_bound = self.x_bound, self.y_bound
        return GLMProblem(X, y, loss=self.loss, x_bound=x_bound, y_bound=y_bound, radius=self.radius)

    def excess_risk(self, outputs: np.ndarray) -> np.ndarray:
        """See `dpbench.rates.sweeps.Population`; closed form."""
        w = validation.array("outputs", outputs, ndim=2, width=self.masses.shape[0])
        if self.loss.quadratic:
            return 0.5 * self.loss.smoothness * self.x_bound**2 * ((w - self.minimiser) ** 2 @ self.masses)
        return (self._risk(w) - self._risk(self.minimiser[None, :])) @ self.masses

    def _risk(self, w: np.ndarray) -> np.ndarray:
        z = self.x_bound * w
        y = np.full_like(z, self.y_bound)
        up = 0.5 * (1.0 + self.biases)
        return up * self.loss.value(z, y) + (1.0 - up) * self.loss.value(z, -y)


PAD = 0.125
"""Share of the records on coordinates that only raise the rank."""


def sharp(rank: int, dimension: int, radius: float = 1.0) -> ScaledBasis:
    """Absolute loss, y = ⟨w*, x⟩ without noise, `rank` coordinates of equal mass with |w*_j| = B/√rank; X = 1."""
    on = np.arange(dimension) < rank
    signs = np.where(np.arange(dimension) % 2 == 0, 1.0, -1.0)
    size = radius / math.sqrt(rank)
    return ScaledBasis(
        "absolute", np.where(on, 1.0 / rank, 0.0), signs * on, y_bound=size, radius=radius * (1.0 + 1e-12)
    )


def padded(active: int, rank: int) -> ScaledBasis:
    """`sharp` on `active` coordinates, and `rank` coordinates in all: the others have w*_j = 0 and noisy labels."""
    on = np.arange(rank) < active
    masses = np.where(on, (1.0 - PAD) / active, PAD / max(1, rank - active))
    signs = np.where(np.arange(rank) % 2 == 0, 1.0, -1.0)
    return ScaledBasis("absolute", masses, signs * on, y_bound=1.0 / math.sqrt(active), radius=1.0 + 1e-12)


def zero_excess(population: ScaledBasis) -> float:
    """Excess risk of w = 0."""
    return float(population.excess_risk(np.zeros((1, len(population.masses))))[0])
