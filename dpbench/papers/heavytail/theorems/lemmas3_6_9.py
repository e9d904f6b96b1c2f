"""Lemmas 3, 6 and 9: the minimiser of the truncated risk, exactly, in one dimension.

Between two neighbours of the points y_i/x_i every residual keeps its sign and ψ(ι|r|) is concave in |r|, so the
truncated risk is concave there: its least value over an interval is at one of these points or at an end.
"""

from __future__ import annotations

import math

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Rows
from dpbench.papers.heavytail.algorithms.net import Net
from dpbench.papers.heavytail.algorithms.truncation import columns, sums_at
from dpbench.papers.heavytail.populations import HeavyTailedPopulation
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.tails import Tail
from dpbench.papers.heavytail.theorems import FAILURE, ORDERS, paper, unit_iota, unit_rate
from dpbench.papers.heavytail.theorems.frequencies import RECORDS, frequency
from dpbench.papers.heavytail.theorems.hidden import HiddenLaw
from dpbench.rates.nuisances import Ripple

_BLOCK = 50


def population(theta: float) -> HeavyTailedPopulation:
    """Student's t with 0.2 more degrees of freedom than θ, in x (E|x|^θ = 1) and in the noise; w* = 0.5."""
    law = Tail("student", theta + 0.2)
    return HeavyTailedPopulation.unit(law, np.array([0.5]), theta=theta, noise=law, noise_scale=0.2)


def truncated_minimiser(problem: HeavyTailedProblem, iota: float) -> tuple[float, float]:
    """ŵ_ι and L̂_ι(ŵ_ι) for d = 1, exactly: the best of the points y_i/x_i inside the domain and of its ends."""
    x, radius = problem.X[:, 0], problem.radius
    kinks = problem.y[x != 0.0] / x[x != 0.0]
    points = np.unique(np.concatenate([kinks[np.abs(kinks) <= radius], [-radius, radius]]))
    sums = sums_at(columns(problem), problem.y, points[:, None], iota, problem.theta)
    best = int(np.argmin(sums))
    return float(points[best]), float(sums[best]) / (problem.n * iota)


def _minima(theta: float, n: int, seed: int, block: int) -> np.ndarray:
    """L(ŵ_ι) − L(w*) and L(ŵ_ι) − L̂_ι(ŵ_ι) of `_BLOCK` data sets, shape (`_BLOCK`, 2)."""
    law = population(theta)
    iota = unit_iota(n, 1, theta)
    assert law.noise is not None
    least = law.noise_scale * law.noise.moment(1.0)  # L(w*) = E|e|
    rng = stream(seed, "heavytail.minimiser", theta, n, block)
    found = np.empty((_BLOCK, 2))
    for row in found:
        w, value = truncated_minimiser(law.draw(n, rng), iota)
        excess = float(law.excess_risk([[w]])[0])
        row[:] = excess, excess + least - value
    return found


def _hidden_minima(n: int, seed: int, block: int) -> np.ndarray:
    """L(ŵ_ι) − L(w*) of `_BLOCK` data sets of the law that ι hides, θ = 2."""
    law, rng = HiddenLaw(n, 1, 1.0, FAILURE), stream(seed, "heavytail.minimiser.hidden", n, block)
    found = [truncated_minimiser(law.draw(n, rng), unit_iota(n, 1, 2.0))[0] for _ in range(_BLOCK)]
    return law.excess_risk(np.array(found)[:, None])


_SEEN = Ripple(
    0.2, "the rare records of a data set, of a Poisson law with mean below 1, outweigh the others with a chance up to "
    "1/6 that steps with n, and then nothing is lost",
)  # fmt: skip


