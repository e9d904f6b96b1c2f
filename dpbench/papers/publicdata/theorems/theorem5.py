"""Theorem 5 of the public-data paper: Gaussian anti-concentration, and (D), on which Corollary 1 rests too.

What holds, for any norms (here η is 1; m/η for m else). T finite, Ω = m + ω, ω(t) = <x_t, g> with g standard normal and
x_t distinct, d(s, t) = |x_s − x_t|, r > 0:

    P(some s has Ω(s) < Ω(t*) + (r/2)d(s, t*)²) ≤ r E sup ω.                                              (D)

Proof. a_t = m(t) − r|x_t|²/2 and G(u) = max_t(−<x_t, u> − a_t), with Moreau envelope G_r and p = prox_{rG}: ∇G_r(h) =
(h − p(h))/r lies in the convex hull of the −x_t. With C_t the set where t attains G, and M_t = C_t − r x_t, one has
h in M_t iff Ω(s) − Ω(t) ≥ (r/2)|x_s − x_t|² for all s at g = h; so the event is that g lies in no M_t. Space is, but
for null sets, a finite union of open sets on each of which p(h) has one active set I; there D²G_r = P_V/r, P_V the
projection on the span of the differences of {x_t : t in I}, and |I| = 1 means that h is in some M_t. So the Laplacian
of G_r is at least 1/r off the M_t, and nowhere negative, and by Stein's identity
P(g in no M_t) ≤ r E ΔG_r(g) = r E <g, ∇G_r(g)> ≤ r E max_t <g, −x_t> = r E sup ω. Compact T: finite dense subsets.

It gives (26) as printed where K(t, t) = 1 (K(s, t) ≤ 1 − ρ² iff d² ≥ 2ρ²; r = τ/ρ²); 2τ/(ρ⁴κ) E sup ω for any norms, κ
= inf K(t, t) (d ≥ ρ²|x_t|). Minimisers under means within τ: publicdata.prop1.inequality.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.special import ndtr

from dpbench.core.sampling import stream
from dpbench.ledger.measurement import Context, Rows
from dpbench.ledger.statement import Real, Statement, grid, inequality
from dpbench.papers.publicdata.theorems import corrections, paper
from dpbench.papers.publicdata.theorems.gaussian_processes import (
    ROOT_2PI,
    on_rays,
    planar_case,
    plane_supremum,
    units_of_the_plane,
)

TAU = 0.01


PRINTED = Statement(
    about="P(E(rho, tau)) <= {bound} for any K with kappa <= K(t, t) <= 1, rho2 = rho^2 and supremum = E sup omega.",
    symbols={
        "norm": Real("norm of the second point", "1/10", 1),
        "c": Real("correlation", "-99/100", 1),
        "tau": Real("gap", "1e-6", 10),
        "eta": Real("weight of the process", "1/100", 100),
    },
    where={
        "spread": "sqrt(1 - 2*norm*c + norm^2)",
        "rho2": "1 - norm*c",
        "kappa": "norm^2",
        "supremum": "spread/sqrt(2*pi)",
        "chance": "1/2 - erfc(tau/(eta*spread*sqrt(2)))/2",
        "bound": "tau/(rho2*eta*kappa^2)*supremum",
    },
    given={
        "apart": ("rho2 <= 1", "the points are not negatively correlated"),
        "two": ("spread > 0", "the points are two"),
    },
    claim=inequality("chance", "<=", "bound"),
    steps=(
        "omega at the points is N and norm (c N + sqrt(1 - c^2) N'), means 0: their difference has the deviation "
        "spread, E max is spread/sqrt(2 pi), and K(s, t*)/K(t*, t*) = norm c = 1 - rho^2 where the first point is the "
        "minimiser; then the other is within tau with the probability chance.",
    ),
    witness=tuple({"norm": a, "c": 1, "tau": "1/100", "eta": 1} for a in ("9/10", "4/5")),
)
EQUAL = PRINTED.replace(
    about="P(E(rho, tau)) <= {bound} where all K(t, t) are 1, rho2 = rho^2 and supremum = E sup omega.",
    region={"norm": "[1, 1]"},
    claim=inequality("2*chance", "<=", "bound"),
    steps=(*PRINTED.steps, "With equal norms either point may be the minimiser."),
    witness=None,
)
STEPS = EQUAL.replace(
    about="P(|A(t*)| > 0) <= (tau/(rho^2 eta^2 kappa^2)) E[Omega(t*) - m(t*)], which is (56): {bound} where m = 0.",
    where={"bound": "-tau/(rho2*eta)*supremum"},
    steps=(
        "m = 0: eta omega at the two points differs by a Gaussian of deviation eta spread; all points within tau of "
        "the minimum are both with the probability 2 chance, and E min eta omega = -eta supremum, which (56) "
        "multiplies by tau/(rho^2 eta^2 kappa^2), kappa = 1.",
    ),
    witness={"norm": 1, "c": "1/4", "tau": 1, "eta": 1},
)
MENDED = STEPS.replace(
    about=EQUAL.about,
    where={"bound": "tau/(rho2*eta)*supremum + (tau/rho2)^2/(2*eta^2)"},
    steps=EQUAL.steps,
    witness=None,
)


UNITS = grid(norm=(1,), c=("0.95", "0.5", 0), tau=("1e-4", "1/100", "3/10"), eta=(1,))
"""Two functions of norm 1."""


def near_minimal(points: np.ndarray, mean: np.ndarray, r: float) -> tuple[float, float]:
    """P(some s has Ω(s) < Ω(t*) + (r/2)d(s, t*)²), Ω(t) = mean_t + <x_t, g> in the plane; and what is open."""
    units = units_of_the_plane()
    needed = 0.5 * r * ((points[:, None, :] - points) ** 2).sum(axis=2)
    slopes = units @ points.T
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = slopes[:, :, None] - slopes[:, None, :]
        changes = (np.stack([needed, np.zeros_like(needed)])[None] - (mean[:, None] - mean)) / apart[:, None]

    def holds(radii: np.ndarray, units: np.ndarray) -> np.ndarray:
        values = mean + radii[:, :, None] * slopes[:, None, :]
        best = values.argmin(axis=2)
        lead = values - np.take_along_axis(values, best[:, :, None], axis=2)
        return np.asarray((lead < needed[best]).any(axis=2, where=np.arange(len(points)) != best[:, :, None]))

    return on_rays((units, changes.reshape(len(units), -1)), holds)


def any_norms(context: Context) -> Rows:
    """(D) on two points exactly and on sets in the plane by quadrature; its consequence on {N, aN} exactly."""
    for apart, r in product((0.1, 1.0, 2.0), (1e-3, 0.1, 1.0, 10.0)):
        # Ω(s) − Ω(t) is N(0, d²), and the event |Ω(s) − Ω(t)| < (r/2)d²
        chance = 1.0 - 2.0 * float(ndtr(-0.5 * r * apart))
        yield {"what": "two points", "r": r, "left": chance, "right": r * apart / ROOT_2PI}
    for a in (0.5, 0.8, 0.9):
        at = {"norm": a, "c": 1.0, "tau": TAU, "eta": 1.0}
        chance, bound = (PRINTED.number(w, **at) for w in ("chance", "2*tau/(rho2^2*kappa*eta)*supremum"))
        yield {"what": "{N, a N}", "r": a, "left": chance, "right": bound}
    rng = stream(context.seed, "publicdata.thm5.plane")
    for _ in range(context.pick(quick=12, full=100)):
        points, mean = planar_case(rng)
        r = float(10.0 ** rng.uniform(-2.0, 0.5))
        chance, unsure = near_minimal(points, mean, r)
        yield {"what": "plane", "r": r, "left": chance - unsure, "right": r * plane_supremum(points)}
    return (
        "value: smallest relative margin; 0 is two points as r falls",
        "plane: quadrature over 2,000 directions, radii exact; left is less by the difference of the rules of every "
        "second direction, as all sets come near the bound where r is small",
    )


paper.formula(
    "thm5",
    PRINTED,
    points=grid(norm=("0.5", "0.7", "0.9"), c=(1, "0.999999"), tau=("1/100",), eta=(1,)),
    source="Theorem 5, equation 26",
    expected="refuted",
    holds="publicdata.thm5.inequality.any-norms",
    weight="hypothesis",
    hurt="proof",
    quote=r"K(s,t)\leq\sqrt{K(s,s)\cdot K(t,t)}",
    consequence="For T = {N, 0.9 N} the probability is 0.0398 against a bound of 0.0061. With equal norms (26) stands, "
    "by another proof than the printed one; for any norms 2 tau/(rho^4 kappa eta) E sup omega holds, here 0.0985.",
    errata=corrections.THEOREM_5,
    because="The proof takes b(s) = (tau/rho^2)(1 - K(s,t)/K(t,t)) >= 0 from K(s,t) <= sqrt(K(s,s)K(t,t)), which says "
    "K(s,t) <= K(t,t) only where norms are equal. T = {N, a N}: both sides are closed forms.",
    rows={
        "equal-norms": {
            "points": UNITS,
            "source": "Theorem 5, where K(t, t) = 1 for all t",
            "expected": "not refuted",
            "statement": EQUAL,
            "because": "Not by the printed steps (publicdata.thm5.inequality.steps), which mended lose tau^2/(2 rho^4 "
            "eta^2): by (D) of this module, as K(s,t) <= 1 - rho^2 iff d^2 >= 2 rho^2. Two functions with correlation "
            "1 - rho^2 attain it: P(|N(0, 2 rho^2)| <= tau) against tau/(rho sqrt(pi)).",
        },
        "any-norms": {
            "measure": any_norms,
            "source": "Theorem 5, what holds for any norms",
            "expected": "not refuted",
            "statement": "P(some s has Omega(s) < Omega(t*) + (r eta/2) d(s,t*)^2) <= r E sup omega for every r > 0, "
            "whatever the norms; so P(E(rho, tau)) <= 2 tau/(rho^4 kappa eta) E sup omega with kappa = inf K(t, t).",
            "because": "(D) of this module, with its proof: the Laplacian of a Moreau envelope and Stein's identity. "
            "Two points attain it as r falls; three to five points of the plane by quadrature, and T = {N, a N} in "
            "closed form.",
        },
        "steps": {
            "points": UNITS,
            "source": "Proof of Theorem 5, equations 51 to 56",
            "expected": "refuted",
            "weight": "step",
            "hurt": "proof",
            "holds": "publicdata.thm5.inequality.equal-norms",
            "quote": r"1-e^{x}\leq x ... for all ... \leq q_{t}(y)\left(\frac{(y-m(t))^{2}}{2\eta^{2}K(t,t)}-\frac{"
            r"\left(y-m(t)-\frac{\tau}{\rho^{2}}\right)^{2}}{2\eta^{2}K(t,t)}\right) ... =\frac{\tau}{\rho^{2}"
            r"\eta^{2}\kappa^{2}}\cdot\mathbb{E}\left[\Omega(t^{\star})-m(t^{\star})\right]",
            "consequence": "The proof of Theorem 5 bounds a probability by a negative number: for two independent "
            "standard normals and tau = 0.01 the probability is +0.005642 and (56) is -0.005642. (26) itself stands "
            "for equal norms, by another proof.",
            "errata": corrections.THEOREM_5,
            "statement": STEPS,
            "because": "(51) uses 1 - e^x <= x, false for x < 0. t* is a minimiser: at m = 0 the right side is "
            "negative. Two unit functions of correlation 1 - rho^2: P = P(|N(0, 2 rho^2)| <= tau), E min = "
            "-rho/sqrt(pi).",
        },
        "steps-mended": {
            "points": UNITS,
            "source": "Proof of Theorem 5, equations 51 to 57 mended, K(t, t) = 1",
            "expected": "not refuted",
            "statement": MENDED,
            "because": "1 - e^x <= -x with x = c omega/eta - c^2/(2 eta^2) at t*: what the printed route gives.",
        },
    },
)
