"""Evidence of a rate: the log-log slope of what was measured beside that of the theory's formula on the same grid."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, column
from dpbench.ledger.words import ROWS
from dpbench.rates.exclusion import EXACT, allowed, rate_verdict, wording
from dpbench.rates.nuisances import allowance_of
from dpbench.rates.slopes import slope, theory_slope
from dpbench.rates.sweeps import sweep

if TYPE_CHECKING:
    from dpbench.ledger.declaration import Declaration


def judge(
    axis: str, grid: Sequence[float], samples: Sequence[np.ndarray], ceiling: Sequence[float],
    columns: dict[str, list[Any]] | None = None, *notes: str, level: float = LEVEL,
) -> Evidence:  # fmt: skip
    """Slope of the mean of `samples` over `grid`, to be held against that of `ceiling` on the same grid.

    Parameters
    ----------
    axis : str
        Name of the grid: "n", "d", "epsilon".
    grid : sequence of float
    samples : sequence of ndarray
        At each grid point one number a data set, independent of each other.
    ceiling : sequence of float
        The theory's full formula, logarithms included.
    columns : dict, optional
        Further columns: the rows have the grid, the measured means with their standard errors and skewness, the
        ceiling, the means over it, and the numbers of data sets.
    notes : str
    level : float
        Nominal error level of the interval.
    """
    fitted = slope(grid, samples, level=level)
    expected = theory_slope(grid, ceiling)
    worst, sizes = int(np.abs(fitted.skewness).argmax()), [len(part) for part in samples]
    series: dict[str, list[Any]] = {
        axis: list(grid),
        "measured": fitted.means.tolist(),
        "standard error": fitted.errors.tolist(),
        "skewness": fitted.skewness.tolist(),
        "ceiling": list(ceiling),
        "over ceiling": [float(mean / bound) for mean, bound in zip(fitted.means, ceiling, strict=True)],
        "data sets": sizes,
        **(columns or {}),
    }
    return Evidence(
        value=fitted.value,
        interval=fitted.interval,
        level=fitted.level,
        trials=fitted.trials,
        tables={ROWS: series},
        reference=expected,
        notes=(
            f"value: log-log slope of the mean excess risk in {axis}; expected {expected:+.4f}, the slope of the "
            "ceiling on the same grid",
            f"half-width {fitted.half_width:.4f} at level {fitted.level:g}: delta method over {fitted.trials} data "
            f"sets, Student's t with {fitted.freedom:.0f} degrees of freedom, sides widened {fitted.widening[0]:.2f} "
            f"and {fitted.widening[1]:.2f} times by a bootstrap that resamples data sets",
            f"the level is nominal: approximate under skewness; largest sample skewness of a grid point "
            f"{fitted.skewness[worst]:+.2f} at {axis} = {grid[worst]:g} ({sizes[worst]} data sets: "
            f"+-{math.sqrt(6.0 / sizes[worst]):.2f} by chance alone)",
            *((fitted.warning,) if fitted.warning else ()),
            *notes,
        ),
    )


def rated(claim: Declaration, evidence: Evidence, verdict: str | None = None) -> tuple[str, Evidence]:
    """The verdict on a rate, if it has none yet, and its evidence with what its nuisances allow.

    The grid is the first column of the rows.
    """
    assert evidence.reference is not None
    grid = next(iter(evidence.rows.values()), [])
    allowance = allowance_of(grid, claim.nuisances, evidence.rows) if claim.nuisances else EXACT
    interval = evidence.interval or (evidence.value, evidence.value)
    said = wording(interval, evidence.reference, side=claim.side, allowance=allowance, resolution=claim.resolution)
    first, *rest = evidence.notes or ("",)
    notes = (f"{first}; {said}" if first else said, allowed(evidence.reference, allowance, claim.nuisances), *rest)
    verdict = verdict or rate_verdict(interval, evidence.reference, claim.side, allowance, claim.resolution)
    return verdict, replace(evidence, allowance=allowance, notes=notes)


def slope_of(rows: Sequence[Row], *notes: str, level: float = LEVEL) -> Evidence:
    """`judge` of rows: the first key is the axis, ``samples`` and ``ceiling`` are as there, the rest are columns."""
    axis = next(iter(rows[0]))
    table = column(rows)
    samples, ceiling = table.pop("samples"), table.pop("ceiling")
    return judge(axis, table.pop(axis), samples, ceiling, table, *notes, level=level)


def swept(
    context: Context, rows: Iterable[Row], trials: int | Sequence[int], *notes: str, repeats: int = 1
) -> Evidence:
    """`slope_of` rows that carry a ``point`` (`dpbench.rates.sweeps.Point`) for their samples.

    Parameters
    ----------
    context : Context
    rows : iterable of dict
    trials : int or sequence of int
        Data sets at each point.
    notes : str
    repeats : int
        Outputs of the mechanism on each data set.
    """
    table = list(rows)
    points = [row.pop("point") for row in table]
    samples = sweep(points, trials, repeats=repeats, seed=context.seed, map_blocks=context.map)
    return slope_of([row | {"samples": part} for row, part in zip(table, samples, strict=True)], *notes)
