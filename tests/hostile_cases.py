"""Every mechanism on hostile data sets and their neighbours: what each must do on both, by mechanism and loss or class.

A case is called as ``case(count, n, first)``: `count` pairs, from number `first` on, of n records (None: 1 to 8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from hostile import KINDS, neighbours, records
from registry import LOSSES

from dpbench.core import validation
from dpbench.glm.boosting import Boosting
from dpbench.glm.grid_search import PrivateGridSearch
from dpbench.glm.jl import JLMethod
from dpbench.glm.noisy_gd import NoisyGD
from dpbench.glm.noisy_mean import NoisyMean
from dpbench.glm.output_perturbation import OutputPerturbation
from dpbench.glm.problem import GLMProblem
from dpbench.heavytail.baselines import ClippedSubgradient
from dpbench.heavytail.exponential import ExponentialMechanism
from dpbench.heavytail.problem import HeavyTailedProblem
from dpbench.publicdata.anchored import with_anchor
from dpbench.publicdata.averaged_perturbation import AveragedPerturbation
from dpbench.publicdata.hypotheses_cube import ParityCube
from dpbench.publicdata.hypotheses_finite import ConvexHull, FiniteClass
from dpbench.publicdata.hypotheses_line import Intervals, Stumps, Thresholds
from dpbench.publicdata.hypotheses_linear import LinearBall
from dpbench.publicdata.hypotheses_plane import Halfspaces
from dpbench.publicdata.problem import PublicDataProblem
from dpbench.publicdata.regularized_perturbation import RegularizedPerturbation
from dpbench.publicdata.rrspm import RRSPM
from dpbench.publicdata.rspm import RSPM

Size = int | None
CONVEX = ("absolute", "squared", "huber")
EPSILONS, RADII = (0.1, 0.5, 2.0, 10.0), (0.01, 0.1, 1.0, 10.0, 100.0)  # few, so that their calibrations are kept
GD: dict[str, Any] = {"steps": 3, "step_size": 0.5}
INTEGERS: dict[str, Any] = {"arithmetic": "exact", "noise_scale": 0.4}
ARITHMETICS: dict[str, dict[str, Any]] = {"float": {}, "exact": INTEGERS}


def answers(run: Callable[[], Any]) -> str:
    """ "yes", or the type and text of the refusal; anything but a refusal of parameters is an error."""
    try:
        run()
    except validation.InvalidInput as refused:
        return str(refused)
    return "yes"


def glm_pairs(
    loss: str, count: int, n: Size, first: int, seed: int, dimensions: int = 3
) -> Iterator[tuple[tuple[GLMProblem, GLMProblem], np.random.Generator]]:
    """Problems at bounds (1, 1), of radius 0.01 to 100, with their neighbours; and the generator for the rest."""
    for X, y, near_X, near_y, rng in neighbours(count, 8, dimensions, seed, size=n, first=first):
        radius = float(rng.choice(RADII))
        made = []
        for features, labels in ((X, y), (near_X, near_y)):
            labels = np.where(labels >= 0.0, 1.0, -1.0) if loss == "logistic" else labels
            made.append(GLMProblem(features, labels, loss=LOSSES[loss](), x_bound=1.0, y_bound=1.0, radius=radius))
        yield (made[0], made[1]), rng


def output_perturbation(loss: str, count: int, n: Size = None, first: int = 0) -> None:
    """It answers, with a point that is certified to be within τ; at these bounds nothing is refused."""
    for pair, rng in glm_pairs(loss, count, n, first, 1):
        m = OutputPerturbation(float(rng.choice(EPSILONS)), 1e-5)
        for p in pair:
            met = m.diagnose(p)
            assert met["distance"] <= met["tau"], (loss, p.X.tolist(), p.y.tolist(), p.radius, m.epsilon)


def trained(make: Callable[[float], Any], loss: str, count: int, n: Size = None, first: int = 0) -> None:
    """One finite output a side, or the same refusal of parameters on both."""
    dimensions = 1 if isinstance(make(1.0), NoisyMean) else 3
    for pair, rng in glm_pairs(loss, count, n, first, 4, dimensions):
        m = make(float(rng.choice(EPSILONS)))

        def run(p: GLMProblem, m: Any = m) -> None:
            assert np.isfinite(m(p, 1, np.random.default_rng(0))).all(), (loss, m, p.X.tolist(), p.y.tolist())

        said = [answers(partial(run, p)) for p in pair]
        assert said[0] == said[1], (loss, m, [(p.X.tolist(), p.y.tolist()) for p in pair])


def public_pairs(
    kind: str, count: int, n: Size, first: int
) -> Iterator[tuple[PublicDataProblem, PublicDataProblem, float]]:
    """Hostile problems on a class with their neighbours, and an ε; on binary classes with labels ±1."""
    name, _, loss = kind.partition("-")
    for X, y, near_X, near_y, rng in neighbours(count, 8, 3, 2, size=n, first=first):
        m, d = int(rng.integers(1, 7)), X.shape[1]
        hypotheses: Any
        public: Any
        x: tuple[Any, Any] = (X, near_X)
        if name == "ball":
            public, hypotheses = records(KINDS[int(rng.integers(len(KINDS)))], m, d, rng)[0], LinearBall(d)
        elif name == "hull":
            width = int(rng.integers(1, 5))
            table = rng.integers(-1, 2, (width, 4)) * 10.0 ** rng.integers(-9, 1, (width, 1))
            public, hypotheses = rng.integers(0, 4, m), ConvexHull(table)
            x = (rng.integers(0, 4, len(X)),) * 2
        elif name in ("finite", "cube"):
            hypotheses = ParityCube(3) if name == "cube" else FiniteClass(PATTERNS)
            points, public = (5, np.arange(3)) if name == "cube" else (4, np.arange(4))
            x = tuple(rng.integers(0, points, len(X)) for _ in range(2))  # type: ignore[assignment]
            x[1][1:] = x[0][1:]
        else:
            public = records(KINDS[int(rng.integers(len(KINDS)))], m, 2, rng)[0]
            hypotheses = {"thresholds": Thresholds, "intervals": Intervals}.get(name)
            if hypotheses is not None:
                hypotheses, public, x = hypotheses(), public[:, 0], (X[:, 0], near_X[:, 0])
            else:
                hypotheses = Halfspaces() if name == "halfspaces" else Stumps(2)
                x = tuple(np.resize(part, (len(part), 2)) for part in x)  # type: ignore[assignment]
                x[1][1:] = x[0][1:]
        labels = (y, near_y) if loss else tuple(np.where(part >= 0.0, 1.0, -1.0) for part in (y, near_y))
        made = [
            PublicDataProblem(points, values, public, hypotheses=hypotheses, loss=loss or "zero-one", smoothness=0.5)
            for points, values in zip(x, labels, strict=True)
        ]
        yield made[0], made[1], float(rng.choice(EPSILONS))


PATTERNS = [[1, 1, 1, 1], [1, -1, 1, 1], [-1, 1, -1, 1], [-1, -1, 1, 1], [-1, -1, -1, 1]]


def algorithm_3(kind: str, count: int, n: Size = None, first: int = 0) -> None:
    """It answers, with an f̄ whose certified gap is within what its stability counts."""
    for p, neighbour, epsilon in public_pairs(kind, count, n, first):
        m = RegularizedPerturbation(epsilon, 1e-5)
        for each in (p, neighbour):
            assert np.isfinite(m(each, 1, np.random.default_rng(0))).all()
            met = m.diagnose(each)
            assert met["gap"] <= met["allowed"], (kind, each, epsilon)


def released(make: Callable[[float], Any], kind: str, count: int, n: Size = None, first: int = 0) -> None:
    """One output a side without NaN, or the same refusal of parameters on both."""
    for p, neighbour, epsilon in public_pairs(kind, count, n, first):
        m = make(epsilon)
        pair = (p, neighbour)
        if isinstance(m, AveragedPerturbation) and kind.startswith("ball"):
            pair = (with_anchor(p), with_anchor(neighbour))

        def run(each: PublicDataProblem, m: Any = m) -> None:
            assert not np.isnan(m(each, 1, np.random.default_rng(0))).any(), (kind, m, each)

        said = [answers(partial(run, each)) for each in pair]
        assert said[0] == said[1], (kind, m, p.x, p.y, neighbour.x, neighbour.y)


def heavy(make: Callable[[float], Any], theta: float, count: int, n: Size = None, first: int = 0) -> None:
    """One output a side within the domain; records of sizes from 1e-3 to 1e3."""
    for X, y, near_X, near_y, rng in neighbours(count, 8, 2, 3, size=n, first=first):
        scale = 10.0 ** rng.integers(-3, 4)
        m = make(float(rng.choice(EPSILONS)))
        for features, labels in ((X, y), (near_X, near_y)):
            p = HeavyTailedProblem(scale * features, scale * labels, radius=1.0, theta=theta)
            assert np.abs(m(p, 1, np.random.default_rng(0))).max() <= 1.0 + 1e-12, (m, p.X.tolist(), p.y.tolist())


def _glm_cases() -> Iterator[tuple[str, Callable[..., None]]]:
    base = NoisyGD(1.0, 1e-5, **GD)
    for loss in LOSSES:
        yield f"output perturbation, {loss}", partial(output_perturbation, loss)
        for name, more in ARITHMETICS.items():
            yield f"noisy GD, {loss}, {name}", partial(trained, lambda e, k=more: NoisyGD(e, 1e-5, **GD, **k), loss)
            yield (
                f"JL, {loss}, {name}",
                partial(trained, lambda e, k=more: JLMethod(e, 1e-5, dimension=2, **GD, **k), loss),
            )
        yield f"boosting, {loss}", partial(trained, lambda e: Boosting(base, e, 1e-5, models=2), loss)
        yield f"grid search, {loss}", partial(trained, lambda e: PrivateGridSearch(base, e, 1e-5, candidates=2), loss)
    yield (
        "output perturbation, logistic, exact",
        partial(trained, lambda e: OutputPerturbation(e, 1e-5, **INTEGERS), "logistic"),
    )
    for name, more in ARITHMETICS.items():
        exact = {k: v for k, v in more.items() if k == "arithmetic"}
        yield f"noisy mean, {name}", partial(trained, lambda e, k=exact: NoisyMean(e, **k), "linear")


def _public_cases() -> Iterator[tuple[str, Callable[..., None]]]:
    for kind in (f"{name}-{loss}" for name in ("ball", "hull") for loss in CONVEX):
        yield f"Algorithm 3, {kind}", partial(algorithm_3, kind)
    for kind in ("ball-squared", "hull-absolute"):
        yield (
            f"Algorithm 3, {kind}, exact",
            partial(released, lambda e: RegularizedPerturbation(e, 1e-5, **INTEGERS), kind),
        )
    for kind in ("thresholds", "intervals", "stumps", "halfspaces", "finite", "cube"):
        yield f"RRSPM, {kind}, float", partial(released, RRSPM, kind)
        yield f"RRSPM, {kind}, exact", partial(released, lambda e: RRSPM(e, arithmetic="exact"), kind)
    for kind in ("thresholds", "finite", "ball-squared"):
        for name, more in ARITHMETICS.items():
            yield (
                f"Algorithm 2, {kind}, {name}",
                partial(released, lambda e, k=more: AveragedPerturbation(e, 1e-5, calls=2, **k), kind),
            )
    for kind in ("finite", "cube"):
        yield f"RSPM, {kind}", partial(released, RSPM, kind)


def _heavy_cases() -> Iterator[tuple[str, Callable[..., None]]]:
    for theta in (1.5, 2.0):
        for sampler, arithmetic in (("tree", "float"), ("enumerate", "float"), ("enumerate", "exact")):
            more: dict[str, Any] = {"net_radius": 0.2, "sampler": sampler, "arithmetic": arithmetic}
            yield (
                f"exponential mechanism, theta = {theta}, {sampler}, {arithmetic}",
                partial(heavy, lambda e, k=more: ExponentialMechanism(e, **k), theta),
            )
    for arithmetic in ARITHMETICS:
        yield (
            f"clipped subgradients, {arithmetic}",
            partial(heavy, lambda e, a=arithmetic: ClippedSubgradient(e, steps=3, arithmetic=a), 2.0),
        )


CASES: dict[str, Callable[..., None]] = dict((*_glm_cases(), *_public_cases(), *_heavy_cases()))
