"""Claims as pytest items, through pytester: what is collected, what a failure shows, options, ini, xdist."""

import pytest
from loaded_plugin import LOAD

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("numba_loaded")

CLAIMS = """
from dpbench.ledger import Paper

paper = Paper("{name}", title="T")


@paper.inequality("good", source="Lemma 1", statement="x <= 1.", expected="not refuted", because="It is so.")
def good(run):
    yield dict(x=run.pick(quick=0.25, full=0.5), left=0.5, right=1.0)
    return f"level {{run.level}}"


@paper.inequality("bad", source="Lemma 2", statement="x <= 1.", expected="{expected}", because="Known.")
def bad(run):
    for x in (1.0, 3.5):
        yield dict(x=x, word="of sixteen chars", left=x, right=1.0)
    return f"level {{run.level}}"


@paper.floor("raises", source="s", statement="s", expected="not refuted", because="b", full_only=True)
def raises(run):
    return {{}}["x"]
"""


def claims(name, expected="not refuted"):
    return CLAIMS.format(name=name, expected=expected)


def test_a_failure_shows_verdict_expectation_and_evidence(pytester):
    pytester.makepyfile(claims_plug1=claims("plug1"), claims_insurance="1 / 0", test_x="def test_x(): pass")
    result = pytester.runpytest(*LOAD, "-p", "no:xdist", "-rs")
    result.assert_outcomes(passed=2, failed=1, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "*claim plug1.bad.inequality*",
            "plug1.bad.inequality: refuted, expected not refuted",
            "  grade      assumed",
            "  source     Lemma 2",
            "  evidence   value -2.5, level quick, seed 0",
            "             level quick",
            "*3.5  of sixteen cha  *3.5*1*-2.5",
            "*dpbench claims*",
            "not refuted: plug1.good.inequality: value 0.5, grade tried",
            "2 verdicts; error budget 0.0e+00",
        ]
    )
    assert "Traceback" not in result.stdout.str() and "UnexpectedVerdict" not in result.stdout.str()
    result.stdout.fnmatch_lines(["SKIPPED*full only: run with --dp-level full"])


def test_level_and_seed_by_options_and_ini(pytester):
    pytester.makepyfile(claims_plug2=claims("plug2"))
    pytester.makeini("[pytest]\ndp_level = full\ndp_seed = 4\n")
    result = pytester.runpytest(*LOAD, "-p", "no:xdist", "--dp-seed", "5")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["  evidence   value -2.5, level full, seed 5"])
    result.stdout.fnmatch_lines(["plug2.raises.floor has no verdict, expected not refuted: KeyError: 'x' (*line *)"])
    result = pytester.runpytest(*LOAD, "-p", "no:xdist", "--dp-level", "some")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--dp-level must be quick or full, got 'some'"])


def test_a_module_by_option_and_each_claim_once(pytester):
    pytester.makepyfile(claims_plug3=claims("plug3", "refuted"), plain_plug4=claims("plug4", "refuted"))
    options = [*LOAD, "-p", "no:xdist", "--dp-claims", "plain_plug4.py", "--dp-claims", "claims_plug3.py"]
    result = pytester.runpytest(*options, "-m", "dp_claim")
    result.assert_outcomes(passed=4, skipped=2)
    result = pytester.runpytest(*LOAD, "-p", "no:xdist", "--dp-claims", "no_such_module")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--dp-claims no_such_module: No module named 'no_such_module'"])


def test_a_file_that_binds_no_paper_or_breaks_is_an_error_of_its_own(pytester):
    pytester.makepyfile(claims_plug5=claims("plug5", "refuted"), claims_plug6="import dpbench")
    result = pytester.runpytest(*LOAD, "-p", "no:xdist", "--continue-on-collection-errors")
    result.assert_outcomes(passed=2, skipped=1, errors=1)
    result.stdout.fnmatch_lines(["*claims_plug6.py must be a module that binds a dpbench.ledger.Paper*"])


@pytest.mark.process
def test_under_xdist(pytester):
    pytester.makepyfile(claims_plug7=claims("plug7"), plain_plug8=claims("plug8", "refuted"))
    result = pytester.runpytest_subprocess(*LOAD, "-n", "2", "--dp-claims", "plain_plug8.py")
    result.assert_outcomes(passed=3, failed=1, skipped=2)
    result.stdout.fnmatch_lines(["4 verdicts; error budget 0.0e+00"])
