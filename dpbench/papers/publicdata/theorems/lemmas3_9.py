"""Lemmas 3 and 9 of the public-data paper: Perturb's privacy at a few and at many public points."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from dpbench.certificates.build import Draft, as_computed, below, certificate, near
from dpbench.certificates.search.question import pair_event, pair_shift
from dpbench.certificates.search.space import Integer, Real, Space
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import profiles, summary
from dpbench.ledger.measurement import Context, Evidence, Row, Rows
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.clipped import clipped_gaussians
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.perturb_shift import (
    ANY_DELTA,
    ANY_EPSILON,
    ANY_MU,
    CALIBRATED,
    NONE,
    SHIFT,
    Conditions,
    Formulas,
    printed_scale,
    upper_shift,
)
from dpbench.privacy import gaussian
from dpbench.privacy.profile import Profile, gaussian_profile, laplace_profile, pure_profile

DELTA = 1e-5
EPSILONS = (0.1, 1.0, 4.0)
RHOS = (1e-3, 0.1, 2.0)
MANY = (16, 64, 256, 1024)

_DROPS = (
    "(97) replaces m/(2 gamma^2)(2<u, v>_m + |v|_m^2), |v|_m = rho, by (1 + |u|_m)rho, which drops the factor 2 of the "
    "cross term; and P(|gamma zeta|_m > gamma sqrt(log(1/delta))) <= delta is false for few points (m = 1: a normal "
    "tail beyond 3.39 is 70 times 1e-5). "
)
_EXACT = (
    "Releasing any function of fbar(Z) + gamma zeta, with |fbar - fbar'|_m <= rho: the centre moves by at most "
    "sqrt(m) rho in l2 and m rho in l1. "
)

ENDS = Space(
    "Perturb on the constants in [-1, 1], two of them any distance apart, any half-line of outputs",
    {
        "m": Integer("number of public points", 1, 10**4),
        "rho": Real("distance of fbar and fbar' in the norm of the public points", 1e-4, 2.0),
        "t": Real("threshold of the event f^ <= t", -1.0, 1.0),
        "epsilon": ANY_EPSILON,
        "delta": ANY_DELTA,
        "mu": ANY_MU,
        "scale": Real("scale of the noise, where it is given", 1e-3, 1e6),
    },
    conditions={"inside": ("rho <= 2", "constants in [-1, 1]")},
)
_EVENT = {"sd": "gamma/sqrt(m)"}
_ENDS = (
    "F the constants in [-1, 1]: Perturb releases fbar plus the mean of gamma zeta, Gaussian with standard deviation "
    "gamma/sqrt(m), cut to [-1, 1]; fbar = 1 and fbar' = 1 - rho, |fbar - fbar'|_m = rho.",
    "f^ <= t < 1 iff the uncut value is.",
)


def _event(gamma: Formulas, conditions: Conditions = NONE) -> Any:
    return pair_event(
        ENDS, "erfc((1 - rho - t)/(sd*sqrt(2)))/2", "erfc((1 - t)/(sd*sqrt(2)))/2", derivation=_ENDS,
        definitions={**gamma, **_EVENT}, conditions={"below": ("t < 1", "an event below the end"), **conditions},
    )  # fmt: skip


ROOT = {"root": "sqrt(log(1/delta))"}
STATED = {**ROOT, "gamma": printed_scale("rho", "root")}
STATED_9 = {"exponent": "m/(2*scale^2)*(1 + scale*sqrt(log(1/delta)))*rho", "gamma": "scale"}
_WITHIN = {"within": ("exponent <= epsilon", "(87) gives (epsilon, delta)")}


def line_pair(m: int, rho: float, gamma: float) -> Profile:
    """The exact profile of a pair in the class of all functions with f̄ − f̄' = ρ at every public point."""
    return gaussian_profile(math.sqrt(m) * rho / gamma, kind="exact", why="F is not bounded: f^ = fbar + gamma zeta")


