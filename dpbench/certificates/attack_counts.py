"""Attacks run once for their counts: ``python -m dpbench.certificates.attack_counts evidence/attack_counts.json``.

With ids of entries after the file, these alone are run, and put beside what the file has.
Each attack is an `audit` (the event chosen on other runs than those counted); sampled entries rest on such counts, and
`samples.py` turns them into certificates.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpbench.auditing.audit import audit
from dpbench.papers.glm.boosting import Boosting
from dpbench.papers.glm.claims.jl_privacy import SEEN_BY_SAMPLING
from dpbench.papers.glm.claims.pairs import cancelling_pair
from dpbench.papers.glm.grid_search import PrivateGridSearch
from dpbench.papers.glm.jl import JLMethod
from dpbench.papers.glm.losses import capped_linear, linear
from dpbench.papers.glm.noisy_gd import NoisyGD
from dpbench.papers.glm.output_perturbation import OutputPerturbation
from dpbench.papers.glm.problem import GLMProblem
from dpbench.papers.heavytail.claims.privacy import leaning_pair
from dpbench.papers.heavytail.exponential import ExponentialMechanism
from dpbench.papers.publicdata.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.claims.algorithm2 import two_signs
from dpbench.papers.publicdata.claims.algorithm3 import balanced
from dpbench.papers.publicdata.claims.algorithm3 import printed as printed_sum
from dpbench.papers.publicdata.claims.rrspm_privacy import parities, problem_of
from dpbench.papers.publicdata.hypotheses_line import Thresholds
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.rrspm import RRSPM
from lowerbounds._parity_cube import parity_cube

TRIALS, FEW = 200_000, 10_000  # the second where each run draws a map of its own
CONFIDENCE = 1.0 - 1e-6


def attacks() -> dict[str, tuple[Any, tuple[Any, Any], float, float, str]]:
    """Claim id to (sampler, pair, ε, δ, the pair in words)."""
    line = cancelling_pair("linear", 101, x_bound=1.0, y_bound=1.0, radius=1.0)
    smooth = cancelling_pair(capped_linear(2.0), 101, x_bound=1.0, y_bound=1.0, radius=1.0)
    cancel = "all records but the last cancel in pairs; the last has opposite labels, n = 101"
    leaning = "three records fit w = 1, on the neighbour one of them w = -1"
    cube = parity_cube(256)
    points = PublicDataProblem([0.5], [1.0], np.array([0.2, 0.4, 0.6, 0.8]), hypotheses=Thresholds(), loss="zero-one")
    made: dict[str, tuple[Any, tuple[Any, Any], float, float, str]] = {
        "glm.thm5.privacy.printed": (OutputPerturbation(4.0, 1e-2, calibration="printed"), line, 4.0, 1e-2, cancel),
        "glm.thm5.privacy.exact": (OutputPerturbation(1.0, 1e-1), line, 1.0, 1e-1, cancel),
        "glm.thm3.privacy.exact": (OutputPerturbation(1.0, 1e-1, theorem=3), smooth, 1.0, 1e-1, cancel),
        "glm.thm1.privacy.exact": (NoisyGD(1.0, 1e-1, steps=8), line, 1.0, 1e-1, cancel),
        **_selections(),
        "publicdata.thm4.privacy.gaussian": (
            partial(parities, RRSPM(1.0, 1e-5, noise="gaussian", calibration="printed")),
            (problem_of(cube), problem_of(cube, neighbour=True)), 1.0, 1e-5, "the parity cube, d = m = 256"),
        "publicdata.alg3.privacy.sum": (printed_sum("sum"), balanced(10_001), 1.0, 1e-5,
                                        "constants, labels 1 and -1 in turn and one more, n = 10,001"),
        "publicdata.alg2.privacy.mean": (AveragedPerturbation(4.0, 1e-5, calls=8), two_signs(11, 4), 4.0, 1e-5,
                                         "two functions 1 and -1, labels 1 and -1 in turn and one more, n = 11, m = 4"),
        "publicdata.thm8.privacy": (RRSPM(1.0), (points, points.replace_record(0, [0.5], -1.0)), 1.0, 0.0,
                                    "thresholds, one record, four public points"),
    }  # fmt: skip
    for theorem, theta in ((1, 2.0), (2, 1.75)):
        for name in ("printed", "exact"):
            mechanism = ExponentialMechanism(1.0, net_radius=1.0, calibration=name)
            made[f"heavytail.thm{theorem}.privacy.{name}"] = (mechanism, leaning_pair(3, theta), 1.0, 0.0, leaning)
    for theorem, extreme in ((10, linear()), (2, capped_linear(100.0))):
        far = cancelling_pair(extreme, 21, x_bound=1.0, y_bound=1.0, radius=20.0, dimension=6)
        epsilon, delta = SEEN_BY_SAMPLING
        jl = JLMethod(epsilon, delta, dimension=3, distortion=0.1, steps=20, step_size=0.05, theorem=theorem)
        made[f"glm.thm{theorem}.privacy.exact"] = jl, far, epsilon, delta, cancel.replace("101", "21")
    return made


def _selections() -> dict[str, tuple[Any, tuple[Any, Any], float, float, str]]:
    """Grid search and boosting on a record of the last part, whose loss moves by nearly its whole range."""
    ones = GLMProblem(np.ones((100, 1)), np.ones(100), loss="linear", x_bound=1.0, y_bound=1.0, radius=1.0)
    y = np.concatenate((np.ones(20), -np.ones(20), np.where(np.arange(20) % 2 == 0, 1.0, -1.0)))
    parts = GLMProblem(np.ones((60, 1)), y, loss="linear", x_bound=1.0, y_bound=1.0, radius=1.0)
    search = PrivateGridSearch(NoisyGD(1.0, 1e-5, steps=8, step_size=10.0), 1.0, 1e-5, candidates=1)
    boosting = Boosting(NoisyGD(1.0, 1e-5, steps=8, step_size=10.0, noise_scale=0.05), 1.0, 1e-5, models=2)
    first, last = ones.replace_record(99, np.ones(1), -1.0), parts.replace_record(59, np.ones(1), 1.0)
    return {
        "glm.thm7.privacy.exact": (search, (ones, first), 1.0, 1e-5, "labels 1, the last one -1 on the neighbour, n = "
                                                                     "100"),
        "glm.thm13.privacy.exact": (boosting, (parts, last), 1.0, 1e-5, "chunks with labels 1, -1, and both in turn, "
                                                                        "whose last is 1 on the neighbour, n = 60"),
    }  # fmt: skip


def count(claims: Collection[str] = (), write: Callable[[str], object] = print) -> dict[str, Any]:
    """Run the attacks named, or all: counts on both sides, and the event in words."""
    rows: dict[str, Any] = {}
    for claim, (sampler, (data, neighbour), epsilon, delta, pair) in attacks().items():
        if claims and claim not in claims:
            continue
        trials = FEW if isinstance(sampler, JLMethod) else TRIALS
        found = audit(
            sampler, data, neighbour, epsilon=epsilon, delta=delta, trials=trials, confidence=CONFIDENCE, seed=20
        )
        if found.certified is None:
            continue
        first, second = found.certified.hits
        rows[claim] = {
            "epsilon": epsilon, "delta": delta, "pair": pair, "event": found.event.split(" (")[0],
            "first": first, "second": second, "runs": found.certified.trials, "seed": 20,
        }  # fmt: skip
        write(f"{claim}: {first} and {second} of {found.certified.trials}; epsilon >= {found.epsilon_lower:.4f}")
    return {"schema": 1, "trials": TRIALS, "confidence": CONFIDENCE, "attacks": rows}


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0].startswith("-") or not set(arguments[1:]) <= attacks().keys():
        sys.stderr.write("usage: python -m dpbench.certificates.attack_counts FILE [ENTRY ...]\n")
        return 2
    path, made = Path(arguments[0]), count(arguments[1:])
    if arguments[1:] and path.is_file():
        made["attacks"] = json.loads(path.read_text(encoding="utf-8"))["attacks"] | made["attacks"]
    path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
