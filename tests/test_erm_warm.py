"""The start that few records give to the solver of output perturbation: it changes the way and never the end."""

from __future__ import annotations

import math

import numpy as np
import pytest
from regressions import SMOOTH
from regressions import problem as regression

from dpbench.glm import _erm, _erm_warm, losses
from dpbench.glm._erm import minimise, smoothed
from dpbench.glm._erm_newton import Records, newton, tour


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
    monkeypatch.setattr(_erm, "warm_start", lambda *arguments: None)
    slow = minimise(p, lam, 0.8, 1e-7)
    assert max(quick.distance, slow.distance) <= 1e-7
    assert np.linalg.norm(quick.w - slow.w) <= quick.distance + slow.distance
    monkeypatch.setattr(_erm, "warm_start", lambda *arguments: -start)  # planted: a start on the wrong side
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


def test_small_problems_and_quadratic_ones_have_no_start() -> None:
    for loss, n in ((losses.logistic(), 4000), (losses.squared(), 20_000)):
        p = regression(loss, n=n, d=2)
        assert _erm_warm.warm_start(Records(p.X, p.y, 1.0, None, n), loss, 0.1, math.inf, 1e-6) is None
