"""Power of the accuracy attack: how often it refutes noise that is too small by a stated factor."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dpbench.glm.attacks.accuracy import Runs, error_block, upper_error
from dpbench.glm.noisy_mean import NoisyMean, tripping_factor
from dpbench.ledger.core import Context
from dpbench.ledger.harness import column
from lowerbounds._two_point import best_distance, chaudhuri_hsu

PRIVACY = (("laplace", 1.0, 0.0), ("gaussian", 1.0, 1e-5))
SHRINKS = (1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 12.0, 15.0)
RUNS, CONFIDENCE = 2000, 0.999
STATISTICS = {"absolute error": (4.0, False), "clipped to the targets": (0.0, False), "rounded": (0.0, True)}
"""Margin and rounding of `measure_accuracy`: the lemma's own error (clipped 4 widths out), and two that lose less."""


def power(context: Context) -> tuple[dict[str, list[Any]], tuple[str, ...]]:
    """Columns "power …": the share of attacks of 2,000 runs a side that refute, at confidence 99.9%."""
    repeats = context.pick(quick=2, full=200)
    rows = []
    for noise, epsilon, delta in PRIVACY:
        predicted = tripping_factor(epsilon, delta, noise)
        function = partial(attacks, noise, epsilon, delta, repeats, context.seed)
        shares = context.map({"what": "power of the accuracy attack"}, function, range(len(SHRINKS)))
        for shrink, share in zip(SHRINKS, shares, strict=True):
            rows.append({"power noise": noise, "power shrink": shrink, "power predicted": predicted}
                         | {f"power {name}": value for name, value in share.items()})
    factors = ", ".join(f"{tripping_factor(e, d, noise):.3g} ({noise}, epsilon = {e:g})" for noise, e, d in PRIVACY)
    return column(rows), (
        f"power: share of {repeats} attacks of {RUNS} runs a side that refute at {CONFIDENCE}; the expected absolute "
        f"error meets the floor where the noise is too small by {factors}; clipped or rounded outputs trip it earlier",
    )


def attacks(noise: str, epsilon: float, delta: float, repeats: int, seed: int, number: int) -> dict[str, float]:
    """Share of refuting attacks for each statistic, at one noise scale."""
    distance = best_distance(epsilon, delta, 200)
    family = chaudhuri_hsu(200 + distance % 2, epsilon, delta, distance=distance)
    mechanism = NoisyMean(epsilon, delta, noise, SHRINKS[number])
    found = {}
    for name, (margin, rounded) in STATISTICS.items():
        refuted = [
            upper_error(
                family,
                error_block(mechanism, family, Runs(RUNS, 1, seed * 1_000_003 + repeat, margin, rounded), 0)[:, 1],
                margin,
                1.0 - CONFIDENCE,
                rounded,
            )
            < family.floor
            for repeat in range(repeats)
        ]
        found[name] = float(np.mean(refuted))
    return found
