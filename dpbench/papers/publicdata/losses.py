"""Losses ℓ(f, y) of the public-data paper for predictions and labels in [−1, 1], scaled into [0, 1]."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpbench.core import validation

LOSSES = ("zero-one", "absolute", "squared", "huber")
LIPSCHITZ = {"absolute": 0.5, "squared": 1.0, "huber": 2.0 / 3.0}
"""λ: Lipschitz constants in the first argument on [−1, 1]; zero-one has none."""

CONVEX = tuple(LIPSCHITZ)
_HUBER_TOP = 1.5  # Huber's loss with threshold 1 at the largest residual, 2


def loss_name(value: Any, name: str = "loss") -> str:
    """One of `LOSSES`."""
    return validation.choice(name, value, LOSSES)


def loss_value(loss: str, predictions: Any, labels: Any) -> np.ndarray:
    """ℓ(f, y) elementwise, broadcast.

    "zero-one": 1[f ≠ y] · "absolute": |f − y|/2 · "squared": (f − y)²/4 · "huber": h(f − y)/1.5, where h is r²/2
    up to |r| = 1 and |r| − 1/2 beyond.
    """
    residuals = np.asarray(predictions, dtype=np.float64) - np.asarray(labels, dtype=np.float64)
    if loss == "zero-one":
        return np.where(residuals != 0.0, 1.0, 0.0)
    sizes = np.abs(residuals)
    if loss == "absolute":
        return 0.5 * sizes
    if loss == "squared":
        return 0.25 * residuals * residuals
    return np.where(sizes <= 1.0, 0.5 * sizes * sizes, sizes - 0.5) / _HUBER_TOP
