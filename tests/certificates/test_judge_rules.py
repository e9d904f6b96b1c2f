"""The checker's rules of composition at numbers: what each claims at most is known here without the checker.

A rule that noise or randomised responses attain is held against their exact curves, composed numerically; another
against the formula that its source prints, typed here, or that of dp-accounting. A claim a thousandth larger than what
is known has to be accepted and one a thousandth smaller has not; outside of its range a rule accepts nothing. Every
constant, name, sign and comparison of every rule is changed in turn, and each change must be noticed.
"""

import itertools
import math
import re
from fractions import Fraction

import dpbench_check as checker
import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from flint import fmpq
from scipy import integrate, stats

SHARE = Fraction(1, 1000)
GROUP, ORDER, SHARPER = "renyi, a group of 2^c", "zcdp at an order", "renyi to dp, sharper"
E, D = Fraction(3, 10), Fraction(1, 100)


def node(value):
    """A number as the checker reads it; a text as a formula."""
    return checker.parse(value) if isinstance(value, str) else checker.num(fmpq(*Fraction(value).as_integer_ratio()))


GIVEN = checker.parse("0 < 7", True)  # none of a rule's comparisons, so that it proves none of them


def held(comparison):
    """Whether it holds, or is undefined, as at the end of a region, which is no point of it."""
    scope = checker.Scope({}, {})
    if not all(checker.defined(side, scope) for side in comparison[1:]):
        return True
    return checker.decide(*comparison, scope)


def accepted(rule, steps, times, group, against):
    """Whether every comparison of the rule holds at these numbers."""
    claim = {"rule": rule, "steps": [node(part) for step in steps for part in step], "times": list(map(node, times)),
             "group": node(group), "against": list(map(node, against)), "given": [GIVEN]}  # fmt: skip
    checker.renew()
    try:
        return all(held(one) for part in checker.composed(claim) for one in part)
    except checker.Refused:
        return False


# What is known without the checker


def normal_shift(squares, times, group):
    """The shift of Gaussian noise of scale 1 that T times the squared shift of each step comes to, for k records."""
    return group * math.sqrt(sum(map(math.prod, zip(times, squares, strict=True))))


def normal_delta(shift, epsilon):
    return float(stats.norm.cdf(shift / 2 - epsilon / shift)
                 - math.exp(epsilon) * stats.norm.cdf(-shift / 2 - epsilon / shift))  # fmt: skip


def normal_divergence(shift, alpha):
    """The Renyi divergence of two normal laws, by quadrature."""

    def density(x):
        return math.exp(alpha * stats.norm.logpdf(x, shift) + (1 - alpha) * stats.norm.logpdf(x))

    middle = alpha * shift
    value, _ = integrate.quad(density, middle - 12, middle + 12, epsabs=0, epsrel=1e-10, points=[middle])
    return math.log(value) / (alpha - 1)


def response_delta(steps, epsilon):
    """The delta of randomised responses that fail openly with chance d, over all outcomes of all steps."""
    laws = []
    for e, d in steps:
        likely = 1 / (1 + math.exp(-e))
        kept = [((1 - d) * likely, (1 - d) * (1 - likely)), ((1 - d) * (1 - likely), (1 - d) * likely)]
        laws.append([(d, 0), (0, d), *kept])
    outcomes = ([math.prod(one) for one in zip(*pairs, strict=True)] for pairs in itertools.product(*laws))
    return sum(max(0.0, p - math.exp(epsilon) * q) for p, q in outcomes)


def accountant_epsilon(alpha, tau, delta):
    return rdp_privacy_accountant.compute_epsilon([float(alpha)], [float(tau)], float(delta))[0]


STEPS, TIMES = [Fraction(1, 5), Fraction(1, 2)], [3, 2]
SHIFT = normal_shift([m**2 for m in STEPS], TIMES, 1)  # of mu-GDP steps
NOISE = normal_shift([2 * r for r in STEPS], TIMES, 1)  # of rho-zCDP steps
SUM, SQUARES = (
    sum(map(math.prod, zip(TIMES, STEPS, strict=True))),
    sum(t * e**2 for t, e in zip(TIMES, STEPS, strict=True)),
)
SINGLE, ORDERED, PURE = [(one,) for one in STEPS], [(8, one) for one in STEPS], [(one, 0) for one in STEPS]
DELTAS = [(Fraction(1, 5), Fraction(1, 100)), (Fraction(1, 2), Fraction(1, 50))]
LOST = Fraction(3, 100) + Fraction(2, 50)
RHO = NOISE**2 / 2


