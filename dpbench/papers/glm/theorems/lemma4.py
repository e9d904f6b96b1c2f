"""Lemma 4 of the GLM paper: the generalisation gap from average stability, for algorithms of any kind; and Fact 1."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dpbench.ledger.measurement import Context, Evidence
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.lemmas import over_inputs, point, within_n0
from dpbench.papers.glm.theorems.worlds import (
    DataSets,
    Worlds,
    average_stability,
    descend,
    into_balls,
    over_worlds,
    search,
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
    "lemma4", source="Lemma 4", expected="not refuted",
    statement="For n >= n0 and any algorithm A, E[L(A(S); D) - L(A(S); S)] <= sqrt(H~)B/(sqrt(n)|Y|) E[L(A(S); S) - "
    "L(w*; S)] + (2 sqrt(H~ n)|Y|/B) eps_av-stab^2 + sqrt(H~)B|Y|/sqrt(n).",
    because="On-average stability, smoothness, self-bounding, Cauchy-Schwarz and AM-GM, none of which asks anything "
    "of the algorithm; L(w*) <= |Y|^2 and n >= n0 close it.",
)
def lemma4(context: Context) -> Evidence:
    """Both kinds of algorithm on every shape and loss."""
    rows: dict[str, list[Any]] = {}
    for kind in ("descent", "memory"):
        found = search(context, f"lemma 4, {kind}", partial(gap_margins, kind), SHAPES)
        found["algorithm"] = [kind] * len(found["loss"])
        rows = {name: rows.get(name, []) + part for name, part in found.items()}
    return over_worlds(
        context, rows,
        "expectations over data sets and the replaced record are exact sums; the noise path is a parameter, given "
        "which the lemma must hold; step sizes up to 20/H, where the descent is far from stable",
        "the comparator is the best point of the ball, whose risk is at least that of w*: a smaller right side",
    )


def fact1_sides(
    loss: Loss, logs: np.ndarray, fractions: np.ndarray, signs: np.ndarray, cosine: np.ndarray
) -> tuple[Any, Any]:
    """‖∇ℓ(w)‖ and √(4H̃ℓ(w)), with the arguments of `lemmas.gradient_sides`; 0 and 1 where the loss is 0 by rounding."""
    _, _, _, x, z, y = point(loss, logs, fractions, signs, cosine)
    left, square = np.abs(loss.derivative(z, y)) * x, 4.0 * loss.smoothness * x**2 * loss.value(z, y)
    there = square > 1e-200
    return np.where(there, left, 0.0), np.sqrt(np.where(there, square, 1.0))


FACT = Statement(
    about="|grad f(u)| <= sqrt(4 H~ f(u)) for every H~-smooth non-negative f: {claim} for all s = sqrt(H~ f(u)).",
    symbols={"s": Real("sqrt(H~ f(u))", 0, "inf")}, claim=inequality("sqrt(2)*s", "<=", "2*s"), cells=10,
    steps=("0 <= f(u - grad f(u)/H~) <= f(u) - |grad f(u)|^2/(2H~), so |grad f(u)| <= sqrt(2 H~ f(u)).",),
)


@paper.inequality(
    "fact1", source="Fact 1", expected="proved", statement=FACT,
    because="0 <= f(u - grad f(u)/H~) <= f(u) - |grad f(u)|^2/(2H~): 2 will do for the 4, and a parabola attains it.",
)
def fact1(context: Context) -> Evidence:
    """Self-bounding, at random points, corners, and by a search."""
    note = "; the sharp constant is 2, so that 1 - 1/sqrt(2) = 0.2929 is the least there can be"
    return over_inputs(context, fact1_sides, "fact1", add=f"{note}, and squared losses have it everywhere")
