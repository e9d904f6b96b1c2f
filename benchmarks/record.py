"""``python -m benchmarks.record [RESULTS]``: speed over the commits that asv has run, as one page.

Reads what `asv run` wrote and writes ``record.html`` beside it, a page that needs no network. The level of a piece is
the median of its points since its last change. Two commits in a row that lie beyond the band on one side of it are a
change, between the last commit before them and the first of them. A last point alone beyond the limit is
unconfirmed. Each machine, with its processor, memory, system and Python, has a record of its own.
"""

from __future__ import annotations

import base64
import html
import io
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from math import exp, log
from pathlib import Path
from statistics import median

from benchmarks.compare import LIMIT, ROOT

BENCHMARK = "bench_headline.Headline.track_ratio"
HEAD = "<!doctype html><meta charset=utf-8><title>Speed</title><style>img{max-width:60em}</style>"
MACHINE = ("machine", "cpu", "arch", "num_cpu", "ram", "os", "python")


@dataclass(frozen=True)
class Point:
    """A commit's processor time of a piece, as a multiple of the reference loop's."""

    commit: str
    when: datetime
    ratio: float


@dataclass(frozen=True)
class Change:
    """From which level to which, between two points by their places; unconfirmed where nothing was run after it."""

    before: int
    after: int
    factor: float
    confirmed: bool


def band(pieces: Mapping[str, Sequence[Point]]) -> float:
    """The ratio that counts as a change: three times what commits in a row differ by, the median of all pieces.

    A busy machine has a wide band, in which smaller changes stay unseen; the page says how wide.
    """
    steps = [abs(log(b.ratio / a.ratio)) for points in pieces.values() for a, b in pairwise(points)]
    return max(LIMIT, exp(3.0 * median(steps or [0.0])))


def changes(ratios: Sequence[float], limit: float) -> list[Change]:
    """The changes of a line of ratios, oldest first."""
    found, level, last = [], [ratios[0]], 0
    for place, ratio in enumerate(ratios[1:], 1):
        factors = [after / median(level) for after in ratios[place : place + 2]]
        if not (min(factors) > limit or max(factors) < 1.0 / limit):
            if 1.0 / limit <= factors[0] <= limit:  # else one point off, of a burst on the machine
                level, last = [*level, ratio], place
            continue
        found.append(Change(last, place, sum(factors) / len(factors), len(factors) == 2))
        level, last = [ratio], place
    return found


