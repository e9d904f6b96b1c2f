"""Theorems 1 and 2 of the heavy-tailed paper, rates: in n and d on heavy-tailed designs, and on the sharp one."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from dpbench.claims.core import LEVEL, Claim, Context, Evidence, rate_verdict
from dpbench.claims.heavytail.expected import EXPECTED
from dpbench.heavytail import theory
from dpbench.heavytail.exponential import ExponentialMechanism
from dpbench.populations_heavytail import HeavyTailedPopulation
from dpbench.rates.slopes import Slope, slope, theory_slope
from dpbench.rates.sweeps import Point, sweep
from dpbench.tails import Tail

EPSILON = 1.0
FAILURE = 0.05
_FROZEN = math.log(1e4)  # stands for log n in ι on the sharp design


def in_n(theta: float, moment: str, context: Context) -> tuple[str, Evidence]:
    """The slope in n at d = 2: Student's t with 0.2 more degrees of freedom than θ, in x and in the noise."""
    grid = context.pick(quick=(1000, 4000, 16_000), full=(1000, 3162, 10_000, 31_623, 100_000))
    trials, repeats = context.pick(quick=(64 if theta > 1.5 else 32, 4), full=(400, 8))
    population = _population(theta, moment, 2)
    points = [Point(population, n, ExponentialMechanism(EPSILON)) for n in grid]
    expected = [_ceiling(n, 2, population) for n in grid]
    return _judged(context, "n", points, grid, expected, trials, repeats, 2)


def in_d(moment: str, context: Context) -> tuple[str, Evidence]:
    """The slope in d at a fixed n, θ = 2, y = ⟨x, w*⟩: noise in y would only add an error that averages out."""
    n = context.pick(quick=2000, full=10_000)
    trials, repeats = context.pick(quick=(24, 160), full=(64, 256))
    grid = context.pick(quick=(1, 2, 4), full=(1, 2, 3, 4, 5, 6))
    points = [Point(_population(2.0, moment, d, noisy=False), n, ExponentialMechanism(EPSILON)) for d in grid]
    expected = [_ceiling(n, d, p.population) for d, p in zip(grid, points, strict=True)]
    return _judged(context, "d", points, grid, expected, trials, repeats, n)


def _population(theta: float, moment: str, d: int, *, noisy: bool = True) -> HeavyTailedPopulation:
    law = Tail("student", theta + 0.2)
    return HeavyTailedPopulation.unit(
        law, np.full(d, 0.5 / math.sqrt(d)), theta=theta, moment=moment,
        directions="sphere" if moment == "norm" else "axes", noise=law if noisy else None, noise_scale=0.2,
    )  # fmt: skip


def _ceiling(n: int, d: int, population: HeavyTailedPopulation) -> float:
    return theory.rate(
        n, d, EPSILON, FAILURE, theta=population.theta, tau=1.0, moment=population.moment,
        diameter=2.0 * population.radius,
    )  # fmt: skip


def _judged(
    context: Context, axis: str, points: list[Point], grid: tuple[int, ...], ceilings: list[float], trials: int,
    repeats: int, fixed: int,
) -> tuple[str, Evidence]:  # fmt: skip
    samples = sweep(points, trials, repeats=repeats, seed=context.seed, map_blocks=context.map)
    found = slope(grid, samples, level=LEVEL)
    expected = theory_slope(grid, ceilings)
    other = "d" if axis == "n" else "n"
    evidence = _evidence(context, axis, grid, samples, found, ceilings, repeats)
    notes = (
        f"value: log-log slope of the mean excess risk in {axis}, {other} = {fixed}, epsilon = {EPSILON:g}; each of "
        f"{trials} data sets a point gives the mean of {repeats} outputs; net at zeta = 1/n",
        f"theorem's formula on the same grid, logarithms included: {expected:.3f}",
    )
    verdict = rate_verdict(found.interval, expected, "upper")
    return verdict, Evidence(**{**evidence.__dict__, "notes": notes})


def _evidence(
    context: Context, axis: str, grid: tuple[int, ...], samples: list[np.ndarray], found: Slope,
    ceilings: list[float], repeats: int,
) -> Evidence:  # fmt: skip
    reach = 1.96 * found.errors
    return Evidence(
        value=found.value,
        interval=found.interval,
        level=LEVEL,
        trials=found.trials * repeats,
        seed=context.seed,
        series={
            axis: list(map(float, grid)),
            "excess_risk": found.means.tolist(),
            "excess_risk_low": (found.means - reach).tolist(),
            "excess_risk_high": (found.means + reach).tolist(),
            "excess_risk_median": [float(np.median(part)) for part in samples],
            "excess_risk_quantile": [float(np.quantile(part, 1.0 - FAILURE)) for part in samples],
            "theory": list(map(float, ceilings)),
        },
    )


