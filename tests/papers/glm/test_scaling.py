"""Changes of units that leave an algorithm's output as it is, up to the unit of w.

What they join is one axis, √H·B‖X‖/‖Y‖: a rate over B stands for ‖X‖, H and ‖Y‖ as well. Not so for Algorithm 4, whose
radii are 2^j whatever the unit of w, and for Theorem 3's λ and Theorem 2's k, whose misprints have no unit.
"""

import math

import numpy as np
import pytest

from dpbench.papers.glm import theory
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.grid_search import PrivateGridSearch
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.losses import huber
from dpbench.papers.glm.problem import GLMProblem

EPSILON, DELTA, TRIALS = 1.0, 1e-5, 3


def problem(loss, n=240, d=5, features=1.0, labels=1.0, radius=0.7):
    """Random records on and inside the bounds, features and labels times the two factors."""
    rng = np.random.default_rng(7)
    X = rng.standard_normal((n, d))
    X *= features * rng.random((n, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    y = labels * rng.uniform(-1.0, 1.0, n)
    return GLMProblem(X, y, loss=loss, x_bound=features, y_bound=labels, radius=radius)


C = 3.7
UNITS = {
    "of w": ({"features": C, "radius": 0.7 / C}, 1.0 / C),
    "of predictions": ({"labels": C, "radius": 0.7 * C}, C),
    "of the loss": ({"features": C, "labels": C}, 1.0),
    "of H": ({"loss": "half-squared", "features": math.sqrt(2.0), "labels": math.sqrt(2.0)}, 1.0),
}
"""What each changes of the problem, and the factor that the output gets."""


def outputs(mechanism, data):
    return mechanism(data, TRIALS, np.random.default_rng(5))


def same(mechanism, unit, loss="squared"):
    """Whether the output is the former one in the new unit."""
    changes, factor = UNITS[unit]
    before = outputs(mechanism(problem(loss)), problem(loss))
    data = problem(**{"loss": loss, **changes})
    return np.allclose(outputs(mechanism(data), data), factor * before, rtol=1e-6, atol=1e-9 * np.abs(before).max())


def corrected(data):
    """Algorithm 3 with Theorem 3's λ as its proof has it, √H‖X‖ beside ‖Y‖."""
    p, h, y = data, data.loss.smoothness, math.sqrt(data.loss.at_zero(data.y_bound))
    gradient = math.sqrt(h) * p.x_bound * y + h * p.radius * p.x_bound**2
    lam = (gradient * math.sqrt(h) * p.x_bound / (p.radius * p.n * EPSILON)) ** (2.0 / 3.0)
    return OutputPerturbation(EPSILON, DELTA, regularization=lam * math.log(1.0 / DELTA) ** (1.0 / 3.0))


SMOOTH = {
    "Algorithm 1": lambda _: NoisyGD(EPSILON, DELTA),
    "Algorithm 1, printed": lambda _: NoisyGD(EPSILON, DELTA, calibration="printed"),
    "Algorithm 2": lambda _: JLMethod(EPSILON, DELTA),
    "Algorithm 3": corrected,
    "Algorithm 5 over Algorithm 1": lambda _: Boosting(NoisyGD(EPSILON, DELTA), EPSILON, DELTA),
    "Algorithm 5 over Algorithm 2": lambda _: Boosting(JLMethod(EPSILON, DELTA), EPSILON, DELTA),
}
LIPSCHITZ = {
    "Algorithm 1": lambda _: NoisyGD(EPSILON, DELTA),
    "Algorithm 2": lambda _: JLMethod(EPSILON, DELTA),
    "Algorithm 3": lambda _: OutputPerturbation(EPSILON, DELTA),
}


@pytest.mark.few(11)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_losses_have_one_axis(name, unit):
    """Squared loss, sections 3 and D."""
    assert same(SMOOTH[name], unit)


@pytest.mark.parametrize("unit", ["of w", "of predictions"])
@pytest.mark.parametrize("name", LIPSCHITZ)
def test_lipschitz_losses_have_none(name, unit):
    """Absolute loss, section 4: the excess is G B‖X‖ times a function of n, rank, ε and δ."""
    assert same(LIPSCHITZ[name], unit, loss="absolute")


def test_the_minimum_over_all_of_space_has_the_unit_of_w_too():
    """A Huber loss whose D depends on how far the minimiser can lie."""
    assert same(lambda _: OutputPerturbation(EPSILON, DELTA, constrained=False), "of w", loss=huber(3.0))


def test_what_is_not_a_change_of_units_is_seen():
    assert not same(lambda _: NoisyGD(EPSILON, DELTA, step_size=0.01), "of w")
    assert not same(lambda _: OutputPerturbation(EPSILON, DELTA, theorem=3), "of w")  # the printed λ
    printed = [theory.smooth_jl_dimension(2.0, c, 1.0, 0.7 / c, 240, EPSILON, DELTA) for c in (1.0, C)]
    assert printed[1] < 0.5 * printed[0]  # the printed k


def test_grid_search_knows_the_unit_of_w():
    """Of Algorithm 4 ‖X‖ stands for H and ‖Y‖ together; that of w is the grid's: `glm.thm7.rate.n.Y` runs over it."""
    search = PrivateGridSearch(NoisyGD(EPSILON, DELTA), EPSILON, DELTA)
    assert same(lambda _: search, "of the loss") and same(lambda _: search, "of H")
    plain, loss, of_w = (
        search.radii(problem(**{"loss": "squared", **changes}))
        for changes in ({}, UNITS["of the loss"][0], UNITS["of w"][0])
    )
    assert len(loss) == len(plain) and np.array_equal(loss, plain)
    assert len(of_w) != len(plain)
