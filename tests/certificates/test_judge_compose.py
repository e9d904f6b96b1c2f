"""`compose`: what steps within a notion come to, by the checker's rules; a twin whose constant is wrong is refuted.

A rule is a fact of the literature. Here it is held against mechanisms that attain it: the second checker
(`tests/naive/certificates.py`) asks Gaussian noise, randomised responses and events of a small chance, and the
package's own composition, which rounds up, has the optimal (ε, δ).
"""

import copy
import functools
import json
import math
import re
from pathlib import Path

import dpbench_check
import pytest
from naive.certificates import true
from whole_certificates import report

import dpbench
from dpbench.certificates import judge as module
from dpbench.certificates.build import seal
from dpbench.core.validation import InvalidInput
from dpbench.ledger.formula import exact
from dpbench.privacy.composition import optimal

STEPS = {"T": {"integer": [1, 1000]}}
MU, RHO, EPS = {"m": {"real": ["1/100", 1]}}, {"r": {"real": ["1/1000", 4]}}, {"e": {"real": ["1/100", 2]}}
LOG = {"L": {"real": ["7/10", 60]}}
RENYI = {"a": {"real": [2, 40]}, "t": {"real": ["1/100", 5]}}


def theorem(symbols, piece, claim, **more):
    listed = piece if isinstance(piece, list) else [piece]
    named = {f"p{i}": one for i, one in enumerate(listed)}
    return {"id": "case", "symbols": symbols, "pieces": named,
            "claim": {"compose": {"piece": [*named], **claim}}, **more}  # fmt: skip


CASES = {  # the rule, the theorem, and a part of the claim that makes it false
    "gdp": ({**STEPS, **MU}, {"mu": "m"}, {"times": "T", "mu": "sqrt(T)*m"}, {"mu": "0.97*sqrt(T)*m"}),
    "gdp to dp": ({"T": {"integer": [1, 60]}, **MU}, {"mu": "m"},
                  {"times": "T", "epsilon": "1", "delta": "gaussian_delta(sqrt(T)*m, 1)"},
                  {"delta": "0.97*gaussian_delta(sqrt(T)*m, 1)"}),
    "gdp to zcdp": ({"k": {"integer": [1, 9]}, **MU}, {"mu": "m"}, {"group": "k", "rho": "k^2*m^2/2"},
                    {"rho": "k^2*m^2*0.48"}),
    "gdp to renyi": ({**MU, **RENYI}, [{"mu": "m"}, {"mu": "2*m"}], {"alpha": "a", "tau": "5*a*m^2/2"},
                     {"tau": "4.9*a*m^2/2"}),
    "zcdp": ({**STEPS, **RHO}, [{"rho": "r"}, {"rho": "r^2"}], {"times": ["T", "2"], "rho": "T*r + 2*r^2"},
             {"rho": "T*r + 1.9*r^2"}),
    "zcdp to renyi": ({**RENYI, **RHO}, {"rho": "r"}, {"alpha": "a", "tau": "a*r"}, {"tau": "0.98*a*r"}),
    "optimal": ({"e": {"real": ["1/10", 1]}}, {"epsilon": "e"}, {"times": "6", "epsilon": "3*e", "delta": "9*e/25"},
                {"delta": "0.97*9*e/25"}),
    "zcdp at an order": ({**RHO, **LOG}, {"rho": "r^2"},
                         {"epsilon": "r^2 + 2*r*L", "delta": "exp(-L^2)", "order": "1 + L/r"},
                         {"epsilon": "r^2 + 1.9*r*L"}),
    "renyi": ({**STEPS, **RENYI}, {"alpha": "a", "tau": "t"}, {"times": "T", "alpha": "a - 1/2", "tau": "T*t"},
              {"alpha": "a", "tau": "0.97*T*t"}),
    "renyi, a group of 2^c": ({"c": {"integer": [0, 5]}, **RENYI}, {"alpha": "a*2^(c + 1)", "tau": "t"},
                              {"group": "2^c", "alpha": "a", "tau": "3^c*t"}, {"tau": "t/3"}),
    "groups": ({"k": {"integer": [1, 9]}, **EPS}, {"epsilon": "e/k", "delta": "1/10^6"},
               {"group": "k", "epsilon": "e", "delta": "(exp(e) - 1)/(exp(e/k) - 1)/10^6"},
               {"delta": "0.97*(exp(e) - 1)/(exp(e/k) - 1)/10^6"}),
    "pure to zcdp": ({**STEPS, **EPS}, {"epsilon": "e"}, {"times": "T", "rho": "T*e^2/2"}, {"rho": "T*e^2*0.48"}),
    "pure to renyi": ({**RENYI, **EPS}, {"epsilon": "e"}, {"alpha": "a", "tau": "a*e^2/2"}, {"tau": "a*e^2*0.48"}),
    "basic": ({**STEPS, **EPS}, [{"epsilon": "e", "delta": "1/10^6"}, {"epsilon": "2*e", "delta": "1/10^7"}],
              {"times": ["T", "2"], "epsilon": "(T + 4)*e", "delta": "T/10^6 + 1/10^6"}, {"epsilon": "0.97*(T + 4)*e"}),
    "zcdp to dp": ({**RHO, **LOG}, {"rho": "r"}, {"epsilon": "r + 2*sqrt(r*L)", "delta": "exp(-L)"},
                   {"epsilon": "r + 1.8*sqrt(r*L)"}),
    "renyi to dp": ({**RENYI, **LOG}, {"alpha": "a", "tau": "t"}, {"epsilon": "t + L/(a - 1)", "delta": "exp(-L)"},
                    {"epsilon": "t + L/(8*a - 1)"}),
    "advanced": ({**STEPS, **EPS, **LOG}, {"epsilon": "e", "delta": "1/10^9"},
                 {"times": "T", "epsilon": "e*sqrt(2*T*L) + T*e*(exp(e) - 1)", "delta": "T/10^9 + exp(-L)"},
                 {"epsilon": "e*sqrt(0.4*T*L) + T*e*(exp(e) - 1)"}),
}  # fmt: skip


