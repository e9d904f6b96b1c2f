"""The Gaussian mechanism: the textbook calibration as stated, as used beyond its range, and the analytic one.

The noise of a statistic with sensitivity 1 has standard deviation σ, and the mechanism's exact profile is that of a
Gaussian shift of 1/σ: every claim here is decided without sampling.
"""

from __future__ import annotations

import math
from typing import Any

from dpbench.ledger import Context, Paper
from dpbench.ledger.statement import Integer, Real, Statement
from dpbench.ledger.statement import gaussian as gaussian_pair
from dpbench.privacy import gaussian
from dpbench.privacy.profile import gaussian_profile

paper = Paper(
    "gaussian",
    title="Improving the Gaussian Mechanism for Differential Privacy: Analytical Calibration and Optimal Denoising",
    authors=("Borja Balle", "Yu-Xiang Wang"),
    year=2018,
    url="https://arxiv.org/abs/1805.06530",
)
DELTAS = (1e-3, 1e-5, 1e-8)
SMALL, LARGE = (0.1, 0.3, 0.6, 0.9, 0.99), (2.0, 5.0, 8.0, 10.0, 20.0, 50.0)


def classical(epsilon: float, delta: float) -> float:
    """The textbook's σ for sensitivity 1."""
    return math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon


def analytic(epsilon: float, delta: float) -> float:
    """The least σ whose exact profile is within (ε, δ)."""
    return gaussian.noise(1.0, epsilon, delta)


PAIR = Statement(
    about="Noise with the textbook's sigma is {claim}.",
    symbols={"epsilon": Real("claimed", "1/100", 100), "zeros": Integer("delta is 10^-zeros", 1, 12)},
    where={"delta": "1/10^zeros", "sigma": "sqrt(2*log(5/4/delta))/epsilon"},
    region={"epsilon": "[1/100, 1)"},
    claim=gaussian_pair(shift="1", scale="sigma", epsilon="epsilon", delta="delta"),
    steps=("The outputs on the two data sets are Gaussian with standard deviation sigma, 1 apart.",),
)
"""What `dpbench hunt` searches: two data sets whose statistics are as far apart as the sensitivity lets them be."""


@paper.privacy(
    "classical",
    formulas=PAIR,
    source="Dwork and Roth (2014), Theorem A.1",
    statement="Noise with σ = √(2 ln(1.25/δ)) Δ/ε is (ε, δ)-DP for every ε in (0, 1).",
    expected="proved",
    because="δ(ε) of a Gaussian shift of 1/σ is at most 1% of δ for ε < 1 at the δ listed.",
    proof="https://arxiv.org/abs/1805.06530",
    arguments={"epsilons": SMALL},
    rows={
        "beyond": {
            "statement": "The same σ is (ε, δ)-DP for ε of 2 to 50, where the theorem says nothing and it is "
            "often used.",
            "quote": "it cannot be extended to the low privacy regime (ε → ∞)",
            "source": "Balle and Wang (2018), abstract, of the variance formula",
            "expected": "refuted",
            "because": "1/σ grows as ε, so that δ(ε) tends to 1; at δ = 1e-5 it is 2.3 δ at ε = 10 and 150 δ at "
            "ε = 20.",
            "weight": "range",
            "consequence": "The noise suffices up to ε of about 8 and fails from 10 on: at ε = 20 the true δ is 100 to "
            "160 times the claimed one. The theorem itself claims ε < 1 only.",
            "holds": "gaussian.classical.privacy.analytic",
            "formulas": PAIR.replace(region={"epsilon": "[2, 100]"}),
            "arguments": {"epsilons": LARGE},
        },
        "analytic": {
            "source": "Balle and Wang (2018), the analytic Gaussian mechanism",
            "statement": "The least σ with Φ(1/(2σ) − εσ) − e^ε Φ(−1/(2σ) − εσ) ≤ δ is (ε, δ)-DP for every ε > 0.",
            "expected": "proved",
            "because": "It is the exact profile, solved for σ.",
            "arguments": {"epsilons": SMALL + LARGE, "sigma": "analytic"},
        },
    },
)
def calibrated(run: Context, epsilons: tuple[float, ...], sigma: str = "classical") -> Any:
    """The exact profile at every (ε, δ) listed: a guarantee, and that of a pair at distance 1."""
    for delta in DELTAS:
        for epsilon in epsilons:
            noise = (classical if sigma == "classical" else analytic)(epsilon, delta)
            exact = gaussian_profile(1.0 / noise, kind="exact", why="a Gaussian shift by the sensitivity")
            yield dict(epsilon=epsilon, delta=delta, sigma=noise, guarantee=exact)
            yield dict(epsilon=epsilon, delta=delta, sigma=noise, pair=exact)


@paper.inequality(
    "saving",
    source="Balle and Wang (2018), abstract",
    quote="Our experiments show that analytical calibration removes at least a third of the variance of the noise "
    "compared to the classical Gaussian mechanism",
    statement="σ² of the analytic calibration is at most 2/3 of the classical one, for ε < 1 and δ of 1e-3 and 1e-5.",
    expected="not refuted",
    because="The ratio grows with ε and as δ falls: 0.592 at ε = 0.99, δ = 1e-5. The sentence is of experiments; at "
    "ε = 0.99, δ = 1e-8 the ratio is 0.697.",
)
def saving(run: Context) -> Any:
    """The ratio of the variances beside 2/3."""
    for delta in DELTAS[:2]:
        for epsilon in SMALL:
            ratio = (analytic(epsilon, delta) / classical(epsilon, delta)) ** 2
            yield dict(delta=delta, epsilon=epsilon, left=ratio, right=2.0 / 3.0)
