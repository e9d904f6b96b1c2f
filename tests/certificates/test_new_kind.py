"""A kind of claim of one's own that is one inequality: one class, and all that the others have follows."""

import pytest
from whole_certificates import report

import dpbench
from dpbench.certificates import certified
from dpbench.certificates.build import Sentence, assembled
from dpbench.core.validation import InvalidInput
from dpbench.ledger import kinds
from dpbench.ledger.paper import Paper
from dpbench.ledger.statement import Real, Statement
from dpbench.ledger.verify import verify


class Ratio(kinds.Kind):
    """top/bottom is at most, or at least, a bound: named `way`, which holds no formula."""

    needed, words = ("top", "bottom", "way", "bound"), ("way",)
    says = "{top} over {bottom} is {way} {bound}"

    def __call__(self, top, bottom, way, bound):
        return kinds.Conclusion(self.name, {"top": top, "bottom": bottom, "way": way, "bound": bound})

    def sides(self, parts):
        return f"({parts['top']})/({parts['bottom']})", "<=" if parts["way"] == "at most" else ">=", parts["bound"]


@pytest.fixture
def ratio(monkeypatch):
    monkeypatch.setitem(kinds.KINDS, "ratio", Ratio("ratio"))
    return kinds.KINDS["ratio"]


X = {"x": Real("any", 1, 3)}


@pytest.mark.parametrize(("way", "bound", "wrong"), [("at most", "4/3", "5/4"), ("at least", "1", "5/4")])
def test_a_kind_of_one_inequality(ratio, way, bound, wrong):
    said = {"symbols": {"x": {"real": [1, 3]}}, "claim": {"ratio": {"top": "x + 1", "bottom": "2*x", "way": way}}}
    said["claim"]["ratio"] |= {"top": "x + 1/3", "bottom": "x"}
    for text, verdict in ((bound, "proved"), (wrong, "refuted")):
        said["claim"]["ratio"]["bound"] = text
        made = dpbench.judge({"id": "mine", **said}, seconds=2.0)
        assert made.verdict == verdict and report(made.certificates[0])["accepted"], text
        assert f"x + 1/3 over x is {way} {text}" in made.text


def test_its_entry_is_measured_and_its_certificate_follows(ratio):
    paper = Paper("mine")
    statement = Statement("{claim}", X, ratio("x + 1/3", "x", "at least", "1"), steps=("1/3 > 0.",), cells=20)
    paper.formula("l1", statement, points=[{"x": 1}, {"x": 3}], source="L", expected="proved")
    paper.formula("l2", statement.replace(claim=ratio("x", "1", "at most", "2"), cells=0, witness={"x": 3}),
                  source="L", expected="refuted")  # fmt: skip
    first, second = verify(paper).entries
    assert (first.verdict, second.verdict) == ("not refuted", "refuted")
    assert first.evidence.rows["left"] == [1.0, 1.0] and first.evidence.rows["right"][0] == pytest.approx(4 / 3)
    assert second.evidence.rows["left"] == [3.0] and second.evidence.rows["right"] == [2.0]
    kind, draft = certified(statement, "proved")
    made = assembled(kind, draft(), Sentence("mine", statement.sentence, "L"))
    assert report(made)["accepted"] and made["claim"]["claims"] == ["(x + 1/3)/x >= 1"]


def test_cells_are_of_one_inequality():
    with pytest.raises(InvalidInput, match="cells must be 0 but for a claim that is one inequality"):
        Statement("{claim}", X, kinds.gaussian(shift="x", scale="1", mu="3"), cells=3)
