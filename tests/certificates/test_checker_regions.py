"""The checker's regions: bounds hold every value and slope, and no cell, face, pole or cut lets a falsehood through."""

import itertools
import operator
import random
from fractions import Fraction

import dpbench_check as checker
import mpmath
import pytest
from flint import arb, ctx, fmpq
from naive.certificate_reading import Reading, Undefined
from whole_certificates import certificate
from whole_certificates import report as answer

RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
KINDS = ("+", "-", "*", "/", "^", "exp", "log", "sqrt", "max", "min", "abs", "erfc", "loggamma", "integer_part")


def text(rng, deep):
    """A random formula in x and y."""
    if deep == 0 or rng.random() < 0.15:
        return rng.choice(("x", "y", str(rng.randint(1, 5)), f"({rng.randint(1, 5)}/{rng.randint(2, 3)})"))
    kind, a, b = rng.choice(KINDS), text(rng, deep - 1), text(rng, deep - 1)
    if kind == "^":
        return f"({a})^{rng.choice(('2', '3', '(-1)', '(1/2)', '(-3/2)', '(y)'))}"
    if kind in "+-*/":
        return f"({a}) {kind} ({b})"
    return f"{kind}({a}, {b})" if kind in ("max", "min") else f"{kind}({a})"


def cell_of(**sides):
    ctx.prec = 128
    checker.renew()
    cell = {n: tuple(arb(fmpq(*a) if isinstance(a, tuple) else a) for a in ends) for n, ends in sides.items()}
    return checker.Cell(cell, checker.Scope({}, {}), checker.Moving({*sides}, {}))


def bounds(formula, sides):
    return cell_of(**sides).of(checker.parse(formula))


def plain(formula, x, y):
    """By mpmath, from the text."""
    empty = {"definitions": {}}
    return Reading(empty, {"values": {}}, x=x, y=y)(formula)


def test_bounds_and_slopes_hold_every_value():
    """1,000 random formulas on cells with dyadic ends: values in the interval, difference quotients in the slope's."""
    rng, seen, sloped = random.Random(11), 0, 0
    for _ in range(1000):
        formula = text(rng, 4)
        low = rng.randint(0, 16)
        sides = {"x": ((low, 8), (low + rng.randint(1, 8), 8)), "y": ((1, 2), (1, 1))}
        (least, most), slopes = bounds(formula, sides)
        by = slopes.get("x", (arb(0), arb(0)))
        points = [mpmath.mpf(low) / 8 + (mpmath.mpf(sides["x"][1][0]) - low) / 8 * mpmath.mpf(k) / 5 for k in range(6)]
        y, values = mpmath.mpf(rng.uniform(0.5, 1)), []
        for x in points:
            try:
                values.append((x, plain(formula, x, y)))
            except (Undefined, OverflowError, ZeroDivisionError):
                continue
        for x, value in values:
            if abs(value) < mpmath.mpf(10) ** 12:
                slack = mpmath.mpf(10) ** -9 * (1 + abs(value))
                assert float(least) - slack <= value <= float(most) + slack, (formula, x)
                seen += 1
        for (x, a), (z, b) in itertools.pairwise(values):
            if max(abs(a), abs(b)) < mpmath.mpf(10) ** 9:
                quotient = (b - a) / (z - x)
                slack = mpmath.mpf(10) ** -6 * (1 + abs(quotient) + abs(a))
                assert float(by[0]) - slack <= quotient <= float(by[1]) + slack, (formula, x, z)
                sloped += 1
    assert seen > 1500 and sloped > 1000


def test_bounds_at_one_point_are_the_value():
    """So that no rule is looser than it must be: of 1,000 random formulas those that are defined and not too large."""
    rng, seen = random.Random(12), 0
    for _ in range(1000):
        formula, x, y = text(rng, 3), rng.randint(1, 16), rng.randint(1, 8)
        try:
            value = plain(formula, mpmath.mpf(x) / 8, mpmath.mpf(y) / 8)
        except (Undefined, OverflowError, ZeroDivisionError):
            continue
        box = cell_of(x=((x, 8),) * 2, y=((y, 8),) * 2)
        (least, most), _ = box.of(checker.parse(formula))
        if not (box.undefined or box.touched) and abs(value) < 10**12:
            assert most - least <= 1e-12 * (1 + abs(float(value))), (formula, x, y)
            seen += 1
    assert seen > 900


