"""Formulas of the statements are the project's own functions, at random points of their ranges."""

import math
import random
from functools import partial

import pytest

from dpbench.certificates.judge_pieces import pieces
from dpbench.certificates.search.question import Question
from dpbench.ledger.registry import all_claims
from dpbench.papers.glm import theory_selection as selection
from dpbench.papers.heavytail import theory as heavytail
from dpbench.papers.publicdata import theory as publicdata
from dpbench.papers.publicdata import theory_settings


def majority(values, *, shorter):
    """The right side of (14) or (26) without sampling terms, or of Theorem H, for records 1 and -1."""
    n, theta, zeta = 2 * int(values["half"]) + 1, values["theta"], values["zeta"]
    at = heavytail.Sizes(values["iota"], n, values["epsilon"], zeta, math.log(2.0 / zeta + 1.0), values["eta"])
    spread = 2.0**theta * (1.0 - values["p"])
    if shorter:
        return heavytail.shorter_bound(at, theta=theta, spread=spread)
    return heavytail.utility_bound(at, theta=theta, spread=spread, sampling=False)


STATED = {claim.id: claim.formal for claim in all_claims() if claim.formal is not None}
SAME = {
    ("glm.thm7.inequality", "score_1"): lambda v: selection.score_penalty(
        selection.ball_loss_bound(2.0, v["X"], v["Y"], 2.0), v["Y"], int(v["n"]), 2, v["beta"]),
    ("glm.thm7.inequality.penalty-corrected", "tau"): lambda v: selection.score_penalty_corrected(
        (v["r"] + v["Y"]) ** 2, v["Y"] ** 2, int(v["records"]), int(v["K"]), v["beta"]),
    ("glm.thm8.inequality", "bound"): lambda v: selection.adaptive_smooth_erm_rate(
        2.0, v["X"], v["Y"], 1.0, int(v["n"]), v["epsilon"]),
    ("glm.thm15.inequality", "gamma2"): lambda v: selection.perturbed_sub_gaussian(v["B"], v["sigma"]) ** 2,
    ("publicdata.lemma2.stability.mean", "bound"): lambda v: publicdata.regularized_stability_printed(
        2 * int(v["half"]) + 1, v["eta"]),
    ("publicdata.lemma2.stability.mean-sharp", "min(2, bound)"): lambda v: publicdata.regularized_stability(
        2 * int(v["half"]) + 1, v["eta"]),
    ("publicdata.lemma11.privacy", "gamma"): lambda v: publicdata.perturb_scale_printed(
        int(v["m"]), publicdata.regularized_stability_printed(2 * int(v["half"]) + 1, v["eta"]), v["epsilon"],
        0.5 * v["delta"], "gaussian"),
    ("publicdata.lemma9.privacy", "epsilon"): lambda v: publicdata.perturb_epsilon_printed(
        int(v["m"]), v["rho"], v["gamma"], v["delta"], "gaussian"),
    ("publicdata.lemma9.privacy.laplace", "gamma"): lambda v: publicdata.perturb_scale_printed(
        int(v["m"]), v["rho"], v["epsilon"], 0.0, "laplace"),
    ("publicdata.lemma9.privacy.laplace-exact", "gamma"): lambda v: publicdata.perturb_scale(
        int(v["m"]), v["rho"], v["epsilon"], 0.0, "laplace"),
    ("publicdata.lemma10.inequality", "4*strength^(2/3)*g^3"): lambda v: publicdata.lemma10_stability_printed(
        10, 1.0, 10.0 * v["g"] ** 3, 10**40, 0.5),
    ("publicdata.lemma7.stability.sharp", "sharp"): lambda v: min(
        4.0, 2.0 * v["kappa"] * math.sqrt(2.0 / math.pi) / v["strength"]),
    ("heavytail.thm1.inequality.large-epsilon", "bound"): partial(majority, shorter=False),
    ("heavytail.thm2.inequality.large-epsilon", "bound"): partial(majority, shorter=False),
    ("heavytail.thm1.inequality.large-epsilon.corrected", "bound"): partial(majority, shorter=True),
    ("heavytail.thm2.inequality.large-epsilon.corrected", "bound"): partial(majority, shorter=True),
    ("heavytail.lemma2.inequality", "d*log(3*Delta/zeta)"): lambda v: heavytail.covering_bound(
        int(v["d"]), v["Delta"], v["zeta"]),
    ("publicdata.thm7.inequality", "said"): lambda v: theory_settings.theorem7(
        1.0 / v["u"], 1e-5 / v["u"], v["alpha"], v["beta"], v["d"], 1.0, v["lambda"]).n,
    ("publicdata.thm7.inequality", "gamma"): lambda v: theory_settings.theorem7(
        1.0 / v["u"], 1e-5 / v["u"], v["alpha"], v["beta"], v["d"], 1.0, v["lambda"]).gamma,
    ("publicdata.thm7.privacy", "enough"): lambda v: 2.0 * math.log(1.25 / v["delta"]) * v["m"] * v["u"]**2 / (
        v["alpha"] * v["alpha"]**2 / (v["lambda"]**2 * math.log(1.0 / v["beta"]))),
    ("publicdata.thm6.inequality.sample-size", "n"): lambda v: theory_settings.theorem6(
        v["epsilon"], v["delta"], v["alpha"], v["beta"], v["d"], 1.0, 1.0).n,
}  # fmt: skip
"""A formula of an entry's statement, and the function of theory.py that it is."""


@pytest.mark.parametrize(("name", "wanted"), SAME)
def test_a_statement_says_what_theory_computes(name, wanted):
    statement, rng = STATED[name], random.Random(name)
    space = Question(statement, pieces(statement)[0])
    for _ in range(20):
        values = space.point([rng.random() for _ in space.parameters])
        found = statement.number(wanted, **values)
        assert math.isclose(found, SAME[name, wanted](values), rel_tol=1e-9), values
