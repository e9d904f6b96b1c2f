"""Lemmas 2, 3 and 6 of the GLM paper: gradient and loss over the ball, average regret in its testable form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import margins, sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm import losses, theory
from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.worlds import DataSets, Worlds, build, descend, one_of_each_family, over_worlds, search

_ROUNDS = 12
_STEP = 0.5  # of the first round of the directed search, in decades; halved each round

Sides = Callable[[Loss, np.ndarray, np.ndarray, np.ndarray, np.ndarray], tuple[Any, Any]]


def losses_over_scales() -> tuple[Loss, ...]:
    """Every smooth non-negative loss, those with a parameter over its scales."""
    kappas, ends = (0.01, 0.3, 1.0, 10.0), (0.01, 1.0, 30.0)
    return (
        losses.squared(),
        losses.half_squared(),
        losses.logistic(),
        *(losses.huber(kappa) for kappa in kappas),
        *(losses.capped_linear(end) for end in ends),
    )


def gradient_sides(
    loss: Loss, logs: np.ndarray, fractions: np.ndarray, signs: np.ndarray, cosine: np.ndarray
) -> tuple[Any, Any]:
    """‖∇ℓ(w; (x, y))‖ and G of Lemma 2 at (log₁₀ X, log₁₀ y_bound, log₁₀ B) and the point inside."""
    x_bound, size, radius, x, z, y = point(loss, logs, fractions, signs, cosine)
    left = np.abs(loss.derivative(z, y)) * x
    return left, theory.smooth_gradient_bound(loss.smoothness, x_bound, size, radius)


def loss_sides(
    loss: Loss, logs: np.ndarray, fractions: np.ndarray, signs: np.ndarray, cosine: np.ndarray
) -> tuple[Any, Any]:
    """ℓ(w; (x, y)) and 3(‖Y‖² + HB²‖X‖²) of Lemma 3, with the arguments of `gradient_sides`."""
    x_bound, size, radius, _, z, y = point(loss, logs, fractions, signs, cosine)
    return loss.value(z, y), theory.smooth_loss_bound(loss.smoothness, x_bound, size, radius)


def smallest_margins(context: Context, sides: Sides, lemma: str) -> dict[str, list[Any]]:
    """For each loss the smallest (right − left)/right over random points, corners, and a search from the worst."""
    size = context.pick(quick=4_000, full=40_000)
    rows: dict[str, list[Any]] = {name: [] for name in ("loss", "parameter", "random", "extreme", "directed")}
    for loss in losses_over_scales():
        rng = stream(context.seed, lemma, loss)
        logs = rng.uniform(-4.0, 4.0, (size, 3))
        inside = rng.random((size, 3))
        signs = rng.choice([-1.0, 1.0], size)
        cosine = rng.uniform(-1.0, 1.0, size)
        at_random = _margins(loss, sides, logs, inside, signs, cosine)
        corner = np.ones((size, 3))
        along = rng.choice([-1.0, 1.0], size)
        at_corner = _margins(loss, sides, logs, corner, signs, along)
        best, worst = logs[np.argsort(at_corner)[:64]], float(at_corner.min())
        for turn in range(_ROUNDS):
            moved = np.repeat(best, 24, axis=0)
            moved = np.clip(moved + rng.normal(0.0, _STEP * 0.5**turn, moved.shape), -6.0, 6.0)
            count = moved.shape[0]
            signs, along = rng.choice([-1.0, 1.0], (2, count))
            found = _margins(loss, sides, moved, np.ones((count, 3)), signs, along)
            best, worst = moved[np.argsort(found)[:64]], min(worst, float(found.min()))
        row = (loss.name, loss.parameter, float(at_random.min()), float(at_corner.min()), worst)
        for name, value in zip(rows, row, strict=True):
            rows[name].append(value)
    return rows


GRADIENT = Statement(
    about="|grad l(w; (x, y))| <= 2|Y| sqrt(H) |X| + 2 H B |X|^2 for every H-smooth non-negative GLM, |w| <= B and "
    "admissible record: {claim} for all a = sqrt(H)|X||Y| and b = H B |X|^2.",
    symbols={"a": Real("sqrt(H)|X||Y|", 0, "inf"), "b": Real("H B |X|^2", 0, "inf")},
    claim=inequality("sqrt(2)*a + b", "<=", "2*a + 2*b"), cells=10,
    steps=(
        "The gradient is phi'(z)x with z = <w, x>, |z| <= B|X|; 0 <= phi(-phi'(0)/H) <= phi(0) - phi'(0)^2/(2H) gives "
        "|phi'(0)| <= sqrt(2H phi(0)) <= sqrt(2H)|Y|, and |phi'(z)| <= |phi'(0)| + H|z|.",
    ),
)  # fmt: skip
LOSS = Statement(
    about="l(w; (x, y)) <= 3(|Y|^2 + H B^2 |X|^2) for every H-smooth non-negative GLM, |w| <= B and admissible record: "
    "{claim} for all shares t of sqrt(H/2)B|X| in |Y| + sqrt(H/2)B|X|.",
    symbols={"t": Real("share of sqrt(H/2)B|X| in |Y| + sqrt(H/2)B|X|", 0, 1)},
    claim=inequality("1", "<=", "3*((1 - t)^2 + 2*t^2)"), cells=20,
    steps=(
        "The root of phi is sqrt(H/2)-Lipschitz, as phi'^2 <= 2H phi: phi(z) <= (|Y| + sqrt(H/2)B|X|)^2.",
        "Both sides are homogeneous of degree 2 in |Y| and sqrt(H/2)B|X|: their sum is taken as 1.",
    ),
)  # fmt: skip


@paper.inequality(
    "lemma2", source="Lemma 2", expected="proved", statement=GRADIENT,
    because="The gradient is phi'(z)x, so its norm depends on |x|, z = <w, x> and y alone. Self-bounding gives "
    "|phi'(0)| <= sqrt(2H phi(0)) (the paper's Fact 1 has 4 for 2) and smoothness adds H|z|.",
)
def lemma2(context: Context) -> Evidence:
    """The gradient bound."""
    note = "the sharp form |phi'(0)| <= sqrt(2H phi(0)) leaves a margin of 1 - 1/sqrt(2) = 0.2929 at least"
    return over_inputs(context, gradient_sides, "lemma2", note)


@paper.inequality(
    "lemma3", source="Lemma 3", expected="proved", statement=LOSS,
    because="sqrt(phi(z)) <= sqrt(phi(0)) + sqrt(H/2)|z|, so the loss is at most (|Y| + sqrt(H/2)B|X|)^2.",
)
def lemma3(context: Context) -> Evidence:
    """The loss bound."""
    note = "the loss on the ball is at most (Y + sqrt(H/2)B X)^2 <= 3(Y^2 + H B^2 X^2)/2: a margin of 1/2 at least"
    return over_inputs(context, loss_sides, "lemma3", note)


def over_inputs(context: Context, sides: Sides, lemma: str, *notes: str, add: str = "") -> Evidence:
    """Evidence of an inequality from `smallest_margins`; `add` continues the note on the value."""
    rows = smallest_margins(context, sides, lemma)
    tried = len(rows["loss"]) * (2 * context.pick(quick=4_000, full=40_000) + _ROUNDS * 64 * 24)
    first = f"value: the smallest relative margin (right - left)/right over all inputs tried{add}"
    return margins(rows, first, *notes, margin=least(rows), trials=tried)


def least(rows: dict[str, list[Any]]) -> float:
    """The least of the margins that `smallest_margins` gives."""
    return float(np.min([rows[kind] for kind in ("random", "extreme", "directed")]))


def point(
    loss: Loss, logs: np.ndarray, fractions: np.ndarray, signs: np.ndarray, cosine: np.ndarray
) -> tuple[Any, ...]:
    """‖X‖, ‖Y‖, B, and a record and weights inside them: ‖x‖, z = ‖w‖‖x‖cos, y as fractions of the bounds."""
    x_bound, y_bound, radius = 10.0 ** logs.T
    if loss.binary:
        y_bound = np.ones_like(y_bound)
        fractions = np.column_stack((fractions[:, 0], np.ones(len(fractions)), fractions[:, 2]))
    elif loss.parameter > 0.0:  # the scale where the loss bends is the interesting one
        y_bound = loss.parameter * y_bound
    x, y, w = x_bound * fractions[:, 0], signs * y_bound * fractions[:, 1], radius * fractions[:, 2]
    at_zero = np.sqrt(loss.value(np.zeros_like(y_bound), y_bound))
    return x_bound, at_zero, radius, x, w * x * cosine, y


def _margins(loss: Loss, sides: Sides, *where: np.ndarray) -> np.ndarray:
    left, right = sides(loss, *where)
    return 1.0 - left / right


SHAPES = ((2, 1, 2, 2), (2, 1, 7, 7), (3, 2, 4, 4), (4, 3, 3, 3))
"""Atoms m, dimension d, records n, steps T = n."""


def regret_margins(worlds: Worlds, sets: DataSets, settings: np.ndarray, path: np.ndarray) -> np.ndarray:
    """(right − left)/right without noise: exact sums over data sets; the least risk is bounded from below."""
    worlds = within_n0(worlds)
    sigma = np.zeros(len(settings))
    left = _regret(worlds, sets, sigma, path) - worlds.least_risk()[1]
    return 1.0 - left / _right(worlds, sigma)


def within_n0(worlds: Worlds) -> Worlds:
    """The same worlds with the radius cut to n ≥ n₀ = H̃B²/‖Y‖²."""
    most = np.sqrt(worlds.at_zero * worlds.n / worlds.loss.smoothness)
    radius = np.minimum(worlds.radius, most)
    return Worlds(worlds.loss, worlds.x, worlds.y, worlds.chance, worlds.y_bound, radius, worlds.n)


def noisy_margins(count: int, paths: int, tests: int, seed: int, block: int) -> tuple[float, float]:
    """Smallest margins of random worlds with noise, of one shape and loss.

    Returns the smallest (right − left)/right with the estimated left side, and with its lower confidence bound
    (empirical Bernstein, Maurer & Pontil 2009; the regret given a path lies within ±(‖Y‖ + √(H/2)B)²).
    """
    m, d, n, _ = SHAPES[block // len(one_of_each_family())]
    loss = one_of_each_family()[block % len(one_of_each_family())]
    sets, rng = DataSets.all(m, n), stream(seed, "lemma 6, noise", m, d, n, loss)
    worlds = within_n0(build(loss, rng.normal(0.0, 2.0, (count, m * (d + 2) + 2)), m, d, n))
    sigma = np.sqrt(loss.smoothness * worlds.at_zero / d) * 10.0 ** rng.uniform(-1.0, 1.0, count)
    x, y, chance = (np.repeat(part, paths, axis=0) for part in (worlds.x, worlds.y, worlds.chance))
    many = Worlds(loss, x, y, chance, np.repeat(worlds.y_bound, paths), np.repeat(worlds.radius, paths), n)
    path = rng.standard_normal((count * paths, n - 1, d))
    drawn = _regret(many, sets, np.repeat(sigma, paths), path).reshape(count, paths)
    mean, spread = drawn.mean(axis=1) - worlds.least_risk()[1], drawn.var(axis=1, ddof=1)
    limit = (np.sqrt(worlds.at_zero) + math.sqrt(0.5 * loss.smoothness) * worlds.radius) ** 2
    log_term = math.log(2.0 * tests / LEVEL)
    slack = np.sqrt(2.0 * spread * log_term / paths) + 14.0 * limit * log_term / (3.0 * (paths - 1))
    right = _right(worlds, sigma)
    return float((1.0 - mean / right).min()), float((1.0 - (mean - slack) / right).min())


def _regret(worlds: Worlds, sets: DataSets, sigma: np.ndarray, path: np.ndarray) -> np.ndarray:
    """E over data sets of the mean of L̂(w_t; S), given the noise path."""
    _, risk = descend(worlds, sets, _eta(worlds, sigma), sigma[:, None, None] * path)
    return (sets.probabilities(worlds) * risk).sum(axis=1)


def _right(worlds: Worlds, sigma: np.ndarray) -> np.ndarray:
    eta, d = _eta(worlds, sigma), worlds.x.shape[2]
    spread = worlds.loss.smoothness * worlds.at_zero + sigma**2 * d
    return worlds.radius**2 / (eta * worlds.n) + 4.0 * eta * spread


def _eta(worlds: Worlds, sigma: np.ndarray) -> np.ndarray:
    h, n, d = worlds.loss.smoothness, worlds.n, worlds.x.shape[2]
    each = zip(worlds.radius, np.sqrt(worlds.at_zero), sigma, strict=True)
    return np.array([theory.noisy_gd_step_size(b, n, h, 1.0, y, s, d) for b, y, s in each])


@paper.inequality(
    "lemma6", source="Lemma 6, with its constants and its missing B", expected="not refuted", level=LEVEL,
    statement="For n >= n0, T = n and the step size of Theorem 1, the average regret is at most B^2/(eta T) + 4 eta "
    "(H~|Y|^2 + sigma^2 d).",
    because="From the recursion of the proof with 1 - 2 eta H~ >= 1/2. The printed O(.) lacks a factor B and has "
    "log(1/delta) for its root.",
)
def regret(context: Context) -> Evidence:
    """Exact without noise; with noise a lower bound on the regret against the right side."""
    rows = search(context, "lemma 6", regret_margins, SHAPES)
    count, paths = context.pick(quick=(4, 300), full=(24, 1000))
    cases = len(rows["loss"])
    drawn = sampled(context, noisy_margins, count, paths, cases * count, blocks=cases)
    rows |= {"noisy": [float(a) for a, _ in drawn], "noisy, lower bound on the regret": [float(b) for _, b in drawn]}
    exact = rows["random"] + rows["directed"]
    return over_worlds(
        context, rows,
        "without noise the expectation over data sets is an exact sum; with noise the mean over paths is "
        "bounded below by the empirical Bernstein inequality, and a refutation would rest on that bound",
        "the comparator is the best point of the ball, its risk bounded from below",
        value=min(exact + rows["noisy"]), margin=float(np.min(exact + rows["noisy, lower bound on the regret"])),
        trials=cases * count * paths,
    )  # fmt: skip
