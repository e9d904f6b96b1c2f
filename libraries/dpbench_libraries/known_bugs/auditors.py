"""The auditors that are compared, on the same runs: each says whether they refute the claim, at one level.

Ours is `dpbench.audit_samples`. jax-privacy's takes numbers: of rows with several it sees the score of a linear
discriminant, fitted to the first fifth of the rows, on the rest; it bounds one direction, so that half the level goes
to either. The classifier is the one of `studies.arrays`, in the manner of DP-Sniper.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from dpbench import audit_samples
from dpbench.core.validation import MissingExtra, extra

Refutes = Callable[[np.ndarray, np.ndarray, float, float, float, int], bool]
"""``refutes(outputs, others, epsilon, delta, alpha, seed)``."""


def ours(first: np.ndarray, second: np.ndarray, epsilon: float, delta: float, alpha: float, seed: int) -> bool:
    result = audit_samples(first, second, epsilon=epsilon, delta=delta, confidence=1.0 - alpha, seed=seed)
    return result.verdict == "refuted"


def classifier(first: np.ndarray, second: np.ndarray, epsilon: float, delta: float, alpha: float, seed: int) -> bool:
    from studies.arrays import sniped

    with threadpool_limits(1):  # its threads would wait for each other, busily
        return sniped(first, second, delta, alpha) > epsilon


def jax_privacy(first: np.ndarray, second: np.ndarray, epsilon: float, delta: float, alpha: float, seed: int) -> bool:
    auditing = extra("jax_privacy.auditing", "bench")
    one, other = scores(first, second)
    bounds = [
        auditing.CanaryScoreAuditor(*pair).epsilon_clopper_pearson(
            0.5 * alpha, delta, threshold_strategy=auditing.Split(0.5, seed=seed)
        )
        for pair in ((one, other), (-other, -one))
    ]
    return max(bounds) > epsilon


def scores(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One number a row: the output, or a linear discriminant from rows then left out; NaN is below all numbers."""
    sides = [np.nan_to_num(side.reshape(len(side), -1), nan=-1e6) for side in (first, second)]
    if sides[0].shape[1] == 1:
        return sides[0][:, 0], sides[1][:, 0]
    cuts = [len(side) // 5 for side in sides]
    fit = [side[:cut] for side, cut in zip(sides, cuts, strict=True)]
    scale = np.std(np.concatenate(fit), axis=0) + 1e-12
    fit = [side / scale for side in fit]
    within = sum(np.cov(side.T) for side in fit) + 1e-3 * np.eye(len(scale))
    direction = np.linalg.solve(within, fit[0].mean(axis=0) - fit[1].mean(axis=0))
    one, other = (side[cut:] / scale @ direction for side, cut in zip(sides, cuts, strict=True))
    return one, other


def available() -> dict[str, Refutes]:
    """The auditors that are installed, ours first."""
    auditors: dict[str, Refutes] = {"dpbench": ours, "classifier": classifier}
    try:
        extra("jax_privacy.auditing", "bench")
    except MissingExtra:
        return auditors
    return {**auditors, "jax-privacy": jax_privacy}
