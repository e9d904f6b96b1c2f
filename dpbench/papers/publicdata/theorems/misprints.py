"""Formulas of the public-data paper that do not follow from the ones before them: (102), (119), (129)."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.harness import margins, summary
from dpbench.ledger.measurement import Context, Evidence, Rows
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.papers.publicdata import theory, theory_settings
from dpbench.papers.publicdata.theorems import paper

DELTA = 1e-5
CONSTANT = 1e6
"""The O(·) of a refuted sample size is taken this large, and could be any number."""


@paper.inequality(
    "lemma10", source="Lemma 10, equation 102", expected="refuted", holds="publicdata.lemma10.inequality.corrected",
    arguments={"corrected": False},
    statement="What (102) takes for the stability, 4 (n eta)^(-1/3) E sup omega + sqrt(log(2/delta)/J), is at least "
    "that of Lemma 1 with kappa >= 1/4.",
    because="Lemma 1 has (E sup omega)^(1/3) and kappa^(-2/3) <= 2.52, so 5.04 (n eta)^(-1/3) (E sup omega)^(1/3): "
    "more than (102) where E sup omega < 1.41.",
)
def condition(context: Context, corrected: bool) -> Rows:
    """What stands for ρ in (102), or with its exponent and κ, against Lemma 1's ρ for κ from 1/4 on."""
    eta, calls = 0.1, 10**6
    for size, n, kappa in product((0.05, 0.2, 0.5, 1.0, 2.0, 10.0), (100, 10_000, 10**6), (0.25, 0.5, 1.0)):
        used = theory.lemma10_stability_printed(n, eta, size, calls, DELTA)
        if corrected:
            once = 2.0 * 4.0 ** (2.0 / 3.0) * (size / (n * eta)) ** (1.0 / 3.0)
            used = once + math.sqrt(math.log(2.0 / DELTA) / calls)
        needed = theory.averaged_stability_printed(n, eta, size, calls, 0.5 * DELTA, kappa)
        yield {"complexity": size, "n": float(n), "kappa": kappa, "left": needed, "right": used}
    return "value: smallest relative margin of the condition's rho over Lemma 1's, E sup omega from 0.05 to 10"


WITH_KAPPA = Statement(
    about="2 4^(2/3) (n eta)^(-1/3) (E sup omega)^(1/3) + sqrt(log(2/delta)/J) is at least the stability of Lemma 1 "
    "for kappa >= 1/4: {claim} for all kappa, g and e, the two terms over 2 4^(2/3).",
    symbols={
        "g": Real("(E sup omega/(n eta))^(1/3)", 0, "inf"), "e": Real("sqrt(log(2/delta)/J)/(2 4^(2/3))", 0, "inf"),
        "kappa": Real("inf |f|_m", "1/4", "inf"),
    },
    claim=inequality("g/(4*kappa)^(2/3) + e", "<=", "g + e"), cells=20,
    steps=("Lemma 1 at delta/2 has 2 (E sup omega/(n eta))^(1/3) kappa^(-2/3), and the same second term.",),
)  # fmt: skip
paper.variant(
    condition, "corrected", source="Lemma 10, equation 102 with the exponent 1/3 and kappa", expected="proved",
    arguments={"corrected": True}, statement=WITH_KAPPA,
    because="kappa^(-2/3) is largest at kappa = 1/4, the lower bound that Lemma 10 proves, where the two are equal.",
)


SMOOTH = Statement(
    about="|g|_nu <= |g|_mu/sigma for sigma-smooth nu: {claim} for all sigma and s = |g|_mu.",
    symbols={"sigma": Real("smoothness", 0, 1), "s": Real("|g|_mu", 0, "inf")},
    claim=inequality("sqrt(sigma)*s", "<=", "s"), cells=20,
    steps=(
        "The density of nu by mu is at most 1/sigma, so |g|_nu^2 <= |g|_mu^2/sigma; |g|_mu/sqrt(sigma) <= "
        "|g|_mu/sigma, times sigma.",
    ),
)  # fmt: skip


@paper.inequality(
    "lemma15", variant="smoothness", source="Lemma 15, equation 119", expected="proved", arguments={"power": 1.0},
    statement=SMOOTH,
    because="|g|_nu^2 <= |g|_mu^2/sigma, so 1/sqrt(sigma) suffices: (119) is true, and loose by 1/sqrt(sigma).",
)
def smoothness(context: Context, power: float) -> Evidence:
    """‖g‖_ν against σ^{−power}‖g‖_μ: random g and densities, and g on the part where the density is 1/σ."""
    rng = stream(context.seed, "publicdata.smoothness")
    worst, used = math.inf, context.pick(quick=2000, full=10_000)
    for case in range(used):
        cells = int(rng.integers(2, 20))
        mu = rng.dirichlet(np.full(cells, 0.5)) + 1e-6
        mu /= mu.sum()
        nu = rng.dirichlet(np.full(cells, 0.3))
        ratio = nu / mu
        sigma = 1.0 / float(ratio.max())
        g = np.where(ratio == ratio.max(), 1.0, 0.0) if case % 10 == 0 else rng.uniform(-2.0, 2.0, cells)
        norms = [math.sqrt(float(law @ (g * g))) for law in (nu, mu)]
        worst = float(np.minimum(worst, 1.0 - norms[0] / (norms[1] * sigma**-power)))
    note = f"value: smallest relative margin over {used:,} cases; the last one in ten has g on the densest cell"
    return margins({}, note, margin=worst, equality="g on the densest cell alone attains sigma^(-1/2)")


