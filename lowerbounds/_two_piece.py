"""The one-dimensional family of Theorem 16 of the GLM paper: two-piece loss, labels ±M."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lowerbounds import _kernels as kernels
from lowerbounds._sign_blocks import SignFamily
from lowerbounds.curves import Curve
from lowerbounds.instances import Instance, basis_rows, batch, invalid, needed, signs


def best_two_piece(n: int, x_bound: float, label: float) -> TwoPiece:
    """The bias ρ with the largest floor, on a grid around 1/√n."""
    if label < 1.0:
        raise invalid("min(y_bound, radius*x_bound)", "at least 1 for theorem '16'", label)
    grid = (_two_piece(n, min(0.9, c / math.sqrt(n)), x_bound, label) for c in np.geomspace(0.2, 3.0, 28).tolist())
    return max(grid, key=lambda family: family.floor)


def _two_piece(n: int, bias: float, x_bound: float, label: float) -> TwoPiece:
    # z* = ⟨w*, x⟩ for σ = +1, within 1/2 of the label: 2(z − M)(1 + ρ)/2 + (1 − ρ)/2 = 0.
    best = label - (1.0 - bias) / (2.0 * (1.0 + bias))
    target = best / x_bound
    return TwoPiece(
        name="two-piece",
        source="Theorem 16",
        how="mean excess population risk over the two signs and over the data",
        n=n,
        d=1,
        bounds=(2.0 * x_bound, 2.0 * label, label / x_bound),
        parameters={"bias": bias, "label": label, "target": target},
        active=1,
        target=target,
        bias=bias,
        x_bound=x_bound,
        label=label,
        best=best,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoPiece(SignFamily):
    """x = ‖X‖, y = ±`label` with mean σ·bias·label, one sign σ; see `nonprivate`. `best` is ⟨w*, x⟩ for σ = 1."""

    bias: float
    x_bound: float
    label: float
    best: float

    loss: ClassVar[str] = "huber"

    def left(self, privacy: Curve | None = None) -> float:
        """e₊(0)·(1 − TV) between the laws of the number of positive labels, Bin(n, (1 ± ρ)/2)."""
        from scipy.stats import binom  # half a second to import, and most families need none

        hits = likely_counts(self.n, self.bias)
        up, down = (binom.pmf(hits, self.n, 0.5 * (1.0 + s * self.bias)) for s in (1, -1))
        return float(self.excess(np.ones(1), np.zeros((1, 1)))[0]) * float(np.minimum(up, down).sum())

    def largest(self, low: float, high: float) -> float:
        ends = np.array([[low], [high]])  # the excess is convex
        return max(float(self.excess(np.array([sign]), ends).max()) for sign in (-1.0, 1.0))

    def instances(self, member: np.ndarray, rng: np.random.Generator | None = None) -> Instance:
        hits = np.empty(self.n)
        kernels.draw_hits(needed(rng), 0.5 * (1.0 + self.bias * float(signs(member, 1)[0])), hits)
        X = basis_rows(np.zeros(self.n, dtype=np.int64), 2.0 * self.x_bound, self.n, 1)
        return self._instance(X, 2.0 * np.where(hits > 0.0, self.label, -self.label))

    def excesses(self, members: Sequence[np.ndarray], outputs: np.ndarray) -> np.ndarray:
        turned, stacked = np.array([signs(member, 1)[0] for member in members]), batch(members, outputs, 1)
        out = np.empty(stacked.shape[:2])
        kernels.two_piece_excess(turned, self.bias, self.label, self.x_bound, self._lowest, stacked, out)
        return out

    @property
    def _lowest(self) -> float:
        """The risk of the minimiser, z* = `best`."""
        up = 0.5 * (1.0 + self.bias)
        near, far = self.label - self.best, self.label + self.best  # within 1/2, and beyond it
        return up * near * near + (1.0 - up) * (far - 0.25)


def likely_counts(trials: int, bias: float) -> np.ndarray:
    """The counts within 9 standard deviations of the means of Bin(trials, (1 ± bias)/2)."""
    half, reach = 0.5 * trials, 0.5 * trials * bias + 4.5 * math.sqrt(trials)
    return np.arange(max(0, math.floor(half - reach)), min(trials, math.ceil(half + reach)) + 1)
