"""Refuted rows of the GLM paper: what their instances must obey beside the ranges that their statements declare.

A row of formulas alone is tried at points that its `Statement` admits, or refused; pairs of privacy rows are traced by
`test_glm_admissible_pairs`. Any other failing row that is not in `ASSUMPTIONS` fails.
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
    LIPSCHITZ,
    SMOOTH,
    at_zero,
    coin_base,
    coin_pair,
    convex_smooth_nonnegative,
    dummy_reaches_b,
    exact_norm,
    lemma_5_by_simulation,
    range_of_theorem_4,
    sign_is_private,
    zero_excess,
)

from dpbench.papers.glm import losses, theory, theory_selection
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
}
JL_INSTANCE: dict[str, Check] = {
    "x = e_i and w* = (1, ..., 1)/sqrt(j) have norm 1 = X = B, and y = <w*, x>": lambda: all(
        abs(np.linalg.norm(np.full(j, j**-0.5)) - 1.0) < 1e-12 for j in (1, 2, 38, 2435)
    ),
}

ASSUMPTIONS: Assumptions = {
    "glm.thm2.inequality.step": {
        "n >= n_0 = 2": every("glm.thm2.inequality.step", lambda n: n >= 2.0, "n"),
        "k is the printed one": every(
            "glm.thm2.inequality.step",
            lambda n, k: k == max(1, round(theory.smooth_jl_dimension(2.0, 1.0, 1.0, 1.0, int(n), 1.0, 1e-5))),
            "n", "k",
        ),
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
        "condition 3 over D, whose only record (0, 0) costs 0 < Delta": every(
            "glm.thm13.privacy.typical-records", lambda bound: at_zero(losses.squared(), 0.0) < bound, "Delta"),
    },
    "glm.lemma11.inequality": {
        "the row of the headline has w = 0, labels 0 or Y: loss at zero y^2 <= Y^2": lambda: 0.0 in series(
            "glm.lemma11.inequality")["b"],
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
    "glm.thm10.inequality.step": {
        "at most min(n, k/16) coordinates, 0 < epsilon < 1": every(
            "glm.thm10.inequality.step", lambda n, j, k, a: j <= min(n, k / 16.0) and 0 < n**-a < 1,
            "n", "coordinates", "k", "a"),
    },
    "glm.thm7.inequality.penalty": {
        "the headline's w = 0 has excess at most Y^2, as ERR allows": lambda: 0.0 in series(
            "glm.thm7.inequality.penalty")["r"],
    },
    "glm.thm7.inequality": POINT_MASS,
    "glm.thm8.inequality": {
        "Delta(B) of Lemma 10 is at least Y^2 for every B, sigma": lambda: lemmas9_10.LEMMA10.number(
            "Delta", B=1e-3, X=1.0, Y=1.0, sigma=1e-4, K=1, delta=1e-5, beta=1e-5) >= 1.0,
    },
    "glm.thm4.floor.d1": range_of_theorem_4("glm.thm4.floor.d1") | {
        "data sets with |w*| = B exactly, |x| <= X, |y| <= Y": exact_norm,
        "the algorithm is (epsilon, 0)-DP, by the law of its output on neighbours": sign_is_private,
        "B|X| > |Y|": every("glm.thm4.floor.d1", lambda r, y: r > y, "reach", "Y")},
    "glm.thm4.floor.small-radius": range_of_theorem_4("glm.thm4.floor.small-radius") | {
        "the zero predictor is (0, 0)-DP, and F(0) - F(w*) = mean <w*, x>^2 <= B^2X^2": zero_excess},
    "glm.thm4.inequality.wlog": range_of_theorem_4("glm.thm4.inequality.wlog") | {
        "the dummy's feature is at most X": dummy_reaches_b},
    "glm.thm11.floor.case2": {
        "epsilon <= 1.2, delta = 0 <= epsilon": every("glm.thm11.floor.case2", lambda e: e <= 1.2, "epsilon"),
        "d' = floor(48 n epsilon) >= 1": every(
            "glm.thm11.floor.case2", lambda n, e, a: a == math.floor(48.0 * n * e) >= 1, "n", "epsilon", "active"),
    },
    "glm.lemma5.stability": {
        "Algorithm 1 with eta = 4/H~ on the entry's law has the stability it says": lemma_5_by_simulation,
        "every case has T < n or T > n^2": every("glm.lemma5.stability", lambda n, t: t < n or t > n**2, "n", "T"),
        "a case has T < n and n >= n_0": lambda: any(t < n and n >= 2.0 * b * b for n, t, b in zip(
            *(series("glm.lemma5.stability")[c] for c in ("n", "T", "B")), strict=True)),
    },
    "glm.alg1.rate.printed": {
        "n >= n_0 = 2 at B = X = Y = 1": every("glm.alg1.rate.printed", lambda n: n >= 2, "n")},
    "glm.cor2.inequality.units": {
        "n >= n_0 = 2(BX/Y)^2": every("glm.cor2.inequality.units", lambda r, n: n >= 2.0 * r * r, "r", "n"),
        "w* has the norm B": every(
            "glm.cor2.inequality.units", lambda b, y, d: abs(y * math.sqrt(d) / b - 1.0) < 1e-9, "B", "Y", "d")},
    "glm.lemma7.inequality": {
        "k = Omega(log n), constant 16": every(
            "glm.lemma7.inequality", lambda n, k: k >= 15.9 * math.log(n), "n", "k"),
    },
    "glm.cor3.inequality": {
        "beta is below the chance of meeting no rare record": every(
            "glm.cor3.inequality", lambda n, log: log >= -n * math.log1p(-0.01), "n", "weight"),
    },
}  # fmt: skip


def test_every_failing_row_is_of_formulas_or_traced_or_listed():
    assert_every_failing_row_is_listed(ASSUMPTIONS, paper.claims, {*SMOOTH, *LIPSCHITZ})


@pytest.mark.parametrize(("name", "assumption"), cases(ASSUMPTIONS), ids=str)
def test_the_instance_obeys(name, assumption):
    assert ASSUMPTIONS[name][assumption](), f"{name}: {assumption}"


def test_an_instance_that_breaks_an_assumption_would_be_seen():
    assert not convex_smooth_nonnegative(losses.linear())
    assert not every("glm.alg1.rate.printed", lambda n: n > 1e9, "n")()
