"""The first page of the dashboard: the twelve headline benchmarks over the commits, and what changed, in a sentence.

``python -m benchmarks.record PAGE`` draws what is in `benchmarks/results`, in asv's own format; ``--equal 8`` first
measures how far runs of one and the same tree are apart, each in a process of its own.
"""

from __future__ import annotations

import argparse
import html
import json
import multiprocessing
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).resolve().parent / "results"
BENCHMARK = "bench_record.Headline"
LIMIT = 1.05
"""Changes by a smaller factor are not reported."""
SPREADS = 4.0
"""Nor those of fewer standard errors."""
LEAST = 5
"""Commits on either side of a change."""


@dataclass(frozen=True)
class Change:
    """A step between two commits: the factor and its interval."""

    at: int
    factor: float
    low: float
    high: float


@dataclass(frozen=True)
class History:
    """Commits, oldest first, and of each benchmark its ratio to the reference loop and the quality of its answer."""

    commits: tuple[str, ...]
    ratios: Mapping[str, np.ndarray]
    qualities: Mapping[str, np.ndarray]


def history(results: Path = RESULTS) -> History:
    """What asv recorded, of the newest version of the benchmark; what failed is NaN."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(results.glob("*/*-*.json"))]
    rows = [(one["date"], one["commit_hash"], one["results"]) for one in found]
    wanted = [row for row in sorted(rows, key=lambda row: row[0]) if f"{BENCHMARK}.track_ratio" in row[2]]
    versions = [row[2][f"{BENCHMARK}.track_ratio"][2] for row in wanted]
    kept = [row for row, version in zip(wanted, versions, strict=True) if version == versions[-1]]
    if not kept:
        raise SystemExit(f"benchmarks.record: {results} has no results of {BENCHMARK}")
    names = [name.strip("'") for name in kept[-1][2][f"{BENCHMARK}.track_ratio"][1][0]]

    def column(what: str) -> dict[str, np.ndarray]:
        none = [None] * len(names)
        values = [row[2].get(f"{BENCHMARK}.{what}", [none])[0] or none for row in kept]
        table = np.array([[np.nan if value is None else value for value in row] for row in values], dtype=float)
        return dict(zip(names, table.T, strict=True))

    return History(tuple(row[1] for row in kept), column("track_ratio"), column("track_quality"))


def noise(results: Path = RESULTS) -> dict[str, float]:
    """Standard deviation of the logarithm of the ratio over equal runs, by benchmark (``--equal``)."""
    runs = json.loads((results / "equal.json").read_text(encoding="utf-8"))["runs"]
    logs = {name: np.log([run[name] for run in runs]) for name in runs[0]}
    return {name: float(1.4826 * np.median(np.abs(log - np.median(log)))) for name, log in logs.items()}


def changes(values: np.ndarray, spread: float) -> list[Change]:
    """Steps of a series, the largest first found and then those on its two sides, each beyond the noise.

    Parameters
    ----------
    values : ndarray
        Positive, or NaN where nothing was measured.
    spread : float
        Standard deviation of the logarithm over equal runs.
    """
    known = np.flatnonzero(np.isfinite(values))
    log = np.log(values[known])
    spread = max(spread, 1.0484 * float(np.median(np.abs(np.diff(log)))))  # what neighbours of the history differ by
    found, waiting = [0, len(log)], [(0, len(log))]
    while waiting:
        start, stop = waiting.pop()
        places = range(start + LEAST, stop - LEAST + 1)
        if not places:
            continue
        best = _step(log, start, max(places, key=lambda at: _apart(log[start:at], log[at:stop])), stop, spread)
        if _reported(best):
            found.append(best[1])
            waiting += [(start, best[1]), (best[1], stop)]
    while True:  # each between its neighbours, the least certain dropped until all are certain
        found.sort()
        steps = [_step(log, *found[number : number + 3], spread) for number in range(len(found) - 2)]
        doubtful = [step for step in steps if not _reported(step)]
        if not doubtful:
            return [_change(int(known[at]), jump, error) for _, at, jump, error in steps]
        found.remove(min(doubtful)[1])


def _apart(before: np.ndarray, after: np.ndarray) -> float:
    """How much of the squares a step here takes away: it is largest at the step."""
    return float(len(before) * len(after) * (before.mean() - after.mean()) ** 2)


def _reported(step: tuple[float, int, float, float]) -> bool:
    return step[0] > SPREADS and abs(step[2]) > np.log(LIMIT)


def _change(at: int, jump: float, error: float) -> Change:
    return Change(at, *map(float, np.exp([jump, jump - 1.96 * error, jump + 1.96 * error])))


def _step(log: np.ndarray, start: int, at: int, stop: int, spread: float) -> tuple[float, int, float, float]:
    """How many standard errors the medians of the two sides are apart, where, by how much, and the error."""
    before, after = log[start:at], log[at:stop]
    jump = float(np.median(after) - np.median(before))
    error = 1.2533 * max(spread, 1e-4) * float(np.sqrt(1.0 / len(before) + 1.0 / len(after)))
    return abs(jump) / error, at, jump, error


def sentence(found: History, spreads: Mapping[str, float]) -> str:
    """What changed, commit by commit; "nothing changed" where nothing did."""
    said = []
    for name, values in found.ratios.items():
        for change in changes(values, spreads[name]):
            percent = [100.0 * (end - 1.0) for end in (change.factor, change.low, change.high)]
            inside = "{:+.0f}% [{:.0f}, {:.0f}]".format(*percent)
            said.append((change.at, f"{found.commits[change.at][:8]} {name} {inside}"))
    for name, values in found.qualities.items():
        before, after = values[:-1], values[1:]
        for at in np.flatnonzero(np.abs(after - before) > 1e-6 * np.abs(before)) + 1:
            step = f"{values[at - 1]:.4g} to {values[at]:.4g}"
            said.append((int(at), f"{found.commits[at][:8]} quality of {name} {step}"))
    return "; ".join(text for _, text in sorted(said)) if said else "nothing changed"


def page(found: History, spreads: Mapping[str, float]) -> str:
    """The page, whole in itself."""
    cells = []
    for name, values in found.ratios.items():
        last, quality = values[np.isfinite(values)][-1], found.qualities[name][-1]
        cells.append(
            f"<figure><figcaption>{html.escape(name)}</figcaption>{_line(values, spreads[name])}"
            f"<p>{last:.3g} times the loop, noise {100 * spreads[name]:.1f}%; quality {quality:.4g}</p></figure>"
        )
    count, commits = len(found.commits), f"{found.commits[0][:8]} to {found.commits[-1][:8]}"
    return _PAGE.format(sentence=html.escape(sentence(found, spreads)), cells="\n".join(cells), count=count, of=commits)


def _line(values: np.ndarray, spread: float) -> str:
    """A small line of the ratios over their median, the noise of equal runs as a band, changes as strokes."""
    log = np.log(values / np.nanmedian(values))
    reach = max(float(np.nanmax(np.abs(log))), 3.0 * spread, 0.05)
    x = np.linspace(4.0, 216.0, len(log))
    y = 30.0 - 26.0 * log / reach
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True) if np.isfinite(b))
    band = 26.0 * 2.0 * spread / reach
    marks = "".join(
        f'<line x1="{x[c.at]:.1f}" x2="{x[c.at]:.1f}" y1="2" y2="58" class="change"/>' for c in changes(values, spread)
    )
    return (
        f'<svg viewBox="0 0 220 60" role="img" aria-label="over the commits, up to {100 * reach:.0f}% off the median">'
        f'<rect x="0" width="220" y="{30.0 - band:.1f}" height="{2.0 * band:.1f}"/>{marks}'
        f'<polyline points="{points}"/></svg>'
    )


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>dpbench: speed over the commits</title><style>
body {{ font: 15px/1.4 sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; color: #222 }}
main {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(15em, 1fr)); gap: 1em }}
figure {{ margin: 0 }} figcaption {{ font-weight: bold }} figure p {{ margin: 0; font-size: 13px }}
svg {{ width: 100%; background: #fafafa }} rect {{ fill: #dce9f2 }} .change {{ stroke: #d55e00; stroke-width: 2 }}
polyline {{ fill: none; stroke: #0072b2; stroke-width: 1.5 }}
</style></head><body><h1>Speed over the commits</h1>
<p><strong>{sentence}</strong></p>
<p>{count} commits, {of}: processor time over that of a loop that never changes, in the same process. The band is two
standard deviations of equal runs on either side.</p>
<main>
{cells}
</main>
<p><a href="index.html">All benchmarks</a></p>
</body></html>
"""


