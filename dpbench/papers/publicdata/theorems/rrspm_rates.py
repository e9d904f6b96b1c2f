"""Algorithm 4 on thresholds as n grows: what the rates of Theorems 4 and 10 share."""

from __future__ import annotations

from dpbench.ledger.measurement import Context, Evidence
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.hypotheses.line import Thresholds
from dpbench.papers.publicdata.populations import line
from dpbench.papers.publicdata.theorems.sweeps import NEAREST, along_n, judged

CELLS = 512

HOW = (
    (
        "Thresholds, exact population risk; m follows n as the proof prescribes, up to a constant. The proof adds "
        "Lemma 23's m^2 log m/(epsilon n) to Lemma 22's m^(-1/2); the noise on an interval adds up to "
        "m^(3/2)/(epsilon n) only, and rounding costs 1/m on thresholds. "
    )
    + NEAREST.format("publicdata.thm10.inequality.necessary (Laplace weights)")
    + " "
)


def in_n(
    context: Context, *, power: float, width: float, share: float, noise: float, sets: tuple[int, int], mechanism: RRSPM
) -> Evidence:
    """The slope where α = n^{−1/power} and m is `share` α^{−width}, at least 2: uniform marginals, label noise `noise`.

    `sets`: data sets at each n, level quick; O(.) leaves `share` open.
    """
    least = 2000 if noise > 0.0 else 1000  # below it the noise of the weights hides everything
    sizes = context.pick(quick=(least, 50_000), full=(least, 10_000, 50_000, 250_000))
    population = line(Thresholds(), noise=noise, cells=CELLS)
    rows = along_n(sizes, power, lambda a: max(2.0, share * a**-width), lambda _: population, lambda _: mechanism)
    return judged(context, rows, context.pick(quick=sets, full=240), 16)
