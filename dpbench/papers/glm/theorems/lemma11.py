"""Lemma 11: the mean of n losses of a model w that is independent of them, against its risk.

Three things are wanting as printed: the loss at zero has a second moment of ‖Y‖⁴ where the proof writes ‖Y‖²; U drops
the term Δlog(2/β)/n that inequality (22) has; and the sub-Gaussian bound is applied to ⟨∇ℓ(w), w⟩, whose direction
depends on w. For generalized linear models ⟨w, x⟩ has a direction that does not, and a lemma of the printed form holds,
with constants of order 1; for other smooth losses in R^d the norm ‖w‖ takes the place of γ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np

from dpbench.certificates.build import Draft, certificate
from dpbench.certificates.search.formula import Values
from dpbench.certificates.search.question import inequality
from dpbench.certificates.search.space import Integer, Real, Space
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import summary
from dpbench.ledger.measurement import Context, Rows
from dpbench.papers.glm import theory_boosting as corrected
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.theorems import paper

H = 2.0
"""Squared loss, ‖X‖ = 1."""
CHANCES = np.unique(np.concatenate((np.geomspace(1e-6, 0.5, 400), 1.0 - np.geomspace(1e-6, 0.5, 400))))
"""Probabilities of the larger of two losses; a search over them gives "at least"."""
_PLACE = "Lemma 11, appendix D"
_BOTH = "With probability at least 1 - beta, mean loss <= (1 + T)L + U and L <= (1 + T) mean loss + V"


def chances(
    first: np.ndarray, second: np.ndarray, n: int, above: np.ndarray, below: np.ndarray, p: np.ndarray = CHANCES
) -> np.ndarray:
    """P(mean > above) and P(mean < below) of n losses, `second` with probability `p`, else `first`.

    The levels, one for each chance, are widened by rounding in the lemma's favour. Shape (2, chances).
    """
    from scipy.stats import binom

    slack = 1e-9 * np.maximum(np.maximum(1.0, np.abs(above)), second)
    up = np.floor((above + slack - first) / (second - first) * n)
    down = np.ceil((below - slack - first) / (second - first) * n)
    return np.array([binom.sf(up, n, p), binom.cdf(down - 1.0, n, p)])


def _count(size: str, side: int) -> tuple[Callable[[Values], float], str]:
    """z standard deviations from the mean of a binomial count of v[size] draws, in 0..v[size]."""

    def count(v: Values) -> float:
        n = v[size]
        return min(max(float(round(n * v["p"] + side * v["z"] * math.sqrt(n * v["p"] * (1.0 - v["p"])))), 1.0), n - 1.0)

    return count, "records with the label Y, at the event's end"


LABELS = Space(
    "the zero model on labels of two values, squared loss, any two values, chances and sizes",
    {
        "n": Integer("records", 4, 10**6),
        "Y": Real("bound on the labels", 1e-2, 1e3),
        "b": Real("the other label over Y", 0.0, 0.9),
        "p": Real("chance of a label Y", 1e-4, 0.9999),
        "z": Real("the event's end, in standard deviations", 0.0, 6.0),
        "gamma": Real("sub-Gaussian parameter", 1e-9, 1e3),
        "beta": Real("failure probability", 1e-8, 0.5),
    },
    derived={"k": _count("n", 1)},
    definitions={
        "H": "2",
        "loss": "b^2*Y^2 + p*(1 - b^2)*Y^2",
        "mean": "b^2*Y^2 + k/n*(1 - b^2)*Y^2",
        "T": "4*gamma*log(4/beta)*sqrt(H)/(Y*sqrt(n))",
    },
)
_TWO = (
    "w = 0 is sub-Gaussian with any gamma > 0, labels Y with chance p, else b Y: the mean loss is b^2 Y^2 + (1 - b^2) "
    "Y^2 Bin(n, p)/n; k or more labels Y break the first inequality, and betatail is the chance of that.",
)
_BEYOND = {"beyond": ("mean > (1 + T)*loss + U", "k labels Y break the first inequality")}

LEMMA11 = inequality(
    LABELS, "betatail(p, k, n - k + 1)", "beta", derivation=_TWO, conditions=_BEYOND,
    definitions={"U": "4*gamma*log(4/beta)*Y*sqrt(H)/sqrt(n) + Y*sqrt(log(2/beta))/sqrt(n)"},
)  # fmt: skip


@paper.inequality(
    "lemma11", source="Lemma 11", expected="refuted", holds="glm.lemma11.inequality.corrected", weight="hypothesis",
    hurt="proof",
    quote=r"U(n,\beta) := \tfrac{4\gamma \log(4/\beta)\|\mathcal{Y}\|\sqrt{\widetilde{H}}}{\sqrt{n}} + "
    r"\tfrac{\|\mathcal{Y}\|\sqrt{\log(2/\beta)}}{\sqrt{n}}",
    statement=f"{_BOTH}.",
    because="The proof takes E l(0)^2 <= Y^2 where it is Y^4. At w = 0 with y = 0 or Y the mean loss is binomial, and "
    "T is as small as one likes.",
    consequence="At |Y| = 10, w = 0, n = 10,000, beta = 0.1 the first inequality fails with probability at least 0.368 "
    "where 0.1 is allowed; for |Y| <= 1 the printed term is the larger one. Theorem 13 does not suffer: applied to "
    "differences of losses the argument needs no such term, and 16|Y|/sqrt(n) can be deleted there.",
    errata=Correction(
        place=f"{_PLACE}, the last term of U and of V",
        change="for |Y| sqrt(log(2/beta))/sqrt(n) read 2|Y|^2 sqrt(log(2/beta))/sqrt(n) in U and V; in Theorem 13 "
        "delete 16|Y|/sqrt(n)",
        effect=1,
    ),
    space=LEMMA11,
)  # fmt: skip
def lemma11(context: Context) -> Rows:
    """Both inequalities on two-valued losses: a fixed w, so that only S is random, and its law is binomial."""
    for y, share, n, beta in product((1.0, 10.0, 100.0), (0.0, 0.1, 1.0, 10.0), (100, 10_000), (0.1, 1e-3)):
        above, below = _printed_failures(y, share * y, n, beta)
        yield {"Y": y, "|w|": share * y, "n": n, "beta": beta, "first": above, "second": below,
               "worse": max(above, below)}  # fmt: skip
    return summary(
        "value: the largest probability that the first inequality fails at Y = 10, w = 0, n = 10,000, beta = 0.1: "
        "the supremum over the chance of the loss Y^2; the lemma allows 0.1",
        value=headline(),
        sides=("worse", "beta"),
    )


_LEMMA_11 = {
    "T": LEMMA11.all_definitions["T"],
    "U": LEMMA11.all_definitions["U"],
}
_THEORY_11 = {
    "T": lambda v: theory.boosting_spread(v["H"], v["Y"], v["gamma"], int(v["n"]), v["beta"]),
    "U": lambda v: theory.boosting_upper(v["H"], v["Y"], v["gamma"], int(v["n"]), v["beta"]),
}


@certificate("glm.lemma11.inequality", "inequality")
def lemma11_certificate() -> Draft:
    """w = 0 and two-valued labels: the mean loss is a binomial count, and T as small as one likes."""
    from scipy.stats import binom

    y, n, beta, gamma = 10, 100, Fraction(1, 10), Fraction(1, 10**9)
    spread = theory.boosting_spread(2.0, y, float(gamma), n, 0.1)
    upper = theory.boosting_upper(2.0, y, float(gamma), n, 0.1)
    k = math.floor(n / y**2 * ((1.0 + spread) * 0.5 * y**2 + upper)) + 1
    values = {"n": n, "Y": y, "H": 2, "gamma": gamma, "beta": beta, "p": Fraction(1, 2), "k": k}
    return Draft(
        verdict="refuted",
        statement="The first inequality fails with more than probability beta.",
        symbols={"n": "records", "Y": "bound on the labels", "H": "smoothness H~", "gamma": "sub-Gaussian parameter",
                 "beta": "failure probability", "p": "chance of a label Y", "k": "records with the label Y"},
        definitions=_LEMMA_11,
        assumptions={"beyond": ("k*Y^2/n > (1 + T)*p*Y^2 + U", "k labels Y break the first inequality"),
                     "loss": ("H = 2", "the squared loss"), "sub": ("gamma > 0", "w = 0 is sub-Gaussian with any "
                         "gamma")},
        claim={"left": "betatail(p, k, n - k + 1)", "relation": "<=", "right": "beta"},
        instances=[(values, {"left": float(binom.sf(k - 1, n, 0.5)), "right": beta})],
        derivation=[("w = 0, labels Y with probability p, else 0: the mean loss is Y^2 Bin(n, p)/n and the risk p Y^2.",
                     ["loss", "sub"]),
                    ("k or more labels Y break the inequality; betatail is the chance of that.", ["beyond"])],
        theory=_THEORY_11,
    )  # fmt: skip


def headline() -> float:
    """sup over p of P(Y²N/n > pY² + U), N ~ Bin(n, p): w = 0, where T is as small as one likes.

    The event is N ≥ j up to p = j/n − U/Y², so that the supremum is at one of these ends.
    """
    from scipy.stats import binom

    y, n, beta = 10.0, 10_000, 0.1
    j = np.arange(1, n + 1)
    ends = j / n - math.sqrt(math.log(2.0 / beta) / n) / y
    return float(binom.sf(j[ends > 0.0] - 1, n, ends[ends > 0.0]).max())


def _printed_failures(y: float, radius: float, n: int, beta: float) -> tuple[float, float]:
    """Largest failure probability of either inequality: losses (B + Y)² with probability p, else (B − Y)²₊.

    w = B e_1 is γ²-sub-Gaussian with γ² = B²/log 2; at w = 0 every γ > 0 will do.
    """
    gamma = max(radius / math.sqrt(math.log(2.0)), 1e-9)
    large, small = (radius + y) ** 2, max(0.0, radius - y) ** 2
    spread = theory.boosting_spread(H, y, gamma, n, beta)
    upper = theory.boosting_upper(H, y, gamma, n, beta)
    lowered = theory.boosting_lower(H, y, gamma, large, n, beta)
    mean = small + CHANCES * (large - small)
    above, below = chances(np.array(small), np.array(large), n, (1.0 + spread) * mean + upper,
                           (mean - lowered) / (1.0 + spread))  # fmt: skip
    return float(above.max()), float(below.max())


@paper.inequality(
    "lemma11", variant="rare", source="Lemma 11, U without the range of the loss", expected="refuted",
    quote=r"A simple application of AM-GM inequality gives,", holds="glm.lemma11.inequality.corrected",
    weight="constant",
    hurt="proof",
    statement="With U = 4 gamma log(4/beta) Y sqrt(H~)/sqrt(n) + Y sqrt(log(2/beta))/sqrt(n), or with 2 Y^2 in the "
    "place of Y in its last term, the mean loss is at most (1 + T)L + U with probability at least 1 - beta.",
    because="Inequality (22) has Delta log(2/beta)/n on its right side, and U does not. Squared loss, w = 1, record "
    "(1, 0) with probability 1.02 beta/n, else (0, 0): a single one makes the mean 1/n, and Y, which only has to bound "
    "the loss at zero, 0, is free.",
    consequence="At beta = 1e-5 the mean loss is 1/n or more with probability 1.02e-5, where (1 + T)L + U is below "
    "0.57/n whatever Y: the chance of failure is 1.02 beta for every beta below 3e-5. V has the term.",
    errata=Correction(
        place=f"{_PLACE}, U, and the display after (23)",
        change="add 2 Delta(gamma, beta/(4n)) log(2/beta)/n to U",
        caveat=r"V has it: “\tfrac{2\Delta\left(\gamma,\tfrac{\beta}{4n}\right)\log(2/\beta)}{n}”.",
    ),
)  # fmt: skip
def rare(context: Context) -> Rows:
    """P(at least one rare record), and the right side at the Y that makes it largest relative to 1/n: its minimum."""
    for beta, n, squared in product((1e-5, 2e-5, 4e-5), (10**3, 10**4, 10**6), (False, True)):
        chance = 1.02 * beta / n
        gamma = 1.0 / math.sqrt(math.log(2.0))
        right = min(_right(float(y), gamma, n, beta, chance, squared) for y in np.geomspace(1e-8, 10.0, 4_000))
        failed = -math.expm1(n * math.log1p(-chance)) if right < 1.0 / n else 0.0
        yield {"beta": beta, "n": n, "Y squared in U": squared, "right side times n": right * n, "chance": failed,
               "chance over beta": failed / beta}  # fmt: skip
    return summary(
        "value: the largest probability of failure over beta, in units of beta; 1 is allowed",
        "the right side is its least over 4,000 values of Y (a lower bound on what a user could choose worse); with "
        "2Y^2 in U it is smaller still",
        value="chance over beta",
        sides=("chance", "beta"),
    )


@certificate("glm.lemma11.inequality.rare", "inequality")
def lemma11_rare() -> Draft:
    """One rare record (1, 0) among records (0, 0) and w = 1; Y is free, for the loss at zero is 0."""
    n, beta, gamma, y = 1000, Fraction(1, 10**5), Fraction(121, 100), Fraction(1, 10_000)
    loss = Fraction(51, 50) * beta / n
    return Draft(
        verdict="refuted",
        statement="One record makes the mean loss larger than the bound, and comes with more than probability beta.",
        symbols={"n": "records", "Y": "bound on the root of the loss at zero, which is 0", "H": "smoothness H~",
                 "gamma": "sub-Gaussian parameter", "beta": "failure probability",
                 "loss": "the risk of w = 1: the chance of the record (1, 0)"},
        definitions=_LEMMA_11,
        assumptions={"beyond": ("1/n > (1 + T)*loss + U", "a single record (1, 0) breaks the first inequality"),
                     "squared": ("H = 2", "the squared loss"),
                     "model": ("gamma^2*log(2) >= 1", "E exp(w^2/gamma^2) <= 2 for w = 1")},
        claim={"left": "1 - (1 - loss)^n", "relation": "<=", "right": "beta"},
        instances=[({"n": n, "Y": y, "H": 2, "gamma": gamma, "beta": beta, "loss": loss},
                    {"left": -math.expm1(n * math.log1p(-float(loss))), "right": beta})],
        derivation=[("w = 1, records (1, 0) with probability loss, else (0, 0): the mean loss is the share of the "
                     "records (1, 0), 1/n or more if there is one, and the loss at zero is 0.", ["squared", "model"]),
                    ("A single one breaks the inequality; the left side is the chance of that.", ["beyond"])],
        theory=_THEORY_11,
    )  # fmt: skip


def _right(y: float, gamma: float, n: int, beta: float, risk: float, squared: bool) -> float:
    """(1 + T)L + U at the risk L of the rare record."""
    spread = theory.boosting_spread(H, y, gamma, n, beta)
    last = 2.0 * y**2 if squared else y
    upper = spread * y**2 + last * math.sqrt(math.log(2.0 / beta) / n)
    return (1.0 + spread) * risk + upper


GAMMA = math.sqrt(8.0 / 3.0)
"""The loss 1[z = 1]‖w‖² at w ~ N(0, I_d) is γ²-sub-Gaussian for γ² = 8/3."""


def direction_failure(d: int, n: int, p: float, spread: float, upper: float) -> float:
    """P(‖w‖²(N/n − (1 + T)p) > U) for independent ‖w‖² ~ χ²_d and N ~ Bin(n, p), summed over N."""
    from scipy.stats import binom, chi2

    low, high = (int(binom.isf(q, n, p)) for q in (1.0 - 1e-13, 1e-13))
    counts = np.arange(low, high + 1)
    room = counts / n - (1.0 + spread) * p
    with np.errstate(divide="ignore"):
        beyond = np.where(room > 0.0, chi2.sf(upper / np.where(room > 0.0, room, 1.0), d), 0.0)
    return float(binom.pmf(counts, n, p) @ beyond)


@paper.inequality(
    "lemma11", variant="direction", source="Lemma 11, losses that are not GLMs", expected="refuted",
    quote=r"We now use the fact that w is  $\gamma^2$ -sub-Gaussian, therefore  $\langle \nabla \ell(w;(x,y)),w\rangle "
    r"\leq \gamma \sqrt{\log{(4/\beta)}} \, \|\nabla \ell(w;(x,y))\|$  with probability at least  $1-\beta/4$ .",
    holds="glm.lemma11.inequality.any-loss", weight="hypothesis",
    hurt="corner: losses that are no GLM and models outside a ball; shown at d = 1e5, n = 1e8, |Y| = 10",
    statement=f"{_BOTH}, for convex H~-smooth non-negative losses that need not be GLMs.",
    because="Sub-Gaussianity speaks of <w, u> for a fixed u; the gradient at w points where w does. For l = 1[z = "
    "1]|w|^2 and w ~ N(0, I_d) the product is 2|w|^2, of order d and not sqrt(d).",
    consequence="Item 2 of section 1.2 has “not necessarily GLMs”: for the loss 1[z = 1]|w|^2 and w ~ N(0, I_d), d = "
    "1e5, n = 1e8, |Y| = 10, beta = 0.1 the first inequality fails with probability 0.412, and still with 0.365 after "
    "|Y| and Delta are mended. It holds for GLMs, where x is independent of w, and in general with |w| in the place of "
    "gamma; for models in a ball nothing changes.",
    errata=Correction(
        place=f"{_PLACE}, and the sentence of its proof quoted",
        change='for "convex H smooth non-negative function" read "convex H-smooth non-negative GLM, |x| <= |X|", with '
        "gamma|X| sqrt(log(8n/beta)) for gamma sqrt(log(4/beta)); or let gamma sqrt(log(4/beta)) bound |w|",
        caveat="Section 1.2: “we give a procedure to boost the confidence of algorithms for risk minimization with "
        r"convex non-negative  $\widetilde{H}$  smooth functions (not necessarily GLMs)”.",
        effect=1,
    ),
    no_certificate="the entry's module decides it for one law; none has been sealed yet",
)  # fmt: skip
def direction(context: Context) -> Rows:
    """As printed, and with the mended terms of Y and Δ: the direction is what is left."""
    from scipy.stats import chi2

    n, p, y, beta = 10**8, 1e-3, 10.0, 0.1
    spread = theory.boosting_spread(H, y, GAMMA, n, beta)
    for d in (100_000, 1_000_000):
        # Δ(γ, β/4n): the loss is 0 with probability 1 − p, else χ²_d; a record exceeds with probability β/(4n)
        largest = float(chi2.isf(beta / (4.0 * n) / p, d))
        printed = theory.boosting_upper(H, y, GAMMA, n, beta)
        mended = spread * y**2 + 2.0 * y**2 * math.sqrt(math.log(2.0 / beta) / n)
        mended += 2.0 * largest * math.log(2.0 / beta) / n
        right = corrected.upper(H, y, corrected.radius(GAMMA, d, beta), n, beta)
        yield {"d": d, "beta": beta, "chance": direction_failure(d, n, p, spread, printed),
               "with Y and Delta mended": direction_failure(d, n, p, spread, mended),
               "with |w| for gamma": direction_failure(
                   d, n, p, corrected.spread(H, y, corrected.radius(GAMMA, d, beta), n, beta), right)}  # fmt: skip
    return summary(
        "value: the largest probability that the first inequality fails; 0.1 is allowed",
        "w ~ N(0, I_d) has E exp(<w, u>^2/gamma^2) = 2 at gamma^2 = 8/3 exactly; the loss is 2-smooth, convex, "
        "non-negative, 0 at zero; the chance is a sum over the binomial number of records with z = 1",
        value="chance",
        sides=("chance", "beta"),
    )


def _gaussian_failures(y: float, scale: float, n: int, beta: float, shrink: float, nodes: int) -> tuple[float, float]:
    """Largest failure probabilities of Lemma 11 corrected for w ~ N(0, scale²), x = 1, squared loss, labels ±Y.

    Given w the losses are (|w| + Y)² and (|w| − Y)²; the mean over |w| is taken at middles of cells of its law.
    """
    from scipy.stats import norm

    gamma = GAMMA * scale
    tau = corrected.reach(gamma, 1.0, n, beta)
    spread, upper = corrected.spread(H, y, tau, n, beta), corrected.upper(H, y, tau, n, beta)
    lowered = corrected.lower(H, y, tau, n, beta, corrected.outside(H, y, tau, gamma, n))
    spread, upper, lowered = shrink * spread, shrink * upper, shrink * lowered
    total = np.zeros((2, CHANCES.size))
    sizes = scale * norm.isf(0.5 * (np.arange(nodes) + 0.5) / nodes) if scale > 0.0 else np.array([0.0])
    for size in sizes:
        # at w = 0 all losses equal Y²: labels 0 and Y instead
        large, small = ((size + y) ** 2, (size - y) ** 2) if size > 0.0 else (y**2, 0.0)
        mean = small + CHANCES * (large - small)
        total += chances(np.array(small), np.array(large), n, (1.0 + spread) * mean + upper,
                         (mean - lowered) / (1.0 + spread)) / sizes.size  # fmt: skip
    return float(total[0].max()), float(total[1].max())


@paper.inequality(
    "lemma11",
    variant="corrected",
    source="Lemma 11, corrected, for GLMs",
    expected="not refuted",
    quote=r"We first establish the following concentration bound for convex  $\widetilde{H}$  smooth non-negative "
    r"functions.",
    statement=f"{_BOTH}, for convex H-smooth non-negative GLMs and a gamma^2-sub-Gaussian w independent of S, where g "
    "= gamma|X|, tau = g sqrt(log(8n/beta)), l = log(4/beta), T = tau sqrt(Hl)/(|Y| sqrt(n)), U = tau|Y| sqrt(Hl/n) + "
    "sqrt(2)|Y|^2 sqrt(l/n) + (|Y| + sqrt(H/2)tau)^2 l/(3n), V = tau|Y| sqrt(Hl/n) + 2 sqrt(2)|Y|^2 sqrt(l/n) + 5H "
    "tau^2 l/n + (2|Y|^2 + H(tau^2 + g^2))/n.",
    because="x is independent of w, so all n losses equal those cut at |<w, x>| <= tau but for beta/4; the root of a "
    "smooth non-negative loss is sqrt(H/2)-Lipschitz, convexity gives l <= Y^2 + tau sqrt(2Hl), hence E l^2 <= (Y^2 + "
    "tau sqrt(2HL))^2; Bernstein above, the second-moment bound for non-negative variables below.",
    space=inequality(
        LABELS,
        "betatail(p, k, n - k + 1)",
        "beta",
        derivation=_TWO,
        conditions=_BEYOND,
        definitions={"U": "4*gamma*log(4/beta)*Y*sqrt(H)/sqrt(n) + 2*Y^2*sqrt(log(2/beta)/n) + 2*Y^2*log(2/beta)/n"},
    ),
)
def lemma11_corrected(context: Context, shrink: float = 1.0) -> Rows:
    """Fixed and Gaussian w on two-valued losses; T, U and V times `shrink` plants a bound that is too small."""
    nodes = context.pick(quick=16, full=200)
    for y, scale, n, beta in product((0.1, 1.0, 10.0), (0.0, 0.1, 1.0, 10.0), (100, 10_000), (0.5, 0.1, 1e-3)):
        above, below = _gaussian_failures(y, scale * y, n, beta, shrink, nodes)
        yield {"Y": y, "scale": scale * y, "n": n, "beta": beta, "first": above, "second": below,
               "worse": max(above, below), "of beta": max(above, below) / beta}  # fmt: skip
    return summary(
        "value: the largest failure probability over beta, in units of beta: the lemma is loose there",
        "squared loss, x = 1, labels +-Y (0 or Y at w = 0), w ~ N(0, scale^2), exact binomials given w; T, U and V "
        "times 0.2 are rejected",
        value="of beta",
        sides=("worse", "beta"),
    )


@paper.inequality(
    "lemma11",
    variant="any-loss",
    source="Lemma 11, corrected, for smooth losses in R^d",
    expected="not refuted",
    statement=f"{_BOTH}, for convex H~-smooth non-negative losses and any w independent of S with |w| <= W but for "
    "beta/4, with W sqrt(H~) for tau sqrt(H) in T, U and V, and without V's last term; W = gamma sqrt(d log(8/beta)) "
    "for a gamma^2-sub-Gaussian w.",
    because="As for GLMs with the ball in the place of |<w, x>| <= tau; E exp(|w|^2/(d gamma^2)) <= 2 by Hoelder.",
)
def any_loss(context: Context, shrink: float = 1.0) -> Rows:
    """The instance that breaks the printed lemma; W times `shrink`."""
    n, p, y = 10**8, 1e-3, 10.0
    for d, beta in product((10, 1_000, 100_000, 1_000_000), (0.1, 0.01)):
        norm_bound = shrink * corrected.radius(GAMMA, d, beta)
        spread, upper = corrected.spread(H, y, norm_bound, n, beta), corrected.upper(H, y, norm_bound, n, beta)
        yield {"d": d, "beta": beta, "chance": direction_failure(d, n, p, spread, upper)}
    return summary(
        "value: the largest probability that the first inequality fails, over d",
        "loss 1[z = 1]|w|^2, w ~ N(0, I_d), n = 1e8, P(z = 1) = 1e-3, |Y| = 10; W times 0.05 is rejected",
        value="chance",
        sides=("chance", "beta"),
    )
