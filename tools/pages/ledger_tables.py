"""The ledger for the documentation: every entry, what does not hold (by who is hurt), Table 1 of the GLM paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from markupsafe import Markup

from dpbench.ledger.core import Claim
from dpbench.ledger.registry import all_papers, by_id
from dpbench.ledger.words import HURT
from dpbench.papers.glm.table1 import table as grid
from dpbench.report import errata
from dpbench.report.markdown import table
from dpbench.report.mathematics import in_markdown, quoted, typeset
from dpbench.report.stored import Shown
from dpbench.report.view import ERRATA, HURTS, WHO, view
from tools.pages.claim_pages import addresses, rests_on


def entries(claims: Iterable[Claim], results: Mapping[str, Shown]) -> str:
    """A row for each claim, those that hurt users first, with the verdict `found` of it by id."""
    header = ("claim", "where", "who is hurt", "verdict")
    return table(header, (_entry(claim, results.get(claim.id)) for claim in sorted(claims, key=errata.gravity)))


def _entry(claim: Claim, shown: Shown | None) -> tuple[str, ...]:
    said = "not run" if shown is None else _verdict(claim, shown)
    return _linked(claim.id), in_markdown(claim.source), WHO.get(claim.hurt.partition(":")[0], ""), said


def _linked(name: str) -> str:
    """A link to the entry's page (`tools.pages.claim_pages`)."""
    return f'<a href="claims/{addresses()[name]}"><code>{name.replace(".", ".<wbr>")}</code></a>'


def failures(claims: Iterable[Claim], results: Mapping[str, Shown]) -> str:
    """The printed claims that do not hold, by who is hurt, then by effect: what each means, and the rest folded."""
    known = {claim.id: claim for claim in claims}
    wrong = {name: results[name] for name in known if name in results and results[name].verdict in errata.FAILED}
    parts = []
    for who in (*HURT, ""):
        listed = [name for name in _ordered(known) if name in wrong and known[name].hurt.partition(":")[0] == who]
        if listed:
            parts.append(f"## {HURTS.get(who, errata.UNSAID)} ({len(listed)})")
            parts += [_finding(known[name], wrong[name], results) for name in listed]
    return "\n\n".join(parts)


def _ordered(known: Mapping[str, Claim]) -> Iterator[str]:
    """Findings of each paper by what they change in practice, then all else."""
    by_effect = [claim.id for paper in all_papers() for claim in errata.findings(paper) if claim.id in known]
    yield from dict.fromkeys([*by_effect, *known])


def _finding(claim: Claim, shown: Shown, results: Mapping[str, Shown]) -> str:
    """One finding as a block of HTML, without an empty line, as Markdown asks."""
    note = (shown.evidence.get("notes") or ("",))[0].removeprefix("value: ")
    said = Markup("<p><strong>{}, {}.</strong> {}</p><p class='soft'>{}, {}{}. {}</p>").format(
        claim.paper, typeset(claim.source), typeset(claim.consequence or claim.statement),
        _verdict(claim, shown), _number(shown.evidence["value"]), Markup(": {}").format(typeset(note)) if note else "",
        Markup(_linked(claim.id)),
    )  # fmt: skip
    folded = [
        Markup("<p><em>{}.</em> {}</p>").format(part.label, typeset(part.lines[0])) if part.form != "quotation" else
        Markup("<blockquote tabindex='0'>{}</blockquote>").format(quoted(part.lines[0]))
        for part in view(claim, scope=ERRATA)
        if part.label != "What it means" and part.form in ("prose", "caveat", "quotation")
    ]  # fmt: skip
    if claim.holds in results:
        holds = Markup("<p><em>What holds instead.</em> {} ({})</p>")
        folded.append(holds.format(Markup(_linked(claim.holds)), _verdict(by_id()[claim.holds], results[claim.holds])))
    more = Markup("<details><summary>As printed, and why not</summary>{}</details>").format(Markup("").join(folded))
    return "<div class='finding'>" + " ".join(f"{said}{more}".split()) + "</div>"


def _verdict(claim: Claim, shown: Shown) -> str:
    return f"{shown.verdict} ({rests_on(claim, shown)}{', stale' * shown.stale})"


def _number(value: Any) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


def table1(results: Mapping[str, Shown]) -> str:
    """Table 1 of the GLM paper as Markdown, exponents raised."""
    verdicts = {name: (one.verdict, one.evidence) for name, one in results.items()}
    grid_table = grid(verdicts, [name for name, one in results.items() if one.stale])
    return re.sub(r"\^\{([^}]*)\}", r"<sup>\1</sup>", grid_table)
