"""Theorem 12 of the GLM paper (GenExpMech: privacy, utility) and Algorithm 5's printed noise, from probabilities."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln, logsumexp

from dpbench.core.sampling import stream
from dpbench.ledger.harness import profiles, summary
from dpbench.ledger.measurement import Context, Evidence, Row, Rows, column
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.theorems import paper
from dpbench.privacy import discrete, selection
from dpbench.privacy.profile import Profile, discrete_profile

EPSILONS = (0.1, 1.0, 4.0)
_ROUNDS = 6
BETA = 0.05


@paper.privacy(
    "thm12", variant="exact", source="Theorem 12", expected="proved",
    statement="GenExpMech is epsilon-DP if one record moves the score of candidate j by at most gamma_j.",
    because="One record moves q_i - q_j by at most gamma_i + gamma_j, so every normalised score by at most 1; the "
    "exponential mechanism with exp(-epsilon s/2) does the rest. Both laws are finite, so the profile of a pair is "
    "exact.",
)
def theorem12_privacy(context: Context) -> tuple[str, Evidence]:
    """The guarantee, and the largest exact ε of two neighbouring score vectors that a search finds."""
    tries = context.pick(quick=40, full=1_500)
    columns: list[Row] = []
    proofs: list[Row] = []
    for epsilon in EPSILONS:
        random, directed, pair = largest_epsilon(context.seed, epsilon, tries)
        columns.append({"epsilon": epsilon, "random": random, "directed": directed})
        guarantee, target = selection.generalized_exponential_guarantee(epsilon), {"epsilon": epsilon, "delta": 0.0}
        proofs += [target | {"guarantee": guarantee}, target | {"pair": pair}]
    return profiles(
        proofs,
        "value: the largest exact epsilon of a pair of score vectors over the claimed one; a pair in which every "
        "candidate but one loses what that one gains comes nearest",
        "random and extreme scores and sensitivities over six decades, at most one sensitivity 0; then a search "
        "from the worst",
        value=max(row["directed"] / row["epsilon"] for row in columns),
        trials=len(EPSILONS) * tries * (1 + _ROUNDS), series=column(columns),
    )


def largest_epsilon(seed: int, epsilon: float, tries: int) -> tuple[float, float, Profile]:
    """The largest exact ε over random pairs and after a search from the worst of them, with its pair."""
    rng = stream(seed, "glm.thm12.privacy", epsilon)
    pool = [_pair(rng, int(rng.integers(2, 13)), turn) for turn in range(tries)]
    found = [_level(epsilon, *pair) for pair in pool]
    first = max(found)
    for turn in range(_ROUNDS):
        best = [pool[k] for k in np.argsort(found)[-max(1, tries // 8) :]]
        moved = [_moved(rng, 0.6**turn, *pair) for pair in best for _ in range(7)]
        pool = best + moved
        found = [_level(epsilon, *pair) for pair in pool]
    q, other, gammas = pool[int(np.argmax(found))]
    pair = selection.generalized_exponential_pair(q, other, gammas, epsilon, BETA)
    return first, max(found), pair


def _pair(rng: np.random.Generator, size: int, turn: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, neighbouring scores and sensitivities: inside the bounds or, three times in four, on them."""
    gammas = 10.0 ** rng.uniform(-3.0, 3.0, size) if turn % 3 else np.ones(size)
    if turn % 2:
        gammas[int(rng.integers(size))] = 0.0
    q = gammas.max() * 10.0 ** rng.uniform(-2.0, 2.0) * rng.standard_normal(size)
    way = rng.choice([-1.0, 1.0], size) if turn % 4 else rng.uniform(-1.0, 1.0, size)
    if turn % 4 == 1:
        way = np.where(np.arange(size) == int(rng.integers(size)), -1.0, 1.0)
    return q, q + way * gammas, gammas


