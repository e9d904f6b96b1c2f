"""Lemma 5 of the public-data paper: what a regulariser costs."""

from __future__ import annotations

import math

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import margins
from dpbench.ledger.measurement import Context, Evidence
from dpbench.papers.publicdata.theorems import paper


@paper.inequality(
    "lemma5",
    source="Lemma 5, equation 18",
    expected="not refuted",
    statement="L_D(fbar) <= L_D(f_ERM) + sup R - inf R for any regulariser R.",
    quote=r"L_{\mathcal{D}}(\bar{f})\leq L_{\mathcal{D}}(f_{\mathsf{ERM}})+\sup_{f,f^{\prime}\in\mathcal{F}}R(f)-R(f^{"
    r"\prime})",
    because="fbar minimises L_D + R, so L_D(fbar) + R(fbar) <= L_D(f_ERM) + R(f_ERM); attained where R is least at a "
    "function that is worse by its range.",
)
def regularizer(context: Context) -> Evidence:
    """(18) on random finite classes and regularisers, and where it is attained."""
    rng = stream(context.seed, "publicdata.lemma5")
    cases, smallest = context.pick(quick=20_000, full=500_000), math.inf
    for _ in range(cases // 1000):
        size = int(rng.integers(2, 30))
        risk = rng.random((1000, size))
        r = rng.standard_normal((1000, size)) * 10.0 ** rng.uniform(-3.0, 2.0, (1000, 1))
        risk[0, :2], r[0] = (0.0, 1.0), 0.0  # one function is better by as much as the regulariser ranges
        r[0, 0] = 1.0 + 1e-12
        risk[0, 2:] = 2.0
        chosen = np.take_along_axis(risk, (risk + r).argmin(axis=1)[:, None], axis=1)[:, 0]
        right = risk.min(axis=1) + np.ptp(r, axis=1)
        smallest = float(np.minimum(smallest, float((1.0 - chosen / right).min())))
    note = f"value: smallest relative margin of {cases:,} random classes of 2 to 29 functions; 0: attained"
    return margins({}, note, margin=smallest)
