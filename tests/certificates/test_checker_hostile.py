"""Files made to deceive: cases of an attack and their families are refused, soon, and printed as text."""

import contextlib
import io
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import dpbench_check as checker
import pytest
from certificate_mutations import changed
from whole_certificates import certificate, report

from dpbench.certificates.build import seal

CASES = Path(__file__).parents[1] / "data" / "certificates"
SECONDS = 10.0
"""Of processor time for one file; each takes under one on the machine that these were written on."""


def refused(made):
    answer = report(made)
    assert not answer["accepted"]
    return str(answer["because"])


def accepted(made):
    answer = report(made)
    assert answer["accepted"], answer["because"]
    return str(answer["line"])


def to_schema_3(one):
    claim = {name: part for name, part in one["claim"].items() if name != "normalise"}
    made = one | {"schema": 3, "inert": one.get("inert", {}), "claim": claim}
    return made | {"digest": seal(made)}


@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda path: path.stem)
def test_the_cases_are_refused_in_either_schema(path):
    """As they were written, and brought to the present schema, so that the format alone is not what refuses them."""
    one = json.loads(path.read_text(encoding="utf-8"))
    refused(one)
    because = refused(to_schema_3(one))
    assert path.stem == "e6_growth_bounded" or "parts of" not in because, because


def test_the_tiny_violation_is_true_and_accepted_once_its_symbols_are_listed():
    one = json.loads((CASES / "h1_tiny.json").read_text(encoding="utf-8"))
    assert "vacuous" in refused(to_schema_3(one))
    said = accepted(to_schema_3(one | {"inert": {"x": "both sides are linear in it", "c": "likewise"}}))
    assert said == "REFUTES c*(1001/1000)*x <= c*x at x = 1/10, c = 1: 0.100100 > 1/10"


PAIR = {
    "p": ["p", "rest"],
    "q": ["q", "rest"],
    "event": [0],
    "epsilon": "epsilon",
    "delta": "delta",
}
GOOD_PAIR = {"values": {"p": "3/4", "q": "1/4", "epsilon": "1/10", "delta": "1/10"},
                             "shows": {"delta": ["47370/100000", "47371/100000"]}}  # fmt: skip


def test_a_pair_that_breaks_the_claim_is_accepted():
    assert accepted(certificate("pair-discrete", PAIR, **GOOD_PAIR)).startswith("REFUTES delta(epsilon) <= delta at p")


@pytest.mark.parametrize(
    ("values", "shows"),
    [
        ({"delta": "-1"}, GOOD_PAIR["shows"]["delta"]), ({"delta": "1"}, GOOD_PAIR["shows"]["delta"]),
        ({"delta": "2"}, GOOD_PAIR["shows"]["delta"]), ({"epsilon": "-1"}, ["6580/10000", "6581/10000"]),
        ({"p": "5/4"}, ["9736/10000", "9738/10000"]), ({"q": "-1/4"}, ["1026/1000", "1027/1000"]),
        ({"p": "1/4"}, ["-263/10000", "-262/10000"]), ({"epsilon": "2"}, ["-1098/1000", "-1097/1000"]),
    ],
)  # fmt: skip
def test_budgets_and_weights_are_in_their_ranges(values, shows):
    refused(certificate("pair-discrete", PAIR, values=GOOD_PAIR["values"] | values, shows={"delta": shows}))


@pytest.mark.parametrize(
    "change",
    [{"event": [True]}, {"event": [0, 0]}, {"event": [5]}, {"event": "0"}, {"event": [-1]}, {"p": ["p"]},
     {"p": []}, {"q": ["q", "rest", "rest"]}, {"more": "1"}],
)  # fmt: skip
def test_parts_of_a_pair_have_their_types(change):
    refused(certificate("pair-discrete", PAIR | change, **GOOD_PAIR))


