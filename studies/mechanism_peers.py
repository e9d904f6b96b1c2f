"""``python -m studies.mechanism_peers --json evidence/mechanism_peers.json``: mechanisms beside plain write-ups.

The JL method, RRSPM and its oracles, and the exponential mechanism, each beside what one writes with NumPy, SciPy or
scikit-learn (`studies.plain_mechanisms`), on one core: ratios of outputs (oracles: calls) a second of processor
time, medians of alternating pairs. Before a row is timed the two must agree; how is said in the row. A Markov chain
has the exact law only in the limit: on a line its law after each step is calculated, and a draw is as many steps as
bring it within 1e-6 of the mechanism's in total variation; in five dimensions, where no such number is known, effective
samples are counted, from a start and with proposals that the mechanism's own draws give.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table
from scipy.special import ndtr
from scipy.stats import ks_2samp

from benchmarks.cases import CASES
from dpbench.core.blas import one_blas_thread
from dpbench.papers.glm.algorithms.jl import JLMethod
from dpbench.papers.glm.peers.numpy_loop import SLOPES
from dpbench.papers.glm.peers.pairs import Work, ratio
from dpbench.papers.glm.peers.speed import one_core
from dpbench.papers.glm.peers.workload import WrongAnswer, problem
from dpbench.papers.glm.populations import ScaledBasis
from dpbench.papers.heavytail.algorithms.exponential import ExponentialMechanism, _enumerated, envelope
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.publicdata import RRSPM, Stumps, Thresholds
from studies import plain_mechanisms as plain
from studies.command import Measured, command
from studies.heavytail import Setting
from studies.heavytail import problem as heavy_problem
from studies.oracle_peers import oracle_pairs

PAIRS = 5
LAW = 1e-9  # p-value below which two samples are held to be of two laws
DISTANCE = 1e-6
"""Total variation distance of a chain's draw from the mechanism's law."""

Pair = tuple[str, str, str, Work, Work]
"""Mechanism, peer, how they were found to agree, the two."""


def jl_trials(data: Any, m: JLMethod, count: int, rng: np.random.Generator) -> np.ndarray:
    """Outputs of the plain write-up with the mechanism's constants, shape (count, d)."""
    k, sigma = m.projected_dimension(data), m.sigma(data)
    one = partial(
        plain.jl_trial, data.X, data.y, SLOPES[data.loss.name], clip=m.norm_bound(data), radius=data.radius,
        eta=m.eta(data), steps=m.number_of_steps(data), noise=lambda: sigma * rng.standard_normal(k),
    )  # fmt: skip
    return np.array([one(phi=rng.standard_normal((k, data.d)) / math.sqrt(k)) for _ in range(count)])


def one_law(ours: np.ndarray, peer: np.ndarray, what: str) -> str:
    """How two samples of numbers compare."""
    p = float(ks_2samp(ours, peer).pvalue)
    if p < LAW:
        raise WrongAnswer(f"{what}: the two laws differ, p = {p:.2g}")
    return f"one law: Kolmogorov–Smirnov p = {p:.2f} of {len(ours)} and {len(peer)} risks"


def jl_pairs() -> Iterator[Pair]:
    """Dense records under the logistic loss, and few stored entries in 20,000 dimensions under the squared one."""
    wide = ScaledBasis.even("squared", 20_000, 16, 1.0).draw(2000, np.random.default_rng(3))
    for name, data, m, count in (
        ("JL method, logistic, n = 1000, d = 50, k = 33, T = 1000", problem("logistic"), JLMethod(1.0, 1e-5), 40),
        ("JL method, squared, n = 2000, d = 20,000, k = 32, T = 2000", wide, JLMethod(1.0, 1e-5, dimension=32), 10),
    ):
        run, loop = partial(m, data, 8, np.random.default_rng(1)), partial(jl_trials, data, m, 2)
        ours, peer = m(data, count, np.random.default_rng(2)), loop_many(loop, count)
        agreed = one_law(data.empirical_risk(ours), data.empirical_risk(peer), name)
        yield name, "NumPy, one trial at a time", agreed, Work(run, 8), Work(partial(loop, np.random.default_rng(4)), 2)


