"""`check_mechanism`: the contract that our own mechanisms are held to, for anyone's.

    from dpbench.testing import check_mechanism, mechanism_checks

    check_mechanism(MyMechanism(1.0), problem, neighbour=neighbour)          # raises at the first check that fails

    @pytest.mark.parametrize("check", mechanism_checks(MyMechanism(1.0), problem, neighbour=neighbour), ids=str)
    def test_contract(check):                                                # one test id a check
        check()

Passing says that the contract was not seen broken; it is no proof of privacy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from dpbench.auditing.audit import audit
from dpbench.auditing.bits import audit_bits
from dpbench.core import validation
from dpbench.core.sampling import block_width, release, sample, stable_name, stream
from dpbench.ledger.evidence import unsupported
from dpbench.privacy.profile import Profile
from dpbench.testing.hostile import hostile_pairs, misstated, tells_apart, tells_apart_on_some

LEVEL = 1e-6
"""False-alarm rate of each audit."""

HOSTILE, SEARCHED = 40, 20  # pairs of hostile data: of `hostile_pairs`, and of hypothesis where it is installed
_NOISE = ("sigma", "gamma", "scale")
_BUDGETS = (0.5, 1.0, 2.0)
_EPSILONS = (0.0, 0.25, 1.0, 4.0)


class ContractBroken(AssertionError):
    """A mechanism does not keep the contract; the message names the mechanism and what was seen."""


@dataclass(frozen=True)
class Check:
    """One check: call it; its text is its name."""

    name: str
    run: Callable[[], None]

    def __call__(self) -> None:
        self.run()

    def __str__(self) -> str:
        return self.name


def check_mechanism(mechanism: Any, problem: Any, **options: Any) -> list[str]:
    """Hold a mechanism to the contract; options are those of `mechanism_checks`.

    Returns
    -------
    list of str
        Names of the checks that were run.

    Raises
    ------
    ContractBroken
        At the first check that fails.
    """
    done = []
    for check in mechanism_checks(mechanism, problem, **options):
        check()
        done.append(check.name)
    return done


def mechanism_checks(
    mechanism: Any,
    problem: Any,
    *,
    neighbour: Any = None,
    hostile: Iterable[tuple[Any, Any]] | None = None,
    feasible: Callable[[np.ndarray], Any] | None = None,
    noise: Callable[[Any, Any], float] | None = None,
    trials: int = 2_000,
    seed: int = 0,
    rests_on: Iterable[str] = (),
) -> list[Check]:
    """The checks that apply to a mechanism, to be called one after the other.

    Parameters
    ----------
    mechanism : Mechanism
        Callable as ``mechanism(problem, trials, rng)``; its methods `guarantee`, `pair_profile` and `diagnose` are
        checked where it has them.
    problem : object with a text `digest`
    neighbour : object, optional
        The problem with one record replaced: for the checks that compare neighbours.
    hostile : iterable of (problem, neighbour), optional
        Data made to break a solver. Default: for problems with features X and labels y within declared bounds, or with
        private points x, labels y and public points, 40 pairs of `hostile_pairs` and, where hypothesis is installed,
        27 more: all records one, and 20 that it searches for and shrinks.
    feasible : callable, optional
        ``feasible(outputs)``, true for each row of outputs that is where the mechanism promises it to be.
    noise : callable, optional
        ``noise(mechanism, problem)``; default its method `sigma`, `gamma` or `scale`. A mechanism that is a
        dataclass with a field `epsilon` may have no more of it for a larger ε.
    trials : int
        Runs a side of the audits, at a level of 1e-6 each.
    seed : int
    rests_on : iterable of str
        Entries of the ledger that the guarantee's proof uses: their committed evidence must support it.
    """
    if not callable(mechanism) or isinstance(mechanism, type):
        raise validation.invalid("mechanism", "an instance, callable as mechanism(problem, trials, rng)", mechanism)
    for name, given in (("problem", problem), ("neighbour", neighbour)):
        if not isinstance(getattr(given, "digest", None), str) and (name == "problem" or given is not None):
            raise validation.invalid(name, "an object with a text `digest`", given)
    validation.integer("trials", trials, at_least=100)
    m, p = mechanism, problem
    checks: list[tuple[str, Callable[[], None]]] = [
        ("same seed, same result", partial(_same_seed, m, p, seed)),
        ("a prefix of more trials", partial(_prefix, m, p, seed)),
        ("one worker or two", partial(_workers, m, p, seed)),
        ("trials of a call", partial(_calls, m, p, seed)),
        ("inputs unchanged", partial(_unchanged, m, p, seed)),
        ("bad input refused", partial(_refuses, m, p)),
        ("release contents", partial(_contents, m, p, neighbour, seed)),
    ]
    if feasible is not None:
        checks.append(("feasible outputs", partial(_feasible, m, p, feasible, seed)))
    named = noise if noise is not None else _own_noise(m)
    if named is not None and is_dataclass(m) and "epsilon" in {f.name for f in fields(m)}:
        checks.append(("more budget, no more noise", partial(_budgets, m, p, named)))
    checks.append(("answers on hostile data", partial(_total, m, p, hostile, seed)))
    if hasattr(m, "guarantee"):
        checks.append(("guarantee", partial(_guarantee, m, p, neighbour)))
        checks.append(("premises and neighbours", partial(_stated, m, p, tuple(rests_on))))
    if hasattr(m, "guarantee") and neighbour is not None:
        checks.append(("audit within the guarantee", partial(_audited, audit, m, p, neighbour, trials, seed)))
        if getattr(m, "arithmetic", "float") == "exact":
            bits = partial(_audited, audit_bits, m, p, neighbour, trials, seed)
            checks.append(("last bits within the guarantee", bits))
    return [Check(name, run) for name, run in checks]


def _fail(mechanism: Any, said: str) -> ContractBroken:
    return ContractBroken(f"{stable_name(mechanism)}: {said}")


def _same_seed(m: Any, p: Any, seed: int) -> None:
    first, second = (sample(m, p, 20, seed=seed) for _ in range(2))
    if not np.array_equal(first, second, equal_nan=True):
        raise _fail(m, f"two runs with seed {seed} differ: its randomness must all come from rng")
    if np.array_equal(first, sample(m, p, 20, seed=seed + 1)) and len(np.unique(first, axis=0)) > 1:
        raise _fail(m, f"seeds {seed} and {seed + 1} give the same outputs: its noise does not come from rng")


def _prefix(m: Any, p: Any, seed: int) -> None:
    width = block_width(p)
    few, more = (sample(m, p, count, seed=seed) for count in (width // 2 + 1, 2 * width + 3))
    if not np.array_equal(few, more[: len(few)], equal_nan=True):
        raise _fail(m, f"{len(few)} trials are not the first of {len(more)} with the same seed")


def _workers(m: Any, p: Any, seed: int) -> None:
    trials = 2 * block_width(p) + 3
    one, two = (sample(m, p, trials, seed=seed, workers=count) for count in (1, 2))
    if not np.array_equal(one, two, equal_nan=True):
        raise _fail(m, "one worker and two give different bits: trials share state")


def _calls(m: Any, p: Any, seed: int) -> None:
    width = block_width(p)
    for trials in (1, width - 1, width):
        few, more = (np.asarray(m(p, count, stream("calls", seed))) for count in (trials, 2 * width))
        if few.shape[0] != trials or not np.array_equal(few, more[:trials], equal_nan=True):
            raise _fail(m, f"the first {trials} trials of a call depend on how many were asked for")


def _arrays(problem: Any) -> dict[str, np.ndarray]:
    attributes = {f.name: getattr(problem, f.name) for f in fields(problem)} if is_dataclass(problem) else vars(problem)
    return {name: part for name, part in attributes.items() if isinstance(part, np.ndarray)}


def _unchanged(m: Any, p: Any, seed: int) -> None:
    before = {name: part.copy() for name, part in _arrays(p).items()}
    digest = p.digest
    sample(m, p, 5, seed=seed)
    release(m, p, seed=seed)
    changed = [name for name, part in _arrays(p).items() if not np.array_equal(part, before[name], equal_nan=True)]
    if changed or p.digest != digest:
        raise _fail(m, f"it changed its input: {', '.join(changed) or 'digest'}")


def _refuses(m: Any, p: Any) -> None:
    rng = stream("refuses")
    for what, call in (
        ("trials = 0", lambda: m(p, 0, rng)),
        ("trials = 1.5", lambda: m(p, 1.5, rng)),
        ("a problem that is None", lambda: m(None, 1, rng)),
    ):
        try:
            call()
        except ValueError as refused:
            if " must be " not in str(refused):
                raise _fail(m, f"{what} is refused without saying what it must be: {refused}") from refused
        except Exception as error:
            raise _fail(m, f"{what} ends in {type(error).__name__}: {error}") from error
        else:
            raise _fail(m, f"{what} is not refused")


def _contents(m: Any, p: Any, neighbour: Any, seed: int) -> None:
    own = getattr(m, "release", None)
    contents = [
        (own(each, seed=seed) if own is not None else release(m, each, seed=seed))
        for each in (p, *(() if neighbour is None else (neighbour,)))
    ]
    for name, value in contents[0].info.items():
        if not isinstance(value, (str, int, float, type(None))):
            raise _fail(m, f"release().info[{name!r}] is no text or number")
    if neighbour is not None and contents[0].info != contents[1].info:
        first, other = (each.info for each in contents)
        differing = sorted(name for name in first.keys() | other.keys() if first.get(name) != other.get(name))
        raise _fail(
            m, f"release().info tells neighbours apart: {', '.join(differing)} (diagnostics belong in diagnose())"
        )
    if hasattr(m, "diagnose"):
        both = sorted(set(m.diagnose(p)) & set(contents[0].info) - {"sampler"})
        if both:
            raise _fail(m, f"release().info holds diagnostics: {', '.join(both)}")


def _feasible(m: Any, p: Any, feasible: Callable[[np.ndarray], Any], seed: int) -> None:
    outputs = sample(m, p, 200, seed=seed)
    inside = np.asarray(feasible(outputs), dtype=bool)
    if not inside.all():
        raise _fail(m, f"{int((~inside).sum())} of {inside.size} outputs are not where it promises them to be")


def _own_noise(m: Any) -> Callable[[Any, Any], float] | None:
    for name in _NOISE:
        if callable(getattr(m, name, None)):
            return lambda each, problem, name=name: float(getattr(each, name)(problem))  # type: ignore[misc]
    return None


def _budgets(m: Any, p: Any, noise: Callable[[Any, Any], float]) -> None:
    sizes = [noise(replace(m, epsilon=factor * m.epsilon), p) for factor in _BUDGETS]
    if any(later > earlier * (1.0 + 1e-9) for earlier, later in pairwise(sizes)):
        raise _fail(m, f"a larger epsilon gives more noise: {sizes} at {_BUDGETS} times epsilon")


def _total(m: Any, p: Any, pairs: Iterable[tuple[Any, Any]] | None, seed: int) -> None:
    said = tells_apart(m, hostile_pairs(p, HOSTILE, seed) if pairs is None else pairs, seed)
    said = said or ("" if pairs is not None else tells_apart_on_some(m, p, SEARCHED, seed))
    if said:
        raise _fail(m, said)


def _stated(m: Any, p: Any, rests_on: Iterable[str]) -> None:
    failed = unsupported(rests_on)
    said = f"its guarantee rests on what does not stand: {failed}" if failed else misstated(m, p)
    if said:
        raise _fail(m, said)


def _guarantee(m: Any, p: Any, neighbour: Any) -> None:
    profile = m.guarantee(p)
    if not isinstance(profile, Profile) or profile.kind not in ("exact", "upper"):
        raise _fail(m, f"guarantee() must be a Profile of kind 'exact' or 'upper', got {profile!r}")
    if not profile.why.strip():
        raise _fail(m, "guarantee() does not say why it holds (Profile.why)")
    deltas = [profile.delta(epsilon) for epsilon in _EPSILONS]
    if not all(0.0 <= delta <= 1.0 for delta in deltas) or any(np.diff(deltas) > 0.0):
        raise _fail(m, f"the guarantee's delta must fall from at most 1 to at least 0, got {deltas} at {_EPSILONS}")
    if neighbour is None:
        return
    others = [m.guarantee(neighbour).delta(epsilon) for epsilon in _EPSILONS]
    if others != deltas:
        raise _fail(m, f"the guarantee depends on the records: {deltas} against {others}")
    if hasattr(m, "pair_profile"):
        pair = m.pair_profile(p, neighbour)
        above = [e for e, delta in zip(_EPSILONS, deltas, strict=True) if pair.delta(e) > delta * (1.0 + 1e-9) + 1e-15]
        if pair.kind in ("exact", "lower") and above:
            raise _fail(m, f"the profile of this pair lies above the guarantee at epsilon = {above}")


def _audited(auditor: Callable[..., Any], m: Any, p: Any, neighbour: Any, trials: int, seed: int) -> None:
    profile = m.guarantee(p)
    for epsilon in (0.0, 1.0):
        delta = profile.delta(epsilon)
        if delta >= 1.0:
            continue
        claim = {"epsilon": epsilon, "delta": delta, "confidence": 1.0 - LEVEL}
        met = auditor(m, p, neighbour, trials=trials, seed=seed, **claim)
        if met.verdict == "refuted":
            said = f"not ({epsilon:g}, {delta:.3g})-private, as it says"
            raise _fail(m, f"{said}: epsilon >= {met.epsilon_lower:.3g} ({met.event})")
