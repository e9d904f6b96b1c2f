"""Known results, each a `Statement` with its reference, and a control that must fail: the same with a constant changed.

Where a result is tight the control is 2% beyond it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpbench.certificates.judge_toml import Theorem
from dpbench.ledger.statement import (
    Integer,
    Real,
    Statement,
    discrete,
    event,
    gaussian,
    inequality,
    laplace,
    mixture,
)


@dataclass(frozen=True)
class Result:
    """A known result and its control."""

    id: str
    topic: str
    says: str
    source: str
    statement: Statement
    control: Statement

    @property
    def theorem(self) -> Theorem:
        return Theorem(self.id, self.statement, self.says, self.source)

    @property
    def must_fail(self) -> Theorem:
        return Theorem(f"{self.id}.control", self.control, "A control that must fail.", "none: it is false")


RESULTS: list[Result] = []

EPSILON = {"epsilon": Real("claimed", "1/100", 10)}
DELTA = {"delta": Real("claimed", "1e-10", "1/10")}
SHIFT = {"shift": Real("sensitivity", "1/10", 10)}
SCALE = {"scale": Real("standard deviation", "1/10", 10)}
COUNT = {"k": Integer("how many", 1, 1000)}
DWORK_ROTH = "Dwork and Roth 2014, The Algorithmic Foundations of Differential Privacy"
BUN_STEINKE = "Bun and Steinke 2016, Concentrated Differential Privacy"
MIRONOV = "Mironov 2017, Renyi Differential Privacy"
DONG = "Dong, Roth and Su 2022, Gaussian Differential Privacy"


def known(
    name: str, topic: str, says: str, source: str, symbols: Mapping[str, Any], claim: Any, *,
    control: Mapping[str, Any], where: Mapping[str, str] | None = None, given: Mapping[str, Any] | None = None,
    relation: str = "replace",
) -> None:  # fmt: skip
    """Add a result; `control` names the parts that are changed in the control."""
    made = Statement("", symbols, claim, where or {}, given or {}, relation)
    RESULTS.append(Result(name, topic, says, source, made, made.replace(**control)))


# Noise

known(
    "laplace.pure", "noise", "Laplace noise of scale shift/epsilon is {claim}.", f"{DWORK_ROTH}, Theorem 3.6",
    EPSILON | SHIFT, laplace(shift="shift", scale="shift/epsilon", epsilon="epsilon"),
    control={"claim": laplace(shift="shift", scale="0.98*shift/epsilon", epsilon="epsilon")},
)  # fmt: skip
known(
    "laplace.renyi", "noise", "The Renyi divergence of Laplace noise in closed form.", f"{MIRONOV}, Proposition 6",
    {"r": Real("shift over scale", "1/10", 5), "a": Integer("order", 2, 64)},
    laplace(shift="r", scale="1", alpha="a", tau="tau"), where={
        "tau": "log(a/(2*a - 1)*exp((a - 1)*r) + (a - 1)/(2*a - 1)*exp(-a*r))/(a - 1)"},
    control={"claim": laplace(shift="r", scale="1", alpha="a", tau="0.98*tau")},
)  # fmt: skip
known(
    "laplace.zcdp", "noise", "Laplace noise is {claim}.", f"{BUN_STEINKE}, Proposition 1.4",
    {"r": Real("shift over scale", "1/100", 1)}, laplace(shift="r", scale="1", rho="r^2/2"),
    control={"claim": laplace(shift="r", scale="1", rho="0.98*r^2/2")},
)  # fmt: skip
known(
    "gaussian.classical", "noise", "Gaussian noise of standard deviation {sigma} is {claim} for epsilon up to 1.",
    f"{DWORK_ROTH}, Theorem A.1", {"epsilon": Real("claimed", "1/10", 1), "delta": Real("claimed", "1e-6", "1/10")},
    gaussian(shift="1", scale="sigma"), where={"sigma": "sqrt(2*log(1.25/delta))/epsilon"},
    control={"symbols": {"epsilon": Real("claimed", "1/10", 100)}},
)  # fmt: skip
known(
    "gaussian.profile", "noise", "The privacy profile of Gaussian noise.", "Balle and Wang 2018, Theorem 8",
    EPSILON | {"m": Real("shift over scale", "1/10", 5), "s": Real("sensitivity", 1, 2)},
    gaussian(shift="s", scale="s/m", delta="gaussian_delta(m, epsilon)", epsilon="epsilon"),
    control={"claim": gaussian(shift="s", scale="0.98*s/m", delta="gaussian_delta(m, epsilon)", epsilon="epsilon")},
)  # fmt: skip
known(
    "gaussian.zcdp", "noise", "Gaussian noise is {claim}.", f"{BUN_STEINKE}, Proposition 1.6", SHIFT | SCALE,
    gaussian(shift="shift", scale="scale", rho="shift^2/(2*scale^2)"),
    control={"claim": gaussian(shift="shift", scale="scale", rho="0.98*shift^2/(2*scale^2)")},
)  # fmt: skip
known(
    "gaussian.renyi", "noise", "Gaussian noise is {claim}.", f"{MIRONOV}, Proposition 7",
    SHIFT | SCALE | {"a": Real("order", "1.01", 1000)},
    gaussian(shift="shift", scale="scale", alpha="a", tau="a*shift^2/(2*scale^2)"),
    control={"claim": gaussian(shift="shift", scale="scale", alpha="a", tau="0.98*a*shift^2/(2*scale^2)")},
)  # fmt: skip
known(
    "gaussian.gdp", "noise", "Gaussian noise is {claim}.", f"{DONG}, Theorem 1", SHIFT | SCALE,
    gaussian(shift="shift", scale="scale", mu="shift/scale"),
    control={"claim": gaussian(shift="shift", scale="scale", mu="0.98*shift/scale")},
)  # fmt: skip
known(
    "geometric.pure", "noise", "Geometric noise of ratio exp(-epsilon) is {claim} for a count.",
    "Ghosh, Roughgarden and Sundararajan 2012",
    {"epsilon": Real("claimed", "1/10", 5), "k": Integer("any outcome", 0, "inf")},
    event(p="(1 - a)*a^k", q="(1 - a)*a^k*a", epsilon="epsilon"),
    where={"a": "exp(-epsilon)"}, control={"where": {"a": "exp(-1.02*epsilon)"}},
)  # fmt: skip
known(
    "uniform.total", "noise", "Uniform noise of half-width w moves by s with total variation s/(2w).", "by definition",
    {"w": Real("half-width", 1, 100), "s": Real("shift", "1/100", 1)},
    event(p="s/(2*w)", q="0", epsilon="0", delta="s/(2*w)"),
    control={"claim": event(p="s/(2*w)", q="0", epsilon="0", delta="0.98*s/(2*w)")},
)  # fmt: skip
known(
    "laplace.tail", "noise", "Laplace noise exceeds b log(1/beta) with chance beta.", f"{DWORK_ROTH}, Fact 3.7",
    {"b": Real("scale", "1/10", 10), "beta": Real("chance", "1e-6", "1/2")},
    inequality("exp(-(b*log(1/beta))/b)", "<=", "beta"),
    control={"claim": inequality("exp(-(b*log(1/beta))/b)", "<=", "0.98*beta")},
)  # fmt: skip
known(
    "gaussian.tail", "noise", "A standard normal exceeds t with chance at most exp(-t^2/2)/2.", "Chernoff's bound",
    {"t": Real("threshold", "1/1000", 6), "c": Real("scale", 1, 2)},
    inequality("c*erfc(t/sqrt(2))/2", "<=", "c*exp(-t^2/2)/2"),
    control={"claim": inequality("c*erfc(t/sqrt(2))/2", "<=", "0.98*c*exp(-t^2/2)/2")},
)  # fmt: skip
known(
    "output.perturbation", "noise", "Output perturbation of a strongly convex loss is {claim}.",
    "Chaudhuri, Monteleoni and Sarwate 2011, Theorem 6",
    EPSILON | {"n": Integer("records", 2, 10**6), "l": Real("regularisation", "1e-4", 1)},
    laplace(shift="2/(n*l)", scale="2/(n*l*epsilon)", epsilon="epsilon"),
    control={"claim": laplace(shift="2/(n*l)", scale="1.96/(n*l*epsilon)", epsilon="epsilon")},
)  # fmt: skip
known(
    "mean.replace", "noise", "A clipped mean with noise 2C/(n mu) is {claim} when a record is replaced.", f"{DONG}",
    {"C": Real("clip", "1/10", 10), "n": Integer("records", 2, 10**6), "m": Real("mu", "1/10", 5)},
    gaussian(shift="2*C/n", scale="2*C/(n*m)", mu="m"),
    control={"claim": gaussian(shift="2*C/n", scale="1.96*C/(n*m)", mu="m")},
)  # fmt: skip

# Randomised response

TRUTH = {"p": "exp(epsilon)/(1 + exp(epsilon))"}
known(
    "response.pure", "randomised response", "Randomised response is {claim}.", "Warner 1965; " + DWORK_ROTH, EPSILON,
    discrete(p=["p", "rest"], q=["1 - p", "rest"], epsilon="epsilon"), where=TRUTH,
    control={"claim": discrete(p=["p", "rest"], q=["1 - p", "rest"], epsilon="0.98*epsilon")},
)  # fmt: skip
known(
    "response.many", "randomised response", "Randomised response over k values is {claim}.",
    "Kairouz, Oh and Viswanath 2014", EPSILON | {"k": Integer("values", 2, 1000)},
    event(p="exp(epsilon)/(k - 1 + exp(epsilon))", q="1/(k - 1 + exp(epsilon))", epsilon="epsilon"),
    control={"claim": event(p="exp(epsilon)/(k - 1 + exp(epsilon))", q="1/(k - 1 + exp(epsilon))",
                            epsilon="0.98*epsilon")},
)  # fmt: skip
known(
    "response.rappor", "randomised response", "Permanent responses of RAPPOR are {claim} for one hash.",
    "Erlingsson, Pihur and Korolova 2014, Theorem 1", {"f": Real("noise", "1/10", "9/10")},
    event(p="(1 - f/2)^2", q="(f/2)^2", epsilon="2*log((1 - f/2)/(f/2))"),
    control={"claim": event(p="(1 - f/2)^2", q="(f/2)^2", epsilon="1.96*log((1 - f/2)/(f/2))")},
)  # fmt: skip
known(
    "response.unary", "randomised response", "Optimised unary encoding is {claim}.",
    "Wang, Blocki, Li and Jha 2017", EPSILON,
    event(p="(1 - q)/2", q="q/2", epsilon="epsilon"), where={"q": "1/(exp(epsilon) + 1)"},
    control={"claim": event(p="(1 - q)/2", q="q/2", epsilon="0.98*epsilon")},
)  # fmt: skip
known(
    "response.total", "randomised response", "Pure privacy keeps the total variation within tanh(epsilon/2).",
    "Kairouz, Oh and Viswanath 2015", EPSILON | {"c": Real("scale", 1, 2)},
    inequality("c*(p - (1 - p))", "<=", "c*(exp(epsilon) - 1)/(exp(epsilon) + 1)"), where=TRUTH,
    control={"claim": inequality("c*(p - (1 - p))", "<=", "0.98*c*(exp(epsilon) - 1)/(exp(epsilon) + 1)")},
)  # fmt: skip
known(
    "response.renyi", "randomised response", "The Renyi divergence of randomised response.",
    f"{MIRONOV}, Proposition 5", {"p": Real("chance of the truth", "0.51", "0.99"), "a": Integer("order", 2, 30)},
    discrete(p=["p", "rest"], q=["1 - p", "rest"], alpha="a",
             tau="log(p^a*(1 - p)^(1 - a) + (1 - p)^a*p^(1 - a))/(a - 1)"),
    control={"claim": discrete(p=["p", "rest"], q=["1 - p", "rest"], alpha="a",
                               tau="0.98*log(p^a*(1 - p)^(1 - a) + (1 - p)^a*p^(1 - a))/(a - 1)")},
)  # fmt: skip

# Conversions

known(
    "pure.zcdp", "conversions", "epsilon-DP implies {claim}.", f"{BUN_STEINKE}, Proposition 1.4",
    {"epsilon": Real("claimed", "1/20", 2)}, discrete(p=["p", "rest"], q=["1 - p", "rest"], rho="epsilon^2/2"),
    where=TRUTH, control={"claim": discrete(p=["p", "rest"], q=["1 - p", "rest"], rho="0.98*epsilon^2/2")},
)  # fmt: skip
known(
    "pure.kl", "conversions", "epsilon-DP keeps the Kullback-Leibler divergence within epsilon^2/2.",
    f"{BUN_STEINKE}, Proposition 3.3", {"epsilon": Real("claimed", "1/20", 10), "c": Real("scale", 1, 2)},
    inequality("c*epsilon*(exp(epsilon) - 1)/(exp(epsilon) + 1)", "<=", "c*epsilon^2/2"),
    control={"claim": inequality("c*epsilon*(exp(epsilon) - 1)/(exp(epsilon) + 1)", "<=", "0.98*c*epsilon^2/2")},
)  # fmt: skip
known(
    "pure.gdp", "conversions", "Randomised response of truth Phi(mu/2) is {claim}.", f"{DONG}, Proposition 2",
    {"m": Real("mu", "1/10", 3)}, discrete(p=["1 - q", "rest"], q=["q", "rest"], mu="m"),
    where={"q": "erfc(m/(2*sqrt(2)))/2"},
    control={"claim": discrete(p=["1 - q", "rest"], q=["q", "rest"], mu="0.98*m")},
)  # fmt: skip
known(
    "zcdp.approximate", "conversions", "rho-zCDP implies (rho + 2 sqrt(rho log(1/delta)), delta)-DP: Gaussian noise.",
    f"{BUN_STEINKE}, Proposition 1.3", {"rho": Real("rho", "1/100", 1), "delta": Real("delta", "1e-8", "1/10")},
    gaussian(shift="sqrt(2*rho)", scale="1", epsilon="rho + 2*sqrt(rho*log(1/delta))", delta="delta"),
    control={"claim": gaussian(shift="sqrt(2*rho)", scale="1", epsilon="rho + 1.5*sqrt(rho*log(1/delta))",
                               delta="delta")},
)  # fmt: skip
known(
    "renyi.approximate", "conversions", "(alpha, tau)-Renyi DP implies (tau + log(1/delta)/(alpha - 1), delta)-DP.",
    f"{MIRONOV}, Proposition 3",
    {"a": Real("order", "1.5", 20), "r": Real("shift over scale", "1/10", 2), "delta": Real("delta", "1e-6", "1/10")},
    gaussian(shift="r", scale="1", epsilon="a*r^2/2 + log(1/delta)/(a - 1)", delta="delta"),
    control={"claim": gaussian(shift="r", scale="1", epsilon="a*r^2/2 + log(1/delta)/(2*(a - 1))", delta="delta")},
)  # fmt: skip
known(
    "renyi.sharper", "conversions", "The sharper conversion from Renyi to approximate privacy, on Gaussian noise.",
    "Canonne, Kamath and Steinke 2020, Proposition 7",
    {"a": Real("order", "1.5", 20), "r": Real("shift over scale", "1/10", 2), "epsilon": Real("epsilon", "1/10", 5)},
    gaussian(shift="r", scale="1", epsilon="epsilon", delta="exp((a - 1)*(a*r^2/2 - epsilon))/(a - 1)*(1 - 1/a)^a"),
    control={"claim": gaussian(shift="r", scale="1", epsilon="epsilon",
                               delta="0.1*exp((a - 1)*(a*r^2/2 - epsilon))/(a - 1)*(1 - 1/a)^a")},
)  # fmt: skip
known(
    "pure.approximate", "conversions", "epsilon-DP implies {claim} for each smaller f, met by randomised response.",
    "Kairouz, Oh and Viswanath 2015, of one mechanism",
    {"epsilon": Real("pure", "1/10", 5), "u": Real("f as a share of epsilon", "1/10", "9/10")},
    discrete(p=["p", "rest"], q=["1 - p", "rest"], epsilon="u*epsilon",
             delta="(exp(epsilon) - exp(u*epsilon))/(1 + exp(epsilon))"), where=TRUTH,
    control={"claim": discrete(p=["p", "rest"], q=["1 - p", "rest"], epsilon="u*epsilon",
                               delta="0.98*(exp(epsilon) - exp(u*epsilon))/(1 + exp(epsilon))")},
)  # fmt: skip

# Composition and groups

known(
    "composition.basic", "composition", "Two rounds of randomised response are {claim}.",
    f"{DWORK_ROTH}, Theorem 3.14", EPSILON,
    discrete(p=["p^2", "p*(1 - p)", "(1 - p)*p", "(1 - p)^2"], q=["(1 - p)^2", "(1 - p)*p", "p*(1 - p)", "p^2"],
             epsilon="2*epsilon"), where=TRUTH,
    control={"claim": discrete(p=["p^2", "p*(1 - p)", "(1 - p)*p", "(1 - p)^2"],
                               q=["(1 - p)^2", "(1 - p)*p", "p*(1 - p)", "p^2"], epsilon="1.96*epsilon")},
)  # fmt: skip
known(
    "composition.optimal", "composition", "Two pure mechanisms compose optimally.",
    "Kairouz, Oh and Viswanath 2015, Theorem 3.3", {"epsilon": Real("each", "1/10", 3), "e": Real("both", "1/10", 6)},
    event(p="p^2", q="(1 - p)^2", epsilon="e", delta="(exp(2*epsilon) - exp(e))/(1 + exp(epsilon))^2"), where=TRUTH,
    given={"within": ("e <= 2*epsilon", "the range of the formula")},
    control={"claim": event(p="p^2", q="(1 - p)^2", epsilon="e",
                            delta="0.98*(exp(2*epsilon) - exp(e))/(1 + exp(epsilon))^2")},
)  # fmt: skip
known(
    "composition.advanced", "composition", "Advanced composition on k rounds of randomised response.",
    f"{DWORK_ROTH}, Theorem 3.20",
    {"epsilon": Real("each", "1/10", 1), "delta": Real("slack", "1e-6", "1/10"), "k": Integer("rounds", 1, 60),
     "j": Integer("event: j truths or more", 1, 60)},
    event(p="betatail(p, j, k - j + 1)", q="betatail(1 - p, j, k - j + 1)", delta="delta",
          epsilon="epsilon*sqrt(2*k*log(1/delta)) + k*epsilon*(exp(epsilon) - 1)"),
    where=TRUTH, given={"event": ("j <= k", "an event")},
    control={"claim": event(p="betatail(p, j, k - j + 1)", q="betatail(1 - p, j, k - j + 1)", delta="delta",
                            epsilon="epsilon*sqrt(k*log(1/delta)/8)")},
)  # fmt: skip
known(
    "composition.zcdp", "composition", "k Gaussian mechanisms are {claim}.", f"{BUN_STEINKE}, Lemma 1.7",
    SHIFT | SCALE | COUNT, gaussian(shift="sqrt(k)*shift", scale="scale", rho="k*shift^2/(2*scale^2)"),
    control={"claim": gaussian(shift="sqrt(k)*shift", scale="scale", rho="0.98*k*shift^2/(2*scale^2)")},
)  # fmt: skip
known(
    "composition.gdp", "composition", "k Gaussian mechanisms are {claim}.", f"{DONG}, Corollary 2",
    SHIFT | SCALE | COUNT, gaussian(shift="sqrt(k)*shift", scale="scale", mu="sqrt(k)*shift/scale"),
    control={"claim": gaussian(shift="sqrt(k)*shift", scale="scale", mu="0.98*sqrt(k)*shift/scale")},
)  # fmt: skip
known(
    "composition.approximate", "composition", "Two (epsilon, delta) Gaussian mechanisms are (2 epsilon, 2 delta)-DP.",
    f"{DWORK_ROTH}, Theorem 3.16", {"epsilon": Real("each", "1/10", 3), "r": Real("shift over scale", "1/10", 2)},
    gaussian(shift="sqrt(2)*r", scale="1", epsilon="2*epsilon", delta="2*gaussian_delta(r, epsilon)"),
    control={"claim": gaussian(shift="sqrt(2)*r", scale="1", epsilon="sqrt(2)*epsilon",
                               delta="gaussian_delta(r, epsilon)")},
)  # fmt: skip
known(
    "group.pure", "composition", "Laplace noise is {claim} for groups of k.", f"{DWORK_ROTH}, Theorem 2.2",
    EPSILON | SHIFT | COUNT, laplace(shift="k*shift", scale="shift/epsilon", epsilon="k*epsilon"),
    control={"claim": laplace(shift="k*shift", scale="shift/epsilon", epsilon="0.98*k*epsilon")},
)  # fmt: skip
known(
    "group.zcdp", "composition", "Gaussian noise is {claim} for groups of k.", f"{BUN_STEINKE}, Proposition 1.9",
    SHIFT | SCALE | COUNT, gaussian(shift="k*shift", scale="scale", rho="k^2*shift^2/(2*scale^2)"),
    control={"claim": gaussian(shift="k*shift", scale="scale", rho="0.98*k^2*shift^2/(2*scale^2)")},
)  # fmt: skip
known(
    "group.gdp", "composition", "Gaussian noise is {claim} for groups of k.", f"{DONG}, group privacy",
    SHIFT | SCALE | COUNT, gaussian(shift="k*shift", scale="scale", mu="k*shift/scale"),
    control={"claim": gaussian(shift="k*shift", scale="scale", mu="0.98*k*shift/scale")},
)  # fmt: skip
known(
    "composition.renyi", "composition", "k releases with Gaussian noise are {claim}.", f"{MIRONOV}, Proposition 1",
    COUNT | {"m": Real("shift over scale", "1/100", 1), "a": Real("order", "1.01", 1000)},
    gaussian(shift="sqrt(k)*m", scale="1", alpha="a", tau="k*a*m^2/2"),
    control={"claim": gaussian(shift="sqrt(k)*m", scale="1", alpha="a", tau="0.98*k*a*m^2/2")},
)  # fmt: skip
known(
    "group.approximate", "composition", "Groups of two: (2 epsilon, (1 + exp(epsilon)) delta)-DP, Gaussian noise.",
    f"{DWORK_ROTH}, Theorem 2.2", {"epsilon": Real("one", "1/10", 3), "r": Real("shift over scale", "1/10", 2)},
    gaussian(shift="2*r", scale="1", epsilon="2*epsilon", delta="(1 + exp(epsilon))*gaussian_delta(r, epsilon)"),
    control={"claim": gaussian(shift="2*r", scale="1", epsilon="2*epsilon", delta="gaussian_delta(r, epsilon)")},
)  # fmt: skip
known(
    "tree.pure", "composition", "A tree of k levels with Laplace noise k/epsilon is {claim}.",
    "Dwork, Naor, Pitassi and Rothblum 2010; Chan, Shi and Song 2011", EPSILON | COUNT,
    laplace(shift="k", scale="k/epsilon", epsilon="epsilon"),
    control={"claim": laplace(shift="k", scale="0.98*k/epsilon", epsilon="epsilon")},
)  # fmt: skip

# Subsampling

RATE = {"w": Real("sampling rate", "1/100", "9/10")}
known(
    "sampling.pure", "subsampling", "A Poisson sample of rate w amplifies epsilon to log(1 + w (e^epsilon - 1)).",
    "Li, Qardaji and Su 2012; Balle, Barthe and Gaboardi 2018, Theorem 8",
    EPSILON | RATE | {"q": Real("chance without the record", "1e-6", "1e-5")},
    event(p="w*exp(epsilon)*q + (1 - w)*q", q="q", epsilon="log(1 + w*(exp(epsilon) - 1))"),
    control={"claim": event(p="w*exp(epsilon)*q + (1 - w)*q", q="q", epsilon="0.98*log(1 + w*(exp(epsilon) - 1))")},
)  # fmt: skip
SAMPLED = {"e": Real("unsampled epsilon", "1/10", 5), "s": Real("noise", "1/2", 3)}
known(
    "sampling.gaussian", "subsampling", "Sampled Gaussian, a record removed: {claim}.",
    "Balle, Barthe and Gaboardi 2018, Theorem 8", RATE | SAMPLED,
    mixture(rate="w", shift="1", scale="s", epsilon="log(1 + w*(exp(e) - 1))", delta="w*gaussian_delta(1/s, e)"),
    relation="remove", control={"claim": mixture(rate="w", shift="1", scale="s", epsilon="log(1 + w*(exp(e) - 1))",
                                                 delta="0.98*w*gaussian_delta(1/s, e)")},
)  # fmt: skip
known(
    "sampling.added", "subsampling", "Sampled Gaussian, a record added: no more than when one is removed.",
    "Zhu, Dong and Wang 2022, Proposition 30", {"w": Real("rate", "1/20", "1/2"), "s": Real("noise", "1/2", 3),
                                                "e": Real("unsampled epsilon", "1/10", 3)},
    mixture(rate="w", shift="1", scale="s", epsilon="log(1 + w*(exp(e) - 1))", delta="w*gaussian_delta(1/s, e)"),
    relation="add", control={"claim": mixture(rate="w", shift="1", scale="s", epsilon="log(1 + w*(exp(e) - 1))",
                                              delta="0.5*w*w*gaussian_delta(1/s, e)")},
)  # fmt: skip
known(
    "sampling.renyi", "subsampling", "Sampled Gaussian: {claim} for small rates, large noise and small integer orders.",
    "Mironov, Talwar and Zhang 2019, Theorem 11",
    {"w": Real("rate", "1/1000", "1/50"), "s": Real("noise", 4, 8), "a": Integer("order", 2, 6)},
    mixture(rate="w", shift="1", scale="s", alpha="a", tau="2*a*w^2/s^2"), relation="remove",
    control={"claim": mixture(rate="w", shift="1", scale="s", alpha="a", tau="0.49*a*w^2/s^2")},
)  # fmt: skip

# Selection and sparse vector

WEIGHTS = {"x": Real("weight of the candidate", "1/10", 10), "y": Real("weight of the others", "1/10", 10**5)}
BY_HALF = "x*exp(epsilon/2)/(x*exp(epsilon/2) + y*exp(-epsilon/2))"
known(
    "exponential.pure", "selection", "The exponential mechanism is {claim}.", "McSherry and Talwar 2007, Theorem 6",
    {"epsilon": Real("claimed", "1/10", 4)} | WEIGHTS, event(p=BY_HALF, q="x/(x + y)", epsilon="epsilon"),
    control={"claim": event(p=BY_HALF, q="x/(x + y)", epsilon="0.98*epsilon")},
)  # fmt: skip
known(
    "exponential.monotone", "selection", "With monotone scores the exponential mechanism is {claim}.",
    "McSherry and Talwar 2007; Dong, Durfee and Rogers 2020", {"epsilon": Real("claimed", "1/10", 4)} | WEIGHTS,
    event(p="x/(x + y*exp(-epsilon/2))", q="x/(x + y)", epsilon="epsilon/2"),
    control={"claim": event(p="x/(x + y*exp(-epsilon/2))", q="x/(x + y)", epsilon="0.49*epsilon")},
)  # fmt: skip
known(
    "exponential.utility", "selection", "The exponential mechanism loses log m + t with chance at most exp(-t).",
    f"{DWORK_ROTH}, Theorem 3.11", {"m": Integer("candidates", 2, 10**6), "t": Real("slack", "1/10", 10)},
    inequality("(m - 1)*exp(-g)/(1 + (m - 1)*exp(-g))", "<=", "exp(-t)"), where={"g": "log(m) + t"},
    control={"claim": inequality("(m - 1)*exp(-g)/(1 + (m - 1)*exp(-g))", "<=", "0.98*exp(-t)")},
)  # fmt: skip
GAP = {"g": Real("gap of the scores, in noise scales", 0, 30)}
known(
    "permute.pure", "selection", "Permute-and-flip on two candidates is {claim}.",
    "McKenna and Sheldon 2020, Theorem 1", {"epsilon": Real("claimed", "1/10", 4)} | GAP,
    event(p="exp(-g)/2", q="exp(-g - epsilon)/2", epsilon="epsilon"),
    control={"claim": event(p="exp(-g)/2", q="exp(-g - epsilon)/2", epsilon="0.98*epsilon")},
)  # fmt: skip
known(
    "permute.better", "selection", "Permute-and-flip errs no more than the exponential mechanism, two candidates.",
    "McKenna and Sheldon 2020, Theorem 2", GAP | {"c": Real("scale", 1, 2)},
    inequality("c*exp(-g)/2", "<=", "c*exp(-g)/(1 + exp(-g))"),
    control={"claim": inequality("1.02*c*exp(-g)/2", "<=", "c*exp(-g)/(1 + exp(-g))")},
)  # fmt: skip
known(
    "noisy.max", "selection", "Report noisy max with Laplace noise of scale 2/epsilon is {claim}, two candidates.",
    f"{DWORK_ROTH}, Claim 3.9", {"epsilon": Real("claimed", "1/10", 4), "g": Real("gap, in scales", 0, 300)},
    event(p="(1/2 + g/4)*exp(-g)", q="(1/2 + (g + epsilon)/4)*exp(-g - epsilon)", epsilon="epsilon"),
    control={"claim": event(p="(1/2 + g/4)*exp(-g)", q="(1/2 + (g + 1.02*epsilon)/4)*exp(-g - 1.02*epsilon)",
                            epsilon="epsilon")},
)  # fmt: skip
known(
    "best.fixed", "selection", "The best of k runs that are each epsilon-DP is {claim}.",
    "Dwork and Roth 2014, Theorem 3.14; Papernot and Steinke 2022, of a fixed number of runs", EPSILON | COUNT |
    {"x": Real("chance of the worst outcome", "1/10", "9/10")},
    event(p="x^k", q="x^k*exp(-k*epsilon)", epsilon="k*epsilon"),
    control={"claim": event(p="x^k", q="x^k*exp(-k*epsilon)", epsilon="0.98*k*epsilon")},
)  # fmt: skip
known(
    "best.geometric", "selection", "The best of a geometric number of runs that are each epsilon-DP is {claim}.",
    "Liu and Talwar 2019; Papernot and Steinke 2022",
    {"epsilon": Real("of a run", "1/10", 4), "g": Real("chance to stop", "1e-9", "1/2"),
     "u": Real("mass above the outcome", "1/1000", "1/2"), "v": Real("its mass", "1e-9", "1e-3")},
    event(p="g*v*E/((g + (1 - g)*(u/E + v*E))*(g + (1 - g)*u/E))", q="g*v/((g + (1 - g)*(u + v))*(g + (1 - g)*u))",
          epsilon="3*epsilon"), where={"E": "exp(epsilon)"},
    control={"claim": event(p="g*v*E/((g + (1 - g)*(u/E + v*E))*(g + (1 - g)*u/E))",
                            q="g*v/((g + (1 - g)*(u + v))*(g + (1 - g)*u))", epsilon="2.94*epsilon")},
)  # fmt: skip
known(
    "best.gaussian", "selection", "The largest of k numbers with Gaussian noise loses no more than all of them.",
    f"{DONG}, Corollary 2", {"m": Real("shift over scale", "1/10", 2), "k": Integer("runs", 2, 100),
                             "epsilon": Real("claimed", "1/10", 5), "t": Real("event: none above t", -3, 3)},
    event(p="(1 - erfc(t/sqrt(2))/2)^k", q="(1 - erfc((t - m)/sqrt(2))/2)^k", epsilon="epsilon",
          delta="gaussian_delta(sqrt(k)*m, epsilon)"),
    control={"claim": event(p="(1 - erfc(t/sqrt(2))/2)^k", q="(1 - erfc((t - m)/sqrt(2))/2)^k", epsilon="epsilon",
                            delta="gaussian_delta(m, epsilon)")},
)  # fmt: skip
known(
    "sparse.one", "sparse vector", "Sparse vector, one query: {claim}, from both noises.", "Lyu, Su and Li 2017",
    {"epsilon": Real("claimed", "1/10", 4), "t": Real("distance to the threshold", 0, 60)},
    event(p="(4*exp(-epsilon*t/4) - exp(-epsilon*t/2))/6",
          q="(4*exp(-epsilon*(t + 1)/4) - exp(-epsilon*(t + 1)/2))/6", epsilon="epsilon/4"),
    control={"claim": event(p="(4*exp(-epsilon*t/4) - exp(-epsilon*t/2))/6",
                            q="(4*exp(-epsilon*(t + 1)/4) - exp(-epsilon*(t + 1)/2))/6", epsilon="0.245*epsilon")},
)  # fmt: skip
known(
    "sparse.threshold", "sparse vector", "The noisy threshold alone costs {claim}.", "Lyu, Su and Li 2017",
    EPSILON | {"t": Real("threshold", 0, 10)},
    event(p="exp(-epsilon*t/2)/2", q="exp(-epsilon*(t + 1)/2)/2", epsilon="epsilon/2"),
    control={"claim": event(p="exp(-epsilon*t/2)/2", q="exp(-epsilon*(t + 1)/2)/2", epsilon="0.49*epsilon")},
)  # fmt: skip

# Local sensitivity and histograms

known(
    "smooth.dilation", "smooth sensitivity", "Laplace noise dilated by exp(beta), beta = epsilon/(2 log(2/delta)).",
    "Nissim, Raskhodnikova and Smith 2007, Lemma 2.6",
    {"epsilon": Real("claimed", "1/10", 2), "delta": Real("claimed", "1e-6", "1/10"), "t": Real("tail", 0, 60)},
    event(p="exp(-t*exp(-beta))", q="exp(-t)", epsilon="epsilon/2", delta="delta/2"),
    where={"beta": "epsilon/(2*log(2/delta))"}, control={"where": {"beta": "2*epsilon/(2*log(2/delta))"}},
)  # fmt: skip
known(
    "smooth.cauchy", "smooth sensitivity", "Cauchy noise moved by s changes its density by at most exp(s).",
    "Nissim, Raskhodnikova and Smith 2007, Lemma 2.7",
    {"z": Real("output", -10, 10), "s": Real("shift over scale", "1/5", 3)},
    inequality("1 + (z + s)^2", "<=", "exp(s)*(1 + z^2)"),
    control={"claim": inequality("1 + (z + s)^2", "<=", "exp(0.98*s)*(1 + z^2)")},
)  # fmt: skip
known(
    "smooth.cauchy.dilation", "smooth sensitivity", "Cauchy noise dilated by exp(b) changes its density by exp(2 b).",
    "Nissim, Raskhodnikova and Smith 2007, Lemma 2.7",
    {"z": Real("output", 0, 1000), "b": Real("log of the dilation", "1/100", 1)},
    inequality("1 + (z*exp(b))^2", "<=", "exp(2*b)*(1 + z^2)"),
    control={"claim": inequality("1 + (z*exp(b))^2", "<=", "exp(1.96*b)*(1 + z^2)")},
)  # fmt: skip
known(
    "propose.test", "propose-test-release", "A noisy distance of 0 passes log(1/(2 delta))/epsilon with chance delta.",
    "Dwork and Lei 2009; Vadhan 2017, Proposition 3.2", EPSILON | DELTA,
    inequality("exp(-epsilon*T)/2", "<=", "delta"), where={"T": "log(1/(2*delta))/epsilon"},
    control={"where": {"T": "log(1/(2.04*delta))/epsilon"}},
)  # fmt: skip
known(
    "histogram.stable", "histograms", "A bin of one record passes 1 + log(1/(2 delta))/epsilon with chance delta.",
    "Korolova, Kenthapadi, Mishra and Ntoulas 2009; Bun, Nissim and Stemmer 2016", EPSILON | DELTA,
    event(p="exp(-epsilon*(T - 1))/2", q="0", epsilon="epsilon", delta="delta"),
    where={"T": "1 + log(1/(2*delta))/epsilon"}, control={"where": {"T": "1 + log(1/(2.04*delta))/epsilon"}},
)  # fmt: skip
known(
    "histogram.replace", "histograms", "A histogram with Laplace noise 2/epsilon is {claim} when a record is replaced.",
    f"{DWORK_ROTH}, Example 3.2", EPSILON | {"c": Real("weight of a record", 1, 2)},
    laplace(shift="2*c", scale="2*c/epsilon", epsilon="epsilon"),
    control={"claim": laplace(shift="2*c", scale="1.96*c/epsilon", epsilon="epsilon")},
)  # fmt: skip

# Optimisation

known(
    "objective.regulariser", "objective perturbation",
    "A regulariser of 2 c/epsilon keeps a record's factor in the Jacobian within exp(epsilon/2).",
    "Kifer, Smith and Thakurta 2012, proof of Theorem 2", EPSILON | {"c": Real("smoothness of the loss", "1/10", 10)},
    inequality("1 + c/D", "<=", "exp(epsilon/2)"), where={"D": "2*c/epsilon"},
    control={"where": {"D": "1.96*c/epsilon"}},
)  # fmt: skip
known(
    "objective.jacobian", "objective perturbation",
    "With lambda = c/(n (exp(epsilon/4) - 1)) the Jacobian of two records costs epsilon/2.",
    "Chaudhuri, Monteleoni and Sarwate 2011, privacy of Algorithm 2",
    {"epsilon": Real("claimed", "1/10", 4), "c": Real("smoothness of the loss", "1/10", 10),
     "n": Integer("records", 10, 10**6)},
    inequality("(1 + c/(n*lambda))^2", "<=", "exp(epsilon/2)"), where={"lambda": "c/(n*(exp(epsilon/4) - 1))"},
    control={"where": {"lambda": "0.98*c/(n*(exp(epsilon/4) - 1))"}},
)  # fmt: skip

# Shuffling

SHUFFLED = {"q": Real("chance of a lie", "1/100", "49/100")}
known(
    "shuffle.total", "shuffling", "Two shuffled randomised responses, one of which changes: {claim}.",
    "Cheu, Smith, Ullman, Zeber and Zhilyaev 2019, Section 2, the model", SHUFFLED,
    discrete(p=["q*(1 - q)", "(1 - q)^2 + q^2", "rest"], q=["(1 - q)^2", "2*q*(1 - q)", "rest"], epsilon="0",
             delta="(1 - q)*(1 - 2*q)"),
    control={"claim": discrete(p=["q*(1 - q)", "(1 - q)^2 + q^2", "rest"], q=["(1 - q)^2", "2*q*(1 - q)", "rest"],
                               epsilon="0", delta="0.98*(1 - q)*(1 - 2*q)")},
)  # fmt: skip
known(
    "shuffle.pure", "shuffling", "Shuffling two randomised responses leaves {claim}: pure privacy is not amplified.",
    "Cheu, Smith, Ullman, Zeber and Zhilyaev 2019, Section 2, the model", SHUFFLED,
    event(p="q*(1 - q)", q="q^2", epsilon="log((1 - q)/q)"),
    control={"claim": event(p="q*(1 - q)", q="q^2", epsilon="0.98*log((1 - q)/q)")},
)  # fmt: skip

# Cost

known(
    "staircase.cost", "noise", "The staircase's mean absolute error is below that of Laplace noise.",
    "Geng and Viswanath 2014, The Optimal Mechanism",
    {"epsilon": Real("claimed", "1/10", 5), "s": Real("sensitivity", 1, 2)},
    inequality("s*exp(epsilon/2)/(exp(epsilon) - 1)", "<=", "s/epsilon"),
    control={"claim": inequality("1.02*s*exp(epsilon/2)/(exp(epsilon) - 1)", "<=", "s/epsilon")},
)  # fmt: skip
