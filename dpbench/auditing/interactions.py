"""What columns say together: correlations, parities of several bits, and which columns a learner should look at.

All of it guides the choice of a score; no bound depends on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtri

from dpbench.auditing.cells import sorted_quantiles
from dpbench.auditing.chains import placed

KNOTS = 64  # of a column's distribution function, for its normal scores
KNOT_ROWS = 4096  # rows a side that they rest on
PAIR_ROWS = 10_000  # rows a side from which correlations are compared
STRIKING = 5.0  # deviations from which a difference of two correlations is taken up
FEW = 16  # columns that are all looked at together
WHOLE = 16  # bits up to which all their parities are tried
PARITY_ROWS = 1024  # rows a side from which parities of more bits are tried,
PARITY_PRODUCTS = 8 * 10**6  # and parities of one size
TOGETHER = 1024  # products made together
KEPT_PARITIES = 4


@dataclass(frozen=True)
class NormalScores:
    """Columns turned into normal scores by the pooled distribution functions of a sample.

    Attributes
    ----------
    columns : int64[k]
    knots : float64[k, KNOTS]
        Increasing values of each column.
    """

    columns: np.ndarray
    knots: np.ndarray

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """float64, shape (rows, k); NaN counts as 0."""
        return np.ascontiguousarray(self.across(rows).T)

    def across(self, rows: np.ndarray) -> np.ndarray:
        """float64, shape (k, rows): linear between the knots."""
        levels = ndtri((np.arange(KNOTS) + 0.5) / KNOTS)
        made = _across(rows, self.columns)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for column, knots in zip(made, self.knots, strict=True):
                wide = np.diff(knots)
                slopes = np.concatenate([[0.0], np.where(wide > 0.0, np.diff(levels) / wide, 0.0), [0.0]])
                place = placed(column, knots)
                start = np.maximum(place - 1, 0)
                column -= knots[start]
                column *= slopes[place]
                column[np.isnan(column)] = 0.0  # infinitely far along a flat piece
                column += levels[start]
        return made


def normal_scores(first: np.ndarray, second: np.ndarray, columns: np.ndarray) -> NormalScores:
    """`NormalScores` of these columns, from `KNOT_ROWS` rows a side."""
    ordered = np.sort(np.hstack([_across(side[:KNOT_ROWS], columns) for side in (first, second)]), axis=1).T
    with np.errstate(invalid="ignore", over="ignore"):
        knots = sorted_quantiles(ordered, (np.arange(KNOTS) + 0.5) / KNOTS)
    return NormalScores(columns, np.ascontiguousarray(np.maximum.accumulate(knots, axis=0).T))


def _across(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """These columns as float64[k, rows], contiguous, without NaN or infinities."""
    every = len(columns) == rows.shape[1]  # they increase
    made = np.array((rows if every else rows[:, columns]).T, dtype=np.float64, order="C")
    return np.nan_to_num(made, copy=False)


@dataclass(frozen=True)
class Quadratic:
    """The log-ratio of two centred normal laws of the normal scores of some columns: copulas.

    Attributes
    ----------
    scores : NormalScores
    matrix : float64[k, k]
    """

    scores: NormalScores
    matrix: np.ndarray

    @property
    def words(self) -> str:
        """What the score is called."""
        columns = self.scores.columns
        names = ", ".join(map(str, columns[:8])) + (", ..." if len(columns) > 8 else "")
        return f"a quadratic form of the normal scores of coordinates {names}"

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        z = self.scores(outputs)
        return np.asarray(((z @ self.matrix) * z).sum(axis=1))


@dataclass(frozen=True)
class Parities:
    """A view: for each set of columns, whether an even or an odd number of them is high."""

    sets: tuple[tuple[int, ...], ...]
    middles: np.ndarray

    @property
    def words(self) -> str:
        """What the columns are called."""
        return f"parities of the coordinates {', '.join(str(list(s)) for s in self.sets)}"

    def __call__(self, columns: np.ndarray) -> np.ndarray:
        made = [(columns[:, list(s)] > self.middles[list(s)]).sum(axis=1) % 2 for s in self.sets]
        return np.stack(made, axis=1).astype(np.float64)


def correlations(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """float64[k, k]: how far the second moments of the columns' normal scores differ, in standard deviations."""
    scores = normal_scores(first, second, np.arange(first.shape[1]))
    moments, spreads = [], []
    for side in (first, second):
        z = scores.across(side[:PAIR_ROWS])
        square, rows = z * z, z.shape[1]
        moments.append(z @ z.T / rows)
        spreads.append((square @ square.T / rows - moments[-1] ** 2) / rows)
    return np.asarray(np.abs(moments[0] - moments[1]) / np.sqrt(np.maximum(spreads[0] + spreads[1], 1e-12)))


