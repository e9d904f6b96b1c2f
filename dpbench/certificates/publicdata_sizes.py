"""Sample sizes of Theorems 3 and 7 of the public-data paper, and Lemmas 12 and 15 and Theorem 9 as printed."""

from __future__ import annotations

import math
from fractions import Fraction

from scipy.stats import binom

from dpbench.certificates.build import Draft, below, certificate, near
from dpbench.privacy import gaussian
from dpbench.publicdata import theory_settings
from dpbench.publicdata.claims.uniform import rest, uniform_term

ALPHA, BETA, LIPSCHITZ = Fraction(1, 8), Fraction(1, 20), Fraction(1, 2)
_BROKEN = "(1/2 - exp(epsilon)*erfc(2/(s*sqrt(2)))/2)/epsilon - delta/epsilon"
_MOVED: tuple[str, list[str]] = (
    "F = {t phi: |t| <= 1}, phi = 1 at x0 and a at the public point; records at x0 with balanced labels: one record "
    "moves fbar from -phi to phi, and the chance of f^ = phi goes from 1/2 to Phi(-2/s), s = 2 gamma sqrt(eta n/m). "
    "So s = 3/(2 epsilon), and any smaller, breaks (epsilon, delta) where broken > 0.",
    [],
)  # fmt: skip


def _sizes(needed: str, said: str, quantity: list[float], last: int, more: dict[str, tuple[str, object]],
           extra: dict[str, str], derivation: str) -> Draft:  # fmt: skip
    scale = below(0.9 * min(q / 2.0 ** (0.9 * j) for j, q in enumerate(quantity)), 3)
    values = {name: value for name, (_, value) in more.items()} | {"large": 10**6, "scale": scale}
    return Draft(
        verdict="refuted",
        statement="The n that privacy asks for over the n stated grows without bound as epsilon falls. The quantity is "
        "positive only where the smaller noise breaks (epsilon, delta).",
        symbols={"t": "1/epsilon", **{name: text for name, (text, _) in more.items()},
                 "large": "more than the ratio at the values listed", "scale": "constant of the lower bound"},
        definitions={"epsilon": "1/t", "delta": "epsilon/100000", "s": "3/(2*epsilon)", "broken": _BROKEN, **extra,
                     "needed": needed, "said": said},
        assumptions={"alpha": ("alpha <= 1/8", "an accuracy")},
        claim={"variable": "t", "from": 0, "to": last, "quantity": "min(needed/said, large*broken)",
               "bound": "scale*t^(9/10)", "power": "17/20"},
        instances=[(values, {"quantity": quantity})],
        derivation=[_MOVED, (derivation, ["alpha"]),
                    ("needed grows like 1/epsilon^2 and what is stated like 1/epsilon, up to a root of a logarithm, "
                     "for all epsilon below 1.", [])],
    )  # fmt: skip


def _broken(epsilon: float) -> float:
    return (0.5 - math.exp(epsilon) * 0.5 * math.erfc(2.0 * epsilon / 1.5 / math.sqrt(2.0))) / epsilon - 1e-5


@certificate("publicdata.thm7.inequality.sample-size", "growth")
def theorem7() -> Draft:
    """(131) at γ and η of (130), σ = d = 1."""
    last, quantity = 12, []
    points = math.ceil(theory_settings.theorem7(1.0, 1e-5, 0.125, 0.05, 1.0, 1.0, 0.5).m)
    for j in range(last + 1):
        made = theory_settings.theorem7(2.0**-j, 1e-5 * 2.0**-j, 0.125, 0.05, 1.0, 1.0, 0.5)
        needed = (0.75 * 2.0**j / made.gamma) ** 2 * points / made.eta
        quantity.append(min(needed / made.n, 1e6 * _broken(2.0**-j)))
    return _sizes(
        "(s/2/gamma)^2*m/eta",
        "max(lambda^5*d*b^2/(epsilon*alpha^5), lambda^4*d*b^(3/2)*sqrt(log(1/delta))/(epsilon*alpha^4))",
        quantity, last,
        {"alpha": ("accuracy", ALPHA), "beta": ("failure probability", BETA), "lambda": ("Lipschitz constant",
         LIPSCHITZ),
         "d": ("VC dimension", 1), "m": ("public points of (130), rounded up", points)},
        {"b": "log(1/beta)", "gamma": "alpha/(lambda*sqrt(b))", "eta": "alpha"},
        "gamma, eta and m of (130), sigma = 1, do not depend on epsilon, so n >= (s/(2 gamma))^2 m/eta.",
    )  # fmt: skip


