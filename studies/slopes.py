"""asv: the exponent of the cost of each mechanism in one size, between two sizes, beside what theory says of it.

    python -m studies.slopes --json FILE

measures all of them and fails where one is more than `ABOVE` above theory, three times in a row: a cost that grows
faster than it should. Below theory, what does not grow still counts at these sizes.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.headline import _number as _noisy
from dpbench.auditing.audit import audit
from dpbench.papers.glm.algorithms.boosting import Boosting
from dpbench.papers.glm.algorithms.grid_search import PrivateGridSearch
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.populations_sphere import LogisticOnSphere
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism, _enumerated
from dpbench.papers.publicdata.populations import line
from dpbench.publicdata import RRSPM, Thresholds
from studies.command import Measured, command
from studies.heavytail import Setting
from studies.heavytail import problem as heavy_problem

Run = Callable[[], Any]


def glm(mechanism: Any, trials: int, n: int = 1000, d: int = 20) -> Run:
    """Outputs of a mechanism on logistic data of so many records and features."""
    data = LogisticOnSphere(np.full(d, 0.8 / math.sqrt(d))).draw(n, np.random.default_rng(0))
    return lambda: mechanism(data, trials, np.random.default_rng(1))


def fresh_output_perturbation(n: int) -> Run:
    """One solve, kept of no earlier run."""
    from dpbench.papers.glm.algorithms._erm_centres import centres

    run = glm(OutputPerturbation(1.0, 1e-5), 1, n, 50)

    def made() -> None:
        centres.clear()
        run()

    return made


def enumerated(n: int = 1000, zeta: float = 0.05) -> Run:
    """All weights of a net in the plane, and a draw."""
    data, m = heavy_problem(Setting(2, n, 2.0), 0), ExponentialMechanism(1.0, net_radius=zeta, sampler="enumerate")

    def made() -> None:
        _enumerated.cache_clear()
        m(data, 1, np.random.default_rng(1))

    return made


def rrspm(n: int, m: int) -> Run:
    """64 outputs on prepared data."""
    data = line(Thresholds(), noise=0.1).draw(n, m, np.random.default_rng(0))
    return lambda: RRSPM(1.0)(data, 64, np.random.default_rng(1))


def audited(trials: int) -> Run:
    """An audit of Laplace noise."""
    return lambda: audit(_noisy, 0.0, 1.0, trials=trials)


def boosted(n: int) -> Run:
    """Boosting over output perturbation, one output."""
    return glm(Boosting(OutputPerturbation(1.0, 1e-5), 1.0, 1e-5), 1, n)


def searched(n: int) -> Run:
    """Grid search over noisy gradient descent of 100 steps, one output."""
    return glm(PrivateGridSearch(NoisyGD(1.0, 1e-5, steps=100), 1.0, 1e-5), 1, n)


GROWTHS: dict[str, tuple[Callable[[int], Run], int, int, float]] = {
    "noisy GD, n": (lambda n: glm(NoisyGD(1.0, 1e-5, steps=50), 64, n), 500, 4000, 1.0),
    "noisy GD, d": (lambda d: glm(NoisyGD(1.0, 1e-5, steps=50), 64, 1000, d), 16, 128, 1.0),
    "noisy GD, T": (lambda t: glm(NoisyGD(1.0, 1e-5, steps=t), 64), 50, 400, 1.0),
    "JL method, n": (lambda n: glm(JLMethod(1.0, 1e-5, steps=200, dimension=10), 4, n), 500, 4000, 1.0),
    "JL method, d": (lambda d: glm(JLMethod(1.0, 1e-5, steps=2, dimension=10), 4, 1000, d), 200, 1600, 1.0),
    "JL method, T": (lambda t: glm(JLMethod(1.0, 1e-5, steps=t, dimension=10), 4), 200, 1600, 1.0),
    "output perturbation, n": (fresh_output_perturbation, 4000, 32_000, 1.0),
    "grid search, n": (searched, 500, 4000, 1.0),
    "boosting, n": (boosted, 4000, 32_000, 1.0),
    "exponential mechanism, n": (lambda n: enumerated(n), 500, 4000, 1.0),
    "exponential mechanism, 1/ζ": (lambda steps: enumerated(zeta=1.0 / steps), 10, 40, 2.0),
    "RRSPM, m": (partial(rrspm, 10_000), 2048, 16_384, 1.0),
    "audit, trials": (audited, 500_000, 4_000_000, 1.0),
}
"""What runs at a size, two sizes, and the exponent of theory (logarithms count as 0)."""


ABOVE = 0.25
"""By how much an exponent may be above theory: a cost that grows by n instead of 1, or by n^1.5, is seen."""
TRIES = 3


def seconds(run: Run, repeats: int = 3) -> float:
    """The least processor time of several runs, after one that compiles."""
    run()
    taken = []
    for _ in range(repeats):
        began = time.process_time()
        run()
        taken.append(time.process_time() - began)
    return min(taken)


def slope(name: str) -> float:
    """The measured exponent."""
    make, small, large, _ = GROWTHS[name]
    return math.log(seconds(make(large)) / seconds(make(small))) / math.log(large / small)


def lowest(name: str) -> float:
    """The measured exponent; where it is too large, the least of `TRIES`, since a busy machine bends single ones."""
    found = math.inf
    for _ in range(TRIES):
        found = min(found, slope(name))
        if found <= GROWTHS[name][3] + ABOVE:
            break
    return found


def measured() -> Measured:
    """All exponents, beside theory."""
    table = Table("cost of, in", "sizes", "measured", "theory", title="exponents of cost")
    rows, kept = [], True
    for name, (_, small, large, theory) in GROWTHS.items():
        found = lowest(name)
        kept &= found <= theory + ABOVE
        rows.append({"growth": name, "sizes": [small, large], "measured": found, "theory": theory})
        table.add_row(name, f"{small:,} to {large:,}", f"{found:.2f}", f"{theory:g}")
    return {"above": ABOVE, "rows": rows}, (table,), kept


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if a cost grows faster than theory says."""
    return command("studies.slopes", __doc__, arguments, measured, {})


class Slopes:
    """The measured exponent and that of theory: below it where what does not grow still counts."""

    params = tuple(GROWTHS)
    param_names = ("growth",)
    timeout = 300

    def track_slope(self, growth: str) -> float:
        return slope(growth)

    def track_theory(self, growth: str) -> float:
        return GROWTHS[growth][3]

    track_slope.unit = track_theory.unit = "exponent"  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(main())