@paper.privacy(
    "lemma9",
    variant="gaussian-small-m",
    source="Lemma 9, equation 87",
    expected="refuted",
    holds="publicdata.lemma9.privacy.gaussian-exact",
    statement="For any delta > 0, any m, any fbar, fbar' in F: P(G) <= exp(m/(2 gamma^2)(1 + gamma "
    "sqrt(log(1/delta)))rho) P'(G) + delta.",
    weight="range",
    quote=r"e^{\frac{m}{2\gamma^{2}}\left(1+\gamma\cdot\sqrt{\log\left(\frac{1}{\delta}\right)}\right)\cdot\left\|\bar{"
    r"f}-\bar{f}^{\prime}\right\|_{m}}",
    consequence="At m = 1 the true delta is 38 times the claimed 1e-5 for functions into [-1, 1]. The lemma holds for "
    "m >= 8 where the exponent is at most 1, and for functions of any range m = 7 is not enough.",
    errata=Correction(
        place="Lemma 9, equation 87",
        line=658,
        effect=1,
        change="add: for m >= 8 and an exponent of at most 1; or gamma = sqrt(m) rho/mu(epsilon, delta)",
    ),
    space=_event(STATED_9, {**_WITHIN, "small": ("m <= 7", "below the range that is proved")}),
    because=_DROPS + "Exact profiles: unbounded F gives a Gaussian pair sqrt(m) rho/gamma apart, constants in [-1, 1] "
    "the clipped pair with two atoms.",
)
def small_m(context: Context) -> tuple[str, Evidence]:
    """(87) at γ = 1, ρ = 0.1: the exact δ of both pairs against the one claimed, over m."""
    rows: list[Row] = []
    for m in (1, 2, 3, 4, 8, 16):
        epsilon = theory.perturb_epsilon_printed(m, 0.1, 1.0, DELTA, "gaussian")
        rows += both_pairs(epsilon, line_pair(m, 0.1, 1.0), clipped_gaussians(0.9, 1.0, 1.0 / math.sqrt(m)),
                           m=float(m), epsilon_claimed=epsilon)  # fmt: skip
    tiny = 1e-20  # the largest m at which some shift breaks the claim at epsilon = 1: gamma -> infinity
    shift = {m: gaussian_profile(2.0 / math.sqrt(m * math.log(1.0 / tiny)), kind="exact", why="") for m in (7, 8)}
    last = {m: profile.delta(1.0) / tiny for m, profile in shift.items()}
    return profiles(
        rows,
        f"value: true delta of a pair over the claimed {DELTA:g}, gamma = 1, rho = 0.1, m = 1, constants in [-1, 1] "
        f"(fbar, fbar' = 0.9, 1); {rows[0]['delta_ratio_unbounded']:.1f} for functions of any range",
        f"functions of any range, epsilon = 1, delta = {tiny:g}, gamma large: {last[7]:.3g} at m = 7, {last[8]:.3g} "
        "at m = 8",
        value=max(row["delta_ratio_clipped"] for row in rows[::2]),
    )


def both_pairs(epsilon: float, free: Profile, clipped: Profile, **columns: float) -> list[Row]:
    """Rows of the two pairs at (ε, `DELTA`); the first has the columns and both ratios of true to claimed δ."""
    claimed = {"epsilon": epsilon, "delta": DELTA}
    named = {"unbounded": free, "clipped": clipped}
    ratios = {f"delta_ratio_{name}": pair.delta(epsilon) / DELTA for name, pair in named.items()}
    return [claimed | {"pair": free} | columns | ratios, claimed | {"pair": clipped}]


