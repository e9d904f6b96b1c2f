"""Refuted rows of the public-data paper: what their instances must obey beside the ranges that statements declare.

The same shape as for the GLM paper: a failing row that is not in `ASSUMPTIONS`, and not of formulas alone, fails.
"""

import itertools
import math

import numpy as np
import pytest
from admissible import (
    assert_every_failing_row_is_listed,
    cases,
    every,
    replaced,
    series,
)
from publicdata_instances import moving_pair
from scipy.stats import binom, norm

from dpbench.papers.publicdata.complexity import gaussian_complexity
from dpbench.papers.publicdata.hypotheses.cube import ParityCube
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.theorems import (
    algorithm3,
    algorithm4,
    paper,
    theorems2_6,
    theorems3_7,
    two_functions,
)
from dpbench.papers.publicdata.theorems.parity_cube import problem_of
from lowerbounds import parity_cube


def losses_in_unit(problem, values):
    """|f − y|/2 or 1[f ≠ y], y and f in [−1, 1]: in [0, 1]."""
    return bool(np.abs(values).max() <= 1.0 and np.abs(problem.y).max() <= 1.0)


def moving_class():
    problem, _ = moving_pair()
    return (
        LinearBall(1).convex
        and losses_in_unit(problem, LinearBall(1).predict(np.array([[-1.0], [1.0]]), [[1.0], [-1.0]]))
        and gaussian_complexity(LinearBall(1), np.ones((50, 1))) <= 1.0
    )


def biased_labels():
    """η = 2α·1.1, labels of mean 2η: f̂ ≤ 1/2, and so an excess above α, with a chance of at least 1/4."""
    eta = 2.2 * theorems3_7.ALPHA
    half = 2.0 * eta / (4.0 * eta)
    return half == 0.5 and 2.0 * eta <= 1.0 and 2.0 * eta * (1.0 - half) / 2.0 > theorems3_7.ALPHA


def noisy_constants():
    """P(γ|N⁻|/(2√m) > α) at 1.01 times the γ/√m that `EVERY_CHOICE` allows."""
    allowed = 2.0 * theorems3_7.ALPHA / norm.isf(theorems3_7.BETA)
    return bool(norm.sf(2.0 * theorems3_7.ALPHA / (1.01 * allowed)) > theorems3_7.BETA)


CUBE = parity_cube(64)
CUBE_PAIR = problem_of(CUBE), problem_of(CUBE, neighbour=True)


def shatters(bits):
    """The VC dimension of the cube is at least its bits: its functions label them in all 2^bits ways."""
    rows = np.array(list(itertools.product((-1.0, 1.0), repeat=bits)))
    labels = ParityCube(bits).predict(rows, np.arange(bits))
    return len(np.unique(labels, axis=0)) == 2**bits


def cut_minimisers():
    """min over 0 ≤ κt ≤ v ≤ 1 of slope·t + ηv²: (0, 0) at slope 0, (1, κ) at slope −1/n, on a grid."""
    eta, n = 0.125, 400
    kappa = 1.0 / math.sqrt(2.0 * eta * n)
    t, v = np.meshgrid(np.linspace(0.0, 1.0, 101), kappa * np.linspace(0.0, 1.0 / kappa, 1001), indexing="ij")
    allowed = kappa * t <= v + 1e-12
    found = []
    for slope in (0.0, -1.0 / n):
        values = np.where(allowed, slope * t + eta * v**2, np.inf)
        place = np.unravel_index(values.argmin(), values.shape)
        found.append((float(t[place]), float(v[place])))
    return found[0] == (0.0, 0.0) and found[1] == pytest.approx((1.0, kappa), abs=1e-6)


def one_class_fits():
    for d in (10**6, 10**31, 10**44):
        blocks = math.ceil(2.0 * math.log(100.0 * d))
        block = d // (2 * blocks)
        masses = 0.5 + sum(2.0 ** (1 - k) / 4.0 for k in range(1, blocks + 1))
        if d // 2 + blocks * block > d or masses > 1.0 or 2.0**blocks < block:
            return False
    return True


