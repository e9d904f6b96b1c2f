"""Figures of single entries of the GLM paper: the exact profiles of two theorems, and their rates over n."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from dpbench.report.figures import Drawing, columns, privacy, rate


def _beyond(evidence: Mapping[str, Any]) -> str:
    """The true δ, which is the value, beside the first claimed one. Columns: target_epsilon, target_delta."""
    epsilon, delta = (column[0] for column in columns(evidence, "target_epsilon", "target_delta"))
    return f"at ε = {epsilon:g} the true δ is {{value:.1e}}, not {delta:.1e}"


DRAWINGS = (
    Drawing(
        "delta_thm1",
        "glm.thm1.privacy.printed",
        functools.partial(privacy, title="Theorem 1: noisy GD, all iterates, worst pair"),
        "the printed noise is enough up to ε = {value:.3g}",
    ),
    Drawing(
        "delta_thm5",
        "glm.thm5.privacy.printed",
        functools.partial(privacy, title="Theorem 5: output perturbation, worst pair"),
        _beyond,
    ),
    Drawing("rate_thm1", "glm.thm1.rate.n", functools.partial(rate, title="Theorem 1: noisy gradient descent")),
    Drawing("rate_thm5", "glm.thm5.rate.n", functools.partial(rate, title="Theorem 5: output perturbation")),
)
