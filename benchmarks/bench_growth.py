"""asv: how the cost grows: noisy GD in n, d and T, RRSPM in n and m, the auditor in trials; the whole of `verify`."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import cases
from benchmarks.cases import CASES
from benchmarks.cases_publicdata import CASES as CASES_PUBLICDATA
from benchmarks.workload import workload
from dpbench.auditing.audit import audit
from dpbench.ledger.verify import verify
from dpbench.papers.glm.noisy_gd import NoisyGD
from dpbench.papers.glm.peers.workload import WrongAnswer, check_noisy_gd
from dpbench.papers.glm.populations_sphere import LogisticOnSphere
from dpbench.papers.publicdata.populations import line
from dpbench.publicdata import RRSPM, Thresholds


@workload(cases)
class NoisyGDGrowth:
    """Eight trials, logistic loss, each of n, d and T varied alone: of the order of n·d·T."""

    params = (
        "n = 250, d = 50, T = 100",
        "n = 1000, d = 50, T = 100",
        "n = 4000, d = 50, T = 100",
        "n = 1000, d = 10, T = 100",
        "n = 1000, d = 200, T = 100",
        "n = 1000, d = 50, T = 400",
    )
    param_names = ("size",)
    timeout = 300

    def setup(self, size: str) -> None:
        n, d, steps = (int(part.split("=")[1]) for part in size.split(","))
        self.data = LogisticOnSphere(np.full(d, 0.8 / np.sqrt(d))).draw(n, np.random.default_rng(0))
        self.mechanism = NoisyGD(1.0, 1e-5, steps=steps)
        check_noisy_gd(self.data, self.mechanism)

    def time_block(self, size: str) -> None:
        self.mechanism(self.data, 8, np.random.default_rng(1))


@workload(cases)
class RRSPMGrowth:
    """A block of 64 outputs on thresholds, prepared data: of the order of m log m; n adds a sort once a data set."""

    params = ((10_000, 1_000_000), (64, 1024, 16_384))
    param_names = ("n", "m")
    timeout = 300

    def setup(self, n: int, m: int) -> None:
        CASES_PUBLICDATA["oracle-thresholds"]().check()
        self.population = line(Thresholds(), noise=0.1)
        self.data = self.population.draw(n, m, np.random.default_rng(0))
        self.mechanism = RRSPM(1.0)
        self.time_block(n, m)

    def time_block(self, n: int, m: int) -> None:
        self.mechanism(self.data, 64, np.random.default_rng(1))

    def peakmem_block(self, n: int, m: int) -> None:
        self.time_block(n, m)

    def track_excess(self, n: int, m: int) -> float:
        """Mean excess risk."""
        return float(self.population.excess_risk(self.mechanism(self.data, 64, np.random.default_rng(1))).mean())

    track_excess.unit = "risk"  # type: ignore[attr-defined]


def _noisy(shift: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return shift + rng.laplace(size=trials)


def _sums(shift: float, trials: int, rng: np.random.Generator) -> np.ndarray:
    return np.cumsum(shift + rng.laplace(size=(trials, 10)), axis=1)


@workload(cases)
class AuditGrowth:
    """An audit of one number and of ten: linear in the trials."""

    params = ((10_000, 1_000_000), ("number", "vector"))
    param_names = ("trials", "output")
    timeout = 300

    def setup(self, trials: int, output: str) -> None:
        self.sampler, self.shift = (_noisy, 1.0) if output == "number" else (_sums, 0.1)
        CASES["audit-laplace"]().check()

    def time_audit(self, trials: int, output: str) -> None:
        audit(self.sampler, 0.0, self.shift, trials=trials)

    def peakmem_audit(self, trials: int, output: str) -> None:
        audit(self.sampler, 0.0, self.shift, trials=trials)

    def track_epsilon(self, trials: int, output: str) -> float:
        """Of a true ε of 1."""
        return float(audit(self.sampler, 0.0, self.shift, trials=trials).epsilon_lower)

    track_epsilon.unit = "epsilon"  # type: ignore[attr-defined]


class Verify:
    """`dpbench verify` from an empty store, kernels compiled, one worker: run once a commit."""

    timeout = 1200

    def setup_cache(self) -> dict[str, float]:
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            ledger = verify(store=Path(folder) / "runs.sqlite", workers=1)
            seconds = time.perf_counter() - started
        if not ledger.entries:
            raise WrongAnswer("the ledger is empty")
        unit = 1 if sys.platform == "darwin" else 1024
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        unexpected = sum(not entry.as_expected for entry in ledger.entries) + len(ledger.not_run)
        return {"seconds": seconds, "peak": float(peak), "unexpected": float(unexpected)}

    def track_seconds(self, found: dict[str, float]) -> float:
        return found["seconds"]

    def track_peak_memory(self, found: dict[str, float]) -> float:
        return found["peak"]

    def track_unexpected(self, found: dict[str, float]) -> float:
        """Entries without their expected verdict."""
        return found["unexpected"]

    track_seconds.unit = "seconds"  # type: ignore[attr-defined]
    track_peak_memory.unit = "bytes"  # type: ignore[attr-defined]
    track_unexpected.unit = "entries"  # type: ignore[attr-defined]
