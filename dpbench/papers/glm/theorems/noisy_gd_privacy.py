"""Privacy of noisy gradient descent: the pair whose outputs are Gaussian, and what both calibrations guarantee."""

from __future__ import annotations

from dpbench.ledger.statement import Integer, Real, Statement, calibrated, gaussian, grid

CLAIMED = {"epsilon": Real("claimed", "1/100", 100), "delta": Real("claimed", "1e-10", "1/10")}
PRINTED_SIGMA = "sqrt(8*G^2*T*log(1/delta)/(n^2*epsilon^2))"

PRINTED = Statement(
    about="With {sigma} the average of noisy gradient descent's iterates is (epsilon, delta)-DP on a pair of the "
    "capped linear loss: {claim}.",
    symbols={
        "half": Integer("pairs of records that cancel", 1, 10**4),
        **CLAIMED,
        "end": Real("B, the end of the loss's linear part", "1/100000", 100),
        "d": Integer("dimension", 1, 1000),
    },
    where={
        "H": "1",
        "n": "2*half + 1",
        "T": "n",
        "Y": "sqrt(1/2 + end)",
        "G": "2*Y*sqrt(H) + 2*H*end",
        "sigma": PRINTED_SIGMA,
        "eta": "min(end/(sqrt(T)*max(sqrt(H)*Y, sigma*sqrt(d))), 1/(4*H))",
        "room": "end - eta*(T - 1)/n",
        "reach": "room/(eta*sigma*sqrt(T - 1))",
        "kappa": "2*gammatail(d/2, reach^2/2)",
        "average": "sqrt(6*T/(4*(2*T - 1)))",
    },
    given={"room": ("room > 0", "without noise the ball is not met")},
    claim=gaussian(
        shift="2/n*sqrt(T - 1)*average", scale="sigma", epsilon="epsilon", delta="delta + (1 + exp(epsilon))*kappa"
    ),
    steps=(
        "Loss with slope -y up to B in the direction of y, (|y| - (u - B))^2/2 beyond: convex, non-negative, "
        "1-smooth, at zero 1/2 + B = Y^2 for labels +-1; on the ball its gradients are -y x. Records (e, +1) and (e, "
        "-1) in turn, the last (e, +1) or (e, -1), X = 1: mean gradients -+e/n at every step.",
        "Without projections the average of w_1..w_T is Gaussian; the distance of its means over its standard "
        "deviation is (2/n) sqrt(T - 1)/sigma times sqrt(6T/(4(2T - 1))). A projection is ever active with "
        "probability at most kappa (Levy's inequality for the largest partial sum), which costs at most (1 + "
        "e^epsilon) kappa of delta.",
    ),
    witness=tuple(
        {"half": 500, "epsilon": epsilon, "delta": delta, "end": "1/1000", "d": 1}
        for epsilon, delta in ((35, "1e-2"), (42, "1e-3"))
    ),
)
CALIBRATED = PRINTED.replace(
    symbols={"mu": calibrated("gaussian", "epsilon", "delta")}, where={"sigma": "2/n*sqrt(T - 1)/mu"}, witness=None
)
"""The same pair under the exact noise."""

GUARANTEED = Statement(
    about="With {sigma} all iterates together are within (epsilon, delta): {claim}.",
    symbols={
        "n": Integer("number of records", 1, 10**9),
        "T": Integer("iterates, of which T - 1 are noisy", 2, 10**9),
        "D": Real("largest distance of two records' gradients", "1/100", 10**6),
        "epsilon": Real("claimed", "1/100", 100),
        "delta": Real("claimed", "1e-10", "1/10"),
        "mu": calibrated("gaussian", "epsilon", "delta"),
    },
    where={"sigma": "D*sqrt(T - 1)/(n*mu)"},
    claim=gaussian(shift="D/n*sqrt(T - 1)", scale="sigma"),
    steps=(
        "Each step releases a mean gradient that one record moves by at most D/n, with Gaussian noise; T - 1 adaptive "
        "steps compose to one Gaussian shift (D/n) sqrt(T - 1)/sigma (Dong, Roth and Su 2019).",
        "The output is a function of the iterates. The profile falls with sigma.",
    ),
    witness=grid(n=(11,), T=(11,), D=(2,), epsilon=("1/10", 1, 4, 16), delta=("1e-3", "1e-6")),
    computed={"sigma": "standard deviation of the noise"},
)
PROJECTED = GUARANTEED.replace(
    symbols={
        "D": Real(
            "largest distance of two records' gradients over the ball of radius 2B and projected features cut to norm "
            "(1 + alpha) X",
            "1/100",
            10**6,
        )
    },
    steps=(
        *GUARANTEED.steps,
        "The map is drawn without the data and the cut bounds every projected feature, whatever the map.",
    ),
)
