"""The corpus of known bugs: fast cases by themselves, the whole marked evidence, and what is committed of it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from dpbench.core.validation import InvalidInput
from dpbench_libraries.environment import EnvironmentFailed
from dpbench_libraries.known_bugs import __main__ as command
from dpbench_libraries.known_bugs import draws
from dpbench_libraries.known_bugs.auditors import Refutes, classifier, jax_privacy, ours, scores
from dpbench_libraries.known_bugs.cases import CASES, Case, named
from dpbench_libraries.known_bugs.measure import gray, ladder, measure
from dpbench_libraries.known_bugs.releases import ENVIRONMENTS, prepare
from tools.pages import tables

ROOT = Path(__file__).resolve().parents[2]
EVIDENCE = ROOT / "evidence" / "known_bugs.json"


def measured(case: Case, most: int = 2_000) -> dict[str, Any]:
    return measure(case, {"dpbench": ours}, most, 0, lambda text: None)


@pytest.mark.parametrize("name", ["one-seed-twice", "batch-clipping", "range-of-the-data"])
def test_a_bug_is_found_and_its_mended_version_is_not(name: str) -> None:
    row = measured(named(name))
    assert row["found"]["dpbench"]["runs"] <= 2_000 and row["mended_refuted"] == {"dpbench": False}
    assert row["gray"]["mended"]["verdict"] != "refuted"


def test_two_mended_versions_are_never_found() -> None:
    """The healthy counterpart: what is found is the bug."""
    case = named("batch-clipping")
    row = measured(replace(case, broken=case.mended))
    assert row["found"] == {"dpbench": None} and row["gray"]["broken"]["verdict"] == "not refuted"


def test_the_gray_box_finds_what_it_should() -> None:
    found = {c.name: gray(c, "broken", 0)["verdict"] for c in CASES if c.broken}
    refuted = {name for name, verdict in found.items() if verdict == "refuted"}
    assert {"mean-by-size", "batch-clipping", "parameter-clipping", "one-seed-twice", "range-of-the-data"} <= refuted
    assert not refuted & {"svt-numbers", "score-sensitivity", "noisy-max-value", "threshold-formula"}


def test_the_rungs_of_a_ladder_share_one_level() -> None:
    """The level is 1e-6 over all rungs of the broken version, and another 1e-6 for the one audit of the mended."""
    levels: list[float] = []

    def asked(*given: Any) -> bool:
        levels.append(given[4])
        return False

    row = measure(named("batch-clipping"), {"asked": asked}, 2_000, 0, lambda text: None)
    *rungs, mended = levels
    assert len(rungs) == len(row["rungs"]) == 3
    assert min(levels) > 0.0 and sum(rungs) <= 1e-6 * (1.0 + 1e-9) and mended <= 1e-6


def test_the_two_directions_of_an_auditor_share_its_level(monkeypatch: pytest.MonkeyPatch) -> None:
    levels: list[float] = []

    class Bounded:
        def __init__(self, *scores: np.ndarray) -> None: ...

        def epsilon_clopper_pearson(self, significance: float, delta: float, **given: Any) -> float:
            levels.append(significance)
            return 0.0

    auditing = SimpleNamespace(CanaryScoreAuditor=Bounded, Split=lambda *given, **named: None)
    monkeypatch.setattr("dpbench_libraries.known_bugs.auditors.extra", lambda *names: auditing)
    assert not jax_privacy(np.zeros((4, 1)), np.zeros((4, 1)), 1.0, 0.0, 1e-6, 0)
    assert len(levels) == 2 and sum(levels) <= 1e-6 * (1.0 + 1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("auditor", "seeds"), [(ours, 40), (classifier, 40), (jax_privacy, 400)])
def test_an_auditor_refutes_the_exact_epsilon_no_more_often_than_its_level(auditor: Refutes, seeds: int) -> None:
    """Randomised response at epsilon 1; counts beyond the quantile of 1 - 1e-6 of a binomial law are an error."""
    if auditor is jax_privacy:
        pytest.importorskip("jax_privacy")
    truth = 1.0 / (1.0 + math.exp(-1.0))

    def refutations(level: float, epsilon: float = 1.0) -> int:
        rngs = [np.random.default_rng(seed) for seed in range(seeds)]
        pairs = [[(rng.random((2_000, 1)) < rate).astype(float) for rate in (truth, 1.0 - truth)] for rng in rngs]
        return sum(auditor(*pair, epsilon, 0.0, level, seed) for seed, pair in enumerate(pairs))

    for level in (0.2, 2e-4):
        assert refutations(level) <= binom.isf(1e-6, seeds, level)
    assert refutations(2e-4, epsilon=0.4) > binom.isf(1e-6, seeds, 2e-4)  # what a claim that is too low looks like
    if auditor is not classifier:  # it stays far below its level; of the others a thousand times the level is seen
        assert refutations(0.2) > binom.isf(1e-6, seeds, 2e-4)


@pytest.mark.slow
def test_the_other_auditors_refute_what_is_far_apart_and_nothing_else() -> None:
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(2, 4_000, 2)), rng.normal(size=(2, 4_000, 2))
    for auditor in (ours, classifier):
        assert not auditor(*one, 0.5, 0.0, 1e-6, 0)
        assert auditor(other[0], other[1] + 3.0, 0.5, 0.0, 1e-6, 0)
    first, second = scores(other[0], other[1] + 3.0)
    assert len(first) == 3_200 and first.mean() > second.mean() + 3.0
    pytest.importorskip("jax_privacy")
    assert jax_privacy(other[0], other[1] + 3.0, 0.5, 0.0, 1e-6, 0) and not jax_privacy(*one, 0.5, 0.0, 1e-6, 0)


def test_the_list_of_cases_is_whole() -> None:
    assert len({c.name for c in CASES}) == len(CASES) >= 12
    for case in CASES:
        assert case.source and case.bug and case.mend and case.epsilon > 0.0
        assert case.released != (case.broken is not None and case.mended is not None)
        assert set(case.environments) <= set(ENVIRONMENTS)
        assert not case.released or callable(getattr(draws, case.name.replace("-", "_")))
    assert ladder(4_000) == [500, 1_000, 2_000, 4_000] and ladder(3_999)[-1] == 2_000


def test_an_environment_that_cannot_be_made_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: an environment that fails. The one that does not is asked for what its case needs."""
    asked: list[tuple[Any, ...]] = []

    def made(*given: Any, **named: Any) -> Path:
        asked.append(given)
        if given[0] == "diffprivlib":
            raise EnvironmentFailed("could not install diffprivlib: no matching distribution")
        return Path("python")

    monkeypatch.setattr("dpbench_libraries.known_bugs.releases.interpreter", made)
    assert measured(named("linear-regression")) == {"why": "could not install diffprivlib: no matching distribution"}
    prepare(named("svt-filter"))
    assert asked[1:] == [
        (name, ENVIRONMENTS[name].packages, ENVIRONMENTS[name].alone) for name in ("nvflare", "nvflare-mended")
    ]


