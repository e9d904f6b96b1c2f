"""Theorem 10 of the public-data paper and (20): powers of log(1/β), with sample sizes that hold. L = log(1/β).

A sum Z of k Laplace variables of scale 1 is √(2G)·N(0, 1) with G ~ Gamma(k), whose median is above k − 1/3 (Chen and
Rubin), so P(Z > u) ≥ Φ̄(u/√(2k − 2/3))/2; and log Φ̄(v) ≥ −log 2 − v²/2 − v√(2/π).

A. Constants {0, 1} (d = σ = 1), P(Y = 0) = 1/2 + α, ε ≤ 1, L ≥ 10, m ≥ 2. f̂ = 1, whose excess is 2α, iff K + (2m/ε)Z
< 0, K the sum of 1 − 2Y_i, which is at most 2αn + 2 with probability 1/2 (its median). If n ≤ m^{3/2}√L/(αε) then v =
(αn + 1)ε/(m√(2m − 2/3)) ≤ √L, and P(f̂ = 1) ≥ Φ̄(v)/4 > β because log 8 + L/2 + √(2L/π) < L. At Theorem 10's m = c(1 +
L)/α² this is an n of order L²/(α⁴ε) for L/(α⁵ε).

B. X = {p, q}, all functions (d = 2), μ(p) = 2α, α ≤ 1/8, ε ≤ 1, L ≥ 12, σ = 1. If m < m₀ = (L − log 2)(1 − 2α)/(2α), p
has no public point with probability above 2β, f̂(p) does not depend on the labels at p, and is wrong for one of Y|p ≡
0, 1 with conditional probability at least 1/2. If m ≥ m₀: Y|p ≡ 0, P(Y = 0|q) = 1/2 + α/(1 − 2α); with probability 1/2
each, at least m/2 public points are at q and the labels at q add up to at most 2αn + √n, so f̂(q) = 1, which loses 2α,
with probability at least Φ̄(v)/8 > β unless n ≥ (2/3)m√(m − 1)√L/(αε), which increases in m. At m₀: n ≥ 0.13
L²/(εα^{5/2}).

C. m ≥ d, s = d log(em/d) + log(3/β). As f̃ minimises the perturbed loss, n(L_D(f̃) − min L_D) is at most a signed sum
of at most m weights; a union over the (em/d)^d patterns of f̃ and P(Z > 2√(ms) + s) ≤ e^{−s} (−log(1 − λ²) ≤ λ²/(1 −
λ)) give, with probability 1 − β/3, L_D(f̃) − min L_D ≤ (2m/(εn))(2√(ms) + s).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc, gammaln

from dpbench.auditing import intervals
from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import growing
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Rows
from dpbench.papers.publicdata import theory_settings
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.sample_sizes import bisected

ALPHA, EPSILON = 0.125, 1.0
BETAS = (0.05, 1e-6, 1e-12, 1e-24, 1e-48)
LOGS = tuple(10.0 * 4.0**k for k in range(6))
WITNESS = "one conversion of arXiv:2402.09483v1 was read; a second was not at hand"


def log_laplace_tail(m: int, t: float) -> float:
    """log P(Z > t), t ≥ 0, Z a sum of m Laplace variables of scale 1.

    Z is G − G' with G, G' ~ Gamma(m): G > t + G' iff a Poisson process has fewer than m points up to t + G', that is
    Poisson(t) + NegativeBinomial(m, 1/2) < m. All terms are positive.
    """
    j = np.arange(m)
    with np.errstate(divide="ignore"):
        poisson = j * math.log(t) - t - gammaln(j + 1.0) if t > 0.0 else np.where(j == 0, 0.0, -np.inf)
        return float(np.logaddexp.reduce(poisson + np.log(betainc(m, m - j, 0.5))))


def records_of_constants(m: int, log: float, alpha: float = ALPHA) -> float:
    """The n from which on P((2m/ε)Z > 2αn) ≤ e^{−log}: what the weights alone ask for, labels at their mean."""
    tail = bisected(lambda t: log_laplace_tail(m, t) <= -log, 1e-3, 1e9)
    return m * tail / (alpha * EPSILON)


def lower_records(m: float, log: float, alpha: float) -> float:
    """m^{3/2}√L/(αε): up to it the constants {0, 1} are learnt with a smaller probability than 1 − β (A)."""
    assert math.log(8.0) + 0.5 * log + math.sqrt(2.0 * log / math.pi) < log  # for every L ≥ 10: L/2 grows faster
    return m**1.5 * math.sqrt(log) / (alpha * EPSILON)


@paper.inequality(
    "thm10",
    variant="confidence",
    source="Theorem 10, the power of log(1/beta)",
    expected="refuted",
    weight="range",
    holds="publicdata.thm10.inequality.confidence.corrected",
    quote=r"m=O\left(\frac{d+\log(1/\beta)}{\alpha^{2}\sigma^{2}}\right) ... n\geq\tilde{\Omega}\left(\frac{d^{2}"
    r"\log(1/\beta)}{\alpha^{5}\sigma^{4}\varepsilon}\right)",
    consequence="At m of Theorem 10 the n needed grows as log^2(1/beta). With alpha = 1/8 and all hidden constants 1 "
    "it is 0.78 times the printed n at beta = 0.05, 3.5 times at 1e-6, 6.9 at 1e-12 and 27.6 at 1e-48; true for "
    "log(1/beta) = O(d^2/(alpha sigma)), up to log(e m/d).",
    errata=Correction(
        place="Theorem 10, and the last display of its proof",
        line=1233,
        witness=WITNESS,
        effect=2,
        change="for d^2 log(1/beta)/(alpha^5 sigma^4 epsilon) read (d + log(1/beta))^(3/2) (d log(e m/d) + "
        "log(1/beta))^(1/2)/(alpha^4 sigma^3 epsilon)",
        caveat="\u201cwhere ... hides ... factors\u201d, of what is not said; log(1/beta) is displayed.",
    ),
    statement="At m = c(d + log(1/beta))/(alpha^2 sigma^2), n = C d^2 log(1/beta)/(alpha^5 sigma^4 epsilon) records "
    "make Algorithm 4 an (alpha, beta)-learner, for constants c, C.",
    because="Constants {0, 1}, P(Y = 0) = 1/2 + alpha: the sum of m weights of scale 2m/epsilon exceeds 2 alpha n with "
    "a chance above beta unless n > m^(3/2) sqrt(log(1/beta))/(alpha epsilon), for every log(1/beta) >= 10 (A of this "
    "module). That is c^(3/2) alpha log(1/beta)/C times the printed n, without bound.",
)
def confidence(context: Context) -> Evidence:
    """What A proves to be needed over the printed n, for every L; the exact n that the weights need beside it."""
    rows = []
    for log in LOGS:
        m = (1.0 + log) / ALPHA**2
        needed, printed = lower_records(m, log, ALPHA), log / (ALPHA**5 * EPSILON)
        rows.append({"log": log, "m": m, "needed": needed, "printed": printed, "constant": needed / printed})
    table = []
    for beta in BETAS:
        made = theory_settings.theorem10(EPSILON, ALPHA, beta, 1.0, 1.0)
        table.append(records_of_constants(math.ceil(made.m), math.log(1.0 / beta)) / made.n)
    found = growing(
        rows,
        "value: exponent in log(1/beta) of the constant that the printed n needs at least, alpha = 1/8, c = 1: 1",
        "exact n that the weights ask for over the printed n at beta = "
        + ", ".join(f"{beta:g}: {ratio:.2f}" for beta, ratio in zip(BETAS, table, strict=True)),
    )
    found.series.update(beta=list(BETAS), exact_over_printed=table)
    return found


def enough_weights(m: float, s: float) -> float:
    """2√(ms) + s, which a sum of at most m Laplace variables of scale 1 exceeds with probability at most e^{−s}."""
    return 2.0 * math.sqrt(m * s) + s


def labellings(m: float, d: float, beta: float) -> float:
    """d log(em/d) + log(3/β): s of C."""
    return d * math.log(math.e * m / d) + math.log(3.0 / beta)


@paper.inequality(
    "thm10",
    variant="confidence.corrected",
    source="Theorem 10 with (d + log(1/beta))^(3/2) (d log(e m/d) + log(1/beta))^(1/2)/(alpha^4 sigma^3 epsilon)",
    expected="not refuted",
    statement="For m >= d, with probability 1 - beta/3, L_D(f~) - min L_D <= (2m/(epsilon n))(2 sqrt(m s) + s), s = d "
    "log(e m/d) + log(3/beta); so at Theorem 10's m records of order (d + L)^(3/2) (d log(e m/d) + L)^(1/2)/(epsilon "
    "alpha^4 sigma^3), L = log(1/beta), are enough.",
    because="C of this module: optimality of f~, a union over the labellings of Z, Chernoff's bound. The power of L is "
    "that of the constants {0, 1}, which need their exact n, tried here.",
)
def confidence_corrected(context: Context) -> Rows:
    """The tail of m weights against e^{−s}, exactly; the n that the constants need against the one that C gives."""
    for m in (1, 2, 10, 100, 1000):
        for s in (0.1, 1.0, 10.0, 100.0):
            chance = math.exp(log_laplace_tail(m, enough_weights(m, s)))
            yield {"what": "tail", "m": float(m), "log": s, "left": chance, "right": math.exp(-s)}
    for beta in BETAS:
        m = math.ceil(theory_settings.theorem10(EPSILON, ALPHA, beta, 1.0, 1.0).m)
        right = 2.0 * m / (EPSILON * 2.0 * ALPHA) * enough_weights(m, labellings(m, 1.0, beta))
        left = records_of_constants(m, math.log(1.0 / beta))
        yield {"what": "records", "m": float(m), "log": math.log(1.0 / beta), "left": left, "right": right}
    return "value: smallest relative margin of the tail's bound over the tail, and of n over the n needed"


def every_m(log: float, alpha: float) -> float:
    """0.13 L²/(εα^{5/2}): up to it no m makes Algorithm 4 an (α, β)-learner of all functions on two points (B)."""
    m = (log - math.log(2.0)) * (1.0 - 2.0 * alpha) / (2.0 * alpha)
    assert log >= 12.0 and alpha <= 0.125 and m * math.log1p(-2.0 * alpha) >= math.log(2.0) - log
    least = 2.0 / 3.0 * m * math.sqrt(m - 1.0) * math.sqrt(log) / (alpha * EPSILON)
    stated = 0.13 * log**2 / (EPSILON * alpha**2.5)
    assert stated <= least
    return stated


def failures_on_two_points(alpha: float, m: int, n: int, seed: int, block: int) -> int:
    """How often f̂(q) = 1 in 20,000 runs of B's law: public points, labels and weights drawn."""
    rng = stream(seed, "publicdata.thm4.confidence", m, n, block)
    runs = 20_000
    at_q = rng.binomial(m, 1.0 - 2.0 * alpha, runs)
    records = rng.binomial(n, 1.0 - 2.0 * alpha, runs)
    zeros = rng.binomial(records, 0.5 + alpha / (1.0 - 2.0 * alpha))
    weights = (2.0 * m / EPSILON) * (rng.gamma(np.maximum(at_q, 1)) - rng.gamma(np.maximum(at_q, 1)))
    return int((2 * zeros - records + np.where(at_q > 0, weights, 0.0) < 0.0).sum())


