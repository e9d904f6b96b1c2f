"""A "proved" privacy row computes δ twice: errors that calibration and guarantee share turn it."""

import importlib
import math
from functools import partial

import numpy as np
import pytest
from scipy.stats import norm

from dpbench.core.sources import reached
from dpbench.ledger import second_route
from dpbench.ledger.harness import profiles
from dpbench.ledger.verify import verify
from dpbench.papers.publicdata import theory
from dpbench.privacy import exact_law, gaussian, integer_noise, laplace, pure
from dpbench.privacy.discrete import pair
from dpbench.privacy.profile import (
    Profile,
    approximate_profile,
    discrete_profile,
    gaussian_profile,
    laplace_profile,
    no_privacy,
    pure_profile,
)

PROFILES = {
    "gaussian": gaussian_profile(0.5, kind="upper", why=""),
    "laplace": laplace_profile(0.7, kind="upper", why=""),
    "pure": pure_profile(1.5, why=""),
    "approximate": approximate_profile(1.0, 1e-3, why=""),
    "discrete": discrete_profile(pair([0.7, 0.2, 0.1], [0.1, 0.3, 0.6]), why=""),
    "nothing": no_privacy("none"),
}


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 2.5])
def test_both_routes_agree(name, epsilon):
    profile = PROFILES[name]
    found = second_route.delta(profile.law, epsilon)
    assert float(found.mid()) == pytest.approx(profile.delta(epsilon), rel=2e-9, abs=1e-15)
    assert second_route.differs(profile.law, epsilon, 1.0, profile.delta(epsilon)) == ""


def test_composed_laws():
    """Each from the definition: lost mass and total variation come on top, "least" and "largest" are what they say."""
    law = ("gaussian", 1.0, 2.0)
    single = gaussian.delta(1.0, 0.5)
    cases = {
        ("lost", 0.01, law): 0.01 + single,
        ("blurred", law, 0.01): single + 0.01 * (1.0 + math.e),
        ("least", (law, ("pure", 0.5))): 0.0,
        ("largest", (law, ("pure", 0.5))): single,
        ("gaussian", 1.0, 0.0): 1.0,
        ("gaussian", 0.0, 1.0): 0.0,
    }
    for made, value in cases.items():
        assert float(second_route.delta(made, 1.0).mid()) == pytest.approx(value, rel=1e-9)
    assert second_route.delta(("largest", (law, ("unheard of",))), 1.0) is None
    assert second_route.differs(None, 1.0, 0.5, 0.1) == "no second route"


@pytest.mark.parametrize(
    ("low", "high", "scale"), [(0.0, 0.5, 0.7), (-0.9, 0.9, 3.0), (0.3, 0.9, 0.05), (0.2, 0.2, 1.0)]
)
def test_the_clipped_gaussian_law_by_its_definition(low, high, scale):
    """The largest P(M ≥ t) − e^ε P(M' ≥ t) over a fine grid of t in [-1, 1], and the same of the laws mirrored."""
    t = np.linspace(-1.0, 1.0, 20_001)
    for epsilon in (0.0, 0.4, 2.0, 9.0):
        found = [norm.sf((t - a) / scale) - math.exp(epsilon) * norm.sf((t - b) / scale)
                 for a, b in ((high, low), (-low, -high))]  # fmt: skip
        reached = second_route.delta(("clipped gaussian", low, high, scale), epsilon)
        assert float(reached.mid()) == pytest.approx(max(0.0, np.max(found)), rel=1e-4, abs=1e-12)


def test_the_two_routes_have_no_definition_in_common_and_one_that_has_is_refused():
    assert reached(second_route.__name__) == {second_route.__name__}
    shared = Profile("upper", "", _by_the_second_route, law=("gaussian", 0.1, 1.0))
    row = {"epsilon": 1.0, "delta": 1e-3}
    verdict, found = profiles([row | {"guarantee": shared}])
    assert verdict == "not refuted" and "the two routes to delta meet" in found.notes[-1]
    assert profiles([row | {"guarantee": gaussian_profile(0.1, kind="upper", why="")}])[0] == "proved"
    verdict, found = profiles([row | {"guarantee": Profile("upper", "", partial(min, 0.0))}])
    assert verdict == "not refuted" and "no second route" in found.notes[-1]


def test_a_second_route_that_is_reached_through_another_module_is_refused(tmp_path, monkeypatch):
    (tmp_path / "routes").mkdir()
    texts = {"__init__": "", "first": "from routes.between import delta\ndef of(epsilon): return delta(epsilon)",
             "between": "from dpbench.ledger import second_route\ndef delta(epsilon): return 0.0"}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / "routes" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    of = importlib.import_module("routes.first").of
    _, found = profiles([{"epsilon": 1.0, "delta": 1e-3, "guarantee": Profile("upper", "", of)}])
    assert "the two routes to delta meet" in found.notes[-1]


