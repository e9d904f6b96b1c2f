"""What the GLM paper says in passing: Algorithm 3 in low dimension, Theorem 4 on populations, Corollary 4 on data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpbench.auditing.bounded_mean import upper_mean
from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import margins, sampled, vanishing
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, Rows
from dpbench.papers.glm import theory
from dpbench.papers.glm.noisy_gd import NoisyGD
from dpbench.papers.glm.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.corollary2 import CONSTANTS
from dpbench.papers.glm.theorems.floors import Zero
from dpbench.papers.glm.theorems.hard_scales import mean_power, noise_sum, noisy_gd_excess, output_perturbation_excess
from dpbench.papers.glm.theorems.rates_noisy_gd import step_and_noise
from dpbench.privacy import gaussian
from lowerbounds._fingerprinting import fingerprinting
from lowerbounds._packing import packing

DELTA = 1e-5
TINY = 1e-15
"""δ of the remark's entry: far below its smallest ε."""
SHARES = tuple(0.3 + 0.05 * step for step in range(15))
"""p/λ of the populations that are tried beside p = 1."""
_REMARK = (
    r"We note that we can use the same technique in the low dimensional setting too, yielding a rate of  "
    r"$\frac{\sqrt{H}B\|\mathcal{X}\|\|\mathcal{Y}\|+\|\mathcal{Y}\|^2}{\sqrt{n}}+\frac{GB\sqrt{d}}{n\epsilon}$ ."
)


@paper.inequality(
    "thm3", variant="low-dimension", source="Remark after Theorem 3", expected="not refuted", quote=_REMARK,
    rests_on=("glm.cor2.inequality.corrected",),
    statement="In low dimension the rate (sqrt(H)B|X||Y| + |Y|^2)/sqrt(n) + GB sqrt(d log(1/delta))/(n epsilon) is "
    "attained by the technique read as constrained private minimisation with the Rademacher bound: by noisy GD, with "
    "the constants of Theorem 1's proof.",
    because="Noisy GD has the private term on the empirical risk (Lemma 6), and Theorem 1 the whole bound, even "
    "without |Y|^2/sqrt(n). Read as Algorithm 3 itself the remark fails, which is an entry of its own.",
    consequence="For low dimension use Algorithm 1: at d = 1, B = |X| = |Y| = 1 and epsilon = 1/sqrt(n) Algorithm 3 "
    "with its best lambda costs at least 0.6 times the remark's rate (constants 1) at n = 10^6, 2.2 times at 10^10, "
    "9.3 times at 10^14.",
)
def low_dimension(context: Context) -> Evidence:
    """Noisy GD on its hardest scale, and inf over λ of the worst of four populations for Algorithm 3, ε = n^{-1/2}."""
    rows: list[Row] = []
    for n in (10**6, 10**10, 10**14):
        epsilon = 1.0 / math.sqrt(n)
        remark = remark_rate(n, epsilon, TINY)
        private = remark - (math.sqrt(2.0) + 1.0) / math.sqrt(n)
        sigma = theory.noisy_gd_noise(theory.smooth_gradient_bound(2.0, 1.0, 1.0, 1.0), n, n, epsilon, TINY)
        eta = theory.noisy_gd_step_size(1.0, n, 2.0, 1.0, 1.0, sigma, 1)
        excess = max(_descent(n, float(p), eta, sigma) for p in np.geomspace(0.1, 1e4, 200) / (n * epsilon))
        proved = CONSTANTS[0] * math.sqrt(2.0 / n) + 0.5 * CONSTANTS[1] * private
        rows.append({"n": n, "epsilon": epsilon, "left": excess, "right": proved, "remark": remark,
                     "noisy GD over it": excess / remark,
                     "Algorithm 3 over it, at least": least_excess(n, epsilon, TINY) / remark, "zero predictor": 1.0})
    return margins(
        rows,
        "squared loss, d = 1, B = X = Y = 1, epsilon = n^(-1/2), delta = 1e-15, G of Lemma 2, x = 1 with probability "
        "p, else 0, y = 1: noisy GD at its hardest p with exactly pn such records, projection left out",
        "Algorithm 3 over it, at least: an infimum over every lambda > 0, bounded below in 40,000 intervals of lambda "
        "by monotonicity; the expected excess is bounded below by Jensen's inequality in the number of records met, at "
        "p = 1 and near lambda/2, the noise is the least that the Gaussian mechanism needs for the pair with one "
        "record other than (0, 0)",
    )


