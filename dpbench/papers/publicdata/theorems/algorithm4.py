"""Algorithms 4 and 5 of the public-data paper: Gaussian weights, which f̂ is released, identification sets."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from dpbench.core.sampling import stream
from dpbench.ledger.harness import growing, profiles
from dpbench.ledger.measurement import Context, Evidence, Rows
from dpbench.papers.publicdata import theory
from dpbench.papers.publicdata._separator import weighted_minimisers
from dpbench.papers.publicdata.hypotheses_finite import FiniteClass
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.rrspm import RRSPM
from dpbench.papers.publicdata.rspm import RSPM
from dpbench.papers.publicdata.theorems import paper
from dpbench.papers.publicdata.theorems.rrspm_privacy import EPSILON, all_of_epsilon, law_on_cube
from dpbench.privacy.discrete import pair
from dpbench.privacy.profile import discrete_profile, gaussian_profile

DELTA = 1e-5


@paper.privacy(
    "thm4", variant="gaussian-patterns", source="Theorem 4, Gaussian weights, with the number of labellings",
    expected="proved", rests_on=("publicdata.lemma18.inequality",),
    statement="For a class with at most N labellings of the public points, weights of standard deviation 2 sqrt(m)/"
    "mu(epsilon, delta/N) make Algorithm 4 (epsilon, delta)-DP; at most sqrt(2 m)(sqrt(log(N/delta)) + "
    "sqrt(log(N/delta) + epsilon))/epsilon.",
    because="Given the labels, v wins iff sums of independent N(0, s^2) over the sets where others differ from v pass "
    "thresholds that a record moves by at most 2: adding 2 to every weight, signed by v, makes up for it. So P(v wins) "
    "and P'(v wins) are those of a Gaussian pair 2 sqrt(m)/s apart, for each v; the sum over v, which the paper's "
    "proof takes for one v, costs the factor N <= (e m/d)^d. If log(1/delta) >= d log(e m/d), C = 4.3 is enough.",
)
def patterns(context: Context) -> Rows:
    """The union bound at both scales, over m and N; the parity cube, whose N is 2^d, within it."""
    for m, d in ((100, 1), (10_000, 1), (100_000, 10), (4096, 64), (10**6, 64)):
        size = d * math.log(math.e * m / d)
        for epsilon in (0.1, 1.0, 4.0):
            exact = theory.rrspm_gaussian_scale(m, epsilon, DELTA, size)
            root = size - math.log(DELTA)
            closed = math.sqrt(2.0 * m) * (math.sqrt(root) + math.sqrt(root + epsilon)) / epsilon
            # N times the profile of a pair is at most delta iff that profile is at most delta/N
            for scale in (closed, min(closed, exact) if exact < closed else closed):
                shift = gaussian_profile(2.0 * math.sqrt(m) / scale, kind="upper", why="a shift by 2 of each weight")
                yield {"m": float(m), "d": float(d), "scale": scale, "over_m": scale / m, "epsilon": epsilon,
                           "delta": DELTA * math.exp(-size), "guarantee": shift}  # fmt: skip
    for d in (16, 64):
        scale = theory.rrspm_gaussian_scale(d, 1.0, DELTA, d * math.log(2.0))
        for layout in ("groups", "single"):
            yield {"epsilon": 1.0, "delta": DELTA, "pair": law_on_cube(d, d, layout, "tilted", scale)}
    root = math.log(2.0 / DELTA)
    constant = math.sqrt(2.0) * (math.sqrt(2.0 * math.log(1.0 / DELTA)) + math.sqrt(2.0 * math.log(1.0 / DELTA) + 1.0))
    return (
        "value: the largest ratio of a pair's true delta to the claimed one: the cube at its proved scale",
        f"where log(1/delta) >= log N the closed form is C sqrt(m log(1/delta))/epsilon with C at most "
        f"{constant / math.sqrt(math.log(1.0 / DELTA)):.2f} at delta = {DELTA:g}, epsilon <= 1; log(2/delta) = "
        f"{root:.1f}",
    )


def least_private(d: float, epsilon: float, delta: float) -> float:
    """The least s that is private on the cube's tilted pair, one public point a bit: ½ against ½(1 − erf(√2/s))^d."""

    def broken(s: float) -> bool:
        rare = d * math.log1p(-math.erf(math.sqrt(2.0) / s))
        return 0.5 - math.exp(epsilon) * 0.5 * math.exp(rare) > delta

    low, high = 1.0, 1e3 * d / epsilon
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if broken(middle) else (low, middle)
    return low


