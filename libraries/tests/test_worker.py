"""Libraries in environments of their own: the process that calls them, on NumPy, PyDP and diffprivlib, the command, and
the environment. Every audit here has a level of 1e-6."""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbench.cli.app import run
from dpbench.core.validation import InvalidInput
from dpbench_libraries import diffprivlib, environment, pydp, table
from dpbench_libraries.case import ONE_RECORD, Case, Known, audit_case
from dpbench_libraries.table import Row, select
from dpbench_libraries.worker import Call, Drawn, Worker, chosen, pairs_within

LAPLACE = Call("numpy.random.RandomState", seed="seed", method="laplace")
NOISY = Case("laplace", None, {"epsilon": 1.0}, ((0.0, 1.0), (0.0, 0.5)), LAPLACE, trials=4_000)


@pytest.mark.process
def test_a_call_elsewhere_is_a_sampler_here() -> None:
    """NumPy's Laplace law around the data, which has ε = 1. Planted: the claim of half of it."""
    with Worker(sys.executable) as worker:
        case = replace(NOISY, sampler=Drawn(worker, LAPLACE))
        assert worker.version("numpy") == np.__version__
        right, wrong = audit_case(case), audit_case(replace(case, claim={"epsilon": 0.5}))
        assert (right.verdict, wrong.verdict) == ("not refuted", "refuted") and right.pair == (0.0, 1.0)
        again = audit_case(case)
        assert again.epsilon_lower == right.epsilon_lower, "a run's seed comes from the audit's"


@pytest.mark.process
def test_what_fails_elsewhere_is_one_message(tmp_path: Path) -> None:
    with Worker(sys.executable) as worker:
        with pytest.raises(InvalidInput, match="python must be an interpreter with no_such_library"):
            worker.version("no_such_library")
        missing = replace(NOISY, sampler=Drawn(worker, Call("numpy.random.no_such_name")))
        with pytest.raises(InvalidInput, match="no_such_name raised RuntimeError on the dataset: AttributeError"):
            audit_case(missing)
    for python in (tmp_path / "none", _script(tmp_path, "exit 3")):
        with Worker(python) as worker, pytest.raises(InvalidInput, match="python must be an interpreter"):
            worker.version("numpy")


@pytest.mark.process
def test_what_a_library_prints_is_no_answer() -> None:
    """Planted: a child of the process that writes what looks like an answer to its standard output."""
    with Worker(sys.executable) as worker:
        for _ in range(2):
            shell = Call("os.system").request("""echo '{"number": 1, "results": [7]}'""", [1])
            assert worker.ask(shell)["results"] == [0]
        assert worker.version("numpy") == np.__version__


@pytest.mark.process
@pytest.mark.parametrize("said", ["no JSON", "[]", "{}", '{"number": 0, "version": "1"}', "\\377"])
def test_an_answer_to_another_question_is_one_message(said: str, tmp_path: Path) -> None:
    """The right number is the healthy counterpart."""
    line = "read line; printf '%b\\n' '{}'"
    message = r"python must be an interpreter that can run .*, which answered"
    with Worker(_script(tmp_path, line.format(said))) as worker, pytest.raises(InvalidInput, match=message):
        worker.version("numpy")
    with Worker(_script(tmp_path, line.format('{"number": 1, "version": "2"}'))) as worker:
        assert worker.version("numpy") == "2"


