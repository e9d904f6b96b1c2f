"""The pytest plugin: the fixture `dp_audit`, its options, and a summary of all audits of the session.

A refuted claim fails its test with the evidence. A session in which tests ask for `dp_audit` and none of them
comes to run an audit fails too: skipped is not tested. Under xdist the audits travel with the test reports.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dpbench.auditing.audit import AuditResult

WANTED = "dpbench_wanted"
FOUND = "dpbench_audit"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings of every audit of the session."""
    group = parser.getgroup("dpbench", "audits of differential privacy")
    group.addoption("--dp-seed", type=int, default=0, help="seed of every audit (default: 0)")
    group.addoption("--dp-trials", type=int, default=1_000_000, help="runs a side (default: 1,000,000)")
    group.addoption("--dp-confidence", type=float, default=0.999, help="of each audit (default: 0.999)")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse settings that no audit can use, before any test runs."""
    if config.getoption("--dp-seed") < 0:
        raise pytest.UsageError(f"--dp-seed must be an integer >= 0, got {config.getoption('--dp-seed')}")
    if config.getoption("--dp-trials") < 100:
        raise pytest.UsageError(f"--dp-trials must be an integer >= 100, got {config.getoption('--dp-trials')}")
    if not 0.0 < config.getoption("--dp-confidence") < 1.0:
        raise pytest.UsageError(
            f"--dp-confidence must be a number strictly between 0 and 1, got {config.getoption('--dp-confidence')}"
        )
    config.pluginmanager.register(Session(), "dpbench-session")


def pytest_report_header(config: pytest.Config) -> str:
    """The settings in force."""
    return (
        f"dpbench: seed {config.getoption('--dp-seed')}, {config.getoption('--dp-trials')} runs a side, "
        f"confidence {config.getoption('--dp-confidence'):g} per audit"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that ask for the fixture, in a way that reaches the controller of xdist."""
    for item in items:
        if "dp_audit" in getattr(item, "fixturenames", ()):
            item.user_properties.append((WANTED, item.nodeid))


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Callable[..., AuditResult]:
    """Audit a claim: ``dp_audit(sampler, dataset, neighbour, epsilon=1.0, delta=0.0)``.

    The test fails if the claim is refuted. Further keywords go to `dpbench.audit`; trials, seed and
    confidence come from the command line unless given. Returns the `AuditResult`.
    """
    config = request.config

    def check(sampler: Any, dataset: Any, neighbour: Any, *, epsilon: float, **options: Any) -> AuditResult:
        from dpbench.auditing.audit import audit

        settings = {
            "seed": config.getoption("--dp-seed"),
            "trials": config.getoption("--dp-trials"),
            "confidence": config.getoption("--dp-confidence"),
            **options,
        }
        found = audit(sampler, dataset, neighbour, epsilon=epsilon, **settings)
        line = f"{found.verdict}: {request.node.nodeid}: {found}"
        request.node.user_properties.append((FOUND, {"line": line, "level": 1.0 - found.confidence}))
        if found.verdict == "refuted":
            pytest.fail(f"({epsilon:g}, {found.delta:g})-differential privacy refuted: {found}", pytrace=False)
        return found

    return check


class Session:
    """What the reports of a session say about audits; registered once a session."""

    def __init__(self) -> None:
        self.wanted: set[str] = set()
        self.lines: list[str] = []
        self.levels: list[float] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Read the properties once, from the last report of a test."""
        if report.when != "teardown":
            return
        for name, value in report.user_properties:
            if name == WANTED:
                self.wanted.add(str(value))
            elif name == FOUND and isinstance(value, dict):
                self.lines.append(value["line"])
                self.levels.append(value["level"])

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """All skipped is a failure (on the controller; a worker of xdist sees a part only)."""
        if self.vacuous and not hasattr(session.config, "workerinput") and session.exitstatus in (0, 5):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @property
    def vacuous(self) -> bool:
        """Tests asked for audits, and none was run."""
        return bool(self.wanted) and not self.lines

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """All audits, and the sum of their error levels."""
        if not self.wanted:
            return
        terminalreporter.section("dpbench audits")
        for line in sorted(self.lines):
            terminalreporter.line(line)
        if self.vacuous:
            terminalreporter.line(f"FAILED: {len(self.wanted)} tests ask for dp_audit and none ran an audit", red=True)
        total = sum(self.levels)
        terminalreporter.line(
            f"{len(self.lines)} audits; the chance that any refutation here is false is at most {total:.3g}"
        )