def _once(_: int) -> dict[str, float]:
    from benchmarks.bench_record import ratio
    from benchmarks.headline import HEADLINE

    return {name: ratio(make()) for name, make in HEADLINE.items()}


def measure_equal(runs: int, results: Path = RESULTS) -> None:
    """Runs of this tree, each in a process of its own, one after the other."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        found = list(pool.imap(_once, range(runs), chunksize=1))
    results.mkdir(exist_ok=True)
    (results / "equal.json").write_text(json.dumps({"schema": 1, "runs": found}, indent=1) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the page, and say the sentence."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.record", description=__doc__.split("\n")[0])
    parser.add_argument("page", type=Path, metavar="PAGE", help="the HTML file to write")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FOLDER")
    parser.add_argument("--equal", type=int, default=0, metavar="RUNS", help="measure the noise first, at least 5 runs")
    asked = parser.parse_args(arguments)
    if asked.equal:
        if asked.equal < 5:
            parser.error(f"--equal must be at least 5, got {asked.equal}")
        measure_equal(asked.equal, asked.results)
    found, spreads = history(asked.results), noise(asked.results)
    asked.page.parent.mkdir(parents=True, exist_ok=True)
    asked.page.write_text(page(found, spreads), encoding="utf-8")
    print(f"{asked.page}: {len(found.commits)} commits; {sentence(found, spreads)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
