"""Make asv's published site work without a network: its scripts and style sheet beside it, from npm packages.

``asv publish && python -m benchmarks.offline_site .asv/html`` fetches the packages with npm and rewrites index.html;
``--packages FOLDER`` takes them from a node_modules that is there.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGES = (
    "jquery@3.3.1", "flot@0.8.3", "flot-orderbars@1.0.0", "stupid-table-plugin@1.1.3", "blueimp-md5@2.19.0",
    "bootstrap@3.1.1",
)  # fmt: skip
_TAG = re.compile(r'(<(?:script|link)\b[^>]*?(?:src|href)=")(https?://[^"]+)("[^>]*>)')
_CHECKS = re.compile(r'\s+(?:integrity|crossorigin|referrerpolicy)="[^"]*"')


class Missing(Exception):
    """A file that no package has."""


def rewrite(html: str, packages: Path, beside: Path) -> str:
    """The page with every script and style sheet from elsewhere copied to `beside` and named there.

    Raises
    ------
    Missing
        If no package has a file of that name, as it is or without ".min" and a version.
    """

    def local(found: re.Match[str]) -> str:
        source = _file(found[2].rpartition("/")[2], packages)
        beside.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, beside / source.name)
        return f"{found[1]}{beside.name}/{source.name}{_CHECKS.sub('', found[3])}"

    return _TAG.sub(local, html)


def _file(name: str, packages: Path) -> Path:
    for wanted in (name, re.sub(r"-\d[\d.]*\d(?=\.)", "", name), name.replace(".min.", ".")):
        matches = sorted(packages.rglob(wanted), key=lambda path: len(path.parts))
        if matches:
            return matches[0]
    raise Missing(f"no package has {name}")


def main(arguments: list[str] | None = None) -> int:
    """Rewrite the site; 2 where it is not one, or a package lacks a file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.offline_site", description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--packages", type=Path, metavar="FOLDER")
    asked = parser.parse_args(arguments)
    index = asked.site / "index.html"
    with tempfile.TemporaryDirectory() as work:
        packages = asked.packages or Path(work) / "node_modules"
        try:
            if asked.packages is None:
                npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", work, *PACKAGES]
                subprocess.run(npm, check=True)
            made = rewrite(index.read_text(encoding="utf-8"), packages, asked.site / "vendor")
        except (OSError, subprocess.CalledProcessError, Missing) as error:
            print(f"benchmarks.offline_site: {error}", file=sys.stderr)
            return 2
    index.write_text(made, encoding="utf-8")
    print(f"{asked.site}: {len(list((asked.site / 'vendor').iterdir()))} files beside it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
