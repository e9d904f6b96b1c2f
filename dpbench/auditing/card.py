"""An audit as a card of HTML: the claim beside the bound, the event, its counts, and the trade-off curve."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from dpbench.auditing.certified import Certified

if TYPE_CHECKING:
    from dpbench.auditing.results import AuditResult

COLOURS = {"refuted": "#b3261e", "blind": "#8a6100", "not refuted": "#1b6e3c", None: "#444444"}
WIDTH, HEIGHT = 220, 160


def card(result: AuditResult) -> str:
    """HTML without scripts; the pictures are SVG within it."""
    colour = COLOURS[result.verdict]
    bound = result.epsilon_lower if result.bound is None else result.bound
    head = escape(result.verdict or "a bound, no claim")
    rows = [
        ("claim", result.claimed if result.verdict is not None else "none"),
        ("bound", f"{result.unit} ≥ {bound:.4g}, confidence {result.confidence:g}"),
        ("event", result.event),
        ("runs a side" if not result.assumptions else "canaries", f"{result.trials:,}"),
    ]
    if result.certified is not None:
        first, second = result.certified.hits
        rows.append(
            ("counts", f"{first:,} of {result.certified.both[0]:,} and {second:,} of {result.certified.both[1]:,}")
        )
    rows += [
        (name, text)
        for name, text in (
            ("blind", result.blind), ("left out", ", ".join(result.ignored)), ("reading", result.convention),
            ("would detect", result.excludes), ("test of itself", result.selftest),
            ("rests on", " and ".join(result.assumptions)),
        )
        if text
    ]  # fmt: skip
    table = "".join(
        f'<tr><th style="text-align:left;vertical-align:top;padding-right:1em">{escape(name)}</th>'
        f'<td style="text-align:left">{escape(text)}</td></tr>'
        for name, text in rows
    )
    return (
        f'<div style="border:1px solid {colour};border-radius:6px;padding:0.8em;max-width:48em;font-family:sans-serif">'
        f'<strong style="color:{colour}">{head}</strong>{_bar(result, bound, colour)}'
        f"<table>{table}</table>{_tradeoff(result, colour)}</div>"
    )


def _bar(result: AuditResult, bound: float, colour: str) -> str:
    """The bound as a bar, the claim as a line across it."""
    claimed = result.claimed_value
    most = 1.1 * max(bound, claimed or 0.0, 1e-9)
    line = "" if claimed is None else (
        f'<line x1="{400 * claimed / most:.1f}" x2="{400 * claimed / most:.1f}" y1="0" y2="24" stroke="#000" '
        f'stroke-width="2"/><text x="{400 * claimed / most:.1f}" y="36" font-size="11" text-anchor="middle">claim '
        f"{claimed:g}</text>"
    )  # fmt: skip
    return (
        f'<div><svg role="img" width="420" height="40" viewBox="0 0 420 40"><title>{escape(result.unit)} at least '
        f'{bound:.4g}</title><rect x="0" y="4" width="{400 * bound / most:.1f}" height="16" fill="{colour}"/>{line}'
        "</svg></div>"
    )


def _tradeoff(result: AuditResult, colour: str) -> str:
    """The upper bound on the trade-off curve beside that of the claim, where it is (ε, δ)."""
    if not any(isinstance(one, Certified) for one in result.family):
        return ""
    rates = np.linspace(0.0, 1.0, 101)
    lines = [_path(rates, result.tradeoff(rates), colour, "")]
    if result.epsilon is not None:
        e = math.exp(min(result.epsilon, 700.0))
        claim = np.maximum(0.0, np.maximum(1.0 - result.delta - e * rates, (1.0 - result.delta - rates) / e))
        lines.append(_path(rates, claim, "#000", ' stroke-dasharray="4 3"'))
    return (
        f'<svg role="img" width="{WIDTH + 40}" height="{HEIGHT + 40}" viewBox="-30 -10 {WIDTH + 40} {HEIGHT + 40}">'
        "<title>False negatives of the best attack, at most, against false positives (dashed: what the claim allows)"
        f'</title><rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>{"".join(lines)}'
        f'<text x="{WIDTH / 2:.0f}" y="{HEIGHT + 16}" font-size="11" text-anchor="middle">false-positive rate</text>'
        f'<text x="-8" y="{HEIGHT / 2:.0f}" font-size="11" text-anchor="middle" transform="rotate(-90 -8 '
        f'{HEIGHT / 2:.0f})">false-negative rate</text></svg>'
    )


def _path(x: np.ndarray, y: np.ndarray, colour: str, more: str) -> str:
    points = " ".join(f"{WIDTH * a:.1f},{HEIGHT * (1.0 - b):.1f}" for a, b in zip(x, y, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"{more}/>'
