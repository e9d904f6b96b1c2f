"""Theorem 4 of the public-data paper, accuracy: what (20) and (21) say of n, for every m and for one class; rates in n.

L = log(1/β); for P(Z > u), Z a sum of k Laplace variables of scale 1, see `laplace_sums`.

B. X = {p, q}, all functions (d = 2), μ(p) = 2α, α ≤ 1/8, ε ≤ 1, L ≥ 12, σ = 1. If m < m₀ = (L − log 2)(1 − 2α)/(2α), p
has no public point with probability above 2β, f̂(p) does not depend on the labels at p, and is wrong for one of Y|p ≡
0, 1 with conditional probability at least 1/2. If m ≥ m₀: Y|p ≡ 0, P(Y = 0|q) = 1/2 + α/(1 − 2α); with probability 1/2
each, at least m/2 public points are at q and the labels at q add up to at most 2αn + √n, so f̂(q) = 1, which loses 2α,
with probability at least Φ̄(v)/8 > β unless n ≥ (2/3)m√(m − 1)√L/(αε), which increases in m. At m₀: n ≥ 0.13
L²/(εα^{5/2}).

One class for all m (E). ℓ = log(100d), B = log(1/δ), L = log(1/β), s = C√(mB)/ε, n = n₀Λd²B^{1/2}L/(εα⁴) with Λ what
Ω̃ hides; ε ≤ 1, δ ≤ 0.1, α ≤ 1/16. d/2 free "group" bits of mass 1/d each. K = ⌈2ℓ⌉ blocks of D = ⌊d/(2K)⌋ free bits,
of mass p_k = 2^{1−k}/(4D) each; per block a point x°_k of mass 0 with the block's parity for its value. The rest of
the mass is at a point where all f agree. A product over disjoint domains: VC dimension at most d. λ = log(100D) ≤ ℓ.

m < 4Dλ ≤ d. A group bit is unhit with chance (1 − 1/d)^m ≥ 0.36. For labels v* drawn as fair coins f̂ is independent
of v* on unhit bits, as f̂ sees f̃(Z) alone, so half of them are wrong: excess at least 0.075 > 1/16, but for a
probability that vanishes with d (McDiarmid, Hoeffding), and some v* does it.

4Dλ ≤ m ≤ m_P = ε²D²/(22.7C²Bℓ). Some k has mp_k in [λ, 2λ] (as 2^K ≥ D). With probability 0.985 all D bits are hit,
with at most 4ℓ points a bit in the mean. Records {(x°_k, 1), (x°_k, 0)} against {(x°_k, 0), (x°_k, 0)}: given such Z
the parity is 1 with chance 1/2 against S/2, S = Π_g P(|N(0, 1)| > 2/(s√k_g)) ≤ exp(−0.968 D/(s√(4ℓ))) ≤ 0.1, as P(|N|
≤ x) ≥ 2xφ(1) for x ≤ 1, and by Jensen. Z averaged out: 0.985/2 > e^ε(0.015 + 0.05) + δ.

m ≥ m_A = 50.3αεn/(C√(dB)). Group labels of mean bias h = 16α: a group with at least m/(2d) points and a signal of at
most 2nh/d flips with chance Φ(−0.9) = 0.184 or more, and 0.85 of the groups are such but for a probability that
vanishes with d. So more than an eighth flip: excess above h/16 = α.

m_A ≤ m_P, so that every m is covered, iff √d ≥ 2·10⁴ n₀ΛCBLℓ³/(α³ε²), D being about d/(4ℓ).
"""

from __future__ import annotations

from dpbench.ledger import statement
from dpbench.ledger.correction import Correction
from dpbench.ledger.measurement import Context, Evidence
from dpbench.papers.publicdata.algorithms.rrspm import RRSPM
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.parity_cube import QUOTE, QUOTE_DRAWN
from dpbench.papers.publicdata.theorems.rrspm_rates import HOW, in_n
from dpbench.papers.publicdata.theorems.sweeps import records_log
from dpbench.papers.publicdata.theorems.theorem8 import ACCURACY

EPSILON, DELTA = 1.0, 1e-5
_HIDDEN = statement.Integer("power of log d that O~ hides", 0, 3)