def _script(folder: Path, line: str) -> Path:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("library", "name", "verdict", "trials"),
    [
        ("diffprivlib", "tools.count_nonzero", "not refuted", 2_000),
        ("diffprivlib", "models.GaussianNB (a class of one record)", "refuted", 2_000),
        ("pydp", "algorithms.laplacian.Count", "not refuted", 2_000),
        ("datasynthesizer", "describe_dataset_in_independent_attribute_mode (no range declared)", "refuted", 200),
        ("flower", "LocalDpMod", "not refuted", 500),
        ("flower", "DifferentialPrivacyServerSideFixedClipping (an update is NaN)", "refuted", 200),
    ],
)
def test_the_command_finds_what_is_known_and_nothing_else(
    library: str, name: str, verdict: str, trials: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the libraries as released; their environments are made once."""
    place = tmp_path / "found.json"
    line = ["audit-library", library, "--mechanism", name, "--trials", str(trials), "--json", str(place)]
    assert run(line) == 0
    (row,) = json.loads(place.read_text())["rows"]
    assert row["verdict"] == verdict and row["library"] == library and name.startswith(row["mechanism"])
    assert (row["known"] is not None) == (verdict == "refuted") and not row["unexpected"]
    assert row["confidence"] == 1.0 - 1e-6 and row["command"].endswith(f"--trials {trials}")
    assert row["mechanism"][:9] in capsys.readouterr().out


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (InvalidInput("it raised"), 2)])
def test_rows_before_an_interruption_or_an_error_are_kept(
    error: BaseException, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of two rows is interrupted, or the library raises."""
    place = tmp_path / "found.json"

    def rows(*given: Any, **settings: Any) -> Iterator[Row]:
        yield from made
        raise error

    line = ["audit-library", "diffprivlib", "--mechanism", "tools.sum", "--json", str(place)]
    made = [replace(_row(), mechanism="tools.sum")]
    monkeypatch.setattr(table, "rows", rows)
    assert run(line) == code
    assert [row["mechanism"] for row in json.loads(place.read_text())["rows"]] == ["tools.sum"]
    made, before = [], place.read_text()
    assert run(line) == code and place.read_text() == before, "no row, no new file"


def _row() -> Row:
    return Row("diffprivlib", "1", "m", "", "replace", "epsilon 1", "epsilon", 1.0, 0.5, None, "not refuted", None, "",
               "", (), 300, 0.999, 0, 0.1, "2026-01-02", "dpbench")  # fmt: skip


LINES = {
    "audit-library opendip": "pydp, jax_privacy, datasynthesizer, flower (did you mean opendp?)",
    "audit-library pydp --mechanism Conut": "mechanism must be one that pydp --list names (did you mean Count?)",
    "audit-library pydp --trials 10": "trials must be an integer >= 100, got 10",
    "audit-library pydp --confidence 1": "confidence must be a number strictly between 0 and 1",
    "audit-library opendip --list": "did you mean opendp?",
    "audit-library pydp --python /nowhere/python": "--python must be an interpreter, got '/nowhere/python'",
    "audit-library pydp opendp --python /nowhere/python": "--python must be left out for opendp",
    "audit-library pydp --python /bin/echo": "must be an interpreter that can run the library, got '/bin/echo'",
    "audit-library pydp --python=": "--python must be an interpreter, got ''",
}


@pytest.mark.parametrize("line", LINES)
def test_bad_use_is_one_line(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(line.split()) == 2
    said = capsys.readouterr().err
    assert LINES[line] in said.replace("--trials must", "trials must").replace("--confidence must", "confidence must")
    assert said.count("\n") == 1


def test_a_cases_own_name_comes_before_its_mechanisms() -> None:
    for case in select("diffprivlib"):
        assert select("diffprivlib", [case.name]) == (case,) or case.name == case.mechanism.rpartition(".")[2]
    assert [case.about for case in select("diffprivlib", ["mean"])] == ["", "a record is NaN", "no bounds"]
    assert len(select("diffprivlib", ["tools.mean", "models.KMeans"])) == 3


def test_the_list_names_every_mechanism(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit-library", "diffprivlib", "pydp", "datasynthesizer", "flower", "--list"]) == 0
    said = capsys.readouterr().out
    for name in ("models.KMeans (inertia_)", "algorithms.laplacian.Count", "(num_tuples)", "LocalDpMod"):
        assert name in said


@pytest.mark.parametrize("library", ["diffprivlib", "pydp", "datasynthesizer", "flower"])
def test_cases_are_neighbours_and_have_names_of_their_own(library: str) -> None:
    from collections import Counter

    def apart(one: list, other: list) -> tuple[int, int]:
        left, right = (Counter(map(str, records)) for records in (one, other))  # of NaN too
        return sum((left - right).values()), sum((right - left).values())

    assert apart([1.0, 2.0], [3.0]) == (2, 1)  # planted: no neighbours, though their lengths differ by one
    cases = select(library)
    assert len({case.name for case in cases}) == len(cases)
    for case in cases:
        json.dumps(case.sampler.request(case.pairs[0][0], [1]))
        for one, other in case.pairs:
            if isinstance(one, list) and case.relation is not None:
                assert apart(one, other) in ONE_RECORD[case.relation]


def test_parameters_give_claim_relation_and_pairs() -> None:
    case = diffprivlib.read("tools.mean", {"epsilon": 2.0, "bounds": [0.0, 3.0]})
    assert case.relation == "replace" and case.claim == {"epsilon": 2.0, "delta": 0.0}
    assert {x for pair in case.pairs for side in pair for x in side} <= {0.0, 1.5, 3.0, *np.linspace(0.0, 3.0, 5)}
    values = diffprivlib.read("mechanisms.Laplace", {"epsilon": 1.0, "sensitivity": 2, "lower": -1, "upper": 3})
    assert values.pairs == ((-1, 1), (0, 2), (1, 3)) and values.sampler.method == "randomise"
    model = diffprivlib.read("models.KMeans", {"epsilon": 1.0}, pairs=[([[0.0], [1.0]], [[1.0]])])
    assert model.sampler.take == ("cluster_centers_",) and model.relation == "add_remove"
    counts = pydp.read("algorithms.laplacian.BoundedSum", {"epsilon": 1.0, "lower_bound": 0, "upper_bound": 9})
    assert counts.relation == "add_remove" and all(isinstance(x, int) for x in counts.pairs[0][0])
    assert all(len(one) == len(other) + 1 for one, other in pairs_within(0.0, 1.0, "add_remove"))


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: diffprivlib.read("mean", {"epsilon": 1.0}), "name must be such as"),
        (lambda: diffprivlib.read("tools.mean", {}), "keywords must hold the claim, epsilon"),
        (lambda: diffprivlib.read("tools.mean", {"epsilon": 1.0}), "must be given where there are no scalar bounds"),
        (
            lambda: diffprivlib.read("models.Other", {"epsilon": 1.0}, pairs=[(1, 2)]),
            "take must be names of attributes",
        ),
        (lambda: pydp.read("algorithms.other.Count", {"epsilon": 1.0}), "the module of name must be one of"),
        (lambda: pydp.read("algorithms.laplacian.Count", {"epsilon": 1.0}), "must be given where there are no bounds"),
        (lambda: Known("error", "why"), "reading must be one of"),
    ],
)
def test_bad_parameters_get_one_message(read, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidInput, match=message):
        read()


