"""The six labels that a certificate contradicts: each counterexample holds by a second computation.

It starts from the mechanism (counts, laws of noise) in mpmath, and shares no formula with the statements.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import mpmath as mp
import pytest
from dpriv_bench.literature import QUESTIONS

ROWS = {
    row["question"]: row
    for row in json.loads((Path(__file__).resolve().parents[1] / "evidence" / "literature.json").read_text())[
        "questions"
    ]
}
Values = dict[str, mp.mpf]
phi = mp.ncdf


def over(p: mp.mpf, q: mp.mpf, epsilon: mp.mpf, delta: mp.mpf | int = 0) -> mp.mpf:
    """By how much an event breaks (epsilon, delta)."""
    return p - mp.exp(epsilon) * q - delta


def half_line(chance: Callable[[mp.mpf], mp.mpf], v: Values, scales: tuple[mp.mpf, mp.mpf]) -> list[mp.mpf]:
    """The chances that noise of each scale is above v."""
    return [chance(v["v"] / scale) for scale in scales]


def unknown_mean(v: Values) -> mp.mpf:
    """Question 28, against the trade-off curve of mu-GDP."""
    p, q = half_line(lambda x: phi(-x), v, tuple(2 / ((n - 1) * v["mu"]) for n in (v["n"], v["n"] + 1)))
    quantile = mp.findroot(lambda x: mp.log(phi(x)) - mp.log(q), -mp.sqrt(-2 * mp.log(2 * q)))
    return p - phi(quantile + v["mu"])


def unknown_count(v: Values) -> mp.mpf:
    """Question 74."""
    scales = tuple(10 / (n * v["epsilon"]) for n in (v["n"], v["n"] + 1))
    return over(*half_line(lambda x: mp.exp(-x) / 2, v, scales), v["epsilon"])


def curved(v: Values) -> mp.mpf:
    """Question 87: chances of the event through the optimality condition w + slope(w) = -noise."""
    e, d, end, length = v["epsilon"], v["delta"], v["v"], v["h"]
    sigma = mp.sqrt(10 * mp.log(1 / d)) / e

    def slope(w: mp.mpf) -> mp.mpf:
        return mp.mpf("0.99") + e / 2 * (w + end)

    places = (-end - length, -end)
    first = [phi((w + slope(w)) / sigma) for w in places]
    second = [phi((w - 1) / sigma) for w in places]
    return over(first[1] - first[0], second[1] - second[0], e, d)


def oracle(v: Values) -> mp.mpf:
    """Question 113: the divergence of the two Laplace laws."""
    ends = [-60, 0, v["k"] / 2 - v["epsilon"], v["k"], 60]

    def excess(x: mp.mpf) -> mp.mpf:
        return max((mp.exp(-abs(x)) - mp.exp(2 * v["epsilon"] - abs(x - v["k"]))) / 2, mp.mpf(0))

    return mp.quad(excess, ends) - 2 * v["delta"]


def trimmed(v: Values, chance: Callable[[mp.mpf], mp.mpf], rho: int) -> mp.mpf:
    """Questions 127 and 129: the scales from the records, and the divergence of the event at order 2."""
    m = int(v["m"])
    p, q = (
        chance(v["v"] / max(mp.mpf(data[-1] - data[m - 1]) / (len(data) - 2 * m), mp.exp(-m)))
        for data in ([0] * (2 * m) + [1], [0] * (2 * m + 1))
    )
    return mp.log(p**2 / q + (1 - p) ** 2 / (1 - q)) - 2 * rho


def log_normal_laplace(x: mp.mpf) -> mp.mpf:
    return mp.quad(lambda b: mp.npdf(b) * mp.exp(-x * mp.exp(-mp.mpf(3) / 2 - b)), mp.linspace(-15, 25, 81))


SECOND: dict[int, Callable[[Values], mp.mpf]] = {
    28: unknown_mean,
    74: unknown_count,
    87: curved,
    113: oracle,
    127: lambda v: trimmed(v, lambda x: 2 * phi(-mp.asinh(x)), 8),
    129: lambda v: trimmed(v, log_normal_laplace, 2),
}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: str(one.number))
def test_the_judge_refutes_what_the_evidence_says(question) -> None:
    assert question.decided() == ROWS[question.number]
    assert ROWS[question.number]["verdict"] == "refuted"


@pytest.mark.parametrize("number", sorted(ROWS))
def test_a_counterexample_breaks_the_claim_by_a_second_computation(number: int) -> None:
    with mp.workdps(25):
        exact = {name: Fraction(text) for name, text in ROWS[number]["counterexample"].items()}
        assert SECOND[number]({name: mp.mpf(v.numerator) / v.denominator for name, v in exact.items()}) > 0


def test_the_second_computations_break_no_true_claim() -> None:
    one = mp.mpf(1)
    v = {"epsilon": one, "delta": one / 10, "k": one, "m": one, "v": one}
    assert oracle(v | {"k": 2 * one}) < 0  # two epsilon apart
    assert trimmed(v, lambda x: mp.mpf(1) / 2, 1) < 0  # no event
    assert half_line(lambda x: phi(-x), v, (one, one))[0] == phi(-1)
