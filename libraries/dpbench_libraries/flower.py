"""Flower: what its server releases of one round under central privacy, and what a client sends under local privacy.

The model is 0 before the round, so that a client's update is its weights. An absent client's update is 0 up to
rounding, for the server divides by the declared number of clients. It runs in an environment of its own, by
`calls/federated.py`.
"""

from __future__ import annotations

from typing import Any

from dpbench_libraries.case import Case, Known
from dpbench_libraries.worker import Call

PACKAGE = "flwr"
REQUIREMENTS = ("flwr==1.42.0", "numpy>=2.0")

ABSENT = "a client that is absent counts as an update of 0"
STATED = (
    "the claim is 1/noise_multiplier in Gaussian differential privacy, as its accountant and arXiv 1905.03871 have it"
)


def cases() -> tuple[Case, ...]:
    """Those that ``dpbench audit-library flower`` audits."""
    fixed = {"wrapper": "DifferentialPrivacyServerSideFixedClipping", "clipping_norm": 1.0}
    adaptive = {
        "wrapper": "DifferentialPrivacyServerSideAdaptiveClipping", "initial_clipping_norm": 1.0, "clip_norm_lr": 1.0,
        "clipped_count_stddev": 1.0,
    }  # fmt: skip
    other = [1, 0.0, 1.0]
    sent, absent = [1, 1.0, 0.0], [1, 1e-9, 0.0]

    def server(
        about: str, clients: list[Any], neighbour: list[Any], known: Known | None = None, settings: Any = fixed,
        noise_multiplier: float = 1.0, trials: int = 400,
    ) -> Case:  # fmt: skip
        call = Call("federated.aggregate", {"noise_multiplier": noise_multiplier, **settings}, seed="seed")
        claim = {"claim": {"mu": 1.0 / noise_multiplier}}
        name, assumes = settings["wrapper"], (STATED, ABSENT)
        return Case(name, None, claim, ((clients, neighbour),), call, about, trials, assumes, known)

    unequal = Known(
        "documented",
        "the mean is weighted by numbers of examples, the noise is that of equal weights; only with an accountant are "
        "unequal weights refused",
    )
    replaced = Known("convention", "the accountant's relation is a client added or removed")
    zero = Known("bug", "an update of 0 divides by its norm, and the round ends with a ZeroDivisionError")
    spreads = Known("bug", "an update that is not finite passes the clipping, and the mean is NaN, whatever the noise")
    before = Known(
        "bug",
        "updates are clipped by the norm before its change and the noise is scaled by the norm after it, which is "
        "smaller by up to exp(-clip_norm_lr/2) where most updates are clipped",
    )
    local = {"epsilon": 1.0, "delta": 0.01}
    crowd = [[1, 0.0, 3.0]] * 9
    return (
        server("", [sent, other], [absent, other], trials=2_000),
        server("a client replaced", [sent, other], [[1, -1.0, 0.0], other], replaced, trials=1_500),
        server("unequal numbers of examples", [[9, 1.0, 0.0], other], [[9, 1e-9, 0.0], other], unequal, trials=1_500),
        server("an update of 0", [absent, other], [[1, 0.0, 0.0], other], zero),
        server("an update is NaN", [sent, other], [[1, float("nan"), 0.0], other], spreads),
        server("most are clipped", [sent, *crowd], [absent, *crowd], before, adaptive, 0.5, 2_000),
        Case(
            "LocalDpMod", None, local, (([0.0, 1.0], [1.0, 1.0]),),
            Call("federated.local", {"clipping_norm": 2.0, "sensitivity": 1.0, **local}, seed="seed"),
            trials=2_000, assumes=("the two updates are as far apart as sensitivity",),
        ),
    )  # fmt: skip