@pytest.mark.process
def test_an_environment_is_made_once_and_one_that_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The failure is planted: a requirement that does not exist."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    said: list[str] = []
    with pytest.raises(OSError, match=r"could not install /nowhere/to/be/found.*--python names an interpreter"):
        chosen("other", ["/nowhere/to/be/found"], None, said.append)
    assert len(said) == 2 and not list((tmp_path / "dpbench" / "environments").iterdir())
    assert chosen("other", ["/nowhere/to/be/found"], "python", said.append) == "python" and len(said) == 2


@pytest.mark.process
def test_what_is_installed_alone_comes_without_what_it_requires(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wheel that requires what nobody serves. Planted: as a requirement, it is what fails."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    wheel, said = str(_wheel(tmp_path, "lonely", "never_served")), []
    with pytest.raises(environment.EnvironmentFailed, match=r"could not install .*lonely.*never_served"):
        environment.interpreter("other", [wheel])
    python = environment.interpreter("other", [], [wheel], say=said.append)
    with Worker(python) as worker:
        assert worker.version("lonely") == "1.0"
        with pytest.raises(InvalidInput, match="an interpreter with never_served"):
            worker.version("never_served")
    assert len(said) == 2 and environment.interpreter("other", [], [wheel], say=said.append) == python
    assert len(said) == 2, "it is there"


def test_the_key_of_an_environment_says_what_is_installed_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    ran: list[list[str]] = []

    def run(command: list[str], what: str) -> None:
        ran.append(command)
        if "venv" in command:
            python = environment._python(Path(command[-1]))
            python.parent.mkdir(parents=True)
            python.touch()

    monkeypatch.setattr(environment, "_run", run)
    wanted: list[tuple[list[str], list[str]]] = [(["a", "b"], []), (["a"], ["b"]), (["b"], ["a"]), ([], ["a", "b"])]
    made = {environment.interpreter("other", *one) for one in wanted * 2}
    assert len(made) == len(wanted)
    assert [line[line.index("install") + 3 :] for line in ran if "install" in line] == [
        ["a", "b"], ["a"], ["--no-deps", "b"], ["b"], ["--no-deps", "a"], ["--no-deps", "a", "b"]
    ]  # fmt: skip


def _wheel(folder: Path, name: str, requires: str) -> Path:
    """A distribution with a requirement, and nothing else."""
    path, info = folder / f"{name}-1.0-py3-none-any.whl", f"{name}-1.0.dist-info"
    held = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: {requires}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "".join(f"{info}/{file},,\n" for file in ("METADATA", "WHEEL", "RECORD")),
    }
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in held.items():
            wheel.writestr(f"{info}/{file}", text)
    return path