@paper.privacy(
    "lemma9",
    variant="gaussian-large-m",
    source="Lemma 9, equation 87, for m >= 8 and epsilon <= 1",
    expected="proved",
    statement="For m >= 8, delta <= 1/2 and an exponent epsilon <= 1 in (87), Perturb is (epsilon, delta)-DP for every "
    "F, gamma and rho; and for m >= 9 and epsilon <= (m - sqrt(8 m)) log(1/delta)/2.",
    space=_event(
        STATED_9, {**_WITHIN, "large": ("m >= 8", "the range of the entry"), "one": ("epsilon <= 1", "its exponent")}
    ),
    because=_EXACT + "With the exponent epsilon, mu = sqrt(m) rho/gamma is at most 2 epsilon/sqrt(m log(1/delta)), and "
    "the more the larger gamma is. At that mu the true delta over the claimed one falls with m and with "
    "log(1/delta), and is 0.155 at m = 8, epsilon = 1, delta = 1/2; the lemma's own proof does not hold. m = 8 is the "
    "least: at m = 7 epsilon = 1 fails for small delta.",
)
def large_m(context: Context) -> Rows:
    """The worst shift, γ → ∞, over m, ε and δ down to 1e-290."""
    for m, delta in product((8, 9, 16, 64, 256, 1024), (0.5, 0.1, 1e-2, 1e-5, 1e-20, 1e-80, 1e-290)):
        largest = 0.5 * (m - math.sqrt(8.0 * m)) * math.log(1.0 / delta)
        for epsilon in (1e-3, 0.03, 0.3, 1.0, *((0.1 * largest, largest) if m > 8 else ())):
            mu = 2.0 * epsilon / math.sqrt(m * math.log(1.0 / delta))
            shift = gaussian_profile(mu, kind="upper", why=SHIFT)
            yield {"m": float(m), "epsilon": epsilon, "delta": delta, "guarantee": shift}
    gamma, exact = (f(1024, 0.1, 1.0, DELTA, "gaussian") for f in (theory.perturb_scale_printed, theory.perturb_scale))
    return (f"gamma of (14) over the least gamma at m = 1024, epsilon = 1, delta = {DELTA:g}: {gamma / exact:.1f}",)


@paper.privacy(
    "lemma9",
    variant="gaussian-exact",
    source="Lemma 9, with the exact shift",
    expected="proved",
    arguments={"noise": "gaussian"},
    statement="gamma = sqrt(m) rho/mu(epsilon, delta) makes Perturb (epsilon, delta)-DP for every class and every m, "
    "and no smaller gamma does.",
    space=_event({"gamma": "sqrt(m)*rho/mu"}, CALIBRATED),
    because=_EXACT + "Attained by the class of all functions.",
)
def exact(context: Context, noise: str) -> Rows:
    """The exact calibration, and the pair of the class of all functions (one point for Laplace) that attains it."""
    delta, least = DELTA if noise == "gaussian" else 0.0, math.inf
    for m, epsilon, rho in product((1, *MANY), EPSILONS, RHOS):
        gamma = theory.perturb_scale(m, rho, epsilon, delta, noise)
        if noise == "gaussian":
            guarantee, pair = upper_shift(m, rho, gamma), line_pair(m, rho, gamma)
        else:
            guarantee = pure_profile(m * rho / gamma, why="l1 shift at most m rho")
            shift = rho / theory.perturb_scale(1, rho, epsilon, 0.0, noise)
            pair = laplace_profile(shift, kind="exact", why="one public point")
        reached = pair.epsilon(delta) / epsilon
        least = float(np.minimum(least, reached))
        yield {"epsilon": epsilon, "delta": delta, "guarantee": guarantee}
        yield {"epsilon": epsilon, "delta": delta, "pair": pair, "reached": reached}
    return summary("value: least share of the claimed epsilon that a pair reaches; 1: the noise cannot be less",
                   value=least)  # fmt: skip


paper.variant(
    exact,
    "laplace-exact",
    expected="proved",
    arguments={"noise": "laplace"},
    statement="gamma = m rho/epsilon makes Perturb with Laplace noise epsilon-DP for every class.",
    because=_EXACT + "Attained at one public point.",
)

CONSTANTS = Space(
    "Perturb with Laplace noise on the constants in [-1, 1] and one public point, two of them any distance apart",
    {"rho": Real("distance of fbar and fbar'", 1e-6, 2.0), "epsilon": ANY_EPSILON, "delta": Real("slack", 1e-12, 1e-3)},
    definitions={"gamma": "rho/epsilon"},
)
_CONSTANTS = (
    "m = 1, before the output is cut to [-1, 1]: two Laplace laws rho apart, a postprocessing of it no worse.",
)


