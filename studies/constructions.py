"""``python -m studies.constructions``: members a second of a hard family, many in one call and one at a time.

A member's work: draw it, make its data set, run one noisy gradient descent on it, and take the excess risk of the
output. "one at a time" makes the records with NumPy, checks them as a problem, runs and scores: what a reader of the
paper would write. The membership test on many targets stands beside former code (`studies.membership`). Median of
15 alternating pairs in one process, processor time. Exit 1 if a ratio that is promised, of members, is below 10.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from functools import partial

from rich.table import Table

from dpbench.core.blas import one_blas_thread
from dpbench.papers.glm.peers.pairs import Work, ratio
from dpbench.papers.glm.peers.speed import one_core
from studies.command import Measured, command
from studies.membership import membership_rows
from studies.work_lower_bounds import BUILD, MECHANISM, check, in_one_call, one_at_a_time

PROMISED = 10.0
PAIRS = 15


@dataclass(frozen=True)
class Setting:
    """A family at a size, and how many members either side takes in one call."""

    family: str
    n: int
    batch: int
    single: int


SETTINGS = (
    Setting("packing", 1000, 64, 8),
    Setting("packing", 1_000_000, 64, 1),
    Setting("chaudhuri_hsu", 1000, 64, 8),
    Setting("chaudhuri_hsu", 1_000_000, 64, 1),
    Setting("nonprivate", 1000, 64, 8),
    Setting("nonprivate", 1_000_000, 64, 1),
)


def measured() -> Measured:
    """Every setting, with its table."""
    one_core()
    table = Table("family", "n", "members/s in one call", "one at a time", "ratio", "interval")
    rows = []
    with one_blas_thread():
        for setting in SETTINGS:
            family = BUILD[setting.family](setting.n)
            check(family)
            many = Work(partial(in_one_call, family, setting.batch), setting.batch)
            single = Work(partial(one_at_a_time, family, setting.single), setting.single)
            found = ratio(many, single, pairs=PAIRS)
            rows.append({**asdict(setting), **asdict(found), "steps": MECHANISM.steps, "d": family.d})
            table.add_row(
                setting.family, f"{setting.n:,}", f"{found.ours_per_second:,.0f}", f"{found.peer_per_second:,.1f}",
                f"{found.median:.1f}", f"{found.low:.1f} to {found.high:.1f}",
            )  # fmt: skip
        kept = all(row["median"] >= PROMISED for row in rows)
        for row in membership_rows(PAIRS):
            rows.append(row)
            speeds = f"{row['ours_per_second']:,.0f}", f"{row['peer_per_second']:,.1f}"
            interval = f"{row['low']:.1f} to {row['high']:.1f}"
            table.add_row(row["family"], f"{row['n']:,}", *speeds, f"{row['median']:.1f}", interval)
    return {"promised": PROMISED, "rows": rows}, (table,), kept


def main(arguments: list[str] | None = None) -> int:
    """The command; 1 if a ratio is below the promised one."""
    return command("studies.constructions", __doc__, arguments, measured, {})


if __name__ == "__main__":
    sys.exit(main())