@pytest.mark.parametrize("word", ["proved", "not refuted", "consistent", "REFUTED", "grows", ""])
@pytest.mark.parametrize("kind", ["pair-discrete", "pair-shift", "inequality", "growth", "sample", "rate"])
def test_a_word_that_the_kind_does_not_decide_is_refused(kind, word):
    because = refused(certificate(kind, PAIR, verdict=word, **GOOD_PAIR))
    assert "this kind decides" in because or "no such kind" in because


def growth(quantity, power = "1/2", log_power = "0", holds = (), first = 20,
           value = "1", **values):  # fmt: skip
    claim = {"variable": "t", "from": first, "quantity": quantity, "power": power, "log_power": log_power,
             "holds": list(holds)}  # fmt: skip
    return certificate("growth", claim, values=values, shows={"quantity": [value, value]},
                       symbols=dict.fromkeys(["t", *values], "s"))  # fmt: skip


def test_growth_for_all_t_is_accepted():
    assert "for all t >= 2^20" in accepted(growth("c*t", c="1", value=str(2**20)))
    assert "log(t)" in accepted(growth("c*t*t/(t + 1000*c)", "1", c="1", value=str(2**40) + "/1049576"))


@pytest.mark.parametrize("beyond", [0, 1])
def test_limits_are_where_they_are_said_to_be(beyond):
    """What is as long, as many or as late as may be is read, and one more is refused."""
    none = checker.Scope({}, {})
    for read in (
        lambda: checker.parse("1".rjust(checker.TEXT + beyond)),
        lambda: checker.rational("9" * (400 + beyond)), lambda: checker.rational("1/" + "9" * (400 + beyond)),
        lambda: checker.evaluate(checker.parse(f"sum(i, 1, {checker.TERMS + beyond}, 1)"), none),
        lambda: checker.short_factor(checker.fmpq(2) ** (checker.BITS - 2 + beyond)),
        lambda: checker.short_factor(checker.fmpq(1, 2) ** (checker.BITS - 2 + beyond)),
        lambda: checker.common([checker.fmpq(1, 2) ** (checker.BITS - 1 + beyond)]),
        lambda: checker.composed({"rule": "optimal", "steps": [checker.ONE, checker.ZERO], "group": checker.ONE,
                                  "times": [checker.num(checker.MANY + beyond)],
                                  "against": [checker.ONE, checker.ONE], "given": []}),
    ):  # fmt: skip
        checker.renew()
        with pytest.raises(checker.Refused) if beyond else contextlib.nullcontext():
            read()
    if beyond:  # a tail of so many may take long
        many = checker.fmpq(checker.COUNT + 1)
        tails = checker.gammatail(many, 1), checker.betatail(0.5, many, 1), checker.betatail(0.5, 1, many)
        assert all(tail.is_nan() for tail in tails)
    for first in (2 - beyond, 1000 + beyond):
        one = growth("c*t", "1", first=first, c="1", value=str(2**first))
        assert ("from is an integer" in refused(one)) if beyond else accepted(one)


@pytest.mark.parametrize(
    ("quantity", "power"),
    [
        ("c/(1/t + 1/2^200)", "9/10"), ("1000*t/(t + 1000*c)", "1/100"), ("min(c*t, 2^300)", "1/2"),
        ("c*t*exp(-t/2^400)", "1/2"), ("c*(t - t^2/2^300)", "1/2"), ("c*t/(1 + t/2^500)", "1"),
        ("c*log(t)", "1/100"), ("c*t^(1/2)", "51/100"), ("c*t/log(t)", "1"), ("c + 1/t", "1/100"), ("c*t - t", "1/2"),
        ("c*erfc(t)", "1/2"), ("c*sum(i, 1, 3, t)", "1/2"), ("max(c, 1/t)", "1/10"), ("-c*t", "1"), ("c*t^-1", "1"),
    ],
)  # fmt: skip
def test_what_is_bounded_or_grows_more_slowly_is_not_growth(quantity, power):
    one = growth(quantity, power, c="1")
    scope = checker.Scope({"c": checker.fmpq(1), "t": checker.fmpq(2) ** 20}, {})
    checker.ctx.prec = 200
    value = checker.arb(checker.evaluate(checker.parse(quantity), scope))
    middle = checker.fmpq(int(float(value.mid()) * 2**40), 2**40) if value.is_finite() else checker.fmpq(1)
    wide = abs(middle) / 3000
    one["instances"][0]["shows"]["quantity"] = [str(middle - wide), str(middle + wide)]
    refused(one | {"digest": seal(one)})


