"""The noise-free absolute loss, on which the rates of Theorems 5 and 10 are measured."""

from __future__ import annotations

import math

import numpy as np

from dpbench.papers.glm.populations import ScaledBasis

DELTA = 1e-5
CONSTANT = 0.002
"""The factor that Theorem 10 leaves in k = O(log(2n/δ)nε): with it the noise stays below the zero predictor's risk."""
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
