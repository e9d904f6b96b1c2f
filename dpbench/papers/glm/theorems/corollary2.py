"""Corollary 2: noisy gradient descent on the empirical risk, its privacy, its step size and its units."""

from __future__ import annotations

import math

from dpbench.ledger.correction import Correction
from dpbench.ledger.statement import Real, Statement, inequality, order
from dpbench.papers.glm.theorems import paper

H, DELTA = 2.0, 1e-5  # squared loss
CONSTANTS = 251.0, 162.0 * math.sqrt(32.0)
"""What the proof of Theorem 1 gives for its O(·), on √H̃B‖Y‖/√n and on (√H̃‖Y‖ + H̃B)B√(dL)/(nε).

Its last display but one is 18 times the average regret plus 17√H̃B‖Y‖/√n. The regret is at most B²/(ηT) +
4η(H̃‖Y‖² + σ²d), with M = max(√H̃‖Y‖, σ√d) and η = min(B/(√T M), 1/(4H̃)) at most 9BM/√T + 4H̃B²/T; T = n ≥ n₀ leaves
(9 + 4)√H̃B‖Y‖/√n + 9Bσ√d/√n, and σ√d/√n = √8·G√(dL)/(nε) with G = 2(√H̃‖Y‖ + H̃B): 18·13 + 17 and 18·9·√8·2.
"""


STEP = Statement(
    about="With eta = min(B/(sqrt(T)max(sqrt(H)|X||Y|, sigma sqrt(d))), 1/(4H|X|)) the excess risk is "
    "O(sqrt(H)|X|B|Y|/sqrt(n) + (sqrt(H)|X||Y| + H|X|^2 B^2)B sqrt(d log(1/delta))/(n epsilon)): {claim} with {excess} "
    "and {bound}.",
    symbols={"n": Real("number of records and steps", 4, "1e100")},
    where={
        "H": "2",
        "X": "1/n",
        "B": "n",
        "eta": "min(B/(sqrt(n)*sqrt(H)*X), 1/(4*H*X))",
        "excess": "1 - 2*n*H*eta*X^2",
        "bound": "sqrt(H)*X*B/sqrt(n)",
    },
    claim=order("excess", to="bound", variable="n"),
    steps=(
        "Squared loss, d = 1, every record (X, 1), w* = B, Y = B X = 1, and epsilon so large that noise and its "
        "term are nothing: 1 - Xw_t = (1 - H eta X^2)^(t-1), so the excess risk of the mean of w_1..w_n is at least "
        "(1 - H eta X^2)^(2n) >= 1 - 2n H eta X^2.",
    ),
    witness={"n": 1, "power_n": 1, "first": 3},
)


UNITS = Statement(
    about="The excess risk is O(sqrt(H)|X|B|Y|/sqrt(n) + (sqrt(H)|X||Y| + H|X|^2 B^2)B sqrt(d log(1/delta))/(n "
    "epsilon)): {claim} with {excess} and {bound}.",
    symbols={
        "r": Real("B|X|/|Y|", 4, "1e30"),
        "L": Real("log(1/delta)", 1, 30),
    },
    where={
        "H": "2",
        "Y": "1/r^2",
        "B": "1/r",
        "d": "r^2",
        "n": "r^4",
        "epsilon": "sqrt(L)/(2*r)",
        "G": "2*sqrt(H)*Y + 2*H*B",
        "sigma": "sqrt(8*G^2*n*L/(n*epsilon)^2)",
        "eta": "min(B/(sqrt(n)*max(sqrt(H)*Y, sigma*sqrt(d))), 1/(4*H))",
        "learned": "n*eta*2*H/d*(B + Y*sqrt(d))",
        "excess": "Y^2*(1 - learned/B)^2*(1 - d*exp(-n/(3*d)))",
        "bound": "sqrt(H)*B*Y/sqrt(n) + (sqrt(H)*Y + H*B^2)*B*sqrt(d*L)/(n*epsilon)",
    },
    claim=order("excess", to="bound", variable="r"),
    steps=(
        "Squared loss, X = 1, records (e_j, Y), j uniform from 1 to d, w* = Y(1, ..., 1) of norm B. But for a chance "
        "of d exp(-n/(3d)) each j has at most 2n/d records (Chernoff); then a gradient in the ball is at most "
        "(2H/d)(B + Y sqrt(d)) long.",
        "A projection does not expand, and without gradients the iterates have the mean 0: the mean of w_1..w_n has "
        "an expectation of norm at most learned, n eta times that length, and the excess is |w - w*|^2/d.",
        "In this unit of Y the B^2 of the bound is nothing beside the B of G.",
    ),
    witness={"r": 1, "L": 12, "power_r": 1, "first": 3},
)


