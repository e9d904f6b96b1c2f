"""A mechanism on many members of a hard family: what their data sets share is made and checked once.

Member k has a Generator of its own, from which it, its data and the mechanism's noise are drawn in this order, so that
no number depends on how many members come in one call. A mechanism of sufficient statistics gets a `MomentProblem`, and
no record is made; it says so by ``moments_suffice = True`` (of runs on a quadratic loss). If it also has
``one_run_each(problem, second, cross, rngs)``, as `NoisyGD` has, single runs on all members are one call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from dpbench.auditing.audit import sampler_name
from dpbench.core import validation
from dpbench.core.validation import InvalidInput
from dpbench.papers.glm.moment_problem import MomentProblem
from dpbench.papers.glm.problem import GLMProblem
from lowerbounds.instances import HardFamily, Moments

Mechanism = Callable[[GLMProblem, int, np.random.Generator], Any]
Generators = Sequence[np.random.Generator]


class SharedProblems:
    """Problems of one family, with what does not depend on the member made and checked once."""

    def __init__(self) -> None:
        self._records: tuple[Any, GLMProblem] | None = None
        self._moments: MomentProblem | None = None

    def of_records(self, family: HardFamily, members: Sequence[Any], rngs: Generators) -> Iterator[GLMProblem]:
        """The data sets; members with one X share it, and each has its own labels checked."""
        for member, rng in zip(members, rngs, strict=True):
            instances = family.instances(member, rng)
            kept = self._records
            if kept is None or kept[0] is not instances.X:
                kept = self._records = instances.X, GLMProblem.from_instance(instances)
            yield kept[1].with_labels(instances.y)

    def of_moments(self, family: HardFamily, moments: Moments) -> Iterator[MomentProblem]:
        """The same without records, where the family has `moments`."""
        alike = moments.second.shape[0] == 1
        for k in range(len(moments.cross)):
            kept = self._moments
            if kept is None or not alike:
                kept = _declared(family, moments, k)
                kept.axes  # noqa: B018  (before it is shared)
                self._moments = kept
            yield kept.with_cross(moments.cross[k], float(moments.square[k]))


def _declared(family: HardFamily, moments: Moments, k: int) -> MomentProblem:
    second = np.diag(moments.second[min(k, len(moments.second) - 1)])
    return MomentProblem(
        family.n, second, moments.cross[k], moments.square[k], loss=moments.loss, x_bound=moments.x_bound,
        y_bound=moments.y_bound, radius=moments.radius,
    )  # fmt: skip


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
    name, outputs = sampler_name(mechanism), np.empty((len(members), trials, family.d))
    if family.moments is None or getattr(mechanism, "moments_suffice", False) is not True:
        problems: Iterator[GLMProblem] = shared.of_records(family, members, rngs)
    else:
        moments = family.moments(members, rngs)
        many = getattr(mechanism, "one_run_each", None)
        if many is not None and trials == 1:
            run = partial(_each, many, moments, rngs)
            return _checked(run, name, _declared(family, moments, 0), len(members), rngs[0], family.name)[:, None]
        problems = shared.of_moments(family, moments)
    for k, (problem, rng) in enumerate(zip(problems, rngs, strict=True)):
        outputs[k] = _checked(mechanism, name, problem, trials, rng, family.name)
    return outputs


def runs_on(
    mechanism: Mechanism, problems: Sequence[GLMProblem], counts: Sequence[int], rng: np.random.Generator, where: str
) -> np.ndarray:
    """counts[k] runs on the k-th data set, one after the other from one Generator, shape (sum of counts, d).

    Raises
    ------
    InvalidInput
        The mechanism raised, or an output cannot be used; `where` says on what.
    """
    name = sampler_name(mechanism)
    pairs = zip(problems, counts, strict=True)
    return np.concatenate([_checked(mechanism, name, data, count, rng, where) for data, count in pairs if count])


def _each(
    many: Callable[..., np.ndarray], moments: Moments, rngs: Generators, problem: GLMProblem, *_: Any
) -> np.ndarray:
    return many(problem, moments.second, moments.cross, rngs)


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


def _told(run: Callable[..., Any], name: str, where: str, *arguments: Any) -> Any:
    """What `run` returns, or one clear message."""
    try:
        return run(*arguments)
    except (Exception, SystemExit) as error:
        raise InvalidInput(f"mechanism {name} raised {type(error).__name__} on {where}: {error}") from error


def _checked(
    run: Mechanism, name: str, problem: GLMProblem, trials: int, rng: np.random.Generator, where: str
) -> np.ndarray:
    drawn = _told(run, name, where, problem, trials, rng)
    what, shape = f"the array that {name} returns", f"finite, of shape ({trials}, {problem.d})"
    try:
        outputs = np.asarray(drawn, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise validation.invalid(what, shape, drawn) from error
    if outputs.shape == (trials,) and problem.d == 1:
        outputs = outputs[:, None]
    if outputs.shape != (trials, problem.d) or not np.isfinite(outputs).all():
        raise validation.invalid(what, shape, outputs)
    return outputs
