"""One filter for text of others before it reaches a terminal: an author's words, ids, notes of a store."""

from __future__ import annotations

import unicodedata


def printable(text: str) -> str:
    """The text with what moves a terminal written out.

    Controls and escapes, marks that turn the direction of writing, surrogates and what is not assigned become ``\\x1b``
    or ``\\u202e``; line breaks, tabs and spaces of every kind stay.
    """
    return "\n".join(line if line.isprintable() else "".join(map(_shown, line)) for line in text.split("\n"))


def _shown(character: str) -> str:
    if character.isprintable() or character in "\n\t" or unicodedata.category(character) == "Zs":
        return character
    return ascii(character)[1:-1]
