"""A leak is found in every kind of output, or the audit says that it is blind; an identifier is no leak."""

from __future__ import annotations

import pytest

from zoo import outputs

BLIND = ("pickled bytes",)


@pytest.mark.few(4)
@pytest.mark.parametrize("kind", outputs.KINDS)
def test_a_leak_is_found_or_the_audit_is_blind(kind: str) -> None:
    pytest.importorskip("pandas")
    found = outputs.leak(kind, 1_500)
    assert found.verdict == ("blind" if kind in BLIND else "refuted")
    assert (found.blind != "") == (kind in BLIND) or found.verdict == "refuted"


@pytest.mark.parametrize("kind", ["identifier", pytest.param("frame with an identifier", marks=pytest.mark.slow)])
def test_an_identifier_is_no_leak_and_can_be_left_out(kind: str) -> None:
    pytest.importorskip("pandas")
    bare, ignored = outputs.healthy(kind, 800, False), outputs.healthy(kind, 800, True)
    assert bare.verdict == "blind" and f"ignore=['{outputs.HEALTHY[kind][0]}" in bare.blind and bare.blind in str(bare)
    assert ignored.verdict == "not refuted" and ignored.ignored == (outputs.HEALTHY[kind][0],)
