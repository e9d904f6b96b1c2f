"""Perturb (Algorithm 1): a function of f̄(Z) + γζ, whose centre moves; the scale of (14), and ranges."""

from __future__ import annotations

import math

from dpbench.ledger.statement import Integer, Real, Statement, calibrated, gaussian, grid, laplace
from dpbench.privacy.profile import Profile, gaussian_profile

SHIFT = "f^ is a function of fbar(Z) + gamma zeta, whose centre moves by at most sqrt(m) rho"

ANY_POINTS = Integer("public points", 1, 10**6)
CLAIMED = {"epsilon": Real("claimed", "1/1000", 20), "delta": Real("claimed", "1e-10", "1/2")}
"""ε and δ of the statements."""
MU = calibrated("gaussian", "epsilon", "delta")
SHIFTED = f"{SHIFT} in l2, m rho in l1."
ENOUGH = Statement(
    about="gamma = sqrt(m) rho/mu is enough for every class.",
    symbols={
        "m": ANY_POINTS,
        "rho": Real("distance of fbar and fbar' on the public points", 0, 2),
        **CLAIMED,
        "mu": MU,
    },
    where={"gamma": "sqrt(m)*rho/mu"},
    claim=gaussian(shift="sqrt(m)*rho", scale="gamma"),
    steps=(SHIFTED,),
    witness=grid(m=(1, 16, 1024), rho=("1/10",), epsilon=("1/10", 1, 4), delta=("1e-5",)),
    computed={"gamma": "scale of the noise"},
)
"""Perturb's noise against the shift that it hides."""
ENOUGH_LAPLACE = ENOUGH.replace(
    about="Laplace noise of the scale gamma = m rho/epsilon hides the whole l1 shift.",
    symbols={"delta": None, "mu": None},
    where={"gamma": "m*rho/epsilon"},
    claim=laplace(shift="m*rho", scale="gamma", epsilon="epsilon"),
    witness=grid(m=(1, 16, 1024), rho=("1/10",), epsilon=("1/10", 1, 4)),
)


def upper_shift(m: int, rho: float, gamma: float) -> Profile:
    """The guarantee of Perturb with Gaussian noise for ρ-stable f̄ and any class."""
    return gaussian_profile(math.sqrt(m) * rho / gamma, kind="upper", why=SHIFT)


def printed_scale(shift: str, root: str) -> str:
    """The printed scale of Perturb's noise, (14), for outputs `shift` apart; `root` is sqrt(log(1/delta))."""
    return f"(m*{shift}*{root}/4 + sqrt((m*{shift}*{root}/4)^2 + m*{shift}*epsilon/2))/epsilon"
