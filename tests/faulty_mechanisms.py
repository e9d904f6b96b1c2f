"""A user's mechanism, and one mechanism a fault: what `check_mechanism` is tested on."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpbench.core import validation
from dpbench.core.sampling import Release, release
from dpbench.privacy.profile import Profile, laplace_profile, pure_profile


@dataclass(frozen=True)
class Records:
    """A user's problem: numbers in [−1, 1]."""

    X: np.ndarray
    y: np.ndarray
    digest: str
    x_bound: float = 1.0

    @property
    def n(self) -> int:
        return len(self.y)


def records(last: float) -> Records:
    X = np.array([[0.5], [-0.25], [0.75], [last]])
    return Records(X, np.ones(4), f"records {last}")


PAIR = records(-1.0), records(1.0)


@dataclass(frozen=True)
class UserMean:
    """A user's mechanism: the mean plus Laplace noise of scale 2/(nε)."""

    epsilon: float

    def scale(self, problem: Records) -> float:
        return 2.0 / (problem.n * self.epsilon)

    def guarantee(self, problem: Records) -> Profile:
        return laplace_profile(self.epsilon, kind="upper", why="Laplace noise, a record moves the mean by 2/n")

    def __call__(self, problem: Records, trials: int, rng: np.random.Generator) -> np.ndarray:
        if not isinstance(problem, Records):
            raise validation.invalid("problem", "Records", problem)
        trials = validation.integer("trials", trials, at_least=1)
        return float(problem.X.mean()) + rng.laplace(0.0, self.scale(problem), (trials, 1))


DRAWS = itertools.count()


class OwnRandomness(UserMean):
    def __call__(self, problem: Records, trials: int, rng: np.random.Generator) -> np.ndarray:
        return super().__call__(problem, trials, np.random.default_rng(next(DRAWS)))


class DependsOnTrials(UserMean):
    def __call__(self, problem: Records, trials: int, rng: np.random.Generator) -> np.ndarray:
        return super().__call__(problem, trials, rng)[::-1]


class Changes(UserMean):
    def __call__(self, problem: Records, trials: int, rng: np.random.Generator) -> np.ndarray:
        made = super().__call__(problem, trials, rng)
        problem.X[0, 0] += 1e-9
        return made


class AcceptsAnything(UserMean):
    def __call__(self, problem: Records, trials: int, rng: np.random.Generator) -> np.ndarray:
        return float(problem.X.mean()) + rng.laplace(0.0, self.scale(problem), (int(trials), 1))


class Tells(UserMean):
    def release(self, problem: Records, seed: int | None = None) -> Release:
        made = release(self, problem, seed)
        return replace(made, info={**made.info, "largest": float(problem.X.max())})


class Abstains(UserMean):
    """It refuses a data set whose first record is positive."""

    def __call__(self, problem: Records, trials: int, rng: np.random.Generator) -> np.ndarray:
        if isinstance(problem, Records) and problem.X[0, 0] > 0.6:
            raise validation.invalid("problem", "one that converges", "this one")
        return super().__call__(problem, trials, rng)


class AnswersNaN(UserMean):
    """Where the first record is large."""

    def __call__(self, problem: Records, trials: int, rng: np.random.Generator) -> np.ndarray:
        return super().__call__(problem, trials, rng) * (np.nan if problem.X[0, 0] > 0.6 else 1.0)


class Crashes(UserMean):
    def __call__(self, problem: Records, trials: int, rng: np.random.Generator) -> np.ndarray:
        made = super().__call__(problem, trials, rng)
        if not problem.X.any(axis=1).all():
            raise RuntimeError("no convergence")
        return made


class AbortsOnTiesOfTiny(UserMean):
    """It fails only where all records are one denormal number: hypothesis finds it, and shrinks to that record."""

    def __call__(self, problem: Records, trials: int, rng: np.random.Generator) -> np.ndarray:
        made = super().__call__(problem, trials, rng)
        if 0.0 < np.abs(problem.X).max() < 1e-300 and np.unique(problem.X).size == 1:
            raise FloatingPointError("underflow")
        return made


class GrowsWithTrials(UserMean):
    """Trials beyond a block of 64 shift those before them."""

    def __call__(self, problem: Records, trials: int, rng: np.random.Generator) -> np.ndarray:
        made = super().__call__(problem, trials, rng)
        return made + (trials > 64) * 1e-9


class DiagnosesInRelease(UserMean):
    def diagnose(self, problem: Records) -> dict[str, Any]:
        return {"iterations": 3}

    def release(self, problem: Records, seed: int | None = None) -> Release:
        made = release(self, problem, seed)
        return replace(made, info={**made.info, "iterations": 3})


class ReleasesAnArray(UserMean):
    def release(self, problem: Records, seed: int | None = None) -> Release:
        made = release(self, problem, seed)
        return replace(made, info={**made.info, "mean": np.zeros(1)})


class PairAboveGuarantee(UserMean):
    def pair_profile(self, problem: Records, neighbour: Records) -> Profile:
        return pure_profile(3.0 * self.epsilon, why="the pair in hand", kind="exact")


class DoesNotSayWhy(UserMean):
    def guarantee(self, problem: Records) -> Profile:
        return replace(pure_profile(self.epsilon, why="x"), why=" ")


class AddRemoveByDefault(UserMean):
    """Half the ε, for the relation that nobody asked for."""

    def guarantee(self, problem: Records, *, neighbours: str = "add_remove") -> Profile:
        return pure_profile(self.epsilon * (1.0 if neighbours == "replace" else 0.5), why="x", neighbours=neighbours)


class AnotherRelation(UserMean):
    """Its profile says "replace" whatever is asked."""

    def guarantee(self, problem: Records, *, neighbours: str = "replace") -> Profile:
        return super().guarantee(problem)


class MoreNoise(UserMean):
    def scale(self, problem: Records) -> float:
        return 0.5 * self.epsilon


class LooksAtData(UserMean):
    def guarantee(self, problem: Records) -> Profile:
        return pure_profile(self.epsilon * (1.0 + 0.1 * float(problem.X.sum())), why="local sensitivity")


class SaysNothing(UserMean):
    def guarantee(self, problem: Records) -> Any:
        return self.epsilon


class QuarterOfTheNoise(UserMean):
    def __call__(self, problem: Records, trials: int, rng: np.random.Generator) -> np.ndarray:
        made = super().__call__(problem, trials, rng)
        centre = float(problem.X.mean())
        return centre + 0.25 * (made - centre)


@dataclass(frozen=True)
class PorousBits(UserMean):
    """It says that its arithmetic is exact, and adds floating-point noise."""

    arithmetic: str = field(default="exact")


FAULTS = {
    OwnRandomness: "same seed, same result",
    DependsOnTrials: "trials of a call",
    Changes: "inputs unchanged",
    AcceptsAnything: "bad input refused",
    Tells: "release contents",
    Abstains: "answers on hostile data",
    AnswersNaN: "answers on hostile data",
    Crashes: "answers on hostile data",
    AbortsOnTiesOfTiny: "answers on hostile data",
    GrowsWithTrials: "trials of a call",
    DiagnosesInRelease: "release contents",
    ReleasesAnArray: "release contents",
    PairAboveGuarantee: "guarantee",
    DoesNotSayWhy: "guarantee",
    AddRemoveByDefault: "premises and neighbours",
    AnotherRelation: "premises and neighbours",
    MoreNoise: "more budget, no more noise",
    LooksAtData: "guarantee",
    SaysNothing: "guarantee",
    QuarterOfTheNoise: "audit within the guarantee",
    PorousBits: "last bits within the guarantee",
}
"""Each with the check made for it."""
