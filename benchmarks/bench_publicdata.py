"""asv: seconds, memory and quality of the ERM oracles; a wrong answer is refused in `setup`, which also compiles."""

from __future__ import annotations

from benchmarks.cases_publicdata import CASES


class Oracles:
    """Time and peak memory of a call with its sort."""

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
        """The value found a point, a certified gap, or a share of outputs."""
        return self.case.quality(self.case.run())

    track_quality.unit = "see cases_publicdata"  # type: ignore[attr-defined]