def sharp_sweep(
    theta: float, context: Context
) -> tuple[tuple[int, ...], list[np.ndarray], list[float], int]:
    """Excess risks on the sharp design at d = 2, and the values d·2·log θ/(nιε) beside them."""
    grid = context.pick(quick=(4000, 40_000), full=(31_623, 316_228))
    trials, repeats = context.pick(quick=(24, 256), full=(32, 256))
    population = HeavyTailedPopulation.unit(
        Tail("student", 3.0), np.full(2, 0.25), theta=theta, directions="axes"
    )
    points, values = [], []
    for n in grid:
        ratio = 2.0 * _FROZEN * math.log(1.0 / FAILURE) / (n * EPSILON)
        iota = ratio ** (1.0 / theta) / (2.0 * population.radius)
        points.append(Point(population, n, ExponentialMechanism(EPSILON, truncation=iota)))
        values.append(theory.sharp_excess(iota, n, 2, EPSILON, theta))
    samples = sweep(points, trials, repeats=repeats, seed=context.seed, map_blocks=context.map)
    return grid, samples, values, repeats


def sharp(theta: float, context: Context) -> tuple[str, Evidence]:
    """The slope in n where the excess is known: noise-free responses, log n in ι frozen."""
    grid, samples, values, repeats = sharp_sweep(theta, context)
    found = slope(grid, samples, level=LEVEL)
    expected = -(theta - 1.0) / theta
    evidence = _evidence(context, "n", grid, samples, found, values, repeats)
    notes = (
        f"value: log-log slope of the mean excess risk in n, d = 2, y = <x, w*>, log n in iota frozen at "
        f"log 10,000; {abs(found.value - expected):.3f} from {expected:.3f}, half-width {found.half_width:.3f}",
    )
    verdict = rate_verdict(found.interval, expected, "tight")
    return verdict, Evidence(**{**evidence.__dict__, "notes": notes})


def _rate(
    theorem: int, variant: str, run: object, statement: str, derivation: str, side: str = "upper"
) -> Claim:  # fmt: skip
    made = f"heavytail.thm{theorem}.rate.{variant}"
    return Claim(
        id=made,
        paper="heavytail",
        source=f"Theorem {theorem}",
        kind="rate",
        statement=statement,
        derivation=derivation,
        expected=EXPECTED[made],
        run=run,  # type: ignore[arg-type]
        side=side,
        level=LEVEL,
    )


_UPPER = (
    "Mean excess population risk, exact by quadrature, of the mechanism with the corrected weight and iota on "
    "Student's t designs with 0.2 more degrees of freedom than theta; the moment bound is attained. The mean bounds "
    "no quantile, "
    "but the truncated excess has light tails; median and 0.95-quantile stand in the series."
)
_SHARP = (
    "Noise-free responses make the risk a norm of w - w*, and iota E|r| -> 0 makes n iota L = n iota times that norm: "
    "its exponential is a Gamma(d) law, with mean excess d 2 log(theta)/(n iota epsilon). The next order falls as "
    "n^(1 - theta), which needs large n for theta near 1."
)


def _claims() -> tuple[Claim, ...]:
    made = []
    for number, moment, exponent in ((1, "norm", "(d/(n epsilon))^(1/2)"), (2, "coordinate", "d/(n epsilon)^(1/2)")):
        statement = f"Under Assumption {number} the excess risk is O~({exponent})"
        made.append(
            _rate(1, f"n.assumption{number}", partial(in_n, 2.0, moment), f"{statement}: slope in n.", _UPPER)
        )
        made.append(_rate(1, f"d.assumption{number}", partial(in_d, moment), f"{statement}: slope in d.", _UPPER))
    made.append(
        _rate(1, "n.sharp", partial(sharp, 2.0), "With iota as in Theorem 1 (log n frozen) the excess risk on a "
              "noise-free design falls as n^(-1/2).", _SHARP, "tight")
    )  # fmt: skip
    for theta in (1.75, 1.5, 1.25):
        name = f"theta-{round(100 * theta)}"
        for number, moment in ((3, "norm"), (4, "coordinate")):
            share = "(d/(n epsilon))^" if moment == "norm" else "d/(n epsilon)^"
            made.append(
                _rate(2, f"n.assumption{number}.{name}", partial(in_n, theta, moment),
                      f"Under Assumption {number} with theta = {theta:g} the excess risk is "
                      f"O~({share}((theta-1)/theta)): slope in n.", _UPPER)
            )  # fmt: skip
        made.append(
            _rate(2, f"n.sharp.{name}", partial(sharp, theta), "With iota as in Theorem 2 (log n frozen) the excess "
                  f"risk on a noise-free design falls as n^(-(theta-1)/theta), theta = {theta:g}.", _SHARP, "tight")
        )  # fmt: skip
    return tuple(made)


CLAIMS = _claims()
