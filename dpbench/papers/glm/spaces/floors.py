"""Lower bounds of Theorems 4, 11 and Corollary 5 beside algorithms that are private whatever the data."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from dpbench.certificates.search.growth import order
from dpbench.certificates.search.question import inequality
from dpbench.certificates.search.space import Integer, Parameter, Real, Space

LARGE = 1e6
SIZES: dict[str, Parameter] = {
    "n": Integer("records", 1, 10**6),
    "d": Integer("dimension", 1, 10**6),
    "epsilon": Real("claimed", 1e-4, 1.0),
    "Y": Real("bound on the labels", 1e-3, 1e3),
    "reach": Real("B X", 1e-6, LARGE),
}
_MINIMUM = "min(Y^2, min(reach^(4/3)*Y^(2/3)/size^(2/3), sqrt(d)*reach*Y/size))"
KNOWN = Space(
    "the zero predictor, and in one dimension the sign of clipped gains with Laplace noise, on data sets of any size",
    SIZES,
    definitions={
        "size": "n*epsilon",
        "minimum": _MINIMUM,
        "line": "4*min(reach, Y)*Y/(exp(1)*size)",
        "attained": "min(reach^2, line + max(0, d - 1)*reach^2)",
    },
)
_KNOWN = (
    "The zero predictor's excess F(0) - F(w*) = |X w*|^2/n is at most (B X)^2 on every data set (squared loss).",
    "d = 1: B or -B by the sign of the mean of half gains, clipped or not, plus Laplace noise of scale b = 2 Y^2/(n "
    "epsilon), or 4 reach Y/(n epsilon) unclipped, is epsilon-DP; the wrong sign costs 4 g and has probability at most "
    "exp(-g/b)/2, so the excess is at most 2 b/e, or b/e unclipped, on every data set with |w*| = B.",
)
_CASES = {
    "beyond": "min(1, max(0, (reach - Y)*10^30))*reach^2/size",
    "plane": "min(min(Y^2, reach^2), max(beyond, min(reach^(4/3)*Y^(2/3)/size^(2/3), sqrt(d)*reach*Y/size)))",
    "single": "min(min(reach^2, reach*Y/size), Y^2/size)",
    "one": "max(0, 2 - d)",
}
DUMMY = Space(
    "a packing with a dummy point, and the predictor that is zero but for the dummy's coordinate",
    {
        "n": Integer("records, one of them the dummy", 3, 10**9),
        "d": Integer("dimension, one coordinate is the dummy's", 2, 1000),
        "epsilon": Real("claimed", 1e-3, 1.0),
        "Y": Real("bound on the labels", 1e-2, 1e2),
        "reach": Real("B X", 1e-2, 1e9),
    },
    derived={
        "block": (lambda v: math.ceil(math.log(5.0) / v["epsilon"]), "records of a coordinate, log(5)/epsilon or more"),
    },
    definitions={
        "size": "n*epsilon",
        "minimum": _MINIMUM,
        "attained": "(d - 1)*block/(n - 1)*Y^2",
    },
    conditions={
        "blocks": ("(d - 1)*block <= n - 1", "the blocks are of the n - 1 records"),
        "beyond": ("reach >= Y*min(sqrt(d), sqrt(size))", "a radius beyond that of the packing"),
    },
)
_DUMMY = (
    "The packing at B_0 = (Y/X) min(sqrt d, sqrt(n epsilon)): d - 1 blocks whose labels all have one sign; a predictor "
    "that is zero but for the dummy's coordinate has at most the excess attained, whatever the signs are.",
    "The dummy point raises |w*| to B = reach/X and is met by its own coordinate at no loss. 79/10000 is the constant "
    "with which Theorem 4 is proved otherwise.",
)
SMALL = Space(
    "the zero predictor on a family with |w*| = B",
    {
        "n": Integer("records", 1, 10**6),
        "d": Integer("dimension", 1, 10**4),
        "H": Real("smoothness", 1e-2, 1e2),
        "B": Real("radius", 1e-6, 1e3),
        "X": Real("bound on the features' norm", 1e-3, 1e3),
        "Y": Real("bound on the labels", 1e-3, 1e3),
    },
    definitions={"zero": "H*B^2*X^2/2"},
)
_SMALL = ("The excess risk of w = 0 is at most H B^2 X^2/2 by smoothness, for a minimiser of norm B.",)

CONSTANT = Space(
    "the constant predictor on the instance of case 2",
    {
        "n": Integer("records", 1, 10**6),
        "epsilon": Real("claimed", 1e-4, 10.0),
        "p": Real("order of the norm", 1.0, 8.0),
        "B": Real("radius", 1e-2, 1e2),
        "X": Real("bound on the features' norm", 1e-2, 1e2),
    },
    derived={"active": (lambda v: math.floor(48.0 * v["n"] * v["epsilon"]), "d', the active coordinates")},
    definitions={"beta": "1/16", "excess": "B*X/(2*(1 + 2*beta)*active^(1/p))"},
    conditions={
        "some": ("active >= 1", "a coordinate"),
        "active": ("active <= 48*n*epsilon", "the printed d'"),
        "active_2": ("active > 48*n*epsilon - 1", "rounded down"),
    },
)
_CONSTANT = (
    "w_j = B/(2 d'^(1/p)) whatever the data: mean excess over the Beta(beta, beta) prior B X/(2 (1 + 2 beta) "
    "d'^(1/p)), and every (epsilon, delta) holds.",
)

REMARK = Space(
    "Algorithm 3 with any lambda on the worst of a family of populations, squared loss, d = B = X = Y = 1",
    {
        "n": Integer("records", 1, 10**9),
        "epsilon": Real("claimed", 1e-6, 1.0),
        "delta": Real("claimed", 1e-12, 1e-2),
    },
    definitions={
        "G": "4 + 2*sqrt(2)",
        "excess": "min(1/4, (2*n*epsilon)^(-2/3) - 1/(4*n))",
        "remark": "(sqrt(2) + 1)/sqrt(n) + G*sqrt(log(1/delta))/(n*epsilon)",
    },
    conditions={
        "small": ("delta <= epsilon/13", "for then mu is at most epsilon"),
        "level": ("epsilon <= 1", "the range in which that was derived"),
        "least": ("n*epsilon >= 1", "a floor below 1/4"),
    },
)
REMARK_STEPS = (
    "Records (1, 1) with probability p, else (0, 0). A lone record (1, 1) or (1, -1) moves the minimiser by "
    "4/(n(lambda + 2/n)), which the noise has to hide at the parameter mu of the exact Gaussian profile; by Jensen's "
    "inequality the excess is at least lambda/8 at p = lambda/2, and sigma^2 at p = 1: for lambda <= 2 the larger of "
    "them is at least (2 n mu)^(-2/3) - 1/(4n), for lambda > 2 it is 1/4 at least.",
    "mu <= epsilon: at mu = epsilon the Gaussian profile is Phi(epsilon/2 - 1) - exp(epsilon) Phi(-1 - epsilon/2), at "
    "least epsilon/13 for epsilon <= 1, and delta is no more than that.",
)

QUESTIONS: dict[str, Any] = {
    "glm.thm3.inequality.low-dimension.algorithm-3": order(
        REMARK, "excess", "remark", scalable=("n", "epsilon", "delta"), derivation=REMARK_STEPS
    ),
    "glm.thm4.floor.small-radius": order(
        KNOWN, "minimum", "attained", scalable=("n", "d", "Y", "reach"), derivation=_KNOWN,
        conditions={"plane": ("d >= 2", "beside the case of one dimension, an entry of its own")},
    ),
    "glm.thm4.floor.d1": order(
        KNOWN, "minimum", "attained", scalable=("n", "Y", "reach"), derivation=_KNOWN,
        conditions={"line": ("d <= 1", "one dimension"), "large": ("reach >= Y", "the range of the entry")},
    ),
    "glm.thm4.floor.corrected": inequality(
        KNOWN, "79/10000*(one*single + (1 - one)*plane)", "attained", definitions=_CASES, derivation=_KNOWN
    ),
    "glm.thm4.inequality.wlog": inequality(DUMMY, "79/10000*minimum", "attained", derivation=_DUMMY),
    "glm.thm16.floor.small-radius": order(
        SMALL, "min(Y, B*X)/sqrt(n)", "zero", scalable=("n", "B", "X", "Y"), derivation=_SMALL,
        conditions={"footnote": ("min(min(X, Y), H) >= 1", "footnote 1: X, Y and H are of the order of 1 at least")},
    ),
    "glm.cor5.floor.small-radius": order(
        SMALL, "min(min(Y^2, (B^2*X^2 + d*Y^2)/n), B*X*Y/sqrt(n))", "zero", scalable=("n", "d", "B", "X", "Y"),
        derivation=_SMALL,
    ),
    "glm.cor5.floor": inequality(
        SMALL, "1/40*min(min(Y^2, (H*B^2*X^2 + d*Y^2)/n), sqrt(H)*B*X*Y/sqrt(n))", "zero",
        conditions={"large": ("sqrt(H)*B*X >= Y", "the range of the entry")}, derivation=_SMALL,
    ),
    "glm.thm11.floor.case2": inequality(
        CONSTANT, "min(B*X/(16*(n*epsilon)^(1/p)), B*X)", "excess", derivation=_CONSTANT,
        witness={"n": 100, "epsilon": Fraction(1, 100), "p": 1, "B": 1, "X": 1, "active": 48},
    ),
    "glm.thm11.floor.case2.corrected": inequality(
        CONSTANT, "B*X/((1 + 2*beta)*(48*n*epsilon)^(1/p))*(1/4 - 3*(1 + 2*beta)*n*epsilon/active - 2*beta)", "excess",
        derivation=_CONSTANT,
    ),
}  # fmt: skip
