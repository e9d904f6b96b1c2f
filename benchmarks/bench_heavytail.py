"""asv: the exact sampler of the heavy-tailed mechanism: seconds, memory and boxes; its kernels; the enumeration."""

from __future__ import annotations

import numpy as np

from benchmarks import cases_heavytail
from benchmarks.cases import WrongAnswer
from benchmarks.cases_heavytail import MECHANISM, student
from benchmarks.workload import workload
from dpbench.papers.heavytail.exponential import ExponentialMechanism, envelope
from dpbench.papers.heavytail.truncation import columns, psi, sums_at

SIZES = {"d1-n1e6": (1, 1_000_000, 2.0), "d3-n1e4": (3, 10_000, 1.5), "d5-n1e4": (5, 10_000, 2.0)}


@workload(cases_heavytail)
class Tree:
    """The envelope of a data set, and draws from it."""

    params = tuple(SIZES)
    param_names = ("size",)
    timeout = 300

    def setup(self, size: str) -> None:
        self.data = student(*SIZES[size], 0)
        self.made = envelope(MECHANISM, self.data)
        check_bounds(self.made, self.data)

    def time_envelope(self, size: str) -> None:
        envelope.cache_clear()
        envelope(MECHANISM, self.data)

    def time_draws(self, size: str) -> None:
        self.made.draw(8, np.random.default_rng(1))

    def peakmem_envelope(self, size: str) -> None:
        envelope.cache_clear()
        envelope(MECHANISM, self.data)

    def track_boxes(self, size: str) -> int:
        return self.made.opened

    track_boxes.unit = "boxes"  # type: ignore[attr-defined]


@workload(cases_heavytail)
class Scores:
    """Truncated risks of 1e5 records at 100 points, by the power that ψ needs."""

    params = (2.0, 1.75, 1.5, 1.25, 1.3)
    param_names = ("theta",)

    def setup(self, theta: float) -> None:
        data = student(3, 100_000, theta, 0)
        points = np.random.default_rng(1).uniform(-0.5, 0.5, (100, 3))
        self.arguments = columns(data), data.y, points, 0.1, theta
        want = psi(0.1 * np.abs(data.y - data.X @ points[0]), theta).sum()
        if not np.isclose(sums_at(*self.arguments)[0], want, rtol=1e-10):
            raise WrongAnswer(f"a truncated risk is off: {sums_at(*self.arguments)[0]:g} for {want:g}")

    def time_scores(self, theta: float) -> None:
        sums_at(*self.arguments)


@workload(cases_heavytail)
class Enumeration:
    """All probabilities of a net of 2e4 points on 200 records."""

    def setup(self) -> None:
        self.data = student(2, 200, 2.0, 0)
        self.mechanism = ExponentialMechanism(1.0, net_radius=0.02)
        if abs(np.exp(self.mechanism.log_probabilities(self.data)[1]).sum() - 1.0) > 1e-9:
            raise WrongAnswer("the probabilities do not add up to 1")

    def time_log_probabilities(self) -> None:
        self.mechanism.log_probabilities(self.data)


def check_bounds(made: object, data: object) -> None:
    """Draws are refused by the sampler itself where a bound is wrong; they fall near the records' own weights."""
    out, _ = made.draw(8, np.random.default_rng(2))  # type: ignore[attr-defined]
    w = out * MECHANISM.net(data).spacing  # type: ignore[arg-type]
    off = float(np.linalg.norm(w - 0.5 / np.sqrt(data.d), axis=1).mean())  # type: ignore[attr-defined]
    if off > 0.3:
        raise WrongAnswer(f"the outputs are {off:.2g} from the minimiser")
