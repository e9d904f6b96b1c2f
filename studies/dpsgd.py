"""``python -m studies.dpsgd``: DP-SGD as it is run, held against the accountant of Poisson sampling.

*Model.* Gradients are numbers, the clipping norm is 1, and each step adds N(0, σ²) to the sum of its batch. An attacker
sees all T sums and knows all other records, so that a sum shows what the one record adds. An epoch has 1/q batches.

*Claim.* That of Poisson sampling at the same (q, σ, T) where a record is added or removed: the whole curve δ(ε) of
dp-accounting's privacy loss distribution. `dpbench.audit` tests it on the log-likelihood ratio of the sums; a second
audit bounds ε at δ = 1e-5, the probability of an error in each at most 1e-6.

*Pairs of data sets.* "add/remove": the record's gradient is 1, or counts as 0. "replace": it is 1, or −1. Where batches
have a fixed number of records all others have −1, so that a batch with the record is 2 above the others, and 1 above
them where it counts as 0. The exact ε at δ = 1e-5 is that of the pair, and no more than that of the mechanism.
Shuffling is a mixture of fixed orders, each a Gaussian shift of √epochs/σ, hence no worse than one of them: δ is
jointly convex.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numba import types
from rich.table import Table

import dpbench
from dpbench.core.kernel import arr, f8, i8, kernel, rng_t
from dpbench.core.validation import extra
from dpbench.privacy import gaussian
from dpbench.report import markdown
from studies.command import Measured, command

DELTA, CONFIDENCE, TRIALS = 1e-5, 1.0 - 1e-6, 50_000
CERTAIN = 1e3
"""The log-ratio of what is impossible on the other data set."""
CELLS = ((0.01, 0.6, 100), (0.01, 1.0, 100), (0.1, 1.0, 10), (0.1, 1.0, 100))
"""q, σ and T: one epoch, or ten."""
SAMPLED, SHUFFLED, SAME_NOISE = range(3)
BEST = 5
Bounds = tuple[float, float]
"""On the ε of the pair at δ = 1e-5."""


@kernel(f8(f8, f8, f8))
def likelihood(shift: float, x: float, sigma: float) -> float:
    """The density of N(shift, σ²) at x over that of N(0, σ²)."""
    return math.exp((shift * x - 0.5 * shift * shift) / (sigma * sigma))


@kernel(types.void(i8, f8, f8, f8, f8, f8, i8, i8, f8, rng_t, arr(f8, 1, True)))
def losses(
    loop: int, gradient: float, here: float, there: float, q: float, sigma: float, steps: int, repeats: int,
    share: float, rng: np.random.Generator, out: np.ndarray,
) -> None:  # fmt: skip
    """Log-likelihood ratios of runs in which the record adds `gradient`: it adds `here`, against `there`.

    SAMPLED: each of `steps` coins is used in `repeats` steps, whose sum is sufficient; `share` is the probability that
    all others are absent, and then a step without the record is skipped. SHUFFLED: `repeats` epochs of `steps` batches;
    `share` is the probability that the record is in none of an epoch. SAME_NOISE: all steps have one noise.
    """
    for run in range(out.shape[0]):
        loss = 0.0
        if loop == SHUFFLED:
            for _epoch in range(repeats):
                place = steps
                if rng.random() >= share:
                    place = int(rng.random() * steps)
                with_here = with_there = share * steps / (1.0 - share)
                for t in range(steps):
                    x = gradient * (t == place) + sigma * rng.standard_normal()
                    with_here += likelihood(here, x, sigma)
                    with_there += likelihood(there, x, sigma)
                loss += math.log(with_here / with_there)
        elif loop == SAME_NOISE:
            joined = 0
            for _step in range(steps):
                joined += gradient != 0.0 and rng.random() < q
            x = gradient * (joined == steps) + sigma * rng.standard_normal()
            loss = CERTAIN  # steps with the record and steps without it differ by exactly `here`
            if joined == 0 or joined == steps:
                loss = math.log((1.0 - q) ** steps + q**steps * likelihood(here, x, sigma))
        else:
            scale = sigma * math.sqrt(repeats)
            for _step in range(steps):
                joins = gradient != 0.0 and rng.random() < q
                x = repeats * gradient * joins
                for _repeat in range(repeats):
                    x += sigma * rng.standard_normal()
                if share > 0.0 and not joins and rng.random() < share:
                    loss += math.log1p(-q)
                    continue
                still = (1.0 - q) * (1.0 - share)
                with_here, with_there = still + q * likelihood(repeats * here, x, scale), 1.0 - share
                if there != 0.0:
                    with_there = still + q * likelihood(repeats * there, x, scale)
                loss += math.log(with_here / with_there) if with_there > 0.0 else math.inf
        out[run] = min(loss, CERTAIN)


@dataclass(frozen=True)
class Loop:
    """A training loop and its pair of data sets.

    Attributes
    ----------
    relation : {"add/remove", "replace"}
    here, there : float
        What the record adds to the sum of a batch on either data set.
    exact : callable, optional
        From q, σ, and the numbers of batches and epochs to bounds on the pair's ε at δ.
    ordered, by_epoch : bool
        Whether the record's step in an epoch is public, so that the others show nothing; whether epochs have their
        coins, or their batches, in common.
    loop, share : int, float
        As in `losses`.
    best : int
        How many models are trained, of which the one with the least ratio is released.
    """

    relation: str
    here: float = 1.0
    there: float = 0.0
    exact: Callable[[float, float, int, int], Bounds] | None = None
    ordered: bool = False
    by_epoch: bool = False
    loop: int = SAMPLED
    share: float = 0.0
    best: int = 1

    def sampler(self, q: float, sigma: float, batches: int, epochs: int) -> Callable[..., np.ndarray]:
        """For `dpbench.audit`, whose data sets are what the record adds."""
        steps, repeats = (batches, epochs) if self.by_epoch else (batches * epochs, 1)
        if self.ordered:
            q, steps = 1.0, epochs

        def sample(gradient: float, trials: int, rng: np.random.Generator) -> np.ndarray:
            out = np.empty(trials * self.best)
            losses(self.loop, gradient, self.here, self.there, q, sigma, steps, repeats, self.share, rng, out)
            return out.reshape(trials, self.best).min(axis=1)

        return sample


@cache
def curve(sigma: float, q: float, steps: int) -> Any:
    """The claim: dp-accounting's privacy loss distribution, rounded up."""
    distribution = extra("dp_accounting.pld.privacy_loss_distribution", "accounting")
    step = distribution.from_gaussian_mechanism(sigma, sampling_prob=q, value_discretization_interval=1e-3)
    return step.self_compose(steps)


