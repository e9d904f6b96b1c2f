"""The digest of a module's code: what it sees, what it ignores, and that it runs none of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dpbench.core import code, sources

FILES = {
    "__init__": "",
    "top": "from toyours import by_module\nfrom toyours.by_name import f\nimport toyours.plain\n",
    "by_module": "from . import relative\n",
    "by_name": "from .deep.inner import g\n",
    "plain": "import numpy\n",
    "relative": "def h():\n    from toyours import lazy\n    return lazy\n",
    "lazy": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from toyours.typed import T\n",
    "typed": "from toyours import top  # a cycle\n",
    "unrelated": "from toyours import top\n",
    "deep/__init__": "",
    "deep/inner": "from ..sibling import k\nfrom .. import uncle\n",
    "sibling": "",
    "uncle": "",
}
SEEN = ["by_module", "by_name", "deep/inner", "lazy", "plain", "relative", "sibling", "top", "typed", "uncle"]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package whose every module raises when it is imported."""
    folder = tmp_path / "toyours"
    for name, text in FILES.items():
        file = folder / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "raise RuntimeError('imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sources, "OURS", ("toyours",))
    forget()
    yield folder
    forget()


def forget() -> None:
    """Drop what the process remembers of sources: a new process would see the edit."""
    code._source_and_imports.cache_clear()
    sources.our_path.cache_clear()


def digest_after(edit: Callable[[], object]) -> str:
    edit()
    forget()
    return code.code_digest("toyours.top")


def test_sees_exactly_what_can_be_reached(package: Path) -> None:
    found = set(code.reachable_sources("toyours.top"))
    assert found == {"toyours." + name.replace("/", ".") for name in SEEN}
    assert not [name for name in sys.modules if name.startswith("toyours")]


@pytest.mark.parametrize("name", SEEN)
def test_an_edit_of_a_dependency_is_seen(package: Path, name: str) -> None:
    file = package / f"{name}.py"
    text = file.read_text()
    before = code.code_digest("toyours.top")
    after = digest_after(lambda: file.write_text(text + "# edited\n"))
    assert after != before
    assert digest_after(lambda: file.write_text(text)) == before


@pytest.mark.parametrize("name", ["unrelated", "deep/__init__", "__init__"])
def test_an_edit_elsewhere_is_not(package: Path, name: str) -> None:
    before = code.code_digest("toyours.top")
    assert digest_after(lambda: (package / f"{name}.py").write_text("edited = True\n")) == before


def test_moving_text_between_modules_is_seen(package: Path) -> None:
    before = code.code_digest("toyours.top")

    def swap() -> None:
        first, second = package / "sibling.py", package / "plain.py"
        texts = first.read_text(), second.read_text()
        first.write_text(texts[1])
        second.write_text(texts[0])

    assert digest_after(swap) != before


def test_a_name_exported_by_a_package_leads_into_it(package: Path) -> None:
    """`from toyours import value`, value not a module: the package's own file counts."""
    (package / "__init__.py").write_text("from toyours.sibling import value\n")
    (package / "outside.py").write_text("from toyours import value\n")
    forget()
    assert set(code.reachable_sources("toyours.outside")) == {
        "toyours",
        "toyours.outside",
        "toyours.sibling",
    }


def test_of_our_own_modules() -> None:
    kernels = set(code.reachable_sources("dpbench.papers.glm.algorithms._noisy_gd_kernels"))
    core = {"dpbench.core.validation", "dpbench.core.kernel", "dpbench.core.code"}
    assert {"dpbench.papers.glm.losses", *core} <= kernels
    assert "dpbench.papers.glm.algorithms.noisy_gd" not in kernels
    assert len(code.code_digest("dpbench.papers.glm.losses")) == 64


def test_modules_of_others() -> None:
    """A loaded module of a user's counts with its own file; one without a file is empty."""
    assert code.reachable_sources("pytest")["pytest"] == Path(str(pytest.__file__)).read_bytes()
    assert code.reachable_sources("sys") == {"sys": b""}
    assert code.reachable_sources("nowhere.at_all") == {"nowhere.at_all": b""}
    assert code.reachable_sources("dpbench.no_such_module") == {"dpbench.no_such_module": b""}
