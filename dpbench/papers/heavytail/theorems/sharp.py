"""The sharp designs of the heavy-tailed paper: every record on an axis, no noise, so that the output's law is exact.

There Σ_i ψ(ι|r_i(w)|) = Σ_j S_j(|w_j − w*_j|), a sum over the axes: the law is a product, and the mean excess risk a
sum of d means over the lattice of one axis. Nothing is sampled but the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import stdtrit

from dpbench.core.sampling import stream
from dpbench.ledger.harness import sampled
from dpbench.ledger.measurement import LEVEL, Context, Evidence, Rows, column
from dpbench.papers.heavytail import theory
from dpbench.papers.heavytail.exponential import ExponentialMechanism
from dpbench.papers.heavytail.populations import HeavyTailedPopulation
from dpbench.papers.heavytail.problem import HeavyTailedProblem
from dpbench.papers.heavytail.tails import Tail
from dpbench.papers.heavytail.theorems import paper
from dpbench.papers.heavytail.truncation import sums_at

EPSILON = 1.0
FAILURE = 0.05
WITHIN = 0.03
"""Resolution of the sharp slopes: 0.1 could not tell a slope of -0.22 from -0.2."""

_FROZEN = math.log(1e4)  # stands for log n in ι
_BLOCK = 8
_NODES = np.geomspace(1e-3, 2e3, 50)  # in units of the mean distance
_OUTSIDE = 1e-5
_REACH = 40.0  # c·S beyond which the mass is dropped: e^{−40} of the largest weight a lattice point


def axis_laws(
    population: HeavyTailedPopulation, problem: HeavyTailedProblem, mechanism: ExponentialMechanism
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each axis the distances |w_j − w*_j| over its lattice, and their probabilities under the product law.

    S_j is computed at 50 distances and interpolated between them in logarithms; the lattice of the net is summed
    point by point as far as the weights are above e^{−40}.
    """
    from scipy.interpolate import CubicSpline

    spacing, iota = mechanism.net(problem).spacing, mechanism.iota(problem)
    weight, radius = mechanism.weight(problem), population.radius
    for j, centre in enumerate(population.minimiser):
        sizes = np.abs(problem.X[:, j])
        sizes = np.ascontiguousarray(sizes[sizes > 0.0])
        nodes = _NODES / (weight * iota * sizes.sum())
        scores = sums_at(sizes[None, :], np.zeros(sizes.size), nodes[:, None], iota, problem.theta)
        reach = nodes[min(int(np.searchsorted(weight * scores, _REACH)), nodes.size - 1)]
        first, last = max(-radius, centre - reach), min(radius, centre + reach)
        k = np.arange(math.ceil(first / spacing), math.floor(last / spacing) + 1)
        distance = np.abs(k * spacing - centre)
        low = np.maximum(distance, nodes[0])  # below the first node S is linear
        made = np.exp(CubicSpline(np.log(nodes), np.log(scores))(np.log(low))) * (distance / low)
        mass = np.exp(-weight * made)
        yield distance, mass / mass.sum()


def mean_excess(
    population: HeavyTailedPopulation, problem: HeavyTailedProblem, mechanism: ExponentialMechanism
) -> float:
    """The mechanism's exact mean excess risk on a data set whose records lie on the axes, with y = ⟨x, w*⟩.

    In a ball the law is the product conditional on the ball: the mass of the product outside, at most `_OUTSIDE`, is
    left as it is.

    Raises
    ------
    ArithmeticError
        Where more of the mass would lie outside the ball.
    """
    slope_of_risk = population.scale * population.tail.moment(1.0) / population.d
    ball = population.domain == "ball"
    inside = population.radius - float(np.linalg.norm(population.minimiser))
    room = inside / math.sqrt(population.d) if ball else math.inf
    total, outside = 0.0, 0.0
    for distance, mass in axis_laws(population, problem, mechanism):
        total += slope_of_risk * float(mass @ distance)
        outside += float(mass[distance > room].sum())
    if outside > _OUTSIDE:
        raise ArithmeticError(f"a share {outside:.1e} of the product law may lie outside the ball")
    return total


def quantile_excess(
    population: HeavyTailedPopulation, problem: HeavyTailedProblem, mechanism: ExponentialMechanism
) -> float:
    """The (1 − η)-quantile over the mechanism of the excess risk, d = 1; η is the mechanism's failure probability."""
    ((distance, mass),) = axis_laws(population, problem, mechanism)
    order = np.argsort(-distance)
    at = int(np.searchsorted(np.cumsum(mass[order]), mechanism.failure_probability))
    return population.scale * population.tail.moment(1.0) * float(distance[order][at])


