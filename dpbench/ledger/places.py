"""Where the committed evidence is."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def folder() -> Path:
    """Where the committed evidence is: in the checkout, or in the installed package."""
    inside = _PACKAGE / "_evidence" / "ledger"
    return inside if inside.is_dir() else checkout() / "evidence" / "ledger"


def checkout() -> Path:
    """The folder that holds the packages: the root of a checkout, if it is one."""
    return _PACKAGE.parent
