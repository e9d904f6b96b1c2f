"""Lemmas 3 and 9 of the public-data paper, Perturb (Algorithm 1): printed, exact, and (14) on a box."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpbench.certificates.build import Draft, as_computed, below, certificate, near
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.spaces import QUESTIONS, constants
from dpbench.privacy import gaussian

GAMMA_14 = QUESTIONS["publicdata.lemma3.privacy.gaussian"].all_definitions["gamma"]
SYMBOLS = {
    "m": "number of public points", "rho": "distance of fbar and fbar' in the norm on the public points",
    "epsilon": "claimed", "delta": "claimed",
}  # fmt: skip
_SHIFT = (
    "The output is a function of fbar(Z) + gamma zeta, whose centre moves by at most sqrt(m) rho in l2 and m rho in "
    "l1.",
    ["points"],
)
_POINTS = {"points": ("m >= 1", "there is a public point")}


def clipped(epsilon: float, distance: float, scale: float) -> tuple[Fraction, float]:
    """t and P'(f̂ ≤ t) − e^ε P(f̂ ≤ t) for constants in [−1, 1], f̄ = 1 and f̄' = 1 − distance; the best t ≥ −1 "
    "tried."""
    grid = [1.0 - distance / 2.0 - k * scale / 400.0 for k in range(4000)]
    best = max((t for t in grid if t >= -1.0), key=lambda t: excess(epsilon, distance, scale, t))
    t = max(near(best, 3), Fraction(-1))
    return t, excess(epsilon, distance, scale, float(t))


def excess(epsilon: float, distance: float, scale: float, t: float) -> float:
    root = scale * math.sqrt(2.0)
    return 0.5 * (math.erfc((1.0 - distance - t) / root) - math.exp(epsilon) * math.erfc((1.0 - t) / root))


def _constants(t_meaning: str) -> list[tuple[str, list[str]]]:
    return [
        ("F the constants in [-1, 1], m public points: Perturb releases fbar plus the mean of gamma zeta, Gaussian "
         "with standard deviation gamma/sqrt(m), cut to [-1, 1]; fbar = 1 and fbar' = 1 - rho.", ["inside"]),
        (t_meaning, ["threshold"]),
    ]  # fmt: skip


_EVENT = {
    "p": ["erfc((1 - rho - t)/(sd*sqrt(2)))/2", "rest"],
    "q": ["erfc((1 - t)/(sd*sqrt(2)))/2", "rest"],
    "event": [0], "normalise": False, "epsilon": "epsilon", "delta": "delta",
}  # fmt: skip
_INSIDE = {
    "inside": ("rho <= 2", "both constants lie in [-1, 1]"),
    "threshold": ("t >= -1", "the event f^ <= t is not touched by the cut at -1"),
}


@certificate("publicdata.lemma3.privacy.gaussian", "pair-discrete")
def lemma3_gaussian() -> Draft:
    """γ of (14) at m = 1, constants in [−1, 1]: an event a few times as likely as δ allows."""
    instances: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for rho in (Fraction(1, 10), Fraction(1, 5)):
        delta = Fraction(1, 10**5)
        gamma = theory.perturb_scale_printed(1, float(rho), 1.0, 1e-5, "gaussian")
        t, shown = clipped(1.0, float(rho), gamma)
        if shown > 1e-5:
            instances.append(({"m": 1, "rho": rho, "epsilon": 1, "delta": delta, "t": t}, {"delta": shown}))
    return Draft(
        verdict="refuted",
        statement="At gamma of (14) and one public point an event of a pair of constants exceeds (epsilon, delta).",
        symbols={**SYMBOLS, "t": "threshold of the event f^ <= t"},
        definitions={"root": "sqrt(log(1/delta))", "gamma": GAMMA_14, "sd": "gamma/sqrt(m)"},
        assumptions=_INSIDE, claim=_EVENT, instances=instances,
        derivation=_constants("f^ <= t < 1 iff the uncut value is; the gamma stated satisfies (14) with equality."),
        theory={"gamma": lambda v: theory.perturb_scale_printed(
            int(v["m"]), v["rho"], v["epsilon"], v["delta"], "gaussian")},
    )  # fmt: skip


