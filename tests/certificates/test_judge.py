"""`dpbench judge`: what is true is never refuted, what is false is, and "proved" is of the whole region."""

import json
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest
from dp_accounting import dp_event
from dp_accounting.pld.privacy_loss_mechanism import AdjacencyType, GaussianPrivacyLoss, LaplacePrivacyLoss
from dp_accounting.rdp import RdpAccountant
from dpbench_check import report_on
from whole_certificates import report

import dpbench
from dpbench.certificates.judge_pieces import pieces, required
from dpbench.certificates.judge_toml import read
from dpbench.cli import run
from dpbench.core.validation import InvalidInput
from dpbench.ledger import formula

EPSILON = {"epsilon": {"real": ["0.01", "10"], "meaning": "claimed"}}
SMALL = {"epsilon": {"real": ["0.01", "1"]}, "delta": {"real": ["1e-10", "0.1"]}}
CLASSICAL = {"sigma": "sqrt(2*log(1.25/delta))/epsilon"}
RESPONSE = {"p": "exp(epsilon)/(1 + exp(epsilon))"}
DP = {"epsilon": "epsilon", "delta": "delta"}


def case(name, symbols, claim, **more):
    return {"id": name, "symbols": symbols, "claim": claim, **more}


TRUE = [
    case("laplace-at-its-epsilon", EPSILON, {"laplace": {"shift": "1", "scale": "1/epsilon", "epsilon": "epsilon"}}),
    case(
        "classical-gaussian",
        {**SMALL, "delta": {"real": ["1e-5", "0.1"]}},
        {"gaussian": {"shift": "1", "scale": "sigma", **DP}},
        where=CLASSICAL,
    ),
    case("gaussian-gdp", {"s": {"real": ["0.01", "10"]}}, {"gaussian": {"shift": "1", "scale": "s", "mu": "1/s"}}),
    case(
        "sampled",
        {"q": {"real": ["0.01", "0.9"]}, "e": {"real": ["0.1", "5"]}, "s": {"real": ["0.5", "3"]}},
        {
            "mixture": {
                "rate": "q",
                "shift": "1",
                "scale": "s",
                "epsilon": "log(1 + q*(exp(e) - 1))",
                "delta": "q*gaussian_delta(1/s, e)",
            }
        },
        relation="remove",
    ),
    case("exponential-mechanism", {"e": {"real": ["0.1", 2]}, "t": {"real": [-3, 3]}},
         {"discrete": {"p": ["1/(1 + exp(t))", "rest"], "q": ["1/(1 + exp(t + e))", "rest"], "epsilon": "e"}}),
    case("truncated-geometric", {"e": {"real": ["0.1", 2]}},
         {"discrete": {"p": ["1 - a", "a*(1 - a)", "a^2"], "q": ["a*(1 - a)", "1 - a", "a^2"], "epsilon": "e"}},
         where={"a": "exp(-e)"}),
    case("randomised-response-zcdp", {"e": {"real": ["0.01", 5]}},
         {"discrete": {"p": ["exp(e)/(1 + exp(e))", "rest"], "q": ["1/(1 + exp(e))", "rest"],
                       "rho": "e*(exp(e) - 1)/(exp(e) + 1)"}}),
    case("geometric", {"e": {"real": ["0.1", 5]}, "k": {"integer": [0, "inf"]}},
         {"event": {"p": "(1 - a)*a^k", "q": "(1 - a)*a^k*a", "epsilon": "e"}}, where={"a": "exp(-e)"}),
    case("event", {"e": {"real": [0, 3]}}, {"event": {"p": "1/2", "q": "exp(-e)/2", "epsilon": "e"}}, relation="add"),
]  # fmt: skip
FALSE = [
    case(
        "classical-for-all",
        {"epsilon": {"real": ["0.01", "100"]}, "delta": SMALL["delta"]},
        {"gaussian": {"shift": "1", "scale": "sigma", **DP}},
        where=CLASSICAL,
    ),
    case(
        "response-too-good",
        EPSILON,
        {"discrete": {"p": ["p", "rest"], "q": ["1 - p", "rest"], "epsilon": "999/1000*epsilon"}},
        where=RESPONSE,
    ),
    case(
        "half-rho",
        {"s": {"real": ["0.01", "10"]}, "d": {"real": [1, 2]}},
        {"gaussian": {"shift": "d", "scale": "s", "rho": "d^2/(4*s^2)"}},
    ),
    case(
        "narrow",
        {"x": {"real": [0, 10]}, "y": {"real": [1, 2]}},
        {"inequality": {"left": "y*exp(-1000000*(x - 7)^2)", "relation": "<=", "right": "y/2"}},
    ),
    case(
        "sampled-too-good",
        {"q": {"real": ["0.01", "0.9"]}, "e": {"real": ["0.1", "5"]}, "s": {"real": ["0.5", "3"]}},
        {"mixture": {"rate": "q", "shift": "1", "scale": "s", "epsilon": "q*e", "delta": "q*gaussian_delta(1/s, e)"}},
    ),
    case(
        "run-of-outcomes",
        {"e": {"real": ["0.1", "2"]}, "c": {"real": [1, 2]}, "last": {"integer": [0, 100]}},
        {
            "event": {
                "p": "sum(k, 0, last, (1 - a)*a^k)",
                "q": "sum(k, 0, last, (1 - a)*a^k*a^c)",
                "epsilon": "e/2",
                "delta": "1/100",
            }
        },
        where={"a": "exp(-e)"},
    ),
]


