"""Theorems 2 and 6 of the public-data paper on classes that are not convex: J → ∞ fails, J = 1 is private and learns.

The class: g1 = (−1, −1, 1; 1), g2 = (1, 1, 1; 1), h = (0, 0, 0; 1) on a, b, c; z*, y = (1, −1, 1), |f − y|/2, ν_x
uniform on a, b, c, μ = (1/9, 1/9, 1/9, 2/3). With p_j the shares of g1, g2, h among f̄_1, ..., f̄_J and q = p_2 − p_1,
f̄ = (q, q, 1 − p_3; 1), and h is strictly nearer to it than g1, g2 iff W(1 − 2|q|) > w_c(1 − 2p_3), W and w_c the
shares of public points at a or b, and at c. L_D(g1) − L_D(g2) = (N_a − N_b)/n is of order n^{−1/2}, which is small
against η, so q → 0, f̂ = h and the excess is 1/6. In the limit J, m → ∞, γ → 0 (and p_3 neglected) |q| < 1/4 iff |N_a
− N_b| < Φ^{−1}(5/8)√(8/9) ηn.

J = 1. f̄ is in F. A record at x moves the losses of (g1, g2, h), up to a constant, by κf(x)/n: at a, b κ = −y/2; at c
κ = −y/2 or (1 − |y|)/2 less that; always |κ| ≤ 1. So replacing one is a shift of the normal vector ξ by at most
1/(nη√w) for each of the two records, in different coordinates or the same: Σκ_x² ≤ 1, in all at most 1/(nη√(min w))
(`moved_losses` enumerates). η = 1/(nμ(ε, δ)√(min w)) is (ε, δ)-DP, and Perturb is post-processing. f̄ = h asks for a
fluctuation of order 1/η = n: P(f̄ = h) ≤ e^{−n/18} + Φ̄(1/(12η√w_c)).

Every class, J = 1: by publicdata.cor1.inequality.any-norms with τ = 1/n, ‖f̄ − f̄'‖_m ≤ ρ with probability 1 − δ/2 if
n ≥ 8G/(δηρ²), and γ = √mρ/μ(ε, δ/2) is (ε, δ)-DP: n = 8Gm/(δηγ²μ²), a polynomial of 1/δ; Lemma 15 then applies, f̄
being in F. Open: log(1/δ) for 1/δ, that is Theorem 2 on all classes that are not convex.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from scipy.special import bdtrc, ndtr, ndtri

from dpbench.auditing import intervals
from dpbench.core import binomial
from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import growing, margins, sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, Rows
from dpbench.papers.publicdata import theory_settings
from dpbench.papers.publicdata.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.hypotheses_finite import FiniteClass
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.rates_regression import TABLE
from dpbench.papers.publicdata.theorems.theorem10 import WITNESS
from dpbench.privacy.gaussian import mu
from dpbench.privacy.profile import gaussian_profile

DELTA, BETA = 1e-5, 0.05
WIDTH = float(ndtri(5.0 / 8.0)) * math.sqrt(8.0 / 9.0)
"""|q| < 1/4 iff |N_a − N_b| < `WIDTH`·ηn, as J and m → ∞."""


def limit_missed(n: int, eta: float) -> float:
    """P(|N_a − N_b| ≥ `WIDTH` ηn), (N_a, N_b, N_c) multinomial with equal chances, exactly: 1 − 6 times the excess.

    Given N_a + N_b = k, N_a − N_b is 2N_a − k with N_a binomial.
    """
    reach = WIDTH * eta * n
    total = np.arange(n + 1)
    high = np.ceil((total + reach) / 2.0) - 1.0
    beyond = np.where(high < total, bdtrc(np.clip(high, 0.0, total), total, 0.5), 0.0)
    return 2.0 * float((binomial.mass(total, n, 2.0 / 3.0) * beyond).sum())


def seldom(n: float, alpha: float) -> float:
    """A bound on P(f̂ ≠ h) at γ, η, m and J of (127) and (128), constants 1, λ = 1/2, σ = 1/3: by events.

    |q| ≤ 0.15: labels (Hoeffding; |N_a − N_b| ≤ 0.1124ηn moves 2Φ − 1 by at most 0.1 where W ≥ 0.2), J calls (0.04,
    Hoeffding), and h within 0.01 of never. Public points: W ≥ 0.2 and 0.7W − w_c ≥ 0.02 (Bernstein). Noise below 0.02.
    """
    made = theory_settings.theorem6(1.0, DELTA, alpha, BETA, 1.0, 1.0 / 3.0, 0.5)
    m, rare = made.m, 2.0 * float(ndtr(-0.14 / made.eta))
    assert rare < 0.005
    labels = 2.0 * math.exp(-0.5 * n * (0.1124 * made.eta) ** 2)
    calls = 2.0 * math.exp(-2.0 * made.calls * 0.02**2) + math.exp(-2.0 * made.calls * 0.005**2)
    slack = 0.7 * 2.0 / 9.0 - 1.0 / 9.0 - 0.02
    points = math.exp(-(slack**2) * m / (2.0 * (0.22 + 0.35 * slack)))
    points += math.exp(-((2.0 / 9.0 - 0.2) ** 2) * m / (2.0 * (0.173 + 0.35 * 0.0223)))
    noise = 2.0 * float(ndtr(-0.01 * math.sqrt(m) / made.gamma))
    return labels + calls + points + noise


@paper.inequality(
    "thm6",
    variant="many-calls",
    source="Theorem 6, equations 127 and 128, on a class that is not convex",
    expected="refuted",
    weight="statement",
    holds="publicdata.thm6.rate.hull",
    quote=r"is a function class such that ... and set ... J ... =\widetilde{\Omega}\left(\frac{d\log\left(\frac{1}"
    r"{\beta}\right)}{\alpha^{2}} ... then Algorithm 2 is ... -differentially private and an ... -PAC learner with "
    r"respect to any",
    consequence="At (127) and (128) the excess of Algorithm 2 on three functions tends to 1/6, however small alpha is: "
    "as J and m grow it is 0.1653 at n = 100 and 1/6 but for 2e-13 at n = 1,000 (alpha = eta = n^(-1/14)). With J = 1 "
    "the same class is learnt privately: publicdata.thm2.privacy.one-call.",
    errata=Correction(
        place="Theorem 6, equations 127 to 129",
        line=861,
        witness=WITNESS,
        effect=2,
        change="add to Theorem 6: F convex (or let Algorithm 2 answer in conv(F))",
        caveat="Theorem 2 says \u201cthere are choices of\u201d the parameters, J among them: this is of Theorem 6's.",
    ),
    statement="At gamma, eta, m and J of (127) and (128) and n of (129), whatever constants they hide, Algorithm 2 has "
    "an excess risk of at most alpha with probability 1 - beta, on every class.",
    because="This module's proposition: fbar is in the middle of g1 and g2, and h is nearest. Bounded for every n by "
    "Hoeffding and Bernstein at constants 1; constants change how soon, not the limit 1/6.",
)
def many_calls(context: Context) -> Evidence:
    """(1/6)P(f̂ = h) over α = n^{−1/14} from below, n from 1e20; the limit of many calls exactly, n to 10,000."""
    rows = []
    for exponent in range(20, 69, 8):
        n, alpha = 10.0**exponent, 10.0 ** (-exponent / 14.0)
        missed = seldom(n, alpha)
        assert missed < 0.05, (n, missed)
        excess = (1.0 - missed) / 6.0
        rows.append({"n": n, "alpha": alpha, "missed": missed, "excess": excess, "constant": excess / alpha})
    sizes = (100, 1000, 10_000)
    limits = [limit_missed(n, n ** (-1.0 / 14.0)) for n in sizes]
    made = growing(
        rows,
        "value: exponent in n of the excess over alpha = n^(-1/14): 1/14, as the excess tends to 1/6",
        "1 - 6 excess as J, m grow: " + ", ".join(f"{x:.2g} at n = {n:,}" for n, x in zip(sizes, limits, strict=True)),
    )
    made.series.update(limit_n=list(map(float, sizes)), limit_missed=limits)
    return made


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


@paper.stability(
    "thm2",
    variant="one-call",
    source="Theorem 2 with J = 1: what one record moves, on the class of publicdata.thm6.rate.nonconvex",
    expected="not refuted",
    statement="Replacing one record moves the losses of g1, g2 and h as a shift of the normal vector by at most 1/(n "
    "eta sqrt(w)) would, w the least share of public points at a, b, c.",
    because="kappa f(x)/n with sum kappa^2 <= 1: all points and labels by enumeration, whose largest is at a label of "
    "-1, 0 or 1, as the shift's norm is convex between the kinks of the losses.",
)
def one_record(context: Context) -> Evidence:
    """The largest shift by enumeration against 1/√(min w), times nη: balanced, drawn and uneven public points."""
    rng = stream(context.seed, "publicdata.thm2.one-record")
    cases = [BALANCED, np.array([0.01, 0.5, 0.3, 0.19]), np.array([0.5, 0.3, 0.01, 0.19])]
    rows = []
    for shares in [*cases, *rng.dirichlet(np.ones(4), 20)]:
        least = 1.0 / math.sqrt(float(shares[:3].min()))
        rows.append({"least_share": float(shares[:3].min()), "left": moved_losses(shares), "right": least})
    return margins(rows, equality="a record at the rarest point moves that point's term alone, and by the bound itself")


@paper.privacy(
    "thm2",
    variant="one-call",
    source="Theorem 2 with J = 1, on the class of publicdata.thm6.rate.nonconvex",
    expected="proved",
    rests_on=("publicdata.thm2.stability.one-call",),
    statement="On {g1, g2, h} Algorithm 2 with J = 1 and eta = 1/(n mu(epsilon, delta) sqrt(w)), w the least share of "
    "public points at a, b, c, is (epsilon, delta)-DP for every gamma.",
    because="A record moves the losses by kappa f(x)/n with sum kappa^2 <= 1: a shift of the normal vector by at most "
    "1/(n eta sqrt(w)) (the entry it rests on). Perturb is post-processing.",
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


def chance_of_h(n: int, eta: float, w_c: float) -> float:
    """e^{−n/18} + Φ̄(1/(12η√w_c)): N_a + N_b ≤ 5n/6, or half of ω(g1) + ω(g2) less ω(h) makes up for 1/12."""
    return math.exp(-n / 18.0) + float(ndtr(-1.0 / (12.0 * eta * math.sqrt(w_c))))


def one_call_outputs(n: int, seed: int, block: int) -> int:
    """How often Algorithm 2 with J = 1 answers h, 50 data sets with 20 runs each."""
    rng = stream(seed, "publicdata.thm2.one-call.outputs", n, block)
    public = np.repeat([0, 1, 2, 3], [1, 1, 1, 6])
    mechanism = AveragedPerturbation(
        1.0, DELTA, calls=1, perturbation=one_call_eta(n, BALANCED, 1.0, DELTA), noise_scale=1e-3
    )
    wrong = 0
    for _ in range(50):
        x = rng.integers(0, 3, n)
        y = np.array([1.0, -1.0, 1.0])[x]
        problem = PublicDataProblem(x, y, public, hypotheses=FiniteClass(TABLE), loss="absolute")
        values = problem.hypotheses.predict(mechanism(problem, 20, rng), [0])
        wrong += int((values[:, 0] == 0.0).sum())
    return wrong


@paper.inequality(
    "thm2",
    variant="one-call",
    source="Theorem 2 with J = 1, accuracy on the same class",
    expected="not refuted",
    level=LEVEL,
    statement="With J = 1 and that eta, epsilon = 1, delta = 1e-5, gamma = 1e-3, Algorithm 2 answers h with a "
    "probability of at most e^(-n/18) + P(N > 1/(12 eta sqrt(w_c))), and so has an excess risk of order n^(-1/2).",
    because="fbar is one of the three functions; h is worse by 1/6, and eta is of order 1/n.",
)
def one_call_learns(context: Context) -> Evidence:
    """The mechanism at n = 1,000 and 10,000: how often it answers h, against the bound."""
    blocks = context.pick(quick=2, full=20)
    rows: list[Row] = []
    for n in (1000, 10_000):
        runs = blocks * 1000
        wrong = sum(sampled(context, one_call_outputs, n, blocks=blocks))
        bound = chance_of_h(n, one_call_eta(n, BALANCED, 1.0, DELTA), 1.0 / 9.0)
        rows.append({"n": float(n), "runs": runs, "wrong": wrong, "bound": bound,
                     "left": float(intervals.lower(wrong, runs, LEVEL / 2)), "right": bound})  # fmt: skip
    smallest = min(row["right"] - row["left"] for row in rows)
    return margins(
        rows,
        f"value: runs that answered h, of {sum(row['runs'] for row in rows):,}; excess 1/6 each, else O(n^(-1/2))",
        value=float(sum(row["wrong"] for row in rows)), margin=smallest, trials=sum(row["runs"] for row in rows),
    )
