"""Markdown tables of what programs of this repository measured, for the documentation's pages of results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dpbench.report.markdown import escaped, table

NEAR = 1.3
"""A shortfall at most so many times the oracle's is near it."""


def near_the_oracle(document: dict[str, Any]) -> tuple[int, int]:
    """On how many laws with an oracle the auditor comes near it, and how many there are."""
    ratios = [row["ratio"] for part in ("scalars", "zoo", "vectors") for row in document.get(part, {}).values()
              if "ratio" in row]  # fmt: skip
    return sum(ratio <= NEAR for ratio in ratios), len(ratios)


def power(document: dict[str, Any]) -> str:
    """What ``python -m studies.power --json`` wrote: bounds compared with an oracle's, or with a goal."""
    parts = [document.get(part, {}) for part in ("scalars", "zoo", "vectors")]
    return table(
        (
            "mechanism",
            "runs a side",
            "seeds",
            "exact ε",
            "mean bound (se)",
            "oracle",
            "shortfall / oracle's",
            "s an audit",
        ),
        (
            (
                name,
                f"{row['trials']:,}",
                str(row["seeds"][1] - row["seeds"][0] + 1),
                f"{row.get('epsilon', 1.0):.4g}",
                f"{row['mean']:.4f} ({row['se']:.4f})",
                f"{row['oracle']:.4f}" if "oracle" in row else f"goal {row['goal']:g}",
                _beside(row),
                f"{row['seconds']:.2f}",
            )
            for part in parts
            for name, row in part.items()
        ),
    )


def _beside(row: dict[str, Any]) -> str:
    if "share" in row:
        return f"{row['share']:.3f} of its bound"
    if "ratio" not in row:
        return ""
    few = "" if row["count"] >= 100.0 else f", on {row['count']:.0f} counts"
    return f"{row['ratio']:.2f} ({row['ratio_se']:.2f}){few}"


RATIO = "shortfall / oracle's"


def second_zoo(document: dict[str, Any]) -> str:
    """What ``python -m studies.second_power --json`` wrote, compared with the benchmark mechanisms' first run."""
    first, later = document.get("first run", {}), document["second zoo"]
    return _zoo({**first, **later}, {RATIO: later, "in the first run": first})


def third_zoo(document: dict[str, Any]) -> str:
    """The same of ``--zoo third``."""
    return _zoo(document["third zoo"], {RATIO: document["third zoo"]})


def _zoo(rows: dict[str, Any], ratios: dict[str, dict[str, Any]]) -> str:
    """A table of these rows, with the shortfalls of each run."""

    def ratio(of: dict[str, Any], name: str) -> str:
        if name not in of:
            return "not measured"
        few = "" if of[name]["count"] >= 100.0 else f", on {of[name]['count']:.0f} counts"
        return f"{of[name]['ratio']:.2f}{few}, {of[name]['seeds'][1] - of[name]['seeds'][0] + 1} seeds"

    return table(
        ("mechanism", "δ", "exact ε", "oracle", "mean bound (se)", *ratios),
        (
            (
                escaped(name),
                f"{row['delta']:g}",
                f"{row['epsilon']:.4g}",
                f"{row['oracle']:.4f}",
                f"{row['mean']:.4f} ({row['se']:.4f})",
                *(ratio(of, name) for of in ratios.values()),
            )
            for name, row in rows.items()
        ),
    )


def validity(document: dict[str, Any]) -> str:
    """What ``python -m studies.validity --json`` wrote."""
    return table(
        (
            "mechanism, confidence",
            "audits",
            "choosing parts",
            "runs a side",
            "nominal",
            "bounds above the truth",
            "rate",
            "at most (95%)",
        ),
        (
            (
                name,
                f"{row['audits']:,}",
                f"{row.get('choosing_parts', row['audits']):,}",
                f"{row['trials']:,}",
                f"{row['nominal']:g}",
                str(row["wrong"]),
                f"{row['rate']:.4f}",
                f"{row['rate_at_most']:.4f}",
            )
            for name, row in document.get("validity", {}).items()
        ),
    )


def dependence(document: dict[str, Any]) -> str:
    """What ``python -m studies.dependence --json`` wrote: how many audits were refused."""
    return table(
        ("sampler", "runs a side", "audits", "refused"),
        (
            (
                escaped(f"{name}, {row['kind']}" if row["kind"] == "planted" else f"{name}, independent"),
                f"{row['trials']:,}",
                f"{row['audits']:,}",
                f"{row['refused']:,}",
            )
            for name, row in document["dependence"].items()
        ),
    )


