"""Claims made up for the command line: they have a verdict at once."""

from __future__ import annotations

from typing import Any

from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import Context, Evidence


def claim(name: str, verdict: str, kind: str = "inequality", expected: str = "not refuted", **more: Any) -> Claim:
    tables, notes = more.pop("tables", {}), more.pop("notes", ("a note [of] sorts",))

    def run(context: Context) -> tuple[str, Evidence]:
        return verdict, Evidence(0.25, (0.125, 0.5), 1e-6, 1000, context.seed, 0.0, tables, notes)

    return Claim(name, "glm", "Lemma 0", kind, "a statement", "a derivation", expected, run, **{"level": 1e-6} | more)


GOOD = claim("glm.one.inequality", "not refuted", holds="glm.two.inequality")
WRONG = claim("glm.two.inequality", "refuted")
LONG = claim("glm.three.inequality", "not refuted", full_only=True)