@certificate("publicdata.lemma9.privacy.gaussian-small-m", "pair-discrete")
def lemma9_small() -> Draft:
    """(87) at γ = 1, ρ = 0.1 and m = 1, 2: constants in [−1, 1]."""
    instances: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for m in (1, 2):
        rho = Fraction(1, 10)
        epsilon = theory.perturb_epsilon_printed(m, 0.1, 1.0, 1e-5, "gaussian")
        t, shown = clipped(epsilon, 0.1, 1.0 / math.sqrt(m))
        if shown > 1e-5:
            values = {"m": m, "rho": rho, "gamma": 1, "delta": Fraction(1, 10**5), "t": t}
            instances.append((values, {"delta": shown}))
    symbols = {name: text for name, text in SYMBOLS.items() if name != "epsilon"}
    return Draft(
        verdict="refuted", statement="An event of a pair of constants exceeds what (87) allows.",
        symbols={**symbols, "gamma": "scale of the noise", "t": "threshold of the event f^ <= t"},
        definitions={"epsilon": constants.STATED_9["exponent"].replace("scale", "gamma"), "sd": "gamma/sqrt(m)"},
        assumptions=_INSIDE, claim=_EVENT, instances=instances,
        derivation=_constants("f^ <= t < 1 iff the uncut value is; |fbar - fbar'|_m = rho for constants."),
        theory={"epsilon": lambda v: theory.perturb_epsilon_printed(
            int(v["m"]), v["rho"], v["gamma"], v["delta"], "gaussian")},
    )  # fmt: skip


@certificate("publicdata.lemma3.privacy.laplace", "pair-discrete")
def lemma3_laplace() -> Draft:
    """γ of (15) below 1 and ζ ~ Lap(γ): the atom at the end of [−1, 1]."""
    instances = []
    for rho in (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2)):
        values = {"m": 1, "rho": rho, "epsilon": 1}
        instances.append((values, {"delta": 0.5 - 0.5 * math.exp(1.0 - 1.0 / float(rho))}))
    return Draft(
        verdict="refuted",
        statement="With noise gamma zeta, zeta ~ Lap(gamma), at one public point an atom exceeds e^epsilon times its "
        "chance on the neighbour.",
        symbols={name: text for name, text in SYMBOLS.items() if name != "delta"},
        definitions={"gamma": "m^(3/2)*rho/epsilon", "scale": "gamma^2"},
        assumptions={"inside": ("rho <= 2", "both constants lie in [-1, 1]"), "one": ("m = 1", "one public point")},
        claim={"p": ["1/2", "rest"], "q": ["exp(-rho/scale)/2", "rest"], "event": [0], "normalise": False,
               "epsilon": "epsilon", "delta": "0"},
        instances=instances,
        derivation=[("F the constants in [-1, 1]; fbar = 1 and 1 - rho. f^ = 1 iff fbar plus a Laplace variable of "
            "scale "
                     "gamma^2 is at least 1: chances 1/2 and exp(-rho/gamma^2)/2.", ["inside", "one"])],
        theory={"gamma": lambda v: theory.perturb_scale_printed(int(v["m"]), v["rho"], v["epsilon"], 0.0, "laplace")},
    )  # fmt: skip


