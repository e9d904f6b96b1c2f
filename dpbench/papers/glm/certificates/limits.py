"""Theorems 4, 7, 8 and 9 of the GLM paper: bounds that no constant saves, and choices that ignore the data."""

from __future__ import annotations

import math
from fractions import Fraction

from dpbench.certificates.build import Draft, certificate, without_bound
from dpbench.papers.glm import theory_selection as theory
from dpbench.papers.glm.spaces import QUESTIONS, floors
from lowerbounds._packing import packing
from lowerbounds._theorem4 import PROVED, printed_minimum

_GRID = {
    "n": "records", "epsilon": "claimed", "beta": "failure probability", "K": "candidates but w_0", "H": "smoothness",
    "X": "bound on the features' norm", "Y": "bound on the labels",
}  # fmt: skip
_WITNESS = (
    "Every record is (X, Y), every candidate but w_0 = 0 fits it: the excess of w_0 is Y^2, the base looks at no data, "
    "and ERR is 0 at the right radius, 2.",
    ["loss"],
)
_BOUND_7 = QUESTIONS["glm.thm7.inequality.constants"].all_definitions["bound"]


@certificate("glm.thm4.floor.small-radius", "growth")
def small_radius() -> Draft:
    """t = Y/(BX nε): the zero predictor's excess over the printed minimum falls like t^(−2/3)."""
    return Draft(
        verdict="refuted",
        statement="The printed minimum over the excess of the zero predictor grows without bound as B X n epsilon/Y "
        "falls.",
        symbols={"t": "Y/(B X n epsilon)", "n": "records", "d": "dimension", "epsilon": "claimed", "Y": "bound on the "
                 "labels"},
        definitions={
            "size": "n*epsilon", "reach": "Y/(size*t)",
            "minimum": QUESTIONS["glm.thm4.floor.small-radius"].all_definitions["minimum"],
            "zero": "reach^2",
        },
        assumptions={"claimed": ("epsilon > 0", "a privacy level")},
        claim=without_bound("t", 2, "minimum/zero", "2/3"),
        instances=[({"n": 200, "d": 1000, "epsilon": Fraction(1, 2), "Y": 1}, {"quantity": 2.0 ** (4.0 / 3.0)})],
        derivation=[
            ("The zero predictor looks at no data, and its excess F(0) - F(w*) = |X w*|^2/n is at most (B "
             "X)^2 = reach^2 on every data set (squared loss).", ["claimed"]),
        ],
    )  # fmt: skip


@certificate("glm.thm4.floor.d1", "growth")
def one_dimension() -> Draft:
    """B = nY/X: the noisy sign has an excess of 4Y²/(e nε) at most, the printed minimum is Y²."""
    first = 4
    return Draft(
        verdict="refuted",
        statement="In one dimension the printed minimum over what an epsilon-DP algorithm attains on every data set "
        "grows like n.",
        symbols={"n": "records", "epsilon": "claimed", "Y": "bound on the labels", "d": "dimension"},
        definitions={
            "size": "n*epsilon", "reach": "n*Y",
            "minimum": QUESTIONS["glm.thm4.floor.d1"].all_definitions["minimum"],
            "attained": "4*Y^2/(exp(1)*size)",
        },
        assumptions={"line": ("d = 1", "one dimension"), "claimed": ("epsilon <= 1", "then the minimum is Y^2")},
        claim=without_bound("n", first, "minimum/attained", "1"),
        instances=[({"epsilon": 1, "Y": 1, "d": 1}, {"quantity": math.e * 2.0**first / 4.0})],
        derivation=[
            ("B X = n Y. B or -B by the sign of the mean of clipped half gains plus Laplace noise of scale b = 2 "
             "Y^2/(n epsilon): epsilon-DP; the wrong sign costs 4 g and has probability at most exp(-g/b)/2, so the "
             "excess is at most 2 b/e = 4 Y^2/(e n epsilon), on every data set with |w*| = B.", ["line", "claimed"]),
        ],
    )  # fmt: skip