@paper.inequality(
    "thm4", variant="gaussian-learner", source="Theorem 4, equation 21, both halves together", expected="refuted",
    holds="publicdata.thm4.privacy.gaussian-patterns",
    statement="For some C, one choice of m, polynomial in the parameters, makes Algorithm 4 with N(0, (C sqrt(m "
    "log(1/delta))/epsilon)^2) weights (epsilon, delta)-DP and, at n of (21), an (alpha, beta)-learner, for every "
    "class of VC dimension d.",
    because="Two classes of VC dimension d and sigma = 1. The cube with one public point a bit: private only if m >= c "
    "d^2/(C^2 log(1/delta)). The cube with its points in d equal groups, labels biased by 8 alpha: a bit flips with "
    "chance Phi(-1) once m reaches 8 alpha epsilon n/(C sqrt(d log(1/delta))), and the flips cost 8 alpha Phi(-1) = "
    "1.27 alpha. At n of (21) the first is larger than the second by a factor that grows as sqrt(d) but for "
    "logarithms, whatever C is. Here m is a function of the parameters; publicdata.thm4.inequality.one-class is of an "
    "m for each class. N(0, s) is read with s the standard deviation, which is the larger noise.",
)
def learner(context: Context) -> Evidence:
    """The least private m over the largest accurate one, d to 1e40, for four C's; n with log³d for what Ω̃ hides."""
    alpha, beta, epsilon, log = 0.125, 0.05, 0.125, math.log(1.0 / DELTA)
    cost = 8.0 * float(ndtr(-1.0))
    assert cost > 1.0, cost
    rows = []
    for exponent in range(16, 49, 8):
        d = 10.0**exponent
        n = d * d / (epsilon * alpha**4) * math.sqrt(log) * math.log(1.0 / beta) * math.log(d) ** 3
        safe = least_private(d, epsilon, DELTA)
        ratios = {}
        for constant in (0.5, 2.86, 20.0, 1000.0):
            private = (safe * epsilon / constant) ** 2 / log
            accurate = 8.0 * alpha * epsilon * n / (constant * math.sqrt(d * log))
            ratios[constant] = private / accurate
        rows.append({"d": d, "safe_scale": safe, "n": n, "constant": ratios[1000.0], "at_C_286": ratios[2.86]})
    first = rows[0]
    return growing(
        rows,
        "value: exponent in d of the least private m over the largest m that learns: 1/2 but for logarithms; the "
        "column constant is that ratio at C = 1000",
        f"at d = 1e16, C = 2.86, epsilon = alpha = 1/8: {first['at_C_286']:.3g}; excess of the flips {cost:.3f} alpha",
    )


_RUNS = 4096


def free_point() -> tuple[PublicDataProblem, PublicDataProblem]:
    """F = all functions on {z, x°}; z is public, the one record sits at x° with the label 1, or −1."""
    table = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    problem = PublicDataProblem([1], [1.0], [0], hypotheses=FiniteClass(table), loss="zero-one")
    return problem, problem.replace_record(0, [1], -1.0)


@paper.privacy(
    "alg4", variant="ties", source="Algorithm 4, Section 5", expected="refuted",
    holds="publicdata.alg4.privacy.ties.corrected",
    statement="Any f^ that agrees with f~ on the public data may be returned.",
    because="f~ itself agrees with f~. Where f(x0) is free given f on Z, f~(x0) is the label of a record at x0: the "
    "two laws share no outcome, epsilon is infinite. (The same holds for a warm start, and for ties broken by the "
    "data; and ERM over F restricted to Z is a minimum over all f with the same values on Z.)",
)
def ties(context: Context) -> tuple[str, Evidence]:
    """f̂ = f̃ agrees with f̃ on Z: its value at x° is the private label, in every run."""
    sides = free_point()
    shares = []
    for problem in sides:
        rng = stream(context.seed, "publicdata.ties", problem.y[0])
        scale = RRSPM(EPSILON).scale(problem)
        found = weighted_minimisers(problem, "laplace", scale, rng, _RUNS, _RUNS)
        shares.append(float((problem.hypotheses.predict(found, [1])[:, 0] == 1.0).mean()))
    # Whatever the weight at z, f(x°) is free: the minimiser has the label of the record there, with certainty.
    law = discrete_profile(pair([1.0, 0.0], [0.0, 1.0]), why="the value of the minimiser at x0 is the private label")
    assert shares == [1.0, 0.0], shares
    note = f"value: exact epsilon of the pair; f~(x0) = 1 in {shares[0]:.0%} and {shares[1]:.0%} of {_RUNS} runs"
    return profiles([{"epsilon": EPSILON, "delta": 0.0, "pair": law}], note, value=law.epsilon(0.0))


@paper.privacy(
    "alg4", variant="ties.corrected", source="Algorithm 4, f^ a fixed function of f~(Z)", expected="proved",
    rests_on=("publicdata.lemma18.inequality",),
    statement="Returning the answer of a fresh oracle call on Z labelled by f~ is epsilon-DP.",
    because="f^ is a function of f~(Z) and of what is public, so Lemma 21 and post-processing apply.",
)
def ties_corrected(context: Context) -> tuple[str, Evidence]:
    """The same pair when f̂ is a function of f̃(Z) alone: a fair coin on both sides."""
    mechanism = RRSPM(EPSILON)
    sides = free_point()
    outputs = [mechanism(problem, _RUNS, stream(context.seed, "publicdata.ties")) for problem in sides]
    same = bool(np.array_equal(outputs[0], outputs[1]))
    values = sides[0].hypotheses.predict(outputs[0], [0, 1])
    fixed = all(len(np.unique(values[values[:, 0] == z, 1])) == 1 for z in (-1.0, 1.0))
    return profiles(
        [(EPSILON, 0.0, mechanism.guarantee(sides[0]))],
        f"value: largest difference of {_RUNS} outputs on the two data sets with equal weights; f^(x0) is a function "
        "of f~(z)", value=float(np.abs(outputs[0] - outputs[1]).max()), broken=not (same and fixed),
    )  # fmt: skip


@paper.privacy(
    "alg5", source="Algorithm 5 (Neel, Roth, Vietri & Wu 2019)", expected="proved",
    rests_on=("publicdata.lemma18.inequality",),
    statement="RSPM on a universal identification set of size m with weights Lap(2m/epsilon) is epsilon-DP.",
    because="f^ is a function of f^(U), since any two functions differ on U; Lemmas 18 to 21 on U. The parity cube's "
    "pair attains epsilon.",
)
def algorithm5(context: Context) -> tuple[str, Evidence]:
    """RSPM on the parity cube, whose groups identify it: the guarantee, and the tilted pair that has all of it."""
    note = "value: largest |1 - epsilon reached/epsilon| on the tilted pair, whose points identify the class"
    return all_of_epsilon((1, 3, 64, 1024), RSPM, note)
