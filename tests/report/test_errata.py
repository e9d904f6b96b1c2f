"""The errata pages: order, quotations, courtesy, and what a page of a made-up paper says."""

import io
import json
import re
import shutil
import subprocess
from contextlib import nullcontext
from dataclasses import replace

import pytest
from patience import waits
from rich.console import Console

from dpbench.cli.app import run
from dpbench.core.validation import InvalidInput
from dpbench.ledger.paper import Paper
from dpbench.ledger.statement import Real, Statement, inequality
from dpbench.ledger.words import HURT, WEIGHTS
from dpbench.report import coverage, errata, note, page, tables
from dpbench.report.signs import SIGNS
from dpbench.report.stored import Shown
from dpbench.report.view import ENTRY, ERRATA, HURTS, NOTE, Part, view

REPLY = "Reply of the authors"


@pytest.fixture(scope="module")
def glm():
    return errata.paper_named("glm")


def made_up():
    paper = Paper("made", title="A made-up paper", authors=("A. Author",), version="v1")
    listed = (
        ("b", "misprint", "letter", "refuted"), ("a", "constant", "corner: n < 3", "refuted"),
        ("c", None, "", "not refuted"), ("d", "statement", "", "refuted"),
    )  # fmt: skip
    for name, weight, hurt, expected in listed:
        said = {"quote": f"Words of {name} <here>.", "consequence": f"{name} is 2 metres off."}
        paper.inequality(
            name, source=f"Lemma {name}", statement="s", expected=expected, because="Reason one. " * 80,
            weight=weight, hurt=hurt, **said,
        )(lambda run: [{"left": 1.0, "right": 2.0}])  # fmt: skip
    return paper


def test_findings_stand_by_who_is_hurt_and_only_what_fails_is_listed(glm):
    found = errata.findings(glm)
    places = [HURT.index(claim.hurt.partition(":")[0]) for claim in found]
    assert places == sorted(places) and set(places) == set(range(len(HURT))) and found[0] == errata.foremost(glm)
    counts = (words.rpartition(": ")[::2] for words in errata.harms(found).split("; "))
    assert {who: int(count) for who, count in counts} == {
        HURTS[who]: sum(claim.hurt.startswith(who) for claim in found) for who in HURT
    }
    letters = [c.errata.effect for c in found if c.errata and c.hurt == "letter"]
    assert letters == sorted(letters, reverse=True) and letters[0] == 2
    assert [c.id for c in errata.findings(made_up())] == [f"made.{name}.inequality" for name in "abd"]
    text = errata.markdown(made_up(), {})
    titles = [f"## {title}" for title in (HURTS["corner"], HURTS["letter"], errata.UNSAID)]
    assert [line for line in text.splitlines() if line.startswith("## ")] == titles
    assert "- **Who is hurt**: Fails in a stated range: n < 3" in text


def test_rows_with_one_correction_are_one_finding_and_slips_stand_last_in_the_note():
    paper = errata.paper_named("heavytail")
    found = [claim.id.removeprefix("heavytail.") for claim in errata.findings(paper)]
    assert found[:2] == ["thm1.inequality.y-moment", "thm1.inequality.large-epsilon"]
    letters = [claim.id for claim in errata.findings(paper) if claim.hurt == "letter"]
    assert letters[0] == "heavytail.thm1.privacy"
    assert not {"thm2.privacy", "thm2.inequality.y-moment", "thm1.inequality.y-moment.fixed-law"} & set(found)
    text = note.latex(paper)
    heads = ("What changes for a user", "Each statement that needs a change", "Steps of proofs", "Found by reading")
    places = [text.index(rf"\section*{{{head}") for head in heads]
    assert places == sorted(places) and r"differ by only one entry, which is denoted as $D\sim D^{\prime}$" in text


@pytest.mark.parametrize("name", ["glm", "heavytail", "publicdata"])
def test_every_failing_row_says_all_that_a_page_needs(name):
    paper = errata.paper_named(name)
    ids = {claim.id for claim in paper.claims}
    for claim in paper.claims:
        if claim.expected not in errata.FAILED:
            assert not claim.weight, f"{claim.id} holds and carries a weight"
            continue
        assert claim.weight in WEIGHTS and claim.hurt and claim.quote and claim.consequence, claim.id
        assert claim.holds in ids and claim.holds != claim.id, f"{claim.id} has no twin that holds"
        twin = next(c for c in paper.claims if c.id == claim.holds)
        assert twin.expected in ("proved", "not refuted", "consistent"), claim.id
        correction = claim.errata
        assert correction and correction.place and correction.change and correction.witness, claim.id


