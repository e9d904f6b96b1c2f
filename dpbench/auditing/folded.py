"""The distance of a number from a centre: two tails as one event, for scales.

It learns the centre alone, the median of both sides or the middle of an interval, so that its threshold may rest on all
the rows, as that of the number itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpbench.auditing.scores import Plain


@dataclass(frozen=True)
class Folded(Plain):
    """|x − centre|; NaN counts as −infinity. `chosen`: the centre is that of an interval chosen by its promise."""

    centre: float = 0.0
    chosen: bool = False

    @property
    def words(self) -> str:
        """What the score is called."""
        return f"distance of the output from {self.centre:.6g}"

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        distance = np.abs(np.asarray(outputs, dtype=np.float64) - self.centre)
        return np.where(np.isnan(distance), -np.inf, distance)


def folded(first: np.ndarray, second: np.ndarray, middles: Sequence[float]) -> list[Folded]:
    """`Folded` around the pooled median of two samples, and around each of these middles, as far as finite.

    Parameters
    ----------
    first, second : array, shape (rows,)
    middles : sequence of float
        Of intervals that promise much.
    """
    centres = float(np.median(np.concatenate([first, second]))), *middles
    return [Folded(None, centre, k > 0) for k, centre in enumerate(centres) if np.isfinite(centre)]
