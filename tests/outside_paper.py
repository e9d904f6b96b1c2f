"""A paper of somebody else, in one module: what an outside package has."""

from __future__ import annotations

import math
from typing import Any

from dpbench.ledger import Context, Evidence, Paper
from dpbench.privacy.profile import gaussian_profile

paper = Paper("toy", title="A toy", authors=("A. Author",), year=2026, version="v1")


@paper.inequality(
    "lemma1",
    source="Lemma 1",
    quote="For every x, 1 - x <= exp(-x).",
    statement="1 - x <= factor * exp(-x) for every real x, factor = 1.",
    expected="not refuted",
    because="The exponential is convex, and 1 - x is its tangent at 0.",
    arguments={"factor": 1.0},
    rows={
        "half": {
            "statement": "1 - x <= factor * exp(-x) for every real x, factor = 1/2.",
            "expected": "refuted",
            "because": "At x = 0.5 the left side is 0.5, the right one 0.303.",
            "weight": "constant",
            "consequence": "The bound is too small by up to a factor 2.",
            "arguments": {"factor": 0.5},
        }
    },
)
def tangent(run: Context, factor: float) -> Any:
    """Both sides on a few points."""
    for x in run.pick(quick=(-2.0, 0.5, 2.0), full=(-4.0, -2.0, 0.5, 2.0, 4.0)):
        yield {"x": x, "left": 1.0 - x, "right": factor * math.exp(-x)}
    return "all x of the grid"


@paper.privacy(
    "thm1",
    variant="exact",
    source="Theorem 1",
    statement="Gaussian noise with sigma = 4 makes a sum of records in [0, 1] (1, 1e-4)-DP.",
    expected="proved",
    because="mu = 1/4, whose delta at epsilon = 1 is below 1e-5.",
    proof="https://arxiv.org/abs/1905.02383",
)
def gaussian(run: Context) -> Any:
    """The Gaussian profile, which is exact."""
    yield {"epsilon": 1.0, "delta": 1e-4, "guarantee": gaussian_profile(0.25, kind="exact", why="a Gaussian shift")}


@paper.floor(
    "thm2",
    source="Theorem 2",
    statement="Every estimate of a fair coin's sign errs with probability 1/2 or more.",
    expected="not refuted",
    because="It is independent of everything.",
)
def coin(run: Context) -> Evidence:
    """Evidence with the margin that decides."""
    return Evidence(value=0.5, margin=0.0, notes=("value: the error probability",))
