"""Views of vector outputs: linear maps that undo correlated noise, and summaries of a row."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpbench.auditing._log_ratio_kernels import summarise
from dpbench.auditing.cells import sorted_quantiles

SUMMARIES = 8
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


@dataclass(frozen=True)
class Summaries:
    """Largest, smallest, sum, where they are, largest in size, equal neighbours, and zeros."""

    words: str = "summaries of the row"

    def __call__(self, columns: np.ndarray) -> np.ndarray:
        made = np.empty((len(columns), SUMMARIES))
        summarise(np.ascontiguousarray(columns, dtype=np.float64), made)
        return made


@dataclass(frozen=True)
class Aimed:
    """Of symmetrically whitened coordinates, their projection on a direction, the length of the rest, and the cosine.

    Under noise whose whitened law is spherical, a shift along the direction moves nothing else.
    """

    whitened: Linear
    direction: np.ndarray
    words: str = "the projection on the difference of the means, the length of the rest and the angle between them"

    def __call__(self, columns: np.ndarray) -> np.ndarray:
        return self.of(self.whitened(columns))

    def of(self, x: np.ndarray) -> np.ndarray:
        """The three columns, from whitened coordinates."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            along = x @ self.direction
            whole = np.sqrt(np.einsum("ij,ij->i", x, x))
            rest = np.sqrt(np.maximum(whole * whole - along * along, 0.0))
            return np.nan_to_num(np.column_stack([along, rest, along / np.maximum(whole, 1e-300)]))


def linear_views(first: np.ndarray, second: np.ndarray) -> list[View]:
    """Whitening by the mean covariance of the two sides: triangular (undoes running sums in order), and symmetric.

    The symmetric one turns the coordinates least; the triangular one is exact for noise added step by step.
    Columns whose covariance is not finite give none. With the symmetric one, `Aimed` along the difference of the means.
    """
    step = max(1, 2 * len(first) // WINSOR_ROWS)
    ordered = np.sort(np.hstack([first[::step].T, second[::step].T]), axis=1).T
    with np.errstate(all="ignore"):
        low, high = sorted_quantiles(ordered, np.array([WINSOR, 1.0 - WINSOR]))
        centre = 0.5 * low + 0.5 * high
        scale = np.where(high > low, high - low, 1.0)
    if not (np.isfinite(centre).all() and np.isfinite(scale).all()):
        return []
    (one, mean), (other, away) = (_moments(side, low, high, centre, scale) for side in (first, second))
    covariance = 0.5 * (one + other)
    covariance[np.diag_indices_from(covariance)] += 1e-12
    values, vectors = np.linalg.eigh(covariance)
    made = {"symmetrically": (vectors / np.sqrt(np.maximum(values, 1e-12))) @ vectors.T}
    with suppress(np.linalg.LinAlgError):
        made["triangularly"] = np.linalg.inv(np.linalg.cholesky(covariance)).T
    with np.errstate(over="ignore"):
        matrices = {how: matrix / scale[:, None] for how, matrix in made.items()}
    found: list[View] = []
    for how, matrix in matrices.items():
        if np.isfinite(matrix).all():
            linear = Linear(centre, matrix, f"{how} whitened coordinates")
            found.append(linear)
            if how == "symmetrically":
                apart = (mean - away) @ made[how]
                found.append(Aimed(linear, apart / max(float(np.linalg.norm(apart)), 1e-300)))
    return found


def _moments(
    rows: np.ndarray, low: np.ndarray, high: np.ndarray, centre: np.ndarray, scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Covariance and means of the scaled columns, after what is far out was pulled in."""
    tame = np.clip(rows, low, high)
    tame -= centre
    tame /= scale
    tame[np.isnan(tame)] = 0.0
    mean = tame.mean(axis=0)
    tame -= mean
    return tame.T @ tame / max(len(tame) - 1, 1), mean
