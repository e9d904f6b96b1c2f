"""Keys of code where libraries lie in other folders: real environments, made by virtualenv and pip.

A user's module rests on a small library and on `dpbench`. Wherever the library is installed, the key is the same and
the version of the library is noted; where it is installed to be edited, or lies about as a file, its text counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.process, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
MEASURED = """
import numpy
import toolbox
from dpbench.core.sampling import canonical


def measure(block):
    return toolbox.double(block) + numpy.pi * len(canonical(block))
"""
ASK = """
import json
import measured
from dpbench.core import sources
from dpbench.core.code import closure
found = closure(measured.measure)
print(json.dumps({"key": found.key, "names": sorted(found.definitions), "distributions": found.distributions}))
"""
METADATA = "Metadata-Version: 2.1\nName: toolbox\nVersion: {version}\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def wheel(folder: Path, version: str, factor: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"toolbox-{version}-py3-none-any.whl"
    about = f"toolbox-{version}.dist-info"
    files = {
        "toolbox/__init__.py": f"def double(x):\n    return {factor} * x\n",
        f"{about}/METADATA": METADATA.format(version=version),
        f"{about}/WHEEL": WHEEL,
    }
    record = "".join(f"{name},,\n" for name in (*files, f"{about}/RECORD"))
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in (files | {f"{about}/RECORD": record}).items():
            archive.writestr(name, text)
    return path


class Place:
    """An environment that sees this one's libraries through a ``.pth`` file, and `dpbench` in this checkout."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.variables = folder, {"PYTHONPATH": str(folder / "work"), "XDG_CACHE_HOME": str(folder / "c")}
        subprocess.run(
            [sys.executable, "-m", "virtualenv", "-q", "--no-setuptools", "--no-wheel", *options, str(folder)],
            check=True, env={**os.environ, "VIRTUALENV_NO_PERIODIC_UPDATE": "1"},
        )  # fmt: skip
        self.site = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
        (self.site / "libraries.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
        (folder / "work").mkdir()
        (folder / "work" / "measured.py").write_text(MEASURED)

    def run(self, *arguments: str) -> str:
        environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
        done = subprocess.run(
            [str(self.folder / "bin" / "python"), *arguments],
            cwd=self.folder, env=environment | self.variables, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def install(self, *arguments: str) -> Place:
        self.run("-m", "pip", "install", "-q", "--no-index", "--no-deps", "--disable-pip-version-check", *arguments)
        return self

    def key(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("-c", ASK))
        return found


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The library in the environment itself."""
    folder = tmp_path_factory.mktemp("inside")
    return Place(folder / "env").install(str(wheel(folder, "1.0", 2)))


def test_the_version_of_a_library_stands_for_its_text(inside: Place) -> None:
    found = inside.key()
    assert found["distributions"]["toolbox"] == "1.0"
    assert found["distributions"].keys() == {"toolbox", "numpy"}
    assert not [name for name in found["names"] if name.startswith(("numpy", "toolbox"))]
    assert [name for name in found["names"] if name.startswith("dpbench.core.sampling")]


def test_the_folder_of_a_library_is_no_part_of_a_key(inside: Place, tmp_path: Path) -> None:
    expected, package = inside.key(), str(wheel(tmp_path, "1.0", 2))
    own = Place(tmp_path / "user", "--system-site-packages")
    own.variables["PYTHONUSERBASE"] = str(tmp_path / "home")
    own.install("--user", package)
    assert (tmp_path / "home").is_dir() and own.key() == expected, "user site, system packages in sight"
    other = Place(tmp_path / "overlay")
    (other.site / "below.pth").write_text(f"{inside.site}\n")
    assert other.key() == expected, "an overlay over another environment, by .pth"
    target = Place(tmp_path / "target").install("--target", str(tmp_path / "elsewhere"), package)
    target.variables["PYTHONPATH"] += f"{os.pathsep}{tmp_path / 'elsewhere'}"
    assert target.key() == expected, "a folder on PYTHONPATH"


def test_another_version_is_noted_and_leaves_the_key(inside: Place, tmp_path: Path) -> None:
    other = Place(tmp_path / "env").install(str(wheel(tmp_path, "1.1", 3))).key()
    assert other["key"] == inside.key()["key"] and other["distributions"]["toolbox"] == "1.1"


def test_what_is_installed_to_be_edited_counts_by_its_text(tmp_path: Path) -> None:
    place, source = Place(tmp_path / "env"), tmp_path / "source" / "toolbox"
    source.mkdir(parents=True)
    (source.parent / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "hatchling.build"\n\n'
        '[project]\nname = "toolbox"\nversion = "1.0"\n\n[tool.hatch.build]\ndev-mode-dirs = ["."]\n'
    )
    keys = set()
    for factor in (2, 3):
        (source / "__init__.py").write_text(f"def double(x):\n    return {factor} * x\n")
        place.install("--no-build-isolation", "-e", str(source.parent))
        found = place.key()
        assert "toolbox" not in found["distributions"] and "toolbox:double" in found["names"]
        keys.add(found["key"])
    (place.site / "loose.py").write_text("def halve(x):\n    return x / 2\n")
    work = place.folder / "work" / "measured.py"
    work.write_text(
        MEASURED.replace("import toolbox", "import toolbox, loose").replace("+ numpy", "+ loose.halve(1) + numpy")
    )
    assert "loose:halve" in place.key()["names"], "a file that no distribution names"
    assert len(keys) == 2
