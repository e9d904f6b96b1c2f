r"""Theorem 10: the JL method (Algorithm 2) on Lipschitz losses: privacy, step size for T = n² steps, rates.

Setting: noisy gradient descent on projected features, T = n², :math:`\sigma^2 = 8TG^2\|\mathcal{X}\|^2\Lambda/
(n\epsilon)^2` with :math:`\Lambda = \log(2/\delta)`. Regret and stability leave :math:`B^2/(2\eta n^2) +
(\eta/2)G^2\|\mathcal{X}\|^2(12n + 1 + 8k\Lambda/\epsilon^2)`, so that η has to fall once
:math:`\sqrt{k\Lambda}` is beyond :math:`\sqrt{n}\,\epsilon`; the printed one falls beyond :math:`n\epsilon` only,
which is right for the :math:`\sigma^2` that Lemma 8 prints, without T. In between the noise holds the iterates at
the boundary of the ball, away from every minimiser: `dpbench.papers.glm.theory_jl.descent_floor` bounds that below.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import margins, profiles, sampled, summary
from dpbench.ledger.harness_rates import swept
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, Rows
from dpbench.ledger.statement import Integer, Real, Statement, gaussian, profile
from dpbench.papers.glm import losses, theory, theory_jl
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.populations import PAD, padded, zero_excess
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.jl_privacy import (
    _CLIPPED,
    _DERIVATION,
    _SUFFICES,
    _alternating,
    _exact,
    _released,
    averaged,
)
from dpbench.papers.glm.theorems.lemma8 import _ETA, settings
from dpbench.papers.glm.theorems.noisy_gd_privacy import CLAIMED, PROJECTED
from dpbench.papers.glm.theorems.pairs import SEARCH, cancelling_pair, gradient_distance, searched
from dpbench.rates.nuisances import SecondTerm
from dpbench.rates.sweeps import Point

DELTA = 1e-5
CONSTANT = 0.002
"""The factor that Theorem 10 leaves in k = O(log(2n/δ)nε): with it the noise stays below the zero predictor's risk."""

_LIPSCHITZ = (losses.absolute(), losses.linear(), losses.logistic(), losses.huber())

LIPSCHITZ = averaged(
    "Algorithm 2 with sigma^2 = 8 T G^2 X^2 log(2/delta)/(n^2 epsilon^2), k = O(log(2n/delta) n epsilon) and T = n^2 "
    "is (epsilon, delta)-DP for G-Lipschitz GLMs.",
    {
        **CLAIMED,
        "half": Integer("pairs of records that cancel", 1, 100),
        "B": Real("radius", "1/100", 100),
    },
    {
        "n": "2*half + 1",
        "T": "n^2",
        "k": "integer_part(log(2*n/delta)*n*epsilon) + 1",
        "sigma": "sqrt(8*T*log(2/delta)/(n^2*epsilon^2))",
        "eta": "B/((1 + sqrt(k*log(2/delta))/(n*epsilon))*T^(3/4))",
    },
    {},
)
PRINTED = LIPSCHITZ.replace(witness={"half": 1, "B": 1, "epsilon": 72, "delta": "1/10"})
MODERATE = LIPSCHITZ.replace(
    given={
        "sizes": ("half >= 5", "n = 11 is the smallest size of the entry"),
        "most": ("epsilon <= 4", "its range"),
        "least": ("epsilon >= 1", "its range"),
        "small": ("delta <= 1/100", "its range"),
    },
)
SUFFICES = Statement(
    about="With the printed noise and the printed k the iterates are within (epsilon, delta) at these values.",
    symbols={
        "n": Integer("number of records", 2, "inf"),
        "epsilon": Real("claimed", 0, "inf"),
        "delta": Real("claimed", 0, 1),
        "G": Real("Lipschitz constant of the loss", 0, "inf"),
        "X": Real("bound on the features' norm", 0, "inf"),
        "a": Real("how much longer than X a projection may be, any a > 0", "1e-9", "inf"),
    },
    where={
        "T": "n^2",
        "k": "integer_part(log(2*n/delta)*n*epsilon) + 1",
        "sigma": "sqrt(8*T*G^2*X^2*log(2/delta))/(n*epsilon)",
        "mu": "2*G*(1 + a)*X/n*sqrt(T - 1)/sigma",
        "long": "gammatail(k/2, k*(1 + a)^2/2)",
    },
    claim=profile(bound="2*long + gaussian_delta(mu, epsilon)"),
    steps=(
        "The map does not depend on the data, so it may be thought released; only the two records that differ count. "
        "|Phi x|^2/|x|^2 is chi-squared over k: either projection is longer than (1 + a) X with the chance long.",
        "On all other maps the gradients of two neighbours differ by at most 2 G (1 + a) X/n at each of the T - 1 "
        "noisy steps: together one Gaussian shift of mu.",
    ),
    witness=tuple(
        {"n": n, "epsilon": epsilon, "delta": delta, "G": 1, "X": 1, "a": a}
        for n, epsilon, delta, a in (
            (11, 1, "1e-5", "71/250"),
            (11, 4, "1e-5", "139/1000"),
            (101, 6, "1e-3", "179/5000"),
            (101, 1, "1e-2", "199/2000"),
        )
    ),
    computed={"sigma": "standard deviation of the noise"},
)


