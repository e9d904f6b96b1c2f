"""The spaces of our papers: declared for claims that exist, shared by variants, drawn from without faults, searched."""

import json
from collections import defaultdict

import numpy as np
import pytest

from dpbench.certificates.search.find import find_counterexample, questions
from dpbench.certificates.search.question import Question, ranges
from dpbench.cli.app import run
from dpbench.ledger.registry import all_claims

QUESTIONS = questions()
CLAIMS = {claim.id: claim for claim in all_claims()}
OURS = {name: made for name, made in QUESTIONS.items() if not CLAIMS[name].outside}


def ground(question):
    return ranges(question.statement, question.piece)


def test_spaces_are_declared_for_most_refuted_entries_that_are_no_misprints():
    serious = [c for c in CLAIMS.values() if c.expected == "refuted" and c.weight != "misprint" and c.kind != "rate"]
    serious = [c.id for c in serious if not c.outside]
    assert len([name for name in serious if name in OURS]) >= 0.9 * len(serious) and len(serious) > 40


APART = {  # two questions by nature
    "glm.thm2.privacy": "a pair at the printed k, and the bounds on norms and gradients that the right k gives",
    "glm.thm7.inequality": "a point mass, and a loss of two slopes with one or the other chance",
    "publicdata.lemma8.inequality": "a class of three functions, and the norm of m normal variables",
    "publicdata.thm4.inequality": "a sample size, and the privacy of other weights",
    "publicdata.alg2.privacy": "the sum of the losses, which eta alone hides, and their mean",
}


def test_a_printed_statement_and_its_correction_are_asked_of_one_space():
    """Wherever the entry that holds instead has a question, or is another variant of the same result: the same symbols
    with the same ranges."""
    own = {
        "glm.thm4.floor.small-radius": {"s"},  # the variable of a path, by which the correction's reach is defined
        "glm.lemma11.inequality.rare": {"square"},  # one wording of its U or the other
        "glm.thm7.inequality.constants": {"beta", "epsilon"},  # the correction is asked of more of them
        "publicdata.lemma9.privacy": {"m"},  # what is printed fails at few points alone
        "heavytail.thm2.inequality.assumption4-truncation": {"eta"},  # the corrected law exists at tiny eta alone
    }
    shared = 0
    for name, question in OURS.items():
        holds = CLAIMS[name].holds
        if CLAIMS[name].expected == "refuted" and holds in OURS and holds.startswith(name.rpartition(".")[0]):
            mine, other = ground(question), ground(OURS[holds])
            differ = {symbol for symbol in mine if other.get(symbol) != mine[symbol]}
            assert bool(differ - own.get(name, set())) == (name in APART), (name, holds, differ)
            shared += 1
    assert shared >= 45


def test_points_of_every_space_are_looked_at_without_a_fault():
    """A share of them is admissible, or the conditions say by how much they are missed."""
    rng = np.random.default_rng(11)
    met = defaultdict(int)
    for name, question in OURS.items():
        for units in rng.random((24, len(question.parameters))):
            try:
                point = question.point(units)
            except (ArithmeticError, ValueError):
                continue
            missed, margin = question.look(point)
            assert missed >= 0.0 and not np.isnan(margin), name
            met[name] += missed == 0.0
    assert sum(count > 0 for count in met.values()) > 0.8 * len(OURS)


def test_searches_range_over_two_parameters_or_more_and_most_over_five():
    wide = [len([p for p in q.parameters.values() if len(p.options) != 1]) for q in OURS.values()]
    assert min(wide) >= 2 and np.median(wide) >= 5


CHEAP = (
    "glm.lemma9.inequality",
    "glm.thm5.privacy",
    "glm.thm10.privacy",
    "heavytail.lemma10.inequality.eq39",
    "publicdata.thm5.inequality",
)


@pytest.mark.parametrize("name", CHEAP)
def test_known_errors_are_found_again(name):
    found = find_counterexample(name, seconds=3600.0)
    assert found.found and found.certificate is not None and found.certificate["id"] == name


@pytest.mark.parametrize("name", ["glm.lemma9.inequality.corrected", "glm.thm5.privacy.exact"])
def test_nothing_is_accepted_of_their_corrections(name):
    found = find_counterexample(name, seconds=3600.0, evaluations=4_000)
    assert not found.found and 0.9 < found.ratio < 1.0 + 1e-6


@pytest.mark.evidence
@pytest.mark.parametrize("name", [n for n in OURS if CLAIMS[n].expected != "refuted"])
def test_nothing_is_accepted_of_any_entry_that_holds(name):
    for seed in (1, 2):
        assert not find_counterexample(name, seconds=3600.0, seed=seed, worst=True).found


def command(capsys, *words):
    code = run(["hunt", *words])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_hunt_writes_the_certificate_and_the_result(tmp_path, capsys):
    file, folder = tmp_path / "found.json", tmp_path / "certificates"
    words = ("glm.lemma9.inequality", "--json", str(file), "--certificates", str(folder), "--evaluations", "600")
    code, out, _ = command(capsys, *words)
    assert code == 0 and "glm.lemma9.inequality: counterexample, ratio to the bound 1.333" in out
    result, _ = json.loads(file.read_text())["results"]
    (written,) = folder.glob("*.json")
    assert result["found"] and json.loads(written.read_text()) == result["certificate"]


def test_hunt_says_nothing_found_and_lists(capsys):
    code, out, _ = command(capsys, "glm.lemma9.inequality.corrected", "--evaluations", "300", "--worst")
    assert code == 0 and "nothing found in 300 points" in out and "nearest: ratio to the bound" in out
    code, out, _ = command(capsys, "--list", "glm.lemma9.*")
    assert code == 0 and out.split() == ["glm.lemma9.inequality", "glm.lemma9.inequality.corrected"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nothing",), "claims must be ids or globs"),
        (("glm.thm4.floor",), "one with a statement to search"),
        (("glm.lemma9.inequality", "--seconds", "0"), "--seconds must be a finite number > 0"),
        (("glm.lemma9.inequality", "--evaluations", "0"), "--evaluations must be"),
        ((), "CLAIM must be given"),
    ],
)
def test_bad_words_are_one_line_and_exit_2(words, message, capsys):
    code, _, err = command(capsys, *words)
    assert code == 2 and message in err and err.count("\n") == 1


def test_ctrl_c_keeps_what_was_found(monkeypatch, capsys):
    def stopped(self, values):
        raise KeyboardInterrupt

    monkeypatch.setattr(Question, "look", stopped)
    code, out, _ = command(capsys, "glm.lemma9.inequality", "glm.lemma9.inequality.corrected")
    assert code == 130 and out.count("interrupted") == 1