def arrays(document: dict[str, Any]) -> str:
    """What ``python -m studies.arrays --json`` wrote: mean bounds of each auditor on the same arrays."""
    names = list(dict.fromkeys(auditor for row in document["laws"].values() for auditor in row["auditors"]))

    def shown(row: dict[str, Any], auditor: str) -> str:
        if auditor not in row["auditors"]:
            return ""
        by_auditor = row["auditors"][auditor]
        above = f", {by_auditor['above']} above" if by_auditor["above"] else ""
        return f"{by_auditor['mean']:.3f}" + ("" if by_auditor["se"] is None else f" ({by_auditor['se']:.3f})") + above

    return table(
        ("arrays", "rows a side", "δ", "exact ε", "seeds", *names),
        (
            (
                escaped(name),
                f"{row['rows']:,}",
                f"{row['delta']:g}",
                "∞" if row["epsilon"] is None else f"{row['epsilon']:.3g}",
                str(row["seeds"]),
                *(shown(row, auditor) for auditor in names),
            )
            for name, row in document["laws"].items()
        ),
    )


def one_run(document: dict[str, Any]) -> str:
    """What ``python -m studies.one_run --json`` wrote: one row for each law and number of canaries."""
    names = list(dict.fromkeys(row["auditor"] for row in document["rows"]))
    cells: dict[tuple[int, str], dict[str, str]] = {}
    for row in document["rows"]:
        law = "Gaussian, μ = 1" if row["law"] == "gaussian" else f"{float(row['law']):.0%} memorised"
        cells.setdefault((row["canaries"], law), {})[row["auditor"]] = f"{row['mean']:.3f} ({row['error']:.3f})"
    return table(
        ("canaries", "law", "seeds", *names),
        (
            (f"{count:,}", law, str(document["seeds"]), *(said.get(name, "") for name in names))
            for (count, law), said in cells.items()
        ),
    )


def auditors(rows: Iterable[dict[str, Any]]) -> str:
    """The auditors among what ``python -m benchmarks.peers --json`` wrote."""
    return table(
        ("task", "mechanism", "auditor", "true ε", "mean bound (se)", "above the truth"),
        (
            (
                f"{row['task']}, {row['trials']:,}",
                row["mechanism"],
                row["auditor"],
                f"{row['truth']:.3g}",
                f"{row['mean']:.3f} ({row['standard_error']:.3f})",
                f"{row['above']} of {row['audits']}",
            )
            for row in rows
        ),
    )


def bits(document: dict[str, Any]) -> str:
    """What ``python -m studies.own_bits --json`` wrote."""
    return table(
        ("sampler", "exact ε", "at δ", "its bits show ε ≥", "broken", "runs a side"),
        (
            (
                row["name"],
                f"{row['epsilon']:.3g}",
                f"{row['delta']:g}",
                f"{row['epsilon_lower']:.3g}",
                "yes" if row["broken"] else "",
                f"{row['trials']:,}",
            )
            for row in document["rows"]
        ),
    )


def own_bits(document: dict[str, Any]) -> tuple[int, int]:
    """Samplers in exact arithmetic, and how many of them their last bits broke."""
    exact = [row for row in document["rows"] if row["exact"] and not row["control"]]
    return len(exact), sum(row["broken"] for row in exact)


def known_bugs(document: dict[str, Any]) -> str:
    """What ``python -m dpbench_libraries.known_bugs --json`` wrote: one row a case."""
    rows = [row for row in document["cases"] if "why" not in row]
    names = list(rows[0]["found"])

    def needed(row: dict[str, Any], name: str) -> str:
        one = row["found"][name]
        return f"not in {row['rungs'][-1]:,}" if one is None else f"{one['runs']:,} ({one['seconds']:.1f} s)"

    def gray(row: dict[str, Any]) -> str:
        found = row["gray"]["broken"]
        flow = ", leak of control flow" if found.get("control_flow") else ""
        return f"{found['verdict']}{flow} ({found['runs']} runs)"

    return table(
        ("case", "what is wrong, and source", "ε, δ", *names, "gray box"),
        (
            (
                f"{row['name']} ({escaped(row['software'])})" + ": fixed version refuted" * bool(alarms(row)),
                f"{escaped(row['bug'])} ({escaped(row['source'])})",
                f"{row['epsilon']:.3g}, {row['delta']:.3g}",
                *(needed(row, name) for name in names),
                gray(row),
            )
            for row in rows
        ),
    )  # fmt: skip


