"""Theorem 4 of the GLM paper for a large radius in two dimensions or more: a pair that needs no dummy point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from lowerbounds._sign_blocks import sizes
from lowerbounds.curves import Curve, Privacy
from lowerbounds.instances import HardFamily, Instance, Moments, PairOfData, batch, bit, distance_of_each, invalid

_SECOND = math.sqrt(3.0) / 2.0


def large_radius(
    n: int,
    d: int,
    epsilon: Privacy,
    delta: float = 0.0,
    *,
    x_bound: float = 1.0,
    y_bound: float = 1.0,
    radius: float = 1.0,
    constants: str = "exact",
) -> HardFamily:
    """Two data sets with minimisers of norm exactly B, B‖X‖ ≥ Y, that few records of large features tell apart.

    Both have m records ((Y/B)e_1, Y). In member 0 all other records are zero, and the minimiser is Be_1. In member
    1, k of the zeros are ((Y/B)√(m/k)e_1, 0) and one is (ce_2, (√3/2)cB), c = min(‖X‖, 2Y/(√3B)), and the minimiser
    is B(½, √3/2). With A = mY²/(B²n) the excess risks are A(w_1 − B)² and
    2A(w_1 − B/2)² + (c²/n)(w_2 − √3B/2)².

    Parameters
    ----------
    n, d : int
        Records and dimension, n ≥ 3 and d ≥ 2.
    epsilon, delta : float
        The privacy that the floor is for: 1/n ≤ ε ≤ 1, 0 ≤ δ < 1; or a privacy curve in the place of ε
        (`lowerbounds.curve`), whose ``scale`` then stands for ε in the sizes below.
    x_bound, y_bound, radius : float
        ‖X‖, Y, B with B‖X‖ ≥ Y.
    constants : {"exact", "tight"}
        What privacy says of data sets k + 1 records apart: group privacy, or all of it (`curves.Approximate`).

    Returns
    -------
    HardFamily
        Members 0 and 1; the floor is on the sum of the two mean excess risks, `mean_floor` on their mean.

    Raises
    ------
    ValueError
        For parameters outside these ranges.

    Notes
    -----
    k = min(⌊1/ε⌋, ⌊(n − 1)/2⌋), m = min(⌊kr²⌋, n − k − 1) with r = B‖X‖/Y: (Y/B)√(m/k) ≤ ‖X‖.

    Floor. Given output laws P and Q the least sum of the two risks is (mY²/4n)·Σ 2pq/(p + 2q), the minimum over w_1
    of p(w_1 − B)² + 2q(w_1 − B/2)² being (B²/4)·2pq/(p + 2q); it is smallest for the pair (P, Q) of which all
    others are post-processings.

    Constant. (k + 1)ε ≤ 1 + ε and δ ≤ (1 − e^{−ε})/16 give Σ 2pq/(p + 2q) ≥ 0.254. If m = n − k − 1 then
    m ≥ (n − 1)/2 ≥ n/3. Else m = ⌊kr²⌋ ≥ kr²/2: with k = ⌊1/ε⌋ ≥ 1/(2ε) this is at least r²/(4ε), and with
    k = ⌊(n − 1)/2⌋ ≥ n/4 already m ≥ k is enough. So m/n ≥ ¼min(1, r²/(nε)), and half the floor is at least
    (0.254/32)·Y²·min(1, r²/(nε)).
    Source: takes the place of the step "no loss of generality" of appendix A.7.
    """
    asked = sizes(n, d, (epsilon, delta, constants), (x_bound, y_bound, radius), least=(3, 2))
    n, d, claim, (x_bound, y_bound, radius) = asked
    strength, ratio = claim.strength, asked.ratio
    if ratio < 1.0:
        raise invalid("radius", f"at least y_bound/x_bound = {y_bound / x_bound:g}", radius)
    shared = min(math.floor(1.0 / strength + 1e-9), (n - 1) // 2)
    block = int(min(shared * ratio**2 * (1.0 + 1e-12), n - shared - 1))
    return _LargeRadius(
        name="large radius",
        source="Theorem 4 for B‖X‖ ≥ Y and d ≥ 2",
        how="sum of the two mean excess empirical risks, one on either data set",
        n=n,
        d=d,
        bounds=asked.bounds,
        claim=claim,
        distance=shared + 1,
        parameters={"block": block, "pulled": shared, "distance": shared + 1, "ratio": ratio},
        block=block,
        pulled=shared,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _LargeRadius(PairOfData):
    block: int
    pulled: int

    @property
    def second(self) -> float:
        """c, the feature of the record that member 1 has in the second coordinate."""
        x_bound, y_bound, radius = self.bounds
        return min(x_bound, y_bound / (_SECOND * radius))

    @property
    def box(self) -> tuple[float, float]:
        return 0.0, self.bounds[2]

    def left(self, privacy: Curve | None) -> float:
        assert privacy is not None
        p, q = privacy.pair(self.distance)
        total = p + 2.0 * q
        scale = self.block * self.bounds[1] ** 2 / (4.0 * self.n)
        return scale * float((2.0 * p * q / np.where(total > 0.0, total, 1.0)).sum())

    def largest(self, low: float, high: float) -> float:
        _, y_bound, radius = self.bounds
        far = max(high, -low) + radius
        return (2.0 * self.block * (y_bound / radius) ** 2 + self.second**2) / self.n * far**2

    def instances(self, member: int, rng: np.random.Generator | None = None) -> Instance:
        first, pulled, label = self._entries
        features = np.zeros(self.n)
        columns = np.zeros(self.n, dtype=np.int64)
        y = np.zeros(self.n)
        features[: self.block], y[: self.block] = first, self.bounds[1]
        used = self.block
        if bit(member) == 1:
            used += self.pulled + 1
            features[self.block : used - 1] = pulled
            features[used - 1], columns[used - 1] = self.second, 1
            y[used - 1] = label
        starts = np.minimum(np.arange(self.n + 1), used)
        X = sparse.csr_array((features[:used], columns[:used], starts), shape=(self.n, self.d))
        return self._instance(X, y)

    @property
    def _entries(self) -> tuple[float, float, float]:
        """Y/B, (Y/B)√(m/k), and the label of the record in the second coordinate."""
        x_bound, y_bound, radius = self.bounds
        first = y_bound / radius
        pulled = min(first * math.sqrt(self.block / self.pulled), x_bound)
        return first, pulled, min(_SECOND * self.second * radius, y_bound)

    def moments(self, members: Sequence[int], rngs: Sequence[np.random.Generator] = ()) -> Moments:
        y_bound = self.bounds[1]
        second, cross = np.zeros((2, len(members), self.d))
        square = np.full(len(members), self.block * y_bound**2 / self.n)
        first, pulled, label = self._entries
        second[:, 0], cross[:, 0] = self.block * first**2 / self.n, self.block * first * y_bound / self.n
        for k, member in enumerate(members):
            if member == 1:
                second[k, 0] += self.pulled * pulled**2 / self.n
                second[k, 1], cross[k, 1] = self.second**2 / self.n, self.second * label / self.n
                square[k] += label**2 / self.n
        return self._moments(second, cross, square)

    def minimisers(self, member: int) -> np.ndarray:
        radius, w = self.bounds[2], np.zeros(self.d)
        w[:2] = (radius, 0.0) if member == 0 else (0.5 * radius, _SECOND * radius)
        return w

    def excesses(self, members: Sequence[int], outputs: np.ndarray) -> np.ndarray:
        _, y_bound, radius = self.bounds
        centres = np.array([self.minimisers(member)[:2] for member in members])
        curvature = self.block * (y_bound / radius) ** 2 / self.n
        weights = np.array([(2.0 * curvature, self.second**2 / self.n) if k else (curvature, 0.0) for k in members])
        return distance_of_each(2, weights, centres, batch(members, outputs, self.d))
