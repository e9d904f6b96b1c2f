"""Every mechanism of the project, small enough for the contract tests, with problems it must handle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from dpbench import losses
from dpbench.glm.boosting import Boosting
from dpbench.glm.grid_search import PrivateGridSearch
from dpbench.glm.jl import JLMethod
from dpbench.glm.noisy_gd import NoisyGD
from dpbench.glm.output_perturbation import OutputPerturbation
from dpbench.problems import GLMProblem

LOSSES: dict[str, Callable[[], losses.Loss]] = {**losses.BY_NAME, "capped-linear": lambda: losses.capped_linear(2.0)}


@dataclass(frozen=True)
class Case:
    """A mechanism at a privacy level, for every loss it is made for.

    `own_noise` says that it adds Gaussian noise of its own, `sigma`, which `noise_scale` sets; a mechanism over a
    base hands `noise_scale` to the base. `varies` says that two runs on `problem` differ: grid search stays at
    w = 0 on so few records.
    """

    name: str
    make: Callable[..., Any]
    losses: tuple[str, ...]
    own_noise: bool = True
    varies: bool = True

    def __str__(self) -> str:
        return self.name


MECHANISMS = (
    Case("noisy-gd", lambda epsilon=1.0, delta=1e-5, **k: NoisyGD(epsilon, delta, **{"steps": 12, **k}), tuple(LOSSES)),
    Case("output-perturbation", lambda epsilon=1.0, delta=1e-5, **k: OutputPerturbation(epsilon, delta, **k),
         tuple(LOSSES)),
    Case("jl", lambda epsilon=1.0, delta=1e-5, **k: JLMethod(epsilon, delta, **{"steps": 12, "dimension": 3, **k}),
         tuple(LOSSES)),
    Case("grid-search", lambda epsilon=1.0, delta=1e-5, noise_scale=None, **k: PrivateGridSearch(
         NoisyGD(1.0, 1e-5, steps=8, noise_scale=noise_scale), epsilon, delta, **{"candidates": 3, **k}),
         tuple(LOSSES), own_noise=False, varies=False),
    Case("boosting", lambda epsilon=1.0, delta=1e-5, noise_scale=None, **k: Boosting(
         OutputPerturbation(1.0, 1e-5, noise_scale=noise_scale), epsilon, delta, **{"models": 3, **k}),
         tuple(LOSSES), own_noise=False),
)  # fmt: skip

PAIRS = [(case, loss) for case in MECHANISMS for loss in case.losses]
IDS = [f"{case}-{loss}" for case, loss in PAIRS]
NOISY = [(case, loss) for case, loss in PAIRS if case.own_noise]
NOISY_IDS = [f"{case}-{loss}" for case, loss in NOISY]


def problem(loss: str, *, n: int = 40, d: int = 4, seed: int = 7, as_sparse: bool = False) -> GLMProblem:
    """A small problem with bounds (1, 1), radius 2 and labels ±1."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    y = np.where(rng.random(n) < 0.6, 1.0, -1.0)
    return GLMProblem(
        sparse.csr_array(X) if as_sparse else X, y, loss=LOSSES[loss](), x_bound=1.0, y_bound=1.0, radius=2.0
    )
