"""`judge` proves nothing false and nothing of no point: theorems that an author types by accident, and their kinds.

Each is false, or says nothing; a few twins beside them are true, so that what refuses the others is what is wrong.
"""

import itertools
import json
import time

import pytest
from dpbench_check import WHEREVER
from whole_certificates import report

import dpbench
from dpbench.certificates import judge as module
from dpbench.certificates.regions import EFFORT, Proof
from dpbench.cli import run
from dpbench.core.validation import InvalidInput

D12 = {"d": {"real": [1, 2]}}
E01 = {"x": {"real": [0, 1]}}
RECORDS = {"a": {"real": [0, 1]}, "b": {"real": [0, 3]}}
ORDER = {"alpha": {"real": ["1/2", 1]}}
REFUTED, VACUOUS, LEFT = ("refuted",), ("vacuous",), ("undecided", "not refuted")
PAIR = {"shift": "a - b", "scale": "1"}


def judged(symbols, claim, seconds=10.0, **more):
    return dpbench.judge({"id": "case", "symbols": symbols, "claim": claim, **more}, seconds=seconds)


def pair(kind, **claim):
    return {kind: claim}


def weights(p, q, **against):
    return {"discrete": {"p": p, "q": q, **(against or {"epsilon": "1"})}}


def sides(left, relation, right):
    return {"inequality": {"left": left, "relation": relation, "right": right}}


