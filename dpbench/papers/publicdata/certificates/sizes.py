"""Sample sizes of Theorems 3 and 7 of the public-data paper, and Lemmas 12 and 15 and Theorem 9 as printed."""

from __future__ import annotations

import math
from fractions import Fraction

from dpbench.certificates.build import Draft, as_computed, certificate, near, without_bound
from dpbench.papers.publicdata import theory_settings
from dpbench.papers.publicdata.spaces import QUESTIONS
from dpbench.privacy import gaussian

ALPHA, BETA, LIPSCHITZ = Fraction(1, 8), Fraction(1, 20), Fraction(1, 2)
_RATE = "2/sqrt(pi)*z/epsilon*exp(-z^2)"
_MOVED: tuple[str, list[str]] = (
    "F = {t phi: |t| <= 1}, phi = 1 at x0 and a at the public point; records at x0 with balanced labels: one record "
    "moves fbar from -phi to phi, and the chance of f^ = phi goes from 1/2 to Phi(-2/s), s = 2 gamma sqrt(eta n/m). "
    "So s = 3/(2 epsilon), and any smaller, breaks (epsilon, delta) where 1 - e^epsilon erfc(z) > 2 delta, "
    "z = sqrt(2)/s. As e^epsilon <= 1 + epsilon + epsilon^2 for epsilon <= 1 and erfc(z) <= 1 - 2 z "
    "exp(-z^2)/sqrt(pi), the left side over epsilon is at least (1 + epsilon + epsilon^2) rate - 1 - epsilon.",
    [],
)  # fmt: skip


def _sizes(needed: str, said: str, quantity: float, first: int, more: dict[str, tuple[str, object]],
           extra: dict[str, str], derivation: str) -> Draft:  # fmt: skip
    values = {name: value for name, (_, value) in more.items()}
    return Draft(
        verdict="refuted",
        statement="The n that privacy asks for over the n stated grows without bound as epsilon falls.",
        symbols={"t": "1/epsilon", **{name: text for name, (text, _) in more.items()}},
        definitions={"epsilon": "1/t", "delta": "epsilon/100000", "s": "3/(2*epsilon)", "z": "sqrt(2)/s",
                     "rate": _RATE, **extra, "needed": needed, "said": said},
        assumptions={"alpha": ("alpha <= 1/8", "an accuracy")},
        claim=without_bound("t", first, "needed/said", "9/10",
                            holds=["(1 + epsilon + epsilon^2)*rate - 1 - epsilon > 2*delta/epsilon"]),
        instances=[(values, {"quantity": quantity})],
        derivation=[_MOVED, (derivation, ["alpha"])],
    )  # fmt: skip


@certificate("publicdata.thm7.inequality.sample-size", "growth")
def theorem7() -> Draft:
    """(131) at γ and η of (130), σ = d = 1."""
    first = 7
    points = math.ceil(theory_settings.theorem7(1.0, 1e-5, 0.125, 0.05, 1.0, 1.0, 0.5).m)
    made = theory_settings.theorem7(2.0**-first, 1e-5 * 2.0**-first, 0.125, 0.05, 1.0, 1.0, 0.5)
    quantity = (0.75 * 2.0**first / made.gamma) ** 2 * points / made.eta / made.n
    return _sizes(
        "(s/2/gamma)^2*m/eta",
        QUESTIONS["publicdata.thm7.inequality.sample-size"].sides[1],
        quantity, first,
        {"alpha": ("accuracy", ALPHA), "beta": ("failure probability", BETA), "lambda": ("Lipschitz constant",
         LIPSCHITZ),
         "d": ("VC dimension", 1), "m": ("public points of (130), rounded up", points)},
        {"b": "log(1/beta)", "gamma": "alpha/(lambda*sqrt(b))", "eta": "alpha"},
        "gamma, eta and m of (130), sigma = 1, do not depend on epsilon, so n >= (s/(2 gamma))^2 m/eta.",
    )  # fmt: skip


@certificate("publicdata.thm3.inequality.sample-size", "growth")
def theorem3() -> Draft:
    """(9) with η and γ/√m as large as accuracy lets them be."""
    first = 7
    needed = (0.75 * 2.0**first / (2.0 * 0.125 / 1.64)) ** 2 / (2.0 * 0.125)
    quantity = needed / theory_settings.theorem3_records(2.0**-first, 0.125, 1.0)
    return _sizes(
        "(s/2/noise)^2/(2*alpha)", "G^2/(epsilon*alpha^5)", quantity, first,
        {"alpha": ("accuracy", ALPHA), "G": ("complexity of the class", 1),
         "quantile": ("1.64, below the 0.95-quantile of the normal law", Fraction(164, 100))},
        {"noise": "2*alpha/quantile"},
        "Constants in [-1, 1] with labels of mean 2 eta ask for eta <= 2 alpha, constants with labels 1 for "
        "gamma/sqrt(m) <= 2 alpha/Phi^-1(1 - beta) at beta = 0.05; so n >= (s sqrt(m)/(2 gamma))^2/eta is at least "
        "needed, whatever eta, gamma and m are.",
    )  # fmt: skip