@paper.inequality(
    "thm4",
    variant="confidence",
    source="Theorem 4, equation 20, for every m",
    expected="refuted",
    weight="range",
    level=LEVEL,
    holds="publicdata.thm10.inequality.confidence.corrected",
    quote=r"Then there is a choice of ... such that if ... n=\tilde{\Omega}(d^{2}\varepsilon^{-1}\alpha^{-5}\log"
    r"(\beta^{-1}))",
    consequence="Whatever m is, log^2(1/beta) records are needed: (20) with a hidden constant C fails for log(1/beta) "
    "> 31 C alpha^(-5/2). At alpha = 1/8, beta = 6e-6, m = 34 and n = 3,388 the failure probability is 0.042.",
    errata=Correction(
        place="Theorem 4, equation 20",
        line=296,
        witness=WITNESS,
        effect=1,
        change="for d^2 alpha^-5 log(1/beta)/epsilon read (d log(e m/d) + log(1/beta))^2 "
        "alpha^(-5/2) sigma^(-3/2)/epsilon, up to logarithms of m",
    ),
    statement="For some m, a function of the parameters, n = C d^2 log(1/beta)/(epsilon alpha^5) records make "
    "Algorithm 4 with Laplace weights an (alpha, beta)-learner.",
    because="Two points, all functions, mu(p) = 2 alpha: m below (L - log 2)(1 - 2 alpha)/(2 alpha) leaves p without a "
    "public point too often, and a larger m costs m^(3/2) sqrt(L)/(alpha epsilon) at q. So n >= 0.13 L^2/(epsilon "
    "alpha^(5/2)) for every L >= 12 (B of this module). Gaussian weights: L^(3/2) sqrt(log(1/delta))/(epsilon alpha^2) "
    "in the same way, where (21) has L.",
)
def confidence_of_every_m(context: Context) -> Evidence:
    """What B proves to be needed over (20), for every L; the failure at m₀ and an n of that order by simulation."""
    rows = []
    for log in (12.0 * 4.0**k for k in range(6)):
        needed, printed = every_m(log, ALPHA), 4.0 * log / (EPSILON * ALPHA**5)
        rows.append({"log": log, "needed": needed, "printed": printed, "constant": needed / printed})
    blocks = context.pick(quick=2, full=50)
    hits = sum(failures_on_two_points(ALPHA, 34, 3388, context.seed, block) for block in range(blocks))
    low = float(intervals.lower(hits, blocks * 20_000, LEVEL))
    assert low > math.exp(-12.0), low
    return growing(
        rows,
        "value: exponent in log(1/beta) of the constant that (20) needs at least, alpha = 1/8, d = 2: 1",
        f"at L = 12, m = 34, n = 3,388: failure {hits / (blocks * 20_000):.4f}, at least {low:.4f}, allowed 6.1e-06",
        trials=blocks * 20_000,
    )


