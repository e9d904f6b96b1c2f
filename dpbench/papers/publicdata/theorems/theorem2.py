"""Theorem 2 of the public-data paper: rates of Algorithm 2; J = 1 is private and learns a class that is not convex.

The class is that of `three_functions` and `theorem6`: g1, g2 and h.

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
from collections.abc import Sequence
from itertools import product

import numpy as np
from scipy.special import ndtr

from dpbench import bounds
from dpbench.core.sampling import stream
from dpbench.ledger.figure import Figure
from dpbench.ledger.harness import margins, sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, Rows
from dpbench.papers.publicdata.algorithms.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.hypotheses.finite import FiniteClass
from dpbench.papers.publicdata.hypotheses.line import Thresholds
from dpbench.papers.publicdata.populations import line
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.sweeps import (
    BELOW,
    DELTA,
    EPSILON,
    HALF,
    NEAREST,
    RECORDS_129,
    along_n,
    beneath,
    judged,
    records_log,
    setting,
)
from dpbench.papers.publicdata.theorems.three_functions import TABLE
from dpbench.privacy.gaussian import mu
from dpbench.privacy.profile import gaussian_profile


def private_grid(sizes: Sequence[int], share: float = 0.5) -> list[Row]:
    """Algorithm 2, private (exact calibration), on thresholds: η, m and J = `share` α^−8 follow α = n^{−1/14}."""
    return along_n(
        sizes, 14.0, lambda a: 8.0 * a**-2, line(Thresholds(), noise=0.1, cells=128, loss="absolute"),
        lambda a: AveragedPerturbation(EPSILON, DELTA, calls=math.ceil(share * a**-8), perturbation=0.2 * a),
    )  # fmt: skip


@paper.rate(
    "thm2",
    variant="n",
    source="Theorems 2 and 6, equation 129",
    expected="consistent",
    side="upper",
    resolution=HALF,
    nuisances=(records_log(14.0),),
    statement="n = O~(alpha^-14) records suffice for Algorithm 2: excess risk falls as n^(-1/14).",
    quote=RECORDS_129,
    because=BELOW + "Thresholds, where the nearest function to an average of them is one that the average is about; "
    "eta, m and J follow alpha, gamma is that of the exact calibration, so the runs are private. "
    + NEAREST.format("publicdata.thm6.rate.n.worst"),
    figure=Figure("risk_publicdata_alg2", "risk", given={"axis": "n", "title": "Algorithm 2: thresholds"}),
)
def averaged(context: Context) -> Evidence:
    """The slope on `private_grid`."""
    sizes = context.pick(quick=(2000, 500_000), full=(1000, 10_000, 100_000, 1_000_000))
    share, sets, repeats = context.pick(quick=(0.25, (48, 32), 16), full=(0.5, (48, 48, 32, 32), 64))
    return judged(context, private_grid(sizes, share), sets, repeats)


@paper.inequality(
    "thm2",
    variant="sigma",
    source="Theorems 2 and 6, equation 129",
    expected="not refuted",
    level=LEVEL,
    statement="At n = alpha^-14 sigma^-12 records, all other constants 1, the mean excess risk of Algorithm 2 is at "
    "most alpha.",
    quote=RECORDS_129,
    because="Thresholds, nu uniform on the share sigma about the target's end, private runs. sigma^-12 comes from "
    "norms that grow by 1/sigma where 1/sqrt(sigma) would do, cubed by (102) and squared by m: no instance near the "
    "ceiling is known, and the value says how far the worst one is.",
)
def averaged_in_sigma(context: Context) -> Evidence:
    """Algorithm 2 at a fixed n, α = (nσ¹²)^{−1/14}: the largest mean excess over α."""
    n = context.pick(quick=50_000, full=200_000)
    rows = []
    for sigma in context.pick(quick=(1.0, 0.8), full=(1.0, 0.9, 0.8, 0.7)):
        alpha = (n * sigma**12) ** (-1.0 / 14.0)
        population = line(Thresholds(), sigma, noise=0.1, cells=128, loss="absolute")
        mechanism = AveragedPerturbation(EPSILON, DELTA, calls=math.ceil(0.5 * alpha**-8), perturbation=0.2 * alpha)
        rows.append(setting("1/sigma", 1.0 / sigma, alpha, n, 4.0 / (alpha * sigma) ** 2, population, mechanism))
    found = judged(context, rows, 16, context.pick(quick=4, full=8))
    return beneath(found, f"n = {n:,}; alpha has the slope {12.0 / 14.0:.3f}")


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
    no_certificate="its shift is a least-squares norm found by enumeration",
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
                     "left": float(bounds.lower(wrong, runs, LEVEL / 2)), "right": bound})  # fmt: skip
    smallest = min(row["right"] - row["left"] for row in rows)
    return margins(
        rows,
        f"value: runs that answered h, of {sum(row['runs'] for row in rows):,}; excess 1/6 each, else O(n^(-1/2))",
        value=float(sum(row["wrong"] for row in rows)),
        margin=smallest,
        trials=sum(row["runs"] for row in rows),
    )
