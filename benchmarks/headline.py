"""Twelve pieces of work that stand for the whole, written with public names alone, so that two trees can run them.

Each makes its inputs once and returns a function of the number of the call: what a library keeps of earlier calls (a
solved centre, an envelope) does not answer the next one, since the data of each call are its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

Run = Callable[[int], Any]


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


def _fresh(problem: Any, work: Callable[[Any], Any]) -> Run:
    """Another problem each call: a slightly larger radius."""
    return lambda call: work(replace(problem, radius=1.0 + 1e-9 * call))


def noisy_gd(loss: str, steps: int, sparse: bool = False) -> Run:
    """64 runs of noisy gradient descent on 1,000 records of 50 features (sparse: of 400, 2% of them stored)."""
    data = _glm(1000, 400 if sparse else 50, loss, sparse=sparse)
    mechanism = _paper("glm").NoisyGD(1.0, 1e-5, steps=steps)
    return lambda call: mechanism(data, 64, np.random.default_rng(call))


def output_perturbation() -> Run:
    """One output on 20,000 records: a solve."""
    mechanism = _paper("glm").OutputPerturbation(1.0, 1e-5)
    return _fresh(_glm(20_000, 20, "logistic"), lambda data: mechanism(data, 1, np.random.default_rng(0)))


def jl() -> Run:
    """Eight runs in a random projection."""
    data, mechanism = _glm(1000, 50, "logistic"), _paper("glm").JLMethod(1.0, 1e-5, dimension=16)
    return lambda call: mechanism(data, 8, np.random.default_rng(call))


def grid_search() -> Run:
    """Private choice of the radius among outputs of output perturbation."""
    glm = _paper("glm")
    mechanism = glm.PrivateGridSearch(glm.OutputPerturbation(1.0, 1e-5), 1.0, 1e-5)
    return _fresh(_glm(2000, 20, "logistic"), lambda data: mechanism(data, 8, np.random.default_rng(0)))


def _heavy(n: int, d: int) -> Any:
    import dpbench

    rng = np.random.default_rng(0)
    X = rng.standard_t(2.5, (n, d)) / d
    return dpbench.HeavyTailedProblem(X, X @ np.full(d, 0.3) + 0.2 * rng.standard_t(2.5, n), radius=1.0)


def tree() -> Run:
    """One exact draw of the exponential mechanism."""
    mechanism = _paper("heavytail").ExponentialMechanism(1.0, sampler="tree")
    return _fresh(_heavy(2000, 2), lambda data: mechanism(data, 1, np.random.default_rng(0)))


def enumeration() -> Run:
    """All probabilities of a net."""
    mechanism = _paper("heavytail").ExponentialMechanism(1.0, net_radius=0.04)
    return _fresh(_heavy(200, 2), mechanism.log_probabilities)


def rrspm() -> Run:
    """A block of outputs on thresholds."""
    import dpbench

    publicdata, rng = _paper("publicdata"), np.random.default_rng(0)
    x, public = rng.random(20_000), rng.random(1000)
    y = np.where(x > 0.4, 1.0, -1.0)
    data = dpbench.PublicDataProblem(x, y, public, hypotheses=publicdata.Thresholds(), loss="absolute")
    mechanism = publicdata.RRSPM(1.0)
    return lambda call: mechanism(data, 64, np.random.default_rng(call))


def _number(shift: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return shift + rng.laplace(size=trials)


def _vector(shift: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return np.cumsum(shift + rng.laplace(size=(trials, 10)), axis=1)


def audit(sampler: Callable[..., np.ndarray], shift: float, trials: int) -> Run:
    """An audit of a claim of 1."""
    import dpbench

    return lambda call: dpbench.audit(sampler, 0.0, shift, epsilon=1.0, trials=trials, seed=call)


def hard_family() -> Run:
    """A family of the packing lower bound at two sizes, and an instance of each."""
    import lowerbounds

    def build(call: int) -> list[object]:
        rng = np.random.default_rng(call)
        made = []
        for n in (1000, 30_000):
            family = lowerbounds.packing(n, 20, 0.5, 1e-6)
            made += [family.instances(family.members(rng), rng) for _ in range(10)]
        return made

    return build


HEADLINE: dict[str, Callable[[], Run]] = {
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