def clipped_records(m: int, gamma: float, eta: float) -> float:
    """The n from which on the event v = 1 has a log-ratio of at most ε: κ = 1/√(2ηn), T = m/γ to T(1 − κ)."""
    reach = m / gamma
    base = log_laplace_tail(m, reach)

    def within(n: float) -> bool:
        return log_laplace_tail(m, reach * (1.0 - 1.0 / math.sqrt(2.0 * eta * n))) - base <= EPSILON

    return bisected(within, 2.0 / eta)


def cut_records(made: theory_settings.Perturbed, epsilon: float) -> float:
    """(1 − 2γ)²m²/(2ηγ²ε²): with fewer records the event v = 1 has a log-ratio above ε."""
    return ((1.0 - 2.0 * made.gamma) * math.ceil(made.m) / made.gamma / epsilon) ** 2 / (2.0 * made.eta)


def missing_powers() -> dict[str, float]:
    """The exponent of `cut_records` over (133) in each parameter, from a value to four times it, the others fixed."""
    base = {"epsilon": 1e-2, "alpha": 1e-4, "log(1/beta)": 40.0, "sigma": 0.1, "lambda": 0.5}

    def lacking(epsilon: float, alpha: float, log: float, sigma: float, lam: float) -> float:
        made = theory_settings.theorem7(epsilon, 0.0, alpha, math.exp(-log), 1.0, sigma, lam)
        return cut_records(made, epsilon) / made.n

    found = {}
    for name in base:
        moved = base | {name: 4.0 * base[name]}
        found[name] = math.log(lacking(*moved.values()) / lacking(*base.values())) / math.log(4.0)
    return found


