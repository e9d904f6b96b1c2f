"""The benchmark of learned scores: its mechanisms have the laws that its oracle is told, and it leaves no trace."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import binom

from dpbench.auditing import choose

pytestmark = pytest.mark.meta


@pytest.fixture(scope="module")
def learners() -> Iterator[ModuleType]:
    """The module of `benchmarks/`, which stands beside the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(Path(__file__).resolve().parents[2])])
        from studies import learners as module

        yield module


LOG_RATIOS = {  # of the data set (0) to the neighbour (1), from the densities
    "signs of two of ten": lambda x: -np.sign(x[:, 2] * x[:, 6]),
    "signs of three": lambda x: -np.sign(x[:, 0] * (x[:, 1] - 30.0) * (x[:, 2] + 20.0)),
    "masked bit of twenty": lambda x: np.where(x[:, 5] == x[:, 11], 1.0, -1.0),
    "laplace under a sign": lambda x: np.abs(np.sign(x[:, 0]) * x[:, 1] - 1.0) - np.abs(x[:, 1]),
    "correlated normals": lambda x: -0.6 * x[:, 0] * x[:, 1] / (1.0 - 0.09),
    "scale told": lambda x: (np.abs(x[:, 1:] - 1.0) - np.abs(x[:, 1:])).sum(axis=1) / x[:, 0],
}


@pytest.mark.parametrize("name", LOG_RATIOS)
def test_interactions_have_the_law_that_the_oracle_is_told(learners: ModuleType, name: str) -> None:
    """Null: P(log-ratio ≥ t) is the law's on both sides. 50,000 outputs, false alarm 1e-6 a case: an error of 0.013
    in a probability is found; planted: the sides exchanged."""
    case, size = learners.CASES[name], 50_000
    known = case.law()
    level = np.log(known.first / known.second)
    rng = np.random.default_rng(3)
    one, other = (LOG_RATIOS[name](case.sampler(d, size, rng)) for d in (case.one, case.other))

    def least(pair: tuple[np.ndarray, np.ndarray]) -> float:
        found = []
        for values, masses in zip(pair, (known.first, known.second), strict=True):
            for t in (-0.4, -0.1, 0.0, 0.1, 0.4):
                hits, chance = int((values >= t + 1e-7).sum()), float(masses[level >= t + 1e-7].sum())
                found += [binom.cdf(hits, size, chance), binom.sf(hits - 1, size, chance)]
        return min(found)

    assert {n for n, c in learners.CASES.items() if c.interaction} == set(LOG_RATIOS)
    assert least((one, other)) > 1e-6 / 20
    assert least((other, one)) < 1e-6 / 20


def test_a_case_is_measured_and_kept(learners: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two seeds, 20,000 a side: the auditor's own pairs of columns see a product; one score more adds nothing."""
    usual, file = choose.candidates, tmp_path / "learners.json"
    line = ["learners", "--case", "signs of two of ten", "--variant", "logistic"]
    monkeypatch.setattr(sys, "argv", [*line, "--seeds", "2", "--trials", "20000", "--json", str(file)])
    learners.main()
    assert choose.candidates is usual
    (row,) = json.loads(file.read_text(encoding="utf-8"))["learners"].values()
    assert (row["trials"], row["seeds"], row["interaction"]) == (20_000, [6000, 6001], True)
    assert row["sums"]["used"] == 0 and row["logistic"]["used"] == 0
    assert 0.9 * row["oracle"] < row["sums"]["mean"] == row["logistic"]["mean"] < row["oracle"] + 0.2
    assert row["logistic"]["gain"] == pytest.approx(row["logistic"]["mean"] - row["sums"]["mean"])
    assert "trees" not in row


def test_nothing_is_learned_from_scalars_and_the_auditor_is_left_as_it_was(learners: ModuleType) -> None:
    usual, sample = choose.candidates, np.random.default_rng(0).standard_normal((2, 3000))
    wide = [np.column_stack([side, side**2]) for side in sample]
    counts = len(usual(*sample)), len(usual(*wide))
    with learners.other_candidates(learners.VARIANTS["today"]):
        assert len(choose.candidates(*wide)) == counts[1]
    with pytest.raises(ZeroDivisionError), learners.other_candidates((learners.logistic, learners.trees)):
        assert (len(choose.candidates(*sample)), len(choose.candidates(*wide))) == (counts[0], counts[1] + 1)
        raise ZeroDivisionError
    assert choose.candidates is usual
