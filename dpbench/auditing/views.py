"""Views of vector outputs: linear maps that undo correlated noise."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpbench.auditing.cells import sorted_quantiles

WINSOR = 0.005  # mass beyond which values are pulled in before covariances are taken
STRETCH = 2**16  # numbers mapped at a time: what is between stays in the processor's cache
WINSOR_ROWS = 8192  # from which the winsorised range is read, of both sides together


class View(Protocol):
    """Columns made from columns."""

    @property
    def words(self) -> str: ...

    def __call__(self, columns: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class Linear:
    """(x − centre) times a matrix; what is not finite counts as the centre."""

    centre: np.ndarray
    matrix: np.ndarray
    words: str

    def __call__(self, columns: np.ndarray) -> np.ndarray:
        made = np.empty((len(columns), self.matrix.shape[1]))
        with np.errstate(over="ignore", invalid="ignore"):
            stretch = max(STRETCH // columns.shape[1], 64)
            for start in range(0, len(columns), stretch):
                rows = slice(start, start + stretch)
                moved = np.asarray(columns[rows], dtype=np.float64) - self.centre
                np.matmul(moved, self.matrix, out=made[rows])
                odd = ~np.isfinite(made[rows].sum(axis=1))  # so is every row with such a value
                if odd.any():
                    some = moved[odd]
                    some[~np.isfinite(some)] = 0.0
                    made[rows][odd] = some @ self.matrix
        return made


def linear_views(first: np.ndarray, second: np.ndarray) -> list[Linear]:
    """Whitening by the mean covariance of the two sides: triangular (undoes running sums in order), and symmetric.

    The symmetric one turns the coordinates least; the triangular one is exact for noise added step by step.
    Columns whose covariance is not finite give none.
    """
    step = max(1, 2 * len(first) // WINSOR_ROWS)
    ordered = np.sort(np.hstack([first[::step].T, second[::step].T]), axis=1).T
    with np.errstate(all="ignore"):
        low, high = sorted_quantiles(ordered, np.array([WINSOR, 1.0 - WINSOR]))
        centre = 0.5 * low + 0.5 * high
        scale = np.where(high > low, high - low, 1.0)
    if not (np.isfinite(centre).all() and np.isfinite(scale).all()):
        return []
    one, other = (_covariance(side, low, high, centre, scale) for side in (first, second))
    covariance = 0.5 * (one + other)
    covariance[np.diag_indices_from(covariance)] += 1e-12
    values, vectors = np.linalg.eigh(covariance)
    made = {"symmetrically": (vectors / np.sqrt(np.maximum(values, 1e-12))) @ vectors.T}
    with suppress(np.linalg.LinAlgError):
        made["triangularly"] = np.linalg.inv(np.linalg.cholesky(covariance)).T
    with np.errstate(over="ignore"):
        matrices = {how: matrix / scale[:, None] for how, matrix in made.items()}
    return [Linear(centre, m, f"{how} whitened coordinates") for how, m in matrices.items() if np.isfinite(m).all()]


def _covariance(
    rows: np.ndarray, low: np.ndarray, high: np.ndarray, centre: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    """Covariance of the scaled columns, after what is far out was pulled in."""
    tame = np.clip(rows, low, high)
    tame -= centre
    tame /= scale
    tame[np.isnan(tame)] = 0.0
    tame -= tame.mean(axis=0)
    return np.asarray(tame.T @ tame / max(len(tame) - 1, 1))
