"""Mechanisms with a published or a common wrong version, by parameters: right ones and wrong ones are one class.

The sparse-vector variants are numbered as in Lyu, Su & Li, "Understanding the Sparse Vector Technique for Differential
Privacy" (PVLDB 2017, Figure 1): 1 is correct, 4 to 6 are published and wrong. RAPPOR is Erlingsson, Pihur & Korolova
(CCS 2014), one-time, without the instantaneous step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

Generator = np.random.Generator


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
