"""Theorem 3 of the public-data paper: the n of (9), and Algorithm 3 on the hull of a class that is not convex."""

from __future__ import annotations

from scipy.special import ndtri

from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import growing
from dpbench.ledger.measurement import Context, Evidence
from dpbench.ledger.statement import Real
from dpbench.papers.publicdata import theory_settings
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.hypotheses.finite import ConvexHull
from dpbench.papers.publicdata.populations import FinitePopulation
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.sample_sizes import (
    ALPHA,
    BETA,
    EPSILONS,
    MOVED,
    least_spread,
    of_small_epsilon,
)
from dpbench.papers.publicdata.theorems.sweeps import DELTA, EPSILON, judged, records_log, setting
from dpbench.papers.publicdata.theorems.three_functions import TABLE


def leaning(eta: float) -> FinitePopulation:
    """The hull of `TABLE`, where the label at b is 1 with chance p = 2η/3: on g1–g2, f̄ = 3p/(4η) = 1/2, η/9 is lost.

    With f(a) = f(b) = t and f(c) = 1 the risk is −pt/3 and the penalty 2ηt²/9, but for constants; towards h the risk
    at c rises by 1/6, far above η.
    """
    chance = 2.0 * eta / 3.0
    return FinitePopulation(
        points=[0, 1, 2, 3], public=[1 / 9, 1 / 9, 1 / 9, 2 / 3], private=[1 / 3, 1 / 3, 1 / 3, 0.0],
        labels=[[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, -1.0]],
        law=[[1.0, 0.0], [1.0 - chance, chance], [1.0, 0.0], [1.0, 0.0]], hypotheses=ConvexHull(TABLE), loss="absolute",
    )  # fmt: skip


@paper.rate(
    "thm3",
    variant="n.hull",
    source="Section 3, Algorithm 3 on conv(F)",
    expected="consistent",
    side="upper",
    statement="Where F is not convex, Algorithm 3 applied to conv(F) learns with n = O~(alpha^-5) records.",
    nuisances=(records_log(5.0),),
    origin="printed",
    because="The hull of the three functions on which Algorithm 2 fails: the same Gaussian complexity, for a linear "
    "functional is largest at a vertex, and a convex class. eta and m follow alpha = n^(-1/5), the runs are private. "
    "The labels lean to one end of an edge by the order of eta, so that the penalty keeps the answer off it and a "
    "constant share of eta is lost at every n, as on publicdata.thm7.rate.n.worst.",
)
def hull(context: Context) -> Evidence:
    """Algorithm 3, exact calibration, on the hull of {g1, g2, h}; the law changes with n."""
    rows = []
    for n in context.pick(quick=(1000, 200_000), full=(1000, 10_000, 100_000, 1_000_000)):
        alpha = n**-0.2
        mechanism = RegularizedPerturbation(EPSILON, DELTA, regularization=0.5 * alpha)
        rows.append(setting("n", n, alpha, n, 4.0 / alpha**2, leaning(0.5 * alpha), mechanism))
    return judged(context, rows, context.pick(quick=40, full=192), 16)


EVERY_CHOICE = of_small_epsilon(
    "For some eta, gamma and m, functions of the parameters, n = O~(G^2 epsilon^-1 alpha^-5) records make Algorithm 3 "
    "with Gaussian noise (epsilon, delta)-DP and an (alpha, beta)-learner, for every convex class: {claim}, with "
    "{needed} and {said}.",
    {"G": Real("complexity of the class", "1/100", 100)},
    {
        "quantile": "41/25",
        "noise": "2*alpha/quantile",
        "needed": "(s/2/noise)^2/(2*alpha)",
        "said": "G^2/(epsilon*alpha^5)",
    },
    "Constants in [-1, 1] with labels of mean 2 eta ask for eta <= 2 alpha, constants with labels 1 for gamma/sqrt(m) "
    "<= 2 alpha/Phi^-1(1 - beta) at beta = 0.05, whose quantile is above 1.64; so n >= (s sqrt(m)/(2 gamma))^2/eta is "
    "at least needed, whatever eta, gamma and m are.",
).replace(witness={"u": 1, "alpha": "1/8", "G": 1, "power_u": 1, "first": 0})


@paper.inequality(
    "thm3",
    variant="sample-size",
    source="Theorem 3, equation 9",
    expected="refuted",
    holds="publicdata.thm7.privacy",
    statement=EVERY_CHOICE,
    weight="range",
    hurt="corner: epsilon below order alpha^2: from 0.001 on at alpha = 1/8, hidden constants 1",
    quote=r"(\sup_{m}\overline{\mathcal{G}}_{m}(\mathcal{F}))^{2}\cdot\varepsilon^{-1}\cdot\alpha^{-5}\right)",
    consequence="It stands for epsilon of order 1, with epsilon^-2 for epsilon^-1 in all. For epsilon below order "
    "alpha^2 no eta, gamma and m make Algorithm 3 private and accurate at this n: with alpha = 1/8 and all hidden "
    "constants 1 it fails from epsilon = 0.001 on. Between alpha^2 and 1 nothing is decided here.",
    errata=Correction(place="Theorem 3, equation 9", line=182, effect=2, change="for epsilon^-1 read epsilon^-2"),
    because=MOVED + "Privacy needs s of order 1/epsilon. Constants with labels of mean 2 eta are eta/2 from the best: "
    "eta <= 2 alpha. Constants with labels 1 lose gamma |N|/(2 sqrt(m)): gamma/sqrt(m) = O(alpha). Together n >= c "
    "alpha^-3 epsilon^-2, which is (9) times alpha^2/epsilon. One class has both families (s on A, t phi on B, "
    "half of the public points on each, labels on A alone: sigma = 1/2), and needs the same n.",
)
def every_choice(context: Context) -> Evidence:
    """The least n at which privacy and both accuracies go together, for the best η and γ/√m, over n of (9)."""
    rows = []
    for epsilon in EPSILONS:
        spread = least_spread(epsilon, 1e-5 * epsilon)
        noise = 2.0 * ALPHA / float(ndtri(1.0 - BETA))  # the largest γ/√m that learns
        least = (0.5 * spread / noise) ** 2 / (2.0 * ALPHA)  # at η = 2α, the largest that learns
        said = theory_settings.theorem3_records(epsilon, ALPHA, 1.0)
        rows.append({"epsilon": epsilon, "records": said, "needed": least, "constant": least / said})
    return growing(
        rows,
        "value: exponent in epsilon of the constant that (9) needs, eta, gamma and m chosen best for each epsilon; "
        f"alpha = {ALPHA:g}, beta = {BETA:g}, G of order 1",
    )