def exact(context: Context) -> tuple[str, Evidence]:
    """Lipschitz losses."""
    return _exact(context, theorem=10, tried=_LIPSCHITZ)


def theorem10(run: Context) -> Rows:
    """The upper profile over all neighbours; the linear loss has the largest gradients a Lipschitz GLM has."""
    small, large = run.pick(quick=((1.0, 4.0), (0.5, 6.0)), full=((1.0, 2.0, 3.0, 4.0), (0.5, 1.0, 2.0, 4.0, 6.0)))
    for n, levels in ((11, small), (101, large)):
        problem = _alternating(losses.linear(), n, 1.0)
        for delta, epsilon in product((1e-5, 1e-3, 1e-2), levels):
            mechanism = JLMethod(epsilon, delta, calibration="printed")
            k = mechanism.projected_dimension(problem)
            yield {"n": n, "k": k, "epsilon": epsilon, "delta": delta, "guarantee": mechanism.guarantee(problem)}


@paper.privacy(
    "thm10",
    source="Theorem 10",
    expected="refuted",
    holds="glm.thm10.privacy.moderate",
    statement=PRINTED,
    because="The noise is for gradients of norm G X (the proof has 2GX), and log(2/delta) makes all iterates' mu "
    "|Phi x|/|x| epsilon/sqrt(2 log(2/delta)), too much for large epsilon. The pair's profile is averaged over the map "
    "exactly; it says nothing where iterates meet the ball's boundary.",
    weight="range",
    hurt="corner: large epsilon: (40, 0.1) and (16, 0.5) at n = 11; epsilon <= 4 at n = 11 and 6 at n = 101 are "
    "proved to hold",
    quote=r"Algorithm 2 satisfies  $(\epsilon,\delta)$ -differential privacy. Given a dataset S of n i.i.d samples, "
    r"the excess risk of its output  $\widetilde{w}$  is bounded as",
    consequence="With the printed k the noise is proved to suffice at epsilon = 1, 2, 3 and 4 for n = 11 (delta = "
    "1e-5, 1e-3, 1e-2), at 0.5, 1, 2, 4 and 6 for n = 101. It does not for every epsilon: with "
    "everything as printed the output's true delta is above 0.78 at (40, 0.1), n = 11, above 0.97 at (16, 0.5), n = "
    "11, and above 0.99 at (48, 0.1), n = 3.",
    errata=Correction(
        place="Theorem 10, appendix B.2",
        effect=1,
        change="for G^2|X|^2 in sigma^2 read 4G^2|X|^2, the gradients' bound 2G|X| of the proof, with epsilon <= "
        "log 4, delta < 1/2, and every Phi x longer than 2|X| scaled down to that length",
        caveat=r"B.2: “gradient of loss for data point (x,y) in S at any w is bounded as  $\|\ell(w; (\Phi x, y)\| = "
        r"\phi_y'(\langle w, \Phi x \rangle) \|\Phi x\| \leq 2G \|\mathcal{X}\|$”; the noise is for G|X|. |Phi x| >= "
        "2|X| has probability 1e-58 at the k that (1, 1e-5) and n = 11 give, so the factor is lost in the proof and "
        "hardly in the algorithm.",
    ),
    rows={
        "exact": {
            "measure": exact,
            "origin": "corrected",
            "source": "Theorem 10, with clipped projections and the noise derived from the sensitivity",
            "expected": "proved",
            "level": LEVEL,
            "statement": _CLIPPED,
            "because": _DERIVATION,
            "quote": r"Algorithm 2 satisfies  $(\epsilon,\delta)$ -differential privacy.",
            "rests_on": ("glm.sensitivity.inequality", "glm.composition.inequality"),
            "formulas": PROJECTED,
        },
        "moderate": {
            "measure": theorem10,
            "source": "Theorem 10, printed noise and printed k, moderate epsilon",
            "statement": "Algorithm 2 with the sigma and the k of Theorem 10 is (epsilon, delta)-DP for every "
            "G-Lipschitz GLM at n = 11, epsilon = 1, 2, 3 and 4, and at n = 101, epsilon = 0.5, 1, 2, 4 and 6, for "
            "delta = 1e-5, 1e-3 and 1e-2.",
            "expected": "proved",
            "because": _SUFFICES + " At the printed k the projections stretch by little, and T - 1 steps at G|X| have "
            "mu = epsilon/sqrt(2 log(2/delta)).",
            "rests_on": ("glm.sensitivity.inequality", "glm.composition.inequality"),
            "formulas": (MODERATE, SUFFICES),
        },
    },
)
def theorem10_printed(context: Context) -> tuple[str, Evidence]:
    """Evaluate the pair's profile on the linear loss, everything as printed, where no iterate nears the boundary."""
    claimed = ((11, 40.0, 0.1), (3, 72.0, 0.1), (11, 16.0, 0.5), (3, 48.0, 0.1))
    rows = []
    for n, epsilon, delta in claimed:
        dimension = 20_000 if n == 11 else 4_000  # above the printed k
        pair = cancelling_pair("linear", n, x_bound=1.0, y_bound=1.0, radius=1.0, dimension=dimension)
        rows.append({"n": n, **_released(JLMethod(epsilon, delta, calibration="printed"), *pair)})
    n, epsilon, delta = claimed[0]
    problem, neighbour = cancelling_pair("linear", 101, x_bound=1.0, y_bound=1.0, radius=1.0, dimension=8)
    gap = gradient_distance(problem, neighbour)
    search = searched(problem, gradient_distance, gap, context.seed, context.pick(**SEARCH))
    return profiles(
        rows,
        f"value: the true delta of the output (a lower bound) where ({epsilon:g}, {delta:g}) is claimed, n = "
        f"{n}, everything as printed: normal map, printed k, printed step size",
        "the printed iterates meet the ball's boundary at smaller epsilon, where this bound says nothing and "
        "glm.thm10.privacy.moderate proves the claim",
        f"worst pair: opposite gradients of the largest norm ({gap:.6g}); {search}",
        value=rows[0]["pair"].delta(epsilon),
    )


