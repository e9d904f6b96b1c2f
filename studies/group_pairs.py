"""``python -m studies.group_pairs``: noise too small, by a claim at a distance and by one (epsilon, delta) floor.

A Gaussian mean of 1,000 labels in [-1, 1] at the mu with delta(0.5) = 1e-5, its noise times a factor. Four verdicts on
100,000 runs a data set at confidence 0.999: `dpbench.audit` at the distance with most power, of the claim as mu, as
rho = mu^2/2 and as (0.5, 1e-5), each composed over the distance (`lowerbounds.at_distance`), and `measure_accuracy`
(tight constants, rounded outputs), which knows one (epsilon, delta) and the distance of its floor. Before it the best
two-point floors, largest k*overlap(k), of both claims. Exit 1 if the claim in mu is refuted at factor 1 or not at 0.9
and below.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

from dpbench import audit
from dpbench.papers.glm.attacks.accuracy import measure_accuracy
from dpbench.privacy.gaussian import mu as gaussian_mu
from lowerbounds import at_distance, best_distance, chaudhuri_hsu, curve
from studies.command import Measured, command

N, EPSILON, DELTA = 1000, 0.5, 1e-5
FACTORS = (1.0, 0.9, 0.75, 0.5, 0.35, 0.25)
RUNS = 100_000


def noisy_mean(factor: float, mu: float) -> Callable[..., np.ndarray]:
    """The mean of the labels, whose sensitivity is 2/n, with `factor` times the noise of mu-GDP."""

    def run(data: Any, trials: int, rng: np.random.Generator) -> np.ndarray:
        return data.y.mean() + factor * (2.0 / N) / mu * rng.standard_normal(trials)

    return run


def best_floors(epsilon: float, delta: float) -> dict[str, float]:
    """Largest k*overlap(k) under mu-GDP and under (epsilon, delta), and their ratio."""
    found = {}
    mu = gaussian_mu(epsilon, delta)
    for name, claim in (("gaussian", curve({"mu": mu})), ("pair", curve(epsilon, delta))):
        k = best_distance(claim, N)
        found[name] = k * claim.overlap(k)
    return {"epsilon": epsilon, "mu": mu, **found, "ratio": found["gaussian"] / found["pair"]}


def measured() -> Measured:
    """Both tables."""
    mu = gaussian_mu(EPSILON, DELTA)
    floors = Table("epsilon", "mu", "largest k*overlap, mu-GDP", "(epsilon, delta)", "ratio")
    ratios = [best_floors(epsilon, DELTA) for epsilon in (EPSILON, 1.0)]
    for row in ratios:
        floors.add_row(*(f"{row[name]:.3f}" for name in ("epsilon", "mu", "gaussian", "pair", "ratio")))
    claims = {"mu": ({"mu": mu}, 0.0), "rho": ({"rho": mu**2 / 2.0}, 0.0), "pair": (EPSILON, DELTA)}
    table = Table("noise", *(f"claim in {name}" for name in claims), "measure_accuracy", "epsilon >=")
    rows = []
    for factor in FACTORS:
        run = noisy_mean(factor, mu)
        row: dict[str, Any] = {"factor": factor}
        for name, (claim, delta) in claims.items():
            k = best_distance(claim, N, delta, purpose="attack")
            family = chaudhuri_hsu(N, {"mu": mu}, distance=k)
            pair = family.instances(0), family.instances(1)
            found = audit(run, *pair, claim=at_distance(claim, k, delta), trials=RUNS)
            row |= {f"{name} refuted": found.verdict == "refuted", f"{name} distance": k}
        single = measure_accuracy(run, chaudhuri_hsu(N, EPSILON, DELTA, constants="tight"), draws=RUNS, rounded=True)
        rows.append(row | {"accuracy": single.verdict, "accuracy lower": single.epsilon_lower})
        words = ["refuted" if row[f"{name} refuted"] else "not refuted" for name in claims]
        table.add_row(f"x{factor:g}", *words, single.verdict, f"{single.epsilon_lower:.3f}")
    kept = all(row["mu refuted"] is (row["factor"] < 1.0) for row in rows)
    return {"n": N, "runs": RUNS, "mu": mu, "floors": ratios, "rows": rows}, (floors, table), kept


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if a verdict of the claim in mu is not the expected one."""
    return command("studies.group_pairs", __doc__, arguments, measured, {})


if __name__ == "__main__":
    sys.exit(main())