@pytest.mark.parametrize("theorem", TRUE, ids=lambda t: t["id"])
def test_what_is_true_is_proved_by_a_certificate(theorem):
    judgement = dpbench.judge(theorem)
    assert (judgement.verdict, judgement.grade) == ("proved", "certificate"), judgement
    assert judgement.counterexample is None and not judgement.searched["undecided"] and not judgement.searched["why"]
    for one in judgement.certificates:
        assert one["kind"] == "region" and report(one)["accepted"]


def test_what_is_left_open_says_why():
    """True of integers, and not of the numbers between them."""
    claim = {"inequality": {"left": "(n - 2)^2 + (n - 3)^2", "relation": ">=", "right": "1"}}
    judgement = dpbench.judge(case("integers", {"n": {"integer": [1, 40]}}, claim), seconds=0.5)
    assert judgement.verdict in ("undecided", "not refuted")
    assert judgement.grade == "tried" and not judgement.certificates
    assert judgement.searched["why"] and judgement.searched["why"][0] in str(judgement)


@pytest.mark.parametrize("theorem", FALSE, ids=lambda t: t["id"])
def test_what_is_false_is_refuted_with_a_short_instance(theorem):
    judgement = dpbench.judge(theorem)
    assert (judgement.verdict, judgement.grade) == ("refuted", "certificate"), judgement
    (certificate,) = judgement.certificates
    assert report(certificate)["accepted"]
    assert judgement.ratio is not None and judgement.ratio > 1.0
    assert judgement.counterexample is not None and all(len(v) < 20 for v in judgement.counterexample.values())


def printed(symbols, left, right, seconds):
    """A judgement, and what it prints by label."""
    claim = {"inequality": {"left": left, "relation": "<=", "right": right}}
    judgement = dpbench.judge(case("printed", symbols, claim), seconds=seconds)
    return judgement, dict(line.strip().partition(": ")[::2] for line in str(judgement).splitlines())


def listed(values, sign=" = "):
    return ", ".join(f"{name}{sign}{value}" for name, value in values.items())


def test_a_counterexample_is_printed_with_its_ratio():
    judgement, labels = printed({"x": {"real": [0, 2]}, "y": {"real": [1, 2]}}, "x^2*y", "x*y", 60.0)
    point, _, ratio = labels["counterexample"].partition(" (ratio to the bound ")
    assert judgement.verdict == "refuted" and point == listed(judgement.counterexample) and "nearest" not in labels
    assert float(ratio[:-1]) == pytest.approx(float(Fraction(judgement.counterexample["x"])), rel=1e-6)
    assert judgement.to_dict()["ratio"] == judgement.ratio > 1.0
    judgement, labels = printed({"x": {"real": [1, 2]}}, "x", "0*x", 60.0)
    assert judgement.ratio == math.inf and labels["counterexample"] == listed(judgement.counterexample)
    assert json.loads(json.dumps(judgement.to_dict(), allow_nan=False))["ratio"] is None