POINTS = ((0.5, 1), (0.25, 0))
"""(a, j): ε = n^{−a}, and the number of coordinates, 0 for the integer beside (24/κ)², κ = ηkσ²."""


def rate_floor(n: int, epsilon: float, active: int) -> tuple[float, int, float]:
    """Lower bound on the excess with everything as Theorem 10 prints it, its j, and k; `active` 0 finds j."""
    k = theory.lipschitz_jl_dimension(n, epsilon, DELTA)
    eta, noise = settings(n, k, epsilon)
    middle = (24.0 / (eta * k * noise**2)) ** 2
    tried = (active,) if active else (max(1, math.floor(middle)), math.ceil(middle))
    floor, j = max((theory_jl.descent_floor(n, k, eta, noise, j, sharpened=True), j) for j in tried)
    return floor, j, k


def step_corrected(context: Context, shrink: float = 1.0) -> Rows:
    """True delta, and lower t bounds on the mean excess, against the bound times `shrink`."""
    from scipy.stats import t as student

    blocks = context.pick(quick=2, full=6)
    sizes = context.pick(quick=_CORRECTED[:2], full=_CORRECTED)
    for n, epsilon in sizes:
        mechanism = private_descent(n, epsilon)
        records = GLMProblem(np.ones((n, 1)), np.ones(n), loss="absolute", x_bound=1.0, y_bound=1.0, radius=1.0)
        excesses = np.concatenate(sampled(context, repeated_record, n, epsilon, True, blocks=blocks))
        spread = float(excesses.std(ddof=1)) / math.sqrt(excesses.size)
        least = float(excesses.mean()) - float(student.isf(LEVEL / len(sizes), excesses.size - 1)) * spread
        k = mechanism.projected_dimension(records)
        bound = shrink * CORRECTED.number("bound", n=n, k=k, epsilon=epsilon, delta=DELTA)
        delta = mechanism.guarantee(records).delta(epsilon)
        yield {"n": n, "epsilon": epsilon, "k": k, "excess": float(excesses.mean()), "at least": max(0.0, least),
               "bound": bound, "delta": delta, "left": max(least / bound, delta / DELTA), "right": 1.0,
               "zero predictor": 1.0}  # fmt: skip
    return summary(
        "value: the largest mean excess risk of the corrected step",
        "loss |1 - <w, e_1>|, every record (e_1, 1), G = X = B = 1, delta = 1e-5, k = n epsilon/(4 sqrt(Lambda)), "
        "normal map; left is the larger of a lower t bound on the mean over the bound (nominal: excess risks are "
        "skewed) and the true delta over 1e-5; the bound times 0.08 is rejected",
        value="excess",
        trials=8 * blocks * len(sizes),
    )


