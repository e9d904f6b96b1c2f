"""Rates: the means of the evidence with their standard errors, and the slope's interval, for every rate of the ledger.

The interval is the ledger's own: `reach` standard errors of the slope (delta method), as many as Student's t and the
bootstrap of `dpbench.rates.slopes` made of it, which are more than the normal law asks for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpbench.certificates.build import Draft, above, near
from dpbench.ledger.registry import by_id
from dpbench.ledger.words import ROWS
from dpbench.rates.exclusion import rate_verdict
from dpbench.rates.slopes import theory_slope
from tools.records import entries, record

Points = list[tuple[Fraction, Fraction, Fraction]]
_MEANS, _BOUNDS = ("measured", "excess_risk", "excess"), ("ceiling", "theory")
_Z95 = 1.96  # columns "..._low" and "..._high" are this many standard errors away


def points(record: dict[str, Any]) -> tuple[str, Points] | None:
    """The axis and (x, mean, standard error), in a few digits; None where the errors of a sampled mean are not kept."""
    series = record["evidence"]["tables"].get(ROWS, {})
    axis, grid = next(iter(series.items()), ("", []))
    name = next((name for name in _MEANS if name in series), None)
    if name is None or len(grid) < 3 or any(isinstance(value, str) or value <= 0 for value in (*grid, *series[name])):
        return None
    means = series[name]
    if "standard error" in series:
        errors = series["standard error"]
    elif f"{name}_high" in series:
        errors = [(high - mean) / _Z95 for high, mean in zip(series[f"{name}_high"], means, strict=True)]
    elif record["evidence"]["level"]:
        return None
    else:
        errors = [0.0] * len(means)
    exact = [above(e, 4) if e > 1e-12 * m else Fraction(0) for e, m in zip(errors, means, strict=True)]
    triples = zip(grid, means, exact, strict=True)
    return axis, [(Fraction(x).limit_denominator(10**6), near(mean, 8), error) for x, mean, error in triples]


def slope(triples: Points) -> tuple[float, float]:
    """The least-squares slope of log mean in log x, and its standard error."""
    x, mean, error = (np.array([float(p[k]) for p in triples]) for k in range(3))
    apart = np.log(x) - np.log(x).mean()
    square = float(apart @ apart)
    return float(apart @ np.log(mean)) / square, float(np.linalg.norm(apart * error / mean)) / square


def draft(claim: str) -> Draft | None:
    """The record's text; None where the means and the slope's interval do not decide the verdict."""
    record, entry = entries()[claim], by_id()[claim]
    found, evidence = points(record), record["evidence"]
    name = next((name for name in _BOUNDS if name in evidence["tables"].get(ROWS, {})), None)
    if found is None or name is None:
        return None
    axis, made = found
    value, error = slope(made)
    ends = evidence["interval"] or (value, value)
    reach = [above(max(gap, 1e-9) / error, 5) if error else Fraction(0) for gap in (value - ends[0], ends[1] - value)]
    low, high = value - float(reach[0]) * error, value + float(reach[1]) * error
    expected = Fraction(round(theory_slope([float(p[0]) for p in made], evidence["tables"][ROWS][name]) * 10**6), 10**6)
    resolution = Fraction(entry.resolution).limit_denominator(10**4)
    faster, slower = (Fraction(round(end * 10**6), 10**6) for end in evidence["allowance"])
    allowance = float(faster), float(slower)
    if rate_verdict((low, high), float(expected), entry.side, allowance, float(resolution)) != record["verdict"]:
        return None
    if record["verdict"] == "undecided" or (
        error and math.erfc(float(min(reach)) / math.sqrt(2.0)) > evidence["level"]
    ):
        return None
    return Draft(
        verdict=record["verdict"],
        statement=f"The log-log slope of the mean in {axis} over the points, against that of the stated bound.",
        symbols={}, definitions={}, assumptions={},
        claim={"points": [[str(number) for number in point] for point in made], "reach_low": str(reach[0]),
               "reach_high": str(reach[1]), "level": str(Fraction(str(evidence["level"]))), "expected": str(expected),
               "faster": str(faster), "slower": str(slower), "resolution": str(resolution), "side": entry.side},
        instances=[({}, {"slope_low": low, "slope_high": high})],
        derivation=[
            (f"Each point is {axis}, a mean over independent data sets and its standard error (0: exact); the level is "
             "nominal, by the normal law of the slope's error (delta method), approximate under skewness.", []),
            ("Expected is the slope of the theorem's full formula, its constants 1, on the same grid.", []),
            (f"Faster and slower are what is open beside the exponent adds at least and at most: "
             f"{'; '.join(map(str, entry.nuisances)) or 'nothing is open'}.", []),
        ],
    )  # fmt: skip


def _maker(claim: str) -> Callable[[], Draft]:
    def draft_of() -> Draft:
        found = draft(claim)
        assert found is not None
        return found

    return draft_of


def register() -> None:
    """Register the makers of the entries on rates."""
    for claim in entries():
        if claim in by_id() and by_id()[claim].kind == "rate" and draft(claim) is not None:
            record(claim, "rate")(_maker(claim))