def read(folder: Path) -> dict[tuple[str, ...], dict[str, list[Point]]]:
    """The lines of each machine by piece, oldest commit first; of the work as it was stated last."""
    lines: dict[tuple[str, ...], dict[str, list[tuple[str, Point]]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted(folder.glob("*/*-*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if BENCHMARK not in document["results"]:
            continue
        row = dict(zip(document["result_columns"], document["results"][BENCHMARK], strict=False))
        machine = tuple(str(document["params"].get(name, "")) for name in MACHINE)
        when = datetime.fromtimestamp(document["date"] / 1000.0, UTC)
        for name, ratio in zip(row["params"][0], row["result"] or (), strict=False):
            if ratio is not None:
                lines[machine][name.strip("'")].append((row["version"], Point(document["commit_hash"], when, ratio)))
    return {
        machine: {name: _newest_work(points) for name, points in pieces.items()} for machine, pieces in lines.items()
    }


def _newest_work(points: list[tuple[str, Point]]) -> list[Point]:
    points.sort(key=lambda one: one[1].when)
    return [point for version, point in points if version == points[-1][0]]


def draw(pieces: Mapping[str, Sequence[Point]]) -> bytes:
    """A panel for each piece: points over commits, the band of each level, changes in red; SVG."""
    from matplotlib.figure import Figure

    from dpbench.report.figures import in_style

    limit = band(pieces)
    with in_style():
        rows = -(-len(pieces) // 2)
        figure = Figure(figsize=(6.75, 1.7 * rows + 0.3))
        panels = figure.subplots(rows, 2, squeeze=False).ravel()
        for axes, (name, points) in zip(panels, pieces.items(), strict=False):
            ratios = [point.ratio for point in points]
            moved = changes(ratios, limit)
            starts = [0, *(change.after for change in moved)]
            for start, end in zip(starts, [*starts[1:], len(points)], strict=True):
                level = median(ratios[start:end])
                axes.fill_between([start - 0.5, end - 0.5], level / limit, level * limit, color="0.88", linewidth=0)
            axes.plot(ratios, "o-", linewidth=0.7)
            for change in moved:
                x, y = change.after, ratios[change.after]
                axes.plot(x, y, "o", color="C1", markersize=7, fillstyle="none")
                axes.annotate(f"×{change.factor:.2f}" + "?" * (not change.confirmed), (x - 0.15, y), ha="right")
            axes.margins(y=0.3)
            axes.set_title(name, loc="left")
            shown = range(0, len(points), -(-len(points) // 6))
            labels = [f"{points[place].when:%m-%d}\n{points[place].commit[:7]}" for place in shown]
            axes.set_xticks(shown, labels, fontsize=6)
        figure.supylabel("processor time / that of the reference loop")
        file = io.BytesIO()
        figure.savefig(file, format="svg")
    return file.getvalue()


def body(folder: Path) -> str:
    """The record of every machine as HTML: what changed, the drawing, the commits."""
    parts = []
    for machine, pieces in read(folder).items():
        said = html.escape(", ".join(f"{name} {value}" for name, value in zip(MACHINE, machine, strict=True) if value))
        image = base64.b64encode(draw(pieces)).decode()
        commits = {point.commit: point for points in pieces.values() for point in points}
        listed = [
            f'<li id="c{point.commit[:9]}">{point.when:%Y-%m-%d %H:%M} <code>{point.commit[:9]}</code> '
            f"{html.escape(_git('log', '-1', '--format=%s', point.commit))}</li>"
            for point in sorted(commits.values(), key=lambda one: one.when, reverse=True)
        ]
        parts += [f"<p>Machine: {said}.</p><ul>", *_sentences(pieces), "</ul>"]
        parts += [f'<img alt="ratios" src="data:image/svg+xml;base64,{image}">', "<ul>", *listed, "</ul>"]
    return "\n".join(parts or ["<p>asv has run no commit here.</p>"])


def _sentences(pieces: Mapping[str, Sequence[Point]]) -> list[str]:
    """What changed, newest first, each between two recorded commits."""
    found, limit = [], band(pieces)
    for name, points in pieces.items():
        for change in changes([point.ratio for point in points], limit):
            before, after = points[change.before], points[change.after]
            links = [f'<a href="#c{point.commit[:9]}"><code>{point.commit[:9]}</code></a>' for point in (before, after)]
            count = _git("rev-list", "--count", f"{before.commit}..{after.commit}")
            said = f"<b>{name}</b> takes {change.factor:.2f} times as long, between {' and '.join(links)}"
            said += f" ({count} commits)" if count else ""
            if not change.confirmed:
                words = f"{before.commit[:9]} {after.commit[:9]} --only {name}"
                said += f". Unconfirmed: run <code>python -m benchmarks.compare {words}</code>"
            found.append((after.when, f"<li>{said}</li>"))
    seen = f"<li>Changes below {limit - 1.0:.0%} are not seen in this record.</li>"
    return [*(said for _, said in sorted(found, reverse=True)), seen]


def _git(*words: str) -> str:
    """What git says, or nothing where it knows no such commit."""
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def main(results: Path = ROOT / ".asv" / "results") -> None:
    """The command."""
    file = results.parent / "record.html"
    file.write_text(f"{HEAD}<h1>Speed over the commits</h1>\n{body(results)}", encoding="utf-8")
    print(file)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
