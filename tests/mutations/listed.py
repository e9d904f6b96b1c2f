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
    "dpbench/core/sampling.py: return type(default) is type(value) and canonical(default) == canonical(value)":
        "Numbers of different types, 3 and 3.0, have different texts, and so have numbers and flags. Left are values "
        "that mean the same, such as 3 and np.int64(3): whether such a value counts as the default or is named decides "
        "which stream of noise it has, and either is a stream of its own. No error.",
    "dpbench/papers/heavytail/algorithms/_bound_kernels.py: "
    "chord = min(at_low[k] - slope * low, at_high[k] - slope * high)":
        "Where the two are used, `slope` is that of the chord through both ends, so that they are one number but for "
        "rounding, for which the slack of the sum is subtracted. No error.",
}  # fmt: skip
"""By `Mutation.name`: the reason why nothing notices it."""
