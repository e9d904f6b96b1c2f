"""The fingerprint correlation as a membership attack: ε of any mechanism from the error rates of the test, by
audit."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from dpbench.auditing.audit import AuditResult, audit, sampler_name
from dpbench.core import validation
from dpbench.core.sampling import stream
from dpbench.papers.glm.attacks.members import Mechanism, runs_on
from dpbench.papers.glm.problem import GLMProblem
from lowerbounds.instances import HardFamily
from lowerbounds.membership_inference import Membership, membership, membership_scores


@dataclass(frozen=True)
class MembershipSampler:
    """Scores of the test, for data sets with the target ("present") or without it ("absent").

    Each run takes one of the targets at random, so that the runs are independent; whatever the targets, the
    two laws of the score are (ε, δ)-indistinguishable if the mechanism is (ε, δ)-private.
    """

    mechanism: Mechanism
    targets: tuple[Membership, ...]
    problems: tuple[tuple[GLMProblem, GLMProblem], ...]

    def __post_init__(self) -> None:
        # Messages speak of the user's mechanism.
        object.__setattr__(self, "__name__", sampler_name(self.mechanism))

    def __call__(self, side: str, trials: int, rng: np.random.Generator) -> np.ndarray:
        chosen = rng.integers(0, len(self.targets), trials)
        problems = [pair[0 if side == "present" else 1] for pair in self.problems]
        counts = np.bincount(chosen, minlength=len(problems)).tolist()
        outputs = runs_on(self.mechanism, problems, counts, rng, "fingerprinting")
        order = np.argsort(chosen, kind="stable")  # the runs come target by target
        scores = np.empty(trials)
        scores[order] = membership_scores(self.targets, chosen[order], outputs)
        return scores


def membership_attack(
    mechanism: Mechanism,
    family: HardFamily,
    *,
    targets: int = 16,
    epsilon: float | None = None,
    delta: float = 0.0,
    trials: int = 100_000,
    confidence: float = 0.999,
    seed: int = 0,
    workers: int | Executor = 1,
) -> AuditResult:
    """Test what the proof of the lower bound tests: whether a record was in the data.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(problem, trials, rng) -> array (trials, d)``.
    family : HardFamily
        From `lowerbounds.fingerprinting`; few records a coordinate (nα/d') and β well above 0 make the test
        sharp.
    targets : int
        Random targets, each with its own means and data.
    epsilon, delta, trials, confidence, seed, workers
        As in `audit`.

    Returns
    -------
    AuditResult
        Its ε holds at the confidence stated, for every mechanism.

    Raises
    ------
    InvalidInput
        A parameter or an output cannot be used, or the mechanism raised.
    """
    if not callable(mechanism):
        raise validation.invalid("mechanism", "callable as mechanism(problem, trials, rng)", mechanism)
    if not isinstance(family, HardFamily):
        raise validation.invalid("family", "a HardFamily of lowerbounds", family)
    if family.name != "fingerprinting":
        raise validation.invalid("family", "made by lowerbounds.fingerprinting", family.name)
    count = validation.integer("targets", targets, at_least=1)
    pairs = tuple(membership(family, stream(seed, "membership", k)) for k in range(count))
    problems = tuple((GLMProblem.from_instance(t.present), GLMProblem.from_instance(t.absent)) for t in pairs)
    sampler = MembershipSampler(mechanism, pairs, problems)
    return audit(
        sampler, "present", "absent", epsilon=epsilon, delta=delta, trials=trials, confidence=confidence,
        seed=seed, workers=workers,
    )  # fmt: skip
