"""Pages built from the evidence and the docstrings: ``sphinx-build -W -b html docs docs/_build/html``."""

import re
import shutil
import sys
from pathlib import Path
from typing import Any

from dpbench import __version__
from dpbench.cli import manual

_HERE = Path(__file__).resolve().parent
sys.path.append(str(_HERE.parent))  # for `tools`; what is installed comes first
from tools.pages import claim_pages, results, site  # noqa: E402

results.write(_HERE / "results", _HERE.parent / "evidence")
claim_pages.write(_HERE / "results" / "claims", results.committed(_HERE.parent / "evidence"))
site.write(_HERE / "made", "../../figures", _HERE.parent / "examples", {"commands.md": manual.commands()})

project = "dpbench"
author = copyright = "the dpbench authors"
release = __version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "numpydoc",
    "myst_nb",
]
nb_execution_mode = "force"  # the notebooks run here, and an error in one is an error of the build
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
myst_heading_anchors = 2
suppress_warnings = ["mystnb.unknown_mime_type"]
exclude_patterns = ["_build", "clicks.md"]
templates_path = ["_templates"]
html_theme = "furo"
html_title = f"dpbench {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["table.js"]
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings give types, with shapes and units
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
doctest_test_doctest_blocks = "default"


def _bars(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Absolute values are not substitutions: outside ``literals``, a bar is a bar."""
    for number, line in enumerate(lines):
        parts = re.split(r"(``.*?``)", line)
        lines[number] = "".join(p if p.startswith("``") else p.replace("|", r"\|") for p in parts)


def _not_ours(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Methods that scikit-learn adds to every estimator link to pages of its own documentation."""
    return True if name.endswith("_request") or name == "get_metadata_routing" else None


def _once(app: Any) -> None:
    """Other builders than that of the pages take notebooks as they are."""
    if app.builder.format != "html":
        app.config.nb_execution_mode = "off"


def _for_the_keyboard(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """What scrolls sideways takes the focus, and headings of the sidebar have a level (axe: both are serious)."""
    for part in ("body", "furo_navigation_tree"):
        if part in context:
            made = context[part].replace('role="heading"', 'role="heading" aria-level="2"')
            context[part] = re.sub(r'(<pre|<div class="table-wrapper [^"]*")>', r'\1 tabindex="0">', made)


def _report(app: Any, failed: Exception | None) -> None:
    """What pages link to, and what is not a page of Sphinx."""
    if failed is None and app.builder.format == "html":
        shutil.copy(_HERE / "made" / "report.html", Path(app.outdir) / "made" / "report.html")
        claim_pages.finish(Path(app.outdir) / "results" / "claims", _HERE.parent)


def setup(app: Any) -> None:
    app.connect("builder-inited", _once, priority=1)
    app.connect("html-page-context", _for_the_keyboard, priority=900)
    app.connect("html-page-context", claim_pages.linked, priority=800)
    app.connect("build-finished", _report)
    app.connect("autodoc-skip-member", _not_ours)
    app.connect("autodoc-process-docstring", _bars, priority=400)
