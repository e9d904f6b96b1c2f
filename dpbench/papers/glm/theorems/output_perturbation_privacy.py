"""Privacy of regularised output perturbation (Algorithm 3): what Theorems 3 and 5 share."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dpbench.auditing.audit import audit
from dpbench.ledger.attacks import Bound, kept
from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import LEVEL, Context, Evidence
from dpbench.ledger.statement import Integer, Real, Statement, calibrated, grid
from dpbench.ledger.statement import gaussian as gaussian_pair
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems.pairs import (
    SEARCH,
    cancelling_pair,
    curved,
    guarantees_over,
    searched,
    worst_real_pair,
)

TARGETS = tuple((e, d) for e in (0.1, 1.0, 4.0) for d in (1e-3, 1e-6))
NEAR = (1.0, 1e-1)
"""(ε, δ) at which a distinguishing attack with a million samples can come within 5% of the true ε."""
SEEDS = {"quick": 1, "full": 10}
EPSILONS = ("1/10", 1, 4)
ATTACK_RUNS = {"quick": 100_000, "full": 2_000_000}
"""Runs a side of one attack."""


SENSITIVITY = (
    "Two lambda-strongly convex objectives that differ in one record have constrained minimisers at most D/(lambda "
    "n) apart, D the largest difference of two records' gradients at one point; the solver's certified distance "
    "tau from the minimiser, fixed before the data are seen, adds 2 tau. Noise sigma on each coordinate of the "
    "output gives a Gaussian profile with mu = shift/sigma."
)


def exact_guarantee(names: tuple[str, ...], theorem: int, seeds: int, context: Context) -> tuple[str, Evidence]:
    """Guarantees at every (ε, δ); a search for a worse pair; attacks on the worst pair and on real data."""
    make = partial(OutputPerturbation, theorem=theorem)
    epsilon, delta = NEAR
    mechanism, base = make(epsilon, delta), curved(names[0])
    distance, largest = partial(distance_of, mechanism), mechanism.sensitivity(base)
    search = searched(base, distance, largest, context.seed, context.pick(**SEARCH))
    extreme = "linear" if theorem == 5 else losses.capped_linear(2.0)
    problem, neighbour = cancelling_pair(extreme, 101, x_bound=1.0, y_bound=1.0, radius=1.0)
    pair = mechanism.pair_profile(problem, neighbour)
    trials = context.pick(**ATTACK_RUNS)
    level = LEVEL / (seeds + 1)
    unit, seed = {"what": "audits of output perturbation"}, 1000 * context.seed + 100 * theorem
    small = partial(_audit_bound, mechanism, problem, neighbour, trials, level, seed)
    bounds = [Bound.of(one) for one in context.map(unit, small, range(seeds))]
    real = worst_real_pair("huber" if theorem == 5 else "squared")
    (on_real,) = context.map(unit, partial(_audit_bound, mechanism, *real, trials, level, seed), [seeds])
    real_bound = Bound.of(on_real)
    truth = pair.epsilon(delta)
    claimed = {"epsilon": epsilon, "delta": delta}
    attacks = [claimed | {"on": "the worst pair", "attack": bound} for bound in bounds]
    attacks.append(claimed | {"on": "diabetes, one record replaced", "attack": real_bound})
    return profiles(
        [*guarantees_over(make, names, (0.1, 2.0), TARGETS), *attacks],
        f"attack on the worst pair at delta = {delta:g}: mean over {seeds} seed{'s' * (seeds > 1)} "
        f"{np.mean(bounds):.4f}, {np.mean(bounds) / truth:.1%} of the true epsilon {truth:.4f}; above it "
        f"{sum(b > truth for b in bounds)} times",
        f"attack on diabetes with one record replaced by the worst one allowed: epsilon >= {real_bound:.4f}",
        "worst pair: opposite gradients of the largest norm, others cancelling, minimisers inside the ball, so that "
        f"their distance is the sensitivity; {search}",
        trials=2 * trials * (seeds + 1),
        tables={"worst pair": {"true_epsilon": [truth]}},
    )


def _audit_bound(
    mechanism: OutputPerturbation, problem: GLMProblem, neighbour: GLMProblem, trials: int, level: float,
    seed: int, block: int,
) -> dict[str, Any]:  # fmt: skip
    """The lower bound on ε of one attack; `block` counts the seeds."""
    return kept(
        audit(mechanism, problem, neighbour, delta=NEAR[1], trials=trials, confidence=1.0 - level, seed=seed + block)
    )


def distance_of(mechanism: OutputPerturbation, problem: GLMProblem, neighbour: GLMProblem) -> float:
    return float(np.linalg.norm(mechanism.centre(problem) - mechanism.centre(neighbour)))


GUARANTEED = Statement(
    about="Algorithm 3 with {sigma} and {lambda} is {claim} for every convex G-Lipschitz GLM: before the noise its "
    "answers on neighbours are at most {distance} apart.",
    symbols={
        "n": Integer("number of records", 1, 10**9),
        "G": Real("Lipschitz constant of the loss", "1/100", 100),
        "X": Real("bound on the features' norm", "1/100", 100),
        "B": Real("radius of the ball", "1/100", 100),
        "epsilon": Real("claimed", "1/100", 100),
        "delta": Real("claimed", "1e-10", "1/10"),
        "tau": Real("distance of the solver's answer from the minimiser, fixed beforehand", 0, 1),
        "mu": calibrated("gaussian", "epsilon", "delta"),
    },
    where={
        "lambda": "G*X*log(1/delta)^(1/4)/(B*sqrt(n*epsilon))",
        "distance": "2*G*X/(lambda*n) + 2*tau",
        "sigma": "distance/mu",
    },
    claim=gaussian_pair(shift="distance", scale="sigma"),
    steps=(
        "A lambda-strongly convex risk of which one record is replaced moves its minimiser over a convex set by at "
        "most D/(lambda n), D <= 2 G X the largest distance of two records' gradients (Bousquet and Elisseeff 2002).",
        "The solver's answer is within tau of the minimiser, for both data sets.",
        "The output is that answer with Gaussian noise of standard deviation sigma; its profile grows with the "
        "distance of the means (Balle and Wang 2018).",
    ),
    witness=grid(n=(100,), G=(1,), X=(1,), B=(1,), epsilon=EPSILONS, delta=("1e-3", "1e-6"), tau=("1/1000",)),
    computed={"lambda": "weight of the regulariser", "sigma": "standard deviation of the noise"},
)
"""Theorem 5 as it holds; `theorem3` has it for smooth losses."""
