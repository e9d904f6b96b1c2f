"""What a failure is reported by: the script that stands alone, relation and claims."""

import json
import runpy
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpbench import InvalidInput, audit, audit_samples, each
from dpbench.privacy import gaussian
from dpbench.privacy.profile import pure_profile


def laplace(d, trials, rng):
    return d + rng.laplace(scale=0.5, size=trials)


def pairs(d, trials, rng):
    made = rng.normal(size=(trials, 2))
    made[:, 1] += d * made[:, 0]
    return made


def noisy(function):
    return each(lambda d, rng: function(d + rng.laplace(scale=0.5)))


SAMPLERS = {
    "numbers": laplace,
    "vectors": pairs,
    "records": each(lambda d, rng: {"a": d + rng.laplace(scale=0.5), "b": 1}),
    "kinds": lambda d, trials, rng: rng.normal(size=trials) if d else rng.integers(5, size=trials),
    "texts": lambda d, trials, rng: np.where(rng.random(trials) < 0.2 + 0.6 * d, "yes", "no"),
    "JSON": noisy(lambda x: json.dumps({"n": x, "m": {"k": 2}})),
    "JSON within, in bytes": noisy(lambda x: {"out": json.dumps({"of": {"n": x}}).encode()}),
    "fraction": noisy(lambda x: (Fraction(x), "c")),
    "text": noisy(lambda x: f"{x:.4f}"),
    "rows": noisy(lambda x: [{"k": "a", "n": x}, {"k": "b", "n": 0.0}]),
}


ROOT = Path(__file__).parents[2]


