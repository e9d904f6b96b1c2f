"""Symbols that may be exchanged are sorted: four of them with a slack of 5% are proved, and nothing else is.

A fuzz asks random comparisons, symmetric or not: what the cells show is true at points, in whatever order.
"""

import json
import random

import dpbench_check as checker
import pytest
from flint import arb, ctx, fmpq
from naive.certificates import true
from whole_certificates import certificate

import dpbench

PARTS = ("x + y", "x*y", "x^2 + y^2", "max(x, y)", "1/(x + y)", "sqrt(x*y)", "exp(x + y)", "abs(x - y)", "x", "y",
         "x - y", "x + y^2", "x/y")  # fmt: skip


def means(symbols, left, right):
    names = [f"x{i}" for i in range(symbols)]
    claim = {"left": left(names), "relation": "<=", "right": right(names)}
    return {"id": "means", "symbols": {name: {"real": ["1/10", 1]} for name in names}, "claim": {"inequality": claim}}


AM_GM = {n: means(n, lambda x: f"({'*'.join(x)})^(1/{len(x)})", lambda x: f"1.05*({' + '.join(x)})/{len(x)}")
         for n in (3, 4)}  # fmt: skip


@pytest.mark.parametrize("symbols", AM_GM)
def test_arithmetic_and_geometric_means(symbols):
    made = dpbench.judge(AM_GM[symbols], seconds=60)
    assert made.verdict == "proved" and made.certificates[0]["claim"]["cuts"][0].endswith("sorted")
    assert all(map(true, made.certificates)) and made.searched["cells"] < {3: 500, 4: 2000}[symbols]


def report(claim, cuts, given=(), region=None):
    region = region or {"x": ["1", "2"], "y": ["1", "2"]}
    body = {
        "region": region,
        "cuts": cuts,
        "given": list(given),
        "claims": [claim],
        "witness": dict.fromkeys("xy", "3/2"),
    }
    made = certificate("region", body, verdict="proved", symbols={"x": "a", "y": "b"})
    return checker.report_on(json.dumps(made))


@pytest.mark.parametrize(
    ("claim", "given", "region", "why"),
    [("x <= 3*y", (), None, "cannot be exchanged"), ("x + y <= 9", ("x < y + 1/2",), None, "cannot be exchanged"),
     ("x + y <= 9", (), {"x": ["1", "2"], "y": ["1", "3"]}, "sides differ"),
     ("(x + y)*(x - y) <= 9*x*y", (), None, "cannot be exchanged")],
)  # fmt: skip
def test_what_is_not_symmetric_is_not_sorted(claim, given, region, why):
    assert why in report(claim, ["x y sorted", ""], given, region)["because"]


@pytest.mark.parametrize("cuts", [["x y sorted", "x y sorted", ""], ["x x sorted", ""], ["x sorted", ""],
                                  ["x z sorted", ""]])  # fmt: skip
def test_what_is_no_list_of_symbols_is_refused(cuts):
    assert not report("x + y <= x*y + 9", cuts)["accepted"]
    assert report("x + y <= x*y + 9", ["x y sorted", ""])["accepted"]


def test_cells_out_of_order_are_left_out():
    """min(x, y) <= 3/2 of x in [3/2, 2], y in [1, 3/2] is what is left of it out of order, and is true there."""
    tasks, cell, _ = start("min(x, y) <= 3/2", [])
    (task,) = tasks.after(cell, "x y sorted")
    _, high = tasks.after(task, "x 7/4")
    assert tasks.unseen(tasks.after(high, "y 3/2")[0]) == []
    assert tasks.unseen(tasks.after(high, "y 3/2")[1])


def start(text, given):
    checker.renew()
    ctx.prec = 128
    claim = checker.parse(text, True)
    sides = {name: (arb(1), arb(2)) for name in "xy"}
    tasks = checker.Tasks(checker.Scope({}, {}), sides)
    return tasks, (sides, [tasks.goal(claim, claim[1:])], [checker.parse(one, True) for one in given]), claim


def wrong(seed, held):
    """Claims that cells show, sorted, with random cuts and slopes, and that are false at a point."""
    rng, bad, found = random.Random(seed), [], 0
    for _ in range(40 * held):
        if found >= held:
            break
        some = [rng.choice(PARTS) for _ in range(3)]
        text = f"({some[0]})*({some[1]}) <= ({some[2]})*{rng.choice((1, 2, 3, 4, '1/2'))} + {rng.choice((0, 1, 2))}"
        text = text if rng.random() < 0.5 else f"{some[0]} <= {some[2]} + 1/2"
        given = rng.choice(([], [], ["x + y <= 3"], ["x < y"]))
        tasks, task, claim = start(text, given)
        try:
            left, steps = tasks.after(task, "x y sorted"), 0
            while left and steps < 40:
                one, steps = left.pop(), steps + 1
                if tasks.unseen(one) and not one[0]:
                    steps, left = 40, [one]
                elif tasks.unseen(one):
                    name = rng.choice(list(one[0]))
                    low, high = (checker.exactly(end) for end in one[0][name])
                    way = rng.choice(("cut", "cut", "rises", "falls"))
                    left += tasks.after(one, f"{name} {(low + high) / 2 if way == 'cut' else way}")
        except checker.Refused:
            continue
        if left:
            continue
        found += 1
        for _ in range(60):
            at = {name: 1 + fmpq(rng.choice((0, 1, 2, 4, rng.randint(0, 4))), 4) for name in "xy"}
            scope = checker.Scope(at, {})
            try:
                if all(checker.decide(*one, scope) for one in task[2]) and not checker.decide(*claim, scope):
                    bad.append(f"{text} given {given} at {at}")
            except checker.Refused:
                continue
    return found, bad


def test_what_is_sorted_and_seen_is_true_in_any_order():
    found, bad = wrong(1, 150)
    assert found >= 100 and not bad


def test_the_fuzz_sees_a_list_that_may_not_be_exchanged(monkeypatch):
    """Planted: formulas count as alike whatever is exchanged."""
    monkeypatch.setattr(checker, "ordered", lambda node, swap, definitions: ())
    assert wrong(1, 150)[1]
