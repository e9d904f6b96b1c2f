"""Neighbouring data sets that a privacy entry is tried on: made, of real data, and found by a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.measurement import Rows
from dpbench.papers.glm import losses
from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.problem import GLMProblem

TRIES = 1000
"""Random and extreme neighbours that every privacy entry is tried on at level full."""
SEARCH = {"quick": 40, "full": TRIES}


def cancelling_pair(
    loss: Loss | str, n: int, *, x_bound: float, y_bound: float, radius: float, dimension: int = 1
) -> tuple[GLMProblem, GLMProblem]:
    """S and S' whose first n − 1 records cancel in pairs, and whose last is (X e_1, +y) in S, (X e_1, −y) in S'.

    For a loss with gradients −y·x on the ball this is a worst pair: the two last gradients are opposite and each
    has the largest norm, so no pair of records differs by more, and as the others cancel the two regularised
    minimisers lie as deep in the ball as they can, where no projection shrinks their distance. `n` is odd.
    """
    X = np.zeros((n, dimension))
    X[:, 0] = x_bound
    y = np.where(np.arange(n) % 2 == 0, y_bound, -y_bound)
    problem = GLMProblem(X, y, loss=loss, x_bound=x_bound, y_bound=y_bound, radius=radius)
    return problem, problem.replace_record(n - 1, X[n - 1], -y_bound)


def random_record(problem: GLMProblem, rng: np.random.Generator, extreme: bool) -> tuple[np.ndarray, float]:
    """An admissible record: uniform inside the bounds, or on them (an axis half of the time) if `extreme`."""
    if extreme and rng.random() < 0.5:
        direction = np.zeros(problem.d)
        direction[rng.integers(problem.d)] = rng.choice((-1.0, 1.0))
    else:
        direction = rng.standard_normal(problem.d)
        direction /= np.linalg.norm(direction)
    length = 1.0 if extreme else rng.random()
    label = rng.choice((-1.0, 1.0)) if extreme or problem.loss.binary else rng.uniform(-1.0, 1.0)
    return problem.x_bound * length * direction * (1.0 - 1e-15), problem.y_bound * float(label)


def search_worse(
    problem: GLMProblem, leak: Callable[[GLMProblem, GLMProblem], float], rng: np.random.Generator, tries: int = TRIES
) -> float:
    """The largest `leak(S, S')` over `tries` random and extreme replacements of one record of `problem`.

    Half of the tries also replace the record of S itself, so that the pair is not tied to the data at hand.
    """
    worst = 0.0
    for trial in range(tries):
        index = int(rng.integers(problem.n))
        base = problem
        if trial % 2:
            base = problem.replace_record(index, *random_record(problem, rng, extreme=trial % 4 == 1))
        neighbour = base.replace_record(index, *random_record(problem, rng, extreme=trial % 8 < 6))
        worst = float(np.maximum(worst, leak(base, neighbour)))
    return worst


def gradient_distance(problem: GLMProblem, neighbour: GLMProblem) -> float:
    """n·‖difference of the mean gradients‖ where every gradient is −y·x on the whole ball."""
    return float(np.linalg.norm(problem.X.T @ problem.y - neighbour.X.T @ neighbour.y))


def searched(
    problem: GLMProblem, leak: Callable[[GLMProblem, GLMProblem], float], bound: float, seed: int, tries: int = TRIES
) -> str:
    """Hold `search_worse` against `bound`, what the entry says no pair exceeds; the note of an entry.

    Raises
    ------
    RuntimeError
        If a worse pair was found: the entry's argument is wrong, and it has no verdict.
    """
    worse = search_worse(problem, leak, stream(seed, "search for a worse pair", problem), tries)
    if not worse <= bound * (1.0 + 1e-9):
        raise RuntimeError(f"a neighbouring pair leaks {worse:.9g}, more than the {bound:.9g} that bounds every pair")
    where = f"{problem.loss.name} loss, d = {problem.d}"
    return f"{tries:,} random and extreme neighbours ({where}) reach {worse / bound:.3f} of it"


def curved(loss: Loss | str, *, radius: float = 1.0) -> GLMProblem:
    """Eleven records in three dimensions, bounds (1, 1): a base for the search where gradients vary over the ball."""
    X = np.eye(3)[np.arange(11) % 3] * np.where(np.arange(11) % 2 == 0, 1.0, 0.5)[:, None]
    y = np.where(np.arange(11) % 2 == 0, 1.0, -1.0)
    return GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=radius)


def guarantees_over(
    make: Callable[[float, float], Any], names: Iterable[str], radii: Sequence[float],
    targets: Sequence[tuple[float, float]],
) -> Rows:  # fmt: skip
    """Rows of the guarantee of ``make(ε, δ)`` for every loss, radius and target."""
    for name, radius, (epsilon, delta) in product(names, radii, targets):
        loss = losses.capped_linear(2.0) if name == "capped-linear" else losses.resolve(name)
        guarantee = make(epsilon, delta).guarantee(curved(loss, radius=radius))
        yield {"loss": name, "radius": radius, "epsilon": epsilon, "delta": delta, "guarantee": guarantee}


def threshold(enough: Callable[[float], bool], low: float, high: float) -> float:
    """The ε between `low` (where the printed noise is enough) and `high` (where it is not) at which that ends."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if enough(middle) else (low, middle)
    return low


def claimed_and_true(epsilons: np.ndarray, delta: float, true: Callable[[str, float], float]) -> dict[str, list[float]]:
    """Columns of a figure: the δ claimed, and that of a pair, ``true(calibration, ε)``, with either calibration."""
    columns: dict[str, list[float]] = {"epsilon": epsilons.tolist(), "delta_claimed": [delta] * epsilons.size}
    return columns | {f"delta_true_{c}": [true(c, e) for e in epsilons] for c in ("printed", "exact")}


def worst_real_pair(loss: str, *, name: str = "diabetes", radius: float = 1.0) -> tuple[GLMProblem, GLMProblem]:
    """A real data set and its neighbour, whose two gradients at w = 0 are opposite and as long as allowed.

    The record with the longest gradient −φ'·x is the one replaced, by the bound's longest x in the same
    direction and the label of the other sign at its bound.
    """
    from dpbench.papers.glm import datasets  # read by those who attack real data

    problem = datasets.load(name, loss=loss, radius=radius)
    weight = np.abs(problem.y) * np.sqrt(np.asarray((problem.X * problem.X).sum(axis=1)).reshape(-1))
    index = int(np.argmax(weight))
    x = problem.X[index]
    longest = x * (problem.x_bound / np.linalg.norm(x)) * (1.0 - 1e-15)
    return problem, problem.replace_record(index, longest, -float(np.sign(problem.y[index])) * problem.y_bound)