@pytest.mark.parametrize("name", ["glm", "heavytail", "publicdata"])
def test_the_preface_counts_the_places_of_the_paper(name):
    listed = coverage.places(errata.paper_named(name))
    kinds = zip(*((place.entries, place.reading, place.reason) for place in listed), strict=True)
    tried, read, left = (sum(map(bool, each)) for each in kinds)
    said = [int(number) for number in re.findall(r"\d+", coverage.counted(listed))]
    assert said == [len(listed), tried, read, len(listed) - tried - left, left]


def parts(claim, scope=ENTRY):
    return {part.label: part for part in view(claim, scope=scope)}


def test_an_entry_says_which_version_was_read_and_has_room_for_a_reply(glm):
    claims = {claim.id: claim for claim in glm.claims}
    failing = parts(claims["glm.thm10.privacy"])
    (read,), (reply,), (caveat,) = (failing[label].lines for label in ("Version read", REPLY, "The paper itself"))
    assert glm.version in read and "not known" in read and reply == "not yet asked" and "2G" in caveat
    holding = parts(claims["glm.thm5.privacy.exact"])
    assert "Version read" in holding and REPLY not in holding
    assert "Version read" not in parts(next(iter(made_up().claims)))  # not a paper of the registry


def test_what_holds_instead_holds_or_no_page_is_written(glm):
    claim = next(claim for claim in errata.findings(glm) if claim.holds)
    for verdict, refused in (("refuted", True), ("proved", False)):
        found = {claim.holds: Shown(claim.holds, verdict, "quick", 0, {}, False, "", {})}
        with pytest.raises(InvalidInput, match=rf"holds of {claim.id}") if refused else nullcontext():
            errata.check_twins(glm, found)


def test_what_a_row_states_has_its_formulas_set():
    symbols = {"x": Real("a number", 0, 3)}
    claims = made_up().claims
    for about, said in (("Where {b} is, 2 <= 3.", r"Where $b = x^{2}$ is, 2"), ("It is that {claim}.", "It is that")):
        formal = Statement(about, symbols, inequality("x", "<=", "b"), where={"b": "x^2"})
        assert note.stated(replace(claims[0], formal=formal, statement=formal.sentence)).startswith(said)
    assert note.stated(claims[0]) == note.prose(claims[0].statement)


def test_one_more_part_stands_in_every_document(monkeypatch, glm):
    """The documents are templates of `view`: what it gains, each says."""
    claim = errata.findings(glm)[0]
    more = [Part("Planted", ("a planted line",), scope=NOTE)]
    for module in (tables, errata, note, page):
        monkeypatch.setattr(module, "view", lambda claim, found=(), scope=ENTRY: [*view(claim, scope=scope), *more])
    out = io.StringIO()
    tables.print_entry(claim, [], Console(file=out))
    said = [out.getvalue(), errata.markdown(glm, {}), note.latex(glm), page.page([claim], {})]
    assert all("Planted" in text and "a planted line" in text for text in said)


@pytest.mark.parametrize("scope", [NOTE, ERRATA])
def test_a_shorter_document_has_a_part_of_what_a_longer_one_has(scope, glm):
    for claim in errata.findings(glm):
        short, long = parts(claim, scope), parts(claim, ERRATA if scope == NOTE else ENTRY)
        assert short.keys() < long.keys() and all(long[label] == part for label, part in short.items())


def test_the_note_has_all_that_the_glm_paper_says_and_its_ranges_among_the_items(glm):
    text = note.latex(glm)
    items = text.partition(r"\section*{Steps of proofs, and misprints}")[0]
    for claim in errata.findings(glm):
        assert note.quoted(claim.quote), claim.id
        if claim.errata and claim.errata.caveat:
            assert (said := note.set_caveat(claim.errata.caveat)) and said in text, claim.id
        if claim.hurt.startswith(("use", "corner")):
            assert f"``{note.quoted(claim.quote)}''" in items, claim.id
            assert rf"\texttt{{dpbench verify {claim.id}}}" in items
    assert r"``\texttt" not in text  # a command is no quotation
    assert text.count(r"\emph{The paper itself:}") == sum(
        bool(claim.errata and claim.errata.caveat) for claim in errata.findings(glm)
    )


def test_quotations_within_caveats_are_marked_as_such(glm):
    """The paper's own words stand between “ and ”, so that they can be told from ours and looked up."""
    said = [claim.errata.caveat for claim in glm.claims if claim.errata and claim.errata.caveat]
    assert len(said) >= 15 and all(text.count("“") == text.count("”") > 0 for text in said)


def test_a_made_up_page_escapes_and_takes_evidence():
    paper, name = made_up(), "made.a.inequality"
    evidence = {"value": 0.12345, "interval": None, "level": 0.0, "trials": 0, "seconds": 1.0, "tables": {}}
    found = Shown(name, "refuted", "quick", 0, evidence | {"notes": ["what was seen", "more"]}, False, "", {})
    text = errata.markdown(paper, {name: found})
    assert "refuted, value 0.1235; grade assumed" in text and "; what was seen\n" in text and "stale" not in text
    assert "> Words of a <here>." in text and "stale" in errata.markdown(paper, {name: replace(found, stale=True)})
    assert text.count("\n### ") == 3


