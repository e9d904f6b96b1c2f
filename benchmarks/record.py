"""``python -m benchmarks.record [COMMIT ...]``: speed over the commits, as ratios of each to the one before.

Each commit (by default HEAD) is compared with the last one of the record as `benchmarks.compare` compares two trees:
processor time of the same calls in turns, so that the load of a day falls out. The ratios are kept in a file, and
``.asv/record.html`` shows them, a page that needs no network.

A ratio whose whole interval is beyond the limit is unconfirmed, until another run measures it again in other
processes. Beyond the limit both times, it is a change between the two commits. With ``--quick`` there is one pair,
which calls no change. Another machine, by its processor, memory, system and Python, starts another record.
"""

from __future__ import annotations

import argparse
import base64
import html
import io
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.compare import ROOT, side_by_side
from benchmarks.headline import HEADLINE

FILE, PAGE = ROOT / "evidence" / "speed.json", ROOT / ".asv" / "record.html"
HEAD = "<!doctype html><meta charset=utf-8><title>Speed</title><style>body{max-width:60em;margin:auto}</style>"
# Pairs of processes of a measurement, and the ratio that counts as a change.
PAIRS, LIMIT = 9, 1.03
LEGEND = (
    f"Dot: median of {PAIRS} ratios to the commit before; bar: third to seventh. Grey: within {LIMIT - 1.0:.0%}. "
    "Orange: bar outside; ?: measured once. Hollow: quick run. Up: slower."
)


def machine() -> dict[str, str]:
    """What seconds depend on besides the code."""
    from dpbench.runs.environment import made_with

    known = made_with()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "machine": known["machine"], "type": known["processor"], "memory": f"{memory:.1f} GiB",
        "system": platform.platform(), **{name: known[name] for name in ("python", "numba", "numpy", "scipy")},
    }  # fmt: skip


def interval(ratios: Sequence[float]) -> tuple[float, float, float]:
    """Lower end, median and upper end: of nine ratios the third, fifth and seventh, which is a level of 82%."""
    ordered = sorted(ratios)
    away = len(ordered) // 4
    return ordered[away], median(ordered), ordered[-1 - away]


def state(measured: Sequence[Sequence[float]]) -> str:
    """Of the measurements of a piece between two commits: "changed", "unconfirmed" (seen once), "quick" or "same"."""
    full = [interval(ratios) for ratios in measured if len(ratios) == PAIRS]
    sides = [(low > LIMIT) - (high < 1.0 / LIMIT) for low, _, high in full]
    if not sides:
        return "quick"
    if not sides[0] or sides[0] != sides[-1]:
        return "same"
    return "changed" if len(sides) > 1 else "unconfirmed"


