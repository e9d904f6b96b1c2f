"""Which cases of the default run reach a function: recorded once by coverage.py, with what each case takes."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .draw import FOLDERS, Error, files, functions

RECORD = Path(".pytest_cache") / "reach.json"
"""Under the root of the project; of one text of product and tests."""
FIRST = 8
"""Files of the first batch: to collect a file takes time, and most errors are noticed near by."""


class Reach:
    """Of each function of the product the cases of tests that run a line of it.

    Attributes
    ----------
    seconds : dict of str to float
        By the id of a case what its setup and call took.
    cases : dict of str to dict of str to list of str
        By file and function.
    """

    def __init__(self, seconds: dict[str, float], cases: dict[str, dict[str, list[str]]]) -> None:
        self.seconds, self.cases = seconds, cases

    def batches(self, error: Error) -> list[list[str]]:
        """The cases that reach the function of an error, of eight files, then of sixteen, and so on.

        First come files in folders of the same names as the error's, and those whose name has a word of its module;
        of equal ones those that take least. So do the cases of a file.
        """
        reached = self.cases.get(error.path, {}).get(error.function, [])
        by_file: dict[str, list[str]] = {}
        for case in sorted(reached, key=lambda case: (self.seconds.get(case, 0.0), case)):
            by_file.setdefault(case.partition("::")[0], []).append(case)
        folders, words = {*Path(error.path).parts[:-1]}, {*Path(error.path).stem.split("_")}

        def order(file: str) -> tuple[int, int, float, str]:
            near = Path(file)
            total = sum(self.seconds.get(case, 0.0) for case in by_file[file])
            return -len(folders & {*near.parts}), -len(words & {*near.stem.split("_")}), total, file

        nearest, batches = sorted(by_file, key=order), []
        while nearest:
            count = FIRST << len(batches)
            batches.append([case for file in nearest[:count] for case in by_file[file]])
            nearest = nearest[count:]
        return batches


def recorded(root: Path) -> Reach:
    """The record of the project as it is, made by a run of its tests where there is none."""
    path, code = root / RECORD, digest(root)
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["code"] == code:
            return Reach(kept["seconds"], kept["cases"])
    print("recording which tests reach what: a default run under coverage, some minutes", flush=True)
    reach = record(root)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"code": code, "seconds": reach.seconds, "cases": reach.cases}), encoding="utf-8")
    return reach


def digest(root: Path) -> str:
    """Of the product's and the tests' files."""
    sha = hashlib.sha256()
    for path in files(root, [*FOLDERS, "tests"]):
        sha.update(f"{path}\n".encode() + hashlib.sha256((root / path).read_bytes()).digest())
    return sha.hexdigest()


def record(root: Path, options: Iterable[str] = ()) -> Reach:
    """Run the tests of a project under coverage.

    Raises
    ------
    RuntimeError
        A test fails, or pytest-cov is not installed.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "rc"
        settings.write_text(f"[run]\nsource = {', '.join(FOLDERS)}\ndata_file = {folder}/data\n", encoding="utf-8")
        words = ["-vv", "--durations=0", "-p", "no:cacheprovider", "--cov", f"--cov-config={settings}",
                 "--cov-context=test", "--cov-report="]  # fmt: skip
        run = subprocess.run(
            [sys.executable, "-m", "pytest", *words, *options], cwd=root, capture_output=True, text=True, check=False
        )
        if run.returncode:
            failed = "\n".join(re.findall(r"^(?:FAILED|ERROR) .*", run.stdout, re.M)[:5])
            raise RuntimeError(f"the tests must pass, and pytest-cov be installed:\n{failed}\n{run.stderr}")
        from coverage import CoverageData

        data = CoverageData(f"{folder}/data")
        data.read()
        cases = {path: _of_file(root / path, data) for path in files(root, FOLDERS)}
    seconds: dict[str, float] = {}
    for took, case in re.findall(r"^([\d.]+)s (?:call|setup) +(.+)$", run.stdout, re.M):
        seconds[case] = seconds.get(case, 0.0) + float(took)
    return Reach(seconds, cases)


def _of_file(path: Path, data: Any) -> dict[str, list[str]]:
    """By function the cases that run a statement of its body."""
    contexts = data.contexts_by_lineno(str(path))
    reached = {}
    for name, function in functions(path.read_text(encoding="utf-8")):
        lines = {node.lineno for one in function.body for node in ast.walk(one) if isinstance(node, ast.stmt)}
        cases = {context.rpartition("|")[0] for line in lines for context in contexts.get(line, ())}
        reached[name] = sorted(cases - {""})
    return reached
