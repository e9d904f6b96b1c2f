"""Two trees side by side: a slower one is found, an equal one is not, and each ratio is that of the calls made."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.meta

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def module(monkeypatch):
    """`benchmarks.compare`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])
    from benchmarks import compare

    return compare


class Tree:
    """A call takes `seconds`, and every third slice a quarter more; `bias` is of the process."""

    def __init__(self, seconds, bias=1.0):
        self.seconds, self.asked = seconds * bias, []

    def ask(self, **words):
        self.asked.append(words)
        noise = 1.25 if len(self.asked) % 3 == 0 else 1.0
        return self.seconds * noise * words["calls"]

    def close(self):
        """Nothing to end."""


def test_a_ratio_is_of_the_same_calls_in_turns(module):
    base, head = Tree(0.01), Tree(0.012)
    pairs = module.measure("made-up", base, head, 3)
    assert base.asked[0] == {"name": "made-up", "first": 1, "calls": 2}
    assert base.asked == head.asked and len(base.asked) == 1 + 3 * module.SLICES
    calls = base.asked[1]["calls"]
    assert [asked["first"] for asked in base.asked[1:]] == [1 + calls * k for k in range(3 * module.SLICES)]
    assert [pair.ratio for pair in pairs] == pytest.approx([1.2] * 3)
    assert [pair.seconds for pair in pairs] == pytest.approx([0.012] * 3)  # slow slices are left out


def test_the_interval_is_of_order_statistics(module):
    row = module.row("made-up", [module.Pair(ratio, 1.0) for ratio in (9, 1, 8, 2, 7, 3, 6, 4, 5)])
    assert (row.low, row.ratio, row.high) == (3, 5, 7)
    row = module.row("made-up", [module.Pair(ratio, 1.0) for ratio in (5, 1, 4, 2, 3)])
    assert (row.low, row.ratio, row.high) == (2, 3, 4)


@pytest.mark.parametrize(("factor", "slower"), [(1.0, False), (1.04, False), (1.1, True), (0.8, False)])
def test_ten_percent_is_found_and_four_are_not(module, monkeypatch, factor, slower, capsys):
    """One process of the second tree of five is a fifth slower all the time: of that, no alarm."""
    made = []

    def tree(*given):
        made.append(Tree(0.01 * (factor if len(made) % 2 else 1.0), 1.2 if len(made) == 1 else 1.0))
        return made[-1]

    monkeypatch.setattr(module, "Tree", tree)
    code = module.main([".", ".", "--only", "jl"])
    assert code == (1 if slower else 0)
    said = capsys.readouterr().out
    assert ("slower: jl" in said) is slower and f"{factor:.3f}" in said
    assert len(made) == 2 * module.PAIRS * (2 if slower else 1)


def test_what_was_slow_once_is_measured_again_in_other_processes(module, monkeypatch):
    made = []

    def tree(*given):
        slow = len(made) % 2 and len(made) < 2 * module.PAIRS
        made.append(Tree(0.012 if slow else 0.01))
        return made[-1]

    monkeypatch.setattr(module, "Tree", tree)
    (row,) = module.compare(".", ".", names=["jl"])
    assert row.again and not row.slower and row.ratio == pytest.approx(1.0)


@pytest.mark.process
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nowhere . --only jl", "BASE and HEAD must be commits of this repository, got 'nowhere'"),
        (". . --pairs 4", "--pairs must be at least 5, got 4"),
        (". . --only made-up", "invalid choice: 'made-up'"),
    ],
)
def test_bad_use_is_one_line(line, said):
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.compare", *line.split()], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_changed_work_is_another_version(module, monkeypatch):
    from benchmarks import bench_headline

    def version():
        return importlib.reload(bench_headline).Headline.time_run.version

    first = version()
    assert bench_headline.Headline.track_quality.version == bench_headline.Headline.peakmem_run.version == first
    monkeypatch.setattr("inspect.getsource", lambda module: "SIZE = 11")
    assert version() != first
    monkeypatch.undo()
    assert version() == first