def _moved(
    rng: np.random.Generator, step: float, q: np.ndarray, other: np.ndarray, gammas: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    way = np.divide(other - q, gammas, out=np.zeros_like(q), where=gammas > 0.0)
    flip = rng.random(q.size) < 0.1 * step
    way = np.clip(np.where(flip, -way, way), -1.0, 1.0)
    gammas = gammas * np.exp(step * rng.standard_normal(q.size))
    q = q + step * gammas.max() * rng.standard_normal(q.size)
    return q, q + way * gammas, gammas


def _level(epsilon: float, q: np.ndarray, other: np.ndarray, gammas: np.ndarray) -> float:
    return selection.generalized_exponential_pair(q, other, gammas, epsilon, BETA).epsilon(0.0)


@paper.inequality(
    "thm12", source="Theorem 12, utility", expected="not refuted",
    statement="With probability at least 1 - beta the chosen score is at most min_j (q_j + 4 gamma_j "
    "log(N/beta)/epsilon).",
    because="The candidate with the least q + t gamma has s = 0, so s > t has probability at most N exp(-epsilon t/2) "
    "= beta; s_i <= t reads q_i <= q_j + 2t gamma_j.",
)
def theorem12_utility(context: Context) -> Rows:
    """The exact probability that the chosen score is above min_j (q_j + 4γ_j log(N/β)/ε), against β."""
    tries = context.pick(quick=500, full=10_000)
    rng = stream(context.seed, "glm.thm12.inequality")
    for beta in (0.3, 0.05, 1e-3):
        worst = 0.0
        for turn in range(tries):
            epsilon = 10.0 ** rng.uniform(-1.0, 1.0)
            _, q, gammas = _pair(rng, int(rng.integers(2, 13)), turn)
            if turn % 5 == 0:  # one candidate ahead by what the theorem allows, all others just beyond it
                q = np.full(q.size, 4.0 * math.log(q.size / beta) / epsilon * (1.0 + 1e-9))
                q[0], gammas = 0.0, np.ones(q.size)
            logs = selection.generalized_exponential(q, gammas, epsilon, beta)
            losses = [theory.selection_loss(gamma, q.size, epsilon, beta) for gamma in gammas]
            worst = float(np.maximum(worst, float(np.exp(logs[q > (q + losses).min()]).sum())))
        yield {"beta": beta, "chance": worst}
    return summary(
        "value: the smallest of 1 - (exact chance of a worse choice)/beta over all score vectors tried",
        sides=("chance", "beta"), trials=3 * tries,
    )


@paper.privacy(
    "alg5", variant="printed", source="Algorithm 5 with the Laplace scale of Theorem 13", expected="refuted",
    holds="glm.thm13.privacy.exact",
    statement="Report noisy max with Lap(sigma), sigma^2 = 4(Y^2 + H~ gamma^2 X^2)/(n epsilon), makes Algorithm 5 "
    "(epsilon, delta)-DP.",
    because="A record of the last chunk moves a mean loss by up to (m + 1)Delta/n, so the choice needs the scale 4(m "
    "+ 1)Delta/(n epsilon) for epsilon/2. The printed formula is that scale without m + 1 and squared: the noise is "
    "too small where n epsilon is below about (m + 1)^2 Delta, with n >= n_0 too if Y is large.",
)
def algorithm5_printed(context: Context) -> tuple[str, Evidence]:
    """Two-valued outputs of a base that ignores its data: the law of Algorithm 5 is known in closed form."""
    epsilon, delta, models = 1.0, 1e-5, theory.boosting_models(BETA)
    rows: list[Row] = []
    for y, last in ((1.0, 10), (10.0, 10), (10.0, 1_000), (100.0, 100_000), (1_000.0, 400_000)):
        n = (models + 1) * last
        gamma = y / math.sqrt(math.log(2.0))
        scale = theory.boosting_scale(2.0, 1.0, y, gamma, n, epsilon)
        tried = favours(y, last, scale, context.pick(quick=3, full=5))
        found = [coin_pair(y, last, models, scale, favour) for favour in tried]
        pair = max(found, key=lambda profile: profile.delta(epsilon))
        enough = 16.0 * gamma**2 * math.log(4.0 / BETA) ** 8 * 2.0 / y**2
        needed = 4.0 * (models + 1) * 4.0 * y**2 / (n * epsilon)
        rows.append({"Y": y, "n": n, "n is at least n_0": n >= enough, "scale": scale, "scale_needed": needed,
                     "epsilon": epsilon, "delta": delta, "pair": pair})
    reference = rows[1]
    return profiles(
        rows,
        f"value: the true delta at Y = {reference['Y']:g}, n = {reference['n']} where ({epsilon:g}, {delta:g}) is "
        "claimed",
        f"squared loss, B = Y, X = 1, m = {models}; the base returns +B e_1 or -B e_1 by a fair coin, so it is "
        "(0, 0)-DP, and gamma^2 = B^2/log 2; one record of the last chunk changes from (e_1, Y) to (e_1, -Y)",
        "with 4(.)/(n epsilon) read as the scale, times m + 1, as the corrected entry has it, the choice is "
        "epsilon/2-DP",
        value=reference["pair"].delta(epsilon),
    )


def favours(y: float, last: int, scale: float, count: int = 5) -> list[int]:
    """How many of the other `last` − 1 records speak for +B e_1, net: `count` values from 0 to a lead of 40 scales."""
    most = min(last - 1, math.ceil(40.0 * scale * last / (4.0 * y**2)))
    return sorted({int(k) for k in np.linspace(0, most, count)})


def coin_pair(y: float, last: int, models: int, scale: float, favour: int) -> Profile:
    """The exact profile of Algorithm 5's output on the pair above; `favour` other records are (e_1, Y).

    The remaining records are (0, 0). The loss of +B e_1 is 0 on (e_1, Y) and 4Y² on (e_1, −Y), that of −B e_1
    the reverse.
    """
    each = 4.0 * y**2 / last
    laws = [_coin_law(-favour * each - way * each, models, scale) for way in (1.0, -1.0)]
    return discrete_profile(discrete.pair_from_logs(*laws), why="law of the chosen sign")


def _coin_law(lead: float, models: int, scale: float) -> np.ndarray:
    """log P(output is ±B e_1), where the mean loss of +B e_1 is larger by `lead`; sums over the models' signs."""
    plus, minus = [], []
    for k in range(models + 1):
        weight = gammaln(models + 1) - gammaln(k + 1) - gammaln(models - k + 1) - models * math.log(2.0)
        logs = selection.noisy_max(np.where(np.arange(models) < k, lead, 0.0), scale)
        if k > 0:
            plus.append(weight + logsumexp(logs[:k]))
        if k < models:
            minus.append(weight + logsumexp(logs[k:]))
    return np.array([logsumexp(plus), logsumexp(minus)])
