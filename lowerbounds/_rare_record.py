"""The pair of laws for the term B²‖X‖²/n of Theorem 17 of the GLM paper: a record that n draws are likely to miss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lowerbounds import _kernels as kernels
from lowerbounds.curves import Curve
from lowerbounds.instances import (
    RECORDS_DRAWN,
    HardFamily,
    Instance,
    Moments,
    basis_rows,
    batch,
    bit,
    distance_of_each,
    needed,
)


def rare_record(
    n: int, d: int, chance: float, feature: float, x_bound: float, radius: float, source: str
) -> RareRecord:
    """The pair with these q and γ."""
    moved = _quadratic(chance, feature, x_bound, radius)[1]
    return RareRecord(
        name="rare record",
        source=source,
        how="mean excess population risk over the two distributions and over the data",
        n=n,
        d=d,
        bounds=(x_bound, feature * radius, radius),
        parameters={"active": 1, "chance": chance, "feature": feature, "target": moved},
        chance=chance,
        feature=feature,
    )


def _quadratic(chance: float, feature: float, x_bound: float, radius: float) -> tuple[float, float]:
    """Curvature and minimiser of the risk in the first coordinate."""
    common = (1.0 - chance) * feature**2
    curvature = common + chance * x_bound**2
    return curvature, common * radius / curvature


def rare_bayes_risk(n: int, chance: float, feature: float, x_bound: float, radius: float) -> float:
    """The exact Bayes risk of the notes of `nonprivate`."""
    (first, _), (second, moved) = (_quadratic(q, feature, x_bound, radius) for q in (0.0, chance))
    a, b = 0.5 * first, 0.5 * second * (1.0 - chance) ** n
    return 0.5 * (radius - moved) ** 2 * a * b / (a + b)


@dataclass(frozen=True, eq=False, kw_only=True)
class RareRecord(HardFamily):
    """x = `feature`·e_1, y = `feature`·B; in member 1 with probability `chance` x = ‖X‖e_1, y = 0; see `nonprivate`."""

    chance: float
    feature: float

    loss: ClassVar[str] = "half-squared"

    def _quadratic(self, member: int) -> tuple[float, float]:
        return _quadratic(self._chance(member), self.feature, self.bounds[0], self.bounds[2])

    def _chance(self, member: int) -> float:
        return self.chance if bit(member) else 0.0

    @property
    def box(self) -> tuple[float, float]:
        return self._quadratic(1)[1], self.bounds[2]

    def left(self, privacy: Curve | None = None) -> float:
        return rare_bayes_risk(self.n, self.chance, self.feature, self.bounds[0], self.bounds[2])

    def members(self, rng: np.random.Generator) -> int:
        return int(rng.integers(2))

    def largest(self, low: float, high: float) -> float:
        (first, far), (second, near) = self._quadratic(0), self._quadratic(1)
        return 0.5 * max(first * (far - low) ** 2, second * (high - near) ** 2)

    def instances(self, member: int, rng: np.random.Generator | None = None) -> Instance:
        chance, rare = self._chance(member), np.empty(self.n)
        kernels.draw_hits(needed(rng), chance, rare)
        X = basis_rows(np.zeros(self.n, dtype=np.int64), self.feature, self.n, self.d)
        X.data[rare > 0.0] = self.bounds[0]
        return self._instance(X, np.where(rare > 0.0, 0.0, self.bounds[1]))

    def moments(self, members: Sequence[int], rngs: Sequence[np.random.Generator] = ()) -> Moments:
        second, cross = np.zeros((2, len(members), self.d))
        square = np.empty(len(members))
        x_bound, y_bound, radius = self.bounds
        for k, (member, rng) in enumerate(zip(members, rngs, strict=True)):
            chance, drawn = self._chance(member), self.n <= RECORDS_DRAWN
            rare = kernels.draw_hits(rng, chance, np.empty(self.n)) if drawn else rng.binomial(self.n, chance)
            common = (self.n - rare) / self.n
            second[k, 0] = common * self.feature**2 + rare / self.n * x_bound**2
            cross[k, 0] = common * self.feature**2 * radius
            square[k] = common * y_bound**2
        return self._moments(second, cross, square)

    def minimisers(self, member: int) -> np.ndarray:
        w = np.zeros(self.d)
        w[0] = self._quadratic(member)[1]
        return w

    def excesses(self, members: Sequence[int], outputs: np.ndarray) -> np.ndarray:
        curvature, best = np.array([self._quadratic(member) for member in members]).T[:, :, None]
        return distance_of_each(2, 0.5 * curvature, best.copy(), batch(members, outputs, self.d))