ASSUMPTIONS = {
    "publicdata.thm5.inequality": {
        "refuted where K is strictly positive definite, c < 1": every(
            "publicdata.thm5.inequality", lambda a, c, left, right: c == 1.0 or a < 0.9 or left > right,
            "norm", "c", "left", "right"),
    },
    "publicdata.thm10.inequality": {
        "m and n of Theorem 10 with constants 1, d = sigma = epsilon = 1": every(
            "publicdata.thm10.inequality",
            lambda log, m, n: log >= 10.0 and [m, n] == pytest.approx([64.0 * (1.0 + log), 8.0**5 * log]),
            "L", "m", "said"),
    },
    "publicdata.thm4.inequality.confidence": {
        "n of (20) with constant 1, d = 2, sigma = epsilon = 1": every(
            "publicdata.thm4.inequality.confidence",
            lambda log, n: log >= 12.0 and n == pytest.approx(4.0 * 8.0**5 * log), "L", "said"),
    },
    "publicdata.thm7.inequality.powers-laplace": {
        "F = {(t, v): 0 <= kappa t <= v <= 1} is convex and f moves from (0, 0) to (1, kappa)": cut_minimisers,
    },
    "publicdata.thm4.privacy.gaussian-drawn": {
        "neighbours differ in one record": replaced(lambda: CUBE_PAIR),
        "d bits and m = 16 d points": every(
            "publicdata.thm4.privacy.gaussian-drawn", lambda d, m: m == 16.0 * d, "d", "m"),
    },
    "publicdata.thm4.inequality.one-class": {
        "VC dimension at most d: d/2 group bits and blocks of d/(2K) bits each": one_class_fits,
    },
    "publicdata.lemma7.stability": {
        "the square is 4 times the chance that one record decides, P(|N| <= 1/(2 n eta))": every(
            "publicdata.lemma7.stability",
            lambda s, square: square == pytest.approx(4.0 * (2.0 * norm.cdf(0.5 / s) - 1.0)), "strength", "square"),
    },
    "publicdata.lemma9.privacy": {
        "fbar, fbar' into [-1, 1] (the clipped pair), delta in (0, 1)": every(
            "publicdata.lemma9.privacy", lambda m, ratio: m > 1 or ratio > 1.0, "m", "delta_ratio"),
    },
    "publicdata.lemma3.privacy": {
        "rho at most the diameter 2, (14) with equality, the clipped pair alone refutes": lambda: max(
            series("publicdata.lemma3.privacy")["delta_ratio"][1::2]) > 1.0
        and max(series("publicdata.lemma3.privacy")["rho"]) <= 2.0,
    },
    "publicdata.lemma3.privacy.laplace": {
        "rho at most 2 and (15)": every(
            "publicdata.lemma3.privacy.laplace", lambda rho, gamma: rho / gamma <= 1.0 + 1e-9 and rho <= 2.0, "rho",
            "gamma"),
    },
    "publicdata.alg2.privacy": {
        "neighbours differ in one record": replaced(lambda: two_functions.two_signs(11, 4)),
        "0-1 loss, f in {-1, 1}: |f|_mu = 1 >= 2/3": lambda: losses_in_unit(
            two_functions.two_signs(11, 4)[0], two_functions.SIGNS.predictions),
    },
    "publicdata.alg3.privacy": {
        "neighbours differ in one record": replaced(lambda: algorithm3.balanced(11)),
        "|f - y|/2 on constants in [-1, 1]: convex, 1/2-Lipschitz, in [0, 1]": lambda: losses_in_unit(
            algorithm3.balanced(11)[0], np.array([-1.0, 1.0])),
    },
    "publicdata.thm4.privacy": {
        "neighbours differ in one record": replaced(lambda: CUBE_PAIR),
        "VC dimension d: the bits are shattered": lambda: shatters(8) and CUBE_PAIR[0].hypotheses.bits == 64,
        "m public points, independent weights, any C": every(
            "publicdata.thm4.privacy", lambda d, m, c: m >= d and c > 0.0, "d", "m", "constant"),
    },
    "publicdata.thm4.inequality": {
        "n is (21), with log^3 d for what it hides": every(
            "publicdata.thm4.inequality",
            lambda d, n: n == pytest.approx(
                d * d * 8.0 * 8.0**4 * math.sqrt(math.log(1e5)) * math.log(20.0) * math.log(d) ** 3), "d", "n"),
    },
    "publicdata.alg4.privacy": {
        "neighbours differ in one record": replaced(algorithm4.free_point),
        "one public point, where functions of the class agree that differ at the private one": lambda: bool(
            algorithm4.free_point()[0].m == 1
            and len(np.unique(algorithm4.free_point()[0].hypotheses.predictions[:, 0])) == 2),
    },
    "publicdata.thm6.rate": {
        "nu is sigma-smooth against mu, sigma = 1/3": lambda: theorems2_6.three_functions(
            False).smoothness == pytest.approx(1.0 / 3.0),
        "inf |f|_mu >= 2/3, by z* as the paper says": lambda: bool(
            np.sqrt((theorems2_6.TABLE**2) @ np.array([1 / 9, 1 / 9, 1 / 9, 2 / 3])).min() >= 2.0 / 3.0),
        "f(z*) = 1 for all f, losses in [0, 1]": lambda: bool((theorems2_6.TABLE[:, 3] == 1.0).all()
                                                             and np.abs(theorems2_6.TABLE).max() <= 1.0),
    },
    "publicdata.thm7.inequality": {
        "neighbours differ in one record": replaced(moving_pair),
        "F convex, into [-1, 1], G of order 1: linear functions of one feature": moving_class,
        "a = 1/(2 sqrt(eta n)) <= 1": every(
            "publicdata.thm7.inequality", lambda n: theorems3_7.ALPHA * n >= 0.25, "needed"),
    },
    "publicdata.thm3.inequality": {
        "constants with labels of mean 2 eta lose eta/2 or more with a chance above beta": biased_labels,
        "constants with labels 1 lose more than alpha with a chance above beta beyond that noise": noisy_constants,
        "a <= 1 at eta = 2 alpha": every(
            "publicdata.thm3.inequality", lambda n: 2.0 * theorems3_7.ALPHA * n >= 0.25, "needed"),
    },
    "publicdata.lemma12.inequality.proof": {
        "m points miss the set with a chance above beta = 0.05": every(
            "publicdata.lemma12.inequality.proof", lambda m, p: math.exp(m * math.log1p(-p)) > 0.05, "m", "mass"),
    },
    "publicdata.thm9.inequality.printed": {
        "a fair coin deviates by more than the column with a chance above beta": every(
            "publicdata.thm9.inequality.printed",
            lambda x: 2.0 * binom.sf(math.ceil(100 * (0.5 + x)) - 1, 100, 0.5) > 0.05, "deviation"),
    },
}  # fmt: skip


def test_every_failing_row_is_of_formulas_or_listed():
    assert_every_failing_row_is_listed(ASSUMPTIONS, paper.claims)


@pytest.mark.parametrize(("name", "assumption"), cases(ASSUMPTIONS), ids=str)
def test_the_instance_obeys(name, assumption):
    assert ASSUMPTIONS[name][assumption](), f"{name}: {assumption}"


def test_an_instance_that_breaks_an_assumption_would_be_seen():
    p, q = algorithm3.balanced(11)
    assert not replaced(lambda: (p, p))() and not replaced(lambda: (p, q.replace_record(1, [0.0], -1.0)))()
    assert not losses_in_unit(p, np.array([1.5]))
    assert not every("publicdata.thm4.privacy", lambda d: d > 1e9, "d")()