def test_the_command(capsys, tmp_path):
    assert run(["errata", "glm", "--evidence", str(tmp_path)]) == 0
    title = capsys.readouterr().out.partition("\n")[0]
    assert title.startswith("# Errata proposed for")
    assert run(["errata", "glm", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["paper"] == "glm" and document["entries"][0]["id"] == "glm.thm5.privacy"
    assert title == f"# {document['title']}"
    assert run(["errata", "gml"]) == 2
    assert "did you mean glm?" in capsys.readouterr().err
    (tmp_path / "x.json").write_text("{}")
    assert run(["errata", "glm", "--evidence", str(tmp_path)]) == 2
    assert "must be" in capsys.readouterr().err


@pytest.mark.parametrize(("typed", "set_as"), [
    ("B^2X^2", r"$B$$^{2}$$X$$^{2}$"),
    ('read "n eps"', "read “$n$\u00a0ε”"),
    ("`dpbench errata glm --coverage`", r"\texttt{dpbench errata glm -{}-coverage}"),
    ("n^(-1/2), e^eps", "$n$$^{-1/2}$, $e$$^{ε}$"),
    ("Guzmán, Böhm", "Guzmán, Böhm"),
    ("n^-0.4, e^-t", r"$n$$^{-0.4}$, $e$$^{-t}$"),
    ("x^((theta-1)/theta)", "$x$$^{(θ-1)/θ}$"),
    ("L^_iota at <x, w*>", r"\ensuremath{\hat{L}}$_{ι}$ at ⟨$x$, $w$$^{*}$⟩"),
    ("|f^ - fbar|_m, f_bar'",
     r"\textbar{}\ensuremath{\hat{f}} − \ensuremath{\bar{f}}\textbar{}$_{m}$, \ensuremath{\bar{f}}'"),
    ("sqrt(2 (d log(m/d) + k)) >= sup_w x_bound, the_word",
     r"$\sqrt{\mbox{2 ($d$ log($m$/$d$) + $k$)}}$" "\u00a0≥\u00a0" r"sup$_{w}$" "\u00a0" r"$x$$_{bound}$, the\_word"),
    ("Theorem 13'' of appendix D: w ~ N, 2.5e-5", "Theorem 13′′ of appendix D: $w$\u00a0∼\u00a0$N$, 2.5·10$^{-5}$"),
    ("sigma~ of delta_claimed > 3", "\\ensuremath{\\tilde{σ}} of delta\\_claimed\u00a0\\textgreater{}\u00a03"),
])  # fmt: skip
def test_formulas_of_the_ledger_are_set(typed, set_as):
    for sign, latex in SIGNS.items():
        set_as = set_as.replace(sign, rf"\ensuremath{{{latex}}}")
    assert note.prose(typed) == set_as


@pytest.mark.parametrize(("quote", "set_as"), [
    ("a_{b}^{c}", "$a_{b}^{c}$"), ("}a_b{", ""), ("a_{b", ""), ("for $a_{b}$ large", "for $a_{b}$ large"),
    (r"\{a_b\}", r"$\{a_b\}$"),
])  # fmt: skip
def test_quotes_are_set_where_their_braces_close(quote, set_as):
    assert note.quoted(quote) == set_as


def test_what_a_paper_says_in_its_own_favour_is_set_or_left_out():
    said = note.set_caveat("A.2: \u201cfor $\\sigma^2$ large\u201d, so for n^2 > 1 it holds.")
    assert said == "A.2: ``for $\\sigma^2$ large'', so for $n$$^{2}$\u00a0\\textgreater{}\u00a01 it holds."
    words = r"$x \text{ such that } \frac{1}{y} \text{ is } z$, $u_{a \text{ b } c}$, $\left( x \text{ if } y\right)$"
    apart = words.replace(r"x \text{ such that } \frac{1}{y} \text{ is } z", r"x$ such that $\frac{1}{y}$ is $z")
    assert note.quoted(words) == apart  # lines break at words that no group holds
    assert note.set_caveat("it says \u201c$\\sigma^2\u201d") == note.set_caveat("") == ""


@pytest.mark.slow
@pytest.mark.process
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
@pytest.mark.parametrize("name", ["glm", "heavytail", "publicdata"])
def test_the_note_compiles_and_no_line_runs_over_the_margin(name, tmp_path):
    (tmp_path / "note.tex").write_text(note.latex(errata.paper_named(name)), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "note.tex"]
    for _ in range(3):
        with waits() as seconds:
            run = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=seconds, check=False)
    assert run.returncode == 0 and (tmp_path / "note.pdf").exists()
    assert b"Overfull" not in run.stdout
