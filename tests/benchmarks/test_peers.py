"""`python -m benchmarks.peers`: what it measures, shows and writes; peers that are absent are stood in for."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.peers import held_out, speed
from benchmarks.peers.pairs import Work, ratio
from dpbench.core.validation import InvalidInput, MissingExtra

pytestmark = pytest.mark.meta

SPEED = {
    "loss": "squared", "peer": "numpy", "promised": 50.0, "median": 60.0, "low": 55.0, "high": 65.0, "pairs": 15,
    "ours_per_second": 3000.0, "peer_per_second": 50.0,
}  # fmt: skip
AUDITOR = {
    "task": "mean bound", "mechanism": "Laplace", "auditor": "dpbench", "truth": 1.0, "trials": 10, "audits": 5,
    "mean": 0.9, "standard_error": 0.01, "above": 0, "seconds": 0.1,
}  # fmt: skip


def test_held_out_rows():
    rows = list(held_out.compare([0.5, 50.0], 6, sets=["diabetes", "breast_cancer"]))
    found = {(row.data, row.algorithm, row.epsilon): row for row in rows}
    assert len(found) == len(rows) == 2 * (4 + 2 * len(held_out.OURS))
    for data in ("diabetes", "breast_cancer"):
        best, zero = (found[data, name, None].value for name in ("non-private fit", "zero predictor"))
        assert best > zero + 0.3
        for epsilon in (0.5, 50.0):
            assert (data, "diffprivlib", epsilon) not in found
        near, far = (found[data, "noisy-gd", epsilon] for epsilon in (50.0, 0.5))
        assert far.low <= far.value <= far.high and near.value > far.value
    assert found["breast_cancer", "zero predictor", None].value == 0.5  # every label a tie


@pytest.mark.parametrize(("python", "words"), [("/nowhere", "No such file"), (sys.executable, "diffprivlib")])
def test_an_interpreter_without_diffprivlib(python, words):
    with pytest.raises(InvalidInput, match=f"--python must be the interpreter .*{words}"):
        list(held_out.compare([1.0], 2, python=python, sets=["diabetes"]))


def test_speed_against_numpy(monkeypatch):
    def once(ours, peer, pairs):
        return ratio(Work(ours.run, ours.trials), Work(peer.run, peer.trials), 1)

    monkeypatch.setattr(speed, "ratio", once)
    (row,) = (row for row in speed.rows(("numpy",), 1) if row["loss"] == "squared")
    assert row["promised"] == 50.0 and row["median"] > 0.0
    monkeypatch.setitem(sys.modules, "jax", None)  # an import of it fails, as where it is not installed
    with pytest.raises(MissingExtra, match=r"dpbench-suite\[bench\]"):
        list(speed.rows(("jax",), 1))


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Rows that the command is given in place of measurements."""
    rows = [row.to_dict() for row in held_out.compare([1.0, 2.0], 2, sets=["diabetes"])]
    parts = {"speed": [dict(SPEED)], "auditors": [dict(AUDITOR)], "held-out": rows}
    monkeypatch.setattr(peers, "_makers", lambda python: {k: lambda v=v: iter(v) for k, v in parts.items()})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return parts


def test_the_command(made, capsys):
    assert peers.main(["--json", "found.json"]) == 0
    out, err = capsys.readouterr()
    assert "55.00 to 65.00" in out and "0 of 5" in out and "zero predictor" in out and err.count("held-out:") == 10
    document = json.loads(Path("found.json").read_text())
    assert document["parts"] == made and document["machine"]
    assert peers.main(["--json", "found.json", "--figure", "peers"]) == 0
    for part in ("speed", "held_out"):
        assert Path(f"peers_{part}.pdf").read_bytes().startswith(b"%PDF")
        assert Path(f"peers_{part}.png").stat().st_size > 10_000


def test_one_part_alone_and_a_missed_promise(made):
    assert peers.main(["--parts", "auditors", "--json", "found.json"]) == 0
    assert list(json.loads(Path("found.json").read_text())["parts"]) == ["auditors"]
    made["speed"][0]["median"] = 49.0
    assert peers.main(["--parts", "speed"]) == 1
    with pytest.raises(SystemExit, match="2"):
        peers.main(["--figure", "peers"])
