"""Entries that are proved over a region: what proves them can fail, and their formulas are the theory's.

A control has a constant changed so that the statement is false at a point that mpmath sees, or a region that reaches to
where it is false: neither the search for cuts nor the checker, with the cuts of the true statement, lets it pass.
"""

import json
import math
import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from naive.certificate_reading import Reading
from naive.certificates import true
from naive.jl_step import before_the_map, step_size
from whole_certificates import report

from dpbench.certificates import makers
from dpbench.certificates.build import seal, sealed
from dpbench.certificates.proofs import proof, regional
from dpbench.core.validation import InvalidInput
from dpbench.ledger import formula, grades
from dpbench.ledger.registry import all_claims
from dpbench.ledger.statement import Real
from dpbench.ledger.verify import verify
from dpbench.papers.glm import theory
from dpbench.papers.heavytail import theory as heavytail
from dpbench.papers.publicdata import theory_settings
from lowerbounds import two_point_constant
from lowerbounds.fingerprints import PRINTED_BETA

ENTRIES = {c.id: c for c in all_claims() if c.formal is not None and c.formal.cells}
STATED = {name: one.formal for name, one in ENTRIES.items() if one.formal is not None}
FALSE = {
    "glm.lemma2.inequality": ("2*a + 2*b", "(7/5)*a + 2*b", {"a": "1", "b": "1/1000"}),
    "glm.lemma3.inequality": ("3*(", "(7/5)*(", {"t": "1/3"}),
    "glm.fact1.inequality": ("2*s", "(7/5)*s", {"s": "1"}),
    "glm.lemma4.inequality": ("2*v^2", "(9/10)*v^2", {"a": "1", "v": "1/2"}),
    "glm.lemma6.inequality": ("4*h", "(13/10)*h", {"b": "0", "h": "1", "s": "0", "c": "1/4"}),
    "glm.lemma12.inequality": (")/2", ")*(501/1000)", {"c": "0", "p": "1", "q": "-1"}),
    "glm.thm4.inequality.two-point": ("1/4", "97/100", {"t": "1", "x": "1"}),
    "glm.thm11.floor.case2.corrected": (
        "3*(", "(5/4)*(", {"v": "1", "x": "0", "epsilon": "6/5", "k": "1", "beta": "1/100"},
    ),
    "glm.thm11.inequality.corrected": ("u^2", "(101/100)*u^2", {"u": "1"}),
    "glm.thm11.inequality.beta": ("3*epsilon", "(7/5)*epsilon", {"epsilon": "6/5", "k": "1", "beta": "0"}),
    "glm.thm16.floor.small-radius.corrected": ("/11", "/8", {"z": "1", "rho": "0"}),
    "glm.lemma9.inequality.corrected": (")/2", ")*(499/1000)", {"s": "0"}),
    "glm.thm13.inequality.differences": (")/2", ")*(499/1000)", {"s": "0"}),
    "glm.lemma10.inequality.corrected": ("2*exp(-L)", "exp(-L)/5", {"L": "2"}),
    "glm.thm15.inequality.corrected": ("16*t/3", "5*t/2", {"t": "99/100"}),
    "glm.lemma8.inequality": ("7*(1 - s)", "(13/2)*(1 - s)", {"s": "1/1000", "w": "1"}),
    "glm.lemma8.inequality.corrected": ("7*(1 - s)", "(13/2)*(1 - s)", {"s": "1/1000", "u": "1"}),
    "glm.thm2.inequality.corrected": ("t^(2/3)", "(99/100)*t^(2/3)", {"t": "1"}),
    "glm.cor2.inequality.corrected": ("251*a", "106*a", {"a": "1", "q": "1"}),
    "heavytail.eq3.inequality": ("(1/2)", "(49/100)", {"x": "1/10"}),
    "heavytail.eq3.inequality.theta-below-2": ("/theta*(2", "/theta*(19/10", {"x": "1/10", "theta": "2"}),
    "heavytail.thm1.inequality.quantile": (
        "3*a", "(1/2)*a", {"a": "1", "b": "0", "e": "0", "l": "0", "c": "1", "iota": "1/1000"},
    ),
    "heavytail.thm2.inequality.quantile": (
        "6*c", "3*c", {"a": "0", "b": "0", "e": "0", "l": "1", "g": "0", "c": "1/2", "theta": "3/2"},
    ),
    "heavytail.thm2.inequality.assumption4-truncation.corrected": ("4", "(39/10)", {"N": "1", "L": "1"}),
    "publicdata.lemma10.inequality.corrected": ("(4*kappa)", "(3*kappa)", {"g": "1", "e": "0", "kappa": "1/4"}),
    "publicdata.lemma15.inequality.smoothness": ("sqrt(sigma)*s", "2*sqrt(sigma)*s", {"sigma": "1", "s": "1"}),
    "publicdata.lemma19.inequality": ("2", "(199/100)", {"r": "5"}),
    "publicdata.lemma12.inequality.logarithm": ("(2/3)", "(4/3)", {"s": "1"}),
    "publicdata.thm6.inequality.calls": (")/2", ")*(51/100)", {"b": "1", "d": "1", "r": "1"}),
    "publicdata.thm6.inequality.sample-size-corrected": ("10^6", "10^5", {"d": "1", "t": "2/5"}),
    "publicdata.thm7.inequality.necessary": ("exp(epsilon)", "(101/100)*exp(epsilon)", {"epsilon": "1/1000"}),
}  # fmt: skip
"""A text of the claim and another in its place, with a point at which the claim then is false."""
WIDER = {
    "glm.thm11.inequality.corrected": ("u", (0, "11/10"), {"u": "21/20"}),
    "glm.thm11.inequality.beta": ("epsilon", (0, 3), {"epsilon": "29/10", "k": "1", "beta": "0"}),
    "heavytail.thm2.inequality.assumption4-truncation.corrected": ("L", ("9/10", "inf"), {"N": "1", "L": "9/10"}),
    "publicdata.lemma10.inequality.corrected": ("kappa", ("6/25", "inf"), {"kappa": "6/25", "g": "1", "e": "0"}),
    "publicdata.lemma15.inequality.smoothness": ("sigma", (0, "101/100"), {"sigma": "101/100", "s": "1"}),
    "publicdata.thm6.inequality.calls": ("r", ("1/2", "inf"), {"b": "1", "d": "1", "r": "1/2"}),
}  # fmt: skip
"""A symbol with a range that reaches beyond the statement's, and a point there at which the claim is false."""


