"""The entries of the GLM paper, in its order."""

from dpbench.claims.glm import theorem1_privacy

CLAIMS = (*theorem1_privacy.CLAIMS,)
