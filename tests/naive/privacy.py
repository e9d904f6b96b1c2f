"""Privacy profiles from their definitions, at 60 digits; slow, and importing nothing of ours."""

import itertools

from mpmath import mp, mpf

mp.dps = 60


def gaussian_delta(epsilon, mu):
    """P(S) − e^ε Q(S), P = N(μ, 1), Q = N(0, 1), for the best S = {x : x ≥ t}, by erfc."""
    epsilon, mu = mpf(epsilon), mpf(mu)
    if mu == 0:
        return max(mpf(0), 1 - mp.exp(epsilon))
    with mp.workdps(mp.dps + max(0, int(-mp.log10(mu)))):  # the two terms agree in about that many digits
        t = epsilon / mu + mu / 2
        return mp.erfc((t - mu) / mp.sqrt(2)) / 2 - mp.exp(epsilon) * mp.erfc(t / mp.sqrt(2)) / 2


def laplace_delta(epsilon, shift):
    """P(S) − e^ε Q(S), P = Lap(0), Q = Lap(shift), for the best S = {x ≤ t}, by the distribution function."""
    epsilon, shift = mpf(epsilon), mpf(shift)
    if epsilon >= shift:
        return mpf(0)

    def below(x):
        return mp.exp(x) / 2 if x < 0 else 1 - mp.exp(-x) / 2

    t = (shift - epsilon) / 2
    return below(t) - mp.exp(epsilon) * below(t - shift)


def response(level, failure):
    """The four outcomes of the worst (ε₀, δ₀) mechanism, as (probability under P, probability under Q)."""
    level, failure = mpf(level), mpf(failure)
    yes = (1 - failure) * mp.exp(level) / (1 + mp.exp(level))
    no = (1 - failure) / (1 + mp.exp(level))
    return [(failure, mpf(0)), (yes, no), (no, yes), (mpf(0), failure)]


def composed_response_delta(epsilon, parts):
    """δ(ε) of independent `response`s, over all 4^k outcomes."""
    outcomes = []
    for chosen in itertools.product(*(response(*part) for part in parts)):
        p, q = mpf(1), mpf(1)
        for here in chosen:
            p, q = p * here[0], q * here[1]
        outcomes.append((p, q))
    return hockey_stick(epsilon, outcomes)


def hockey_stick(epsilon, outcomes):
    """Σ max(0, p − e^ε q) over the outcomes."""
    factor = mp.exp(mpf(epsilon))
    return mp.fsum(max(mpf(0), p - factor * q) for p, q in outcomes)


def pair_delta(epsilon, p, q):
    """The larger hockey-stick divergence of the two directions of two probability vectors."""
    forward = [(mpf(a), mpf(b)) for a, b in zip(p, q, strict=True)]
    return max(hockey_stick(epsilon, forward), hockey_stick(epsilon, [(b, a) for a, b in forward]))


def least_epsilon(delta_of, delta):
    """The least ε ≥ 0 with delta_of(ε) ≤ delta, by 200 halvings, to an absolute 1e-50 or so."""
    delta = mpf(delta)
    if delta_of(mpf(0)) <= delta:
        return mpf(0)
    low, high = mpf(0), mpf(1)
    while delta_of(high) > delta:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_of(middle) <= delta else (middle, high)
    return high
