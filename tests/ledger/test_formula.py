"""Formulas: read once; text, LaTeX and numbers from the tree; what cannot be read is refused in one line."""

import math
from fractions import Fraction

import pytest
from dpbench_check import parse as read_by_the_checker
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbench.core.validation import InvalidInput
from dpbench.ledger import formula
from dpbench.privacy import gaussian, laplace

LEAVES = st.sampled_from(["x", "y", "2", "3/7", "0.25", "1e-3"]).map(
    lambda t: ("sym", t) if t.isalpha() else ("num", formula.number(t))
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*", "/"]), inner, inner),
        st.tuples(st.sampled_from(["neg", "exp", "abs"]), inner),
        st.tuples(st.just("max"), inner, inner),
        st.tuples(st.just("^"), inner, st.just(("num", Fraction(2)))),
    ),
    max_leaves=12,
)


def plainly(node, values):
    """The value, by the definition of each operator."""
    kind, *parts = node
    if kind in ("num", "sym"):
        return float(parts[0]) if kind == "num" else values[parts[0]]
    a = [plainly(part, values) for part in parts]
    return {
        "+": lambda: a[0] + a[1], "-": lambda: a[0] - a[1], "*": lambda: a[0] * a[1], "/": lambda: a[0] / a[1],
        "^": lambda: a[0] ** a[1], "neg": lambda: -a[0], "exp": lambda: math.exp(a[0]), "abs": lambda: abs(a[0]),
        "max": lambda: max(a),
    }[kind]()  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(TREES)
def test_what_is_written_reads_as_it_was(tree):
    text = formula.write(tree)
    values = {"x": 0.7, "y": 1.3}
    try:
        expected = plainly(tree, values)
    except (ArithmeticError, ValueError):
        return
    again = formula.parse(text)
    assert formula.parse(formula.write(again)) == again
    assert formula.compiled(("x", "y"), {}, [again])(values)[0] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    read_by_the_checker(text)  # the same grammar


def test_decimals_are_exact():
    assert formula.parse("0.1*x") == ("*", ("num", Fraction(1, 10)), ("sym", "x"))
    assert formula.exact("1e-5*x + 1.25") == "(1/100000)*x + (5/4)"
    assert formula.number(0.1) == Fraction(1, 10)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a b", "cannot be read at 'b'"), ("foo(x)", "the function foo"), ("a <= b", "an expression"),
        ("(a", "brackets"), ("৪*x", "character 1"), ("sum(1, 2, 3, 4)", "sum(index, first, last, term)"),
        ("1e999*x", "character 1"), ("x1.5", "character 3"), ("(" * 100 + "x" + ")" * 100, "nested"),
        ("__import__('os')", "character 12"), ("", "its end"), (3, "an expression"), ("x" * 4_001, "characters"),
        ("7" * 401, "digits"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(text, says):
    with pytest.raises(InvalidInput) as caught:
        formula.parse(text)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_floor_ceil_and_log2_are_read_as_formulas_of_the_checker():
    texts = ("floor(x/2)", "ceil(x/2)", "2*ceil(x - 1/2)", "log2(x + 3)", "ceil(log2(ceil(x)))")
    run = formula.compiled(("x",), {}, [formula.parse(text) for text in texts])
    assert run({"x": 5.0}) == pytest.approx((2.0, 3.0, 10.0, 3.0, 3.0), rel=1e-15)
    for text in texts:
        written = formula.exact(text)
        assert read_by_the_checker(written) and formula.parse(written) == formula.parse(text)
    with pytest.raises(InvalidInput, match="the function ceil"):
        formula.parse("ceil(x, 2)")


@pytest.mark.parametrize("shift", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.5, 0.8, 5.0])
def test_deltas_of_formulas_are_those_of_the_laws(shift, epsilon):
    for name, law in (("gaussian_delta", gaussian), ("laplace_delta", laplace)):
        deltas = formula.compiled(("s", "e"), {}, [formula.parse(f"{name}(s, e)")])({"s": shift, "e": epsilon})
        assert deltas == pytest.approx((law.delta(epsilon, shift),), rel=1e-9, abs=1e-15), name


def test_names_are_never_python():
    run = formula.compiled(("lambda", "class"), {"def": formula.parse("lambda + class")}, [formula.parse("def^2")])
    assert run({"lambda": 1.0, "class": 2.0}) == (9.0,)


def test_the_index_of_a_sum_is_its_own():
    node = formula.parse("sum(i, 1, n, i*x)")
    assert formula.names(node) == {"n", "x"}
    assert formula.compiled(("n", "x"), {}, [node])({"n": 4.0, "x": 2.0}) == (20.0,)


def test_definitions_name_what_stands_before_them():
    with pytest.raises(InvalidInput, match=r"the definition of a must be .*unknown: b"):
        formula.in_order(["x"], {"a": formula.parse("b + 1"), "b": formula.parse("x")})
    for taken in ("x", "pi", "rest", "exp"):
        with pytest.raises(InvalidInput, match=rf"the definition of {taken} must be a new name"):
            formula.in_order(["x"], {taken: formula.parse("2")})


def test_numbers_have_at_most_so_many_digits():
    longest = 10**formula._DIGITS - 1
    assert formula.number(longest) == longest and formula.number("1/3") == Fraction(1, 3)
    for wrong in (longest + 1, Fraction(1, longest + 1), True, "1/0", "1e-401", math.inf, "9" * (formula._DIGITS + 1)):
        with pytest.raises(InvalidInput, match="a number must be "):
            formula.number(wrong)


def test_latex():
    assert formula.latex(formula.parse("sqrt(2*log(1/delta))/epsilon_0")) == (
        r"\frac{\sqrt{2 \, \log\left(\frac{1}{\delta}\right)}}{\epsilon_{0}}"
    )
    assert [formula.latex_name(name) for name in ("x_ab", "x_12", "noise_i")] == [
        r"x_{\mathrm{ab}}",
        "x_{12}",
        r"\mathrm{noise}_{i}",
    ]
    assert formula.latex(formula.parse("a - (-b)")) == r"a - \left(-b\right)"
    assert formula.latex(formula.parse("a*(-b)")).endswith(r"\left(-b\right)")
    assert formula.latex(formula.parse("max(a, max(b, c))")) == r"\max\left(a, b, c\right)"
    assert formula.latex(formula.parse("max(max(a, b), c)")) == r"\max\left(\max\left(a, b\right), c\right)"
    assert formula.latex(formula.parse("(a^b)^c")) == r"\left(a^{b}\right)^{c}"
    assert formula.latex(formula.parse("abs(a - b)")) == r"\left|a - b\right|"
    assert formula.latex(formula.parse("floor(a)")) == r"\left\lfloor a\right\rfloor "
    assert formula.latex(formula.parse("sum(i, 1, n, i + a)")) == r"\sum_{i=1}^{n} \left(i + a\right)"
