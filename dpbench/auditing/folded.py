"""The distance of a number from a centre: two tails as one event, for scales.

It learns the centre alone, the median of both sides, so that its threshold may rest on all the rows, as that of the
number itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpbench.auditing.scores import Plain


@dataclass(frozen=True)
class Folded(Plain):
    """|x − centre|; NaN counts as −infinity."""

    centre: float = 0.0

    @property
    def words(self) -> str:
        """What the score is called."""
        return f"distance of the output from {self.centre:.6g}"

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        distance = np.abs(np.asarray(outputs, dtype=np.float64) - self.centre)
        return np.where(np.isnan(distance), -np.inf, distance)


def folded(first: np.ndarray, second: np.ndarray) -> Folded | None:
    """`Folded` around the pooled median of two increasing samples; None where that is not finite."""
    centre = float(np.median(np.concatenate([first, second])))
    return Folded(None, centre) if np.isfinite(centre) else None
