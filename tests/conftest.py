"""Fixtures of the tests of the command line."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import settings

import dpbench
from dpbench import cli
from dpbench.ledger import registry
from dpbench.ledger import verify as ledger
from dpbench.ledger.core import Claim

ROOT = Path(__file__).resolve().parents[1]
settings.register_profile("fixed", derandomize=True)
if not os.environ.get("DPBENCH_ALL"):  # `.ci/all` draws examples of its own; elsewhere a run is as the one before
    settings.load_profile("fixed")


def other_files(installed: Path, checkout: Path = ROOT) -> list[str]:
    """Modules of the two packages that differ between an installed copy and a checkout."""
    found = {}
    for root in (installed, checkout):
        paths = [path for name in ("dpbench", "lowerbounds") for path in (root / name).rglob("*.py")]
        found[root] = {str(path.relative_to(root)): path.read_bytes() for path in paths}
    names = sorted(found[installed].keys() | found[checkout].keys())
    return [name for name in names if found[installed].get(name) != found[checkout].get(name)]


def refuse_another_copy(installed: Path) -> None:
    """An installed copy that is not this checkout's code would be tested in its place."""
    differing = other_files(installed) if installed != ROOT else []
    if differing:
        raise pytest.UsageError(
            f"dpbench must be the code of {ROOT}, whose tests these are, got {installed}, where {differing[0]} "
            f"({len(differing)} files) differs; install this checkout, or run `python -m pytest` in it"
        )


refuse_another_copy(Path(dpbench.__file__).resolve().parents[1])
sys.path.append(str(ROOT))  # last of all: `studies` and `benchmarks` are of the checkout, dpbench is what is installed


@pytest.fixture(scope="session")
def numba_loaded() -> None:
    """All of numba, part of which only its first compilation imports.

    A session of pytester forgets the modules that it was the first to import; numba cannot register them twice.
    """
    import numba

    assert numba.njit(lambda x: x + 1)(1) == 2


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file that has a mark as a whole is not imported where that mark is left out: it would cost seconds."""
    asked = config.option.markexpr
    if collection_path.suffix != ".py" or " or " in asked:
        return None
    marks = WHOLLY.findall(collection_path.read_text(encoding="utf-8"))
    return True if any(re.search(rf"\bnot {mark}\b", asked) for mark in marks) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is made while collecting is kept to the end: looking through it for garbage would cost a second."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    from few_cases import mark  # not above: a copy of this file alone still says whose tests these are

    mark(items)
    if part := os.environ.get("DPBENCH_PART"):  # of `.ci/run`
        from tools.landings import leave_out

        leave_out(config, items, part)
    providers = sys.modules.get("hypothesis.internal.conjecture.providers")
    if hasattr(providers, "_get_local_constants") and hasattr(providers, "_local_constants"):
        # it would read the source of every module here for constants to try: for seconds, and a test would draw
        # other examples where other modules are loaded
        vars(providers)["_get_local_constants"] = lambda: vars(providers)["_local_constants"]


WHOLLY = re.compile(r"^pytestmark = (?:\[\s*)?pytest\.mark\.(\w+)", re.MULTILINE)


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """An empty working directory, and a ledger of the claims given."""
    monkeypatch.chdir(tmp_path)

    def put(*claims: Claim) -> None:
        monkeypatch.setattr(ledger, "all_claims", lambda papers=None: claims)

    return put


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[Path, None, None]:
    """An empty working directory; claims that were named in it are forgotten at the end."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    registry.use(None)
    for name, module in [*sys.modules.items()]:
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[[str], tuple[int, str, str]]:
    """A command line, run in process: exit code, output, errors."""

    def call(line: str) -> tuple[int, str, str]:
        code = cli.run(line.split())
        return code, *capsys.readouterr()

    return call