def test_loggamma_is_bounded_at_its_turn():
    (least, most), _ = bounds("loggamma(x)", {"x": ((7, 5), (3, 2))})
    assert least <= float(mpmath.loggamma("1.46163214496836")) < most < -0.1


def inner(ends):
    """A point of a side."""
    if not isinstance(ends, list) or len(ends) != 2 or not all(isinstance(end, str) for end in ends):
        return "0"
    low, high = (None if "inf" in end or not end.lstrip("-").isdigit() else Fraction(end) for end in ends)
    if low is None or high is None:
        return str(1 if low is high else high - 1 if low is None and high is not None else low + 1)
    return str(low + (high - low) / 3)


def reported(claims, region, witness, cuts=("",), given=(), **parts):
    """What the checker says of the certificate of these claims."""
    claim = {"region": region, "cuts": list(cuts), "given": list(given), "claims": claims, "witness": witness}
    symbols = dict.fromkeys(region if isinstance(region, dict) else "x", "s")
    return answer(certificate("region", claim, verdict="proved", symbols=symbols, **parts))


def report(left, relation, right, region, cuts=("",), given=(), **witness):
    at = {name: inner(ends) for name, ends in region.items()} | witness if isinstance(region, dict) else {}
    return reported([f"{left} {relation} {right}"], region, at, cuts, given)


TRUE = (
    ("1 + x", "<=", "exp(x)", {"x": ["-inf", "inf"]}, ("x 0", "", "")),
    ("sqrt(2) + x", "<=", "2 + 2*x", {"x": ["0", "inf"]}, ("",)),
    ("log(x)", "<=", "x - 1", {"x": ["0", "inf"]}, ("x 1", "", "")),
    ("abs(x + 2) - abs(x)", "<=", "2", {"x": ["-inf", "inf"]}, ("x 0", "", "")),
    ("x*y", "<", "2", {"x": ["0", "1"], "y": ["0", "3/2"]}, ("",)),
)
FALSE = (
    ("x/x", "<=", "1/2 + x", {"x": ["0", "1/4"]}, ("",), ()),  # a face on which nothing is defined
    ("1", "<=", "x", {"x": ["0", "10"]}, ("",), ("x >= 1/2",)),  # a face on which what is given is false
    ("1", "<=", "x + y", {"x": ["0", "10"], "y": ["0", "1"]}, ("",), ("x >= y/2",)),
    ("1/2", "<=", "1/(1 - x)", {"x": ["0", "2"]}, ("",), ()),  # a slope across a pole
    ("0", "<=", "x*log(x)", {"x": ["0", "1"]}, ("",), ()),
    ("x", "<=", "10^6", {"x": ["0", "inf"]}, ("x 10^5", "", ""), ()),
    ("x", "<=", "10^6", {"x": ["0", "inf"]}, ("",), ()),
    ("0", "<", "x", {"x": ["0", "1"]}, ("",), ()),  # met at an end
    ("0", "<=", "x^3", {"x": ["-1", "1"]}, ("x 0", "", ""), ()),
    ("1/x", "<=", "10^9", {"x": ["0", "1"]}, ("",), ()),
    ("0", "<=", "min(x, 1 - x) - 1/1000", {"x": ["0", "1"]}, ("x 1/2", "", ""), ()),
    ("sqrt(x - 1)", "<=", "1", {"x": ["0", "3"]}, ("",), ()),
)


@pytest.mark.parametrize("case", TRUE)
def test_what_is_true_on_a_region_is_seen(case):
    said = report(*case)
    assert said["accepted"] or said["because"].startswith("vacuous"), said["because"]


@pytest.mark.parametrize("case", FALSE)
def test_what_is_false_at_a_point_is_not(case):
    said = report(*case)
    assert not said["accepted"] and not said["because"].startswith("vacuous")