def fresh(folder, file, *given):
    """What a program prints in a process of its own."""
    line, environment = [sys.executable, str(folder / file), *given], {"PYTHONPATH": f"{ROOT}:{ROOT}/tests"}
    run = subprocess.run(line, cwd=folder, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout


def reproduced(printed, counts, bound, verdict):
    """The counts of dataset and neighbour, the bound and the verdict are those of the audit."""
    lines = printed.splitlines()
    assert f"dataset {counts[0]} neighbour {counts[1]}" in lines[0]
    said = [line for line in lines if " >= " in line][-1]
    assert float(said.split(" >= ")[1].split()[0]) == pytest.approx(bound, rel=1e-6, abs=1e-9)
    assert lines[-1] == ("claimed: nothing" if verdict is None else verdict)


def in_order(found):
    return list(found.certified.hits if found.certified.forward else found.certified.hits[::-1])


USER = """
import functools, json, sys
from dataclasses import dataclass

import numpy as np
from dpbench import audit, each

SCALE = 0.5

def scaled(x):
    return SCALE * x

def default(d, trials, rng, *, scale=SCALE):
    return d + scale * rng.laplace(size=trials)

def of_three(scale, d, trials, rng):
    return d + scale * rng.laplace(size=trials)

def halved(function):
    @functools.wraps(function)
    def made(d, trials, rng):
        return 0.5 * function(2.0 * d, trials, rng)
    return made

@halved
def decorated(d, trials, rng):
    return d + rng.laplace(size=trials)

class Mechanism:
    def __init__(self, scale):
        self.scale = scale
    def method(self, d, trials, rng):
        return d + self.scale * rng.laplace(size=trials)

@dataclass
class Data:
    x: float

def of_data(data, trials, rng):
    assert isinstance(data, Data)
    return data.x + SCALE * rng.laplace(size=trials)

def of_torch(d):
    import torch
    return {"a": d + 0.5 * torch.random(), "b": "x"}

def count(d, trials, rng):  # a name that the program has for itself
    return d + scaled(rng.laplace(size=trials))

first, second = lambda d, n, rng: d + 0.5 * rng.laplace(size=n), lambda d, n, rng: d + rng.laplace(size=n)
SAMPLERS = {
    "default": default, "count": count, "partial": functools.partial(of_three, SCALE),
    "method": Mechanism(SCALE).method, "lambdas": second, "decorated": decorated, "data": of_data,
    "torch": each(of_torch),
}
told = {}
for name in SAMPLERS:
    pair = (Data(0.0), Data(1.0)) if name == "data" else (0.0, 1.0)
    found = audit(SAMPLERS[name], *pair, epsilon=0.3, trials=2_000)
    hits = found.certified.hits if found.certified.forward else found.certified.hits[::-1]
    told[name] = found.script(), hits, found.bound, found.verdict
print(json.dumps(told))
"""
TORCH = """
import random as own
GENERATOR = own.Random()
manual_seed = seed = GENERATOR.seed
def random():
    return GENERATOR.gauss(0.0, 1.0)
"""


@pytest.mark.process
def test_the_script_of_what_main_defines(tmp_path):
    """It is pickled by value, and the program says what it asks for."""
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    (tmp_path / "torch.py").write_text(TORCH, encoding="utf-8")
    told = json.loads(fresh(tmp_path, "user.py"))
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for text, counts, bound, verdict in told.values():
        (tmp_path / "report.py").write_text(text, encoding="utf-8")
        reproduced(fresh(tmp_path, "report.py"), counts, bound, verdict)
        assert f"It asks for cloudpickle, Python {version}" in text


@pytest.fixture
def printed(tmp_path, capsys):
    """What the script of a result prints."""

    def run(found):
        (tmp_path / "report.py").write_text(found.script(), encoding="utf-8")
        capsys.readouterr()
        runpy.run_path(str(tmp_path / "report.py"), run_name="__main__")
        return capsys.readouterr().out

    return run


@pytest.mark.few(8)
@pytest.mark.parametrize("kind", SAMPLERS)
def test_the_script_counts_what_the_audit_counted(kind, printed):
    found = audit(SAMPLERS[kind], 0.0, 1.0, epsilon=0.3, trials=3_000)
    assert found.verdict == "refuted" and found.bound is not None
    reproduced(printed(found), in_order(found), found.bound, "refuted")


def test_the_script_has_data_of_any_kind_and_says_where_a_sampler_is_to_be_put(printed):
    """What `repr` writes, and what it does not: NaN, infinities, arrays. What cannot be pickled is named."""

    def first(data, trials, rng):
        return data[0] + rng.laplace(scale=0.5, size=trials)

    for rest in ([2, "x", b"y", None, True, (0.5, [1.5])], [float("nan")], [float("-inf")], [np.arange(2)]):
        found = audit(first, [0.0, *rest], [1.0, *rest], epsilon=0.3, trials=1_000)
        reproduced(printed(found), in_order(found), found.bound, found.verdict)

    class Unpicklable:
        def __call__(self, data, trials, rng):
            return first(data, trials, rng)

        def __reduce__(self):
            raise RuntimeError("of the user")

    with pytest.raises(SystemExit, match="put the sampler Unpicklable here"):
        printed(audit(Unpicklable(), [0.0], [1.0], epsilon=0.3, trials=1_000))


HELD = [
    {"mu": 0.5},
    {"mu": 1.5},
    {"epsilon": 1, "delta": 1e-3},
    {"rho": 0.1},
    {"rho": 0.1, "delta": 1e-5},
    {"rdp": {2: 0.5, 8: 1.0}},
]


@pytest.mark.few(4)
@pytest.mark.parametrize("claim", [None, *HELD], ids=str)
def test_the_script_decides_the_claim(claim, printed):
    def gaussian(d, trials, rng):
        return d + 0.9 * rng.normal(size=trials)

    found = audit(gaussian, 0.0, 1.0, claim=claim, trials=3_000)
    assert found.bound is not None
    said = printed(found)
    reproduced(said, in_order(found), found.bound, found.verdict)
    assert f"\n{found.unit} >= " in said and (claim is None or f"claimed: {found.claim}" in said)


@pytest.mark.parametrize("trials", [3_000, "auto"])
def test_event_counts_and_bound_that_are_printed_belong_together(trials):
    def gaussian(d, trials, rng):
        return d + 0.9 * rng.normal(size=trials)

    found = audit(gaussian, 0.0, 1.0, claim={"mu": 0.5}, trials=trials)
    assert found.certified is not None and found.verdict == "refuted"
    assert found.bound == found.certified.region().mu() and found.bound > 0.5
    assert f"over all events certified; mu >= {found.bound:.4g} ({found.event})" in str(found)
    assert f"{found.certified.frequencies[0]:.6g} of the runs" in found.event
    assert found.epsilon_lower >= found.certified.region().epsilon(0.0)


def test_no_script_without_a_sampler():
    rng = np.random.default_rng(0)
    found = audit_samples(rng.laplace(size=500), 2.0 + rng.laplace(size=500), epsilon=0.5)
    with pytest.raises(InvalidInput, match="the result must be of an audit that ran a sampler"):
        found.script()


@pytest.mark.parametrize(("noise", "reading"), [(1.0, "is not refuted"), (0.2, "is refuted too")])
def test_a_replaced_record_under_approximate_privacy_is_a_convention(noise, reading):
    """A sum that is exactly (1, 0.05)-private for a record added: replaced, its epsilon is 2.93 at 0.05, above twice
    the claim, but within (2, (1 + e) 0.05). Planted: a fifth of the noise."""
    sigma = noise / gaussian.mu(1.0, 0.05)

    def noisy_sum(data, trials, rng):
        return sum(data) + rng.normal(scale=sigma, size=trials)

    found = audit(noisy_sum, [-1.0, 0.3], [1.0, 0.3], epsilon=1.0, delta=0.05, trials=50_000)
    assert found.verdict == "refuted" and found.epsilon_lower > 2.0
    assert f"epsilon 2 and delta 0.185914, {reading}" in found.convention


def noisy_sum(data, trials, rng):
    return float(np.sum(data)) + rng.laplace(scale=0.7, size=trials)


DATA = np.ones(5)


@pytest.mark.parametrize(
    ("other", "epsilon", "relation", "said"),
    [
        (DATA[:-1], 1.0, "remove", ""),
        (DATA[:-1], 1.0, None, "for two records, epsilon 2 and delta 0, is not refuted"),
        (np.append(DATA[:-1], 0.0), 1.0, "replace", "for two records, epsilon 2 and delta 0, is not refuted"),
        (DATA[:-1], 0.4, "add_remove", "for two records, epsilon 0.8 and delta 0, is refuted too"),
    ],
)
def test_the_relation_is_said_with_what_its_convention_explains(other, epsilon, relation, said):
    found = audit(noisy_sum, DATA, other, epsilon=epsilon, trials=20_000, relation=relation)
    assert found.verdict == "refuted" and said in str(found) and (found.convention != "") == (said != "")
    assert relation is None or f"under {relation.replace('_', '/')}" in str(found)


@pytest.mark.parametrize(
    ("relation", "fits"), [("replace", {0}), ("add", {0, 1}), ("remove", {0, -1}), ("add_remove", {-1, 0, 1})]
)
def test_the_relation_is_compared_with_the_sizes_of_the_data(relation, fits):
    for more in range(-2, 3):
        other = np.arange(5 + more) + 0.5
        if more in fits:
            assert audit(noisy_sum, DATA, other, trials=200, relation=relation).relation == relation
        else:
            with pytest.raises(InvalidInput, match="relation must be that of dataset and neighbour"):
                audit(noisy_sum, DATA, other, trials=200, relation=relation)


def test_a_claim_for_records_replaced_says_nothing_of_two_sizes():
    """Private with a public n: a profile for replaced records is refused, and of a bare epsilon no bug is spoken."""

    def counted(data, trials, rng):
        return 20.0 * len(data) + rng.laplace(size=trials)

    with pytest.raises(InvalidInput, match="claim must be a profile for neighbours 'add_remove'"):
        audit(counted, DATA, DATA[:-1], claim=pure_profile(0.1, why="n is public"), trials=200)
    said = str(audit(counted, DATA, DATA[:-1], epsilon=1.0, trials=2_000))
    assert "one removed and one added does not explain it" in said and "bug" not in said
    with pytest.raises(InvalidInput, match="relation must be that of dataset and neighbour"):
        audit(noisy_sum, [[1.0], [1.0, 2.0]], [[1.0]], epsilon=1.0, trials=200, relation="replace")
