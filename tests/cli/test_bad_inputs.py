"""Bad input to Python: the right message, and never an exception of another type.

Each case says which call, which parameter its message must name, and what else the message must hold (what was
wrong, or the suggestion). A message that names another parameter, or an exception of another type, fails. The cases
of problems are in `bad_calls`, mechanisms are held to their declarations in `test_mechanism`.
"""

import inspect
import math
import re
import sys
from functools import partial

import numpy as np
import pytest
from bad_calls import NOT_INTEGERS, NOT_NUMBERS, PROBLEM, each, extremes, problems
from messages import names

from dpbench import (
    InvalidInput,
    audit,
    audit_bits,
    audit_one_run,
    audit_one_run_scores,
    audit_samples,
    find_neighbours,
)
from dpbench.ledger.verify import select, verify
from dpbench.papers.glm import comparison, datasets
from dpbench.privacy import composition
from dpbench.privacy.profile import Profile, gaussian_profile, laplace_profile, pure_profile


def noise(data, trials, rng):
    return data + rng.laplace(size=trials)


def profiles():
    good = gaussian_profile(1.0, kind="exact", why="a test")
    yield from each("Profile.delta", "epsilon", good.delta, (*NOT_NUMBERS, -1.0))
    yield from each("Profile.epsilon", "delta", good.epsilon, (*NOT_NUMBERS, -0.1, 1.0))
    for make, name in ((gaussian_profile, "mu"), (laplace_profile, "shift"), (pure_profile, "epsilon")):
        yield from each(make.__name__, name, lambda v, m=make: m(v, kind="upper", why=""), (math.nan, -1.0, "1", None))
    yield from each("Profile", "kind", lambda v: Profile(v, "", float), ("uper", None, 1))
    yield from each("Profile", "neighbours", lambda v: Profile("upper", "", float, None, v), ("swap", None))


def compositions():
    for call in (composition.compose, composition.parallel):
        yield from each(call.__name__, "parts", call, ([3], None, [], 3, "x", [gaussian_profile, 1]))
    for call in (composition.basic, composition.optimal):
        values = ([1], None, [], 3, "xy", [(1.0,)], [(1.0, 0.1, 0.2)])
        yield from each(call.__name__, "parts", lambda v, c=call: c(v, why="a test"), values)
        yield f"{call.__name__}(a bad delta)", lambda c=call: c([(1.0, 2.0)], why=""), "delta", "2.0"


ARRAYS = np.random.default_rng(0).laplace(size=(2, 200))
AUDITS = {
    "audit": (audit, {"sampler": noise, "dataset": 0.0, "neighbour": 1.0, "trials": 1000}),
    "audit_bits": (audit_bits, {"sampler": noise, "dataset": 0.0, "neighbour": 1.0, "trials": 1000}),
    "audit_samples": (audit_samples, {"outputs": ARRAYS[0], "neighbour_outputs": ARRAYS[1]}),
    "audit_one_run": (audit_one_run, {"run": lambda coins, rng: rng.random(len(coins)), "canaries": 20}),
    "audit_one_run_scores": (audit_one_run_scores, {"included": np.arange(200) % 2, "scores": ARRAYS[0]}),
    "find_neighbours": (find_neighbours, {"sampler": noise, "domain": {"records": 3}, "trials": 1000}),
}
WRONG = {
    "epsilon": (math.nan, math.inf, "1", True, -1.0, [1.0]),
    "delta": (math.nan, "0", None, True, -0.1, 1.0),
    "trials": (*NOT_INTEGERS, 0, -5, 10),
    "confidence": (0.0, 1.0, 2, -1.0, math.nan, "high", None),
    "seed": (-1, 0.5, "0", None),
    "workers": (0, -1, 1.5, "2", None),
    "progress": (3, "bar"),
    "gap": (-3, 0.0, "x", None),
    "budget": ("x", 10, 1.5, None),
    "sampler": (None, 3, "noise"),
    "run": (None, 3, "noise"),
}


