"""Certificates: what is committed is accepted, agrees with the project's formulas, and does not survive mutation."""

import json
import math
import random
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import dpbench_check
import pytest
from certificate_mutations import mutations
from naive.certificates import true

import dpbench.certificates as certificates
from dpbench.certificates import shown
from dpbench.certificates.build import above, below, enclosure
from dpbench.ledger.registry import all_claims, by_id
from dpbench.papers.glm import theory as glm
from dpbench.papers.publicdata import theory as publicdata
from tools import records
from tools.records import entries

FOLDER = Path(__file__).resolve().parents[2] / "evidence" / "certificates"
COMMITTED = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
KINDS = sorted(dpbench_check.KINDS)
PER_KIND = 60
"""Mutations of a kind that are tried."""


def verdict(certificate):
    return dpbench_check.report_on(json.dumps(certificate))


def test_every_committed_certificate_is_accepted():
    assert len(COMMITTED) >= 80
    reports = {name: verdict(c) for name, c in COMMITTED.items()}
    refused = {name: report["because"] for name, report in reports.items() if not report["accepted"]}
    assert not refused
    for report in reports.values():
        assert re.match("REFUTES |SHOWS ", report["line"]) and "private" not in report["line"].lower()


def test_every_kind_has_a_certificate():
    assert {c["kind"] for c in COMMITTED.values()} == set(KINDS) - {"composition"}  # `judge` makes these


@pytest.mark.slow
def test_the_second_reading_finds_them_true():
    assert [name for name, c in COMMITTED.items() if not true(c)] == []


@pytest.mark.slow
def test_committed_certificates_are_those_that_are_made():
    """Same statement, formulas, assumptions and list of symbols that move nothing."""
    made = certificates.make()
    assert set(made) == set(COMMITTED)
    for name in made:
        for part in ("id", "kind", "verdict", "quote", "definitions", "assumptions", "claim", "inert"):
            assert made[name][part] == COMMITTED[name][part], (name, part)
        assert verdict(made[name])["accepted"], name


KNOWN = [sign * digits * 10.0**power for sign in (1, -1) for digits in (1.0, 9.9999999) for power in (-12, -1, 0, 5)]


@pytest.mark.parametrize("value", KNOWN)
def test_an_enclosure_holds_all_that_a_float_may_stand_for(value):
    """Known to 1e-9 of it, at six digits; what is exact is its own enclosure."""
    exact, (low, high) = Fraction(value), map(Fraction, enclosure(value))
    assert low < exact - abs(exact) / 10**9 and exact + abs(exact) / 10**9 < high
    assert high - low < abs(exact) / 49_000  # two units of the sixth digit
    lower, upper = below(abs(value)), above(abs(value))
    assert lower < abs(exact) < upper and upper - lower < abs(exact) / 49_000
    assert [Fraction(end) for number in (exact, 0.0, 7) for end in enclosure(number)] == [exact, exact, 0, 0, 7, 7]


PROVED = ("guarantee", "region", "composition")


def test_kinds_are_the_checkers_and_decide_one_word():
    assert set(shown.DECIDES) == set(KINDS)
    words = {kind: words for kind, (_, words, _) in dpbench_check.KINDS.items()}
    assert words == {kind: ("proved",) if kind in PROVED else ("refuted",) for kind in shown.DECIDES}


COMPUTED = {
    ("glm.thm1.privacy", "sigma"): lambda v: glm.noisy_gd_noise(
        glm.smooth_gradient_bound(1.0, 1.0, math.sqrt(0.5 + v["end"]), v["end"]), 2 * int(v["half"]) + 1,
        2 * int(v["half"]) + 1, v["epsilon"], v["delta"]),
    ("glm.thm1.privacy", "eta"): lambda v: glm.noisy_gd_step_size(
        v["end"], 2 * int(v["half"]) + 1, 1.0, 1.0, math.sqrt(0.5 + v["end"]), glm.noisy_gd_noise(
            glm.smooth_gradient_bound(1.0, 1.0, math.sqrt(0.5 + v["end"]), v["end"]), 2 * int(v["half"]) + 1,
            2 * int(v["half"]) + 1, v["epsilon"], v["delta"]), int(v["d"])),
    ("glm.thm5.privacy.exact", "lambda"): lambda v: glm.lipschitz_erm_regularization(
        v["G"], v["X"], v["B"], int(v["n"]), v["epsilon"], v["delta"]),
    ("glm.thm3.privacy.exact", "lambda"): lambda v: glm.smooth_erm_regularization(
        v["H"], v["X"], v["Y"], v["B"], int(v["n"]), v["epsilon"], v["delta"]),
    ("glm.thm10.privacy.moderate", "sigma"): lambda v: glm.lipschitz_jl_noise(
        v["G"], v["X"], int(v["n"]) ** 2, int(v["n"]), v["epsilon"], v["delta"]),
    ("publicdata.thm8.privacy", "scale"): lambda v: publicdata.rrspm_laplace_scale(int(v["m"]), v["epsilon"]),
    ("publicdata.lemma9.privacy.gaussian-exact", "gamma"): lambda v: publicdata.perturb_scale(
        int(v["m"]), v["rho"], v["epsilon"], v["delta"], "gaussian"),
    ("publicdata.lemma9.privacy.laplace", "gamma"): lambda v: publicdata.perturb_scale_printed(
        int(v["m"]), v["rho"], v["epsilon"], 0.0, "laplace"),
    ("publicdata.lemma9.privacy.laplace-exact", "gamma"): lambda v: publicdata.perturb_scale(
        int(v["m"]), v["rho"], v["epsilon"], 0.0, "laplace"),
    ("publicdata.alg3.privacy.mean", "rho"): lambda v: publicdata.regularized_stability(int(v["n"]), v["eta"]),
    ("publicdata.lemma11.privacy", "twice"): lambda v: publicdata.regularized_stability_printed(int(v["n"]), v["eta"]),
    ("publicdata.lemma11.privacy", "gamma"): lambda v: publicdata.perturb_scale_printed(
        int(v["m"]), publicdata.regularized_stability_printed(int(v["n"]), v["eta"]), v["epsilon"], 0.5 * v["delta"],
        "gaussian"),
    ("publicdata.lemma11.privacy.laplace", "gamma"): lambda v: publicdata.perturb_scale_printed(
        int(v["m"]), publicdata.regularized_stability_printed(int(v["n"]), v["eta"]), v["epsilon"], 0.0, "laplace"),
    ("publicdata.alg2.privacy", "stability"): lambda v: publicdata.lemma10_stability_printed(
        int(v["n"]), v["eta"], math.sqrt(2.0 / math.pi), int(v["J"]), v["delta"]),
    ("publicdata.thm4.privacy", "s"): lambda v: publicdata.rrspm_gaussian_scale_printed(
        int(v["d"] * v["copies"]), v["epsilon"], v["delta"]),
}  # fmt: skip
"""Of statements that are certified, a definition that a mechanism computes, and the function that computes it."""


