"""Plant random errors in a copy of the project, one at a time, and count those that a test notices.

    python -m tests.mutations --seed SEED [--seed ...] --count 30 --json FILE [--under FOLDER ... --tests FOLDER ...]
    python -m tests.mutations --again FILE --json OTHER

The first line draws errors (`draw`) in the functions under the folders, runs the tests that are asked for (all but
those marked evidence) once, to see which of them run the functions of the errors, and lets every one of these meet
the error: the nearest first, until one fails. An error is noticed if a test fails that passes with the same function
written anew without the error. What takes more than `--limit` seconds of processor time is undecided, and counts as
not noticed. The second line tries the errors of a file again where their lines still stand. A file is taken up where
it was left, with the same `--folder` without running all tests again. Survivors are read: what is no error is named
in `equivalent` of the file, with the reason.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from .draw import FOLDERS, Error, draw, found, marked, planted
from .plugin import CHOSEN, REACHED

ROOT = Path(__file__).resolve().parents[2]
NEAREST = 40
"""Tests that run before all the others that reach the function."""
PATIENCE = 20.0
"""Seconds for each second of processor time, after which tests are taken to wait for ever."""


class Answer(NamedTuple):
    """What a run of tests says: the test that failed, or none; whether it came to an end; its processor seconds."""

    failed: str
    ended: bool
    seconds: float


class Copy:
    """A copy of a tree, in which errors are planted."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.root, self.chosen = folder / "project", folder / "chosen.json"
        shutil.rmtree(self.root, ignore_errors=True)
        left_out = shutil.ignore_patterns(".git", "__pycache__", ".asv", "build", "*.sqlite")
        shutil.copytree(tree, self.root, ignore=left_out)
        shutil.copytree(Path(__file__).parent, self.root / "tests/mutations", dirs_exist_ok=True)
        paths = os.pathsep.join(str(self.root / part) for part in ("", "checker", "tests"))
        own = {"PYTHONPATH": paths, "MPLBACKEND": "Agg", "NUMBA_CACHE_DIR": str(folder / "numba")}
        self.environment = {**os.environ, **own, CHOSEN: str(self.chosen)}

    def reach(self, errors: list[Error], folder: Path, tests: Iterable[str] = ()) -> None:
        """Run these tests, or all, with the functions of the errors marked; the folder gets what they note."""
        folder.mkdir()
        before = {path: (self.root / path).read_text(encoding="utf-8") for path in {error.path for error in errors}}
        for path, text in before.items():
            names = {error.function for error in errors if error.path == path}
            (self.root / path).write_text(marked(text, path, names), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-m", "not evidence", "-p", "no:cacheprovider",
                   "-p", "tests.mutations.plugin", *tests]  # fmt: skip
        environment = {name: value for name, value in self.environment.items() if name != CHOSEN}
        subprocess.run(command, cwd=self.root, env={**environment, REACHED: str(folder)}, check=False)
        for path, text in before.items():
            (self.root / path).write_text(text, encoding="utf-8")

    def run(self, tests: list[str], limit: float, *options: str) -> Answer:
        """Run tests in this order, until one fails."""
        self.chosen.write_text(json.dumps(tests), encoding="utf-8")
        paths = dict.fromkeys(test.partition("::")[0] for test in tests)
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-m", "", "-rfE", "--tb=no",
                   "-p", "no:cacheprovider", "-p", "tests.mutations.plugin", *options, *paths]  # fmt: skip
        bound = (int(limit) + 1, int(limit) + 2)

        def limited() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, bound)

        def spent() -> float:
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime

        before = spent()
        try:
            done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True,
                                  preexec_fn=limited, timeout=PATIENCE * limit)  # fmt: skip
        except subprocess.TimeoutExpired:
            return Answer("", False, spent() - before)
        if done.returncode < 0:
            return Answer("", False, spent() - before)
        if done.returncode in (0, 5):  # 5: all that were chosen have gone
            return Answer("", True, spent() - before)
        said = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", done.stdout, re.M)
        return Answer(said[1] if said else "pytest itself", True, spent() - before)

    def meet(self, error: Error, tests: list[str], limit: float) -> dict[str, Any]:
        """What the tests say of an error: "noticed", "survives" or "undecided", and which test noticed it."""
        path = self.root / error.path
        text, spent = path.read_text(encoding="utf-8"), 0.0
        try:
            for some in (tests[:NEAREST], tests[NEAREST:]):
                while some:
                    path.write_text(planted(text, error), encoding="utf-8")
                    answer = self.run(some, limit - spent)
                    spent += answer.seconds
                    if not answer.ended or spent > limit:
                        return {"said": "undecided", "by": "", "seconds": round(spent, 1)}
                    if not answer.failed:
                        break
                    path.write_text(planted(text, error, wrong=False), encoding="utf-8")
                    collected = "::" in answer.failed
                    control = self.run([answer.failed], limit) if collected else self.run(some, limit, "--collect-only")
                    if control.failed and not collected:
                        raise RuntimeError(f"without any error, {control.failed} fails: {' '.join(some[:3])} ...")
                    if not control.failed:
                        return {"said": "noticed", "by": answer.failed, "seconds": round(spent, 1)}
                    some = [test for test in some if test != answer.failed]  # it fails without the error too
            return {"said": "survives", "by": "", "seconds": round(spent, 1)}
        finally:
            path.write_text(text, encoding="utf-8")


