"""The application: its commands, and the way from its arguments to an exit code.

Nothing heavy is imported here: each command imports what it needs, so that ``--help`` and ``--version`` start
at once.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from dpbench.cli.audit import audit
from dpbench.cli.audit_library import audit_library
from dpbench.cli.bench import bench
from dpbench.cli.errata import errata
from dpbench.cli.evidence import app as evidence
from dpbench.cli.evidence import compare
from dpbench.cli.export import export, new_paper
from dpbench.cli.figures import figures
from dpbench.cli.guard import BAD_USE, BROKEN_PIPE, INTERRUPTED, UsageError, one_line, report
from dpbench.cli.hunt import hunt
from dpbench.cli.judge import judge
from dpbench.cli.ledger import list_claims, show
from dpbench.cli.report import report as report_page
from dpbench.cli.verify import verify

EPILOG = (
    "Exit codes: 0 as expected; 1 an unexpected verdict, or a refuted audit; 2 bad use; 70 an error of "
    "dpbench itself; 74 the machine failed (disk full, file lost, worker killed); 130 stopped by Ctrl-C."
)

app = typer.Typer(
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    help="Verify and benchmark differentially private learning.",
    epilog=EPILOG,
)
app.command()(verify)
app.command("list")(list_claims)
app.command()(show)
app.command()(bench)
app.command()(audit)
app.command("audit-library")(audit_library)
app.command()(hunt)
app.command()(judge)
app.command()(figures)
app.command("report")(report_page)
app.command()(errata)
app.command()(compare)
app.command()(export)
app.command("new-paper")(new_paper)
app.add_typer(evidence, name="evidence")


def _version(wanted: bool) -> None:
    if wanted:
        from dpbench import __version__

        typer.echo(f"dpbench {__version__}")
        raise typer.Exit(0)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="print the version and stop", callback=_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; no exception leaves it."""
    try:
        code = app(args=arguments, prog_name="dpbench", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except UsageError as error:
        where = error.ctx.command_path if error.ctx is not None else "dpbench"
        one_line(f"{_message(error)} (see `{where} --help`)")
        return BAD_USE
    except (KeyboardInterrupt, typer.Abort):
        one_line("interrupted")
        return INTERRUPTED
    except SystemExit as end:  # completion of the shell ends so
        return end.code if isinstance(end.code, int) else 0
    except BaseException as error:
        return report(error)


def _message(error: Any) -> str:
    """The message in our shape; of several options that may have been meant, the nearest alone."""
    if error.message.startswith("must be") and getattr(error, "param", None) is not None:
        return f"{error.param.opts[0]} {error.message}"
    meant = getattr(error, "possibilities", None)
    if not meant:
        return str(error.format_message())
    from difflib import get_close_matches

    near = get_close_matches(error.option_name, meant, n=1, cutoff=0.0)[0]
    return f"No such option: {error.option_name} (did you mean {near}?)"


def main() -> None:
    """Entry point of ``dpbench`` and of ``python -m dpbench.cli``."""
    gc.set_threshold(50_000)  # as in `dpbench.runs.lane`: imports make much, and little of it is garbage
    warnings.showwarning = lambda message, *_: one_line(str(message))
    code = run()
    if code == BROKEN_PIPE:  # nobody reads on: keep the interpreter from complaining when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