CASES = {
    # a shift below 0, a scale that is not above it
    "laplace, a-b": (REFUTED, RECORDS, pair("laplace", **PAIR, epsilon="1"), {}),
    "gaussian, a-b": (REFUTED, RECORDS, pair("gaussian", **PAIR, mu="1"), {}),
    "zcdp, a-b": (REFUTED, RECORDS, pair("laplace", **PAIR, rho="1/4"), {}),
    "renyi, a-b": (REFUTED, RECORDS, pair("gaussian", **PAIR, alpha="2", tau="4"), {}),
    "a-b, delta": (REFUTED, RECORDS, pair("gaussian", **PAIR, epsilon="1", delta="1/10"), {}),
    "gdp, laplace, a-b": (REFUTED, RECORDS, pair("laplace", **PAIR, mu="1"), {}),
    "sample, a-b": (REFUTED, RECORDS, {"mixture": {**PAIR, "rate": "1/2", "epsilon": "1/2", "delta": "1/10"}},
                          {"relation": "remove"}),
    "ends swapped": (REFUTED, {"low": {"real": [1, 5]}, "high": {"real": [0, 1]}, "n": {"integer": [1, 100]}},
                     pair("laplace", shift="(high - low)/n", scale="1/(1000*n)", epsilon="1/1000"), {}),
    "a negative scale": (VACUOUS, E01, pair("laplace", shift="1 + x", scale="x - 2", epsilon="1/100"), {}),
    "negative scale, zcdp": (VACUOUS, E01, pair("gaussian", shift="1 + x", scale="x - 2", rho="1"), {}),
    "scale, both signs": (LEFT, {"x": {"real": [-1, 1]}}, pair("laplace", shift="0", scale="x", epsilon="1"), {}),
    "scale 0": (VACUOUS, E01, pair("gaussian", shift="x", scale="0*x", rho="1"), {}),
    # strict and not
    "given <=, claimed <": (LEFT + REFUTED, {**E01, "y": {"real": [0, 1]}}, sides("x^2", "<", "y^3"),
                            {"given": {"h": "x^2 <= y^3"}}),
    "given >=, claimed >": (LEFT + REFUTED, {**E01, "y": {"real": [0, 1]}}, sides("y^3", ">", "x^2"),
                            {"given": {"h": "y^3 >= x^2"}}),
    "met at an end": (LEFT + REFUTED, E01, sides("x^2", "<", "1"), {}),
    "equal": (LEFT + REFUTED, E01, sides("x/(1 + x)", "<", "1 - 1/(1 + x)"), {}),
    # what is no law
    "missing outcome": (LEFT, {"x": {"real": ["0.1", "0.9"]}}, weights(["1 - (x - 3/10)^2", "0"], ["1", "0"]),
                              {}),
    "missing outcome, no symbol": (LEFT, E01, weights(["3/10", "3/10"], ["1/2", "1/2"]), {}),
    "missing outcome, zcdp": (LEFT, E01, weights(["1/2 - x/9", "1/2"], ["1/2", "1/2"], rho="5"), {}),
    "missing outcome, gdp": (LEFT, E01, weights(["1/2 - x/9", "1/2"], ["1/2", "1/2"], mu="5"), {}),
    "a negative weight": (VACUOUS, {"x": {"real": [2, 3]}}, weights(["1 - x", "rest"], ["1/2", "rest"]), {}),
    "a negative rest": (VACUOUS, {"x": {"real": [2, 3]}}, weights(["x", "rest"], ["1/2", "rest"], rho="9"), {}),
    "weight, both signs": (LEFT, {"x": {"real": [-1, 1]}}, weights(["x", "rest"], ["x", "rest"]), {}),
    "chance above 1": (VACUOUS, E01, {"event": {"p": "2 + x", "q": "2 + x", "epsilon": "1"}}, {}),
    "chance below 0": (VACUOUS, E01, {"event": {"p": "-1 - x", "q": "1/2", "epsilon": "1"}}, {}),
    "chance about 1": (LEFT, {"x": {"real": [0, 2]}}, {"event": {"p": "x", "q": "x", "epsilon": "1"}}, {}),
    "rate above 1": (VACUOUS, E01, {"mixture": {"rate": "2 + x", "shift": "1", "scale": "1", "mu": "3"}},
                       {"relation": "add_remove"}),
    "rate below 0": (LEFT, {"w": {"real": [-1, "1/2"]}}, {"mixture": {
        "rate": "w", "shift": "1", "scale": "2", "epsilon": "1/2", "delta": "1/5"}}, {"relation": "add"}),
    "no event gains": (LEFT, {"w": {"real": [0, "1/10"]}}, {"mixture": {
        "rate": "w", "shift": "1", "scale": "2", "epsilon": "1", "delta": "1/5"}}, {"relation": "add"}),
    "one order alone": (LEFT + REFUTED, {"x": {"real": ["1/20", "1/10"]}},
                                  weights(["1", "0"], ["1 - x", "x"], mu="1"), {}),
    # what grows, and what falls
    "falls, not grows": (LEFT, {"x": {"real": [0, "inf"]}}, {"order": {"quantity": "1/x", "in": "x"}},
                             {"region": {"x": "(0, inf)"}}),
    "grows, not falls": (LEFT, E01, {"order": {"quantity": "x", "in": "x", "moves": "falls"}}, {}),
    "falls": (REFUTED, E01, {"order": {"quantity": "1/x", "in": "x", "moves": "falls"}}, {}),
    # budgets, orders
    "orders to 1": (VACUOUS, ORDER, pair("laplace", shift="5", scale="1", alpha="alpha", tau="1/1000"), {}),
    "order 1/2": (VACUOUS, E01, pair("gaussian", shift="5 + x", scale="1", alpha="1/2", tau="1/1000"), {}),
    "orders about 1": (LEFT, {"a": {"real": ["1/2", 2]}},
                       pair("gaussian", shift="1", scale="1", alpha="a", tau="2"), {}),
    "delta above 1": (VACUOUS, D12, pair("gaussian", shift="100", scale="1", epsilon="1", delta="d"), {}),
    "delta about 1": (LEFT, D12, pair("gaussian", shift="1", scale="1", epsilon="1", delta="d/2"), {}),
    "a negative epsilon": (VACUOUS, {"e": {"real": [1, 2]}}, pair("laplace", shift="0", scale="1", epsilon="-e"), {}),
    "a negative delta": (VACUOUS, D12, pair("gaussian", shift="1", scale="9", epsilon="1", delta="-d"), {}),
    # no point
    "a contradiction": (VACUOUS, E01, sides("x + 1", "<=", "x"), {"given": {"h": "x > 2"}}),
    "two contradict": (VACUOUS, {**E01, "y": {"real": [0, 1]}}, sides("x + 1", "<=", "x"),
                            {"given": {"h": "x > 3/4 + y", "k": "x < 1/4 + y"}}),
    "an open point": (VACUOUS, E01, sides("x + 1", "<=", "x"), {"region": {"x": "(1, 1)"}}),
    "no integer": (VACUOUS, {"n": {"integer": [1, 2]}}, sides("n + 1", "<=", "n"), {"region": {"n": "(1, 2)"}}),
    "undefined": (VACUOUS, E01, sides("min(x, x + log(x - 5))", "<=", "x^2 + 1"), {}),
    "undefined, times 0": (VACUOUS, E01, sides("x + 0*sqrt(-1 - x)", "<=", "x^2 + 1"), {}),
    "growth, no point": (VACUOUS, {"n": {"real": [1, "inf"]}, **E01}, {"order": {"quantity": "n*x", "in": "n"}},
                             {"given": {"h": "x > 2"}}),
}  # fmt: skip