paper.variant(
    smoothness, "smoothness-sharp", source="Lemma 15, equation 119 with sigma^(-1/2)", expected="not refuted",
    arguments={"power": 0.5},
    statement="|g|_nu <= |g|_mu/sqrt(sigma) for sigma-smooth nu.",
    because="The integral of g^2 against the density, which is at most 1/sigma; attained by g that is 0 but where the "
    "density is 1/sigma.",
)


@paper.inequality(
    "thm6", variant="sample-size", source="Section 3 on Theorem 6", expected="refuted",
    holds="publicdata.thm6.inequality.sample-size.corrected",
    statement="The sample size of Theorem 6 is O(vc epsilon^-3 alpha^-14).",
    because="(129) has d^5, four powers more: the two statements of the paper differ, whatever constant O(.) hides.",
)
def sample_size(context: Context) -> Rows:
    """n of (129) against `CONSTANT`·d/(ε³α¹⁴), σ = λ = 1, β = 0.05."""
    for d, alpha in product((1, 10, 100, 1000), (0.5, 0.1)):
        n = theory_settings.theorem6(1.0, DELTA, alpha, 0.05, d, 1.0, 1.0).n
        yield {"d": float(d), "alpha": alpha, "left": n, "right": CONSTANT * d / alpha**14}
    return (
        f"value: smallest relative margin of {CONSTANT:g} d/(epsilon^3 alpha^14) over (129), d to 1000: the ratio "
        "grows as d^4"
    )


SAMPLE_SIZE = Statement(
    about="At gamma, eta and m of (127), sigma = lambda = 1, privacy by Lemmas 1 and 9 needs n = O(d^4 epsilon^-3 "
    "(alpha^-13 + log^(3/2)(1/delta) alpha^-10)), at most 10^6 times that for beta = 1/20 and delta <= 1/2: {claim} "
    "with {b} for all d and shares t of alpha sqrt(log(2/delta)/b) in 1 + alpha sqrt(log(2/delta)/b).",
    symbols={"d": Real("dimension", 1, "inf"), "t": Real("y/(1 + y), y = alpha sqrt(log(2/delta)/b)", 0, 1)},
    where={"b": "log(20)"},
    claim=inequality("128*max(1, b/d)^3*b^3", "<=", "10^6*((1 - t)^3 + (b/2)^(3/2)*t^3)"), cells=100,
    steps=(
        "The first term of the stability takes half of epsilon at n = (d/alpha)(2 4^(2/3) max(d, b) b alpha^-4 (1 + "
        "y)/epsilon)^3 = 128 d max(d, b)^3 b^3 alpha^-13 epsilon^-3 (1 + y)^3.",
        "log(2/delta) <= 2 log(1/delta) for delta <= 1/2, so that log^(3/2)(1/delta) alpha^3 >= (b/2)^(3/2) y^3; both "
        "sides are divided by d^4 epsilon^-3 alpha^-13 (1 + y)^3.",
    ),
)  # fmt: skip


@paper.inequality(
    "thm6", variant="sample-size.corrected", source="Theorem 6, from equation 102 with its exponent",
    expected="proved", statement=SAMPLE_SIZE,
    because="(E sup omega/eta)(m(1 + gamma sqrt(log(2/delta)))/(gamma^2 epsilon))^3: (102) has the complexity cubed, "
    "hence d^5.",
)
def sample_size_corrected(context: Context) -> Rows:
    """The least n for which Lemma 10's condition with its exponent holds at (127), against O(d⁴ε⁻³α⁻¹³)."""
    log = math.log(2.0 / DELTA)
    for d, alpha, epsilon in product((1, 10, 100, 1000, 10_000), (0.5, 0.1, 0.01), (0.1, 1.0)):
        made = theory_settings.theorem6(epsilon, DELTA, alpha, 0.05, d, 1.0, 1.0)
        # half of ε for the first term of the stability, 2·4^{2/3}(G/(nη))^{1/3} with G = √d
        factor = 0.5 * made.m / made.gamma**2 * (1.0 + made.gamma * math.sqrt(log))
        least = math.sqrt(d) / made.eta * (2.0 * 2.0 * 4.0 ** (2.0 / 3.0) * factor / epsilon) ** 3
        said = d**4 / epsilon**3 * (alpha**-13 + log**1.5 * alpha**-10)
        yield {"d": float(d), "alpha": alpha, "claimed": epsilon, "ratio": least / said, "left": least,
               "right": CONSTANT * said}  # fmt: skip
    return summary(
        "value: largest ratio of n to d^4 epsilon^-3 (alpha^-13 + log^(3/2)(1/delta) alpha^-10), d to 10,000; "
        f"{CONSTANT:g} is what is allowed",
        value="ratio",
    )
