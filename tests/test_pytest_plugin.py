"""The pytest plugin, through pytester: pass, refute, summary, options, xdist, and all skipped."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

pytest_plugins = ["pytester"]

INSTALLED = any(e.value == "dpbench.pytest_plugin" for e in entry_points(group="pytest11"))
LOAD = [] if INSTALLED else ["-p", "dpbench.pytest_plugin"]

TESTS = """
    def noisy(count, trials, rng):
        return count + rng.laplace(size=trials)

    def test_right(dp_audit):
        found = dp_audit(noisy, 0.0, 1.0, epsilon=1.0)
        assert found.trials == 5_000 and found.confidence == 0.99 and found.seed == 3

    def test_wrong(dp_audit):
        dp_audit(noisy, 0.0, 2.0, epsilon=1.0)
"""
OPTIONS = ["--dp-trials=5000", "--dp-confidence=0.99", "--dp-seed=3"]


def test_right_passes_and_wrong_fails_with_the_evidence(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest(*LOAD, *OPTIONS)
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "dpbench: seed 3, 5000 runs a side, confidence 0.99 per audit",
            "*differential privacy refuted: epsilon >= *",
            "*dpbench audits*",
            "not refuted: *test_right*",
            "refuted: *test_wrong*",
            "2 audits; the chance that any refutation here is false is at most 0.02",
        ]
    )


@pytest.mark.process
def test_the_summary_is_whole_under_xdist(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess(*LOAD, *OPTIONS, "-n", "2")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["2 audits; the chance that any refutation here is false is at most 0.02"])


SKIPPED = """
    import pytest

    @pytest.mark.skip
    def test_marked(dp_audit):
        pass

    def test_inside(dp_audit):
        pytest.skip("not here")
"""


@pytest.mark.process
@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_all_skipped_is_a_failure(pytester: pytest.Pytester, workers: list[str]) -> None:
    pytester.makepyfile(SKIPPED)
    result = pytester.runpytest_subprocess(*LOAD, *workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["FAILED: 2 tests ask for dp_audit and none ran an audit"])


@pytest.mark.process
@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_some_skipped_is_none(pytester: pytest.Pytester, workers: list[str]) -> None:
    """One audit was run: the session passes, and its level is what the call asked for."""
    pytester.makepyfile(
        SKIPPED
        + """
    def test_run(dp_audit):
        found = dp_audit(lambda d, n, r: d + r.laplace(size=n), 0.0, 1.0, epsilon=1.0, confidence=0.9999)
        assert found.verdict == "not refuted"
"""
    )
    result = pytester.runpytest_subprocess(*LOAD, "--dp-trials=2000", *workers)
    result.assert_outcomes(passed=1, skipped=2)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["1 audits; the chance that any refutation here is false is at most 0.0001"])


def test_all_failed_before_an_audit_stays_a_failure(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_wrong(dp_audit): assert False")
    result = pytester.runpytest(*LOAD)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["FAILED: 1 tests ask for dp_audit and none ran an audit"])


def test_a_session_without_audits_says_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_other(): pass")
    result = pytester.runpytest(*LOAD)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*dpbench audits*")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--dp-trials=3", "*--dp-trials must be an integer >= 100, got 3*"),
        ("--dp-confidence=1", "*--dp-confidence must be a number strictly between 0 and 1, got 1.0*"),
        ("--dp-seed=-1", "*--dp-seed must be an integer >= 0, got -1*"),
    ],
)
def test_bad_options_are_refused(pytester: pytest.Pytester, option: str, message: str) -> None:
    result = pytester.runpytest(*LOAD, option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


def test_loading_the_plugin_loads_neither_numpy_nor_numba(pytester: pytest.Pytester) -> None:
    code = "import sys, dpbench.pytest_plugin; assert not {'numpy', 'numba', 'scipy'} & set(sys.modules)"
    result = pytester.runpython_c(code)
    assert result.ret == 0
