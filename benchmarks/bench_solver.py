"""asv: output perturbation's solver and the scores of candidates in seconds, and what compiling them costs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

import dpbench
from benchmarks import cases_solver
from benchmarks.cases_solver import CANDIDATES, FORMS, LOSSES, problem, solve, started
from benchmarks.workload import workload
from dpbench.papers.glm._erm_centres import centres
from dpbench.papers.glm.output_perturbation import OutputPerturbation
from dpbench.papers.glm.peers.workload import WrongAnswer
from dpbench.papers.glm.scoring import clipped_risk


@workload(cases_solver)
class Solver:
    """One solve, and 64 candidates on 1e5 records."""

    params = (tuple(FORMS), LOSSES)
    param_names = ("records", "loss")
    timeout = 300

    def setup(self, form: str, loss: str) -> None:
        data, mechanism = problem(form, loss), OutputPerturbation(1.0, 1e-5)
        self.solve = partial(solve, centres, mechanism, data)
        self.solve()
        met = mechanism.diagnose(data)
        if met["distance"] > met["tau"]:
            raise WrongAnswer(f"a distance of {met['distance']:.2g} for a target of {met['tau']:.2g}")
        models = np.random.default_rng(5).standard_normal((CANDIDATES, data.d)) / np.sqrt(data.d)
        self.score = partial(clipped_risk, data, models, 0.5)
        want = np.clip(data.loss.value(data.X @ models[0], data.y), *data.loss.span(0.5, 1.0)[:2]).mean()
        if not np.isclose(self.score()[0], want, rtol=1e-10):
            raise WrongAnswer(f"a score of {self.score()[0]:g} for {want:g}")

    def time_solve(self, form: str, loss: str) -> None:
        self.solve()

    def time_scores(self, form: str, loss: str) -> None:
        self.score()

    def peakmem_solve(self, form: str, loss: str) -> None:
        self.solve()


class FirstStart:
    """Processor time to compile all kernels of the GLM algorithms."""

    timeout = 600

    def track_compile(self) -> float:
        return started("dpbench", Path(dpbench.__file__).parent.parent)

    track_compile.unit = "s"  # type: ignore[attr-defined]
