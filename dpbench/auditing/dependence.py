"""Are the runs independent? Tests at a stated level, on blocks of outputs in the order they were drawn.

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

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from scipy.special import chdtr, chdtrc, ndtri

from dpbench.auditing.pair_tables import at_distance, log_choose, most_alike, tails, together
from dpbench.auditing.traces import GROUPS, PREFIXES, Probe, Trace, probe_of, row_keys
from dpbench.core import sampling
from dpbench.core.validation import InvalidInput

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
