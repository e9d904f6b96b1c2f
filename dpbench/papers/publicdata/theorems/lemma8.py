"""Lemma 8 of the public-data paper: how far Perturb's output is from its centre."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.special import chdtrc

from dpbench import bounds
from dpbench.certificates.build import Draft, certificate, near
from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import margins, missed, sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Rows
from dpbench.ledger.statement import Integer, Real, Statement, inequality
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.perturb import perturb
from dpbench.papers.publicdata.hypotheses.finite import FiniteClass
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems import paper

FAILURES = (0.3, 0.1, 0.01, 1e-3, 1e-5, 1e-8)

CORRECTED = Statement(
    about="For m = 1, 2, 3 and 10 and 1e-8 <= beta <= 0.9, with probability 1 - beta, |fbar - f^|_m <= {bound}.",
    symbols={
        "m": Integer("public points", 1, 10**4),
        "g": Real("spacing of the class", "1/1000", 1),
        "gamma": Real("scale of the noise", "1e-4", 1000),
        "beta": Real("failure probability", "1e-10", "1/2"),
    },
    where={"bound": "2*gamma*(1 + sqrt(2*log(1/beta)/m))", "chance": "erfc(g*sqrt(m)/(2*gamma)/sqrt(2))"},
    given={"below": ("bound < g", "moving to a neighbour is beyond the bound")},
    claim=inequality("chance", "<=", "beta"),
    steps=("F = {-g, 0, g}, fbar = 0: f^ is g or -g iff the mean of gamma zeta is beyond g/2 in size.",),
)
PRINTED = CORRECTED.replace(
    about="With probability 1 - beta, |fbar - f^|_m <= {bound}.",
    where={"bound": "2*gamma*sqrt(log(1/beta))"},
    witness=tuple({"m": 1, "g": 1, "gamma": c, "beta": beta} for c, beta in (("0.2329", "1/100"), ("0.1473", "1e-5"))),
)
LAPLACE = CORRECTED.replace(
    about=PRINTED.about,
    region={"m": "[1, 1]"},
    where={"bound": "2*gamma*log(1/beta)*sqrt(m)", "chance": "exp(-g/(2*gamma))"},
)


@paper.inequality(
    "lemma8",
    variant="gaussian",
    source="Lemma 8, equation 83",
    expected="refuted",
    level=LEVEL,
    holds="publicdata.lemma8.inequality.gaussian.corrected",
    statement=PRINTED,
    weight="constant",
    hurt="proof",
    quote=r"2\gamma\cdot\sqrt{\log\left(\frac{1}{\beta}\right)}",
    consequence="At m = 1 the bound is missed up to 69 times as often as allowed.",
    errata=Correction(
        place="Lemma 8, equation 83",
        line=635,
        change="for sqrt(log(1/beta)) read 1 + sqrt(2 log(1/beta)/m)",
    ),
    because="It rests on P(|zeta|_m > sqrt(log(1/beta))) <= beta, false for one point, and for beta > 1/e at many. F "
    "= {-1, 0, 1} on one point leaves 0 iff gamma|zeta| > 1/2, and then by 1.",
)
def few_points(context: Context) -> Evidence:
    """(83) at m = 1 and F = {−1, 0, 1}, f̄ = 0: f̂ ≠ f̄ iff γ|ζ| > 1/2; exactly, and by Perturb at β = 0.01."""
    rows = []
    for beta in FAILURES:
        gamma = 0.5 / math.sqrt(math.log(1.0 / beta)) * (1.0 - 1e-9)  # so that the bound is just below 1
        chance = PRINTED.number("chance", m=1, g=1.0, gamma=gamma)
        rows.append({"beta": beta, "gamma": gamma, "left": chance, "right": beta})
    trials, shown = context.pick(quick=20_000, full=1_000_000), next(row for row in rows if row["beta"] == 0.01)
    table = FiniteClass(np.array([[-1.0], [0.0], [1.0]]))
    problem = PublicDataProblem([0], [0.0], [0], hypotheses=table, loss="absolute")
    made = perturb(problem, [0.0], shown["gamma"], trials, stream(context.seed, "publicdata.lemma8"))
    bound = theory.displacement_printed(1, shown["gamma"], 0.01, "gaussian")
    hits = int((np.abs(table.predict(made, [0])[:, 0]) > bound).sum())
    low, high = (float(f(hits, trials, LEVEL / 2)) for f in (bounds.lower, bounds.upper))
    return margins(
        rows,
        "value: the exact probability at m = 1 over the beta that bounds it, largest for beta >= 1e-5",
        f"through Perturb at beta = 0.01: probability in [{low:.4f}, {high:.4f}], exact {shown['left']:.4f}",
        value=max(row["left"] / row["beta"] for row in rows if row["beta"] >= 1e-5),
        trials=trials,
    )


@paper.inequality(
    "lemma8",
    variant="gaussian.corrected",
    source="Lemma 8 with the norm's concentration",
    expected="proved",
    statement=CORRECTED,
    because="|zeta|_m has mean at most 1 and is 1/sqrt(m)-Lipschitz; (85) and (86) give the displacement 2 gamma "
    "|zeta|_m.",
)
def gaussian_corrected(context: Context) -> Rows:
    """P(‖ζ‖_m > 1 + √(2 log(1/β)/m)), exact by χ², against β: displacement is at most 2γ‖ζ‖_m in any class."""
    for m, beta in product((1, 2, 3, 10, 100, 10_000), (0.9, 0.5, *FAILURES)):
        bound = 1.0 + math.sqrt(2.0 * math.log(1.0 / beta) / m)
        yield {"m": float(m), "left": float(chdtrc(m, m * bound**2)), "right": beta}
    return "value: smallest relative margin of beta over the exact probability, m = 1 to 10,000"


def geometric(first: Fraction, last: Fraction, ratio: float) -> list[str]:
    """Edges from `first` to `last`, each about `ratio` times the one before."""
    edges = [first]
    while edges[-1] < last:
        edges.append(min(last, near(float(edges[-1]) * ratio, 3)))
    return [str(edge) for edge in edges]


@certificate("publicdata.lemma8.inequality.gaussian.corrected", "box")
def corrected_certificate() -> Draft:
    """P(‖ζ‖_m > 1 + √(2 log(1/β)/m)) ≤ β for all β in [1e-8, 0.9], by χ² tails."""
    return Draft(
        verdict="proved",
        statement="The norm of m standard normal variables is beyond the corrected bound with probability at most "
        "beta.",
        symbols={"m": "public points", "beta": "failure probability"},
        definitions={"bound": "1 + sqrt(2*log(1/beta)/m)"},
        assumptions={"points": ("m >= 1", "there is a public point")},
        claim={"box": {"beta": geometric(Fraction(1, 10**8), Fraction(9, 10), 1.1)},
               "left": "gammatail(m/2, m*bound^2/2)", "relation": "<=", "right": "beta"},
        instances=[({"m": m}, {}) for m in (1, 2, 3, 10)],
        derivation=[("m |zeta|_m^2 is chi-squared with m degrees of freedom, and |fbar - f^|_m <= 2 gamma |zeta|_m in "
                     "any class that contains fbar.", ["points"])],
    )  # fmt: skip


def laplace_norms(m: int, seed: int, block: int) -> np.ndarray:
    """‖ζ‖_m of 10,000 draws of m Laplace variables."""
    zeta = stream(seed, "publicdata.lemma8.laplace", m, block).laplace(size=(10_000, m))
    return np.sqrt((zeta**2).mean(axis=1))


@paper.inequality(
    "lemma8",
    variant="laplace",
    source="Lemma 8, equation 84, for beta <= 1/e",
    expected="not refuted",
    level=LEVEL,
    statement=LAPLACE,
    quote=r"\leq 2\gamma\cdot\log\left(\frac{1}{\beta}\right)\cdot\sqrt{m}",
    because="P(|zeta|_m > log(1/beta) sqrt(m)) is beta at m = 1 and less beyond, for beta up to 1/e.",
)
def laplace(context: Context) -> Evidence:
    """P(‖ζ‖_m > log(1/β)√m): exactly β at m = 1, by sampling beyond; β ≤ 1/e."""
    blocks = context.pick(quick=5, full=100)
    rows = [{"m": 1.0, "frequency": 0.1, "left": 0.1, "right": 0.1, "runs": 0, "hits": 0, "allowed": 0.1}]
    failures = (math.exp(-1.0), 0.2, 0.1, 0.01)
    sizes = (2, 3, 4, 8, 64)
    for m in sizes:
        norms = np.concatenate(sampled(context, laplace_norms, m, blocks=blocks))
        for beta in failures:
            bound = math.log(1.0 / beta) * math.sqrt(m)
            rows.append(missed(norms, bound, beta, len(sizes) * len(failures), m=float(m)))
    share = max(row["frequency"] / row["right"] for row in rows[1:])
    return margins(
        rows,
        "value: smallest relative margin; 0 is m = 1, where P(|zeta| > log(1/beta)) = beta; at m = 2 to 64 the "
        f"largest share of beta is {share:.3f}",
        trials=len(sizes) * blocks * 10_000,
    )
