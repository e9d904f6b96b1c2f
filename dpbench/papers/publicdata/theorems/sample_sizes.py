"""What privacy asks of n in Theorems 3 and 7: the pair whose minimisers one record moves as far as convexity allows."""

from __future__ import annotations

from fractions import Fraction

from dpbench.certificates.build import Draft, without_bound
from dpbench.certificates.search.space import Parameter, Real
from dpbench.papers.publicdata.algorithms.clipped import clipped_gaussians
from dpbench.papers.publicdata.theorems.laplace_sums import bisected

ALPHA, BETA, LIPSCHITZ = 0.125, 0.05, 0.5
EPSILONS = (1.0, 0.1, 1e-2, 1e-3, 1e-4)

MOVED = (
    "Functions t phi, |t| <= 1, phi(x0) = 1 and phi = 1/(2 sqrt(eta n)) at the public point; |f - y|/2, balanced "
    "labels at x0. One record moves fbar from -phi to phi, all that convexity allows, and the chance of f^ = phi from "
    "1/2 to Phi(-2/s), s = 2 gamma sqrt(eta n/m). "
)


def least_spread(epsilon: float, delta: float) -> float:
    """The least s for which clip(1 + sN) and clip(−1 + sN) are (ε, δ)-indistinguishable, clip to [−1, 1]."""
    return bisected(lambda s: clipped_gaussians(-1.0, 1.0, s).delta(epsilon) <= delta)


DIRECTION = (
    "F = {t phi: |t| <= 1}, phi = 1 at x0 and a at the public point; records at x0 with balanced labels: one record "
    "moves fbar from -phi to phi, and the chance of f^ = phi goes from 1/2 to Phi(-2/s), s = 2 gamma sqrt(eta n/m). So "
    "this s, and any smaller, breaks (epsilon, delta) where broken > 0."
)
PRIVATE: dict[str, Parameter] = {
    "epsilon": Real("claimed", 1e-3, 1.0),
    "delta": Real("claimed", 1e-8, 1e-2),
    "s": Real("deviation of the output over half of what a record moves it by", 1e-2, 1e4),
    "alpha": Real("accuracy", 1e-3, 0.125),
}
BROKEN = "1/2 - exp(epsilon)*erfc(2/(s*sqrt(2)))/2 - delta"
CONDITIONS = {
    "alpha": ("alpha <= 1/8", "an accuracy"),
    "small": ("epsilon <= 1", "the range of the entry"),
    "broken": ("broken > 0", "the smaller noise breaks (epsilon, delta)"),
}

EIGHTH, TWENTIETH, LAMBDA = Fraction(1, 8), Fraction(1, 20), Fraction(1, 2)
_RATE = "2/sqrt(pi)*z/epsilon*exp(-z^2)"
_UNBOUNDED: tuple[str, list[str]] = (
    "F = {t phi: |t| <= 1}, phi = 1 at x0 and a at the public point; records at x0 with balanced labels: one record "
    "moves fbar from -phi to phi, and the chance of f^ = phi goes from 1/2 to Phi(-2/s), s = 2 gamma sqrt(eta n/m). "
    "So s = 3/(2 epsilon), and any smaller, breaks (epsilon, delta) where 1 - e^epsilon erfc(z) > 2 delta, "
    "z = sqrt(2)/s. As e^epsilon <= 1 + epsilon + epsilon^2 for epsilon <= 1 and erfc(z) <= 1 - 2 z "
    "exp(-z^2)/sqrt(pi), the left side over epsilon is at least (1 + epsilon + epsilon^2) rate - 1 - epsilon.",
    [],
)  # fmt: skip


def growth(needed: str, said: str, quantity: float, first: int, more: dict[str, tuple[str, object]],
           extra: dict[str, str], derivation: str) -> Draft:  # fmt: skip
    """The certificate that `needed` over `said` grows as ε falls."""
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
        derivation=[_UNBOUNDED, (derivation, ["alpha"])],
    )  # fmt: skip
