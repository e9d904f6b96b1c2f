"""What follows from our sources, kept between processes: found again, dropped after an edit or a damage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dpbench.core import code, kept, sources
from dpbench.core.code import Closure, closure
from dpbench.papers.glm.theory import smooth_gradient_bound

MODULE = "dpbench.papers.glm.theory"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setattr(kept, "_place", lambda: tmp_path / "deep" / "closures.json")
    forget()
    yield tmp_path / "deep" / "closures.json"
    forget()


def forget() -> None:
    """As in a new process."""
    kept._opened.cache_clear()
    code._closure_of_ours.cache_clear()
    code._source_and_imports.cache_clear()


def found() -> tuple[Closure, str]:
    return closure(smooth_gradient_bound, depends=["dpbench.core.sampling:canonical"]), code.code_digest(MODULE)


def written(place: Path) -> tuple[Closure, str]:
    first = found()
    kept.write()
    assert place.is_file()
    forget()
    return first


def test_it_is_found_again_without_a_look_at_the_sources(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = written(place)
    monkeypatch.setattr(code, "parsed", None)
    monkeypatch.setattr(code, "module_of", None)
    again = found()
    assert again == first
    assert again[0].names == first[0].names and len(again[0].definitions) > 3


def test_two_processes_add_to_one_file(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = written(place)
    other = closure(sources.our_files)
    kept.write()
    forget()
    monkeypatch.setattr(code, "module_of", None)
    assert closure(sources.our_files) == other
    assert closure(smooth_gradient_bound, depends=["dpbench.core.sampling:canonical"]) == first


def test_an_edit_of_any_source_of_ours_drops_it(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(place)
    beside = tmp_path / "beside.py"
    beside.write_text("edited = True\n")
    with monkeypatch.context() as other:
        other.setattr(sources, "_AT_START", {**sources._AT_START, beside: sources.state(beside)})
        assert kept.imports(MODULE) is None
    forget()
    assert kept.imports(MODULE) is not None


def test_nothing_is_read_or_kept_where_a_source_changed_under_way(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(place)
    before = place.read_bytes()
    monkeypatch.setitem(sources._AT_START, sources.our_path("dpbench.papers.publicdata.theory"), (0, 0, 0))
    assert kept.imports(MODULE) is None
    found()
    kept.write()
    assert place.read_bytes() == before


@pytest.mark.parametrize("damage", ["byte", "cut", "other key", "empty"])
def test_a_damaged_file_is_made_anew(place: Path, damage: str) -> None:
    first = written(place)
    text = place.read_bytes()
    at = text.index(b"canonical")
    damaged = {
        "byte": text[:at] + b"K" + text[at + 1 :],
        "cut": text[: len(text) // 2],
        "other key": b"0" * 64 + text[64:],
        "empty": b"",
    }[damage]
    place.write_bytes(damaged)
    assert kept.imports(MODULE) is None
    assert found() == first
    kept.write()
    forget()
    assert kept.imports(MODULE) is not None


def test_what_is_not_ours_from_the_start_is_not_kept(place: Path) -> None:
    kept.keep_imports("numpy", ["numpy.linalg"])
    kept.keep_closure([("dpbench.papers.glm.theory", "smooth_gradient_bound"), ("nowhere", "f")], "key", {})
    kept.write()
    assert not place.exists()
    assert code.module_of("numpy").bindings == {}
