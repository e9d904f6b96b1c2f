"""Algorithm 1 as printed: the sign of line 4."""

from __future__ import annotations

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness_rates import judge
from dpbench.ledger.measurement import Context, Evidence, column
from dpbench.papers.glm import theory
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.corollary2 import H
from dpbench.rates.nuisances import SecondTerm

DIMENSION = 4


@paper.rate(
    "alg1",
    variant="printed",
    source="Algorithm 1, line 4",
    expected="inconsistent",
    side="upper",
    holds="glm.cor1.rate",
    nuisances=(SecondTerm("statistical term", "curvature term"),),
    statement="Algorithm 1, w_{t+1} = Pi(w_t - eta(L(w_t; S) + xi)), has excess risk O(sqrt(H~)B|Y|/sqrt(n)) without "
    "noise.",
    because="The direction of the data does not enter: w moves along -(1, ..., 1) until the ball ends, for every data "
    "set. The gradient is meant.",
    weight="misprint",
    hurt="letter",
    quote=r"$w_{t+1} = \Pi_{\mathcal{W}} \left( w_t - \eta \left( \widehat{L}(w_t; S) + \xi \right) \right)$",
    consequence="To the letter a number is taken off every coordinate and no n helps; with the gradient Corollary "
    "1's rate is found. The listing also starts at w_0 where the average starts at w_1.",
    errata=Correction(
        place="Algorithm 1, line 4, section 3.1.1",
        effect=1,
        change="for L^(w_t; S) read its gradient; for w_0 = 0 read w_1 = 0",
        caveat=r"The proof of Lemma 6 has the gradient: “\left(\nabla \widehat{L}(w_t; S) + \xi_t\right)”.",
    ),
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
