"""Which modules an entry really runs: the check of what `dpbench.core.sources` finds by imports.

An entry is run serially, with nothing stored, under a profiler that notes each function of ours that is called; kernels
note themselves. What was called and is in no key is code that evidence would not be known to rest on.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType
from typing import Any

from dpbench.core import sources
from dpbench.core.kernel import Kernel
from dpbench.ledger.core import Claim
from dpbench.runs.context import RunContext


def undeclared(claim: Claim, context: RunContext) -> set[str]:
    """Modules of papers and of `lowerbounds` that the entry ran and that are not in its key.

    Parameters
    ----------
    claim : Claim
    context : RunContext
        Serial (`workers=Serial()`), with an empty store.
    """
    with calls() as seen:
        claim.measure(context)
    return {name for name in seen if not sources.is_framework(name)} - claim.code.modules.keys()


@contextmanager
def calls() -> Iterator[set[str]]:
    """Module of each function of ours that this thread calls, kernels among them."""
    files = {str(path): module for module, path in sources._files().items()}
    found: set[str] = set()

    def note(code: CodeType) -> None:
        module = files.get(code.co_filename)
        name = code.co_qualname.partition(".")[0]
        made = code.co_flags & CO_OPTIMIZED and name != "__getattr__"  # no class being made, no name of a package found
        if module is not None and not name.startswith("<") and made:
            found.add(module)

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
