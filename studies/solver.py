"""``python -m studies.solver``: output perturbation's solver and the scores of candidates, beside former code.

n = 1e5 records; 20 dense features, or 200 of which 5% are stored. One process, one core, processor time, the median of
15 alternating pairs with its interval (`dpbench.papers.glm.peers.pairs`). Former code is that of the commit in
`studies.before`. Beside the solver stand scikit-learn's and SciPy's at the same certified distance (for the absolute
loss: at an objective within half a κ, the width that it is smoothed by), each of which stops at the loosest tolerance
that reaches it; of a method that does not reach it there is no time. 16 small data sets side by side, as rates solve
them, stand beside one after the other. ``--rest`` measures what stands beside them
instead: the generalised exponential mechanism, and noisy max and subgradients in kernels that the package does without.
Exit 1 if a promise is missed, or the answers differ by more than their certificates say.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table
from scipy import optimize
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVR

from dpbench.core.blas import one_blas_thread
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms._erm_centres import centres
from dpbench.papers.glm.algorithms._erm_newton import certified_distance
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.algorithms.scoring import clipped_risk
from dpbench.papers.glm.peers.pairs import Work, ratio
from dpbench.papers.glm.peers.speed import one_core
from dpbench.papers.glm.peers.workload import WrongAnswer
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.algorithms.baselines import ClippedSubgradient
from dpbench.privacy import selection
from studies.before import ROOT, folder, former
from studies.command import Measured, command
from studies.heavytail import Setting
from studies.heavytail import problem as heavy_problem
from studies.selection_kernels import noisy_max, subgradient
from studies.solver_many import many_rows
from studies.work_solver import CANDIDATES, FORMS, LOSSES, N, problem, solve, started

PAIRS, PEER_PAIRS = 15, 3
SOLVED = {"logistic": 2.0, "huber": 2.0, "absolute": 3.0}
"""What is promised of the solver, as ratios to former code."""

SCORED = 3.0
STARTED = 4.0  # seconds of processor time that a first start may take longer
STARTS = 3  # the least of so many: what else runs only adds to it
REGULARIZATION = 0.02  # for the peers, which know no ball


def solver_rows(pairs: int = PAIRS) -> Iterator[dict[str, Any]]:
    """The solver beside former code."""
    then = former("dpbench.papers.glm.algorithms.output_perturbation")
    kind = former("dpbench.papers.glm.problem").GLMProblem
    for form in FORMS:
        for loss in LOSSES:
            ours, theirs = OutputPerturbation(1.0, 1e-5), then.OutputPerturbation(1.0, 1e-5)
            data, old = problem(form, loss), problem(form, loss, kind)
            new = partial(solve, centres, ours, data)
            before = partial(solve, then._centres, theirs, old)
            apart = float(np.linalg.norm(new() - before()))
            if apart > ours.diagnose(data)["distance"] + theirs.diagnose(old)["distance"]:
                raise WrongAnswer(f"{form} {loss}: the two minimisers are {apart:.2g} apart")
            found = ratio(Work(new, 1), Work(before, 1), pairs)
            yield {"what": "solver", "form": form, "loss": loss, "promised": SOLVED[loss], **asdict(found)}


def score_rows(pairs: int = PAIRS) -> Iterator[dict[str, Any]]:
    """All candidates scored, beside former code given them in one call too."""
    then, kind = former("dpbench.papers.glm.algorithms.scoring"), former("dpbench.papers.glm.problem").GLMProblem
    for form, d in FORMS.items():
        for loss in LOSSES:
            data, old = problem(form, loss), problem(form, loss, kind)
            models = np.random.default_rng(5).standard_normal((CANDIDATES, d)) / math.sqrt(d)
            new, before = partial(clipped_risk, data, models, 0.5), partial(then.clipped_risk, old, models, 0.5)
            if not np.allclose(new(), before(), rtol=1e-11):
                raise WrongAnswer(f"{form} {loss}: scores differ by {np.abs(new() - before()).max():.2g}")
            found = ratio(Work(new, 1), Work(before, 1), pairs)
            yield {"what": "scores", "form": form, "loss": loss, "promised": SCORED, **asdict(found)}


# scikit-learn and SciPy

Peer = Callable[[float], np.ndarray]


def objective(data: GLMProblem, w: np.ndarray) -> tuple[float, np.ndarray]:
    """F and its gradient."""
    z = data.X @ w
    risk = float(data.loss.value(z, data.y).mean()) + 0.5 * REGULARIZATION * float(w @ w)
    return risk, data.X.T @ data.loss.derivative(z, data.y) / N + REGULARIZATION * w


def peers(loss: str, data: GLMProblem) -> dict[str, Peer]:
    """What they have for the loss, as functions of a tolerance."""
    fit = {"fit_intercept": False, "C": 1.0 / (N * REGULARIZATION)}

    def classifier(solver: str, tolerance: float) -> np.ndarray:
        made = LogisticRegression(solver=solver, tol=tolerance, max_iter=10_000, **fit).fit(data.X, data.y)
        return np.asarray(made.coef_[0])

    def regressor(tolerance: float) -> np.ndarray:
        made = LinearSVR(epsilon=0.0, tol=tolerance, max_iter=100, random_state=0, **fit)
        return np.asarray(made.fit(data.X, data.y).coef_)

    def minimised(method: str, tolerance: float) -> np.ndarray:
        options = {"gtol": tolerance, "ftol": 0.0, "maxcor": 20} if method == "L-BFGS-B" else {"xtol": tolerance}
        found = optimize.minimize(
            partial(objective, data), np.zeros(data.d), jac=True, method=method, options={**options, "maxiter": 5000},
        )  # fmt: skip
        return np.asarray(found.x)

    if loss == "absolute":
        return {"scikit-learn LinearSVR": regressor}
    scipy: dict[str, Peer] = {f"SciPy {name}": partial(minimised, name) for name in ("L-BFGS-B", "Newton-CG")}
    names = ("lbfgs", "newton-cholesky", "newton-cg") if loss == "logistic" else ()
    return {**{f"scikit-learn {name}": partial(classifier, name) for name in names}, **scipy}


def peer_rows(pairs: int = PEER_PAIRS) -> Iterator[dict[str, Any]]:
    """The solver beside others' at the same accuracy, the ball left out."""
    for loss in LOSSES:
        data = problem("dense", loss)
        m = OutputPerturbation(1.0, 1e-5, regularization=REGULARIZATION, constrained=loss == "absolute")
        if loss == "absolute":
            data = data.with_radius(20.0)
        new, tau = partial(solve, centres, m, data), m.tau(data)
        value, kappa = objective(data, new())[0], m.smoothing(data)
        if np.linalg.norm(new()) > 0.99 * data.radius and loss == "absolute":
            raise WrongAnswer("the ball is felt, which the peers do not know")

        def enough(w: np.ndarray) -> bool:
            risk, gradient = objective(data, w)  # noqa: B023 (used within the iteration)
            if loss == "absolute":  # noqa: B023
                return risk <= value + 0.5 * kappa  # noqa: B023
            smooth = data.loss.smoothness  # noqa: B023
            return certified_distance(gradient, 0.0, w, REGULARIZATION, math.inf, smooth) <= tau  # noqa: B023

        for name, run in peers(loss, data).items():
            reached = (t for t in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12) if enough(run(t)))
            tolerance = next(reached, None)
            row = {"what": "peer", "loss": loss, "peer": name, "tolerance": tolerance, "promised": None}
            yield row if tolerance is None else {
                **row, **asdict(ratio(Work(new, 1), Work(partial(run, tolerance), 1), pairs))
            }  # fmt: skip


