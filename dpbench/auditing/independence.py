"""Are the runs independent? Tests at a stated level, on blocks of outputs in the order they were drawn.

Of a block a `Trace` is kept: a digest of its first rows, and bits that are deterministic functions of single rows, so
that what is independent and identically distributed stays so: bits of a mix of the whole row (two rows that are equal
have equal bits), whether a column is high, and whether the row is in the event that the audit certifies.

Null: the rows of a side are independent and identically distributed, and independent of the other side's. Then,
given which rows a block has, their order is uniform, and every p-value here is an exact upper bound:

- Two blocks agree in their first L rows with probability at most Π m_v!/L! given the rows, where value v occurs
  m_v times.
- Two blocks of n and m rows hold one value each in a column, and not the same, with probability at most
  2·n!·m!/(n + m)! given the column's values in both.
- The numbers of runs in the event in blocks 1, ..., k, given how many of all these runs are in it: the last of them is
  hypergeometric, whatever the earlier ones are of their own sum. So normal scores of their distribution functions
  (randomised at the atoms, by a generator that knows the sizes of the blocks alone) are independent standard normals,
  and their sum of squares has a chi-squared law exactly: `dispersion`.
- Calls for one run each that follow a block with one value (in a column): see `Watch.add_calls`.
- For bits of rows at disjoint pairs of places (neighbours in a block, places a fixed distance apart, halves of groups
  of rows, the same places of two blocks) the number of pairs with both bits set is hypergeometric given how many of
  each are set. Its tail is bounded by the geometric series with the ratio of its first two terms (it is
  log-concave), and doubled for the two sides.

Each kind of test has an equal share of the level, divided by the number of its tests (the union bound); where a place
is chosen after a look at all places, all count as tested.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from scipy.special import chdtr, chdtrc, gammaln, ndtri

from dpbench.auditing.choose import identity
from dpbench.core import sampling
from dpbench.core.validation import InvalidInput

_ROUNDING = 1e-4  # of the logarithm of a probability


def tail(both: int, first: int, second: int, pairs: int) -> float:
    """An upper bound on the two-sided p-value of `both` under the hypergeometric law of these margins.

    Parameters
    ----------
    both : int
        Pairs with both bits set.
    first, second : int
        Pairs with the first bit set, and with the second.
    pairs : int
    """
    return float(tails(np.array([[both, first, second, pairs]]))[0])


def tails(tables: np.ndarray) -> np.ndarray:
    """`tail` of each row of int64[n, 4]."""
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


def together(one: Trace, other: Trace) -> np.ndarray:
    """int64[features, 4]: the table of the bits at the same places of two blocks."""
    width = min(one.bits.shape[1], other.bits.shape[1])
    features = min(len(one.bits), len(other.bits))
    a, b = one.bits[:features, :width], other.bits[:features, :width]
    made = [np.bitwise_count(x).sum(axis=1, dtype=np.int64) for x in (a & b, a, b)]
    return np.column_stack([*made, np.full(features, 8 * width)])


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


PREFIXES = (16, 32, 256, 2048, 16_384)
ENOUGH = -60.0  # log-probability of an arrangement of rows, below which no longer prefix is looked at
COLUMNS = 16  # of a vector that enter the mix of its row,
HIGH = 3  # and that are looked at by themselves
FIRST_ROWS = (8, 256)  # in which columns are compared before all rows are
GROUPS = (1, 8, 64, 512)
"""Rows in the two halves of a group: 1, then multiples of 8."""


@dataclass(frozen=True)
class Trace:
    """Of one block, or of a stretch of blocks (see `joined`).

    Attributes
    ----------
    rows : int
    prefixes : tuple of (int, bytes, float)
        Of the first rows: how many, a digest, and the logarithm of the probability that another block with these rows
        has them in this order.
    only : int or None
        The mix of every row, where all rows are equal.
    columns : int
        Of a vector.
    fixed : mapping of int to number
        Columns that hold one value in the whole block, and that value (None: not a number).
    bits : uint8[features, rows // 8]
        Packed.
    tables : int64[features, groups, 4]
        For pairs of half groups: both high, the first high, the second high, pairs.
    hits : int or None
        Rows in the event, where one was given.
    blocks : int
        Of a stretch.
    """

    rows: int
    prefixes: tuple[tuple[int, bytes, float], ...]
    only: int | None
    bits: np.ndarray
    tables: np.ndarray
    columns: int = 0
    fixed: Mapping[int, Any] = field(default_factory=dict)
    hits: int | None = None
    blocks: int = 1

    def without_bits(self) -> Trace:
        """All but the bits of the rows."""
        return replace(self, bits=self.bits[:, :0].copy())


def joined(traces: Sequence[Trace]) -> Trace:
    """The trace of a stretch of blocks: rows, tables and hits added, and the prefixes of all blocks.

    That of several has neither bits nor values that are held fixed: these are compared between single blocks alone.
    """
    first = traces[0]
    if len(traces) == 1:
        return first
    return Trace(
        sum(trace.rows for trace in traces),
        tuple(prefix for trace in traces for prefix in trace.prefixes),
        None,
        first.bits[:, :0].copy(),
        np.sum([trace.tables for trace in traces], axis=0),
        first.columns,
        hits=None if first.hits is None else sum(trace.hits or 0 for trace in traces),
        blocks=sum(trace.blocks for trace in traces),
    )


@dataclass(frozen=True)
class Probe:
    """Which bits to take: functions of rows, fixed before the certifying part is seen.

    Attributes
    ----------
    text : bool
        Outputs are strings.
    columns : tuple of (int, float, bool)
        Column, threshold, and whether the threshold itself counts as high.
    shares : float64[2, features]
        Share of rows with each bit, on the two sides.
    """

    text: bool
    columns: tuple[tuple[int, float, bool], ...]
    shares: np.ndarray

    @property
    def mixed(self) -> int:
        """Features that are bits of the mix of a row; the others follow."""
        return 4 if self.text else 2

    def trace(self, outputs: np.ndarray, side: int, event: np.ndarray | None = None) -> Trace:
        """The trace of a block; `event` is a further bit for each row."""
        keys = row_keys(outputs)
        bits = np.packbits(_bits(self, outputs, keys, event), axis=1)[:, : len(outputs) // 8]
        only = int(keys[0]) if keys[0] == keys[-1] and (keys == keys[0]).all() else None
        tables = halves(bits, self.shares[side])
        columns = 0 if outputs.ndim == 1 else outputs.shape[1]
        fixed = fixed_columns(outputs) if columns else {}
        hits = None if event is None else int(np.count_nonzero(event))
        return Trace(len(outputs), _prefixes(keys), only, bits, tables, columns, fixed, hits)

    def with_event(self, shares: tuple[float, float]) -> Probe:
        """The probe with one more bit a row, of these shares on the two sides."""
        return replace(self, shares=np.column_stack([self.shares, shares]))


def probe_of(first: np.ndarray, second: np.ndarray) -> Probe:
    """The probe for outputs such as these: it depends on the order of the rows of neither side."""
    text = first.dtype.kind in "SU"
    columns: list[tuple[int, float, bool]] = []
    if not text:
        width = 1 if first.ndim == 1 else first.shape[1]
        for j in sorted({0, width // 2, width - 1})[:HIGH]:
            pool = np.concatenate([_column(side, j) for side in (first, second)])
            middle = float(np.partition(pool, len(pool) // 2)[len(pool) // 2])
            above, through = np.mean(pool > middle), np.mean(pool >= middle)
            columns.append((j, middle, bool(abs(through - 0.5) < abs(above - 0.5))))
    bare = Probe(text, tuple(columns), np.zeros((2, 0)))
    shares = [_bits(bare, side, row_keys(side), None).mean(axis=1) for side in (first, second)]
    return replace(bare, shares=np.stack(shares))


def row_keys(outputs: np.ndarray) -> np.ndarray:
    """uint64[rows]: equal for equal rows (of wide rows, in `COLUMNS` columns)."""
    if outputs.dtype.kind in "SU":
        words, place = np.unique(outputs, return_inverse=True)
        mixed = np.array([zlib.crc32(repr(w).encode()) for w in words.tolist()], dtype=np.uint64)[place]
    else:
        wide = outputs.ndim == 2 and outputs.shape[1] > COLUMNS
        some = outputs[:, np.linspace(0, outputs.shape[1] - 1, COLUMNS).astype(int)] if wide else outputs
        mixed = identity(some)
    return (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0xD6E8FEB86659FD93)


def _column(outputs: np.ndarray, j: int) -> np.ndarray:
    column = outputs if outputs.ndim == 1 else outputs[:, j]
    numbers = np.asarray(column, dtype=np.float64)
    return np.where(np.isnan(numbers), -np.inf, numbers) if column.dtype.kind == "f" else numbers


def _bits(probe: Probe, outputs: np.ndarray, keys: np.ndarray, event: np.ndarray | None) -> np.ndarray:
    made = np.empty((probe.mixed + len(probe.columns) + (event is not None), len(keys)), dtype=bool)
    for k in range(probe.mixed):
        np.not_equal(keys & np.uint64(1 << (63 - 7 * k)), 0, out=made[k])
    for k, (j, threshold, through) in enumerate(probe.columns, probe.mixed):
        column = outputs if outputs.ndim == 1 else outputs[:, j]  # NaN is not high
        (np.greater_equal if through else np.greater)(column, threshold, out=made[k])
    if event is not None:
        made[-1] = event
    return made


def fixed_columns(outputs: np.ndarray) -> dict[int, Any]:
    """`Trace.fixed`, looked for in more and more rows."""
    left = np.arange(outputs.shape[1])
    for rows in (*FIRST_ROWS, len(outputs)):
        some = outputs[:rows, left] if len(left) < outputs.shape[1] else outputs[:rows]
        same = some == some[0]
        if some.dtype.kind == "f":
            same |= np.isnan(some) & np.isnan(some[0])
        left = left[same.all(axis=0)]
        if not len(left):
            break
    values = {int(j): outputs[0, j].item() for j in left}
    return {j: value if value == value else None for j, value in values.items()}  # -0.0 is 0.0


def _prefixes(keys: np.ndarray) -> tuple[tuple[int, bytes, float], ...]:
    """`Trace.prefixes`: of `PREFIXES` rows, up to where their order is informative enough."""
    made = []
    for wanted in PREFIXES:
        length = min(wanted, len(keys))
        log_chance = -math.lgamma(length + 1.0)
        if length > PREFIXES[1] or len(set(keys[:length].tolist())) < length:
            _, times = np.unique(keys[:length], return_counts=True)
            log_chance += float(gammaln(times + 1.0).sum())
        made.append((length, hashlib.blake2b(keys[:length].tobytes(), digest_size=16).digest(), log_chance))
        if log_chance < ENOUGH or length == len(keys):
            break
    return tuple(made)


def halves(bits: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """For each feature and each size of group: both halves high, the first, the second, and pairs of halves.

    A half of one row is high where its bit is set: the pairs are bits 7 and 6, 5 and 4, and so on, of each byte, the
    second one first. A half of a multiple of 8 rows is high where more than its share of the bits are set.
    """
    counts, tables = np.bitwise_count(bits), []
    for size in GROUPS:
        if size == 1:
            first, second = bits & 0x55, (bits >> 1) & 0x55
            pairs = 4 * bits.shape[1]
        else:
            pairs = bits.shape[1] // (size // 4)
            sums = counts[:, : pairs * (size // 4)].reshape(len(bits), pairs, 2, size // 8).sum(axis=3)
            first, second = np.moveaxis((sums > size * shares[:, None, None]).astype(np.uint8), 2, 0)
        high = [np.bitwise_count(x).sum(axis=1, dtype=np.int64) for x in (first & second, first, second)]
        tables.append(np.column_stack([*high, np.full(len(bits), pairs)]))
    return np.stack(tables, axis=1)


LEVEL = 1e-9
"""Probability that an audit of independent runs is refused, at most."""

ROWS = 16_384  # in a block of an array
KEPT = 64  # blocks of a part and side whose bits are kept, to compare them with others'
SIDES = ("dataset", "neighbour")

EQUAL, SHARED, REPEATED = "equal blocks on a side", "blocks shared by the sides", "repeated rows"
GROUPED, BETWEEN, PAIRED = "counts in groups of rows", "counts in blocks", "rows of two blocks, pair by pair"
DISPERSED = "the event over calls"
KINDS = (EQUAL, SHARED, REPEATED, GROUPED, BETWEEN, PAIRED, DISPERSED)

LEAST_STRETCHES = 16
"""Stretches in which the rows of an array are looked at, at least."""

CAUSES = {
    EQUAL: "a generator of its own with a fixed seed, or a cache of outputs, in place of the rng that it is given",
    SHARED: "noise that is cached between calls, or a generator of its own that is seeded alike for both data sets",
    REPEATED: "one draw that is repeated for several trials, where each trial needs a draw of its own",
    GROUPED: "a draw that several trials share, a chain that carries on from trial to trial, or a stratified draw",
    BETWEEN: "a draw that is shared by all trials of a call, or a state that drifts between calls",
    PAIRED: "noise that is cached between calls, or a generator of its own with a fixed seed",
    DISPERSED: "a draw that is shared by all trials of a call, or a state that drifts between calls",
}


ARRAYS = "rows that are copies of others, that were sorted, or that were drawn again from one seed"


WHOLE = ""
"""The part that arrays are, which are not drawn in parts."""

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
    _blocks: dict[tuple[str, int], list[Trace]] = field(default_factory=dict)
    _tables: dict[tuple[str, int], np.ndarray] = field(default_factory=dict)
    _mixed: int = 0
    _called: list[Tried] = field(default_factory=list)
    _events: list[tuple[str, int, Sequence[int], Sequence[int]]] = field(default_factory=list)

    def add(self, part: str, side: int, probe: Probe, trace: Trace) -> None:
        """One more block of a part and side, in order."""
        blocks = self._blocks.setdefault((part, side), [])
        self._mixed = probe.mixed
        self._tables[part, side] = self._tables.get((part, side), 0) + trace.tables
        if len(blocks) >= KEPT:
            trace = replace(trace.without_bits(), tables=trace.tables[:, :0].copy())
        blocks.append(trace)

    def add_calls(self, side: int, held: Mapping[int, Any], rows: int, calls: np.ndarray) -> None:
        """Single calls beside a block of so many rows (more than calls) of which columns held one value each.

        Given all their values, of which j are another than that of the block, all j lie among the m calls with
        probability C(m, j)/C(rows + m, j) at most.
        """
        columns = calls[:, None] if calls.ndim == 1 else calls
        again = len(columns)
        self._called.append((columns.shape[1], 1.0, ""))
        for j, value in held.items():
            others = sum((x if x == x else None) != value for x in columns[:, j].tolist())
            chance = math.exp(float(log_choose(again, others)) - float(log_choose(rows + again, others)))
            where = f"{others} of {again} calls for one run on the {SIDES[side]} that give another value in column {j}"
            self._called.append((0, chance, f"{where} than all {rows} runs of a longer call"))

    def add_event(self, part: str, side: int, hits: Sequence[int], sizes: Sequence[int]) -> None:
        """The event's counts in calls or stretches of these sizes."""
        self._events.append((part, side, hits, sizes))

    def add_all(self, part: str, side: int, probe: Probe, outputs: np.ndarray, rows: int = ROWS) -> None:
        """All blocks of a part and side that is held in memory."""
        for start in range(0, len(outputs), rows):
            self.add(part, side, probe, probe.trace(outputs[start : start + rows], side))

    def examine(self) -> tuple[Check, ...]:
        """The p-values of all kinds.

        Raises
        ------
        DependentOutputs
            One of them is below its share of the level.
        """
        found = [(kind, *self._least(kind)) for kind in KINDS]
        for kind, p_value, words in found:
            if p_value > self.level / (self.looks * len(KINDS)):
                continue
            raise DependentOutputs(
                f"the runs of {self.who} must be independent, got {words} (p-value {max(p_value, 1e-300):.1g}); "
                f"the likely cause is {ARRAYS if self.arrays else CAUSES[kind]}"
            )
        return tuple(Check(kind, p) for kind, p, _ in found)

    def _least(self, kind: str) -> tuple[float, str]:
        """The least p-value of a kind times the number of its tests, and what was seen there."""
        tests = list(self._equal(kind == SHARED) if kind in (EQUAL, SHARED) else self._counted(kind))
        if not tests:
            return 1.0, ""
        tables = [(0, 0, 0, 0) if isinstance(seen, float) else seen for _, seen, _ in tests]
        chances = [seen if isinstance(seen, float) else 1.0 for _, seen, _ in tests]
        p_values = np.minimum(chances, tails(np.array(tables)))
        place = int(np.argmin(p_values))
        _, seen, words = tests[place]
        leaning = "" if isinstance(seen, float) else _leaning(seen)
        return min(1.0, float(p_values[place]) * max(sum(n for n, _, _ in tests), 1)), words.format(leaning=leaning)

    def _equal(self, across: bool) -> Iterator[Tried]:
        """Pairs of blocks with equal first rows; first how many pairs there are, at each length."""
        held = [
            (part, side, first, trace)
            for wanted in (0, 1)
            for (part, side), traces in self._blocks.items()
            for first, trace in zip(accumulate((t.blocks for t in traces), initial=0), traces, strict=False)
            if side == wanted
        ]
        sizes = [sum(trace.blocks for _, s, _, trace in held if s == side) for side in (0, 1)]
        pairs = sizes[0] * sizes[1] if across else sum(n * (n - 1) // 2 for n in sizes)
        yield pairs * len(PREFIXES), 1.0, ""
        again = _seen_twice([digest for *_, trace in held for _, digest, _ in trace.prefixes])
        seen: dict[tuple[int, bytes, int], tuple[str, int]] = {}
        for part, side, first, trace in held if again else ():
            for rows, digest, log_chance in trace.prefixes:
                if digest not in again:
                    continue
                key = (rows, digest, 0 if across else side)
                if key in seen and not (across and side == 0):
                    other, place = seen[key]
                    where = f"block {place + 1}{_of(other)} and block {first + 1}{_of(part)}"
                    on = "one on each side" if across else f"both on the {SIDES[side]}"
                    yield 0, math.exp(log_chance), f"equal outputs in the first {rows} rows of {where}, {on}"
                elif not (across and side == 1):
                    seen.setdefault(key, (part, first))

    def _counted(self, kind: str) -> Iterator[Tried]:
        kinds = {REPEATED: self._repeats, GROUPED: self._groups, BETWEEN: self._between, PAIRED: self._pairs}
        yield from {**kinds, DISPERSED: self._dispersed}[kind]()

    def _dispersed(self) -> Iterator[Tried]:
        """The event's counts over all blocks (or stretches of them) of a part and side, too uneven or too even."""
        counted = [
            (part, side, [block.hits for block in blocks if block.hits is not None], [block.rows for block in blocks])
            for (part, side), blocks in self._blocks.items()
        ]
        for part, side, hits, sizes in (*self._events, *counted):
            if len(sizes) > 1 and len(hits) == len(sizes):
                where = f"{len(sizes)} {'stretches of rows' if self.arrays else 'calls'} on the {SIDES[side]}"
                p_value = dispersion(np.array(hits), np.array(sizes))
                yield 1, p_value, f"counts of the event in {where} that differ too much or too little{_in(part)}"

    def _repeats(self) -> Iterator[Tried]:
        """Neighbouring rows, and rows at that distance at which the first block agrees most with itself."""
        for (part, side), tables in self._tables.items():
            for table in tables[: self._mixed, 0]:
                yield 1, table, f"rows of the {SIDES[side]} that repeat the row before them{_in(part)}"
            block = self._blocks[part, side][0]
            for bits in np.unpackbits(block.bits[: self._mixed], axis=1):
                lag, tried = most_alike(bits)
                if tried:
                    words = f"rows of the {SIDES[side]} that repeat the row {lag} places before{_in(part)}"
                    yield tried, at_distance(bits, lag), words

    def _groups(self) -> Iterator[Tried]:
        for (part, side), tables in self._tables.items():
            for table in tables.reshape(-1, len(GROUPS), 4):
                for size, row in zip(GROUPS, table, strict=True):
                    words = f"counts in halves of groups of {2 * size} rows of the {SIDES[side]}"
                    yield 1, row, f"{words} that {{leaning}}{_in(part)}"

    def _between(self) -> Iterator[Tried]:
        """Counts of neighbouring blocks, and of the first blocks of two parts (there of bits fixed beforehand)."""
        yield from self._called
        for part, side, one, other, features in self._neighbours():
            chance = 2.0 * math.exp(-float(log_choose(one.rows + other.rows, one.rows)))
            constant = one.only is not None and other.only is not None and one.only != other.only
            held = f"blocks of the {SIDES[side]} that hold one value each"
            yield 1, chance if constant else 1.0, f"{held}, and not the same"
            yield one.columns, 1.0, ""
            for j in one.fixed.keys() & other.fixed.keys():
                if one.fixed[j] != other.fixed[j]:
                    yield 0, chance, f"{held} in column {j}, and not the same"
            for hits in zip(*(np.bitwise_count(t.bits[:features]).sum(axis=1) for t in (one, other)), strict=True):
                rows = [8 * t.bits.shape[1] for t in (one, other)]
                words = f"counts in blocks of the {SIDES[side]} that differ too much or too little{_in(part)}"
                yield 1, (hits[0], hits[0] + hits[1], rows[0], sum(rows)), words

    def _neighbours(self) -> Iterator[tuple[str, int, Trace, Trace, int]]:
        for (part, side), blocks in self._blocks.items():
            kept = blocks[:KEPT]
            for one, other in zip(kept[0::2], kept[1::2], strict=False):
                yield part, side, one, other, len(one.bits)
        for side in (0, 1):
            firsts = [(part, blocks[0]) for (part, s), blocks in self._blocks.items() if s == side]
            for (_, one), (part, other) in pairwise(firsts):
                yield part, side, one, other, self._mixed

    def _pairs(self) -> Iterator[Tried]:
        """The same places of two blocks: of one side (neighbours, and the first of two parts), and of both sides."""
        for part, side, one, other, _ in self._neighbours():
            for row in together(one, other):
                yield 1, row, f"rows of two blocks of the {SIDES[side]} that {{leaning}}{_in(part)}"
        for part in {part: None for part, _ in self._blocks}:
            blocks = [self._blocks.get((part, side), [])[:KEPT] for side in (0, 1)]
            tables = [together(one, other) for one, other in zip(*blocks, strict=False)]
            if tables:
                for row in np.sum(tables, axis=0):
                    words = f"rows of the {SIDES[0]} and of the {SIDES[1]}"
                    yield 1, row, f"{words} that {{leaning}}{_in(part)}"


def _seen_twice(digests: Sequence[bytes]) -> set[bytes]:
    """Those that occur more than once."""
    return {digest for digest, times in Counter(digests).items() if times > 1}


def dispersion(hits: np.ndarray, sizes: np.ndarray) -> float:
    """The exact two-sided p-value of an event's counts in calls, given their sum: independent runs of one probability.

    Parameters
    ----------
    hits, sizes : int64[calls]
        Runs in the event, and all runs, of each call.
    """
    through = np.cumsum(hits), np.cumsum(sizes)
    uniforms = sampling.stream("dispersion", [int(n) for n in sizes]).random(len(hits))
    scores = [
        _normal_score(int(hits[k]), int(sizes[k]), int(through[0][k]), int(through[1][k]), float(uniforms[k]))
        for k in range(1, len(hits))
    ]
    total, freedom = float(np.square(scores).sum()), len(scores)
    return min(1.0, 2.0 * min(float(chdtrc(freedom, total)), float(chdtr(freedom, total))))


def _normal_score(hits: int, rows: int, all_hits: int, all_rows: int, uniform: float) -> float:
    """Φ⁻¹ of the randomised distribution function of a hypergeometric count: standard normal under its law."""
    low, high = max(0, rows + all_hits - all_rows), min(rows, all_hits)
    spread = math.sqrt(rows * all_hits / all_rows * (1.0 - all_hits / all_rows)) + 1.0
    values = np.arange(max(low, hits - int(16 * spread) - 16), min(high, hits + int(16 * spread) + 16) + 1)
    # Of the distribution function the shorter tail is summed; what the window leaves out is below rounding there.
    logs = log_choose(all_hits, values) + log_choose(all_rows - all_hits, rows - values) - log_choose(all_rows, rows)
    chances = np.exp(logs)
    place = hits - int(values[0])
    below, above = float(chances[:place].sum()), float(chances[place + 1 :].sum())
    here = float(chances[place])
    if below < above:
        return float(ndtri(max(below + uniform * here, 1e-300)))
    return -float(ndtri(max(above + (1.0 - uniform) * here, 1e-300)))


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


def check_arrays(outputs: np.ndarray, neighbour_outputs: np.ndarray, who: str = "the outputs") -> tuple[Check, ...]:
    """The checks of two arrays of outputs, whose rows are in the order in which they were drawn.

    Raises
    ------
    DependentOutputs
    """
    again = recycled(outputs, neighbour_outputs)
    if again:
        raise DependentOutputs(
            f"the rows of {who} must be independent runs, got {again}, none of them seen on the other side; the likely "
            "cause is a bootstrap, or runs that were copied: hand over the runs themselves"
        )
    watch = Watch(who, looks=1, arrays=True)
    probe = probe_of(outputs, neighbour_outputs)
    for side, rows in enumerate((outputs, neighbour_outputs)):
        watch.add_all(WHOLE, side, probe, rows, min(ROWS, max(len(rows) // LEAST_STRETCHES, 1)))
    return watch.examine()


def _of(part: str) -> str:
    return f" of the {part} part" if part else ""


def _in(part: str) -> str:
    return f", in the {part} part" if part else ""


def _leaning(row: Sequence[int]) -> str:
    both, first, second, pairs = (int(x) for x in row)
    return "go together" if both * pairs > first * second else "avoid each other"
