"""The house: packages, the arrows of their imports, circles, climbs, lines, and what one entry loads.

    python -m studies.house --json evidence/house.json --picture docs/_static/house.svg

Arrows are read from the source, imports inside functions and for annotations included. The names kept for users
(`dpbench`, `dpbench.glm` and the like) are the papers' floor, and no arrow of theirs counts.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    ("core",),
    ("bounds", "lowerbounds", "privacy", "runs"),
    ("rates", "auditing"),
    ("ledger",),
    ("certificates", "libraries"),
    ("report",),
    ("cli", "pytest_plugin", "testing"),
    ("papers.glm", "papers.heavytail", "papers.publicdata", "sklearn", "names"),
)
"""From the ground up; the estimators of `dpbench.sklearn` and the names for users are of the papers' floor."""
USERS = ("dpbench", "dpbench.glm", "dpbench.heavytail", "dpbench.publicdata", "dpbench.papers")
"""Modules that are names for users alone."""
START = "ac1625b5"
"""The commit with 59,131 lines from which the work on the house was planned."""
ENTRY = "glm.thm5.privacy.printed"
AREAS = (
    ("audits of other people's libraries", r"dpbench/libraries/|dpbench/(cli|report)/\w*librar\w*\.py"),
    ("the judge of stated theorems, and proofs over regions",
     r"dpbench/certificates/(judge|proofs)|dpbench/ledger/(formula|statement)|dpbench/cli/judge"),
    ("rates with nuisances", r"dpbench/rates/"),
    ("auditing: gray box, one run, bits, detectable bounds", r"dpbench/auditing/"),
    ("grades, second route, samples, premises of verdicts", r"dpbench/ledger/"),
    ("certificates and search, generic", r"dpbench/certificates/"),
    ("errata, notes, pages and figures", r"dpbench/report/"),
    ("command line and plugin", r"dpbench/(cli|pytest_plugin)/"),
    ("curves and toolkit of lower bounds", r"lowerbounds/"),
    ("claims and proofs of the papers", r"dpbench/papers/\w+/(?:claims|theorems)/"),
    ("certificates of the papers (in the framework before)", r"dpbench/papers/\w+/certificates/"),
    ("searched spaces of the papers", r"dpbench/papers/\w+/spaces/"),
    ("mechanisms and kernels of the papers", r"dpbench/papers/"),
    ("core, privacy, runs, names for users", r""),
)  # fmt: skip
"""What the lines are of: the first pattern that a file's path begins with."""


def name_of(path: str) -> str:
    """The module of a file, by its path in the repository."""
    parts = path.removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources() -> dict[str, str]:
    """Every module of the two packages with its text."""
    paths = [path for top in ("dpbench", "lowerbounds") for path in sorted((ROOT / top).rglob("*.py"))]
    return {name_of(path.relative_to(ROOT).as_posix()): path.read_text(encoding="utf-8") for path in paths}