@paper.privacy(
    "lemma9",
    variant="laplace",
    source="Lemma 9, equation 88",
    expected="proved",
    statement="Perturb with Q = Lap(1) and gamma = m^(3/2) rho/epsilon is epsilon-DP.",
    quote=r"\leq e^{\frac{m^{3/2}}{\gamma}\cdot\left\|\bar{f}^{\prime}-\bar{f}\right\|_{m}}",
    space=pair_shift(CONSTANTS, "rho", "gamma", family="laplace", derivation=_CONSTANTS),
    because=_EXACT + "(101) bounds the l1 norm by m^(3/2) rho where m rho suffices (|.|_m is already a mean).",
)
def printed_laplace(context: Context) -> Rows:
    """(15) with Perturb's noise γ·Lap(1): the ℓ1 shift is at most mρ, and the lemma pays m^{3/2}ρ."""
    for m, epsilon, rho in product((1, *MANY), EPSILONS, RHOS):
        gamma = theory.perturb_scale_printed(m, rho, epsilon, 0.0, "laplace")
        guarantee = pure_profile(m * rho / gamma / (1.0 + 1e-12), why="l1 shift at most m rho")
        ratio = gamma / theory.perturb_scale(m, rho, epsilon, 0.0, "laplace")
        yield {"epsilon": epsilon, "delta": 0.0, "guarantee": guarantee, "noise_ratio": ratio}
    return summary(f"value: gamma of (15) over the one needed, largest at m = {MANY[-1]}: sqrt(m)", value="noise_ratio")


@paper.privacy(
    "lemma3",
    variant="gaussian",
    source="Lemma 3, equation 14",
    expected="refuted",
    holds="publicdata.lemma9.privacy.gaussian-exact",
    statement="gamma with m/(2 gamma^2)(1 + gamma sqrt(log(1/delta))) rho <= epsilon makes Perturb of a rho-stable "
    "algorithm (epsilon, delta)-DP.",
    weight="range",
    quote=r"\frac{m}{2\gamma^{2}}\left(1+\gamma\cdot\sqrt{\log\left(\frac{1}{\delta}\right)}\right)\rho\leq"
    r"\varepsilon.",
    consequence="At m = 1 the true delta is up to 8.0 times the claimed 1e-5 (constants in [-1, 1], epsilon = 1). True "
    "for m >= 8 and epsilon <= 1: see publicdata.lemma9.privacy.gaussian-large-m.",
    errata=Correction(place="Lemma 3, equation 14", line=242, effect=1, change="add: for m >= 8 and epsilon <= 1"),
    space=_event(STATED),
    because=_DROPS + "At m = 1 the output is fbar + gamma zeta, or that clipped.",
)
def lemma3_gaussian(context: Context) -> tuple[str, Evidence]:
    """γ from (14) at ε = 1: the exact δ of a pair of constants, clipped and not; and where it stops to be too small."""
    rows: list[Row] = []
    last = {
        e: m for e, m in product(EPSILONS, range(1, 17))
        if line_pair(m, 2.0, theory.perturb_scale_printed(m, 2.0, e, DELTA, "gaussian")).delta(e) > DELTA
    }  # fmt: skip
    for rho in (0.01, 0.1, 0.5, 1.0, 2.0):
        gamma = theory.perturb_scale_printed(1, rho, 1.0, DELTA, "gaussian")
        cut_pair = clipped_gaussians(1.0 - rho, 1.0, gamma)
        rows += both_pairs(1.0, line_pair(1, rho, gamma), cut_pair, rho=rho, gamma=gamma)
    free, cut = (max(row[f"delta_ratio_{which}"] for row in rows[::2]) for which in ("unbounded", "clipped"))
    return profiles(
        rows,
        f"value: largest true delta over the claimed {DELTA:g}, m = 1, epsilon = 1, constants in [-1, 1]; {free:.0f} "
        "for functions of any range",
        "largest m at which a pair with rho = 2 in the class of all functions breaks the claim: "
        + ", ".join(f"{m} at epsilon = {e:g}" for e, m in last.items()),
        value=cut,
    )


