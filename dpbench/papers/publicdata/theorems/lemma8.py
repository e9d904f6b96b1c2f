"""Lemma 8 of the public-data paper: how far Perturb's output is from its centre."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from scipy.special import chdtrc, erfc, ndtr

from dpbench.auditing import intervals
from dpbench.certificates.build import Draft, certificate, near
from dpbench.certificates.search.question import inequality
from dpbench.certificates.search.space import Integer, Real, Space
from dpbench.core.sampling import stream
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import margins, missed, sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Rows
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.perturb import perturb
from dpbench.papers.publicdata.hypotheses.finite import FiniteClass
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.perturb_shift import NONE, Conditions

FAILURES = (0.3, 0.1, 0.01, 1e-3, 1e-5, 1e-8)

THREE = Space(
    "Perturb on the constants -g, 0 and g from fbar = 0",
    {
        "m": Integer("public points", 1, 10**4),
        "g": Real("spacing of the class", 1e-3, 1.0),
        "gamma": Real("scale of the noise", 1e-4, 1e3),
        "beta": Real("failure probability", 1e-10, 0.5),
    },
)
_THREE = ("F = {-g, 0, g}, fbar = 0: f^ is g or -g iff the mean of gamma zeta is beyond g/2 in size.",)
_GAUSSIAN = "erfc(g*sqrt(m)/(2*gamma)/sqrt(2))"


def _moved(bound: str, chance: str, conditions: Conditions = NONE) -> Any:
    return inequality(
        THREE, chance, "beta", derivation=_THREE, definitions={"bound": bound},
        conditions={"below": ("bound < g", "moving to a neighbour is beyond the bound"), **conditions},
    )  # fmt: skip


@paper.inequality(
    "lemma8",
    variant="gaussian",
    source="Lemma 8, equation 83",
    expected="refuted",
    level=LEVEL,
    holds="publicdata.lemma8.inequality.gaussian.corrected",
    statement="With probability 1 - beta, |fbar - f^|_m <= 2 gamma sqrt(log(1/beta)).",
    weight="constant",
    quote=r"2\gamma\cdot\sqrt{\log\left(\frac{1}{\beta}\right)}",
    consequence="At m = 1 the bound is missed up to 69 times as often as allowed.",
    errata=Correction(
        place="Lemma 8, equation 83",
        line=635,
        change="for sqrt(log(1/beta)) read 1 + sqrt(2 log(1/beta)/m)",
    ),
    space=_moved("2*gamma*sqrt(log(1/beta))", _GAUSSIAN),
    because="It rests on P(|zeta|_m > sqrt(log(1/beta))) <= beta, false for one point, and for beta > 1/e at many. F "
    "= {-1, 0, 1} on one point leaves 0 iff gamma|zeta| > 1/2, and then by 1.",
)
def few_points(context: Context) -> Evidence:
    """(83) at m = 1 and F = {−1, 0, 1}, f̄ = 0: f̂ ≠ f̄ iff γ|ζ| > 1/2; exactly, and by Perturb at β = 0.01."""
    rows = []
    for beta in FAILURES:
        gamma = 0.5 / math.sqrt(math.log(1.0 / beta)) * (1.0 - 1e-9)  # so that the bound is just below 1
        rows.append({"beta": beta, "gamma": gamma, "left": 2.0 * float(ndtr(-0.5 / gamma)), "right": beta})
    trials, shown = context.pick(quick=20_000, full=1_000_000), next(row for row in rows if row["beta"] == 0.01)
    table = FiniteClass(np.array([[-1.0], [0.0], [1.0]]))
    problem = PublicDataProblem([0], [0.0], [0], hypotheses=table, loss="absolute")
    made = perturb(problem, [0.0], shown["gamma"], trials, stream(context.seed, "publicdata.lemma8"))
    bound = theory.displacement_printed(1, shown["gamma"], 0.01, "gaussian")
    hits = int((np.abs(table.predict(made, [0])[:, 0]) > bound).sum())
    low, high = (float(f(hits, trials, LEVEL / 2)) for f in (intervals.lower, intervals.upper))
    return margins(
        rows,
        "value: the exact probability at m = 1 over the beta that bounds it, largest for beta >= 1e-5",
        f"through Perturb at beta = 0.01: probability in [{low:.4f}, {high:.4f}], exact {shown['left']:.4f}",
        value=max(row["left"] / row["beta"] for row in rows if row["beta"] >= 1e-5),
        trials=trials,
    )


@certificate("publicdata.lemma8.inequality.gaussian", "inequality")
def few_points_certificate() -> Draft:
    instances = []
    for beta in (Fraction(1, 100), Fraction(1, 10**5)):
        gamma = Fraction(round(0.4999 / math.sqrt(math.log(1 / beta)) * 10**4), 10**4)
        left = float(erfc(0.5 / float(gamma) / math.sqrt(2.0)))
        instances.append(({"m": 1, "beta": beta, "gamma": gamma}, {"left": left, "right": beta}))
    return Draft(
        verdict="refuted", statement="f^ differs from fbar by more than that with more than probability beta.",
        symbols={"m": "public points", "beta": "failure probability", "gamma": "scale of the noise"},
        definitions={"bound": "2*gamma*sqrt(log(1/beta))", "chance": "erfc(1/(2*gamma)/sqrt(2))"},
        assumptions={"below": ("bound < 1", "a displacement of 1 is beyond the bound"), "one": ("m = 1", "one public "
            "point")},
        claim={"left": "chance", "relation": "<=", "right": "beta"}, instances=instances,
        derivation=[("F = {-1, 0, 1}, fbar = 0: f^ is 1 or -1 iff gamma |zeta| > 1/2.", ["below", "one"])],
        theory={"bound": lambda v: theory.displacement_printed(1, v["gamma"], v["beta"], "gaussian")},
    )  # fmt: skip


@paper.inequality(
    "lemma8",
    variant="gaussian.corrected",
    source="Lemma 8 with the norm's concentration",
    expected="proved",
    statement="For m = 1, 2, 3 and 10 and 1e-8 <= beta <= 0.9, with probability 1 - beta, |fbar - f^|_m <= 2 gamma (1 "
    "+ sqrt(2 log(1/beta)/m)).",
    space=_moved("2*gamma*(1 + sqrt(2*log(1/beta)/m))", _GAUSSIAN),
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
    statement="With probability 1 - beta, |fbar - f^|_m <= 2 gamma log(1/beta) sqrt(m).",
    quote=r"\leq 2\gamma\cdot\log\left(\frac{1}{\beta}\right)\cdot\sqrt{m}",
    space=_moved("2*gamma*log(1/beta)*sqrt(m)", "exp(-g/(2*gamma))", {"one": ("m <= 1", "one Laplace variable")}),
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
