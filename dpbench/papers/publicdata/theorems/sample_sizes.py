"""Sample sizes of Algorithms 2 and 3 of the public-data paper against what privacy needs: (9), (128), (131), (133)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
from scipy.special import gammaincc, gammaln, ndtri

from dpbench.core.blas import one_blas_thread
from dpbench.ledger.harness import growing
from dpbench.ledger.measurement import Context, Evidence, Row, Rows
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.publicdata import theory_settings
from dpbench.papers.publicdata.clipped import clipped_gaussians
from dpbench.papers.publicdata.theorems import paper
from dpbench.privacy.profile import gaussian_profile, pure_profile

ALPHA, BETA, LIPSCHITZ = 0.125, 0.05, 0.5
EPSILONS = (1.0, 0.1, 1e-2, 1e-3, 1e-4)


@cache
def _nodes() -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Legendre: the eigenvalues of a matrix of 400 rows, found when they are used."""
    with one_blas_thread():
        return np.polynomial.legendre.leggauss(400)


def laplace_sum_tail(m: int, t: float) -> float:
    """P(ξ_1 + … + ξ_m > t) for Laplace variables of scale 1: the difference of two Gamma(m) variables."""
    reach = 12.0 * math.sqrt(m) + 40.0
    low = max(0.0, m - reach)
    at, weights = _nodes()
    nodes = low + 0.5 * (m + reach - low) * (at + 1.0)
    density = np.exp((m - 1) * np.log(nodes) - nodes - gammaln(m))
    beyond = np.where(t + nodes > 0.0, gammaincc(m, np.maximum(t + nodes, 0.0)), 1.0)
    return float(0.5 * (m + reach - low) * (weights * density * beyond).sum())


def bisected(within: Callable[[float], bool], low: float = 1e-9, high: float = 1e18) -> float:
    """The number from which on `within` is true, to a relative error of 1e-12."""
    for _ in range(140):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if within(middle) else (middle, high)
    return high


def least_spread(epsilon: float, delta: float) -> float:
    """The least s for which clip(1 + sN) and clip(−1 + sN) are (ε, δ)-indistinguishable, clip to [−1, 1]."""
    return bisected(lambda s: clipped_gaussians(-1.0, 1.0, s).delta(epsilon) <= delta)


def largest_step(m: int, epsilon: float) -> float:
    """The largest x for which P(Σξ > 0) = 1/2 ≤ e^ε P(Σξ > x), ξ m Laplace variables of scale 1."""
    return 1.0 / bisected(lambda inverse: laplace_sum_tail(m, 1.0 / inverse) >= 0.5 * math.exp(-epsilon), 1e-6)


_MOVED = (
    "Functions t phi, |t| <= 1, phi(x0) = 1 and phi = 1/(2 sqrt(eta n)) at the public point; |f - y|/2, balanced "
    "labels at x0. One record moves fbar from -phi to phi, all that convexity allows, and the chance of f^ = phi from "
    "1/2 to Phi(-2/s), s = 2 gamma sqrt(eta n/m). "
)


@paper.inequality(
    "thm7", variant="sample-size", source="Theorem 7, equation 131", expected="refuted",
    holds="publicdata.thm7.privacy", arguments={"noise": "gaussian"},
    statement="At gamma, eta and m of (130), n = O~(lambda^5 d log^2(1/beta)/(epsilon sigma^4 alpha^5) + lambda^4 d "
    "log^(3/2)(1/beta) log^(1/2)(1/delta)/(epsilon sigma^3 alpha^4)) records make Algorithm 3 (epsilon, delta)-DP.",
    because=_MOVED + "gamma, eta and m do not depend on epsilon, so with n of order 1/epsilon the pair reaches an "
        "epsilon of order sqrt(epsilon), whatever the constants and logs. (131) is (104) with eta n for its root.",
)
def records(context: Context, noise: str) -> Evidence:
    """The n that the pair asks for over that of (131) or (133), all hidden constants 1, as ε falls; δ = 1e-5 ε."""
    return growing(
        [_needed(epsilon, noise) for epsilon in EPSILONS],
        "value: exponent in epsilon of the constant that the sample size needs: 1/epsilon, so that epsilon^-2 is the "
        f"true power; alpha = {ALPHA:g}, beta = {BETA:g}, d = sigma = 1, lambda = {LIPSCHITZ:g}",
        f"at epsilon = 1 the pair reaches epsilon = {reached():.3f} at n of (131) with all constants 1",
        "constant at epsilon = 1 as alpha falls from 1/8 to 1/32 and 1/128: "
        + ", ".join(f"{_needed(1.0, noise, alpha)['constant']:.3g}" for alpha in (ALPHA, ALPHA / 4.0, ALPHA / 16.0)),
    )