LEARNER = statement.Statement(
    about="For some C, one choice of m, polynomial in the parameters, makes Algorithm 4 with N(0, (C sqrt(m "
    "log(1/delta))/epsilon)^2) weights (epsilon, delta)-DP, which asks for m of {needed} or more, and, at {n} of (21), "
    "an (alpha, beta)-learner, which asks for m of {accurate} at most, for every class of VC dimension d: {claim}.",
    symbols={
        "d": statement.Integer("VC dimension", 1, 10**60),
        "share": statement.Real("standard deviation of a weight over d", "1e-4", 10),
        "epsilon": statement.Real("claimed", "1/1000", 1),
        "delta": statement.Real("claimed", "1e-10", "1/100"),
        "alpha": statement.Real("accuracy", "1/1000", "1/8"),
        "beta": statement.Real("failure probability", "1e-6", "1/2"),
        "C": statement.Real("the theorem's constant, as large as one likes", 1, 1000),
        "hidden": _HIDDEN,
    },
    where={
        "s": "share*d",
        "survival": "exp(-2*sqrt(2)*d/(sqrt(pi)*s))",
        "n": "d^2/(epsilon*alpha^4)*sqrt(log(1/delta))*log(1/beta)*log(d)^hidden",
        "needed": "(s*epsilon/C)^2/log(1/delta)",
        "accurate": "8*alpha*epsilon*n/(C*sqrt(d*log(1/delta)))",
    },
    given={
        "more": ("d > 1", "a logarithm of d"),
        "cost": ("8*erfc(1/sqrt(2))/2 > 1", "flips of chance Phi(-1) cost more than alpha"),
        "broken": ("1/2 - exp(epsilon)*survival/2 > delta", "the smaller weights break (epsilon, delta)"),
    },
    claim=statement.order("needed", to="accurate", variable="d"),
    steps=(
        "The cube with one public point a bit: parity 1 has the chances 1/2 and erfc(sqrt(2)/s)^d/2 on the tilted "
        "pair; log erfc is concave with slope -2/sqrt(pi) at 0, so erfc(sqrt(2)/s)^d <= survival, and weights of a "
        "standard deviation of s or less break (epsilon, delta); with C sqrt(m log(1/delta))/epsilon privacy asks for "
        "m > needed.",
        "The cube with its points in d equal groups, labels biased by 8 alpha: a bit flips with chance Phi(-1) once m "
        "reaches accurate, and the flips cost 8 alpha Phi(-1) > alpha.",
        "needed/accurate depends on C by 1/C alone: no choice of m as a function of the parameters does both.",
    ),
    witness={
        "d": 1,
        "share": "1/8",
        "epsilon": "1/8",
        "delta": "1e-5",
        "alpha": "1/8",
        "beta": "1/20",
        "C": 1000,
        "hidden": 3,
        "power_d": 4,
        "first": 4,
    },
)


ONE_CLASS = statement.Statement(
    about="For some C and every class of VC dimension d there is an m for which Algorithm 4 with N(0, (C sqrt(m "
    "log(1/delta))/epsilon)^2) weights is (epsilon, delta)-DP and, at {n} of (21), an (alpha, beta)-learner: {claim} "
    "with {accurate} and {breaks}.",
    symbols={
        "d": statement.Integer("VC dimension", 10**3, 10**100),
        "epsilon": statement.Real("claimed", "1/1000", 1),
        "delta": statement.Real("claimed", "1e-10", "1/10"),
        "alpha": statement.Real("accuracy", "1/1000", "1/16"),
        "L": statement.Real("log(1/beta)", 1, 100),
        "C": statement.Real("the theorem's constant", "1/2", 1000),
        "hidden": _HIDDEN,
    },
    where={
        "size": "log(100*d)",
        "block": "d/(4*size + 2) - 1",
        "n": "d^2*sqrt(log(1/delta))*L*log(d)^hidden/(epsilon*alpha^4)",
        "accurate": "503/10*alpha*epsilon*n/(C*sqrt(d*log(1/delta)))",
        "breaks": "epsilon^2*block^2/(227/10*C^2*log(1/delta)*size)",
    },
    given={"many": ("accurate >= 20*d", "points a group")},
    claim=statement.order("breaks", to="accurate", variable="d"),
    steps=(
        "The class of group bits and parity blocks: m below 4 D log(100 D) leaves group bits unhit, m from there to "
        "breaks has a block whose parity tells a record, m from accurate on flips an eighth of the group bits: every m "
        "fails where accurate <= breaks.",
    ),
    witness={
        "d": 1000,
        "epsilon": 1,
        "delta": "1/10",
        "alpha": "1/50",
        "L": 1,
        "C": "1/2",
        "hidden": 3,
        "power_d": 8,
        "first": 11,
    },
)