@pytest.mark.few(8)
@pytest.mark.parametrize("rule", CASES)
def test_each_rule_is_proved_and_its_twin_refuted(rule):
    symbols, piece, claim, wrong = CASES[rule]
    right = dpbench.judge(theorem(symbols, piece, claim))
    assert right.verdict == "proved", (right, right.searched)
    (certificate,) = right.certificates
    answer = report(certificate)
    assert certificate["kind"] == "composition" and certificate["claim"]["rule"] == rule
    assert answer["accepted"] and "by a fact" in answer["line"] and true(certificate)
    twin = dpbench.judge(theorem(symbols, piece, {**claim, **wrong}))
    assert twin.verdict == "refuted" and all(map(true, twin.certificates))
    changed = copy.deepcopy(certificate)  # the twin's claim with the cuts of the true one
    keys = dpbench_check.COMPOSITIONS[rule][1].split()
    changed["claim"]["against"] = [exact(wrong[key]) if key in wrong else text
                                   for key, text in zip(keys, changed["claim"]["against"], strict=True)]  # fmt: skip
    changed["digest"] = seal(changed)
    assert not report(changed)["accepted"] and not true(changed)


def test_a_rule_ends_at_a_point_where_what_it_needs_is_false(monkeypatch):
    """Forty points are looked at; without the end of a rule that is tried in vain they were 7,541."""
    points, breaks = [], module._breaks
    monkeypatch.setattr(module, "_breaks", lambda *given: points.append(given[-1]) or breaks(*given))
    symbols, piece, claim, _ = CASES["optimal"]
    assert dpbench.judge(theorem(symbols, piece, claim)).verdict == "proved"
    assert 1 <= len(points) < 500


def test_every_rule_has_a_case():
    assert set(CASES) | {"renyi to dp, sharper"} == set(dpbench_check.COMPOSITIONS)