def _enough(laplace: bool) -> Draft:
    instances = []
    delta = Fraction(0) if laplace else Fraction(1, 10**5)
    for d, sigma in ((1, Fraction(1)), (64, Fraction(1)), (1, Fraction(1, 10))):
        for epsilon in (Fraction(1, 10**4), Fraction(1, 100), Fraction(1)):
            made = theory_settings.theorem7(float(epsilon), float(delta), 0.125, 0.05, d, float(sigma), 0.5)
            shown: float | Fraction = epsilon
            if not laplace:
                shown = gaussian.delta(float(epsilon), float(epsilon) / math.sqrt(2.0 * math.log(125_000.0)))
            values = {"alpha": ALPHA, "m": math.ceil(made.m), "gamma": near(made.gamma, 6), "epsilon": epsilon}
            values |= {} if laplace else {"delta": delta}
            instances.append((values, {"loss" if laplace else "delta": shown}))
    n = "m^2/(eta*gamma^2*epsilon^2)" if laplace else QUESTIONS["publicdata.thm7.privacy"].claim["right"]
    draft = Draft(
        verdict="proved",
        statement="With n of the order 1/epsilon^2 Algorithm 3 is within the claim.",
        symbols={"alpha": "accuracy", "m": "public points", "gamma": "scale of the noise", "epsilon": "claimed",
                 **({} if laplace else {"delta": "claimed"})},
        definitions={"eta": "alpha", "n": n, "rho": "1/sqrt(eta*n)"},
        assumptions={"small": ("epsilon <= 1", "the range of the entry")},
        claim={"family": "pure" if laplace else "gaussian", "shift": "m*rho" if laplace else "sqrt(m)*rho",
               "scale": "gamma", "epsilon": "epsilon", "delta": "0" if laplace else "delta"},
        instances=instances,
        derivation=[
            ("With the mean of the losses the minimisers of two neighbours are at most rho = 1/sqrt(eta n) apart "
             "(Lemma 2), so the centre of the noise moves by at most sqrt(m) rho in l2 and m rho in l1.", ["small"]),
            ("gamma is (130)'s (or (132)'s) to six digits; n absorbs any gamma.", []),
        ],
    )  # fmt: skip
    return as_computed(draft, "n", "records that are enough")


@certificate("publicdata.thm7.privacy", "guarantee")
def enough() -> Draft:
    return _enough(False)


@certificate("publicdata.thm7.privacy.laplace", "guarantee")
def enough_laplace() -> Draft:
    return _enough(True)


@certificate("publicdata.thm9.inequality.printed", "growth")
def printed_points() -> Draft:
    """A fair coin, n = 100: the deviation stays where the bound falls with m."""
    first = 2
    quantity = 0.1 / math.sqrt((1.0 + math.log(20.0)) / 2.0**first)
    return Draft(
        verdict="refuted",
        statement="With more than probability beta a deviation of 1/10 is beyond the bound by a factor that grows like "
        "sqrt(m).",
        symbols={"m": "public points", "n": "records", "k": "heads", "d": "VC dimension", "beta": "failure probability",
                 "p": "chance of heads"},
        definitions={"deviation": "k/n - p", "bound": "sqrt((d + log(1/beta))/m)",
                     "chance": "2*betatail(p, k, n - k + 1)"},
        assumptions={"fair": ("p = 1/2", "a fair coin"), "often": ("chance > beta", "more than the bound leaves"),
                     "class": ("d = 1", "the class {-1, 1} on one point")},
        claim=without_bound("m", first, "deviation/bound", "1/2"),
        instances=[({"n": 100, "k": 60, "d": 1, "beta": BETA, "p": Fraction(1, 2)},
                    {"quantity": quantity})],
        derivation=[("k heads or more, or k tails or more, of n have the probability chance, and a deviation of at "
                     "least k/n - 1/2; neither depends on m.", ["fair", "often", "class"])],
    )  # fmt: skip


@certificate("publicdata.lemma12.inequality.proof", "growth")
def missing_root() -> Draft:
    """One function, the indicator of a set that m points miss with a probability of at least 2β."""
    first = 4
    m = 2.0**first
    mass = math.log(10.0) / (m + math.log(10.0))
    quantity = math.sqrt(mass) / ((math.log(math.log(m)) + math.log(20.0)) / m)
    return Draft(
        verdict="refuted",
        statement="The constant that one function needs grows without bound in m.",
        symbols={"m": "public points", "beta": "failure probability", "G": "complexity of one function"},
        definitions={"u": "log(1/(2*beta))/m", "mass": "u/(1 + u)", "norm": "sqrt(mass)",
                     "bound": "log(m)^3*G/sqrt(m) + (log(log(m)) + log(1/beta))/m"},
        assumptions={"one": ("G = 0", "one function has no complexity"), "beta": ("2*beta < 1", "a set of this mass")},
        claim=without_bound("m", first, "norm/bound", "1/2", "-1"),
        instances=[({"beta": BETA, "G": 0}, {"quantity": quantity})],
        derivation=[("u/(1 + u) <= 1 - e^-u, so m points miss the set with probability (1 - mass)^m >= e^(-m u) = 2 "
                     "beta: then |f|_m = 0 and |f|_mu = norm.", ["one", "beta"])],
    )  # fmt: skip
