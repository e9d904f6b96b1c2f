"""What tests of independence keep of a block of outputs: a digest of its first rows, and bits of its rows.

Everything here is a deterministic function of single rows, so what is independent and identically distributed stays
so: bits of a mix of the whole row (two rows that are equal have equal bits), whether a column is high, and whether
the row is in the event that the audit certifies.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import gammaln

from dpbench.auditing._trace_kernels import pair_halves
from dpbench.auditing.choose import identity

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
        tables = _tables(bits, self.shares[side])
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


def _tables(bits: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """For each feature and each size of group: both halves high, the first, the second, and pairs of halves."""
    found = np.empty((len(bits), len(GROUPS), 4), dtype=np.int64)
    pair_halves(np.ascontiguousarray(bits), np.ascontiguousarray(shares), np.array(GROUPS), found)
    return found
