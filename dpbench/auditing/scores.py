"""Scores: one real number an output, high where the data set is the likelier one.

A score is any deterministic function of the output, learned on the choosing part: post-processing, so that no
choice made here can make a bound invalid. `candidates` makes them: the number itself; a log-ratio over cells of
it; for vectors the sum of such log-ratios over coordinates and over whitened coordinates; for values that recur
(discrete outputs, atoms, supports) one log-ratio a value; and for vectors what columns say only together: quadratic
forms, parities and boosted trees.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpbench.auditing._trace_kernels import mix_rows
from dpbench.auditing.cells import Table, fit_tables, sum_tables, tables_and_spreads
from dpbench.auditing.interactions import FEW, Quadratic, correlations, parities, quadratic, telling
from dpbench.auditing.log_ratio import SATURATED
from dpbench.auditing.shapes import Unimodal
from dpbench.auditing.views import View, linear_views
from dpbench.core.blas import one_openmp_thread
from dpbench.core.validation import InvalidInput, invalid

LONE_COLUMNS = 2  # coordinates of a vector tried by themselves
KEPT_VALUES = 4096  # distinct values that get a log-ratio of their own
RECURRING = 5  # times a value is seen before it does
OFTEN = 100  # runs a side and value from which values tell all
COVERED = 1e-3  # share of outputs whose values do not recur, up to which the others are taken for all
TREE_ROWS = 20_000  # outputs a side that trees are learned on, at most
HUGE = 1e150
LEAST_TREE_ROWS = 2000  # a side below which no trees are tried

TRIED = 256
"""Outputs a side whose scores are compared, alone with others of their side, beside the other side's, and reversed."""

CLOSE = 1e-5
"""Relative difference of scores of one output that counts as rounding."""


@dataclass(frozen=True)
class Plain:
    """The output itself, or one coordinate of it; NaN counts as −infinity here (and has a cell in
    `Additive`)."""

    column: int | None = None

    @property
    def words(self) -> str:
        """What the score is called."""
        return "output" if self.column is None else f"coordinate {self.column} of the output"

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        values = outputs if self.column is None else outputs[:, self.column]
        numbers = np.asarray(values, dtype=np.float64)
        return np.where(np.isnan(numbers), -np.inf, numbers) if outputs.dtype.kind == "f" else numbers


@dataclass(frozen=True)
class Additive:
    """Sum over the columns of a view of each one's log-ratio."""

    view: View | None
    tables: tuple[Table, ...]
    words: str

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        return self.of(self.columns(outputs))

    def columns(self, outputs: np.ndarray) -> np.ndarray:
        """float64, shape (rows, k): what the log-ratios are of."""
        columns = outputs[:, None] if outputs.ndim == 1 else outputs
        return np.ascontiguousarray(columns if self.view is None else self.view(columns), dtype=np.float64)

    def of(self, columns: np.ndarray) -> np.ndarray:
        """The scores."""
        return _sums(self.tables, columns)

    def errors(self, columns: np.ndarray) -> np.ndarray:
        """Their posterior standard deviations."""
        return np.sqrt(_sums([replace(t, log_ratios=t.deviations**2) for t in self.tables], columns))

    def without_errors(self) -> Additive:
        """The scores alone, for where they are counted."""
        return replace(self, tables=tuple(replace(t, deviations=t.deviations[:0]) for t in self.tables))


def _sums(tables: Sequence[Table], columns: np.ndarray) -> np.ndarray:
    total = np.zeros(len(columns))
    sum_tables(tables, columns, total)
    return total


@dataclass(frozen=True)
class Values:
    """The log-ratio of the whole output among the values that recur (`covers`: hardly any do not); `other` for the
    rest."""

    keys: np.ndarray
    log_ratios: np.ndarray
    other: float
    covers: bool
    words: str

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        keys = identity(outputs)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.log_ratios[place], self.other)


