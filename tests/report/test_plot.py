"""Figures for papers: panels of evidence with a curve of one's own, room for text, what they were made from."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib
import matplotlib.colors
import matplotlib.image
import numpy as np
import pytest
from matplotlib.figure import Figure

import dpbench
from dpbench import plot
from dpbench.core.validation import InvalidInput
from dpbench.ledger import Figure as Declared
from dpbench.ledger import all_claims, registry
from dpbench.ledger.evidence import committed
from dpbench.report import figures
from dpbench.report.drawings import of_many, of_one
from dpbench.report.figures import look, resize
from dpbench.report.provenance import about, about_file, caption, digest
from dpbench.report.stored import best, known

ROOT = Path(__file__).resolve().parents[2]
PRIVACY, RATE = "glm.thm5.privacy", "glm.thm1.rate"
Run = Callable[[str], tuple[int, str, str]]


def test_a_figure_of_another_package_that_nothing_draws_costs_one_message(tmp_path: Path) -> None:
    """It is drawn by its kind then; the figure of the claim beside it stays as it is declared."""
    (tmp_path / "claims_drawn.py").write_text(
        "from dpbench.ledger import Figure, Paper\n"
        "paper = Paper('drawn', drawings=('claims_drawn',))\n"
        "def both_sides(evidence):\n    raise NotImplementedError\n"
        "said = dict(source='Lemma', statement='0 <= 1.', expected='not refuted', because='It is.')\n"
        "def rows(run):\n    yield dict(left=0.0, right=1.0)\n"
        "paper.inequality('lemma1', figure=Figure('mine', 'both_sides'), **said)(rows)\n"
        "paper.inequality('lemma2', figure=Figure('lost', 'no_such_function'), **said)(rows)\n"
        "paper.inequality('lemma3', **said)(rows)\n"
        "from dpbench.report.figures import Drawing\n"
        "DRAWINGS = [Drawing('own', 'drawn.lemma3.inequality', both_sides)]\n",
        encoding="utf-8",
    )
    registry.use([str(tmp_path / "claims_drawn.py")])
    try:
        with pytest.warns(registry.PaperNotLoaded, match=r"figure of drawn.lemma2.inequality is left out: .*no_such"):
            found = {drawing.claim: drawing.name for drawing in of_one()}
    finally:
        registry.use(None)
    assert found == {
        "drawn.lemma1.inequality": "mine", "drawn.lemma2.inequality": "drawn_lemma2_inequality",
        "drawn.lemma3.inequality": "own",
    }  # fmt: skip


def test_a_figure_is_declared_beside_its_claim() -> None:
    claim = next(c for c in all_claims(["glm"]) if c.id == "glm.thm5.rate")
    (drawing,) = figures.declared([claim])
    assert (drawing.name, drawing.claim, drawing.draw.func) == ("rate_thm5", claim.id, figures.rate)
    first = " ".join((figures.rate.__doc__ or "").partition("\n\n")[0].split())
    assert drawing.said == f"{drawing.draw.keywords['title']}. {first}"
    assert figures.declared([replace(claim, figure=None)]) == []
    with pytest.raises(InvalidInput, match=r"figure of glm.thm5.rate must be drawn by a function of .*, got 'rats'"):
        figures.declared([replace(claim, figure=Declared("rats", "rats"))])


def test_evidence_is_columns_with_what_they_come_from() -> None:
    frame = dpbench.evidence(PRIVACY)
    stored = committed(ROOT / "evidence" / "ledger")[PRIVACY]
    assert frame["epsilon"].tolist() == stored["evidence"]["tables"]["curve"]["epsilon"] and len(frame) == len(
        frame.columns
    )
    assert (frame.id, frame.verdict, frame.seed, frame.commit) == (PRIVACY, "refuted", stored["seed"], stored["commit"])
    assert frame.digest == digest(stored["evidence"]) and frame.command.startswith(f"dpbench verify {PRIVACY} ")
    with pytest.raises(KeyError, match="it has target_epsilon"):
        frame["nothing"]
    rate = dpbench.evidence(RATE)
    assert rate.interval is not None and rate.interval[0] < rate.value < rate.interval[1]
    with pytest.raises(InvalidInput, match=r"id must be .*did you mean glm.thm1.rate"):
        dpbench.evidence("glm.thm1.rat")


def test_each_table_of_the_evidence_is_one_frame() -> None:
    frame, stored = dpbench.evidence(PRIVACY), committed(ROOT / "evidence" / "ledger")[PRIVACY]["evidence"]["tables"]
    assert {name: list(table) for name, table in frame.tables.items()} == {name: [*stored[name]] for name in stored}
    both = dpbench.evidence("publicdata.lemma9.privacy.gaussian-exact").tables
    assert {name: len(table["target_epsilon"]) for name, table in both.items()} == {"guarantees": 45, "pairs": 45}
    pytest.importorskip("pandas")
    frames = frame.to_pandas()
    assert list(frames) == list(frame.tables) and [len(table) for table in frames.values()] == [5, 1, 3, 37]
    assert not any(table.isna().any(axis=None) for table in frames.values())
    assert frames["curve"].attrs["digest"] == frame.digest


def test_a_digest_is_of_what_was_measured_alone() -> None:
    made = {"value": 1.0, "tables": {"rows": {"n": [1]}}, "seconds": 2.0, "commit": "a"}
    assert digest(made) == digest({**made, "seconds": 3.0, "commit": "b"})
    assert digest(made) != digest({**made, "value": 2.0})


@pytest.mark.slow
def test_two_panels_are_of_one_width_and_size_of_text(tmp_path: Path) -> None:
    figure = plot.compose([[PRIVACY, dpbench.evidence(RATE)]], column="neurips")
    plot.save(figure, tmp_path / "two.pdf", tmp_path / "two.eps", tmp_path / "two.svg")
    assert figure.get_size_inches()[0] == 5.5 and len(figure.axes) == 2
    assert {text.get_fontsize() for text in figure.findobj(matplotlib.text.Text) if text.get_text()} == {8.0}
    assert (tmp_path / "two.eps").read_bytes().startswith(b"%!PS") and (tmp_path / "two.pdf").stat().st_size > 5_000
    said = (tmp_path / "two.svg").read_text(encoding="utf-8")
    assert f"entries: {PRIVACY} {RATE}; evidence: " in said and "command: dpbench.plot.compose" in said


def test_all_text_has_the_size_that_is_asked_for() -> None:
    parts = "font.size", "axes.labelsize", "axes.titlesize", "legend.fontsize", "xtick.labelsize", "ytick.labelsize"
    with look(size=5.0), figures.in_style():
        assert {part: matplotlib.rcParams[part] for part in parts} == dict.fromkeys(parts, 5.0)


def test_axes_of_ones_own_keep_their_style() -> None:
    with matplotlib.rc_context({"axes.labelsize": 13.0, "axes.grid": False}):
        figure = Figure()
        left, right = figure.subplots(1, 2)
        assert plot.draw(left, RATE, title=False) is left
    assert left.xaxis.label.get_fontsize() == 13.0 and not left.get_title(loc="left") and not right.lines
    with pytest.raises(InvalidInput, match="ax must be a Figure or SubFigure"):
        plot.draw(right, "floor_thm4")


@pytest.mark.parametrize(
    "tables", [{}, {"rows": {}}, {"rows": {"n": [1.0]}}, {"another": {"measured": [1.0]}}], ids=str
)
def test_evidence_of_another_version_is_one_clear_message_of_every_figure(tables: dict[str, Any]) -> None:
    for drawing in of_one():
        with pytest.raises(InvalidInput, match="evidence must be of this version"):
            drawing.draw({"value": 1.0, "interval": None, "tables": tables})


def test_what_cannot_be_drawn_is_refused_by_name() -> None:
    """And leaves nothing behind of how it was to look."""
    with figures.in_style():
        before = dict(matplotlib.rcParams)
    for given, said in (
        ({"panels": [[PRIVACY], []]}, "panels must be rows of one length"),
        ({"panels": [["nothing"]]}, "evidence must be one of"),
        ({"panels": [[PRIVACY]], "column": "nature"}, "column must be one of"),
        ({"panels": [[PRIVACY]], "column": 0.0}, "column must be"),
        ({"panels": [[PRIVACY]], "style": "nothing.mplstyle"}, "style must be a file"),
        ({"panels": [[PRIVACY]], "style": "ggplot", "font": "nothing like it"}, "font must be"),
        ({"panels": [[PRIVACY]], "font": "serif", "size": 0.0}, "font_size must be"),
    ):
        with pytest.raises(InvalidInput, match=said):
            plot.compose(**given)
        with figures.in_style():
            assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize(("value", "said"), [(0.0, "0"), (0.1, "$10^{-1}$"), (1e-5, "$10^{-5}$"), (0.03, "0.03")])
def test_powers_of_ten_are_written_as_such(value: float, said: str) -> None:
    assert figures.power(value) == said


PAPER = r"""\documentclass[twocolumn]{article}\usepackage{graphicx,tabularx}\begin{document}
\input{ledger.tex}
Theorem 5 is \dpclaim{glm.thm5.privacy}, at \dpvalue{glm.thm5.privacy}, see \ref{fig:delta_thm5},
and \cite{dpbench,glm}.
\begin{figure}\includegraphics{two.pdf}\caption{Both.}\end{figure}
\begin{figure}\includegraphics{f/delta_thm5.pdf}\input{f/delta_thm5.tex}\end{figure}
\begin{table}\dpclaims\end{table}\bibliographystyle{plain}\bibliography{refs}\end{document}
"""


@pytest.mark.process
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="without LaTeX")
def test_a_paper_of_two_columns_has_no_overfull_box(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A composed figure, a figure, the table of verdicts and citations; the style knows every entry."""
    monkeypatch.chdir(tmp_path)
    assert run("figures delta_thm5 --out f --width 3.17 --font serif --format pdf")[0] == 0
    assert run("report glm.thm5.* --latex ledger.tex --citation refs.bib --quiet")[0] == 0
    plot.save(plot.compose([[PRIVACY, RATE]], column="article column", font="serif"), "two.pdf")
    Path("paper.tex").write_text(PAPER)
    tex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    for command in (tex, ["bibtex", "paper"], tex, tex):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        assert done.returncode == 0, done.stdout[-2000:]
        assert command is tex or "Warning" not in done.stdout, done.stdout
    assert "Overfull" not in done.stdout and "undefined" not in done.stdout, done.stdout


