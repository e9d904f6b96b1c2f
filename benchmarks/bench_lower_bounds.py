"""asv: the hard families against n and d: seconds and peak memory of one instance, and the floor it comes with."""

from __future__ import annotations

import numpy as np

from benchmarks import cases_lower_bounds as members
from benchmarks.workload import workload
from dpbench.papers.glm.peers.workload import WrongAnswer
from lowerbounds import HardFamily, chaudhuri_hsu, fingerprinting, nonprivate, packing

EPSILON = 0.01
BUILD = {
    "packing": lambda n, d: packing(n, d, EPSILON, 1e-9),
    "chaudhuri_hsu": lambda n, d: chaudhuri_hsu(n, EPSILON, 1e-9),
    "fingerprinting": lambda n, d: fingerprinting(n, d, EPSILON, 1e-9, constants="tight"),
    "nonprivate": lambda n, d: nonprivate(n, d),
}


@workload(members)
class Families:
    """The floor (its constants and integers), then one instance of the family."""

    params = (tuple(BUILD), (10_000, 1_000_000), (10, 1_000_000))
    param_names = ("family", "n", "d")
    timeout = 300

    def setup(self, family: str, n: int, d: int) -> None:
        if family == "chaudhuri_hsu" and d > 10:
            raise NotImplementedError("one dimension only")
        self.family = BUILD[family](n, d)
        check(self.family)

    def time_floor(self, family: str, n: int, d: int) -> None:
        BUILD[family](n, d)

    def time_instance(self, family: str, n: int, d: int) -> None:
        draw(self.family)

    def peakmem_instance(self, family: str, n: int, d: int) -> None:
        draw(self.family)

    def track_floor(self, family: str, n: int, d: int) -> float:
        """The floor itself: a change of it is a change of the mathematics."""
        return self.family.floor

    track_floor.unit = "excess risk or error"  # type: ignore[attr-defined]


@workload(members)
class Members:
    """64 members in one call: drawn, one run of noisy GD on the statistics of each, its excess risk."""

    params = (tuple(members.BUILD), (1000, 1_000_000))
    param_names = ("family", "n")
    timeout = 300

    def setup(self, family: str, n: int) -> None:
        self.family = members.BUILD[family](n)
        members.check(self.family)

    def time_in_one_call(self, family: str, n: int) -> None:
        members.in_one_call(self.family, 64)

    def peakmem_in_one_call(self, family: str, n: int) -> None:
        members.in_one_call(self.family, 64)

    def track_mean_error(self, family: str, n: int) -> float:
        return float(members.in_one_call(self.family, 64).mean())

    track_mean_error.unit = "excess risk or error"  # type: ignore[attr-defined]


def draw(family: HardFamily) -> object:
    """One instance, of a random member."""
    rng = np.random.default_rng(0)
    return family.instances(family.members(rng), rng)


def check(family: HardFamily) -> None:
    """The floor is below the error of the best constant, the middle of the box, on average over a few members."""
    rng = np.random.default_rng(1)
    middle = np.full((1, family.d), sum(family.box) / 2.0)
    members = family.enumerated or [family.members(rng) for _ in range(4)]
    errors = [float(family.excess(member, middle)[0]) for member in members]
    error = sum(errors) if family.aggregate == "sum" else max(errors)
    if not 0.0 < family.floor <= error:
        raise WrongAnswer(f"{family.name}: floor {family.floor:g}, error of the middle {error:g}")
