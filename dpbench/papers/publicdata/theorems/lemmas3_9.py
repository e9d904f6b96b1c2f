"""Lemmas 3 and 9 of the public-data paper: Perturb's privacy at a few and at many public points."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import profiles, summary
from dpbench.ledger.measurement import Context, Evidence, Row, Rows
from dpbench.ledger.statement import Integer, Real, Statement, event, inequality
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.clipped import clipped_gaussians
from dpbench.papers.publicdata.theorems import corrections, paper
from dpbench.papers.publicdata.theorems.perturb_shift import (
    CLAIMED,
    ENOUGH,
    ENOUGH_LAPLACE,
    MU,
    SHIFT,
    SHIFTED,
    upper_shift,
)
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

LEMMA_3 = Statement(
    about="gamma with m/(2 gamma^2)(1 + gamma sqrt(log(1/delta))) rho <= epsilon makes Perturb of a rho-stable "
    "algorithm {claim}.",
    symbols={
        "m": Integer("public points", 1, 10**4),
        "rho": Real("distance of fbar and fbar' in the norm of the public points", "1e-4", 2),
        "gamma": Real("scale of the noise", "1e-3", 10**6),
        "t": Real("threshold of the event f^ <= t", -1, 1),
        "delta": CLAIMED["delta"],
    },
    region={"t": "[-1, 1)"},
    where={"epsilon": "m/(2*gamma^2)*(1 + gamma*sqrt(log(1/delta)))*rho", "sd": "gamma/sqrt(m)"},
    claim=event(p="erfc((1 - rho - t)/(sd*sqrt(2)))/2", q="erfc((1 - t)/(sd*sqrt(2)))/2"),
    steps=(
        "F the constants in [-1, 1]: Perturb releases fbar plus the mean of gamma zeta, Gaussian with standard "
        "deviation gamma/sqrt(m), cut to [-1, 1]; fbar = 1 and fbar' = 1 - rho, |fbar - fbar'|_m = rho.",
        "f^ <= t < 1 iff the uncut value is.",
    ),
    witness=tuple(
        {"m": 1, "rho": rho, "gamma": gamma, "t": t, "delta": "1e-5"}
        for rho, gamma, t in (("1/10", "0.324", "-0.0997"), ("1/5", "0.5286", "-0.497"))
    ),
)
LEMMA_9 = LEMMA_3.replace(
    about="For any delta > 0, any m, any fbar, fbar' in F: P(G) <= exp(m/(2 gamma^2)(1 + gamma sqrt(log(1/delta)))rho) "
    "P'(G) + delta.",
    region={"m": "[1, 7]"},
    witness={"m": 1, "rho": "1/10", "gamma": 1, "t": -1, "delta": "1e-5"},
)
MANY_POINTS = LEMMA_3.replace(
    about="For m >= 8, delta <= 1/2 and an exponent epsilon <= 1 in (87), Perturb is {claim} for every F, gamma and "
    "rho; and for m >= 9 and epsilon <= (m - sqrt(8 m)) log(1/delta)/2.",
    region={"m": "[8, inf)"},
    given={"one": ("epsilon <= 1", "the exponent of (87)")},
    witness=None,
)
SIXTEEN = Statement(
    about="At 16 public points and delta = 1e-5 the gamma of (14) is enough for all epsilon in [1/10, 4] and rho.",
    symbols={"epsilon": Real("claimed", "1/10", 4), "rho": Real("distance of fbar and fbar'", "1/1000", 2)},
    where={
        "m": "16",
        "delta": "1/10^5",
        "root": "sqrt(log(1/delta))",
        "over": "(m*root/4 + sqrt((m*root/4)^2 + m*epsilon/(2*rho)))/epsilon",
    },
    claim=inequality("gaussian_delta(sqrt(m)/over, epsilon)", "<=", "delta"),
    steps=(SHIFTED, "(14) with equality is a quadratic equation for gamma = rho over; over falls as rho grows."),
    cells=400,
)
EXACT = LEMMA_3.replace(
    about="gamma = sqrt(m) rho/mu(epsilon, delta) makes Perturb {claim} for every class and every m, and for functions "
    "of any range no smaller gamma does.",
    symbols={"epsilon": CLAIMED["epsilon"], "mu": MU},
    where={"epsilon": None},
    given={"enough": ("gamma >= sqrt(m)*rho/mu", "what is asked of gamma")},
    witness=None,
)
LAPLACE_9 = Statement(
    about="Perturb with Q = Lap(1) and gamma = m^(3/2) rho/epsilon is {claim}.",
    symbols={
        "m": Integer("public points", 1, 1),
        "rho": Real("distance of fbar and fbar'", "1e-6", 2),
        "epsilon": CLAIMED["epsilon"],
    },
    where={"gamma": "m^(3/2)*rho/epsilon", "scale": "gamma"},
    claim=event(p="1/2", q="exp(-rho/scale)/2", epsilon="epsilon"),
    steps=(
        "F the constants in [-1, 1], one public point; fbar = 1 and fbar' = 1 - rho. f^ = 1 iff fbar plus a Laplace "
        "variable of that scale is at least 1.",
    ),
)
LAPLACE_EXACT = LAPLACE_9.replace(
    about="gamma = m rho/epsilon makes Perturb with Laplace noise {claim} for every class.",
    where={"gamma": "m*rho/epsilon"},
)
LAPLACE_3 = LAPLACE_9.replace(
    about="Perturb with Q = Lap(gamma), m^(3/2) rho/gamma <= epsilon, is {claim}.",
    where={"scale": "gamma^2"},
    witness=tuple({"m": 1, "rho": rho, "epsilon": 1} for rho in ("1/100", "1/10", "1/2")),
)


def line_pair(m: int, rho: float, gamma: float) -> Profile:
    """The exact profile of a pair in the class of all functions with f̄ − f̄' = ρ at every public point."""
    return gaussian_profile(math.sqrt(m) * rho / gamma, kind="exact", why="F is not bounded: f^ = fbar + gamma zeta")


