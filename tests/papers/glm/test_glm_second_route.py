"""Rows of weight statement or range: a second derivation of each; and the parameters of refuted rows are the printed.

Formulas are written out here again from the paper; nothing of `dpbench.papers.glm.theory` is used.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import chi2, norm

from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.pairs import cancelling_pair

SECOND = {
    "glm.lemma5.stability": ("test_theorems_glm_lemmas.py", "test_lemma5_closed_forms_are_the_enumerated_expectations"),
    "glm.thm1.privacy": ("test_glm_second_route.py", "test_theorem_1_suffices_up_to_36_and_not_beyond"),
    "glm.thm10.privacy": ("test_glm_second_route.py", "test_theorem_10_far_out_by_quadrature"),
    "glm.thm3.inequality.low-dimension.algorithm-3": (
        "test_glm_remarks.py", "test_the_floor_for_every_lambda_is_below_the_infimum_and_above_a_cheaper_mechanism"),
    "glm.thm7.inequality.constants": (
        "test_glm_fair.py", "test_theorem_7_has_the_unit_of_y_where_that_of_its_square_is_needed"),
    "glm.thm4.floor.d1": (
        "test_theorem4.py", "test_in_one_dimension_no_data_set_exceeds_the_ceiling_of_the_noisy_sign"),
    "glm.cor3.inequality": ("test_claims_glm_rest.py", "test_the_gap_of_a_rare_record_is_that_of_a_grid"),
}  # fmt: skip
"""Row to the file and the test that derives it by another route."""


def delta_of(epsilon: float, mu: float) -> float:
    """Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2), the second factor in logarithms."""
    tail = math.exp(epsilon + float(norm.logcdf(-epsilon / mu - mu / 2.0)))
    return float(norm.cdf(-epsilon / mu + mu / 2.0)) - tail


def test_every_row_of_weight_statement_or_range_has_a_second_route() -> None:
    assert set(SECOND) == {claim.id for claim in paper.claims if claim.weight in ("statement", "range")}
    for file, test in SECOND.values():
        assert f"def {test}(" in next(Path(__file__).parents[2].rglob(file)).read_text(encoding="utf-8")


@pytest.mark.parametrize(("delta", "last"), [(1e-5, 36.087), (1e-3, 24.497)])
def test_theorem_1_suffices_up_to_36_and_not_beyond(delta: float, last: float) -> None:
    """From the paper alone: σ² = 8G²TL/(n²ε²), and no gradient of a non-negative H-smooth loss is above G/√2.

    φ ≥ 0 and φ' H-Lipschitz give φ'(z)² ≤ 2Hφ(z) ≤ 2H(Y + √(H/2)|z|)², hence |φ'| ≤ √(2H)Y + H|z| ≤ G/√2 at X = 1, and
    a capped line attains it as B → 0: two records' gradients differ by √2 G at most, μ = √2 G√T/(nσ) = ε/(2√L).
    """
    log = math.log(1.0 / delta)

    def excess(epsilon: float) -> float:
        return delta_of(epsilon, epsilon / (2.0 * math.sqrt(log))) - delta

    assert brentq(excess, 2.0, 80.0) == pytest.approx(last, abs=0.01)
    assert all(excess(e) < 0.0 for e in np.linspace(0.01, last - 0.01, 500))
    loss, n, epsilon = losses.capped_linear(1e-3), 1001, last + 4.0
    y = math.sqrt(float(loss.value(np.zeros(1), np.ones(1))[0]))
    gradient = 2.0 * (y * math.sqrt(loss.smoothness) + loss.smoothness * 1e-3)
    slope = abs(float(loss.derivative(np.zeros(1), np.ones(1))[0]))
    assert slope == pytest.approx(gradient / math.sqrt(2.0), rel=3e-3)
    sigma = math.sqrt(8.0 * gradient**2 * n * log) / (n * epsilon)
    assert delta_of(epsilon, 2.0 * slope / n * math.sqrt(n - 1) / sigma) > delta  # all iterates


@pytest.mark.parametrize(("n", "epsilon", "delta", "least"), [(11, 16.0, 0.5, 0.97), (3, 48.0, 0.1, 0.99)])
def test_theorem_10_far_out_by_quadrature(n: int, epsilon: float, delta: float, least: float) -> None:
    """σ² = 8TG²X² log(2/δ)/(nε)², a pair of linear losses: given r = |Φx| the output's μ is √(3/4)·rε/√(2 log(2/δ)).

    The share √(6T/(4(2T − 1))) of the average iterate is above √(3/4); k r² is χ²_k. The ball is left out, and its
    effect bounded: η makes a run's drift at most B√T^{1/2}/..., which the entry's own profile subtracts.
    """
    k = math.ceil(math.log(2.0 * n / delta) * n * epsilon)
    unit = epsilon / math.sqrt(2.0 * math.log(2.0 / delta)) * math.sqrt(0.75) * math.sqrt(1.0 - 1.0 / n**2)
    spread = 8.0 * math.sqrt(2.0 * k)
    mixed = quad(
        lambda s: float(chi2.pdf(s, k)) * delta_of(epsilon, unit * math.sqrt(s / k)), max(1e-9, k - spread), k + spread,
        limit=400,
    )[0]  # fmt: skip
    assert mixed > least > delta
    problem, neighbour = cancelling_pair("linear", n, x_bound=1.0, y_bound=1.0, radius=1.0, dimension=2 * k)
    found = JLMethod(epsilon, delta, calibration="printed").pair_profile(problem, neighbour).delta(epsilon)
    assert delta < found <= mixed + 0.02  # a lower profile


def problem_of(loss: str, n: int, radius: float, x_bound: float, y_bound: float) -> GLMProblem:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 400))
    X *= x_bound / np.linalg.norm(X, axis=1, keepdims=True)
    y = y_bound * rng.choice((-1.0, 1.0), n)
    return GLMProblem(X, y, loss=loss, x_bound=x_bound, y_bound=y_bound, radius=radius)


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_the_printed_calibrations_are_the_papers_to_the_letter(epsilon: float) -> None:
    """What refuted rows run: σ, λ, η, k of Theorems 1, 2, 3, 5 and 10, written out again."""
    n, delta, radius, x, y, h = 200, 1e-4, 0.7, 1.5, 0.8, 2.0
    log = math.log(1.0 / delta)
    smooth, sharp = problem_of("squared", n, radius, x, y), problem_of("absolute", n, radius, x, y)
    gradient = 2.0 * y * math.sqrt(h) * x + 2.0 * h * radius * x**2
    descent = NoisyGD(epsilon, delta, calibration="printed")
    sigma = math.sqrt(8.0 * gradient**2 * n * log) / (n * epsilon)
    assert descent.sigma(smooth) == pytest.approx(sigma) and descent.number_of_steps(smooth) == n
    eta = min(radius / (math.sqrt(n) * max(math.sqrt(h) * x * y, sigma * 20.0)), 1.0 / (4.0 * h * x**2))
    assert descent.eta(smooth) == pytest.approx(eta)
    third, fifth = (OutputPerturbation(epsilon, delta, calibration="printed") for _ in range(2))
    lam = ((y + h * radius * x**2) * math.sqrt(h) * x / (radius * n * epsilon)) ** (2.0 / 3.0) * log ** (1.0 / 3.0)
    assert third.lam(smooth) == pytest.approx(lam)
    square = 4.0 * (y**2 + h**2 * radius**2 * x**4) * log / (lam * n * epsilon) ** 2
    assert third.sigma(smooth) == pytest.approx(math.sqrt(square))
    lam = x * log**0.25 / (radius * math.sqrt(n * epsilon))
    assert fifth.lam(sharp) == pytest.approx(lam)
    assert fifth.sigma(sharp) == pytest.approx(2.0 * x * math.sqrt(log) / (lam * n * epsilon))
    second, tenth = (JLMethod(epsilon, delta, calibration="printed", dimension_constant=0.02) for _ in range(2))
    root = math.sqrt(h) * radius * x
    k = 0.02 * (root * math.log(2.0 * n / delta) * n * epsilon / (y * x + root * x)) ** (2.0 / 3.0)
    assert second.projected_dimension(smooth) == math.ceil(k)
    assert tenth.projected_dimension(sharp) == math.ceil(0.02 * math.log(2.0 * n / delta) * n * epsilon)
    noise = math.sqrt(8.0 * n**2 * x**2 * math.log(2.0 / delta)) / (n * epsilon)
    assert tenth.sigma(sharp) == pytest.approx(noise)


@pytest.mark.parametrize("length", [1e-5, 1e-3, 0.01, 0.3, 1.0])
def test_the_capped_line_is_admissible_at_every_length_in_use(length: float) -> None:
    """Non-negative, convex and H-smooth from far left to far right, by differences of exact values."""
    loss = losses.capped_linear(length)
    for label in (1.0, -1.0):
        z = np.concatenate((np.linspace(-5.0, 5.0, 2_001), length * np.linspace(-3.0, 3.0, 2_001)))
        z.sort()
        y = np.full_like(z, label)
        value, slope = loss.value(z, y), loss.derivative(z, y)
        rise, run = np.diff(slope), np.diff(z)
        assert value.min() >= -1e-12 and rise.min() >= -1e-12
        assert (rise <= loss.smoothness * run * (1.0 + 1e-9) + 1e-12).all()
        secant = np.diff(value)[run > 1e-6] / run[run > 1e-6]
        low, high = slope[:-1][run > 1e-6], slope[1:][run > 1e-6]
        assert (secant >= low - 1e-6).all() and (secant <= high + 1e-6).all()  # φ' is the derivative of φ