EVERY_M = statement.Statement(
    about="For some m, a function of the parameters, n = C d^2 log(1/beta)/(epsilon alpha^5) records make Algorithm 4 "
    "with Laplace weights an (alpha, beta)-learner: {claim} at d = 2, with {needed} and {said}.",
    symbols=ACCURACY,
    where={"needed": "13/100*L^2/(epsilon*alpha^(5/2))", "said": "4*L/(alpha^5*epsilon)"},
    claim=statement.order("needed", to="said", variable="L"),
    steps=(
        "Two points, mu(p) = 2 alpha: m below (L - log 2)(1 - 2 alpha)/(2 alpha) leaves p without a public point too "
        "often, and a larger m asks for (2/3) m sqrt(m - 1) sqrt(L)/(alpha epsilon) records at q; the least is above "
        "the left side.",
    ),
)


paper.formula(
    "thm4",
    LEARNER,
    points=statement.grid(
        d=[10**k for k in range(16, 49, 8)],
        share=("1/8",),
        epsilon=("1/8",),
        delta=("1e-5",),
        alpha=("1/8",),
        beta=("1/20",),
        C=(1000,),
        hidden=(3,),
    ),
    row="gaussian-learner",
    source="Theorem 4, equation 21, both halves together",
    expected="refuted",
    holds="publicdata.thm4.privacy.gaussian-patterns",
    weight="statement",
    hurt="corner: d above 1e10 at C = 2.86, alpha = epsilon = 1/8 (1e20 with log^3 d)",
    quote=QUOTE,
    consequence="With the printed weights and n of (21), a choice of m from the parameters is either not private or "
    "not accurate once sqrt(d) exceeds a constant times C log(1/delta) log(1/beta)/alpha^3: at C = 2.86 and alpha = "
    "epsilon = 1/8 for d above 1e10 with no hidden logarithms, above 1e20 with log^3 d. With standard deviation 2 "
    "sqrt(m)/mu(epsilon, delta/N), that is log(N/delta) for log(1/delta), both hold, at the rate of (21) for "
    "log(1/beta) <= d^3: the printed d^2 has room for log N (Theorem 4' of the note).",
    errata=Correction(
        place="Theorem 4, equation 21",
        effect=2,
        change="for C sqrt(m log(1/delta)) read 2 sqrt(2m (d log(e m/d) + log(1/(2 delta)) + eps)) in the weights, and "
        "leave (21)",
        caveat="The theorem says “there is a choice of” m; for an m chosen for each class see "
        "publicdata.thm4.inequality.one-class.",
    ),
    because="Two classes of VC dimension d and sigma = 1 (steps); the flips cost 8 alpha Phi(-1) = 1.27 alpha. At n of "
    "(21) the m for privacy is larger than the one for accuracy by a factor that grows as sqrt(d) but for logarithms. "
    "Here m is a function of the parameters; publicdata.thm4.inequality.one-class is of an m for each class. N(0, s) "
    "is read with s the standard deviation, which is the larger noise.",
    rows={
        "one-class": {
            "source": "Theorem 4, equation 21: one class and one mu, every m",
            "expected": "refuted",
            "weight": "statement",
            "hurt": "corner: d above 1e31 at C = 2.86, alpha = 1/16, epsilon = 1 (1e44 with log^3 d)",
            "holds": "publicdata.thm4.privacy.gaussian-patterns",
            "quote": QUOTE_DRAWN,
            "consequence": "No choice of m, not even one for each class, saves the Gaussian half of Theorem 4 once "
            "sqrt(d) exceeds 2e4 C log(1/delta) log(1/beta) log^3(100 d)/(alpha^3 epsilon^2) times what is hidden. "
            "Purely asymptotic: at C = 2.86, alpha = 1/16, epsilon = 1 from d = 1e31 on without hidden logarithms, "
            "1e44 with log^3 d.",
            "errata": Correction(
                place="Theorem 4, equation 21",
                effect=2,
                change="for C sqrt(m log(1/delta)) read 2 sqrt(2m (d log(e m/d) + log(1/(2 delta)) + eps)) in the "
                "weights, and leave (21)",
            ),
            "statement": ONE_CLASS,
            "points": statement.grid(
                d=[10**k for k in range(44, 93, 8)],
                epsilon=(1,),
                delta=("1e-5",),
                alpha=("1/16",),
                L=(3,),
                C=("2.86",),
                hidden=(3,),
            ),
            "because": "One class (this module has the proof). m_P over m_A grows as sqrt(d) but for logarithms.",
        },
        "confidence": {
            "source": "Theorem 4, equation 20, for every m",
            "expected": "refuted",
            "weight": "range",
            "hurt": "corner: log(1/beta) above 31 C alpha^(-5/2), C the hidden constant",
            "holds": "publicdata.thm10.inequality.confidence-corrected",
            "quote": r"Then there is a choice of ... such that if ... n=\tilde{\Omega}(d^{2}\varepsilon^{-1}"
            r"\alpha^{-5}\log(\beta^{-1}))",
            "consequence": "Whatever m is, log^2(1/beta) records are needed: (20) with a hidden constant C fails for "
            "log(1/beta) > 31 C alpha^(-5/2). At alpha = 1/8, beta = 6e-6, m = 34 and n = 3,388 the failure "
            "probability is 0.042.",
            "errata": Correction(
                place="Theorem 4, equation 20",
                effect=1,
                change="for d^2 alpha^-5 log(1/beta)/epsilon read (d log(e m/d) + log(1/beta))^2 "
                "alpha^(-5/2) sigma^(-3/2)/epsilon, up to logarithms of m",
            ),
            "statement": EVERY_M,
            "points": statement.grid(epsilon=(1,), alpha=("1/8",), L=[12 * 4**k for k in range(6)]),
            "no_certificate": "the proof for every log(1/beta) is in the entry's module",
            "because": "For every L >= 12 (B of this module). Gaussian weights: L^(3/2) sqrt(log(1/delta))/(epsilon "
            "alpha^2) in the same way, where (21) has L.",
        },
    },
)