@paper.privacy(
    "lemma3",
    variant="laplace",
    source="Lemma 3, equation 15",
    expected="refuted",
    holds="publicdata.lemma9.privacy.laplace",
    statement="Perturb with Q = Lap(gamma), m^(3/2) rho/gamma <= epsilon, is epsilon-DP.",
    weight="misprint",
    quote=r"\frac{m^{3/2}}{\gamma}\cdot\rho\leq\varepsilon.",
    consequence="Algorithm 1 multiplies by gamma itself: with Q = Lap(gamma) the noise has scale gamma^2, which for "
    "gamma = 0.01 gives epsilon = 100 for 1. Lemma 9 has Lap(1).",
    errata=Correction(place="Lemma 3, equation 15", line=246, effect=1, change="for Q = Lap(gamma) read Q = Lap(1)"),
    space=pair_shift(CONSTANTS, "rho", "gamma^2", family="laplace", derivation=_CONSTANTS),
    because="Algorithm 1 multiplies by gamma what it draws from Q, so the noise has the scale gamma^2, too little "
    "where gamma < 1. Lemma 9 has Q = Lap(1).",
)
def lemma3_laplace(context: Context) -> Rows:
    """γ from (15) below 1, ζ drawn from Lap(γ) as Lemma 3 says: Algorithm 1 multiplies by γ once more."""
    for rho in (0.01, 0.1, 0.5):
        gamma = theory.perturb_scale_printed(1, rho, 1.0, 0.0, "laplace")
        why = "one public point, noise gamma zeta, zeta ~ Lap(gamma)"
        pair = laplace_profile(rho / gamma**2, kind="exact", why=why)
        yield {"epsilon": 1.0, "delta": 0.0, "pair": pair, "rho": rho, "gamma": gamma,
               "epsilon_reached": pair.epsilon(0.0)}  # fmt: skip
    note = "value: the largest exact epsilon of a pair for a claimed epsilon = 1, m = 1"
    return summary(note, value="epsilon_reached")


SYMBOLS = {
    "m": "number of public points", "rho": "distance of fbar and fbar' in the norm on the public points",
    "epsilon": "claimed", "delta": "claimed",
}  # fmt: skip
_MOVES = (
    "The output is a function of fbar(Z) + gamma zeta, whose centre moves by at most sqrt(m) rho in l2 and m rho in "
    "l1.",
    ["points"],
)
_POINTS = {"points": ("m >= 1", "there is a public point")}


def cut_event(epsilon: float, distance: float, scale: float) -> tuple[Fraction, float]:
    """t and P'(f̂ ≤ t) − e^ε P(f̂ ≤ t) for constants in [−1, 1], f̄ = 1 and f̄' = 1 − distance; the best t ≥ −1 "
    "tried."""
    grid = [1.0 - distance / 2.0 - k * scale / 400.0 for k in range(4000)]
    best = max((t for t in grid if t >= -1.0), key=lambda t: excess(epsilon, distance, scale, t))
    t = max(near(best, 3), Fraction(-1))
    return t, excess(epsilon, distance, scale, float(t))


def excess(epsilon: float, distance: float, scale: float, t: float) -> float:
    root = scale * math.sqrt(2.0)
    return 0.5 * (math.erfc((1.0 - distance - t) / root) - math.exp(epsilon) * math.erfc((1.0 - t) / root))


def _steps(t_meaning: str) -> list[tuple[str, list[str]]]:
    return [
        ("F the constants in [-1, 1], m public points: Perturb releases fbar plus the mean of gamma zeta, Gaussian "
         "with standard deviation gamma/sqrt(m), cut to [-1, 1]; fbar = 1 and fbar' = 1 - rho.", ["inside"]),
        (t_meaning, ["threshold"]),
    ]  # fmt: skip


_THRESHOLD = {
    "p": ["erfc((1 - rho - t)/(sd*sqrt(2)))/2", "rest"],
    "q": ["erfc((1 - t)/(sd*sqrt(2)))/2", "rest"],
    "event": [0], "normalise": False, "epsilon": "epsilon", "delta": "delta",
}  # fmt: skip
_INSIDE = {
    "inside": ("rho <= 2", "both constants lie in [-1, 1]"),
    "threshold": ("t >= -1", "the event f^ <= t is not touched by the cut at -1"),
}


@certificate("publicdata.lemma3.privacy.gaussian", "pair-discrete")
def lemma3_gaussian_certificate() -> Draft:
    """γ of (14) at m = 1, constants in [−1, 1]: an event a few times as likely as δ allows."""
    instances: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for rho in (Fraction(1, 10), Fraction(1, 5)):
        delta = Fraction(1, 10**5)
        gamma = theory.perturb_scale_printed(1, float(rho), 1.0, 1e-5, "gaussian")
        t, shown = cut_event(1.0, float(rho), gamma)
        if shown > 1e-5:
            instances.append(({"m": 1, "rho": rho, "epsilon": 1, "delta": delta, "t": t}, {"delta": shown}))
    return Draft(
        verdict="refuted",
        statement="At gamma of (14) and one public point an event of a pair of constants exceeds (epsilon, delta).",
        symbols={**SYMBOLS, "t": "threshold of the event f^ <= t"},
        definitions={"root": "sqrt(log(1/delta))", "gamma": STATED["gamma"], "sd": "gamma/sqrt(m)"},
        assumptions=_INSIDE, claim=_THRESHOLD, instances=instances,
        derivation=_steps("f^ <= t < 1 iff the uncut value is; the gamma stated satisfies (14) with equality."),
        theory={"gamma": lambda v: theory.perturb_scale_printed(
            int(v["m"]), v["rho"], v["epsilon"], v["delta"], "gaussian")},
    )  # fmt: skip


