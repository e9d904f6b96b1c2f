"""The application: its commands, and the way from its arguments to an exit code.

Nothing heavy is imported here: each command imports what it needs, so that ``--help`` and ``--version`` start
at once.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from dpbench.cli.guard import BAD_USE, BROKEN_PIPE, INTERRUPTED, UsageError, one_line, report

COMMANDS = {
    "verify": "dpbench.cli.verify:verify",
    "list": "dpbench.cli.ledger:list_claims",
    "show": "dpbench.cli.ledger:show",
    "audit": "dpbench.cli.audit:audit",
    "audit-arrays": "dpbench.cli.audit:audit_arrays",
    "audit-bits": "dpbench.cli.audit:audit_bits",
    "audit-one-run": "dpbench.cli.audit:audit_one_run",
    "audit-scores": "dpbench.cli.audit:audit_scores",
    "audit-search": "dpbench.cli.audit:audit_search",
    "check-accountant": "dpbench.cli.accountant:check_accountant",
    "hunt": "dpbench.cli.hunt:hunt",
    "judge": "dpbench.cli.judge:judge",
    "figures": "dpbench.cli.figures:figures",
    "report": "dpbench.cli.report:report",
    "errata": "dpbench.cli.errata:errata",
    "compare": "dpbench.cli.evidence:compare",
    "export": "dpbench.cli.export:export",
    "new-paper": "dpbench.cli.export:new_paper",
    "evidence": "dpbench.cli.evidence:app",
}
"""Where the function, or the group, of each command of the framework is: imported when the command is named."""
EPILOG = (
    "Exit codes: 0 as expected; 1 an unexpected verdict, or a refuted audit; 2 bad use; 70 an error of "
    "dpbench itself; 74 the machine failed (disk full, file lost, worker killed); 130 stopped by Ctrl-C "
    "(143 by SIGTERM, 129 by SIGHUP)."
)


def homes() -> dict[str, str]:
    """Where each command is: those of the framework, then what papers bring, under names that are not taken.

    A paper of ours names its commands in `COMMANDS` of its folder ``commands``, found by its place; a paper of anybody
    else by entry points of the group ``dpbench.commands``. Neither a paper nor a command is imported.
    """
    papers = importlib.import_module("dpbench.papers")
    places = sorted(path for home in papers.__path__ for path in Path(home).glob("*/commands/__init__.py"))
    ours = [importlib.import_module(f"dpbench.papers.{place.parent.parent.name}.commands").COMMANDS for place in places]
    theirs = {point.name: point.value for point in entry_points(group="dpbench.commands")}
    return {**theirs, **{name: home for one in ours for name, home in one.items()}, **COMMANDS}


def _function(home: str) -> Any:
    module, _, attribute = home.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _brought(name: str, home: str) -> Any:
    """The function of a paper's command; where it cannot be imported, one that says so: the help lists the others."""
    try:
        return _function(home)
    except Exception as error:
        said = f"command {name!r} of a paper must be importable from {home}, got: {error}"

        def lost() -> None:
            raise UsageError(said)

        lost.__doc__ = f"Cannot be imported from {home}."
        return lost


class _Commands(TyperGroup):
    """The group of all commands, each made when it is named; a paper's only where no other has the name."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(homes())

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in COMMANDS:
            known: Any = dict.fromkeys(homes())
            self.commands = known  # of which the nearest is suggested
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS and cmd_name not in homes():
            return None
        function = _function(COMMANDS[cmd_name]) if cmd_name in COMMANDS else _brought(cmd_name, homes()[cmd_name])
        if not isinstance(function, typer.Typer):
            group = typer.Typer(add_completion=False, rich_markup_mode=None)
            group.command(cmd_name)(function)
            function = group
        command = get_command(function)
        command.name = cmd_name  # of a group, which knows none
        return command


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    help="Verify and benchmark differentially private learning.",
    epilog=EPILOG,
)


def _version(wanted: bool) -> None:
    if wanted:
        from dpbench.core.version import __version__

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


_STOPPED: list[int] = []


def _stop(number: int, frame: Any) -> None:
    """SIGTERM and SIGHUP end a run as Ctrl-C does, its workers with it; a second one ends the process at once."""
    _STOPPED.append(number)
    signal.signal(number, signal.SIG_DFL)
    raise KeyboardInterrupt


def main() -> None:
    """Entry point of ``dpbench`` and of ``python -m dpbench.cli``."""
    gc.set_threshold(50_000)  # as in `dpbench.runs.worker`: imports make much, and little of it is garbage
    warnings.showwarning = lambda message, *_: one_line(str(message))
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # not under nohup
            signal.signal(number, _stop)
    code = run()
    code = 128 + _STOPPED[0] if _STOPPED else code
    if code == BROKEN_PIPE:  # nobody reads on: keep the interpreter from complaining when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    atexit._run_exitfuncs()
    os._exit(code)  # without a wait for blocks that threads still compute
