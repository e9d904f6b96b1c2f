"""``python -m tests.zoo.accountants``: public reports on accountants of DP-SGD, held against `check_accountant`."""

from __future__ import annotations

import sys
import time
from typing import Any

from rich.table import Table

import dpbench
from dpbench.auditing.accountant import AccountantCheck
from dpbench.report import markdown
from studies.command import Measured, command

REPORTS = {
    "opacus 643, GDP": (3, 0.2, 50, 1.83, 1 / 48_000, "add_remove", "refuted", "central limit"),
    "opacus 643, RDP": (3, 0.2, 50, 2.16, 1 / 48_000, "add_remove", "holds", ""),
    "opacus 715": (0.6, 0.05, 10, 2.51, 1e-5, "add_remove", "refuted", "central limit"),
    "google/differential-privacy 378": (1, 1.0, 1, 4.378, 1e-5, "replace", "refuted", "added or removed"),
    "google/differential-privacy 378, mended": (1, 1.0, 1, 10.0, 1e-5, "replace", "holds", ""),
    "prv_accountant 17, PRV": (4, 0.00033, 10_000, 0.056, 1.1e-18, "add_remove", "refuted", ""),
    "prv_accountant 17, RDP": (4, 0.00033, 10_000, 0.669, 1.1e-18, "add_remove", "holds", ""),
    "tensorflow/privacy 97": (1.3, 1 / 60, 900, 2.46, 1e-5, "add_remove", "holds", ""),
    "tensorflow/privacy 166": (1, 0.00105, 1, 0.0, 1e-3, "add_remove", "holds", ""),
}
"""Public reports: issue, σ, q, T, ε and δ as said there, neighbours, verdict, and the slip that explains it."""


def check(name: str) -> AccountantCheck:
    """A report, checked."""
    sigma, q, steps, epsilon, delta, relation, _, _ = REPORTS[name]
    mechanism = {"noise_multiplier": sigma, "sampling_rate": q, "steps": steps}
    return dpbench.check_accountant(mechanism, epsilon, delta, relation=relation)


def measured() -> Measured:
    """All reports, with seconds of the processor; the first is checked once before the clock starts."""
    rows: list[dict[str, Any]] = []
    check(next(iter(REPORTS)))
    for name in REPORTS:
        began = time.process_time()
        found = check(name).to_dict()
        rows.append({"report": name, **found, "seconds": round(time.process_time() - began, 1)})
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*map(str, row.values()))
    return {"rows": rows}, (table,), [row["verdict"] for row in rows] == [report[6] for report in REPORTS.values()]


def shown(document: dict[str, Any]) -> str:
    """The table of the documentation."""
    exact = ("exact ε at this δ", "exact δ at this ε")
    return markdown.table(
        ("report", "σ, q, T", "relation", "claimed (ε, δ)", *exact, "verdict", "as if", "s"),
        (
            (
                row["report"],
                "{:.3g}, {:.3g}, {}".format(*row["steps"][0]),
                row["relation"].replace("_", "/"),
                "({:.4g}, {:.3g})".format(*row["claimed"]),
                f"{row['epsilon'][1]:.3g}",
                f"{row['delta'][1]:.3g}",
                row["verdict"],
                ", ".join(row["slips"]),
                f"{row['seconds']:g}",
            )
            for row in document["rows"]
        ),
    )


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    return command("tests.zoo.accountants", __doc__, arguments, measured, {}, evidence="accountants.json")


if __name__ == "__main__":
    sys.exit(main())
