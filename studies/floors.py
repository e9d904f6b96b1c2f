"""``python -m studies.floors --json evidence/floors.json``: solver, tree and oracles beside their floors.

On one core, in turn within one run, the least processor time of several. A floor is the time of work that no method of
the kind can leave out, as often as this run did it:

* solver of output perturbation, n = 1e5, d = 20: the roofline of its passes over records (those that a pass leaves
  aside are not counted): the longer of the records' bytes at the rate of a dot product over as many numbers, and
  operations at the rate of BLAS's product of two matrices; with the logistic loss an exponential a record besides;
* tree of the exponential mechanism, n = 1e4: each box that is bounded costs the score at one point, Xw and ψ of every
  residual. Records that one affine bound serves are left aside by the tree, so that a ratio may be below 1;
* oracles: on a line the points are sorted, the costs summed in that order and the best sum found, for stumps along
  each feature; half-planes sort the other points about each one; on the ball the records are read once, and multiplied
  with themselves once. What NumPy takes for it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from rich.table import Table

from dpbench.papers.glm.algorithms import _erm_newton
from dpbench.papers.glm.algorithms._erm_centres import centres
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.peers.speed import one_core
from dpbench.papers.heavytail.algorithms import tree
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.publicdata import LinearBall
from studies import work_solver
from studies.command import Measured, command
from studies.heavytail import Setting
from studies.heavytail import problem as heavy_problem
from studies.oracle_peers import BINARY, binary_objective, linear_problem
from studies.plain_mechanisms import log_weights

REPEATS = 7
TREES = (5, 8)
"""Dimensions of the trees."""

SIDE = 512
"""Of the matrices whose product gives the rate of operations."""

Row = tuple[str, str, Callable[[], Any], Callable[[], float]]
"""What is measured, its floor in words, the work, and the seconds of the floor."""


def spent(function: Callable[[], Any]) -> float:
    """Seconds of the processor that a call takes, the mean over a fiftieth of a second."""
    began, calls = time.process_time(), 0
    while calls == 0 or time.process_time() - began < 0.02:
        function()
        calls += 1
    return (time.process_time() - began) / calls


def passes(run: Callable[[], Any]) -> list[tuple[int, bool]]:
    """Records of each pass that a solve makes, and whether it has a Hessian of the records."""
    made: list[tuple[int, bool]] = []
    tour = _erm_newton.tour

    def counted(data: Any, loss: Any, w: Any, curved: bool) -> Any:
        made.append((data.y.size, curved and data.second is None))
        return tour(data, loss, w, curved)

    with patch.object(_erm_newton, "tour", counted):
        run()
    return made


def read(X: np.ndarray, y: np.ndarray, loss: str) -> None:
    """A pass over the records, and a product of X with itself."""
    r = X @ np.full(X.shape[1], 0.1) - y
    X.T @ (np.clip(r, -1.0, 1.0) if loss == "huber" else r)
    X.T @ X


def solver_rows() -> Iterator[Row]:
    """One solve, without what is kept of earlier ones; the floor as pieces of work that are as long."""
    square, flat = np.full((SIDE, SIDE), 0.5), np.full(work_solver.N * work_solver.FORMS["dense"], 0.5)
    for loss in ("logistic", "huber"):
        data, mechanism = work_solver.problem("dense", loss), OutputPerturbation(1.0, 1e-5)
        run = partial(work_solver.solve, centres, mechanism, data)
        made, d = passes(run), data.d
        records, curved = sum(n for n, _ in made), sum(n for n, hessian in made if hessian)
        reads, operations = records * (d + 1) / flat.size, records * 4 * d + curved * d * (d + 1)
        products, exponentials = operations / (2.0 * SIDE**3), records / work_solver.N if loss == "logistic" else 0.0

        def least(reads: float = reads, products: float = products, exponentials: float = exponentials) -> float:
            taken = (
                spent(lambda: flat @ flat),
                spent(lambda: square @ square),
                spent(lambda: np.exp(flat[: work_solver.N])),
            )
            return max(reads * taken[0], products * taken[1]) + exponentials * taken[2]

        said = f"roofline of {len(made)} passes over {records:,} records, {curved:,} of them with their Hessian"
        yield f"solver, {loss}", said, run, least


def times(count: float, function: Callable[[], Any]) -> float:
    """Seconds of so many calls."""
    return count * spent(function)


def tree_rows() -> Iterator[Row]:
    """The envelope of a first draw."""
    for d in TREES:
        data, mechanism = heavy_problem(Setting(d, 10_000, 2.0), 0), ExponentialMechanism(1.0)
        net, iota, weight = mechanism.net(data), mechanism.iota(data), mechanism.weight(data)
        run = partial(tree.envelope, data, net, iota, weight)
        opened = run().opened
        least = partial(log_weights, data.X, data.y, np.full((1, d), 0.1), iota, 2.0, weight)
        yield (
            f"tree, d = {d}",
            f"the score at a point for each of {opened:,} boxes",
            run,
            partial(times, float(opened), least),
        )


def on_lines(points: np.ndarray, costs: np.ndarray) -> None:
    """Along each feature: sorted, summed, the least sum."""
    for column in np.atleast_2d(points.T):
        np.cumsum(costs[np.argsort(column)]).argmin()


def about_points(points: np.ndarray, costs: np.ndarray) -> None:
    """About each point: angles of the others sorted, costs summed in that order, the least sum."""
    for point in points:
        apart = points - point
        np.cumsum(costs[np.argsort(np.arctan2(apart[:, 1], apart[:, 0]))]).argmin()


def oracle_rows() -> Iterator[Row]:
    """One call on points that nothing was prepared for."""
    for name, hypotheses, dimension, size, _, _ in BINARY:
        points, objective = binary_objective(dimension, size)
        run = partial(hypotheses.erm, points, objective)
        plane = name.startswith("halfspaces")
        least = partial(about_points if plane else on_lines, points, objective.costs())
        said = f"{size if plane else dimension} sorts of {size:,} numbers and the sums"
        yield f"oracle, {name}", said, run, partial(times, 1.0, least)
    for loss in ("squared", "huber"):
        x, objective = linear_problem(loss)
        least = partial(read, x, objective.labels, loss)
        run = partial(LinearBall(x.shape[1]).erm, x, objective)
        yield (
            f"oracle, {loss} loss on the ball",
            f"a pass over {len(x):,} records, a product of X with itself",
            run,
            partial(times, 1.0, least),
        )


def timed(rows: list[Row], repeats: int = REPEATS) -> Iterator[dict[str, Any]]:
    """Least seconds of each and of its floor, taken in turn."""
    for name, said, run, floor in rows:
        run()
        taken = [(spent(run), floor()) for _ in range(repeats)]
        seconds, least = (min(column) for column in zip(*taken, strict=True))
        yield {"what": name, "floor": said, "seconds": seconds, "floor_seconds": least, "ratio": seconds / least}


def measured() -> Measured:
    """All rows."""
    one_core()
    rows = list(timed([*solver_rows(), *tree_rows(), *oracle_rows()]))
    table = Table("what", "floor", "ms", "floor, ms", "ratio", title="least processor time, beside a floor")
    for row in rows:
        times = [f"{1e3 * row[name]:.3g}" for name in ("seconds", "floor_seconds")]
        table.add_row(row["what"], row["floor"], *times, f"{row['ratio']:.2f}")
    return {"rows": rows}, (table,), True


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    return command("studies.floors", __doc__, arguments, measured, {})


if __name__ == "__main__":
    sys.exit(main())