@cache
def proving():
    """The makers of proofs over a region, by entry."""
    found = [maker for maker in makers() if maker.kind == "region"]
    by_name = {maker.id: maker for maker in found}
    assert len(by_name) == len(found)
    return by_name


@cache
def certified(name):
    return sealed(proving()[name])


@cache
def documents():
    paths = (Path(__file__).parents[2] / "evidence" / "certificates").glob("*.json")
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def accepted(certificate):
    """Whether the checker sees the claim: symbols that move nothing are no matter here."""
    made = certificate | {"digest": seal(certificate)}
    answer = report(made)
    return bool(answer["accepted"] or answer.get("vacuous"))


def cuts(statement, cells):
    return regional(statement).tree(cells).cuts


def test_every_proof_has_a_control():
    assert set(FALSE) == set(STATED) and len(STATED) >= 25


@pytest.mark.parametrize("name", STATED)
def test_the_prover_the_checker_and_mpmath_agree(name):
    """The cuts are found anew, the same at every run; the checker sees each cell, and points of them are not false."""
    made = certified(name)
    committed = [one["claim"]["cuts"] for one in documents() if one["id"] == name and one["kind"] == "region"]
    assert [made["claim"]["cuts"]] == committed == [cuts(STATED[name], STATED[name].cells)]
    assert accepted(made) and true(made)


@pytest.mark.few(5)
@pytest.mark.parametrize("name", FALSE)
def test_a_changed_constant_is_not_proved(name):
    old, new, point = FALSE[name]
    statement, certificate = STATED[name], certified(name)
    parts, where = dict(statement.claim.parts), dict(statement.where)
    (*_, (kept, name)) = [(kept, name) for kept in (parts, where) for name, text in kept.items() if old in text]
    kept[name] = kept[name].replace(old, new, 1)
    wrong = statement.replace(claim=type(statement.claim)("inequality", parts), where=where)
    left, right = (formula.write(wrong.claim_nodes[side]) for side in ("left", "right"))
    falsified = {**certificate, "claim": {**certificate["claim"], "claims": [f"{left} <= {right}"]},
                 "definitions": [[key, formula.write(node)] for key, node in wrong.definitions.items()]}  # fmt: skip
    at = Reading(falsified, {"values": point})
    assert not at.holds(f"{left} <= {right}")
    assert not accepted(falsified)
    with pytest.raises(InvalidInput, match="cells"):
        proof(wrong)


