"""Verification and benchmarking of differentially private learning."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpbench import glm, heavytail, publicdata
    from dpbench.auditing.audit import AuditResult, audit
    from dpbench.auditing.bits import audit_bits
    from dpbench.auditing.one_run import audit_one_run
    from dpbench.auditing.search import find_neighbours
    from dpbench.claims.ledger import Ledger, verify
    from dpbench.privacy.profile import Profile
    from dpbench.problems import GLMProblem
    from dpbench.problems_heavytail import HeavyTailedProblem
    from dpbench.problems_publicdata import PublicDataProblem
    from dpbench.validation import InvalidInput

__version__ = "0.1.0"

_HOME = {
    "AuditResult": "dpbench.auditing.audit",
    "GLMProblem": "dpbench.problems",
    "HeavyTailedProblem": "dpbench.problems_heavytail",
    "InvalidInput": "dpbench.validation",
    "Ledger": "dpbench.claims.ledger",
    "Profile": "dpbench.privacy.profile",
    "PublicDataProblem": "dpbench.problems_publicdata",
    "audit": "dpbench.auditing.audit",
    "audit_bits": "dpbench.auditing.bits",
    "audit_one_run": "dpbench.auditing.one_run",
    "find_neighbours": "dpbench.auditing.search",
    "glm": "dpbench.glm",
    "heavytail": "dpbench.heavytail",
    "publicdata": "dpbench.publicdata",
    "verify": "dpbench.claims.ledger",
}

__all__ = [
    "AuditResult",
    "GLMProblem",
    "HeavyTailedProblem",
    "InvalidInput",
    "Ledger",
    "Profile",
    "PublicDataProblem",
    "audit",
    "audit_bits",
    "audit_one_run",
    "find_neighbours",
    "glm",
    "heavytail",
    "publicdata",
    "verify",
]


def __getattr__(name: str) -> Any:
    from dpbench._lazy import load

    return load(__name__, _HOME, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
