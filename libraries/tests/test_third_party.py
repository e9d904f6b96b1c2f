"""Mechanisms of other libraries as users' own samplers: run where the library is installed.

diffprivlib 0.6.6 needs scikit-learn 1.6 or 1.7, so it lives in an environment of its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpbench import audit, audit_bits

pytestmark = pytest.mark.filterwarnings("ignore")
LEVEL = 1e-6
TRIALS = 30_000


def library(name: str) -> Any:
    """A module of a library, or a skipped test: not installed, or at odds with the scikit-learn at hand."""
    pytest.importorskip(name.partition(".")[0], exc_type=ImportError)
    return importlib.import_module(name)


def one_at_a_time(release: Callable[[Any], float]) -> Callable[..., np.ndarray]:
    """A sampler from a mechanism that answers once: these libraries draw from the system's entropy."""

    def sampler(data: Any, trials: int, rng: np.random.Generator) -> np.ndarray:
        return np.array([release(data) for _ in range(trials)], dtype=np.float64)

    return sampler


def holds_and_half_of_it_does_not(sampler: Any, pair: tuple[Any, Any], epsilon: float, delta: float = 0.0) -> None:
    """The claim stands at level 1e-6, and a claim of half its ε is refuted: the audit sees what there is."""
    found = audit(sampler, *pair, epsilon=epsilon, delta=delta, trials=TRIALS, confidence=1.0 - LEVEL)
    assert found.verdict == "not refuted", str(found)
    assert found.epsilon_lower > 0.5 * epsilon, str(found)


def test_diffprivlib_laplace_and_geometric() -> None:
    mechanisms = library("diffprivlib.mechanisms")
    for made in (mechanisms.Laplace(epsilon=1.0, sensitivity=1.0), mechanisms.Geometric(epsilon=1.0, sensitivity=1)):
        holds_and_half_of_it_does_not(one_at_a_time(made.randomise), (0, 1), 1.0)


def test_diffprivlib_analytic_gaussian() -> None:
    mechanisms = library("diffprivlib.mechanisms")
    made = mechanisms.GaussianAnalytic(epsilon=1.0, delta=0.05, sensitivity=1.0)
    holds_and_half_of_it_does_not(one_at_a_time(made.randomise), (0.0, 1.0), 1.0, 0.05)


def test_diffprivlib_mean_of_bounded_records() -> None:
    tools = library("diffprivlib.tools")
    data = np.zeros(4), np.array([0.0, 0.0, 0.0, 1.0])
    holds_and_half_of_it_does_not(one_at_a_time(lambda d: tools.mean(d, epsilon=1.0, bounds=(0.0, 1.0))), data, 1.0)


def test_diffprivlib_noise_is_given_away_by_its_last_bits_and_its_snapping_is_not() -> None:
    """Found with 0.6.6: the noise is drawn with care, and then added to the data in floating point."""
    mechanisms = library("diffprivlib.mechanisms")
    options = {"epsilon": 1.0, "trials": TRIALS, "confidence": 1.0 - LEVEL}
    plain = mechanisms.Laplace(epsilon=1.0, sensitivity=1.0)
    snapped = mechanisms.Snapping(epsilon=1.0, sensitivity=1.0, lower=-20.0, upper=20.0)
    found = [audit_bits(one_at_a_time(m.randomise), 0.0, 1.0, **options) for m in (plain, snapped)]
    assert [f.verdict for f in found] == ["refuted", "not refuted"]
    assert found[0].epsilon_lower > 4.0


def opendp_laplace(scale: float) -> Any:
    dp = library("opendp.prelude")
    dp.enable_features("contrib")
    return dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=scale)


def test_opendp_laplace() -> None:
    made = opendp_laplace(1.0)
    epsilon = made.map(1.0)
    assert epsilon == pytest.approx(1.0)
    holds_and_half_of_it_does_not(one_at_a_time(made), (0.0, 1.0), epsilon)


def test_opendp_laplace_passes_the_audit_of_its_bits() -> None:
    """Its noise is drawn exactly on a grid that no data move."""
    found = audit_bits(one_at_a_time(opendp_laplace(1.0)), 0.0, 1.0, epsilon=1.0, trials=TRIALS, confidence=1.0 - LEVEL)
    assert found.verdict == "not refuted", str(found)
