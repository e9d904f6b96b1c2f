"""Lemmas 3 and 9 of the public-data paper: Perturb's privacy at a few and at many public points."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from dpbench.ledger.harness import profiles, summary
from dpbench.ledger.measurement import Context, Evidence, Row, Rows
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.clipped import clipped_gaussians
from dpbench.papers.publicdata.theorems import paper
from dpbench.privacy.profile import Profile, gaussian_profile, laplace_profile, pure_profile

DELTA = 1e-5
EPSILONS = (0.1, 1.0, 4.0)
RHOS = (1e-3, 0.1, 2.0)
MANY = (16, 64, 256, 1024)
_SHIFT = "f^ is a function of fbar(Z) + gamma zeta, whose centre moves by at most sqrt(m) rho"


def upper_shift(m: int, rho: float, gamma: float) -> Profile:
    """The guarantee of Perturb with Gaussian noise for ρ-stable f̄ and any class."""
    return gaussian_profile(math.sqrt(m) * rho / gamma, kind="upper", why=_SHIFT)


def line_pair(m: int, rho: float, gamma: float) -> Profile:
    """The exact profile of a pair in the class of all functions with f̄ − f̄' = ρ at every public point."""
    return gaussian_profile(math.sqrt(m) * rho / gamma, kind="exact", why="F is not bounded: f^ = fbar + gamma zeta")


_DROPS = (
    "(97) replaces m/(2 gamma^2)(2<u, v>_m + |v|_m^2), |v|_m = rho, by (1 + |u|_m)rho, which drops the factor 2 of the "
    "cross term; and P(|gamma zeta|_m > gamma sqrt(log(1/delta))) <= delta is false for few points (m = 1: a normal "
    "tail beyond 3.39 is 70 times 1e-5). "
)
_EXACT = (
    "Releasing any function of fbar(Z) + gamma zeta, with |fbar - fbar'|_m <= rho: the centre moves by at most "
    "sqrt(m) rho in l2 and m rho in l1. "
)


@paper.privacy(
    "lemma9", variant="gaussian-small-m", source="Lemma 9, equation 87", expected="refuted",
    holds="publicdata.lemma9.privacy.gaussian-exact",
    statement="For any delta > 0, any m, any fbar, fbar' in F: P(G) <= exp(m/(2 gamma^2)(1 + gamma "
    "sqrt(log(1/delta)))rho) P'(G) + delta.",
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
    "lemma9", variant="gaussian-large-m", source="Lemma 9, equation 87, for m >= 8 and epsilon <= 1",
    expected="proved",
    statement="For m >= 8, delta <= 1/2 and an exponent epsilon <= 1 in (87), Perturb is (epsilon, delta)-DP for every "
    "F, gamma and rho; and for m >= 9 and epsilon <= (m - sqrt(8 m)) log(1/delta)/2.",
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
            shift = gaussian_profile(mu, kind="upper", why=_SHIFT)
            yield {"m": float(m), "epsilon": epsilon, "delta": delta, "guarantee": shift}
    gamma, exact = (f(1024, 0.1, 1.0, DELTA, "gaussian") for f in (theory.perturb_scale_printed, theory.perturb_scale))
    return (f"gamma of (14) over the least gamma at m = 1024, epsilon = 1, delta = {DELTA:g}: {gamma / exact:.1f}",)


@paper.privacy(
    "lemma9", variant="gaussian-exact", source="Lemma 9, with the exact shift", expected="proved",
    arguments={"noise": "gaussian"},
    statement="gamma = sqrt(m) rho/mu(epsilon, delta) makes Perturb (epsilon, delta)-DP for every class and every m, "
    "and no smaller gamma does.",
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
    exact, "laplace-exact", expected="proved", arguments={"noise": "laplace"},
    statement="gamma = m rho/epsilon makes Perturb with Laplace noise epsilon-DP for every class.",
    because=_EXACT + "Attained at one public point.",
)


@paper.privacy(
    "lemma9", variant="laplace", source="Lemma 9, equation 88", expected="proved",
    statement="Perturb with Q = Lap(1) and gamma = m^(3/2) rho/epsilon is epsilon-DP.",
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
    "lemma3", variant="gaussian", source="Lemma 3, equation 14", expected="refuted",
    holds="publicdata.lemma9.privacy.gaussian-exact",
    statement="gamma with m/(2 gamma^2)(1 + gamma sqrt(log(1/delta))) rho <= epsilon makes Perturb of a rho-stable "
    "algorithm (epsilon, delta)-DP.",
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
    "lemma3", variant="laplace", source="Lemma 3, equation 15", expected="refuted",
    holds="publicdata.lemma9.privacy.laplace",
    statement="Perturb with Q = Lap(gamma), m^(3/2) rho/gamma <= epsilon, is epsilon-DP.",
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
