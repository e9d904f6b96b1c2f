"""All planted errors, and why those that no test notices are left."""

from . import planted_in_glm, planted_in_papers, planted_in_privacy, planted_in_the_house
from .mutation import Mutation

MUTATIONS: tuple[Mutation, ...] = (
    *planted_in_privacy.PLANTED, *planted_in_glm.PLANTED, *planted_in_papers.PLANTED, *planted_in_the_house.PLANTED,
)  # fmt: skip

SURVIVORS: dict[str, str] = {}
"""By `Mutation.name`: the reason why nothing notices it."""
