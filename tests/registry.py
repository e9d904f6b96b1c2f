"""One registry: every mechanism of the project, small enough for the contract tests, with problems it must handle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.grid_search import PrivateGridSearch
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.publicdata.algorithms.anchored import marked
from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.algorithms.rspm import RSPM
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.hypotheses.cube import ParityCube
from dpbench.papers.publicdata.hypotheses.finite import ConvexHull, FiniteClass
from dpbench.papers.publicdata.hypotheses.halfspaces import Halfspaces
from dpbench.papers.publicdata.hypotheses.line import Intervals, Stumps, Thresholds
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.problem import PublicDataProblem


@dataclass(frozen=True)
class Case:
    """A mechanism at a privacy level, with the problems it is made for.

    Attributes
    ----------
    name : str
    make : callable
        ``make(epsilon, delta, **parameters)``.
    kinds : tuple of str
        What `problem` takes: a loss, a hypothesis class, a domain.
    problem, neighbour : callable
        ``problem(kind)`` and ``neighbour(problem, rng)``, one record of it replaced.
    noise : str
        The method that names the scale of its noise, which `noise_scale` sets; "" for a selection over a base.
    pure : bool
        δ has no part in its noise.
    varies : bool
        Two runs on `problem` differ: grid search stays at w = 0 on so few records.
    least : float
        The share of δ that the calibration uses at least.
    sampled : tuple of str
        The kinds that the contracts meet, one for each way in which its code treats them: a smooth loss, one that is
        smooth and Lipschitz, one with a corner; a class that is enumerated, one with an oracle of its own, a convex
        one. The whole contract meets the first by default. Empty: all.
    feasible : callable, optional
        ``feasible(mechanism, problem, outputs)``: whether each row is where the mechanism promises it to be.
    """

    name: str
    make: Callable[..., Any]
    kinds: tuple[str, ...]
    problem: Callable[[str], Any]
    neighbour: Callable[[Any, np.random.Generator], Any]
    noise: str = "sigma"
    pure: bool = False
    varies: bool = True
    least: float = 1.0
    sampled: tuple[str, ...] = ()
    feasible: Callable[[Any, Any, np.ndarray], Any] | None = None

    def __str__(self) -> str:
        return self.name


LOSSES: dict[str, Callable[[], losses.Loss]] = {**losses.BY_NAME, "capped-linear": lambda: losses.capped_linear(2.0)}


def problem(loss: str, *, n: int = 40, d: int = 4, seed: int = 7, as_sparse: bool = False) -> GLMProblem:
    """A small problem with bounds (1, 1), radius 2 and labels ±1."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X /= np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True))
    y = np.where(rng.random(n) < 0.6, 1.0, -1.0)
    return GLMProblem(
        sparse.csr_array(X) if as_sparse else X, y, loss=LOSSES[loss](), x_bound=1.0, y_bound=1.0, radius=2.0
    )


TABLE = [[1.0, 0.5, -0.2], [-0.4, 0.9, 0.1], [0.3, 0.3, 0.3], [-0.9, -0.6, 0.7]]
SIGNS = ("thresholds", "intervals", "stumps", "halfspaces", "finite", "cube")


