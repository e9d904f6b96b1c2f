"""Proofs over regions: what is proved is seen by the checker, and true at points; the rest is left, with a reason."""

import random
from fractions import Fraction

import pytest
from whole_certificates import report

from dpbench.certificates.build import Sentence, assembled
from dpbench.certificates.regions import Proof, drawn, middle
from dpbench.ledger.formula import parse


def comparison(text):
    relation, left, right = parse(text, comparison=True)
    return relation, left, right


def proof(text, region, given=(), **fixed):
    sides = {
        n: (None if a is None else Fraction(a), None if b is None else Fraction(b)) for n, (a, b) in region.items()
    }
    claims = [comparison(one) for one in text.split(" and ")]
    values = {name: Fraction(value) for name, value in fixed.items()}
    return Proof(claims, sides, {}, [comparison(one) for one in given], values)


def proved(text, region, given=(), cells=300, **fixed):
    """Cuts were found, and the checker accepts their certificate."""
    one = proof(text, region, given, **fixed)
    cuts = one.tree(cells).cuts
    witness = one.witness()
    if cuts is None or witness is None:
        return False
    draft = one.draft(cuts, witness, statement="s", symbols=dict.fromkeys([*region, *fixed], "a symbol"),
                      derivation=[("by definition", [])])  # fmt: skip
    answer = report(assembled("region", draft, Sentence("demo", "q", "p")))
    assert answer["accepted"], answer["because"]
    return True


def test_a_dip_of_a_millionth_is_not_proved():
    """Of the height of a bound, at a place that no corner shows."""
    for place in ("7/10", "13/10", "29/10"):
        bump = f"1 - 1/1000 + {{}}*exp(-100*(x - {place})^2) <= 1"
        assert not proved(bump.format("1000001/1000000000"), {"x": (0, 3)})
        assert proved(bump.format("99/100000"), {"x": (0, 3)})


def test_half_lines_poles_and_open_ends():
    assert proved("1 - x <= exp(-x)", {"x": (None, None)})
    assert proved("log(x) <= x - 1", {"x": (1, None)})
    assert not proved("1/x <= 10^6", {"x": (0, 1)})
    assert not proved(
        "1/2 <= 1/(1 - x)", {"x": (0, 2)}
    )  # it grows wherever it is defined, and is negative beyond its pole
    assert not proved("-log(x)/log(x)^2 <= 10", {"x": ("1/2", 2)})


def test_a_claim_that_is_false_at_a_corner():
    """Where what is given holds there; not at a corner that it leaves out, or at which a side has no value."""
    square = {"x": (0, 1), "y": ("1/2", 1)}
    for text, region in (
        ("x*y < 1", square),
        ("1 < x", {"x": (1, None)}),
        ("x <= y", square),
        ("0 < 1 and x < 1", square),
    ):
        assert proof(text, region).false_at_a_corner(), text
    for text, given in (("x*y < 1", ("x <= 9/10",)), ("log(x) > -9", ("y >= 0",)), ("x*y <= 1", ()), ("x < 2", ()),
                        ("1/x > 1/2", ()), ("1/2 < x", ("x > y",))):  # fmt: skip
        assert not proof(text, square, given).false_at_a_corner(), text


@pytest.mark.parametrize(
    ("text", "given", "false"),
    [("x < 1/2", (), True), ("x <= 1/2", (), False), ("x > 1/2", (), True), ("x >= 1/2", (), False),
     ("x <= 49/100", (), True), ("x >= 51/100", (), True), ("x <= 1 and x*k < 1", (), True),
     ("x <= 1/3", ("x < 1/2",), False), ("x <= 1/3", ("x <= 1/2",), True), ("x <= 1/3", ("x > 1/2",), False),
     ("x <= 1/3", ("x >= 1/2", "x > k"), False), ("log(x - 1) < 1", (), False),
     ("2*log(x) < log(1/4)", (), False)],  # equal, which no ball tells
)  # fmt: skip
def test_a_claim_that_is_false_at_a_point(text, given, false):
    """At x = 1/2, with k = 2."""
    assert proof(text, {"x": (0, 1)}, given, k=2).false_at({"x": Fraction(1, 2)}) == false


