"""The entries of the GLM paper, in its order."""

from dpbench.claims.glm import output_perturbation_privacy, theorem1_privacy

CLAIMS = (
    *theorem1_privacy.CLAIMS,
    *output_perturbation_privacy.CLAIMS,
)
