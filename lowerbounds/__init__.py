"""Lower bounds on the error of private algorithms: hard instances, floors, and the attacks that prove them.

Imports NumPy, SciPy, Numba and `dpbench.core` (validation, seeds, compiled kernels), nothing else of `dpbench`.
Wherever a function takes ``epsilon`` it also takes a privacy curve: ``{"mu": m}``, ``{"rho": r}``, ``{"rdp": {alpha:
tau}}``, a `dpbench.Profile` or any object with ``delta(epsilon)``, or a trade-off function; group privacy is
then composed exactly over the distance (`curve`).

Which theorem is where
----------------------
Differentially private GLMs (arXiv 2205.03014):

=======================================  ==================================================================
Lemma 1 (Chaudhuri & Hsu 2012)           `chaudhuri_hsu`, `two_point_constant`
Theorem 4 as printed                     `packing`
Theorem 4 corrected                      `norm_packing`, `large_radius`, `corrected_minimum`, `proved_floor`
Theorems 6 and 11, Corollary 4           `fingerprinting`; its membership test `membership`
Theorems 16 and 17, Corollary 5          `nonprivate`; for all bounds `corrected_nonprivate`
=======================================  ==================================================================

Private l1 regression with heavy tails: `rare_packing`. Learning with public data: `parity_cube` (a pair of data
sets and its exact law, no floor).

A toolkit for families of one's own: `Family` (prior, law of the data, loss; `families` has ready ones), the builders
`le_cam` (two points), `assouad` (signs), `packing` and `fano` (many hypotheses), `fingerprint` and `score_attack`
(smooth priors), each of which makes a `Floor` with its attack; `check_family` holds what a family declares against its
data, and a floor against the linear programme of `private_bayes_risk`; `frontier` draws floor, ceiling and
`measured_risk`.

Audits: `group_audit` runs a mechanism on two data sets that differ in k records and tests any claim there exactly;
`best_distance` chooses k, for the floor or for the power of the attack.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lowerbounds import families
    from lowerbounds._audit import Attack, GroupAudit, group_audit
    from lowerbounds._check import FamilyReport, check_family, private_bayes_risk
    from lowerbounds._curve import Curve, best_distance, curve
    from lowerbounds._fingerprinting import fingerprinting
    from lowerbounds._frontier import frontier, measured_risk
    from lowerbounds._instance import HardFamily, Instance
    from lowerbounds._large_radius import large_radius
    from lowerbounds._membership import Membership, membership
    from lowerbounds._nonprivate import corrected_nonprivate, nonprivate
    from lowerbounds._norm_packing import norm_packing
    from lowerbounds._packing import packing
    from lowerbounds._parity_cube import CubeData, ParityCube, parity_cube
    from lowerbounds._rare_packing import RarePacking, rare_packing
    from lowerbounds._theorem4 import corrected_minimum, printed_minimum, proved_floor
    from lowerbounds._toolkit import Family, Floor, assouad, fano, fingerprint, le_cam, score_attack
    from lowerbounds._two_point import chaudhuri_hsu, two_point_constant

_HOME = {
    "Attack": "lowerbounds._audit",
    "CubeData": "lowerbounds._parity_cube",
    "Curve": "lowerbounds._curve",
    "Family": "lowerbounds._toolkit",
    "FamilyReport": "lowerbounds._check",
    "Floor": "lowerbounds._toolkit",
    "GroupAudit": "lowerbounds._audit",
    "HardFamily": "lowerbounds._instance",
    "Instance": "lowerbounds._instance",
    "Membership": "lowerbounds._membership",
    "ParityCube": "lowerbounds._parity_cube",
    "RarePacking": "lowerbounds._rare_packing",
    "assouad": "lowerbounds._toolkit",
    "best_distance": "lowerbounds._curve",
    "chaudhuri_hsu": "lowerbounds._two_point",
    "check_family": "lowerbounds._check",
    "corrected_minimum": "lowerbounds._theorem4",
    "corrected_nonprivate": "lowerbounds._nonprivate",
    "curve": "lowerbounds._curve",
    "families": "lowerbounds.families",
    "fano": "lowerbounds._toolkit",
    "fingerprint": "lowerbounds._toolkit",
    "fingerprinting": "lowerbounds._fingerprinting",
    "frontier": "lowerbounds._frontier",
    "group_audit": "lowerbounds._audit",
    "large_radius": "lowerbounds._large_radius",
    "le_cam": "lowerbounds._toolkit",
    "measured_risk": "lowerbounds._frontier",
    "membership": "lowerbounds._membership",
    "nonprivate": "lowerbounds._nonprivate",
    "norm_packing": "lowerbounds._norm_packing",
    "packing": "lowerbounds._packing",
    "parity_cube": "lowerbounds._parity_cube",
    "printed_minimum": "lowerbounds._theorem4",
    "private_bayes_risk": "lowerbounds._check",
    "proved_floor": "lowerbounds._theorem4",
    "rare_packing": "lowerbounds._rare_packing",
    "score_attack": "lowerbounds._toolkit",
    "two_point_constant": "lowerbounds._two_point",
}

__all__ = [
    "Attack",
    "CubeData",
    "Curve",
    "Family",
    "FamilyReport",
    "Floor",
    "GroupAudit",
    "HardFamily",
    "Instance",
    "Membership",
    "ParityCube",
    "RarePacking",
    "assouad",
    "best_distance",
    "chaudhuri_hsu",
    "check_family",
    "corrected_minimum",
    "corrected_nonprivate",
    "curve",
    "families",
    "fano",
    "fingerprint",
    "fingerprinting",
    "frontier",
    "group_audit",
    "large_radius",
    "le_cam",
    "measured_risk",
    "membership",
    "nonprivate",
    "norm_packing",
    "packing",
    "parity_cube",
    "printed_minimum",
    "private_bayes_risk",
    "proved_floor",
    "rare_packing",
    "score_attack",
    "two_point_constant",
]


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first asked for (PEP 562), so that the import itself stays light."""
    from dpbench.core.lazy import load

    return load(__name__, _HOME, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
