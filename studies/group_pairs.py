"""``python -m studies.group_pairs``: noise too small, by a claim at a distance and by one (epsilon, delta) floor.

A Gaussian mean of 1,000 labels in [-1, 1] at the mu with delta(0.5) = 1e-5, its noise times a factor. Four verdicts on
100,000 runs a data set at confidence 0.999: `lowerbounds.group_audit` with the claim as mu, the same with the claim as
rho = mu^2/2 and as (0.5, 1e-5), and `measure_accuracy` (tight constants, rounded outputs), which knows one (epsilon,
delta) and the distance of its floor. Before it the best two-point floors, largest k*overlap(k), of both claims. Exit 1
if the claim in mu is refuted at factor 1 or not at 0.9 and below.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.table import Table

from dpbench.papers.glm.attacks.accuracy import measure_accuracy
from dpbench.privacy.gaussian import mu as gaussian_mu
from lowerbounds import best_distance, chaudhuri_hsu, curve, group_audit
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
    table = Table("noise", "claim in mu", "mu >=", "claim in rho", "rho >=", "claim (epsilon, delta) at a distance",
                  "epsilon >=", "measure_accuracy", "epsilon >=")  # fmt: skip
    rows = []
    for factor in FACTORS:
        run = noisy_mean(factor, mu)
        gaussian = group_audit(run, chaudhuri_hsu(N, {"mu": mu}), {"mu": mu}, trials=RUNS)
        pair = group_audit(run, chaudhuri_hsu(N, EPSILON, DELTA), EPSILON, delta=DELTA, trials=RUNS)
        rho = mu**2 / 2.0
        concentrated = group_audit(run, chaudhuri_hsu(N, {"mu": mu}), {"rho": rho}, trials=RUNS)
        family = chaudhuri_hsu(N, EPSILON, DELTA, constants="tight")
        single = measure_accuracy(run, family, draws=RUNS, rounded=True)
        rows.append({
            "factor": factor, "mu refuted": gaussian.refuted, "mu lower": gaussian.lower,
            "mu distance": gaussian.distance, "pair refuted": pair.refuted, "pair lower": pair.lower,
            "pair distance": pair.distance, "rho refuted": concentrated.refuted, "rho lower": concentrated.lower,
            "rho distance": concentrated.distance, "accuracy": single.verdict, "accuracy lower": single.epsilon_lower,
        })  # fmt: skip
        words = ["refuted" if found.refuted else "not refuted" for found in (gaussian, pair, concentrated)]
        table.add_row(f"x{factor:g}", words[0], f"{gaussian.lower:.4f} of {mu:.4f}", words[2],
                      f"{concentrated.lower:.5f} of {rho:.5f}", words[1], f"{pair.lower:.3f}", single.verdict,
                      f"{single.epsilon_lower:.3f}")  # fmt: skip
    kept = all(row["mu refuted"] is (row["factor"] < 1.0) for row in rows)
    return {"n": N, "runs": RUNS, "mu": mu, "floors": ratios, "rows": rows}, (floors, table), kept


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if a verdict of the claim in mu is not the expected one."""
    return command("studies.group_pairs", __doc__, arguments, measured, {})


if __name__ == "__main__":
    sys.exit(main())