@certificate("glm.thm4.inequality.wlog", "inequality")
def dummy_point() -> Draft:
    """A constant predictor on the packing with a dummy point, against the proved constant times the minimum."""
    instances = []
    for n, d, epsilon in ((10_000, 2, Fraction(1, 2)), (1_000_000, 2, Fraction(1))):
        family = packing(n - 1, d - 1, float(epsilon), radius=1.0)
        block, gap, active = (int(family.parameters[name]) for name in ("block", "distance", "active"))
        attained = family.parameters["zero_risk"] * (n - 1) / n
        printed = printed_minimum(n, d, float(epsilon), radius=10.0 * n * float(epsilon))
        values = {"n": n, "d": d, "epsilon": epsilon, "Y": 1, "active": active, "block": block, "gap": gap,
                  "constant": Fraction(str(PROVED))}  # fmt: skip
        instances.append((values, {"left": PROVED * printed, "right": attained}))
    return Draft(
        verdict="refuted",
        statement="On every instance with a dummy point a constant predictor is below a proved constant times the "
        "printed minimum.",
        symbols={"n": "records, one of them the dummy", "d": "dimension, one coordinate is the dummy's",
                 "epsilon": "claimed", "Y": "bound on the labels", "active": "d'", "block": "records of a coordinate",
                 "gap": "difference of the labels' counts in a block", "constant": "with which Theorem 4 is proved "
                 "otherwise"},
        definitions={
            "size": "n*epsilon", "reach": "10*size*Y", "bias": "gap/block",
            "minimum": QUESTIONS["glm.thm4.inequality.wlog"].all_definitions["minimum"],
            "attained": "active*block/(n - 1)*bias^2*Y^2*(n - 1)/n",
        },
        assumptions={"blocks": ("active*block <= n - 1", "the packing has n - 1 records"),
                     "bias": ("gap <= block", "labels in [-Y, Y]"), "room": ("active <= d - 1", "d - 1 coordinates")},
        claim={"left": "constant*minimum", "relation": "<=", "right": "attained"}, instances=instances,
        derivation=[
            ("The packing at B_0 = (Y/X) min(sqrt d, sqrt(n epsilon)): d' blocks of records whose labels lean by bias "
             "to sigma_j; a predictor that is zero but for the dummy's coordinate has the excess p bias^2 Y^2, p the "
             "fraction of the block's records, whatever sigma is.", ["blocks", "bias", "room"]),
            ("The dummy point raises |w*| to B = reach/X and is met by its own coordinate at no loss.", []),
        ],
        theory={"minimum": lambda v: printed_minimum(
            int(v["n"]), int(v["d"]), v["epsilon"], y_bound=v["Y"], radius=10.0 * int(v["n"]) * v["epsilon"] * v["Y"])},
    )  # fmt: skip


@certificate("glm.thm7.inequality.printed", "inequality")
def grid_search() -> Draft:
    """Line 8 to the letter: w₀ is chosen, whatever the data."""
    instances = []
    for n in (10**4, 10**6, 10**8, 10**10):
        left = 1.0 - 2.0 * math.exp(0.25) * 0.1 / 12.0
        values = {"n": n, "epsilon": 1, "beta": Fraction(1, 10), "K": 2, "H": 2, "X": 1, "Y": 1}
        instances.append((values, {"left": left, "right": Fraction(1, 10)}))
    return Draft(
        verdict="refuted",
        statement="w_0 is chosen with more than probability beta, and its excess is beyond the bound.",
        symbols=_GRID,
        definitions={"Delta_1": "Y^2 + H*2^2*X^2", "bound": _BOUND_7},
        assumptions={"beyond": ("Y^2 > bound", "the excess of w_0 is beyond the bound"),
                     "loss": ("H = 2", "the squared loss"),
                     "ahead": ("4*log(4*(K + 1)/beta)/epsilon >= 1", "t Delta(B_j) >= Delta(B_j) >= Y^2")},
        claim={"left": "1 - K*exp(epsilon/4)*beta/(4*(K + 1))", "relation": "<=", "right": "beta"},
        instances=instances,
        derivation=[
            _WITNESS,
            ("GenExpMech at epsilon/2, beta/4 over K + 1 candidates with the sensitivities 0 and Delta(B_j): the "
             "shifted scores of all others exceed that of w_0 by at least t Delta(B_j) - Y^2, so each of their "
             "weights is at most exp(-(epsilon/4)(t - 1)) = exp(epsilon/4) beta/(4(K + 1)) times that of w_0.",
             ["ahead"]),
            ("Theorem 7 allows an excess beyond its bound with probability beta.", ["beyond"]),
        ],
        theory={"Delta_1": lambda v: theory.ball_loss_bound(v["H"], v["X"], v["Y"], 2.0)},
    )  # fmt: skip


