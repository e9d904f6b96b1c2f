"""How far one record can move a gradient: sup ‖∇ℓ‖ and D = sup ‖∇ℓ(w; z) − ∇ℓ(w; z')‖ over ball and records.

For any loss D ≤ 2‖X‖·sup |φ'|. Losses whose D is known exactly have it among their constants, with its derivation
(`dpbench.papers.glm.loss_constants`).
"""

from __future__ import annotations

from functools import lru_cache

from dpbench.core import validation
from dpbench.papers.glm.losses import Loss

_UP = 1.0 + 1e-12  # the noise rests on these numbers: rounded up by more than the arithmetic can lose


def gradient_bound(loss: Loss, x_bound: float, y_bound: float, radius: float) -> float:
    """sup over ‖w‖ ≤ B and admissible records of ‖∇ℓ(w; (x, y))‖ = ‖X‖·sup |φ'| on |z| ≤ B‖X‖."""
    return x_bound * loss.derivative_bound(radius * x_bound, y_bound)


@lru_cache(maxsize=4096, typed=True)  # asked for in every block of trials
def gradient_gap(loss: Loss, x_bound: float, y_bound: float, radius: float, dimension: int) -> float:
    """D = sup over ‖w‖ ≤ B and pairs of admissible records of ‖∇ℓ(w; z) − ∇ℓ(w; z')‖.

    Parameters
    ----------
    loss : Loss
    x_bound, y_bound, radius : float
        ‖X‖, the bound on |y| and B.
    dimension : int
        d; only whether it is 1 matters.

    Returns
    -------
    float
        D, or a bound on it for a loss without a sharper constant; rounded up, and never above twice
        `gradient_bound`. An upper bound also for the capped-linear loss on a ball that reaches beyond
        ``end + y_bound`` in two dimensions or more.
    """
    one_dimensional = validation.integer("dimension", dimension, at_least=1) == 1
    twice = 2.0 * gradient_bound(loss, x_bound, y_bound, radius)
    if loss.sharper.gap is None:
        return twice
    unit = loss.sharper.gap(loss, radius * x_bound, y_bound, one_dimensional)
    return min(x_bound * unit * _UP, twice)
