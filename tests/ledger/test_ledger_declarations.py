"""A claim declared in one place: what the decorators make of it, the rules from rows to verdicts, the registry."""

import math
import pickle
import shutil
import subprocess
import sys
import warnings
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import outside_paper
import pytest
from scipy.stats import skew

from dpbench.core.sampling import stream
from dpbench.core.validation import InvalidInput
from dpbench.ledger import registry, verify
from dpbench.ledger.attacks import Bound
from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import Evidence
from dpbench.ledger.paper import Paper
from dpbench.ledger.registry import PaperNotLoaded, all_claims
from dpbench.ledger.statement import Integer, Real, Statement, inequality, order
from dpbench.privacy.profile import gaussian_profile
from dpbench.rates import Logarithm
from dpbench.runs.context import RunContext

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def context():
    with RunContext(level="quick", seed=7, workers=1) as made:
        yield made


def profile(mu, kind):
    return gaussian_profile(mu, kind=kind, why="test")


def claim_of(kind, run, **fields):
    """A claim of a new paper whose function is `run`."""
    paper = Paper("new")
    expected = {"privacy": "proved", "rate": "consistent"}.get(kind, "not refuted")
    declare = getattr(paper, kind)
    declare("x", source="s", statement="a statement", expected=expected, because="a derivation", **fields)(run)
    (claim,) = paper.claims
    return claim


def test_the_decorators_declare_claims_in_order_and_leave_the_function_as_it_is():
    ids = [claim.id for claim in outside_paper.paper.claims]
    assert ids == ["toy.lemma1.inequality", "toy.lemma1.inequality.half", "toy.thm1.privacy.exact", "toy.thm2.floor"]
    first, half, *_ = outside_paper.paper.claims
    assert first.run.func is half.run.func is outside_paper.tangent
    assert half.source == first.source and half.level == first.level, "what the row does not say is shared"
    assert (half.weight, half.holds, first.weight, first.holds) == ("constant", first.id, None, "")
    assert first.module == "outside_paper" and first.derivation.startswith("The exponential")


