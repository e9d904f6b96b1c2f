"""The loops of `studies.dpsgd`: reference implementations, laws, a second route, the evidence; public reports."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpbench.privacy import gaussian
from studies import dpsgd
from tests.naive import dpsgd as naive
from tests.zoo import accountants

LOOPS = {"sampled": dpsgd.SAMPLED, "shuffled": dpsgd.SHUFFLED, "same_noise": dpsgd.SAME_NOISE}


@pytest.mark.parametrize(("loop", "here", "there", "repeats", "share"), [
    ("sampled", 2.0, 0.0, 1, 0.0), ("sampled", 2.0, 1.0, 1, 0.0), ("sampled", 1.0, 0.0, 3, 0.0),
    ("sampled", 1.0, 0.0, 1, 0.2), ("sampled", 1.0, 0.0, 1, 1.0), ("shuffled", 2.0, 1.0, 2, 0.0),
    ("shuffled", 2.0, 1.0, 2, 0.3), ("same_noise", 1.0, 0.0, 1, 0.0),
])  # fmt: skip
def test_losses_are_those_of_the_reference(loop: str, here: float, there: float, repeats: int, share: float) -> None:
    """Planted: 1% more noise, and 1% less sampling, in the reference (a run without either shows neither)."""
    q, sigma, steps = 0.25, 1.5, 4

    def reference(q: float, sigma: float, gradient: float) -> np.ndarray:
        rng = np.random.default_rng(3)
        given = gradient, here, there, q, sigma, steps, repeats, share, rng
        return np.minimum([getattr(naive, loop)(*given) for _ in range(50)], dpsgd.CERTAIN)

    for gradient in (here, there):
        found, rng = np.empty(50), np.random.default_rng(3)
        dpsgd.losses(LOOPS[loop], gradient, here, there, q, sigma, steps, repeats, share, rng, found)
        assert found == pytest.approx(reference(q, sigma, gradient), rel=1e-9, abs=1e-12)
        if share < 1.0:
            assert not np.allclose(found, reference(q, 1.01 * sigma, gradient), rtol=1e-5)
        if loop != "shuffled":
            assert not np.allclose(found, reference(0.99 * q, sigma, gradient), rtol=1e-5)


@pytest.mark.parametrize("name", [name for name, loop in dpsgd.LOOPS.items() if loop.best == 1 and loop.share < 1.0])
def test_losses_are_log_likelihood_ratios(name: str) -> None:
    """E[e^{L}] on the second data set is the probability, on the first, of what the second may show.

    Null: this identity, 200,000 runs of each, within 6 standard errors. It sees a mean that is off by 10%.
    """
    loop, runs, rng = dpsgd.LOOPS[name], 200_000, np.random.default_rng(1)
    sampler = loop.sampler(0.25, 2.0, 4, 3)
    possible = sampler(loop.here, runs, rng) < dpsgd.CERTAIN
    values = np.exp(sampler(loop.there, runs, rng))
    error = math.sqrt((possible.var() + values.var()) / runs)
    assert abs(values.mean() - possible.mean()) < 6.0 * error < 0.1


def test_what_a_seed_reused_discloses() -> None:
    """With the noise's seed reset a run is certain with probability 1 − (1 − q)^T − q^T, above δ in every cell.

    200,000 runs, 6 standard errors; it sees an error of 1%.
    """
    certain = (dpsgd.LOOPS["the noise's seed reset each step"].sampler(0.25, 2.0, 4, 1)(
        1.0, 200_000, np.random.default_rng(5)) == dpsgd.CERTAIN).mean()  # fmt: skip
    assert abs(certain - (1.0 - 0.75**4 - 0.25**4)) < 6.0 * math.sqrt(0.25 / 200_000)
    assert all(1.0 - (1.0 - q) ** steps - q**steps > dpsgd.DELTA for q, _, steps in dpsgd.CELLS)


@pytest.mark.parametrize("q", [0.01, 0.1])
def test_exact_values_by_a_second_route(q: float) -> None:
    """Those of sampling by dp-accounting, whose ε is an upper bound within its grid; shifts by a search over its δ."""
    pytest.importorskip("dp_accounting")
    low, high = dpsgd.poisson(0.5, q, 4)
    theirs = dpsgd.curve(0.5, q, 4).get_epsilon_for_delta(dpsgd.DELTA)
    assert low <= theirs and abs(theirs - high) < 0.01
    sigma, epochs = 20.0 * q, 3
    (epsilon, _), mu = dpsgd.shifted(2.0, sigma, epochs), 2.0 * math.sqrt(3.0) / sigma
    assert gaussian.delta(epsilon, mu) == pytest.approx(dpsgd.DELTA, rel=1e-9)
    theirs = dpsgd.curve(sigma / 2.0, 1.0, epochs).get_epsilon_for_delta(dpsgd.DELTA)
    assert epsilon <= theirs * (1.0 + 1e-9) and theirs - epsilon < 0.01


@pytest.mark.parametrize("name", ["shuffled batches", "Poisson sampling, as accounted"])
def test_shuffled_batches_are_refuted_and_poisson_sampling_is_not(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("dp_accounting")
    monkeypatch.setattr(dpsgd, "TRIALS", 20_000)
    row = dpsgd.audited(name, (0.1, 1.0, 10))
    assert row["verdict"] == ("refuted" if name.startswith("shuffled") else "not refuted")


@pytest.mark.few(6)
@pytest.mark.parametrize("report", accountants.REPORTS)
def test_public_reports(report: str) -> None:
    verdict, slip = accountants.REPORTS[report][-2:]
    found = accountants.check(report)
    assert found.verdict == verdict and str(found).startswith(f"{verdict}: ")
    assert (slip in str(found)) and (bool(slip) == bool(found.slips))
