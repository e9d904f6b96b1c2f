"""Markdown tables of audits beside an oracle and beside other auditors, for the documentation's pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpbench.report.markdown import escaped, table


def second_zoo(document: dict[str, Any]) -> str:
    """What ``python -m studies.second_power --json`` wrote, beside the figures of the zoo's first run."""
    first, later = document.get("first run", {}), document["second zoo"]
    return _zoo({**first, **later}, {RATIO: later, "in the first run": first})


def third_zoo(document: dict[str, Any]) -> str:
    """The same of ``--zoo third``."""
    return _zoo(document["third zoo"], {RATIO: document["third zoo"]})


def layers(document: dict[str, Any]) -> str:
    """What ``python -m studies.ablation --json`` wrote: what an audit certifies less without each layer."""
    zoos = list(dict.fromkeys(zoo for row in document["layers"].values() for zoo in row["mean"]))
    return table(
        ("layer left out", *(f"mean loss, {zoo} zoo" for zoo in zoos), "largest loss (se)", "of", "over 3% or 10%"),
        (
            (
                f"{name}: {row['is']}",
                *(f"{row['mean'][zoo]:.1%}" if zoo in row["mean"] else "" for zoo in zoos),
                f"{row['most']:.1%} ({row['most_se']:.1%})",
                escaped(row["where"]),
                "yes" if row["kept"] else "no",
            )
            for name, row in document["layers"].items()
        ),
    )


def constants(document: dict[str, Any]) -> str:
    """What ``python -m studies.ablation --constants --json`` wrote: what hangs on each constant of the charges."""
    rows = document["constants"]

    def of(name: str) -> tuple[str, str]:
        row = rows[name]
        return f"{max(row['mean'].values()):.1%}", f"{row['most']:.1%} ({row['most_se']:.1%}), {escaped(row['where'])}"

    names = dict.fromkeys(name.partition(" ")[0] for name in rows)
    return table(
        ("constant", "halved: mean loss", "largest (se), of", "doubled: mean loss", "largest (se), of"),
        ((f"`{name}`", *of(f"{name} /2"), *of(f"{name} *2")) for name in names),
    )


def joint(document: dict[str, Any]) -> str:
    """What ``python -m studies.ablation --joint --json`` wrote: what the layers taken out together were worth."""
    return table(
        ("zoo", "mechanisms", "mean loss", "largest loss (se)", "of"),
        (
            (
                zoo,
                str(row["mechanisms"]),
                f"{row['mean']:.1%}",
                f"{row['most']:.1%} ({row['most_se']:.1%})",
                escaped(row["where"]),
            )
            for zoo, row in document["joint"]["zoos"].items()
        ),
    )


RATIO = "shortfall / oracle's"


def _zoo(rows: dict[str, Any], ratios: dict[str, dict[str, Any]]) -> str:
    """A table of these rows, with the shortfalls of each run beside."""

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


def arrays(document: dict[str, Any]) -> str:
    """What ``python -m studies.arrays --json`` wrote: mean bounds of each auditor on the same arrays."""
    names = list(dict.fromkeys(auditor for row in document["laws"].values() for auditor in row["auditors"]))

    def shown(row: dict[str, Any], auditor: str) -> str:
        if auditor not in row["auditors"]:
            return ""
        found = row["auditors"][auditor]
        above = f", {found['above']} above" if found["above"] else ""
        return f"{found['mean']:.3f}" + ("" if found["se"] is None else f" ({found['se']:.3f})") + above

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


def diffprivlib(document: dict[str, Any]) -> str:
    """What ``python -m studies.audit_diffprivlib --json`` wrote: one row a mechanism, its claim and two audits."""
    return table(
        ("mechanism", "claimed ε", "δ", "answers a side", "bound from the answers", "bound from their last bits"),
        (
            (
                escaped(row["mechanism"]),
                f"{row['epsilon']:g}",
                f"{row['delta']:g}",
                f"{row['trials']:,}",
                f"{row['epsilon_lower']:.3f}, {row['verdict']}",
                f"{row['bits_lower']:.3f}, {row['bits_verdict']}",
            )
            for row in document["rows"]
        ),
    )