def rest_rows(pairs: int = PAIRS) -> Iterator[dict[str, Any]]:
    """The generalised exponential mechanism beside former code, and kernels that the package does without."""
    scores, gammas = np.random.default_rng(0).random((64, 16)), np.arange(16) / 1e4
    choose, before = (partial(m.generalized_exponential, scores, gammas, 1.0, 0.05) for m in (
        selection, former("dpbench.privacy.selection")))  # fmt: skip
    works: dict[str, tuple[Peer, Peer]] = {
        "generalised exponential mechanism": (lambda _: choose(), lambda _: before()),
        "noisy max in a kernel": (
            lambda _: _noisy_max(scores), lambda _: selection.report_noisy_max(scores, 0.1, np.random.default_rng(1))
        ),
    }  # fmt: skip
    for n, d in ((1000, 3), (10_000, 5), (100_000, 3)):
        data, m = heavy_problem(Setting(d, n, 2.0), 0), ClippedSubgradient(1.0)
        works[f"subgradients in a kernel, n = {n:,}, d = {d}"] = (
            lambda _, data=data, m=m: subgradient(m, data, 2, np.random.default_rng(1)),  # type: ignore[misc]
            lambda _, data=data, m=m: m(data, 2, np.random.default_rng(1)),  # type: ignore[misc]
        )
    for name, (new, old) in works.items():
        if not np.allclose(new(0.0), old(0.0), rtol=1e-9, atol=1e-12):
            raise WrongAnswer(f"{name}: the answers differ")
        repeats = 1 if "subgradients" in name else 20
        ours, theirs = (Work(partial(_repeat, run, repeats), repeats) for run in (new, old))
        found = ratio(ours, theirs, pairs)
        yield {"what": name, "promised": 2.0 if name.startswith("generalised") else None, **asdict(found)}


