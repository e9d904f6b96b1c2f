"""Markdown tables of what `studies/` measured, for the documentation's pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpbench.report.markdown import table


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


NEAR = 1.3
"""A shortfall at most so many times the oracle's is near it."""


def near_the_oracle(document: dict[str, Any]) -> tuple[int, int]:
    """On how many laws with an oracle the auditor comes near it, and how many there are."""
    ratios = [row["ratio"] for part in ("scalars", "zoo", "vectors") for row in document.get(part, {}).values()
              if "ratio" in row]  # fmt: skip
    return sum(ratio <= NEAR for ratio in ratios), len(ratios)


def power(document: dict[str, Any]) -> str:
    """What ``python -m studies.power --json`` wrote: bounds beside an oracle's, or beside a goal."""
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


def learners(document: dict[str, Any]) -> str:
    """What ``python -m studies.learners --variant today --json`` wrote."""
    return table(
        (
            "mechanism",
            "runs a side",
            "sums alone (se)",
            "auditor (se)",
            "trees used",
            "oracle",
            "s, sums",
            "s, auditor",
        ),
        (
            (
                name + (", interaction" if row["interaction"] else ""),
                f"{row['trials']:,}",
                *(f"{row[variant]['mean']:.4f} ({row[variant]['se']:.4f})" for variant in ("sums", "today")),
                f"{row['today']['used']} of {row['seeds'][1] - row['seeds'][0] + 1}",
                f"{row['oracle']:.4f}",
                *(f"{row[variant]['seconds']:.2f}" for variant in ("sums", "today")),
            )
            for name, row in document.get("learners", {}).items()
            if "today" in row
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


def stream(document: dict[str, Any]) -> str:
    """What ``python -m studies.stream --json`` wrote."""
    row = document["stream"]
    return table(
        (
            "Laplace samples",
            "certified of ε = 1",
            "processor seconds",
            "peak memory, MB",
            "after 20,000,000, MB",
            "after vectors of 20, 20,000,000, MB",
        ),
        (
            (
                f"{row['samples']:,}",
                f"{row['epsilon_lower']:.5f}",
                f"{row['processor_seconds']:.0f}",
                f"{row['peak_mb']:.0f}",
                f"{row['peak_mb_small']:.0f}",
                f"{row['peak_mb_twenty']:.0f}",
            ),
        ),
    )


def auditors(rows: Iterable[dict[str, Any]]) -> str:
    """The auditors among what ``dpbench bench --peers --json`` wrote."""
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


def sizing(document: dict[str, Any]) -> str:
    """What ``python -m studies.sizing --json`` wrote."""
    return table(
        ("loss", "workers", "trials/s", "speed-up", "bytes once", "bytes a block", "a scheduler feeds", "a link feeds"),
        (
            (
                row["loss"],
                f"{row['workers']} {row['kind']}",
                f"{row['trials_per_second']:.0f}",
                f"{row['speed_up']:.2f}",
                f"{row['bytes_once']:,}" if "workers_a_link_feeds" in row else "0",
                f"{row['bytes_per_block']:,}" if "workers_a_link_feeds" in row else "0",
                f"{row['workers_a_scheduler_feeds']:.0f} workers" if "workers_a_scheduler_feeds" in row else "",
                f"{row['workers_a_link_feeds']:.0f} workers" if "workers_a_link_feeds" in row else "",
            )
            for row in document["rows"]
        ),
    )
