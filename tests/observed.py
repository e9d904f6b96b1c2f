"""Which definitions an entry really runs: the check of what `dpbench.core.code` says that it can reach.

An entry is run serially, with nothing stored, under a profiler that notes each function of ours that is called; kernels
note themselves. What was called and is not in the closure is code that evidence would not be known to rest on.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from dpbench.core import sources
from dpbench.core.code import Name
from dpbench.core.kernel import Kernel
from dpbench.ledger.core import Claim
from dpbench.runs.context import RunContext

_KEYS = ("code", "kept", "lazy", "sources", "vectors")
_RUNNING = ("dpbench.runs", "dpbench.ledger", *(f"dpbench.core.{name}" for name in _KEYS))
"""What runs an entry rather than measures it; of the ledger, `measured` keeps the rules from rows to a verdict."""
_CONCLUDING = ("conclude", "measure", "_Watched", "_uses_level", "_graded")


def undeclared(claim: Claim, context: RunContext) -> set[Name]:
    """Definitions of ours that the entry ran and that are not in its closure.

    Parameters
    ----------
    claim : Claim
    context : RunContext
        Serial (`workers=Serial()`), with an empty store.
    """
    with calls() as seen:
        claim.measure(context)
    return {name for name in seen if _measures(name)} - claim.closure.names


@contextmanager
def calls() -> Iterator[set[Name]]:
    """Module and top-level name of each function of ours that this thread calls, kernels among them."""
    files = {str(path): module for module, path in _our_files()}
    found: set[Name] = set()

    def note(code: CodeType) -> None:
        module = files.get(code.co_filename)
        name = code.co_qualname.partition(".")[0]
        made = code.co_flags & CO_OPTIMIZED and name != "__getattr__"  # no class being made, no name of a package found
        if module is not None and not name.startswith("<") and made:
            found.add((module, name))

    def called_by_a_run(frame: FrameType | None) -> bool:
        """What a run or a grade calls on its own account, through the standard library perhaps, measures nothing."""
        while frame is not None and frame.f_code.co_filename not in files:
            frame = frame.f_back
        caller = "" if frame is None else files[frame.f_code.co_filename]
        return caller.startswith(("dpbench.runs", "dpbench.ledger.grades"))

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename in files and not called_by_a_run(frame.f_back):
            note(frame.f_code)

    before, call = sys.getprofile(), Kernel.__call__

    def noting(kernel: Kernel, *arguments: Any) -> Any:
        note(kernel.py_func.__code__)
        watching = sys.getprofile()
        sys.setprofile(None)  # what compiles a kernel, where the cache lacks it, measures nothing
        kernel.compile()
        sys.setprofile(watching)
        return call(kernel, *arguments)

    Kernel.__call__ = noting  # type: ignore[method-assign, assignment]
    sys.setprofile(profile)
    try:
        yield found
    finally:
        sys.setprofile(before)
        Kernel.__call__ = call  # type: ignore[method-assign]


def _measures(name: Name) -> bool:
    module, definition = name
    if module.startswith("dpbench.ledger.harness"):
        return definition not in _CONCLUDING
    return not module.startswith(_RUNNING)


def _our_files() -> Iterator[tuple[str, Path]]:
    for path in sources.our_files():
        for top in sources.OURS:
            if top in path.parts:
                at = len(path.parts) - 1 - path.parts[::-1].index(top)
                parts = [*path.parts[at:-1], *([] if path.stem == "__init__" else [path.stem])]
                yield ".".join(parts), path
                break