def _noisy_max(scores: np.ndarray) -> np.ndarray:
    out = np.empty(len(scores))
    noisy_max(scores, 0.1, np.random.default_rng(1), out)
    return out


def _repeat(run: Peer, times: int) -> None:
    for _ in range(times):
        run(0.0)


def rest() -> Measured:
    """What `rest_rows` finds."""
    one_core()
    rows = list(rest_rows())
    table = Table("what", "times as fast", "95%")
    for row in rows:
        table.add_row(row["what"], f"{row['median']:.2f}", f"{row['low']:.2f} to {row['high']:.2f}")
    return {"rows": rows}, (table,), all(row["promised"] is None or row["median"] >= row["promised"] for row in rows)


def measured() -> Measured:
    """All rows, with their tables."""
    import warnings

    one_core()
    losses.map_loss.compile()
    with one_blas_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # peers that do not converge say so; that they do not is in the table
        rows = [*solver_rows(), *many_rows(), *score_rows(), *peer_rows()]
    ours = Table("what", "records", "loss", "ms", "ms before", "times as fast", "95%", "promised")
    beside = Table("loss", "beside", "at tolerance", "ms", "their ms", "times as fast")
    for row in rows:
        if row["what"] == "peer":
            table, cells = beside, [row["loss"], row["peer"], f"{row['tolerance'] or math.nan:g}"]
        else:
            table, cells = ours, [row["what"], row["form"], row["loss"]]
        if "median" in row:
            cells += [f"{1e3 / row[key]:.1f}" for key in ("ours_per_second", "peer_per_second")]
            cells += [f"{row['median']:.2f}"]
        if table is ours:
            promised = "" if row["promised"] is None else f"{row['promised']:g}"
            cells += [f"{row['low']:.2f} to {row['high']:.2f}", promised]
        table.add_row(*cells)
    pair = ("dpbench_before", folder()), ("dpbench", ROOT)
    starts_taken = [tuple(started(*tree) for tree in pair) for _ in range(STARTS)]  # alternating
    before, now = (min(taken) for taken in zip(*starts_taken, strict=True))
    start = {"before": before, "now": now, "promised": STARTED}
    starts = Table("first start: s before", "s now", "more", "promised at most")
    starts.add_row(*(f"{v:.1f}" for v in (start["before"], start["now"], start["now"] - start["before"], STARTED)))
    kept = all(row["promised"] is None or row["median"] >= row["promised"] for row in rows)
    kept = kept and start["now"] - start["before"] <= STARTED
    return {"rows": rows, "first_start": start}, (ours, beside, starts), kept


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if a promise is missed."""
    given = sys.argv[1:] if arguments is None else arguments
    chosen = rest if "--rest" in given else measured
    return command("studies.solver", __doc__, [word for word in given if word != "--rest"], chosen, {})


if __name__ == "__main__":
    sys.exit(main())
