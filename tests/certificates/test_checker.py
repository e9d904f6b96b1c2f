"""The checker by itself: what it reads, refuses, decides, prints, and that it stands alone."""

import ast
import contextlib
import json
import subprocess
import sys
import venv
from pathlib import Path

import dpbench_check as checker
import flint
import pytest
from certificate_mutations import changed
from flint import ctx
from whole_certificates import report

from dpbench.certificates.build import seal

SOURCE = Path(checker.__file__)
FOLDER = Path(__file__).resolve().parents[2] / "evidence" / "certificates"
NONE = checker.Scope({}, {})


def inequality(**changes):
    """Lemma 9, the smallest certificate there is, whose H is a symbol with an assumption; with changes."""
    made = json.loads((FOLDER / "glm.lemma9.inequality.inequality.json").read_text(encoding="utf-8"))
    made["symbols"]["H"] = "smoothness"
    made["definitions"] = [line for line in made["definitions"] if line[0] != "H"]
    made["assumptions"] = [{"id": "loss", "formula": "H = 2", "why": "the squared loss (<w, x> - y)^2"}]
    made["derivation"][-1]["needs"] = ["loss"]
    for instance in made["instances"]:
        instance["values"]["H"] = "2"
    made |= changes
    return made | {"digest": seal(made)}


def because(certificate):
    answer = report(certificate)
    assert not answer["accepted"]
    return str(answer["because"])


def test_no_text_is_run_as_code():
    calls = [node.func for node in ast.walk(ast.parse(SOURCE.read_text("utf-8"))) if isinstance(node, ast.Call)]
    called = {function.id for function in calls if isinstance(function, ast.Name)}
    assert "report_on" in called and not called & {"eval", "exec", "compile", "__import__"}


@pytest.mark.parametrize("text", ["0.5", "1/0", "1/-2", "1e3", "", "a", "1/2/3", " 1", "৪", "1_0", "1\n"])
def test_what_is_no_rational_is_refused(text):
    with pytest.raises(checker.Refused):
        checker.rational(text)


@pytest.mark.parametrize(
    "relation", ["2 < 1", "2 <= 1", "1 > 2", "1 >= 2", "exp(1) > 3",
                 "1/3 < 1/3", "sqrt(2)^2 < 2", "log(2) > log(2)", "1/(1 - 1) >= 0", "log(-1) < 0", "sqrt(-1) < 1",
                 "0^(-1) > 0", "sqrt(0)^0 >= 1",
                 "betatail(2, 1, 1) <= 9", "gaussian_delta(-1, 1) < 1", "exp(1) = 3"],
)  # fmt: skip
def test_nothing_false_or_undefined_is_decided_true(relation):
    with contextlib.suppress(checker.Refused):
        assert not checker.decide(*checker.parse(relation, True), NONE)


@pytest.mark.parametrize(
    "relation", ["sqrt(2)^2 <= 2", "sqrt(2)*3/sqrt(2) = 3", "log(2)/log(2) = 1",
                 "exp(1)*2 > 5", "sqrt(3)*log(2)/(log(2)*sqrt(3)) = 1", "exp(3/10^40) > 1"],
)  # fmt: skip
def test_equality_of_products_and_close_numbers_are_decided(relation):
    assert checker.decide(*checker.parse(relation, True), NONE)


def checked(check, shows, verdict="refuted", **parts):
    """What one check says of a claim without symbols, whose parts are texts, lists of texts or as they stand."""
    ctx.prec = 128

    def read(part):
        if isinstance(part, list) and all(isinstance(one, str) for one in part):
            return [checker.parse(one) for one in part]
        return checker.parse(part) if isinstance(part, str) else part

    claim = {name: read(part) for name, part in parts.items()} | {"verdict": verdict}
    return str(check(claim, shows, NONE)[:2])


def test_a_pair_of_laws_is_of_weights_and_of_an_event_without_repeats():
    """P(E) − Q(E) = 3/4 − 1/4 beyond δ = 1/4; a repeated outcome, a negative weight and δ itself would say more."""
    laws = {"p": ["3/4", "1/4"], "q": ["1/4", "3/4"], "epsilon": "0", "delta": "1/4"}
    half, one = {"delta": ["1/2", "1/2"]}, {"delta": ["1", "1"]}
    assert "1/2 > 1/4" in checked(checker.pair_discrete, half, **laws, event=[0])
    for shows, changes, said in (
        (one, {"event": [0, 0]}, "an event lists outcomes"),
        ({"delta": ["0", "0"]}, {"event": [1, 0]}, "an event lists outcomes"),
        (one, {"event": [0], "p": ["5/4", "-1/4"]}, "a weight"),
        (half, {"event": [0], "delta": "1/2"}, "exceeds the delta claimed"),
    ):
        with pytest.raises(checker.Refused, match=said):
            checked(checker.pair_discrete, shows, **laws | changes)


def test_what_a_certificate_claims_is_decided():
    assert "the claimed inequality is broken" in because(
        inequality(claim={"left": "(B*X + Y)^2", "relation": ">=", "right": "Delta"})
    )