def telling(single: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """At most `FEW` columns, increasing: half by their own information, the rest by their most informative pairs."""
    found = list(np.argsort(single)[::-1][: FEW // 2])
    order = np.argsort(np.triu(pairs, 1), axis=None)[::-1]
    for place in order[: FEW * FEW]:
        for j in divmod(int(place), len(pairs)):
            if j not in found and len(found) < FEW:
                found.append(j)
    return np.sort(np.array(found, dtype=np.int64))


def quadratic(first: np.ndarray, second: np.ndarray, pairs: np.ndarray) -> Quadratic | None:
    """`Quadratic` on the columns of which some pair is striking; None where there is none."""
    striking = np.triu(pairs, 1) > STRIKING
    columns = np.flatnonzero(striking.any(axis=0) | striking.any(axis=1))
    if len(columns) < 2:
        return None
    dense = striking.sum() > 2 * len(columns)
    apart = (striking | striking.T)[np.ix_(columns, columns)] | np.eye(len(columns), dtype=bool)
    return fitted(columns, apart | dense, first, second)


def fitted(columns: np.ndarray, apart: np.ndarray, first: np.ndarray, second: np.ndarray) -> Quadratic | None:
    """`Quadratic` of these columns; all correlations but those that may be `apart` are taken for equal."""
    scores = normal_scores(first, second, columns)
    moments = [z.T @ z / len(z) for z in map(scores, (first, second))]
    mean = 0.5 * (moments[0] + moments[1])
    ridge = 1e-3 * np.eye(len(columns))
    with np.errstate(all="ignore"):
        inverse = [np.linalg.inv(np.where(apart, m, mean) + ridge) for m in moments]
    matrix = 0.5 * (inverse[1] - inverse[0])
    return Quadratic(scores, matrix) if np.isfinite(matrix).all() else None


def parities(first: np.ndarray, second: np.ndarray) -> Parities | None:
    """Sets of three columns or more whose parities differ most between the sides; None where no difference is striking.

    Of few columns all sets are tried (a Walsh–Hadamard transform of the counts of their patterns), of more all sets as
    large as `PARITY_PRODUCTS` allows: products of small sets are multiplied with each other, all at once.
    """
    width = first.shape[1]
    if width < 3:
        return None
    pool = np.hstack([_across(side[:KNOT_ROWS], np.arange(width)) for side in (first, second)])
    middles = np.array([_middle(column) for column in np.sort(pool, axis=1)])
    high = [side > middles for side in (first, second)]
    tried = _all_sets(high) if width <= WHOLE else _products([side[:PARITY_ROWS] for side in high])
    kept: list[tuple[float, tuple[int, ...]]] = []
    rows = min(len(side) for side in high)
    for subset in tried:
        means = [1.0 - 2.0 * float(np.mean(side[:, list(subset)].sum(axis=1) % 2)) for side in high]
        kept.append((abs(means[0] - means[1]) * float(np.sqrt(rows / 2.0)), subset))
    kept = sorted((k for k in kept if k[0] > STRIKING), reverse=True)[:KEPT_PARITIES]
    return Parities(tuple(subset for _, subset in kept), middles) if kept else None


def _middle(ordered: np.ndarray) -> float:
    """A threshold that parts an increasing column into halves as even as may be; values above it are high."""
    size = len(ordered)
    middle = 0.5 * float(ordered[(size - 1) // 2]) + 0.5 * float(ordered[size // 2])
    below, through = (int(np.searchsorted(ordered, middle, side=side)) for side in ("left", "right"))
    return float(ordered[below - 1]) if through - below > 0.5 * size and below > 0 else middle


def _all_sets(high: list[np.ndarray]) -> list[tuple[int, ...]]:
    width = high[0].shape[1]
    codes = [side @ (1 << np.arange(width)) for side in high]
    table = (np.bincount(codes[0], minlength=1 << width) - np.bincount(codes[1], minlength=1 << width)).astype(float)
    step = 1
    while step < len(table):
        folded = table.reshape(-1, 2, step)
        table = np.stack([folded[:, 0] + folded[:, 1], folded[:, 0] - folded[:, 1]], axis=1).ravel()
        step *= 2
    sizes = np.bitwise_count(np.arange(len(table)))
    order = np.argsort(np.where(sizes >= 3, np.abs(table), -1.0))[::-1][:KEPT_PARITIES]
    return [tuple(j for j in range(width) if place >> j & 1) for place in order.tolist()]


def _products(high: list[np.ndarray]) -> list[tuple[int, ...]]:
    """The set whose means differ most, of each size that is tried.

    Every set is made once: of a small one, and a large one whose columns all come later.
    """
    width = high[0].shape[1]
    signs = [np.ascontiguousarray(1.0 - 2.0 * side.T, dtype=np.float32) for side in high]
    found = []
    for small, large in ((1, 2), (2, 2), (2, 3)):
        if math.comb(width, small) * math.comb(width, large) > PARITY_PRODUCTS:
            break
        few, many = (np.array(list(combinations(range(width), size))) for size in (small, large))
        few = few[np.argsort(few[:, -1], kind="stable")]
        ones = [_multiplied(side, few) for side in signs]
        best, subset = 0.0, tuple[int, ...]()
        for start in range(0, len(many), TOGETHER):
            some = many[start : start + TOGETHER]
            earlier = int(np.searchsorted(few[:, -1], some[-1, 0]))  # the first column of `some` rises
            if earlier == 0:
                continue
            sums = [_multiplied(sign, some) @ one[:earlier].T for sign, one in zip(signs, ones, strict=True)]
            gap = np.abs(sums[0] - sums[1]) * (few[:earlier, -1] < some[:, :1])
            a, b = divmod(int(np.argmax(gap)), earlier)
            if gap[a, b] > best:
                best, subset = float(gap[a, b]), (*few[b].tolist(), *some[a].tolist())
        if subset:
            found.append(subset)
    return found


def _multiplied(signs: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """float32[sets, rows]: the products of the rows of `signs` that each set names."""
    product = signs[sets[:, 0]]
    for k in range(1, sets.shape[1]):
        product *= signs[sets[:, k]]
    return product
