"""The README's table of the ledger, read from the committed evidence; stale rows are marked.

``python -m dpbench.report.readme`` rewrites the table between its two markers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from dpbench.claims.core import Claim
from dpbench.claims.ledger import all_claims
from dpbench.report.drawings import DRAWINGS

BEGIN, END = "<!-- ledger: begin -->", "<!-- ledger: end -->"
HEADER = (
    "| claim | theorem | file | verdict | value | interval | figure |",
    "|---|---|---|---|---|---|---|",
)
FIGURES = {drawing.claim: drawing.name for drawing in DRAWINGS}


def table(claims: tuple[Claim, ...], document: dict[str, Any]) -> str:
    """The table of `claims` with the evidence of `document` (what ``verify --json`` wrote)."""
    found = {item["id"]: item for item in document["claims"]}
    return "\n".join([*HEADER, *(_row(claim, found.get(claim.id)) for claim in claims)])


def _row(claim: Claim, item: dict[str, Any] | None) -> str:
    source = claim.module.replace(".", "/") + ".py"
    name = FIGURES.get(claim.id, "")
    figure = f"[{name}](figures/{name}.pdf)" if name else ""
    if item is None:
        return f"| `{claim.id}` | {claim.source} | [{Path(source).name}]({source}) | not run | | | {figure} |"
    evidence = item["evidence"]
    stale = "" if evidence["digest"] == claim.digest else " (stale)"
    interval = evidence["interval"]
    return (
        f"| `{claim.id}` | {claim.source} | [{Path(source).name}]({source}) | {item['verdict']}{stale} | "
        f"{_number(evidence['value'])} | {'' if interval is None else ', '.join(map(_number, interval))} | {figure} |"
    )


def _number(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def render(text: str, document: dict[str, Any]) -> str:
    """The README `text` with the table between the markers made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(all_claims(), document)}\n{END}{after}"


def main() -> None:
    """Rewrite README.md in the working directory from evidence/ledger.json."""
    readme = Path("README.md")
    document = json.loads(Path("evidence/ledger.json").read_text(encoding="utf-8"))
    made = render(readme.read_text(encoding="utf-8"), document)
    readme.write_text(made, encoding="utf-8")
    print(f"README.md: {made.count(' (stale) |')} stale rows", file=sys.stderr)


if __name__ == "__main__":
    main()
