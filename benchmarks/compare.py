"""``python -m benchmarks.compare BASE HEAD``: did a change make anything slower?

Both trees run side by side, each in processes of its own, in turns, on the twelve pieces of work of
`benchmarks.headline` (this checkout's, for both). A pair is the processor time of the same calls in either tree, the
order alternates; the ratio HEAD/BASE of a benchmark is the median of its pairs, with an interval of order statistics. A
benchmark whose lower end is above the limit is measured again, in other processes, and counts as slower only if it is
above the limit both times. ``.`` is the working tree as it is.

Exit status: 0 nothing is slower; 1 something is; 2 bad use (a commit that is not there, no
git).
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from scipy.stats import binom

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 1.05
# Each pair has two processes of its own, one of either tree: two of equal trees may differ all their lives.
PAIRS = 5
# Slices of one side of a pair, in turns with the other's, and how many where a call is long. The fastest sixth counts:
# other programs only add, in bursts.
SLICES, LEAST = 24, 8
# Processor time of one side of a pair, about; of long calls more.
SECONDS = 0.25
# The chance at most, about, that a true ratio is below the interval: it is held against the limit twice.
MISSED = 0.2


@dataclass(frozen=True)
class Row:
    """A benchmark: the median ratio of processor times HEAD/BASE, its interval, and whether it counts as slower."""

    name: str
    ratio: float
    low: float
    high: float
    seconds: float
    again: bool = False
    slower: bool = False


@dataclass(frozen=True)
class Pair:
    """A ratio HEAD/BASE, and the seconds of a call in HEAD."""

    ratio: float
    seconds: float


class Tree:
    """A process that runs the work of one tree when it is asked to."""

    def __init__(self, folder: Path, kernels: Path, work: str = "benchmarks.headline") -> None:
        environment = {
            **os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "NUMBA_CACHE_DIR": str(kernels),
            "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONSAFEPATH": "1",
        }  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-c", _WORKER, str(folder), work], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env=environment, cwd=kernels.parent,
        )  # fmt: skip

    def ask(self, **words: Any) -> float:
        """What the process answers: seconds of processor time."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(words) + "\n")
            self._process.stdin.flush()
            answer = json.loads(self._process.stdout.readline() or '{"error": "the process ended"}')
        except BrokenPipeError:
            answer = {"error": "the process ended"}
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return float(answer["seconds"])

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


_WORKER = """
import gc, importlib, json, sys, time
answers = sys.stdout
sys.stdout = sys.stderr
import dpbench
assert dpbench.__file__.startswith(sys.argv[1]), f"{dpbench.__file__} is not of {sys.argv[1]}"
HEADLINE = importlib.import_module(sys.argv[2]).HEADLINE
run = None
for line in sys.stdin:
    asked = json.loads(line)
    try:
        if "name" in asked:
            run = HEADLINE[asked["name"]]()
            run(0)  # compiles
            gc.collect()
            gc.freeze()  # walking over all that was imported would meet one slice and not another
        began = time.process_time()
        for call in range(asked["calls"]):
            run(asked["first"] + call)
        found = {"seconds": time.process_time() - began}
    except Exception as error:
        found = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(found), file=answers, flush=True)
"""


@contextmanager
def checkout(revision: str) -> Iterator[Path]:
    """The two packages of a commit in a temporary folder; ``.`` is the working tree itself."""
    if revision == ".":
        yield ROOT
        return
    command = ["git", "-C", str(ROOT), "archive", revision, "dpbench", "lowerbounds"]
    try:
        packed = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        raise SystemExit(_bad("git must be installed to compare commits")) from None
    if packed.returncode:
        raise SystemExit(_bad(f"BASE and HEAD must be commits of this repository, got {revision!r}"))
    with tempfile.TemporaryDirectory(prefix="dpbench-compare-") as folder:
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder).resolve()


def _bad(message: str) -> int:
    print(f"benchmarks.compare: {message}", file=sys.stderr)
    return 2


