"""Lemma 6: average regret of noisy gradient descent, printed and in its testable form."""

from __future__ import annotations

import math

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import growing, sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence
from dpbench.papers.glm import theory
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.corollary2 import DELTA, H, private_scale
from dpbench.papers.glm.theorems.hard_scales import empirical_excess
from dpbench.papers.glm.theorems.worlds import (
    DataSets,
    Worlds,
    build,
    descend,
    one_of_each_family,
    over_worlds,
    search,
    within_n0,
)

SHAPES = ((2, 1, 2, 2), (2, 1, 7, 7), (3, 2, 4, 4), (4, 3, 3, 3))
"""Atoms m, dimension d, records n, steps T = n."""


def regret_margins(worlds: Worlds, sets: DataSets, settings: np.ndarray, path: np.ndarray) -> np.ndarray:
    """(right − left)/right without noise: exact sums over data sets; the least risk is bounded from below."""
    worlds = within_n0(worlds)
    sigma = np.zeros(len(settings))
    left = _regret(worlds, sets, sigma, path) - worlds.least_risk()[1]
    return 1.0 - left / _right(worlds, sigma)


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


def regret_printed(context: Context) -> Evidence:
    """Lemma 6 to the letter, in a unit of w where G√d is nothing, against n at fixed nε."""
    ratio, product, unit = 2, 1000.0, 1e9
    rows = []
    for n in context.pick(quick=(10**4, 10**6), full=(10**4, 10**5, 10**6, 10**7)):
        scale, (eta, sigma), dimension = private_scale(ratio, n, product / n)
        grid = np.geomspace(1.0 / n, 1.0, 40).tolist()
        excess = max(empirical_excess("squared", n, dimension, p, eta, sigma, steps=n) for p in grid)
        bound = theory.regret_rate(H, 1.0 / unit, 1.0, ratio * unit, n, dimension, product / n, DELTA)
        fixed = theory.noisy_gd_regret(ratio, n, H, 1.0, 1.0, sigma, dimension)
        rows.append(
            {
                "n": n,
                "excess": excess,
                "bound": bound,
                "constant": excess / bound,
                "with B": excess / fixed,
                "zero predictor": scale.zero,
            }
        )
    return growing(
        rows,
        "value: the exponent in n, at fixed n epsilon, of the constant that the bound needs; with its B it is bounded",
        f"squared loss, B = {ratio}e9, X = 1e-9, Y = 1, d = 4, n epsilon = {product:g}, labels without noise: excess "
        "empirical risk of the average iterate, which is at most the average regret, exact over the binomial number of "
        "records that meet a coordinate, projection left out; the unit of w changes neither, and G is of order 1/B",
    )


@paper.inequality(
    "lemma6",
    source="Lemma 6, with its constants and its missing B",
    expected="not refuted",
    level=LEVEL,
    statement="For n >= n0, T = n and the step size of Theorem 1, the average regret is at most B^2/(eta T) + 4 eta "
    "(H~|Y|^2 + sigma^2 d).",
    because="From the recursion of the proof with 1 - 2 eta H~ >= 1/2. The printed O(.) lacks a factor B and has "
    "log(1/delta) for its root.",
    origin="corrected",
    no_record="of hundreds of sampled worlds the evidence keeps the smallest margin alone",
    rows={
        "printed": {
            "measure": regret_printed,
            "source": "Lemma 6",
            "expected": "refuted",
            "holds": "glm.lemma6.inequality",
            "statement": "For n >= n0, T = n and the step size of Theorem 1 the excess empirical risk is "
            "O(sqrt(H~)B|Y|/sqrt(n) + sqrt(d) G log(1/delta)/(n epsilon)).",
            "because": "With (w, x) -> (cw, x/c) G goes to G/c and the regret stays: for large c only "
            "sqrt(H~)B|Y|/sqrt(n) is left of the bound, at fixed n epsilon any factor below the regret.",
            "weight": "misprint",
            "hurt": "letter",
            "quote": r"O\left(\frac{\sqrt{H}B\|\mathcal{Y}\|}{\sqrt{n}} + "
            r"\frac{\sqrt{d}G\log\left(1/\delta\right)}{n\epsilon}\right).",
            "consequence": "Without its B the private term vanishes in large units of w while the regret does not: "
            "the constant needed grows like n^(1/2) at fixed n eps.",
            "errata": Correction(
                place="Lemma 6, appendix A.3.1",
                line=493,
                change="for sqrt(d) G log(1/delta) read sqrt(d log(1/delta)) G B",
                caveat=r"Theorem 1 has B and the root: “\frac{GB\sqrt{d\log{(1/\delta)}}}{n\epsilon}”.",
            ),
            "no_certificate": "the excess is a closed form over hardest scales found by search",
            "level": 0.0,
        },
    },
)
def regret(context: Context) -> Evidence:
    """Exact without noise; with noise a lower bound on the regret against the right side."""
    rows = search(context, "lemma 6", regret_margins, SHAPES)
    count, paths = context.pick(quick=(3, 200), full=(24, 1000))
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