def test_what_a_figure_was_made_from_is_in_each_of_its_files(tmp_path: Path) -> None:
    frames = {name: dpbench.evidence(name) for name in (PRIVACY, RATE)}
    mine, both = (about("mine", {name: frames[name].shown for name in names}) for names in ([RATE], frames))
    digests = [frame.digest for frame in frames.values()]
    assert mine["evidence"] == frames[RATE].digest and both["evidence"] not in digests
    said = caption("Both.", mine, {RATE: "consistent"})
    assert rf"Models Revisited'': \texttt{{{RATE}}}, consistent." in said and mine["evidence"] in said
    for document, commit in (({"commit": "abc"}, "abc"), ({"commit": None}, "not recorded")):
        assert about_file("mine", document, "a command")["commit"] == commit
    figure, kinds = Figure(figsize=(3.0, 1.0)), ("pdf", "png", "svg")
    figure.suptitle("what was found")
    for name in "ab":  # the same bytes again; fonts are embedded as TrueType, not as Type 3
        figures.save(figure, [tmp_path / f"{name}.{kind}" for kind in kinds], about=mine)
    first, again = ({kind: (tmp_path / f"{name}.{kind}").read_bytes() for kind in kinds} for name in "ab")
    assert first == again and all(mine["evidence"].encode() in content for content in first.values())
    assert b"/FontFile2" in first["pdf"] and not any(word in first["pdf"] for word in (b"/Type3", b"CreationDate"))
    assert matplotlib.image.imread(tmp_path / "a.png").shape[:2] == (300, 900)


