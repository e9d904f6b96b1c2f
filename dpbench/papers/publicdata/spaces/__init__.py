"""What a search for counterexamples ranges over: a space for a theorem, a question for each of its variants."""

from __future__ import annotations

from typing import Any

from dpbench.papers.publicdata.spaces import averaged, constants, learning, misprints, parity, powers, sizes

QUESTIONS: dict[str, Any] = {
    **misprints.QUESTIONS,
    **averaged.QUESTIONS,
    **constants.QUESTIONS,
    **learning.QUESTIONS,
    **parity.QUESTIONS,
    **powers.QUESTIONS,
    **sizes.QUESTIONS,
}
