"""Algorithm 3 of the public-data paper, privacy: the sum of the losses as displayed, and their mean."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

from scipy.special import ndtr

from dpbench.certificates.attack_counts import Attack, counted
from dpbench.certificates.build import Draft, as_computed, below, certificate
from dpbench.ledger.attacks import attack_bounds
from dpbench.ledger.harness import profiles, summary
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, Rows
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.algorithms.regularized_perturbation import RegularizedPerturbation
from dpbench.papers.publicdata.theorems import paper, sum_for_mean
from dpbench.papers.publicdata.theorems.balanced_labels import (
    DELTA,
    EPSILON,
    ETA,
    HALF_LINE,
    OF_SUM,
    RECORDS,
    STABLE,
    SUM,
    M,
    balanced,
    printed,
)
from dpbench.papers.publicdata.theorems.perturb_shift import MU, RECORDED, SHIFTED, SYMBOLS
from dpbench.privacy import gaussian

OF_THE_SUM = HALF_LINE.replace(
    about="Algorithm 3 with the sum of the losses, eta = Theta(alpha) and gamma of (104) is {claim}.",
    where=OF_SUM,
    witness=tuple({"half": n, "m": 64, "eta": "1/10", "epsilon": 1, "delta": "1e-5"} for n in (5000, 50_000)),
)
EXACT = HALF_LINE.replace(
    about="Algorithm 3 with the mean of the losses and {gamma}, or m rho/epsilon for Laplace noise, {rho}, is {claim}.",
    symbols={"mu": MU},
    where={"twice": None, "root": None, "rho": "min(2, 1/sqrt(eta*n))", "gamma": "sqrt(m)*rho/mu"},
)


@paper.privacy(
    "alg3",
    variant="sum",
    source="Theorem 3, Lemma 11, with equation 8",
    expected="refuted",
    level=LEVEL,
    holds="publicdata.alg3.privacy.mean",
    statement=OF_THE_SUM,
    weight="misprint",
    hurt="letter",
    quote=sum_for_mean.QUOTE,
    consequence=sum_for_mean.CONSEQUENCE,
    errata=sum_for_mean.correction("Equation 8, with Theorem 3"),
    because=SUM + "gamma of (104) falls with n, and the cut output has atoms at -1 and 1.",
)
def summed(context: Context) -> tuple[str, Evidence]:
    """Equation 8 as printed, η = 0.1, γ of (104): the exact atoms over n, and the attack at n = 10,001."""
    rows: list[Row] = []
    for n in RECORDS:
        sides, mechanism = balanced(n), printed("sum")
        pair = mechanism.pair_profile(*sides)
        centres = [float(mechanism.minimiser(p)[0]) for p in sides]
        noise = mechanism.gamma(sides[0]) / math.sqrt(M)
        atoms = [float(ndtr((c - 1.0) / noise)) for c in centres]
        rows.append({"epsilon": EPSILON, "delta": DELTA, "pair": pair, "n": float(n), "centre": centres[0],
                     "centre_neighbour": centres[1], "noise": noise, "atom": atoms[0], "atom_neighbour": atoms[1],
                     "epsilon_reached": pair.epsilon(DELTA)})  # fmt: skip
    trials = context.pick(quick=20_000, full=200_000)
    row = rows[RECORDS.index(10_001)]
    attacks = [(printed("sum"), balanced(10_001))]
    (lower,) = attack_bounds(context, attacks, epsilon=EPSILON, delta=DELTA, trials=trials)
    return profiles(
        rows,
        f"value: exact epsilon at n = 10,001, m = {M}, eta = {ETA:g}, delta = {DELTA:g}, claimed 1: f_bar moves from "
        f"{row['centre']:g} to {row['centre_neighbour']:g}, the atom at 1 from {row['atom']:.4f} to "
        f"{row['atom_neighbour']:.4f}",
        f"n = 1,001: epsilon = {rows[0]['epsilon_reached']:.4f}; attack at n = 10,001: epsilon >= {lower:.3f} "
        f"({'refuted' if lower > EPSILON else 'not refuted'})",
        value=row["epsilon_reached"],
        trials=2 * trials,
    )


@counted("publicdata.alg3.privacy.sum")
def attack() -> Attack:
    about = "constants, labels 1 and -1 in turn and one more, n = 10,001"
    return Attack(printed("sum"), balanced(10_001), 1.0, 1e-5, about)


@paper.privacy(
    "alg3",
    variant="mean",
    source="Theorem 3, with the mean of the losses and the exact calibration",
    expected="proved",
    rests_on=(
        "publicdata.lemma2.stability.mean-sharp",
        "publicdata.lemma9.privacy.gaussian-exact",
        "publicdata.lemma9.privacy.laplace-exact",
    ),
    statement=EXACT,
    because="Lemma 2 as proved (2 eta |f - f'|_m^2 <= 2/n), then the exact shift of fbar(Z) + gamma zeta.",
)
def averaged(context: Context) -> Rows:
    """The mean, γ from the proven stability and the exact shift: guarantee and worst pairs of constants."""
    for n, m in product((11, 101, *RECORDS), (1, M, 1024)):
        sides = balanced(n, m)
        # at η = 1/(4n) one record moves f̄ from −1 to 1: all that the stability allows
        for eta, (noise, delta) in product((0.25 / n, ETA, 1.0), (("gaussian", DELTA), ("laplace", 0.0))):
            mechanism = RegularizedPerturbation(EPSILON, delta, noise=noise, regularization=eta)
            claimed = {"epsilon": EPSILON, "delta": delta}
            yield claimed | {"guarantee": mechanism.guarantee(sides[0])}
            if noise == "gaussian":
                pair = mechanism.pair_profile(*sides)
                yield claimed | {"pair": pair, "epsilon_reached": pair.epsilon(delta)}
    return summary(
        "value: largest exact epsilon of a balanced pair of constants, Gaussian noise, claimed 1: where one record "
        "moves them from -1 to 1 the cut hides most of it",
        value="epsilon_reached",
    )


@certificate("publicdata.alg3.privacy.mean", "guarantee")
def mean_certificate() -> Draft:
    instances = []
    for n in (11, 1001):
        for m in (1, 64):
            for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
                mu = below(gaussian.mu(float(epsilon), 1e-5))
                values = {"n": n, "eta": Fraction(1, 10), "m": m, "epsilon": epsilon, "delta": Fraction(1, 10**5),
                          "mu": mu}  # fmt: skip
                instances.append((values, {"delta": gaussian.delta(float(epsilon), float(mu))}))
    draft = Draft(
        verdict="proved", statement="gamma = sqrt(m) rho/mu with the proven stability is enough.",
        symbols={**SYMBOLS, "mu": "shift of the Gaussian profile, at most the largest that (epsilon, delta) allows"},
        definitions={name: EXACT.where[name] for name in ("rho", "gamma")}, assumptions=RECORDED,
        claim={"family": "gaussian", "shift": "sqrt(m)*rho", "scale": "gamma", "epsilon": "epsilon", "delta": "delta"},
        instances=instances, derivation=[STABLE, (SHIFTED[0], ["eta"])],
        theory={"rho": lambda v: theory.regularized_stability(int(v["n"]), v["eta"])},
    )  # fmt: skip
    return as_computed(draft, "gamma", "scale of the noise, as it is computed", solved="mu")
