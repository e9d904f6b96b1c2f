"""The ledger: papers, their claims, what was measured, and the rules from that to a verdict.

To check a theorem of yours, make a `Paper` and declare each claim above the function that measures it:

- `Paper` and its decorators `privacy`, `rate`, `inequality`, `floor`, `stability`; their fields are those of a `Claim`.
- What the function is given: the run, a `Context` (`level`, `seed`, `workers`, `map`, `pick`).
- What it gives back: rows, of which `profiles` (privacy), `slope_of` (rates) and `margins` (the others) make evidence
  and verdict, and at their end a `summary`; or `Evidence` that it made itself, with `swept` for rates whose rows carry
  their point, `judge` for slopes, `growing` for constants that grow, `vanishing` for ratios that vanish.
- `sampled` and `attack_bounds` run blocks of trials and attacks that the store keeps.
- A `Figure` beside a declaration says how its evidence is drawn; else it is by its kind (`dpbench.report.by_kind`).

Claims are found in installed packages, by the entry-point group ``dpbench.papers`` (``name = "package.module:paper"``),
in what ``--claims MODULE|FILE|FOLDER`` names, and in what `dpbench.verify` is handed: papers and claims beside ids.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench.ledger.attacks import attack_bounds
    from dpbench.ledger.core import Claim
    from dpbench.ledger.figure import Figure
    from dpbench.ledger.harness import growing, margins, profiles, sampled, summary, vanishing
    from dpbench.ledger.harness_rates import judge, slope_of, swept
    from dpbench.ledger.measurement import (
        LEVEL,
        Context,
        Evidence,
        Rows,
    )
    from dpbench.ledger.paper import Paper
    from dpbench.ledger.registry import all_claims, all_papers
    from dpbench.ledger.samples import Samples

_HOME = {
    "LEVEL": "dpbench.ledger.measurement",
    "Claim": "dpbench.ledger.core",
    "Context": "dpbench.ledger.measurement",
    "Evidence": "dpbench.ledger.measurement",
    "Figure": "dpbench.ledger.figure",
    "Paper": "dpbench.ledger.paper",
    "Rows": "dpbench.ledger.measurement",
    "Samples": "dpbench.ledger.samples",
    "all_claims": "dpbench.ledger.registry",
    "all_papers": "dpbench.ledger.registry",
    "attack_bounds": "dpbench.ledger.attacks",
    "growing": "dpbench.ledger.harness",
    "judge": "dpbench.ledger.harness_rates",
    "margins": "dpbench.ledger.harness",
    "profiles": "dpbench.ledger.harness",
    "sampled": "dpbench.ledger.harness",
    "slope_of": "dpbench.ledger.harness_rates",
    "summary": "dpbench.ledger.harness",
    "swept": "dpbench.ledger.harness_rates",
    "vanishing": "dpbench.ledger.harness",
}

__all__ = [
    "LEVEL",
    "Claim",
    "Context",
    "Evidence",
    "Figure",
    "Paper",
    "Rows",
    "Samples",
    "all_claims",
    "all_papers",
    "attack_bounds",
    "growing",
    "judge",
    "margins",
    "profiles",
    "sampled",
    "slope_of",
    "summary",
    "swept",
    "vanishing",
]


def __getattr__(name: str) -> Any:
    from dpbench.core.lazy import load

    return load(__name__, _HOME, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