@dataclass(frozen=True)
class Trees:
    """The log-odds of gradient-boosted trees: interactions, which no sum over columns sees."""

    model: Any
    columns: np.ndarray
    words: str = "boosted trees on the output"

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        with one_openmp_thread():
            return np.asarray(self.model.decision_function(_binnable(outputs[:, self.columns])))


Score = Plain | Additive | Values | Trees | Quadratic | Unimodal


def identity(outputs: np.ndarray) -> np.ndarray:
    """One sortable key an output: strings themselves, numbers by a 64-bit mix of their bits (all NaN
    alike)."""
    if outputs.dtype.kind in "SU":
        return outputs
    columns = outputs[:, None] if outputs.ndim == 1 else outputs
    floats = columns.dtype.kind == "f"
    rows = np.ascontiguousarray(columns, dtype=np.float64 if floats else np.int64)
    keys = np.empty(len(rows), dtype=np.uint64)
    with np.errstate(over="ignore"):  # products are meant modulo 2⁶⁴
        mix_rows(rows.view(np.uint64), floats, keys)
    return keys


def candidates(first: np.ndarray, second: np.ndarray) -> list[Score]:
    """Scores learned from the two sides' outputs (equally many).

    Parameters
    ----------
    first, second : array, shape (rows,) or (rows, k)

    Returns
    -------
    list of callables
        `Plain` ones need no learning: of vectors, the coordinates that are most informative by themselves.
    """
    found: list[Score] = []
    values = _values(first, second)
    if values is not None:
        found.append(values)
    if first.dtype.kind in "SU":
        return found or [Values(first[:1], np.zeros(1), 0.0, False, "output, of which no value recurs")]
    if first.ndim == 1 and values is not None and len(values.keys) <= SATURATED:
        return [Plain(), *found]  # cells would be these values
    a, b = (np.asarray(x[:, None] if x.ndim == 1 else x, dtype=np.float64) for x in (first, second))
    tables, spreads = tables_and_spreads(a, b)
    found.append(Additive(None, tables, "log-ratio over cells of the output"))
    if a.shape[1] == 1:
        return [Plain(), *found]
    # Columns that say the same, as a word and letters of it do, are one: the first of them.
    _, places = np.unique(-spreads, return_index=True)
    found.extend(Plain(int(j)) for j in places[:LONE_COLUMNS])
    found += [
        Additive(view, fit_tables(view(a), view(b)), f"log-ratio over cells of {view.words}")
        for view in linear_views(a, b)
    ]
    # Few values that all recur often: their own log-ratios see whatever these could.
    seen = values is not None and values.covers and OFTEN * len(values.keys) <= len(a)
    return found if seen else [*found, *together(a, b, spreads)]


def together(first: np.ndarray, second: np.ndarray, single: np.ndarray) -> list[Score]:
    """Scores of what columns say together, where there are rows enough to learn them from.

    `single`: how informative each column is alone.
    """
    if len(first) < LEAST_TREE_ROWS:
        return []
    pairs = correlations(first, second)
    columns = telling(single, pairs) if first.shape[1] > FEW else np.arange(first.shape[1])
    sets = parities(first, second)
    found: list[Score | None] = [quadratic(first, second, pairs), trees(first, second, columns)]
    if sets is not None:
        found.append(Additive(sets, fit_tables(sets(first), sets(second)), f"log-ratio over {sets.words}"))
    return [score for score in found if score is not None]


def trees(first: np.ndarray, second: np.ndarray, columns: np.ndarray) -> Trees | None:
    """`Trees` on these columns, where there is enough to learn from."""
    rows = min(len(first), TREE_ROWS)
    if rows < LEAST_TREE_ROWS:
        return None
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(
        max_iter=40, max_leaf_nodes=15, min_samples_leaf=100, early_stopping=False, random_state=0
    )
    sides = np.repeat([1, 0], rows)
    rows_ = _binnable(np.concatenate([first[:rows, columns], second[:rows, columns]]))
    with one_openmp_thread():
        return Trees(model.fit(rows_, sides), columns)


