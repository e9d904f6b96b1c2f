"""Perturb (Algorithm 1): a function of f̄(Z) + γζ, whose centre moves; the scale of (14), and ranges of the search."""

from __future__ import annotations

import math
from collections.abc import Mapping

from dpbench.certificates.search.space import Real
from dpbench.privacy.profile import Profile, gaussian_profile

SHIFT = "f^ is a function of fbar(Z) + gamma zeta, whose centre moves by at most sqrt(m) rho"

Formulas = Mapping[str, str]
Conditions = Mapping[str, tuple[str, str]]
NONE: Conditions = {}
ANY_EPSILON, ANY_DELTA = Real("claimed", 1e-3, 20.0), Real("claimed", 1e-10, 0.5)
ANY_MU = Real("Gaussian shift that (epsilon, delta) allows", 1e-4, 30.0)
CALIBRATED = {"calibrated": ("gaussian_delta(mu, epsilon) <= delta", "mu is within (epsilon, delta)")}

SYMBOLS = {"n": "records", "m": "public points", "eta": "weight of the regulariser", "epsilon": "claimed",
            "delta": "claimed"}  # fmt: skip
SHIFTED: tuple[str, list[str]] = (
    "f^ is a function of fbar(Z) + gamma zeta, whose centre moves by at most sqrt(m) rho in l2, m rho in l1.",
    [],
)
RECORDED = {"records": ("n >= 1", "a record"), "eta": ("eta > 0", "the regulariser is there")}


def upper_shift(m: int, rho: float, gamma: float) -> Profile:
    """The guarantee of Perturb with Gaussian noise for ρ-stable f̄ and any class."""
    return gaussian_profile(math.sqrt(m) * rho / gamma, kind="upper", why=SHIFT)


def printed_scale(shift: str, root: str) -> str:
    """The printed scale of Perturb's noise, (14), for outputs `shift` apart; `root` is sqrt(log(1/delta))."""
    return f"(m*{shift}*{root}/4 + sqrt((m*{shift}*{root}/4)^2 + m*{shift}*epsilon/2))/epsilon"
