"""Perturb (Algorithm 1): a function of f̄(Z) + γζ, whose centre moves; the scale of (14), and ranges."""

from __future__ import annotations

import math

from dpbench.ledger.statement import Integer, Real, calibrated
from dpbench.privacy.profile import Profile, gaussian_profile

SHIFT = "f^ is a function of fbar(Z) + gamma zeta, whose centre moves by at most sqrt(m) rho"

ANY_POINTS = Integer("public points", 1, 10**6)
CLAIMED = {"epsilon": Real("claimed", "1/1000", 20), "delta": Real("claimed", "1e-10", "1/2")}
"""ε and δ of the statements."""
MU = calibrated("gaussian", "epsilon", "delta")
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