def loop_many(loop: Callable[[np.random.Generator], np.ndarray], count: int) -> np.ndarray:
    """`count` outputs of a peer that makes two at a time."""
    rng = np.random.default_rng(5)
    return np.concatenate([loop(rng) for _ in range(count // 2)])


def thresholds_problem(n: int, m: int) -> PublicDataProblem:
    """Uniform points, labels 1 from 0.3 on, a tenth of them turned."""
    rng = np.random.default_rng(6)
    x = rng.uniform(-1.0, 1.0, n)
    y = np.where(x >= 0.3, 1.0, -1.0) * np.where(rng.random(n) < 0.1, -1.0, 1.0)
    return PublicDataProblem(x, y, rng.uniform(-1.0, 1.0, m), hypotheses=Thresholds(), loss="zero-one")


def stumps_problem(n: int, m: int) -> PublicDataProblem:
    """The same with three more features, which say nothing."""
    rng, line = np.random.default_rng(6), thresholds_problem(n, m)
    x, public = (np.column_stack([rng.uniform(-1.0, 1.0, (len(z), 3)), z]) for z in (line.x, line.public))
    return PublicDataProblem(x, line.y, public, hypotheses=Stumps(4), loss="zero-one")


RRSPM_CASES: tuple[tuple[str, Callable[[int, int], PublicDataProblem], Callable[..., np.ndarray]], ...] = (
    ("thresholds", thresholds_problem, plain.rrspm_thresholds),
    ("stumps, 4 features", stumps_problem, plain.rrspm_stumps),
)
"""Class, its problem, the plain write-up."""


def rrspm_pairs() -> Iterator[Pair]:
    """64 outputs from records that nothing was prepared for: the same weights give the same outputs."""
    m, points = RRSPM(1.0), 64
    for title, problem_of, plain_of in RRSPM_CASES:
        for n in (1000, 100_000):
            scale = m.scale(problem_of(n, points))

            def ours(n: int = n, problem_of: Any = problem_of) -> np.ndarray:
                from dpbench.papers.publicdata.algorithms import oracles

                oracles._joint.cache_clear(), oracles._on_public.cache_clear()
                return m(problem_of(n, points), 64, np.random.default_rng(7))

            def peer(n: int = n, problem_of: Any = problem_of, plain_of: Any = plain_of, b: float = scale) -> Any:
                p = problem_of(n, points)
                return plain_of(p.x, p.y, p.public, b, 64, np.random.default_rng(7))

            if not np.array_equal(ours(), peer()):
                raise WrongAnswer(f"RRSPM on {title}: outputs differ under the same weights")
            name = f"RRSPM, {title}, n = {n:,}, m = {points}, 64 outputs with the sort"
            yield name, "NumPy, sorted once", "equal outputs under the same weights", Work(ours, 64), Work(peer, 64)


def net_setting(d: int, n: int, zeta: float | None) -> tuple[Any, ExponentialMechanism, Callable[..., Any]]:
    """A problem, the mechanism on it, and the plain log-weights of net points."""
    data, m = heavy_problem(Setting(d, n, 2.0), 0), ExponentialMechanism(1.0, net_radius=zeta)
    iota, weight = m.iota(data), m.weight(data)
    return data, m, lambda points: plain.log_weights(data.X, data.y, points, iota, 2.0, weight)


def fresh(m: ExponentialMechanism, data: Any, trials: int) -> np.ndarray:
    """Draws with the weights, or the envelope, made anew."""
    envelope.cache_clear(), _enumerated.cache_clear()
    return m(data, trials, np.random.default_rng(8))


def exponential_pairs() -> Iterator[Pair]:
    """A net in the plane that can be enumerated; a line and the law of a chain on it; five dimensions at ζ = 1/n."""
    data, m, logs = net_setting(2, 1000, 0.02)
    points, want = m.log_probabilities(data)
    found = logs(points)
    found -= found.max() + math.log(np.exp(found - found.max()).sum())
    apart = 0.5 * float(np.abs(np.exp(found) - np.exp(want)).sum())
    if apart > 1e-9:
        raise WrongAnswer(f"enumerated weights: total variation {apart:.2g}")

    def enumeration() -> np.ndarray:
        return points[plain.enumerated(logs(points), 64, np.random.default_rng(9))]

    name = f"exponential mechanism, d = 2, n = 1000, {len(points):,} net points, 64 draws with the weights"
    agreed = f"total variation of the two laws {apart:.1g}"
    yield name, "NumPy, every weight", agreed, Work(partial(fresh, m, data, 64), 64), Work(enumeration, 64)
    yield from (line(), five())


def line() -> Pair:
    """The chain on a line, 4001 net points: its law after each step is known."""
    data, m, logs = net_setting(1, 1000, 5e-4)
    net, (points, want) = m.net(data), m.log_probabilities(data)
    law, heights = np.exp(want), logs(points)
    spread = math.sqrt(float(law @ points[:, 0] ** 2 - (law @ points[:, 0]) ** 2)) / net.spacing
    apart = np.abs(np.subtract.outer(np.arange(len(points)), np.arange(len(points))))
    best = (sys.maxsize, 0.0)
    for factor in (1.5, 2.5, 4.0):
        steps = np.arange(len(points))
        jump = ndtr((steps + 0.5) / (factor * spread)) - ndtr((steps - 0.5) / (factor * spread))
        count = plain.steps_to(law, plain.transitions(heights, apart, jump), int(np.argmin(np.abs(points))), DISTANCE)
        best = min(best, (count, factor * spread))
    count, jump_size = best
    walk = partial(
        plain.chain, lambda k: float(logs(k[np.newaxis] * net.spacing)[0]),
        lambda k: bool(abs(k[0]) <= net.resolution), np.zeros(1), np.array([[jump_size]]), count,
        np.random.default_rng(10),
    )  # fmt: skip
    agreed = f"a draw of the chain: {count} steps from 0, calculated total variation below {DISTANCE:g}; ours: 0"
    tree = replace(m, sampler="tree")  # "auto" enumerates here, which takes twice as long for one draw
    name = f"exponential mechanism, d = 1, n = 1000, {len(points):,} net points, one draw with the envelope"
    return name, "NumPy, Metropolis' chain", agreed, Work(partial(fresh, tree, data, 1), 1), Work(walk, 1)


def five(steps: int = 20_000) -> Pair:
    """(4.5e4)⁵ lattice points about the net: effective samples of a chain with the covariance of the law."""
    data, m, logs = net_setting(5, 10_000, None)
    net = m.net(data)
    walk = partial(
        plain.chain, lambda k: float(logs(k[np.newaxis] * net.spacing)[0]),
        lambda k: bool((k * k).sum() <= net.resolution**2),
    )  # fmt: skip
    ours = fresh(m, data, 400) / net.spacing
    start, rng = ours[0], np.random.default_rng(11)
    root = np.linalg.cholesky(np.cov(ours.T)) * 2.38 / math.sqrt(5.0)
    time = plain.autocorrelation_time(walk(start, root, steps, rng))
    name = "exponential mechanism, d = 5, n = 10,000, ζ = 1/n, 64 draws with the envelope"
    agreed = f"effective samples: one in {time:.0f} steps; how far from the law is not known"
    peer = Work(partial(walk, start, root, round(20 * time), rng), 20)
    return name, "NumPy, Metropolis' chain", agreed, Work(partial(fresh, m, data, 64), 64), peer


def rows(pairs: int = PAIRS) -> Iterator[dict[str, Any]]:
    """A row for each pair, once the two agree."""
    for made in (jl_pairs, rrspm_pairs, oracle_pairs, exponential_pairs):
        for mechanism, peer, agreed, ours, theirs in made():
            found = ratio(ours, theirs, pairs)
            yield {"mechanism": mechanism, "peer": peer, "agreed": agreed, **asdict(found)}


def measured() -> Measured:
    """The rows, and their table."""
    one_core()
    table = Table("mechanism", "peer", "agreement", "ours a second", "peer's", "ratio [95%]")
    found = []
    with one_blas_thread():
        CASES["jl-logistic"]().check()
        for row in rows():
            found.append(row)
            table.add_row(
                row["mechanism"], row["peer"], row["agreed"], f"{row['ours_per_second']:.3g}",
                f"{row['peer_per_second']:.3g}", f"{row['median']:.2f} [{row['low']:.2f}, {row['high']:.2f}]",
            )  # fmt: skip
    return {"rows": found}, (table,), True


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, write JSON if asked."""
    return command("studies.mechanism_peers", __doc__, arguments, measured, {})


if __name__ == "__main__":
    sys.exit(main())