_CORRECTED = ((100, 1.25), (400, 1.25), (400, 0.5))
CORRECTED = Statement(
    about="For convex G-Lipschitz GLMs, with {sigma}, {c}, {Lambda}, {T}, each Phi x_i scaled down to length 2X where "
    "longer, and {eta}, Algorithm 2 is {claim} for epsilon <= log 4 and delta < 1/2, and has excess risk of at most "
    "{bound}, {A}, {r}; G = X = B = 1. At {k_0} its private terms are 4 sqrt(2) Lambda^(1/4)/sqrt(n epsilon): the rate "
    "of Theorem 5, without log n.",
    symbols={
        "n": Integer("records", 2, 10**6),
        "k": Integer("dimension of the map", 1, 10**6),
        "epsilon": Real("claimed", "1/1000", "1386/1000"),
        "delta": Real("claimed", "1e-12", "499/1000"),
    },
    where={
        "c": "32",
        "Lambda": "log(2/delta)",
        "T": "n^2",
        "sigma": "sqrt(c*T*Lambda)/(n*epsilon)",
        "eta": "1/(n^(3/2)*sqrt(13 + c*k*Lambda/(n*epsilon^2)))",
        "r": "sqrt(2)/(k*exp(k/4))",
        "A": "sqrt(13/n) + sqrt(c*k*Lambda)/(n*epsilon) + r",
        "bound": "A + sqrt(2/k) + 6/exp(2*k/5)",
        "k_0": "n*epsilon/(4*sqrt(Lambda))",
    },
    given={"range": ("exp(epsilon) <= 4", "the range in which the noise was derived")},
    claim=gaussian(shift="4*sqrt(T)/n", scale="sigma"),
    steps=("A shift of mu has delta at most exp(-t^2/2)/2, t = epsilon/mu - mu/2, and mu = epsilon/sqrt(2 Lambda).",),
)


