"""Every path and module that a text of ours names is there, also in jobs and tests that a run of CI leaves out."""

import importlib
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOPS = (
    r"(?:\.ci|\.github|benchmarks|checker|docs|dpbench|evidence|examples"
    r"|figures|libraries|lowerbounds|studies|tests|tools)"
)
PATH = re.compile(
    rf"(?<![\w./-])({TOPS}/[\w./-]+\.(?:py|md|rst|json|toml|txt|csv|ipynb|yml|j2|tex|sqlite|npz))(?![\w*{{<])"
)
MODULE = re.compile(
    r"(?<![\w./-])((?:dpbench|lowerbounds)(?:\.\w+)+|(?<=-m )(?:tools|studies|benchmarks|tests)[.\w]*\w)"
)
LEFT_OUT = re.compile(
    r"evidence/|figures/|CHANGELOG|docs/decisions|examples/dpriv_bench/|tests/report/test_for_papers"
    r"|tests/(project/test_(names|budget|landings|mutations|architecture)|core/test_(sources|kernel_cache))"
    r"|tests/ledger/test_(entries|ledger_declarations)"
)
# left out: history, and texts that make up names or name files of a user
MADE = re.compile(r"dpbench/_evidence/|evidence/ID\.json|\.NAME|\.commands$|\.__|lowerbounds\.parity$|tools/quantiles")
# not of ours: what a wheel holds, placeholders, a group of entry points, attributes, the file of another library


def module_is_there(name):
    """Whether each part is a module or folder, up to the first module; a folder may export a name."""
    first, *parts = name.split(".")
    here = ROOT / first
    for part in parts:
        if (here / f"{part}.py").exists():
            return True
        if not (here / part).is_dir():
            init = here / "__init__.py"
            return init.exists() and re.search(rf"\b{part}\b", init.read_text(encoding="utf-8")) is not None
        here /= part
    return True


def gone(text):
    """What a text names that is not there."""
    paths = {path for path in PATH.findall(text) if not MADE.search(path) and not (ROOT / path).exists()}
    return paths | {name for name in MODULE.findall(text) if not MADE.search(name) and not module_is_there(name)}


def test_what_a_text_names_is_there():
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("git tracks nothing here")
    missing, read = {}, 0
    for path in done.stdout.splitlines():
        if not LEFT_OUT.match(path) and Path(path).suffix in (
            "",
            ".cfg",
            ".ipynb",
            ".j2",
            ".json",
            ".md",
            ".py",
            ".rst",
            ".tex",
            ".toml",
            ".yml",
        ):
            read += 1
            if names := gone((ROOT / path).read_text(encoding="utf-8")):
                missing[path] = names
    assert read > 500 and not missing


def test_a_stale_name_is_noticed():
    assert gone("pytest tests/project/test_gone.py") == {"tests/project/test_gone.py"} and not gone("tests/conftest.py")
    assert gone("import dpbench.core.gone") == {"dpbench.core.gone"} and not gone(
        "dpbench.core.kernel.kernel, dpbench.audit"
    )
    assert gone("python -m studies.gone") == {"studies.gone"} and not gone("python -m studies.faults")


@pytest.mark.parametrize("name", ["glm", "heavytail", "publicdata"])
def test_the_public_names_of_a_paper_stand_in_two_modules(name):
    short, whole = (importlib.import_module(f"dpbench.{part}{name}") for part in ("", "papers."))
    assert [*map(short.__getattr__, whole.__all__)] == [getattr(whole, one) for one in whole.__all__]
    assert dir(short) == sorted(whole.__all__) and not hasattr(short, "nothing")