def _needed(epsilon: float, noise: str, alpha: float = ALPHA) -> Row:
    delta = 1e-5 * epsilon if noise == "gaussian" else 0.0
    made = theory_settings.theorem7(epsilon, delta, alpha, BETA, 1.0, 1.0, LIPSCHITZ)
    m = math.ceil(made.m)
    if noise == "gaussian":
        least = (0.5 * least_spread(epsilon, delta) / made.gamma) ** 2 * m / made.eta
    else:  # P(f̂ = φ) is P(Σζ > 0) and P(Σζ > 2am/γ) = P(Σζ > m/(γ√(ηn)))
        least = (m / (made.gamma * largest_step(m, epsilon))) ** 2 / made.eta
    assert made.eta * least >= 0.25  # so that a ≤ 1
    return {"epsilon": epsilon, "records": made.n, "needed": least, "constant": least / made.n}


def reached() -> float:
    """ε of the pair at (130) and (131), ε = 1 claimed, all hidden constants 1."""
    made = theory_settings.theorem7(1.0, 1e-5, ALPHA, BETA, 1.0, 1.0, LIPSCHITZ)
    return clipped_gaussians(-1.0, 1.0, 2.0 * made.gamma * math.sqrt(made.eta * made.n / made.m)).epsilon(1e-5)


paper.variant(
    records, "sample-size.laplace", source="Theorem 7, equation 133", expected="refuted",
    holds="publicdata.thm7.privacy.laplace", arguments={"noise": "laplace"},
    statement="At gamma, eta and m of (132), n = O~(lambda^6/(sigma^5 epsilon alpha^6) (d^2 log^(1/2)(1/beta) + "
    "log^(5/2)(1/beta))) records make Algorithm 3 with Laplace noise epsilon-DP.",
    because=_MOVED + "The same with a mean of m Laplace variables for N. At a fixed epsilon the pair "
        "needs alpha^-7, where (133) has alpha^-6.",
)