EDGES = (  # false at one end of [1, 2] alone, where what is given, if anything, still holds
    ("1", "<", "x", "1", ()), ("x", ">", "1", "1", ()), ("x", "<", "2", "2", ()), ("2", ">", "x", "2", ()),
    ("2", "<=", "x", "1", ("x <= 1",)), ("x", ">=", "2", "1", ("x <= 1",)), ("2", "<=", "x", "1", ("1 >= x",)),
    ("x", "<=", "1", "2", ("x >= 2",)), ("1", ">=", "x", "2", ("x >= 2",)), ("1", ">=", "x", "2", ("2 <= x",)),
    ("1", "<", "x", "1", ("x <= 1",)), ("x", ">", "1", "1", ("1 >= x",)), ("x", "<", "2", "2", ("x >= 2",)),
    ("2", ">", "x", "2", ("2 <= x",)), ("1", "<", "x", "1", ("x < 3/2",)), ("x", ">", "1", "1", ("3/2 > x",)),
    ("x", "<", "2", "2", ("x > 3/2",)), ("2", ">", "x", "2", ("3/2 < x",)), ("3 - y", "<", "x + 1", "1", ("y <= 1",)),
    ("x + y", ">", "2", "1", ("y <= 1", "x <= 1")), ("x/y", "<", "2", "2", ("y <= 1", "x >= 2")),
)  # fmt: skip


def at_an_edge(left, relation, right, at, given):
    sides = {"x": ["1", "2"]} | ({"y": ["1", "2"]} if "y" in left else {})
    more = {"y": "1"} if "y" in left else {}
    return report(f"2*({left})", relation, f"2*({right})", sides, given=given, x=at, **more)


@pytest.mark.parametrize("case", EDGES)
def test_what_is_false_on_a_face_alone_is_not_seen(case):
    said = at_an_edge(*case)
    assert said["because"].startswith("not seen on the cell"), said["because"]


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_comparison_is_false_on_a_cell_where_no_point_has_it(relation):
    zero = checker.parse("0")
    for low, high in itertools.combinations_with_replacement(range(-2, 3), 2):
        held = [RELATIONS[relation](point, 0) for point in (low, (low + high) / 2, high)]
        assert cell_of(x=(low, high)).false(relation, checker.parse("x"), zero) == (not any(held)), (low, high)
        held = [RELATIONS[relation](0, point) for point in (low, (low + high) / 2, high)]
        assert cell_of(x=(low, high)).false(relation, zero, checker.parse("x")) == (not any(held)), (low, high)


@pytest.mark.parametrize("term", ["log(x - 5)", "sqrt(x - 5)", "(x - 5)^(1/3)"])
def test_a_term_that_cancels_has_to_be_defined(term):
    """Planted: sides that are not looked at."""
    sides = (f"x + {term}", "<=", f"{term} + 11")
    assert report(*sides, {"x": ["6", "10"]}, x="7")["accepted"]
    assert report(*sides, {"x": ["0", "10"]}, x="7")["because"].startswith("not seen on the cell")


def test_a_moving_exponent_has_a_base_that_is_nowhere_negative():
    """(-2)^1 = -2, and x^n + n is -1 there; on a base from 0 on, 0^n is the limit."""
    for left, right, low in (("1/1000", "x^n + n", "-2"), ("3", "3 + x^n", "-2"), ("-1", "(x - 1)^n", "0"),
                             ("0", "(x - y)^n + 1/10", "0"), ("0", "(log(x + 1/2))^n + 1", "0"),
                             ("0", "1 + n*(abs(x) - 1)^n", "-1")):  # fmt: skip
        region = {"x": [low, "2"], "n": ["1", "3"]} | ({"y": ["0", "2"]} if "y" in right else {})
        said = report(left, "<=", right, region, x="2", n="1")
        assert said["because"].startswith("not seen on the cell"), (right, said["because"])
    for left, right in (("0", "x^n"), ("x^n", "9"), ("x^(n + 1)", "17"), ("0", "max(x - 1, 0)^n"), ("(1/2)^n", "1")):
        said = report(left, "<=", right, {"x": ["0", "2"], "n": ["1", "3"]}, x="3/2")
        assert said["accepted"] or said["because"].startswith("vacuous"), (left, right, said["because"])
    assert not report("x^n", ">", "0", {"x": ["0", "2"], "n": ["1", "3"]})["accepted"]  # met at x = 0
    assert not report("1", "<=", "x^n", {"x": ["0", "1"], "n": ["0", "1"]})["accepted"]  # 0^0 is not defined


