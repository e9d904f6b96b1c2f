"""Which event of the outputs to certify: all of that choice is in this file, and no bound's validity rests on it.

Only the choosing part of the runs is seen here. A score is one number an output, high where the data set is the
likelier one; an event is {score >= threshold} or its complement. From the top:

1. `choose` learns scores, compares them, and returns the best event of the best score.
2. `_promises` is what an event is expected to certify: its loss after both probabilities were moved against it by
   standard errors, on the scale of arcsin(sqrt p), where these are even.
3. `candidates` are the scores that are tried; the classes behind it, each with the function that learns it, are in the
   order of that list. A new score is a class with `words`, `margin` and a call, and a line of `candidates`.

Scores are compared by cross-fitting: each half of the choosing part is scored by what was learned on the other half,
so that a score gains nothing from outputs that it has seen. The best are then learned anew on both halves. Their
thresholds are those of the new score; how often each comes up is still counted by the crossed scores, rank for rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any, Protocol

import numpy as np
from scipy.linalg.lapack import dgbsv, dgbtrs
from scipy.special import betainc, expit, ndtri

from dpbench.auditing.certify import Approximate, Claim
from dpbench.bounds import best_angle
from dpbench.core.blas import one_openmp_thread
from dpbench.core.validation import InvalidInput, invalid

Array = np.ndarray

THRESHOLDS = 100  # of a score, from each end of its sample
# Standard errors that a promise is lowered by, for the choice among thresholds:
SMOOTHED = 2.0  # of a smoothed frequency, those of the smoothing,
COUNTED = 1.2  # and of its own counts besides;
UNSMOOTHED = 4.0  # of a frequency as it was counted
SIGNIFICANT = 0.05  # corrected level at which what a rare event was seen to promise counts 1/e

MARGIN = 0.02  # share by which a learned score must promise more than one that learns nothing
CELLS = 64  # of a column's log-ratio, of outputs with at most
MANY_COLUMNS, FEW_CELLS = 512, 16  # so many columns; of more columns, fewer
RECURRING, KEPT_VALUES = 5, 4096  # times that a value is seen before it has a log-ratio; most such values
FEW_COLUMNS = 16  # up to which a linear score is learned
EXCHANGEABLE = 0.1  # difference of the columns' quantiles, in their ranges, up to which they are taken to be alike
LEAST_ROWS, WIDEST = 2_000, 128  # for interactions of columns: outputs a side at least, columns at most
STRIKING = 5.0  # standard errors of a correlation or parity that is taken up
TREE_ROWS, HUGE = 20_000, 1e150  # outputs a side that trees are learned from at most; beyond it a number is missing
TRIED, ROUNDING = 256, 1e-5  # outputs a side with which a user's score is tried; relative differences that are rounding


class Score(Protocol):
    """A number an output, of shape (rows,), high where the data set is the likelier one.

    `words`: what a report calls it. `margin`: the share of its promise that is not believed.
    """

    margin: float

    @property
    def words(self) -> str: ...

    def __call__(self, outputs: Array) -> Array: ...


@dataclass(frozen=True)
class Event:
    """{score >= threshold} (`above`) or its complement; `forward`: likelier on the data set.

    `angle`: the weights of its joint region; `promise`: the bound expected of it.
    """

    score: Score = field(compare=False)
    threshold: float
    above: bool
    forward: bool
    angle: int
    promise: float

    def of(self, scores: Array) -> Array:
        """Which outputs of these scores are in it."""
        return np.asarray((scores >= self.threshold) == self.above)

    def __call__(self, outputs: Array) -> Array:
        return self.of(self.score(outputs))

    @property
    def worth(self) -> float:
        """Its promise, less the margin of its score."""
        return self.promise - self.score.margin * abs(self.promise)


def choose(
    first: Array, second: Array, runs: int, claim: Claim, alpha: float, own: Own | None = None
) -> tuple[Event, ...]:
    """The event for the claim, then those for the curve delta(epsilon).

    Parameters
    ----------
    first, second : array
        The choosing part's outputs on the data set and on the neighbour, equally many.
    runs : int
        Outputs a side from which the events will be certified, at level `alpha`.
    """
    alpha = min(alpha, 0.5)  # bounds of less confidence are chosen as at one half
    half = len(first) // 2
    low, high = (
        dict(candidates(one, other, own))
        for one, other in ((first[:half], second[:half]), (first[half:], second[half:]))
    )
    names = [name for name in low if name in high]

    def best_event(score: Score, thresholds: Thresholds) -> Event:
        events = _events(score, thresholds, loss_of(claim), runs, float(-ndtri(alpha)), len(names))
        return max(events, key=lambda event: event.promise)

    crossed, seen, compared = dict[str, tuple[Array, Array]](), dict[str, Thresholds](), dict[str, Event]()
    for name in names:
        one, other = (np.concatenate([high[name](x[:half]), low[name](x[half:])]) for x in (first, second))
        crossed[name], seen[name] = (one, other), _thresholds(one, other)
        compared[name] = best_event(low[name], seen[name])
    anew, learned, best = candidates(first, second, own), dict[str, Score](), None
    for name in sorted(names, key=lambda name: -compared[name].worth):
        event, thresholds = compared[name], seen[name]
        if best is not None and event.worth <= best[0].worth:
            break
        if not isinstance(event.score, Plain | Own):  # those two learn nothing
            while name not in learned:  # where both halves together have no such score, that of one half stays
                kind, score = next(anew, (name, event.score))
                learned[kind] = score
            score = learned[name]
            thresholds = _thresholds(*crossed[name], np.concatenate([score(first), score(second)]))
            event = best_event(score, thresholds)
        if best is None or event.worth > best[0].worth:
            best = event, thresholds
    assert best is not None
    return best[0], *_curve(*best, runs, claim, alpha)


def _curve(best: Event, thresholds: Thresholds, runs: int, claim: Claim, alpha: float) -> list[Event]:
    """Further events of the best score, each the best for delta at one of twelve epsilons."""
    curve: dict[tuple[float, bool, bool], Event] = {}
    reach = max(best.promise, 0.0) if isinstance(claim, Approximate) else 0.0
    for epsilon in np.linspace(0.0, 1.2 * min(reach, 50.0), 12).tolist():
        for event in _events(best.score, thresholds, _delta_at(epsilon), runs, float(-ndtri(alpha / 12.0)), 0):
            if event.promise > 0.0:
                curve[event.threshold, event.above, event.forward] = event
    curve.pop((best.threshold, best.above, best.forward), None)
    return list(curve.values())


# What an event promises


Loss = Callable[[Array, Array], Array]
"""What an event of probability p against q shows: (p, q) -> loss."""


def loss_of(claim: Claim) -> Loss:
    """In the unit of the claim; finite."""
    return lambda p, q: np.clip(claim.excess(p, q) + claim.level, -1e6, 1e6)


def _delta_at(epsilon: float) -> Loss:
    """As delta at this epsilon."""
    ratio = math.exp(epsilon)
    return lambda p, q: p - ratio * q


@dataclass(frozen=True)
class Thresholds:
    """Thresholds of a score, and the probabilities of {score >= value} on the two sides.

    `raw`: as counted in `rows` outputs a side; `fitted`: smoothed, with the standard deviation of these, `deviation`.
    """

    values: Array
    raw: Array
    fitted: Array
    deviation: Array
    rows: int


def _thresholds(first: Array, second: Array, anew: Array | None = None) -> Thresholds:
    """Of the scores of two sides.

    `anew`: scores of all these outputs by what was learned anew, whose thresholds are taken. Below each are counted as
    many of the lowest of `first` and `second` together as it has below in `anew`; of equal scores each side has its
    share.
    """
    sides, rows = [np.sort(x) for x in (first, second)], len(first)
    pool = np.sort(np.concatenate(sides), kind="stable")  # two sorted runs are merged
    ranked = pool if anew is None else np.sort(anew)
    thresholds = _edges(ranked, THRESHOLDS, 3)
    ranks = np.searchsorted(ranked, thresholds)
    values = np.unique(pool[ranks])
    ends = [np.stack([np.searchsorted(x, values, side) for side in ("left", "right")], axis=1).ravel() for x in sides]
    below = np.stack([np.interp(ranks, sum(ends), end) for end in ends])
    cells = np.diff(below, prepend=0, append=rows).astype(float)
    fit = smooth(cells[:1], cells[1:])
    chance, mass = expit(fit.log_ratios[0]), cells.sum(axis=0)
    turn = np.triu(np.ones((len(mass), len(mass))))[1:] * (mass * chance * (1.0 - chance))
    deviation = np.sqrt(np.maximum(((turn @ fit.covariance) * turn).sum(axis=1), 0.0)) / rows
    raw, fitted = _at_least(cells) / rows, _at_least(mass * np.stack([chance, 1.0 - chance])) / rows
    return Thresholds(thresholds, raw, fitted, deviation, rows)


def _at_least(cells: Array) -> Array:
    """Sums over each cell but the lowest and all cells above it."""
    return np.cumsum(cells[..., ::-1], axis=-1)[..., ::-1][..., 1:]


def _events(score: Score, at: Thresholds, loss: Loss, runs: int, z: float, tried: int) -> Iterator[Event]:
    """The best event of each direction of a score, by what it promises."""
    for forward in (True, False):
        best: tuple[float, int, bool, Array, Array] | None = None
        for above in (True, False):
            fitted, raw = ((x if above else 1.0 - x)[:: 1 if forward else -1] for x in (at.fitted, at.raw))
            promise, (p, q) = _promises(at, fitted, raw, loss, runs, z, tried), raw
            k = int(np.argmax(promise))
            if best is None or promise[k] > best[0]:
                best = float(promise[k]), k, above, p[k : k + 1], q[k : k + 1] + 3.0 / runs
        assert best is not None
        most, k, above, p, q = best
        up, down = _slopes(loss, p, q)
        yield Event(score, float(at.values[k]), above, forward, best_angle(float(up[0]), float(down[0])), most)


def _promises(at: Thresholds, fitted: Array, raw: Array, loss: Loss, runs: int, z: float, tried: int) -> Array:
    """The bound to be expected of each event of a direction.

    It is that of the smoothed frequencies, or that of the frequencies as counted with more caution, whichever is
    larger. Rare events may also promise what they were seen to have, which counts the less the more often chance gives
    such counts among all that were tried.

    Parameters
    ----------
    fitted, raw : float64[2, thresholds]
        Probability of each event on its likelier side and on the other: smoothed, and as counted.
    z : float
        Standard errors that the certificate will cost.
    tried : int
        Scores that are compared; 0: rare events promise nothing more.
    """
    rows, (p_raw, q_raw) = at.rows, raw
    cost, unit = z / math.sqrt(runs), 1.0 / math.sqrt(rows)
    p, q = np.clip(fitted, 1e-12, 1.0 - 1e-12)
    doubt = SMOOTHED * at.deviation / np.sqrt(np.minimum(p * (1.0 - p), q * (1.0 - q)) + 1e-15)
    q_seen = q_raw + 0.5 / rows
    to_come = math.hypot(unit, runs**-0.5)  # standard errors of the counts to come
    looks = [  # probabilities, and standard errors of one run that they are moved by
        (p, q, cost + np.hypot(doubt, COUNTED * unit)),
        (p_raw, np.minimum(q_raw + 4.0 / rows, 1.0), cost),  # no smoothing promises more than the counts allow
        (p_raw, q_seen, cost + UNSMOOTHED * unit),
        *[(p_raw, q_seen, cost + by * to_come) for by in (-1.7, 0.0, 1.7)],  # a normal law in three points
    ][: 6 if tried else 3]
    stacked = (np.stack(np.broadcast_arrays(p, *each)[1:]) for each in zip(*looks, strict=True))
    smoothed, allowed, counted, *expected = moved(loss, *stacked)
    promise = np.maximum(np.minimum(smoothed, allowed), counted)
    if not tried:
        return promise
    hits, others = p_raw * rows, q_raw * rows
    share = 0.5 if len(at.values) < CELLS else np.clip(p / (p + q), 0.5, 1.0 - 1e-9)  # beyond what the fit says
    chance = np.where(hits > others, betainc(np.maximum(hits, 1.0), others + 1.0, share), 1.0)
    believed = np.exp(-chance * tried * len(at.values) / SIGNIFICANT)
    mean = np.array([1.0, 4.0, 1.0]) / 6.0 @ np.maximum(expected, 0.0)
    return np.where(hits + others <= 25, np.maximum(promise, believed * mean), promise)


def moved(loss: Loss, p: Array, q: Array, by: Array) -> Array:
    """The loss after both probabilities moved against it by so many standard errors of one run together."""
    (a, b), (up, down) = _arcs(p, q), _slopes(loss, p, q)
    whole = np.hypot(up, down)
    return loss(
        np.sin(np.clip(a - by * up / whole, 0.0, np.pi) / 2.0) ** 2,
        np.sin(np.clip(b + by * down / whole, 0.0, np.pi) / 2.0) ** 2,
    )


def _arcs(p: Array, q: Array) -> tuple[Array, Array]:
    return 2.0 * np.arcsin(np.sqrt(np.clip(p, 0.0, 1.0))), 2.0 * np.arcsin(np.sqrt(np.clip(q, 0.0, 1.0)))


def _slopes(loss: Loss, p: Array, q: Array) -> tuple[Array, Array]:
    """How the loss rises with arcsin(sqrt p) and falls with arcsin(sqrt q): its standard errors, by differences."""
    (a, b), step = _arcs(p, q), 1e-5

    def at(x: Array, y: Array) -> Array:
        return loss(*(np.sin(np.clip(arc, 1e-7, np.pi - 1e-7) / 2.0) ** 2 for arc in (x, y)))

    up, down = (at(a + step, b) - at(a - step, b)) / step, (at(a, b - step) - at(a, b + step)) / step
    return np.abs(up) + 1e-9, np.abs(down) + 1e-9


# Scores


def candidates(first: Array, second: Array, own: Own | None) -> Iterator[tuple[str, Score]]:
    """Scores by name, learned from these outputs."""
    if own is not None:
        yield "own", own
    values = _values(first, second)
    if values is not None:
        yield "values", values
    if first.dtype.kind in "SU":
        if values is None:
            yield "values", Values(first[:1], np.zeros(1), 0.0, False)
        return
    a, b = _numbers(first), _numbers(second)
    table = _additive(None, a, b)
    yield "table", table
    if first.ndim == 1:
        yield "output", Plain()
        return
    # Columns that say the same, as a word and letters of it do, are one: the first of them.
    for j in np.unique(-table.strengths, return_index=True)[1][:2].tolist():
        yield f"column {j}", Plain(j)
    for view in _whitened(a, b):
        yield view.words, _additive(view, a, b)
    if _exchangeable(a, b):
        yield "pooled", _pooled(a, b)
        yield "ordered", _additive(Ordered(), a, b)
    if a.shape[1] <= FEW_COLUMNS:
        yield "linear", _logistic(a, b)
    if len(a) >= LEAST_ROWS and not (values is not None and values.covers):
        yield from _interactions(a, b, table.strengths)


def _interactions(first: Array, second: Array, strengths: Array) -> Iterator[tuple[str, Score]]:
    """Scores of what columns say together, where there are rows enough to learn them from."""
    columns = np.sort(np.argsort(-strengths, kind="stable")[:WIDEST])
    striking: list[int] = []
    quadratic = _quadratic(first, second, columns)
    if quadratic is not None:
        striking = quadratic.striking
        yield "quadratic", quadratic
    parities = _parities(first, second, columns)
    if parities is not None:
        yield "parities", _additive(parities, first, second)
    few = np.unique([*np.argsort(-strengths, kind="stable")[:8].tolist(), *striking[:8]])
    yield "trees", _trees(first, second, few)


def _numbers(outputs: Array) -> Array:
    """float64, shape (rows, columns)."""
    return np.asarray(outputs, dtype=np.float64).reshape(len(outputs), -1)


@dataclass(frozen=True)
class Plain:
    """The output itself, or one column of it; what is not a number counts as the lowest."""

    column: int | None = None
    margin = 0.0

    @property
    def words(self) -> str:
        return "output" if self.column is None else f"column {self.column} of the output"

    def __call__(self, outputs: Array) -> Array:
        numbers = np.asarray(outputs if self.column is None else outputs[:, self.column], dtype=np.float64)
        return np.where(np.isnan(numbers), -np.inf, numbers)


@dataclass(frozen=True)
class Own:
    """A number an output by a function of the user's, such as an attack; NaN counts as the lowest."""

    function: Callable[[Array], Any]
    margin = 0.0

    @property
    def words(self) -> str:
        return f"score {getattr(self.function, '__name__', type(self.function).__name__)} of the output"

    def __call__(self, outputs: Array) -> Array:
        try:
            scores = np.asarray(self.function(outputs.copy()))
        except (Exception, SystemExit) as error:
            raise InvalidInput(f"score raised {type(error).__name__}: {error}") from error
        if scores.shape != (len(outputs),) or scores.dtype.kind not in "fiub":
            raise invalid("the array that score returns", f"numbers of shape ({len(outputs)},), one a row", scores)
        numbers = scores.astype(np.float64)
        return np.where(np.isnan(numbers), -np.inf, numbers)

    def check_rows(self, first: Array, second: Array) -> None:
        """Refuse a score that depends on other outputs of the block, on their order, or on chance.

        Counts of its events would not be of independent runs.

        Raises
        ------
        InvalidInput
        """
        sides = first[:TRIED], second[:TRIED]
        both = np.concatenate(sides)
        alone = np.concatenate([self(side) for side in sides])
        finite = alone[np.isfinite(alone)]
        with np.errstate(over="ignore"):
            room = ROUNDING * float(np.ptp(finite)) if len(finite) else 0.0
        for again in (self(both), self(both[::-1])[::-1]):
            differ = ~np.isclose(alone, again, rtol=ROUNDING, atol=room)
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
    return None if score is None else Own(score)


