"""What is packed, what it needs, and that the workflows run nothing that a tag can move."""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)], cwd=ROOT, check=True, capture_output=True
    )
    return folder


@pytest.mark.process
@pytest.mark.slow
def test_the_sources_packed_hold_what_their_tests_read(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    for needed in (
        "tests/conftest.py", "checker/dpbench_check.py", "evidence/ledger/glm.thm5.privacy.json", ".ci/run",
        ".github/workflows/ci.yml", "docs/conf.py", "README.md", "SECURITY.md", "CONTRIBUTING.md", "asv.conf.json",
        "examples/README.md", "figures/README.md", "pyproject.toml",
    ):  # fmt: skip
        assert needed in files
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode == 0:
        allowed = {*tracked.stdout.split("\n"), "PKG-INFO"}
        untracked = subprocess.run(
            ["git", "ls-files", "-o", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert files <= allowed | set(untracked.stdout.split("\n")), files - allowed


@pytest.mark.process
@pytest.mark.slow
def test_the_checker_comes_with_one_distribution(built):
    with zipfile.ZipFile(next(built.glob("*.whl"))) as archive:
        names = archive.namelist()
    assert names.count("dpbench_check.py") == 1, "python -m dpbench_check after pip install ."
    assert [p for p in ROOT.glob("*/pyproject.toml") if "dpbench_check" in p.read_text(encoding="utf-8")] == []
    assert {name.partition("/")[0] for name in names} == {
        "dpbench", "lowerbounds", "dpbench_check.py", "dpbench_records.py",
        f"dpbench_suite-{PROJECT['version']}.dist-info",
    }  # fmt: skip


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_run_actions_by_digest_and_release_what_was_tested(path):
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)", text)
    assert used and all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", action) for action in used), used
    if path.name == "release.yml":
        release = text[text.index("\n  release:") :]
        assert "needs: test" in release and "attest-build-provenance@" in release
        assert "contents: write" not in text[: text.index("\n  release:")]