@pytest.mark.few(2)
@pytest.mark.parametrize("name", WIDER)
def test_a_region_that_reaches_too_far_is_not_proved(name):
    symbol, (low, high), point = WIDER[name]
    statement, certificate = STATED[name], certified(name)
    wide = statement.replace(symbols={symbol: type(statement.symbols[symbol])("wider", low, high)})
    sides = {**certificate["claim"]["region"], symbol: [str(low), str(high)]}
    widened = {**certificate, "claim": {**certificate["claim"], "region": sides}}
    at = Reading(widened, {"values": point})
    assert not at.holds(certificate["claim"]["claims"][0])
    assert cuts(wide, 400) is None
    assert not accepted(widened)


def sides(name, **values):
    parts = STATED[name].claim.parts
    return STATED[name].compiled(str(parts["left"]), str(parts["right"]))(values)


def ratio(name, **values):
    left, right = sides(name, **values)
    return left / right


def uniform(rng, low, high):
    return float(10.0 ** rng.uniform(low, high))


def lemma8(rng):
    n, k, epsilon = uniform(rng, 0, 6), uniform(rng, 0, 6), uniform(rng, -3, 1)
    a = math.sqrt(k * math.log(2e5)) / (n * epsilon)
    eta = 1.0 / ((1.0 + a) * n**1.5)
    left = before_the_map(n, k, epsilon, 1e-5, eta, steps_in_noise=False)
    told = ratio("glm.lemma8.inequality", s=a / (1.0 + a), w=1.0 / math.sqrt(n))
    return told, left / (7.0 / math.sqrt(n) + 4.5 * a)


def lemma8_corrected(rng):
    n, k, epsilon = int(uniform(rng, 0, 6)), uniform(rng, 0, 6), uniform(rng, -3, 1)
    x = math.sqrt(8.0 * k * math.log(2e5) / (13.0 * n)) / epsilon
    left = before_the_map(n, k, epsilon, 1e-5, step_size(n, k, epsilon, 1e-5))
    unit = math.sqrt(13.0 / n) * (1.0 + x)
    statement = STATED["glm.lemma8.inequality.corrected"]
    (first,) = statement.compiled("first")({"s": x / (1.0 + x), "u": 1.0 / n})
    return 1.0 + first, left / unit


def bracketed(rng):
    n, k, epsilon = int(uniform(rng, 0, 6)), uniform(rng, 0, 6), uniform(rng, -3, 1)
    a = math.sqrt(k * math.log(2e5) / n) / epsilon
    eta = 1.0 / ((1.0 + a) * n**1.5)
    left = before_the_map(n, k, epsilon, 1e-5, eta)
    (second,) = STATED["glm.lemma8.inequality.corrected"].compiled("second")({"s": a / (1.0 + a), "u": 1.0 / n})
    return second, (left - (7.0 + 4.5 * a) / math.sqrt(n)) * math.sqrt(n) / (1.0 + a)


def theorem15(rng):
    radius, noise = uniform(rng, -2, 2), uniform(rng, -2, 2)
    gamma = math.sqrt(2.0 * radius**2 / math.log(2.0) + 16.0 / 3.0 * noise**2)
    moment = math.exp(radius**2 / (gamma**2 - 2.0 * noise**2)) / math.sqrt(1.0 - 2.0 * noise**2 / gamma**2)
    return 2.0 * ratio("glm.thm15.inequality.corrected", t=noise**2 / (radius**2 + noise**2)), moment