@certificate("publicdata.thm3.inequality.sample-size", "growth")
def theorem3() -> Draft:
    """(9) with η and γ/√m as large as accuracy lets them be."""
    last, quantity = 12, []
    for j in range(last + 1):
        needed = (0.75 * 2.0**j / (2.0 * 0.125 / 1.64)) ** 2 / (2.0 * 0.125)
        quantity.append(min(needed / theory_settings.theorem3_records(2.0**-j, 0.125, 1.0), 1e6 * _broken(2.0**-j)))
    return _sizes(
        "(s/2/noise)^2/(2*alpha)", "G^2/(epsilon*alpha^5)", quantity, last,
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
    n = "m^2/(eta*gamma^2*epsilon^2)" if laplace else "2*log(5/4/delta)*m/(eta*gamma^2*epsilon^2)"
    return Draft(
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


@certificate("publicdata.thm7.privacy", "guarantee")
def enough() -> Draft:
    return _enough(False)


@certificate("publicdata.thm7.privacy.laplace", "guarantee")
def enough_laplace() -> Draft:
    return _enough(True)


@certificate("publicdata.thm9.inequality.printed", "growth")
def printed_points() -> Draft:
    """A fair coin, n = 100: the deviation stays where the bound falls with m."""
    last = 20
    chance = 2.0 * float(binom.sf(59, 100, 0.5))
    quantity = [min(0.1 / math.sqrt((1.0 + math.log(20.0)) / 2.0**j), 1e6 * (chance - 0.05)) for j in range(last + 1)]
    return Draft(
        verdict="refuted",
        statement="With more than probability beta a deviation of 1/10 is beyond the bound by a factor that grows like "
        "sqrt(m). The quantity is positive only where that probability is.",
        symbols={"m": "public points", "n": "records", "k": "heads", "d": "VC dimension", "beta": "failure probability",
                 "p": "chance of heads", "large": "more than the constant at the values listed"},
        definitions={"deviation": "k/n - p", "bound": "sqrt((d + log(1/beta))/m)",
                     "chance": "2*betatail(p, k, n - k + 1)"},
        assumptions={"fair": ("p = 1/2", "a fair coin"), "class": ("d = 1", "the class {-1, 1} on one point")},
        claim={"variable": "m", "from": 0, "to": last, "quantity": "min(deviation/bound, large*(chance - beta))",
               "bound": "1/25*m^(1/2)", "power": "49/100"},
        instances=[({"n": 100, "k": 60, "d": 1, "beta": BETA, "p": Fraction(1, 2), "large": 10**6},
                    {"quantity": quantity})],
        derivation=[("k heads or more, or k tails or more, of n have the probability chance, and a deviation of at "
                     "least k/n - 1/2; neither depends on m, and the bound falls like m^(-1/2) for all m.", ["fair",
                     "class"])],
    )  # fmt: skip


@certificate("publicdata.lemma12.inequality.proof", "growth")
def missing_root() -> Draft:
    """One function, the indicator of a set that m points miss with probability 2β."""
    first, last, quantity = 4, 40, []
    for j in range(first, last + 1):
        m = 2.0**j
        mass = -math.expm1(math.log(0.1) / m)
        quantity.append(math.sqrt(mass) / ((math.log(math.log(m)) + math.log(20.0)) / m))
    scale = below(0.9 * min(q / 2.0 ** (0.45 * j) for q, j in zip(quantity, range(first, last + 1), strict=True)), 3)
    return Draft(
        verdict="refuted",
        statement="The constant that one function needs grows without bound in m.",
        symbols={"m": "public points", "beta": "failure probability", "G": "complexity of one function",
                 "scale": "constant of the lower bound"},
        definitions={"mass": "1 - (2*beta)^(1/m)", "norm": "sqrt(mass)",
                     "bound": "log(m)^3*G/sqrt(m) + (log(log(m)) + log(1/beta))/m"},
        assumptions={"one": ("G = 0", "one function has no complexity"), "beta": ("2*beta < 1", "a set of this mass")},
        claim={"variable": "m", "from": first, "to": last, "quantity": "norm/bound", "bound": "scale*m^(9/20)",
               "power": "11/25"},
        instances=[({"beta": BETA, "G": 0, "scale": scale}, {"quantity": quantity})],
        derivation=[("m points miss the set with probability (1 - mass)^m = 2 beta: then |f|_m = 0 and |f|_mu = "
                     "norm, of the order m^(-1/2), where the bound has log log(m)/m, for all m.", ["one", "beta"])],
    )  # fmt: skip


@certificate("publicdata.lemma15.inequality", "inequality")
def nonconvex() -> Draft:
    """Three functions: the excess is 1/6 where every term of the right side is small, C as large as one likes."""
    instances = []
    for constant, m in ((1, 10**14), (10**3, 10**20), (10**6, 10**26)):
        size = math.sqrt(2.0 * math.log(3.0))
        right = rest(1e8, 0.01, 1e-4, float(m), 1e5, 1.0 / 3.0, size) + constant * uniform_term(m, 1.0 / 3.0, size)
        values = {"n": 10**8, "eta": Fraction(1, 100), "gamma": Fraction(1, 10**4), "m": m, "J": 10**5, "C": constant,
                  "sigma": Fraction(1, 3), "lambda": LIPSCHITZ, "beta": BETA}  # fmt: skip
        instances.append((values, {"left": Fraction(1, 6), "right": right}))
    return Draft(
        verdict="refuted",
        statement="An excess of 1/6, which has all but a chance below 1e-30, is beyond the right side, whatever C is.",
        symbols={"n": "records", "eta": "weight of the process", "gamma": "scale of the noise", "m": "public points",
                 "J": "calls", "C": "of the lemma, any number", "sigma": "smoothness", "lambda": "Lipschitz constant",
                 "beta": "failure probability"},
        definitions={
            "G": "sqrt(2*log(3))", "L": "log(1/beta)", "excess": "1/6",
            "risk": "12/sqrt(n)*G + 2*sqrt(L/n)", "process": "2*eta*(G + sqrt(L/J))",
            "noise": "4*lambda*gamma/sigma*sqrt(L)",
            "uniform": "lambda/sigma*(log(m)^3/sqrt(m)*G + sqrt((log(log(m)) + L)/m))",
            "reach": "eta*sqrt(8/9)/4",
        },
        assumptions={"seldom": ("2*exp(-n*reach^2/2) + 2*exp(-2*J/2500) < 1/10^30", "q is small but for this chance")},
        claim={"left": "excess", "relation": "<=", "right": "risk + process + noise + C*uniform"}, instances=instances,
        derivation=[
            ("Three functions, as in publicdata.thm6.rate.nonconvex: fbar is (1 - q)/2 g1 + (1 + q)/2 g2 with |q| < "
             "1/4 but for the chance stated (Hoeffding, for the labels and for the J calls), the third function is "
             "nearest to it, and its excess is 1/6.", ["seldom"]),
            ("The suprema of omega_n and omega_m have expectations of at most G = sqrt(2 log 3).", []),
        ],
    )  # fmt: skip
