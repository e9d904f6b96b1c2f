"""What goes into a paper or an archive: LaTeX, citations, the zip file, and the repository that `new-paper` makes."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import dpbench
from dpbench.core.validation import InvalidInput
from dpbench.ledger import Paper, registry
from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import Evidence
from dpbench.report import by_kind
from dpbench.report import latex as latex_of
from dpbench.report.plot import COLUMNS
from dpbench.report.signs import escaped
from dpbench.report.stored import best, known
from dpbench.report.template import make

ROOT = Path(dpbench.__file__).resolve().parents[1]
Run = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def toy(tmp_path, monkeypatch, run):
    """A folder in which the toy paper was verified."""
    monkeypatch.chdir(tmp_path)
    assert run("verify --claims outside_paper --workers 1 --quiet")[0] == 0
    yield tmp_path
    registry.use(None)


def test_a_citation_has_the_address_once_there_is_one(monkeypatch):
    toy = Paper("toy", title="A toy", authors=("O'Neil, {A}",), year=2026, url="https://example.org/toy")
    assert latex_of.bibtex([toy]).count("url =") == 1 + bool(latex_of.ADDRESS)
    monkeypatch.setattr(latex_of, "ADDRESS", "https://example.org/dpbench")
    text = latex_of.bibtex([toy])
    assert "  url = {https://example.org/dpbench}," in text and "  author = {O'Neil, {A}}," in text


@pytest.mark.slow
def test_latex_has_a_macro_for_each_claim_and_a_table(toy, run):
    code, _, err = run("report --claims outside_paper --latex ledger.tex --citation other.bib")
    assert code == 0, err
    text = (toy / "ledger.tex").read_text()
    assert r"\@namedef{dpclaim@toy.lemma1.inequality.half}{refuted (assumed)}" in text
    assert r"\@namedef{dpverdict@toy.lemma1.inequality.half}{refuted}" in text
    assert r"\dpclaim{toy.lemma1.inequality.half} & \ensuremath{-0.649} \\" in text
    assert text.count(r"\@namedef{dpclaim@") == 4 and text.count("{") == text.count("}")
    assert run("report --claims outside_paper --citation refs.bib --quiet")[0] == 0
    bib = (toy / "refs.bib").read_text()
    assert "@software" not in bib and "year = {2026}" in bib
    assert "@misc{toy," in bib and "title = {{A toy}}," in bib and "author = A. Author" not in bib


def test_each_macro_has_the_numbers_of_its_evidence():
    """Read back from LaTeX: the value and both ends of its interval, with three digits."""
    found, read = best(known(None), with_code=False), 0
    text = latex_of.latex(registry.all_claims(), found)
    for name, value in re.findall(r"@namedef\{dpvalue@(.*?)\}\{(.*)\}", text):
        if name in found:
            plain = re.sub(r"\\times10\^\{(-?\d+)\}", r"e\1", value).replace(r"\infty", "inf")
            numbers = [float(number) for number in re.findall(r"-?(?:inf|nan|[\d.]+(?:e-?\d+)?)", plain)]
            of = found[name].evidence
            expected = [float(f"{float(number):.3g}") for number in (of["value"], *(of["interval"] or ()))]
            assert numbers == pytest.approx(expected, rel=1e-9, nan_ok=True), name
            read += 1
    assert read > 200


def test_text_is_escaped():
    assert escaped("σ ≥ 50% of a_b") == r"\ensuremath{\sigma} \ensuremath{\ge} 50\% of a\_b"
    assert escaped("‖f̄‖ costs $5_") == r"\ensuremath{\Vert{}}\ensuremath{\bar{f}}\ensuremath{\Vert{}} costs \$5\_"
    assert escaped(r"$\theta$ = 2, 5_") == r"$\theta$ = 2, 5\_"


def test_the_archive_has_checksums_and_equal_bytes(tmp_path, monkeypatch, run):
    """Of an entry of ours with a certificate, from committed evidence; the present time is in neither."""
    monkeypatch.chdir(tmp_path)
    assert re.match(r"a\.zip: 1 of 1 entries, \d+ files", run("export glm.lemma2.inequality --out a.zip")[1])
    monkeypatch.setattr("time.time", lambda: 2e9)
    assert run("export glm.lemma2.inequality --out b.zip --quiet") == (0, "", "")
    assert Path("a.zip").read_bytes() == Path("b.zip").read_bytes()
    assert sorted(os.listdir()) == ["a.zip", "b.zip"]
    with zipfile.ZipFile("a.zip") as archive:
        sums = dict(reversed(line.split("  ")) for line in archive.read("SHA256SUMS").decode().splitlines())
        assert set(sums) == set(archive.namelist()) - {"SHA256SUMS"}
        for name, digest in sums.items():
            assert hashlib.sha256(archive.read(name)).hexdigest() == digest
        document = json.loads(archive.read("ledger.json"))
        (entry,) = document["claims"]
        assert document["versions"]["dpbench"] and entry["id"] == "glm.lemma2.inequality"
        frame = dpbench.evidence("glm.lemma2.inequality")
        assert json.loads(archive.read("evidence/glm.lemma2.inequality.json"))["evidence"]["value"] == frame.value
        assert any(name.startswith("certificates/glm.lemma2.inequality.") for name in archive.namelist())
    Path("empty").mkdir()
    code, _, err = run("export glm.lemma2.inequality --store empty/none.sqlite")
    assert code == 2 and "--store must be" in err


def figure(kind, table="rows", **columns):
    fields = dict.fromkeys(("source", "statement", "derivation"), "50% of $5")
    expected = {"privacy": "proved", "rate": "consistent"}.get(kind, "refuted")
    side = {"side": "upper"} if kind == "rate" else {}
    claim = Claim(f"toy.x.{kind}", "toy", kind=kind, expected=expected, run=figure, **fields, **side)
    made = by_kind.drawing(claim)
    assert made.name == f"toy_x_{kind}"
    return made.draw(Evidence(1.0, tables={table: columns}, interval=None).to_dict())


def lines(made):
    return {str(line.get_label()): np.asarray(line.get_ydata(), dtype=float).tolist() for line in made.axes[0].lines}


def test_figures_by_kind_show_the_columns():
    found = lines(figure("inequality", n=[1, 2, 3], left=[1.0, 2.0, 3.0], right=[2.0, 2.0, 2.0]))
    assert found["left"] == [1.0, 2.0, 3.0] and found["right"] == [2.0] * 3
    for first, scale in ((0.0, "linear"), (1.0, "log")):
        axes = figure("inequality", same=[1, 1, 1], n=[1, 2, 40], left=[first, 2.0, 3.0], right=[2.0] * 3).axes[0]
        assert (axes.get_xlabel(), axes.get_xscale(), axes.get_yscale()) == ("n", "log", scale)
        assert axes.lines[0].get_xdata().tolist() == [1.0, 2.0, 40.0]
    pure = {"target_epsilon": [0.5, 1.0], "target_delta": [0.0] * 2, "true_delta": [0.1, 0.0]}
    found = lines(figure("privacy", "pairs", **pure, true_epsilon=[1.0, 2.0]))
    assert found["true"] == [1.0, 2.0] and found["claimed"] == [0.5, 1.0]
    assert lines(figure("privacy", "pairs", **pure))["true"] == pure["true_delta"]
    held = {"target_epsilon": [1.0, 2.0], "target_delta": [1e-5, 1e-5]}
    for table, column in (("pairs", "true_delta"), ("guarantees", "guaranteed_delta")):
        found = lines(figure("privacy", table, **held, **{column: [1e-6, 1e-3]}))
        assert found["true"] == [1e-6, 1e-3] and found["claimed"] == [1e-5, 1e-5]
    found = lines(figure("privacy", "attacks", target_epsilon=[1.0], target_delta=[0.0], attack_epsilon_lower=[3.0]))
    assert found == {"found": [3.0], "claimed": [1.0]}
    found = lines(figure("privacy", "pairs", **pure, true_epsilon=["inf", 2.0]))
    assert list(found) == ["true (infinite at 1 of 2)", "claimed"]
    columns = {"n": [10, 100], "measured": [1.0, 0.1], "standard error": [0.1, 0.01], "ceiling": [10.0, 1.0]}
    assert lines(figure("rate", **columns))["theorem's formula, scaled, slope −1.000"] == pytest.approx([1.0, 0.1])
    named = {"d" if name == "n" else name: column for name, column in columns.items()}
    labels = [figure("rate", **these).axes[0].get_xlabel() for these in (columns, named)]
    assert "$n$" in labels[0] and labels[1] == "d"
    assert figure("floor", margin=[0.1, 0.2]).axes[0].get_title(loc="left") == "toy.x.floor"


def test_the_repository_of_a_new_paper(tmp_path, run, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("new-paper mine")
    assert code == 0 and "next: cd mine" in out
    project = tomllib.loads((tmp_path / "mine" / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["dpbench.papers"] == {"mine": "mine:paper"}
    names = {str(path.relative_to(tmp_path / "mine")) for path in (tmp_path / "mine").rglob("*") if path.is_file()}
    assert {"README.md", ".github/workflows/verify.yml", "tests/test_mine.py", "mine/theorems/theorem1.py"} <= names
    assert run("new-paper other --out elsewhere")[0] == 0 and (tmp_path / "elsewhere" / "other").is_dir()
    assert not any("<<" in path.read_text() for path in (tmp_path / "mine").rglob("*") if path.is_file())
    for name, says in (
        ("mine", "--out must be a folder that does not exist, or is empty"),
        ("glm", "NAME must be that of no other paper"),
        ("Two-words", "NAME must be small letters, digits and underscores"),
    ):
        code, _, err = run(f"new-paper {name}")
        assert code == 2 and says.partition(" must ")[2] in err, err
    for name in ("class", "tests", "a-b", "Mine"):
        with pytest.raises(InvalidInput, match="name must be"):
            make(name, tmp_path / "x")


@pytest.mark.process
def test_a_package_of_its_own_passes_its_own_suite(tmp_path):
    """Built and installed into an environment of its own, on top of what is installed here; no network."""
    source = tmp_path / "source"
    make("mine", source)
    target = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(target), str(source)], check=True, capture_output=True)
    paths = os.pathsep.join([str(target), str(ROOT), str(ROOT / "checker")])
    environment = {**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "Agg"}
    work = tmp_path / "work"
    work.mkdir()
    for command in (
        ["dpbench.cli", "verify", "--paper", "mine", "--quiet", "--store", "runs.sqlite"],
        ["dpbench.cli", "figures", "--paper", "mine", "--quiet", "--store", "runs.sqlite", "--format", "svg"],
        ["pytest", "-q", "-W", "error", "-c", str(source / "pyproject.toml"), "--rootdir", str(source), "-p",
         "no:cacheprovider", "-p", "no:xdist", str(source / "tests")],
    ):  # fmt: skip
        line = [sys.executable, "-m", *command]
        done = subprocess.run(line, cwd=work, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    assert list((work / "figures").glob("mine_*.svg"))


@pytest.mark.parametrize(
    ("column", "points"),
    [("ieee", 252.0), ("ieee page", 516.0), ("acm", 241.147), ("acm page", 506.295), ("article", 345.0),
     ("article column", 229.5)],
)  # fmt: skip
def test_no_column_is_wider_than_that_of_its_class(column, points):
    """The widths that LaTeX prints for IEEEtran, acmart (sigconf) and article (10pt), in TeX's points."""
    assert 0.98 * points / 72.27 < COLUMNS[column] <= points / 72.27
