"""Small papers of outsiders that were once decided wrongly, and others of their kind."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from made_up import claim

from dpbench import audit, judge
from dpbench.core.validation import InvalidInput
from dpbench.ledger import Paper, grades
from dpbench.ledger.grades import Basis
from dpbench.ledger.harness import ASSUMED
from dpbench.ledger.samples import Samples, bounded
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.ledger.verify import verify
from dpbench.ledger.words import DECIDED, LINKS
from dpbench.privacy.discrete import pair
from dpbench.privacy.profile import discrete_profile, gaussian_profile, pure_profile

SAID = {"source": "s", "statement": "s", "because": "b"}
LEVELS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)


def found(paper, seed=0):
    """Entries by the name of their result."""
    made = verify(paper, seed=seed)
    assert not made.not_run, made.not_run
    return {entry.claim.id.split(".")[1]: entry for entry in made.entries}


def refusal(paper):
    """Why its one claim was not run."""
    made = verify(paper)
    assert not made.entries
    return made.not_run[0]["reason"]


def test_randomised_response_and_releasing_the_data():
    paper = Paper("rr")

    def law(e, exactly):
        p = math.exp(e) / (1 + math.exp(e))
        formulas = ["exp(e)/(1 + exp(e))", "1/(1 + exp(e))"]
        made = pair(formulas, formulas[::-1], {"e": e}) if exactly else pair([p, 1 - p], [1 - p, p])
        return discrete_profile(made, why="exact law")

    def rows(kind, exactly):
        return lambda run: ({"epsilon": e, "delta": 0.0, kind: law(e, exactly)} for e in LEVELS)

    for exactly in (False, True):
        for kind in ("pair", "guarantee"):
            name = f"{kind}_{'formulas' if exactly else 'floats'}"
            paper.privacy(name, expected="not refuted", **SAID)(rows(kind, exactly))
    paper.privacy("derived", expected="proved", proof="https://example.org/rr", **SAID)(rows("guarantee", True))
    paper.privacy("too_small", expected="refuted", **SAID)(
        lambda run: ({"epsilon": 0.999 * e, "delta": 0.0, "pair": law(e, True)} for e in LEVELS)
    )
    paper.privacy("in_clear", expected="proved", **SAID)(
        lambda run: [{"epsilon": 0.1, "delta": 0.0, "guarantee": pure_profile(0.1, why="trust me")}]
    )
    paper.privacy("clear_gaussian", expected="proved", **SAID)(
        lambda run: [{"epsilon": 0.1, "delta": 0.1, "guarantee": gaussian_profile(0.01, kind="exact", why="trust me")}]
    )
    made = found(paper)
    verdicts = {name: (entry.verdict, entry.basis.grade) for name, entry in made.items()}
    assert verdicts == {
        "pair_floats": ("undecided", "assumed"),
        "guarantee_floats": ("undecided", "assumed"),
        "pair_formulas": ("not refuted", "tried"),
        "guarantee_formulas": ("not refuted", "assumed"),
        "derived": ("proved", "derivation"),
        "too_small": ("refuted", "assumed"),
        "in_clear": ("not refuted", "assumed"),
        "clear_gaussian": ("not refuted", "assumed"),
    }
    assert ASSUMED in made["in_clear"].evidence.notes


def test_a_proof_is_a_file_that_is_there_or_an_address():
    paper = Paper("proofs")
    given = {"here": Path(__file__).name, "part": f"{Path(__file__).name}#lemma", "absent": "proof.md", "empty": ""}
    for name, place in given.items():
        paper.privacy(name, expected="proved", proof=place, **SAID)(_gaussian)
    assert {name: entry.verdict for name, entry in found(paper).items()} == {
        "here": "proved", "part": "proved", "absent": "not refuted", "empty": "not refuted",
    }  # fmt: skip


@pytest.mark.parametrize(("right", "verdict"), [("x*4", "proved"), ("x", "not refuted")])
def test_a_certificate_of_a_longer_formula_is_none_of_its_beginning(right, verdict, tmp_path, monkeypatch):
    """2x <= 4x is certified; 2x <= x is false, and no row here is a point where it shows."""
    sides = {"left": "2*x", "relation": "<=", "right": "x*4"}
    theorem = {"id": "cut.x.inequality", "symbols": {"x": {"real": [0, 2]}}, "claim": {"inequality": sides}}
    (certificate,) = judge(theorem, seconds=2.0).certificates
    (tmp_path / "cut.json").write_text(json.dumps(certificate))
    monkeypatch.setattr(grades, "place_of_certificates", lambda claim: tmp_path)
    paper = Paper("cut")
    statement = Statement("{claim}", {"x": Real("a number", 0, 2)}, inequality("2*x", "<=", right))
    paper.formula("x", statement, points=[{"x": 0}], source="s", because="b", expected=verdict)
    assert found(paper)["x"].verdict == verdict


def _gaussian(run):
    yield {"epsilon": 1.0, "delta": 1e-4, "guarantee": gaussian_profile(0.25, kind="exact", why="a shift")}


def _exponential(run, size=1000, sampled=True, factor=1.0):
    """factor ≤ E Exp(1) = 1."""
    draws = np.random.default_rng([run.seed, 1]).exponential(size=size)
    yield {"n": size, "left": factor, "right": Samples(draws) if sampled else float(draws.mean())}
    return "of a law"


def test_a_mean_of_draws_is_judged_at_the_level():
    paper = Paper("flip")
    paper.inequality("samples", expected="not refuted", level=1e-6, **SAID)(lambda run: _exponential(run))
    paper.inequality("false", expected="refuted", level=1e-4, **SAID)(
        lambda run: _exponential(run, 20_000, factor=1.05)
    )
    for seed in range(4):
        made = found(paper, seed)
        assert made["samples"].verdict == "not refuted" and made["false"].verdict == "refuted"
        assert made["samples"].basis.grade == made["false"].basis.grade == "sampled"
        assert (made["samples"].evidence.level, made["false"].evidence.level) == (1e-6, 1e-4)
        notes = made["samples"].evidence.notes
        assert "of a law" in notes and "Student's t" in " ".join(notes)
    assert verify(paper, seed=0).error_budget == pytest.approx(1.01e-4)


def test_an_entry_without_a_level_is_not_given_the_seed():
    """A mean below 1 at seed 2, as a bare number, would refute what is true."""
    paper = Paper("bare")
    paper.inequality("mean", expected="not refuted", **SAID)(lambda run: _exponential(run, sampled=False))
    assert "level of bare.mean.inequality must" in refusal(paper)


@pytest.mark.parametrize("kind", ["inequality", "floor", "stability"])
def test_a_level_that_nothing_uses_is_refused(kind):
    paper = Paper("levels")
    getattr(paper, kind)("bare", expected="not refuted", level=1e-6, **SAID)(
        lambda run: _exponential(run, sampled=False)
    )
    assert "level of levels.bare" in refusal(paper) and "Samples" in refusal(paper)


def test_bounds_cover_at_their_level():
    """Null: E X = 1/2 exactly, X in [0, 1], at level 1/20 with a known range and without; 2,000 seeds each.

    More than 160 refutations (expected at most 100, Chernoff: below 1e-7) would say that the bound is too narrow. The
    smallest error caught is planted: a bound at half its width refutes far more often.
    """
    rng = np.random.default_rng(5)
    wrong = {"range": 0, "nominal": 0, "half": 0}
    for _ in range(2000):
        draws = rng.random(200)
        for name, within in (("range", (0.0, 1.0)), ("nominal", None)):
            (row,), _, _ = bounded([{"left": Samples(draws, within), "right": 0.5}], 0.05)
            wrong[name] += row["left"] > 0.5
            if name == "nominal":
                wrong["half"] += (row["left"] + draws.mean()) / 2.0 > 0.5
    assert wrong["range"] <= wrong["nominal"] <= 160 < wrong["half"]


@pytest.mark.parametrize(
    ("values", "within", "message"),
    [([1.0], None, "Samples must be at least two"), ([0.0, 2.0], (0.0, 1.0), "Samples must be within"),
     ([0.0, 1.0], (1.0, 0.0), "within must be"), ([0.0, math.nan], None, "Samples must be"),
     ([1.0, 1.0], None, "Samples must be of different numbers")],
)  # fmt: skip
def test_samples_that_are_none_are_refused(values, within, message):
    with pytest.raises(InvalidInput, match=message):
        Samples(values, within)


def test_rows_of_another_shape_are_refused():
    whole = {"epsilon": 1.0, "delta": 0.0, "guarantee": pure_profile(1.0, why="trust me")}
    for row, message in (
        ({}, "epsilon and delta"), ({"epsilon": 1.0, "delta": 0.0}, "guarantee or pair"),
        (whole | {"epsilon": 0.0}, "epsilon must be a finite number > 0, got 0"),
        (whole | {"epsilon": math.nan}, "epsilon must be a finite number > 0"),
        (whole | {"delta": 1.0}, "delta must be a number in [0, 1), got 1"),
        (whole | {"delta": -1e-9}, "delta must be a number in [0, 1)"),
    ):  # fmt: skip
        paper = Paper("shape")
        paper.privacy("one", expected="not refuted", **SAID)(lambda run, row=row: [row])
        assert message in refusal(paper)


def test_an_attack_is_a_bound_whose_level_the_entry_pays():
    """A level of 1e-6 pays neither for an audit of confidence 0.6 nor for two of 1 - 1e-6: no verdict."""

    def refuting(count, confidence):
        for seed in range(count):
            given = {"epsilon": 1.0, "trials": 2_000, "confidence": confidence, "seed": seed}
            yield {"epsilon": 1.0, "delta": 0.0, "attack": audit(noisy, 0.0, 4.0, **given)}

    def noisy(data, trials, rng):
        return data + rng.laplace(size=trials)

    paper = Paper("attacks")
    paper.privacy("paid", expected="refuted", level=0.4, **SAID)(lambda run: refuting(1, 0.6))
    paper.privacy("dear", expected="refuted", level=1e-6, **SAID)(lambda run: refuting(1, 0.6))
    paper.privacy("twice", expected="refuted", level=1e-6, **SAID)(lambda run: refuting(2, 1.0 - 1e-6))
    row = {"epsilon": 1.0, "delta": 0.0, "attack": 2.0}
    paper.privacy("word", expected="refuted", level=1e-6, **SAID)(lambda run: [row])
    paper.privacy("other", expected="refuted", level=1e-6, **SAID)(
        lambda run: [row | {"delta": 1e-5, "attack": audit(noisy, 0.0, 4.0, epsilon=1.0, trials=2_000)}]
    )
    ledger = verify(paper)
    assert [(entry.claim.id, entry.verdict, entry.basis.grade) for entry in ledger.entries] == [
        ("attacks.paid.privacy", "refuted", "sampled")
    ]
    why = {item["id"].split(".")[1]: item["reason"] for item in ledger.not_run}
    assert "spends the error level 0.4, beyond the 1e-06" in why["dear"]
    assert "spends the error level 2e-06, beyond the 1e-06" in why["twice"]
    assert "attack must be an AuditResult, or of attack_bounds, got 2.0" in why["word"]
    assert "the delta of an attack must be the claimed 1e-05 or more, got 0.0" in why["other"]


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("decided", DECIDED)
def test_a_grade_is_what_decided_or_what_links(decided, link):
    grade = Basis(decided, link).grade
    assert grade in (decided, link) and (grade == "assumed") == (link == "assumed")
    assert Basis("exact", "derivation").grade == "derivation", "the weaker of the two"


def test_a_rate_is_never_decided_exactly():
    for kind, verdict, decided in (("rate", "inconsistent", "tried"), ("floor", "refuted", "exact")):
        made = claim(f"glm.x.{kind}", verdict, kind, verdict, **({"side": "upper"} if kind == "rate" else {}))
        assert grades.basis(made, verdict, {"level": 0.0}).decided == decided
        assert grades.basis(made, verdict, {"level": 1e-6}).decided == "sampled"


def test_the_document_has_grade_decided_link_and_origin():
    paper = Paper("keys")
    paper.privacy("thm", expected="proved", proof="https://example.org", origin="folklore", **SAID)(_gaussian)
    paper.inequality("control", expected="refuted", origin="control", **SAID)(lambda run: [{"left": 2.0, "right": 1.0}])
    document = json.loads(json.dumps(verify(paper).to_dict()))
    assert document["schema"] == 3
    keys = [
        {name: one[name] for name in ("verdict", "grade", "decided", "link", "origin")} for one in document["claims"]
    ]
    assert keys == [
        {"verdict": "proved", "grade": "derivation", "decided": "exact", "link": "derivation", "origin": "folklore"},
        {"verdict": "refuted", "grade": "assumed", "decided": "exact", "link": "assumed", "origin": "control"},
    ]
    with pytest.raises(InvalidInput, match="origin must be one of printed, corrected, folklore, control"):
        paper.floor("x", expected="not refuted", origin="mine", **SAID)(lambda run: [])