@certificate("publicdata.lemma9.privacy.gaussian-small-m", "pair-discrete")
def lemma9_small_certificate() -> Draft:
    """(87) at γ = 1, ρ = 0.1 and m = 1, 2: constants in [−1, 1]."""
    instances: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for m in (1, 2):
        rho = Fraction(1, 10)
        epsilon = theory.perturb_epsilon_printed(m, 0.1, 1.0, 1e-5, "gaussian")
        t, shown = cut_event(epsilon, 0.1, 1.0 / math.sqrt(m))
        if shown > 1e-5:
            values = {"m": m, "rho": rho, "gamma": 1, "delta": Fraction(1, 10**5), "t": t}
            instances.append((values, {"delta": shown}))
    symbols = {name: text for name, text in SYMBOLS.items() if name != "epsilon"}
    return Draft(
        verdict="refuted", statement="An event of a pair of constants exceeds what (87) allows.",
        symbols={**symbols, "gamma": "scale of the noise", "t": "threshold of the event f^ <= t"},
        definitions={"epsilon": STATED_9["exponent"].replace("scale", "gamma"), "sd": "gamma/sqrt(m)"},
        assumptions=_INSIDE, claim=_THRESHOLD, instances=instances,
        derivation=_steps("f^ <= t < 1 iff the uncut value is; |fbar - fbar'|_m = rho for constants."),
        theory={"epsilon": lambda v: theory.perturb_epsilon_printed(
            int(v["m"]), v["rho"], v["gamma"], v["delta"], "gaussian")},
    )  # fmt: skip


@certificate("publicdata.lemma3.privacy.laplace", "pair-discrete")
def lemma3_laplace_certificate() -> Draft:
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
                     "scale gamma^2 is at least 1: chances 1/2 and exp(-rho/gamma^2)/2.", ["inside", "one"])],
        theory={"gamma": lambda v: theory.perturb_scale_printed(int(v["m"]), v["rho"], v["epsilon"], 0.0, "laplace")},
    )  # fmt: skip


@certificate("publicdata.lemma9.privacy.gaussian-exact", "guarantee")
def lemma9_exact_certificate() -> Draft:
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
        instances=instances, derivation=[_MOVES],
    )  # fmt: skip
    return as_computed(draft, "gamma", "scale of the noise, as it is computed", solved="mu")


def hidden(printed: bool) -> Draft:
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
        instances=instances, derivation=[_MOVES],
        theory={"gamma": lambda v: (theory.perturb_scale_printed if printed else theory.perturb_scale)(
            int(v["m"]), v["rho"], v["epsilon"], 0.0, "laplace")},
    )  # fmt: skip
    return as_computed(draft, "gamma", "scale of the noise, as it is computed", solved="" if printed else "-")


@certificate("publicdata.lemma9.privacy.laplace", "guarantee")
def lemma9_laplace_certificate() -> Draft:
    return hidden(True)


@certificate("publicdata.lemma9.privacy.laplace-exact", "guarantee")
def lemma9_laplace_exact_certificate() -> Draft:
    return hidden(False)


@certificate("publicdata.lemma9.privacy.gaussian-large-m", "box")
def lemma9_large_certificate() -> Draft:
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
        derivation=[(_MOVES[0] + " gamma/rho falls as rho grows, so a smaller rho has a smaller shift.", ["some"]),
                    ("(14) with equality is a quadratic equation for gamma.", ["delta"])],
        theory={"gamma_over_rho": lambda v: theory.perturb_scale_printed(
            int(v["m"]), v["rho"], v["epsilon"], v["delta"], "gaussian") / v["rho"]},
    )  # fmt: skip