def both_pairs(epsilon: float, free: Profile, clipped: Profile, **columns: float) -> list[Row]:
    """Rows of the two pairs at (ε, `DELTA`), with the columns and the ratio of true to claimed δ."""
    claimed = columns | {"epsilon": epsilon, "delta": DELTA}
    return [
        claimed | {"functions": name, "pair": pair, "delta_ratio": pair.delta(epsilon) / DELTA}
        for name, pair in (("of any range", free), ("into [-1, 1]", clipped))
    ]


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


def printed_laplace(context: Context) -> Rows:
    """(15) with Perturb's noise γ·Lap(1): the ℓ1 shift is at most mρ, and the lemma pays m^{3/2}ρ."""
    for m, epsilon, rho in product((1, *MANY), EPSILONS, RHOS):
        gamma = theory.perturb_scale_printed(m, rho, epsilon, 0.0, "laplace")
        guarantee = pure_profile(m * rho / gamma / (1.0 + 1e-12), why="l1 shift at most m rho")
        ratio = gamma / theory.perturb_scale(m, rho, epsilon, 0.0, "laplace")
        yield {"epsilon": epsilon, "delta": 0.0, "guarantee": guarantee, "noise_ratio": ratio}
    return summary(f"value: gamma of (15) over the one needed, largest at m = {MANY[-1]}: sqrt(m)", value="noise_ratio")