@cache
def poisson(sigma: float, q: float, steps: int) -> Bounds:
    """Exact, of Poisson sampling."""
    mechanism = {"noise_multiplier": sigma, "sampling_rate": q, "steps": steps}
    return dpbench.check_accountant(mechanism, 1.0, DELTA).epsilon


def shifted(shift: float, sigma: float, epochs: int) -> Bounds:
    """Exact, of a record that moves one known step of each epoch."""
    return (gaussian.epsilon(DELTA, shift * math.sqrt(epochs) / sigma),) * 2


def disclosed(q: float, sigma: float, batches: int, epochs: int) -> Bounds:
    """Infinite: one data set shows, with a probability above δ, what the other never does."""
    return math.inf, math.inf


HALF = Loop("replace", 2.0, exact=lambda q, s, n, e: poisson(0.5 * s, q, n * e))
"""The record is 2 above what is in its place: half the noise."""
SHUFFLE = Loop(
    "add/remove", 2.0, 1.0, lambda q, s, n, e: (0.0, shifted(1.0, s, e)[1]), by_epoch=True, loop=SHUFFLED
)  # fmt: skip
LOOPS = {
    "Poisson sampling, as accounted": Loop("add/remove", exact=lambda q, s, n, e: poisson(s, q, n * e)),
    "fixed-size random batches": Loop("add/remove", 2.0, 1.0),
    "fixed-size random batches, replaced": HALF,
    "microbatches, clipped after their mean": replace(HALF, relation="add/remove"),
    "batches in a fixed order": Loop("add/remove", exact=lambda q, s, n, e: shifted(1.0, s, e), ordered=True),
    "shuffled batches": SHUFFLE,
    "shuffled, a tenth of the records dropped": replace(SHUFFLE, share=0.1),
    "fixed order, last batch of half the size and noise": Loop(
        "add/remove", 2.0, exact=lambda q, s, n, e: shifted(2.0, s, e), ordered=True
    ),
    "empty batches skipped, 8 others expected": Loop("add/remove", share=math.exp(-8.0)),
    "empty batches skipped, no others": Loop("add/remove", exact=disclosed, share=1.0),
    "the sampler's seed reset each epoch": Loop(
        "add/remove", exact=lambda q, s, n, e: poisson(s / math.sqrt(e), q, n), by_epoch=True
    ),
    "the noise's seed reset each step": Loop("add/remove", exact=disclosed, loop=SAME_NOISE),
    f"best of {BEST} models, accounted as one": Loop(
        "add/remove", exact=lambda q, s, n, e: (0.0, poisson(s, q, BEST * n * e)[1]), best=BEST
    ),
}  # fmt: skip


def audited(name: str, cell: tuple[float, float, int]) -> dict[str, Any]:
    """One loop at one (q, σ, T): the audit of the accountant's ε at δ, and of its whole curve."""
    loop, (q, sigma, steps) = LOOPS[name], cell
    setting = q, sigma, round(1.0 / q), round(steps * q)
    accountant = curve(sigma, q, steps)
    claimed = accountant.get_epsilon_for_delta(DELTA)
    point, whole = (
        dpbench.audit(loop.sampler(*setting), loop.here, loop.there, trials=TRIALS, confidence=CONFIDENCE, **claim)
        for claim in ({"epsilon": claimed, "delta": DELTA}, {"claim": accountant})
    )
    exact = [f"{end:.4g}" for end in loop.exact(*setting)] if loop.exact else []
    return {
        "loop": name, "relation": loop.relation, "q": q, "sigma": sigma, "steps": steps, "claimed": claimed,
        "lower": point.epsilon_lower, "exact": exact, "verdict": whole.verdict, "above": whole.bound,
    }  # fmt: skip


def measured() -> Measured:
    """Every loop in every cell."""
    rows = [audited(name, cell) for cell in CELLS for name in LOOPS]
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*map(str, row.values()))
    return {"trials": TRIALS, "rows": rows}, (table,), True


def shown(document: dict[str, Any]) -> str:
    """The table of the documentation: a row for each loop, a column for each (q, σ, T)."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for row in document["rows"]:
        cell = "q = {q}, σ = {sigma}, T = {steps}: {claimed:.3g}".format_map(row)
        exact, lower = " to ".join(dict.fromkeys(row["exact"])) or "–", math.floor(100.0 * row["lower"]) / 100.0
        rows.setdefault((row["loop"], row["relation"]), {})[cell] = f"{exact}; ≥ {lower:g}; {row['verdict']}"
    cells = next(iter(rows.values()))
    return markdown.table(("loop", "relation", *cells), ((*loop, *found.values()) for loop, found in rows.items()))


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    return command("studies.dpsgd", __doc__, arguments, measured, {}, evidence="dpsgd.json")


if __name__ == "__main__":
    sys.exit(main())
