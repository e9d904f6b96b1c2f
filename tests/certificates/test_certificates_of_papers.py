"""Certificates of somebody else's paper: written beside its claims, and found as ours are."""

import json
from dataclasses import replace

import pytest
from whole_certificates import report

import dpbench
import dpbench.certificates as certificates
from dpbench.certificates import shown
from dpbench.core.validation import InvalidInput
from dpbench.ledger import grades, registry
from dpbench.ledger.statement import Real, Statement, inequality

CLAIMS = """
from dpbench.ledger import Paper
from dpbench.ledger.statement import Real, Statement, inequality

paper = Paper("cubes", title="Cubes", authors=("A. Author",), year=2026)


@paper.inequality("lemma1", source="Lemma 1", statement="x^3 <= x for every x in [0, 2].", expected="refuted",
                  because="At x = 2 the left side is 8.", weight="range", consequence="True up to x = 1.",
                  no_certificate="it is decided")
def cubes(run):
    yield dict(x=2.0, left=8.0, right=2.0)


@paper.inequality("lemma2", source="Lemma 2", statement="x^4 <= x for every x in [0, 2].", expected="refuted",
                  because="At x = 2 the left side is 16.", weight="range", consequence="True up to x = 1.",
                  formulas=Statement("a number", {"x": Real("any number", 0, 2)}, inequality("x^4", "<=", "x"),
                                     steps=("Take x = 2.",), witness={"x": 2}))
def fourth(run):
    yield dict(x=2.0, left=16.0, right=2.0)
"""
PROVED = """
from dpbench.ledger import Paper
from dpbench.ledger.statement import Real, Statement, inequality

paper = Paper("cubes", title="Cubes", authors=("A. Author",), year=2026)
paper.formula("lemma3", Statement("{claim}", {"x": Real("any number", 0, 2)}, inequality("x^2", "<=", "2*x"),
                                  steps=("It is x <= 2, times x.",), cells=20),
              points=[{"x": 1}], source="Lemma 3", expected="proved")
paper.formula("lemma4", Statement("{claim}", {"x": Real("any number", 0, 2)}, inequality("x^2", "<=", "x"),
                                  steps=("Take x = 2.",), witness={"x": 2}),
              source="Lemma 4", expected="refuted", weight="range", consequence="True up to x = 1.")
"""


def made(folder):
    (folder / "claims_cubes.py").write_text(CLAIMS)
    registry.use([str(folder / "claims_cubes.py")])
    paths = certificates.write(folder / "out", {claim.id for claim in registry.outside_claims()})
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in paths}


def test_a_witness_of_an_outside_paper_are_found(folder):
    found = made(folder)
    assert set(found) == {"cubes.lemma2.inequality.inequality.json"}
    assert all(report(one)["accepted"] for one in found.values())
    assert shown.reason({"id": "cubes.lemma1.inequality"}) == "it is decided"
    registry.use(None)
    assert "cubes.lemma2.inequality" not in {maker.id for maker in certificates.makers()}


def test_a_certificate_beside_the_module_proves_an_outside_claim(folder):
    """Not one of other formulas, and not one that the checker refuses."""
    (folder / "claims_cubes.py").write_text(PROVED)
    registry.use([str(folder / "claims_cubes.py")])
    claim, broken = registry.outside_claims()
    assert claim.over_region == claim.in_formulas and not broken.over_region

    def verdict(of=claim):
        grades._certificates.cache_clear()
        (entry,) = dpbench.verify(of).entries
        return entry.verdict, entry.basis.grade, entry.evidence.notes[-1]

    command = f"`dpbench verify {claim.id} --certificates {folder / 'certificates'}` writes it"
    assert verdict()[:2] == ("not refuted", "tried") and command in verdict()[2]
    assert verdict(broken)[:2] == ("refuted", "assumed")
    path, other = certificates.write(folder / "certificates", {claim.id, broken.id})
    assert verdict()[:2] == ("proved", "derivation")
    assert verdict(broken)[:2] == ("refuted", "derivation")
    assert grades.certified(claim, "proved") and not grades.certified(replace(claim, formal=None), "proved")
    assert shown.links(claim.id) == {"certificate": [path.name]}
    assert shown.about(claim.id)[0].startswith("certificates/cubes.lemma3")
    earlier = json.loads(other.read_text())
    other.write_text(json.dumps(earlier | {"statement": earlier["statement"].replace("<= x", "<= 2*x")}))
    assert verdict(broken)[:2] == ("refuted", "assumed")
    sealed = json.loads(path.read_text())
    for change in ({"statement": sealed["statement"].replace("2*x", "3*x")}, {"digest": "0"}, {"verdict": "refuted"}):
        assert sealed | change != sealed
        path.write_text(json.dumps(sealed | change))
        assert verdict()[0] == "not refuted", change
    path.write_text("[]")
    grades._certificates.cache_clear()
    assert "must be a folder of certificates" in dpbench.verify(claim).not_run[0]["reason"]


def test_a_witness_has_a_value_for_each_symbol():
    with pytest.raises(InvalidInput, match=r"witness must be values of x, got"):
        Statement("x <= 1", {"x": Real("any", 0, 2)}, inequality("x", "<=", "1"), witness={"y": 2})