@pytest.mark.parametrize(("claim", "name"), COMPUTED)
def test_what_a_mechanism_computes_is_the_formula_of_its_statement(claim, name):
    stated = [one for one in by_id()[claim].stated if one.instances][-1]
    rng = random.Random(claim)
    assert name in stated.where
    for given in stated.instances[:3]:
        values = {
            symbol: float(value + rng.randint(1, 9) if stated.symbols[symbol].whole else value * rng.uniform(0.4, 1.1))
            for symbol, value in given.items()
        }
        assert math.isclose(stated.number(name, **values), COMPUTED[claim, name](values), rel_tol=1e-9), values


def tried(kind):
    """How mutations of a kind fared, those accepted that are not true, and how many the second reading finds false."""
    pool = [(name, *m) for name, c in COMMITTED.items() if c["kind"] == kind for m in mutations(c)]
    rng = random.Random(kind)
    pool = rng.sample(pool, min(PER_KIND, len(pool)))
    fared, wrong, false = Counter(), [], 0
    for name, sort, where, mutated in pool:
        stays_true = true(mutated)
        false += not stays_true
        if not verdict(mutated)["accepted"]:
            fared[sort, "refused"] += 1
        elif stays_true:
            fared[sort, "accepted, and true"] += 1
        else:
            wrong.append(f"{name} {where}")
    return fared, wrong, false


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted({c["kind"] for c in COMMITTED.values()}))
def test_no_mutation_is_accepted_that_is_not_true(kind):
    """At least half are refused; of regions, where many changed cuts and witnesses stay true, ten false ones."""
    fared, wrong, false = tried(kind)
    assert not wrong
    refused = sum(count for (_, how), count in fared.items() if how == "refused")
    assert sum(fared.values()) >= 50
    if kind == "region":
        assert refused >= false >= 10, (fared, false)
    else:
        assert refused >= 0.5 * sum(fared.values()), fared
    assert not fared["assumption", "accepted, and true"]


@pytest.mark.slow
def test_the_second_reading_tells_true_from_false():
    """The judge of the mutations is not one that says yes to everything."""
    rng = random.Random(1)
    for kind in KINDS:
        some = [c for c in COMMITTED.values() if c["kind"] == kind][:4]
        found = [true(m) for c in some for _, _, m in rng.sample(list(mutations(c)), 5)]
        assert found.count(False) >= len(found) // 4, kind


def test_every_reason_names_a_living_entry_without_a_certificate():
    ids, made = {claim.id for claim in all_claims()}, certificates.makers()
    assert {maker.id for maker in made} <= ids
    taken = {m.id for m in made} | {m.id for m in records.recorders()}
    without = {claim.id for claim in all_claims() if claim.no_certificate}
    assert without and not without & taken, sorted(without & taken)


DECIDED = ("proved", "refuted", "consistent", "inconsistent")


def test_every_decided_entry_has_a_certificate_or_a_reason_of_its_own():
    have = {maker.id for maker in certificates.makers()}
    decided = [record for record in entries().values() if record["verdict"] in DECIDED]
    assert len(decided) > 100
    said = {claim.id for claim in all_claims() if claim.no_certificate}
    named = {*said, *(r["id"] for r in decided if shown.sampled(r))}
    bare = [r["id"] for r in decided if r["id"] not in have | named and r["verdict"] in ("proved", "refuted")]
    assert not bare
    assert all(shown.reason(r) for r in entries().values() if r["id"] not in have)


def test_an_entry_says_its_certificates_or_why_it_has_none():
    said = {claim: shown.about(claim) for claim in entries()}
    for claim, texts in said.items():
        files = re.findall(r"evidence/certificates/(\S+\.json)", " ".join(texts))
        assert files == [name for name, c in COMMITTED.items() if c["id"] == claim], claim
        assert files or (len(texts) == 1 and texts[0].startswith("none: ")), claim
    assert shown.about("no.such.entry") == ()


def test_quotes_are_the_ledgers():
    claims = {claim.id: claim for claim in all_claims()}
    for c in COMMITTED.values():
        mine = claims[c["id"]]
        corrected = {other.quote for other in claims.values() if other.holds == mine.id and other.quote}
        assert c["quote"]["text"] in ({mine.quote} if mine.quote else corrected or {mine.statement}), c["id"]
        assert c["quote"]["place"] == mine.source


def test_verdicts_of_the_ledger_agree():
    ledger = entries()
    for c in COMMITTED.values():
        if c["id"] in ledger:
            assert ledger[c["id"]]["verdict"] == c["verdict"], c["id"]
