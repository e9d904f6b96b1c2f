"""Tables of what runs bear: faults and planted errors."""

from __future__ import annotations

from typing import Any

from dpbench.report.markdown import escaped, table
from studies.results.measured import sizing

_FAULTS = {
    "parent": "the process that maps blocks on two threads, killed",
    "pool": "a worker of a process pool, killed",
    "lanes": "a worker process of `verify`, killed",
    "dask": "a worker of a Dask scheduler, killed",
    "disk full": "files that cannot grow beyond a random size",
    "three at once": "three runs on one store, one of them killed",
    "clock": "a time of day that jumps by up to a year",
}


def faults(document: dict[str, Any]) -> str:
    """What ``python -m studies.faults --json`` wrote."""
    types = document["processor types"]["types"]
    rows = [(_FAULTS[kind], str(count["faults"]), str(count["rounds"])) for kind, count in document["counts"].items()]
    return table(
        ("fault", "times", "runs brought to their end"),
        [*rows, (escaped(f"processor types on one store: {' and '.join(types)}"), str(len(types)), "1")],
    )


def mutations(document: dict[str, Any]) -> str:
    """What ``python -m tests.mutations --json`` wrote, by package."""
    counts: dict[str, list[int]] = {}
    for name, result in sorted(document["results"].items()):
        package = "/".join(name.split("/")[: 2 if name.startswith("dpbench/") else 1])
        of = counts.setdefault(package, [0] * 5)
        column = {"survives": 3, "undecided": 4}.get(result["said"], 2 if "first" in result else 1)
        of[0] += 1
        of[column] += 1
    total = [sum(column) for column in zip(*counts.values(), strict=True)]
    header = ("package", "planted", "noticed", "noticed by a test added since", "not noticed", "undecided")
    return table(header, [*((name, *map(str, of)) for name, of in counts.items()), ("all", *map(str, total))])


def operators(document: dict[str, Any]) -> str:
    """What ``python -m tests.mutations.operators --json`` wrote, by kind of error."""
    names = ("drawn", "no error", "default", "long", "added", "not noticed", "undecided")
    counts: dict[str, dict[str, int]] = {}
    for result in document["results"].values():
        of = counts.setdefault(result["kind"], dict.fromkeys(names, 0))
        said = {"survives": "not noticed", "undecided": "undecided", "no error": "no error"}.get(result["said"])
        of["drawn"] += 1
        of[said or ("added" if result["first"] in ("survives", "undecided") else result["selection"])] += 1
    rows = [(kind, *(str(of[name]) for name in names)) for kind, of in sorted(counts.items())]
    total = ("all", *(str(sum(of[name] for of in counts.values())) for name in names))
    header = ("kind", "drawn", "no error", "noticed by `pytest`", "by slow tests alone", "by a test added since",
              "not noticed", "undecided")  # fmt: skip
    return table(header, [*rows, total])


def flips(document: dict[str, Any]) -> str:
    """What ``python -m tests.mutations.flips --json`` wrote: an error a row, and how many entries it turned."""
    rows, before = [], set[str]()
    for result in document["errors"]:
        turned, error = result["turned"], result["error"]
        before |= turned.keys()
        change = f"{escaped(error['path'])}: {escaped(error['old'])} → {escaped(error['new'])}"
        rows.append((change, str(len(turned) + len(result["as expected"])), str(len(turned)), str(len(before))))
    return table(("error", "entries run", "turned", "turned so far"), rows)


def mechanism_peers(document: dict[str, Any]) -> str:
    """What ``python -m studies.mechanism_peers --json`` wrote."""
    return table(
        ("mechanism", "peer", "how they agree", "ours a second", "peer's", "ratio", "95% interval"),
        (
            (
                row["mechanism"], row["peer"], row["agreed"], f"{row['ours_per_second']:.3g}",
                f"{row['peer_per_second']:.3g}", f"{row['median']:.2f}", f"{row['low']:.2f} to {row['high']:.2f}",
            )
            for row in document["rows"]
        ),
    )  # fmt: skip


PEERS = (
    (
        "mechanism_peers.json", mechanism_peers,
        "The JL method, RRSPM with its oracles and the exponential mechanism beside what one writes with NumPy, SciPy "
        "or scikit-learn, on one core (`python -m studies.mechanism_peers --json evidence/mechanism_peers.json`): "
        "outputs or calls a second of processor time, medians of 5 alternating pairs, after the two were seen to "
        "agree. Below 1 ours is the slower one. A Markov chain has the law in the limit only: a draw of it is never "
        "ε-DP.",
    ),
)  # fmt: skip
"""Evidence, table and what stands above it, on the page of other tools."""

MACHINES = (
    (
        "sizing.json", sizing,
        "How far a cluster goes, for noisy GD at n = 1000, d = 50, T = 1000 in blocks of 64 trials, measured for one "
        "and two workers by `python -m studies.sizing --json evidence/sizing.json`. What a block is a function of, "
        "the problem with it, travels once to each worker; a block moves its task and its result. The last two columns "
        "are calculated: how many such workers one scheduler can feed, from the seconds of an empty task, and how many "
        "a link of 1 Gbit/s can, from the bytes of a block.",
    ),
)  # fmt: skip
"""Evidence, table and what stands above it, on the page of many machines."""

BROKEN = (
    (
        "faults.json", faults,
        "Runs of 600 small blocks, broken at random moments and started again until they end, by `python -m "
        "studies.faults --json evidence/faults.json`. No stored block was lost or changed, the file was whole after "
        "each kill, and all results were those of an uninterrupted run; one run on Dask stopped with an error, which "
        "was mended before the last rounds. The disk is full in that a file cannot grow; the clock jumps for the "
        "process alone; a loss of power was not tried.",
    ),
    (
        "mutations.json", mutations,
        "Errors planted one at a time, each to be noticed by a few test files, by `python -m tests.mutations --json "
        "evidence/mutations.json`: the list in tests/mutations, in an order drawn once. Undecided: the tests did not "
        "end in the time given.",
    ),
    (
        "operators.json", operators,
        "Errors drawn at random (a comparison, a constant, an index, a dropped term; seed 40) in the functions that "
        "decide: bounds, levels, digests, exact laws, verdicts, the checkers. The tests that run a function meet its "
        "errors, but for those that start processes; no error: it changes nothing that is promised, with the reason in "
        "`tests/mutations/operators.py`. The functions are those of the commit that the file names: a draw from other "
        "code is another one. `DPBENCH_REACHED=FOLDER pytest -p mutations.reached -m \"not process and not "
        "evidence\"`, then `python -m tests.mutations.operators FOLDER --json evidence/operators.json`.",
    ),
    (
        "flips.json", flips,
        "Errors in what entries measure, and then in the rules that read them, each planted in a copy, with the number "
        "of entries whose verdict it turned, by `python -m tests.mutations.flips --json evidence/flips.json`; errors "
        "in shared rules, and three others, were run on those entries alone that no other had turned. The file names "
        "the entries, those that were run and kept their verdict, and those that nothing has turned.",
    ),
)  # fmt: skip
"""The same on the page of faults and planted errors."""
