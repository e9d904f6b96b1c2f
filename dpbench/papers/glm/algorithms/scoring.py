"""Disjoint parts of a data set, and losses on one of them clipped to their range over the ball.

What grid search and boosting share. Clipping makes the privacy of a selection unconditional: a model outside the
ball (output perturbation adds noise after the projection) has losses without a bound, but no clipped loss leaves
the range that the losses of the ball have, so that one record moves a mean over n of them by at most its length/n.

For the JL method the ball is that of R^k (appendix C.4): Φᵀw̃ may be long, but it predicts ⟨Φᵀw̃, x⟩ = ⟨w̃, Φx⟩, so
its losses are those of w̃ on the projected records, and their range is that over |z| ≤ 2B(1 + α)‖X‖.
"""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from dpbench.core import aligned, validation
from dpbench.core.sampling import block_width, check_rng
from dpbench.papers.glm.algorithms._score_kernels import ROWS, add_clipped
from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.problem import GLMProblem, glm_problem
from dpbench.privacy.add_remove import CUTS
from dpbench.privacy.mechanism import Mechanism
from dpbench.privacy.profile import Profile

_ROUNDING = 1e-12  # a projection may leave a model outside the ball by rounding: it counts as inside
_ENTRIES = 4_000_000  # of a tile of losses, trials × records
_MODELS = 64  # scored together
_LANES = 8  # models beside each other are padded to a multiple of this
_WORK = 2e8  # multiply-adds in a call
_LARGE = 4096  # records from which it is worth asking whether they are few different ones
_DIFFERENT = 64  # at most so many
_MOMENTS = 4096  # up to this dimension a d × d matrix of moments is worth having
_parts: WeakKeyDictionary[GLMProblem, dict[Any, tuple[tuple[GLMProblem, ...], ...]]] = WeakKeyDictionary()
_lock = threading.Lock()


def budgeted(name: str, value: Any) -> Any:
    """A base: an instance of a mechanism with a budget to replace."""
    fields = getattr(type(value), "__dataclass_fields__", {})
    if not ({"epsilon", "delta"} <= set(fields) and callable(value) and hasattr(value, "guarantee")):
        raise validation.invalid(name, "a mechanism instance, a dataclass with epsilon, delta and a guarantee", value)
    return value


Base = Annotated[Any, budgeted]


