"""Every refuted row of the GLM paper, its paper's assumptions one by one, and the check that the instance obeys each.

A row that is not in `ASSUMPTIONS`, or one there without a check, fails: no counterexample may break an assumption.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from admissible import (
    Assumptions,
    Check,
    assert_every_failing_row_is_listed,
    cases,
    every,
    series,
)
from glm_instances import (
    GRID,
    at_zero,
    beyond_zero,
    capped_pair,
    coin_base,
    coin_pair,
    convex_smooth_nonnegative,
    dummy_reaches_b,
    exact_norm,
    lemma_5_by_simulation,
    linear_pair,
    lipschitz_convex,
    neighbours,
    range_of_theorem_4,
    sign_is_private,
    zero_excess,
)

from dpbench.papers.glm import losses, theory, theory_selection
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import printed_gradient_bound
from dpbench.papers.glm.theorems import lemma11, lemmas9_10, paper

POINT_MASS: dict[str, Check] = {
    "loss smooth, non-negative, at most Y^2 at zero": lambda: (
        convex_smooth_nonnegative(losses.squared()) and at_zero(losses.squared()) <= 1.0
    ),
    "Assumption 2: no record of the domain costs the constant 1 more than Delta(2)": lambda: (
        max((x - y) ** 2 for x in (-1.0, 1.0) for y in (-1.0, 1.0))
        < theory_selection.ball_loss_bound(2.0, 1.0, 1.0, 2.0)
    ),
    "and of the loss of Theorem 16, as of every H-smooth GLM, on the balls of both radii": lambda: all(
        (1.0 + b) ** 2 <= theory_selection.ball_loss_bound(2.0, 1.0, 1.0, b) for b in (2.0, 4.0)
    ),
    "the constant 1 is w*: its excess is 0, as ERR says below 2^K": lambda: (
        float(losses.squared().value(np.ones(1), np.ones(1))[0]) == 0.0
    ),
}
JL_INSTANCE: dict[str, Check] = {
    "the absolute loss is a convex 1-Lipschitz GLM": lambda: lipschitz_convex(losses.absolute()),
    "x = e_i and w* = (1, ..., 1)/sqrt(j) have norm 1 = X = B, and y = <w*, x>": lambda: all(
        abs(np.linalg.norm(np.full(j, j**-0.5)) - 1.0) < 1e-12 for j in (1, 2, 38, 2435)
    ),
}
SMOOTH_PAIR: dict[str, Check] = {
    "neighbours differ in one record within the bounds": lambda: neighbours(capped_pair(1e-3, 1001)),
    "convex, smooth, non-negative": lambda: convex_smooth_nonnegative(losses.capped_linear(1e-3)),
    "loss at zero at most the Y^2 that the noise is for": lambda: (
        theory.smooth_gradient_bound(
            losses.capped_linear(1e-3).smoothness, 1.0, math.sqrt(at_zero(losses.capped_linear(1e-3))), 1e-3
        )
        <= 1.0001 * printed_gradient_bound(capped_pair(1e-3, 11)[0])
    ),
}

ASSUMPTIONS: Assumptions = {
    "glm.thm5.privacy": {
        "G-Lipschitz convex GLM, G = 1": lambda: lipschitz_convex(losses.linear()),
        "neighbours differ in one record within the bounds": lambda: neighbours(linear_pair(101)),
        "0 < delta < 1": every("glm.thm5.privacy", lambda d: 0.0 < d < 1.0, "target_delta"),
    },
    "glm.thm1.privacy": SMOOTH_PAIR,
    "glm.thm2.privacy": {
        "convex, smooth, non-negative": lambda: convex_smooth_nonnegative(losses.capped_linear(4e-4)),
        "neighbours differ in one record within the bounds": lambda: neighbours(
            capped_pair(1e-5, 1001, d=64, end=4e-4)
        ),
        "n >= n_0": lambda: beyond_zero(1e-5, losses.capped_linear(4e-4).smoothness, 1.0, 1001, 1.0),
        "k is the printed one, rounded up": every(
            "glm.thm2.privacy",
            lambda k, e, d: k == JLMethod(e, d, calibration="printed").projected_dimension(
                capped_pair(1e-5, 1001, d=64, end=4e-4)[0]
            ),
            "k", "target_epsilon", "target_delta",
        ),
    },
    "glm.thm2.inequality.step": {
        "records (e_1, 1): |x| <= X, loss at zero y^2 <= Y^2, |w*| = B = 1": lambda: at_zero(losses.squared()) == 1.0,
        "n >= n_0 = 2": every("glm.thm2.inequality.step", lambda n: beyond_zero(1.0, 2.0, 1.0, n, 1.0), "n"),
        "k is the printed one": every(
            "glm.thm2.inequality.step",
            lambda n, k: k == max(1, round(theory.smooth_jl_dimension(2.0, 1.0, 1.0, 1.0, int(n), 1.0, 1e-5))),
            "n", "k",
        ),
    },
    "glm.thm10.privacy": {
        "G-Lipschitz convex GLM, G = 1": lambda: lipschitz_convex(losses.linear()),
        "neighbours differ in one record within the bounds": lambda: neighbours(linear_pair(11, 20)),
        "k is the printed one": every(
            "glm.thm10.privacy",
            lambda n, e, d, k: k == math.ceil(theory.lipschitz_jl_dimension(n, e, d)),
            "n", "target_epsilon", "target_delta", "k",
        ),
    },
    "glm.thm3.privacy": {
        "convex, smooth, non-negative": lambda: convex_smooth_nonnegative(losses.capped_linear(0.01)),
        "neighbours differ in one record within the bounds": lambda: neighbours(capped_pair(0.01, 25, end=0.01)),
        "n >= n_0": every("glm.thm3.privacy", lambda n, x: beyond_zero(
            0.01 / x, losses.capped_linear(0.01).smoothness, x, n, math.sqrt(at_zero(losses.capped_linear(0.01)))),
            "n", "x_bound"),
    },
    "glm.thm3.inequality.low-dimension.algorithm-3": {
        "records (1, 1), (1, -1) and (0, 0): |x| <= X, loss at zero y^2 <= Y^2, |w*| = B = 1": lambda: at_zero(
            losses.squared()) == at_zero(losses.squared(), -1.0) == 1.0,
        "n >= n_0 = 2, 0 < epsilon, delta = n^(-2) < 1/n": every(
            "glm.thm3.inequality.low-dimension.algorithm-3",
            lambda n, e: n >= 2 and 0 < e < 1 and math.isclose(e, n**-0.5), "n", "epsilon"),
    },
    "glm.thm13.privacy": {
        "the base is (0, 0)-DP: where noise alone chooses, both outputs have one law": lambda: coin_pair(
            10.0, 10, 18, 1e9, 0
        ).delta(0.0) < 1e-6,
        "condition 2, sub-Gaussian with gamma^2 = B^2/log 2": coin_base,
        "n >= n_0 in one row at least, beyond the claim there too": lambda: any(
            n >= 16.0 / math.log(2.0) * math.log(80.0) ** 8 * 2.0 and delta > 1e-5 for n, delta in zip(
                *(series("glm.thm13.privacy")[c] for c in ("n", "true_delta")), strict=True)
        ),
    },
    "glm.thm13.privacy.typical-records": {
        "condition 2, sub-Gaussian with gamma^2 = B^2/log 2": coin_base,
        "condition 3 over D, whose only record (0, 0) costs 0 < Delta": every(
            "glm.thm13.privacy.typical-records", lambda bound: at_zero(losses.squared(), 0.0) < bound, "Delta"),
    },
    "glm.lemma9.inequality": {
        "w = 1 in the ball, x = 1 and y = -1 within the bounds B = X = Y = 1: 4 > 3": lambda: float(
            losses.squared().value(np.ones(1), -np.ones(1))[0]) == 4.0 > 3.0 and at_zero(losses.squared(), -1.0) <= 1.0,
    },
    "glm.lemma10.inequality": {
        "w~ = -B e_1 in the ball, records (e_j, Y) within the bounds": every(
            "glm.lemma10.inequality", lambda b, y: b > 0 and y > 0, "B", "Y"),
        "0 < delta, beta < 1, K >= 1": every(
            "glm.lemma10.inequality", lambda d, b, k: 0 < d < 1 and 0 < b < 1 and k >= 1, "delta", "beta", "K"),
    },
    "glm.lemma11.inequality": {
        "w fixed: independent of S and gamma^2 sub-Gaussian for every gamma^2 >= |w|^2/log 2; 0 < beta < 1": every(
            "glm.lemma11.inequality",
            lambda w, g, beta: 0.0 <= w <= g * math.sqrt(math.log(2.0)) and g > 0.0 and 0.0 < beta < 1.0,
            "b", "gamma", "beta"),
        "the row of the headline has w = 0, labels 0 or Y: loss at zero y^2 <= Y^2": lambda: 0.0 in series(
            "glm.lemma11.inequality")["b"],
    },
    "glm.lemma11.inequality.rare": {
        "w = 1 fixed: gamma^2 = 1/log 2, the loss at zero is 0 <= Y^2, both records within X = 1": lambda: float(
            losses.squared().value(np.zeros(1), np.zeros(1))[0]) == 0.0,
        "0 < beta < 1, a probability for the rare record": every(
            "glm.lemma11.inequality.rare", lambda b, n: 0 < b < 1 and 0 < 1.02 * b / n < 1, "beta", "n"),
    },
    "glm.lemma11.inequality.direction": {
        "E exp(<w, u>^2/gamma^2) = (1 - 2/gamma^2)^(-1/2) = 2 for w ~ N(0, I_d), the same for every u": lambda: abs(
            (1.0 - 2.0 / lemma11.GAMMA**2) ** -0.5 - 2.0) < 1e-12,
        "1[z = 1]|w|^2 is convex, non-negative, 2-smooth (its Hessian is 0 or 2I), and 0 <= Y^2 at zero": lambda: (
            lemma11.H == 2.0),
    },
    "glm.lemma8.inequality.steps": JL_INSTANCE | {
        "k = Omega(log n)": every("glm.lemma8.inequality.steps", lambda n, k: k >= math.log(n), "n", "k"),
    },
    "glm.thm10.inequality.step": JL_INSTANCE | {
        "at most min(n, k/16) coordinates, 0 < epsilon < 1": every(
            "glm.thm10.inequality.step", lambda n, j, k, a: j <= min(n, k / 16.0) and 0 < n**-a < 1,
            "n", "coordinates", "k", "a"),
    },
    "glm.thm7.inequality.penalty": {
        "loss non-negative, at most Y^2 at zero": lambda: convex_smooth_nonnegative(losses.squared()),
        "the headline's w = 0 has excess at most Y^2, as ERR allows": lambda: 0.0 in series(
            "glm.thm7.inequality.penalty")["r"],
    },
    "glm.thm15.inequality": {
        "|w~| = B <= B": every("glm.thm15.inequality", lambda sigma: sigma >= 0.0, "sigma"),
    },
    **{
        name: POINT_MASS | {"epsilon, beta in [0, 1], K > 0": every(
            name, lambda e, b, k: 0 <= e <= 1 and 0 <= b <= 1 and k > 0, "epsilon", "beta",
            "K")}
        for name in ("glm.thm7.inequality", "glm.thm7.inequality.constants")
    },
    "glm.thm8.inequality": {
        "Delta(B) of Lemma 10 is at least Y^2 for every B, sigma": lambda: lemmas9_10.LEMMA10.number(
            "Delta", B=1e-3, X=1.0, Y=1.0, sigma=1e-4, K=1, delta=1e-5, beta=1e-5) >= 1.0,
        "a point mass at (X, Y): |w*| = Y/X, loss at zero Y^2": lambda: at_zero(losses.squared()) == 1.0,
    },
    "glm.thm4.floor.d1": range_of_theorem_4("glm.thm4.floor.d1") | {
        "data sets with |w*| = B exactly, |x| <= X, |y| <= Y": exact_norm,
        "the algorithm is (epsilon, 0)-DP, by the law of its output on neighbours": sign_is_private,
        "d = 1 and B|X| > |Y|; the loss is the squared one, as in the proof": every(
            "glm.thm4.floor.d1", lambda r, y: r > y, "reach", "Y")},
    "glm.thm4.floor.small-radius": range_of_theorem_4("glm.thm4.floor.small-radius") | {
        "the zero predictor is (0, 0)-DP, and F(0) - F(w*) = mean <w*, x>^2 <= B^2X^2": zero_excess},
    "glm.thm4.inequality.wlog": range_of_theorem_4("glm.thm4.inequality.wlog") | {
        "the dummy's feature is at most X": dummy_reaches_b},
    "glm.thm4.inequality.counts": {
        "B within the construction's range (else refused)": every(
            "glm.thm4.inequality.counts", lambda a, d, b: a <= d and b <= 1.0, "active", "d", "b")},
    "glm.thm4.inequality.rescaling": {
        "H > 0": every("glm.thm4.inequality.rescaling", lambda h: h > 0.0, "H")},
    "glm.thm11.floor.case2": {
        "epsilon <= 1.2, delta = 0 <= epsilon, p >= 1": every(
            "glm.thm11.floor.case2", lambda e, p: e <= 1.2 and p >= 1.0, "epsilon", "p"),
        "d' = floor(48 n epsilon) >= 1": every(
            "glm.thm11.floor.case2", lambda n, e, a: a == math.floor(48.0 * n * e) >= 1, "n", "epsilon", "active"),
    },
    "glm.thm11.inequality": {
        "v, mu in [0, 1]^d', so |v - mu| <= 1 in each coordinate": every(
            "glm.thm11.inequality", lambda d, right: right <= math.sqrt(d) * (1 + 1e-12), "d", "right")},
    "glm.thm16.floor.small-radius": {
        "B > 0, H = 2, X = Y = 1, as footnote 1 asks": every(
            "glm.thm16.floor.small-radius", lambda r, h, x, y: r > 0.0 and (h, x, y) == (2, 1, 1), "B", "H", "X", "Y"),
        "zero has (H/2)X^2B^2 at most": every(
            "glm.thm16.floor.small-radius", lambda r, zero: zero == r**2, "B", "zero")},
    "glm.cor5.floor.small-radius": {
        "B > 0; w* minimises over the whole space": every("glm.cor5.floor.small-radius", lambda r: r > 0.0, "B")},
    "glm.lemma5.stability": {
        "loss non-negative, convex, smooth": lambda: convex_smooth_nonnegative(losses.squared()),
        "loss at zero y^2 = 1 = Y^2 at the labels +-1": lambda: at_zero(losses.squared()) == 1.0,
        "Algorithm 1 with eta = 4/H~ on the entry's law has the stability it says": lemma_5_by_simulation,
        "w* = 0 lies in the ball": every("glm.lemma5.stability", lambda b: b > 0.0, "B"),
        "every case has T < n or T > n^2": every("glm.lemma5.stability", lambda n, t: t < n or t > n**2, "n", "T"),
        "a case has T < n and n >= n_0": lambda: any(t < n and n >= 2.0 * b * b for n, t, b in zip(
            *(series("glm.lemma5.stability")[c] for c in ("n", "T", "B")), strict=True)),
    },
    "glm.alg1.rate.printed": {
        "n >= n_0 = 2 at B = X = Y = 1": every("glm.alg1.rate.printed", lambda n: n >= 2, "n")},
    "glm.cor2.inequality": {
        "n >= n_0 = HX^2B^2/Y^2 = 2 at BX = Y = 1": every(
            "glm.cor2.inequality", lambda n, x, b: n >= 2 and abs(b * x - 1.0) < 1e-12, "n", "X", "B"),
        "eta is the corollary's second term": every(
            "glm.cor2.inequality", lambda eta, x: abs(8.0 * eta * x - 1.0) < 1e-12, "eta", "X"),
    },
    "glm.cor2.inequality.units": {
        "n >= n_0 = 2(BX/Y)^2": every("glm.cor2.inequality.units", lambda r, n: n >= 2.0 * r * r, "r", "n"),
        "w* has the norm B": every(
            "glm.cor2.inequality.units", lambda b, y, d: abs(y * math.sqrt(d) / b - 1.0) < 1e-9, "B", "Y", "d")},
    "glm.lemma6.inequality.printed": {
        "n >= n_0 = 2 at BX = Y = 1": every(
            "glm.lemma6.inequality.printed", lambda n, x, b: n >= 2 and abs(b * x - 1.0) < 1e-9, "n", "X", "B")},
    "glm.lemma7.inequality": {
        "n >= n_0 = 2 at BX = Y": every("glm.lemma7.inequality", lambda n: n >= 2, "n"),
        "k = Omega(log n), constant 16": every(
            "glm.lemma7.inequality", lambda n, k: k >= 15.9 * math.log(n), "n", "k"),
    },
    "glm.thm2.inequality": {
        "n >= n_0 = 2 at BX = Y": every("glm.thm2.inequality", lambda n: n >= 2, "n"),
        "k is the printed one, at least 1": every("glm.thm2.inequality", lambda k: 0 < k <= 1, "k"),
    },
    "glm.cor3.inequality": {
        "(z - B)^2/B^2 and (1 + z)^2 are 1 at zero, and 2-smooth as B >= 1": every(
            "glm.cor3.inequality", lambda n: 0.5 * n >= 1.0, "n"),
        "beta is below the chance of meeting no rare record": every(
            "glm.cor3.inequality", lambda n, log: log >= -n * math.log1p(-0.01), "n", "weight"),
    },
    "glm.thm9.inequality": {
        "H-smooth with H = 0: the linear loss has a constant slope": lambda: lipschitz_convex(losses.linear())
        and float(np.ptp(losses.linear().derivative(GRID, np.ones_like(GRID)))) == 0.0,
        "the omitted hypothesis, non-negative, is the only one it breaks: the loss is at most R = BX": lambda: float(
            np.abs(losses.linear().value(np.linspace(-1, 1, 9), np.ones(9))).max()) <= 1.0,
    },
}  # fmt: skip


def test_every_failing_row_is_listed_and_nothing_else() -> None:
    assert_every_failing_row_is_listed(ASSUMPTIONS, paper.claims)


@pytest.mark.parametrize(("name", "assumption"), cases(ASSUMPTIONS), ids=str)
@pytest.mark.few(45)
def test_the_instance_obeys(name: str, assumption: str) -> None:
    assert ASSUMPTIONS[name][assumption](), f"{name}: {assumption}"


def test_an_instance_that_breaks_an_assumption_would_be_seen() -> None:
    problem, neighbour = linear_pair(11)
    twice = neighbour.replace_record(0, np.array([-1.0]), -1.0)
    assert not neighbours((problem, twice))
    assert not convex_smooth_nonnegative(losses.linear()) and not lipschitz_convex(losses.squared())
    assert not beyond_zero(10.0, 2.0, 1.0, 100, 1.0)
