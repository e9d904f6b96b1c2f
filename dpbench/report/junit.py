"""The ledger as a JUnit report: a test case for each claim; an unexpected verdict is a failure."""

from __future__ import annotations

import re
from xml.etree import ElementTree as xml

from dpbench.ledger.outcome import Entry, Ledger

_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML document may hold, not even escaped."""


def _legal(text: str) -> str:
    """The text with what XML forbids spelt out, as in ``\\x07``."""
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


def junit(ledger: Ledger) -> str:
    """The XML document, with the verdict, the value and the notes of an entry in its system-out."""
    cases = [_case(entry) for entry in ledger.entries]
    for item in ledger.not_run:
        case = xml.Element("testcase", name=item["id"], classname="dpbench", time="0")
        outcome = "skipped" if item["reason"].startswith("full only") else "error"
        xml.SubElement(case, outcome, message=_legal(item["reason"]))
        cases.append(case)
    counts = {
        name: str(sum(case.find(tag) is not None for case in cases))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
    }
    about = {"name": f"dpbench {ledger.level}", "tests": str(len(cases)), "time": f"{ledger.seconds:.3f}"}
    suite = xml.Element("testsuite", about | counts)
    suite.extend(cases)
    root = xml.Element("testsuites")
    root.append(suite)
    xml.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + xml.tostring(root, encoding="unicode")


def _case(entry: Entry) -> xml.Element:
    claim, evidence = entry.claim, entry.evidence
    case = xml.Element(
        "testcase",
        name=claim.id,
        classname=f"dpbench.{claim.paper}.{claim.kind}",
        time=f"{evidence.seconds:.3f}",
    )
    if not entry.as_expected:
        failure = xml.SubElement(case, "failure", message=f"{entry.verdict}, expected {claim.expected}")
        failure.text = _legal(f"{claim.source}: {claim.statement}")
    said = [f"verdict: {entry.verdict}", f"grade: {entry.basis.grade}", f"value: {evidence.value:.6g}", *evidence.notes]
    if entry.stored:
        said.insert(1, "stored: read from the store, as an earlier run left it")
    xml.SubElement(case, "system-out").text = _legal("\n".join(said))
    return case
