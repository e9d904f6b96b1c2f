"""Theorems 1 and 2 of the heavy-tailed paper: the weights of the exponential mechanism."""

from __future__ import annotations

import math
from fractions import Fraction

from dpbench.certificates.build import Draft, as_computed, below, certificate

ORDERS = {1: (Fraction(2),), 2: (Fraction(7, 4), Fraction(3, 2), Fraction(5, 4))}


def printed(theorem: int) -> Draft:
    """Net {−1, 0, 1}; all records fit w = 1 and are truncated elsewhere; the neighbour has one that fits w = −1."""
    instances = []
    for theta in ORDERS[theorem]:
        for epsilon, lean in ((Fraction(1), 3), (Fraction(1, 10), 20)):
            e, k = float(epsilon), lean
            moved = math.exp(-e * (k - 1)) + math.exp(-e * k) + math.exp(-e)
            kept = 2.0 * math.exp(-e * k) + 1.0
            shown = math.exp(-e * (k - 1)) / moved - math.exp(e) * math.exp(-e * k) / kept
            values = {"k": lean, "epsilon": epsilon} | ({"theta": theta} if theorem == 2 else {})
            instances.append((values, {"delta": shown}))
    bound = "log(2)" if theorem == 1 else "log(theta)"
    weight = f"exp(-epsilon*score/{bound})"
    return Draft(
        verdict="refuted",
        statement="With the printed weights a point of the net is more than e^epsilon times as likely on one data set "
        "as on its neighbour.",
        symbols={"k": "number of records n", "epsilon": "claimed",
                 **({"theta": "order of the moment"} if theorem == 2 else {})},
        definitions={
            "psi": bound,
            "all": f"exp(-epsilon*(k*psi)/{bound})",
            "but_one": f"exp(-epsilon*((k - 1)*psi)/{bound})",
            "one": f"exp(-epsilon*psi/{bound})",
        },
        assumptions={"records": ("k >= 2", "one record is replaced, one or more are not"),
                     **({"order": ("theta > 1", "log(theta) > 0"), "order_2": ("theta < 2", "Assumption 3")}
                        if theorem == 2 else {})},
        claim={"p": ["but_one", "all", "one"], "q": ["all", "all", "1"], "event": [0], "normalise": True,
               "epsilon": "epsilon", "delta": "0"},
        instances=instances,
        derivation=[
            ("d = 1, net {-1, 0, 1}, features so long that any residual but 0 is truncated: psi is its largest value, "
             f"{bound}, or 0.", ["order", "order_2"] if theorem == 2 else []),
            ("All k records fit w = 1; on the neighbour one fits w = -1. n iota L at (-1, 0, 1) is k, k, 0 times psi, "
             "and k - 1, k, 1 times psi; the weights are " + weight.replace("score", "(n iota L)") + ".", ["records"]),
        ],
    )  # fmt: skip


def guarantee(theorem: int, added: bool) -> Draft:
    """The largest log-ratio of two neighbouring laws: 2·weight·ψ (replace), weight·ψ (add or remove)."""
    bound = "log(2)" if theorem == 1 else "log(theta)"
    instances = []
    for theta in ORDERS[theorem]:
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(4)):
            values = {"epsilon": epsilon} | ({"theta": theta} if theorem == 2 else {})
            instances.append((values, {"loss": epsilon}))
    moves = "1" if added else "2"
    why = (
        "A further record multiplies every weight by a factor in [exp(-weight psi), 1], and so the normaliser."
        if added else
        "Replacing a record moves n iota L at each point by at most psi, so every log-weight, and the log of the "
        "normaliser, by at most weight psi."
    )  # fmt: skip
    draft = Draft(
        verdict="proved",
        statement="No point of the net is more than e^epsilon times as likely on one of two neighbours.",
        symbols={"epsilon": "claimed", **({"theta": "order of the moment"} if theorem == 2 else {"two": "the order, "
            "2"})},
        definitions={"psi": bound if theorem == 2 else "log(two)",
                     "weight": f"epsilon/({'' if added else '2*'}{bound if theorem == 2 else 'log(two)'})"},
        assumptions={"order": ("theta > 1", "psi > 0") if theorem == 2 else ("two = 2", "equation 6")},
        claim={"family": "pure", "shift": f"{moves}*weight*psi", "scale": "1", "epsilon": "epsilon", "delta": "0"},
        instances=[(values | ({} if theorem == 2 else {"two": 2}), shows) for values, shows in instances],
        derivation=[("0 <= psi(|r|) <= psi, the bound on the truncated loss.", ["order"]), (why, [])],
    )  # fmt: skip
    return as_computed(draft, "weight", "factor of n iota L in the exponent, negated", solved="-", rounded=below)


@certificate("heavytail.thm1.privacy.printed", "pair-discrete")
def theorem1_printed() -> Draft:
    return printed(1)


@certificate("heavytail.thm2.privacy.printed", "pair-discrete")
def theorem2_printed() -> Draft:
    return printed(2)


@certificate("heavytail.thm1.privacy.exact", "guarantee")
def theorem1_exact() -> Draft:
    return guarantee(1, False)


@certificate("heavytail.thm2.privacy.exact", "guarantee")
def theorem2_exact() -> Draft:
    return guarantee(2, False)


@certificate("heavytail.thm1.privacy.printed-add-remove", "guarantee")
def theorem1_added() -> Draft:
    return guarantee(1, True)


@certificate("heavytail.thm2.privacy.printed-add-remove", "guarantee")
def theorem2_added() -> Draft:
    return guarantee(2, True)
