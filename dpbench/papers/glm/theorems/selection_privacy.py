"""Privacy of grid search and boosting (Algorithms 4 and 5): what Theorems 7, 8, 13 and 14 share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from dpbench.ledger.measurement import Row
from dpbench.ledger.statement import Integer, Real, Statement, calibrated, gaussian, grid
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem

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


DISJOINT = (
    "Training and choice see disjoint records, so the whole has the larger of their two profiles. Losses are clipped "
    "to their range over the ball, so one record moves a mean over n' of them by at most (sup - inf)/n', whatever the "
    "model. "
)


def boosted(variant: Any, epsilon: float, delta: float) -> Boosting:
    """Boosting with m = 3."""
    return Boosting(variant, epsilon, delta, models=3)


BOOSTED = Statement(
    about="The training and the choice are each within (epsilon, delta).",
    symbols={
        "epsilon": Real("claimed", 0, "inf"),
        "delta": Real("claimed", 0, 1),
        "mu": calibrated("gaussian", "epsilon", "delta"),
        "records": Integer("records that the choice sees", 1, "inf"),
        "Delta": Real("range of the clipped loss", 0, "inf"),
        "distance": Real("l2 sensitivity of what the noise of training hides", "1e-9", "inf"),
    },
    where={"scale_of_choice": "2*Delta/(records*epsilon)", "sigma": "distance/mu"},
    given={"choice": ("2*(Delta/records)/scale_of_choice <= epsilon", "report noisy max with Laplace noise")},
    claim=gaussian(shift="distance", scale="sigma"),
    steps=(
        "Training and choice see disjoint records, so the whole has the larger of their two profiles; what is released "
        "is a function of both.",
        "A record is in one chunk, so one model depends on it.",
        "Losses are clipped to their range Delta over the ball, so a record moves a mean over the records of the "
        "choice by at most Delta/records.",
    ),
    witness=grid(epsilon=("1/10", 1, 4), delta=("1e-3", "1e-6"), records=(8,), Delta=(4,), distance=(2,)),
    computed={
        "scale_of_choice": "scale of the Laplace noise of the choice",
        "sigma": "standard deviation of the noise",
    },
)
SEARCHED = BOOSTED.replace(
    symbols={"K": Integer("candidates, trained on the same records", 1, "inf")},
    where={"scale_of_choice": None, "weight": "epsilon*records/(2*Delta)", "sigma": "sqrt(K)*distance/mu"},
    given={
        "choice": ("2*weight*(Delta/records) <= epsilon", "the exponential mechanism, its sensitivity Delta/records")
    },
    claim=gaussian(shift="sqrt(K)*distance", scale="sigma"),
    steps=(
        BOOSTED.steps[0],
        "K Gaussian candidates of shift distance/sigma compose to sqrt(K) distance/sigma (Dong, Roth and Su 2019).",
        BOOSTED.steps[2],
    ),
    witness=tuple({**at, "K": 3} for at in BOOSTED.instances),
    computed={"weight": "weight of the exponential mechanism", "sigma": "standard deviation of the noise"},
)
