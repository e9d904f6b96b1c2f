"""Algorithms 4 and 5 of the public-data paper (RRSPM, RSPM): Laplace and Gaussian weights, the parity cube, ties."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from dpbench.certificates.build import Draft, above, as_computed, certificate
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.spaces import QUESTIONS

_SYMBOLS = {"m": "number of public points", "epsilon": "claimed"}
_LEMMA_18 = (
    "If f on Z is chosen under the weights xi on one data set, it is chosen under shifted weights on the neighbour, "
    "each of the m shifted by 2 or -2 (Lemma 18).",
    ["points"],
)
_POINTS = {"points": ("m >= 1", "there is a public point")}


def laplace(more: str) -> Draft:
    instances = [
        ({"m": m, "epsilon": epsilon}, {"loss": epsilon})
        for m in (1, 16, 4096) for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4))
    ]  # fmt: skip
    draft = Draft(
        verdict="proved",
        statement="With weights Lap(2m/epsilon) no choice on the public points changes its chance by more than "
            "e^epsilon.",
        symbols=_SYMBOLS, definitions={"scale": "2*m/epsilon"}, assumptions=_POINTS,
        claim={"family": "pure", "shift": "m*2", "scale": "scale", "epsilon": "epsilon", "delta": "0"},
        instances=instances,
        derivation=[
            _LEMMA_18,
            ("The density of m Laplace variables changes by at most exp(l1 norm of the shift/scale).", []),
            (more, []),
        ],
        theory={"scale": lambda v: theory.rrspm_laplace_scale(int(v["m"]), v["epsilon"])},
    )  # fmt: skip
    return as_computed(draft, "scale", "of the Laplace weights, as it is computed", solved="-")


@certificate("publicdata.thm4.privacy.laplace", "guarantee")
def theorem4_laplace() -> Draft:
    return laplace("What is released is a function of that choice.")


@certificate("publicdata.thm8.privacy", "guarantee")
def theorem8() -> Draft:
    return laplace("What is released is a function of that choice (Lemmas 6 and 21).")


@certificate("publicdata.alg4.privacy.ties.corrected", "guarantee")
def ties_corrected() -> Draft:
    return laplace("f^ is the oracle's answer on Z labelled "
        "by f~ "
                   "there: a function of that choice.")  # fmt: skip


@certificate("publicdata.alg5.privacy", "guarantee")
def algorithm5() -> Draft:
    return laplace("On a universal identification set the choice is f^ itself.")  # fmt: skip


@certificate("publicdata.alg4.privacy.ties", "pair-discrete")
def ties() -> Draft:
    return Draft(
        verdict="refuted",
        statement="f^ = f~ agrees with f~ on Z, and its value at a point that Z says nothing of tells the data sets "
            "apart.",
        symbols={"epsilon": "claimed, any number"}, definitions={}, assumptions={},
        claim={"p": ["1", "0"], "q": ["0", "1"], "event": [0], "normalise": False, "epsilon": "epsilon", "delta": "0"},
        instances=[({"epsilon": e}, {"delta": 1}) for e in (1, 1000)],
        derivation=[("F = all functions of two points z (public) and x; a record (x, 1) or (x, 0): among those that "
            "agree "
                     "on z the minimiser f~ has f~(x) = the label, with certainty. Outcomes: f^(x) = 1, 0.", [])],
    )  # fmt: skip


def moment_bound(m: int, epsilon: float, s: float) -> tuple[Fraction, float]:
    """The a of `theory.rrspm_log_delta`, rounded, and the bound there."""
    exponent = partial(theory.rrspm_exponent, epsilon, m, s)
    grid = [math.exp(k / 50.0) for k in range(-200, 400)]
    a = above(min(grid, key=exponent), 3)
    return a, math.exp(exponent(float(a)))


@certificate("publicdata.thm4.privacy.gaussian-exact", "guarantee")
def theorem4_gaussian_exact() -> Draft:
    """δ(ε) ≤ (a/(1 + a))^a/(1 + a)·E e^{a(ℓ − ε)} for one a > 0."""
    instances = []
    for m in (1, 16, 256):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
            s = above(theory.rrspm_gaussian_scale(m, float(epsilon), 1e-5) * 1.001, 4)
            a, shown = moment_bound(m, float(epsilon), float(s))
            values = {"m": m, "epsilon": epsilon, "delta": Fraction(1, 10**5), "s": s, "a": a}
            instances.append((values, {"delta": shown}))
    return Draft(
        verdict="proved",
        statement="Gaussian weights of standard deviation s, about 1.6 m/epsilon, are enough for every class.",
        symbols={**_SYMBOLS, "delta": "claimed", "s": "standard deviation", "a": "exponent of the bound, any a > 0"},
        definitions={
            "phi": "erfc(-2*a/(s*sqrt(2)))/2",
            "moment": QUESTIONS["publicdata.thm4.privacy.gaussian-exact"].all_definitions["moment"],
            "front": "(a/(1 + a))^a/(1 + a)",
        },
        assumptions={**_POINTS, "a": ("a > 0", "(1 - e^-x)_+ <= (a/(1 + a))^a/(1 + a) e^(a x)")},
        claim={"family": "bound", "shift": "front*moment*exp(-a*epsilon)", "scale": "1", "epsilon": "epsilon",
               "delta": "delta"},
        instances=instances,
        derivation=[
            _LEMMA_18,
            ("The log-density then falls by at most l(xi) = 2(|xi|_1 + m)/s^2 whatever the signs, so delta(epsilon) <= "
             "E(1 - e^(epsilon - l))_+, and for every a > 0 that is at most front E e^(a(l - epsilon)); E e^(a l) is "
             "moment.", ["a"]),
        ],
    )  # fmt: skip


@certificate("publicdata.thm4.privacy.gaussian", "pair-discrete")
def parity_cube() -> Draft:
    """The tilted pair at d = m with the Gaussian mechanism's constant: the parity of the output."""
    instances = []
    for d in (64, 256, 4096):
        delta = Fraction(1, 10**5)
        s = theory.rrspm_gaussian_scale_printed(d, 1.0, 1e-5)
        survival = math.erfc(2.0 / (s * math.sqrt(2.0))) ** d
        shown = 0.5 - math.e * 0.5 * survival
        if shown > 1e-5:
            instances.append(({"d": d, "m": d, "epsilon": 1, "delta": delta}, {"delta": shown}))
    return Draft(
        verdict="refuted",
        statement="At m = d the weights' standard deviation 2 sqrt(m) sqrt(2 log(1.25/delta))/epsilon is too small "
            "on the "
        "parity cube; nothing is said of larger m.",
        symbols={**_SYMBOLS, "delta": "claimed", "d": "free bits, the VC dimension"},
        definitions={
            "s": QUESTIONS["publicdata.thm4.privacy.gaussian"].all_definitions["s"],
            "group": "s*sqrt(m/d)",
            "survival": "erfc(2/(group*sqrt(2)))^d",
        },
        assumptions={"bits": ("d >= 1", "there is a free bit"), "groups": ("m >= d", "each bit has a public point")},
        claim={"p": ["1/2", "rest"], "q": ["survival/2", "rest"], "event": [0], "normalise": False,
               "epsilon": "epsilon", "delta": "delta"},
        instances=instances,
        derivation=[
            ("Each of d bits is carried by m/d public points; one more point x has the parity of the bits. Data sets "
             "{(x, 1), (x, -1)} and {(x, -1), (x, -1)}.", ["bits", "groups"]),
            ("The bits are the signs of d Gaussian sums of standard deviation group, turned to the parity that scores "
             "less where the smallest |sum| is below the gap in score, 0 or 2. All choices of one parity are equally "
             "likely: parity 1 has the chances 1/2 and survival/2.", []),
        ],
        theory={"s": lambda v: theory.rrspm_gaussian_scale_printed(int(v["m"]), v["epsilon"], v["delta"])},
    )  # fmt: skip
