"""A small repository for a paper of the user's own, made by ``dpbench new-paper``: it works at once.

Its files are the ``*.j2`` beside this module; ``NAME`` in a file's name is the name of the paper, and ``+`` a folder.
"""

from __future__ import annotations

import keyword
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpbench.core.validation import invalid
from dpbench.core.version import __version__
from dpbench.ledger.registry import all_papers


def make(name: str, folder: Path) -> list[Path]:
    """Write the repository of a paper `name` into a folder that does not exist, or is empty.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    InvalidInput
        For a name that is none of Python's or is taken by a paper, and for a folder with files.
    """
    if not name.isidentifier() or not name.islower() or keyword.iskeyword(name) or name == "tests":
        raise invalid("name", "small letters, digits and underscores, a letter first (a module's name)", name)
    if name in {"dpbench", "lowerbounds", *(paper.name for paper in all_papers())}:
        raise invalid("name", "that of no other paper", name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise invalid("out", "a folder that does not exist, or is empty", str(folder))
    environment = Environment(
        loader=PackageLoader("dpbench.report.template", "."),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        variable_start_string="<<",
        variable_end_string=">>",
    )
    paths = []
    for source in sorted(one.name for one in files(__name__).iterdir() if one.name.endswith(".j2")):
        place = folder / source.removesuffix(".j2").replace("+", "/").replace("NAME", name)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = environment.get_template(source).render(name=name, version=__version__)
        place.write_text(text, encoding="utf-8")
        paths.append(place)
    return paths
