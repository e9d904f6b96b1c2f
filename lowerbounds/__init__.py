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
    from lowerbounds._check import FamilyReport, check_family, private_bayes_risk
    from lowerbounds._frontier import frontier, measured_risk
    from lowerbounds._toolkit import Family, Floor, assouad, fano, fingerprint, le_cam, score_attack
    from lowerbounds.audits import Attack, GroupAudit, group_audit
    from lowerbounds.curves import Curve, best_distance, curve
    from lowerbounds.fingerprints import fingerprinting
    from lowerbounds.instances import HardFamily, Instance
    from lowerbounds.large_radius_pair import large_radius
    from lowerbounds.membership_inference import Membership, membership
    from lowerbounds.nonprivate_floors import corrected_nonprivate, nonprivate
    from lowerbounds.norm_packings import norm_packing
    from lowerbounds.packings import packing
    from lowerbounds.parity_cubes import CubeData, ParityCube, parity_cube
    from lowerbounds.rare_packings import RarePacking, rare_packing
    from lowerbounds.regime_floors import corrected_minimum, printed_minimum, proved_floor
    from lowerbounds.two_points import chaudhuri_hsu, two_point_constant

_HOME = {
    "Attack": "lowerbounds.audits",
    "CubeData": "lowerbounds.parity_cubes",
    "Curve": "lowerbounds.curves",
    "Family": "lowerbounds._toolkit",
    "FamilyReport": "lowerbounds._check",
    "Floor": "lowerbounds._toolkit",
    "GroupAudit": "lowerbounds.audits",
    "HardFamily": "lowerbounds.instances",
    "Instance": "lowerbounds.instances",
    "Membership": "lowerbounds.membership_inference",
    "ParityCube": "lowerbounds.parity_cubes",
    "RarePacking": "lowerbounds.rare_packings",
    "assouad": "lowerbounds._toolkit",
    "best_distance": "lowerbounds.curves",
    "chaudhuri_hsu": "lowerbounds.two_points",
    "check_family": "lowerbounds._check",
    "corrected_minimum": "lowerbounds.regime_floors",
    "corrected_nonprivate": "lowerbounds.nonprivate_floors",
    "curve": "lowerbounds.curves",
    "families": "lowerbounds.families",
    "fano": "lowerbounds._toolkit",
    "fingerprint": "lowerbounds._toolkit",
    "fingerprinting": "lowerbounds.fingerprints",
    "frontier": "lowerbounds._frontier",
    "group_audit": "lowerbounds.audits",
    "large_radius": "lowerbounds.large_radius_pair",
    "le_cam": "lowerbounds._toolkit",
    "measured_risk": "lowerbounds._frontier",
    "membership": "lowerbounds.membership_inference",
    "nonprivate": "lowerbounds.nonprivate_floors",
    "norm_packing": "lowerbounds.norm_packings",
    "packing": "lowerbounds.packings",
    "parity_cube": "lowerbounds.parity_cubes",
    "printed_minimum": "lowerbounds.regime_floors",
    "private_bayes_risk": "lowerbounds._check",
    "proved_floor": "lowerbounds.regime_floors",
    "rare_packing": "lowerbounds.rare_packings",
    "score_attack": "lowerbounds._toolkit",
    "two_point_constant": "lowerbounds.two_points",
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
