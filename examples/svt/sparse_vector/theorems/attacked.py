"""Variants that release numbers, attacked by samples: Algorithm 3, and one that draws the number's noise anew."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dpbench.ledger import LEVEL, Context, attack_bounds
from sparse_vector import paper
from sparse_vector.algorithms import NumericAnswers
from sparse_vector.theorems.exact import source

EPSILON, BELOW = 3.0, 3
TRIALS = 2_000_000


def attacked(run: Context, law: NumericAnswers) -> Any:
    """The first answers change from 0 to 1, the last one stays at 0: a lower bound on ε from samples."""
    pair = np.zeros(BELOW + 1), np.array([*[1.0] * BELOW, 0.0])
    bound = partial(attack_bounds, run, epsilon=EPSILON, delta=0.0, trials=TRIALS, level=LEVEL)
    for found in bound([(law, pair)]):
        yield dict(epsilon=EPSILON, delta=0.0, attack=found)


paper.privacy(
    "alg3",
    variant="attacked",
    source=source(3, "Roth 2011"),
    statement="Algorithm 3, which releases the noisy answer that was above the threshold, is 3-DP (c = 1).",
    expected="refuted",
    because="Three answers ⊥ and a number below 0 have the ratio e^4.5 on this pair, and probability 0.0016.",
    weight="statement",
    consequence="2,000,000 runs a side show it; the exact ratio is in svt.alg3.privacy.printed.",
    holds="svt.alg3.privacy.corrected",
    level=LEVEL,
    arguments={"law": NumericAnswers(2.0 / EPSILON, 2.0 / EPSILON)},
)(attacked)

paper.privacy(
    "alg3",
    variant="corrected",
    source=source(7, "the number gets noise of its own"),
    statement="Lap(1/ε₁) on the threshold, Lap(2/ε₂) on answers and fresh Lap(1/ε₃) on the number is ε₁ + ε₂ + ε₃-DP.",
    expected="not refuted",
    because="Algorithm 1 with ε₁ + ε₂, then the Laplace mechanism with ε₃.",
    level=LEVEL,
    arguments={"law": NumericAnswers(3.0 / EPSILON, 6.0 / EPSILON, 3.0 / EPSILON)},
)(attacked)
