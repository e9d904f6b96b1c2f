"""Lemma 12: inner products under a random map, with exact probabilities."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dpbench.ledger.harness import margins
from dpbench.ledger.measurement import Context, Evidence
from dpbench.papers.glm.theorems import paper

ALPHAS = (Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(3, 4), Fraction(1), Fraction(2))
VECTORS = ((5, 0), (0, 5), (3, 4), (4, 3), (4, -3), (-5, 0), (-3, -4))
"""Of one length: for unit vectors the lemma's proof polarises, and integers make every probability exact."""
LAWS: dict[str, dict[int, Fraction]] = {
    "rademacher": {1: Fraction(1, 2), -1: Fraction(1, 2)},
    "sparse": {1: Fraction(1, 6), 0: Fraction(2, 3), -1: Fraction(1, 6)},
}
_PARTS = {"rademacher": 2, "sparse": 6}  # of which each probability is a whole number: sums are counted in integers
_SQUARE = {"rademacher": 1, "sparse": 3}  # the square of an entry that is not 0, times k


def normal_sides(k: int, alpha: float, cosine: float, nodes: int) -> tuple[float, float]:
    """P(|⟨Φu, Φv⟩ − ⟨u, v⟩| > α) and 2β for unit vectors and the normal map.

    u + v and u − v are orthogonal, so ⟨Φu, Φv⟩ = ((1 + c)A − (1 − c)C)/2 with independent A, C ~ χ²_k/k; the
    mean over C is taken at the middles of `nodes` cells of equal probability.
    """
    from scipy.stats import chi2

    c = _middles(k, nodes)
    with np.errstate(divide="ignore", invalid="ignore"):
        middle, half = (1.0 - cosine) * (c - 1.0), 2.0 * alpha
        if cosine == -1.0:
            left = np.abs(middle) > half
        else:
            low, high = ((middle + side * half) / (1.0 + cosine) + 1.0 for side in (-1.0, 1.0))
            left = chi2.cdf(k * low, k) + chi2.sf(k * high, k)
    beta = chi2.cdf(k * (1.0 - alpha), k) + chi2.sf(k * (1.0 + alpha), k)
    return float(np.mean(left)), 2.0 * float(beta)


@lru_cache(maxsize=8)
def _middles(k: int, nodes: int) -> np.ndarray:
    """χ²_k/k at the middles of cells of equal probability."""
    from scipy.stats import chi2

    return chi2.ppf((np.arange(nodes) + 0.5) / nodes, k) / k


def counted_sides(
    law: str, k: int, u: tuple[int, int], v: tuple[int, int], alpha: Fraction
) -> tuple[Fraction, Fraction]:
    """The failure probability of ⟨Φu, Φv⟩ and the sum of those of ‖Φ(u + v)‖ and ‖Φ(u − v)‖, all maps counted."""
    left = right = 0
    plus, minus = (u[0] + v[0], u[1] + v[1]), (u[0] - v[0], u[1] - v[1])
    pairs = (u, v), (plus, plus), (minus, minus)
    means = [k * _dot(a, b) for a, b in pairs]
    most = [math.floor(alpha * k * length) for length in (_dot(u, u), _dot(plus, plus), _dot(minus, minus))]
    for ways, inner, summed, differed in _products(law, k, pairs):
        left += ways * (abs(inner - means[0]) > most[0])  # an integer is above alpha's bound where above its floor
        right += ways * ((abs(summed - means[1]) > most[1]) + (abs(differed - means[2]) > most[2]))
    total = _PARTS[law] ** (2 * k)
    return Fraction(left, total), Fraction(right, total)


def smallest_margin(law: str, k: int, u: tuple[int, int], v: tuple[int, int], alpha: Fraction) -> Fraction:
    """(right − left)/right of `counted_sides`; 1 where neither ever fails, −1 where only the left does."""
    left, right = counted_sides(law, k, u, v, alpha)
    return (right - left) / right if right else Fraction(-1 if left else 1)


def _dot(a: tuple[int, int], b: tuple[int, int]) -> int:
    return a[0] * b[0] + a[1] * b[1]


@lru_cache(maxsize=256)  # asked for at every α
def _products(
    law: str, k: int, pairs: tuple[tuple[tuple[int, int], tuple[int, int]], ...]
) -> tuple[tuple[int, ...], ...]:
    """(ways, k⟨Φa, Φb⟩ for each pair) over the joint law of the sums of k independent rows; ways of `_PARTS`^(2k)."""
    if k == 0:
        return ((1, *(0 for _ in pairs)),)
    grown: dict[tuple[int, ...], int] = {}
    weights = [(entry, int(chance * _PARTS[law])) for entry, chance in LAWS[law].items()]
    for (x, p), (y, q) in itertools.product(weights, repeat=2):
        added = [_SQUARE[law] * _dot((x, y), a) * _dot((x, y), b) for a, b in pairs]
        for ways, *sums in _products(law, k - 1, pairs):
            reached = tuple(s + t for s, t in zip(sums, added, strict=True))
            grown[reached] = grown.get(reached, 0) + ways * p * q
    return tuple((ways, *sums) for sums, ways in grown.items())


@paper.inequality(
    "lemma12",
    source="Lemma 12",
    expected="not refuted",
    statement="If each vector's squared norm is kept to 1 +- alpha with probability 1 - beta, then <Phi u, Phi v> is "
    "within alpha|u||v| of <u, v> with probability 1 - 2 beta.",
    because="<Phi u, Phi v> = (|Phi(u + v)|^2 - |Phi(u - v)|^2)/4 for unit vectors, on the two events of u + v and u "
    "- v off by at most alpha(|u + v|^2 + |u - v|^2)/4 = alpha.",
    quote=r"Then for any u, v, with probability at least  $1 - 2\beta$ ,  $|\langle \Phi u, \Phi v \rangle "
    r"- \langle u, v \rangle| \le \alpha \|u\| \|v\|$ .",
)
def lemma12(context: Context) -> Evidence:
    """Normal map by quadrature, the other two by counting."""
    nodes, most = context.pick(quick=(2_000, 4), full=(10_000, 5))
    rows: list[dict[str, Any]] = []
    for k, distortion, cosine in itertools.product(
        (1, 2, 4, 16, 64, 256), (0.05, 0.2, 0.5, 0.9, 2.0), np.linspace(-1.0, 1.0, 9).tolist()
    ):
        left, right = normal_sides(k, distortion, cosine, nodes)
        if right > 100.0 / nodes:  # where the quadrature's error, below 1/nodes, does not count
            rows.append({"map": "normal", "k": k, "alpha": distortion, "margin": 1.0 - left / right})
    for law, k in itertools.product(LAWS, range(1, most + 1)):
        pairs = list(itertools.combinations(VECTORS, 2))
        smallest = np.array([[float(smallest_margin(law, k, u, v, a)) for a in ALPHAS] for u, v in pairs]).min(axis=0)
        rows += [
            {"map": law, "k": k, "alpha": float(a), "margin": m} for a, m in zip(ALPHAS, smallest.tolist(), strict=True)
        ]
    smallest = float(np.min([row["margin"] for row in rows]))
    return margins(
        rows,
        "value: the smallest (right - left)/right, left the chance that the inner product fails",
        "normal map: right = 2 beta, exact; Rademacher and sparse maps in two dimensions: right = the summed "
        "chances that u + v and u - v fail, which is what the proof uses; every map counted in exact fractions",
        "the proof's display drops a square (|Phi(u + v)| for its square); its conclusion stands",
        margin=smallest,
        trials=len(rows),
    )
