"""``python quick_install.py CHECKOUT PACKAGES``: copy a commit into this environment; what it needs is in PACKAGES.

PACKAGES is the site-packages folder of another environment, searched after this one's own. Files keep their times, so
that kernels whose source did not change between two commits are not compiled again.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path

PARTS = ("dpbench", "lowerbounds")


def install(checkout: Path, packages: Path, into: Path) -> None:
    """Copy `PARTS` of a checkout into the folder `into`, and have it search `packages`."""
    for name in PARTS:
        shutil.rmtree(into / name, ignore_errors=True)
        shutil.copytree(checkout / name, into / name)
    (into / "of_the_caller.pth").write_text(f"{packages}\n", encoding="utf-8")


if __name__ == "__main__":
    install(Path(sys.argv[1]), Path(sys.argv[2]), Path(sysconfig.get_path("purelib")))