def test_the_toy_claims_reach_their_verdicts(context):
    for claim in outside_paper.paper.claims:
        verdict, evidence = context.run(claim)
        assert verdict == claim.expected, claim.id
        assert evidence.seed == 7 and evidence.level == claim.level == 0.0
    evidence = context.run(outside_paper.paper.claims[1])[1]
    assert list(evidence.rows) == ["x", "left", "right", "margin"]
    assert evidence.value == evidence.margin == min(evidence.column("margin")) < 0.0
    assert evidence.notes[0].startswith("value: the smallest relative margin")
    assert evidence.notes[1:] == context.run(outside_paper.paper.claims[0])[1].notes[1:] == ("all x of the grid",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"expected": "consistent"}, "expected must be one of proved, refuted, not refuted"),
        ({"wieght": "range"}, "mean weight"),
        ({"rows": {"other": {"becuase": "b"}}}, "mean because"),
        ({"weight": "grave"}, "weight must be one of"),
        ({"weight": "range", "hurt": "nobody"}, "hurt must be one of"),
        ({"weight": "range", "hurt": "corner"}, "hurt must be of an entry with a weight, with a range"),
        ({"weight": "range", "hurt": "use: n > 1"}, "hurt must be of an entry with a weight, with a range"),
        ({"hurt": "letter"}, "hurt must be of an entry with a weight"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(change, message):
    fields = {"source": "s", "statement": "t", "expected": "refuted", "because": "b"} | change
    with pytest.raises(InvalidInput, match=message):
        Paper("new").inequality("x", **fields)(lambda run: [])


def test_an_id_is_declared_once():
    paper = Paper("new")
    declare = partial(paper.floor, source="s", statement="t", expected="refuted", because="b")
    declare("x")(outside_paper.coin)
    declare("x")(outside_paper.coin)  # as when its module is imported again
    assert len(paper.claims) == 1
    with pytest.raises(InvalidInput, match=r"id must be new, not that of a claim in outside_paper"):
        declare("x")(outside_paper.gaussian)


def test_the_order_of_a_papers_modules_names_those_that_there_are():
    with pytest.raises(
        InvalidInput, match=r"order must be names of modules in dpbench\.papers\.glm\.theorems, got 'no'"
    ):
        _ = Paper("new", package="dpbench.papers.glm.theorems", order=("no",)).claims


def test_the_witness_of_a_paper_is_that_of_its_corrections():
    paper = Paper("new", witness="read twice")
    for name, own in (("x", ""), ("y", "read once")):
        errata = Correction("s", "for 1 read 2", witness=own)
        paper.floor(name, source="s", statement="t", expected="refuted", because="b", errata=errata)(outside_paper.coin)
    assert [claim.errata.witness for claim in paper.claims if claim.errata] == ["read twice", "read once"]


def test_privacy_rows(context):
    good, bad = profile(0.1, "exact"), profile(3.0, "exact")

    def verdict(*rows):
        return profiles(rows)[0]

    target = {"epsilon": 1.0, "delta": 1e-5}
    assert verdict(target | {"guarantee": good}) == "proved"
    assert verdict(target | {"guarantee": bad}) == "not refuted", "a guarantee that is too weak refutes nothing"
    assert verdict(target | {"pair": good}) == "not refuted", "one pair proves nothing"
    assert verdict(target | {"guarantee": good}, target | {"pair": bad}) == "refuted"
    attacks = {
        at: Bound.of({"bound": at, "delta": 1e-5, "level": 2e-7, "runs": 0, "hits": 0, "neighbour hits": 0})
        for at in (0.0, 0.5, 0.99, 1.01)
    }
    assert verdict(target | {"guarantee": good}, target | {"attack": attacks[1.01]}) == "refuted"
    assert verdict(target | {"guarantee": good}, target | {"attack": attacks[0.99]}) == "proved"
    tie = {"epsilon": 1.0, "delta": good.delta(1.0)}  # of what is undecided only a proof or a refutation makes more
    assert verdict(tie | {"guarantee": good}) == "undecided"
    assert verdict(tie | {"guarantee": good}, target | {"pair": good}) == "undecided"
    assert verdict(tie | {"pair": good}, target | {"guarantee": bad}) == "undecided"
    assert verdict(tie | {"pair": good}, target | {"guarantee": good}) == "proved"
    _, evidence = profiles([target | {"n": 3, "pair": bad}, *(target | {"attack": attacks[at]} for at in (0.5, 0.0))])
    assert evidence.column("n") == [3] and evidence.column("attack_epsilon_lower") == [0.5, 0.0]
    assert evidence.level == 4e-7
    assert evidence.value == pytest.approx(bad.delta(1.0) / 1e-5)


@pytest.mark.parametrize(("true", "verdict"), [(-1.0, "consistent"), (-0.8, "inconsistent")])
def test_rate_rows(context, true, verdict):
    """Planted: a slope 0.2 slower than the ceiling's."""

    def points(run):
        rng = stream("declared rate", true)
        for x in (100.0, 300.0, 900.0, 2700.0):
            yield {"n": x, "samples": x**true * rng.gamma(16.0, 1.0 / 16.0, 400), "ceiling": 5.0 / x, "zero": 1.0}

    claim = claim_of("rate", points, side="upper")
    found, evidence = claim.measure(context)
    assert found == verdict and evidence.reference == pytest.approx(-1.0)
    measures = ["measured", "standard error", "skewness", "ceiling", "over ceiling", "data sets", "zero"]
    assert list(evidence.rows) == ["n", *measures] and evidence.column("zero") == [1.0] * 4
    samples = [row["samples"] for row in points(None)]
    assert evidence.column("skewness") == pytest.approx([float(skew(part)) for part in samples])
    assert evidence.level == 1e-6 and evidence.trials == 1600
    assert evidence.interval[0] < true < evidence.interval[1]
    assert evidence.allowance == (0.0, 0.0) and "leaves no logarithm" in evidence.notes[1]
    open_logarithm = Logarithm(0.0, 2.0)  # (log n)^2 has the slope 0.33 on this grid
    wide = claim_of("rate", points, side="upper", nuisances=(open_logarithm,)).measure(context)
    assert wide[0] == "consistent" and wide[1].allowance[1] == pytest.approx(0.3269, abs=1e-3)
    assert str(open_logarithm) in wide[1].notes[1]
    coarse = claim_of("rate", points, side="upper", resolution=1e-3, nuisances=(open_logarithm,))
    assert coarse.digest != claim_of("rate", points, side="upper", resolution=1e-3).digest
    own = Evidence(-1.0, interval=(-1.1, -0.9), reference=-1.0, notes=("value: a slope",))
    assert claim_of("rate", lambda run: ("undecided", own), side="upper").measure(context)[0] == "undecided"
    wide = Evidence(-1.0, interval=(-1.3, -0.7), reference=-1.0, notes=("value: a slope",))
    assert claim_of("rate", lambda run: wide, side="tight").measure(context)[0] == "undecided"
    with pytest.raises(InvalidInput, match="nuisances must be empty"):
        claim_of("floor", points, nuisances=(open_logarithm,))


def test_what_gives_no_verdict_is_a_fault(context):
    with pytest.raises(RuntimeError, match="no verdict on a claim of kind inequality"):
        claim_of("inequality", lambda run: Evidence(1.0)).measure(context)
    with pytest.raises(RuntimeError, match="no verdict on a claim of kind privacy"):
        claim_of("privacy", lambda run: Evidence(1.0, margin=1.0)).measure(context)
    with pytest.raises(RuntimeError, match="spends the error level 0"):
        claim_of("floor", lambda run: Evidence(1.0, margin=1.0, level=1e-3), level=1e-6).measure(context)
    with pytest.raises(ArithmeticError, match="not a number"):
        claim_of("floor", lambda run: Evidence(1.0, margin=np.nan)).measure(context)
    for place in range(3):  # one row in three, first or last: `min` alone may pass over it
        rows = [{"left": math.nan if k == place else 0.5, "right": 1.0} for k in range(3)]
        with pytest.raises(ArithmeticError, match="not a number"):
            claim_of("inequality", lambda run, rows=rows: iter(rows)).measure(context)


def test_every_claim_travels_to_a_worker_by_name():
    for claim in (*all_claims(), *outside_paper.paper.claims):
        back = pickle.loads(pickle.dumps(claim))
        assert back.id == claim.id
        assert getattr(back.run, "func", back.run) is getattr(claim.run, "func", claim.run)


@pytest.fixture
def installed(monkeypatch):
    """Give the registry entry points of other packages."""

    def put(**values):
        points = [EntryPoint(name, value, registry.GROUP) for name, value in values.items()]
        monkeypatch.setattr(registry, "entry_points", lambda group: points)
        registry.forget()

    yield put
    registry.forget()


def test_outside_papers_are_found_and_run_like_ours(installed):
    installed(toy="outside_paper:paper")
    assert {paper.name for paper in registry.all_papers()} == {"glm", "heavytail", "publicdata", "toy"}
    made = verify.verify(paper="toy", workers=1)
    assert made.as_expected and len(made.entries) == 4
    half = made.to_dict()["claims"][1]
    assert half["weight"] == "constant" and half["holds"] == "toy.lemma1.inequality" and half["rests_on"] == []


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("no_such_module:paper", "ModuleNotFoundError"),
        ("outside_paper:nothing", "AttributeError"),
        ("outside_paper:tangent", "not a dpbench.ledger.Paper"),
        ("broken_paper:paper", "SystemExit"),
        ("glm_twice:paper", "another paper has the name 'glm'"),
    ],
)
def test_a_broken_paper_costs_one_message(installed, monkeypatch, tmp_path, value, reason):
    (tmp_path / "broken_paper.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "glm_twice.py").write_text("from dpbench.ledger import Paper\npaper = Paper('glm')\n")
    monkeypatch.syspath_prepend(tmp_path)
    installed(broken=value, toy="outside_paper:paper")
    with pytest.warns(PaperNotLoaded, match=reason) as said:
        names = [paper.name for paper in registry.all_papers()]
    assert names == ["glm", "heavytail", "publicdata", "toy"] and len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(registry.all_papers()) == 4, "said once"


def test_an_older_installed_version_of_ours_is_not_asked(installed):
    installed(glm="dpbench.claims.glm.entries:paper", old="dpbench.gone:paper")
    assert [paper.name for paper in registry.all_papers()] == ["glm", "heavytail", "publicdata"]


CLAIM = '''
from dpbench.papers.{folder}.theorems import paper


@paper.inequality("toy", source="none", statement="0 <= 1.", expected="not refuted", because="It is so.")
def toy(run):
    """Two numbers."""
    yield {{"left": 0.0, "right": 1.0}}
'''


@pytest.mark.process
def test_a_claim_is_one_file_and_a_paper_one_folder(tmp_path):
    """In a copy: one new file, one new folder, and no other line changed."""
    copy = tmp_path / "dpbench"
    shutil.copytree(ROOT / "dpbench", copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "lowerbounds", tmp_path / "lowerbounds", ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "papers" / "glm" / "theorems" / "toy.py").write_text(CLAIM.format(folder="glm"))
    folder = copy / "papers" / "added" / "theorems"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    (folder / "__init__.py").write_text(
        "from dpbench.ledger.paper import Paper\n\npaper = Paper('added', package=__name__)\n"
    )
    (folder / "toy.py").write_text(CLAIM.format(folder="added"))
    line = [sys.executable, "-m", "dpbench.cli", "verify", "*.toy.inequality", "--workers", "1"]
    done = subprocess.run(line, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "glm.toy.inequality" in done.stdout and "added.toy.inequality" in done.stdout


@pytest.mark.process
def test_an_installed_paper_that_breaks_is_one_line_for_the_command_line(tmp_path):
    """Found by its own metadata, as a package that was installed."""
    folder = tmp_path / "broken-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[dpbench.papers]\nbroken = broken_module:paper\n")
    (tmp_path / "broken_module.py").write_text("import no_such_module\n")
    environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    line = [sys.executable, "-m", "dpbench.cli", "show", "glm.lemma2.inequality"]
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and "glm.lemma2.inequality" in done.stdout
    (said,) = done.stderr.splitlines()
    assert said.startswith("dpbench: paper 'broken' (broken_module:paper) is left out: ModuleNotFoundError")


def test_what_no_instance_meets_is_vacuous(context):
    verdict, evidence = claim_of("inequality", lambda run: iter(())).measure(context)
    assert verdict == "vacuous" and "no row" in evidence.notes[0] and evidence.decided == "tried"
    nowhere = Statement("", {"x": Real("a number", 0, 1)}, inequality("x", "<=", "2*x + 1"), given={"h": "x > 2"})
    paper = Paper("new")
    paper.formula("x", nowhere, source="s", expected="vacuous")
    assert paper.claims[0].measure(context)[0] == "vacuous"


def said(bound, relation="<=", **fields):
    symbols = {"x": Real("a number", 1, 100)}
    return Statement("{claim}", symbols, inequality("exp(-x)", relation, "bound"), where={"bound": bound}, **fields)


POINTS = [{"x": x} for x in (1, "3/2", 8.0)]
NEW = {"source": "s", "expected": "refuted", "weight": "range", "because": "b"}


def test_a_slip_is_measured_by_its_formulas_at_the_same_points_as_its_correction(context):
    paper = Paper("new")
    printed = said("exp(-x)/2", witness={"x": 2}, steps=("half",))
    corrected = {"where": {"bound": "2*exp(-x)"}, "steps": ("twice",)}
    paper.slip("x", printed, corrected=corrected, source="s", points=POINTS, quote="q")
    claims = paper.claims
    assert [(c.id, c.entry, c.derivation, c.weight, c.hurt, c.quote) for c in claims] == [
        ("new.x.inequality", "new.x.inequality", "half", "misprint", "letter", "q"),
        ("new.x.inequality.corrected", "new.x.inequality", "twice", None, "", "")]  # fmt: skip
    assert claims[0].holds == claims[1].id and {c.module for c in claims} == {__name__}
    assert __name__ in claims[0].code.modules
    for claim, factor in zip(claims, (0.5, 2.0), strict=True):
        verdict, evidence = pickle.loads(pickle.dumps(claim)).measure(context)
        assert verdict == claim.expected and evidence.rows["x"] == [1.0, 1.5, 8.0, 2.0]
        exact = np.exp(-np.array(evidence.rows["x"]))
        np.testing.assert_allclose(evidence.rows["left"], exact, rtol=1e-14)
        np.testing.assert_allclose(evidence.rows["right"], factor * exact, rtol=1e-14)
        assert evidence.rows["bound"] == evidence.rows["right"]
    other = Paper("new")
    other.slip("x", printed, corrected=corrected, source="s", points=POINTS[:2])
    assert [a.digest != b.digest for a, b in zip(claims, other.claims, strict=True)] == [True, True]


@pytest.mark.parametrize(("to", "verdict"), [("x^2", "not refuted"), ("x", "refuted")])
def test_an_order_is_evaluated_along_its_variable(context, to, verdict):
    paper = Paper("new")
    grows = Statement("{claim}", {"x": Integer("a count", 1, "inf")}, order("x^2/4", to=to, variable="x"))
    paper.formula("x", grows, points=[{"x": 4**k} for k in range(5)], kind="floor", **NEW)
    found, evidence = paper.claims[0].measure(context)
    assert paper.claims[0].module == __name__
    assert str(evidence.rows["x"]) == "[1, 4, 16, 64, 256]"  # integers
    assert found == verdict and evidence.rows["ratio"][-1] == pytest.approx(4.0 if to == "x^2" else 4.0 / 256.0)


@pytest.mark.parametrize(("change", "point", "message"), [
    ({}, 101, "a point must be one at which x <= 100"), ({"given": {"h": "x >= 2"}}, 1, "a point .* x >= 2"),
    ({"relation": "<"}, 2, "relation .* must be one of <=, >="),
])  # fmt: skip
def test_a_point_that_the_statement_does_not_have_is_refused(context, change, point, message):
    paper = Paper("new")
    paper.formula("x", said("2", **change), points=[{"x": point}], **NEW)
    with pytest.raises(InvalidInput, match=message):
        paper.claims[0].measure(context)
    with pytest.raises(InvalidInput, match="a symbol of a point must be one of x"):
        paper.formula("y", said("2"), points=[{"y": 1}], **NEW)