@pytest.mark.parametrize(("power", "logs"), [("0", "0"), ("-1", "0"), ("0", "-1"), ("-1", "5"), ("c", "t")])
def test_powers_of_growth_are_positive(power, logs):
    refused(growth("c*t", power, logs, c="1", value=str(2**20)))


@pytest.mark.parametrize(
    "holds", ["t < 2^300", "1/t > 1/2^300", "c*t >= 2^21", "c = 1/t + 1", "t <= 2^20", "log(t) < 100"]
)
def test_what_holds_along_the_way_holds_for_all_t(holds):
    refused(growth("c*t", "1", holds=(holds,), c="1", value=str(2**20)))


def test_the_index_of_a_sum_captures_nothing():
    base = {"values": {"i": "5", "x": "1"}, "shows": {"left": ["6", "6"], "right": ["15", "15"]}}
    claim = {"left": "sum(i, 1, 3, f)", "relation": ">=", "right": "3*i"}
    assert "name of its own" in refused(certificate("inequality", claim, definitions=[["f", "i*x"]], **base))
    for term in ("sum(x, 1, 3, x)", "sum(f, 1, 3, f)", "sum(j, 1, 3, sum(j, 1, 2, j))", "sum(pi, 1, 3, pi)"):
        refused(certificate("inequality", claim | {"left": f"{term}*f"}, definitions=[["f", "i*x"]], **base))
    fair = certificate("inequality", {"left": "sum(j, 1, 3, f)", "relation": ">=", "right": "16*x"},
                       definitions=[["f", "i*x"]], inert={"x": "both sides are linear in it"}, values=base["values"],
                       shows={"left": ["15", "15"], "right": ["16", "16"]})  # fmt: skip
    accepted(fair)


DIGITS = ["৪", "٤", "４", "Ⅳ", "⁴", "𝟒"]  # one digit four each, in other scripts


@pytest.mark.parametrize("digit", DIGITS)
def test_digits_are_ascii(digit):
    claim = {"left": f"{digit}*x + y", "relation": ">=", "right": "7*x + y"}
    shows = {"left": ["5", "5"], "right": ["8", "8"]}
    refused(certificate("inequality", claim, values={"x": "1", "y": "1"}, shows=shows))
    right = claim | {"left": "4*x + y"}
    accepted(certificate("inequality", right, values={"x": "1", "y": "1"}, shows=shows))
    refused(certificate("inequality", right, values={"x": "1", "y": digit}, shows=shows))


def test_unknown_keys_are_refused_at_any_depth():
    one = certificate("pair-discrete", PAIR, **GOOD_PAIR)

    def places(part, path=()):
        if isinstance(part, dict):
            yield path
            for key, inner in part.items():
                yield from places(inner, (*path, key))
        elif isinstance(part, list):
            for at, inner in enumerate(part):
                yield from places(inner, (*path, at))

    for path in places(one):
        refused(changed(one, (*path, "more"), "1"))


def test_a_guarantee_whose_noise_cancels_what_it_hides_is_vacuous():
    claim = {"family": "gaussian", "shift": "D/n", "scale": "sigma", "epsilon": "epsilon", "delta": "delta",
             "calibrated": ""}  # fmt: skip
    values = {"D": "2", "n": "10", "mu": "1/4", "epsilon": "1", "delta": "1/1000"}
    shows = {"delta": ["66/1000000", "67/1000000"]}
    cancels = {"definitions": [["sigma", "D/(n*mu)"]], "shows": shows, "verdict": "proved"}
    for inert in ({}, {"D": "it cancels", "n": "it cancels"}):
        because = refused(certificate("guarantee", claim, values=values, inert=inert, **cancels))
        assert "vacuous" in because or "enclosure" in because
    number = {name: value for name, value in values.items() if name != "mu"} | {"sigma": "4/5"}
    for calibrated, fits in (("", True), ("sigma", False), ("epsilon", False), ("D/n", False)):
        one = certificate(
            "guarantee", claim | {"calibrated": calibrated}, verdict="proved", values=number, shows=_delta()
        )
        (accepted if fits else refused)(one)