def grown(k, epsilon):
    return sum(math.exp(i * epsilon) for i in range(k))


LARGEST = [  # rule, steps, times, group, what is claimed; the last is the least that follows, at most
    ("gdp", SINGLE, TIMES, 1, (SHIFT,)), ("gdp", [(E,)], [4], 3, (6 * float(E),)),
    ("gdp to dp", SINGLE, TIMES, 2, (Fraction(1), normal_delta(2 * SHIFT, 1))),
    ("gdp to zcdp", SINGLE, TIMES, 3, (normal_divergence(3 * SHIFT, 3) / 3,)),
    ("gdp to renyi", SINGLE, TIMES, 3, (4, normal_divergence(3 * SHIFT, 4))),
    ("zcdp", SINGLE, TIMES, 3, (normal_divergence(3 * NOISE, 2) / 2,)),
    ("zcdp to renyi", SINGLE, TIMES, 3, (3, normal_divergence(3 * NOISE, 3))),
    ("zcdp to dp", SINGLE, TIMES, 3, (9 * RHO + 2 * math.sqrt(9 * RHO * math.log(100)), D)),
    (ORDER, SINGLE, TIMES, 3, (accountant_epsilon(3, 3 * 9 * RHO, D), D, 3)),
    ("renyi", ORDERED, TIMES, 1, (8, SUM)), ("renyi", ORDERED, TIMES, 1, (Fraction(3, 2), SUM)),
    (GROUP, ORDERED, TIMES, "2^1", (4, 3 * SUM)),
    (GROUP, ORDERED, TIMES, "2^2", (2, 9 * SUM)),
    (GROUP, ORDERED, TIMES, "2^2", (Fraction(3, 2), 9 * SUM)),
    ("renyi to dp", ORDERED, TIMES, 1, (float(SUM) + math.log(100) / 7, D)),
    (SHARPER, ORDERED, TIMES, 1, (accountant_epsilon(8, SUM, D), D)),
    ("pure to zcdp", PURE, TIMES, 3, (9 * SQUARES / 2,)),
    ("pure to renyi", PURE, TIMES, 3, (4, 4 * 9 * SQUARES / 2)),
    ("basic", DELTAS, TIMES, 1, (SUM, LOST)), ("basic", DELTAS, TIMES, 1, (9, LOST)),
    ("basic", [(E, D)], [2], 3, (9, 3 * math.exp(2 * 2 * E) * 2 * D)),
    ("groups", DELTAS, TIMES, 1, (9, LOST)), ("groups", [(E, D)], [1], 4, (9, grown(4, E) * D)),
    ("groups", [(E, D)], [2], 3, (9, grown(3, 2 * E) * 2 * D)),
    ("optimal", [(E, 0)], [3], 1, (E, response_delta([(E, 0)] * 3, E))),
    ("optimal", [(E, D)], [4], 1, (E, response_delta([(E, D)] * 4, E))),
    ("advanced", DELTAS, TIMES, 1,
     (SQUARES / 2 + math.sqrt(SQUARES) * math.sqrt(2 * math.log(100)), LOST + D)),
]  # fmt: skip
BUDGETS = [  # the same, of the claimed epsilon at which a rule begins to hold
    ("basic", [(E, D)], [2], 3, (6 * E, Fraction(9, 10))), ("groups", [(E, D)], [2], 3, (6 * E, Fraction(9, 10))),
]  # fmt: skip
KEYS = {"zcdp to dp": 0, ORDER: 0, "renyi to dp": 0, SHARPER: 0, "advanced": 0}
"""Of these rules the least epsilon is known at a delta; of the others the last part."""


def at_most(case, by, part=None):
    rule, *steps, against = case
    part = KEYS.get(rule, len(against) - 1) if part is None else part
    return accepted(rule, *steps, [value * (1 + float(by)) if i == part else value for i, value in enumerate(against)])


def test_every_rule_has_a_case():
    assert {case[0] for case in LARGEST} == set(checker.COMPOSITIONS)


def largest(cases=None):
    """Cases of which a thousandth more is not accepted, or a thousandth less is."""
    listed = [(case, None) for case in LARGEST] + [(case, 0) for case in BUDGETS]
    return [case for case, part in listed if cases in (None, case[0])
            and not (at_most(case, SHARE, part) and not at_most(case, -SHARE, part))]  # fmt: skip


