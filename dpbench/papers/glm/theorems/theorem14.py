"""Theorem 14: boosting the JL method, its privacy and its rate in n."""

from __future__ import annotations

from dpbench.certificates.build import Draft, certificate
from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import Context, Evidence, Rows
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.rates_selection import _BOOSTED, _OPEN, DELTA, EPSILON, _boosted
from dpbench.papers.glm.theorems.selection_privacy import _DISJOINT, JL, boosted, boosted_certificate, guarantees


@paper.privacy(
    "thm14",
    variant="exact",
    source="Theorem 14, with the Laplace scale of the clipped mean",
    expected="proved",
    statement="Algorithm 5 over the exactly calibrated JL method is (epsilon, delta)-DP.",
    because=_DISJOINT + "The range is that over |z| <= 2B(1 + alpha)|X|, where w~ of the ball of radius 2B in R^k "
    "predicts clipped projections.",
    quote=r"The boosting procedure (Algorithm 5) using the JL method (Algorithm 2) as Algorithm A satisfies "
    r" $(\epsilon, \delta)$ -DP,",
    rests_on=("glm.sensitivity.inequality.losses", "glm.noisy-max.inequality", "glm.thm10.privacy.exact"),
)
def theorem14_exact(context: Context) -> tuple[str, Evidence]:
    """Boosting over the JL method, whose losses are clipped at 2B(1 + α)‖X‖."""
    return profiles(guarantees(boosted, (JL,)), "the JL method; m = 3")


@certificate("glm.thm14.privacy.exact", "guarantee")
def theorem14_certificate() -> Draft:
    return boosted_certificate(False)


@paper.rate(
    "thm14",
    variant="n",
    source="Theorem 14, dependence on n",
    expected="consistent",
    side="upper",
    full_only=True,
    exponent=-0.5,
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
