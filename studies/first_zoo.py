"""The first zoo: mechanisms broken on purpose, beside correct ones, as positive controls with exactly known ε.

Each entry is a sampler, a pair of neighbouring inputs, the ε (and δ) that it claims, and the exact ε of that
pair at that δ, infinite where some event has probability 0 on one side. The test suite computes every one of
these numbers again, by a slow road of its own.

The sparse-vector variants are numbered as in Lyu, Su & Li, "Understanding the Sparse Vector Technique for
Differential Privacy" (PVLDB 2017, Figure 1): 1 is correct, 4 to 6 are published and wrong. RAPPOR is
Erlingsson, Pihur & Korolova (CCS 2014), one-time, without the instantaneous step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Generator = np.random.Generator


@dataclass(frozen=True)
class Entry:
    """A mechanism on one pair of neighbours.

    Attributes
    ----------
    name : str
    sampler : callable
        ``sampler(dataset, trials, rng)``, as `dpbench.audit` takes it.
    dataset, neighbour : tuple of float
        What the sampler gets: true answers or records.
    claimed, delta : float
        The guarantee that the mechanism states.
    epsilon : float
        The exact ε of this pair at `delta`.
    """

    name: str
    sampler: Callable[[Any, int, Generator], np.ndarray]
    dataset: tuple[float, ...]
    neighbour: tuple[float, ...]
    claimed: float
    delta: float
    epsilon: float

    @property
    def wrong(self) -> bool:
        """The claim is false on this pair."""
        return self.epsilon > self.claimed * (1.0 + 1e-9)


@dataclass(frozen=True)
class Laplace:
    """Answers plus Laplace noise of this scale."""

    scale: float

    def __call__(self, answers: tuple[float, ...], trials: int, rng: Generator) -> np.ndarray:
        return np.asarray(answers) + rng.laplace(scale=self.scale, size=(trials, len(answers)))


@dataclass(frozen=True)
class Gaussian:
    """Answers plus Gaussian noise of this standard deviation."""

    sigma: float

    def __call__(self, answers: tuple[float, ...], trials: int, rng: Generator) -> np.ndarray:
        return np.asarray(answers) + self.sigma * rng.standard_normal((trials, len(answers)))


@dataclass(frozen=True)
class Geometric:
    """An integer plus two-sided geometric noise: P(k) in proportion to e^{−rate·|k|}."""

    rate: float

    def __call__(self, answers: tuple[float, ...], trials: int, rng: Generator) -> np.ndarray:
        chance = -math.expm1(-self.rate)
        return int(answers[0]) + rng.geometric(chance, trials) - rng.geometric(chance, trials)


@dataclass(frozen=True)
class RandomizedResponse:
    """A bit, reported truthfully with probability e^rate/(1 + e^rate)."""

    rate: float

    def __call__(self, bit: tuple[float, ...], trials: int, rng: Generator) -> np.ndarray:
        return bool(bit[0]) ^ (rng.random(trials) < 1.0 / (1.0 + math.exp(self.rate)))


@dataclass(frozen=True)
class Rappor:
    """A one-hot vector, each bit kept with probability 1 − f/2 and flipped otherwise."""

    f: float

    def __call__(self, bits: tuple[float, ...], trials: int, rng: Generator) -> np.ndarray:
        return np.asarray(bits, dtype=bool) ^ (rng.random((trials, len(bits))) < 0.5 * self.f)


@dataclass(frozen=True)
class NoisyMax:
    """Report noisy max with Laplace noise: the index of the largest noisy answer, or (wrong) its value."""

    scale: float
    value: bool = False

    def __call__(self, answers: tuple[float, ...], trials: int, rng: Generator) -> np.ndarray:
        noisy = np.asarray(answers) + rng.laplace(scale=self.scale, size=(trials, len(answers)))
        return noisy.max(axis=1) if self.value else noisy.argmax(axis=1)


@dataclass(frozen=True)
class SparseVector:
    """Above-threshold answers at threshold 0: 1 above, 0 below, −1 after the last one allowed.

    Attributes
    ----------
    threshold_scale, answer_scale : float
        Laplace scales of the noise on the threshold and on each answer (0: none).
    allowed : int or None
        Answers above the threshold before it stops.
    """

    threshold_scale: float
    answer_scale: float
    allowed: int | None

    def __call__(self, answers: tuple[float, ...], trials: int, rng: Generator) -> np.ndarray:
        width = len(answers)
        noise = rng.laplace(size=(trials, width)) * self.answer_scale
        bar = rng.laplace(scale=self.threshold_scale, size=(trials, 1))
        above = (np.asarray(answers) + noise >= bar).astype(np.int8)
        if self.allowed is None:
            return above
        before = np.cumsum(above, axis=1) - above
        return np.where(before >= self.allowed, np.int8(-1), above)


@dataclass(frozen=True)
class PrefixSums:
    """Running sums of the answers, with fresh Laplace noise a step (`stepwise`) or a sum."""

    scale: float
    stepwise: bool

    def __call__(self, steps: tuple[float, ...], trials: int, rng: Generator) -> np.ndarray:
        noise = rng.laplace(scale=self.scale, size=(trials, len(steps)))
        if self.stepwise:
            return np.cumsum(np.asarray(steps) + noise, axis=1)
        return np.cumsum(np.asarray(steps)) + noise


@dataclass(frozen=True)
class NoiseReuse:
    """Two integer counts under one and the same draw of geometric noise."""

    rate: float

    def __call__(self, counts: tuple[float, ...], trials: int, rng: Generator) -> np.ndarray:
        chance = -math.expm1(-self.rate)
        noise = rng.geometric(chance, trials) - rng.geometric(chance, trials)
        return np.stack([int(c) + noise for c in counts], axis=1)


SIGMA = 3.730631635265318  # of the analytic Gaussian mechanism at (1, 1e-5), sensitivity 1

ZOO: tuple[Entry, ...] = (
    Entry("laplace", Laplace(1.0), (0.0,), (1.0,), 1.0, 0.0, 1.0),
    Entry("laplace, half the scale", Laplace(0.5), (0.0,), (1.0,), 1.0, 0.0, 2.0),
    Entry("laplace, sensitivity 1 for 2", Laplace(1.0), (0.0,), (2.0,), 1.0, 0.0, 2.0),
    Entry("gaussian", Gaussian(SIGMA), (0.0,), (1.0,), 1.0, 1e-5, 1.0),
    Entry(
        "gaussian, variance for deviation", Gaussian(math.sqrt(SIGMA)),
        (0.0,), (1.0,), 1.0, 1e-5, 2.072255586,
    ),
    Entry("geometric", Geometric(0.5), (3,), (4,), 0.5, 0.0, 0.5),
    Entry("geometric, twice the rate", Geometric(1.0), (3,), (4,), 0.5, 0.0, 1.0),
    Entry("randomised response", RandomizedResponse(1.0), (0,), (1,), 1.0, 0.0, 1.0),
    Entry("randomised response, lies too rarely", RandomizedResponse(1.5), (0,), (1,), 1.0, 0.0, 1.5),
    Entry("rappor", Rappor(0.5), (1, 0, 0, 0), (0, 1, 0, 0), 2.0 * math.log(3.0), 0.0, 2.0 * math.log(3.0)),
    Entry(
        "rappor, one bit counted", Rappor(0.5),
        (1, 0, 0, 0), (0, 1, 0, 0), math.log(3.0), 0.0, 2.0 * math.log(3.0),
    ),
    Entry("noisy max", NoisyMax(2.0), (0, 0, 0), (1, -1, -1), 1.0, 0.0, 0.571294749),
    Entry("noisy max, half the scale", NoisyMax(1.0), (1, 0, 0), (0, 1, 1), 1.0, 0.0, 1.424574342),
    Entry("noisy max, value told", NoisyMax(1.0, value=True), (0, 0, 0), (1, 1, 1), 1.0, 0.0, 3.0),
    Entry("sparse vector 1", SparseVector(2.0, 4.0, 1), (0, 0, 0, 0), (1, 1, -1, -1), 1.0, 0.0, 0.614615538),
    Entry(
        "sparse vector 4, noise for one answer", SparseVector(4.0, 4.0 / 3.0, 3),
        (0, 0, 0, 0, 0, 0), (1, 1, 1, -1, -1, -1), 1.0, 0.0, 3.864095990,
    ),
    Entry("sparse vector 5, answers bare", SparseVector(2.0, 0.0, None), (0, 1), (1, 0), 1.0, 0.0, math.inf),
    Entry(
        "sparse vector 6, no limit", SparseVector(2.0, 2.0, None),
        (0, 0, 0, 0, 0, 0), (1, 1, 1, -1, -1, -1), 1.0, 0.0, 2.616613615,
    ),
    Entry("histogram", Laplace(1.0), (5, 3, 2), (6, 3, 2), 1.0, 0.0, 1.0),
    Entry("histogram, a record moves two cells", Laplace(1.0), (5, 3, 2), (6, 2, 2), 1.0, 0.0, 2.0),
    Entry("prefix sums", PrefixSums(1.0, stepwise=True), (0, 0, 0, 0), (1, 0, 0, 0), 1.0, 0.0, 1.0),
    Entry(
        "prefix sums, noise a sum", PrefixSums(1.0, stepwise=False),
        (0, 0, 0, 0), (1, 0, 0, 0), 1.0, 0.0, 4.0,
    ),
    Entry("noise reused", NoiseReuse(1.0), (3, 5), (3, 6), 1.0, 0.0, math.inf),
    Entry("composition, off by one", Laplace(1.5), (0, 0), (1, 1), 1.0, 0.0, 4.0 / 3.0),
)  # fmt: skip
"""Every mechanism of the module that has a published or a common wrong version, with that version."""