@certificate("glm.thm8.inequality.printed", "growth")
def boosted_grid_search() -> Draft:
    """n = t²: the excess Y² over Theorem 8's bound times log(n)⁴."""
    first = 20
    quantity = 1.0 / (theory.adaptive_smooth_erm_rate(2.0, 1.0, 1.0, 1.0, 4**first, 1.0) * math.log(4.0**first) ** 4)
    return Draft(
        verdict="refuted",
        statement="The excess of w_0, which is chosen but for a chance below beta, over Theorem 8's bound times "
        "log(n)^4 grows without bound in n.",
        symbols={"t": "root of the number of records n", "epsilon": "claimed", "H": "smoothness",
                 "X": "bound on the features' norm", "Y": "bound on the labels", "B": "2 max(|w*|, 1)"},
        definitions={
            "n": "t^2", "h": "sqrt(H)*B*X",
            "bound": "min(Y^2, (h^(4/3)*Y^(2/3) + h^2)/(n*epsilon)^(2/3) + (h*max(Y, 1) + Y^2)/sqrt(n) + (Y^2 + "
            "h^2)/(n*epsilon))",
            "excess": "Y^2",
        },
        assumptions={"loss": ("H = 2", "the squared loss"), "radius": ("B = 2", "|w*| = 1")},
        claim=without_bound("t", first, "excess/(bound*log(n)^4)", "1", "-4"),
        instances=[({"epsilon": 1, "H": 2, "X": 1, "Y": 1, "B": 2}, {"quantity": quantity})],
        derivation=[
            ("A point mass at (X, Y), |w*| = 1: w_0 = 0 has the excess Y^2, and as in glm.thm7.inequality.printed it "
             "is chosen but for a chance below 0.323 beta, whatever the base returns.", ["loss", "radius"]),
        ],
    )  # fmt: skip


@certificate("glm.thm3.inequality.low-dimension.algorithm-3", "growth")
def low_dimension() -> Draft:
    """At n = t⁶, ε = t⁻³, δ = t⁻¹² the floor is of order t⁻², the remark of order t⁻³ but for the logarithm."""
    first = 2
    t = 2.0**first
    floor = (2.0 * t**3) ** (-2.0 / 3.0) - 0.25 / t**6
    remark = (math.sqrt(2.0) + 1.0 + 6.9 * math.sqrt(12.0 * math.log(t))) / t**3
    return Draft(
        verdict="refuted",
        statement="At n = t^6, epsilon = n^(-1/2) and delta = n^(-2) the excess of Algorithm 3, whatever lambda is, "
        "over the remark grows faster than n^(1/12).",
        symbols={"t": "n^(1/6)", "G": "bound on the gradients, of Lemma 2"},
        definitions={
            "n": "t^6", "epsilon": "t^(-3)", "delta": "t^(-12)",
            **{name: floors.REMARK.definitions[name] for name in ("excess", "remark")},
        },
        assumptions={"gradients": ("G >= 4 + 2*sqrt(2)", "Lemma 2 at H = 2, B = X = Y = 1")},
        claim=without_bound("t", first, "excess/remark", "1/2", holds=["delta <= epsilon/13", "epsilon <= 1"]),
        instances=[({"G": Fraction(69, 10)}, {"quantity": floor / remark})],
        derivation=[(floors.REMARK_STEPS[0], ["gradients"]), (floors.REMARK_STEPS[1], [])],
    )  # fmt: skip


@certificate("glm.thm9.inequality", "growth")
def any_sign() -> Draft:
    """n = t² fair signs: their mean is share/t or more in size with a probability above β (Paley and Zygmund)."""
    first = 3
    return Draft(
        verdict="refuted",
        statement="With more than probability beta a w whose empirical risk is exactly 0 has a risk of share/(2 t) = "
        "share n^(-1/2)/2, where the bound has R log(1/beta)/n: the constant needed grows like t.",
        symbols={"t": "root of the number of records n", "beta": "failure probability", "R": "bound on the loss",
                 "share": "of the root of the second moment, from 0 to 1"},
        definitions={
            "n": "t^2", "chance": "(1 - share^2)^2/3", "deviation": "share/(2*t)", "bound": "R*log(1/beta)/n",
        },
        assumptions={"fair": ("chance > beta", "the event has more than the probability that the bound allows"),
                     "inner": ("share <= 1", "the inequality of Paley and Zygmund"),
                     "range": ("R >= sqrt(2)", "|<w, x>| <= |w||x| <= sqrt(2), the bound on the loss")},
        claim=without_bound("t", first, "deviation/bound", "1"),
        instances=[({"beta": Fraction(1, 20), "R": Fraction(3, 2), "share": Fraction(1, 2)},
                    {"quantity": 2.0**first / (6.0 * math.log(20.0))})],
        derivation=[
            ("Loss z, H = 0, features (1, s), s = +-1 fair, |w| <= B = 1. With s_bar the mean sign w = +-(-s_bar, 1)/2 "
             "lies in the ball and has the empirical risk exactly 0; its risk is |s_bar|/2 for one of the two signs.",
             ["fair", "range"]),
            ("Of the sum S of n fair signs E S^2 = n and E S^4 = 3 n^2 - 2 n <= 3 n^2, so P(S^2 >= share^2 n) is at "
             "least (1 - share^2)^2/3 for every n (Paley and Zygmund), and |S|/n >= share/t there.", ["inner"]),
        ],
    )  # fmt: skip
