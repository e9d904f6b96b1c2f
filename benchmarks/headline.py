"""Twelve pieces of work that stand for the whole, written with public names alone, so that two trees can run them.

Each makes its inputs once and returns a function of the number of the call: what a library keeps of earlier calls (a
solved centre, an envelope) does not answer the next one, since the data of each call are its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Run = Callable[[int], Any]


@dataclass(frozen=True)
class Work:
    """What is timed, and the number that says how good an answer is: a change of it is no change of speed."""

    run: Run
    quality: Callable[[Any], float]

    def __call__(self, call: int) -> Any:
        return self.run(call)


def _paper(name: str) -> Any:
    """`dpbench.papers.NAME`; of an older tree `dpbench.NAME`."""
    try:
        return importlib.import_module(f"dpbench.papers.{name}")
    except ModuleNotFoundError:
        return importlib.import_module(f"dpbench.{name}")


def _records(n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Features of norm 1 and signs that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.where(X[:, 0] + 0.3 * rng.standard_normal(n) >= 0.0, 1.0, -1.0)


def _glm(n: int, d: int, loss: str, sparse: bool = False) -> Any:
    import dpbench

    X, y = _records(n, d, 0)
    if sparse:
        from scipy.sparse import csr_array

        kept = np.random.default_rng(1).random(X.shape) < 0.02
        X = csr_array(np.where(kept, X, 0.0))
    return dpbench.GLMProblem(X, y, loss=loss, x_bound=1.0 + 1e-9, y_bound=1.0, radius=1.0)


def _risk(problem: Any) -> Callable[[Any], float]:
    """Mean empirical risk of the outputs."""
    return lambda outputs: float(np.mean(problem.empirical_risk(outputs)))


def _fresh(problem: Any, work: Callable[[Any], Any]) -> Run:
    """Another problem each call: a slightly larger radius."""
    return lambda call: work(replace(problem, radius=1.0 + 1e-9 * call))


def noisy_gd(loss: str, steps: int, sparse: bool = False) -> Work:
    """64 runs of noisy gradient descent on 1,000 records of 50 features (sparse: of 400, 2% of them stored)."""
    data = _glm(1000, 400 if sparse else 50, loss, sparse=sparse)
    mechanism = _paper("glm").NoisyGD(1.0, 1e-5, steps=steps)
    return Work(lambda call: mechanism(data, 64, np.random.default_rng(call)), _risk(data))


def output_perturbation() -> Work:
    """One output on 20,000 records: a solve."""
    mechanism = _paper("glm").OutputPerturbation(1.0, 1e-5)
    problem = _glm(20_000, 20, "logistic")
    return Work(_fresh(problem, lambda data: mechanism(data, 1, np.random.default_rng(0))), _risk(problem))


def jl() -> Work:
    """Eight runs in a random projection."""
    data, mechanism = _glm(1000, 50, "logistic"), _paper("glm").JLMethod(1.0, 1e-5, dimension=16)
    return Work(lambda call: mechanism(data, 8, np.random.default_rng(call)), _risk(data))


def grid_search() -> Work:
    """Private choice of the radius among outputs of output perturbation."""
    glm = _paper("glm")
    mechanism = glm.PrivateGridSearch(glm.OutputPerturbation(1.0, 1e-5), 1.0, 1e-5)
    problem = _glm(2000, 20, "logistic")
    return Work(_fresh(problem, lambda data: mechanism(data, 8, np.random.default_rng(0))), _risk(problem))


def _heavy(n: int, d: int) -> Any:
    import dpbench

    rng = np.random.default_rng(0)
    X = rng.standard_t(2.5, (n, d)) / d
    return dpbench.HeavyTailedProblem(X, X @ np.full(d, 0.3) + 0.2 * rng.standard_t(2.5, n), radius=1.0)


def tree() -> Work:
    """One exact draw of the exponential mechanism."""
    mechanism = _paper("heavytail").ExponentialMechanism(1.0, sampler="tree")
    problem = _heavy(2000, 2)
    return Work(_fresh(problem, lambda data: mechanism(data, 1, np.random.default_rng(0))), _risk(problem))


def enumeration() -> Work:
    """All probabilities of a net; its quality is the largest."""
    mechanism = _paper("heavytail").ExponentialMechanism(1.0, net_radius=0.04)
    return Work(_fresh(_heavy(200, 2), mechanism.log_probabilities), lambda found: float(np.exp(found[1].max())))


def rrspm() -> Work:
    """A block of outputs on thresholds."""
    import dpbench

    publicdata, rng = _paper("publicdata"), np.random.default_rng(0)
    x, public = rng.random(20_000), rng.random(1000)
    y = np.where(x > 0.4, 1.0, -1.0)
    data = dpbench.PublicDataProblem(x, y, public, hypotheses=publicdata.Thresholds(), loss="absolute")
    mechanism = publicdata.RRSPM(1.0)
    return Work(lambda call: mechanism(data, 64, np.random.default_rng(call)), _risk(data))


def _number(shift: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return shift + rng.laplace(size=trials)


def _vector(shift: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return np.cumsum(shift + rng.laplace(size=(trials, 10)), axis=1)


def audit(sampler: Callable[..., np.ndarray], shift: float, trials: int) -> Work:
    """An audit of a claim of 1."""
    import dpbench

    def run(call: int) -> Any:
        return dpbench.audit(sampler, 0.0, shift, epsilon=1.0, trials=trials, seed=call)

    return Work(run, lambda found: float(found.epsilon_lower))


def hard_family() -> Work:
    """A family of the packing lower bound at two sizes, and an instance of each; its quality is the floor."""
    import lowerbounds

    def build(call: int) -> float:
        rng = np.random.default_rng(call)
        for n in (1000, 30_000):
            family = lowerbounds.packing(n, 20, 0.5, 1e-6)
            for _ in range(10):
                family.instances(family.members(rng), rng)
        return float(family.floor)

    return Work(build, lambda floor: floor)


HEADLINE: dict[str, Callable[[], Work]] = {
    "noisy-gd-logistic": lambda: noisy_gd("logistic", 100),
    "noisy-gd-squared": lambda: noisy_gd("squared", 1000),
    "noisy-gd-sparse": lambda: noisy_gd("logistic", 100, sparse=True),
    "output-perturbation": output_perturbation,
    "jl": jl,
    "grid-search": grid_search,
    "exponential-tree": tree,
    "exponential-enumeration": enumeration,
    "rrspm-thresholds": rrspm,
    "audit-number": lambda: audit(_number, 1.0, 100_000),
    "audit-vector": lambda: audit(_vector, 0.1, 5_000),
    "hard-family": hard_family,
}
