"""Theorem 1 of the GLM paper, privacy of noisy gradient descent: printed, and with the exact calibration."""

from __future__ import annotations

import numpy as np

from dpbench import losses
from dpbench.claims.core import Claim, Context, Evidence, privacy_verdict
from dpbench.claims.glm.expected import EXPECTED
from dpbench.glm.noisy_gd import NoisyGD
from dpbench.problems import GLMProblem

TARGETS = tuple((e, d) for e in (0.1, 1.0, 4.0, 16.0) for d in (1e-3, 1e-6))
LOSSES = ("squared", "half-squared", "logistic", "huber", "absolute", "linear")


def exact(context: Context) -> tuple[str, Evidence]:
    """Every loss at every (ε, δ): the guarantee of the noise in use, against the claim."""
    X = np.eye(3)[np.arange(12) % 3]
    y = np.where(np.arange(12) % 2 == 0, 1.0, -1.0)
    targets, guarantees, rows = [], [], []
    for loss in (*(losses.resolve(name) for name in LOSSES), losses.capped_linear(2.0)):
        problem = GLMProblem(X, y, loss=loss, x_bound=1.0, y_bound=1.0, radius=2.0)
        for epsilon, delta in TARGETS:
            profile = NoisyGD(epsilon, delta).guarantee(problem)
            targets.append((epsilon, delta))
            guarantees.append(profile)
            rows.append((loss.name, epsilon, delta, profile.delta(epsilon)))
    names, epsilons, deltas, reached = zip(*rows, strict=True)
    slack = max(r / d for r, d in zip(reached, deltas, strict=True))
    return privacy_verdict(targets, guarantees=guarantees), Evidence(
        value=slack,
        seed=context.seed,
        series={"loss": list(names), "epsilon": list(epsilons), "delta": list(deltas), "reached": list(reached)},
        notes=("value: the largest ratio of the guaranteed delta to the claimed one",),
    )


CLAIMS = (
    Claim(
        id="glm.thm1.privacy.exact",
        paper="glm",
        source="Theorem 1, with the noise derived from the sensitivity",
        kind="privacy",
        statement="Algorithm 1 with sigma = (D/n)sqrt(T-1)/mu(epsilon, delta) is (epsilon, delta)-DP for every "
        "epsilon > 0 and 0 < delta < 1, all iterates released.",
        derivation="Each step releases a gradient mean that one record moves by at most D/n, with Gaussian noise: "
        "T-1 adaptive steps compose to one Gaussian shift mu = (D/n)sqrt(T-1)/sigma (Dong, Roth & Su 2019), "
        "whose profile is known exactly (Balle & Wang 2018).",
        expected=EXPECTED["glm.thm1.privacy.exact"],
        run=exact,
    ),
)
