"""Attacks on the heavy-tailed paper's mechanism that are run once for their counts."""

from __future__ import annotations

from dpbench.certificates.attack_counts import Attack
from dpbench.papers.heavytail.exponential import ExponentialMechanism
from dpbench.papers.heavytail.theorems.theorems1_2_privacy import leaning_pair


def attacks() -> dict[str, Attack]:
    """Entry to its attack."""
    leaning = "three records fit w = 1, on the neighbour one of them w = -1"
    return {
        f"heavytail.thm{theorem}.privacy.{name}": Attack(
            ExponentialMechanism(1.0, net_radius=1.0, calibration=name), leaning_pair(3, theta), 1.0, 0.0, leaning
        )
        for theorem, theta in ((1, 2.0), (2, 1.75))
        for name in ("printed", "exact")
    }
