"""The tree of boxes under construction: bounds, pilots and cuts (`tree`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dpbench.papers.heavytail.algorithms import _tree_kernels as kernels

WORK_PER_CALL = 5e7  # records times coordinates between two returns to Python: a fraction of a second
_BOXES_PER_CALL = 1000
_SHARE = 0.25  # a draw may take so many proposals for each box, a proposal being a tenth of a box's work
_MANY = 10_000  # boxes from which on it may take `_SHARE_OF_MANY`: few draws are made of a tree that large
_SHARE_OF_MANY = 4.0
_ENOUGH = 0.3  # or to accept at least this share of the proposals
_CHECKS = 64


class Tree:
    """Boxes under construction, in arrays that grow by doubling.

    Parameters
    ----------
    records : tuple
        Features x' of the coordinates, shape (d, n), responses, and bounds of |y_i| + Σ_j |x'_ij||w_j| with their
        rounding, shape (n,).
    risk, lattice : tuple
        What the kernels take next: ι, θ and 4θ; c, the spacing, the resolution, whether the net is of a ball, the
        shear.
    limits : ndarray, shape (d,)
        Largest coordinates of the whole net.
    centre : ndarray, shape (d,)
        Near the minimiser.
    pilot : numpy.random.Generator
    """

    def __init__(
        self, records: tuple[np.ndarray, ...], risk: tuple[Any, ...], lattice: tuple[Any, ...], limits: np.ndarray,
        centre: np.ndarray, pilot: np.random.Generator,
    ) -> None:  # fmt: skip
        d = limits.size
        self.records, self.risk, self.lattice, self.centre, self.pilot = records, risk, lattice, centre, pilot
        self.size, self.opened = 1, 0
        self.low, self.high = -limits[None, :], limits[None, :].copy()
        self.slopes, self.curvature = np.zeros((1, d)), np.zeros((1, 3, d))
        self.constant, self.log_mass, self.chances, self.measured = (np.zeros(1) for _ in range(4))
        self.bound(np.zeros(1, dtype=np.int64))
        self.measure(np.zeros(1, dtype=np.int64))

    def _calls(self, boxes: np.ndarray) -> Iterator[np.ndarray]:
        """The boxes in calls of a fraction of a second."""
        columns, y, _ = self.records
        per_call = max(1, min(_BOXES_PER_CALL, int(WORK_PER_CALL / (columns.size + y.size + 1))))
        for first in range(0, boxes.size, per_call):
            yield np.ascontiguousarray(boxes[first : first + per_call])

    def bound(self, boxes: np.ndarray) -> None:
        """Bounds of the boxes."""
        for part in self._calls(boxes):
            kernels.bound_boxes(
                *self.records, *self.risk, *self.lattice, self.low, self.high, self.constant, self.slopes,
                self.curvature, self.log_mass, self.centre, part,
            )  # fmt: skip
        self.opened += boxes.size

    def measure(self, boxes: np.ndarray) -> None:
        """One pilot proposal from each of `boxes` (repeats allowed), into their mean acceptance."""
        boxes = boxes[self.log_mass[boxes] > kernels.OUTSIDE]
        for part in self._calls(boxes):
            chances = np.empty(part.size)
            kernels.pilot(
                *self.records, *self.risk, *self.lattice, self.low, self.high, self.constant, self.slopes, part,
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
        acceptance, share = self.acceptance(), _SHARE if self.opened < _MANY else _SHARE_OF_MANY
        return acceptance >= _ENOUGH or acceptance * share * self.opened >= 1.0

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
        kernels.split_boxes(
            self.lattice[0], self.lattice[1], self.low, self.high, self.slopes, self.curvature, self.centre, chosen,
            free,
        )  # fmt: skip
        upper = np.arange(free, free + count)
        both = np.concatenate([chosen, upper])
        self.chances[both] = self.measured[both] = 0.0
        self.size = free + count
        self.bound(both)
        self.measure(both)

    def _grow(self, rows: int) -> None:
        if rows <= self.low.shape[0]:
            return
        capacity = max(rows, 2 * self.low.shape[0])
        for name in ("low", "high", "slopes", "curvature", "constant", "log_mass", "chances", "measured"):
            old = getattr(self, name)
            new = np.zeros((capacity, *old.shape[1:]), dtype=old.dtype)
            new[: old.shape[0]] = old
            setattr(self, name, new)
