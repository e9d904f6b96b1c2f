"""Verification and benchmarking of differentially private learning."""

from typing import TYPE_CHECKING, Any

from dpbench.core import sources as _sources  # noqa: F401 - first of all: it notes when the process begins
from dpbench.core.version import __version__ as __version__

if TYPE_CHECKING:
    from dpbench import bounds, glm, heavytail, publicdata, scores, testing
    from dpbench.auditing.accountant import check_accountant
    from dpbench.auditing.audit import AuditResult, audit, audit_samples
    from dpbench.auditing.bits import audit_bits
    from dpbench.auditing.certify import runs_needed
    from dpbench.auditing.independence import DependentOutputs
    from dpbench.auditing.neighbours import find_neighbours
    from dpbench.auditing.one_run import audit_one_run, audit_one_run_scores
    from dpbench.auditing.samplers import each
    from dpbench.certificates.judge import Judgement, judge
    from dpbench.certificates.search.find import find_counterexample
    from dpbench.core.validation import InvalidInput
    from dpbench.ledger.outcome import Ledger
    from dpbench.ledger.verify import verify
    from dpbench.papers.glm.problem import GLMProblem
    from dpbench.papers.heavytail.problem import HeavyTailedProblem
    from dpbench.papers.publicdata.problem import PublicDataProblem
    from dpbench.privacy.profile import Profile
    from dpbench.report import plot
    from dpbench.report.plot import evidence

_HOME = {
    "AuditResult": "dpbench.auditing.audit",
    "DependentOutputs": "dpbench.auditing.independence",
    "GLMProblem": "dpbench.papers.glm.problem",
    "HeavyTailedProblem": "dpbench.papers.heavytail.problem",
    "Judgement": "dpbench.certificates.judge",
    "InvalidInput": "dpbench.core.validation",
    "Ledger": "dpbench.ledger.outcome",
    "Profile": "dpbench.privacy.profile",
    "PublicDataProblem": "dpbench.papers.publicdata.problem",
    "audit": "dpbench.auditing.audit",
    "audit_bits": "dpbench.auditing.bits",
    "audit_one_run": "dpbench.auditing.one_run",
    "audit_one_run_scores": "dpbench.auditing.one_run",
    "audit_samples": "dpbench.auditing.audit",
    "bounds": "dpbench.bounds",
    "check_accountant": "dpbench.auditing.accountant",
    "each": "dpbench.auditing.samplers",
    "evidence": "dpbench.report.plot",
    "find_counterexample": "dpbench.certificates.search.find",
    "find_neighbours": "dpbench.auditing.neighbours",
    "glm": "dpbench.glm",
    "heavytail": "dpbench.heavytail",
    "judge": "dpbench.certificates.judge",
    "plot": "dpbench.report.plot",
    "publicdata": "dpbench.publicdata",
    "runs_needed": "dpbench.auditing.certify",
    "scores": "dpbench.scores",
    "testing": "dpbench.testing",
    "verify": "dpbench.ledger.verify",
}

__all__ = [
    "AuditResult",
    "DependentOutputs",
    "GLMProblem",
    "HeavyTailedProblem",
    "InvalidInput",
    "Judgement",
    "Ledger",
    "Profile",
    "PublicDataProblem",
    "audit",
    "audit_bits",
    "audit_one_run",
    "audit_one_run_scores",
    "audit_samples",
    "bounds",
    "check_accountant",
    "each",
    "evidence",
    "find_counterexample",
    "find_neighbours",
    "glm",
    "heavytail",
    "judge",
    "plot",
    "publicdata",
    "runs_needed",
    "scores",
    "testing",
    "verify",
]


def __getattr__(name: str) -> Any:
    from dpbench.core.lazy import load

    return load(__name__, _HOME, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