def known_bugs(document: dict[str, Any]) -> str:
    """What ``python -m benchmarks.known_bugs --json`` wrote: one row a case."""
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
        ("case", "what is wrong", "ε, δ", *(f"{name}: runs a side" for name in names), "gray box", "mended", "source"),
        (
            (
                f"{row['name']} ({escaped(row['software'])})",
                escaped(row["bug"]),
                f"{row['epsilon']:.3g}, {row['delta']:.3g}",
                *(needed(row, name) for name in names),
                gray(row),
                "refuted" if alarms(row) else "not refuted",
                escaped(row["source"]),
            )
            for row in rows
        ),
    )  # fmt: skip


def known_bugs_counts(document: dict[str, Any]) -> str:
    """How many of the cases each auditor found, how many mended versions it refuted, and how often by chance."""
    rows = [row for row in document["cases"] if "why" not in row]

    def counted(found: Callable[[dict[str, Any]], bool], among: list[dict[str, Any]]) -> str:
        releases = [row for row in among if row["released"]]
        return f"{sum(map(found, among))} of {len(among)}, {sum(map(found, releases))} of {len(releases)}"

    made = [
        (
            name,
            counted(lambda row, name=name: row["found"][name] is not None, rows),  # type: ignore[misc]
            str(sum(row["mended_refuted"][name] for row in rows)),
        )
        for name in rows[0]["found"]
    ]
    made.append(
        (
            "gray box",
            counted(lambda row: row["gray"]["broken"]["verdict"] == "refuted", rows),
            str(sum(row["gray"]["mended"]["verdict"] == "refuted" for row in rows)),
        )
    )
    runs = sum(len(row["mended_refuted"]) for row in rows)
    return (
        table(("auditor", "found; of those in installed releases", "mended versions refuted"), made)
        + f"\n\nAn auditor's level on a mended version is {document['alpha']:g}: if all mended versions satisfy their "
        f"claims, any of these {runs} audits refutes one with probability at most {runs * document['alpha']:.2g}. The "
        "gray box has no level."
    )


def alarms(row: dict[str, Any]) -> int:
    """How many auditors, the gray box among them, refuted the mended version of a known bug."""
    return sum(row["mended_refuted"].values()) + (row["gray"]["mended"]["verdict"] == "refuted")


def one_run(document: dict[str, Any]) -> str:
    """What ``python -m studies.one_run --json`` wrote: one row for each law and number of canaries."""
    names = list(dict.fromkeys(row["auditor"] for row in document["rows"]))
    found: dict[tuple[int, str], dict[str, str]] = {}
    for row in document["rows"]:
        law = "Gaussian, μ = 1" if row["law"] == "gaussian" else f"{float(row['law']):.0%} memorised"
        found.setdefault((row["canaries"], law), {})[row["auditor"]] = f"{row['mean']:.3f} ({row['error']:.3f})"
    return table(
        ("canaries", "law", "seeds", *names),
        (
            (f"{count:,}", law, str(document["seeds"]), *(said.get(name, "") for name in names))
            for (count, law), said in found.items()
        ),
    )


def speed(document: dict[str, Any]) -> str:
    """What ``python -m studies.audit_speed --json`` wrote: the least of several times, beside what is aimed at."""
    return table(
        ("processor seconds", "aimed at", "least", "largest", "of so many", "the sampler alone"),
        (
            (
                escaped(name),
                f"{row['goal']:g}",
                f"{row['least']:.2f}" + ("" if row["least"] <= row["goal"] else ", missed"),
                f"{row['most']:.2f}",
                str(row["repeats"]),
                "" if row["sampler"] is None else f"{row['sampler']:.2f}",
            )
            for name, row in document["speed"].items()
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
