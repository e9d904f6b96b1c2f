"""`Perturb` and Algorithm 3 on constants: Lemmas 2, 3, 8, 9 and 11."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpbench.certificates.search.question import inequality, pair_event, pair_shift
from dpbench.certificates.search.space import Integer, Real, Space

Formulas = Mapping[str, str]
Conditions = Mapping[str, tuple[str, str]]
NONE: Conditions = {}
EPSILON, DELTA = Real("claimed", 1e-3, 20.0), Real("claimed", 1e-10, 0.5)
MU = Real("Gaussian shift that (epsilon, delta) allows", 1e-4, 30.0)
CALIBRATED = {"calibrated": ("gaussian_delta(mu, epsilon) <= delta", "mu is within (epsilon, delta)")}

ENDS = Space(
    "Perturb on the constants in [-1, 1], two of them any distance apart, any half-line of outputs",
    {
        "m": Integer("number of public points", 1, 10**4),
        "rho": Real("distance of fbar and fbar' in the norm of the public points", 1e-4, 2.0),
        "t": Real("threshold of the event f^ <= t", -1.0, 1.0),
        "epsilon": EPSILON,
        "delta": DELTA,
        "mu": MU,
        "scale": Real("scale of the noise, where it is given", 1e-3, 1e6),
    },
    conditions={"inside": ("rho <= 2", "constants in [-1, 1]")},
)
_EVENT = {"sd": "gamma/sqrt(m)"}
_ENDS = (
    "F the constants in [-1, 1]: Perturb releases fbar plus the mean of gamma zeta, Gaussian with standard deviation "
    "gamma/sqrt(m), cut to [-1, 1]; fbar = 1 and fbar' = 1 - rho, |fbar - fbar'|_m = rho.",
    "f^ <= t < 1 iff the uncut value is.",
)


def _event(gamma: Formulas, conditions: Conditions = NONE) -> Any:
    return pair_event(
        ENDS, "erfc((1 - rho - t)/(sd*sqrt(2)))/2", "erfc((1 - t)/(sd*sqrt(2)))/2", derivation=_ENDS,
        definitions={**gamma, **_EVENT}, conditions={"below": ("t < 1", "an event below the end"), **conditions},
    )  # fmt: skip


def printed_scale(shift: str, root: str) -> str:
    """The printed scale of Perturb's noise, (14), for outputs `shift` apart; `root` is sqrt(log(1/delta))."""
    return f"(m*{shift}*{root}/4 + sqrt((m*{shift}*{root}/4)^2 + m*{shift}*epsilon/2))/epsilon"


ROOT = {"root": "sqrt(log(1/delta))"}
STATED = {**ROOT, "gamma": printed_scale("rho", "root")}
STATED_9 = {"exponent": "m/(2*scale^2)*(1 + scale*sqrt(log(1/delta)))*rho", "gamma": "scale"}
_WITHIN = {"within": ("exponent <= epsilon", "(87) gives (epsilon, delta)")}


THREE = Space(
    "Perturb on the constants -g, 0 and g from fbar = 0",
    {
        "m": Integer("public points", 1, 10**4),
        "g": Real("spacing of the class", 1e-3, 1.0),
        "gamma": Real("scale of the noise", 1e-4, 1e3),
        "beta": Real("failure probability", 1e-10, 0.5),
    },
)
_THREE = ("F = {-g, 0, g}, fbar = 0: f^ is g or -g iff the mean of gamma zeta is beyond g/2 in size.",)


def _moved(bound: str, chance: str, conditions: Conditions = NONE) -> Any:
    return inequality(
        THREE, chance, "beta", derivation=_THREE, definitions={"bound": bound},
        conditions={"below": ("bound < g", "moving to a neighbour is beyond the bound"), **conditions},
    )  # fmt: skip


