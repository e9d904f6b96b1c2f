"""Corollary 1: gradient descent without noise, its rates in n and in the radius."""

from __future__ import annotations

import math

from dpbench.ledger.measurement import Context, Evidence
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.rates_noisy_gd import NO_NOISE, run, sweep


def corollary1_radius(run: Context) -> Evidence:
    """B from |Y|/8 to 4|Y|."""
    n, dimension = run.pick(quick=(1024, 512), full=(4096, 2048))
    return sweep("radius", [(n, radius) for radius in (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)], dimension, None)


@paper.rate(
    "cor1",
    source="Corollary 1",
    expected="consistent",
    side="tight",
    nuisances=NO_NOISE,
    statement="Gradient descent without noise has excess risk O(sqrt(H~) B |Y|/sqrt(n)).",
    because="The envelope over scales has the exponent: a coordinate met by about 1/(eta T) of the records is learned "
    "by half, which costs about B^2/(eta T) = sqrt(H~) B |Y|/sqrt(n); with sqrt(n) such coordinates the labels' own "
    "noise costs as much.",
    quote=r"\mathbb{E}[L(\widehat{w}; \mathcal{D}) - L(w^*; \mathcal{D})] \le "
    r"O\left(\frac{\sqrt{\widetilde{H}}B\|\mathcal{Y}\|}{\sqrt{n}}\right).",
    rows={
        "radius": {
            "measure": corollary1_radius,
            "level": 0.0,
            "source": "Corollary 1, dependence on |w*|",
            "origin": "printed",
            "statement": "It is linear, not quadratic, in B.",
            "because": "The hardest scale has m of order B|X|sqrt(n)/|Y| coordinates with label means b = "
            "B|X|/(|Y|sqrt(m)), where the labels' noise costs m|Y|^2/n and the bias b^2|Y|^2, both of order "
            "B|X||Y|/sqrt(n).",
        }
    },
)
def corollary1(context: Context) -> Evidence:
    """Excess risk of gradient descent without noise against n; up to √n coordinates, as the envelope wants."""
    sizes = context.pick(quick=(100, 324, 1024, 4096), full=tuple(144 * 4**k for k in range(4)))
    trials = context.pick(quick=(640, 128, 48, 64), full=(1600, 320, 96, 112))
    return run(context, "n", [(n, math.isqrt(n)) for n in sizes], None, trials, 1)
