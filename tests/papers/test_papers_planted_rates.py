"""Every rate of the heavy-tailed and the public-data paper states its power, and rejects an exponent that far off."""

import re

import pytest

from dpbench.ledger import harness_rates
from dpbench.papers.heavytail.theorems import paper as heavytail
from dpbench.papers.publicdata.theorems import paper as publicdata
from dpbench.papers.publicdata.theorems import sweeps
from dpbench.rates.exclusion import rate_verdict
from dpbench.rates.slopes import slope, theory_slope
from dpbench.runs.context import RunContext

HELD = [c for paper in (heavytail, publicdata) for c in paper.claims if c.kind == "rate" and c.expected == "consistent"]
JUST = 0.006
"""The power is printed with two digits."""


def scaled(samples, grid, power):
    """Samples of a law whose exponent is larger by `power`, everything else the same."""
    return [part * (x / grid[0]) ** power for part, x in zip(samples, grid, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("claim", HELD, ids=lambda claim: claim.id)
def test_a_planted_exponent_is_rejected_at_the_power_that_is_stated(claim, monkeypatch):
    """The planted law is slower than the claim, as far beyond what was measured as the entry says that it would see.

    Scaling moves the slope by the power planted and keeps the width of its interval: the verdict is not a matter of
    luck. A power that is overstated fails the first assertion, one that is understated the second.
    """
    seen = {}

    def watched(grid, samples, *, level):
        seen.update(grid=list(grid), samples=samples, level=level)
        return slope(grid, samples, level=level)

    def reference(grid, ceiling):
        seen["expected"] = theory_slope(grid, ceiling)
        return seen["expected"]

    for module in (sweeps, harness_rates):
        monkeypatch.setattr(module, "slope", watched)
        monkeypatch.setattr(module, "theory_slope", reference)
    with RunContext(level="full" if claim.full_only else "quick", seed=0, workers=1) as context:
        verdict, evidence = claim.measure(context)
    assert verdict in ("consistent", "undecided")
    stated = re.search(r"would see (\d+\.\d+)", evidence.notes[0])
    assert stated, f"{claim.id} does not say what it would see"
    for error, rejected in ((float(stated[1]) + JUST, True), (float(stated[1]) - JUST, False)):
        planted = slope(seen["grid"], scaled(seen["samples"], seen["grid"], error), level=seen["level"])
        found = rate_verdict(planted.interval, seen["expected"], claim.side, evidence.allowance, claim.resolution)
        if rejected or claim.side == "upper":  # what a tight claim would see is the worse of its two sides
            assert (found == "inconsistent") is rejected, (error, found)