@paper.rate(
    "lemma3",
    variant="n",
    source="Lemma 3, equation 5",
    expected="consistent",
    side="upper",
    nuisances=(_SEEN,),
    quote=r"the optimal solution $\hat{w}_{\iota}$ of (2) has the following the excess population risk with "
    r"probability at least $1-\eta$ ... $=\tilde{O}(\sqrt{\frac{d\log\frac{1}{\eta}}{n}})$",
    statement="For some iota(1/n, d, Delta, log(1/eta)) the minimiser of the truncated risk has an excess of "
    "O~(sqrt(d log(1/eta)/n)): slope in n.",
    because="The minimiser over [-1, 1] is found exactly, iota is that of Theorem 1 at epsilon = 1, and the law is "
    "that of heavytail.thm1.inequality.reached at each n, whose rare records iota hides: its bias is "
    "of the order of the bound. The lemma's factor in brackets is printed with the dimensions of three different "
    "things (E|x|, 1/n^2, a second moment): only the rate is tried.",
)
def rate(context: Context) -> Rows:
    """The slope in n of the excess of ŵ_ι, θ = 2, d = 1, without privacy."""
    count = context.pick(quick=200, full=800)
    for n in context.pick(quick=(4000, 64_000), full=(4000, 16_000, 64_000, 256_000)):
        blocks = sampled(context, _hidden_minima, n, blocks=count // _BLOCK)
        yield {"n": float(n), "samples": np.concatenate(blocks), "ceiling": unit_rate(n, 1, 2.0)}
    return "the minimiser of the truncated risk, d = 1; ceiling sqrt(log n log(1/eta)/n)"


_EXACT = "The minimiser over [-1, 1] is found exactly, the risk by quadrature; Student's t design and noise. "


@paper.inequality(
    "lemma6",
    source="Lemma 6",
    expected="not refuted",
    level=LEVEL,
    arguments={"lemma": 6, "orders": (2.0,)},
    frequencies=("frequency", 2.0 * FAILURE, 1),
    quote=r"under Assumption 1, we have the following with probability at least $1-2\eta$ ... $\leq 2\zeta\tau$ ... "
    r"$+\iota\zeta^{2}\tau^{2}+\frac{3\iota}{2}\sup_{w\in\mathcal{W}}\mathbb{E}(y-\langle "
    r"x,w\rangle)^{2}+\frac{1}{n\iota}\log\frac{N(\mathcal{W},\zeta)}{\eta}$",
    statement="With probability 1 - 2 eta, L(w_iota) - L(w*) <= 2 zeta tau + iota zeta^2 tau^2 + (3 iota/2) sup E(y - "
    "<x,w>)^2 + log(N/eta)/(n iota).",
    because=_EXACT + "Its proof adds the deviation at w*, and with it log(1/eta)/(n iota), which the print drops: too "
    "little to be seen here. This is also the left side that Theorem 1 prints in (7) and (8), where that of the "
    "private output is meant.",
    rows={
        "theta-below-2": {
            "source": "Lemma 9",
            "arguments": {"lemma": 9, "orders": ORDERS[2]},
            "frequencies": ("frequency", FAILURE, 3),
            "quote": r"$\leq 2\zeta\tau+\frac{(2\iota)^{\theta-1}}{\theta}\sup_{w\in\mathcal{W}}\mathbb{E}|y-\langle "
            r"x,w\rangle|^{\theta}$ ... $+\frac{(2\iota)^{\theta-1}\zeta^{\theta}}{\theta}\tau^{\theta}+\frac{1}{n"
            r"\iota}\log\frac{N(\mathcal{W},\zeta)}{\eta}$",
            "statement": "With probability 1 - eta, L(w_iota) - L_iota(w_iota) <= 2 zeta tau + ((2 "
            "iota)^(theta-1)/theta)(sup E|y - <x,w>|^theta + zeta^theta tau^theta) + log(N/eta)/(n iota).",
            "because": _EXACT + "From Lemma 10 at the net point nearest to the minimiser.",
        }
    },
)
def frequencies(context: Context, lemma: int, orders: tuple[float, ...]) -> tuple[str, Evidence]:
    """How often the minimiser exceeds the bound of Lemma 6 or 9, against 2η or η.

    sup_w E|y − xw|^θ is put too small, max(E|e|^θ, max|w − w*|^θ E|x|^θ) (Jensen): the test is the stricter for it.
    """
    count = context.pick(quick=100, full=2000)
    rows = []
    for theta in orders:
        law, iota, zeta = population(theta), unit_iota(RECORDS, 1, theta), 1.0 / RECORDS
        assert law.noise is not None
        spread = max(law.noise_scale**theta * law.noise.moment(theta), 1.5**theta)
        entropy = (Net(1, 1.0, "ball", zeta).log_size_bounds()[0] - math.log(FAILURE)) / (RECORDS * iota)
        if lemma == 6:
            right = 2.0 * zeta + iota * zeta**2 + 1.5 * iota * spread + entropy
        else:
            growth = (2.0 * iota) ** (theta - 1.0) / theta
            right = 2.0 * zeta + growth * (spread + zeta**theta) + entropy
        found = np.concatenate(sampled(context, _minima, theta, RECORDS, blocks=count // _BLOCK))
        left = found[:, 0 if lemma == 6 else 1]
        rows.append({"theta": theta, "failures": int((left > right).sum()), "largest_left": float(left.max()),
                     "right": right})  # fmt: skip
    return frequency(rows, count, 2.0 * FAILURE if lemma == 6 else FAILURE)