@pytest.mark.parametrize(
    ("left", "right", "given", "why"),
    [
        ("2*x + 1", "x", ("x > 2",), "what is given"), ("2*x + 1", "x", ("x < 0",), "what is given"),
        ("x", "x^2 + 1", ("x > 1/2", "x < 1/2"), "what is given"), ("x", "x^2 + 1", ("log(x - 5) < 0",), "undefined"),
        ("min(x, x + log(x - 5))", "x^2 + 1", (), "not defined"), ("x - sqrt(-1 - x)^2", "9", (), "not defined"),
        ("0*log(-x - 1) + x", "x^2 + 1", (), "not defined"), ("x/(x - x)", "10 + x", (), "not defined"),
        ("x*(x - 2)^(1/2)", "9", (), "not defined"),
    ],
)  # fmt: skip
def test_what_is_said_of_no_point_is_not_accepted(left, right, given, why):
    for at in ("0", "1/3", "1/2", "1"):
        said = report(left, "<=", right, {"x": ["0", "1"]}, given=given, x=at)
        assert not said["accepted"] and why in said["because"], said["because"]


@pytest.mark.parametrize(
    "witness", [{}, {"x": "3"}, {"x": "-1/1000"}, {"x": "0.5"}, {"y": "1/2"}, {"x": "1/2", "y": "1"}, {"x": 1}, "x", []]
)
def test_a_witness_is_a_point_of_the_region(witness):
    assert not reported(["x <= x + x^2"], {"x": ["0", "1"]}, witness)["accepted"]


def test_relevance_is_tested_where_what_is_given_holds():
    """max(x, 1) moves with x beyond 1 alone; at a witness below it x would be said to move nothing."""
    for at, why in (("5/2", ""), ("1/3", "what is given")):
        said = reported(["1 <= max(x, 1)"], {"x": ["0", "3"]}, {"x": at}, given=["x >= 2"])
        assert said["accepted"] == (not why) and why in said["because"]


def test_many_claims_are_seen_together_and_printed():
    region, witness = {"x": ["1", "2"], "s": ["1/2", "3"]}, {"x": "1", "s": "1"}
    claims = ["0 < s", "x/s <= x/s", "x <= 2"]
    said = reported(claims, region, witness)
    assert said["line"] == "SHOWS 0 < s and x/s <= x/s and x <= 2 for all x in [1, 2], s in [1/2, 3]: 1 cells"
    assert "not seen" in reported([*claims, "x <= 3/2"], region, witness)["because"]
    for bare in ([], ["x <= s"], ["1 <= 2"]):
        assert not reported(bare, region, witness)["accepted"]


def test_a_derivative_leaves_a_face_and_the_rest(monkeypatch):
    """Of a denominator below 0, of other claims, of a part without a derivative. Planted: nothing else is left."""
    sloped = ("x rises", "", "", "")
    region = {"x": ["0", "1"]}
    wrong = ("1/(x - 3)", "<=", "-x - 1/3", region, ("x falls", "", "", ""))
    corner = ("abs(x - 1/2)", "<=", "1/2 - x", region, sloped)
    for case in (wrong, corner, ("1", "<=", "exp(x)/(x - 1/2)^2", {"x": ["-1", "1"]}, sloped),
                 ("exp(x)", "<=", "x + 1", {"x": ["-1", "0"]}, sloped), ("x", ">=", "exp(x)", region, ("x rises",)),
                 ("x", "<=", "x", region, sloped), ("x", "<=", "exp(x) - 1", region, ("y rises", "", "", "")),
                 ("x", "<=", "exp(x) - 1", {"x": ["0", "inf"]}, ("x falls", "", "", ""))):  # fmt: skip
        assert not report(*case)["accepted"], case
    pole = ("exp(2)", "<=", "exp(-1/(x - 1/2))", region, sloped)
    away = ("1", "<=", "exp(x*(x - 1))", region, ("x rises", "x 1/2", "", "", "", ""), ("x > 1/2",))
    for case in (pole, ("exp(2)", "<=", "exp(-(x - 1/2)^(-1))", region, sloped), away):
        assert not report(*case, x="1")["accepted"], case
    tasks = checker.Tasks.sloped
    for name, case, planted in (
        ("sloped", wrong, lambda *given: [*tasks(*given)[:2], ({}, [], [])]), ("within", pole, lambda *_: True),
        ("sloped", away, lambda self, task, *more: [(*one[:2], task[2]) for one in tasks(self, task, *more)[:1]]
         + tasks(self, task, *more)[1:]),
    ):  # fmt: skip
        with monkeypatch.context() as patched:
            patched.setattr(checker.Tasks, name, planted)
            assert report(*case, x="1")["accepted"], case


