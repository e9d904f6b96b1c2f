"""Whether counts agree with chances."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

LEVEL = 1e-6


def frequencies_agree(counts: np.ndarray, chances: np.ndarray) -> bool:
    """Null: the counts are multinomial with these chances. False alarms at most `LEVEL` (Bonferroni, exact tails).

    At 200,000 draws a chance near 0.3 that is wrong by 0.006 is caught with probability above 0.7.
    """
    trials, level = counts.sum(), LEVEL / (2.0 * counts.size)
    low, high = binom.cdf(counts, trials, chances), binom.sf(counts - 1, trials, chances)
    return bool(np.minimum(low, high).min() >= level)
