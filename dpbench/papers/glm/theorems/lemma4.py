"""Lemma 4: the generalisation gap from average stability, for algorithms of any kind."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dpbench.ledger.measurement import Context, Evidence
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.worlds import (
    DataSets,
    Worlds,
    average_stability,
    descend,
    into_balls,
    over_worlds,
    search,
    within_n0,
)

SHAPES = ((2, 1, 2, 4), (3, 2, 4, 6))
"""Atoms m, dimension d, records n, steps T."""


def gap_margins(kind: str, worlds: Worlds, sets: DataSets, settings: np.ndarray, path: np.ndarray) -> np.ndarray:
    """(right − left)/right of Lemma 4 given the noise path: exact sums over data sets.

    `kind` is "descent" (gradient steps of any size, noise of any size) or "memory" (w points where the records of
    the largest loss at 0 have been seen, scaled by θ: an algorithm that is far from stable).
    """
    worlds = within_n0(worlds)
    h, n, y = worlds.loss.smoothness, worlds.n, np.sqrt(worlds.at_zero)
    if kind == "descent":
        eta = np.exp(np.clip(settings[:, 0], -4.0, 3.0)) / h
        sigma = np.sqrt(h) * y * 10.0 ** np.clip(settings[:, 1], -3.0, 2.0) * (settings[:, 1] > -0.5)
        outputs, _ = descend(worlds, sets, eta, sigma[:, None, None] * path)
    else:
        shares = sets.counts / n - worlds.chance[:, None, :]
        pulls = shares * worlds.loss.derivative(np.zeros_like(worlds.y), worlds.y)[:, None, :]
        outputs = -(pulls @ worlds.x) / h * 10.0 ** np.clip(settings[:, 0], -3.0, 3.0)[:, None, None]
        outputs = into_balls(outputs, worlds.radius[:, None])
    weights = sets.probabilities(worlds)
    losses = worlds.loss.value(outputs @ worlds.x.transpose(0, 2, 1), worlds.y[:, None, :])
    population = (weights * (losses * worlds.chance[:, None, :]).sum(axis=2)).sum(axis=1)
    empirical = (weights * (losses * (sets.counts / n)).sum(axis=2)).sum(axis=1)
    size = np.sqrt(h) * worlds.radius / np.sqrt(n)
    stable = 2.0 * np.sqrt(h * n) * y / worlds.radius * average_stability(worlds, sets, outputs)
    right = size / y * (empirical - worlds.least_risk()[0]) + stable + size * y
    return 1.0 - (population - empirical) / right


@paper.inequality(
    "lemma4",
    source="Lemma 4",
    expected="not refuted",
    statement="For n >= n0 and any algorithm A, E[L(A(S); D) - L(A(S); S)] <= sqrt(H~)B/(sqrt(n)|Y|) E[L(A(S); S) - "
    "L(w*; S)] + (2 sqrt(H~ n)|Y|/B) eps_av-stab^2 + sqrt(H~)B|Y|/sqrt(n).",
    because="On-average stability, smoothness, self-bounding, Cauchy-Schwarz and AM-GM, none of which asks anything "
    "of the algorithm; L(w*) <= |Y|^2 and n >= n0 close it.",
    quote=r"The generalization gap of algorithm  $\mathcal{A}$  is bounded as,",
)
def lemma4(context: Context) -> Evidence:
    """Both kinds of algorithm on every shape and loss."""
    rows: dict[str, list[Any]] = {}
    for kind in ("descent", "memory"):
        found = search(context, f"lemma 4, {kind}", partial(gap_margins, kind), SHAPES)
        found["algorithm"] = [kind] * len(found["loss"])
        rows = {name: rows.get(name, []) + part for name, part in found.items()}
    return over_worlds(
        context,
        rows,
        "expectations over data sets and the replaced record are exact sums; the noise path is a parameter, given "
        "which the lemma must hold; step sizes up to 20/H, where the descent is far from stable",
        "the comparator is the best point of the ball, whose risk is at least that of w*: a smaller right side",
    )
