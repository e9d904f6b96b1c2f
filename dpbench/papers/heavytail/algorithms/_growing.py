"""The tree of boxes under construction: groups of records, bounds, pilots and cuts (`tree`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbench.papers.heavytail.algorithms import _tree_kernels as kernels
from dpbench.papers.heavytail.algorithms._bound_kernels import LANES, ROWS, settle
from dpbench.papers.heavytail.algorithms._lattice_kernels import place

WORK_PER_CALL = 5e7  # records times coordinates between two returns to Python: a fraction of a second
_BOXES_PER_CALL = 1000
_SHARE = 0.25  # a draw may take so many proposals for each box, a proposal being a tenth of a box's work
_MANY = 10_000.0  # boxes from which on it may take `_SHARE_OF_MANY`: few draws are made of a tree that large
_SHARE_OF_MANY = 4.0
_ENOUGH = 0.3  # or to accept at least this share of the proposals
_CHECKS = 64
_FEW = 256  # records of a group that is not worth parting
_LOSS = 0.05  # of log-acceptance, that a group may lose by the records it leaves out
_NUMBERS = 2e7  # held by all groups of a tree


@dataclass(eq=False)
class Records:
    """What the boxes of a group see: some records in the tree's coordinates, and an affine function for the rest.

    Attributes
    ----------
    columns, y, sizes : ndarray, shape (d, n), (n,), (n,)
        Features x' of the coordinates, responses, and bounds of |y_i| + Σ_j |x'_ij||w_j| with their rounding.
    settled, ramp : float and ndarray, shape (d,)
        The others' score is at least settled + ⟨ramp, w⟩ on the group's box.
    parts_at : float
        Share of the records that change sign, at which it is worth while to part a box from the group.
    """

    columns: np.ndarray
    y: np.ndarray
    sizes: np.ndarray
    settled: float
    ramp: np.ndarray
    parts_at: float = 0.5

    @property
    def arrays(self) -> tuple[Any, ...]:
        return self.columns, self.y, self.sizes, self.settled, self.ramp


class Tree:
    """Boxes under construction, in arrays that grow by doubling."""

    def __init__(
        self, records: Records, risk: tuple[Any, ...], lattice: tuple[Any, ...], limits: np.ndarray,
        centre: np.ndarray, pilot: np.random.Generator,
    ) -> None:  # fmt: skip
        d = limits.size
        self.risk, self.lattice, self.centre, self.pilot = risk, lattice, centre, pilot
        self.groups, self.numbers, self.whole = [records], 0.0, records.y.size
        self.size, self.opened, self.work = 1, 0, 0.0
        self.low, self.high = -limits[None, :], limits[None, :].copy()
        self.slopes, self.curvature = np.zeros((1, d)), np.zeros((1, 3, d))
        self.constant, self.log_mass, self.chances, self.measured = (np.zeros(1) for _ in range(4))
        self.active, self.group = np.zeros(1), np.zeros(1, dtype=np.int64)
        self.bound(np.zeros(1, dtype=np.int64))
        self.measure(np.zeros(1, dtype=np.int64))

    def _parts(self, boxes: np.ndarray) -> Any:
        """The boxes of one group after the other, in calls of a fraction of a second."""
        ordered = boxes[np.argsort(self.group[boxes], kind="stable")]
        cuts = np.flatnonzero(np.diff(self.group[ordered])) + 1
        for part in np.split(ordered, cuts):
            records = self.groups[self.group[part[0]]]
            per_call = max(1, min(_BOXES_PER_CALL, int(WORK_PER_CALL / (records.columns.size + records.y.size + 1))))
            for first in range(0, part.size, per_call):
                yield records, np.ascontiguousarray(part[first : first + per_call])

    def bound(self, boxes: np.ndarray) -> None:
        """Bounds of the boxes."""
        for records, part in self._parts(boxes):
            kernels.bound_boxes(
                *records.arrays, *self.risk, *self.lattice, self.low, self.high, self.constant, self.slopes,
                self.curvature, self.log_mass, self.active, self.centre, part,
            )  # fmt: skip
            self.work += part.size * (records.y.size + _FEW) / (self.whole + _FEW)
        self.opened += boxes.size

    def measure(self, boxes: np.ndarray) -> None:
        """One pilot proposal from each of `boxes` (repeats allowed), into their mean acceptance."""
        boxes = boxes[self.log_mass[boxes] > kernels.OUTSIDE]
        if boxes.size == 0:
            return
        for records, part in self._parts(boxes):
            chances = np.empty(part.size)
            kernels.pilot(
                *records.arrays, *self.risk, *self.lattice, self.low, self.high, self.constant, self.slopes, part,
                self.pilot, chances,
            )  # fmt: skip
            np.add.at(self.chances, part, chances)
            np.add.at(self.measured, part, 1.0)

    def masses(self) -> np.ndarray:
        """Each box's share of the envelope."""
        log_mass = self.log_mass[: self.size]
        masses = np.exp(log_mass - log_mass.max())
        return masses / masses.sum()

    def _acceptances(self) -> np.ndarray:
        return self.chances[: self.size] / np.maximum(self.measured[: self.size], 1.0)

    def acceptance(self) -> float:
        """Estimated chance that a proposal is accepted."""
        return float(self.masses() @ self._acceptances())

    def affordable(self) -> bool:
        """Whether draws are cheap beside what the boxes have cost."""
        if not self._cheap():
            return False
        # One lucky pilot point would do to stop: ask again, of boxes drawn by mass.
        self.measure(self.pilot.choice(self.size, size=min(_CHECKS, self.opened), p=self.masses()))
        return self._cheap()

    def _cheap(self) -> bool:
        acceptance, share = self.acceptance(), _SHARE if self.work < _MANY else _SHARE_OF_MANY
        return acceptance >= _ENOUGH or acceptance * share * self.work >= 1.0

    def wasteful(self) -> np.ndarray:
        """The boxes that make up half of the envelope's waste, of those that can be split."""
        many = (self.high[: self.size] > self.low[: self.size]).any(axis=1)
        waste = np.where(many, self.masses() * (1.0 - self._acceptances()), 0.0)
        order = np.argsort(-waste, kind="stable")
        total = np.cumsum(waste[order])
        if total[-1] <= 0.0:
            return order[:0]
        return np.ascontiguousarray(order[: int(np.searchsorted(total, 0.5 * total[-1])) + 1])

    def split(self, chosen: np.ndarray) -> None:
        """Cut the chosen boxes, bound and measure both parts."""
        free, count = self.size, chosen.size
        self._grow(free + count)
        for box in chosen:
            self._part(int(box))
        kernels.split_boxes(
            self.lattice[0], self.lattice[1], self.low, self.high, self.slopes, self.curvature, self.centre, chosen,
            free,
        )  # fmt: skip
        upper = np.arange(free, free + count)
        self.group[upper] = self.group[chosen]
        both = np.concatenate([chosen, upper])
        self.chances[both] = self.measured[both] = 0.0
        self.size = free + count
        self.bound(both)
        self.measure(both)

    def _part(self, box: int) -> None:
        """Give a box a group of its own, where few of its group's records change sign in it."""
        records = self.groups[self.group[box]]
        d, n = records.columns.shape
        if n <= _FEW or self.active[box] > records.parts_at * n or self.numbers > _NUMBERS:
            return
        offsets, b, kept = np.empty((2, d)), np.empty(d), np.empty(n, dtype=np.int64)
        weight, spacing, resolution, ball, shear = self.lattice
        place(self.low[box], self.high[box], shear, resolution, ball, offsets)
        first, last = spacing * (self.low[box] + offsets[0]), spacing * (self.high[box] + offsets[0])
        settled = settle(
            records.columns, records.y, records.sizes, *self.risk, 0.5 * (first + last),
            0.5 * (last - first) + spacing * offsets[1], _LOSS / (weight * n), b, kept, np.empty((ROWS + 4 * d, LANES)),
        )  # fmt: skip
        stay = kept == 1
        if stay.sum() > 0.7 * n:
            records.parts_at *= 0.7
            return
        made = Records(
            np.ascontiguousarray(records.columns[:, stay]),
            records.y[stay],
            records.sizes[stay],
            records.settled + settled,
            records.ramp + b,
        )
        self.numbers += made.columns.size + 2 * made.y.size
        self.group[box] = len(self.groups)
        self.groups.append(made)

    def _grow(self, rows: int) -> None:
        if rows <= self.low.shape[0]:
            return
        capacity = max(rows, 2 * self.low.shape[0])
        for name in (
            "low", "high", "slopes", "curvature", "constant", "log_mass", "chances", "measured", "active", "group"
        ):  # fmt: skip
            old = getattr(self, name)
            new = np.zeros((capacity, *old.shape[1:]), dtype=old.dtype)
            new[: old.shape[0]] = old
            setattr(self, name, new)