@paper.privacy(
    "lemma9",
    row="gaussian-small-m",
    source="Lemma 9, equation 87",
    expected="refuted",
    holds="publicdata.lemma9.privacy.gaussian-exact",
    statement=LEMMA_9,
    weight="range",
    hurt="corner: m <= 7 public points; shown at m = 1, where the true delta is 38 times the claimed 1e-5",
    quote=r"e^{\frac{m}{2\gamma^{2}}\left(1+\gamma\cdot\sqrt{\log\left(\frac{1}{\delta}\right)}\right)\cdot\left\|\bar{"
    r"f}-\bar{f}^{\prime}\right\|_{m}}",
    consequence="At m = 1, gamma = 1 and rho = 0.1 the true delta is 38 times the claimed 1e-5 for functions into "
    "[-1, 1]. The lemma holds for m >= 8 and delta <= 1/2 where the exponent is at most 1, and for functions of any "
    "range m = 7 is not enough.",
    errata=corrections.FEW_POINTS,
    because=_DROPS + "Exact profiles: unbounded F gives a Gaussian pair sqrt(m) rho/gamma apart, constants in [-1, 1] "
    "the clipped pair with two atoms.",
    rows={
        "gaussian-large-m": {
            "measure": large_m,
            "source": "Lemma 9, equation 87, for m >= 8 and epsilon <= 1",
            "expected": "proved",
            "statement": MANY_POINTS,
            "formulas": SIXTEEN,
            "because": _EXACT
            + "With the exponent epsilon, mu = sqrt(m) rho/gamma is at most 2 epsilon/sqrt(m log(1/delta)), and "
            "the more the larger gamma is. At that mu the true delta over the claimed one falls with m and with "
            "log(1/delta), and is 0.155 at m = 8, epsilon = 1, delta = 1/2; the lemma's own proof does not hold. m = "
            "8 is the least: at m = 7 epsilon = 1 fails for small delta.",
        },
        "gaussian-exact": {
            "measure": exact,
            "source": "Lemma 9, with the exact shift",
            "expected": "proved",
            "arguments": {"noise": "gaussian"},
            "statement": EXACT,
            "formulas": ENOUGH,
            "because": _EXACT + "Attained by the class of all functions, of any range.",
        },
        "laplace-exact": {
            "measure": exact,
            "source": "Lemma 9, with the exact shift",
            "expected": "proved",
            "arguments": {"noise": "laplace"},
            "statement": LAPLACE_EXACT,
            "formulas": ENOUGH_LAPLACE,
            "because": _EXACT + "Attained at one public point.",
        },
        "laplace": {
            "measure": printed_laplace,
            "source": "Lemma 9, equation 88",
            "expected": "proved",
            "statement": LAPLACE_9,
            "formulas": ENOUGH_LAPLACE.replace(
                about="The scale gamma of (88) hides the whole l1 shift.", where={"gamma": LAPLACE_9.where["gamma"]}
            ),
            "quote": r"\leq e^{\frac{m^{3/2}}{\gamma}\cdot\left\|\bar{f}^{\prime}-\bar{f}\right\|_{m}}",
            "because": _EXACT
            + "(101) bounds the l1 norm by m^(3/2) rho where m rho suffices (|.|_m is already a mean).",
        },
    },
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
        f"(fbar, fbar' = 0.9, 1); {rows[0]['delta_ratio']:.1f} for functions of any range",
        f"functions of any range, epsilon = 1, delta = {tiny:g}, gamma large: {last[7]:.3g} at m = 7, {last[8]:.3g} "
        "at m = 8",
        value=max(row["delta_ratio"] for row in rows[1::2]),
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


@paper.privacy(
    "lemma3",
    row="gaussian",
    source="Lemma 3, equation 14",
    expected="refuted",
    holds="publicdata.lemma9.privacy.gaussian-exact",
    statement=LEMMA_3,
    weight="range",
    hurt="corner: m <= 7 public points or epsilon > 1; shown at m = 1, epsilon = 1, delta = 1e-5",
    quote=r"\frac{m}{2\gamma^{2}}\left(1+\gamma\cdot\sqrt{\log\left(\frac{1}{\delta}\right)}\right)\rho\leq"
    r"\varepsilon.",
    consequence="At m = 1, epsilon = 1 and rho = 0.36 the true delta is 245 times the claimed 1e-5 (constants in "
    "[-1, 1]), and the ratio grows without bound as delta falls. True for m >= 8, epsilon <= 1 and delta <= 1/2: see "
    "publicdata.lemma9.privacy.gaussian-large-m.",
    errata=corrections.FEW_POINTS,
    because=_DROPS + "At m = 1 the output is fbar + gamma zeta, or that clipped.",
    rows={
        "laplace": {
            "measure": lemma3_laplace,
            "source": "Lemma 3, equation 15",
            "expected": "refuted",
            "holds": "publicdata.lemma9.privacy.laplace",
            "statement": LAPLACE_3,
            "weight": "misprint",
            "hurt": "letter",
            "quote": r"\mathcal{Q}=Lap(\gamma) ... \frac{m^{3/2}}{\gamma}\cdot\rho\leq\varepsilon.",
            "consequence": "Algorithm 1 multiplies by gamma itself: with Q = Lap(gamma) the noise has scale gamma^2, "
            "which for gamma = 0.01 gives epsilon = 100 for 1. Lemma 9 has Lap(1).",
            "errata": Correction(place="Lemma 3, equation 15", effect=1, change="for Q = Lap(gamma) read Q = Lap(1)"),
            "because": "Algorithm 1 multiplies by gamma what it draws from Q, so the noise has the scale gamma^2, too "
            "little where gamma < 1. Lemma 9 has Q = Lap(1).",
        },
    },
)
def lemma3_gaussian(context: Context) -> tuple[str, Evidence]:
    """γ from (14) at ε = 1: the exact δ of a pair of constants, clipped and not."""
    rows: list[Row] = []
    for rho in (0.01, 0.1, 0.36, 0.5, 1.0, 2.0):
        gamma = theory.perturb_scale_printed(1, rho, 1.0, DELTA, "gaussian")
        cut_pair = clipped_gaussians(1.0 - rho, 1.0, gamma)
        rows += both_pairs(1.0, line_pair(1, rho, gamma), cut_pair, rho=rho, gamma=gamma)
    free, cut = (max(row["delta_ratio"] for row in rows[start::2]) for start in (0, 1))
    return profiles(
        rows,
        f"value: largest true delta over the claimed {DELTA:g}, m = 1, epsilon = 1, constants in [-1, 1]; {free:.0f} "
        "for functions of any range",
        value=cut,
    )
