"""Rows of weight statement or range: a second derivation of each; and the parameters of refuted rows are the printed.

Formulas are written out here again from the paper; nothing of `dpbench.papers.glm.theory` is used.
"""

import math

import numpy as np
import pytest
from naive.lowerbounds import gaussian_delta
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import chi2

from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.theorems.pairs import cancelling_pair


@pytest.mark.parametrize(("delta", "last"), [(1e-5, 36.087), (1e-3, 24.497)])
def test_theorem_1_suffices_up_to_36_and_not_beyond(delta, last):
    """From the paper alone: σ² = 8G²TL/(n²ε²), and no gradient of a non-negative H-smooth loss is above G/√2.

    φ ≥ 0 and φ' H-Lipschitz give φ'(z)² ≤ 2Hφ(z) ≤ 2H(Y + √(H/2)|z|)², hence |φ'| ≤ √(2H)Y + H|z| ≤ G/√2 at X = 1, and
    a capped line attains it as B → 0: two records' gradients differ by √2 G at most, μ = √2 G√T/(nσ) = ε/(2√L).
    """
    log = math.log(1.0 / delta)

    def excess(epsilon):
        return gaussian_delta(epsilon, epsilon / (2.0 * math.sqrt(log))) - delta

    assert brentq(excess, 2.0, 80.0) == pytest.approx(last, abs=0.01)
    assert all(excess(e) < 0.0 for e in np.linspace(0.01, last - 0.01, 500))
    loss, n, epsilon = losses.capped_linear(1e-3), 1001, last + 4.0
    y = math.sqrt(float(loss.value(np.zeros(1), np.ones(1))[0]))
    gradient = 2.0 * (y * math.sqrt(loss.smoothness) + loss.smoothness * 1e-3)
    slope = abs(float(loss.derivative(np.zeros(1), np.ones(1))[0]))
    assert slope == pytest.approx(gradient / math.sqrt(2.0), rel=3e-3)
    sigma = math.sqrt(8.0 * gradient**2 * n * log) / (n * epsilon)
    assert gaussian_delta(epsilon, 2.0 * slope / n * math.sqrt(n - 1) / sigma) > delta  # all iterates


@pytest.mark.parametrize(("n", "epsilon", "delta", "least"), [(11, 16.0, 0.5, 0.97), (3, 48.0, 0.1, 0.99)])
def test_theorem_10_far_out_by_quadrature(n, epsilon, delta, least):
    """σ² = 8TG²X² log(2/δ)/(nε)², a pair of linear losses: given r = |Φx| the output's μ is √(3/4)·rε/√(2 log(2/δ)).

    The share √(6T/(4(2T − 1))) of the average iterate is above √(3/4); k r² is χ²_k. The ball is left out, and its
    effect bounded: η makes a run's drift at most B√T^{1/2}/..., which the entry's own profile subtracts.
    """
    k = math.ceil(math.log(2.0 * n / delta) * n * epsilon)
    unit = epsilon / math.sqrt(2.0 * math.log(2.0 / delta)) * math.sqrt(0.75) * math.sqrt(1.0 - 1.0 / n**2)
    spread = 8.0 * math.sqrt(2.0 * k)
    mixed = quad(
        lambda s: float(chi2.pdf(s, k)) * gaussian_delta(epsilon, unit * math.sqrt(s / k)), max(1e-9, k - spread),
        k + spread, limit=400,
    )[0]  # fmt: skip
    assert mixed > least > delta
    problem, neighbour = cancelling_pair("linear", n, x_bound=1.0, y_bound=1.0, radius=1.0, dimension=2 * k)
    found = JLMethod(epsilon, delta, calibration="printed").pair_profile(problem, neighbour).delta(epsilon)
    assert delta < found <= mixed + 0.02  # a lower profile
