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
Theorem 4 corrected                      `norm_packing`, `large_radius`, `corrected_minimum`
Theorems 6 and 11, Corollary 4           `fingerprinting`; its membership test `membership`
Theorems 16 and 17, Corollary 5          `nonprivate`; for all bounds `corrected_nonprivate`
=======================================  ==================================================================

Private l1 regression with heavy tails:

=======================================  ==================================================================
Remark 1; rates beside Theorems 1 and 2  `rare_packing`
=======================================  ==================================================================

Oracle-efficient learning with public data:

=======================================  ==================================================================
Theorem 4 with Gaussian weights          `parity_cube`: a pair of data sets and its exact law, no floor
=======================================  ==================================================================

A kit for families of one's own: `Family` (prior, law of the data, loss; `families` has ready ones), the builders
`le_cam` (two points), `assouad` (signs), `packing_floor` and `fano` (many hypotheses), `fingerprint` and `score_attack`
(smooth priors), each of which makes a `Floor` with its attack; `check_family` holds what a family declares against its
data; `frontier` draws floor, ceiling and `measured_risk`.

A claim at a distance: `at_distance` composes it over k records, for `dpbench.audit` on two data sets that differ in
k records; `best_distance` chooses k, for the floor or for the power of the attack.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lowerbounds import families as families
    from lowerbounds._check import FamilyReport as FamilyReport
    from lowerbounds._check import check_family as check_family
    from lowerbounds._frontier import frontier as frontier
    from lowerbounds._frontier import measured_risk as measured_risk
    from lowerbounds._toolkit import Attack as Attack
    from lowerbounds._toolkit import Family as Family
    from lowerbounds._toolkit import Floor as Floor
    from lowerbounds._toolkit import assouad as assouad
    from lowerbounds._toolkit import fano as fano
    from lowerbounds._toolkit import fingerprint as fingerprint
    from lowerbounds._toolkit import le_cam as le_cam
    from lowerbounds._toolkit import packing_floor as packing_floor
    from lowerbounds._toolkit import score_attack as score_attack
    from lowerbounds.curves import Curve as Curve
    from lowerbounds.curves import at_distance as at_distance
    from lowerbounds.curves import best_distance as best_distance
    from lowerbounds.curves import curve as curve
    from lowerbounds.fingerprints import fingerprinting as fingerprinting
    from lowerbounds.instances import HardFamily as HardFamily
    from lowerbounds.instances import Instance as Instance
    from lowerbounds.large_radius_pair import large_radius as large_radius
    from lowerbounds.membership_inference import Membership as Membership
    from lowerbounds.membership_inference import membership as membership
    from lowerbounds.nonprivate_floors import corrected_nonprivate as corrected_nonprivate
    from lowerbounds.nonprivate_floors import nonprivate as nonprivate
    from lowerbounds.norm_packings import norm_packing as norm_packing
    from lowerbounds.packings import packing as packing
    from lowerbounds.parity_cubes import CubeData as CubeData
    from lowerbounds.parity_cubes import ParityCube as ParityCube
    from lowerbounds.parity_cubes import parity_cube as parity_cube
    from lowerbounds.rare_packings import RarePacking as RarePacking
    from lowerbounds.rare_packings import rare_packing as rare_packing
    from lowerbounds.regime_floors import corrected_minimum as corrected_minimum
    from lowerbounds.two_points import chaudhuri_hsu as chaudhuri_hsu
    from lowerbounds.two_points import two_point_constant as two_point_constant

_PLACES = {
    "_check": "FamilyReport check_family",
    "_frontier": "frontier measured_risk",
    "_toolkit": "Attack Family Floor assouad fano fingerprint le_cam packing_floor score_attack",
    "curves": "Curve at_distance best_distance curve",
    "families": "families",
    "fingerprints": "fingerprinting",
    "instances": "HardFamily Instance",
    "large_radius_pair": "large_radius",
    "membership_inference": "Membership membership",
    "nonprivate_floors": "corrected_nonprivate nonprivate",
    "norm_packings": "norm_packing",
    "packings": "packing",
    "parity_cubes": "CubeData ParityCube parity_cube",
    "rare_packings": "RarePacking rare_packing",
    "regime_floors": "corrected_minimum",
    "two_points": "chaudhuri_hsu two_point_constant",
}
_HOME = {name: f"lowerbounds.{module}" for module, names in _PLACES.items() for name in names.split()}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first asked for (PEP 562), so that the import itself stays light."""
    from dpbench.core.lazy import load

    return load(__name__, _HOME, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
