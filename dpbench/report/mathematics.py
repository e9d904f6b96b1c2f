"""Mathematics for web pages: quotations in LaTeX become MathML, the ledger's plain text its signs (`signs`)."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from latex2mathml.converter import convert
from markupsafe import Markup, escape

from dpbench.report.signs import parts

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_LISTED = (
    "math mrow mi mn mo ms mtext mspace msub msup msubsup munder mover munderover mmultiscripts mprescripts none "
    "mfrac msqrt mroot mstyle mpadded mphantom menclose mtable mtr mtd merror"
)
_ELEMENTS = frozenset(_LISTED.split())
_KNOWN = (
    "linebreak display displaystyle mathvariant stretchy fence separator form lspace rspace minsize maxsize accent "
    "accentunder movablelimits largeop symmetric linethickness columnalign rowalign columnspacing rowspacing "
    "columnlines rowlines columnspan rowspan width height depth voffset scriptlevel notation mathcolor "
    "mathbackground mathsize"
)
_ATTRIBUTES = frozenset(_KNOWN.split())
_VALUE = re.compile(r"[\w.%+\- #]*", re.ASCII)
_MARKS = {ord(mark): f"&#{ord(mark)};" for mark in "\\|*_[]`~$"}


def quoted(text: str) -> Markup:
    """A quotation: what stands between dollars as MathML, what else is LaTeX as code, the rest as it is."""
    parts = re.split(r"\$+([^$]+)\$+", text)
    pieces = []
    for number, part in enumerate(parts):
        if number % 2:
            pieces.append(_mathml(part))
        else:
            pieces.append(Markup("<code>{}</code>").format(part) if "\\" in part else escape(part))
    return Markup("").join(pieces)


def _mathml(latex: str) -> Markup:
    try:
        return _rebuilt(ElementTree.fromstring(convert(latex)))
    except Exception:  # whatever a foreign quotation does to the parser: it is shown as it was written
        return Markup("<code>{}</code>").format(latex)


def _rebuilt(element: ElementTree.Element) -> Markup:
    """MathML written anew: elements and attributes of a list, text escaped; of any other element, its content alone."""
    inside = Markup("").join(
        [
            escape(element.text or ""),
            *(Markup("").join((_rebuilt(part), escape(part.tail or ""))) for part in element),
        ]
    )
    tag = element.tag.removeprefix(f"{{{_NAMESPACE}}}")
    if tag not in _ELEMENTS:
        return inside
    given = {name: value for name, value in element.items() if name in _ATTRIBUTES and _VALUE.fullmatch(value)}
    if tag == "math":
        given = {"xmlns": _NAMESPACE, **given}
    said = Markup("").join(Markup(' {}="{}"').format(name, value) for name, value in given.items())
    return Markup("<{0}{1}>{2}</{0}>").format(tag, said, inside)


_FORMS = {"text": "{}", "code": "<code>{}</code>", "root": "√({})", "up": "<sup>{}</sup>", "down": "<sub>{}</sub>"}


def typeset(text: str) -> Markup:
    """A statement of the ledger with Greek letters, signs, exponents and indices; code between backticks is left."""
    shown = ((kind, typeset(part) if kind == "root" else part) for kind, part in parts(text))
    return Markup("").join(Markup(_FORMS[kind]).format(part) for kind, part in shown)


def in_markdown(text: str) -> str:
    """`typeset` for a line of Markdown or a cell of its tables, where the text's own marks mean nothing."""
    return str(typeset(" ".join(text.split()))).translate(_MARKS)
