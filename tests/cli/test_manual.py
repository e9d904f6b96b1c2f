"""The page of commands: the help of each, as a terminal of 80 columns shows it."""

import re

import pytest

from dpbench.cli import manual
from dpbench.cli.ledger import SORTS, sorts
from dpbench.report.listing import ORDERS


def test_the_help_of_every_command_is_there_in_80_columns():
    from dpbench.cli.app import homes

    made = manual.commands()
    assert set(re.findall(r"^## ([\w-]+)$", made, re.M)) == set(homes())
    helps = "".join(re.findall(r"```text\n(.*?)```", made, re.S))
    assert max(map(len, helps.splitlines())) <= 80 and helps.count("Usage: dpbench ") == len(homes())


@pytest.mark.parametrize(("typed", "meant"), [("bnch", "bench"), ("evidence stats", "status")])
def test_a_command_that_is_mistyped_is_suggested(typed, meant, run):
    code, out, err = run(typed)
    assert (code, out) == (2, "") and f"Did you mean '{meant}'?" in err and err.count("\n") == 1


def test_the_orders_of_a_list_are_those_that_are_offered():
    assert tuple(ORDERS) == SORTS and sorts("ver") == ["verdict"]