def _by_the_second_route(epsilon):
    return float(second_route.delta(("gaussian", 0.1, 1.0), epsilon).mid())


def _moved(function, place, factor):
    """The function with one argument scaled."""
    return lambda *given, **named: function(*(x * factor if i == place else x for i, x in enumerate(given)), **named)


_LOG, _SLOPE, _LAPLACE, _PURE = gaussian._log_delta, gaussian._mills_slope, laplace.delta, pure.delta


def _pure_halved(epsilon, level, failure=0.0):
    return _PURE(epsilon, 0.5 * level, failure)


def _pure_nought(epsilon, level, failure=0.0):
    return 0.0


def _laplace_shift(epsilon, shift):
    return _LAPLACE(epsilon, 0.5 * shift)


def _laplace_half(epsilon, shift):
    return 0.5 * _LAPLACE(epsilon, shift)


SHARED = {
    "delta ten times too small": (gaussian, "_log_delta", lambda e, m: _LOG(e, m) - math.log(10.0)),
    "delta a hundredth too small": (gaussian, "_log_delta", lambda e, m: _LOG(e, m) - 0.01),
    "mu halved": (gaussian, "_log_delta", _moved(_LOG, 1, 0.5)),
    "mu a hundredth too small": (gaussian, "_log_delta", _moved(_LOG, 1, 0.99)),
    "epsilon doubled": (gaussian, "_log_delta", _moved(_LOG, 0, 2.0)),
    "the slope of the Mills ratio halved": (gaussian, "_mills_slope", lambda x: 0.5 * _SLOPE(x)),
    "pure level halved": (pure, "delta", _pure_halved),
    "pure delta at nought": (pure, "delta", _pure_nought),
    "Laplace shift halved": (laplace, "delta", _laplace_shift),
    "Laplace delta halved": (laplace, "delta", _laplace_half),
}
"""Errors in what calibration and guarantee both call: module, name, and what stands there instead."""
CALIBRATED = {
    "gaussian": lambda: gaussian_profile(gaussian.mu(1.0, 1e-5), kind="upper", why=""),
    "pure": lambda: pure_profile(1.2, why=""),
    "laplace": lambda: laplace_profile(1.2, kind="upper", why=""),
}
CLAIMED = {"gaussian": 1e-5, "pure": 0.06, "laplace": 0.06}  # claimed at epsilon = 1; the last two are 0.139 and 0.095


@pytest.mark.parametrize("error", SHARED)
def test_a_shared_error_is_seen_at_the_row(error, monkeypatch):
    """With the error in place the row is within the claim by the first route alone, and not proved."""
    module, name, wrong = SHARED[error]
    kind = "gaussian" if module is gaussian else module.__name__.rpartition(".")[2]
    good = profiles([{"epsilon": 1.0, "delta": 0.2 if kind != "gaussian" else 1e-5, "guarantee": CALIBRATED[kind]()}])
    assert good[0] == "proved"
    monkeypatch.setattr(wrong, "__module__", module.__name__)  # this module imports the second route
    monkeypatch.setattr(module, name, wrong)
    profile = CALIBRATED[kind]()
    assert profile.delta(1.0) <= CLAIMED[kind]
    verdict, found = profiles([{"epsilon": 1.0, "delta": CLAIMED[kind], "guarantee": profile}])
    assert verdict == "not refuted" and "the second route gives" in found.notes[-1]


@pytest.fixture
def forgotten():
    """Noise that was calibrated before an error was planted, or under it, is forgotten: it is kept in this process."""
    _forget()
    yield
    _forget()


def _forget():
    for module in (theory, integer_noise, exact_law):
        for kept in vars(module).values():
            if hasattr(kept, "cache_clear"):
                kept.cache_clear()


ENTRIES = [
    "publicdata.lemma9.privacy.gaussian-exact", "publicdata.lemma9.privacy.laplace-exact",
    "publicdata.lemma11.privacy", "publicdata.alg3.privacy.mean", "publicdata.thm7.privacy",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("error", ["delta ten times too small", "delta a hundredth too small", "mu halved"])
def test_a_shared_error_turns_the_entries_that_it_falsifies(error, forgotten, monkeypatch):
    module, name, wrong = SHARED[error]
    monkeypatch.setattr(module, name, wrong)
    found = {entry.claim.id: entry.verdict for entry in verify(ENTRIES).entries}
    turned = {claim for claim, verdict in found.items() if verdict != "proved"}
    assert turned == set(ENTRIES) - {ENTRIES[1]}  # Laplace noise at its own epsilon needs no Gaussian formula
