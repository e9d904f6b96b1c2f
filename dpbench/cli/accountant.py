"""``dpbench check-accountant``: an accountant's ε beside the exact privacy loss."""

from __future__ import annotations

from typing import Annotated

import typer

from dpbench.cli.guard import UNEXPECTED, guarded
from dpbench.cli.options import NUMBER, WHOLE, JsonOption, QuietOption, check_writable, is_stdout, say, write_json


@guarded
def check_accountant(
    noise_multiplier: Annotated[float, typer.Option("--noise-multiplier", help="noise over clipping norm", **NUMBER)],
    epsilon: Annotated[float, typer.Option("--epsilon", help="what the accountant said", **NUMBER)],
    delta: Annotated[float, typer.Option("--delta", help="at this delta", **NUMBER)],
    sampling_rate: Annotated[
        float, typer.Option("--sampling-rate", help="chance of a record to be in a step", **NUMBER)
    ] = 1.0,
    steps: Annotated[int, typer.Option("--steps", help="number of steps", **WHOLE)] = 1,
    relation: Annotated[str, typer.Option("--relation", help="add_remove or replace", metavar="TEXT")] = "add_remove",
    json_file: JsonOption = None,
    quiet: QuietOption = False,
) -> None:
    """Hold an accountant against the exact privacy loss.

    The mechanism is DP-SGD: Gaussian noise and Poisson sampling.

    Exit 0: the claim holds, or is undecided; 1: it is refuted.

    dpbench check-accountant --noise-multiplier 3 --sampling-rate 0.2 --steps 50 --epsilon 1.83 --delta 2.08e-5
    """
    from dpbench.auditing import accountant

    check_writable("--json", json_file)
    mechanism = {"noise_multiplier": noise_multiplier, "sampling_rate": sampling_rate, "steps": steps}
    check = accountant.check_accountant(mechanism, epsilon, delta, relation=relation)
    if not (quiet or is_stdout(json_file)):
        say(str(check))
    if json_file is not None:
        write_json(json_file, {"schema": 1, **check.to_dict()})
    if check.verdict == "refuted":
        raise typer.Exit(UNEXPECTED)