@dataclass(frozen=True)
class Additive:
    """Sum over the columns of each one's log-ratio, piecewise constant between edges (NaN fills them up).

    `view`: a map that makes these columns from those of the output, or None. `strengths`: the mean square of each
    column's log-ratio, by which columns are ranked.
    """

    view: Any
    edges: Array
    log_ratios: Array
    strengths: Array
    words: str
    margin = MARGIN

    def __call__(self, outputs: Array) -> Array:
        numbers = _numbers(outputs)
        columns = numbers if self.view is None else self.view(numbers)
        total = np.zeros(len(columns))
        for column, edges, values in zip(columns.T, self.edges, self.log_ratios, strict=True):
            if values.any():
                total += values[np.searchsorted(edges, column, side="right")]
        return total


def _additive(view: Any, first: Array, second: Array) -> Additive:
    """Learned jointly: one smoothness for all columns, each shrunk by what chance would have fitted (Stein)."""
    sides = [x if view is None else view(x) for x in (first, second)]
    width = sides[0].shape[1]
    cells = CELLS if width <= MANY_COLUMNS else FEW_CELLS
    cuts, rows = [], []
    for columns in zip(*(side.T for side in sides), strict=True):
        ordered = [np.sort(column) for column in columns]
        cut = _edges(np.sort(np.concatenate(ordered), kind="stable"), cells // 2, 10)  # two sorted runs are merged
        cuts.append(cut)
        rows.append([np.diff(np.searchsorted(x, cut), prepend=0, append=len(x)) for x in ordered])
    longest = max(map(len, cuts))
    edges = np.full((width, longest), np.nan)
    counts = np.zeros((2, width, longest + 1))
    for j, (cut, (one, other)) in enumerate(zip(cuts, rows, strict=True)):
        edges[j, : len(cut)] = cut
        counts[0, j, : len(one)], counts[1, j, : len(other)] = one, other
    fit = smooth(*counts)
    log_ratios = fit.log_ratios * np.clip(1.0 - fit.freedom / np.maximum(2.0 * fit.gain, 1e-9), 0.0, 1.0)[:, None]
    mass = counts.sum(axis=0)
    strengths = (mass * log_ratios**2).sum(axis=1) / mass.sum(axis=1)
    words = f"log-ratio over cells of {'the output' if view is None else view.words}"
    return Additive(view, edges, log_ratios, strengths, words)


def _pooled(first: Array, second: Array) -> Additive:
    """One shape for all columns, learned from the entries of all of them, as of steps that are alike."""
    shape = _additive(None, first.reshape(-1, 1), second.reshape(-1, 1))
    width = first.shape[1]
    edges, log_ratios = np.tile(shape.edges, (width, 1)), np.tile(shape.log_ratios, (width, 1))
    return Additive(None, edges, log_ratios, np.tile(shape.strengths, width), "log-ratio, one for all columns, summed")


def _exchangeable(first: Array, second: Array) -> bool:
    """Whether quantiles of all columns are about the same."""
    with np.errstate(all="ignore"):
        pool = np.concatenate([first[:4096], second[:4096]])
        low, *_, high = quantiles = np.quantile(pool, [0.05, 0.25, 0.5, 0.75, 0.95], axis=0)
        return bool((np.ptp(quantiles, axis=1) <= EXCHANGEABLE * np.mean(high - low)).all())


@dataclass(frozen=True)
class Ordered:
    """The order statistics of a row."""

    words = "the sorted columns"

    def __call__(self, numbers: Array) -> Array:
        return np.sort(numbers, axis=1)


@dataclass(frozen=True)
class Smooth:
    """Smooth log-ratios float64[k, m], effective degrees of freedom, and gains of log-likelihood over no difference;
    of one row alone, also its covariance."""

    log_ratios: Array
    freedom: Array
    gain: Array
    covariance: Array


def smooth(first: Array, second: Array) -> Smooth:
    """Smooth log-ratios of counts in ordered cells, rows of float64[k, m]: penalised splines of the normal score.

    The second differences have a ridge penalty, so that a line stays free, as for two normal laws; its weight, one for
    all rows, has the least AIC.
    """
    k, m = first.shape
    weights = 10.0 ** np.arange(5.0, -2.0, -1.0) if m > 2 else np.zeros(1)
    parts = [slice(start, start + 256) for start in range(0, k, 256)]
    fits = [_smooth(first[part], second[part], weights) for part in parts]
    best = int(np.argmax(np.sum([[(f.gain - f.freedom).sum() for f in some] for some in fits], axis=0)))
    kept = [some[best] for some in fits]
    return Smooth(
        np.concatenate([f.log_ratios for f in kept]),
        np.concatenate([f.freedom for f in kept]),
        np.concatenate([f.gain for f in kept]),
        kept[0].covariance,
    )


def _smooth(first: Array, second: Array, weights: Array) -> list[Smooth]:
    """By each weight, from the stiffest to the loosest: each starts from the one before (Newton's method)."""
    total = first + second
    rank = (np.cumsum(total, axis=1) - 0.5 * total + 0.25) / (total.sum(axis=1, keepdims=True) + 0.5)
    step = np.maximum(np.diff(ndtri(rank), axis=1), 0.02)
    k, m = total.shape
    left, right = step[:, :-1], step[:, 1:]
    bend = np.sqrt(2.0 / (left + right)) * np.stack([1.0 / left, -1.0 / left - 1.0 / right, 1.0 / right])
    rough = np.zeros((7, k, m))  # bands as of LAPACK: 4 - j holds the j-th diagonal above the main one
    for i, j in product(range(3), range(3)):
        rough[4 + i - j, :, j : j + max(m - 2, 0)] += bend[i] * bend[j]
    rough[4] += 1e-9
    units = np.tile(np.eye(m), (k, 1))
    level, fit, fits = total.sum(axis=1), np.zeros((k, m)), []
    for weight in weights:
        for _ in range(12):
            chance = expit(fit)
            work = total * chance * (1.0 - chance)
            hessian = weight * rough
            slope = first - total * chance - _banded_product(hessian, fit)
            hessian[4] += work + 1e-6
            factors, pivots, solution, _ = dgbsv(2, 2, hessian.reshape(7, -1), slope.ravel())
            move = solution.reshape(k, m)
            fit = fit + np.clip(move, -2.0, 2.0)
            if np.abs(move).max() < 1e-3:
                break
        covariance = dgbtrs(factors, 2, 2, units, pivots)[0].reshape(k, m, m)
        freedom = np.einsum("kii,ki->k", covariance, work)
        gain = math.log(2.0) * level - (first * np.logaddexp(0.0, -fit) + second * np.logaddexp(0.0, fit)).sum(axis=1)
        fits.append(Smooth(fit, freedom, gain, covariance[0] if k == 1 else covariance[0, :0]))
    return fits


def _banded_product(bands: Array, vectors: Array) -> Array:
    """Symmetric matrices, float64[7, k, m] in LAPACK's bands, times vectors float64[k, m]."""
    result = bands[4] * vectors
    for j in (1, 2):
        above = bands[4 - j, :, j:]
        result[:, :-j] += above * vectors[:, j:]
        result[:, j:] += above * vectors[:, :-j]
    return result


def _edges(pool: Array, per_tail: int, least: int) -> Array:
    """Increasing values at which to cut a sorted sample: all of few, else geometric in rank; atoms have their own cell,
    and so has what is not a number."""
    first = np.ones(len(pool), dtype=bool)
    first[1:] = pool[1:] != pool[:-1]
    nan = int(np.searchsorted(pool, np.nan))
    first[nan + 1 :] = False
    places = np.flatnonzero(first)
    values, times = pool[places], np.diff(places, append=len(pool))
    if len(values) <= 2 * per_tail:
        return values[1:] if len(values) > 1 else values
    ranks = np.geomspace(least, len(pool) / 2, per_tail).astype(int)
    chosen = np.isnan(values)
    chosen[np.searchsorted(places, np.concatenate([ranks, len(pool) - 1 - ranks]), side="right") - 1] = True
    chosen[:-1] |= times[:-1] > len(pool) / (4 * per_tail)
    chosen[1:] |= times[:-1] > len(pool) / (4 * per_tail)
    return values[chosen]


def identity(outputs: Array) -> Array:
    """A sortable key of each output: texts themselves, of numbers 64 bits, equal for equal rows (all NaN alike)."""
    if outputs.dtype.kind in "SU":
        return outputs
    columns = outputs.reshape(len(outputs), -1)
    if columns.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            rows = np.asarray(columns, dtype=np.float64) + 0.0
        rows[np.isnan(rows)] = np.nan
    else:
        rows = np.ascontiguousarray(columns, dtype=np.int64)
    key = np.zeros(len(rows), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for column in rows.view(np.uint64).T:
            key = (key ^ column) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
    return key


@dataclass(frozen=True)
class Values:
    """The log-ratio of the whole output among the values that recur, drawn to 0 by one standard error; `other` for the
    rest (`covers`: there is hardly any)."""

    keys: Array
    log_ratios: Array
    other: float
    covers: bool
    margin = MARGIN

    @property
    def words(self) -> str:
        return f"log-ratio of the value, among {len(self.keys)} that recur"

    def __call__(self, outputs: Array) -> Array:
        keys = identity(outputs)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[place] == keys, self.log_ratios[place], self.other)


def _values(first: Array, second: Array) -> Values | None:
    """`Values`, where some values recur."""
    a, b = identity(first), identity(second)
    pooled = np.sort(np.concatenate([a, b]))
    if not (pooled[RECURRING - 1 :] == pooled[: len(pooled) - RECURRING + 1]).any():
        return None
    keys, times = np.unique(pooled, return_counts=True)
    often = np.flatnonzero(times >= RECURRING)
    keys = keys[np.sort(often[np.argsort(-times[often], kind="stable")[:KEPT_VALUES]])]
    tallies = []
    for side in (a, b):
        place = np.minimum(np.searchsorted(keys, side), len(keys) - 1)
        tallies.append(np.bincount(place[keys[place] == side], minlength=len(keys)))
    rest = [len(a) - int(tally.sum()) for tally in tallies]
    covers = sum(rest) <= 1e-3 * 2 * len(a) and 100 * len(keys) <= len(a)
    return Values(keys, _cautious(*tallies), float(_cautious(*rest)), covers)


def _cautious(x: Any, y: Any) -> Any:
    """The log-ratio of two counts, drawn to 0 by one standard error."""
    ratio, error = np.log((x + 0.5) / (y + 0.5)), np.sqrt(1.0 / (x + 0.5) + 1.0 / (y + 0.5))
    return np.sign(ratio) * np.maximum(np.abs(ratio) - error, 0.0)


@dataclass(frozen=True)
class Linear:
    """Columns centred, scaled and mapped by a matrix."""

    words: str
    centre: Array
    scale: Array
    matrix: Array

    def __call__(self, numbers: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.nan_to_num((numbers - self.centre) / self.scale, posinf=0.0, neginf=0.0) @ self.matrix


def _whitened(first: Array, second: Array) -> Iterator[Linear]:
    """Linear maps by the mean covariance of the sides: symmetric, and triangular (undoes running sums)."""
    if first.shape[1] > MANY_COLUMNS:
        return
    low, high, plain = _clipping(first, second)
    with np.errstate(all="ignore"):
        tame = [plain(np.clip(x, low, high)) for x in (first, second)]
        covariance = 0.5 * (np.cov(tame[0].T) + np.cov(tame[1].T)) + 1e-10 * np.eye(len(low))
        if not np.isfinite(covariance).all():
            return
        values, vectors = np.linalg.eigh(covariance)
        symmetric = (vectors / np.sqrt(np.maximum(values, 1e-10))) @ vectors.T
        triangular = np.linalg.inv(np.linalg.cholesky(covariance + 1e-10 * np.eye(len(low)))).T
    yield replace(plain, words="symmetrically whitened columns", matrix=symmetric)
    yield replace(plain, words="triangularly whitened columns", matrix=triangular)


def _clipping(first: Array, second: Array) -> tuple[Array, Array, Linear]:
    """The range of each column without its extremes, and the map to that of length 1 around 0."""
    with np.errstate(all="ignore"):  # of huge numbers nothing is learned here
        pool = np.nan_to_num(np.concatenate([first[:4096], second[:4096]]))
        low, high = np.quantile(pool, [0.005, 0.995], axis=0)
        return low, high, Linear("", (low + high) / 2.0, np.where(high > low, high - low, 1.0), np.eye(len(low)))


@dataclass(frozen=True)
class Projection:
    """A linear function of the columns."""

    view: Linear
    margin = MARGIN
    words = "linear function of the columns"

    def __call__(self, outputs: Array) -> Array:
        return self.view(_numbers(outputs))[:, 0]


def _logistic(first: Array, second: Array) -> Projection:
    """Logistic regression of the side on the columns, each without its extremes (Newton's method, a small ridge)."""
    low, high, plain = _clipping(first, second)
    x = plain(np.clip(np.concatenate([first, second]), low, high))
    x = np.column_stack([x, np.ones(len(x))])
    side, weights = np.repeat([1.0, 0.0], [len(first), len(second)]), np.zeros(x.shape[1])
    for _ in range(8):
        chance = expit(x @ weights)
        hessian = (x * (chance * (1.0 - chance))[:, None]).T @ x + np.eye(x.shape[1])
        weights += np.linalg.solve(hessian, x.T @ (side - chance) - weights)
    return Projection(replace(plain, matrix=weights[:-1, None]))


@dataclass(frozen=True)
class Quadratic:
    """The log-ratio of two centred normal laws of columns' normal scores, by a sample's distribution functions."""

    columns: Array
    knots: Array
    levels: Array
    matrix: Array
    striking: list[int]
    margin = MARGIN
    words = "quadratic form of the normal scores of columns"

    def normal(self, outputs: Array) -> Array:
        columns = np.nan_to_num(_numbers(outputs)[:, self.columns]).T
        levels = [np.interp(x, knots, self.levels) for x, knots in zip(columns, self.knots, strict=True)]
        return np.stack(levels, axis=1)

    def __call__(self, outputs: Array) -> Array:
        z = self.normal(outputs)
        return np.asarray(((z @ self.matrix) * z).sum(axis=1))


def _quadratic(first: Array, second: Array, columns: Array) -> Quadratic | None:
    """Covariances differ where that is striking, and are alike elsewhere."""
    levels, pool = (np.arange(64) + 0.5) / 64, np.concatenate([first[:4096], second[:4096]])[:, columns]
    knots = np.quantile(np.nan_to_num(pool), levels, axis=0).T
    plain = Quadratic(columns, knots, ndtri(levels), np.eye(len(columns)), [])
    moments, errors = [], []
    for z in (plain.normal(first), plain.normal(second)):
        moments.append(z.T @ z / len(z))
        errors.append(((z * z).T @ (z * z) / len(z) - moments[-1] ** 2) / len(z))
    striking = np.abs(moments[0] - moments[1]) > STRIKING * np.sqrt(errors[0] + errors[1] + 1e-12)
    pairs = np.argwhere(np.triu(striking, 1))
    if not len(pairs):
        return None
    mean = 0.5 * (moments[0] + moments[1])
    inverse = [np.linalg.pinv(np.where(striking, m, mean) + 1e-3 * np.eye(len(m))) for m in moments]
    candidates = columns[np.unique(pairs)].tolist()
    return Quadratic(columns, knots, ndtri(levels), 0.5 * (inverse[1] - inverse[0]), candidates)


@dataclass(frozen=True)
class Parities:
    """Whether an even or an odd number of a set of columns is high."""

    sets: list[tuple[int, ...]]
    middles: Array

    @property
    def words(self) -> str:
        return f"parities of columns {', '.join(map(str, self.sets))}"

    def __call__(self, numbers: Array) -> Array:
        odd = [(numbers[:, s] > self.middles[list(s)]).sum(axis=1) % 2 for s in self.sets]
        return np.stack(odd, axis=1).astype(float)


def _parities(first: Array, second: Array, columns: Array) -> Parities | None:
    """The sets of three to seven columns whose parities differ most: products of small sets with large ones."""
    pool = np.concatenate([first[:4096], second[:4096]])
    middles = np.nan_to_num(
        0.5 * (np.quantile(pool, 0.5, axis=0, method="lower") + np.quantile(pool, 0.5, axis=0, method="higher"))
    )
    middles = np.where((pool > middles).mean(axis=0) < 0.02, np.nan_to_num(pool.min(axis=0)), middles)
    sides = [np.ascontiguousarray((x[:, columns] > middles[columns]).T) for x in (first, second)]
    signs = [1.0 - 2.0 * side[:, :1024].T.astype(np.float32) for side in sides]
    subsets: set[tuple[int, ...]] = set()
    for small, large in ((1, 2), (2, 2), (2, 3), (3, 3), (3, 4)):
        if len(columns) < small + large or math.comb(len(columns), small) * math.comb(len(columns), large) > 8e6:
            break
        few, many = (list(combinations(range(len(columns)), n)) for n in (small, large))
        gap = abs(np.subtract(*(np.prod(s[:, few], axis=2).T @ np.prod(s[:, many], axis=2) for s in signs)))
        for place in np.argpartition(-gap, min(60, gap.size - 1), axis=None)[:60].tolist():
            one, other = few[place // len(many)], many[place % len(many)]
            if not set(one) & set(other):
                subsets.add(tuple(sorted((*one, *other))))
    ranked = []
    for some in subsets:
        odd = [float(np.logical_xor.reduce(side[list(some)]).mean()) for side in sides]
        ranked.append((abs(odd[0] - odd[1]) * math.sqrt(2.0 * len(first)), some))
    best = [tuple(columns[[*some]].tolist()) for gap, some in sorted(ranked, reverse=True)[:4] if gap > STRIKING]
    return Parities(best, middles) if best else None


@dataclass(frozen=True)
class Trees:
    """The log-odds of boosted trees on a few columns."""

    model: Any
    columns: Array
    margin = 0.1  # they cost more than all others together
    words = "boosted trees on columns of the output"

    def __call__(self, outputs: Array) -> Array:
        with one_openmp_thread():
            return np.asarray(self.model.decision_function(_without_huge(_numbers(outputs)[:, self.columns])))


def _trees(first: Array, second: Array, columns: Array) -> Trees:
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows = min(len(first), TREE_ROWS)
    model = HistGradientBoostingClassifier(
        max_iter=40, max_leaf_nodes=15, min_samples_leaf=100, early_stopping=False, random_state=0
    )
    learn = _without_huge(np.concatenate([first[:rows, columns], second[:rows, columns]]))
    with one_openmp_thread():
        return Trees(model.fit(learn, np.repeat([1, 0], rows)), columns)


def _without_huge(numbers: Array) -> Array:
    """What is huge counts as missing: borders between such values could not be computed."""
    return np.where(np.abs(numbers) < HUGE, numbers, np.nan)