class Selection(Mechanism):
    """What grid search and boosting share: models of a base on one part of the records, a private choice on another."""

    base: Any
    epsilon: float
    delta: float

    checked = staticmethod(glm_problem)
    replace_only = CUTS

    def _chosen(self, problem: GLMProblem, width: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The number of each chosen model, shape (width,), and all models, shape (models, width, d)."""
        raise NotImplementedError

    def choose(self, problem: GLMProblem, trials: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The chosen model's number, shape (trials,), and all models, shape (models, trials, d)."""
        p = self.checked(problem)
        check_rng(rng)
        trials = validation.integer("trials", trials, at_least=1)
        width = block_width(p)
        chosen, models = zip(*(self._chosen(p, width, rng) for _ in range(0, trials, width)), strict=True)
        return np.concatenate(chosen)[:trials], np.concatenate(models, axis=1)[:, :trials]

    def _draw(self, problem: GLMProblem, width: int, rows: int, rng: np.random.Generator) -> np.ndarray:
        chosen, models = self._chosen(problem, width, rng)
        return models[chosen, np.arange(width)][:rows]


def prediction_bound(base: Any, problem: GLMProblem) -> float:
    """|⟨w, x⟩| up to which the losses of `base`'s models are not clipped: its own bound where it has one, else B‖X‖."""
    own = getattr(base, "prediction_bound", None)
    return problem.radius * problem.x_bound if own is None else float(own(problem))


def pair_or_guarantee(base: Any, problem: GLMProblem, neighbour: GLMProblem) -> Profile:
    """The base's profile of a pair where it composes, else its guarantee."""
    pair: Profile = base.pair_profile(problem, neighbour)
    guarantee: Profile = base.guarantee(problem)
    return guarantee if pair.kind == "lower" else pair


def loss_range(loss: Loss, y_bound: float, reach: float) -> tuple[float, float]:
    """Bounds on φ(z, y) over |z| ≤ `reach` = B‖X‖ and the labels |y| ≤ `y_bound`; both attained by our losses.

    For a non-negative smooth loss the supremum is at most (‖Y‖ + √(H/2)·reach)² ≤ 2‖Y‖² + H·reach².
    """
    low, high, _ = loss.span(reach, y_bound)
    return low, high


def loss_width(problem: GLMProblem, reach: float) -> float:
    """sup − inf of the loss over |z| ≤ `reach` and all labels: what one record can move a clipped loss."""
    return problem.loss.span(reach, problem.y_bound)[2]


def clipped_risk(problem: GLMProblem, outputs: np.ndarray, reach: float | np.ndarray) -> np.ndarray:
    """The mean over the records of φ clipped to its range over |z| ≤ `reach`, for each row of `outputs`: (trials,).

    `reach` is one number, or one for each row. A model with ‖w‖‖X‖ ≤ `reach` is never clipped, so a quadratic loss
    needs its sufficient statistics only. Where many records are few different ones, each of those is met once.
    """
    reaches, which = np.unique(np.broadcast_to(reach, outputs.shape[:1]), return_inverse=True)
    ranges = [loss_range(problem.loss, problem.y_bound, float(each)) for each in reaches]
    low, high = np.array(ranges).reshape(-1, 2)[which].T
    risks = np.empty(outputs.shape[0])
    inside = np.zeros(outputs.shape[0], dtype=bool)
    if _has_moments(problem):
        inside = np.linalg.norm(outputs, axis=1) * problem.x_bound <= reaches[which] * (1.0 + _ROUNDING)
        risks[inside] = _quadratic_risk(problem, outputs[inside])
    rest = np.flatnonzero(~inside)
    repeated = different_records(problem) if rest.size else None
    records, weights = (problem, np.full(problem.n, 1.0 / problem.n)) if repeated is None else repeated
    for tile in np.array_split(rest, -(-rest.size // _MODELS)) if rest.size else []:
        risks[tile] = _weighted_losses(records, weights, outputs[tile], low[tile], high[tile])
    return np.clip(risks, low, high)


def _weighted_losses(
    records: GLMProblem, weights: np.ndarray, models: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """The weighted sum of clipped losses of few models, shape (models,), in calls of a fraction of a second."""
    count, n = len(models), records.n
    width = count + -count % _LANES
    columns, bounds = aligned.zeros(records.d, width), aligned.zeros(2, width)
    columns[:, :count], bounds[:, :count] = models.T, (low, high)
    out, scores = aligned.zeros(2, width), aligned.zeros(ROWS, width)
    data, indices, edges = np.empty(0), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    X, entries = records.X, float(records.d)
    if records.sparse:
        data, indices, edges = X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)
        X, entries = np.empty((0, 0)), records.X.nnz / n
    rows = max(ROWS, int(_WORK / (width * (entries + 10.0))))
    for start in range(0, n, rows):
        stop = min(start + rows, n)
        add_clipped(
            records.loss.code, records.loss.parameter, X[start:stop], data, indices, edges[start : stop + 1],
            records.y[start:stop], weights[start:stop], columns, *bounds, scores, out,
        )  # fmt: skip
    return out[0, :count]


class LossGrid(NamedTuple):
    """Clipped losses in whole steps of a grid: the step, a power of two, the least loss, and the most steps above it.

    `width` is what one record can move a sum by.
    """

    spacing: float
    least: float
    width: int


def loss_grid(problem: GLMProblem, reach: float) -> LossGrid:
    """At most 2²⁰ steps from the least to the largest loss over |z| ≤ `reach`: sums of 2⁴² records fit into 62 bits."""
    least, width = loss_range(problem.loss, problem.y_bound, reach)[0], loss_width(problem, reach)
    spacing = math.ldexp(1.0, math.frexp(max(width, 1e-300))[1] - 20)
    return LossGrid(spacing, least, math.ceil(width / spacing))


def integer_risk(problem: GLMProblem, outputs: np.ndarray, grid: LossGrid) -> np.ndarray:
    """Σ over the records of their losses above the least, in steps, int64, for each row of `outputs`: shape (trials,).

    A record's loss is a function of the record and of the model, which is released, clamped in integers (NaN is the
    least); replacing one moves a sum by at most `grid.width`, whatever floating point did. What all losses have in
    common is not counted: it is far longer than the width where the ball is small, and no choice rests on it.
    """
    risks = np.empty(outputs.shape[0], dtype=np.int64)
    rows = max(1, _ENTRIES // problem.n)
    for start in range(0, outputs.shape[0], rows):
        losses = problem.loss.value(problem.predictions(outputs[start : start + rows]), problem.y)
        steps = np.nan_to_num(np.clip(np.rint((losses - grid.least) / grid.spacing), 0, grid.width), nan=0.0)
        risks[start : start + rows] = steps.astype(np.int64).sum(axis=1)
    return risks


def different_records(problem: GLMProblem) -> tuple[GLMProblem, np.ndarray] | None:
    """The different records of a large problem and how often each occurs, as a fraction; None if they are many.

    Records are distinguished by a sum of their entries with fixed irrational weights, and then compared entry by entry,
    so that no two different ones are ever taken for one. Kept with the problem, as its moments are.
    """
    kept = problem.__dict__  # what copies with another radius share
    if "different_records" not in kept:
        kept["different_records"] = None if problem.n < _LARGE else _count_records(problem)
    distinct: tuple[GLMProblem, np.ndarray] | None = kept["different_records"]
    return distinct


def _count_records(problem: GLMProblem) -> tuple[GLMProblem, np.ndarray] | None:
    weights = np.sqrt(np.arange(2.0, problem.d + 3.0))
    few = problem.records(0, _LARGE // 4)
    if np.unique(_marks(few, weights)).size > _DIFFERENT:
        return None
    _, first, which, counts = np.unique(
        _marks(problem, weights), return_index=True, return_inverse=True, return_counts=True
    )
    if first.size > _DIFFERENT:
        return None
    chosen = replace(problem, X=problem.X[first], y=problem.y[first])
    for start in range(0, problem.n, _LARGE):  # in parts, so that no second data set is made
        part = slice(start, start + _LARGE)
        unequal = chosen.X[which[part]] != problem.X[part]
        different = unequal.nnz if problem.sparse else np.count_nonzero(unequal)
        if different or np.any(problem.y[part] != chosen.y[which[part]]):
            return None
    return chosen, counts / problem.n


def _marks(problem: GLMProblem, weights: np.ndarray) -> np.ndarray:
    """A number for each record, the same for equal records: sums in a fixed order, without BLAS."""
    marks: np.ndarray = weights[-1] * problem.y
    if problem.sparse:
        return marks + problem.X @ weights[:-1]
    for column, weight in zip(problem.X.T, weights[:-1], strict=True):
        marks += weight * column
    return marks


def split(problem: GLMProblem, count: int, radii: tuple[float, ...]) -> tuple[tuple[GLMProblem, ...], ...]:
    """`count` nearly equal parts of consecutive records: ``parts[i][j]`` is part i with ``radii[j]``.

    The cuts depend on n alone; accuracy, not privacy, presumes exchangeable records. Kept while `problem`
    lives, so that blocks of trials share what is computed of a part; the radii of a part share its moments.
    """
    if problem.n < count:
        raise validation.invalid("problem", f"of at least {count} records, one for each part", problem.n)
    with _lock:
        known = _parts.setdefault(problem, {})
        key = (count, radii)
        if key not in known:
            edges = [i * problem.n // count for i in range(count + 1)]
            known[key] = tuple(_with_radii(problem.records(a, b), radii) for a, b in pairwise(edges))
        return known[key]


def _with_radii(part: GLMProblem, radii: tuple[float, ...]) -> tuple[GLMProblem, ...]:
    if _has_moments(part):
        _ = part.moments, None if part.loss.affine else part.axes
    different_records(part)
    return tuple(part.with_radius(radius) for radius in radii)


def _has_moments(problem: GLMProblem) -> bool:
    return problem.loss.quadratic and problem.d <= min(problem.n, _MOMENTS)


def _quadratic_risk(problem: GLMProblem, w: np.ndarray) -> np.ndarray:
    second, cross, square = problem.moments
    if problem.loss.affine:
        return -(w @ cross)
    risk = np.einsum("ij,ij->i", w @ second, w) - 2.0 * (w @ cross) + square
    return 0.5 * problem.loss.smoothness * risk