def test_a_tie_that_nothing_decides_is_undecided():
    """4 e^x <= 4 + e^(2x) is met at log(2), where no cell ends: neither floats nor cells tell."""
    judgement, labels = printed({"x": {"real": ["-1", "1"]}}, "4*exp(x)", "4 + exp(2*x)", 0.5)
    assert judgement.verdict in ("undecided", "not refuted") and judgement.grade == "tried"
    assert judgement.searched["undecided"], "what was left undecided is shown"
    assert labels["not decided"] == listed(judgement.searched["undecided"], " in ")
    point, _, ratio = labels["nearest"].partition(" (ratio to the bound ")
    assert point == listed(judgement.searched["nearest"]) and "counterexample" not in labels
    assert abs(float(Fraction(judgement.searched["nearest"]["x"])) - math.log(2)) < 1e-3
    assert float(ratio[:-1]) == pytest.approx(judgement.ratio, rel=1e-8) and 0.999 < judgement.ratio <= 1.0


@pytest.mark.parametrize("more", [0, 1])
def test_a_file_has_an_end(tmp_path, more):
    """What is longer is refused, and not read in part."""
    path = tmp_path / "long.toml"
    path.write_text(f"{FILE}#{'x' * (20_000 - len(FILE) - 1 + more)}")
    if not more:
        assert read(path).id == "gauss"
        return
    with pytest.raises(InvalidInput, match="at most 20,000 bytes"):
        read(path)


def test_an_order_falls_only_if_all_constants_do():
    """1000 c n/(n + 1000) is bounded, though it grows for long; c n^(1/10) is not, though it grows slowly."""
    symbols = {"n": {"real": [1, "inf"]}, "c": {"real": [1, 2]}}
    verdicts = [
        dpbench.judge(case("order", symbols, {"order": {"quantity": quantity, "in": "n"}}))
        for quantity in ("1000*c*n/(n + 1000)", "c*n^(1/10)")
    ]
    assert [one.verdict for one in verdicts] == ["not refuted", "refuted"]
    with pytest.raises(InvalidInput, match=r"claim\.order\.in"):
        dpbench.judge(case("order", symbols, {"order": {"quantity": "c*n", "in": "m"}}))


# The exact conversions, against dp-accounting


def sides(claim, values, relation=None):
    """left and right of the one inequality that a claim comes to, as the certificate encloses them if it does."""
    more = {} if relation is None else {"relation": relation}
    symbols = {name: {"real": [0, 100]} for name in values}
    statement = read(case("conversion", symbols, claim, **more)).statement
    (piece,) = pieces(statement)
    names = tuple(statement.symbols)
    nodes = [piece.shows.get(side, getattr(piece.inequalities[0], side)) for side in ("left", "right")]
    left, right = formula.compiled(names, {}, nodes)(values)
    return left, right


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_delta_of_shifts(scale, epsilon):
    dp = {"epsilon": "e", "delta": "0.01"}
    values = {"s": scale, "e": epsilon}
    left, _ = sides({"gaussian": {"shift": "1", "scale": "s", **dp}}, values)
    assert left == pytest.approx(GaussianPrivacyLoss(scale).get_delta_for_epsilon(epsilon), rel=1e-9)
    shift, room = sides({"laplace": {"shift": "1", "scale": "s", **dp}}, values)
    exact = LaplacePrivacyLoss(scale).get_delta_for_epsilon(epsilon)
    assert (shift <= room) == (exact <= 0.01)


