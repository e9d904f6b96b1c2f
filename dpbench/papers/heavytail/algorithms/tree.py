"""Exact sampling on nets that cannot be enumerated: rejection from a tree of boxes with affine bounds.

The net's lattice is cut into boxes, along axes on which the risk curves nearly independently (`coordinates`). Over
each box an affine function lies below the score (`_tree_kernels`), so its exponential is an envelope of the weights
whose total over the box is a product of geometric sums. A proposal is drawn from the envelope and accepted with the
ratio of weight to envelope: what is accepted has exactly the law of the mechanism, however loose the envelope.

The boxes are cut where the envelope wastes most, until a draw is expected to cost a fraction of what the cutting
has cost (`_growing`). The cuts depend on the data alone (their pilot points come from a
stream of their own): every draw, thread and block of a run sees the same envelope, so that sharing it changes no bit,
and the noise of a draw is that of its own block.

On a line the boxes are intervals, bounded from the scores at their ends (`_interval_kernels`), and cut until most
proposals are accepted.

No number of boxes or proposals ends in a refusal: whether a draw answers would depend on the data. At `boxes`
boxes the cutting stops, which bounds memory, and proposals go on until one is accepted. The net is finite and each
weight is positive, so that has probability 1; the time it takes depends on the data and is outside the guarantee.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.papers.heavytail.algorithms import _tree_kernels as kernels
from dpbench.papers.heavytail.algorithms._growing import WORK_PER_CALL, Tree
from dpbench.papers.heavytail.algorithms._interval_kernels import cut_line
from dpbench.papers.heavytail.algorithms.coordinates import Coordinates, decorrelated, minimiser
from dpbench.papers.heavytail.algorithms.net import Net
from dpbench.papers.heavytail.algorithms.truncation import columns, quarters
from dpbench.papers.heavytail.problem import HeavyTailedProblem

BOXES = 200_000
"""Boxes at which the cutting stops."""

LINE_BOXES = 2**10
"""The same on a line, where each cut looks through all intervals."""

ENOUGH = 0.7
"""Expected acceptance at which the cutting of a line stops."""


@dataclass(frozen=True, eq=False)
class Envelope:
    """The boxes of one problem, with their bounds.

    Attributes
    ----------
    data : tuple
        What `_tree_kernels.draw` takes first.
    coordinates : Coordinates
    low, high : ndarray of int64, shape (boxes, d)
        First and last coordinates of each box.
    constant, slopes : ndarray, shape (boxes,) and (boxes, d)
        A and b: A + ⟨b, h·t⟩ ≤ Σ_i ψ(ι|r_i(w)|) on the box, h the lattice's spacing.
    cumulative : ndarray, shape (boxes,)
        Masses of the envelope, summed, ending at 1.
    opened : int
        Boxes that bounds were computed for.
    acceptance : float
        Estimated chance that a proposal is accepted.
    """

    data: tuple[Any, ...]
    coordinates: Coordinates
    low: np.ndarray
    high: np.ndarray
    constant: np.ndarray
    slopes: np.ndarray
    cumulative: np.ndarray
    opened: int
    acceptance: float

    def draw(self, trials: int, rng: np.random.Generator) -> tuple[np.ndarray, int]:
        """Lattice points, shape (trials, d), with the mechanism's exact law, and the proposals they took.

        Proposals are made until each draw has its point: with chance `acceptance` > 0 each.
        """
        d = self.low.shape[1]
        out, k = np.empty((trials, d), dtype=np.int64), np.empty(d, dtype=np.int64)
        worst = np.full(1, -math.inf)
        spent = 0
        per_call = max(1, int(WORK_PER_CALL / (self.data[0].size + self.data[1].size)))
        for row in out:
            tried, drawn = 0, 0
            while drawn == 0:
                drawn = kernels.draw(
                    *self.data, self.low, self.high, self.constant, self.slopes, self.cumulative, rng, per_call,
                    k, worst,
                )  # fmt: skip
                tried += drawn or per_call
                if worst[0] > 0.0:  # against the proof in `_bound_kernels`: a fault of this program
                    raise RuntimeError(f"a bound of the tree sampler is wrong by {worst[0]:.3g}; please report it")
            row[self.coordinates.order] = k
            spent += tried
        return out, spent


def envelope(problem: HeavyTailedProblem, net: Net, iota: float, weight: float, *, boxes: int = BOXES) -> Envelope:
    """The envelope of exp(−weight·Σ_i ψ(ι|r_i(w)|)) over a net.

    Cost: O(n·d) a box. Memory: 56·d + 40 bytes a box.

    Parameters
    ----------
    problem : HeavyTailedProblem
    net : Net
    iota, weight : float
        ι and c.
    boxes : int
        Boxes at which the cutting stops, however small the acceptance is.
    """
    if problem.d == 1:
        return _on_line(problem, net, iota, weight, boxes)
    centre, gram = minimiser(problem, net.radius, iota)
    coordinates = decorrelated(gram)
    x, limits = columns(problem), coordinates.limits(net)
    features, grown = coordinates.features(x)
    sizes = np.abs(problem.y) + net.spacing * ((limits + 1.0) @ grown)
    theta = problem.theta
    risk = iota, theta, quarters(theta)
    lattice = weight, net.spacing, net.resolution, int(net.domain == "ball"), coordinates.shear
    pilot = stream("heavytail.tree", problem.digest, iota, weight)
    state = Tree((features, problem.y, sizes), risk, lattice, limits, coordinates.real(centre), pilot)
    while not state.affordable():
        chosen = state.wasteful()
        if chosen.size == 0 or state.opened + 2 * chosen.size > boxes:
            break
        state.split(chosen)
    masses = state.masses()
    keep = masses > 0.0
    cumulative = np.cumsum(masses[keep])
    size = state.size
    data = np.ascontiguousarray(x[coordinates.order]), problem.y, *risk, *lattice
    return Envelope(
        data, coordinates, state.low[:size][keep], state.high[:size][keep], state.constant[:size][keep],
        state.slopes[:size][keep], cumulative / cumulative[-1], state.opened, state.acceptance(),
    )  # fmt: skip


def _on_line(problem: HeavyTailedProblem, net: Net, iota: float, weight: float, boxes: int) -> Envelope:
    """On a line two scores and a pass over the records bound an interval: no fit and no pilot points are needed."""
    x, theta = columns(problem), problem.theta
    risk = iota, theta, quarters(theta)
    room = min(boxes, LINE_BOXES, 2 * net.resolution + 1)
    low, high, slopes = np.empty((room, 1), np.int64), np.empty((room, 1), np.int64), np.empty((room, 1))
    constant, log_mass, chances = np.empty(room), np.empty(room), np.empty(room)
    count, opened = cut_line(
        x, problem.y, *risk, weight, net.spacing, net.resolution, ENOUGH, low, high, constant, slopes, log_mass, chances
    )
    masses = np.exp(log_mass[:count] - log_mass[:count].max())
    cumulative = np.cumsum(masses)
    lattice = weight, net.spacing, net.resolution, int(net.domain == "ball"), np.zeros((1, 1))
    return Envelope(
        (x, problem.y, *risk, *lattice), Coordinates(np.zeros(1, dtype=np.int64), np.zeros((1, 1))), low[:count],
        high[:count], constant[:count], slopes[:count], cumulative / cumulative[-1], opened,
        float(masses @ chances[:count] / cumulative[-1]),
    )  # fmt: skip
