"""asv: processor time, memory and quality of the twelve headline pieces of work, over the commits."""

from __future__ import annotations

import hashlib
import inspect
import time

from benchmarks import headline


class Headline:
    """What `python -m benchmarks.compare` compares. Changed work is another version, and starts another line."""

    params = tuple(headline.HEADLINE)
    param_names = ("work",)
    timeout = 300
    timer = staticmethod(time.process_time)

    def setup(self, work: str) -> None:
        self.work = headline.HEADLINE[work]()
        self.quality = self.work.quality(self.work(0))

    def time_run(self, work: str) -> None:
        """Processor time of one call."""
        self.work(1)

    def track_quality(self, work: str) -> float:
        """Mean empirical risk, largest probability, bound found or floor: see `benchmarks.headline`."""
        return self.quality

    def peakmem_run(self, work: str) -> None:
        """Peak memory of a process with one call."""
        self.work(1)


for name in ("time_run", "track_quality", "peakmem_run"):
    getattr(Headline, name).version = hashlib.sha256(inspect.getsource(headline).encode()).hexdigest()
