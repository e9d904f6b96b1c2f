"""``python -m benchmarks.dashboard``: asv over the last commits, the site, and a check that it is whole.

Each commit is built in an environment of asv's own. ``--quick`` runs the benchmarks of `QUICK` once; leave it out for
timings that mean something. It installs nothing: a commit is copied into an environment that takes what it needs from
the one at hand, imports are shared by forking, and kernels whose source did not change are compiled once for all
commits (`quick_setup`). ``--record`` adds the commits, in the same way, to the record of the headline benchmarks in the
folder results beside this file, and makes the site with its first page, record.html, for use without a network. The
site is static files: ``asv preview`` shows it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import offline_site, record

QUICK = r"Cases\.time_"
"""Benchmarks of ``--quick``: seconds of each mechanism and audit; no memory."""

RECORD, MACHINE = "^bench_record", "record"
CONFIGURATION = Path("asv.conf.json")


def quick_setup(configuration: Path = CONFIGURATION, results: Path | None = None) -> tuple[list[str], dict[str, str]]:
    """Options of asv, and the environment it runs in, for ``--quick``; writes a configuration under the results."""
    root, made = configuration.resolve().parent, json.loads(configuration.read_text(encoding="utf-8"))
    places = {name: str(root / made[name]) for name in ("repo", "benchmark_dir", "results_dir", "html_dir")}
    script, packages = root / "benchmarks" / "quick_install.py", Path(np.__file__).parents[1]
    made |= places | {
        "env_dir": str(root / ".asv" / "env-quick"), "matrix": {}, "build_command": [], "dvcs": "git",
        "install_command": [f"in-dir={{env_dir}} python {script} {{build_dir}} {packages}"],
    }  # fmt: skip
    if results is not None:
        made["results_dir"] = str(results.resolve())
    written = root / ".asv" / "quick.conf.json"
    written.parent.mkdir(exist_ok=True)
    written.write_text(json.dumps(made, indent=1), encoding="utf-8")
    kernels = {"NUMBA_CACHE_DIR": str(root / ".asv" / "kernels"), "OMP_NUM_THREADS": "1"}
    return ["--config", str(written)], kernels


def missing(html: Path, bench: str = ".") -> list[str]:
    """Benchmarks of a published site, of those whose names match, without a graph that has a value."""
    index = json.loads((html / "index.json").read_text(encoding="utf-8"))
    asked = [name for name in sorted(index["benchmarks"]) if re.search(bench, name)]
    return [name for name in asked if not any(map(_drawn, html.glob(f"graphs/**/{name}.json")))]


def _drawn(graph: Path) -> bool:
    """Whether a graph holds a number: asv writes [[revision, value or list of values], ...]."""
    points = json.loads(graph.read_text(encoding="utf-8"))
    values = [v for _, value in points for v in (value if isinstance(value, list) else [value])]
    return any(value is not None for value in values)


def main() -> int:
    """Run, publish, check; 1 where a benchmark has no graph."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dashboard", description=__doc__.split("\n")[0])
    parser.add_argument("--commits", type=int, default=3, metavar="N", help="how many of the last commits")
    parser.add_argument("--bench", metavar="REGEX", help="only these benchmarks (default: all; with --quick, few)")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--quick", action="store_true", help="some of the benchmarks, each once")
    kind.add_argument("--record", action="store_true", help="add the commits to the record, and draw its page")
    asked = parser.parse_args()
    if asked.commits < 1:
        parser.error(f"--commits must be at least 1, got {asked.commits}")
    bench = asked.bench or (RECORD if asked.record else QUICK if asked.quick else ".")
    quick = ["--quick"] if asked.quick else ["--machine", MACHINE] if asked.record else []
    options, settings = quick_setup(results=record.RESULTS if asked.record else None) if quick else ([], {})
    quick += ["--launch-method", "forkserver"] if quick else []
    began = time.monotonic()
    for command in (
        ["machine", "--yes", *(["--machine", MACHINE] if asked.record else [])],
        ["run", f"HEAD~{asked.commits}..HEAD", "--skip-existing-commits", "--bench", bench, *quick],
        ["publish"],
    ):
        print(f"== {time.monotonic() - began:.0f} s: asv {' '.join(command)}", flush=True)
        whole = [sys.executable, "-m", "asv", command[0], *options, *command[1:]]
        code = subprocess.run(whole, env={**os.environ, **settings}, check=False).returncode
        if code not in (0, 2):  # 2: a benchmark failed in a commit, which the check below judges
            return code
    html = Path(json.loads(CONFIGURATION.read_text(encoding="utf-8"))["html_dir"])
    without = missing(html, bench.replace("\\(", "") if asked.quick else bench)
    if asked.record:
        record.main([str(html / "record.html")])
        offline_site.main([str(html)])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{time.monotonic() - began:.0f} s, of a processor {used.ru_utime + used.ru_stime:.0f} s")
    print(f"{html}: {'every benchmark has its graph' if not without else 'no graph of ' + ', '.join(without)}")
    return 1 if without else 0


if __name__ == "__main__":
    sys.exit(main())
