"""Variants that answer ⊤ and ⊥: one event of one pair beyond the claim refutes it."""

from __future__ import annotations

import itertools
import math
from typing import Any

from dpbench.ledger import Context
from dpbench.privacy import discrete
from dpbench.privacy.profile import Profile, discrete_profile
from sparse_vector import paper
from sparse_vector.algorithms import variant
from sparse_vector.laws import ERROR, probability, worst

EPSILON = 1.0
QUOTE = "However, most variants of SVT are actually not private."


def event(p: float, q: float, why: str, error: float = ERROR) -> Profile:
    """What one event with these probabilities says from below, less the errors of both."""
    p, q = p * (1.0 - error), q * (1.0 + error)
    return discrete_profile(discrete.pair([p, 1.0 - p], [q, 1.0 - q]), kind="lower", why=why)


def row(epsilon: float, p: float, q: float, **columns: Any) -> dict[str, Any]:
    """A row of pure differential privacy, with the least ε that the event allows."""
    profile = event(p, q, "one sequence of answers on one pair")
    return dict(**columns, epsilon=epsilon, delta=0.0, pair=profile, true_epsilon=profile.epsilon(0.0))


FROM_MEMORY = (2, 3, 6, 7)
"""Algorithms of Lyu, Su and Li that were written down without their figure at hand: of the papers only abstracts."""


def source(number: int, first: str) -> str:
    """Where a variant is from."""
    unread = "; written from memory, as only the paper's abstract could be read" if number in FROM_MEMORY else ""
    return f"Lyu, Su and Li (2017), Figure 1, Algorithm {number}: {first}{unread}"


@paper.privacy(
    "alg1",
    source=source(1, "the paper's own"),
    statement="Algorithm 1 with ε₁ = ε₂ = ε/2, Lap(1/ε₁) on the threshold and Lap(2c/ε₂) on answers is ε-DP.",
    expected="not refuted",
    because="Shifting the threshold by 1 costs e^ε₁ and pays for every ⊥; each of c ⊤ costs e^(ε₂/c).",
    arguments={"number": 1},
)
def small_pairs(run: Context, number: int, factor: str = "1") -> Any:
    """The worst sequence of answers over all pairs of queries 0 and 1 that change by 1, at three distances of them."""
    for c in (1, 2):
        claimed = EPSILON * (1.0 if factor == "1" else (1.0 + 6.0 * c) / 4.0)
        law = variant(number, EPSILON, c)
        for shift in (-2.0, 0.0, 2.0):
            found = (0.0, 1.0, "")
            for queries in itertools.product((0.0, 1.0), repeat=run.pick(quick=3, full=5)):
                one, other = [q + shift for q in queries], [1.0 - q + shift for q in queries]
                found = max(found, worst(law, one, other), key=lambda two: two[0] / two[1])
            yield row(claimed, found[0], found[1], answers_above=c, query=shift, sequence=found[2])


paper.privacy(
    "alg2",
    source=source(2, "Dwork and Roth 2014"),
    statement="Algorithm 2, which draws Lap(2c/ε) for the threshold anew after each ⊤, is ε-DP (Lap(4c/ε) on answers).",
    expected="not refuted",
    because="Each stretch up to a ⊤ is Algorithm 1 with c = 1 and the budget ε/c.",
    arguments={"number": 2},
)(small_pairs)

paper.privacy(
    "alg4",
    variant="corrected",
    source=source(4, "Lee and Clifton 2014") + ", with the privacy it has",
    statement="Algorithm 4 is (1 + 6c)/4 ε-DP.",
    expected="not refuted",
    because="e^(ε/4) for the threshold's shift, and e^(3ε/4) twice for each ⊤.",
    arguments={"number": 4, "factor": "(1 + 6c)/4"},
)(small_pairs)


def opposite(run: Context, number: int) -> Any:
    """⊥ to the first queries and ⊤ to the others, whose answers move the other way: one event, at growing lengths."""
    for size in (1, 2, 5, 10, 20):
        law = variant(number, EPSILON, size)
        low, high = [0.0] * size + [1.0] * size, [1.0] * size + [0.0] * size
        answers = (False,) * size + (True,) * size
        p, q = probability(law, low, answers), probability(law, high, answers)
        yield row(EPSILON, p, q, queries=2 * size)


for number, first, statement, because, consequence, holds in (
    (
        4, "Lee and Clifton 2014",
        "Algorithm 4 with Lap(4/ε) on the threshold, Lap(4/(3ε)) on answers and c answers ⊤ is ε-DP.",
        "The noise of answers does not grow with c: each ⊤ costs up to e^(3ε/2), (1 + 6c)/4 ε in all.",
        "With 5 answers ⊤ a sequence has the ratio e^5.85, and with 20 the ratio e^24.9; e^1 is claimed.",
        "svt.alg4.privacy.corrected",
    ),
    (
        5, "Stoddard et al. 2014",
        "Algorithm 5 with Lap(2/ε) on the threshold, no noise on answers and any number of ⊤ is ε-DP.",
        "⊥ to the answer 0 and ⊤ to the answer 1 is possible, and impossible where the answers are 1 and 0.",
        "No ε holds: one output has probability 0.197 on a data set and 0 on its neighbour.",
        "svt.alg1.privacy",
    ),
    (
        6, "Chen et al. 2015",
        "Algorithm 6 with Lap(2/ε) on the threshold and on answers, and any number of ⊤, is ε-DP.",
        "Nothing bounds the number of ⊤: the ratio of one event grows with the number of queries.",
        "With 10 queries a sequence has the ratio e^4.03, and with 40 the ratio e^17.1; e^1 is claimed.",
        "svt.alg1.privacy",
    ),
):  # fmt: skip
    paper.privacy(
        f"alg{number}",
        variant="printed",
        source=source(number, first),
        quote=QUOTE,
        statement=statement,
        expected="refuted",
        because=because,
        weight="statement",
        consequence=consequence,
        holds=holds,
        arguments={"number": number},
    )(opposite)


@paper.privacy(
    "alg3",
    variant="printed",
    source=source(3, "Roth 2011"),
    quote=QUOTE,
    statement="Algorithm 3, which releases the noisy answer that was above the threshold, is ε-DP (c = 1).",
    expected="refuted",
    because="A number below 0 says that the threshold was below it: then every ⊥ before it costs e^(ε/2).",
    weight="statement",
    consequence="No ε holds: after m queries below the threshold an event has the ratio e^(mε/2), at every m.",
    holds="svt.alg3.privacy.corrected",
)
def revealed_threshold(run: Context) -> Any:
    """In closed form: m answers ⊥, then a number below 0; the first m answers are 0, or 1 on the neighbour.

    For z < 0 the law of an answer gives F(z − 1) = e^(−1/b) F(z), so that the ratio is e^(m/b) at every z.
    """
    law = variant(3, EPSILON, 1)
    a, b = 1.0 / law.threshold, law.query
    for m in (1, 2, 4, 8, 16):
        p = 0.5 * a * 0.5 ** (m + 1) * (1.0 / (a + m / b) - 1.0 / (a + (m + 1) / b))
        yield row(EPSILON, p, p * math.exp(-m / b), queries_below=m)
