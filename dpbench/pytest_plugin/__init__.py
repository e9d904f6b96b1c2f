"""The pytest plugin: the fixture `dp_audit`, its options, and a summary of all audits of the session; claims as items.

A file ``claims_*.py`` that speaks of dpbench, and what ``--dp-claims`` names, is collected: each claim is an item (see
`dpbench.pytest_plugin.claims`), which passes where its verdict is the expected one.

A refuted claim fails its test with the evidence. A session in which tests ask for `dp_audit` and none of them
comes to run an audit fails too: skipped is not tested. Under xdist the audits travel with the test reports.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest

from dpbench.pytest_plugin.settings import CLAIM, SETTINGS, ini, settings

if TYPE_CHECKING:
    from dpbench.auditing.audit import AuditResult

__tracebackhide__ = True  # pytest leaves the frames of this file out

WANTED = "dpbench_wanted"
FOUND = "dpbench_audit"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings of every audit of the session; the command line comes before the ini file."""
    group = parser.getgroup("dpbench", "audits of differential privacy")
    for name, kind, default, text in SETTINGS:
        group.addoption(f"--dp-{name}", type=kind, default=None, help=text)
        parser.addini(ini(name), f"{text}; --dp-{name} comes before it", default=str(default))
    group.addoption(
        "--dp-claims", action="append", default=[], metavar="MODULE|FILE|FOLDER", help="collect the claims of this, too"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse settings that no audit can use, before any test runs."""
    settings(config)
    config.addinivalue_line("markers", "dp_claim: a claim of a paper, collected by dpbench")
    config.pluginmanager.register(Session(), "dpbench-session")


def pytest_report_header(config: pytest.Config) -> str:
    """The settings in force."""
    given = settings(config)
    runs = f"seed {given['seed']}, {given['trials']} runs a side"
    return f"dpbench: {runs}, confidence {given['confidence']:.12g} per audit"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file of claims."""
    if not file_path.name.startswith("claims_") or file_path.suffix != ".py":
        return None
    from dpbench.pytest_plugin.claims import ClaimsFile, is_claims

    return ClaimsFile.from_parent(parent, path=file_path) if is_claims(file_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add the claims of --dp-claims; mark the tests that ask for the fixture, so that xdist's controller sees it."""
    known = {item.name for item in items if hasattr(item, "claim")}
    for name in config.getoption("--dp-claims"):
        items += [item for item in _named(session, name) if item.name not in known]
    for item in items:
        if "dp_audit" in getattr(item, "fixturenames", ()):
            item.user_properties.append((WANTED, item.nodeid))


def _named(session: pytest.Session, name: str) -> list[pytest.Item]:
    from dpbench.core.validation import InvalidInput
    from dpbench.pytest_plugin.claims import Named

    try:
        return list(Named.from_parent(session, name=name, nodeid=name).collect())
    except (InvalidInput, ImportError) as error:
        raise pytest.UsageError(f"--dp-claims {name}: {error}") from None


SAMPLED = ("seed", "trials", "confidence", "workers")


class Auditor:
    """The fixture `dp_audit`: audits that fail the test where they refute its claim.

    ``dp_audit(sampler, dataset, neighbour, epsilon=1.0)`` audits by `dpbench.audit`; the methods by the function of
    their name. Seed, trials, confidence and workers come from the command line or the ini file unless given. Each
    returns the `AuditResult`.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request

    def __call__(self, sampler: Any, dataset: Any, neighbour: Any = None, **options: Any) -> AuditResult:
        """Audit a claim on two neighbouring data sets: ``epsilon`` and ``delta``, or ``claim``.

        ``power=2`` fails where an audit does not refute, and an event as frequent as its own would not have shown half
        of the noise either; the claim must then be one number above 0.

        With one data set alone, neighbours are made from it by ``relation=``, by its first, last and extreme records,
        and the most telling pair is audited. ``relation="replace"`` puts records of the data set in each other's place,
        or with ``low=`` and ``high=`` records of these numbers; the report says which.
        """
        from dpbench.auditing.audit import audit

        replaced = ""
        if neighbour is None:
            from dpbench.auditing.neighbours import own_pair

            session = settings(self._request.config)
            ends = {name: options.pop(name) for name in ("low", "high") if name in options}
            given = {name: session[name] for name in ("seed", "confidence", "workers")}
            given |= {name: value for name, value in options.items() if name not in ("trials", "progress")}
            dataset, neighbour, replaced = _called(own_pair, sampler, dataset, **given, **ends)
        return self._run(audit, (sampler, dataset, neighbour), SAMPLED, options, replaced=replaced)

    def search(self, sampler: Any, domain: Any, **options: Any) -> AuditResult:
        """Audit a claim on the most telling pair found: `dpbench.find_neighbours`."""
        from dpbench.auditing.neighbours import find_neighbours

        return self._run(find_neighbours, (sampler, domain), SAMPLED, options)

    def bits(self, sampler: Any, dataset: Any, neighbour: Any, **options: Any) -> AuditResult:
        """Audit the last bits of floating-point outputs: `dpbench.audit_bits`."""
        from dpbench.auditing.bits import audit_bits

        return self._run(audit_bits, (sampler, dataset, neighbour), SAMPLED, options)

    def samples(self, outputs: Any, neighbour_outputs: Any, **options: Any) -> AuditResult:
        """Audit outputs that were drawn already: `dpbench.audit_samples`."""
        from dpbench.auditing.audit import audit_samples

        return self._run(audit_samples, (outputs, neighbour_outputs), ("seed", "confidence"), options)

    def one_run(self, run: Any, canaries: int, **options: Any) -> AuditResult:
        """Audit one run with many canaries: `dpbench.audit_one_run`."""
        from dpbench.auditing.one_run import audit_one_run

        return self._run(audit_one_run, (run, canaries), ("seed", "confidence"), options)

    def one_run_scores(self, included: Any, scores: Any, **options: Any) -> AuditResult:
        """Audit the canaries' scores of one run made elsewhere: `dpbench.audit_one_run_scores`."""
        from dpbench.auditing.one_run import audit_one_run_scores

        return self._run(audit_one_run_scores, (included, scores), ("seed", "confidence"), options)

    def library(self, name: str, *given: Any, **options: Any) -> AuditResult:
        """Audit a library's mechanism at its own claim: by the function `audit` of `dpbench_libraries.NAME`, whose
        parameters follow, with the runs that are its default; of the distribution dpbench-libraries.
        """
        from importlib import import_module

        from dpbench.core.validation import MissingExtra

        try:
            audit = import_module("dpbench_libraries.table").adapter(name).audit
        except ModuleNotFoundError as error:
            raise MissingExtra("dp_audit.library needs dpbench-libraries: pip install dpbench-libraries") from error
        return self._run(audit, given, ("seed", "confidence"), options, claims=True)

    def _run(
        self,
        function: Callable[..., AuditResult],
        given: tuple[Any, ...],
        takes: tuple[str, ...],
        options: dict[str, Any],
        *,
        claims: bool = False,
        replaced: str = "",
    ) -> AuditResult:
        """Audit and report; `claims`: what is audited says itself what it claims; `replaced`: of the pair."""
        from dpbench.core import validation

        if not claims and options.get("epsilon") is None and options.get("claim") is None:
            raise validation.invalid("epsilon", "given (with delta), or claim: dp_audit tests a claim", None)
        session = settings(self._request.config)
        power = options.pop("power", None)
        if power is not None:
            power = validation.real("power", power, above=1.0)
        result = _called(function, *given, **{**{name: session[name] for name in takes}, **options})
        node = self._request.node
        claimed = f"{result.claimed}{replaced}"
        line = f"{result.verdict}: {node.nodeid}: {result.outcome}; {result}{replaced}"
        kept = {"claim": claimed, "unit": result.unit, "detectable": result.detectable, "verdict": result.verdict}
        node.user_properties.append(
            (FOUND, {"line": line, "level": 1.0 - result.confidence, "name": node.name, **kept})
        )
        if result.verdict == "refuted":
            pytest.fail(f"{claimed} refuted: {result}", pytrace=False)
        if result.verdict == "blind":
            pytest.fail(f"{claimed} not tested, the audit is blind: {result}", pytrace=False)
        if power is not None and not result.claimed_value:
            raise validation.invalid("power", "left out where the claim is not one number above 0", power)
        if power is not None and (result.noise_caught is None or result.noise_caught > power):
            pytest.fail(f"{claimed} {result.outcome}; power={power:g} asks for more runs: {result}", pytrace=False)
        return result


def _called(function: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """What a function returns; where it refuses what the user gave or their code raised, by the user's frames alone."""
    from dpbench.core.validation import InvalidInput

    try:
        return function(*given, **options)
    except InvalidInput as error:
        if error.__cause__ is not None:
            kept = _users_frames(error.__cause__.__traceback__)
            error.__cause__.with_traceback(kept or error.__cause__.__traceback__)
        raise error.with_traceback(_users_frames(error.__traceback__)) from error.__cause__


def _users_frames(traceback: TracebackType | None) -> TracebackType | None:
    from dpbench.cli.audit_inputs import users

    frames = []
    while traceback is not None:
        if users(traceback.tb_frame.f_code.co_filename):
            frames.append(traceback)
        traceback = traceback.tb_next
    made = None
    for one in reversed(frames):
        made = TracebackType(made, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return made


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Auditor:
    """Audit a claim: ``dp_audit(sampler, dataset, neighbour, epsilon=1.0, delta=0.0)``.

    The test fails if the claim is refuted, or if the audit is blind. Further keywords go to `dpbench.audit`; other
    audits are its methods `search`, `bits`, `samples`, `one_run` and `one_run_scores`.
    """
    return Auditor(request)


class Session:
    """What the reports of a session say about audits; registered once a session."""

    def __init__(self) -> None:
        self.wanted: set[str] = set()
        self.lines: list[str] = []
        self.levels: list[float] = []
        self.claims: list[dict[str, Any]] = []

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
            elif name == CLAIM and isinstance(value, dict):
                self.claims.append(value)

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
        if self.claims:
            terminalreporter.section("dpbench claims")
            for claim in sorted(self.claims, key=lambda one: one["line"]):
                terminalreporter.line(claim["line"])
            budget = sum(claim["level"] for claim in self.claims)
            terminalreporter.line(f"{len(self.claims)} verdicts; error budget {budget:.1e}")
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