def known_bugs_counts(document: dict[str, Any]) -> str:
    """How many of the cases each auditor found, how many fixed versions it refuted, and how often by chance."""
    rows = [row for row in document["cases"] if "why" not in row]

    def counted(holds: Callable[[dict[str, Any]], bool]) -> tuple[str, str]:
        releases = [row for row in rows if row["released"]]
        return f"{sum(map(holds, rows))} of {len(rows)}", f"{sum(map(holds, releases))} of {len(releases)}"

    columns = [
        (
            name,
            *counted(lambda row, name=name: row["found"][name] is not None),  # type: ignore[misc]
            str(sum(row["mended_refuted"][name] for row in rows)),
        )
        for name in rows[0]["found"]
    ]
    columns.append(
        (
            "gray box",
            *counted(lambda row: row["gray"]["broken"]["verdict"] == "refuted"),
            str(sum(row["gray"]["mended"]["verdict"] == "refuted" for row in rows)),
        )
    )
    runs = sum(len(row["mended_refuted"]) for row in rows)
    return (
        table(("auditor", "found", "found in installed releases", "fixed versions refuted"), columns)
        + f"\n\nAn auditor's level on a fixed version is {document['alpha']:g}: if all fixed versions satisfy their "
        f"claims, any of these {runs} audits refutes one with probability at most {runs * document['alpha']:.2g}. The "
        "gray box has no level."
    )


def alarms(row: dict[str, Any]) -> int:
    """How many auditors, the gray box among them, refuted the fixed version of a known bug."""
    return sum(row["mended_refuted"].values()) + (row["gray"]["mended"]["verdict"] == "refuted")


def _number(value: float | str | None) -> str:
    """Four digits; text, for what is not finite, as it is; nothing for None."""
    return "" if value is None else value if isinstance(value, str) else f"{value:.4g}"


def recall(document: dict[str, Any]) -> str:
    """The refuted entries, from what ``python -m studies.search --json`` wrote."""
    missed = document["recall"]["missed"]
    rows = [
        (
            f"`{row['id']}`",
            "found" if row["found"] else f"missed: {escaped(missed.get(row['id'], 'nothing accepted'))}",
            _number(row["ratio"]),
            f"{row['evaluations']:,}",
            f"{row['seconds']:.2f}",
        )
        for row in document["refuted"]
    ]
    return table(("entry", "without its known instance", "left/right", "points", "seconds"), rows)


def nearest(document: dict[str, Any]) -> str:
    """The entries that hold, from the same: how near their bound the search and their own instance came."""
    rows = [
        (
            f"`{row['id']}`",
            _number(row["own_ratio"]),
            _number(row["ratio"]),
            escaped(", ".join(f"{name} = {value}" for name, value in row["instance"].items())),
        )
        for row in document["holds"]
    ]
    return table(("entry", "its own", "searched", "where"), rows)


def sampler(document: dict[str, Any]) -> str:
    """What ``python -m studies.heavytail --json`` wrote: the rows with a promise."""
    return table(
        (
            "data",
            "d",
            "n",
            "θ",
            "ε",
            "boxes opened",
            "envelope, s",
            "a further draw, s",
            "draws",
            "s a draw",
            "promised",
        ),
        (
            (
                row["data"],
                str(row["d"]),
                f"{row['n']:,}",
                f"{row['theta']:g}",
                f"{row['epsilon']:g}",
                f"{row['boxes']:,.0f}",
                f"{row['envelope_seconds']:.2f}",
                f"{row['draw_seconds']:.3f}",
                str(row["draws"]),
                f"{row['seconds']:.2f}",
                f"{row['promised']:g}",
            )
            for row in document["rows"]
            if row["promised"] is not None
        ),
    )


def risks(document: dict[str, Any]) -> str:
    """What ``python -m studies.publicdata_risk --json`` wrote: slopes over n, and the mean at the ends of σ."""
    smallest = min(row["sigma"] for row in document["rows"])
    asked = {row["algorithm"]: f"{row['n']:.1e}" for row in document["prescribed"] if row["sigma"] == 1.0}

    def mean(name: str, sigma: float) -> str:
        (row,) = (r for r in document["rows"] if (r["algorithm"], r["axis"], r["x"]) == (name, "sigma", sigma))
        return f"{row['mean']:.2g} [{row['low']:.2g}, {row['high']:.2g}]"

    ends = "excess at σ = 1", f"at σ = 1/{1.0 / smallest:.0f}"
    return table(
        ("algorithm", "slope in n", f"from n = {document['late']:,}", "proven", *ends, "n asked for α = 0.1"),
        (
            (
                item["algorithm"],
                *("{:.2f} [{:.2f}, {:.2f}]".format(fit["value"], *fit["interval"]) for fit in (item, item["late"])),
                "" if item["proven"] is None else f"{item['proven']:.2f}",
                mean(item["algorithm"], 1.0),
                mean(item["algorithm"], smallest),
                asked.get(item["algorithm"], ""),
            )
            for item in document["slopes"]
        ),
    )


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
