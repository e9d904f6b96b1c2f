"""Algorithms 2 and 3 of the public-data paper: the sum of the losses, their mean, and stability."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpbench.certificates.build import Draft, above, as_computed, below, certificate
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.spaces import QUESTIONS
from dpbench.papers.publicdata.spaces.constants import printed_scale
from dpbench.privacy import gaussian

_SYMBOLS = {"n": "records", "m": "public points", "eta": "weight of the regulariser", "epsilon": "claimed",
            "delta": "claimed"}  # fmt: skip
_GAMMA = printed_scale("twice", "root")
_STABLE = (
    "The mean of the losses plus eta |f|_m^2 is 2 eta-strongly convex along the class: neighbours' minimisers are at "
    "most 1/sqrt(eta n) apart (both optimality inequalities added), and at most 2.",
    ["records"],
)
_SHIFT: tuple[str, list[str]] = (
    "f^ is a function of fbar(Z) + gamma zeta, whose centre moves by at most sqrt(m) rho in l2, m rho in l1.",
    [],
)
_RECORDS = {"records": ("n >= 1", "a record"), "eta": ("eta > 0", "the regulariser is there")}


def _gamma(v: dict[str, float]) -> float:
    rho = theory.regularized_stability_printed(int(v["n"]), v["eta"])
    return theory.perturb_scale_printed(int(v["m"]), rho, v["epsilon"], 0.5 * v["delta"], "gaussian")


@certificate("publicdata.lemma11.privacy.gaussian", "guarantee")
def lemma11_gaussian() -> Draft:
    instances = []
    for m in (3, 16, 64):
        for strength in (1, 100):
            for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
                values: dict[str, Any] = {"n": 100, "eta": Fraction(strength, 100), "m": m, "epsilon": epsilon,
                          "delta": Fraction(1, 10**5)}  # fmt: skip
                rho = theory.regularized_stability(1, float(strength))
                gamma = _gamma({key: float(value) for key, value in values.items()})
                shown = gaussian.delta(float(epsilon), math.sqrt(m) * rho / gamma)
                if 1e-300 < shown <= 1e-5:
                    instances.append((values, {"delta": shown}))
    return Draft(
        verdict="proved", statement="gamma of (104) is enough at the settings listed.",
        symbols=_SYMBOLS,
        definitions={"twice": "2/sqrt(eta*n)", "root": "sqrt(log(2/delta))", "gamma": _GAMMA,
                     "rho": "min(2, 1/sqrt(eta*n))"},
        assumptions=_RECORDS,
        claim={"family": "gaussian", "shift": "sqrt(m)*rho", "scale": "gamma", "epsilon": "epsilon", "delta": "delta"},
        instances=instances, derivation=[_STABLE, (_SHIFT[0], ["eta"])],
        theory={"twice": lambda v: theory.regularized_stability_printed(int(v["n"]), v["eta"]), "gamma": _gamma,
                "rho": lambda v: theory.regularized_stability(int(v["n"]), v["eta"])},
    )  # fmt: skip


@certificate("publicdata.lemma11.privacy.laplace", "guarantee")
def lemma11_laplace() -> Draft:
    instances = []
    for m in (1, 16, 64):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
            values = {"n": 100, "eta": 1, "m": m, "epsilon": epsilon}
            instances.append((values, {"loss": epsilon / (2 * math.isqrt(m))}))
    draft = Draft(
        verdict="proved", statement="gamma of (105) is twice sqrt(m) times what is needed.",
        symbols={name: text for name, text in _SYMBOLS.items() if name != "delta"},
        definitions={"rho": "min(2, 1/sqrt(eta*n))", "gamma": "2*m^(3/2)/(sqrt(eta*n)*epsilon)"},
        assumptions=_RECORDS,
        claim={"family": "pure", "shift": "m*rho", "scale": "gamma", "epsilon": "epsilon", "delta": "0"},
        instances=[(values, {"loss": float(shown["loss"])}) for values, shown in instances],
        derivation=[_STABLE, (_SHIFT[0], ["eta"])],
        theory={"gamma": lambda v: theory.perturb_scale_printed(
            int(v["m"]), theory.regularized_stability_printed(int(v["n"]), v["eta"]), v["epsilon"], 0.0, "laplace")},
    )  # fmt: skip
    return as_computed(draft, "gamma", "scale of the noise, as printed")


@certificate("publicdata.alg3.privacy.mean", "guarantee")
def algorithm3_mean() -> Draft:
    instances = []
    for n in (11, 1001):
        for m in (1, 64):
            for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
                mu = below(gaussian.mu(float(epsilon), 1e-5))
                values = {"n": n, "eta": Fraction(1, 10), "m": m, "epsilon": epsilon, "delta": Fraction(1, 10**5),
                          "mu": mu}  # fmt: skip
                instances.append((values, {"delta": gaussian.delta(float(epsilon), float(mu))}))
    draft = Draft(
        verdict="proved", statement="gamma = sqrt(m) rho/mu with the proven stability is enough.",
        symbols={**_SYMBOLS, "mu": "shift of the Gaussian profile, at most the largest that (epsilon, delta) allows"},
        definitions={"rho": "min(2, 1/sqrt(eta*n))", "gamma": "sqrt(m)*rho/mu"}, assumptions=_RECORDS,
        claim={"family": "gaussian", "shift": "sqrt(m)*rho", "scale": "gamma", "epsilon": "epsilon", "delta": "delta"},
        instances=instances, derivation=[_STABLE, (_SHIFT[0], ["eta"])],
        theory={"rho": lambda v: theory.regularized_stability(int(v["n"]), v["eta"])},
    )  # fmt: skip
    return as_computed(draft, "gamma", "scale of the noise, as it is computed", solved="mu")


@certificate("publicdata.alg2.privacy.mean", "guarantee")
def algorithm2_mean() -> Draft:
    """Chernoff for the mean of J squares, then the exact shift at δ/2."""
    instances = []
    for n, eta, calls in ((1001, Fraction(1, 10), 256), (101, Fraction(1), 64)):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
            g = Fraction(8, 10)
            b = float(g) / (n * float(eta))
            rho = theory.averaged_stability(n, float(eta), float(g), calls, 0.5e-5)
            x = above((rho / 2.0) ** 2 * (1 + 1e-9), 6)
            kl = float(x) * math.log(float(x) / b) + (1 - float(x)) * math.log((1 - float(x)) / (1 - b))
            mu = below(gaussian.mu(float(epsilon), 0.5e-5))
            shown = gaussian.delta(float(epsilon), float(mu)) + math.exp(-calls * kl)
            values = {"n": n, "eta": eta, "m": 64, "J": calls, "g": g, "x": x, "epsilon": epsilon,
                      "delta": Fraction(1, 10**5), "mu": mu}  # fmt: skip
            if b < float(x) < 1 and shown <= 1e-5:
                instances.append((values, {"delta": shown}))
    draft = Draft(
        verdict="proved",
        statement="gamma = sqrt(m) rho/mu with rho = 2 sqrt(x) beyond which |fbar - fbar'|_m lies with chance at most "
        "delta/2.",
        symbols={**_SYMBOLS, "J": "calls", "g": "bound on E sup |omega|", "x": "bound on the mean square over 4",
                 "mu": "shift of the Gaussian profile, at most the largest that (epsilon, delta/2) allows"},
        definitions={
            "b": "g/(n*eta)",
            "kl": "x*log(x/b) + (1 - x)*log((1 - x)/(1 - b))",
            "rho": "2*sqrt(x)",
            "gamma": "sqrt(m)*rho/mu",
        },
        assumptions={**_RECORDS, "above": ("x > b", "Chernoff's bound is for x above the mean"),
                     "below": ("x < 1", "the square is at most 4"), "calls": ("J >= 1", "a call")},
        claim={"family": "bound", "shift": "gaussian_delta(sqrt(m)*rho/gamma, epsilon) + exp(-J*kl)", "scale": "1",
               "epsilon": "epsilon", "delta": "delta"},
        instances=instances,
        derivation=[
            ("One call moves fbar_j by |fbar_j - fbar_j'|_m^2 <= 4, of mean at most 4 g/(n eta) = 4 b (Gaussian "
             "integration by parts).", ["records", "eta"]),
            ("The mean of J independent ones exceeds 4x with probability at most exp(-J kl(x, b)).",
             ["above", "below", "calls"]),
            ("Given the processes, |fbar - fbar'|_m <= rho, and " + _SHIFT[0], []),
        ],
    )  # fmt: skip
    return as_computed(draft, "gamma", "scale of the noise, as it is computed", solved="mu")


@certificate("publicdata.alg3.privacy.sum", "pair-discrete")
def algorithm3_sum() -> Draft:
    """Constants, balanced labels: with the sum one record moves f̄ from 1 to −1."""
    instances = []
    for n in (10_001, 100_001):
        v = {"n": float(n), "m": 64.0, "eta": 0.1, "epsilon": 1.0, "delta": 1e-5}
        noise = _gamma(v) / 8.0
        shown = 0.5 - math.e * 0.5 * math.erfc(2.0 / (noise * math.sqrt(2.0)))
        values = {"half": n // 2, "m": 64, "eta": Fraction(1, 10), "epsilon": 1, "delta": Fraction(1, 10**5)}
        instances.append((values, {"delta": shown}))
    symbols = {**_SYMBOLS, "half": "pairs of records with opposite labels"}
    del symbols["n"]
    return Draft(
        verdict="refuted",
        statement="With the sum of the losses and gamma of (104) the chance of f^ = 1 changes by more than (epsilon, "
            "delta) "
        "allows.",
        symbols=symbols,
        definitions={"n": "2*half + 1", "twice": "2/sqrt(eta*n)", "root": "sqrt(log(2/delta))", "gamma": _GAMMA,
                     "sd": "gamma/sqrt(m)"},
        assumptions={"end": ("1/(4*eta) >= 1", "the minimisers of the sum lie at 1 and -1"),
                     "records": ("half >= 1", "the other labels cancel in pairs")},
        claim={"p": ["1/2", "rest"], "q": ["erfc(2/(sd*sqrt(2)))/2", "rest"], "event": [0], "normalise": False,
               "epsilon": "epsilon", "delta": "delta"},
        instances=instances,
        derivation=[
            ("F the constants in [-1, 1], loss |f - y|/2, labels 1 and -1 in turn and one more, 1 or -1: the sum is "
             "const -+ f/2 + eta f^2 on [-1, 1], least at +-min(1, 1/(4 eta)).", ["end", "records"]),
            ("Perturb releases fbar plus a Gaussian of standard deviation gamma/sqrt(m), cut to [-1, 1]: f^ = 1 has "
             "chance 1/2 and P(N > 2/sd).", []),
        ],
        theory={"gamma": lambda v: _gamma({**v, "n": 2 * v["half"] + 1})},
    )  # fmt: skip


@certificate("publicdata.lemma2.stability.sum", "inequality")
def lemma2_sum() -> Draft:
    instances = []
    for half in (50, 5000):
        right = 2.0 / math.sqrt(0.1 * (2 * half + 1))
        instances.append(({"half": half, "eta": Fraction(1, 10)}, {"left": 2, "right": right}))
    return Draft(
        verdict="refuted", statement="With the sum of the losses the minimisers of two neighbours are 2 apart.",
        symbols={"half": "pairs of records with opposite labels", "eta": "weight of the regulariser"},
        definitions={"n": "2*half + 1", "fbar": "min(1, 1/(4*eta))"},
        assumptions={"records": ("half >= 1", "the other labels cancel in pairs"), "eta": ("eta > 0", "it is there")},
        claim={"left": "2*fbar", "relation": "<=", "right": "2/sqrt(eta*n)"}, instances=instances,
        derivation=[("F the constants in [-1, 1], loss |f - y|/2, labels 1 and -1 in turn and one more, 1 or -1: the "
            "sum is "
                     "const -+ f/2 + eta f^2, least at +-fbar.", ["records", "eta"])],
    )  # fmt: skip


@certificate("publicdata.alg2.privacy.sum", "pair-discrete")
def algorithm2_sum() -> Draft:
    """{f, −f} with the sum: each call flips nearly always; the mean over J calls bounded by Taylor."""
    instances = []
    for m, n in ((64, 10**9), (4, 10**9)):
        calls, eta = 100_000, 0.1
        rho = theory.lemma10_stability_printed(n, eta, math.sqrt(2.0 / math.pi), calls, 1e-5)
        gamma = theory.perturb_scale_printed(m, rho, 1.0, 0.5e-5, "gaussian")
        reach = 2.0 * math.sqrt(m) / gamma
        call = 0.5 * math.erfc(-1.0 / (2.0 * eta) / math.sqrt(2.0))
        low = 0.5 * math.erfc(-(call - 0.5) * reach / math.sqrt(2.0)) - 0.121 * reach**2 / (4.0 * calls)
        shown = low - math.e * (1.0 - low)
        values = {"n": n, "m": m, "eta": Fraction(1, 10), "J": calls, "epsilon": 1, "delta": Fraction(1, 10**5)}
        instances.append((values, {"delta": shown}))
    return Draft(
        verdict="refuted",
        statement="With the sum of the losses and gamma of (102) the chance of f^ = f changes by more than (epsilon, "
            "delta) "
        "allows.",
        symbols={**_SYMBOLS, "J": "calls"},
        definitions={
            "stability": "4/(n*eta)^(1/3)*sqrt(2/pi) + sqrt(log(2/delta)/J)",
            "root": "sqrt(log(2/delta))",
            "gamma": _GAMMA.replace("twice", "stability"),
            "call": "erfc(-1/(2*eta)/sqrt(2))/2",
            "reach": "2*sqrt(m)/gamma",
            "low": QUESTIONS["publicdata.alg2.privacy.mean"].all_definitions["low"],
        },
        assumptions={"records": ("n >= 3", "the other labels cancel in pairs"), "eta": ("eta > 0", "it is there")},
        claim={"p": ["low", "rest"], "q": ["1 - low", "rest"], "event": [0], "normalise": False, "epsilon": "epsilon",
               "delta": "delta"},
        instances=instances,
        derivation=[
            ("F = {1, -1}, 0-1 loss, labels 1 and -1 in turn and one more, 1 or -1: L(f) - L(-f) is -1 or 1 and the "
             "process adds 2 eta N, so a call gives f with probability Phi(1/(2 eta)), or that of the other sign.",
             ["records", "eta"]),
            ("f^ = f iff a Gaussian exceeds -(K/J - 1/2) reach, K the number of calls that gave f, of variance at most "
             "J/4; |Phi''| < 0.242: putting the mean for K/J costs at most 0.121 reach^2/(4 J). So f has at least the "
             "chance low on one data set and at most 1 - low on the other (-f by symmetry).", []),
        ],
        theory={"stability": lambda v: theory.lemma10_stability_printed(
                    int(v["n"]), v["eta"], math.sqrt(2.0 / math.pi), int(v["J"]), v["delta"])},
    )  # fmt: skip
