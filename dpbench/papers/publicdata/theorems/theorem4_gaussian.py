"""Theorem 4 of the public-data paper with Gaussian weights: drawn public points, when the rate fails, one class.

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

import math
from dataclasses import replace

import numpy as np
from scipy.special import ndtr

from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import growing, summary
from dpbench.ledger.measurement import Context, Evidence, Rows
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.algorithm4 import least_private
from dpbench.papers.publicdata.theorems.rrspm_privacy import exact_profile
from dpbench.papers.publicdata.theorems.theorem10 import WITNESS
from lowerbounds._parity_cube import parity_cube

EPSILON, DELTA, BETA, CONSTANT = 1.0, 1e-5, 0.05, 2.86
_QUOTE = (
    r"Z_{1},\dots,Z_{m}\sim\mu ... \xi_{1},\dots,\xi_{m}\sim\mathcal{N}(0,C\sqrt{m\log(1/\delta)}/\varepsilon) ... "
    r"then there is a choice of ... n=\tilde{\Omega}(d^{2}\varepsilon^{-1}\alpha^{-4}\log^{1/2}(1/\delta)\log("
    r"\beta^{-1}))"
)


def all_hit(d: int, m: int) -> float:
    """P(every one of d equally likely bits is among m i.i.d. points), by its Poisson form (d large)."""
    return math.exp(d * math.log1p(-math.exp(-m / d)))


@paper.privacy(
    "thm4",
    variant="gaussian-drawn",
    source="Theorem 4, Gaussian weights, Z_1, ..., Z_m drawn",
    expected="refuted",
    weight="range",
    holds="publicdata.thm4.privacy.gaussian-exact",
    quote=_QUOTE,
    consequence="With the public points drawn, as the theorem has them, and not placed: d = 65,536 bits, m = 16 d, "
    "delta = 1e-5, C = 2.86. All bits are hit with probability 0.993, and a claimed epsilon of 1 is 2.70 then. At d = "
    "m bits stay unhit, and the parity of the cube says nothing.",
    errata=Correction(
        place="Theorem 4 and its proof by Lemma 18",
        line=298,
        witness=WITNESS,
        effect=2,
        change="as for the row with placed points, which is of every Z, as Lemma 6 is",
        caveat="The theorem says \u201cthere is a choice of\u201d m, and nothing of every m.",
    ),
    statement="Weights N(0, (C sqrt(m log(1/delta))/epsilon)^2) make Algorithm 4 (epsilon, delta)-DP on uniform i.i.d. "
    "public points, m = 16 d.",
    because="The parity cube's exact law given Z: 1/2 against S/2, S = prod_g P(|N| > 2/(s sqrt(k_g))), k_g the points "
    "of bit g. Drawn anew for each row; equal groups give 2.635.",
)
def drawn(context: Context) -> Rows:
    """Exact ε of the tilted pair given Z, for multinomial group sizes."""
    d, m = 65_536, 16 * 65_536
    scale = theory.rrspm_gaussian_scale_printed(m, EPSILON, DELTA)
    rng = stream(context.seed, "publicdata.thm4.drawn")
    equal = parity_cube(d, m, pair="tilted", layout="groups")
    reached = []
    for _ in range(context.pick(quick=4, full=40)):
        sizes = rng.multinomial(m, np.full(d, 1.0 / d)).astype(np.int64)
        if sizes.min() == 0:
            continue
        pair = exact_profile(replace(equal, sizes=sizes), "gaussian", scale)
        reached.append(pair.epsilon(DELTA))
        yield {"epsilon": EPSILON, "delta": DELTA, "pair": pair, "d": float(d), "m": float(m), "reached": reached[-1]}
    return summary(
        f"value: largest exact epsilon given Z, claimed 1; {min(reached):.4f} to {max(reached):.4f}, P(all bits hit) = "
        f"{all_hit(d, m):.4f}; equal groups {exact_profile(equal, 'gaussian', scale).epsilon(DELTA):.3f}",
        value="reached",
    )


def private_over_accurate(d: float, alpha: float, hidden: bool) -> float:
    """Least private m (one point a bit) over the largest accurate one (equal groups, bias 8α), C = 2.86, ε = 1.

    n of (21) with the constant 1, and log³d for what Ω̃ hides where `hidden`.
    """
    log = math.log(1.0 / DELTA)
    n = d * d / (EPSILON * alpha**4) * math.sqrt(log) * math.log(1.0 / BETA) * (math.log(d) ** 3 if hidden else 1.0)
    private = (least_private(d, EPSILON, DELTA) * EPSILON / CONSTANT) ** 2 / log
    return private * CONSTANT * math.sqrt(d * log) / (8.0 * alpha * EPSILON * n)


def contradicted_from(alpha: float, hidden: bool) -> float:
    """log₁₀ of the d at which that ratio passes 1."""
    low, high = 6.0, 40.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if private_over_accurate(10.0**middle, alpha, hidden) < 1.0 else (low, middle)
    return high


def thresholds(d: float, alpha: float, hidden: bool) -> dict[str, float]:
    """m_A, m_P and what √d is to exceed, for the class of this module at n₀ = 1, C = 2.86, ε = 1."""
    size, bound, log = math.log(100.0 * d), math.log(1.0 / DELTA), math.log(1.0 / BETA)
    factor = math.log(d) ** 3 if hidden else 1.0
    blocks = math.ceil(2.0 * size)
    block = math.floor(d / (2 * blocks))
    accurate = 50.3 * factor * d**1.5 * log / (CONSTANT * alpha**3)
    private = EPSILON**2 * block**2 / (22.7 * CONSTANT**2 * bound * size)
    stated = 2e4 * factor * CONSTANT * bound * log * size**3 / (alpha**3 * EPSILON**2)
    return {"m_A": accurate, "m_P": private, "stated": math.sqrt(d) / stated, "enough": accurate >= 20.0 * d}


@paper.inequality(
    "thm4",
    variant="one-class",
    source="Theorem 4, equation 21: one class and one mu, every m",
    expected="refuted",
    weight="statement",
    holds="publicdata.thm4.privacy.gaussian-patterns",
    quote=_QUOTE,
    consequence="No choice of m, not even one for each class, saves the Gaussian half of Theorem 4 once sqrt(d) "
    "exceeds 2e4 C log(1/delta) log(1/beta) log^3(100 d)/(alpha^3 epsilon^2) times what is hidden. Purely asymptotic: "
    "at C = 2.86, alpha = 1/16, epsilon = 1 from d = 1e31 on without hidden logarithms, 1e44 with log^3 d.",
    errata=Correction(
        place="Theorem 4, equation 21",
        line=298,
        witness=WITNESS,
        effect=2,
        change="for sqrt(m log(1/delta)) read sqrt(m (d log m + log(1/delta))), and multiply (21) by sqrt(d)",
    ),
    statement="For some C and every class of VC dimension d there is an m for which Algorithm 4 with N(0, (C sqrt(m "
    "log(1/delta))/epsilon)^2) weights is (epsilon, delta)-DP and, at n of (21), an (alpha, beta)-learner.",
    because="One class (this module has the proof): d/2 bits of equal mass, and parity blocks of d/(4 log(100 d)) "
    "bits at masses 2^-k. A small m leaves bits of the first kind unhit, a large one drowns them, and in between some "
    "block has about log(100 d) to 2 log(100 d) points a bit and tells a record by its parity. m_P over m_A grows as "
    "sqrt(d) but for logarithms, for every d.",
)
def one_class(context: Context) -> Evidence:
    """m_P over m_A along d, Λ = log³d; where it passes 1 with and without that factor."""
    half = 0.5 * math.exp(-0.968 * math.sqrt(22.7) / 2.0)
    assert math.e * (0.015 + half) + 0.1 < 0.5 * 0.985, half
    assert float(ndtr(-0.9)) * 0.85 > 0.125
    rows = []
    for exponent in range(44, 93, 8):
        found = thresholds(10.0**exponent, 1.0 / 16.0, True)
        assert found["enough"]
        rows.append({"d": 10.0**exponent, "m_A": found["m_A"], "m_P": found["m_P"]})
        rows[-1]["constant"] = found["m_P"] / found["m_A"]
    firsts = [
        next(e / 10.0 for e in range(200, 600) if thresholds(10.0 ** (e / 10.0), 1.0 / 16.0, hidden)["stated"] >= 1.0)
        for hidden in (False, True)
    ]
    table = {
        f"{'log3 d' if hidden else 'no logs'}, alpha = {alpha:g}": contradicted_from(alpha, hidden)
        for alpha in (0.125, 0.01)
        for hidden in (False, True)
    }
    made = growing(
        rows,
        "value: exponent in d of the largest private m over the least that fails to learn: 1/2 but for logarithms",
        f"alpha = 1/16, epsilon = 1, C = 2.86: from d = 1e{firsts[0]:.1f} on without hidden logarithms, "
        f"1e{firsts[1]:.1f} with log^3 d",
        "two classes (publicdata.thm4.inequality.gaussian-learner): the rate is contradicted from log10 d = "
        + ", ".join(f"{at:.1f} ({name})" for name, at in table.items()),
    )
    grid = [8, 12, 16, 20, 24]
    made.series.update(log10_d=grid)
    for alpha in (0.125, 0.01):
        for hidden in (False, True):
            name = f"ratio_alpha_{alpha:g}" + ("_log3" if hidden else "")
            made.series[name] = [private_over_accurate(10.0**e, alpha, hidden) for e in grid]
    return made