def _delta():
    checker.ctx.prec = 128
    value = float(checker.profile("gaussian", checker.fmpq(1, 4), checker.fmpq(1)).mid())
    return {
        "delta": [str(checker.fmpq(int(value * 10**12), 10**12)), str(checker.fmpq(int(value * 10**12) + 1, 10**12))]
    }


def bombs():
    """Files that would take long, or much memory."""
    sides = {"values": {"x": "1", "y": "1"}, "shows": {"left": ["1", "1"], "right": ["1", "1"]}}

    def one(left, **parts):
        return certificate("inequality", {"left": left, "relation": ">=", "right": "y"}, **sides, **parts)

    doubling = [["d0", "x + y/3"], *([f"d{i}", f"d{i - 1}*d{i - 1}"] for i in range(1, 60))]
    sums = [["d0", "x + y"], *([f"d{i}", f"d{i - 1} + d{i - 1}"] for i in range(1, 60))]
    moving = [["d0", "t"], *([f"d{i}", f"d{i - 1} + d{i - 1}"] for i in range(1, 60))]
    deep = [["d0", "x"], *([f"d{i}", f"d{i - 1} + y"] for i in range(1, 3000))]
    grown = {"variable": "t", "from": 20, "quantity": "d59*x", "power": "1", "log_power": "0", "holds": []}
    return {
        "b1": one("sum(i, 1, 10^18, x)"),
        "b2": certificate("growth", grown, definitions=moving, values={"x": "1"}, symbols={"x": "s", "t": "s"},
                          shows={"quantity": ["1", "1"]}),
        "squares": one("d59", definitions=doubling), "doublings": one("d59", definitions=sums),
        "nested sums": one("sum(i, 1, 9999, sum(j, 1, 9999, sum(k, 1, 9999, x)))"),
        "harmonic": one("sum(i, 1, 19999, x/i)"), "tower": one("x + 2^(2^(2^(2^2)))"), "tower 2": one("(x + 1)^10^9"),
        "powers": one("((((x + 1)^9999)^9999)^9999)^9999"), "wide beta": one("betatail(1/2, x*10^300, 10^300)"),
        "beta": one("betatail(1/2 + x/10^9, 10^7, 10^7)"), "gamma": one("gammatail(x*10^7, 10^7 + 1/3)"),
        "beta at its middle": one("betatail(1/2, x*10^7, 10^7)*2"), "beta tie": one("betatail(1/2, x*1000, 1000)*2"),
        "betas": one("+".join(["betatail(1/2, x*999, 1000)"] * 99)), "rising": one("betatail(1 - x/10^9, 1, 10^6)"),
        "gamma tie": one("2*gammatail(10^6*x, 10^6)"), "gammas": one("+".join(["gammatail(10^7, x*10^7)"] * 99)),
        "few names": one("+".join(["x"] * 1900)), "nested names": one("(" * 900 + "x" + "+y)" * 900),
        "region": certificate("region", {"region": {"t": ["0", "1"]}, "cuts": ["t 1/2", "", ""], "given": [],
                                         "witness": {"t": "1"}, "claims": ["+".join(["t"] * 1900) + " <= 1900*x"]},
                              verdict="proved", values={"x": "1"}, symbols={"x": "s", "t": "s"}),
        "algebra": certificate("region", {"region": {"t": ["0", "1"]}, "cuts": [""], "given": [], "witness": {"t": "1"},
                                          "claims": ["(t + x)^9*d59 <= d59"]},
                               verdict="proved", values={"x": "1"}, definitions=moving, symbols={"x": "s", "t": "s"}),
        "towers": certificate("region", {"region": {"t": ["0", "1"]}, "cuts": [""], "given": [], "witness": {"t": "1"},
                                         "claims": ["d59*x <= d59 + x"]}, verdict="proved", values={"x": "1"},
                              definitions=[["d0", "t"], *([f"d{i}", f"exp(d{i - 1} - exp(d{i - 1}*2))"]
                                                          for i in range(1, 60))], symbols={"x": "s", "t": "s"}),
        "brackets": one("(" * 1900 + "x" + ")" * 1900), "signs": one("-" * 3900 + "x"), "long": one("9" * 3999 + "*x"),
        "deep": one("d2999", definitions=deep), "exponent": one("exp(exp(exp(exp(x*9))))"), "tie": one("sqrt(x)^2*y/y"),
        "undecided": one("exp(log(x + 10^-9)) - 10^-9"), "erfc": one("erfc(x*10^9)"),
    }  # fmt: skip


