"""The parity cube: the class on which Gaussian weights of RRSPM (Algorithm 4 of the public-data paper) fail.

F = {f_v : v in {−1, 1}^d} has the value v_g on group g of public points, 1 on all other public points, and the
parity ∏ v_g at one more point x°, which is not public; its VC dimension is d. Two data sets differ in one record
at x°, all other records sit where all f agree. The weights on a group add up to noise W_g, symmetric around 0, and

    f̃ = f_v with v_g = sign(W_g), unless the other parity has a lower score at x° by more than min_g |W_g|:
    then the bit of the smallest |W_g| is flipped.

Changing the signs of two W_g changes two bits and no parity, so all v of one parity are equally likely: the parity
of the output has the whole privacy profile of the pair, and with S(t) = P(min_g |W_g| > t)

    "simple": D = {(x°, 1)}, D' = {(x°, −1)}: the parity is 1 with probability (2 − S(1))/2 and S(1)/2;
    "tilted": D = {(x°, 1), (x°, −1)}, D' = {(x°, −1), (x°, −1)}: with probability 1/2 and S(2)/2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import erfc, gammaincc, gammaln

from lowerbounds.instances import choice, count, invalid, positive, probability

LAYOUTS = ("groups", "single")
PAIRS = ("simple", "tilted")
NOISES = ("gaussian", "laplace")
_BISECTIONS = 200


@dataclass(frozen=True, eq=False)
class CubeData:
    """A data set on the parity cube.

    Attributes
    ----------
    x : int64 array, shape (n,)
        Points by number: 0 to d − 1 the groups, d where all f agree, d + 1 is x°.
    y : float64 array, shape (n,)
        Labels −1 or 1.
    public : int64 array, shape (m,)
        The public points.
    """

    x: np.ndarray
    y: np.ndarray
    public: np.ndarray


@dataclass(frozen=True, eq=False)
class ParityCube:
    """A pair of neighbouring data sets on the parity cube and the exact law of the output's parity on both.

    Attributes
    ----------
    bits, public : int
        d and m.
    pair, layout : str
    sizes : int64 array, shape (d,)
        Public points of each group.
    dataset, neighbour : CubeData
    """

    bits: int
    public: int
    pair: str
    layout: str
    sizes: np.ndarray
    dataset: CubeData
    neighbour: CubeData

    def log_survival(self, threshold: float, noise: str, scale: float) -> float:
        """log P(min_g |W_g| > threshold) for weights of this scale.

        Parameters
        ----------
        threshold : float
            At least 0.
        noise : {"gaussian", "laplace"}
        scale : float
            Standard deviation, or scale b of the density exp(−|x|/b)/(2b), of each weight.
        """
        choice("noise", noise, NOISES)
        scale = positive("scale", scale)
        groups, counts = np.unique(self.sizes, return_counts=True)
        tails = [_tail(int(k), threshold / scale, noise) for k in groups]
        return float(sum(n * (math.log(t) if t > 0.0 else -math.inf) for t, n in zip(tails, counts, strict=True)))

    def log_laws(self, noise: str, scale: float) -> tuple[np.ndarray, np.ndarray]:
        """Log-probabilities of the parities −1 and 1, on the data set and on the neighbour, exact to 1e-12."""
        gap = 1.0 if self.pair == "simple" else 2.0
        low = self.log_survival(gap, noise, scale) - math.log(2.0)
        rare = np.array([math.log1p(-math.exp(low)), low])  # the law of (−1, 1) on the neighbour
        if self.pair == "simple":
            return rare[::-1].copy(), rare
        return np.full(2, -math.log(2.0)), rare

    def least_scale(self, noise: str, epsilon: float, delta: float = 0.0) -> float:
        """The least scale of the weights with which this pair is (ε, δ)-indistinguishable, rounded up.

        The pair is, iff S(1) ≥ 2(1 − δ)/(1 + e^ε) (simple), S(2) ≥ (1 − 2δ)e^{−ε} (tilted).
        """
        epsilon, delta = positive("epsilon", epsilon), probability("delta", delta)
        if self.pair == "simple":
            gap, wanted = 1.0, math.log(2.0) + math.log1p(-delta) - np.logaddexp(0.0, epsilon)
        elif delta >= 0.5:
            return 0.0
        else:
            gap, wanted = 2.0, math.log1p(-2.0 * delta) - epsilon
        low, high = 0.0, 1.0
        while self.log_survival(gap, noise, high) < wanted:
            low, high = high, 2.0 * high
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            low, high = (low, middle) if self.log_survival(gap, noise, middle) >= wanted else (middle, high)
        return high


def parity_cube(bits: int, public: int | None = None, *, pair: str = "tilted", layout: str = "groups") -> ParityCube:
    """A pair of neighbouring data sets that tells how private RRSPM's weights are.

    Parameters
    ----------
    bits : int
        d, the VC dimension.
    public : int, optional
        m ≥ d public points; default d.
    pair : {"simple", "tilted"}
        Which pair of the module; "tilted" is the stronger one.
    layout : {"groups", "single"}
        "groups": all public points in d groups, as equal as can be. "single": one public point a group, the other
        m − d where all f agree: more violent, as the noise of a bit does not grow with m.

    Returns
    -------
    ParityCube
        With n = 2 records; one that is not at x° sits where all f agree, with the label 1.

    Raises
    ------
    ValueError
        For parameters outside their range.

    Notes
    -----
    Not in the paper: a counterexample to its Theorem 4 with Gaussian weights. With Laplace weights of scale 2m/ε,
    m = d, the tilted pair attains ε exactly.
    """
    bits = count("bits", bits)
    public = bits if public is None else count("public", public)
    if public < bits:
        raise invalid("public", f"at least bits = {bits}", public)
    choice("pair", pair, PAIRS)
    choice("layout", layout, LAYOUTS)
    if layout == "single":
        sizes = np.ones(bits, dtype=np.int64)
    else:
        sizes = np.full(bits, public // bits, dtype=np.int64)
        sizes[: public % bits] += 1
    points = np.full(public, bits, dtype=np.int64)
    points[: sizes.sum()] = np.repeat(np.arange(bits), sizes)

    def data(label: float) -> CubeData:
        x = np.array([bits + 1, bits if pair == "simple" else bits + 1])
        y = np.array([label, 1.0 if pair == "simple" else -1.0])
        for array in (x, y, points):
            array.flags.writeable = False
        return CubeData(x, y, points)

    sizes.flags.writeable = False
    return ParityCube(bits, public, pair, layout, sizes, data(1.0), data(-1.0))


def _tail(size: int, threshold: float, noise: str) -> float:
    """P(|sum of `size` weights of scale 1| > threshold).

    A sum of k Laplace variables is in absolute value a mixture of Gamma(k − j), j = 0, …, k − 1, with weights
    C(k − 1 + j, j)·2^{1 − k − j} (partial fractions of (1 − t²)^{−k}).
    """
    if noise == "gaussian":
        return float(erfc(threshold / math.sqrt(2.0 * size)))
    if size == 1:
        return math.exp(-threshold)
    j = np.arange(size)
    logs = gammaln(size + j) - gammaln(j + 1.0) - gammaln(size) + (1.0 - size - j) * math.log(2.0)
    return min(1.0, float(np.exp(logs) @ gammaincc(size - j, threshold)))