def public_problem(kind: str, *, n: int = 30, m: int = 6, seed: int = 7) -> PublicDataProblem:
    """A small problem on a class: binary ones with the zero-one loss, "table" (real values) with the squared loss.

    The linear ball has z* among its public points.
    """
    rng = np.random.default_rng(seed)
    name, _, loss = kind.partition("-")
    y = np.where(rng.random(n) < 0.6, 1.0, -1.0)
    classes = {
        "thresholds": Thresholds(), "intervals": Intervals(), "stumps": Stumps(2),
        "halfspaces": Halfspaces(dimension=3),
        "finite": FiniteClass([[1, 1, 1, 1], [1, -1, 1, 1], [-1, 1, -1, 1], [-1, -1, 1, 1], [-1, -1, -1, 1]]),
        "table": FiniteClass(TABLE), "hull": ConvexHull(TABLE), "cube": ParityCube(4), "constants": Constants(),
        "ball": LinearBall(2, anchored=True),
    }  # fmt: skip
    chosen = classes[name]
    if name in ("stumps", "halfspaces"):
        d = chosen.dimension
        x, public = rng.uniform(-1.0, 1.0, (n, d)), rng.uniform(-1.0, 1.0, (m, d))
    elif name in ("thresholds", "intervals"):
        x, public = rng.random(n), rng.random(m)
    elif name == "ball":
        x, public = (marked(0.5 * rng.uniform(-1.0, 1.0, (k, 2)), stars) for k, stars in ((n, 0), (m // 3, m - m // 3)))
    elif name == "constants":
        x, public = np.zeros(n), np.zeros(m)
    else:
        points = {"finite": 4, "table": 3, "hull": 3, "cube": 6}[name]
        x, public = rng.integers(0, points, n), np.arange(m) % min(points, 4)
    return PublicDataProblem(
        x, y, public, hypotheses=chosen, loss=loss or ("squared" if name == "table" else "zero-one"), smoothness=0.5
    )


def heavy_problem(domain: str, *, theta: float = 1.5) -> HeavyTailedProblem:
    """A small problem with features and noise of Student's law, of infinite variance."""
    rng = np.random.default_rng(7)
    X = rng.standard_t(1.6, (40, 2))
    return HeavyTailedProblem(X, X @ (0.3, 0.2) + rng.standard_t(1.6, 40), radius=1.0, theta=theta, domain=domain)


def glm_neighbour(p: GLMProblem, rng: np.random.Generator) -> GLMProblem:
    x = rng.standard_normal(p.d)
    return p.replace_record(int(rng.integers(p.n)), x / np.linalg.norm(x) * (1 - 1e-12), 1.0)


def public_neighbour(p: PublicDataProblem, rng: np.random.Generator) -> PublicDataProblem:
    index = int(rng.integers(p.n))
    return p.replace_record(index, p.x[int(rng.integers(p.n))], -float(p.y[index]))


def heavy_neighbour(p: HeavyTailedProblem, rng: np.random.Generator) -> HeavyTailedProblem:
    return p.replace_record(int(rng.integers(p.n)), 1e3 * rng.standard_normal(2), 1e3)


def in_ball(mechanism: Any, p: Any, outputs: np.ndarray) -> np.ndarray:
    return np.linalg.norm(outputs, axis=1) <= p.radius * (1.0 + 1e-12)


def on_net(mechanism: Any, p: HeavyTailedProblem, outputs: np.ndarray) -> np.ndarray:
    """Whether outputs are net points of the domain."""
    size = np.linalg.norm(outputs, axis=1) if p.domain == "ball" else np.abs(outputs).max(axis=1)
    steps = outputs / mechanism.net(p).spacing
    return (size <= p.radius * (1.0 + 1e-12)) & (np.abs(steps - np.rint(steps)).max(axis=1) < 1e-9)


def _glm(name: str, make: Callable[..., Any], **more: Any) -> Case:
    return Case(name, make, tuple(LOSSES), problem, glm_neighbour, **more)


def _public(name: str, make: Callable[..., Any], kinds: tuple[str, ...], noise: str, **more: Any) -> Case:
    return Case(name, make, kinds, public_problem, public_neighbour, noise, **more)


MECHANISMS = (
    _glm("noisy-gd", lambda epsilon=1.0, delta=1e-5, **k: NoisyGD(epsilon, delta, **{"steps": 12, **k}),
         feasible=in_ball, sampled=("squared", "logistic", "absolute")),
    _glm("output-perturbation", lambda epsilon=1.0, delta=1e-5, **k: OutputPerturbation(epsilon, delta, **k),
         sampled=("half-squared", "huber", "linear")),
    _glm("jl", lambda epsilon=1.0, delta=1e-5, **k: JLMethod(epsilon, delta, **{"steps": 12, "dimension": 3, **k}),
         sampled=("logistic", "squared", "linear")),
    _glm("grid-search", lambda epsilon=1.0, delta=1e-5, noise_scale=None, **k: PrivateGridSearch(
         NoisyGD(1.0, 1e-5, steps=8, noise_scale=noise_scale), epsilon, delta, **{"candidates": 3, **k}),
         noise="", varies=False, sampled=("huber", "capped-linear", "absolute")),
    _glm("boosting", lambda epsilon=1.0, delta=1e-5, noise_scale=None, **k: Boosting(
         OutputPerturbation(1.0, 1e-5, noise_scale=noise_scale), epsilon, delta, **{"models": 3, **k}), noise="",
         sampled=("absolute", "squared", "capped-linear")),
)  # fmt: skip

PUBLIC_MECHANISMS = (
    _public("averaged-perturbation", lambda epsilon=1.0, delta=1e-5, **k: AveragedPerturbation(
        epsilon, delta, **{"calls": 3, **k}), (*SIGNS, "table", "ball-squared"), "gamma",
        least=0.5,  # half of δ may be left to a ρ that is certain
        sampled=("thresholds", "table", "ball-squared")),
    _public("regularized-perturbation", lambda epsilon=1.0, delta=1e-5, **k: RegularizedPerturbation(
        epsilon, delta, **k), ("constants-absolute", "constants-squared", "constants-huber", "table", "ball-squared",
        "ball-huber", "hull-absolute"), "gamma"),
    _public("regularized-laplace", lambda epsilon=1.0, delta=0.0, **k: RegularizedPerturbation(
        epsilon, delta, noise="laplace", **k), ("constants-absolute", "table", "ball-squared"), "gamma", pure=True),
    _public("rrspm-laplace", lambda epsilon=1.0, delta=0.0, **k: RRSPM(epsilon, delta, **k), SIGNS, "scale",
        pure=True, sampled=("intervals", "halfspaces", "cube")),
    _public("rrspm-gaussian", lambda epsilon=1.0, delta=1e-5, **k: RRSPM(epsilon, delta, noise="gaussian", **k),
        SIGNS, "scale", sampled=("stumps", "finite", "thresholds")),
    _public("rspm", lambda epsilon=1.0, delta=0.0, **k: RSPM(epsilon, **k), ("finite", "cube"), "scale", pure=True),
)  # fmt: skip

HEAVY_MECHANISMS = tuple(
    Case(
        f"exponential-{sampler}",
        lambda epsilon=1.0, delta=0.0, sampler=sampler, **k: ExponentialMechanism(
            epsilon, sampler=sampler, **{"net_radius": 0.1, **k}
        ),
        ("ball", "box"), heavy_problem, heavy_neighbour, noise="", pure=True, feasible=on_net,
    )
    for sampler in ("enumerate", "tree")
)  # fmt: skip

REGISTRY = (*MECHANISMS, *PUBLIC_MECHANISMS, *HEAVY_MECHANISMS)


PAIRS = tuple((case, kind) for case in REGISTRY for kind in case.sampled or case.kinds)
"""Pairs of a mechanism and a kind of problem that the contracts meet; of each mechanism the first is the default's."""
