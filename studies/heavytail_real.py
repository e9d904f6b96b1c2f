"""``python -m studies.heavytail_real``: excess risk over n on real records whose features are heavy-tailed.

Samples without replacement of n of the records of "countymurders" (`dpbench.papers.heavytail.datasets`, extra
``data``), θ = 1.25. The excess is that of the risk on all records, over the least absolute deviations fit. Slopes are
those of log excess over log n.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
from rich.table import Table

from dpbench.core.sampling import stream
from dpbench.papers.heavytail.algorithms.baselines import ClippedSubgradient, least_absolute_deviations
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism
from dpbench.papers.heavytail.datasets import load
from studies.command import Measured, command

SIZES = 100, 326, 1068, 3494, 11_424, 37_349
SAMPLES = 24  # of each size, with 16 outputs each


def measured() -> Measured:
    """Both mechanisms at two ε, and the zero predictor."""
    full = load("countymurders", theta=1.25)
    best = full.empirical_risk(least_absolute_deviations(full))
    zero = full.empirical_risk(np.zeros(full.d)) - best
    table, rows = Table("epsilon", "mechanism", *map(str, SIZES), "slope"), []
    for epsilon in (0.5, 2.0):
        for mechanism in (ExponentialMechanism(epsilon), ClippedSubgradient(epsilon)):
            name, means, errors = type(mechanism).__name__, [], []
            for n in SIZES:
                excesses = []
                for sample in range(SAMPLES):
                    rng = stream("heavytail.real", mechanism, n, sample)
                    kept = rng.choice(full.n, n, replace=False)
                    outputs = mechanism(replace(full, X=full.X[kept], y=full.y[kept]), 16, rng)
                    excesses.append(float(full.empirical_risk(outputs).mean()) - best)
                means.append(np.mean(excesses))
                errors.append(np.std(excesses) / SAMPLES**0.5)
            slope = np.polyfit(np.log(SIZES), np.log(means), 1)[0]
            rows.append({"epsilon": epsilon, "mechanism": name, "excess": means, "error": errors, "slope": slope})
            table.add_row(f"{epsilon:g}", name, *(f"{mean:.4f}" for mean in means), f"{slope:.2f}")
    table.caption = f"zero: {zero:.4f}"
    return {"n": SIZES, "rows": rows, "zero": zero}, (table,), True


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    return command("studies.heavytail_real", __doc__, arguments, measured, {}, evidence="heavytail_real.json")


if __name__ == "__main__":
    sys.exit(main())