def exact_sweep(
    context: Context, population: HeavyTailedPopulation, n: int, mechanism: ExponentialMechanism, trials: int,
    measure: Any = mean_excess,
) -> np.ndarray:  # fmt: skip
    """`measure` of `trials` independent data sets of n records."""
    parts = sampled(context, _block, measure, population, n, mechanism, blocks=-(-trials // _BLOCK))
    return np.concatenate(parts)[:trials]


def _block(
    measure: Any, population: HeavyTailedPopulation, n: int, mechanism: ExponentialMechanism, seed: int, block: int
) -> np.ndarray:
    found = []
    for trial in range(block * _BLOCK, (block + 1) * _BLOCK):
        rng = stream(seed, "heavytail.sharp", population, n, trial)
        found.append(measure(population, population.draw(n, rng), mechanism))
    return np.array(found)


def _population(theta: float, d: int, moment: str = "norm") -> HeavyTailedPopulation:
    return HeavyTailedPopulation.unit(
        Tail("student", 3.0), np.full(d, 0.5 / d), theta=theta, moment=moment, directions="axes"
    )


def _next_term(population: HeavyTailedPopulation, n: int, epsilon: float) -> float:
    """Relative to d·2·log θ/(nιε), the next term of the mean excess."""
    first, moment = (population.scale**p * population.tail.moment(p) / population.d for p in (1.0, population.theta))
    return theory.sharp_correction(n, epsilon, population.theta, first, moment)


def sharp_sweep(theta: float, context: Context) -> Iterator[tuple[int, np.ndarray, float, float]]:
    """n, the means of some data sets at d = 2, the value d·2·log θ/(nιε), and its relative next term."""
    population = _population(theta, 2)
    quick = ((8000 if theta == 2.0 else 10_000, 24), (50_000, 12))
    for n, count in context.pick(quick=quick, full=[(n, 16) for n in (10_000, 31_623, 100_000, 316_228)]):
        ratio = 2.0 * _FROZEN * math.log(1.0 / FAILURE) / (n * EPSILON)
        iota = ratio ** (1.0 / theta) / (2.0 * population.radius)
        sample = exact_sweep(context, population, n, ExponentialMechanism(EPSILON, truncation=iota), count)
        yield n, sample, theory.sharp_excess(iota, n, 2, EPSILON, theta), _next_term(population, n, EPSILON)


_SHARP = (
    "Noise-free responses make the risk a norm of w - w*, and iota E|r| -> 0 makes n iota L = n iota times that norm: "
    "its exponential is a Gamma(d) law, with mean excess d 2 log(theta)/(n iota epsilon). The next order falls as "
    "n^(1 - theta), which needs large n for theta near 1."
)
_JUDGED = (
    f"known to {WITHIN:g}, against the value with the next term of its expansion; the output's law is computed "
    "exactly for each data set"
)


def sharp(context: Context, theta: float) -> Rows:
    """The slope in n where the excess is known: noise-free responses, log n in ι frozen."""
    for n, sample, value, following in sharp_sweep(theta, context):
        yield {"n": float(n), "samples": sample, "ceiling": value * (1.0 + following), "leading": value}
    return f"d = 2, y = <x, w*>, log n in iota frozen at log 10,000; {_JUDGED}"


def in_epsilon(context: Context, theta: float) -> Rows:
    """The slope in ε of the mean excess at a fixed n, d = 2, with the ι of the theorem."""
    population, n = _population(theta, 2), context.pick(quick=50_000, full=400_000)
    for epsilon in context.pick(quick=(0.5, 8.0), full=(0.25, 1.0, 4.0, 16.0)):
        mechanism = ExponentialMechanism(epsilon)
        iota = theory.truncation(n, 2, epsilon, FAILURE, theta=theta, tau=1.0, moment="norm", diameter=2.0)
        value = theory.sharp_excess(iota, n, 2, epsilon, theta)
        yield {
            "epsilon": epsilon, "samples": exact_sweep(context, population, n, mechanism, 8),
            "ceiling": value * (1.0 + _next_term(population, n, epsilon)), "leading": value,
        }  # fmt: skip
    return f"d = 2, n = {n:,}, y = <x, w*>; {_JUDGED}"


def in_failure(context: Context, theta: float) -> Rows:
    """The slope in log(1/η) of the (1 − η)-quantile at a fixed n, d = 1: an exponential law, cut at η."""
    population, n = _population(theta, 1), context.pick(quick=50_000, full=400_000)
    for failure in context.pick(quick=(0.05, 1e-6), full=(0.2, 0.05, 1e-3, 1e-6, 1e-12)):
        mechanism, level = ExponentialMechanism(EPSILON, failure_probability=failure), math.log(1.0 / failure)
        yield {
            "log(1/eta)": level,
            "samples": exact_sweep(context, population, n, mechanism, 8, quantile_excess),
            "ceiling": theory.rate(n, 1, EPSILON, failure, theta=theta, tau=1.0, moment="norm", diameter=2.0),
        }
    return f"d = 1, n = {n:,}, y = <x, w*>: the quantile over the mechanism, exactly, averaged over data sets"


def printed(context: Context, theta: float, moment: str) -> Rows:
    """The slope in n with the weight and the ι as printed, d = 2, against the printed bound."""
    population = _population(theta, 2, moment)
    for n in context.pick(quick=(10_000, 50_000), full=(10_000, 31_623, 100_000, 316_228)):
        yield {
            "n": float(n), "samples": exact_sweep(
                context, population, n, ExponentialMechanism(EPSILON, calibration="printed"), 8),
            "ceiling": theory.rate(n, 2, EPSILON, FAILURE, theta=theta, tau=1.0, moment=moment, diameter=2.0),
        }  # fmt: skip
    return "d = 2, y = <x, w*>: a risk without the bias of truncation, so that the rate is far from tried by it"


def value(context: Context, orders: tuple[float, ...]) -> Evidence:
    """The mean excess over d·2·log θ/(nιε) at the largest n, with the next term of its expansion as allowance."""
    rows: list[dict[str, Any]] = []
    for theta in orders:
        *_, (n, sample, leading, following) = sharp_sweep(theta, context)
        ratio, reach = sample / leading, -float(stdtrit(sample.size - 1.0, 0.5 * LEVEL / len(orders)))
        reach *= float(ratio.std(ddof=1)) / math.sqrt(sample.size)
        rows.append({"theta": theta, "ratio": float(ratio.mean()), "reach": reach, "next_term": following,
                     "sets": sample.size})  # fmt: skip
        rows[-1]["margin"] = 1.0 - abs(rows[-1]["ratio"] - 1.0) / (reach + 2.0 * following)
    worst = max(rows, key=lambda row: abs(row["ratio"] - 1.0))
    return Evidence(
        value=worst["ratio"], interval=(worst["ratio"] - worst["reach"], worst["ratio"] + worst["reach"]),
        level=LEVEL, margin=float(np.min([row["margin"] for row in rows])), trials=sum(row["sets"] for row in rows),
        series=column(rows), notes=(
            f"value: mean excess over d 2 log(theta)/(n iota epsilon) at n = {n:,}, that of theta in {orders} "
            "farthest from 1; refuted if 1 lies outside the interval (Student's t) by more than twice the next term, "
            "theta Gamma(theta + 1) E|x|^theta/(theta E|x|) (2 log theta/(n epsilon E|x|))^(theta - 1) with E over an "
            "axis",
        ),
    )


for theta, last in ((2.0, ""), (1.75, ".theta-175"), (1.5, ".theta-150"), (1.25, ".theta-125")):
    name, place = ("thm1", "Theorem 1") if theta == 2.0 else ("thm2", "Theorem 2")
    power = "(theta-1)/theta"
    tight: dict[str, Any] = {"source": f"{place}, sharp design", "expected": "consistent", "side": "tight"}
    tight["resolution"] = WITHIN
    paper.rate(
        name, variant=f"n.sharp{last}", arguments={"theta": theta}, because=_SHARP, **tight,
        statement="With iota as in the theorem (log n frozen) the excess risk on a noise-free design falls as "
        f"n^(-{power}), theta = {theta:g}.",
    )(sharp)
    if theta not in (2.0, 1.5):
        continue
    paper.rate(
        name, variant=f"epsilon.sharp{last}", arguments={"theta": theta}, because=_SHARP, **tight,
        statement=f"On a noise-free design the excess risk falls as epsilon^(-{power}), theta = {theta:g}.",
    )(in_epsilon)
    paper.rate(
        name, variant=f"eta.sharp{last}", arguments={"theta": theta}, **tight,
        statement=f"On a noise-free design, d = 1, the (1 - eta)-quantile grows as log(1/eta)^({power}), theta = "
        f"{theta:g}.",
        because="The excess has an exponential law of mean 2 log(theta)/(n iota epsilon), whose (1 - eta)-quantile is "
        "log(1/eta) times that; iota grows as log(1/eta)^(1/theta).",
    )(in_failure)
    for moment in ("norm", "coordinate") if theta == 2.0 else ("norm",):
        assumption = {"norm": "1" if theta == 2.0 else "3", "coordinate": "2"}[moment]
        paper.rate(
            name, variant=f"n.printed.assumption{assumption}{last}", source=f"{place}, weight and iota as printed",
            expected="consistent", side="upper", arguments={"theta": theta, "moment": moment},
            statement=f"With the printed weight and iota the excess risk under Assumption {assumption}, theta = "
            f"{theta:g}, falls at least as fast as the printed bound: slope in n.",
            because="The printed weight is twice the corrected one and the printed iota lacks Delta, and log n under "
            "Assumption 3: the excess d log(theta)/(n iota epsilon) differs by constants and logarithms. Such a design "
            "does not try the bias of truncation, which sets the bound.",
        )(printed)

paper.inequality(
    "thm1", variant="value", source="Theorem 1, sharp design", expected="not refuted", level=LEVEL,
    arguments={"orders": (2.0,)},
    statement="The mean excess of a norm-shaped risk is d 2 log 2/(n iota epsilon)(1 + o(1)).",
    because="exp(-c n iota kappa |w - w*|) is a Gamma(d) law of the distance, c = epsilon/(2 log 2).",
)(value)
paper.inequality(
    "thm2", variant="value", source="Theorem 2, sharp design", expected="not refuted", level=LEVEL,
    arguments={"orders": (1.75, 1.5, 1.25)},
    statement="The mean excess of a norm-shaped risk is d 2 log(theta)/(n iota epsilon)(1 + o(1)).",
    because="As for Theorem 1: psi(x) = x - x^theta/theta + ..., of which the second term gives the next order.",
)(value)