@pytest.mark.parametrize(("e", "d", "n"), [(0.3, 0.0, 7), (1.0, 1e-3, 4), (0.1, 1e-5, 20)])
def test_the_optimal_composition_is_that_of_the_package(e, d, n):
    """delta(epsilon) by the checker's formula, and by `dpbench.privacy`, which rounds up."""
    whole = optimal([(e, d)] * n, why="the same steps")
    for epsilon in (0.0, e, 2.5 * e):
        values = {"rule": "optimal", "times": ["n"], "steps": ["e", "d"], "against": ["E", "D"], "given": []}
        read = {key: [dpbench_check.parse(t) for t in part] for key, part in values.items() if isinstance(part, list)}
        read["times"] = [dpbench_check.num(n)]
        _, needs = dpbench_check.composed({**values, **read, "group": dpbench_check.ONE})
        numbers = {"e": e, "d": d, "E": epsilon}
        scope = dpbench_check.Scope({k: dpbench_check.fmpq(*v.as_integer_ratio()) for k, v in numbers.items()}, {})
        exact = float(dpbench_check.arb(dpbench_check.evaluate(needs[1][1], scope)))
        assert math.isclose(exact, whole.delta(epsilon), rel_tol=1e-3, abs_tol=1e-6)


@functools.cache
def sealed():
    """T steps that are r-zCDP are T r-zCDP."""
    made = dpbench.judge(theorem({**STEPS, **RHO}, {"rho": "r"}, {"times": "T", "rho": "T*r"}), seconds=60.0)
    return json.dumps(made.certificates[0])


def forged(change, **more):
    """The certificate with parts of its claim changed: what the checker says of it."""
    certificate = json.loads(sealed()) | more
    certificate["claim"] |= change
    answer = report(certificate | {"digest": seal(certificate)})
    assert not answer["accepted"]
    return answer["because"]


@pytest.mark.parametrize(
    ("change", "why"),
    [({"rule": "none"}, "no such rule"), ({"rule": "zcdp to dp"}, "parts of what is claimed"),
     ({"times": ["T", "T"]}, "of each step"), ({"times": []}, "of each step"), ({"steps": ["-r"]}, "not seen"),
     ({"group": "1/2"}, "whole numbers"), ({"group": "2"}, "not seen"), ({"times": ["2*T"]}, "not seen"),
     ({"rule": ["zcdp"]}, "documented form"), ({"times": ["3/2"]}, "whole numbers"),
     ({"integers": []}, "whole numbers"), ({"times": ["T/2"]}, "whole numbers"),
     ({"times": ["r"], "integers": ["r"]}, "another value"),
     ({"times": ["T*2^(1 - T)"]}, "whole numbers"), ({"group": "2^r"}, "whole numbers"),
     ({"integers": ["T", "s"]}, "is a symbol"), ({"neighbours": "any"}, "neighbours are")],
)  # fmt: skip
def test_the_checker_refuses_what_does_not_follow(change, why):
    assert why in forged(change)


@pytest.mark.parametrize(
    ("piece", "claim", "why"),
    [({"rho": "r"}, {"mu": "r"}, "a notion that gives"),
     ({"rho": "r"}, {"rho": "r", "relation": "remove"}, "relation must be replace or add_remove"),
     ({"mu": "r"}, {"epsilon": "r", "delta": "1/2", "order": "2"}, "a notion that gives"),
     ({"rho": "r"}, {"rho": "r", "order": "2"}, "a notion that gives"),
     ([{"rho": "r"}, {"mu": "r"}], {"rho": "r"}, "one notion"),
     ({"rho": "r"}, {"times": ["2", "3"], "rho": "r"}, "one number for each"),
     ([{"alpha": "2", "tau": "r"}, {"alpha": "3", "tau": "r"}], {"alpha": "2", "tau": "r"}, "one order")],
)  # fmt: skip
def test_what_no_rule_fits_is_refused_in_a_sentence(piece, claim, why):
    more = {"relation": claim["relation"]} if "relation" in claim else {}
    with pytest.raises(InvalidInput, match=why):
        dpbench.judge(theorem(RHO, piece, {key: claim[key] for key in claim if key not in more}, **more))


@pytest.mark.parametrize(("order", "proved"), [("2", True), ("1", False), ("1/2", False), ("2 + r", True)])
def test_an_order_is_above_1(order, proved):
    claim = {"epsilon": "9 + 99*r", "delta": "1/2", "order": order}
    seconds = 30.0 if proved else 2.0
    assert (dpbench.judge(theorem(RHO, {"rho": "r"}, claim), seconds=seconds).verdict == "proved") == proved