def dimension(rng):
    case = *(uniform(rng, -2, 2) for _ in range(4)), 10**4, uniform(rng, -2, 1)
    smoothness, x_bound, y, radius = case[:4]
    h = math.sqrt(smoothness) * radius * x_bound
    stated = ((h * math.sqrt(y)) ** (4.0 / 3.0) + h**2) / (case[4] * case[5]) ** (2.0 / 3.0)
    k, bound = theory.smooth_jl_balance(*case), theory.smooth_gradient_bound(*case[:4])
    left = bound * radius * math.sqrt(k) / (case[4] * case[5]) + smoothness * (radius * x_bound) ** 2 / k
    return ratio("glm.thm2.inequality.corrected", t=h / (y + h)), left / (2.0 ** (5.0 / 3.0) * stated)


def lemma2(rng):
    h, x, y, radius = (uniform(rng, -2, 2) for _ in range(4))
    a, b = math.sqrt(h) * x * y, h * radius * x**2
    sharp = math.sqrt(2.0) * a + b
    return ratio("glm.lemma2.inequality", a=a, b=b), sharp / theory.smooth_gradient_bound(h, x, y, radius)


def lemma3(rng):
    h, x, y, radius = (uniform(rng, -2, 2) for _ in range(4))
    s = math.sqrt(h / 2.0) * radius * x
    return ratio("glm.lemma3.inequality", t=s / (y + s)), (y + s) ** 2 / (3.0 * (y**2 + h * radius**2 * x**2))


def two_point(rng):
    epsilon = uniform(rng, -3, 0)
    delta, distance = -math.expm1(-epsilon) / 16.0, rng.randint(1, max(1, int(1.0 / epsilon)))
    exact = two_point_constant(epsilon, delta, distance)
    return ratio("glm.thm4.inequality.two-point", t=distance * epsilon, x=math.exp(-epsilon)), 0.125 / exact


def quantile(rng):
    """Both sides less 2 log(2)(e + l)/epsilon: the difference of the two bounds."""
    n = 10**3
    iota, epsilon, zeta, entropy, spread = (uniform(rng, -1, 1) for _ in range(5))
    sizes, given = heavytail.Sizes(iota, n, epsilon, zeta, entropy, 0.05), {"theta": 2.0, "spread": spread}
    low, high = heavytail.shorter_bound(sizes, **given), heavytail.utility_bound(sizes, **given, sampling=True)
    e, level = entropy / (n * iota), math.log(20.0) / (n * iota)
    values = {"a": zeta, "b": iota * spread, "e": e, "l": level, "c": 1.0 / epsilon, "iota": iota}
    left, right = sides("heavytail.thm1.inequality.quantile", **values)
    return right - left, high - low


def quantile26(rng):
    n = 10**3
    iota, zeta, entropy, spread = (uniform(rng, -1, 1) for _ in range(4))
    theta = rng.uniform(1.05, 1.95)
    epsilon = 2.0 * math.log(theta) * rng.uniform(0.05, 1.0)
    sizes, given = heavytail.Sizes(iota, n, epsilon, zeta, entropy, 0.05), {"theta": theta, "spread": spread}
    low, high = heavytail.shorter_bound(sizes, **given), heavytail.utility_bound(sizes, **given, sampling=False)
    unit = 2.0 * iota ** (theta - 1.0) / theta
    values = {"a": zeta, "b": unit * spread, "g": unit * zeta**theta, "e": entropy / (n * iota),
              "l": math.log(20.0) / (n * iota), "c": math.log(theta) / epsilon, "theta": theta}  # fmt: skip
    left, right = sides("heavytail.thm2.inequality.quantile", **values)
    return right - left, high - low


def lemma10(rng):
    size, n, kappa, calls = uniform(rng, -2, 2), 10**4, rng.uniform(0.25, 1.0), 10**3
    unit, log = 2.0 * 4.0 ** (2.0 / 3.0), math.log(2e5)
    needed = 2.0 * (size / (0.1 * n)) ** (1.0 / 3.0) / kappa ** (2.0 / 3.0) + math.sqrt(log / calls)  # (12), delta/2
    g, e = (size / (n * 0.1)) ** (1.0 / 3.0), math.sqrt(log / calls) / unit
    return ratio("publicdata.lemma10.inequality.corrected", g=g, e=e, kappa=kappa), needed / (unit * (g + e))


