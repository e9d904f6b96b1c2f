"""asv: seconds, memory and quality of every case; a wrong answer is refused in `setup`, which also compiles."""

from __future__ import annotations

from benchmarks import cases
from benchmarks import noisy_gd as work
from benchmarks.workload import workload

CASES = cases.CASES


@workload(cases, work)
class Cases:
    """Time and peak memory of one call."""

    params = tuple(CASES)
    param_names = ("case",)
    timeout = 300

    def setup(self, case: str) -> None:
        self.case = CASES[case]()
        self.case.check()
        self.case.run()

    def time_run(self, case: str) -> None:
        self.case.run()

    def peakmem_run(self, case: str) -> None:
        self.case.run()

    def track_quality(self, case: str) -> float:
        """Excess risk, the bound an audit finds, an oracle's value or certified gap: see the case."""
        return self.case.quality(self.case.run())

    track_quality.unit = "see the case"  # type: ignore[attr-defined]