def test_what_is_given_leaves_cells_out_and_holds_on_no_face_that_is_taken():
    assert not proved("x <= 1 + 1/1000", {"x": (0, 3)})
    assert proved("x*y <= 1 + 1/1000", {"x": (0, 30), "y": (0, 1)}, ("x <= 1",))  # a third of 30 is no witness
    for given in ("x >= 1/2", "x > 1/2", "x >= y/2"):
        assert not proved("1*y <= x", {"x": (0, 10), "y": (1, 2)}, (given,)), given


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("exp(x)/(1 + exp(x)) <= exp(x)*(1 - exp(x)/(1 + exp(x)))", {"x": (0, 30)}),  # an identity
        ("1/(1 + exp(x)) <= exp(x)*(1 - 1/(1 + exp(x)))", {"x": (0, 30)}), ("x^2 <= x", {"x": (0, 1)}),
        ("1 <= ((1 - s)^2 + (1 + s)^2)/2", {"s": (-9, 9)}),
        ("y*gaussian_delta(x, log(1 + (exp(log(1 + y*(exp(x) - 1))) - 1)/y)) <= y*gaussian_delta(x, x)",
         {"x": (1, 2), "y": ("1/10", 1)}),
    ],
)  # fmt: skip
def test_what_cancels_is_seen_in_few_cells(text, region):
    assert proved(text, region, cells=40)


CORNERS = (  # met at an end, to the first order or a higher one, or on a whole face
    ("x^2/2 <= (exp(x) + exp(-x))/2 - 1", {"x": (-1, 1)}), ("exp(x/2)/(exp(x) - 1) <= 1/x", {"x": (0, None)}),
    ("log(1 + x*(exp(y) - 1)) <= x*(exp(y) - 1)", {"x": (0, 1), "y": (0, 1)}),
    ("2*x/(2 + x) <= log(1 + x)", {"x": (0, None)}),
    ("(exp(x*y) - 1)/(exp(y) - 1) <= x*exp((x - 1)*y)", {"x": (1, None), "y": (0, None)}),
    
    ("1 <= (exp(x) - 1)/x", {"x": (0, 9)}),
)  # fmt: skip


@pytest.mark.parametrize(("text", "region"), CORNERS)
def test_a_bound_that_is_met_at_a_corner_is_seen_by_derivatives(text, region):
    assert proved(text, region, cells=40)
    relation = comparison(text)[0]
    assert not proved(text.replace(f" {relation} ", f" {relation} 9999/10000*"), region, cells=40)


def test_what_is_not_defined_inside_is_not_proved():
    assert not proved("0*log(x) + x <= 2", {"x": (-1, 1)})  # without a cut at 0, which no cell asks for
    assert not proved("x/x <= 1", {"x": (-1, 1)}, cells=1)
    assert not proved("min(x, x + log(x - 5)) <= 2*x + 1", {"x": (0, 1)})


def test_a_narrow_region_is_cut():
    assert proved("min(x - 1, 1001/1000 - x) <= 6/10000", {"x": (1, "1001/1000")})


def test_a_fixed_symbol_is_a_value_of_the_certificate():
    assert proved("k*x <= 3", {"x": (0, 1)}, k=3) and not proved("k*x <= 3", {"x": (0, 1)}, k=4)


def test_a_tree_that_fails_says_why_and_where():
    tie = proof("4*exp(x) <= 4 + exp(2*x)", {"x": (-1, 1)}).tree(200)
    assert tie.cuts is None and tie.why and set(tie.left) == {"x"}
    few = proof("exp(x) <= 101/100+2*x+x^3", {"x": (0, 1)}).tree(1)
    assert few.cuts is None and few.why == "the cells did not suffice"
    sums = proof("sum(i, 1, n, 1/i) <= 2*n", {"n": (1, 9)}).tree(9)
    assert sums.cuts is None and "no rule for sum" in sums.why
    stopped = proof("x <= 1/2 + x^3/3", {"x": (0, 1)}).tree(300, look=lambda point: point["x"] > Fraction(1, 2))
    assert stopped.why == "a point breaks it"


def test_a_cut_is_inside_its_side():
    for low, high in ((None, None), (None, Fraction(-3)), (Fraction(5), None), (Fraction(0), Fraction(1)),
                      (Fraction(1, 10**6), Fraction(1)), (Fraction(-9), Fraction(-1, 10**5)),
                      (Fraction(-1), Fraction(0)), (Fraction(-1), Fraction(2)),
                      (Fraction(2), Fraction(3))):  # fmt: skip
        cut = middle(low, high)
        assert (low is None or low < cut) and (high is None or cut < high)


@pytest.mark.parametrize("low", [None, Fraction(-7), Fraction(3)])
@pytest.mark.parametrize("high", [None, Fraction(5), Fraction(2000)])
def test_points_are_drawn_from_all_of_a_side(low, high):
    """Its ends, what lies between, and far beyond 1000 where it has no end, on both sides of zero where it has none."""
    rng = random.Random(0)
    points = [drawn(rng, low, high) for _ in range(400)]
    least, most = min(points), max(points)
    assert least == low if low is not None else least < -1000
    assert most == high if high is not None else most > 1000
    assert len({*points}) > 50
