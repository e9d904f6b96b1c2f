"""The two oracles of a problem: over its records and public points together, and over its public points alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from dpbench.papers.publicdata.objective import BATCH, Objective, Prepared, erm_last, prepare
from dpbench.papers.publicdata.problem import PublicDataProblem


@dataclass(frozen=True, eq=False)
class JointOracle:
    """An oracle over the private records, equal ones counted once, followed by the public points.

    Attributes
    ----------
    labels, counts : ndarray, shape (k,)
        Labels and multiplicities of the k ≤ n different records.
    m : int
        Public points.
    """

    labels: np.ndarray
    counts: np.ndarray
    m: int
    prepared: Prepared

    def objective(self, loss: str, weight: float, quadratic: float = 0.0) -> Objective:
        """`weight` times the summed loss of the records plus `quadratic`·Σ f(Z_i)²."""
        k = self.counts.shape[0]
        squares = np.concatenate([np.zeros(k), np.full(self.m, quadratic)])
        weights = np.concatenate([weight * self.counts, np.zeros(self.m)])
        return Objective(np.concatenate([self.labels, np.ones(self.m)]), weights, 0.0, squares, loss)

    def erm_many(self, objective: Objective, linear: np.ndarray) -> np.ndarray:
        """Minimisers of objective + Σ linear_ri·f(Z_i), a row each: shape (calls, width)."""
        return erm_last(self.prepared, objective, linear)


def joint(problem: PublicDataProblem) -> JointOracle:
    """The oracle over records and public points, prepared once a problem."""
    return _joint(problem, id(problem.hypotheses))


def on_public(problem: PublicDataProblem) -> Prepared:
    """The oracle over the public points alone: it is built from what is public, and keeps nothing between calls."""
    return _on_public(problem, id(problem.hypotheses))


# Equal problems may hold one class twice, once with its calls counted: the key has the object itself.
@lru_cache(maxsize=4)
def _joint(problem: PublicDataProblem, holder: int) -> JointOracle:
    keys = [problem.y, *np.atleast_2d(problem.x.T)]
    runs = np.flatnonzero(_changes(keys))  # equal records that stand together need no sorting
    sort = np.lexsort([key[runs] for key in keys])
    order, lengths = runs[sort], np.diff(np.append(runs, problem.n))[sort]
    first = np.flatnonzero(_changes([key[order] for key in keys]))
    kept = order[first]
    counts = np.add.reduceat(lengths, first).astype(np.float64)
    prepared = prepare(problem.hypotheses, np.concatenate([problem.x[kept], problem.public]))
    return JointOracle(problem.y[kept], counts, problem.m, prepared)


def _changes(keys: list[np.ndarray]) -> np.ndarray:
    """Whether each record differs from the one before it in one of the keys; the first does."""
    changed = np.zeros(len(keys[0]), dtype=bool)
    changed[0] = True
    for key in keys:
        changed[1:] |= key[1:] != key[:-1]
    return changed


@lru_cache(maxsize=4)
def _on_public(problem: PublicDataProblem, holder: int) -> Prepared:
    return prepare(problem.hypotheses, problem.public)


def nearest(problem: PublicDataProblem, targets: np.ndarray) -> np.ndarray:
    """argmin over F of ‖f − target‖_m for each row of `targets`, shape (trials, m): shape (trials, width).

    One oracle call a different row, of (1/m)·Σ f(Z_i)² − 2·target_i·f(Z_i): a function of the row and of what is
    public, ties included.
    """
    m = problem.m
    seen: dict[bytes, int] = {}
    place = [seen.setdefault(row.tobytes(), len(seen)) for row in targets]
    different = targets[np.unique(place, return_index=True)[1]]
    objective = Objective(np.ones(m), 0.0, 0.0, 1.0 / m, "squared")
    oracle = on_public(problem)
    step = max(1, BATCH // m)
    starts = range(0, len(different), step)
    parts = [oracle.erm_many(objective, different[at : at + step] * (-2.0 / m)) for at in starts]
    return np.concatenate(parts)[place]


def public_values(problem: PublicDataProblem, outputs: np.ndarray) -> Any:
    """f(Z_1), …, f(Z_m) of each row of `outputs`, shape (trials, m).

    The rows are filled up to a multiple of 8: the bits of a row of a product depend on how many there are otherwise.
    """
    filled = np.concatenate([outputs, np.repeat(outputs[:1], -len(outputs) % 8, axis=0)])
    return problem.hypotheses.predict(filled, problem.public)[: len(outputs)]