def gaussian_in_n_realizable(context: Context) -> Evidence:
    """m of order 1/α, private weights."""
    mechanism = RRSPM(EPSILON, DELTA, noise="gaussian")
    return in_n(context, power=2.5, width=1.0, share=2.0, noise=0.0, sets=(16, 40), mechanism=mechanism)


@paper.rate(
    "thm4",
    row="n-gaussian",
    source="Theorem 4, equation 21",
    expected="consistent",
    side="upper",
    nuisances=(records_log(4.0),),
    statement="n = O~(alpha^-4) records suffice with the printed Gaussian weights: excess risk falls as n^(-1/4).",
    quote=r"n=\tilde{\Omega}(d^{2}\varepsilon^{-1}\alpha^{-4}\log^{1/2}(1/\delta)\log(\beta^{-1}))",
    because=HOW + "These weights are not private: publicdata.thm4.privacy; private ones, larger by "
    "sqrt(log N), ask for n = O~(alpha^-3) at this m (Theorem 4' of the note).",
    rows={
        "n-gaussian-realizable": {
            "measure": gaussian_in_n_realizable,
            "source": "Remark 1, Gaussian weights",
            "expected": "consistent",
            "side": "upper",
            "nuisances": (records_log(2.5),),
            "statement": "n = O~(alpha^-2.5) records suffice with Gaussian weights where labels are f*(x): excess "
            "risk falls as n^(-1/2.5).",
            "quote": r"n=\tilde{\Omega}(d^{2}\varepsilon^{-1}\alpha^{-2.5}\log^{1/2}(1/\delta)\log(\beta^{-1}))",
            "because": HOW
            + "m = 1/alpha, and the private scale 2 sqrt(m)/mu(epsilon, delta/(m + 1)), which is the printed one "
            "with log(m/delta) for log(1/delta): publicdata.thm4.privacy.gaussian-patterns.",
        },
    },
)
def gaussian_in_n(context: Context) -> Evidence:
    """m of order α^−2, the printed weights."""
    mechanism = RRSPM(EPSILON, DELTA, noise="gaussian", calibration="printed")
    return in_n(context, power=4.0, width=2.0, share=0.5, noise=0.1, sets=(32, 56), mechanism=mechanism)
