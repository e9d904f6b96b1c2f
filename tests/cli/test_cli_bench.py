"""``dpbench bench`` on tables of one's own: bounds of columns, several radii, and warnings where they are due."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger.evidence import commit_now
from dpbench.papers.glm.comparison import fit, fit_any_radius
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.glm.scaling import from_csv_scaled, share_outside

SCALE = "--scale age=0:100 --scale income=0:1e5 --scale y=-20:20"
FAST = "--epsilon 1 --trials 4 --workers 1"


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Raw units: ages, incomes, and a label that follows both."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    age, income = rng.uniform(20.0, 80.0, 60), rng.uniform(1e4, 9e4, 60)
    rows = zip(age, income, 0.1 * age + income / 2e4, strict=True)
    Path("raw.csv").write_text("age,income,y\n" + "".join(f"{a},{i},{y}\n" for a, i, y in rows))
    return Path("raw.csv")


def test_each_column_is_scaled_by_its_own_bounds(table):
    raw = np.loadtxt(table, delimiter=",", skiprows=1)
    problem, share = from_csv_scaled(table, "y", {"age": (0.0, 100.0), "income": (0.0, 5e4), "y": (-9.0, 9.0)})
    expected = np.column_stack([np.ones(60), raw[:, 0] / 50.0 - 1.0, np.minimum(raw[:, 1] / 2.5e4 - 1.0, 1.0)])
    np.testing.assert_allclose(problem.X, expected / np.sqrt(3.0), rtol=1e-12)
    np.testing.assert_allclose(problem.y, np.minimum(raw[:, 2] / 9.0, 1.0), rtol=1e-12)
    assert (problem.x_bound, problem.y_bound, problem.y.max()) == (1.0, 1.0, 1.0)
    far = raw[:, 1] > 5e4, raw[:, 2] > 9.0
    assert share == np.mean(far[0] | far[1]) and (far[1] & ~far[0]).any() and 0.2 < share < 0.8
    assert share_outside(table, "y", 5e4, 1e3) == pytest.approx(np.mean(np.hypot(raw[:, 0], raw[:, 1]) > 5e4))


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ({"age": (0.0, 100.0)}, "bounds for each of age, income, y, got 'none for income'"),
        ({"age": (0.0, 0.0), "income": (0.0, 1.0), "y": (0.0, 1.0)}, "scale of age must be two numbers, the lower"),
        ({"age": (0.0, 1.0), "income": (0.0, 1.0), "y": (0.0, 1.0), "z": (0.0, 1.0)}, "a column of scale must be one"),
    ],
)
def test_bounds_that_cannot_be_used(table, scale, words):
    with pytest.raises(InvalidInput) as caught:
        from_csv_scaled(table, "y", scale)
    assert words in str(caught.value)


def test_bounds_on_the_command_line_and_in_a_file(table, run):
    line = f"bench --data raw.csv --target y --algorithm noisy-gd {FAST} --quiet --json -"
    Path("bounds.csv").write_text("column,low,high\nage,0,100\nincome,0,1e5\ny,-20,20\n")
    told, filed = (json.loads(run(f"{line} {scale}")[1]) for scale in (SCALE, "--scale bounds.csv"))
    assert told["rows"][0]["excess"] == filed["rows"][0]["excess"] and told["d"] == 3
    assert told["share_outside_bounds"] == 0.0 and told["warnings"] == [] and told["commit"] == commit_now()[0]
    for bad in ("--scale age", "--scale age=0", "--scale age=x:1"):
        code, _, err = run(f"{line} {bad}")
        assert code == 2 and "--scale must be COLUMN=LOW:HIGH" in err and err.count("\n") == 1
    code, _, err = run(f"{line} {SCALE} --x-bound 1")
    assert code == 2 and "--x-bound must be left out beside --scale" in err


def test_clipping_of_most_records_and_a_constant_answer_are_warned_of(table, run):
    line = f"bench --data raw.csv --target y --x-bound 1 --y-bound 1 --on-excess clip {FAST} --json found.json"
    code, _, err = run(f"{line} --algorithm noisy-gd --quiet")
    assert code == 0 and "100% of the records of raw.csv lie outside the bounds" in err and err.count("\n") == 1
    assert len(json.loads(Path("found.json").read_text())["warnings"]) == 1
    line = f"bench --data raw.csv --target y {SCALE} --epsilon 0.1 --trials 8 --workers 1 --quiet"
    code, _, err = run(f"{line} --algorithm noisy-gd,grid-search")
    assert code == 0 and err.count("\n") == 1
    assert "grid-search has one risk in all trials at epsilon 0.1, that of the zero predictor" in err


RADII = f"bench --data raw.csv --target y {SCALE} {FAST} --json found.json --radius 0.25,1"


def test_several_radii(table, run):
    """The last table has the mean risk of each algorithm at each radius, and says of grid search that it chooses."""
    for algorithms, chooses in (("noisy-gd", False), ("noisy-gd,grid-search", True)):
        code, out, _ = run(f"{RADII} --algorithm {algorithms}")
        grid = json.loads(Path("found.json").read_text())["grid"]
        assert code == 0 and [document["radius"] for document in grid] == [0.25, 1.0]
        assert grid[0]["fit"]["risk"] > grid[1]["fit"]["risk"] >= grid[1]["fit_any_radius"]["risk"]
        *_, last = re.split("radius 0.25 +radius 1\n", out)
        for name, risks in (("noisy-gd +1", [d["rows"][0]["excess"] + d["fit"]["risk"] for d in grid]),
                            ("non-private fit", [d["fit"]["risk"] for d in grid])):  # fmt: skip
            found = re.search(rf"{name} +(\S+) +(\S+)", last)
            assert found and [float(risk) for risk in found.groups()] == pytest.approx(risks, rel=1e-2)
        assert ("grid-search has radii of its own" in last) is chooses
    code, _, err = run("bench --from found.json")
    assert code == 2 and err.startswith("dpbench: --figure must be given beside --from")


@pytest.mark.slow
def test_figures_of_several_radii(table, run):
    assert run(f"{RADII} --algorithm noisy-gd --figure plot")[0] == 0
    assert {"plot_radius0.25.png", "plot_radius1.pdf"} <= set(os.listdir())


@pytest.mark.parametrize("radius", [0.125, 2.0**-15])  # where the risk falls by a thousandth only later
def test_the_fit_without_a_radius_is_that_of_least_squares(radius):
    rng = np.random.default_rng(0)
    x = rng.uniform(-0.5, 0.5, (80, 2))
    problem = GLMProblem(x, 0.2 * x @ [3.0, -2.0], loss="squared", x_bound=1.0, y_bound=1.0, radius=radius)
    best = fit(problem)
    free, radius = fit_any_radius(problem, best)
    np.testing.assert_allclose(free.w, [0.6, -0.4], atol=1e-6)
    assert radius == 1.0 and free.risk < 1e-10 < best.risk