def sample_size(rng):
    """With log(2/delta) in both, which is twice log(1/delta) at most."""
    d, alpha, epsilon, log = uniform(rng, 0, 4), uniform(rng, -3, 0), uniform(rng, -1, 0), math.log(2e5)
    made = theory_settings.theorem6(epsilon, 1e-5, alpha, 0.05, d, 1.0, 1.0)
    factor = 0.5 * made.m / made.gamma**2 * (1.0 + made.gamma * math.sqrt(log))
    least = math.sqrt(d) / made.eta * (2.0 * 2.0 * 4.0 ** (2.0 / 3.0) * factor / epsilon) ** 3
    said = d**4 / epsilon**3 * (alpha**-13 + (log / 2.0) ** 1.5 * alpha**-10)
    y = alpha * math.sqrt(log / math.log(20.0))
    return ratio("publicdata.thm6.inequality.sample-size-corrected", d=d, t=y / (1.0 + y)), least / (1e6 * said)


AGREE = {
    "glm.lemma2": lemma2, "glm.lemma3": lemma3, "glm.lemma8": lemma8, "glm.lemma8.corrected": lemma8_corrected,
    "glm.lemma8.corrected, second": bracketed, "glm.thm15": theorem15, "glm.thm2.dimension": dimension,
    "glm.thm4.two-point": two_point, "heavytail.thm1.quantile": quantile, "heavytail.thm2.quantile": quantile26,
    "publicdata.lemma10": lemma10, "publicdata.sample-size": sample_size,
}  # fmt: skip


@pytest.mark.parametrize("name", AGREE)
def test_reduced_formulas_are_the_theorys(name):
    """The statement in reduced symbols against the functions that the measurement uses, at 200 random points."""
    rng = random.Random(name)
    for _ in range(200):
        told, known = AGREE[name](rng)
        assert math.isclose(told, known, rel_tol=1e-8, abs_tol=1e-9), name


def test_the_constants_of_the_floors():
    """Theorem 11's floors at the printed beta, and the two sides of the step before them, at random points."""
    rng = random.Random(3)
    for _ in range(200):
        epsilon, k = rng.uniform(0.01, 1.2), rng.random()
        n_epsilon = rng.uniform(1.0, 500.0)
        active = math.floor(48.0 * n_epsilon)
        inner = 0.25 - 3.0 * (1.0 + 2.0 * PRINTED_BETA) * n_epsilon / active - 2.0 * PRINTED_BETA
        left = max(0.0, inner) * (active / (48.0 * n_epsilon)) ** 0.5
        exact = 0.25 - 2.0 * PRINTED_BETA - n_epsilon / epsilon * (math.expm1(epsilon) + k * epsilon) / (2.0 * active)
        values = {"v": 48.0 * n_epsilon / active, "x": 0.5, "epsilon": epsilon, "k": k, "beta": PRINTED_BETA}
        told = sides("glm.thm11.floor.case2.corrected", **values)
        assert math.isclose(told[0], left, rel_tol=1e-9) and told[1] <= max(0.0, exact) + 1e-12


def test_a_certificate_of_other_formulas_or_of_a_smaller_region_decides_nothing():
    """The committed one is of the formulas as they are; where they were edited since, the word is not "proved"."""
    for name, statement in STATED.items():
        entry, parts = ENTRIES[name], statement.claim.parts
        assert grades.certified(entry, "proved"), name
        others = [statement.replace(claim=type(statement.claim)("inequality", {**parts, "right": "10^9"}))]
        if name in WIDER:
            symbol, (low, high), _ = WIDER[name]
            others.append(statement.replace(symbols={**statement.symbols, symbol: Real("wider", low, high)}))
        for other in others:
            assert not grades.certified(replace(entry, formal=other), "proved"), name


def test_a_stored_verdict_follows_the_certificates_of_today(tmp_path, monkeypatch):
    """One that was stored before its certificate was written, and one whose certificate has gone since."""

    def verdict():
        return verify("glm.fact1.inequality", store=tmp_path / "runs.sqlite", workers=1).entries[0].verdict

    with monkeypatch.context() as without:
        without.setattr(grades, "certified", lambda claim, verdict: False)
        assert verdict() == "not refuted"
    assert verdict() == "proved"
    monkeypatch.setattr(grades, "certified", lambda claim, verdict: False)
    assert verdict() == "not refuted"
