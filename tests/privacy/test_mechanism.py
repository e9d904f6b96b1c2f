"""What each parameter of our mechanisms refuses, as its declared constraint says."""

import math
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import registry

from dpbench import InvalidInput
from dpbench.core import validation
from dpbench.core.validation import LARGEST_SIZE, LEAST_SIZE
from dpbench.papers.glm.algorithms.noisy_gd import NoisyGD
from dpbench.papers.glm.algorithms.noisy_mean import NoisyMean
from dpbench.papers.heavytail.algorithms.baselines import ClippedSubgradient
from dpbench.privacy import mechanism as base
from dpbench.privacy.mechanism import Mechanism, constraints

GIVEN = {"base": NoisyGD(1.0, 1e-5), "epsilon": 1.0, "delta": 1e-5}
OUTSIDE = {
    "epsilon": (0.0,),
    "delta": (1.0,),
    "beta": (0.0, 1.0),
    "failure_probability": (0.0, 1.0),
    **dict.fromkeys(("steps", "calls", "models", "candidates", "dimension", "boxes"), (0,)),
    **dict.fromkeys(("clip", "net_radius", "truncation", "shrink", "step_size"), (0.0,)),
    **dict.fromkeys(
        ("distortion", "regularization", "perturbation", "tolerance", "noise_constant", "dimension_constant"),
        (0.0, 1.1 * LARGEST_SIZE),
    ),
    "noise_scale": (-1e-9, 1.1 * LARGEST_SIZE),
    "theorem": (1,),
    "constrained": (1,),
    "arithmetic": ("rational",),
    "calibration": ("tight",),
    "noise": ("uniform",),
    "normalization": ("max",),
    "map": ("hadamard",),
    "sampler": ("mcmc",),
    "composition": ("renyi",),
    "base": (None,),
}
"""What each parameter must refuse, written down beside the declarations."""
NO_NUMBERS = (math.nan, -math.inf, "1", True, [1.0], 1j, np.ones(2), -(10**5000))


def mechanisms(kind=Mechanism):
    for below in kind.__subclasses__():
        yield from mechanisms(below)
        if is_dataclass(below) and ".algorithms." in below.__module__:
            yield below


def refused(check):
    """Values on the wrong side of each limit of a constraint, and of the wrong type."""
    function, limits = getattr(check, "func", check), getattr(check, "keywords", {})
    if function is validation.real:
        edges = (limits["above"], limits["above"] - 1.0) if "above" in limits else (limits["at_least"] - 1e-9,)
        beyond = (1.1 * LARGEST_SIZE, 0.9 * LEAST_SIZE) if limits.get("size") else ()
        return (*NO_NUMBERS, math.inf, 10**400, Fraction(10**400), *edges, *beyond)
    if function is validation.integer:
        return (*NO_NUMBERS, 1.5, limits["at_least"] - 1)
    if function is validation.choice:
        return (1, True, "", limits["options"][0].upper(), limits["options"][0][:-1], ["float"])
    if function is base.number_of:
        return (*NO_NUMBERS, *map(float, limits["options"]), 1, np.array(limits["options"]))
    return {
        base._delta: (*NO_NUMBERS, -0.1, 1.0, *([0.0] if limits.get("positive") else [])),
        validation.fraction: (*NO_NUMBERS, 0.0, 1.0),
        base._flag: (1, "yes", 0.0),
        base._float_alone: ("exact", "flaot", 1),
    }.get(function, (None, 0, -1.0, "x", NoisyGD))  # a constraint of one mechanism


@pytest.mark.parametrize("kind", list(mechanisms()), ids=lambda kind: kind.__name__)
def test_each_parameter_refuses_what_its_constraint_says_by_name(kind):
    given = {f.name: GIVEN[f.name] for f in fields(kind) if f.default is MISSING or f.name == "delta"}
    assert set(constraints(kind)) == {f.name for f in fields(kind)}
    kind(**given)
    for name, (check, optional) in constraints(kind).items():
        if optional:
            kind(**{**given, name: None})
        for value in (*refused(check), *([] if optional else [None])):
            with pytest.raises(InvalidInput, match=rf"^{name} must be .*got ") as caught:
                kind(**{**given, name: value})
            assert len(str(caught.value)) < 250, "of a number of thousands of digits, too"


@pytest.mark.parametrize("kind", list(mechanisms()), ids=lambda kind: kind.__name__)
def test_declarations_are_no_wider_than_they_should_be(kind):
    """A whole number is kept as a float where one is declared: equal mechanisms have equal seeds."""
    given = {f.name: GIVEN[f.name] for f in fields(kind) if f.default is MISSING or f.name == "delta"}
    for name in constraints(kind):
        for value in OUTSIDE[name]:
            with pytest.raises(InvalidInput, match=rf"^{name} must be"):
                kind(**{**given, name: value})
    assert isinstance(kind(**{**given, "epsilon": 1}).epsilon, float)
    if "delta" in given and getattr(kind, "noise", "") != "laplace":
        with pytest.raises(InvalidInput, match=r"^delta must be"):
            kind(**{**given, "delta": 0.0})
    if "noise" in constraints(kind):
        with pytest.raises(InvalidInput, match=r"^delta must be"):
            kind(**{**given, "delta": 0.0, "noise": "gaussian"})
    if "noise_scale" in constraints(kind):
        assert kind(**{**given, "noise_scale": 0}).noise_scale == 0.0


def test_every_mechanism_is_met():
    assert {type(case.make()) for case in registry.REGISTRY} | {NoisyMean, ClippedSubgradient} == set(mechanisms())


def test_a_typing_error_names_the_nearest_option():
    with pytest.raises(InvalidInput, match=r"did you mean exact\?"):
        NoisyGD(1.0, 1e-5, calibration="exat")


class Known(Mechanism):
    """Whose problems are (their guarantee, how many records they are from any other)."""

    def checked(self, problem):
        return problem

    def _guarantee(self, problem):
        return problem.profile


def test_a_pair_has_the_guarantee_where_at_most_one_record_differs():
    for apart in (0, 1):
        problem = SimpleNamespace(profile="of one record", records_apart=lambda neighbour, apart=apart: apart)
        assert Known().pair_profile(problem, None) == "of one record"
    problem = SimpleNamespace(profile="of one record", records_apart=lambda neighbour: 2)
    with pytest.raises(InvalidInput, match="one record apart"):
        Known().pair_profile(problem, None)
