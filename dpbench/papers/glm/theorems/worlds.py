"""Small worlds: populations of a few atoms, all of whose data sets of n records are enumerated.

Lemmas 4 to 6 of the GLM paper are about expectations over data sets. With m atoms there are C(n + m − 1, n)
data sets up to order, so these expectations are finite sums, and nothing is sampled but the noise. Everything is
batched over I worlds that share the loss, m, n and d; ‖X‖ = 1 throughout, which costs no generality since a GLM
sees only ⟨w, x⟩. `search_case` searches for the world with the least margin of an inequality.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import margins, sampled
from dpbench.ledger.measurement import Context, Evidence, column
from dpbench.papers.glm import losses
from dpbench.papers.glm.losses import Loss

_COMPARATOR_STEPS = 100


@dataclass(frozen=True, eq=False)
class Worlds:
    """I populations.

    Attributes
    ----------
    loss : Loss
        Smooth; H̃ = H.
    x, y, chance : ndarray, shapes (I, m, d), (I, m), (I, m)
        Atoms, in the unit ball and [−y_bound, y_bound], with their probabilities.
    y_bound, radius : ndarray, shape (I,)
    n : int
    """

    loss: Loss
    x: np.ndarray
    y: np.ndarray
    chance: np.ndarray
    y_bound: np.ndarray
    radius: np.ndarray
    n: int

    @property
    def at_zero(self) -> np.ndarray:
        """‖Y‖², shape (I,)."""
        return self.loss.value(np.zeros_like(self.y_bound), self.y_bound)

    def population_risk(self, w: np.ndarray) -> np.ndarray:
        """L(w_i) of world i at row i of `w`, shape (I, d)."""
        return (self.chance * self.loss.value(np.einsum("id,imd->im", w, self.x), self.y)).sum(axis=1)

    def least_risk(self) -> tuple[np.ndarray, np.ndarray]:
        """Upper and lower bound on min of L over the ball, each of shape (I,).

        k steps of projected accelerated gradient descent from 0 end within 2HB²/(k + 1)² (Beck & Teboulle 2009).
        """
        w = np.zeros((self.x.shape[0], self.x.shape[2]))
        ahead, best, momentum = w, self.population_risk(w), 1.0
        for turn in range(1, _COMPARATOR_STEPS + 1):
            slopes = self.chance * self.loss.derivative(np.einsum("id,imd->im", ahead, self.x), self.y)
            step = ahead - np.einsum("im,imd->id", slopes, self.x) / self.loss.smoothness
            new = into_balls(step, self.radius)
            grown = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum**2))
            ahead, w, momentum = new + (momentum - 1.0) / grown * (new - w), new, grown
            if turn % 10 == 0:  # the last step is among them, of which the bound speaks
                best = np.minimum(best, self.population_risk(w))
        gap = 2.0 * self.loss.smoothness * self.radius**2 / (_COMPARATOR_STEPS + 1) ** 2
        return best, np.maximum(best - gap, 0.0)


@dataclass(frozen=True, eq=False)
class DataSets:
    """All data sets of n records over m atoms, up to order.

    Attributes
    ----------
    counts : ndarray of int, shape (S, m)
    ways : ndarray, shape (S,)
        Orders of each: the multinomial coefficient.
    swapped : ndarray of int, shape (m, m, S)
        Index of the data set with one record of atom a made atom b; itself where it has no a.
    """

    counts: np.ndarray
    ways: np.ndarray
    swapped: np.ndarray

    @classmethod
    def all(cls, m: int, n: int) -> DataSets:
        rows = [tuple(c.count(a) for a in range(m)) for c in combinations_with_replacement(range(m), n)]
        place = {row: i for i, row in enumerate(rows)}
        ways = [math.factorial(n) / math.prod(math.factorial(c) for c in row) for row in rows]
        swapped = np.empty((m, m, len(rows)), dtype=np.int64)
        for a in range(m):
            for b in range(m):
                for i, row in enumerate(rows):
                    new = list(row)
                    if new[a] > 0:
                        new[a] -= 1
                        new[b] += 1
                    swapped[a, b, i] = place[tuple(new)]
        return cls(np.array(rows), np.array(ways), swapped)

    def probabilities(self, worlds: Worlds) -> np.ndarray:
        """P(S), shape (I, S)."""
        logs = np.log(worlds.chance)[:, None, :] * self.counts[None]
        return self.ways * np.exp(logs.sum(axis=2))


def descend(worlds: Worlds, sets: DataSets, eta: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Algorithm 1 on every data set of every world, with the same noise on all data sets of a world.

    Parameters
    ----------
    eta : ndarray, shape (I,)
    noise : ndarray, shape (I, T − 1, d)
        ξ_t, already scaled.

    Returns
    -------
    average : ndarray, shape (I, S, d)
        ŵ, the mean of w_1, …, w_T.
    risk : ndarray, shape (I, S)
        The mean over t of L̂(w_t; S).
    """
    shares = sets.counts / worlds.n
    steps = noise.shape[1] + 1
    w = np.zeros((worlds.x.shape[0], shares.shape[0], worlds.x.shape[2]))
    average, risk = np.zeros_like(w), np.zeros(w.shape[:2])
    labels = worlds.y[:, None, :]
    for t in range(steps):
        z = w @ worlds.x.transpose(0, 2, 1)
        average += w / steps
        risk += (shares * worlds.loss.value(z, labels)).sum(axis=2) / steps
        if t < steps - 1:
            gradient = (shares * worlds.loss.derivative(z, labels)) @ worlds.x
            w = into_balls(w - eta[:, None, None] * (gradient + noise[:, t, None, :]), worlds.radius[:, None])
    return average, risk


