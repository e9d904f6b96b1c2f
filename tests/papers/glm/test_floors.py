"""The floor entries: a mechanism that is not private is refuted by the code that runs them; so is a false floor."""

from dataclasses import replace

import numpy as np
import pytest
from declared import Plain, found
from glm_instances import least_squares

from dpbench.ledger.measurement import LEVEL
from dpbench.papers.glm.attacks.accuracy import measure_accuracy
from dpbench.papers.glm.theorems import floors
from lowerbounds import packing


def test_the_control_of_the_attack_is_refuted_where_it_should_be():
    _, evidence = found("glm.lemma1.floor.exact")
    assert set(evidence.column("algorithm")) == {"noisy GD", "output perturbation", "zero"}
    rows = zip(*(evidence.tables["power"][k] for k in ("noise", "shrink", "absolute error")), strict=True)
    shares = {(noise, shrink): share for noise, shrink, share in rows}
    assert shares["laplace", 1.0] == shares["gaussian", 1.0] == 0.0
    assert shares["laplace", 5.0] == shares["gaussian", 15.0] == 1.0


def test_the_tight_floor_of_two_points_is_attained():
    curve = found("glm.lemma1.floor.tight")[1].tables["curve"]
    np.testing.assert_allclose(np.array(curve["attained"]) / np.array(curve["tight"]), 1.0, rtol=1e-9)
    assert max(curve["violation"]) < 1e-12


def test_costly_algorithms_run_on_few_members_and_can_refute(monkeypatch):
    arguments = {"n": 60, "d": 3, "epsilon": 0.5, "delta": 1e-6}
    zero = {"zero": floors.Zero()}
    case = floors.Case(packing, arguments, {"constants": "exact"}, zero, {}, floors.costly(0.5, 1e-6))
    wrong = replace(case, costly={"least squares": least_squares})
    verdict, evidence = floors.run_floor(Plain(), [wrong], trials=4, quick=256)
    alone = measure_accuracy(floors.Zero(), packing(**arguments), draws=256, trials=4, confidence=1.0 - LEVEL / 2.0)
    assert verdict == "refuted" and evidence.column("upper")[0] == pytest.approx(alone.upper), "bounds share the level"
    monkeypatch.setattr(floors, "_FEW", 16)
    verdict, evidence = floors.run_floor(Plain(), [case], trials=4, quick=24)
    assert verdict == "not refuted" and evidence.value > 1.0
    assert evidence.column("algorithm") == ["zero", "JL method", "grid search", "boosting"]
    assert evidence.trials == 24 * 4 + 16 * (2 + 4 + 4)  # each run of the JL method draws a map
    assert min(evidence.column("ratio")) == pytest.approx(evidence.column("ratio")[0])  # the zero predictor's