REFUSED = {
    "growth to end": ("claim.order.in", {"x": {"real": [1, 100]}}, {"order": {"quantity": "x", "in": "x"}}, {}),
    "growth below 0": ("claim.order.in", {"x": {"real": [-9, "inf"]}}, {"order": {"quantity": "-x", "in": "x"}},
                            {}),
    "growth from -inf": ("claim.order.in", {"x": {"real": ["-inf", "inf"]}},
                         {"order": {"quantity": "x", "in": "x"}}, {}),
    "fall to end": ("claim.order.in", D12, {"order": {"quantity": "d", "in": "d", "moves": "falls"}}, {}),
    "integer falls": ("claim.order.in", {"n": {"integer": [0, 9]}},
                              {"order": {"quantity": "n", "in": "n", "moves": "falls"}}, {}),
    "one order": ("relation must be replace", {"x": {"real": ["1/20", "1/10"]}},
                            weights(["1", "0"], ["1 - x", "x"], mu="1"), {"relation": "add"}),
    "one event, mu": ("a key of claim.event", E01, {"event": {"p": "1", "q": "1 - x/9", "mu": "1"}}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_say_another_thing_is_refused(name):
    why, symbols, claim, more = REFUSED[name]
    with pytest.raises(InvalidInput, match=why):
        judged(symbols, claim, **more)


@pytest.mark.parametrize("name", CASES)
def test_what_is_false_or_says_nothing_is_not_proved(name):
    wanted, symbols, claim, more = CASES[name]
    seconds = {REFUTED: 60.0, LEFT: 0.5}.get(wanted, 1.0)  # a search ends with what it finds
    judgement = judged(symbols, claim, seconds, **more)
    assert judgement.verdict in wanted and str(judgement).startswith(f"case: {judgement.verdict} ")
    assert judgement.verdict != "refuted" or report(judgement.certificates[0])["accepted"]
    assert judgement.verdict == "refuted" or judgement.searched["why"] or "order" in claim


TWINS = {
    "equality given": ("x <= y", {"x": {"real": [1, 2]}, "y": {"real": [1, 9]}}, sides("y", "<=", "x + 1"),
                             {"given": {"h": "x = y"}}),
    "laplace, a-b": ("3", RECORDS, pair("laplace", **PAIR, epsilon="3"), {}),
    "gaussian, a-b": ("3", RECORDS, pair("gaussian", **PAIR, mu="3"), {}),
    "a + b": ("0 <= a + b", RECORDS, pair("laplace", shift="a + b", scale="1", epsilon="4"), {}),
    "law by parts": ("0 <=", {"x": {"real": ["0.1", "0.9"]}},
                           weights(["x/2", "(1 - x)/2", "1/2"], ["1/2", "x/2", "(1 - x)/2"], epsilon="5/2"), {}),
    "orders above 1": ("alpha", {"alpha": {"real": [1, 2]}},
                       pair("gaussian", shift="1", scale="1", alpha="alpha", tau="1"), {"region": {"alpha": "(1, 2]"}}),
}  # fmt: skip


@pytest.mark.parametrize("name", TWINS)
def test_the_twins_are_proved_and_the_certificate_says_what_was_needed(name):
    said, symbols, claim, more = TWINS[name]
    judgement = judged(symbols, claim, 4.0, **more)
    assert judgement.verdict == "proved", judgement
    assert said in report(judgement.certificates[0])["line"]


def test_proved_is_said_only_of_what_the_checker_accepts(monkeypatch):
    """Planted: a maker whose certificate the checker refuses, and one that finds no witness."""
    theorem = E01, sides("x^2", "<=", "x + 1")
    assert judged(*theorem, 30.0).verdict == "proved"
    with monkeypatch.context() as patched:
        patched.setattr(module, "report", lambda one: {"accepted": False, "because": "planted"})
        judgement = judged(*theorem, 1.0)
        assert judgement.verdict == "not refuted" and "planted" in str(judgement) and not judgement.certificates
    monkeypatch.setattr(Proof, "witness", lambda *_: None)
    assert judged(*theorem, 1.0).verdict == "not refuted"


def test_what_the_search_missed_is_found_by_the_cells(monkeypatch):
    """Planted: a search that looks at no point."""
    monkeypatch.setattr(module.Hunt, "run", lambda hunt, **budget: None)
    symbols = {"x": {"real": ["1/2", 2]}, "n": {"integer": [1, 9]}}
    judgement = judged(symbols, sides("x*n", "<=", "12"))
    assert judgement.verdict == "refuted" and judgement.ratio > 1.0, judgement
    assert report(judgement.certificates[0])["accepted"]
    assert judged(symbols, sides("x*n", "<=", "2*n"), 60.0).verdict == "proved"


@pytest.mark.few(1)
@pytest.mark.parametrize("names", [("alpha", "order", "order_of_divergence"), ("epsilon", "level", "level_of_loss"),
                                   ("t", "first", "stop"), ("claimed_scale", "power_n", "open_x_0")])  # fmt: skip
def test_symbols_have_any_name(names):
    symbols = {name: {"real": [1, 2]} for name in names}
    a, b, c = names
    for claim in (pair("laplace", shift=a, scale=b, rho=f"{c}/100"), pair("laplace", shift=a, scale=b, mu=f"{c}/100"),
                  {"event": {"p": f"1 - exp(-{a})", "q": f"(1 - exp(-{a}))*exp(-{b})", "epsilon": "0",
                             "delta": f"{c}/1000"}},
                  {"order": {"quantity": f"{a}*{b}*log({a})/{c}", "in": a, "to": a}}):  # fmt: skip
        known = symbols | ({a: {"real": [1, "inf"]}} if "order" in claim else {})
        given = {} if "order" in claim else {"h": f"{a} <= 2*{b}"}
        judgement = judged(known, claim, given=given)
        assert judgement.verdict == "refuted", (claim, judgement)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", ["order", "room", "scale", "below_one", "open_a_0", "claimed_scale", "run"])
def test_a_hypothesis_has_any_name(name):
    """Of the name of a condition of ours it is not taken for that one: without it the claim would be refuted."""
    symbols = {"a": {"real": [1, 9]}, "s": {"real": [1, 9]}}
    claim = pair("gaussian", shift="1", scale="s", alpha="a", tau="1")
    judgement = judged(symbols, claim, 0.4, given={name: "a <= 2*s^2"}, region={"a": "(1, 9]", "s": "(1, 9]"})
    assert judgement.verdict != "refuted"


@pytest.mark.parametrize(
    ("quantity", "to"), [("t*log(t)", "t"), ("n*log(n)^2", "n*log(n)"), ("n + log(n)", "n/log(n)")]
)
def test_growth_by_a_logarithm_is_refuted(quantity, to):
    symbols = {quantity[0]: {"real": [1, "inf"]}}
    judgement = judged(symbols, {"order": {"quantity": quantity, "in": quantity[0], "to": to}})
    assert judgement.verdict == "refuted" and report(judgement.certificates[0])["accepted"]
    turned = {"order": {"quantity": to, "in": quantity[0], "to": quantity}}
    assert judged(symbols, turned).verdict == "not refuted"


@pytest.mark.parametrize(
    ("where", "left"), [({"k": "1/10 + x"}, "sum(k, 1, 3, k*x)"), ({}, "sum(x, 1, 3, x)"),
                        ({"s": "sum(x, 1, 2, x)"}, "s"), ({}, "sum(i, 1, 3, sum(i, 1, 2, i*x))"),
                        ({}, "sum(i, sum(x, 1, 2, 1), 3, i*x)"), ({}, "sum(i, 1, sum(x, 1, 2, 1), i*x)"),
                        ({}, "sum(pi, 1, 3, pi*x)")]
)  # fmt: skip
def test_an_index_is_a_name_of_its_own(where, left):
    with pytest.raises(InvalidInput, match="index of a sum"):
        judged(E01, sides(left, "<=", "1"), where=where)


@pytest.mark.parametrize(("tau", "verdict"), [("1/1000", "refuted"), ("2", "not refuted")])
def test_a_symbol_is_not_the_index_of_a_sum_of_ours(tau, verdict):
    """The Renyi divergence of a sampled Gaussian is a sum over k: a shift k is another k."""
    judgements = []
    for name in ("k", "s"):
        claim = {"mixture": {"rate": "1/10", "shift": name, "scale": "4", "alpha": "3", "tau": tau}}
        judgements.append(judged({name: {"real": [1, 2]}}, claim, 2.0, relation="remove"))
    assert [one.verdict for one in judgements] == [verdict] * 2 and judgements[0].ratio == pytest.approx(
        judgements[1].ratio
    )


def test_integers_of_a_counterexample_are_said_to_be_some():
    symbols = {"n": {"integer": [1, 9]}, "x": {"real": [1, 2]}}
    judgement = judged(symbols, sides("n*x", "<=", "x + 3"))
    assert {"integer_part(n) = n"} == {one["formula"] for one in judgement.certificates[0]["assumptions"]}


def test_the_ratio_of_what_is_open_is_that_of_balls(monkeypatch):
    """Floats near order 1 give 1.0074 where the bound is met and no more."""
    claim = weights(["1/(1 + exp(-t))", "rest"], ["1/(1 + exp(e - t))", "rest"], rho="e^2/8")
    symbols = {"e": {"real": ["0.01", 4]}, "t": {"real": [-10, 10]}}
    monkeypatch.setattr(module, "_prove", lambda *_: module._Proofs())  # the search alone
    judgement = judged(symbols, claim, 60.0)
    assert judgement.verdict in LEFT and judgement.ratio is not None and judgement.ratio <= 1.0 + 1e-9


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [("exp(x)*exp(1)", "exp(1 + x)", "undecided"), ("1 + x", "(1 + x)*(1 + 1/10^12)", "not refuted"),
     ("x", "x + 1", "not refuted")],
)  # fmt: skip
def test_undecided_is_what_balls_leave_open(left, right, verdict, monkeypatch):
    monkeypatch.setattr(module, "_prove", lambda *_: module._Proofs())
    assert judged(E01, sides(left, "<=" if "exp" in left else "<", right), 60.0).verdict == verdict


@pytest.mark.parametrize(("against", "low"), [("mu", "0"), ("rho", "1")])
def test_a_notion_is_searched_from_the_least_of_its_parameter(against, low, monkeypatch):
    """Every epsilon from 0 on, every order from 1 on."""
    monkeypatch.setattr(module, "_prove", lambda *_: module._Proofs())
    claim = weights(["1/2", "rest"], ["1/2 - x/9", "rest"], **{against: "5"})
    (hidden,) = [where for name, where in judged(E01, claim, 1.0).searched["region"].items() if name != "x"]
    assert hidden.startswith(f"[{low}, ")


PLAIN = """
[symbols]
e = {real = [0.01, 1], meaning = "epsilon"}
n = {integer = [1, 12]}
[where]
WHERE
[claim.inequality]
left = "LEFT"
relation = "<="
right = "2 + e*0"
"""


def doubling(lines):
    return '\na0 = "e"\n' + "".join(f'a{i} = "a{i - 1}*a{i - 1} + a{i - 1}"\n' for i in range(1, lines))


LARGE = {  # file text: exit codes that are right
    "doubling": (PLAIN.replace("WHERE", doubling(22)).replace("LEFT", "a21"), (0, 1)),
    "doubling more": (PLAIN.replace("WHERE", doubling(60)).replace("LEFT", "a59"), (0, 1)),
    "towers": (PLAIN.replace("WHERE", doubling(40).replace("*", "^")).replace("LEFT", "a39"), (0, 1)),
    "nested sums": (PLAIN.replace("WHERE", "").replace("LEFT", "sum(i, 1, 10000, sum(j, 1, 10000, 1/(i*j)))"), (0,)),
    "sums of sums": (PLAIN.replace("WHERE", "").replace(
        "LEFT", "sum(i, 1, 1000*n, sum(j, 1, 1000*n, sum(k, 1, n, e/(i*j*k))))"), (0,)),
    "digits": (PLAIN.replace("WHERE", "").replace("LEFT", "e*" + "9" * 3000), (2,)),
    "more digits": (PLAIN.replace("WHERE", "").replace("LEFT", "e*" + "9" * 5000), (2,)),
    "an end": (PLAIN.replace("WHERE", "").replace("LEFT", "e").replace("1]", "9" * 5000 + "]", 1), (2,)),
    "a far end": (PLAIN.replace("WHERE", "").replace("LEFT", "e").replace("1]", "1e350]", 1), (2,)),
    "a definition": (PLAIN.replace("WHERE", "k = " + "9" * 4200).replace("LEFT", "e*k"), (2,)),
    "a long sum": (PLAIN.replace("WHERE", "").replace("LEFT", "+".join(["e"] * 50_000)), (2,)),
    "a row of terms": (PLAIN.replace("WHERE", "").replace("LEFT", "+".join(["e"] * 1500)), (2,)),
    "brackets": (PLAIN.replace("WHERE", "").replace("LEFT", "(" * 1500 + "e" + ")" * 1500), (2,)),
    "arrays": (PLAIN.replace("WHERE", "").replace("LEFT", "e") + "\nx = " + "[" * 3000 + "]" * 3000, (2,)),
    "a key": (".".join(["a"] * 20_000) + " = 1", (2,)), "a shorter key": (".".join(["a"] * 9000) + " = 1", (2,)),
    "many weights": ("[symbols]\ne = {real = [0.01, 1]}\n[claim.discrete]\np = [WS]\nq = [WS]\nepsilon = 'e'\n".replace(
        "WS", ", ".join(['"1/60"'] * 60)), (0,)),
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_a_large_theorem_ends_soon_or_is_one_message(name, tmp_path, capsys, monkeypatch):
    """Two seconds of a clock that moves by 1/4 s whenever it is looked at: a few more looks end all loops, but in the
    search by derivatives, which looks again at each of `EFFORT` cells. What is done between two looks, a point or a
    cell, is bounded by the checker's operations."""
    text, codes = LARGE[name]
    path = tmp_path / "large.toml"
    path.write_text(text)
    looks = itertools.count()
    monkeypatch.setattr(time, "process_time", lambda: next(looks) / 4)
    code = run(["judge", str(path), "--seconds", "2"])
    most = 8 + (3 * EFFORT if name == "towers" else 8)
    assert next(looks) <= most, "loops go on behind the end of the time asked for"
    said = capsys.readouterr()
    assert code in codes and "please report" not in said.err
    assert code != 2 or (said.err.count("\n") == 1 and len(said.err) < 500)


def test_vacuous_is_an_exit_code_and_a_word(tmp_path, capsys):
    path = tmp_path / "empty.toml"
    path.write_text(PLAIN.replace("WHERE", "").replace("LEFT", "e*n") + '[given]\nh = "e > 3"\n')
    out = tmp_path / "o.json"
    assert run(["judge", str(path), "--json", str(out), "--certificates", str(tmp_path / "c")]) == 1
    (one,) = json.loads(out.read_text())["theorems"]
    assert one["verdict"] == "vacuous" and one["certificates"] == [] and not (tmp_path / "c").exists()
    assert "no point was met" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("left", "symbols", "more", "zero"),
    [("binomial(5, k)", {"k": {"integer": [0, 6]}}, {}, "5 - k + 1"),
     ("binomial(5, k)", {"k": {"integer": [0, 5]}}, {}, ""),
     ("factorial(k)", {"k": {"integer": [-1, 5]}}, {}, "k + 1"), ("x/x", E01, {}, "x"),
     ("1/x", E01, {"region": {"x": "(0, 1]"}}, ""), ("1/(1 - x)", E01, {"given": {"h": "x < 1"}}, ""),
     ("1/(1 - x)", E01, {"given": {"h": "x <= 1"}}, "1 - x")],
)  # fmt: skip
def test_proved_is_said_of_all_points(left, symbols, more, zero):
    """At k = n + 1 a binomial is 0 to an author, and undefined to the checker: without a hypothesis it is undecided."""
    judgement = judged(symbols, sides(left, ">", "0"), 2.0, **more)
    assert judgement.verdict == ("undecided" if zero else "proved")
    assert (f"{WHEREVER} ({zero} may be 0)" if zero else "proved") in str(judgement)


def test_a_binomial_outside_its_range_is_not_proved():
    claim = sides("binomial(3, floor(k/2))", ">", "0")
    assert judged({"k": {"integer": [0, 9]}}, claim, 0.3).verdict != "proved"
