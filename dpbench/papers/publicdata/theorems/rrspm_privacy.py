"""Theorems 4, 8 and 10 of the public-data paper, privacy of Algorithm 4: Gaussian weights on the parity cube."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np

from dpbench.ledger.attacks import attack_bounds
from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Row
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata.hypotheses_cube import ParityCube
from dpbench.papers.publicdata.hypotheses_line import Thresholds
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.rrspm import RRSPM
from dpbench.papers.publicdata.theorems import paper
from dpbench.privacy.discrete import pair_from_logs
from dpbench.privacy.profile import Profile, discrete_profile
from lowerbounds._parity_cube import ParityCube as CubePair
from lowerbounds._parity_cube import parity_cube

EPSILON, DELTA = 1.0, 1e-5
CONSTANTS = (None, 1.0, 4.0, 16.0)
"""C of Theorem 4's C√(m·log(1/δ))/ε; None: that of the Gaussian mechanism, 2.86."""

SIZES = (64, 256, 1024, 4096, 16_384, 65_536)
_FIXED = 4096  # bits of the figure's lines with a fixed d


_cube = lru_cache(maxsize=4)(parity_cube)


def exact_profile(cube: CubePair, noise: str, scale: float) -> Profile:
    """The exact profile of RRSPM on the cube's pair."""
    why = "all choices of one parity are equally likely, and the law of the parity is known"
    return discrete_profile(pair_from_logs(*cube.log_laws(noise, scale)), why=why)


def problem_of(cube: CubePair, *, neighbour: bool = False) -> PublicDataProblem:
    """The cube's data set, or its neighbour, as the mechanisms take it."""
    data = cube.neighbour if neighbour else cube.dataset
    return PublicDataProblem(data.x, data.y, data.public, hypotheses=ParityCube(cube.bits), loss="zero-one")


def parities(mechanism: RRSPM, problem: PublicDataProblem, trials: int, rng: np.random.Generator) -> np.ndarray:
    """What an attacker looks at: the parity of the bits that Algorithm 4 returns."""
    return np.asarray(mechanism(problem, trials, rng).prod(axis=1))