@pytest.mark.parametrize(
    "cuts", [(), ("", ""), ("x 1/2", ""), ("x 1/2", "", "", ""), ("x 2", "", ""), ("x 0", "", ""), ("x 1", "", ""),
             ("z 1/2", "", ""), ("x", "", ""), ("x one", "", ""), "x", (1,)]
)  # fmt: skip
def test_cuts_are_a_tree_of_the_region(cuts):
    assert not report("x*y", "<=", "2", {"x": ["0", "1"], "y": ["0", "1"]}, cuts)["accepted"]


@pytest.mark.parametrize(
    "region", [{}, {"x": []}, {"x": ["0"]}, {"x": ["1", "0"]}, {"x": ["0", "0"]}, {"x": ["inf", "-inf"]},
               {"x": ["-inf", "-inf"]}, {"x": ["inf", "inf"]}, {"x": ["0", "1", "2"]}, {"x": ["0", 1]}, [], "x",
               {"x": ["0", "nan"]}, {"x": ["0", "1.5"]}]
)  # fmt: skip
def test_a_region_has_sides(region):
    assert not report("x^2", "<=", "2", region)["accepted"]


def test_given_is_no_equality():
    assert not report("x", "<=", "2", {"x": ["0", "4"]}, given=("x = 1",))["accepted"]


@pytest.mark.parametrize(
    ("left", "relation", "right", "ends"),
    [("1/max(x, 0)", ">", "0", ["-1", "1"]), ("max(x, 0)/max(x, 0)", ">=", "1", ["-1", "1"]),
     ("1/integer_part(x)", ">=", "0", ["0", "3"]), ("1/y", ">", "0", ["-1", "1"]),
     ("exp(loggamma(4) - loggamma(integer_part(x) + 1) - loggamma(4 - integer_part(x)))", ">", "0", ["0", "49/10"])],
)  # fmt: skip
def test_a_part_in_pieces_is_not_left_out_where_it_is_0(left, relation, right, ends):
    more = {"definitions": [["y", "max(x, 0)"]]} if "y" in left else {}
    said = reported([f"{left} {relation} {right}"], {"x": ends}, {"x": "1"}, **more)
    assert not said["accepted"] and "not seen on the cell" in said["because"]


def test_what_is_left_out_and_what_a_name_stands_for_is_printed():
    region, witness = {"x": ["0", "2"]}, {"x": "1"}
    said = reported(["x <= y"], region, witness, definitions=[["y", "x + 1"]])
    assert said["line"] == "SHOWS x <= y for all x in [0, 2], y being x + 1: 1 cells"
    assert f"{checker.WHEREVER} (x may be 0): 1 cells" in reported(["1/x >= 1/4"], region, witness)["line"]


@pytest.mark.parametrize(
    ("claims", "given", "zeros"),
    [("1/x >= 1/4", "x > 0", ""), ("1/x >= 1/4", "0 < x", ""), ("1/x >= 1/4", "x >= 0", "x"),
     ("1/x >= 1/4", "x > -1", "x"),
     ("1/x >= 1/4", "y > 0", "x"), ("1/x >= 1/4", "x - y > 0", ""), ("1/(2 - x) >= 1/4", "x < 2", ""),
     ("1/(2 - x) >= 1/4", "x <= 2", "2 - x"), ("exp(loggamma(2 - x)) >= 0", "x <= 2", "2 - x"),
     ("1/x^2 >= 1/4", "x > 0", ""), ("1/sqrt(x) >= 1/4", "x > 0", ""), ("1/(x - 2) <= 1", "x < 2", ""),
     ("1/(x^2 - 4) <= 1", "x < 2", ""), ("1/(x^2 - 4) <= 1", "x <= 2", "x^2 - 4")],
)  # fmt: skip
def test_what_may_be_0_is_named(claims, given, zeros):
    """A strict hypothesis leaves the point out; one that is none, or is of another symbol, does not."""
    said = reported([claims], {"x": ["0", "2"], "y": ["0", "1"]}, {"x": "1", "y": "1/2"}, given=[given, "y <= 1"],
                    inert={"y": "given"})  # fmt: skip
    assert said["accepted"] and (f"({zeros} may be 0)" if zeros else "y <= 1: 1 cells") in said["line"]


def test_a_maximum_is_not_taken_to_be_nowhere_negative():
    assert not reported(["sqrt(max(x, -1)^2) <= max(x, -1)"], {"x": ["-2", "2"]}, {"x": "1"})["accepted"]
