"""How far one record can move a gradient: sup ‖∇ℓ‖ and D = sup ‖∇ℓ(w; z) − ∇ℓ(w; z')‖ over ball and records."""

from __future__ import annotations

from dpbench.losses import Loss


def gradient_bound(loss: Loss, x_bound: float, y_bound: float, radius: float) -> float:
    """sup over ‖w‖ ≤ B and admissible records of ‖∇ℓ(w; (x, y))‖ = ‖X‖·sup |φ'| on |z| ≤ B‖X‖."""
    return x_bound * loss.derivative_bound(radius * x_bound, y_bound)


def gradient_gap(loss: Loss, x_bound: float, y_bound: float, radius: float, dimension: int) -> float:
    """D, at most twice `gradient_bound`."""
    return 2.0 * gradient_bound(loss, x_bound, y_bound, radius)
