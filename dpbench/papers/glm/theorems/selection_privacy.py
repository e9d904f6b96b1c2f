"""Theorems 7, 8 and 13 of the GLM paper, privacy of grid search and boosting: exact; and Algorithm 4 as printed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from dpbench.core.sampling import stream
from dpbench.ledger.attacks import attack_bounds
from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row, column
from dpbench.papers.glm import losses
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.boosting import Boosting
from dpbench.papers.glm.grid_search import PrivateGridSearch
from dpbench.papers.glm.jl import JLMethod
from dpbench.papers.glm.noisy_gd import NoisyGD
from dpbench.papers.glm.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.pairs import random_record
from dpbench.privacy import selection

TARGETS = tuple((e, d) for e in (0.1, 1.0, 4.0) for d in (1e-3, 1e-6))
NAMES = ("squared", "half-squared", "logistic", "huber", "absolute", "linear", "capped-linear")
GD, OUTPUT = NoisyGD(1.0, 1e-5, steps=8), OutputPerturbation(1.0, 1e-5)
JL = JLMethod(1.0, 1e-5, dimension=2, steps=8)


def problem(name: str, n: int = 24) -> GLMProblem:
    """A basis of three, labels ±1 in turn."""
    loss = losses.capped_linear(2.0) if name == "capped-linear" else losses.resolve(name)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return GLMProblem(np.eye(3)[np.arange(n) % 3], y, loss=loss, x_bound=1.0, y_bound=1.0, radius=1.0)


def guarantees(make: Any, variants: tuple[Any, ...]) -> Iterator[Row]:
    """Rows of ``make(variant, ε, δ).guarantee`` for every loss and variant."""
    for name, (number, variant), (epsilon, delta) in product(NAMES, enumerate(variants), TARGETS):
        guarantee = make(variant, epsilon, delta).guarantee(problem(name))
        yield {"loss": name, "variant": number, "epsilon": epsilon, "delta": delta, "guarantee": guarantee}


_DISJOINT = (
    "Training and choice see disjoint records, so the whole has the larger of their two profiles. Losses are clipped "
    "to their range over the ball, so one record moves a mean over n' of them by at most (sup - inf)/n', whatever the "
    "model. "
)


@paper.privacy(
    "thm7", variant="exact", source="Theorem 7, with the sensitivity of the clipped mean", expected="proved",
    level=LEVEL, statement="Algorithm 4 over an exactly calibrated base is (epsilon, delta)-DP.",
    because=_DISJOINT + "K Gaussian candidates at mu(epsilon, delta)/sqrt(K) compose to mu(epsilon, delta); others by "
        "basic composition.",
)
def theorem7_exact(context: Context) -> tuple[str, Evidence]:
    """Guarantees for two bases and three compositions; exact profiles of the choice; an attack on the output."""
    variants = tuple((base, scheme) for base in (GD, OUTPUT, JL) for scheme in ("tight", "parallel", "basic"))

    def make(variant: Any, epsilon: float, delta: float) -> PrivateGridSearch:
        return PrivateGridSearch(variant[0], epsilon, delta, candidates=3, composition=variant[1])

    moved, leaks = worst_choice(context.seed, context.pick(quick=40, full=2_000))
    trials, attack = _attack(context)
    return profiles(
        [*guarantees(make, variants), {"epsilon": 1.0, "delta": 1e-5, "attack": attack}],
        "variants: noisy GD, output perturbation and the JL method, each composed tight, parallel, basic",
        f"one record of S_2 moves a score by at most {moved:.6g} of its sensitivity over random and extreme records "
        f"and models far outside the ball; the exact epsilon of the choice reaches {leaks:.4g} of 1",
        "attack at (1, 1e-5) on a record of S_2 whose loss moves by nearly its whole range, K = 1 (a choice of two "
        f"reveals at most epsilon/2): epsilon >= {attack:.4g}",
        trials=trials, broken=moved > 1.0 + 1e-9 or leaks > 1.0,
    )


def worst_choice(seed: int, tries: int) -> tuple[float, float]:
    """The largest change of a score over its sensitivity, and the largest exact ε of the choice at ε = 1."""
    rng, moved, leaks = stream(seed, "glm.thm7.privacy"), 0.0, 0.0
    search = PrivateGridSearch(GD, 1.0, 1e-5, candidates=3)
    for turn in range(tries):
        data = problem(NAMES[turn % len(NAMES)])
        index = data.n // 2 + int(rng.integers(data.n // 2))
        first, second = (data.replace_record(index, *random_record(data, rng, turn % 3 > 0)) for _ in range(2))
        lengths = 2.0 ** np.arange(1, 4) * (1.0 if turn % 2 else 10.0)
        models = []
        for length in lengths:
            w = rng.standard_normal(3)
            w[:] = np.eye(3)[rng.integers(3)] if turn % 5 == 0 else w / np.linalg.norm(w)
            models.append(rng.choice((-1.0, 1.0)) * length * w[None, :])
        scores = [search.scores(p, models)[0] for p in (first, second)]
        gammas = search.sensitivities(data)
        moved = float(np.maximum(moved, float((np.abs(scores[0] - scores[1])[1:] / gammas[1:]).max())))
        pair = selection.generalized_exponential_pair(scores[0], scores[1], gammas, 1.0, 0.25 * search.beta)
        leaks = float(np.maximum(leaks, pair.epsilon(0.0)))
    return moved, leaks


def _attack(context: Context) -> tuple[int, float]:
    """Trials, and the lower bound on ε of grid search with one candidate, on a record of S₂.

    Linear loss, labels +1, so that the candidate is near the ball's boundary and the record's loss moves by nearly
    the whole range; n such that either choice is likely. The choice between two is ε/2-DP, and reveals that much.
    """
    n = 100
    data = GLMProblem(np.ones((n, 1)), np.ones(n), loss="linear", x_bound=1.0, y_bound=1.0, radius=1.0)
    base = NoisyGD(1.0, 1e-5, steps=8, step_size=10.0)
    mechanism = PrivateGridSearch(base, 1.0, 1e-5, candidates=1)
    trials = context.pick(quick=10_000, full=1_000_000)
    pair = data, data.replace_record(n - 1, np.ones(1), -1.0)
    (bound,) = attack_bounds(context, [(mechanism, pair)], epsilon=1.0, delta=1e-5, trials=trials)
    return 2 * trials, bound


@paper.privacy(
    "thm8", variant="exact", source="Theorem 8, with the sensitivity of the clipped mean", expected="proved",
    statement="Algorithm 4 over boosted output perturbation, each candidate at (epsilon/K, delta/K), is (epsilon, "
    "delta)-DP.",
    because=_DISJOINT + "K candidates at (epsilon/K, delta/K) compose by the basic theorem.",
)
def theorem8_exact(context: Context) -> tuple[str, Evidence]:
    """Grid search over boosted output perturbation."""

    def make(variant: Any, epsilon: float, delta: float) -> PrivateGridSearch:
        return PrivateGridSearch(Boosting(OUTPUT, 1.0, 1e-5, models=2), epsilon, delta, candidates=variant)

    return profiles(guarantees(make, (1, 3)), "variants: K = 1 and 3, boosting with m = 2")


@paper.privacy(
    "thm13", variant="exact", source="Theorem 13, with the Laplace scale of the clipped mean", expected="proved",
    level=LEVEL,
    statement="Algorithm 5 with the base at (epsilon, delta) and the Laplace scale 2 Delta/(n' epsilon), n' the "
    "records of the last chunk, is (epsilon, delta)-DP.",
    because=_DISJOINT + "Report noisy max with the scale 2 Delta/epsilon is epsilon-DP.",
)
def theorem13_exact(context: Context) -> tuple[str, Evidence]:
    """Boosting over noisy gradient descent and output perturbation; an attack on a record of the last chunk."""
    trials, attack = _boosting_attack(context)
    return profiles(
        [*guarantees(boosted, (GD, OUTPUT)), {"epsilon": 1.0, "delta": 1e-5, "attack": attack}],
        "variants: noisy GD, output perturbation; m = 3",
        "attack at (1, 1e-5) on a record of the last chunk whose loss moves by nearly its whole range, m = 2: epsilon "
        f">= {attack:.4g}",
        trials=trials,
    )


@paper.privacy(
    "thm14", variant="exact", source="Theorem 14, with the Laplace scale of the clipped mean", expected="proved",
    statement="Algorithm 5 over the exactly calibrated JL method is (epsilon, delta)-DP.",
    because=_DISJOINT + "The range is that over |z| <= 2B(1 + alpha)|X|, where w~ of the ball of radius 2B in R^k "
        "predicts clipped projections.",
)
def theorem14_exact(context: Context) -> tuple[str, Evidence]:
    """Boosting over the JL method, whose losses are clipped at 2B(1 + α)‖X‖."""
    return profiles(guarantees(boosted, (JL,)), "the JL method; m = 3")


def boosted(variant: Any, epsilon: float, delta: float) -> Boosting:
    """Boosting with m = 3."""
    return Boosting(variant, epsilon, delta, models=3)


def _boosting_attack(context: Context) -> tuple[int, float]:
    """Trials, and the lower bound on ε of boosting two models at the two ends of a ball, on a record of the last chunk.

    Linear loss; the first chunk has labels +1 and the second −1, so that the two candidates are near ±B and the
    output tells which was chosen; the last chunk's other records cancel.
    """
    n = 60
    y = np.concatenate((np.ones(20), -np.ones(20), np.where(np.arange(20) % 2 == 0, 1.0, -1.0)))
    data = GLMProblem(np.ones((n, 1)), y, loss="linear", x_bound=1.0, y_bound=1.0, radius=1.0)
    mechanism = Boosting(NoisyGD(1.0, 1e-5, steps=8, step_size=10.0, noise_scale=0.05), 1.0, 1e-5, models=2)
    trials = context.pick(quick=10_000, full=1_000_000)
    pair = data, data.replace_record(n - 1, np.ones(1), 1.0)
    (bound,) = attack_bounds(context, [(mechanism, pair)], epsilon=1.0, delta=1e-5, trials=trials)
    return 2 * trials, bound


@paper.privacy(
    "alg4", variant="printed", source="Algorithm 4, as printed", expected="proved", holds="glm.thm7.privacy.exact",
    statement="Algorithm 4 with the sensitivities Delta(B_j) and an (epsilon/2K, delta/2K)-DP base whose outputs lie "
    "in the ball is (epsilon, delta)-DP.",
    because="The scores are means over n/2 records, which one record moves by at most 2(2 Y^2 + H a^2)/n <= 4 "
    "Delta(B)/n: the choice is (2/n)*epsilon-DP or better. Private, and for the same reason useless: the choice "
    "hardly looks at the scores.",
)
def algorithm4_printed(context: Context) -> tuple[str, Evidence]:
    """Private at every n, with a choice far weaker than asked for: the chance of a perfect candidate shows it."""
    proofs: list[Row] = []
    rows: list[Row] = []
    for name, n in product(("squared", "half-squared", "logistic", "huber", "capped-linear"), (2, 4, 24, 1_000)):
        data = problem(name, n)
        for epsilon, delta in TARGETS:
            search = PrivateGridSearch(GD, epsilon, delta, candidates=3, calibration="printed")
            proofs.append({"epsilon": epsilon, "delta": delta, "guarantee": search.guarantee(data)})
    y, n, epsilon, beta, count = 64.0, 1_000_000, 1.0, 0.05, 16
    bounds = [theory.ball_loss_bound(2.0, 1.0, y, 2.0**j) for j in range(1, count + 1)]
    for label, gammas, level in (("printed", bounds, 0.5), ("2 Delta/n", [2.0 * b / n for b in bounds], 1.0)):
        scores = np.full(count + 1, y**2)
        scores[6] = 0.0  # the candidate at radius 64 has no loss at all, every other one that of w = 0
        logs = selection.generalized_exponential(scores, [0.0, *gammas], level * epsilon, 0.25 * beta)
        rows.append({"sensitivity": label, "chance of the perfect candidate": float(np.exp(logs[6]))})
    data = problem("squared", 1_000)
    as_printed, true = (
        PrivateGridSearch(GD, 1.0, 1e-5, candidates=3, calibration=c).sensitivities(data)[1:]
        for c in ("printed", "exact")
    )
    return profiles(
        proofs,
        "value: the least ratio of a printed sensitivity to the true one at n = 1000 (squared loss)",
        "Y = 64, n = 1e6, K = 16, epsilon = 1: a candidate without any loss among others as bad as w = 0 is chosen "
        f"with probability {rows[0]['chance of the perfect candidate']:.4f} as printed, "
        f"{rows[1]['chance of the perfect candidate']:.4f} with 2 Delta/n",
        value=float((as_printed / true).min()), series=column(rows),
    )
