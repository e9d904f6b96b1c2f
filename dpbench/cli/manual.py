"""The page of the documentation that shows the help of every command."""

from __future__ import annotations

import contextlib
import io
import os
from unittest import mock

from dpbench.cli.app import homes, run


def commands() -> str:
    """The help of every command, as the terminal shows it in 80 columns."""
    parts = ["# The command line", "`dpbench --install-completion` completes commands, options and ids in your shell."]
    for name in homes():
        with mock.patch.dict(os.environ, {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}):
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                run([name, "--help"])
        parts.append(f"## {name}\n\n```text\n{said.getvalue().strip()}\n```")
    return "\n\n".join(parts) + "\n"