@paper.inequality(
    "thm7",
    variant="powers.laplace",
    source="Theorem 7, equation 133, its powers",
    expected="refuted",
    weight="statement",
    holds="publicdata.thm7.privacy.laplace",
    quote=r"n=\widetilde{\mathcal{L}}\left(\frac{\lambda^{6}}{\sigma^{5}\varepsilon\alpha^{6}}\cdot\left(d^{2}\sqrt{"
    r"\log\left(\frac{1}{\beta}\right)}\vee\log^{5/2}\left(\frac{1}{\beta}\right)\right)\right)",
    consequence="At (132) and d = O(1) what privacy needs is lambda^8 log^3(1/beta)/(sigma^6 alpha^9 epsilon^2): (133) "
    "lacks log^(1/2)(1/beta), alpha^-3, 1/epsilon, 1/sigma and lambda^2. At epsilon = 1, alpha = 1/8, beta = 0.05, "
    "lambda = 1/2 and hidden constants 1 the n needed is 103 times the printed one.",
    errata=Correction(
        place="Theorem 7, equation 133",
        line=896,
        witness=WITNESS,
        effect=2,
        change="for the right side read m^2/(eta gamma^2 epsilon^2), m, eta and gamma of (132)",
    ),
    statement="At gamma, eta and m of (132), n = C lambda^6 log^(5/2)(1/beta)/(sigma^5 epsilon alpha^6) records make "
    "Algorithm 3 with Laplace noise epsilon-DP on classes with d = O(1).",
    because="F = {(f(x0), f(z)) = (t, v): 0 <= kappa t <= v <= 1}, convex; balanced labels at x0, all public points at "
    "z, kappa = 1/sqrt(2 eta n): changing one label moves fbar from (0, 0) to (1, kappa), and f^(z) is v + gamma times "
    "a mean of m Laplace variables, cut to [0, 1]. The density of their sum is e^-s times a polynomial of degree m - 1 "
    "with coefficients >= 0, so the event v = 1 has a log-ratio of at least x(1 - 2 gamma), x = m kappa/gamma, for "
    "kappa <= 1/2: n >= (1 - 2 gamma)^2 m^2/(2 eta gamma^2 epsilon^2) for all parameters. (That event is rare, and "
    "pure privacy counts it.)",
)
def powers(context: Context) -> Evidence:
    """What v = 1 needs over (133), as α falls: the closed form for every α; the exact n at α = 1/8 beside it."""
    rows = []
    for alpha in (ALPHA * 4.0**-k for k in range(6)):
        made = theory_settings.theorem7(EPSILON, 0.0, alpha, 0.05, 1.0, 1.0, 0.5)
        m = math.ceil(made.m)
        needed = cut_records(made, EPSILON)
        assert needed >= 2.0 / made.eta  # so that κ ≤ 1/2 up to there
        rows.append({"alpha": alpha, "m": float(m), "needed": needed, "printed": made.n, "constant": needed / made.n})
    made = theory_settings.theorem7(EPSILON, 0.0, ALPHA, 0.05, 1.0, 1.0, 0.5)
    m = math.ceil(made.m)
    exact = clipped_records(m, made.gamma, made.eta)
    kappa, reach = 1.0 / math.sqrt(2.0 * made.eta * made.n), m / made.gamma
    near = math.log(0.5) - log_laplace_tail(m, reach * kappa)
    far = log_laplace_tail(m, reach * (1.0 - kappa)) - log_laplace_tail(m, reach)
    return growing(
        rows,
        "value: exponent in alpha of the constant that (133) needs at least: 3",
        f"alpha = 1/8, beta = 0.05, lambda = 1/2, epsilon = 1, constants 1: exact n over (133) {exact / made.n:.1f}; "
        f"at n of (133) the event v >= kappa (chance {0.5 * math.exp(-near):.2f}) reaches epsilon = {near:.2f}, v = 1 "
        f"(chance e^{log_laplace_tail(m, reach):.0f}) {far:.2f}",
        "exponents of what is missing: " + ", ".join(f"{x:+.2f} in {name}" for name, x in missing_powers().items()),
    )


