"""Training loops of DP-SGD for one record: sums of steps as they are seen, and the ratio of their densities."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm


def sampled(gradient, here, there, q, sigma, steps, repeats, share, rng):
    """Log of the density of all that is seen if the record adds `here`, over that if it adds `there`; 0 is absence."""
    seen = []
    for _ in range(steps):
        joins = gradient != 0.0 and rng.random() < q
        sums = [joins * gradient + sigma * rng.standard_normal() for _ in range(repeats)]
        seen.append(None if share > 0.0 and not joins and rng.random() < share else sums)

    def log_density(value):
        rate, total = q if value else 0.0, 0.0
        for sums in seen:
            if sums is None:
                total += math.log(share * (1.0 - rate))
            else:
                inside, outside = (np.prod(norm.pdf(sums, mean, sigma)) for mean in (value, 0.0))
                density = rate * inside + (1.0 - rate) * (1.0 - share) * outside
                total += math.log(density) if density > 0.0 else -math.inf
        return total

    return log_density(here) - log_density(there)


def shuffled(gradient, here, there, q, sigma, steps, repeats, share, rng):
    """As above, the record in one of `steps` batches of an epoch, or with probability `share` in none."""
    total = 0.0
    for _ in range(repeats):
        place = int(rng.random() * steps) if rng.random() >= share else None
        seen = [(t == place) * gradient + sigma * rng.standard_normal() for t in range(steps)]

        def log_density(value, seen=seen):
            still = norm.logpdf(seen, 0.0, sigma)
            moved = [still.sum() - still[t] + norm.logpdf(x, value, sigma) for t, x in enumerate(seen)]
            return logsumexp([*moved, still.sum()], b=[(1.0 - share) / steps] * steps + [share])

        total += log_density(here) - log_density(there)
    return total


def same_noise(gradient, here, there, q, sigma, steps, repeats, share, rng):
    """As above, one draw of noise in all steps; `there` is 0."""
    joins = [gradient != 0.0 and rng.random() < q for _ in range(steps)]
    noise = sigma * rng.standard_normal()
    if len(set(joins)) == 2:
        return math.inf
    x = joins[0] * gradient + noise
    inside, outside = norm.pdf(x, here, sigma), norm.pdf(x, 0.0, sigma)
    return math.log(((1.0 - q) ** steps * outside + q**steps * inside) / outside)