def test_the_command_prints_and_keeps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "found.json"
    assert command.main(["--case", "observed-keys", "--trials", "500", "--json", str(place)]) == 0
    kept = json.loads(place.read_text(encoding="utf-8"))
    assert [row["name"] for row in kept["cases"]] == ["observed-keys"] and kept["alpha"] == 1e-6
    assert "observed-keys" in capsys.readouterr().out
    counts = tables.known_bugs_counts(kept)
    runs = len(kept["cases"][0]["mended_refuted"])
    assert "| dpbench | 1 of 1 | 0 of 0 | 0 |" in counts
    assert f"these {runs} audits refutes one with probability at most {runs}e-06" in counts
    row = {**kept["cases"][0], "mended_refuted": {"dpbench": True}}
    assert tables.alarms(row) == 1 and "): fixed version refuted |" in tables.known_bugs({"cases": [row]})
    for wrong, message in ((["--trials", "3"], "trials must be"), (["--case", "svt"], "case must be one of")):
        with pytest.raises(SystemExit, match="2"):
            command.main(wrong)
        assert message in capsys.readouterr().err
    with pytest.raises(InvalidInput):
        named("nothing")


@pytest.mark.evidence
def test_the_whole_corpus_is_as_committed(tmp_path: Path) -> None:
    kept = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    place = tmp_path / "now.json"
    assert command.main(["--json", str(place)]) == 0
    now = json.loads(place.read_text(encoding="utf-8"))
    for before, after in zip(kept["cases"], now["cases"], strict=True):
        assert (before["found"]["dpbench"] is None) == (after["found"]["dpbench"] is None), before["name"]
