"""The parity cube under the weights of Algorithms 4 and 5, and Theorem 4's words on Gaussian ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import Evidence
from dpbench.papers.publicdata.hypotheses.cube import ParityCube
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.privacy.discrete import pair_from_logs
from dpbench.privacy.profile import Profile, discrete_profile
from lowerbounds.parity_cubes import ParityCube as CubePair
from lowerbounds.parity_cubes import parity_cube

EPSILON, DELTA = 1.0, 1e-5

QUOTE = (
    r"\xi_{1},\dots,\xi_{m}\sim\mathcal{N}(0,C\sqrt{m\log(1/\delta)}/\varepsilon) ... then there is a choice of "
    r"... n=\tilde{\Omega}(d^{2}\varepsilon^{-1}\alpha^{-4}\log^{1/2}(1/\delta)\log(\beta^{-1}))"
)
QUOTE_DRAWN = r"Z_{1},\dots,Z_{m}\sim\mu ... " + QUOTE


def exact_profile(cube: CubePair, noise: str, scale: float) -> Profile:
    """The exact profile of RRSPM on the cube's pair."""
    why = "all choices of one parity are equally likely, and the law of the parity is known"
    return discrete_profile(pair_from_logs(*cube.log_laws(noise, scale)), why=why)


def problem_of(cube: CubePair, *, neighbour: bool = False) -> PublicDataProblem:
    """The cube's data set, or its neighbour, as the mechanisms take it."""
    data = cube.neighbour if neighbour else cube.dataset
    return PublicDataProblem(data.x, data.y, data.public, hypotheses=ParityCube(cube.bits), loss="zero-one")


def law_on_cube(d: int, m: int, layout: str, pair: str, scale: float, noise: str = "gaussian") -> Profile:
    """`exact_profile` at m public points; of one point a bit the other m − d, where all f agree, play no part."""
    return exact_profile(parity_cube(d, m if layout == "groups" else d, pair=pair, layout=layout), noise, scale)


def all_of_epsilon(sizes: Sequence[int], mechanism: Callable[[float], Any], note: str) -> tuple[str, Evidence]:
    """Laplace weights on cubes of these sizes: the pure guarantee, and the tilted pair, which has all of it."""
    rows, slacks = [], []
    for m, epsilon in product(sizes, (0.1, 1.0, 4.0)):
        cube, algorithm = parity_cube(m), mechanism(epsilon)
        problem = problem_of(cube)
        rows.append({"epsilon": epsilon, "delta": 0.0, "guarantee": algorithm.guarantee(problem)})
        slacks.append(1.0 - exact_profile(cube, "laplace", algorithm.scale(problem)).epsilon(0.0) / epsilon)
    return profiles(rows, note, value=max(map(abs, slacks)), broken=min(slacks) < -1e-9)