def average_stability(worlds: Worlds, sets: DataSets, average: np.ndarray) -> np.ndarray:
    """ε_av-stab² = E‖A(S) − A(S^(i))‖² over S, i and the fresh record, shape (I,)."""
    weights = sets.probabilities(worlds)
    total = np.zeros(average.shape[0])
    for a in range(worlds.chance.shape[1]):
        drawn = weights * sets.counts[:, a] / worlds.n
        for b in range(worlds.chance.shape[1]):
            gap = ((average - average[:, sets.swapped[a, b]]) ** 2).sum(axis=2)
            total += worlds.chance[:, b] * (drawn * gap).sum(axis=1)
    return total


def build(loss: Loss, theta: np.ndarray, m: int, d: int, n: int) -> Worlds:
    """Worlds from unconstrained numbers, shape (I, m(d + 2) + 2): what random and directed search move in.

    A large entry lands on a bound: features on the sphere, labels at ±y_bound, a probability near 0.
    """
    count = theta.shape[0]
    raw, labels, logits, scales = np.split(theta, [m * d, m * (d + 1), m * (d + 2)], axis=1)
    x = raw.reshape(count, m, d)
    x = x / np.maximum(np.linalg.norm(x, axis=2, keepdims=True), 1.0)
    scale = max(loss.parameter, 1e-9) if loss.parameter > 0.0 else 1.0
    if loss.binary:
        y_bound, y = np.ones(count), np.where(labels >= 0.0, 1.0, -1.0)
    else:
        y_bound = scale * 10.0 ** np.clip(scales[:, 0], -2.0, 2.0)
        y = y_bound[:, None] * np.clip(labels, -1.0, 1.0)
    chance = np.exp(logits - logits.max(axis=1, keepdims=True))
    radius = y_bound * 10.0 ** np.clip(scales[:, 1], -2.0, 2.0)
    return Worlds(loss, x, y, chance / chance.sum(axis=1, keepdims=True), y_bound, radius, n)


def into_balls(w: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Each vector (last axis) into the ball of the radius at its leading indices."""
    size = np.linalg.norm(w, axis=-1)
    return w * (radius / np.maximum(size, radius))[..., None]


ROUNDS = 6
SETTINGS = 2
"""Entries of θ beyond those of a world: what the inequality itself has as parameters."""

Margins = Callable[[Worlds, DataSets, np.ndarray, np.ndarray], np.ndarray]


def one_of_each_family() -> tuple[Loss, ...]:
    """One of each smooth non-negative family."""
    return (losses.squared(), losses.half_squared(), losses.logistic(), losses.huber(0.3), losses.capped_linear(0.5))


def search(context: Context, name: str, margins: Margins, shapes: tuple[tuple[int, ...], ...]) -> dict[str, list[Any]]:
    """Smallest margins for each shape (m, d, n, T) and loss: over random worlds, and by a search from the worst.

    ``margins(worlds, sets, settings, path)`` gives (right − left)/right for each world; `settings` has shape
    (I, `SETTINGS`), `path` shape (I, T − 1, d).
    """
    size = context.pick(quick=32, full=800)
    cases = [(shape, loss) for shape in shapes for loss in one_of_each_family()]
    searched = sampled(context, search_case, margins, name, shapes, size, blocks=len(cases))
    return column([
        {"loss": loss.name, "parameter": loss.parameter, **dict(zip("mdnT", shape, strict=True)), "random": first,
         "directed": last}
        for (shape, loss), (first, last) in zip(cases, searched, strict=True)
    ])  # fmt: skip


def over_worlds(context: Context, rows: dict[str, list[Any]], *notes: str) -> Evidence:
    """Evidence of an inequality from what `search` gives."""
    tried = len(rows["loss"]) * context.pick(quick=32, full=800) * (1 + ROUNDS)
    first = "value: the smallest relative margin (right - left)/right over all worlds tried"
    return margins(rows, first, *notes, trials=tried, margin=float(np.min(rows["random"] + rows["directed"])))


def search_case(
    margins: Margins, name: str, shapes: tuple[tuple[int, ...], ...], size: int, seed: int, block: int
) -> tuple[float, float]:
    """Smallest margin of one shape and loss: of the random worlds, and after the directed rounds."""
    m, d, n, steps = shapes[block // len(one_of_each_family())]
    loss = one_of_each_family()[block % len(one_of_each_family())]
    sets, rng = DataSets.all(m, n), stream(seed, name, m, d, n, steps, loss)
    theta = rng.normal(0.0, 2.0, (size, m * (d + 2) + 2 + SETTINGS))
    path = rng.standard_normal((size, steps - 1, d))
    smallest = []
    for turn in range(1 + ROUNDS):
        worlds = build(loss, theta[:, :-SETTINGS], m, d, n)
        values = margins(worlds, sets, theta[:, -SETTINGS:], path)
        smallest.append(float(values.min()))
        best = np.argsort(values)[: size // 8]
        theta, path = np.repeat(theta[best], 8, axis=0), np.repeat(path[best], 8, axis=0)
        moved = np.arange(len(theta)) % 8 > 0
        theta[moved] += rng.normal(0.0, 0.7**turn, theta.shape)[moved]
        path[moved] += rng.normal(0.0, 0.5 * 0.7**turn, path.shape)[moved]
    return smallest[0], float(np.min(smallest))
