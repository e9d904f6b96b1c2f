"""The third zoo: the law of each mechanism's log-ratio, held against the log-ratios of its own outputs.

Log-ratios are computed here output by output, from densities written down again from the mechanisms' descriptions;
the laws sum masses over cells.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy import stats

from dpbench import audit

pytestmark = pytest.mark.meta

ROWS = 40_000
SLACK = 0.003
"""A cell of log-ratio is at most this wide, and a few of a product's."""
LEVEL = 1e-6


@pytest.fixture
def zoo(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of `benchmarks/`, found beside the tests."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).resolve().parents[2])])
    from studies import third_zoo

    return third_zoo


def _response(answer: np.ndarray, truth: np.ndarray | int, among: int, rate: float) -> np.ndarray:
    return rate * (answer == truth) - math.log(math.exp(rate) + among - 1)


def _censored(x: np.ndarray, d: float) -> np.ndarray:
    noise = stats.laplace(d)
    inside = np.where((x > 0.3) & (x < 2.0), noise.logpdf(x), 0.0)
    return np.where(x <= 0.3, noise.logcdf(0.3), np.where(x >= 2.0, noise.logsf(2.0), inside))


def _edges(x: np.ndarray, d: float) -> np.ndarray:
    return np.log(0.8 * stats.uniform(d - 1.0, 2.0).pdf(x) + 0.2 * stats.laplace(d).pdf(x))


def _extremes(x: np.ndarray, d: float) -> np.ndarray:
    f = stats.logistic(d)
    return f.logpdf(x).sum(axis=1) + 3.0 * np.log(f.cdf(x[:, 1]) - f.cdf(x[:, 0]))


def _category(x: np.ndarray, category: int, number: float) -> np.ndarray:
    sign = np.where(x[:, 0] % 2 == 0, 1.0, -1.0)
    return _response(x[:, 0], category, 4, 1.0) - np.abs(x[:, 1] - sign * number)


def _median(x: np.ndarray, values: tuple[int, ...]) -> np.ndarray:
    chance = np.exp([-abs(sum(v <= g for v in values) - len(values) / 2.0) for g in range(21)])
    return np.log(chance / chance.sum())[x]


def _unary(x: np.ndarray, value: int) -> np.ndarray:
    chance = np.full(100, 1.0 / (math.exp(1.5) + 1.0))
    chance[value] = 0.5
    return np.where(x, np.log(chance), np.log1p(-chance)).sum(axis=1)


def _chain(x: np.ndarray, stays: float) -> np.ndarray:
    same = (x[:, 1:] == x[:, :-1]).sum(axis=1)
    return same * math.log(stays) + (7 - same) * math.log1p(-stays)


AGES = (2, 3, 5, 5, 7, 9, 11, 12, 15, 17, 18)
DENSITIES: dict[str, tuple[Callable[[np.ndarray], np.ndarray], Callable[[np.ndarray], np.ndarray]]] = {
    "planar laplace": (
        lambda x: -0.7 * np.linalg.norm(x, axis=1),
        lambda x: -0.7 * np.linalg.norm(x - np.array([1.2, 1.6]), axis=1),
    ),
    "censored laplace": (lambda x: _censored(x, 0.0), lambda x: _censored(x, 1.0)),
    "gumbel": (stats.gumbel_r(0.0).logpdf, stats.gumbel_r(0.7).logpdf),
    "uniform or laplace noise": (lambda x: _edges(x, 0.0), lambda x: _edges(x, 0.5)),
    "normal of another scale and place": (stats.norm(0.0, 1.0).logpdf, stats.norm(0.5, 1.3).logpdf),
    "discrete gaussian": (lambda x: -0.125 * x**2.0, lambda x: -0.125 * (x - 1.0) ** 2),
    "poisson count": (stats.poisson(10.0).logpmf, stats.poisson(12.0).logpmf),
    "category and number": (lambda x: _category(x, 0, 0.0), lambda x: _category(x, 3, 0.8)),
    "least and largest of five": (lambda x: _extremes(x, 0.0), lambda x: _extremes(x, 0.4)),
    "median on a grid": (lambda x: _median(x, AGES), lambda x: _median(x, (14, *AGES[1:]))),
    "subset of four": (lambda x: 1.5 * x[:, 2], lambda x: 1.5 * x[:, 9]),
    "unary code of a hundred": (lambda x: _unary(x, 3), lambda x: _unary(x, 40)),
    "chain of responses": (lambda x: _chain(x, 0.6), lambda x: _chain(x, 0.75)),
}
"""Logarithms of the densities of either side, up to what both share."""


def farthest(zoo: ModuleType, name: str, spread: float = 1.0) -> float:
    """How far shares of log-ratios at least a level lie outside of the law's, over all levels and both sides.

    `spread` plants an error: the law's levels are multiplied by it.
    """
    entry = zoo.ENTRIES[name]
    known = entry.law()
    held = known.first + known.second > 0.0  # a product's lattice has empty cells
    with np.errstate(divide="ignore"):
        levels = spread * (np.log(known.first[held]) - np.log(known.second[held]))
    bucket = zoo.BUCKET
    one, other = DENSITIES.get(
        name,
        tuple(
            (lambda x, v=v: _response(x[:, 1], bucket[x[:, 0], v], 3, 1.2)) for v in (0, 1)
        ),  # of "hashed response", whose hash is the zoo's own
    )
    worst = 0.0
    for side, dataset, masses in ((0, entry.one, known.first), (1, entry.other, known.second)):
        x = entry.sampler(dataset, ROWS, np.random.default_rng([17, side]))
        seen = np.sort(one(x) - other(x))
        above = np.cumsum(masses[held])  # levels decrease
        shares = [1.0 - np.searchsorted(seen, levels + move, side="left") / ROWS for move in (SLACK, -SLACK)]
        worst = max(worst, float((shares[0] - above).max()), float((above - shares[1]).max()))
    return worst


def test_every_law_is_of_its_sampler(zoo: ModuleType) -> None:
    """Dvoretzky, Kiefer and Wolfowitz at 1e-6 over all entries, sides and directions: shares within 0.0148.

    Planted: levels a tenth too large, as of an ε a tenth too large, are noticed in every law.
    """
    band = math.sqrt(math.log(4 * len(zoo.ENTRIES) / LEVEL) / (2 * ROWS))
    assert len(zoo.ENTRIES) >= 12 and set(zoo.ENTRIES) == {*DENSITIES, "hashed response"}
    for name in zoo.ENTRIES:
        assert farthest(zoo, name) <= band, name
        assert farthest(zoo, name, 1.1) > band, name


def test_masses_are_one_and_match_their_levels(zoo: ModuleType) -> None:
    """Masses sum to 1, and the law's ε at its δ is finite and worth an audit."""
    from studies.second_zoo import epsilon

    for name, entry in zoo.ENTRIES.items():
        known = entry.law()
        assert known.first.sum() == pytest.approx(1.0, abs=1e-9), name
        assert known.second.sum() == pytest.approx(1.0, abs=1e-9), name
        assert 0.3 < epsilon(known, entry.delta) < 6.0, name


def test_no_zoo_holds_a_mechanism_twice(zoo: ModuleType) -> None:
    from studies import second_zoo
    from studies.first_zoo import ZOO

    names = [*zoo.ENTRIES, *second_zoo.ENTRIES, *(e.name for e in ZOO)]
    assert len(set(names)) == len(names)


def test_each_runs_through_an_audit(zoo: ModuleType) -> None:
    """No crash, at 2,000 runs a side; confidence 1 − 1e-8, so a bound above the truth has a chance below 1e-6."""
    from studies.second_zoo import epsilon

    for name, entry in zoo.ENTRIES.items():
        found = audit(entry.sampler, entry.one, entry.other, delta=entry.delta, trials=2_000, confidence=1.0 - 1e-8)
        assert found.epsilon_lower <= epsilon(entry.law(), entry.delta), name


def test_the_command_keeps_its_rows_and_the_page_prints_them(
    zoo: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from studies.results.audits import third_zoo as page

    from studies import second_power

    kept = tmp_path / "zoo.json"
    ask = ["prog", "--zoo", "third", "--trials", "500", "--seeds", "2", "--json", str(kept)]
    monkeypatch.setattr(sys, "argv", [*ask, "--entry", "subset of four"])
    second_power.main()
    document = json.loads(kept.read_text())
    row = document["third zoo"]["subset of four"]
    assert row["epsilon"] == pytest.approx(1.5) and row["seeds"] == [0, 1]
    last = page(document).splitlines()[-1]
    assert last.startswith("| subset of four | 0 | 1.5 | ") and f"{row['ratio']:.2f}, on" in last
    capsys.readouterr()
    monkeypatch.setattr(sys, "argv", [*ask, "--entry", "staircase"])  # of the second zoo
    with pytest.raises(SystemExit):
        second_power.main()
    assert "--entry: staircase: must be among planar laplace" in capsys.readouterr().err