@paper.inequality(
    "thm10", variant="step", source="Theorem 10, step size", expected="refuted",
    quote=_ETA, holds="glm.thm10.inequality.step.corrected", weight="misprint",
    hurt="corner: epsilon = n^(-a), 0 < a < 1: 5 times the rate at n = 1e8, epsilon = 1e-4",
    statement="With the printed step size Algorithm 2 has the excess risk of Theorem 10, up to a constant and a power "
    "of log n: O~(G B|X|/sqrt(n) + G B|X|/sqrt(n epsilon)).",
    because="T = n^2 steps of noise sigma^2 = 8TG^2X^2 Lambda/(n epsilon)^2 need sqrt(n) epsilon under the root of k "
    "Lambda in eta, where n epsilon is printed (as Lemma 8 has it, whose sigma^2 lacks T). The noise then moves the "
    "iterates by kappa = eta k sigma^2 = 8 k Lambda/(epsilon^2 n^(3/2)) in squared norm per unit of gradient: for "
    "kappa large they stay at the boundary of the ball, and <w, x> near 8B/kappa.",
    consequence="The printed step makes the method return about 0: "
    "at epsilon = 1/sqrt(n) the excess is at least 0.996 G B|X|, 5 times the stated rate at n = 1e8 and 403 times at n "
    "= 1e16 (constants 1, delta = 1e-5). With sqrt(n) epsilon in the bracket the theorem holds, without its log n.",
    errata=Correction(
        place="Theorem 10, appendix B.2, and the last display of the proof of Lemma 8",
        change="in the bracket of eta read sqrt(n) epsilon for n epsilon (with T = n^2); best constants: eta = B/(G|X| "
        "n^(3/2) sqrt(13 + c k log(2/delta)/(n epsilon^2))), c = 8 for the printed noise, 32 for that of Theorem 10''",
        caveat="Lemma 8 has the matching noise, which no privacy proof would allow: “Gaussian noise variance  $"
        "\\sigma^2 = O\\left(\\frac{G^2 \\|\\mathcal{X}\\|^2 \\log(1/\\delta)}{n^2 \\epsilon^2}\\right)$ ”, without T.",
        effect=2,
    ),
    no_certificate="the entry's module decides it along its sizes; none has been sealed yet",
    rows={
        "corrected": {
            "measure": step_corrected,
            "origin": "corrected",
            "source": "Theorem 10, with sqrt(n) epsilon in the step size and noise for gradients of norm 2G|X|",
            "expected": "not refuted",
            "level": LEVEL,
            "rests_on": ("glm.lemma8.inequality.corrected", "glm.thm10.privacy.exact"),
            "quote": r"excess risk of its output  $\widetilde{w}$  is bounded as",
            "statement": CORRECTED,
            "because": "T steps at gradients of norm 2GX compose to mu = epsilon/sqrt(2 Lambda). Lemma 8 corrected; "
            "E|<Phi x, Phi w*> - <x, w*>| <= |x||w*|sqrt(2/k), the deviation for a normal map; and the tails of "
            "chi-squared where a feature is scaled down.",
        },
    },
)  # fmt: skip
def step(context: Context) -> Evidence:
    """Theorem 10's ceiling times log(n)⁴ over the floor on the excess: along ε = n^{−1/2}, and along n^{−1/4}."""
    rows: list[Row] = []
    for a, active in POINTS:
        mine: list[Row] = []
        for n in (10**k for k in range(20, 77, 8)):
            epsilon = float(n) ** -a
            floor, j, k = rate_floor(n, epsilon, active)
            rate = theory.lipschitz_jl_rate(1.0, 1.0, 1.0, n, epsilon, DELTA)
            mine.append(
                {"n": float(n), "a": a, "coordinates": float(j), "k": k, "excess at least": floor, "rate": rate,
                 "excess over rate": floor / rate, "ratio": rate * math.log(n) ** 4 / max(floor, 1e-300)}
            )  # fmt: skip
        rows += mine
    worst = max(
        (2.0 * after["ratio"] / before["ratio"] - 1.0 for a, _ in POINTS
         for before, after in zip(*[[r for r in rows if r["a"] == a][s:] for s in (0, 1)], strict=False)),
    )  # fmt: skip
    simulated, floor = _kernel_beside_floor(context)
    return margins(
        rows,
        "value: Theorem 10's rate (constants 1) times log(n)^4 over the excess at n = 1e76, epsilon = n^(-1/2); along "
        "both columns of epsilon it falls by more than half at every step, so that no constant and no power of log n "
        "is enough",
        "loss |1/sqrt(j) - <w, x>|, x uniform on e_1..e_j, G = X = B = 1, delta = 1e-5, everything as printed: all "
        "assumptions hold; the excess is the lower bound theory_jl.descent_floor, in closed form, no chance left out",
        f"second route, the algorithm itself at n = 100, epsilon = n^(-1/2): mean excess {simulated:.4f}, floor "
        f"{floor:.4f}",
        value=next(r["ratio"] for r in rows if r["n"] > 1e75 and r["a"] == 0.5),
        margin=worst,
    )


SIMULATED = 100


