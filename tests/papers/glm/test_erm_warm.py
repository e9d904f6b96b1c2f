"""The start that few records give to the solver of output perturbation: it changes the way and never the end."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from regressions import SMOOTH
from regressions import problem as regression

from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms import _erm_newton, _erm_warm
from dpbench.papers.glm.algorithms._erm import minimise, smoothed
from dpbench.papers.glm.algorithms._erm_newton import line_search, newton, piecewise_step
from dpbench.papers.glm.algorithms._erm_passes import Pass, Quadratic, Records, tour


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("name", ["logistic", "huber", "capped-linear", "absolute"])
def test_the_start_changes_the_way_and_not_the_end(name: str, as_sparse: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    loss = SMOOTH.get(name, losses.absolute())
    p = regression(loss, n=6000, d=3, radius=0.8, as_sparse=as_sparse)
    lam = 0.05
    if name == "absolute":
        p, lam = smoothed(p, 1e-3), 1e-3 * lam
    data = Records(p.X, p.y, p.x_bound, None, p.n)
    start = _erm_warm.warm_start(data, p.loss, lam, 0.8, 1e-7)
    assert start is not None
    quick = minimise(p, lam, 0.8, 1e-7)
    assert np.linalg.norm(start - quick.w) < 0.1 * np.linalg.norm(quick.w)
    monkeypatch.setattr(_erm_warm, "warm_start", lambda *arguments: None)
    slow = minimise(p, lam, 0.8, 1e-7)
    assert max(quick.distance, slow.distance) <= 1e-7
    assert np.linalg.norm(quick.w - slow.w) <= quick.distance + slow.distance
    monkeypatch.setattr(_erm_warm, "warm_start", lambda *arguments: -start)  # planted: a start on the wrong side
    assert minimise(p, lam, 0.8, 1e-7).distance <= 1e-7


def test_records_left_out_count_in_gradient_and_search() -> None:
    """Far records of Huber's loss as a sum: the minimiser is that of all; planted: their sum forgotten."""
    p = regression(losses.huber(0.05), n=5000, d=3, radius=5.0)
    data = Records(p.X, p.y, p.x_bound, None, p.n)
    whole = newton(data, p.loss, 0.05, 5.0, 1e-9, np.zeros(3))
    live = _erm_warm._live(data, whole.w, 0.05)
    assert 0 < live.y.size < 4000 and live.n == p.n and live.far is not None
    here, full = (tour(part, p.loss, whole.w, curved=True) for part in (live, data))
    assert here.hessian is not None and full.hessian is not None
    assert np.allclose(here.gradient, full.gradient, atol=1e-13) and np.allclose(here.hessian, full.hessian, atol=1e-13)
    assert np.linalg.norm(newton(live, p.loss, 0.05, 5.0, 1e-9, np.zeros(3)).w - whole.w) < 1e-8
    forgotten = Records(live.X, live.y, 1.0, None, p.n)
    assert np.linalg.norm(newton(forgotten, p.loss, 0.05, 5.0, 1e-9, np.zeros(3)).w - whole.w) > 1e-3


def test_a_step_of_huber_between_corners_ends_at_the_minimiser() -> None:
    """Few records can change their piece: the sum of the others is exact, and the end that of a search over all.

    Planted: a quadratic that counts those few too; other losses, and a point too far away, have no such step.
    """
    p = regression(losses.huber(0.3), n=5000, d=3, radius=5.0)
    data, lam = Records(p.X, p.y, p.x_bound, None, p.n), 0.05
    whole = newton(data, p.loss, lam, 5.0, 1e-12, np.zeros(3)).w
    w = whole + np.array([0.01, -0.01, 0.005])
    here = tour(data, p.loss, w, curved=True)
    assert here.hessian is not None
    there = w - np.linalg.solve(here.hessian + lam * np.eye(3), here.gradient + lam * w)

    def ends(here: Pass, there: np.ndarray = there, loss: losses.Loss = p.loss) -> np.ndarray | None:
        return piecewise_step(data, loss, lam, 5.0, 1e-10, w, here, there)

    made, planted = ends(here), ends(here._replace(hessian=1.01 * here.hessian))
    assert made is not None and planted is not None
    assert np.linalg.norm(made - whole) < 1e-10 < 1e-6 < np.linalg.norm(there - whole)
    assert np.linalg.norm(planted - whole) > 1e-6
    assert ends(here, w + 1.0) is None and ends(here, loss=losses.logistic()) is None


def test_huber_takes_two_passes_over_many_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """One with a Hessian and one for the certificate; planted: without that step there are three."""
    p = regression(losses.huber(0.9), n=50_000, d=10, radius=5.0)
    passes: list[bool] = []

    def counted(data: Records, loss: losses.Loss, w: np.ndarray, curved: bool) -> Pass:
        if data.y.size == p.n:
            passes.append(curved)
        return tour(data, loss, w, curved)

    monkeypatch.setattr(_erm_newton, "tour", counted)
    assert minimise(p, 0.05, 5.0, 1e-7).distance <= 1e-7 and passes == [True, False]
    passes.clear()
    monkeypatch.setattr(_erm_newton, "piecewise_step", lambda *arguments: None)
    assert minimise(p, 0.05, 5.0, 1e-7).distance <= 1e-7 and len(passes) == 3


def test_records_settled_count_in_a_search_along_a_segment() -> None:
    """The derivative of F along a segment, half of the records as a quadratic, is that of all.

    Planted: that half forgotten.
    """
    p = regression(losses.squared(), n=400, d=3, radius=5.0)
    data, lam, w, move = Records(p.X, p.y, p.x_bound, None, p.n), 0.1, np.full(3, 2.0), np.full(3, -8.0)
    half = replace(data, X=p.X[200:], y=p.y[200:])
    rest = tour(half, p.loss, w, curved=True)
    assert rest.hessian is not None
    few = replace(data, X=p.X[:200], y=p.y[:200])
    known = replace(few, settled=Quadratic(w, rest.gradient, rest.hessian))
    start, end = (float((tour(data, p.loss, at, False).gradient + lam * at) @ move) for at in (w, w + move))
    steps = [  # an end that is too steep, so that the first trial is not the last
        line_search(records, p.loss, lam, w, move, records.X @ w, records.X @ move, start, 50.0 * end)
        for records in (data, known, few)
    ]
    assert 0.0 < steps[0] < 1.0 and steps[1] == pytest.approx(steps[0], rel=1e-12)
    assert abs(steps[2] - steps[0]) > 1e-6


def test_small_problems_and_quadratic_ones_have_no_start() -> None:
    for loss, n in ((losses.logistic(), 4000), (losses.squared(), 20_000)):
        p = regression(loss, n=n, d=2)
        assert _erm_warm.warm_start(Records(p.X, p.y, 1.0, None, n), loss, 0.1, math.inf, 1e-6) is None
