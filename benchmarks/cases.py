"""What is timed, for asv and pytest-benchmark alike: the work, a check of its answer, and the answer's quality."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import numpy_loop
from benchmarks.noisy_gd import (
    MECHANISM,
    N,
    WrongAnswer,
    check_noisy_gd,
    few_steps,
    population,
    problem,
    same,
)
from dpbench.auditing.audit import AuditResult, audit
from dpbench.core.sampling import block_width
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.algorithms.random_map import RandomMap
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.problem import GLMProblem


@dataclass(frozen=True)
class Case:
    """Work to time.

    Attributes
    ----------
    run : callable
        The work; each call does the same.
    trials : int
        Units of work in a call: outputs, or samples a side.
    check : callable
        Raises `WrongAnswer` unless the same code gives the right answer.
    quality : callable
        A number to watch beside the seconds, from what `run` returns.
    """

    run: Callable[[], Any]
    trials: int
    check: Callable[[], None]
    quality: Callable[[Any], float]


def noisy_gd(loss: str) -> Case:
    """One block of trials; its quality is the mean population excess risk."""
    data = problem(loss)
    width = block_width(data)
    return Case(
        run=lambda: MECHANISM(data, width, np.random.default_rng(1)),
        trials=width,
        check=partial(check_noisy_gd, data, MECHANISM),
        quality=lambda outputs: float(population(loss).excess_risk(outputs).mean()),
    )


def noisy_gd_sparse() -> Case:
    """Logistic loss, 1000 records of 500 features, 1% of them stored; quality: the mean empirical risk."""
    rng = np.random.default_rng(2)
    X = sparse.random_array((N, 500), density=0.01, rng=rng, format="csr")
    X.data[:] = 0.2
    y = np.where(rng.random(N) < 0.5, 1.0, -1.0)
    data = GLMProblem(X, y, loss="logistic", x_bound=1.0, y_bound=1.0, radius=1.0)
    short, width = few_steps(MECHANISM, data), block_width(data)

    def check() -> None:
        dense = replace(data, X=data.X.toarray())
        same(*(short(form, 2, np.random.default_rng(1)) for form in (data, dense)))

    return Case(
        run=lambda: MECHANISM(data, width, np.random.default_rng(1)),
        trials=width,
        check=check,
        quality=lambda outputs: float(data.empirical_risk(outputs).mean()),
    )


def output_perturbation() -> Case:
    """Logistic loss, 1000 outputs around one solved centre; quality: the mean population excess risk."""
    data, m = problem("logistic"), OutputPerturbation(1.0, 1e-5)

    def check() -> None:
        w = replace(m, noise_scale=0.0)(data, 1, np.random.default_rng(0))[0]
        slope = data.X.T @ data.loss.derivative(data.X @ w, data.y) / N + m.lam(data) * w
        if np.linalg.norm(w) < data.radius * (1.0 - 1e-9) and np.linalg.norm(slope) > 1e-4:
            raise WrongAnswer(f"the centre is not a minimiser: gradient {np.linalg.norm(slope):.2g}")

    return Case(
        run=lambda: m(data, 1000, np.random.default_rng(1)),
        trials=1000,
        check=check,
        quality=lambda outputs: float(population("logistic").excess_risk(outputs).mean()),
    )


def jl_logistic() -> Case:
    """Logistic loss, 1000 steps in 33 dimensions on projected data of each trial's own; quality: population risk."""
    data, m = problem("logistic"), JLMethod(1.0, 1e-5)
    return Case(
        run=lambda: m(data, 8, np.random.default_rng(1)),
        trials=8,
        check=partial(check_jl, data, m),
        quality=lambda outputs: float(population("logistic").excess_risk(outputs).mean()),
    )


def jl_wide() -> Case:
    """Squared loss, 2000 rows of a basis of 1e5: neither X nor the map (25 MB) is ever held; quality: excess risk."""
    wide = ScaledBasis.even("squared", 100_000, 16, 1.0)
    data, m = wide.draw(2000, np.random.default_rng(3)), JLMethod(1.0, 1e-5, dimension=32)
    small = ScaledBasis.even("squared", 3000, 16, 1.0).draw(400, np.random.default_rng(3))
    return Case(
        run=lambda: m(data, 8, np.random.default_rng(1)),
        trials=8,
        check=partial(check_jl, small, m),
        quality=lambda outputs: float(wide.excess_risk(outputs).mean()),
    )


def audit_laplace() -> Case:
    """A distinguishing attack on Laplace noise with ε = 1; quality: the lower bound that it finds."""

    def run() -> AuditResult:
        return audit(lambda shift, trials, rng: shift + rng.laplace(size=trials), 0.0, 1.0, trials=200_000)

    def check() -> None:
        if not 0.9 < run().epsilon_lower <= 1.0:
            raise WrongAnswer(f"the bound on ε = 1 is {run().epsilon_lower}")

    return Case(run=run, trials=200_000, check=check, quality=lambda result: float(result.epsilon_lower))


CASES: dict[str, Callable[[], Case]] = {
    "noisy-gd-squared": partial(noisy_gd, "squared"),
    "noisy-gd-logistic": partial(noisy_gd, "logistic"),
    "noisy-gd-sparse-logistic": noisy_gd_sparse,
    "output-perturbation-logistic": output_perturbation,
    "jl-logistic": jl_logistic,
    "jl-sparse-wide-squared": jl_wide,
    "audit-laplace": audit_laplace,
}


def check_jl(data: GLMProblem, mechanism: JLMethod) -> None:
    """A few steps without noise give what NumPy's loop gives on NumPy's product of data and map, lifted by it."""
    short = replace(few_steps(mechanism, data), noise_scale=0.0, dimension=mechanism.projected_dimension(data))
    phi = RandomMap("gaussian", short.projected_dimension(data), data.d, np.random.default_rng(1))
    rows = np.concatenate([phi.chunk(start).copy() for start in phi.starts()])
    projected = short.projected(data, data.X @ rows)
    descent = NoisyGD(1.0, 1e-5, steps=short.steps, step_size=short.step_size, noise_scale=0.0)
    want = numpy_loop.one_trial(projected, descent, lambda: np.zeros(projected.d))
    same(short(data, 1, np.random.default_rng(1))[0], rows @ want)
