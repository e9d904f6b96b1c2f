"""The page of commands: the help of each, as a terminal of 80 columns shows it."""

from __future__ import annotations

import re

from dpbench.cli import manual


def test_the_help_of_every_command_is_there_in_80_columns() -> None:
    from dpbench.cli.app import homes

    made = manual.commands()
    assert set(re.findall(r"^## ([\w-]+)$", made, re.M)) == set(homes())
    helps = "".join(re.findall(r"```text\n(.*?)```", made, re.S))
    assert max(map(len, helps.splitlines())) <= 80 and helps.count("Usage: dpbench ") == len(homes())
