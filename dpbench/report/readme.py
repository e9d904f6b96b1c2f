"""The README's tables, read from the committed evidence; stale rows of the ledger are marked.

``python -m dpbench.report.readme`` rewrites each table between its two markers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from dpbench.claims.core import Claim
from dpbench.claims.ledger import all_claims
from dpbench.report.drawings import DRAWINGS

LEDGER, SPEED = "ledger", "speed"
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
    if item is None:
        return f"| `{claim.id}` | {claim.source} | [{Path(source).name}]({source}) | not run | | | |"
    name = FIGURES.get(claim.id, "")
    figure = f"[{name}](figures/{name}.pdf)" if name else ""
    evidence = item["evidence"]
    stale = "" if evidence["digest"] == claim.digest else " (stale)"
    interval = evidence["interval"]
    return (
        f"| `{claim.id}` | {claim.source} | [{Path(source).name}]({source}) | {item['verdict']}{stale} | "
        f"{_number(evidence['value'])} | {'' if interval is None else ', '.join(map(_number, interval))} | {figure} |"
    )


def _number(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def speed(document: dict[str, Any]) -> str:
    """The table of `document`, what ``python -m benchmarks.peers --json`` wrote."""
    rows = (
        f"| {row['loss']} | {row['peer']} | {row['ours_per_second']:.0f} | {row['peer_per_second']:.0f} | "
        f"{row['median']:.2f} | {row['low']:.2f} to {row['high']:.2f} |"
        for row in document["rows"]
    )
    head = "| loss | peer | ours, trials a second | peer's | ratio | 95% interval |", "|---|---|---|---|---|---|"
    return "\n".join([*head, *rows])


def render(text: str, name: str, made: str) -> str:
    """The README `text` with what stands between the markers of `name` replaced by `made`."""
    begin, end = markers(name)
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{made}\n{end}{after}"


def markers(name: str) -> tuple[str, str]:
    """The two lines that a table stands between."""
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def whole(text: str, evidence: Path) -> str:
    """The README with every table made anew from the files under `evidence`."""
    ledger, peers = (json.loads((evidence / f).read_text(encoding="utf-8")) for f in ("ledger.json", "peers.json"))
    text = render(text, LEDGER, table(all_claims(), ledger))
    return render(text, SPEED, speed(peers))


def main() -> None:
    """Rewrite README.md in the working directory from evidence/."""
    readme = Path("README.md")
    made = whole(readme.read_text(encoding="utf-8"), Path("evidence"))
    readme.write_text(made, encoding="utf-8")
    print(f"README.md: {made.count(' (stale) |')} stale rows", file=sys.stderr)


if __name__ == "__main__":
    main()