def joined(folder: Path) -> tuple[dict[str, float], dict[str, set[str]]]:
    """Seconds of the tests, and by function (its file and name) the tests that ran it."""
    seconds: dict[str, float] = {}
    met: dict[str, set[str]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for name, value in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if path.name.startswith("seconds"):
                seconds[name] = value
            else:
                met.setdefault(name, set()).add(value)
    return seconds, met


def nearest(tree: Path, tests: Iterable[str], error: Error, seconds: dict[str, float]) -> list[str]:
    """The tests whose text names the function, its class or its module first; of these, short ones before long ones."""
    names = [*error.function.split("."), Path(error.path).stem.lstrip("_")]
    texts: dict[str, str] = {}
    for path in {test.partition("::")[0] for test in tests}:
        if (tree / path).exists():
            whole = (tree / path).read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(whole)):
                if isinstance(node, ast.FunctionDef):
                    texts[f"{path}::{node.name}"] = ast.get_source_segment(whole, node) or ""
    texts = {test: texts.get(re.sub(r"::.*::", "::", test.partition("[")[0]), "") for test in {*tests}}
    shared = Counter(name for text in {*texts.values()} for name in names if name in text)

    def place(test: str) -> tuple[float, float, str]:
        return -sum(1.0 / shared[name] for name in names if name in texts[test]), seconds.get(test, 1.0), test

    return sorted((test for test in texts if (tree / test.partition("::")[0]).exists()), key=place)


def write(out: Path, document: dict[str, Any]) -> None:
    """Put the results into the file with their counts, whole or not at all."""
    counts: dict[str, Counter[str]] = {}
    for one in document["errors"]:
        equivalent = name_of(one) in document["equivalent"]
        counts.setdefault(one["seed"], Counter())["no error" if equivalent else one.get("said", "not tried")] += 1
    document["counts"] = {seed: dict(sorted(said.items())) for seed, said in counts.items()}
    part = out.with_suffix(".part")
    part.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    part.replace(out)


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
    parser.add_argument("--count", type=int, default=30, help="errors of a draw (default 30)")
    parser.add_argument("--again", type=Path, help="a file of results, whose errors are tried again")
    parser.add_argument("--limit", type=float, default=100.0, help="processor seconds for one error (default 100)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no error after these")
    parser.add_argument(
        "--under", nargs="+", default=FOLDERS, help="draw in these folders or files (default: the product)"
    )
    parser.add_argument("--tests", nargs="+", default=(), help="folders or files of tests (default: all)")
    parser.add_argument("--folder", type=Path, help="where copy, kernels and what the tests run are kept")
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
    write(asked.json, document)
    stop = time.monotonic() + 60.0 * asked.minutes
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        copy, reached = Copy(ROOT, folder), folder / "reached"
        there = {error.name: error for one in document["errors"] if stands(error := error_of(one))}
        if not reached.exists():
            copy.reach([*there.values()], reached, asked.tests)
        seconds, met = joined(reached)
        for one in document["errors"]:
            if "said" in one or time.monotonic() > stop:
                continue
            error = there.get(name_of(one))
            if error is None:
                one["said"] = "gone"
            else:
                tests = nearest(ROOT, met.get(f"{error.path}::{error.function}", set()), error, seconds)
                one |= {"tests": len(tests)} | copy.meet(error, tests, asked.limit)
            print(f"{one['said']:10}{one.get('seconds', 0.0):6.0f} s  {name_of(one)}", flush=True)
            write(asked.json, document)
    print(document["counts"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
