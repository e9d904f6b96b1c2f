"""The heavy-tailed paper line by line, in plain Python: ψ, the truncated risk, the net, Algorithms 1 and 2."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import mpmath


def psi(x: float, theta: float) -> float:
    """Equations 6 and 16."""
    if x < 0.0:
        return -psi(-x, theta)
    if x >= 1.0:
        return math.log(theta)
    return -math.log(1.0 - x + x**theta / theta)


def score(X: Sequence[Sequence[float]], y: Sequence[float], w: Sequence[float], iota: float, theta: float) -> float:
    """nι times equation 2."""
    terms = []
    for x, response in zip(X, y, strict=True):
        prediction = math.fsum(a * b for a, b in zip(x, w, strict=True))
        terms.append(psi(iota * abs(response - prediction), theta))
    return math.fsum(terms)


def net(dimension: int, radius: float, domain: str, steps: int) -> list[tuple[int, ...]]:
    """Integer vectors k with (radius/steps)·k in the domain, in lexicographic order."""
    axis = range(-steps, steps + 1)
    cube = itertools.product(axis, repeat=dimension)
    if domain == "box":
        return list(cube)
    return [k for k in cube if sum(j * j for j in k) <= steps * steps]


def probabilities(scores: Sequence[float], epsilon: float, theta: float, share: float) -> list[float]:
    """∝ exp(−share·ε·(nιL̂)/log θ): share 1 as Algorithms 1 and 2 print it, 1/2 by the sensitivity log θ."""
    least = min(scores)
    weights = [math.exp(-share * epsilon * (s - least) / math.log(theta)) for s in scores]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def geometric(t: float, count: int) -> list[float]:
    """Probabilities ∝ e^{tk}, k = 0, …, count − 1."""
    top = max(0.0, t * (count - 1))
    weights = [math.exp(t * k - top) for k in range(count)]
    return [weight / math.fsum(weights) for weight in weights]


def complement(residual: float, iota: float, theta: float) -> float:
    """e^{−ψ(ι|r|)}."""
    return math.exp(-psi(iota * abs(residual), theta))


def log_geometric(t: float, count: int) -> float:
    """log Σ_{k<count} e^{tk}."""
    top = max(0.0, t * (count - 1))
    return top + math.log(math.fsum(math.exp(t * k - top) for k in range(count)))


def geometric_quantile(t: float, count: int, u: float) -> int:
    """The k at which the distribution function passes u; counted from the likelier end."""
    if t > 0.0:
        return count - 1 - geometric_quantile(-t, count, u)
    passed = 0.0
    for k, chance in enumerate(geometric(t, count)):
        passed += chance
        if passed > u:
            return k
    return count - 1


def lattice(low: Sequence[int], high: Sequence[int]) -> list[tuple[int, ...]]:
    """All integer points of a box."""
    return list(itertools.product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))))


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """⟨a, b⟩."""
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def log_mass(
    constant: float, slopes: Sequence[float], low: Sequence[int], high: Sequence[int], spacing: float, weight: float
) -> float:
    """log Σ exp(−weight·(A + ⟨b, w⟩)) over the lattice points w of a box, one by one."""
    logs = [-weight * (constant + dot(slopes, [spacing * k for k in point])) for point in lattice(low, high)]
    return max(logs) + math.log(math.fsum(math.exp(value - max(logs)) for value in logs))


def lift(t: Sequence[int], shear: Sequence[Sequence[float]]) -> list[int]:
    """The lattice point of sheared coordinates: k_j = t_j + round(Σ_{l>j} M_jl·k_l), the last axis first."""
    k = [0] * len(t)
    for j in reversed(range(len(t))):
        k[j] = int(t[j]) + round(sum(shear[j][m] * k[m] for m in range(j + 1, len(t))))
    return k


def unsheared(features: Sequence[Sequence[float]], shear: Sequence[Sequence[float]]) -> list[list[float]]:
    """The features x' of the coordinates: ⟨x, k⟩ = ⟨x', k − M·k⟩, so x' solves x' − Mᵀx' = x, axis by axis."""
    made = []
    for x in features:
        row: list[float] = []
        for j in range(len(x)):
            row.append(x[j] + sum(shear[m][j] * row[m] for m in range(j)))
        made.append(row)
    return made


def belongs(k: Sequence[int], resolution: int, ball: int) -> bool:
    """Whether an integer vector is in the net."""
    return sum(j * j for j in k) <= resolution**2 if ball else max(map(abs, k)) <= resolution


def proposal(
    records: tuple[Sequence[Sequence[float]], Sequence[float]],
    parameters: tuple[float, float, float, float, int, int],
    shear: Sequence[Sequence[float]],
    box: tuple[Sequence[int], Sequence[int], float, Sequence[float]],
    uniforms: Sequence[float],
) -> tuple[list[int], float]:
    """A lattice point, its coordinates from the law ∝ e^{−weight·⟨b, h·t⟩} on a box, and log(weight/bound) there.

    `parameters` are ι, θ, weight, spacing h, the steps m from the centre to the boundary, and 1 for a ball.
    """  # fmt: skip
    (iota, theta, weight, spacing, resolution, ball), (low, high, constant, slopes) = parameters, box
    t = [
        a + geometric_quantile(-weight * spacing * slope, b - a + 1, u)
        for a, b, slope, u in zip(low, high, slopes, uniforms, strict=True)
    ]
    k = lift(t, shear)
    if not belongs(k, resolution, ball):
        return k, -math.inf
    bound = constant + dot(slopes, [spacing * j for j in t])
    return k, -weight * (score(*records, [spacing * j for j in k], iota, theta) - bound)


def exponents(
    X: Sequence[Sequence[float]], y: Sequence[float], points: Sequence[Sequence[float]], iota: float, theta: float,
    inverse: float, largest: int,
) -> list[int]:  # fmt: skip
    """Σ_i of ψ in whole steps of 1/`inverse`, rounded to the nearest, at most `largest`; less the least of all points.

    ψ of equation 16 to forty digits. A residual that is not a number counts `largest`.
    """
    sums = []
    with mpmath.workdps(40):
        for w in points:
            total = 0
            for x, response in zip(X, y, strict=True):
                r = mpmath.mpf(response) - mpmath.fsum(mpmath.mpf(a) * b for a, b in zip(x, w, strict=True))
                v = iota * abs(r)
                if mpmath.isnan(v) or v >= 1:
                    total += largest
                else:
                    psi_of_v = -mpmath.log(1 - v + v**theta / mpmath.mpf(theta))
                    total += min(int(mpmath.floor(psi_of_v * inverse + mpmath.mpf(1) / 2)), largest)
            sums.append(total)
    return [total - min(sums) for total in sums]
