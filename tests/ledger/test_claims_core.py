"""The rules from evidence to verdict, and the ledger's own consistency."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from dpbench.core.validation import InvalidInput
from dpbench.ledger.core import Claim
from dpbench.ledger.measurement import Evidence, plain, privacy_verdict
from dpbench.ledger.verify import all_claims, select
from dpbench.ledger.words import VERDICTS
from dpbench.privacy.profile import gaussian_profile
from dpbench.rates.exclusion import rate_verdict


def gauss(mu, kind):
    return gaussian_profile(mu, kind=kind, why="test")


def test_privacy_verdict():
    targets = [(1.0, 1e-5), (2.0, 1e-5)]
    good, bad = 0.1, 3.0
    assert privacy_verdict(targets, guarantees=[gauss(good, "upper")] * 2) == "proved"
    assert privacy_verdict(targets, guarantees=[gauss(good, "upper"), gauss(bad, "upper")]) == "not refuted"
    assert privacy_verdict(targets, guarantees=[gauss(good, "lower")] * 2) == "not refuted"
    assert privacy_verdict(targets, pairs=[gauss(good, "exact"), gauss(bad, "exact")]) == "refuted"
    assert privacy_verdict(targets, pairs=[gauss(good, "exact"), gauss(bad, "upper")]) == "not refuted"
    assert privacy_verdict(targets, pairs=[gauss(good, "lower"), gauss(bad, "lower")]) == "refuted"
    assert privacy_verdict(targets) == "not refuted"
    with pytest.raises(ValueError, match="zip"):
        privacy_verdict(targets, pairs=[gauss(good, "exact")])


@pytest.mark.parametrize(
    ("interval", "side", "verdict"),
    [
        ((-0.55, -0.45), "tight", "consistent"),
        ((-0.55, -0.45), "upper", "consistent"),
        ((-0.65, -0.45), "tight", "undecided"),
        ((-0.59, -0.49), "tight", "consistent"),
        ((-0.59, -0.51), "tight", "inconsistent"),
        ((-0.80, -0.65), "tight", "inconsistent"),
        ((-0.80, -0.65), "upper", "consistent"),
        ((-0.55, -0.35), "tight", "undecided"),
        ((-0.55, -0.35), "upper", "undecided"),
        ((-0.49, -0.45), "upper", "inconsistent"),
        ((-0.35, -0.30), "tight", "inconsistent"),
        ((-0.35, -0.30), "upper", "inconsistent"),
        ((-2.0, 2.0), "tight", "undecided"),
    ],
)
def test_rate_verdict(interval, side, verdict):
    assert rate_verdict(interval, -0.5, side) == verdict
    moved = tuple(end + 0.07 for end in interval)  # as much faster at least, and as much slower at most, are allowed
    assert rate_verdict(moved, -0.5, side, (-0.02 if side == "upper" else 0.07, 0.07)) == verdict


@pytest.mark.parametrize(
    ("columns", "kept"),
    [
        ({"n": [1, np.int64(2)]}, [1, 2]),
        ({"n": [1, 2.5, "inf", Fraction(1, 4)]}, [1.0, 2.5, math.inf, 0.25]),
        ({"n": np.array([True, False])}, [True, False]),
        ({"n": ["a", "inf"]}, ["a", "inf"]),
        ({"n": [1.0, "a"]}, "column n of the table t must be all numbers, all texts, or all true or false"),
        ({"n": [1, True]}, "column n of the table t must be all numbers"),
        ({"n": [1.0, None]}, "column n of the table t must be all numbers"),
        ({"n": [(1, 2)]}, "column n of the table t must be all numbers"),
        ({"n": [1, 2], "m": [1]}, "the table t must be of columns of one length: what has another is another table"),
    ],
)
def test_tables_have_a_name_columns_of_one_length_and_of_one_type(columns, kept):
    if isinstance(kept, str):
        with pytest.raises(InvalidInput, match=kept):
            Evidence(1.0, tables={"t": columns})
        return
    made = Evidence(math.inf, tables={"t": columns, "empty": {}}, interval=(0.0, math.inf))
    assert made.tables == {"t": {"n": kept}} and [type(v) for v in made.column("n")] == [type(v) for v in kept]
    assert Evidence.from_dict(json.loads(json.dumps(made.to_dict(), allow_nan=False))) == made
    with pytest.raises(InvalidInput, match="evidence must be of this version, with a table of m"):
        made.column("m")


def test_plain_values_are_of_strict_json():
    values = {"a": np.array([1.0, math.nan]), 1: (np.float64(-math.inf), np.int64(3), True, "x", None)}
    assert plain(values) == {"a": [1.0, "nan"], "1": ["-inf", 3, True, "x", None]}


def test_ledger_is_consistent():
    claims = all_claims()
    ids = [claim.id for claim in claims]
    assert len(ids) == len(set(ids))
    assert len(ids) >= 340, "an entry is gone"
    for claim in claims:
        assert claim.expected in VERDICTS[claim.kind]
        assert len(claim.statement) > 20 and len(claim.derivation) > 40 and claim.source
        assert claim.holds == "" or claim.holds in ids
        assert claim.level <= 1e-6
        if claim.kind == "privacy" and claim.expected == "refuted":
            assert claim.holds, f"{claim.id} is refuted and names no entry that holds"
        assert len(claim.digest) == 64


def test_select():
    assert [c.id for c in select("glm.thm1.privacy.exact")] == ["glm.thm1.privacy.exact"]
    assert {c.kind for c in select("glm.*.privacy.exact*")} == {"privacy"}
    assert {c.kind for c in select(kind="rate")} == {"rate"}
    some = [c for c in all_claims() if c.paper != "heavytail"]
    assert [*select(paper=["glm", "publicdata"])] == [*all_claims(["glm", "publicdata"])] == some
    assert {c.paper for c in select(["*.thm1.privacy*", "glm.thm5.privacy"])} >= {"glm", "heavytail"}
    assert len(select(["glm.thm1.*", "glm.thm1.privacy*"])) == len(select("glm.thm1.*"))
    for misspelt in ("glm.thm1.privcy.exact", "glmm.thm1.privacy.exact"):
        with pytest.raises(InvalidInput, match=r"did you mean glm\.thm1\.privacy\.exact"):
            select(misspelt)
    with pytest.raises(InvalidInput, match="paper must be one of"):
        select(paper=["glm", "gml"])
    with pytest.raises(InvalidInput, match="kind must be one of"):
        select(kind="privcy")


@pytest.mark.parametrize(
    "changes", [{"id": "glm.thm1.rate"}, {"id": "thm1.privacy"}, {"expected": "consistent"}, {"side": "tight"}]
)
def test_a_claim_that_contradicts_itself_is_refused(changes):
    keywords = {"id": "glm.x.privacy", "paper": "glm", "source": "s", "kind": "privacy", "statement": "s",
                "derivation": "d", "expected": "proved", "run": lambda c: ("proved", Evidence(0.0))}  # fmt: skip
    Claim(**keywords)
    with pytest.raises(InvalidInput):
        Claim(**{**keywords, **changes})