def pooled(measured: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """The interval of all ratios of full measurements, or, where there is none, of the quick ones."""
    full = [ratios for ratios in measured if len(ratios) == PAIRS]
    return interval([ratio for ratios in full or measured for ratio in ratios])


def add(document: dict[str, Any], commits: Sequence[str], names: Sequence[str], pairs: int) -> None:
    """Put commits at the end of this machine's record, and measure what is new or unconfirmed."""
    here = machine()
    record = next((one for one in document["records"] if one["machine"] == here), None)
    if record is None:
        record = {"machine": here, "commits": [], "steps": []}
        document["records"].append(record)
    for commit in commits:
        digest, when, subject = _git("log", "-1", "--format=%H%x00%ci%x00%s", commit).split("\0")
        if record["commits"] and record["commits"][-1]["commit"] == digest:
            continue
        record["steps"] += [{}] * bool(record["commits"])
        record["commits"].append({"commit": digest, "when": when[:16], "subject": subject})
    for (before, after), step in zip(pairwise(record["commits"]), record["steps"], strict=True):
        due = ("quick", "unconfirmed") if pairs == PAIRS else ()
        wanted = [name for name in names if name not in step or state(step[name]) in due]
        if wanted:
            with side_by_side(before["commit"], after["commit"]) as measured:
                for name, found in measured(wanted, pairs).items():
                    step[name] = [*step.get(name, []), [round(pair.ratio, 4) for pair in found]]


def draw(record: Mapping[str, Any]) -> bytes:
    """A panel a piece: the product of its ratios, each with its bar and the band of the commit before; SVG."""
    from matplotlib.figure import Figure

    from dpbench.report.figures import in_style

    names = sorted({name for step in record["steps"] for name in step})
    hashes = [one["commit"][:7] for one in record["commits"]]
    with in_style():
        rows = -(-len(names) // 2)
        figure = Figure(figsize=(6.75, 1.8 * rows + 0.3), layout="constrained")
        panels = figure.subplots(rows, 2, squeeze=False).ravel()
        for axes in panels[len(names) :]:
            axes.remove()
        for axes, name in zip(panels, names, strict=False):
            levels = [1.0]
            for place, step in enumerate(record["steps"], 1):
                last, measured = levels[-1], step.get(name, [[1.0]])
                low, ratio, high = pooled(measured)
                found = state(measured)
                color = "C1" if found in ("changed", "unconfirmed") else "C0"
                axes.fill_between([place - 0.4, place + 0.4], last / LIMIT, last * LIMIT, color="0.88", linewidth=0)
                axes.vlines(place, last * low, last * high, color=color)
                style = "none" if found == "quick" else "full"
                axes.plot(place, last * ratio, "o", color=color, markersize=4, fillstyle=style)
                if color == "C1":
                    said = f"{ratio - 1.0:+.0%}" + "?" * (found == "unconfirmed")
                    axes.annotate(said, (place - 0.15, last * ratio), ha="right", color=color)
                levels.append(last * ratio)
            axes.plot(levels, color="C0", linewidth=0.7, zorder=1)
            middle, half = (max(levels) + min(levels)) / 2.0, max(0.15, 0.65 * (max(levels) - min(levels)))
            axes.set(ylim=(middle - half, middle + half), xlim=(-0.5, len(levels) - 0.5))
            axes.set_title(name, loc="left")
            shown = range(0, len(hashes), -(-len(hashes) // 8))
            axes.set_xticks(shown, [hashes[place] for place in shown], fontsize=6, rotation=30)
        figure.supylabel("processor time, first commit = 1")
        file = io.BytesIO()
        figure.savefig(file, format="svg")
    return file.getvalue()


def body(document: Mapping[str, Any]) -> str:
    """The record of every machine as HTML: what changed, the drawing, the commits."""
    parts = []
    for record in document["records"]:
        if not record["steps"]:
            continue
        image = base64.b64encode(draw(record)).decode()
        listed = [
            f'<li id="c{one["commit"][:9]}">{one["when"]} <code>{one["commit"][:9]}</code> '
            f"{html.escape(one['subject'])}</li>"
            for one in reversed(record["commits"])
        ]
        said = html.escape("; ".join(f"{name} {value}" for name, value in record["machine"].items()))
        parts += [*_sentences(record), f"<p>{LEGEND}</p>"]
        parts += [
            f'<div class="wide"><img alt="ratios" src="data:image/svg+xml;base64,{image}"></div>',
            "<p>Newest first:</p>",
        ]
        parts += ["<ul>", *listed, "</ul>", f"<p>{said}.</p>"]
    return "\n".join(parts or ["<p>Nothing was compared.</p>"])


def _sentences(record: Mapping[str, Any]) -> list[str]:
    """What changed, newest first, each between two recorded commits."""
    found = []
    for (before, after), step in zip(pairwise(record["commits"]), record["steps"], strict=True):
        old, new = before["commit"][:9], after["commit"][:9]
        count = _git("rev-list", "--count", f"{old}..{new}")
        for name, measured in sorted(step.items()):
            word, (low, ratio, high) = state(measured), pooled(measured)
            if word not in ("changed", "unconfirmed"):
                continue
            links = " and ".join(f'<a href="#c{commit}"><code>{commit}</code></a>' for commit in (old, new))
            said = f"<b>{name}</b> takes {ratio:.2f} times as long [{low:.2f}, {high:.2f}], between {links}"
            said += f" (commits: {count})" if count else ""
            said += {"changed": f", measured {len(measured)} times. Again", "unconfirmed": ". Unconfirmed, run"}[word]
            said += f": <code>python -m benchmarks.compare {old} {new} --only {name}</code>"
            found.append(f"<li>{said}</li>")
    nothing = f"No{' other' if found else ''} change by more than {LIMIT - 1.0:.0%} is shown; wide bars exclude none."
    return ["<ul>", *reversed(found), f"<li>{nothing}</li></ul>"]


def _git(*words: str) -> str:
    """What git says, or nothing where it knows no such commit."""
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.record", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commits", nargs="*", default=["HEAD"], metavar="COMMIT", help="default: HEAD")
    parser.add_argument("--only", nargs="+", choices=list(HEADLINE), metavar="NAME", help=", ".join(HEADLINE))
    parser.add_argument("--quick", action="store_true", help="one pair")
    parser.add_argument("--file", type=Path, default=FILE, help="the record (default %(default)s)")
    asked = parser.parse_args(arguments)
    for commit in asked.commits:
        if not _git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"):
            parser.error(f"COMMIT must be a commit of this repository, got {commit!r}")
    document: dict[str, Any] = {"schema": 1, "records": []}
    if asked.file.exists():
        document = json.loads(asked.file.read_text(encoding="utf-8"))
    add(document, asked.commits, asked.only or list(HEADLINE), 1 if asked.quick else PAIRS)
    asked.file.write_text(json.dumps(document) + "\n", encoding="utf-8")
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(f"{HEAD}<h1>Speed over the commits</h1>\n{body(document)}", encoding="utf-8")
    print(PAGE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