@paper.inequality(
    "thm3", variant="low-dimension.algorithm-3", source="Remark after Theorem 3, of Algorithm 3", expected="refuted",
    quote=_REMARK, holds="glm.thm3.inequality.low-dimension", weight="range",
    statement="In low dimension Algorithm 3, with some lambda and the Gaussian noise that privacy needs, has the rate "
    "(sqrt(H)B|X||Y| + |Y|^2)/sqrt(n) + GB sqrt(d log(1/delta))/(n epsilon), up to a constant and a power of log n.",
    because="Squared loss, d = B = X = Y = 1, (x, y) = (1, 1) with probability p, else (0, 0). The data sets "
    "{(1, 1), zeros} and {(1, -1), zeros} have minimisers 4/(n(lambda + 2/n)) apart, so that sigma >= 4/(n mu (lambda "
    "+ 2/n)), mu the parameter of the exact Gaussian profile at (epsilon, delta). Jensen's inequality in the number of "
    "records met gives excess >= p((lambda/(2p + lambda))^2 + sigma^2): lambda/8 at p = lambda/2 and sigma^2 at p = 1. "
    "For lambda <= 2 the larger of them is at least (2 n mu)^(-2/3) - 1/(4n), for lambda > 2 it is 1/4 at p = 1.",
    consequence="Of Algorithm 3, the technique of the paragraph, the remark is true for epsilon >= n^(-1/4) (up to "
    "logarithms, where Theorem 3 implies it) and false for n^(-1) << epsilon << n^(-1/4): at d = 1, epsilon = "
    "n^(-1/2) no lambda does better than (n epsilon)^(-2/3), n^(1/6) times the remark's rate. Of noisy GD it is true, "
    "by Theorem 1 and even without |Y|^2/sqrt(n).",
    errata=Correction(
        place="after Theorem 3, section 3.1.2",
        change='for "the same technique" read "Algorithm 1", or add "for epsilon >= n^(-1/4)"',
        caveat="“Our second technique is constrained regularized ERM with output perturbation (Algorithm 3)” is how "
        "the paragraph begins, and the remark goes on: “these results have an additional  "
        r"$\frac{\|\mathcal{Y}\|^2}{\sqrt{n}}$  term (in both regimes)”. If noisy GD was meant, the remark stands.",
        witness="arXiv:2205.03014v2 (6 March 2024), from its LaTeX source, prints the same", effect=2, line=227,
    ),
)  # fmt: skip
def low_dimension_algorithm_3(context: Context) -> Evidence:
    """The remark's rate times log(n)⁴ over the floor on Algorithm 3's excess, ε = n^{−1/2} and δ = n^{−2}."""
    rows: list[Row] = []
    for n in (10**k for k in range(20, 77, 8)):
        epsilon, delta = 1.0 / math.sqrt(n), 1.0 / n / n
        remark, floor = remark_rate(n, epsilon, delta), floor_on_algorithm_3(n, epsilon, delta)
        rows.append({"n": float(n), "epsilon": epsilon, "remark": remark, "excess at least": floor,
                     "excess over remark": floor / remark, "ratio": remark * math.log(n) ** 4 / floor})
    return vanishing(
        rows,
        "value: the remark's rate (constants 1) times log(n)^4 over a lower bound on Algorithm 3's excess risk, for "
        "every lambda, at n = 1e76; it falls at every step, so that no constant and no power of log n is enough",
        "squared loss, d = B = X = Y = 1, epsilon = n^(-1/2), delta = n^(-2): the floor (2 n mu)^(-2/3) - 1/(4n); "
        "beside it an infimum over lambda, computed another way, is in glm.thm3.inequality.low-dimension",
    )


def remark_rate(n: int, epsilon: float, delta: float) -> float:
    """The remark's rate at squared loss, d = B = X = Y = 1, constants 1 and G of Lemma 2, √log(1/δ) granted."""
    private = theory.smooth_gradient_bound(2.0, 1.0, 1.0, 1.0) * math.sqrt(math.log(1.0 / delta)) / (n * epsilon)
    return (math.sqrt(2.0) + 1.0) / math.sqrt(n) + private


