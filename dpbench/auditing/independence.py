"""Are the runs independent? Tests at a stated level, on blocks of outputs in the order they were drawn.

A bound rests on whether each certifying run is in the event, and on nothing else of it. Of a block a `Trace` is kept: a
digest of its first rows, and bits that are deterministic functions of single rows, so that what is independent and
identically distributed stays so: bits of a mix of the whole row (two rows that are equal have equal bits), whether a
column is high, and whether the row is in the event that the audit certifies.

Null: the rows of a side are independent and identically distributed, and independent of the other side's. Then,
given which rows a block has, their order is uniform, and every p-value here is an exact upper bound:

- Two blocks agree in their first L rows with probability at most Π m_v!/L! given the rows, where value v occurs
  m_v times.
- For bits of rows at disjoint pairs of places (neighbours in a block, places a fixed distance apart, the same places
  of the two sides) the number of pairs with both bits set is hypergeometric given how many of each are set. Its tail
  is bounded by the geometric series with the ratio of its first two terms (it is log-concave), and doubled for the two
  sides.
- The numbers of rows with a bit in blocks 1, ..., k, given how many of all these rows have it: the last of them is
  hypergeometric, whatever the earlier ones are of their own sum. So normal scores of their distribution functions
  (randomised at the atoms, by a generator that knows the sizes of the blocks alone) are independent standard normals,
  and their sum of squares has a chi-squared law exactly: `dispersion`. What the rows of a call share, whatever it is,
  moves the counts of calls too much; what is stratified, too little.

Each kind of test has an equal share of the level, divided by the number of its tests (the union bound); where a place
is chosen after a look at all places, all count as tested.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import chdtr, chdtrc, gammaln, ndtri

from dpbench.auditing.choose import identity
from dpbench.core import sampling
from dpbench.core.validation import InvalidInput

LEVEL = 1e-9
"""Probability that an audit of independent runs is refused, at most."""

MIXED = 4  # bits of the mix of a row; those of columns and of the event follow
COLUMNS = 16  # of a vector that enter the mix of its row,
HIGH = 3  # and that are looked at by themselves
PREFIXES = (16, 32, 256, 2048, 16_384)
ENOUGH = -60.0  # log-probability of an arrangement of rows, below which no longer prefix is looked at
KEPT = 64  # blocks of a part and side whose bits are kept, to compare them with the other side's
ROWS, LEAST_STRETCHES = 16_384, 16  # in a block of an array at most, and blocks at least
SIDES = ("dataset", "neighbour")
_ROUNDING = 1e-4  # of the logarithm of a probability

EQUAL, REPEATED, GROUPED = "equal blocks", "repeated rows", "neighbouring rows"
PAIRED, DISPERSED = "rows of the two sides, pair by pair", "counts over calls"
CAUSES = {
    EQUAL: "a generator of its own with a fixed seed, or noise that is cached, in place of the rng that it is given",
    REPEATED: "one draw that is repeated for several trials, where each trial needs a draw of its own",
    GROUPED: "a draw that several trials share, a chain that carries on from trial to trial, or a stratified draw",
    PAIRED: "noise that is cached between calls, or a generator of its own that is seeded alike for both data sets",
    DISPERSED: "a draw that several trials share, a stratified draw, or a state that drifts between calls",
}
"""The kinds of dependence that are looked for, in the order in which they are reported."""

ARRAYS = "rows that are copies of others, that were sorted, or that were drawn again from one seed"

Tried = tuple[int, float | Sequence[int], str]
"""Tests: how many, the p-value or table of the most striking one, and its words ({leaning} as the table leans)."""


class DependentOutputs(InvalidInput):
    """Rows or blocks of outputs that are not independent: no bound would be valid. Says what was seen, and why."""


@dataclass(frozen=True)
class Check:
    """A kind of dependence that was looked for.

    Attributes
    ----------
    what : str
    p_value : float
        Of the most striking of its tests, times their number; at most 1.
    """

    what: str
    p_value: float


# What is kept of a block


@dataclass(frozen=True)
class Trace:
    """Of one block.

    Attributes
    ----------
    rows : int
    prefixes : tuple of (int, bytes, float)
        Of the first rows: how many, a digest, and the logarithm of the probability that another block with these rows
        has them in this order.
    counts : int64[features]
        Rows with each bit.
    tables : int64[features, 4]
        For pairs of neighbouring rows: both bits set, the first, the second, pairs.
    bits : uint8[features, rows // 8]
        Packed.
    """

    rows: int
    prefixes: tuple[tuple[int, bytes, float], ...]
    counts: np.ndarray
    tables: np.ndarray
    bits: np.ndarray

    def without_bits(self) -> Trace:
        """All but the bits of the rows."""
        return replace(self, bits=self.bits[:, :0].copy())


@dataclass(frozen=True)
class Probe:
    """Which bits to take: functions of rows, fixed before the certifying part is seen.

    Attributes
    ----------
    columns : tuple of (int, float, bool)
        Column, threshold, and whether the threshold itself counts as high.
    """

    columns: tuple[tuple[int, float, bool], ...]

    def trace(self, outputs: np.ndarray, event: np.ndarray | None = None) -> Trace:
        """The trace of a block; `event` is a further bit for each row."""
        keys = row_keys(outputs)
        bits = np.empty((MIXED + len(self.columns) + (event is not None), len(keys)), dtype=bool)
        for k in range(MIXED):
            np.not_equal(keys & np.uint64(1 << (63 - 7 * k)), 0, out=bits[k])
        for k, (j, threshold, through) in enumerate(self.columns, MIXED):
            column = outputs if outputs.ndim == 1 else outputs[:, j]  # NaN is not high
            (np.greater_equal if through else np.greater)(column, threshold, out=bits[k])
        if event is not None:
            bits[-1] = event
        packed = np.packbits(bits, axis=1)[:, : len(outputs) // 8]
        return Trace(len(outputs), _prefixes(keys), np.count_nonzero(bits, axis=1), neighbours(packed), packed)


def probe_of(first: np.ndarray, second: np.ndarray) -> Probe:
    """The probe for outputs such as these: it depends on the order of the rows of neither side."""
    columns: list[tuple[int, float, bool]] = []
    if first.dtype.kind not in "SU":
        width = 1 if first.ndim == 1 else first.shape[1]
        for j in sorted({0, width // 2, width - 1})[:HIGH]:
            pool = np.concatenate([side if side.ndim == 1 else side[:, j] for side in (first, second)])
            pool = np.nan_to_num(np.asarray(pool, dtype=np.float64), nan=-np.inf, posinf=np.inf, neginf=-np.inf)
            middle = float(np.partition(pool, len(pool) // 2)[len(pool) // 2])
            above, through = np.mean(pool > middle), np.mean(pool >= middle)
            columns.append((j, middle, bool(abs(through - 0.5) < abs(above - 0.5))))
    return Probe(tuple(columns))


def row_keys(outputs: np.ndarray) -> np.ndarray:
    """uint64[rows]: equal for equal rows (of wide rows, in `COLUMNS` columns)."""
    if outputs.dtype.kind in "SU":
        words, place = np.unique(outputs, return_inverse=True)
        mixed = np.array([zlib.crc32(repr(w).encode()) for w in words.tolist()], dtype=np.uint64)[place]
    else:
        wide = outputs.ndim == 2 and outputs.shape[1] > COLUMNS
        some = outputs[:, np.linspace(0, outputs.shape[1] - 1, COLUMNS).astype(int)] if wide else outputs
        mixed = identity(some)
    for _ in range(2):  # else the top bits of a number and of its opposite would be related
        mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xD6E8FEB86659FD93)
    return mixed


def _prefixes(keys: np.ndarray) -> tuple[tuple[int, bytes, float], ...]:
    """`Trace.prefixes`: of `PREFIXES` rows, up to where their order is informative enough."""
    prefixes = []
    for wanted in PREFIXES:
        length = min(wanted, len(keys))
        log_chance = -math.lgamma(length + 1.0)
        if length > PREFIXES[1] or len(set(keys[:length].tolist())) < length:
            _, times = np.unique(keys[:length], return_counts=True)
            log_chance += float(gammaln(times + 1.0).sum())
        prefixes.append((length, hashlib.blake2b(keys[:length].tobytes(), digest_size=16).digest(), log_chance))
        if log_chance < ENOUGH or length == len(keys):
            break
    return tuple(prefixes)


def neighbours(bits: np.ndarray) -> np.ndarray:
    """int64[features, 4]: of rows 2i and 2i + 1 in packed bits, the table of each feature, the later row first."""
    return _table(bits & 0x55, (bits >> 1) & 0x55, 4 * bits.shape[1])


def _table(first: np.ndarray, second: np.ndarray, pairs: int) -> np.ndarray:
    """Of packed bits uint8[features, width]: both set, the first, the second, pairs."""
    counts = [np.bitwise_count(x).sum(axis=1, dtype=np.int64) for x in (first & second, first, second)]
    return np.column_stack([*counts, np.full(len(first), pairs)])


# Exact tests


def tails(tables: np.ndarray) -> np.ndarray:
    """Upper bounds on two-sided p-values under hypergeometric laws.

    Parameters
    ----------
    tables : int64[n, 4]
        Pairs with both bits set, with the first, with the second, and pairs.

    Returns
    -------
    float64[n]
    """
    both, first, second, pairs = np.asarray(tables, dtype=np.float64).T
    fixed = np.maximum(0, first + second - pairs) == np.minimum(first, second)
    # As many pairs with the first bit alone: the other tail.
    other = both <= first * second / np.maximum(pairs, 1)
    both, second = np.where(other, first - both, both), np.where(other, pairs - second, second)
    log_term = log_choose(second, both) + log_choose(pairs - second, first - both) - log_choose(pairs, first)
    ratio = (second - both) * (first - both) / ((both + 1.0) * np.maximum(pairs - second - first + both + 1.0, 1.0))
    ratio = np.where(both >= np.minimum(first, second), 0.0, ratio)
    bound = 2.0 * np.exp(np.minimum(log_term + _ROUNDING, 0.0)) / np.where(ratio < 1.0, 1.0 - ratio, 1.0)
    return np.where(fixed | (ratio >= 1.0), 1.0, np.minimum(bound, 1.0))


def log_choose(n: Any, k: Any) -> np.ndarray:
    """Logarithm of the binomial coefficient."""
    return np.asarray(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0))


def dispersion(hits: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The exact two-sided p-value of each bit's counts in calls, given their sum: independent runs of one probability.

    Parameters
    ----------
    hits : int64[bits, calls]
        Runs with the bit, of each call.
    sizes : int64[calls]
        All runs.

    Returns
    -------
    float64[bits]
    """
    uniforms = sampling.stream("dispersion", sizes.tolist()).random(len(sizes))
    given = np.broadcast_arrays(hits, sizes, np.cumsum(hits, axis=1), np.cumsum(sizes), uniforms)
    x, n, set_bits, rows, uniform = (array[:, 1:].ravel().astype(float) for array in given)
    upper = x * rows > n * set_bits  # the shorter tail is summed: an upper one is a lower one of the bits not set
    x, set_bits = np.where(upper, n - x, x), np.where(upper, rows - set_bits, set_bits)
    here = np.exp(log_choose(set_bits, x) + log_choose(rows - set_bits, n - x) - log_choose(rows, n))
    spread = np.sqrt(n * set_bits / rows * (1.0 - set_bits / rows)).max(initial=0.0)
    below, steps = np.empty(len(x)), np.arange(int(9.0 * spread) + 16)  # what is left out is below rounding
    for start in range(0, len(x), max(1, 10**6 // len(steps))):
        some = slice(start, start + max(1, 10**6 // len(steps)))
        count = x[some, None] - steps
        ratios = count * ((rows - set_bits - n)[some, None] + count)
        ratios /= (set_bits[some, None] - count + 1.0) * (n[some, None] - count + 1.0)
        below[some] = np.cumprod(ratios, axis=1).sum(axis=1)
    scores = ndtri(np.clip((below + uniform) * here, 1e-300, 1.0 - 1e-16)).reshape(len(hits), -1)
    total, freedom = np.square(scores).sum(axis=1), len(sizes) - 1
    return np.minimum(1.0, 2.0 * np.minimum(chdtrc(freedom, total), chdtr(freedom, total)))


def most_alike(bits: np.ndarray) -> tuple[int, int]:
    """The distance at which bits agree most with themselves, and how many distances there are."""
    most = len(bits) // 2
    if most < 2:
        return 0, 0
    centred = bits - bits.mean()
    size = 1 << (2 * len(bits) - 1).bit_length()
    alike = np.fft.irfft(np.abs(np.fft.rfft(centred, size)) ** 2, size)[1 : most + 1]
    return 1 + int(np.argmax(np.abs(alike) / np.sqrt(len(bits) - np.arange(1.0, most + 1)))), most


def at_distance(bits: np.ndarray, lag: int) -> tuple[int, int, int, int]:
    """The table of disjoint pairs of places `lag` apart."""
    groups = len(bits) // (2 * lag)
    halves = bits[: 2 * lag * groups].reshape(groups, 2, lag).astype(bool)
    first, second = halves[:, 0].ravel(), halves[:, 1].ravel()
    return int((first & second).sum()), int(first.sum()), int(second.sum()), groups * lag


# The tests of an audit


@dataclass
class Watch:
    """The tests of one audit.

    Attributes
    ----------
    who : str
        Whose outputs these are, in messages.
    level : float
        Of all its tests together, over all calls of `examine`.
    looks : int
        Times that `examine` may be called.
    arrays : bool
        The outputs came as arrays: no sampler is to blame.
    """

    who: str
    level: float = LEVEL
    looks: int = 3
    arrays: bool = False
    _traces: dict[tuple[str, int], list[Trace]] = field(default_factory=dict)

    def add(self, part: str, side: int, trace: Trace) -> None:
        """One more block of a part and side, in order."""
        traces = self._traces.setdefault((part, side), [])
        traces.append(trace if len(traces) < KEPT else trace.without_bits())

    def add_all(
        self,
        part: str,
        side: int,
        probe: Probe,
        outputs: np.ndarray,
        rows: int,
        event: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:
        """All blocks of a part and side that is held in memory."""
        for start in range(0, len(outputs), rows):
            block = outputs[start : start + rows]
            self.add(part, side, probe.trace(block, None if event is None else event(block)))

    def examine(self) -> tuple[Check, ...]:
        """The p-values of all kinds.

        Raises
        ------
        DependentOutputs
            One of them is below its share of the level.
        """
        tests = {
            EQUAL: self._equal(), REPEATED: self._repeats(), GROUPED: self._rows(MIXED, None),
            PAIRED: self._paired(), DISPERSED: self._dispersed(),
        }  # fmt: skip
        checks = []
        for kind, tried in tests.items():
            p_value, words = _least(list(tried))
            checks.append(Check(kind, p_value))
            if p_value <= self.level / (self.looks * len(tests)):
                raise DependentOutputs(
                    f"the runs of {self.who} must be independent, got {words} (p-value {max(p_value, 1e-300):.1g}); "
                    f"the likely cause is {ARRAYS if self.arrays else CAUSES[kind]}"
                )
        return tuple(checks)

    def _equal(self) -> Iterator[Tried]:
        """Pairs of blocks with equal first rows; first how many pairs there are, at each length."""
        seen: dict[tuple[int, bytes], str] = {}
        total = 0
        for (part, side), traces in self._traces.items():
            total += len(traces)
            for number, trace in enumerate(traces, 1):
                here = f"block {number}{_of(part)} on the {SIDES[side]}"
                for rows, digest, log_chance in trace.prefixes:
                    earlier = seen.setdefault((rows, digest), here)
                    if earlier is not here:
                        yield (
                            0,
                            math.exp(log_chance),
                            f"equal outputs in the first {rows} rows of {earlier} and of {here}",
                        )
        yield total * (total - 1) // 2 * len(PREFIXES), 1.0, ""

    def _repeats(self) -> Iterator[Tried]:
        """Neighbouring rows, and rows at that distance at which the first block agrees most with itself."""
        yield from self._rows(0, MIXED)
        for (part, side), traces in self._traces.items():
            for bits in np.unpackbits(traces[0].bits[:MIXED], axis=1):
                lag, tried = most_alike(bits)
                if tried:
                    words = f"rows of the {SIDES[side]} that repeat the row {lag} places before{_in(part)}"
                    yield tried, at_distance(bits, lag), words

    def _rows(self, start: int, end: int | None) -> Iterator[Tried]:
        """Neighbouring rows, by the bits of some features."""
        for (part, side), traces in self._traces.items():
            for table in np.sum([trace.tables[start:end] for trace in traces], axis=0):
                yield 1, table, f"neighbouring rows of the {SIDES[side]} that {{leaning}}{_in(part)}"

    def _paired(self) -> Iterator[Tried]:
        """The same places of the two sides."""
        for part in dict.fromkeys(part for part, _ in self._traces):
            sides = [self._traces.get((part, side), [])[:KEPT] for side in (0, 1)]
            tables = []
            for first, second in zip(*sides, strict=False):
                width = min(first.bits.shape[1], second.bits.shape[1])
                tables.append(_table(first.bits[:, :width], second.bits[:, :width], 8 * width))
            for table in np.sum(tables, axis=0) if tables else ():
                yield 1, table, f"rows of the {SIDES[0]} and of the {SIDES[1]} that {{leaning}}{_in(part)}"

    def _dispersed(self) -> Iterator[Tried]:
        """The counts of a bit over all blocks of a part and side, too uneven or too even."""
        for part, side in self._traces:
            where = f"{'stretches of rows' if self.arrays else 'calls'} on the {SIDES[side]}{_in(part)}"
            for p_value in self._over_calls(part, side):
                yield 1, p_value, f"counts in {where} that differ too much or too little"

    def uneven(self, part: str) -> float:
        """The p-value of the event's counts over the calls of a part, of both sides."""
        return 2.0 * min(self._over_calls(part, side)[-1] for side in (0, 1))

    def _over_calls(self, part: str, side: int) -> list[float]:
        """`dispersion` of each bit."""
        traces = self._traces[part, side]
        hits = np.stack([trace.counts for trace in traces], axis=1)
        return dispersion(hits, np.array([trace.rows for trace in traces])).tolist() if len(traces) > 1 else [1.0]


def _least(tests: list[Tried]) -> tuple[float, str]:
    """The least p-value times the number of tests, and what was seen there."""
    tables = np.array([(0, 0, 0, 0) if isinstance(seen, float) else seen for _, seen, _ in tests]).reshape(-1, 4)
    p_values = np.minimum([seen if isinstance(seen, float) else 1.0 for _, seen, _ in tests], tails(tables))
    if not len(p_values):
        return 1.0, ""
    place = int(np.argmin(p_values))
    both, first, second, pairs = tables[place].tolist()
    leaning = "go together" if both * pairs > first * second else "avoid each other"
    return min(1.0, float(p_values[place]) * sum(n for n, _, _ in tests)), tests[place][2].format(leaning=leaning)


def recycled(outputs: np.ndarray, neighbour_outputs: np.ndarray) -> str:
    """How rows of continuous numbers were used again, in words; empty where they were not seen to be.

    Independent draws from a continuous law never recur. Here more than half of the rows of a side do, no value of one
    side is seen on the other, and the values recur about equally often, as the rows of a bootstrap or of a repeated
    array do and those of a discrete law (rounded noise, say) do not.
    """
    keys = [row_keys(side) for side in (outputs, neighbour_outputs)]
    if outputs.dtype.kind != "f" or np.isin(keys[0], keys[1]).any():
        return ""
    for side, rows, name in zip((outputs, neighbour_outputs), keys, SIDES, strict=True):
        if (np.nan_to_num(side) == np.round(np.nan_to_num(side))).all():
            continue
        _, times = np.unique(rows, return_counts=True)
        again = int(times[times > 1].sum())
        mean = len(rows) / len(times)
        uneven = float(np.square(times - mean).sum()) / mean
        if len(times) >= 50 and 2 * again > len(rows) and uneven < len(times) + 5.0 * math.sqrt(2.0 * len(times)):
            return f"{len(rows)} rows on the {name} that hold {len(times)} values, each about {mean:.3g} times"
    return ""


def check_arrays(
    outputs: np.ndarray, neighbour_outputs: np.ndarray, event: Callable[..., Any] | None = None
) -> tuple[Check, ...]:
    """The checks of two arrays of outputs, whose rows are in the order in which they were drawn.

    Raises
    ------
    DependentOutputs
    """
    again = "" if event is not None else recycled(outputs, neighbour_outputs)
    if again:
        raise DependentOutputs(
            f"the rows of the outputs must be independent runs, got {again}, none of them seen on the other side; the "
            "likely cause is a bootstrap, or runs that were copied: hand over the runs themselves"
        )
    watch = Watch("the outputs", LEVEL / 2.0, looks=1, arrays=True)
    probe = probe_of(outputs, neighbour_outputs)
    for side, rows in enumerate((outputs, neighbour_outputs)):
        watch.add_all("", side, probe, rows, min(ROWS, max(len(rows) // LEAST_STRETCHES, 1)), event)
    return watch.examine()


def _of(part: str) -> str:
    return f" of the {part} part" if part else ""


def _in(part: str) -> str:
    return f", in the {part} part" if part else ""