COROLLARY = Statement(
    about="With T = n, the sigma of Theorem 1 and eta = min(B/(sqrt(T)max(sqrt(H)|X||Y|, sigma sqrt(d))), "
    "1/(4H|X|^2)) the excess risk of Algorithm 1 is at most 251 times sqrt(H)|X|B|Y|/sqrt(n) plus 916 times "
    "(sqrt(H)|X||Y| + H|X|^2 B)B sqrt(d log(1/delta))/(n epsilon), n >= n_0: the constants of the paper's proof: "
    "{claim} with {E} for all shares a of sqrt(H)|X||Y| in sqrt(H)|X||Y| + sigma sqrt(d) and q = sqrt(H)|X|B/(|Y| "
    "sqrt(n)).",
    symbols={
        "a": Real("share of sqrt(H)|X||Y| in sqrt(H)|X||Y| + sigma sqrt(d)", 0, 1),
        "q": Real("sqrt(H)|X|B/(|Y| sqrt(n)), at most 1 for n >= n_0", 0, 1),
    },
    where={"b": "1 - a", "E": "max(max(a, b), 4*q*a)"},
    claim=inequality("18*(E + 4*(a^2 + b^2)/E) + 17*a", "<=", "251*a + (916/sqrt(32))*b"), cells=500,
    steps=(
        "The excess is at most 18 times the average regret plus 17 sqrt(H)|X|B|Y|/sqrt(n), and the regret at most "
        "B^2/(eta T) + 4 eta(H|X|^2|Y|^2 + sigma^2 d), T = n.",
        "Both sides are divided by B/sqrt(n), with sqrt(H)|X||Y| = a and sigma sqrt(d) = b in units of their sum; eta "
        "= B/(sqrt(n)E), and sigma sqrt(d)/sqrt(n) = sqrt(32)(sqrt(H)|X||Y| + H|X|^2 B) sqrt(d log(1/delta))/(n "
        "epsilon).",
    ),
)  # fmt: skip


paper.formula(
    "cor2",
    STEP,
    points=[{"n": 10**k} for k in range(4, 41, 4)],
    row="step",
    source="Corollary 2, its step size",
    expected="refuted",
    holds="glm.cor2.inequality.corrected",
    because="1/(4HX) is not a step size: with (w, x) -> (cw, x/c) it should grow like c^2. For X < 1 it is X times "
    "the 1/(4HX^2) of Theorem 1, and after n <= 1/X steps nothing is learned.",
    weight="misprint",
    hurt="letter",
    quote=r"$\eta = "
    r"\min\left(\frac{B}{\sqrt{T}\max\left(\sqrt{H}\|\mathcal{X}\|\|\mathcal{Y}\|,\sigma\sqrt{d}\right)}, "
    r"\frac{1}{4H\|\mathcal{X}\|}\right)$",
    consequence="For |X| < 1 the step is |X| times too small: the constant the bound needs grows like |X|^(-1/2).",
    errata=Correction(
        place="Corollary 2, appendix A.3",
        change="for 1/(4H|X|) read 1/(4H|X|^2), as in Theorem 2",
    ),
    rows={
        "units": {
            "statement": UNITS,
            "points": [{"r": 10**k, "L": 12} for k in range(1, 11)],
            "source": "Corollary 2, its second term",
            "holds": "glm.cor2.inequality.corrected",
            "because": "G B has H X^2 B^2 where this has H X^2 B^3. With (w, y) -> (cw, cy) all risks scale like c^2 "
            "and the printed term like c^3, so that for small c nothing is left of it, though it is B X/Y times the "
            "other.",
            "weight": "misprint",
            "hurt": "letter",
            "quote": r"\frac{\left(\sqrt{H}\|\mathcal{X}\|\|\mathcal{Y}\| + H\|\mathcal{X}\|^2 "
            r"B^2\right)B\sqrt{d\log(1/\delta)}}{n\epsilon}",
            "consequence": "(...)B has to be G B of Theorem 1; with B^2 the second term vanishes in small units of B, "
            "and the constant that is then needed grows like B|X|/|Y|.",
            "errata": Correction(
                place="Corollary 2, appendix A.3",
                change="for H|X|^2 B^2 read H|X|^2 B (also in the sketch of Theorem 2)",
            ),
        },
        "corrected": {
            "points": [{"a": a, "q": q} for a in (0, "1/10", "1/2", 1) for q in (0, "1/4", 1)],
            "source": "Corollary 2, with 1/(4HX^2) and G B",
            "expected": "proved",
            "rests_on": ("glm.lemma4.inequality", "glm.lemma5.stability.corrected", "glm.lemma6.inequality"),
            "statement": COROLLARY,
            "because": "18 times the average regret of Lemma 6 and 17 times the first term, as Lemmas 4 and 5 give it; "
            "eta is such that the regret is at most 13 times the first term and 9B sigma sqrt(d)/sqrt(n).",
        },
    },
)
