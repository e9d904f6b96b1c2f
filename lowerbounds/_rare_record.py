"""The pair of laws for the term B²‖X‖²/n of Theorem 17 of the GLM paper: a record that n draws are likely to miss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lowerbounds import _kernels as kernels
from lowerbounds.instances import (
    RECORDS_DRAWN,
    HardFamily,
    Instance,
    Moments,
    basis_rows,
    batch,
    distance_of_each,
    invalid,
    needed,
)


@dataclass(frozen=True)
class RareRecord:
    """x = `feature`·e_1, y = `feature`·B; in member 1 with probability `chance` x = ‖X‖e_1, y = 0; see `nonprivate`."""

    n: int
    d: int
    chance: float
    feature: float
    x_bound: float
    radius: float

    def _quadratic(self, member: int) -> tuple[float, float]:
        """Curvature and minimiser of the risk in the first coordinate."""
        q = self._chance(member)
        common = (1.0 - q) * self.feature**2
        curvature = common + q * self.x_bound**2
        return curvature, common * self.radius / curvature

    def bayes_risk(self) -> float:
        """The exact Bayes risk of the notes of `nonprivate`."""
        (first, _), (second, moved) = self._quadratic(0), self._quadratic(1)
        a, b = 0.5 * first, 0.5 * second * (1.0 - self.chance) ** self.n
        return 0.5 * (self.radius - moved) ** 2 * a * b / (a + b)

    def family(self, source: str, floor: float) -> HardFamily:
        moved = self._quadratic(1)[1]
        return HardFamily(
            name="rare record", source=source, floor=floor, aggregate="mean",
            how="mean excess population risk over the two distributions and over the data",
            epsilon=None, delta=None, n=self.n, d=self.d, distance=1,
            parameters={"active": 1, "chance": self.chance, "feature": self.feature, "target": moved},
            members=self.draw, instances=self.instance, minimisers=self.minimiser, excesses=self.excesses,
            box=(moved, self.radius), largest=self.largest, moments=self.moments,
        )  # fmt: skip

    def draw(self, rng: np.random.Generator) -> int:
        return int(rng.integers(2))

    def largest(self, low: float, high: float) -> float:
        (first, far), (second, near) = self._quadratic(0), self._quadratic(1)
        return 0.5 * max(first * (far - low) ** 2, second * (high - near) ** 2)

    def instance(self, member: int, rng: np.random.Generator | None = None) -> Instance:
        chance, rare = self._chance(member), np.empty(self.n)
        kernels.draw_hits(needed(rng), chance, rare)
        X = basis_rows(np.zeros(self.n, dtype=np.int64), self.feature, self.n, self.d)
        X.data[rare > 0.0] = self.x_bound
        y = np.where(rare > 0.0, 0.0, self.feature * self.radius)
        return Instance(X, y, "half-squared", self.x_bound, self.feature * self.radius, self.radius)

    def _chance(self, member: int) -> float:
        if member not in (0, 1):
            raise invalid("member", "0 or 1", member)
        return self.chance if member else 0.0

    def moments(self, members: Sequence[int], rngs: Sequence[np.random.Generator] = ()) -> Moments:
        second, cross = np.zeros((2, len(members), self.d))
        square = np.empty(len(members))
        for k, (member, rng) in enumerate(zip(members, rngs, strict=True)):
            chance, drawn = self._chance(member), self.n <= RECORDS_DRAWN
            rare = kernels.draw_hits(rng, chance, np.empty(self.n)) if drawn else rng.binomial(self.n, chance)
            common = (self.n - rare) / self.n
            second[k, 0] = common * self.feature**2 + rare / self.n * self.x_bound**2
            cross[k, 0] = common * self.feature**2 * self.radius
            square[k] = common * (self.feature * self.radius) ** 2
        bounds = self.x_bound, self.feature * self.radius, self.radius
        return Moments(second, cross, square, "half-squared", *bounds)

    def minimiser(self, member: int) -> np.ndarray:
        w = np.zeros(self.d)
        w[0] = self._quadratic(member)[1]
        return w

    def excesses(self, members: Sequence[int], outputs: np.ndarray) -> np.ndarray:
        curvature, best = np.array([self._quadratic(member) for member in members]).T[:, :, None]
        return distance_of_each(2, 0.5 * curvature, best.copy(), batch(members, outputs, self.d))
