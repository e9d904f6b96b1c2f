"""Accountants of Opacus and jax-privacy, as released, at the settings of public reports, read by `check_accountant`."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import dpbench

REPORTS = {
    "opacus 643": (3.0, 0.2, 50, 1 / 48_000),
    "opacus 715": (0.6, 0.05, 10, 1e-5),
    "tensorflow/privacy 97": (1.3, 1 / 60, 900, 1e-5),
}
"""σ, q, T and δ."""
LIMIT = "the central limit of Gaussian differential privacy"


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("mechanism", ["gdp", "rdp", "prv"])
def test_opacus(mechanism: str, report: str) -> None:
    """The central limit understates ε, and is named; Rényi and numerical accounting do not."""
    accountants = pytest.importorskip("opacus.accountants", reason="pip install opacus", exc_type=ImportError)
    sigma, q, steps, delta = REPORTS[report]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        accountant: Any = accountants.create_accountant(mechanism)
        accountant.history = [(sigma, q, steps)]
        found = dpbench.check_accountant(accountant, delta=delta)
    assert (found.verdict, found.slips) == (("refuted", (LIMIT,)) if mechanism == "gdp" else ("holds", ()))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # its dependencies move
@pytest.mark.parametrize("config", ["PldAccountantConfig", "RdpAccountantConfig"])
@pytest.mark.parametrize("report", REPORTS)
def test_jax_privacy(report: str, config: str) -> None:
    """Neither of its accountants says less than the exact ε."""
    accounting = pytest.importorskip("jax_privacy.accounting", reason="pip install 'dpbench-libraries[libraries]'")
    sigma, q, steps, delta = REPORTS[report]
    accountant = accounting.DpsgdTrainingAccountant(getattr(accounting, config)())
    params = accounting.DpParams(
        noise_multipliers=sigma, num_samples=60_000, batch_size=round(60_000 * q), delta=delta
    )  # fmt: skip
    epsilon = float(accountant.compute_epsilon(steps, params))
    mechanism = {"noise_multiplier": sigma, "sampling_rate": q, "steps": steps}
    found = dpbench.check_accountant(mechanism, epsilon, delta)
    assert found.verdict != "refuted" and found.slips == ()