@pytest.mark.process
def test_adapters_import_no_library_until_it_is_used() -> None:
    import subprocess

    code = (
        "import sys; from dpbench_libraries import diffprivlib, jax_privacy, opendp, pydp; "
        "import dpbench_libraries.table; print([m for m in sys.modules if m.split('.')[0] in ('opendp', 'diffprivlib', "
        "'pydp', 'jax', 'jax_privacy')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


COUNT, UNIT, NAN = "algorithms.laplacian.Count", {"epsilon": 1.0, "bounds": [0.0, 1.0]}, float("nan")


@pytest.mark.parametrize(
    ("relation", "right", "wrong"),
    [
        ("replace", ([0.0, 1.0], [1.0, 2.0]), ([0.0, 1.0], [1.0])),
        ("replace", ([0.0, NAN], [NAN, 1]), ([0.0, 1.0], [1.0, 0])),
        ("add_remove", ([0.0, 1.0], [1.0]), ([0.0, 1.0], [2.0])),
        ("add", ([[1.0, 0.0]], [[1.0, 0.0], [1.0, 0.0]]), ([[1.0, 0.0]], [])),
        ("remove", ([1.0], []), ([], [1.0])),
    ],
)
def test_pairs_given_are_neighbours_by_the_relation(relation: str, right: tuple, wrong: tuple) -> None:
    """Planted: two records that differ, or none, or the other way round; they are refused where a case is read."""
    nowhere = {"relation": relation, "python": "/nowhere/python"}
    for adapter, name in ((diffprivlib, "tools.mean"), (pydp, COUNT)):
        case = adapter.read(name, {"epsilon": 1.0}, pairs=[right], relation=relation)
        assert "the pairs given are neighbours" in case.assumes
        with pytest.raises(InvalidInput, match="python must"):
            adapter.audit(name, {"epsilon": 1.0}, pairs=[right], **nowhere)
        for use, more in ((adapter.read, {"relation": relation}), (adapter.audit, nowhere)):
            with pytest.raises(InvalidInput, match=f"neighbours by the relation '{relation}'"):
                use(name, {"epsilon": 1.0}, pairs=[right, wrong], **more)
            with pytest.raises(InvalidInput, match="relation must be one of"):
                use(name, {"epsilon": 1.0}, pairs=[right], **{**more, "relation": "swap"})
    for adapter, name in ((diffprivlib, "mechanisms.Exponential"), (pydp, "algorithms.numerical_mechanisms.X")):
        case = adapter.read(name, {"epsilon": 1.0}, pairs=[wrong], relation=relation)  # values, or utilities
        assert case.pairs == (wrong,)


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: replace(NOISY, pairs=()), "pairs must be at least one pair"),
        (lambda: replace(NOISY, pairs=(([0.0],),)), "pairs must be a sequence of"),
        (lambda: diffprivlib.read("tools.mean", UNIT, pairs=3), "pairs must be a sequence of"),
        (lambda: diffprivlib.read("tools.mean", {**UNIT, "epsilon": "x"}), "epsilon must be a finite number >= 0"),
        (lambda: diffprivlib.read("tools.mean", {**UNIT, "delta": None}), "delta must be a number in"),
        (lambda: diffprivlib.read("tools.mean", {**UNIT, "bounds": [0, 1, 2]}), "bounds must be two numbers"),
        (lambda: diffprivlib.read("tools.mean", {**UNIT, "bounds": 1}), "bounds must be two numbers"),
        (lambda: diffprivlib.read("mechanisms.Laplace", {**UNIT, "sensitivity": "1"}), "sensitivity must be a finite"),
        (
            lambda: diffprivlib.read("mechanisms.LaplaceFolded", {**UNIT, "sensitivity": 1, "lower": "a"}),
            "lower must be a number",
        ),
        (lambda: diffprivlib.read("tools.other", UNIT), "relation must be given for tools.other"),
        (
            lambda: diffprivlib.read("models.Other", UNIT, pairs=[([1], [2])], take=("x_",)),
            "relation must be given for models.Other",
        ),
        (lambda: pydp.read(COUNT, {"epsilon": None}, pairs=[([1], [])]), "epsilon must be a finite number > 0"),
        (
            lambda: pydp.read("algorithms.numerical_mechanisms.X", {"epsilon": 1.0, "sensitivity": "1"}),
            "sensitivity must be a finite",
        ),
    ],
)
def test_bad_values_get_one_message(read, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InvalidInput, match=message):
        read()


def test_a_relation_that_is_given_is_the_claims_where_none_is_stated() -> None:
    case = diffprivlib.read("tools.other", UNIT, relation="replace")
    assert case.relation == "replace" and "for the relation 'replace'" in case.assumes[0]
