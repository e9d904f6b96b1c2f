"""Plant random errors in the product, one at a time, and count those that a test notices.

    nice python -m tests.mutations --seed SEED [--seed ...] --count 20 --json FILE [--under FOLDER ...]
    nice python -m tests.mutations --again FILE --json OTHER

The first line draws errors (`draw`) in the functions under the folders. Each is met by the cases of the default run
that reach its function (`reach`), the nearest files first, until one fails. It is noticed if a test fails that passes
without the error. What takes more than `--limit` seconds of processor time is undecided, and counts
as not noticed: the share is one from below. The second line tries the errors of a file again where their lines still
stand.

No file changes: a process that has loaded the libraries forks for each error, and its child imports the module of the
error from the other text. A file of results is taken up where it was left. Survivors are read: what is no error is
named in `equivalent` of the file, with the reason, and is left out of the share.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from .draw import FOLDERS, Error, draw, found, planted
from .plugin import Chosen, plant
from .reach import recorded

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 20.0
"""Seconds for each second of processor time, after which tests are taken to wait for ever."""
FAULT = 70
"""Exit code of a child that has not come to run tests."""
LIBRARIES = (
    "numpy", "scipy.optimize", "scipy.stats", "numba", "sklearn.linear_model", "flint", "matplotlib.pyplot",
    "mpmath", "pytest", "rich.console", "typer", "jinja2",
)  # fmt: skip


class Answer(NamedTuple):
    """What a run of tests says: the test that failed, or none; whether it came to an end; its processor seconds."""

    failed: str
    ended: bool
    seconds: float


class Tree:
    """A project whose tests run in children of this process, which imports nothing of it."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.log = root, folder / "log"

    def pytest(self, error: Error | None, tests: Chosen, options: Iterable[str], limit: float) -> int:
        """Run tests in a child: its exit code. What it writes is in the log."""
        os.chdir(self.root)
        os.dup2(os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        os.dup2(1, 2)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__  # a test of this program captures them
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
        signal.alarm(int(PATIENCE * limit) + 1)
        paths = [str(self.root / part) for part in ("", "checker", "tests")]
        sys.path[:0] = paths
        os.environ |= {"MPLBACKEND": "Agg", "PYTHONPATH": os.pathsep.join(paths)}
        if error is not None:
            path = self.root / error.path
            plant(path, planted(path.read_text(encoding="utf-8"), error), self.log.parent / "begun")
        # plain: pytest rewrites the modules of a distribution that has a plugin, from their files
        fixed = ["-q", "-x", "-n", "0", "-rfE", "--tb=line", "-p", "no:cacheprovider", "--assert=plain"]
        files = dict.fromkeys(test.partition("::")[0] for test in tests.places)
        return int(importlib.import_module("pytest").main([*fixed, "-m", "", *options, *files], [tests]))

    def run(self, error: Error | None, tests: Sequence[str], limit: float, *options: str) -> Answer:
        """Run tests in this order, until one fails."""
        if not (child := os.fork()):
            try:
                code = self.pytest(error, Chosen(tests), options, limit)
            except BaseException:
                traceback.print_exc()
                code = FAULT
            sys.stdout.flush()
            os._exit(code)
        _, status, usage = os.wait4(child, 0)
        seconds, code = usage.ru_utime + usage.ru_stime, os.waitstatus_to_exitcode(status)
        written = self.log.read_text(encoding="utf-8", errors="replace")
        if code == FAULT:
            raise RuntimeError(written)
        if code < 0:
            return Answer("", False, seconds)
        if code in (0, 5):  # 5: all that were chosen have gone
            return Answer("", True, seconds)
        # sessions that tests of a plugin start say so, too
        said = re.findall(r"^(?:FAILED|ERROR) (.*)$", written, re.M)
        failed = [test for line in said for test in tests if f"{line} - ".startswith(f"{test} - ")]
        return Answer(failed[0] if failed else "pytest itself", True, seconds)

    def meet(self, error: Error, batches: Iterable[Sequence[str]], limit: float) -> dict[str, Any]:
        """What the tests say of an error: "noticed", "survives" or "undecided", and which test noticed it."""
        spent = 0.0
        for batch in batches:
            tests = list(batch)
            while tests:
                answer = self.run(error, tests, limit - spent)
                spent += answer.seconds
                if not answer.ended or spent > limit:
                    return {"said": "undecided", "by": "", "seconds": round(spent, 1)}
                if not answer.failed:
                    break
                collected = "::" in answer.failed
                control = self.run(None, [answer.failed] if collected else tests, 10.0 * limit,
                                   *([] if collected else ["--collect-only"]))  # fmt: skip
                if control.failed and not collected:
                    raise RuntimeError(f"without any error, {control.failed} fails: {' '.join(tests[:3])} ...")
                if not control.failed:
                    return {"said": "noticed", "by": answer.failed, "seconds": round(spent, 1)}
                tests.remove(answer.failed)  # fails without the error too
        return {"said": "survives", "by": "", "seconds": round(spent, 1)}


def write(out: Path, document: dict[str, Any]) -> None:
    """Put the results into the file with their counts, whole or not at all."""
    counts: dict[str, Counter[str]] = {}
    for one in document["errors"]:
        equivalent = name_of(one) in document["equivalent"]
        counts.setdefault(one["seed"], Counter())["no error" if equivalent else one.get("said", "not tried")] += 1
    document["counts"] = {seed: dict(sorted(said.items())) for seed, said in counts.items()}
    document["shares"] = {seed: share(said) for seed, said in counts.items()}
    part = out.with_suffix(".part")
    part.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    part.replace(out)


def share(said: Counter[str]) -> list[float]:
    """The share that is noticed of all errors tried, and the 95% Clopper-Pearson interval of the chance."""
    from scipy.stats import binomtest

    tried = said["noticed"] + said["survives"] + said["undecided"]
    if not tried:
        return []
    low, high = binomtest(said["noticed"], tried).proportion_ci()
    return [round(float(value), 3) for value in (said["noticed"] / tried, low, high)]


def error_of(one: dict[str, Any]) -> Error:
    return Error(**{name: one[name] for name in Error.__dataclass_fields__})


def stands(error: Error) -> bool:
    """Whether its lines still stand in its function."""
    path = ROOT / error.path
    return path.exists() and found(path.read_text(encoding="utf-8"), error) is not None


def name_of(one: dict[str, Any]) -> str:
    return error_of(one).name


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True, help="file of results, taken up where it exists")
    parser.add_argument("--seed", action="append", help="of a draw, any text; again for more draws")
    parser.add_argument("--count", type=int, default=20, help="errors of a draw (default 20)")
    parser.add_argument("--again", type=Path, help="a file of results, whose errors are tried again")
    parser.add_argument("--limit", type=float, default=60.0, help="processor seconds for one error (default 60)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no error after these")
    parser.add_argument(
        "--under", nargs="+", default=FOLDERS, help="draw in these folders or files (default: the product)"
    )
    asked = parser.parse_args()
    if (asked.seed is None) == (asked.again is None):
        parser.error("either --seed or --again must be given")
    if asked.json.exists():
        document = json.loads(asked.json.read_text(encoding="utf-8"))
    elif asked.again is not None:
        document = json.loads(asked.again.read_text(encoding="utf-8"))
        document["errors"] = [{"seed": one["seed"], **asdict(error_of(one))} for one in document["errors"]]
    else:
        document = {"equivalent": {}, "errors": []}
        for seed in asked.seed:
            drawn = islice(draw(ROOT, seed, asked.under), asked.count)
            document["errors"] += [{"seed": seed, **asdict(error)} for error in drawn]
    for library in LIBRARIES:
        importlib.import_module(library)
    write(asked.json, document)
    stop = time.monotonic() + 60.0 * asked.minutes
    with tempfile.TemporaryDirectory() as folder:
        tree, reach = Tree(ROOT, Path(folder)), recorded(ROOT)
        for one in document["errors"]:
            if "said" in one or time.monotonic() > stop:
                continue
            error = error_of(one)
            if stands(error):
                batches = reach.batches(error)
                one |= {"tests": sum(map(len, batches))} | tree.meet(error, batches, asked.limit)
            else:
                one["said"] = "gone"
            print(f"{one['said']:10}{one.get('seconds', 0.0):6.0f} s  {name_of(one)}", flush=True)
            write(asked.json, document)
    print(document["counts"], document["shares"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
