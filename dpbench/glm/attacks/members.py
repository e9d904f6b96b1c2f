"""A mechanism on many members of a hard family: what their data sets share is made and checked once.

Member k has a Generator of its own, from which it, its data and the mechanism's noise are drawn in this order, so that
no number depends on how many members come in one call. A mechanism of sufficient statistics gets a `MomentProblem`, and
no record is made; it says so by ``moments_suffice = True`` (of runs on a quadratic loss).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dpbench.auditing.blocks import sampler_name
from dpbench.core import validation
from dpbench.core.validation import InvalidInput
from dpbench.glm.moment_problem import MomentProblem
from dpbench.glm.problem import GLMProblem
from lowerbounds._instance import HardFamily

Mechanism = Callable[[GLMProblem, int, np.random.Generator], Any]
Generators = Sequence[np.random.Generator]

NARROW = 8
"""Up to so many runs on one member are drawn side by side as they are, not as a block of 64 that is cut."""


class SharedProblems:
    """Problems of one family, with what does not depend on the member made and checked once."""

    def __init__(self) -> None:
        self._records: tuple[Any, GLMProblem] | None = None
        self._moments: MomentProblem | None = None

    def of_records(self, family: HardFamily, members: Sequence[Any], rngs: Generators) -> Iterator[GLMProblem]:
        """The data sets; members with one X share it, and each has its own labels checked."""
        for member, rng in zip(members, rngs, strict=True):
            made = family.instances(member, rng)
            kept = self._records
            if kept is None or kept[0] is not made.X:
                kept = self._records = made.X, GLMProblem.from_instance(made)
            yield kept[1].with_labels(made.y)

    def of_moments(self, family: HardFamily, members: Sequence[Any], rngs: Generators) -> Iterator[MomentProblem]:
        """The same without records, where the family has `moments`."""
        assert family.moments is not None
        made = family.moments(members, rngs)
        bounds = {"x_bound": made.x_bound, "y_bound": made.y_bound, "radius": made.radius}
        for k in range(len(members)):
            alike = made.second.shape[0] == 1
            kept = self._moments
            if kept is None or not alike:
                second = np.diag(made.second[0 if alike else k])
                kept = MomentProblem(family.n, second, made.cross[k], made.square[k], loss=made.loss, **bounds)
                kept.axes  # noqa: B018  (before it is shared)
                self._moments = kept
            yield kept.with_cross(made.cross[k], float(made.square[k]))


_shared: WeakKeyDictionary[HardFamily, SharedProblems] = WeakKeyDictionary()
_lock = threading.Lock()


def outputs_on(
    mechanism: Mechanism, family: HardFamily, members: Sequence[Any], trials: int, rngs: Generators
) -> np.ndarray:
    """`trials` runs on each member, shape (members, trials, d); `rngs`: one Generator a member.

    Raises
    ------
    InvalidInput
        The mechanism raised, or an output cannot be used.
    """
    with _lock:
        if family not in _shared:
            _shared[family] = SharedProblems()
        shared = _shared[family]
    made = np.empty((len(members), trials, family.d))
    if family.moments is not None and getattr(mechanism, "moments_suffice", False) is True:
        run = getattr(mechanism, "block", mechanism) if trials <= NARROW else mechanism
        problems: Iterator[GLMProblem] = shared.of_moments(family, members, rngs)
    else:
        run, problems = mechanism, shared.of_records(family, members, rngs)
    for k, (problem, rng) in enumerate(zip(problems, rngs, strict=True)):
        made[k] = _checked(run, sampler_name(mechanism), problem, trials, rng, family.name)
    return made


def errors_on(
    mechanism: Mechanism,
    family: HardFamily,
    members: Sequence[Any],
    trials: int,
    rngs: Generators,
    margin: float = 0.0,
    rounded: bool = False,
) -> np.ndarray:
    """Excess of each output of `outputs_on`, as it is and clipped (or rounded), shape (members, trials, 2).

    Parameters
    ----------
    margin, rounded
        As in `measure_accuracy`.
    """
    outputs = outputs_on(mechanism, family, members, trials, rngs)
    low, high = family.box
    used = np.where(outputs > 0.5 * (low + high), high, low) if rounded else family.clip(outputs, margin)
    return np.stack([family.excesses(members, outputs), family.excesses(members, used)], axis=-1)


def outputs_of(
    mechanism: Mechanism, problem: GLMProblem, trials: int, rng: np.random.Generator, where: str
) -> np.ndarray:
    """What a mechanism makes of a problem: float64[trials, d], finite, or one clear message that says `where`."""
    return _checked(mechanism, sampler_name(mechanism), problem, trials, rng, where)


def _checked(
    run: Mechanism, name: str, problem: GLMProblem, trials: int, rng: np.random.Generator, where: str
) -> np.ndarray:
    try:
        made = run(problem, trials, rng)
    except (Exception, SystemExit) as error:
        raise InvalidInput(f"mechanism {name} raised {type(error).__name__} on {where}: {error}") from error
    what, shape = f"the array that {name} returns", f"finite, of shape ({trials}, {problem.d})"
    try:
        outputs = np.asarray(made, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise validation.invalid(what, shape, made) from error
    if outputs.shape == (trials,) and problem.d == 1:
        outputs = outputs[:, None]
    if outputs.shape != (trials, problem.d) or not np.isfinite(outputs).all():
        raise validation.invalid(what, shape, outputs)
    return outputs
