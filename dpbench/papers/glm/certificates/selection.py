"""Theorems 7, 12, 13 and 14 of the GLM paper: the generalised exponential mechanism, grid search and boosting."""

from __future__ import annotations

from fractions import Fraction

from dpbench.certificates.build import Draft, as_computed, below, certificate
from dpbench.privacy import gaussian

_TARGETS = tuple((e, p) for e in (Fraction(1, 10), Fraction(1), Fraction(4)) for p in (3, 6))
_DISJOINT = (
    "Training and choice see disjoint records, so the whole has the larger of their two profiles; what is released is "
    "a function of both."
)


@certificate("glm.thm12.privacy.exact", "guarantee")
def theorem12() -> Draft:
    instances = [({"epsilon": e, "moves": 1}, {"loss": e}) for e in (Fraction(1, 10), Fraction(1), Fraction(4))]
    draft = Draft(
        verdict="proved",
        statement="No candidate's chance changes by more than e^epsilon.",
        symbols={"epsilon": "claimed", "moves": "change of a normalised score between neighbours, at most"},
        definitions={"weight": "epsilon/2"}, assumptions={"one": ("moves <= 1", "by the sensitivities")},
        claim={"family": "pure", "shift": "2*weight*moves", "scale": "1", "epsilon": "epsilon", "delta": "0"},
        instances=instances,
        derivation=[
            ("s_i = max(0, max_j ((q_i + t gamma_i) - (q_j + t gamma_j))/(gamma_i + gamma_j)): numerators move by at "
             "most "
             "gamma_i + gamma_j, so s_i by at most 1.", ["one"]),
            ("Weights exp(-epsilon s_i/2): each, and their sum, changes by at most e^(epsilon/2).", []),
        ],
    )  # fmt: skip
    return as_computed(draft, "weight", "factor of the scores in the exponent, negated", solved="-")


def boosted(grid: bool) -> Draft:
    """Training: one Gaussian shift; choice: pure, its noise or weight from the range of the clipped loss."""
    instances = []
    for epsilon, power in _TARGETS:
        delta = Fraction(1, 10**power)
        mu = below(gaussian.mu(float(epsilon), float(delta)))
        values = {"epsilon": epsilon, "delta": delta, "mu": mu, "records": 8, "Delta": 4, "distance": 2}
        values |= {"K": 3, "weight": epsilon} if grid else {"scale_of_choice": 1 / epsilon}
        instances.append((values, {"delta": gaussian.delta(float(epsilon), float(mu))}))
    symbols = {
        "epsilon": "claimed",
        "delta": "claimed",
        "mu": "shift of the Gaussian profile, at most the largest allowed",
        "records": "records that the choice sees",
        "Delta": "range of the clipped loss",
        "distance": "l2 sensitivity of what the noise of training hides",
        **(
            {"K": "candidates, trained on the same records", "weight": "of the exponential mechanism"}
            if grid
            else {"scale_of_choice": "of the Laplace noise of the choice"}
        ),
    }
    choice = (
        ("2*weight*(Delta/records) <= epsilon", "the exponential mechanism, its sensitivity Delta/records")
        if grid else
        ("2*(Delta/records)/scale_of_choice <= epsilon", "report noisy max with Laplace noise")
    )  # fmt: skip
    draft = Draft(
        verdict="proved", statement="The training and the choice are each within (epsilon, "
            "delta).",
        symbols=symbols,
        definitions={"sigma": "sqrt(K)*distance/mu"} if grid else
        {"sigma": "distance/mu"},
        assumptions={"choice": choice, "some": ("distance > 0", "the records count")},
        claim={"family": "gaussian", "shift": "sqrt(K)*distance" if grid else "distance", "scale": "sigma",
               "epsilon": "epsilon", "delta": "delta"},
        instances=instances,
        derivation=[
            (_DISJOINT, []),
            ("K Gaussian candidates of shift distance/sigma compose to sqrt(K) distance/sigma (Dong, Roth and Su 2019)."
             if grid else "A record is in one chunk, so one model depends on it.", ["some"]),
            ("Losses are clipped to their range Delta over the ball, so a record moves a mean over the records of "
             "the choice "
             "by at most Delta/records.", ["choice"]),
        ],
    )  # fmt: skip
    return as_computed(draft, "sigma", "standard deviation of the noise, as it is computed", solved="mu")


@certificate("glm.thm7.privacy.exact", "guarantee")
def theorem7() -> Draft:
    return boosted(
        True,
    )  # fmt: skip


@certificate("glm.thm13.privacy.exact", "guarantee")
def theorem13() -> Draft:
    return boosted(False)  # fmt: skip


@certificate("glm.thm14.privacy.exact", "guarantee")
def theorem14() -> Draft:
    return boosted(
        False,
    )  # fmt: skip
