"""Six questions of DPriv-Bench, category 2 (Wang et al. 2026, arXiv 2604.15851), whose label a certificate contradicts.

Each is cited by its number; the encoding is ours: neighbouring data and an event in words, from which the claim at that
instance is a `Statement`, which `dpbench.certificates.judge` must refute. The way from the algorithm to the formulas is
in words, which the judge does not read.

``python -m dpriv_bench.literature > evidence/literature.json``
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

from dpbench.certificates.judge import decide
from dpbench.certificates.judge_toml import Theorem
from dpbench.ledger.statement import Integer, Real, Statement, event, inequality, laplace

SOURCE = "Wang et al. 2026, DPriv-Bench, arXiv 2604.15851, category 2, question {}"


@dataclass(frozen=True)
class Question:
    """A claim that the benchmark labels true, and its counterexample.

    Attributes
    ----------
    number : int
        In the benchmark.
    title : str
        In our words.
    reason : str
        The neighbouring data and the event.
    note : str
        What speaks for the label: for the benchmark's authors to judge.
    broken : Statement
        The claim at the instance.
    """

    number: int
    title: str
    reason: str
    note: str
    broken: Statement

    def decided(self, *, seconds: float = 3.0) -> dict[str, Any]:
        """A row of the evidence: what the judge says of the claim, and the values of its counterexample."""
        theorem = Theorem(f"dpriv_bench.{self.number}", self.broken, self.title, SOURCE.format(self.number))
        found = decide(theorem, seconds=seconds)
        return {
            "question": self.number, "title": self.title, "verdict": found.verdict, "reason": self.reason,
            "note": self.note, "formula": found.text, "counterexample": dict(found.counterexample or {}),
        }  # fmt: skip


EPSILON = {"epsilon": Real("claimed", "1/10", 4)}
TRIMMED = (
    "n = 2m + 1: all records 0, against one of them 1. The trimmed mean is 0 of both, the scale is exp(-m) against 1, "
    "since the largest record alone sets it. {} The event is |output| > v, and the divergence at order 2 is at least 2 "
    "log p - log q."
)
SMOOTH = (
    "The label follows a theorem on smooth sensitivity. The printed scale, the maximum of a range and exp(-m), bounds "
    "it from above but is not itself smooth: one record moves it by a factor exp(m)."
)
PLACES = {"m": Integer("trimmed at each end", 1, 30), "v": Real("end", "1/100", 10)}

QUESTIONS = (
    Question(
        28,
        "Gradient descent with noise of scale 2C/(n - 1), n private",
        "T = 1, C = 1: n and n + 1 records of gradient 0. Two normal laws of one mean and two scales, 2/((n - 1) mu) "
        "and 2/(n mu); the event is a half-line far out.",
        "The scale 2C/(n - 1) covers the sensitivity, as the label has it; but it depends on n, which is private here, "
        "and two normal laws of different scales are mu-GDP for no mu.",
        Statement(
            "",
            {
                "mu": Real("claimed", "1/2", 2),
                "n": Integer("records", 2, 50),
                "v": Real("end of the half-line", "1/10", 60),
                "epsilon": Real("at which the curve of mu-GDP is read", "1/10", 20),
            },
            event(
                p="erfc(v*(n - 1)/2*mu/sqrt(2))/2",
                q="erfc(v*n/2*mu/sqrt(2))/2",
                epsilon="epsilon",
                delta="gaussian_delta(mu, epsilon)",
            ),
        ),
    ),
    Question(
        74,
        "Clipped mean with noise 10 C/(n epsilon), number of records private",
        "C = 1, n and n + 1 records of 0: Laplace laws of one centre and two scales, the ratio of whose tails is not "
        "bounded. The event is a half-line.",
        "The noise is larger than needed for each n, as the label has it; but its scale depends on n, which is private "
        "here, and the ratio of the tails of two Laplace scales is not bounded.",
        Statement(
            "",
            EPSILON | {"n": Integer("records", 3, 8), "v": Real("end of the half-line", 1, 500)},
            event(p="exp(-v*n*epsilon/10)/2", q="exp(-v*(n + 1)*epsilon/10)/2", epsilon="epsilon"),
        ),
    ),
    Question(
        87,
        "Objective perturbation with sigma^2 = 10 L^2 log(1/delta)/epsilon^2",
        "A record of S replaced; n = 1, L = 1, one dimension, W the line, 2 n lambda = 1, beta = epsilon/2 = epsilon n "
        "lambda. One loss has slope -1; the other, convex, has slope 0.99 at -v and curvature beta on the event [-v - "
        "h, -v] (and is smooth outside it). There the density gains 1 + epsilon/2 from the curvature, and the means "
        "are 1.99 apart.",
        "The label follows the published theorem. For a record added, a gradient of norm L, sigma is enough; for a "
        "record replaced, two gradients 2L apart, it is not at small delta when the curvature takes its share of "
        "epsilon. A larger constant in sigma mends it.",
        Statement(
            "",
            {
                "epsilon": Real("claimed", "1/2", 1),
                "delta": Real("claimed", "1e-14", "1e-10"),
                "v": Real("event, its end", 1, 400),
                "h": Real("event, its length", "1/10", 1),
            },
            event(
                p="(erfc((v - 0.99)/z) - erfc((v - 0.99 + h*(1 + epsilon/2))/z))/2",
                q="(erfc((v + 1)/z) - erfc((v + 1 + h)/z))/2",
                epsilon="epsilon",
                delta="delta",
            ),
            {"z": "sqrt(2)*sqrt(10*log(1/delta))/epsilon"},
        ),
    ),
    Question(
        113,
        "Propose-test-release with an oracle and noise Delta",
        "f of global sensitivity k below Delta/epsilon (Delta = 1), and the oracle that always passes, as it may: "
        "Laplace noise of scale 1 on a shift of k.",
        "With epsilon Delta in place of Delta/epsilon in the oracle's condition, which may be what is meant, the label "
        "is right; as printed the release is not epsilon-DP for epsilon below 1.",
        Statement(
            "",
            {
                "epsilon": Real("claimed", "1/10", 1),
                "delta": Real("claimed", "1e-6", "1/10"),
                "k": Real("sensitivity", "1/10", 10),
            },
            laplace(shift="k", scale="1", epsilon="2*epsilon", delta="2*delta"),
            given={"below": ("k < 1/epsilon", "the oracle may pass")},
        ),
    ),
    Question(
        127,
        "Trimmed mean with sinh-normal noise",
        TRIMMED.format("sinh(a) is above v where a is above log(v + sqrt(v^2 + 1))."),
        SMOOTH,
        Statement(
            "",
            PLACES,
            inequality(
                "2*log(erfc(log(v + sqrt(v^2 + 1))/sqrt(2))) - log(erfc(log(z + sqrt(z^2 + 1))/sqrt(2)))", "<=", "16"
            ),
            {"z": "v*exp(m)"},
        ),
    ),
    Question(
        129,
        "Trimmed mean with Laplace log-normal noise",
        TRIMMED.format(
            "p is a lower bound (a normal b above 0), q an upper one (b above its end less u, or a Laplace a above "
            "exp(u))."
        ),
        SMOOTH,
        Statement(
            "",
            PLACES | {"u": Real("split", 1, 6)},
            inequality("2*log(p) - log(q)", "<=", "4"),
            {"p": "exp(-exp(-3/2)*v)/2", "q": "erfc((log(v) + m - 3/2 - u)/sqrt(2))/2 + exp(-exp(u))"},
        ),
    ),
)


if __name__ == "__main__":
    json.dump({"schema": 1, "questions": [one.decided() for one in QUESTIONS]}, sys.stdout, indent=1)
    sys.stdout.write("\n")
