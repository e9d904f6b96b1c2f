"""Pages built from the evidence and the docstrings: ``sphinx-build -W -b html docs docs/_build/html``."""

import re
from pathlib import Path
from typing import Any

from dpbench import __version__
from dpbench.report import pages, site

_HERE = Path(__file__).resolve().parent
pages.write(_HERE / "results", _HERE.parent / "evidence")
site.write(_HERE / "made", "../../figures")

project = "dpbench"
author = copyright = "the dpbench authors"
release = __version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "numpydoc",
    "myst_parser",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
html_theme = "furo"
html_title = f"dpbench {release}"
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


def setup(app: Any) -> None:
    app.connect("autodoc-skip-member", _not_ours)
    app.connect("autodoc-process-docstring", _bars, priority=400)