def cube_parities(d: int, noise: str, scale: float, neighbour: bool, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Parities of the cube's own sampler, d = m, default pair and layout: a sampler for `attack_bounds`."""
    return _cube(d).sample(noise, scale, runs, rng, neighbour=neighbour).astype(np.float64)


def law_on_cube(d: int, m: int, layout: str, pair: str, scale: float, noise: str = "gaussian") -> Profile:
    """`exact_profile` at m public points; of one point a bit the other m − d, where all f agree, play no part."""
    return exact_profile(parity_cube(d, m if layout == "groups" else d, pair=pair, layout=layout), noise, scale)


def reached(d: int, m: int, layout: str, pair: str, scale: float, noise: str = "gaussian") -> float:
    """ε of the pair at the claimed δ (0 for Laplace weights)."""
    return law_on_cube(d, m, layout, pair, scale, noise).epsilon(DELTA if noise == "gaussian" else 0.0)


def curves() -> dict[str, list[float]]:
    """The figure's columns: ε reached over m, for d = m and for d fixed with one public point a bit."""
    sizes = [_FIXED * 2**k for k in range(0, 13, 2)]
    made: dict[str, list[float]] = {"m_equal": list(map(float, SIZES)), "m_fixed": list(map(float, sizes))}
    for column, m_values, bits in (("equal", SIZES, None), ("fixed", sizes, _FIXED)):
        for m in m_values:
            scales = {
                ("gaussian", "gaussian"): theory.rrspm_gaussian_scale_printed(m, EPSILON, DELTA),
                ("laplace", "laplace"): theory.rrspm_laplace_scale(m, EPSILON),
            }
            if bits is None:
                scales["exact", "gaussian"] = theory.rrspm_gaussian_scale(m, EPSILON, DELTA)
            for (name, noise), scale in scales.items():
                at = reached(bits or m, m, "single", "tilted", scale, noise)
                made.setdefault(f"{name}_{column}", []).append(at)
    return made


_CUBE = (
    "Parity cube: d free bits, each carried by public points, and the parity at one more point. The chosen bits are "
    "the signs of the noise, turned to the other parity where the smallest |noise| is below the score gap: closed "
    "forms. "
)


@paper.privacy(
    "thm4", variant="gaussian", source="Theorem 4, Gaussian weights", expected="refuted", level=LEVEL,
    holds="publicdata.thm4.privacy.gaussian-exact",
    statement="Weights N(0, (C sqrt(m log(1/delta))/epsilon)^2) make Algorithm 4 (epsilon, delta)-DP, for m = d and "
    "for m to 16 d.",
    because=_CUBE + "Lemma 18's shift depends on the chosen f, which is aligned with the noise, so the Gaussian tail "
        "does not apply to it: the log-ratio is about 2|xi|_1/sigma^2, not 2 <c, xi>/sigma^2 for a fixed c. Every C "
        "fails at m = d large, and while m is below order d^2/(C^2 log(1/delta)); at C = 2.86 m = d^2 reaches epsilon "
        "= 0.165 on the cube. The theorem chooses m: see thm4.inequality.gaussian-learner.",
)
def gaussian(context: Context) -> tuple[str, Evidence]:
    """Exact ε over (d, m, C); then the same at d = m = 4096 by sampling, and at 256 through the mechanism."""
    rows: list[Row] = []
    for d, ratio, constant, layout in product(SIZES, (1, 4, 16), CONSTANTS, ("groups", "single")):
        m = d * ratio
        scale = theory.rrspm_gaussian_scale_printed(m, EPSILON, DELTA, constant)
        pair = law_on_cube(d, m, layout, "tilted", scale)
        rows.append({"epsilon": EPSILON, "delta": DELTA, "pair": pair, "d": float(d), "m": float(m),
                     "constant": scale * EPSILON / math.sqrt(m * math.log(1.0 / DELTA)), "layout": layout,
                     "epsilon_tilted": pair.epsilon(DELTA),
                     "epsilon_simple": reached(d, m, layout, "simple", scale)})  # fmt: skip
    cube = parity_cube(256)
    scale = theory.rrspm_gaussian_scale_printed(_FIXED, EPSILON, DELTA)
    trials = context.pick(quick=6000, full=60_000)
    sampler = partial(cube_parities, _FIXED, "gaussian", scale)
    target: dict[str, float] = {"epsilon": EPSILON, "delta": DELTA, "level": LEVEL / 2}
    (lower,) = attack_bounds(context, [(sampler, (False, True))], trials=trials, **target)
    mechanism = RRSPM(EPSILON, DELTA, noise="gaussian", calibration="printed")
    runs = context.pick(quick=1500, full=50_000)
    sides = problem_of(cube), problem_of(cube, neighbour=True)
    (through,) = attack_bounds(context, [(partial(parities, mechanism), sides)], trials=runs, **target)
    value = reached(_FIXED, _FIXED, "single", "tilted", scale)
    wider = theory.rrspm_gaussian_scale_printed(4 * _FIXED, EPSILON, DELTA)
    wide = reached(_FIXED, 4 * _FIXED, "single", "tilted", wider)
    series: dict[str, list[Any]] = curves() | {"d_safe": list(map(float, SIZES)), "safe_scale_over_d": [
        parity_cube(d).least_scale("gaussian", EPSILON, DELTA) / d for d in SIZES
    ], "exact_scale_over_m": [theory.rrspm_gaussian_scale(m, EPSILON, DELTA) / m for m in SIZES],
        "sampled_epsilon": [lower], "sampled_epsilon_of_the_mechanism": [through]}  # fmt: skip
    return profiles(
        rows,
        f"value: exact epsilon of the tilted pair at d = m = {_FIXED}, delta = {DELTA:g}, claimed 1; sampling "
        f"alone: epsilon >= {lower:.3f} from {trials:,} runs a side at confidence 1 - {LEVEL / 2:g}",
        f"d = {_FIXED}, m = 4d, one public point a bit: {wide:.3f}",
        f"d = m = 256: exact {reached(256, 256, 'single', 'tilted', mechanism.scale(problem_of(cube))):.3f}, "
        f"through the mechanism's own oracle calls epsilon >= {through:.3f} "
        f"({'refuted' if through > EPSILON else 'not refuted'})",
        "least safe standard deviation on the tilted pair, d = m: "
        f"{series['safe_scale_over_d'][-1]:.4f} d; proved safe for every class: "
        f"{series['exact_scale_over_m'][-1]:.4f} m",
        value=value, trials=2 * (trials + runs), series=series,
    )


@paper.privacy(
    "thm4", variant="gaussian-exact", source="Theorem 4, Gaussian weights of a scale of order m/epsilon",
    expected="proved", rests_on=("publicdata.lemma18.inequality",),
    statement="Gaussian weights with the standard deviation of `theory.rrspm_gaussian_scale`, about 1.6 m/epsilon, "
    "make Algorithm 4 (epsilon, delta)-DP for every class.",
    because="If f is chosen under xi and D, it is under D' after Lemma 18's shift, whatever its signs: the log-ratio "
    "is at most 2(|xi|_1 + m)/sigma^2, so delta(epsilon) <= E(1 - e^(epsilon - that))_+, bounded by moments. On the "
    "cube at d = m no standard deviation much smaller will do.",
)
def gaussian_exact(context: Context) -> tuple[str, Evidence]:
    """The guarantee of the calibrated weights at each m, and the exact pair of the cube at d = m below it."""
    rows: list[Row] = []
    sizes = context.pick(quick=(1, 16, 256, 4096), full=(1, 4, 16, 64, 256, 1024, 4096, 16_384))
    for m, epsilon in product(sizes, (0.1, 1.0, 4.0)):
        mechanism, cube = RRSPM(epsilon, DELTA, noise="gaussian"), parity_cube(m)
        scale = mechanism.scale(problem_of(cube))
        pair = exact_profile(cube, "gaussian", scale)
        claimed = {"epsilon": epsilon, "delta": DELTA}
        rows.append(claimed | {"guarantee": mechanism.guarantee(problem_of(cube))})
        rows.append(claimed | {"pair": pair, "m": float(m), "claimed": epsilon, "scale_over_m": scale / m,
                               "scale_over_least": scale / cube.least_scale("gaussian", epsilon, DELTA),
                               "epsilon_reached": pair.epsilon(DELTA)})  # fmt: skip
    largest = rows[-3]  # ε = 1 at the largest m
    return profiles(
        rows,
        f"value: standard deviation over the least one that is safe on the cube, m = {largest['m']:g}, epsilon = 1, "
        f"delta = {DELTA:g}: the pair reaches epsilon = {largest['epsilon_reached']:.4f}",
        f"the standard deviation is {largest['scale_over_m']:.4f} m there; Laplace weights have 2 sqrt(2) m/epsilon",
        value=largest["scale_over_least"],
    )


def all_of_epsilon(sizes: Sequence[int], mechanism: Callable[[float], Any], note: str) -> tuple[str, Evidence]:
    """Laplace weights on cubes of these sizes: the pure guarantee, and the tilted pair, which has all of it."""
    rows, slacks = [], []
    for m, epsilon in product(sizes, (0.1, 1.0, 4.0)):
        cube, made = parity_cube(m), mechanism(epsilon)
        problem = problem_of(cube)
        rows.append({"epsilon": epsilon, "delta": 0.0, "guarantee": made.guarantee(problem)})
        slacks.append(1.0 - exact_profile(cube, "laplace", made.scale(problem)).epsilon(0.0) / epsilon)
    return profiles(rows, note, value=max(map(abs, slacks)), broken=min(slacks) < -1e-9)


@paper.privacy(
    "thm4", variant="laplace", source="Theorem 4, Laplace weights", expected="proved",
    rests_on=("publicdata.lemma18.inequality",),
    statement="Weights Lap(2m/epsilon) make Algorithm 4 epsilon-DP, and no smaller scale does.",
    because="Lemmas 18 to 21: each of m weights moves by 2. The tilted pair of the parity cube at d = m has P(min "
    "|xi| > 2) = e^(-epsilon), all of it.",
)
def laplace(context: Context) -> tuple[str, Evidence]:
    """The pure guarantee, and the exact ε of the tilted pair at d = m, which is all of it."""
    note = "value: largest |1 - epsilon reached/epsilon| on the tilted pair, d = m = 1 to 4096: 0 is no slack"
    return all_of_epsilon((1, 16, 256, 4096), RRSPM, note)


@paper.privacy(
    "thm8", source="Theorem 8, Lemmas 6 and 21", expected="proved", level=LEVEL,
    rests_on=("publicdata.lemma18.inequality", "publicdata.lemma19.inequality"),
    statement="Algorithm 4 with weights Lap(2m/epsilon) is epsilon-DP.",
    because="What is released is a function of f~(Z), whose law changes by at most e^epsilon (Lemma 21); on "
    "thresholds by attack, on the cube exactly (publicdata.thm4.privacy.laplace).",
)
def theorem8(context: Context) -> tuple[str, Evidence]:
    """Algorithm 4 on thresholds: its guarantee, and an attack on the pair that its public points tell best."""
    mechanism = RRSPM(EPSILON)
    points = np.array([0.2, 0.4, 0.6, 0.8])
    problem = PublicDataProblem([0.5], [1.0], points, hypotheses=Thresholds(), loss="zero-one")
    neighbour = problem.replace_record(0, [0.5], -1.0)
    trials = context.pick(quick=20_000, full=400_000)
    (lower,) = attack_bounds(context, [(mechanism, (problem, neighbour))], epsilon=EPSILON, delta=0.0, trials=trials)
    claimed = {"epsilon": EPSILON, "delta": 0.0}
    return profiles(
        [claimed | {"guarantee": mechanism.guarantee(problem)}, claimed | {"attack": lower}],
        f"value: epsilon from below by {trials:,} runs a side on thresholds, four public points; claimed 1",
        value=lower, trials=2 * trials,
    )
