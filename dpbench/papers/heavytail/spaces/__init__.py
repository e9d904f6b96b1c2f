"""What a search for counterexamples ranges over: a space for a theorem, a question for each of its variants."""

from __future__ import annotations

from typing import Any

from dpbench.papers.heavytail.spaces import misprints, privacy, utility

QUESTIONS: dict[str, Any] = {**misprints.QUESTIONS, **privacy.QUESTIONS, **utility.QUESTIONS}
