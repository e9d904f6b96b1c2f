"""The HTML page of ``dpbench report``: one file, nothing loaded from outside, fed by stored evidence alone."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from dpbench.core.validation import InvalidInput
from dpbench.ledger.core import Claim
from dpbench.ledger.words import HURT
from dpbench.report.drawings import of_one
from dpbench.report.errata import gravity
from dpbench.report.figures import Drawing, svg
from dpbench.report.rendering import render, text
from dpbench.report.signs import plain
from dpbench.report.stored import Shown
from dpbench.report.view import HURTS, WHO, Part, interval, number, view

NOT_RUN = "not run"
WRONG = ("refuted", "inconsistent")
KINDS_IN_WORDS = {
    "privacy": "privacy",
    "rate": "rate of the error",
    "inequality": "inequality",
    "floor": "lower bound",
    "stability": "stability",
}
_TOLD = ("use", "corner", "proof")  # whose findings the printed summary tells one by one
_ROWS = 40  # of a table that are shown; ``--json`` has all


@dataclass(frozen=True)
class Picture:
    """A figure in the page: an SVG image as a data address, and what it shows in words."""

    address: str
    words: str


@dataclass(frozen=True)
class Listing:
    """A table of the evidence as the page shows it: its first rows, and how many there are."""

    name: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    count: int


@dataclass(frozen=True)
class Card:
    """What the page says of one claim.

    Attributes
    ----------
    claim : Claim
    shown : Shown or None
        None where it was not run.
    parts : tuple of Part
    pictures : tuple of Picture
    lost : tuple of str
        Figures that cannot be drawn, each with the reason.
    tables : tuple of Listing
    """

    claim: Claim
    shown: Shown | None
    parts: tuple[Part, ...]
    pictures: tuple[Picture, ...] = ()
    lost: tuple[str, ...] = ()
    tables: tuple[Listing, ...] = ()

    @property
    def verdict(self) -> str:
        return NOT_RUN if self.shown is None else self.shown.verdict

    @property
    def hurt(self) -> str:
        """Who is hurt, where it does not hold."""
        return self.claim.hurt.partition(":")[0] if self.claim.weight and self.verdict in WRONG else ""

    @property
    def title(self) -> str:
        """The entry in words: where in the paper, and what kind of statement."""
        row = f", {self.claim.row}" * (self.claim.id != self.claim.entry)
        return f"{self.claim.paper}, {plain(self.claim.source)}: {KINDS_IN_WORDS[self.claim.kind]}{row}"

    @property
    def brief(self) -> str:
        """The first sentence of what the finding means."""
        said = self.claim.consequence or self.claim.statement
        return re.split(r"(?<=[a-z)\d]\.) (?=[A-Z])", said)[0]

    @property
    def as_expected(self) -> bool:
        return self.shown is None or self.shown.verdict == self.claim.expected


def page(claims: Iterable[Claim], results: Mapping[str, Shown]) -> str:
    """The page of `claims` with the verdicts `found`, by id: HTML that needs no network."""
    drawn = of_one()
    cards = {claim.id: _card(claim, results.get(claim.id), drawn) for claim in claims}
    shown = [card.shown for card in cards.values() if card.shown is not None]
    hurt = Counter(card.hurt for card in cards.values())
    return render(
        "page.html.j2",
        script=text("page.js"),
        style=text("page.css"),
        cards=cards,
        wrong=sorted((c for c in cards.values() if c.verdict in WRONG), key=_gravity),
        unexpected=[card for card in cards.values() if not card.as_expected],
        counts=Counter(card.verdict for card in cards.values()),
        hurts={name: hurt[name] for name in HURT if hurt[name]},
        harm=HURTS,
        who=WHO,
        told=_TOLD,
        by_paper=Counter((card.claim.paper, card.verdict) for card in cards.values()),
        budget=sum(one.evidence["level"] for one in shown),
        runs=_runs(shown),
        kinds=sorted({card.claim.kind for card in cards.values()}),
        papers=list(dict.fromkeys(card.claim.paper for card in cards.values())),
        number=partial(number, digits=4),
        interval=interval,
        **_span(shown),
    )


def _runs(shown: Iterable[Shown]) -> list[dict[str, Any]]:
    """The distinct settings the verdicts were found with, and how many each found."""
    settings = Counter((one.level, one.seed, tuple(one.made_with.items())) for one in shown)
    return [{"level": lv, "seed": s, "made": dict(versions), "count": n} for (lv, s, versions), n in settings.items()]


def _span(shown: Sequence[Shown]) -> dict[str, Any]:
    times = [one.recorded for one in shown if one.recorded]
    return {
        "first": min(times, default=""),
        "last": max(times, default=""),
        "stale": sum(one.stale for one in shown),
        "seconds": sum(one.evidence["seconds"] for one in shown),
    }


def _card(claim: Claim, shown: Shown | None, drawn: Iterable[Drawing]) -> Card:
    parts = tuple(view(claim, [shown] if shown else ()))
    if shown is None:
        return Card(claim, None, parts)
    pictures, lost = [], []
    for drawing in drawn:
        if drawing.claim == claim.id:
            try:
                pictures.append(_picture(drawing, shown.evidence))
            except Exception as error:
                if not (claim.outside or isinstance(error, InvalidInput)):
                    raise
                lost.append(f"{drawing.name}: {error}")
    tables = (_listing(name, table) for name, table in shown.evidence["tables"].items() if table)
    return Card(claim, shown, parts, tuple(pictures), tuple(lost), tuple(tables))


def _listing(name: str, table: Mapping[str, Sequence[Any]]) -> Listing:
    rows = list(zip(*(map(_cell, column) for column in table.values()), strict=True))
    return Listing(name, tuple(table), rows[:_ROWS], len(rows))


def _picture(drawing: Drawing, evidence: Mapping[str, Any]) -> Picture:
    figure = drawing.draw(evidence)
    address = "data:image/svg+xml;base64," + base64.b64encode(svg(figure)).decode("ascii")
    return Picture(address, _words(figure))


def _words(figure: Any) -> str:
    """Title, axes and curves of a figure, for those who do not see it."""
    said = []
    for axes in figure.axes:
        curves = [str(label) for label in axes.get_legend_handles_labels()[1]]
        named = axes.get_title(loc="left") or axes.get_title()
        against = f"{axes.get_ylabel()} against {axes.get_xlabel()}" if axes.get_xlabel() else axes.get_ylabel()
        said.append(". ".join(part for part in (named, against, "; ".join(curves)) if part))
    return " | ".join(said).replace("$", "").replace("\n", " ")


def _cell(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.5g}"


def _gravity(card: Card) -> tuple[Any, ...]:
    """Unexpected verdicts first, then by who is hurt; within these as the ledger has them."""
    return card.as_expected, *gravity(card.claim)