@paper.inequality(
    "thm7",
    variant="powers",
    source="Theorem 7, equation 131, its power of log(1/beta)",
    expected="not refuted",
    statement="At (130), d = O(1) and a fixed epsilon <= 1, what Algorithm 3 with Gaussian noise needs for privacy is "
    "between m/(2 eta gamma^2 mu^2) and m/(eta gamma^2 mu^2), mu = mu(epsilon, delta): of order log^2(1/beta), the "
    "power that (131) has.",
    because="On the class of publicdata.thm7.inequality.powers.laplace the optimal event v >= y0 > 0 is not cut, so "
    "the pair is a Gaussian one with shift kappa sqrt(m)/gamma: both bounds follow, and m/(gamma^2 eta) = lambda^4 "
    "log^2(1/beta)/alpha^5 there. (129) has log^6(1/beta), what (102) as printed asks for at d = 1; whether so much is "
    "needed is open.",
)
def powers_gaussian(context: Context) -> Rows:
    """m/(ηγ²) of (130) against 10 times (131)'s first term, L from 3 to 3e6."""
    for k in range(7):
        log = 3.0 * 10.0**k
        for alpha in (ALPHA, ALPHA / 16.0):
            made = theory_settings.theorem7(EPSILON, 1e-5, alpha, math.exp(-min(log, 700.0)), 1.0, 1.0, 0.5)
            scale = max(1.0, log / 700.0)  # exp(−700) is the least β that a float holds: m ∝ L, γ^{−2} ∝ L
            needed = math.ceil(made.m) * scale / (made.eta * made.gamma**2) * scale
            yield {"log": log, "alpha": alpha, "left": needed, "right": 10.0 * made.n * scale**2}