@paper.inequality(
    "thm3", variant="sample-size", source="Theorem 3, equation 9", expected="refuted", holds="publicdata.thm7.privacy",
    statement="For some eta, gamma and m, functions of the parameters, n = O~(G^2 epsilon^-1 alpha^-5) records make "
    "Algorithm 3 with Gaussian noise (epsilon, delta)-DP and an (alpha, beta)-learner, for every convex class.",
    because=_MOVED + "Privacy needs s of order 1/epsilon. Constants with labels of mean 2 eta are eta/2 from the best: "
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


NECESSARY = Statement(
    about="n = 0.008 d/(epsilon^2 alpha^3) records are not enough for Algorithm 3 to be (epsilon, 1e-5 epsilon)-DP and "
    "an (alpha, 0.05)-learner on every convex class with G^2 = O(d), for epsilon <= 1 and alpha <= 1/8: {claim} with "
    "{k}, so that s >= k/epsilon.",
    symbols={"epsilon": Real("claimed", 0, 1)}, where={"k": "sqrt(288*8/1000)"},
    claim=inequality("exp(epsilon)*erfc(sqrt(2)*epsilon/k)/2 + epsilon/10^5", "<=", "1/2"), cells=100,
    steps=(
        "s = 2 gamma sqrt(eta n/m). Privacy of the event f^ = phi asks 1/2 <= e^epsilon Phi(-2/s) + delta, whose right "
        "side grows with s; at s = k/epsilon it is the left side here: so s >= k/epsilon.",
        "Accuracy asks eta <= 2 alpha and gamma sqrt(d/m) <= 6 alpha, so n = m s^2/(4 gamma^2 eta) >= d s^2/(288 "
        "alpha^3) >= 0.008 d/(epsilon^2 alpha^3).",
    ),
)  # fmt: skip


@paper.inequality(
    "thm7", variant="necessary", source="Theorems 3 and 7: what n must be for every eta, gamma and m",
    expected="proved", statement=NECESSARY,
    because=_MOVED + "eta <= 2 alpha as in publicdata.thm3.inequality.sample-size. All functions into [-1, 1] on d "
        "equal groups of points, labels 1: f^ is 1 + gamma sqrt(d/m) N on each, cut, so gamma sqrt(d/m) <= 6 alpha. "
        "So d and three of the five powers of 1/alpha in (131) are needed, and epsilon^-2.",
)
def necessary(context: Context) -> Rows:
    """Left 0.008 d/(ε²α³), right d s(ε)²/(4·36α²·2α), the n at which the pair and both accuracies go together."""
    for d, alpha, epsilon in product((1.0, 100.0), (0.125, 0.01), EPSILONS):
        least = d * least_spread(epsilon, 1e-5 * epsilon) ** 2 / (4.0 * 36.0 * alpha**2 * 2.0 * alpha)
        printed = 0.008 * d / (epsilon**2 * alpha**3)
        yield {"d": d, "alpha": alpha, "epsilon": epsilon, "left": printed, "right": least}


def records_enough(m: int, eta: float, gamma: float, epsilon: float, delta: float) -> float:
    """The n whose proven stability is private at this γ, ε ≤ 1: 2·log(1.25/δ)·m/(ηγ²ε²), or m²/(ηγ²ε²) for δ = 0."""
    needed = 2.0 * math.log(1.25 / delta) * m if delta > 0.0 else m**2 * (1.0 + 1e-12)
    return needed / (eta * (gamma * epsilon) ** 2)


@paper.privacy(
    "thm7", source="Theorem 7 with epsilon^-2 for epsilon^-1", expected="proved", arguments={"noise": "gaussian"},
    statement="At gamma, eta and m of (130) and epsilon <= 1, n = 2 log(1.25/delta) lambda^4 (d v log(1/beta)) "
    "log(1/beta)/(epsilon^2 sigma^4 alpha^5) records make Algorithm 3 (epsilon, delta)-DP.",
    because="The shift is at most sqrt(m) rho/gamma with rho = 1/sqrt(eta n): n >= m/(eta gamma^2 mu(epsilon, "
    "delta)^2), and mu >= epsilon/sqrt(2 log(1.25/delta)) for epsilon <= 1. So (9) holds where epsilon is of order 1.",
    rests_on=("publicdata.lemma2.stability.mean-sharp", "publicdata.lemma9.privacy.gaussian-exact"),
)
def enough(context: Context, noise: str) -> Rows:
    """The guarantee at these settings over d, σ, α and ε."""
    delta = 1e-5 if noise == "gaussian" else 0.0
    for (d, sigma), alpha, epsilon in product(((1.0, 1.0), (64.0, 1.0), (1.0, 0.1)), (0.125, 0.01), (1e-4, 1e-2, 1.0)):
        made = theory_settings.theorem7(epsilon, delta, alpha, BETA, d, sigma, LIPSCHITZ)
        m = math.ceil(made.m)
        n = records_enough(m, made.eta, made.gamma, epsilon, delta)
        rho = 1.0 / math.sqrt(made.eta * n)
        profile = gaussian_profile(math.sqrt(m) * rho / made.gamma, kind="upper", why="a shift by sqrt(m) rho")
        if noise == "laplace":
            profile = pure_profile(m * rho / made.gamma, why="an l1 shift of m rho")
        yield {"epsilon": epsilon, "delta": delta, "guarantee": profile, "d": d, "sigma": sigma, "alpha": alpha,
               "records": n, "over_printed": n / made.n}  # fmt: skip


paper.variant(
    enough, "laplace", source="Theorem 7 with epsilon^-2 for epsilon^-1, Laplace noise", expected="proved",
    arguments={"noise": "laplace"},
    statement="At gamma, eta and m of (132), n = m^2/(eta gamma^2 epsilon^2) records make Algorithm 3 with Laplace "
    "noise epsilon-DP.",
    because="The l1 shift is at most m rho with rho = 1/sqrt(eta n).",
    rests_on=("publicdata.lemma2.stability.mean-sharp", "publicdata.lemma9.privacy.laplace-exact"),
)


CALLS = Statement(
    about="At gamma, eta, m and J of (127) and (128), all constants 1, what J adds to (102) is at most epsilon "
    "log(2/delta)/log(1/delta), for log(1/beta) >= 1: {claim} for all b = log(1/beta), d and r = "
    "log(2/delta)/log(1/delta).",
    symbols={
        "b": Real("log(1/beta)", 1, "inf"), "d": Real("dimension", 1, "inf"),
        "r": Real("log(2/delta)/log(1/delta)", 1, "inf"),
    },
    claim=inequality("max(1/b, 1/d)*(sqrt(r) + r)/2", "<=", "r"), cells=50,
    steps=(
        "J is at least its second and its third term. With m = max(d, b)(lambda/(sigma alpha))^2, m/(2 gamma^2) "
        "sqrt(log(2/delta)/J) <= max(1/b, 1/d) epsilon sqrt(r)/2 and m/(2 gamma) log(2/delta)/sqrt(J) <= max(1/b, 1/d) "
        "epsilon r/2; both sides are divided by epsilon.",
    ),
)  # fmt: skip


@paper.inequality(
    "thm6", variant="calls", source="Theorem 6, equation 128", expected="proved", statement=CALLS,
    because="m/(2 gamma^2) sqrt(log(2/delta)/J) and m/(2 gamma) log(2/delta)/sqrt(J) are at most half of that each, "
    "where J is its second and its third term: (128) is what (102) asks for, with 8 powers of 1/alpha.",
)
def calls(context: Context) -> Rows:
    """Left: what √(log(2/δ)/J) costs in (102); right: ε·log(2/δ)/log(1/δ)."""
    smooth, betas, deltas = ((1.0, 0.5), (0.1, 1.0)), (math.exp(-1.0), 1e-6), (1e-2, 1e-10)
    for d, alpha, (sigma, lipschitz), beta, delta in product((1.0, 100.0), (0.5, 0.01), smooth, betas, deltas):
        made = theory_settings.theorem6(1.0, delta, alpha, beta, d, sigma, lipschitz)
        log = math.log(2.0 / delta)
        cost = 0.5 * made.m / made.gamma**2 * (1.0 + made.gamma * math.sqrt(log))
        yield {"d": d, "alpha": alpha, "sigma": sigma, "beta": beta, "delta": delta, "calls": made.calls,
               "left": cost * math.sqrt(log / made.calls), "right": log / math.log(1.0 / delta)}  # fmt: skip
