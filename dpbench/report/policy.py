"""What a page may load and run: nothing but the script and the style that it carries, known by their digests."""

from __future__ import annotations

import base64
import hashlib


def content_policy(*, script: str | None = None, style: str | None = None) -> str:
    """Content security policy of a page of one file, for a ``meta`` element at the top of its head.

    Parameters
    ----------
    script, style : str, optional
        Text of the one inline script and of the one inline style, to the last line break; None: there is none.
    """
    parts = ["default-src 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'"]
    parts += [
        f"{kind}-src '{_digest(text)}'" for kind, text in (("script", script), ("style", style)) if text is not None
    ]
    return "; ".join(parts)


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
