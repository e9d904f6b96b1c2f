"""The entries of the GLM paper, in the order of `expected.EXPECTED`, which is the paper's."""

from dpbench.claims.core import Claim
from dpbench.claims.glm import (
    boosting_failures,
    floors_fingerprinting,
    floors_nonprivate,
    floors_packing,
    floors_two_point,
    grid_search_oracle,
    jl_privacy,
    lemma5,
    lemma6,
    lemma12,
    lemmas,
    output_perturbation_privacy,
    rates_jl,
    rates_noisy_gd,
    rates_output_perturbation,
    selection_concentration,
    selection_losses,
    selection_mechanisms,
    selection_privacy,
    theorem1_privacy,
)
from dpbench.claims.glm.expected import EXPECTED

_MODULES = (
    floors_two_point,
    floors_packing,
    floors_fingerprinting,
    floors_nonprivate,
    lemmas,
    lemma5,
    lemma6,
    lemma12,
    theorem1_privacy,
    rates_noisy_gd,
    jl_privacy,
    rates_jl,
    output_perturbation_privacy,
    rates_output_perturbation,
    selection_mechanisms,
    selection_privacy,
    selection_losses,
    selection_concentration,
    boosting_failures,
    grid_search_oracle,
)
_ORDER = {name: place for place, name in enumerate(EXPECTED)}

CLAIMS: tuple[Claim, ...] = tuple(
    sorted((claim for module in _MODULES for claim in module.CLAIMS), key=lambda claim: _ORDER[claim.id])
)
