"""What a foreign quotation, statement or id may put into the pages: text, and nothing that a browser runs or loads."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace

import pytest
from stored_report import Elements

from dpbench.ledger.verify import all_claims
from dpbench.report import mathematics
from dpbench.report.page import page

PAYLOADS = (
    r"$\text{<script>document.title='PWNED'</script>}$",
    r"$\href{javascript:alert(1)}{x}$",
    r"$\text{<a href=javascript:alert(1)>x</a>}$",
    r"$x \style{background:url(http://localhost/)}{y}$",
    r"$\class{a onclick=alert(1)}{x}$",
    r"$\color{red;background:url(http://localhost/)}{x}$",
    r'$\text{" onmouseover="alert(1)}$',
    r"$\text{<img src=x onerror=alert(1)>}$",
    r"$\text{</mtext></math><script>alert(1)</script>}$",
    r"$\text{<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;}$",
    "<script>alert(1)</script>",
    r"</script><script>alert(1)</script> \alpha",
)
MATHML = mathematics._ELEMENTS | {"code"}


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_quotation_becomes_listed_elements_and_attributes(payload):
    for tag, attributes in Elements(str(mathematics.quoted(payload))).found:
        assert tag in MATHML
        assert attributes.keys() <= mathematics._ATTRIBUTES | {"xmlns"}
        assert not any(re.search(r"[:();]", value or "") for name, value in attributes.items() if name != "xmlns")


def test_pages_run_their_own_script_alone():
    claims = [
        replace(claim, quote=p, statement=p, source=p, consequence=p, weight="range")
        for claim, p in zip(all_claims(), PAYLOADS, strict=False)
    ]
    elements = Elements(text := page(claims, {})).found
    assert [tag for tag, _ in elements].count("script") == 1
    assert not [name for _, attributes in elements for name in attributes if name.startswith("on")]
    addresses = [
        value or "" for _, attributes in elements for name, value in attributes.items() if name in ("href", "src")
    ]
    assert all(address.startswith(("#", "data:", "https:")) for address in addresses), addresses
    (policy,) = [a["content"] or "" for tag, a in elements if tag == "meta" and a.get("http-equiv")]
    assert policy.startswith("default-src 'none';")
    for kind in ("script", "style"):
        (carried,) = re.findall(f"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(carried.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "style" not in {name for _, attributes in elements for name in attributes}, "the policy would drop it"


def test_quotations_of_the_ledger_stay_mathematics():
    quotations = [claim.quote for claim in all_claims() if "$" in claim.quote]
    made = [str(mathematics.quoted(text)) for text in quotations]
    assert len(made) > 50 and sum("<math " in text for text in made) > 0.9 * len(made)
    assert mathematics.quoted(r"$\frac{a}{b} < \sqrt{x^2}$ & <b>") == (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><mfrac><mrow><mi>a</mi></mrow><mrow>'
        "<mi>b</mi></mrow></mfrac><mo>&lt;</mo><msqrt><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></msqrt></mrow></math>"
        " &amp; &lt;b&gt;"
    )