def floor_on_algorithm_3(n: int, epsilon: float, delta: float) -> float:
    """(2nμ)^{−2/3} − 1/(4n), or 1/4 if less: what the worst population costs whatever λ is."""
    return min(0.25, (2.0 * n * gaussian.mu(epsilon, delta) * (1.0 + 1e-9)) ** (-2.0 / 3.0) - 0.25 / n)


def _descent(n: int, p: float, eta: float, sigma: float) -> float:
    """E[L(ŵ) − L(w*)] of noisy gradient descent on pn records (1, 1), T = n: bias and noise of the average iterate."""
    step = np.array([eta * 2.0 * min(1.0, p)])
    bias, noise = float(mean_power(step, n)[0]), float(noise_sum(step, n)[0])
    return min(1.0, p) * (bias**2 + (eta * sigma / n) ** 2 * noise)


def least_excess(n: int, epsilon: float, delta: float, cells: int = 40_000) -> float:
    """A lower bound on inf over λ > 0 of Algorithm 3's worst excess over the populations.

    Met by N ~ Bin(n, p) records the coordinate keeps λ/(2N/n + λ) of its bias; the square is convex in N. The bias
    grows in λ and the noise falls, so that on an interval of λ the excess is at least the bias at its lower end and the
    noise at its upper end; below the first interval the noise alone counts, above the last one the bias.
    """
    mu = gaussian.mu(epsilon, delta) * (1.0 + 1e-9)
    ends = np.geomspace(1e-3, 1e3, cells + 1) * (n * epsilon) ** (-2.0 / 3.0)
    low, high = np.append(0.0, ends), np.append(ends, np.inf)
    noise = np.append((lone_record_sensitivity(n, high[:-1]) / mu) ** 2, 0.0)
    worst = np.zeros(len(low))
    for share in (np.ones(len(low)), *(np.minimum(1.0, c * low) for c in SHARES)):
        kept = np.divide(low, 2.0 * share + low, out=np.zeros(len(low)), where=low > 0.0)
        worst = np.maximum(worst, share * (kept**2 + noise))
    return float(worst.min())


def lone_record_sensitivity(n: int, lam: Any) -> Any:
    """|w̃ − w̃'| of the data sets with (1, ±1) and n − 1 records (0, 0): 2·(2/n)/(2/n + λ), B = 1."""
    return 4.0 / n / (2.0 / n + lam)


@paper.floor(
    "thm4", variant="population", source="Theorem 4, its remark on population risk", expected="not refuted",
    quote=r"a reduction found in [BFTGT19] implies the following result holds for population risk as well (up to log "
    r"factors).",
    rests_on=("glm.thm4.floor.exact",),
    statement="On n draws from the uniform law on a packing data set an epsilon-DP algorithm has expected excess "
    "population risk of at least Theorem 4's floor at (m epsilon, P(Bin(n, 1/n) > m)), for every m.",
    because="An algorithm that draws n records of S with replacement and runs A is private for S: the record that is "
    "replaced is drawn at most m times but for that probability, and then group privacy gives m epsilon. Its empirical "
    "excess on S is A's population excess. A constant m suffices, no logarithm, at delta = 0.",
)
def population(context: Context) -> Rows:
    """Noisy GD and output perturbation in closed form, and zero, on the population of the packing."""
    for n, d, epsilon in ((2_000, 4, 0.1), (2_000, 64, 0.1), (50_000, 16, 0.02), (50_000, 16, 0.2)):
        family, m, missed = resampled(n, d, epsilon)
        active, b = int(family.parameters["active"]), float(family.parameters["bias"])
        fraction, radius = float(family.parameters["fraction"]), math.sqrt(active) * b
        lam = OutputPerturbation(epsilon, DELTA).lam(_bounds(n, radius))
        sigma = OutputPerturbation(epsilon, DELTA).sigma(_bounds(n, radius))
        eta, noise = step_and_noise(n, d, epsilon)
        errors = {
            "zero": fraction * b**2,
            "noisy GD": noisy_gd_excess("squared", n, active, fraction, eta, noise, steps=n, radius=radius),
            "output perturbation": output_perturbation_excess(n, active, fraction, lam, sigma, radius=radius),
        }
        for name, error in errors.items():
            yield {"n": n, "d": d, "epsilon": epsilon, "m": m, "delta of the reduction": missed, "algorithm": name,
                   "left": family.floor, "right": error, "ratio": error / family.floor}
    return (
        "value: the smallest (error - floor)/error",
        "squared loss, X = Y = 1; population excess in closed form, projection left out; m maximises the floor. The "
        "other algorithms are (epsilon, 1e-5)-DP: at such a delta the floor is the same to three digits",
    )


