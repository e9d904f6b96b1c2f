"""Theorems 1, 2 and 10 of the GLM paper and Corollary 2: noisy gradient descent and the JL method."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from scipy.stats import chi2

from dpbench.certificates.build import Draft, Number, Shown, as_computed, below, certificate, near
from dpbench.papers.glm import theory
from dpbench.papers.glm.spaces import QUESTIONS
from dpbench.privacy import gaussian

_GD = {
    "n": "number of records, and of steps T", "epsilon": "claimed", "delta": "claimed", "H": "smoothness",
    "end": "B, the end of the loss's linear part", "d": "dimension",
}  # fmt: skip


def _pair(n: int, epsilon: float, delta: float, end: float) -> float:
    """P(E) − e^ε Q(E) of the averages alone, before what the projection may cost."""
    y = math.sqrt(0.5 + end)
    gradient = theory.smooth_gradient_bound(1.0, 1.0, y, end)
    sigma = theory.noisy_gd_noise(gradient, n, n, epsilon, delta)
    distance = 2.0 / n * math.sqrt(n - 1.0) * math.sqrt(6.0 * n / (4.0 * (2.0 * n - 1.0)))
    return gaussian.delta(epsilon, distance / sigma)


def printed() -> Draft:
    """The capped-linear loss, whose gradients come near G/√2, and the average of the iterates alone."""
    n, end = 1001, Fraction(1, 1000)
    instances: list[tuple[dict[str, Number], dict[str, Shown]]] = []
    for epsilon, power in ((35, 2), (42, 3), (50, 5)):
        values: dict[str, Number] = {"half": n // 2, "epsilon": epsilon, "delta": Fraction(1, 10**power), "H": 1,
                                     "end": end, "d": 1}  # fmt: skip
        shown = _pair(n, float(epsilon), 10.0**-power, float(end))
        if shown > 10.0**-power:
            instances.append((values, {"delta": shown}))
    symbols = {**_GD, "half": "pairs of records that cancel"}
    del symbols["n"]
    return Draft(
        verdict="refuted",
        statement="The average of the iterates on a pair of data sets is beyond (epsilon, delta) for large epsilon.",
        symbols=symbols,
        definitions={
            "n": "2*half + 1",
            "T": "n",
            "Y": "sqrt(1/2 + end)",
            "G": "2*Y*sqrt(H) + 2*H*end",
            "sigma": QUESTIONS["glm.cor2.privacy.printed"].all_definitions["sigma"],
            "eta": QUESTIONS["glm.cor2.privacy.printed"].all_definitions["eta"],
            "room": "end - eta*(T - 1)/n",
            "reach": "room/(eta*sigma*sqrt(T - 1))",
            "kappa": "2*gammatail(d/2, reach^2/2)",
            "average": "sqrt(6*T/(4*(2*T - 1)))",
        },
        assumptions={
            "records": ("half >= 1", "the other records cancel in pairs"),
            "room": ("room > 0", "the drift alone stays in the ball"),
            "loss": ("H = 1", "the smoothness of the loss below"),
        },
        claim={"family": "gaussian", "shift": "2/n*sqrt(T - 1)*average", "scale": "sigma", "epsilon": "epsilon",
               "delta": "delta + (1 + exp(epsilon))*kappa"},
        instances=instances,
        derivation=[
            ("Loss with slope -y up to B in the direction of y, (|y| - (u - B))^2/2 beyond: convex, non-negative, "
             "1-smooth, at zero 1/2 + B = Y^2 for labels +-1; on the ball its gradients are -y x.", ["loss"]),
            ("Records (e, +1) and (e, -1) in turn, the last (e, +1) or (e, -1), X = 1: mean gradients -+e/n at every "
             "step.", ["records"]),
            ("Without projections the average of w_1..w_T is Gaussian; the distance of its means over its standard "
             "deviation is (2/n) sqrt(T - 1)/sigma times sqrt(6T/(4(2T - 1))).", []),
            ("A projection is ever active with probability at most kappa (Levy's inequality for the largest partial "
             "sum), which costs at most (1 + e^epsilon) kappa of delta.", ["room"]),
        ],
        theory={
            "G": lambda v: theory.smooth_gradient_bound(v["H"], 1.0, math.sqrt(0.5 + v["end"]), v["end"]),
            "sigma": lambda v: theory.noisy_gd_noise(
                theory.smooth_gradient_bound(v["H"], 1.0, math.sqrt(0.5 + v["end"]), v["end"]),
                int(2 * v["half"] + 1), int(2 * v["half"] + 1), v["epsilon"], v["delta"]),
        },
    )  # fmt: skip


@certificate("glm.thm1.privacy.printed", "pair-shift")
def theorem1_printed() -> Draft:
    return printed()


@certificate("glm.cor2.privacy.printed", "pair-shift")
def corollary2_printed() -> Draft:
    return printed()


def exact(projected: bool) -> Draft:
    """T − 1 Gaussian steps, each with shift D/n over σ: one Gaussian shift (D/n)√(T−1)/σ."""
    instances = []
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4), Fraction(16)):
        for power in (3, 6):
            delta = Fraction(1, 10**power)
            mu = below(gaussian.mu(float(epsilon), float(delta)))
            values = {"n": 11, "T": 11, "D": 2, "epsilon": epsilon, "delta": delta, "mu": mu}
            instances.append((values, {"delta": gaussian.delta(float(epsilon), float(mu))}))
    clipped = " over the ball of radius 2B and projected features cut to norm (1 + alpha) X" if projected else ""
    draft = Draft(
        verdict="proved",
        statement="With sigma = (D/n) sqrt(T - 1)/mu all iterates together are within (epsilon, delta).",
        symbols={"n": "number of records", "T": "iterates, of which T - 1 are noisy",
                 "D": f"largest distance of two records' gradients{clipped}", "epsilon": "claimed", "delta": "claimed",
                 "mu": "shift of the Gaussian profile, at most the largest that (epsilon, delta) allows"},
        definitions={"sigma": "D*sqrt(T - 1)/(n*mu)"},
        assumptions={"steps": ("T >= 2", "there is a noisy step"), "shift": ("mu > 0", "the noise is finite")},
        claim={"family": "gaussian", "shift": "D/n*sqrt(T - 1)", "scale": "sigma", "epsilon": "epsilon",
               "delta": "delta"},
        instances=instances,
        derivation=[
            ("Each step releases a mean gradient that one record moves by at most D/n, with Gaussian noise; T - 1 "
             "adaptive steps compose to one Gaussian shift (D/n) sqrt(T - 1)/sigma (Dong, Roth and Su 2019).",
             ["steps"]),
            ("The output is a function of the iterates. The profile falls with sigma, so a smaller mu is as good.",
             ["shift"]),
            *([("The map is drawn without the data and the cut bounds every projected feature, whatever the map.", [])]
              if projected else []),
        ],
    )  # fmt: skip
    return as_computed(draft, "sigma", "standard deviation of the noise, as it is computed", solved="mu")


@certificate("glm.thm1.privacy.exact", "guarantee")
def theorem1_exact() -> Draft:
    return exact(False)


@certificate("glm.thm2.privacy.exact", "guarantee")
def theorem2_exact() -> Draft:
    return exact(True)


@certificate("glm.thm10.privacy.exact", "guarantee")
def theorem10_exact() -> Draft:
    return exact(True)


@certificate("glm.thm10.privacy.printed", "mixture")
def theorem10_printed() -> Draft:
    """Everything as printed at (72, 0.1), n = 3: the output's profile, averaged over the map's stretch."""
    n, epsilon, delta = 3, 72.0, 0.1
    steps = n * n
    k = math.ceil(theory.lipschitz_jl_dimension(n, epsilon, delta))
    sigma = theory.lipschitz_jl_noise(1.0, 1.0, steps, n, epsilon, delta)
    mu = 2.0 / n * math.sqrt(steps - 1) / sigma * math.sqrt(6.0 * steps / (4.0 * (2.0 * steps - 1.0)))
    edges = [*(near(r, 3) for r in np.linspace(0.75, 1.25, 26)), Fraction(8, 5)]
    tails = [float(chi2.sf(k * float(r) ** 2, k)) for r in edges]
    cells = [a - b for a, b in zip(tails, [*tails[1:], 0.0], strict=True)]
    shown = math.fsum(c * gaussian.delta(epsilon, mu * float(r)) for c, r in zip(cells, edges, strict=True))
    return Draft(
        verdict="refuted",
        statement="The output on a pair of data sets, everything as printed, is beyond (72, 1/10) on average over the "
        "map's stretch of the one direction that counts.",
        symbols={"r": "|Phi u| of a unit vector u", "n": "number of records", "G": "Lipschitz constant of the loss",
                 "X": "bound on the features' norm", "B": "radius", "k": "projected dimension",
                 "epsilon": "claimed", "delta": "claimed", "longest": "last edge of the partition"},
        definitions={
            "T": "n^2",
            "sigma": "sqrt(8*T*G^2*X^2*log(2/delta)/(n^2*epsilon^2))",
            "eta": "B/(G*X*(1 + sqrt(k*log(2/delta))/(n*epsilon))*T^(3/4))",
            "mu": "2*G*X/n*sqrt(T - 1)/sigma*sqrt(6*T/(4*(2*T - 1)))",
            "room": "2*B - eta*(T - 1)*G*X/n*longest",
            "reach": "room/(eta*sigma*sqrt(T - 1))",
            "kappa": QUESTIONS["glm.thm10.privacy.printed"].all_definitions["kappa"],
        },
        assumptions={
            "k": ("k >= log(2*n/delta)*n*epsilon", "the printed dimension, its constant 1"),
            "k_least": ("k < log(2*n/delta)*n*epsilon + 1", "rounded up"),
            "room": ("room > 0", "the drift alone stays in the ball of radius 2B"),
            "half": ("n >= 3", "the other records cancel in pairs"),
        },
        claim={"variable": "r", "partition": [str(e) for e in edges], "profile": "gaussian_delta(mu*r, epsilon)",
               "tail": "gammatail(k/2, k*r^2/2)", "epsilon": "epsilon", "delta": "delta + (1 + exp(epsilon))*kappa"},
        instances=[({"n": n, "G": 1, "X": 1, "B": 1, "k": k, "epsilon": 72, "delta": Fraction(1, 10),
                     "longest": edges[-1]}, {"delta": shown})],
        derivation=[
            ("Loss -G y <w, x>; records (X u, +1) and (X u, -1) in turn, the last (X u, +1) or (X u, -1): mean "
             "gradients "
             "-+G X Phi u/n at every step.", ["half"]),
            ("For each map the averaged output differs by a Gaussian shift mu r along Phi u, r = |Phi u|, with one "
             "event best for all r: the profile is E delta(epsilon; mu r), r^2 chi-squared over k for the normal map. "
             "It grows with r between the edges too.", ["k", "k_least"]),
            ("A projection is ever active with probability at most 2 P(chi^2_k > reach^2), for r up to the last edge; "
             "this and longer r cost at most (1 + e^epsilon) kappa.", ["room"]),
        ],
        theory={
            "sigma": lambda v: theory.lipschitz_jl_noise(
                v["G"], v["X"], int(v["n"]) ** 2, int(v["n"]), v["epsilon"], v["delta"]),
            "eta": lambda v: theory.lipschitz_jl_step_size(
                v["G"], v["X"], v["B"], int(v["n"]) ** 2, int(v["n"]), int(v["k"]), v["epsilon"], v["delta"]),
        },
    )  # fmt: skip


@certificate("glm.thm10.privacy.moderate", "guarantee")
def theorem10_moderate() -> Draft:
    """Printed σ and k: twice the chance of a long projection, and the Gaussian profile on all others."""
    instances = []
    for n, epsilon, power in ((11, 1, 5), (11, 4, 5), (101, 6, 3), (101, 1, 2)):
        delta, steps = Fraction(1, 10**power), n * n
        k = math.ceil(theory.lipschitz_jl_dimension(n, float(epsilon), float(delta)))

        def bound(a: float, k: int = k, steps: int = steps, epsilon: int = epsilon, power: int = power) -> float:
            mu = (1.0 + a) * epsilon * math.sqrt((steps - 1) / steps / (2.0 * math.log(2.0 * 10.0**power)))
            return 2.0 * float(chi2.sf(k * (1.0 + a) ** 2, k)) + gaussian.delta(float(epsilon), mu)

        a = near(min(np.geomspace(0.01, 2.0, 400), key=bound), 3)
        values = {"n": n, "k": k, "epsilon": epsilon, "delta": delta, "G": 1, "X": 1, "a": a}
        instances.append((values, {"delta": bound(float(a))}))
    draft = Draft(
        verdict="proved",
        statement="With the printed noise and the printed k the iterates are within (epsilon, delta) at these values.",
        symbols={
            "n": "number of records", "k": "rows of the map", "epsilon": "claimed", "delta": "claimed",
            "G": "Lipschitz constant of the loss", "X": "bound on the features' norm",
            "a": "how much longer than X a projection may be, any a > 0",
        },
        definitions={
            "T": "n^2", "sigma": "sqrt(8*T*G^2*X^2*log(2/delta))/(n*epsilon)",
            "mu": "2*G*(1 + a)*X/n*sqrt(T - 1)/sigma",
            "long": "gammatail(k/2, k*(1 + a)^2/2)",
        },
        assumptions={"a": ("a > 0", "a split of the outcomes of the map"),
                     "k": ("k >= log(2*n/delta)*n*epsilon", "the printed number of rows")},
        claim={"family": "bound", "shift": "2*long + gaussian_delta(mu, epsilon)", "scale": "1", "epsilon": "epsilon",
               "delta": "delta"},
        instances=instances,
        derivation=[
            ("The map does not depend on the data, so it may be thought released; only the two records that differ "
             "count. |Phi x|^2/|x|^2 is chi-squared over k: either projection is longer than (1 + a) X with the "
             "chance long.",
             ["a", "k"]),
            ("On all other maps the gradients of two neighbours differ by at most 2 G (1 + a) X/n at each of the T - 1 "
             "noisy steps: together one Gaussian shift of mu.", []),
        ],
        theory={"sigma": lambda v: theory.lipschitz_jl_noise(
            v["G"], v["X"], int(v["n"]) ** 2, int(v["n"]), v["epsilon"], v["delta"])},
    )  # fmt: skip
    return as_computed(draft, "sigma", "standard deviation of the noise, as printed")
