"""Corollary 2 of the GLM paper and what leads to it: its steps, its units, and Algorithm 1 as printed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import growing, margins
from dpbench.ledger.harness_rates import judge
from dpbench.ledger.measurement import Context, Evidence, column
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.glm import theory
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.hard_scales import Scale, empirical_excess, hardest_scale, noisy_gd_excess
from dpbench.papers.glm.theorems.theorem1_privacy import printed as theorem1_privacy
from dpbench.rates.nuisances import SecondTerm

H, DELTA = 2.0, 1e-5  # squared loss
CONSTANTS = 251.0, 162.0 * math.sqrt(32.0)
"""What the proof of Theorem 1 gives for its O(·), on √H̃B‖Y‖/√n and on (√H̃‖Y‖ + H̃B)B√(dL)/(nε).

Its last display but one is 18 times the average regret plus 17√H̃B‖Y‖/√n. The regret is at most B²/(ηT) +
4η(H̃‖Y‖² + σ²d), with M = max(√H̃‖Y‖, σ√d) and η = min(B/(√T M), 1/(4H̃)) at most 9BM/√T + 4H̃B²/T; T = n ≥ n₀ leaves
(9 + 4)√H̃B‖Y‖/√n + 9Bσ√d/√n, and σ√d/√n = √8·G√(dL)/(nε) with G = 2(√H̃‖Y‖ + H̃B): 18·13 + 17 and 18·9·√8·2.
"""


@paper.inequality(
    "cor2", variant="step", source="Corollary 2, its step size", expected="refuted",
    holds="glm.cor2.inequality.corrected",
    statement="With eta = min(B/(sqrt(T)max(sqrt(H)|X||Y|, sigma sqrt(d))), 1/(4H|X|)) the excess risk is "
    "O(sqrt(H)|X|B|Y|/sqrt(n) + (sqrt(H)|X||Y| + H|X|^2 B^2)B sqrt(d log(1/delta))/(n epsilon)).",
    because="1/(4HX) is not a step size: with (w, x) -> (cw, x/c) it should grow like c^2. For X < 1 it is X times "
    "the 1/(4HX^2) of Theorem 1, and a coordinate that HX^2 eta n p <= 1 leaves unlearned costs d'p Y^2 with p up to "
    "4/(nX): 1/sqrt(X) times the bound at n near 16B^2X/Y^2 and beyond.",
)
def step(context: Context) -> Evidence:
    """1/(4HX) against X, at fixed BX and Y: labels ±Y without noise, ε → ∞, so that nothing is random but N."""
    rows = [least_step_constant(x, 2, context.pick(quick=12, full=60)) for x in (1.0, 1e-2, 1e-4, 1e-6)]
    for row in rows:
        row["with 1/(4HX^2)"] = least_step_constant(row["X"], 2, context.pick(quick=12, full=60), True)["constant"]
    return growing(
        rows,
        "value: the exponent in 1/X of the constant that the bound needs; one constant would have it 0. Here X -> 0 at "
        "fixed BX = 2 and Y = 1, and n from 2 n0 to 10^6 n0 at its worst",
        "squared loss, 4 coordinates with |w*_j|X = Y, y = <w*, x>, epsilon so large that sigma = 0 and the bound is "
        "sqrt(H)XBY/sqrt(n); excess risk summed over the binomial number of records that meet a coordinate",
        "for X > 1 the misprint does no harm: n >= n0 leaves eta <= B/(sqrt(n)sqrt(H)XY) <= 1/(HX^2)",
    )


def least_step_constant(x_bound: float, ratio: int, sizes: int, corrected: bool = False) -> dict[str, Any]:
    """The largest excess/bound over n and the mass p of the coordinates, for BX = `ratio`, Y = 1 and σ = 0."""
    radius, worst = ratio / x_bound, {"X": x_bound, "n": 0, "p": 0.0, "excess": 0.0, "bound": 1.0, "constant": 0.0}
    size = theory.noisy_gd_step_size if corrected else theory.noisy_gd_glm_step_size
    for n in np.geomspace(2.0 * H * ratio**2, 2e6 * H * ratio**2, sizes).astype(int).tolist():
        eta = size(radius, n, H, x_bound, 1.0, 0.0, 1) * x_bound**2  # of the predictions u = Xw
        bound = theory.noisy_gd_glm_rate(H, x_bound, 1.0, radius, n, 1, 1e300, DELTA)
        for p in np.geomspace(1.0 / n, 1.0, 24).tolist():
            excess = noisy_gd_excess("squared", n, ratio**2, p, eta, 0.0, steps=n, radius=float(ratio))
            if excess / bound > worst["constant"]:
                worst = {"X": x_bound, "n": n, "p": p, "excess": excess, "bound": bound, "constant": excess / bound}
    return worst


@paper.inequality(
    "cor2", variant="units", source="Corollary 2, its second term", expected="refuted",
    holds="glm.cor2.inequality.corrected",
    statement="The excess risk is O(sqrt(H)|X|B|Y|/sqrt(n) + (sqrt(H)|X||Y| + H|X|^2 B^2)B sqrt(d log(1/delta))/(n "
    "epsilon)).",
    because="G B has H X^2 B^2 where this has H X^2 B^3. With (w, y) -> (cw, cy) all risks scale like c^2 and the "
    "printed term like c^3, so that for small c nothing is left of it, though it is BX/Y times the other.",
)
def units(context: Context) -> Evidence:
    """(√HXY + HX²B²)B against BX/Y, in units of B and Y so small that B² is nothing beside B."""
    rows = []
    small = 1e-9
    n, epsilon, ratios = context.pick(quick=(4_000_000, 0.02, (1, 8)), full=(64_000_000, 0.005, (1, 4, 16)))
    for ratio in ratios:
        scale, _, dimension = private_scale(ratio, n, epsilon)
        shape = (H, 1.0, small, small * ratio, n, dimension, epsilon, DELTA)
        excess, bound = small**2 * scale.excess, theory.noisy_gd_glm_rate(*shape)
        true = theory.noisy_gd_glm_rate(*shape, power=1)
        rows.append({"BX/Y": ratio, "d": dimension, "excess": excess, "bound": bound, "constant": excess / bound,
                     "with B": excess / true, "zero predictor": small**2 * scale.zero})
    return growing(
        rows,
        "value: the exponent in BX/Y of the constant that the bound needs; with B for B^2 it is bounded",
        f"squared loss, X = 1, Y = 1e-9, n = {n:,}, epsilon = {epsilon:g}, d = (BX/Y)^2; the hardest scale's expected "
        "excess risk in closed form, projection left out; BX/Y stays where the private term is below the zero "
        "predictor's risk, above which no bound says anything",
    )


def private_scale(ratio: int, n: int, epsilon: float) -> tuple[Scale, tuple[float, float], int]:
    """The hardest scale of Theorem 1 with B = `ratio`, X = Y = 1, its (η, σ), and d = max(4, ratio²)."""
    dimension = max(4, ratio**2)
    sigma = theory.noisy_gd_noise(theory.smooth_gradient_bound(H, 1.0, 1.0, ratio), n, n, epsilon, DELTA)
    eta = theory.noisy_gd_step_size(ratio, n, H, 1.0, 1.0, sigma, dimension)
    return hardest_scale("squared", n, dimension, eta, sigma, radius=float(ratio)), (eta, sigma), dimension


COROLLARY = Statement(
    about="With eta = min(B/(sqrt(T)max(sqrt(H)|X||Y|, sigma sqrt(d))), 1/(4H|X|^2)) the excess risk is at most 251 "
    "times sqrt(H)|X|B|Y|/sqrt(n) plus 916 times (sqrt(H)|X||Y| + H|X|^2 B)B sqrt(d log(1/delta))/(n epsilon), n >= "
    "n_0: the constants of the paper's proof: {claim} with {E} for all shares a of sqrt(H)|X||Y| in sqrt(H)|X||Y| + "
    "sigma sqrt(d) and q = sqrt(H)|X|B/(|Y| sqrt(n)).",
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


@paper.inequality(
    "cor2", variant="corrected", source="Corollary 2, with 1/(4HX^2) and G B", expected="proved",
    rests_on=("glm.lemma4.inequality", "glm.lemma5.stability.corrected", "glm.lemma6.inequality"),
    statement=COROLLARY,
    because="18 times the average regret of Lemma 6 and 17 times the first term, as Lemmas 4 and 5 give it; eta is "
    "such that the regret is at most 13 times the first term and 9B sigma sqrt(d)/sqrt(n).",
)
def corrected(context: Context) -> Evidence:
    """Corollary 2 with η ≤ 1/(4HX²) and G = √HXY + HX²B, over random n, d, ε and BX/Y."""
    rows, rng = [], stream(context.seed, "glm.cor2")
    for _ in range(context.pick(quick=12, full=100)):
        n, ratio = int(10.0 ** rng.uniform(1.5, 6.0)), float(10.0 ** rng.uniform(-1.5, 1.0))
        dimension = max(int(10.0 ** rng.uniform(0.0, 2.5)), math.ceil(ratio**2))
        epsilon = 10.0 ** rng.uniform(-2.5, 2.5)
        n = max(n, math.ceil(H * ratio**2))
        sigma = theory.noisy_gd_noise(theory.smooth_gradient_bound(H, 1.0, 1.0, ratio), n, n, epsilon, DELTA)
        eta = theory.noisy_gd_step_size(ratio, n, H, 1.0, 1.0, sigma, dimension)
        scale = hardest_scale("squared", n, dimension, eta, sigma, radius=ratio)
        both = theory.noisy_gd_glm_rate(H, 1.0, 1.0, ratio, n, dimension, epsilon, DELTA, power=1)
        first = theory.noisy_gd_glm_rate(H, 1.0, 1.0, ratio, n, dimension, 1e300, DELTA, power=1)
        bound = CONSTANTS[0] * first + CONSTANTS[1] * (both - first)
        rows.append({"n": n, "d": dimension, "epsilon": epsilon, "BX/Y": ratio, "excess": scale.excess, "bound": both,
                     "proved": bound, "ratio": scale.excess / both, "zero predictor": scale.zero})
    return margins(
        rows,
        f"value: the largest ratio to the bound with constants 1 over {len(rows)} random cases, the least constant "
        "that O(.) can have there; the margin is to the proof's constants",
        "at each the hardest scale of the even basis, expected excess risk in closed form, projection left out; "
        "X = 1 costs nothing, as the bound does not depend on the unit of w",
        value="ratio", sides=("excess", "proved"),
    )


@paper.inequality(
    "lemma6", variant="printed", source="Lemma 6", expected="refuted", holds="glm.lemma6.inequality",
    statement="For n >= n0, T = n and the step size of Theorem 1 the excess empirical risk is O(sqrt(H~)B|Y|/sqrt(n) "
    "+ sqrt(d) G log(1/delta)/(n epsilon)).",
    because="With (w, x) -> (cw, x/c) G goes to G/c and the regret stays: for large c only sqrt(H~)B|Y|/sqrt(n) is "
    "left of the bound, at fixed n epsilon any factor below the regret.",
)
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
        rows.append({"n": n, "excess": excess, "bound": bound, "constant": excess / bound, "with B": excess / fixed,
                     "zero predictor": scale.zero})
    return growing(
        rows,
        "value: the exponent in n, at fixed n epsilon, of the constant that the bound needs; with its B it is bounded",
        f"squared loss, B = {ratio}e9, X = 1e-9, Y = 1, d = 4, n epsilon = {product:g}, labels without noise: excess "
        "empirical risk of the average iterate, which is at most the average regret, exact over the binomial number of "
        "records that meet a coordinate, projection left out; the unit of w changes neither, and G is of order 1/B",
    )


paper.privacy(
    "cor2", variant="printed", source="Corollary 2", expected="refuted", holds="glm.thm1.privacy.exact",
    statement="Algorithm 1 with sigma^2 = 8 G^2 T log(1/delta)/(n^2 epsilon^2) is (epsilon, delta)-DP for every "
    "non-negative convex H-smooth GLM that is at most Y^2 at zero.",
    because="The corollary's noise is that of Theorem 1 with H~ = H X^2, and the loss that breaks it is a GLM: the "
    "same pair, the same thresholds. The step size is no part of it.",
)(theorem1_privacy)


DIMENSION = 4


@paper.rate(
    "alg1", variant="printed", source="Algorithm 1, line 4", expected="inconsistent", side="upper", exponent=-0.5,
    holds="glm.cor1.rate", nuisances=(SecondTerm("statistical term", "curvature term"),),
    statement="Algorithm 1, w_{t+1} = Pi(w_t - eta(L(w_t; S) + xi)), has excess risk O(sqrt(H~)B|Y|/sqrt(n)) without "
    "noise.",
    because="The direction of the data does not enter: w moves along -(1, ..., 1) until the ball ends, for every data "
    "set. The gradient is meant.",
)
def as_printed(context: Context) -> Evidence:
    """Corollary 1's parameters, no noise: the number is taken off every coordinate."""
    sizes = context.pick(quick=(144, 576, 2304), full=(144, 576, 2304, 9216))
    population = ScaledBasis.even("squared", DIMENSION, DIMENSION, 1.0)
    trials = context.pick(quick=48, full=200)
    samples = []
    for n in sizes:
        rng = stream(context.seed, "glm.alg1", n)
        problems = [population.draw(n, rng) for _ in range(trials)]
        moments = [p.moments for p in problems]
        second, cross, square = (np.array([m[part] for m in moments]) for part in range(3))
        samples.append(population.excess_risk(printed_descent(second, cross, square, n)))
    ceiling = [theory.gradient_descent_rate(H, 1.0, 1.0, 1.0, n) for n in sizes]
    terms = column([theory.noisy_gd_terms(1.0, n, H, 1.0, 1.0, 0.0, DIMENSION) for n in sizes])
    columns = {"zero predictor": [1.0 / DIMENSION] * len(sizes)} | terms
    notes = (
        f"squared loss, {DIMENSION} even coordinates, B = X = Y = 1, T = n and eta of Corollary 1, no noise; w_1 = 0 "
        "where the listing starts at w_0",
        "with the gradient for the risk this is glm.cor1.rate",
    )
    return judge("n", sizes, samples, ceiling, columns, *notes)


def printed_descent(second: np.ndarray, cross: np.ndarray, square: np.ndarray, n: int) -> np.ndarray:
    """The mean of w_1, …, w_T for w ← Π(w − ηL̂(w)), one data set a row; the arguments are moments."""
    eta, w = theory.noisy_gd_step_size(1.0, n, H, 1.0, 1.0, 0.0, 1), np.zeros_like(cross)
    total = np.zeros_like(w)
    for _ in range(n - 1):
        total += w
        risk = np.einsum("ti,tij,tj->t", w, second, w) - 2.0 * np.einsum("ti,ti->t", w, cross) + square
        w = w - eta * risk[:, None]
        w /= np.maximum(np.linalg.norm(w, axis=1), 1.0)[:, None]
    return (total + w) / n