def resampled(n: int, d: int, epsilon: float) -> tuple[Any, int, float]:
    """The packing whose floor at (mε, P(Bin(n, 1/n) > m)) is largest over m ≤ 12, with that m and probability."""
    from scipy.stats import binom

    found = []
    for m in range(1, 13):
        missed = float(binom.sf(m, n, 1.0 / n))
        if m * epsilon <= 1.0 and missed <= (1.0 - math.exp(-m * epsilon)) / 16.0:
            family = packing(n, d, m * epsilon, missed, radius=0.5)
            found.append((family.floor, m, missed, family))
    _, m, missed, family = max(found, key=lambda item: item[0])
    return family, m, missed


def _bounds(n: int, radius: float) -> GLMProblem:
    return GLMProblem(np.ones((n, 1)), np.ones(n), loss="squared", x_bound=1.0, y_bound=1.0, radius=radius)


@paper.floor(
    "cor4", variant="empirical", source="Corollary 4, its last sentence", expected="not refuted", level=LEVEL,
    quote=r"Using generalization properties of differential privacy, we get the same bound as above for excess "
    r"empirical risk; see Corollary B.4 in [SSTT20] for details.",
    statement="The printed floor of Corollary 4 (p = 2) holds for the mean excess empirical risk over the family.",
    because="The empirical minimiser has at most the risk of w~ on average, and a private output does nearly as well "
    "on new records as on its own.",
)
def empirical(context: Context) -> Evidence:
    """Empirical excess of the private algorithms and of zero on the fingerprinting distributions."""
    rows: list[Row] = []
    cases = ((60, 32, 0.1), (120, 8, 0.3), (100, 128, 0.5))[: context.pick(quick=2, full=3)]
    algorithms = {"noisy GD": (1.0, NoisyGD), "output perturbation": (1.0, OutputPerturbation), "zero": (0.0, Zero)}
    draws, level = context.pick(quick=4, full=24), LEVEL / (3 * len(cases))
    for n, d, epsilon in cases:
        family = fingerprinting(n, d, epsilon, constants="printed")
        for name, (private, build) in algorithms.items():
            mechanism = build(epsilon, DELTA) if private else build()
            parts = sampled(context, empirical_block, n, d, epsilon, mechanism, blocks=draws)
            values, reach = np.concatenate(parts), 4.0 / math.sqrt(d)
            upper = upper_mean(np.minimum(values, reach), reach, level)
            rows.append({"n": n, "d": d, "epsilon": epsilon, "algorithm": name, "floor": family.floor,
                         "error": float(values.mean()), "upper": upper, "ratio": float(values.mean()) / family.floor})
    return margins(
        rows,
        "value: the smallest ratio of a mean excess empirical risk to the printed floor of Corollary 4",
        "absolute loss, X = B = 1; the empirical minimiser is the median of each coordinate's labels; the margin is of "
        "upper confidence bounds of the errors, cut at 4B/sqrt(d)",
        value=min(row["ratio"] for row in rows), sides=("floor", "upper"), trials=len(rows) * draws * _MEMBERS,
    )  # fmt: skip


_MEMBERS = 8


def empirical_block(n: int, d: int, epsilon: float, mechanism: Any, seed: int, block: int) -> np.ndarray:
    """L̂(A(S)) − min L̂ on `_MEMBERS` data sets, each of a member of its own."""
    family = fingerprinting(n, d, epsilon, constants="printed")
    rng = stream(seed, "glm.cor4.floor.empirical", n, d, epsilon, mechanism, block)
    found = []
    for _ in range(_MEMBERS):
        made = family.instances(family.members(rng), rng)
        X, y, scale = np.asarray(made.X.toarray()), np.asarray(made.y), family.parameters["scale"]
        problem = GLMProblem(X, y, loss="absolute", x_bound=1.0, y_bound=float(scale), radius=1.0)
        best = scale * np.minimum(X.T @ (y > 0.0), X.T @ (y <= 0.0)).sum() / n
        found.append(float(problem.empirical_risk(mechanism(problem, 1, rng))[0]) - best)
    return np.array(found)
