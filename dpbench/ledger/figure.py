"""`Figure`: the figure of an entry, declared beside its theorem; matplotlib is loaded when it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Figure:
    """What is drawn of an entry's evidence.

    Attributes
    ----------
    name : str
        Of the file, without its ending.
    draw : str
        The function that draws it: one of the modules that the paper names as its `drawings`, or of
        `dpbench.report.figures`, as "rate".
    says : str
        What the title says was found: a template (`dpbench.report.figures.finding`).
    given : dict of str to object
        What the function is called with beside the evidence.
    """

    name: str
    draw: str
    says: str = ""
    given: Mapping[str, Any] = field(default_factory=dict, hash=False)