def arrows(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """From every module to those of ours that it imports: inside functions and for annotations too."""
    found: dict[str, set[str]] = {}
    for module, text in sources.items():
        found[module] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                found[module].update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                found[module].update(names & sources.keys() or {str(node.module)})
        found[module] &= sources.keys() - {module}
    return found


def circles(graph: Mapping[str, set[str]]) -> list[str]:
    """One way round for each node that can be reached from itself."""
    found = []
    for start in sorted(graph):
        came: dict[str, str] = {}
        waiting = [start]
        while waiting and start not in came:
            here = waiting.pop()
            for there in graph[here] - came.keys():
                came[there] = here
                waiting.append(there)
        if start in came:
            way = [start]
            while len(way) == 1 or way[-1] != start:
                way.append(came[way[-1]])
            found.append(" <- ".join(way))
    return found


def package(module: str) -> str:
    """The package of a module: a folder of `dpbench`, a paper, `lowerbounds`, or "names" for users."""
    if module in USERS:
        return "names"
    first, *rest = module.split(".")
    if first == "lowerbounds":
        return first
    return ".".join(rest[:2]) if rest[0] == "papers" else rest[0]


def between(graph: Mapping[str, set[str]]) -> dict[tuple[str, str], list[str]]:
    """(package, package) to the arrows of modules between the two."""
    found: dict[tuple[str, str], list[str]] = {}
    for module, there in graph.items():
        for other in sorted(there):
            pair = package(module), package(other)
            if pair[0] != pair[1]:
                found.setdefault(pair, []).append(f"{module} -> {other}")
    return found


def floor(name: str) -> int:
    """The floor of a package.

    Raises
    ------
    LookupError
        If it stands on none.
    """
    for number, names in enumerate(FLOORS):
        if name in names:
            return number
    raise LookupError(f"{name} has no floor: name it in FLOORS")


def climbs(pairs: Mapping[tuple[str, str], list[str]]) -> list[str]:
    """Arrows of modules from a package to one on a higher floor."""
    return [one for (here, there), listed in pairs.items() if floor(there) > floor(here) for one in listed]


def loaded(entry: str = ENTRY) -> list[str]:
    """The modules of ours that ``dpbench verify`` of one entry loads, its table printed, in a process of its own."""
    code = (
        "import sys; from dpbench.cli.app import run; assert run(['verify', sys.argv[1], '--store', sys.argv[2]]) == 0;"
        "print('', *sorted(m for m in sys.modules if m.split('.')[0] in ('dpbench', 'lowerbounds')))"
    )
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", code, entry, str(Path(folder) / "runs.sqlite")]
        done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout.splitlines()[-1].split()


def way(entry: str = ENTRY) -> tuple[list[str], list[str]]:
    """The way of a claim through `verify`, run once: the modules whose functions get it, and the climbs among them.

    A function gets it as an argument, alone or in a list, a tuple or the values of a dict. A climb is a call from a
    package to one on a higher floor; reading a property of the claim is none.
    """
    from dpbench.ledger.core import Claim
    from dpbench.ledger.verify import select, verify

    claims = select(entry)
    passed: dict[str, None] = {}
    upward: dict[str, None] = {}

    def module(frame: Any) -> str:
        name = frame.f_globals.get("__name__", "")
        return name if name.split(".")[0] in ("dpbench", "lowerbounds") else ""

    def holds(value: Any) -> bool:
        inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else (value,)
        return any(isinstance(one, Claim) for one in inside)

    def called(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or not (here := module(frame)) or code.co_name.startswith("<"):
            return
        if isinstance(getattr(Claim, code.co_name, None), property):
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if any(holds(frame.f_locals.get(name)) for name in names):
            passed[here] = None
            caller = frame.f_back
            while caller is not None and not module(caller):
                caller = caller.f_back
            if caller is not None and floor(package(here)) > floor(package(module(caller))):
                upward[f"{module(caller)} -> {here}"] = None

    sys.setprofile(called)
    try:
        verify(claims, workers=1)
    finally:
        sys.setprofile(None)
    return [*passed], [*upward]


def lines(texts: Mapping[str, str]) -> Counter[str]:
    """Lines by package; names for users count as "names"."""
    made: Counter[str] = Counter()
    for module, text in texts.items():
        made[package(module)] += len(text.splitlines())
    return made


def area(path: str) -> str:
    return next(name for name, pattern in AREAS if re.match(pattern, path))


def account(start: str = START) -> list[dict[str, Any]]:
    """Lines added and removed since a commit by what they are of, as ``git log --numstat`` counts them.

    Merges are left out, as what they bring is counted where it was written; a file that moves counts what changed in
    it. `net` is by the two trees, so it adds up to the difference of their lines; what moved between areas is in it.
    """
    log = _git("log", "--no-merges", "--numstat", "-M", "--format=", f"{start}..HEAD", "--", "dpbench", "lowerbounds")
    added: Counter[str] = Counter()
    removed: Counter[str] = Counter()
    for line in log.splitlines():
        more, less, path = line.split("\t")
        where = _after(path)
        if where.endswith(".py"):
            added[area(where)] += int(more)
            removed[area(where)] += int(less)
    before, after = _by_area(start), _by_area("HEAD")
    return [
        {"area": name, "added": added[name], "removed": removed[name], "before": before[name], "after": after[name],
         "net": after[name] - before[name]}
        for name, _ in AREAS
    ]  # fmt: skip


def _after(path: str) -> str:
    """The new path of ``old/{a => b}/c`` or ``a => b``."""
    return re.sub(r"\{.*? => (.*?)\}", r"\1", path).split(" => ")[-1].replace("//", "/")


def _by_area(commit: str) -> Counter[str]:
    """Lines of a commit's tree by area; papers that stood elsewhere count as where they stand now."""
    made: Counter[str] = Counter()
    for entry in _git("ls-tree", "-r", commit, "--", "dpbench", "lowerbounds").splitlines():
        kind, path = entry.split("\t")
        if path.endswith(".py"):
            now = re.sub(r"^dpbench/(glm|heavytail|publicdata)/", r"dpbench/papers/\1/", path)
            now = re.sub(r"^dpbench/certificates/(glm|heavytail|publicdata)_", r"dpbench/papers/\1/certificates/", now)
            made[area(now)] += _git("cat-file", "blob", kind.split()[2]).count("\n")
    return made


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LookupError(done.stderr.strip())
    return done.stdout


def reduced(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The arrows that no chain of others stands for; those of a circle stay."""
    there: dict[str, set[str]] = {}
    for here, other in pairs:
        there.setdefault(here, set()).add(other)

    def reach(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for one in there.get(waiting.pop(), set()) - seen:
                seen.add(one)
                waiting.append(one)
        return seen

    return [
        (here, other)
        for here, others in there.items()
        for other in sorted(others)
        if here in reach(other) or not any(other in reach(one) for one in others - {other})
    ]


def picture(pairs: Iterable[tuple[str, str]], size: Mapping[str, int], path: Path) -> None:
    """Draw the packages on their floors, and the arrows that no chain of others stands for; climbs are thick."""
    import matplotlib

    pairs = list(pairs)
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "house"
    figure, axes = plt.subplots(figsize=(9.0, 8.0))
    place = {}
    for height, names in enumerate(FLOORS):
        for number, name in enumerate(names):
            place[name] = ((number + 0.5) / len(names) + 0.06 * (-1) ** height * (len(names) == 1), float(height))
    boxes = {
        name: axes.text(x, y, f"{name}\n{size[name]:,} lines", ha="center", va="center", fontsize=9,
                        bbox={"boxstyle": "round,pad=0.4", "fc": "#EAF2FA", "ec": "#0072B2"}).get_bbox_patch()
        for name, (x, y) in place.items()
    }  # fmt: skip
    falling = [(here, there) for here, there in pairs if floor(there) <= floor(here)]
    for here, there in (*reduced(falling), *(pair for pair in pairs if pair not in falling)):
        up = floor(there) > floor(here)
        style = {"color": "#D55E00" if up else "#666666", "lw": 2.0 if up else 0.9}
        bend = 0.25 if floor(here) == floor(there) else 0.0
        axes.annotate("", place[there], place[here], arrowprops={
            "arrowstyle": "-|>", "patchA": boxes[here], "patchB": boxes[there],
            "connectionstyle": f"arc3,rad={bend}", **style,
        })  # fmt: skip
    axes.set(xlim=(0.0, 1.0), ylim=(-0.6, len(FLOORS) - 0.2))
    axes.axis("off")
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def measured() -> dict[str, Any]:
    """What the page tells."""
    texts = sources()
    graph = arrows(texts)
    pairs, by_package, modules = between(graph), lines(texts), loaded()
    papers = sorted({package(m) for m in modules if package(m).startswith("papers.")})
    passed, upward = way()
    return {
        "schema": 1, "files": len(texts), "lines": sum(by_package.values()),
        "framework": sum(n for name, n in by_package.items() if not name.startswith("papers.") and name != "sklearn"),
        "packages": {name: by_package[name] for names in FLOORS for name in names},
        "circles": circles(graph), "climbs": climbs(pairs),
        "arrows": {f"{here} -> {there}": len(listed) for (here, there), listed in sorted(pairs.items())},
        "entry": ENTRY, "loaded": len(modules), "papers_loaded": papers,
        "passed": passed, "climbs_passed": upward, "start": START, "account": account(),
    }  # fmt: skip


def package_rows(made: Mapping[str, Any]) -> list[str]:
    """Rows of a Markdown table: package and lines."""
    return [f"| {name} | {count:,} |" for name, count in made["packages"].items()]


def account_rows(made: Mapping[str, Any]) -> list[str]:
    """Rows of a Markdown table: what the lines are of, added, removed, before, now and the difference."""
    numbers = ("added", "removed", "before", "after")
    rows = [
        f"| {row['area']} | {' | '.join(f'{row[n]:,}' for n in numbers)} | {row['net']:+,} |" for row in made["account"]
    ]
    total = [sum(row[n] for row in made["account"]) for n in (*numbers, "net")]
    return [*rows, f"| all | {' | '.join(f'{n:,}' for n in total[:-1])} | {total[-1]:+,} |"]


def main(arguments: list[str] | None = None) -> int:
    reads = argparse.ArgumentParser(prog="python -m studies.house", description=__doc__.split("\n")[0])
    reads.add_argument("--json", type=Path, help="where to write what was counted")
    reads.add_argument("--picture", type=Path, help="where to draw it: an SVG or a PNG")
    given = reads.parse_args(arguments)
    made = measured()
    if given.json is not None:
        given.json.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    if given.picture is not None:
        pairs = [(here, there) for here, _, there in (pair.partition(" -> ") for pair in made["arrows"])]
        picture(pairs, made["packages"], given.picture)
    print(f"{made['files']} files, {made['lines']} lines, of the framework {made['framework']}")
    print("\n".join(f"  {name:<18}{count:>7}" for name, count in made["packages"].items()))
    print(f"{len(made['circles'])} circles, {len(made['climbs'])} climbs of {sum(made['arrows'].values())} arrows")
    print("\n".join(f"  {one}" for one in (*made["circles"], *made["climbs"])))
    print(f"{made['entry']} loads {made['loaded']} modules, of {', '.join(made['papers_loaded'])}")
    print(f"handed to verify, its claim passes {len(made['passed'])} files, with {len(made['climbs_passed'])} climbs")
    print(f"since {made['start']}: {'added':>50}{'removed':>9}{'before':>8}{'now':>8}{'net':>8}")
    for row in made["account"]:
        print(
            f"  {row['area']:<58}{row['added']:>7}{row['removed']:>9}{row['before']:>8}{row['after']:>8}{row['net']:>8}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
