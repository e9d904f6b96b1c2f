"""What the packings of Theorem 4 share: one block of equal records for each coordinate, whose labels hide a sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from lowerbounds import _kernels as kernels
from lowerbounds import group_privacy
from lowerbounds.curves import Curve, Privacy, of_claim
from lowerbounds.instances import (
    Instance,
    Moments,
    basis_rows,
    checked,
    count,
    positive,
    sign_distances,
    sign_rows,
    signs,
)


@dataclass(frozen=True)
class Sizes:
    """n, d, the privacy and the bounds ‖X‖, Y, B that a construction is asked for, checked.

    `strength` is ε, or that of a curve; `epsilon` and `delta` are None beside a curve.
    """

    n: int
    d: int
    privacy: Curve
    strength: float
    epsilon: float | None
    delta: float | None
    x_bound: float
    y_bound: float
    radius: float

    @property
    def ratio(self) -> float:
        """B‖X‖/Y."""
        return self.radius * self.x_bound / self.y_bound


def sizes(
    n: int,
    d: int,
    privacy: tuple[Privacy, float, str],
    bounds: tuple[float, float, float],
    least: tuple[int, int] = (1, 1),
) -> Sizes:
    """The arguments of a construction, checked.

    `privacy` is (ε or a curve, δ, constants), `bounds` (‖X‖, Y, B), `least` of n and of d.
    """
    return Sizes(
        count("n", n, at_least=least[0]),
        count("d", d, at_least=least[1]),
        *of_claim(*privacy),
        *(positive(name, value) for name, value in zip(("x_bound", "y_bound", "radius"), bounds, strict=True)),
    )


@dataclass(frozen=True)
class Labels:
    """Those of a block with the sign σ: `same` are `low`, then `changed` are σ·`middle`, the rest are `high`."""

    same: int
    changed: int
    low: float
    middle: float
    high: float


@dataclass(frozen=True, eq=False)
class SignBlocks:
    """Data sets S_σ: `block` records `feature`·e_j for each of `active` coordinates, all others zero.

    The minimiser is w_j = σ_j·target, and F(w) − F(w^σ) = weight·Σ_j (w_j − σ_j·target)², weight = block·feature²/n.

    Attributes
    ----------
    n, d, active, block : int
    feature, target : float
    bounds : tuple of float
        ‖X‖, Y, B as declared.
    labels : Labels
    """

    n: int
    d: int
    active: int
    block: int
    feature: float
    target: float
    bounds: tuple[float, float, float]
    labels: Labels

    @cached_property
    def weight(self) -> float:
        return self.block * self.feature**2 / self.n

    @property
    def box(self) -> tuple[float, float]:
        return -self.target, self.target

    @cached_property
    def design(self) -> sparse.csr_array:
        """X, the same for all members; read-only."""
        columns = np.full(self.n, -1, dtype=np.int64)
        used = self.active * self.block
        columns[:used].reshape(self.active, self.block)[:] = np.arange(self.active)[:, None]
        made = basis_rows(columns, self.feature, self.n, self.d)
        for part in (made.data, made.indices, made.indptr):
            part.flags.writeable = False
        return made

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        return 2.0 * rng.integers(0, 2, self.active) - 1.0

    def largest(self, low: float, high: float) -> float:
        return self.weight * self.active * (max(high, -low) + self.target) ** 2

    def instance(self, member: np.ndarray, rng: np.random.Generator | None = None) -> Instance:
        sigma, y = signs(member, self.active)[None], np.empty((1, self.n))
        kernels.sign_block_labels(sigma, self.block, *astuple(self.labels), y)
        return Instance(self.design, y[0], "squared", *self.bounds)

    def moments(self, members: Sequence[np.ndarray] | np.ndarray, rngs: Sequence[np.random.Generator] = ()) -> Moments:
        second, up, down, total = self._shared
        count, active = len(members), self.active
        cross, square = np.empty((count, self.d)), np.empty(count)
        made = Moments(second, cross, square, "squared", *self.bounds)
        if type(members) is np.ndarray:
            try:
                if kernels.sign_block_moments(members, active, up, down, total, cross, square) == 0:
                    return made
            except (TypeError, ValueError):
                pass  # another dtype, layout or number of axes
        sigma = sign_rows(members, active)
        checked(kernels.sign_block_moments(sigma, active, up, down, total, cross, square), members, active)
        return made

    @cached_property
    def _shared(self) -> tuple[np.ndarray, float, float, float]:
        """The diagonal of XᵀX/n, Xᵀy/n of a block with sign +1 and with −1, and yᵀy/n; the same for all members."""
        one = self.labels
        rest = self.block - one.same - one.changed
        fixed, free = one.same * one.low + rest * one.high, one.changed * one.middle
        squares = one.same * one.low**2 + one.changed * one.middle**2 + rest * one.high**2
        second = np.zeros((1, self.d))
        second[0, : self.active] = self.weight
        second.flags.writeable = False
        up, down = (self.feature * (fixed + sign * free) / self.n for sign in (1.0, -1.0))
        return second, up, down, self.active * squares / self.n

    def minimiser(self, member: np.ndarray) -> np.ndarray:
        w = np.zeros(self.d)
        w[: self.active] = signs(member, self.active) * self.target
        return w

    def excesses(self, members: Sequence[np.ndarray], outputs: np.ndarray) -> np.ndarray:
        return sign_distances(2, self.weight, self.target, members, self.active, outputs, self.d)


def variance_floor(zero_risk: float, distance: int, constants: str, epsilon: Privacy, delta: float = 0.0) -> float:
    """The excess of the zero predictor times what privacy leaves of the variance of a sign `distance` records apart."""
    return zero_risk * group_privacy.bayes_variance(of_claim(epsilon, delta, constants)[0].pair(distance))
