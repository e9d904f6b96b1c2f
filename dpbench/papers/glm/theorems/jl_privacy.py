"""Privacy of the JL method, averaged over the map's stretch: what Theorems 2 and 10 share."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse

from dpbench.ledger.attacks import attack_bounds
from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import Context, Evidence, Row
from dpbench.ledger.statement import Statement, inequality
from dpbench.papers.glm import losses
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.losses import Loss
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.theorems.pairs import cancelling_pair

TARGETS = tuple((e, d) for e in (0.1, 1.0, 4.0, 16.0) for d in (1e-3, 1e-6))
SEEN_BY_SAMPLING = (4.0, 0.1)
"""(ε, δ) at which an attack with a few thousand runs, each with a map of its own, has power."""

_CLIPPED = (
    "Algorithm 2 with Phi x_i clipped to norm (1 + alpha)|X| and sigma = (D/n)sqrt(T-1)/mu(epsilon, delta) "
    "is (epsilon, delta)-DP for every epsilon > 0 and 0 < delta < 1, whatever the map does."
)
_DERIVATION = (
    "The map does not depend on the data, so it may be thought released. Given it, each projected record has norm at "
    "most (1 + alpha)|X| because it is clipped, the ball has radius 2B, and T-1 steps compose to mu = (D/n)sqrt(T-1)/"
    "sigma with D taken at that norm and that radius; the lift is post-processing. No event of the map is needed."
)


def _released(mechanism: JLMethod, problem: GLMProblem, neighbour: GLMProblem) -> Row:
    """The pair's profile of the output, with the δ of all iterates beside it."""
    epsilon = mechanism.epsilon
    output, every = (mechanism.pair_profile(problem, neighbour, released=r) for r in ("average", "all"))
    return {
        "epsilon": epsilon,
        "delta": mechanism.delta,
        "pair": output,
        "k": mechanism.projected_dimension(problem),
        "true_delta_output": output.delta(epsilon),
        "true_delta_all_iterates": every.delta(epsilon),
    }


def _exact(context: Context, theorem: int, tried: tuple[Loss, ...]) -> tuple[str, Evidence]:
    """Guarantees at every (ε, δ); an attack on the worst pair."""
    X, y = np.eye(3)[np.arange(12) % 3], np.where(np.arange(12) % 2 == 0, 1.0, -1.0)
    rows: list[Row] = []
    for loss, radius in product(tried, (0.01, 2.0)):
        problem = GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=radius)
        for epsilon, delta in TARGETS:
            guarantee = JLMethod(epsilon, delta, theorem=theorem).guarantee(problem)
            target = {"epsilon": epsilon, "delta": delta, "guarantee": guarantee}
            rows.append({"loss": loss.name, "radius": radius, **target})
    extreme = losses.linear() if theorem == 10 else losses.capped_linear(100.0)
    small, neighbour = cancelling_pair(extreme, 21, x_bound=1.0, y_bound=1.0, radius=20.0, dimension=6)
    epsilon, delta = SEEN_BY_SAMPLING
    attacked = JLMethod(epsilon, delta, dimension=3, distortion=0.1, steps=20, step_size=0.05, theorem=theorem)
    trials = context.pick(quick=800, full=10_000)
    (attack,) = attack_bounds(context, [(attacked, (small, neighbour))], epsilon=epsilon, delta=delta, trials=trials)
    return profiles(
        [*rows, {"epsilon": epsilon, "delta": delta, "attack": attack}],
        f"attack on the worst pair ({extreme.name}): epsilon >= {attack:.4g} at delta = {delta:g} "
        f"(claimed {epsilon:g})",
        trials=2 * trials,
    )


_SUFFICES = (
    "Phi does not depend on the data, so it may be thought released; only the two records that differ count. Their "
    "projections are longer than (1 + a)|X| with the chance of a chi-squared tail, and on all others the printed noise "
    "has the Gaussian profile that belongs to the gradients at radius 2B and that norm: delta <= 2 P(|Phi x| > (1 + a)"
    "|X|) + delta_Gauss(epsilon; mu(a)), at the best a."
)


_WIDE = 20_000
"""Dimension of the data, above every k here, so that none is cut."""


def _alternating(loss: losses.Loss, n: int, radius: float) -> GLMProblem:
    """Records (e_1, ±1): a guarantee is over all neighbours and depends on the bounds alone."""
    X = sparse.csr_array((np.ones(n), np.zeros(n, dtype=np.int32), np.arange(n + 1)), shape=(n, _WIDE))
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    return GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=radius)


_EDGES = 44


def _edge(i: str) -> str:
    """The i-th edge in r = |Phi u| of a unit vector u, half a standard deviation apart (Wilson and Hilferty)."""
    return f"max(1 - 2/(9*k) + ({i} - 6)/2*sqrt(2/(9*k)), 1/20)^(3/2)"


def averaged(about: str, symbols: Mapping[str, Any], where: Mapping[str, str], given: Mapping[str, Any]) -> Statement:
    """The profile of a pair averaged over the map's stretch r, r^2 chi-squared over k, within (epsilon, delta).

    `where` gives n, T, eta, sigma and k; the slope is 1 along Phi x on the ball of radius 2B.
    """
    cell = f"(gammatail(k/2, k*({_edge('i')})^2/2) - gammatail(k/2, k*({_edge('(i + 1)')})^2/2))"
    return Statement(
        about=about,
        symbols=symbols,
        where={
            **where,
            "longest": _edge(str(_EDGES)),
            "mu": "2/n*sqrt(T - 1)/sigma*sqrt(6*T/(4*(2*T - 1)))",
            "room": "2*B - eta*(T - 1)/n*longest",
            "reach": "room/(eta*sigma*sqrt(T - 1))",
            "kappa": "2*gammatail(k/2, reach^2/2) + gammatail(k/2, k*longest^2/2)",
        },
        given={"room": ("room > 0", "the drift alone stays in the ball of radius 2B"), **given},
        claim=inequality(
            f"sum(i, 0, {_EDGES - 1}, {cell}*gaussian_delta(mu*({_edge('i')}), epsilon))", "<=",
            "delta + (1 + exp(epsilon))*kappa",
        ),
        steps=(
            "Slope -y along Phi x on the whole ball; records (u, +1) and (u, -1) in turn, the last (u, +1) or (u, -1), "
            "G = X = 1: mean gradients -+Phi u/n at every step.",
            "For each map the averaged output differs by a Gaussian shift mu r along Phi u, r = |Phi u|, with one "
            "event best for all r: the profile is E delta(epsilon; mu r), r^2 chi-squared over k for the normal map. "
            "It grows with r, so each cell has at least the profile at its lower edge.",
            "A projection is ever active with probability at most 2 P(chi^2_k > reach^2), for r up to the last edge; "
            "this and longer r cost at most (1 + e^epsilon) kappa.",
        ),
    )  # fmt: skip
