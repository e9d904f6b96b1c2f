"""Attacks on the public-data paper's mechanisms that are run once for their counts."""

from __future__ import annotations

from functools import partial

import numpy as np

from dpbench.certificates.attack_counts import Attack
from dpbench.papers.publicdata.averaged_perturbation import AveragedPerturbation
from dpbench.papers.publicdata.hypotheses_line import Thresholds
from dpbench.papers.publicdata.problem import PublicDataProblem
from dpbench.papers.publicdata.rrspm import RRSPM
from dpbench.papers.publicdata.theorems.algorithm2 import two_signs
from dpbench.papers.publicdata.theorems.algorithm3 import balanced
from dpbench.papers.publicdata.theorems.algorithm3 import printed as printed_sum
from dpbench.papers.publicdata.theorems.rrspm_privacy import parities, problem_of
from lowerbounds._parity_cube import parity_cube


def attacks() -> dict[str, Attack]:
    """Entry to its attack."""
    cube = parity_cube(256)
    points = PublicDataProblem([0.5], [1.0], np.array([0.2, 0.4, 0.6, 0.8]), hypotheses=Thresholds(), loss="zero-one")
    return {
        "publicdata.thm4.privacy.gaussian": Attack(
            partial(parities, RRSPM(1.0, 1e-5, noise="gaussian", calibration="printed")),
            (problem_of(cube), problem_of(cube, neighbour=True)), 1.0, 1e-5, "the parity cube, d = m = 256",
        ),
        "publicdata.alg3.privacy.sum": Attack(
            printed_sum("sum"), balanced(10_001), 1.0, 1e-5,
            "constants, labels 1 and -1 in turn and one more, n = 10,001",
        ),
        "publicdata.alg2.privacy.mean": Attack(
            AveragedPerturbation(4.0, 1e-5, calls=8), two_signs(11, 4), 4.0, 1e-5,
            "two functions 1 and -1, labels 1 and -1 in turn and one more, n = 11, m = 4",
        ),
        "publicdata.thm8.privacy": Attack(
            RRSPM(1.0), (points, points.replace_record(0, [0.5], -1.0)), 1.0, 0.0,
            "thresholds, one record, four public points",
        ),
    }  # fmt: skip
