"""Twelve releases as a practitioner writes them, each with one mistake, on a pair of neighbours that shows it.

All claim ε = 1 for one record replaced (or, where said, removed). What a pair shows is the pair's: on `quiet` pairs the
same mistake moves nothing beyond the claim, and an audit does not refute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import dpbench

Rng = np.random.Generator
Ages = list[float]
AGES = [23.0, 31.0, 45.0, 52.0, 38.0, 61.0, 29.0, 47.0, 55.0, 34.0]


def narrow_noise(ages: Ages, rng: Rng) -> float:
    """A mean of ages up to 100, with the noise of ages up to 50."""
    return float(np.clip(ages, 0, 100).mean() + rng.laplace(scale=50 / len(ages)))


def bound_of_the_data(ages: Ages, rng: Rng) -> float:
    """A sum clipped at a quantile of the data, with noise of that size."""
    bound = np.quantile(ages, 0.95)
    return float(np.clip(ages, 0, bound).sum() + rng.laplace(scale=bound))


def seeded(ages: Ages, rng: Rng) -> float:
    """The generator has the same seed in every run."""
    return float(np.clip(ages, 0, 100).sum() + np.random.default_rng(42).laplace(scale=100))


def whole_noise(ages: Ages, rng: Rng) -> float:
    """Noise is rounded before it is added, and the digits of the mean stay."""
    return float(np.clip(ages, 0, 100).mean() + round(rng.laplace(scale=100 / len(ages))))


def forgotten_column(ages: Ages, rng: Rng) -> dict[str, float]:
    """One of three answers has no noise."""
    return {
        "over 40": sum(x > 40 for x in ages) + rng.laplace(scale=2),
        "mean": float(np.clip(ages, 0, 100).mean() + rng.laplace(scale=200 / len(ages))),
        "oldest": max(ages),
    }


def stopped_by_the_data(ages: Ages, rng: Rng) -> list[float]:
    """Noisy steps towards the mean, until it is near."""
    target, weight, steps = np.mean(ages) / 100, 0.0, 0
    while abs(weight - target) > 0.1 and steps < 10:
        weight += 0.5 * (target - weight) + rng.laplace(scale=1)
        steps += 1
    return [float(weight), float(steps)]


def exact_size(ages: Ages, rng: Rng) -> dict[str, float]:
    """The number of records is published, of which one is removed."""
    return {"records": len(ages), "mean": float(np.mean(ages) + rng.laplace(scale=100 / len(ages)))}


def five_for_one(ages: Ages, rng: Rng) -> list[float]:
    """Five counts, each at the whole ε."""
    return [float(sum(x > t for x in ages) + rng.laplace(scale=1)) for t in (20, 30, 40, 50, 60)]


def overflowing(ages: Ages, rng: Rng) -> float:
    """A sum in eight bits: a record moves it by up to 255, not by 100."""
    return float(np.array(ages, dtype=np.int8).sum(dtype=np.int8) + rng.laplace(scale=100))


def as_long_as_the_data(ages: Ages, rng: Rng) -> list[float]:
    """A noisy age of each record over 40."""
    return [x + rng.laplace(scale=100) for x in ages if x > 40]


def keys_of_the_data(ages: Ages, rng: Rng) -> dict[int, float]:
    """A histogram of the decades that occur."""
    counts = Counter(int(x // 10) * 10 for x in ages)
    return {decade: count + rng.laplace(scale=2) for decade, count in counts.items()}


def one_noise_for_two(ages: Ages, rng: Rng) -> dict[str, float]:
    """Two counts with the same noise: their difference has none."""
    noise = rng.laplace(scale=2)
    return {"over 40": sum(x > 40 for x in ages) + noise, "over 50": sum(x > 50 for x in ages) + noise}


def sound(ages: Ages, rng: Rng) -> dict[str, float]:
    """The healthy counterpart: a count and a mean, each at half of ε."""
    return {
        "over 40": sum(x > 40 for x in ages) + rng.laplace(scale=2),
        "mean": float(np.clip(ages, 0, 100).mean() + rng.laplace(scale=200 / len(ages))),
    }


@dataclass(frozen=True)
class Mistake:
    """A release on a pair that shows what is wrong with it.

    Attributes
    ----------
    release : callable
        ``release(ages, rng)``, for `dpbench.each`.
    dataset, neighbour : list of float
    quiet : list of float or None
        Another neighbour of `AGES`, on which the mistake does not exceed the claim.
    relation : str
    """

    release: Callable[[Ages, Rng], Any]
    dataset: Ages
    neighbour: Ages
    quiet: Ages | None = None
    relation: str = "replace"

    def audited(self, *pair: Ages) -> Any:
        """The audit with the defaults, but for the runs."""
        one, other = pair or (self.dataset, self.neighbour)
        return dpbench.audit(
            dpbench.each(self.release), one, other, epsilon=1.0, relation=self.relation, trials=4_000
        )  # fmt: skip


def _last(age: float) -> Ages:
    return [*AGES[:-1], age]


MISTAKES = [
    Mistake(narrow_noise, AGES, _last(100.0)),
    Mistake(bound_of_the_data, [1.0] * 10, [1.0] * 9 + [100.0], _last(100.0)),
    Mistake(seeded, AGES, _last(90.0)),
    Mistake(whole_noise, AGES, _last(90.0)),
    Mistake(forgotten_column, AGES, _last(90.0)),
    Mistake(stopped_by_the_data, AGES, _last(90.0)),
    Mistake(exact_size, AGES, AGES[:-1], relation="remove"),
    Mistake(five_for_one, AGES, _last(70.0)),
    Mistake(overflowing, [12.0] * 10, [12.0] * 9 + [30.0], _last(90.0)),
    Mistake(as_long_as_the_data, AGES, _last(60.0)),
    Mistake(keys_of_the_data, AGES, _last(90.0)),
    Mistake(one_noise_for_two, AGES, _last(45.0), _last(90.0)),
]
