"""All planted errors, and why those that no test notices are left."""

from . import planted_in_core, planted_in_glm, planted_in_papers, planted_in_privacy
from .mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = (
    *planted_in_privacy.PLANTED, *planted_in_glm.PLANTED, *planted_in_papers.PLANTED, *planted_in_core.PLANTED,
)  # fmt: skip

SURVIVORS: dict[str, str] = {
    "dpbench/privacy/integer_noise.py: weights[0] += total - sum(weights)":
        "What is left over raises the envelope of the last block in place of the first. What is drawn there is "
        "accepted with a chance divided by that height: the law is the same, and a draw a little slower. No error.",
}  # fmt: skip
"""By `Mutation.name`: the reason why nothing notices it."""
