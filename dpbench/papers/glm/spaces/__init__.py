"""What a search for counterexamples ranges over: a space for a theorem, a question for each of its variants."""

from __future__ import annotations

from typing import Any

from dpbench.papers.glm.spaces import floors, jl, losses, misprints, privacy, selection, stability, uniform

QUESTIONS: dict[str, Any] = {
    **misprints.QUESTIONS,
    **losses.QUESTIONS,
    **stability.QUESTIONS,
    **selection.QUESTIONS,
    **privacy.QUESTIONS,
    **floors.QUESTIONS,
    **jl.QUESTIONS,
    **uniform.QUESTIONS,
}
