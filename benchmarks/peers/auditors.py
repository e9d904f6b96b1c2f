"""Our auditor and jax-privacy's on the same mechanisms.

Mean lower bounds on ε over seeds (95%, 1e6 samples a side), how often each auditor's bound exceeds the true ε, and
one-run audits of a Gaussian sum. Both see samples of the same mechanisms; ours draws its own, seeded alike.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dpbench.auditing.audit import audit
from dpbench.auditing.one_run import audit_one_run
from dpbench.bounds import LARGEST
from dpbench.bounds import one_run_p_value_published as published
from dpbench.core.sampling import stream
from dpbench.core.validation import extra
from dpbench.privacy import gaussian
from dpbench.privacy.inversion import crossing

CONFIDENCE = 0.95
MU = gaussian.mu(1.0, 1e-5)
CANARIES = 1000

Rng = np.random.Generator


def laplace(data: float, trials: int, rng: Rng) -> np.ndarray:
    """Exactly 1-private on the pair 0, 1."""
    return data + rng.laplace(size=trials)


def normal(data: float, trials: int, rng: Rng) -> np.ndarray:
    """Exactly (1, 1e-5)-private on the pair 0, `MU`."""
    return data + rng.standard_normal(trials)


def noisy_sum(included: np.ndarray, rng: Rng) -> np.ndarray:
    """A Gaussian sum with one orthogonal canary a coordinate, μ = 1; the scores are the coordinates."""
    return included + rng.standard_normal(len(included))


MECHANISMS: dict[str, tuple[Callable[[float, int, Rng], np.ndarray], float, float]] = {
    "Laplace, epsilon = 1": (laplace, 1.0, 0.0),
    "Gaussian, (1, 1e-5)": (normal, MU, 1e-5),
}
"""Sampler, the neighbour of 0, and δ; the true ε is 1."""


@dataclass(frozen=True)
class Row:
    """Bounds of one auditor on one mechanism: their mean, and how many exceed the truth."""

    task: str
    mechanism: str
    auditor: str
    truth: float
    trials: int
    audits: int
    mean: float
    standard_error: float
    above: int
    seconds: float


def of_ours(name: str, trials: int, seed: int) -> dict[str, float]:
    """Our bound."""
    sampler, neighbour, delta = MECHANISMS[name]
    given: dict[str, Any] = {"delta": delta, "trials": trials, "confidence": CONFIDENCE, "seed": seed}
    return {"dpbench": audit(sampler, 0.0, neighbour, **given).epsilon_lower}


def of_jax(name: str, trials: int, seed: int) -> dict[str, float]:
    """jax-privacy's bounds: its default, its two-part split with half and with a tenth to choose, and through GDP."""
    auditing = extra("jax_privacy.auditing", "bench")
    sampler, neighbour, delta = MECHANISMS[name]
    out, inside = (sampler(d, trials, stream(seed, "peer", k)) for k, d in enumerate((0.0, neighbour)))
    peer, level = auditing.CanaryScoreAuditor(inside, out), 1.0 - CONFIDENCE
    ways = {
        "jax-privacy, default (Bonferroni)": auditing.Bonferroni(),
        "jax-privacy, Split(0.5)": auditing.Split(0.5, seed=seed),
        "jax-privacy, Split(0.1)": auditing.Split(0.1, seed=seed),
    }
    bounds = {k: float(peer.epsilon_clopper_pearson(level, delta, threshold_strategy=w)) for k, w in ways.items()}
    return bounds | {"jax-privacy, epsilon_from_gdp": float(peer.epsilon_from_gdp(level, delta))} if delta else bounds


def one_run(auditors: tuple[str, ...], seed: int) -> dict[str, float]:
    """ε at δ = 1e-5 of one run with 1,000 canaries, by each analysis; a quarter of them are guessed."""
    guesses, delta, level = CANARIES // 4, 1e-5, 1.0 - CONFIDENCE
    joint = audit_one_run(
        noisy_sum, CANARIES, delta=delta, confidence=CONFIDENCE, seed=seed, guesses=guesses, direction="high"
    )
    right = int(joint.event.split()[0])
    printed = crossing(lambda e: e > LARGEST or published(CANARIES, guesses, right, e, delta) > level)[0]
    bounds = {
        "Theorem 5.2 of arXiv 2305.08846": max(0.0, printed),
        "dpbench": joint.epsilon_lower,
    }
    if "jax-privacy" in auditors:
        auditing = extra("jax_privacy.auditing", "bench")
        rng = stream(seed, "peer", 2)
        included = rng.random(CANARIES) < 0.5
        scores = noisy_sum(included, rng)
        peer = auditing.CanaryScoreAuditor(scores[included], scores[~included])
        bounds["jax-privacy, epsilon_one_run"] = float(peer.epsilon_one_run(level, delta))
        bounds["jax-privacy, epsilon_one_run_fdp"] = float(peer.epsilon_one_run_fdp(level, delta))
    return bounds


def rows(
    task: str, mechanism: str, truth: float, trials: int, seeds: int, bounds: Callable[[int], dict[str, float]]
) -> list[Row]:
    """One row for each auditor that `bounds` knows; `seconds` is that of all of them together, an audit."""
    began = time.perf_counter()
    by_seed = [bounds(seed) for seed in range(seeds)]
    each = (time.perf_counter() - began) / seeds
    audited = []
    for auditor in by_seed[0]:
        values = np.array([f[auditor] for f in by_seed])
        error = float(values.std(ddof=1)) / math.sqrt(seeds)
        above = int((values > truth).sum())
        audited.append(Row(task, mechanism, auditor, truth, trials, seeds, float(values.mean()), error, above, each))
    return audited


def measure(auditors: tuple[str, ...], seeds: int, audits: int) -> Iterator[Row]:
    """The three tables, row after row."""
    sources = {"dpbench": of_ours, "jax-privacy": of_jax}
    for task, trials, count in (("mean bound", 1_000_000, seeds), ("false bounds", 5_000, audits)):
        for name in MECHANISMS:
            for auditor in auditors:
                yield from rows(task, name, 1.0, trials, count, partial(sources[auditor], name, trials))
    truth = gaussian.epsilon(1e-5, 1.0)
    yield from rows("one run", "Gaussian sum, mu = 1", truth, CANARIES, 2 * seeds, partial(one_run, auditors))