def _kernel_beside_floor(context: Context) -> tuple[float, float]:
    """Mean excess of the kernel's runs, and the floor, at n = `SIMULATED`, ε = n^{−1/2}."""
    n, epsilon = SIMULATED, SIMULATED**-0.5
    trials = context.pick(quick=8, full=64)
    excesses = np.concatenate(sampled(context, repeated_record, n, epsilon, False, blocks=trials // 8))
    return float(excesses.mean()), rate_floor(n, epsilon, 1)[0]


def repeated_record(n: int, epsilon: float, corrected: bool, seed: int, block: int) -> np.ndarray:
    """Excess risk of eight runs on n records (e_1, 1), |1 − ⟨w, x⟩|; k and η as printed or as corrected.

    n equal records have the mean gradient of one: the descent runs on one record with the η, σ, k and T of n.
    """
    one = GLMProblem(np.ones((1, 1)), np.ones(1), loss="absolute", x_bound=1.0, y_bound=1.0, radius=1.0)
    if corrected:
        run = private_descent(n, epsilon)
    else:
        k = math.ceil(theory.lipschitz_jl_dimension(n, epsilon, DELTA))
        eta, noise = settings(n, k, epsilon)
        run = JLMethod(
            1.0, DELTA, dimension=k, theorem=10, calibration="printed", steps=n * n, step_size=eta, noise_scale=noise
        )
    return np.abs(1.0 - run(one, 8, stream(seed, "glm.thm10.step", n, epsilon, corrected, block))[:, 0])


def private_descent(n: int, epsilon: float, k: int | None = None) -> JLMethod:
    """Algorithm 2 as `CORRECTED` has it; k₀ rounded up if no k is given."""
    at = {"n": n, "epsilon": epsilon, "delta": DELTA}
    at["k"] = k = k or math.ceil(CORRECTED.number("k_0", **at))
    eta, noise = (CORRECTED.number(name, **at) for name in ("eta", "sigma"))
    return JLMethod(
        epsilon, DELTA, dimension=k, theorem=10, distortion=1.0, steps=n * n, step_size=eta, noise_scale=noise
    )


_THEOREM_10 = "Algorithm 2 has excess risk O~(G B|X|/sqrt(n) + G B|X|/sqrt(n epsilon)), with T = n^2."

QUOTE = (
    r"\mathbb{E}[\varepsilon_{\mathsf{risk}}(\widehat{w})] = \widetilde{O}\left(\frac{GB \, "
    r"\|\mathcal{X}\|}{\sqrt{n}} + \frac{GB \|\mathcal{X}\|}{\sqrt{n\epsilon}}\right)."
)


def theorem10_rank(context: Context) -> Evidence:
    """Against the rank of the design at fixed n, ε and k: from nε/25 to beyond nε."""
    n = context.pick(quick=48, full=100)
    grid = context.pick(quick=(8, 64, 512), full=(16, 64, 256, 1024))
    return swept(
        context, [{"rank": rank} | _theorem10(n, 4.0, 8, rank) for rank in grid],
        context.pick(quick=(64, 16, 64), full=(128, 48, 48, 128)), _printed(n),
        "no instance at hand could break this upper bound, in which the rank does not occur: the other coordinates "
        "change nothing but the map's columns that nobody asks for",
    )  # fmt: skip


def small_epsilon(context: Context) -> Evidence:
    """Step size, noise and clipping of `CORRECTED`, k = k₀/2, which is 1, 2, 4 and 8, on 2k coordinates."""
    n, rows = 223, []
    for epsilon in (0.125, 0.25, 0.5, 1.0):
        at = {"n": n, "epsilon": epsilon, "delta": DELTA}
        k = math.ceil(0.5 * CORRECTED.number("k_0", **at))
        point = Point(padded(2 * k, math.ceil(2.0 * n * epsilon)), n, private_descent(n, epsilon, k))
        terms = {name: CORRECTED.number(text, **at) for name, text in _RATE.items()}
        rows.append(
            {"epsilon": epsilon, "point": point, "ceiling": sum(terms.values()), **terms, "k": k,
             "zero predictor": zero_excess(point.population)}
        )  # fmt: skip
    return swept(
        context, rows, (112, 64, 64, 112),
        f"absolute loss, B = X = G = 1, n = {n}, T = n^2, delta = {DELTA:g}, normal map, private at these values; 2k "
        "coordinates of equal weight carry w*. The ceiling is glm.thm10.inequality.step.corrected at k_0 without the "
        "terms that fall like e^(-k/4), which are not small at these k",
    )  # fmt: skip


_RATE = {"private term": "4*sqrt(2)*Lambda^(1/4)/sqrt(n*epsilon)", "statistical term": "sqrt(13/n)"}


@paper.rate(
    "thm10",
    row="epsilon",
    source="Theorem 10, dependence on epsilon",
    expected="consistent",
    side="tight",
    statement=_THEOREM_10,
    nuisances=(SecondTerm("private term", "statistical term"),),
    because="For epsilon <= rank/n the theorem's private term is attained on a sharp loss: with 2k coordinates of "
    "equal weight and k of order n epsilon log(n/delta) the output, confined to a random subspace of dimension k, "
    "keeps a constant fraction of B|X|/sqrt(2k) at best. At n = 100 and epsilon from 1 to 8, where the printed step "
    "size still works: for epsilon = n^(-a), 0 < a < 1, glm.thm10.inequality.step refutes it.",
    quote=QUOTE,
    rows={
        "rank": {
            "measure": theorem10_rank,
            "source": "Theorem 10, dependence on the rank",
            "side": "upper",
            "nuisances": (),
            "because": "Neither k, sigma, eta nor T depends on d or on the rank.",
            "quote": QUOTE,
        },
        "small-epsilon": {
            "measure": small_epsilon,
            "source": "Theorem 10, corrected, dependence on epsilon below 1",
            "origin": "corrected",
            "full_only": True,
            "side": "upper",
            "because": "As with the printed step size at epsilon >= 1: the map keeps a constant fraction of "
            "B|X|/sqrt(2k) at best, and k is of order n epsilon. That fraction is not yet constant at the smallest k, "
            "which is 1; hence an upper bound only.",
            "quote": QUOTE,
        },
    },
)
def theorem10_epsilon(context: Context) -> Evidence:
    """Everything as printed, T = n²; 2k coordinates carry w*, of which no map keeps half, and the rank is 2nε."""
    n, epsilons = context.pick(quick=64, full=100), (1.0, 2.0, 4.0, 8.0)
    rows = []
    for epsilon in epsilons:
        k = math.ceil(theory.lipschitz_jl_dimension(n, epsilon, DELTA, CONSTANT))
        rank = math.ceil(2.0 * n * epsilon)
        rows.append({"epsilon": epsilon} | _theorem10(n, epsilon, 2 * k, rank) | {"rank": rank})
    return swept(
        context,
        rows,
        context.pick(quick=(112, 40, 32, 40), full=(320, 128, 80, 112)),
        _printed(n),
        "2k coordinates of equal weight carry w*: w = Phi^T v lies in a uniform subspace of dimension k, half of that, "
        "whose best point is a constant times B/sqrt(k) away in mean absolute prediction",
    )


def _theorem10(n: int, epsilon: float, active: int, rank: int) -> Row:
    """The row of `active` coordinates that carry w*, all parameters printed."""
    mechanism = JLMethod(epsilon, DELTA, calibration="printed", dimension_constant=CONSTANT)
    point = Point(padded(active, rank), n, mechanism)
    ceiling = theory.lipschitz_jl_rate(1.0, 1.0, 1.0, n, epsilon, DELTA)
    return {
        "point": point, "ceiling": ceiling, "statistical term": 1.0 / math.sqrt(n),
        "private term": ceiling - 1.0 / math.sqrt(n), "n epsilon": n * epsilon,
        "k": math.ceil(theory.lipschitz_jl_dimension(n, epsilon, DELTA, CONSTANT)),
        "zero predictor": zero_excess(point.population),
    }  # fmt: skip


def _printed(n: int) -> str:
    return (
        f"absolute loss, y = <w*, x> exactly where w* is not 0, B = X = G = 1, n = {n}, T = n^2, all parameters "
        f"printed, constant of k {CONSTANT:g}; {PAD:g} of the records are on coordinates with w*_j = 0 and labels of "
        "random sign, which raise the rank"
    )