@pytest.mark.parametrize("name", bombs())
def test_no_file_takes_long_or_much_memory(name):
    text = json.dumps(bombs()[name])
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    checker.report_on(text)
    assert time.process_time() - began < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kilobytes


ESCAPES = ["\x1b[2K\raccepted glm.thm1", "\ud800", "a\nb accepted", "‮detpecca", "\x00", "\x9b8m", "é"]


@pytest.mark.parametrize("text", ESCAPES)
@pytest.mark.parametrize("place", ["id", "verdict", "kind", "statement", "why", "says", "quote"])
def test_everything_is_printed_as_ascii(text, place, tmp_path):
    one = certificate("pair-discrete", PAIR, **GOOD_PAIR)
    if place == "quote":
        one["quote"]["text"] = text
    elif place == "says":
        one["derivation"][0]["says"] = text
    elif place == "why":
        one["assumptions"] = [{"id": "a", "formula": "p > 0", "why": text}]
        one["derivation"][0]["needs"] = ["a"]
    else:
        one[place] = text
    with contextlib.suppress(UnicodeEncodeError):
        one["digest"] = seal(one)
    path = tmp_path / "one.json"
    path.write_text(json.dumps(one), encoding="utf-8")
    for options in ([], ["--json"]):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = checker.main([str(path), *options])
        said = out.getvalue()
        assert code in (0, 1) and said.isascii() and all(c.isprintable() or c == "\n" for c in said)