RHO_STEP, TAU_STEP, DP_STEP = [(E,)], [(8, E)], [(E, D)]
OUTSIDE = [  # a claim so large that only the range speaks against it
    ("zcdp", RHO_STEP, [0], 1, (9,)), ("zcdp", RHO_STEP, [1], 0, (9,)), ("zcdp", [(-1,)], [1], 1, (9,)),
    ("zcdp", RHO_STEP, [1, 1], 1, (9,)), ("zcdp", RHO_STEP, [], 1, (9,)), ("zcdp", RHO_STEP, [1], 1, (9, 9)),
    ("gdp", [(-1,)], [1], 1, (9,)), ("gdp to zcdp", [(-1,)], [1], 1, (9,)),
    ("gdp to dp", [(E,)], [1], 1, (9, 1)), ("gdp to dp", [(E,)], [1], 1, (-1, Fraction(99, 100))),
    ("gdp to renyi", [(E,)], [1], 1, (1, 9)), ("zcdp to renyi", RHO_STEP, [1], 1, (1, 9)),
    ("pure to renyi", [(E, 0)], [1], 1, (1, 9)), ("pure to renyi", DP_STEP, [1], 1, (2, 9)),
    ("pure to zcdp", DP_STEP, [1], 1, (9,)), ("zcdp to dp", RHO_STEP, [1], 1, (99, 0)),
    ("zcdp to dp", RHO_STEP, [1], 1, (99, 1)), (ORDER, RHO_STEP, [1], 1, (99, 0, 3)),
    (ORDER, RHO_STEP, [1], 1, (99, D, 1)), (ORDER, RHO_STEP, [1], 1, (99, D, Fraction(1, 2))),
    ("renyi", TAU_STEP, [1], 1, (9, 9)), ("renyi", TAU_STEP, [1], 1, (1, 9)), ("renyi", [(1, E)], [1], 1, (1, 9)),
    ("renyi", TAU_STEP, [1], 2, (2, 9)), ("renyi", [(8, E), (9, E)], [1, 1], 1, (2, 9)),
    ("renyi", [(8, -1)], [1], 1, (2, 9)),
    (GROUP, TAU_STEP, [1], "2^2", (3, 99)), (GROUP, TAU_STEP, [1], "2^1", (5, 99)),
    (GROUP, [(3, E)], [1], "2^1", (Fraction(5, 4), 99)),
    (GROUP, [(7, E)], [1], "2^2", (Fraction(5, 4), 99)),
    (GROUP, TAU_STEP, [1], "2^2", (1, 99)), (GROUP, TAU_STEP, [1], 2, (2, 99)),
    (GROUP, [(81, E)], [1], "3^2", (2, 99)),
    ("renyi to dp", TAU_STEP, [1], 1, (99, 0)), ("renyi to dp", TAU_STEP, [1], 2, (99, D)),
    ("renyi to dp", [(1, E)], [1], 1, (99, D)),
    (SHARPER, TAU_STEP, [1], 1, (99, 0)), (SHARPER, TAU_STEP, [1], 2, (99, D)),
    ("basic", DP_STEP, [1], 1, (9, 1)), ("basic", [(-1, D)], [1], 1, (9, E)), ("basic", [(E, -1)], [1], 1, (9, E)),
    ("basic", [(E, 1)], [1], 1, (9, 1)), ("groups", [(0, D)], [1], 2, (9, E)),
    ("optimal", DP_STEP, [1], 2, (9, E)), ("optimal", DP_STEP, [101], 1, (99, Fraction(9, 10))),
    ("optimal", DP_STEP, [Fraction(3, 2)], 1, (9, E)), ("optimal", [*DP_STEP, *DP_STEP], [1, 1], 1, (9, E)),
    ("advanced", DP_STEP, [1], 2, (99, E)), ("advanced", DP_STEP, [4], 1, (99, 4 * D)),
    ("none", RHO_STEP, [1], 1, (9,)),
]  # fmt: skip
INSIDE = [  # the ends of the ranges, which hold
    (GROUP, [(8, E)], [1], "2^2", (2, 99)), (GROUP, [(8, E)], [1], "2^0", (8, E)),
    ("renyi", TAU_STEP, [1], 1, (8, E)), ("zcdp", RHO_STEP, [1], 1, (E,)), ("zcdp", [(0,)], [1], 1, (0,)),
    ("optimal", DP_STEP, [100], 1, (99, Fraction(9, 10))),
    ("basic", [(E, 0)], [1], 1, (E, 0)), ("basic", [(0, 0)], [1], 1, (0, 0)),
    ("gdp to dp", [(E,)], [1], 1, (0, Fraction(1, 5))), ("pure to zcdp", [(0, 0)], [1], 1, (0,)),
]  # fmt: skip


