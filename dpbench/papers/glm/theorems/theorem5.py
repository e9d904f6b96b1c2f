"""Theorem 5: output perturbation (Algorithm 3), Lipschitz losses. The printed noise is too small; the exact suffices.

The two statements below are the theorem as printed and as it holds. The sentence of the ledger, the space that is
searched for counterexamples, the certificate and the numbers of the measurement follow from them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

import numpy as np

from dpbench.ledger.attacks import attack_bounds
from dpbench.ledger.correction import Correction
from dpbench.ledger.figure import Figure
from dpbench.ledger.harness import profiles
from dpbench.ledger.harness_rates import swept
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row
from dpbench.ledger.statement import Integer, Real, Statement, calibrated, gaussian
from dpbench.papers.glm import theory
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.populations import ScaledBasis, padded, sharp, zero_excess
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.output_perturbation_privacy import (
    GUARANTEED,
    SEEDS,
    SENSITIVITY,
    distance_of,
    exact_guarantee,
)
from dpbench.papers.glm.theorems.pairs import SEARCH, cancelling_pair, claimed_and_true, searched, threshold
from dpbench.rates.sweeps import Point

QUOTE = (
    r"Algorithm 3 run with parameters  $\sigma^2 = "
    r"\frac{4G^2\|\mathcal{X}\|^2\log(1/\delta)}{\lambda^2n^2\epsilon^2}$"
)

DELTA = 1e-5
DELTAS = (1e-2, 1e-3, 1e-5)
FIGURE_DELTA = 1e-5
SEEN_BY_SAMPLING = (4.0, 1e-2)

PRINTED = Statement(
    about="Algorithm 3 with {sigma} and {lambda} is {claim} for every convex G-Lipschitz GLM.",
    symbols={
        "n": Integer("number of records", 1, 10**6),
        "G": Real("Lipschitz constant of the loss", "1/100", 100),
        "X": Real("bound on the features' norm", "1/100", 100),
        "B": Real("radius of the ball", "1/100", 100),
        "epsilon": Real("claimed", "1/100", 100),
        "delta": Real("claimed", "1e-10", "1/10"),
    },
    where={
        "lambda": "G*X*log(1/delta)^(1/4)/(B*sqrt(n*epsilon))",
        "sigma": "sqrt(4*G^2*X^2*log(1/delta)/(lambda^2*n^2*epsilon^2))",
        "distance": "2*G*X/(lambda*n)",
    },
    given={"inside": ("G*X/(lambda*n) <= B", "both minimisers lie in the ball, so neither is projected")},
    claim=gaussian(shift="distance", scale="sigma"),
    steps=(
        "Loss -G y <w, x>, convex and G-Lipschitz; all records are (0, 1) but one, (X e, +1) in one data set and (X e, "
        "-1) in the other.",
        "The regularised risk is lambda |w|^2/2 -+ G X <w, e>/n, least at +-G X e/(lambda n), inside the ball; the "
        "outputs are Gaussian with those means and standard deviation sigma.",
    ),
    witness=tuple(
        {"n": n, "G": 1, "X": 1, "B": 1, "epsilon": epsilon, "delta": delta}
        for n, epsilon, delta in ((5, 1, "1e-5"), (5, "1/2", "1e-5"), (5, 2, "1e-3"), (5, 2, "1e-2"), (3, 4, "1e-2"))
    ),
)
_true_delta = PRINTED.compiled("gaussian_delta(distance/sigma, epsilon)")


def _within(delta: float, epsilon: float) -> bool:
    """Whether the printed noise keeps the pair within (ε, δ); only the ratio of distance and noise enters."""
    return _true_delta({"n": 101, "G": 1.0, "X": 1.0, "B": 1.0, "epsilon": epsilon, "delta": delta})[0] <= delta


def _curve(problem: GLMProblem, neighbour: GLMProblem) -> dict[str, list[float]]:
    """Claimed against true δ over ε on the worst pair: the figure's columns."""

    def true(calibration: str, e: float) -> float:
        return OutputPerturbation(e, FIGURE_DELTA, calibration=calibration).pair_profile(problem, neighbour).delta(e)

    return claimed_and_true(np.geomspace(0.05, 16.0, 37), FIGURE_DELTA, true)


def theorem5_exact(context: Context) -> tuple[str, Evidence]:
    """Lipschitz losses."""
    return exact_guarantee(("logistic", "huber", "absolute", "linear"), 5, context.pick(**SEEDS), context)