@certificate("publicdata.lemma9.privacy.gaussian-exact", "guarantee")
def lemma9_exact() -> Draft:
    """γ = √m·ρ/μ over m, ρ and ε."""
    instances = []
    for m in (1, 16, 1024):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
            mu = below(gaussian.mu(float(epsilon), 1e-5))
            values = {"m": m, "rho": Fraction(1, 10), "epsilon": epsilon, "delta": Fraction(1, 10**5), "mu": mu}
            instances.append((values, {"delta": gaussian.delta(float(epsilon), float(mu))}))
    draft = Draft(
        verdict="proved", statement="gamma = sqrt(m) rho/mu is enough for every class.",
        symbols={**SYMBOLS, "mu": "shift of the Gaussian profile, at most the largest that (epsilon, delta) allows"},
        definitions={"gamma": "sqrt(m)*rho/mu"}, assumptions=_POINTS,
        claim={"family": "gaussian", "shift": "sqrt(m)*rho", "scale": "gamma", "epsilon": "epsilon", "delta": "delta"},
        instances=instances, derivation=[_SHIFT],
    )  # fmt: skip
    return as_computed(draft, "gamma", "scale of the noise, as it is computed", solved="mu")


def laplace(printed: bool) -> Draft:
    instances = []
    for m in (1, 16, 1024):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
            loss = float(epsilon) / math.sqrt(m) if printed and m > 1 else epsilon
            instances.append(({"m": m, "rho": Fraction(1, 10), "epsilon": epsilon}, {"loss": loss}))
    draft = Draft(
        verdict="proved", statement="Laplace noise of the scale gamma hides the whole l1 shift.",
        symbols={name: text for name, text in SYMBOLS.items() if name != "delta"},
        definitions={"gamma": "m^(3/2)*rho/epsilon" if printed else "m*rho/epsilon"}, assumptions=_POINTS,
        claim={"family": "pure", "shift": "m*rho", "scale": "gamma", "epsilon": "epsilon", "delta": "0"},
        instances=instances, derivation=[_SHIFT],
        theory={"gamma": lambda v: (theory.perturb_scale_printed if printed else theory.perturb_scale)(
            int(v["m"]), v["rho"], v["epsilon"], 0.0, "laplace")},
    )  # fmt: skip
    return as_computed(draft, "gamma", "scale of the noise, as it is computed", solved="" if printed else "-")


@certificate("publicdata.lemma9.privacy.laplace", "guarantee")
def lemma9_laplace() -> Draft:
    return laplace(True)


@certificate("publicdata.lemma9.privacy.laplace-exact", "guarantee")
def lemma9_laplace_exact() -> Draft:
    return laplace(False)


@certificate("publicdata.lemma9.privacy.gaussian-large-m", "box")
def lemma9_large() -> Draft:
    """γ of (14) is enough at m = 16 for all ε in [1/10, 4] and ρ in [1/1000, 2], not at listed points alone."""
    edges = [Fraction(1, 10)]
    while edges[-1] < 4:
        edges.append(min(Fraction(4), near(float(edges[-1]) * 1.25, 3)))
    return Draft(
        verdict="proved",
        statement="At 16 public points and delta = 1e-5 the gamma of (14) is enough for all epsilon in [1/10, 4] and "
        "all rho in (0, 2].",
        symbols=SYMBOLS,
        definitions={
            "root": "sqrt(log(1/delta))",
            "gamma_over_rho": "(m*root/4 + sqrt((m*root/4)^2 + m*epsilon/(2*rho)))/epsilon",
        },
        assumptions={"some": ("m >= 9", "the claim fails for fewer points"), "delta": ("delta < 1", "log(1/delta) > "
            "0")},
        claim={"box": {"epsilon": [str(e) for e in edges], "rho": ["1/1000", "1/10", "1/2", "1", "2"]},
               "left": "gaussian_delta(sqrt(m)/gamma_over_rho, epsilon)", "relation": "<=", "right": "delta"},
        instances=[({"m": 16, "delta": Fraction(1, 10**5)}, {})],
        derivation=[(_SHIFT[0] + " gamma/rho falls as rho grows, so a smaller rho has a smaller shift.", ["some"]),
                    ("(14) with equality is a quadratic equation for gamma.", ["delta"])],
        theory={"gamma_over_rho": lambda v: theory.perturb_scale_printed(
            int(v["m"]), v["rho"], v["epsilon"], v["delta"], "gaussian") / v["rho"]},
    )  # fmt: skip
