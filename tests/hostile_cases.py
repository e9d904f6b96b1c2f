"""Every mechanism on hostile data sets and their neighbours: what each must do on both, by mechanism and loss or class.

A case is called as ``case(count, n, first)``: `count` pairs, from number `first` on, of n records (None: 1 to 8).
Mechanisms that take the same problems are a family: they meet the same pairs, which are drawn and checked once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from hostile import BLOCK, KINDS, bounded, neighbours, records
from registry import LOSSES

from dpbench.core import validation
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.grid_search import PrivateGridSearch
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.noisy_mean import NoisyMean
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.algorithms.baselines import ClippedSubgradient
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.publicdata.algorithms.anchored import with_anchor
from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.algorithms.rspm import RSPM
from dpbench.papers.publicdata.hypotheses.cube import ParityCube
from dpbench.papers.publicdata.hypotheses.finite import ConvexHull, FiniteClass
from dpbench.papers.publicdata.hypotheses.line import Intervals, Stumps, Thresholds
from dpbench.papers.publicdata.hypotheses.linear import LinearBall
from dpbench.papers.publicdata.hypotheses.plane import Halfspaces
from dpbench.papers.publicdata.problem import PublicDataProblem

Size = int | None
CONVEX = ("absolute", "squared", "huber")
EPSILONS, RADII = (0.1, 0.5, 2.0, 10.0), (0.01, 0.1, 1.0, 10.0, 100.0)  # few, so that their calibrations are kept
GD: dict[str, Any] = {"steps": 3, "step_size": 0.5}
INTEGERS: dict[str, Any] = {"arithmetic": "exact", "noise_scale": 0.4}
ARITHMETICS: dict[str, dict[str, Any]] = {"float": {}, "exact": INTEGERS}


Pair = tuple[Any, Any, float]
"""A problem, its neighbour and the ε that they are met at."""


@dataclass(frozen=True)
class Case:
    """What one mechanism must do, on the pairs of its family.

    Attributes
    ----------
    family : tuple of str
        What its problems are, by `FAMILIES`.
    check : callable
        ``check(problem, neighbour, epsilon)``: AssertionError, with the data, where it does not hold.
    """

    family: tuple[str, ...]
    check: Callable[[Any, Any, float], None]

    def __call__(self, count: int, n: Size = None, first: int = 0) -> None:
        for number in range(first // BLOCK, -(-(first + count) // BLOCK)):
            start, stop = max(0, first - BLOCK * number), min(BLOCK, first + count - BLOCK * number)
            for pair in drawn(self.family, n, number)[start:stop]:
                self.check(*pair)


@lru_cache(maxsize=4)
def drawn(family: tuple[str, ...], n: Size, block: int) -> tuple[Pair, ...]:
    """Block number `block` of the pairs of a family."""
    kind, *more = family
    return tuple(FAMILIES[kind](n, block, *more))


def answers(run: Callable[[], Any]) -> str:
    """ "yes", or the text of the refusal; anything but a refusal of parameters is an error."""
    try:
        run()
    except validation.InvalidInput as refused:
        return str(refused)
    return "yes"


def glm_pairs(n: Size, block: int, loss: str, seed: str, dimensions: str = "3") -> Iterator[Pair]:
    """Problems at bounds (1, 1), of radius 0.01 to 100."""
    chosen = LOSSES[loss]()
    for X, y, near_X, near_y, rng in neighbours(block, int(dimensions), int(seed), n):
        radius, made = RADII[rng.integers(len(RADII))], []
        for features, labels in ((X, y), (near_X, near_y)):
            labels = np.where(labels >= 0.0, 1.0, -1.0) if loss == "logistic" else labels
            made.append(GLMProblem(features, labels, loss=chosen, x_bound=1.0, y_bound=1.0, radius=radius))
        yield made[0], made[1], EPSILONS[rng.integers(len(EPSILONS))]


def public_pairs(n: Size, block: int, kind: str) -> Iterator[Pair]:
    """Hostile problems on a class; on binary classes with labels ±1."""
    name, _, loss = kind.partition("-")
    for X, y, near_X, near_y, rng in neighbours(block, 3, 2, n):
        m, d = int(rng.integers(1, 7)), X.shape[1]
        hypotheses: Any
        public: Any
        x: tuple[Any, Any] = (X, near_X)
        if name == "ball":
            public, hypotheses = hostile_points(m, d, rng), BALLS[d - 1]
        elif name == "hull":
            width = int(rng.integers(1, 5))
            table = rng.integers(-1, 2, (width, 4)) * 10.0 ** rng.integers(-9, 1, (width, 1))
            public, hypotheses = rng.integers(0, 4, m), ConvexHull(table)
            x = (rng.integers(0, 4, len(X)),) * 2
        elif name in ("finite", "cube"):
            hypotheses = CUBE if name == "cube" else PATTERNS
            points, public = (5, np.arange(3)) if name == "cube" else (4, np.arange(4))
            x = rng.integers(0, points, len(X)), rng.integers(0, points, len(X))
            x[1][1:] = x[0][1:]
        else:
            public = hostile_points(m, 2, rng)
            hypotheses = {"thresholds": Thresholds, "intervals": Intervals}.get(name)
            if hypotheses is not None:
                hypotheses, public, x = hypotheses(), public[:, 0], (X[:, 0], near_X[:, 0])
            else:
                hypotheses = Halfspaces() if name == "halfspaces" else Stumps(2)
                x = np.resize(X, (len(X), 2)), np.resize(near_X, (len(near_X), 2))
                x[1][1:] = x[0][1:]
        labels = (y, near_y) if loss else tuple(np.where(part >= 0.0, 1.0, -1.0) for part in (y, near_y))
        made = [
            PublicDataProblem(points, values, public, hypotheses=hypotheses, loss=loss or "zero-one", smoothness=0.5)
            for points, values in zip(x, labels, strict=True)
        ]
        yield made[0], made[1], EPSILONS[rng.integers(len(EPSILONS))]


PATTERNS = FiniteClass([[1, 1, 1, 1], [1, -1, 1, 1], [-1, 1, -1, 1], [-1, -1, 1, 1], [-1, -1, -1, 1]])
CUBE, BALLS = ParityCube(3), [LinearBall(d) for d in (1, 2, 3)]


def hostile_points(m: int, d: int, rng: np.random.Generator) -> np.ndarray:
    return bounded(records(KINDS[rng.integers(len(KINDS))], (m, d), rng)[0])


def heavy_pairs(n: Size, block: int, theta: str) -> Iterator[Pair]:
    """Records of sizes from 1e-3 to 1e3, in at most two dimensions."""
    for X, y, near_X, near_y, rng in neighbours(block, 2, 3, n):
        scale = 10.0 ** rng.integers(-3, 4)
        made = [
            HeavyTailedProblem(scale * features, scale * labels, radius=1.0, theta=float(theta))
            for features, labels in ((X, y), (near_X, near_y))
        ]
        yield made[0], made[1], EPSILONS[rng.integers(len(EPSILONS))]


FAMILIES: dict[str, Callable[..., Iterator[Pair]]] = {"glm": glm_pairs, "public": public_pairs, "heavy": heavy_pairs}


def output_perturbation(p: GLMProblem, neighbour: GLMProblem, epsilon: float) -> None:
    """It answers, with a point that is certified to be within τ; at these bounds nothing is refused."""
    m = _at(perturbed, epsilon)
    for each in (p, neighbour):
        met = m.diagnose(each)
        assert met["distance"] <= met["tau"], (m, each.loss, each.X.tolist(), each.y.tolist(), each.radius)


def perturbed(epsilon: float) -> OutputPerturbation:
    return OutputPerturbation(epsilon, 1e-5)


@cache
def _at(make: Callable[[float], Any], epsilon: float) -> Any:
    return make(epsilon)


def answered(make: Callable[[float], Any], p: Any, neighbour: Any, epsilon: float) -> None:
    """One finite output a side, or the same refusal of parameters on both."""
    m = _at(make, epsilon)
    said = [answers(partial(_finite, m, each)) for each in (p, neighbour)]
    assert said[0] == said[1], (m, said, _data(p), _data(neighbour))


RNG = np.random.default_rng(0)
START = RNG.bit_generator.state


def seeded() -> np.random.Generator:
    """The generator of seed 0, from its beginning."""
    RNG.bit_generator.state = START
    return RNG


def _finite(m: Any, p: Any) -> None:
    outputs = m(p, 1, seeded())
    good = ~np.isnan(outputs) if isinstance(p, PublicDataProblem) else np.isfinite(outputs)  # a threshold may be inf
    assert good.all(), (m, outputs, _data(p))


def _data(p: Any) -> str:
    parts = (p.x, p.y, p.public) if isinstance(p, PublicDataProblem) else (p.X, p.y)
    return f"{p}: {[part.tolist() for part in parts]}"


def algorithm_2(make: Callable[[float], Any], p: Any, neighbour: Any, epsilon: float) -> None:
    """As `answered`, with the anchor that it needs on the ball."""
    if isinstance(p.hypotheses, LinearBall):
        p, neighbour = with_anchor(p), with_anchor(neighbour)
    answered(make, p, neighbour, epsilon)


def algorithm_3(p: PublicDataProblem, neighbour: PublicDataProblem, epsilon: float) -> None:
    """It answers, with an f̄ whose certified gap is within what its stability counts."""
    m = _at(regularized, epsilon)
    for each in (p, neighbour):
        _finite(m, each)
        met = m.diagnose(each)
        assert met["gap"] <= met["allowed"], (m, met, _data(each))


def regularized(epsilon: float) -> RegularizedPerturbation:
    return RegularizedPerturbation(epsilon, 1e-5)


def within(make: Callable[[float], Any], p: HeavyTailedProblem, neighbour: HeavyTailedProblem, epsilon: float) -> None:
    """One output a side within the domain."""
    m = _at(make, epsilon)
    for each in (p, neighbour):
        assert np.abs(m(each, 1, seeded())).max() <= 1.0 + 1e-12, (m, _data(each))


Made = Iterator[tuple[str, Case]]


def _glm_cases() -> Made:
    base = NoisyGD(1.0, 1e-5, **GD)
    for loss in LOSSES:
        makes: dict[str, Callable[[float], Any]] = {}
        makes[f"noisy GD, {loss}, float"] = partial(NoisyGD, delta=1e-5, **GD)
        makes[f"JL, {loss}, float"] = partial(JLMethod, delta=1e-5, dimension=2, **GD)
        makes[f"boosting, {loss}"] = lambda e: Boosting(base, e, 1e-5, models=2)
        makes[f"grid search, {loss}"] = lambda e: PrivateGridSearch(base, e, 1e-5, candidates=2)
        if loss == "logistic":
            makes["output perturbation, logistic, exact"] = lambda e: OutputPerturbation(e, 1e-5, **INTEGERS)
        yield f"output perturbation, {loss}", Case(("glm", loss, "1"), output_perturbation)
        for name, make in makes.items():
            yield name, Case(("glm", loss, "1"), partial(answered, make))
    for name, more in ARITHMETICS.items():
        make = partial(NoisyMean, arithmetic=more.get("arithmetic", "float"))
        yield f"noisy mean, {name}", Case(("glm", "linear", "4", "1"), partial(answered, make))


def _public_cases() -> Made:
    for kind in (*(f"ball-{loss}" for loss in CONVEX), "hull-absolute", "hull-squared"):
        yield f"Algorithm 3, {kind}", Case(("public", kind), algorithm_3)
    for kind in ("ball-squared", "hull-absolute"):
        made = partial(RegularizedPerturbation, delta=1e-5, **INTEGERS)
        yield f"Algorithm 3, {kind}, exact", Case(("public", kind), partial(answered, made))
    for kind in ("thresholds", "intervals", "stumps", "halfspaces", "finite", "cube"):
        for name in ARITHMETICS:
            yield f"RRSPM, {kind}, {name}", Case(("public", kind), partial(answered, partial(RRSPM, arithmetic=name)))
    for kind in ("thresholds", "finite", "ball-squared"):
        averaged = partial(AveragedPerturbation, delta=1e-5, calls=2)
        yield f"Algorithm 2, {kind}, float", Case(("public", kind), partial(algorithm_2, averaged))
    for kind in ("finite", "cube"):
        for name in ARITHMETICS:
            yield f"RSPM, {kind}, {name}", Case(("public", kind), partial(answered, partial(RSPM, arithmetic=name)))


def _heavy_cases() -> Made:
    for theta in ("1.5", "2.0"):
        for sampler, arithmetic in (("tree", "float"), ("enumerate", "float"), ("enumerate", "exact")):
            make = partial(ExponentialMechanism, net_radius=0.2, sampler=sampler, arithmetic=arithmetic)
            name = f"exponential mechanism, theta = {theta}, {sampler}, {arithmetic}"
            yield name, Case(("heavy", theta), partial(within, make))
    for arithmetic in ARITHMETICS:
        subgradient = partial(ClippedSubgradient, steps=3, arithmetic=arithmetic)
        yield f"clipped subgradients, {arithmetic}", Case(("heavy", "2.0"), partial(within, subgradient))


CASES: dict[str, Case] = dict((*_glm_cases(), *_public_cases(), *_heavy_cases()))