@paper.privacy(
    "thm5",
    source="Theorem 5",
    expected="refuted",
    level=LEVEL,
    holds="glm.thm5.privacy.exact",
    statement=PRINTED,
    weight="constant",
    hurt="use",
    quote=QUOTE,
    consequence="At (1, 1e-5) the true delta is 4.28e-5 (the true epsilon at 1e-5 is 1.11), at (4, 1e-2) it is 0.0555. "
    "The noise suffices for epsilon up to 0.324 at delta = 1e-5 only (1.14 at 1e-3, 1.71 at 1e-2). The excess risk "
    "bound is not touched: a larger constant in sigma^2 changes none of its rates.",
    errata=Correction(
        place="Theorem 5, section 4 (and B.1)",
        effect=2,
        change="for 4G^2|X|^2 log(1/delta) read 8G^2|X|^2 log(1.25/delta) with epsilon <= 1 (the classical Gaussian "
        "mechanism at the same sensitivity 2G|X|/(lambda n)), or the sigma of the exact Gaussian profile for every "
        "epsilon",
    ),
    because="With the sensitivity 2GX/(lambda n) this noise gives mu = epsilon/sqrt(log(1/delta)), a factor sqrt(2) "
    "above what even the classical Gaussian mechanism allows. The linear loss attains the sensitivity inside the "
    "ball, so the profile of a pair is known exactly.",
    figure=Figure(
        "delta_thm5",
        "privacy",
        "at ε = {target_epsilon:g} the true δ is {value:.1e}, not {target_delta:.1e}",
        {"title": "Theorem 5: output perturbation, worst pair"},
    ),
    rows={
        "exact": {
            "measure": theorem5_exact,
            "source": "Theorem 5, with the noise derived from the sensitivity",
            "expected": "proved",
            "because": SENSITIVITY,
            "statement": GUARANTEED,
            "formulas": PRINTED.replace(
                symbols={"mu": calibrated("gaussian", "epsilon", "delta")}, where={"sigma": "distance/mu"}, witness=None
            ),
            "rests_on": ("glm.sensitivity.inequality", "glm.sensitivity.inequality.minimisers"),
        },
    },
)
def theorem5_printed(context: Context) -> tuple[str, Evidence]:
    """The linear loss attains the sensitivity: exact profile of the pair, then an attack that sees it."""
    pair = problem, neighbour = cancelling_pair("linear", 101, x_bound=1.0, y_bound=1.0, radius=1.0)
    targets = [(1.0, 1e-5), (0.5, 1e-5), (2.0, 1e-3), (2.0, 1e-2), SEEN_BY_SAMPLING]
    mechanisms = [OutputPerturbation(e, d, calibration="printed") for e, d in targets]
    rows: list[Row] = [
        {"epsilon": m.epsilon, "delta": m.delta, "pair": m.pair_profile(problem, neighbour)} for m in mechanisms
    ]
    epsilon, delta = SEEN_BY_SAMPLING
    trials = context.pick(quick=100_000, full=2_000_000)
    attacks = [(mechanisms[-1], pair)]
    (attack,) = attack_bounds(context, attacks, epsilon=epsilon, delta=delta, trials=trials)
    distance = partial(distance_of, mechanisms[0])
    search = searched(problem, distance, distance(*pair), context.seed, context.pick(**SEARCH))
    starts = {d: threshold(partial(_within, d), 1e-4, 10.0) for d in DELTAS}
    thresholds = {"delta": list(starts), "epsilon_violated_from": list(starts.values())}
    return profiles(
        [*rows, {"epsilon": epsilon, "delta": delta, "attack": attack}],
        "value: the true delta of the pair where (1, 1e-5) is claimed; mu = epsilon/sqrt(log(1/delta))",
        f"attack at ({epsilon:g}, {delta:g}): epsilon >= {attack:.4g}, {'' if attack > epsilon else 'not '}refuted",
        "worst pair: all other records cancel, so the two minimisers are opposite and inside the ball, at the "
        f"distance 2GX/(lambda n) that bounds it for every loss; {search}",
        value=rows[0]["pair"].delta(1.0),
        trials=2 * trials,
        tables={"thresholds": thresholds, "curve": _curve(problem, neighbour)},
    )


QUOTE_THM5_RATE_N = (
    r"Given a dataset of n i.i.d. samples from  $\mathcal{D}$ , its output has excess risk  "
    r"$\mathbb{E}\left[\varepsilon_{\mathsf{risk}}(\widehat{w})\right] = "
    r"\widetilde{O}\left(\frac{GB\|\mathcal{X}\|}{\sqrt{n}} + \frac{GB\|\mathcal{X}\|}{\sqrt{n\epsilon}}\right)$ ."
)


PRIVATE = {"quick": (256, 0.2), "full": (2048, 0.05)}
"""n and ε of the rows over rank and B."""
_THEOREM_5 = "Algorithm 3 has excess risk O~(G B|X|/sqrt(n) + G B|X|/sqrt(n epsilon))."


