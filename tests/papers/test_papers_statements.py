"""Formulas of the statements are the project's own functions, at random points of their ranges."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping

import pytest

from dpbench.certificates.judge_pieces import Piece, searched
from dpbench.ledger.registry import all_claims
from dpbench.papers.publicdata import theory as publicdata

Values = Mapping[str, float]
STATED = {claim.id: claim.formal for claim in all_claims() if claim.formal is not None}
SAME: dict[tuple[str, str], Callable[[Values], float]] = {
    ("publicdata.lemma2.stability.mean", "bound"): lambda v: publicdata.regularized_stability_printed(
        2 * int(v["half"]) + 1, v["eta"]),
    ("publicdata.lemma2.stability.mean-sharp", "min(2, bound)"): lambda v: publicdata.regularized_stability(
        2 * int(v["half"]) + 1, v["eta"]),
    ("publicdata.lemma11.privacy.gaussian", "gamma"): lambda v: publicdata.perturb_scale_printed(
        int(v["m"]), publicdata.regularized_stability_printed(2 * int(v["half"]) + 1, v["eta"]), v["epsilon"],
        0.5 * v["delta"], "gaussian"),
    ("publicdata.lemma9.privacy.gaussian-small-m", "epsilon"): lambda v: publicdata.perturb_epsilon_printed(
        int(v["m"]), v["rho"], v["gamma"], v["delta"], "gaussian"),
    ("publicdata.lemma9.privacy.laplace", "gamma"): lambda v: publicdata.perturb_scale_printed(
        int(v["m"]), v["rho"], v["epsilon"], 0.0, "laplace"),
    ("publicdata.lemma9.privacy.laplace-exact", "gamma"): lambda v: publicdata.perturb_scale(
        int(v["m"]), v["rho"], v["epsilon"], 0.0, "laplace"),
    ("publicdata.lemma8.inequality.gaussian", "bound"): lambda v: publicdata.displacement_printed(
        int(v["m"]), v["gamma"], v["beta"], "gaussian"),
    ("publicdata.lemma8.inequality.laplace", "bound"): lambda v: publicdata.displacement_printed(
        int(v["m"]), v["gamma"], v["beta"], "laplace"),
    ("publicdata.lemma10.inequality", "4*strength^(2/3)*g^3"): lambda v: publicdata.lemma10_stability_printed(
        10, 1.0, 10.0 * v["g"] ** 3, 10**40, 0.5),
    ("publicdata.lemma7.stability", "once"): lambda v: publicdata.lemma7_printed(
        1, v["strength"], v["kappa"] * math.sqrt(2.0 / math.pi), v["kappa"]),
    ("publicdata.lemma7.stability.as-proved", "once"): lambda v: publicdata.lemma7_from_proposition(
        1, v["strength"], v["kappa"] * math.sqrt(2.0 / math.pi), v["kappa"]),
    ("publicdata.lemma7.stability.sharp", "once"): lambda v: publicdata.one_call_stability(
        1, v["strength"], v["kappa"] * math.sqrt(2.0 / math.pi)),
    ("publicdata.lemma1.stability", "bound"): lambda v: publicdata.averaged_stability_printed(
        1, v["strength"], v["kappa"] * math.sqrt(2.0 / math.pi), int(v["k"] + v["more"]), v["delta"], v["kappa"]),
}  # fmt: skip
"""A formula of an entry's statement, and the function of theory.py that it is."""


@pytest.mark.parametrize(("name", "wanted"), SAME)
def test_a_statement_says_what_theory_computes(name: str, wanted: str) -> None:
    statement, rng = STATED[name], random.Random(name)
    space = searched(statement, Piece((), "", {}, ("", ""), {}))
    for _ in range(20):
        values = space.point([rng.random() for _ in space.parameters])
        found = statement.number(wanted, **values)
        assert math.isclose(found, SAME[name, wanted](values), rel_tol=1e-9), values
