"""What the packings of Theorem 4 share: one block of equal records for each coordinate, whose labels hide a sign."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from lowerbounds import _kernels as kernels
from lowerbounds.curves import Claim, Curve, Privacy, bayes_variance, of_claim
from lowerbounds.instances import (
    HardFamily,
    Instance,
    Moments,
    basis_rows,
    checked,
    choice,
    count,
    invalid,
    positive,
    sign_distances,
    sign_rows,
    signs,
)


class Sizes(NamedTuple):
    """n, d, the claim and the bounds (‖X‖, Y, B) that a construction is asked for, checked."""

    n: int
    d: int
    claim: Claim
    bounds: tuple[float, float, float]

    @property
    def ratio(self) -> float:
        """B‖X‖/Y."""
        x_bound, y_bound, radius = self.bounds
        return radius * x_bound / y_bound


def sizes(
    n: int,
    d: int,
    privacy: tuple[Privacy, float, str],
    bounds: tuple[float, float, float],
    least: tuple[int, int] = (1, 1),
    allowed: tuple[str, ...] = ("exact", "tight"),
) -> Sizes:
    """The arguments of a construction, checked.

    `privacy` is (ε or a curve, δ, constants), `bounds` (‖X‖, Y, B), `least` of n and of d; `allowed` are the constants.
    ε is at least 1/n, and at most 1 where no constants are printed.
    """
    x_bound, y_bound, radius = (
        positive(name, value) for name, value in zip(("x_bound", "y_bound", "radius"), bounds, strict=True)
    )
    sized = count("n", n, at_least=least[0]), count("d", d, at_least=least[1])
    claim = of_claim(*privacy[:2], choice("constants", privacy[2], allowed))
    weakest, most = 1.0 / sized[0], math.inf if "printed" in allowed else 1.0
    if not weakest <= claim.strength <= most:
        raise invalid("epsilon", f"at least 1/n = {weakest:g}" + (most == 1.0) * " and at most 1", privacy[0])
    return Sizes(*sized, claim, (x_bound, y_bound, radius))


class Labels(NamedTuple):
    """Those of a block with the sign σ: `same` are `low`, then `changed` are σ·`middle`, the rest are `high`."""

    same: int
    changed: int
    low: float
    middle: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class SignFamily(HardFamily):
    """Members are σ ∈ {±1}^{d'}, uniform: the minimiser is σ·target, the excess weight·Σ_j (w_j − σ_j·target)² unless a
    subclass has another.

    Attributes
    ----------
    active : int
        d'.
    target : float
    """

    active: int
    target: float

    @property
    def weight(self) -> float:
        raise NotImplementedError

    @property
    def box(self) -> tuple[float, float]:
        return -self.target, self.target

    def members(self, rng: np.random.Generator) -> Any:
        return 2.0 * rng.integers(0, 2, self.active) - 1.0

    def minimisers(self, member: Any) -> np.ndarray:
        w = np.zeros(self.d)
        w[: self.active] = signs(member, self.active) * self.target
        return w

    def excesses(self, members: Sequence[Any], outputs: np.ndarray) -> np.ndarray:
        return sign_distances(2, self.weight, self.target, members, self.active, outputs, self.d)


@dataclass(frozen=True, eq=False, kw_only=True)
class SignBlocks(SignFamily):
    """Data sets S_σ: `block` records `feature`·e_j for each of `active` coordinates, all others zero.

    The weight is block·feature²/n. The floor is what privacy leaves of the variance of a sign `distance` records apart,
    times zero's excess.

    Attributes
    ----------
    block : int
    feature : float
    labels : Labels
    zero_risk : float
        The excess of the zero predictor.
    """

    block: int
    feature: float
    labels: Labels
    zero_risk: float

    @cached_property
    def weight(self) -> float:
        return self.block * self.feature**2 / self.n

    @cached_property
    def design(self) -> sparse.csr_array:
        """X, the same for all members; read-only."""
        columns = np.full(self.n, -1, dtype=np.int64)
        used = self.active * self.block
        columns[:used].reshape(self.active, self.block)[:] = np.arange(self.active)[:, None]
        rows = basis_rows(columns, self.feature, self.n, self.d)
        for part in (rows.data, rows.indices, rows.indptr):
            part.flags.writeable = False
        return rows

    def left(self, privacy: Curve | None) -> float:
        assert privacy is not None
        return self.zero_risk * bayes_variance(privacy.pair(self.distance))

    def largest(self, low: float, high: float) -> float:
        return self.weight * self.active * (max(high, -low) + self.target) ** 2

    def instances(self, member: np.ndarray, rng: np.random.Generator | None = None) -> Instance:
        y = np.empty((1, self.n))
        kernels.sign_block_labels(signs(member, self.active)[None], self.block, *self.labels, y)
        return self._instance(self.design, y[0])

    def moments(self, members: Any, rngs: Sequence[np.random.Generator] = ()) -> Moments:
        second, up, down, total = self._shared
        sigma = sign_rows(members, self.active)
        cross, square = np.empty((len(sigma), self.d)), np.empty(len(sigma))
        odd = kernels.sign_block_moments(sigma, up, down, total, cross, square)
        checked(odd, members, self.active)
        return self._moments(second, cross, square)

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