def test_open_ends_of_orders_are_hypotheses_and_a_reason_names_what_is_not_seen():
    symbols, piece = {"a": {"real": [1, 10]}, "t": {"real": [0, 5]}}, {"alpha": "a", "tau": "t"}
    claim = {"times": 2, "alpha": "a", "tau": "2*t"}
    proved = dpbench.judge(theorem(symbols, piece, claim, region={"a": "(1, 10]"}), seconds=30.0)
    assert proved.verdict == "proved" and true(proved.certificates[0])
    wide = {**symbols, "a": {"real": ["1/2", 10]}}
    assert dpbench.judge(theorem(wide, piece, claim, given={"above": "a > 1"})).verdict == "proved"
    undecided = dpbench.judge(theorem(symbols, piece, claim), seconds=2.0)
    assert undecided.verdict != "proved" and "1 < a, which is not seen" in str(undecided)


def test_each_rule_says_why_it_does_not_do():
    claim = {"times": "5", "epsilon": "5*e", "delta": "1 - (1 - d)^5"}
    symbols = {**EPS, "d": {"real": [0, "1/10"]}}
    why = dpbench.judge(theorem(symbols, {"epsilon": "e", "delta": "d"}, claim), seconds=0.5).searched["why"]
    assert {one.partition(":")[0] for one in why} == {"basic", "groups", "optimal", "advanced"}


def test_the_guide_shows_a_composition_that_is_proved(tmp_path):
    text = (Path(__file__).parents[2] / "docs/guide/judge.md").read_text(encoding="utf-8")
    (file,) = re.findall(r"```toml\n(# steps.toml\n.*?)```", text, re.DOTALL)
    (tmp_path / "steps.toml").write_text(file)
    assert dpbench.judge(tmp_path / "steps.toml").verdict == "proved"


@pytest.mark.parametrize(
    ("claim", "why"),
    [({"times": "3/2"}, "times must be"), ({"times": "T + 1/2"}, "times must be"),
     ({"times": "T/m"}, "times must be"), ({"group": "3/2"}, "group must be"),
     ({"group": "2^r"}, "group must be"), ({"times": "2^(T - 5)"}, "times must be"),
     ({"times": "0"}, "at least 1"), ({"times": "z"}, "at least 1")],
)  # fmt: skip
def test_times_and_groups_are_whole_numbers(claim, why):
    symbols = {**STEPS, **RHO, "m": {"integer": [1, 100]}, "z": {"integer": [0, 10]}}
    with pytest.raises(InvalidInput, match=why):
        dpbench.judge(theorem(symbols, {"rho": "r"}, {"rho": "2*T*r*m*z", **claim}))


def test_a_group_of_three_is_no_power_of_two():
    """Forged: 2^c with c = log(3)/log(2)."""
    assert "whole numbers: 2^d" in forged({"group": "2^d"}, definitions=[["d", "log(3)/log(2)"]])


@pytest.mark.few(1)
@pytest.mark.parametrize("index", ["j", "alpha", "i"])
def test_the_index_of_a_sum_may_be_any_name(index):
    claim = {"times": "3", "epsilon": "3*e", "delta": f"sum({index}, 1, 4, 1/10^6)"}
    assert dpbench.judge(theorem(EPS, {"epsilon": "e", "delta": "1/10^6"}, claim)).verdict == "proved"


def test_the_certificate_says_what_is_whole_and_what_names_mean():
    judgement = dpbench.judge(theorem({**STEPS, **RHO}, {"rho": "r"}, {"times": "n", "rho": "n*r"},
                                 where={"n": "max(ceil(T/2), 1)"}), seconds=4.0)  # fmt: skip
    assert judgement.verdict == "proved" and "a record replaced, in steps and whole" in judgement.text
    line = report(judgement.certificates[0])["line"]
    assert "integers T, " in line and ", n being max(" in line and "(a record replaced)" in line


@pytest.mark.parametrize(
    ("pieces", "why"),
    [({"first": {"rho": "r"}, "second": {"rhoo": "q", "banana": "sdfs(("}}, "list of all pieces"),
     ({"first": {}}, "a step")],
)  # fmt: skip
def test_pieces_that_are_not_used_or_empty_are_refused(pieces, why):
    with pytest.raises(InvalidInput, match=why):
        dpbench.judge({"id": "case", "symbols": RHO, "pieces": pieces,
                       "claim": {"compose": {"piece": "first", "rho": "r"}}})  # fmt: skip