@pytest.mark.parametrize("rate", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("epsilon", [0.01, 0.2, 2.0])
def test_delta_of_the_sampled_gaussian(rate, epsilon):
    claim = {"mixture": {"rate": "q", "shift": "1", "scale": "s", "epsilon": "e", "delta": "0.01"}}
    values = {"q": rate, "s": 0.8, "e": epsilon}
    for relation, kind in (("remove", AdjacencyType.REMOVE), ("add", AdjacencyType.ADD)):
        exact = GaussianPrivacyLoss(0.8, sampling_prob=rate, adjacency_type=kind).get_delta_for_epsilon(epsilon)
        if relation == "add" and math.exp(epsilon) * (1 - rate) >= 1:
            assert exact == pytest.approx(0.0, abs=1e-12)
            continue
        assert sides(claim, values, relation)[0] == pytest.approx(exact, rel=1e-7, abs=1e-14)


@pytest.mark.parametrize("alpha", [2, 5, 16])
def test_renyi_divergences(alpha):
    def of(event):
        return float(RdpAccountant([alpha]).compose(event)._rdp[0])

    values = {"s": 1.7, "q": 0.2}
    against = {"alpha": str(alpha), "tau": "1"}
    gauss = sides({"gaussian": {"shift": "1", "scale": "s", **against}}, values)[0]
    assert gauss == pytest.approx(of(dp_event.GaussianDpEvent(1.7)), rel=1e-9)
    assert sides({"laplace": {"shift": "1", "scale": "s", **against}}, values)[0] == pytest.approx(
        of(dp_event.LaplaceDpEvent(1.7)), rel=1e-9
    )
    sampled = sides({"mixture": {"rate": "q", "shift": "1", "scale": "s", **against}}, values, "remove")[0]
    event = dp_event.PoissonSampledDpEvent(0.2, dp_event.GaussianDpEvent(1.7))
    assert sampled == pytest.approx(of(event), rel=1e-9)


def test_zero_concentration_is_every_order():
    rho, _ = sides({"gaussian": {"shift": "1", "scale": "s", "rho": "1"}}, {"s": 1.7})
    event = dp_event.GaussianDpEvent(1.7)
    for alpha in (1.5, 4.0, 64.0):
        assert float(RdpAccountant([alpha]).compose(event)._rdp[0]) == pytest.approx(alpha * rho, rel=1e-9)


def test_gaussian_dp_is_every_epsilon():
    mu, _ = sides({"gaussian": {"shift": "1", "scale": "s", "mu": "1"}}, {"s": 1.7})
    for epsilon in (0.0, 0.5, 2.0):
        exact = GaussianPrivacyLoss(1.7).get_delta_for_epsilon(epsilon)
        assert formula.gaussian_delta(mu, epsilon) == pytest.approx(exact, rel=1e-9)


# Files and the command

FILE = """
id = "gauss"
says = "The Gaussian mechanism with {sigma} is {claim} for every epsilon."
source = "the textbook"
[symbols]
epsilon = {real = [0.01, 100], meaning = "claimed"}
delta = {real = [1e-10, 0.1], meaning = "claimed"}
[where]
sigma = "sqrt(2*log(1.25/delta))/epsilon"
[claim.gaussian]
shift = "1"
scale = "sigma"
epsilon = "epsilon"
delta = "delta"
"""


def test_the_command(tmp_path, capsys):
    false, true = tmp_path / "false.toml", tmp_path / "true.toml"
    false.write_text(FILE)
    true.write_text(
        FILE.replace('"gauss"', '"small"').replace("0.01, 100", "0.5, 1").replace("1e-10, 0.1", "1e-6, 1e-3")
    )
    out, folder = tmp_path / "o.json", tmp_path / "certificates"
    assert run(["judge", str(false), str(true), "--json", str(out), "--certificates", str(folder)]) == 1
    document = json.loads(out.read_text())
    assert set(document) == {"schema", "theorems"} and document["schema"] == 1
    first, second = document["theorems"]
    assert set(first) == {
        "id",
        "verdict",
        "grade",
        "counterexample",
        "ratio",
        "certificates",
        "searched",
        "text",
    }
    assert (first["verdict"], second["verdict"]) == ("refuted", "proved")
    for one in (first, second):
        (path,) = one["certificates"]
        assert report_on(Path(path).read_text())["accepted"]
        assert "{" not in json.loads(Path(path).read_text())["quote"]["text"]
    assert {path.name for path in folder.iterdir()} == {"gauss.pair-shift.json", "small.region.json"}
    shown = capsys.readouterr().out
    assert "in the author's words (nothing is decided of them)" in shown and "formulas: For all" in shown
    assert run(["judge", str(true)]) == 0


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('scale = "sigma"', 'scale = "tau"', "unknown: tau"),
        ('scale = "sigma"', "", "claim.gaussian must be with scale"),
        ('sigma = "sqrt', 'sigma = "root', "where.sigma: the function root"),
        ("[claim.gaussian]", "[claim.gauss]", "claim must be one table"),
        ("[0.01, 100]", "[100, 0.01]", "symbols.epsilon: the range of a symbol"),
        ("[0.01, 100]", "[0.01, 1, 100]", "symbols.epsilon.real must be [low, high]"),
        ("{sigma} is", "{speed} is", "says"),
        ('shift = "1"', 'shift = "1"\nrho = "1"', "held against"),
        ('id = "gauss"', 'id = "a/../b"', "id must be"),
        ('id = "gauss"', "id = ", "not TOML"),
    ],
)
def test_a_wrong_file_gets_one_line_with_the_place(tmp_path, capsys, old, new, says):
    path = tmp_path / "wrong.toml"
    path.write_text(FILE.replace(old, new))
    assert run(["judge", str(path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and says in said and "wrong.toml" in said


def test_what_is_no_file_is_said(tmp_path):
    for theorem, why in ((3, "theorem must be the path"), (tmp_path, "Is a directory"),
                         (tmp_path / "none.toml", "theorem must be a file that is there")):  # fmt: skip
        with pytest.raises(InvalidInput, match=why):
            dpbench.judge(theorem)


X = {"x": {"real": [0, 2], "meaning": "a number"}, "n": {"integer": [1, 9]}}
THEOREMS = [
    case("full", X, {"inequality": {"left": "k", "relation": "<=", "right": "3"}}, says="{claim}", source="here",
         where={"k": "x + 1"}, given={"h": "x > 0", "g": {"holds": "n > 1", "why": "known"}}, region={"x": "(0, 2]"},
         steps=["It is."], relation="add"),
    case("laws", X, {"discrete": {"p": ["x/3", "rest"], "q": ["1/3", "rest"], "epsilon": "n"}}),
    case("steps", X, {"compose": {"piece": "p", "times": "n", "group": "1", "rho": "9*x"}}, pieces={"p": {"rho": "x"}}),
]  # fmt: skip
FREE = ("symbols", "where", "given", "region", "pieces", "claim")
"""Tables whose keys are names."""


def places(part, path=()):
    yield path, part
    for key, inner in part.items() if isinstance(part, dict) else ():
        yield from places(inner, (*path, key))


def changed(theorem, path, value):
    copy = json.loads(json.dumps(theorem))
    part = copy
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return copy


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda t: t["id"])
def test_each_part_of_a_theorem_is_of_its_type_and_known(theorem):
    """A yes is no text, number, list or table: it is refused by the place. So are its list, a table, a key too many."""
    read(theorem)
    for path, part in places(theorem):
        for value in (True, [True], *([] if isinstance(part, dict) else [{"banana": "1"}])) if path else ():
            with pytest.raises(InvalidInput, match=rf"^(a key of )?{re.escape('.'.join(path))}"):
                read(changed(theorem, path, value))
        if isinstance(part, dict) and path not in ((one,) for one in FREE):
            with pytest.raises(InvalidInput, match=r"^a key of .* must be one of .*, got '?banana"):
                read(changed(theorem, (*path, "banana"), "1"))


NEEDED = {
    "scale": lambda e: e > 0, "epsilon": lambda e: e >= 0, "delta": lambda e: e >= 0, "below_one": lambda e: e < 1,
}  # fmt: skip


@pytest.mark.parametrize(
    "interval", ["[0, 1]", "(0, 1)", "(0, 1]", "[0, 1)", "[-1, 1/2]", "[1/2, 2]", "(-9, 9)", "[1/2, 1/2]", "(1/2, 1)"]
)
def test_what_laws_need_is_asked_where_a_point_of_the_region_lacks_it(interval):
    """Of Gaussian noise whose scale, epsilon and delta are one number: a symbol from -1 to 2, or each value of it."""

    def asked(number, **more):
        claim = {"gaussian": {"shift": "1", "scale": number, "epsilon": number, "delta": number}}
        return {*required(read(case("laws", {"e": {"real": [-1, 2]}}, claim, **more)).statement)}

    low, high = map(Fraction, interval[1:-1].split(","))
    inside = [e for e in map(Fraction, ("-1", "0", "1/2", "3/4", "1", "2")) if low < e < high or (
        e == low and interval[0] == "[") or (e == high and interval[-1] == "]")]  # fmt: skip
    lacking = [{name for name, holds in NEEDED.items() if not holds(e)} for e in inside]
    assert asked("e", region={"e": interval}) == set().union(*lacking)
    for e, one in zip(inside, lacking, strict=True):
        assert e < 0 or asked(str(float(e))) == one


def test_what_cannot_be_judged_is_refused():
    mix = {"mixture": {"rate": "epsilon", "shift": "1", "scale": "1", "rho": "1"}}
    with pytest.raises(InvalidInput, match="sampled Gaussian"):
        dpbench.judge(case("mix", EPSILON, mix))
    with pytest.raises(InvalidInput, match="relation"):
        dpbench.judge(case("mix", EPSILON, mix, relation="replace"))
    for alpha, relation in (("3/2", "remove"), ("epsilon", "remove"), ("2", "add")):
        mix = {"mixture": {"rate": "1/2", "shift": "1", "scale": "1", "alpha": alpha, "tau": "1"}}
        with pytest.raises(InvalidInput, match="alpha must be an integer order"):
            dpbench.judge(case("mix", EPSILON, mix, relation=relation))
    with pytest.raises(InvalidInput, match="theorem"):
        dpbench.judge("no such file.toml")
