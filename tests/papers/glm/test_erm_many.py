"""Many data sets solved side by side: each gets what it gets alone, and rates go this way."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from naive.erm import smooth_minimiser
from regressions import ALL
from regressions import problem as regression

from dpbench.papers.glm.algorithms import _erm_centres, _erm_many, output_perturbation
from dpbench.papers.glm.algorithms._erm_many import minimise_many, newton_many
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.glm.problem import GLMProblem
from dpbench.rates import sweeps

pytestmark = pytest.mark.kernel
NAMES = ("logistic", "huber", "capped-linear")
TARGET, LAM = 1e-9, 0.05


def alike(name: str, as_sparse: bool, count: int = 5, n: int = 70) -> list[GLMProblem]:
    return [regression(ALL[name], n=n, d=3, seed=seed, as_sparse=as_sparse) for seed in range(count)]


def off(run: Any, name: str, radius: float, as_sparse: bool) -> float:
    """Largest distance to the slow twin, in certified distances; each certificate within the target."""
    problems = alike(name, as_sparse)
    found = run(problems, LAM, radius, TARGET)
    assert all(made.distance <= TARGET for made in found)
    return max(
        float(np.linalg.norm(made.w - smooth_minimiser(name, p.loss.parameter, p.loss.smoothness, dense(p), p.y, LAM,
                                                       radius))) / made.distance
        for made, p in zip(found, problems, strict=True)
    )  # fmt: skip


def dense(problem: GLMProblem) -> np.ndarray:
    return np.asarray(problem.X.toarray() if problem.sparse else problem.X)


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("radius", [0.2, 5.0])
@pytest.mark.parametrize("name", NAMES)
def test_each_is_the_minimiser(name: str, radius: float, as_sparse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def alone(*given: Any) -> Any:
        raise AssertionError("solved alone")

    monkeypatch.setattr(_erm_many, "minimise", alone)
    assert off(minimise_many, name, radius, as_sparse) <= 1.0 + 1e-3


def planted(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """`newton_many` with one expression changed; a list that grows with each data set that is then solved alone."""
    source, scope, asked = inspect.getsource(newton_many), dict(vars(_erm_many)), []  # type: ignore[var-annotated]
    assert old in source
    exec(source.replace(old, new), scope)
    honest = _erm_many.minimise
    monkeypatch.setattr(_erm_many, "newton_many", scope["newton_many"])
    monkeypatch.setattr(_erm_many, "minimise", lambda *given: (asked.append(1), honest(*given))[1])
    return asked


@pytest.mark.parametrize(
    ("old", "new"),
    [("/ data.n + lam * w[live]", "/ data.n + 1.001 * lam * w[live]"), ("sums[live, :d]", "sums[live[::-1], :d]")],
)
def test_a_wrong_search_is_caught(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = planted(old, new, monkeypatch)
    assert off(minimise_many, "huber", 5.0, False) > 2.0 or asked


def test_a_wrong_line_search_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """The absolute loss needs it: without, data sets are left to the solver of one; with it, none is."""
    problems, mechanism = alike("absolute", False, n=200), OutputPerturbation(1.0, 1e-5)
    for old, some in (("step * move[m], 0.0", False), ("start[m] + step * move[m]", True)):
        with monkeypatch.context() as m:
            asked = planted(old, "start[m] - step * move[m]" if some else old, m)
            _erm_centres.centres.clear()
            mechanism.prepare(problems)
            assert bool(asked) is some


@pytest.mark.parametrize("name", ["logistic", "absolute"])
def test_no_number_depends_on_what_comes_together(name: str) -> None:
    problems, mechanism = alike(name, False, count=7, n=200), OutputPerturbation(1.0, 1e-5)
    made = []
    for parts in ((problems,), (problems[:2], problems[2:])):
        _erm_centres.centres.clear()
        for part in parts:
            mechanism.prepare(part)
        assert len(_erm_centres.centres) == 7
        made.append([mechanism.centre(problem) for problem in problems])
    np.testing.assert_array_equal(*made)
    _erm_centres.centres.clear()
    tau = mechanism.tau(problems[0])
    for problem, w in zip(problems, made[0], strict=True):
        assert np.linalg.norm(mechanism.centre(problem) - w) <= 2.0 * tau
        assert mechanism.diagnose(problem)["distance"] <= tau


def test_singular_hessians_are_no_refusal() -> None:
    """A λ below the rounding of the Hessian of one direction, in the ball and without it."""
    x = np.array([0.6, 0.8]) / 3.0
    p = GLMProblem(np.tile(x, (9, 1)), np.ones(9), loss="huber", x_bound=1.0, y_bound=1.0, radius=50.0)
    for radius in (50.0, np.inf):
        for made in minimise_many([p, p], 1e-19, radius, 1e9):
            assert np.isfinite(made.w).all() and abs(made.w @ x - 1.0) < 1e-6


def test_what_is_not_alike_is_left_to_the_runs() -> None:
    _erm_centres.centres.clear()
    mechanism = OutputPerturbation(1.0, 1e-5)
    mechanism.prepare([*alike("huber", False, count=1), *alike("huber", False, count=1, n=80)])
    mechanism.prepare(alike("huber", False, count=1))
    assert not _erm_centres.centres


def test_rates_solve_a_block_together(monkeypatch: pytest.MonkeyPatch) -> None:
    population = ScaledBasis("absolute", np.full(4, 0.25), np.array([1.0, -1.0, 1.0, -1.0]), radius=2.0)
    point = sweeps.Point(population, 256, OutputPerturbation(0.5, 1e-5))
    calls: list[int] = []
    honest = output_perturbation.prepare

    def counted(mechanism: Any, problems: Any) -> None:
        calls.append(len(problems))
        honest(mechanism, problems)

    _erm_centres.centres.clear()
    monkeypatch.setattr(OutputPerturbation, "prepare", counted)
    together = sweeps.excess_of_block(point, 2, 0, 0)
    assert calls == [16]
    monkeypatch.setattr(OutputPerturbation, "prepare", lambda mechanism, problems: None)
    _erm_centres.centres.clear()
    np.testing.assert_allclose(together, sweeps.excess_of_block(point, 2, 0, 0), rtol=1e-6)