@pytest.mark.parametrize("panels", [1, 2])
def test_titles_go_but_for_those_that_tell_panels_apart(panels: int) -> None:
    figure = Figure()
    figure.suptitle("what was found")
    for axes in np.ravel(figure.subplots(1, panels)):
        axes.set_title("mine", loc="left")
    figures.untitled(figure)
    assert {axes.get_title(loc="left") for axes in figure.axes} == {"" if panels == 1 else "mine"}
    assert figure.get_suptitle() == ""


def test_a_curve_of_ones_own_is_in_its_panel() -> None:
    frame = dpbench.evidence(RATE)
    figure = plot.compose([[frame]], column=3.0, height=2.0, extra=[plot.Curve(frame["n"], frame["ceiling"], "mine")])
    (axes,) = figure.axes
    (mine,) = (line for line in axes.lines if line.get_label() == "mine")
    assert figure.get_size_inches().tolist() == [3.0, 2.0] and mine.get_ydata().tolist() == frame["ceiling"].tolist()
    assert "mine" in [text.get_text() for text in axes.get_legend().get_texts()]


@pytest.mark.parametrize("limits", [(1.0, 5.0), (0.01, 0.04), (200.0, 900.0), (1.0, 99.0), (1.0, 1e3), (1e-9, 1e3)])
def test_ticks_of_a_logarithmic_axis_are_few_and_say_their_values(limits: tuple[float, float]) -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.set(xscale="log", xlim=limits)
    figures.log_ticks(axes.xaxis)
    figure.draw_without_rendering()
    ticks = [tick for tick in axes.xaxis.get_major_ticks() if limits[0] <= tick.get_loc() <= limits[1]]
    said = [re.sub(r".*10\^\{(.*?)\}.*", r"1e\1", tick.label1.get_text()) for tick in ticks]
    assert 2 <= len(ticks) <= 7 and list(map(float, said)) == pytest.approx([tick.get_loc() for tick in ticks])