def theorem5_rank(context: Context) -> Evidence:
    """Against the rank, from below nε = 102 to above it; everything as printed, w* on two coordinates."""
    grid = context.pick(quick=(4, 128), full=(4, 16, 64, 256, 512))
    n, epsilon = context.pick(**PRIVATE)
    return _theorem5(context, "rank", ((rank, n, padded(2, rank)) for rank in grid), epsilon, 16)


def theorem5_radius(context: Context) -> Evidence:
    """Against B = ‖w*‖."""
    grid = context.pick(quick=(0.01, 0.3, 10.0), full=(1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0))
    n, epsilon = context.pick(**PRIVATE)
    return _theorem5(context, "B", ((radius, n, sharp(8, 8, radius)) for radius in grid), epsilon, 16)


@paper.rate(
    "thm5",
    source="Theorem 5",
    expected="consistent",
    side="tight",
    statement=_THEOREM_5,
    because="On a sharp loss the regularised minimiser is w* and the noise costs its mean absolute value, sigma |X| "
    "sqrt(2/pi) = 2B|X|L^(1/4)sqrt(2/pi)/sqrt(n epsilon).",
    quote=QUOTE_THM5_RATE_N,
    figure=Figure("rate_thm5", "rate", given={"title": "Theorem 5: output perturbation"}),
    row="n",
    rows={
        "unconstrained": {
            "source": "Remark before Theorem 5, on the method of [JT14]",
            "full_only": True,
            "arguments": {"constrained": False},
            "quote": r"In fact, we note that the method of [JT14] (i.e. *unconstrained* regularized ERM with output "
            r"perturbation), can obtain this rate when  $\epsilon = O(1)$  if the regularization parameter is set "
            r"differently.",
            "statement": "With Theorem 5's lambda unconstrained regularised ERM has the rate too, at epsilon = 0.2.",
            "because": "The regularised minimiser is w* here, inside the ball, so that the constraint is not felt; its "
            "sensitivity is 2GX/(lambda n) with or without it.",
        },
        "rank": {
            "measure": theorem5_rank,
            "source": "Theorem 5, dependence on the rank",
            "because": "sigma and lambda have no dimension in them, and <xi, x> is normal with deviation sigma|x| in "
            "any dimension.",
            "quote": QUOTE_THM5_RATE_N,
        },
        "B": {
            "measure": theorem5_radius,
            "source": "Theorem 5, dependence on B",
            "because": "w -> cw, y -> cy is a symmetry: lambda goes to lambda/c and sigma to c sigma.",
            "quote": QUOTE_THM5_RATE_N,
        },
    },
)
def theorem5(context: Context, constrained: bool = True) -> Evidence:
    """Absolute loss, labels without noise: the minimiser is exact, and the noise costs σ‖X‖√(2/π)."""
    epsilon, d = 0.2, 8
    sizes = context.pick(quick=(256, 1024), full=tuple(2**k for k in range(9, 16)))
    masses, biases = np.full(d, 1.0 / d), np.where(np.arange(d) % 2 == 0, 1.0, -1.0)
    population = ScaledBasis("absolute", masses, biases, radius=math.sqrt(d))
    return _theorem5(
        context, "n", [(n, n, population) for n in sizes], epsilon, context.pick(quick=24, full=32), constrained
    )


def _theorem5(
    context: Context, axis: str, grid: Iterable[tuple[float, int, ScaledBasis]], epsilon: float, trials: int,
    constrained: bool = True,
) -> Evidence:  # fmt: skip
    """Everything printed at each (value on `axis`, n, population)."""
    mechanism = OutputPerturbation(epsilon, DELTA, calibration="printed", tolerance=1e-3, constrained=constrained)
    rows = []
    for at, n, population in grid:
        shape = (1.0, 1.0, population.radius, n, epsilon, DELTA)
        lam = theory.lipschitz_erm_regularization(*shape)
        noise = theory.lipschitz_erm_noise(1.0, 1.0, n, epsilon, DELTA, lam) * math.sqrt(2.0 / math.pi)
        rows.append(
            {axis: at, "n": n, "point": Point(population, n, mechanism), "ceiling": theory.lipschitz_erm_rate(*shape),
             "noise term": noise, "lambda": lam, "zero predictor": zero_excess(population)}
        )  # fmt: skip
    return swept(
        context, rows, trials,
        f"absolute loss, y = <w*, x> exactly where w* is not 0, X = G = 1, epsilon = {epsilon:g}, all parameters "
        "printed; where the rank is not on the axis the coordinates have equal mass, and B = |w*|",
        "noise term: sigma X sqrt(2/pi) = E|<xi, x>|, which has no rank in it and is linear in B; the regularised "
        "minimiser is w* itself where lambda |w*_j| stays below the mass of a coordinate", repeats=64,
    )  # fmt: skip
