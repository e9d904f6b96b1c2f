"""Pages of one file, from templates: they load and run nothing but the script and the style that they carry."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dpbench.report.mathematics import quoted, typeset


def render(name: str, *, style: str, script: str, **given: Any) -> str:
    """The page of a template, which may use the functions of `dpbench.report.mathematics`.

    Parameters
    ----------
    name : str
        Of the template.
    style, script : str
        Text of the page's style and script; the template has them as ``style`` and ``script``.
    **given
        What else the template names.
    """
    environment = Environment(
        loader=PackageLoader("dpbench.report", "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals.update(quoted=quoted, typeset=typeset)
    policy = content_policy(script=script, style=style)
    text = {"style": Markup(style), "script": Markup(script), "policy": policy}
    return environment.get_template(name).render(**text, **given) + "\n"


def text(name: str) -> str:
    """A file beside the templates, between line breaks."""
    return f"\n{resources.files('dpbench.report').joinpath('templates', name).read_text(encoding='utf-8')}\n"


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