def measure(name: str, base: Tree, head: Tree, pairs: int) -> list[Pair]:
    """One benchmark in both trees: pairs, each of slices in turns, so that what comes and goes meets both sides."""
    once = max(base.ask(name=name, first=1, calls=2), head.ask(name=name, first=1, calls=2)) / 2.0
    slices = min(SLICES, max(LEAST, round(2.0 * SECONDS / max(once, 1e-4))))
    calls, kept = max(1, round(SECONDS / slices / max(once, 1e-4))), max(2, slices // 6)
    found, first = [], 1
    for pair in range(pairs):
        seconds: dict[Tree, list[float]] = {base: [], head: []}
        for number in range(slices):
            for tree in (base, head) if (pair + number) % 2 == 0 else (head, base):
                seconds[tree].append(tree.ask(first=first, calls=calls))
            first += calls
        mine, other = (sum(sorted(seconds[tree])[:kept]) for tree in (head, base))
        found.append(Pair(mine / other, mine / calls / kept))
    return found


def row(name: str, pairs: Sequence[Pair]) -> Row:
    """The median of the pairs' ratios, with the interval between the second from below and from above of five."""
    ordered = sorted(pair.ratio for pair in pairs)
    away = max(0, int(binom.ppf(MISSED, len(ordered), 0.5)) - 1)
    times = sorted(pair.seconds for pair in pairs)
    return Row(name, median(ordered), ordered[away], ordered[-1 - away], median(times))


@contextmanager
def side_by_side(
    base: str, head: str, work: str = "benchmarks.headline"
) -> Iterator[Callable[[Sequence[str], int], dict[str, list[Pair]]]]:
    """A function from names and a number of pairs to the pairs of each; progress goes to the standard error.

    Parameters
    ----------
    base, head : str
        Commits, or ``.`` for the working tree.
    work : str
        The module whose HEADLINE the second tree runs.
    """
    with ExitStack() as stack:
        kernels = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dpbench-kernels-")))
        folders = [stack.enter_context(checkout(revision)) for revision in (base, head)]
        places = [Path(os.environ.get("NUMBA_CACHE_DIR", str(kernels / str(number)))) for number in range(2)]
        for place in places:
            place.mkdir(parents=True, exist_ok=True)

        def measured(names: Sequence[str], pairs: int) -> dict[str, list[Pair]]:
            found: dict[str, list[Pair]] = {name: [] for name in names}
            for pair in range(pairs):
                with ExitStack() as running:
                    trees: list[Tree] = []
                    for folder, place, module in zip(folders, places, ("benchmarks.headline", work), strict=True):
                        trees.append(Tree(folder, place, module))
                        running.callback(trees[-1].close)
                    for number, name in enumerate(names, 1):
                        said = f"pair {pair + 1} of {pairs}, {number} of {len(names)}: {name}"
                        print(said, file=sys.stderr, flush=True)
                        found[name] += measure(name, trees[0], trees[1], 1)
            return found

        yield measured


def compare(
    base: str, head: str, *, names: Sequence[str], pairs: int = PAIRS, limit: float = LIMIT,
    work: str = "benchmarks.headline",
) -> list[Row]:  # fmt: skip
    """All rows; what is slower is measured again. `work` is the module whose HEADLINE the second tree runs."""
    with side_by_side(base, head, work) as measured:
        first = [row(name, found) for name, found in measured(names, pairs).items()]
        again = [one.name for one in first if one.low > limit]
        second = {name: row(name, found) for name, found in (measured(again, pairs) if again else {}).items()}
    return [
        replace(second[one.name], again=True, slower=second[one.name].low > limit) if one.name in second else one
        for one in first
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    from benchmarks.headline import HEADLINE

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("base", "head"):
        parser.add_argument(name, metavar=name.upper(), help="a commit, or . for the working tree")
    parser.add_argument("--only", nargs="+", choices=list(HEADLINE), metavar="NAME", help=", ".join(HEADLINE))
    parser.add_argument("--pairs", type=int, default=PAIRS, help="at least 5 (default %(default)s)")
    parser.add_argument("--limit", type=float, default=LIMIT, help="a ratio above it is slower (default %(default)s)")
    asked = parser.parse_args(arguments)
    if asked.pairs < 5:
        parser.error(f"--pairs must be at least 5, got {asked.pairs}")
    try:
        rows = compare(asked.base, asked.head, names=asked.only or list(HEADLINE), pairs=asked.pairs, limit=asked.limit)
    except RuntimeError as error:
        return _bad(f"a tree could not run its work: {error}")
    print(f"{'benchmark':26}{'HEAD/BASE':>10}  {'interval':16}{'ms a call':>10}")
    for row in rows:
        said = "  slower" if row.slower else "  not again when measured twice" if row.again else ""
        print(f"{row.name:26}{row.ratio:10.3f}  [{row.low:.3f}, {row.high:.3f}]  {1e3 * row.seconds:10.2f}{said}")
    slower = [row.name for row in rows if row.slower]
    print(f"slower: {', '.join(slower)}" if slower else f"nothing slower: no lower end above {asked.limit:g} twice")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