def test_a_bare_inequality_is_refused():
    claim = {"left": "a", "relation": "<=", "right": "b"}
    shows = {"left": ["9048/10000", "9048/10000"], "right": ["2382/10000", "2382/10000"]}
    bare = inequality(
        symbols={"a": "left side", "b": "right side"}, definitions=[], assumptions=[], claim=claim, derivation=[],
        instances=[{"values": {"a": "9048/10000", "b": "2382/10000"}, "shows": shows}],
    )  # fmt: skip
    assert "bare" in because(bare)
    literal = bare | {"claim": claim | {"left": "9048/10000", "right": "2382/10000"}, "symbols": {}}
    literal["instances"] = [{"values": {}, "shows": shows}]
    assert "bare" in because(literal | {"digest": seal(literal)})


def test_a_formula_in_one_symbol_is_enough():
    one = inequality(
        symbols={"x": "a number"}, definitions=[], assumptions=[], derivation=[],
        claim={"left": "x^2", "relation": "<=", "right": "x"},
        instances=[{"values": {"x": "2"}, "shows": {"left": ["4", "4"], "right": ["2", "2"]}}],
    )  # fmt: skip
    answer = report(one)
    assert answer["accepted"] and answer["line"] == "REFUTES x^2 <= x at x = 2: 4 > 2" and answer["left"] == []


def test_decimals_are_refused_wherever_they_stand():
    base = inequality()
    for path in (("claim", "left"), ("instances", 0, "values", "B"), ("instances", 0, "shows", "left", 0)):
        because(changed(base, path, "1.0"))
    assert "p/q" in str(checker.report_on(json.dumps(base).replace('"schema": 3', '"schema": 3.0'))["because"])


def test_form_is_strict():
    base = inequality()
    assert report(base)["accepted"]
    assert "digest" in because(base | {"statement": "another"})
    assert "what is shown" in because(changed(base, ("instances", 0, "shows", "more"), ["1", "1"]))
    assert "quote" in because(inequality(quote=base["quote"] | {"text": "another sentence"}))
    assert "this kind decides" in because(inequality(verdict="proved"))
    assert "symbols" in because(inequality(symbols=base["symbols"] | {"unused": "nothing"}))
    step = {"says": "nothing", "needs": []}
    assert "derivation" in because(inequality(derivation=[step]))
    assert "derivation" in because(inequality(assumptions=[]))
    assert "instance" in because(inequality(instances=[]))
    assert "each once" in str(checker.report_on('{"id": 1, "id": 2}')["because"])
    assert "wide" in because(changed(base, ("instances", 0, "shows", "left"), ["0", "100"]))
    for text in ("", "[]", "3", "null", "{", json.dumps({"kind": "inequality"})):
        assert not checker.report_on(text)["accepted"]


def test_definitions_come_in_order():
    base = inequality()
    definitions = [["Delta", "Y^2 + more"], ["more", "H*B^2*X^2"]]
    assert "not yet there" in because(inequality(definitions=definitions))
    ordered = inequality(definitions=definitions[::-1])
    assert report(ordered)["accepted"]
    assert "repeats" in because(inequality(definitions=[["B", "1"], *base["definitions"]]))


def run(*arguments):
    """The file alone, in a process that finds nothing of ours."""
    command = [sys.executable, "-P", str(SOURCE), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=SOURCE.parent, env={"PATH": ""}, check=False)


@pytest.mark.process
def test_exit_status(tmp_path):
    good = FOLDER / "glm.lemma9.inequality.inequality.json"
    bad = tmp_path / "bad.json"
    bad.write_text(good.read_text(encoding="utf-8").replace('"<="', '">="'), encoding="utf-8")
    assert run(str(good)).returncode == 0
    both = run("--json", str(good), str(bad))
    assert both.returncode == 1
    answer = json.loads(both.stdout)
    assert [file["accepted"] for file in answer["files"]] == [True, False] and not answer["accepted"]
    for wrong in ((), ("--json",), ("--no-such-option", str(good)), (str(tmp_path / "missing.json"),)):
        found = run(*wrong)
        assert found.returncode == 2 and found.stderr and "Traceback" not in found.stderr


@pytest.mark.process
def test_all_certificates_in_an_environment_with_python_flint_alone(tmp_path):
    """A fresh virtual environment that has python-flint of this one, linked, and nothing else: no package of ours."""
    venv.create(tmp_path / "fresh", with_pip=False)
    python = next((tmp_path / "fresh").glob("*/python"))
    where = [python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    site = Path(subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip())
    for part in Path(flint.__file__).parents[1].glob("*flint*"):
        (site / part.name).symlink_to(part)
    bare = [python, "-I", "-c", "import dpbench"]
    assert "No module named 'dpbench'" in subprocess.run(bare, capture_output=True, text=True).stderr
    files = sorted(map(str, FOLDER.glob("*.json")))
    line = [python, "-I", str(SOURCE), "--json", *files]
    ran = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    answer = json.loads(ran.stdout)
    assert answer["accepted"] and len(answer["files"]) == len(files) >= 90