def test_a_file_that_is_no_text_is_one_line(tmp_path, capsys):
    path = tmp_path / "one.json"
    path.write_bytes(b"\xff\xfe{")
    assert checker.main([str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    path.write_text(" " * 2_000_001, encoding="utf-8")
    assert checker.main([str(path)]) == 1


def test_every_step_is_printed(tmp_path, capsys):
    claim = {"family": "gaussian", "shift": "2*D", "scale": "sigma", "epsilon": "epsilon", "delta": "delta"}
    pair = {"values": {"D": "1", "sigma": "1", "epsilon": "1", "delta": "1/100"},
            "shows": {"delta": ["5098/10000", "5099/10000"]}}  # fmt: skip
    said = ["Hence every algorithm is broken.", "And P = NP."]
    steps = [{"says": says, "needs": []} for says in said]
    path = tmp_path / "one.json"
    path.write_text(json.dumps(certificate("pair-shift", claim, derivation=steps, **pair)))
    assert checker.main([str(path)]) == 0
    printed = capsys.readouterr().out
    assert all(f"left to the written derivation: {says}" in printed for says in said)
    answer = checker.report_on(path.read_text())
    assert answer["left"] == said and printed.splitlines()[0] == answer["line"]
    assert f"accepted {answer['id']} (pair-shift)" in printed and "quoted: q (p)" in printed


@pytest.mark.parametrize(
    "quantity",
    ["c*sqrt(t)/(1 + t*exp(-(10^1000 + 1/t)))", "c*t/(1 + t^2*exp(-(10^1000 + 1/t)))",
     "c*sqrt(t)/(exp(-(10^900 + 1/t))*t + 2)", "c/(1/t + exp(-(10^1000 + 1/t)))",
     "c*sqrt(t)*max(1/(1 + t), 0*t + exp(-(10^1000 + 1/t)))", "c*sqrt(t)/(1 + t/exp(10^1000 + 1/t))",
     "c*sqrt(t)/(1 + t*exp(-(10^1000 + 1/t))^2)", "c*log(t)/(1 + log(t)^2*exp(-(10^1000 + 1/t)))"],
)  # fmt: skip
def test_what_is_too_small_for_a_ball_is_not_dropped(quantity):
    """Each tends to a constant or to 0, far beyond all numbers; at t = 4 the small term does not count."""
    power, logs = ("0", "1/10") if "log" in quantity else ("1/100", "0")
    one = growth(quantity, power, logs, first=2, c="1")
    checker.ctx.prec = 60_000  # bits, of numbers near exp(-10^4): as small as matters
    scope = checker.Scope({"c": checker.fmpq(1), "t": checker.fmpq(4)}, {})
    near = quantity.replace("10^1000", "10^4").replace("10^900", "10^4")
    value = checker.arb(checker.evaluate(checker.parse(near), scope))
    ends = [checker.fmpq(int(float(value.mid()) * 2**40) + by, 2**40) for by in (-(2**20), 2**20)]
    one["instances"][0]["shows"]["quantity"] = list(map(str, ends))
    assert "enclosure" not in refused(one | {"digest": seal(one)})


def test_every_bound_of_a_half_line_has_exact_constants():
    line = checker.HalfLine("t", 2, checker.Scope({"c": checker.fmpq(1, 3)}, {}))
    for text in ("c*t", "sqrt(t) + c/t", "exp(-t/3)", "log(c*t + 7)", "t^(1/3) - c", "exp(-(10^1000 + 1/t))"):
        _, low, high = line.of(checker.parse(text))
        assert low[0].is_exact() and high[0].is_exact() and 0 <= low[0] <= high[0], text


def test_an_integer_can_be_said():
    """(n - 1/2)^2 >= 1/4 holds at integers, and fails between 0 and 1."""
    claim = {"left": "(n - 1/2)^2", "relation": ">=", "right": "1/4"}
    shows = {"left": ["0", "0"], "right": ["1/4", "1/4"]}
    whole = {"assumptions": [{"id": "n", "formula": "integer_part(n) = n", "why": "n is an integer"}],
             "derivation": [{"says": "by definition", "needs": ["n"]}]}  # fmt: skip
    accepted(certificate("inequality", claim, values={"n": "1/2"}, shows=shows))
    assert "assumption n" in refused(certificate("inequality", claim, values={"n": "1/2"}, shows=shows, **whole))
    both = {"left": ["1/4", "1/4"], "right": ["1/4", "1/4"]}
    accepted(certificate("inequality", claim | {"relation": ">"}, values={"n": "1"}, shows=both, **whole))


@pytest.mark.parametrize(
    "name", ["x" + " " * 71 + "REFUTES every theorem", "a" * 81, "", " ", "a b", "a\nb", "-a", "é", "a/b"]
)
def test_an_id_is_a_short_name(name, tmp_path, capsys):
    one = certificate("pair-discrete", PAIR, id=name, **GOOD_PAIR)
    assert "an id" in refused(one)
    path = tmp_path / "one.json"
    path.write_text(json.dumps(one))
    checker.main([str(path)])
    assert "  " not in capsys.readouterr().out.splitlines()[0]


def test_a_closed_pipe_is_no_traceback():
    """The reader has left before the first line is written; so it has for the report of one that is refused."""
    good = str(Path(__file__).parents[2] / "evidence" / "certificates" / "glm.lemma9.inequality.inequality.json")
    for files in ([good] * 30, [good, str(CASES / "e3_negative_delta.json")], ["--json", good]):
        line = [sys.executable, "-P", checker.__file__, *files]
        run = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert run.stdout is not None and run.stderr is not None
        run.stdout.close()
        with run.stderr as told:
            assert told.read() == ""
        assert run.wait() == (1 if "negative" in files[-1] else 0)
