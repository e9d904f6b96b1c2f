"""What a failure is reported by: the script that stands alone, the certificate, the card, relation and claims."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbench import InvalidInput, audit, audit_samples, each
from dpbench.auditing.claimed import Renyi, ZeroConcentrated, as_claim
from dpbench.auditing.intervals import Region

Rng = np.random.Generator


def laplace(d: float, trials: int, rng: Rng) -> np.ndarray:
    return d + rng.laplace(scale=0.5, size=trials)


def pairs(d: float, trials: int, rng: Rng) -> np.ndarray:
    made: np.ndarray = rng.normal(size=(trials, 2))
    made[:, 1] += d * made[:, 0]
    return made


SAMPLERS: dict[str, Any] = {
    "numbers": laplace,
    "vectors": pairs,
    "records": each(lambda d, rng: {"a": d + rng.laplace(scale=0.5), "b": 1}),
    "texts": lambda d, trials, rng: np.where(rng.random(trials) < 0.2 + 0.6 * d, "yes", "no"),
}


@pytest.mark.process
@pytest.mark.parametrize("kind", SAMPLERS)
def test_the_script_counts_what_the_audit_counted(kind: str, tmp_path: Path) -> None:
    found = audit(SAMPLERS[kind], 0.0, 1.0, epsilon=0.3, trials=2_000)
    assert found.verdict == "refuted" and found.certified is not None
    (tmp_path / "report.py").write_text(found.script(), encoding="utf-8")
    root = str(Path(__file__).parents[2])
    run = subprocess.run(
        [sys.executable, "report.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{root}:{root}/tests"},
    )
    assert run.returncode == 0, run.stderr
    first, second = found.certified.hits if found.certified.forward else found.certified.hits[::-1]
    assert f"dataset {first} neighbour {second}" in run.stdout
    bound = float(run.stdout.split("epsilon >= ")[1].split()[0])
    assert bound == pytest.approx(found.epsilon_lower, rel=1e-6)


def test_no_script_without_a_sampler() -> None:
    rng = np.random.default_rng(0)
    found = audit_samples(rng.laplace(size=500), 2.0 + rng.laplace(size=500), epsilon=0.5)
    with pytest.raises(InvalidInput, match="the result must be of an audit that ran a sampler"):
        found.script()


def test_the_certificate_and_the_card() -> None:
    found = audit(laplace, 0.0, 1.0, epsilon=0.5, trials=4_000, relation="add_remove")
    made = json.loads(json.dumps(found.certificate()))
    assert made["relation"] == "add_remove" and made["runs"]["dataset"] == 3_200 and made["verdict"] == "refuted"
    assert made["counts"][made["likelier"]] == found.certified.hits[0]  # type: ignore[union-attr]
    html = found._repr_html_()
    assert "refuted" in html and "<svg" in html and "<script" not in html and "add/remove" in html
    assert "&lt;" in audit(laplace, 0.0, 1.0, epsilon=0.5, trials=2_000)._repr_html_() or ">=" not in html


def test_the_relation_is_said_and_compared_with_the_data() -> None:
    def noisy_sum(data: np.ndarray, trials: int, rng: Rng) -> np.ndarray:
        return float(np.sum(data)) + rng.laplace(scale=0.7, size=trials)

    data = np.ones(5)
    found = audit(noisy_sum, data, data[:-1], epsilon=1.0, trials=20_000, relation="remove")
    assert (
        found.verdict == "refuted" and "under remove" in str(found) and "twice the claimed epsilon is not" in str(found)
    )
    worse = audit(noisy_sum, data, data[:-1], epsilon=0.4, trials=20_000, relation="add_remove")
    assert "twice the claimed epsilon is refuted too" in str(worse)
    for relation, other in (("replace", data[:-1]), ("add", data[:-1]), ("remove", data[:-2])):
        with pytest.raises(InvalidInput, match="relation must be that of dataset and neighbour"):
            audit(noisy_sum, data, other, epsilon=1.0, trials=200, relation=relation)
    with pytest.raises(InvalidInput, match="relation must be one of"):
        audit(noisy_sum, data, data[:-1], epsilon=1.0, trials=200, relation="add-remove")


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim", [{"rho": 0.5}, {"rho": 0.5, "delta": 1e-6}, {"mu": 1.0}, {"epsilon": 1.0, "delta": 1e-5}]
)
def test_claims_that_hold_are_not_refuted_and_a_quarter_of_them_are(claim: dict[str, float]) -> None:
    """Unit Gaussian noise at distance 1 is 1-GDP and (1/2)-zCDP; ε = 1 at δ = 1e-5 is beyond it: planted."""

    def gaussian(d: float, trials: int, rng: Rng) -> np.ndarray:
        return d + rng.normal(size=trials)

    found = audit(gaussian, 0.0, 1.0, claim=claim, trials=20_000)
    assert found.verdict == ("refuted" if "epsilon" in claim else "not refuted")
    assert found.unit == next(iter(claim)) and found.bound is not None and found.bound > 0.2
    if "epsilon" not in claim:
        main = next(iter(claim))
        assert found.bound <= claim[main]
        assert audit(gaussian, 0.0, 1.0, claim={**claim, main: claim[main] / 4.0}, trials=20_000).verdict == "refuted"


def test_zero_concentrated_privacy_is_renyi_at_all_orders() -> None:
    zcdp, rdp = as_claim({"rho": 0.25}, None, 0.0), Renyi(np.array([2.0, 4.0]), np.array([0.5, 1.0]))
    assert isinstance(zcdp, ZeroConcentrated)
    rng = np.random.default_rng(0)
    p, q = np.sort(rng.random((200, 2)), axis=1)[:, ::-1].T
    assert (zcdp.excess(p, q) >= (rdp.excess(p, q) / 4.0) - 0.26).all()
    assert ((rdp.excess(p, q) <= 0.0) | (zcdp.excess(p, q) > -1e-3)).all()
    value, unit = ZeroConcentrated(0.0, 0.1).read(Region(np.array([0.1]), np.array([1e-9])))
    assert value == 0.0 and unit == "rho"  # a mass of δ tells nothing
    for bad in ({"rho": 1.0, "mu": 1.0}, {"mu": 1.0, "delta": 0.1}, {"delta": 0.1}, {}):
        with pytest.raises(InvalidInput, match="claim"):
            as_claim(bad, None, 0.0)
