"""Lemma 11 of the public-data paper: the scale of Algorithm 3's noise, (104) and (105), with the mean of the losses."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

from dpbench.certificates.build import Draft, as_computed, certificate
from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import Context, Evidence, Row
from dpbench.ledger.statement import Statement, laplace
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.clipped import clipped_gaussians
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.balanced_labels import (
    BALANCED,
    DELTA,
    EPSILON,
    HALF_LINE,
    PAIR,
    STABLE,
    STATED,
    WHERE,
    printed_gamma,
)
from dpbench.papers.publicdata.theorems.perturb_shift import (
    ANY_POINTS,
    CLAIMED,
    RECORDED,
    SHIFTED,
    SYMBOLS,
    upper_shift,
)
from dpbench.privacy import gaussian
from dpbench.privacy.profile import Profile, pure_profile

LAPLACE = Statement(
    about="{gamma} and Laplace noise make Algorithm 3 {claim}.",
    symbols={**PAIR, "m": ANY_POINTS, "epsilon": CLAIMED["epsilon"]},
    region={"m": "[1, 1]"},
    where={**WHERE, "gamma": "2*m^(3/2)/(sqrt(eta*n)*epsilon)"},
    claim=laplace(shift="2*fbar", scale="gamma", epsilon="epsilon"),
    steps=(*BALANCED, "At one public point the output is, before it is cut, fbar plus one Laplace variable."),
)


@paper.privacy(
    "lemma11",
    variant="gaussian",
    source="Lemma 11, equation 104, with the mean of the losses",
    expected="proved",
    arguments={"noise": "gaussian"},
    rests_on=("publicdata.lemma2.stability.mean-sharp", "publicdata.lemma9.privacy.gaussian-exact"),
    statement=HALF_LINE,
    origin="corrected",
    quote=r"\frac{m}{2\gamma^{2}}\left(1+\gamma\cdot\sqrt{\log\left(\frac{2}{\delta}\right)}\right)\cdot\frac{2}{\sqrt{"
    r"\eta\cdot n}}\leq\varepsilon",
    because="Its proof rests on Lemma 9, which fails at one public point. But 2/sqrt(eta n) is twice the stability, "
    "and at one point f^ is cut to [-1, 1]: proved by the exact shift for m >= 2 and by the cut pair for m = 1, at "
    "epsilon = 0.1 to 4, delta = 1e-5.",
)
def lemma11(context: Context, noise: str) -> tuple[str, Evidence]:
    """γ of (104) or (105) with the mean, against the proven stability and the exact shift, over m and ηn."""
    rows: list[Row] = []
    delta = DELTA if noise == "gaussian" else 0.0
    grid = product((1, 2, 3, 16, 64, 1024), (0.01, 0.25, 1.0, 100.0, 1e6), (0.1, EPSILON, 4.0))
    for m, strength, epsilon in grid:
        rho = theory.regularized_stability(1, strength)
        twice = theory.regularized_stability_printed(1, strength)
        gamma = theory.perturb_scale_printed(m, twice, epsilon, 0.5 * delta, noise)
        if noise == "laplace":
            guarantee = pure_profile(m * rho / gamma, why="l1 shift at most m rho")
        else:
            guarantee = at_one_point(rho, gamma) if m == 1 else upper_shift(m, rho, gamma)
        rows.append({"epsilon": epsilon, "delta": delta, "guarantee": guarantee, "m": float(m), "eta_n": strength,
                     "gamma": gamma, "share_proved": guarantee.epsilon(delta) / epsilon,
                     "noise_ratio": gamma / theory.perturb_scale(m, rho, epsilon, delta, noise)})  # fmt: skip
    ratios = [row["noise_ratio"] for row in rows]
    return profiles(
        rows,
        "value: largest share of the claimed epsilon that is proved to be spent, m = 1 to 1024, eta n = 0.01 to "
        f"1e6; gamma is {min(ratios):.3f} to {max(ratios):.3g} times that of the proven stability and the exact shift",
        value="share_proved",
    )


@certificate("publicdata.lemma11.privacy.gaussian", "guarantee")
def gaussian_certificate() -> Draft:
    instances = []
    for m in (3, 16, 64):
        for strength in (1, 100):
            for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
                values: dict[str, Any] = {"n": 100, "eta": Fraction(strength, 100), "m": m, "epsilon": epsilon,
                          "delta": Fraction(1, 10**5)}  # fmt: skip
                rho = theory.regularized_stability(1, float(strength))
                gamma = printed_gamma({key: float(value) for key, value in values.items()})
                shown = gaussian.delta(float(epsilon), math.sqrt(m) * rho / gamma)
                if 1e-300 < shown <= 1e-5:
                    instances.append((values, {"delta": shown}))
    return Draft(
        verdict="proved", statement="gamma of (104) is enough at the settings listed.",
        symbols=SYMBOLS,
        definitions={**STATED, "rho": "min(2, 1/sqrt(eta*n))"},
        assumptions=RECORDED,
        claim={"family": "gaussian", "shift": "sqrt(m)*rho", "scale": "gamma", "epsilon": "epsilon", "delta": "delta"},
        instances=instances, derivation=[STABLE, (SHIFTED[0], ["eta"])],
        theory={"twice": lambda v: theory.regularized_stability_printed(int(v["n"]), v["eta"]), "gamma": printed_gamma,
                "rho": lambda v: theory.regularized_stability(int(v["n"]), v["eta"])},
    )  # fmt: skip


paper.variant(
    lemma11,
    "laplace",
    source="Lemma 11, equation 105, with the mean of the losses",
    expected="proved",
    arguments={"noise": "laplace"},
    rests_on=("publicdata.lemma2.stability.mean-sharp", "publicdata.lemma9.privacy.laplace-exact"),
    statement=LAPLACE,
    origin="corrected",
    quote=r"\frac{m^{3/2}}{\gamma}\cdot\frac{2}{\sqrt{\eta\cdot n}}\leq\varepsilon",
    because="The l1 shift is at most m/sqrt(eta n): loose by 2 sqrt(m), or more where 1/sqrt(eta n) is beyond the "
    "diameter 2.",
)


@certificate("publicdata.lemma11.privacy.laplace", "guarantee")
def laplace_certificate() -> Draft:
    instances = []
    for m in (1, 16, 64):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
            values = {"n": 100, "eta": 1, "m": m, "epsilon": epsilon}
            instances.append((values, {"loss": epsilon / (2 * math.isqrt(m))}))
    draft = Draft(
        verdict="proved", statement="gamma of (105) is twice sqrt(m) times what is needed.",
        symbols={name: text for name, text in SYMBOLS.items() if name != "delta"},
        definitions={"rho": "min(2, 1/sqrt(eta*n))", "gamma": LAPLACE.where["gamma"]},
        assumptions=RECORDED,
        claim={"family": "pure", "shift": "m*rho", "scale": "gamma", "epsilon": "epsilon", "delta": "0"},
        instances=[(values, {"loss": float(shown["loss"])}) for values, shown in instances],
        derivation=[STABLE, (SHIFTED[0], ["eta"])],
        theory={"gamma": lambda v: theory.perturb_scale_printed(
            int(v["m"]), theory.regularized_stability_printed(int(v["n"]), v["eta"]), v["epsilon"], 0.0, "laplace")},
    )  # fmt: skip
    return as_computed(draft, "gamma", "scale of the noise, as printed")


def at_one_point(rho: float, gamma: float) -> Profile:
    """The guarantee for one public point and any convex class, |f̄ − f̄'| ≤ ρ ≤ 2.

    F(Z) is an interval within [−1, 1] and f̂(Z) the nearest point of it, a function of f̄ + γζ cut to [−1, 1]. A pair
    s ≤ ρ apart has δ(ε) = max of Φ((s − t)/γ) − e^ε Φ(−t/γ), t the event's distance from the lower centre, at most 2:
    it grows with s and with the range of t, so the centres ρ − 1 and −1 are the worst.
    """
    pair = clipped_gaussians(rho - 1.0, -1.0, gamma)
    return Profile("upper", "one public point: the worst pair of Gaussians cut to [-1, 1]", pair.delta_of,
                   law=pair.law)  # fmt: skip