_GAUSSIAN = "erfc(g*sqrt(m)/(2*gamma)/sqrt(2))"
LABELS = Space(
    "Algorithm 3 on the constants in [-1, 1], balanced labels and one more, absolute loss",
    {
        "half": Integer("pairs of records with opposite labels", 1, 10**6),
        "eta": Real("weight of the regulariser", 1e-6, 1e2),
        "m": Integer("public points", 1, 10**6),
        "epsilon": EPSILON,
        "delta": DELTA,
        "mu": MU,
    },
    definitions={
        "n": "2*half + 1",
        "fbar": "min(1, 1/(4*eta*n))",
        "total": "min(1, 1/(4*eta))",
    },
)
_LABELS = (
    "F the constants in [-1, 1], loss |f - y|/2, labels 1 and -1 in turn and one more, 1 or -1: the mean of the losses "
    "is const -+ f/(2n), least with eta f^2 at +-min(1, 1/(4 eta n)); of their sum, at +-min(1, 1/(4 eta)).",
)
_TWICE = {"twice": "2/sqrt(eta*n)", "root2": "sqrt(log(2/delta))"}
_CUT = (*_LABELS, "Before it is cut to [-1, 1] the output is Gaussian with deviation gamma/sqrt(m).")
_SCALE11 = printed_scale("twice", "root2")


def _half_line(gamma: Formulas, conditions: Conditions = NONE, centre: str = "fbar") -> Any:
    """The event that the output is at least fbar: chances 1/2 and P(N > 2 fbar/sd)."""
    return pair_event(
        LABELS, "1/2", f"erfc(2*{centre}*sqrt(m)/(gamma*sqrt(2)))/2", derivation=_CUT, definitions=gamma,
        conditions=conditions,
    )  # fmt: skip


QUESTIONS: dict[str, Any] = {
    "publicdata.lemma3.privacy.gaussian": _event(STATED),
    "publicdata.lemma9.privacy.gaussian-exact": _event({"gamma": "sqrt(m)*rho/mu"}, CALIBRATED),
    "publicdata.lemma9.privacy.gaussian-small-m": _event(
        STATED_9, {**_WITHIN, "small": ("m <= 7", "below the range that is proved")}
    ),
    "publicdata.lemma9.privacy.gaussian-large-m": _event(
        STATED_9, {**_WITHIN, "large": ("m >= 8", "the range of the entry"), "one": ("epsilon <= 1", "its exponent")}
    ),
    "publicdata.lemma8.inequality.gaussian": _moved("2*gamma*sqrt(log(1/beta))", _GAUSSIAN),
    "publicdata.lemma8.inequality.gaussian.corrected": _moved("2*gamma*(1 + sqrt(2*log(1/beta)/m))", _GAUSSIAN),
    "publicdata.lemma8.inequality.laplace": _moved(
        "2*gamma*log(1/beta)*sqrt(m)", "exp(-g/(2*gamma))", {"one": ("m <= 1", "one Laplace variable")}
    ),
    "publicdata.lemma2.stability.mean": inequality(LABELS, "2*fbar", "2/sqrt(eta*n)", derivation=_LABELS),
    "publicdata.lemma2.stability.mean-sharp": inequality(LABELS, "2*fbar", "1/sqrt(eta*n)", derivation=_LABELS),
    "publicdata.lemma2.stability.sum": inequality(LABELS, "2*total", "2/sqrt(eta*n)", derivation=_LABELS),
    "publicdata.lemma11.privacy.gaussian": _half_line({**_TWICE, "gamma": _SCALE11}),
    "publicdata.alg3.privacy.sum": _half_line({**_TWICE, "gamma": _SCALE11}, centre="total"),
    "publicdata.alg3.privacy.mean": _half_line({"gamma": "sqrt(m)*min(2, 1/sqrt(eta*n))/mu"}, CALIBRATED),
    "publicdata.lemma11.privacy.laplace": pair_shift(
        LABELS, "2*fbar", "2/(sqrt(eta*n)*epsilon)", family="laplace", delta="delta",
        conditions={"one": ("m <= 1", "one Laplace variable")}, derivation=_LABELS,
    ),
}  # fmt: skip
