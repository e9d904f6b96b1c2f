"""A log-ratio on a plane: of the projection on the difference of the means and of the length of the rest, together.

Where the noise, once whitened, has a spherical law, as the noise of density e^{−‖x‖} of output and objective
perturbation, the log-ratio is a function of these two numbers, and of no sum of functions of each. It is fitted as the
log-ratios of single columns are (`log_ratio`): a sparse logistic regression of the side on products of ramps in the
two normal scores. It only guides the choice of events: no bound depends on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from dpbench.auditing.cells import sorted_quantiles
from dpbench.auditing.chains import placed
from dpbench.auditing.log_ratio import ramps, smooth_surface
from dpbench.auditing.views import Aimed

SCORES = np.linspace(-3.0, 3.0, 48)  # normal scores at which each of the two is cut into cells,
KNOTS = np.array([-2.0, -1.25, -0.5, 0.25, 1.0, 1.75])  # and between which its ramps rise


@dataclass(frozen=True)
class Planar:
    """Piecewise constant on the products of cells.

    Attributes
    ----------
    view : Aimed
    edges : (float64[k], float64[k])
        Of the cells of the projection and of the length of the rest.
    log_ratios : float64[k + 1, k + 1]
    """

    view: Aimed
    edges: tuple[np.ndarray, np.ndarray]
    log_ratios: np.ndarray

    words = "log-ratio of the projection on the difference of the means and the length of the rest"

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        return self.log_ratios[_cells(self.view(outputs), self.edges)]

    def relearned(self, first: np.ndarray, second: np.ndarray) -> Planar:
        """The same view, the log-ratios learned from these outputs."""
        return planar(self.view, self.view(first), self.view(second))


def planar(view: Aimed, first: np.ndarray, second: np.ndarray) -> Planar:
    """`Planar` from the columns of a view on the two sides.

    Parameters
    ----------
    view : Aimed
    first, second : float64, shape (rows, k)
        The projection and the length of the rest are the first two columns.
    """
    ordered = np.sort(np.concatenate([first[:, :2], second[:, :2]]), axis=0)
    edges = [np.unique(column) for column in sorted_quantiles(ordered, ndtr(SCORES)).T]
    shape = len(edges[0]) + 1, len(edges[1]) + 1
    counts = []
    for side in (first, second):
        one, other = _cells(side, (edges[0], edges[1]))
        counts.append(np.bincount(one * shape[1] + other, minlength=shape[0] * shape[1]).astype(np.float64))
    both = (counts[0] + counts[1]).reshape(shape)
    along, rest = (ramps(both.sum(axis=1 - axis), KNOTS) for axis in (0, 1))
    design = (along[:, None, :, None] * rest[None, :, None, :]).reshape(shape[0] * shape[1], -1)
    return Planar(view, (edges[0], edges[1]), smooth_surface(counts[0], counts[1], design).reshape(shape))


def _cells(columns: np.ndarray, edges: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return placed(columns[:, 0], edges[0]), placed(columns[:, 1], edges[1])
