"""Table 1 of the GLM paper as measured: for each of its cells the exponent expected and the exponent found.

It reads evidence (stored, or of ``verify --json``) and runs nothing. Entries are picked by the pattern of their id, so
that a new rate entry of a theorem stands in its cell without being named here; one of a theorem that Table 1 does not
name stands at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from dpbench.core import validation
from dpbench.ledger.core import Claim
from dpbench.ledger.verify import all_claims
from dpbench.ledger.words import ROWS
from dpbench.rates.slopes import theory_slope

Verdicts = Mapping[str, tuple[str, Mapping[str, Any]]]
"""Id to (verdict, evidence as `Evidence.to_dict`)."""


@dataclass(frozen=True)
class Cell:
    """A cell of Table 1: its place, the rate printed there, the entries that measure it, and what these leave out."""

    place: str
    rate: str
    patterns: tuple[str, ...]
    caveat: str = ""


@dataclass(frozen=True)
class Row:
    """One measured entry of a cell.

    Attributes
    ----------
    cell : Cell
    claim, source : str
    quantity : str
        "excess in n", "d* in n", or "error / lower bound" where the cell is a lower bound.
    expected : float or None
        Slope of theory.py's formula on the entry's grid; None for a lower bound, whose ratio is to be at least 1.
    measured : float
        The slope measured, or the smallest ratio of an error to its floor.
    interval : (float, float) or None
        None where nothing was drawn.
    verdict : str
    ratio : (float, float) or None
        Least and largest ratio of a value to its ceiling, constants 1; of an error to its floor.
    zero : float or None
        Excess of the zero predictor over the measured one at the grid's last point, or over the floor; None where the
        evidence does not have it.
    """

    cell: Cell
    claim: str
    source: str
    quantity: str
    expected: float | None
    measured: float
    interval: tuple[float, float] | None
    verdict: str
    ratio: tuple[float, float] | None = None
    zero: float | None = None


_SMALL_K = "of the printed k below log(2n/δ), with which no privacy is proved"
CELLS = (
    Cell("smooth, √H a ≤ ‖Y‖, d ≤ d*: upper", "√H a‖Y‖√d/(nε)", ("glm.thm1.rate.small-radius",)),
    Cell("smooth, √H a ≤ ‖Y‖, d > d*: upper", "(√H a)^{4/3}‖Y‖^{2/3}/(nε)^{2/3}", ("glm.thm2.rate.small-radius",),
         _SMALL_K),
    Cell("smooth, √H a > ‖Y‖, d ≤ d*: upper", "Ha²√d/(nε)", ("glm.thm1.rate*", "glm.cor2.rate*")),
    Cell("smooth, √H a > ‖Y‖, d > d*: upper", "Ha²/(nε)^{2/3}",
         ("glm.thm2.rate.d", "glm.thm2.rate.epsilon", "glm.thm3.rate*")),
    Cell("smooth, √H a > ‖Y‖, d > d*: upper", "Ha²/(nε)^{2/3}", ("glm.thm2.rate*",), _SMALL_K),
    Cell("smooth, low meets high d", "d* = (min(1, √H a/‖Y‖)nε)^{2/3}", (
        "glm.table1.rate.crossover", "glm.table1.rate.crossover.output-perturbation",
        "glm.table1.rate.crossover.printed")),
    Cell("smooth, √H a ≤ ‖Y‖: lower, tight", "min(√H a‖Y‖√d/(nε), (√H a)^{4/3}‖Y‖^{2/3}/(nε)^{2/3})",
         ("glm.thm4.floor.exact",)),
    Cell("smooth, √H a > ‖Y‖: lower", "min(√H a‖Y‖√d/(nε), (√H a)^{4/3}‖Y‖^{2/3}/(nε)^{2/3})",
         ("glm.thm4.floor.corrected",)),
    Cell("Lipschitz, rank ≤ nε: upper", "Ga√rank/(nε)", ("glm.table1.rate.lipschitz.*",)),
    Cell("Lipschitz, rank > nε: upper", "Ga/√(nε)", ("glm.thm5.rate*",)),
    Cell("Lipschitz, rank > nε: upper", "Ga/√(nε)", ("glm.thm10.rate.small-epsilon",),
         "at ε ≤ 1, with Theorem 10 corrected"),
    Cell("Lipschitz, rank > nε: upper", "Ga/√(nε)", ("glm.thm10.rate*",), "at ε ≥ 1 and n = 100; with the printed step "
         "size refuted for ε = n^{−a}, 0 < a < 1: `glm.thm10.inequality.step`"),
    Cell("Lipschitz, low meets high rank", "rank* = nε", ("glm.table1.rate.crossover.lipschitz",)),
    Cell("Lipschitz: lower, tight", "Ga·min(1/√(nε), √rank/(nε))", ("glm.thm6.floor.exact",)),
    Cell("non-private, smooth: upper", "√H a‖Y‖/√n", ("glm.cor1.rate*",)),
    Cell(
        "non-private, smooth: lower",
        "min(‖Y‖, a)/√n + min(‖Y‖², (Ha² + d‖Y‖²)/n, √H a‖Y‖/√n)",
        ("glm.thm16.floor.exact", "glm.thm17.floor.exact"),
    ),
    Cell("non-private, Lipschitz: upper", "Ga/√n", ("glm.table1.rate.classical",)),
    Cell("non-private, Lipschitz: lower, tight", "Ga/√n", ("glm.table1.rate.classical.floor",)),
)  # fmt: skip
"""Every cell of the printed table, column by column: both halves of the smooth one, both ranks, and what is beside."""
OTHER = Cell("beside Table 1", "the theorem's own", ("glm.*.rate*",))


PARTS = {"smooth": ("smooth",), "lipschitz": ("Lipschitz",), "beside": ("non-private", "beside")}
"""How the places of the cells of each part begin."""


def chosen(part: str = "") -> tuple[str, ...]:
    """The ids that the table, or one of its `PARTS`, is made of, in its order."""
    known = [claim.id for claim in all_claims()]
    picked = {name: cell for cell in (OTHER, *CELLS[::-1]) for name in known if _fits(cell, name)}
    order = dict.fromkeys(name for cell in (*CELLS, OTHER) for name in known if _fits(cell, name))
    begins = PARTS[part] if part else ("",)
    return tuple(name for name in order if picked[name].place.startswith(begins))


def rows(verdicts: Verdicts) -> list[Row]:
    """A row for each entry that `verdicts` has, in the order of `chosen`."""
    cells = []
    claims = {claim.id: claim for claim in all_claims()}
    for name in chosen():
        if name in verdicts:
            cell = next(cell for cell in (*CELLS, OTHER) if _fits(cell, name))
            cells.append(_row(cell, claims[name], *verdicts[name]))
    return cells


def table(verdicts: Verdicts, stale: Iterable[str] = ()) -> str:
    """The rows as a Markdown table; the ids in `stale` are marked, those without a verdict are "not run"."""
    lines = [
        "| cell of Table 1 | rate printed | entry | slope of | expected | measured | interval | value / ceiling "
        "| zero / it | verdict |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    marked = set(stale)
    by_claim = {row.claim: row for row in rows(verdicts)}
    for name in chosen():
        cell = next(cell for cell in (*CELLS, OTHER) if _fits(cell, name))
        caveat = f" ({cell.caveat})" if cell.caveat else ""
        head = f"| {cell.place} | {cell.rate}{caveat} | `{name}` |"
        if name not in by_claim:
            lines.append(f"{head} | | | | | | not run |")
            continue
        row = by_claim[name]
        expected = "≥ 1" if row.expected is None else _signed(row.expected)
        measured = f"{row.measured:.3f}" if row.expected is None else _signed(row.measured)
        interval = "" if row.interval is None else ", ".join(map(_signed, row.interval))
        verdict = row.verdict + (" (stale)" if name in marked else "")
        ratio = "" if row.ratio is None else " to ".join(dict.fromkeys(f"{end:.3g}" for end in row.ratio))
        zero = "" if row.zero is None else f"{row.zero:.3g}"
        lines.append(f"{head} {row.quantity} | {expected} | {measured} | {interval} | {ratio} | {zero} | {verdict} |")
    return "\n".join(lines)


def _fits(cell: Cell, name: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in cell.patterns)


def _row(cell: Cell, claim: Claim, verdict: str, evidence: Mapping[str, Any]) -> Row:
    name, source = claim.id, claim.source
    value, interval = float(evidence["value"]), evidence["interval"]
    series = evidence["tables"][ROWS]
    if claim.kind != "rate":
        ratios = [float(ratio) for ratio in series.get("ratio", ())]
        named = zip(series.get("algorithm", ()), ratios, strict=False)
        least = min((ratio for algorithm, ratio in named if algorithm == "zero"), default=None)
        ends = (min(ratios), max(ratios)) if ratios else None
        smallest = value if ends is None else ends[0]
        return Row(cell, name, source, "error / lower bound", None, smallest, None, verdict, ends, least)
    if "ceiling" not in series:
        raise validation.invalid("evidence", f"of this version, with a column ceiling ({name})", ", ".join(series))
    axis = next(iter(series))  # a rate's series begins with its grid
    grid, ceiling = ([float(x) for x in series[column]] for column in (axis, "ceiling"))
    quantity = ("rank* in " if name.endswith(".lipschitz") else "d* in ") if ".crossover" in name else "excess in "
    ends = None if interval is None else (float(interval[0]), float(interval[1]))
    measured = [float(x) for x in series.get("measured", ())]
    over = [x / c for x, c in zip(measured, ceiling, strict=False)]
    excess = series.get("excess at the crossing", measured)
    zero = float(series["zero predictor"][-1]) / float(excess[-1]) if excess and "zero predictor" in series else None
    ratio = (min(over), max(over)) if over else None
    expected = theory_slope(grid, ceiling)
    axis = {"radius": "B"}.get(axis, axis)
    return Row(cell, name, source, quantity + axis, expected, value, ends, verdict, ratio, zero)


def _signed(value: float) -> str:
    """Three decimals with a sign, of which zero has none: the sign of a rounding error says nothing."""
    text = f"{value:+.3f}"
    return "0.000" if float(text) == 0.0 else text.replace("-", "−")