def ranges(cases=None):
    kept = [case for case in OUTSIDE if cases in (None, case[0]) and accepted(*case)]
    return kept + [case for case in INSIDE if cases in (None, case[0]) and not accepted(*case)]


@pytest.mark.parametrize("rule", checker.COMPOSITIONS)
def test_a_rule_claims_what_is_known_and_no_more(rule):
    assert not largest(rule)
    assert not ranges(rule)


def test_what_is_no_rule_of_these_steps_is_refused():
    assert not ranges("none")


SAME = {f"{one} <= 0" for one in ("Q_delta", "R_delta")} | {f"0 < {one}" for one in ("Q_epsilon", "R_epsilon")}
"""What says the same of parts that are 0 or more."""


def changed(texts):
    """The comparisons of a rule, each with one number, name, sign or function changed, or left out."""
    for place, text in enumerate(texts):
        yield "left out: " + text, [*texts[:place], *texts[place + 1 :]]
        for token in re.finditer(r"[A-Za-z_]+|\d+| [-+] |[*/^]|<=", text):
            more = {"*": "/", "/": "*", "^": "*", " + ": " - ", " - ": " + ", "log": "sqrt", "sqrt": "abs"}
            said = token.group()
            others = (
                [str(int(said) + 1), str(int(said) - 1)] if said.isdigit() else [more[said]] if said in more else []
            )
            others += [by + said[1:] for by in "SQR" if said[:2] in ("S_", "Q_", "R_") and by != said[0]]
            others += ["1", "2"] if said in ("k", "c", "order", "alpha", "each_delta", "n") else []
            for other in others:
                new = text[: token.start()] + other + text[token.end() :]
                yield f"{text} -> {new}", [*texts[:place], new, *texts[place + 1 :]]


@pytest.mark.parametrize("rule", checker.COMPOSITIONS)
def test_each_change_of_a_rule_is_noticed(rule, monkeypatch):
    each, whole, texts, source = checker.COMPOSITIONS[rule]
    unseen = []
    for what, planted in changed(texts):
        monkeypatch.setitem(checker.COMPOSITIONS, rule, (each, whole, planted, source))
        unseen += [] if largest(rule) or ranges(rule) else [what]
    assert not [what for what in unseen if what.partition(" -> ")[2] not in SAME]


# What the rules share: times and groups, the sums over steps, randomised responses

COUNTS = [  # times or group, whether it is a whole number: T and n are integers from 1 and -3, c is 2, x is real
    ("T", True), ("n", True), ("c", True), ("2*T - n", True), ("-n", True), ("min(T, max(n, 3))", True), ("2^T", True),
    ("2^(c*T + 1)", True), ("integer_part(x)", True), ("integer_part(x/2) + 1", True), ("whole", True),
    ("x", False), ("T/2", False), ("3/2", False), ("2^n", False), ("2^(T - 5)", False), ("2^-T", False),
    ("2^x", False), ("x^2", False), ("2^integer_part(x)", False), ("exp(T)", False), ("sqrt(T)", False),
    ("part", False), ("2^min(T, n)", False), ("(1/2)^T", False), ("abs(n)", False), ("half", False), ("T*half", False),
]  # fmt: skip


def counts():
    """Formulas that are taken for whole numbers and are none, or the other way round; symbols that are said to be."""
    definitions = {"whole": checker.parse("2*T + c"), "part": checker.parse("T/2")}
    values = {"c": fmpq(2), "half": fmpq(1, 2)}
    region = {"T": ["1", "9"], "n": ["-3", "inf"], "x": ["1", "9"], "m": ["-inf", "0"]}
    witness = {"T": "1", "n": "-1", "x": "3/2", "m": "-1"}
    wrong, integers = [], ["T", "n", "c", "m"]
    said = [*((text, wanted, integers) for text, wanted in COUNTS), ("1", False, ["x"]), ("1", False, ["half"]),
            ("1", False, ["whole"]), ("1", False, ["none"]), ("2^m", False, integers), ("T", False, ["c"])]  # fmt: skip
    for (text, wanted, listed), place in itertools.product(said, ("times", "group")):
        claim = {"times": [node(1)], "group": node(1), "integers": listed, "region": region, "witness": witness}
        claim[place] = [node(text)] if place == "times" else node(text)
        try:
            checker.counted(claim, checker.Scope(values, definitions))
            held = True
        except checker.Refused:
            held = False
        wrong += [] if held == wanted else [(text, place)]
    return wrong


def test_times_and_groups_are_whole_numbers():
    assert not counts()
