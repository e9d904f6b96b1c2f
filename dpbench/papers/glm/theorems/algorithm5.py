"""Algorithm 5 with the Laplace scale that Theorem 13 prints."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaln, logsumexp

from dpbench.ledger.correction import Correction
from dpbench.ledger.harness import profiles
from dpbench.ledger.measurement import Context, Evidence, Row
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.theorems import paper
from dpbench.papers.glm.theorems.theorem12 import BETA
from dpbench.privacy import discrete, selection
from dpbench.privacy.profile import Profile, discrete_profile


@paper.privacy(
    "alg5",
    variant="printed",
    source="Algorithm 5 with the Laplace scale of Theorem 13",
    expected="refuted",
    holds="glm.thm13.privacy.exact",
    statement="Report noisy max with Lap(sigma), sigma^2 = 4(Y^2 + H~ gamma^2 X^2)/(n epsilon), makes Algorithm 5 "
    "(epsilon, delta)-DP.",
    because="A record of the last chunk moves a mean loss by up to (m + 1)Delta/n, so the choice needs the scale 4(m "
    "+ 1)Delta/(n epsilon) for epsilon/2. The printed formula is that scale without m + 1 and squared: the noise is "
    "too small where n epsilon is below about (m + 1)^2 Delta, with n >= n_0 too if Y is large.",
    weight="misprint",
    hurt="corner: n epsilon below about (m + 1)^2 Delta, for example |Y| = 10, n = 190, epsilon = 1",
    quote=r"Let  $\widetilde{\sigma}^2 = \frac{4(\|\mathcal{Y}\|^2 + "
    r"\widetilde{H}\widetilde{\gamma}^2\|\mathcal{X}\|^2)}{n\epsilon}$",
    consequence="Read to the letter the Laplace scale of Algorithm 5 at |Y| = 10, n = 190, epsilon = 1 is 2.86 where "
    "160 is needed, and one record moves the choice from near certain to near impossible (true delta 0.99998 where "
    "1e-5 is claimed). As the scale itself, times m + 1, it gives epsilon/2-DP.",
    errata=Correction(
        place="Theorem 13, appendix D",
        line=936,
        effect=2,
        change="for sigma~^2 = ... read sigma~ = 4(m + 1)Delta/(n epsilon), Delta a bound on the loss of every record",
    ),
    no_certificate="its pair's profile is an integral over m noises: a Laplace maximum, which the grammar "
    "does not have",
)
def algorithm5_printed(context: Context) -> tuple[str, Evidence]:
    """Two-valued outputs of a base that ignores its data: the law of Algorithm 5 is known in closed form."""
    epsilon, delta, models = 1.0, 1e-5, theory.boosting_models(BETA)
    rows: list[Row] = []
    for y, last in ((1.0, 10), (10.0, 10), (10.0, 1_000), (100.0, 100_000), (1_000.0, 400_000)):
        n = (models + 1) * last
        gamma = y / math.sqrt(math.log(2.0))
        scale = theory.boosting_scale(2.0, 1.0, y, gamma, n, epsilon)
        tried = favours(y, last, scale, context.pick(quick=3, full=5))
        found = [coin_pair(y, last, models, scale, favour) for favour in tried]
        pair = max(found, key=lambda profile: profile.delta(epsilon))
        enough = 16.0 * gamma**2 * math.log(4.0 / BETA) ** 8 * 2.0 / y**2
        needed = 4.0 * (models + 1) * 4.0 * y**2 / (n * epsilon)
        rows.append(
            {
                "Y": y,
                "n": n,
                "n is at least n_0": n >= enough,
                "scale": scale,
                "scale_needed": needed,
                "epsilon": epsilon,
                "delta": delta,
                "pair": pair,
            }
        )
    reference = rows[1]
    return profiles(
        rows,
        f"value: the true delta at Y = {reference['Y']:g}, n = {reference['n']} where ({epsilon:g}, {delta:g}) is "
        "claimed",
        f"squared loss, B = Y, X = 1, m = {models}; the base returns +B e_1 or -B e_1 by a fair coin, so it is "
        "(0, 0)-DP, and gamma^2 = B^2/log 2; one record of the last chunk changes from (e_1, Y) to (e_1, -Y)",
        "with 4(.)/(n epsilon) read as the scale, times m + 1, as the corrected entry has it, the choice is "
        "epsilon/2-DP",
        value=reference["pair"].delta(epsilon),
    )


def favours(y: float, last: int, scale: float, count: int = 5) -> list[int]:
    """How many of the other `last` − 1 records speak for +B e_1, net: `count` values from 0 to a lead of 40 scales."""
    most = min(last - 1, math.ceil(40.0 * scale * last / (4.0 * y**2)))
    return sorted({int(k) for k in np.linspace(0, most, count)})


def coin_pair(y: float, last: int, models: int, scale: float, favour: int) -> Profile:
    """The exact profile of Algorithm 5's output on the pair above; `favour` other records are (e_1, Y).

    The remaining records are (0, 0). The loss of +B e_1 is 0 on (e_1, Y) and 4Y² on (e_1, −Y), that of −B e_1
    the reverse.
    """
    each = 4.0 * y**2 / last
    laws = [_coin_law(-favour * each - way * each, models, scale) for way in (1.0, -1.0)]
    return discrete_profile(discrete.pair_from_logs(*laws), why="law of the chosen sign")


def _coin_law(lead: float, models: int, scale: float) -> np.ndarray:
    """log P(output is ±B e_1), where the mean loss of +B e_1 is larger by `lead`; sums over the models' signs."""
    plus, minus = [], []
    for k in range(models + 1):
        weight = gammaln(models + 1) - gammaln(k + 1) - gammaln(models - k + 1) - models * math.log(2.0)
        logs = selection.noisy_max(np.where(np.arange(models) < k, lead, 0.0), scale)
        if k > 0:
            plus.append(weight + logsumexp(logs[:k]))
        if k < models:
            minus.append(weight + logsumexp(logs[k:]))
    return np.array([logsumexp(plus), logsumexp(minus)])
