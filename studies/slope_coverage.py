"""``python -m studies.slope_coverage``: how often intervals of slopes miss, on ten laws, with and without a warning.

Four points, slope 0, 600 sweeps a law (`SWEEPS`), levels 1e-2 and 1e-3 of the same sweeps, bootstraps of 1,000.
"misses" and "misses unwarned" are counts over the level's expectation; "range" is the interval from the largest
possible trial, where a law has one. No warning can come where no large trial was seen at any point (1 sweep in 500 of
rare failures). Exit 1 if misses without a warning, or of the range, are refuted to be at most 1.5 times the level
(binomial test at 1e-6).
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from rich.table import Table
from scipy.special import stdtrit
from scipy.stats import binom

from dpbench.core.sampling import stream
from dpbench.rates import slope
from studies.command import Measured, command

GRID = [100.0, 200.0, 400.0, 800.0]
SWEEPS = 600
LEVELS = (1e-2, 1e-3)
Law = Callable[[np.random.Generator, int], list[np.ndarray]]


def gamma(low: float, high: float) -> Law:
    """Gamma laws of mean 1 whose spread (standard deviation over mean) goes from `low` to `high`."""
    return lambda rng, trials: [rng.gamma(1.0 / c**2, c**2, trials) for c in np.geomspace(low, high, 4)]


def lognormal(low: float, high: float) -> Law:
    """Lognormal laws of mean 1."""
    return lambda rng, trials: [rng.lognormal(-0.5 * s * s, s, trials) for s in np.geomspace(low, high, 4)]


def rare(low: float, high: float) -> Law:
    """Mean 1: one half with a little noise, and the rest from failures with a chance from `low` to `high`."""

    def draw(rng: np.random.Generator, trials: int) -> list[np.ndarray]:
        noise = [0.5 * np.clip(1.0 + 0.1 * rng.standard_normal(trials), 0.0, 2.0) for _ in GRID]
        return [
            part + 0.5 / p * (rng.random(trials) < p) for part, p in zip(noise, np.geomspace(low, high, 4), strict=True)
        ]

    return draw


LAWS: dict[str, tuple[Law, int, list[float] | None]] = {
    "gamma, skewness 0.5": (gamma(0.25, 0.25), 16, None),
    "gamma, skewness 1.4": (gamma(0.7, 0.7), 16, None),
    "exponential": (gamma(1.0, 1.0), 16, None),
    "chi-square, one degree": (gamma(2.0**0.5, 2.0**0.5), 16, None),
    "gamma, spread 0.1 to 1": (gamma(0.1, 1.0), 8, None),
    "gamma, spread 1 to 0.1": (gamma(1.0, 0.1), 8, None),
    "lognormal, sigma 0.2 to 1.5": (lognormal(0.2, 1.5), 16, None),
    "uniform": (lambda rng, trials: [2.0 * rng.random(trials) for _ in GRID], 16, [2.0] * 4),
    "rare failure, 0.2 to 0.02": (rare(0.2, 0.02), 16, [1.0 + 0.5 / p for p in np.geomspace(0.2, 0.02, 4)]),
    "rare failure, 0.02 to 0.2": (rare(0.02, 0.2), 16, [1.0 + 0.5 / p for p in np.geomspace(0.02, 0.2, 4)]),
}


def counted(name: str) -> dict[str, float | str]:
    """Counts of one law."""
    law, trials, largest = LAWS[name]
    found = dict.fromkeys([f"{what} {level:g}" for level in LEVELS for what in ("misses", "unwarned", "range")], 0.0)
    warned = 0
    for t in range(SWEEPS):
        samples = law(stream("coverage", name, t), trials)
        made = slope(GRID, samples, level=LEVELS[0], resamples=1_000)
        warned += bool(made.warning)
        for level in LEVELS:
            # The level only scales both sides, by Student's quantile.
            scale = float(stdtrit(made.freedom, 0.5 * level) / stdtrit(made.freedom, 0.5 * LEVELS[0]))
            low, high = (made.value + scale * (end - made.value) for end in made.interval)
            missed = not low <= 0.0 <= high
            found[f"misses {level:g}"] += missed
            found[f"unwarned {level:g}"] += missed and not made.warning
            if largest is not None:
                ends = slope(GRID, samples, level=level, resamples=0, largest=largest).interval
                found[f"range {level:g}"] += not ends[0] <= 0.0 <= ends[1]
    return {"law": name, "trials": trials, "sweeps": SWEEPS, "warned": warned / SWEEPS, **found}


def measured() -> Measured:
    """All laws."""
    table = Table(
        "law", "trials", "warned", *(f"{w} over {v:g}" for v in LEVELS for w in ("misses", "unwarned", "range"))
    )
    rows = [counted(name) for name in LAWS]
    kept = True
    for row in rows:
        cells = []
        for level in LEVELS:
            most = binom.isf(1e-6, SWEEPS, 1.5 * level)
            for what in ("misses", "unwarned", "range"):
                count = float(row[f"{what} {level:g}"])
                kept &= what == "misses" or count <= most
                has = what != "range" or LAWS[str(row["law"])][2] is not None
                cells.append(f"{count / level / SWEEPS:.1f}" if has else "")
        table.add_row(str(row["law"]), str(row["trials"]), f"{row['warned']:.0%}", *cells)
    return {"rows": rows}, (table,), kept


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if a promise is missed."""
    return command("studies.slope_coverage", __doc__, arguments, measured, {})


if __name__ == "__main__":
    sys.exit(main())