def _binnable(outputs: np.ndarray) -> np.ndarray:
    """Numbers for trees: what is huge counts as missing, since borders between values could not be computed."""
    numbers = np.asarray(outputs, dtype=np.float64)
    return np.where(np.abs(numbers) < HUGE, numbers, np.nan)


def _values(first: np.ndarray, second: np.ndarray) -> Values | None:
    """`Values`, where some values recur."""
    a, b = identity(first), identity(second)
    rows = len(a)
    pooled = np.sort(np.concatenate([a, b]))
    if not (pooled[RECURRING - 1 :] == pooled[: len(pooled) - RECURRING + 1]).any():
        return None
    keys, place, times = np.unique(np.concatenate([a, b]), return_inverse=True, return_counts=True)
    counts = np.stack([np.bincount(p, minlength=len(keys)) for p in (place[:rows], place[rows:])])
    often = np.flatnonzero(times >= RECURRING)
    if len(often) > KEPT_VALUES:
        often = np.sort(often[np.argsort(-times[often], kind="stable")[:KEPT_VALUES]])
    if len(often) == 0:
        return None
    rest = rows - counts[:, often].sum(axis=1)
    return Values(
        keys[often],
        cautious_log_ratio(counts[0, often], counts[1, often]),
        float(cautious_log_ratio(rest[0], rest[1])),
        bool(rest.sum() <= COVERED * 2 * rows),
        f"log-ratio of the value, among {len(often)} that recur",
    )


def cautious_log_ratio(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """log of the ratio of two counts, drawn towards 0 by one standard error (0 within it)."""
    ratio = np.log((first + 0.5) / (second + 0.5))
    error = np.sqrt(1.0 / (first + 0.5) + 1.0 / (second + 0.5))
    return np.sign(ratio) * np.maximum(np.abs(ratio) - error, 0.0)


@dataclass(frozen=True)
class Own(Plain):
    """A number an output by a function of the user's, such as an attack; NaN counts as −infinity.

    It needs no learning here, so that its thresholds may rest on all of the choosing part, as a plain score's.
    """

    function: Callable[[np.ndarray], Any] | None = None

    @property
    def words(self) -> str:
        return f"score {getattr(self.function, '__name__', type(self.function).__name__)} of the output"

    def __call__(self, outputs: np.ndarray) -> np.ndarray:
        assert self.function is not None
        try:
            made = np.asarray(self.function(outputs.copy()))
        except (Exception, SystemExit) as error:
            raise InvalidInput(f"score raised {type(error).__name__}: {error}") from error
        if made.shape != (len(outputs),) or made.dtype.kind not in "fiub":
            raise invalid("the array that score returns", f"numbers of shape ({len(outputs)},), one a row", made)
        numbers = made.astype(np.float64)
        return np.where(np.isnan(numbers), -np.inf, numbers)

    def check_rows(self, first: np.ndarray, second: np.ndarray) -> None:
        """Refuse a score that depends on other outputs of the block, on their order, or on chance.

        Counts of its events would not be of independent runs: a score that is the same for all of a block, such as
        whether the block's mean is high, is either in an event with all of them or with none.

        Raises
        ------
        InvalidInput
        """
        sides = first[:TRIED], second[:TRIED]
        both = np.concatenate(sides)
        alone = np.concatenate([self(side) for side in sides])
        finite = alone[np.isfinite(alone)]
        with np.errstate(over="ignore"):
            room = CLOSE * float(np.ptp(finite)) if len(finite) else 0.0
        for again in (self(both), self(both[::-1])[::-1]):
            differ = ~np.isclose(alone, again, rtol=CLOSE, atol=room)
            if differ.any():
                place = int(np.argmax(differ))
                raise InvalidInput(
                    "score must be a function of each output alone, whatever the others of its block, their order, and "
                    f"chance; got {alone[place]:.6g} and {again[place]:.6g} for one output in two blocks"
                )


def as_score(score: Any) -> Own | None:
    """The user's score, checked."""
    if score is not None and not callable(score):
        raise invalid("score", "callable as score(outputs) -> numbers of shape (rows,), or None", score)
    return None if score is None else Own(function=score)
