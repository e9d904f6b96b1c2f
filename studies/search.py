"""What the search for counterexamples finds in the ledger: ``python -m studies.search --json evidence/search.json``.

Recall is over the refuted entries that are no misprints, each searched without the instance that the ledger shows:
``found`` only where the checker accepts a certificate of the search's own instance. On entries that hold, an accepted
certificate is a false find (or news), and the worst ratio to the bound stands beside the entry's own. Every row has the
same budget of points and of processor time; shrinking and checking come on top and are in its seconds.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from dpbench.certificates.search.find import EVALUATIONS, find_counterexample, questions
from dpbench.ledger.core import Claim
from dpbench.ledger.evidence import committed
from dpbench.ledger.measurement import plain
from dpbench.ledger.registry import all_claims
from tools.code_key import stamped

NO_SPACE = {
    "publicdata.thm7.inequality.sample-size-laplace": "Laplace noise averaged over m public points has no tail in the "
    "checker's formulas",
}
"""Why a refuted entry has no space."""
KEPT = (
    "found", "margin", "ratio", "evaluations", "admissible", "seconds", "cut", "refused", "instance",
    "asymptotic",
)  # fmt: skip


def own_ratio(record: dict[str, Any]) -> float | None:
    """The ratio to the bound that the entry's own instances reach, where it has margins."""
    margin = record["evidence"].get("margin")
    return 1.0 - margin if isinstance(margin, float) else None


def row(claim: Claim, seconds: float, evaluations: int, seed: int, worst: bool) -> dict[str, Any]:
    """One search."""
    result = find_counterexample(claim, seconds=seconds, seed=seed, evaluations=evaluations, worst=worst)
    kept = {name: getattr(result, name) for name in KEPT}
    return {"id": claim.id, **kept, "own_ratio": own_ratio(committed(ids=[claim.id])[claim.id])}


def measured(seconds: float, evaluations: int, seed: int) -> dict[str, Any]:
    """Recall, false finds and worst ratios."""
    spaces = questions()
    ours = [claim for claim in all_claims() if claim.kind != "rate" and not claim.outside]
    wrong = [claim for claim in ours if claim.expected == "refuted"]
    serious = [claim for claim in wrong if claim.weight != "misprint"]
    rows = {c.id: row(c, seconds, evaluations, seed, c.expected != "refuted") for c in ours if c.id in spaces}
    found = [c.id for c in serious if c.id in rows and rows[c.id]["found"]]
    misprints = [c for c in wrong if c.weight == "misprint" and c.id in rows]
    holds = [rows[c.id] for c in ours if c.expected != "refuted" and c.id in rows]
    missed = {
        c.id: "no admissible violation within the budget" if c.id in rows else NO_SPACE.get(c.id, "no space is written")
        for c in serious if c.id not in found
    }  # fmt: skip
    return {
        "recall": {"found": len(found), "of": len(serious), "missed": missed},
        "misprints": {"found": sum(rows[c.id]["found"] for c in misprints), "searched": len(misprints),
                      "of": sum(c.weight == "misprint" for c in wrong)},
        "false_finds": [one["id"] for one in holds if one["found"]],
        "holding_searched": len(holds), "holding": len(ours) - len(wrong),
        "refuted": [rows[c.id] for c in wrong if c.id in rows], "holds": holds,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="recall and false finds of the search for counterexamples")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0, help="processor time of a row's search")
    parser.add_argument("--evaluations", type=int, default=EVALUATIONS)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    began = time.process_time()
    made = measured(given.seconds, given.evaluations, given.seed)
    made = {"schema": 1, "seconds_a_row": given.seconds, "evaluations": given.evaluations, "seed": given.seed,
            "seconds": time.process_time() - began, **made}  # fmt: skip
    recall = made["recall"]
    print(f"recall {recall['found']} of {recall['of']} refuted entries that are no misprints")
    for name, why in recall["missed"].items():
        print(f"  missed {name}: {why}")
    print(f"misprints with a space: {made['misprints']['found']} of {made['misprints']['searched']} found")
    print(f"accepted on {made['holding_searched']} entries that hold: {made['false_finds'] or 0}")
    if given.json is not None:
        text = json.dumps(plain(stamped("search.json", made)), indent=1, allow_nan=False)
        given.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