def every() -> list[Any]:
    """The figures of our own papers that have evidence."""
    ours = {"glm", "heavytail", "publicdata"}
    return [d for d in (*of_one(), *of_many()) if {name.partition(".")[0] for name in d.claims} <= ours]


@pytest.mark.slow
def test_committed_figures_are_those_of_the_committed_evidence(tmp_path: Path) -> None:
    """Pixel by pixel; each names its paper, or its panels have titles; at most six names in a legend (seven in
    Table 1), no interval through the floor."""
    drawings, other = every(), []
    found = best(known(None), {name for drawing in drawings for name in drawing.claims}, with_code=False)
    assert {*DRAWN, *(drawing.name for drawing in drawings)} == {path.stem for path in ROOT.glob("figures/*.png")}
    for drawing in drawings:
        with look():
            figure = drawing.figure({name: found[name] for name in drawing.claims})
            figures.settle(figure)
            figures.save(figure, [tmp_path / f"{drawing.name}.png"])
        title, table = figure.get_suptitle(), drawing.name.startswith("table1")
        paper, panels = drawing.claims[0].partition(".")[0], [axes.get_title(loc="left") for axes in figure.axes]
        assert title.startswith(f"{paper}: ") and len(title) <= 80 if title else all(panels), drawing.name
        legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
        assert all(len(legend.get_texts()) <= (7 if table else 6) for legend in legends), drawing.name
        for axes in () if table else figure.axes:  # whose rows go downwards
            bars = [bar for held in axes.collections if hasattr(held, "get_segments") for bar in held.get_segments()]
            assert all(bar[:, 1].min() >= axes.get_ylim()[0] for bar in bars if len(bar)), drawing.name
        places = tmp_path / f"{drawing.name}.png", ROOT / "figures" / f"{drawing.name}.png"
        new, old = (matplotlib.image.imread(str(place)) for place in places)
        if new.shape != old.shape or (np.abs(new - old).max(axis=2) > 0.1).mean() > 1e-3:
            other.append(drawing.name)
    assert not other, f"draw again and commit: dpbench figures {' '.join(other)}"


DRAWN = {
    "boxes_heavytail": "heavytail_speed.json", "risk_publicdata_all": "publicdata_risk.json",
    "risk_publicdata_alg5": "publicdata_risk.json", "bench_401ksubs": "bench_401ksubs.json",
    "bench_meps": "bench_meps.json", "peers_held_out": "peers.json", "peers_speed": "peers.json",
}  # fmt: skip
"""Figures that are drawn from files of numbers."""


@pytest.mark.parametrize("name", DRAWN)
def test_committed_figures_are_those_of_the_committed_numbers(name: str) -> None:
    """By the digest of the file, in the image and beside it; what draws them is tested with its program."""
    numbers = json.loads((ROOT / "evidence" / DRAWN[name]).read_text())
    assert digest(numbers) == digest({**numbers, "machine": "another", "commit": "another"})
    if "parts" in numbers:
        numbers["parts"] = {part: rows for part, rows in numbers["parts"].items() if part[:4] == name[6:10]}
    image = ROOT / "figures" / f"{name}.png"
    beside = json.loads(image.with_suffix(".json").read_text())["evidence"]
    assert beside == digest(numbers)
    assert all(beside.encode() in image.with_suffix(end).read_bytes() for end in (".png", ".pdf"))


