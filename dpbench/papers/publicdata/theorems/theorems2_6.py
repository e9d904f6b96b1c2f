"""Theorems 2 and 6 of the public-data paper: Algorithm 2, and the class of three functions on which it fails.

Theorem 2 of the public-data paper: rates of Algorithm 2; J = 1 is private and learns a class that is not convex.

J = 1. f̄ is in F. A record at x moves the losses of (g1, g2, h), up to a constant, by κf(x)/n: at a, b κ = −y/2; at c
κ = −y/2 or (1 − |y|)/2 less that; always |κ| ≤ 1. So replacing one is a shift of the normal vector ξ by at most
1/(nη√w) for each of the two records, in different coordinates or the same: Σκ_x² ≤ 1, in all at most 1/(nη√(min w))
(`moved_losses` enumerates). η = 1/(nμ(ε, δ)√(min w)) is (ε, δ)-DP, and Perturb is post-processing. f̄ = h asks for a
fluctuation of order 1/η = n: P(f̄ = h) ≤ e^{−n/18} + Φ̄(1/(12η√w_c)). Perturb leads from g1 or g2 to h with
a chance of at most Φ̄(√(mv)/(2γ)), √v = ‖g1 − h‖_m.

Every class, J = 1: by publicdata.prop1.inequality.any-norms with τ = 1/n, ‖f̄ − f̄'‖_m ≤ ρ with probability 1 − δ/2 if
n ≥ 4G/(δηρ²), and γ = √mρ/μ(ε, δ/2) is (ε, δ)-DP: n = 4Gm/(δηγ²μ²), a polynomial of 1/δ; Lemma 15 then applies, f̄
being in F. Open: log(1/δ) for 1/δ, that is Theorem 2 on all classes that are not convex.

Theorem 6 of the public-data paper: J → ∞ fails on a class that is not convex; records, calls and settings.

The class: g1 = (−1, −1, 1; 1), g2 = (1, 1, 1; 1), h = (0, 0, 0; 1) on a, b, c; z*, y = (1, −1, 1), |f − y|/2, ν_x
uniform on a, b, c, μ = (1/9, 1/9, 1/9, 2/3). With p_j the shares of g1, g2, h among f̄_1, ..., f̄_J and q = p_2 − p_1,
f̄ = (q, q, 1 − p_3; 1), and h is strictly nearer to it than g1, g2 iff W(1 − 2|q|) > w_c(1 − 2p_3), W and w_c the
shares of public points at a or b, and at c. L_D(g1) − L_D(g2) = (N_a − N_b)/n is of order n^{−1/2}, which is small
against η, so q → 0, f̂ = h and the excess is 1/6.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from scipy.special import ndtr

from dpbench.core.sampling import stream
from dpbench.ledger import statement
from dpbench.ledger.correction import Correction
from dpbench.ledger.figure import Figure
from dpbench.ledger.harness import margins, missed, sampled, summary
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, Rows, column
from dpbench.papers.publicdata import theory_settings
from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.algorithms.oracles import nearest
from dpbench.papers.publicdata.hypotheses.constants import Constants
from dpbench.papers.publicdata.hypotheses.finite import ConvexHull, FiniteClass
from dpbench.papers.publicdata.hypotheses.line import Thresholds
from dpbench.papers.publicdata.populations import FinitePopulation, anchored, constants, line
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems import corrections, paper
from dpbench.papers.publicdata.theorems.perturb_shift import CLAIMED, MU
from dpbench.papers.publicdata.theorems.sweeps import (
    BELOW,
    BETA,
    DELTA,
    EPSILON,
    HALF,
    NEAREST,
    RECORDS_129,
    WIDE,
    WORST,
    along_n,
    excess_shares,
    judged,
    records_log,
    setting,
)
from dpbench.privacy.gaussian import mu
from dpbench.privacy.profile import gaussian_profile

TABLE = np.array([[-1.0, -1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
"""g1, g2 and h on a, b, c and z*: y = (1, −1, 1) with the sign changed at a, or at b; and 0."""


def three_functions(hull: bool) -> FinitePopulation:
    """x uniform on a, b, c; μ = 1/9 on each of them and 2/3 on z*; |f − y|/2. L is 1/3 at g1, g2 and 1/2 at h."""
    return FinitePopulation(
        points=[0, 1, 2, 3], public=[1 / 9, 1 / 9, 1 / 9, 2 / 3], private=[1 / 3, 1 / 3, 1 / 3, 0.0],
        labels=[[1.0], [-1.0], [1.0], [1.0]], law=np.ones((4, 1)),
        hypotheses=ConvexHull(TABLE) if hull else FiniteClass(TABLE), loss="absolute",
    )  # fmt: skip


def private_grid(sizes: Sequence[int], share: float = 0.5) -> list[Row]:
    """Algorithm 2, private (exact calibration), on thresholds: η, m and J = `share` α^−8 follow α = n^{−1/14}."""
    return along_n(sizes, 14.0, lambda a: 8.0 * a**-2, thresholds, lambda a: private(a, share))


def thresholds(_: float, sigma: float = 1.0) -> FinitePopulation:
    """Thresholds with label noise 0.1, whatever α is."""
    return line(Thresholds(), sigma, noise=0.1, cells=128, loss="absolute")


def private(alpha: float, share: float = 0.5) -> AveragedPerturbation:
    """Algorithm 2 at η = α/5 with `share` α^−8 calls."""
    return AveragedPerturbation(EPSILON, DELTA, calls=math.ceil(share * alpha**-8), perturbation=0.2 * alpha)


@paper.rate(
    "thm2",
    row="n",
    source="Theorems 2 and 6, equation 129",
    expected="consistent",
    side="upper",
    resolution=HALF,
    nuisances=(records_log(14.0),),
    statement="n = O~(alpha^-14) records suffice for Algorithm 2: excess risk falls as n^(-1/14).",
    quote=RECORDS_129,
    because=BELOW + "Thresholds, where the nearest function to an average of them is one that the average is about; "
    "eta, m and J follow alpha, gamma is that of the exact calibration, so the runs are private. "
    + NEAREST.format("publicdata.thm6.rate.worst"),
    figure=Figure("risk_publicdata_alg2", "risk", given={"axis": "n", "title": "Algorithm 2: thresholds"}),
)
def averaged(context: Context) -> Evidence:
    """The slope on `private_grid`."""
    sizes = context.pick(quick=(2000, 500_000), full=(1000, 10_000, 100_000, 1_000_000))
    share, sets, repeats = context.pick(quick=(0.25, (48, 32), 16), full=(0.5, (48, 48, 32, 32), 64))
    return judged(context, private_grid(sizes, share), sets, repeats)


def moved_losses(shares: np.ndarray, grid: int = 21) -> float:
    """The largest norm of the shift of ξ that replacing one record can ask for, times nη: all x, x', y, y' on a grid.

    The losses of (g1, g2, h) move by (l(x', y') − l(x, y))/n, which is to be matched, up to a constant, by
    Σ_z √w_z ξ_z f(z) over the points: the least norm is that of a least-squares solution. It is convex between the
    kinks y = −1, 0, 1 of the losses, which are on the grid: the largest is among them.
    """
    design = TABLE * np.sqrt(shares)
    design = design - design.mean(axis=0)
    solve = np.linalg.pinv(design)
    y = np.linspace(-1.0, 1.0, grid)
    losses = 0.5 * np.abs(TABLE.T[:, None, :] - y[None, :, None]).reshape(-1, 3)  # (points × labels, functions)
    moves = losses[:, None, :] - losses[None, :, :]
    moves = moves - moves.mean(axis=2, keepdims=True)
    return float(np.linalg.norm(moves @ solve.T, axis=2).max())


def one_call_eta(n: int, shares: np.ndarray, epsilon: float, delta: float) -> float:
    """η of one call: 1/(nμ(ε, δ)√(min w)) over a, b, c, rounded up."""
    return (1.0 + 1e-9) / (n * mu(epsilon, delta) * math.sqrt(float(shares[:3].min())))


BALANCED = np.array([1.0, 1.0, 1.0, 6.0]) / 9.0


def one_record(context: Context) -> Evidence:
    """The largest shift by enumeration against 1/√(min w), times nη: balanced, drawn and uneven public points."""
    rng = stream(context.seed, "publicdata.thm2.one-record")
    cases = [BALANCED, np.array([0.01, 0.5, 0.3, 0.19]), np.array([0.5, 0.3, 0.01, 0.19])]
    rows = []
    for shares in [*cases, *rng.dirichlet(np.ones(4), 20)]:
        least = 1.0 / math.sqrt(float(shares[:3].min()))
        rows.append({"least_share": float(shares[:3].min()), "left": moved_losses(shares), "right": least})
    return margins(rows, equality="a record at the rarest point moves that point's term alone, and by the bound itself")


def chance_of_h(n: int, eta: float, w_c: float, reach: float) -> float:
    """e^{−n/18} + Φ̄(1/(12η√w_c)) + Φ̄(reach): few records at c, the process makes up for 1/12, or Perturb moves to h."""
    return math.exp(-n / 18.0) + float(ndtr(-1.0 / (12.0 * eta * math.sqrt(w_c)))) + float(ndtr(-reach))


_NOISE = 1e-3  # γ of the runs with one call


def one_call_outputs(n: int, seed: int, block: int) -> np.ndarray:
    """Whether Algorithm 2 with J = 1 answers h: one run on each of 200 data sets."""
    rng = stream(seed, "publicdata.thm2.one-call.outputs", n, block)
    public = np.repeat([0, 1, 2, 3], [1, 1, 1, 6])
    mechanism = AveragedPerturbation(
        1.0, DELTA, calls=1, perturbation=one_call_eta(n, BALANCED, 1.0, DELTA), noise_scale=_NOISE
    )
    wrong = np.empty(200)
    for trial in range(wrong.size):
        x = rng.integers(0, 3, n)
        y = np.array([1.0, -1.0, 1.0])[x]
        problem = PublicDataProblem(x, y, public, hypotheses=FiniteClass(TABLE), loss="absolute")
        wrong[trial] = problem.hypotheses.predict(mechanism(problem, 1, rng), [0])[0, 0] == 0.0
    return wrong


def one_call_learns(context: Context) -> Rows:
    """The mechanism at n = 1,000 and 10,000: how often it answers h, against the bound."""
    blocks = context.pick(quick=2, full=20)
    reach = math.sqrt(9.0 / 3.0) / (2.0 * _NOISE)  # 9 public points, 3 of them at a, b, c
    for n in (1000, 10_000):
        wrong = np.concatenate(sampled(context, one_call_outputs, n, blocks=blocks))
        bound = chance_of_h(n, one_call_eta(n, BALANCED, 1.0, DELTA), 1.0 / 9.0, reach)
        yield missed(wrong, 0.5, bound, 2, n=float(n))
    note = "value: largest frequency of h; its excess is 1/6, else 0"
    return summary(note, value="frequency", trials=400 * blocks)


HIDDEN = statement.Statement(
    about="With {eta} the normal vector of one call hides a shift of 1/(n eta sqrt(w)).",
    symbols={
        "n": statement.Integer("records", 2, 10**9),
        "w": statement.Real("least share of public points at a, b, c", "1/1000", "1/3"),
        **CLAIMED,
        "mu": MU,
    },
    where={"eta": "1/(n*mu*sqrt(w))"},
    claim=statement.gaussian(shift="1/(n*eta*sqrt(w))", scale="1"),
    steps=(
        "A record moves the losses as a shift of the normal vector by at most 1/(n eta sqrt(w)) would.",
        "What Algorithm 2 releases is a function of fbar, which the shifted vector chooses, and of noise of its own.",
    ),
    witness=statement.grid(n=(1000, 100_000), w=("1/9",), epsilon=("1/10", 1, 4), delta=("1e-5",)),
    computed={"eta": "weight of the process"},
)


@paper.privacy(
    "thm2",
    variant="one-call",
    source="Theorem 2 with J = 1, on the class of publicdata.thm6.rate",
    expected="proved",
    rests_on=("publicdata.thm2.privacy.one-call.stability",),
    statement="On {g1, g2, h} Algorithm 2 with J = 1 and eta = 1/(n mu(epsilon, delta) sqrt(w)), w the least share of "
    "public points at a, b, c, is (epsilon, delta)-DP for every gamma.",
    formulas=HIDDEN,
    because="A record moves the losses by kappa f(x)/n with sum kappa^2 <= 1: a shift of the normal vector by at most "
    "1/(n eta sqrt(w)) (the entry it rests on). Perturb is post-processing.",
    rows={
        "stability": {
            "origin": "corrected",
            "measure": one_record,
            "kind": "stability",
            "source": "Theorem 2 with J = 1: what one record moves, on the class of publicdata.thm6.rate",
            "expected": "not refuted",
            "statement": "Replacing one record moves the losses of g1, g2 and h as a shift of the normal vector by at "
            "most 1/(n eta sqrt(w)) would, w the least share of public points at a, b, c.",
            "because": "kappa f(x)/n with sum kappa^2 <= 1: all points and labels by enumeration, whose largest is at "
            "a label of -1, 0 or 1, as the shift's norm is convex between the kinks of the losses.",
            "rests_on": (),
        },
        "accuracy": {
            "measure": one_call_learns,
            "kind": "inequality",
            "source": "Theorem 2 with J = 1, accuracy on the same class",
            "expected": "not refuted",
            "level": LEVEL,
            "statement": "With J = 1 and that eta, epsilon = 1, delta = 1e-5, gamma = 1e-3, Algorithm 2 answers h "
            "with a probability of at most e^(-n/18) + P(N > 1/(12 eta sqrt(w_c))) + P(N > sqrt(m v)/(2 gamma)), v the "
            "share of public points at a, b, c; else its excess risk is 0.",
            "because": "fbar is one of the three functions, and eta is of order 1/n; the last term is Perturb's.",
            "rests_on": (),
        },
    },
)
def one_call(context: Context) -> Rows:
    """The Gaussian profile of the largest shift, for balanced and for drawn public points."""
    rng = stream(context.seed, "publicdata.thm2.one-call")
    for epsilon, n in product((0.1, 1.0, 4.0), (1000, 100_000)):
        for shares in (BALANCED, rng.multinomial(900, BALANCED) / 900.0):
            eta = one_call_eta(n, shares, epsilon, DELTA)
            shift = 1.0 / (n * eta * math.sqrt(float(shares[:3].min())))
            profile = gaussian_profile(shift, kind="upper", why="the largest shift of the normal vector")
            yield {"epsilon": epsilon, "delta": DELTA, "guarantee": profile, "n": float(n), "eta": eta, "shift": shift}


_LEARNS = (
    "is a function class such that ... and set ... SET ... then Algorithm 2 is ... -differentially private and an ... "
    "-PAC learner with respect to any"
)
FEW = 25
"""J: few enough that f̄ is now and then nearer to g1 or g2, so that data sets differ."""


@dataclass(frozen=True)
class OnHull:
    """Algorithm 2 on the hull of `TABLE`.

    |f − y|/2 is linear in f for y = ±1, so every f̄_j is one of the three functions, and f̄ is that of the class
    itself; Perturb's nearest function is one of the hull.
    """

    base: AveragedPerturbation

    def __call__(self, problem: PublicDataProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
        centres = self.base.centres(replace(problem, hypotheses=FiniteClass(TABLE)), trials, rng)
        return nearest(problem, centres + self.base.gamma(problem) * rng.standard_normal(centres.shape))


THREE = statement.Statement(
    about="At gamma, eta, m and J of (127) and (128) and n of (129), whatever constants they hide, Algorithm 2 has an "
    "excess risk of at most alpha with probability 1 - beta, on every class: {claim} with {missed}, for constants 1, d "
    "= epsilon = 1, beta = 0.05, delta = 1e-5, sigma = 1/3, lambda = 1/2.",
    symbols={
        "n": statement.Real("records", "1e10", "1e40"),
        "a": statement.Real("alpha over n^(-1/14), as (129) has it", "1/2", 2),
    },
    where={
        "alpha": "a/n^(1/14)",
        "m": "9/4*log(20)/alpha^2",
        "J": "max(log(20)/alpha^2, max((3/2)^8*log(20)^4*log(100000)/alpha^8, "
        "(3/2)^6*log(20)^3*log(100000)^2/alpha^6))",
        "gamma": "2/3*alpha/sqrt(log(20))",
        "labels": "2*exp(-n*(281/2500*alpha)^2/2)",
        "few": "2*exp(-2*J*(1/50)^2) + exp(-2*J*(1/200)^2)",
        "points": "exp(-(11/450)^2*m/(2*(22/100 + 35/100*11/450))) + exp(-(1/45)^2*m/(2*(173/1000 + 7805/1000000)))",
        "noise": "exp(-m/(20000*gamma^2))",
        "missed": "labels + few + points + noise",
    },
    given={
        "ties": ("exp(-(7/50)^2/(2*alpha^2)) < 1/200", "the third function is hardly ever the minimiser of a call"),
        "seldom": ("missed < 1/20", "another function than the third is rarely the output"),
    },
    claim=statement.order("(1 - missed)/6", to="alpha", variable="n"),
    steps=(
        "Three functions, the third near the middle of the others: |q| <= 0.15 by the labels (|N_a - N_b| <= 0.1124 "
        "eta n moves 2 Phi - 1 by at most 0.1 where W >= 0.2), J calls (0.04) and the third within 0.01 of never; W >= "
        "0.2 and 0.7 W - w_c >= 0.02 of the public points; noise below 0.02. The tails are those of Hoeffding and "
        "Bernstein, normal tails are below exp(-x^2/2): but for the chance missed the third function is "
        "the output, whose excess risk is 1/6; Theorem 6 promises alpha.",
    ),
    witness={"n": 4702 * 10**19, "a": 1, "power_n": 2, "first": 19},
)


def biased(n: int, alpha: float) -> Row:
    """Algorithm 2 at η = α on constants beside z* whose labels have the worst mean.

    f̄ = 2Φ(h√3/(2η)) − 1, a third of the points being ordinary ones: h Φ(−h√3/(2η)) is lost.
    """
    population = anchored(constants(Constants(), 1.5 * alpha / math.sqrt(3.0)))
    prescribed = theory_settings.theorem6(EPSILON, DELTA, alpha, BETA, 1.0, population.smoothness, 0.5)
    base = AveragedPerturbation(EPSILON, DELTA, calls=25, perturbation=alpha, noise_scale=prescribed.gamma)
    return setting("n", n, alpha, n, prescribed.m, population, base)


def worst(context: Context) -> Evidence:
    """The slope in n on `biased`; the share of α that is lost is the column "over ceiling"."""
    rows = [biased(n, n ** (-1.0 / 14.0)) for n in (100, 100_000)]
    return judged(context, rows, context.pick(quick=64, full=192), 16)


@paper.rate(
    "thm6",
    row="nonconvex",
    source="Theorem 6, its rate, on a class that is not convex",
    expected="inconsistent",
    side="upper",
    resolution=HALF,
    nuisances=(records_log(14.0),),
    holds="publicdata.thm6.rate.hull",
    arguments={"hull": False},
    statement="Algorithm 2 learns every class F: excess risk falls as n^(-1/14).",
    weight="statement",
    hurt="corner: classes that are not convex, J as (128) has it: excess 0.13 at J = 25, 1/6 in the limit",
    quote=_LEARNS.replace("SET", r"\eta=\Theta(\frac{\alpha}{\sqrt{d}})"),
    consequence="On a class of three functions, at eta and gamma of (127), the excess risk of Algorithm 2 tends to 1/6 "
    "as n, m and J grow: 0.13 at J = 25, 0.1666 at 400, and (128) has more. Theorem 2 lets J be chosen, and J = 1 "
    "learns this class privately; Theorem 2 on all non-convex classes is open. On convex classes, and on the hull of "
    "any class, Theorem 6 stands; privacy is not touched.",
    errata=corrections.CONVEX,
    because=BELOW + "fbar is an average, not in F, so Lemma 8's comparison with fbar as a competitor fails. Here "
    "fbar is about (g1 + g2)/2, to which h is nearer than g1 and g2 are: f^ = h, whose excess is 1/6, for every n.",
    figure=Figure("risk_publicdata_nonconvex", "nonconvex"),
    rows={
        "hull": {
            "source": "Theorem 6 on the convex hull of the same class",
            "expected": "consistent",
            "arguments": {"hull": True},
            "statement": "Algorithm 2 learns conv(F): excess risk falls as n^(-1/14).",
            "origin": "corrected",
            "because": BELOW + "fbar is in conv(F). " + NEAREST.format("publicdata.thm6.rate.worst"),
        },
        "worst": {
            "measure": worst,
            "source": "Theorem 6, eta of (127), at its worst law",
            "expected": "consistent",
            "side": "tight",
            "resolution": HALF,
            "statement": "At eta = alpha = n^(-1/14) the excess risk of Algorithm 2 is a constant share of alpha on "
            "constants beside z* whose labels have the mean 0.87 eta: it falls as n^(-1/14) and no faster.",
            "quote": r"\eta=\Theta(\frac{\alpha}{\sqrt{d}})",
            "because": WORST
            + "A call answers 1 with probability Phi(0.75), fbar = 2 Phi(0.75) - 1, where 1 is best: 0.87 eta "
            "Phi(-0.75) is 0.196 alpha. The resolution is half of 1/14.",
            "nuisances": (),
        },
    },
)
def nonconvex(context: Context, hull: bool) -> Evidence:
    """Algorithm 2 at γ, η and m of (127), α = n^{−1/14}, on {g1, g2, h} or on its hull."""
    sizes = context.pick(quick=(100, 100_000), full=(1000, 10_000, 100_000, 1_000_000))
    population = three_functions(hull)

    def setting(alpha: float) -> theory_settings.Averaged:  # (127), its constants 1 but 8 for m: the noise averages out
        return theory_settings.theorem6(EPSILON, DELTA, alpha, BETA, 1.0, population.smoothness, 0.5)

    def mechanism(alpha: float) -> Any:
        eta, gamma = setting(alpha).eta, setting(alpha).gamma
        base = AveragedPerturbation(EPSILON, DELTA, calls=FEW, perturbation=eta, noise_scale=gamma)
        return OnHull(base) if hull else base

    rows = along_n(sizes, 14.0, lambda alpha: 8.0 * setting(alpha).m, lambda _: population, mechanism)
    sets = context.pick(quick=(20, 20) if hull else (32, 12), full=(96, 64, 48, 40))
    evidence = judged(context, rows, sets, 64 if hull else context.pick(quick=48, full=32))
    means = ", ".join(f"{value:.4f}" for value in evidence.rows["measured"])
    note = f"mean excess {means} at n = {', '.join(f'{n:,}' for n in sizes)}; 1/6 = 0.1667"
    return replace(evidence, notes=(*evidence.notes, note))


CALLS = statement.Statement(
    about="At gamma, eta, m and J of (127) and (128), all constants 1, what J adds to (102) is at most epsilon "
    "log(2/delta)/log(1/delta), for log(1/beta) >= 1: {claim} for all b = log(1/beta), d and r = "
    "log(2/delta)/log(1/delta).",
    symbols={
        "b": statement.Real("log(1/beta)", 1, "inf"), "d": statement.Real("dimension", 1, "inf"),
        "r": statement.Real("log(2/delta)/log(1/delta)", 1, "inf"),
    },
    claim=statement.inequality("max(1/b, 1/d)*(sqrt(r) + r)/2", "<=", "r"), cells=50,
    steps=(
        "J is at least its second and its third term. With m = max(d, b)(lambda/(sigma alpha))^2, m/(2 gamma^2) "
        "sqrt(log(2/delta)/J) <= max(1/b, 1/d) epsilon sqrt(r)/2 and m/(2 gamma) log(2/delta)/sqrt(J) <= max(1/b, 1/d) "
        "epsilon r/2; both sides are divided by epsilon.",
    ),
)  # fmt: skip


_TYPICAL = {"epsilon": 1, "alpha": "1/2", "beta": "1/20", "delta": "1e-5"}
SAMPLE = statement.Statement(
    about="The sample size of Theorem 6, {n} with {b} at sigma = lambda = 1, is O(vc epsilon^-3 alpha^-14): {claim}, "
    "with {said}.",
    symbols={
        "d": statement.Integer("VC dimension", 1, 10**6),
        "epsilon": statement.Real("claimed", "1/1000", 1),
        "alpha": statement.Real("accuracy", "1/1000", "1/2"),
        "beta": statement.Real("failure probability", "1e-6", "3/10"),
        "delta": statement.Real("claimed", "1e-10", "1/100"),
    },
    where={
        "b": "log(1/beta)",
        "n": "max(d^5*b^6/(epsilon^3*alpha^14), d^5*b^(9/2)*log(1/delta)^(3/2)/(epsilon^3*alpha^10))",
        "said": "d/(epsilon^3*alpha^14)",
    },
    claim=statement.order("n", to="said", variable="d"),
    steps=("(129) has d^5, section 3 has vc: no O(.) closes it.",),
    witness=_TYPICAL | {"d": 1, "power_d": 1, "first": 0},
)


SAMPLE_SIZE = statement.Statement(
    about="At gamma, eta and m of (127), sigma = lambda = 1, privacy by Lemmas 1 and 9 needs n = O(d^4 epsilon^-3 "
    "(alpha^-13 + log^(3/2)(1/delta) alpha^-10)), at most 10^6 times that for beta = 1/20 and delta <= 1/2: {claim} "
    "with {b} for all d and shares t of alpha sqrt(log(2/delta)/b) in 1 + alpha sqrt(log(2/delta)/b).",
    symbols={
        "d": statement.Real("dimension", 1, "inf"),
        "t": statement.Real("y/(1 + y), y = alpha sqrt(log(2/delta)/b)", 0, 1),
    },
    where={"b": "log(20)"},
    claim=statement.inequality("128*max(1, b/d)^3*b^3", "<=", "10^6*((1 - t)^3 + (b/2)^(3/2)*t^3)"), cells=100,
    steps=(
        "The first term of the stability takes half of epsilon at n = (d/alpha)(2 4^(2/3) max(d, b) b alpha^-4 (1 + "
        "y)/epsilon)^3 = 128 d max(d, b)^3 b^3 alpha^-13 epsilon^-3 (1 + y)^3.",
        "log(2/delta) <= 2 log(1/delta) for delta <= 1/2, so that log^(3/2)(1/delta) alpha^3 >= (b/2)^(3/2) y^3; both "
        "sides are divided by d^4 epsilon^-3 alpha^-13 (1 + y)^3.",
    ),
)  # fmt: skip


def printed_settings(context: Context) -> Evidence:
    """All settings as printed, α from 0.6 down: the mean excess over α, and γ over the one that is proved private."""
    rows: list[Row] = []
    population = thresholds(0.0)
    sets = context.pick(quick=16, full=32)
    for alpha in context.pick(quick=(0.6,), full=(0.6, 0.5)):
        prescribed = theory_settings.theorem6(EPSILON, DELTA, alpha, BETA, 1.0, 1.0, 0.5)
        calls, n = math.ceil(prescribed.calls), math.ceil(prescribed.n)
        base = AveragedPerturbation(EPSILON, DELTA, calls=calls, perturbation=prescribed.eta)
        row = setting("alpha", alpha, alpha, n, prescribed.m, population, replace(base, noise_scale=prescribed.gamma))
        shares = excess_shares(context, row, sets)
        private = base.gamma(row["point"].population.draw(n, stream(0, "publicdata.settings")))
        rows.append({"alpha": alpha, "n": n, "m": math.ceil(prescribed.m), "calls": calls, **shares,
                     "gamma_over_private": prescribed.gamma / private})  # fmt: skip
    return margins(
        column(rows),
        f"value: largest mean excess over alpha, {WIDE:g} standard errors added; J = {rows[0]['calls']:,} calls",
        value="share",
        margin=1.0 - max(row["least"] for row in rows),
        trials=sets * len(rows),
    )


paper.formula(
    "thm6",
    THREE,
    points=[{"n": 10**k, "a": 1} for k in range(24, 41, 8)],
    row="many-calls",
    source="Theorem 6, equations 127 and 128, on a class that is not convex",
    expected="refuted",
    weight="statement",
    hurt="corner: classes that are not convex, J as (128) has it: excess 1/6 in the limit",
    holds="publicdata.thm6.rate.hull",
    quote=_LEARNS.replace(
        "SET", r"J ... =\widetilde{\Omega}\left(\frac{d\log\left(\frac{1}{\beta}\right)}{\alpha^{2}}"
    ),
    consequence="At (127) and (128) the excess of Algorithm 2 on three functions tends to 1/6, however small alpha "
    "is: above 4 alpha at n = 1e20, 60 alpha at 1e36. With J = 1 the same class is learnt privately: "
    "publicdata.thm2.privacy.one-call.",
    errata=corrections.CONVEX,
    because="This module's proposition: fbar is in the middle of g1 and g2, and h is nearest. Bounded for every n by "
    "Hoeffding and Bernstein at constants 1; constants change how soon, not the limit 1/6.",
    rows={
        "calls": {
            "points": statement.grid(b=(1, 3, 14), d=(1, 100), r=("1.03", "1.16")),
            "source": "Theorem 6, equation 128",
            "expected": "proved",
            "statement": CALLS,
            "quote": r"\widetilde{\Omega}\left(\frac{d\log\left(\frac{1}{\beta}\right)}{\alpha^{2}}\vee\frac{"
            r"\lambda^{8}d^{2}\log^{4}\left(\frac{1}{\beta}\right)\log\left(\frac{1}{\delta}\right)}{\sigma^{8}"
            r"\alpha^{8}\varepsilon^{2}}",
            "because": "m/(2 gamma^2) sqrt(log(2/delta)/J) and m/(2 gamma) log(2/delta)/sqrt(J) are at most half of "
            "that each, where J is its second and its third term: (128) is what (102) asks for, with 8 powers of "
            "1/alpha.",
        },
        "sample-size": {
            "points": [_TYPICAL | {"d": 10**k} for k in range(4)],
            "source": "Section 3 on Theorem 6",
            "expected": "refuted",
            "holds": "publicdata.thm6.inequality.sample-size-corrected",
            "statement": SAMPLE,
            "weight": "misprint",
            "hurt": "letter",
            "quote": r"we see that the sample complexity of Algorithm 2 scales only like ... "
            r"\mathsf{vc}(\mathcal{F})\cdot\varepsilon^{-3}\cdot\alpha^{-14}",
            "consequence": "The text's O(vc epsilon^-3 alpha^-14) and (129)'s d^5 differ by four powers of d.",
            "errata": Correction(
                place="Section 3, on Theorem 6, against (129)",
                effect=1,
                change="make the two agree; with (102) mended the proof gives d^4 alpha^-13",
            ),
            "because": "(129) has d^5, four powers more: the two statements of the paper differ, whatever constant "
            "O(.) hides.",
        },
        "sample-size-corrected": {
            "points": statement.grid(d=[10**k for k in range(5)], t=("0.02", "1/6", "1/2")),
            "source": "Theorem 6, from equation 102 with its exponent",
            "expected": "proved",
            "statement": SAMPLE_SIZE,
            "because": "(E sup omega/eta)(m(1 + gamma sqrt(log(2/delta)))/(gamma^2 epsilon))^3: (102) has the "
            "complexity cubed, hence d^5.",
        },
        "settings": {
            "measure": printed_settings,
            "source": "Theorem 6, equations 127 to 129 with all constants 1",
            "expected": "not refuted",
            "level": LEVEL,
            "statement": "At gamma, eta, m, J and n as (127), (128) and (129) have them the mean excess risk of "
            "Algorithm 2 on thresholds is at most alpha.",
            "quote": RECORDS_129,
            "because": "The one run with J, the number of oracle calls, as (128) prescribes it, 1,194 at alpha = 0.6 "
            "and 3,564 at 1/2 (lambda = 1/2, d = 1). gamma is less than privacy asks for at that n: the column "
            "gamma_over_private.",
        },
    },
)
