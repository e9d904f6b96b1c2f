"""Privacy of grid search and boosting (Algorithms 4 and 5): what Theorems 7, 8, 13 and 14 share."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from dpbench.certificates.build import Draft, as_computed, below
from dpbench.ledger.measurement import Row
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.privacy import gaussian

TARGETS = tuple((e, d) for e in (0.1, 1.0, 4.0) for d in (1e-3, 1e-6))
NAMES = ("squared", "half-squared", "logistic", "huber", "absolute", "linear", "capped-linear")
GD, OUTPUT = NoisyGD(1.0, 1e-5, steps=8), OutputPerturbation(1.0, 1e-5)
JL = JLMethod(1.0, 1e-5, dimension=2, steps=8)


def problem(name: str, n: int = 24) -> GLMProblem:
    """A basis of three, labels ±1 in turn."""
    loss = losses.capped_linear(2.0) if name == "capped-linear" else losses.resolve(name)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return GLMProblem(np.eye(3)[np.arange(n) % 3], y, loss=loss, x_bound=1.0, y_bound=1.0, radius=1.0)


def guarantees(make: Any, variants: tuple[Any, ...]) -> Iterator[Row]:
    """Rows of ``make(variant, ε, δ).guarantee`` for every loss and variant."""
    for name, (number, variant), (epsilon, delta) in product(NAMES, enumerate(variants), TARGETS):
        guarantee = make(variant, epsilon, delta).guarantee(problem(name))
        yield {"loss": name, "variant": number, "epsilon": epsilon, "delta": delta, "guarantee": guarantee}


_DISJOINT = (
    "Training and choice see disjoint records, so the whole has the larger of their two profiles. Losses are clipped "
    "to their range over the ball, so one record moves a mean over n' of them by at most (sup - inf)/n', whatever the "
    "model. "
)


def boosted(variant: Any, epsilon: float, delta: float) -> Boosting:
    """Boosting with m = 3."""
    return Boosting(variant, epsilon, delta, models=3)


_TARGETS = tuple((e, p) for e in (Fraction(1, 10), Fraction(1), Fraction(4)) for p in (3, 6))
_DISJOINT_STEPS = (
    "Training and choice see disjoint records, so the whole has the larger of their two profiles; what is released is "
    "a function of both."
)


def boosted_certificate(grid: bool) -> Draft:
    """Training: one Gaussian shift; choice: pure, its noise or weight from the range of the clipped loss."""
    instances = []
    for epsilon, power in _TARGETS:
        delta = Fraction(1, 10**power)
        mu = below(gaussian.mu(float(epsilon), float(delta)))
        values = {"epsilon": epsilon, "delta": delta, "mu": mu, "records": 8, "Delta": 4, "distance": 2}
        values |= {"K": 3, "weight": epsilon} if grid else {"scale_of_choice": 1 / epsilon}
        instances.append((values, {"delta": gaussian.delta(float(epsilon), float(mu))}))
    symbols = {
        "epsilon": "claimed",
        "delta": "claimed",
        "mu": "shift of the Gaussian profile, at most the largest allowed",
        "records": "records that the choice sees",
        "Delta": "range of the clipped loss",
        "distance": "l2 sensitivity of what the noise of training hides",
        **(
            {"K": "candidates, trained on the same records", "weight": "of the exponential mechanism"}
            if grid
            else {"scale_of_choice": "of the Laplace noise of the choice"}
        ),
    }
    choice = (
        ("2*weight*(Delta/records) <= epsilon", "the exponential mechanism, its sensitivity Delta/records")
        if grid else
        ("2*(Delta/records)/scale_of_choice <= epsilon", "report noisy max with Laplace noise")
    )  # fmt: skip
    draft = Draft(
        verdict="proved",
        statement="The training and the choice are each within (epsilon, delta).",
        symbols=symbols,
        definitions={"sigma": "sqrt(K)*distance/mu" if grid else "distance/mu"},
        assumptions={"choice": choice, "some": ("distance > 0", "the records count")},
        claim={"family": "gaussian", "shift": "sqrt(K)*distance" if grid else "distance", "scale": "sigma",
               "epsilon": "epsilon", "delta": "delta"},
        instances=instances,
        derivation=[
            (_DISJOINT_STEPS, []),
            ("K Gaussian candidates of shift distance/sigma compose to sqrt(K) distance/sigma (Dong, Roth and Su 2019)."
             if grid else "A record is in one chunk, so one model depends on it.", ["some"]),
            ("Losses are clipped to their range Delta over the ball, so a record moves a mean over the records of the "
             "choice by at most Delta/records.", ["choice"]),
        ],
    )  # fmt: skip
    return as_computed(draft, "sigma", "standard deviation of the noise, as it is computed", solved="mu")