EMPTY = '{"data": "a", "n": 1, "d": 1, "loss": "x", "radius": 1.0, "zero_excess": 1.0, "rows": []}'
NOT_WRITTEN = (
    "", "[]", "{}", '{"rows": 1}', '{"grid": [1]}', '{"parts": {"speed": [{}]}}', EMPTY,
    EMPTY.replace("1.0,", '"x",', 1),
)  # fmt: skip


@pytest.mark.parametrize("text", NOT_WRITTEN)
def test_what_bench_did_not_write_is_refused(text: str, tmp_path: Path, run: Run) -> None:
    (tmp_path / "made.json").write_text(text)
    code, _, err = run(f"bench --from {tmp_path / 'made.json'} --figure {tmp_path / 'x'}")
    assert code == 2 and "--from must be a file that `dpbench bench --json` wrote" in err and err.count("\n") == 1
    assert not list(tmp_path.glob("x*"))
    code, _, err = run(f"bench --from {tmp_path / 'made.json'}")
    assert code == 2 and "--figure must be given beside --from" in err


def test_a_finding_is_of_the_evidence() -> None:
    evidence = {"value": -0.5, "reference": -0.25, "margin": -0.2}
    assert figures.finding("", "consistent", evidence) == "slope −0.50, the theorem's −0.25: consistent"
    assert figures.finding("", "consistent", evidence, "upper") == "slope −0.50, the bound's −0.25: consistent"
    assert figures.finding("", "refuted", {"value": 1.0}) == ""
    assert figures.finding("{over:.0%} over, {share:.1f} times, {value:g}", "refuted", evidence) == (
        "20% over, 1.2 times, −0.5"
    )
    assert (
        figures.finding("{n} of {value:g}", "refuted", evidence | {"tables": {"rows": {"n": [3.0, 4.0]}}})
        == "3.0 of −0.5"
    )


def test_a_title_names_the_bound_of_an_upper_rate_alone() -> None:
    evidence, sides = {"value": -0.5, "reference": -0.25}, {claim.side: claim.id for claim in all_claims()}
    for side, name in sides.items():
        made = figures.Drawing("mine", name, lambda _: Figure()).figure(
            {name: SimpleNamespace(verdict="", evidence=evidence)}
        )
        assert ("the bound's" in made.get_suptitle()) == (side == "upper"), side
    assert len(sides) > 1


@pytest.mark.parametrize(("verdicts", "said"), [(("refuted", "not refuted"), "1 of 2"), (("proved",), "none of 1")])
def test_a_title_of_many_entries_counts_those_that_fail(verdicts: tuple[str, ...], said: str) -> None:
    found = {f"glm.x{k}.floor": SimpleNamespace(verdict=v, evidence={"value": k}) for k, v in enumerate(verdicts)}
    drawn: list[Any] = []
    made = figures.Summary("mine", lambda: tuple(found), lambda results: drawn.append(results) or Figure())
    assert made.figure(found).get_suptitle().startswith(f"glm: {said} rows")
    assert drawn == [{name: (one.verdict, one.evidence) for name, one in found.items()}]


def test_an_interval_that_holds_zero_is_an_open_mark_at_its_upper_end() -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.set_yscale("log")
    x, mean = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 0.1, 0.0, -1.0])
    low, high = np.array([0.5, 0.0, -0.1, -2.0]), np.array([2.0, 0.3, 0.2, -0.5])
    figures.with_intervals(axes, x, mean, low, high, color="black", marker="o", label="risk")
    whole, marks = axes.lines[0], axes.lines[-1]
    assert whole.get_xdata().tolist() == [1.0] and marks.get_label() == figures.HOLDS_ZERO
    assert marks.get_xdata().tolist() == [2.0, 3.0] and marks.get_ydata().tolist() == [0.3, 0.2]
    ((bar,),) = (bars.get_segments() for bars in axes.collections)
    assert bar[:, 1].tolist() == [0.5, 2.0]


@pytest.mark.parametrize(("width", "height"), [(6.0, 2.0), (3.0, 4.0)])
def test_panels_without_room_beside_each_other_stand_in_a_column_each_as_high(width: float, height: float) -> None:
    with look(width=width):
        figure, axes = figures.panels(1, 2, width=6.0, height=2.0)
    resize(figure, width)
    assert figure.get_size_inches() == pytest.approx([width, height])
    assert axes[0].get_subplotspec().is_last_row() == (width == 6.0)