def audits():
    """Each way to audit, each of its parameters that has values which are always wrong."""
    for name, (function, good) in AUDITS.items():
        taken = inspect.signature(function).parameters
        for parameter in filter(taken.__contains__, WRONG):
            yield from each(
                name, parameter, lambda v, p=parameter, f=function, g=good: f(**{**g, p: v}), WRONG[parameter]
            )
        if "claim" in taken:
            call = partial(function, **good, epsilon=1.0, claim={"mu": 1.0})
            yield f"{name}(epsilon beside claim)", call, "epsilon", "left out beside claim"
    yield "audit(auto alone)", partial(audit, noise, 0.0, 1.0, trials="auto"), "epsilon", "given with trials="

    def run(**change):
        return audit(**{**AUDITS["audit"][1], **change})

    outputs = (
        ("wrong length", lambda d, t, r: np.zeros(t + 1)),
        ("three axes", lambda d, t, r: np.zeros((t, 2, 2))),
        ("text", lambda d, t, r: "text"),
        ("None", lambda d, t, r: None),
        ("objects", lambda d, t, r: np.array([object()] * t)),
        ("raises", lambda d, t, r: 1 // 0),
        ("leaves", lambda d, t, r: sys.exit(0)),
    )
    for what, sampler in outputs:
        yield f"audit(sampler returns {what})", lambda s=sampler: run(sampler=s), "sampler", ""
        yield (
            f"audit(sampler on threads returns {what})",
            lambda s=sampler: run(sampler=s, workers=2, trials=40_000),
            "sampler",
            "",
        )
    yield "audit_one_run(leaves)", lambda: audit_one_run(lambda coins, rng: sys.exit(0), 10), "run", "SystemExit"


def runs():
    yield from each("verify", "claims", verify, ("nothing.*", "", 3, []))
    yield (
        "verify(claims=typo)",
        lambda: verify("glm.thm1.privacy.exat"),
        "claims",
        "did you mean glm.thm1.privacy.exact?",
    )
    one = "glm.thm1.privacy.exact"
    yield from each("verify", "paper", lambda v: verify(paper=v), ("gml", 3, ""))
    yield from each("verify", "kind", lambda v: verify(kind=v), ("privcy", 3, ""))
    yield from each("verify", "level", lambda v: verify(one, level=v), ("quik", None, 3))
    yield from each("verify", "seed", lambda v: verify(one, seed=v), (-1, 0.5, "0", None))
    yield from each("verify", "workers", lambda v: verify(one, workers=v), (0, -1, 1.5, "2"))
    yield from each("verify", "progress", lambda v: verify(one, progress=v), (3, "bar", print))
    yield from each("verify", "store", lambda v: verify(one, store=v), (3, b"x"))
    yield "select(nothing fits)", lambda: select(one, kind="rate"), "claims", "some entry"
    yield from each("load", "name", datasets.load, ("", None, 3))
    yield "load(diabtes)", lambda: datasets.load("diabtes"), "name", "did you mean diabetes?"
    yield from each("load", "radius", lambda v: datasets.load("diabetes", radius=v), (0.0, -1.0, "1", None))
    yield "load(loss)", lambda: datasets.load("diabetes", loss="logistic"), "loss", "'logistic'"
    yield "load(loss typo)", lambda: datasets.load("diabetes", loss="hubr"), "loss", "did you mean huber?"

    def compare(**change):
        given = {"algorithms": ["noisy-gd"], "epsilons": [1.0], "trials": 4, **change}
        best = comparison.Fit(np.zeros(2), 0.0, 0.0)
        return list(comparison.compare(PROBLEM, best, given.pop("algorithms"), given.pop("epsilons"), **given))

    yield (
        "compare(algorithms)",
        lambda: compare(algorithms=["noisy-dg"]),
        "algorithm",
        "did you mean noisy-gd?",
    )
    yield "compare(no epsilons)", lambda: compare(epsilons=[]), "epsilon", "[]"
    yield from each("compare", "epsilon", lambda v: compare(epsilons=[v]), (0.0, -1.0, math.nan, "1"))
    yield from each("compare", "delta", lambda v: compare(delta=v), (0.0, 1.0, -1.0, "1"))
    yield from each("compare", "trials", lambda v: compare(trials=v), (1, 0, 2.5, "4"))
    yield from each("compare", "confidence", lambda v: compare(confidence=v), (0.0, 1.0, "95%"))
    yield from each("compare", "seed", lambda v: compare(seed=v), (-1, 0.5))
    yield from each("compare", "workers", lambda v: compare(workers=v), (0, "2"))


PYTHON = (*problems(), *extremes(), *profiles(), *compositions(), *audits(), *runs())


def test_a_message_that_names_another_parameter_would_be_seen():
    assert names("delta must be a number in (0, 1), got 'epsilon'", "delta")
    assert not names("delta must be a number in (0, 1), got 'epsilon'", "epsilon")
    assert not names("y_bound must be a finite number > 0, got 0", "y")
    assert not names("something went wrong", "epsilon")


@pytest.mark.parametrize(
    ("call", "parameter", "holds"),
    [case[1:] for case in PYTHON],
    ids=[re.sub(r" at 0x\w+", "", case[0]) for case in PYTHON],  # equal in every process
)
def test_python(call, parameter, holds):
    with pytest.raises(InvalidInput) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    assert names(message, parameter), message
    assert holds in message


def test_control_c_in_a_sampler_is_no_bad_input():
    def stopped(data, trials, rng):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(stopped, 0.0, 1.0, trials=200)
