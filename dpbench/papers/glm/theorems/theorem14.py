"""Theorem 14: boosting the JL method, its rate in n."""

from __future__ import annotations

from dpbench.ledger.measurement import Context, Rows
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.rates_selection import _BOOSTED, _OPEN, DELTA, EPSILON, _boosted


@paper.rate(
    "thm14",
    variant="n",
    source="Theorem 14, dependence on n",
    expected="consistent",
    side="upper",
    full_only=True,
    nuisances=_OPEN,
    statement=_BOOSTED + "Algorithm 2.",
    because="Theorem 2 on n/(m + 1) records, and a selection that costs less.",
    quote=r"L(\widehat{w}_{i^*}; \mathcal{D}) - L(w^*; \mathcal{D}) \leq \widetilde{O}\left(\frac{\sqrt{H}B "
    r"\|\mathcal{X}\| \|\mathcal{Y}\|}{\sqrt{n}} + \frac{\left(\left(\sqrt{H}B \|\mathcal{X}\|\right)^{4/3} "
    r"\|\mathcal{Y}\|^{2/3} + \left(\sqrt{H}B \|\mathcal{X}\|\right)^{2}\right)}{(n\epsilon)^{2/3}} + "
    r"\frac{\left(\|\mathcal{Y}\|^{2} + HB^{2}\|\mathcal{X}\|^{2}\right)}{n\epsilon} + \frac{\left(\|\mathcal{Y}\| "
    r"+ \sqrt{H}B \|\mathcal{X}\|\right)}{\sqrt{n}}\right)",
)
def theorem14(context: Context) -> Rows:
    """Boosting the JL method: the (1 − β) quantile over runs on one data set, against n."""
    return _boosted(
        context, JLMethod(EPSILON, DELTA), (2_000, 4_000, 8_000), 32, 8,
        "faster or not: k of order (n epsilon)^(2/3) is above the dimension from the start, so that the map loses "
        "little and what falls is the noise",
    )  # fmt: skip
